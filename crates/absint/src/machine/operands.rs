//! `$1` and `$return` in rules of a label map: what a call is given, and what a function returns.
//! In the rules they stand as registers that no function has; before a rule is used they are
//! replaced by the expressions of the call or return at hand. Where there is none, nothing is known
//! of them.

use crate::map::{Event, Part, Rule, object_of, operand};
use cwolf_cwi::graph::PointsTo;
use cwolf_cwi::{
    Base, BlockId, Body, Branch, Expr, ExprKind, FuncId, Place, Program, Step, Types, VarId,
};
use std::borrow::Cow;

/// The expressions of a call or return.
#[derive(Clone, Copy)]
pub enum Operands<'e> {
    /// What a call is given.
    Arguments(&'e [Expr]),
    /// What a function returns, if that is known.
    Result(Option<&'e Expr>),
}

impl<'e> Operands<'e> {
    fn get(self, number: usize) -> Option<&'e Expr> {
        match self {
            Operands::Arguments(list) => list.get(number.checked_sub(1)?),
            Operands::Result(value) => value.filter(|_| number == 0),
        }
    }
}

/// The rules whose event happens, about these operands.
pub(super) fn about<'r>(
    types: &Types,
    rules: &'r [Rule],
    operands: Operands<'_>,
    happens: impl Fn(&Event) -> bool,
) -> Vec<Cow<'r, Rule>> {
    let rules = rules.iter().filter(|r| happens(&r.event));
    rules.map(|r| with_operands(types, r, operands)).collect()
}

/// A rule about these operands.
pub fn with_operands<'r>(types: &Types, rule: &'r Rule, operands: Operands<'_>) -> Cow<'r, Rule> {
    if !mentions_operands(rule) {
        return Cow::Borrowed(rule);
    }
    let fill = |e: &Expr| filled(types, e, operands);
    let part = |part: &Part| match part {
        Part::Value(e) => Part::Value(fill(e)),
        text => text.clone(),
    };
    Cow::Owned(Rule {
        event: rule.event.clone(),
        when: rule.when.as_ref().map(fill),
        label: rule.label.iter().map(part).collect(),
    })
}

/// A rule about the object of a type that has this address.
pub fn with_object(rule: &Rule, address: &Expr) -> Rule {
    let mut rule = rule.clone();
    let mut fill = |e: &mut Expr| {
        e.walk_mut(&mut |e| {
            if object_of(e).is_some() {
                *e = address.clone();
            }
        });
    };
    if let Event::Watch(_, Some(e)) = &mut rule.event {
        fill(e);
    }
    rule.when.iter_mut().for_each(&mut fill);
    for part in &mut rule.label {
        if let Part::Value(e) = part {
            fill(e);
        }
    }
    rule
}

/// The expressions in a rule.
pub(crate) fn values(rule: &Rule) -> impl Iterator<Item = &Expr> {
    let parts = rule.label.iter().filter_map(|part| match part {
        Part::Value(e) => Some(e),
        Part::Text(_) => None,
    });
    rule.when.iter().chain(parts)
}

/// A rule about the operands of every call or return that its event may be.
pub(crate) fn at_all_places(program: &Program, rule: &Rule) -> Vec<(FuncId, BlockId, Rule)> {
    let mut found = Vec::new();
    for (func, f) in program.funcs.enumerate() {
        let Some(body) = &f.body else { continue };
        for (block, b) in body.blocks.enumerate() {
            let operands = match (&b.branch, &rule.event) {
                (Branch::Call { args, .. }, Event::Call(_)) => Operands::Arguments(args),
                (Branch::Return(value), Event::Return(_)) => Operands::Result(value.as_ref()),
                _ => continue,
            };
            let rule = with_operands(&program.types, rule, operands);
            found.push((func, block, rule.into_owned()));
        }
    }
    found
}

/// Whether a rule speaks of arguments or results.
pub(crate) fn mentions_operands(rule: &Rule) -> bool {
    let mut found = false;
    for e in values(rule) {
        e.walk(&mut |e| found |= operand(e).is_some());
    }
    found
}

fn filled(types: &Types, e: &Expr, operands: Operands<'_>) -> Expr {
    if let Some(number) = operand(e) {
        return match operands.get(number) {
            Some(given) if given.ty == e.ty => given.clone(),
            Some(given) if types.is_scalar(given.ty) && types.is_scalar(e.ty) => Expr {
                ty: e.ty,
                kind: ExprKind::Cast(Box::new(given.clone())),
            },
            _ => e.clone(),
        };
    }
    let fill = |e: &Expr| filled(types, e, operands);
    let boxed = |e: &Expr| Box::new(fill(e));
    let place = |p: &Place| Place {
        ty: p.ty,
        base: match &p.base {
            Base::Var(var) => Base::Var(*var),
            Base::Deref(e) => Base::Deref(boxed(e)),
        },
        path: (p.path.iter())
            .map(|step| match step {
                Step::Field(n) => Step::Field(*n),
                Step::Index(e) => Step::Index(fill(e)),
            })
            .collect(),
    };
    let kind = match &e.kind {
        ExprKind::Load { place: p, volatile } => ExprKind::Load {
            place: place(p),
            volatile: *volatile,
        },
        ExprKind::AddrOf(p) => ExprKind::AddrOf(place(p)),
        ExprKind::Unary(op, a) => ExprKind::Unary(*op, boxed(a)),
        ExprKind::Binary(op, a, b) => ExprKind::Binary(*op, boxed(a), boxed(b)),
        ExprKind::Cast(a) => ExprKind::Cast(boxed(a)),
        // Maps have no other operators.
        other => other.clone(),
    };
    Expr { ty: e.ty, kind }
}

/// The variables that a pointer in a rule may lead to, wherever its event happens.
pub(super) fn pointees(
    program: &Program,
    points_to: &PointsTo,
    rule: &Rule,
    pointer: &Expr,
) -> Vec<VarId> {
    let mut objects = Vec::new();
    let mut ask = |func: FuncId, block, e: &Expr| objects.extend(points_to.expr(func, block, e));
    let mut needs_operands = false;
    pointer.walk(&mut |e| needs_operands |= operand(e).is_some());
    for (func, f) in program.funcs.enumerate() {
        let Some(body) = &f.body else { continue };
        if !needs_operands {
            // Nothing in it depends on where it is asked.
            ask(func, Body::ENTRY, pointer);
            break;
        }
        for (block, b) in body.blocks.enumerate() {
            let operands = match (&b.branch, &rule.event) {
                (Branch::Call { args, .. }, Event::Call(_)) => Operands::Arguments(args),
                (Branch::Return(value), Event::Return(_)) => Operands::Result(value.as_ref()),
                _ => continue,
            };
            ask(func, block, &filled(&program.types, pointer, operands));
        }
    }
    if objects.contains(&cwolf_cwi::graph::Object::Outside) {
        objects.extend(points_to.escaped());
    }
    let vars = objects.into_iter();
    let mut vars: Vec<VarId> = vars.flat_map(|o| o.variables(program)).collect();
    vars.sort_unstable();
    vars.dedup();
    vars
}
