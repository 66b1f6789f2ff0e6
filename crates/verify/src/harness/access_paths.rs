//! Pointers that a function of the harness finds its way along.

use crate::concrete::{AccessPath, Datum, Effect, Root};
use cwolf_cwi::{Program, VarId};
use std::collections::BTreeSet;
use std::fmt::Write;

/// The ways that a call needs, each once: what it writes, returns and keeps.
pub(super) struct Ways<'e>(Vec<&'e AccessPath>);

impl<'e> Ways<'e> {
    pub(super) fn of(call: &'e Effect) -> Ways<'e> {
        let mut all: Vec<&AccessPath> = Vec::new();
        let written = call.written.iter().map(|written| &written.to);
        let bytes = call.written.iter().flat_map(|written| &written.bytes.into);
        let led = bytes.map(|(_, way, _)| way);
        let kept = call.kept.iter().map(|(_, way)| way);
        let result = match &call.result {
            Some(Datum::Into(way, _)) => Some(way),
            _ => None,
        };
        for way in written.chain(led).chain(kept).chain(result) {
            if !all.contains(&way) {
                all.push(way);
            }
        }
        Ways(all)
    }

    /// The last argument that is needed.
    pub(super) fn last_argument(&self) -> Option<usize> {
        let argument = |way: &&AccessPath| match way.root {
            Root::Argument(n) => Some(n),
            _ => None,
        };
        self.0.iter().filter_map(argument).max()
    }

    /// What a way leads to.
    pub(super) fn name(&self, way: &AccessPath) -> String {
        let n = self.0.iter().position(|w| *w == way).unwrap_or_default();
        format!("p{n}")
    }

    /// Declarations of all, before anything is written: what is written may lie on the way. Arguments from
    /// `named` on cannot be reached.
    pub(super) fn text(&self, program: &Program, named: usize) -> String {
        let mut out = String::new();
        for way in &self.0 {
            let mut at = match way.root {
                Root::Argument(n) if n >= named => "(char *)0".into(),
                Root::Argument(n) => format!("(char *)a{}", n + 1),
                Root::Aggregate(n) => format!("(char *)&a{}", n + 1),
                Root::Errno => "(char *)__errno_location()".into(),
                Root::Variable(var) => variable(program, var),
                Root::Kept(n) => format!("cwolf_kept{n}"),
            };
            for step in &way.steps {
                at = format!("*(char **)({at} + {step})");
            }
            let _ = writeln!(out, "        char *{} = {at};", self.name(way));
        }
        out
    }
}

fn variable(program: &Program, var: VarId) -> String {
    format!("cwolf_at_{}", program.vars[var].name)
}

/// Declarations for all calls: variables of the program by another name, and pointers that are kept.
pub(super) fn declarations(program: &Program, calls: &[Effect]) -> String {
    let mut all = BTreeSet::new();
    for call in calls {
        for way in Ways::of(call).0 {
            if let Root::Variable(var) = way.root {
                let (own, name) = (variable(program, var), &program.vars[var].name);
                all.insert(format!("extern char {own}[] __asm__(\"{name}\");\n"));
            }
            if way.root == Root::Errno {
                all.insert("extern int *__errno_location(void);\n".into());
            }
        }
        let kept = call.kept.iter();
        all.extend(kept.map(|(n, _)| format!("static char *cwolf_kept{n};\n")));
    }
    match all.is_empty() {
        true => String::new(),
        false => all.into_iter().collect::<String>() + "\n",
    }
}
