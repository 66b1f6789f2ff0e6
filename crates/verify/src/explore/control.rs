//! Whether a program is mostly control: a machine that compares the variables of its state with constants, over and over.

use cwolf_cwi::graph::Analysed;
use cwolf_cwi::{Branch, Expr, ExprKind, FuncId};

/// With fewer tests, every engine is quick.
const FEWEST: usize = 200;
/// So many of a hundred tests have to be of that kind.
const SHARE: usize = 90;
/// So many of a hundred statements may look through a pointer: what lies there is no state of such a machine.
const POINTERS: usize = 5;

/// Whether most tests of the code that `entry` reaches compare variables with constants.
pub(super) fn is_control(program: &Analysed, entry: FuncId) -> bool {
    let (mut all, mut plain) = (0, 0);
    let (mut statements, mut pointers) = (0, 0);
    for func in program.calls().reachable(&[entry]) {
        let body = program.funcs[program.defined(func)].body.as_ref();
        for block in body.into_iter().flat_map(|b| b.blocks.iter()) {
            statements += block.stmts.len() + 1;
            block.for_each_expr(&mut |e| e.walk(&mut |e| pointers += usize::from(is_behind(e))));
            if let Branch::If { cond, .. } = &block.branch {
                all += 1;
                plain += usize::from(is_plain(cond));
            }
        }
    }
    all >= FEWEST && plain * 100 >= all * SHARE && pointers * 100 <= statements * POINTERS
}

/// Whether an expression reads through a pointer.
fn is_behind(e: &Expr) -> bool {
    matches!(&e.kind, ExprKind::Load { place, .. } if place.root().is_none())
}

/// Whether a condition is made of comparisons of variables with constants.
fn is_plain(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Unary(_, a) | ExprKind::Cast(a) => is_plain(a),
        ExprKind::Binary(op, a, b) if op.is_logical() => is_plain(a) && is_plain(b),
        ExprKind::Binary(op, a, b) if op.is_comparison() => {
            is_constant(a) && is_variable(b) || is_variable(a) && is_constant(b)
        }
        _ => is_variable(e),
    }
}

fn is_constant(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Int(_) | ExprKind::Zero => true,
        ExprKind::Unary(_, a) | ExprKind::Cast(a) => is_constant(a),
        _ => false,
    }
}

fn is_variable(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Cast(a) => is_variable(a),
        ExprKind::Reg(_) => true,
        ExprKind::Load { place, .. } => place.root().is_some() && place.path.is_empty(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::subject;

    fn found(tests: usize, test: &str) -> bool {
        let steps: String = (0..tests)
            .map(|n| format!("if ({}) a = {n};\n", test.replace('@', &n.to_string())))
            .collect();
        let text = format!(
            "extern int nd(void); extern void reach_error(void); int a, b, t[9], *p;\n\
             int main(void) {{ while (nd()) {{ {steps} }} if (a == -1) reach_error(); return 0; }}"
        );
        let subject = subject(&text);
        is_control(&subject.program, subject.entry)
    }

    #[test]
    fn control_is_variables_compared_with_constants() {
        assert!(found(300, "a == @ && b != 3"));
        assert!(!found(20, "a == @ && b != 3"));
        assert!(!found(300, "a + b == @"));
        assert!(!found(300, "t[a] == @"));
        assert!(!found(300, "a == b && b != @"));
        assert!(!found(300, "a == @) b = *p; if (a == @"));
    }
}
