//! Terms over booleans, bit-vectors and arrays, and solvers that decide them.
//!
//! [`Terms`] owns hash-consed terms and simplifies at construction: equal terms have equal ids,
//! and a term whose value is known is a constant. Division follows SMT-LIB where the divisor is
//! zero; everywhere else operators mean what `cwi::value` says.
//!
//! A [`Solver`] decides boolean terms; [`BitBlaster`] is the one we have, on CaDiCaL: incremental,
//! with assumptions, failed-assumption cores, models and budgets. On top of it, [`mod@cubes`] finds
//! the strongest cubes over given predicates that imply a formula (the F_V of C2BP), and
//! [`enumerate()`] and [`project`] all valuations of chosen literals that a formula admits, [`cover`]
//! as few cubes. [`interpolate`] finds what separates two formulas that contradict each other, in terms
//! of what both speak about ([`Justify`]: which comparisons make a formula true).
//!
//! [`circuit()`] makes and-inverter graphs of terms ([`mod@aig`]), for other tools.
//!
//! Floating-point numbers are bit-vectors, too: their encodings. Operations on them ([`FloatOp`]) are nodes
//! that the bit-blaster makes circuits of.
//!
//! Unbounded linear integers are left to who needs them: a theory
//! sits on top of [`Solver`] with its atoms as boolean constants, reads their values after each
//! `Sat`, and adds the refuted combinations as clauses until an answer is consistent.
//!
//! ```
//! use cwolf_logic::{Answer, BitBlaster, Budget, Solver, Sort, Terms};
//! let mut terms = Terms::new();
//! let x = terms.constant("x", Sort::Bv(32));
//! let one = terms.bv(32, 1);
//! let next = terms.add(x, one);
//! let falls = terms.slt(next, x);
//! let mut solver = BitBlaster::new();
//! solver.assert(&terms, falls);
//! assert_eq!(solver.check(&terms, &[], &Budget::unlimited()), Ok(Answer::Sat));
//! assert_eq!(solver.model(&terms).bv(&terms, x), i32::MAX as u128);
//! ```

pub mod aig;
mod bitblast;
mod build;
pub mod cubes;
mod enumerate;
mod eval;
mod float;
mod float_rules;
mod interpolate;
mod justify;
mod print;
mod sat;
mod solver;
mod substitute;
mod term;

pub use bitblast::BitBlaster;
pub use bitblast::circuit::{Leaves, circuit};
pub use cubes::{Cube, CubeLimits, CubeOracle, cubes};
pub use cwolf_base::{Budget, Exhausted};
pub use cwolf_float::{Format, Mode};
pub use enumerate::{cover, enumerate, project};
pub use eval::Model;
pub use float::{FloatArgs, FloatOp};
pub use interpolate::{Against, Interpolated, Premise, interpolate};
pub use justify::Justify;
pub use sat::Phase;
pub use solver::{Answer, Lit, Solver};
pub use substitute::Substitution;
pub use term::{BinOp, Node, Sort, Term, Terms, UnOp};
