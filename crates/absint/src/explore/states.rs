//! The table of states: each state as one 64-bit key, with the number it was found as.

use crate::machine::mix;
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;

const SHARDS: usize = 256;
/// How finely hashes are dealt out to the shards.
const DEALS: usize = 4096;

/// The shard of each group of hashes.
pub(crate) type Owners = [u8; DEALS];
/// Numbers from here on are provisional: positions in the batch that is being added.
pub(crate) const PROVISIONAL: u32 = 1 << 31;

/// One part of the table. Each is worked on by one thread at a time.
#[derive(Debug, Default)]
pub(crate) struct Shard(HashTable<u32>);

/// All states found so far.
///
/// The shards have unequal shares of the keys, from 1 to nearly 2. So they grow one after the
/// other: the memory follows the number of states without jumps, and the old and the new table
/// are there together only for a small part.
#[derive(Debug)]
pub(crate) struct States {
    keys: Vec<u64>,
    shards: Vec<Shard>,
    owners: Box<Owners>,
}

impl Default for States {
    fn default() -> Self {
        let mut owners = Box::new([0; DEALS]);
        // In an order in which any part of the list has about its part of the keys.
        let spread = |n: usize| (n.reverse_bits() >> (usize::BITS - SHARDS.ilog2())) as f64;
        let share = |n: usize| (spread(n) / SHARDS as f64).exp2();
        let total: f64 = (0..SHARDS).map(share).sum();
        let mut sum = 0.0;
        let mut shard = 0;
        for (n, owner) in owners.iter_mut().enumerate() {
            while shard + 1 < SHARDS && (n as f64) / DEALS as f64 >= (sum + share(shard)) / total {
                sum += share(shard);
                shard += 1;
            }
            *owner = shard as u8;
        }
        States {
            keys: Vec::new(),
            shards: (0..SHARDS).map(|_| Shard::default()).collect(),
            owners,
        }
    }
}

impl States {
    pub fn len(&self) -> usize {
        self.keys.len()
    }
    pub fn keys(&self) -> &[u64] {
        &self.keys
    }
    /// The keys, and the shards to divide among threads.
    pub fn parts(&mut self) -> (&[u64], &Owners, &mut [Shard]) {
        (&self.keys, &self.owners, &mut self.shards)
    }
    /// The number of a state, and whether it is new.
    pub fn insert(&mut self, key: u64) -> (u32, bool) {
        let next = self.keys.len() as u32;
        let hash = hash(key);
        let keys = &self.keys;
        let table = &mut self.shards[owner(&self.owners, hash) as usize].0;
        let same = |id: &u32| keys[*id as usize] == key;
        match table.entry(hash, same, |id| self::hash(keys[*id as usize])) {
            Entry::Occupied(entry) => (*entry.get(), false),
            Entry::Vacant(entry) => {
                entry.insert(next);
                self.push(key);
                (next, true)
            }
        }
    }
    /// The next state. Its entry in a shard is there already, or follows.
    pub fn push(&mut self, key: u64) -> u32 {
        let id = self.keys.len() as u32;
        assert!(id < PROVISIONAL, "fewer than 2^31 states");
        self.keys.push(key);
        id
    }
    /// Gives the table back and keeps the keys.
    pub fn into_keys(self) -> Vec<u64> {
        self.keys
    }
}

/// Which shard a hash belongs to.
pub(crate) fn owner(owners: &Owners, hash: u64) -> u8 {
    // The table itself uses the low bits and the highest seven.
    owners[(hash >> 44) as usize % DEALS]
}

pub(crate) fn hash(key: u64) -> u64 {
    mix(key)
}

impl Shard {
    /// The number of `key`: final if it is known, else provisional, the first position in
    /// `batch` that has it; `position` is added if there was none.
    pub fn insert(&mut self, keys: &[u64], batch: &[u64], position: u32) -> u32 {
        let key = batch[position as usize];
        let key_of = |id: u32| match id {
            PROVISIONAL.. => batch[(id - PROVISIONAL) as usize],
            id => keys[id as usize],
        };
        let entry = self
            .0
            .entry(hash(key), |id| key_of(*id) == key, |id| hash(key_of(*id)));
        match entry {
            Entry::Occupied(entry) => *entry.get(),
            Entry::Vacant(entry) => {
                entry.insert(PROVISIONAL + position);
                PROVISIONAL + position
            }
        }
    }
    /// Replaces a provisional number.
    pub fn settle(&mut self, key: u64, position: u32, id: u32) {
        let found = self.0.find_mut(hash(key), |n| *n == PROVISIONAL + position);
        *found.expect("it was inserted") = id;
    }
}
