//! Whether two boolean programs mean the same. Both are explored together from every valuation at
//! the entry of every procedure, in the same diagrams; then their path edges can be compared.

use super::space::{Bdd, Copy, Space, rename};
use super::{Bebop, Options, Outcome, Unknown, run};
use crate::cfg::{Graph, NodeId};
use crate::{Builder, Expr, LocalId, Proc, ProcId, Program, StmtId, StmtKind, Var};
use oxidd::BooleanFunctionQuant;
use oxidd::util::AllocResult;

/// A point of a procedure: before a statement, or after it has returned.
pub type Point = (ProcId, Option<StmtId>);

/// The first pair of points, one of `a` and one of `b`, whose path edges differ: some valuation at
/// the entry of the procedure leads to other valuations at one than at the other. Locals are the
/// same if they have the same name; those that only one of the two has do not count.
///
/// The programs must have the same globals.
///
/// # Errors
/// When the diagrams got too large.
pub fn first_difference(
    a: &Program,
    b: &Program,
    pairs: &[(Point, Point)],
) -> Result<Option<usize>, Unknown> {
    assert_eq!(a.globals, b.globals, "programs over the same globals");
    let (both, driver) = join(a, b);
    let graph = Graph::new(&both);
    let options = Options::new(driver, Vec::new());
    let offset = a.procs.len() as u32;
    run(&both, &graph, &options, |bebop| {
        if let Outcome::Unknown(reason) = bebop.outcome() {
            return Err(*reason);
        }
        for (n, (left, right)) in pairs.iter().enumerate() {
            let right = (ProcId(right.0.0 + offset), right.1);
            match same(bebop, &graph, *left, right) {
                Ok(true) => {}
                Ok(false) => return Ok(Some(n)),
                Err(_) => return Err(Unknown::Memory),
            }
        }
        Ok(None)
    })
}

/// The procedures of both programs, and one that calls each of them with any arguments.
fn join(a: &Program, b: &Program) -> (Program, ProcId) {
    let mut both = a.clone();
    let offset = a.procs.len() as u32;
    for proc in b.procs.iter() {
        let mut proc = proc.clone();
        for stmt in proc.stmts.iter_mut() {
            if let StmtKind::Call { callee, .. } = &mut stmt.kind {
                callee.0 += offset;
            }
        }
        both.procs.push(proc);
    }
    let mut driver = Builder::new("driver", 0);
    for (id, proc) in both.procs.enumerate() {
        // The way around leaves the globals as they were: any.
        driver.begin_if(Expr::Unknown);
        driver.call(Vec::new(), id, vec![Expr::Unknown; proc.params]);
        driver.end();
    }
    let driver = both.procs.push(driver.finish());
    (both, driver)
}

fn same(bebop: &Bebop, graph: &Graph, left: Point, right: Point) -> AllocResult<bool> {
    let engine = bebop.engine.as_ref().expect("a finished exploration");
    let (space, procs) = (&engine.space, &bebop.program.procs);
    let node = |(proc, stmt): Point| match stmt {
        Some(stmt) => graph.procs[proc].node(stmt),
        None => graph.procs[proc].exit,
    };
    let reach = |proc: ProcId, node: NodeId| match engine.procs.get(&proc) {
        Some(data) => data.nodes[node].reach.clone(),
        None => space.no.clone(),
    };
    let (p, q) = (left.0, right.0);
    let own =
        |proc: ProcId, other: &Proc, set: Bdd| forget_own(space, proc, &procs[proc], other, set);
    let first = own(p, &procs[q], reach(p, node(left)))?;
    let second = own(q, &procs[p], reach(q, node(right)))?;
    let mut names = Vec::new();
    for (local, name) in procs[q].locals.enumerate() {
        if let Some(counterpart) = find(&procs[p], name) {
            for copy in [Copy::Entry, Copy::Now] {
                names.push((
                    space.local(q, local, copy),
                    space.local(p, counterpart, copy),
                ));
            }
        }
    }
    Ok(first == rename(&second, &space.renaming(names))?)
}

fn find(proc: &Proc, name: &str) -> Option<LocalId> {
    let mut found = proc.locals.enumerate().filter(|(_, n)| *n == name);
    found.next().map(|(id, _)| id)
}

/// Path edges of `proc` without the locals that `other` does not have.
fn forget_own(
    space: &Space,
    proc: ProcId,
    code: &Proc,
    other: &Proc,
    set: Bdd,
) -> AllocResult<Bdd> {
    let locals = code.locals.enumerate();
    let own = locals.filter(|(_, name)| find(other, name).is_none());
    let own = own.map(|(id, _)| space.var(proc, Var::Local(id), Copy::Now));
    set.exists(&space.set(own)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program(text: &str) -> Program {
        let mut messages = cwolf_base::Diagnostics::default();
        crate::parse(text, 0, &mut messages).expect("no errors")
    }
    fn ends_differ(a: &str, b: &str) -> bool {
        let (a, b) = (program(a), program(b));
        let end = (ProcId(0), None);
        first_difference(&a, &b, &[(end, end)]).expect("small") == Some(0)
    }

    #[test]
    fn the_same_relation_in_other_words() {
        assert!(!ends_differ(
            "bool g; bool f(bool a) { bool t; t = a; g = t && g; return !t; }",
            "bool g; bool f(bool a) { if (!a) { g = false; } return choose(!a, a); }",
        ));
    }

    #[test]
    fn a_relation_is_more_than_its_values() {
        // Each value of the result is possible in both.
        assert!(ends_differ(
            "bool f(bool a) { return a; }",
            "bool f(bool a) { return !a; }"
        ));
        assert!(ends_differ(
            "bool g; void f() { g = unknown(); }",
            "bool g; void f() { skip; }"
        ));
    }

    #[test]
    fn callees_count_and_so_does_enforce() {
        let caller = "bool f(bool a) { bool r; r = h(a); return r; }";
        assert!(ends_differ(
            &format!("{caller} bool h(bool b) {{ return b; }}"),
            &format!("{caller} bool h(bool b) {{ assume(b); return b; }}"),
        ));
        assert!(ends_differ(
            "bool f(bool a, bool b) { enforce(a || b); return a; }",
            "bool f(bool a, bool b) { return a; }",
        ));
    }

    #[test]
    fn locals_go_by_name() {
        let at = |stmt| (ProcId(0), Some(StmtId(stmt)));
        let a = program("void f(bool x) { bool p, q; p, q = x, !x; skip; }");
        let b = program("void f(bool x) { bool q, t, p; q, p = !x, x; skip; }");
        assert_eq!(first_difference(&a, &b, &[(at(1), at(1))]), Ok(None));
        assert_eq!(first_difference(&a, &b, &[(at(1), at(0))]), Ok(Some(0)));
    }
}
