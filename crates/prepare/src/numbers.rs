//! Numbers that are addresses: whoever gives one to a function that nobody knows, or lets it know a variable with one,
//! gives it what lies there.

use crate::given::{holds_number, holds_pointer};
use cwolf_cwi::graph::{Call, CallGraph, Object, PointsTo};
use cwolf_cwi::{Branch, FuncId, Program, TypeId, VarId};
use rustc_hash::FxHashSet;

/// Where such numbers may be.
#[derive(Debug, Default)]
pub(crate) struct Numbers {
    /// Arguments, by function and position.
    pub(crate) args: FxHashSet<(FuncId, usize)>,
    /// Variables that code outside knows.
    pub(crate) vars: FxHashSet<VarId>,
}

/// Finds the numbers that `missing` functions may get to know.
pub(crate) fn numbers(
    program: &Program,
    missing: &[FuncId],
    visible: &[VarId],
    graph: &CallGraph,
) -> Numbers {
    let mut found = Numbers::default();
    if missing.is_empty() {
        return found;
    }
    // What has pointers in it is followed anyway.
    let only_numbers = |ty: TypeId| holds_number(program, ty) && !holds_pointer(program, ty);
    let to_missing = |call: &&Call| call.targets.iter().any(|f| missing.contains(f));
    let mut given = Vec::new();
    for call in graph.calls().iter().filter(to_missing) {
        let body = program.funcs[call.caller].body.as_ref();
        let Branch::Call { args, .. } = &body.expect("it calls").blocks[call.block].branch else {
            continue;
        };
        let args = args.iter().enumerate();
        let numbers = args.filter(|(_, e)| only_numbers(e.ty));
        given.extend(numbers.map(|(n, e)| (call, n, e)));
    }
    let vars: Vec<VarId> = visible
        .iter()
        .copied()
        .filter(|v| only_numbers(program.vars[*v].ty))
        .collect();
    if given.is_empty() && vars.is_empty() {
        return found;
    }
    let points_to = PointsTo::new(program);
    let leads = |to: Vec<Object>| to.iter().any(|object| *object != Object::Outside);
    for (call, n, arg) in given {
        if leads(points_to.expr(call.caller, call.block, arg)) {
            let targets = call.targets.iter().filter(|f| missing.contains(f));
            found.args.extend(targets.map(|f| (*f, n)));
        }
    }
    let vars = vars.into_iter().filter(|v| leads(points_to.var(*v)));
    found.vars.extend(vars);
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use cwolf_cfront::{Options, compile_text};

    #[test]
    fn only_numbers_that_come_from_addresses_count() {
        let text = "struct r { long n; int k; }; void f(unsigned long, long, struct r, ...); int x; long slot, other;
            int main(int argc, char **argv) {
                long n = argc; struct r r = {(long)&x, 1}; slot = (long)&x; other = n;
                f((unsigned long)&x + 4, n, r, 3, (long)&r, (long)argv); return slot != other; }";
        let compiled = compile_text("t.c", text.as_bytes(), &Options::default());
        let program = compiled.program.expect("it compiles");
        let func = program.function("f").expect("it is declared");
        let visible = crate::unknown::visible(&program);
        let found = numbers(&program, &[func], &visible, &CallGraph::new(&program));
        let mut args: Vec<usize> = found.args.into_iter().map(|(_, n)| n).collect();
        args.sort_unstable();
        assert_eq!(args, [0, 2, 4]);
        let names: Vec<&str> = found
            .vars
            .iter()
            .map(|v| program.vars[*v].name.as_str())
            .collect();
        assert_eq!(names, ["slot"]);
    }
}
