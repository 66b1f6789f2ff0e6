//! Formulas about runs as automata (Gerth, Peled, Vardi and Wolper): a cover says what must be
//! true of the present state and step, and what remains to be shown of the rest of the run.
//!
//! A run that ends is seen as one that stays in its last state for ever without acting; `X` asks
//! for a real step, and no action is the next one there.

use cwolf_base::{Budget, Exhausted};
use cwolf_lts::Label;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::rc::Rc;

pub(super) type ItemId = u32;
pub(super) type CoverId = u32;

/// Covers can be exponentially many.
const MAX_COVERS: usize = 1 << 16;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Item {
    True,
    False,
    /// The present state is one of these.
    Holds(Vec<bool>),
    /// The present step has one of these labels; or has none of them (or there is no step).
    Action(Vec<bool>, bool),
    /// The run ends here.
    End,
    And(ItemId, ItemId),
    Or(ItemId, ItemId),
    /// There is a step, and after it the item.
    Next(ItemId),
    Until(ItemId, ItemId),
    Release(ItemId, ItemId),
}

/// One way to satisfy a set of items now.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Cover {
    /// Items of the kind `Holds` that are asked of the state.
    states: Vec<ItemId>,
    /// The labels that the step may have.
    pub(super) labels: Vec<bool>,
    /// Whether the run may end here.
    pub(super) may_end: bool,
    /// What remains for the rest of the run.
    pub(super) next: Vec<ItemId>,
    /// For each until whether it waits here: asked for, and its goal is not reached.
    pub(super) waits: Vec<bool>,
}

pub(super) struct Tableau {
    items: Vec<Item>,
    ids: FxHashMap<Item, ItemId>,
    untils: Vec<(ItemId, ItemId)>,
    labels: usize,
    covers: Vec<Cover>,
    cover_ids: FxHashMap<Cover, CoverId>,
    known: FxHashMap<Vec<ItemId>, Rc<[CoverId]>>,
}

impl Tableau {
    /// For systems with this many labels.
    pub(super) fn new(labels: usize) -> Tableau {
        Tableau {
            items: Vec::new(),
            ids: FxHashMap::default(),
            untils: Vec::new(),
            labels,
            covers: Vec::new(),
            cover_ids: FxHashMap::default(),
            known: FxHashMap::default(),
        }
    }
    pub(super) fn add(&mut self, item: Item) -> ItemId {
        if let Some(&id) = self.ids.get(&item) {
            return id;
        }
        let id = self.items.len() as ItemId;
        if let Item::Until(_, goal) = item {
            self.untils.push((id, goal));
        }
        self.items.push(item.clone());
        self.ids.insert(item, id);
        id
    }
    pub(super) fn untils(&self) -> usize {
        self.untils.len()
    }
    pub(super) fn cover(&self, id: CoverId) -> &Cover {
        &self.covers[id as usize]
    }
    /// Whether `state` is as the cover asks.
    pub(super) fn fits(&self, cover: CoverId, state: u32) -> bool {
        let holds = |&item: &ItemId| match &self.items[item as usize] {
            Item::Holds(set) => set[state as usize],
            _ => unreachable!("only sets of states are asked of states"),
        };
        self.covers[cover as usize].states.iter().all(holds)
    }
    /// All ways to satisfy `wanted`, which is sorted.
    pub(super) fn covers(
        &mut self,
        wanted: &[ItemId],
        budget: &Budget,
    ) -> Result<Rc<[CoverId]>, Exhausted> {
        if let Some(list) = self.known.get(wanted) {
            return Ok(list.clone());
        }
        budget.check(0)?;
        let mut list = Vec::new();
        let start = Branch {
            todo: wanted.to_vec(),
            old: BTreeSet::new(),
            next: BTreeSet::new(),
        };
        let mut branches = vec![start];
        while let Some(branch) = branches.pop() {
            if branches.len() + self.covers.len() > MAX_COVERS {
                return Err(Exhausted::Steps);
            }
            if let Some(done) = self.expand(branch, &mut branches) {
                let cover = self.finish(done);
                if !cover.may_end && !cover.labels.contains(&true) {
                    continue;
                }
                let next = self.covers.len() as CoverId;
                let id = *self.cover_ids.entry(cover.clone()).or_insert(next);
                if id == next {
                    self.covers.push(cover);
                }
                list.push(id);
            }
        }
        list.sort_unstable();
        list.dedup();
        let list: Rc<[CoverId]> = list.into();
        self.known.insert(wanted.to_vec(), list.clone());
        Ok(list)
    }
    /// Works off what a branch has to do; alternatives go to `others`. Nothing if it fails.
    fn expand(&self, mut branch: Branch, others: &mut Vec<Branch>) -> Option<Branch> {
        while let Some(id) = branch.todo.pop() {
            if !branch.old.insert(id) {
                continue;
            }
            match &self.items[id as usize] {
                Item::True | Item::Holds(_) | Item::Action(..) | Item::End => {}
                Item::False => return None,
                Item::And(f, g) => branch.todo.extend([*f, *g]),
                Item::Or(f, g) => {
                    let mut other = branch.clone();
                    other.todo.push(*g);
                    others.push(other);
                    branch.todo.push(*f);
                }
                Item::Next(f) => {
                    branch.next.insert(*f);
                }
                Item::Until(f, g) => {
                    let mut other = branch.clone();
                    other.todo.push(*f);
                    other.next.insert(id);
                    others.push(other);
                    branch.todo.push(*g);
                }
                Item::Release(f, g) => {
                    let mut other = branch.clone();
                    other.todo.push(*g);
                    other.next.insert(id);
                    others.push(other);
                    branch.todo.extend([*f, *g]);
                }
            }
        }
        Some(branch)
    }
    fn finish(&self, branch: Branch) -> Cover {
        let mut cover = Cover {
            states: Vec::new(),
            labels: vec![true; self.labels],
            may_end: true,
            next: branch.next.into_iter().collect(),
            waits: Vec::new(),
        };
        for &id in &branch.old {
            match &self.items[id as usize] {
                Item::Holds(_) => cover.states.push(id),
                Item::Action(set, wanted) => {
                    cover.may_end &= !wanted;
                    let labels = cover.labels.iter_mut().zip(set);
                    labels.for_each(|(l, &s)| *l &= s == *wanted);
                }
                Item::End => cover.labels = vec![false; self.labels],
                Item::Next(_) => cover.may_end = false,
                _ => {}
            }
        }
        let waits = |&(until, goal): &(ItemId, ItemId)| {
            branch.old.contains(&until) && !branch.old.contains(&goal)
        };
        cover.waits = self.untils.iter().map(waits).collect();
        cover
    }
    /// Whether the cover allows a step with this label.
    pub(super) fn allows(&self, cover: CoverId, label: Label) -> bool {
        self.covers[cover as usize].labels[label as usize]
    }
}

#[derive(Clone, Debug)]
struct Branch {
    todo: Vec<ItemId>,
    old: BTreeSet<ItemId>,
    next: BTreeSet<ItemId>,
}
