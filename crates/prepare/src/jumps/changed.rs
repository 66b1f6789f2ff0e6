//! Locals that a jump may leave indeterminate (C 7.13.2.1): those of the function that called
//! `setjmp` that are not volatile and were changed since. The code that the pass makes keeps their
//! values, as a run without optimisation does; where one may be read, that is no proof.
//! Locals whose address is taken count as kept: compilers have them in memory.

use super::reach::{Reach, Role};
use crate::volatiles::taken;
use cwolf_cwi::{BlockId, Body, Branch, Expr, ExprKind, FuncId, Program, StmtKind, VarId};
use rustc_hash::FxHashSet;

/// What may be read after a jump that C leaves open, a sentence for each variable.
pub(super) fn indeterminate(program: &Program, reach: &Reach, entry: FuncId) -> Vec<String> {
    let mut found = Vec::new();
    for func in reach.reached(entry) {
        let Some(body) = &program.funcs[func].body else {
            continue;
        };
        let look = Look {
            program,
            reach,
            func,
            body,
            locals: candidates(program, func, body),
        };
        for (mark, var) in look.all() {
            let place = program.locations.describe(body.blocks[mark].loc);
            let name = &program.vars[var].name;
            found.push(format!(
                "{place}: the value of `{name}` after a jump back: it is changed after setjmp, and not volatile"
            ));
        }
    }
    found
}

/// Automatic variables that a compiler may keep in a register.
fn candidates(program: &Program, func: FuncId, body: &Body) -> FxHashSet<VarId> {
    let function = &program.funcs[func];
    let all = function.params.iter().chain(&function.locals).copied();
    let taken = taken(body);
    all.filter(|v| !program.vars[*v].volatile && !taken.contains(v))
        .collect()
}

struct Look<'p> {
    program: &'p Program,
    reach: &'p Reach,
    func: FuncId,
    body: &'p Body,
    locals: FxHashSet<VarId>,
}

type Sets = Vec<FxHashSet<VarId>>;

impl Look<'_> {
    fn all(&self) -> Vec<(BlockId, VarId)> {
        let mut marks = self.reach.marks(self.func);
        marks.retain(|mark| !self.keeps_locals(*mark));
        if marks.is_empty() || self.locals.is_empty() {
            return Vec::new();
        }
        let live = self.live();
        let mut found = Vec::new();
        for mark in marks {
            let changed = self.changed_since(mark);
            let leaves = self.reach.roles(self.func).iter();
            let leaves = leaves.filter(|(_, role)| *role != Role::Marks);
            let mut all: FxHashSet<VarId> = FxHashSet::default();
            for (block, _) in leaves {
                let Some(mut now) = changed[block.0 as usize].clone() else {
                    continue;
                };
                self.change(*block, &mut now);
                all.extend(now);
            }
            for next in self.body.blocks[mark].branch.successors() {
                let read = all.intersection(&live[next.0 as usize]);
                let mut read: Vec<VarId> = read.copied().collect();
                read.sort_unstable();
                found.extend(read.into_iter().map(|v| (mark, v)));
            }
        }
        found
    }

    /// Whether the call at the end of a block is the way back of a jump out of a nested function.
    fn keeps_locals(&self, mark: BlockId) -> bool {
        let Branch::Call { callee, .. } = &self.body.blocks[mark].branch else {
            return false;
        };
        let row = crate::checks::target(callee).and_then(|f| self.program.known(f));
        row.is_some_and(|row| row.keeps_locals())
    }

    /// The variables that a block assigns to.
    fn change(&self, block: BlockId, now: &mut FxHashSet<VarId>) {
        for stmt in &self.body.blocks[block].stmts {
            if let StmtKind::Assign(place, _) = &stmt.kind
                && let Some(var) = place.root().filter(|v| self.locals.contains(v))
            {
                now.insert(var);
            }
        }
    }

    /// What may have changed at the start of each block since `setjmp` returned, if it did.
    fn changed_since(&self, mark: BlockId) -> Vec<Option<FxHashSet<VarId>>> {
        let mut sets: Vec<Option<FxHashSet<VarId>>> = vec![None; self.body.blocks.len()];
        let mut work = self.body.blocks[mark].branch.successors();
        for block in &work {
            sets[block.0 as usize] = Some(FxHashSet::default());
        }
        // Called again with the same buffer, nothing is changed since.
        let again = !self.is_fixed(mark);
        while let Some(block) = work.pop() {
            let mut now = sets[block.0 as usize].clone().unwrap_or_default();
            self.change(block, &mut now);
            if block == mark && !again {
                continue;
            }
            for next in self.reach.successors(self.program, self.func, block) {
                let there = &mut sets[next.0 as usize];
                let before = there.as_ref().map(FxHashSet::len);
                there.get_or_insert_with(FxHashSet::default).extend(&now);
                if before != there.as_ref().map(FxHashSet::len) {
                    work.push(next);
                }
            }
        }
        sets
    }

    /// Whether a call of `setjmp` always has the same buffer.
    fn is_fixed(&self, mark: BlockId) -> bool {
        let Branch::Call { args, .. } = &self.body.blocks[mark].branch else {
            return false;
        };
        fn fixed(e: &Expr) -> bool {
            match &e.kind {
                ExprKind::Cast(inner) => fixed(inner),
                ExprKind::AddrOf(place) => {
                    let mut constant = place.root().is_some();
                    place.for_each_operand(&mut |e| constant &= e.as_int().is_some());
                    constant
                }
                _ => false,
            }
        }
        args.first().is_some_and(fixed)
    }

    /// What may be read before it is written, from the start of each block on.
    fn live(&self) -> Sets {
        let mut live: Sets = vec![FxHashSet::default(); self.body.blocks.len()];
        let mut changed = true;
        while changed {
            changed = false;
            for (id, block) in self.body.blocks.enumerate() {
                let mut now = FxHashSet::default();
                for next in self.reach.successors(self.program, self.func, id) {
                    now.extend(&live[next.0 as usize]);
                }
                block.branch.for_each_expr(&mut |e| self.read(e, &mut now));
                for stmt in block.stmts.iter().rev() {
                    if let StmtKind::Assign(place, _) = &stmt.kind
                        && let Some(var) = place.as_var()
                    {
                        now.remove(&var);
                    }
                    stmt.kind.for_each_expr(&mut |e| self.read(e, &mut now));
                }
                if now.len() != live[id.0 as usize].len() {
                    live[id.0 as usize] = now;
                    changed = true;
                }
            }
        }
        live
    }

    fn read(&self, e: &Expr, now: &mut FxHashSet<VarId>) {
        e.walk(&mut |e| {
            if let ExprKind::Load { place, .. } = &e.kind
                && let Some(var) = place.root().filter(|v| self.locals.contains(v))
            {
                now.insert(var);
            }
        });
    }
}
