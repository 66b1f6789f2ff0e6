//! The iteration over the whole program. A node is a block in a context; states go from node to node
//! until nothing is new, with widening at the heads of loops. Then some passes make them smaller
//! again: what a sound description leads to is one, too.

use crate::block::{Out, run_block};
use crate::flags::dead_flags;
use crate::order::Order;
use crate::point::{At, World};
use crate::state::{State, Widening};
use crate::step::Recorder;
use crate::survey::Changes;
use crate::value::{CellId, Value};
use cwolf_base::{Budget, Exhausted, Idx};
use cwolf_cwi::{BlockId, Body, Branch, CheckId, FuncId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// Times that states meet at a head before their bounds are widened.
const PATIENCE: u32 = 3;
/// … before bounds stop at nothing.
const HASTE: u32 = 30;
/// … before relations are dropped.
const ALONE: u32 = 80;
/// … before what still changes is dropped.
const ENOUGH: u32 = 120;
/// States that are kept apart at a node.
const APART: usize = 12;
/// Passes after the iteration.
const PASSES: usize = 3;
/// Blocks that may be run in all.
const MOST_STEPS: u64 = 400_000;
/// Steps between two looks at the budget.
const PAUSE: u64 = 16;
/// Blocks in all contexts; where that is too much, functions have one context each.
const MOST_BLOCKS: u64 = 20_000;
/// With more blocks, one context for each function is tried first: mostly it is much faster, and often enough.
const MANY_BLOCKS: u64 = 8_000;

cwolf_base::index! {
    /// A function called from somewhere.
    Context
}

/// A call in progress.
struct Call {
    func: FuncId,
    /// Several calls lead here: what is private to callers is not known here.
    shared: bool,
    /// The place in the order of nodes of the block that calls.
    path: Vec<u32>,
    /// Nodes that wait for this to return.
    waiting: Vec<Node>,
    /// What holds where it returns.
    exits: Vec<State>,
    /// How often that changed.
    returned: u32,
}

/// A block in a context; `after` a call that ends it, for what is left to do then.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Node {
    context: Context,
    block: BlockId,
    after: bool,
}

/// What is known at a node.
#[derive(Default)]
struct Known {
    states: Vec<State>,
    visits: u32,
    /// How many of the flags do not tell states apart any more.
    dropped: usize,
}

/// Why there is no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stopped {
    /// Something ran out.
    Exhausted(Exhausted),
    /// The program does something that is not followed.
    Incomplete(String),
}

impl From<Exhausted> for Stopped {
    fn from(why: Exhausted) -> Stopped {
        Stopped::Exhausted(why)
    }
}

/// The iteration.
pub(crate) struct Fixpoint<'w, 'p> {
    world: &'w World<'p>,
    orders: &'w FxHashMap<FuncId, Order>,
    flags: &'w [CellId],
    changes: &'w FxHashMap<FuncId, Changes>,
    /// Dead flags at each block.
    dead: FxHashMap<(FuncId, BlockId), Vec<CellId>>,
    calls: Vec<Call>,
    contexts: FxHashMap<(Option<Node>, FuncId), Context>,
    /// What is called at a node that waits for it.
    callees: FxHashMap<Node, Vec<Context>>,
    inline: bool,
    known: FxHashMap<Node, Known>,
    /// Nodes to be looked at, by their place.
    due: BTreeMap<(Vec<u32>, Node), ()>,
    found: Found,
    steps: u64,
}

/// What the last pass saw.
#[derive(Default)]
pub(crate) struct Found {
    /// Whether each check that is reached holds whenever it is.
    pub(crate) checks: FxHashMap<CheckId, bool>,
    /// Whether a failure without a check is reached.
    pub(crate) fails: bool,
    incomplete: Option<String>,
    /// What is known at the start of each block, over all contexts.
    pub(crate) blocks: FxHashMap<(FuncId, BlockId), Vec<State>>,
}

impl Found {
    /// Whether no run fails.
    pub(crate) fn is_safe(&self) -> bool {
        !self.fails && self.checks.values().all(|holds| *holds)
    }
}

impl Recorder for Found {
    fn check(&mut self, check: CheckId, holds: bool) {
        *self.checks.entry(check).or_insert(true) &= holds;
    }
    fn failure(&mut self) {
        self.fails = true;
    }
    fn incomplete(&mut self, why: String) {
        self.incomplete.get_or_insert(why);
    }
}

/// Nobody listens but for what makes the analysis stop.
struct Quiet<'f>(&'f mut Option<String>);

impl Recorder for Quiet<'_> {
    fn check(&mut self, _: CheckId, _: bool) {}
    fn failure(&mut self) {}
    fn incomplete(&mut self, why: String) {
        self.0.get_or_insert(why);
    }
}

impl<'w, 'p> Fixpoint<'w, 'p> {
    pub(crate) fn new(
        world: &'w World<'p>,
        orders: &'w FxHashMap<FuncId, Order>,
        flags: &'w [CellId],
        changes: &'w FxHashMap<FuncId, Changes>,
    ) -> Fixpoint<'w, 'p> {
        Fixpoint {
            dead: dead_flags(world, orders, flags),
            ..Fixpoint::bare(world, orders, flags, changes)
        }
    }

    /// Nothing is known yet, also not what flags are dead.
    fn bare(
        world: &'w World<'p>,
        orders: &'w FxHashMap<FuncId, Order>,
        flags: &'w [CellId],
        changes: &'w FxHashMap<FuncId, Changes>,
    ) -> Fixpoint<'w, 'p> {
        Fixpoint {
            world,
            orders,
            flags,
            changes,
            dead: FxHashMap::default(),
            calls: Vec::new(),
            contexts: FxHashMap::default(),
            callees: FxHashMap::default(),
            inline: false,
            known: FxHashMap::default(),
            due: BTreeMap::new(),
            found: Found::default(),
            steps: 0,
        }
    }

    /// Runs from `entry` with a first state: with a context for each call, if these are few, or for each function.
    pub(crate) fn run(
        mut self,
        entry: FuncId,
        first: State,
        keep: &dyn Fn(FuncId, BlockId) -> bool,
        budget: &Budget,
    ) -> Result<Found, Stopped> {
        let blocks = self.blocks_in_all(entry, &mut FxHashMap::default());
        if blocks > MANY_BLOCKS {
            let apart = Fixpoint {
                dead: self.dead.clone(),
                ..Fixpoint::bare(self.world, self.orders, self.flags, self.changes)
            };
            let found = apart.iterate(entry, first.clone(), keep, budget)?;
            if blocks > MOST_BLOCKS || found.is_safe() {
                return Ok(found);
            }
        }
        self.inline = true;
        self.iterate(entry, first, keep, budget)
    }

    fn iterate(
        mut self,
        entry: FuncId,
        first: State,
        keep: &dyn Fn(FuncId, BlockId) -> bool,
        budget: &Budget,
    ) -> Result<Found, Stopped> {
        let start = self.context(None, entry);
        let node = Node {
            context: start,
            block: Body::ENTRY,
            after: false,
        };
        self.arrive(node, first.clone());
        while let Some(((_, node), ())) = self.due.pop_first() {
            self.step(budget)?;
            if self.steps > MOST_STEPS {
                return Err(Stopped::Incomplete("too many steps".into()));
            }
            for (to, state) in self.leave(node, None)? {
                self.arrive(to, state);
            }
        }
        for pass in 0..PASSES {
            self.pass(node, &first, (pass + 1 == PASSES).then_some(keep), budget)?;
        }
        Ok(self.found)
    }

    /// One more block is run.
    fn step(&mut self, budget: &Budget) -> Result<(), Exhausted> {
        self.steps += 1;
        match self.steps.is_multiple_of(PAUSE) {
            true => budget.check(self.steps),
            false => Ok(()),
        }
    }

    /// How many blocks there are if each call has a context of its own.
    fn blocks_in_all(&self, func: FuncId, known: &mut FxHashMap<FuncId, u64>) -> u64 {
        if let Some(n) = known.get(&func) {
            return *n;
        }
        known.insert(func, 0);
        let body = self.world.program.funcs[func].body.as_ref();
        let mut all = body.map_or(0, |b| b.blocks.len() as u64);
        for call in self.world.program.calls().calls_in(func) {
            for target in &call.targets {
                let target = self.world.program.defined(*target);
                let own = match self.world.objects.recursive.contains(&target) {
                    true => 0,
                    false => self.blocks_in_all(target, known),
                };
                all = all.saturating_add(own);
            }
        }
        known.insert(func, all);
        all
    }

    fn context(&mut self, from: Option<Node>, func: FuncId) -> Context {
        let recursive = self.world.objects.recursive.contains(&func);
        let shared = !self.inline || recursive;
        let from = from.filter(|_| !shared);
        if let Some(known) = self.contexts.get(&(from, func)) {
            return *known;
        }
        let path = from.map_or(Vec::new(), |node| self.path(node));
        // Functions that several call come after everything else.
        let path = match shared && !self.calls.is_empty() {
            true => vec![u32::MAX, func.0],
            false => path,
        };
        let context = Context::new(self.calls.len());
        self.calls.push(Call {
            func,
            // The program's start is called by nobody else, unless it calls itself.
            shared: recursive || (shared && !self.calls.is_empty()),
            path,
            waiting: Vec::new(),
            exits: Vec::new(),
            returned: 0,
        });
        self.contexts.insert((from, func), context);
        context
    }

    /// The place of a node in the order: that of the calls around it, then its own.
    fn path(&self, node: Node) -> Vec<u32> {
        let call = &self.calls[node.context.index()];
        let rank = self.orders[&call.func].rank[node.block].unwrap_or(0);
        let mut path = call.path.clone();
        path.push(2 * rank + u32::from(node.after));
        path
    }

    fn queue(&mut self, node: Node) {
        self.due.insert((self.path(node), node), ());
    }

    fn is_head(&self, node: Node) -> bool {
        let call = &self.calls[node.context.index()];
        let entry = call.shared && node.block == Body::ENTRY;
        !node.after && (entry || self.orders[&call.func].heads.contains(&node.block))
    }

    /// A state comes to a node.
    fn arrive(&mut self, node: Node, state: State) {
        let head = self.is_head(node);
        let mut known = self.known.remove(&node).unwrap_or_default();
        if self.merge(node, &mut known, state, head) {
            self.queue(node);
        }
        self.known.insert(node, known);
    }

    /// The flags' values by which states of a node are kept apart.
    fn key(&self, state: &State, dropped: usize) -> Vec<Option<i128>> {
        let flags = &self.flags[..self.flags.len().saturating_sub(dropped)];
        let value = |cell: &CellId| state.get(*cell).and_then(Value::as_num)?.as_constant();
        flags.iter().map(value).collect()
    }

    /// Adds a state to those of a node; whether it is new.
    fn merge(&self, node: Node, known: &mut Known, mut state: State, widen: bool) -> bool {
        let func = self.calls[node.context.index()].func;
        if !node.after
            && let Some(dead) = self.dead.get(&(func, node.block))
        {
            for cell in dead {
                state.set(&self.world.packs, *cell, None);
            }
        }
        let key = self.key(&state, known.dropped);
        let same = known
            .states
            .iter()
            .position(|s| self.key(s, known.dropped) == key);
        let Some(n) = same else {
            known.states.push(state);
            self.thin(known);
            return true;
        };
        let old = &known.states[n];
        if state.is_in(old, &self.world.packs) {
            return false;
        }
        known.visits += u32::from(widen);
        let new = match widen && known.visits > PATIENCE {
            false => old.join(&state, &self.world.packs),
            true => self.widen(old, &state, known.visits),
        };
        known.states[n] = new;
        self.thin(known);
        true
    }

    /// Keeps fewer states apart, if they are too many; those whose flags became alike are one.
    fn thin(&self, known: &mut Known) {
        loop {
            let mut kept: Vec<(Vec<Option<i128>>, State)> = Vec::new();
            for state in known.states.drain(..) {
                let key = self.key(&state, known.dropped);
                match kept.iter_mut().find(|(k, _)| *k == key) {
                    Some((_, old)) => *old = old.join(&state, &self.world.packs),
                    None => kept.push((key, state)),
                }
            }
            known.states = kept.into_iter().map(|(_, s)| s).collect();
            if known.states.len() <= APART {
                return;
            }
            known.dropped += 1;
        }
    }

    fn widen(&self, old: &State, new: &State, visits: u32) -> State {
        let room = |cell: CellId| self.world.objects.room(cell);
        let steps: &[i128] = match visits > HASTE {
            true => &[],
            false => &self.world.steps,
        };
        let how = Widening { steps, room: &room };
        let mut wide = old.widen(new, &self.world.packs, how);
        if visits > ALONE {
            wide.unrelate_all();
        }
        if visits > ENOUGH {
            let changed: Vec<CellId> = old
                .known()
                .filter(|(cell, value)| wide.get(*cell) != Some(value))
                .map(|(cell, _)| cell)
                .collect();
            for cell in changed {
                wide.put(cell, None);
            }
        }
        wide
    }

    /// Where the states of a node lead. In a pass, what is seen counts, and the exits of functions are
    /// collected.
    fn leave(
        &mut self,
        node: Node,
        mut pass: Option<&mut Vec<(Context, State)>>,
    ) -> Result<Vec<(Node, State)>, Stopped> {
        let states = match self.known.get(&node) {
            Some(known) => known.states.clone(),
            None => return Ok(Vec::new()),
        };
        if node.after {
            return Ok(self.after(node, &states));
        }
        let func = self.calls[node.context.index()].func;
        let body = self.world.program.funcs[func].body.as_ref().expect("code");
        let block = &body.blocks[node.block];
        let mut going = Vec::new();
        let to = |block: BlockId| Node {
            block,
            after: false,
            ..node
        };
        for state in states {
            let at = At {
                world: self.world,
                func,
                block: node.block,
                state,
            };
            let mut why = None;
            let outs = match pass.is_some() {
                true => run_block(at, block, &mut self.found),
                false => run_block(at, block, &mut Quiet(&mut why)),
            };
            if let Some(why) = why.or_else(|| self.found.incomplete.clone()) {
                return Err(Stopped::Incomplete(why));
            }
            for out in outs {
                match out {
                    Out::Block(next, state) => going.push((to(next), state)),
                    Out::Done(state) => {
                        if let Branch::Call {
                            next: Some(next), ..
                        } = &block.branch
                        {
                            going.push((to(*next), state));
                        }
                    }
                    Out::Call(callee, state) => {
                        let context = self.context(Some(node), callee);
                        let entry = Node {
                            context,
                            block: Body::ENTRY,
                            after: false,
                        };
                        let after = Node {
                            after: true,
                            ..node
                        };
                        let call = &mut self.calls[context.index()];
                        if !call.waiting.contains(&after) {
                            call.waiting.push(after);
                            self.callees.entry(after).or_default().push(context);
                            if !call.exits.is_empty() {
                                self.queue(after);
                            }
                        }
                        let state = self.at_entry(context, state);
                        going.push((entry, state));
                    }
                    Out::Before(state) => {
                        let after = Node {
                            after: true,
                            ..node
                        };
                        going.push((after, state));
                    }
                    Out::Return(state) => match &mut pass {
                        Some(exits) => exits.push((node.context, state)),
                        None => self.exit(node.context, state),
                    },
                }
            }
        }
        Ok(going)
    }

    /// What a function that several call knows: nothing of what is private to others.
    fn at_entry(&self, context: Context, mut state: State) -> State {
        let call = &self.calls[context.index()];
        if call.shared {
            let cells: Vec<CellId> = state.known().map(|(c, _)| c).collect();
            for cell in cells {
                let private = self.world.objects.cells[cell].private;
                if private.is_some_and(|f| f != call.func) {
                    state.put(cell, None);
                }
            }
            for (pack, cells) in self.world.packs.cells.iter().enumerate() {
                for cell in cells {
                    let private = self.world.objects.cells[*cell].private;
                    if private.is_some_and(|f| f != call.func) && state.octagon(pack).is_some() {
                        state.unrelate(&self.world.packs, *cell);
                    }
                }
            }
        }
        state
    }

    /// A function returns.
    fn exit(&mut self, context: Context, state: State) {
        let mut known = Known {
            states: std::mem::take(&mut self.calls[context.index()].exits),
            ..Known::default()
        };
        let node = Node {
            context,
            block: Body::ENTRY,
            after: true,
        };
        let shared = self.calls[context.index()].shared;
        let new = match shared {
            false => self.merge(node, &mut known, state, false),
            // One state for all callers. A recursive function's depends on itself.
            true => match known.states.pop() {
                None => {
                    known.states.push(state);
                    true
                }
                Some(old) if state.is_in(&old, &self.world.packs) => {
                    known.states.push(old);
                    false
                }
                Some(old) => {
                    let visits = self.calls[context.index()].returned;
                    known.states.push(match visits > PATIENCE {
                        true => self.widen(&old, &state, visits),
                        false => old.join(&state, &self.world.packs),
                    });
                    true
                }
            },
        };
        let call = &mut self.calls[context.index()];
        call.returned += u32::from(new);
        call.exits = known.states;
        if new {
            for node in call.waiting.clone() {
                self.queue(node);
            }
        }
    }

    /// What holds after a call that ends a block, given what held before it.
    fn after(&self, node: Node, before: &[State]) -> Vec<(Node, State)> {
        let func = self.calls[node.context.index()].func;
        let body = self.world.program.funcs[func].body.as_ref().expect("code");
        let Branch::Call {
            next: Some(next), ..
        } = &body.blocks[node.block].branch
        else {
            return Vec::new();
        };
        let to = Node {
            block: *next,
            after: false,
            ..node
        };
        let mut going = Vec::new();
        for context in self.callees.get(&node).into_iter().flatten() {
            let call = &self.calls[context.index()];
            match call.shared {
                false => going.extend(call.exits.iter().map(|s| (to, s.clone()))),
                true => {
                    for exit in &call.exits {
                        let states = before.iter().map(|b| self.combine(call.func, b, exit));
                        going.extend(states.map(|s| (to, s)));
                    }
                }
            }
        }
        going
    }

    /// A caller's state after a call of a function that several call.
    fn combine(&self, callee: FuncId, before: &State, exit: &State) -> State {
        let objects = &self.world.objects;
        let nothing = Changes::default();
        let changes = self.changes.get(&callee).unwrap_or(&nothing);
        let mut after = before.clone();
        let mut changed: FxHashSet<CellId> = FxHashSet::default();
        for object in &changes.objects {
            changed.extend(objects.all[*object].cells());
        }
        let kept = |cell: CellId| {
            let private = objects.cells[cell].private.is_some();
            private || !changed.contains(&cell)
        };
        let known: Vec<CellId> = before.known().map(|(c, _)| c).collect();
        for cell in known {
            if kept(cell) {
                continue;
            }
            after.set(&self.world.packs, cell, exit.get(cell).cloned());
        }
        for cell in &changed {
            if !kept(*cell) && before.get(*cell).is_none() {
                after.set(&self.world.packs, *cell, exit.get(*cell).cloned());
            }
        }
        // A pointer that nobody wrote may still be stale.
        if changes.frees {
            after.change_all(|value| match value {
                Value::Pointer(p) if !p.stale && !p.targets.is_empty() => {
                    let mut p = p.clone();
                    p.stale = true;
                    Some(Some(Value::Pointer(p)))
                }
                _ => None,
            });
        }
        after.put(objects.result, exit.get(objects.result).cloned());
        after
    }

    /// Computes all states anew from those at the heads, and then those.
    fn pass(
        &mut self,
        first: Node,
        state: &State,
        record: Option<&dyn Fn(FuncId, BlockId) -> bool>,
        budget: &Budget,
    ) -> Result<(), Stopped> {
        let mut order: Vec<(Vec<u32>, Node)> =
            self.known.keys().map(|n| (self.path(*n), *n)).collect();
        order.sort_unstable();
        let old = std::mem::take(&mut self.known);
        let mut new: FxHashMap<Node, Known> = FxHashMap::default();
        let mut exits: FxHashMap<Context, Known> = FxHashMap::default();
        // Exits of functions that several call stay what they were; others are found on the way.
        for call in self.calls.iter_mut().filter(|c| !c.shared) {
            call.exits.clear();
        }
        self.due.clear();
        self.found = Found::default();
        let fresh = |old: &FxHashMap<Node, Known>, node: &Node| Known {
            dropped: old.get(node).map_or(0, |k| k.dropped),
            ..Known::default()
        };
        let mut begin = fresh(&old, &first);
        self.merge(first, &mut begin, state.clone(), false);
        new.insert(first, begin);
        for (_, node) in &order {
            self.step(budget)?;
            let head = self.is_head(*node);
            let states = match head {
                true => old[node].states.clone(),
                false => new.get(node).map_or(Vec::new(), |k| k.states.clone()),
            };
            let func = self.calls[node.context.index()].func;
            if let (Some(keep), false) = (record, node.after)
                && keep(func, node.block)
                && !states.is_empty()
            {
                let all = self.found.blocks.entry((func, node.block)).or_default();
                all.extend(states.iter().cloned());
            }
            let current = Known {
                states,
                visits: 0,
                dropped: old[node].dropped,
            };
            self.known.insert(*node, current);
            let mut left = Vec::new();
            let going = self.leave(*node, Some(&mut left))?;
            self.known.remove(node);
            for (to, state) in going {
                let mut known = new.remove(&to).unwrap_or_else(|| fresh(&old, &to));
                self.merge(to, &mut known, state, false);
                new.insert(to, known);
            }
            for (context, state) in left {
                match self.calls[context.index()].shared {
                    false => self.exit(context, state),
                    true => {
                        let known = exits.entry(context).or_default();
                        match known.states.pop() {
                            None => known.states.push(state),
                            Some(old) => known.states.push(old.join(&state, &self.world.packs)),
                        }
                    }
                }
            }
        }
        self.due.clear();
        for (context, call) in self.calls.iter_mut().enumerate() {
            if call.shared {
                let found = exits.remove(&Context::new(context));
                call.exits = found.map_or(Vec::new(), |k| k.states);
            }
        }
        new.retain(|_, k| !k.states.is_empty());
        self.known = new;
        Ok(())
    }
}
