//! BEBOP: reachability in boolean programs, after Ball and Rajamani. Control flow is explicit;
//! sets of states and summaries of procedures are decision diagrams, so that recursion needs no
//! bound. Besides the verdict there is a shortest execution to a reached target, and for every
//! statement its reachable states as a formula.

mod compare;
mod engine;
mod explain;
mod image;
mod order;
pub(crate) mod space;
#[cfg(test)]
mod tests;

pub use compare::{Point, first_difference};

use crate::cfg::{Graph, NodeId};
use crate::formula::{Formula, Minimiser};
use crate::trace::Trace;
use crate::{Expr, ProcId, Program, StmtId, StmtKind, Var};
use cwolf_base::{Budget, Exhausted};
use engine::{Engine, Mode, Stop};
use oxidd::util::AllocResult;
use oxidd::{BooleanFunction, BooleanFunctionQuant};
use space::{Bdd, Copy, Space};

/// Room for this many nodes at first.
const FIRST_CAPACITY: usize = 1 << 13;
/// A search for a shortest execution may take this many times the batches of the search that found
/// one, and this many more.
const PATIENCE: (u64, u64) = (20, 20_000);

/// What must not be reachable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Target {
    /// Any state before this statement.
    Stmt(ProcId, StmtId),
    /// A state before this `assert` in which its condition may be false.
    Assert(ProcId, StmtId),
}

impl Target {
    /// The statements that carry the label `name`, in any procedure.
    pub fn label(program: &Program, name: &str) -> Vec<Target> {
        let places = program.find_label(name).into_iter();
        places.map(|(p, s)| Target::Stmt(p, s)).collect()
    }
    /// All assertions.
    pub fn asserts(program: &Program) -> Vec<Target> {
        let mut list = Vec::new();
        for (proc, code) in program.procs.enumerate() {
            for (stmt, data) in code.stmts.enumerate() {
                if matches!(data.kind, StmtKind::Assert(_)) {
                    list.push(Target::Assert(proc, stmt));
                }
            }
        }
        list
    }
}

/// What to do.
#[derive(Clone, Debug)]
pub struct Options {
    /// Where the program starts; its parameters have any value.
    pub entry: ProcId,
    /// What to look for; the search ends at the first. Without targets everything is explored.
    pub targets: Vec<Target>,
    /// How long.
    pub budget: Budget,
    /// Whether to search for a shortest execution once there is one at all.
    pub shortest: bool,
    /// At most this many diagram nodes (about 24 bytes each, with the caches).
    pub max_nodes: usize,
}

impl Options {
    /// Looks for `targets` from `entry` on, without limits of time.
    pub fn new(entry: ProcId, targets: Vec<Target>) -> Options {
        Options {
            entry,
            targets,
            budget: Budget::unlimited(),
            shortest: true,
            max_nodes: 1 << 27,
        }
    }
}

/// Why there is no verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unknown {
    /// The budget was used up.
    Budget(Exhausted),
    /// The decision diagrams got too large.
    Memory,
}

impl std::fmt::Display for Unknown {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Unknown::Budget(reason) => reason.fmt(f),
            Unknown::Memory => f.write_str("the decision diagrams got too large"),
        }
    }
}

/// The verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// A target is reachable: which, and how.
    Reached(Target, Trace),
    /// No target is reachable.
    Unreachable,
    /// Not known.
    Unknown(Unknown),
}

/// What it took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Batches of path edges that were new.
    pub batches: u64,
    /// Diagram variables.
    pub variables: usize,
    /// The most diagram nodes alive at once, as far as seen.
    pub peak_nodes: usize,
    /// How often there was not enough room and everything was started again with more.
    pub restarts: u32,
}

/// A finished exploration, to ask questions of.
pub struct Bebop<'p> {
    program: &'p Program,
    engine: Option<Engine<'p>>,
    complete: bool,
    outcome: Outcome,
    stats: Stats,
}

/// Explores `program`, whose graph is `graph`, and hands the result to `ask`.
///
/// The diagrams live on a thread of their own whose stack suits their depth, which is why the
/// result does not leave this function.
pub fn run<T: Send>(
    program: &Program,
    graph: &Graph,
    options: &Options,
    ask: impl FnOnce(&Bebop<'_>) -> T + Send,
) -> T {
    let variables = Space::variables(program);
    // Diagram operations recurse once for each variable.
    let stack = (8 << 20) + variables * (2 << 10);
    std::thread::scope(|scope| {
        let work = || ask(&Bebop::explore(program, graph, options));
        let thread = std::thread::Builder::new().stack_size(stack);
        let handle = thread
            .spawn_scoped(scope, work)
            .expect("a thread can be started");
        match handle.join() {
            Ok(result) => result,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}

/// Only the verdict of [`run`].
pub fn check(program: &Program, graph: &Graph, options: &Options) -> Outcome {
    run(program, graph, options, |bebop| bebop.outcome().clone())
}

impl<'p> Bebop<'p> {
    fn explore(program: &'p Program, graph: &'p Graph, options: &Options) -> Bebop<'p> {
        let mut bebop = Bebop {
            program,
            engine: None,
            complete: false,
            outcome: Outcome::Unknown(Unknown::Memory),
            stats: Stats {
                variables: Space::variables(program),
                ..Stats::default()
            },
        };
        let mut capacity = FIRST_CAPACITY.max(bebop.stats.variables * 64);
        capacity = capacity.min(options.max_nodes);
        loop {
            // The old diagrams go before the new ones come.
            bebop.engine = None;
            if bebop.attempt(graph, options, capacity) || capacity >= options.max_nodes {
                return bebop;
            }
            capacity = (capacity * 4).min(options.max_nodes);
            bebop.stats.restarts += 1;
        }
    }
    /// One exploration; false if there was not enough room.
    fn attempt(&mut self, graph: &'p Graph, options: &Options, capacity: usize) -> bool {
        let (program, targets) = (self.program, &options.targets);
        let Ok(mut engine) = Engine::new(program, graph, capacity, Mode::Fast, targets) else {
            return false;
        };
        let batches = self.stats.batches;
        let stop = engine.run(options.entry, &options.budget, &mut self.stats);
        self.outcome = match stop {
            Stop::Unknown(Unknown::Memory) => return false,
            Stop::Unknown(reason) => Outcome::Unknown(reason),
            Stop::Done => {
                self.complete = true;
                Outcome::Unreachable
            }
            Stop::Hit(target, ring) => {
                let taken = self.stats.batches - batches;
                match self.shortest(graph, options, capacity, taken) {
                    Some((target, trace)) => Outcome::Reached(target, trace),
                    None => {
                        let (proc, node) = place(target);
                        match explain::explain(&engine, proc, node, &ring, options.entry) {
                            Ok(trace) => Outcome::Reached(target, trace),
                            Err(_) => return false,
                        }
                    }
                }
            }
        };
        self.engine = Some(engine);
        true
    }
    /// A shortest execution, if it can be found with bearable effort.
    fn shortest(
        &mut self,
        graph: &'p Graph,
        options: &Options,
        capacity: usize,
        taken: u64,
    ) -> Option<(Target, Trace)> {
        if !options.shortest {
            return None;
        }
        let mut limit = self.stats.batches + taken.saturating_mul(PATIENCE.0) + PATIENCE.1;
        if let Some(steps) = options.budget.steps() {
            limit = limit.min(steps);
        }
        let budget = options.budget.clone().max_steps(limit);
        let (program, targets) = (self.program, &options.targets);
        let engine = Engine::new(program, graph, capacity, Mode::Shortest, targets);
        let mut engine = engine.ok()?;
        match engine.run(options.entry, &budget, &mut self.stats) {
            Stop::Hit(target, ring) => {
                let (proc, node) = place(target);
                let trace = explain::explain(&engine, proc, node, &ring, options.entry);
                Some((target, trace.ok()?))
            }
            _ => None,
        }
    }

    /// The verdict.
    pub fn outcome(&self) -> &Outcome {
        &self.outcome
    }
    /// What it took.
    pub fn stats(&self) -> Stats {
        self.stats
    }
    /// Whether everything was explored, so that reachable states are all reachable states.
    pub fn is_complete(&self) -> bool {
        self.complete
    }
    /// The states found at a node, over the values now.
    fn states(&self, proc: ProcId, node: NodeId) -> AllocResult<Option<(Bdd, &Space)>> {
        let Some(engine) = &self.engine else {
            return Ok(None);
        };
        let space = &engine.space;
        space.make_room();
        let Some(data) = engine.procs.get(&proc) else {
            return Ok(Some((space.no.clone(), space)));
        };
        let params = self.program.procs[proc].param_ids();
        let params = params.map(|l| space.local(proc, l, Copy::Entry));
        let entry = space.set(space.all_globals(Copy::Entry).chain(params))?;
        Ok(Some((data.nodes[node].reach.exists(&entry)?, space)))
    }
    fn node(&self, proc: ProcId, at: Option<StmtId>) -> NodeId {
        let end = self.program.procs[proc].stmts.len() as u32;
        NodeId(at.map_or(end, |s| s.0))
    }
    /// The states found before statement `at` (before the closing brace without one) as a small
    /// formula. These are all reachable states if the exploration [is
    /// complete](Bebop::is_complete).
    pub fn reachable(&self, proc: ProcId, at: Option<StmtId>) -> Result<Formula, Unknown> {
        let scope: Vec<Var> = self.program.scope(proc).collect();
        self.reachable_over(proc, at, &scope)
    }
    /// The same, of some of the variables in scope only.
    pub fn reachable_over(
        &self,
        proc: ProcId,
        at: Option<StmtId>,
        scope: &[Var],
    ) -> Result<Formula, Unknown> {
        let memory = |_| Unknown::Memory;
        let found = self.states(proc, self.node(proc, at)).map_err(memory)?;
        let (set, space) = found.ok_or(Unknown::Memory)?;
        let others = self.program.scope(proc).filter(|v| !scope.contains(v));
        let others = others.map(|v| space.var(proc, v, Copy::Now));
        let others = space.set(others).map_err(memory)?;
        let set = set.exists(&others).map_err(memory)?;
        let names = scope
            .iter()
            .map(|&v| (space.var(proc, v, Copy::Now), v))
            .collect();
        Minimiser::new(names, space).formula(&set).map_err(memory)
    }
    /// Whether `expr` is true in every state found before statement `at`.
    pub fn implies(&self, proc: ProcId, at: Option<StmtId>, expr: &Expr) -> Result<bool, Unknown> {
        let check = || -> AllocResult<Option<bool>> {
            let Some((set, space)) = self.states(proc, self.node(proc, at))? else {
                return Ok(None);
            };
            let otherwise = space.may_be(proc, expr, false)?;
            Ok(Some(!set.and(&otherwise)?.satisfiable()))
        };
        check().ok().flatten().ok_or(Unknown::Memory)
    }
    /// Whether `state` was found before statement `at`.
    pub fn contains(&self, proc: ProcId, at: Option<StmtId>, state: &crate::trace::State) -> bool {
        let Ok(Some((set, space))) = self.states(proc, self.node(proc, at)) else {
            return false;
        };
        let scope = self.program.scope(proc);
        set.eval(scope.map(|v| (space.var(proc, v, Copy::Now), state.get(v))))
    }
}

fn place(target: Target) -> (ProcId, NodeId) {
    let (Target::Stmt(proc, stmt) | Target::Assert(proc, stmt)) = target;
    (proc, NodeId(stmt.0))
}
