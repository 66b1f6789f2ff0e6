//! Values as C constants.

use crate::summary::show;
use cwolf_cwi::value::Value;
use cwolf_cwi::{FloatTy, Program, Type, TypeId};
use cwolf_prepare::slic::ctype;

/// A value as a C constant.
pub(super) fn literal(program: &Program, ty: TypeId, value: Value) -> String {
    let types = &program.types;
    match (&types[ty], value) {
        (Type::Pointer(_), Value::Int(v)) => {
            let pointer = ctype::declare(types, ty, "");
            let outside = i128::from(cwolf_interp::OUTSIDE);
            match v - outside {
                offset if (0..i128::from(cwolf_interp::OUTSIDE_SIZE)).contains(&offset) => {
                    format!("({pointer})(cwolf_outside + {offset})")
                }
                _ => format!("({pointer}){v:#x}"),
            }
        }
        (Type::Int(int), Value::Int(v)) => {
            let wide = int.bits > 32;
            match (int.signed, wide) {
                _ if int.bits > 64 => wide_integer(v, int.signed),
                // The smallest number has no literal of its own.
                (true, false) if v == i32::MIN.into() => "(-2147483647 - 1)".into(),
                (true, true) if v == i64::MIN.into() => "(-9223372036854775807LL - 1)".into(),
                (true, false) => v.to_string(),
                (true, true) => format!("{v}LL"),
                (false, false) => format!("{v}u"),
                (false, true) => format!("{v}ULL"),
            }
        }
        (Type::Float(f), Value::Float(bits)) => float(*f, bits),
        (_, value) => show(program, ty, value),
    }
}

fn wide_integer(v: i128, signed: bool) -> String {
    let (high, low) = ((v >> 64) as i64, v as u64);
    let kind = if signed {
        "__int128"
    } else {
        "unsigned __int128"
    };
    format!(
        "(({kind})(((unsigned __int128){}ULL << 64) | {low}ULL))",
        high as u64
    )
}

/// What is printed for people is rounded; a hexadecimal constant is exact. What has none is given by
/// its bytes.
fn float(kind: FloatTy, bits: u128) -> String {
    use cwolf_cwi::value::float::encoded_size;
    let (value, name) = match kind {
        FloatTy::F16 => (None, "_Float16"),
        FloatTy::F32 => (Some(f64::from(f32::from_bits(bits as u32))), "float"),
        FloatTy::F64 => (Some(f64::from_bits(bits as u64)), "double"),
        FloatTy::F80 => (None, "long double"),
        FloatTy::F128 => (None, "__float128"),
    };
    match value {
        Some(value) if value.is_finite() => exact(value),
        _ => {
            let bytes = byte_list(&bits.to_le_bytes()[..encoded_size(kind)]);
            format!("((union {{ unsigned char bytes[16]; {name} value; }}){{{{{bytes}}}}}).value")
        }
    }
}

fn exact(value: f64) -> String {
    let bits = value.to_bits();
    let sign = if bits >> 63 == 1 { "-" } else { "" };
    let exponent = (bits >> 52 & 0x7ff) as i64;
    let fraction = bits & ((1 << 52) - 1);
    match exponent {
        0 => format!("{sign}0x0.{fraction:013x}p-1022"),
        _ => format!("{sign}0x1.{fraction:013x}p{}", exponent - 1023),
    }
}

pub(super) fn byte_list(bytes: &[u8]) -> String {
    let all: Vec<String> = bytes.iter().map(u8::to_string).collect();
    all.join(",")
}

/// A text as a C string.
pub(super) fn string(text: &[u8]) -> String {
    let mut out = String::from("\"");
    for byte in text {
        match byte {
            b' '..=b'~' if !b"\"\\?".contains(byte) => out.push(*byte as char),
            _ => out += &format!("\\{byte:03o}"),
        }
    }
    out + "\""
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubles_are_written_exactly() {
        assert_eq!(exact(1.5), "0x1.8000000000000p0");
        assert_eq!(exact(-0.0), "-0x0.0000000000000p-1022");
        assert_eq!(exact(5e-324), "0x0.0000000000001p-1022");
    }

    #[test]
    fn what_has_no_constant_is_given_by_its_bytes() {
        let nan = float(FloatTy::F32, 0xffc0_0001);
        assert_eq!(
            nan,
            "((union { unsigned char bytes[16]; float value; }){{1,0,192,255}}).value"
        );
    }

    #[test]
    fn strings_hold_any_byte() {
        assert_eq!(string(b"-v\0\xff\"?1"), "\"-v\\000\\377\\042\\0771\"");
    }
}
