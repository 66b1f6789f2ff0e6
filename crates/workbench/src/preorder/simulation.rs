//! Simulation: start from all pairs of states and take out those where a step of the first has
//! no answer, until nothing changes. Why a pair went out gives a formula without negation.

use super::{Difference, action_text};
use crate::ccs::Environment;
use crate::check::check;
use cwolf_base::{Budget, Exhausted};
use cwolf_lts::{Builder, Equivalence, Label, Lts, State, TAU, reduce};
use rustc_hash::FxHashSet;

/// At most this many pairs of states, or saturated steps.
const MAX_PAIRS: usize = 1 << 24;
/// How large a formula may be, in modalities.
const MAX_FORMULA: usize = 200;

/// Why a pair is not in the relation: a step of the first without an answer.
type Reason = Option<(Label, State)>;

pub(super) fn simulated(
    a: &Lts,
    b: &Lts,
    is_weak: bool,
    budget: &Budget,
) -> Result<Option<Difference>, Exhausted> {
    let equivalence = match is_weak {
        true => Equivalence::Weak,
        false => Equivalence::Strong,
    };
    let first = reduce(a, equivalence, budget)?.lts;
    let second = reduce(b, equivalence, budget)?.lts;
    let answers = match is_weak {
        true => saturate(&second, budget)?,
        false => second,
    };
    let Some(relation) = Relation::new(&first, &answers, budget)? else {
        return Ok(None);
    };
    let mut text = String::new();
    let mut left = MAX_FORMULA;
    let start = (first.initial(), answers.initial());
    if !relation.formula(start, is_weak, &mut text, &mut left) {
        return Ok(Some(Difference::TooLarge));
    }
    let mut env = Environment::default();
    let formula = env.formula(&text, 0).expect("a formula of ours is correct");
    let holds = |lts: &Lts| Ok(check(lts, env.formulas(), formula, budget)?.holds);
    assert!(
        holds(a)? && !holds(b)?,
        "a distinguishing formula tells the systems apart"
    );
    Ok(Some(Difference::Formula(text)))
}

/// Every step with internal steps around it; for the internal one also no step at all.
fn saturate(lts: &Lts, budget: &Budget) -> Result<Lts, Exhausted> {
    let reach = |start: Vec<State>| {
        let mut seen: FxHashSet<State> = start.iter().copied().collect();
        let mut list = start;
        let mut at = 0;
        while at < list.len() {
            for &t in lts.tau_targets(list[at]) {
                if seen.insert(t) {
                    list.push(t);
                }
            }
            at += 1;
        }
        list
    };
    let mut builder = Builder::new();
    let labels: Vec<Label> = lts.labels().names().map(|n| builder.label(n)).collect();
    builder.ensure_states(lts.states());
    for s in 0..lts.states() as State {
        budget.check(u64::from(s))?;
        let before = reach(vec![s]);
        let mut steps: Vec<(Label, State)> = before.iter().flat_map(|&t| lts.from(t)).collect();
        steps.sort_unstable();
        steps.dedup();
        for t in before {
            builder.add(s, TAU, t);
        }
        for group in steps.chunk_by(|x, y| x.0 == y.0).filter(|g| g[0].0 != TAU) {
            for t in reach(group.iter().map(|m| m.1).collect()) {
                builder.add(s, labels[group[0].0 as usize], t);
            }
        }
        if builder.transitions() > MAX_PAIRS {
            return Err(Exhausted::Steps);
        }
    }
    Ok(builder.finish(lts.initial()))
}

struct Relation<'a> {
    a: &'a Lts,
    b: &'a Lts,
    in_b: Vec<Option<Label>>,
    /// Whether a pair is out, and why.
    out: Vec<Option<Reason>>,
}

impl<'a> Relation<'a> {
    /// The greatest simulation, or nothing if the start states are in it.
    fn new(a: &'a Lts, b: &'a Lts, budget: &Budget) -> Result<Option<Relation<'a>>, Exhausted> {
        let pairs = a.states().checked_mul(b.states());
        let Some(pairs) = pairs.filter(|&p| p <= MAX_PAIRS) else {
            return Err(Exhausted::Steps);
        };
        let in_b = a.labels().names().map(|n| b.labels().lookup(n)).collect();
        let mut relation = Relation {
            a,
            b,
            in_b,
            out: vec![None; pairs],
        };
        loop {
            let mut changed = false;
            for p in 0..a.states() as State {
                budget.check(u64::from(p))?;
                for q in 0..b.states() as State {
                    if relation.out[relation.index(p, q)].is_some() {
                        continue;
                    }
                    if let Some(reason) = relation.unanswered(p, q) {
                        let at = relation.index(p, q);
                        relation.out[at] = Some(Some(reason));
                        changed = true;
                    }
                }
            }
            if !changed {
                break;
            }
        }
        let start = relation.index(a.initial(), b.initial());
        Ok(relation.out[start].is_some().then_some(relation))
    }
    fn index(&self, p: State, q: State) -> usize {
        p as usize * self.b.states() + q as usize
    }
    fn answers(&self, q: State, label: Label) -> &[State] {
        match self.in_b[label as usize] {
            Some(label) => self.b.targets_by(q, label),
            None => &[],
        }
    }
    fn unanswered(&self, p: State, q: State) -> Option<(Label, State)> {
        self.a.from(p).find(|&(label, p2)| {
            let mut answers = self.answers(q, label).iter();
            !answers.any(|&q2| self.out[self.index(p2, q2)].is_none())
        })
    }
    /// Writes what holds at the first state and not at the second; false if it is too large.
    /// Each reason only needs pairs that were out before, so this ends.
    fn formula(
        &self,
        (p, q): (State, State),
        is_weak: bool,
        text: &mut String,
        left: &mut usize,
    ) -> bool {
        if *left == 0 {
            return false;
        }
        *left -= 1;
        let reason = self.out[self.index(p, q)].flatten();
        let (label, p2) = reason.expect("the pair is out");
        let action = action_text(self.a.labels().name(label));
        *text += &match is_weak {
            true => format!("<<{action}>>"),
            false => format!("<{action}>"),
        };
        let answers = self.answers(q, label);
        match answers {
            [] => text.push_str("tt"),
            [only] => return self.formula((p2, *only), is_weak, text, left),
            _ => {
                text.push('(');
                for (n, &q2) in answers.iter().enumerate() {
                    if n > 0 {
                        text.push_str(" /\\ ");
                    }
                    if !self.formula((p2, q2), is_weak, text, left) {
                        return false;
                    }
                }
                text.push(')');
            }
        }
        true
    }
}
