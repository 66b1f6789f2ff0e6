//! States that are lists of numbers, each stored once, in little memory: a list is a pair of
//! halves, halves are pairs of quarters, and equal halves and quarters are shared by all lists.

use hashbrown::HashTable;
use rustc_hash::FxHasher;
use std::hash::Hasher;

const NONE: u32 = u32::MAX;

/// Lists of one length, numbered in the order in which they came.
pub(super) struct Store {
    /// The inner nodes of the tree; children come before their parents, the root is last.
    nodes: Vec<Pairs>,
    /// For each list position the node it belongs to, and whether it is the second of the pair.
    leaves: Vec<(u32, bool)>,
    /// The node above each node, and whether it is the second of the pair.
    parents: Vec<(u32, bool)>,
    /// The pair of each node in the open list, and a copy to work on.
    open: Vec<[u32; 2]>,
    scratch: Vec<[u32; 2]>,
}

/// Pairs of numbers, numbered.
#[derive(Default)]
struct Pairs {
    list: Vec<[u32; 2]>,
    table: HashTable<u32>,
}

fn hash(pair: [u32; 2]) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write_u64(u64::from(pair[0]) << 32 | u64::from(pair[1]));
    hasher.finish()
}

impl Pairs {
    fn intern(&mut self, pair: [u32; 2]) -> u32 {
        let hashed = hash(pair);
        let Pairs { list, table } = self;
        if let Some(&known) = table.find(hashed, |&n| list[n as usize] == pair) {
            return known;
        }
        let number = list.len() as u32;
        list.push(pair);
        table.insert_unique(hashed, number, |&n| hash(list[n as usize]));
        number
    }
}

impl Store {
    /// No lists yet, of this length.
    pub(super) fn new(length: usize) -> Store {
        let mut store = Store {
            nodes: Vec::new(),
            leaves: vec![(NONE, false); length],
            parents: Vec::new(),
            open: Vec::new(),
            scratch: Vec::new(),
        };
        let top = store.grow(0, length.max(2));
        debug_assert_eq!(top, Child::Node(store.nodes.len() as u32 - 1));
        store.open = vec![[0; 2]; store.nodes.len()];
        store.scratch = vec![[0; 2]; store.nodes.len()];
        store
    }
    /// The tree for the positions `from..to`.
    fn grow(&mut self, from: usize, to: usize) -> Child {
        if to - from == 1 {
            return Child::Position(from);
        }
        let middle = from.midpoint(to);
        let children = [self.grow(from, middle), self.grow(middle, to)];
        let node = self.nodes.len() as u32;
        self.nodes.push(Pairs::default());
        self.parents.push((NONE, false));
        for (child, second) in children.into_iter().zip([false, true]) {
            match child {
                Child::Node(n) => self.parents[n as usize] = (node, second),
                // A list of one number has a second that is always 0.
                Child::Position(p) if p < self.leaves.len() => self.leaves[p] = (node, second),
                Child::Position(_) => {}
            }
        }
        Child::Node(node)
    }
    /// How many lists there are.
    pub(super) fn len(&self) -> usize {
        self.nodes.last().expect("there is a root").list.len()
    }
    /// Adds a list.
    pub(super) fn insert(&mut self, list: &[u32]) -> u32 {
        for (&(node, second), &value) in self.leaves.iter().zip(list) {
            self.scratch[node as usize][usize::from(second)] = value;
        }
        let mut number = 0;
        for n in 0..self.nodes.len() {
            number = self.nodes[n].intern(self.scratch[n]);
            let (parent, second) = self.parents[n];
            if parent != NONE {
                self.scratch[parent as usize][usize::from(second)] = number;
            }
        }
        number
    }
    /// Reads list `number`, which [`Store::after`] starts from.
    pub(super) fn open(&mut self, number: u32, list: &mut [u32]) {
        for n in (0..self.nodes.len()).rev() {
            let pair = match self.parents[n] {
                (NONE, _) => number,
                (parent, second) => self.open[parent as usize][usize::from(second)],
            };
            self.open[n] = self.nodes[n].list[pair as usize];
        }
        self.scratch.copy_from_slice(&self.open);
        for (&(node, second), slot) in self.leaves.iter().zip(list) {
            *slot = self.open[node as usize][usize::from(second)];
        }
    }
    /// The number of the open list with one or two positions changed, new or known. A change is
    /// a position and what it becomes; a position `u32::MAX` changes nothing.
    pub(super) fn after(&mut self, changes: [(u32, u32); 2]) -> u32 {
        let mut ways = [NONE; 2];
        for (way, (position, value)) in ways.iter_mut().zip(changes) {
            if position != NONE {
                let (node, second) = self.leaves[position as usize];
                self.scratch[node as usize][usize::from(second)] = value;
                *way = node;
            }
        }
        // Both ways up at once, children first, so that a common node is seen with both changes.
        let mut number = NONE;
        loop {
            let node = ways[0].min(ways[1]);
            if node == NONE {
                return number;
            }
            let n = node as usize;
            number = self.nodes[n].intern(self.scratch[n]);
            self.scratch[n] = self.open[n];
            let (parent, second) = self.parents[n];
            if parent != NONE {
                self.scratch[parent as usize][usize::from(second)] = number;
            }
            for way in ways.iter_mut().filter(|w| **w == node) {
                *way = parent;
            }
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Child {
    Position(usize),
    Node(u32),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_numbered_in_order_and_found_again() {
        for length in 1..9 {
            let mut store = Store::new(length);
            let mut list = vec![7; length];
            assert_eq!(store.insert(&list), 0);
            let mut seen = vec![list.clone()];
            // All lists that differ from the first in at most two positions.
            for i in 0..length as u32 {
                for j in 0..length as u32 {
                    store.open(0, &mut list);
                    assert_eq!(list, seen[0]);
                    let number = store.after([(i, 1), (if i == j { NONE } else { j }, 2)]);
                    let mut expect = seen[0].clone();
                    expect[i as usize] = 1;
                    if i != j {
                        expect[j as usize] = 2;
                    }
                    if number as usize == seen.len() {
                        seen.push(expect.clone());
                    }
                    assert_eq!(seen[number as usize], expect);
                    store.open(number, &mut list);
                    assert_eq!(list, expect);
                }
            }
            assert_eq!(
                (store.len(), seen.len()),
                (length * length + 1, length * length + 1)
            );
        }
    }
}
