//! Evidence in words.

use super::{Evidence, Run};
use cwolf_lts::{Builder, Lts, State};
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt::Write;

/// How many steps of a strategy are shown.
const MAX_LINES: usize = 40;
/// How deep a tree is indented.
const MAX_INDENT: usize = 20;

/// A state with what is known about it.
pub(crate) fn state(lts: &Lts, state: State) -> String {
    match lts.notes().and_then(|n| n.get(state)) {
        // A note may have several lines; a state has one.
        Some(note) => format!("{state} [{}]", note.to_string().replace('\n', "; ")),
        None => state.to_string(),
    }
}

impl Run {
    /// The run as text, a line a step, with what is known about the states of `lts`.
    pub fn render(&self, lts: &Lts) -> String {
        let mut text = String::new();
        let mut from = self.start;
        // Notes are long: each is shown once, after the step that leads to it.
        let has_notes = lts.notes().is_some();
        if has_notes && !self.steps.is_empty() {
            writeln!(text, "  {}", state(lts, from)).expect("a string takes all");
        }
        if self.steps.is_empty() {
            writeln!(text, "  at the start: {}", state(lts, from)).expect("a string takes all");
        }
        for (n, step) in self.steps.iter().enumerate() {
            if self.repeats_from == Some(n) {
                text.push_str("  then for ever:\n");
            }
            let before = match has_notes {
                true => "  ".to_owned(),
                false => format!("{from} "),
            };
            let (label, after) = (&step.label, state(lts, step.state));
            writeln!(text, "  {before}--{label}--> {after}").expect("a string takes all");
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
                text += &tree(lts, steps);
                text
            }
        }
    }
    /// The states and steps that show the answer, as a system: part of `lts`, with its notes.
    pub fn system(&self, lts: &Lts) -> Lts {
        let steps: Vec<(State, &str, State)> = match self {
            Evidence::AllRuns => return lts.clone(),
            Evidence::Strategy(steps) => steps.iter().map(|(s, a, t)| (*s, &**a, *t)).collect(),
            Evidence::Run(run) => {
                let before = run.steps.iter().map(|s| s.state);
                let before = std::iter::once(run.start).chain(before);
                let pairs = before.zip(&run.steps);
                pairs
                    .map(|(s, step)| (s, &*step.label, step.state))
                    .collect()
            }
        };
        let mut numbers: FxHashMap<State, State> = FxHashMap::default();
        let mut builder = Builder::new();
        let mut number = |state: State, builder: &mut Builder| {
            let next = numbers.len() as State;
            *numbers.entry(state).or_insert_with(|| {
                let note = lts.notes().and_then(|n| n.get(state));
                match note {
                    Some(note) => builder.note_merged(next, note.text, note.others),
                    None => builder.note(next, &format!("state {state}")),
                }
                next
            })
        };
        number(lts.initial(), &mut builder);
        for (s, label, t) in steps {
            let (s, t) = (number(s, &mut builder), number(t, &mut builder));
            builder.transition(s, label, t);
        }
        builder.finish(0)
    }
}

/// Steps as a tree from the start; what follows a state is shown once.
fn tree(lts: &Lts, steps: &[(State, String, State)]) -> String {
    let mut after: FxHashMap<State, Vec<(&str, State)>> = FxHashMap::default();
    for (s, label, t) in steps {
        after.entry(*s).or_default().push((label, *t));
    }
    let mut text = format!("  {}\n", state(lts, lts.initial()));
    let mut lines = 0;
    let mut seen = FxHashSet::from_iter([lts.initial()]);
    let follow = |s: State| after.get(&s).into_iter().flatten().rev().copied();
    let start = follow(lts.initial()).map(|(label, t)| (2, label, t));
    let mut stack: Vec<(usize, &str, State)> = start.collect();
    while let Some((depth, label, t)) = stack.pop() {
        if lines == MAX_LINES {
            let more = steps.len() - lines;
            writeln!(text, "  and {more} more").expect("a string takes all");
            break;
        }
        lines += 1;
        let is_new = seen.insert(t);
        let mark = match !is_new && after.contains_key(&t) {
            true => " (see above)",
            false => "",
        };
        let (indent, to) = ("  ".repeat(depth.min(MAX_INDENT)), state(lts, t));
        writeln!(text, "{indent}--{label}--> {to}{mark}").expect("a string takes all");
        if is_new {
            stack.extend(follow(t).map(|(label, u)| (depth + 1, label, u)));
        }
    }
    text
}
