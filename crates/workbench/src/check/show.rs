//! Evidence in words.

use super::{Evidence, Run};
use cwolf_lts::{Lts, State};
use std::fmt::Write;

/// How many steps of a strategy are shown.
const MAX_LINES: usize = 40;

fn state(lts: &Lts, state: State) -> String {
    match lts.notes().and_then(|n| n.get(state)) {
        Some(note) => format!("{state} [{note}]"),
        None => state.to_string(),
    }
}

impl Run {
    /// The run as text, a line a step, with what is known about the states of `lts`.
    pub fn render(&self, lts: &Lts) -> String {
        let mut text = String::new();
        let mut from = self.start;
        if self.steps.is_empty() {
            writeln!(text, "  at the start: {}", state(lts, from)).expect("a string takes all");
        }
        for (n, step) in self.steps.iter().enumerate() {
            if self.repeats_from == Some(n) {
                text.push_str("  then for ever:\n");
            }
            let (before, after) = (state(lts, from), state(lts, step.state));
            writeln!(text, "  {before} --{}--> {after}", step.label).expect("a string takes all");
            from = step.state;
        }
        text
    }
}

impl Evidence {
    /// The evidence as text.
    pub fn render(&self, lts: &Lts) -> String {
        match self {
            Evidence::Run(run) => run.render(lts),
            Evidence::AllRuns => "  every run was looked at\n".to_owned(),
            Evidence::Strategy(steps) if steps.is_empty() => {
                format!("  at the start: {}\n", state(lts, lts.initial()))
            }
            Evidence::Strategy(steps) => {
                let mut text = String::from("  by these steps, whatever the other side chooses:\n");
                for (from, label, to) in steps.iter().take(MAX_LINES) {
                    let (from, to) = (state(lts, *from), state(lts, *to));
                    writeln!(text, "  {from} --{label}--> {to}").expect("a string takes all");
                }
                if steps.len() > MAX_LINES {
                    let more = steps.len() - MAX_LINES;
                    writeln!(text, "  and {more} more").expect("a string takes all");
                }
                text
            }
        }
    }
}
