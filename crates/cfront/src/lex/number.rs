//! The value of a number token.

use crate::ast::{FloatSuffix, IntLit};

/// A number's meaning.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Number {
    Int(IntLit),
    Float {
        text: String,
        suffix: FloatSuffix,
        imaginary: bool,
    },
}

/// Reads a preprocessing number, or says what is wrong with it.
pub(crate) fn parse(text: &str) -> Result<Number, String> {
    let text = text.replace('\'', "");
    let lower = text.to_ascii_lowercase();
    let (base, body) = match lower.as_bytes() {
        [b'0', b'x', ..] => (16, &lower[2..]),
        [b'0', b'b', ..] => (2, &lower[2..]),
        [b'0', ..] => (8, &lower[..]),
        _ => (10, &lower[..]),
    };
    let digits = |from: usize| {
        let hex = base == 16;
        body[from..]
            .find(|c: char| !(c.is_ascii_digit() || hex && c.is_ascii_hexdigit()))
            .map_or(body.len(), |n| from + n)
    };
    let mut end = digits(0);
    let mut mantissa_digits = end;
    let mut float = false;
    if base != 2 && body[end..].starts_with('.') {
        float = true;
        let after = digits(end + 1);
        mantissa_digits += after - end - 1;
        end = after;
    }
    let exponent = if base == 16 { 'p' } else { 'e' };
    if base != 2 && body[end..].starts_with(exponent) {
        float = true;
        let sign = usize::from(body[end + 1..].starts_with(['+', '-']));
        let from = end + 1 + sign;
        // Exponents are decimal, whatever the base.
        let to = body[from..]
            .find(|c: char| !c.is_ascii_digit())
            .map_or(body.len(), |n| from + n);
        if to == from {
            return Err(format!("the exponent of `{text}` has no digits"));
        }
        end = to;
    } else if float && base == 16 {
        return Err(format!("the hexadecimal number `{text}` needs an exponent"));
    }
    if mantissa_digits == 0 {
        return Err(format!("`{text}` has no digits"));
    }
    let suffix = &body[end..];
    let bad_suffix = || {
        let given = &text[text.len() - suffix.len()..];
        format!("`{given}` is not a suffix of a number")
    };
    if float {
        let (suffix, imaginary) = float_suffix(suffix).ok_or_else(bad_suffix)?;
        let len = text.len() - (body.len() - end);
        let text = text[..len].to_owned();
        return Ok(Number::Float {
            text,
            suffix,
            imaginary,
        });
    }
    let digits = &body[..end];
    let value = match base {
        2 | 8 => {
            if let Some(bad) = digits.chars().find(|c| c.to_digit(base).is_none()) {
                let kind = if base == 2 { "a binary" } else { "an octal" };
                return Err(format!("`{bad}` is not a digit of {kind} number"));
            }
            u128::from_str_radix(digits, base)
        }
        _ => u128::from_str_radix(digits, base),
    };
    let value = value.map_err(|_| format!("the number `{text}` is too large"))?;
    int_suffix(suffix, value, base == 10)
        .ok_or_else(bad_suffix)
        .map(Number::Int)
}

/// `suffix` is in lower case. `None` if it is no suffix at all.
fn int_suffix(mut suffix: &str, value: u128, decimal: bool) -> Option<IntLit> {
    let mut int = IntLit {
        value,
        decimal,
        unsigned: false,
        longs: 0,
        imaginary: false,
        bit_int: false,
    };
    let mut sized = false;
    while let Some(first) = suffix.chars().next() {
        let len = match first {
            'u' if !int.unsigned => {
                int.unsigned = true;
                1
            }
            'l' if !sized => {
                sized = true;
                int.longs = if suffix.starts_with("ll") { 2 } else { 1 };
                usize::from(int.longs)
            }
            // C2y and glibc's `size_t` suffix: `size_t` is `unsigned long` on both targets' GNU C
            // in everything but name.
            'z' if !sized => {
                sized = true;
                int.longs = 1;
                1
            }
            'w' if !sized && suffix.starts_with("wb") => {
                sized = true;
                int.bit_int = true;
                2
            }
            'i' | 'j' if !int.imaginary => {
                int.imaginary = true;
                1
            }
            _ => return None,
        };
        suffix = &suffix[len..];
    }
    Some(int)
}

/// The type, and whether the number is imaginary; `suffix` is in lower case.
fn float_suffix(suffix: &str) -> Option<(FloatSuffix, bool)> {
    // Imaginary constants may carry `i` on either side of the size.
    let real = suffix
        .strip_prefix(['i', 'j'])
        .or_else(|| suffix.strip_suffix(['i', 'j']));
    let size = match real.unwrap_or(suffix) {
        "" | "d" => FloatSuffix::None,
        "f" => FloatSuffix::F,
        "f16" => FloatSuffix::F16,
        "l" => FloatSuffix::L,
        "f32" => FloatSuffix::F32,
        "f64" => FloatSuffix::F64,
        "f32x" => FloatSuffix::F32x,
        "f64x" | "w" => FloatSuffix::F64x,
        "f128" | "q" => FloatSuffix::F128,
        "bf16" | "df" | "dd" | "dl" | "d32" | "d64" | "d128" => FloatSuffix::Unsupported,
        _ => return None,
    };
    Some((size, real.is_some()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(text: &str, expect: &str) {
        let shown = match parse(text) {
            Err(message) => message,
            Ok(Number::Float {
                text,
                suffix,
                imaginary,
            }) => format!("{text} {suffix:?}{}", if imaginary { " i" } else { "" }),
            Ok(Number::Int(int)) => format!(
                "{}{}{}{}{}",
                int.value,
                if int.unsigned { "u" } else { "" },
                "l".repeat(int.longs.into()),
                if int.imaginary { "i" } else { "" },
                if int.decimal { " dec" } else { "" },
            ),
        };
        assert_eq!(shown, expect, "{text}");
    }

    #[test]
    fn integers() {
        check("0", "0");
        check("7", "7 dec");
        check("017", "15");
        check("0xFFuLL", "255ull");
        check("0XfLu", "15ul");
        check("0b1010", "10");
        check("1'000'000", "1000000 dec");
        check("12uz", "12ul dec");
        check("3i", "3i dec");
        check("0xep1", "0xep1 None");
        check(
            "340282366920938463463374607431768211455",
            "340282366920938463463374607431768211455 dec",
        );
        check(
            "340282366920938463463374607431768211456",
            "the number `340282366920938463463374607431768211456` is too large",
        );
        check("09", "`9` is not a digit of an octal number");
        check("0b12", "`2` is not a digit of a binary number");
        check("0x", "`0x` has no digits");
        check("12abc", "`abc` is not a suffix of a number");
        check("1lul", "`lul` is not a suffix of a number");
        check("1ulul", "`ulul` is not a suffix of a number");
    }

    #[test]
    fn floats() {
        check("1.", "1. None");
        check(".5F", ".5 F");
        check("09.5", "09.5 None");
        check("1e10L", "1e10 L");
        check("1E+3f32x", "1E+3 F32x");
        check("0x1.8p-3f", "0x1.8p-3 F");
        check("0x.8P1q", "0x.8P1 F128");
        check("1.0i", "1.0 None i");
        check("1.0fi", "1.0 F i");
        check("1.0dd", "1.0 Unsupported");
        check("1e", "the exponent of `1e` has no digits");
        check("0x1.8", "the hexadecimal number `0x1.8` needs an exponent");
        check("1.5x", "`x` is not a suffix of a number");
        check("1.2.3", "`.3` is not a suffix of a number");
    }

    proptest! {
        #[test]
        fn decimal_and_hexadecimal_agree(n: u128) {
            let value = |text: &str| match parse(text) {
                Ok(Number::Int(int)) => int.value,
                other => panic!("{other:?}"),
            };
            prop_assert_eq!(value(&format!("{n}")), n);
            prop_assert_eq!(value(&format!("{n:#x}")), n);
            prop_assert_eq!(value(&format!("{n:#b}u")), n);
            prop_assert_eq!(value(&format!("0{n:o}ll")), n);
        }

        #[test]
        fn no_text_panics(text in "[0-9.][0-9a-zA-Z_.+'-]{0,12}") {
            let _ = parse(&text);
        }
    }
}
