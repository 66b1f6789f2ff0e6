//! Witnesses of correctness: invariants that must hold, and that prove the program.

use crate::bounded::{Found, search};
use crate::induction::{Heads, Shown, prove};
use crate::place::{Places, Spot};
use crate::run::{End, Run, run};
use crate::scope::{Conditions, Wrong};
use crate::verdict::Validation;
use crate::weave::Weaver;
use crate::witness::{At, Invariant, Where};
use crate::{Task, shown};
use cwolf_base::{Budget, Exhausted};
use cwolf_cwi::graph::Analysed;
use cwolf_cwi::{
    BlockId, Branch, Check, CheckId, CheckKind, Expr, LocId, Program, Stmt, StmtKind, Types,
};
use cwolf_interp::{Random, Zeros};
use rustc_hash::FxHashMap;
use std::time::Duration;

/// A program in which the invariants are checked.
struct Checked<'w> {
    program: Analysed,
    /// The invariants by their checks.
    of: FxHashMap<CheckId, &'w Invariant>,
    heads: Heads,
    /// Why some are not checked.
    left_out: Option<Validation>,
}

/// Random runs that look for a state in which an invariant is false.
const RUNS: u64 = 200;
/// Statements of each.
const STEPS: u64 = 300_000;

/// Checks the invariants, and that they prove the program.
pub(crate) fn check(task: &Task<'_>, invariants: &[Invariant], budget: &Budget) -> Validation {
    let checked = match weave(task, invariants) {
        Ok(checked) => checked,
        Err(refused) => return refused,
    };
    if let Some(refused) = runs(task, &checked, budget) {
        return refused;
    }
    if let Some(left_out) = checked.left_out {
        return left_out;
    }
    let subject = task.subject;
    let uncovered = subject.uncovered.first().or(subject.bound.as_ref());
    if let Some(uncovered) = uncovered {
        return Validation::unknown(format!("not all runs are covered: {uncovered}"));
    }
    let half = match budget.time_left() {
        Some(left) => budget.clone().timeout(left / 2),
        None => budget.clone(),
    };
    let doubt = match prove(subject, &checked.program, &checked.heads, &half) {
        Ok(Shown::All) => {
            let what = match invariants.len() {
                0 => "the property holds without any invariant".to_owned(),
                1 => "the invariant holds and proves the property".to_owned(),
                n => format!("the {n} invariants hold and prove the property"),
            };
            return Validation::confirmed(what);
        }
        Ok(not) => doubt(&checked, not),
        Err(why) => Validation::unknown(why.to_string()),
    };
    match search(subject, &checked.program, budget) {
        Found::Fails(found) => fails(task, &checked, &found),
        Found::Nothing => Validation::confirmed("no run violates the property or an invariant"),
        Found::Unknown(_) => doubt,
    }
}

/// What induction could not show.
fn doubt(checked: &Checked<'_>, shown: Shown) -> Validation {
    let program = &checked.program;
    match shown {
        Shown::All => Validation::confirmed("it is proved"),
        Shown::Unsupported(text) => Validation::unknown(text),
        Shown::Not { check, loc, kept } => {
            let invariant = check.and_then(|c| checked.of.get(&c));
            match invariant {
                Some(i) if kept => Validation::unknown(format!(
                    "the invariants do not show that a round of the loop keeps `{}`",
                    i.condition
                ))
                .about(&i.at, i.line),
                Some(i) => Validation::unknown(format!(
                    "the invariants do not show that `{}` holds when control first reaches the loop",
                    i.condition
                ))
                .about(&i.at, i.line),
                None => {
                    let what = "the invariants do not show that the property holds here";
                    let mut unknown = Validation::unknown(what);
                    unknown.place = Some(at_loc(program, loc).into());
                    unknown
                }
            }
        }
    }
}

/// A place of the program as witnesses name it.
pub(crate) fn at_loc(program: &Program, loc: LocId) -> At {
    let loc = program.locations[loc];
    At {
        file: program.locations.file_name(loc.file).to_owned(),
        line: loc.line,
        column: Some(loc.column).filter(|c| *c > 0),
        function: None,
    }
}

/// Runs on which something is false.
fn runs(task: &Task<'_>, checked: &Checked<'_>, budget: &Budget) -> Option<Validation> {
    let left = budget.time_left().unwrap_or(Duration::from_secs(60));
    let quick = budget
        .clone()
        .timeout((left / 10).min(Duration::from_secs(3)));
    for seed in 0..RUNS {
        let limits = quick.clone().max_steps(STEPS);
        let oracle: Box<dyn cwolf_interp::Oracle> = match seed {
            0 => Box::new(Zeros),
            seed => Box::new(Random::new(seed)),
        };
        let found = run(task.subject, &checked.program, oracle, &limits);
        match found.end {
            End::Fails { .. } => return Some(fails(task, checked, &found)),
            End::Stops {
                loc: Some(loc),
                ref message,
            } => {
                if let Some(refused) = stops(checked, loc, message) {
                    return Some(refused);
                }
            }
            End::Exhausted(why) if why != Exhausted::Steps => break,
            // Without choices, all runs are this one.
            _ if found.choices.is_empty() => break,
            _ => {}
        }
    }
    None
}

/// A run on which an invariant has no value.
fn stops(checked: &Checked<'_>, loc: LocId, message: &str) -> Option<Validation> {
    let program = &checked.program;
    let mut all = checked.of.iter();
    let (_, invariant) = all.find(|(check, _)| program.checks[**check].loc == loc)?;
    let what = format!("`{}` has no value on a run: {message}", invariant.condition);
    Some(Validation::refused(what).about(&invariant.at, invariant.line))
}

/// A run that shows that the witness is wrong.
fn fails(task: &Task<'_>, checked: &Checked<'_>, found: &Run) -> Validation {
    let End::Fails {
        check,
        loc,
        message,
    } = &found.end
    else {
        return Validation::unknown("the run does not fail");
    };
    let invariant = check.and_then(|c| checked.of.get(&c));
    let mut refused = match invariant {
        Some(i) => {
            Validation::refused(format!("`{}` is false on a run", i.condition)).about(&i.at, i.line)
        }
        None => {
            let mut refused =
                Validation::refused(format!("a run violates the property: {message}"));
            refused.place = loc.map(|loc| at_loc(&checked.program, loc).into());
            refused
        }
    };
    refused.values = Some(shown(&task.subject.program.types, &found.choices));
    refused
}

/// Makes checks of the invariants.
fn weave<'w>(task: &Task<'_>, invariants: &'w [Invariant]) -> Result<Checked<'w>, Validation> {
    let subject = task.subject;
    let original: &Program = &subject.program;
    let places = Places {
        program: original,
        sources: &task.sources,
    };
    let mut program = original.clone();
    let mut conditions = Conditions::new(task.look_up);
    let mut left_out = None;
    // By spot, in order: the invariants there.
    let mut at_spots: Vec<(Spot, Vec<(CheckId, Expr)>)> = Vec::new();
    let mut of = FxHashMap::default();
    let file = program.locations.file("<witness>");
    for invariant in invariants {
        let Invariant {
            at,
            condition,
            line,
            ..
        } = invariant;
        let refused = |what: String| Validation::refused(what).about(at, *line);
        let func = places.function(at).map_err(refused)?;
        let spots = match invariant.place {
            Where::Statement => places.statement(at).map_err(refused)?,
            Where::LoopHead => match places.loop_head(at).map_err(refused)? {
                Some(spots) => spots,
                None => return Err(refused(format!("no loop begins at {at}"))),
            },
            Where::Either => match places.loop_head(at).map_err(refused)? {
                Some(spots) => spots,
                None => places.statement(at).map_err(refused)?,
            },
        };
        let scope = match invariant.place {
            Where::Statement => at.clone(),
            Where::LoopHead | Where::Either => places.in_loop(at),
        };
        let condition = match conditions.read(&mut program, &places, func, &scope, condition) {
            Ok(condition) => condition,
            Err(Wrong::NoC(what)) => {
                return Err(refused(format!(
                    "`{condition}` is not a C expression here: {what}"
                )));
            }
            Err(Wrong::Unsupported(what)) => {
                let what = format!("`{condition}` cannot be checked: {what}");
                left_out.get_or_insert(Validation::unknown(what).about(at, *line));
                continue;
            }
        };
        // A place in the witness that is each one's own.
        let number = of.len() as u32 + 1;
        let loc = program.locations.intern(cwolf_cwi::Loc {
            file,
            line: number,
            column: 0,
        });
        let check = program.checks.push(Check {
            kind: CheckKind::Assertion,
            loc,
            text: invariant.condition.clone(),
        });
        of.insert(check, invariant);
        for spot in spots {
            match at_spots.iter_mut().find(|(s, _)| *s == spot) {
                Some((_, list)) => list.push((check, condition.clone())),
                None => at_spots.push((spot, vec![(check, condition.clone())])),
            }
        }
    }
    let spots: Vec<Spot> = at_spots.iter().map(|(spot, _)| spot.clone()).collect();
    let mut weaver = Weaver {
        program: &mut program,
    };
    let gaps = weaver.open(&spots);
    let mut heads = Heads::default();
    for ((_, list), gap) in at_spots.iter().zip(gaps) {
        let Some(gap) = gap else {
            let (check, _) = &list[0];
            let invariant = of[check];
            let what = "what holds at this place cannot be checked";
            left_out.get_or_insert(Validation::unknown(what).about(&invariant.at, invariant.line));
            continue;
        };
        let mut next: BlockId = gap.to;
        for (check, condition) in list.iter().rev() {
            let loc = weaver.program.checks[*check].loc;
            let kind = StmtKind::Assert {
                check: *check,
                cond: Expr::int(Types::INT, 0),
            };
            let stmts = vec![Stmt { loc, kind }];
            let fails = weaver.block(gap.func, stmts, Branch::Goto(next), loc);
            next = weaver.test(gap.func, condition, next, fails, loc);
            heads.entry(*check).or_default().push((gap.func, gap.from));
        }
        weaver.fill(gap, next);
    }
    debug_assert!(
        cwolf_cwi::verify(&program).is_empty(),
        "{:?}",
        cwolf_cwi::verify(&program)
    );
    Ok(Checked {
        program: Analysed::from(program).choosing(subject.program.chosen()),
        of,
        heads,
        left_out,
    })
}
