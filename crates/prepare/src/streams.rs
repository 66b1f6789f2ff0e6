//! The standard streams of a program that closes streams: they are open when it starts, and can be
//! closed once, like any other. Elsewhere they are memory outside the program.

use crate::stubs::{known_row, opener};
use cwolf_cwi::{Definition, FuncId, Program, VarId};

/// Variables of the library that hold an open handle at the start.
const OPEN: [&str; 3] = ["stdin", "stdout", "stderr"];

/// A function that opens the standard streams, if the program may close one.
pub(crate) fn standard_streams(program: &mut Program) -> Option<FuncId> {
    let vars: Vec<VarId> = program
        .vars
        .enumerate()
        .filter(|(_, v)| v.definition == Definition::Declared && OPEN.contains(&v.name.as_str()))
        .map(|(id, _)| id)
        .collect();
    if vars.is_empty() || !closes_like(program, vars[0]) {
        return None;
    }
    let row = cwolf_known::lookup("fopen")?;
    Some(opener(program, row, &vars))
}

/// Whether the program has a function of the library that closes what a variable holds.
fn closes_like(program: &Program, var: VarId) -> bool {
    let ty = program.vars[var].ty;
    program.funcs.enumerate().any(|(id, function)| {
        if function.body.is_some() {
            return false;
        }
        let Some(row) = known_row(program, id) else {
            return false;
        };
        let cwolf_cwi::Type::Func(of) = &program.types[function.ty] else {
            return false;
        };
        let closed = row.closes();
        closed.iter().any(|n| of.params.get(*n) == Some(&ty))
    })
}
