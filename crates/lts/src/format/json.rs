//! JSON: `{"initial": 0, "states": 2, "labels": ["tau", "a"], "transitions": [[0, 1, 1]],
//! "notes": ["main.c:1", ["main.c:2", 5], null]}`. A transition is source, number of the label,
//! target; a note with a number stands for that many more states. Label 0 is always `tau`.

use super::aut::believable;
use super::error::ReadError;
use super::scan::{MAX_DEPTH, Scanner, quoted};
use crate::builder::Builder;
use crate::labels::{TAU, TAU_NAME};
use crate::lts::{Lts, State};
use std::io::{Result as IoResult, Write};

pub(crate) fn write(lts: &Lts, out: &mut dyn Write) -> IoResult<()> {
    let (initial, states) = (lts.initial(), lts.states());
    write!(
        out,
        "{{\"initial\":{initial},\"states\":{states},\n\"labels\":["
    )?;
    for (n, name) in lts.labels().names().enumerate() {
        let comma = if n == 0 { "" } else { "," };
        write!(out, "{comma}{}", quoted(name))?;
    }
    write!(out, "],\n\"transitions\":[")?;
    for (n, (s, a, t)) in lts.iter().enumerate() {
        let comma = if n == 0 { "\n" } else { ",\n" };
        write!(out, "{comma}[{s},{a},{t}]")?;
    }
    write!(out, "]")?;
    if let Some(notes) = lts.notes() {
        write!(out, ",\n\"notes\":[")?;
        for s in 0..states as State {
            let comma = if s == 0 { "\n" } else { ",\n" };
            match notes.get(s) {
                None => write!(out, "{comma}null")?,
                Some(note) if note.others == 0 => write!(out, "{comma}{}", quoted(note.text))?,
                Some(note) => write!(out, "{comma}[{},{}]", quoted(note.text), note.others)?,
            }
        }
        write!(out, "]")?;
    }
    writeln!(out, "}}")
}

/// Reads `[item, item, …]`; `item` gets the position in the list.
fn list<'a>(
    scan: &mut Scanner<'a>,
    mut item: impl FnMut(&mut Scanner<'a>, usize) -> Result<(), ReadError>,
) -> Result<(), ReadError> {
    scan.expect("[")?;
    if scan.eat("]") {
        return Ok(());
    }
    for n in 0.. {
        item(scan, n)?;
        if !scan.eat(",") {
            break;
        }
    }
    scan.expect("]")
}

/// Skips a value of a field that means nothing to us.
fn skip(scan: &mut Scanner<'_>, depth: usize) -> Result<(), ReadError> {
    if depth > MAX_DEPTH {
        return Err(scan.error_at(scan.at(), "this is nested too deeply"));
    }
    match scan.peek() {
        Some('"') => scan.string().map(drop),
        Some('[') => list(scan, |scan, _| skip(scan, depth + 1)),
        Some('{') => {
            scan.expect("{")?;
            if scan.eat("}") {
                return Ok(());
            }
            loop {
                scan.string()?;
                scan.expect(":")?;
                skip(scan, depth + 1)?;
                if !scan.eat(",") {
                    return scan.expect("}");
                }
            }
        }
        _ => match scan.word(|c| c.is_ascii_alphanumeric() || "+-.".contains(c)) {
            "" => Err(scan.expected("a value")),
            _ => Ok(()),
        },
    }
}

#[derive(Default)]
struct Fields {
    initial: Option<(usize, u32)>,
    states: Option<(usize, u32)>,
    labels: Option<Vec<u32>>,
    // Labels may come after the transitions: their numbers are checked at the end.
    transitions: Vec<(usize, [u32; 3])>,
    notes: usize,
}

pub(crate) fn read(mut scan: Scanner<'_>) -> Result<Lts, ReadError> {
    let mut builder = Builder::new();
    let mut fields = Fields::default();
    scan.expect("{")?;
    while !scan.eat("}") {
        let key_at = scan.at();
        let key = scan.string()?;
        scan.expect(":")?;
        field(&mut scan, &key, key_at, &mut fields, &mut builder)?;
        if !scan.eat(",") {
            scan.expect("}")?;
            break;
        }
    }
    if !scan.at_end() {
        return Err(scan.expected("the end of the text"));
    }
    finish(scan, fields, builder)
}

fn field(
    scan: &mut Scanner<'_>,
    key: &str,
    key_at: usize,
    fields: &mut Fields,
    builder: &mut Builder,
) -> Result<(), ReadError> {
    scan.space();
    let at = scan.at();
    match key {
        "initial" => fields.initial = Some((at, scan.number("the start state")?)),
        "states" => fields.states = Some((at, scan.number("the number of states")?)),
        "labels" => {
            if fields.labels.is_some() {
                return Err(scan.error_at(key_at, "there are labels already"));
            }
            let mut labels = Vec::new();
            list(scan, |scan, n| {
                scan.space();
                let at = scan.at();
                let name = scan.string()?;
                if (n == TAU as usize) != (name == TAU_NAME) {
                    return Err(scan.error_at(at, "label 0, and only that, is `tau`"));
                }
                labels.push(builder.label(&name));
                Ok(())
            })?;
            fields.labels = Some(labels);
        }
        "transitions" => list(scan, |scan, _| {
            scan.space();
            let at = scan.at();
            scan.expect("[")?;
            let source = scan.number("the source state")?;
            scan.expect(",")?;
            let label = scan.number("the number of a label")?;
            scan.expect(",")?;
            let target = scan.number("the target state")?;
            scan.expect("]")?;
            fields.transitions.push((at, [source, label, target]));
            Ok(())
        })?,
        "notes" => list(scan, |scan, n| {
            fields.notes = n + 1;
            note(scan, n as State, builder)
        })?,
        _ => skip(scan, 0)?,
    }
    Ok(())
}

fn note(scan: &mut Scanner<'_>, state: State, builder: &mut Builder) -> Result<(), ReadError> {
    if scan.eat("null") {
        return Ok(());
    }
    if scan.eat("[") {
        let text = scan.string()?;
        scan.expect(",")?;
        let others = scan.number("how many states more")?;
        builder.note_merged(state, &text, others);
        return scan.expect("]");
    }
    let text = scan.string()?;
    builder.note(state, &text);
    Ok(())
}

fn finish(scan: Scanner<'_>, fields: Fields, mut builder: Builder) -> Result<Lts, ReadError> {
    let end = scan.at();
    let Some((states_at, states)) = fields.states else {
        return Err(scan.error_at(end, "the field `states` is missing"));
    };
    let (initial_at, initial) = fields.initial.unwrap_or((states_at, 0));
    if initial >= states {
        let message =
            format!("the start state {initial} is not below the number of states, {states}");
        return Err(scan.error_at(initial_at, message));
    }
    if !believable(states.into(), fields.transitions.len() as u64) {
        return Err(scan.error_at(states_at, "too many states for these transitions"));
    }
    if fields.notes > states as usize {
        return Err(scan.error_at(end, "there are more notes than states"));
    }
    let labels = fields.labels.unwrap_or_else(|| vec![TAU]);
    builder.ensure_states(states as usize);
    builder.reserve(fields.transitions.len());
    for (at, [source, label, target]) in fields.transitions {
        let Some(&label) = labels.get(label as usize) else {
            return Err(scan.error_at(at, format!("there is no label {label}")));
        };
        if let Some(state) = [source, target].into_iter().find(|&s| s >= states) {
            let message = format!("state {state} is out of range: there are {states} states");
            return Err(scan.error_at(at, message));
        }
        builder.add(source, label, target);
    }
    Ok(builder.finish(initial))
}
