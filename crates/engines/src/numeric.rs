//! The numeric analysis as an engine, and what it tells the others: checks that are proved, and facts
//! at loop heads, which they prove once more before they believe them.
//!
//! Its own proof is the analysis: every state of every run lies in the states that it computed, and
//! in none of these a check fails. That is tested against the interpreter, state by state.

use crate::common;
use crate::graph::Graph;
use crate::houdini::houdini;
use crate::loop_facts::is_in_scope;
use crate::task::{Engine, Invariant, Outcome, Task, Verdict};
use cwolf_base::{Budget, Exhausted};
use cwolf_cwi::{BinOp, CheckId, Program, Type, VarKind, value};
use cwolf_encode::{CellId, operators};
use cwolf_logic::{Sort, Term};
use cwolf_numeric::{Analysis, Fact, Num, Options, Spot, Stopped};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// More facts than this are too many for a solver.
const MOST: usize = 300;
/// The part of the time that proving the facts once more may take.
const SHARE: u32 = 10;

/// Abstract interpretation of numbers.
#[derive(Clone, Copy, Debug, Default)]
pub struct Numeric;

impl Engine for Numeric {
    fn name(&self) -> &'static str {
        "numeric"
    }
    fn check(&self, task: &Task<'_>, budget: &Budget) -> Outcome {
        budget.tell(|| "numeric: states of all blocks".into());
        let verdict = match analysis(task, budget) {
            Ok(found) if found.is_safe() => common::safe(task, invariants(task, &found)),
            Ok(found) => {
                let (proved, all) = counts(task, &found);
                Verdict::unknown(format!("it proves {proved} of {all} checks"))
            }
            Err(Stopped::Exhausted(why)) => Verdict::unknown(why.to_string()),
            Err(Stopped::Incomplete(why)) => Verdict::unknown(why),
        };
        Outcome {
            verdict,
            assumptions: Vec::new(),
            predicates: Vec::new(),
        }
    }
}

/// What the analysis says about a task; computed once.
pub fn analysis(task: &Task<'_>, budget: &Budget) -> Result<Arc<Analysis>, Stopped> {
    cwolf_numeric::analysis(task.program, task.entry, &options(task), budget)
}

/// What a task asks of the analysis.
pub fn options(task: &Task<'_>) -> Options {
    let checks = &task.checks;
    Options {
        error_functions: task.error_functions.clone(),
        assertions: checks.assertions,
        checks_accesses: checks.bounds && checks.pointer,
        follow_undefined: checks.follow_undefined,
    }
}

/// What the analysis has found, if it was asked before: an engine that works by itself proves
/// everything itself.
fn known(task: &Task<'_>) -> Option<Arc<Analysis>> {
    cwolf_numeric::known(task.program, task.entry, &options(task))
}

/// The checks that need no other engine.
pub fn proved(task: &Task<'_>) -> Arc<FxHashSet<CheckId>> {
    let Some(found) = known(task) else {
        return Arc::default();
    };
    let all = task.program.checks.ids();
    Arc::new(all.filter(|c| found.holds(*c)).collect())
}

fn counts(task: &Task<'_>, found: &Analysis) -> (usize, usize) {
    let checks = &task.program.checks;
    let proved = checks.ids().filter(|c| found.holds(*c)).count();
    (proved, checks.len())
}

/// What the analysis knows at each cut of a graph and a solver proves, too: facts that hold when
/// they are first reached, and that each region keeps.
pub(crate) fn facts(
    graph: &mut Graph<'_>,
    task: &Task<'_>,
    budget: &Budget,
) -> Result<Vec<Vec<Term>>, Exhausted> {
    let nothing = vec![Vec::new(); graph.cuts.len()];
    let Some(found) = known(task) else {
        return Ok(nothing);
    };
    let mut guesses: Vec<Vec<Term>> = Vec::new();
    for n in 0..graph.cuts.len() {
        guesses.push(at_cut(graph, n, &found));
    }
    let count: usize = guesses.iter().map(Vec::len).sum();
    if count == 0 || count > MOST {
        return Ok(nothing);
    }
    let part = match budget.time_left() {
        Some(left) => budget.clone().timeout(left / SHARE),
        None => budget.clone(),
    };
    match houdini(graph, guesses, &part) {
        Ok(facts) => Ok(facts),
        Err(_) => budget.check(0).map(|()| nothing),
    }
}

/// The facts at a cut as terms over the cells that somebody reads there.
fn at_cut(graph: &mut Graph<'_>, n: usize, found: &Analysis) -> Vec<Term> {
    let cut = graph.cuts[n];
    let func = graph.encoder.context_func(cut.context);
    let Some(facts) = found.at_head(func, cut.block) else {
        return Vec::new();
    };
    let relevant = graph.relevant();
    let mut cells: FxHashMap<(cwolf_cwi::VarId, u64), CellId> = FxHashMap::default();
    for cell in relevant {
        let context = graph.encoder.cell_context(cell);
        if context.is_none_or(|c| c == cut.context)
            && graph.encoder.is_read(cell)
            && let Some(spot) = graph.encoder.cell_spot(cell)
        {
            cells.insert(spot, cell);
        }
    }
    let mut terms = Vec::new();
    for fact in facts {
        match fact {
            Fact::In(spot, num) => {
                if let Some(t) = read(graph, &cells, spot) {
                    terms.extend(within(graph, t, spot, num));
                }
            }
            Fact::AtMost([(x, minus_x), (y, minus_y)], most) => {
                let (Some(s), Some(t)) = (read(graph, &cells, x), read(graph, &cells, y)) else {
                    continue;
                };
                // Wide enough for every sum.
                let width = x.ty.bits.max(y.ty.bits) + 3;
                let s = signed(graph, s, x, *minus_x, width);
                let t = signed(graph, t, y, *minus_y, width);
                let terms_of = &mut graph.encoder.terms;
                if most.unsigned_abs() >= 1 << (width - 1) {
                    continue;
                }
                let sum = terms_of.add(s, t);
                let most = terms_of.bv(width, *most as u128);
                terms.push(terms_of.sle(sum, most));
            }
        }
    }
    terms
}

/// The constant of a number, if it is one of the same form.
fn read(
    graph: &mut Graph<'_>,
    cells: &FxHashMap<(cwolf_cwi::VarId, u64), CellId>,
    spot: &Spot,
) -> Option<Term> {
    let cell = *cells.get(&(spot.var, spot.bit))?;
    let same = graph.encoder.cell_sort(cell) == Sort::Bv(spot.ty.bits);
    let number = graph.encoder.cell_number(cell)? == (spot.ty.bits, spot.ty.signed);
    (same && number).then(|| graph.encoder.constant_of(cell))
}

fn signed(graph: &mut Graph<'_>, t: Term, spot: &Spot, minus: bool, width: u16) -> Term {
    let terms = &mut graph.encoder.terms;
    let wide = match spot.ty.signed {
        true => terms.sext(width, t),
        false => terms.zext(width, t),
    };
    if minus { terms.neg(wide) } else { wide }
}

/// What a set of numbers says of a term.
fn within(graph: &mut Graph<'_>, t: Term, spot: &Spot, num: &Num) -> Vec<Term> {
    let terms = &mut graph.encoder.terms;
    let width = spot.ty.bits;
    let number = |v: i128| v as u128 & (u128::MAX >> (128 - width));
    let mut all = Vec::new();
    if let Some(values) = num.values() {
        let each: Vec<Term> = values
            .iter()
            .map(|v| {
                let v = terms.bv(width, number(*v));
                terms.eq(t, v)
            })
            .collect();
        all.push(terms.or_all(each));
    }
    let (lo, hi) = num.bounds();
    let bounds = [
        (BinOp::Ge, lo, value::min(spot.ty)),
        (BinOp::Le, hi, value::max(spot.ty)),
    ];
    for (op, bound, own) in bounds {
        if bound != own {
            let bound = terms.bv(width, number(bound));
            all.extend(operators::compare(terms, op, spot.ty.signed, t, bound));
        }
    }
    let (zeros, ones) = num.known_bits();
    let known = u128::from(zeros | ones) & (u128::MAX >> (128 - width));
    // Bits above the bounds say nothing more.
    let low = known & ((1 << u128::from(zeros | ones).trailing_ones().min(64)) - 1);
    if low != 0 && lo != hi {
        let mask = terms.bv(width, low);
        let bits = terms.bv(width, number(i128::from(ones)) & low);
        let part = terms.bvand(t, mask);
        all.push(terms.eq(part, bits));
    }
    let (step, rem) = num.congruence();
    if step > 1 && !(step as u128).is_power_of_two() && lo >= 0 && step < 1 << 20 {
        let step = terms.bv(width, number(step));
        let rem = terms.bv(width, number(rem));
        let rest = terms.urem(t, step);
        all.push(terms.eq(rest, rem));
    }
    for v in num.left_out() {
        let v = terms.bv(width, number(*v));
        all.push(terms.ne(t, v));
    }
    all
}

/// The facts at loop heads as C says them.
fn invariants(task: &Task<'_>, found: &Analysis) -> Vec<Invariant> {
    let program: &Program = task.program;
    let mut told = Vec::new();
    for (func, block) in found.heads() {
        let named = |spot: &Spot| {
            let var = &program.vars[spot.var];
            let name = &var.name;
            let plain = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
            let kind = !matches!(var.kind, VarKind::Temp(_) | VarKind::Literal);
            let own = var.kind.function().is_none_or(|f| f == func);
            let scalar = matches!(program.types[var.ty], Type::Int(_) | Type::Bool);
            let scope = is_in_scope(program, spot.var, (func, block));
            (plain && kind && own && scalar && spot.bit == 0 && !var.volatile && scope)
                .then(|| name.clone())
        };
        let mut parts: Vec<String> = Vec::new();
        for fact in found.at_head(func, block).unwrap_or_default() {
            parts.extend(said(fact, &named));
        }
        let text = parts.join(" && ");
        if !text.is_empty() && text.len() <= 400 {
            told.push(Invariant { func, block, text });
        }
    }
    told
}

/// A fact in C, if C can say it without overflow.
fn said(fact: &Fact, named: &dyn Fn(&Spot) -> Option<String>) -> Option<String> {
    let small = |v: i128| i32::try_from(v).is_ok_and(|v| v != i32::MIN);
    match fact {
        Fact::In(spot, num) => {
            let name = named(spot)?;
            let (lo, hi) = num.bounds();
            let (min, max) = (value::min(spot.ty), value::max(spot.ty));
            if lo == hi && small(lo) {
                return Some(format!("{name} == {lo}"));
            }
            // A constant that is negative is no bound of an unsigned number.
            let mut parts = Vec::new();
            if lo != min && small(lo) {
                parts.push(format!("{lo} <= {name}"));
            }
            if hi != max && small(hi) {
                parts.push(format!("{name} <= {hi}"));
            }
            (!parts.is_empty()).then(|| parts.join(" && "))
        }
        Fact::AtMost([(x, false), (y, true)], 0) if x.ty == y.ty => {
            Some(format!("{} <= {}", named(x)?, named(y)?))
        }
        Fact::AtMost([(x, true), (y, false)], 0) if x.ty == y.ty => {
            Some(format!("{} <= {}", named(y)?, named(x)?))
        }
        Fact::AtMost(..) => None,
    }
}
