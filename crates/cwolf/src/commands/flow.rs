//! `cwolf flow`: the control-flow graph (thesis, Figure 4.6).

use super::calls;
use crate::args::Flow;
use crate::exit::{DONE, Exit};
use crate::render::Console;
use crate::{inputs, output};
use anyhow::Result;
use cwolf_cwi::view;

pub fn run(args: &Flow, console: &Console) -> Result<Exit> {
    let program = inputs::load_linked(&args.inputs, console)?;
    let only = match &args.function {
        None => calls::functions(&args.focus, &program)?,
        Some(name) => Some(vec![calls::function(&program, name)?]),
    };
    let graph = view::flow_graph(&program, only.as_deref());
    output::write_graph(&args.output, &graph, console)?;
    Ok(DONE)
}
