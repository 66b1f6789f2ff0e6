//! Specifiers: what stands before a declarator, read as a type.

use super::Cx;
use super::attr::Attrs;
use super::ctype::{CFunc, CKind, CTy, CTypes, FloatKind, IntKind, Len, QType, Quals};
use super::literal::PAIR_OF_DOUBLES;
use super::scope::EntityKind;
use crate::ast::{self, AlignAs, Basic, Specifiers, TypeSpecKind};
use crate::session::Standard;
use cwolf_base::Span;
use cwolf_cwi::VaList;
use std::rc::Rc;

/// What the specifiers of a declaration say.
#[derive(Clone, Debug)]
pub(super) struct Base {
    pub ty: QType,
    /// The type is to be taken from the initialiser.
    pub auto: bool,
    pub attrs: Attrs,
    /// `_Alignas`
    pub align: Option<u64>,
}

impl Cx<'_> {
    /// Reads specifiers. `alone` says that no declarator follows, so that `struct s;` declares
    /// a new tag.
    pub(super) fn specifiers(&mut self, specs: &Specifiers, alone: bool) -> Base {
        let attrs = self.attributes(&[&specs.attributes]);
        let mut auto = false;
        let ty = match &specs.ty {
            None => {
                if self.session.options.standard > Standard::C89 {
                    self.warn(specs.span, "the type defaults to 'int'");
                }
                QType::plain(CTypes::INT)
            }
            Some(spec) => match &spec.kind {
                TypeSpecKind::Basic(basic) => self.basic(*basic),
                TypeSpecKind::Complex(basic) => {
                    let part = self.basic(*basic);
                    QType::plain(self.types.intern(CKind::Complex(part.ty)))
                }
                TypeSpecKind::Typedef(name) => self.typedef_name(*name, spec.span),
                TypeSpecKind::Record(record) => {
                    QType::plain(self.record_spec(record, spec.span, alone))
                }
                TypeSpecKind::Enum(spec_enum) => {
                    QType::plain(self.enum_spec(spec_enum, spec.span, alone))
                }
                TypeSpecKind::TypeofExpr(e, unqualified) => self.typeof_expr(e, *unqualified),
                TypeSpecKind::TypeofType(ty, unqualified) => {
                    let ty = self.type_name(ty);
                    if *unqualified { ty.unqualified() } else { ty }
                }
                TypeSpecKind::Auto => {
                    auto = true;
                    QType::plain(CTypes::INT)
                }
                TypeSpecKind::Atomic(ty) => {
                    let ty = self.type_name(ty);
                    self.types.qualify(ty, Quals::ATOMIC)
                }
                TypeSpecKind::BitInt(width, unsigned) => self.bit_int(width, *unsigned),
            },
        };
        let ty = self.types.qualify(ty, Quals::from_ast(specs.quals));
        if ty.quals.has(Quals::ATOMIC) && !self.session.sources.is_system(specs.span.lo) {
            let text = "_Atomic is treated as an ordinary type: accesses are not indivisible";
            self.note(specs.span, text.into());
        }
        let ty = self.apply_mode(ty, &attrs, specs.span);
        let mut align = None;
        for as_align in &specs.aligns {
            let n = match as_align {
                AlignAs::Type(ty) => {
                    let ty = self.type_name(ty);
                    Some(i128::from(self.align_of(ty)))
                }
                AlignAs::Expr(e) => self.int_constant(e, "an alignment").map(|(v, _)| v),
            };
            // `_Alignas(0)` has no effect.
            if n != Some(0) {
                align = align.max(self.checked_align(n, specs.span));
            }
        }
        Base {
            ty,
            auto,
            attrs,
            align,
        }
    }
    fn basic(&mut self, basic: Basic) -> QType {
        let int = CTypes::int_id;
        let float = CTypes::float_id;
        let long_double = self.types.target.long_double;
        let mut unsupported =
            |size, name| self.sema.types.intern(CKind::Unsupported { size, name });
        let ty: CTy = match basic {
            Basic::Void => CTypes::VOID,
            Basic::Bool => CTypes::BOOL,
            Basic::Char => int(IntKind::Char),
            Basic::SChar => int(IntKind::SChar),
            Basic::UChar => int(IntKind::UChar),
            Basic::Short => int(IntKind::Short),
            Basic::UShort => int(IntKind::UShort),
            Basic::Int => int(IntKind::Int),
            Basic::UInt => int(IntKind::UInt),
            Basic::Long => int(IntKind::Long),
            Basic::ULong => int(IntKind::ULong),
            Basic::LongLong => int(IntKind::LongLong),
            Basic::ULongLong => int(IntKind::ULongLong),
            Basic::Int128 => int(IntKind::Int128),
            Basic::UInt128 => int(IntKind::UInt128),
            Basic::Half => unsupported(2, "the floating types '__fp16' and '__bf16'"),
            Basic::Float16 => float(FloatKind::Float16),
            Basic::Float => float(FloatKind::Float),
            Basic::Double => float(FloatKind::Double),
            Basic::LongDouble if long_double.is_none() => unsupported(16, PAIR_OF_DOUBLES),
            Basic::LongDouble => float(FloatKind::LongDouble),
            Basic::Float32 => float(FloatKind::Float32),
            Basic::Float64 => float(FloatKind::Float64),
            Basic::Float32x => float(FloatKind::Float32x),
            Basic::Float64x => float(FloatKind::Float64x),
            Basic::Float128 => float(FloatKind::Float128),
            Basic::Decimal => unsupported(8, "a decimal float"),
            Basic::VaList => return self.va_list_type(),
        };
        QType::plain(ty)
    }
    fn typedef_name(&mut self, name: cwolf_base::Symbol, span: Span) -> QType {
        match self.scopes.lookup(name) {
            Some(id) if matches!(self.entities[id].kind, EntityKind::Typedef) => {
                self.entities[id].ty
            }
            _ => {
                let message = format!("'{}' is not the name of a type", self.text(name));
                self.error(span, message);
                QType::plain(CTypes::ERROR)
            }
        }
    }
    fn typeof_expr(&mut self, e: &ast::Expr, unqualified: bool) -> QType {
        self.unevaluated += 1;
        let operand = self.expr(e);
        self.unevaluated -= 1;
        if operand.is_bit_field() {
            self.error(e.span, "'typeof' does not apply to a bit-field");
        }
        let ty = QType {
            ty: self.types.without_excess(operand.ty.ty),
            ..operand.ty
        };
        if unqualified {
            ty.unqualified()
        } else {
            QType {
                quals: ty.quals.without(Quals::ATOMIC),
                ..ty
            }
        }
    }
    fn bit_int(&mut self, width: &ast::Expr, unsigned: bool) -> QType {
        let Some((bits, _)) = self.int_constant(width, "the width of _BitInt") else {
            return QType::plain(CTypes::ERROR);
        };
        let least = if unsigned { 1 } else { 2 };
        if bits < least {
            self.error(width.span, "the width of _BitInt is too small");
            return QType::plain(CTypes::ERROR);
        }
        let kind = if bits <= 128 {
            CKind::Wide {
                bits: bits as u16,
                signed: !unsigned,
            }
        } else {
            CKind::Unsupported {
                size: 32,
                name: "_BitInt wider than 128 bits",
            }
        };
        QType::plain(self.types.intern(kind))
    }
    /// A type by itself, as in a cast; sizes of variable-length arrays in it go to `effects`.
    pub(super) fn type_name(&mut self, name: &ast::TypeName) -> QType {
        let base = self.specifiers(&name.specs, false);
        if base.auto {
            self.error(name.span, "'__auto_type' needs an initialiser");
        }
        let ty = base.ty.aligned(base.attrs.aligned);
        self.declarator(ty, &name.declarator)
    }
    /// `__builtin_va_list`: the ABI's record, or a plain pointer.
    pub(super) fn va_list_type(&mut self) -> QType {
        if let Some(ty) = self.va_list {
            return ty;
        }
        let ty = match self.types.target.va_list {
            VaList::Pointer => self.types.pointer(QType::plain(CTypes::CHAR)),
            VaList::X86 | VaList::Aarch64 => {
                let tag = self.va_list_record();
                self.types.array(QType::plain(tag), Len::Known(1))
            }
        };
        self.va_list = Some(QType::plain(ty));
        QType::plain(ty)
    }
    /// A function type.
    pub(super) fn func_type(&mut self, ret: QType, params: Vec<QType>, variadic: bool) -> CTy {
        self.types.intern(CKind::Func(Rc::new(CFunc {
            ret,
            params,
            variadic,
            prototype: true,
        })))
    }
}
