//! Programs behave as on the machine that `--target` names: each `tests/targets/*.c` is compiled by its
//! cross compiler, run by qemu, and compared with `cwolf run`. What is not installed is skipped, and the
//! test says so.

use crate::CWOLF;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The target, its compiler, its emulator.
const MACHINES: [(&str, &str, &str); 5] = [
    ("powerpc64", "powerpc64-linux-gnu-gcc", "qemu-ppc64"),
    ("mips", "mips-linux-gnu-gcc", "qemu-mips"),
    ("aarch64", "aarch64-linux-gnu-gcc", "qemu-aarch64"),
    ("arm", "arm-linux-gnueabihf-gcc", "qemu-arm"),
    ("riscv64", "riscv64-linux-gnu-gcc", "qemu-riscv64"),
];

#[allow(clippy::print_stderr)]
fn installed(command: &str) -> bool {
    let found = Command::new(command).arg("--version").output();
    let fine = found.is_ok_and(|output| output.status.success());
    if !fine {
        eprintln!("skipped: {command} is not installed");
    }
    fine
}

fn programs() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/targets");
    let entries = std::fs::read_dir(folder).expect("the programs are there");
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|e| e == "c"))
        .collect();
    files.sort();
    assert!(!files.is_empty());
    files
}

fn ours(target: &str, file: &Path) -> (String, Option<i32>) {
    let mut command = Command::new(CWOLF);
    command.args(["run", "-q", "--target", target]).arg(file);
    let output = command.output().expect("cwolf runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.is_empty(), "{target} {}: {said}", file.display());
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    (text, output.status.code())
}

#[test]
fn programs_behave_as_on_the_target() {
    let work = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("targets");
    std::fs::create_dir_all(&work).expect("a scratch folder");
    for (target, compiler, emulator) in MACHINES {
        if !installed(compiler) || !installed(emulator) {
            continue;
        }
        for file in programs() {
            let name = file.file_stem().unwrap_or_default().to_string_lossy();
            let binary = work.join(format!("{name}-{target}"));
            let mut build = Command::new(compiler);
            build.args(["-w", "-O0", "-fwrapv", "-static", "-o"]);
            let built = build.arg(&binary).arg(&file).arg("-lm").output();
            let built = built.expect("the compiler runs");
            let said = String::from_utf8_lossy(&built.stderr);
            assert!(built.status.success(), "{target} {name}: {said}");
            let run = Command::new(emulator).arg(&binary).output();
            let run = run.expect("the emulator runs");
            let want = String::from_utf8_lossy(&run.stdout).into_owned();
            let got = ours(target, &file);
            assert_eq!(got, (want, run.status.code()), "{target} {name}");
        }
    }
}
