//! `compile_commands.json`: how a build compiles each of its files.

use super::flags::{preprocessor_flags, split_command};
use super::json::{self, Json};
use std::path::PathBuf;
use thiserror::Error;

/// One entry of a compilation database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompileCommand {
    /// The directory that the compiler runs in.
    pub directory: PathBuf,
    /// The file, perhaps relative to `directory`.
    pub file: PathBuf,
    /// The whole command, compiler first.
    pub arguments: Vec<String>,
}

impl CompileCommand {
    /// The flags that matter for preprocessing and for the language.
    pub fn flags(&self) -> Vec<String> {
        preprocessor_flags(self.arguments.get(1..).unwrap_or_default())
    }
    /// Where the file is.
    pub fn path(&self) -> PathBuf {
        self.directory.join(&self.file)
    }
}

/// What is wrong with a compilation database.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum CommandsError {
    /// It is not JSON.
    #[error("line {line}: expected {expected}")]
    Syntax {
        /// What should stand there.
        expected: &'static str,
        /// The line, from 1.
        line: usize,
    },
    /// It is not a list.
    #[error("a compilation database is a list of objects")]
    NotAList,
    /// An entry lacks a member that it needs.
    #[error("entry {entry} has no {member}")]
    Missing {
        /// Which entry, from 1.
        entry: usize,
        /// The member.
        member: &'static str,
    },
}

/// Reads the text of a `compile_commands.json`.
pub fn read_compile_commands(text: &str) -> Result<Vec<CompileCommand>, CommandsError> {
    let value = json::parse(text).map_err(|mistake| {
        let before = text.as_bytes().get(..mistake.at).unwrap_or_default();
        CommandsError::Syntax {
            expected: mistake.expected,
            line: 1 + before.iter().filter(|b| **b == b'\n').count(),
        }
    })?;
    let Json::Array(entries) = value else {
        return Err(CommandsError::NotAList);
    };
    let command = |(n, entry)| command(n + 1, entry);
    entries.iter().enumerate().map(command).collect()
}

fn command(entry: usize, value: &Json) -> Result<CompileCommand, CommandsError> {
    let missing = |member| CommandsError::Missing { entry, member };
    let text = |key| value.get(key).and_then(Json::as_str).ok_or(missing(key));
    let words = |list: &[Json]| -> Option<Vec<String>> {
        list.iter()
            .map(|word| Some(word.as_str()?.to_owned()))
            .collect()
    };
    let arguments = match value.get("arguments") {
        Some(Json::Array(list)) => words(list).ok_or(missing("arguments"))?,
        _ => split_command(text("command")?),
    };
    Ok(CompileCommand {
        directory: text("directory")?.into(),
        file: text("file")?.into(),
        arguments,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_of_an_entry() {
        let text = r#"[
            {"directory": "/b", "file": "a.c", "output": "a.o",
             "command": "gcc -DS=\"\\\"x y\\\"\" -Iinc -O2 -c a.c"},
            {"directory": "/b", "file": "/s/b.c", "arguments": ["cc", "-I", "i n", "-c", "/s/b.c"]}
        ]"#;
        let commands = read_compile_commands(text).expect("well formed");
        assert_eq!(commands[0].flags(), ["-DS=\"x y\"", "-Iinc"]);
        assert_eq!(commands[0].path(), PathBuf::from("/b/a.c"));
        assert_eq!(commands[1].flags(), ["-I", "i n"]);
        assert_eq!(commands[1].path(), PathBuf::from("/s/b.c"));
    }

    #[test]
    fn mistakes() {
        let check = |text: &str, expect: &str| {
            let error = read_compile_commands(text).expect_err("malformed");
            assert_eq!(error.to_string(), expect, "{text}");
        };
        check("{}", "a compilation database is a list of objects");
        check("[\n{", "line 2: expected `\"`");
        check("[{\"file\": \"a.c\"}]", "entry 1 has no command");
        check(
            "[{\"file\": \"a.c\", \"command\": \"cc\"}]",
            "entry 1 has no directory",
        );
    }
}
