//! The simplifications of Figure 1(b) of the C2BP paper, which "is not the exact output of C2BP".
//! None changes the states that come to any statement that is kept, nor what a procedure does; but a
//! way through the program may lose the `assume` that told which states take it.

use crate::{Expr, Proc, Program, Stmt, StmtId, StmtKind, Var};
use rustc_hash::FxHashMap;

/// The program as the figure would show it, and for each procedure where the statements that were
/// kept have gone.
pub fn readable(program: &Program) -> (Program, Vec<FxHashMap<StmtId, StmtId>>) {
    let (procs, kept) = program.procs.iter().map(simplified).unzip();
    let globals = program.globals.clone();
    (
        Program {
            globals,
            procs: Vec::into(procs),
        },
        kept,
    )
}

fn simplified(proc: &Proc) -> (Proc, FxHashMap<StmtId, StmtId>) {
    let mut writer = Writer {
        old: proc,
        new: Proc {
            stmts: Default::default(),
            body: Vec::new(),
            ..proc.clone()
        },
        kept: FxHashMap::default(),
    };
    let body = match proc.body.split_last() {
        Some((last, rest)) if is_plain_return(&proc.stmts[*last]) => rest,
        _ => &proc.body[..],
    };
    writer.new.body = writer.block(body);
    (writer.new, writer.kept)
}

/// The end of a procedure without results need not be told.
fn is_plain_return(stmt: &Stmt) -> bool {
    stmt.labels.is_empty() && matches!(&stmt.kind, StmtKind::Return(values) if values.is_empty())
}

struct Writer<'a> {
    old: &'a Proc,
    new: Proc,
    kept: FxHashMap<StmtId, StmtId>,
}

impl Writer<'_> {
    fn block(&mut self, block: &[StmtId]) -> Vec<StmtId> {
        block.iter().flat_map(|id| self.stmt(*id)).collect()
    }
    fn stmt(&mut self, id: StmtId) -> Vec<StmtId> {
        let stmt = &self.old.stmts[id];
        let new = self.new.stmts.push(stmt.clone());
        self.kept.insert(id, new);
        match &stmt.kind {
            StmtKind::Assign {
                targets, values, ..
            } if self.one_by_one(&stmt.kind) => {
                let mut all = vec![new];
                let assign = |(target, value): (&Var, &Expr)| StmtKind::Assign {
                    targets: vec![*target],
                    values: vec![value.clone()],
                    constrain: None,
                };
                let mut kinds = targets.iter().zip(values).map(assign);
                self.new.stmts[new].kind = kinds.next().expect("one or more targets");
                for kind in kinds {
                    all.push(self.new.stmts.push(Stmt {
                        labels: Vec::new(),
                        kind,
                        source: None,
                    }));
                }
                return all;
            }
            StmtKind::If {
                condition,
                then,
                otherwise,
            } => {
                let otherwise = match self.goes_without(condition, then, otherwise) {
                    true => &[],
                    false => &otherwise[..],
                };
                let (then, otherwise) = (self.block(then), self.block(otherwise));
                self.new.stmts[new].kind = StmtKind::If {
                    condition: condition.clone(),
                    then,
                    otherwise,
                };
            }
            StmtKind::While { condition, body } => {
                let body = self.block(body);
                self.new.stmts[new].kind = StmtKind::While {
                    condition: condition.clone(),
                    body,
                };
            }
            _ => {}
        }
        vec![new]
    }
    /// Whether a parallel assignment may be done in its order: no value reads what was written
    /// before, and `enforce` does not see the states in between.
    fn one_by_one(&self, kind: &StmtKind) -> bool {
        let StmtKind::Assign {
            targets,
            values,
            constrain: None,
        } = kind
        else {
            return false;
        };
        let reads = |value: &Expr, before: &[Var]| {
            let mut found = false;
            value.walk(&mut |e| found |= matches!(e, Expr::Var(v) if before.contains(v)));
            found
        };
        let mut pairs = values.iter().enumerate();
        self.old.enforce.is_none() && pairs.all(|(n, value)| !reads(value, &targets[..n]))
    }
    /// Whether the `assume` that is all of one branch says nothing about what comes after: the other
    /// branch changes nothing and lets through all that this one stops.
    fn goes_without(&self, condition: &Expr, then: &[StmtId], otherwise: &[StmtId]) -> bool {
        let [only] = otherwise else {
            return false;
        };
        let only = &self.old.stmts[*only];
        let StmtKind::Assume(stops) = &only.kind else {
            return false;
        };
        let mut assumed = Vec::new();
        for stmt in then.iter().map(|id| &self.old.stmts[*id]) {
            match &stmt.kind {
                // Control may come to a label from elsewhere, in other states.
                _ if !stmt.labels.is_empty() => return false,
                StmtKind::Assume(e) => assumed.push(e.clone()),
                StmtKind::Skip => {}
                _ => return false,
            }
        }
        *condition == Expr::Unknown
            && only.labels.is_empty()
            && stops.is_deterministic()
            && Expr::and(assumed) == Expr::negate(stops.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bebop::first_difference;
    use crate::testing::{Shape, random_program};
    use crate::verify;

    fn text_of(text: &str) -> String {
        let mut messages = cwolf_base::Diagnostics::default();
        let program = crate::parse(text, 0, &mut messages).expect("no errors");
        check(&program);
        readable(&program).0.to_string()
    }
    /// The same states come to every statement that is left, and to the end.
    fn check(program: &Program) {
        let (short, kept) = readable(program);
        assert_eq!(verify(&short), []);
        let mut pairs = Vec::new();
        for (proc, kept) in program.procs.ids().zip(kept) {
            let at = |(old, new): (StmtId, StmtId)| ((proc, Some(old)), (proc, Some(new)));
            pairs.extend(kept.into_iter().map(at));
            pairs.push(((proc, None), (proc, None)));
        }
        let found = first_difference(program, &short, &pairs).expect("small");
        assert_eq!(found.map(|n| pairs[n]), None, "{program}\n{short}");
    }

    #[test]
    fn what_is_shorter() {
        let text = text_of(
            "void f(bool a, bool b) { a, b = b, unknown(); if (*) { assume(a); skip; } else { assume(!a); } return; }",
        );
        assert_eq!(
            text,
            "void f(bool a, bool b) {\n  a = b;\n  b = unknown();\n  if (*) {\n    assume(a);\n    skip;\n  }\n}\n"
        );
    }

    #[test]
    fn what_must_stay() {
        for body in [
            // A swap, and a state that is never there.
            "a, b = b, a;",
            "enforce(a || b); a, b = !a, true;",
            // The other branch changes something, stops more, or is come to from elsewhere.
            "if (*) { assume(a); b = true; } else { assume(!a); }",
            "if (*) { assume(a); assume(b); } else { assume(!a); }",
            "if (*) { assume(a); L: skip; } else { assume(!a); } goto L, M; M: skip;",
            "if (*) { assume(a); } else { L: assume(!a); } goto L, M; M: skip;",
            "if (b) { assume(a); } else { assume(!a); }",
            "skip; L: return;",
        ] {
            let mut messages = cwolf_base::Diagnostics::default();
            let text = format!("void f(bool a, bool b) {{ {body} }}");
            let program = crate::parse(&text, 0, &mut messages).expect("no errors");
            check(&program);
            assert_eq!(readable(&program).0, program, "{program}");
        }
    }

    #[test]
    fn random_programs_stay_the_same() {
        let mut shorter = 0;
        for seed in 0..300 {
            let program = random_program(seed, Shape::default());
            check(&program);
            shorter += u32::from(readable(&program).0 != program);
        }
        assert!(shorter > 50, "only {shorter}");
    }
}
