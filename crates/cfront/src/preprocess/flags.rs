//! Compiler flags: which of them the preprocessor needs, and what they say about the language.

use crate::session::{Options, Standard};
use cwolf_cwi::Target;

/// Flags with an argument, in the next word or in the same one.
const WITH_ARGUMENT: &[&str] = &[
    "-isystem",
    "-iquote",
    "-idirafter",
    "-include",
    "-imacros",
    "-iprefix",
    "-iwithprefixbefore",
    "-iwithprefix",
    "-isysroot",
    "--sysroot",
    "-I",
    "-D",
    "-U",
];

/// Flags that stand alone. `-pthread` and `-fopenmp` define macros; `-O` and `-march=` do too, but
/// those only choose between ways to write the same thing, and the plain way is the readable one.
const ALONE: &[&str] = &[
    "-m32",
    "-m64",
    "-nostdinc",
    "-undef",
    "-ansi",
    "-trigraphs",
    "-pthread",
    "-fopenmp",
    "-ffreestanding",
    "-funsigned-char",
];

/// The flags among a compiler's `arguments` that a preprocessor needs, in order.
pub fn preprocessor_flags(arguments: &[String]) -> Vec<String> {
    let mut flags = Vec::new();
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        if ALONE.contains(&word.as_str()) || word.starts_with("-std=") {
            flags.push(word.clone());
        } else if WITH_ARGUMENT.contains(&word.as_str()) {
            if let Some(argument) = words.next() {
                flags.extend([word.clone(), argument.clone()]);
            }
        } else if WITH_ARGUMENT.iter().any(|flag| word.starts_with(flag)) {
            flags.push(word.clone());
        }
    }
    flags
}

/// Older compilers know C23 only by its working name, newer ones by both.
pub(super) fn portable(flag: &str) -> &str {
    match flag {
        "-std=c23" => "-std=c2x",
        "-std=gnu23" => "-std=gnu2x",
        _ => flag,
    }
}

/// The flag that makes a preprocessor read the C of `options`.
pub fn standard_flag(options: &Options) -> &'static str {
    match (options.standard, options.gnu) {
        (Standard::C89, true) => "-std=gnu89",
        (Standard::C89, false) => "-std=c89",
        (Standard::C99, true) => "-std=gnu99",
        (Standard::C99, false) => "-std=c99",
        (Standard::C11, true) => "-std=gnu11",
        (Standard::C11, false) => "-std=c11",
        (Standard::C17, true) => "-std=gnu17",
        (Standard::C17, false) => "-std=c17",
        (Standard::C23, true) => "-std=gnu2x",
        (Standard::C23, false) => "-std=c2x",
    }
}

impl Options {
    /// Takes over what a compiler's flag says about the language or the machine; false if it says
    /// nothing that is known here.
    pub fn apply_flag(&mut self, flag: &str) -> bool {
        match flag {
            "-m32" => self.target = Target::I386,
            "-m64" => self.target = Target::X86_64,
            _ if flag.starts_with("--target=") => {
                let Some(target) = Target::of_triple(&flag["--target=".len()..]) else {
                    return false;
                };
                self.target = target;
            }
            "-ansi" => (self.standard, self.gnu) = (Standard::C89, false),
            _ => {
                let Some(name) = flag.strip_prefix("-std=") else {
                    return false;
                };
                let (gnu, version) = match name.strip_prefix("gnu") {
                    Some(version) => (true, version),
                    None => match name.strip_prefix('c') {
                        Some(version) => (false, version),
                        None => (false, name),
                    },
                };
                let standard = match version {
                    "89" | "90" | "iso9899:1990" | "iso9899:199409" => Standard::C89,
                    "99" | "9x" | "iso9899:1999" | "iso9899:199x" => Standard::C99,
                    "11" | "1x" | "iso9899:2011" => Standard::C11,
                    "17" | "18" | "iso9899:2017" | "iso9899:2018" => Standard::C17,
                    "23" | "2x" | "2y" | "iso9899:2024" => Standard::C23,
                    _ => return false,
                };
                (self.standard, self.gnu) = (standard, gnu);
            }
        }
        true
    }
}

/// Splits a command as a shell does: at blanks, with quotes and backslashes.
pub fn split_command(command: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut chars = command.chars();
    while let Some(c) = chars.next() {
        match c {
            '\'' => {
                let word = word.get_or_insert_default();
                word.extend(chars.by_ref().take_while(|&c| c != '\''));
            }
            '"' => {
                let word = word.get_or_insert_default();
                while let Some(c) = chars.next() {
                    match c {
                        '"' => break,
                        '\\' => match chars.next() {
                            Some(c @ ('"' | '\\' | '$' | '`')) => word.push(c),
                            Some('\n') => {}
                            Some(c) => word.extend(['\\', c]),
                            None => word.push('\\'),
                        },
                        _ => word.push(c),
                    }
                }
            }
            '\\' => match chars.next() {
                Some('\n') => {}
                Some(c) => word.get_or_insert_default().push(c),
                None => word.get_or_insert_default().push('\\'),
            },
            c if c.is_ascii_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check_split(command: &str, expect: &[&str]) {
        assert_eq!(split_command(command), expect, "{command}");
    }

    #[test]
    fn commands_split_as_in_a_shell() {
        check_split("gcc -c  a.c", &["gcc", "-c", "a.c"]);
        check_split(r#"-DX="a b""#, &["-DX=a b"]);
        check_split(r#"-DX=\"a\ b\""#, &[r#"-DX="a b""#]);
        check_split(r#""-DX=\"a\n\"""#, &[r#"-DX="a\n""#]);
        check_split("'a b'c ''", &["a bc", ""]);
        check_split("a\\\nb \\\n c", &["ab", "c"]);
        check_split("'open", &["open"]);
        check_split("", &[]);
    }

    proptest! {
        #[test]
        fn quoted_words_come_back(words: Vec<String>) {
            let quoted: Vec<_> = words
                .iter()
                .map(|w| format!("'{}'", w.replace('\'', r"'\''")))
                .collect();
            prop_assert_eq!(split_command(&quoted.join(" ")), words);
        }
    }

    #[test]
    fn only_the_preprocessors_flags_are_kept() {
        let words = split_command(
            "gcc -O2 -Wall -Iinclude -I dir -DA=1 -U B -std=c11 -m32 -march=native -o x.o -c \
             -include pre.h -isystem/sys -MF dep -pthread x.c -D",
        );
        assert_eq!(
            preprocessor_flags(&words[1..]),
            split_command(
                "-Iinclude -I dir -DA=1 -U B -std=c11 -m32 -include pre.h -isystem/sys -pthread"
            )
        );
    }

    #[test]
    fn flags_choose_the_language() {
        let mut options = Options::default();
        assert!(options.apply_flag("-std=c99"));
        assert!(options.apply_flag("-m32"));
        assert!(!options.apply_flag("-O2"));
        assert!(!options.apply_flag("-std=c++17"));
        assert_eq!((options.standard, options.gnu), (Standard::C99, false));
        assert_eq!(options.target, Target::I386);
        assert!(options.apply_flag("-ansi"));
        assert_eq!(standard_flag(&options), "-std=c89");
        for standard in [
            Standard::C89,
            Standard::C99,
            Standard::C11,
            Standard::C17,
            Standard::C23,
        ] {
            for gnu in [false, true] {
                let target = Target::X86_64;
                let want = Options {
                    target,
                    standard,
                    gnu,
                    ..Options::default()
                };
                let mut got = Options::default();
                assert!(got.apply_flag(standard_flag(&want)));
                assert_eq!(got, want);
            }
        }
    }
}
