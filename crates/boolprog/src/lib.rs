//! Boolean programs: C-like programs whose only type is `bool`, with procedures, recursion and
//! nondeterminism. The crate holds the language (data type, text form, parser, verifier), its
//! control-flow graphs, the model checker BEBOP, and exports to SMV and Promela. What a boolean
//! program was made from is none of its business: statements carry it as an opaque comment.
//!
//! ```
//! let text = "
//!     bool {x > 0};
//!     void main() {
//!       {x > 0} = unknown();
//!       assume({x > 0});
//!       L: skip;
//!     }";
//! let mut messages = cwolf_base::Diagnostics::default();
//! let program = cwolf_boolprog::parse(text, 0, &mut messages).expect("no errors");
//! assert!(cwolf_boolprog::verify(&program).is_empty());
//! ```

pub mod bebop;
mod builder;
pub mod cfg;
pub mod export;
mod expr;
mod formula;
mod lexer;
mod names;
mod parser;
mod print;
mod program;
pub mod rails;
mod readable;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
pub mod trace;
mod trace_text;
mod verify;

pub use builder::Builder;
pub use expr::{Expr, Var};
pub use formula::{Formula, literal_text};
pub use parser::parse;
pub use program::{
    GlobalId, LabelId, LocalId, MAX_NESTING, Proc, ProcId, Program, Source, Stmt, StmtId, StmtKind,
};
pub use readable::readable;
pub use verify::{Place, Violation, verify};
