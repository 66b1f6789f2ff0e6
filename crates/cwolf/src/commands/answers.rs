//! Answers to what is asked of a boolean program: verdicts, executions, invariants.

use crate::args::Questions;
use crate::exit::{DONE, Exit, UNKNOWN, VIOLATED};
use crate::render::Console;
use anyhow::{Result, bail};
use cwolf_base::{Budget, Idx};
use cwolf_boolprog::bebop::{self, Bebop, Options, Outcome, Stats, Target};
use cwolf_boolprog::cfg::Graph;
use cwolf_boolprog::{Formula, ProcId, Program, StmtId};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write;

/// An answer.
pub struct Reply {
    /// For a person.
    pub text: String,
    /// The exit code that says the same.
    pub exit: Exit,
    /// For a program.
    pub result: Value,
}

/// The answer to `questions`.
pub fn answer(
    program: &Program,
    questions: &Questions,
    budget: Budget,
    console: &Console,
) -> Result<Reply> {
    let graph = Graph::new(program);
    let entry = entry(program, &graph, questions.entry.as_deref())?;
    let labels: Vec<Target> = match &questions.label[..] {
        [] => Vec::new(),
        names => {
            let found: Result<Vec<_>> = names.iter().map(|n| label(program, n)).collect();
            found?.concat()
        }
    };
    let all = questions.invariants || questions.annotate || !labels.is_empty();
    let targets = match &questions.reach {
        _ if all => Vec::new(),
        Some(name) => label(program, name)?,
        None => Target::asserts(program),
    };
    let checks = targets.len();
    let options = Options {
        budget,
        ..Options::new(entry, targets)
    };
    let phase = console.phase("exploring");
    bebop::run(program, &graph, &options, |bebop| {
        phase.done(stats(bebop.stats()).trim_end());
        if questions.stats {
            console.passed_on(&stats(bebop.stats()));
        }
        if let Outcome::Unknown(reason) = bebop.outcome() {
            console.error(&format!("no answer: {reason}"));
            let result = json!({ "verdict": "unknown", "reason": reason.to_string() });
            return Ok(reply(String::new(), UNKNOWN, result));
        }
        let answers = Answers { program, bebop };
        if questions.annotate {
            let text = answers.annotated()?;
            let result = json!({ "verdict": "explored", "annotated": text });
            return Ok(reply(text, DONE, result));
        }
        if all {
            let wanted = |p, s| labels.is_empty() || labels.contains(&Target::Stmt(p, s));
            let found = answers.invariants(&wanted, &questions.label)?;
            let lines = found
                .iter()
                .map(|(proc, label, formula)| format!("{proc}.{label}: {formula}\n"));
            let list = found.iter().map(|(proc, label, formula)| {
                json!({ "procedure": proc, "label": label, "formula": formula })
            });
            let result = json!({ "verdict": "explored", "invariants": list.collect::<Value>() });
            return Ok(reply(lines.collect(), DONE, result));
        }
        Ok(match bebop.outcome() {
            Outcome::Reached(target, trace) => {
                let mut text = answers.reached(*target);
                let what = text.trim_end().trim_end_matches(':').to_owned();
                if !trace.shortest {
                    text += "(there may be a shorter execution)\n";
                }
                let run = trace.tell(program, &graph, questions.trace_lines);
                text += &run;
                let run: Vec<&str> = run.lines().collect();
                let result = json!({
                    "verdict": "reached",
                    "what": what,
                    "shortest": trace.shortest,
                    "trace": run,
                });
                reply(text, VIOLATED, result)
            }
            _ => {
                let text = match (&questions.reach, checks) {
                    (Some(label), _) => format!("label {label} cannot be reached\n"),
                    (None, 0) => "there are no assertions\n".into(),
                    (None, 1) => "the assertion holds\n".into(),
                    (None, n) => format!("all {n} assertions hold\n"),
                };
                let result = json!({ "verdict": "unreachable", "targets": checks });
                reply(text, DONE, result)
            }
        })
    })
}

fn reply(text: String, exit: Exit, result: Value) -> Reply {
    Reply { text, exit, result }
}

/// The statements with that label, of which there must be one.
pub fn label(program: &Program, name: &str) -> Result<Vec<Target>> {
    let found = Target::label(program, name);
    if found.is_empty() {
        let labels = program.procs.iter().flat_map(|p| p.labels.iter());
        let mut known: Vec<&str> = labels.map(|l| &**l).collect();
        known.sort_unstable();
        known.dedup();
        match known.len() {
            0 => bail!("the program has no labels, so also no label `{name}`"),
            n if n > 20 => bail!("the program has no label `{name}`"),
            _ => bail!(
                "the program has no label `{name}`; it has {}",
                known.join(", ")
            ),
        }
    }
    Ok(found)
}

/// Where to start.
pub fn entry(program: &Program, graph: &Graph, name: Option<&str>) -> Result<ProcId> {
    if let Some(name) = name {
        return match program.find_proc(name) {
            Some(id) => Ok(id),
            None => bail!("the program has no procedure `{name}` to start in"),
        };
    }
    if let Some(main) = program.find_proc("main") {
        return Ok(main);
    }
    let uncalled = graph.callers.enumerate();
    let uncalled: Vec<ProcId> = uncalled
        .filter(|(_, c)| c.is_empty())
        .map(|(p, _)| p)
        .collect();
    match uncalled[..] {
        [one] => Ok(one),
        _ => bail!("the program has no procedure `main`; --entry chooses where to start"),
    }
}

fn stats(stats: Stats) -> String {
    format!(
        "{} batches of path edges, {} diagram variables, at most {} diagram nodes, {} restarts\n",
        stats.batches, stats.variables, stats.peak_nodes, stats.restarts
    )
}

struct Answers<'a> {
    program: &'a Program,
    bebop: &'a Bebop<'a>,
}

impl Answers<'_> {
    fn formula(&self, proc: ProcId, at: Option<StmtId>) -> Result<Option<String>> {
        match self.bebop.reachable(proc, at) {
            Ok(Formula::Const(false)) => Ok(None),
            Ok(formula) => Ok(Some(formula.text(self.program, proc))),
            Err(reason) => bail!("no answer: {reason}"),
        }
    }
    fn reached(&self, target: Target) -> String {
        let (Target::Stmt(p, s) | Target::Assert(p, s)) = target;
        let proc = &self.program.procs[p];
        let place = match &proc.stmts[s].source {
            Some(source) => match (&source.file, source.line) {
                (Some(file), Some(line)) => format!(" ({file}:{line})"),
                (None, Some(line)) => format!(" (line {line})"),
                _ => String::new(),
            },
            None => String::new(),
        };
        match target {
            Target::Stmt(..) => {
                let labels = proc.stmts[s].labels.iter().map(|&l| &*proc.labels[l]);
                let labels: Vec<&str> = labels.collect();
                format!(
                    "label {} in {}{place} can be reached:\n",
                    labels.join(", "),
                    proc.name
                )
            }
            Target::Assert(..) => {
                let text = self.program.stmt_text(p, s);
                let text = text.trim_end_matches(';');
                format!("{text} in {}{place} can fail:\n", proc.name)
            }
        }
    }
    /// Procedure, label and formula for each label that is wanted.
    fn invariants(
        &self,
        wanted: &dyn Fn(ProcId, StmtId) -> bool,
        names: &[String],
    ) -> Result<Vec<(String, String, String)>> {
        let mut out = Vec::new();
        for (p, proc) in self.program.procs.enumerate() {
            for (s, stmt) in proc.stmts.enumerate() {
                if stmt.labels.is_empty() || !wanted(p, s) {
                    continue;
                }
                let formula = self.formula(p, Some(s))?;
                let formula = formula.unwrap_or("unreachable".into());
                for &label in &stmt.labels {
                    if !names.is_empty() && !names.contains(&proc.labels[label]) {
                        continue;
                    }
                    let label = proc.labels[label].to_string();
                    out.push((proc.name.to_string(), label, formula.clone()));
                }
            }
        }
        Ok(out)
    }
    /// The text that was abstracted, with invariants behind the lines that statements stand for;
    /// the boolean program itself where its statements say nothing.
    fn annotated(&self) -> Result<String> {
        let mut files: BTreeMap<String, BTreeMap<u32, String>> = BTreeMap::new();
        for (p, proc) in self.program.procs.enumerate() {
            for (s, stmt) in proc.stmts.enumerate() {
                let Some(source) = &stmt.source else { continue };
                let (Some(file), Some(line)) = (&source.file, source.line) else {
                    continue;
                };
                let lines = files.entry(file.clone()).or_default();
                if lines.contains_key(&line) {
                    continue;
                }
                let formula = self.formula(p, Some(s))?;
                lines.insert(line, formula.unwrap_or("unreachable".into()));
            }
        }
        let mut out = String::new();
        for (file, lines) in &files {
            let Ok(text) = std::fs::read_to_string(file) else {
                bail!("cannot read {file}, which the boolean program was made from");
            };
            let widest = text.lines().map(|l| l.chars().count()).max().unwrap_or(0);
            let width = widest.min(60);
            for (n, line) in text.lines().enumerate() {
                match lines.get(&(n as u32 + 1)) {
                    Some(formula) => {
                        let pad = width.saturating_sub(line.chars().count());
                        writeln!(out, "{line}{} // {formula}", " ".repeat(pad))?;
                    }
                    None => writeln!(out, "{line}")?,
                }
            }
        }
        if files.is_empty() {
            for (p, proc) in self.program.procs.enumerate() {
                writeln!(out, "{}:", proc.name)?;
                for s in proc.stmts.ids() {
                    let formula = self.formula(p, Some(s))?;
                    let formula = formula.unwrap_or("unreachable".into());
                    let text = self.program.stmt_text(p, s);
                    writeln!(out, "{:>5} {text} // {formula}", s.index())?;
                }
            }
        }
        Ok(out)
    }
}
