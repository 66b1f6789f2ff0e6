//! Bytes to characters and back. C files are bytes; most are UTF-8, some are not.

/// A byte that is no UTF-8 becomes the private character with this number plus the byte's value.
const RAW: u32 = 0x10_fe00;

/// `bytes` as text in which nothing is lost: a byte that is not part of valid UTF-8 becomes a
/// private character, from which [`raw_byte`] gets it back. A private character of that range in
/// the input is taken apart the same way, so no two inputs have the same text.
pub(crate) fn decode(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        let valid = chunk.valid();
        // Only plane 16, where the private characters live, starts with this byte.
        if valid.as_bytes().contains(&0xf4) {
            for c in valid.chars() {
                match raw_byte(c) {
                    Some(_) => out.extend(c.encode_utf8(&mut [0; 4]).bytes().map(raw_char)),
                    None => out.push(c),
                }
            }
        } else {
            out.push_str(valid);
        }
        out.extend(chunk.invalid().iter().copied().map(raw_char));
    }
    out
}

fn raw_char(byte: u8) -> char {
    char::from_u32(RAW + u32::from(byte)).expect("a private character")
}

/// The byte that `c` stands for, if [`decode`] made it from one that is not UTF-8.
pub(crate) fn raw_byte(c: char) -> Option<u8> {
    match (c as u32).checked_sub(RAW)? {
        n @ 0x80..=0xff => Some(n as u8),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn no_byte_is_lost(bytes: Vec<u8>) {
            let mut back = Vec::new();
            for c in decode(&bytes).chars() {
                match raw_byte(c) {
                    Some(byte) => back.push(byte),
                    None => back.extend(c.encode_utf8(&mut [0; 4]).bytes()),
                }
            }
            prop_assert_eq!(back, bytes);
        }
    }

    #[test]
    fn private_characters_are_taken_apart() {
        let text = "\u{10fe90}";
        let bytes: Vec<u8> = decode(text.as_bytes())
            .chars()
            .filter_map(raw_byte)
            .collect();
        assert_eq!(bytes, text.as_bytes());
    }

    #[test]
    fn utf8_stays() {
        assert_eq!(decode("né\n".as_bytes()), "né\n");
    }
}
