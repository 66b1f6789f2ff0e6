//! Simplification of floating-point terms: what a solver would otherwise have to find out about whole
//! circuits. Numbers that C converts to a wider type to compare them are compared as they are, and an
//! integer that comes back from a number that holds it is itself.

use crate::float::{FloatArgs, FloatOp};
use crate::term::{Node, Term, Terms};
use cwolf_float::{self as float, Class, Format, Mode};

/// A number that is exactly another: of a narrower format, or an integer.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Exact {
    /// A number of a format that the wider one includes.
    Number(Format, Term),
    /// A signed or unsigned integer that has fewer digits than the format.
    Integer(bool, Term),
}

/// Whether every number of `narrow` is one of `wide`.
fn includes(wide: Format, narrow: Format) -> bool {
    wide.precision() >= narrow.precision() && wide.exponent_bits() >= narrow.exponent_bits()
}

impl Terms {
    /// The same by a smaller term, if there is one.
    pub(crate) fn simplify_float(&mut self, op: FloatOp, args: FloatArgs) -> Option<Term> {
        match op {
            FloatOp::Eq(_) | FloatOp::Lt(_) | FloatOp::Le(_) => self.simplify_test(op, args),
            FloatOp::ToSigned(f, width) => self.integer_back(f, args[1], width, true),
            FloatOp::ToUnsigned(f, width) => self.integer_back(f, args[1], width, false),
            FloatOp::Convert(from, to) => match self.exact(from, args[1])? {
                Exact::Integer(signed, n) if self.holds(to, n, signed) => {
                    let op = match signed {
                        true => FloatOp::FromSigned(to),
                        false => FloatOp::FromUnsigned(to),
                    };
                    Some(self.float(op, &[args[0], n]))
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// Whether a format has every integer of a term's width.
    fn holds(&self, f: Format, n: Term, signed: bool) -> bool {
        let digits = self.width(n) - u16::from(signed);
        digits <= f.precision() && i32::from(digits) < f.bias()
    }

    /// What a number of format `f` exactly is, if that is plain to see.
    fn exact(&self, f: Format, t: Term) -> Option<Exact> {
        let Node::Float(op, args) = self.node(t) else {
            return None;
        };
        match op {
            FloatOp::Convert(from, _) if includes(f, from) => Some(Exact::Number(from, args[1])),
            FloatOp::FromSigned(_) if self.holds(f, args[1], true) => {
                Some(Exact::Integer(true, args[1]))
            }
            FloatOp::FromUnsigned(_) if self.holds(f, args[1], false) => {
                Some(Exact::Integer(false, args[1]))
            }
            _ => None,
        }
    }

    /// An integer that was made a number and becomes one of `width` bits again.
    fn integer_back(&mut self, f: Format, t: Term, width: u16, signed: bool) -> Option<Term> {
        let Some(Exact::Integer(from, n)) = self.exact(f, t) else {
            return None;
        };
        let room = match (from, signed) {
            (true, false) => return None,
            (false, true) => self.width(n) + 1,
            _ => self.width(n),
        };
        (width >= room).then(|| self.resize(width, from, n))
    }

    fn simplify_test(&mut self, op: FloatOp, args: FloatArgs) -> Option<Term> {
        let f = op.format();
        let [a, b, ..] = args;
        match (self.exact(f, a), self.exact(f, b)) {
            (Some(Exact::Number(g, x)), Some(Exact::Number(h, y))) if g == h => {
                Some(self.float(op.of(g), &[x, y]))
            }
            (Some(Exact::Integer(s, x)), Some(Exact::Integer(r, y)))
                if s == r && self.sort(x) == self.sort(y) =>
            {
                Some(match (op, s) {
                    (FloatOp::Eq(_), _) => self.eq(x, y),
                    (FloatOp::Lt(_), true) => self.slt(x, y),
                    (FloatOp::Lt(_), false) => self.ult(x, y),
                    (_, true) => self.sle(x, y),
                    (_, false) => self.ule(x, y),
                })
            }
            (Some(Exact::Number(g, x)), None) => {
                let k = self.as_bv(b)?;
                self.narrow_test(op, f, g, x, k, false)
            }
            (None, Some(Exact::Number(g, x))) => {
                let k = self.as_bv(a)?;
                self.narrow_test(op, f, g, x, k, true)
            }
            _ => None,
        }
    }

    /// A test of a number `x` of format `g` against the constant `k` of the wider format `f`; the
    /// constant comes first if `swap`.
    fn narrow_test(
        &mut self,
        op: FloatOp,
        f: Format,
        g: Format,
        x: Term,
        k: u128,
        swap: bool,
    ) -> Option<Term> {
        if float::class(f, k) == Class::Nan {
            return Some(Terms::FALSE);
        }
        let down = float::convert(f, g, Mode::Down, k);
        let up = float::convert(f, g, Mode::Up, k);
        let same = float::convert(g, f, Mode::NearestEven, down);
        if float::compare(f, same, k) == Some(std::cmp::Ordering::Equal) {
            let k = self.bv(g.bits(), down);
            let (a, b) = if swap { (k, x) } else { (x, k) };
            return Some(self.float(op.of(g), &[a, b]));
        }
        // Between two numbers of the narrow format: less than it is not more than the lower one.
        Some(match (op, swap) {
            (FloatOp::Eq(_), _) => Terms::FALSE,
            (_, false) => {
                let down = self.bv(g.bits(), down);
                self.float(FloatOp::Le(g), &[x, down])
            }
            (_, true) => {
                let up = self.bv(g.bits(), up);
                self.float(FloatOp::Le(g), &[up, x])
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Model, Sort};
    use proptest::prelude::*;

    fn bits(f: Format) -> impl Strategy<Value = u128> {
        let mask = u128::MAX >> (128 - f.bits());
        let small = (-40i128..40).prop_map(move |n| float::from_signed(f, Mode::Zero, n));
        let near = (-40i128..40, -2i128..3).prop_map(move |(n, by)| {
            float::from_signed(f, Mode::Zero, n).wrapping_add(by as u128) & mask
        });
        prop_oneof![small, near, any::<u128>().prop_map(move |n| n & mask)]
    }

    fn formats() -> impl Strategy<Value = Format> {
        prop::sample::select(Format::ALL.to_vec())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        /// Tests of converted numbers, with numbers of the same kind and with constants.
        #[test]
        fn tests_of_converted_numbers(
            (g, f, x, y, k) in (formats(), formats()).prop_flat_map(|(g, f)| {
                (Just(g), Just(f), bits(g), bits(g), bits(f))
            }),
        ) {
            let mut terms = Terms::new();
            let mut model = Model::default();
            let mode = terms.mode(Mode::NearestEven);
            let wide = |terms: &mut Terms, model: &mut Model, name: &str, value: u128| {
                let t = terms.constant(name, Sort::Bv(g.bits()));
                model.set(t, value);
                (terms.float(FloatOp::Convert(g, f), &[mode, t]), float::convert(g, f, Mode::NearestEven, value))
            };
            let (a, va) = wide(&mut terms, &mut model, "x", x);
            let (b, vb) = wide(&mut terms, &mut model, "y", y);
            let c = terms.bv(f.bits(), k);
            for op in [FloatOp::Eq(f), FloatOp::Lt(f), FloatOp::Le(f)] {
                for (s, vs, t, vt) in [(a, va, b, vb), (a, va, c, k), (c, k, a, va)] {
                    let test = terms.float(op, &[s, t]);
                    let want = op.apply([vs, vt, 0, 0], 0);
                    prop_assert_eq!(u128::from(model.bool(&terms, test)), want);
                }
            }
        }

        /// Integers that become numbers and integers again, or are compared, or converted twice.
        #[test]
        fn integers_as_numbers(
            f in formats(), g in formats(), width in 1u16..70, to in 1u16..70, n: u128, m: u128,
            from in any::<bool>(), into in any::<bool>(), mode in 0u128..5,
        ) {
            let mut terms = Terms::new();
            let mut model = Model::default();
            let rounding = terms.bv(Mode::BITS, mode);
            let make = if from { FloatOp::FromSigned(f) } else { FloatOp::FromUnsigned(f) };
            let mut numbers = Vec::new();
            for (name, value) in [("n", n), ("m", m)] {
                let value = value & crate::term::mask(width);
                let t = terms.constant(name, Sort::Bv(width));
                model.set(t, value);
                numbers.push((terms.float(make, &[rounding, t]), make.apply([mode, value, 0, 0], width)));
            }
            let [(x, vx), (y, vy)] = numbers[..] else { unreachable!() };
            for op in [FloatOp::Eq(f), FloatOp::Lt(f), FloatOp::Le(f)] {
                let test = terms.float(op, &[x, y]);
                prop_assert_eq!(u128::from(model.bool(&terms, test)), op.apply([vx, vy, 0, 0], 0));
            }
            let back = if into { FloatOp::ToSigned(f, to) } else { FloatOp::ToUnsigned(f, to) };
            for op in [back, FloatOp::Convert(f, g)] {
                let t = terms.float(op, &[rounding, x]);
                prop_assert_eq!(model.bv(&terms, t), op.apply([mode, vx, 0, 0], 0));
            }
        }
    }
}
