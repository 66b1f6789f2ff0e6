//! `%a`: hexadecimal floating-point, with glibc's choice of the leading digit.

use super::decimal::{Class, Parts};
use cwolf_cwi::FloatTy;

/// The text of a finite number.
pub(super) fn hexadecimal(
    ty: FloatTy,
    parts: &Parts,
    precision: Option<usize>,
    alternate: bool,
) -> String {
    // Hexadecimal digits after the point: the x87 format has its whole first digit before it.
    let digits: u32 = match ty {
        FloatTy::F16 | FloatTy::F32 | FloatTy::F64 => 13,
        FloatTy::F80 => 15,
        FloatTy::F128 => 28,
    };
    let (mut mantissa, mut exponent) = (parts.mantissa, parts.exponent);
    if matches!(ty, FloatTy::F16 | FloatTy::F32) && parts.class != Class::Zero {
        // A float is printed as the double that it is promoted to: always normal there.
        let shift = 52 - (127 - mantissa.leading_zeros() as i32);
        mantissa <<= shift;
        exponent -= shift;
    }
    let mut shown = digits as usize;
    match precision {
        Some(wanted) if wanted < shown => {
            let drop = 4 * (digits - wanted as u32);
            let rest = mantissa & ((1 << drop) - 1);
            let half = 1 << (drop - 1);
            mantissa >>= drop;
            if rest > half || (rest == half && mantissa & 1 == 1) {
                mantissa += 1;
            }
            exponent += drop as i32;
            shown = wanted;
        }
        _ => {}
    }
    exponent += 4 * shown as i32;
    let (first, mut tail) = match shown {
        0 => (mantissa, String::new()),
        n => {
            let low = mantissa & ((1 << (4 * n)) - 1);
            (mantissa >> (4 * n), format!("{low:0n$x}"))
        }
    };
    match precision {
        Some(wanted) => tail.extend(std::iter::repeat_n('0', wanted.saturating_sub(shown))),
        None => tail.truncate(tail.trim_end_matches('0').len()),
    }
    if parts.class == Class::Zero {
        exponent = 0;
    }
    let point = if tail.is_empty() && !alternate {
        ""
    } else {
        "."
    };
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("0x{first:x}{point}{tail}p{sign}{}", exponent.abs())
}
