//! Formulas about runs: LTL over actions and states, and inside `A` and `E` anywhere (CTL*).
//! The system and the automaton of the formula run together; a run that satisfies the formula
//! is a way into a component where every until comes true again and again.

use super::plan::Plan;
use super::tableau::{CoverId, Item, ItemId, Tableau};
use super::{Evidence, Outcome, Run, Step, play};
use crate::formula::{FormulaId, Formulas, Node};
use cwolf_base::{Budget, Exhausted, strong_components};
use cwolf_lts::{Label, Lts, Reading, State};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;

/// The verdict if the whole formula is about runs, with a run as evidence.
pub(super) fn check_top(
    lts: &Lts,
    formulas: &Formulas,
    formula: FormulaId,
    reading: Reading,
    budget: &Budget,
) -> Result<Option<Outcome>, Exhausted> {
    let Node::Quantified { exists, path } = *formulas.node(formula) else {
        return Ok(None);
    };
    let start = [lts.initial()];
    let reading = of_runs(exists, reading);
    let product = Product::new(lts, formulas, (path, exists), reading, &start, budget)?;
    let run = product.run_from(lts, lts.initial());
    Ok(Some(Outcome {
        holds: run.is_some() == exists,
        evidence: run.map_or(Evidence::AllRuns, Evidence::Run),
    }))
}

/// How to read the runs that are looked for: every run surely satisfies a formula if none
/// possibly violates it.
fn of_runs(exists: bool, reading: Reading) -> Reading {
    match exists {
        true => reading,
        false => reading.opposite(),
    }
}

/// Whether some run from the start satisfies a path formula, or (if not positive) violates it.
pub(super) fn has_run(
    lts: &Lts,
    formulas: &Formulas,
    (path, positive): (FormulaId, bool),
    reading: Reading,
    budget: &Budget,
) -> Result<bool, Exhausted> {
    let start = [lts.initial()];
    let product = Product::new(lts, formulas, (path, positive), reading, &start, budget)?;
    Ok(product.roots.iter().any(|r| product.good[*r as usize]))
}

/// The states from where some (or every) run satisfies `path`.
pub(super) fn states(
    lts: &Lts,
    formulas: &Formulas,
    exists: bool,
    path: FormulaId,
    reading: Reading,
    budget: &Budget,
) -> Result<Vec<bool>, Exhausted> {
    let all: Vec<State> = (0..lts.states() as State).collect();
    let reading = of_runs(exists, reading);
    let product = Product::new(lts, formulas, (path, exists), reading, &all, budget)?;
    let mut found = vec![false; lts.states()];
    for &root in &product.roots {
        if product.good[root as usize] {
            found[product.pairs[root as usize].0 as usize] = true;
        }
    }
    // No run violates it: every run satisfies it.
    Ok(found.into_iter().map(|f| f == exists).collect())
}

/// The items of a path formula, or of its negation.
pub(super) fn items(
    lts: &Lts,
    formulas: &Formulas,
    root: (FormulaId, bool),
    reading: Reading,
    tableau: &mut Tableau,
    budget: &Budget,
) -> Result<ItemId, Exhausted> {
    let mut wanted = vec![root];
    let mut seen = FxHashSet::from_iter([root]);
    let mut at = 0;
    while at < wanted.len() {
        let (formula, positive) = wanted[at];
        at += 1;
        if !formulas.is_path(formula) {
            continue;
        }
        let parts = match *formulas.node(formula) {
            Node::Not(f) => vec![(f, !positive)],
            Node::Next(f) => vec![(f, positive)],
            Node::And(f, g) | Node::Or(f, g) | Node::Until(f, g) | Node::Release(f, g) => {
                vec![(f, positive), (g, positive)]
            }
            _ => Vec::new(),
        };
        for part in parts {
            if seen.insert(part) {
                wanted.push(part);
            }
        }
    }
    wanted.sort_unstable();
    let mut ids: FxHashMap<(FormulaId, bool), ItemId> = FxHashMap::default();
    for key in wanted {
        let (formula, positive) = key;
        let of = |f: FormulaId| ids[&(f, positive)];
        let item = match formulas.node(formula) {
            Node::True | Node::False => match (*formulas.node(formula) == Node::True) == positive {
                true => Item::True,
                false => Item::False,
            },
            _ if !formulas.is_path(formula) => {
                let reading = of_runs(positive, reading);
                let plan = Plan::new(lts, formulas, formula, reading, budget)?;
                let holds = play::states(lts, &plan, budget)?;
                Item::Holds(holds.into_iter().map(|h| h == positive).collect())
            }
            Node::Not(f) => {
                ids.insert(key, ids[&(*f, !positive)]);
                continue;
            }
            Node::And(f, g) if positive => Item::And(of(*f), of(*g)),
            Node::And(f, g) => Item::Or(of(*f), of(*g)),
            Node::Or(f, g) if positive => Item::Or(of(*f), of(*g)),
            Node::Or(f, g) => Item::And(of(*f), of(*g)),
            Node::Until(f, g) if positive => Item::Until(of(*f), of(*g)),
            Node::Until(f, g) => Item::Release(of(*f), of(*g)),
            Node::Release(f, g) if positive => Item::Release(of(*f), of(*g)),
            Node::Release(f, g) => Item::Until(of(*f), of(*g)),
            Node::Next(f) if positive => Item::Next(of(*f)),
            Node::Next(f) => {
                let next = tableau.add(Item::Next(of(*f)));
                let end = tableau.add(Item::End);
                Item::Or(end, next)
            }
            Node::Action(actions) => {
                Item::Action(actions.of(lts, of_runs(positive, reading)), positive)
            }
            _ => unreachable!("all other formulas are about states"),
        };
        ids.insert(key, tableau.add(item));
    }
    Ok(ids[&root])
}

/// The system together with the automaton.
struct Product {
    pairs: Vec<(State, CoverId)>,
    offsets: Vec<u32>,
    targets: Vec<u32>,
    /// The label of each step; nothing for staying after the end.
    labels: Vec<Option<Label>>,
    roots: Vec<u32>,
    component: Vec<u32>,
    /// For each component whether a run can stay in it and satisfy every until.
    accepting: Vec<bool>,
    /// From where such a component can be reached.
    good: Vec<bool>,
    /// For each cover which untils wait there.
    waits: Vec<Vec<bool>>,
    untils: usize,
}

impl Product {
    fn new(
        lts: &Lts,
        formulas: &Formulas,
        root: (FormulaId, bool),
        reading: Reading,
        starts: &[State],
        budget: &Budget,
    ) -> Result<Product, Exhausted> {
        let mut tableau = Tableau::new();
        let item = items(lts, formulas, root, reading, &mut tableau, budget)?;
        let mut pairs: Vec<(State, CoverId)> = Vec::new();
        let mut numbers: FxHashMap<(State, CoverId), u32> = FxHashMap::default();
        let mut number = |pair, pairs: &mut Vec<_>| {
            let next = pairs.len() as u32;
            let n = *numbers.entry(pair).or_insert(next);
            if n == next {
                pairs.push(pair);
            }
            n
        };
        let first = tableau.covers(&[item], budget)?;
        for &s in starts {
            for &cover in first.iter().filter(|&&c| tableau.fits(c, s)) {
                number((s, cover), &mut pairs);
            }
        }
        let roots: Vec<u32> = (0..pairs.len() as u32).collect();
        let (mut offsets, mut targets, mut labels) = (vec![0], Vec::new(), Vec::new());
        let mut at = 0;
        while at < pairs.len() {
            if at % 1024 == 0 {
                budget.check(at as u64)?;
            }
            if targets.len() > u32::MAX as usize / 2 {
                return Err(Exhausted::Steps);
            }
            let (s, cover) = pairs[at];
            let rest = tableau.cover(cover).next.clone();
            let next = tableau.covers(&rest, budget)?;
            let mut step = |label: Option<Label>, t: State| {
                for &c in next.iter().filter(|&&c| tableau.fits(c, t)) {
                    targets.push(number((t, c), &mut pairs));
                    labels.push(label);
                }
            };
            for (a, t) in lts.from(s).filter(|(a, _)| tableau.allows(cover, *a)) {
                step(Some(a), t);
            }
            if lts.from(s).len() == 0 && tableau.cover(cover).may_end {
                step(None, s);
            }
            offsets.push(targets.len() as u32);
            at += 1;
        }
        let waits = (0..tableau.len()).map(|c| tableau.cover(c as CoverId).waits.clone());
        let mut product = Product {
            waits: waits.collect(),
            untils: tableau.untils(),
            pairs,
            offsets,
            targets,
            labels,
            roots,
            component: Vec::new(),
            accepting: Vec::new(),
            good: Vec::new(),
        };
        product.classify();
        Ok(product)
    }
    fn edges(&self, at: u32) -> std::ops::Range<usize> {
        self.offsets[at as usize] as usize..self.offsets[at as usize + 1] as usize
    }
    fn classify(&mut self) {
        let component =
            strong_components(self.pairs.len(), |n| &self.targets[self.edges(n as u32)]);
        let count = component.iter().max().map_or(0, |&c| c as usize + 1);
        let mut has_cycle = vec![false; count];
        let mut fulfilled = vec![vec![false; self.untils]; count];
        for at in 0..self.pairs.len() {
            let class = component[at] as usize;
            for (done, waits) in fulfilled[class]
                .iter_mut()
                .zip(&self.waits[self.pairs[at].1 as usize])
            {
                *done |= !waits;
            }
            let inside = |&t: &u32| component[t as usize] as usize == class;
            has_cycle[class] |= self.targets[self.edges(at as u32)].iter().any(inside);
        }
        self.accepting = (0..count)
            .map(|c| has_cycle[c] && fulfilled[c].iter().all(|&d| d))
            .collect();
        // Edges lead to smaller components: by rising number, targets are known first.
        let mut order: Vec<u32> = (0..self.pairs.len() as u32).collect();
        order.sort_unstable_by_key(|&n| component[n as usize]);
        let mut good = self.accepting.clone();
        for at in order {
            let class = component[at as usize] as usize;
            let targets = &self.targets[self.edges(at)];
            good[class] |= targets
                .iter()
                .any(|&t| good[component[t as usize] as usize]);
        }
        self.good = component.iter().map(|&c| good[c as usize]).collect();
        self.component = component;
    }
    /// A run from `start` that satisfies the formula.
    fn run_from(&self, lts: &Lts, start: State) -> Option<Run> {
        let is_root = |r: &u32| self.good[*r as usize] && self.pairs[*r as usize].0 == start;
        let roots: Vec<u32> = self.roots.iter().copied().filter(is_root).collect();
        if roots.is_empty() {
            return None;
        }
        let accepting = |n: u32| self.accepting[self.component[n as usize] as usize];
        let (mut edges, mut at) = self
            .path(&roots, |_| true, accepting, 0)
            .expect("a good pair reaches an accepting component");
        let before = edges.len();
        let (entry, class) = (at, self.component[at as usize]);
        let inside = |n: u32| self.component[n as usize] == class;
        for until in 0..self.untils {
            let done = |n: u32| !self.waits[self.pairs[n as usize].1 as usize][until];
            let (more, to) = self
                .path(&[at], inside, done, 0)
                .expect("the component fulfils every until");
            edges.extend(more);
            at = to;
        }
        let least = usize::from(edges.len() == before);
        let (more, _) = self
            .path(&[at], inside, |n| n == entry, least)
            .expect("a component with a cycle leads back");
        edges.extend(more);
        let named = |&edge: &usize| {
            let label = self.labels[edge]?;
            Some(Step {
                label: lts.labels().name(label).to_owned(),
                state: self.pairs[self.targets[edge] as usize].0,
            })
        };
        let steps: Vec<Step> = edges.iter().map_while(named).collect();
        let ends = steps.len() < edges.len();
        Some(Run {
            start,
            steps,
            repeats_from: (!ends).then_some(before),
        })
    }
    /// A shortest path of at least `least` (0 or 1) steps, as edges, and where it ends.
    fn path(
        &self,
        from: &[u32],
        inside: impl Fn(u32) -> bool,
        goal: impl Fn(u32) -> bool,
        least: usize,
    ) -> Option<(Vec<usize>, u32)> {
        if let (0, Some(&here)) = (least, from.iter().find(|&&n| goal(n))) {
            return Some((Vec::new(), here));
        }
        let mut reached: FxHashMap<u32, (u32, usize)> = FxHashMap::default();
        let mut work: VecDeque<u32> = from.iter().copied().collect();
        while let Some(n) = work.pop_front() {
            for edge in self.edges(n) {
                let to = self.targets[edge];
                if !inside(to) || reached.contains_key(&to) {
                    continue;
                }
                reached.insert(to, (n, edge));
                if goal(to) {
                    let mut edges = Vec::new();
                    let mut at = to;
                    loop {
                        let (source, edge) = reached[&at];
                        edges.push(edge);
                        at = source;
                        if from.contains(&at) {
                            break;
                        }
                    }
                    edges.reverse();
                    return Some((edges, to));
                }
                work.push_back(to);
            }
        }
        None
    }
}
