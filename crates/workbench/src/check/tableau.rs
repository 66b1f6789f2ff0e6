//! Formulas about runs as automata (Gerth, Peled, Vardi and Wolper): a cover says what must be
//! true of the present state and step, and what remains to be shown of the rest of the run.
//!
//! A run that ends is seen as one that stays in its last state for ever without acting; `X` asks
//! for a real step, and no action is the next one there.

use crate::formula::LabelSet;
use cwolf_base::{Budget, Exhausted};
use cwolf_lts::Label;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::rc::Rc;

pub(super) type ItemId = u32;
pub(super) type CoverId = u32;

/// Covers can be exponentially many: all together have at most this many parts.
const MAX_SIZE: usize = 1 << 22;
/// A formula has at most this many parts; branches keep sets of them.
const MAX_ITEMS: usize = 2_000;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Item {
    True,
    False,
    /// The present state is one of these.
    Holds(Vec<bool>),
    /// The present step has one of these labels; or has none of them (or there is no step).
    Action(LabelSet, bool),
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
    /// Items of the kind `Action` that are asked of the step.
    actions: Vec<ItemId>,
    /// Whether the run may end here, and whether it may go on.
    pub(super) may_end: bool,
    may_step: bool,
    /// What remains for the rest of the run.
    pub(super) next: Vec<ItemId>,
    /// For each until whether it waits here: asked for, and its goal is not reached.
    pub(super) waits: Vec<bool>,
}

pub(super) struct Tableau {
    items: Vec<Item>,
    ids: FxHashMap<Item, ItemId>,
    untils: Vec<(ItemId, ItemId)>,
    /// The parts of all covers found so far.
    size: usize,
    covers: Vec<Cover>,
    cover_ids: FxHashMap<Cover, CoverId>,
    known: FxHashMap<Vec<ItemId>, Rc<[CoverId]>>,
}

impl Tableau {
    pub(super) fn new() -> Tableau {
        Tableau {
            items: Vec::new(),
            ids: FxHashMap::default(),
            untils: Vec::new(),
            size: 0,
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
    /// How many covers were found so far.
    pub(super) fn len(&self) -> usize {
        self.covers.len()
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
            if self.size > MAX_SIZE || self.items.len() > MAX_ITEMS {
                return Err(Exhausted::Steps);
            }
            if let Some(done) = self.expand(branch, &mut branches) {
                let cover = self.finish(done);
                if !cover.may_end && !cover.may_step {
                    continue;
                }
                self.size += cover.next.len() + cover.waits.len() + cover.states.len() + 1;
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
            actions: Vec::new(),
            may_end: true,
            may_step: true,
            next: branch.next.into_iter().collect(),
            waits: Vec::new(),
        };
        for &id in &branch.old {
            match &self.items[id as usize] {
                Item::Holds(_) => cover.states.push(id),
                Item::Action(_, wanted) => {
                    cover.may_end &= !wanted;
                    cover.actions.push(id);
                }
                Item::End => cover.may_step = false,
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
        let cover = &self.covers[cover as usize];
        let fits = |&item: &ItemId| match &self.items[item as usize] {
            Item::Action(set, wanted) => set.contains(label) == *wanted,
            _ => unreachable!("only sets of labels are asked of steps"),
        };
        cover.may_step && cover.actions.iter().all(fits)
    }
}

#[derive(Clone, Debug)]
struct Branch {
    todo: Vec<ItemId>,
    old: BTreeSet<ItemId>,
    next: BTreeSet<ItemId>,
}
