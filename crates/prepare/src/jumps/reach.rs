//! Who calls `setjmp` and `longjmp`, and which calls a jump may leave.

use crate::checks::target;
use cwolf_base::{Idx, strong_components};
use cwolf_cwi::graph::CallGraph;
use cwolf_cwi::{
    BlockId, Branch, Callee, Expr, ExprKind, FuncId, InitValue, Program, Type, TypeId,
};
use cwolf_known::Row;
use rustc_hash::{FxHashMap, FxHashSet};

/// What a call that ends a block has to do with jumps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// It is `setjmp`, by name.
    Marks,
    /// It is `longjmp`, by name.
    Jumps,
    /// A jump may come out of it.
    Passes,
}

/// The calls of a program that have to do with jumps.
pub(super) struct Reach {
    /// The calls by function and block, in rising order.
    roles: FxHashMap<FuncId, Vec<(BlockId, Role)>>,
    /// `longjmp` where its address is taken.
    by_address: Vec<FuncId>,
    /// Functions without a body that may call a function which a jump leaves.
    callbacks: Vec<FuncId>,
    /// `setjmp` where its address is taken, and what is called with other arguments than it takes.
    strange: Vec<FuncId>,
    graph: CallGraph,
    taken: FxHashSet<FuncId>,
}

/// Whether a program knows `setjmp` or `longjmp`.
pub(super) fn has_jumps(program: &Program) -> bool {
    let jumps = |row: &Row| row.marks().is_some() || row.jumps().is_some();
    let mut all = program.funcs.ids();
    all.any(|f| row(program, f).is_some_and(jumps))
}

impl Reach {
    pub(super) fn new(program: &Program) -> Reach {
        let graph = CallGraph::new(program);
        let taken = addresses(program);
        let mut reach = Reach {
            roles: FxHashMap::default(),
            by_address: Vec::new(),
            callbacks: Vec::new(),
            strange: Vec::new(),
            graph,
            taken,
        };
        let jumps = |f: &FuncId| row(program, *f).is_some_and(|r| r.jumps().is_some());
        let marks = |f: &FuncId| row(program, *f).is_some_and(|r| r.marks().is_some());
        reach.by_address = reach.taken.iter().copied().filter(jumps).collect();
        reach.by_address.sort_unstable();
        reach.strange = reach.taken.iter().copied().filter(marks).collect();
        let leavers = reach.leavers(program, &jumps);
        for call in reach.graph.calls() {
            let body = program.funcs[call.caller].body.as_ref();
            let branch = body.map(|b| &b.blocks[call.block].branch);
            let Some(Branch::Call { callee, args, .. }) = branch else {
                continue;
            };
            let named = target(callee);
            let fits = |f: &FuncId| reach.arguments(program, *f, args).is_some();
            let role = match named {
                Some(f) if marks(&f) && fits(&f) => Role::Marks,
                Some(f) if marks(&f) => {
                    reach.strange.push(f);
                    continue;
                }
                Some(f) if jumps(&f) && fits(&f) => Role::Jumps,
                Some(f) if jumps(&f) => {
                    reach.strange.push(f);
                    continue;
                }
                _ if call.targets.iter().any(|f| leavers.contains(f)) => Role::Passes,
                _ => continue,
            };
            let roles = reach.roles.entry(call.caller).or_default();
            roles.push((call.block, role));
        }
        reach.strange.sort_unstable();
        reach.strange.dedup();
        reach
    }

    /// The functions that a jump may come out of.
    fn leavers(&mut self, program: &Program, jumps: &dyn Fn(&FuncId) -> bool) -> FxHashSet<FuncId> {
        let mut found: FxHashSet<FuncId> = program.funcs.ids().filter(jumps).collect();
        loop {
            let before = found.len();
            let mut work: Vec<FuncId> = found.iter().copied().collect();
            while let Some(f) = work.pop() {
                let callers = self.graph.callers(f).iter();
                work.extend(callers.filter(|caller| found.insert(**caller)));
            }
            // One declaration stands for the other.
            let names: FxHashSet<&str> = found
                .iter()
                .map(|f| program.funcs[*f].name.as_str())
                .collect();
            let same = program.funcs.enumerate().filter(|(_, f)| {
                let name = f.alias.as_deref().unwrap_or(&f.name);
                f.body.is_none() && names.contains(name)
            });
            let same: Vec<FuncId> = same.map(|(id, _)| id).collect();
            found.extend(same);
            if self.taken.iter().any(|f| found.contains(f)) {
                let backs = program.funcs.enumerate().filter(|(id, f)| {
                    f.body.is_none() && row(program, *id).is_none_or(|r| r.jumps().is_none())
                });
                let backs = backs.filter(|(_, f)| takes_function(program, f.ty));
                self.callbacks = backs.map(|(id, _)| id).collect();
                found.extend(&self.callbacks);
            }
            if found.len() == before {
                return found;
            }
        }
    }

    /// The buffer and the value among the arguments of a call of `setjmp` or `longjmp`, if they are
    /// what these functions take.
    pub(super) fn arguments<'e>(
        &self,
        program: &Program,
        func: FuncId,
        args: &'e [Expr],
    ) -> Option<(&'e Expr, Option<&'e Expr>)> {
        let row = row(program, func)?;
        let at = row.marks().or(row.jumps())?;
        let buffer = args.get(at)?;
        let to = program.types.pointee(buffer.ty)?;
        let value = args.get(at + 1);
        let whole = value.is_none_or(|e| program.types.as_int(e.ty).is_some());
        let data = !matches!(program.types[to], Type::Func(_));
        (data && whole).then_some((buffer, value))
    }

    /// The calls in a function that have to do with jumps.
    pub(super) fn roles(&self, func: FuncId) -> &[(BlockId, Role)] {
        self.roles.get(&func).map_or(&[], Vec::as_slice)
    }

    /// The calls of `setjmp` in a function.
    pub(super) fn marks(&self, func: FuncId) -> Vec<BlockId> {
        let marks = |(block, role): &(BlockId, Role)| (*role == Role::Marks).then_some(*block);
        self.roles(func).iter().filter_map(marks).collect()
    }

    /// All functions that have such calls.
    pub(super) fn functions(&self) -> Vec<FuncId> {
        let mut all: Vec<FuncId> = self.roles.keys().copied().collect();
        all.sort_unstable();
        all
    }

    /// Those of them that the program may come to.
    pub(super) fn reached(&self, entry: FuncId) -> Vec<FuncId> {
        let mut all = self.graph.reachable(&[entry]);
        all.retain(|f| self.roles.contains_key(f));
        all
    }

    /// Functions like `longjmp` that may be called by their address.
    pub(super) fn jumps_by_address(&self) -> Vec<FuncId> {
        self.by_address.clone()
    }

    /// Whether some call in the program may call a function.
    pub(super) fn is_called(&self, func: FuncId) -> bool {
        !self.graph.callers(func).is_empty() || self.taken.contains(&func)
    }

    /// What is not followed.
    pub(super) fn uncovered(&self, program: &Program, entry: FuncId) -> Vec<String> {
        let name = |f: &FuncId| program.funcs[*f].name.as_str();
        let reached = self.graph.reachable(&[entry]);
        let called = |f: &&FuncId| reached.contains(f);
        let backs = self.callbacks.iter().filter(called);
        let backs = backs.map(|f| format!("jumps out of what {} calls", name(f)));
        let strange = self.strange.iter();
        let strange = strange.map(|f| format!("calls of {} that are not as usual", name(f)));
        let stacks = self.functions().into_iter();
        let stacks = stacks.filter(|f| reached.contains(f));
        let stacks = stacks.filter(|f| self.allocates_after_mark(program, *f));
        let stacks = stacks.map(|f| {
            let name = &program.funcs[f].name;
            format!("what a jump back into {name} does to memory on the stack that was allocated after setjmp")
        });
        backs.chain(strange).chain(stacks).collect()
    }

    /// Whether memory of the stack may be allocated in a function after its `setjmp`: a jump to there ends that.
    fn allocates_after_mark(&self, program: &Program, func: FuncId) -> bool {
        let Some(body) = &program.funcs[func].body else {
            return false;
        };
        let mut seen: FxHashSet<BlockId> = FxHashSet::default();
        let mut work = self.marks(func);
        while let Some(block) = work.pop() {
            let branch = &body.blocks[block].branch;
            if let Branch::Call { callee, .. } = branch
                && target(callee)
                    .and_then(|f| program.known(f))
                    .is_some_and(|row| row.allocates_on_stack().is_some())
            {
                return true;
            }
            work.extend(branch.successors().into_iter().filter(|b| seen.insert(*b)));
        }
        false
    }

    /// The first number of each function with calls of `setjmp` that is called once at most, and the
    /// first number for all others.
    pub(super) fn numbers(
        &self,
        program: &Program,
        entry: FuncId,
    ) -> (i128, FxHashMap<FuncId, i128>) {
        // Zero is in buffers that nobody set.
        let mut next = 1;
        let mut numbers = FxHashMap::default();
        for func in self.functions() {
            let marks = self.marks(func).len() as i128;
            if marks > 0 && self.runs_once(program, entry, func) {
                numbers.insert(func, next);
                next += marks;
            }
        }
        (next, numbers)
    }

    /// Whether there is only one call of `func` in any run.
    fn runs_once(&self, program: &Program, entry: FuncId, func: FuncId) -> bool {
        let mut func = func;
        let mut seen = FxHashSet::default();
        while func != entry {
            let mut calls = self.graph.calls().iter();
            let mut calls = calls.by_ref().filter(|c| c.targets.contains(&func));
            let (Some(call), None) = (calls.next(), calls.next()) else {
                return false;
            };
            if !call.direct || self.taken.contains(&func) || !seen.insert(func) {
                return false;
            }
            if self.is_in_circle(program, call.caller, call.block) {
                return false;
            }
            func = call.caller;
        }
        !self.is_called(entry)
    }

    /// Whether control may come to a block again in the same call, jumps included.
    fn is_in_circle(&self, program: &Program, func: FuncId, block: BlockId) -> bool {
        let Some(body) = &program.funcs[func].body else {
            return true;
        };
        let edges: Vec<Vec<u32>> = body
            .blocks
            .ids()
            .map(|b| {
                self.successors(program, func, b)
                    .iter()
                    .map(|s| s.0)
                    .collect()
            })
            .collect();
        let component = strong_components(edges.len(), |n| &edges[n]);
        let own = component[block.index()];
        let alone = component.iter().filter(|c| **c == own).count() == 1;
        !alone || edges[block.index()].contains(&block.0)
    }

    /// Where control may go on after a block, jumps included.
    pub(super) fn successors(
        &self,
        program: &Program,
        func: FuncId,
        block: BlockId,
    ) -> Vec<BlockId> {
        let Some(body) = &program.funcs[func].body else {
            return Vec::new();
        };
        let mut list = body.blocks[block].branch.successors();
        let roles = self.roles(func);
        let leaves = |(b, role): &(BlockId, Role)| *b == block && *role != Role::Marks;
        if roles.iter().any(leaves) {
            for mark in self.marks(func) {
                list.extend(body.blocks[mark].branch.successors());
            }
        }
        list
    }
}

/// The row of a function without a body.
fn row(program: &Program, func: FuncId) -> Option<&'static Row> {
    let function = &program.funcs[func];
    let absent = function.body.is_none() && function.alias.is_none();
    absent
        .then(|| cwolf_known::lookup(&function.name))
        .flatten()
}

/// Functions whose address is taken.
fn addresses(program: &Program) -> FxHashSet<FuncId> {
    let mut found = FxHashSet::default();
    for init in program.vars.iter().flat_map(|v| &v.init) {
        if let InitValue::Func(func) = init.value {
            found.insert(func);
        }
    }
    for block in program
        .funcs
        .iter()
        .flat_map(|f| &f.body)
        .flat_map(|b| b.blocks.iter())
    {
        let mut look = |e: &Expr| {
            e.walk(&mut |e| {
                if let ExprKind::FuncAddr(func) = e.kind {
                    found.insert(func);
                }
            });
        };
        match &block.branch {
            // Called by name, with a type of its own.
            Branch::Call {
                callee: callee @ Callee::Indirect(_),
                args,
                ..
            } if target(callee).is_some() => {
                args.iter().for_each(&mut look);
            }
            branch => branch.for_each_expr(&mut look),
        }
        block
            .stmts
            .iter()
            .for_each(|s| s.kind.for_each_expr(&mut look));
    }
    found
}

/// Whether a function of this type is given functions, which it may call.
fn takes_function(program: &Program, ty: TypeId) -> bool {
    let function = |ty: &TypeId| {
        let to = program.types.pointee(*ty);
        to.is_some_and(|to| matches!(program.types[to], Type::Func(_)))
    };
    matches!(&program.types[ty], Type::Func(ty) if ty.params.iter().any(function))
}
