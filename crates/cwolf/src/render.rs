//! What goes to standard error: diagnostics as source snippets, plain messages, progress.

use crate::progress;
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use cwolf_base::{Budget, Diagnostic, Severity, SourceMap, Span};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{IsTerminal, Write};
use std::sync::Mutex;

/// Standard error, with the manners the user asked for. Threads take turns.
pub struct Console {
    renderer: Renderer,
    /// Where the texts came from.
    folder: Option<std::path::PathBuf>,
    /// Errors only.
    quiet: bool,
    turn: Mutex<()>,
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

impl Console {
    /// Colours if standard error is a terminal that wants them.
    pub fn new(quiet: bool) -> Console {
        let colours = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
        let renderer = if colours {
            Renderer::styled()
        } else {
            Renderer::plain()
        };
        let folder = std::env::current_dir().ok();
        Console {
            renderer,
            folder,
            quiet,
            turn: Mutex::new(()),
        }
    }

    /// Prints messages with the lines they are about.
    pub fn diagnostics<'a>(&self, sources: &SourceMap, list: impl Iterator<Item = &'a Diagnostic>) {
        let wanted = list.filter(|d| !self.quiet || d.severity == Severity::Error);
        let shown: Vec<_> = wanted.map(|d| self.render(sources, d)).collect();
        let _turn = self.turn.lock();
        for text in shown {
            say(format_args!("{text}\n\n"));
        }
    }

    /// Prints an error that has no place in a text.
    pub fn error(&self, message: &str) {
        let _turn = self.turn.lock();
        say(format_args!("error: {message}\n"));
    }

    /// Prints a warning that has no place in a text.
    pub fn warning(&self, message: &str) {
        if !self.quiet {
            let _turn = self.turn.lock();
            say(format_args!("warning: {message}\n"));
        }
    }

    /// Prints something that is good to know.
    pub fn note(&self, message: &str) {
        if !self.quiet {
            let _turn = self.turn.lock();
            say(format_args!("note: {message}\n"));
        }
    }

    /// Prints what another program said, as it said it.
    pub fn passed_on(&self, text: &str) {
        if !self.quiet {
            let _turn = self.turn.lock();
            say(format_args!("{text}"));
        }
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
        match self.quiet || !std::io::stderr().is_terminal() {
            true => budget,
            false => progress::watch(budget),
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
