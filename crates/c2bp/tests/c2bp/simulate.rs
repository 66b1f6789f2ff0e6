//! Follows a real execution in a boolean program: every state of it must be one of the boolean
//! program's, with the predicates' real values (section 4.6).

use cwolf_boolprog::cfg::{Action, Graph, NodeId};
use cwolf_boolprog::rails::may_be;
use cwolf_boolprog::{Expr, LocalId, ProcId, Program, StmtKind, Var};
use std::collections::BTreeSet;

/// A value, if it is fixed; a free one may be either.
type Value = Option<bool>;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Frame {
    proc: u32,
    node: u32,
    locals: Vec<Value>,
}

/// A state of the boolean program.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Config {
    globals: Vec<Value>,
    frames: Vec<Frame>,
}

pub struct Simulator<'a> {
    pub program: &'a Program,
    pub graph: &'a Graph,
    /// Nodes that stand for a statement of the real program.
    pub mapped: BTreeSet<(u32, u32)>,
}

/// More states are not followed.
const MOST: usize = 20_000;

impl Simulator<'_> {
    pub fn start(&self, proc: ProcId) -> BTreeSet<Config> {
        let locals = vec![None; self.program.procs[proc].locals.len()];
        let frame = Frame {
            proc: proc.0,
            node: self.graph.procs[proc].entry.0,
            locals,
        };
        BTreeSet::from([Config {
            globals: vec![None; self.program.globals.len()],
            frames: vec![frame],
        }])
    }
    /// The states at the mapped node `goal` that are reached without passing another mapped one;
    /// none if there are too many.
    pub fn advance(
        &self,
        from: BTreeSet<Config>,
        goal: (ProcId, u32),
        first: bool,
    ) -> Option<BTreeSet<Config>> {
        let goal = (goal.0.0, goal.1);
        let mut found = BTreeSet::new();
        let mut seen = BTreeSet::new();
        let mut work: Vec<(Config, bool)> = from.into_iter().map(|c| (c, first)).collect();
        while let Some((config, fresh)) = work.pop() {
            let Some(frame) = config.frames.last() else {
                continue;
            };
            let here = (frame.proc, frame.node);
            if fresh && here == goal {
                found.insert(config);
                continue;
            }
            if fresh && self.mapped.contains(&here) {
                continue;
            }
            for next in self.step(&config) {
                if seen.insert(next.clone()) {
                    work.push((next, true));
                }
            }
            if seen.len() > MOST {
                return None;
            }
        }
        Some(found)
    }
    fn get(&self, config: &Config, var: Var) -> Value {
        match var {
            Var::Global(g) => config.globals[g.0 as usize],
            Var::Local(l) => config.frames.last().expect("a frame").locals[l.0 as usize],
        }
    }
    fn set(&self, config: &mut Config, var: Var, value: Value) {
        match var {
            Var::Global(g) => config.globals[g.0 as usize] = value,
            Var::Local(l) => {
                config.frames.last_mut().expect("a frame").locals[l.0 as usize] = value;
            }
        }
    }
    /// The same states with every variable of the expressions fixed.
    fn split(&self, config: &Config, exprs: &[&Expr]) -> Vec<Config> {
        let mut free: BTreeSet<Var> = BTreeSet::new();
        for expr in exprs {
            expr.walk(&mut |e| {
                if let Expr::Var(v) = e
                    && self.get(config, *v).is_none()
                {
                    free.insert(*v);
                }
            });
        }
        let mut list = vec![config.clone()];
        for var in free {
            let mut both = Vec::new();
            for config in list {
                for value in [true, false] {
                    let mut config = config.clone();
                    self.set(&mut config, var, Some(value));
                    both.push(config);
                }
            }
            list = both;
        }
        list
    }
    fn may(&self, config: &Config, expr: &Expr, value: bool) -> bool {
        let now = |v: Var| self.get(config, v).unwrap_or(false);
        may_be(expr, value, now, |_| false)
    }
    fn value(&self, config: &Config, expr: &Expr) -> Value {
        match (self.may(config, expr, true), self.may(config, expr, false)) {
            (true, false) => Some(true),
            (false, true) => Some(false),
            _ => None,
        }
    }
    fn step(&self, config: &Config) -> Vec<Config> {
        let frame = config.frames.last().expect("a frame");
        let (proc, node) = (ProcId(frame.proc), NodeId(frame.node));
        let flow = &self.graph.procs[proc];
        let kind = flow
            .stmt(node)
            .map(|s| &self.program.procs[proc].stmts[s].kind);
        let mut out = Vec::new();
        for edge in &flow.edges[node] {
            let exprs = kind.map_or(Vec::new(), |k| k.exprs());
            for config in self.split(config, &exprs) {
                let mut next = config.clone();
                next.frames.last_mut().expect("a frame").node = edge.to.0;
                match (edge.action, kind) {
                    (Action::Skip, _) => out.push(next),
                    (Action::Assume(value), Some(k)) if self.may(&config, k.exprs()[0], value) => {
                        out.push(next);
                    }
                    (
                        Action::Assign,
                        Some(StmtKind::Assign {
                            targets, values, ..
                        }),
                    ) => {
                        for (&target, value) in targets.iter().zip(values) {
                            let value = self.value(&config, value);
                            self.set(&mut next, target, value);
                        }
                        out.push(next);
                    }
                    (Action::Call, Some(StmtKind::Call { callee, args, .. })) => {
                        let code = &self.program.procs[*callee];
                        let mut locals = vec![None; code.locals.len()];
                        for (n, arg) in args.iter().enumerate() {
                            locals[n] = self.value(&config, arg);
                        }
                        // The caller waits at the call.
                        let mut next = config.clone();
                        next.frames.push(Frame {
                            proc: callee.0,
                            node: self.graph.procs[*callee].entry.0,
                            locals,
                        });
                        out.push(next);
                    }
                    (Action::Return, kind) => out.extend(self.leave(&config, kind)),
                    _ => {}
                }
            }
        }
        out
    }
    fn leave(&self, config: &Config, kind: Option<&StmtKind>) -> Option<Config> {
        let frame = config.frames.last().expect("a frame");
        let count = self.program.procs[ProcId(frame.proc)].results;
        let values: Vec<Value> = match kind {
            Some(StmtKind::Return(values)) => {
                values.iter().map(|v| self.value(config, v)).collect()
            }
            _ => vec![None; count],
        };
        let mut next = config.clone();
        next.frames.pop();
        let caller = next.frames.last()?;
        let (proc, node) = (ProcId(caller.proc), NodeId(caller.node));
        let flow = &self.graph.procs[proc];
        let stmt = flow.stmt(node).expect("a call");
        let StmtKind::Call { results, .. } = &self.program.procs[proc].stmts[stmt].kind else {
            panic!("a caller waits at a call");
        };
        for (target, value) in results.iter().zip(values) {
            if let Some(target) = target {
                self.set(&mut next, *target, value);
            }
        }
        let to = flow.edges[node][0].to.0;
        next.frames.last_mut().expect("a frame").node = to;
        Some(next)
    }
    /// The states in which predicates have these values and what is enforced holds.
    pub fn observe(&self, configs: BTreeSet<Config>, values: &[(Var, bool)]) -> BTreeSet<Config> {
        let mut kept = BTreeSet::new();
        for mut config in configs {
            let fits = values
                .iter()
                .all(|(var, value)| self.get(&config, *var).is_none_or(|v| v == *value));
            if !fits {
                continue;
            }
            for (var, value) in values {
                self.set(&mut config, *var, Some(*value));
            }
            let proc = ProcId(config.frames.last().expect("a frame").proc);
            if let Some(enforce) = &self.program.procs[proc].enforce {
                let possible = self.split(&config, &[enforce]);
                if !possible.iter().any(|c| self.may(c, enforce, true)) {
                    continue;
                }
            }
            kept.insert(config);
        }
        kept
    }
}

/// The boolean variable called `name` in a procedure.
pub fn variable(program: &Program, proc: ProcId, name: &str) -> Option<Var> {
    let local = program.procs[proc].locals.enumerate();
    let mut local = local
        .filter(|(_, n)| *n == name)
        .map(|(id, _): (LocalId, _)| id);
    if let Some(id) = local.next() {
        return Some(Var::Local(id));
    }
    let mut global = program.globals.enumerate().filter(|(_, n)| *n == name);
    global.next().map(|(id, _)| Var::Global(id))
}
