//! What is only a shorter way to write a formula of the mu-calculus: weak modalities and the
//! operators of CTL. Runs are maximal: infinite, or finite up to a deadlock.

use super::{Actions, FormulaId, Formulas, Node};
use cwolf_lts::TAU_NAME;

impl Formulas {
    fn fix(
        &mut self,
        least: bool,
        body: impl FnOnce(&mut Formulas, FormulaId) -> FormulaId,
    ) -> FormulaId {
        let var = self.fresh();
        let name = self.add(Node::Var(var));
        let inner = body(self, name);
        self.add(Node::Fix { least, var, inner })
    }
    fn modal(&mut self, diamond: bool, actions: Actions, inner: FormulaId) -> FormulaId {
        self.add(match diamond {
            true => Node::Diamond(actions, inner),
            false => Node::Box(actions, inner),
        })
    }
    fn join(&mut self, or: bool, f: FormulaId, g: FormulaId) -> FormulaId {
        self.add(match or {
            true => Node::Or(f, g),
            false => Node::And(f, g),
        })
    }
    /// After some (or all) internal steps, `inner`.
    fn silently(&mut self, diamond: bool, inner: FormulaId) -> FormulaId {
        self.fix(diamond, |list, again| {
            let step = list.modal(diamond, Actions::tau(), again);
            list.join(diamond, inner, step)
        })
    }
    /// `<<actions>> inner` or `[[actions]] inner`: internal steps before and after the action;
    /// if it is internal itself, perhaps no step at all.
    pub(crate) fn weak(
        &mut self,
        diamond: bool,
        mut actions: Actions,
        inner: FormulaId,
    ) -> FormulaId {
        let after = self.silently(diamond, inner);
        let has_tau = actions.has_tau();
        if has_tau {
            match actions.negated {
                true => actions.names.push(TAU_NAME.to_owned()),
                false => actions.names.retain(|n| n != TAU_NAME),
            }
        }
        if actions.names.is_empty() && !actions.negated {
            return after;
        }
        let step = self.modal(diamond, actions, after);
        let visible = self.silently(diamond, step);
        match has_tau {
            true => self.join(diamond, after, visible),
            false => visible,
        }
    }
    /// There is a step; there is none.
    fn alive(&mut self, is_alive: bool) -> FormulaId {
        let constant = self.add(if is_alive { Node::True } else { Node::False });
        self.modal(is_alive, Actions::all(), constant)
    }
    /// Some (or every) maximal run from here satisfies `path`. The shapes of CTL become
    /// fixpoints; other path formulas stay.
    pub(crate) fn quantified(&mut self, exists: bool, path: FormulaId) -> FormulaId {
        if !self.is_path(path) {
            return path;
        }
        let formula = self.as_fixpoint(exists, path);
        self.written.insert(formula, path);
        formula
    }
    fn as_fixpoint(&mut self, exists: bool, path: FormulaId) -> FormulaId {
        match *self.node(path) {
            Node::Next(f) if !self.is_path(f) => self.next(exists, f),
            Node::Until(f, g) if !self.is_path(f) && !self.is_path(g) => {
                self.fix(true, |list, again| {
                    let next = list.next(exists, again);
                    let first = list.add(Node::And(f, next));
                    list.add(Node::Or(g, first))
                })
            }
            Node::Release(f, g) if !self.is_path(f) && !self.is_path(g) => {
                self.fix(false, |list, again| {
                    // The dual of the above: a run may also end here.
                    let step = match exists {
                        true => {
                            let step = list.modal(true, Actions::all(), again);
                            let end = list.alive(false);
                            list.add(Node::Or(step, end))
                        }
                        false => list.modal(false, Actions::all(), again),
                    };
                    let first = list.add(Node::Or(f, step));
                    list.add(Node::And(g, first))
                })
            }
            _ => self.add(Node::Quantified { exists, path }),
        }
    }
    fn next(&mut self, exists: bool, f: FormulaId) -> FormulaId {
        let step = self.modal(exists, Actions::all(), f);
        match exists {
            true => step,
            false => {
                let alive = self.alive(true);
                self.add(Node::And(alive, step))
            }
        }
    }
}
