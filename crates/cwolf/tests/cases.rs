//! Runs every case under `tests/cases/<area>/<case>/`, and the harness of every failing program.
//!
//! A case is a folder with a shell script `cmd` (its comments say why the case exists) and the
//! expected `stdout`, `stderr` and `exit` (a missing file means empty, or status 0). It runs in
//! a copy of the folder, with `cwolf` and the thesis' command names on the path. A `stdin` file is
//! fed to it. `CWOLF_BLESS=1` writes what came out as what is expected.

mod harness;

use libtest_mimic::{Arguments, Failed, Trial};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const CWOLF: &str = env!("CARGO_BIN_EXE_cwolf");

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/cases");
    let root = root.canonicalize().expect("tests/cases exists");
    let scratch = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("cases");
    // A folder a process: runners like nextest start one for each case, side by side.
    let links = scratch.join(format!("bin-{}", std::process::id()));
    fs::create_dir_all(&links).expect("a scratch folder");
    let made = Command::new(CWOLF)
        .arg("install-links")
        .arg(&links)
        .output()
        .expect("cwolf runs");
    assert!(
        made.status.success(),
        "install-links: {}",
        String::from_utf8_lossy(&made.stderr)
    );

    let mut trials = Vec::new();
    for area in folders(&root) {
        for case in folders(&area) {
            let name = case
                .strip_prefix(&root)
                .expect("inside")
                .display()
                .to_string();
            let (scratch, links) = (scratch.join(&name), links.clone());
            trials.push(Trial::test(name, move || run(&case, &scratch, &links)));
        }
    }
    let project = root.join("../..").canonicalize().expect("the project");
    trials.extend(harness::trials(&project, &scratch, CWOLF));
    assert!(!trials.is_empty(), "no cases under {}", root.display());
    let conclusion = libtest_mimic::run(&Arguments::from_args(), trials);
    let _ = fs::remove_dir_all(&links);
    conclusion.exit();
}

fn folders(parent: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(parent).expect("a readable folder");
    let mut list: Vec<_> = entries
        .map(|e| e.expect("a readable entry").path())
        .collect();
    list.retain(|p| p.is_dir());
    list.sort();
    list
}

fn run(case: &Path, scratch: &Path, links: &Path) -> Result<(), Failed> {
    let _ = fs::remove_dir_all(scratch);
    copy(case, scratch)?;
    for expected in ["stdout", "stderr", "exit"] {
        let _ = fs::remove_file(scratch.join(expected));
    }
    let path = format!(
        "{}:{}",
        links.display(),
        std::env::var("PATH").unwrap_or_default()
    );
    let stdin = match fs::File::open(case.join("stdin")) {
        Ok(file) => Stdio::from(file),
        Err(_) => Stdio::null(),
    };
    let output = Command::new("sh")
        .args(["-u", "cmd"])
        .current_dir(scratch)
        .env("PATH", path)
        .env("NO_COLOR", "1")
        .env("LC_ALL", "C")
        .env("EXAMPLES", examples())
        .env_remove("CC")
        .stdin(stdin)
        .output()?;
    let exit = output
        .status
        .code()
        .map_or("signal".to_owned(), |c| c.to_string());
    let got = [
        (
            "stdout",
            String::from_utf8_lossy(&output.stdout).into_owned(),
        ),
        (
            "stderr",
            String::from_utf8_lossy(&output.stderr).into_owned(),
        ),
        (
            "exit",
            if exit == "0" {
                String::new()
            } else {
                exit + "\n"
            },
        ),
    ];
    if std::env::var_os("CWOLF_BLESS").is_some() {
        for (name, text) in &got {
            let file = case.join(name);
            if text.is_empty() {
                let _ = fs::remove_file(file);
            } else {
                fs::write(file, text)?;
            }
        }
        return Ok(());
    }
    let mut wrong = String::new();
    for (name, text) in &got {
        let expected = fs::read_to_string(case.join(name)).unwrap_or_default();
        if *text != expected {
            wrong += &format!("--- expected {name}\n{expected}--- got {name}\n{text}");
        }
    }
    if wrong.is_empty() {
        Ok(())
    } else {
        Err(wrong.into())
    }
}

fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples")
}
