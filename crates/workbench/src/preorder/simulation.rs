//! Simulation: start from all pairs of states that matter and take out those where a step of
//! the first has no answer, until nothing changes. Why a pair went out gives a formula without negation.

use super::Difference;
use crate::ccs::Environment;
use crate::check::{Answer, check};
use cwolf_base::{Budget, Exhausted};
use cwolf_lts::{Builder, Equivalence, Label, Lts, State, TAU, action_text, reduce};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;

/// At most this many pairs of states, or saturated steps.
const MAX_PAIRS: usize = 1 << 24;
/// How large a formula may be, in modalities.
const MAX_FORMULA: usize = 200;

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
    let answer = |lts: &Lts| Ok(check(lts, env.formulas(), formula, budget)?.answer);
    assert!(
        answer(a)? == Answer::Holds && answer(b)? == Answer::Fails,
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

/// The pairs of states that the start pair leads to, by steps of the first system and answers
/// of the second.
struct Relation<'a> {
    a: &'a Lts,
    b: &'a Lts,
    in_b: Vec<Option<Label>>,
    numbers: FxHashMap<(State, State), u32>,
    pairs: Vec<(State, State)>,
    /// Whether a pair is out, and why.
    out: Vec<Option<(Label, State)>>,
}

impl<'a> Relation<'a> {
    /// The greatest simulation among these pairs, or nothing if the start states are in it.
    fn new(a: &'a Lts, b: &'a Lts, budget: &Budget) -> Result<Option<Relation<'a>>, Exhausted> {
        let in_b = a.labels().names().map(|n| b.labels().lookup(n)).collect();
        let start = (a.initial(), b.initial());
        let mut relation = Relation {
            a,
            b,
            in_b,
            numbers: FxHashMap::from_iter([(start, 0)]),
            pairs: vec![start],
            out: Vec::new(),
        };
        // Who must be looked at again when a pair goes out.
        let mut users: Vec<(u32, u32)> = Vec::new();
        let mut at = 0;
        while let Some(&(p, q)) = relation.pairs.get(at) {
            if at % 1024 == 0 {
                budget.check(at as u64)?;
                budget.tell(|| format!("{} pairs of states", relation.pairs.len()));
            }
            for (label, p2) in a.from(p) {
                for n in 0..relation.answers(q, label).len() {
                    let pair = (p2, relation.answers(q, label)[n]);
                    let next = relation.pairs.len() as u32;
                    let number = *relation.numbers.entry(pair).or_insert(next);
                    if number == next {
                        relation.pairs.push(pair);
                    }
                    users.push((number, at as u32));
                }
            }
            if relation.pairs.len() > MAX_PAIRS || users.len() > 4 * MAX_PAIRS {
                return Err(Exhausted::Memory);
            }
            at += 1;
        }
        users.sort_unstable();
        users.dedup();
        relation.out = vec![None; relation.pairs.len()];
        let mut work: VecDeque<u32> = (0..relation.pairs.len() as u32).collect();
        let mut steps = 0u64;
        while let Some(pair) = work.pop_front() {
            if steps.is_multiple_of(4096) {
                budget.check(0)?;
            }
            steps += 1;
            if relation.out[pair as usize].is_some() {
                continue;
            }
            let reason = relation.unanswered(pair);
            if reason.is_some() {
                relation.out[pair as usize] = reason;
                let from = users.partition_point(|u| u.0 < pair);
                let affected = users[from..].iter().take_while(|u| u.0 == pair);
                work.extend(affected.map(|u| u.1));
            }
        }
        Ok(relation.out[0].is_some().then_some(relation))
    }
    fn answers(&self, q: State, label: Label) -> &'a [State] {
        match self.in_b[label as usize] {
            Some(label) => self.b.targets_by(q, label),
            None => &[],
        }
    }
    fn unanswered(&self, pair: u32) -> Option<(Label, State)> {
        let (p, q) = self.pairs[pair as usize];
        self.a.from(p).find(|&(label, p2)| {
            let mut answers = self.answers(q, label).iter();
            !answers.any(|&q2| self.out[self.numbers[&(p2, q2)] as usize].is_none())
        })
    }
    /// Writes what holds at the first state and not at the second; false if it is too large.
    /// Each reason only needs pairs that were out before, so this ends.
    fn formula(
        &self,
        pair: (State, State),
        is_weak: bool,
        text: &mut String,
        left: &mut usize,
    ) -> bool {
        if *left == 0 {
            return false;
        }
        *left -= 1;
        let reason = self.out[self.numbers[&pair] as usize];
        let (label, p2) = reason.expect("the pair is out");
        let action = action_text(self.a.labels().name(label));
        *text += &match is_weak {
            true => format!("<<{action}>>"),
            false => format!("<{action}>"),
        };
        match self.answers(pair.1, label) {
            [] => text.push_str("tt"),
            [only] => return self.formula((p2, *only), is_weak, text, left),
            answers => {
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
