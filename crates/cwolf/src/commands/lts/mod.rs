//! `cwolf lts …`: transition systems as files.

mod compare;
mod info;

use crate::args::{LtsCommand, LtsConvert, LtsReduce};
use crate::commands::models;
use crate::exit::{DONE, Exit, UNKNOWN};
use crate::render::Console;
use anyhow::Result;
use cwolf_base::Exhausted;
use cwolf_lts::reduce;

pub fn run(command: &LtsCommand, console: &Console) -> Result<Exit> {
    match command {
        LtsCommand::Reduce(args) => run_reduce(args, console),
        LtsCommand::Compare(args) => compare::run(args, console),
        LtsCommand::Convert(args) => convert(args, console),
        LtsCommand::Info(args) => info::run(args, console),
    }
}

/// Says that a limit was reached.
pub fn unknown(reason: Exhausted, console: &Console) -> Exit {
    console.error(&format!("no answer: {reason}"));
    UNKNOWN
}

fn run_reduce(args: &LtsReduce, console: &Console) -> Result<Exit> {
    let lts = models::load(&args.input, args.from)?;
    match reduce(&lts, args.equivalence, &args.limits.budget()) {
        Ok(reduction) => {
            models::save(&reduction.lts, &args.output)?;
            Ok(DONE)
        }
        Err(reason) => Ok(unknown(reason, console)),
    }
}

fn convert(args: &LtsConvert, _console: &Console) -> Result<Exit> {
    models::save(&models::load(&args.input, args.from)?, &args.output)?;
    Ok(DONE)
}
