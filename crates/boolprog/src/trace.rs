//! Executions, with their call structure, and a judge of them that knows only the language.

use crate::cfg::{Action, Graph, NodeId};
use crate::rails::may_be;
use crate::{Expr, ProcId, Program, StmtId, StmtKind, Var};
use cwolf_base::{Idx, IndexVec, index};

index! {
    /// Names a stretch of an execution inside one activation of a procedure.
    PathId
}

/// The values of the variables in scope.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct State {
    /// The values of the globals, by [`GlobalId`](crate::GlobalId).
    pub globals: Vec<bool>,
    /// The values of the parameters and locals, by [`LocalId`](crate::LocalId).
    pub locals: Vec<bool>,
}

impl State {
    /// The value of `var`.
    pub fn get(&self, var: Var) -> bool {
        match var {
            Var::Global(id) => self.globals[id.index()],
            Var::Local(id) => self.locals[id.index()],
        }
    }
    /// Changes the value of `var`.
    pub fn set(&mut self, var: Var, value: bool) {
        match var {
            Var::Global(id) => self.globals[id.index()] = value,
            Var::Local(id) => self.locals[id.index()] = value,
        }
    }
}

/// A state at a point of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The point.
    pub node: NodeId,
    /// The values there, before the statement.
    pub state: State,
    /// If the statement is a call that returns within the execution: what happens inside.
    pub inner: Option<PathId>,
}

/// What is left of an activation that ended.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Exit {
    /// The values of the globals.
    pub globals: Vec<bool>,
    /// The returned values.
    pub results: Vec<bool>,
}

/// A stretch of an execution inside one activation of a procedure, from its entry on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path {
    /// The procedure.
    pub proc: ProcId,
    /// The points passed, at least one.
    pub steps: Vec<Step>,
    /// How it ended, if it did.
    pub exit: Option<Exit>,
}

/// An execution. Calls that returned are paths of their own, shared between calls that went the
/// same way, so that even an execution of exponential length is small.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    /// All paths.
    pub paths: IndexVec<PathId, Path>,
    /// The activations at the end of the execution, outermost first. The last step of each but the
    /// last is the call of the next.
    pub stack: Vec<PathId>,
    /// Whether no execution with fewer steps reaches the same goal.
    pub shortest: bool,
}

/// One line of an execution told from beginning to end.
#[derive(Clone, Copy, Debug)]
pub struct Event<'a> {
    /// How many calls are open.
    pub depth: usize,
    /// The procedure.
    pub proc: ProcId,
    /// The step.
    pub step: &'a Step,
}

impl Trace {
    /// Where the execution ends: procedure and step.
    pub fn last(&self) -> (ProcId, &Step) {
        let path = &self.paths[*self.stack.last().expect("an execution has a path")];
        (path.proc, path.steps.last().expect("a path has a step"))
    }
    /// How many steps the execution takes in all, or `u64::MAX` for that many or more.
    pub fn steps(&self) -> u64 {
        let lengths = self
            .lengths()
            .expect("calls inside a trace are not circular");
        let open = self.stack.len() as u64 - 1;
        let all = self.stack.iter().map(|p| lengths[p.index()]);
        all.fold(open, u64::saturating_add)
    }
    /// The number of steps of each path; `None` if a path contains itself.
    fn lengths(&self) -> Option<Vec<u64>> {
        const UNKNOWN: u64 = u64::MAX - 1;
        let mut lengths = vec![UNKNOWN; self.paths.len()];
        let mut started = vec![false; self.paths.len()];
        for root in self.paths.ids() {
            let mut stack = vec![root];
            while let Some(&id) = stack.last() {
                if lengths[id.index()] != UNKNOWN {
                    stack.pop();
                    continue;
                }
                let path = &self.paths[id];
                let inner = || path.steps.iter().filter_map(|s| s.inner);
                let open: Vec<PathId> = inner().filter(|p| lengths[p.index()] == UNKNOWN).collect();
                if open.is_empty() {
                    let own = path.steps.len() as u64 - u64::from(path.exit.is_none());
                    let length = inner()
                        .map(|p| lengths[p.index()])
                        .fold(own, u64::saturating_add);
                    lengths[id.index()] = if length >= UNKNOWN { u64::MAX } else { length };
                    stack.pop();
                } else if std::mem::replace(&mut started[id.index()], true) {
                    return None;
                } else {
                    stack.extend(open);
                }
            }
        }
        Some(lengths)
    }
    /// The execution from beginning to end, calls inside. It can be long: take what is needed.
    pub fn events(&self) -> impl Iterator<Item = Event<'_>> + '_ {
        let mut next_root = 0;
        // (path, next step, call depth)
        let mut open: Vec<(PathId, usize, usize)> = Vec::new();
        std::iter::from_fn(move || {
            loop {
                let Some((id, at, depth)) = open.pop() else {
                    let &root = self.stack.get(next_root)?;
                    open.push((root, 0, next_root));
                    next_root += 1;
                    continue;
                };
                let path = &self.paths[id];
                let Some(step) = path.steps.get(at) else {
                    continue;
                };
                open.push((id, at + 1, depth));
                if let Some(inner) = step.inner {
                    open.push((inner, 0, depth + 1));
                }
                let proc = path.proc;
                return Some(Event { depth, proc, step });
            }
        })
    }
    /// Whether the program can really do this, starting in procedure `entry`; otherwise why not.
    pub fn replay(&self, program: &Program, graph: &Graph, entry: ProcId) -> Result<(), String> {
        self.lengths().ok_or("a call contains itself")?;
        for (id, path) in self.paths.enumerate() {
            check_path(self, program, graph, path).map_err(|e| format!("path {}: {e}", id.0))?;
        }
        let first = self.stack.first().ok_or("an empty execution")?;
        if self.paths[*first].proc != entry {
            return Err("it starts in the wrong procedure".into());
        }
        for pair in self.stack.windows(2) {
            let (outer, inner) = (&self.paths[pair[0]], &self.paths[pair[1]]);
            let last = outer.steps.last().expect("checked before");
            check_entry(program, graph, outer.proc, last, inner)?;
        }
        Ok(())
    }
}

/// Whether `expr` may be `value` in `state`.
pub(crate) fn may(expr: &Expr, value: bool, state: &State) -> bool {
    may_be(expr, value, |v| state.get(v), |_| false)
}

fn check_path(trace: &Trace, program: &Program, graph: &Graph, path: &Path) -> Result<(), String> {
    let (proc, flow) = (&program.procs[path.proc], &graph.procs[path.proc]);
    let first = path.steps.first().ok_or("a path without steps")?;
    if first.node != flow.entry {
        return Err("it does not start at the entry".into());
    }
    for (n, step) in path.steps.iter().enumerate() {
        let sizes = (step.state.globals.len(), step.state.locals.len());
        if sizes != (program.globals.len(), proc.locals.len()) {
            return Err(format!("step {n}: wrong number of values"));
        }
        if proc
            .enforce
            .as_ref()
            .is_some_and(|e| !may(e, true, &step.state))
        {
            return Err(format!("step {n}: the enforced condition does not hold"));
        }
        let next = path.steps.get(n + 1);
        if next.is_none() && path.exit.is_none() {
            continue;
        }
        let possible = flow.edges[step.node].iter().any(|edge| match next {
            Some(next) => {
                edge.to == next.node
                    && check_step(trace, program, graph, path.proc, step, edge.action, next)
            }
            None => {
                let exit = path.exit.as_ref().expect("looked at before");
                edge.action == Action::Return
                    && check_return(program, path.proc, flow.stmt(step.node), step, exit)
            }
        });
        if !possible {
            return Err(format!("step {n}: no such step from node {}", step.node.0));
        }
    }
    Ok(())
}

fn check_step(
    trace: &Trace,
    program: &Program,
    graph: &Graph,
    proc: ProcId,
    step: &Step,
    action: Action,
    next: &Step,
) -> bool {
    let Some(stmt) = graph.procs[proc].stmt(step.node) else {
        return false;
    };
    let (now, after) = (&step.state, &next.state);
    match (action, &program.procs[proc].stmts[stmt].kind) {
        (Action::Skip, _) => now == after,
        (Action::Assume(value), kind) => now == after && may(kind.exprs()[0], value, now),
        (
            Action::Assign,
            StmtKind::Assign {
                targets,
                values,
                constrain,
            },
        ) => {
            let mut frame = now.clone();
            for &target in targets {
                frame.set(target, after.get(target));
            }
            let fits = |(t, e): (&Var, &Expr)| may(e, after.get(*t), now);
            let constrained = |c: &Expr| may_be(c, true, |v| now.get(v), |v| after.get(v));
            frame == *after
                && targets.iter().zip(values).all(fits)
                && constrain.as_ref().is_none_or(constrained)
        }
        (Action::Call, StmtKind::Call { results, .. }) => {
            let Some(inner) = step.inner.map(|id| &trace.paths[id]) else {
                return false;
            };
            let Some(exit) = &inner.exit else {
                return false;
            };
            let mut expected = State {
                globals: exit.globals.clone(),
                locals: now.locals.clone(),
            };
            for (target, &value) in results.iter().zip(&exit.results) {
                if let Some(target) = target {
                    expected.set(*target, value);
                }
            }
            expected == *after && check_entry(program, graph, proc, step, inner).is_ok()
        }
        _ => false,
    }
}

/// Whether `inner` may be what the call at `step` starts.
fn check_entry(
    program: &Program,
    graph: &Graph,
    proc: ProcId,
    step: &Step,
    inner: &Path,
) -> Result<(), String> {
    let stmt = graph.procs[proc].stmt(step.node);
    let kind = stmt.map(|s| &program.procs[proc].stmts[s].kind);
    let Some(StmtKind::Call { callee, args, .. }) = kind else {
        return Err("an activation does not end at a call".into());
    };
    let start = &inner.steps[0].state;
    let passed = args.iter().zip(&start.locals);
    let fits = passed.into_iter().all(|(e, &v)| may(e, v, &step.state));
    if *callee == inner.proc && start.globals == step.state.globals && fits {
        return Ok(());
    }
    Err("a call does not lead to this entry".into())
}

fn check_return(
    program: &Program,
    proc: ProcId,
    stmt: Option<StmtId>,
    step: &Step,
    exit: &Exit,
) -> bool {
    if exit.globals != step.state.globals || exit.results.len() != program.procs[proc].results {
        return false;
    }
    match stmt.map(|s| &program.procs[proc].stmts[s].kind) {
        None => true,
        Some(StmtKind::Return(values)) => {
            let mut pairs = values.iter().zip(&exit.results);
            pairs.all(|(e, &v)| may(e, v, &step.state))
        }
        Some(_) => false,
    }
}
