//! One file a subcommand.

mod calls;
mod check;
mod compile;
mod dump;
mod flow;
mod install_links;
mod link;
mod lts;
mod model;
mod models;
mod run;
mod terminal;
mod workbench;

use crate::args::{Cli, Command};
use crate::exit::Exit;
use crate::render::Console;
use anyhow::Result;

/// Does what the command line says.
pub fn run(cli: Cli) -> Result<Exit> {
    let console = Console::new(cli.quiet);
    match cli.command {
        Command::Compile(args) => compile::run(&args, &console),
        Command::Link(args) => link::run(&args, &console),
        Command::Dump(args) => dump::run(&args, &console),
        Command::Flow(args) => flow::run(&args, &console),
        Command::Calls(args) => calls::run(&args, &console),
        Command::Run(args) => run::run(args, &console),
        Command::Model(args) => model::run(&args, &console),
        Command::Lts(args) => lts::run(&args, &console),
        Command::Check(args) => check::run(&args, &console),
        Command::Workbench(args) => workbench::run(&args, &console),
        Command::InstallLinks(args) => install_links::run(&args),
    }
}
