//! One file a subcommand.
use crate::args::{Cli, Command};
use crate::exit::Exit;
use anyhow::Result;

mod install_links;

/// Does what the command line says.
pub fn run(cli: Cli) -> Result<Exit> {
    match cli.command {
        Command::InstallLinks(args) => install_links::run(&args),
        _ => anyhow::bail!("x"),
    }
}
