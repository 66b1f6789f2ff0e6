//! What a caller must keep: the `requires` clauses of ACSL that say what is passed, as far as they are about
//! pointers. Everything else is a condition in C.

use std::fmt;
use thiserror::Error;

/// A condition on what the entry function is called with.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Requirement {
    /// The pointer with this name is not null.
    NotNull(String),
    /// It points to at least so many elements.
    Elements(String, Count),
    /// It points to a text that ends with a zero.
    Text(String),
    /// These point to objects that do not overlap, and to no variable of the program.
    Apart(Vec<String>),
    /// A condition in C over parameters and global variables.
    Condition(String),
}

/// How many elements a pointer leads to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Count {
    /// This many.
    Number(u64),
    /// As many as the parameter says, and so many more.
    Parameter(String, i64),
}

/// A clause that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "cannot read `{clause}`: {why}; write for example `p != \\null`, `\\valid(p + (0 .. n - 1))`, `valid_string(s)`, \
     `\\separated(p, q)` or a condition in C"
)]
pub struct RequiresError {
    /// The clause.
    pub clause: String,
    /// What is wrong with it.
    pub why: String,
}

impl fmt::Display for Requirement {
    /// As ACSL.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Requirement::NotNull(name) => write!(f, "{name} != \\null"),
            Requirement::Elements(name, Count::Number(1)) => write!(f, "\\valid({name})"),
            Requirement::Elements(name, Count::Number(n)) => {
                write!(f, "\\valid({name} + (0 .. {}))", n.saturating_sub(1))
            }
            Requirement::Elements(name, Count::Parameter(n, more)) => match more - 1 {
                0 => write!(f, "\\valid({name} + (0 .. {n}))"),
                less if less < 0 => write!(f, "\\valid({name} + (0 .. {n} - {}))", -less),
                more => write!(f, "\\valid({name} + (0 .. {n} + {more}))"),
            },
            Requirement::Text(name) => write!(f, "valid_string({name})"),
            Requirement::Apart(names) => write!(f, "\\separated({})", names.join(", ")),
            Requirement::Condition(text) => f.write_str(text),
        }
    }
}

impl Requirement {
    /// Reads the condition of a `requires` clause; a conjunction is several requirements.
    pub fn parse(clause: &str) -> Result<Vec<Requirement>, RequiresError> {
        let text = clause.trim().trim_end_matches(';').trim();
        let wrong = |why: &str| RequiresError {
            clause: text.to_owned(),
            why: why.to_owned(),
        };
        if text.is_empty() {
            return Err(wrong("it is empty"));
        }
        let mut all = Vec::new();
        for part in conjuncts(text).ok_or_else(|| wrong("a parenthesis is missing"))? {
            // In C, `0 <= n < 9` compares a truth value with 9.
            if let Some((left, right)) = chained(part) {
                all.push(one(&left).map_err(|why| wrong(&why))?);
                all.push(one(&right).map_err(|why| wrong(&why))?);
                continue;
            }
            all.push(one(part).map_err(|why| wrong(&why))?);
        }
        Ok(all)
    }
}

/// The parts of `a && b && c`, outside of parentheses.
fn conjuncts(text: &str) -> Option<Vec<&str>> {
    let mut parts = Vec::new();
    let (mut depth, mut from) = (0i32, 0);
    let bytes = text.as_bytes();
    let mut either = false;
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b'(' | b'[' => depth += 1,
            b')' | b']' => depth -= 1,
            b'&' if depth == 0 && bytes.get(at + 1) == Some(&b'&') => {
                parts.push(text[from..at].trim());
                from = at + 2;
            }
            b'|' if depth == 0 && bytes.get(at + 1) == Some(&b'|') => either = true,
            b'=' if depth == 0 && text[at..].starts_with("==>") => either = true,
            _ => {}
        }
        if depth < 0 {
            return None;
        }
    }
    parts.push(text[from..].trim());
    match (depth, either) {
        (0, false) => Some(parts),
        // `||` binds less: the whole is one condition.
        (0, true) => Some(vec![text]),
        _ => None,
    }
}

fn one(text: &str) -> Result<Requirement, String> {
    let text = unwrapped(text);
    if let Some(name) = not_null(text) {
        return Ok(Requirement::NotNull(name.to_owned()));
    }
    for word in ["\\valid_read", "\\valid"] {
        if let Some(inside) = argument(text, word) {
            return valid(inside);
        }
    }
    for word in ["valid_string", "valid_read_string"] {
        if let Some(inside) = argument(text, word) {
            return match is_name(inside) {
                true => Ok(Requirement::Text(inside.to_owned())),
                false => Err(format!("`{inside}` is not a name of a pointer")),
            };
        }
    }
    if let Some(inside) = argument(text, "\\separated") {
        let names: Vec<&str> = inside.split(',').map(base_of_range).collect();
        return match names.iter().all(|name| is_name(name)) {
            true => Ok(Requirement::Apart(
                names.into_iter().map(str::to_owned).collect(),
            )),
            false => Err("names of pointers are expected in \\separated".into()),
        };
    }
    // Behind a parameter, in C: `p->next != 0`.
    let text = &text.replace("\\null", "0");
    if text.contains('\\') {
        return Err("this part of ACSL is not supported here".into());
    }
    Ok(Requirement::Condition(match text.split_once("==>") {
        Some((left, right)) => format!("!({}) || ({})", left.trim(), right.trim()),
        None => text.to_owned(),
    }))
}

/// `a <= b < c` as `a <= b` and `b < c`.
pub(crate) fn chained(text: &str) -> Option<(String, String)> {
    if text.contains("==>") || text.contains("&&") || text.contains("||") {
        return None;
    }
    let mut found: Vec<(usize, usize)> = Vec::new();
    let mut depth = 0;
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'(' | b'[' => depth += 1,
            b')' | b']' => depth -= 1,
            b'|' | b'?' if depth == 0 => return None,
            b'<' | b'>' if depth == 0 => {
                let shift = bytes.get(at + 1) == Some(&bytes[at]);
                let arrow = at > 0 && bytes[at - 1] == b'-';
                let long = bytes.get(at + 1) == Some(&b'=');
                if shift {
                    at += 1;
                } else if !arrow {
                    found.push((at, at + 1 + usize::from(long)));
                }
            }
            _ => {}
        }
        at += 1;
    }
    let [(first, _), (second, _)] = found[..] else {
        return None;
    };
    let (_, after_first) = found[0];
    let left = text[..second].trim().to_owned();
    let right = text[after_first..].trim().to_owned();
    (first < second).then_some((left, right))
}

/// Without parentheses around all of it.
fn unwrapped(text: &str) -> &str {
    let inner = text.strip_prefix('(').and_then(|t| t.strip_suffix(')'));
    match inner {
        Some(inner) if conjuncts(inner).is_some() => unwrapped(inner.trim()),
        _ => text,
    }
}

fn argument<'t>(text: &'t str, word: &str) -> Option<&'t str> {
    let rest = text.strip_prefix(word)?.trim_start();
    let inside = rest.strip_prefix('(')?.strip_suffix(')')?;
    conjuncts(inside)?;
    Some(inside.trim())
}

/// `p` in `p != \null`, however null is written.
fn not_null(text: &str) -> Option<&str> {
    let (left, right) = text.split_once("!=")?;
    let (left, right) = (left.trim(), right.trim());
    let null = |t: &str| ["\\null", "NULL", "((void *)0)", "(void *)0"].contains(&t);
    match (is_name(left) && null(right), is_name(right) && null(left)) {
        (true, _) => Some(left),
        (_, true) => Some(right),
        _ => None,
    }
}

/// `\valid(p)`, `\valid(p + (0 .. n - 1))` or `\valid(p[0 .. n - 1])`.
fn valid(inside: &str) -> Result<Requirement, String> {
    if is_name(inside) {
        return Ok(Requirement::Elements(inside.to_owned(), Count::Number(1)));
    }
    let unread = || format!("`{inside}` is not a range of a pointer");
    let (name, range) = match inside.split_once('+') {
        Some((name, range)) => (name.trim(), unwrapped(range.trim())),
        None => {
            let (name, rest) = inside.split_once('[').ok_or_else(unread)?;
            (name.trim(), rest.strip_suffix(']').ok_or_else(unread)?)
        }
    };
    let (from, to) = range.split_once("..").ok_or_else(unread)?;
    if !is_name(name) || from.trim() != "0" {
        return Err(unread());
    }
    let count = last_to_count(to.trim()).ok_or_else(unread)?;
    Ok(Requirement::Elements(name.to_owned(), count))
}

/// How many elements a range has whose last index is written like this.
fn last_to_count(text: &str) -> Option<Count> {
    let text = unwrapped(text);
    if let Ok(last) = text.parse::<u64>() {
        return Some(Count::Number(last + 1));
    }
    if is_name(text) {
        return Some(Count::Parameter(text.to_owned(), 1));
    }
    let at = text.rfind(['+', '-'])?;
    let (name, number) = (text[..at].trim(), text[at + 1..].trim());
    let number: i64 = number.parse().ok()?;
    let more = match text.as_bytes()[at] {
        b'+' => number.checked_add(1)?,
        _ => 1i64.checked_sub(number)?,
    };
    is_name(name).then(|| Count::Parameter(name.to_owned(), more))
}

/// `p` in `p + (0 .. n)`.
fn base_of_range(text: &str) -> &str {
    text.split(['+', '[']).next().unwrap_or(text).trim()
}

fn is_name(text: &str) -> bool {
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let digit = text.starts_with(|c: char| c.is_ascii_digit());
    !text.is_empty() && !digit && text.chars().all(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clauses_read_back() {
        for text in [
            "p != \\null",
            "\\valid(p)",
            "\\valid(p + (0 .. 7))",
            "\\valid(p + (0 .. n - 1))",
            "\\valid(p + (0 .. n))",
            "\\valid(p + (0 .. n + 2))",
            "valid_string(s)",
            "\\separated(p, q)",
            "n > 0",
            "a || b && c",
        ] {
            let read = Requirement::parse(text).expect(text);
            assert_eq!(read.len(), 1, "{text}");
            assert_eq!(read[0].to_string(), text);
        }
    }

    #[test]
    fn spellings_of_the_same() {
        let count = Count::Parameter("n".into(), 0);
        let elements = Requirement::Elements("a".into(), count);
        for text in [
            "\\valid(a + (0 .. n-1))",
            "\\valid_read(a+(0..n-1));",
            "(\\valid(a[0 .. (n - 1)]))",
        ] {
            assert_eq!(
                Requirement::parse(text),
                Ok(vec![elements.clone()]),
                "{text}"
            );
        }
        let range = Requirement::parse("0 <= n < 9").expect("two");
        let texts: Vec<String> = range.iter().map(ToString::to_string).collect();
        assert_eq!(texts, ["0 <= n", "n < 9"]);
        let implied = Requirement::parse("a && b ==> n > 0").expect("one");
        assert_eq!(implied[0].to_string(), "!(a && b) || (n > 0)");
        let both = Requirement::parse("(n > 0) && NULL != p").expect("two");
        let positive = Requirement::Condition("n > 0".into());
        assert_eq!(both, [positive, Requirement::NotNull("p".into())]);
    }

    #[test]
    fn what_cannot_be_read_is_said() {
        for text in [
            "",
            "\\valid(p + (1 .. n))",
            "\\fresh(p, 3)",
            "(n > 0",
            "\\valid(*p)",
        ] {
            assert!(Requirement::parse(text).is_err(), "{text}");
        }
    }
}
