//! Functions without a body get one: what their row in the table of known functions says, or else
//! anything that C lets them do.

use crate::given::holds_pointer;
use crate::numbers::numbers;
use crate::property::Kind;
use crate::stubs::{Freedom, approximate, known_row, known_stub};
use crate::subject::{Assumption, Extern, PrepareError};
use crate::{Printed, unknown, unnamed};
use cwolf_cwi::graph::CallGraph;
use cwolf_cwi::{FuncId, Origin, Program, Type, TypeId};
use cwolf_known::{Contents, Effect, Outcome, Path, Row};

/// Whether a function without a body is a word of verification, or one that engines do themselves.
fn is_primitive(program: &Program, func: FuncId) -> bool {
    let name = program.funcs[func].name.as_str();
    // Nobody follows threads, processes, handlers and other stacks.
    let elsewhere = |row: &Row| row.starts_something() || row.returns_twice();
    // What is chosen by a word that the interpreter does not know, a stub chooses.
    let chosen = |row: &Row| row.chooses() && !cwolf_interp::is_native(name);
    let word = |row: &Row| row.is_word() && !row.changes_memory() && !chosen(row);
    let known = |row: &Row| word(row) || elsewhere(row) || row.primitive().is_some();
    cwolf_known::lookup(name).is_some_and(known)
}

/// What is known of a function without a body, and how its stub runs. Of a function that is defined
/// by its arguments, and that the interpreter cannot run, no failure is believed ([`invented`]).
fn known(program: &Program, func: FuncId) -> Option<(&'static Row, Freedom)> {
    let row = known_row(program, func)?;
    let native = cwolf_interp::is_native(&program.funcs[func].name);
    match (row.is_open() || row.chooses(), native) {
        (true, _) => Some((row, Freedom::Open)),
        (false, true) => Some((row, Freedom::Approximation)),
        (false, false) => Some((row, Freedom::Open)),
    }
}

/// Those of the functions that have stubs whose results the real library, the compiler, another tool or
/// the processor defines.
pub(crate) fn invented(program: &Program, stubs: &[FuncId]) -> Vec<FuncId> {
    let assembly = |f: FuncId| program.funcs[f].origin == Origin::Assembly;
    let defined = |f: &&FuncId| {
        let reserved = || cwolf_known::is_reserved(&program.funcs[**f].name);
        assembly(**f) || known_row(program, **f).map_or_else(reserved, Row::is_defined)
    };
    stubs.iter().filter(defined).copied().collect()
}

/// Those whose results are open, and that make pointers which their row does not describe, as in the list of
/// addresses of a `struct hostent`.
pub(crate) fn vague(program: &Program, stubs: &[FuncId]) -> Vec<FuncId> {
    let open = |f: &&FuncId| {
        let row = known_row(program, **f);
        row.is_some_and(|row| row.is_open() && makes_pointers(program, **f, row))
    };
    stubs.iter().filter(open).copied().collect()
}

/// Whether a function makes an object with pointers that its row does not set.
fn makes_pointers(program: &Program, func: FuncId, row: &Row) -> bool {
    let Type::Func(ty) = &program.types[program.funcs[func].ty] else {
        return false;
    };
    let described: Vec<&str> = (row.effects.iter())
        .filter_map(|effect| match effect {
            Effect::Sets { at, .. } if at.is_result() => match &at.path {
                Path::Member(name) => Some(name.as_str()),
                _ => None,
            },
            _ => None,
        })
        .collect();
    let undescribed = |to: TypeId| match &program.types[to] {
        Type::Pointer(_) => true,
        Type::Record(record) => {
            let fields = program.types.records[*record].fields.iter();
            let mut others = fields.filter(|f| !described.contains(&f.name.as_str()));
            others.any(|f| holds_pointer(program, f.ty))
        }
        _ => false,
    };
    let made = |outcome: &Outcome| match outcome {
        Outcome::Fresh { contents, .. } => *contents == Contents::Set,
        Outcome::Static { text, .. } => !text,
        Outcome::Held(_) => true,
        _ => false,
    };
    let result = program.types.pointee(ty.ret);
    let returned = row.result.iter().any(made) && result.is_some_and(undescribed);
    let stored = |effect: &Effect| match effect {
        Effect::Sets { at, value } if !at.is_result() => {
            let new = |o: &Outcome| made(o) || matches!(o, Outcome::Handle);
            let to = ty
                .params
                .get(at.param)
                .and_then(|p| program.types.pointee(*p));
            let to = to.and_then(|p| program.types.pointee(p));
            value.iter().any(new) && (at.path != Path::Behind || to.is_some_and(undescribed))
        }
        _ => false,
    };
    returned || row.effects.iter().any(stored)
}

/// Gives functions without a body one, as `externs` says.
pub(crate) fn close_externs(
    program: &mut Program,
    entry: FuncId,
    how: &Outside<'_>,
    assumptions: &mut Vec<Assumption>,
    uncovered: &mut Vec<String>,
) -> Result<Vec<FuncId>, PrepareError> {
    let externs = how.externs;
    let graph = CallGraph::new(program);
    let absent: Vec<FuncId> = graph
        .reachable(&[entry])
        .into_iter()
        .filter(|f| {
            let function = &program.funcs[*f];
            let absent = function.body.is_none() && function.refused.is_none();
            absent && function.alias.is_none() && !is_primitive(program, *f)
        })
        .collect();
    let (rows, missing): (Vec<_>, Vec<_>) = absent
        .into_iter()
        .map(|f| (f, known(program, f)))
        .partition(|(_, row)| row.is_some());
    let mut missing: Vec<FuncId> = missing.into_iter().map(|(f, _)| f).collect();
    if externs == Extern::Error && !missing.is_empty() {
        let describe = |f: &FuncId| {
            let function = &program.funcs[*f];
            let place = program.locations.describe(function.loc);
            format!("{} ({place})", function.name)
        };
        let all: Vec<String> = missing.iter().map(describe).collect();
        return Err(PrepareError::Extern(all.join(", ")));
    }
    let visible = unknown::visible(program);
    let given = unknown::Given::of(program);
    if externs == Extern::Havoc {
        unknown::add_returned(program, &mut missing, &visible, &given);
    }
    // Of inline assembly there is a note.
    let assembly = |f: &&FuncId| program.funcs[**f].origin == Origin::Assembly;
    for func in missing.iter().filter(|f| !assembly(f)) {
        let function = &program.funcs[*func];
        let words = match externs {
            Extern::Havoc => {
                "has no body: it returns anything and may change all variables that it can reach"
            }
            Extern::Arguments if takes_pointer(program, *func) => {
                "has no body: it returns any value and may write what its arguments point to"
            }
            Extern::Arguments => "has no body: it returns any value and changes nothing else",
            Extern::Pure | Extern::Error => {
                "has no body: it returns any value and changes nothing (--extern=pure)"
            }
        };
        assumptions.push(Assumption {
            text: format!("{} {words}", function.name),
            place: Some(function.loc),
        });
    }
    let numbers = numbers(program, &missing, &visible, &graph);
    for func in &missing {
        unknown::stub(program, *func, externs, &visible, &numbers, &given);
    }
    let mut chosen = missing.clone();
    for (func, row) in rows {
        let Some((row, freedom)) = row else { continue };
        let printed = how.printed.get(&func);
        if !known_stub(program, func, row, how.kinds, printed, freedom) {
            uncovered.push(format!("what {} requires of its arguments", row.name));
        }
        if freedom == Freedom::Open {
            chosen.push(func);
        }
    }
    approximate(program, how.kinds);
    if matches!(externs, Extern::Havoc | Extern::Arguments) {
        unnamed::arguments(program, &missing, &graph, &numbers.args);
    }
    let name = |f: FuncId| program.funcs[f].name.as_str();
    let (unknown, known) = chosen.split_at(missing.len());
    let (sound, by_type) = match externs {
        Extern::Havoc => (unknown, known),
        _ => (&[][..], &chosen[..]),
    };
    for (func, back) in unknown::calls_back(program, sound) {
        let (func, back) = (name(func), name(back));
        uncovered.push(format!("what {func} does with {back}, which it may call"));
    }
    let backs = by_type.iter().filter(|f| takes_function(program, **f));
    uncovered.extend(backs.map(|f| format!("what {} calls", name(*f))));
    Ok(chosen)
}

/// Whether a function is given functions of the program, which it may call.
fn takes_function(program: &Program, func: FuncId) -> bool {
    let function = |ty: &TypeId| {
        let to = program.types.pointee(*ty);
        to.is_some_and(|to| matches!(program.types[to], Type::Func(_)))
    };
    match &program.types[program.funcs[func].ty] {
        Type::Func(ty) => ty.params.iter().any(function),
        _ => false,
    }
}

/// What is known of code outside the program.
pub(crate) struct Outside<'o> {
    pub(crate) externs: Extern,
    /// Kinds that are checked.
    pub(crate) kinds: &'o [Kind],
    /// How much calls print at most.
    pub(crate) printed: &'o Printed,
}

fn takes_pointer(program: &Program, func: FuncId) -> bool {
    match &program.types[program.funcs[func].ty] {
        Type::Func(ty) => ty.variadic || ty.params.iter().any(|p| holds_pointer(program, *p)),
        _ => false,
    }
}
