//! `cwolf lts compose`: systems in parallel.

use crate::args::LtsCompose;
use crate::commands::models::{self, Book};
use crate::exit::{DONE, Exit};
use crate::render::Console;
use anyhow::{Result, bail};
use cwolf_lts::Format;
use std::path::Path;

pub fn run(args: &LtsCompose, console: &Console) -> Result<Exit> {
    let budget = args.limits.of_states(&args.limits.budget(console));
    let mut book = Book::default();
    let mut names = Vec::new();
    for input in &args.inputs {
        let path = Path::new(input);
        match input.split_once('=') {
            Some((name, file)) => {
                let lts = models::load(file, None, &budget, console)?;
                book.env.bind(name, lts);
                names.push(name.to_owned());
            }
            None if Format::from_path(path) == Some(Format::Cwb) => {
                names.extend(book.load(path, console)?);
            }
            None => {
                let lts = models::load(input, None, &budget, console)?;
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                let name = name.split('.').next().unwrap_or_default().to_owned();
                book.env.bind(&name, lts);
                names.push(name);
            }
        }
    }
    if let Some(name) = names.iter().find(|n| !models::is_word(n)) {
        bail!("`{name}` is not a name for a process; write NAME=FILE");
    }
    let mut system = match &args.system {
        Some(system) => system.clone(),
        None => names.join(" | "),
    };
    if !args.restrict.is_empty() {
        system = format!("({system}) \\ {{{}}}", args.restrict.join(", "));
    }
    let lts = book.compile(&system, &budget, console)?;
    console.result(models::save_result(&lts, &args.output, &system, console)?);
    Ok(DONE)
}
