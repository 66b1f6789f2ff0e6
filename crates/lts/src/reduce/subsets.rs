//! Sets of states with numbers, for the subset construction.

use crate::labels::{Label, TAU};
use crate::lts::{Lts, State};
use cwolf_base::Exhausted;
use hashbrown::HashTable;
use rustc_hash::FxHasher;
use std::hash::Hasher;

/// Together the sets may not have more members than this: 4 GiB.
const MAX_MEMBERS: usize = 1 << 30;

/// Interned sets of states. For visible traces a set is closed under internal steps, and
/// only its members with a visible step are kept: the others add no trace.
pub(crate) struct Subsets<'a> {
    lts: &'a Lts,
    is_weak: bool,
    members: Vec<State>,
    ends: Vec<usize>,
    table: HashTable<u32>,
    seen: Vec<u32>,
    now: u32,
}

fn hash(set: &[State]) -> u64 {
    let mut hasher = FxHasher::default();
    set.iter().for_each(|&s| hasher.write_u32(s));
    hasher.finish()
}

fn slice<'b>(members: &'b [State], ends: &[usize], set: u32) -> &'b [State] {
    let n = set as usize;
    let start = if n == 0 { 0 } else { ends[n - 1] };
    &members[start..ends[n]]
}

impl<'a> Subsets<'a> {
    pub(crate) fn new(lts: &'a Lts, is_weak: bool) -> Subsets<'a> {
        Subsets {
            lts,
            is_weak,
            members: Vec::new(),
            ends: Vec::new(),
            table: HashTable::new(),
            seen: vec![0; lts.states()],
            now: 0,
        }
    }
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }
    pub(crate) fn set(&self, set: u32) -> &[State] {
        slice(&self.members, &self.ends, set)
    }
    /// The steps out of a set, sorted, without repetition.
    pub(crate) fn moves(&self, set: u32, moves: &mut Vec<(Label, State)>) {
        moves.clear();
        for &s in self.set(set) {
            let steps = self.lts.from(s);
            moves.extend(steps.filter(|&(a, _)| !self.is_weak || a != TAU));
        }
        moves.sort_unstable();
        moves.dedup();
    }
    /// The number of the set that `states` stand for. `first` keeps the first set that each
    /// state was in.
    pub(crate) fn intern(
        &mut self,
        states: &[State],
        first: &mut [State],
    ) -> Result<u32, Exhausted> {
        self.now = self.now.checked_add(1).ok_or(Exhausted::Steps)?;
        let mut set: Vec<State> = Vec::with_capacity(states.len());
        let mut all: Vec<State> = Vec::with_capacity(states.len());
        let visit = |s: State, seen: &mut [u32], all: &mut Vec<State>| {
            if seen[s as usize] != self.now {
                seen[s as usize] = self.now;
                all.push(s);
            }
        };
        states
            .iter()
            .for_each(|&s| visit(s, &mut self.seen, &mut all));
        if self.is_weak {
            let mut at = 0;
            while let Some(&s) = all.get(at) {
                let taus = self.lts.tau_targets(s);
                taus.iter()
                    .for_each(|&t| visit(t, &mut self.seen, &mut all));
                if taus.len() < self.lts.range(s).len() {
                    set.push(s);
                }
                at += 1;
            }
        } else {
            set.extend(&all);
        }
        set.sort_unstable();
        let number = self.find_or_add(&set)?;
        for s in all {
            let slot = &mut first[s as usize];
            *slot = (*slot).min(number);
        }
        Ok(number)
    }
    fn find_or_add(&mut self, set: &[State]) -> Result<u32, Exhausted> {
        let hashed = hash(set);
        let found = self.table.find(hashed, |&n| self.set(n) == set);
        if let Some(&known) = found {
            return Ok(known);
        }
        if self.members.len() + set.len() > MAX_MEMBERS {
            return Err(Exhausted::Steps);
        }
        let new = self.ends.len() as u32;
        self.members.extend_from_slice(set);
        self.ends.push(self.members.len());
        let Subsets {
            members,
            ends,
            table,
            ..
        } = self;
        table.insert_unique(hashed, new, |&n| hash(slice(members, ends, n)));
        Ok(new)
    }
}
