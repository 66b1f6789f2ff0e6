//! Why an `Assert` does not hold, with the numbers of the run.

use crate::machine::Machine;
use crate::trace::View;
use cwolf_cwi::value::Value;
use cwolf_cwi::{BinOp, BlockId, CheckId, CheckKind, Expr, ExprKind, StmtKind, UnOp};

impl Machine<'_> {
    /// What is wrong at the `Assert` that is statement `index` of a block of the current function.
    pub(crate) fn why_broken(&self, check: CheckId, block: BlockId, index: usize) -> String {
        let text = &self.program.checks[check].text;
        let kind = self.program.checks[check].kind;
        match kind {
            CheckKind::Assertion => return format!("the assertion {text} is false"),
            CheckKind::UnreachCall => {
                let text = text.replace(" is not called", " is called");
                let text = text.replace(" is not reached", " is reached");
                return text.replace(" does not return", " returns");
            }
            _ => {}
        }
        let frame = self.frames.last();
        let body = frame.and_then(|f| self.program.funcs[f.code.func].body.as_ref());
        let stmt = body.and_then(|b| b.blocks.get(block)?.stmts.get(index));
        let told = match stmt.map(|s| &s.kind) {
            Some(StmtKind::Assert { cond, .. }) => told(&View::new(self), kind, cond),
            _ => None,
        };
        told.unwrap_or_else(|| format!("violated: {text}"))
    }
}

fn told(view: &View<'_, '_>, kind: CheckKind, cond: &Expr) -> Option<String> {
    let int = |e: &Expr| match view.eval(e)? {
        Value::Int(v) => Some(v),
        Value::Float(_) => None,
    };
    match &cond.kind {
        // What is demanded where the left side lets it.
        ExprKind::Binary(BinOp::Or, _, inner) => told(view, kind, inner),
        ExprKind::Binary(BinOp::Ne, ..) if kind == CheckKind::DivisionByZero => {
            Some("division by zero".into())
        }
        ExprKind::Binary(BinOp::Lt, index, limit) => {
            // The comparison is of unsigned numbers; people want to see the sign.
            let index = match &index.kind {
                ExprKind::Cast(inner) => inner,
                _ => index,
            };
            let (n, limit) = (int(index)?, int(limit)?);
            Some(match kind {
                CheckKind::Bounds => format!("index {n} of an array of {limit} elements"),
                _ => format!("a shift by {n} of a number of {limit} bits"),
            })
        }
        ExprKind::Fits(e) => {
            let words = match &e.kind {
                ExprKind::Binary(op, a, b) => {
                    format!("{} {} {}", int(a)?, op.symbol(), int(b)?)
                }
                ExprKind::Unary(UnOp::Neg, a) => format!("-({})", int(a)?),
                _ => return None,
            };
            let ty = view.program().types.as_int(e.ty)?;
            let sign = if ty.signed { "signed" } else { "unsigned" };
            Some(format!("{words} does not fit in {} {sign} bits", ty.bits))
        }
        _ => None,
    }
}
