//! Graphviz dot. What is written can be read back; of other dot files only those whose nodes
//! are numbers and that use no subgraphs, ports or defaults.

use super::aut::believable;
use super::error::{ReadError, shown};
use super::scan::{Scanner, quoted};
use crate::builder::Builder;
use crate::lts::{Lts, State};
use std::io::{Result as IoResult, Write};

const START: &str = "start";

pub(crate) fn write(lts: &Lts, out: &mut dyn Write) -> IoResult<()> {
    writeln!(out, "digraph lts {{")?;
    writeln!(out, "  {START} [shape=point,label=\"\"];")?;
    writeln!(out, "  {START} -> {};", lts.initial())?;
    for s in 0..lts.states() as State {
        match lts.notes().and_then(|notes| notes.get(s)) {
            None => writeln!(out, "  {s};")?,
            Some(note) => {
                let label = quoted(&format!("{s}: {note}"));
                let (text, others) = (quoted(note.text), note.others);
                writeln!(out, "  {s} [label={label},note={text},others={others}];")?;
            }
        }
    }
    let names: Vec<String> = lts.labels().names().map(quoted).collect();
    for (s, a, t) in lts.iter() {
        writeln!(out, "  {s} -> {t} [label={}];", names[a as usize])?;
    }
    writeln!(out, "}}")
}

#[derive(Default)]
struct Attributes {
    label: Option<String>,
    note: Option<String>,
    others: u32,
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '.'
}

fn name(scan: &mut Scanner<'_>, what: &str) -> Result<String, ReadError> {
    if scan.peek() == Some('"') {
        return scan.string();
    }
    match scan.word(is_word) {
        "" => Err(scan.expected(what)),
        word => Ok(word.to_owned()),
    }
}

fn attributes(scan: &mut Scanner<'_>) -> Result<Attributes, ReadError> {
    let mut found = Attributes::default();
    if !scan.eat("[") {
        return Ok(found);
    }
    while !scan.eat("]") {
        let key = name(scan, "an attribute")?;
        scan.expect("=")?;
        scan.space();
        let at = scan.at();
        let value = name(scan, "a value")?;
        match key.as_str() {
            "label" => found.label = Some(value),
            "note" => found.note = Some(value),
            "others" => {
                found.others = value
                    .parse()
                    .map_err(|_| scan.error_at(at, "expected a number of states"))?;
            }
            _ => {}
        }
        if !scan.eat(",") {
            scan.eat(";");
        }
    }
    Ok(found)
}

/// The number of a node; nothing for the mark of the start state.
fn node(scan: &mut Scanner<'_>, largest: &mut (usize, State)) -> Result<Option<State>, ReadError> {
    scan.space();
    let at = scan.at();
    let text = name(scan, "a node or `}`")?;
    if text == START {
        return Ok(None);
    }
    match text.parse::<State>() {
        Ok(n) if n < State::MAX => {
            if n >= largest.1 {
                *largest = (at, n);
            }
            Ok(Some(n))
        }
        _ => Err(scan.error_at(
            at,
            format!("the node {} is not a number", shown(text.as_bytes())),
        )),
    }
}

pub(crate) fn read(mut scan: Scanner<'_>) -> Result<Lts, ReadError> {
    scan.expect("digraph")?;
    if scan.peek() != Some('{') {
        name(&mut scan, "a name or `{`")?;
    }
    scan.expect("{")?;
    let mut builder = Builder::new();
    let mut initial = None;
    let mut largest = (0, 0);
    while !scan.eat("}") {
        let at = scan.at();
        let source = node(&mut scan, &mut largest)?;
        if scan.eat("->") {
            let target = node(&mut scan, &mut largest)?;
            let found = attributes(&mut scan)?;
            match (source, target) {
                (None, Some(target)) => initial = Some(target),
                (Some(source), Some(target)) => {
                    let label = found.label.unwrap_or_default();
                    builder.transition(source, &label, target);
                }
                (_, None) => return Err(scan.error_at(at, "nothing may lead to the start mark")),
            }
        } else {
            let found = attributes(&mut scan)?;
            if let (Some(state), Some(text)) = (source, found.note) {
                builder.note_merged(state, &text, found.others);
            }
        }
        scan.eat(";");
        let (at, state) = largest;
        if !believable(u64::from(state) + 1, scan.at() as u64) {
            return Err(scan.error_at(at, format!("the node {state} is too large for this graph")));
        }
        builder.ensure_states(state as usize + 1);
    }
    if !scan.at_end() {
        return Err(scan.expected("the end of the text"));
    }
    let Some(initial) = initial else {
        return Err(scan.error_at(
            scan.at(),
            format!("no `{START} -> …` marks the start state"),
        ));
    };
    Ok(builder.finish(initial))
}
