//! Abstract interpretation of CWI: what is known of a value when it is not known exactly.
//!
//! It holds the abstract domains of the C Wolf thesis (sections 3.4 to 3.7) in [`domain`], the
//! languages of abstraction and label maps in [`map`], the abstract machine in [`machine`] and
//! the search for all states in [`explore`]. It knows nothing of C's syntax, and computes
//! nothing on concrete values by itself: their meaning comes from `cwolf_cwi::value`.
//!
//! ```
//! use cwolf_absint::domain::{Kind, Universe, Value};
//! use cwolf_cwi::{BinOp, IntTy};
//! let universe = Universe::default();
//! let int = IntTy::INT;
//! // `var x : part(0,1,2);` with x = 1, then x + 1.
//! let part = universe.part(&[0, 1, 2]).unwrap();
//! let x = universe.constant(int, part, 1);
//! let sum = universe.binary(BinOp::Add, int, x, int, Value::Int(1)).value;
//! assert_eq!(universe.display(int, sum), "{[2,2147483647]}");
//! assert_eq!(universe.kind_of(sum), part);
//! ```

pub mod domain;
pub mod explore;
pub mod machine;
pub mod map;
pub mod slice;
mod threads;
