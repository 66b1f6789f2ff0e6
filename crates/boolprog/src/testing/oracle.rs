//! Reachability by enumeration, for programs with few variables. Nothing here knows about decision
//! diagrams; states are bit sets, globals lowest.

use crate::cfg::{Action, Graph, NodeId};
use crate::rails::may_be;
use crate::{Expr, ProcId, Program, StmtKind, Var};
use cwolf_base::Idx;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

type Bits = u32;
/// Entry valuation, node, current valuation.
type Fact = (Bits, NodeId, Bits);

/// All that is reachable.
pub struct Oracle<'a> {
    program: &'a Program,
    graph: &'a Graph,
    facts: BTreeMap<ProcId, BTreeSet<Fact>>,
    /// Who called (callee, entry): caller, its entry, the call, the state there.
    callers: FxHashMap<(ProcId, Bits), Vec<(ProcId, Fact)>>,
    work: VecDeque<(ProcId, Fact)>,
}

fn bit(program: &Program, var: Var) -> Bits {
    match var {
        Var::Global(g) => 1 << g.index(),
        Var::Local(l) => 1 << (program.globals.len() + l.index()),
    }
}

fn possible(program: &Program, expr: &Expr, state: Bits) -> impl Iterator<Item = bool> + use<> {
    let may = |value| may_be(expr, value, |v| state & bit(program, v) != 0, |_| false);
    let (f, t) = (may(false), may(true));
    [(false, f), (true, t)]
        .into_iter()
        .filter(|p| p.1)
        .map(|p| p.0)
}

/// Every way to choose one value of each expression, as bits from `0` on.
fn choices(program: &Program, exprs: &[Expr], state: Bits) -> Vec<Bits> {
    let mut all = vec![0];
    for (n, expr) in exprs.iter().enumerate() {
        let values: Vec<bool> = possible(program, expr, state).collect();
        let extend = |bits: Bits| {
            values
                .iter()
                .map(move |&v| bits | Bits::from(v) << n)
                .collect()
        };
        all = all
            .into_iter()
            .flat_map(|bits| -> Vec<Bits> { extend(bits) })
            .collect();
    }
    all
}

fn enforced(program: &Program, proc: ProcId, state: Bits) -> bool {
    let condition = program.procs[proc].enforce.as_ref();
    condition.is_none_or(|e| possible(program, e, state).any(|v| v))
}

/// All states in which `proc` may start when globals and parameters are `entry`.
fn starts(program: &Program, proc: ProcId, entry: Bits) -> Vec<Bits> {
    let known = program.globals.len() + program.procs[proc].params;
    let free = program.procs[proc].locals.len() - program.procs[proc].params;
    let all = (0..1 << free).map(|bits: Bits| entry | bits << known);
    all.filter(|&s| enforced(program, proc, s)).collect()
}

/// The steps inside one procedure from `node` in `state`; at the exit results follow the globals.
fn steps(
    program: &Program,
    graph: &Graph,
    proc: ProcId,
    node: NodeId,
    state: Bits,
) -> Vec<(NodeId, Bits)> {
    let flow = &graph.procs[proc];
    let stmt = flow.stmt(node).map(|s| &program.procs[proc].stmts[s].kind);
    let globals = (1 << program.globals.len()) - 1;
    let mut found = Vec::new();
    for edge in &flow.edges[node] {
        match (edge.action, stmt) {
            (Action::Skip, _) => found.push((edge.to, state)),
            (Action::Assume(value), Some(kind))
                if possible(program, kind.exprs()[0], state).any(|v| v == value) =>
            {
                found.push((edge.to, state));
            }
            (
                Action::Assign,
                Some(StmtKind::Assign {
                    targets,
                    values,
                    constrain,
                }),
            ) => {
                for chosen in choices(program, values, state) {
                    let next = store(program, targets.iter().map(|t| Some(*t)), chosen, state);
                    let now = |v| state & bit(program, v) != 0;
                    let after = |v| next & bit(program, v) != 0;
                    if constrain
                        .as_ref()
                        .is_none_or(|c| may_be(c, true, now, after))
                    {
                        found.push((edge.to, next));
                    }
                }
            }
            (Action::Return, stmt) => {
                let unknown = vec![Expr::Unknown; program.procs[proc].results];
                let values = match stmt {
                    Some(StmtKind::Return(values)) => values,
                    _ => &unknown,
                };
                for chosen in choices(program, values, state) {
                    let result = state & globals | chosen << program.globals.len();
                    found.push((edge.to, result));
                }
            }
            _ => {}
        }
    }
    found.retain(|&(to, s)| to == flow.exit || enforced(program, proc, s));
    found
}

fn store(
    program: &Program,
    targets: impl Iterator<Item = Option<Var>>,
    values: Bits,
    mut state: Bits,
) -> Bits {
    for (n, target) in targets.enumerate() {
        if let Some(target) = target {
            let mask = bit(program, target);
            state = state & !mask | if values >> n & 1 == 1 { mask } else { 0 };
        }
    }
    state
}

/// The state of the caller after the callee came back with `exit`.
fn come_back(program: &Program, results: &[Option<Var>], caller: Bits, exit: Bits) -> Bits {
    let globals = (1 << program.globals.len()) - 1;
    let state = caller & !globals | exit & globals;
    store(
        program,
        results.iter().copied(),
        exit >> program.globals.len(),
        state,
    )
}

impl<'a> Oracle<'a> {
    /// Explores everything from procedure `entry` on.
    pub fn new(program: &'a Program, graph: &'a Graph, entry: ProcId) -> Oracle<'a> {
        let mut oracle = Oracle {
            program,
            graph,
            facts: BTreeMap::new(),
            callers: FxHashMap::default(),
            work: VecDeque::new(),
        };
        let known = program.globals.len() + program.procs[entry].params;
        for start in 0..1 << known {
            oracle.enter(entry, start);
        }
        while let Some((proc, fact)) = oracle.work.pop_front() {
            oracle.expand(proc, fact);
        }
        oracle
    }
    fn add(&mut self, proc: ProcId, fact: Fact) {
        if self.facts.entry(proc).or_default().insert(fact) {
            self.work.push_back((proc, fact));
        }
    }
    fn enter(&mut self, proc: ProcId, entry: Bits) {
        let node = self.graph.procs[proc].entry;
        for state in starts(self.program, proc, entry) {
            self.add(proc, (entry, node, state));
        }
    }
    fn expand(&mut self, proc: ProcId, fact: Fact) {
        let (entry, node, state) = fact;
        let flow = &self.graph.procs[proc];
        for (to, next) in steps(self.program, self.graph, proc, node, state) {
            self.add(proc, (entry, to, next));
        }
        if node == flow.exit {
            for call in self
                .callers
                .get(&(proc, entry))
                .cloned()
                .unwrap_or_default()
            {
                self.leave(call, state);
            }
        }
        let stmt = flow
            .stmt(node)
            .map(|s| &self.program.procs[proc].stmts[s].kind);
        if let Some(StmtKind::Call { callee, args, .. }) = stmt {
            let globals = self.program.globals.len();
            for chosen in choices(self.program, args, state) {
                let inner = state & ((1 << globals) - 1) | chosen << globals;
                self.callers
                    .entry((*callee, inner))
                    .or_default()
                    .push((proc, fact));
                self.enter(*callee, inner);
                let exit = self.graph.procs[*callee].exit;
                let exits: Vec<Bits> = self.facts.get(callee).map_or(Vec::new(), |facts| {
                    facts
                        .iter()
                        .filter(|f| f.0 == inner && f.1 == exit)
                        .map(|f| f.2)
                        .collect()
                });
                for state in exits {
                    self.leave((proc, fact), state);
                }
            }
        }
    }
    fn leave(&mut self, (proc, (entry, node, state)): (ProcId, Fact), exit: Bits) {
        let edge = self.graph.procs[proc].edges[node][0];
        let stmt = self.graph.procs[proc]
            .stmt(node)
            .expect("a call is a statement");
        let StmtKind::Call { results, .. } = &self.program.procs[proc].stmts[stmt].kind else {
            unreachable!("only calls are come back to");
        };
        let next = come_back(self.program, results, state, exit);
        if enforced(self.program, proc, next) {
            self.add(proc, (entry, edge.to, next));
        }
    }
    /// The states reachable at `node` of `proc`: globals in the lowest bits, then locals.
    pub fn states(&self, proc: ProcId, node: NodeId) -> BTreeSet<u32> {
        let facts = self.facts.get(&proc).into_iter().flatten();
        facts.filter(|f| f.1 == node).map(|f| f.2).collect()
    }
}

/// The least number of steps to a configuration for which `goal` holds (given procedure, node and
/// state), by breadth-first search with real call stacks; `None` when `limit` configurations did
/// not contain one.
pub fn shortest(
    program: &Program,
    graph: &Graph,
    entry: ProcId,
    limit: usize,
    goal: impl Fn(ProcId, NodeId, u32) -> bool,
) -> Option<u64> {
    type Config = Vec<(ProcId, NodeId, Bits)>;
    let globals = (1 << program.globals.len()) - 1;
    let mut seen: FxHashSet<Config> = FxHashSet::default();
    let mut level: Vec<Config> = Vec::new();
    let known = program.globals.len() + program.procs[entry].params;
    for start in (0..1 << known).flat_map(|e| starts(program, entry, e)) {
        level.push(vec![(entry, graph.procs[entry].entry, start)]);
    }
    for distance in 0.. {
        let mut next_level = Vec::new();
        for config in std::mem::take(&mut level) {
            let &(proc, node, state) = config.last().expect("a frame");
            if goal(proc, node, state) {
                return Some(distance);
            }
            if seen.len() > limit {
                return None;
            }
            let flow = &graph.procs[proc];
            let mut push = |frames: &[(ProcId, NodeId, Bits)], top| {
                let mut config = frames.to_vec();
                config.push(top);
                if seen.insert(config.clone()) {
                    next_level.push(config);
                }
            };
            let below = &config[..config.len() - 1];
            for (to, next) in steps(program, graph, proc, node, state) {
                if to != flow.exit {
                    push(below, (proc, to, next));
                } else if let Some(&(caller, call, old)) = below.last() {
                    let stmt = graph.procs[caller].stmt(call).expect("a call");
                    let kind = &program.procs[caller].stmts[stmt].kind;
                    let StmtKind::Call { results, .. } = kind else {
                        unreachable!("frames below the top stand at calls");
                    };
                    let back = come_back(program, results, old, next);
                    let to = graph.procs[caller].edges[call][0].to;
                    if enforced(program, caller, back) {
                        push(&below[..below.len() - 1], (caller, to, back));
                    }
                }
            }
            let stmt = flow.stmt(node).map(|s| &program.procs[proc].stmts[s].kind);
            if let Some(StmtKind::Call { callee, args, .. }) = stmt {
                for chosen in choices(program, args, state) {
                    let inner = state & globals | chosen << program.globals.len();
                    for start in starts(program, *callee, inner) {
                        push(&config, (*callee, graph.procs[*callee].entry, start));
                    }
                }
            }
        }
        if next_level.is_empty() {
            return None;
        }
        level = next_level;
    }
    None
}
