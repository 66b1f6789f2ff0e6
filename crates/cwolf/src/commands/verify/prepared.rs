//! The program that is checked, made ready: for `verify`, and for repeating one of its runs.

use super::rules;
use crate::args::{Checked, Externs, Inputs};
use crate::exit::Exit;
use crate::inputs;
use crate::near::nearest;
use crate::render::Console;
use anyhow::{Context, Result, bail};
use cwolf_base::Budget;
use cwolf_cfront::split_command;
use cwolf_cwi::graph::CallGraph;
use cwolf_prepare::contract::{contracts, weave};
use cwolf_prepare::property::{Kind, Selection, kind_of_name, parse_prp};
use cwolf_prepare::{
    Arguments, Assumption, Caller, Extern, Prepare, PrepareError, Requirement, Subject, prepare,
};

/// The program, or how the command ends if there is none.
pub enum Prepared {
    Subject(Box<Subject>),
    Ends(Exit),
}

/// Reads and prepares the program; it starts at `entry` if the user says so.
pub fn load(
    checked: &Checked,
    entry: Option<&str>,
    files: &mut Inputs,
    budget: &Budget,
    console: &Console,
) -> Result<Prepared> {
    let selection = selection(checked)?;
    files.c.error_labels = selection.error_labels;
    let mut program = inputs::load_linked(files, console)?;
    let mut language = inputs::language(&files.c)?;
    language.target = program.target();
    let rules = rules::load(&checked.spec, budget, console)?;
    let entry = entry.map(str::to_owned).or(selection.entry.clone());
    let entry = entry.unwrap_or_else(|| "main".into());
    inputs::entry(&program, &entry)?;
    if !checked.requires.is_empty() && entry == "main" {
        bail!("--requires is about callers of a function; choose one with --entry NAME");
    }
    if checked.args.is_some() && entry != "main" {
        bail!("--args are arguments of main, but the program starts at {entry}");
    }
    let contracts = match checked.no_contracts || checked.prop.is_some() {
        true => Vec::new(),
        false => contracts(&program, |file| {
            let bytes = std::fs::read(file).ok()?;
            Some(String::from_utf8_lossy(&bytes).into_owned())
        }),
    };
    for name in &checked.replace_calls {
        if !contracts.iter().any(|c| c.function == *name) {
            bail!(
                "{name} has no contract, so its calls cannot be replaced; write `/*@ assigns …; ensures …; */` before it"
            );
        }
    }
    let own = contracts.iter().find(|c| c.function == entry);
    let own: Vec<Requirement> = own
        .into_iter()
        .flat_map(|c| c.requires())
        .filter_map(|clause| Requirement::parse(clause).ok())
        .flatten()
        .collect();
    let mut woven = weave(&mut program, &contracts, &checked.replace_calls);
    // What is never called may say what it likes.
    let start = program.function(&entry);
    let reached = CallGraph::new(&program).reachable(start.as_slice());
    let reached: Vec<&str> = reached
        .iter()
        .map(|f| program.funcs[*f].name.as_str())
        .collect();
    woven
        .unchecked
        .retain(|(function, _)| reached.contains(&function.as_str()));
    // Callers of the entry function may pass more than it requires: what holds for them holds for those who keep to it.
    let free =
        |(function, what): &(String, String)| *function == entry && what.starts_with("`requires");
    let freed: Vec<_> = woven.unchecked.extract_if(.., |one| free(one)).collect();
    woven.notes.extend(
        freed
            .into_iter()
            .map(|(_, what)| format!("{what}: not followed")),
    );
    let how = Prepare {
        selection,
        rules,
        entry,
        externs: match checked.externs {
            Externs::Havoc => Extern::Havoc,
            Externs::Arguments => Extern::Arguments,
            Externs::Pure => Extern::Pure,
            Externs::Error => Extern::Error,
        },
        malloc_may_fail: checked.malloc_may_fail,
        arguments: arguments(checked, files, own)?,
        language,
    };
    match prepare(program, how) {
        Ok(mut subject) => {
            let place = None;
            let notes = woven
                .notes
                .into_iter()
                .map(|text| Assumption { text, place });
            subject.assumptions.extend(notes);
            let unchecked = woven.unchecked.into_iter().map(|(_, what)| what);
            subject.uncovered.extend(unchecked);
            Ok(Prepared::Subject(Box::new(subject)))
        }
        Err(PrepareError::Rule(error)) => rules::report(&error, console).map(Prepared::Ends),
        Err(error) => Err(error.into()),
    }
}

/// What `main` is given.
fn arguments(
    checked: &Checked,
    files: &Inputs,
    mut requirements: Vec<Requirement>,
) -> Result<Arguments> {
    let given = checked.args.as_ref().map(|words| {
        let words = split_command(words).into_iter().map(String::into_bytes);
        let name = inputs::program_name(files);
        std::iter::once(name).chain(words).collect()
    });
    for clause in &checked.requires {
        requirements.extend(Requirement::parse(clause)?);
    }
    Ok(Arguments {
        given,
        most: checked.max_args.into(),
        length: checked.max_arg_length.into(),
        caller: Caller::Any(requirements),
    })
}

/// What the command line wants checked.
fn selection(checked: &Checked) -> Result<Selection> {
    if let Some(path) = &checked.prop {
        let shown = path.display();
        let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {shown}"))?;
        return parse_prp(&text).with_context(|| shown.to_string());
    }
    if checked.property.is_empty() {
        return Ok(Selection::default());
    }
    let mut kinds = Vec::new();
    for name in &checked.property {
        match kind_of_name(name) {
            Some(kind) => kinds.push(kind),
            // A program that keeps memory to its end is no broken one.
            None if name == "all" => kinds.extend(
                Kind::ALL
                    .into_iter()
                    .filter(|k| !matches!(k, Kind::Leak | Kind::Cleanup)),
            ),
            None => {
                let names: Vec<&str> = Kind::ALL.iter().map(|k| k.name()).collect();
                let near = nearest(name, names.iter().copied());
                let near = near.map_or_else(String::new, |near| format!("did you mean `{near}`? "));
                bail!(
                    "there is no property `{name}`; {near}choose among {} and all",
                    names.join(", ")
                );
            }
        }
    }
    Ok(Selection::of(&kinds))
}
