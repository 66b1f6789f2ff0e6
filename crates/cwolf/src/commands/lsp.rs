//! `cwolf lsp`: the language server, on standard input and output. Each file is scanned by a process of its own.

use crate::args::Lsp;
use crate::exit::{DONE, Exit, USAGE};
use crate::render::Console;
use anyhow::{Context, Result};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

pub fn run(args: &Lsp, console: &Console) -> Result<Exit> {
    let program = std::env::current_exe().context("cannot find the program itself")?;
    let timeout = args.function_timeout;
    let scan = move |path: &str, function: Option<&str>| -> Result<Value, String> {
        let mut command = Command::new(&program);
        let folder = project(Path::new(path));
        command
            .args(["--quiet", "--json", "-", "scan", "--jobs=1"])
            .arg(format!("--function-timeout={}ms", timeout.as_millis()))
            .current_dir(&folder)
            .stdin(Stdio::null());
        // A function that the user asks for may take longer.
        if let Some(function) = function {
            command.arg(format!("--function={function}"));
            command.arg(format!("--function-timeout={}ms", timeout.as_millis() * 4));
        }
        command.arg(path);
        let output = command
            .output()
            .map_err(|e| format!("cannot scan {path}: {e}"))?;
        let document: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
        match document["result"].is_object() {
            true => Ok(document["result"].clone()),
            false => {
                let said = document["messages"][0]["text"].as_str();
                Err(said.unwrap_or("the scan failed").to_owned())
            }
        }
    };
    let input = std::io::BufReader::new(std::io::stdin());
    let polite = cwolf_lsp::serve(input, std::io::stdout(), Arc::new(scan));
    let polite = polite.context("the editor went away")?;
    console.detail("the editor is done");
    Ok(if polite { DONE } else { USAGE })
}

/// The folder whose project file counts: the file's own, from which those above are found.
fn project(path: &Path) -> PathBuf {
    let folder = path.parent().filter(|f| f.is_dir());
    folder.map_or_else(|| PathBuf::from("."), Path::to_owned)
}
