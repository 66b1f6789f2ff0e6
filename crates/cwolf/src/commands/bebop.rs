//! `cwolf bebop`: what can happen in a boolean program.

use super::answers;
use crate::args::{Bebop, BooleanFormat};
use crate::exit::{DONE, Exit, Reported};
use crate::render::Console;
use anyhow::{Context, Result, bail};
use cwolf_base::{Diagnostics, SourceMap};
use cwolf_boolprog::bebop::Target;
use cwolf_boolprog::cfg::Graph;
use cwolf_boolprog::{Program, export, parse};
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

pub fn run(args: &Bebop, console: &Console) -> Result<Exit> {
    let program = read(&args.file, console)?;
    if let Some(format) = args.export {
        let text = write(args, &program, format)?;
        console.result(console.product(args.output.as_deref(), &text)?);
        return Ok(DONE);
    }
    let budget = args.limits.budget(console);
    let reply = answers::answer(&program, &args.questions, budget, console)?;
    console.print(args.output.as_deref(), reply.text.as_bytes())?;
    console.result(reply.result);
    Ok(reply.exit)
}

/// Reads a boolean program, or tells what is wrong with it.
fn read(path: &Path, console: &Console) -> Result<Program> {
    if path
        .extension()
        .is_some_and(|e| e == "c" || e == "i" || e == "cwi")
    {
        let shown = path.display();
        bail!(
            "{shown} is a C program; `cwolf abstract {shown} -p PREDICATES` makes a boolean program of it, \
             `cwolf verify {shown}` checks it as it is"
        );
    }
    let (name, bytes) = if path.as_os_str() == "-" {
        let mut bytes = Vec::new();
        let read = std::io::stdin().lock().read_to_end(&mut bytes);
        read.context("cannot read standard input")?;
        ("<stdin>".to_owned(), bytes)
    } else {
        let name = path.display().to_string();
        let bytes = std::fs::read(path).with_context(|| format!("cannot read {name}"))?;
        (name, bytes)
    };
    let text: Arc<str> = match String::from_utf8(bytes) {
        Ok(text) => text.into(),
        Err(_) => bail!("{name} is not UTF-8 text"),
    };
    let mut sources = SourceMap::default();
    let start = sources.add(&name, text.clone());
    let mut messages = Diagnostics::default();
    let program = parse(&text, start, &mut messages);
    console.diagnostics(&sources, messages.iter());
    program.ok_or_else(|| Reported.into())
}

fn write(args: &Bebop, program: &Program, format: BooleanFormat) -> Result<String> {
    if format == BooleanFormat::Bp {
        return Ok(program.to_string());
    }
    let graph = Graph::new(program);
    let entry = answers::entry(program, &graph, args.questions.entry.as_deref())?;
    let targets = match &args.questions.reach {
        Some(label) => answers::label(program, label)?,
        None => Target::asserts(program),
    };
    let text = match format {
        BooleanFormat::Smv => export::to_smv(program, &graph, entry, &targets),
        _ => export::to_promela(program, &graph, entry, &targets),
    };
    text.with_context(|| format!("{} cannot be exported", args.file.display()))
}
