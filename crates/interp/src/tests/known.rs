//! Every function that the interpreter implements is in the table of known functions: who knows
//! how to run it can say what it requires.

use crate::is_native;
use std::collections::BTreeSet;
use std::path::Path;

/// All names in quotes in the files of a folder.
fn quoted(folder: &Path, names: &mut BTreeSet<String>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            quoted(&path, names)?;
            continue;
        }
        let text = std::fs::read_to_string(&path)?;
        let is_name = |part: &&str| {
            let first = part.chars().next();
            let starts = first.is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
            starts && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        };
        names.extend(text.split('"').filter(is_name).map(str::to_owned));
    }
    Ok(())
}

#[test]
fn every_native_function_has_a_row() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/libc");
    let mut names = BTreeSet::new();
    quoted(&folder, &mut names).expect("the sources are there");
    // Names are also put together: built-in forms, and mathematics in three precisions.
    let spellings = names.iter().flat_map(|name| {
        let precise = ["{}f", "{}l"].iter().filter(|_| !name.contains('_'));
        let forms = ["{}", "__builtin_{}", "__isoc99_{}", "__isoc23_{}"];
        // A name has one prefix at most.
        let forms = forms
            .iter()
            .filter(|f| **f == "{}" || !name.starts_with("__builtin_"));
        forms
            .chain(precise)
            .map(|form| form.replace("{}", name))
            .collect::<Vec<_>>()
    });
    let native: BTreeSet<String> = spellings.filter(|name| is_native(name)).collect();
    assert!(native.len() > 600, "only {} names were found", native.len());
    // Some names are those of built-in functions without the prefix.
    let known = |name: &str| cwolf_known::lookup(name).is_some();
    let missing: Vec<&String> = (native.iter())
        .filter(|name| !known(name) && !known(&format!("__builtin_{name}")))
        .collect();
    assert!(missing.is_empty(), "add rows to library/known: {missing:?}");
}
