//! `cwolf lts info`: a system in numbers.

use crate::args::LtsInfo;
use crate::commands::models;
use crate::exit::{DONE, Exit};
use crate::render::Console;
use anyhow::Result;
use cwolf_lts::{State, TAU};
use serde_json::json;
use std::fmt::Write;

pub fn run(args: &LtsInfo, console: &Console) -> Result<Exit> {
    let budget = args.limits.of_states(&args.limits.budget(console));
    let lts = models::load(&args.input, args.from, &budget, console)?;
    let mut used = vec![false; lts.labels().len()];
    let (mut internal, mut deterministic) = (0usize, true);
    for s in 0..lts.states() as State {
        let mut before = None;
        for (a, _) in lts.from(s) {
            used[a as usize] = true;
            internal += usize::from(a == TAU);
            // Transitions are sorted by label, so two with one label lie side by side.
            deterministic &= a != TAU && before != Some(a);
            before = Some(a);
        }
    }
    let states = 0..lts.states() as State;
    let deadlocks = states.filter(|&s| lts.from(s).len() == 0).count();
    let visible = used.iter().skip(1).filter(|u| **u).count();
    let patterns = (lts.labels().patterns().iter())
        .filter(|l| used[**l as usize])
        .count();
    let mut text = String::new();
    let mut line = |name: &str, value: &dyn std::fmt::Display| {
        writeln!(text, "{name:<22}{value}").expect("a string takes all");
    };
    line("states", &lts.states());
    line("transitions", &lts.transitions());
    line("internal transitions", &internal);
    line("visible labels", &visible);
    if patterns > 0 {
        line("patterns among them", &patterns);
    }
    line("start state", &lts.initial());
    line("deadlocks", &deadlocks);
    line("deterministic", &if deterministic { "yes" } else { "no" });
    let names = lts.labels().names().zip(&used);
    let mut labels: Vec<&str> = names.filter(|(_, used)| **used).map(|(n, _)| n).collect();
    labels.sort_unstable();
    if args.labels {
        for name in &labels {
            writeln!(text, "  {name}").expect("a string takes all");
        }
    }
    console.print(None, text.as_bytes())?;
    console.result(json!({
        "states": lts.states(),
        "transitions": lts.transitions(),
        "internal": internal,
        "initial": lts.initial(),
        "patterns": patterns,
        "deadlocks": deadlocks,
        "deterministic": deterministic,
        "labels": labels,
    }));
    Ok(DONE)
}
