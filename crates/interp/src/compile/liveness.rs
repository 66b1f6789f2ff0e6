//! Which variables may be read before they are written again. A variable that is not live
//! when it becomes indeterminate needs no taint, so ordinary functions run without any.

use cwolf_cwi::{
    BlockId, Body, Branch, Callee, Expr, ExprKind, Place, RESULT, RegId, Stmt, StmtKind, VarId,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// The answers for one function.
#[derive(Debug, Default)]
pub(crate) struct Liveness {
    /// Variables that may be read before any write.
    pub at_entry: FxHashSet<VarId>,
    /// `Undef` statements, by block and index, whose variable may be read before a write.
    pub undef_live: FxHashSet<(u32, u32)>,
    /// Blocks that end in a call whose result may be used.
    pub result_live: FxHashSet<u32>,
}

struct Sets<'a> {
    index: &'a FxHashMap<VarId, usize>,
    words: usize,
}

/// Number 0 is register 0; tracked variables follow.
impl Sets<'_> {
    fn read(&self, expr: &Expr, set: &mut [u64]) {
        expr.walk(&mut |e| match &e.kind {
            ExprKind::Reg(reg) if *reg == RESULT => insert(set, 0),
            ExprKind::Load { place, .. } => self.read_root(place, set),
            _ => {}
        });
    }
    fn read_root(&self, place: &Place, set: &mut [u64]) {
        if let Some(n) = place.root().and_then(|v| self.index.get(&v)) {
            insert(set, *n);
        }
    }
    fn read_operands(&self, place: &Place, set: &mut [u64]) {
        place.for_each_operand(&mut |e| self.read(e, set));
    }
    /// Steps backward over a statement.
    fn stmt(&self, stmt: &Stmt, set: &mut [u64]) {
        match &stmt.kind {
            StmtKind::Assign(place, value) => {
                if let Some(n) = place.as_var().and_then(|v| self.index.get(&v)) {
                    remove(set, *n);
                }
                self.read_operands(place, set);
                self.read(value, set);
            }
            StmtKind::SetReg(RegId(reg), value) => {
                if *reg == 0 {
                    remove(set, 0);
                }
                self.read(value, set);
            }
            StmtKind::Assume(e) | StmtKind::Assert { cond: e, .. } => self.read(e, set),
            StmtKind::Havoc { ptr, size } => {
                self.read(ptr, set);
                size.iter().for_each(|e| self.read(e, set));
            }
            StmtKind::Live(var) | StmtKind::Dead(var) => {
                if let Some(n) = self.index.get(var) {
                    remove(set, *n);
                }
            }
        }
    }
    /// Steps backward over a branch.
    fn branch(&self, branch: &Branch, set: &mut [u64]) {
        match branch {
            Branch::If { cond, .. } => self.read(cond, set),
            Branch::Switch { on, .. } => self.read(on, set),
            Branch::Call { callee, args, .. } => {
                remove(set, 0);
                if let Callee::Indirect(e) = callee {
                    self.read(e, set);
                }
                args.iter().for_each(|e| self.read(e, set));
            }
            Branch::Return(Some(e)) | Branch::Halt(e) => self.read(e, set),
            Branch::Goto(_) | Branch::Return(None) | Branch::Unreachable(_) => {}
        }
    }
    fn live_out(&self, branch: &Branch, live_in: &[Vec<u64>]) -> Vec<u64> {
        let mut set = vec![0; self.words];
        branch.for_each_successor(|b| {
            if let Some(from) = live_in.get(b.0 as usize) {
                set.iter_mut().zip(from).for_each(|(a, b)| *a |= b);
            }
        });
        set
    }
}

fn insert(set: &mut [u64], n: usize) {
    set[n / 64] |= 1 << (n % 64);
}
fn remove(set: &mut [u64], n: usize) {
    set[n / 64] &= !(1 << (n % 64));
}
fn contains(set: &[u64], n: usize) -> bool {
    set[n / 64] >> (n % 64) & 1 == 1
}

/// The variables that some block may read before it has written them. The others are never
/// live between blocks, so that the sets stay small however many temporaries there are.
fn exposed(body: &Body, candidates: &[VarId]) -> Vec<VarId> {
    let candidates: FxHashSet<VarId> = candidates.iter().copied().collect();
    let mut found = FxHashSet::default();
    for block in body.blocks.iter() {
        let mut written = FxHashSet::default();
        let mut read = |e: &Expr, written: &FxHashSet<VarId>| {
            e.walk(&mut |e| {
                if let ExprKind::Load { place, .. } = &e.kind
                    && let Some(var) = place.root()
                    && candidates.contains(&var)
                    && !written.contains(&var)
                {
                    found.insert(var);
                }
            });
        };
        for stmt in &block.stmts {
            match &stmt.kind {
                StmtKind::Assign(place, value) => {
                    read(value, &written);
                    place.for_each_operand(&mut |e| read(e, &written));
                    written.extend(place.as_var());
                }
                StmtKind::SetReg(_, value) => read(value, &written),
                StmtKind::Assume(e) | StmtKind::Assert { cond: e, .. } => read(e, &written),
                StmtKind::Havoc { ptr, size } => {
                    read(ptr, &written);
                    size.iter().for_each(|e| read(e, &written));
                }
                StmtKind::Live(var) | StmtKind::Dead(var) => {
                    written.remove(var);
                }
            }
        }
        block.branch.for_each_expr(&mut |e| read(e, &written));
    }
    let mut list: Vec<_> = found.into_iter().collect();
    list.sort();
    list
}

/// Computes liveness of the variables `candidates`.
pub(crate) fn liveness(body: &Body, candidates: &[VarId]) -> Liveness {
    let tracked = &exposed(body, candidates)[..];
    let index: FxHashMap<_, _> = tracked
        .iter()
        .enumerate()
        .map(|(n, v)| (*v, n + 1))
        .collect();
    let sets = Sets {
        index: &index,
        words: (tracked.len() + 1).div_ceil(64),
    };
    let count = body.blocks.len();
    let mut before: Vec<Vec<BlockId>> = vec![Vec::new(); count];
    for (id, block) in body.blocks.enumerate() {
        block.branch.for_each_successor(|b| {
            if let Some(list) = before.get_mut(b.0 as usize) {
                list.push(id);
            }
        });
    }
    let mut live_in = vec![vec![0u64; sets.words]; count];
    let mut queued = vec![true; count];
    let mut queue: Vec<BlockId> = body.blocks.ids().collect();
    while let Some(id) = queue.pop() {
        let at = id.0 as usize;
        queued[at] = false;
        let block = &body.blocks[id];
        let mut set = sets.live_out(&block.branch, &live_in);
        sets.branch(&block.branch, &mut set);
        for stmt in block.stmts.iter().rev() {
            sets.stmt(stmt, &mut set);
        }
        if set != live_in[at] {
            live_in[at] = set;
            for b in &before[at] {
                if !std::mem::replace(&mut queued[b.0 as usize], true) {
                    queue.push(*b);
                }
            }
        }
    }
    collect(body, tracked, &sets, &live_in)
}

fn collect(body: &Body, tracked: &[VarId], sets: &Sets<'_>, live_in: &[Vec<u64>]) -> Liveness {
    let mut found = Liveness::default();
    if let Some(entry) = live_in.first() {
        let live = |(n, _): &(usize, &VarId)| contains(entry, n + 1);
        let vars = tracked.iter().enumerate().filter(live);
        found.at_entry = vars.map(|(_, v)| *v).collect();
    }
    for (id, block) in body.blocks.enumerate() {
        let mut set = sets.live_out(&block.branch, live_in);
        if contains(&set, 0) {
            found.result_live.insert(id.0);
        }
        sets.branch(&block.branch, &mut set);
        for (n, stmt) in block.stmts.iter().enumerate().rev() {
            if let StmtKind::Live(var) = &stmt.kind
                && sets.index.get(var).is_some_and(|v| contains(&set, *v))
            {
                found.undef_live.insert((id.0, n as u32));
            }
            sets.stmt(stmt, &mut set);
        }
    }
    found
}
