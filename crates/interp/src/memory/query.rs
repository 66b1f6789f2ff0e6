//! Questions about memory that CWI can ask (`MemoryTest`): they read no contents, except `text`,
//! and never fail.

use super::{Kind, Memory, ObjId, State};
use crate::libc::STREAM;
use cwolf_cwi::{HANDLE, MemoryTest, WIDE};

/// No object lies below this address, nor as near to the last one: such numbers mean something of their own.
const SMALL: u64 = 4096;

impl Memory {
    /// The answer for the addresses and the count of bytes in `args`.
    pub fn answer(&self, test: MemoryTest, args: [u64; 3]) -> bool {
        let [p, q, n] = args;
        match test {
            MemoryTest::Live => self.live_data(p).is_some(),
            MemoryTest::Inside => self.live_data(p).is_none_or(|id| self.is_inside(id, p, q)),
            MemoryTest::Mutable => self.live_data(p).is_none_or(|id| {
                !self.objects[id as usize].readonly && !self.info[id as usize].constant
            }),
            MemoryTest::Freeable => p == 0 || self.heap_block(p).is_ok(),
            MemoryTest::Callable => self.function_at(p).is_some(),
            MemoryTest::Apart => n == 0 || p.abs_diff(q) >= n,
            MemoryTest::Open => self.is_handle(p),
            MemoryTest::Tracked | MemoryTest::Kept | MemoryTest::Cleaned => {
                unreachable!("for the whole machine to say")
            }
            MemoryTest::Text => self.bytes_from(p).contains(&0),
            MemoryTest::WideText => {
                let mut elements = self.bytes_from(p).chunks_exact(WIDE as usize);
                elements.any(|element| element.iter().all(|b| *b == 0))
            }
        }
    }

    /// The bytes from an address on to the end of its object; none if it leads to no live one.
    fn bytes_from(&self, p: u64) -> &[u8] {
        let object = self.live_data(p).map(|id| &self.objects[id as usize]);
        let bytes = object.and_then(|o| o.bytes.get(p.wrapping_sub(o.base) as usize..));
        bytes.unwrap_or_default()
    }

    /// Whether C says if two addresses are equal: not of an object that is gone, of the end of one and the start of
    /// another, nor of two literals, which may be one.
    pub fn comparable(&self, p: u64, q: u64) -> bool {
        let small = |addr: u64| addr < SMALL || addr > SMALL.wrapping_neg();
        let same = self.object_at(p).is_some() && self.object_at(p) == self.object_at(q);
        let apart = || self.is_apart(p) && self.is_apart(q) && !self.may_share(p, q);
        let meant = |addr: u64| small(addr) || self.never_led(addr);
        same || meant(p) || meant(q) || apart()
    }

    /// Whether an address is a number that was never an object's, as far as can be told.
    fn never_led(&self, addr: u64) -> bool {
        self.object_at(addr).is_none() && !self.uses_places_again()
    }

    /// Whether an address is a function's, or inside of a live object.
    fn is_apart(&self, addr: u64) -> bool {
        let data = || {
            self.live_data(addr)
                .is_some_and(|id| self.is_inside(id, addr, 1))
        };
        self.function_at(addr).is_some() || data()
    }

    /// Whether two addresses may lead into one literal: from there on, the texts are the same.
    fn may_share(&self, p: u64, q: u64) -> bool {
        let constant =
            |id: ObjId| self.objects[id as usize].readonly || self.info[id as usize].constant;
        let are_constant =
            [p, q].map(|addr| self.live_data(addr).is_some_and(constant)) == [true; 2];
        are_constant && self.bytes_from(p) == self.bytes_from(q)
    }

    /// Whether an address is a handle that is open: one of this library, or of what stands for it.
    pub fn is_handle(&self, p: u64) -> bool {
        let library = |id: ObjId| match self.info[id as usize].kind {
            Kind::Library(what) => what == STREAM || what == crate::machine::OUTSIDE_NAME,
            _ => false,
        };
        self.heap_block(p.wrapping_sub(HANDLE)).is_ok() || self.live_data(p).is_some_and(library)
    }

    /// The live object of data that an address leads to, or leads near.
    fn live_data(&self, addr: u64) -> Option<ObjId> {
        let id = self.object_at(addr)?;
        let info = &self.info[id as usize];
        let data = !matches!(info.kind, Kind::Func(_) | Kind::Extern(_));
        (info.state == State::Live && data).then_some(id)
    }

    fn is_inside(&self, id: ObjId, addr: u64, count: u64) -> bool {
        let from = addr.wrapping_sub(self.objects[id as usize].base);
        let end = from.checked_add(count);
        end.is_some_and(|end| end <= self.info[id as usize].size)
    }
}
