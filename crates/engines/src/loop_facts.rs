//! Facts at loop heads in the words of C.

use crate::c_text::Style;
use crate::task::Invariant;
use cwolf_base::Budget;
use cwolf_cwi::{BlockId, FuncId, LocId, Program, VarId, VarKind};
use cwolf_encode::{Cut, Encoder};
use cwolf_logic::{Answer, BitBlaster, Lit, Solver, Sort, Term, Terms};
use std::cmp::Reverse;
use std::time::Duration;

/// Facts are weeded out for so long at most.
const WEEDING: Duration = Duration::from_secs(2);

/// Facts at loop heads, each given by its number, as C expressions, where C can say them.
/// For people: conversions are not written out.
pub(crate) fn all(encoder: &Encoder<'_>, heads: &[Cut], facts: &[(usize, Term)]) -> Vec<Invariant> {
    let facts = facts.iter().filter(|f| is_named(encoder, heads, f));
    let text = |f: &(usize, Term)| (*f, Style::ALL[0].text(encoder, f.1));
    let told = facts.filter_map(|f| told(encoder, heads, text(f)));
    told.map(|(_, _, told)| told).collect()
}

/// The same for facts that hold together: without those that follow from others, as far as that is
/// found soon, and each exactly as it is.
pub(crate) fn fewest(
    encoder: &mut Encoder<'_>,
    heads: &[Cut],
    facts: &[(usize, Term)],
    budget: &Budget,
) -> Vec<Invariant> {
    let time = budget.time_left().unwrap_or(WEEDING).min(WEEDING);
    let budget = budget.clone().timeout(time);
    let mut named = Vec::new();
    for fact in facts {
        if is_named(encoder, heads, fact)
            && let Some(text) = exact(encoder, fact.1, &budget)
        {
            named.extend(told(encoder, heads, (*fact, text)));
        }
    }
    let terms = &encoder.terms;
    let mut told = Vec::new();
    for head in 0..heads.len() {
        let here = named.iter().filter(|(place, ..)| *place == head);
        let mut kept: Vec<_> = here.cloned().collect();
        // Inequalities go first, then long equations.
        kept.sort_by_key(|(_, _, told)| (told.text.contains("=="), Reverse(told.text.len())));
        let mut solver = BitBlaster::within(&budget);
        let mut lits: Vec<Lit> = kept
            .iter()
            .map(|(_, fact, _)| solver.literal(terms, *fact))
            .collect();
        let mut n = 0;
        while n < kept.len() {
            let mut question = lits.clone();
            question[n] = !question[n];
            match solver.check(terms, &question, &budget) {
                Ok(Answer::Unsat) => {
                    kept.remove(n);
                    lits.remove(n);
                }
                Ok(_) => n += 1,
                Err(_) => break,
            }
        }
        told.extend(kept.into_iter().rev().map(|(_, _, told)| told));
    }
    told
}

/// The text of a fact that says just this in C.
fn exact(encoder: &mut Encoder<'_>, fact: Term, budget: &Budget) -> Option<String> {
    for style in Style::ALL {
        let Some(said) = style.in_c(encoder, fact) else {
            continue;
        };
        let same = encoder.terms.eq(said, fact);
        let mut solver = BitBlaster::within(budget);
        let other = !solver.literal(&encoder.terms, same);
        if same == Terms::TRUE
            || solver.check(&encoder.terms, &[other], budget) == Ok(Answer::Unsat)
        {
            return Some(style.text(encoder, fact));
        }
    }
    None
}

/// Whether C has names for all that a fact speaks of.
fn is_named(encoder: &Encoder<'_>, heads: &[Cut], (head, fact): &(usize, Term)) -> bool {
    let place = heads[*head];
    let func = encoder.context_func(place.context);
    let constants = encoder.terms.constants(&[*fact]);
    let named = |c: &Term| {
        let Some(cell) = encoder.cell_of(*c) else {
            return false;
        };
        let visible = match encoder.cell_context(cell) {
            None => true,
            Some(context) => context == place.context,
        };
        let var = encoder.cell_var(cell).filter(|(_, named)| *named);
        visible
            && !encoder.is_pointer(cell)
            && var.is_some_and(|(v, _)| is_in_scope(encoder.program(), v, (func, place.block)))
            && matches!(encoder.cell_sort(cell), Sort::Bv(_))
    };
    !constants.is_empty() && constants.iter().all(named)
}

/// A fact with its text, unless that is too long.
fn told(
    encoder: &Encoder<'_>,
    heads: &[Cut],
    ((head, fact), text): ((usize, Term), String),
) -> Option<(usize, Term, Invariant)> {
    let place = heads[head];
    let short = !text.contains('…') && text.len() <= 400;
    short.then(|| {
        let told = Invariant {
            func: encoder.context_func(place.context),
            block: place.block,
            text,
        };
        (head, fact, told)
    })
}

/// Whether a variable's name means it at a loop head: it is declared before, and nothing else in
/// the function has the name.
pub fn is_in_scope(program: &Program, v: VarId, (func, head): (FuncId, BlockId)) -> bool {
    let var = &program.vars[v];
    let hidden = program
        .vars
        .enumerate()
        .any(|(w, other)| w != v && other.name == var.name && other.kind.function() == Some(func));
    if hidden {
        return false;
    }
    match var.kind {
        VarKind::Local(_) | VarKind::StaticLocal(_) => {
            var.kind.function() == Some(func) && is_before(program, var.loc, func, head)
        }
        _ => true,
    }
}

/// Whether a place comes before a loop head in the text, as far as one can tell.
fn is_before(program: &Program, loc: LocId, func: FuncId, head: BlockId) -> bool {
    let Some(body) = &program.funcs[func].body else {
        return false;
    };
    let block = &body.blocks[head];
    let head = block.stmts.first().map_or(block.loc, |s| s.loc);
    let (at, head) = (program.locations[loc], program.locations[head]);
    at.file != head.file || (at.line, at.column) <= (head.line, head.column)
}
