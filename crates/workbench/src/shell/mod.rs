//! The commands of the Concurrency Workbench, one line at a time. A session never prints: it
//! gives back what to show.

mod commands;
mod simulate;
#[cfg(test)]
mod tests;
mod words;

use crate::ccs::{CompileError, Environment};
use crate::check::Run;
use cwolf_base::{Budget, Diagnostic, Exhausted, SourceMap};
use cwolf_lts::Lts;
use rustc_hash::FxHashMap;
use simulate::Simulator;
use std::sync::Arc;

/// What a command answers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reply {
    /// What to show.
    pub text: String,
    /// What is wrong with the texts that were given, by places in [`Session::sources`].
    pub diagnostics: Vec<Diagnostic>,
    /// What is wrong otherwise.
    pub error: Option<String>,
    /// Whether the session ends.
    pub quits: bool,
}

impl Reply {
    fn text(text: impl Into<String>) -> Reply {
        Reply {
            text: text.into(),
            ..Reply::default()
        }
    }
    /// Whether the command could not be carried out.
    pub fn is_failure(&self) -> bool {
        self.error.is_some() || !self.diagnostics.is_empty()
    }
}

/// Why a command could not be carried out.
enum Failure {
    Said(String),
    Bad(Vec<Diagnostic>),
}

impl From<Exhausted> for Failure {
    fn from(reason: Exhausted) -> Failure {
        Failure::Said(format!("no answer: {reason}"))
    }
}

impl From<Diagnostic> for Failure {
    fn from(diagnostic: Diagnostic) -> Failure {
        Failure::Bad(vec![diagnostic])
    }
}

impl From<CompileError> for Failure {
    fn from(error: CompileError) -> Failure {
        match error {
            CompileError::Bad(list) => Failure::Bad(list),
            CompileError::Exhausted(reason) => reason.into(),
            CompileError::Unknown(why) => Failure::Said(format!("unknown: {why}")),
        }
    }
}

type Answer = Result<Reply, Failure>;

/// A session: what was loaded, and what it remembers.
#[derive(Default)]
pub struct Session {
    env: Environment,
    sources: SourceMap,
    budget: Budget,
    max_states: Option<u64>,
    /// The systems of processes, until something new is loaded.
    systems: FxHashMap<String, Arc<Lts>>,
    /// The last counterexample or witness, and of what.
    last_run: Option<(String, Run)>,
    simulator: Option<Simulator>,
    /// How many scripts run inside each other.
    depth: u32,
}

impl Session {
    /// A session whose commands each stay within `budget`.
    pub fn new(budget: Budget) -> Session {
        Session {
            budget,
            ..Session::default()
        }
    }
    /// Gives the next commands another budget.
    pub fn set_budget(&mut self, budget: Budget) {
        self.budget = budget;
    }
    /// The largest system that a command may read or build.
    pub fn set_max_states(&mut self, states: Option<u64>) {
        self.max_states = states;
    }
    /// The budget for building a system, where steps are states.
    fn of_states(&self) -> Budget {
        match self.max_states {
            Some(states) => self.budget.clone().max_steps(states),
            None => self.budget.clone(),
        }
    }
    /// The texts that diagnostics are about.
    pub fn sources(&self) -> &SourceMap {
        &self.sources
    }
    /// What to show before the next line is read.
    pub fn prompt(&self) -> &'static str {
        match self.simulator {
            Some(_) => "sim> ",
            None => "cwb-nc> ",
        }
    }
    /// What the next line may contain: commands and names.
    pub fn words(&self) -> Vec<String> {
        let list = match self.simulator {
            Some(_) => simulate::COMMANDS,
            None => commands::COMMANDS,
        };
        let names = self.env.names().map(|n| n.1.to_owned());
        let fixed = list.iter().copied().chain(commands::options());
        fixed.map(str::to_owned).chain(names).collect()
    }
    /// Carries out one line.
    pub fn execute(&mut self, line: &str) -> Reply {
        let line = line.trim();
        if line.is_empty() || line.starts_with(['#', '*']) {
            return Reply::default();
        }
        let answer = match self.simulator.is_some() {
            true => self.simulate(line),
            false => self.command(line),
        };
        match answer {
            Ok(reply) => reply,
            Err(Failure::Said(error)) => Reply {
                error: Some(error),
                ..Reply::default()
            },
            Err(Failure::Bad(diagnostics)) => Reply {
                diagnostics,
                ..Reply::default()
            },
        }
    }
    /// The system of a process.
    fn system(&mut self, process: &str) -> Result<Arc<Lts>, Failure> {
        if let Some(lts) = self.systems.get(process) {
            return Ok(lts.clone());
        }
        let start = self.sources.add("<process>", process.into());
        let budget = self.of_states();
        let lts = Arc::new(self.env.compile(process, start, &budget)?);
        self.systems.insert(process.to_owned(), lts.clone());
        Ok(lts)
    }
    fn bind(&mut self, name: &str, lts: Lts) -> Result<(), Failure> {
        if self
            .max_states
            .is_some_and(|limit| lts.states() as u64 > limit)
        {
            return Err(Exhausted::Steps.into());
        }
        if !words::is_name(name) {
            return Err(Failure::Said(format!("`{name}` cannot be a name")));
        }
        self.env.bind(name, lts);
        self.systems.clear();
        Ok(())
    }
}
