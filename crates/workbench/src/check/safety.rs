//! What a formula forbids, as a deterministic automaton that follows a run and stops where no way to go on is right any more (Kupferman
//! and Vardi 2001): a monitor of safety, which can be put into a program.

use super::runs::items;
use super::tableau::{ItemId, Tableau};
use super::{Answer, check};
use crate::formula::{FormulaId, Formulas, Speaks};
use cwolf_base::{Budget, Exhausted};
use cwolf_lts::{Builder, Label, Lts, Pattern, Reading, TAU_NAME};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// Larger automata are not made.
const MOST_STATES: usize = 256;

/// What must be shown of the rest of a run, in each of the ways that are still open.
type Open = BTreeSet<Vec<ItemId>>;

/// The automaton over the actions that a formula names: it has no step where an action makes a run violate the formula (or, if the formula
/// asks for some run, satisfy it). `path` is the formula of linear time that single runs are asked (`Formulas::about_runs`), the formula
/// itself if that is one.
///
/// Whatever a program does, the formula holds if the automaton never stops (and does not hold, if it asks for some run): a run in which
/// it does not stop is one of a system that satisfies it. None where that is not so, as the formula promises something, or where
/// internal steps count.
///
/// # Errors
/// When the budget ran out.
pub fn safety_automaton(
    formulas: &Formulas,
    (formula, path): (FormulaId, FormulaId),
    budget: &Budget,
) -> Result<Option<Lts>, Exhausted> {
    let all = match formulas.speaks(formula) {
        Speaks::OfAllRuns => true,
        Speaks::OfSomeRun => false,
        Speaks::OfBoth => return Ok(None),
    };
    let Some((exists, path)) = formulas.linear(path) else {
        return Ok(None);
    };
    let mut names = formulas.actions(formula);
    names.retain(|n| n != TAU_NAME);
    let plain = |n: &String| !n.starts_with('`') && !Pattern::parse(n).has_holes();
    if exists == all || names.is_empty() || !names.iter().all(plain) {
        return Ok(None);
    }
    let letters = Letters::new(&names);
    let Some(automaton) = Automaton::new(formulas, (path, all), &letters, budget)? else {
        return Ok(None);
    };
    let automaton = automaton.smallest();
    if !letters.others().all(|a| automaton.stays(a)) {
        return Ok(None);
    }
    // All that it lets pass, in any order with other steps, and with any end.
    let system = automaton.system(&letters, true);
    let wanted = match all {
        true => Answer::Holds,
        false => Answer::Fails,
    };
    let found = check(&system, formulas, formula, budget)?.answer;
    Ok((found == wanted).then(|| automaton.system(&letters, false)))
}

/// The actions of a formula, one that it does not name, and the internal step.
struct Letters {
    names: Vec<String>,
    /// How many of them the formula names.
    named: usize,
}

impl Letters {
    fn new(names: &[String]) -> Letters {
        let mut other = "other".to_owned();
        while names.contains(&other) {
            other.push('_');
        }
        let rest = [other, TAU_NAME.to_owned()];
        Letters {
            names: names.iter().cloned().chain(rest).collect(),
            named: names.len(),
        }
    }
    fn others(&self) -> std::ops::Range<usize> {
        self.named..self.names.len()
    }
    /// A system that has them as its labels, and the labels.
    fn system(&self) -> (Builder, Vec<Label>) {
        let mut builder = Builder::new();
        let labels = self.names.iter().map(|n| builder.label(n)).collect();
        (builder, labels)
    }
}

/// A state is entered by each letter, or none is. It starts in the first one.
struct Automaton {
    steps: Vec<Vec<Option<usize>>>,
}

impl Automaton {
    fn new(
        formulas: &Formulas,
        root: (FormulaId, bool),
        letters: &Letters,
        budget: &Budget,
    ) -> Result<Option<Automaton>, Exhausted> {
        let (mut builder, labels) = letters.system();
        labels.iter().for_each(|a| builder.add(0, *a, 0));
        let any = builder.finish(0);
        let mut tableau = Tableau::new();
        let item = items(&any, formulas, root, Reading::Surely, &mut tableau, budget)?;
        let mut numbers: FxHashMap<Open, usize> = FxHashMap::default();
        let mut states = vec![Open::from([vec![item]])];
        numbers.insert(states[0].clone(), 0);
        let mut steps = Vec::new();
        while let Some(open) = states.get(steps.len()).cloned() {
            if states.len() > MOST_STATES {
                return Ok(None);
            }
            let mut row = Vec::new();
            for label in &labels {
                let mut rest = Open::new();
                for wanted in &open {
                    for cover in tableau.covers(wanted, budget)?.iter() {
                        let next = &tableau.cover(*cover).next;
                        if tableau.allows(*cover, *label) {
                            rest.insert(next.clone());
                        }
                    }
                }
                let mut possible = Open::new();
                for wanted in rest {
                    if !tableau.covers(&wanted, budget)?.is_empty() {
                        possible.insert(wanted);
                    }
                }
                row.push((!possible.is_empty()).then(|| {
                    *numbers.entry(possible.clone()).or_insert_with(|| {
                        states.push(possible);
                        states.len() - 1
                    })
                }));
            }
            steps.push(row);
        }
        Ok(Some(Automaton { steps }))
    }
    /// The same with one state for all that stop alike (Moore 1956).
    fn smallest(&self) -> Automaton {
        let mut class = vec![0; self.steps.len()];
        let mut count = 1;
        loop {
            let mut numbers: FxHashMap<(usize, Vec<Option<usize>>), usize> = FxHashMap::default();
            let finer: Vec<usize> = (self.steps.iter().zip(&class))
                .map(|(row, old)| {
                    let targets = row.iter().map(|t| t.map(|t| class[t])).collect();
                    let new = numbers.len();
                    *numbers.entry((*old, targets)).or_insert(new)
                })
                .collect();
            let found = numbers.len();
            class = finer;
            if found == count {
                break;
            }
            count = found;
        }
        let mut steps = vec![Vec::new(); count];
        for (row, class_of) in self.steps.iter().zip(&class) {
            steps[*class_of] = row.iter().map(|t| t.map(|t| class[t])).collect();
        }
        Automaton { steps }
    }
    /// Whether a letter changes no state.
    fn stays(&self, letter: usize) -> bool {
        let mut all = self.steps.iter().enumerate();
        all.all(|(n, row)| row[letter] == Some(n))
    }
    /// It as a system over the actions that are named; or over all letters, where each run may also end.
    fn system(&self, letters: &Letters, whole: bool) -> Lts {
        let (mut builder, labels) = letters.system();
        let end = self.steps.len() as u32;
        builder.ensure_states(self.steps.len() + usize::from(whole));
        for (from, row) in self.steps.iter().enumerate() {
            for (n, (to, label)) in row.iter().zip(&labels).enumerate() {
                let Some(to) = to.filter(|_| whole || n < letters.named) else {
                    continue;
                };
                builder.add(from as u32, *label, to as u32);
                if whole {
                    builder.add(from as u32, *label, end);
                }
            }
        }
        builder.finish(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Environment;

    /// After how many of these steps the automaton of a formula stops; none if there is no automaton.
    fn stops(formula: &str, steps: &[&str]) -> Option<Option<usize>> {
        let mut env = Environment::default();
        let formula = env.formula(formula, 0).expect("a formula");
        let path = env.about_runs(formula).unwrap_or(formula);
        let found = safety_automaton(env.formulas(), (formula, path), &Budget::unlimited());
        let automaton = found.expect("no limit")?;
        let mut at = automaton.initial();
        for (n, step) in steps.iter().enumerate() {
            let Some(label) = automaton.labels().lookup(step) else {
                continue;
            };
            match automaton.targets_by(at, label) {
                [] => return Some(Some(n + 1)),
                to => at = to[0],
            }
        }
        Some(None)
    }

    #[test]
    fn safety_stops_where_it_is_violated() {
        assert_eq!(stops("G not {a}", &["b", "a"]), Some(Some(2)));
        assert_eq!(stops("G not {a}", &["b"]), Some(None));
        assert_eq!(stops("not {b} W {a}", &["b"]), Some(Some(1)));
        assert_eq!(stops("not {b} W {a}", &["a", "b"]), Some(None));
        let twice = "G ({a} -> X (not {a} W {b}))";
        assert_eq!(stops(twice, &["a", "b", "a", "c", "a"]), Some(Some(5)));
        assert_eq!(stops("AG [a] AG [b] ff", &["b", "a", "b"]), Some(Some(3)));
        assert_eq!(stops("E F {a}", &["b", "a"]), Some(Some(2)));
        assert_eq!(stops("EF <a> tt", &["b", "a"]), Some(Some(2)));
    }

    #[test]
    fn what_promises_or_counts_steps_has_none() {
        assert_eq!(stops("F {a}", &[]), None);
        assert_eq!(stops("G ({a} -> F {b})", &[]), None);
        assert_eq!(stops("not {b} U {a}", &[]), None);
        assert_eq!(stops("X {a}", &[]), None);
        assert_eq!(stops("G ({a} -> X not {b})", &[]), None);
        assert_eq!(stops("E G {a}", &[]), None);
        assert_eq!(stops("AG EF {a}", &[]), None);
    }
}
