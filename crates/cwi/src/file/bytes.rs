//! Numbers and texts as bytes.

use super::FileError;

/// 64-bit FNV-1a. Each step is a bijection, so a single changed byte always shows.
pub(super) fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |sum, b| {
        (sum ^ u64::from(*b)).wrapping_mul(0x100_0000_01b3)
    })
}

/// The number of `item` in a table of all its kind.
pub(super) fn place_in<T: PartialEq>(table: &[T], item: &T) -> u8 {
    let found = table.iter().position(|t| t == item);
    found.expect("the table is complete") as u8
}

#[derive(Default)]
pub(super) struct Writer {
    pub out: Vec<u8>,
    /// The last position written.
    pub loc: u32,
    /// A variable near those that the current function uses.
    pub near: u32,
}

impl Writer {
    pub fn byte(&mut self, byte: u8) {
        self.out.push(byte);
    }
    pub fn number(&mut self, n: impl Into<u128>) {
        let mut n: u128 = n.into();
        while n >= 0x80 {
            self.out.push(n as u8 | 0x80);
            n >>= 7;
        }
        self.out.push(n as u8);
    }
    pub fn size(&mut self, n: usize) {
        self.number(n as u64);
    }
    pub fn signed(&mut self, n: i128) {
        self.number((n << 1 ^ n >> 127) as u128);
    }
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.size(bytes.len());
        self.out.extend(bytes);
    }
    pub fn text(&mut self, text: &str) {
        self.bytes(text.as_bytes());
    }
    pub fn loc(&mut self, loc: crate::LocId) {
        self.signed(i128::from(loc.0) - i128::from(self.loc));
        self.loc = loc.0;
    }
    pub fn var(&mut self, var: crate::VarId) {
        self.signed(i128::from(var.0) - i128::from(self.near));
    }
}

pub(super) struct Reader<'f> {
    file: &'f [u8],
    at: usize,
    /// The last position read.
    pub loc: u32,
    /// A variable near those that the current function uses.
    pub near: u32,
}

impl<'f> Reader<'f> {
    pub fn new(file: &'f [u8], at: usize) -> Reader<'f> {
        Reader {
            file,
            at,
            loc: 0,
            near: 0,
        }
    }
    pub fn malformed(&self, what: impl Into<String>) -> FileError {
        FileError::Malformed {
            offset: self.at as u64,
            what: what.into(),
        }
    }
    /// Bytes that are left.
    pub fn left(&self) -> usize {
        self.file.len() - self.at
    }
    pub fn byte(&mut self) -> Result<u8, FileError> {
        let byte = self.file.get(self.at).copied();
        let byte = byte.ok_or_else(|| self.malformed("the contents end too early"))?;
        self.at += 1;
        Ok(byte)
    }
    pub fn number(&mut self) -> Result<u128, FileError> {
        let mut n = 0u128;
        for shift in (0..).step_by(7) {
            let byte = self.byte()?;
            let part = u128::from(byte & 0x7f);
            if shift > 126 || (part << shift) >> shift != part {
                return Err(self.malformed("a number is too large"));
            }
            n |= part << shift;
            if byte < 0x80 {
                break;
            }
        }
        Ok(n)
    }
    /// A number that fits `T`.
    pub fn small<T: TryFrom<u128>>(&mut self) -> Result<T, FileError> {
        let n = self.number()?;
        T::try_from(n).map_err(|_| self.malformed("a number is too large"))
    }
    pub fn signed(&mut self) -> Result<i128, FileError> {
        let n = self.number()?;
        Ok((n >> 1) as i128 ^ -((n & 1) as i128))
    }
    /// How many items follow. Each takes at least one byte, so a count past the end is wrong,
    /// and nobody reserves memory for it.
    pub fn count(&mut self) -> Result<usize, FileError> {
        let n: usize = self.small()?;
        if n > self.left() {
            return Err(self.malformed("a count is larger than the file"));
        }
        Ok(n)
    }
    pub fn bytes(&mut self) -> Result<&'f [u8], FileError> {
        let n = self.count()?;
        let bytes = &self.file[self.at..self.at + n];
        self.at += n;
        Ok(bytes)
    }
    pub fn text(&mut self) -> Result<String, FileError> {
        let text = std::str::from_utf8(self.bytes()?);
        let text = text.map_err(|_| self.malformed("a text is not UTF-8"))?;
        Ok(text.to_owned())
    }
    fn near(&mut self, start: u32) -> Result<u32, FileError> {
        let n = self.signed()?.checked_add(i128::from(start));
        let n = n.and_then(|n| u32::try_from(n).ok());
        n.ok_or_else(|| self.malformed("a number is out of range"))
    }
    pub fn loc(&mut self) -> Result<crate::LocId, FileError> {
        self.loc = self.near(self.loc)?;
        Ok(crate::LocId(self.loc))
    }
    pub fn var(&mut self) -> Result<crate::VarId, FileError> {
        Ok(crate::VarId(self.near(self.near)?))
    }
}
