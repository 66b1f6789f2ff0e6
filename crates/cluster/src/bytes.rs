//! Numbers as bytes: seven bits each, the lowest first.

/// Appends a number.
pub(crate) fn put(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Appends a number of either sign.
pub(crate) fn put_signed(out: &mut Vec<u8>, number: i64) {
    put(out, (number << 1 ^ number >> 63) as u64);
}

/// Appends a text with its length.
pub(crate) fn put_text(out: &mut Vec<u8>, text: &str) {
    put(out, text.len() as u64);
    out.extend(text.as_bytes());
}

/// Takes numbers off the front of some bytes. Past their end there are zeros and the reader is
/// [`Reader::bad`]: whoever reads much looks once.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reader<'b> {
    pub rest: &'b [u8],
    pub bad: bool,
}

impl<'b> Reader<'b> {
    pub fn new(rest: &'b [u8]) -> Reader<'b> {
        Reader { rest, bad: false }
    }
    pub fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }
    pub fn number(&mut self) -> u64 {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let Some((&byte, rest)) = self.rest.split_first() else {
                break;
            };
            self.rest = rest;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return number;
            }
        }
        self.bad = true;
        self.rest = &[];
        0
    }
    /// How many things follow, if there can be as many: each takes a byte at least.
    pub fn count(&mut self) -> Option<u64> {
        let count = self.number();
        (count <= self.rest.len() as u64).then_some(count)
    }
    pub fn signed(&mut self) -> i64 {
        let number = self.number();
        (number >> 1) as i64 ^ -((number & 1) as i64)
    }
    pub fn bytes(&mut self) -> &'b [u8] {
        let len = usize::try_from(self.number()).unwrap_or(usize::MAX);
        match self.rest.split_at_checked(len) {
            Some((bytes, rest)) => {
                self.rest = rest;
                bytes
            }
            None => {
                self.bad = true;
                self.rest = &[];
                &[]
            }
        }
    }
    pub fn text(&mut self) -> &'b str {
        let bytes = self.bytes();
        match std::str::from_utf8(bytes) {
            Ok(text) => text,
            Err(_) => {
                self.bad = true;
                ""
            }
        }
    }
}

/// A hash that is the same on every machine.
pub(crate) fn hash(bytes: &[u8]) -> u64 {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut hash = bytes.len() as u64 ^ FACTOR;
    let mut chunks = bytes.chunks_exact(8);
    for chunk in &mut chunks {
        let word = u64::from_le_bytes(chunk.try_into().expect("eight bytes"));
        hash = (hash ^ word).wrapping_mul(FACTOR);
        hash ^= hash >> 29;
    }
    let mut last = [0; 8];
    last[..chunks.remainder().len()].copy_from_slice(chunks.remainder());
    hash = (hash ^ u64::from_le_bytes(last)).wrapping_mul(FACTOR);
    hash = (hash ^ hash >> 32).wrapping_mul(FACTOR);
    hash ^ hash >> 29
}

/// Tells lists of bytes apart; not against those who want to deceive.
pub fn digest<'b>(parts: impl Iterator<Item = &'b [u8]>) -> u128 {
    let mut halves = [0u64, 1];
    for part in parts {
        let part = hash(part);
        for half in &mut halves {
            *half = hash(&[half.to_le_bytes(), part.to_le_bytes()].concat());
        }
    }
    u128::from(halves[0]) << 64 | u128::from(halves[1])
}

/// Which of `peers` workers something with this hash belongs to.
pub(crate) fn owner(hash: u64, peers: usize) -> usize {
    ((u128::from(hash) * peers as u128) >> 64) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back_and_cuts_are_seen() {
        let mut bytes = Vec::new();
        let numbers = [0, 1, 127, 128, 1 << 32, u64::MAX];
        for n in numbers {
            put(&mut bytes, n);
            put_signed(&mut bytes, n as i64);
        }
        put_text(&mut bytes, "ä");
        let mut reader = Reader::new(&bytes);
        for n in numbers {
            assert_eq!((reader.number(), reader.signed()), (n, n as i64));
        }
        assert_eq!(reader.text(), "ä");
        assert!(reader.is_empty() && !reader.bad);
        let mut cut = Reader::new(&bytes[..bytes.len() - 1]);
        for _ in numbers {
            cut.number();
            cut.signed();
        }
        assert_eq!((cut.text(), cut.bad), ("", true));
    }

    #[test]
    fn owners_have_equal_shares() {
        let mut shares = [0; 3];
        for n in 0..30_000u32 {
            shares[owner(hash(&n.to_le_bytes()), 3)] += 1;
        }
        assert!(
            shares.iter().all(|s| (9_500..10_500).contains(s)),
            "{shares:?}"
        );
    }
}
