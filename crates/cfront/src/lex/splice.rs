//! Joins lines that end in a backslash. Preprocessors have done this already; text that never
//! saw one may need it.

use std::sync::Arc;

/// `text` with each backslash-newline taken out. The newlines come back at the end of the joined
/// line, so that the lines after it keep their numbers.
pub(super) fn splice(text: Arc<str>) -> Arc<str> {
    let Some(mut next) = find(&text, 0) else {
        return text;
    };
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    let mut owed = 0;
    loop {
        let (at, after) = next;
        copy(&text[from..at], &mut owed, &mut out);
        owed += 1;
        from = after;
        match find(&text, from) {
            Some(found) => next = found,
            None => break,
        }
    }
    copy(&text[from..], &mut owed, &mut out);
    out.extend(std::iter::repeat_n('\n', owed));
    out.into()
}

/// Appends `piece`, and after its first newline those that are owed.
fn copy(piece: &str, owed: &mut usize, out: &mut String) {
    match piece.find('\n') {
        Some(end) if *owed > 0 => {
            out.push_str(&piece[..=end]);
            out.extend(std::iter::repeat_n('\n', *owed));
            *owed = 0;
            out.push_str(&piece[end + 1..]);
        }
        _ => out.push_str(piece),
    }
}

/// The first backslash-newline at or after `from`: where it starts and ends. As in gcc, blanks
/// may stand between the two.
fn find(text: &str, from: usize) -> Option<(usize, usize)> {
    let bytes = text.as_bytes();
    let mut at = from;
    while let Some(n) = text[at..].find('\\') {
        let start = at + n;
        let mut end = start + 1;
        while matches!(bytes.get(end), Some(b' ' | b'\t' | b'\r')) {
            end += 1;
        }
        if bytes.get(end) == Some(&b'\n') {
            return Some((start, end + 1));
        }
        at = start + 1;
    }
    None
}
