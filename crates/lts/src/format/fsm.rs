//! mCRL2's `.fsm`: state parameters, states and transitions, separated by `---`. States count
//! from 1 in the file and the first is the start state. Notes are written as one parameter
//! `note`; parameters of other tools are read as notes like `x=1, b=T`.

use super::error::{ReadError, shown};
use super::input::Lines;
use super::scan::{Scanner, quoted};
use crate::builder::Builder;
use crate::labels::Labels;
use crate::lts::{Lts, State};
use std::io::{Result as IoResult, Write};

const NOTE: &str = "note";

pub(crate) fn write(lts: &Lts, out: &mut dyn Write) -> IoResult<()> {
    // The start state must be the first: it changes places with state 0.
    let place = |s: State| match s {
        0 => lts.initial(),
        s if s == lts.initial() => 0,
        s => s,
    };
    let mut texts = Labels::new();
    let mut ids = Vec::new();
    if let Some(notes) = lts.notes() {
        let empty = texts.intern("");
        ids = (0..lts.states() as State)
            .map(|s| {
                notes
                    .get(place(s))
                    .map_or(empty, |n| texts.intern(&n.to_string()))
            })
            .collect();
        write!(out, "{NOTE}({}) String", texts.len())?;
        for text in texts.names() {
            write!(out, " {}", quoted(text))?;
        }
        writeln!(out)?;
    }
    writeln!(out, "---")?;
    for s in 0..lts.states() {
        match ids.get(s) {
            Some(id) => writeln!(out, "{id}")?,
            None => writeln!(out)?,
        }
    }
    writeln!(out, "---")?;
    for s in 0..lts.states() as State {
        for (a, t) in lts.from(place(s)) {
            let target = u64::from(place(t)) + 1;
            writeln!(
                out,
                "{} {target} {}",
                u64::from(s) + 1,
                quoted(lts.labels().name(a))
            )?;
        }
    }
    Ok(())
}

struct Parameter {
    name: String,
    values: Vec<String>,
}

fn parameter(line: &str) -> Result<Parameter, ReadError> {
    let mut scan = Scanner::new("", line, "");
    let name = scan.word(|c| c != '(' && !c.is_whitespace()).to_owned();
    if name.is_empty() {
        return Err(scan.expected("the name of a parameter"));
    }
    scan.expect("(")?;
    scan.number("the number of values")?;
    scan.expect(")")?;
    // The type may be any text, up to the first quoted value.
    scan.word(|c| c != '"');
    let mut values = Vec::new();
    while !scan.at_end() {
        values.push(scan.string()?);
    }
    Ok(Parameter { name, values })
}

/// The values of one state, as a note; nothing when there are none.
fn state_note(line: &str, parameters: &[Parameter]) -> Result<Option<String>, ReadError> {
    let mut scan = Scanner::new("", line, "");
    let mut note = String::new();
    for parameter in parameters {
        let at = scan.at();
        let n = scan.number("the number of a value")? as usize;
        let value = match parameter.values.get(n) {
            Some(value) => value.clone(),
            None if parameter.values.is_empty() => n.to_string(),
            None => return Err(scan.error_at(at, format!("`{}` has no value {n}", parameter.name))),
        };
        if parameters.len() == 1 && parameter.name == NOTE {
            note = value;
        } else {
            let comma = if note.is_empty() { "" } else { ", " };
            note = format!("{note}{comma}{}={value}", parameter.name);
        }
    }
    match scan.at_end() {
        true => Ok(Some(note).filter(|n| !n.is_empty())),
        false => Err(scan.expected("the end of the line")),
    }
}

fn text(line: &[u8]) -> Result<&str, ReadError> {
    std::str::from_utf8(line).map_err(|e| {
        ReadError::at(
            "",
            1,
            e.valid_up_to() as u64 + 1,
            "the text is not UTF-8 here",
        )
    })
}

fn transition(line: &[u8], builder: &mut Builder, states: usize) -> Result<(), ReadError> {
    let line = text(line)?;
    let mut scan = Scanner::new("", line, "");
    let mut state = |what: &str| {
        scan.space();
        let at = scan.at();
        match scan.number(what)? {
            n if n == 0 || n as usize > states => Err(scan.error_at(
                at,
                format!("state {n} is out of range: there are {states} states"),
            )),
            n => Ok(n - 1),
        }
    };
    let source = state("the source state")?;
    let target = state("the target state")?;
    let label = match scan.peek() {
        Some('"') => {
            let name = scan.string()?;
            builder.label(&name)
        }
        _ => match scan.word(|c| !c.is_whitespace()) {
            "" => return Err(scan.expected("a label")),
            word => builder.label(word),
        },
    };
    if !scan.at_end() {
        return Err(scan.expected("the end of the line"));
    }
    if builder.transitions() as u64 >= u64::from(u32::MAX) - 1 {
        return Err(scan.error_at(0, "more than 4294967294 transitions are not supported"));
    }
    builder.add(source, label, target);
    Ok(())
}

pub(crate) fn read(mut lines: Lines<'_>) -> Result<Lts, ReadError> {
    let mut builder = Builder::new();
    let mut parameters = Vec::new();
    let mut states = 0usize;
    let mut initial = 0;
    let mut section = 0;
    while let Some(line) = lines.next()? {
        if line.trim_ascii() == b"---" {
            section += 1;
            if section == 4 {
                return Err(lines.error(0, "there are too many sections"));
            }
            continue;
        }
        let empty = line.trim_ascii().is_empty();
        let parsed = match section {
            0 | 2 | 3 if empty => Ok(()),
            0 => text(line).and_then(parameter).map(|p| parameters.push(p)),
            1 if states as u64 >= u64::from(u32::MAX) - 1 => Err(ReadError::at(
                "",
                1,
                1,
                "more than 4294967294 states are not supported",
            )),
            1 => text(line)
                .and_then(|line| state_note(line, &parameters))
                .map(|note| {
                    states += 1;
                    if let Some(note) = note {
                        builder.note(states as State - 1, &note);
                    }
                }),
            2 => transition(line, &mut builder, states),
            _ => match text(line).map(|l| l.trim().parse::<usize>()) {
                Ok(Ok(n)) if (1..=states).contains(&n) => {
                    initial = n as State - 1;
                    Ok(())
                }
                _ => Err(ReadError::at(
                    "",
                    1,
                    1,
                    format!("expected the start state, found {}", shown(line)),
                )),
            },
        };
        parsed.map_err(|e| lines.error(e.column.saturating_sub(1) as usize, e.message))?;
    }
    if section < 2 {
        return Err(lines.error(
            0,
            "expected parameters, states and transitions, separated by `---`",
        ));
    }
    if states == 0 {
        return Err(lines.error(0, "there are no states"));
    }
    builder.ensure_states(states);
    Ok(builder.finish(initial))
}
