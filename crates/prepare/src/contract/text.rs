//! Where contracts stand in the text of a file, and what their clauses are.

use super::loops::LoopContract;

/// A clause of a contract.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Clause {
    /// What callers keep.
    Requires(String),
    /// What holds afterwards, in which `\result` and `\old` may stand.
    Ensures(String),
    /// What may change; empty for nothing.
    Assigns(Vec<String>),
    /// What is said of a loop.
    Loop(LoopContract),
    /// A clause that is not followed, with its first word.
    Other(String),
}

/// The contract of the function whose name stands in a line (from 1).
pub fn contract_in(text: &str, line: u32, name: &str) -> Vec<Clause> {
    let Some(at) = position(text, line, name) else {
        return Vec::new();
    };
    let mut clauses = acsl_before(&text[..at]).map_or_else(Vec::new, |c| acsl(&c));
    clauses.extend(cprover_behind(&text[at + name.len()..]));
    clauses
}

/// The line and the column of an offset.
pub(super) fn position_of(text: &str, at: usize) -> (u32, u32) {
    let before = &text.as_bytes()[..at];
    let line = before.iter().filter(|b| **b == b'\n').count();
    let start = before
        .iter()
        .rposition(|b| *b == b'\n')
        .map_or(0, |n| n + 1);
    (line as u32 + 1, (at - start) as u32 + 1)
}

/// Where the name stands.
fn position(text: &str, line: u32, name: &str) -> Option<usize> {
    let mut start = 0;
    for _ in 1..line {
        start += text[start..].find('\n')? + 1;
    }
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut from = start;
    loop {
        let at = from + text[from..].find(name)?;
        let before = text[..at].chars().next_back().is_some_and(word);
        let after = text[at + name.len()..].chars().next().is_some_and(word);
        if !before && !after {
            return Some(at);
        }
        from = at + name.len();
    }
}

/// The last annotation before a function's name, if nothing but its type stands between.
fn acsl_before(text: &str) -> Option<String> {
    let (block, line) = (text.rfind("/*@"), last_line_annotation(text));
    if let Some(at) = block
        && line.as_ref().is_none_or(|(from, _, _)| *from < at)
    {
        let end = at + text[at..].find("*/")?;
        let between = &text[end + 2..];
        let inside = text[at + 3..end].lines().map(|l| {
            let plain = l.trim_start();
            plain
                .strip_prefix('@')
                .or(plain.strip_prefix("*"))
                .unwrap_or(plain)
        });
        let inside: Vec<&str> = inside.collect();
        return only_a_type(between).then(|| inside.join("\n"));
    }
    let (_, end, inside) = line?;
    only_a_type(&text[end..]).then_some(inside)
}

/// The last group of `//@` lines: where it begins and ends, and what it says.
fn last_line_annotation(text: &str) -> Option<(usize, usize, String)> {
    let mut groups: Vec<(usize, usize, String)> = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if let Some(inside) = line.trim_start().strip_prefix("//@") {
            match groups.last_mut() {
                Some((_, end, all)) if *end == at => {
                    *end = at + line.len();
                    all.push_str(inside);
                }
                _ => groups.push((at, at + line.len(), inside.to_owned())),
            }
        }
        at += line.len();
    }
    groups.pop()
}

fn only_a_type(text: &str) -> bool {
    let plain = without_comments(text);
    !plain.contains([';', '{', '}', '#', '"', '='])
}

pub(super) fn without_comments(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("/*").into_iter().chain(rest.find("//")).min() {
        out.push_str(&rest[..at]);
        let end = match rest[at..].starts_with("/*") {
            true => rest[at..].find("*/").map(|e| at + e + 2),
            false => rest[at..].find('\n').map(|e| at + e),
        };
        rest = end.map_or("", |end| &rest[end..]);
    }
    out + rest
}

/// The clauses of an annotation. Those of a behaviour are under its assumptions: they are not followed.
fn acsl(text: &str) -> Vec<Clause> {
    let plain = without_comments(text);
    let mut clauses = Vec::new();
    let mut behaviour: Option<Vec<String>> = None;
    for part in clauses_of(&plain) {
        let mut part = part.trim();
        while let Some(rest) = part.strip_prefix("behavior") {
            let Some((_, rest)) = rest.split_once(':') else {
                break;
            };
            behaviour = Some(Vec::new());
            part = rest.trim();
        }
        if part.is_empty() {
            continue;
        }
        let (word, rest) = part
            .split_once(|c: char| c.is_whitespace() || c == '(')
            .map_or((part, String::new()), |(word, _)| {
                (word, part[word.len()..].trim().to_owned())
            });
        match (word, &mut behaviour) {
            ("assumes", Some(assumed)) => assumed.push(format!("\\old({rest})")),
            ("requires", None) => clauses.push(Clause::Requires(rest)),
            ("ensures", None) => clauses.push(Clause::Ensures(rest)),
            // What a behaviour promises holds if what it assumes held before.
            ("ensures", Some(assumed)) if !assumed.is_empty() => {
                let assumed = assumed.join(" && ");
                clauses.push(Clause::Ensures(format!("!({assumed}) || ({rest})")));
            }
            ("ensures", Some(_)) => clauses.push(Clause::Ensures(rest)),
            ("assigns", None) => clauses.push(assigns(&rest)),
            (word, _) => clauses.push(Clause::Other(word.to_owned())),
        }
    }
    clauses
}

/// The parts of an annotation: each ends with a semicolon, but for one that belongs to a quantifier (`\forall integer i; …`).
pub(super) fn clauses_of(text: &str) -> Vec<&str> {
    let (mut parts, mut from) = (Vec::new(), 0);
    for (at, _) in text.match_indices(';') {
        let so_far = &text[from..at];
        let last = so_far.rfind("\\forall").max(so_far.rfind("\\exists"));
        if last.is_some_and(|q| !so_far[q..].contains(';')) {
            continue;
        }
        parts.push(so_far);
        from = at + 1;
    }
    parts.push(&text[from..]);
    parts
}

fn assigns(list: &str) -> Clause {
    match list.trim() {
        "\\nothing" | "" => Clause::Assigns(Vec::new()),
        list => Clause::Assigns(split(list)),
    }
}

/// The parts of a list, at commas outside of parentheses.
fn split(list: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut depth = 0;
    for c in list.chars() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(String::new());
                continue;
            }
            _ => {}
        }
        if let Some(last) = parts.last_mut() {
            last.push(c);
        }
    }
    let parts = parts.into_iter().map(|p| p.trim().to_owned());
    parts.filter(|p| !p.is_empty()).collect()
}

/// CBMC's words between a function's parameters and its body.
fn cprover_behind(text: &str) -> Vec<Clause> {
    let mut clauses = Vec::new();
    let Some(mut rest) = text
        .trim_start()
        .strip_prefix('(')
        .and_then(closed)
        .map(|(_, r)| r)
    else {
        return clauses;
    };
    loop {
        let plain = rest.trim_start();
        let word_end = plain.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
        let word = &plain[..word_end.unwrap_or(plain.len())];
        if !word.starts_with("__CPROVER_") {
            return clauses;
        }
        let behind = plain[word.len()..].trim_start();
        let Some((inside, after)) = behind.strip_prefix('(').and_then(closed) else {
            return clauses;
        };
        let inside = inside
            .replace("__CPROVER_return_value", "\\result")
            .replace("__CPROVER_old", "\\old");
        clauses.push(match word {
            "__CPROVER_requires" => Clause::Requires(fresh(&inside)),
            "__CPROVER_ensures" => Clause::Ensures(inside),
            "__CPROVER_assigns" => assigns(&inside),
            other => Clause::Other(other.to_owned()),
        });
        rest = after;
    }
}

/// `__CPROVER_is_fresh(p, sizeof(*p))` is `\valid(p)`.
fn fresh(text: &str) -> String {
    let Some(inside) = text.trim().strip_prefix("__CPROVER_is_fresh(") else {
        return text.to_owned();
    };
    let plain: String = inside.chars().filter(|c| !c.is_whitespace()).collect();
    match plain.split_once(',') {
        Some((p, size)) if size.trim_end_matches(')') == format!("sizeof(*{p}") => {
            format!("\\valid({p})")
        }
        _ => text.to_owned(),
    }
}

/// What stands up to the parenthesis that closes, and what stands behind it.
pub(super) fn closed(text: &str) -> Option<(&str, &str)> {
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' if depth == 0 => return Some((&text[..at], &text[at + 1..])),
            ')' => depth -= 1,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn annotations_belong_to_the_next_function() {
        let text = "int x;\n/*@ requires n > 0;\n  @ ensures \\result >= \\old(n);\n  @ assigns x, a[0 .. n - 1];\n  @*/\nstatic int\nf(int n)\n{\n  return n;\n}\nint g(int n) { return f(n); }\n";
        let found = contract_in(text, 7, "f");
        assert_eq!(
            found,
            [
                Clause::Requires("n > 0".into()),
                Clause::Ensures("\\result >= \\old(n)".into()),
                Clause::Assigns(vec!["x".into(), "a[0 .. n - 1]".into()]),
            ]
        );
        assert!(contract_in(text, 11, "g").is_empty());
    }

    #[test]
    fn lines_and_behaviours() {
        let text = "//@ requires p != \\null;\n//@ assigns \\nothing;\nint f(int *p);\n";
        let expected = [
            Clause::Requires("p != \\null".into()),
            Clause::Assigns(Vec::new()),
        ];
        assert_eq!(contract_in(text, 3, "f"), expected);
        let text = "/*@ behavior neg: assumes n < 0; ensures \\result == 0;\n complete behaviors; */\nint f(int n) {";
        let found = contract_in(text, 2, "f");
        assert_eq!(
            found[0],
            Clause::Ensures("!(\\old(n < 0)) || (\\result == 0)".into())
        );
        assert_eq!(found[1], Clause::Other("complete".into()));
    }

    #[test]
    fn a_quantifier_has_a_semicolon_of_its_own() {
        let text = "/*@ ensures \\forall integer i; 0 <= i < n ==> \\result >= a[i]; assigns \\nothing; */\nint f(int *a, int n) {";
        let expected = [
            Clause::Ensures("\\forall integer i; 0 <= i < n ==> \\result >= a[i]".into()),
            Clause::Assigns(Vec::new()),
        ];
        assert_eq!(contract_in(text, 2, "f"), expected);
    }

    #[test]
    fn words_of_cbmc() {
        let text = "int f(int *p, int n)\n__CPROVER_requires(__CPROVER_is_fresh(p, sizeof(*p)))\n__CPROVER_requires(n > 0)\n__CPROVER_ensures(__CPROVER_return_value == __CPROVER_old(*p))\n__CPROVER_assigns(*p)\n{";
        let expected = [
            Clause::Requires("\\valid(p)".into()),
            Clause::Requires("n > 0".into()),
            Clause::Ensures("\\result == \\old(*p)".into()),
            Clause::Assigns(vec!["*p".into()]),
        ];
        assert_eq!(contract_in(text, 1, "f"), expected);
    }
}
