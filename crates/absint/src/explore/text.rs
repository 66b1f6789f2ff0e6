//! A model as plain text, state by state (thesis, Figure 4.8).

use cwolf_lts::{Lts, TAU};
use std::io::{Result, Write};

/// Writes each state with its note and its transitions.
pub fn write_text(lts: &Lts, out: &mut dyn Write) -> Result<()> {
    writeln!(
        out,
        "{} states, {} transitions, start {}",
        lts.states(),
        lts.transitions(),
        lts.initial()
    )?;
    for s in 0..lts.states() as u32 {
        writeln!(out, "\nState {s}")?;
        if let Some(note) = lts.notes().and_then(|n| n.get(s)) {
            for line in note.to_string().lines() {
                writeln!(out, "  {line}")?;
            }
        }
        for (label, t) in lts.from(s) {
            match label {
                TAU => writeln!(out, "  -> {t}")?,
                label => writeln!(out, "  -- {} -> {t}", lts.labels().name(label))?,
            }
        }
    }
    Ok(())
}
