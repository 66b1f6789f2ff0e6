//! What a formula speaks about: all runs, or some. A model with more runs than the program
//! proves the first kind and refutes the second.

use super::{FormulaId, Formulas, Node};
use rustc_hash::FxHashSet;

/// Which runs a formula speaks about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Speaks {
    /// Whatever happens: what has fewer runs satisfies it too.
    OfAllRuns,
    /// There is a way: what has more runs satisfies it too.
    OfSomeRun,
    /// Both.
    OfBoth,
}

impl Formulas {
    /// Which runs a formula speaks about.
    pub fn speaks(&self, formula: FormulaId) -> Speaks {
        let (mut all, mut some) = (false, false);
        let mut seen = FxHashSet::from_iter([(formula, true)]);
        let mut work = vec![(formula, true)];
        while let Some((formula, positive)) = work.pop() {
            let mut of = |exists: bool| match exists == positive {
                true => some = true,
                false => all = true,
            };
            let mut parts = Vec::new();
            match self.node(formula) {
                Node::Not(f) => parts.push((*f, !positive)),
                Node::Diamond(_, f) => {
                    of(true);
                    parts.push((*f, positive));
                }
                Node::Box(_, f) => {
                    of(false);
                    parts.push((*f, positive));
                }
                Node::Quantified { exists, path } => {
                    of(*exists);
                    parts.push((*path, positive));
                }
                Node::Fix { inner: f, .. } | Node::Next(f) => parts.push((*f, positive)),
                Node::And(f, g) | Node::Or(f, g) | Node::Until(f, g) | Node::Release(f, g) => {
                    parts.extend([(*f, positive), (*g, positive)]);
                }
                Node::True | Node::False | Node::Var(_) | Node::Action(_) => {}
            }
            work.extend(parts.into_iter().filter(|p| seen.insert(*p)));
        }
        match (all, some) {
            (_, false) => Speaks::OfAllRuns,
            (false, true) => Speaks::OfSomeRun,
            (true, true) => Speaks::OfBoth,
        }
    }
    /// The actions that a formula names.
    pub fn actions(&self, formula: FormulaId) -> Vec<String> {
        let mut names = Vec::new();
        let mut seen = FxHashSet::from_iter([formula]);
        let mut work = vec![formula];
        while let Some(formula) = work.pop() {
            let mut parts = Vec::new();
            match self.node(formula) {
                Node::Diamond(actions, f) | Node::Box(actions, f) => {
                    names.extend(actions.names.iter().cloned());
                    parts.push(*f);
                }
                Node::Action(actions) => names.extend(actions.names.iter().cloned()),
                Node::Not(f) | Node::Fix { inner: f, .. } | Node::Next(f) => parts.push(*f),
                Node::Quantified { path, .. } => parts.push(*path),
                Node::And(f, g) | Node::Or(f, g) | Node::Until(f, g) | Node::Release(f, g) => {
                    parts.extend([*f, *g]);
                }
                Node::True | Node::False | Node::Var(_) => {}
            }
            work.extend(parts.into_iter().filter(|p| seen.insert(*p)));
        }
        names.sort();
        names.dedup();
        names
    }
    /// Whether a formula is one of linear time, about all runs or some.
    pub fn is_linear(&self, formula: FormulaId) -> bool {
        self.linear(formula).is_some()
    }
    /// Whether a formula is one of the modal mu-calculus alone: nothing in it is about whole runs.
    pub fn is_modal(&self, formula: FormulaId) -> bool {
        let mut seen = FxHashSet::from_iter([formula]);
        let mut work = vec![formula];
        while let Some(formula) = work.pop() {
            let mut parts = Vec::new();
            match self.node(formula) {
                Node::Quantified { .. } => return false,
                Node::Diamond(_, f) | Node::Box(_, f) | Node::Not(f) => parts.push(*f),
                Node::Fix { inner: f, .. } => parts.push(*f),
                Node::And(f, g) | Node::Or(f, g) => parts.extend([*f, *g]),
                _ => {}
            }
            work.extend(parts.into_iter().filter(|p| seen.insert(*p)));
        }
        true
    }
    /// Whether a formula is one quantifier about a formula of linear time: nothing in it is about
    /// states.
    pub(crate) fn linear(&self, formula: FormulaId) -> Option<(bool, FormulaId)> {
        let Node::Quantified { exists, path } = *self.node(formula) else {
            return None;
        };
        let mut seen = FxHashSet::from_iter([path]);
        let mut work = vec![path];
        while let Some(formula) = work.pop() {
            match self.node(formula) {
                Node::True | Node::False | Node::Action(_) => {}
                Node::Not(f) | Node::Next(f) => work.extend(seen.insert(*f).then_some(*f)),
                Node::And(f, g) | Node::Or(f, g) | Node::Until(f, g) | Node::Release(f, g) => {
                    work.extend([*f, *g].into_iter().filter(|f| seen.insert(*f)));
                }
                _ => return None,
            }
        }
        Some((exists, path))
    }
}
