//! `cwolf completions` and `cwolf man`: made from the one definition of the command line.

use crate::args::{Cli, Completions, Man};
use crate::exit::{DONE, Exit};
use crate::output;
use anyhow::{Context, Result};
use clap::CommandFactory;
use clap_mangen::Man as Page;

pub fn completions(args: &Completions) -> Result<Exit> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "cwolf", &mut script);
    output::write(None, &script)?;
    Ok(DONE)
}

/// One page on standard output, or one page a command in a folder.
pub fn man(args: &Man) -> Result<Exit> {
    let mut root = Cli::command();
    root.build();
    let Some(folder) = &args.output else {
        output::write(None, &page(&root)?)?;
        return Ok(DONE);
    };
    std::fs::create_dir_all(folder)
        .with_context(|| format!("cannot make the folder {}", folder.display()))?;
    pages(&root, folder)?;
    Ok(DONE)
}

fn pages(command: &clap::Command, folder: &std::path::Path) -> Result<()> {
    let name = command.get_display_name().unwrap_or(command.get_name());
    output::write_file(&folder.join(format!("{name}.1")), &page(command)?)?;
    let shown = command.get_subcommands().filter(|c| !c.is_hide_set());
    for inner in shown.filter(|c| c.get_name() != "help") {
        pages(inner, folder)?;
    }
    Ok(())
}

fn page(command: &clap::Command) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    Page::new(command.clone()).render(&mut bytes)?;
    Ok(bytes)
}
