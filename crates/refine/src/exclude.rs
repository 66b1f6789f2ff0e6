//! A finer map that excludes a run: the machine itself is asked whether it still has the run.

use crate::abstract_run::AbstractRun;
use crate::cost::{FEW, cost};
use crate::tracked::{Level, Tracked, domain, has_classes};
use crate::{Question, abstraction};
use cwolf_absint::domain::Universe;
use cwolf_absint::machine::{Machine, State};
use cwolf_absint::map::{Part, Proposals};
use cwolf_absint::slice::CellKey;
use cwolf_base::{Budget, Exhausted};
use cwolf_lts::Pattern;
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;

/// Ways of one run that are followed side by side.
const MOST_STATES: usize = 4_096;

/// The map with as few further cells as a little effort finds such that the run is excluded; none
/// if these cells do not exclude it.
pub(crate) fn refine(
    question: &Question<'_>,
    proposals: &mut Proposals<'_>,
    tracked: &Tracked,
    cells: &BTreeSet<CellKey>,
    run: &AbstractRun,
    budget: &Budget,
) -> Result<Option<Tracked>, Exhausted> {
    let named = kept(question, proposals, cells.iter());
    try_levels(question, proposals, tracked, &named, run, budget)
}

/// Other reasons why a run is impossible, where the conditions that contradict each other ask for much: all that decides
/// branches on the way and takes few values, in the order of what it costs. The contradiction that was found is the first on the way,
/// and often about data that the formula does not depend on.
pub(crate) fn cheaper(
    question: &Question<'_>,
    proposals: &mut Proposals<'_>,
    tracked: &Tracked,
    way: &BTreeSet<CellKey>,
    run: &AbstractRun,
    budget: &Budget,
) -> Result<Option<Tracked>, Exhausted> {
    let new = way.iter().filter(|c| tracked.level(c).is_none());
    let named = kept(question, proposals, new);
    let mut few: Vec<(usize, CellKey)> = Vec::new();
    for cell in named {
        let cost = cost(question.program, proposals, tracked, &cell);
        if cost <= FEW {
            few.push((cost, cell));
        }
    }
    few.sort_by(|a, b| b.cmp(a));
    let few: Vec<CellKey> = few.into_iter().map(|(_, cell)| cell).collect();
    try_levels(question, proposals, tracked, &few, run, budget)
}

/// Whether a map keeps something that takes many values and that another does not.
pub(crate) fn is_costly(
    question: &Question<'_>,
    proposals: &mut Proposals<'_>,
    (before, after): (&Tracked, &Tracked),
) -> bool {
    let new = after.cells().filter(|c| before.level(c).is_none());
    let new: Vec<CellKey> = new.cloned().collect();
    new.iter()
        .any(|c| cost(question.program, proposals, before, c) > FEW)
}

/// Those of some cells that a machine can keep.
fn kept<'c>(
    question: &Question<'_>,
    proposals: &mut Proposals<'_>,
    cells: impl Iterator<Item = &'c CellKey>,
) -> Vec<CellKey> {
    cells
        .filter(|c| question.can_keep(proposals, c) && domain(proposals, c, Level::Exact).is_some())
        .cloned()
        .collect()
}

fn try_levels(
    question: &Question<'_>,
    proposals: &mut Proposals<'_>,
    tracked: &Tracked,
    named: &[CellKey],
    run: &AbstractRun,
    budget: &Budget,
) -> Result<Option<Tracked>, Exhausted> {
    for level in &[Level::Suggested, Level::Exact, Level::Split] {
        let mut new: Vec<(CellKey, Level)> = Vec::new();
        let mut finer = tracked.clone();
        for cell in named {
            let level = reached(proposals, tracked, cell, *level);
            if finer.keep(cell, level) {
                new.push((cell.clone(), level));
            }
        }
        if new.is_empty() || !excludes(question, proposals, &finer, run, budget)? {
            continue;
        }
        // Those that come late on the way matter most often: the others are tried first.
        let mut kept = new.clone();
        for (cell, _) in &new {
            let fewer = kept.iter().filter(|(c, _)| c != cell);
            let smaller = tracked.with(fewer);
            if excludes(question, proposals, &smaller, run, budget)? {
                kept.retain(|(c, _)| c != cell);
            }
        }
        return Ok(Some(tracked.with(&kept)));
    }
    Ok(None)
}

/// The level of a cell where all are to reach one: what is kept exactly stays so, and not every domain has classes.
fn reached(
    proposals: &mut Proposals<'_>,
    tracked: &Tracked,
    cell: &CellKey,
    level: Level,
) -> Level {
    if level != Level::Split {
        return level;
    }
    let choice = domain(proposals, cell, Level::Split);
    let classes = choice.is_some_and(|c| has_classes(&c));
    match tracked.level(cell) != Some(Level::Exact) && classes {
        true => Level::Split,
        false => Level::Exact,
    }
}

/// Whether the machine under a map does not have a run.
fn excludes(
    question: &Question<'_>,
    proposals: &mut Proposals<'_>,
    tracked: &Tracked,
    run: &AbstractRun,
    budget: &Budget,
) -> Result<bool, Exhausted> {
    let universe = Universe::default();
    let abstraction = abstraction(question, &universe, proposals, tracked);
    let mut machine = Machine::new(
        question.program,
        &universe,
        &abstraction,
        question.labels,
        question.options,
    );
    // A label with values is spelled otherwise when more is known of them.
    let values = |r: &cwolf_absint::map::Rule| r.label.iter().any(|p| matches!(p, Part::Value(_)));
    let loose = question.labels.rules.iter().any(values);
    let pattern = |label: &str| Pattern::parse(label.trim_start_matches('`'));
    let mut here: Vec<State> = vec![machine.initial(question.entry)];
    for (n, label) in run.labels.iter().enumerate() {
        budget.check_but_steps()?;
        let wanted = run.positions[n + 1];
        let mut next: Vec<State> = Vec::new();
        let mut seen: FxHashSet<State> = FxHashSet::default();
        for state in here {
            budget.check_but_steps()?;
            for step in machine.successors(state) {
                let shown = step.label.as_deref().map(|l| l.trim_start_matches('`'));
                let same = match shown {
                    None => label == cwolf_lts::TAU_NAME,
                    Some(text) if loose => {
                        label != cwolf_lts::TAU_NAME && pattern(text).overlaps(&pattern(label))
                    }
                    Some(text) => label.trim_start_matches('`') == text,
                };
                if same && machine.position(step.state) == wanted && seen.insert(step.state) {
                    next.push(step.state);
                }
            }
        }
        if next.is_empty() {
            return Ok(true);
        }
        if next.len() > MOST_STATES {
            return Ok(false);
        }
        here = next;
    }
    Ok(false)
}
