//! `cwolf dump`: a program as CWI text.

use crate::args::Dump;
use crate::exit::{DONE, Exit};
use crate::inputs;
use crate::render::Console;
use anyhow::Result;
use cwolf_cwi::text;

pub fn run(args: &Dump, console: &Console) -> Result<Exit> {
    let program = inputs::load_linked(&args.inputs, console)?;
    let mut result = console.product(args.output.as_deref(), &text::print(&program))?;
    result["program"] = inputs::describe(&program);
    console.result(result);
    Ok(DONE)
}
