//! Every function with a model in C is in the table, with the same parameters.

use cwolf_known::lookup;
use std::path::Path;

/// The definitions in a file: all that start in the first column and are not `static`.
fn definitions(text: &str) -> Vec<(String, usize)> {
    let mut found = Vec::new();
    for (at, _) in text.match_indices("\n{\n") {
        let start = text[..at].rfind("\n\n").map_or(0, |n| n + 2);
        let head = &text[start..at];
        let head = head.rsplit("*/\n").next().unwrap_or(head);
        let Some((before, params)) = head.split_once('(') else {
            continue;
        };
        if before.starts_with("static ") {
            continue;
        }
        let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let name = before.rsplit(|c| !word(c)).next().unwrap_or_default();
        let params = params.rsplit_once(')').map_or("", |(params, _)| params);
        // Commas in the parameters of a parameter separate none of these.
        let mut depth = 0;
        let named = params.split(|c| {
            depth += i32::from(c == '(') - i32::from(c == ')');
            c == ',' && depth == 0
        });
        let named = named.map(str::trim);
        let count = named.filter(|p| !["...", "void"].contains(p)).count();
        found.push((name.to_owned(), count));
    }
    found
}

#[test]
fn every_model_has_a_row() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../library");
    let mut models = 0;
    for entry in std::fs::read_dir(folder).expect("the library is there") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|e| e != "c") {
            continue;
        }
        // In templates, `$` is the end of names for each of three types; doubles have none. In the
        // compiler's own functions it is a letter in the middle.
        let letter = match path.file_stem().and_then(|s| s.to_str()) {
            Some("complex-arithmetic") => "d",
            _ => "",
        };
        let text = std::fs::read_to_string(&path)
            .expect("a text")
            .replace('$', letter);
        for (name, params) in definitions(&text) {
            models += 1;
            let row = lookup(&name).unwrap_or_else(|| panic!("{name} has no row"));
            assert_eq!(row.prototype.params.len(), params, "{name}");
        }
    }
    assert!(models > 120, "only {models} were found");
}

#[test]
fn definitions_are_found() {
    let text = "/* why */\n\nstatic int a(int n)\n{\n}\n\nchar *b(char *restrict s,\n    \
                int (*f)(int, int), int n)\n{\n}\n\n/* c */\nint c(void)\n{\n}\n";
    let expected = [("b".to_owned(), 3), ("c".to_owned(), 0)];
    assert_eq!(definitions(text), expected);
}
