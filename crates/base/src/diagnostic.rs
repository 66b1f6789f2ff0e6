//! What a user is told: a severity, a place, a plain sentence, a hint.

use crate::Span;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Extra information.
    Note,
    /// The result may not be what the user expects.
    Warning,
    /// No result.
    Error,
}

/// One message to the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// Where, if the message is about a place.
    pub span: Option<Span>,
    /// A plain sentence without a full stop.
    pub message: String,
    /// What the text at `span` is, shown under it; may be empty.
    pub label: String,
    /// Other places that matter, each with a sentence.
    pub related: Vec<(Span, String)>,
    /// What to do next.
    pub hint: Option<String>,
}

impl Diagnostic {
    /// A message of `severity` about the text at `span`.
    pub fn new(severity: Severity, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            severity,
            span: Some(span),
            message: message.into(),
            label: String::new(),
            related: Vec::new(),
            hint: None,
        }
    }
    /// An error about the text at `span`.
    pub fn error(span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Severity::Error, span, message)
    }
    /// A warning about the text at `span`.
    pub fn warning(span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Severity::Warning, span, message)
    }
    /// Adds words shown under the text itself.
    pub fn label(mut self, label: impl Into<String>) -> Diagnostic {
        self.label = label.into();
        self
    }
    /// Adds another place that matters.
    pub fn related(mut self, span: Span, message: impl Into<String>) -> Diagnostic {
        self.related.push((span, message.into()));
        self
    }
    /// Adds what to do next.
    pub fn hint(mut self, hint: impl Into<String>) -> Diagnostic {
        self.hint = Some(hint.into());
        self
    }
}

/// Collects diagnostics in the order they were found.
#[derive(Clone, Debug, Default)]
pub struct Diagnostics {
    list: Vec<Diagnostic>,
    errors: usize,
}

impl Diagnostics {
    /// Adds a message.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        self.errors += usize::from(diagnostic.severity == Severity::Error);
        self.list.push(diagnostic);
    }
    /// How many errors were added so far.
    pub fn errors(&self) -> usize {
        self.errors
    }
    /// Whether an error was added.
    pub fn has_errors(&self) -> bool {
        self.errors > 0
    }
    /// All messages so far.
    pub fn iter(&self) -> std::slice::Iter<'_, Diagnostic> {
        self.list.iter()
    }
    /// How many messages there are.
    pub fn len(&self) -> usize {
        self.list.len()
    }
    /// Whether there is no message.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }
    /// All messages.
    pub fn into_vec(self) -> Vec<Diagnostic> {
        self.list
    }
    /// Forgets every message past the first `len`, for a parser that steps back.
    pub fn truncate(&mut self, len: usize) {
        self.list.truncate(len);
        self.errors = self
            .list
            .iter()
            .filter(|d| d.severity == Severity::Error)
            .count();
    }
}
