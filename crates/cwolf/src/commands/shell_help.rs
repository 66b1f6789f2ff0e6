//! `cwolf completions` and `cwolf man`: made from the one definition of the command line.

use super::schema;
use crate::args::{Cli, Completions, Man, Schema, SchemaOf};
use crate::exit::{DONE, Exit};
use crate::output;
use crate::render::Console;
use anyhow::{Context, Result};
use clap::CommandFactory;
use clap_mangen::Man as Page;
use serde_json::json;

pub fn completions(args: &Completions, console: &Console) -> Result<Exit> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "cwolf", &mut script);
    console.result(console.product(None, &String::from_utf8(script)?)?);
    Ok(DONE)
}

pub fn schema(args: &Schema, console: &Console) -> Result<Exit> {
    let text = match args.of {
        SchemaOf::Project => schema::project(),
        SchemaOf::Report => schema::REPORT.to_owned(),
    };
    console.result(console.product(None, &text)?);
    Ok(DONE)
}

/// One page on standard output, or one page a command in a folder.
pub fn man(args: &Man, console: &Console) -> Result<Exit> {
    let mut root = Cli::command();
    root.build();
    let Some(folder) = &args.output else {
        let page = String::from_utf8(page(&root)?)?;
        console.result(console.product(None, &page)?);
        return Ok(DONE);
    };
    std::fs::create_dir_all(folder)
        .with_context(|| format!("cannot make the folder {}", folder.display()))?;
    pages(&root, folder)?;
    console.result(json!({ "output": folder.display().to_string(), "text": null }));
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
