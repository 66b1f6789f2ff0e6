//! A command line in words; what stands in brackets stays together.

/// The next word of `text` and the rest, without space around.
pub(super) fn split(text: &str) -> (&str, &str) {
    let text = text.trim_start();
    let mut depth = 0u32;
    let mut in_quotes = false;
    for (at, c) in text.char_indices() {
        match c {
            '"' => in_quotes = !in_quotes,
            _ if in_quotes => {}
            '(' | '{' | '[' => depth += 1,
            ')' | '}' | ']' => depth = depth.saturating_sub(1),
            _ if c.is_whitespace() && depth == 0 => return (&text[..at], text[at..].trim()),
            _ => {}
        }
    }
    (text, "")
}

/// All words of `text`.
pub(super) fn all(mut text: &str) -> Vec<&str> {
    let mut list = Vec::new();
    loop {
        let (word, rest) = split(text);
        if word.is_empty() {
            return list;
        }
        list.push(word);
        text = rest;
    }
}

/// Whether a process can be called this.
pub(super) fn is_name(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && !["proc", "prop", "set", "nil", "Aut", "t"].contains(&word)
}
