//! Which functions without code are words of verification: the table of known functions says it.

use crate::checks::Checked;
use cwolf_cwi::{CheckKind, FuncId, Function, Origin, Program};
use cwolf_known::{Failure, Primitive, Row};
use rustc_hash::FxHashMap;

/// What is done at a call of the function itself: that of a primitive also where a model has code.
fn is_word(function: &Function, row: &Row) -> bool {
    let word = row.fails() == Some(Failure::Assertion)
        || row.asserts().is_some()
        || row.asserts_zero().is_some()
        || row.assumes().is_some();
    let own = row.primitive().is_some() || is_in_place(row);
    match function.body {
        None => word || own,
        Some(_) => own && function.origin == Origin::Model,
    }
}

/// Whether what its row requires is checked where the function is called: engines do the rest, or jumps
/// become code.
pub(crate) fn is_in_place(row: &Row) -> bool {
    let primitive = matches!(
        row.primitive(),
        Some(Primitive::Fill | Primitive::Copy | Primitive::Move)
    );
    primitive || row.jumps().is_some() || row.marks().is_some()
}

/// Whether it frees its first argument.
pub(crate) fn frees(row: &Row) -> bool {
    matches!(row.primitive(), Some(Primitive::Free | Primitive::Resize))
}

fn words(program: &Program) -> FxHashMap<FuncId, &'static Row> {
    let all = program.funcs.enumerate();
    let known = all.filter_map(|(id, f)| {
        let row = cwolf_known::lookup(&f.name)?;
        is_word(f, row).then_some((id, row))
    });
    known.collect()
}

impl Checked {
    /// These kinds of checks, and the usual meaning of functions that the program does not define.
    pub fn new(program: &Program, kinds: &[CheckKind]) -> Checked {
        Checked {
            kinds: kinds.to_vec(),
            words: words(program),
            ..Checked::default()
        }
    }
}
