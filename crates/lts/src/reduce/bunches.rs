//! The classes of branching bisimulation in O(m log n): Jansen, Groote, Keiren and Wijs (2020).
//!
//! Besides the blocks of states there are *bunches* of transitions that are not inert. The
//! invariant: if some state of a block has a transition in a bunch, every bottom state of the
//! block has one (a bottom state has no inert transitions), so every state gets to one
//! inertly. A bunch is refined by its transitions with one label into one block, if they are at
//! most half of it. Then blocks are split by who gets to the smaller part, and by who gets to
//! the rest; both sides of a split are searched in lockstep (see [`super::lockstep`]), and only
//! the smaller one is paid for. A split may end inert transitions and thereby make new bottom
//! states; blocks with those are compared with every bunch again, but no state becomes bottom
//! twice.

use super::lockstep::Search;
use super::slices::Slices;
use crate::labels::TAU;
use crate::lts::{Lts, State};
use cwolf_base::{Budget, Exhausted};

pub(super) const NONE: u32 = u32::MAX;

/// The class of each state; `graph` has no tau cycles. A self-loop with a label of its own is
/// how divergence is told.
pub(super) fn classes(graph: &Lts, budget: &Budget) -> Result<Vec<u32>, Exhausted> {
    let mut refiner = Refiner::new(graph);
    refiner.run(budget)?;
    Ok(refiner.block_of)
}

pub(super) struct Refiner<'a> {
    pub(super) graph: &'a Lts,
    pub(super) sources: Vec<State>,
    /// The transitions by target, those with tau first.
    pub(super) incoming: Vec<u32>,
    pub(super) in_offsets: Vec<u32>,
    pub(super) block_of: Vec<u32>,
    /// How many states each block has.
    pub(super) sizes: Vec<u32>,
    /// How many inert transitions leave each state.
    pub(super) inert: Vec<u32>,
    pub(super) bottoms: Bottoms,
    /// The transitions that are not inert by block and bunch: blocks own, bunches tag.
    pub(super) by_block: Slices,
    /// The same transitions by bunch, label and target block: bunches own.
    by_bunch: Slices,
    /// For each transition that is not inert, the counter of its source and bunch.
    counter_of: Vec<u32>,
    counters: Vec<u32>,
    free_counters: Vec<u32>,
    /// The new counter of each source while one bunch is filled.
    fresh: Vec<u32>,
    bunches: u32,
    /// Bunches that may have more than one label and target block.
    nontrivial: Vec<u32>,
    /// Whether a block may be unstable under a bunch, by slice of `by_block`.
    pending: Vec<bool>,
    stack: Vec<u32>,
    marks: Marks,
    pub(super) search: Search,
}

/// For slices of `by_block` the bottom states that have a transition in them; states that left
/// the block are skipped by the reader.
#[derive(Default)]
struct Marks {
    heads: Vec<u32>,
    pool: Vec<(State, u32)>,
    /// The slices that may have marks.
    used: Vec<u32>,
}

impl Marks {
    fn push(&mut self, slice: u32, state: State) {
        if self.heads.len() <= slice as usize {
            self.heads.resize(slice as usize + 1, NONE);
        }
        let head = &mut self.heads[slice as usize];
        if *head == NONE {
            self.used.push(slice);
        }
        self.pool.push((state, *head));
        *head = self.pool.len() as u32 - 1;
    }
    fn take(&mut self, slice: u32) -> Vec<State> {
        let mut list = Vec::new();
        let head = self.heads.get_mut(slice as usize);
        let mut at = head.map_or(NONE, |head| std::mem::replace(head, NONE));
        while at != NONE {
            let (state, next) = self.pool[at as usize];
            list.push(state);
            at = next;
        }
        list
    }
    fn clear(&mut self) {
        self.pool.clear();
        for slice in self.used.drain(..) {
            self.heads[slice as usize] = NONE;
        }
    }
}

/// The bottom states of each block, as a linked list.
pub(super) struct Bottoms {
    heads: Vec<u32>,
    next: Vec<u32>,
    before: Vec<u32>,
}

impl Bottoms {
    pub(super) fn first(&self, block: u32) -> u32 {
        self.heads[block as usize]
    }
    pub(super) fn next(&self, state: State) -> u32 {
        self.next[state as usize]
    }
    fn remove(&mut self, block: u32, state: State) {
        let (next, before) = (self.next[state as usize], self.before[state as usize]);
        match before {
            NONE => self.heads[block as usize] = next,
            _ => self.next[before as usize] = next,
        }
        if next != NONE {
            self.before[next as usize] = before;
        }
    }
    fn set(&mut self, block: u32, states: &[State]) {
        let mut head = NONE;
        for &s in states {
            self.next[s as usize] = head;
            self.before[s as usize] = NONE;
            if head != NONE {
                self.before[head as usize] = s;
            }
            head = s;
        }
        self.heads[block as usize] = head;
    }
}

impl<'a> Refiner<'a> {
    fn new(graph: &'a Lts) -> Refiner<'a> {
        let (n, m) = (graph.states(), graph.transitions());
        let mut sources = Vec::with_capacity(m);
        let mut inert = Vec::with_capacity(n);
        for s in 0..n as State {
            sources.resize(graph.range(s).end, s);
            inert.push(graph.tau_targets(s).len() as u32);
        }
        let (in_offsets, incoming) = incoming(graph);
        let mut refiner = Refiner {
            graph,
            sources,
            incoming,
            in_offsets,
            block_of: vec![0; n],
            sizes: vec![n as u32],
            bottoms: Bottoms {
                heads: vec![NONE],
                next: vec![NONE; n],
                before: vec![NONE; n],
            },
            inert,
            by_block: Slices::new(m),
            by_bunch: Slices::new(m),
            counter_of: vec![NONE; m],
            counters: Vec::new(),
            free_counters: Vec::new(),
            fresh: vec![NONE; n],
            bunches: 1,
            nontrivial: vec![0],
            pending: Vec::new(),
            stack: Vec::new(),
            marks: Marks::default(),
            search: Search::new(n),
        };
        refiner.fill_first_bunch();
        refiner
    }

    /// All visible transitions, from one block into one block, are one bunch.
    fn fill_first_bunch(&mut self) {
        let graph = self.graph;
        let is_bottom = |s: &State| self.inert[*s as usize] == 0;
        let bottoms: Vec<State> = (0..graph.states() as State).filter(is_bottom).collect();
        self.bottoms.set(0, &bottoms);
        let mut visible: Vec<u32> = (0..graph.transitions() as u32)
            .filter(|&e| graph.label_ids[e as usize] != TAU)
            .collect();
        if visible.is_empty() {
            return;
        }
        let slice = self.by_block.open(0, 0);
        let mut last = NONE;
        for &e in &visible {
            self.by_block.push(slice, e);
            let s = self.sources[e as usize];
            if s != last {
                self.counters.push(0);
                last = s;
                if self.inert[s as usize] == 0 {
                    self.marks.push(slice, s);
                }
            }
            *self.counters.last_mut().expect("one was pushed") += 1;
            self.counter_of[e as usize] = self.counters.len() as u32 - 1;
        }
        self.set_pending(slice);
        let label = |e: u32| graph.label_ids[e as usize];
        visible.sort_unstable_by_key(|&e| (label(e), e));
        for group in visible.chunk_by(|&d, &e| label(d) == label(e)) {
            let slice = self.by_bunch.open(0, 0);
            group.iter().for_each(|&e| self.by_bunch.push(slice, e));
        }
    }

    fn run(&mut self, budget: &Budget) -> Result<(), Exhausted> {
        let mut steps = 0;
        self.stabilise(&mut steps, budget)?;
        while let Some(bunch) = self.nontrivial.pop() {
            self.refine(bunch);
            self.stabilise(&mut steps, budget)?;
        }
        Ok(())
    }

    /// Splits blocks until none is unstable under a bunch.
    fn stabilise(&mut self, steps: &mut u64, budget: &Budget) -> Result<(), Exhausted> {
        while let Some(slice) = self.stack.pop() {
            if std::mem::replace(&mut self.pending[slice as usize], false) {
                self.split(slice, None);
            }
            if steps.is_multiple_of(1024) {
                budget.check(*steps)?;
                budget.tell(|| format!("{} blocks", self.sizes.len()));
            }
            *steps += 1;
        }
        self.marks.clear();
        Ok(())
    }

    fn set_pending(&mut self, slice: u32) {
        if self.pending.len() <= slice as usize {
            self.pending.resize(slice as usize + 1, false);
        }
        if !std::mem::replace(&mut self.pending[slice as usize], true) {
            self.stack.push(slice);
        }
    }
    fn is_pending(&self, slice: u32) -> bool {
        self.pending.get(slice as usize) == Some(&true)
    }
    fn count(&mut self, transition: u32, sources: &mut Vec<State>) -> u32 {
        let source = self.sources[transition as usize];
        let mut counter = self.fresh[source as usize];
        if counter == NONE {
            counter = self.free_counters.pop().unwrap_or_else(|| {
                self.counters.push(0);
                self.counters.len() as u32 - 1
            });
            self.fresh[source as usize] = counter;
            sources.push(source);
        }
        self.counters[counter as usize] += 1;
        std::mem::replace(&mut self.counter_of[transition as usize], counter)
    }

    /// Takes the transitions with one label into one block out of `bunch`, and splits the
    /// blocks that can tell them from the rest.
    fn refine(&mut self, bunch: u32) {
        let Some(first) = self.by_bunch.first(bunch) else {
            return;
        };
        let Some(second) = self.by_bunch.next(first) else {
            return;
        };
        let small = match self.by_bunch.len(first) <= self.by_bunch.len(second) {
            true => first,
            false => second,
        };
        self.nontrivial.push(bunch);
        let new = self.bunches;
        self.bunches += 1;
        self.by_bunch.give(small, new);
        let moved = self.by_bunch.transitions(small).to_vec();
        let mut sources = Vec::with_capacity(moved.len());
        // For each source: the counter of the rest, and the new slice.
        let mut details: Vec<(u32, u32)> = Vec::with_capacity(moved.len());
        for &e in &moved {
            let block = self.block_of[self.sources[e as usize] as usize];
            let (_, slice) = self.by_block.move_out(e, block, new);
            let rest = self.count(e, &mut sources);
            self.counters[rest as usize] -= 1;
            details.resize(sources.len(), (rest, slice));
        }
        let mut pairs = self.by_block.settle();
        // Where nothing of the rest is left, both parts of the bunch are the same to the block.
        pairs.retain(|&(rest, new)| {
            self.by_block.len(rest) > 0 && self.sizes[self.by_block.owner(new) as usize] > 1
        });
        pairs.sort_unstable_by_key(|p| p.1);
        for (&s, &(counter, slice)) in sources.iter().zip(&details) {
            self.fresh[s as usize] = NONE;
            let has_rest = self.counters[counter as usize] > 0;
            if !has_rest {
                self.free_counters.push(counter);
            }
            let pair = pairs.binary_search_by_key(&slice, |p| p.1);
            if let (0, Ok(at)) = (self.inert[s as usize], pair) {
                self.marks.push(slice, s);
                if has_rest {
                    self.marks.push(pairs[at].0, s);
                }
            }
        }
        for (rest, slice) in pairs {
            // Of those that get to the smaller part, who gets to the rest?
            self.set_pending(rest);
            self.split(slice, Some(rest));
        }
    }

    /// Splits the block of a slice by who gets inertly to a transition in it, unless all do.
    /// The other side is stable under the slice `stable`, then.
    fn split(&mut self, slice: u32, stable: Option<u32>) {
        let block = self.by_block.owner(slice);
        let marked = self.marks.take(slice);
        if self.sizes[block as usize] == 1 {
            return;
        }
        for s in marked {
            if self.block_of[s as usize] == block && self.search.start_with(s) {
                self.bottoms.remove(block, s);
            }
        }
        let bottoms = self.search.started().to_vec();
        if self.bottoms.first(block) == NONE {
            self.bottoms.set(block, &bottoms);
            self.search.clear();
            return;
        }
        let (part, gets_there) = self.find_smaller(block, slice);
        let new = self.new_block();
        // A bottom state gets there only by itself.
        let (there, other) = match gets_there {
            true => (new, block),
            false => (block, new),
        };
        self.bottoms.heads[other as usize] = self.bottoms.heads[block as usize];
        self.bottoms.set(there, &bottoms);
        let (ended, divided) = self.separate(&part, block, new);
        if let Some(rest) = stable {
            let twin = divided.iter().find(|p| p.0 == rest).map(|p| p.1);
            for slice in [Some(rest), twin].into_iter().flatten() {
                if self.by_block.len(slice) > 0 && self.by_block.owner(slice) == other {
                    self.pending[slice as usize] = false;
                }
            }
        }
        if !ended.is_empty() {
            self.split_by_new_bottoms(there, ended);
        }
    }

    fn new_block(&mut self) -> u32 {
        self.sizes.push(0);
        self.bottoms.heads.push(NONE);
        self.sizes.len() as u32 - 1
    }

    /// Makes `part` of `block` the block `new`. Returns the transitions that are no longer
    /// inert, and the slices of `by_block` that were divided.
    fn separate(&mut self, part: &[State], block: u32, new: u32) -> (Vec<u32>, Vec<(u32, u32)>) {
        self.sizes[block as usize] -= part.len() as u32;
        self.sizes[new as usize] = part.len() as u32;
        for &s in part {
            self.block_of[s as usize] = new;
        }
        let mut ended = Vec::new();
        for &s in part {
            let is_bottom = self.inert[s as usize] == 0;
            for e in self.graph.range(s) {
                let target = self.graph.targets[e];
                let e = e as u32;
                if self.by_block.contains(e) {
                    let bunch = self.by_block.tag(self.by_block.of(e));
                    let (from, to) = self.by_block.move_out(e, new, bunch);
                    if is_bottom && self.is_pending(from) {
                        self.marks.push(to, s);
                    }
                } else if self.block_of[target as usize] != new {
                    ended.push(e);
                }
            }
            for i in self.in_offsets[s as usize]..self.in_offsets[s as usize + 1] {
                let e = self.incoming[i as usize];
                if self.by_bunch.contains(e) {
                    let bunch = self.by_bunch.owner(self.by_bunch.of(e));
                    self.by_bunch.move_out(e, bunch, 0);
                } else if self.block_of[self.sources[e as usize] as usize] != new {
                    ended.push(e);
                }
            }
        }
        for (_, slice) in self.by_bunch.settle() {
            self.nontrivial.push(self.by_bunch.owner(slice));
        }
        let divided = self.by_block.settle();
        for &(from, to) in &divided {
            if self.is_pending(from) {
                self.set_pending(to);
                if self.by_block.len(from) == 0 {
                    self.pending[from as usize] = false;
                    self.marks.take(from);
                }
            }
        }
        (ended, divided)
    }

    /// After inert transitions of `block` ended: they become a bunch, and those who get to
    /// them, whose bottom states are all new, a block that may be unstable under any bunch.
    fn split_by_new_bottoms(&mut self, mut block: u32, ended: Vec<u32>) {
        let bunch = self.bunches;
        self.bunches += 1;
        let mut bottoms = Vec::new();
        let mut sources = Vec::new();
        let slice = self.by_block.open(block, bunch);
        self.fill(slice, bunch, &ended, &mut sources, &mut bottoms);
        if self.bottoms.first(block) != NONE {
            let (part, gets_there) = self.find_smaller(block, slice);
            let new = self.new_block();
            let (more, _) = self.separate(&part, block, new);
            // The old bottom states stay with those who do not get there.
            match gets_there {
                true => block = new,
                false => {
                    let old = std::mem::replace(&mut self.bottoms.heads[block as usize], NONE);
                    self.bottoms.heads[new as usize] = old;
                }
            }
            if !more.is_empty() {
                let slice = self.by_block.of(ended[0]);
                self.fill(slice, bunch, &more, &mut sources, &mut bottoms);
                self.nontrivial.push(bunch);
            }
        }
        for s in sources {
            self.fresh[s as usize] = NONE;
        }
        self.bottoms.set(block, &bottoms);
        if self.sizes[block as usize] == 1 {
            return;
        }
        let own = self.by_block.of(ended[0]);
        for s in bottoms {
            for e in self.graph.range(s) {
                let slice = self.by_block.of(e as u32);
                if slice != own {
                    self.marks.push(slice, s);
                }
            }
        }
        let mut next = self.by_block.first(block);
        while let Some(slice) = next {
            if slice != own {
                self.set_pending(slice);
            }
            next = self.by_block.next(slice);
        }
    }

    /// Adds transitions that are no longer inert to `slice` and `bunch`, and their sources to
    /// `bottoms` when no inert transition is left.
    fn fill(
        &mut self,
        slice: u32,
        bunch: u32,
        ended: &[u32],
        sources: &mut Vec<State>,
        bottoms: &mut Vec<State>,
    ) {
        let targets = self.by_bunch.open(bunch, 0);
        for &e in ended {
            self.by_block.push(slice, e);
            self.by_bunch.push(targets, e);
            self.count(e, sources);
            let source = self.sources[e as usize];
            self.inert[source as usize] -= 1;
            if self.inert[source as usize] == 0 {
                bottoms.push(source);
            }
        }
    }
}

/// Where each state's incoming transitions start, and the transitions by target, tau first.
fn incoming(graph: &Lts) -> (Vec<u32>, Vec<u32>) {
    let mut offsets = vec![0u32; graph.states() + 1];
    for &t in &graph.targets {
        offsets[t as usize] += 1;
    }
    let mut sum = 0;
    for slot in &mut offsets {
        sum += *slot;
        *slot = sum;
    }
    let mut incoming = vec![0; graph.transitions()];
    // From the end of each stretch to its start: tau comes last, so it lies first.
    for silent in [false, true] {
        for e in (0..graph.transitions()).rev() {
            if (graph.label_ids[e] == TAU) == silent {
                let slot = &mut offsets[graph.targets[e] as usize];
                *slot -= 1;
                incoming[*slot as usize] = e as u32;
            }
        }
    }
    (offsets, incoming)
}
