//! Where text came from. All texts of a run share one range of byte offsets, so that a
//! [`Span`] is eight bytes and needs no file number; line marks (such as a preprocessor
//! leaves behind) say which file, line and include a stretch of text really stands for.

use std::sync::Arc;

/// A stretch of text: byte offsets into a [`SourceMap`], end exclusive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// First byte.
    pub lo: u32,
    /// One past the last byte.
    pub hi: u32,
}

impl Span {
    /// The stretch from `lo` up to, not including, `hi`.
    pub const fn new(lo: u32, hi: u32) -> Span {
        Span { lo, hi }
    }
    /// The smallest stretch that holds both.
    pub fn to(self, end: Span) -> Span {
        Span {
            lo: self.lo.min(end.lo),
            hi: self.hi.max(end.hi),
        }
    }
    /// How many bytes it covers.
    pub const fn len(self) -> u32 {
        self.hi.saturating_sub(self.lo)
    }
    /// Whether it covers no byte.
    pub const fn is_empty(self) -> bool {
        self.len() == 0
    }
}

/// A place as a person names it: file, line, column, all counted from one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// The file's name as the line marks (or the caller) gave it.
    pub file: Arc<str>,
    /// Line, from 1.
    pub line: u32,
    /// Column in bytes, from 1.
    pub column: u32,
}

/// From `offset` on, the text stands for `line` of `file`.
#[derive(Clone, Debug)]
pub struct Mark {
    /// The offset of the first byte of the line after the mark.
    pub offset: u32,
    /// The file that the text stands for.
    pub file: Arc<str>,
    /// The line that the text at `offset` stands for.
    pub line: u32,
    /// Where `file` was included: offset of the mark that was in force and the line of the include.
    pub included_at: Option<(Arc<str>, u32)>,
    /// How many includes deep `file` is; 0 for the main file.
    pub depth: u32,
    /// Whether the text comes from a system header.
    pub system: bool,
}

#[derive(Clone, Debug)]
struct Buffer {
    name: Arc<str>,
    start: u32,
    text: Arc<str>,
    lines: Vec<u32>,
    marks: Vec<Mark>,
}

/// All texts of a run, and what each stands for.
#[derive(Clone, Debug, Default)]
pub struct SourceMap {
    buffers: Vec<Buffer>,
}

impl SourceMap {
    /// Adds a text and returns the offset of its first byte.
    ///
    /// # Panics
    /// When all texts together pass 4 GiB; readers check sizes before.
    pub fn add(&mut self, name: &str, text: Arc<str>) -> u32 {
        let start = self
            .buffers
            .last()
            .map_or(0, |b| b.start + b.text.len() as u32 + 1);
        assert!(
            text.len() < (u32::MAX - start) as usize,
            "less than 4 GiB of source text"
        );
        let mut lines = vec![start];
        lines.extend(memchr_newlines(text.as_bytes()).map(|n| start + n as u32 + 1));
        self.buffers.push(Buffer {
            name: name.into(),
            start,
            text,
            lines,
            marks: Vec::new(),
        });
        start
    }
    /// Adds a line mark to the newest text; marks come in rising order of offset.
    pub fn mark(&mut self, mark: Mark) {
        self.buffers
            .last_mut()
            .expect("a text was added first")
            .marks
            .push(mark);
    }
    fn buffer(&self, offset: u32) -> Option<&Buffer> {
        let after = self.buffers.partition_point(|b| b.start <= offset);
        self.buffers.get(after.checked_sub(1)?)
    }
    fn mark_at(buffer: &Buffer, offset: u32) -> Option<&Mark> {
        let after = buffer.marks.partition_point(|m| m.offset <= offset);
        buffer.marks.get(after.checked_sub(1)?)
    }
    /// The file, line and column that `offset` stands for.
    pub fn position(&self, offset: u32) -> Position {
        let Some(buffer) = self.buffer(offset) else {
            return Position {
                file: "<unknown>".into(),
                line: 1,
                column: 1,
            };
        };
        let line_of = |at: u32| buffer.lines.partition_point(|&l| l <= at) as u32 - 1;
        let line = line_of(offset);
        let column = offset - buffer.lines[line as usize] + 1;
        match Self::mark_at(buffer, offset) {
            None => Position {
                file: buffer.name.clone(),
                line: line + 1,
                column,
            },
            Some(mark) => {
                let line = mark.line.saturating_add(line - line_of(mark.offset));
                Position {
                    file: mark.file.clone(),
                    line,
                    column,
                }
            }
        }
    }
    /// Whether `offset` lies in a system header.
    pub fn is_system(&self, offset: u32) -> bool {
        self.buffer(offset)
            .and_then(|b| Self::mark_at(b, offset))
            .is_some_and(|m| m.system)
    }
    /// The include stack of `offset`, innermost include first: file and line of each `#include`.
    pub fn include_stack(&self, offset: u32) -> Vec<(Arc<str>, u32)> {
        let mut stack = Vec::new();
        let Some(buffer) = self.buffer(offset) else {
            return stack;
        };
        let mut marks = &buffer.marks[..buffer.marks.partition_point(|m| m.offset <= offset)];
        let Some(mut mark) = marks.last() else {
            return stack;
        };
        while let (Some((file, line)), true) = (&mark.included_at, mark.depth > 0) {
            stack.push((file.clone(), *line));
            let depth = mark.depth - 1;
            let Some(outer) = marks
                .iter()
                .rposition(|m| m.depth == depth && m.file == *file)
            else {
                break;
            };
            mark = &marks[outer];
            marks = &marks[..outer];
        }
        stack
    }
    /// The whole line of text around `offset`, and the column (from 0) of `offset` in it.
    pub fn line_text(&self, offset: u32) -> (&str, usize) {
        let Some(buffer) = self.buffer(offset) else {
            return ("", 0);
        };
        let at = ((offset - buffer.start) as usize).min(buffer.text.len());
        let bytes = buffer.text.as_bytes();
        let lo = bytes[..at]
            .iter()
            .rposition(|&b| b == b'\n')
            .map_or(0, |n| n + 1);
        let hi = bytes[at..]
            .iter()
            .position(|&b| b == b'\n')
            .map_or(bytes.len(), |n| at + n);
        (buffer.text[lo..hi].trim_end_matches('\r'), at - lo)
    }
    /// The text of `span`.
    pub fn text(&self, span: Span) -> &str {
        let Some(buffer) = self.buffer(span.lo) else {
            return "";
        };
        let lo = (span.lo - buffer.start) as usize;
        let hi = (span.hi.saturating_sub(buffer.start) as usize).min(buffer.text.len());
        buffer.text.get(lo..hi).unwrap_or("")
    }
}

fn memchr_newlines(bytes: &[u8]) -> impl Iterator<Item = usize> + '_ {
    bytes
        .iter()
        .enumerate()
        .filter(|(_, b)| **b == b'\n')
        .map(|(n, _)| n)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_move_positions_and_remember_includes() {
        let mut map = SourceMap::default();
        let text = "# 1 \"a.c\"\nint x;\n# 1 \"b.h\" 1\nint y;\n# 3 \"a.c\" 2\nint z;\n";
        let start = map.add("a.i", text.into());
        let at = |needle: &str| start + text.find(needle).expect("in the text") as u32;
        let mark = |offset, file: &str, line, included_at, depth| Mark {
            offset,
            file: file.into(),
            line,
            included_at,
            depth,
            system: false,
        };
        map.mark(mark(at("int x"), "a.c", 1, None, 0));
        map.mark(mark(at("int y"), "b.h", 1, Some(("a.c".into(), 2)), 1));
        map.mark(mark(at("int z"), "a.c", 3, None, 0));
        let y = map.position(at("y;"));
        assert_eq!((&*y.file, y.line, y.column), ("b.h", 1, 5));
        assert_eq!(map.include_stack(at("y;")), vec![("a.c".into(), 2)]);
        let z = map.position(at("z;"));
        assert_eq!((&*z.file, z.line), ("a.c", 3));
        assert!(map.include_stack(at("z;")).is_empty());
        assert_eq!(map.line_text(at("z;")), ("int z;", 4));
    }

    #[test]
    fn several_texts_do_not_mix() {
        let mut map = SourceMap::default();
        let a = map.add("a", "one\ntwo".into());
        let b = map.add("b", "three".into());
        assert_eq!(&*map.position(a + 4).file, "a");
        assert_eq!(&*map.position(b).file, "b");
        assert_eq!(map.text(Span::new(b, b + 5)), "three");
    }
}
