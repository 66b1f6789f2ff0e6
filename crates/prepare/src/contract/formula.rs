//! Conditions of contracts as code. A condition that reads memory only under a guard (`0 <= i < n ==> a[i] > 0`) is a branch, since CWI evaluates both
//! operands of `&&` and `||`.
//!
//! `\forall` over a range that is not known is asserted for one number, which is chosen when the function begins and never changes: whatever number
//! breaks the condition, some run chooses it. All quantified clauses of a function share these numbers, so that a loop invariant speaks of the
//! element that the postcondition asks about. `\exists` is asserted by a search through its range.

use super::terms::{Scope, conjuncts, local, memory_test, plain, replaced};
use crate::start::chained;
use crate::variable::assign_unknown;
use cwolf_cwi::{
    BinOp, Block, BlockId, Body, Branch, Check, CheckKind, Expr, FuncId, LocId, Place, Program,
    Stmt, StmtKind, Type, TypeId, VarId,
};

/// How many instances of a quantified condition are written out.
const INSTANCES: i64 = 64;

/// A part of a condition.
#[derive(Clone, Debug)]
pub(super) enum Formula {
    /// A test in C.
    Test(Expr),
    /// If the guards hold, one after the other, so does the body; for every choice of the numbers of the scope if `all` is set.
    Guarded {
        all: bool,
        guards: Vec<Expr>,
        body: Vec<Formula>,
    },
    /// The body holds for some number from `low` on that passes `below`.
    Exists {
        var: VarId,
        low: Expr,
        below: Expr,
        body: Vec<Expr>,
    },
}

impl Formula {
    /// All expressions in it.
    pub(super) fn for_each_expr_mut(&mut self, visit: &mut dyn FnMut(&mut Expr)) {
        match self {
            Formula::Test(test) => visit(test),
            Formula::Guarded { guards, body, .. } => {
                guards.iter_mut().for_each(&mut *visit);
                body.iter_mut().for_each(|f| f.for_each_expr_mut(visit));
            }
            Formula::Exists {
                low, below, body, ..
            } => {
                visit(low);
                visit(below);
                body.iter_mut().for_each(&mut *visit);
            }
        }
    }
}

/// The formulas whose conjunction a clause is, each to be asserted or assumed after those before it.
pub(super) fn formulas(
    program: &mut Program,
    func: FuncId,
    text: &str,
    scope: &mut Scope,
) -> Result<Vec<Formula>, String> {
    let mut all = Vec::new();
    for part in conjuncts(text) {
        let part = without_parentheses(part);
        if let Some(instances) = instances(part) {
            for instance in instances {
                all.extend(formulas(program, func, &instance, scope)?);
            }
        } else if let Some(rest) = part.strip_prefix("\\forall") {
            all.push(for_all(program, func, rest, scope)?);
        } else if let Some(rest) = part.strip_prefix("\\exists") {
            all.push(exists(program, func, rest, scope)?);
        } else if let Some((guard, body)) = implication(part) {
            all.push(Formula::Guarded {
                all: false,
                guards: tests(program, func, guard, scope)?,
                body: formulas(program, func, body, scope)?,
            });
        } else if conjuncts(part).len() > 1 {
            all.extend(formulas(program, func, part, scope)?);
        } else {
            let list = tests(program, func, part, scope)?;
            all.extend(list.into_iter().map(Formula::Test));
        }
    }
    Ok(all)
}

/// A conjunction of tests without quantifiers.
fn tests(
    program: &mut Program,
    func: FuncId,
    text: &str,
    scope: &mut Scope,
) -> Result<Vec<Expr>, String> {
    let mut all = Vec::new();
    for part in conjuncts(text) {
        if part.contains("\\forall") || part.contains("\\exists") {
            return Err(format!("`{part}` has a quantifier where none is followed"));
        }
        if let Some((left, right)) = chained(part) {
            all.push(plain(program, func, &left, scope)?);
            all.push(plain(program, func, &right, scope)?);
        } else if let Some(test) = memory_test(program, func, part)? {
            all.extend(test);
        } else {
            all.push(plain(program, func, part, scope)?);
        }
    }
    Ok(all)
}

/// The type and the names that a quantifier binds, and what it says of them.
fn binder(text: &str) -> Result<(Vec<String>, &str), String> {
    let unread = || "write a quantifier as `\\forall integer i; 0 <= i < n ==> …`".to_owned();
    let (binder, rest) = text.split_once(';').ok_or_else(unread)?;
    let (_, names) = binder
        .trim()
        .split_once(char::is_whitespace)
        .ok_or_else(unread)?;
    let names: Vec<String> = names.split(',').map(|n| n.trim().to_owned()).collect();
    let word = |n: &String| n.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    match names.iter().all(|n| !n.is_empty() && word(n)) {
        true => Ok((names, rest.trim())),
        false => Err(unread()),
    }
}

fn for_all(
    program: &mut Program,
    func: FuncId,
    text: &str,
    scope: &mut Scope,
) -> Result<Formula, String> {
    let (names, rest) = binder(text)?;
    let mut rest = rest.to_owned();
    for (n, name) in names.iter().enumerate() {
        while scope.any.len() <= n {
            let number = number(program);
            let fresh = format!("__cwolf_any{}", scope.any.len());
            let var = local(program, func, &fresh, number);
            scope.any.push(var);
        }
        rest = replaced(&rest, name, &program.vars[scope.any[n]].name.clone());
    }
    let (guard, body) = implication(&rest).ok_or("\\forall needs a range and `==>`")?;
    Ok(Formula::Guarded {
        all: true,
        guards: tests(program, func, guard, scope)?,
        body: formulas(program, func, body, scope)?,
    })
}

fn exists(
    program: &mut Program,
    func: FuncId,
    text: &str,
    scope: &mut Scope,
) -> Result<Formula, String> {
    let (names, rest) = binder(text)?;
    let [name] = names.as_slice() else {
        return Err("\\exists binds one name at a time here".into());
    };
    let unread = || "\\exists needs a range: `\\exists integer i; 0 <= i < n && …`".to_owned();
    let number = number(program);
    let fresh = format!("__cwolf_some{}", scope.some);
    scope.some += 1;
    let var = local(program, func, &fresh, number);
    let rest = replaced(rest, name, &fresh);
    let parts = conjuncts(&rest);
    let (range, body) = parts.split_first().ok_or_else(unread)?;
    let (low, below) = chained(range).ok_or_else(unread)?;
    let (low, strict) = match low.split_once("<=") {
        Some((low, of)) if of.trim() == fresh => (low.to_owned(), 0),
        _ => match low.split_once('<') {
            Some((low, of)) if of.trim() == fresh => (low.to_owned(), 1),
            _ => return Err(unread()),
        },
    };
    let low = Expr::cast(number, plain(program, func, &low, scope)?);
    let low = Expr::binary(BinOp::Add, low, Expr::int(number, strict));
    let below = plain(program, func, &below, scope)?;
    let body = tests(program, func, &body.join(" && "), scope)?;
    Ok(Formula::Exists {
        var,
        low,
        below,
        body,
    })
}

/// The type that stands for `integer`: all numbers that indices can be.
fn number(program: &mut Program) -> TypeId {
    let word = program.target().word(true);
    program.types.intern(Type::Int(word))
}

/// Both sides of the first `==>` outside of parentheses; none behind a weaker word.
fn implication(text: &str) -> Option<(&str, &str)> {
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            '=' if depth == 0 && text[at..].starts_with("==>") => {
                return Some((text[..at].trim(), text[at + 3..].trim()));
            }
            '\\' if depth == 0
                && (text[at..].starts_with("\\forall") || text[at..].starts_with("\\exists")) =>
            {
                return None;
            }
            _ => {}
        }
    }
    None
}

/// The text without parentheses around all of it.
fn without_parentheses(text: &str) -> &str {
    let text = text.trim();
    let Some(inside) = text.strip_prefix('(').and_then(|t| t.strip_suffix(')')) else {
        return text;
    };
    let mut depth = 0;
    for c in inside.chars() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth < 0 {
            return text;
        }
    }
    without_parentheses(inside)
}

/// The instances of `\forall integer i; low <= i < high ==> condition`, if both bounds are numbers and not far apart.
fn instances(text: &str) -> Option<Vec<String>> {
    let (names, rest) = binder(text.strip_prefix("\\forall")?).ok()?;
    let [name] = names.as_slice() else {
        return None;
    };
    let (range, condition) = implication(rest)?;
    let (low, high) = chained(range)?;
    let number = |t: &str| t.trim().parse::<i64>().ok();
    let (low, low_strict) = match low.split_once("<=") {
        Some((n, _)) => (number(n)?, false),
        None => (number(low.split_once('<')?.0)?, true),
    };
    let (high, high_strict) = match high.split_once("<=") {
        Some((_, n)) => (number(n)?, false),
        None => (number(high.split_once('<')?.1)?, true),
    };
    let low = low.checked_add(i64::from(low_strict))?;
    let high = high.checked_sub(i64::from(high_strict))?;
    let near = high.checked_sub(low)? < INSTANCES;
    near.then(|| {
        (low..=high)
            .map(|n| replaced(condition, name, &format!("({n})")))
            .collect()
    })
}

/// Where code of a formula goes, and what it is for.
pub(super) struct Emitter<'p> {
    pub program: &'p mut Program,
    pub body: &'p mut Body,
    pub loc: LocId,
}

impl Emitter<'_> {
    fn stmt(&mut self, at: BlockId, kind: StmtKind) {
        let loc = self.loc;
        self.body.blocks[at].stmts.push(Stmt { loc, kind });
    }
    fn block(&mut self) -> BlockId {
        self.body.blocks.push(Block {
            stmts: Vec::new(),
            loc: self.loc,
            branch: Branch::Return(None),
        })
    }
    /// Chooses the numbers of a scope.
    pub(super) fn choose(&mut self, at: BlockId, any: &[VarId]) {
        for var in any {
            let place = Place::var(self.program.vars[*var].ty, *var);
            let stmt = assign_unknown(place, self.loc);
            self.body.blocks[at].stmts.push(stmt);
        }
    }
    /// Asserts formulas at the end of a block; where control goes on, in a block whose branch is still to be set.
    pub(super) fn assert(&mut self, mut at: BlockId, text: &str, list: &[Formula]) -> BlockId {
        for formula in list {
            at = match formula {
                Formula::Test(test) => {
                    let cond = test.clone();
                    let check = self.check(text);
                    self.stmt(at, StmtKind::Assert { check, cond });
                    at
                }
                Formula::Guarded { guards, body, .. } => {
                    let join = self.block();
                    let inside = self.guarded(at, guards, join);
                    let end = self.assert(inside, text, body);
                    self.body.blocks[end].branch = Branch::Goto(join);
                    join
                }
                Formula::Exists {
                    var,
                    low,
                    below,
                    body,
                } => {
                    let ty = self.program.vars[*var].ty;
                    let place = Place::var(ty, *var);
                    let value = Expr::load(place.clone());
                    self.stmt(at, StmtKind::Assign(place.clone(), low.clone()));
                    let (head, next, none, join) =
                        (self.block(), self.block(), self.block(), self.block());
                    self.body.blocks[at].branch = Branch::Goto(head);
                    let inside = self.guarded(head, std::slice::from_ref(below), none);
                    let found = self.guarded(inside, body, next);
                    self.body.blocks[found].branch = Branch::Goto(join);
                    let more = Expr::binary(BinOp::Add, value, Expr::int(ty, 1));
                    self.stmt(next, StmtKind::Assign(place, more));
                    self.body.blocks[next].branch = Branch::Goto(head);
                    let check = self.check(text);
                    let cond = Expr::int(ty, 0);
                    self.stmt(none, StmtKind::Assert { check, cond });
                    self.body.blocks[none].branch = Branch::Goto(join);
                    join
                }
            };
        }
        at
    }
    /// Assumes formulas; none if there is one that can only be asserted.
    pub(super) fn assume(&mut self, mut at: BlockId, list: &[Formula]) -> BlockId {
        for formula in list {
            at = match formula {
                Formula::Test(test) => {
                    self.stmt(at, StmtKind::Assume(test.clone()));
                    at
                }
                Formula::Guarded { guards, body, .. } => {
                    let join = self.block();
                    let inside = self.guarded(at, guards, join);
                    let end = self.assume(inside, body);
                    self.body.blocks[end].branch = Branch::Goto(join);
                    join
                }
                Formula::Exists {
                    var,
                    low,
                    below,
                    body,
                } => {
                    self.choose(at, &[*var]);
                    let ty = self.program.vars[*var].ty;
                    let value = Expr::load(Place::var(ty, *var));
                    let above = Expr::binary(BinOp::Le, low.clone(), value);
                    for test in [&above, below].into_iter().chain(body) {
                        self.stmt(at, StmtKind::Assume(test.clone()));
                    }
                    at
                }
            };
        }
        at
    }
    /// Goes on in a new block if all tests hold, one after the other, else at `otherwise`.
    fn guarded(&mut self, mut at: BlockId, tests: &[Expr], otherwise: BlockId) -> BlockId {
        for test in tests {
            let then = self.block();
            self.body.blocks[at].branch = Branch::If {
                cond: test.clone(),
                then,
                els: otherwise,
            };
            at = then;
        }
        at
    }
    fn check(&mut self, text: &str) -> cwolf_cwi::CheckId {
        self.program.checks.push(Check {
            kind: CheckKind::Assertion,
            loc: self.loc,
            text: text.to_owned(),
        })
    }
}

/// Whether all of it may be assumed: nothing is said of all numbers at once.
pub(super) fn may_be_assumed(list: &[Formula]) -> bool {
    list.iter().all(|f| match f {
        Formula::Guarded { all, body, .. } => !all && may_be_assumed(body),
        Formula::Test(_) | Formula::Exists { .. } => true,
    })
}
