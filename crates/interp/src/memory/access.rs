//! Reading and writing bytes, with every check. The functions with a constant size are the
//! fast path of the main loop; they miss (`None`) on anything unusual.

use super::{Memory, ObjId};
use crate::error::{ErrorKind, Fault};

/// Checks that two ranges, each an address and a length, share no byte. The C library may copy in
/// any order, so a copy onto itself is as wrong as one by a single byte.
pub(crate) fn apart(to: (u64, u64), from: (u64, u64)) -> Result<(), Fault> {
    let (a, b) = (to.0, from.0);
    let meet = to.1 > 0 && from.1 > 0 && a < b.saturating_add(from.1) && b < a.saturating_add(to.1);
    if !meet {
        return Ok(());
    }
    let shift = i128::from(a) - i128::from(b);
    let message = format!(
        "the {} bytes that are written overlap the {} bytes that are read (they start {shift} bytes apart)",
        to.1, from.1
    );
    Err(Fault::Other(ErrorKind::Overlap, message))
}

impl Memory {
    /// `N` written bytes of an object.
    #[inline(always)]
    pub fn read_at<const N: usize>(&self, id: ObjId, offset: u64) -> Option<[u8; N]> {
        let object = self.objects.get(id as usize)?;
        let at = offset as usize;
        let bytes = object.bytes.get(at..at.wrapping_add(N))?;
        if object.missing != 0 && !self.is_written(id, offset, N as u64) {
            return None;
        }
        bytes.try_into().ok()
    }

    /// `N` written bytes at an address.
    #[inline(always)]
    pub fn read<const N: usize>(&self, addr: u64) -> Option<[u8; N]> {
        let id = self.space.find(addr, &self.objects)?;
        self.read_at(id, addr.wrapping_sub(self.objects[id as usize].base))
    }

    /// Writes `N` bytes to an object; says whether it could.
    #[inline(always)]
    pub fn write_at<const N: usize>(&mut self, id: ObjId, offset: u64, data: [u8; N]) -> bool {
        let at = offset as usize;
        let Some(object) = self.objects.get_mut(id as usize) else {
            return false;
        };
        if object.readonly {
            return false;
        }
        let Some(bytes) = object.bytes.get_mut(at..at.wrapping_add(N)) else {
            return false;
        };
        bytes.copy_from_slice(&data);
        if object.missing != 0 {
            self.set_written(id, offset, N as u64);
        }
        true
    }

    /// Writes `N` bytes at an address; says whether it could.
    #[inline(always)]
    pub fn write<const N: usize>(&mut self, addr: u64, data: [u8; N]) -> bool {
        match self.space.find(addr, &self.objects) {
            Some(id) => {
                let base = self.objects[id as usize].base;
                self.write_at(id, addr.wrapping_sub(base), data)
            }
            None => false,
        }
    }

    /// The object and offset of `len` readable bytes.
    pub fn locate(&self, addr: u64, len: u64) -> Result<(ObjId, u64), Fault> {
        let fault = Fault::Read { addr, size: len };
        let id = self.space.find(addr, &self.objects).ok_or(fault.clone())?;
        let object = &self.objects[id as usize];
        let offset = addr.wrapping_sub(object.base);
        let end = offset.checked_add(len).ok_or(fault.clone())?;
        // An empty range is fine in any object that lives, also just past its end.
        if end > object.bytes.len() as u64 || object.bytes.is_empty() {
            return Err(fault);
        }
        Ok((id, offset))
    }

    /// The object and offset of `len` writable bytes.
    pub fn locate_mut(&self, addr: u64, len: u64) -> Result<(ObjId, u64), Fault> {
        let fault = Fault::Write { addr, size: len };
        match self.locate(addr, len) {
            Ok((id, _)) if self.objects[id as usize].readonly && len > 0 => Err(fault),
            Ok(found) => Ok(found),
            Err(_) => Err(fault),
        }
    }

    /// `len` bytes, written or not.
    pub fn bytes(&self, addr: u64, len: u64) -> Result<&[u8], Fault> {
        if len == 0 {
            return Ok(&[]);
        }
        let (id, offset) = self.locate(addr, len)?;
        Ok(&self.objects[id as usize].bytes[offset as usize..(offset + len) as usize])
    }

    /// `len` bytes that were all written.
    pub fn written_bytes(&self, addr: u64, len: u64) -> Result<&[u8], Fault> {
        if len == 0 {
            return Ok(&[]);
        }
        let (id, offset) = self.locate(addr, len)?;
        if !self.is_written(id, offset, len) {
            return Err(Fault::Uninit("memory that is read"));
        }
        Ok(&self.objects[id as usize].bytes[offset as usize..(offset + len) as usize])
    }

    /// Whether `len` readable bytes were all written.
    pub fn all_written(&self, addr: u64, len: u64) -> Result<bool, Fault> {
        let (id, offset) = self.locate(addr, len)?;
        Ok(self.is_written(id, offset, len))
    }

    /// Writes bytes.
    pub fn store(&mut self, addr: u64, data: &[u8]) -> Result<(), Fault> {
        let len = data.len() as u64;
        if len == 0 {
            return Ok(());
        }
        let (id, offset) = self.locate_mut(addr, len)?;
        let at = offset as usize;
        self.objects[id as usize].bytes[at..at + data.len()].copy_from_slice(data);
        self.set_written(id, offset, len);
        Ok(())
    }

    /// Writes the same byte `len` times.
    pub fn fill(&mut self, addr: u64, byte: u8, len: u64) -> Result<(), Fault> {
        if len == 0 {
            return Ok(());
        }
        let (id, offset) = self.locate_mut(addr, len)?;
        let at = offset as usize;
        self.objects[id as usize].bytes[at..at + len as usize].fill(byte);
        self.set_written(id, offset, len);
        Ok(())
    }

    /// Makes `len` bytes indeterminate.
    pub fn forget(&mut self, addr: u64, len: u64) -> Result<(), Fault> {
        let (id, offset) = self.locate_mut(addr, len)?;
        self.clear_written(id, offset, len);
        Ok(())
    }

    /// Copies `len` bytes and their shadow; the ranges may overlap.
    pub fn copy(&mut self, to: u64, from: u64, len: u64) -> Result<(), Fault> {
        if len == 0 {
            return Ok(());
        }
        let (src, src_at) = self.locate(from, len)?;
        let (dst, dst_at) = self.locate_mut(to, len)?;
        if src == dst {
            let shadow = self.take_shadow(src, src_at, len);
            let (a, b) = (src_at as usize, dst_at as usize);
            let bytes = &mut self.objects[src as usize].bytes;
            bytes.copy_within(a..a + len as usize, b);
            self.put_shadow(dst, dst_at, len, shadow);
            return Ok(());
        }
        let bytes = std::mem::take(&mut self.objects[src as usize].bytes);
        let source = &bytes[src_at as usize..(src_at + len) as usize];
        let at = dst_at as usize;
        self.objects[dst as usize].bytes[at..at + len as usize].copy_from_slice(source);
        self.objects[src as usize].bytes = bytes;
        let shadow = self.take_shadow(src, src_at, len);
        self.put_shadow(dst, dst_at, len, shadow);
        Ok(())
    }

    /// Copies `len` bytes and their shadow between ranges that must not overlap.
    pub fn copy_apart(&mut self, to: u64, from: u64, len: u64) -> Result<(), Fault> {
        // A range that does not exist is the worse mistake, and is told first.
        if len > 0 {
            self.locate(from, len)?;
            self.locate_mut(to, len)?;
        }
        apart((to, len), (from, len))?;
        self.copy(to, from, len)
    }

    /// Checks that `len` bytes may be written, whether they all will be or not.
    pub fn writable(&self, addr: u64, len: u64) -> Result<(), Fault> {
        match len {
            0 => Ok(()),
            _ => self.locate_mut(addr, len).map(|_| ()),
        }
    }

    /// Checks that `len` bytes may be read, written before or not.
    pub fn readable(&self, addr: u64, len: u64) -> Result<(), Fault> {
        match len {
            0 => Ok(()),
            _ => self.locate(addr, len).map(|_| ()),
        }
    }

    /// The shadow of some bytes; none if all are written.
    pub fn take_shadow(&self, id: ObjId, offset: u64, len: u64) -> Option<Vec<bool>> {
        if self.is_written(id, offset, len) {
            return None;
        }
        let written = |at| self.byte_written(id, at);
        Some((offset..offset + len).map(written).collect())
    }

    /// Sets the shadow of some bytes to one that was taken.
    pub fn put_shadow(&mut self, id: ObjId, offset: u64, len: u64, shadow: Option<Vec<bool>>) {
        let Some(shadow) = shadow else {
            self.set_written(id, offset, len);
            return;
        };
        if shadow.iter().all(|written| !written) {
            self.clear_written(id, offset, len);
            return;
        }
        let mut at = 0;
        while at < shadow.len() {
            let run = shadow[at..]
                .iter()
                .take_while(|w| **w == shadow[at])
                .count();
            let (from, count) = (offset + at as u64, run as u64);
            if shadow[at] {
                self.set_written(id, from, count);
            } else {
                self.clear_written(id, from, count);
            }
            at += run;
        }
    }

    /// The bytes of a C string, without the final zero.
    pub fn c_string(&self, addr: u64) -> Result<&[u8], Fault> {
        self.c_string_within(addr, u64::MAX)
    }

    /// The bytes of a C string of which at most `max` are looked at.
    pub fn c_string_within(&self, addr: u64, max: u64) -> Result<&[u8], Fault> {
        if max == 0 {
            return Ok(&[]);
        }
        let (id, offset) = self.locate(addr, 1)?;
        let rest = &self.objects[id as usize].bytes[offset as usize..];
        let rest = &rest[..rest.len().min(usize::try_from(max).unwrap_or(usize::MAX))];
        let len = match rest.iter().position(|b| *b == 0) {
            Some(len) => len,
            None if rest.len() as u64 == max => rest.len(),
            None if !self.is_written(id, offset, rest.len() as u64) => {
                return Err(Fault::Uninit("a string"));
            }
            None => return Err(Fault::Unterminated { addr }),
        };
        let seen = (len as u64 + 1).min(rest.len() as u64);
        if !self.is_written(id, offset, seen) {
            return Err(Fault::Uninit("a string"));
        }
        Ok(&rest[..len])
    }
}
