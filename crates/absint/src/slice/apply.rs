//! A program without what cannot influence its events.

use super::{Leaf, Site, Slice};
use crate::map::{Cell, Event, LabelMap};
use cwolf_cwi::graph::{Analysed, Cfg};
use cwolf_cwi::{Branch, FuncId, Program, StmtKind};
use rustc_hash::FxHashMap;

impl Slice<'_> {
    /// The program without assignments that matter to no event and without calls of functions in which
    /// nothing matters and which surely return. Loops stay, so that what goes on for ever still
    /// does. None if rules look at lines: which line comes after which is not kept.
    pub fn apply(&self, program: &Analysed, labels: &LabelMap) -> Option<Program> {
        let lines = |event: &Event| matches!(event, Event::Exec(..));
        if labels.rules.iter().any(|r| lines(&r.event)) {
            return None;
        }
        let mut returns = Returns {
            program,
            known: FxHashMap::default(),
        };
        let matter = self.functions(program);
        let mut smaller = Program::clone(program);
        for func in &self.reached {
            let Some(body) = &mut smaller.funcs[*func].body else {
                continue;
            };
            for (block, code) in body.blocks.iter_mut().enumerate() {
                let block = cwolf_cwi::BlockId(block as u32);
                let count = code.stmts.len();
                let at = |index: usize| Site {
                    func: *func,
                    block,
                    index,
                };
                if let Branch::Call {
                    callee,
                    next: Some(next),
                    ..
                } = &code.branch
                    && !self.sites.contains(&at(count))
                {
                    let (targets, outside) = program.points_to().callees(*func, block, callee);
                    let idle = |f: &FuncId| {
                        program.funcs[*f].body.is_some()
                            && !matter.contains(f)
                            && returns.surely(*f)
                    };
                    if !outside && !targets.is_empty() && targets.iter().all(idle) {
                        code.branch = Branch::Goto(*next);
                    }
                }
                let mut index = 0;
                code.stmts.retain(|stmt| {
                    let here = at(index);
                    index += 1;
                    let stores = matches!(stmt.kind, StmtKind::Assign(..) | StmtKind::SetReg(..));
                    !stores || self.sites.contains(&here)
                });
            }
        }
        Some(smaller)
    }
    /// The functions in which something matters, and those that call them.
    fn functions(&self, program: &Analysed) -> rustc_hash::FxHashSet<FuncId> {
        let mut found: rustc_hash::FxHashSet<FuncId> = self.sites.iter().map(|s| s.func).collect();
        let mut work: Vec<FuncId> = found.iter().copied().collect();
        while let Some(func) = work.pop() {
            for caller in program.calls().callers(func) {
                if found.insert(*caller) {
                    work.push(*caller);
                }
            }
        }
        found
    }
    /// Whether a cell of a map matters.
    pub fn keeps(&mut self, cell: &Cell) -> bool {
        let leaves = self.leaves.variable(cell.var);
        leaves.into_iter().any(|leaf| {
            let here = match self.leaves.get(leaf) {
                Leaf::Cell(var, path) => self.leaves.is_at(*var, path, cell.bit_offset),
                _ => false,
            };
            here && self.relevant.contains(leaf)
        })
    }
}

/// Which functions surely return: they have no loops, and call only such.
struct Returns<'p> {
    program: &'p Analysed,
    known: FxHashMap<FuncId, bool>,
}

impl Returns<'_> {
    fn surely(&mut self, func: FuncId) -> bool {
        if let Some(known) = self.known.get(&func) {
            return *known;
        }
        // A function that calls itself does not surely return.
        self.known.insert(func, false);
        let function = &self.program.funcs[func];
        let found = match &function.body {
            None => !function.noreturn,
            Some(body) => {
                Cfg::new(body).retreating_edges().is_empty()
                    && body
                        .blocks
                        .enumerate()
                        .all(|(block, code)| match &code.branch {
                            Branch::Call { callee, next, .. } => {
                                let points_to = self.program.points_to();
                                let (targets, _) = points_to.callees(func, block, callee);
                                next.is_some() && targets.into_iter().all(|f| self.surely(f))
                            }
                            Branch::Halt(_) | Branch::Unreachable(_) => false,
                            _ => true,
                        })
            }
        };
        self.known.insert(func, found);
        found
    }
}
