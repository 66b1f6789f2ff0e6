//! The conversions `%e %f %g %a`.

use super::decimal::{Class, Parts, round};
use super::hex::hexadecimal;
use cwolf_cwi::FloatTy;

/// How to write a float: the conversion's letter, its precision and the `#` flag.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FloatStyle {
    /// One of `efgaEFGA`.
    pub letter: u8,
    pub precision: Option<usize>,
    pub alternate: bool,
}

/// The sign and the text of a number, without padding; the text of infinities and NaNs is
/// never padded with zeros.
pub(crate) fn format_float(ty: FloatTy, bits: u128, style: FloatStyle) -> (bool, String) {
    let parts = Parts::new(ty, bits);
    let text = match parts.class {
        Class::Infinite => "inf".into(),
        Class::Nan => "nan".into(),
        _ => match style.letter.to_ascii_lowercase() {
            b'e' => exponential(&parts, style.precision.unwrap_or(6), style.alternate),
            b'f' => fixed(&parts, style.precision.unwrap_or(6), style.alternate),
            b'g' => general(&parts, style),
            _ => hexadecimal(ty, &parts, style.precision, style.alternate),
        },
    };
    let text = match style.letter.is_ascii_uppercase() {
        true => text.to_ascii_uppercase(),
        false => text,
    };
    (parts.negative, text)
}

fn push_digits(text: &mut String, digits: impl Iterator<Item = u8>) {
    text.extend(digits.map(|d| char::from(b'0' + d)));
}

/// Digits from position `from`, zeros where there are none.
fn digits_from(digits: &[u8], from: i64, count: usize) -> impl Iterator<Item = u8> + '_ {
    let at = move |n: usize| usize::try_from(from + n as i64).ok();
    (0..count).map(move |n| at(n).and_then(|n| digits.get(n)).copied().unwrap_or(0))
}

fn exponential(parts: &Parts, precision: usize, alternate: bool) -> String {
    let (mut digits, mut point) = parts.digits();
    round(&mut digits, &mut point, precision as i64 + 1);
    let exponent = if parts.class == Class::Zero {
        0
    } else {
        point - 1
    };
    let mut text = String::new();
    push_digits(&mut text, digits_from(&digits, 0, 1));
    if precision > 0 || alternate {
        text.push('.');
    }
    push_digits(&mut text, digits_from(&digits, 1, precision));
    let sign = if exponent < 0 { '-' } else { '+' };
    text.push_str(&format!("e{sign}{:02}", exponent.abs()));
    text
}

fn fixed(parts: &Parts, precision: usize, alternate: bool) -> String {
    let (mut digits, mut point) = parts.digits();
    let keep = i64::from(point) + precision as i64;
    round(&mut digits, &mut point, keep);
    let mut text = String::new();
    if point <= 0 {
        text.push('0');
    } else {
        push_digits(&mut text, digits_from(&digits, 0, point as usize));
    }
    if precision > 0 || alternate {
        text.push('.');
    }
    push_digits(&mut text, digits_from(&digits, point.into(), precision));
    text
}

fn general(parts: &Parts, style: FloatStyle) -> String {
    let precision = style.precision.unwrap_or(6).max(1);
    let (mut digits, mut point) = parts.digits();
    round(&mut digits, &mut point, precision as i64);
    let exponent = if parts.class == Class::Zero {
        0
    } else {
        i64::from(point) - 1
    };
    let as_exponential = exponent < -4 || exponent >= precision as i64;
    let text = if as_exponential {
        exponential(parts, precision - 1, style.alternate)
    } else {
        let digits = precision as i64 - 1 - exponent;
        fixed(parts, digits.max(0) as usize, style.alternate)
    };
    if style.alternate {
        return text;
    }
    // Trailing zeros of the fraction go.
    let (number, tail) = match text.find('e') {
        Some(at) => text.split_at(at),
        None => (&text[..], ""),
    };
    match number.contains('.') {
        true => {
            let number = number.trim_end_matches('0').trim_end_matches('.');
            format!("{number}{tail}")
        }
        false => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn show(value: f64, letter: u8, precision: Option<usize>) -> String {
        let style = FloatStyle {
            letter,
            precision,
            alternate: false,
        };
        let (negative, text) = format_float(FloatTy::F64, value.to_bits().into(), style);
        format!("{}{text}", if negative { "-" } else { "" })
    }

    #[test]
    fn known_texts() {
        assert_eq!(show(0.1, b'f', Some(20)), "0.10000000000000000555");
        assert_eq!(show(1e22, b'f', Some(0)), "10000000000000000000000");
        assert_eq!(show(2.5, b'f', Some(0)), "2");
        assert_eq!(show(3.5, b'f', Some(0)), "4");
        assert_eq!(show(0.5, b'f', Some(0)), "0");
        assert_eq!(show(0.6, b'f', Some(0)), "1");
        assert_eq!(show(9.9999, b'e', Some(2)), "1.00e+01");
        assert_eq!(show(100000.0, b'g', None), "100000");
        assert_eq!(show(1e6, b'g', None), "1e+06");
        assert_eq!(show(0.0001, b'g', None), "0.0001");
        assert_eq!(show(0.0, b'g', None), "0");
        assert_eq!(show(-0.0, b'e', Some(1)), "-0.0e+00");
        assert_eq!(show(1.0, b'a', None), "0x1p+0");
        assert_eq!(show(0.1, b'a', None), "0x1.999999999999ap-4");
        assert_eq!(show(1.9999, b'a', Some(1)), "0x2.0p+0");
        assert_eq!(show(5e-324, b'e', Some(3)), "4.941e-324");
        assert_eq!(show(f64::NAN, b'E', None).trim_start_matches('-'), "NAN");
    }

    proptest! {
        /// Rust's own exact formatting agrees (it also rounds half to even on exact values).
        #[test]
        fn fixed_is_rusts(value in prop_oneof![any::<f64>(), -1e6f64..1e6], precision in 0usize..30) {
            prop_assume!(value.is_finite());
            prop_assert_eq!(show(value, b'f', Some(precision)), format!("{value:.precision$}"));
        }
        /// Seventeen digits identify a double.
        #[test]
        fn reads_back(bits: u64) {
            let value = f64::from_bits(bits);
            prop_assume!(value.is_finite());
            prop_assert_eq!(show(value, b'e', Some(16)).parse::<f64>().map(f64::to_bits), Ok(bits));
            prop_assert_eq!(show(value, b'g', Some(17)).parse::<f64>().map(f64::to_bits), Ok(bits));
        }
    }
}
