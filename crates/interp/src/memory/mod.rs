//! Memory: objects with bytes, bounds, a life and a shadow that knows which bytes were ever
//! written. An address is a plain number; [`space`] says which object it lies in.

pub(crate) mod access;
mod query;
mod reach;
mod shadow;
pub(crate) mod space;

use crate::error::{ErrorKind, Fault};
use cwolf_cwi::{FuncId, LocId, Target, VarId};
use space::Space;
use std::collections::VecDeque;

/// The number of an object in the table.
pub(crate) type ObjId = u32;

/// The part of an object that each access needs.
#[derive(Debug, Default)]
pub(crate) struct Object {
    /// Address of the first byte.
    pub base: u64,
    /// Contents; empty once the object is dead, so that every access misses.
    pub bytes: Vec<u8>,
    /// How many bytes were never written.
    pub missing: u32,
    /// Not to be written.
    pub readonly: bool,
}

/// How an object lives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum State {
    #[default]
    Live,
    Freed,
    ScopeEnded,
}

/// What an object is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A variable: global, static, literal, or of a frame.
    Var(VarId),
    /// A variable that is declared but defined nowhere.
    Extern(VarId),
    /// What `malloc` and its kin return.
    Heap,
    /// What `alloca` returns.
    Alloca,
    /// The unnamed arguments of a call.
    VarArgs(FuncId),
    /// A value on its way to or from a call.
    Temp(FuncId),
    /// A function.
    Func(FuncId),
    /// Something that the library keeps, such as a `FILE`.
    Library(&'static str),
}

/// The part of an object that only errors and its end need.
#[derive(Debug)]
pub(crate) struct Info {
    pub size: u64,
    pub state: State,
    pub kind: Kind,
    /// One bit for each byte, set if written; empty if all or none are.
    pub written: Vec<u64>,
    /// A constant variable: not to be written through pointers. Its own initialiser may.
    pub constant: bool,
    /// Where it was allocated and where it died.
    pub born: Option<LocId>,
    pub died: Option<LocId>,
    /// How often its place in the table was used.
    generation: u8,
}

/// First contents of a new object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fill {
    /// Written zeros.
    Zero,
    /// Unwritten; reads as zero.
    Unwritten,
}

/// Dead objects wait here before their place is used again, so that errors can still name them.
const QUARANTINE: usize = 512;

pub(crate) struct Memory {
    pub objects: Vec<Object>,
    pub info: Vec<Info>,
    space: Space,
    dead: VecDeque<ObjId>,
    live_bytes: u64,
    /// Allocated objects that were not freed.
    pub heap_objects: usize,
    limit: u64,
    /// What was never written counts as written zeros.
    zero: bool,
}

impl Memory {
    pub fn new(target: Target, limit: u64, zero: bool) -> Memory {
        let mut memory = Memory {
            objects: Vec::new(),
            info: Vec::new(),
            space: Space::new(target),
            dead: VecDeque::new(),
            live_bytes: 0,
            heap_objects: 0,
            limit,
            zero,
        };
        // Object 0 stands for null and is never live.
        memory.objects.push(Object::default());
        memory.info.push(Info {
            size: 0,
            state: State::Freed,
            kind: Kind::Library("null"),
            written: Vec::new(),
            constant: false,
            born: None,
            died: None,
            generation: 0,
        });
        memory
    }

    /// The last heap object allocated at a place that still lives.
    pub fn newest_born(&self, loc: LocId) -> Option<ObjId> {
        let here = |info: &Info| {
            let heap = matches!(info.kind, Kind::Heap | Kind::Alloca);
            heap && info.state == State::Live && info.born == Some(loc)
        };
        let found = self.info.iter().rposition(here)?;
        Some(found as ObjId)
    }

    /// A new object; fails when memory is exhausted.
    pub fn alloc(
        &mut self,
        size: u64,
        align: u64,
        kind: Kind,
        fill: Fill,
        born: Option<LocId>,
    ) -> Result<ObjId, Fault> {
        // Small objects cost more than their bytes.
        let cost = size.saturating_add(64);
        if size >= u64::from(u32::MAX) || self.live_bytes.saturating_add(cost) > self.limit {
            return Err(limit_reached(self.limit));
        }
        let id = self.place();
        let generation = self.info[id as usize].generation;
        let base = self
            .space
            .assign(id, generation, size, align.max(1))
            .ok_or_else(|| limit_reached(self.limit))?;
        self.live_bytes += cost;
        self.heap_objects += usize::from(kind == Kind::Heap);
        let object = &mut self.objects[id as usize];
        object.base = base;
        object.readonly = false;
        object.missing = if fill == Fill::Zero || self.zero {
            0
        } else {
            size as u32
        };
        if object.bytes.capacity() >= size as usize {
            object.bytes.clear();
            object.bytes.resize(size as usize, 0);
        } else {
            // Fresh zeroed pages come for free from the system; a resize would touch them.
            object.bytes = vec![0; size as usize];
        }
        let info = &mut self.info[id as usize];
        info.size = size;
        info.state = State::Live;
        info.kind = kind;
        info.written.clear();
        info.constant = false;
        info.born = born;
        info.died = None;
        Ok(id)
    }

    /// A place in the table for a new object.
    fn place(&mut self) -> ObjId {
        if self.uses_places_again() {
            let id = self.dead.pop_front().expect("just seen");
            let info = &mut self.info[id as usize];
            info.generation = info.generation.wrapping_add(1);
            return id;
        }
        self.objects.push(Object::default());
        self.info.push(Info {
            size: 0,
            state: State::Live,
            kind: Kind::Heap,
            written: Vec::new(),
            constant: false,
            born: None,
            died: None,
            generation: 0,
        });
        (self.objects.len() - 1) as ObjId
    }

    /// Ends the life of an object.
    pub fn release(&mut self, id: ObjId, state: State, died: Option<LocId>) {
        let object = &mut self.objects[id as usize];
        let info = &mut self.info[id as usize];
        debug_assert!(info.state == State::Live, "dies once");
        self.live_bytes -= info.size + 64;
        self.heap_objects -= usize::from(info.kind == Kind::Heap);
        if object.bytes.capacity() > 4096 {
            object.bytes = Vec::new();
            info.written = Vec::new();
        } else {
            object.bytes.clear();
        }
        info.state = state;
        info.died = died;
        let reusable = self.space.release(object.base, info.size, info.generation);
        if reusable {
            self.dead.push_back(id);
        }
    }

    /// The address of an object's first byte.
    pub fn address(&self, id: ObjId) -> u64 {
        self.objects[id as usize].base
    }

    /// Whether dead objects may be forgotten, so that an address of one of them looks like a mere number.
    pub fn uses_places_again(&self) -> bool {
        self.dead.len() > QUARANTINE
    }

    /// The object that an address may point into or just past, dead or alive.
    pub fn object_at(&self, addr: u64) -> Option<ObjId> {
        let id = self.space.find(addr, &self.objects)?;
        let object = self.objects.get(id as usize)?;
        let info = &self.info[id as usize];
        (id != 0 && addr.wrapping_sub(object.base) <= info.size.max(0xffff)).then_some(id)
    }

    /// The function whose address this is.
    pub fn function_at(&self, addr: u64) -> Option<FuncId> {
        let id = self.space.find(addr, &self.objects)?;
        match self.info.get(id as usize)?.kind {
            Kind::Func(func) if self.objects[id as usize].base == addr => Some(func),
            _ => None,
        }
    }

    /// Whether `addr` is the start of live heap memory; gives the object.
    pub fn heap_block(&self, addr: u64) -> Result<ObjId, Fault> {
        let bad = Fault::Free { addr };
        let id = self.space.find(addr, &self.objects).ok_or(bad.clone())?;
        let info = self.info.get(id as usize).ok_or(bad.clone())?;
        let whole = self.objects[id as usize].base == addr;
        if whole && info.kind == Kind::Heap && info.state == State::Live {
            Ok(id)
        } else {
            Err(bad)
        }
    }
}

fn limit_reached(limit: u64) -> Fault {
    Fault::Other(
        ErrorKind::MemoryLimit,
        format!("the program needs more memory than the limit of {limit} bytes"),
    )
}
