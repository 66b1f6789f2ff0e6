//! Expressions: names, members, and the forms that are about types more than values.

use super::Cx;
use super::ctype::{CTypes, QType};
use super::fold::{Category, Operand, is_pure, mk};
use super::scope::{self, EntityId, EntityKind};
use crate::ast::{self, Designator, Ident, TypeName};
use crate::hir::{Expr, ExprKind};
use cwolf_base::{Diagnostic, Span, Symbol};
use cwolf_cwi::BinOp;

impl Cx<'_> {
    /// Analyses an expression.
    pub(super) fn expr(&mut self, e: &ast::Expr) -> Operand {
        use ast::ExprKind as K;
        let span = e.span;
        match &e.kind {
            K::Name(name) => self.name(*name, span),
            K::Int(lit) => self.int_literal(lit, span),
            K::Float {
                text,
                suffix,
                imaginary,
            } => {
                let real = self.float_literal(text, *suffix, span);
                match imaginary {
                    true => self.imaginary(real, span),
                    false => real,
                }
            }
            K::Char(value, kind) => self.char_literal(*value, *kind, span),
            K::Str(units, kind) => self.string(units, *kind, span),
            K::FuncName => self.func_name(span),
            K::Bool(value) => {
                let ty = QType::plain(CTypes::BOOL);
                let e = mk(cwolf_cwi::Types::BOOL, ExprKind::Int((*value).into()), span);
                Operand::value(e, ty)
            }
            K::Nullptr => {
                let ty = self.cwi(CTypes::NULLPTR);
                Operand::value(
                    mk(ty, ExprKind::Int(0), span),
                    QType::plain(CTypes::NULLPTR),
                )
            }
            K::Paren(inner) => self.expr(inner),
            K::Generic {
                control,
                associations,
            } => self.generic(control, associations, span),
            K::Index(base, index) => self.index(base, index, span),
            K::Call(callee, args) => self.call(callee, args, span),
            K::Member { base, name, arrow } => {
                let base = self.expr(base);
                self.member_expr(base, *name, *arrow, span)
            }
            K::IncDec {
                operand,
                increment,
                prefix,
            } => self.inc_dec(operand, *increment, *prefix, span),
            K::CompoundLiteral(ty, init) => self.compound_literal(ty, init, span),
            K::Unary(op, inner) => self.unary_expr(*op, inner, span),
            K::SizeofExpr(inner) => {
                self.unevaluated += 1;
                let operand = self.expr(inner);
                self.unevaluated -= 1;
                if operand.is_bit_field() {
                    self.error(inner.span, "'sizeof' does not apply to a bit-field");
                }
                let own = self.types.without_excess(operand.ty.ty);
                self.sizeof(
                    QType {
                        ty: own,
                        ..operand.ty
                    },
                    span,
                )
            }
            K::SizeofType(ty) => {
                let (ty, effects) = self.type_with_effects(ty);
                let size = self.sizeof(ty, span);
                self.with_effects(effects, size)
            }
            K::AlignofType(ty) => {
                let (ty, _) = self.type_with_effects(ty);
                // `_Alignof` is what the ABI says, `__alignof__` what gcc prefers.
                let standard = !self.session.sources.text(span).starts_with("__");
                self.alignof(ty, standard, span)
            }
            K::AlignofExpr(inner) => {
                self.unevaluated += 1;
                let operand = self.expr(inner);
                self.unevaluated -= 1;
                match (&operand.e.kind, operand.is_error()) {
                    (ExprKind::Var(var), false) => {
                        let (align, natural) =
                            (self.program.vars[*var].align, self.align_of(operand.ty));
                        if align != natural {
                            return self.size_operand(align, span);
                        }
                        self.alignof(operand.ty, false, span)
                    }
                    (ExprKind::Field(base, number), false) => {
                        let record = self.program.types.as_record(base.ty);
                        let field =
                            record.and_then(|r| self.types.records[r].fields.get(*number as usize));
                        match field.and_then(|f| f.align) {
                            Some(align) => self.size_operand(align, span),
                            None => self.alignof(operand.ty, false, span),
                        }
                    }
                    _ => self.alignof(operand.ty, false, span),
                }
            }
            K::Cast(ty, inner) => self.cast_expr(ty, inner, span),
            K::Binary(op @ (BinOp::And | BinOp::Or), a, b) => {
                let a = self.condition(a);
                let b = self.condition(b);
                let e = self.logical(*op == BinOp::And, a, b);
                self.int_truth(e)
            }
            K::Binary(op, a, b) => {
                let a = self.expr(a);
                let b = self.expr(b);
                let mut result = self.binary_op(*op, a, b, span);
                result.e.span = span;
                result
            }
            K::Assign(op, place, value) => self.assign(*op, place, value, span),
            K::Conditional(c, a, b) => self.conditional(c, a.as_deref(), b, span),
            K::Comma(a, b) => {
                let a = self.expr_for_effect(a);
                let b = self.expr(b);
                let b = self.rvalue(b);
                let e = self.comma(a, b.e);
                Operand::value(e, b.ty)
            }
            K::StmtExpr(block) => self.stmt_expr(block, span),
            K::LabelAddr(label) => self.label_address(*label, span),
            K::Offsetof(ty, designators) => self.offsetof(ty, designators, span),
            K::TypesCompatible(a, b) => {
                let (a, _) = self.type_with_effects(a);
                let (b, _) = self.type_with_effects(b);
                let same = self.types.compatible(a.ty, b.ty);
                self.int_operand(same.into(), span)
            }
            K::ChooseExpr(c, a, b) => {
                match self.int_constant(c, "the first argument of __builtin_choose_expr") {
                    Some((0, _)) => self.expr(b),
                    Some(_) => self.expr(a),
                    None => Operand::error(span),
                }
            }
            K::VaArg(list, ty) => self.va_arg(list, ty, span),
            K::ConvertVector(value, ty) => self.convert_vector(value, ty, span),
        }
    }
    /// An expression whose value is dropped.
    pub(super) fn expr_for_effect(&mut self, e: &ast::Expr) -> Expr {
        let operand = self.expr(e);
        self.for_effect(operand)
    }
    pub(super) fn for_effect(&mut self, operand: Operand) -> Expr {
        // An array or function by itself does nothing, but finding it may: `*next()`. A volatile place is read.
        if self.types.as_array(operand.ty.ty).is_some() || self.types.is_void(operand.ty.ty) {
            if operand.category == Category::Value {
                return operand.e;
            }
            if is_pure(&operand.e) {
                return mk(cwolf_cwi::Types::INT, ExprKind::Int(0), operand.e.span);
            }
            if let ExprKind::Deref(pointer) = operand.e.kind {
                return *pointer;
            }
            let address = self.program.types.pointer(operand.e.ty);
            let span = operand.e.span;
            return mk(address, ExprKind::AddrOf(Box::new(operand.e)), span);
        }
        self.rvalue(operand).e
    }
    fn name(&mut self, name: Symbol, span: Span) -> Operand {
        let Some(id) = self.scopes.lookup(name) else {
            return self.undeclared(name, span);
        };
        self.entity(id, span)
    }

    /// What a name means where a value is wanted.
    pub(super) fn entity(&mut self, id: EntityId, span: Span) -> Operand {
        let entity = &self.entities[id];
        let name = entity.name;
        let ty = entity.ty;
        if self.unevaluated == 0
            && let Some(what) = self.types.unsupported(ty.ty)
        {
            self.unsupported(span, what);
            return Operand::error(span);
        }
        match entity.kind {
            EntityKind::Typedef => {
                let message = format!("'{}' is a type, not a value", self.text(name));
                self.error(span, message);
                Operand::error(span)
            }
            EntityKind::EnumConst(value) => {
                let id = self.cwi(ty.ty);
                Operand::value(self.int_expr(id, value, span), ty)
            }
            EntityKind::Object(_) => {
                let var = self.use_object(id);
                let id = self.cwi(ty.ty);
                Operand::place(self.var_place(var, id, span), ty)
            }
            EntityKind::Function(_) => {
                let func = self.use_function(id);
                let pointer = self.pointer_to(ty);
                let id = self.cwi(pointer.ty);
                Operand::value(mk(id, ExprKind::FuncAddr(func), span), ty)
            }
            EntityKind::Unbound => {
                let id = self.cwi(ty.ty);
                Operand::place(mk(id, ExprKind::Choose, span), ty)
            }
            EntityKind::Nested(id) => self.nested_address(id, span),
            EntityKind::Local(var) => Operand::place(self.variable(var, ty, span), ty),
            EntityKind::Vla(pointer) => {
                let id = self.cwi(ty.ty);
                let own = self.vla_pointer(ty);
                let place = self.variable(pointer, own, span);
                let ptr = self.load(place, false);
                Operand::place(mk(id, ExprKind::Deref(Box::new(ptr)), span), ty)
            }
        }
    }
    /// Reports a name that means nothing, once.
    fn undeclared(&mut self, name: Symbol, span: Span) -> Operand {
        let text = self.session.names.shared(name);
        let mut d = Diagnostic::error(span, format!("'{text}' is not declared"));
        let visible = self.scopes.visible();
        let names = visible
            .filter(|(_, id)| !matches!(self.entities[*id].kind, EntityKind::Typedef))
            .map(|(name, _)| self.session.names.text(name));
        if let Some(near) = scope::nearest(&text, names) {
            d = d.hint(format!("did you mean '{near}'?"));
        }
        self.error_with(d);
        // From here on it has the type `Error`, so that each name is reported once a function.
        let entity = scope::Entity {
            name,
            ty: QType::plain(CTypes::ERROR),
            span,
            kind: EntityKind::Unbound,
        };
        if self.func.is_some() {
            let id = self.entities.push(entity);
            self.scopes.bind(name, id);
        }
        Operand::error(span)
    }
    fn generic(
        &mut self,
        control: &ast::Expr,
        associations: &[(Option<TypeName>, ast::Expr)],
        span: Span,
    ) -> Operand {
        self.unevaluated += 1;
        let control = self.expr(control);
        let control = self.rvalue(control);
        let control = self.drop_excess(control);
        self.unevaluated -= 1;
        let mut chosen = None;
        let mut default = None;
        for (ty, value) in associations {
            match ty {
                None => default = Some(value),
                Some(ty) => {
                    let (ty, _) = self.type_with_effects(ty);
                    let same = ty.quals.is_empty() && self.types.compatible(ty.ty, control.ty.ty);
                    if same && chosen.is_none() {
                        chosen = Some(value);
                    }
                }
            }
        }
        match chosen.or(default) {
            Some(value) => self.expr(value),
            None if control.is_error() => control,
            None => {
                let shown = self.show(control.ty);
                self.error(
                    span,
                    format!("no association of '_Generic' fits the type {shown}"),
                );
                Operand::error(span)
            }
        }
    }
    /// A type, and the assignments to hidden array sizes that must come before its use.
    pub(super) fn type_with_effects(&mut self, ty: &TypeName) -> (QType, Vec<Expr>) {
        let outer = std::mem::take(&mut self.effects);
        let ty = self.type_name(ty);
        (ty, std::mem::replace(&mut self.effects, outer))
    }
    pub(super) fn with_effects(&mut self, effects: Vec<Expr>, operand: Operand) -> Operand {
        let mut operand = operand;
        for effect in effects.into_iter().rev() {
            operand.e = self.comma(effect, operand.e);
        }
        operand
    }
    fn sizeof(&mut self, ty: QType, span: Span) -> Operand {
        if self.types.is_error(ty.ty) {
            return Operand::error(span);
        }
        if self.types.is_vla(ty.ty) {
            let size = self.runtime_size(ty, span);
            return Operand::value(size, QType::plain(self.types.size_t()));
        }
        match self.size_of(ty.ty) {
            Some(size) => self.size_operand(size, span),
            None => {
                let shown = self.show(ty);
                self.error(
                    span,
                    format!("the size of the incomplete type {shown} is not known"),
                );
                Operand::error(span)
            }
        }
    }
    /// The size in bytes of any complete type, as an unsigned word.
    pub(super) fn runtime_size(&mut self, ty: QType, span: Span) -> Expr {
        match self.types.as_array(ty.ty) {
            Some((elem, len)) if self.types.is_vla(ty.ty) => {
                let elem = self.runtime_size(elem, span);
                let count = self.length(len, span);
                let count = count.unwrap_or_else(|| mk(elem.ty, ExprKind::Choose, span));
                self.binary(BinOp::Mul, count, elem)
            }
            _ => {
                if let Some(runtime) = self.runtime_record(ty) {
                    let var = runtime.size;
                    let size = QType::plain(self.types.size_t());
                    let place = self.variable(var, size, span);
                    return self.load(place, false);
                }
                let size = self.size_of(ty.ty).unwrap_or(1);
                self.word_expr(size, span)
            }
        }
    }
    fn alignof(&mut self, ty: QType, standard: bool, span: Span) -> Operand {
        if self.types.is_error(ty.ty) {
            return Operand::error(span);
        }
        let mut inner = ty;
        while let Some((elem, _)) = self.types.as_array(inner.ty)
            && inner.user_align().is_none()
        {
            inner = elem;
        }
        if self.types.as_record(inner.ty).is_some() && !self.types.is_complete(inner.ty) {
            let shown = self.show(ty);
            self.error(
                span,
                format!("the alignment of the incomplete type {shown} is not known"),
            );
            return Operand::error(span);
        }
        let mut align = self.align_of(ty);
        // On i386, 8-byte numbers prefer an alignment that records do not give them.
        if self.types.target.most_align < 8
            && !standard
            && inner.user_align().is_none()
            && self.types.is_arithmetic(inner.ty)
            && self.size_of(inner.ty) == Some(8)
        {
            align = 8;
        }
        self.size_operand(align, span)
    }
    fn offsetof(&mut self, ty: &TypeName, designators: &[Designator], span: Span) -> Operand {
        let (ty, _) = self.type_with_effects(ty);
        if self.types.is_error(ty.ty) {
            return Operand::error(span);
        }
        let pointer = self.pointer_to(ty);
        let pointer = self.cwi(pointer.ty);
        let id = self.cwi(ty.ty);
        let null = mk(pointer, ExprKind::Int(0), span);
        let mut place = Operand::place(mk(id, ExprKind::Deref(Box::new(null)), span), ty);
        for designator in designators {
            place = match designator {
                Designator::Field(name) => self.member_expr(place, *name, false, span),
                Designator::Index(index) | Designator::Range(index, _) => {
                    let index = self.expr(index);
                    self.index_op(place, index, span)
                }
            };
            if place.is_error() {
                return place;
            }
        }
        if place.is_bit_field() {
            self.error(span, "a bit-field has no offset in bytes");
            return Operand::error(span);
        }
        let pointer = self.pointer_to(place.ty);
        let pointer = self.cwi(pointer.ty);
        let address = self.addr_of(place.e, pointer);
        let size_t = self.types.size_t();
        let word = self.cwi(size_t);
        Operand::value(self.cast(address, word), QType::plain(size_t))
    }
    /// `base.name` or `base->name`.
    pub(super) fn member_expr(
        &mut self,
        base: Operand,
        name: Ident,
        arrow: bool,
        span: Span,
    ) -> Operand {
        let base = if arrow {
            let pointer = self.rvalue(base);
            if pointer.is_error() {
                return pointer;
            }
            match self.types.pointee(pointer.ty.ty) {
                Some(to) => {
                    let id = self.cwi(to.ty);
                    Operand::place(self.deref(pointer.e, id), to)
                }
                None => {
                    let shown = self.show(pointer.ty);
                    let mut d =
                        Diagnostic::error(span, format!("'->' needs a pointer, not {shown}"));
                    if self.types.as_record(pointer.ty.ty).is_some() {
                        d = d.hint("use '.' to reach a member of a record");
                    }
                    self.error_with(d);
                    return Operand::error(span);
                }
            }
        } else {
            base
        };
        if base.is_error() {
            return base;
        }
        let Some(record) = self.types.as_record(base.ty.ty) else {
            let shown = self.show(base.ty);
            let text = format!(
                "'{}' asks for a member, but {shown} is not a struct or union",
                self.text(name.name)
            );
            let mut d = Diagnostic::error(span, text);
            let to = self.types.pointee(base.ty.ty);
            if to.is_some_and(|to| self.types.as_record(to.ty).is_some()) {
                d = d.hint("use '->' to reach a member through a pointer");
            }
            self.error_with(d);
            return Operand::error(span);
        };
        if let Some(what) = self.types.records[record].foreign {
            self.unsupported(span, what);
            return Operand::error(span);
        }
        let Some(path) = self.types.records[record].members.get(&name.name).cloned() else {
            self.no_member(record, base.ty, name);
            return Operand::error(span);
        };
        let mut operand = base;
        for number in path {
            operand = self.field_of(operand, number, span);
        }
        operand
    }
    /// The field with the given number of a record operand.
    pub(super) fn field_of(&mut self, base: Operand, number: u32, span: Span) -> Operand {
        if self.runtime_record(base.ty).is_some() {
            return self.runtime_field(base, number, span);
        }
        let record = self.types.as_record(base.ty.ty).expect("a record");
        let field = &self.types.records[record].fields[number as usize];
        let (ty, bits) = (field.ty, field.bits);
        let ty = self.types.qualify(ty, base.ty.quals);
        let id = self.program.types.records[record].fields[number as usize].ty;
        let category = match base.category {
            Category::Place => Category::Place,
            _ => Category::Part,
        };
        let base_e = match base.e.kind {
            // A record value that was just loaded is a place after all.
            ExprKind::Load(place, _) => *place,
            kind => mk(base.e.ty, kind, base.e.span),
        };
        Operand {
            e: mk(id, ExprKind::Field(Box::new(base_e), number), span),
            ty,
            category,
            bits,
        }
    }
    fn no_member(&mut self, record: cwolf_cwi::RecordId, ty: QType, name: Ident) {
        let shown = self.show(ty);
        let text = self.session.names.shared(name.name);
        let info = &self.types.records[record];
        let mut d = if info.complete {
            Diagnostic::error(name.span, format!("{shown} has no member '{text}'"))
        } else {
            Diagnostic::error(
                name.span,
                format!("{shown} is incomplete, so it has no members yet"),
            )
            .related(info.span, "only declared here")
        };
        let members = info.members.keys().map(|n| self.session.names.text(*n));
        if let Some(near) = scope::nearest(&text, members) {
            d = d.hint(format!("did you mean '{near}'?"));
        }
        self.error_with(d);
    }
}
