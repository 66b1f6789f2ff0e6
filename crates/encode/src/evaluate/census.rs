//! Questions about all allocated objects: is there one that was not freed, or that nothing leads to?

use crate::cursor::{Content, Cursor};
use crate::evaluate::Evaluator;
use crate::objects::{ContextId, OFFSET_BITS, ObjId, ObjectKind, Repr};
use cwolf_base::Idx;
use cwolf_cwi::graph::LiveRegisters;
use cwolf_cwi::{FuncId, MemoryTest, Origin, RESULT, RegId};
use cwolf_logic::{Sort, Term, Terms};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Mutex;

/// Objects that are followed one by one.
const MOST: usize = 48;

/// The live registers of functions that were asked for.
#[derive(Default)]
struct Registers(Mutex<FxHashMap<FuncId, LiveRegisters>>);

impl Evaluator<'_> {
    /// The answer. Where objects are not told apart, it may be no.
    pub(crate) fn census(&mut self, cur: &mut Cursor, test: MemoryTest) -> Term {
        let (objects, mut vague) = self.allocated();
        if vague || objects.len() > MOST || self.options.mode.procedures().is_some() {
            vague = true;
        }
        let mut all = Terms::TRUE;
        if objects.len() <= MOST {
            let alive: Vec<Term> = objects.iter().map(|o| self.lasts(cur, *o)).collect();
            let held = match test {
                MemoryTest::Cleaned => vec![Terms::FALSE; objects.len()],
                _ => self.reachable(cur, test, &objects, &alive),
            };
            for (alive, held) in alive.into_iter().zip(held) {
                let fine = self.terms.implies(alive, held);
                all = self.terms.and(all, fine);
            }
        }
        if vague {
            self.assume_text(
                "whether memory is lost is not followed where allocated objects are not told apart",
            );
            let any = self.terms.fresh("tracked", Sort::Bool);
            all = self.terms.and(all, any);
        }
        all
    }

    /// The allocated objects that count, and whether there may be others.
    fn allocated(&self) -> (Vec<ObjId>, bool) {
        let mut found = Vec::new();
        let mut vague = false;
        for (n, info) in self.objects.iter().enumerate() {
            let ObjectKind::Heap(context, ..) = info.kind else {
                continue;
            };
            if info.on_stack {
                continue;
            }
            let func = self.contexts[context.index()].func;
            match self.program.funcs[func].origin {
                // Either a handle, or what a function makes whose code is not known.
                Origin::Stub | Origin::Approximation => {
                    let makes = |row: &cwolf_known::Row| {
                        row.allocates().is_some() || row.ended().next().is_some()
                    };
                    vague |= self.row(func).is_none_or(makes);
                }
                _ if info.summary => vague = true,
                _ => found.push(ObjId::new(n)),
            }
        }
        (found, vague)
    }

    /// When each of the objects can be reached.
    fn reachable(
        &mut self,
        cur: &mut Cursor,
        test: MemoryTest,
        objects: &[ObjId],
        alive: &[Term],
    ) -> Vec<Term> {
        let number: FxHashMap<ObjId, usize> =
            objects.iter().enumerate().map(|(n, o)| (*o, n)).collect();
        let chain = match test {
            MemoryTest::Tracked => self.in_progress(cur),
            _ => Vec::new(),
        };
        let mut held = vec![Terms::FALSE; objects.len()];
        for n in 0..self.objects.len() {
            let root = match self.objects[n].kind {
                ObjectKind::Global(_) => true,
                ObjectKind::Local(context, _) | ObjectKind::VarArgs(context) => {
                    chain.iter().any(|(c, _)| *c == context)
                }
                ObjectKind::Heap(context, ..) => {
                    self.objects[n].on_stack && chain.iter().any(|(c, _)| *c == context)
                }
                _ => false,
            };
            if root {
                let there = self.lasts(cur, ObjId::new(n));
                self.leads(cur, ObjId::new(n), there, &number, &mut held);
            }
        }
        for (context, regs) in chain {
            for reg in regs {
                let Some(t) = self.held_in(cur, context, reg) else {
                    continue;
                };
                self.leads_to(t, Terms::TRUE, &number, &mut held);
            }
        }
        let mut edges = Vec::new();
        for object in objects {
            let mut to = vec![Terms::FALSE; objects.len()];
            self.leads(cur, *object, Terms::TRUE, &number, &mut to);
            edges.push(to);
        }
        // As long as something changes: no chain is longer than there are objects.
        for _ in 0..objects.len() {
            let before = held.clone();
            for (from, edges) in edges.iter().enumerate() {
                let here = self.terms.and(before[from], alive[from]);
                for (to, edge) in edges.iter().enumerate() {
                    let by = self.terms.and(here, *edge);
                    held[to] = self.terms.or(held[to], by);
                }
            }
            if held == before {
                break;
            }
        }
        held
    }

    /// The calls in progress, each with the registers that may still be read.
    fn in_progress(&self, cur: &Cursor) -> Vec<(ContextId, Vec<RegId>)> {
        let mut found = Vec::new();
        let first = self.registers(cur.context, |live, body| {
            live.before(body, cur.block, cur.index)
        });
        found.push((cur.context, first));
        let mut at = cur.context;
        while let Some((caller, block)) = self.contexts[at.index()].caller {
            let during =
                |live: &LiveRegisters, body: &cwolf_cwi::Body| live.during_call(body, block);
            found.push((caller, self.registers(caller, during)));
            at = caller;
        }
        found
    }

    fn registers(
        &self,
        context: ContextId,
        which: impl Fn(&LiveRegisters, &cwolf_cwi::Body) -> FxHashSet<RegId>,
    ) -> Vec<RegId> {
        let func = self.contexts[context.index()].func;
        let Some(body) = &self.program.funcs[func].body else {
            return Vec::new();
        };
        let known = self.analyses().analysis(|_| Registers::default());
        let mut known = known.0.lock().expect("nobody panics here");
        let live = known
            .entry(func)
            .or_insert_with(|| LiveRegisters::new(body));
        let mut regs: Vec<RegId> = which(live, body).into_iter().collect();
        regs.sort_unstable();
        regs
    }

    /// The pointer in a register, if it holds one.
    fn held_in(&mut self, cur: &Cursor, context: ContextId, reg: RegId) -> Option<Term> {
        if reg == RESULT {
            return match &cur.result {
                Some((Content::Scalar(t), ty)) if self.program.types.pointee(*ty).is_some() => {
                    Some(*t)
                }
                _ => None,
            };
        }
        let func = self.contexts[context.index()].func;
        let ty = self.program.funcs[func].body.as_ref()?.regs[reg];
        self.program.types.pointee(ty)?;
        let cell = self.reg_cell(context, reg, ty);
        Some(self.content(&cur.state, cell))
    }

    /// Adds when the pointers in an object lead to each of the others.
    fn leads(
        &mut self,
        cur: &Cursor,
        from: ObjId,
        when: Term,
        number: &FxHashMap<ObjId, usize>,
        held: &mut [Term],
    ) {
        let Some(layout) = self.objects[from.index()].layout.clone() else {
            return;
        };
        for (leaf, cell) in layout.leaves.iter().zip(&layout.cells) {
            // What an array of pointers leads to is not followed: a proof cannot rest on it.
            if leaf.repr == Repr::Pointer && leaf.array.is_none() {
                let t = self.content(&cur.state, *cell);
                self.leads_to(t, when, number, held);
            }
        }
    }

    fn leads_to(
        &mut self,
        pointer: Term,
        when: Term,
        number: &FxHashMap<ObjId, usize>,
        held: &mut [Term],
    ) {
        let zero = self.terms.bv(OFFSET_BITS, 0);
        for target in self.targets(pointer, zero) {
            if let Some(&n) = number.get(&target.object) {
                let here = self.terms.and(when, target.guard);
                held[n] = self.terms.or(held[n], here);
            }
        }
    }
}
