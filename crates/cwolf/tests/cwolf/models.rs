//! The programs in `examples/models`: each has a model without a map, on which its property is decided, and whatever it
//! does under gcc is in the model.

use crate::CWOLF;
use cwolf_lts::{Lts, read_path};
use cwolf_monitor::Automaton;
use std::path::{Path, PathBuf};
use std::process::Command;

/// So many runs of each program are followed.
const RUNS: u32 = 25;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/models")
}

fn programs() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder()).expect("a folder");
    let paths = entries.map(|e| e.expect("an entry").path());
    let is_program = |p: &PathBuf| p.extension().is_some_and(|e| e == "c") && !p.ends_with("run.c");
    let mut list: Vec<PathBuf> = paths.filter(is_program).collect();
    list.sort();
    assert!(list.len() >= 10, "{list:?}");
    list
}

/// What stands behind `property:` in the program's first comment.
fn property(program: &Path) -> String {
    let text = std::fs::read_to_string(program).expect("a program");
    let line = text.lines().find_map(|l| l.split_once("property: "));
    let formula = line.expect("a property").1;
    formula.trim_end_matches("*/").trim().to_owned()
}

fn scratch(program: &Path, suffix: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("models");
    std::fs::create_dir_all(&folder).expect("a scratch folder");
    let stem = program.file_stem().expect("a name").to_string_lossy();
    folder.join(format!("{stem}{suffix}"))
}

fn run(command: &mut Command) -> (Option<i32>, String) {
    let out = command.output().expect("it starts");
    let said = [out.stdout, out.stderr].concat();
    (
        out.status.code(),
        String::from_utf8_lossy(&said).into_owned(),
    )
}

fn model(program: &Path) -> Lts {
    let to = scratch(program, ".json");
    let map = scratch(program, ".am");
    let command = &mut Command::new(CWOLF);
    let command = command.args(["-q", "model", "-d", "0", "--auto"]).arg(&map);
    let (code, said) = run(command.arg(program).arg("-o").arg(&to));
    assert_eq!(code, Some(0), "{}: {said}", program.display());
    read_path(&to, None).expect("a model")
}

/// What a run shows that the model does not allow, if anything, and how many events there were.
fn follow(automaton: &mut Automaton, trace: &str) -> Result<usize, String> {
    let mut at = automaton.start();
    for (n, event) in trace.lines().enumerate() {
        at = automaton.step(at, event).ok_or_else(|| {
            let expected = automaton.expected(at);
            format!("event {n}, `{event}`, is not in the model; it has {expected:?}")
        })?;
    }
    Ok(trace.lines().count())
}

#[test]
fn what_gcc_runs_is_in_the_automatic_model() {
    for program in programs() {
        let lts = model(&program);
        let binary = scratch(&program, "");
        let gcc = &mut Command::new("gcc");
        let (code, said) = run(gcc
            .arg("-o")
            .arg(&binary)
            .arg(&program)
            .arg(folder().join("run.c")));
        assert_eq!(code, Some(0), "{said}");
        let mut automaton = Automaton::new(&lts);
        let mut events = 0;
        for seed in 0..RUNS {
            let (_, trace) = run(Command::new(&binary).arg(seed.to_string()));
            match follow(&mut automaton, &trace) {
                Ok(followed) => events += followed,
                Err(miss) => panic!("{} {seed}: {miss}", binary.display()),
            }
        }
        assert!(
            events >= RUNS as usize,
            "{}: only {events} events",
            binary.display()
        );
    }
}

/// Each property holds, and is decided without a map; none is ever said to be violated.
#[test]
fn the_property_is_proved_without_a_map() {
    for program in programs() {
        let command = &mut Command::new(CWOLF);
        let command = command.args(["-q", "model", "--timeout", "120s", "--check"]);
        let (code, said) = run(command.arg(property(&program)).arg(&program));
        assert_eq!(code, Some(0), "{}: {said}", program.display());
    }
}
