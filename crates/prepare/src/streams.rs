//! The standard streams: they are open when a program starts, and can be closed once, like any other.

use crate::stubs::opener;
use cwolf_cwi::{Definition, ExprKind, FuncId, Program, VarId};
use rustc_hash::FxHashSet;

/// Variables of the library that hold an open handle at the start.
const OPEN: [&str; 3] = ["stdin", "stdout", "stderr"];

/// A function that opens the standard streams that the program mentions.
pub(crate) fn standard_streams(program: &mut Program) -> Option<FuncId> {
    let mentioned = mentioned(program);
    let vars: Vec<VarId> = program
        .vars
        .enumerate()
        .filter(|(_, v)| v.definition == Definition::Declared && OPEN.contains(&v.name.as_str()))
        .map(|(id, _)| id)
        .filter(|id| mentioned.contains(id))
        .collect();
    if vars.is_empty() {
        return None;
    }
    let row = cwolf_known::lookup("fopen")?;
    Some(opener(program, row, &vars))
}

/// The variables that code reads or takes the address of.
fn mentioned(program: &Program) -> FxHashSet<VarId> {
    let mut found = FxHashSet::default();
    for body in program.funcs.iter().filter_map(|f| f.body.as_ref()) {
        body.for_each_expr(&mut |e| {
            e.walk(&mut |e| {
                if let ExprKind::Load { place, .. } | ExprKind::AddrOf(place) = &e.kind {
                    found.extend(place.root());
                }
            });
        });
    }
    found
}
