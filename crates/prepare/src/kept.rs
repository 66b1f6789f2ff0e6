//! What the library keeps a pointer to and uses in later calls (`setvbuf`, `putenv`, `pthread_setspecific`): whether that
//! still lives then, nobody asks.

use cwolf_cwi::graph::{Call, CallGraph, Object, PointsTo};
use cwolf_cwi::{Branch, Expr, FuncId, Program};
use cwolf_known::Row;

/// What functions may use that has ended, a line for each such function. What `entry` has lasts as long as the program.
pub(crate) fn may_end(program: &Program, entry: FuncId, graph: &CallGraph) -> Vec<String> {
    let reached = graph.reachable(&[entry]);
    let keeper = |f: &FuncId| {
        let function = &program.funcs[*f];
        let row = cwolf_known::lookup(&function.name)?;
        let keeps = function.body.is_none() && !row.keeps().is_empty() && !row.starts_something();
        keeps.then_some(row)
    };
    let mut calls: Vec<(&Call, FuncId, &'static Row)> = Vec::new();
    for call in graph.calls().iter().filter(|c| reached.contains(&c.caller)) {
        let keepers = call.targets.iter().filter_map(|f| Some((*f, keeper(f)?)));
        calls.extend(keepers.map(|(f, row)| (call, f, row)));
    }
    let mut found = Vec::new();
    if calls.is_empty() {
        return found;
    }
    let frees = |f: &FuncId| {
        cwolf_known::lookup(&program.funcs[*f].name).is_some_and(|r| !r.frees().is_empty())
    };
    let frees = reached.iter().any(frees);
    let points_to = PointsTo::new(program);
    let ends = |object: &Object| match object {
        Object::Var(v) => {
            let var = &program.vars[*v];
            var.kind.is_automatic() && var.kind.function() != Some(entry)
        }
        Object::Heap(..) => frees,
        _ => false,
    };
    for (call, func, row) in calls {
        let body = program.funcs[call.caller].body.as_ref();
        let Branch::Call { args, .. } = &body.expect("it calls").blocks[call.block].branch else {
            continue;
        };
        let kept = row.keeps().into_iter().filter_map(|n| args.get(n));
        let mut kept = kept.flat_map(|arg: &Expr| {
            let direct = points_to.expr(call.caller, call.block, arg);
            let behind = direct
                .iter()
                .flat_map(|o| points_to.contents(*o))
                .collect::<Vec<_>>();
            direct.into_iter().chain(behind)
        });
        let text = format!(
            "whether what {} keeps lives as long as it is used",
            program.funcs[func].name
        );
        if kept.any(|o| ends(&o)) && !found.contains(&text) {
            found.push(text);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use cwolf_cfront::{Options, compile_text};

    fn found(body: &str) -> usize {
        let text = format!(
            "int putenv(char *); static char own[4]; void f(void) {{ char b[4]; {body} }}
            int main(void) {{ char m[4]; f(); putenv(m); return 0; }}"
        );
        let compiled = compile_text("t.c", text.as_bytes(), &Options::default());
        let program = compiled.program.expect("it compiles");
        let main = program.function("main").expect("a main");
        may_end(&program, main, &CallGraph::new(&program)).len()
    }

    #[test]
    fn locals_end_and_others_do_not() {
        assert_eq!(found("putenv(b);"), 1);
        assert_eq!(found("putenv(own); putenv(0); putenv(\"A=1\");"), 0);
    }
}
