//! The workbench: processes of CCS, their transition systems, and formulas about them. It works
//! on any labelled transition system and has never heard of C; reductions and equivalences are
//! the `lts` crate's.
//!
//! ```
//! use cwolf_base::{Budget, SourceMap};
//! use cwolf_workbench::{Environment, check};
//! let mut sources = SourceMap::default();
//! let mut env = Environment::default();
//! let text = "proc P = a.'b.P   proc Q = b.Q   proc S = (P | Q) \\ {b}";
//! env.load_text(&mut sources, "example.ccs", text).expect("a correct text");
//! let start = sources.add("<process>", "S".into());
//! let lts = env.compile("S", start, &Budget::unlimited()).expect("a finite process");
//! assert_eq!((lts.states(), lts.transitions()), (2, 2));
//! let formula = "max X = <->tt /\\ [-]X";
//! let start = sources.add("<formula>", formula.into());
//! let formula = env.formula(formula, start).expect("a correct formula");
//! let verdict = check(&lts, env.formulas(), formula, &Budget::unlimited());
//! assert_eq!(verdict.expect("no limit").answer, cwolf_workbench::Answer::Holds);
//! ```

mod ccs;
mod check;
mod formula;
mod game;
mod lexer;
mod parser;
mod preorder;
mod shell;
mod tell_apart;

pub use ccs::{CompileError, Environment, Loaded, with_plain_inputs};
pub use check::{
    Answer, Doubt, Evidence, Reached, Run, Step, Verdict, check, deadlock, decisive_prefix,
    livelock, reachable, reachable_state, safety_automaton,
};
pub use formula::{FormulaId, Formulas, Speaks};
pub use preorder::{Difference, Order, Preorder, below};
pub use shell::{Reply, Session};
pub use tell_apart::tell_apart;
