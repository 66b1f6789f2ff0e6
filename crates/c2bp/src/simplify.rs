//! Boolean expressions that read well.

use crate::cubes::{Cube, Strengthened};
use cwolf_boolprog::{Expr, Var};

/// A disjunction of cubes as an expression.
pub(crate) fn dnf(formula: &Strengthened, vars: &[Var]) -> Expr {
    match formula {
        Strengthened::Cubes(cubes) => Expr::or(cubes.iter().map(|c| conjunction(c, vars))),
        Strengthened::And(parts) => Expr::and(unique(parts.iter().map(|p| dnf(p, vars)))),
        Strengthened::Or(parts) => Expr::or(unique(parts.iter().map(|p| dnf(p, vars)))),
    }
}

fn unique(parts: impl Iterator<Item = Expr>) -> Vec<Expr> {
    let mut list: Vec<Expr> = Vec::new();
    for part in parts {
        if !list.contains(&part) {
            list.push(part);
        }
    }
    list
}

fn literal((n, value): (usize, bool), vars: &[Var]) -> Expr {
    match value {
        true => Expr::Var(vars[n]),
        false => Expr::negate(Expr::Var(vars[n])),
    }
}

fn conjunction(cube: &Cube, vars: &[Var]) -> Expr {
    Expr::and(cube.iter().map(|l| literal(*l, vars)))
}

/// The negation of a disjunction of cubes, each cube as an implication as in section 4.4:
/// `{x==0} ==> {*p<=0}`.
pub(crate) fn negated(formula: &Strengthened, vars: &[Var]) -> Expr {
    let Strengthened::Cubes(cubes) = formula else {
        return Expr::negate(dnf(formula, vars));
    };
    Expr::and(cubes.iter().map(|cube| match &cube[..] {
        [] => Expr::FALSE,
        [one] => Expr::negate(literal(*one, vars)),
        [first, rest @ ..] => {
            let given = Expr::and(rest.iter().map(|l| literal(*l, vars)));
            Expr::implies(given, Expr::negate(literal(*first, vars)))
        }
    }))
}

/// What `enforce` says of contradictory cubes, as in section 5.1: `!({x==1} && {x==2})`.
pub(crate) fn enforced(cubes: &[Cube], vars: &[Var]) -> Expr {
    let none = cubes.iter().map(|c| Expr::negate(conjunction(c, vars)));
    Expr::and(none)
}

/// `choose(positive, negative)`, shorter where it has only one value.
pub(crate) fn choose(positive: Expr, negative: Expr) -> Expr {
    match (&positive, &negative) {
        (Expr::Const(true), _) => Expr::TRUE,
        (Expr::Const(false), Expr::Const(true)) => Expr::FALSE,
        (Expr::Const(false), Expr::Const(false)) => Expr::Unknown,
        (p, n) if *n == Expr::negate(p.clone()) => positive,
        _ => Expr::choose(positive, negative),
    }
}
