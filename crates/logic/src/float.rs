//! Floating-point terms. A number is a bit-vector, its encoding in a [`Format`]; an operation is one
//! node, which is evaluated by `cwolf_float` and becomes gates only in a solver. Rounding modes are
//! terms of [`Mode::BITS`] bits.

use crate::term::{Node, Sort, Term, Terms, mask, signed};
use cwolf_float::{self as float, Format, Mode};

/// Operators on floating-point numbers. Those that round take the mode first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FloatOp {
    /// Sum.
    Add(Format),
    /// Difference.
    Sub(Format),
    /// Product.
    Mul(Format),
    /// Quotient.
    Div(Format),
    /// `a * b + c`, rounded once.
    Fma(Format),
    /// Square root.
    Sqrt(Format),
    /// The integer next to a number, in the same format.
    RoundToIntegral(Format),
    /// A number in another format.
    Convert(Format, Format),
    /// The number next to a signed integer of any width.
    FromSigned(Format),
    /// The number next to an unsigned integer of any width.
    FromUnsigned(Format),
    /// The signed integer of so many bits next to a number; the smallest where none is.
    ToSigned(Format, u16),
    /// The unsigned integer of so many bits next to a number; zero where none is.
    ToUnsigned(Format, u16),
    /// C's `fmod`. Takes no mode: it is exact.
    Fmod(Format),
    /// The remainder of IEEE 754. Takes no mode: it is exact.
    Remainder(Format),
    /// Equal numbers; the zeros are, no NaN is. Takes no mode.
    Eq(Format),
    /// Less. Takes no mode.
    Lt(Format),
    /// Less or equal. Takes no mode.
    Le(Format),
}

/// The operands of a floating-point node, the mode first; those past [`FloatOp::arity`] are `false`.
pub type FloatArgs = [Term; 4];

impl FloatOp {
    /// The same comparison in another format.
    pub(crate) fn of(self, f: Format) -> FloatOp {
        match self {
            FloatOp::Eq(_) => FloatOp::Eq(f),
            FloatOp::Lt(_) => FloatOp::Lt(f),
            FloatOp::Le(_) => FloatOp::Le(f),
            other => unreachable!("{other:?} is not a comparison"),
        }
    }
    /// How many operands it has, with the mode.
    pub fn arity(self) -> usize {
        match self {
            FloatOp::Fma(_) => 4,
            FloatOp::Add(_) | FloatOp::Sub(_) | FloatOp::Mul(_) | FloatOp::Div(_) => 3,
            _ => 2,
        }
    }
    /// The format of its operands, or of the result if those are integers.
    pub fn format(self) -> Format {
        match self {
            FloatOp::Add(f)
            | FloatOp::Sub(f)
            | FloatOp::Mul(f)
            | FloatOp::Div(f)
            | FloatOp::Fma(f)
            | FloatOp::Sqrt(f)
            | FloatOp::RoundToIntegral(f)
            | FloatOp::Convert(f, _)
            | FloatOp::FromSigned(f)
            | FloatOp::FromUnsigned(f)
            | FloatOp::ToSigned(f, _)
            | FloatOp::ToUnsigned(f, _)
            | FloatOp::Fmod(f)
            | FloatOp::Remainder(f)
            | FloatOp::Eq(f)
            | FloatOp::Lt(f)
            | FloatOp::Le(f) => f,
        }
    }
    /// Whether its first operand is a rounding mode.
    pub fn has_mode(self) -> bool {
        !matches!(
            self,
            FloatOp::Fmod(_)
                | FloatOp::Remainder(_)
                | FloatOp::Eq(_)
                | FloatOp::Lt(_)
                | FloatOp::Le(_)
        )
    }
    /// Whether C writes it between its operands.
    pub fn is_infix(self) -> bool {
        !self.symbol().starts_with(|c: char| c.is_alphabetic())
    }
    /// What its result is.
    pub fn sort(self) -> Sort {
        match self {
            FloatOp::Eq(_) | FloatOp::Lt(_) | FloatOp::Le(_) => Sort::Bool,
            FloatOp::ToSigned(_, width) | FloatOp::ToUnsigned(_, width) => Sort::Bv(width),
            FloatOp::Convert(_, to) => Sort::Bv(to.bits()),
            _ => Sort::Bv(self.format().bits()),
        }
    }
    /// How people write it.
    pub fn symbol(self) -> &'static str {
        match self {
            FloatOp::Add(_) => "+",
            FloatOp::Sub(_) => "-",
            FloatOp::Mul(_) => "*",
            FloatOp::Div(_) => "/",
            FloatOp::Fma(_) => "fma",
            FloatOp::Sqrt(_) => "sqrt",
            FloatOp::RoundToIntegral(_) => "rint",
            FloatOp::Convert(..) => "convert",
            FloatOp::FromSigned(_) | FloatOp::FromUnsigned(_) => "number",
            FloatOp::ToSigned(..) | FloatOp::ToUnsigned(..) => "integer",
            FloatOp::Fmod(_) => "fmod",
            FloatOp::Remainder(_) => "remainder",
            FloatOp::Eq(_) => "==",
            FloatOp::Lt(_) => "<",
            FloatOp::Le(_) => "<=",
        }
    }
    /// Its value on values of its operands; integers have `width` bits. Truth values are 0 and 1.
    pub(crate) fn apply(self, v: [u128; 4], width: u16) -> u128 {
        let mode = Mode::of_number(v[0]);
        match self {
            FloatOp::Add(f) => float::add(f, mode, v[1], v[2]),
            FloatOp::Sub(f) => float::sub(f, mode, v[1], v[2]),
            FloatOp::Mul(f) => float::mul(f, mode, v[1], v[2]),
            FloatOp::Div(f) => float::div(f, mode, v[1], v[2]),
            FloatOp::Fma(f) => float::fma(f, mode, v[1], v[2], v[3]),
            FloatOp::Sqrt(f) => float::sqrt(f, mode, v[1]),
            FloatOp::RoundToIntegral(f) => float::round_to_integral(f, mode, v[1]),
            FloatOp::Convert(from, to) => float::convert(from, to, mode, v[1]),
            FloatOp::FromSigned(f) => float::from_signed(f, mode, signed(width, v[1])),
            FloatOp::FromUnsigned(f) => float::from_unsigned(f, mode, v[1]),
            FloatOp::ToSigned(f, to) => match float::to_signed(f, mode, to, v[1]) {
                Some(n) => n as u128 & mask(to),
                None => 1 << (to - 1),
            },
            FloatOp::ToUnsigned(f, to) => float::to_unsigned(f, mode, to, v[1]).unwrap_or(0),
            FloatOp::Fmod(f) => float::fmod(f, v[0], v[1]),
            FloatOp::Remainder(f) => float::remainder(f, v[0], v[1]),
            FloatOp::Eq(f) => float::compare(f, v[0], v[1])
                .is_some_and(std::cmp::Ordering::is_eq)
                .into(),
            FloatOp::Lt(f) => float::compare(f, v[0], v[1])
                .is_some_and(std::cmp::Ordering::is_lt)
                .into(),
            FloatOp::Le(f) => float::compare(f, v[0], v[1])
                .is_some_and(std::cmp::Ordering::is_le)
                .into(),
        }
    }
}

impl Terms {
    /// A rounding mode.
    pub fn mode(&mut self, mode: Mode) -> Term {
        self.bv(Mode::BITS, mode as u128)
    }

    /// A floating-point operation; `args` has the mode first, where the operator takes one.
    pub fn float(&mut self, op: FloatOp, args: &[Term]) -> Term {
        debug_assert_eq!(args.len(), op.arity());
        let mut operands = [Terms::FALSE; 4];
        operands[..args.len()].copy_from_slice(args);
        if let Some(t) = self.fold_float(op, operands) {
            return t;
        }
        if let Some(t) = self.simplify_float(op, operands) {
            return t;
        }
        self.intern(Node::Float(op, operands), op.sort())
    }

    /// The width of the integer that an operation takes; zero if it takes none.
    pub(crate) fn integer_width(&self, op: FloatOp, operands: &FloatArgs) -> u16 {
        match op {
            FloatOp::FromSigned(_) | FloatOp::FromUnsigned(_) => self.width(operands[1]),
            _ => 0,
        }
    }

    fn value_of(&mut self, op: FloatOp, values: [u128; 4], width: u16) -> Term {
        let value = op.apply(values, width);
        match op.sort() {
            Sort::Bool => self.bool(value == 1),
            Sort::Bv(width) => self.bv(width, value),
            Sort::Array { .. } => unreachable!("no operation gives an array"),
        }
    }

    /// The value on constants, also where one operand is a choice between two.
    fn fold_float(&mut self, op: FloatOp, operands: FloatArgs) -> Option<Term> {
        let mut values = [0; 4];
        let mut choice = None;
        for (n, &t) in operands.iter().enumerate().take(op.arity()) {
            match (self.as_bv(t), self.node(t)) {
                (Some(value), _) => values[n] = value,
                (None, Node::Ite(c, a, b)) if choice.is_none() => {
                    choice = Some((n, c, self.as_bv(a)?, self.as_bv(b)?));
                }
                _ => return None,
            }
        }
        let width = self.integer_width(op, &operands);
        let Some((n, c, a, b)) = choice else {
            return Some(self.value_of(op, values, width));
        };
        values[n] = a;
        let then = self.value_of(op, values, width);
        values[n] = b;
        let els = self.value_of(op, values, width);
        Some(self.ite(c, then, els))
    }

    /// With the other sign.
    pub fn float_neg(&mut self, f: Format, t: Term) -> Term {
        let sign = self.bv(f.bits(), f.sign_bit());
        self.bvxor(t, sign)
    }

    /// Without its sign.
    pub fn float_abs(&mut self, f: Format, t: Term) -> Term {
        let rest = self.extract(f.bits() - 2, 0, t);
        self.zext(f.bits(), rest)
    }

    /// Its sign: true for minus.
    pub fn float_is_negative(&mut self, f: Format, t: Term) -> Term {
        let sign = self.extract(f.bits() - 1, f.bits() - 1, t);
        self.nonzero(sign)
    }

    /// Whether it is plus or minus zero.
    pub fn float_is_zero(&mut self, f: Format, t: Term) -> Term {
        let rest = self.extract(f.bits() - 2, 0, t);
        let zero = self.bv(f.bits() - 1, 0);
        self.eq(rest, zero)
    }

    /// Whether it is not a number.
    pub fn float_is_nan(&mut self, f: Format, t: Term) -> Term {
        let equal = self.float(FloatOp::Eq(f), &[t, t]);
        self.not(equal)
    }

    /// Whether it is plus or minus infinity.
    pub fn float_is_infinite(&mut self, f: Format, t: Term) -> Term {
        let size = self.float_abs(f, t);
        let infinity = self.bv(f.bits(), f.infinity());
        self.eq(size, infinity)
    }
}
