//! The fixpoint: path edges per node, summary edges per procedure.
//!
//! A path edge of a node relates the valuation at the entry of the procedure (globals, parameters)
//! to one at the node (globals, locals). A summary edge is a path edge of the exit, where only
//! globals and results are left. A procedure that nobody calls needs no summary, so that its path
//! edges do not remember the entry. New path edges wait in a queue; each batch that proves really new
//! becomes a *ring* with a stamp, and what explains a path edge always has an earlier stamp.
//!
//! There are two orders. `Fast` takes callees before callers and nodes in reverse postorder, so
//! that batches merge; stamps count batches. `Shortest` simulates time: a stamp is the number of
//! steps of the shortest execution that leads there, so that the first hit is a shortest one. A
//! callee is entered once for each valuation, at the earliest time `g`; a summary edge found at
//! time `s` has length `s - g`, and takes a caller that called at time `t` to `t + 1 + (s - g)`,
//! which is never before `s`.

use super::image::{self, Calling, Relation};
use super::space::{Bdd, Copy, Renaming, Space, rename};
use super::{Stats, Target, Unknown};
use crate::cfg::{Action, Graph, NodeId};
use crate::{ProcId, Program, StmtKind};
use cwolf_base::{Budget, Exhausted, IndexVec};
use oxidd::BooleanFunction;
use oxidd::util::AllocResult;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Times beyond this are not worth being exact about.
const MAX_TIME: u64 = 1 << 60;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    Fast,
    Shortest,
}

/// Path edges that were found together.
#[derive(Clone)]
pub(crate) struct Ring {
    pub(crate) stamp: u64,
    pub(crate) set: Bdd,
}

pub(crate) struct NodeData {
    pub(crate) reach: Bdd,
    pub(crate) rings: Vec<Ring>,
}

/// What is known at the node before a call; the sets have the arguments in them.
pub(crate) struct CallData {
    total: Bdd,
    pub(crate) rings: Vec<Ring>,
    pub(crate) calling: Rc<Calling>,
}

pub(crate) struct ProcData {
    pub(crate) nodes: IndexVec<NodeId, NodeData>,
    entered: Bdd,
    /// Entry valuations by the stamp of the call.
    pub(crate) entries: Vec<Ring>,
    /// Now as at the entry.
    unchanged: Bdd,
    enforce: Option<Bdd>,
    pub(crate) summary_names: Renaming,
    /// All summary edges, named for a caller.
    summary: Bdd,
    /// Summary edges by length, named for a caller; only in shortest mode.
    pub(crate) by_length: BTreeMap<u64, Bdd>,
}

/// Why the exploration ended.
pub(crate) enum Stop {
    /// There is nothing more to find.
    Done,
    /// A target was hit: which, and in which ring's path edges.
    Hit(Target, Ring),
    /// The budget or the capacity did not suffice.
    Unknown(Unknown),
}

type Key = (u64, u32, u32, ProcId, NodeId);

pub(crate) struct Engine<'p> {
    pub(crate) program: &'p Program,
    pub(crate) graph: &'p Graph,
    pub(crate) space: Space,
    pub(crate) mode: Mode,
    pub(crate) procs: FxHashMap<ProcId, ProcData>,
    pub(crate) calls: FxHashMap<(ProcId, NodeId), CallData>,
    relations: FxHashMap<(ProcId, NodeId, Action), Rc<Relation>>,
    call_order: IndexVec<ProcId, (u32, bool)>,
    positions: IndexVec<ProcId, IndexVec<NodeId, u32>>,
    queue: BTreeMap<Key, Bdd>,
    targets: FxHashMap<(ProcId, NodeId), Vec<Target>>,
    stamp: u64,
}

impl<'p> Engine<'p> {
    pub(crate) fn new(
        program: &'p Program,
        graph: &'p Graph,
        capacity: usize,
        mode: Mode,
        targets: &[Target],
    ) -> AllocResult<Engine<'p>> {
        let mut by_node: FxHashMap<(ProcId, NodeId), Vec<Target>> = FxHashMap::default();
        for &target in targets {
            let (Target::Stmt(proc, stmt) | Target::Assert(proc, stmt)) = target;
            by_node
                .entry((proc, NodeId(stmt.0)))
                .or_default()
                .push(target);
        }
        Ok(Engine {
            program,
            graph,
            space: Space::new(program, capacity)?,
            mode,
            procs: FxHashMap::default(),
            calls: FxHashMap::default(),
            relations: FxHashMap::default(),
            call_order: graph.call_order(program),
            positions: graph.procs.iter().map(|p| p.reverse_postorder()).collect(),
            queue: BTreeMap::new(),
            targets: by_node,
            stamp: 0,
        })
    }

    /// Runs until a target is hit or nothing is new.
    pub(crate) fn run(&mut self, entry: ProcId, budget: &Budget, stats: &mut Stats) -> Stop {
        match self.explore(entry, budget, stats) {
            Ok(stop) => stop,
            Err(_) => Stop::Unknown(Unknown::Memory),
        }
    }
    fn explore(&mut self, entry: ProcId, budget: &Budget, stats: &mut Stats) -> AllocResult<Stop> {
        let all = self.space.yes.clone();
        self.enter(entry, all, 0)?;
        while let Some((key, pending)) = self.queue.pop_first() {
            if let Err(reason) = budget.check(stats.batches) {
                return Ok(Stop::Unknown(Unknown::Budget(reason)));
            }
            let (time, _, _, proc, node) = key;
            if time > MAX_TIME {
                return Ok(Stop::Unknown(Unknown::Budget(Exhausted::Steps)));
            }
            let data = &self.procs[&proc].nodes[node];
            // `imp_strict` is `!a && b`: what waited and is not yet reached.
            let new = data.reach.imp_strict(&pending)?;
            if !new.satisfiable() {
                continue;
            }
            stats.batches += 1;
            self.stamp += 1;
            let stamp = match self.mode {
                Mode::Fast => self.stamp,
                Mode::Shortest => time,
            };
            let ring = Ring { stamp, set: new };
            if let Some(stop) = self.settle(proc, node, ring)? {
                return Ok(stop);
            }
            self.space.tidy()?;
            stats.peak_nodes = stats.peak_nodes.max(self.space.peak);
        }
        Ok(Stop::Done)
    }
    /// Adds new path edges, looks for targets, and takes every step on.
    fn settle(&mut self, proc: ProcId, node: NodeId, ring: Ring) -> AllocResult<Option<Stop>> {
        let data = self.procs.get_mut(&proc).expect("an entered procedure");
        let here = &mut data.nodes[node];
        here.reach = here.reach.or(&ring.set)?;
        here.rings.push(ring.clone());
        if let Some(stop) = self.hit(proc, node, &ring)? {
            return Ok(Some(stop));
        }
        let graph = self.graph;
        if node == graph.procs[proc].exit {
            self.summarise(proc, ring)?;
            return Ok(None);
        }
        for edge in &graph.procs[proc].edges[node] {
            if edge.action == Action::Call {
                self.call(proc, node, ring.clone())?;
                continue;
            }
            let relation = self.relation(proc, node, edge.action)?;
            let image = relation.image(&ring.set)?;
            self.push(ring.stamp.saturating_add(1), proc, edge.to, image)?;
        }
        Ok(None)
    }
    fn hit(&self, proc: ProcId, node: NodeId, ring: &Ring) -> AllocResult<Option<Stop>> {
        for &target in self.targets.get(&(proc, node)).into_iter().flatten() {
            let set = match target {
                Target::Stmt(..) => ring.set.clone(),
                Target::Assert(_, stmt) => {
                    let kind = &self.program.procs[proc].stmts[stmt].kind;
                    let StmtKind::Assert(condition) = kind else {
                        continue;
                    };
                    let fails = self.space.may_be(proc, condition, false)?;
                    ring.set.and(&fails)?
                }
            };
            if set.satisfiable() {
                let stamp = ring.stamp;
                return Ok(Some(Stop::Hit(target, Ring { stamp, set })));
            }
        }
        Ok(None)
    }
    /// Lets path edges wait at a node, except those that `enforce` forbids.
    fn push(&mut self, time: u64, proc: ProcId, node: NodeId, set: Bdd) -> AllocResult<()> {
        let data = &self.procs[&proc];
        let exit = node == self.graph.procs[proc].exit;
        let set = match &data.enforce {
            Some(condition) if !exit => set.and(condition)?,
            _ => set,
        };
        if !set.satisfiable() {
            return Ok(());
        }
        let time = if self.mode == Mode::Fast { 0 } else { time };
        let rank = self.call_order[proc].0;
        let key = (time, rank, self.positions[proc][node], proc, node);
        let waiting = match self.queue.get(&key) {
            Some(waiting) => waiting.or(&set)?,
            None => set,
        };
        self.queue.insert(key, waiting);
        Ok(())
    }
    fn relation(
        &mut self,
        proc: ProcId,
        node: NodeId,
        action: Action,
    ) -> AllocResult<Rc<Relation>> {
        if let Some(relation) = self.relations.get(&(proc, node, action)) {
            return Ok(relation.clone());
        }
        let stmt = self.graph.procs[proc].stmt(node);
        let kind = stmt.map(|s| &self.program.procs[proc].stmts[s].kind);
        let space = &self.space;
        let relation = match (action, kind) {
            (Action::Skip, _) => Relation::identity(),
            (Action::Assume(value), Some(kind)) => {
                Relation::filter(space.may_be(proc, kind.exprs()[0], value)?)
            }
            (
                Action::Assign,
                Some(StmtKind::Assign {
                    targets,
                    values,
                    constrain,
                }),
            ) => image::assignment(space, proc, targets, values, constrain.as_ref())?,
            (Action::Return, Some(StmtKind::Return(values))) => {
                image::leaving(space, self.program, proc, Some(values))?
            }
            (Action::Return, _) => image::leaving(space, self.program, proc, None)?,
            _ => unreachable!("edges fit their statements"),
        };
        let relation = Rc::new(relation);
        self.relations
            .insert((proc, node, action), relation.clone());
        Ok(relation)
    }

    /// Adds entry valuations of a procedure; `stamp` is the time of the entry.
    fn enter(&mut self, proc: ProcId, entries: Bdd, stamp: u64) -> AllocResult<()> {
        if !self.procs.contains_key(&proc) {
            let data = self.proc_data(proc)?;
            self.procs.insert(proc, data);
        }
        let data = self.procs.get_mut(&proc).expect("just added");
        let set = data.entered.imp_strict(&entries)?;
        if !set.satisfiable() {
            return Ok(());
        }
        data.entered = data.entered.or(&set)?;
        let start = set.and(&data.unchanged)?;
        data.entries.push(Ring { stamp, set });
        self.push(stamp, proc, self.graph.procs[proc].entry, start)
    }
    fn proc_data(&self, proc: ProcId) -> AllocResult<ProcData> {
        let space = &self.space;
        let empty = || NodeData {
            reach: space.no.clone(),
            rings: Vec::new(),
        };
        let globals = space
            .all_globals(Copy::Entry)
            .zip(space.all_globals(Copy::Now));
        let params = self.program.procs[proc].param_ids();
        let local = |l, copy| space.local(proc, l, copy);
        let params = params.map(|l| (local(l, Copy::Entry), local(l, Copy::Now)));
        // From the last variable to the first, so that each step adds a node on top.
        let mut pairs: Vec<_> = globals.chain(params).collect();
        pairs.sort_unstable_by(|a, b| b.cmp(a));
        let mut unchanged = space.yes.clone();
        if !self.tracked(proc) {
            pairs.clear();
        }
        for (entry, now) in pairs {
            unchanged = space
                .literal(entry)
                .equiv(space.literal(now))?
                .and(&unchanged)?;
        }
        let enforce = match &self.program.procs[proc].enforce {
            None => None,
            Some(condition) => Some(space.may_be(proc, condition, true)?),
        };
        Ok(ProcData {
            nodes: self.graph.procs[proc]
                .edges
                .iter()
                .map(|_| empty())
                .collect(),
            entered: space.no.clone(),
            entries: Vec::new(),
            unchanged,
            enforce,
            summary_names: image::summary_names(space, self.program, proc),
            summary: space.no.clone(),
            by_length: BTreeMap::new(),
        })
    }
    /// Whether path edges of `proc` remember the valuation at the entry. Nobody asks for the
    /// summary of a procedure that is never called, and forgetting makes sets out of relations.
    pub(crate) fn tracked(&self, proc: ProcId) -> bool {
        !self.graph.callers[proc].is_empty()
    }
    fn callee(&self, proc: ProcId, node: NodeId) -> (ProcId, &'p StmtKind) {
        let program = self.program;
        let stmt = self.graph.procs[proc]
            .stmt(node)
            .expect("a call is a statement");
        let kind = &program.procs[proc].stmts[stmt].kind;
        match kind {
            StmtKind::Call { callee, .. } => (*callee, kind),
            _ => unreachable!("call edges start at calls"),
        }
    }

    /// New path edges before a call: the callee is entered, and known summaries apply.
    fn call(&mut self, proc: ProcId, node: NodeId, ring: Ring) -> AllocResult<()> {
        let (callee, kind) = self.callee(proc, node);
        if !self.calls.contains_key(&(proc, node)) {
            let calling = Rc::new(Calling::new(&self.space, self.program, proc, kind)?);
            let total = self.space.no.clone();
            let rings = Vec::new();
            let data = CallData {
                total,
                rings,
                calling,
            };
            self.calls.insert((proc, node), data);
        }
        let data = self.calls.get_mut(&(proc, node)).expect("just added");
        let calling = data.calling.clone();
        let set = calling.prepare(&ring.set)?;
        let stamp = ring.stamp;
        data.total = data.total.or(&set)?;
        data.rings.push(Ring {
            stamp,
            set: set.clone(),
        });
        let entry_stamp = match self.mode {
            Mode::Fast => stamp,
            Mode::Shortest => stamp.saturating_add(1),
        };
        self.enter(callee, calling.entries(&set)?, entry_stamp)?;
        let to = self.graph.procs[proc].edges[node][0].to;
        let known = &self.procs[&callee];
        let summaries: Vec<(u64, Bdd)> = match self.mode {
            Mode::Fast => vec![(0, known.summary.clone())],
            Mode::Shortest => known
                .by_length
                .iter()
                .map(|(l, s)| (*l, s.clone()))
                .collect(),
        };
        for (length, summary) in summaries {
            let after = calling.come_back(&set, &summary)?;
            let time = stamp.saturating_add(1).saturating_add(length);
            self.push(time, proc, to, after)?;
        }
        Ok(())
    }
    /// New summary edges: every caller goes on.
    fn summarise(&mut self, proc: ProcId, ring: Ring) -> AllocResult<()> {
        let data = self.procs.get_mut(&proc).expect("an entered procedure");
        let mut parts: Vec<(u64, Bdd)> = Vec::new();
        match self.mode {
            Mode::Fast => {
                let summary = rename(&ring.set, &data.summary_names)?;
                data.summary = data.summary.or(&summary)?;
                parts.push((0, summary));
            }
            Mode::Shortest => {
                for entries in &data.entries {
                    let part = ring.set.and(&entries.set)?;
                    if !part.satisfiable() {
                        continue;
                    }
                    let part = rename(&part, &data.summary_names)?;
                    let length = ring.stamp - entries.stamp;
                    let known = data.by_length.get(&length);
                    let all = known.map_or(Ok(part.clone()), |k| k.or(&part))?;
                    data.by_length.insert(length, all);
                    parts.push((length, part));
                }
            }
        }
        let graph = self.graph;
        for &(caller, node) in &graph.callers[proc] {
            let Some(call) = self.calls.get(&(caller, node)) else {
                continue;
            };
            let calling = call.calling.clone();
            let rings = match self.mode {
                Mode::Fast => vec![Ring {
                    stamp: 0,
                    set: call.total.clone(),
                }],
                Mode::Shortest => call.rings.clone(),
            };
            let to = graph.procs[caller].edges[node][0].to;
            for (length, part) in &parts {
                for ring in &rings {
                    let after = calling.come_back(&ring.set, part)?;
                    let time = ring.stamp.saturating_add(1).saturating_add(*length);
                    self.push(time, caller, to, after)?;
                }
            }
        }
        Ok(())
    }
}
