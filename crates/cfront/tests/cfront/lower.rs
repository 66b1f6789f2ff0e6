//! C in, blocks out: each `lower/*.c` has its code beside it in `*.cwi`.
//! `CWOLF_BLESS=1 cargo test` writes those files anew.

use cwolf_cfront::{Options, compile_text};
use cwolf_cwi::Program;
use cwolf_cwi::text::{Names, Printer};
use std::path::{Path, PathBuf};

fn here(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn compile(name: &str, text: &str) -> Program {
    let compilation = compile_text(name, text.as_bytes(), &Options::default());
    let show = |d: &cwolf_base::Diagnostic| {
        let at = d.span.map(|s| compilation.sources.position(s.lo));
        format!("{}: {}", at.map_or(0, |p| p.line), d.message)
    };
    let messages: Vec<_> = compilation.diagnostics.iter().map(show).collect();
    let Some(program) = compilation.program else {
        panic!("{name}: {messages:#?}");
    };
    for function in program.funcs.iter() {
        assert!(function.refused.is_none(), "{name}: {:?}", function.refused);
    }
    program
}

/// The code of all functions, without positions.
fn code(program: &Program) -> String {
    let names = Names::new(program);
    let printer = Printer::with_names(program, &names);
    let mut text = String::new();
    for (id, function) in program.funcs.enumerate() {
        let Some(body) = &function.body else { continue };
        if !text.is_empty() {
            text.push('\n');
        }
        text += &format!("{}\n", names.func(id));
        for block in body.blocks.ids() {
            let block = printer.block(id, block);
            text += &format!("{}\n", block.trim_end());
        }
    }
    text
}

fn check(program: &Program, expected: &Path) {
    let found = code(program);
    if std::env::var_os("CWOLF_BLESS").is_some() {
        std::fs::write(expected, found).expect("the file can be written");
        return;
    }
    let wanted = std::fs::read_to_string(expected).unwrap_or_default();
    assert!(
        found == wanted,
        "{} should be:\n{found}",
        expected.display()
    );
}

#[test]
fn code_is_as_expected() {
    let list = std::fs::read_dir(here("tests/lower")).expect("the cases are there");
    let mut files: Vec<_> = list.map(|f| f.expect("a file").path()).collect();
    files.retain(|f| f.extension().is_some_and(|e| e == "c"));
    files.sort();
    assert!(files.len() > 5);
    for file in files {
        let text = std::fs::read_to_string(&file).expect("the case can be read");
        let name = file.file_name().expect("a name").to_string_lossy();
        check(&compile(&name, &text), &file.with_extension("cwi"));
    }
}

/// Figure 4.6 of the thesis: the code of Figure 4.4, block for block (the figure's numbers have
/// a gap at 1).
#[test]
fn the_example_of_the_thesis() {
    let text = std::fs::read_to_string(here("../../examples/fsm/fsm.c")).expect("the example");
    let header = "typedef struct _IO_FILE FILE; extern FILE *stdin; int getc(FILE *);";
    let text = text.replace("#include <stdio.h>", header);
    check(&compile("fsm.c", &text), &here("tests/lower/fsm.cwi"));
}

/// Lowering takes time in proportion to the text: these would otherwise never end.
#[test]
fn large_functions() {
    let lines: String = (0..100_000)
        .map(|n| format!("x += f(x) + a[{}];\n", n % 10))
        .collect();
    let cases: String = (0..10_000)
        .map(|n| format!("case {}: x += f(x);\n", n * 3))
        .collect();
    let text = format!(
        "int f(int), a[10]; void lines(int x) {{ {lines} }}\n\
         int cases(int x) {{ switch (x) {{ {cases} }} return x; }}"
    );
    let program = compile("large.c", &text);
    let blocks = |name| {
        let id = program.function(name).expect("it is defined");
        program.funcs[id].body.as_ref().map(|b| b.blocks.len())
    };
    assert_eq!(blocks("lines"), Some(100_001));
    assert_eq!(blocks("cases"), Some(20_002));
}

/// Programs that write programs nest deeper than people do.
#[test]
fn deep_functions() {
    let n = 1_000;
    let branches = "if (x++) { y = 1; } else { ".repeat(n) + "y = 2;" + &"}".repeat(n);
    let sum = "(1 + ".repeat(n) + "x" + &")".repeat(n);
    let text = format!(
        "int branches(int x) {{ int y; {branches} return y; }}\nint sum(int x) {{ return {sum}; }}"
    );
    let program = compile("deep.c", &text);
    let id = program.function("branches").expect("it is defined");
    let blocks = program.funcs[id].body.as_ref().map(|b| b.blocks.len());
    assert!(blocks.is_some_and(|blocks| blocks > 2 * n));
}
