//! Every program that `verify` calls wrong must fail again: by its harness under gcc, at the same
//! place, and by the command that the report gives, in the interpreter.
//!
//! The first line of a program in `tests/failing` has the options of verify.
//! Programs of the cases and examples come along with no options.

use libtest_mimic::{Failed, Trial};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A trial for each program.
pub fn trials(root: &Path, scratch: &Path, cwolf: &'static str) -> Vec<Trial> {
    let tests = root.join("tests");
    let mut programs = Vec::new();
    for file in c_files(&tests.join("failing")) {
        programs.push((file, true));
    }
    for folder in [tests.join("cases/verify"), root.join("examples")] {
        programs.extend(c_files(&folder).into_iter().map(|file| (file, false)));
    }
    let trial = |(file, must_fail): (PathBuf, bool)| {
        let shown = file.strip_prefix(root).unwrap_or(&file);
        let name = format!("harness/{}", shown.display());
        let scratch = scratch.join(&name);
        Trial::test(name, move || check(&file, must_fail, &scratch, cwolf))
    };
    programs.into_iter().map(trial).collect()
}

/// The C files of a folder and its folders, in order.
fn c_files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let entries = fs::read_dir(folder).expect("a readable folder");
    for entry in entries.map(|e| e.expect("a readable entry").path()) {
        if entry.is_dir() {
            found.extend(c_files(&entry));
        } else if entry.extension().is_some_and(|e| e == "c") {
            found.push(entry);
        }
    }
    found.sort();
    found
}

fn check(file: &Path, must_fail: bool, scratch: &Path, cwolf: &str) -> Result<(), Failed> {
    let text = String::from_utf8_lossy(&fs::read(file)?).into_owned();
    let option = |mark: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(mark));
        line.unwrap_or_default().trim().to_owned()
    };
    let _ = fs::remove_dir_all(scratch);
    fs::create_dir_all(scratch)?;
    let folder = file.parent().expect("a file is in a folder");
    let name = file.file_name().expect("it has a name").to_string_lossy();
    let (report, harness) = (scratch.join("report.json"), scratch.join("harness"));
    // Most of the others do not fail: a proof of that is not asked for here.
    let time = if must_fail { "20s" } else { "3s" };
    let script = format!(
        "{cwolf} verify -q --timeout {time} --json={} --harness {} --bundle {} {} {name}",
        report.display(),
        harness.display(),
        scratch.join("bundle").display(),
        option("// verify:"),
    );
    let verified = shell(&script, folder)?;
    if verified.status.code() != Some(10) {
        return match must_fail {
            true => Err(format!("no failure is found: {}", text_of(&verified)).into()),
            false => Ok(()),
        };
    }
    let report: Value = serde_json::from_slice(&fs::read(&report)?)?;
    let result = &report["result"];
    repeats(result, folder, cwolf)?;
    let kind = result["kind"].as_str().unwrap_or_default();
    let unseen = kind == "uninitialised" || kind.starts_with("slic");
    let wanted = if unseen { 5 } else { 10 };
    // From somewhere else: the script finds the sources by itself.
    let run = shell(&format!("sh {}", harness.join("run.sh").display()), scratch)?;
    let said = text_of(&run);
    let promised = said.contains("run.sh: the program fails as promised");
    match run.status.code() == Some(wanted) && promised != unseen {
        true => Ok(()),
        false => Err(format!(
            "run.sh ends with {:?}, not {wanted}: {said}",
            run.status.code()
        )
        .into()),
    }
}

/// The command of the report ends at the same place.
fn repeats(result: &Value, folder: &Path, cwolf: &str) -> Result<(), Failed> {
    let trace = &result["trace"];
    let command = trace["repeat"]
        .as_str()
        .ok_or("the report has no command")?;
    let rest = command
        .strip_prefix("cwolf ")
        .ok_or("the command is cwolf's")?;
    let run = shell(&format!("{cwolf} {rest}"), folder)?;
    let last = trace["steps"].as_array().and_then(|steps| steps.last());
    let place = last.map_or(&Value::Null, |step| &step["place"]);
    let line = format!(
        "{}:{}:",
        place["file"].as_str().unwrap_or_default(),
        place["line"]
    );
    let message = trace["message"].as_str().unwrap_or_default();
    let said = text_of(&run);
    match run.status.code() == Some(10) && said.contains(&line) && said.contains(message) {
        true => Ok(()),
        false => Err(format!("{command}\ndoes not fail at {line} {message}: {said}").into()),
    }
}

fn shell(script: &str, folder: &Path) -> Result<Output, Failed> {
    let mut command = Command::new("sh");
    command.arg("-c").arg(script).current_dir(folder);
    Ok(command.env_remove("CFLAGS").env_remove("CC").output()?)
}

fn text_of(output: &Output) -> String {
    let parts = [&output.stdout, &output.stderr];
    parts
        .map(|p| String::from_utf8_lossy(p).into_owned())
        .concat()
}
