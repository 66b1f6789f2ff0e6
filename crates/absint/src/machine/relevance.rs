//! Slots of the global environment that a state need not keep, as [`super::learn`] found them.
//!
//! At a location where slots may go, a tree says which: its first node which of the variables of
//! the first rank are kept; their values and those of the local variables lead to the next node,
//! which says the same of the second rank, and so on. What leads nowhere was not seen when the
//! tree was learned; such a state keeps the rest.

use super::tables::{Full, Tables};
use super::{Code, PENDING, State};
use crate::domain::Value;
use rustc_hash::FxHashMap;

/// One rank of variables, after certain values of those before it.
#[derive(Debug, Default)]
pub(super) struct Node {
    /// The slots that go.
    pub drop: Vec<u32>,
    /// The slots that are kept, in rising order.
    pub keep: Vec<u32>,
    /// The nodes of the next rank, by the values of those slots.
    pub next: FxHashMap<Vec<Value>, u32>,
}

/// What states need.
#[derive(Debug, Default)]
pub(crate) struct Relevance {
    /// The first nodes, by location.
    pub(super) roots: FxHashMap<u32, u32>,
    pub(super) nodes: Vec<Node>,
}

impl Relevance {
    pub fn is_empty(&self) -> bool {
        self.roots.is_empty()
    }
    /// A packed state without what it need not keep.
    pub fn strip(&self, code: &Code<'_>, tables: &Tables, key: u64) -> Result<u64, Full> {
        let state = tables.unpack(key);
        let mut location = state.location;
        while location >= PENDING {
            location = tables.pended(location - PENDING).1;
        }
        let Some(root) = self.roots.get(&location) else {
            return Ok(key);
        };
        let globals = code.layout.globals.len() as u32;
        let mut node = &self.nodes[*root as usize];
        let mut values = tables.load(state.local, code.frame_len(location) as usize);
        let mut drops: Vec<(u32, u32)> = Vec::new();
        loop {
            drops.extend(node.drop.iter().map(|slot| (*slot, 0)));
            if node.next.is_empty() {
                break;
            }
            tables.read(state.global, globals, &node.keep, &mut values);
            let Some(next) = node.next.get(&values) else {
                break;
            };
            node = &self.nodes[*next as usize];
            values.clear();
        }
        drops.sort_unstable();
        let global = tables.update(state.global, 0, globals, &drops)?;
        match global == state.global {
            true => Ok(key),
            false => tables.pack(State { global, ..state }),
        }
    }
}
