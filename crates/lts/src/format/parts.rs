//! A system in parts, as several processes write it: an index with the header of an `.aut` file
//! and how many parts there are, and next to it one file a part, named after the index with a
//! dot and a number. Each part has lines of an `.aut` file, by rising source. Together, by rising
//! source, they are that file.

use super::error::ReadError;
use std::io::{BufRead, BufReader, Error, ErrorKind, Read, Result as IoResult, Write};
use std::path::{Path, PathBuf};

/// The suffix of an index.
pub const PARTS_SUFFIX: &str = "parts";

/// The file of a part.
pub fn part_path(index: &Path, part: usize) -> PathBuf {
    let mut name = index.as_os_str().to_owned();
    name.push(format!(".{part}"));
    name.into()
}

/// Writes the index of a system that starts in state 0.
pub fn write_index(
    states: u64,
    transitions: u64,
    parts: usize,
    out: &mut dyn Write,
) -> IoResult<()> {
    writeln!(out, "des (0,{transitions},{states})")?;
    writeln!(out, "parts {parts}")
}

pub(crate) fn is_index(path: &Path) -> bool {
    path.extension().is_some_and(|e| e == PARTS_SUFFIX)
}

/// One part, with its next line.
struct Part {
    input: BufReader<std::fs::File>,
    line: Vec<u8>,
    source: u64,
}

impl Part {
    /// Goes to the next line; whether there is one.
    fn next(&mut self) -> IoResult<bool> {
        self.line.clear();
        if self.input.read_until(b'\n', &mut self.line)? == 0 {
            return Ok(false);
        }
        // Another part's line may come after the last one.
        if !self.line.ends_with(b"\n") {
            self.line.push(b'\n');
        }
        let digits = self.line.strip_prefix(b"(").unwrap_or_default();
        let len = digits.iter().take_while(|b| b.is_ascii_digit()).count();
        let number = std::str::from_utf8(&digits[..len]).ok();
        let number = number.and_then(|n| n.parse().ok());
        let wrong = || Error::new(ErrorKind::InvalidData, "a line of a part has no source");
        self.source = number.ok_or_else(wrong)?;
        Ok(true)
    }
}

/// The lines of all parts, by rising source.
pub(crate) struct Merged {
    parts: Vec<Part>,
    /// What is read next.
    ready: Vec<u8>,
    at: usize,
    /// The part whose line that is.
    current: Option<usize>,
}

/// Opens the parts that an index stands for.
pub(crate) fn open(path: &Path) -> Result<Merged, ReadError> {
    let name = path.display().to_string();
    let text = std::fs::read_to_string(path)
        .map_err(|e| ReadError::whole(&name, format!("cannot open it: {e}")))?;
    let mut lines = text.lines();
    let header = lines.next().unwrap_or_default();
    let count = lines.next().and_then(|l| l.strip_prefix("parts "));
    let Some(count) = count.and_then(|c| c.trim().parse::<usize>().ok()) else {
        let message = "expected the header of an .aut file and a line `parts N`";
        return Err(ReadError::at(&name, 2, 1, message));
    };
    let mut parts = Vec::new();
    for n in 0..count {
        let path = part_path(path, n);
        let wrong = |e: Error| ReadError::whole(&path.display().to_string(), e.to_string());
        let mut part = Part {
            input: BufReader::with_capacity(1 << 16, std::fs::File::open(&path).map_err(wrong)?),
            line: Vec::new(),
            source: 0,
        };
        if part.next().map_err(wrong)? {
            parts.push(part);
        }
    }
    Ok(Merged {
        parts,
        ready: format!("{header}\n").into_bytes(),
        at: 0,
        current: None,
    })
}

impl Merged {
    /// Gets the next line ready; whether there is one.
    fn advance(&mut self) -> IoResult<bool> {
        if let Some(part) = self.current.take() {
            let before = self.parts[part].source;
            if !self.parts[part].next()? {
                self.parts.swap_remove(part);
            } else if self.parts[part].source < before {
                let message = "the lines of a part are not sorted by source";
                return Err(Error::new(ErrorKind::InvalidData, message));
            }
        }
        let smallest = (0..self.parts.len()).min_by_key(|n| self.parts[*n].source);
        let Some(part) = smallest else {
            return Ok(false);
        };
        self.current = Some(part);
        self.ready.clear();
        self.ready.append(&mut self.parts[part].line);
        self.at = 0;
        Ok(true)
    }
}

impl Read for Merged {
    fn read(&mut self, buffer: &mut [u8]) -> IoResult<usize> {
        while self.at == self.ready.len() {
            if !self.advance()? {
                return Ok(0);
            }
        }
        let n = buffer.len().min(self.ready.len() - self.at);
        buffer[..n].copy_from_slice(&self.ready[self.at..self.at + n]);
        self.at += n;
        Ok(n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_read_as_one_file() {
        let folder = std::env::temp_dir().join(format!("cwolf-parts-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let index = folder.join("x.parts");
        let parts = [
            "(0,\"a\",1)\n(0,\"b\",2)\n(3,\"a\",0)\n",
            "",
            "(1,\"b\",3)\n(2,\"tau\",3)",
        ];
        for (n, part) in parts.iter().enumerate() {
            std::fs::write(part_path(&index, n), part).expect("a file");
        }
        let mut bytes = Vec::new();
        write_index(4, 5, 3, &mut bytes).expect("memory");
        std::fs::write(&index, &bytes).expect("a file");
        let lts = crate::read_path(&index, None).expect("parts");
        assert_eq!((lts.states(), lts.transitions()), (4, 5));
        let names: Vec<&str> = lts.labels().names().collect();
        assert_eq!(names, ["tau", "a", "b"]);
        std::fs::write(part_path(&index, 0), "(3,\"a\",1)\n(0,\"b\",2)\n").expect("a file");
        assert!(crate::read_path(&index, None).is_err());
        std::fs::write(part_path(&index, 0), "nothing\n").expect("a file");
        assert!(crate::read_path(&index, None).is_err());
        std::fs::write(part_path(&index, 0), parts[0]).expect("a file");
        std::fs::remove_file(part_path(&index, 2)).expect("removable");
        let missing = crate::read_path(&index, None).expect_err("a part is missing");
        assert!(missing.to_string().contains("x.parts.2"), "{missing}");
        std::fs::remove_dir_all(&folder).expect("removable");
    }
}
