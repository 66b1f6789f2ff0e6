//! Operators on floating-point numbers: `cwi::value::float` on terms. A number of type `f` is a term of
//! `f.bits()` bits, its encoding. What rounds takes the mode: to nearest, unless the program may change it.

use cwolf_cwi::value::float::{conversion_word, int_range};
use cwolf_cwi::{BinOp, FloatTy, IntTy};
use cwolf_known::FloatFunction;
use cwolf_logic::{FloatOp, Mode, Term, Terms};

/// `s op t`, a number.
///
/// # Panics
/// If C has no such operator on floating-point numbers, or it gives a truth value.
pub fn float_binary(
    terms: &mut Terms,
    mode: Term,
    op: BinOp,
    f: FloatTy,
    s: Term,
    t: Term,
) -> Term {
    let f = f.format();
    let op = match op {
        BinOp::Add => FloatOp::Add(f),
        BinOp::Sub => FloatOp::Sub(f),
        BinOp::Mul => FloatOp::Mul(f),
        BinOp::Div => FloatOp::Div(f),
        _ => panic!("no {} that gives a floating number", op.symbol()),
    };
    terms.float(op, &[mode, s, t])
}

/// The comparison `s op t` as a truth value; none if `op` is no comparison.
pub fn float_compare(terms: &mut Terms, op: BinOp, f: FloatTy, s: Term, t: Term) -> Option<Term> {
    let f = f.format();
    Some(match op {
        BinOp::Eq => terms.float(FloatOp::Eq(f), &[s, t]),
        BinOp::Ne => {
            let equal = terms.float(FloatOp::Eq(f), &[s, t]);
            terms.not(equal)
        }
        BinOp::Lt => terms.float(FloatOp::Lt(f), &[s, t]),
        BinOp::Le => terms.float(FloatOp::Le(f), &[s, t]),
        BinOp::Gt => terms.float(FloatOp::Lt(f), &[t, s]),
        BinOp::Ge => terms.float(FloatOp::Le(f), &[t, s]),
        _ => return None,
    })
}

/// `-t`
pub fn float_neg(terms: &mut Terms, f: FloatTy, t: Term) -> Term {
    terms.float_neg(f.format(), t)
}

/// Whether it is not zero.
pub fn float_is_true(terms: &mut Terms, f: FloatTy, t: Term) -> Term {
    let zero = terms.float_is_zero(f.format(), t);
    terms.not(zero)
}

/// A number of one type as one of another.
pub fn float_to_float(terms: &mut Terms, mode: Term, from: FloatTy, to: FloatTy, t: Term) -> Term {
    if from == to {
        return t;
    }
    terms.float(FloatOp::Convert(from.format(), to.format()), &[mode, t])
}

/// The number next to an integer.
pub fn float_from_int(terms: &mut Terms, mode: Term, from: IntTy, to: FloatTy, t: Term) -> Term {
    let op = match from.signed {
        true => FloatOp::FromSigned(to.format()),
        false => FloatOp::FromUnsigned(to.format()),
    };
    terms.float(op, &[mode, t])
}

/// A number without its fraction as an integer; where it does not fit, what gcc's code for x86 gives.
pub fn float_to_int(terms: &mut Terms, from: FloatTy, to: IntTy, t: Term) -> Term {
    let f = from.format();
    let mode = terms.mode(Mode::Zero);
    let word = terms.float(FloatOp::ToSigned(f, conversion_word(to)), &[mode, t]);
    let signed = terms.resize(to.bits, true, word);
    if to.signed || to.bits <= 63 {
        return signed;
    }
    let unsigned = terms.float(FloatOp::ToUnsigned(f, to.bits), &[mode, t]);
    let negative = terms.float_is_negative(f, t);
    terms.ite(negative, signed, unsigned)
}

/// Whether a number without its fraction is an integer of a type: elsewhere C does not define the conversion.
pub fn float_fits_int(terms: &mut Terms, from: FloatTy, to: IntTy, t: Term) -> Term {
    let f = from.format();
    let range = int_range(from, to);
    let (low, high) = (
        terms.bv(f.bits(), range.low),
        terms.bv(f.bits(), range.high),
    );
    let op = if range.open {
        FloatOp::Lt(f)
    } else {
        FloatOp::Le(f)
    };
    let above = terms.float(op, &[low, t]);
    let below = terms.float(FloatOp::Lt(f), &[t, high]);
    terms.and(above, below)
}

/// A function whose result IEEE 754 fixes; none where the term would be too large for any solver:
/// remainders take a step for each exponent that the format has.
pub fn float_function(
    terms: &mut Terms,
    mode: Term,
    function: FloatFunction,
    f: FloatTy,
    args: &[Term],
) -> Option<Term> {
    let long = matches!(f, FloatTy::F80 | FloatTy::F128);
    let f = f.format();
    let exact = match function {
        FloatFunction::Fmod => Some(FloatOp::Fmod(f)),
        FloatFunction::Remainder => Some(FloatOp::Remainder(f)),
        _ => None,
    };
    if let Some(op) = exact {
        let constant = args.iter().all(|t| terms.as_bv(*t).is_some());
        return (constant || !long).then(|| terms.float(op, &args[..2]));
    }
    if function == FloatFunction::CopySign {
        let size = terms.float_abs(f, args[0]);
        let sign = terms.bv(f.bits(), f.sign_bit());
        let sign = terms.bvand(args[1], sign);
        return Some(terms.bvor(size, sign));
    }
    let (op, own) = match function {
        FloatFunction::Sqrt => (FloatOp::Sqrt(f), None),
        FloatFunction::Fma => (FloatOp::Fma(f), None),
        FloatFunction::Floor => (FloatOp::RoundToIntegral(f), Some(Mode::Down)),
        FloatFunction::Ceil => (FloatOp::RoundToIntegral(f), Some(Mode::Up)),
        FloatFunction::Trunc => (FloatOp::RoundToIntegral(f), Some(Mode::Zero)),
        FloatFunction::Round => (FloatOp::RoundToIntegral(f), Some(Mode::NearestAway)),
        FloatFunction::Rint => (FloatOp::RoundToIntegral(f), None),
        _ => (FloatOp::RoundToIntegral(f), Some(Mode::NearestEven)),
    };
    let mut operands = vec![own.map_or(mode, |own| terms.mode(own))];
    operands.extend_from_slice(&args[..op.arity() - 1]);
    Some(terms.float(op, &operands))
}
