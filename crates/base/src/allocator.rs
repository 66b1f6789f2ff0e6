//! The one wish to the allocator: memory that was freed goes back to the system. glibc keeps what a thread has
//! freed for that thread, so that a process looks as large as before, and others cannot have it.
#![allow(unsafe_code)]

#[cfg(all(target_os = "linux", target_env = "gnu"))]
unsafe extern "C" {
    /// glibc's; it may be called by any thread at any time.
    safe fn malloc_trim(pad: usize) -> std::ffi::c_int;
}

/// Gives freed memory back to the system, where the allocator does so when it is asked.
pub(crate) fn return_freed() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    malloc_trim(0);
}

#[cfg(all(test, target_os = "linux", target_env = "gnu"))]
mod tests {
    use super::*;
    use crate::resident_bytes;

    /// Every second block stays, so that nothing at the end of the heap is free.
    #[test]
    fn freed_memory_goes_back() {
        const SIZE: usize = 64 << 10;
        let (mut kept, mut dropped) = (Vec::new(), Vec::new());
        for _ in 0..2000 {
            dropped.push(vec![1u8; SIZE]);
            kept.push(vec![1u8; 64]);
        }
        drop(dropped);
        let before = resident_bytes().expect("Linux tells");
        return_freed();
        let after = resident_bytes().expect("Linux tells");
        assert!(before < (SIZE as u64) * 1000 || after + (SIZE as u64) * 1000 < before);
        drop(kept);
    }
}
