//! One way through the program: the blocks that control comes to, in order, in the functions that
//! are followed. Whatever else is called on the way is encoded as always.

use crate::cursor::Cursor;
use crate::memory::State;
use crate::objects::{CellId, ContextId};
use crate::walk::frame::Frame;
use crate::walk::{Bounds, Encoder, Feasible};
use crate::{Region, Start};
use cwolf_base::{Budget, Exhausted, Idx};
use cwolf_cwi::{BlockId, CheckKind, Expr, FuncId, VarId};
use cwolf_logic::{Sort, Term, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

/// A way from the start of the program.
#[derive(Clone, Debug, Default)]
pub struct BlockPath {
    /// The functions that it is about.
    pub followed: FxHashSet<FuncId>,
    /// The blocks of these functions that control comes to, in order.
    pub blocks: Vec<(FuncId, BlockId)>,
    /// Blocks of these functions that are not listed: control goes through them as it likes.
    pub unlisted: FxHashSet<(FuncId, BlockId)>,
    /// How many statements of the last block are run.
    pub stop: usize,
    /// What must hold (or not) before a statement of the block at a position; after the last
    /// statement, before the branch.
    pub assumed: FxHashMap<(usize, usize), Vec<(Expr, bool)>>,
    /// If the way ends where it repeats itself: the position of a block at which the memory must be
    /// what it is at the end.
    pub repeats: Option<usize>,
    /// Scalars of variables, by their first bits, that may be different there: nothing depends on them.
    pub idle: FxHashSet<(VarId, u64)>,
}

/// How far an encoding has come on its way.
#[derive(Clone, Debug)]
pub(crate) struct Progress {
    path: BlockPath,
    /// Blocks that were come to.
    done: usize,
    /// The memory where it begins to repeat itself, and in which call.
    before: Option<(State, ContextId)>,
}

impl Progress {
    /// Whether control may come to a block now.
    pub(super) fn allows(&self, func: FuncId, block: BlockId) -> bool {
        !self.lists(func, block) || self.path.blocks.get(self.done) == Some(&(func, block))
    }
    pub(super) fn follows(&self, func: FuncId) -> bool {
        self.path.followed.contains(&func)
    }
    /// Whether coming to a block is a step on the way.
    fn lists(&self, func: FuncId, block: BlockId) -> bool {
        self.follows(func) && !self.path.unlisted.contains(&(func, block))
    }
    /// Control comes to a block of a function that is followed.
    pub(super) fn step(&mut self) {
        self.done += 1;
    }
    /// Whether the run stops before a statement of the block that control is in.
    pub(super) fn stops(&self, index: usize) -> bool {
        self.done == self.path.blocks.len() && index >= self.path.stop
    }
    fn assumed(&self, index: usize) -> Vec<(Expr, bool)> {
        let at = (self.done.wrapping_sub(1), index);
        self.path.assumed.get(&at).cloned().unwrap_or_default()
    }
}

impl Encoder<'_> {
    /// Encodes one way from `entry`. What fails in the region is to come to its end;
    /// [`Region::way`] has the condition for coming to each block.
    ///
    /// # Errors
    /// When the budget ran out.
    pub fn follow(
        &mut self,
        entry: FuncId,
        path: BlockPath,
        bounds: Bounds,
        budget: &Budget,
        feasible: Feasible<'_>,
    ) -> Result<Region, Exhausted> {
        self.along = Some(Progress {
            path,
            done: 0,
            before: None,
        });
        let region = self.region(Start::Entry(entry), bounds, budget, feasible);
        self.along = None;
        region
    }
    /// Whether a state may wait at the block of its innermost call.
    pub(super) fn is_on_the_way(&self, frames: &[Frame]) -> bool {
        let (Some(along), Some(frame)) = (&self.along, frames.last()) else {
            return true;
        };
        along.allows(self.contexts[frame.context.index()].func, frame.block)
    }
    /// Whether a function is followed, so that its loops and calls are as long as the way.
    pub(super) fn follows(&self, func: FuncId) -> bool {
        self.along.as_ref().is_some_and(|a| a.follows(func))
    }
    /// Control comes to a block.
    pub(super) fn come_to(&mut self, func: FuncId, cur: &Cursor) {
        if let Some(along) = &mut self.along
            && along.lists(func, cur.block)
        {
            if along.path.repeats == Some(along.done) {
                along.before = Some((cur.state.clone(), cur.context));
            }
            along.step();
            self.out.way.push(cur.guard);
        }
    }
    /// When two memories are the same. What only one of them has is not compared: then they are not.
    fn same_memory(&mut self, a: &State, b: &State) -> Term {
        let idle = self.along.as_ref().map(|along| &along.path.idle);
        let matters = |(cell, _): &(CellId, Term)| {
            let spot = self.cell_spot(*cell);
            spot.is_none_or(|spot| idle.is_none_or(|idle| !idle.contains(&spot)))
        };
        let before: FxHashMap<CellId, Term> = a.cells().filter(matters).collect();
        let after: Vec<(CellId, Term)> = b.cells().filter(matters).collect();
        if before.len() != after.len() {
            return Terms::FALSE;
        }
        let mut all = Terms::TRUE;
        for (cell, y) in after {
            match before.get(&cell) {
                Some(x) if *x == y => {}
                Some(x) if matches!(self.terms.sort(y), Sort::Bv(_)) => {
                    let same = self.terms.eq(*x, y);
                    all = self.terms.and(all, same);
                }
                _ => return Terms::FALSE,
            }
        }
        all
    }
    /// Before a statement or branch: whether the way ends here, after what must hold there.
    pub(super) fn ends_at(&mut self, cur: &mut Cursor, func: FuncId, index: usize) -> bool {
        let along = match &self.along {
            Some(along) if along.lists(func, cur.block) => along,
            _ => return false,
        };
        let (assumed, stops) = (along.assumed(index), along.stops(index));
        let along_repeats = along.path.repeats.is_some();
        for (e, holds) in assumed {
            let c = self.condition(cur, &e);
            let c = if holds { c } else { self.terms.not(c) };
            cur.guard = self.terms.and(cur.guard, c);
        }
        if stops && along_repeats {
            let before = self.along.as_mut().and_then(|a| a.before.take());
            let same = match before {
                Some((state, context)) if context == cur.context => {
                    let now = cur.state.clone();
                    self.same_memory(&state, &now)
                }
                _ => Terms::FALSE,
            };
            cur.guard = self.terms.and(cur.guard, same);
        }
        if stops && cur.guard != Terms::FALSE {
            self.out.way.push(cur.guard);
            let (loc, guard) = (cur.loc, cur.guard);
            self.oblige(loc, CheckKind::UnreachCall, None, None, guard);
        }
        stops
    }
}
