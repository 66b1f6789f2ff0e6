//! `cwolf harness`: a C file that calls a function with everything that a caller may pass, to be edited.

use crate::args::Harness;
use crate::exit::{DONE, Exit};
use crate::inputs;
use crate::render::Console;
use anyhow::Result;
use cwolf_prepare::{Written, harness_name, harness_text};
use cwolf_verify::harness::quoted;
use serde_json::json;
use std::path::Path;

pub fn run(args: &Harness, console: &Console) -> Result<Exit> {
    let mut program = inputs::load_linked(&args.inputs, console)?;
    let entry = inputs::entry(&program, &args.function)?;
    let at = program.locations[program.funcs[entry].loc];
    let file = program.locations.file_name(at.file).to_owned();
    let text = std::fs::read_to_string(&file).unwrap_or_default();
    let declarations = declarations(&text, at.line, &args.function);
    let count = program.funcs[entry].params.len();
    let declarations = declarations.filter(|list| list.len() == count);
    let command = command(args, &file);
    let what = Written {
        entry,
        include: &included(&file, args.output.as_deref()),
        declarations: &declarations.unwrap_or_default(),
        command: &command,
    };
    let text = harness_text(&mut program, &what);
    let product = console.product(args.output.as_deref(), &text)?;
    let mut result = product;
    result["entry"] = json!(harness_name(&args.function));
    result["command"] = json!(command);
    console.result(result);
    Ok(DONE)
}

/// The command that checks the harness: it includes the file of the function, the others are linked.
fn command(args: &Harness, file: &str) -> String {
    let harness = harness_name(&args.function);
    let own = match &args.output {
        Some(path) => path.display().to_string(),
        None => format!("{harness}.c"),
    };
    let mut words = vec![
        "cwolf".to_owned(),
        "verify".into(),
        "--entry".into(),
        harness,
        own,
    ];
    let others = inputs::sources(&args.inputs).unwrap_or_default();
    let others = others.iter().map(|p| p.display().to_string());
    words.extend(others.filter(|p| p != file));
    let c = &args.inputs.c;
    words.extend(c.include_dirs.iter().map(|dir| format!("-I{dir}")));
    words.extend(c.defines.iter().map(|name| format!("-D{name}")));
    let words: Vec<String> = words.iter().map(|w| quoted(w)).collect();
    words.join(" ")
}

/// How the harness names the file: as seen from its folder.
fn included(file: &str, output: Option<&Path>) -> String {
    let folder = output
        .and_then(Path::parent)
        .filter(|f| !f.as_os_str().is_empty());
    match folder {
        Some(_) => std::fs::canonicalize(file).map_or(file.to_owned(), |p| p.display().to_string()),
        None => file.to_owned(),
    }
}

/// The declarations of a function's parameters as its definition has them. Macros and old definitions have none.
fn declarations(text: &str, line: u32, function: &str) -> Option<Vec<String>> {
    let rest: Vec<&str> = text.lines().skip(line as usize - 1).collect();
    let rest = rest.join("\n");
    let (_, after) = rest.split_once(function)?;
    let list = after.trim_start().strip_prefix('(')?;
    let mut depth = 0;
    let mut parts = vec![String::new()];
    for c in list.chars() {
        match c {
            ')' if depth == 0 => break,
            ',' if depth == 0 => {
                parts.push(String::new());
                continue;
            }
            '(' => depth += 1,
            ')' => depth -= 1,
            '/' | '{' | ';' | '#' => return None,
            _ => {}
        }
        let last = parts.last_mut()?;
        last.push(if c == '\n' { ' ' } else { c });
    }
    let parts = parts
        .into_iter()
        .map(|p| p.split_whitespace().collect::<Vec<_>>().join(" "));
    let parts: Vec<String> = parts.collect();
    // `int a[10]` is a pointer as a parameter, and an array elsewhere.
    let plain = |p: &String| !p.contains('[') && p.contains(' ') || p.contains('*');
    parts.iter().all(plain).then_some(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_found_in_the_text() {
        let text = "int x;\nstatic int f(const T *t,\n  int (*g)(int, int), unsigned n)\n{";
        let found = declarations(text, 2, "f").expect("three");
        assert_eq!(found, ["const T *t", "int (*g)(int, int)", "unsigned n"]);
        assert_eq!(declarations("int f(a, b) int a, b; {", 1, "f"), None);
        assert_eq!(declarations("int f(int a[3])", 1, "f"), None);
    }
}
