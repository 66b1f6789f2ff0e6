//! `cwolf run --replay report.json`: the failing run of a report, step by step in the terminal.

use crate::exit::{DONE, Exit};
use crate::render::Console;
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::fmt::Write;
use std::io::{BufRead, IsTerminal};
use std::path::Path;

/// Lines of the source around a step.
const AROUND: usize = 4;
const HELP: &str = "Enter or n: next step; b: back; f: first; l: last; a number: that step; v: all values; q: quit\n";

/// The report in a file, if it is one: other JSON files name the files of a program.
pub fn report(path: &Path) -> Option<Value> {
    if path.extension().is_none_or(|suffix| suffix != "json") {
        return None;
    }
    let text = std::fs::read_to_string(path).ok()?;
    let document: Value = serde_json::from_str(&text).ok()?;
    (document["command"] == "verify").then(|| document["result"].clone())
}

/// Shows the run and follows commands from standard input.
pub fn run(report: &Value, console: &Console) -> Result<Exit> {
    let run = Run::new(report)?;
    let mut at = 0;
    console.print(None, format!("{}\n{HELP}", run.message).as_bytes())?;
    let mut show = true;
    let mut lines = std::io::stdin().lock().lines();
    loop {
        if show {
            console.print(None, run.step(at).as_bytes())?;
        }
        if std::io::stdin().is_terminal() {
            console.print(None, b"> ")?;
        }
        let Some(line) = lines.next() else {
            return Ok(DONE);
        };
        let before = at;
        let last = run.steps.len() - 1;
        match line.context("cannot read a command")?.trim() {
            "" | "n" => at = (at + 1).min(last),
            "b" => at = at.saturating_sub(1),
            "f" => at = 0,
            "l" => at = last,
            "v" => console.print(None, run.values(at).as_bytes())?,
            "q" => return Ok(DONE),
            word => match word.parse::<usize>() {
                Ok(number) if (1..=last + 1).contains(&number) => at = number - 1,
                _ => console.print(None, HELP.as_bytes())?,
            },
        }
        show = at != before;
    }
}

/// The failing run of a report.
struct Run<'r> {
    message: &'r str,
    steps: &'r [Value],
    sources: Vec<(&'r str, Vec<&'r str>)>,
}

impl<'r> Run<'r> {
    fn new(report: &'r Value) -> Result<Run<'r>> {
        let verdict = report["verdict"].as_str().unwrap_or("unknown");
        let trace = &report["trace"];
        let steps = trace["steps"].as_array().map_or(&[][..], Vec::as_slice);
        if steps.is_empty() {
            bail!("the report has no failing run (its verdict is {verdict})");
        }
        let sources = report["sources"].as_array().into_iter().flatten();
        let sources = sources.filter_map(|s| {
            let text = s["text"].as_str()?;
            Some((s["name"].as_str()?, text.lines().collect()))
        });
        Ok(Run {
            message: trace["message"].as_str().unwrap_or_default(),
            steps,
            sources: sources.collect(),
        })
    }

    /// A step: where it is, the source around it, who called, what changed.
    fn step(&self, at: usize) -> String {
        let step = &self.steps[at];
        let (file, line) = place(step);
        let function = step["function"].as_str().unwrap_or_default();
        let mut out = format!(
            "\nstep {} of {}: {file}:{line} in {function}{}\n",
            at + 1,
            self.steps.len(),
            event(step)
        );
        if let Some((_, lines)) = self.sources.iter().find(|(name, _)| *name == file) {
            let from = line.saturating_sub(AROUND).max(1);
            for n in from..=(line + AROUND).min(lines.len()) {
                let mark = if n == line { '>' } else { ' ' };
                let _ = writeln!(out, "{mark} {n:5}  {}", lines[n - 1]);
            }
        }
        let callers = self.callers(at);
        if !callers.is_empty() {
            let _ = writeln!(out, "called from: {}", callers.join(", "));
        }
        let changes = changes(step);
        let changes: Vec<String> = changes
            .map(|(name, value)| format!("{name} = {value}"))
            .collect();
        if !changes.is_empty() {
            let _ = writeln!(out, "changed: {}", changes.join(", "));
        }
        out
    }

    /// The calls in progress, innermost first: the last step at each smaller depth.
    fn callers(&self, at: usize) -> Vec<String> {
        let mut depth = self.steps[at]["depth"].as_u64().unwrap_or_default();
        let mut found = Vec::new();
        for step in self.steps[..at].iter().rev() {
            let here = step["depth"].as_u64().unwrap_or_default();
            if here < depth {
                depth = here;
                let (file, line) = place(step);
                found.push(format!(
                    "{} ({file}:{line})",
                    step["function"].as_str().unwrap_or_default()
                ));
            }
        }
        found
    }

    /// What was last written to each variable, the latest first.
    fn values(&self, at: usize) -> String {
        let mut seen: Vec<&str> = Vec::new();
        let mut out = String::new();
        for step in self.steps[..=at].iter().rev() {
            for (name, value) in changes(step) {
                if !seen.contains(&name) {
                    seen.push(name);
                    let _ = writeln!(out, "{name} = {value}");
                }
            }
        }
        out
    }
}

fn place(step: &Value) -> (&str, usize) {
    let file = step["place"]["file"].as_str().unwrap_or_default();
    let line = step["place"]["line"].as_u64().unwrap_or_default();
    (file, usize::try_from(line).unwrap_or_default())
}

fn changes(step: &Value) -> impl Iterator<Item = (&str, &str)> {
    let all = step["changes"].as_array().into_iter().flatten();
    all.filter_map(|c| Some((c["name"].as_str()?, c["value"].as_str()?)))
}

/// What happens in a step besides the changes.
fn event(step: &Value) -> String {
    let detail = &step["detail"];
    match step["event"].as_str().unwrap_or_default() {
        "branch" => format!(": the condition is {detail}"),
        "call" => format!(": calls {}", detail.as_str().unwrap_or_default()),
        "choose" => {
            let value = detail["value"].as_str().unwrap_or_default();
            match detail["from"].as_str() {
                Some(from) => format!(": {from} returned {value}"),
                None => format!(": an arbitrary value, {value}"),
            }
        }
        "fail" => ": fails here".into(),
        _ => String::new(),
    }
}
