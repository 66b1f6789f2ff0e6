//! The table of states: each state as one 64-bit key, with the number it was found as.

use crate::machine::mix;

const SHARDS: usize = 256;
/// How finely hashes are dealt out to the shards.
const DEALS: usize = 4096;
/// Slots of a new shard.
const FIRST: usize = 16;
/// So many keys are looked for at a time: enough to wait for memory once for all of them, few
/// enough to stay in the cache.
pub(crate) const GROUP: usize = 16;

/// The shard of each group of hashes.
pub(crate) type Owners = [u8; DEALS];

/// One part of the table, probed one slot after the other. A slot is 0, or the number of a
/// state plus 1 in the low bits and high bits of its hash above, so that keys are seldom
/// looked at in vain. Each shard is worked on by one thread at a time.
#[derive(Debug)]
pub(crate) struct Shard {
    slots: Vec<u32>,
    used: usize,
    /// Whether keys are elsewhere than where they were put.
    pub grown: bool,
}

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
    /// How many bits of a slot are a number.
    bits: u32,
}

/// A key that is looked for: where, and for whom.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Wanted {
    pub key: u64,
    hash: u64,
    pub shard: usize,
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
        let empty = || Shard {
            slots: vec![0; FIRST],
            used: 0,
            grown: false,
        };
        States {
            keys: Vec::new(),
            shards: (0..SHARDS).map(|_| empty()).collect(),
            owners,
            bits: 16,
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
    /// Makes numbers wide enough for `more` states.
    pub fn expect(&mut self, more: usize) {
        let most = self.keys.len() + more + 1;
        assert!(most < 1 << 31, "fewer than 2^31 states");
        while most >> self.bits != 0 {
            let number = (1 << self.bits) - 1;
            self.bits += 1;
            let tag = !0 << self.bits;
            for slot in self.shards.iter_mut().flat_map(|s| &mut s.slots) {
                *slot &= tag | number;
            }
        }
    }
    /// The keys to look in, and the shards to divide among threads.
    pub fn parts(&mut self) -> (Keys<'_>, &Owners, &mut [Shard]) {
        let known = &self.keys;
        let bits = self.bits;
        let keys = Keys {
            known,
            batch: &[],
            bits,
        };
        (keys, &self.owners, &mut self.shards)
    }
    /// The number of a state, new or known.
    pub fn insert(&mut self, wanted: Wanted) -> u32 {
        let next = self.keys.len() as u32;
        let (keys, _, shards) = self.parts();
        let (id, _) = shards[wanted.shard].insert(keys, wanted, next);
        if id == next {
            self.keys.push(wanted.key);
        }
        id
    }
    /// Where some keys are, with what is needed to look for them brought near.
    pub fn look(&mut self, keys: &[u64]) -> [Wanted; GROUP] {
        let (known, owners, shards) = self.parts();
        let mut wanted = [Wanted::default(); GROUP];
        for (wanted, key) in wanted.iter_mut().zip(keys) {
            *wanted = Wanted::new(*key, owners);
        }
        known.approach(shards, 0, &wanted[..keys.len()]);
        wanted
    }
    /// The next states. Their entries in the shards are there already.
    pub fn extend(&mut self, keys: &[u64]) {
        self.keys.extend_from_slice(keys);
    }
    /// Gives the last states back; nothing is looked for after this.
    pub fn truncate(&mut self, len: usize) {
        self.keys.truncate(len);
    }
    /// Gives the table back; nothing is looked for after this.
    pub fn close(&mut self) {
        self.shards = Vec::new();
    }
    /// Gives the table back and keeps the keys.
    pub fn into_keys(self) -> Vec<u64> {
        self.keys
    }
}

impl Wanted {
    pub fn new(key: u64, owners: &Owners) -> Wanted {
        let hash = mix(key);
        // Shards use the low half for places, and the highest bits as they are.
        let shard = owners[(hash >> 40) as usize % DEALS] as usize;
        Wanted { key, hash, shard }
    }
    /// Whose share of the shards it is in.
    pub fn share(&self, jobs: usize) -> usize {
        self.shard * jobs / SHARDS
    }
}

/// The first shard of the share of one of some threads.
pub(crate) fn first_shard(share: usize, jobs: usize) -> usize {
    (share * SHARDS).div_ceil(jobs)
}

/// The keys that numbers stand for: those of states, and after them those of a batch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Keys<'k> {
    pub known: &'k [u64],
    pub batch: &'k [u64],
    pub bits: u32,
}

impl Keys<'_> {
    fn get(&self, id: u32) -> u64 {
        match self.known.get(id as usize) {
            Some(key) => *key,
            None => self.batch[id as usize - self.known.len()],
        }
    }
    /// Reads the first slots and keys that will be looked at, in shards from the `first` on.
    /// None of these reads waits for another, as those of whole searches would.
    pub fn approach(&self, shards: &[Shard], first: usize, wanted: &[Wanted]) {
        let mut slots = [0; GROUP];
        for (slot, wanted) in slots.iter_mut().zip(wanted) {
            let shard = &shards[wanted.shard - first];
            *slot = shard.slots[shard.start(wanted.hash)];
        }
        let last = self.known.len().saturating_sub(1);
        let mut seen = 0;
        for slot in &slots[..wanted.len()] {
            let id = (slot & !(!0 << self.bits)).wrapping_sub(1) as usize;
            seen ^= self.known.get(id.min(last)).copied().unwrap_or(0);
        }
        std::hint::black_box(seen);
    }
}

impl Shard {
    fn start(&self, hash: u64) -> usize {
        (((hash & 0xffff_ffff) * self.slots.len() as u64) >> 32) as usize
    }
    fn after(&self, at: usize) -> usize {
        match at + 1 == self.slots.len() {
            true => 0,
            false => at + 1,
        }
    }
    /// The number of a key, `new` if it was not there, and where it is now.
    pub fn insert(&mut self, keys: Keys<'_>, wanted: Wanted, new: u32) -> (u32, usize) {
        if self.used >= self.slots.len() / 4 * 3 {
            self.grow(keys);
        }
        let number = !(!0 << keys.bits);
        let tag = (wanted.hash >> 32) as u32 & !number;
        let mut at = self.start(wanted.hash);
        loop {
            let slot = self.slots[at];
            if slot == 0 {
                self.slots[at] = tag | (new + 1);
                self.used += 1;
                return (new, at);
            }
            if slot & !number == tag {
                let id = (slot & number) - 1;
                if keys.get(id) == wanted.key {
                    return (id, at);
                }
            }
            at = self.after(at);
        }
    }
    /// Where the key with a number is that no other key has.
    pub fn place(&self, keys: Keys<'_>, wanted: Wanted, id: u32) -> usize {
        let number = !(!0 << keys.bits);
        let mut at = self.start(wanted.hash);
        while self.slots[at] & number != id + 1 {
            at = self.after(at);
        }
        at
    }
    /// Replaces the number of the key at a place.
    pub fn settle(&mut self, keys: Keys<'_>, at: usize, id: u32) {
        let slot = &mut self.slots[at];
        *slot = *slot & (!0 << keys.bits) | (id + 1);
    }
    fn grow(&mut self, keys: Keys<'_>) {
        self.grown = true;
        let number = !(!0 << keys.bits);
        // Zeros that are written, not promised: a page that is read first and written later is
        // made twice, and other threads have to be told.
        let bigger = std::iter::repeat_n(0, self.slots.len() / 2 * 3).collect();
        let old = std::mem::replace(&mut self.slots, bigger);
        let mut hashes = [0; GROUP];
        for group in old.chunks(GROUP) {
            // Reads that do not wait for each other, as in `approach`.
            for (hash, slot) in hashes.iter_mut().zip(group).filter(|(_, s)| **s != 0) {
                *hash = mix(keys.get((slot & number) - 1));
            }
            for (hash, slot) in hashes.iter().zip(group).filter(|(_, s)| **s != 0) {
                let mut at = self.start(*hash);
                while self.slots[at] != 0 {
                    at = self.after(at);
                }
                self.slots[at] = *slot;
            }
        }
    }
}
