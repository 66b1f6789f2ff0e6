//! C programs whose output, status and way of failing must be those of the host's compiler and
//! library.

use cwolf_cfront::{Options as Language, Preprocessor, compile_text};
use cwolf_cwi::{Program, Target};
use cwolf_interp::{Machine, Options, Outcome};
use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::rc::Rc;

#[derive(Clone, Default)]
struct Shared(Rc<RefCell<Vec<u8>>>);

impl std::io::Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.borrow_mut().extend_from_slice(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn compile(path: &Path, target: Target) -> Program {
    let text = Preprocessor::new(Vec::new())
        .run(path)
        .expect("preprocessed");
    let language = Language {
        target,
        ..Language::default()
    };
    let name = path.to_string_lossy();
    let compiled = compile_text(&name, &text.text, &language);
    let messages: Vec<_> = compiled.diagnostics.iter().map(|d| &d.message).collect();
    compiled.program.unwrap_or_else(|| panic!("{messages:?}"))
}

fn interpret(program: &Program, input: &[u8]) -> (Outcome, String) {
    let out = Shared::default();
    let options = Options {
        stdin: Box::new(std::io::Cursor::new(input.to_vec())),
        stdout: Box::new(out.clone()),
        files: true,
        ..Options::default()
    };
    let outcome = Machine::new(program, options).run("main");
    let text = String::from_utf8_lossy(&out.0.borrow()).into_owned();
    (outcome, text)
}

fn native(path: &Path, input: &[u8]) -> (i32, String) {
    let name = path
        .file_stem()
        .expect("a name")
        .to_string_lossy()
        .into_owned();
    let binary = std::env::temp_dir().join(format!("cwolf-host-{}-{name}", std::process::id()));
    let compiled = Command::new("gcc")
        .args(["-w", "-O0", "-fno-builtin", "-o"])
        .arg(&binary)
        .arg(path)
        .arg("-lm")
        .status()
        .expect("gcc runs");
    assert!(compiled.success(), "gcc compiles {name}");
    let mut child = Command::new(&binary)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program starts");
    std::io::Write::write_all(&mut child.stdin.take().expect("piped"), input).expect("it reads");
    let output = child.wait_with_output().expect("the program ends");
    std::fs::remove_file(&binary).expect("it was there");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    (output.status.code().expect("a status"), text)
}

fn program(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/programs")
        .join(name)
}

/// Runs a program here and on the host.
fn check(name: &str) {
    let path = program(&format!("{name}.c"));
    let input = std::fs::read(program(&format!("{name}.in"))).unwrap_or_default();
    let (status, expected) = native(&path, &input);
    let compiled = compile(&path, Target::Lp64);
    let (outcome, found) = interpret(&compiled, &input);
    for (n, (found, expected)) in found.lines().zip(expected.lines()).enumerate() {
        assert_eq!(found, expected, "line {} of {name}", n + 1);
    }
    if let Outcome::Error(error) = &outcome {
        panic!("{}", error.render(&compiled));
    }
    assert_eq!(found.len(), expected.len());
    assert_eq!(outcome, Outcome::Exit(status));
}

#[test]
fn printf() {
    check("printf");
}

#[test]
fn scanf() {
    check("scanf");
}

#[test]
fn strings() {
    check("strings");
}

#[test]
fn stdlib() {
    check("stdlib");
}

#[test]
fn math() {
    check("math");
}
