//! Statements and expressions as typed trees.

use super::{check_errors, good, only_function};
use crate::hir::{Expr, ExprKind, Scale, Stmt, StmtKind};
use cwolf_cwi::{BinOp, Definition};

fn first_expr(text: &str) -> ExprKind {
    let function = only_function(text);
    let found = function.body.into_iter().find_map(|s| match s.kind {
        StmtKind::Expr(e) | StmtKind::Return(Some(e)) => Some(e.kind),
        _ => None,
    });
    found.expect("an expression")
}

#[test]
fn main_returns_zero() {
    let function = only_function("int main(void) { }");
    let last = function.body.last().expect("a return");
    assert!(matches!(
        &last.kind,
        StmtKind::Return(Some(Expr {
            kind: ExprKind::Int(0),
            ..
        }))
    ));
}

#[test]
fn array_accesses_are_indices() {
    for text in [
        "int a[3]; int f(int i) { return a[i]; }",
        "int a[3]; int f(int i) { return *(a + i); }",
        "int a[3]; int f(int i) { return i[a]; }",
    ] {
        let ExprKind::Load(place, false) = first_expr(text) else {
            panic!("a load in {text}");
        };
        assert!(matches!(place.kind, ExprKind::Index(..)), "in {text}");
    }
    let ExprKind::Load(place, false) = first_expr("int f(int *p, int i) { return p[i]; }") else {
        panic!("a load");
    };
    assert!(matches!(place.kind, ExprKind::Deref(_)));
}

#[test]
fn volatile_is_on_the_access() {
    let text = "struct { volatile int a; int b; } s; int f(void) { return s.a; }";
    assert!(matches!(first_expr(text), ExprKind::Load(_, true)));
    let text = "volatile struct { int b[2]; } s; int f(void) { return s.b[1]; }";
    assert!(matches!(first_expr(text), ExprKind::Load(_, true)));
    let text = "void f(volatile int *p) { *p = 1; }";
    assert!(matches!(
        first_expr(text),
        ExprKind::Assign { volatile: true, .. }
    ));
    let text = "int x; void f(void) { x += 1; }";
    assert!(matches!(
        first_expr(text),
        ExprKind::AssignOp {
            volatile: false,
            op: BinOp::Add,
            ..
        }
    ));
}

#[test]
fn pointer_steps_are_scaled() {
    let text = "struct s { int a[3]; }; struct s *f(struct s *p) { return p + 2; }";
    assert!(matches!(
        first_expr(text),
        ExprKind::PtrAdd {
            scale: Scale::Const(12),
            ..
        }
    ));
    let text = "void *f(void *p) { return p - 2; }";
    assert!(matches!(
        first_expr(text),
        ExprKind::PtrAdd {
            scale: Scale::Const(1),
            ..
        }
    ));
    let text = "void f(int *p) { p++; }";
    assert!(matches!(
        first_expr(text),
        ExprKind::AssignOp {
            scale: Some(Scale::Const(4)),
            post: true,
            ..
        }
    ));
}

#[test]
fn variable_length_arrays_are_pointers() {
    let function = only_function("int f(int n) { int a[n][n + 1]; return a[1][2] + sizeof a; }");
    let declared = function
        .body
        .iter()
        .any(|s| matches!(s.kind, StmtKind::DeclareVla { .. }));
    assert!(declared);
    let sizes = function
        .body
        .iter()
        .filter(|s| matches!(s.kind, StmtKind::Expr(_)));
    assert_eq!(sizes.count(), 2, "each size is computed once");
}

#[test]
fn statement_expressions_have_values() {
    let text = "int f(int x) { return ({ int y = x; y + 1; }); }";
    assert!(matches!(
        first_expr(text),
        ExprKind::StmtExpr { value: Some(_), .. }
    ));
    let text = "void f(int x) { ({ while (x) x--; }); }";
    assert!(matches!(
        first_expr(text),
        ExprKind::StmtExpr { value: None, .. }
    ));
}

#[test]
fn labels_have_numbers() {
    let function = only_function(
        "void *f(int x) { static void *t[] = { &&b, &&a }; if (x) goto *t[x]; a: b: return &&a; }",
    );
    assert_eq!(function.labels, 2);
    assert_eq!(function.address_taken.len(), 2);
    let outcome =
        good("void f(int x) { static long d[] = { &&b - &&a }; goto *(&&a + d[x]); a: b: ; }");
    assert_eq!(outcome.var("d").init.len(), 1);
}

#[test]
fn local_labels_do_not_collide() {
    let function = only_function(
        "int f(int x) { ({ __label__ out; if (x) goto out; x = 2; out: x; });
                        ({ __label__ out; if (x) goto out; x = 3; out: x; }); return x; }",
    );
    assert_eq!(function.labels, 2);
}

#[test]
fn cleanups_follow_the_declaration() {
    let function = only_function(
        "void done(int *); void f(void) { int x __attribute__((cleanup(done))) = 1; }",
    );
    let kinds: Vec<&StmtKind> = function.body.iter().map(|s: &Stmt| &s.kind).collect();
    assert!(matches!(
        kinds[..],
        [StmtKind::Declare { .. }, StmtKind::Cleanup(_)]
    ));
}

#[test]
fn assembly_is_noted() {
    let outcome = good(
        "void f(int x) { __asm__(\"nop\" : \"+r\"(x)); __asm__ volatile(\"\" ::: \"memory\"); }",
    );
    assert_eq!(outcome.program.notes.len(), 1);
    assert!(
        outcome.program.notes[0]
            .text
            .contains("its outputs are unknown")
    );
}

#[test]
fn conditions_fold() {
    let function =
        only_function("int x; void f(void) { while (1) if (sizeof(int) == 4 || x) break; }");
    let StmtKind::While { cond, body } = &function.body[0].kind else {
        panic!("a loop");
    };
    assert!(matches!(cond.kind, ExprKind::Int(1)));
    let StmtKind::If { cond, .. } = &body.kind else {
        panic!("a condition");
    };
    assert!(matches!(cond.kind, ExprKind::Int(1)));
}

#[test]
fn calls_know_when_they_do_not_return() {
    let text = "void die(void) __attribute__((noreturn)); void f(void) { die(); }";
    assert!(matches!(
        first_expr(text),
        ExprKind::Call { noreturn: true, .. }
    ));
}

#[test]
fn weak_functions_may_be_absent() {
    let text =
        "extern void w(void) __attribute__((weak)); int f(void) { if (w) return 1; return 0; }";
    let outcome = good(text);
    let StmtKind::If { cond, .. } = &outcome.functions[0].body[0].kind else {
        panic!("a condition");
    };
    assert!(!matches!(cond.kind, ExprKind::Int(_)));
    assert_eq!(outcome.func("w").definition, Definition::Declared);
}

/// What C does not define stays an operator, so that checks see it.
#[test]
fn undefined_arithmetic_is_not_folded() {
    let value = |e: &str| {
        let outcome = good(&format!("int f(void) {{ return (int)({e}); }}"));
        let StmtKind::Return(Some(e)) = &outcome.functions[0].body[0].kind else {
            panic!("a return with a value");
        };
        matches!(e.kind, ExprKind::Int(_))
    };
    for kept in [
        "0x7fffffff + 1",
        "-0x7fffffff - 2",
        "65536 * 32768",
        "1 << 31",
        "1 << 40",
        "1 >> -1",
        "-1 << 1",
        "1 / 0",
        "5 % 0",
        "(-0x7fffffff - 1) / -1",
        "(-0x7fffffff - 1) % -1",
        "-(-0x7fffffff - 1)",
        "1u % 0u",
        "(0x7fffffff + 1) * 0",
        "1e20",
        "2 > 1 ? 0x7fffffff + 1 : 0",
    ] {
        assert!(!value(kept), "{kept} is folded");
    }
    for folded in [
        "0x7fffffff + 1u",
        "1u << 31",
        "-0x7fffffff - 1",
        "7 / 2",
        "2 > 1 ? 3 : 1 / 0",
        "0 && 1 / 0",
        "sizeof(1 << 31)",
        "(char)300",
        "1e3",
    ] {
        assert!(value(folded), "{folded} is not folded");
    }
}

/// Where C insists on a constant, gcc computes what wraps and refuses what has no value.
#[test]
fn constants_that_overflow() {
    let outcome = good(
        "enum { A = 0x7fffffff + 1, B = -(1 << 31), C = (1 << 31) < 0 ? 3 : 4,
                D = (1 << 31) && 0 };
         int a = A, b = B, c = C, d = 0x7fffffff * 2 + 1;
         struct s { int x : (1 << 31) < 0 ? 5 : 6; };
         int size[(0x7fffffff + 1 < 0) + 1];
         int f(int x) { switch (x) { case 1 << 31: return 1; } return 0; }",
    );
    let overflow = "the result does not fit in its type 'int'";
    let said = |line: u32| format!("{line}: {overflow}");
    let lines = [1, 3, 5].map(said);
    assert_eq!(outcome.warnings, lines);
    for (name, value) in [
        ("a", -0x8000_0000),
        ("b", -0x8000_0000),
        ("c", 3),
        ("d", -1),
    ] {
        let init = &outcome.var(name).init[0].value;
        assert_eq!(*init, cwolf_cwi::InitValue::Int(value), "{name}");
    }
    check_errors(
        "enum { A = 1 / 0 };",
        &["1: an enumerator's value must be a constant"],
    );
    check_errors(
        "int x = 5 % 0;",
        &["1: the initialiser of a static object must be a constant"],
    );
    check_errors(
        "int a[1 << 31];",
        &["1: an array's size cannot be negative"],
    );
}
