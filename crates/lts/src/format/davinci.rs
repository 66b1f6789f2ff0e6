//! The term text of the daVinci viewer. Its edges have no labels, so a visible action is a
//! small text node between two states. What is written can be read back; of other daVinci files
//! only those that are made the same way.

use super::aut::believable;
use super::error::{ReadError, shown};
use super::scan::{Scanner, quoted};
use crate::builder::Builder;
use crate::labels::{TAU, TAU_NAME};
use crate::lts::{Lts, State};
use std::io::{Result as IoResult, Write};

/// The shape of the start state.
const START: &str = "circle";

pub(crate) fn write(lts: &Lts, out: &mut dyn Write) -> IoResult<()> {
    let names: Vec<String> = lts.labels().names().map(quoted).collect();
    writeln!(out, "[")?;
    let mut edge = 0u64;
    for s in 0..lts.states() as State {
        let note = lts.notes().and_then(|notes| notes.get(s));
        let text = match note {
            Some(note) => quoted(&format!("{s}\n{note}")),
            None => quoted(&s.to_string()),
        };
        let shape = if s == lts.initial() { START } else { "ellipse" };
        let comma = if s == 0 { "" } else { "," };
        write!(
            out,
            "{comma}l(\"s{s}\",n(\"state\",[a(\"OBJECT\",{text}),a(\"_GO\",\"{shape}\")"
        )?;
        if let Some(note) = note {
            let (text, others) = (quoted(note.text), note.others);
            write!(out, ",a(\"NOTE\",{text}),a(\"OTHERS\",\"{others}\")")?;
        }
        write!(out, "],[")?;
        for (n, (a, t)) in lts.from(s).enumerate() {
            let comma = if n == 0 { "" } else { "," };
            edge += 1;
            write!(out, "{comma}l(\"e{edge}\",e(\"edge\",[],")?;
            if a == TAU {
                write!(out, "r(\"s{t}\")))")?;
            } else {
                let label = &names[a as usize];
                write!(
                    out,
                    "l(\"a{edge}\",n(\"action\",[a(\"OBJECT\",{label}),a(\"_GO\",\"text\")],"
                )?;
                write!(out, "[l(\"f{edge}\",e(\"edge\",[],r(\"s{t}\")))]))))")?;
            }
        }
        writeln!(out, "]))")?;
    }
    writeln!(out, "]")
}

/// The attributes of a node.
#[derive(Default)]
struct Attributes {
    text: String,
    shape: String,
    note: Option<String>,
    others: u32,
}

/// `l("name",n("type",[attributes],` or `l("name",e("type",[attributes],`.
struct Head {
    at: usize,
    name: String,
    attributes: Attributes,
}

fn head(scan: &mut Scanner<'_>, kind: &str) -> Result<Head, ReadError> {
    scan.space();
    let at = scan.at();
    scan.expect("l")?;
    scan.expect("(")?;
    let name = scan.string()?;
    scan.expect(",")?;
    scan.expect(kind)?;
    scan.expect("(")?;
    scan.string()?;
    scan.expect(",")?;
    let attributes = attributes(scan)?;
    scan.expect(",")?;
    Ok(Head {
        at,
        name,
        attributes,
    })
}

fn attributes(scan: &mut Scanner<'_>) -> Result<Attributes, ReadError> {
    let mut found = Attributes::default();
    scan.expect("[")?;
    while !scan.eat("]") {
        scan.expect("a")?;
        scan.expect("(")?;
        let key = scan.string()?;
        scan.expect(",")?;
        scan.space();
        let at = scan.at();
        let value = scan.string()?;
        scan.expect(")")?;
        match key.as_str() {
            "OBJECT" => found.text = value,
            "_GO" => found.shape = value,
            "NOTE" => found.note = Some(value),
            "OTHERS" => {
                let others = value.parse();
                found.others =
                    others.map_err(|_| scan.error_at(at, "expected a number of states"))?;
            }
            _ => {}
        }
        scan.eat(",");
    }
    Ok(found)
}

/// The state of a name such as `s12`.
fn state(scan: &Scanner<'_>, at: usize, name: &str) -> Result<State, ReadError> {
    let number = name.strip_prefix('s').and_then(|n| n.parse::<State>().ok());
    let number = number.filter(|&s| s < State::MAX);
    let number = number.filter(|&s| believable(u64::from(s) + 1, scan.len() as u64));
    number.ok_or_else(|| {
        let name = shown(name.as_bytes());
        scan.error_at(at, format!("{name} is not the name of a state, such as s0"))
    })
}

/// `r("s12")`.
fn reference(scan: &mut Scanner<'_>) -> Result<State, ReadError> {
    scan.expect("r")?;
    scan.expect("(")?;
    scan.space();
    let at = scan.at();
    let name = scan.string()?;
    scan.expect(")")?;
    state(scan, at, &name)
}

/// An edge of a state, with the action in it if there is one.
fn edge(scan: &mut Scanner<'_>, source: State, builder: &mut Builder) -> Result<(), ReadError> {
    head(scan, "e")?;
    if scan.peek() == Some('r') {
        let target = reference(scan)?;
        builder.transition(source, TAU_NAME, target);
    } else {
        let action = head(scan, "n")?;
        scan.expect("[")?;
        head(scan, "e")?;
        let target = reference(scan)?;
        scan.expect("))")?;
        scan.expect("]")?;
        scan.expect("))")?;
        builder.transition(source, &action.attributes.text, target);
    }
    scan.expect("))")
}

pub(crate) fn read(mut scan: Scanner<'_>) -> Result<Lts, ReadError> {
    let mut builder = Builder::new();
    let mut initial = None;
    scan.expect("[")?;
    while !scan.eat("]") {
        let node = head(&mut scan, "n")?;
        let source = state(&scan, node.at, &node.name)?;
        builder.ensure_states(source as usize + 1);
        if let Some(note) = &node.attributes.note {
            builder.note_merged(source, note, node.attributes.others);
        }
        if node.attributes.shape == START {
            initial = Some(source);
        }
        scan.expect("[")?;
        while !scan.eat("]") {
            edge(&mut scan, source, &mut builder)?;
            scan.eat(",");
        }
        scan.expect("))")?;
        scan.eat(",");
    }
    if !scan.at_end() {
        return Err(scan.expected("the end of the text"));
    }
    let Some(initial) = initial else {
        let message = format!("no node has the shape {START}, which marks the start state");
        return Err(scan.error_at(scan.at(), message));
    };
    Ok(builder.finish(initial))
}
