//! VCG, the graph text of the `xvcg` viewer; written only.

use crate::labels::TAU;
use crate::lts::{Lts, State};
use std::io::{Result as IoResult, Write};

/// VCG knows only the escapes `\"` and `\\`, and `\n` inside labels.
fn text(of: &str) -> String {
    let escaped = of
        .replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace('\n', "\\n");
    format!("\"{}\"", escaped.replace(|c: char| c.is_control(), " "))
}

pub(crate) fn write(lts: &Lts, out: &mut dyn Write) -> IoResult<()> {
    writeln!(out, "graph: {{ title: \"lts\" display_edge_labels: yes")?;
    for s in 0..lts.states() as State {
        let label = match lts.notes().and_then(|notes| notes.get(s)) {
            Some(note) => text(&format!("{s}\n{note}")),
            None => text(&s.to_string()),
        };
        let start = if s == lts.initial() {
            " borderwidth: 3"
        } else {
            ""
        };
        writeln!(out, "node: {{ title: \"{s}\" label: {label}{start} }}")?;
    }
    let names: Vec<String> = lts.labels().names().map(text).collect();
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
