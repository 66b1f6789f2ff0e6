//! VCG, the graph text of the `xvcg` viewer. What is written can be read back: the start state
//! has a thick border, a note is the node's first info. Of other VCG files only those whose
//! titles are numbers can be read.

use super::aut::believable;
use super::error::{ReadError, shown};
use super::scan::{MAX_DEPTH, Scanner, quoted};
use crate::builder::Builder;
use crate::labels::TAU;
use crate::lts::{Lts, State};
use std::io::{Result as IoResult, Write};

/// The border of the start state.
const START: &str = "3";

pub(crate) fn write(lts: &Lts, out: &mut dyn Write) -> IoResult<()> {
    writeln!(out, "graph: {{ title: \"lts\" display_edge_labels: yes")?;
    for s in 0..lts.states() as State {
        let note = lts.notes().and_then(|notes| notes.get(s));
        let label = match note {
            Some(note) => quoted(&format!("{s}\n{note}")),
            None => quoted(&s.to_string()),
        };
        write!(out, "node: {{ title: \"{s}\" label: {label}")?;
        if s == lts.initial() {
            write!(out, " borderwidth: {START}")?;
        }
        if let Some(note) = note {
            write!(out, " info1: {}", quoted(note.text))?;
            if note.others > 0 {
                write!(out, " info2: \"{}\"", note.others)?;
            }
        }
        writeln!(out, " }}")?;
    }
    let names: Vec<String> = lts.labels().names().map(quoted).collect();
    for (s, a, t) in lts.iter() {
        let style = if a == TAU { " linestyle: dotted" } else { "" };
        let label = &names[a as usize];
        writeln!(
            out,
            "edge: {{ sourcename: \"{s}\" targetname: \"{t}\" label: {label}{style} }}"
        )?;
    }
    writeln!(out, "}}")
}

/// The attributes of a node or an edge that mean something.
#[derive(Default)]
struct Attributes {
    title: Option<State>,
    label: String,
    source: Option<State>,
    target: Option<State>,
    is_start: bool,
    note: Option<String>,
    others: u32,
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || "_.-".contains(c)
}

/// A value in quotes, or a word.
fn value(scan: &mut Scanner<'_>) -> Result<String, ReadError> {
    if scan.peek() == Some('"') {
        return scan.string();
    }
    match scan.word(is_word) {
        "" => Err(scan.expected("a value")),
        word => Ok(word.to_owned()),
    }
}

fn key<'a>(scan: &mut Scanner<'a>) -> Result<&'a str, ReadError> {
    let key = scan.word(is_word);
    if key.is_empty() {
        return Err(scan.expected("an attribute or `}`"));
    }
    scan.expect(":")?;
    Ok(key)
}

fn state(scan: &mut Scanner<'_>) -> Result<State, ReadError> {
    scan.space();
    let at = scan.at();
    let text = value(scan)?;
    let state = text.parse::<State>().ok().filter(|&s| s < State::MAX);
    let state = state.filter(|&s| believable(u64::from(s) + 1, scan.len() as u64));
    state.ok_or_else(|| {
        let text = shown(text.as_bytes());
        scan.error_at(at, format!("the title {text} is not the number of a state"))
    })
}

fn attributes(scan: &mut Scanner<'_>) -> Result<Attributes, ReadError> {
    let mut found = Attributes::default();
    scan.expect("{")?;
    while !scan.eat("}") {
        match key(scan)? {
            "title" => found.title = Some(state(scan)?),
            "sourcename" => found.source = Some(state(scan)?),
            "targetname" => found.target = Some(state(scan)?),
            "label" => found.label = value(scan)?,
            "borderwidth" => found.is_start = value(scan)? == START,
            "info1" => found.note = Some(value(scan)?),
            "info2" => {
                let at = scan.at();
                let parsed = value(scan)?.parse();
                found.others =
                    parsed.map_err(|_| scan.error_at(at, "expected a number of states"))?;
            }
            _ => {
                value(scan)?;
            }
        }
    }
    Ok(found)
}

pub(crate) fn read(mut scan: Scanner<'_>) -> Result<Lts, ReadError> {
    scan.expect("graph")?;
    scan.expect(":")?;
    scan.expect("{")?;
    let mut builder = Builder::new();
    let mut initial = None;
    while !scan.eat("}") {
        scan.space();
        let at = scan.at();
        match key(&mut scan)? {
            "node" => {
                let node = attributes(&mut scan)?;
                let Some(state) = node.title else {
                    return Err(scan.error_at(at, "this node has no title"));
                };
                builder.ensure_states(state as usize + 1);
                if let Some(text) = node.note {
                    builder.note_merged(state, &text, node.others);
                }
                if node.is_start {
                    initial = Some(state);
                }
            }
            "edge" => {
                let edge = attributes(&mut scan)?;
                let (Some(source), Some(target)) = (edge.source, edge.target) else {
                    return Err(scan.error_at(at, "this edge has no sourcename or no targetname"));
                };
                builder.transition(source, &edge.label, target);
            }
            _ if scan.peek() == Some('{') => skip(&mut scan)?,
            _ => {
                value(&mut scan)?;
            }
        }
    }
    if !scan.at_end() {
        return Err(scan.expected("the end of the text"));
    }
    let Some(initial) = initial else {
        let message = format!("no node has `borderwidth: {START}`, which marks the start state");
        return Err(scan.error_at(scan.at(), message));
    };
    Ok(builder.finish(initial))
}

/// Steps over what stands in braces.
fn skip(scan: &mut Scanner<'_>) -> Result<(), ReadError> {
    let mut depth = 0;
    loop {
        if scan.eat("{") {
            depth += 1;
            if depth > MAX_DEPTH {
                return Err(scan.error_at(scan.at(), "this is nested too deeply"));
            }
        } else if scan.eat("}") {
            depth -= 1;
            if depth == 0 {
                return Ok(());
            }
        } else if !scan.eat(":") {
            value(scan)?;
        }
    }
}
