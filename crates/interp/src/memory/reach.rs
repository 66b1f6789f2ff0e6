//! What can be reached from pointers, through any number of pointers that lie in memory.

use super::{Kind, Memory, ObjId, State};
use rustc_hash::FxHashSet;

/// Bytes of one object that are looked at.
const MOST: usize = 1 << 16;

impl Memory {
    /// The live object that an address lies in or just past; functions are none.
    pub fn live_object(&self, addr: u64) -> Option<ObjId> {
        let id = self.object_at(addr)?;
        let info = &self.info[id as usize];
        let near = addr.wrapping_sub(self.address(id)) <= info.size;
        let data = !matches!(info.kind, Kind::Func(_));
        (near && data && info.state == State::Live).then_some(id)
    }

    /// Live objects that can be reached from addresses, nearest first. A word at an aligned place that is
    /// the address of an object counts as a pointer to it.
    pub fn reached(&self, roots: &[u64], pointer: u64) -> Vec<ObjId> {
        let mut found: Vec<ObjId> = Vec::new();
        let mut seen = FxHashSet::default();
        let mut add = |addr: u64, found: &mut Vec<ObjId>| {
            if let Some(id) = self.live_object(addr)
                && seen.insert(id)
            {
                found.push(id);
            }
        };
        roots.iter().for_each(|addr| add(*addr, &mut found));
        let mut next = 0;
        while let Some(id) = found.get(next) {
            let bytes = &self.objects[*id as usize].bytes;
            for word in bytes[..bytes.len().min(MOST)].chunks_exact(pointer as usize) {
                let addr = word.iter().rev().fold(0, |n, b| n << 8 | u64::from(*b));
                if addr != 0 {
                    add(addr, &mut found);
                }
            }
            next += 1;
        }
        found
    }
}
