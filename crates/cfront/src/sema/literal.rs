//! Constants as they are written: numbers, characters, strings, and compound literals.

use super::Cx;
use super::ctype::{CKind, CTy, CTypes, FloatKind, IntKind, Len, QType, Quals};
use super::fold::{Operand, mk};
use crate::ast::{CharKind, FloatSuffix, Initializer, IntLit, TypeName};
use crate::hir::ExprKind;
use crate::session::Standard;
use cwolf_base::Span;
use cwolf_cwi::{InitItem, InitValue, VarId, VarKind, value};

/// Why PowerPC's `long double` is refused.
pub(super) const PAIR_OF_DOUBLES: &str = "a long double that is a pair of doubles";

impl Cx<'_> {
    pub(super) fn int_literal(&mut self, lit: &IntLit, span: Span) -> Operand {
        use IntKind::*;
        if lit.imaginary {
            let real = IntLit {
                imaginary: false,
                ..*lit
            };
            let real = self.int_literal(&real, span);
            return self.imaginary(real, span);
        }
        if lit.bit_int {
            return self.bit_int_literal(lit, span);
        }
        let all = [Int, UInt, Long, ULong, LongLong, ULongLong];
        let fits = |kind: IntKind| {
            let ty = kind.int_ty(self.types.target);
            let max = value::max(ty) as u128;
            lit.value <= max
        };
        let allowed = |kind: &IntKind| {
            let signed = kind.int_ty(self.types.target).signed;
            let sign = match (lit.unsigned, lit.decimal) {
                (true, _) => !signed,
                (false, true) => signed,
                (false, false) => true,
            };
            sign && kind.rank() >= Int.rank() + lit.longs
        };
        let kind = all.into_iter().filter(allowed).find(|&k| fits(k));
        let kind = match kind {
            Some(kind) => kind,
            None if fits(ULongLong) => {
                self.warn(span, "the constant is so large that it is unsigned");
                ULongLong
            }
            None if fits(Int128) => Int128,
            None => UInt128,
        };
        let ty = CTypes::int_id(kind);
        let id = self.cwi(ty);
        let e = self.int_expr(id, lit.value as i128, span);
        Operand::value(e, QType::plain(ty))
    }
    pub(super) fn float_literal(&mut self, text: &str, suffix: FloatSuffix, span: Span) -> Operand {
        let kind = match suffix {
            FloatSuffix::None => FloatKind::Double,
            FloatSuffix::F => FloatKind::Float,
            // A constant has the digits that arithmetic has.
            FloatSuffix::F16 => FloatKind::Float16Excess,
            FloatSuffix::L => FloatKind::LongDouble,
            FloatSuffix::F32 => FloatKind::Float32,
            FloatSuffix::F64 => FloatKind::Float64,
            FloatSuffix::F32x => FloatKind::Float32x,
            FloatSuffix::F64x => FloatKind::Float64x,
            FloatSuffix::F128 => FloatKind::Float128,
            FloatSuffix::Unsupported => {
                self.unsupported(span, "decimal floating constants and those of '__bf16'");
                return Operand::error(span);
            }
        };
        if kind == FloatKind::LongDouble && self.types.target.long_double.is_none() {
            self.unsupported(span, PAIR_OF_DOUBLES);
            return Operand::error(span);
        }
        let ty = CTypes::float_id(kind);
        let id = self.cwi(ty);
        match value::float::parse(kind.float_ty(self.types.target), text) {
            Some(bits) => Operand::value(mk(id, ExprKind::Float(bits), span), QType::plain(ty)),
            None => {
                self.error(span, "this floating constant cannot be read");
                Operand::error(span)
            }
        }
    }
    fn bit_int_literal(&mut self, lit: &IntLit, span: Span) -> Operand {
        let bits = (128 - lit.value.leading_zeros() as u16).max(1) + u16::from(!lit.unsigned);
        if bits > 128 {
            self.error(span, "not supported: _BitInt wider than 128 bits");
            return Operand::error(span);
        }
        let signed = !lit.unsigned;
        let ty = self.types.intern(CKind::Wide { bits, signed });
        let id = self.cwi(ty);
        let e = self.int_expr(id, lit.value as i128, span);
        Operand::value(e, QType::plain(ty))
    }
    /// So many times the imaginary unit.
    pub(super) fn imaginary(&mut self, amount: Operand, span: Span) -> Operand {
        if amount.is_error() {
            return amount;
        }
        let zero = self.zero(amount.e.ty, span);
        self.complex(amount.ty.ty, zero, amount.e, span)
    }
    fn char_type(&self, kind: CharKind) -> CTy {
        match kind {
            CharKind::Plain | CharKind::Utf8 => CTypes::CHAR,
            CharKind::Utf16 => CTypes::int_id(IntKind::UShort),
            CharKind::Utf32 => self.types.int_of_bits(32, false),
            CharKind::Wide => self.types.wchar_t(),
        }
    }
    pub(super) fn char_literal(&mut self, value: i64, kind: CharKind, span: Span) -> Operand {
        let ty = match kind {
            CharKind::Plain => CTypes::INT,
            CharKind::Utf8 if self.session.options.standard >= Standard::C23 => CTypes::UCHAR,
            other => self.char_type(other),
        };
        let id = self.cwi(ty);
        let e = self.int_expr(id, value.into(), span);
        Operand::value(e, QType::plain(ty))
    }
    /// The type of a string's elements.
    pub(super) fn string_elem(&self, kind: CharKind) -> CTy {
        self.char_type(kind)
    }
    pub(super) fn string(&mut self, units: &[u32], kind: CharKind, span: Span) -> Operand {
        let elem = QType::plain(self.char_type(kind));
        let len = units.len() as u64 + 1;
        let ty = QType::plain(self.types.array(elem, Len::Known(len)));
        let id = self.cwi(ty.ty);
        let var = self.string_var(units, elem.ty, len, span);
        Operand::place(self.var_place(var, id, span), ty)
    }
    /// A constant array of `len` elements that starts with `units`; equal ones are shared.
    pub(super) fn string_var(&mut self, units: &[u32], elem: CTy, len: u64, span: Span) -> VarId {
        let array = self.types.array(QType::plain(elem), Len::Known(len));
        let id = self.cwi(array);
        let units = &units[..units.len().min(len as usize)];
        let key = (id, units.to_vec());
        if let Some(&var) = self.strings.get(&key) {
            return var;
        }
        let name = format!("str#{}", self.literals);
        self.literals += 1;
        let var = self.new_var(name, id, VarKind::Literal, span);
        let mut init = Vec::new();
        self.string_items(units, elem, len, 0, &mut init);
        let info = &mut self.program.vars[var];
        info.constant = true;
        info.init = init;
        self.strings.insert(key, var);
        var
    }
    /// The contents of an array of `len` elements that starts with a string, at `bit_offset`.
    pub(super) fn string_items(
        &mut self,
        units: &[u32],
        elem: CTy,
        len: u64,
        bit_offset: u64,
        out: &mut Vec<InitItem>,
    ) {
        let id = self.cwi(elem);
        let int = self.types.int_ty(elem).expect("characters are integers");
        if int.bits == 8 {
            let mut bytes: Vec<u8> = units.iter().map(|&u| u as u8).collect();
            bytes.truncate(len as usize);
            if (bytes.len() as u64) < len {
                bytes.push(0);
            }
            let ty = self.program.types.array(id, bytes.len() as u64);
            out.push(InitItem {
                bit_offset,
                ty,
                value: InitValue::Bytes(bytes),
            });
            return;
        }
        for (n, &unit) in units.iter().take(len as usize).enumerate() {
            if unit != 0 {
                out.push(InitItem {
                    bit_offset: bit_offset + n as u64 * u64::from(int.bits),
                    ty: id,
                    value: InitValue::Int(value::wrap(int, unit.into())),
                });
            }
        }
    }
    /// `__func__`
    pub(super) fn func_name(&mut self, span: Span) -> Operand {
        let name = match &self.func {
            Some(func) => self.text(func.name).to_owned(),
            None => {
                self.warn(span, "'__func__' is not defined outside functions");
                String::new()
            }
        };
        let units: Vec<u32> = name.bytes().map(u32::from).collect();
        let mut operand = self.string(&units, CharKind::Plain, span);
        operand.ty = self.types.qualify(operand.ty, Quals::CONST);
        operand
    }
    /// `(type){ … }`
    pub(super) fn compound_literal(
        &mut self,
        ty: &TypeName,
        init: &Initializer,
        span: Span,
    ) -> Operand {
        let (ty, effects) = self.type_with_effects(ty);
        if self.types.is_error(ty.ty) {
            return Operand::error(span);
        }
        if let Some(what) = self.types.unsupported(ty.ty) {
            self.unsupported(span, what);
            return Operand::error(span);
        }
        // Only the length of an array may be left to the initialiser.
        let object = match self.types.as_array(ty.ty) {
            Some((elem, _)) => elem.ty,
            None => ty.ty,
        };
        if self.types.is_vla(ty.ty) || !self.types.is_complete(object) {
            let shown = self.show(ty);
            self.error(span, format!("a compound literal cannot have type {shown}"));
            return Operand::error(span);
        }
        let name = format!("compound#{}", self.literals);
        self.literals += 1;
        let id = self.cwi(ty.ty);
        let operand = match self.func.as_ref().map(|f| f.id) {
            Some(func) => {
                let var = self.new_var(name, id, VarKind::Local(func), span);
                let (ty, init) = self.local_init(ty, init);
                let id = self.cwi(ty.ty);
                self.program.vars[var].ty = id;
                self.program.vars[var].constant = self.innermost_quals(ty).has(Quals::CONST);
                let kind = ExprKind::Compound(var, Box::new(init));
                Operand::place(mk(id, kind, span), ty)
            }
            None => {
                let var = self.new_var(name, id, VarKind::Global, span);
                let ty = self.static_init(ty, init, var);
                self.program.vars[var].constant = self.innermost_quals(ty).has(Quals::CONST);
                let id = self.program.vars[var].ty;
                Operand::place(self.var_place(var, id, span), ty)
            }
        };
        if effects.is_empty() {
            return operand;
        }
        let ty = operand.ty;
        let pointer = self.pointer_to(ty);
        let pointer = self.cwi(pointer.ty);
        let address = self.addr_of(operand.e, pointer);
        let address = self.with_effects(effects, Operand::value(address, ty));
        let id = self.cwi(ty.ty);
        Operand::place(self.deref(address.e, id), ty)
    }
}
