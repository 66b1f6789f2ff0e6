//! What `printf` prints is as long as the reader of formats says.

use cwolf_known::Model;
use cwolf_known::format::{Argument, arguments, printed, printf, scanf};
use proptest::prelude::*;
use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Stdio};

/// Values of the kind that a conversion takes: small and extreme ones.
fn values(letter: char, length: &str) -> &'static [&'static str] {
    match (letter, length) {
        ('s', _) => &["\"\"", "\"hello\"", "\"a longer text than that\""],
        ('p', _) => &["(void *)0", "(void *)1", "(void *)-1L"],
        ('c', _) => &["'a'", "0"],
        ('f' | 'e' | 'g' | 'a' | 'F' | 'G', "L") => &[
            "0.0L",
            "-1.5L",
            "-1.18973149535723176502e+4932L",
            "3.36210314311209350626e-4932L",
            "-(1.0L / 0)",
        ],
        ('f' | 'e' | 'g' | 'a' | 'F' | 'G', _) => &[
            "0.0",
            "-1.5",
            "-1.7976931348623157e308",
            "5e-324",
            "1.0 / 0",
            "123456.789",
        ],
        (_, "ll" | "l" | "z" | "j" | "t") => &[
            "0L",
            "1L",
            "-1L",
            "(-9223372036854775807L - 1)",
            "9223372036854775807L",
        ],
        _ => &["0", "1", "-1", "(-2147483647 - 1)", "2147483647"],
    }
}

#[test]
fn bounds_hold_for_glibc() {
    if !super::glibc::installed() {
        return;
    }
    let mut text = "#include <stdio.h>\nint main(void) {\n".to_owned();
    let mut expected = Vec::new();
    for flags in ["", "+", "#", "0", "'", "+#0"] {
        for size in ["", "7", ".0", ".25", "12.4"] {
            for (length, letters) in [
                ("", "diouxXcspfegaFG"),
                ("hh", "diux"),
                ("h", "dxo"),
                ("l", "duxo"),
                ("ll", "dux"),
                ("z", "ud"),
                ("j", "du"),
                ("t", "d"),
                ("L", "fega"),
            ] {
                for letter in letters.chars() {
                    let format = format!("<%{flags}{size}{length}{letter}>");
                    let pieces = printf(format.as_bytes()).expect("a format");
                    assert_eq!(arguments(&pieces).len(), 1);
                    let bounds = printed(&pieces, Model::Lp64);
                    for value in values(letter, length) {
                        let _ = writeln!(
                            text,
                            "printf(\"%d\\n\", snprintf(0, 0, \"{format}\", {value}));"
                        );
                        expected.push((format.clone(), *value, bounds));
                    }
                }
            }
        }
    }
    text.push_str("}\n");
    let folder = std::env::temp_dir().join(format!("cwolf-formats-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for the program");
    let binary = folder.join("formats");
    let mut gcc = Command::new("gcc")
        .args(["-x", "c", "-w", "-O0", "-o"])
        .arg(&binary)
        .arg("-")
        .stdin(Stdio::piped())
        .spawn()
        .expect("gcc runs");
    let mut input = gcc.stdin.take().expect("it reads");
    input.write_all(text.as_bytes()).expect("it reads");
    drop(input);
    assert!(gcc.wait().expect("it ends").success());
    let output = Command::new(&binary).output().expect("the program runs");
    let _ = std::fs::remove_dir_all(&folder);
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let lengths: Vec<u64> = said.lines().filter_map(|l| l.parse().ok()).collect();
    assert_eq!(lengths.len(), expected.len());
    assert!(expected.len() > 3000);
    for (length, (format, value, (least, most))) in lengths.into_iter().zip(expected) {
        let fits = least <= length && most.is_none_or(|most| length <= most);
        assert!(
            fits,
            "{format} of {value}: {length} is not in {least}..{most:?}"
        );
    }
}

#[test]
fn what_is_stored_is_seen() {
    for format in [
        "%n",
        "%d%hhn",
        "100%% %n",
        "%5$ln",
        "%*.3f and %-8ln",
        "%%%n",
    ] {
        let pieces = printf(format.as_bytes()).expect("a format");
        let stores = |a: &Option<Argument>| matches!(a, Some(Argument::Store(_)));
        assert!(arguments(&pieces).iter().any(stores), "{format}");
    }
}

proptest! {
    /// A format comes from the program: nothing in it may stop the reader.
    #[test]
    fn any_format_is_read(format in "[%0-9$*.+#hlLqjztdioxucsfegapnmCS\\[\\]^ 'I-]{0,24}") {
        for read in [printf, scanf] {
            if let Ok(pieces) = read(format.as_bytes()) {
                let (least, most) = printed(&pieces, Model::Ilp32);
                prop_assert!(most.is_none_or(|most| least <= most));
                let stars = format.matches('*').count();
                let letters = format.matches('%').count();
                let used = arguments(&pieces).iter().flatten().count();
                prop_assert!(used <= stars + letters);
            }
        }
    }
}
