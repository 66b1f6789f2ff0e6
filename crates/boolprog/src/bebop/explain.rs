//! From a hit back to an execution: each path edge is explained by path edges with earlier stamps.

use super::engine::{Engine, Mode, Ring};
use super::space::{Bdd, Copy, rename};
use crate::cfg::{Action, NodeId};
use crate::rails::Rails;
use crate::trace::{Exit, Path, PathId, State, Step, Trace};
use crate::{Expr, ProcId, StmtKind, Var};
use cwolf_base::{Idx, IndexVec};
use oxidd::util::AllocResult;
use oxidd::{BooleanFunction, VarNo};
use rustc_hash::FxHashMap;

/// One path edge: a valuation at the entry (globals, then parameters) and what is now. At the exit
/// the "locals" of the state are the results.
#[derive(Clone)]
struct Fact {
    proc: ProcId,
    node: NodeId,
    stamp: u64,
    entry: Vec<bool>,
    now: State,
}

/// What happened just before a fact: the point, and the call inside if it was one.
struct Before {
    fact: Fact,
    inner: Option<Fact>,
}

pub(crate) fn explain(
    engine: &Engine,
    proc: ProcId,
    node: NodeId,
    hit: &Ring,
    entry: ProcId,
) -> AllocResult<Trace> {
    let mut explainer = Explainer {
        engine,
        predecessors: FxHashMap::default(),
        rails: FxHashMap::default(),
    };
    let mut paths: IndexVec<PathId, Path> = IndexVec::new();
    let mut known: FxHashMap<(ProcId, Vec<bool>, State), PathId> = FxHashMap::default();
    let mut work: Vec<(PathId, Fact)> = Vec::new();
    let hole = |proc| Path {
        proc,
        steps: Vec::new(),
        exit: None,
    };
    // The activations at the end, innermost first.
    let mut stack = Vec::new();
    let picked = engine.space.pick(&hit.set);
    let mut fact = explainer.fact(proc, node, hit.stamp, &picked);
    loop {
        let id = paths.push(hole(fact.proc));
        stack.push(id);
        work.push((id, fact.clone()));
        if fact.proc == entry {
            break;
        }
        fact = explainer.caller(fact.proc, &fact.entry)?;
    }
    stack.reverse();
    while let Some((id, fact)) = work.pop() {
        let exit = engine.graph.procs[fact.proc].exit;
        if fact.node == exit {
            paths[id].exit = Some(Exit {
                globals: fact.now.globals.clone(),
                results: fact.now.locals.clone(),
            });
        } else {
            paths[id].steps.push(step(&fact, None));
        }
        let mut fact = fact;
        while !explainer.is_start(&fact) {
            let before = explainer.before(&fact)?;
            let inner = before.inner.map(|inner| {
                let key = (inner.proc, inner.entry.clone(), inner.now.clone());
                *known.entry(key).or_insert_with(|| {
                    let id = paths.push(hole(inner.proc));
                    work.push((id, inner));
                    id
                })
            });
            paths[id].steps.push(step(&before.fact, inner));
            fact = before.fact;
        }
        paths[id].steps.reverse();
    }
    Ok(Trace {
        paths,
        stack,
        shortest: engine.mode == Mode::Shortest,
    })
}

fn step(fact: &Fact, inner: Option<PathId>) -> Step {
    Step {
        node: fact.node,
        state: fact.now.clone(),
        inner,
    }
}

type Values = std::rc::Rc<Vec<Rails<Bdd>>>;

struct Explainer<'e, 'p> {
    engine: &'e Engine<'p>,
    predecessors: FxHashMap<ProcId, IndexVec<NodeId, Vec<(NodeId, Action)>>>,
    rails: FxHashMap<(ProcId, NodeId), Values>,
}

impl Explainer<'_, '_> {
    fn fact(&self, proc: ProcId, node: NodeId, stamp: u64, values: &[bool]) -> Fact {
        let space = &self.engine.space;
        let (program, code) = (self.engine.program, &self.engine.program.procs[proc]);
        let value = |v: VarNo| values[v as usize];
        let globals = |copy| {
            program
                .globals
                .ids()
                .map(move |g| space.global(g.index(), copy))
        };
        let params = code.param_ids().map(|l| space.local(proc, l, Copy::Entry));
        let locals = code.locals.ids().map(|l| space.local(proc, l, Copy::Now));
        Fact {
            proc,
            node,
            stamp,
            entry: globals(Copy::Entry).chain(params).map(value).collect(),
            now: State {
                globals: globals(Copy::Now).map(value).collect(),
                locals: locals.map(value).collect(),
            },
        }
    }
    /// At the entry, with globals and parameters as they came in.
    fn is_start(&self, fact: &Fact) -> bool {
        if !self.engine.tracked(fact.proc) {
            return fact.node == self.engine.graph.procs[fact.proc].entry;
        }
        let params = self.engine.program.procs[fact.proc].params;
        fact.node == self.engine.graph.procs[fact.proc].entry && {
            let now = fact.now.globals.iter().chain(&fact.now.locals[..params]);
            now.eq(&fact.entry)
        }
    }
    /// The literals that say the entry was `entry`.
    fn entry_cube(&self, proc: ProcId, entry: &[bool], copies: [Copy; 2]) -> AllocResult<Bdd> {
        let space = &self.engine.space;
        if !self.engine.tracked(proc) {
            return Ok(space.yes.clone());
        }
        let globals = space.all_globals(copies[0]);
        let params = self.engine.program.procs[proc].param_ids();
        let params = params.map(|l| space.local(proc, l, copies[1]));
        space.cube(globals.chain(params).zip(entry.iter().copied()))
    }
    /// Whether a ring with this stamp may hold what came just before `stamp`.
    fn precedes(&self, ring: &Ring, stamp: u64) -> bool {
        match self.engine.mode {
            Mode::Fast => ring.stamp < stamp,
            Mode::Shortest => ring.stamp + 1 == stamp,
        }
    }
    fn before(&mut self, fact: &Fact) -> AllocResult<Before> {
        let graph = self.engine.graph;
        let predecessors = self
            .predecessors
            .entry(fact.proc)
            .or_insert_with(|| graph.procs[fact.proc].predecessors());
        let entry = [Copy::Entry, Copy::Entry];
        for (from, action) in predecessors[fact.node].clone() {
            let cube = self.entry_cube(fact.proc, &fact.entry, entry)?;
            if action == Action::Call {
                if let Some(before) = self.before_return(fact, from, &cube)? {
                    return Ok(before);
                }
                continue;
            }
            let allowed = self.allowed(fact, from, action)?.and(&cube)?;
            let node = &self.engine.procs[&fact.proc].nodes[from];
            if !node.reach.and(&allowed)?.satisfiable() {
                continue;
            }
            let rings = rings_before(&node.rings, fact.stamp);
            for ring in rings.iter().rev() {
                if !self.precedes(ring, fact.stamp) {
                    if self.engine.mode == Mode::Shortest && ring.stamp + 1 < fact.stamp {
                        break;
                    }
                    continue;
                }
                let found = ring.set.and(&allowed)?;
                if found.satisfiable() {
                    let values = self.engine.space.pick(&found);
                    return Ok(Before {
                        fact: self.fact(fact.proc, from, ring.stamp, &values),
                        inner: None,
                    });
                }
            }
        }
        unreachable!("every path edge has an explanation");
    }
    /// The values that the statement at `node` evaluates.
    fn values(&mut self, proc: ProcId, node: NodeId, exprs: &[Expr]) -> AllocResult<Values> {
        if let Some(values) = self.rails.get(&(proc, node)) {
            return Ok(values.clone());
        }
        let space = &self.engine.space;
        let values: AllocResult<Vec<_>> =
            exprs.iter().map(|e| space.rails(proc, e, None)).collect();
        let values = std::rc::Rc::new(values?);
        self.rails.insert((proc, node), values.clone());
        Ok(values)
    }
    /// The states at `from` from which `action` may lead to the state of `fact`.
    fn allowed(&mut self, fact: &Fact, from: NodeId, action: Action) -> AllocResult<Bdd> {
        let engine = self.engine;
        let (space, proc) = (&engine.space, fact.proc);
        let stmt = engine.graph.procs[proc].stmt(from);
        let kind = stmt.map(|s| &engine.program.procs[proc].stmts[s].kind);
        let now = |v: Var| (space.var(proc, v, Copy::Now), fact.now.get(v));
        match (action, kind) {
            (Action::Skip, _) => space.cube(engine.program.scope(proc).map(now)),
            (Action::Assume(value), Some(kind)) => {
                let same = space.cube(engine.program.scope(proc).map(now))?;
                space.may_be(proc, kind.exprs()[0], value)?.and(&same)
            }
            (
                Action::Assign,
                Some(StmtKind::Assign {
                    targets,
                    values,
                    constrain,
                }),
            ) => {
                let kept = engine.program.scope(proc).filter(|v| !targets.contains(v));
                let mut result = space.cube(kept.map(now))?;
                let rails = self.values(proc, from, values)?;
                for (&target, rails) in targets.iter().zip(rails.iter()) {
                    result = result.and(&space.allows(rails, fact.now.get(target))?)?;
                }
                if let Some(constrain) = constrain {
                    let rails = space.rails(proc, constrain, Some(&fact.now))?;
                    result = result.and(&space.allows(&rails, true)?)?;
                }
                Ok(result)
            }
            (Action::Return, kind) => {
                let globals = space.all_globals(Copy::Now);
                let mut result = space.cube(globals.zip(fact.now.globals.iter().copied()))?;
                if let Some(StmtKind::Return(values)) = kind {
                    let rails = self.values(proc, from, values)?;
                    for (&value, rails) in fact.now.locals.iter().zip(rails.iter()) {
                        result = result.and(&space.allows(rails, value)?)?;
                    }
                }
                Ok(result)
            }
            _ => unreachable!("edges fit their statements"),
        }
    }
    /// Explains a state after a call: a state before it, and what the callee did.
    fn before_return(&self, fact: &Fact, from: NodeId, entry: &Bdd) -> AllocResult<Option<Before>> {
        let engine = self.engine;
        let (space, program, proc) = (&engine.space, engine.program, fact.proc);
        let Some(call) = engine.calls.get(&(proc, from)) else {
            return Ok(None);
        };
        let stmt = engine.graph.procs[proc]
            .stmt(from)
            .expect("a call is a statement");
        let StmtKind::Call {
            results, callee, ..
        } = &program.procs[proc].stmts[stmt].kind
        else {
            unreachable!("call edges start at calls");
        };
        let written = |v: &Var| results.contains(&Some(*v));
        let kept = program
            .scope(proc)
            .filter(|v| !written(v))
            .map(|v| match v {
                Var::Global(g) => (space.global(g.index(), Copy::Next), fact.now.get(v)),
                Var::Local(l) => (space.local(proc, l, Copy::Now), fact.now.get(v)),
            });
        let assigned = results.iter().enumerate();
        let assigned = assigned.filter_map(|(n, r)| r.map(|v| (space.result(n), fact.now.get(v))));
        let wanted = space.cube(kept.chain(assigned))?.and(entry)?;
        let data = &engine.procs[callee];
        let exit = engine.graph.procs[*callee].exit;
        for ring in rings_before(&call.rings, fact.stamp).iter().rev() {
            let set = ring.set.and(&wanted)?;
            if !set.satisfiable() {
                continue;
            }
            let summaries: Vec<(Option<u64>, Bdd)> = match engine.mode {
                Mode::Shortest => {
                    let length = fact.stamp - 1 - ring.stamp;
                    let summary = data.by_length.get(&length);
                    summary.map(|s| (None, s.clone())).into_iter().collect()
                }
                Mode::Fast => {
                    let exits = rings_before(&data.nodes[exit].rings, fact.stamp);
                    let named = |r: &Ring| -> AllocResult<(Option<u64>, Bdd)> {
                        Ok((Some(r.stamp), rename(&r.set, &data.summary_names)?))
                    };
                    exits.iter().rev().map(named).collect::<AllocResult<_>>()?
                }
            };
            for (stamp, summary) in summaries {
                let found = set.and(&summary)?;
                if !found.satisfiable() {
                    continue;
                }
                let values = space.pick(&found);
                let value = |v: VarNo| values[v as usize];
                let outer = self.fact(proc, from, ring.stamp, &values);
                let params = program.procs[*callee].param_ids();
                let params = params.map(|l| value(space.local(*callee, l, Copy::Next)));
                let entry: Vec<bool> = outer.now.globals.iter().copied().chain(params).collect();
                let stamp = match stamp {
                    Some(stamp) => stamp,
                    // Found at the time of its entry plus its length.
                    None => self.entry_stamp(*callee, &entry)? + (fact.stamp - 1 - ring.stamp),
                };
                let results = (0..program.procs[*callee].results).map(|n| value(space.result(n)));
                let inner = Fact {
                    proc: *callee,
                    node: exit,
                    stamp,
                    entry,
                    now: State {
                        globals: space.all_globals(Copy::Next).map(value).collect(),
                        locals: results.collect(),
                    },
                };
                return Ok(Some(Before {
                    fact: outer,
                    inner: Some(inner),
                }));
            }
        }
        Ok(None)
    }
    /// The stamp at which `proc` was first entered with `entry`.
    fn entry_stamp(&self, proc: ProcId, entry: &[bool]) -> AllocResult<u64> {
        let cube = self.entry_cube(proc, entry, [Copy::Entry, Copy::Entry])?;
        for ring in &self.engine.procs[&proc].entries {
            if ring.set.and(&cube)?.satisfiable() {
                return Ok(ring.stamp);
            }
        }
        unreachable!("every activation was entered");
    }
    /// A path edge before a call that enters `proc` with `entry` for the first time.
    fn caller(&self, proc: ProcId, entry: &[bool]) -> AllocResult<Fact> {
        let engine = self.engine;
        let stamp = self.entry_stamp(proc, entry)?;
        let cube = self.entry_cube(proc, entry, [Copy::Now, Copy::Next])?;
        for &(caller, node) in &engine.graph.callers[proc] {
            let Some(call) = engine.calls.get(&(caller, node)) else {
                continue;
            };
            for ring in &call.rings {
                let fits = match engine.mode {
                    Mode::Fast => ring.stamp == stamp,
                    Mode::Shortest => ring.stamp + 1 == stamp,
                };
                if !fits {
                    continue;
                }
                let found = ring.set.and(&cube)?;
                if found.satisfiable() {
                    let values = engine.space.pick(&found);
                    return Ok(self.fact(caller, node, ring.stamp, &values));
                }
            }
        }
        unreachable!("every activation has a caller");
    }
}

/// The rings with a stamp before `stamp`; stamps rise.
fn rings_before(rings: &[Ring], stamp: u64) -> &[Ring] {
    &rings[..rings.partition_point(|r| r.stamp < stamp)]
}
