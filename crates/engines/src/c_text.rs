//! What a term says once it is written in C: there, operands are promoted and converted to a common
//! type, and a comparison is signed or not by that type. Only where this is the term itself may the
//! text be told.

use cwolf_encode::Encoder;
use cwolf_logic::{BinOp, Node, Sort, Term, Terms, UnOp};

/// How names and numbers are written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Style {
    /// Variables are cast to the signed or to the unsigned type of their size.
    pub(crate) cast: Option<bool>,
    /// Numbers in equations are signed.
    pub(crate) sign: bool,
}

impl Style {
    /// Plain ones first.
    pub(crate) const ALL: [Style; 6] = [
        Style::new(None, false),
        Style::new(None, true),
        Style::new(Some(true), false),
        Style::new(Some(true), true),
        Style::new(Some(false), false),
        Style::new(Some(false), true),
    ];

    const fn new(cast: Option<bool>, sign: bool) -> Style {
        Style { cast, sign }
    }

    /// The cast in front of a number of so many bits, and whether it is signed with that.
    fn of_number(self, bits: u16, signed: bool) -> (&'static str, bool) {
        let cast = match (self.cast, bits) {
            (Some(true), 8) if !signed => "(signed char)",
            (Some(true), 16) if !signed => "(short)",
            (Some(true), 32) if !signed => "(int)",
            (Some(true), 64) if !signed => "(long long)",
            (Some(false), 8) if signed => "(unsigned char)",
            (Some(false), 16) if signed => "(unsigned short)",
            (Some(false), 32) if signed => "(unsigned int)",
            (Some(false), 64) if signed => "(unsigned long long)",
            _ => return ("", signed),
        };
        (cast, !signed)
    }

    /// A condition as C writes it.
    pub(crate) fn text(self, encoder: &Encoder<'_>, t: Term) -> String {
        let name = |c: Term| {
            let Some(cell) = encoder.cell_of(c) else {
                return String::new();
            };
            let number = encoder.cell_number(cell);
            let cast = number.map_or("", |(bits, signed)| self.of_number(bits, signed).0);
            format!("{cast}{}", encoder.cell_name(cell))
        };
        encoder.terms.to_c_with(t, self.sign, &name)
    }

    /// What that text says; none if it is not C, or nobody knows.
    pub(crate) fn in_c(self, encoder: &mut Encoder<'_>, t: Term) -> Option<Term> {
        let style = self;
        let said = Reader { encoder, style }.value(t, style.sign, DEPTH)?;
        Some(match said {
            Value::Truth(t) => t,
            Value::Number(n) => encoder.terms.nonzero(n.term),
        })
    }
}

/// Longer conditions are not told.
const DEPTH: u32 = 40;

/// A number of type `int`, `unsigned`, `long long` or `unsigned long long`.
#[derive(Clone, Copy)]
struct Number {
    term: Term,
    signed: bool,
}

#[derive(Clone, Copy)]
enum Value {
    Truth(Term),
    Number(Number),
}

struct Reader<'a, 'p> {
    encoder: &'a mut Encoder<'p>,
    style: Style,
}

impl Reader<'_, '_> {
    fn terms(&mut self) -> &mut Terms {
        &mut self.encoder.terms
    }

    /// As [`Terms::to_c_with`] writes it.
    fn value(&mut self, t: Term, sign: bool, depth: u32) -> Option<Value> {
        let depth = depth.checked_sub(1)?;
        Some(match self.terms().node(t) {
            Node::Bool(_) => Value::Truth(t),
            Node::Bv { width, value } => Value::Number(self.literal(width, value, sign)?),
            Node::Const(_) => Value::Number(self.variable(t)?),
            Node::Un(UnOp::Not, a) => {
                let truth = self.truth(a, sign, depth)?;
                Value::Truth(self.terms().not(truth))
            }
            Node::Un(op, a) => {
                let a = self.number(a, sign, depth)?;
                let term = self.terms().unary(op, a.term);
                Value::Number(Number { term, ..a })
            }
            Node::Bin(BinOp::And, a, b) => {
                let (a, b) = (self.truth(a, sign, depth)?, self.truth(b, sign, depth)?);
                Value::Truth(self.terms().and(a, b))
            }
            Node::Bin(BinOp::Eq, a, b) => {
                let (a, b) = self.pair(a, b, sign, depth)?;
                Value::Truth(self.terms().eq(a.term, b.term))
            }
            Node::Bin(BinOp::Slt, a, b) => {
                let (a, b) = self.pair(a, b, true, depth)?;
                Value::Truth(match a.signed {
                    true => self.terms().slt(a.term, b.term),
                    false => self.terms().ult(a.term, b.term),
                })
            }
            Node::Bin(BinOp::Ult, a, b) => {
                let bits = match self.terms().width(a) {
                    0..=32 => 32,
                    33..=64 => 64,
                    _ => return None,
                };
                let (a, b) = (self.number(a, false, depth)?, self.number(b, false, depth)?);
                let (a, b) = (self.convert(a, bits), self.convert(b, bits));
                Value::Truth(self.terms().ult(a, b))
            }
            Node::Bin(op @ (BinOp::Udiv | BinOp::Urem | BinOp::Sdiv | BinOp::Srem), a, b) => {
                let (a, b) = self.pair(a, b, sign, depth)?;
                // Division by zero, and of the smallest number by -1, is no C.
                if self.terms().as_signed(b.term).is_none_or(|n| n < 1) {
                    return None;
                }
                let quotient = matches!(op, BinOp::Udiv | BinOp::Sdiv);
                let op = match (quotient, a.signed) {
                    (true, true) => BinOp::Sdiv,
                    (true, false) => BinOp::Udiv,
                    (false, true) => BinOp::Srem,
                    (false, false) => BinOp::Urem,
                };
                let term = self.terms().binary(op, a.term, b.term);
                Value::Number(Number { term, ..a })
            }
            Node::Bin(op, a, b) => {
                // A difference is written as such; a sum has signed numbers.
                let sign = match (op, self.terms().node(b)) {
                    (BinOp::Add, Node::Un(UnOp::Neg, _)) => sign,
                    (BinOp::Add, _) => true,
                    _ => sign,
                };
                let (a, b) = match op {
                    BinOp::Add | BinOp::Mul | BinOp::BvAnd | BinOp::BvOr | BinOp::BvXor => {
                        self.pair(a, b, sign, depth)?
                    }
                    _ => return None,
                };
                let term = self.terms().binary(op, a.term, b.term);
                Value::Number(Number { term, ..a })
            }
            Node::Ite(c, a, b) => {
                let c = self.truth(c, sign, depth)?;
                let (a, b) = self.pair(a, b, sign, depth)?;
                let term = self.terms().ite(c, a.term, b.term);
                Value::Number(Number { term, ..a })
            }
            Node::Extend { of, .. } => return self.value(of, sign, depth),
            Node::Extract { hi, lo, of } => {
                let a = self.number(of, sign, depth)?;
                Value::Number(self.bits(a, hi, lo)?)
            }
            Node::Float(..) | Node::Store(..) | Node::ConstArray { .. } => return None,
        })
    }

    fn truth(&mut self, t: Term, sign: bool, depth: u32) -> Option<Term> {
        Some(match self.value(t, sign, depth)? {
            Value::Truth(t) => t,
            Value::Number(n) => self.terms().nonzero(n.term),
        })
    }

    fn number(&mut self, t: Term, sign: bool, depth: u32) -> Option<Number> {
        Some(match self.value(t, sign, depth)? {
            Value::Truth(t) => Number {
                term: self.terms().from_bool(32, t),
                signed: true,
            },
            Value::Number(n) => n,
        })
    }

    /// Two operands, converted to their common type.
    fn pair(&mut self, a: Term, b: Term, sign: bool, depth: u32) -> Option<(Number, Number)> {
        let (a, b) = (self.number(a, sign, depth)?, self.number(b, sign, depth)?);
        Some(self.common(a, b))
    }

    fn common(&mut self, a: Number, b: Number) -> (Number, Number) {
        let (x, y) = (self.terms().width(a.term), self.terms().width(b.term));
        let signed = match x.cmp(&y) {
            std::cmp::Ordering::Less => b.signed,
            std::cmp::Ordering::Greater => a.signed,
            std::cmp::Ordering::Equal => a.signed && b.signed,
        };
        let bits = x.max(y);
        let (a, b) = (self.convert(a, bits), self.convert(b, bits));
        (Number { term: a, signed }, Number { term: b, signed })
    }

    fn convert(&mut self, n: Number, bits: u16) -> Term {
        self.terms().resize(bits, n.signed, n.term)
    }

    /// `a >> lo & 0x…`
    fn bits(&mut self, a: Number, hi: u16, lo: u16) -> Option<Number> {
        let width = self.terms().width(a.term);
        if lo >= width {
            return None;
        }
        let by = self.terms().bv(width, lo.into());
        let term = match a.signed {
            true => self.terms().ashr(a.term, by),
            false => self.terms().lshr(a.term, by),
        };
        let mask = (1u128 << (hi - lo + 1)) - 1;
        let (bits, signed) = match mask {
            0..=0x7fff_ffff => (32, true),
            0x8000_0000..=0xffff_ffff => (32, false),
            0x1_0000_0000..=0x7fff_ffff_ffff_ffff => (64, true),
            _ => return None,
        };
        let mask = Number {
            term: self.terms().bv(bits, mask),
            signed,
        };
        let (a, mask) = self.common(Number { term, ..a }, mask);
        let term = self.terms().bvand(a.term, mask.term);
        Some(Number { term, ..a })
    }

    fn literal(&mut self, width: u16, value: u128, sign: bool) -> Option<Number> {
        let term = self.terms().bv(width, value);
        let number = self.terms().as_signed(term)?;
        let written = match sign || number >= -4096 && width >= 32 {
            true => number,
            false => i128::try_from(value).ok()?,
        };
        // The smallest `int` is the negation of a number that is none.
        let bits = match i32::try_from(written) {
            Ok(n) if n > i32::MIN => 32,
            _ if written > i64::MIN.into() && written <= i64::MAX.into() => 64,
            _ => return None,
        };
        let term = self.terms().bv(bits, written as u128);
        Some(Number { term, signed: true })
    }

    fn variable(&mut self, t: Term) -> Option<Number> {
        let cell = self.encoder.cell_of(t)?;
        let (bits, signed) = self.encoder.cell_number(cell)?;
        if self.terms().sort(t) != Sort::Bv(bits) {
            return None;
        }
        let (_, signed) = self.style.of_number(bits, signed);
        let number = Number { term: t, signed };
        Some(match bits {
            ..32 => Number {
                term: self.convert(number, 32),
                signed: true,
            },
            32 | 64 => number,
            _ => return None,
        })
    }
}
