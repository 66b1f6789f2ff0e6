//! Formulas about all runs, or about some run, without their inner quantifiers.

use super::{FormulaId, Formulas, Node, Speaks};

impl Formulas {
    /// A formula of linear time that a formula about all runs implies, so that a run which violates it shows that neither holds; or that implies a
    /// formula about some run. It is the same without quantifiers but one around it: `AG AF {a}` has `A G F {a}`. The converse need not be true (`AF AG f` says
    /// more than `A F G f`). None for what is of linear time itself, and for fixpoints that were written as such.
    pub(super) fn about_runs(&mut self, formula: FormulaId) -> Option<FormulaId> {
        if self.is_linear(formula) {
            return None;
        }
        let exists = match self.speaks(formula) {
            Speaks::OfAllRuns => false,
            Speaks::OfSomeRun => true,
            Speaks::OfBoth => return None,
        };
        // Parts come before what they are parts of.
        let mut bare: Vec<Option<FormulaId>> = Vec::new();
        for part in 0..=formula {
            let found = self.without_quantifier(part, &bare);
            bare.push(found);
        }
        let path = bare[formula as usize]?;
        let all = self.add(Node::Quantified { exists, path });
        self.is_linear(all).then_some(all)
    }
    fn without_quantifier(
        &mut self,
        formula: FormulaId,
        bare: &[Option<FormulaId>],
    ) -> Option<FormulaId> {
        let of = |f: FormulaId| bare[f as usize];
        if let Some(path) = self.written.get(&formula) {
            return of(*path);
        }
        let node = match self.node(formula).clone() {
            Node::True | Node::False | Node::Action(_) => return Some(formula),
            Node::Quantified { path, .. } => return of(path),
            Node::Var(_) | Node::Fix { .. } => return None,
            Node::Not(f) => Node::Not(of(f)?),
            Node::And(f, g) => Node::And(of(f)?, of(g)?),
            Node::Or(f, g) => Node::Or(of(f)?, of(g)?),
            Node::Next(f) => Node::Next(of(f)?),
            Node::Until(f, g) => Node::Until(of(f)?, of(g)?),
            Node::Release(f, g) => Node::Release(of(f)?, of(g)?),
            Node::Diamond(actions, f) => {
                let (step, then) = (Node::Action(actions), Node::Next(of(f)?));
                Node::And(self.add(step), self.add(then))
            }
            Node::Box(actions, f) => {
                let (step, then) = (Node::Action(actions), Node::Next(of(f)?));
                let step = self.add(step);
                Node::Or(self.add(Node::Not(step)), self.add(then))
            }
        };
        Some(self.add(node))
    }
}
