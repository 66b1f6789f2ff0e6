//! Which branches decide something: whether an event comes, whether the program, a loop or a recursion of it ends, or what
//! is written to cells that are read again. The values of default pointers that only other branches look at do
//! not tell states apart.
//!
//! A block *matters* if one of these things happens in it. The branches that decide whether control comes to it
//! are its control dependences, in its function and at all calls of that. What is read again depends on which
//! branches decide, so both grow together.

use super::{Analysis, uses};
use crate::machine::{ends_program, shows_events};
use crate::map::{Event, LabelMap};
use crate::slice::{Dependence, ends};
use cwolf_base::{Idx, strong_components};
use cwolf_cwi::graph::{CallGraph, PointsTo};
use cwolf_cwi::{BlockId, Body, Branch, FuncId, LocId, Program, Unreachable};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;

/// Blocks that matter, and branches that decide.
pub(super) struct Deciding {
    /// Whether all branches do: nothing is shown, so the way that control takes is all there is.
    all: bool,
    /// Found while uses were looked at.
    found: RefCell<FxHashSet<uses::At>>,
    matter: FxHashSet<uses::At>,
    branches: FxHashSet<uses::At>,
    dependence: FxHashMap<FuncId, Dependence>,
    callers: FxHashMap<FuncId, Vec<uses::At>>,
}

impl Deciding {
    pub fn new(
        program: &Program,
        (calls, points_to): (&CallGraph, &PointsTo),
        labels: &LabelMap,
    ) -> Deciding {
        let mut deciding = Deciding {
            all: labels.rules.is_empty() && !shows_events(program),
            found: RefCell::default(),
            matter: FxHashSet::default(),
            branches: FxHashSet::default(),
            dependence: FxHashMap::default(),
            callers: FxHashMap::default(),
        };
        if deciding.all {
            return deciding;
        }
        let mut targets: FxHashMap<uses::At, Vec<FuncId>> = FxHashMap::default();
        for (func, f) in program.funcs.enumerate() {
            for (block, code) in f.body.iter().flat_map(|b| b.blocks.enumerate()) {
                if let Branch::Call { callee, .. } = &code.branch {
                    let found = points_to.callees(func, block, callee).0;
                    for target in &found {
                        let list = deciding.callers.entry(*target).or_default();
                        list.push((func, block));
                    }
                    targets.insert((func, block), found);
                }
            }
        }
        let called = |at: uses::At| targets.get(&at).map_or(&[][..], |list| &list[..]);
        let ends = ends(program, &|at| called(at).to_vec());
        for (func, f) in program.funcs.enumerate() {
            let Some(body) = &f.body else { continue };
            let may_end = |block| called((func, block)).iter().any(|f| ends[*f]);
            deciding
                .dependence
                .insert(func, Dependence::new(body, may_end));
            for block in body.blocks.ids() {
                let at = (func, block);
                // How deep functions call themselves is whether the run comes to an end.
                let inside = |f: &FuncId| calls.is_recursive(func) && calls.is_recursive(*f);
                if is_event(program, labels, at, called(at)) || called(at).iter().any(inside) {
                    deciding.found.borrow_mut().insert(at);
                }
            }
            // Models of library functions return.
            if !program.locations.is_library(f.loc) {
                let exits = loop_exits(body);
                let exits = exits.into_iter().map(|block| (func, block));
                exits.for_each(|at| deciding.decides(at));
            }
        }
        deciding
    }
    fn decides(&mut self, at: uses::At) {
        if self.branches.insert(at) {
            self.found.borrow_mut().insert(at);
        }
    }
    /// Takes in what was found; whether that was anything new.
    pub fn grow(&mut self) -> bool {
        if self.all {
            return false;
        }
        let mut grown = false;
        loop {
            let found: Vec<uses::At> = self.found.borrow_mut().drain().collect();
            let new: Vec<uses::At> = (found.into_iter())
                .filter(|at| self.matter.insert(*at))
                .collect();
            if new.is_empty() {
                return grown;
            }
            grown = true;
            for (func, block) in new {
                let calls = self.callers.get(&func).cloned().unwrap_or_default();
                self.found.borrow_mut().extend(calls);
                let on: Vec<BlockId> = self.dependence[&func].of(block).to_vec();
                on.into_iter().for_each(|b| self.decides((func, b)));
            }
        }
    }
}

impl Analysis<'_> {
    /// Something that counts happens in a block.
    pub(super) fn matters(&self, at: uses::At) {
        if !self.deciding.all {
            self.deciding.found.borrow_mut().insert(at);
        }
    }
    /// Whether the branch of a block decides something.
    pub(super) fn is_deciding(&self, at: uses::At) -> bool {
        self.deciding.all || self.deciding.branches.contains(&at)
    }
}

/// Whether something is seen in a block, or the run may end there. Reads and writes that are seen are found
/// with the uses.
fn is_event(
    program: &Program,
    labels: &LabelMap,
    (func, block): uses::At,
    targets: &[FuncId],
) -> bool {
    let body = program.funcs[func].body.as_ref();
    let code = &body.expect("it has blocks").blocks[block];
    if matches!(
        code.branch,
        Branch::Halt(_) | Branch::Unreachable(Unreachable::Trap)
    ) {
        return true;
    }
    let stops = |f: &FuncId| {
        let function = &program.funcs[*f];
        let row = program.known(*f);
        let acts = row.is_some_and(|r| r.is_event() || r.assumes().is_some());
        function.body.is_none() && (acts || function.noreturn || ends_program(program, *f))
    };
    if targets.iter().any(stops) {
        return true;
    }
    let is_at = |loc: LocId, files: &[cwolf_cwi::FileId], line: u32| {
        let loc = program.locations[loc];
        loc.line == line && files.contains(&loc.file)
    };
    labels.rules.iter().any(|rule| match &rule.event {
        Event::Call(funcs) => targets.iter().any(|t| funcs.contains(t)),
        Event::Return(funcs) => match &code.branch {
            Branch::Return(_) => funcs.contains(&func),
            _ => {
                let outside = |t: &FuncId| program.funcs[*t].body.is_none();
                targets.iter().any(|t| funcs.contains(t) && outside(t))
            }
        },
        Event::Exec(files, line) => {
            let mut locs = code.stmts.iter().map(|s| s.loc).chain([code.loc]);
            locs.any(|loc| is_at(loc, files, *line))
        }
        _ => false,
    })
}

/// The blocks with a branch out of a loop.
fn loop_exits(body: &Body) -> Vec<BlockId> {
    let next: Vec<Vec<u32>> = (body.blocks.iter())
        .map(|b| b.branch.successors().iter().map(|b| b.0).collect())
        .collect();
    let component = strong_components(next.len(), |n| &next[n][..]);
    let inside = |n: usize, m: u32| component[n] == component[m as usize];
    (0..next.len())
        .filter(|n| {
            let targets = &next[*n];
            targets.iter().any(|m| inside(*n, *m)) && targets.iter().any(|m| !inside(*n, *m))
        })
        .map(BlockId::new)
        .collect()
}
