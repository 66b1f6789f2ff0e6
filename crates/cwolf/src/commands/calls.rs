//! `cwolf calls`: the call graph.

use crate::args::Calls;
use crate::exit::{DONE, Exit};
use crate::render::Console;
use crate::{inputs, output};
use anyhow::Result;
use cwolf_cwi::view;

pub fn run(args: &Calls, console: &Console) -> Result<Exit> {
    let program = inputs::load_linked(&args.inputs, console)?;
    output::write_graph(&args.output, &view::call_graph(&program), console)?;
    Ok(DONE)
}
