//! What no map decides, the engines of `cwolf verify` may: an automaton of what the formula forbids watches the program.

use crate::args::{Externs, Model};
use crate::inputs;
use anyhow::Result;
use cwolf_absint::machine::is_event_name;
use cwolf_absint::map::LabelMap;
use cwolf_base::Budget;
use cwolf_cwi::graph::Analysed;
use cwolf_cwi::{FuncId, Program, Type};
use cwolf_lts::Lts;
use cwolf_prepare::property::Selection;
use cwolf_prepare::slic::{name_events, of_calls};
use cwolf_prepare::{Arguments, Extern, Prepare, Subject, plain_own_volatiles, prepare};
use cwolf_verify::plan::{Wishes, plan};
use cwolf_verify::portfolio::{Answer, verify};

/// The program with the automaton in it; nothing where its labels are not just calls of the program's functions and events that it shows.
pub fn watched(
    args: &Model,
    linked: &Program,
    (program, labels): (&Analysed, &LabelMap),
    (actions, automaton): (&[String], &Lts),
) -> Result<Option<Subject>> {
    if args.entry != "main" {
        return Ok(None);
    }
    let mut watched = linked.clone();
    if let Some(start) = watched.function(&args.entry) {
        plain_own_volatiles(&mut watched, start);
    }
    let shown = |a: &&String| is_event_name(program, a);
    let events: Vec<String> = actions.iter().filter(shown).cloned().collect();
    let Some(names) = name_events(&mut watched, &events) else {
        return Ok(None);
    };
    let mut calls = Vec::new();
    for action in actions.iter().filter(|a| *a != cwolf_lts::TAU_NAME) {
        let Some(funcs) = labels.called(action) else {
            return Ok(None);
        };
        let found: Option<Vec<String>> =
            funcs.into_iter().map(|f| own(program, linked, f)).collect();
        let Some(mut functions) = found else {
            return Ok(None);
        };
        let event = events.iter().zip(&names).find(|(e, _)| *e == action);
        functions.extend(event.map(|(_, name)| name.clone()));
        calls.push((action.clone(), functions));
    }
    let mut language = inputs::language(&args.inputs.c)?;
    language.target = linked.target();
    let how = Prepare {
        selection: Selection::of(&[]),
        rules: vec![of_calls("formula", automaton, &calls)],
        entry: args.entry.clone(),
        externs: match args.externs {
            Externs::Havoc => Extern::Havoc,
            Externs::Arguments => Extern::Arguments,
            Externs::Pure => Extern::Pure,
            Externs::Error => Extern::Error,
        },
        malloc_may_fail: args.malloc_may_fail,
        arguments: Arguments::default(),
        language,
    };
    // Whatever cannot be prepared is left to the models.
    Ok(prepare(watched, how).ok())
}

/// The name of a function, if a rule can watch it: it is no function of the library, whose models in C may call it, and no other is
/// called so.
fn own(program: &Analysed, linked: &Program, func: FuncId) -> Option<String> {
    let name = &program.funcs[func].name;
    let mut same = linked
        .funcs
        .ids()
        .filter(|f| linked.funcs[*f].name == *name);
    let found = same.next()?;
    let alone = same.next().is_none() && linked.known(found).is_none() && name != "main";
    let fixed = matches!(&linked.types[linked.funcs[found].ty], Type::Func(ty) if !ty.variadic);
    (alone && fixed).then(|| name.clone())
}

/// Asks the engines.
pub fn ask(subject: &Subject, budget: &Budget) -> Result<Answer> {
    Ok(verify(subject, &plan(&Wishes::default())?, budget))
}
