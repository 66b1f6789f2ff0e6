//! The interned tables that states refer to.
//!
//! Nearly everything is a pair of numbers with a number of its own ([`Pairs`]): an environment
//! is a balanced tree of pairs over leaves, a control point is a location with the pair of its
//! caller and its local environment. States which differ in one variable share all but a few
//! nodes. A leaf holds the numbers of four values side by side, or, if one of them is large,
//! the number of a tree of them. Number 0 is ⊤ on every level: a variable that is ⊤, or a whole
//! area of such, costs nothing (thesis, 4.5).

use crate::domain::Value;
use crate::threads::Threads;
use hashbrown::HashTable;
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::hash::{BuildHasher, Hash};
use std::sync::RwLock;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// How many slots a leaf has.
const LEAF: u32 = 4;
/// How many bits a value's number has in a leaf.
const LEAF_BITS: u32 = 7;
/// Leaves from here on are trees.
const TREE: u32 = 1 << 31;

/// How many slots are left of the middle of an environment with more than a leaf.
fn left_of(len: u32) -> u32 {
    len.div_ceil(LEAF) / 2 * LEAF
}

/// The tables are full: they must grow before the work can go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Full;

/// Equal items, equal numbers.
#[derive(Debug)]
pub(crate) struct Interned<T> {
    items: Vec<T>,
    table: HashTable<u32>,
}

impl<T> Default for Interned<T> {
    fn default() -> Self {
        Interned {
            items: Vec::new(),
            table: HashTable::new(),
        }
    }
}

impl<T: Hash + Eq + Clone> Interned<T> {
    /// The number of `item`, new or known.
    pub fn insert(&mut self, item: &T) -> u32 {
        let items = &mut self.items;
        let key = FxBuildHasher.hash_one(item);
        if let Some(&id) = self.table.find(key, |&id| items[id as usize] == *item) {
            return id;
        }
        let id = u32::try_from(items.len()).expect("fewer than 2^32 items");
        items.push(item.clone());
        self.table
            .insert_unique(key, id, |&id| FxBuildHasher.hash_one(&items[id as usize]));
        id
    }
    pub fn get(&self, id: u32) -> &T {
        &self.items[id as usize]
    }
}

const SHARDS: usize = 64;
/// Slots of a new shard.
const FIRST: usize = 256;
/// Room for at least so many new pairs is made at each growth.
const ROOM: usize = 1 << 14;

/// One part of the hash table, probed one slot after the other. A slot is 0, or the number of a
/// pair with high bits of its hash above, so that pairs are seldom looked at in vain.
#[derive(Debug)]
struct Shard {
    slots: Vec<AtomicU32>,
    used: Apart<AtomicU32>,
}

/// A number that threads change often, in cache lines of its own: else whatever is read beside
/// it would have to be fetched anew after each change.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Apart<T>(T);

impl Shard {
    fn new(len: usize) -> Shard {
        Shard {
            slots: (0..len).map(|_| AtomicU32::new(0)).collect(),
            used: Apart::default(),
        }
    }
    fn start(&self, hash: u64) -> usize {
        (((hash & 0xffff_ffff) * self.slots.len() as u64) >> 32) as usize
    }
    /// Takes half as many slots again.
    fn grow(&mut self, items: &[AtomicU64], number: u32) {
        let old = std::mem::replace(self, Shard::new(self.slots.len() / 2 * 3));
        self.used = old.used;
        let mut hashes = [0; 16];
        for group in old.slots.chunks(hashes.len()) {
            let slots = || group.iter().map(|slot| slot.load(Ordering::Relaxed));
            // Reads that do not wait for each other.
            for (hash, slot) in hashes.iter_mut().zip(slots()) {
                let id = (slot & number) as usize;
                *hash = mix(items[id].load(Ordering::Relaxed));
            }
            for (hash, slot) in hashes.iter().zip(slots()).filter(|(_, slot)| *slot != 0) {
                let mut at = self.start(*hash);
                while *self.slots[at].get_mut() != 0 {
                    at = (at + 1) % self.slots.len();
                }
                *self.slots[at].get_mut() = slot;
            }
        }
    }
    /// How many pairs it takes before it must grow.
    fn limit(&self) -> u32 {
        (self.slots.len() / 8 * 5) as u32
    }
}

/// All pairs, each once. Many threads may look up and add at the same time without locks;
/// growing needs the table alone, so adding fails when there is no room.
#[derive(Debug)]
pub(crate) struct Pairs {
    items: Vec<AtomicU64>,
    next: Apart<AtomicU32>,
    shards: Vec<Shard>,
    /// How many bits of a slot are a number.
    bits: u32,
}

/// Spreads the bits of a key.
pub(crate) fn mix(key: u64) -> u64 {
    let h = (key ^ key >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93);
    let h = (h ^ h >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93);
    h ^ h >> 32
}

impl Default for Pairs {
    fn default() -> Self {
        let mut pairs = Pairs {
            items: Vec::new(),
            // Pair 0 is (0, 0), without an entry in the table.
            next: Apart(AtomicU32::new(1)),
            shards: (0..SHARDS).map(|_| Shard::new(FIRST)).collect(),
            bits: SHARDS.ilog2(),
        };
        pairs.grow();
        pairs
    }
}

impl Pairs {
    pub fn get(&self, id: u32) -> (u32, u32) {
        let key = self.items[id as usize].load(Ordering::Relaxed);
        ((key >> 32) as u32, key as u32)
    }
    /// The number of a pair.
    pub fn intern(&self, a: u32, b: u32) -> Result<u32, Full> {
        let key = u64::from(a) << 32 | u64::from(b);
        if key == 0 {
            return Ok(0);
        }
        let hash = mix(key);
        let high = (hash >> 32) as u32;
        let shard = &self.shards[high as usize % SHARDS];
        let number = !(!0 << self.bits);
        let tag = high & !number;
        let mut at = shard.start(hash);
        let mut mine = 0;
        loop {
            let slot = &shard.slots[at];
            let mut found = slot.load(Ordering::Acquire);
            if found == 0 {
                if mine == 0 {
                    mine = tag | self.reserve(shard, key)?;
                }
                let claim = slot.compare_exchange(0, mine, Ordering::AcqRel, Ordering::Acquire);
                match claim {
                    Ok(_) => {
                        shard.used.0.fetch_add(1, Ordering::Relaxed);
                        return Ok(mine & number);
                    }
                    // Another thread was faster.
                    Err(other) => found = other,
                }
            }
            let id = found & number;
            if found & !number == tag && self.items[id as usize].load(Ordering::Relaxed) == key {
                return Ok(id);
            }
            at += 1;
            if at == shard.slots.len() {
                at = 0;
            }
        }
    }
    /// A new number for `key`, not yet in the table.
    fn reserve(&self, shard: &Shard, key: u64) -> Result<u32, Full> {
        if shard.used.0.load(Ordering::Relaxed) >= shard.limit()
            || self.next.0.load(Ordering::Relaxed) as usize >= self.items.len()
        {
            return Err(Full);
        }
        let id = self.next.0.fetch_add(1, Ordering::Relaxed);
        // Threads may pass the end together; `grow` sets the count right again.
        let item = self.items.get(id as usize).ok_or(Full)?;
        item.store(key, Ordering::Relaxed);
        Ok(id)
    }
    /// Makes room where it is short. Shards grow one by one, so that the old and the new table
    /// are never both there as a whole.
    pub fn grow(&mut self) {
        self.grow_with(&Threads::new(1));
    }
    /// The same, with several threads.
    pub fn grow_with(&mut self, threads: &Threads) {
        let len = self.items.len();
        let next = self.next.0.get_mut();
        *next = (*next).min(len.max(1) as u32);
        let used = *next as usize;
        let room = ROOM + used / 8;
        if len < used + room {
            let wanted = (used + room + used / 16).min(TREE as usize);
            assert!(wanted > used, "fewer than 2^31 nodes");
            self.items.reserve_exact(wanted - len);
            self.items.resize_with(wanted, || AtomicU64::new(0));
        }
        while self.items.len() >> self.bits != 0 {
            let number = !(!0 << self.bits);
            self.bits += 1;
            let kept = number | !0 << self.bits;
            for slot in self.shards.iter_mut().flat_map(|s| &mut s.slots) {
                *slot.get_mut() &= kept;
            }
        }
        let number = !(!0 << self.bits);
        let items = &self.items;
        let short = self.shards.iter_mut().filter_map(|shard| {
            let used = *shard.used.0.get_mut();
            (used >= shard.limit() / 8 * 7).then_some(shard)
        });
        let mut short: Vec<&mut Shard> = short.collect();
        if short.is_empty() {
            return;
        }
        let piece = short.len().div_ceil(threads.jobs());
        threads.work(short.chunks_mut(piece), |shards| {
            for shard in shards {
                shard.grow(items, number);
            }
        });
    }
    /// How many pairs there are; threads that raced for the same pair count once.
    pub fn len(&self) -> usize {
        let used = self.shards.iter().map(|s| s.used.0.load(Ordering::Relaxed));
        used.map(|n| n as usize).sum()
    }
}

/// Values with their numbers; number 0 is ⊤.
#[derive(Debug)]
struct Values {
    list: Vec<Value>,
    numbers: FxHashMap<Value, u32>,
}

/// All that states refer to. Only pairs are looked up in the hot loop; the rest is behind locks.
#[derive(Debug)]
pub(crate) struct Tables {
    pub pairs: Pairs,
    values: RwLock<Values>,
    labels: RwLock<Interned<String>>,
    sequences: RwLock<Interned<Vec<u32>>>,
    pending: RwLock<Interned<(u32, u32)>>,
}

impl Default for Tables {
    fn default() -> Self {
        let mut labels = Interned::default();
        // Label 0 is none, sequence 0 is empty.
        labels.insert(&String::new());
        let mut sequences = Interned::default();
        sequences.insert(&Vec::new());
        Tables {
            pairs: Pairs::default(),
            values: RwLock::new(Values {
                list: vec![Value::Top],
                numbers: FxHashMap::from_iter([(Value::Top, 0)]),
            }),
            labels: RwLock::new(labels),
            sequences: RwLock::new(sequences),
            pending: RwLock::default(),
        }
    }
}

const UNPOISONED: &str = "no panic while a table was locked";

impl Tables {
    /// The number of a value.
    pub fn number(&self, value: Value) -> u32 {
        if value == Value::Top {
            return 0;
        }
        if let Some(&id) = self.values.read().expect(UNPOISONED).numbers.get(&value) {
            return id;
        }
        let mut values = self.values.write().expect(UNPOISONED);
        let next = values.list.len() as u32;
        let Values { list, numbers } = &mut *values;
        *numbers.entry(value).or_insert_with(|| {
            list.push(value);
            next
        })
    }
    /// The value of a number.
    pub fn value(&self, number: u32) -> Value {
        self.values.read().expect(UNPOISONED).list[number as usize]
    }
    /// The number of an environment.
    pub fn intern(&self, slots: &[Value]) -> Result<u32, Full> {
        let numbers: Vec<u32> = slots.iter().map(|v| self.number(*v)).collect();
        self.tree(&numbers)
    }
    /// The number of an environment whose slots hold the values of these numbers.
    pub fn tree(&self, numbers: &[u32]) -> Result<u32, Full> {
        if numbers.len() <= LEAF as usize {
            let mut leaf = [0; LEAF as usize];
            leaf[..numbers.len()].copy_from_slice(numbers);
            return self.leaf(leaf);
        }
        let (left, right) = numbers.split_at(left_of(numbers.len() as u32) as usize);
        self.pairs.intern(self.tree(left)?, self.tree(right)?)
    }
    fn leaf(&self, [a, b, c, d]: [u32; LEAF as usize]) -> Result<u32, Full> {
        if (a | b | c | d) < 1 << LEAF_BITS {
            return Ok(a | b << LEAF_BITS | c << (2 * LEAF_BITS) | d << (3 * LEAF_BITS));
        }
        let (left, right) = (self.pairs.intern(a, b)?, self.pairs.intern(c, d)?);
        Ok(TREE | self.pairs.intern(left, right)?)
    }
    fn open_leaf(&self, leaf: u32) -> [u32; LEAF as usize] {
        if leaf & TREE == 0 {
            return std::array::from_fn(|n| {
                leaf >> (n as u32 * LEAF_BITS) & ((1 << LEAF_BITS) - 1)
            });
        }
        let (left, right) = self.pairs.get(leaf & !TREE);
        let ((a, b), (c, d)) = (self.pairs.get(left), self.pairs.get(right));
        [a, b, c, d]
    }
    /// The values of an environment with `len` slots.
    pub fn load(&self, id: u32, len: usize) -> Vec<Value> {
        let all: Vec<u32> = (0..len as u32).collect();
        let mut values = Vec::new();
        self.read(id, len as u32, &all, &mut values);
        values
    }
    /// Appends the values in some slots, in rising order, of an environment with `len` slots.
    pub fn read(&self, id: u32, len: u32, slots: &[u32], out: &mut Vec<Value>) {
        let mut numbers = Vec::new();
        self.pick(id, 0, len, slots, &mut numbers);
        let values = self.values.read().expect(UNPOISONED);
        out.extend(numbers.iter().map(|n| values.list[*n as usize]));
    }
    /// Calls `visit` for the values of an environment with `len` slots from left to right: with
    /// the number of one, or with 0 and how many ⊤ there are.
    pub fn walk(&self, id: u32, len: u32, visit: &mut impl FnMut(u32, u32)) {
        if id == 0 {
            visit(0, len);
        } else if len <= LEAF {
            let leaf = self.open_leaf(id);
            leaf[..len as usize].iter().for_each(|n| visit(*n, 1));
        } else {
            let (left, right) = self.pairs.get(id);
            let under = left_of(len);
            self.walk(left, under, visit);
            self.walk(right, len - under, visit);
        }
    }
    /// Appends the numbers of the values in some slots, in rising order, of an environment with
    /// `len` slots from `first` on.
    pub fn pick(&self, id: u32, first: u32, len: u32, slots: &[u32], out: &mut Vec<u32>) {
        if slots.is_empty() {
        } else if id == 0 {
            out.resize(out.len() + slots.len(), 0);
        } else if len <= LEAF {
            let leaf = self.open_leaf(id);
            out.extend(slots.iter().map(|s| leaf[(s - first) as usize]));
        } else {
            let (left, right) = self.pairs.get(id);
            let under = left_of(len);
            let split = slots.partition_point(|s| *s < first + under);
            self.pick(left, first, under, &slots[..split], out);
            self.pick(right, first + under, len - under, &slots[split..], out);
        }
    }
    /// Whether two environments with `len` slots from `first` on have the same values in some,
    /// in rising order. Looks only where they differ.
    pub fn agree(&self, (a, b): (u32, u32), first: u32, len: u32, slots: &[u32]) -> bool {
        if a == b || slots.is_empty() {
            return true;
        }
        if len <= LEAF {
            let (a, b) = (self.open_leaf(a), self.open_leaf(b));
            let at = |slot: &u32| (slot - first) as usize;
            return slots.iter().all(|slot| a[at(slot)] == b[at(slot)]);
        }
        let open = |id| match id {
            0 => (0, 0),
            id => self.pairs.get(id),
        };
        let (a, b) = (open(a), open(b));
        let under = left_of(len);
        let split = slots.partition_point(|s| *s < first + under);
        self.agree((a.0, b.0), first, under, &slots[..split])
            && self.agree((a.1, b.1), first + under, len - under, &slots[split..])
    }
    /// An environment with other values in some slots, in rising order.
    pub fn update(
        &self,
        id: u32,
        first: u32,
        len: u32,
        writes: &[(u32, u32)],
    ) -> Result<u32, Full> {
        if writes.is_empty() {
            return Ok(id);
        }
        if len <= LEAF {
            let mut leaf = self.open_leaf(id);
            for (slot, number) in writes {
                leaf[(slot - first) as usize] = *number;
            }
            return self.leaf(leaf);
        }
        let (left, right) = self.pairs.get(id);
        let under = left_of(len);
        let split = writes.partition_point(|w| w.0 < first + under);
        let new_left = self.update(left, first, under, &writes[..split])?;
        let new_right = self.update(right, first + under, len - under, &writes[split..])?;
        match (new_left, new_right) == (left, right) {
            true => Ok(id),
            false => self.pairs.intern(new_left, new_right),
        }
    }
    /// Reads the upper nodes of some environments. None of these reads waits for another, as
    /// they would one environment after the other.
    pub fn approach(&self, environments: impl Iterator<Item = u32>) {
        let mut seen = 0;
        for id in environments {
            let node = self.pairs.items.get(id as usize);
            seen ^= node.map_or(0, |n| n.load(Ordering::Relaxed));
        }
        std::hint::black_box(seen);
    }
    /// How many nodes there are; a measure of memory.
    pub fn nodes(&self) -> usize {
        self.pairs.len() + self.values.read().expect(UNPOISONED).list.len()
    }
    /// The number of a sequence of labels.
    pub fn sequence(&self, labels: &[String]) -> u32 {
        if labels.is_empty() {
            return 0;
        }
        let mut table = self.labels.write().expect(UNPOISONED);
        let list: Vec<u32> = labels.iter().map(|l| table.insert(l)).collect();
        self.sequences.write().expect(UNPOISONED).insert(&list)
    }
    /// Two sequences, one after the other.
    pub fn concat(&self, a: u32, b: u32) -> u32 {
        if a == 0 || b == 0 {
            return a + b;
        }
        let mut sequences = self.sequences.write().expect(UNPOISONED);
        let mut list = sequences.get(a).clone();
        list.extend_from_slice(sequences.get(b));
        sequences.insert(&list)
    }
    /// A label, if there is one, before a sequence.
    pub fn prepend(&self, label: u32, rest: u32) -> u32 {
        if label == 0 {
            return rest;
        }
        let first = self
            .sequences
            .write()
            .expect(UNPOISONED)
            .insert(&vec![label]);
        self.concat(first, rest)
    }
    /// The first label of a sequence and the rest of it.
    pub fn split(&self, sequence: u32) -> (u32, u32) {
        if sequence == 0 {
            return (0, 0);
        }
        let mut sequences = self.sequences.write().expect(UNPOISONED);
        let list = sequences.get(sequence).clone();
        (list[0], sequences.insert(&list[1..].to_vec()))
    }
    /// The texts of a sequence.
    pub fn texts(&self, sequence: u32) -> Vec<String> {
        let labels = self.labels.read().expect(UNPOISONED);
        let sequences = self.sequences.read().expect(UNPOISONED);
        let list = sequences.get(sequence).iter();
        list.map(|l| labels.get(*l).clone()).collect()
    }
    /// The text of a label.
    pub fn label(&self, label: u32) -> String {
        self.labels.read().expect(UNPOISONED).get(label).clone()
    }
    /// The number of a sequence of labels still to be shown before a location.
    pub fn pend(&self, sequence: u32, then: u32) -> u32 {
        let mut pending = self.pending.write().expect(UNPOISONED);
        pending.insert(&(sequence, then))
    }
    /// The sequence and location of such a number.
    pub fn pended(&self, id: u32) -> (u32, u32) {
        *self.pending.read().expect(UNPOISONED).get(id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slot() -> impl proptest::strategy::Strategy<Value = u64> {
        proptest::prop_oneof![8 => 0u64..3, 1 => 1000u64..1200]
    }

    proptest::proptest! {
        #[test]
        fn environments_come_back_and_are_shared(
            a in proptest::collection::vec(slot(), 0..20),
            b in proptest::collection::vec(slot(), 0..20),
        ) {
            let value = |n: &u64| if *n == 0 { Value::Top } else { Value::Int(*n) };
            let table = Tables::default();
            // So that leaves with small and with large numbers meet.
            for n in 1000..1200 {
                table.number(Value::Int(n));
            }
            let mut ids = Vec::new();
            for list in [&a, &b] {
                let slots: Vec<Value> = list.iter().map(value).collect();
                let id = table.intern(&slots).expect("room");
                proptest::prop_assert_eq!(&table.load(id, slots.len()), &slots);
                proptest::prop_assert_eq!(table.intern(&slots).expect("room"), id);
                proptest::prop_assert_eq!(id == 0, list.iter().all(|n| *n == 0));
                ids.push(id);
            }
            if a.len() == b.len() {
                proptest::prop_assert_eq!(ids[0] == ids[1], a == b);
                // From one to the other by single writes, and by picking them.
                let number = |n: &u64| table.number(value(n));
                let writes: Vec<(u32, u32)> =
                    (0..).zip(b.iter().map(number)).filter(|(n, v)| *v != number(&a[*n as usize])).collect();
                let len = a.len() as u32;
                proptest::prop_assert_eq!(table.update(ids[0], 0, len, &writes).expect("room"), ids[1]);
                let slots: Vec<u32> = writes.iter().map(|w| w.0).collect();
                let mut picked = Vec::new();
                table.pick(ids[1], 0, len, &slots, &mut picked);
                proptest::prop_assert_eq!(picked, writes.iter().map(|w| w.1).collect::<Vec<_>>());
                let both = (ids[0], ids[1]);
                for slot in 0..len {
                    let equal = !slots.contains(&slot);
                    proptest::prop_assert_eq!(table.agree(both, 0, len, &[slot]), equal);
                }
                proptest::prop_assert_eq!(table.agree(both, 0, len, &slots), slots.is_empty());
                let equal: Vec<u32> = (0..len).filter(|n| !slots.contains(n)).collect();
                proptest::prop_assert!(table.agree(both, 0, len, &equal));
            }
        }
    }

    #[test]
    fn pairs_have_one_number_in_all_threads_and_survive_growth() {
        let mut pairs = Pairs::default();
        let mut first: Vec<u32> = Vec::new();
        let wanted: Vec<(u32, u32)> = (1..100_000).map(|n| (n % 317, n)).collect();
        let mut done = 0;
        while done < wanted.len() {
            let lists: Vec<Vec<u32>> = std::thread::scope(|s| {
                let pairs = &pairs;
                let rest = &wanted[done..];
                let work = move || {
                    let all = rest.iter().map(|(a, b)| pairs.intern(*a, *b));
                    all.map_while(Result::ok).collect::<Vec<u32>>()
                };
                let threads: Vec<_> = (0..2).map(|_| s.spawn(work)).collect();
                let joined = threads.into_iter().map(|t| t.join().expect("no panic"));
                joined.collect()
            });
            let both = lists[0].len().min(lists[1].len());
            assert_eq!(lists[0][..both], lists[1][..both]);
            first.extend(&lists[0][..both]);
            done += both;
            pairs.grow();
        }
        for (pair, id) in wanted.iter().zip(first) {
            assert_eq!(pairs.get(id), *pair);
            assert_eq!(pairs.intern(pair.0, pair.1), Ok(id));
        }
    }
}
