//! The programs of `tests/programs`: what people write with arrays, lists, strings and allocated memory, each with a twin
//! that has a fault. No answer of the default configuration may be wrong. `CWOLF_SECONDS=60` gives it time to decide
//! each; then only those that `undecided.txt` lists, a line each, may stay unknown, and a line that is no longer needed
//! fails the test, so that the list shrinks. `CWOLF_ONLY=name` runs some of them.

use crate::ask::Said;
use crate::number;
use crate::verdicts::{allowed, asked, header};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// For a program, unless there is time to decide all.
const SHORT: u64 = 3;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs")
}

/// The names of what is not decided yet.
fn undecided() -> BTreeSet<String> {
    let list = fs::read_to_string(folder().join("undecided.txt")).unwrap_or_default();
    list.lines().map(str::to_owned).collect()
}

/// How long to ask about a program, and whether it must be decided then.
fn time() -> (Duration, bool) {
    let seconds = number("CWOLF_SECONDS", SHORT);
    (Duration::from_secs(seconds), seconds > SHORT)
}

/// What is wrong with the answer about a program or its twin.
fn look(path: &Path, twin: bool, undecided: &BTreeSet<String>) -> Option<String> {
    let text = fs::read_to_string(path).expect("a readable file");
    let stem = path.file_stem()?.to_str()?;
    let name = format!("{stem}{}", if twin { "+twin" } else { "" });
    let key = if twin { "TWIN" } else { "EXPECT" };
    let expected = header(&text, key).expect("both verdicts");
    let (time, all) = time();
    let open = !all || undecided.contains(&name);
    let said = asked(path, &text, twin).ask("default", time);
    match said {
        Said::Unknown(_) if open => None,
        _ if !allowed(&said, expected) => Some(format!("{name}: {said:?}")),
        _ if all && open => Some(format!("{name}: decided, take it out of undecided.txt")),
        _ => None,
    }
}

#[test]
fn ordinary_programs_are_answered_rightly() {
    let only = std::env::var("CWOLF_ONLY").unwrap_or_default();
    let undecided = undecided();
    let mut files: Vec<PathBuf> = fs::read_dir(folder())
        .expect("the folder")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|e| e == "c"))
        .filter(|path| path.to_string_lossy().contains(&only))
        .collect();
    files.sort();
    let both = files
        .iter()
        .flat_map(|path| [false, true].map(|twin| (path, twin)));
    let wrong: Vec<String> = both
        .filter_map(|(path, twin)| look(path, twin, &undecided))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
