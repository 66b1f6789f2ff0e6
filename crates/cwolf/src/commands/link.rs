//! `cwolf link`: several files to one program.

use crate::args::Link;
use crate::exit::{DONE, Exit};
use crate::render::Console;
use crate::{inputs, output};
use anyhow::Result;
use cwolf_cwi::file;
use serde_json::json;

pub fn run(args: &Link, console: &Console) -> Result<Exit> {
    let program = inputs::load_linked(&args.inputs, console)?;
    output::write_file(&args.output, &file::write(&program))?;
    console.result(json!({
        "output": args.output.display().to_string(),
        "program": inputs::describe(&program),
    }));
    Ok(DONE)
}
