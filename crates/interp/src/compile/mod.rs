//! From CWI to bytecode, one function at a time, at its first call.

mod branch;
mod expr;
mod liveness;
mod place;

use crate::code::{Arg, Code, FrameObject, Home, Instr, Layout, Scalar, Slot, Slow, Source};
use crate::memory::{Memory, ObjId};
use cwolf_cwi::value;
use cwolf_cwi::{
    Base, Body, ExprKind, FuncId, Function, LocId, Place, Program, StmtKind, Type, TypeId, Types,
    VarId,
};
use liveness::Liveness;
use rustc_hash::{FxHashMap, FxHashSet};

/// A place in the code that jumps may name before it is known.
pub(crate) type Label = u32;

/// Deeper expressions than this are refused, so that no input overflows our own stack.
const MAX_DEPTH: u32 = 1500;

/// What stops compilation: a sentence about code that no front end should make.
pub(crate) type Refused = String;

/// What the compiler needs to know about the machine.
pub(crate) struct Context<'a> {
    pub program: &'a Program,
    pub memory: &'a Memory,
    /// Objects of variables that live for the whole run.
    pub globals: &'a [ObjId],
    /// Addresses of functions.
    pub functions: &'a [u64],
    /// Whether to call the tracer before each statement.
    pub trace: bool,
    /// Whether to look at what is compared for equality.
    pub unspecified_stops: bool,
}

/// The value of an expression: in a slot or known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Val {
    Slot(Slot),
    Const(u64),
    Wide(u128),
}

struct Compiler<'a> {
    cx: &'a Context<'a>,
    types: &'a Types,
    function: &'a Function,
    body: &'a Body,
    live: Liveness,
    instrs: Vec<Instr>,
    locs: Vec<LocId>,
    loc: LocId,
    /// First instruction of each label.
    labels: Vec<u32>,
    homes: FxHashMap<VarId, Home>,
    regs: Vec<Slot>,
    objects: Vec<FrameObject>,
    /// Frame objects that surely exist at this point of the block.
    ensured: FxHashSet<u32>,
    slow: Vec<Slow>,
    sites: Vec<crate::code::Site>,
    switches: Vec<crate::code::SwitchTable>,
    /// The next free scratch slot, and the most that were ever in use.
    scratch: Slot,
    high: Slot,
    depth: u32,
    cost: u32,
    mask: u64,
}

/// The scalar that values of `ty` are; none for aggregates.
pub(crate) fn scalar(types: &Types, ty: TypeId) -> Option<Scalar> {
    match types[ty] {
        Type::Float(f) => Some(Scalar::Float(f)),
        _ => value::int_type(types, ty).map(Scalar::Int),
    }
}

/// How a scalar of type `ty` lies in memory; `bits` is a bit-field's offset in its first byte.
pub(crate) fn layout(types: &Types, ty: TypeId, bits: Option<u8>) -> Layout {
    let scalar = scalar(types, ty).unwrap_or(Scalar::Int(crate::code::I32));
    let bytes = match (bits, scalar) {
        (Some(shift), Scalar::Int(int)) => (u32::from(shift) + u32::from(int.bits)).div_ceil(8),
        (_, Scalar::Float(f)) => value::float::encoded_size(f) as u32,
        _ => types.size_of(ty) as u32,
    };
    Layout {
        scalar,
        boolean: matches!(types[ty], Type::Bool),
        bytes: bytes as u8,
        shift: bits.unwrap_or(0),
        bit_field: bits.is_some(),
        machine: types.target(),
    }
}

/// The arguments' positions in a callee's frame.
pub(crate) fn arrange(types: &Types, tys: impl Iterator<Item = TypeId>) -> (Vec<Arg>, u32) {
    let mut at = 0;
    let args = tys
        .map(|ty| {
            let scalar = scalar(types, ty);
            let arg = Arg { at, ty, scalar };
            at += scalar.map_or(1, Scalar::slots);
            arg
        })
        .collect();
    (args, at)
}

/// Compiles a function that has a body.
pub(crate) fn compile(cx: &Context<'_>, func: FuncId) -> Result<Code, Refused> {
    let function = &cx.program.funcs[func];
    let body = function.body.as_ref().ok_or("no body")?;
    let mut missing = body.blocks.is_empty();
    for block in body.blocks.iter() {
        let check = |b: cwolf_cwi::BlockId| missing |= b.0 as usize >= body.blocks.len();
        block.branch.for_each_successor(check);
    }
    if missing {
        return Err("a jump to a block that does not exist".into());
    }
    let types = &cx.program.types;
    let var_ty = |v: &VarId| cx.program.vars[*v].ty;
    let (params, param_slots) = arrange(types, function.params.iter().map(var_ty));
    let in_memory = memory_vars(cx.program, function, body);
    let mut compiler = Compiler {
        cx,
        types,
        function,
        body,
        live: Liveness::default(),
        instrs: Vec::new(),
        locs: Vec::new(),
        loc: function.loc,
        labels: vec![u32::MAX; body.blocks.len()],
        homes: FxHashMap::default(),
        regs: Vec::new(),
        objects: Vec::new(),
        ensured: FxHashSet::default(),
        slow: Vec::new(),
        sites: Vec::new(),
        switches: Vec::new(),
        scratch: param_slots.max(2),
        high: 0,
        depth: 0,
        cost: 0,
        mask: types.target().most_address(),
    };
    compiler.arrange_frame(&params, &in_memory);
    let persistent = compiler.scratch;
    compiler.high = persistent;
    compiler.prologue(&params);
    for id in body.blocks.ids() {
        compiler.block(id)?;
    }
    let starts = compiler.labels[..body.blocks.len()].to_vec();
    compiler.resolve_labels()?;
    let ret = match &types[function.ty] {
        Type::Func(ty) => ty.ret,
        _ => Types::VOID,
    };
    Ok(Code {
        func,
        ret,
        instrs: compiler.instrs,
        locs: compiler.locs,
        slots: compiler.high + 4,
        result: compiler.regs[0],
        regs: compiler.regs,
        persistent,
        params,
        homes: compiler.homes,
        objects: compiler.objects,
        slow: compiler.slow,
        sites: compiler.sites,
        switches: compiler.switches,
        starts,
    })
}

/// Variables of the function that need an address or are used other than as whole scalars.
fn memory_vars(program: &Program, function: &Function, body: &Body) -> FxHashSet<VarId> {
    let mut found = FxHashSet::default();
    for var in function.params.iter().chain(&function.locals) {
        if !program.types.is_scalar(program.vars[*var].ty) {
            found.insert(*var);
        }
    }
    let odd = |place: &Place| {
        let var = place.root()?;
        let whole = place.path.is_empty() && place.ty == program.vars[var].ty;
        (!whole).then_some(var)
    };
    let mut visit = |e: &cwolf_cwi::Expr| match &e.kind {
        ExprKind::AddrOf(place) => found.extend(place.root()),
        ExprKind::Load { place, .. } => found.extend(odd(place)),
        _ => {}
    };
    let mut places = Vec::new();
    for block in body.blocks.iter() {
        for stmt in &block.stmts {
            match &stmt.kind {
                StmtKind::Assign(place, value) => {
                    place.for_each_operand(&mut |e| e.walk(&mut visit));
                    places.extend(odd(place));
                    value.walk(&mut visit);
                }
                other => other.for_each_expr(&mut |e| e.walk(&mut visit)),
            }
        }
        block.branch.for_each_expr(&mut |e| e.walk(&mut visit));
    }
    found.extend(places);
    found
}

impl Compiler<'_> {
    /// Gives each parameter, variable, register and frame object its slots.
    fn arrange_frame(&mut self, params: &[Arg], in_memory: &FxHashSet<VarId>) {
        for (var, arg) in self.function.params.iter().zip(params) {
            if !in_memory.contains(var) {
                self.homes.insert(*var, Home::Slot(arg.at));
            }
        }
        let mut tracked = Vec::new();
        for var in &self.function.locals {
            if !in_memory.contains(var) && !self.homes.contains_key(var) {
                let ty = self.cx.program.vars[*var].ty;
                let slots = scalar(self.types, ty).map_or(1, Scalar::slots);
                let slot = self.take(slots);
                self.homes.insert(*var, Home::Slot(slot));
                tracked.push(*var);
            }
        }
        self.live = liveness::liveness(self.body, &tracked);
        self.regs.push(self.scratch);
        self.scratch += 2;
        for ty in self.body.regs.iter().skip(1) {
            let slots = scalar(self.types, *ty).map_or(1, Scalar::slots);
            let slot = self.take(slots);
            self.regs.push(slot);
        }
        let vars = self.function.params.iter().chain(&self.function.locals);
        for var in vars {
            if in_memory.contains(var) && !self.homes.contains_key(var) {
                let declared = &self.cx.program.vars[*var];
                let size = self.types.size_of(declared.ty);
                let object = self.frame_object(Some(*var), size, declared.align);
                self.homes.insert(*var, Home::Frame(object));
            }
        }
        // Hidden temporaries for aggregates on their way to a call.
        for block in self.body.blocks.iter() {
            for ty in branch::aggregate_temporaries(self.types, &block.branch) {
                self.frame_object(None, self.types.size_of(ty), self.types.align_of(ty));
            }
        }
    }

    fn frame_object(&mut self, var: Option<VarId>, size: u64, align: u64) -> u32 {
        let slot = self.take(1);
        self.objects.push(FrameObject {
            var,
            size,
            align,
            slot,
        });
        self.objects.len() as u32 - 1
    }

    /// Reserves scratch slots.
    fn take(&mut self, count: u32) -> Slot {
        let slot = self.scratch;
        self.scratch += count;
        self.high = self.high.max(self.scratch);
        slot
    }

    fn emit(&mut self, instr: Instr) {
        self.instrs.push(instr);
        self.locs.push(self.loc);
    }

    fn emit_slow(&mut self, slow: Slow) {
        let index = self.slow.len() as u32;
        self.slow.push(slow);
        self.emit(Instr::Slow { index });
    }

    fn new_label(&mut self) -> Label {
        self.labels.push(u32::MAX);
        self.labels.len() as Label - 1
    }

    fn bind(&mut self, label: Label) {
        self.labels[label as usize] = self.instrs.len() as u32;
    }

    /// Moves parameters that live in memory there, and taints variables read too early.
    fn prologue(&mut self, params: &[Arg]) {
        for (var, arg) in self.function.params.iter().zip(params) {
            let Some(Home::Frame(object)) = self.homes.get(var).copied() else {
                continue;
            };
            let slot = self.ensure(object);
            let ty = self.cx.program.vars[*var].ty;
            if arg.scalar.is_some() {
                let layout = self.layout(ty, None);
                self.store(layout, arg.at, place::Addr::Memory(slot, 0));
            } else {
                let size = self.types.size_of(ty);
                let from = Source::Memory(arg.at, 0);
                self.emit_slow(Slow::Copy {
                    to: slot,
                    offset: 0,
                    from,
                    size,
                    ty,
                });
            }
        }
        let mut early: Vec<_> = self.live.at_entry.iter().copied().collect();
        early.sort();
        for var in early {
            self.taint(var);
        }
    }

    fn taint(&mut self, var: VarId) {
        if let Some(Home::Slot(slot)) = self.homes.get(&var).copied() {
            let wide =
                scalar(self.types, self.cx.program.vars[var].ty).is_some_and(Scalar::is_wide);
            self.emit(Instr::Taint { slot, wide });
        }
    }

    /// The frame object of a constant variable that a place lies in.
    fn constant_home(&self, place: &Place) -> Option<u32> {
        let Base::Var(var) = place.base else {
            return None;
        };
        let info = self.cx.program.vars.get(var)?;
        match self.homes.get(&var) {
            Some(Home::Frame(object)) if info.constant && !info.volatile => Some(*object),
            _ => None,
        }
    }

    fn block(&mut self, id: cwolf_cwi::BlockId) -> Result<(), Refused> {
        let block = &self.body.blocks[id];
        self.bind(id.0);
        self.ensured.clear();
        self.cost = block.stmts.len() as u32 + 1;
        let floor = self.scratch;
        for (n, stmt) in block.stmts.iter().enumerate() {
            self.loc = stmt.loc;
            self.trace(id, n);
            match &stmt.kind {
                StmtKind::Assign(place, value) => match self.constant_home(place) {
                    // The initialiser is the only one who writes a constant by its name; pointers
                    // find it closed.
                    Some(object) => {
                        let slot = self.ensure(object);
                        self.emit_slow(Slow::Seal { slot, on: false });
                        self.assign(place, value)?;
                        self.emit_slow(Slow::Seal { slot, on: true });
                    }
                    None => self.assign(place, value)?,
                },
                StmtKind::SetReg(reg, value) => {
                    let dst = *self
                        .regs
                        .get(reg.0 as usize)
                        .ok_or("a register that does not exist")?;
                    self.expr_into(value, dst)?;
                }
                StmtKind::Live(var) => match self.homes.get(var).copied() {
                    Some(Home::Frame(object)) => {
                        let slot = self.objects[object as usize].slot;
                        self.emit_slow(Slow::Forget { slot });
                    }
                    _ if self.live.undef_live.contains(&(id.0, n as u32)) => self.taint(*var),
                    _ => {}
                },
                StmtKind::Dead(var) => {
                    if let Some(Home::Frame(object)) = self.homes.get(var).copied() {
                        let slot = self.objects[object as usize].slot;
                        self.emit_slow(Slow::End { slot });
                        self.ensured.remove(&object);
                    }
                }
                StmtKind::Assert { check, cond } => {
                    let check = *check;
                    if let ExprKind::Memory(test, _) = cond.kind
                        && test.is_census()
                    {
                        let at = (id.0, n as u32);
                        self.emit_slow(Slow::Census { test, check, at });
                        self.scratch = floor;
                        continue;
                    }
                    if let ExprKind::Memory(test, args) = &cond.kind {
                        let (test, args) = (*test, self.memory_args(args)?);
                        let at = (id.0, n as u32);
                        self.emit_slow(Slow::Demand {
                            test,
                            args,
                            check,
                            at,
                        });
                        self.scratch = floor;
                        continue;
                    }
                    let a = self.demanded(cond)?;
                    let at = (id.0, n as u32);
                    self.emit_slow(Slow::Assert { a, check, at });
                }
                StmtKind::Assume(cond) => {
                    let a = self.demanded(cond)?;
                    self.emit_slow(Slow::Assume { a });
                }
                StmtKind::Havoc { ptr, size: None } if ptr.is_null() => {
                    self.emit_slow(Slow::HavocKnown);
                }
                StmtKind::Havoc { ptr, size } => {
                    let ptr = self.operand(ptr)?;
                    let size = match size {
                        Some(size) => Some(self.operand(size)?),
                        None => None,
                    };
                    self.emit_slow(Slow::Havoc { ptr, size });
                }
            }
            self.scratch = floor;
        }
        self.loc = block.loc;
        self.trace(id, block.stmts.len());
        self.branch(id, &block.branch)?;
        self.scratch = floor;
        Ok(())
    }

    fn demanded(&mut self, cond: &cwolf_cwi::Expr) -> Result<Slot, Refused> {
        let ty = scalar(self.types, cond.ty).ok_or("a condition that is an aggregate")?;
        self.truth(cond, ty)
    }

    fn trace(&mut self, block: cwolf_cwi::BlockId, index: usize) {
        if self.cx.trace {
            let (block, index) = (block.0, index as u32);
            self.emit(Instr::Trace { block, index });
        }
    }
}
