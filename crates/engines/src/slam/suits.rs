//! Whether a program is of the kind that SLAM was made for: a driver, with many functions that work on structures
//! behind pointers, and a rule that few of their variables matter for.

use cwolf_cwi::ExprKind;

use crate::task::Task;

/// A driver has at least so many functions.
const FUNCTIONS: usize = 12;
/// And at least so many of a hundred statements look through a pointer.
const POINTERS: usize = 5;

/// Whether the code that a task reaches is a driver's.
pub(super) fn is_driver(task: &Task<'_>) -> bool {
    let program = task.program;
    let (mut functions, mut statements, mut pointers) = (0, 0, 0);
    for func in program.calls().reachable(&[task.entry]) {
        let Some(body) = program.funcs[func].body.as_ref() else {
            continue;
        };
        functions += 1;
        for block in body.blocks.iter() {
            statements += block.stmts.len() + 1;
            block.for_each_expr(&mut |e| {
                e.walk(&mut |e| {
                    let ExprKind::Load { place, .. } = &e.kind else {
                        return;
                    };
                    pointers += usize::from(place.root().is_none());
                });
            });
        }
    }
    functions >= FUNCTIONS && pointers * 100 >= statements * POINTERS
}
