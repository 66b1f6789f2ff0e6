//! Runs C files with gcc and with CWI.

use cwolf_cfront::{Options, compile_text};
use cwolf_cwi::Program;
use cwolf_interp::{Machine, Options as RunOptions, Outcome};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The C files of a folder beside the tests.
pub fn cases(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests")
        .join(folder);
    let list = std::fs::read_dir(folder).expect("the cases are there");
    let mut files: Vec<PathBuf> = list.map(|f| f.expect("a file").path()).collect();
    files.sort();
    files
}

/// What the program writes, and its exit status, when gcc compiles it.
pub fn by_gcc(file: &Path) -> (String, i32) {
    let part = |path: Option<&OsStr>| path.expect("a name").to_string_lossy().into_owned();
    let (folder, stem) = (
        part(file.parent().and_then(Path::file_name)),
        part(file.file_stem()),
    );
    let name = format!("cwolf-{folder}-{}-{stem}", std::process::id());
    let binary = std::env::temp_dir().join(name);
    let mut gcc = Command::new("gcc");
    gcc.args(["-std=gnu17", "-w", "-O0", "-fwrapv", "-fno-builtin", "-o"]);
    let status = gcc.arg(&binary).arg(file).status().expect("gcc is there");
    assert!(status.success(), "gcc refuses {}", file.display());
    let output = Command::new(&binary).output().expect("the program runs");
    std::fs::remove_file(&binary).expect("the binary is ours");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    (text, output.status.code().expect("it exits"))
}

/// The program as CWI.
pub fn compile(file: &Path) -> Program {
    let text = std::fs::read(file).expect("the case can be read");
    let compilation = compile_text("case.c", &text, &Options::default());
    let messages: Vec<_> = compilation.diagnostics.iter().map(|d| &d.message).collect();
    match compilation.program {
        Some(program) => program,
        None => panic!("{}: {messages:#?}", file.display()),
    }
}

/// What the program writes, and its exit status, when it is run as CWI.
pub fn by_cwi(program: &Program) -> (String, i32) {
    let mut stdout = Vec::new();
    let options = RunOptions {
        stdout: Box::new(&mut stdout),
        ..RunOptions::default()
    };
    let outcome = Machine::new(program, options).run("main");
    match outcome {
        Outcome::Exit(status) => (String::from_utf8_lossy(&stdout).into_owned(), status & 255),
        other => panic!("{other:?}\n{}", String::from_utf8_lossy(&stdout)),
    }
}
