//! `--json`: what a command answers as one document for other programs, the same envelope for
//! every command. `docs/report.schema.json` is its schema, which the tests hold it to.

use crate::exit::Exit;
use crate::output;
use anyhow::Result;
use clap::CommandFactory;
use cwolf_base::Severity;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// The version of the schema; it changes when a reader would have to.
pub const SCHEMA: u32 = 1;

/// The document of one command, written at its end.
pub struct Document {
    /// Where it goes, if it is wanted; `-` is standard output.
    to: Option<PathBuf>,
    /// The command, as it is typed: `lts reduce`.
    command: String,
    content: Mutex<Content>,
}

#[derive(Default)]
struct Content {
    result: Value,
    messages: Vec<Value>,
    /// Another process has written the document.
    written: bool,
}

impl Document {
    pub fn new(to: Option<PathBuf>, command: String) -> Document {
        Document {
            to,
            command,
            content: Mutex::default(),
        }
    }
    /// Whether standard output belongs to the document, so that nothing else may go there.
    pub fn has_stdout(&self) -> bool {
        self.to.as_deref() == Some(Path::new("-"))
    }
    /// Keeps something that the user was told.
    pub fn message(&self, severity: Severity, text: &str, place: Value, hint: Option<&str>) {
        let severity = match severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        };
        self.with(|content| {
            content.messages.push(json!({
                "severity": severity,
                "text": text,
                "place": place,
                "hint": hint,
            }));
        });
    }
    /// Sets the answer.
    pub fn result(&self, result: Value) {
        self.with(|content| content.result = result);
    }
    /// Leaves the document as another process has written it.
    pub fn written(&self) {
        self.with(|content| content.written = true);
    }
    /// Writes the document, if it is wanted.
    pub fn write(&self, exit: Exit) -> Result<()> {
        let Some(to) = &self.to else { return Ok(()) };
        let content = self.with(std::mem::take);
        if content.written {
            return Ok(());
        }
        let document = json!({
            "schema": SCHEMA,
            "cwolf": env!("CARGO_PKG_VERSION"),
            "command": self.command,
            "exit": exit.0,
            "result": content.result,
            "messages": content.messages,
        });
        let path = (!self.has_stdout()).then_some(to.as_path());
        output::write(path, format!("{document:#}\n").as_bytes())
    }
    fn with<T>(&self, action: impl FnOnce(&mut Content) -> T) -> T {
        // A message is whole or not there: a panic elsewhere does not spoil it.
        action(&mut self.content.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// The document for a command line that cannot be read: `--json` is found by looking for it.
pub fn of_wrong_usage(given: &[String], text: &str, tip: Option<&str>, exit: Exit) {
    let mut words = given.iter().skip(1).take_while(|w| *w != "--");
    let mut to = None;
    let mut names: Vec<&str> = Vec::new();
    let cli = crate::args::Cli::command();
    let mut level = &cli;
    while let Some(word) = words.next() {
        if let Some(file) = word.strip_prefix("--json=") {
            to = Some(PathBuf::from(file));
        } else if word == "--json" {
            to = words.next().map(PathBuf::from);
        } else if let Some(command) = level.find_subcommand(word) {
            names.push(command.get_name());
            level = command;
        }
    }
    let document = Document::new(to, names.join(" "));
    // The first paragraph says what is wrong, the others how to call the command.
    let first = text.split("\n\n").next().unwrap_or(text);
    let first = first.strip_prefix("error: ").unwrap_or(first).trim();
    document.message(Severity::Error, first, Value::Null, tip);
    // There is nobody left to tell that this failed, too.
    let _ = document.write(exit);
}
