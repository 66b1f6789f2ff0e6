//! The page about the table tells the truth.

use cwolf_known::table;
use std::collections::BTreeSet;
use std::path::Path;

fn text(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// The words that start facts in a file of the table.
fn facts(text: &str, words: &mut BTreeSet<String>) {
    let rows = text.replace("\n    ", " ");
    let rows = rows.lines().filter(|l| !l.starts_with(['#', '@']));
    for facts in rows
        .filter_map(|row| row.split_once(';'))
        .map(|(_, facts)| facts)
    {
        let (mut depth, mut word) = (0, String::new());
        for c in facts.chars().chain([',']) {
            match c {
                '(' | ',' => {
                    let start = depth == 0 && !word.trim().is_empty();
                    if start && !word.trim().starts_with("as ") {
                        words.insert(word.trim().to_owned());
                    }
                    depth += i32::from(c == '(');
                    word.clear();
                }
                ')' => depth -= 1,
                _ if depth == 0 => word.push(c),
                _ => {}
            }
        }
    }
}

#[test]
fn every_fact_is_explained() {
    let page = text("docs/known-functions.md");
    let mut words = BTreeSet::new();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../library/known");
    for entry in std::fs::read_dir(folder).expect("the table is there") {
        let path = entry.expect("an entry").path();
        if !path.ends_with("types.txt") {
            facts(&std::fs::read_to_string(path).expect("a text"), &mut words);
        }
    }
    assert!(words.len() > 40, "{words:?}");
    let explained =
        |word: &String| page.contains(&format!("`{word}`")) || page.contains(&format!("`{word}("));
    let missing: Vec<_> = words.iter().filter(|word| !explained(word)).collect();
    assert!(
        missing.is_empty(),
        "docs/known-functions.md lacks {missing:?}"
    );
}

#[test]
fn figures_are_true() {
    let page = text("docs/known-functions.md");
    let (_, figure) = page.split_once("more than ").expect("a figure");
    let digits = figure.split(' ').next().expect("a number");
    let number: usize = digits.parse().expect("a number");
    assert!(number <= table().rows().count());
}
