//! A slow and simple oracle for each equivalence, straight from the definitions and independent
//! of the crate's algorithms: greatest fixpoints over all pairs of states, and all words up to
//! a length that decides trace equality.

use cwolf_lts::{Builder, Equivalence, Lts, State, TAU};
use std::collections::{BTreeSet, HashSet};

pub type Edge = (State, u32, State);

/// A plain list of transitions.
#[derive(Clone, Debug)]
pub struct System {
    pub states: usize,
    pub edges: Vec<Edge>,
}

impl System {
    pub fn new(lts: &Lts) -> System {
        System {
            states: lts.states(),
            edges: lts.iter().collect(),
        }
    }
    /// Both systems side by side; the states of `b` come after those of `a`. Their labels must
    /// be numbered alike.
    pub fn union(a: &Lts, b: &Lts) -> System {
        let shift = a.states() as State;
        let shifted = b.iter().map(|(s, l, t)| (s + shift, l, t + shift));
        System {
            states: a.states() + b.states(),
            edges: a.iter().chain(shifted).collect(),
        }
    }
    fn succ(&self, s: State, a: u32) -> impl Iterator<Item = State> + '_ {
        let edges = self.edges.iter();
        edges.filter(move |e| e.0 == s && e.1 == a).map(|e| e.2)
    }
    fn out(&self, s: State) -> impl Iterator<Item = (u32, State)> + '_ {
        self.edges
            .iter()
            .filter(move |e| e.0 == s)
            .map(|e| (e.1, e.2))
    }
    fn closure(&self, from: impl IntoIterator<Item = State>) -> BTreeSet<State> {
        let mut set: BTreeSet<State> = from.into_iter().collect();
        let mut stack: Vec<State> = set.iter().copied().collect();
        while let Some(s) = stack.pop() {
            for t in self.succ(s, TAU) {
                if set.insert(t) {
                    stack.push(t);
                }
            }
        }
        set
    }
    fn weak_succ(&self, s: State, a: u32) -> BTreeSet<State> {
        let before = self.closure([s]);
        if a == TAU {
            return before;
        }
        self.closure(before.into_iter().flat_map(|u| self.succ(u, a)))
    }
    /// Whether `s` can stay for ever in states related to it by internal steps.
    fn diverges_in(&self, relation: &[Vec<bool>], s: State) -> bool {
        // Greatest set of related states, each with an internal step into the set.
        let mut set: BTreeSet<State> = (0..self.states as State)
            .filter(|&u| relation[u as usize][s as usize])
            .collect();
        loop {
            let inside = |u: State| self.succ(u, TAU).any(|v| set.contains(&v));
            let stuck: Vec<State> = set.iter().copied().filter(|&u| !inside(u)).collect();
            if stuck.is_empty() {
                return set.contains(&s);
            }
            stuck.iter().for_each(|u| {
                set.remove(u);
            });
        }
    }
    fn matches(&self, eq: Equivalence, r: &[Vec<bool>], s: State, t: State) -> bool {
        let related = |x: State, y: State| r[x as usize][y as usize];
        match eq {
            Equivalence::Strong => self
                .out(s)
                .all(|(a, s2)| self.succ(t, a).any(|t2| related(s2, t2))),
            Equivalence::Weak => self
                .out(s)
                .all(|(a, s2)| self.weak_succ(t, a).into_iter().any(|t2| related(s2, t2))),
            Equivalence::Branching | Equivalence::DivergenceBranching => {
                self.out(s).all(|(a, s2)| {
                    (a == TAU && related(s2, t))
                        || self
                            .closure([t])
                            .into_iter()
                            .any(|t1| related(s, t1) && self.succ(t1, a).any(|t2| related(s2, t2)))
                })
            }
            Equivalence::StrongTrace | Equivalence::WeakTrace => unreachable!("not a bisimulation"),
        }
    }
    /// All pairs that are related.
    pub fn relation(&self, eq: Equivalence) -> Vec<Vec<bool>> {
        let n = self.states;
        if matches!(eq, Equivalence::StrongTrace | Equivalence::WeakTrace) {
            let same = |s, t| self.same_traces(eq == Equivalence::WeakTrace, s, t);
            return (0..n)
                .map(|s| (0..n).map(|t| same(s as State, t as State)).collect())
                .collect();
        }
        let mut r = vec![vec![true; n]; n];
        loop {
            self.shrink(eq, &mut r);
            if eq != Equivalence::DivergenceBranching {
                return r;
            }
            // Whether a state can stay in its class for ever is not monotone in the relation:
            // only a fixpoint of the rest may be split by it.
            let divergent: Vec<bool> = (0..n).map(|s| self.diverges_in(&r, s as State)).collect();
            let mut changed = false;
            for s in 0..n {
                for t in 0..n {
                    if r[s][t] && divergent[s] != divergent[t] {
                        r[s][t] = false;
                        changed = true;
                    }
                }
            }
            if !changed {
                return r;
            }
        }
    }
    fn shrink(&self, eq: Equivalence, r: &mut [Vec<bool>]) {
        loop {
            let mut changed = false;
            for s in 0..self.states {
                for t in 0..self.states {
                    let (x, y) = (s as State, t as State);
                    if r[s][t] && !(self.matches(eq, r, x, y) && self.matches(eq, r, y, x)) {
                        r[s][t] = false;
                        r[t][s] = false;
                        changed = true;
                    }
                }
            }
            if !changed {
                return;
            }
        }
    }
    pub fn same_traces(&self, weak: bool, s: State, t: State) -> bool {
        let close = |set: BTreeSet<State>| if weak { self.closure(set) } else { set };
        let mut seen = HashSet::new();
        let mut work = vec![(close([s].into()), close([t].into()))];
        let labels: BTreeSet<u32> = self
            .edges
            .iter()
            .map(|e| e.1)
            .filter(|&a| !weak || a != TAU)
            .collect();
        while let Some((x, y)) = work.pop() {
            if x.is_empty() != y.is_empty() {
                return false;
            }
            if seen.insert((x.clone(), y.clone())) {
                for &a in &labels {
                    let step = |set: &BTreeSet<State>| {
                        close(set.iter().flat_map(|&u| self.succ(u, a)).collect())
                    };
                    work.push((step(&x), step(&y)));
                }
            }
        }
        true
    }
}

/// Whether two systems, whose labels are numbered alike, are equivalent.
pub fn equivalent(a: &Lts, b: &Lts, eq: Equivalence) -> bool {
    let union = System::union(a, b);
    let (s, t) = (a.initial(), b.initial() + a.states() as State);
    match eq {
        Equivalence::StrongTrace => union.same_traces(false, s, t),
        Equivalence::WeakTrace => union.same_traces(true, s, t),
        _ => union.relation(eq)[s as usize][t as usize],
    }
}

/// How many classes the reachable states fall into.
pub fn classes(lts: &Lts, eq: Equivalence) -> usize {
    let system = System::new(lts);
    let mut reachable = BTreeSet::from([lts.initial()]);
    let mut stack = vec![lts.initial()];
    while let Some(s) = stack.pop() {
        for (_, t) in system.out(s) {
            if reachable.insert(t) {
                stack.push(t);
            }
        }
    }
    let relation = system.relation(eq);
    let mut firsts: Vec<State> = Vec::new();
    for s in reachable {
        if !firsts.iter().any(|&f| relation[f as usize][s as usize]) {
            firsts.push(s);
        }
    }
    firsts.len()
}

/// A system from plain edges; labels are tau, a, b, c, …
pub fn system(states: usize, edges: &[Edge], initial: State) -> Lts {
    let mut builder = Builder::new();
    for name in ["a", "b", "c", "d"] {
        builder.label(name);
    }
    builder.ensure_states(states);
    for &(s, a, t) in edges {
        builder.add(s, a, t);
    }
    builder.finish(initial)
}

/// `lts` without its `n`-th transition.
pub fn without(lts: &Lts, n: usize) -> Lts {
    let mut edges: Vec<Edge> = lts.iter().collect();
    edges.remove(n);
    system(lts.states(), &edges, lts.initial())
}
