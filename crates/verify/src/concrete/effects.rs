//! What code outside the program did in a run: what each call returned, and what it wrote where
//! its arguments point to. And what the entry function was called with.

use super::is_model;
use cwolf_cwi::value::Value;
use cwolf_cwi::{
    Base, Branch, Expr, ExprKind, FuncId, Place, Program, StmtKind, Type, TypeId, VarId,
};
use cwolf_interp::{At, OUTSIDE, OUTSIDE_SIZE, View};
use cwolf_known::{CType, Row};
use cwolf_prepare::{START, Subject};
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;

/// Bytes of one object that are kept.
const MOST: u64 = 1 << 16;

/// A value as it lies in memory.
#[derive(Clone, Debug, PartialEq)]
pub enum Datum {
    /// A scalar; a pointer to outside the program as oracles choose it.
    Scalar(Value),
    /// A pointer to so many bytes after what an argument points to.
    Into(usize, i64),
    /// A pointer to memory that the call made, or that is the library's.
    Made(Made),
    /// The bytes of an aggregate.
    Bytes(Bytes),
}

/// A pointer into an object that no argument leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Made {
    /// What lies in the object.
    pub contents: Vec<u8>,
    /// How far into it the pointer leads.
    pub offset: u64,
}

/// Bytes, and where in them pointers to outside the program lie, and how far these lead into it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bytes {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// Offset in the bytes, and offset outside.
    pub pointers: Vec<(usize, u64)>,
    /// Offset in the bytes, and the object that the pointer there leads to.
    pub made: Vec<(usize, Made)>,
}

/// Something written where an argument points to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// The number of the argument, from 0.
    pub argument: usize,
    /// How many bytes after what it points to.
    pub offset: i64,
    /// What.
    pub bytes: Bytes,
}

/// One call of a function outside the program.
#[derive(Clone, Debug, PartialEq)]
pub struct Effect {
    /// The function.
    pub func: FuncId,
    /// The types of all arguments, also of unnamed ones.
    pub arguments: Vec<TypeId>,
    /// What it returned.
    pub result: Option<Datum>,
    /// What it wrote, in rising order of addresses.
    pub written: Vec<Written>,
    /// Whether the run ended in it: it was called as it must not be.
    pub last: bool,
}

/// Collects effects as the run goes on.
pub(super) struct Effects {
    outside: FxHashSet<FuncId>,
    open: Option<Open>,
    /// The arguments of the call that comes next, with the addresses among them, and what it will
    /// write through unnamed ones.
    call: Vec<(TypeId, Option<u64>)>,
    pending: Vec<(u64, Given)>,
    pub(super) done: Vec<Effect>,
    pub(super) entry: Vec<(VarId, Datum)>,
    /// Where memory outside the program lies.
    pub(super) base: Option<u64>,
}

/// A call that is under way.
struct Open {
    func: FuncId,
    depth: usize,
    arguments: Vec<TypeId>,
    /// Number, address and object of each argument that is a pointer.
    pointers: Vec<(usize, u64, (u64, u64))>,
    /// Addresses that its code wrote.
    written: BTreeSet<u64>,
    /// Objects that it was given to change.
    given: Vec<Given>,
}

/// An object that may change: where it starts, and what lay in it before, byte by byte; none where
/// nothing was written yet.
struct Given {
    start: u64,
    before: Vec<Option<u8>>,
}

impl Given {
    fn new((start, size): (u64, u64), view: &View<'_, '_>) -> Given {
        Given {
            start,
            before: contents((start, size), view),
        }
    }
    /// An object that stays as it was need not be written, and may be constant.
    fn has_changed(&self, view: &View<'_, '_>) -> bool {
        self.before != contents((self.start, self.before.len() as u64), view)
    }
}

fn contents((start, size): (u64, u64), view: &View<'_, '_>) -> Vec<Option<u8>> {
    let byte = |addr| view.bytes(addr, 1).map(|b| b[0]);
    (start..start + size.min(MOST)).map(byte).collect()
}

/// Whether a function's calls are replaced in a harness: it stands for code outside the program.
pub fn is_outside(subject: &Subject, func: FuncId) -> bool {
    subject.stubs.contains(&func) || is_input(&subject.program, func)
}

/// Whether a function is the model of one of the library that brings something in.
fn is_input(program: &Program, func: FuncId) -> bool {
    let function = &program.funcs[func];
    let file = program.locations[function.loc].file;
    let environment = program
        .locations
        .file_name(file)
        .ends_with("/environment.c");
    let model = function.body.is_some() && is_model(program, func);
    // One that returns and changes nothing brings nothing in.
    let silent = |row: &Row| row.prototype.ret == CType::Void && row.is_quiet();
    let silent = cwolf_known::lookup(&function.name).is_some_and(silent);
    model && environment && !silent
}

impl Effects {
    pub(super) fn new(subject: &Subject) -> Effects {
        let all = subject.program.funcs.ids();
        Effects {
            outside: all.filter(|f| is_outside(subject, *f)).collect(),
            open: None,
            call: Vec::new(),
            pending: Vec::new(),
            done: Vec::new(),
            entry: Vec::new(),
            base: None,
        }
    }

    /// The run is about to make a step.
    pub(super) fn step(&mut self, at: At, view: &View<'_, '_>) {
        let program = view.program();
        self.base = self.base.or_else(|| outside_base(view));
        let left = self.open.as_ref().is_some_and(|open| {
            at.depth < open.depth || (at.depth == open.depth && at.func != open.func)
        });
        if left {
            self.close(None, view);
        }
        if self.open.is_none() && self.outside.contains(&at.func) {
            self.begin(at, view);
        }
        let Some(body) = &program.funcs[at.func].body else {
            return;
        };
        let block = &body.blocks[at.block];
        if let Some(stmt) = block.stmts.get(at.index) {
            if let StmtKind::Havoc { ptr, .. } = &stmt.kind {
                self.changes(ptr, view);
            }
            if let (Some(open), StmtKind::Assign(place, _)) = (&mut self.open, &stmt.kind)
                && let Base::Deref(_) = place.base
                && let Some((addr, _)) = view.locate(place)
            {
                let size = program.types.size_of(place.ty);
                open.written.extend(addr..addr + size.min(MOST));
            }
            return;
        }
        match &block.branch {
            Branch::Call { args, .. } => self.called(at, args, view),
            Branch::Return(value) if self.open.as_ref().is_some_and(|o| o.depth == at.depth) => {
                self.close(value.as_ref(), view);
            }
            _ => {}
        }
    }

    /// The run is over.
    pub(super) fn finish(&mut self) {
        if let Some(open) = self.open.take() {
            self.done.push(Effect {
                func: open.func,
                arguments: open.arguments,
                result: None,
                written: Vec::new(),
                last: true,
            });
        }
    }

    /// What a pointer leads to is about to change.
    fn changes(&mut self, ptr: &Expr, view: &View<'_, '_>) {
        if let Some(Value::Int(addr)) = view.eval(ptr) {
            let addr = addr as u64;
            let object = view.object(addr).unwrap_or((addr, 0));
            let given = Given::new(object, view);
            match &mut self.open {
                Some(open) => open.given.push(given),
                None => self.pending.push((addr, given)),
            }
        }
    }

    fn called(&mut self, at: At, args: &[Expr], view: &View<'_, '_>) {
        let program = view.program();
        if self.open.is_none() {
            let address = |e: &Expr| match view.eval(e) {
                Some(Value::Int(v)) if program.types.pointee(e.ty).is_some() => Some(v as u64),
                _ => None,
            };
            self.call = args.iter().map(|a| (a.ty, address(a))).collect();
        }
        if program.funcs[at.func].name == START {
            self.entry = entry_values(at.func, view);
        }
    }

    fn begin(&mut self, at: At, view: &View<'_, '_>) {
        let program = view.program();
        let function = &program.funcs[at.func];
        let mut pointers = Vec::new();
        for (n, param) in function.params.iter().enumerate() {
            let pointer = program.types.pointee(program.vars[*param].ty).is_some();
            if let (true, Some(Value::Int(addr))) = (pointer, view.var(*param))
                && let Some(object) = view.object(addr as u64)
            {
                pointers.push((n, addr as u64, object));
            }
        }
        let call = std::mem::take(&mut self.call);
        for (n, (_, addr)) in call.iter().enumerate().skip(function.params.len()) {
            if let Some(addr) = addr
                && let Some(object) = view.object(*addr)
            {
                pointers.push((n, *addr, object));
            }
        }
        let arguments = call.into_iter().map(|(ty, _)| ty).collect();
        let pending = std::mem::take(&mut self.pending);
        let given = pending.into_iter().map(|(_, object)| object).collect();
        self.open = Some(Open {
            func: at.func,
            depth: at.depth,
            arguments,
            pointers,
            written: BTreeSet::new(),
            given,
        });
    }

    fn close(&mut self, value: Option<&Expr>, view: &View<'_, '_>) {
        let Some(mut open) = self.open.take() else {
            return;
        };
        let result = value.and_then(|e| returned(e, &open, view));
        for object in open.given.iter().filter(|o| o.has_changed(view)) {
            let end = object.start + object.before.len() as u64;
            open.written.extend(object.start..end);
        }
        let memory = open.written.iter();
        let memory = memory.filter_map(|addr| Some((*addr, view.bytes(*addr, 1)?[0])));
        let memory: Vec<(u64, u8)> = memory.collect();
        let mut written = Vec::new();
        let mut run: Vec<u8> = Vec::new();
        let mut next = None;
        for (addr, byte) in memory {
            if next.is_some_and(|n| n != addr) {
                let end = next.unwrap_or(addr);
                written.extend(place(&open, end, std::mem::take(&mut run), view));
            }
            run.push(byte);
            next = Some(addr + 1);
        }
        if let Some(end) = next {
            written.extend(place(&open, end, run, view));
        }
        self.done.push(Effect {
            func: open.func,
            arguments: open.arguments,
            result,
            written,
            last: false,
        });
    }
}

/// Bytes that end at `end`, by the argument that leads to them.
fn place(open: &Open, end: u64, run: Vec<u8>, view: &View<'_, '_>) -> Option<Written> {
    let start = end - run.len() as u64;
    let holds = |(first, size): (u64, u64)| (first..first + size).contains(&start);
    let found = open.pointers.iter().find(|(_, _, object)| holds(*object));
    found.map(|(n, addr, _)| Written {
        argument: *n,
        offset: start.wrapping_sub(*addr) as i64,
        bytes: bytes(run, view),
    })
}

/// Where memory outside the program lies in this run.
fn outside_base(view: &View<'_, '_>) -> Option<u64> {
    view.outside(OUTSIDE)
}

fn bytes(bytes: Vec<u8>, view: &View<'_, '_>) -> Bytes {
    let size = view.program().target().pointer_size() as usize;
    let mut pointers = Vec::new();
    let mut found = Vec::new();
    let base = outside_base(view);
    for (n, word) in bytes.chunks_exact(size).enumerate() {
        let word = word.iter().rev().fold(0, |all, b| all << 8 | u64::from(*b));
        match base {
            Some(base) if (base..base + OUTSIDE_SIZE).contains(&word) => {
                pointers.push((n * size, word - base));
            }
            _ => found.extend(made(word, view).map(|made| (n * size, made))),
        }
    }
    Bytes {
        bytes,
        pointers,
        made: found,
    }
}

/// The object that an address leads to.
fn made(addr: u64, view: &View<'_, '_>) -> Option<Made> {
    let (start, size) = view.object(addr).filter(|(_, size)| *size <= MOST)?;
    let byte = |n| view.bytes(start + n, 1).map_or(0, |b| b[0]);
    Some(Made {
        contents: (0..size).map(byte).collect(),
        offset: addr - start,
    })
}

/// A pointer to outside as oracles choose it; other values as they are.
fn as_chosen(ty: TypeId, value: Value, view: &View<'_, '_>) -> Value {
    let pointer = view.program().types.pointee(ty).is_some();
    match (value, outside_base(view)) {
        (Value::Int(v), Some(base))
            if pointer && (base..base + OUTSIDE_SIZE).contains(&(v as u64)) =>
        {
            Value::Int(v - i128::from(base) + i128::from(OUTSIDE))
        }
        _ => value,
    }
}

fn returned(e: &Expr, open: &Open, view: &View<'_, '_>) -> Option<Datum> {
    let types = &view.program().types;
    if types.is_scalar(e.ty) {
        let value = view.eval(e)?;
        if let (Type::Pointer(_), Value::Int(v)) = (&types[e.ty], value) {
            let inside = open
                .pointers
                .iter()
                .find(|(_, _, (start, size))| (*start..=start + size).contains(&(v as u64)));
            if let Some((n, addr, _)) = inside {
                return Some(Datum::Into(*n, (v as u64).wrapping_sub(*addr) as i64));
            }
            let chosen = as_chosen(e.ty, value, view);
            if chosen == value
                && let Some(made) = made(v as u64, view)
            {
                return Some(Datum::Made(made));
            }
        }
        return Some(Datum::Scalar(as_chosen(e.ty, value, view)));
    }
    match &e.kind {
        ExprKind::Load { place, .. } => {
            let (addr, _) = view.locate(place)?;
            Some(Datum::Bytes(memory(addr, types.size_of(e.ty), view)))
        }
        _ => None,
    }
}

/// What lies in memory; zero where nothing was written.
fn memory(addr: u64, size: u64, view: &View<'_, '_>) -> Bytes {
    let byte = |n| view.bytes(addr + n, 1).map_or(0, |b| b[0]);
    bytes((0..size.min(MOST)).map(byte).collect(), view)
}

/// What the start function gives to the entry function: its locals.
fn entry_values(start: FuncId, view: &View<'_, '_>) -> Vec<(VarId, Datum)> {
    let program = view.program();
    let mut found = Vec::new();
    for var in &program.funcs[start].locals {
        let ty = program.vars[*var].ty;
        let datum = match program.types.is_scalar(ty) {
            true => view
                .load(&Place::var(ty, *var))
                .map(|v| Datum::Scalar(as_chosen(ty, v, view))),
            false => view
                .address(*var)
                .map(|addr| Datum::Bytes(memory(addr, program.types.size_of(ty), view))),
        };
        found.extend(datum.map(|datum| (*var, datum)));
    }
    found
}
