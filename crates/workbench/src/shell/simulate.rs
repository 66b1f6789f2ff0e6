//! Walking through a system: by choice, at random, along the last run that a command found, and
//! back again.

use super::{Answer, Failure, Reply, Session, words};
use cwolf_lts::{Label, Lts, State};
use std::fmt::Write;
use std::sync::Arc;

/// The names of all commands.
pub(super) const COMMANDS: &[&str] = &["back", "random", "along", "history", "help", "quit"];

const HELP: &str = "\
N            take step N
back [K]     undo K steps
random [K]   take K steps at random
along        take the steps of the last run that chk, search or fd found
history      show the way here
quit         leave the simulator
";

pub(super) struct Simulator {
    process: String,
    lts: Arc<Lts>,
    /// The way so far: each step's label and the state after it.
    way: Vec<(Label, State)>,
    /// For random steps; always the same sequence, so that a session can be repeated.
    seed: u64,
}

impl Simulator {
    pub(super) fn new(process: &str, lts: Arc<Lts>) -> Simulator {
        Simulator {
            process: process.to_owned(),
            lts,
            way: Vec::new(),
            seed: 0x9e37_79b9_7f4a_7c15,
        }
    }
    fn state(&self) -> State {
        self.way.last().map_or(self.lts.initial(), |s| s.1)
    }
    /// Where we are and what can happen.
    pub(super) fn show(&self) -> String {
        let state = self.state();
        let mut text = format!("state {}\n", crate::check::shown_state(&self.lts, state));
        for (n, (label, target)) in self.lts.from(state).enumerate() {
            let name = self.lts.labels().name(label);
            writeln!(text, "  {}: --{name}--> {target}", n + 1).expect("a string takes all");
        }
        if self.lts.from(state).len() == 0 {
            text += "  deadlock\n";
        }
        text
    }
    fn take(&mut self, choice: usize) -> bool {
        let step = choice.checked_sub(1);
        let step = step.and_then(|n| self.lts.from(self.state()).nth(n));
        self.way.extend(step);
        step.is_some()
    }
    fn random(&mut self) -> bool {
        self.seed ^= self.seed << 13;
        self.seed ^= self.seed >> 7;
        self.seed ^= self.seed << 17;
        let choices = self.lts.from(self.state()).len();
        match choices {
            0 => false,
            _ => self.take((self.seed % choices as u64) as usize + 1),
        }
    }
    fn history(&self) -> String {
        let mut text = format!("  {}\n", self.lts.initial());
        for &(label, state) in &self.way {
            let name = self.lts.labels().name(label);
            writeln!(text, "  --{name}--> {state}").expect("a string takes all");
        }
        text
    }
}

impl Session {
    pub(super) fn simulate(&mut self, line: &str) -> Answer {
        let simulator = self.simulator.as_mut().expect("the simulator runs");
        let (command, rest) = words::split(line);
        let count = match rest {
            "" => Ok(1),
            _ => rest.parse::<usize>(),
        };
        let count = count.map_err(|_| Failure::Said(format!("`{rest}` is not a number")))?;
        match command {
            "quit" | "q" | "exit" => {
                self.simulator = None;
                return Ok(Reply::default());
            }
            "help" | "?" => return Ok(Reply::text(HELP)),
            "history" | "h" => return Ok(Reply::text(simulator.history())),
            "back" | "b" => {
                let left = simulator.way.len().saturating_sub(count);
                simulator.way.truncate(left);
            }
            "random" | "r" => {
                // A million steps are more than anyone will look at.
                for _ in 0..count.min(1_000_000) {
                    if !simulator.random() {
                        break;
                    }
                }
            }
            "along" => {
                let run = self.last_run.as_ref();
                let Some((_, run)) = run.filter(|r| r.0 == simulator.process) else {
                    let message = "no run of this process was found by chk, search or fd";
                    return Err(Failure::Said(message.into()));
                };
                simulator.way.clear();
                for step in &run.steps {
                    let label = simulator.lts.labels().lookup(&step.label);
                    simulator
                        .way
                        .push((label.expect("a run of this system"), step.state));
                }
                return Ok(Reply::text(simulator.history() + &simulator.show()));
            }
            _ => match command.parse::<usize>() {
                Ok(choice) if simulator.take(choice) => {}
                Ok(_) => return Err(Failure::Said("there is no such step".into())),
                Err(_) => {
                    let message = format!("there is no command `{command}` in the simulator");
                    return Err(Failure::Said(message + "; try help"));
                }
            },
        }
        let simulator = self.simulator.as_ref().expect("the simulator runs");
        Ok(Reply::text(simulator.show()))
    }
}
