//! Events that a program shows itself, where its blocks do not say which: the name is chosen at run time, or the function that shows it.

use crate::conditions::Demand;
use crate::happens::{Step, is_address_of};
use cwolf_absint::machine::literal_text;
use cwolf_cwi::{
    BinOp, Branch, Callee, Expr, ExprKind, FuncId, Place, Program, UnOp, VarId, VarKind,
};
use cwolf_lts::literal;

/// Whether a block may show an event, and it takes more than its place to know which.
pub(crate) fn is_chosen(step: &Step<'_>) -> bool {
    shower(step).is_some_and(|found| found.address.is_some() || name_of(step, found.args).is_none())
}

/// What a step demands that shows the event `label`, if that is not to be seen from its place: that the name points to this text, and
/// the function that is called shows events. Of none, that it is no such function. An error says what nobody can say.
pub(crate) fn demand(
    step: &Step<'_>,
    position: usize,
    label: Option<&str>,
) -> Result<Option<Demand>, String> {
    let Some(Shower { args, address }) = shower(step) else {
        return Ok(None);
    };
    let demand = |condition| {
        Some(Demand {
            position,
            index: step.code.stmts.len(),
            condition,
        })
    };
    let Some(label) = label else {
        return match address {
            Some(address) => Ok(demand(Expr::unary(UnOp::Not, address))),
            None => Err("an event without a label is not followed".to_owned()),
        };
    };
    let named = match name_of(step, args) {
        Some(name) if literal(&name) == label => None,
        Some(_) => return Err(format!("why `{label}` is shown is not followed exactly")),
        None => Some(args.first().and_then(|arg| {
            let texts = texts(step.question.program, label);
            let is = texts
                .into_iter()
                .map(|var| is_address(step.question.program, arg, var));
            is.reduce(|a, b| Expr::binary(BinOp::Or, a, b))
        })),
    };
    match (named, address) {
        (Some(None), _) => Err(format!(
            "`{label}` is the name of an event that the program puts together, which is not followed"
        )),
        (Some(Some(name)), Some(address)) => Ok(demand(Expr::binary(BinOp::And, address, name))),
        (Some(Some(condition)), None) | (None, Some(condition)) => Ok(demand(condition)),
        (None, None) => Ok(None),
    }
}

/// A call that may show an event.
struct Shower<'s> {
    args: &'s [Expr],
    /// That the function that is called does; none if that is certain.
    address: Option<Expr>,
}

fn shower<'s>(step: &Step<'s>) -> Option<Shower<'s>> {
    let Branch::Call { callee, args, .. } = &step.code.branch else {
        return None;
    };
    let program = step.question.program;
    let shows = |f: &FuncId| program.known(*f).is_some_and(|row| row.is_event());
    let address = match callee {
        Callee::Direct(f) => {
            return shows(f).then_some(Shower {
                args,
                address: None,
            });
        }
        Callee::Indirect(address) => address,
    };
    let (callees, _) = program.points_to().callees(step.func, step.block, callee);
    let showing = callees.into_iter().filter(shows);
    let address = showing
        .map(|f| is_address_of(address, f))
        .reduce(|a, b| Expr::binary(BinOp::Or, a, b));
    let address = Some(address?);
    Some(Shower { args, address })
}

fn name_of(step: &Step<'_>, args: &[Expr]) -> Option<String> {
    literal_text(step.question.program, args.first()?)
}

/// The string literals that are a label.
fn texts(program: &Program, label: &str) -> Vec<VarId> {
    let is = |var: &VarId| {
        let text = |v| {
            let place = Place::var(program.vars[v].ty, v);
            let ty = program.vars[v].ty;
            literal_text(
                program,
                &Expr {
                    ty,
                    kind: ExprKind::AddrOf(place),
                },
            )
        };
        program.vars[*var].kind == VarKind::Literal
            && text(*var).is_some_and(|t| literal(&t) == label)
    };
    program.vars.ids().filter(is).collect()
}

/// That a pointer leads to the start of a variable.
fn is_address(program: &Program, pointer: &Expr, var: VarId) -> Expr {
    let address = Expr {
        ty: pointer.ty,
        kind: ExprKind::AddrOf(Place::var(program.vars[var].ty, var)),
    };
    Expr::binary(BinOp::Eq, pointer.clone(), address)
}
