//! Questions that need no formula: deadlocks, livelocks, whether an action can happen. The
//! answer is a shortest run.

use super::{Run, Step};
use cwolf_base::{Budget, Exhausted, strong_components};
use cwolf_lts::{ActionSet, Label, Lts, Reading, State, TAU};
use std::collections::VecDeque;

/// A shortest run into a state without steps, if there is one.
pub fn deadlock(lts: &Lts, budget: &Budget) -> Result<Option<Run>, Exhausted> {
    reach(lts, |s| lts.from(s).len() == 0, budget)
}

/// A shortest run after which internal steps can go on for ever, and such steps.
pub fn livelock(lts: &Lts, budget: &Budget) -> Result<Option<Run>, Exhausted> {
    let component = strong_components(lts.states(), |s| lts.tau_targets(s as State));
    let inside = |s: State, t: State| component[s as usize] == component[t as usize];
    let on_cycle = |s: State| lts.tau_targets(s).iter().any(|&t| inside(s, t));
    let Some(mut run) = reach(lts, on_cycle, budget)? else {
        return Ok(None);
    };
    let entry = run.steps.last().map_or(run.start, |s| s.state);
    let before = run.steps.len();
    let follow = |s: State| {
        let targets = lts.tau_targets(s).iter();
        targets
            .filter(move |&&t| inside(s, t))
            .map(|&t| (TAU, t))
            .collect()
    };
    let cycle = search(lts, entry, 1, follow, |s| s == entry, budget)?;
    run.steps.extend(cycle.expect("a component leads back"));
    run.repeats_from = Some(before);
    Ok(Some(run))
}

/// Whether an action can happen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reached {
    /// By this run, whose last step it is.
    Yes(Run),
    /// By no run.
    No,
    /// The last step of this run may be the action, or another that its pattern stands for.
    Perhaps(Run),
}

/// A shortest run whose last step has this label; a pattern means any of its actions.
pub fn reachable(lts: &Lts, label: &str, budget: &Budget) -> Result<Reached, Exhausted> {
    let set = ActionSet::new([label]);
    if let Some(run) = into_one_of(lts, &set.labels(lts.labels(), Reading::Surely), budget)? {
        return Ok(Reached::Yes(run));
    }
    let possible = set.labels(lts.labels(), Reading::Possibly);
    let run = into_one_of(lts, &possible, budget)?;
    Ok(run.map_or(Reached::No, Reached::Perhaps))
}

/// A shortest run whose last step has one of these labels.
fn into_one_of(lts: &Lts, labels: &[Label], budget: &Budget) -> Result<Option<Run>, Exhausted> {
    let step = |s: State| lts.from(s).find(|(a, _)| labels.binary_search(a).is_ok());
    if labels.is_empty() {
        return Ok(None);
    }
    let Some(mut run) = reach(lts, |s| step(s).is_some(), budget)? else {
        return Ok(None);
    };
    let last = run.steps.last().map_or(run.start, |s| s.state);
    let (label, state) = step(last).expect("it was found there");
    run.steps.push(Step {
        label: lts.labels().name(label).to_owned(),
        state,
    });
    Ok(Some(run))
}

/// A shortest run into a state where `goal` holds.
pub(super) fn reach(
    lts: &Lts,
    goal: impl Fn(State) -> bool,
    budget: &Budget,
) -> Result<Option<Run>, Exhausted> {
    let start = lts.initial();
    let steps = search(lts, start, 0, |s| lts.from(s).collect(), goal, budget)?;
    Ok(steps.map(|steps| Run {
        start,
        steps,
        repeats_from: None,
    }))
}

fn search(
    lts: &Lts,
    start: State,
    least: usize,
    follow: impl Fn(State) -> Vec<(Label, State)>,
    goal: impl Fn(State) -> bool,
    budget: &Budget,
) -> Result<Option<Vec<Step>>, Exhausted> {
    if least == 0 && goal(start) {
        return Ok(Some(Vec::new()));
    }
    let mut reached: Vec<Option<(State, Label)>> = vec![None; lts.states()];
    let mut work = VecDeque::from([start]);
    let mut seen = 0u64;
    while let Some(s) = work.pop_front() {
        if seen.is_multiple_of(8192) {
            budget.check_but_steps()?;
            budget.tell(|| format!("{seen} states searched"));
        }
        seen += 1;
        for (a, t) in follow(s) {
            if reached[t as usize].is_some() {
                continue;
            }
            reached[t as usize] = Some((s, a));
            if goal(t) {
                let mut steps = Vec::new();
                let mut at = t;
                loop {
                    let (from, label) = reached[at as usize].expect("the way was reached");
                    steps.push(Step {
                        label: lts.labels().name(label).to_owned(),
                        state: at,
                    });
                    at = from;
                    if at == start {
                        break;
                    }
                }
                steps.reverse();
                return Ok(Some(steps));
            }
            work.push_back(t);
        }
    }
    Ok(None)
}
