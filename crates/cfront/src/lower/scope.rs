//! What must run when control leaves a block: `cleanup` attributes, the end of
//! variable-length arrays, and the end of the lives of its variables.

use super::Lower;
use crate::hir;
use cwolf_base::Span;
use cwolf_cwi::{Expr, Place, StmtKind, VarId};

/// One thing to do on the way out.
#[derive(Clone)]
pub(super) struct Item<'a> {
    /// Different for each item of the function.
    pub id: u32,
    /// How many blocks were open where it was declared.
    level: usize,
    action: Action<'a>,
}

#[derive(Clone)]
enum Action<'a> {
    /// Evaluate this.
    Cleanup(&'a hir::Expr),
    /// Free the variable-length arrays allocated since this was saved.
    Restore(Expr),
    /// The life of a variable ends.
    End(VarId),
}

impl Item<'_> {
    /// The variable whose life ends with the scope, if that is what is to be done.
    pub fn ends(&self) -> Option<VarId> {
        match self.action {
            Action::End(var) => Some(var),
            _ => None,
        }
    }
}

impl<'a> Lower<'a> {
    /// Opens a block; the result is for [`Lower::exit_scope`].
    pub(super) fn enter_scope(&mut self) -> usize {
        self.scopes += 1;
        self.scope.len()
    }
    /// Closes a block at its end.
    pub(super) fn exit_scope(&mut self, depth: usize, span: Span) {
        self.leave_scope(depth, span);
        self.scope.truncate(depth);
        self.scopes -= 1;
    }
    /// Code for a way out of all blocks whose items lie above `depth`. They stay open.
    pub(super) fn leave_scope(&mut self, depth: usize, span: Span) {
        for n in (depth..self.scope.len()).rev() {
            match self.scope[n].action.clone() {
                Action::Cleanup(e) => self.effect(e),
                Action::Restore(saved) => self.restore_stack(span, saved),
                Action::End(var) => {
                    let loc = self.loc(span);
                    self.code.emit(loc, StmtKind::Dead(var));
                }
            }
        }
    }
    /// Code for a way out of the function, which ends all lives anyway.
    pub(super) fn leave_function(&mut self, span: Span) {
        for n in (0..self.scope.len()).rev() {
            match self.scope[n].action.clone() {
                Action::Cleanup(e) => self.effect(e),
                Action::Restore(saved) => self.restore_stack(span, saved),
                Action::End(_) => {}
            }
        }
    }
    /// The variables of the block that was just opened begin to live; their lives end with it.
    /// Where a jump may come in at any label, or into a block from another function, no life is followed.
    pub(super) fn begin_lives(&mut self, vars: Vec<VarId>, span: Span) {
        if self.survey.computed_gotos > 0 || self.function.jumped_into {
            return;
        }
        let loc = self.loc(span);
        for var in vars {
            // Nobody can tell when another one's life ends.
            if !self.survey.address_taken.contains(&var) {
                continue;
            }
            // At first, all are alive.
            if self.survey.repeated.contains(&var) {
                self.code.emit(loc, StmtKind::Live(var));
            }
            self.push_item(Action::End(var));
        }
    }
    /// `e` is to be evaluated whenever control leaves the current block.
    pub(super) fn on_exit(&mut self, e: &'a hir::Expr) {
        self.push_item(Action::Cleanup(e));
    }
    fn push_item(&mut self, action: Action<'a>) {
        self.items += 1;
        self.scope.push(Item {
            id: self.items,
            level: self.scopes,
            action,
        });
    }
    /// A variable-length array comes to life.
    pub(super) fn declare_vla(&mut self, pointer: VarId, size: &'a hir::Expr, span: Span) {
        let loc = self.loc(span);
        // The function's return frees all that its outermost block allocates once.
        let freed_by_return = self.scopes == 0 && !self.survey.repeated.contains(&pointer);
        // A jump back to a label between two arrays ends the second one only.
        let shares =
            self.function.labels == 0
                && self.scope.iter().rev().any(|item| {
                    item.level == self.scopes && matches!(item.action, Action::Restore(_))
                });
        if !freed_by_return && !shares {
            let saved = self.save_stack(loc);
            self.push_item(Action::Restore(saved));
        }
        let size = self.value(size);
        let ty = self.program.vars[pointer].ty;
        let bytes = self.allocate(loc, ty, size);
        self.write(loc, Place::var(ty, pointer), bytes);
    }
}
