//! What code outside the program does to memory: it may change all that it can reach.

use crate::error::Fault;
use crate::machine::Machine;
use crate::memory::{Kind, ObjId, State};
use cwolf_cwi::Types;

/// Bytes of one object that are chosen one by one, as far as a run can be expected to look at them.
const MOST: u64 = 1 << 16;

impl Machine<'_> {
    /// Code that nobody sees may have changed what lies at an address: `size` bytes, or all that can be
    /// reached from there, which it knows from now on.
    pub(crate) fn havoc(&mut self, addr: u64, size: Option<u64>) -> Result<(), Fault> {
        let Some(size) = size else {
            // What can be reached now is known even if nothing leads there later.
            for id in self.reached(&[addr]) {
                let start = self.memory.address(id);
                if self.memory.live_object(start).is_some() && !self.given.contains(&start) {
                    self.given.push(start);
                }
            }
            return self.change_reached(&[addr]);
        };
        let changes = self.options.oracle.changes_memory();
        match self.memory.object_at(addr) {
            Some(id) if changes && self.is_open(id) => self.change_bytes(id, addr, size),
            _ => Ok(()),
        }
    }

    /// The same for all that it was given before, without a size.
    pub(crate) fn havoc_known(&mut self) -> Result<(), Fault> {
        let mut given = std::mem::take(&mut self.given);
        given.retain(|addr| self.memory.live_object(*addr).is_some());
        let done = match self.options.oracle.changes_kept() {
            true => self.change_reached(&given),
            false => self.leave_reached(&given),
        };
        self.given = given;
        done
    }

    /// Asks for the same values, and leaves everything as it is.
    fn leave_reached(&mut self, roots: &[u64]) -> Result<(), Fault> {
        if !self.options.oracle.changes_memory() {
            return Ok(());
        }
        let mut before = Vec::new();
        for id in self.reached(roots) {
            let (start, size) = (self.memory.address(id), self.memory.info[id as usize].size);
            if self.is_open(id)
                && let Ok(bytes) = self.memory.bytes(start, size)
            {
                before.push((start, bytes.to_vec()));
            }
        }
        self.change_reached(roots)?;
        before
            .into_iter()
            .try_for_each(|(start, bytes)| self.memory.store(start, &bytes))
    }

    /// Chooses new contents, if the oracle wants memory changed; leaves them open, if somebody says
    /// later what was found there.
    fn change_reached(&mut self, roots: &[u64]) -> Result<(), Fault> {
        let chooses = self.options.oracle.changes_memory();
        if !chooses && !self.settles {
            return Ok(());
        }
        for id in self.reached(roots) {
            let info = &self.memory.info[id as usize];
            let (kind, size, start) = (info.kind, info.size, self.memory.address(id));
            if !self.is_open(id) {
                continue;
            }
            match kind {
                Kind::Var(_) | Kind::Heap | Kind::Alloca if !chooses => {
                    self.memory.clear_written(id, 0, size);
                }
                Kind::Var(var) => self.choose_aggregate(start, self.program.vars[var].ty)?,
                Kind::Heap | Kind::Alloca => self.choose_untyped(start, size)?,
                _ => {}
            }
        }
        Ok(())
    }

    /// The objects that code outside reaches from some addresses.
    pub(crate) fn reached(&self, roots: &[u64]) -> Vec<ObjId> {
        let pointer = self.program.target().pointer_size();
        self.memory.reached(roots, pointer)
    }

    /// Whether an object lives and may be written.
    fn is_open(&self, id: ObjId) -> bool {
        let info = &self.memory.info[id as usize];
        let fixed = self.memory.objects[id as usize].readonly || info.constant;
        info.state == State::Live && !fixed
    }

    fn change_bytes(&mut self, id: ObjId, addr: u64, size: u64) -> Result<(), Fault> {
        let info = &self.memory.info[id as usize];
        let (kind, whole, start) = (info.kind, info.size, self.memory.address(id));
        let from = addr.saturating_sub(start).min(whole);
        let count = size.min(whole - from);
        match kind {
            Kind::Var(var) if from == 0 && count == whole => {
                self.choose_aggregate(start, self.program.vars[var].ty)
            }
            Kind::Var(_) | Kind::Heap | Kind::Alloca | Kind::Library(_) => {
                self.choose_bytes(start + from, count)
            }
            _ => Ok(()),
        }
    }

    /// Any contents for memory whose type is not known. Pointers to objects stay: bytes that are chosen one
    /// by one make none.
    fn choose_untyped(&mut self, start: u64, size: u64) -> Result<(), Fault> {
        let word = self.program.target().pointer_size();
        let size = size.min(MOST);
        let mut at = 0;
        while at < size {
            let len = word.min(size - at);
            let bytes = self.memory.bytes(start + at, len)?;
            let addr = bytes.iter().rev().fold(0, |n, b| n << 8 | u64::from(*b));
            let points = len == word && addr != 0 && self.memory.live_object(addr).is_some();
            if !points {
                self.choose_bytes(start + at, len)?;
            }
            at += len;
        }
        Ok(())
    }

    pub(crate) fn choose_bytes(&mut self, start: u64, count: u64) -> Result<(), Fault> {
        (0..count.min(MOST)).try_for_each(|n| self.choose_aggregate(start + n, Types::CHAR))
    }
}
