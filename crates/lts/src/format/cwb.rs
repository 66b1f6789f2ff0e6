//! The automaton text of the Concurrency Workbench (CWB-NC), as in thesis Figure 4.12:
//!
//! ```text
//! proc main = Aut(
//! start=0,
//! 0:t{5}
//! 1:`b{1}`a{2}`eof{3,7}
//! )
//! ```
//!
//! A state's line lists each label with the targets in braces; `t` is the internal action, an
//! input has a backquote, an output a quote. States without transitions have no line, so an
//! unreachable one at the end is lost. A label that is not an identifier stands in double
//! quotes, which CWB-NC itself does not know. Notes cannot be written.

use super::aut::believable;
use super::error::ReadError;
use super::scan::{Scanner, quoted};
use crate::builder::Builder;
use crate::labels::{Label, TAU};
use crate::lts::{Lts, State};
use std::io::{Result as IoResult, Write};

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

fn label_text(name: &str) -> String {
    let word = name.strip_prefix(['`', '\'']).unwrap_or(name);
    let plain = word.starts_with(|c: char| is_word(c) && !c.is_ascii_digit())
        && word.chars().all(is_word)
        && name != "t";
    match plain {
        true => name.to_owned(),
        false => quoted(name),
    }
}

pub(crate) fn write(lts: &Lts, out: &mut dyn Write) -> IoResult<()> {
    let mut names: Vec<String> = lts.labels().names().map(label_text).collect();
    names[TAU as usize] = "t".into();
    write!(out, "proc main = Aut(\nstart={},\n", lts.initial())?;
    for s in 0..lts.states() as State {
        let mut current = None;
        for (a, t) in lts.from(s) {
            match current {
                None => write!(out, "{s}:{}{{{t}", names[a as usize])?,
                Some(label) if label == a => write!(out, ",{t}")?,
                Some(_) => write!(out, "}}{}{{{t}", names[a as usize])?,
            }
            current = Some(a);
        }
        if current.is_some() {
            writeln!(out, "}}")?;
        }
    }
    writeln!(out, ")")
}

pub(crate) fn read(mut scan: Scanner<'_>) -> Result<Lts, ReadError> {
    if scan.eat("proc") {
        if scan.word(is_word).is_empty() {
            return Err(scan.expected("a name"));
        }
        scan.expect("=")?;
    }
    scan.expect("Aut")?;
    scan.expect("(")?;
    scan.expect("start")?;
    scan.expect("=")?;
    let at = scan.at();
    let initial = scan.number("the start state")?;
    scan.eat(",");
    let mut builder = Builder::new();
    let mut largest = (at, initial);
    while !scan.eat(")") {
        entry(&mut scan, &mut builder, &mut largest)?;
        scan.eat(",");
    }
    if !scan.at_end() {
        return Err(scan
            .expected("the end of the text")
            .hint("only one automaton can be read as a transition system"));
    }
    let (at, state) = largest;
    if !believable(u64::from(state) + 1, builder.transitions() as u64) {
        return Err(scan.error_at(
            at,
            format!("there are too few transitions for a state {state}"),
        ));
    }
    Ok(builder.finish(initial))
}

/// One state's line.
fn entry(
    scan: &mut Scanner<'_>,
    builder: &mut Builder,
    largest: &mut (usize, State),
) -> Result<(), ReadError> {
    let mut state = |scan: &mut Scanner<'_>, what: &str| {
        scan.space();
        let at = scan.at();
        let state = scan.number(what)?;
        if state > largest.1 {
            *largest = (at, state);
        }
        Ok(state)
    };
    let source = state(scan, "a state or `)`")?;
    scan.expect(":")?;
    while scan
        .peek()
        .is_some_and(|c| !c.is_ascii_digit() && c != ')' && c != ',')
    {
        let label = label(scan, builder)?;
        scan.expect("{")?;
        loop {
            let target = state(scan, "a target state")?;
            builder.add(source, label, target);
            if !scan.eat(",") {
                break;
            }
        }
        scan.expect("}")?;
    }
    Ok(())
}

fn label(scan: &mut Scanner<'_>, builder: &mut Builder) -> Result<Label, ReadError> {
    if scan.peek() == Some('"') {
        let name = scan.string()?;
        return Ok(builder.label(&name));
    }
    // Copies of the thesis have a typographic quote where the Workbench has a backquote.
    let prefix = if scan.eat("`") || scan.eat("\u{2018}") {
        "`"
    } else if scan.eat("'") {
        "'"
    } else {
        ""
    };
    match scan.word(is_word) {
        "" => Err(scan.expected("a label")),
        "t" if prefix.is_empty() => Ok(TAU),
        word => Ok(builder.label(&format!("{prefix}{word}"))),
    }
}
