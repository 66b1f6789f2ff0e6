//! Promela: each procedure is a process type; a call runs a process and waits for its answer on a
//! channel, so that recursion works up to SPIN's limit of 255 processes. Executions that an
//! `assume` ends wait at a label that starts with `end`, which SPIN does not take for a deadlock.

use super::ExportError;
use super::text::{Names, Spelling, Text};
use crate::bebop::Target;
use crate::cfg::{Action, Graph, NodeId};
use crate::rails::Rails;
use crate::{Expr, ProcId, Program, StmtKind, Var};
use cwolf_base::{Idx, IndexVec};
use std::fmt::Write;

const PROMELA: Spelling = Spelling {
    yes: "true",
    no: "false",
    and: "&&",
    or: "||",
    equal: "==",
};

/// The program in the language of SPIN; targets become failing assertions.
pub fn to_promela(
    program: &Program,
    graph: &Graph,
    entry: ProcId,
    targets: &[Target],
) -> Result<String, ExportError> {
    let mut names = Names::default();
    let globals: Vec<String> = program
        .globals
        .iter()
        .map(|n| names.make("g_", n))
        .collect();
    let procs: IndexVec<ProcId, String> = program
        .procs
        .iter()
        .map(|p| names.make("p_", &p.name))
        .collect();
    let mut out = String::from("/* Made from a boolean program. */\n");
    for (name, original) in globals.iter().zip(program.globals.iter()) {
        out += &format!("bool {name}; /* {} */\n", comment(original));
    }
    for id in program.procs.ids() {
        let mut names = Names::default();
        let locals = program.procs[id]
            .locals
            .iter()
            .map(|n| names.make("l_", n))
            .collect();
        let mut writer = Writer {
            program,
            graph,
            targets,
            globals: &globals,
            procs: &procs,
            id,
            locals,
            out: &mut out,
        };
        writer.proc()?;
    }
    init(program, &globals, &procs[entry], entry, &mut out);
    Ok(out)
}

/// Text that does not close a comment.
fn comment(text: &str) -> String {
    text.replace("*/", "* /").replace("/*", "/ *")
}

/// Any value for `name`.
fn any(name: &str) -> String {
    format!("if :: {name} = true :: {name} = false fi;")
}

fn init(program: &Program, globals: &[String], proc: &str, entry: ProcId, out: &mut String) {
    let code = &program.procs[entry];
    let fields = vec!["bool"; 1 + code.results].join(", ");
    *out += &format!("init {{\n  chan back = [0] of {{ {fields} }};\n");
    let params: Vec<String> = (0..code.params).map(|n| format!("a{n}")).collect();
    for param in &params {
        *out += &format!("  bool {param};\n");
    }
    for name in globals.iter().chain(&params) {
        *out += &format!("  {}\n", any(name));
    }
    let args: Vec<String> = std::iter::once("back".to_owned()).chain(params).collect();
    let blanks = vec!["_"; 1 + code.results].join(", ");
    *out += &format!(
        "  run {proc}({});\nend_wait: back?{blanks}\n}}\n",
        args.join(", ")
    );
}

struct Writer<'a> {
    program: &'a Program,
    graph: &'a Graph,
    targets: &'a [Target],
    globals: &'a [String],
    procs: &'a IndexVec<ProcId, String>,
    id: ProcId,
    locals: Vec<String>,
    out: &'a mut String,
}

impl Writer<'_> {
    fn line(&mut self, text: &str) {
        writeln!(self.out, "{text}").expect("writing to a string");
    }
    fn var(&self, var: Var) -> String {
        match var {
            Var::Global(g) => self.globals[g.index()].clone(),
            Var::Local(l) => self.locals[l.index()].clone(),
        }
    }
    fn may_be(&self, expr: &Expr, value: bool) -> Result<String, ExportError> {
        let now = |v| self.var(v);
        let mut text = Text {
            spelling: &PROMELA,
            now: &now,
            next: &now,
        };
        text.may_be(expr, value)
    }
    /// Gives `name` a value that `expr` may have.
    fn evaluate(&mut self, name: &str, expr: &Expr) -> Result<(), ExportError> {
        let now = |v| self.var(v);
        let mut text = Text {
            spelling: &PROMELA,
            now: &now,
            next: &now,
        };
        let line = match text.rails(expr)? {
            Rails::One(value) => format!("  {name} = {value};"),
            Rails::Two(t, f) if t == "true" && f == "true" => format!("  {}", any(name)),
            Rails::Two(t, f) => {
                format!("  if :: ({t}) -> {name} = true :: ({f}) -> {name} = false fi;")
            }
        };
        self.line(&line);
        Ok(())
    }
    fn proc(&mut self) -> Result<(), ExportError> {
        let proc = &self.program.procs[self.id];
        let flow = &self.graph.procs[self.id];
        let params = self.locals[..proc.params]
            .iter()
            .map(|p| format!("; bool {p}"));
        let params: String = params.collect();
        self.line(&format!(
            "proctype {}(chan ret{params}) {{",
            self.procs[self.id]
        ));
        for n in proc.params..self.locals.len() {
            let original = comment(&proc.locals[crate::LocalId(n as u32)]);
            self.line(&format!("  bool {}; /* {original} */", self.locals[n]));
        }
        let mut widest = proc.results;
        let mut answers: Vec<usize> = Vec::new();
        for stmt in proc.stmts.iter() {
            widest = widest.max(stmt.kind.exprs().len());
            if let StmtKind::Call { callee, .. } = &stmt.kind {
                let results = self.program.procs[*callee].results;
                widest = widest.max(results);
                if !answers.contains(&results) {
                    answers.push(results);
                }
            }
        }
        for n in 0..widest {
            self.line(&format!("  bool t{n};"));
        }
        for results in answers {
            let fields = vec!["bool"; 1 + results].join(", ");
            self.line(&format!("  chan back{results} = [0] of {{ {fields} }};"));
        }
        for n in proc.params..self.locals.len() {
            let any = any(&self.locals[n]);
            self.line(&format!("  {any}"));
        }
        self.line(&format!("  goto n{};", flow.entry.0));
        for node in flow.edges.ids().filter(|&n| n != flow.exit) {
            self.node(node)?;
        }
        self.line("end_stuck: (false);\ndone: skip\n}");
        Ok(())
    }
    fn node(&mut self, node: NodeId) -> Result<(), ExportError> {
        let (program, graph) = (self.program, self.graph);
        let (proc, flow) = (&program.procs[self.id], &graph.procs[self.id]);
        let stmt = flow.stmt(node);
        let text = stmt.map_or("}".into(), |s| program.stmt_text(self.id, s));
        self.line(&format!("n{}: /* {} */", node.0, comment(&text)));
        if let Some(condition) = &proc.enforce {
            let holds = self.may_be(condition, true)?;
            self.line(&format!(
                "  if :: ({holds}) -> skip :: else -> goto end_stuck fi;"
            ));
        }
        if stmt.is_some_and(|s| self.targets.contains(&Target::Stmt(self.id, s))) {
            self.line("  assert(false);");
        }
        let edges = &flow.edges[node];
        match (edges[0].action, stmt.map(|s| &proc.stmts[s].kind)) {
            (Action::Skip, _) => {
                let ways = edges.iter().map(|e| format!(":: goto n{}", e.to.0));
                let ways: Vec<String> = ways.collect();
                self.line(&format!("  if {} fi;", ways.join(" ")));
            }
            (Action::Assume(_), Some(kind)) => {
                let mut ways = Vec::new();
                for edge in edges {
                    let Action::Assume(value) = edge.action else {
                        continue;
                    };
                    let condition = self.may_be(kind.exprs()[0], value)?;
                    ways.push(format!(":: ({condition}) -> goto n{}", edge.to.0));
                }
                if let StmtKind::Assert(condition) = kind {
                    let fails = self.may_be(condition, false)?;
                    ways.push(format!(":: ({fails}) -> assert(false)"));
                }
                self.line(&format!(
                    "  if {} :: else -> goto end_stuck fi;",
                    ways.join(" ")
                ));
            }
            (
                Action::Assign,
                Some(StmtKind::Assign {
                    targets,
                    values,
                    constrain,
                }),
            ) => {
                for (n, value) in values.iter().enumerate() {
                    self.evaluate(&format!("t{n}"), value)?;
                }
                if let Some(constrain) = constrain {
                    let now = |v| self.var(v);
                    let place = |v| targets.iter().position(|&t| t == v);
                    let next = |v| format!("t{}", place(v).expect("only assigned ones"));
                    let mut text = Text {
                        spelling: &PROMELA,
                        now: &now,
                        next: &next,
                    };
                    let holds = text.may_be(constrain, true)?;
                    self.line(&format!(
                        "  if :: ({holds}) -> skip :: else -> goto end_stuck fi;"
                    ));
                }
                self.store(targets.iter().map(|t| Some(*t)));
                self.line(&format!("  goto n{};", edges[0].to.0));
            }
            (
                Action::Call,
                Some(StmtKind::Call {
                    results,
                    callee,
                    args,
                }),
            ) => {
                for (n, value) in args.iter().enumerate() {
                    self.evaluate(&format!("t{n}"), value)?;
                }
                let count = program.procs[*callee].results;
                let passed: String = (0..args.len()).map(|n| format!(", t{n}")).collect();
                let answers: String = (0..count).map(|n| format!(", t{n}")).collect();
                let callee = &self.procs[*callee];
                self.line(&format!("  run {callee}(back{count}{passed});"));
                self.line(&format!("end_wait{}: back{count}?_{answers};", node.0));
                self.store(results.iter().copied());
                self.line(&format!("  goto n{};", edges[0].to.0));
            }
            (Action::Return, kind) => {
                let unknown = vec![Expr::Unknown; proc.results];
                let values = match kind {
                    Some(StmtKind::Return(values)) => values,
                    _ => &unknown,
                };
                for (n, value) in values.iter().enumerate() {
                    self.evaluate(&format!("t{n}"), value)?;
                }
                let answers: String = (0..proc.results).map(|n| format!(", t{n}")).collect();
                self.line(&format!("  ret!true{answers};\n  goto done;"));
            }
            _ => unreachable!("edges fit their statements"),
        }
        Ok(())
    }
    /// Moves `t0, t1, …` to where they belong.
    fn store(&mut self, targets: impl Iterator<Item = Option<Var>>) {
        for (n, target) in targets.enumerate() {
            if let Some(target) = target {
                let name = self.var(target);
                self.line(&format!("  {name} = t{n};"));
            }
        }
    }
}
