//! Contracts: what a function requires of its callers and ensures in turn, written as ACSL before it or with CBMC's words
//! behind its parameters. A contract is plain code ([`weave`]): what is required is asserted where the function begins, what it ensures where
//! it returns. A function that is replaced by its contract asserts what is required, changes what is assigned, and assumes what
//! is ensured.

mod formula;
mod loops;
mod terms;
mod text;
mod weave;

pub use loops::LoopContract;
pub use text::{Clause, contract_in};
pub use weave::{Woven, weave};

use cwolf_cfront::Outline;
use cwolf_cwi::{Origin, Program};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// A contract of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contract {
    /// The function.
    pub function: String,
    /// What it says, in order.
    pub clauses: Vec<Clause>,
    /// What stands where in its file.
    pub outline: Rc<Outline>,
}

impl Contract {
    /// The conditions of its `requires` clauses.
    pub fn requires(&self) -> impl Iterator<Item = &str> {
        self.clauses.iter().filter_map(|clause| match clause {
            Clause::Requires(text) => Some(text.as_str()),
            _ => None,
        })
    }
}

/// The contracts of all functions that the program's own files define; `read` gives the text of a file.
pub fn contracts(program: &Program, mut read: impl FnMut(&str) -> Option<String>) -> Vec<Contract> {
    let mut found = Vec::new();
    let mut outlines: FxHashMap<&str, Rc<Outline>> = FxHashMap::default();
    let mut texts: FxHashMap<&str, Option<String>> = FxHashMap::default();
    let bodies = program.funcs.iter().filter(|f| f.body.is_some());
    let starts = bodies.map(|f| program.locations[f.loc]);
    let starts: Vec<_> = starts.map(|loc| (loc.file, loc.line)).collect();
    for function in program.funcs.iter() {
        let loc = program.locations[function.loc];
        let file = program.locations.file_name(loc.file);
        let own = function.origin == Origin::Program && function.body.is_some();
        if !own || file.starts_with('<') || file.starts_with("/usr/") {
            continue;
        }
        let text = texts.entry(file).or_insert_with(|| read(file));
        let Some(text) = text else { continue };
        let mut clauses = contract_in(text, loc.line, &function.name);
        let next = starts
            .iter()
            .filter(|(of, line)| *of == loc.file && *line > loc.line);
        let next = next.map(|(_, line)| *line).min().unwrap_or(u32::MAX);
        let outline = outlines
            .entry(file)
            .or_insert_with(|| Rc::new(Outline::new(text.as_bytes())));
        let outline = Rc::clone(outline);
        if text.contains("loop ") || text.contains("__CPROVER_loop") {
            let loops = loops::loops_in(text, &outline, loc.line, next);
            clauses.extend(loops.into_iter().map(Clause::Loop));
        }
        if !clauses.is_empty() {
            found.push(Contract {
                function: function.name.clone(),
                clauses,
                outline,
            });
        }
    }
    found
}
