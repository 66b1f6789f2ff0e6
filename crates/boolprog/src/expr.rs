//! Expressions: boolean, pure, and possibly with several values at once.

use crate::{GlobalId, LocalId};

/// A variable as a procedure names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Var {
    /// A global of the program.
    Global(GlobalId),
    /// A parameter or local of the procedure that the text stands in.
    Local(LocalId),
}

/// A boolean expression. Conjunction and disjunction take a list, because predicate abstraction
/// makes them thousands wide and a chain of pairs would be as deep.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Expr {
    /// `true` or `false`.
    Const(bool),
    /// The value of a variable.
    Var(Var),
    /// `'x`: the value of `x` after the assignment; only inside `constrain`.
    Next(Var),
    /// `!a`.
    Not(Box<Expr>),
    /// `a && b && …`, two or more.
    And(Vec<Expr>),
    /// `a || b || …`, two or more.
    Or(Vec<Expr>),
    /// `a ==> b`.
    Implies(Box<[Expr; 2]>),
    /// `a == b`.
    Equal(Box<[Expr; 2]>),
    /// `a != b`.
    Differ(Box<[Expr; 2]>),
    /// `choose(p, n)`: true if `p`, else false if `n`, else either.
    Choose(Box<[Expr; 2]>),
    /// `unknown()` or `*`: either value, a new choice at each occurrence.
    Unknown,
}

impl Expr {
    /// `true`.
    pub const TRUE: Expr = Expr::Const(true);
    /// `false`.
    pub const FALSE: Expr = Expr::Const(false);

    /// The value of a global.
    pub fn global(id: GlobalId) -> Expr {
        Expr::Var(Var::Global(id))
    }
    /// The value of a local.
    pub fn local(id: LocalId) -> Expr {
        Expr::Var(Var::Local(id))
    }
    /// `!a`, with constants and double negation folded.
    pub fn negate(a: Expr) -> Expr {
        match a {
            Expr::Const(value) => Expr::Const(!value),
            Expr::Not(inner) => *inner,
            other => Expr::Not(Box::new(other)),
        }
    }
    /// The conjunction of `parts`: nested lists flattened, constants folded.
    pub fn and(parts: impl IntoIterator<Item = Expr>) -> Expr {
        Self::fold(parts, true)
    }
    /// The disjunction of `parts`: nested lists flattened, constants folded.
    pub fn or(parts: impl IntoIterator<Item = Expr>) -> Expr {
        Self::fold(parts, false)
    }
    fn fold(parts: impl IntoIterator<Item = Expr>, conjunction: bool) -> Expr {
        let mut list = Vec::new();
        for part in parts {
            match part {
                Expr::Const(value) if value == conjunction => {}
                Expr::Const(value) => return Expr::Const(value),
                Expr::And(inner) if conjunction => list.extend(inner),
                Expr::Or(inner) if !conjunction => list.extend(inner),
                other => list.push(other),
            }
        }
        match list.len() {
            0 => Expr::Const(conjunction),
            1 => list.pop().expect("one part"),
            _ if conjunction => Expr::And(list),
            _ => Expr::Or(list),
        }
    }
    /// `a ==> b`.
    pub fn implies(a: Expr, b: Expr) -> Expr {
        Expr::Implies(Box::new([a, b]))
    }
    /// `a == b`.
    pub fn equal(a: Expr, b: Expr) -> Expr {
        Expr::Equal(Box::new([a, b]))
    }
    /// `a != b`.
    pub fn differ(a: Expr, b: Expr) -> Expr {
        Expr::Differ(Box::new([a, b]))
    }
    /// `choose(positive, negative)`.
    pub fn choose(positive: Expr, negative: Expr) -> Expr {
        Expr::Choose(Box::new([positive, negative]))
    }
    /// The direct parts.
    pub fn children(&self) -> &[Expr] {
        match self {
            Expr::Const(_) | Expr::Var(_) | Expr::Next(_) | Expr::Unknown => &[],
            Expr::Not(a) => std::slice::from_ref(a),
            Expr::And(list) | Expr::Or(list) => list,
            Expr::Implies(pair) | Expr::Equal(pair) | Expr::Differ(pair) | Expr::Choose(pair) => {
                &pair[..]
            }
        }
    }
    /// Calls `visit` on this expression and every part of it, outermost first.
    pub fn walk<'a>(&'a self, visit: &mut impl FnMut(&'a Expr)) {
        let mut stack = vec![self];
        while let Some(expr) = stack.pop() {
            visit(expr);
            stack.extend(expr.children().iter().rev());
        }
    }
    /// Whether every valuation gives exactly one value.
    pub fn is_deterministic(&self) -> bool {
        let mut deterministic = true;
        self.walk(&mut |e| deterministic &= !matches!(e, Expr::Unknown | Expr::Choose(_)));
        deterministic
    }
    /// How deep the expression nests; a variable is 1 deep.
    pub fn depth(&self) -> usize {
        let (mut deepest, mut stack) = (0, vec![(self, 1)]);
        while let Some((expr, depth)) = stack.pop() {
            deepest = deepest.max(depth);
            stack.extend(expr.children().iter().map(|child| (child, depth + 1)));
        }
        deepest
    }
}

impl From<Var> for Expr {
    fn from(var: Var) -> Expr {
        Expr::Var(var)
    }
}
