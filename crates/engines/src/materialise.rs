//! Memory that was never written, lies outside the program or was changed by code outside, as an
//! engine's run reads it. The engine says what it read through pointers and from variables that code
//! outside may change, in order; where the interpreter is about to read the same and the program
//! wrote nothing there, that is what lies there.

use crate::{Load, Site};
use cwolf_cwi::graph::shared_with_outside;
use cwolf_cwi::value::{self, Value};
use cwolf_cwi::{
    Base, BinOp, Branch, Callee, Expr, ExprKind, Place, Program, Step, StmtKind, Type, TypeId,
    VarId,
};
use cwolf_interp::{At, OUTSIDE, OUTSIDE_SIZE, OUTSIDE_STEP, View};
use rustc_hash::FxHashSet;
use std::collections::VecDeque;
use std::ops::ControlFlow;

/// What a run reads through pointers where the program leaves open what lies there.
#[derive(Clone, Debug)]
pub struct Reads {
    /// What an engine read, in order.
    pub values: Vec<Load>,
    /// Which pointers lead to places of their own outside the program instead.
    pub lead_outside: Lead,
    /// Instead of all this: what was found at addresses in an earlier run of the same program, in
    /// order.
    pub settled: Vec<(u64, Vec<u8>)>,
}

/// Which pointers that a run reads lead to places of their own. An engine reads memory outside
/// anew each time, so that its pointers may meet where they cannot; and where C makes pointers of
/// numbers, it chooses numbers that lead nowhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lead {
    /// None.
    Nowhere,
    /// Those that are not null, and numbers as wide as pointers.
    Pointers,
    /// The null ones too.
    All,
}

/// What is read, in order.
pub struct Materialiser {
    /// Variables that code outside may change.
    shared: FxHashSet<VarId>,
    reads: VecDeque<Load>,
    settled: Vec<(u64, Vec<u8>)>,
    lead_outside: Lead,
    /// Places outside that were given away, from the last one down.
    given: u64,
    /// Reads of the step that is about to run that were looked at.
    done: usize,
}

/// Ends the walk at a read that was not looked at yet.
type Walked<'e> = ControlFlow<&'e Place>;

impl Materialiser {
    /// A materialiser for a run of a program.
    pub fn new(program: &Program, reads: Reads) -> Materialiser {
        Materialiser {
            shared: shared_with_outside(program),
            reads: reads.values.into(),
            settled: reads.settled,
            lead_outside: reads.lead_outside,
            given: 0,
            done: 0,
        }
    }

    /// The step is made.
    pub fn stepped(&mut self) {
        self.done = 0;
    }

    /// What lies in memory that the step at `at` is about to read, and where.
    pub fn settle(&mut self, at: At, view: &View<'_, '_>) -> Option<(u64, Vec<u8>)> {
        loop {
            let mut walk = Walk {
                view,
                shared: &self.shared,
                skip: self.done,
            };
            let ControlFlow::Break(place) = walk.step(at) else {
                return None;
            };
            self.done += 1;
            if !self.settled.is_empty() {
                if let Some(found) = self.known(place, view) {
                    return Some(found);
                }
                continue;
            }
            let read = match self.reads.pop_front()? {
                Load::Value(value) => Some(value),
                Load::Into(site, offset) => address(view, site, offset),
                Load::Elsewhere => None,
            };
            let value = match self.lead_outside {
                Lead::Nowhere => read,
                _ => self.led_outside(view, place.ty, read),
            };
            let Some((addr, bit)) = view.locate(place) else {
                continue;
            };
            let size = view.program().types.size_of(place.ty);
            if view.bytes(addr, size).is_some() {
                continue;
            }
            let bytes = value.filter(|_| bit.is_none());
            let bytes = bytes.and_then(|value| encode(view, place.ty, value));
            // The address of an object is what lay there before, or nobody can tell.
            let bytes = bytes.or_else(|| Some(view.stored(addr, size)?.to_vec()));
            if let Some(bytes) = bytes {
                return Some((addr, bytes));
            }
        }
    }
}

impl Materialiser {
    /// What an earlier run found at a place that nothing was written to.
    fn known(&mut self, place: &Place, view: &View<'_, '_>) -> Option<(u64, Vec<u8>)> {
        let (addr, None) = view.locate(place)? else {
            return None;
        };
        let n = self.settled.iter().position(|(at, _)| *at == addr)?;
        let open = view.bytes(addr, self.settled[n].1.len() as u64).is_none();
        open.then(|| self.settled.remove(n))
    }

    fn led_outside(
        &mut self,
        view: &View<'_, '_>,
        ty: TypeId,
        value: Option<Value>,
    ) -> Option<Value> {
        let types = &view.program().types;
        let wide = types.size_of(ty) == types.target().pointer_size();
        let number = wide && matches!(types[ty], Type::Int(_));
        let null = value == Some(Value::Int(0)) && self.lead_outside != Lead::All;
        let pointer = types.pointee(ty).is_some() && !null;
        if !number && !pointer {
            return value;
        }
        self.given = (self.given + 1) % (OUTSIDE_SIZE / OUTSIDE_STEP);
        let place = OUTSIDE + OUTSIDE_SIZE - OUTSIDE_STEP * (self.given + 1);
        view.outside(place).map(|place| Value::Int(place.into()))
    }
}

/// So many bytes after the start of an object, as an address of the run.
pub fn address(view: &View<'_, '_>, site: Site, offset: i64) -> Option<Value> {
    let start = match site {
        Site::Var(var) => view.find(var),
        Site::Heap(loc) => view.find_allocated(loc),
        Site::Func(func) => Some(view.function(func)),
    };
    start.map(|start| Value::Int(i128::from(start) + i128::from(offset)))
}

fn encode(view: &View<'_, '_>, ty: TypeId, value: Value) -> Option<Vec<u8>> {
    let types = &view.program().types;
    let Value::Int(mut number) = value else {
        return None;
    };
    match types[ty] {
        Type::Pointer(_) => {
            let place = view.outside(number as u64);
            number = place.map_or(number, i128::from);
        }
        Type::Int(_) | Type::Bool => {}
        _ => return None,
    }
    let size = types.size_of(ty) as usize;
    (size <= 16).then(|| types.target().bytes(number as u128, size))
}

/// Finds reads through pointers in the order in which engines evaluate.
struct Walk<'v, 'a, 'p> {
    view: &'v View<'a, 'p>,
    shared: &'v FxHashSet<VarId>,
    skip: usize,
}

impl<'p> Walk<'_, '_, 'p> {
    fn step(&mut self, at: At) -> Walked<'p> {
        let body = self.view.program().funcs[at.func].body.as_ref();
        let Some(block) = body.map(|b| &b.blocks[at.block]) else {
            return ControlFlow::Continue(());
        };
        if let Some(stmt) = block.stmts.get(at.index) {
            return match &stmt.kind {
                StmtKind::Assign(place, value) => {
                    self.expr(value)?;
                    self.place(place)
                }
                StmtKind::SetReg(_, value) => self.expr(value),
                StmtKind::Assert { cond: e, .. } | StmtKind::Assume(e) => self.expr(e),
                StmtKind::Havoc { ptr, size } => {
                    self.expr(ptr)?;
                    size.iter().try_for_each(|e| self.expr(e))
                }
                StmtKind::Live(_) | StmtKind::Dead(_) => ControlFlow::Continue(()),
            };
        }
        match &block.branch {
            Branch::If { cond: e, .. }
            | Branch::Switch { on: e, .. }
            | Branch::Return(Some(e))
            | Branch::Halt(e) => self.expr(e),
            Branch::Call { callee, args, .. } => {
                if let Callee::Indirect(e) = callee {
                    self.expr(e)?;
                }
                args.iter().try_for_each(|arg| self.expr(arg))
            }
            Branch::Goto(_) | Branch::Return(None) | Branch::Unreachable(_) => {
                ControlFlow::Continue(())
            }
        }
    }

    /// Indices first, then the pointer.
    fn place(&mut self, place: &'p Place) -> Walked<'p> {
        for step in &place.path {
            if let Step::Index(index) = step {
                self.expr(index)?;
            }
        }
        match &place.base {
            Base::Deref(pointer) => self.expr(pointer),
            Base::Var(_) => ControlFlow::Continue(()),
        }
    }

    fn expr(&mut self, e: &'p Expr) -> Walked<'p> {
        let types = &self.view.program().types;
        match &e.kind {
            ExprKind::Load { place, .. } => {
                self.place(place)?;
                let open = match &place.base {
                    Base::Deref(_) => true,
                    Base::Var(var) => self.shared.contains(var),
                };
                if !open || !types.is_scalar(place.ty) {
                    return ControlFlow::Continue(());
                }
                match self.skip {
                    0 => ControlFlow::Break(place),
                    _ => {
                        self.skip -= 1;
                        ControlFlow::Continue(())
                    }
                }
            }
            ExprKind::AddrOf(place) => self.place(place),
            ExprKind::Binary(op, a, b) if op.is_logical() => {
                self.expr(a)?;
                let left = self.view.eval(a);
                match left.map(|v| value::is_true(types, a.ty, v)) {
                    Some(holds) if holds != (*op == BinOp::And) => ControlFlow::Continue(()),
                    _ => self.expr(b),
                }
            }
            ExprKind::Binary(_, a, b) => {
                self.expr(a)?;
                self.expr(b)
            }
            ExprKind::Unary(_, a) | ExprKind::Cast(a) => self.expr(a),
            ExprKind::Memory(_, args) => args.iter().try_for_each(|e| self.expr(e)),
            ExprKind::Fits(e) => match &e.kind {
                ExprKind::Binary(_, a, b) => {
                    self.expr(a)?;
                    self.expr(b)
                }
                _ => self.expr(e),
            },
            ExprKind::PtrAdd { ptr, index, .. } => {
                self.expr(ptr)?;
                self.expr(index)
            }
            ExprKind::PtrDiff { left, right, .. } => {
                self.expr(left)?;
                self.expr(right)
            }
            ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::Zero
            | ExprKind::Choose
            | ExprKind::Reg(_)
            | ExprKind::FuncAddr(_)
            | ExprKind::VarArgs => ControlFlow::Continue(()),
        }
    }
}
