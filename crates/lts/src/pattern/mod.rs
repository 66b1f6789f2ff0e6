//! Labels that stand for one of several actions: `out {0..9}` is `out 0` or `out 1` or …
//!
//! A hole in braces is `{?}` (any text that is not empty), or numbers and ranges of numbers:
//! `{1,4}`, `{0..9}`, `{..-1,1..}`, `{1..9/2}` (1, 3, 5, 7, 9). A step with a pattern means that
//! at least one of its actions can happen there, and it is unknown which. A text that only looks
//! like a hole has a quote after its brace: the label `{'0..9}` is the text `{0..9}`.
//!
//! Where an answer cannot be exact it errs on the safe side: two patterns that overlap are never
//! said not to, one that is not inside another is never said to be.

mod set;
#[cfg(test)]
mod tests;
mod values;

pub use set::{ActionSet, Reading};
pub use values::{Span, Values};

use crate::labels::TAU_NAME;
use std::borrow::Cow;
use std::fmt;

/// Patterns with more members than this are not taken apart.
const MAX_MEMBERS: usize = 4096;

/// A piece of a pattern.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Piece {
    /// This text.
    Text(String),
    /// One of these.
    Hole(Values),
}

/// A label with holes. Two texts never stand side by side.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Pattern {
    pieces: Vec<Piece>,
}

/// What a label means: its pieces, of which those of an ordinary label are all text.
impl Pattern {
    /// The pattern with these pieces.
    pub fn new(pieces: impl IntoIterator<Item = Piece>) -> Pattern {
        let mut list: Vec<Piece> = Vec::new();
        for piece in pieces {
            // A hole for one number is that number.
            let piece = match piece {
                Piece::Hole(values) => match values.single() {
                    Some(n) => Piece::Text(n.to_string()),
                    None => Piece::Hole(values),
                },
                text => text,
            };
            match (list.last_mut(), piece) {
                (Some(Piece::Text(before)), Piece::Text(text)) => before.push_str(&text),
                (_, Piece::Text(text)) if text.is_empty() => {}
                (_, piece) => list.push(piece),
            }
        }
        Pattern { pieces: list }
    }
    /// What a label means.
    pub fn parse(label: &str) -> Pattern {
        let mut pieces = Vec::new();
        let mut text = String::new();
        let mut rest = label;
        while let Some(open) = rest.find('{') {
            text.push_str(&rest[..open]);
            rest = &rest[open..];
            match hole(rest) {
                Some((0, values, len)) => {
                    pieces.push(Piece::Text(std::mem::take(&mut text)));
                    pieces.push(Piece::Hole(values));
                    rest = &rest[len..];
                }
                Some((_, _, len)) => {
                    text.push('{');
                    text.push_str(&rest[2..len]);
                    rest = &rest[len..];
                }
                None => {
                    text.push('{');
                    rest = &rest[1..];
                }
            }
        }
        text.push_str(rest);
        pieces.push(Piece::Text(text));
        Pattern::new(pieces)
    }
    /// Its pieces.
    pub fn pieces(&self) -> &[Piece] {
        &self.pieces
    }
    /// The text of an ordinary label; none if there is a hole.
    pub fn text(&self) -> Option<&str> {
        match &self.pieces[..] {
            [] => Some(""),
            [Piece::Text(text)] => Some(text),
            _ => None,
        }
    }
    /// Whether there is a hole.
    pub fn has_holes(&self) -> bool {
        self.text().is_none()
    }
    /// Whether an action with this text is one of them.
    pub fn contains(&self, text: &str) -> bool {
        if let Some(own) = self.text() {
            return own == text;
        }
        if text == TAU_NAME {
            return false;
        }
        // Up to where each prefix of the pieces may reach.
        let mut ends = vec![false; text.len() + 1];
        ends[0] = true;
        for piece in &self.pieces {
            let mut next = vec![false; text.len() + 1];
            for from in (0..ends.len()).filter(|n| ends[*n]) {
                match piece {
                    Piece::Text(own) if text[from..].starts_with(own) => {
                        next[from + own.len()] = true;
                    }
                    Piece::Text(_) => {}
                    Piece::Hole(values) => {
                        let ends = (from + 1..=text.len()).filter(|n| text.is_char_boundary(*n));
                        for to in ends.filter(|to| values.contains(&text[from..*to])) {
                            next[to] = true;
                        }
                    }
                }
            }
            ends = next;
        }
        ends[text.len()]
    }
    /// All its actions, if there are at most `limit`.
    pub fn members(&self, limit: usize) -> Option<Vec<String>> {
        let mut list = vec![String::new()];
        for piece in &self.pieces {
            match piece {
                Piece::Text(text) => list.iter_mut().for_each(|t| t.push_str(text)),
                Piece::Hole(values) => {
                    let numbers = values.members(limit / list.len())?;
                    let all = list.iter().flat_map(|t| {
                        let more = numbers.iter().map(move |n| format!("{t}{n}"));
                        more.collect::<Vec<_>>()
                    });
                    list = all.collect();
                }
            }
        }
        Some(list)
    }
    fn lead(&self) -> &str {
        match self.pieces.first() {
            Some(Piece::Text(text)) => text,
            _ => "",
        }
    }
    fn trail(&self) -> &str {
        match self.pieces.last() {
            Some(Piece::Text(text)) => text,
            _ => "",
        }
    }
    /// Whether one action may be meant by both.
    pub fn overlaps(&self, other: &Pattern) -> bool {
        if let Some(text) = self.text() {
            return other.contains(text);
        }
        if let Some(text) = other.text() {
            return self.contains(text);
        }
        let (a, b) = (self.lead(), other.lead());
        let (x, y) = (self.trail(), other.trail());
        if !(a.starts_with(b) || b.starts_with(a)) || !(x.ends_with(y) || y.ends_with(x)) {
            return false;
        }
        match (self.tokens(), other.tokens()) {
            // Whoever has the same tokens has them at the same places.
            (Some(a), Some(b)) => {
                a.len() == b.len() && a.iter().zip(&b).all(|(a, b)| a.overlaps(b))
            }
            _ => true,
        }
    }
    /// Whether every action of `part` is meant by this one, too.
    pub fn includes(&self, part: &Pattern) -> bool {
        if self == part {
            return true;
        }
        if let Some(text) = part.text() {
            return self.contains(text);
        }
        let fits = |(a, b): (&Piece, &Piece)| match (a, b) {
            (Piece::Text(a), Piece::Text(b)) => a == b,
            (Piece::Hole(a), Piece::Hole(b)) => a.includes(b),
            _ => false,
        };
        if self.pieces.len() == part.pieces.len() && self.pieces.iter().zip(&part.pieces).all(fits)
        {
            return true;
        }
        let around = match &self.pieces[..] {
            [Piece::Hole(Values::Any)] => Some(("", "")),
            [Piece::Text(lead), Piece::Hole(Values::Any)] => Some((&**lead, "")),
            [Piece::Hole(Values::Any), Piece::Text(trail)] => Some(("", &**trail)),
            [
                Piece::Text(lead),
                Piece::Hole(Values::Any),
                Piece::Text(trail),
            ] => Some((&**lead, &**trail)),
            _ => None,
        };
        // A hole of the part lies between its own ends, so something is left for this one's.
        if let Some((lead, trail)) = around
            && part.lead().starts_with(lead)
            && part.trail().ends_with(trail)
        {
            return true;
        }
        let members = part.members(MAX_MEMBERS);
        members.is_some_and(|list| list.iter().all(|text| self.contains(text)))
    }
    /// The pattern as texts without numbers and sets of numbers, if every text that it stands
    /// for can be taken apart in that one way only.
    fn tokens(&self) -> Option<Vec<Token<'_>>> {
        let mut tokens = Vec::new();
        let mut before = None;
        for (n, piece) in self.pieces.iter().enumerate() {
            match piece {
                Piece::Text(text) => tokenise(text, &mut tokens),
                Piece::Hole(Values::Any) => return None,
                Piece::Hole(values) => {
                    let after = match self.pieces.get(n + 1) {
                        Some(Piece::Text(text)) => text.chars().next(),
                        Some(Piece::Hole(_)) => return None,
                        None => None,
                    };
                    let joins =
                        |c: Option<char>| c.is_some_and(|c: char| c.is_ascii_digit() || c == '-');
                    if joins(before) || joins(after) {
                        return None;
                    }
                    tokens.push(Token::Set(values));
                }
            }
            before = match piece {
                Piece::Text(text) => text.chars().next_back(),
                Piece::Hole(_) => None,
            };
        }
        Some(tokens)
    }
}

/// A text without numbers, a number, or a set of numbers.
enum Token<'p> {
    Text(&'p str),
    Number(&'p str),
    Set(&'p Values),
}

impl Token<'_> {
    fn overlaps(&self, other: &Token<'_>) -> bool {
        match (self, other) {
            (Token::Text(a), Token::Text(b)) | (Token::Number(a), Token::Number(b)) => a == b,
            (Token::Set(a), Token::Set(b)) => a.overlaps(b),
            (Token::Set(set), Token::Number(n)) | (Token::Number(n), Token::Set(set)) => {
                set.contains(n)
            }
            _ => false,
        }
    }
}

/// Takes a text apart at its numbers; a minus right before digits belongs to them.
fn tokenise<'p>(text: &'p str, tokens: &mut Vec<Token<'p>>) {
    let bytes = text.as_bytes();
    let digit = |n: usize| bytes.get(n).is_some_and(u8::is_ascii_digit);
    let mut from = 0;
    let mut at = 0;
    while at < bytes.len() {
        if !(digit(at) || (bytes[at] == b'-' && digit(at + 1))) {
            at += 1;
            continue;
        }
        let mut end = at + 1;
        while digit(end) {
            end += 1;
        }
        if from < at {
            tokens.push(Token::Text(&text[from..at]));
        }
        tokens.push(Token::Number(&text[at..end]));
        (from, at) = (end, end);
    }
    if from < text.len() {
        tokens.push(Token::Text(&text[from..]));
    }
}

/// A hole at the start of a text: how many quotes it has, what it stands for, how long it is.
fn hole(text: &str) -> Option<(usize, Values, usize)> {
    let close = text.find('}')?;
    let inside = &text[1..close];
    let values = inside.trim_start_matches('\'');
    let quotes = inside.len() - values.len();
    Some((quotes, Values::parse(values)?, close + 1))
}

/// Whether a label has a hole.
pub fn is_pattern(label: &str) -> bool {
    label.contains('{') && Pattern::parse(label).has_holes()
}

/// The label of an action with this text: the text, with a quote in whatever looks like a hole.
pub fn literal(text: &str) -> Cow<'_, str> {
    let mut out = String::new();
    let mut copied = 0;
    let mut at = 0;
    while let Some(open) = text[at..].find('{').map(|n| at + n) {
        at = open + 1;
        if let Some((_, _, len)) = hole(&text[open..]) {
            out.push_str(&text[copied..at]);
            out.push('\'');
            copied = at;
            at = open + len;
        }
    }
    match copied {
        0 => Cow::Borrowed(text),
        _ => Cow::Owned(out + &text[copied..]),
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for piece in &self.pieces {
            match piece {
                Piece::Text(text) => f.write_str(&literal(text))?,
                Piece::Hole(values) => write!(f, "{values}")?,
            }
        }
        Ok(())
    }
}
