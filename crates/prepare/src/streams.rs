//! The standard streams: they are open when a program starts, and can be closed once, like any other.

use crate::mentioned::variables;
use crate::stubs::opener;
use cwolf_cwi::{Definition, FuncId, Program, VarId};

/// Variables of the library that hold an open handle at the start.
const OPEN: [&str; 3] = ["stdin", "stdout", "stderr"];

/// A function that opens the standard streams that the program mentions.
pub(crate) fn standard_streams(program: &mut Program) -> Option<FuncId> {
    let mentioned = variables(program, |_| true);
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
