//! Attributes: those that change meaning are read here, all others are ignored as gcc ignores
//! what it does not know.

use super::Cx;
use super::ctype::{CTypes, FloatKind, QType};
use crate::ast::{self, Attribute, AttributeArg};
use cwolf_base::Span;
use cwolf_cwi::Startup;

/// The attributes of one declaration that matter.
#[derive(Clone, Debug, Default)]
pub(super) struct Attrs {
    pub packed: bool,
    pub aligned: Option<u64>,
    pub mode: Option<Mode>,
    pub vector: Option<u64>,
    pub noreturn: bool,
    pub weak: bool,
    /// Only another name here for what `alias` names, and that weakly.
    pub weakref: bool,
    pub gnu_inline: bool,
    pub transparent_union: bool,
    /// What makes a record another one than is understood here.
    pub strange_record: Option<&'static str>,
    pub alias: Option<String>,
    pub cleanup: Option<ast::Ident>,
    /// The priority, if it runs before `main`.
    pub constructor: Option<u16>,
    /// The priority, if it runs after `main`.
    pub destructor: Option<u16>,
}

/// What `mode` asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    Int(u16),
    Float(FloatKind),
    Complex(FloatKind),
    /// A vector of integers of so many bits, or of floats.
    Vector {
        bits: u16,
        float: Option<FloatKind>,
        len: u64,
    },
}

impl Attrs {
    fn align_to(&mut self, align: u64) {
        self.aligned = Some(self.aligned.map_or(align, |old| old.max(align)));
    }
}

impl Cx<'_> {
    /// Reads several lists of attributes as one.
    pub(super) fn attributes(&mut self, lists: &[&[Attribute]]) -> Attrs {
        let mut attrs = Attrs::default();
        for attribute in lists.iter().copied().flatten() {
            self.attribute(attribute, &mut attrs);
        }
        attrs
    }
    fn attribute(&mut self, attribute: &Attribute, attrs: &mut Attrs) {
        let name = self.session.names.shared(attribute.name);
        match &*name {
            "packed" => attrs.packed = true,
            "aligned" | "warn_if_not_aligned" => {
                let align = match attribute.args.first() {
                    Some(arg) => self.attribute_int(arg, "alignment"),
                    // The largest alignment that any type of x86 has.
                    None => Some(16),
                };
                if &*name == "aligned"
                    && let Some(align) = self.checked_align(align, attribute.span)
                {
                    attrs.align_to(align);
                }
            }
            "mode" => attrs.mode = self.mode(attribute),
            "vector_size" => {
                let arg = attribute.args.first();
                let size = arg.and_then(|a| self.attribute_int(a, "vector size"));
                attrs.vector = Some(size.map_or(16, |n| n.clamp(1, 1 << 20) as u64));
            }
            "noreturn" => attrs.noreturn = true,
            "weak" | "weakref" => {
                attrs.weak = true;
                attrs.weakref |= &*name == "weakref";
                if let Some(target) = string_arg(attribute) {
                    attrs.alias = Some(target);
                }
            }
            "alias" => attrs.alias = string_arg(attribute),
            "gnu_inline" => attrs.gnu_inline = true,
            "transparent_union" => attrs.transparent_union = true,
            "scalar_storage_order" => {
                let native = match self.types.target.is_big() {
                    true => "big-endian",
                    false => "little-endian",
                };
                if string_arg(attribute).is_some_and(|order| order != native) {
                    attrs.strange_record =
                        Some("a record whose numbers have the other order of bytes");
                }
            }
            "ms_struct" => attrs.strange_record = Some("a record laid out as by another compiler"),
            "cleanup" => {
                if let Some(AttributeArg::Name(name)) = attribute.args.first() {
                    attrs.cleanup = Some(*name);
                } else if let Some(AttributeArg::Expr(e)) = attribute.args.first()
                    && let ast::ExprKind::Name(name) = e.kind
                {
                    attrs.cleanup = Some(ast::Ident { name, span: e.span });
                }
            }
            "constructor" => attrs.constructor = self.priority(attribute),
            "destructor" => attrs.destructor = self.priority(attribute),
            _ => {}
        }
    }
    /// When a constructor or destructor runs among its like.
    fn priority(&mut self, attribute: &Attribute) -> Option<u16> {
        let Some(arg) = attribute.args.first() else {
            return Some(Startup::LAST);
        };
        let given = self.attribute_int(arg, "a priority")?;
        let priority = u16::try_from(given).ok();
        if priority.is_none() {
            self.error(attribute.span, "a priority is a number from 0 to 65535");
        }
        priority
    }
    fn attribute_int(&mut self, arg: &AttributeArg, what: &str) -> Option<i128> {
        match arg {
            AttributeArg::Expr(e) => self.int_constant(e, what).map(|(v, _)| v),
            AttributeArg::Name(name) => {
                let e = ast::Expr {
                    kind: ast::ExprKind::Name(name.name),
                    span: name.span,
                };
                self.int_constant(&e, what).map(|(v, _)| v)
            }
            AttributeArg::Type(ty) => {
                let ty = self.type_name(ty);
                Some(i128::from(self.align_of(ty)))
            }
        }
    }
    /// The alignment, if it is one.
    pub(super) fn checked_align(&mut self, align: Option<i128>, span: Span) -> Option<u64> {
        let align = align?;
        if align <= 0 || align > 1 << 28 || !(align as u64).is_power_of_two() {
            self.error(span, "an alignment must be a positive power of two");
            return None;
        }
        Some(align as u64)
    }
    fn mode(&mut self, attribute: &Attribute) -> Option<Mode> {
        let name = match attribute.args.first()? {
            AttributeArg::Name(name) => name.name,
            AttributeArg::Expr(ast::Expr {
                kind: ast::ExprKind::Name(name),
                ..
            }) => *name,
            _ => return None,
        };
        let word = self.types.target.pointer_bits();
        let name = self.session.names.shared(name);
        Some(match name.trim_matches('_') {
            "QI" | "byte" => Mode::Int(8),
            "HI" => Mode::Int(16),
            "SI" => Mode::Int(32),
            "DI" => Mode::Int(64),
            "TI" => Mode::Int(128),
            "word" | "pointer" | "unwind_word" | "libgcc_cmp_return" | "libgcc_shift_count" => {
                Mode::Int(word)
            }
            "HF" => Mode::Float(FloatKind::Float16),
            "SF" => Mode::Float(FloatKind::Float),
            "DF" => Mode::Float(FloatKind::Double),
            "XF" => Mode::Float(FloatKind::LongDouble),
            "TF" => Mode::Float(FloatKind::Float128),
            "SC" => Mode::Complex(FloatKind::Float),
            "DC" => Mode::Complex(FloatKind::Double),
            "XC" => Mode::Complex(FloatKind::LongDouble),
            "TC" => Mode::Complex(FloatKind::Float128),
            other if vector_mode(other).is_some() => return vector_mode(other),
            other => {
                let message = format!("the machine mode '{other}' is not supported");
                self.unsupported(attribute.span, message);
                return None;
            }
        })
    }
    /// The type that `mode` or `vector_size` makes of `ty`.
    pub(super) fn apply_mode(&mut self, ty: QType, attrs: &Attrs, span: Span) -> QType {
        let mut ty = ty;
        match attrs.mode {
            Some(Mode::Int(bits)) if self.types.is_integer(ty.ty) => {
                let signed = self.types.int_ty(ty.ty).is_none_or(|t| t.signed);
                ty.ty = self.types.int_of_bits(bits, signed);
            }
            Some(Mode::Float(kind)) if self.types.is_float(ty.ty) => {
                ty.ty = CTypes::float_id(kind);
            }
            Some(Mode::Complex(kind)) if self.types.complex_part(ty.ty).is_some() => {
                ty.ty = self.complex_of(CTypes::float_id(kind));
            }
            Some(Mode::Vector { bits, float, len }) => {
                let elem = match float {
                    Some(kind) if self.types.is_float(ty.ty) => CTypes::float_id(kind),
                    None if self.types.is_integer(ty.ty) => {
                        let signed = self.types.int_ty(ty.ty).is_none_or(|t| t.signed);
                        self.types.int_of_bits(bits, signed)
                    }
                    _ => {
                        self.error(span, "this machine mode does not fit the type");
                        return ty;
                    }
                };
                ty.ty = self.vector_of(elem, len);
            }
            Some(_) if !self.types.is_pointer(ty.ty) && !self.types.is_error(ty.ty) => {
                self.error(span, "this machine mode does not fit the type");
            }
            _ => {}
        }
        if let Some(size) = attrs.vector {
            ty = self.vector_type(ty, size, span);
        }
        ty
    }
}

/// `V4SI` and the like: so many elements of a mode.
fn vector_mode(name: &str) -> Option<Mode> {
    let (len, elem) = name.strip_prefix('V')?.split_at_checked(name.len() - 3)?;
    let len: u64 = len.parse().ok().filter(|n: &u64| n.is_power_of_two())?;
    let (bits, float) = match elem {
        "QI" => (8, None),
        "HI" => (16, None),
        "SI" => (32, None),
        "DI" => (64, None),
        "SF" => (32, Some(FloatKind::Float)),
        "DF" => (64, Some(FloatKind::Double)),
        _ => return None,
    };
    (len <= 64).then_some(Mode::Vector { bits, float, len })
}

fn string_arg(attribute: &Attribute) -> Option<String> {
    match attribute.args.first()? {
        AttributeArg::Expr(e) => string_of(e),
        _ => None,
    }
}

fn string_of(e: &ast::Expr) -> Option<String> {
    match &e.kind {
        ast::ExprKind::Str(units, _) => {
            let bytes = units.iter().map(|&u| u as u8).collect::<Vec<_>>();
            Some(String::from_utf8_lossy(&bytes).into_owned())
        }
        ast::ExprKind::Paren(e) => string_of(e),
        _ => None,
    }
}
