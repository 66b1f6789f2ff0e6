//! Lists that are arguments of a call: `execl(path, "sh", "-c", command, (char *)0)`.

use crate::conditions::Collector;
use crate::formats::as_pointer;
use crate::requirements::is_text;
use cwolf_cwi::{BinOp, CheckKind, Expr, ExprKind, MemoryTest, Types};

/// Demands that the arguments are strings, up to a null pointer that is one of them.
pub(crate) fn demand_list(collector: &mut Collector<'_>, args: &[Expr]) {
    // Whether the list ended before.
    let mut ended = Expr::int(Types::INT, 0);
    for arg in args {
        let Some(p) = as_pointer(collector.program, arg) else {
            let text = "the argument is a pointer, as the list's others are";
            let cond = Expr::int(Types::INT, 0);
            return collector.demand(CheckKind::Pointer, text, cond);
        };
        if is_null(&p) {
            return;
        }
        let null = Expr::binary(BinOp::Eq, p.clone(), Expr::int(p.ty, 0));
        let ends = Expr::binary(BinOp::Or, ended.clone(), null);
        if !is_text(collector.program, &p) {
            let live = Expr::memory(MemoryTest::Live, vec![p.clone()]);
            let live = Expr::binary(BinOp::Or, ends.clone(), live);
            collector.demand(CheckKind::Pointer, "the pointer is valid", live);
            let text = Expr::memory(MemoryTest::Text, vec![p.clone()]);
            let text = Expr::binary(BinOp::Or, ends.clone(), text);
            let what = "the string ends inside its object";
            collector.demand(CheckKind::Bounds, what, text);
            ended = ends;
        }
    }
    let text = "the list of arguments ends with a null pointer";
    collector.demand(CheckKind::Pointer, text, ended);
}

/// Whether a pointer is the constant null.
fn is_null(p: &Expr) -> bool {
    match &p.kind {
        ExprKind::Cast(inner) => is_null(inner),
        _ => p.as_int() == Some(0),
    }
}
