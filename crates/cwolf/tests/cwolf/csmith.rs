//! A few of csmith's random programs, checksum against gcc's. `bench/corpus/csmith` runs as many
//! as you like. Skipped, with a printed reason, where csmith is not installed.

use crate::CWOLF;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

#[test]
fn default_programs() {
    check(1..=8, &["gcc", "-m64"], "", "-m64", &[]);
}

#[test]
fn bit_fields_and_unions() {
    check(1..=5, &["gcc", "-m64"], "", "-m64", &ALL_KINDS);
}

#[test]
fn default_programs_32() {
    check(9..=12, &["gcc", "-m32"], "", "-m32", &[]);
}

#[test]
fn the_highest_byte_first() {
    let (compiler, machine) = ("powerpc64-linux-gnu-gcc", "--target=powerpc64");
    let build = [compiler, "-static"];
    check(1..=4, &build, "qemu-ppc64", machine, &ALL_KINDS);
}

#[test]
fn the_highest_byte_first_with_32_bits() {
    let build = ["mips-linux-gnu-gcc", "-static"];
    check(5..=8, &build, "qemu-mips", "--target=mips", &ALL_KINDS);
}

const ALL_KINDS: [&str; 3] = ["--bitfields", "--packed-struct", "--unions"];

#[allow(clippy::print_stderr)]
fn check(
    seeds: std::ops::RangeInclusive<u32>,
    build: &[&str],
    emulator: &str,
    machine: &str,
    options: &[&str],
) {
    let include = Path::new("/usr/include/csmith");
    if Command::new("csmith").arg("--version").output().is_err() || !include.exists() {
        eprintln!("skipped: csmith and libcsmith-dev are not installed");
        return;
    }
    let missing = |name: &&str| Command::new(name).arg("--version").output().is_err();
    let needed = [build[0], emulator].into_iter().filter(|n| !n.is_empty());
    if let Some(name) = needed.into_iter().find(|n| missing(n)) {
        eprintln!("skipped: {name} is not installed");
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
        let mut gcc = Command::new(build[0]);
        gcc.args(&build[1..])
            .args(["-O0", "-fwrapv", "-w", "-I"])
            .arg(include);
        let built = run(gcc.arg(&program).arg("-o").arg(&binary));
        if !built.status.success() {
            assert_eq!(machine, "-m32", "gcc compiles what csmith writes");
            eprintln!("skipped: gcc -m32 does not work here (Debian: gcc-multilib)");
            return;
        }
        // A program that does not end soon says nothing.
        let expected = run(Command::new("timeout")
            .arg("3")
            .args(Some(emulator).filter(|e| !e.is_empty()))
            .arg(&binary));
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
