//! How much of a run decides a formula of linear time: after a *bad prefix*, no way to go on
//! satisfies it (Kupferman and Vardi 2001).

use super::runs;
use crate::formula::{FormulaId, Formulas};
use cwolf_base::{Budget, Exhausted};
use cwolf_lts::{Builder, Label, Lts, Reading, TAU, TAU_NAME};

/// How many of these steps settle the answer that a run gives to `formula`, whatever comes after
/// them: that it is violated, or (if it asks for some run) satisfied. None if no number of them does, or if the
/// formula is not one of linear time.
///
/// # Errors
/// When the budget ran out.
pub fn decisive_prefix(
    formulas: &Formulas,
    formula: FormulaId,
    steps: &[String],
    budget: &Budget,
) -> Result<Option<usize>, Exhausted> {
    let Some((exists, path)) = formulas.linear(formula) else {
        return Ok(None);
    };
    let mut names = formulas.actions(formula);
    names.extend(steps.iter().cloned());
    // Any other action is like this one.
    let mut other = "other".to_owned();
    while names.contains(&other) {
        other.push('_');
    }
    names.push(other);
    names.sort();
    names.dedup();
    names.retain(|n| n != TAU_NAME);
    // A run goes on otherwise than the formula wants, for some way to go on?
    let open = |count: usize| -> Result<bool, Exhausted> {
        for ends in [false, true] {
            let lts = line(&steps[..count], &names, ends);
            if runs::has_run(&lts, formulas, (path, !exists), Reading::Possibly, budget)? {
                return Ok(true);
            }
        }
        Ok(false)
    };
    if open(steps.len())? {
        return Ok(None);
    }
    let (mut low, mut high) = (0, steps.len());
    while low < high {
        let middle = (low + high) / 2;
        match open(middle)? {
            true => low = middle + 1,
            false => high = middle,
        }
    }
    Ok(Some(high))
}

/// These steps, and then the end, or anything.
fn line(steps: &[String], names: &[String], ends: bool) -> Lts {
    let mut builder = Builder::new();
    let labels: Vec<Label> = names.iter().map(|n| builder.label(n)).collect();
    let last = steps.len() as u32;
    for (n, step) in steps.iter().enumerate() {
        let label = builder.label(step);
        builder.add(n as u32, label, n as u32 + 1);
    }
    builder.ensure_states(last as usize + 1);
    if !ends {
        let (anything, end) = (last + 1, last + 2);
        builder.ensure_states(last as usize + 3);
        for from in [last, anything] {
            for label in labels.iter().copied().chain([TAU]) {
                builder.add(from, label, anything);
                builder.add(from, label, end);
            }
        }
    }
    builder.finish(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Environment;
    use cwolf_base::SourceMap;

    fn prefix(formula: &str, steps: &[&str]) -> Option<usize> {
        let mut env = Environment::default();
        let start = SourceMap::default().add("<formula>", formula.into());
        let formula = env.formula(formula, start).expect("a formula");
        let steps: Vec<String> = steps.iter().map(|s| (*s).to_owned()).collect();
        decisive_prefix(env.formulas(), formula, &steps, &Budget::unlimited()).expect("no limit")
    }

    #[test]
    fn safety_is_violated_by_a_prefix() {
        assert_eq!(prefix("G not {a}", &["tau", "a", "b"]), Some(2));
        assert_eq!(prefix("not {b} W {a}", &["c", "b", "a"]), Some(2));
        assert_eq!(prefix("G ({a} -> X {b})", &["a", "b", "a", "c"]), Some(4));
    }

    #[test]
    fn liveness_is_not() {
        assert_eq!(prefix("F {a}", &["b", "c"]), None);
        assert_eq!(prefix("G ({a} -> F {b})", &["a", "c"]), None);
    }

    #[test]
    fn reachability_is_shown_by_a_prefix() {
        assert_eq!(prefix("E F {a}", &["b", "a", "c"]), Some(2));
    }
}
