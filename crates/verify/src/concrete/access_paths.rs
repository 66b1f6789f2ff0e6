//! How code outside the program finds an object: by the name of a variable, through an argument, or
//! through a pointer that it kept from an earlier call; then from pointer to pointer.

use cwolf_cwi::{Linkage, VarId, VarKind};
use cwolf_interp::View;

/// Bytes of one object that are searched for pointers.
const MOST: u64 = 1 << 16;
/// Objects that are found for one call.
const OBJECTS: usize = 1 << 10;

/// Where a way begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Root {
    /// At an argument, by number from 0.
    Argument(usize),
    /// At an argument that is a structure or a union itself, by number from 0.
    Aggregate(usize),
    /// At `errno`.
    Errno,
    /// At a variable with external linkage.
    Variable(VarId),
    /// At a pointer that an earlier call kept, by number.
    Kept(usize),
}

/// The way to a pointer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccessPath {
    /// Where it begins.
    pub root: Root,
    /// How many bytes further the next pointer lies, again and again.
    pub steps: Vec<i64>,
}

/// An object that a call can reach: where it lies, and a pointer into it.
#[derive(Clone, Debug)]
pub(super) struct Known {
    pub(super) start: u64,
    pub(super) size: u64,
    pub(super) pointer: u64,
    pub(super) way: AccessPath,
}

impl Known {
    pub(super) fn holds(&self, addr: u64) -> bool {
        (self.start..self.start + self.size).contains(&addr)
    }
    /// Inside or one past the end.
    pub(super) fn is_near(&self, addr: u64) -> bool {
        (self.start..=self.start + self.size).contains(&addr)
    }
    /// From the pointer to an address.
    pub(super) fn offset(&self, addr: u64) -> i64 {
        addr.wrapping_sub(self.pointer) as i64
    }
}

/// Variables that a harness can name.
pub(super) fn variables(view: &View<'_, '_>) -> Vec<(Root, u64)> {
    let vars = view.program().vars.enumerate();
    let named = vars.filter(|(_, var)| {
        var.kind == VarKind::Global && var.linkage == Linkage::External && var.alias.is_none()
    });
    named
        .filter_map(|(id, _)| Some((Root::Variable(id), view.address(id)?)))
        .collect()
}

/// Where `errno` is, if it is used.
pub(super) fn errno(view: &View<'_, '_>) -> Option<Known> {
    let mut found = reach(vec![(Root::Errno, view.errno()?)], view);
    found.pop()
}

/// All that can be reached from pointers, nearest first.
pub(super) fn reach(roots: Vec<(Root, u64)>, view: &View<'_, '_>) -> Vec<Known> {
    let word = view.program().target().pointer_size();
    let mut found: Vec<Known> = Vec::new();
    let add = |pointer: u64, way: AccessPath, found: &mut Vec<Known>| {
        if let Some((start, size)) = view.object(pointer)
            && found.len() < OBJECTS
            && pointer.wrapping_sub(start) <= size
            && found.iter().all(|known| known.start != start)
        {
            found.push(Known {
                start,
                size,
                pointer,
                way,
            });
        }
    };
    for (root, pointer) in roots {
        let steps = Vec::new();
        add(pointer, AccessPath { root, steps }, &mut found);
    }
    let mut next = 0;
    while let Some(known) = found.get(next).cloned() {
        next += 1;
        let size = known.size.min(MOST) / word * word;
        let Some(bytes) = view.stored(known.start, size) else {
            continue;
        };
        for (n, bytes) in bytes.chunks_exact(word as usize).enumerate() {
            let pointer = bytes.iter().rev().fold(0, |n, b| n << 8 | u64::from(*b));
            if pointer != 0 {
                let mut way = known.way.clone();
                way.steps.push(known.offset(known.start + n as u64 * word));
                add(pointer, way, &mut found);
            }
        }
    }
    found
}
