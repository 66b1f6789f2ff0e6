//! GNU C's structs with members of variable length. Their sizes and offsets are computed where the struct is
//! declared and kept in hidden variables, as the lengths of arrays are. An object of such a type is memory
//! of that many bytes, like an array of variable length; its members are reached by their offsets.

use super::Cx;
use super::ctype::{CField, CKind, CTypes, QType, Runtime};
use super::fold::{Category, Operand, mk};
use super::record::Placed;
use crate::hir::{Expr, ExprKind, Scale};
use cwolf_base::{Span, Symbol};
use cwolf_cwi::layout::{self, RecordAttrs};
use cwolf_cwi::{BinOp, RecordId, RecordKind, VarId};
use rustc_hash::FxHashMap;

const WHAT: &str = "a struct with a variable-length array, used in this way";

impl Cx<'_> {
    /// Whether the layout of a record with a member of variable length can be computed.
    pub(super) fn has_runtime_layout(&self, id: RecordId, placed: &[Placed]) -> bool {
        self.program.types.records[id].kind == RecordKind::Struct
            && placed.iter().all(|p| p.field.bits.is_none())
            && self.func.is_some()
            && self.prototypes == 0
    }
    /// Where it cannot, nobody can use the record.
    pub(super) fn no_runtime_layout(&mut self, placed: &mut [Placed], span: Span) {
        let name =
            "a variable-length array in a union, beside bit-fields or in a parameter's struct";
        self.unsupported(span, name);
        for p in placed {
            if self.types.is_vla(p.field.ty.ty) {
                let kind = CKind::Unsupported { size: 0, name };
                p.field.ty = QType::plain(self.types.intern(kind));
            }
        }
    }
    /// The layout of a struct of which some member has variable length.
    pub(super) fn complete_runtime(
        &mut self,
        id: RecordId,
        placed: Vec<Placed>,
        attrs: RecordAttrs,
        span: Span,
    ) {
        let mut end = self.word_expr(0, span);
        let mut offsets = Vec::new();
        let mut most = attrs.align.unwrap_or(1);
        let mut fields = Vec::new();
        let mut names: FxHashMap<Symbol, Vec<u32>> = FxHashMap::default();
        for p in placed {
            let align = layout::plain_align(&p.member, attrs);
            most = most.max(align);
            let start = self.rounded_up(end, align, span);
            let (var, value) = self.kept_size(start, span);
            offsets.push(var);
            let size = self.runtime_size(p.field.ty, span);
            end = self.binary(BinOp::Add, value, size);
            let number = fields.len() as u32;
            match (p.field.name, self.types.as_record(p.field.ty.ty)) {
                (Some(name), _) => {
                    names.insert(name, vec![number]);
                }
                (None, Some(inner)) => {
                    for (name, path) in self.types.records[inner].members.clone() {
                        let path = std::iter::once(number).chain(path).collect();
                        names.insert(name, path);
                    }
                }
                (None, None) => {}
            }
            fields.push(CField {
                align: Some(align),
                ..p.field
            });
        }
        let whole = self.rounded_up(end, most, span);
        let size = self.kept_size(whole, span).0;
        let record = &mut self.program.types.records[id];
        record.fields = Vec::new();
        record.size = 0;
        record.align = most;
        record.complete = true;
        let info = &mut self.types.records[id];
        info.fields = fields;
        info.members = names;
        info.runtime = Some(Runtime { size, offsets });
        info.complete = true;
    }
    /// The next multiple of an alignment.
    fn rounded_up(&mut self, e: Expr, align: u64, span: Span) -> Expr {
        if align <= 1 {
            return e;
        }
        let less = self.word_expr(align - 1, span);
        let mask = self.word_expr(!(align - 1) & self.types.target.most_address(), span);
        let more = self.binary(BinOp::Add, e, less);
        self.binary(BinOp::BitAnd, more, mask)
    }
    /// A size in a hidden variable of the function, which is set where the type is declared.
    fn kept_size(&mut self, value: Expr, span: Span) -> (VarId, Expr) {
        let ty = value.ty;
        let var = self.new_temp(ty, span);
        let place = self.var_place(var, ty, span);
        let assign = self.assign_expr(place, value, false);
        self.effects.push(assign);
        (var, self.var_value(var, span))
    }
    /// Whether it is a struct whose size is computed.
    pub(super) fn runtime_record(&self, ty: QType) -> Option<&Runtime> {
        let record = self.types.as_record(ty.ty)?;
        self.types.records[record].runtime.as_ref()
    }
    /// A member of such a struct.
    pub(super) fn runtime_field(&mut self, base: Operand, number: u32, span: Span) -> Operand {
        let record = self.types.as_record(base.ty.ty).expect("a record");
        let ty = self.types.records[record].fields[number as usize].ty;
        let ty = self.types.qualify(ty, base.ty.quals);
        let Some(runtime) = self.runtime_record(base.ty) else {
            return Operand::error(span);
        };
        let offset = runtime.offsets[number as usize];
        if base.category != Category::Place {
            self.unsupported(span, WHAT);
            return Operand::error(span);
        }
        let size = QType::plain(self.types.size_t());
        let offset = self.variable(offset, size, span);
        let offset = self.load(offset, false);
        let signed = self.types.ptrdiff_t();
        let signed = self.cwi(signed);
        let offset = self.cast(offset, signed);
        let chars = self.pointer_to(QType::plain(CTypes::CHAR));
        let chars = self.cwi(chars.ty);
        let start = self.addr_of(base.e, chars);
        let address = self.ptr_add(start, offset, Scale::Const(1));
        // An array of variable length is known by its first element.
        let element = match self.types.as_array(ty.ty) {
            Some((elem, _)) => elem,
            None => ty,
        };
        let pointer = self.pointer_to(element);
        let pointer = self.cwi(pointer.ty);
        let address = self.cast(address, pointer);
        let id = self.cwi(ty.ty);
        Operand::place(mk(id, ExprKind::Deref(Box::new(address)), span), ty)
    }
    /// `place = value` where both are such structs: their bytes are copied.
    pub(super) fn copy_runtime(&mut self, place: Operand, value: Operand, span: Span) -> Operand {
        let ty = place.ty;
        let same = self.types.as_record(ty.ty) == self.types.as_record(value.ty.ty);
        if !same || place.category != Category::Place || value.category != Category::Place {
            self.unsupported(span, WHAT);
            return Operand::error(span);
        }
        let to = self.address_op(place, span);
        let from = self.address_op(value, span);
        let size = self.runtime_size(ty, span);
        let size = Operand::value(size, QType::plain(self.types.size_t()));
        let call = self.call_proto("memmove", "ppqz", vec![to, from, size], span);
        let void = self.cast(call.e, cwolf_cwi::Types::VOID);
        Operand::value(void, QType::plain(CTypes::VOID))
    }
    /// A value of such a struct is nothing that can be passed on.
    pub(super) fn no_runtime_value(&mut self, span: Span) -> Operand {
        self.unsupported(span, WHAT);
        Operand::error(span)
    }
}
