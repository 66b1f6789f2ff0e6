//! Slices kept once: equal contents, equal number, whichever thread asks first.
//!
//! Reading takes no lock. Numbers depend on the order of arrival, so nothing that is printed
//! may depend on them; only their equality means something.

use hashbrown::HashTable;
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, OnceLock};

/// The first chunk has this many slots, each further one as many as all before it.
const FIRST_CHUNK: u32 = 64;
const CHUNKS: usize = 27;
const SHARDS: usize = 16;

type Slot<T> = OnceLock<Box<[T]>>;

/// A growing table of distinct slices.
#[derive(Debug)]
pub struct Pool<T> {
    chunks: [OnceLock<Box<[Slot<T>]>>; CHUNKS],
    shards: [Mutex<HashTable<(u32, u64)>>; SHARDS],
    next: AtomicU32,
}

impl<T> Default for Pool<T> {
    fn default() -> Self {
        Pool {
            chunks: [const { OnceLock::new() }; CHUNKS],
            shards: [const { Mutex::new(HashTable::new()) }; SHARDS],
            next: AtomicU32::new(0),
        }
    }
}

/// Chunk and position in it of slot `id`.
fn locate(id: u32) -> (usize, usize) {
    match (id / FIRST_CHUNK).checked_ilog2() {
        None => (0, id as usize),
        Some(n) => (n as usize + 1, (id - (FIRST_CHUNK << n)) as usize),
    }
}

fn chunk_len(chunk: usize) -> usize {
    (FIRST_CHUNK as usize) << chunk.saturating_sub(1)
}

impl<T: Copy + Eq + Hash> Pool<T> {
    /// The number of `slice`, new or known. Allocates only for a new one.
    pub fn intern(&self, slice: &[T]) -> u32 {
        let mut hasher = FxHasher::default();
        slice.hash(&mut hasher);
        let hash = hasher.finish();
        let mut shard = self.shards[(hash >> 60) as usize]
            .lock()
            .expect("no panic while interning");
        if let Some(&(id, _)) = shard.find(hash, |&(id, h)| h == hash && self.get(id) == slice) {
            return id;
        }
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let (chunk, position) = locate(id);
        let slots = self.chunks[chunk]
            .get_or_init(|| (0..chunk_len(chunk)).map(|_| OnceLock::new()).collect());
        let fresh = slots[position].set(slice.into()).is_ok();
        assert!(fresh, "each number is given out once");
        shard.insert_unique(hash, (id, hash), |&(_, h)| h);
        id
    }
    /// The slice that `id` stands for.
    ///
    /// # Panics
    /// When this pool never returned `id`.
    pub fn get(&self, id: u32) -> &[T] {
        let (chunk, position) = locate(id);
        self.chunks[chunk]
            .get()
            .and_then(|slots| slots[position].get())
            .expect("a number from this pool")
    }
    /// How many slices there are.
    pub fn len(&self) -> usize {
        self.next.load(Ordering::Relaxed) as usize
    }
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_follow_each_other_without_gap_or_overlap() {
        let mut expect = (0, 0);
        for id in 0..100_000 {
            assert_eq!(locate(id), expect, "slot {id}");
            expect.1 += 1;
            if expect.1 == chunk_len(expect.0) {
                expect = (expect.0 + 1, 0);
            }
        }
        let (chunk, position) = locate(u32::MAX);
        assert!(chunk < CHUNKS && position < chunk_len(chunk));
    }

    #[test]
    fn equal_slices_have_equal_numbers_in_all_threads() {
        let pool = Pool::default();
        let lists: Vec<Vec<u32>> = std::thread::scope(|s| {
            let work = || (0..2000_u64).map(|n| pool.intern(&[n, n * n])).collect();
            let threads: Vec<_> = (0..3).map(|_| s.spawn(work)).collect();
            threads
                .into_iter()
                .map(|t| t.join().expect("no panic"))
                .collect()
        });
        assert_eq!(lists[0], lists[1]);
        assert_eq!(lists[0], lists[2]);
        assert_eq!(pool.len(), 2000);
        assert_eq!(pool.get(lists[0][7]), [7, 49]);
        assert_eq!(pool.intern(&[]), pool.intern(&[]));
    }
}
