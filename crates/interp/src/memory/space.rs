//! Addresses. With 64 bits each object has a slot of 4 GiB of its own, so finding it is a
//! shift and a stray pointer never lands in a neighbour. With 32 bits or 16 objects are packed, with
//! gaps between them, and freed ranges are used again only when all others are gone.

use super::{ObjId, Object};
use cwolf_cwi::Target;

/// Which addresses belong to which object.
pub(crate) enum Space {
    Slots,
    Packed(Packed),
}

/// Address bits 32..56 are the place in the object table, 56..63 count its reuses.
const INDEX_BITS: u32 = 24;
const INDEX_MASK: u64 = (1 << INDEX_BITS) - 1;
const GENERATIONS: u8 = 127;
/// Lowest start of an object in its slot; a little before it is still the slot.
const FIRST: u64 = 1 << 16;

impl Space {
    pub fn new(target: Target) -> Space {
        match target.pointer_bits {
            64 => Space::Slots,
            bits => Space::Packed(Packed::new(bits)),
        }
    }

    /// A range of addresses for an object.
    pub fn assign(&mut self, id: ObjId, generation: u8, size: u64, align: u64) -> Option<u64> {
        match self {
            Space::Slots => {
                // Objects start at different low addresses, as in a real memory: programs cut
                // pointers to 32 bits and hash them.
                let start = (FIRST + (u64::from(id) & 0xfff) * 16).next_multiple_of(align);
                let fits = u64::from(id) <= INDEX_MASK && start + size < 1 << 32;
                fits.then_some((u64::from(generation) << 56) | (u64::from(id) << 32) | start)
            }
            Space::Packed(packed) => packed.assign(id, size, align),
        }
    }

    /// Gives a range back; says whether the object's place in the table may be used again.
    pub fn release(&mut self, base: u64, size: u64, generation: u8) -> bool {
        match self {
            Space::Slots => generation < GENERATIONS,
            Space::Packed(packed) => {
                packed.release(base, size);
                // Old granules keep naming the place, but its new base is elsewhere, so an
                // access through them is still out of bounds.
                true
            }
        }
    }

    /// The object, dead or alive, in whose range the address lies.
    #[inline(always)]
    pub fn find(&self, addr: u64, objects: &[Object]) -> Option<ObjId> {
        match self {
            Space::Slots => {
                let id = ((addr >> 32) & INDEX_MASK) as usize;
                (id < objects.len()).then_some(id as ObjId)
            }
            Space::Packed(packed) => packed.find(addr),
        }
    }
}

/// Bytes in the unit of address assignment; every object has at least one unit after it.
const GRANULE: u64 = 16;
const CHUNK: u64 = 1 << 16;
const PER_CHUNK: usize = (CHUNK / GRANULE) as usize;

/// An address space of 32 bits, or of 16.
pub(crate) struct Packed {
    /// For each 64 KiB, the object of each granule; 0 for none.
    chunks: Vec<Option<Box<[ObjId]>>>,
    /// Free ranges, the one in use last.
    free: Vec<(u64, u64)>,
    /// Freed ranges in quarantine.
    released: Vec<(u64, u64)>,
}

impl Packed {
    fn new(bits: u16) -> Packed {
        let (lowest, highest) = match bits {
            16 => (0x0100, 0xfff0),
            _ => (0x0804_8000, 0xffff_0000),
        };
        Packed {
            chunks: (0..=highest / CHUNK).map(|_| None).collect(),
            free: vec![(lowest, highest)],
            released: Vec::new(),
        }
    }

    /// How many bytes of addresses an object takes, with its gap.
    fn span(size: u64) -> u64 {
        size.next_multiple_of(GRANULE) + GRANULE
    }

    fn assign(&mut self, id: ObjId, size: u64, align: u64) -> Option<u64> {
        let align = align.max(GRANULE);
        let span = Packed::span(size);
        if let Some(base) = self.take(span, align) {
            self.fill(base, span, id);
            return Some(base);
        }
        self.end_quarantine();
        let base = self.take(span, align)?;
        self.fill(base, span, id);
        Some(base)
    }

    fn take(&mut self, span: u64, align: u64) -> Option<u64> {
        // Last first: there is usually one range, and small leftovers gather at the front.
        for n in (0..self.free.len()).rev() {
            let (lo, hi) = self.free[n];
            let base = lo.next_multiple_of(align);
            if base + span > hi {
                continue;
            }
            self.free[n].0 = base + span;
            if base > lo {
                self.released.push((lo, base));
            }
            if self.free[n].0 == hi {
                self.free.remove(n);
            }
            return Some(base);
        }
        None
    }

    fn release(&mut self, base: u64, size: u64) {
        self.released.push((base, base + Packed::span(size)));
    }

    fn end_quarantine(&mut self) {
        let mut ranges = std::mem::take(&mut self.free);
        ranges.append(&mut self.released);
        ranges.sort_unstable();
        for (lo, hi) in ranges {
            match self.free.last_mut() {
                Some(last) if last.1 == lo => last.1 = hi,
                _ => self.free.push((lo, hi)),
            }
        }
        for n in 0..self.free.len() {
            let (lo, hi) = self.free[n];
            self.fill(lo, hi - lo, 0);
        }
    }

    fn fill(&mut self, base: u64, span: u64, id: ObjId) {
        let mut at = base;
        while at < base + span {
            let chunk = (at / CHUNK) as usize;
            let end = (base + span).min((at / CHUNK + 1) * CHUNK);
            let slots = &mut self.chunks[chunk];
            if id != 0 || slots.is_some() {
                let slots = slots.get_or_insert_with(|| vec![0; PER_CHUNK].into());
                let from = (at % CHUNK / GRANULE) as usize;
                let count = (end - at).div_ceil(GRANULE) as usize;
                slots[from..from + count].fill(id);
            }
            at = end;
        }
    }

    #[inline]
    fn find(&self, addr: u64) -> Option<ObjId> {
        let chunk = self.chunks.get((addr / CHUNK) as usize)?.as_ref()?;
        let id = chunk[(addr % CHUNK / GRANULE) as usize];
        (id != 0).then_some(id)
    }
}
