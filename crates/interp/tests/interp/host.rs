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

/// What a program wrote, on standard output and on standard error.
#[derive(Debug, PartialEq)]
struct Written {
    out: String,
    err: String,
}

fn interpret(program: &Program, args: &[String], input: &[u8]) -> (Outcome, Written) {
    let (out, err) = (Shared::default(), Shared::default());
    let options = Options {
        args: args.iter().map(|a| a.clone().into_bytes()).collect(),
        stdin: Box::new(std::io::Cursor::new(input.to_vec())),
        stdout: Box::new(out.clone()),
        stderr: Box::new(err.clone()),
        files: true,
        ..Options::default()
    };
    let outcome = Machine::new(program, options).run("main");
    let text = |bytes: &Shared| String::from_utf8_lossy(&bytes.0.borrow()).into_owned();
    let written = Written {
        out: text(&out),
        err: text(&err),
    };
    (outcome, written)
}

/// The program as the host's compiler makes it; goes away with the value.
struct Binary(PathBuf);

impl Drop for Binary {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

fn build(path: &Path) -> Binary {
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
    Binary(binary)
}

fn native(binary: &Binary, args: &[String], input: &[u8]) -> (i32, Written) {
    let mut child = Command::new(&binary.0)
        .args(&args[1..])
        .env_clear()
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    std::io::Write::write_all(&mut child.stdin.take().expect("piped"), input).expect("it reads");
    let output = child.wait_with_output().expect("the program ends");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let written = Written {
        out: text(&output.stdout),
        err: text(&output.stderr),
    };
    (output.status.code().expect("a status"), written)
}

fn program(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/programs")
        .join(name)
}

/// Runs a program here and on the host.
fn check(name: &str) {
    check_with(name, &[]);
}

/// Runs a program here and on the host, once for each seed, which is its argument.
fn check_with(name: &str, seeds: &[u64]) {
    let path = program(&format!("{name}.c"));
    let input = std::fs::read(program(&format!("{name}.in"))).unwrap_or_default();
    let binary = build(&path);
    let compiled = compile(&path, Target::X86_64);
    let runs = match seeds {
        [] => vec![None],
        seeds => seeds.iter().map(|s| Some(s.to_string())).collect(),
    };
    for seed in runs {
        let mut args = vec![binary.0.to_string_lossy().into_owned()];
        args.extend(seed.clone());
        let (status, expected) = native(&binary, &args, &input);
        let (outcome, found) = interpret(&compiled, &args, &input);
        let run = seed.map_or(String::new(), |s| format!(" (CWOLF_SEED={s})"));
        for (n, (found, expected)) in found.out.lines().zip(expected.out.lines()).enumerate() {
            assert_eq!(found, expected, "line {} of {name}{run}", n + 1);
        }
        if let Outcome::Error(error) = &outcome {
            panic!("{run} {}", error.render(&compiled));
        }
        assert_eq!(found, expected, "{name}{run}");
        assert_eq!(outcome, Outcome::Exit(status), "{name}{run}");
    }
}

/// Tries many arguments, chosen by the seeds 1 to 6, or by the one that is asked for.
fn check_many(name: &str) {
    match std::env::var("CWOLF_SEED")
        .ok()
        .and_then(|s| s.parse().ok())
    {
        Some(seed) => check_with(name, &[seed]),
        None => check_with(name, &[1, 2, 3, 4, 5, 6]),
    }
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

#[test]
fn many_printf() {
    check_many("many_printf");
}

#[test]
fn many_scanf() {
    check_many("many_scanf");
}

#[test]
fn many_strings() {
    check_many("many_strings");
}

#[test]
fn many_times() {
    check_many("many_times");
}

#[test]
fn many_wide() {
    check_many("many_wide");
}

#[test]
fn randoms() {
    check("randoms");
}

#[test]
fn getopts() {
    check("getopts");
}

#[test]
fn inets() {
    check("inets");
}

#[test]
fn streams() {
    check("streams");
}
