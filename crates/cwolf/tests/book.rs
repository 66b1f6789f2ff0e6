//! Runs what the README and the book show.
//!
//! A block marked `console` is a transcript: lines that start with `$ ` are typed, what follows
//! is what comes out (standard output and error together), a last line `(exit N)` says how it
//! ended if not with 0, and a line `...` stands for any lines. All blocks of a page run in one
//! copy of `examples/`, so that paths read as from the top of a clone. `CWOLF_BLESS=1` writes
//! what came out into the page, except around `...`.

use libtest_mimic::{Arguments, Failed, Trial};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const CWOLF: &str = env!("CARGO_BIN_EXE_cwolf");

/// A command and what it should print.
struct Step {
    command: String,
    expected: Vec<String>,
}

fn main() {
    let top = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let scratch = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("book");
    let mut pages = vec![top.join("README.md")];
    let docs = fs::read_dir(top.join("docs")).expect("docs exists");
    pages.extend(docs.map(|e| e.expect("a readable entry").path()));
    pages.retain(|p| p.extension().is_some_and(|e| e == "md"));
    pages.sort();
    let trials = pages.into_iter().map(|page| {
        let name = page
            .strip_prefix(&top)
            .expect("inside")
            .display()
            .to_string();
        let (top, scratch) = (top.clone(), scratch.join(&name));
        Trial::test(name, move || check(&page, &top, &scratch))
    });
    libtest_mimic::run(&Arguments::from_args(), trials.collect()).exit();
}

fn check(page: &Path, top: &Path, scratch: &Path) -> Result<(), Failed> {
    let text = fs::read_to_string(page)?;
    let _ = fs::remove_dir_all(scratch);
    fs::create_dir_all(scratch.join("bin"))?;
    copy(&top.join("examples"), &scratch.join("examples"))?;
    let made = Command::new(CWOLF)
        .arg("install-links")
        .arg(scratch.join("bin"))
        .status()?;
    assert!(made.success(), "install-links");
    let (mut new, mut wrong) = (String::new(), String::new());
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        new += &format!("{line}\n");
        if line.trim_end() != "```console" {
            continue;
        }
        let block: Vec<&str> = lines.by_ref().take_while(|l| *l != "```").collect();
        for step in steps(&block)? {
            let got = run(&step.command, scratch)?;
            let fits = matches(&step.expected, &got);
            if !fits {
                wrong += &format!(
                    "$ {}\n--- expected\n{}\n--- got\n{}\n",
                    step.command,
                    step.expected.join("\n"),
                    got.join("\n")
                );
            }
            let has_gap = step.expected.iter().any(|l| l == "...");
            let shown = if fits || has_gap {
                &step.expected
            } else {
                &got
            };
            new += &format!("$ {}\n", step.command);
            new.extend(shown.iter().map(|l| format!("{l}\n")));
        }
        new += "```\n";
    }
    if std::env::var_os("CWOLF_BLESS").is_some() {
        if new != text {
            fs::write(page, new)?;
        }
        return Ok(());
    }
    match wrong.is_empty() {
        true => Ok(()),
        false => Err(wrong.into()),
    }
}

fn steps(block: &[&str]) -> Result<Vec<Step>, Failed> {
    let mut steps: Vec<Step> = Vec::new();
    for line in block {
        if let Some(command) = line.strip_prefix("$ ") {
            let command = command.to_owned();
            let expected = Vec::new();
            steps.push(Step { command, expected });
        } else {
            let step = steps.last_mut().ok_or("a transcript starts with `$ `")?;
            step.expected.push((*line).to_owned());
        }
    }
    Ok(steps)
}

fn run(command: &str, scratch: &Path) -> Result<Vec<String>, Failed> {
    let path = std::env::var("PATH").unwrap_or_default();
    // What a clone's reader types before anything is installed.
    let command = command.replace("cargo run --release -q -- ", "cwolf ");
    let output = Command::new("sh")
        .args(["-c", &format!("{{ {command}\n}} 2>&1")])
        .current_dir(scratch)
        .env("PATH", format!("{}:{path}", scratch.join("bin").display()))
        .env("NO_COLOR", "1")
        .env("LC_ALL", "C")
        .env_remove("CC")
        .output()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut lines: Vec<String> = text.lines().map(|l| l.trim_end().to_owned()).collect();
    match output.status.code() {
        Some(0) => {}
        Some(code) => lines.push(format!("(exit {code})")),
        None => lines.push("(a signal)".to_owned()),
    }
    Ok(lines)
}

/// Whether the lines are as expected, where `...` is any number of lines.
fn matches(expected: &[String], got: &[String]) -> bool {
    match expected.split_first() {
        None => got.is_empty(),
        Some((first, rest)) if first == "..." => {
            (0..=got.len()).any(|skip| matches(rest, &got[skip..]))
        }
        Some((first, rest)) => {
            got.first().is_some_and(|line| line == first.trim_end()) && matches(rest, &got[1..])
        }
    }
}

fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        match entry.file_type()?.is_dir() {
            true => copy(&entry.path(), &target)?,
            false => drop(fs::copy(entry.path(), target)?),
        }
    }
    Ok(())
}
