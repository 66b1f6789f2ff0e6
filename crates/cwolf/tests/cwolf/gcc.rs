//! Programs of GNU C behave as gcc makes them: each `tests/gcc/*.c` is run both ways, and output and
//! status are compared. A first line `// gcc: …` has options for both.

use crate::CWOLF;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn run(command: &mut Command) -> Output {
    command
        .output()
        .unwrap_or_else(|e| panic!("{command:?}: {e}"))
}

#[test]
fn programs_behave_as_with_gcc() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/gcc");
    let work = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("gcc");
    std::fs::create_dir_all(&work).expect("a scratch folder");
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("the programs are there")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|e| e == "c"))
        .collect();
    files.sort();
    assert!(!files.is_empty());
    let chosen = std::env::var("CWOLF_ONLY").unwrap_or_default();
    for file in files {
        let name = file.file_stem().unwrap_or_default().to_string_lossy();
        if !name.contains(&chosen) {
            continue;
        }
        let text = std::fs::read_to_string(&file).expect("a text");
        let first = text.lines().next().and_then(|l| l.strip_prefix("// gcc:"));
        let options: Vec<&str> = first.unwrap_or_default().split_whitespace().collect();
        let binary = work.join(&*name);
        let mut gcc = Command::new("gcc");
        gcc.args(["-w", "-O0", "-fwrapv"]).args(&options);
        let built = run(gcc.arg(&file).arg("-o").arg(&binary).arg("-lm"));
        let said = String::from_utf8_lossy(&built.stderr);
        assert!(built.status.success(), "{name}: {said}");
        let expected = run(&mut Command::new(&binary));
        let got = run(Command::new(CWOLF)
            .args(["run", "-q"])
            .args(&options)
            .arg(&file));
        let said = String::from_utf8_lossy(&got.stderr);
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        assert_eq!(text(&got.stdout), text(&expected.stdout), "{name}: {said}");
        assert_eq!(got.status.code(), expected.status.code(), "{name}: {said}");
    }
}
