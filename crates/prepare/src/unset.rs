//! Whether contents of memory that nobody wrote can matter.

use crate::liveness::{live_at_start, revived};
use cwolf_cwi::graph::Analysed;
use cwolf_cwi::{Branch, ExprKind, FuncId, Type, VarId};
use cwolf_known::{Contents, Primitive, Row};
use rustc_hash::FxHashSet;

/// Whether some function may read memory that was never written: a local before it is written, a
/// new object, the result of a function that returns none. If not, none ever does.
pub fn may_read_unset(program: &Analysed, entry: FuncId) -> bool {
    let unset = |func: FuncId| {
        let function = &program.funcs[func];
        let row = cwolf_known::lookup(&function.name);
        let Some(body) = &function.body else {
            // What others may do is not looked at.
            let primitive = |p| matches!(p, Some(Primitive::AllocateZeroed | Primitive::Free));
            let quiet =
                |row: &Row| row.is_word() || row.ends().is_some() || primitive(row.primitive());
            return !row.is_some_and(quiet);
        };
        let new = |row: &Row| {
            let heap = row.allocates().is_some_and(|(_, of)| of == Contents::Unset);
            heap || row.allocates_on_stack().is_some()
        };
        let returns = matches!(&program.types[function.ty],
            Type::Func(ty) if !matches!(program.types[ty.ret], Type::Void));
        let lost = body
            .blocks
            .iter()
            .any(|block| returns && matches!(block.branch, Branch::Return(None)));
        let locals: FxHashSet<VarId> = function.locals.iter().copied().collect();
        let (live, reborn) = live_at_start(program, body, &locals);
        let again = revived(body);
        // Somebody may still know the address of a variable that comes to life again.
        let mut kept = false;
        body.for_each_expr(&mut |e| {
            e.walk(&mut |e| {
                if let ExprKind::AddrOf(place) = &e.kind {
                    kept |= place.root().is_some_and(|var| again.contains(&var));
                }
            });
        });
        row.is_some_and(new) || lost || kept || !live[0].is_empty() || !reborn.is_empty()
    };
    let reached = program.calls().reachable(&[entry]);
    reached.into_iter().any(unset)
}
