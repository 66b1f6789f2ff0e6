//! `cwolf dump`: a program as CWI text.

use crate::args::Dump;
use crate::exit::{DONE, Exit};
use crate::render::Console;
use crate::{inputs, output};
use anyhow::Result;
use cwolf_cwi::text;

pub fn run(args: &Dump, console: &Console) -> Result<Exit> {
    let program = inputs::load_linked(&args.inputs, console)?;
    output::write(args.output.as_deref(), text::print(&program).as_bytes())?;
    Ok(DONE)
}
