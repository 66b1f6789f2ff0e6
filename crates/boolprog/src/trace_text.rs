//! Executions as text.

use crate::cfg::Graph;
use crate::trace::{State, Trace};
use crate::{Program, names};
use std::fmt::Write;

impl Trace {
    /// The execution from beginning to end, one line a step, calls indented: the statement, what it
    /// stands for, and the values that changed (all of them where a procedure starts). Stops after
    /// `limit` lines.
    pub fn tell(&self, program: &Program, graph: &Graph, limit: usize) -> String {
        let mut out = String::new();
        // The last state of each open activation.
        let mut open: Vec<State> = Vec::new();
        for (n, event) in self.events().enumerate() {
            if n == limit {
                let left = self.steps().saturating_sub(n as u64).saturating_add(1);
                writeln!(out, "... {left} more").expect("writing to a string");
                break;
            }
            let (proc, node) = (event.proc, event.step.node);
            let starts = event.depth >= open.len();
            open.truncate(event.depth + 1);
            let old = (!starts).then(|| open.pop()).flatten();
            let changed = program.scope(proc).filter(|&v| {
                let value = event.step.state.get(v);
                old.as_ref().is_none_or(|old| old.get(v) != value)
            });
            let values: Vec<String> = changed
                .map(|v| {
                    let name = names::written(program.var_name(proc, v));
                    format!("{name}={}", u8::from(event.step.state.get(v)))
                })
                .collect();
            open.push(event.step.state.clone());
            let stmt = graph.procs[proc].stmt(node);
            let text = stmt.map_or("}".into(), |s| program.stmt_text(proc, s));
            let source = stmt.and_then(|s| program.procs[proc].stmts[s].source.as_ref());
            let source = source.map_or(String::new(), |s| {
                format!(" // {}", crate::print::comment(s))
            });
            let start = if starts {
                format!("{}: ", names::written(&program.procs[proc].name))
            } else {
                String::new()
            };
            let values = match values.len() {
                0 => String::new(),
                _ => format!("  [{}]", values.join(", ")),
            };
            let indent = "  ".repeat(event.depth.min(40));
            writeln!(out, "{indent}{start}{text}{source}{values}").expect("writing to a string");
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use crate::bebop::{Options, Outcome, Target, check};
    use crate::cfg::Graph;
    use crate::parser::tests::read;

    #[test]
    fn steps_calls_and_values() {
        let program = read(
            "bool g; void set(bool a) { g = a; // 3: g = a\n}
             void main() { bool x; g = true; set(false); set(true); set(g && x); assert(g); }",
        );
        let graph = Graph::new(&program);
        let main = program.find_proc("main").expect("it is there");
        let options = Options::new(main, Target::asserts(&program));
        let Outcome::Reached(_, trace) = check(&program, &graph, &options) else {
            panic!("the assertion can fail");
        };
        let expected = "\
main: g = true;  [g=0, x=0]
set(false);  [g=1]
  set: g = a; // 3: g = a  [g=1, a=0]
  }  [g=0]
set(true);  [g=0]
  set: g = a; // 3: g = a  [g=0, a=1]
  }  [g=1]
set(g && x);  [g=1]
  set: g = a; // 3: g = a  [g=1, a=0]
  }  [g=0]
assert(g);  [g=0]
";
        assert_eq!(trace.tell(&program, &graph, 99), expected);
        let short = trace.tell(&program, &graph, 2);
        assert_eq!(short.lines().last(), Some("... 9 more"));
    }
}
