//! Aldebaran's `.aut`: `des (start, transitions, states)` and then a line
//! `(source, label, target)` for each transition. The text form of an [`Lts`].
//!
//! A label is whatever stands between the first and the last comma, with or without quotes.
//! `tau` and `i` are the internal action. Notes cannot be written.

use super::error::{ReadError, shown};
use super::input::Lines;
use crate::builder::Builder;
use crate::labels::{Label, Labels, TAU};
use crate::lts::{Lts, State};
use std::io::{Error, ErrorKind, Result as IoResult, Write};

/// How the internal action is spelled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TauSpelling {
    /// `"tau"`, as mCRL2 and LTSmin write it.
    #[default]
    Tau,
    /// `i`, as CADP writes it.
    I,
}

/// No header can make us reserve more than this many transitions before they are seen.
const MAX_RESERVED: u64 = 1 << 22;

/// Whether this many states are believable beside this many transitions: states that no
/// transition mentions are allowed, but not so many that a short file fills the memory.
pub(crate) fn believable(states: u64, transitions: u64) -> bool {
    states < u64::from(u32::MAX) && states <= (1 << 24) + 64 * transitions
}

/// A line, with a position in it.
struct Line<'a> {
    bytes: &'a [u8],
    at: usize,
}

type Mistake = (usize, String);

impl Line<'_> {
    fn spaces(&mut self) {
        while self
            .bytes
            .get(self.at)
            .is_some_and(|b| matches!(b, b' ' | b'\t'))
        {
            self.at += 1;
        }
    }
    fn byte(&mut self, byte: u8) -> Result<(), Mistake> {
        self.spaces();
        if self.bytes.get(self.at) != Some(&byte) {
            return Err((self.at, format!("expected `{}`", byte as char)));
        }
        self.at += 1;
        Ok(())
    }
    fn number(&mut self, what: &str) -> Result<u64, Mistake> {
        self.spaces();
        let start = self.at;
        let mut value = 0u64;
        while let Some(digit) = self.bytes.get(self.at).filter(|b| b.is_ascii_digit()) {
            value = value
                .saturating_mul(10)
                .saturating_add(u64::from(digit - b'0'));
            self.at += 1;
        }
        if self.at == start {
            return Err((start, format!("expected {what}, a number")));
        }
        Ok(value)
    }
    fn end(&mut self) -> Result<(), Mistake> {
        self.spaces();
        match self.at == self.bytes.len() {
            true => Ok(()),
            false => Err((self.at, "expected the end of the line".into())),
        }
    }
}

struct Header {
    initial: u64,
    transitions: u64,
    states: u64,
}

fn header(bytes: &[u8]) -> Result<Header, Mistake> {
    let mut line = Line { bytes, at: 0 };
    line.spaces();
    if !bytes[line.at..].starts_with(b"des") {
        return Err((
            line.at,
            "expected the header `des (start, transitions, states)`".into(),
        ));
    }
    line.at += 3;
    line.byte(b'(')?;
    let initial = line.number("the start state")?;
    let comma = line.at;
    line.byte(b',')?;
    let transitions = line.number("the number of transitions")?;
    line.byte(b',')?;
    let states = line.number("the number of states")?;
    line.byte(b')')?;
    line.end()?;
    if initial >= states {
        return Err((
            comma,
            format!("the start state {initial} is not below the number of states, {states}"),
        ));
    }
    if transitions >= u64::from(u32::MAX) || states >= u64::from(u32::MAX) {
        return Err((
            comma,
            "more than 4294967294 states or transitions are not supported".into(),
        ));
    }
    Ok(Header {
        initial,
        transitions,
        states,
    })
}

fn label(bytes: &[u8], at: usize, labels: &mut Labels) -> Result<Label, Mistake> {
    let text = bytes.trim_ascii();
    let text = match text {
        [b'"', inner @ .., b'"'] => inner,
        [b'"', ..] | [] => return Err((at, format!("expected a label, found {}", shown(text)))),
        _ => text,
    };
    if text == b"i" {
        return Ok(TAU);
    }
    labels
        .intern_bytes(text)
        .map_err(|e| (at, format!("the label {} is not UTF-8: {e}", shown(text))))
}

fn transition(bytes: &[u8], states: u64, builder: &mut Builder) -> Result<(), Mistake> {
    let mut line = Line { bytes, at: 0 };
    let state = |line: &mut Line<'_>, what: &str| -> Result<State, Mistake> {
        line.spaces();
        let start = line.at;
        let state = line.number(what)?;
        if state >= states {
            return Err((
                start,
                format!("state {state} is out of range: the header says {states} states"),
            ));
        }
        Ok(state as State)
    };
    line.byte(b'(')?;
    let source = state(&mut line, "the source state")?;
    line.byte(b',')?;
    let start = line.at;
    let last = bytes.iter().rposition(|&b| b == b',').unwrap_or(0);
    if last < start {
        return Err((start, "expected `, target)` after the label".into()));
    }
    let label = label(&bytes[start..last], start, builder.labels())?;
    line.at = last + 1;
    let target = state(&mut line, "the target state")?;
    line.byte(b')')?;
    line.end()?;
    builder.add(source, label, target);
    Ok(())
}

pub(crate) fn read(mut lines: Lines<'_>) -> Result<Lts, ReadError> {
    let head = loop {
        match lines.next()? {
            Some(line) if line.trim_ascii().is_empty() => {}
            Some(line) => {
                let parsed = header(line);
                break parsed.map_err(|(at, message)| lines.error(at, message))?;
            }
            None => {
                return Err(lines.error(
                    0,
                    "the file is empty: expected `des (start, transitions, states)`",
                ));
            }
        }
    };
    let mut builder = Builder::new();
    builder.reserve(head.transitions.min(MAX_RESERVED) as usize);
    while let Some(line) = lines.next()? {
        if line.trim_ascii().is_empty() {
            continue;
        }
        let parsed = if builder.transitions() as u64 == head.transitions {
            let promised = head.transitions;
            Err((
                0,
                format!("the header says {promised} transitions, but there are more"),
            ))
        } else {
            transition(line, head.states, &mut builder)
        };
        parsed.map_err(|(at, message)| lines.error(at, message))?;
    }
    let seen = builder.transitions() as u64;
    if seen != head.transitions {
        let promised = head.transitions;
        return Err(lines.error(
            0,
            format!("the header says {promised} transitions, but there are {seen}"),
        ));
    }
    if !believable(head.states, seen) {
        let promised = head.states;
        return Err(lines.error(
            0,
            format!("the header says {promised} states, too many for {seen} transitions"),
        ));
    }
    builder.ensure_states(head.states as usize);
    Ok(builder.finish(head.initial as State))
}

/// How a label stands in an `.aut` file, with the internal action (number 0) spelled as asked.
///
/// A visible label that would be read back as something else (`i`, or one with a line break) is
/// an error, not a silent change of meaning.
pub fn aut_label(label: Label, name: &str, tau: TauSpelling) -> IoResult<String> {
    if name.contains(['\n', '\r']) || (label != TAU && name == "i") {
        let message = format!(
            "the label {} cannot be written to an .aut file",
            shown(name.as_bytes())
        );
        return Err(Error::new(ErrorKind::InvalidInput, message));
    }
    Ok(match (label, tau) {
        (TAU, TauSpelling::I) => "i".to_owned(),
        _ => format!("\"{name}\""),
    })
}

/// Writes `lts` as `.aut` with the internal action spelled as asked; see [`aut_label`].
pub fn write_aut(lts: &Lts, tau: TauSpelling, out: &mut dyn Write) -> IoResult<()> {
    let names = (0..).zip(lts.labels().names());
    let labels: Vec<String> = names
        .map(|(n, name)| aut_label(n, name, tau))
        .collect::<IoResult<_>>()?;
    writeln!(
        out,
        "des ({},{},{})",
        lts.initial(),
        lts.transitions(),
        lts.states()
    )?;
    for (s, a, t) in lts.iter() {
        writeln!(out, "({s},{},{t})", labels[a as usize])?;
    }
    Ok(())
}
