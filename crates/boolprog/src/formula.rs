//! Sets of states as small formulas that a person can read: irredundant sums of products (Minato
//! and Morreale) of the set and of its complement, factored, whichever is smaller.

use crate::bebop::space::Space;
use crate::{Expr, ProcId, Program, Var, names};
use oxidd::bcdd::BCDDFunction;
use oxidd::util::AllocResult;
use oxidd::{BooleanFunction, Function, HasLevel, Manager, VarNo};

/// More products than this are not readable, and may be too many to count.
const MAX_PRODUCTS: usize = 2000;
/// More steps than this are not taken to find them.
const MAX_EFFORT: usize = 100_000;

/// A formula in negation normal form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Formula {
    /// `true` or `false`.
    Const(bool),
    /// A variable, negated if the flag is false.
    Literal(Var, bool),
    /// All of them.
    And(Vec<Formula>),
    /// One of them.
    Or(Vec<Formula>),
    /// A condition that was left out because of its size; only in the outermost conjunction.
    More,
}

impl Formula {
    /// How many literals it has.
    pub fn size(&self) -> usize {
        match self {
            Formula::Const(_) | Formula::More => 0,
            Formula::Literal(..) => 1,
            Formula::And(parts) | Formula::Or(parts) => parts.iter().map(Formula::size).sum(),
        }
    }
    /// Whether nothing was left out.
    pub fn is_exact(&self) -> bool {
        match self {
            Formula::And(parts) => !parts.contains(&Formula::More),
            other => *other != Formula::More,
        }
    }
    /// As an expression; what was left out counts as true, which makes it weaker.
    pub fn to_expr(&self) -> Expr {
        match self {
            Formula::Const(value) => Expr::Const(*value),
            Formula::Literal(var, true) => Expr::Var(*var),
            Formula::Literal(var, false) => Expr::negate(Expr::Var(*var)),
            Formula::And(parts) => Expr::and(parts.iter().map(Formula::to_expr)),
            Formula::Or(parts) => Expr::or(parts.iter().map(Formula::to_expr)),
            Formula::More => Expr::TRUE,
        }
    }
    /// The text, with `literal` giving the text of a variable or its negation.
    pub fn render(&self, literal: &dyn Fn(Var, bool) -> String) -> String {
        let list = |parts: &[Formula], symbol: &str, outer_and: bool| {
            let part = |p: &Formula| match p {
                Formula::Or(_) if outer_and => format!("({})", p.render(literal)),
                Formula::And(_) if !outer_and => format!("({})", p.render(literal)),
                other => other.render(literal),
            };
            let texts: Vec<String> = parts.iter().map(part).collect();
            texts.join(symbol)
        };
        match self {
            Formula::Const(value) => value.to_string(),
            Formula::Literal(var, value) => literal(*var, *value),
            Formula::And(parts) => list(parts, " && ", true),
            Formula::Or(parts) => list(parts, " || ", false),
            Formula::More => "...".into(),
        }
    }
    /// The text over the predicates' own texts, as in `x != NULL && (a > b || y == NULL)`.
    pub fn text(&self, program: &Program, proc: ProcId) -> String {
        self.render(&|var, value| literal_text(program.var_name(proc, var), value))
    }
}

/// The text of a predicate or of its negation. A single comparison is turned around instead of
/// negated; that is right for everything that is totally ordered, so that whoever has predicates
/// on floating-point numbers renders them himself.
pub fn literal_text(name: &str, value: bool) -> String {
    if names::is_plain(name) {
        return format!("{}{name}", if value { "" } else { "!" });
    }
    match (comparison(name), value) {
        (Shape::Compare(at, op), _) => {
            let op = if value { op } else { opposite(op) };
            let (left, right) = (name[..at].trim(), name[at..].trim_start());
            let right = right.trim_start_matches(['=', '<', '>', '!']).trim();
            format!("{left} {op} {right}")
        }
        (Shape::Primary, true) => name.into(),
        (_, true) => format!("({name})"),
        (_, false) => format!("!({name})"),
    }
}

fn opposite(op: &str) -> &'static str {
    match op {
        "==" => "!=",
        "!=" => "==",
        "<=" => ">",
        ">=" => "<",
        "<" => ">=",
        _ => "<=",
    }
}

enum Shape {
    /// One comparison on the outside: its offset and operator.
    Compare(usize, &'static str),
    /// Nothing that binds less than a comparison.
    Primary,
    Other,
}

/// Looks for the one comparison outside of all brackets.
fn comparison(text: &str) -> Shape {
    const COMPARISONS: [&str; 6] = ["==", "!=", "<=", ">=", "<", ">"];
    let (mut depth, mut at, mut found) = (0i32, 0, None);
    let mut operand_expected = true;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let mut length = c.len_utf8();
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            '\'' | '"' => {
                let end = rest[1..].find(c);
                length = end.map_or(rest.len(), |n| n + 2);
            }
            _ if depth > 0 => {}
            _ if ["->", "<<", ">>"].iter().any(|s| rest.starts_with(s)) => length = 2,
            '&' if operand_expected && !rest.starts_with("&&") => {}
            '&' | '|' | '^' | '?' | ',' | ':' => return Shape::Other,
            _ => {
                if let Some(&op) = COMPARISONS.iter().find(|op| rest.starts_with(**op)) {
                    if found.is_some() {
                        return Shape::Other;
                    }
                    found = Some((at, op));
                    length = op.len();
                } else if c == '=' {
                    return Shape::Other;
                }
            }
        }
        if !c.is_whitespace() {
            operand_expected = "=<>!+-*/%(,[~".contains(c);
        }
        at += length;
    }
    match found {
        Some((at, op)) => Shape::Compare(at, op),
        None => Shape::Primary,
    }
}

/// A product, or a sum: positions in the list of variables, with signs.
type Term = Vec<(usize, bool)>;

/// Finds formulas for diagrams over known variables.
pub(crate) struct Minimiser<'s> {
    /// Diagram variables with what they stand for, in the order to print them.
    names: Vec<(VarNo, Var)>,
    space: &'s Space,
    effort: usize,
}

/// The products would be too many.
struct TooLarge;

impl<'s> Minimiser<'s> {
    pub(crate) fn new(names: Vec<(VarNo, Var)>, space: &'s Space) -> Minimiser<'s> {
        Minimiser {
            names,
            space,
            effort: 0,
        }
    }
    pub(crate) fn formula(&mut self, set: &BCDDFunction) -> AllocResult<Formula> {
        if !set.satisfiable() {
            return Ok(Formula::Const(false));
        }
        let (units, rest) = self.units(set)?;
        let mut parts: Vec<Formula> = units.iter().map(|&l| self.literal(l)).collect();
        match self.smaller(&rest)? {
            Formula::Const(true) => {}
            Formula::And(more) => parts.extend(more),
            other => parts.push(other),
        }
        Ok(match parts.len() {
            0 => Formula::Const(true),
            1 => parts.pop().expect("one part"),
            _ => Formula::And(parts),
        })
    }
    fn literal(&self, (n, value): (usize, bool)) -> Formula {
        Formula::Literal(self.names[n].1, value)
    }
    fn variable(&self, n: usize) -> AllocResult<BCDDFunction> {
        let var = self.names[n].0;
        self.space
            .yes
            .with_manager_shared(|m, _| BCDDFunction::var(m, var))
    }
    /// The literals that hold in all of `set`, and `set` without them.
    fn units(&self, set: &BCDDFunction) -> AllocResult<(Term, BCDDFunction)> {
        let mut units = Vec::new();
        let mut cube = self.space.yes.clone();
        for n in 0..self.names.len() {
            self.space.make_room();
            let var = self.variable(n)?;
            let (with, without) = (set.and(&var)?, var.imp_strict(set)?);
            let value = match (with.satisfiable(), without.satisfiable()) {
                (true, false) => true,
                (false, true) => false,
                _ => continue,
            };
            units.push((n, value));
            cube = cube.and(&if value { var } else { var.not()? })?;
        }
        let rest = set.restrict(&cube)?;
        Ok((units, rest))
    }
    /// The smaller of the factored forms of `set` as sum of products and product of sums.
    fn smaller(&mut self, set: &BCDDFunction) -> AllocResult<Formula> {
        if set.valid() {
            return Ok(Formula::Const(true));
        }
        let mut found: Option<Formula> = None;
        for conjunction in [true, false] {
            self.effort = 0;
            let cover = if conjunction { set.not()? } else { set.clone() };
            let Ok((mut terms, _)) = self.isop(&cover, &cover)? else {
                continue;
            };
            if conjunction {
                // De Morgan: the negated products of the complement are the sums of the set.
                terms.iter_mut().flatten().for_each(|l| l.1 = !l.1);
            }
            let formula = self.factor(terms, conjunction);
            if found.as_ref().is_none_or(|f| formula.size() < f.size()) {
                found = Some(formula);
            }
        }
        Ok(found.unwrap_or(Formula::More))
    }
    /// An irredundant sum of products between `lower` and `upper`, and its diagram.
    #[allow(clippy::type_complexity)]
    fn isop(
        &mut self,
        lower: &BCDDFunction,
        upper: &BCDDFunction,
    ) -> AllocResult<Result<(Vec<Term>, BCDDFunction), TooLarge>> {
        if !lower.satisfiable() {
            return Ok(Ok((Vec::new(), self.space.no.clone())));
        }
        if upper.valid() {
            return Ok(Ok((vec![Vec::new()], self.space.yes.clone())));
        }
        self.effort += 1;
        if self.effort > MAX_EFFORT {
            return Ok(Err(TooLarge));
        }
        self.space.make_room();
        let (top_l, top_u) = (top(lower), top(upper));
        let var = top_l.into_iter().chain(top_u).min().expect("not constant");
        let split = |f: &BCDDFunction, own: Option<VarNo>| match f.cofactors() {
            Some(pair) if own == Some(var) => pair,
            _ => (f.clone(), f.clone()),
        };
        let ((l1, l0), (u1, u0)) = (split(lower, top_l), split(upper, top_u));
        let Ok((c0, f0)) = self.isop(&u1.imp_strict(&l0)?, &u0)? else {
            return Ok(Err(TooLarge));
        };
        let Ok((c1, f1)) = self.isop(&u0.imp_strict(&l1)?, &u1)? else {
            return Ok(Err(TooLarge));
        };
        let left = f0.imp_strict(&l0)?.or(&f1.imp_strict(&l1)?)?;
        let Ok((c, f)) = self.isop(&left, &u0.and(&u1)?)? else {
            return Ok(Err(TooLarge));
        };
        let n = self.names.iter().position(|p| p.0 == var);
        let n = n.expect("only variables in scope are left");
        let literal = self.variable(n)?;
        let mut terms = c;
        let signed = [(c0, false), (c1, true)];
        for (list, value) in signed {
            terms.extend(list.into_iter().map(|mut term| {
                term.push((n, value));
                term
            }));
        }
        if terms.len() > MAX_PRODUCTS {
            return Ok(Err(TooLarge));
        }
        let diagram = literal.ite(&f1, &f0)?.or(&f)?;
        Ok(Ok((terms, diagram)))
    }
    /// Takes the most frequent literal out of the terms that have it, and so on. With
    /// `conjunction`, terms are sums of a product; otherwise products of a sum.
    fn factor(&self, mut terms: Vec<Term>, conjunction: bool) -> Formula {
        for term in &mut terms {
            term.sort_unstable();
        }
        terms.sort_unstable();
        terms.dedup();
        let mut outer: Vec<Formula> = Vec::new();
        while let Some(literal) = frequent(&terms) {
            let (with, without): (Vec<Term>, Vec<Term>) =
                terms.into_iter().partition(|t| t.contains(&literal));
            terms = without;
            let strip = |t: Term| t.into_iter().filter(|l| *l != literal).collect();
            let quotient: Vec<Term> = with.into_iter().map(strip).collect();
            let mut inner = vec![self.literal(literal)];
            if !quotient.iter().any(|t| t.is_empty()) {
                match (self.factor(quotient, conjunction), conjunction) {
                    (Formula::And(parts), false) | (Formula::Or(parts), true) => {
                        inner.extend(parts)
                    }
                    (other, _) => inner.push(other),
                }
            }
            outer.push(join(inner, !conjunction));
        }
        for term in terms {
            let literals = term.into_iter().map(|l| self.literal(l)).collect();
            outer.push(join(literals, !conjunction));
        }
        join(outer, conjunction)
    }
}

/// The literal that most terms share, if two or more do.
fn frequent(terms: &[Term]) -> Option<(usize, bool)> {
    let mut counts: std::collections::BTreeMap<(usize, bool), usize> = Default::default();
    for literal in terms.iter().flatten() {
        *counts.entry(*literal).or_default() += 1;
    }
    let best = counts.into_iter().rev().max_by_key(|(_, n)| *n);
    best.filter(|(_, n)| *n > 1).map(|(l, _)| l)
}

/// The parts in reading order. In a disjunction negated literals come first, because
/// `!a || b` reads as "if a then b".
fn join(mut parts: Vec<Formula>, conjunction: bool) -> Formula {
    parts.sort_by_key(|part| match part {
        Formula::Literal(var, value) => (0, !conjunction && *value, Some(*var)),
        _ => (1, false, None),
    });
    match parts.len() {
        1 => parts.pop().expect("one part"),
        0 => Formula::Const(conjunction),
        _ if conjunction => Formula::And(parts),
        _ => Formula::Or(parts),
    }
}

/// The first variable that `set` depends on.
fn top(set: &BCDDFunction) -> Option<VarNo> {
    set.with_manager_shared(|m, edge| match m.get_node(edge) {
        oxidd::Node::Inner(node) => Some(m.level_to_var(node.level())),
        oxidd::Node::Terminal(_) => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comparisons_turn_around() {
        let check = |name: &str, yes: &str, no: &str| {
            assert_eq!(literal_text(name, true), yes);
            assert_eq!(literal_text(name, false), no);
        };
        check("x", "x", "!x");
        check("curr==NULL", "curr == NULL", "curr != NULL");
        check("curr->val>v", "curr->val > v", "curr->val <= v");
        check("a <= b + 1", "a <= b + 1", "a > b + 1");
        check("&x == p", "&x == p", "&x != p");
        check("a[i < 3] >= 0", "a[i < 3] >= 0", "a[i < 3] < 0");
        check("a << 2 < b", "a << 2 < b", "a << 2 >= b");
        check("a == b && c", "(a == b && c)", "!(a == b && c)");
        check("a & 1", "(a & 1)", "!(a & 1)");
        check("*p", "*p", "!(*p)");
        check("c == '<'", "c == '<'", "c != '<'");
        check("(a < b) == c", "(a < b) == c", "(a < b) != c");
    }
}
