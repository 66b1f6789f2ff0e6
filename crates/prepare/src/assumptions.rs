//! What every verdict about a program takes for granted, whatever engine finds it.

use crate::property::{Kind, Selection};
use crate::subject::Assumption;
use cwolf_cwi::{FuncId, LocId, Program};
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

/// The one locale that there is.
pub(crate) fn of_locale(program: &Program, reached: &[FuncId]) -> Option<Assumption> {
    let changes = |f: &FuncId| {
        let function = &program.funcs[*f];
        function.body.is_none() && ["setlocale", "uselocale"].contains(&function.name.as_str())
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
