//! Deciding several conditions of a label map at once (thesis, 3.11). An environment splits by
//! each of them, but a domain may not be able to say what a condition that fails leaves: after
//! `g == 9` failed, `minmax` may still hold 9. So the values that the conditions compare are also
//! looked at by themselves: a case is dropped if no value of theirs makes all of it true. Then a
//! condition and its negation leave nothing over, in any domain.

use super::eval::Context;
use super::layout::int_ty;
use super::scratch::Scratch;
use crate::domain::Kind;
use cwolf_cwi::{BinOp, Expr, ExprKind, Type, UnOp, value};
use std::cmp::Ordering;

/// With more combinations of compared values than this, none is looked at.
const MAX_SCENARIOS: usize = 4096;

/// Which conditions hold, and the environment in which that is so.
pub(crate) type Case = (Vec<bool>, Scratch);

/// A value that conditions compare: with numbers, or with another value.
struct Compared<'e> {
    left: &'e Expr,
    right: Option<&'e Expr>,
    /// The numbers in rising order; for two values the place where they are equal.
    cuts: Vec<i128>,
}

/// A condition about numbered values. A value lies below, at or above each of its cuts, so its
/// position is even between two cuts and odd at one.
enum Test {
    Constant(bool),
    Not(Box<Test>),
    All(Box<Test>, Box<Test>),
    Any(Box<Test>, Box<Test>),
    Is(usize, BinOp, i128),
}

/// One position for each compared value.
type Scenario = Vec<u32>;

#[derive(Default)]
struct Survey<'e> {
    values: Vec<Compared<'e>>,
}

impl<'e> Survey<'e> {
    fn test(&mut self, e: &'e Expr, context: &Context<'_>) -> Test {
        match &e.kind {
            ExprKind::Int(n) => Test::Constant(*n != 0),
            ExprKind::Unary(UnOp::Not, inner) => Test::Not(Box::new(self.test(inner, context))),
            ExprKind::Binary(BinOp::And, a, b) => Test::All(
                Box::new(self.test(a, context)),
                Box::new(self.test(b, context)),
            ),
            ExprKind::Binary(BinOp::Or, a, b) => Test::Any(
                Box::new(self.test(a, context)),
                Box::new(self.test(b, context)),
            ),
            // Floating numbers may be unordered.
            ExprKind::Binary(op, a, b) if op.is_comparison() && !context.is_float(a.ty) => {
                match (&a.kind, &b.kind) {
                    (_, ExprKind::Int(n)) => self.compare(a, None, *op, *n),
                    (ExprKind::Int(n), _) => self.compare(b, None, crate::domain::mirror(*op), *n),
                    _ => self.compare(a, Some(b), *op, 0),
                }
            }
            _ => self.compare(e, None, BinOp::Ne, 0),
        }
    }
    fn compare(&mut self, left: &'e Expr, right: Option<&'e Expr>, op: BinOp, n: i128) -> Test {
        let same = |v: &Compared<'_>| v.left == left && v.right == right;
        let swapped = |v: &Compared<'_>| Some(v.left) == right && v.right == Some(left);
        if let Some(at) = self.values.iter().position(same) {
            let cuts = &mut self.values[at].cuts;
            if let Err(place) = cuts.binary_search(&n) {
                cuts.insert(place, n);
            }
            return Test::Is(at, op, n);
        }
        if let Some(at) = self.values.iter().position(swapped) {
            return Test::Is(at, crate::domain::mirror(op), n);
        }
        self.values.push(Compared {
            left,
            right,
            cuts: vec![n],
        });
        Test::Is(self.values.len() - 1, op, n)
    }
    fn holds(&self, test: &Test, scenario: &Scenario) -> bool {
        match test {
            Test::Constant(truth) => *truth,
            Test::Not(inner) => !self.holds(inner, scenario),
            Test::All(a, b) => self.holds(a, scenario) && self.holds(b, scenario),
            Test::Any(a, b) => self.holds(a, scenario) || self.holds(b, scenario),
            Test::Is(at, op, n) => {
                let cut = self.values[*at].cuts.binary_search(n).expect("a known cut");
                let order = scenario[*at].cmp(&(2 * cut as u32 + 1));
                match op {
                    BinOp::Eq => order == Ordering::Equal,
                    BinOp::Ne => order != Ordering::Equal,
                    BinOp::Lt => order == Ordering::Less,
                    BinOp::Le => order != Ordering::Greater,
                    BinOp::Gt => order == Ordering::Greater,
                    _ => order != Ordering::Less,
                }
            }
        }
    }
    /// All combinations of positions that the environment allows; none if there are too many.
    fn scenarios(&self, context: &Context<'_>, env: &Scratch) -> Option<Vec<Scenario>> {
        let mut all: Vec<Scenario> = vec![Vec::new()];
        for compared in &self.values {
            let positions = compared.positions(context, env);
            if all.len() * positions.len() > MAX_SCENARIOS {
                return None;
            }
            let extend = |s: &Scenario| {
                let more = positions.iter().map(|p| {
                    let mut s = s.clone();
                    s.push(*p);
                    s
                });
                more.collect::<Vec<_>>()
            };
            all = all.iter().flat_map(extend).collect();
        }
        Some(all)
    }
}

impl Compared<'_> {
    fn positions(&self, context: &Context<'_>, env: &Scratch) -> Vec<u32> {
        let all = 0..=2 * self.cuts.len() as u32;
        let is_int = matches!(
            context.program.types[self.left.ty],
            Type::Int(_) | Type::Bool
        );
        let ty = int_ty(context.program, self.left.ty);
        if self.right.is_some() || !is_int || ty.bits > 64 {
            return all.collect();
        }
        let v = context.eval(env, self.left);
        let may_be = |position: &u32| {
            let at = *position as usize / 2;
            let (lo, hi) = match position % 2 {
                1 => (self.cuts[at], self.cuts[at]),
                _ => (
                    at.checked_sub(1)
                        .map_or(value::min(ty), |n| self.cuts[n] + 1),
                    self.cuts.get(at).map_or(value::max(ty), |n| n - 1),
                ),
            };
            lo <= hi
                && context.universe.between(ty, v, lo, hi, Kind::Free)
                    != crate::domain::Value::Bottom
        };
        all.filter(may_be).collect()
    }
}

impl Context<'_> {
    /// The cases of conditions, each a conjunction that may be empty. With `first`, those after
    /// one that holds are not asked, and count as not holding.
    pub fn cases(&self, env: Scratch, conditions: &[Vec<&Expr>], first: bool) -> Vec<Case> {
        if conditions.iter().all(Vec::is_empty) {
            let mut truths = vec![!first; conditions.len()];
            truths.iter_mut().take(1).for_each(|t| *t = true);
            return vec![(truths, env)];
        }
        let mut survey = Survey::default();
        let tests: Vec<Vec<Test>> = conditions
            .iter()
            .map(|list| list.iter().map(|e| survey.test(e, self)).collect())
            .collect();
        let scenarios = survey.scenarios(self, &env);
        let mut done = Vec::new();
        let mut todo = vec![(Vec::new(), env, scenarios)];
        while let Some((truths, env, scenarios)) = todo.pop() {
            let at = truths.len();
            let over = at == conditions.len() || (first && truths.last() == Some(&true));
            if over {
                let mut truths = truths;
                truths.resize(conditions.len(), false);
                done.push((truths, env));
                continue;
            }
            let list = &conditions[at];
            // What comes last is looked at first.
            for truth in [false, true] {
                let narrow = || match truth {
                    true => self.all_hold(&env, list),
                    false => self.one_fails(&env, list),
                };
                let left = scenarios.as_ref().map(|all| {
                    let fits =
                        |s: &&Scenario| tests[at].iter().all(|test| survey.holds(test, s)) == truth;
                    all.iter().filter(fits).cloned().collect::<Vec<_>>()
                });
                // Reading through a pointer that leads nowhere is no comparison of values.
                let impossible = left.as_ref().is_some_and(Vec::is_empty)
                    && !list.iter().any(|e| self.may_be_unreadable(&env, e));
                if !impossible && let Some(env) = narrow() {
                    let mut truths = truths.clone();
                    truths.push(truth);
                    todo.push((truths, env, left.filter(|l| !l.is_empty())));
                }
            }
        }
        done
    }
    fn all_hold(&self, env: &Scratch, conditions: &[&Expr]) -> Option<Scratch> {
        let mut env = env.clone();
        for condition in conditions {
            env = self.holds(&env, condition)?;
        }
        Some(env)
    }
    fn one_fails(&self, env: &Scratch, conditions: &[&Expr]) -> Option<Scratch> {
        let mut before = Some(env.clone());
        let mut found: Option<Scratch> = None;
        for condition in conditions {
            let Some(env) = before.take() else { break };
            if let Some(fails) = self.fails(&env, condition) {
                found = Some(match found {
                    Some(other) => self.join_envs(&other, &fails),
                    None => fails,
                });
            }
            before = self.holds(&env, condition);
        }
        found
    }
    /// The environment in which a condition of the label map holds.
    fn holds(&self, env: &Scratch, condition: &Expr) -> Option<Scratch> {
        match self.may_be_unreadable(env, condition) {
            true => self.assume_readable(env, condition),
            false => self.assume(env, condition, true),
        }
    }
    /// The environment in which it does not. One that reads through a pointer that leads nowhere
    /// does not hold.
    fn fails(&self, env: &Scratch, condition: &Expr) -> Option<Scratch> {
        match self.may_be_unreadable(env, condition) {
            true => Some(env.clone()),
            false => self.assume(env, condition, false),
        }
    }
    /// Whether an expression of a map may read where nothing is.
    pub fn may_be_unreadable(&self, env: &Scratch, e: &Expr) -> bool {
        let mut found = false;
        e.walk(&mut |e| {
            if let ExprKind::Load { place, .. } = &e.kind {
                found |= !self.is_readable(env, place);
            }
        });
        found
    }
}
