//! What code outside the program did in a run: what each call returned, and what it wrote to variables
//! and where pointers led it. And what the entry function was called with.

use super::access_paths::{AccessPath, Known, Root, errno, reach, variables};
use super::is_model;
use cwolf_cwi::value::Value;
use cwolf_cwi::{
    Base, Branch, Expr, ExprKind, FuncId, LocId, Place, Program, StmtKind, Type, TypeId, VarId,
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
    /// A pointer to so many bytes after what another points to.
    Into(AccessPath, i64),
    /// A pointer to memory that the call made, or that is the library's.
    Made(Made),
    /// The bytes of an aggregate.
    Bytes(Bytes),
}

/// A pointer into an object that no argument leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Made {
    /// Where the object lies in the run.
    pub start: u64,
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
    /// Offset in the bytes, and the way and the bytes after it that the pointer there leads to.
    pub into: Vec<(usize, AccessPath, i64)>,
}

/// Something written where a pointer points to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// The pointer.
    pub to: AccessPath,
    /// How many bytes after what it points to.
    pub offset: i64,
    /// What.
    pub bytes: Bytes,
    /// What a person calls the object.
    pub name: String,
    /// The new value, if that is a whole variable.
    pub value: Option<String>,
}

impl Written {
    /// Whether only a pointer leads there that an earlier call was given.
    pub fn is_kept(&self) -> bool {
        matches!(self.to.root, Root::Kept(_))
    }
}

/// One call of a function outside the program.
#[derive(Clone, Debug, PartialEq)]
pub struct Effect {
    /// The function.
    pub func: FuncId,
    /// Where it was called.
    pub loc: LocId,
    /// The types of all arguments, also of unnamed ones.
    pub arguments: Vec<TypeId>,
    /// The values of its parameters that are numbers or pointers.
    pub values: Vec<Option<i128>>,
    /// What it returned.
    pub result: Option<Datum>,
    /// What it wrote.
    pub written: Vec<Written>,
    /// Pointers that it kept for later calls, with their numbers.
    pub kept: Vec<(usize, AccessPath)>,
    /// Whether the run ended in it: it was called as it must not be.
    pub last: bool,
}

impl Effect {
    /// All objects that the call told of.
    fn made(&mut self) -> impl Iterator<Item = &mut Made> {
        let result = match &mut self.result {
            Some(Datum::Made(made)) => (Some(made), None),
            Some(Datum::Bytes(bytes)) => (None, Some(bytes)),
            _ => (None, None),
        };
        let written = self.written.iter_mut().map(|w| &mut w.bytes);
        let inner = result.1.into_iter().chain(written);
        let inner = inner.flat_map(|bytes| bytes.made.iter_mut().map(|(_, made)| made));
        result.0.into_iter().chain(inner)
    }
}

impl Made {
    /// Some bytes of memory are known now; they may be the object's.
    fn settle(&mut self, addr: u64, what: &[u8]) {
        let first = addr.checked_sub(self.start).map(|n| n as usize);
        let room = first.and_then(|n| self.contents.get_mut(n..n + what.len()));
        if let Some(room) = room {
            room.copy_from_slice(what);
        }
    }
}

/// Collects effects as the run goes on.
pub(super) struct Effects {
    outside: FxHashSet<FuncId>,
    open: Option<Open>,
    /// The arguments of the call that comes next, with the addresses among them, and what it will
    /// write through unnamed ones.
    call: Vec<(TypeId, Option<u64>)>,
    /// Where that call is.
    called_at: LocId,
    pending: Vec<Given>,
    pub(super) done: Vec<Effect>,
    /// For each call: what it could reach.
    reached: Vec<Vec<Known>>,
    /// Objects that were left open, and in which call: what lay in them is told later.
    opened: Vec<((u64, u64), usize)>,
    /// Pointers that were kept so far: which calls kept them, and where they point to.
    kept: Vec<(usize, Known)>,
    pub(super) entry: Vec<(VarId, Datum)>,
    /// Where memory outside the program lies.
    pub(super) base: Option<u64>,
}

/// A call that is under way.
struct Open {
    func: FuncId,
    loc: LocId,
    depth: usize,
    arguments: Vec<TypeId>,
    values: Vec<Option<i128>>,
    /// What it can reach.
    known: Vec<Known>,
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
    let environment = program.locations.file_name(file).contains("/environment/");
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
            called_at: subject.program.funcs[subject.entry].loc,
            pending: Vec::new(),
            done: Vec::new(),
            reached: Vec::new(),
            opened: Vec::new(),
            kept: Vec::new(),
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
            if let StmtKind::Havoc { ptr, size } = &stmt.kind {
                self.changes(ptr, size.is_some(), view);
            }
            if let (Some(open), StmtKind::Assign(place, _)) = (&mut self.open, &stmt.kind)
                && is_shared(program, place)
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
                loc: open.loc,
                arguments: open.arguments,
                values: open.values,
                result: None,
                written: Vec::new(),
                kept: Vec::new(),
                last: true,
            });
            self.reached.push(open.known);
        }
    }

    /// What a pointer leads to is about to change: some bytes of an object, or all that can be reached.
    fn changes(&mut self, ptr: &Expr, counted: bool, view: &View<'_, '_>) {
        let Some(Value::Int(addr)) = view.eval(ptr) else {
            return;
        };
        let addr = addr as u64;
        let objects = match counted {
            true => view.object(addr).into_iter().collect(),
            false => view.reached((!ptr.is_null()).then_some(addr)),
        };
        let call = self.done.len();
        self.opened.extend(objects.iter().map(|o| (*o, call)));
        let given = objects.into_iter().map(|o| Given::new(o, view));
        match &mut self.open {
            Some(open) => open.given.extend(given),
            None => self.pending.extend(given),
        }
    }

    /// Memory that was left open turns out to hold something.
    pub(super) fn settled(&mut self, addr: u64, what: &[u8], view: &View<'_, '_>) {
        for made in self.done.iter_mut().flat_map(Effect::made) {
            made.settle(addr, what);
        }
        if view.stored(addr, what.len() as u64) == Some(what) {
            return;
        }
        let holds =
            |((start, size), _): &&((u64, u64), usize)| (*start..start + size).contains(&addr);
        let Some((_, call)) = self.opened.iter().rev().find(holds).copied() else {
            return;
        };
        if call >= self.done.len() {
            return;
        }
        let end = addr + what.len() as u64;
        let known = self.reached[call].clone();
        let written = self.place(&known, end, what.to_vec(), view);
        self.done[call].written.extend(written);
    }

    fn called(&mut self, at: At, args: &[Expr], view: &View<'_, '_>) {
        let program = view.program();
        if self.open.is_none() {
            let address = |e: &Expr| match view.eval(e) {
                Some(Value::Int(v)) if may_be_address(program, e.ty) => Some(v as u64),
                _ => None,
            };
            self.call = args.iter().map(|a| (a.ty, address(a))).collect();
            let body = program.funcs[at.func].body.as_ref();
            self.called_at = body.map_or(self.called_at, |b| b.blocks[at.block].loc);
        }
        if program.funcs[at.func].name == START {
            self.entry = entry_values(at.func, view);
        }
    }

    fn begin(&mut self, at: At, view: &View<'_, '_>) {
        let program = view.program();
        let function = &program.funcs[at.func];
        let mut roots = Vec::new();
        let mut values = Vec::new();
        for (n, param) in function.params.iter().enumerate() {
            let address = may_be_address(program, program.vars[*param].ty);
            let value = view.var(*param);
            if let (true, Some(Value::Int(addr))) = (address, value) {
                roots.push((Root::Argument(n), addr as u64));
            } else if !program.types.is_scalar(program.vars[*param].ty) {
                roots.extend(view.address(*param).map(|addr| (Root::Aggregate(n), addr)));
            }
            values.push(match value {
                Some(Value::Int(number)) => Some(number),
                _ => None,
            });
        }
        let call = std::mem::take(&mut self.call);
        for (n, (_, addr)) in call.iter().enumerate().skip(function.params.len()) {
            roots.extend(addr.map(|addr| (Root::Argument(n), addr)));
        }
        let arguments = call.into_iter().map(|(ty, _)| ty).collect();
        roots.extend(variables(view));
        let earlier = self.kept.iter().enumerate();
        roots.extend(earlier.map(|(n, (_, known))| (Root::Kept(n), known.pointer)));
        let given = std::mem::take(&mut self.pending);
        let known = reach(roots, view);
        self.open = Some(Open {
            func: at.func,
            loc: self.called_at,
            depth: at.depth,
            arguments,
            values,
            known,
            written: BTreeSet::new(),
            given,
        });
    }

    fn close(&mut self, value: Option<&Expr>, view: &View<'_, '_>) {
        let Some(mut open) = self.open.take() else {
            return;
        };
        let result = value.and_then(|e| self.returned(e, &open, view));
        // The call may be the first that sets it.
        open.known.extend(errno(view));
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
                written.extend(self.place(&open.known, end, std::mem::take(&mut run), view));
            }
            run.push(byte);
            next = Some(addr + 1);
        }
        if let Some(end) = next {
            written.extend(self.place(&open.known, end, run, view));
        }
        self.done.push(Effect {
            func: open.func,
            loc: open.loc,
            arguments: open.arguments,
            values: open.values,
            result,
            written,
            kept: Vec::new(),
            last: false,
        });
        self.keep(&open.known);
        self.reached.push(open.known);
    }

    fn returned(&mut self, e: &Expr, open: &Open, view: &View<'_, '_>) -> Option<Datum> {
        let types = &view.program().types;
        if types.is_scalar(e.ty) {
            let value = view.eval(e)?;
            if let (Type::Pointer(_), Value::Int(v)) = (&types[e.ty], value) {
                let outside = outside_base(view).map_or(0..0, |base| base..base + OUTSIDE_SIZE);
                let inside = open.known.iter().find(|known| known.is_near(v as u64));
                if let Some(known) = inside.filter(|_| !outside.contains(&(v as u64))) {
                    let offset = known.offset(v as u64);
                    return Some(Datum::Into(self.way(known), offset));
                }
            }
            let chosen = as_chosen(e.ty, value, view);
            if let (Type::Pointer(_), Value::Int(v)) = (&types[e.ty], value)
                && chosen == value
                && let Some(made) = made(v as u64, view)
            {
                return Some(Datum::Made(made));
            }
            return Some(Datum::Scalar(chosen));
        }
        match &e.kind {
            ExprKind::Load { place, .. } => {
                let (addr, _) = view.locate(place)?;
                Some(Datum::Bytes(memory(addr, types.size_of(e.ty), view)))
            }
            _ => None,
        }
    }

    /// A function may remember what it was given by name of an argument, and lead later calls there.
    fn keep(&mut self, known: &[Known]) {
        let call = self.done.len() - 1;
        for known in known {
            // A structure itself is the function's own.
            let given = match known.way.root {
                Root::Argument(_) => true,
                Root::Aggregate(_) => !known.way.steps.is_empty(),
                Root::Errno | Root::Variable(_) | Root::Kept(_) => false,
            };
            if given && self.kept.iter().all(|(_, old)| old.start != known.start) {
                self.kept.push((call, known.clone()));
            }
        }
    }

    /// Bytes that end at `end`, by the pointer that leads to them.
    fn place(
        &mut self,
        known: &[Known],
        end: u64,
        run: Vec<u8>,
        view: &View<'_, '_>,
    ) -> Option<Written> {
        let start = end - run.len() as u64;
        let found = known.iter().find(|known| known.holds(start))?;
        let value = value(start, &run, view);
        let mut bytes = bytes(run, view);
        self.lead_back(known, &mut bytes);
        Some(Written {
            to: self.way(found),
            offset: found.offset(start),
            name: view.name_of(start).unwrap_or_default(),
            value,
            bytes,
        })
    }

    /// Pointers to what can be reached lead there, and to no new object.
    fn lead_back(&mut self, known: &[Known], bytes: &mut Bytes) {
        for (at, made) in std::mem::take(&mut bytes.made) {
            let addr = made.start + made.offset;
            match known.iter().find(|known| known.start == made.start) {
                Some(known) => bytes.into.push((at, self.way(known), known.offset(addr))),
                None => bytes.made.push((at, made)),
            }
        }
    }

    /// The way to an object; a pointer that it begins with is kept from the call that was given it.
    fn way(&mut self, known: &Known) -> AccessPath {
        if let Root::Kept(n) = known.way.root {
            let (call, earlier) = self.kept[n].clone();
            let kept = &mut self.done[call].kept;
            if kept.iter().all(|(number, _)| *number != n) {
                kept.push((n, earlier.way));
            }
        }
        known.way.clone()
    }
}

/// Whether a place is one that others than its function see.
fn is_shared(program: &Program, place: &Place) -> bool {
    match place.base {
        Base::Deref(_) => true,
        Base::Var(var) => !program.vars[var].kind.is_automatic(),
    }
}

/// The bytes of a whole variable as a person reads them.
fn value(start: u64, bytes: &[u8], view: &View<'_, '_>) -> Option<String> {
    let (var, 0) = view.variable_at(start)? else {
        return None;
    };
    let program = view.program();
    let ty = program.vars[var].ty;
    let int = cwolf_cwi::value::int_type(&program.types, ty)?;
    if bytes.len() as u64 != program.types.size_of(ty) || bytes.len() > 8 {
        return None;
    }
    let word = bytes
        .iter()
        .rev()
        .fold(0, |all: u64, b| all << 8 | u64::from(*b));
    let number = cwolf_cwi::value::wrap(int, word.into());
    Some(view.show(ty, Value::Int(number)))
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
        into: Vec::new(),
    }
}

/// The object that an address leads to.
fn made(addr: u64, view: &View<'_, '_>) -> Option<Made> {
    let (start, size) = view.object(addr).filter(|(_, size)| *size <= MOST)?;
    let byte = |n| view.bytes(start + n, 1).map_or(0, |b| b[0]);
    Some(Made {
        start,
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

/// Whether an argument of this type may tell where an object is: a pointer, or a number that one fits in.
fn may_be_address(program: &Program, ty: TypeId) -> bool {
    let word = program.target().word(false).bits;
    let wide = program.types.as_int(ty).is_some_and(|int| int.bits >= word);
    wide || program.types.pointee(ty).is_some()
}
