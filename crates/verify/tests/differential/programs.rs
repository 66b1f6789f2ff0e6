//! The programs of `tests/programs`: what people write with arrays, lists, strings and allocated memory. The default
//! configuration decides each, and its twin with a fault. `undecided.txt` lists those that are not decided yet, a line
//! each. A line that is no longer needed fails the test, so that the list shrinks. `CWOLF_ONLY=name` runs some of them.

use crate::ask::Said;
use crate::verdicts::{allowed, asked, header};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Much more than is needed, as the machine may be busy.
const LONG: Duration = Duration::from_secs(120);
/// For what is not decided yet.
const SHORT: Duration = Duration::from_secs(4);

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs")
}

/// The names of what is not decided yet.
fn undecided() -> BTreeSet<String> {
    let list = fs::read_to_string(folder().join("undecided.txt")).unwrap_or_default();
    list.lines().map(str::to_owned).collect()
}

/// What is wrong with the answer about a program or its twin.
fn look(path: &Path, twin: bool, undecided: &BTreeSet<String>) -> Option<String> {
    let text = fs::read_to_string(path).expect("a readable file");
    let stem = path.file_stem()?.to_str()?;
    let name = format!("{stem}{}", if twin { "+twin" } else { "" });
    let key = if twin { "TWIN" } else { "EXPECT" };
    let expected = header(&text, key).expect("both verdicts");
    let open = undecided.contains(&name);
    let said = asked(path, &text, twin).ask("default", if open { SHORT } else { LONG });
    match said {
        Said::Unknown(_) if open => None,
        _ if !allowed(&said, expected) => Some(format!("{name}: {said:?}")),
        _ if open => Some(format!("{name}: decided, take it out of undecided.txt")),
        _ => None,
    }
}

#[test]
fn ordinary_programs_are_decided() {
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
