//! Bytes in: plain, gzip or xz, told apart by their first bytes, as lines or as a whole.

use super::error::{ReadError, Stopped};
use cwolf_base::Budget;
use std::io::Read;

/// Past this, a line is not a line of a transition system.
const MAX_LINE: usize = 1 << 26;
/// Formats that are read as a whole are refused past this, so that a small compressed file
/// cannot fill the memory.
const MAX_WHOLE: u64 = 1 << 32;
/// What the xz decoder may use; `xz -9` needs 65 MiB.
const XZ_MEMORY_KIB: u32 = 512 * 1024;

/// Undoes gzip or xz compression, if there is one.
pub(crate) fn decompressed<'a>(mut raw: impl Read + 'a) -> std::io::Result<Box<dyn Read + 'a>> {
    let mut head = [0u8; 6];
    let mut len = 0;
    while len < head.len() {
        match raw.read(&mut head[len..])? {
            0 => break,
            n => len += n,
        }
    }
    let all = std::io::Cursor::new(head).take(len as u64).chain(raw);
    Ok(if head[..len].starts_with(b"\xFD7zXZ\0") {
        Box::new(lzma_rust2::XzReader::new_mem_limit(
            all,
            true,
            XZ_MEMORY_KIB,
        ))
    } else if head[..len].starts_with(b"\x1F\x8B") {
        Box::new(flate2::read::MultiGzDecoder::new(all))
    } else {
        Box::new(all)
    })
}

/// An input that ends with an error when a budget runs out.
pub(crate) struct Watched<R> {
    input: R,
    budget: Budget,
    bytes: u64,
    checked: u64,
}

impl<R: Read> Watched<R> {
    pub(crate) fn new(input: R, budget: &Budget) -> std::io::Result<Watched<R>> {
        // Steps are states; how large a file may be is no matter of theirs.
        let watched = Watched {
            input,
            budget: budget.clone(),
            bytes: 0,
            checked: 0,
        };
        watched.check()?;
        Ok(watched)
    }
    fn check(&self) -> std::io::Result<()> {
        let mb = self.bytes >> 20;
        self.budget.tell(|| format!("reading, {mb} MB"));
        self.budget
            .check_but_steps()
            .map_err(|e| std::io::Error::other(Stopped(e)))
    }
}

impl<R: Read> Read for Watched<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.bytes - self.checked >= 1 << 20 {
            self.checked = self.bytes;
            self.check()?;
        }
        let n = self.input.read(buffer)?;
        self.bytes += n as u64;
        Ok(n)
    }
}

/// An input with a name, read line by line without a copy of each line.
pub(crate) struct Lines<'a> {
    file: &'a str,
    input: Box<dyn Read + 'a>,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    line: u64,
    at_end: bool,
}

impl<'a> Lines<'a> {
    pub(crate) fn new(file: &'a str, input: Box<dyn Read + 'a>) -> Lines<'a> {
        Lines {
            file,
            input,
            buffer: vec![0; 1 << 16],
            start: 0,
            end: 0,
            line: 0,
            at_end: false,
        }
    }
    /// The next line without its end, or nothing after the last.
    pub(crate) fn next(&mut self) -> Result<Option<&[u8]>, ReadError> {
        let mut searched = self.start;
        loop {
            let found = self.buffer[searched..self.end]
                .iter()
                .position(|&b| b == b'\n');
            if let Some(n) = found {
                let line = self.start..searched + n;
                self.start = line.end + 1;
                self.line += 1;
                let line = &self.buffer[line];
                return Ok(Some(line.strip_suffix(b"\r").unwrap_or(line)));
            }
            if self.at_end {
                if self.start == self.end {
                    return Ok(None);
                }
                let line = self.start..self.end;
                self.start = self.end;
                self.line += 1;
                return Ok(Some(&self.buffer[line]));
            }
            searched = self.refill()?;
        }
    }
    /// Reads more; returns from where on the buffer is new.
    fn refill(&mut self) -> Result<usize, ReadError> {
        if self.start > 0 {
            self.buffer.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
        }
        if self.end == self.buffer.len() {
            if self.end >= MAX_LINE {
                return Err(ReadError::at(
                    self.file,
                    self.line + 1,
                    1,
                    "this line is too long",
                ));
            }
            self.buffer.resize(self.end * 2, 0);
        }
        let before = self.end;
        let n = self
            .input
            .read(&mut self.buffer[before..])
            .map_err(|e| ReadError::from_io(self.file, self.line + 1, 1, "cannot read on", &e))?;
        self.end += n;
        self.at_end = n == 0;
        Ok(before)
    }
    /// A mistake at `column` (from 0) of the line that was returned last.
    pub(crate) fn error(&self, column: usize, message: impl Into<String>) -> ReadError {
        ReadError::at(self.file, self.line.max(1), column as u64 + 1, message)
    }
}

/// The whole text.
pub(crate) fn whole(file: &str, input: Box<dyn Read + '_>) -> Result<String, ReadError> {
    let mut bytes = Vec::new();
    let result = input.take(MAX_WHOLE).read_to_end(&mut bytes);
    if let Err(e) = result {
        let (line, column) = position(&bytes);
        return Err(ReadError::from_io(file, line, column, "cannot read on", &e));
    }
    if bytes.len() as u64 == MAX_WHOLE {
        return Err(ReadError::whole(file, "the text is longer than 4 GiB")
            .hint("`.aut` and `.fsm` files have no such limit"));
    }
    String::from_utf8(bytes).map_err(|e| {
        let good = e.utf8_error().valid_up_to();
        let (line, column) = position(&e.as_bytes()[..good]);
        ReadError::at(file, line, column, "the text is not UTF-8 here")
    })
}

/// The line and column, from 1, just after `before`.
pub(crate) fn position(before: &[u8]) -> (u64, u64) {
    let line = before.iter().filter(|&&b| b == b'\n').count() as u64 + 1;
    let start = before
        .iter()
        .rposition(|&b| b == b'\n')
        .map_or(0, |n| n + 1);
    (line, (before.len() - start) as u64 + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &[u8]) -> Vec<Vec<u8>> {
        let mut lines = Lines::new("x", Box::new(text));
        let mut list = Vec::new();
        while let Some(line) = lines.next().unwrap() {
            list.push(line.to_vec());
        }
        list
    }

    #[test]
    fn lines_end_in_every_usual_way() {
        assert_eq!(
            lines(b"a\r\n\nb"),
            [b"a".to_vec(), b"".to_vec(), b"b".to_vec()]
        );
        assert_eq!(lines(b""), Vec::<Vec<u8>>::new());
        let long = vec![b'x'; 200_000];
        let text = [&long[..], b"\ny\n"].concat();
        assert_eq!(lines(&text), [long, b"y".to_vec()]);
    }

    #[test]
    fn positions_count_from_one() {
        assert_eq!(position(b""), (1, 1));
        assert_eq!(position(b"ab\nc"), (2, 2));
    }
}
