//! A few of csmith's random programs, checksum against gcc's. `bench/corpus/csmith` runs as many
//! as you like. Skipped, with a printed reason, where csmith is not installed.

use crate::CWOLF;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

#[test]
fn default_programs() {
    check(1..=8, "-m64", &[]);
}

#[test]
fn bit_fields_and_unions() {
    check(
        1..=5,
        "-m64",
        &["--bitfields", "--packed-struct", "--unions"],
    );
}

#[test]
fn default_programs_32() {
    check(9..=12, "-m32", &[]);
}

#[allow(clippy::print_stderr)]
fn check(seeds: std::ops::RangeInclusive<u32>, machine: &str, options: &[&str]) {
    let include = Path::new("/usr/include/csmith");
    if Command::new("csmith").arg("--version").output().is_err() || !include.exists() {
        eprintln!("skipped: csmith and libcsmith-dev are not installed");
        return;
    }
    let work = PathBuf::from(env!("CARGO_TARGET_TMPDIR"))
        .join(format!("csmith{machine}{}", options.len()));
    std::fs::create_dir_all(&work).expect("a scratch folder");
    let (program, binary) = (work.join("p.c"), work.join("p"));
    let mut compared = 0;
    for seed in seeds.clone() {
        let seed = seed.to_string();
        run(Command::new("csmith")
            .args(["--seed", &seed, "-o"])
            .arg(&program)
            .args(options));
        let mut gcc = Command::new("gcc");
        gcc.args([machine, "-O0", "-fwrapv", "-w", "-I"])
            .arg(include);
        let built = run(gcc.arg(&program).arg("-o").arg(&binary));
        if !built.status.success() {
            assert_eq!(machine, "-m32", "gcc compiles what csmith writes");
            eprintln!("skipped: gcc -m32 does not work here (Debian: gcc-multilib)");
            return;
        }
        // A program that does not end soon says nothing.
        let expected = run(Command::new("timeout").arg("3").arg(&binary));
        if !expected.status.success() {
            continue;
        }
        let mut cwolf = Command::new(CWOLF);
        cwolf
            .args(["run", "-q", "--timeout", "60s", machine, "-I"])
            .arg(include);
        let got = run(cwolf.arg(&program));
        if got.status.code() == Some(5) {
            continue;
        }
        let errors = String::from_utf8_lossy(&got.stderr);
        assert_eq!(
            got.stdout, expected.stdout,
            "seed {seed} {machine} {options:?}: {errors}"
        );
        compared += 1;
    }
    assert!(compared > 0, "no program of {seeds:?} ended in time");
}

fn run(command: &mut Command) -> Output {
    command
        .output()
        .unwrap_or_else(|e| panic!("{command:?}: {e}"))
}
