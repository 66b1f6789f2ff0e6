//! Model checking: does a formula hold at the start state, and what shows it.

mod plan;
mod play;
mod prefix;
mod runs;
mod search;
mod show;
mod tableau;
#[cfg(test)]
mod tests;

pub use prefix::decisive_prefix;
pub use search::{deadlock, livelock, reachable};
pub(crate) use show::state as shown_state;

use crate::formula::{FormulaId, Formulas};
use cwolf_base::{Budget, Exhausted};
use cwolf_lts::{Lts, State};

/// One step of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The action.
    pub label: String,
    /// The state after it.
    pub state: State,
}

/// A run, or the beginning of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// Where it starts.
    pub start: State,
    /// What happens.
    pub steps: Vec<Step>,
    /// If the run goes on for ever: how many steps come before those that repeat.
    pub repeats_from: Option<usize>,
}

/// What shows that a formula holds, or not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Evidence {
    /// This run alone shows it.
    Run(Run),
    /// It takes all these steps: whatever choice the other side has, one of them answers.
    Strategy(Vec<(State, String, State)>),
    /// Every run was looked at, and none tells otherwise.
    AllRuns,
}

/// The answer to a formula.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// Whether the start state satisfies it.
    pub holds: bool,
    /// Why.
    pub evidence: Evidence,
}

/// Whether the start state of `lts` satisfies `formula`.
pub fn check(
    lts: &Lts,
    formulas: &Formulas,
    formula: FormulaId,
    budget: &Budget,
) -> Result<Verdict, Exhausted> {
    if let Some(verdict) = runs::check_top(lts, formulas, formula, budget)? {
        return Ok(verdict);
    }
    let plan = plan::Plan::new(lts, formulas, formula, budget)?;
    play::check(lts, &plan, budget)
}

/// A shortest run into a state that satisfies `formula`, if there is one.
pub fn reachable_state(
    lts: &Lts,
    formulas: &Formulas,
    formula: FormulaId,
    budget: &Budget,
) -> Result<Option<Run>, Exhausted> {
    let plan = plan::Plan::new(lts, formulas, formula, budget)?;
    let holds = play::states(lts, &plan, budget)?;
    search::reach(lts, |s| holds[s as usize], budget)
}
