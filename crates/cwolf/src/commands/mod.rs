//! One file a subcommand.

mod abstraction;
mod answers;
mod bebop;
mod calls;
mod check;
#[cfg(feature = "cluster")]
mod cluster;
mod compile;
mod conform;
mod decide;
#[cfg(feature = "cluster")]
mod distributed;
mod doctor;
mod dump;
mod flow;
mod harness;
mod install_links;
mod link;
mod lsp;
mod lts;
mod model;
mod models;
mod monitor;
mod run;
mod scan;
mod schema;
mod shell_help;
mod terminal;
mod validate;
mod verify;
mod view;
mod workbench;

use crate::args::Command;
use crate::exit::Exit;
use crate::render::Console;
use anyhow::Result;

/// Does what the command line says.
pub fn run(command: Command, console: &Console) -> Result<Exit> {
    match command {
        Command::Compile(args) => compile::run(&args, console),
        Command::Link(args) => link::run(&args, console),
        Command::Dump(args) => dump::run(&args, console),
        Command::Flow(args) => flow::run(&args, console),
        Command::Calls(args) => calls::run(&args, console),
        Command::Run(args) => run::run(args, console),
        Command::Verify(args) => verify::run(args, console),
        Command::Scan(args) => scan::run(&args, console),
        Command::Harness(args) => harness::run(&args, console),
        Command::Validate(args) => validate::run(args, console),
        Command::Model(args) => model::run(&args, console),
        #[cfg(feature = "cluster")]
        Command::Cluster(args) => cluster::run(&args, console),
        Command::Lts(args) => lts::run(&args, console),
        Command::Check(args) => check::run(&args, console),
        Command::Conform(args) => conform::run(args, console),
        Command::Workbench(args) => workbench::run(&args, console),
        Command::Monitor(args) => monitor::run(&args, console),
        Command::View(args) => view::run(&args, console),
        Command::Abstract(args) => abstraction::run(&args, console),
        Command::Invariants(args) => abstraction::invariants(&args, console),
        Command::Bebop(args) => bebop::run(&args, console),
        Command::InstallLinks(args) => install_links::run(&args, console),
        Command::Lsp(args) => lsp::run(&args, console),
        Command::Doctor(args) => doctor::run(&args, console),
        Command::Completions(args) => shell_help::completions(&args, console),
        Command::Schema(args) => shell_help::schema(&args, console),
        Command::Man(args) => shell_help::man(&args, console),
    }
}
