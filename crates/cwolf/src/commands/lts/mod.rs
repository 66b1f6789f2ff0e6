//! `cwolf lts …`: transition systems as files.

mod compare;
mod compose;
mod info;

use crate::args::{LtsCommand, LtsConvert, LtsReduce};
use crate::commands::models;
use crate::exit::{DONE, Exit, OutOf};
use crate::render::Console;
use anyhow::Result;
use cwolf_lts::reduce;
use serde_json::json;

pub fn run(command: &LtsCommand, console: &Console) -> Result<Exit> {
    match command {
        LtsCommand::Reduce(args) => run_reduce(args, console),
        LtsCommand::Compare(args) => compare::run(args, console),
        LtsCommand::Compose(args) => compose::run(args, console),
        LtsCommand::Convert(args) => convert(args, console),
        LtsCommand::Info(args) => info::run(args, console),
    }
}

fn run_reduce(args: &LtsReduce, console: &Console) -> Result<Exit> {
    let budget = args.limits.budget(console);
    let lts = models::load(
        &args.input,
        args.from,
        &args.limits.of_states(&budget),
        console,
    )?;
    let phase = console.phase(args.equivalence.name());
    let reduction = reduce(&lts, args.equivalence, &budget).map_err(OutOf)?;
    phase.done(&format!(
        "{} states became {}",
        lts.states(),
        reduction.lts.states()
    ));
    let mut result = models::save_result(&reduction.lts, &args.output, &args.input, console)?;
    result["equivalence"] = args.equivalence.name().into();
    result["before"] = json!({ "states": lts.states(), "transitions": lts.transitions() });
    console.result(result);
    Ok(DONE)
}

fn convert(args: &LtsConvert, console: &Console) -> Result<Exit> {
    let budget = args.limits.of_states(&args.limits.budget(console));
    let lts = models::load(&args.input, args.from, &budget, console)?;
    console.result(models::save_result(
        &lts,
        &args.output,
        &args.input,
        console,
    )?);
    Ok(DONE)
}
