//! `cwolf calls`: the call graph, or the part of it near one function.

use crate::args::{Calls, Focus};
use crate::exit::{DONE, Exit};
use crate::render::Console;
use crate::{inputs, output};
use anyhow::{Result, bail};
use cwolf_base::Idx;
use cwolf_base::view::{Digraph, Direction};
use cwolf_cwi::{FuncId, Program, view};

pub fn run(args: &Calls, console: &Console) -> Result<Exit> {
    let program = inputs::load_linked(&args.inputs, console)?;
    let whole = view::call_graph(&program);
    let shown = match near(&args.focus, &program, &whole)? {
        None => whole,
        Some(kept) => whole.only(&kept, direction(&args.focus)),
    };
    output::write_graph(&args.output, &shown, console)?;
    Ok(DONE)
}

fn direction(focus: &Focus) -> Direction {
    match focus.callers {
        true => Direction::Backwards,
        false => Direction::Forwards,
    }
}

/// The nodes of the call graph that the user wants to see, if not all.
fn near(focus: &Focus, program: &Program, calls: &Digraph) -> Result<Option<Vec<u32>>> {
    let Some(name) = &focus.root else {
        return Ok(None);
    };
    let root = function(program, name)?;
    Ok(Some(calls.near(root.0, focus.depth, direction(focus))))
}

/// The functions that the user wants to see, if not all.
pub fn functions(focus: &Focus, program: &Program) -> Result<Option<Vec<FuncId>>> {
    let kept = near(focus, program, &view::call_graph(program))?;
    let functions = |kept: Vec<u32>| {
        let kept = kept.into_iter().map(|n| FuncId::new(n as usize));
        // The last node may stand for code that is not shown.
        kept.filter(|f| f.index() < program.funcs.len()).collect()
    };
    Ok(kept.map(functions))
}

/// The function that the user named.
pub fn function(program: &Program, name: &str) -> Result<FuncId> {
    match program.function(name) {
        Some(found) => Ok(found),
        None => bail!(
            "the program has no function `{name}`; it has {}",
            inputs::functions(program)
        ),
    }
}
