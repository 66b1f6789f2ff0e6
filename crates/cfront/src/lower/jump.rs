//! Labels and gotos, plain and computed.

use super::scope::Item;
use super::{Label, Lower};
use crate::hir::{self, LabelId};
use cwolf_base::Span;
use cwolf_cwi::{BlockId, Branch, Case, Expr, ExprKind, LocId, StmtKind, Type, Types, Unreachable};

/// With more cases than this in all computed gotos together, they share one switch.
const SHARE_CASES: usize = 1 << 16;

/// A goto that may leave scopes. How many is known only when its label has been seen.
pub(super) struct PendingGoto<'a> {
    block: BlockId,
    label: LabelId,
    scope: Vec<Item<'a>>,
    span: Span,
}

impl<'a> Lower<'a> {
    fn label_block(&mut self, label: LabelId) -> BlockId {
        let code = &mut self.code;
        let entry = self.labels.entry(label).or_insert_with(|| Label {
            block: code.new_block(),
            scope: None,
        });
        entry.block
    }
    /// `label:`
    pub(super) fn label(&mut self, label: LabelId, loc: LocId) {
        let block = self.label_block(label);
        if let Some(known) = self.labels.get_mut(&label) {
            known.scope = Some(self.scope.clone());
        }
        self.code.fall_into(loc, block);
    }
    /// `goto label`
    pub(super) fn goto(&mut self, label: LabelId, span: Span) {
        let target = self.label_block(label);
        let known = self.labels[&label].scope.as_ref();
        if self.scope.is_empty() && known.is_some_and(Vec::is_empty) {
            let loc = self.loc(span);
            self.stop(loc, Branch::Goto(target));
        } else {
            let block = self.code.suspend();
            self.gotos.push(PendingGoto {
                block,
                label,
                scope: self.scope.clone(),
                span,
            });
        }
    }
    /// Now that all labels are known, the gotos that leave or enter scopes can do so.
    pub(super) fn finish_gotos(&mut self) {
        for pending in std::mem::take(&mut self.gotos) {
            let label = &self.labels[&pending.label];
            let target = label.block;
            let inside = label.scope.as_deref().unwrap_or_default();
            let common = pending.scope.iter().zip(inside);
            let common = common.take_while(|(a, b)| a.id == b.id).count();
            let entered: Vec<_> = inside[common..].iter().filter_map(Item::ends).collect();
            self.code.resume(pending.block);
            self.scope = pending.scope;
            self.leave_scope(common, pending.span);
            let loc = self.loc(pending.span);
            for var in entered {
                self.code.emit(loc, StmtKind::Live(var));
            }
            self.code.goto(loc, target);
        }
        self.scope.clear();
    }
    /// `goto *address`: the addresses of labels are small numbers.
    pub(super) fn computed_goto(&mut self, address: &'a hir::Expr, loc: LocId) {
        let address = self.value(address);
        let word = self.program.target().word(false);
        let word = self.program.types.intern(Type::Int(word));
        let on = Expr::cast(word, address);
        let labels = self.function.address_taken.len();
        if self.survey.computed_gotos.saturating_mul(labels) <= SHARE_CASES {
            self.goto_any(loc, on);
            self.code.start_dead();
            return;
        }
        let (block, reg) = match self.dispatch {
            Some(shared) => shared,
            None => {
                let shared = (self.code.new_block(), self.code.new_reg(word));
                self.dispatch = Some(shared);
                shared
            }
        };
        self.code.emit(loc, StmtKind::SetReg(reg, on));
        self.stop(loc, Branch::Goto(block));
    }
    /// Ends the block with a jump to the label whose number is `on`, and the next as well.
    fn goto_any(&mut self, loc: LocId, on: Expr) {
        let taken = &self.function.address_taken;
        let targets: Vec<_> = taken.iter().map(|l| self.label_block(*l)).collect();
        let case = |(n, target): (i128, BlockId)| Case {
            lo: n,
            hi: n,
            target,
        };
        let cases: Vec<_> = (1..).zip(targets).map(case).collect();
        let default = self.code.new_block();
        self.code.end(loc, Branch::Switch { on, cases, default });
        self.code.start(default);
        self.code
            .end(loc, Branch::Unreachable(Unreachable::BadGoto));
    }
    /// The switch that many computed gotos share.
    pub(super) fn finish_dispatch(&mut self) {
        if let Some((block, reg)) = self.dispatch {
            let loc = self.loc(self.function.end);
            let word = self.program.target().word(false);
            let word = self.program.types.intern(Type::Int(word));
            self.code.start(block);
            self.goto_any(loc, Expr::reg(word, reg));
        }
    }
    /// Control goes on, or to any of `labels` (`asm goto`).
    pub(super) fn maybe_goto(&mut self, labels: &[LabelId], span: Span) {
        if labels.is_empty() {
            return;
        }
        let loc = self.loc(span);
        let unknown = Expr {
            ty: Types::INT,
            kind: ExprKind::Choose,
        };
        let on = self.keep(loc, unknown);
        let on_way = self.code.new_block();
        let ways: Vec<_> = labels.iter().map(|_| self.code.new_block()).collect();
        let case = |(n, target): (i128, &BlockId)| Case {
            lo: n,
            hi: n,
            target: *target,
        };
        let branch = Branch::Switch {
            on,
            cases: (0..).zip(&ways).map(case).collect(),
            default: on_way,
        };
        self.code.end(loc, branch);
        for (way, label) in ways.into_iter().zip(labels) {
            self.code.start(way);
            self.goto(*label, span);
            self.code
                .end(loc, Branch::Unreachable(Unreachable::Promised));
        }
        self.code.start(on_way);
    }
}
