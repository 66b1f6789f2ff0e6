//! `cwolf flow`: the control-flow graph (thesis, Figure 4.6).

use crate::args::Flow;
use crate::exit::{DONE, Exit};
use crate::render::Console;
use crate::{inputs, output};
use anyhow::{Result, bail};
use cwolf_cwi::view;

pub fn run(args: &Flow, console: &Console) -> Result<Exit> {
    let program = inputs::load_linked(&args.inputs, console)?;
    let function = match &args.function {
        None => None,
        Some(name) => match program.function(name) {
            None => bail!(
                "the program has no function `{name}`; it has {}",
                inputs::functions(&program)
            ),
            found => found,
        },
    };
    output::write_graph(&args.output, &view::flow_graph(&program, function), console)?;
    Ok(DONE)
}
