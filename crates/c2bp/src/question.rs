//! What an invariant over predicates says about other conditions.

use crate::cubes::Prover;
use crate::effects::Effects;
use crate::encode::Encoder;
use crate::options::Options;
use crate::procedure::variable_name;
use cwolf_base::Exhausted;
use cwolf_boolprog::{Expr as BExpr, ProcId, Program as BProgram};
use cwolf_cwi::graph::Analysed;
use cwolf_cwi::{Expr, FuncId, Predicate};
use cwolf_logic::{Term, Terms};

/// Whether `invariant`, over the variables of the procedure `proc` that was made of `func`, implies
/// a condition on the C program.
///
/// # Errors
/// When the budget ran out.
pub fn implies(
    program: &Analysed,
    predicates: &[Predicate],
    options: &Options,
    (func, made, proc): (FuncId, &BProgram, ProcId),
    invariant: &BExpr,
    condition: &Expr,
) -> Result<bool, Exhausted> {
    let points_to = program.points_to_with(options.alias);
    let calls = program.calls_with(options.alias);
    let effects = Effects::new(program, points_to, calls);
    let taken = &effects.taken;
    let mut encoder = Encoder::new(program, points_to, taken, func, options.arith, false);
    let meaning = |encoder: &mut Encoder, name: &str| {
        let named =
            |p: &&Predicate| p.scope.is_none_or(|f| f == func) && variable_name(program, p) == name;
        let found = predicates.iter().find(named);
        found.map(|p| encoder.now(&p.condition))
    };
    let mut name = |encoder: &mut Encoder, expr: &BExpr| match expr {
        BExpr::Var(v) => meaning(encoder, made.var_name(proc, *v)),
        _ => None,
    };
    let known = term(&mut encoder, invariant, true, &mut name);
    let goal = encoder.now(condition);
    Prover::new(options).follows(&encoder, known, goal)
}

/// A boolean expression as a term; what has no meaning counts as true.
fn term(
    encoder: &mut Encoder,
    expr: &BExpr,
    positive: bool,
    name: &mut dyn FnMut(&mut Encoder, &BExpr) -> Option<Term>,
) -> Term {
    match expr {
        BExpr::Const(value) => encoder.terms.bool(*value == positive),
        BExpr::Var(_) => match name(encoder, expr) {
            Some(t) if positive => t,
            Some(t) => encoder.terms.not(t),
            None => Terms::TRUE,
        },
        BExpr::Not(a) => term(encoder, a, !positive, name),
        BExpr::And(parts) | BExpr::Or(parts) => {
            let all: Vec<Term> = parts
                .iter()
                .map(|p| term(encoder, p, positive, name))
                .collect();
            match matches!(expr, BExpr::And(_)) == positive {
                true => encoder.terms.and_all(all),
                false => encoder.terms.or_all(all),
            }
        }
        // Invariants have no other forms.
        _ => Terms::TRUE,
    }
}
