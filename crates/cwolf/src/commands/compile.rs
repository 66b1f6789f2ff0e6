//! `cwolf compile`: C files to CWI files.

use crate::args::Compile;
use crate::exit::{DONE, Exit};
use crate::render::Console;
use crate::{inputs, output};
use anyhow::{Result, bail};
use cwolf_cwi::file;
use std::path::{Path, PathBuf};

pub fn run(args: &Compile, console: &Console) -> Result<Exit> {
    if args.output.is_some() && args.inputs.files.len() > 1 {
        bail!("-o goes with one input; `cwolf link` makes one file of several");
    }
    for (path, program) in inputs::load(&args.inputs, console)? {
        let target = args.output.clone().unwrap_or_else(|| output_name(&path));
        output::write_file(&target, &file::write(&program))?;
        let done = format!("Compilation succeeded. Output is in {}\n", target.display());
        output::write(None, done.as_bytes())?;
    }
    Ok(DONE)
}

/// As with `cc -c`: in this folder, with another suffix.
fn output_name(input: &Path) -> PathBuf {
    match input.file_stem() {
        Some(stem) if stem != "-" => Path::new(stem).with_extension("cwi"),
        _ => "stdin.cwi".into(),
    }
}
