//! SMV: one program counter, one `TRANS` for each location (SATABS, 3.4.3).
//!
//! Without recursion a procedure is active at most once, so that each procedure's locals are plain
//! variables and one more variable says which call to return to. The location `stuck` is where
//! executions end, and any execution may end there at any time: that makes the relation total and
//! changes nothing about what is reachable. `failed` is where a violated assertion leads.

use super::ExportError;
use super::text::{Names, Spelling, Text};
use crate::bebop::Target;
use crate::cfg::{Action, Graph, NodeId};
use crate::{Expr, ProcId, Program, StmtKind, Var};
use cwolf_base::{Idx, IndexVec};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

const SMV: Spelling = Spelling {
    yes: "TRUE",
    no: "FALSE",
    and: "&",
    or: "|",
    equal: "<->",
};

/// The program in the language of SMV, with a specification for each target (and one for all
/// assertions).
pub fn to_smv(
    program: &Program,
    graph: &Graph,
    entry: ProcId,
    targets: &[Target],
) -> Result<String, ExportError> {
    let mut used = vec![entry];
    let mut next = 0;
    while let Some(&proc) = used.get(next) {
        next += 1;
        for stmt in program.procs[proc].stmts.iter() {
            if let StmtKind::Call { callee, .. } = &stmt.kind
                && !used.contains(callee)
            {
                used.push(*callee);
            }
        }
    }
    let order = graph.call_order(program);
    if let Some(proc) = used.iter().find(|p| order[**p].1) {
        return Err(ExportError::Recursive(program.procs[*proc].name.clone()));
    }
    let mut smv = Smv::new(program, graph, entry, used);
    smv.transitions()?;
    smv.write(targets)
}

/// What a location does: conjunctions, one for each way on, and the variables it may change.
#[derive(Default)]
struct Location {
    ways: Vec<(Vec<String>, BTreeSet<String>)>,
}

struct Smv<'a> {
    program: &'a Program,
    graph: &'a Graph,
    entry: ProcId,
    used: Vec<ProcId>,
    /// Every boolean variable with its original name.
    variables: Vec<(String, String)>,
    globals: Vec<String>,
    locals: FxHashMap<ProcId, Vec<String>>,
    procs: IndexVec<ProcId, String>,
    locations: BTreeMap<(usize, u32), Location>,
}

impl<'a> Smv<'a> {
    fn new(program: &'a Program, graph: &'a Graph, entry: ProcId, used: Vec<ProcId>) -> Smv<'a> {
        let mut names = Names::default();
        let mut variables = Vec::new();
        let globals: Vec<String> = program
            .globals
            .iter()
            .map(|n| names.make("g_", n))
            .collect();
        variables.extend(globals.iter().cloned().zip(program.globals.iter().cloned()));
        let procs: IndexVec<ProcId, String> = program
            .procs
            .iter()
            .map(|p| names.make("p_", &p.name))
            .collect();
        let mut locals = FxHashMap::default();
        for &id in &used {
            let proc = &program.procs[id];
            let prefix = format!("{}_", procs[id]);
            let list: Vec<String> = proc.locals.iter().map(|n| names.make(&prefix, n)).collect();
            variables.extend(list.iter().cloned().zip(proc.locals.iter().cloned()));
            locals.insert(id, list);
        }
        Smv {
            program,
            graph,
            entry,
            used,
            variables,
            globals,
            locals,
            procs,
            locations: BTreeMap::new(),
        }
    }
    fn var(&self, proc: ProcId, var: Var) -> String {
        match var {
            Var::Global(g) => self.globals[g.index()].clone(),
            Var::Local(l) => self.locals[&proc][l.index()].clone(),
        }
    }
    fn location(&self, proc: ProcId, node: NodeId) -> String {
        format!("at_{}_{}", self.procs[proc], node.0)
    }
    /// The variable that says which call of `proc` is active.
    fn active(&self, proc: ProcId) -> String {
        format!("call_{}", self.procs[proc])
    }
    fn calls(&self, proc: ProcId) -> Vec<(ProcId, NodeId)> {
        let calls = self.graph.callers[proc].iter().copied();
        calls.filter(|(p, _)| self.used.contains(p)).collect()
    }

    fn transitions(&mut self) -> Result<(), ExportError> {
        for (n, proc) in self.used.clone().into_iter().enumerate() {
            let flow = &self.graph.procs[proc];
            for node in flow.edges.ids().filter(|&n| n != flow.exit) {
                let location = self.at(proc, node)?;
                self.locations.insert((n, node.0), location);
            }
        }
        Ok(())
    }
    fn at(&self, proc: ProcId, node: NodeId) -> Result<Location, ExportError> {
        let flow = &self.graph.procs[proc];
        let stmt = flow
            .stmt(node)
            .map(|s| &self.program.procs[proc].stmts[s].kind);
        let now = |v| self.var(proc, v);
        let next = |v| format!("next({})", self.var(proc, v));
        let mut text = Text {
            spelling: &SMV,
            now: &now,
            next: &next,
        };
        let go = |place: &str| format!("next(pc) = {place}");
        let mut found = Location::default();
        for edge in &flow.edges[node] {
            let to = go(&self.location(proc, edge.to));
            match (edge.action, stmt) {
                (Action::Skip, _) => found.way(vec![to], []),
                (Action::Assume(value), Some(kind)) => {
                    let condition = kind.exprs()[0];
                    found.way(vec![text.may_be(condition, value)?, to], []);
                    if matches!(kind, StmtKind::Assert(_)) {
                        let fails = text.may_be(condition, false)?;
                        found.way(vec![fails, go("failed")], []);
                    }
                }
                (
                    Action::Assign,
                    Some(StmtKind::Assign {
                        targets,
                        values,
                        constrain,
                    }),
                ) => {
                    let mut parts = vec![to];
                    for (&target, value) in targets.iter().zip(values) {
                        parts.push(text.takes(&next(target), value)?);
                    }
                    if let Some(constrain) = constrain {
                        parts.push(text.may_be(constrain, true)?);
                    }
                    found.way(parts, targets.iter().map(|&t| now(t)));
                }
                (Action::Call, Some(StmtKind::Call { callee, args, .. })) => {
                    let inner = &self.graph.procs[*callee];
                    let number = self.calls(*callee).iter().position(|&c| c == (proc, node));
                    let number = number.expect("the call is one of the calls");
                    let mut parts = vec![
                        go(&self.location(*callee, inner.entry)),
                        format!("next({}) = {number}", self.active(*callee)),
                    ];
                    let locals = &self.locals[callee];
                    for (arg, local) in args.iter().zip(locals) {
                        parts.push(text.takes(&format!("next({local})"), arg)?);
                    }
                    found.way(parts, locals.iter().cloned().chain([self.active(*callee)]));
                }
                (Action::Return, stmt) => {
                    let values = match stmt {
                        Some(StmtKind::Return(values)) => Some(values),
                        _ => None,
                    };
                    self.back(proc, values, &mut text, &mut found)?;
                }
                _ => unreachable!("edges fit their statements"),
            }
        }
        Ok(found)
    }
    /// One way back for each call.
    fn back(
        &self,
        proc: ProcId,
        values: Option<&Vec<Expr>>,
        text: &mut Text<'_>,
        found: &mut Location,
    ) -> Result<(), ExportError> {
        for (number, (caller, node)) in self.calls(proc).into_iter().enumerate() {
            let flow = &self.graph.procs[caller];
            let stmt = flow.stmt(node).expect("a call is a statement");
            let StmtKind::Call { results, .. } = &self.program.procs[caller].stmts[stmt].kind
            else {
                unreachable!("callers stand at calls");
            };
            let to = self.location(caller, flow.edges[node][0].to);
            let active = self.active(proc);
            let mut parts = vec![format!("{active} = {number}"), format!("next(pc) = {to}")];
            let mut changed = Vec::new();
            for (n, target) in results.iter().enumerate() {
                let Some(target) = target else {
                    continue;
                };
                let name = self.var(caller, *target);
                if let Some(values) = values {
                    parts.push(text.takes(&format!("next({name})"), &values[n])?);
                }
                changed.push(name);
            }
            found.way(parts, changed);
        }
        Ok(())
    }

    fn write(&self, targets: &[Target]) -> Result<String, ExportError> {
        let mut out = String::from("-- Made from a boolean program.\nMODULE main\nVAR\n");
        let place = |(n, node): &(usize, u32)| self.location(self.used[*n], NodeId(*node));
        let mut places: Vec<String> = self.locations.keys().map(place).collect();
        places.extend(["stuck".into(), "failed".into()]);
        let mut line = |text: String| writeln!(out, "{text}").expect("writing to a string");
        line(format!("  pc : {{{}}};", places.join(", ")));
        for &proc in &self.used {
            let calls = self.calls(proc).len();
            if calls > 0 {
                line(format!("  {} : 0..{calls};", self.active(proc)));
            }
        }
        for (name, original) in &self.variables {
            line(format!("  {name} : boolean; -- {original}"));
        }
        let start = self.location(self.entry, self.graph.procs[self.entry].entry);
        line(format!("INIT pc = {start}"));
        self.write_enforce(&mut line)?;
        self.write_frames(&mut line);
        for (key, location) in &self.locations {
            self.write_location(key, location, &place(key), &mut line);
        }
        for end in ["stuck", "failed"] {
            line(format!("TRANS pc = {end} -> next(pc) = {end}"));
        }
        line("SPEC AG !(pc = failed)".into());
        for target in targets {
            if let Target::Stmt(proc, stmt) = target
                && self.used.contains(proc)
            {
                let place = self.location(*proc, NodeId(stmt.0));
                line(format!("SPEC AG !(pc = {place})"));
            }
        }
        Ok(out)
    }
    fn write_enforce(&self, line: &mut impl FnMut(String)) -> Result<(), ExportError> {
        for &proc in &self.used {
            let Some(condition) = &self.program.procs[proc].enforce else {
                continue;
            };
            let now = |v| self.var(proc, v);
            let mut text = Text {
                spelling: &SMV,
                now: &now,
                next: &now,
            };
            let condition = text.may_be(condition, true)?;
            let flow = &self.graph.procs[proc];
            let nodes = flow.edges.ids().filter(|&n| n != flow.exit);
            let at: Vec<String> = nodes.map(|n| self.location(proc, n)).collect();
            line(format!("INVAR {} -> {condition}", one_of("pc", &at)));
        }
        Ok(())
    }
    /// A variable keeps its value except at the locations that may change it.
    fn write_frames(&self, line: &mut impl FnMut(String)) {
        let mut changers: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for ((n, node), location) in &self.locations {
            let place = self.location(self.used[*n], NodeId(*node));
            let changed: BTreeSet<&String> = location.ways.iter().flat_map(|w| &w.1).collect();
            for name in changed {
                changers.entry(name).or_default().push(place.clone());
            }
        }
        let actives: Vec<String> = self.used.iter().map(|&p| self.active(p)).collect();
        let called = self.used.iter().zip(&actives);
        let called = called
            .filter(|(p, _)| !self.calls(**p).is_empty())
            .map(|(_, a)| a);
        for name in self.variables.iter().map(|v| &v.0).chain(called) {
            let same = format!("next({name}) = {name}");
            match changers.get(name.as_str()) {
                None => line(format!("TRANS {same}")),
                Some(places) => line(format!("TRANS {} | {same}", one_of("pc", places))),
            }
        }
    }
    fn write_location(
        &self,
        key: &(usize, u32),
        location: &Location,
        place: &str,
        line: &mut impl FnMut(String),
    ) {
        let proc = self.used[key.0];
        let stmt = self.graph.procs[proc].stmt(NodeId(key.1));
        let text = stmt.map_or("}".into(), |s| self.program.stmt_text(proc, s));
        line(format!("-- {text}"));
        let all: BTreeSet<&String> = location.ways.iter().flat_map(|w| &w.1).collect();
        let mut ways: Vec<String> = Vec::new();
        for (parts, changed) in &location.ways {
            let mut parts: Vec<String> = parts.iter().filter(|p| *p != SMV.yes).cloned().collect();
            let kept = all.iter().filter(|n| !changed.contains(**n));
            parts.extend(kept.map(|n| format!("next({n}) = {n}")));
            ways.push(format!("({})", parts.join(" & ")));
        }
        ways.push("next(pc) = stuck".into());
        line(format!("TRANS pc = {place} -> ({})", ways.join(" | ")));
    }
}

impl Location {
    fn way(&mut self, parts: Vec<String>, changed: impl IntoIterator<Item = String>) {
        self.ways.push((parts, changed.into_iter().collect()));
    }
}

fn one_of(name: &str, values: &[String]) -> String {
    let list: Vec<String> = values.iter().map(|v| format!("{name} = {v}")).collect();
    format!("({})", list.join(" | "))
}
