//! What every verdict about a program takes for granted, whatever engine finds it.

use crate::property::{Kind, Selection};
use crate::subject::Assumption;
use cwolf_cwi::{Block, Branch, Callee, ExprKind, FuncId, LocId, Origin, Program, RESULT};
use rustc_hash::FxHashSet;

/// Allocations that never fail.
pub(crate) fn of_allocation(program: &Program, reached: &[FuncId]) -> Option<Assumption> {
    let allocates = |f: &FuncId| {
        let row = cwolf_known::lookup(&program.funcs[*f].name);
        row.is_some_and(|row| row.may_fail && row.primitive().is_some())
    };
    let text = "malloc, calloc and realloc never fail";
    reached.iter().any(allocates).then(|| Assumption::of(text))
}

/// Output that never fails, where the program looks whether it did.
pub(crate) fn of_output(program: &Program, reached: &[FuncId]) -> Option<Assumption> {
    let row = |f: FuncId| cwolf_known::lookup(&program.funcs[f].name);
    let own = |f: &FuncId| program.funcs[*f].origin == Origin::Program;
    let bodies = reached.iter().filter(|f| own(f));
    let bodies = bodies.filter_map(|f| program.funcs[*f].body.as_ref());
    let (mut writes, mut looks) = (false, false);
    for body in bodies {
        for block in body.blocks.iter() {
            let Branch::Call {
                callee: Callee::Direct(f),
                next,
                ..
            } = &block.branch
            else {
                continue;
            };
            let Some(row) = row(*f) else { continue };
            looks |= row.is_errno();
            if row.is_output() {
                writes = true;
                looks |= next.is_some_and(|next| reads_result(&body.blocks[next]));
            }
        }
    }
    let text = "printf and other output never fails, and sets no errno";
    (writes && looks).then(|| Assumption::of(text))
}

fn reads_result(block: &Block) -> bool {
    let mut found = false;
    block.for_each_expr(&mut |e| {
        e.walk(&mut |e| found |= e.kind == ExprKind::Reg(RESULT));
    });
    found
}

/// A clock that shows the time of day, for a program that may look at it more than once.
pub(crate) fn of_clock(program: &Program, reached: &[FuncId]) -> Option<Assumption> {
    let shows = |f: FuncId| {
        let row = cwolf_known::lookup(&program.funcs[f].name);
        row.is_some_and(|row| row.is_open() && row.states().contains(&"clock"))
    };
    let own = |f: &&FuncId| program.funcs[**f].origin == Origin::Program;
    let bodies = reached.iter().filter(own);
    let bodies = bodies.filter_map(|f| program.funcs[*f].body.as_ref());
    let looks = |block: &&Block| {
        let Branch::Call { callee, .. } = &block.branch else {
            return false;
        };
        matches!(callee, Callee::Direct(f) if shows(*f))
    };
    let count = bodies.flat_map(|b| b.blocks.iter()).filter(looks).count();
    let text = "the system's clock is not set back";
    (count > 1).then(|| Assumption::of(text))
}

/// The one locale that there is.
pub(crate) fn of_locale(program: &Program, reached: &[FuncId]) -> Option<Assumption> {
    let changes = |f: &FuncId| {
        let row = program.known(*f);
        row.is_some_and(|row| ["setlocale", "uselocale"].contains(&row.name.as_str()))
    };
    let text = "the locale stays \"C\", whatever is set";
    reached.iter().any(changes).then(|| Assumption::of(text))
}

/// What happens at steps that C does not define and nobody checks.
pub(crate) fn of_unchecked(selection: &Selection) -> Option<Assumption> {
    let unchecked: Vec<&str> = [Kind::Pointer, Kind::Bounds, Kind::DivisionByZero]
        .into_iter()
        .filter(|kind| !selection.has(*kind))
        .map(Kind::name)
        .collect();
    let list = unchecked.join(", ");
    let text = match selection.follow_undefined {
        true => format!(
            "an undefined step that is not checked ({list}) gives any value and writes nothing"
        ),
        false => format!("a run ends where it breaks a rule of C that is not checked ({list})"),
    };
    (!unchecked.is_empty()).then(|| Assumption::of(text))
}

/// What the translation says of code that can be reached.
pub(crate) fn of_translation(program: &Program, reached: &[FuncId]) -> Vec<Assumption> {
    let reached: FxHashSet<FuncId> = reached.iter().copied().collect();
    let line = |loc: LocId| (program.locations[loc].file, program.locations[loc].line);
    let mut elsewhere = FxHashSet::default();
    let mut here = FxHashSet::default();
    for (id, function) in program.funcs.enumerate() {
        let places = match reached.contains(&id) {
            true => &mut here,
            false => &mut elsewhere,
        };
        for block in function.body.iter().flat_map(|b| b.blocks.iter()) {
            places.insert(line(block.loc));
            places.extend(block.stmts.iter().map(|s| line(s.loc)));
        }
    }
    let mut seen = FxHashSet::default();
    let notes = program.notes.iter().filter(|note| {
        let line = line(note.loc);
        let other = elsewhere.contains(&line) && !here.contains(&line);
        !other && seen.insert((line, &note.text))
    });
    notes
        .map(|note| Assumption {
            text: note.text.clone(),
            place: Some(note.loc),
        })
        .collect()
}
