//! `cwolf compile`: C files to CWI files.

use crate::args::Compile;
use crate::exit::{DONE, Exit};
use crate::render::Console;
use crate::{inputs, output};
use anyhow::{Result, bail};
use cwolf_cwi::file;
use serde_json::json;
use std::path::{Path, PathBuf};

pub fn run(args: &Compile, console: &Console) -> Result<Exit> {
    // A compile_commands.json is one file that stands for several.
    let sources = inputs::sources(&args.inputs)?;
    if args.output.is_some() && sources.len() > 1 {
        bail!("-o goes with one input; `cwolf link` makes one file of several");
    }
    let name = |path: &Path| args.output.clone().unwrap_or_else(|| output_name(path));
    for (n, path) in sources.iter().enumerate() {
        if let Some(other) = sources[..n].iter().find(|p| name(p) == name(path)) {
            bail!(
                "{} and {} would both become {}; `cwolf link` makes one file of several",
                other.display(),
                path.display(),
                name(path).display()
            );
        }
    }
    let mut files = Vec::new();
    for (path, program) in inputs::load(&args.inputs, console)? {
        let target = name(&path);
        output::write_file(&target, &file::write(&program))?;
        let done = format!("Compilation succeeded. Output is in {}\n", target.display());
        console.print(None, done.as_bytes())?;
        files.push(json!({
            "input": path.display().to_string(),
            "output": target.display().to_string(),
            "program": inputs::describe(&program),
        }));
    }
    console.result(json!({ "files": files }));
    Ok(DONE)
}

/// As with `cc -c`: in this folder, with another suffix.
fn output_name(input: &Path) -> PathBuf {
    match input.file_stem() {
        Some(stem) if stem != "-" => Path::new(stem).with_extension("cwi"),
        _ => "stdin.cwi".into(),
    }
}
