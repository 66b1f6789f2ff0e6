//! Which functions are procedures of their own.

use crate::walk::flow::Flow;
use cwolf_cwi::graph::{CallGraph, PointsTo};
use cwolf_cwi::{BlockId, Body, Branch, FuncId, Program, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

/// A place where a procedure is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Point {
    /// Where it starts.
    Entry(FuncId),
    /// The start of a block: the head of a loop, or any.
    Head(FuncId, BlockId),
    /// Before the call that ends a block.
    Call(FuncId, BlockId),
    /// Where it ends.
    Exit(FuncId),
}

impl Point {
    /// The procedure.
    pub fn func(self) -> FuncId {
        match self {
            Point::Entry(f) | Point::Head(f, _) | Point::Call(f, _) | Point::Exit(f) => f,
        }
    }
}

/// Which functions are procedures.
#[derive(Clone, Debug)]
pub struct Procedures {
    apart: FxHashSet<FuncId>,
    recursive: FxHashSet<FuncId>,
    taken: FxHashSet<VarId>,
    entry: FuncId,
    basic: bool,
}

/// A function of more blocks, with those that it calls, is not entered in place.
const LARGEST: usize = 120;

impl Procedures {
    /// Chooses them; with `basic`, every function with a body is one, cut at every block; with
    /// `all`, every one is, but not cut there.
    pub fn new(
        program: &Program,
        points_to: &PointsTo,
        calls: &CallGraph,
        entry: FuncId,
        basic: bool,
        all: bool,
    ) -> Procedures {
        let with_body = || {
            let all = program.funcs.enumerate();
            all.filter_map(|(id, f)| f.body.as_ref().map(|b| (id, b)))
        };
        let mut apart: FxHashSet<FuncId> = FxHashSet::default();
        apart.insert(entry);
        for (id, body) in with_body() {
            let flow = Flow::new(body);
            let loops = (0..body.blocks.len()).any(|b| !flow.loops[b].is_empty());
            if basic || all || loops || calls.is_recursive(id) {
                apart.insert(id);
            }
        }
        // Callees first, so that sizes and choices are known where they are asked for.
        let mut order: Vec<(FuncId, &Body)> = with_body().collect();
        order.sort_by_key(|(f, _)| (calls.component(*f), *f));
        let mut size: FxHashMap<FuncId, usize> = FxHashMap::default();
        for (func, body) in order {
            let mut total = body.blocks.len();
            for (id, block) in body.blocks.enumerate() {
                let Branch::Call { callee, .. } = &block.branch else {
                    continue;
                };
                for callee in points_to.callees(func, id, callee).0 {
                    let callee = program.defined(callee);
                    if apart.contains(&callee) {
                        apart.insert(func);
                    }
                    total += size.get(&callee).copied().unwrap_or(0);
                }
            }
            if total > LARGEST {
                apart.insert(func);
            }
            size.insert(func, total);
        }
        let recursive = program.funcs.ids().filter(|f| calls.is_recursive(*f));
        Procedures {
            apart,
            recursive: recursive.collect(),
            taken: program.address_taken(),
            entry,
            basic,
        }
    }
    /// Whether a function is a procedure.
    pub fn contains(&self, func: FuncId) -> bool {
        self.apart.contains(&func)
    }
    /// Whether a local variable has several instances that pointers may lead to.
    pub(crate) fn is_several(&self, func: FuncId, v: VarId) -> bool {
        self.recursive.contains(&func) && self.taken.contains(&v)
    }
    /// Whether the code takes the address of a variable.
    pub(crate) fn is_taken(&self, v: VarId) -> bool {
        self.taken.contains(&v)
    }
    /// Whether procedures are cut at every block.
    pub(crate) fn is_cut_everywhere(&self) -> bool {
        self.basic
    }
    /// Whether a procedure may be called several times in a run.
    pub(crate) fn is_called_often(&self, func: FuncId) -> bool {
        func != self.entry || self.recursive.contains(&func)
    }
}
