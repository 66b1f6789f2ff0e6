//! A model checker of CTL* that is written to be plainly right: each quantifier by the product of the system with what may be true of the
//! rest of a run (Lichtenstein and Pnueli 1985).

use super::{Formula, System};

/// Whether the start of a system satisfies a formula about states.
pub(super) fn holds(system: &System, formula: &Formula) -> bool {
    about_states(system, formula)[0]
}

/// Where a formula about states is true.
fn about_states(system: &System, formula: &Formula) -> Vec<bool> {
    match formula {
        Formula::Runs(some, path) => {
            // All runs satisfy it if none satisfies the contrary.
            let found = Product::new(system, path).starts(*some);
            found.into_iter().map(|f| f == *some).collect()
        }
        Formula::After(some, action, then) => {
            let then = about_states(system, then);
            let all = system.steps.iter();
            all.map(|steps| {
                let mut steps = steps.iter().filter(|s| s.0 == *action);
                match some {
                    true => steps.any(|s| then[s.1]),
                    false => steps.all(|s| then[s.1]),
                }
            })
            .collect()
        }
        _ => unreachable!("about a run: {formula}"),
    }
}

/// A position of a run: its state, the step that it goes on with (none at its end), and which temporal formulas are true there.
struct Node {
    state: usize,
    step: Option<(usize, usize)>,
    truths: usize,
}

struct Product<'f> {
    path: &'f Formula,
    /// The temporal formulas in it; parts come after what they are parts of.
    temporal: Vec<&'f Formula>,
    /// The formulas about states in it, and where they are true.
    states: Vec<(&'f Formula, Vec<bool>)>,
    nodes: Vec<Node>,
    next: Vec<Vec<usize>>,
    before: Vec<Vec<usize>>,
    size: usize,
}

impl<'f> Product<'f> {
    fn new(system: &System, path: &'f Formula) -> Product<'f> {
        let mut product = Product {
            path,
            temporal: Vec::new(),
            states: Vec::new(),
            nodes: Vec::new(),
            next: Vec::new(),
            before: Vec::new(),
            size: system.steps.len(),
        };
        product.parts(system, path);
        let truths = 1 << product.temporal.len();
        for (state, steps) in system.steps.iter().enumerate() {
            let mut ways: Vec<Option<(usize, usize)>> = steps.iter().map(|s| Some(*s)).collect();
            if ways.is_empty() {
                ways.push(None);
            }
            for step in ways {
                let all = (0..truths).map(|truths| Node {
                    state,
                    step,
                    truths,
                });
                product.nodes.extend(all);
            }
        }
        product.before = vec![Vec::new(); product.nodes.len()];
        product.next = product.before.clone();
        let mut of_state = vec![Vec::new(); product.size];
        for (n, node) in product.nodes.iter().enumerate() {
            of_state[node.state].push(n);
        }
        for n in (0..product.nodes.len()).step_by(truths) {
            let Some((_, target)) = product.nodes[n].step else {
                continue;
            };
            for to in &of_state[target] {
                let from = n + product.truths_before(&product.nodes[n], &product.nodes[*to]);
                product.next[from].push(*to);
                product.before[*to].push(from);
            }
        }
        product
    }
    fn parts(&mut self, system: &System, formula: &'f Formula) {
        match formula {
            Formula::Is(_) | Formula::IsNot(_) => {}
            Formula::And(l, r) | Formula::Or(l, r) => {
                self.parts(system, l);
                self.parts(system, r);
            }
            Formula::Finally(f) | Formula::Globally(f) => {
                self.temporal.push(formula);
                self.parts(system, f);
            }
            Formula::Until(l, r) | Formula::Unless(l, r) => {
                self.temporal.push(formula);
                self.parts(system, l);
                self.parts(system, r);
            }
            Formula::Runs(..) | Formula::After(..) => {
                self.states.push((formula, about_states(system, formula)));
            }
        }
    }
    fn number(&self, formula: &Formula) -> usize {
        let mut all = self.temporal.iter();
        all.position(|t| std::ptr::eq(*t, formula))
            .expect("it was listed")
    }
    fn is(&self, node: &Node, formula: &Formula) -> bool {
        match formula {
            Formula::Is(a) => node.step.is_some_and(|s| s.0 == *a),
            Formula::IsNot(a) => node.step.is_none_or(|s| s.0 != *a),
            Formula::And(l, r) => self.is(node, l) && self.is(node, r),
            Formula::Or(l, r) => self.is(node, l) || self.is(node, r),
            Formula::Runs(..) | Formula::After(..) => {
                let mut all = self.states.iter();
                let found = all.find(|s| std::ptr::eq(s.0, formula));
                found.expect("it was listed").1[node.state]
            }
            _ => node.truths >> self.number(formula) & 1 == 1,
        }
    }
    /// What a temporal formula is at a node, if it is `after` at the next.
    fn now(&self, node: &Node, formula: &Formula, after: bool) -> bool {
        match formula {
            Formula::Finally(f) => self.is(node, f) || after,
            Formula::Globally(f) => self.is(node, f) && after,
            Formula::Until(l, r) | Formula::Unless(l, r) => {
                self.is(node, r) || self.is(node, l) && after
            }
            _ => unreachable!("not temporal: {formula}"),
        }
    }
    /// What is true at a position with the step of one node, if the next position is another: that decides, parts first.
    fn truths_before(&self, node: &Node, to: &Node) -> usize {
        let mut now = Node { truths: 0, ..*node };
        for (n, formula) in self.temporal.iter().enumerate().rev() {
            let is = self.now(&now, formula, self.is(to, formula));
            now.truths |= usize::from(is) << n;
        }
        now.truths
    }
    /// Whether a run may end at a node: what is to come comes no more, and what always holds does.
    fn ends(&self, node: &Node) -> bool {
        let weak = |t: &Formula| matches!(t, Formula::Globally(_) | Formula::Unless(..));
        let mut all = self.temporal.iter();
        node.step.is_none() && all.all(|t| self.is(node, t) == self.now(node, t, weak(t)))
    }
    /// What must be true again and again where a temporal formula is not kept waiting: a promise is fulfilled or not made, and what
    /// does not always hold fails at last.
    fn fair(&self, node: &Node, formula: &Formula) -> bool {
        let is = self.is(node, formula);
        match formula {
            Formula::Finally(f) | Formula::Until(_, f) => !is || self.is(node, f),
            Formula::Globally(f) => is || !self.is(node, f),
            Formula::Unless(l, _) => is || !self.is(node, l),
            _ => unreachable!("not temporal: {formula}"),
        }
    }
    /// The nodes from which steps within a set lead to some nodes.
    fn reaches(&self, mut found: Vec<bool>, within: &[bool]) -> Vec<bool> {
        let mut work: Vec<usize> = (0..found.len()).filter(|n| found[*n]).collect();
        while let Some(to) = work.pop() {
            for from in &self.before[to] {
                if within[*from] && !std::mem::replace(&mut found[*from], true) {
                    work.push(*from);
                }
            }
        }
        found
    }
    /// The states with a run on which the formula is true (or false).
    fn starts(&self, truth: bool) -> Vec<bool> {
        let all = vec![true; self.nodes.len()];
        // Runs for ever: the greatest set in which each node comes to each fair place after some step.
        let mut ever = all.clone();
        loop {
            let before = ever.clone();
            let step = |ever: &[bool], to: &[bool]| -> Vec<bool> {
                let leads = |n: usize| ever[n] && self.next[n].iter().any(|m| to[*m]);
                (0..self.nodes.len()).map(leads).collect()
            };
            ever = step(&ever, &ever);
            for formula in &self.temporal {
                let fair = |n: usize| ever[n] && self.fair(&self.nodes[n], formula);
                let places = (0..self.nodes.len()).map(fair).collect();
                let near = self.reaches(places, &ever);
                ever = step(&ever, &near);
            }
            if ever == before {
                break;
            }
        }
        let ends = self.nodes.iter().map(|n| self.ends(n));
        let good: Vec<bool> = ends.zip(&ever).map(|(ends, ever)| ends || *ever).collect();
        let good = self.reaches(good, &all);
        let mut starts = vec![false; self.size];
        for (n, node) in self.nodes.iter().enumerate() {
            if good[n] && self.is(node, self.path) == truth {
                starts[node.state] = true;
            }
        }
        starts
    }
}
