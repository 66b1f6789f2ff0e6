//! Identifiers: plain ones, and `{any text}`.

/// Words that the language keeps for itself; a variable of such a name is printed in braces.
pub(crate) const KEYWORDS: &[&str] = &[
    "assert",
    "assume",
    "begin",
    "bool",
    "choose",
    "constrain",
    "dead",
    "decl",
    "dfs",
    "do",
    "else",
    "elsif",
    "end",
    "enforce",
    "false",
    "fi",
    "goto",
    "if",
    "od",
    "return",
    "schoose",
    "skip",
    "then",
    "true",
    "unknown",
    "void",
    "while",
    "T",
    "F",
    "_",
];

fn starts_name(c: char) -> bool {
    c.is_ascii_alphabetic() || c == '_' || c == '$'
}

/// Whether `c` may stand inside a plain identifier.
pub(crate) fn continues_name(c: char) -> bool {
    starts_name(c) || c.is_ascii_digit()
}

/// The length in bytes of the plain identifier that `text` starts with; 0 if none.
pub(crate) fn plain_length(text: &str) -> usize {
    if !text.starts_with(starts_name) {
        return 0;
    }
    text.find(|c| !continues_name(c)).unwrap_or(text.len())
}

/// Whether `name` can be written without braces.
pub(crate) fn is_plain(name: &str) -> bool {
    !name.is_empty() && plain_length(name) == name.len() && !KEYWORDS.contains(&name)
}

/// The length of the text up to the `}` that closes an already opened identifier, if it is closed
/// on the same line. Braces nest; braces in character and string constants do not count.
pub(crate) fn braced_length(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let (mut depth, mut at) = (0usize, 0);
    while at < bytes.len() {
        match bytes[at] {
            b'\n' | b'\r' => return None,
            b'}' if depth == 0 => return Some(at),
            b'}' => depth -= 1,
            b'{' => depth += 1,
            quote @ (b'"' | b'\'') => at += constant_length(&bytes[at + 1..], quote),
            _ => {}
        }
        at += 1;
    }
    None
}

/// How many bytes after the opening `quote` belong to a constant; 0 if it does not look like one.
fn constant_length(rest: &[u8], quote: u8) -> usize {
    let (mut at, mut characters) = (0, 0);
    while at < rest.len() && rest[at] != b'\n' {
        if rest[at] == quote {
            let plausible = quote == b'"' || (characters == 1);
            return if plausible { at + 1 } else { 0 };
        }
        if rest[at] == b'\\' {
            at += 1;
            // `'\x41'` has more bytes but is one character.
            while quote == b'\'' && at + 1 < rest.len() && rest[at + 1].is_ascii_hexdigit() {
                at += 1;
            }
        }
        at += 1;
        characters += 1;
    }
    0
}

/// Whether `name` can be written between braces and read back as it is.
pub(crate) fn is_writable(name: &str) -> bool {
    name == name.trim()
        && !name.is_empty()
        && !name.contains(char::is_control)
        && braced_length(&format!("{name}}}")) == Some(name.len())
}

/// What two spellings of one name have in common: blanks count only between two words.
pub(crate) fn key(name: &str) -> String {
    let mut key = String::with_capacity(name.len());
    for word in name.split_whitespace() {
        let glue = key.ends_with(continues_name) && word.starts_with(continues_name);
        if glue {
            key.push(' ');
        }
        key.push_str(word);
    }
    key
}

/// `name` as the text form writes it.
pub(crate) fn written(name: &str) -> String {
    if is_plain(name) {
        name.to_owned()
    } else {
        format!("{{{name}}}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn braces_nest_and_constants_do_not_count() {
        assert_eq!(braced_length("x==0} = y}"), Some(4));
        assert_eq!(braced_length("a[{1}]} x"), Some(6));
        assert_eq!(braced_length("c=='}'}"), Some(6));
        assert_eq!(braced_length("s==\"}\"}"), Some(6));
        assert_eq!(braced_length(r"c=='\''}"), Some(7));
        assert_eq!(braced_length("a'} , {b'}"), Some(2));
        assert_eq!(braced_length("never closed"), None);
        assert_eq!(braced_length("x\n}"), None);
    }

    #[test]
    fn blanks_matter_only_between_words() {
        assert_eq!(key("* p  <=0"), key("*p <= 0"));
        assert_ne!(key("sizeof x"), key("sizeofx"));
    }

    #[test]
    fn keywords_need_braces() {
        assert_eq!(written("x"), "x");
        assert_eq!(written("while"), "{while}");
        assert_eq!(written("x==1"), "{x==1}");
        assert!(!is_writable("a}b") && !is_writable(" a") && is_writable("a {b}"));
    }
}
