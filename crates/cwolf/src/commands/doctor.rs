//! `cwolf doctor`: what this machine has of what cwolf can use, and how to get what is missing.

use crate::args::{Doctor, address_space};
use crate::exit::{BAD_INPUT, DONE, Exit};
use crate::render::Console;
use anyhow::Result;
use cwolf_cfront::Preprocessor;
use cwolf_scan::cache::usual_folder;
use serde_json::{Value, json};
use std::path::Path;
use std::process::{Command, Stdio};

/// One thing that was looked at.
struct Found {
    what: &'static str,
    /// What there is, or what is missing.
    result: Result<String, String>,
    /// Whether nothing works without it.
    needed: bool,
    /// How to get it.
    help: &'static str,
}

pub fn run(_: &Doctor, console: &Console) -> Result<Exit> {
    let all = [
        Found {
            what: "C preprocessor and headers",
            result: preprocess("#include <stdio.h>\n#include <stdlib.h>\n", &[]),
            needed: true,
            help: "install gcc or clang and the C library's headers (Debian: apt install gcc libc6-dev), or set CC",
        },
        Found {
            what: "headers for --32",
            result: preprocess("#include <stdio.h>\n", &["-m32"]),
            needed: false,
            help: "Debian: apt install gcc-multilib; needed for --32 and -m32 only",
        },
        Found {
            what: "gcc with sanitizers",
            result: sanitizers(),
            needed: false,
            help: "install gcc with libasan and libubsan; needed to run what --harness writes",
        },
        Found {
            what: "temporary folder",
            result: writable(&std::env::temp_dir()),
            needed: true,
            help: "set TMPDIR to a folder that can be written",
        },
        Found {
            what: "cache folder",
            result: match usual_folder() {
                Some(folder) => writable(&folder),
                None => Err("neither CWOLF_CACHE, XDG_CACHE_HOME nor HOME is set".into()),
            },
            needed: false,
            help: "set CWOLF_CACHE to a folder that can be written; without it, scan keeps no answers",
        },
        Found {
            what: "processors",
            result: match std::thread::available_parallelism() {
                Ok(n) => Ok(n.to_string()),
                Err(e) => Err(e.to_string()),
            },
            needed: false,
            help: "",
        },
        Found {
            what: "memory limit",
            result: Ok(match address_space() {
                Some(bytes) => format!("{} MiB (ulimit -v)", bytes >> 20),
                None => "none".into(),
            }),
            needed: false,
            help: "",
        },
    ];
    let mut text = String::new();
    let mut list: Vec<Value> = Vec::new();
    for found in &all {
        let (mark, words) = match &found.result {
            Ok(words) => ("ok", words),
            Err(words) if found.needed => ("missing", words),
            Err(words) => ("absent", words),
        };
        text += &format!("{mark:8} {}: {words}\n", found.what);
        if found.result.is_err() {
            text += &format!("         help: {}\n", found.help);
        }
        list.push(json!({
            "what": found.what,
            "status": mark,
            "detail": words,
            "help": found.result.is_err().then_some(found.help),
        }));
    }
    let good = all.iter().all(|f| f.result.is_ok() || !f.needed);
    console.print(None, text.as_bytes())?;
    console.result(json!({ "ready": good, "checks": list }));
    Ok(if good { DONE } else { BAD_INPUT })
}

/// Whether the preprocessor takes a text.
fn preprocess(text: &str, flags: &[&str]) -> Result<String, String> {
    let path = std::env::temp_dir().join(format!("cwolf-doctor-{}.c", std::process::id()));
    std::fs::write(&path, text).map_err(|e| e.to_string())?;
    let flags = flags.iter().map(ToString::to_string).collect();
    let done = Preprocessor::new(flags).run(&path);
    let _ = std::fs::remove_file(&path);
    match done {
        Ok(_) => Ok("found".into()),
        Err(error) => Err(error
            .to_string()
            .lines()
            .next()
            .unwrap_or("failed")
            .to_owned()),
    }
}

fn sanitizers() -> Result<String, String> {
    let output = std::env::temp_dir().join(format!("cwolf-doctor-{}", std::process::id()));
    let done = Command::new("sh")
        .args(["-c", "echo 'int main(void) { return 0; }' | ${CC:-gcc} -xc - -fsanitize=address,undefined -o \"$0\""])
        .arg(&output)
        .stderr(Stdio::null())
        .status();
    let _ = std::fs::remove_file(&output);
    match done {
        Ok(status) if status.success() => Ok("found".into()),
        _ => Err("the compiler does not link a program with them".into()),
    }
}

fn writable(folder: &Path) -> Result<String, String> {
    let shown = folder.display();
    let file = folder.join(format!("cwolf-doctor-{}.tmp", std::process::id()));
    let written = std::fs::create_dir_all(folder).and_then(|()| std::fs::write(&file, "x"));
    let _ = std::fs::remove_file(&file);
    match written {
        Ok(()) => Ok(shown.to_string()),
        Err(error) => Err(format!("{shown} cannot be written: {error}")),
    }
}
