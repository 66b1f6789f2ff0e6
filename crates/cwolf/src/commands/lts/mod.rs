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
    let reduction = reduce(&lts, args.equivalence, &budget).map_err(OutOf)?;
    models::save(&reduction.lts, &args.output)?;
    Ok(DONE)
}

fn convert(args: &LtsConvert, console: &Console) -> Result<Exit> {
    let budget = args.limits.of_states(&args.limits.budget(console));
    let lts = models::load(&args.input, args.from, &budget, console)?;
    models::save(&lts, &args.output)?;
    Ok(DONE)
}
