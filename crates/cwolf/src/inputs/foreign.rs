//! Files that are not what the user takes them for: missing, binary, in another encoding, in C++.

use anyhow::{Context, Result};
use std::ffi::OsStr;
use std::io::Read;
use std::path::Path;

/// That a file cannot be read, with a file beside it that may be meant.
pub fn unreadable(path: &Path) -> String {
    let near = match path.exists() {
        true => None,
        false => sibling(path),
    };
    match near {
        Some(near) => format!("cannot read {} (did you mean {near}?)", path.display()),
        None => format!("cannot read {}", path.display()),
    }
}

/// A file in the same folder with the same suffix and nearly the same name.
fn sibling(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_str()?;
    let folder = match path.parent() {
        Some(folder) if folder != OsStr::new("") => folder,
        _ => Path::new("."),
    };
    let entries = std::fs::read_dir(folder).ok()?.flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let mut names: Vec<String> = names
        .filter(|other| Path::new(other).extension() == path.extension())
        .collect();
    names.sort();
    let near = crate::near::nearest(name, names.iter().map(String::as_str))?;
    Some(path.with_file_name(near).display().to_string())
}

/// What a file is that cannot be C, by how it begins, and what to do then.
pub fn not_c(path: &Path) -> Result<Option<String>> {
    let mut start = Vec::new();
    let file = std::fs::File::open(path).with_context(|| unreadable(path))?;
    let read = file.take(512).read_to_end(&mut start);
    read.with_context(|| unreadable(path))?;
    if let Some(encoding) = wide_text(&start) {
        return Ok(Some(format!(
            "{encoding} text; convert it first: iconv -f {encoding} -t UTF-8 {}",
            path.display()
        )));
    }
    let known: [(&[u8], &str); 9] = [
        (b"\x7fELF", "a compiled program or object file (ELF)"),
        (b"MZ\x90", "a compiled program (Windows)"),
        (b"\xcf\xfa\xed\xfe", "a compiled program (macOS)"),
        (b"!<arch>\n", "a library of object files"),
        (b"BC\xc0\xde", "LLVM bitcode"),
        (b"\x1f\x8b", "a gzip archive"),
        (b"PK\x03\x04", "a zip archive"),
        (b"\xfd7zXZ", "an xz archive"),
        (b"%PDF", "a PDF document"),
    ];
    let named = known.iter().find(|(magic, _)| start.starts_with(magic));
    let zeros = start.iter().filter(|byte| **byte == 0).count();
    let zeros = (zeros * 10 > start.len()).then_some("a binary file");
    let what = named.map(|(_, name)| *name).or(zeros);
    Ok(what.map(|what| format!("{what}, not C; give the .c files that it was made from")))
}

/// The encoding of a text of 16-bit characters, by its byte order mark or the zeros in it.
fn wide_text(start: &[u8]) -> Option<&'static str> {
    match start {
        [0xff, 0xfe, 0, 0, ..] => return None,
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => return Some("UTF-16"),
        _ => {}
    }
    // Most of a C file is ASCII.
    let mut pairs = start.chunks_exact(2);
    let plain =
        |byte: u8| byte == b'\t' || byte == b'\r' || byte == b'\n' || (32..127).contains(&byte);
    if pairs.len() == 0 {
        return None;
    }
    if pairs.clone().all(|pair| plain(pair[0]) && pair[1] == 0) {
        return Some("UTF-16LE");
    }
    pairs
        .all(|pair| pair[0] == 0 && plain(pair[1]))
        .then_some("UTF-16BE")
}

/// Whether a text that is no C has words that only C++ has where they stand.
pub fn looks_like_cpp(text: &[u8]) -> bool {
    let text = String::from_utf8_lossy(text);
    text.lines().any(|line| {
        let line = line.trim_start();
        let after = |word: &str| line.strip_prefix(word).map(str::trim_start);
        let names = |rest: &str| rest.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        // A comment may begin a line with one of these words, too.
        let begins = |rest: &str| names(rest) && rest.contains(['{', ':', ';']);
        after("class ").is_some_and(begins)
            || after("namespace ").is_some_and(begins)
            || line.starts_with("using namespace ")
            || after("template").is_some_and(|rest| rest.starts_with('<'))
            || line.contains("std::")
            || ["public:", "private:", "protected:"]
                .iter()
                .any(|word| line.starts_with(word))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_16_bits_are_told_from_others() {
        assert_eq!(wide_text(b"\xff\xfei\0"), Some("UTF-16"));
        assert_eq!(wide_text(b"i\0n\0t\0"), Some("UTF-16LE"));
        assert_eq!(wide_text(b"\0i\0n\0t"), Some("UTF-16BE"));
        assert_eq!(wide_text(b"int x;"), None);
        assert_eq!(wide_text(b""), None);
        assert_eq!(wide_text(b"\x7fELF\x02\x01\x01\0\0\0"), None);
    }

    #[test]
    fn only_words_of_cpp_look_like_it() {
        assert!(looks_like_cpp(b"class Queue {\n"));
        assert!(looks_like_cpp(b"  std::string s;\n"));
        assert!(looks_like_cpp(b"template <typename T>\n"));
        assert!(!looks_like_cpp(
            b"int class = 1; /* the class */\nint using;\n"
        ));
        assert!(!looks_like_cpp(b"struct s { int public; };\n"));
        assert!(!looks_like_cpp(b"/* a\n   class of numbers */\n"));
    }
}
