//! Watching a run: a hook that is called before each statement and branch and can look at
//! variables. Without a hook the code has no trace instructions, so it costs nothing.

use crate::code::{Home, Scalar};
use crate::compile::{layout, scalar};
use crate::error::StackEntry;
use crate::machine::Machine;
use crate::memory::Kind;
use crate::oracle::{OUTSIDE, OUTSIDE_SIZE};
use crate::slow::{convert, decode, read_scalar};
use cwolf_cwi::value::{self, Value};
use cwolf_cwi::{
    Base, BlockId, Expr, ExprKind, FuncId, LocId, Place, Program, RegId, Step, StmtKind, Type,
    TypeId, VarId,
};
use std::io::Write;

/// Where a run is: before statement `index` of a block, or before its branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct At {
    /// The function.
    pub func: FuncId,
    /// The block.
    pub block: BlockId,
    /// The statement; as many as there are statements means the branch.
    pub index: usize,
    /// How many calls are under way; 1 in the entry function.
    pub depth: usize,
}

/// Called before each statement and branch.
pub trait Tracer {
    /// The run is at `at`; `view` looks at its variables.
    fn step(&mut self, at: At, view: &View<'_, '_>);
    /// Asked after each step: the number of the statement up to which it need not be called. A run goes much faster until then.
    fn asleep_until(&self) -> u64 {
        0
    }
    /// Whether it settles what memory holds that the program leaves open.
    fn settles(&self) -> bool {
        false
    }
    /// Bytes that memory which was never written holds from here on, and where. Asked before each
    /// step until there is nothing more to say.
    fn settle(&mut self, _at: At, _view: &View<'_, '_>) -> Option<(u64, Vec<u8>)> {
        None
    }
}

/// A look at a run.
pub struct View<'v, 'p> {
    pub(crate) machine: &'v Machine<'p>,
}

impl<'v, 'p> View<'v, 'p> {
    pub(crate) fn new(machine: &'v Machine<'p>) -> View<'v, 'p> {
        View { machine }
    }
    /// The program that runs.
    pub fn program(&self) -> &'p Program {
        self.machine.program
    }
    /// How many statements were run, up to the start of the block.
    pub fn statements(&self) -> u64 {
        self.machine.steps()
    }
    /// The calls under way, innermost first.
    pub fn calls(&self) -> Vec<StackEntry> {
        self.machine.calls()
    }
    /// The current value of a scalar variable: of the innermost call, static or global. None
    /// if it is not in scope, not scalar or indeterminate.
    pub fn var(&self, var: VarId) -> Option<Value> {
        let ty = self.program().vars.get(var)?.ty;
        self.load(&Place::var(ty, var))
    }
    /// The current value of a register of the innermost call. Register 0 needs the type that
    /// it is read as.
    pub fn reg(&self, reg: RegId, ty: TypeId) -> Option<Value> {
        let frame = self.machine.frames.last()?;
        self.slot(frame.code.reg(reg)?, ty)
    }
    fn slot(&self, slot: u32, ty: TypeId) -> Option<Value> {
        let frame = self.machine.frames.last()?;
        if self.machine.is_tainted(slot) {
            return None;
        }
        let kind = scalar(&self.program().types, ty)?;
        let slots = &self.machine.stack[frame.base as usize..];
        Some(read_scalar(slots, slot, kind))
    }
    /// The address of a variable that is in memory.
    pub fn address(&self, var: VarId) -> Option<u64> {
        let frame = self.machine.frames.last()?;
        match frame.code.homes.get(&var) {
            Some(Home::Slot(_)) => None,
            Some(Home::Frame(object)) => {
                let slot = frame.code.objects[*object as usize].slot;
                Some(self.machine.slot(slot)).filter(|addr| *addr != 0)
            }
            None if self.program().vars.get(var)?.kind.is_automatic() => None,
            None => Some(self.machine.memory.address(self.machine.global(var))),
        }
    }
    /// The address of a variable that is in memory: of the innermost call that has it.
    pub fn find(&self, var: VarId) -> Option<u64> {
        if !self.program().vars.get(var)?.kind.is_automatic() {
            return self.address(var);
        }
        self.machine.frames.iter().rev().find_map(|frame| {
            let Some(Home::Frame(object)) = frame.code.homes.get(&var) else {
                return None;
            };
            let slot = frame.code.objects[*object as usize].slot;
            let addr = self.machine.stack[frame.base as usize + slot as usize];
            (addr != 0).then_some(addr)
        })
    }
    /// The address of a function.
    pub fn function(&self, func: FuncId) -> u64 {
        self.machine.function_address(func)
    }
    /// The address of the last object that a call at a place allocated and that still lives.
    pub fn find_allocated(&self, loc: LocId) -> Option<u64> {
        let memory = &self.machine.memory;
        memory.newest_born(loc).map(|id| memory.address(id))
    }
    /// The address of a pointer to outside the program ([`crate::OUTSIDE`]), as oracles choose it.
    pub fn outside(&self, chosen: u64) -> Option<u64> {
        let inside = (OUTSIDE..OUTSIDE + OUTSIDE_SIZE).contains(&chosen);
        let base = self.machine.outside_base().filter(|_| inside)?;
        Some(chosen - OUTSIDE + base)
    }
    /// Where the object at an address starts, and its size.
    pub fn object(&self, addr: u64) -> Option<(u64, u64)> {
        let memory = &self.machine.memory;
        let id = memory.object_at(addr)?;
        Some((memory.address(id), memory.info[id as usize].size))
    }
    /// Where the library keeps `errno`, if anybody used it yet.
    pub fn errno(&self) -> Option<u64> {
        self.machine.library.objects.get("errno").copied()
    }
    /// What a person calls the object at an address.
    pub fn name_of(&self, addr: u64) -> Option<String> {
        let id = self.machine.memory.object_at(addr)?;
        Some(self.machine.name(id))
    }
    /// The variable that lies at an address, and how far into it that is.
    pub fn variable_at(&self, addr: u64) -> Option<(VarId, u64)> {
        let memory = &self.machine.memory;
        let id = memory.object_at(addr)?;
        match memory.info[id as usize].kind {
            Kind::Var(var) => Some((var, addr - memory.address(id))),
            _ => None,
        }
    }
    /// The objects that code outside the program may change when it is given an address, or, without one,
    /// by what it was given before: where each starts, and its size.
    pub fn reached(&self, addr: Option<u64>) -> Vec<(u64, u64)> {
        let machine = self.machine;
        let found = match addr {
            Some(addr) => machine.reached(&[addr]),
            None => machine.reached(&machine.given),
        };
        let object = |id| {
            let memory = &machine.memory;
            (memory.address(id), memory.info[id as usize].size)
        };
        found.into_iter().map(object).collect()
    }
    /// The bytes at an address, whether anything was written there or not; none if they cannot be read.
    pub fn stored(&self, addr: u64, len: u64) -> Option<&[u8]> {
        self.machine.memory.bytes(addr, len).ok()
    }
    /// The bytes at an address; none if they are not all readable and written.
    pub fn bytes(&self, addr: u64, len: u64) -> Option<&[u8]> {
        self.machine.memory.written_bytes(addr, len).ok()
    }
    /// What a scalar place holds.
    pub fn load(&self, place: &Place) -> Option<Value> {
        if let Some(var) = place.as_var()
            && let Some(Home::Slot(slot)) = self.machine.frames.last()?.code.homes.get(&var)
        {
            return self.slot(*slot, place.ty);
        }
        let (addr, bits) = self.locate(place)?;
        let layout = layout(&self.program().types, place.ty, bits);
        scalar(&self.program().types, place.ty)?;
        Some(decode(&layout, self.bytes(addr, layout.bytes.into())?))
    }
    /// The address of a place and, for a bit-field, its offset in that byte.
    pub fn locate(&self, place: &Place) -> Option<(u64, Option<u8>)> {
        let types = &self.program().types;
        let (mut addr, mut ty) = match &place.base {
            Base::Var(var) => (self.address(*var)?, self.program().vars.get(*var)?.ty),
            Base::Deref(pointer) => {
                let Value::Int(addr) = self.eval(pointer)? else {
                    return None;
                };
                (addr as u64, types.pointee(pointer.ty)?)
            }
        };
        let mut bits = None;
        for step in &place.path {
            match (step, &types[ty]) {
                (Step::Field(n), Type::Record(record)) => {
                    let field = types.records[*record].fields.get(*n as usize)?;
                    addr = addr.wrapping_add(field.bit_offset / 8);
                    bits = field.bit_field.then_some((field.bit_offset % 8) as u8);
                    ty = field.ty;
                }
                (Step::Index(index), Type::Array { elem, .. }) => {
                    let Value::Int(n) = self.eval(index)? else {
                        return None;
                    };
                    let bytes = (n as u64).wrapping_mul(types.size_of(*elem));
                    addr = addr.wrapping_add(bytes);
                    ty = *elem;
                }
                _ => return None,
            }
        }
        Some((addr & self.machine.mask, bits))
    }
    /// The value of a scalar expression here; none if it traps, is indeterminate or unknown.
    pub fn eval(&self, expr: &Expr) -> Option<Value> {
        let types = &self.program().types;
        let mask = self.machine.mask;
        let word = |e: &Expr| match self.eval(e)? {
            Value::Int(v) => Some(v as u64),
            Value::Float(_) => None,
        };
        let pointer = |addr: u64| Some(Value::Int(i128::from(addr & mask)));
        match &expr.kind {
            ExprKind::Int(v) => Some(Value::Int(*v)),
            ExprKind::Float(bits) => Some(Value::Float(*bits)),
            ExprKind::Zero | ExprKind::Choose | ExprKind::VarArgs => None,
            ExprKind::Reg(reg) => self.reg(*reg, expr.ty),
            ExprKind::Load { place, .. } => self.load(place),
            ExprKind::AddrOf(place) => pointer(self.locate(place)?.0),
            ExprKind::FuncAddr(func) => pointer(self.machine.function_address(*func)),
            ExprKind::Unary(op, e) => Some(value::unary(types, *op, e.ty, self.eval(e)?)),
            ExprKind::Binary(op, a, b) => {
                let (x, y) = (self.eval(a)?, self.eval(b)?);
                if op.is_logical() {
                    let (x, y) = (
                        value::is_true(types, a.ty, x),
                        value::is_true(types, b.ty, y),
                    );
                    let both = *op == cwolf_cwi::BinOp::And;
                    let holds = if both { x && y } else { x || y };
                    return Some(Value::Int(holds.into()));
                }
                value::binary(types, *op, a.ty, x, y).ok()
            }
            ExprKind::Cast(e) => {
                let (from, to) = (scalar(types, e.ty)?, scalar(types, expr.ty)?);
                let boolean = matches!(types[expr.ty], Type::Bool);
                Some(convert(from, to, boolean, self.eval(e)?))
            }
            ExprKind::Memory(test, _) if test.is_census() => None,
            ExprKind::Memory(test, args) => {
                let mut words = [0; 3];
                for (to, arg) in words.iter_mut().zip(args) {
                    *to = word(arg)?;
                }
                let answer = self.machine.memory.answer(*test, words);
                Some(Value::Int(answer.into()))
            }
            ExprKind::Fits(e) => {
                let int = |e: &Expr| match self.eval(e)? {
                    Value::Int(v) => Some(v),
                    Value::Float(_) => None,
                };
                let ty = value::int_type(types, e.ty)?;
                let fits = match &e.kind {
                    ExprKind::Unary(op, a) => value::unary_fits(*op, ty, int(a)?),
                    ExprKind::Binary(op, a, b) => value::binary_fits(*op, ty, int(a)?, int(b)?),
                    _ => return None,
                };
                Some(Value::Int(fits.into()))
            }
            ExprKind::PtrAdd { ptr, index, scale } => {
                let bytes = word(index)?.wrapping_mul(*scale);
                pointer(word(ptr)?.wrapping_add(bytes))
            }
            ExprKind::PtrDiff { left, right, scale } => {
                let distance = word(left)?.wrapping_sub(word(right)?);
                let signed = self.program().target().word(true);
                let distance = value::wrap(signed, i128::from(distance));
                let Scalar::Int(ty) = scalar(types, expr.ty)? else {
                    return None;
                };
                let steps = distance / i128::from((*scale).max(1));
                Some(Value::Int(value::wrap(ty, steps)))
            }
        }
    }
    /// Where the run is in the source.
    pub fn loc(&self) -> Option<LocId> {
        self.machine.here()
    }
}

impl Machine<'_> {
    /// Calls the tracer.
    pub(crate) fn trace(&mut self, block: u32, index: u32) {
        let Some(mut tracer) = self.options.tracer.take() else {
            return;
        };
        let at = At {
            func: self.frames.last().expect("a frame").code.func,
            block: BlockId(block),
            index: index as usize,
            depth: self.frames.len(),
        };
        let settles = tracer.settles() && self.outside().is_ok();
        while settles && let Some((addr, bytes)) = tracer.settle(at, &View::new(self)) {
            // Only what is open may be settled; elsewhere the program itself has the say.
            if self.memory.is_unwritten(addr, bytes.len() as u64) {
                let _ = self.memory.store(addr, &bytes);
            }
        }
        tracer.step(at, &View::new(self));
        self.asleep_until = tracer.asleep_until();
        self.options.tracer = Some(tracer);
        self.set_alarm();
    }
}

/// Writes a line for each assignment: position, function, what, its new value.
pub struct TraceText<W> {
    out: W,
    last: Option<(At, LocId)>,
}

impl<W: Write> TraceText<W> {
    /// A trace to `out`.
    pub fn new(out: W) -> TraceText<W> {
        TraceText { out, last: None }
    }
    /// A trace to `out`, as [`crate::Options`] wants it.
    pub fn boxed<'o>(out: W) -> Box<dyn Tracer + 'o>
    where
        W: 'o,
    {
        Box::new(TraceText::new(out))
    }
    /// Writes what the statement before did, now that it is done.
    fn finish(&mut self, now: At, view: &View<'_, '_>) -> std::io::Result<()> {
        let Some((at, loc)) = self.last.take() else {
            return Ok(());
        };
        let program = view.program();
        let function = &program.funcs[at.func];
        let place = program.locations.describe(loc);
        let Some(body) = &function.body else {
            return Ok(());
        };
        let block = &body.blocks[at.block];
        let same = now.func == at.func && now.depth == at.depth;
        let Some(stmt) = block.stmts.get(at.index) else {
            let what = match &block.branch {
                cwolf_cwi::Branch::Call { .. } if now.depth > at.depth => {
                    format!("call {}", program.funcs[now.func].name)
                }
                cwolf_cwi::Branch::Call { .. } => "call".into(),
                cwolf_cwi::Branch::Return(_) => "return".into(),
                _ if same => format!("goto b{}", now.block.0),
                _ => return Ok(()),
            };
            return writeln!(self.out, "{place}: {}: {what}", function.name);
        };
        let (what, ty, value) = match &stmt.kind {
            StmtKind::Assign(to, _) => {
                let name = match (to.as_var(), to.root()) {
                    (Some(var), _) => program.vars[var].name.clone(),
                    (_, Some(var)) => format!("part of {}", program.vars[var].name),
                    _ => "memory".into(),
                };
                (name, to.ty, view.load(to))
            }
            StmtKind::SetReg(reg, value) => {
                (format!("r{}", reg.0), value.ty, view.reg(*reg, value.ty))
            }
            StmtKind::Live(var) => {
                let name = &program.vars[*var].name;
                return writeln!(self.out, "{place}: {}: {name} is undefined", function.name);
            }
            StmtKind::Dead(var) => {
                let name = &program.vars[*var].name;
                return writeln!(self.out, "{place}: {}: {name} ends", function.name);
            }
            StmtKind::Assert { check, .. } => {
                let text = &program.checks[*check].text;
                return writeln!(self.out, "{place}: {}: {text}: holds", function.name);
            }
            StmtKind::Assume(_) => {
                return writeln!(self.out, "{place}: {}: the assumption holds", function.name);
            }
            StmtKind::Havoc { .. } => {
                return writeln!(self.out, "{place}: {}: memory changes", function.name);
            }
        };
        let value = value.map_or("?".into(), |v| view.show(ty, v));
        writeln!(self.out, "{place}: {}: {what} = {value}", function.name)
    }
}

impl<W: Write> Tracer for TraceText<W> {
    fn step(&mut self, at: At, view: &View<'_, '_>) {
        // A trace that cannot be written must not change the run.
        let _ = self.finish(at, view);
        self.last = view.loc().map(|loc| (at, loc));
    }
}
