//! `cwolf lts info`: a system in numbers.

use crate::args::LtsInfo;
use crate::commands::models;
use crate::exit::{DONE, Exit};
use crate::output;
use crate::render::Console;
use anyhow::Result;
use cwolf_lts::{State, TAU};
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
    let mut text = String::new();
    let mut line = |name: &str, value: &dyn std::fmt::Display| {
        writeln!(text, "{name:<22}{value}").expect("a string takes all");
    };
    line("states", &lts.states());
    line("transitions", &lts.transitions());
    line("internal transitions", &internal);
    line("visible labels", &visible);
    line("start state", &lts.initial());
    line("deadlocks", &deadlocks);
    line("deterministic", &if deterministic { "yes" } else { "no" });
    if args.labels {
        let mut names: Vec<&str> = lts.labels().names().collect();
        names = (0..names.len())
            .filter(|&n| used[n])
            .map(|n| names[n])
            .collect();
        names.sort_unstable();
        for name in names {
            writeln!(text, "  {name}").expect("a string takes all");
        }
    }
    output::write(None, text.as_bytes())?;
    Ok(DONE)
}
