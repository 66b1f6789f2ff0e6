//! What the user is told: results on standard output; diagnostics as source snippets, plain
//! messages and progress on standard error; all of it in the log and in the JSON document, if
//! these are wanted.

use crate::args::Manners;
use crate::document::Document;
use crate::exit::Exit;
use crate::{log, output, progress};
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use anyhow::Result;
use cwolf_base::{Budget, Diagnostic, Severity, SourceMap, Span};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::{Value, json};
use std::io::{IsTerminal, Write};
use std::path::Path;
use std::sync::Mutex;
use std::time::Instant;

/// Where everything is said, with the manners the user asked for. Threads take turns.
pub struct Console {
    renderer: Renderer,
    /// Where the texts came from.
    folder: Option<std::path::PathBuf>,
    /// Errors only.
    quiet: bool,
    /// Also how it goes.
    verbose: bool,
    document: Document,
    turn: Mutex<()>,
}

/// A part of the work, whose time is told at its end.
pub struct Phase<'a> {
    console: &'a Console,
    what: &'static str,
    started: Instant,
}

impl Phase<'_> {
    /// Says what came out of it, and how long it took.
    pub fn done(self, outcome: &str) {
        let seconds = self.started.elapsed().as_secs_f64();
        let what = self.what;
        self.console
            .detail(&format!("{what}: {outcome} ({seconds:.3} s)"));
    }
}

/// A line to show: its text, and which part of it is meant.
struct Line {
    file: String,
    number: u32,
    text: String,
    part: std::ops::Range<usize>,
}

/// Writes to standard error. A reader that has gone (`2>&1 | head`) is no reason to fail: there
/// is nobody left to tell.
pub fn say(message: std::fmt::Arguments) {
    let _ = std::io::stderr().lock().write_fmt(message);
}

/// A message of the system without the number that only programmers of it know: `(os error 2)`.
pub fn in_words(message: &str) -> String {
    let mut words = String::new();
    let mut rest = message;
    while let Some(at) = rest.find(" (os error ") {
        let number = &rest[at + " (os error ".len()..];
        let digits = number.bytes().take_while(u8::is_ascii_digit).count();
        words.push_str(&rest[..at]);
        rest = match number[digits..].strip_prefix(')') {
            Some(rest) => rest,
            None => {
                words.push_str(" (os error ");
                number
            }
        };
    }
    words + rest
}

impl Console {
    /// Colours if standard error is a terminal that wants them. `command` is what the user typed.
    pub fn new(manners: &Manners, command: String) -> Result<Console> {
        let colours = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
        let renderer = if colours {
            Renderer::styled()
        } else {
            Renderer::plain()
        };
        if let Some(path) = &manners.log {
            log::open(path)?;
        }
        Ok(Console {
            renderer,
            folder: std::env::current_dir().ok(),
            quiet: manners.quiet,
            verbose: manners.verbose,
            document: Document::new(manners.json.clone(), command),
            turn: Mutex::new(()),
        })
    }

    /// Prints messages with the lines they are about.
    pub fn diagnostics<'a>(&self, sources: &SourceMap, list: impl Iterator<Item = &'a Diagnostic>) {
        let mut shown = String::new();
        for diagnostic in list {
            let place = diagnostic.span.map_or(Value::Null, |span| {
                let at = sources.position(span.lo);
                json!({ "file": &*at.file, "line": at.line, "column": at.column })
            });
            let severity = diagnostic.severity;
            let hint = diagnostic.hint.as_deref();
            self.document
                .message(severity, &diagnostic.message, place, hint);
            let text = format!("{}\n\n", self.render(sources, diagnostic));
            match severity == Severity::Error || !self.quiet {
                true => shown += &text,
                false => log::write(&text),
            }
        }
        self.tell(&shown, !shown.is_empty());
    }

    /// Prints an error that has no place in a text.
    pub fn error(&self, message: &str) {
        self.message(Severity::Error, &in_words(message));
    }

    /// Prints a warning that has no place in a text.
    pub fn warning(&self, message: &str) {
        self.message(Severity::Warning, message);
    }

    /// Prints something that is good to know.
    pub fn note(&self, message: &str) {
        self.message(Severity::Note, message);
    }

    /// Prints how it goes, for those who asked for more.
    pub fn detail(&self, message: &str) {
        self.tell(&format!("{message}\n"), self.verbose);
    }

    /// Whether the user wants to know more.
    pub fn is_verbose(&self) -> bool {
        self.verbose
    }

    /// Begins a part of the work; [`Phase::done`] ends it.
    pub fn phase(&self, what: &'static str) -> Phase<'_> {
        Phase {
            console: self,
            what,
            started: Instant::now(),
        }
    }

    /// Prints what another program said, or figures that were asked for, as they are.
    pub fn passed_on(&self, text: &str) {
        self.document
            .message(Severity::Note, text.trim_end(), Value::Null, None);
        self.tell(text, !self.quiet);
    }

    /// Prints an error that has its own form.
    pub fn failure(&self, text: &str) {
        self.document
            .message(Severity::Error, text.trim_end(), Value::Null, None);
        self.tell(text, true);
    }

    fn message(&self, severity: Severity, message: &str) {
        self.document.message(severity, message, Value::Null, None);
        let (word, shown) = match severity {
            Severity::Error => ("error", true),
            Severity::Warning => ("warning", !self.quiet),
            Severity::Note => ("note", !self.quiet),
        };
        self.tell(&format!("{word}: {message}\n"), shown);
    }

    fn tell(&self, text: &str, shown: bool) {
        log::write(text);
        if shown {
            let _turn = self.turn.lock();
            say(format_args!("{text}"));
        }
    }

    /// Writes a result to `path`, or to standard output unless the JSON document has it.
    pub fn print(&self, path: Option<&Path>, bytes: &[u8]) -> Result<()> {
        match self.is_inline(path) {
            true => Ok(()),
            false => output::write(path, bytes),
        }
    }

    /// As [`Console::print`], piece by piece.
    pub fn stream(
        &self,
        path: Option<&Path>,
        produce: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
    ) -> Result<()> {
        match self.is_inline(path) {
            true => Ok(()),
            false => output::stream(path, produce),
        }
    }

    /// Whether what would go to `path` (or standard output) belongs into the JSON document.
    pub fn is_inline(&self, path: Option<&Path>) -> bool {
        output::file(path).is_none() && self.document.has_stdout()
    }

    /// Writes a text that is itself the result, or keeps it for the document; returns the
    /// members that say where it is.
    pub fn product(&self, path: Option<&Path>, text: &str) -> Result<Value> {
        self.print(path, text.as_bytes())?;
        let inline = self.is_inline(path).then_some(text);
        Ok(json!({ "output": path.map(|p| p.display().to_string()), "text": inline }))
    }

    /// Sets what the JSON document answers.
    pub fn result(&self, result: Value) {
        self.document.result(result);
    }

    /// Another process with the same options has written the JSON document.
    pub fn document_is_written(&self) {
        self.document.written();
    }

    /// Ends everything that is written besides the results.
    pub fn finish(&self, exit: Exit) -> Result<()> {
        log::write(&format!("exit {}", exit.0));
        self.document.write(exit)
    }

    /// A live line for something that may take more than a second; hidden off a terminal.
    pub fn progress(&self, what: &'static str, total: u64) -> ProgressBar {
        if self.quiet || !std::io::stderr().is_terminal() {
            return ProgressBar::hidden();
        }
        let style = ProgressStyle::with_template("{prefix} {pos}/{len} {elapsed}")
            .expect("a valid template");
        let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr());
        bar.with_style(style).with_prefix(what)
    }

    /// Lets a live line follow `budget` unless the user wants silence, and Ctrl-C end it.
    pub fn watch(&self, budget: Budget) -> Budget {
        progress::on_interrupt(budget.cancel_flag());
        let live = !self.quiet && std::io::stderr().is_terminal();
        match live || log::is_open() {
            true => progress::watch(budget, live),
            false => budget,
        }
    }

    fn render(&self, sources: &SourceMap, diagnostic: &Diagnostic) -> String {
        let level = match diagnostic.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
            Severity::Note => Level::NOTE,
        };
        let lines: Vec<Line> = diagnostic
            .span
            .iter()
            .map(|s| self.line(sources, *s))
            .collect();
        let others: Vec<(Line, &str)> = diagnostic
            .related
            .iter()
            .map(|(s, m)| (self.line(sources, *s), m.as_str()))
            .collect();
        let includes: Vec<String> = diagnostic
            .span
            .map(|s| sources.include_stack(s.lo))
            .unwrap_or_default()
            .iter()
            .map(|(file, line)| format!("included from {file}:{line}"))
            .collect();

        let mut group = Group::with_title(level.primary_title(&diagnostic.message));
        for line in &lines {
            let mark = AnnotationKind::Primary
                .span(line.part.clone())
                .label(&diagnostic.label);
            group = group.element(snippet(line).annotation(mark));
        }
        for text in &includes {
            group = group.element(Level::NOTE.message(text));
        }
        let mut report = vec![group];
        for (line, message) in &others {
            let mark = AnnotationKind::Primary.span(line.part.clone());
            let title = Level::NOTE.secondary_title(*message);
            report.push(Group::with_title(title).element(snippet(line).annotation(mark)));
        }
        if let Some(hint) = &diagnostic.hint {
            report.push(Group::with_title(Level::HELP.secondary_title(hint)));
        }
        self.renderer.render(&report)
    }

    /// The line of the user's own file if it can be found, else of the preprocessed text.
    fn line(&self, sources: &SourceMap, span: Span) -> Line {
        let position = sources.position(span.lo);
        let (text, column) = sources.line_text(span.lo);
        let mut line = Line {
            file: position.file.to_string(),
            number: position.line,
            text: text.to_owned(),
            part: column..(column + span.len().max(1) as usize).min(text.len().max(column)),
        };
        let original = self
            .original(&position.file, position.line)
            .filter(|o| *o != line.text);
        if let Some(original) = original {
            // Macros were expanded here: the word itself may still stand in the user's line.
            let word = text.get(line.part.clone()).unwrap_or_default();
            let found = if word.is_empty() {
                None
            } else {
                original.find(word)
            };
            let indent = original.len() - original.trim_start().len();
            line.part = match found {
                Some(at) => at..at + word.len(),
                None => indent..original.len(),
            };
            line.text = original;
        }
        line
    }

    fn original(&self, file: &str, line: u32) -> Option<String> {
        let path = self.folder.as_ref()?.join(file);
        let bytes = std::fs::read(path).ok()?;
        let text = String::from_utf8_lossy(&bytes);
        text.lines()
            .nth(line.checked_sub(1)? as usize)
            .map(str::to_owned)
    }
}

fn snippet(line: &Line) -> Snippet<'_, annotate_snippets::Annotation<'_>> {
    Snippet::source(line.text.as_str())
        .line_start(line.number as usize)
        .path(line.file.as_str())
}
