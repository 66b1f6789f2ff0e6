//! Pointers that a function reads inside of what its parameters lead to, and from variables: most code takes them for not null.

use cwolf_cwi::graph::CallGraph;
use cwolf_cwi::{Base, Expr, ExprKind, FuncId, Place, Program, Step, Type, VarId};
use cwolf_prepare::{changed_variables, undefined_variables};

/// Most clauses of this kind.
const MOST: usize = 8;

/// Clauses that these pointers are not null, as ACSL: `p->next != \null`, `*list != \null`, `table != \null`.
pub fn inner_candidates(program: &Program, graph: &CallGraph, func: FuncId) -> Vec<String> {
    let mut changed = changed_variables(program, graph, func);
    changed.extend(undefined_variables(program, graph, func));
    let mut found: Vec<String> = Vec::new();
    let body = program.funcs[func].body.iter();
    body.for_each(|body| {
        body.for_each_expr(&mut |e| {
            e.walk(&mut |e| {
                let ExprKind::Load { place, .. } = &e.kind else {
                    return;
                };
                let name = match program.types.pointee(place.ty) {
                    Some(_) => named(program, func, place, &changed),
                    None => None,
                };
                if let Some(clause) = name.map(|name| format!("{name} != \\null"))
                    && found.len() < MOST
                    && !found.contains(&clause)
                {
                    found.push(clause);
                }
            });
        });
    });
    found
}

/// Whether one clause only means something where another holds: `p->next != \null` where p is not null.
pub fn rests_on(clause: &str, other: &str) -> bool {
    let Some(name) = other.strip_suffix(" != \\null") else {
        return false;
    };
    clause.starts_with(&format!("{name}->")) || clause.starts_with(&format!("*{name} "))
}

/// How C names a place, if it is a variable that others change or define, or one step from a parameter.
fn named(program: &Program, func: FuncId, place: &Place, changed: &[VarId]) -> Option<String> {
    match (&place.base, place.path.as_slice()) {
        (Base::Var(var), []) if changed.contains(var) => {
            let name = &program.vars[*var].name;
            let same = program.vars.iter().filter(|v| v.name == *name);
            (same.count() == 1).then(|| name.clone())
        }
        (Base::Deref(pointer), path) => {
            let param = parameter(program, func, pointer)?;
            match path {
                [] => Some(format!("*{param}")),
                [Step::Field(n)] => {
                    let to = program.types.pointee(pointer.ty)?;
                    let Type::Record(record) = program.types[to] else {
                        return None;
                    };
                    let field = &program.types.records[record].fields[*n as usize];
                    (!field.name.is_empty()).then(|| format!("{param}->{}", field.name))
                }
                _ => None,
            }
        }
        _ => None,
    }
}

/// The parameter that a pointer was loaded from.
fn parameter<'p>(program: &'p Program, func: FuncId, pointer: &Expr) -> Option<&'p str> {
    let ExprKind::Load { place, .. } = &pointer.kind else {
        return None;
    };
    let var = place.as_var()?;
    let is_param = program.funcs[func].params.contains(&var);
    is_param.then(|| program.vars[var].name.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use cwolf_cfront::{Options, compile_text};

    #[test]
    fn pointers_that_are_read_suggest_clauses() {
        let text = "struct s { struct s *next, *other; char *name; }; struct s *head; int n;
            void set(struct s *s) { head = s; n = 1; }
            int f(struct s *p, char **list, int **unread) { return p->name[0] + list[0][0] + (p->next == head) + n; }";
        let compiled = compile_text("t.c", text.as_bytes(), &Options::default());
        let program = compiled.program.expect("it compiles");
        let graph = CallGraph::new(&program);
        let func = program.function("f").expect("f");
        let mut found = inner_candidates(&program, &graph, func);
        found.sort();
        let expected = ["head != \\null", "p->name != \\null", "p->next != \\null"];
        for clause in expected {
            assert!(found.contains(&clause.to_owned()), "{found:?}");
        }
        assert!(
            !found
                .iter()
                .any(|c| c.contains("unread") || c.contains("other"))
        );
        let elsewhere =
            "struct file; extern struct file *out; extern int flag; int put(struct file *);
            int f(void) { return flag ? put(out) : 0; }";
        let compiled = compile_text("t.c", elsewhere.as_bytes(), &Options::default());
        let program = compiled.program.expect("it compiles");
        let graph = CallGraph::new(&program);
        let func = program.function("f").expect("f");
        assert_eq!(inner_candidates(&program, &graph, func), ["out != \\null"]);
        assert!(rests_on("p->name != \\null", "p != \\null"));
        assert!(rests_on("*list != \\null", "list != \\null"));
        assert!(!rests_on("p->name != \\null", "q != \\null"));
        assert!(!rests_on("p->name != \\null", "p->name != \\null"));
        assert!(!rests_on("name != \\null", "p != \\null"));
    }
}
