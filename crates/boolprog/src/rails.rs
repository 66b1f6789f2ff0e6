//! The meaning of expressions. Because of `*` and `choose` an expression may have two values in one
//! state, so it is evaluated on two rails: where it may be true, and where it may be false. Every
//! occurrence of a choice is independent of the others, which makes the two rails exact. The same
//! evaluation serves valuations, decision diagrams and the exporters.

use crate::{Expr, Var};

/// Something that formulas can be evaluated in.
pub trait Algebra {
    /// A formula's value.
    type Value: Clone;
    /// What can go wrong.
    type Error;
    /// `true` or `false`.
    fn constant(&mut self, value: bool) -> Self::Value;
    /// A variable, as it is now.
    fn var(&mut self, var: Var) -> Result<Self::Value, Self::Error>;
    /// A variable, as it will be after the assignment.
    fn next(&mut self, var: Var) -> Result<Self::Value, Self::Error>;
    /// Negation.
    fn not(&mut self, a: &Self::Value) -> Result<Self::Value, Self::Error>;
    /// Conjunction.
    fn and(&mut self, a: &Self::Value, b: &Self::Value) -> Result<Self::Value, Self::Error>;
    /// Disjunction.
    fn or(&mut self, a: &Self::Value, b: &Self::Value) -> Result<Self::Value, Self::Error>;
    /// Equality.
    fn equal(&mut self, a: &Self::Value, b: &Self::Value) -> Result<Self::Value, Self::Error>;
}

/// The values that an expression may have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rails<V> {
    /// One value in each state.
    One(V),
    /// Where it may be true and where it may be false; every state is in one of them.
    Two(V, V),
}

impl<V: Clone> Rails<V> {
    /// Where the expression may have `value`.
    pub fn may_be<A: Algebra<Value = V>>(
        &self,
        algebra: &mut A,
        value: bool,
    ) -> Result<V, A::Error> {
        match (self, value) {
            (Rails::One(v), true) => Ok(v.clone()),
            (Rails::One(v), false) => algebra.not(v),
            (Rails::Two(t, _), true) => Ok(t.clone()),
            (Rails::Two(_, f), false) => Ok(f.clone()),
        }
    }
}

/// Evaluates `expr` in `algebra`.
pub fn rails<A: Algebra>(algebra: &mut A, expr: &Expr) -> Result<Rails<A::Value>, A::Error> {
    Ok(match expr {
        Expr::Const(value) => Rails::One(algebra.constant(*value)),
        Expr::Var(v) => Rails::One(algebra.var(*v)?),
        Expr::Next(v) => Rails::One(algebra.next(*v)?),
        Expr::Unknown => Rails::Two(algebra.constant(true), algebra.constant(true)),
        Expr::Not(a) => match rails(algebra, a)? {
            Rails::One(v) => Rails::One(algebra.not(&v)?),
            Rails::Two(t, f) => Rails::Two(f, t),
        },
        Expr::And(parts) => list(algebra, parts, true)?,
        Expr::Or(parts) => list(algebra, parts, false)?,
        Expr::Implies(pair) => {
            let not_a = match rails(algebra, &pair[0])? {
                Rails::One(v) => Rails::One(algebra.not(&v)?),
                Rails::Two(t, f) => Rails::Two(f, t),
            };
            let b = rails(algebra, &pair[1])?;
            join(algebra, not_a, b, false)?
        }
        Expr::Equal(pair) => equal(algebra, pair)?,
        Expr::Differ(pair) => match equal(algebra, pair)? {
            Rails::One(v) => Rails::One(algebra.not(&v)?),
            Rails::Two(t, f) => Rails::Two(f, t),
        },
        Expr::Choose(pair) => {
            // pos ? true : neg ? false : either
            let (p, n) = (rails(algebra, &pair[0])?, rails(algebra, &pair[1])?);
            let (p_true, p_false) = (p.may_be(algebra, true)?, p.may_be(algebra, false)?);
            let n_false = n.may_be(algebra, false)?;
            let either = algebra.and(&p_false, &n_false)?;
            Rails::Two(algebra.or(&p_true, &either)?, p_false)
        }
    })
}

fn list<A: Algebra>(
    algebra: &mut A,
    parts: &[Expr],
    conjunction: bool,
) -> Result<Rails<A::Value>, A::Error> {
    let mut result = Rails::One(algebra.constant(conjunction));
    for part in parts {
        let part = rails(algebra, part)?;
        result = join(algebra, result, part, conjunction)?;
    }
    Ok(result)
}

fn join<A: Algebra>(
    algebra: &mut A,
    a: Rails<A::Value>,
    b: Rails<A::Value>,
    conjunction: bool,
) -> Result<Rails<A::Value>, A::Error> {
    if let (Rails::One(a), Rails::One(b)) = (&a, &b) {
        return Ok(Rails::One(if conjunction {
            algebra.and(a, b)?
        } else {
            algebra.or(a, b)?
        }));
    }
    let (at, bt) = (a.may_be(algebra, true)?, b.may_be(algebra, true)?);
    let (af, bf) = (a.may_be(algebra, false)?, b.may_be(algebra, false)?);
    Ok(if conjunction {
        Rails::Two(algebra.and(&at, &bt)?, algebra.or(&af, &bf)?)
    } else {
        Rails::Two(algebra.or(&at, &bt)?, algebra.and(&af, &bf)?)
    })
}

fn equal<A: Algebra>(algebra: &mut A, pair: &[Expr; 2]) -> Result<Rails<A::Value>, A::Error> {
    let (a, b) = (rails(algebra, &pair[0])?, rails(algebra, &pair[1])?);
    if let (Rails::One(a), Rails::One(b)) = (&a, &b) {
        return Ok(Rails::One(algebra.equal(a, b)?));
    }
    let (at, bt) = (a.may_be(algebra, true)?, b.may_be(algebra, true)?);
    let (af, bf) = (a.may_be(algebra, false)?, b.may_be(algebra, false)?);
    let (both, neither) = (algebra.and(&at, &bt)?, algebra.and(&af, &bf)?);
    let (left, right) = (algebra.and(&at, &bf)?, algebra.and(&af, &bt)?);
    Ok(Rails::Two(
        algebra.or(&both, &neither)?,
        algebra.or(&left, &right)?,
    ))
}

/// Evaluation in one state: `now` and `after` give the values of variables.
pub struct Concrete<N, A> {
    /// The value of a variable before the assignment.
    pub now: N,
    /// The value of a variable after it.
    pub after: A,
}

impl<N: Fn(Var) -> bool, A: Fn(Var) -> bool> Algebra for Concrete<N, A> {
    type Value = bool;
    type Error = std::convert::Infallible;
    fn constant(&mut self, value: bool) -> bool {
        value
    }
    fn var(&mut self, var: Var) -> Result<bool, Self::Error> {
        Ok((self.now)(var))
    }
    fn next(&mut self, var: Var) -> Result<bool, Self::Error> {
        Ok((self.after)(var))
    }
    fn not(&mut self, a: &bool) -> Result<bool, Self::Error> {
        Ok(!a)
    }
    fn and(&mut self, a: &bool, b: &bool) -> Result<bool, Self::Error> {
        Ok(*a && *b)
    }
    fn or(&mut self, a: &bool, b: &bool) -> Result<bool, Self::Error> {
        Ok(*a || *b)
    }
    fn equal(&mut self, a: &bool, b: &bool) -> Result<bool, Self::Error> {
        Ok(a == b)
    }
}

/// Whether `expr` may have `value` in the state that `now` (and `after`) describe.
pub fn may_be(
    expr: &Expr,
    value: bool,
    now: impl Fn(Var) -> bool,
    after: impl Fn(Var) -> bool,
) -> bool {
    let mut concrete = Concrete { now, after };
    let Ok(both) = rails(&mut concrete, expr);
    let Ok(result) = both.may_be(&mut concrete, value);
    result
}
