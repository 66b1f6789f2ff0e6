//! Labelled transition systems: a compact store, readers and writers of the usual formats,
//! reductions and comparisons. It has never heard of C, and it neither composes systems nor
//! checks formulas: that is the workbench's.
//!
//! ```
//! use cwolf_base::Budget;
//! use cwolf_lts::{Comparison, Equivalence, Format, compare, read_bytes, reduce};
//! let text = b"des (0,2,3)\n(0,i,1)\n(1,\"a\",2)\n";
//! let lts = read_bytes("example.aut", text, Format::Aut).expect("a correct file");
//! let budget = Budget::unlimited();
//! let small = reduce(&lts, Equivalence::Weak, &budget).expect("no limit").lts;
//! assert_eq!((small.states(), small.transitions()), (2, 1));
//! let same = compare(&lts, &small, Equivalence::Weak, &budget);
//! assert_eq!(same, Ok(Comparison::Equivalent));
//! ```

mod builder;
mod compare;
mod format;
mod labels;
mod lts;
mod notes;
mod pattern;
mod reduce;

pub use builder::Builder;
pub use compare::{
    Comparison, Evidence, Formula, Overlap, Side, action_text, by_name, compare, trace_inclusion,
    written_out,
};
pub use format::{
    Format, PARTS_SUFFIX, ReadError, TauSpelling, aut_label, part_path, read, read_bytes,
    read_path, read_path_within, write, write_aut, write_index,
};
pub use labels::{Label, Labels, TAU, TAU_NAME};
pub use lts::{Incoming, Lts, State};
pub use notes::{Note, Notes};
pub use pattern::{ActionSet, Pattern, Piece, Reading, Span, Values, is_pattern, literal};
pub use reduce::{DROPPED, Equivalence, Pass, Reduction, reduce};
