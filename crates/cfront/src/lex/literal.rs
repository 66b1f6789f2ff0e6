//! The value of a character constant or string.

use crate::ast::CharKind;
use crate::preprocess::raw_byte;

/// A string's value with what was odd about it.
pub(crate) struct Decoded {
    /// Code units in the width of the kind.
    pub units: Vec<u32>,
    /// Mistakes that do not keep the rest from being read.
    pub problems: Vec<String>,
}

/// The kind that a literal's prefix names.
pub(crate) fn kind_of(text: &str) -> CharKind {
    match text.as_bytes() {
        [b'u', b'8', ..] => CharKind::Utf8,
        [b'u', ..] => CharKind::Utf16,
        [b'U', ..] => CharKind::Utf32,
        [b'L', ..] => CharKind::Wide,
        _ => CharKind::Plain,
    }
}

/// What stands between the quotes. An unterminated literal (reported by the lexer) has only one.
fn inside(text: &str) -> &str {
    let Some(open) = text.find(['"', '\'']) else {
        return "";
    };
    let quote = &text[open..=open];
    let body = &text[open + 1..];
    body.strip_suffix(quote).unwrap_or(body)
}

/// Appends the code units of one string token, read as a string of `kind`.
pub(crate) fn decode(text: &str, kind: CharKind, out: &mut Decoded) {
    let body = inside(text);
    out.units.reserve(body.len());
    let mut chars = body.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '\\' {
            match raw_byte(c) {
                Some(byte) => out.units.push(byte.into()),
                None => push_char(c, kind, &mut out.units),
            }
            continue;
        }
        let Some(c) = chars.next() else {
            out.problems.push("`\\` with nothing after it".into());
            break;
        };
        let simple = match c {
            'n' => 10,
            't' => 9,
            'r' => 13,
            'a' => 7,
            'b' => 8,
            'f' => 12,
            'v' => 11,
            // GNU C's escape character.
            'e' | 'E' => 27,
            '\\' | '\'' | '"' | '?' => c as u32,
            // As in gcc, for format strings.
            '(' | '{' | '[' | '%' => c as u32,
            '0'..='7' => {
                let mut value = c as u32 - '0' as u32;
                for _ in 0..2 {
                    let Some(digit) = chars.peek().and_then(|c| c.to_digit(8)) else {
                        break;
                    };
                    value = value * 8 + digit;
                    chars.next();
                }
                out.units.push(fit(value.into(), kind, &mut out.problems));
                continue;
            }
            'x' => {
                let mut value: u64 = 0;
                let mut digits = 0;
                while let Some(digit) = chars.peek().and_then(|c| c.to_digit(16)) {
                    value = value.saturating_mul(16).saturating_add(digit.into());
                    digits += 1;
                    chars.next();
                }
                if digits == 0 {
                    out.problems.push("`\\x` without hexadecimal digits".into());
                }
                out.units.push(fit(value, kind, &mut out.problems));
                continue;
            }
            'u' | 'U' => {
                let want = if c == 'u' { 4 } else { 8 };
                let mut value: u32 = 0;
                let mut digits = 0;
                while digits < want {
                    let Some(digit) = chars.peek().and_then(|c| c.to_digit(16)) else {
                        break;
                    };
                    value = (value << 4) | digit;
                    digits += 1;
                    chars.next();
                }
                match char::from_u32(value) {
                    Some(c) if digits == want => push_char(c, kind, &mut out.units),
                    _ => out
                        .problems
                        .push(format!("`\\{c}` without a character's number")),
                }
                continue;
            }
            _ => {
                out.problems
                    .push(format!("unknown escape sequence `\\{}`", c.escape_debug()));
                push_char(c, kind, &mut out.units);
                continue;
            }
        };
        out.units.push(simple);
    }
}

fn push_char(c: char, kind: CharKind, units: &mut Vec<u32>) {
    match kind {
        CharKind::Plain | CharKind::Utf8 => {
            units.extend(c.encode_utf8(&mut [0; 4]).bytes().map(u32::from));
        }
        CharKind::Utf16 => units.extend(c.encode_utf16(&mut [0; 2]).iter().map(|&u| u32::from(u))),
        CharKind::Utf32 | CharKind::Wide => units.push(c as u32),
    }
}

fn fit(value: u64, kind: CharKind, problems: &mut Vec<String>) -> u32 {
    let mask = match kind {
        CharKind::Plain | CharKind::Utf8 => 0xff,
        CharKind::Utf16 => 0xffff,
        CharKind::Utf32 | CharKind::Wide => u32::MAX,
    };
    if value > u64::from(mask) {
        problems.push("escape sequence too large for its character type".into());
    }
    value as u32 & mask
}

/// The value of a character constant, as gcc computes it; `signed` says whether plain `char` is.
pub(crate) fn char_value(text: &str, signed: bool) -> (i64, CharKind, Vec<String>) {
    let kind = kind_of(text);
    let mut decoded = Decoded {
        units: Vec::new(),
        problems: Vec::new(),
    };
    decode(text, kind, &mut decoded);
    let Decoded { units, problems } = decoded;
    let last = units.last().copied().unwrap_or(0);
    let value = match kind {
        CharKind::Plain if units.len() == 1 && signed => i64::from(last as u8 as i8),
        // Several characters pile up in an `int`, the last lowest.
        CharKind::Plain => {
            let all = units.iter().fold(0u32, |sum, unit| (sum << 8) | unit);
            i64::from(all as i32)
        }
        CharKind::Wide => i64::from(last as i32),
        CharKind::Utf8 | CharKind::Utf16 | CharKind::Utf32 => i64::from(last),
    };
    (value, kind, problems)
}

/// Whether a character constant has nothing between its quotes.
pub(crate) fn is_empty(text: &str) -> bool {
    inside(text).is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check_char(text: &str, value: i64, kind: CharKind) {
        let (got, got_kind, problems) = char_value(text, true);
        assert_eq!((got, got_kind), (value, kind), "{text}");
        assert_eq!(problems, Vec::<String>::new(), "{text}");
    }

    fn check_str(text: &str, units: &[u32]) {
        let mut out = Decoded {
            units: Vec::new(),
            problems: Vec::new(),
        };
        decode(text, kind_of(text), &mut out);
        assert_eq!(out.units, units, "{text}");
        assert_eq!(out.problems, Vec::<String>::new(), "{text}");
    }

    #[test]
    fn characters() {
        check_char("'a'", 97, CharKind::Plain);
        check_char(r"'\xff'", -1, CharKind::Plain);
        check_char(r"'\377'", -1, CharKind::Plain);
        check_char(r"'\0'", 0, CharKind::Plain);
        check_char(r"'\''", 39, CharKind::Plain);
        check_char("'\"'", 34, CharKind::Plain);
        check_char(r"'\e'", 27, CharKind::Plain);
        check_char("'ab'", 0x6162, CharKind::Plain);
        check_char("'abcd'", 0x61626364, CharKind::Plain);
        check_char("'abcde'", 0x62636465, CharKind::Plain);
        check_char(r"'\xff\xff\xff\xff'", -1, CharKind::Plain);
        // Checked with gcc 12: a character of two bytes is a multi-character constant.
        check_char("'é'", 0xc3a9, CharKind::Plain);
        check_char("L'é'", 0xe9, CharKind::Wide);
        check_char(r"L'\xffffffff'", -1, CharKind::Wide);
        check_char(r"u'\xffff'", 0xffff, CharKind::Utf16);
        check_char("U'😀'", 0x1f600, CharKind::Utf32);
        check_char(r"u8'\xff'", 255, CharKind::Utf8);
    }

    #[test]
    fn strings() {
        check_str(r#""a\n\x41\101\u00e9""#, &[97, 10, 65, 65, 0xc3, 0xa9]);
        check_str(r#"L"\u00e9""#, &[0xe9]);
        check_str(r#"u"😀""#, &[0xd83d, 0xde00]);
        check_str(r#""\1234""#, &[0o123, '4' as u32]);
        check_str("\"\"", &[]);
        check_str("\"a'b\"", &[97, 39, 98]);
    }

    #[test]
    fn bytes_that_are_no_utf8_come_back() {
        let text = crate::preprocess::decode(b"\"\xe9\xff\"");
        check_str(&text, &[0xe9, 0xff]);
    }

    #[test]
    fn mistakes_are_told() {
        for (text, problem) in [
            (
                r"'\x100'",
                "escape sequence too large for its character type",
            ),
            (
                r"'\777'",
                "escape sequence too large for its character type",
            ),
            (r"'\x'", "`\\x` without hexadecimal digits"),
            (r"'\q'", "unknown escape sequence `\\q`"),
            (r"'\u12'", "`\\u` without a character's number"),
            (r"'\ud800'", "`\\u` without a character's number"),
        ] {
            assert_eq!(char_value(text, true).2, [problem], "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_a_string(text: String) {
            let plain = text.replace(['\\', '"'], "");
            let quoted = format!("\"{plain}\"");
            let mut out = Decoded { units: Vec::new(), problems: Vec::new() };
            decode(&crate::preprocess::decode(quoted.as_bytes()), CharKind::Plain, &mut out);
            let bytes: Vec<u32> = plain.bytes().map(u32::from).collect();
            prop_assert_eq!(out.units, bytes);
        }
    }
}
