//! Volatile variables that only the program's own steps write: flags between a driver and the code that plays its interrupts.

use crate::volatiles::taken;
use cwolf_cwi::graph::CallGraph;
use cwolf_cwi::{Expr, ExprKind, FuncId, InitValue, Linkage, Phase, Program, StmtKind, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

/// Makes variables plain that are volatile for the sake of code which runs where the program calls it: no other file and no pointer
/// knows them, the program writes them, and only functions do that run nowhere but where the program calls them. What a handler of a signal
/// or an interrupt writes, itself or in a function that it calls, a thread, or nobody in the program, stays volatile.
pub fn plain_own_volatiles(program: &mut Program, entry: FuncId) {
    let own = own(program, entry);
    if own.is_empty() {
        return;
    }
    for var in &own {
        program.vars[*var].volatile = false;
    }
    let mut change = |e: &mut Expr| {
        if let ExprKind::Load { place, volatile } = &mut e.kind
            && place.root().is_some_and(|var| own.contains(&var))
        {
            *volatile = false;
        }
    };
    for body in program.funcs.iter_mut().filter_map(|f| f.body.as_mut()) {
        for block in body.blocks.iter_mut() {
            for stmt in &mut block.stmts {
                stmt.kind
                    .for_each_expr_mut(&mut |e| e.walk_mut(&mut change));
            }
            block
                .branch
                .for_each_expr_mut(&mut |e| e.walk_mut(&mut change));
        }
    }
}

fn own(program: &Program, entry: FuncId) -> FxHashSet<VarId> {
    let mut volatile: FxHashSet<VarId> = FxHashSet::default();
    let mut known_elsewhere: FxHashSet<VarId> = FxHashSet::default();
    let mut given: FxHashSet<FuncId> = FxHashSet::default();
    let mut writers: FxHashMap<VarId, Vec<FuncId>> = FxHashMap::default();
    for (func, function) in program.funcs.ids().zip(program.funcs.iter()) {
        let Some(body) = &function.body else { continue };
        known_elsewhere.extend(taken(body));
        body.for_each_expr(&mut |e| {
            e.walk(&mut |e| match &e.kind {
                ExprKind::Load {
                    place,
                    volatile: true,
                } => volatile.extend(place.root()),
                ExprKind::FuncAddr(f) => drop(given.insert(*f)),
                _ => {}
            });
        });
        for stmt in body.blocks.iter().flat_map(|b| &b.stmts) {
            if let StmtKind::Assign(place, _) = &stmt.kind
                && let Some(var) = place.root()
            {
                writers.entry(var).or_default().push(func);
            }
        }
    }
    for item in program.vars.iter().flat_map(|v| &v.init) {
        match item.value {
            InitValue::Func(f) => drop(given.insert(f)),
            InitValue::Addr(var, _) => drop(known_elsewhere.insert(var)),
            _ => {}
        }
    }
    let startup = [Phase::Constructor, Phase::Destructor].map(|p| program.runs_in(p));
    let roots: Vec<FuncId> = [entry].into_iter().chain(startup.concat()).collect();
    let calls = CallGraph::new(program);
    let reached: FxHashSet<FuncId> = calls.reachable(&roots).into_iter().collect();
    // Code that nobody here calls, or whose address is known, may run at any time, and whatever it calls with it.
    let handlers: Vec<FuncId> = program
        .funcs
        .ids()
        .filter(|f| given.contains(f) || !reached.contains(f))
        .collect();
    let any_time: FxHashSet<FuncId> = calls.reachable(&handlers).into_iter().collect();
    volatile.retain(|var| {
        let info = &program.vars[*var];
        let hidden = info.linkage == Linkage::Internal && !info.kind.is_automatic();
        let writers = writers.get(var).map_or(&[][..], |list| list);
        let called = writers.iter().all(|f| !any_time.contains(f));
        hidden
            && !info.thread_local
            && !known_elsewhere.contains(var)
            && called
            && !writers.is_empty()
    });
    volatile
}

#[cfg(test)]
mod tests {
    use super::*;
    use cwolf_cfront::{Options, compile_text};

    /// Whether the variable `flag` is still volatile.
    fn is_open(text: &str) -> bool {
        let compiled = compile_text("t.c", text.as_bytes(), &Options::default());
        let mut program = compiled.program.expect("it compiles");
        let main = program.function("main").expect("a main function");
        plain_own_volatiles(&mut program, main);
        let found = program.vars.iter().find(|v| v.name == "flag");
        found.expect("it is there").volatile
    }

    #[test]
    fn what_only_called_functions_write_is_plain() {
        let body = "static void set(void) { flag = 1; } int main(void) { set(); return flag; }";
        assert!(!is_open(&format!("static volatile int flag; {body}")));
        assert!(is_open(&format!("volatile int flag; {body}")));
        assert!(is_open(&format!(
            "static volatile int flag; {body} void irq(void) {{ flag = 2; }}"
        )));
        let given = format!("static volatile int flag; void on(void (*)(void)); {body}");
        assert!(is_open(
            &given.replace("set(); return", "set(); on(set); return")
        ));
        // A handler that calls what the program calls, too.
        let shared = format!("static volatile int flag; void on(void (*)(void)); {body}");
        let shared = shared.replace("int main(void) {", "HANDLER { set(); } int main(void) {");
        assert!(is_open(&shared.replace("HANDLER", "void irq(void)")));
        let given = shared.replace("HANDLER", "static void h(void)");
        assert!(is_open(&given.replace("return", "on(h); return")));
        let known = "static volatile int flag; int *f(void) { return (int *)&flag; }";
        assert!(is_open(&format!("{known} {body}")));
    }

    #[test]
    fn what_nobody_writes_is_open() {
        assert!(is_open(
            "static volatile int flag; int main(void) { return flag; }"
        ));
    }
}
