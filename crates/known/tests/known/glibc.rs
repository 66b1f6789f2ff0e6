//! Prototypes and sizes are those of the installed C library: gcc compiles a file that declares
//! every row again. A conflict, or a function that no header declares, is an error.

use cwolf_known::{
    CType, Effect, Model, Origin, Outcome, Path, Requirement, Row, size_of, sized_names, table,
};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Stdio};

/// What gcc says about a text; nothing if it is fine.
fn gcc(text: &str, flags: &[&str]) -> std::io::Result<String> {
    let mut child = Command::new("gcc")
        .args(["-x", "c", "-std=gnu11", "-fsyntax-only", "-Werror"])
        .args(["-Wextra", "-Wno-deprecated-declarations", "-fmax-errors=80"])
        .args(flags)
        .arg("-")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()?;
    if let Some(mut input) = child.stdin.take() {
        input.write_all(text.as_bytes())?;
    }
    let output = child.wait_with_output()?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    Ok(match output.status.success() {
        true => String::new(),
        false => said,
    })
}

/// Whether gcc and glibc are there; says so if not.
#[allow(clippy::print_stderr)]
pub fn installed() -> bool {
    let glibc = "#include <features.h>\n#ifndef __GLIBC__\n#error none\n#endif\n";
    let there = matches!(gcc(glibc, &[]), Ok(said) if said.is_empty());
    if !there {
        eprintln!("skipped: there is no gcc with glibc");
    }
    there
}

fn headers<'r>(rows: impl Iterator<Item = &'r Row>) -> String {
    let all: BTreeSet<&str> = rows.flat_map(|row| row.headers.iter().copied()).collect();
    let mut text = String::new();
    for header in all {
        let _ = writeln!(
            text,
            "#if __has_include({header})\n#include {header}\n#endif"
        );
    }
    text
}

/// Declares functions again, after asking what they are: that needs a declaration.
fn again(text: &mut String, row: &Row) {
    let name = &row.name;
    let _ = writeln!(text, "#undef {name}");
    let _ = writeln!(text, "extern __typeof__({name}) *known_{name};");
    let _ = writeln!(text, "extern {};", row.prototype.text);
}

fn check(origin: Origin, define: &str) {
    if !installed() {
        return;
    }
    let rows = || table().rows().filter(|row| row.origin == origin);
    let mut text = format!("{define}\n#include <stdarg.h>\n{}", headers(rows()));
    rows().for_each(|row| again(&mut text, row));
    if origin == Origin::Gnu {
        for (alias, row) in table().aliases() {
            if row.origin == origin {
                let name = &row.name;
                let _ = writeln!(text, "#undef {alias}\nextern __typeof__({name}) {alias};");
            }
        }
    }
    let said = gcc(&text, &[]).expect("gcc runs");
    assert!(said.is_empty(), "{said}");
    assert!(rows().count() > 10);
}

#[test]
fn prototypes_are_those_of_glibc() {
    check(Origin::Gnu, "#define _GNU_SOURCE 1");
}

#[test]
fn prototypes_without_extensions_are_those_of_glibc() {
    check(Origin::Posix, "#define _DEFAULT_SOURCE 1");
}

#[test]
fn builtins_are_those_of_the_compiler() {
    if !installed() {
        return;
    }
    let mut text = "#include <stddef.h>\n#include <stdint.h>\n".to_owned();
    for row in table().rows().filter(|r| r.origin == Origin::Compiler) {
        let _ = writeln!(text, "extern {};", row.prototype.text);
    }
    let said = gcc(&text, &[]).expect("gcc runs");
    assert!(said.is_empty(), "{said}");
}

/// The members that facts name, with the types that have them.
fn members(row: &Row) -> Vec<(String, String)> {
    let required = row.requires.iter().filter_map(|r| match r {
        Requirement::Readable { at, .. }
        | Requirement::Writable { at, .. }
        | Requirement::Text { at, .. } => Some(at),
        _ => None,
    });
    let set = row.effects.iter().filter_map(|e| match e {
        Effect::Sets { at, .. } | Effect::Writes { at, .. } => Some(at),
        _ => None,
    });
    let returned = row.result.iter().filter_map(|o| match o {
        Outcome::Into(at) => Some(at),
        _ => None,
    });
    let mut list = Vec::new();
    for at in required.chain(set).chain(returned) {
        let param = row.prototype.params.get(at.param).map(|p| &p.ty);
        let to = param.unwrap_or(&row.prototype.ret).pointee();
        if let (Path::Member(member), Some(CType::Named(record))) = (&at.path, to) {
            list.push((record.clone(), member.clone()));
        }
    }
    list
}

#[test]
fn members_are_those_of_glibc() {
    if !installed() {
        return;
    }
    let rows = || table().rows().filter(|row| row.origin == Origin::Gnu);
    let mut text = format!("#define _GNU_SOURCE 1\n{}", headers(rows()));
    let all: BTreeSet<_> = rows().flat_map(members).collect();
    assert!(all.len() > 40, "only {} members", all.len());
    for (n, (record, member)) in all.iter().enumerate() {
        let _ = writeln!(text, "char member{n}[sizeof((({record} *)0)->{member})];");
    }
    let said = gcc(&text, &[]).expect("gcc runs");
    assert!(said.is_empty(), "{said}");
}

/// The tests of prototypes must notice what is wrong.
#[test]
fn wrong_prototypes_are_noticed() {
    if !installed() {
        return;
    }
    let start = "#define _GNU_SOURCE 1\n#include <string.h>\n";
    let declared = |text: &str| {
        let all = format!("{start}extern __typeof__(strlen) *known_strlen;\n{text}");
        gcc(&all, &[]).expect("gcc runs").is_empty()
    };
    assert!(declared("extern size_t strlen(const char *s);"));
    assert!(!declared("extern size_t strlen(char *s);"));
    assert!(!declared("extern __typeof__(strlan) *known_strlan;"));
    assert!(!declared("extern int __builtin_popcount(int n);"));
}

#[test]
#[allow(clippy::print_stderr)]
fn sizes_are_those_of_glibc() {
    if !installed() {
        return;
    }
    let mut start = "#define _GNU_SOURCE 1\n#include <stdarg.h>\n".to_owned();
    start.push_str(&headers(table().rows()));
    for header in ["<sys/uio.h>", "<stdint.h>", "<stddef.h>", "<sys/un.h>"] {
        let _ = writeln!(start, "#include {header}");
    }
    for (model, flag) in [(Model::Lp64, "-m64"), (Model::Ilp32, "-m32")] {
        if !gcc(&start, &[flag]).expect("gcc runs").is_empty() {
            eprintln!("skipped {flag}: its headers are not installed");
            continue;
        }
        let mut text = start.clone();
        for name in sized_names() {
            let Some(size) = size_of(name, model) else {
                continue;
            };
            // Functions and lists have no size of their own here.
            if ["va_list", "res_state"].contains(&name)
                || name.ends_with("_fn_t")
                || name.contains("func_t")
            {
                continue;
            }
            let _ = writeln!(
                text,
                "_Static_assert(sizeof({name}) == {size}, \"{name}\");"
            );
        }
        let said = gcc(&text, &[flag]).expect("gcc runs");
        assert!(said.is_empty(), "{said}");
    }
}
