//! Model checking: does a formula hold at the start state, and what shows it.

mod plan;
mod play;
mod prefix;
mod runs;
mod safety;
mod search;
mod show;
mod tableau;
#[cfg(test)]
mod tests;

pub use prefix::decisive_prefix;
pub use safety::safety_automaton;
pub use search::{Reached, deadlock, livelock, reachable};
pub(crate) use show::state as shown_state;

use crate::formula::{FormulaId, Formulas};
use cwolf_base::{Budget, Exhausted};
use cwolf_lts::{Lts, Reading, State};

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

/// Whether a formula holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// At the start state, whatever patterns stand for.
    Holds,
    /// Not at the start state, whatever patterns stand for.
    Fails,
    /// It depends on which of its actions a pattern stands for.
    Unknown(Doubt),
}

impl Answer {
    /// Whether it is yes or no.
    pub fn is_known(&self) -> bool {
        !matches!(self, Answer::Unknown(_))
    }
}

/// A label of the system that may be one of the actions that a formula speaks of, or another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Doubt {
    /// The label, a pattern.
    pub label: String,
    /// What the formula says.
    pub action: String,
}

/// The answer to a formula.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// Whether the start state satisfies it.
    pub answer: Answer,
    /// Why; where nothing is known, why it does not surely hold.
    pub evidence: Evidence,
}

/// The answer under one reading of patterns.
struct Outcome {
    holds: bool,
    evidence: Evidence,
}

/// Whether the start state of `lts` satisfies `formula`. If labels are patterns it is checked
/// twice: does it hold whatever they stand for, and can it hold at all (three-valued model checking).
pub fn check(
    lts: &Lts,
    formulas: &Formulas,
    formula: FormulaId,
    budget: &Budget,
) -> Result<Verdict, Exhausted> {
    let sure = check_as(lts, formulas, formula, Reading::Surely, budget)?;
    if sure.holds {
        return Ok(Verdict {
            answer: Answer::Holds,
            evidence: sure.evidence,
        });
    }
    let fails = |evidence| Verdict {
        answer: Answer::Fails,
        evidence,
    };
    let Some(doubt) = doubt(lts, formulas, formula) else {
        return Ok(fails(sure.evidence));
    };
    let possible = check_as(lts, formulas, formula, Reading::Possibly, budget)?;
    if !possible.holds {
        return Ok(fails(possible.evidence));
    }
    Ok(Verdict {
        answer: Answer::Unknown(doubt),
        evidence: sure.evidence,
    })
}

fn check_as(
    lts: &Lts,
    formulas: &Formulas,
    formula: FormulaId,
    reading: Reading,
    budget: &Budget,
) -> Result<Outcome, Exhausted> {
    if let Some(outcome) = runs::check_top(lts, formulas, formula, reading, budget)? {
        return Ok(outcome);
    }
    let plan = plan::Plan::new(lts, formulas, formula, reading, budget)?;
    play::check(lts, &plan, budget)
}

/// A label that is neither surely in nor surely outside of a set of actions of the formula.
fn doubt(lts: &Lts, formulas: &Formulas, formula: FormulaId) -> Option<Doubt> {
    if lts.labels().patterns().is_empty() {
        return None;
    }
    let mut used = vec![false; lts.labels().len()];
    lts.iter().for_each(|(_, a, _)| used[a as usize] = true);
    formulas
        .action_sets(formula)
        .into_iter()
        .find_map(|actions| {
            let label = (actions.in_doubt(lts).into_iter()).find(|l| used[*l as usize])?;
            Some(Doubt {
                label: lts.labels().name(label).to_owned(),
                action: actions.overlapping(lts.labels().name(label)),
            })
        })
}

/// A shortest run into a state that satisfies `formula`, if there is one. Where patterns leave
/// it open whether a state does, the doubt is told as well.
pub fn reachable_state(
    lts: &Lts,
    formulas: &Formulas,
    formula: FormulaId,
    budget: &Budget,
) -> Result<(Option<Run>, Option<Doubt>), Exhausted> {
    let find = |reading| {
        let plan = plan::Plan::new(lts, formulas, formula, reading, budget)?;
        let holds = play::states(lts, &plan, budget)?;
        search::reach(lts, |s| holds[s as usize], budget)
    };
    let sure = find(Reading::Surely)?;
    let doubt = doubt(lts, formulas, formula);
    if sure.is_some() || doubt.is_none() {
        return Ok((sure, None));
    }
    let possible = find(Reading::Possibly)?;
    let doubt = doubt.filter(|_| possible.is_some());
    Ok((possible, doubt))
}
