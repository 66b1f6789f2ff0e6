//! Whether contents of memory that nobody wrote can matter.

use crate::liveness::{live_at_start, revived};
use cwolf_cwi::graph::CallGraph;
use cwolf_cwi::{Branch, ExprKind, FuncId, Program, Type, VarId};
use rustc_hash::FxHashSet;

/// Whether some function may read memory that was never written: a local before it is written, a
/// new object, the result of a function that returns none. If not, none ever does.
pub fn may_read_unset(program: &Program, entry: FuncId) -> bool {
    const ALLOCATE: [&str; 4] = ["malloc", "realloc", "alloca", "aligned_alloc"];
    let unset = |func: FuncId| {
        let function = &program.funcs[func];
        let name = function.name.as_str();
        let plain = name.strip_prefix("__builtin_").unwrap_or(name);
        let Some(body) = &function.body else {
            let known = name.starts_with("__VERIFIER_") || name.starts_with("__cwolf_");
            let quiet = [
                "calloc",
                "free",
                "abort",
                "exit",
                "__assert_fail",
                "reach_error",
            ];
            return !known && !quiet.contains(&plain);
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
        ALLOCATE.contains(&plain) || lost || kept || !live[0].is_empty() || !reborn.is_empty()
    };
    let reached = CallGraph::new(program).reachable(&[entry]);
    reached.into_iter().any(unset)
}
