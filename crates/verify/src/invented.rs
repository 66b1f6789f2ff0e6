//! Failures that rest on results that nobody knows: of a function whose arguments define what it
//! returns, and that the interpreter cannot run. Its stub returns any of what the table allows, of
//! which the real function returns one.

use crate::concrete::{End, Run};
use crate::replay::replay;
use cwolf_base::Budget;
use cwolf_cwi::value::Value;
use cwolf_cwi::{ExprKind, FuncId, Function, LocId, Origin, StmtKind};
use cwolf_prepare::Subject;
use rustc_hash::FxHashSet;

/// What such a function might return as well, whatever the program compares it with.
const OTHERS: [i128; 5] = [0, 1, -1, i64::MAX as i128, i64::MIN as i128];
/// How many values are tried at most.
const TRIALS: usize = 200;

/// Why a failing run need not be one of the program: other results of such functions do not fail.
pub(crate) fn rests_on(subject: &Subject, run: &Run, budget: &Budget) -> Option<String> {
    let End::Fails(failure) = &run.end else {
        return None;
    };
    let assembly = assembly(subject);
    let invented =
        |f: Option<FuncId>| f.filter(|f| subject.invented.contains(f) || assembly.contains(f));
    let mut names: Vec<&str> = run
        .choices
        .iter()
        .filter_map(|c| invented(c.from))
        .map(|f| match assembly.contains(&f) {
            true => "inline assembly",
            false => subject.program.funcs[f].name.as_str(),
        })
        .collect();
    names.sort_unstable();
    names.dedup();
    if names.is_empty() {
        return None;
    }
    let mut fails = false;
    for other in others(subject) {
        let value = |c: &crate::concrete::Choice| match (invented(c.from), c.value) {
            (Some(_), Value::Int(_)) => Value::Int(other),
            (_, value) => value,
        };
        let values: Vec<Value> = run.choices.iter().map(value).collect();
        if values.iter().eq(run.choices.iter().map(|c| &c.value)) {
            continue;
        }
        match replay(subject, run.which, values, run.changes_memory, budget).end {
            End::Fails(same) if (same.kind, same.loc) == (failure.kind, failure.loc) => {
                fails = true
            }
            End::AssumeFails => {}
            _ => {
                fails = false;
                break;
            }
        }
    }
    let names = names.join(", ");
    (!fails).then(|| format!("the failure rests on what {names} does, which is not known exactly"))
}

/// Values that may make a difference: those that the program's own code mentions, and their neighbours.
fn others(subject: &Subject) -> Vec<i128> {
    let mut list = OTHERS.to_vec();
    let own = subject.program.funcs.iter();
    let own = own.filter(|f| f.origin == Origin::Program);
    for body in own.filter_map(|f| f.body.as_ref()) {
        body.for_each_expr(&mut |e| {
            e.walk(&mut |e| {
                if let Some(n) = e.as_int() {
                    list.extend([n, n.saturating_sub(1), n.saturating_add(1)]);
                }
            });
        });
    }
    let mut seen = FxHashSet::default();
    list.retain(|n| seen.insert(*n));
    list.truncate(TRIALS);
    list
}

/// Functions with inline assembly, whose outputs are chosen though the processor knows them. SV-COMP
/// takes them for open.
fn assembly(subject: &Subject) -> FxHashSet<FuncId> {
    let program = &subject.program;
    if program.notes.is_empty() || !subject.selection.follow_undefined {
        return FxHashSet::default();
    }
    let place = |loc: LocId| {
        let at = program.locations[loc];
        (at.file, at.line, at.column)
    };
    let noted: FxHashSet<_> = program.notes.iter().map(|n| place(n.loc)).collect();
    let outputs = |f: &Function| {
        let blocks = f.body.iter().flat_map(|b| b.blocks.iter());
        blocks.flat_map(|b| &b.stmts).any(|s| {
            noted.contains(&place(s.loc))
                && matches!(&s.kind, StmtKind::Assign(_, e) if e.kind == ExprKind::Choose)
        })
    };
    let all = program.funcs.enumerate();
    let own = all.filter(|(_, f)| f.origin == Origin::Program && outputs(f));
    own.map(|(id, _)| id).collect()
}
