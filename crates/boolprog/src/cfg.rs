//! Control-flow graphs: what BEBOP, the interpreter and the exporters walk over.
//!
//! A node is a point before a statement; besides there is, for each procedure, a point before the
//! closing brace (`end`) and a point after it (`exit`), where only globals and results are left.
//! Every edge is one step of the program.

use crate::{LabelId, Proc, ProcId, Program, StmtId, StmtKind};
use cwolf_base::{IndexVec, index, reverse_postorder, strong_components};

index! {
    /// Names a node of one procedure's graph. Node `n` stands before statement `n`; the two nodes
    /// after the last statement are the end and the exit.
    NodeId
}

/// What happens along an edge. The data is in the statement at the edge's start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// Nothing.
    Skip,
    /// The condition of the statement may have this value.
    Assume(bool),
    /// The assignment of the statement.
    Assign,
    /// The call of the statement, all of it: from before the call to after the return.
    Call,
    /// The results are evaluated and the procedure is left. Without statement (at the closing
    /// brace) all results are unknown.
    Return,
}

/// A step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Edge {
    /// What happens.
    pub action: Action,
    /// Where it leads.
    pub to: NodeId,
}

/// The graph of one procedure.
#[derive(Clone, Debug)]
pub struct ProcGraph {
    /// The edges out of each node.
    pub edges: IndexVec<NodeId, Vec<Edge>>,
    /// Where it starts.
    pub entry: NodeId,
    /// The point before the closing brace.
    pub end: NodeId,
    /// The point after the closing brace.
    pub exit: NodeId,
}

/// The graphs of all procedures.
#[derive(Clone, Debug)]
pub struct Graph {
    /// One graph for each procedure.
    pub procs: IndexVec<ProcId, ProcGraph>,
    /// For each procedure the calls of it: caller and node before the call.
    pub callers: IndexVec<ProcId, Vec<(ProcId, NodeId)>>,
}

impl ProcGraph {
    /// The statement that `node` stands before.
    pub fn stmt(&self, node: NodeId) -> Option<StmtId> {
        (node < self.end).then_some(StmtId(node.0))
    }
    /// The node before `stmt`.
    pub fn node(&self, stmt: StmtId) -> NodeId {
        NodeId(stmt.0)
    }
    /// The edges into each node: start and edge.
    pub fn predecessors(&self) -> IndexVec<NodeId, Vec<(NodeId, Action)>> {
        let mut result: IndexVec<NodeId, Vec<(NodeId, Action)>> =
            self.edges.iter().map(|_| Vec::new()).collect();
        for (from, edges) in self.edges.enumerate() {
            for edge in edges {
                result[edge.to].push((from, edge.action));
            }
        }
        result
    }
    /// The position of each node in a reverse postorder from the entry; unreachable nodes last.
    pub fn reverse_postorder(&self) -> IndexVec<NodeId, u32> {
        let targets = |list: &Vec<Edge>| list.iter().map(|e| e.to).collect();
        let successors: IndexVec<NodeId, Vec<NodeId>> = self.edges.iter().map(targets).collect();
        let order = reverse_postorder(self.entry, &successors);
        let mut position: IndexVec<NodeId, u32> = self.edges.iter().map(|_| u32::MAX).collect();
        for (n, node) in order.into_iter().enumerate() {
            position[node] = n as u32;
        }
        position
    }
}

impl Graph {
    /// The graph of a program that satisfies [`verify`](crate::verify()).
    pub fn new(program: &Program) -> Graph {
        let mut callers: IndexVec<ProcId, Vec<(ProcId, NodeId)>> =
            program.procs.iter().map(|_| Vec::new()).collect();
        for (id, proc) in program.procs.enumerate() {
            for (stmt_id, stmt) in proc.stmts.enumerate() {
                if let StmtKind::Call { callee, .. } = &stmt.kind {
                    callers[*callee].push((id, NodeId(stmt_id.0)));
                }
            }
        }
        let procs = program.procs.iter().map(proc_graph).collect();
        Graph { procs, callers }
    }
    /// For each procedure its place in an order of the call graph in which callees come before
    /// callers wherever recursion allows, and whether it can be active twice at once.
    pub fn call_order(&self, program: &Program) -> IndexVec<ProcId, (u32, bool)> {
        let mut callees: Vec<Vec<u32>> = vec![Vec::new(); program.procs.len()];
        for (callee, calls) in self.callers.enumerate() {
            for (caller, _) in calls {
                callees[caller.0 as usize].push(callee.0);
            }
        }
        let component = strong_components(callees.len(), |n| &callees[n]);
        let mut members = vec![0u32; callees.len()];
        component.iter().for_each(|c| members[*c as usize] += 1);
        let entry = |(n, &c): (usize, &u32)| {
            let cyclic = members[c as usize] > 1 || callees[n].contains(&(n as u32));
            (c, cyclic)
        };
        component.iter().enumerate().map(entry).collect()
    }
}

fn proc_graph(proc: &Proc) -> ProcGraph {
    let end = NodeId(proc.stmts.len() as u32);
    let exit = NodeId(end.0 + 1);
    let mut edges: IndexVec<NodeId, Vec<Edge>> = (0..=exit.0).map(|_| Vec::new()).collect();
    let mut labels: IndexVec<LabelId, NodeId> = proc.labels.iter().map(|_| end).collect();
    for (id, stmt) in proc.stmts.enumerate() {
        for &label in &stmt.labels {
            labels[label] = NodeId(id.0);
        }
    }
    edges[end].push(Edge {
        action: Action::Return,
        to: exit,
    });
    let first = |block: &[StmtId], after: NodeId| block.first().map_or(after, |s| NodeId(s.0));
    let entry = first(&proc.body, end);
    let mut blocks: Vec<(&[StmtId], NodeId)> = vec![(&proc.body, end)];
    while let Some((block, after)) = blocks.pop() {
        for (n, &id) in block.iter().enumerate() {
            let node = NodeId(id.0);
            let next = first(&block[n + 1..], after);
            let step = |action, to| Edge { action, to };
            edges[node] = match &proc.stmts[id].kind {
                StmtKind::Skip => vec![step(Action::Skip, next)],
                StmtKind::Assign { .. } => vec![step(Action::Assign, next)],
                StmtKind::Call { .. } => vec![step(Action::Call, next)],
                StmtKind::Assume(_) | StmtKind::Assert(_) => {
                    vec![step(Action::Assume(true), next)]
                }
                StmtKind::Goto(list) => {
                    let mut targets: Vec<NodeId> = list.iter().map(|&l| labels[l]).collect();
                    targets.sort();
                    targets.dedup();
                    targets.iter().map(|&to| step(Action::Skip, to)).collect()
                }
                StmtKind::Return(_) => vec![step(Action::Return, exit)],
                StmtKind::If {
                    then, otherwise, ..
                } => {
                    blocks.extend([(&then[..], next), (&otherwise[..], next)]);
                    vec![
                        step(Action::Assume(true), first(then, next)),
                        step(Action::Assume(false), first(otherwise, next)),
                    ]
                }
                StmtKind::While { body, .. } => {
                    blocks.push((body, node));
                    vec![
                        step(Action::Assume(true), first(body, node)),
                        step(Action::Assume(false), next),
                    ]
                }
            };
        }
    }
    ProcGraph {
        edges,
        entry,
        end,
        exit,
    }
}
