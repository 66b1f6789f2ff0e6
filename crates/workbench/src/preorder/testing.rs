//! Must testing (De Nicola and Hennessy), on sets of states reached by the same visible trace:
//! as long as the first system converges, the second must converge too and may not refuse more.

use super::Difference;
use cwolf_base::{Budget, Exhausted, strong_components};
use cwolf_lts::{Equivalence, Label, Lts, State, TAU, reduce};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;

/// A system with what testing looks at.
struct Tested {
    lts: Lts,
    /// From where internal steps can go on for ever.
    diverges: Vec<bool>,
}

impl Tested {
    fn new(lts: &Lts, budget: &Budget) -> Result<Tested, Exhausted> {
        // This equivalence keeps divergence and refusals, and its quotient is smaller.
        let lts = reduce(lts, Equivalence::DivergenceBranching, budget)?.lts;
        let component = strong_components(lts.states(), |s| lts.tau_targets(s as State));
        let mut order: Vec<State> = (0..lts.states() as State).collect();
        order.sort_unstable_by_key(|&s| component[s as usize]);
        let mut of_class = vec![false; lts.states()];
        for s in order {
            let class = component[s as usize];
            let diverges = lts.tau_targets(s).iter().any(|&t| {
                let other = component[t as usize];
                other == class || of_class[other as usize]
            });
            of_class[class as usize] |= diverges;
        }
        let diverges = component.iter().map(|&c| of_class[c as usize]).collect();
        Ok(Tested { lts, diverges })
    }
    /// The states that `list` reaches silently, sorted.
    fn close(&self, mut list: Vec<State>) -> Vec<State> {
        let mut seen: FxHashSet<State> = list.iter().copied().collect();
        let mut at = 0;
        while at < list.len() {
            for &t in self.lts.tau_targets(list[at]) {
                if seen.insert(t) {
                    list.push(t);
                }
            }
            at += 1;
        }
        list.sort_unstable();
        list.dedup();
        list
    }
    fn after(&self, set: &[State], label: Label) -> Vec<State> {
        let targets = set.iter().flat_map(|&s| self.lts.targets_by(s, label));
        self.close(targets.copied().collect())
    }
    /// The sets of actions that the stable states among `set` offer, by name.
    fn offers(&self, set: &[State]) -> Vec<Vec<&str>> {
        let stable = set.iter().filter(|&&s| self.lts.tau_targets(s).is_empty());
        let offer = |&s: &State| {
            let labels = self.lts.from(s).map(|(a, _)| self.lts.labels().name(a));
            let mut names: Vec<&str> = labels.collect();
            names.sort_unstable();
            names.dedup();
            names
        };
        stable.map(offer).collect()
    }
}

/// Why the second system fails a test that the first must pass.
pub(super) fn must(a: &Lts, b: &Lts, budget: &Budget) -> Result<Option<Difference>, Exhausted> {
    let (a, b) = (Tested::new(a, budget)?, Tested::new(b, budget)?);
    let start = (
        a.close(vec![a.lts.initial()]),
        b.close(vec![b.lts.initial()]),
    );
    let mut numbers = FxHashMap::from_iter([(start.clone(), 0usize)]);
    let mut pairs = vec![start];
    // Each pair's predecessor and the label from there, to tell the trace.
    let mut origin: Vec<(usize, Label)> = vec![(0, TAU)];
    let mut work = VecDeque::from([0usize]);
    while let Some(at) = work.pop_front() {
        budget.check(at as u64)?;
        let (p, q) = pairs[at].clone();
        let diverges =
            |tested: &Tested, set: &[State]| set.iter().any(|&s| tested.diverges[s as usize]);
        if diverges(&a, &p) {
            continue;
        }
        let trace = || {
            let mut trace = Vec::new();
            let mut n = at;
            while n != 0 {
                trace.push(b.lts.labels().name(origin[n].1).to_owned());
                n = origin[n].0;
            }
            trace.reverse();
            trace
        };
        if p.is_empty() {
            return Ok(Some(Difference::NewTrace(trace())));
        }
        if diverges(&b, &q) {
            return Ok(Some(Difference::Diverges(trace())));
        }
        let first = a.offers(&p);
        for offer in b.offers(&q) {
            let within = |smaller: &Vec<&str>| smaller.iter().all(|n| offer.contains(n));
            if !first.iter().any(within) {
                return Ok(Some(Difference::Refuses(trace(), named(&offer))));
            }
        }
        let mut labels: Vec<Label> = q.iter().flat_map(|&s| b.lts.from(s)).map(|m| m.0).collect();
        labels.sort_unstable();
        labels.dedup();
        for label in labels.into_iter().filter(|&l| l != TAU) {
            let same = a.lts.labels().lookup(b.lts.labels().name(label));
            let p2 = same.map_or(Vec::new(), |l| a.after(&p, l));
            let pair = (p2, b.after(&q, label));
            let next = pairs.len();
            if *numbers.entry(pair.clone()).or_insert(next) == next {
                pairs.push(pair);
                origin.push((at, label));
                work.push_back(next);
            }
        }
    }
    Ok(None)
}

fn named(offer: &[&str]) -> Vec<String> {
    offer.iter().map(|n| (*n).to_owned()).collect()
}
