//! The shadow: which bytes of an object were ever written.

use super::{Memory, ObjId};

impl Memory {
    /// Whether all of `len` bytes at `offset` were written.
    pub fn is_written(&self, id: ObjId, offset: u64, len: u64) -> bool {
        self.objects[id as usize].missing == 0
            || (offset..offset + len).all(|at| self.byte_written(id, at))
    }

    /// Whether one byte was written.
    pub fn byte_written(&self, id: ObjId, at: u64) -> bool {
        let info = &self.info[id as usize];
        match self.objects[id as usize].missing {
            0 => true,
            n if u64::from(n) == info.size => false,
            _ => info.written[(at / 64) as usize] >> (at % 64) & 1 == 1,
        }
    }

    /// Whether `len` bytes at an address may be read and none of them was ever written.
    pub fn is_unwritten(&self, addr: u64, len: u64) -> bool {
        let Ok((id, offset)) = self.locate(addr, len) else {
            return false;
        };
        (offset..offset + len).all(|at| !self.byte_written(id, at))
    }

    /// Notes that `len` bytes at `offset` are written.
    pub fn set_written(&mut self, id: ObjId, offset: u64, len: u64) {
        let missing = self.objects[id as usize].missing;
        if missing == 0 || len == 0 {
            return;
        }
        let size = self.info[id as usize].size;
        if len == size {
            self.objects[id as usize].missing = 0;
            return;
        }
        let mut fresh = 0;
        let bits = self.bits(id);
        each_word(offset, len, |word, mask| {
            fresh += (mask & !bits[word]).count_ones();
            bits[word] |= mask;
        });
        self.objects[id as usize].missing = missing - fresh;
    }

    /// Notes that `len` bytes at `offset` are indeterminate.
    pub fn clear_written(&mut self, id: ObjId, offset: u64, len: u64) {
        let size = self.info[id as usize].size;
        if len == 0 || self.zero {
            return;
        }
        if len == size {
            self.objects[id as usize].missing = size as u32;
            return;
        }
        let missing = self.objects[id as usize].missing;
        let mut lost = 0;
        let bits = self.bits(id);
        each_word(offset, len, |word, mask| {
            lost += (mask & bits[word]).count_ones();
            bits[word] &= !mask;
        });
        self.objects[id as usize].missing = missing + lost;
    }

    /// The bits of an object, made to agree with its count of missing bytes.
    fn bits(&mut self, id: ObjId) -> &mut Vec<u64> {
        let missing = self.objects[id as usize].missing;
        let info = &mut self.info[id as usize];
        let words = info.size.div_ceil(64) as usize;
        if missing == 0 {
            info.written.clear();
            info.written.resize(words, u64::MAX);
        } else if u64::from(missing) == info.size {
            info.written.clear();
            info.written.resize(words, 0);
        }
        &mut info.written
    }
}

/// Calls `visit` with each word of the bit set and the mask of the bits `offset..offset+len`.
fn each_word(offset: u64, len: u64, mut visit: impl FnMut(usize, u64)) {
    let mut at = offset;
    let end = offset + len;
    while at < end {
        let upto = end.min((at / 64 + 1) * 64);
        let count = upto - at;
        let mask = if count == 64 {
            u64::MAX
        } else {
            ((1 << count) - 1) << (at % 64)
        };
        visit((at / 64) as usize, mask);
        at = upto;
    }
}
