//! Questions about all allocated objects (`tracked`, `kept`, `cleaned`): which of them nobody can reach.

use crate::code::Home;
use crate::machine::{Frame, Machine};
use crate::memory::{Kind, Memory, ObjId, State};
use cwolf_cwi::graph::LiveRegisters;
use cwolf_cwi::{BlockId, Branch, CheckKind, FuncId, MemoryTest, Origin, RegId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// So many words are looked at without counting the cost.
const CHEAP: u64 = 4096;

/// What is kept between two questions.
#[derive(Default)]
pub(crate) struct Census {
    /// Whether anybody asks; then variables that were never set hold nothing.
    pub asked: bool,
    registers: FxHashMap<FuncId, Rc<LiveRegisters>>,
    /// Objects that are the library's own (what `getenv` returns, streams): nobody has to free them.
    library: FxHashSet<ObjId>,
    /// Before this many statements, a question that will be asked again is not worth its cost.
    not_before: u64,
}

impl Census {
    pub fn new(program: &cwolf_cwi::Program) -> Census {
        let leak = |c: &cwolf_cwi::Check| c.kind == CheckKind::Leak;
        Census {
            asked: program.checks.iter().any(leak),
            ..Census::default()
        }
    }
}

impl Machine<'_> {
    /// An object that the answer to the question is no for, if there is one. What is lost stays lost: if the
    /// question is asked `again` and again, it is not always answered.
    pub(crate) fn uncounted(
        &mut self,
        test: MemoryTest,
        at: (BlockId, usize),
        again: bool,
    ) -> Option<ObjId> {
        let mut allocated = self.memory.allocated();
        allocated.retain(|id| !self.census.library.contains(id));
        if allocated.is_empty() || (again && self.steps() < self.census.not_before) {
            return None;
        }
        if test == MemoryTest::Cleaned {
            return allocated.first().copied();
        }
        let mut roots = self.globals.clone();
        let mut words = Vec::new();
        if test == MemoryTest::Tracked {
            for n in 0..self.frames.len() {
                self.held_by(n, at, &mut roots, &mut words);
            }
        }
        let pointer = self.program.target().pointer_bits() as usize / 8;
        let (reached, cost) = self.memory.reachable(&roots, &words, pointer, pointer);
        let lost = |reached: &FxHashSet<ObjId>| allocated.iter().find(|id| !reached.contains(id));
        if cost > CHEAP {
            self.census.not_before = self.steps() + cost;
        }
        lost(&reached)?;
        // A packed structure may hold a pointer at any byte.
        let (reached, _) = self.memory.reachable(&roots, &words, pointer, 1);
        lost(&reached).copied()
    }

    /// An object was allocated. What stands for a function of the library may allocate what only the library uses.
    pub(crate) fn count_in(&mut self, object: ObjId) {
        if !self.census.asked {
            return;
        }
        let function = self.frames.last().map(|f| &self.program.funcs[f.code.func]);
        let stub = function.filter(|f| matches!(f.origin, Origin::Stub | Origin::Approximation));
        let row = stub.and_then(|f| cwolf_known::lookup(&f.name));
        let own = row.is_some_and(|r| r.allocates().is_none() && r.ended().next().is_none());
        match own {
            true => self.census.library.insert(object),
            false => self.census.library.remove(&object),
        };
    }

    /// Whether the question at a place is asked again when the run goes on.
    pub(crate) fn asked_again(&self, (block, index): (BlockId, usize)) -> bool {
        let func = self.frames.last().map(|f| f.code.func);
        let body = func.and_then(|f| self.program.funcs[f].body.as_ref());
        let branch = body.map(|b| &b.blocks[block].branch);
        index == 0 && !matches!(branch, Some(Branch::Call { next: None, .. }) | None)
    }

    /// What the variables and registers of a call in progress lead to.
    fn held_by(
        &mut self,
        n: usize,
        at: (BlockId, usize),
        roots: &mut Vec<ObjId>,
        words: &mut Vec<u64>,
    ) {
        let live = self.live_registers(n, at);
        let frame = &self.frames[n];
        roots.extend(frame.varargs.iter().chain(&frame.allocas));
        let slot = |slot: u32| self.stack[frame.base as usize + slot as usize];
        for home in frame.code.homes.values() {
            match home {
                Home::Slot(at) => words.push(slot(*at)),
                Home::Frame(object) => {
                    let addr = slot(frame.code.objects[*object as usize].slot);
                    roots.extend(self.memory.object_at(addr).filter(|_| addr != 0));
                }
            }
        }
        let regs = live.iter().filter_map(|reg| frame.code.reg(*reg));
        words.extend(regs.map(slot));
        // Aggregates on their way to a call.
        for object in frame.code.objects.iter().filter(|o| o.var.is_none()) {
            let addr = slot(object.slot);
            roots.extend(self.memory.object_at(addr).filter(|_| addr != 0));
        }
    }

    /// The registers of a call in progress that may still be read.
    fn live_registers(&mut self, n: usize, at: (BlockId, usize)) -> FxHashSet<RegId> {
        let func = self.frames[n].code.func;
        let Some(body) = self.program.funcs[func].body.as_ref() else {
            return FxHashSet::default();
        };
        let known = self.census.registers.entry(func);
        let known = known.or_insert_with(|| Rc::new(LiveRegisters::new(body)));
        match n + 1 == self.frames.len() {
            true => known.before(body, at.0, at.1),
            false => match called_from(&self.frames[n]) {
                Some(block) => known.during_call(body, block),
                None => FxHashSet::default(),
            },
        }
    }
}

/// The block whose call is in progress.
fn called_from(frame: &Frame) -> Option<BlockId> {
    let at = (frame.pc as usize).checked_sub(1)?;
    frame.code.block_of(at)
}

impl Memory {
    /// The allocated objects that were not freed, oldest places first.
    fn allocated(&self) -> Vec<ObjId> {
        if self.heap_objects == 0 {
            return Vec::new();
        }
        let all = self.info.iter().enumerate();
        let heap = all.filter(|(_, i)| i.kind == Kind::Heap && i.state == State::Live);
        heap.map(|(id, _)| id as ObjId).collect()
    }

    /// The live objects that can be reached from objects and words, and how many words were looked at. Words of
    /// memory start at multiples of `step` bytes.
    fn reachable(
        &self,
        roots: &[ObjId],
        words: &[u64],
        pointer: usize,
        step: usize,
    ) -> (FxHashSet<ObjId>, u64) {
        let mut seen: FxHashSet<ObjId> = FxHashSet::default();
        let mut work: Vec<ObjId> = Vec::new();
        let mut cost = words.len() as u64;
        let mut add = |id: ObjId, work: &mut Vec<ObjId>| {
            if seen.insert(id) {
                work.push(id);
            }
        };
        roots.iter().for_each(|id| add(*id, &mut work));
        let found = words.iter().filter_map(|w| self.live_object(*w));
        found.for_each(|id| add(id, &mut work));
        while let Some(id) = work.pop() {
            let bytes = &self.objects[id as usize].bytes;
            for word in bytes.windows(pointer).step_by(step) {
                let addr = word.iter().rev().fold(0, |n, b| n << 8 | u64::from(*b));
                if addr != 0
                    && let Some(id) = self.live_object(addr)
                {
                    add(id, &mut work);
                }
            }
            cost += (bytes.len() / step) as u64;
        }
        (seen, cost)
    }
}
