//! The rows of a CSV (RFC 4180) or TSV text, each field with its place, and its settings.

use cwolf_base::{Diagnostic, Diagnostics, Span};

/// One field of a row, without quotes and without blanks around it.
#[derive(Clone, Debug)]
pub struct Field {
    pub text: String,
    pub span: Span,
}

/// A text taken apart.
#[derive(Debug, Default)]
pub struct Rows {
    /// Fields by row; empty lines and comments are left out.
    pub rows: Vec<Vec<Field>>,
    /// What stands behind `#!`, with its offset.
    pub settings: Vec<(String, u32)>,
}

/// Takes `text` apart, which begins at the offset `start`. `comma` says whether commas stand
/// between fields; tabs do otherwise.
pub fn rows(text: &str, start: u32, comma: bool, wrong: &mut Diagnostics) -> Rows {
    let mut found = Rows::default();
    let mut rest = Reader { text, at: 0, start };
    while rest.at < text.len() {
        let line = rest.line();
        if let Some(comment) = line.strip_prefix('#') {
            if let Some(setting) = comment.strip_prefix('!') {
                found
                    .settings
                    .push((setting.to_owned(), start + rest.at as u32 + 2));
            }
            rest.skip_line();
        } else if line.trim().is_empty() {
            rest.skip_line();
        } else {
            found.rows.push(rest.row(comma, wrong));
        }
    }
    found
}

/// Whether commas stand between the fields of a file with this name and text.
pub fn has_commas(name: &str, text: &str) -> bool {
    if name.ends_with(".csv") {
        return true;
    }
    let first = text
        .lines()
        .find(|l| !l.starts_with('#') && !l.trim().is_empty());
    !name.ends_with(".tsv") && !first.is_some_and(|l| l.contains('\t'))
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
    start: u32,
}

impl<'t> Reader<'t> {
    fn line(&self) -> &'t str {
        let rest = &self.text[self.at..];
        let line = rest.split('\n').next().unwrap_or(rest);
        line.strip_suffix('\r').unwrap_or(line)
    }
    fn skip_line(&mut self) {
        let rest = &self.text[self.at..];
        self.at += rest.find('\n').map_or(rest.len(), |n| n + 1);
    }
    /// The fields up to the end of the row, which lies in a later line if a quoted field has one.
    fn row(&mut self, comma: bool, wrong: &mut Diagnostics) -> Vec<Field> {
        let separator = if comma { ',' } else { '\t' };
        let mut fields = Vec::new();
        loop {
            let quoted = comma && self.line().trim_start_matches(' ').starts_with('"');
            fields.push(match quoted {
                true => self.quoted(wrong),
                false => self.plain(separator),
            });
            let line = self.line();
            let Some(at) = line.find(separator) else {
                self.refuse_rest(line, wrong);
                self.skip_line();
                return fields;
            };
            self.refuse_rest(&line[..at], wrong);
            self.at += at + 1;
        }
    }
    fn plain(&mut self, separator: char) -> Field {
        let line = self.line();
        let raw = line.split(separator).next().unwrap_or(line);
        let text = raw.trim();
        let lo = self.at + (raw.len() - raw.trim_start().len());
        self.at += raw.len();
        Field {
            text: text.to_owned(),
            span: self.span(lo, lo + text.len()),
        }
    }
    fn quoted(&mut self, wrong: &mut Diagnostics) -> Field {
        let lo = self.at + (self.line().len() - self.line().trim_start_matches(' ').len());
        let mut text = String::new();
        let mut at = lo + 1;
        loop {
            let Some(quote) = self.text[at..].find('"') else {
                // The rest of the line is the field, so that the lines after it are read, too.
                let end = self.at + self.line().len();
                let message = "this quoted field has no end";
                let here = Diagnostic::error(self.span(lo, lo + 1), message);
                wrong.push(
                    here.hint("close it with `\"`; a quote inside a field is written `\"\"`"),
                );
                self.at = end;
                return Field {
                    text: self
                        .text
                        .get(lo + 1..end)
                        .unwrap_or_default()
                        .trim()
                        .to_owned(),
                    span: self.span(lo, end),
                };
            };
            text += &self.text[at..at + quote];
            at += quote + 1;
            if !self.text[at..].starts_with('"') {
                break;
            }
            text.push('"');
            at += 1;
        }
        self.at = at;
        Field {
            text: text.trim().to_owned(),
            span: self.span(lo, at),
        }
    }
    /// Between a quoted field and the next separator there may only be blanks.
    fn refuse_rest(&self, between: &str, wrong: &mut Diagnostics) {
        if !between.trim().is_empty() {
            let span = self.span(self.at, self.at + between.len());
            wrong.push(Diagnostic::error(
                span,
                "there is text behind a quoted field",
            ));
        }
    }
    fn span(&self, lo: usize, hi: usize) -> Span {
        Span::new(self.start + lo as u32, self.start + hi as u32)
    }
}
