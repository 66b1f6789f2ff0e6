//! One block.

use crate::cursor::{Content, Cursor};
use crate::objects::ObjectKind;
use crate::region::{Cut, Exit};
use crate::walk::frame::Frame;
use crate::walk::{Encoder, Feasible, Item, Walk};
use cwolf_base::{Exhausted, Idx};
use cwolf_cwi::{Branch, FuncId, RESULT, StmtKind};
use cwolf_logic::Terms;

impl Encoder<'_> {
    /// Encodes one block.
    pub(super) fn visit(
        &mut self,
        walk: &mut Walk,
        item: Item,
        first: bool,
        feasible: Feasible<'_>,
    ) -> Result<(), Exhausted> {
        let frame = item.frames.last().expect("a call in progress").clone();
        let func = self.contexts[frame.context.index()].func;
        let program = self.program;
        let body = program.funcs[func].body.as_ref().expect("a body");
        let flow = self.flow(func);
        let head = flow.is_head(frame.block);
        if !first && let Some(point) = self.stops_before(&item.frames, head) {
            self.end_at(point, item);
            return Ok(());
        }
        if head && !self.options.mode.unrolls() && !first {
            self.leave_at(
                Cut {
                    context: frame.context,
                    block: frame.block,
                },
                item,
            );
            return Ok(());
        }
        if head && self.options.mode.unrolls() && frame.rounds.last() != Some(&0) {
            let round = *frame.rounds.last().expect("a loop");
            let open = *frame.open.last().expect("a loop");
            let head = (func, frame.block);
            let (most, why) = self.most.within(walk.bounds.rounds, Some(head));
            let over = open > most || round > walk.bounds.known_rounds;
            let over = over && !self.follows(func);
            if frame.opened && !self.follows(func) && !feasible(&self.terms, item.guard)? {
                return Ok(());
            }
            if over {
                self.out.incomplete.push((item.guard, why));
                return Ok(());
            }
        }
        let block = &body.blocks[frame.block];
        let mut cur = Cursor {
            guard: item.guard,
            state: item.state,
            context: frame.context,
            block: frame.block,
            index: 0,
            loc: block.stmts.first().map_or(block.loc, |s| s.loc),
            result: item.result,
        };
        let at_branch = std::mem::take(&mut walk.at_branch);
        let stmts = match at_branch {
            true => &[],
            false => block.stmts.as_slice(),
        };
        self.out.steps.push((cur.guard, cur.loc));
        self.come_to(func, &cur);
        for (n, stmt) in stmts.iter().enumerate() {
            if cur.guard == Terms::FALSE {
                return Ok(());
            }
            cur.index = n;
            cur.loc = stmt.loc;
            if self.ends_at(&mut cur, func, n) {
                return Ok(());
            }
            match &stmt.kind {
                StmtKind::Assign(place, e) => {
                    let value = self.eval_any(&mut cur, e);
                    self.write(&mut cur, place, value);
                }
                StmtKind::SetReg(reg, e) => {
                    let value = self.eval(&mut cur, e);
                    if *reg == RESULT {
                        cur.result = Some((Content::Scalar(value), e.ty));
                    } else {
                        let value = self.memory_form(e.ty, value);
                        let cell = self.reg_cell(cur.context, *reg, body.regs[*reg]);
                        cur.state.set(cell, value);
                    }
                }
                StmtKind::Live(v) => {
                    let in_loop = frame.is_in_loop();
                    self.begin_in_block(&mut cur, *v, in_loop);
                    let object = self.object(ObjectKind::Local(cur.context, *v));
                    self.undefine(&mut cur.state, object);
                }
                StmtKind::Dead(v) => {
                    let object = self.object(ObjectKind::Local(cur.context, *v));
                    self.end_life(&mut cur.state, object);
                }
                StmtKind::Assert { check, cond } => self.assert(&mut cur, *check, cond),
                StmtKind::Assume(cond) => self.assume(&mut cur, cond),
                StmtKind::Havoc { ptr, size } => {
                    let p = self.eval(&mut cur, ptr);
                    match size {
                        Some(size) => {
                            let size = self.eval(&mut cur, size);
                            self.havoc_bytes(&mut cur, p, size);
                        }
                        None if ptr.is_null() => self.havoc_known(&mut cur),
                        None => self.havoc(&mut cur, p),
                    }
                }
            }
        }
        cur.index = block.stmts.len();
        cur.loc = block.loc;
        if self.ends_at(&mut cur, func, block.stmts.len()) {
            return Ok(());
        }
        if !at_branch && let Some(point) = self.stops_after(&item.frames, &block.branch) {
            let item = Item {
                frames: item.frames,
                guard: cur.guard,
                state: cur.state,
                result: cur.result,
            };
            self.end_at(point, item);
            return Ok(());
        }
        self.branch(walk, item.frames, cur, &block.branch, func)
    }

    fn leave_at(&mut self, to: Cut, item: Item) {
        match self.out.exits.iter().position(|e| e.to == to) {
            None => self.out.exits.push(Exit {
                to,
                guard: item.guard,
                state: item.state,
            }),
            Some(n) => {
                let other = self.out.exits.remove(n);
                let frames = Vec::new();
                let known = Item {
                    frames: frames.clone(),
                    guard: other.guard,
                    state: other.state,
                    result: None,
                };
                let new = Item {
                    frames,
                    result: None,
                    ..item
                };
                let merged = self.merge(known, new);
                self.out.exits.push(Exit {
                    to,
                    guard: merged.guard,
                    state: merged.state,
                });
            }
        }
    }

    fn branch(
        &mut self,
        walk: &mut Walk,
        frames: Vec<Frame>,
        mut cur: Cursor,
        branch: &Branch,
        func: FuncId,
    ) -> Result<(), Exhausted> {
        match branch {
            Branch::Goto(to) => self.go(walk, &frames, &cur, cur.guard, *to),
            Branch::If { cond, then, els } => {
                let c = self.condition(&mut cur, cond);
                let not = self.terms.not(c);
                let yes = self.terms.and(cur.guard, c);
                let no = self.terms.and(cur.guard, not);
                if then == els {
                    self.go(walk, &frames, &cur, cur.guard, *then);
                } else {
                    self.go(walk, &frames, &cur, yes, *then);
                    self.go(walk, &frames, &cur, no, *els);
                }
            }
            Branch::Switch { on, cases, default } => {
                let t = self.eval(&mut cur, on);
                let signed = self.program.types.as_int(on.ty).is_some_and(|i| i.signed);
                let bits = self.terms.width(t);
                let mut rest = cur.guard;
                for case in cases {
                    let lo = self.terms.bv(bits, case.lo as u128);
                    let hi = self.terms.bv(bits, case.hi as u128);
                    let hit = match case.lo == case.hi {
                        true => self.terms.eq(t, lo),
                        false if signed => {
                            let (a, b) = (self.terms.sle(lo, t), self.terms.sle(t, hi));
                            self.terms.and(a, b)
                        }
                        false => {
                            let (a, b) = (self.terms.ule(lo, t), self.terms.ule(t, hi));
                            self.terms.and(a, b)
                        }
                    };
                    let guard = self.terms.and(cur.guard, hit);
                    self.go(walk, &frames, &cur, guard, case.target);
                    let miss = self.terms.not(hit);
                    rest = self.terms.and(rest, miss);
                }
                self.go(walk, &frames, &cur, rest, *default);
            }
            Branch::Call {
                callee,
                args,
                ret,
                next,
            } => {
                self.call(walk, frames, cur, callee, args, *ret, *next)?;
            }
            Branch::Return(value) => {
                let result = value.as_ref().map(|e| (self.eval_any(&mut cur, e), e.ty));
                self.return_from(walk, frames, cur, func, result);
            }
            Branch::Halt(e) => {
                if self.program.types.is_scalar(e.ty) {
                    self.eval(&mut cur, e);
                }
            }
            Branch::Unreachable(_) => {}
        }
        Ok(())
    }
}
