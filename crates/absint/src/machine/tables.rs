//! The interned tables that states refer to: values, environments and frames.
//!
//! An environment of `n` slots is a balanced tree of hash-consed pairs over the numbers of its
//! values, so that states which differ in one variable share all but a few nodes. Number 0 is ⊤
//! on every level: a variable that is ⊤, or a whole area of such, costs nothing (thesis, 4.5).

use crate::domain::Value;
use hashbrown::HashTable;
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::hash::{BuildHasher, Hash};

fn hash(item: &impl Hash) -> u64 {
    FxBuildHasher.hash_one(item)
}

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
    /// The number of `item`, and whether it is new.
    pub fn insert(&mut self, item: T) -> (u32, bool) {
        let items = &mut self.items;
        let key = hash(&item);
        if let Some(&id) = self.table.find(key, |&id| items[id as usize] == item) {
            return (id, false);
        }
        let id = u32::try_from(items.len()).expect("fewer than 2^32 items");
        items.push(item);
        self.table
            .insert_unique(key, id, |&id| hash(&items[id as usize]));
        (id, true)
    }
    pub fn get(&self, id: u32) -> &T {
        &self.items[id as usize]
    }
    pub fn len(&self) -> usize {
        self.items.len()
    }
}

/// Environments and the values in them.
#[derive(Debug)]
pub(crate) struct Environments {
    values: Vec<Value>,
    numbers: FxHashMap<Value, u32>,
    pairs: Interned<(u32, u32)>,
}

impl Default for Environments {
    fn default() -> Self {
        let mut pairs = Interned::default();
        pairs.insert((0, 0));
        Environments {
            values: vec![Value::Top],
            numbers: FxHashMap::from_iter([(Value::Top, 0)]),
            pairs,
        }
    }
}

impl Environments {
    fn number(&mut self, value: Value) -> u32 {
        if value == Value::Top {
            return 0;
        }
        let next = self.values.len() as u32;
        let values = &mut self.values;
        *self.numbers.entry(value).or_insert_with(|| {
            values.push(value);
            next
        })
    }
    /// The number of an environment.
    pub fn intern(&mut self, slots: &[Value]) -> u32 {
        match slots {
            [] => 0,
            [only] => self.number(*only),
            _ => {
                let (left, right) = slots.split_at(slots.len() / 2);
                let pair = (self.intern(left), self.intern(right));
                self.pairs.insert(pair).0
            }
        }
    }
    /// Fills in the values of an environment.
    pub fn load(&self, id: u32, slots: &mut [Value]) {
        match slots {
            _ if id == 0 => slots.fill(Value::Top),
            [] => {}
            [only] => *only = self.values[id as usize],
            _ => {
                let (left, right) = slots.split_at_mut(slots.len() / 2);
                let pair = *self.pairs.get(id);
                self.load(pair.0, left);
                self.load(pair.1, right);
            }
        }
    }
    /// How many nodes there are; a measure of memory.
    pub fn nodes(&self) -> usize {
        self.pairs.len() + self.values.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn environments_come_back_and_are_shared(
            a in proptest::collection::vec(0u64..3, 0..20),
            b in proptest::collection::vec(0u64..3, 0..20),
        ) {
            let value = |n: &u64| if *n == 0 { Value::Top } else { Value::Int(*n) };
            let mut table = Environments::default();
            let mut ids = Vec::new();
            for list in [&a, &b] {
                let slots: Vec<Value> = list.iter().map(value).collect();
                let id = table.intern(&slots);
                let mut back = vec![Value::Bottom; slots.len()];
                table.load(id, &mut back);
                proptest::prop_assert_eq!(&back, &slots);
                proptest::prop_assert_eq!(table.intern(&slots), id);
                proptest::prop_assert_eq!(id == 0, list.iter().all(|n| *n == 0));
                ids.push(id);
            }
            if a.len() == b.len() {
                proptest::prop_assert_eq!(ids[0] == ids[1], a == b);
            }
        }
    }
}
