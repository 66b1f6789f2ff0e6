//! Label maps: which steps of the program are seen, and under which name.

use super::Text;
use super::constants::{NoVocabulary, Vocabulary};
use super::expression::{Reader, Subject};
use super::lex::{Cursor, Result, Token};
use super::members::{Member, object_of};
use cwolf_base::{Diagnostic, Diagnostics, SourceMap, Span};
use cwolf_cwi::graph::Analysed;
use cwolf_cwi::{BinOp, Expr, ExprKind, FileId, FuncId, Place, RecordId, VarId};

/// A variable or a part of one, as a bit range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spot {
    /// The variable.
    pub var: VarId,
    /// The first bit.
    pub from: u64,
    /// One past the last bit.
    pub to: u64,
}

/// What an event looks at.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Seen {
    /// Always there.
    pub fixed: Vec<Spot>,
    /// The same as places.
    pub places: Vec<Place>,
    /// Where a pointer or an index says.
    pub through: Vec<Place>,
    /// In every object of a type; `fixed` has all variables that these may lie in.
    pub members: Vec<Member>,
}

/// What happens.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// One of these functions is called.
    Call(Vec<FuncId>),
    /// One of these functions returns.
    Return(Vec<FuncId>),
    /// One of these is read.
    Read(Seen),
    /// One of these is written.
    Write(Seen),
    /// One of these is written and the condition, if there is one, holds then.
    Watch(Seen, Option<Expr>),
    /// Control comes to a line of a file.
    Exec(Vec<FileId>, u32),
    /// The program ends, with a status for which the comparison holds.
    Exit(Option<(BinOp, i128)>),
}

/// A piece of a label.
#[derive(Clone, Debug, PartialEq)]
pub enum Part {
    /// This text.
    Text(String),
    /// A value at that moment.
    Value(Expr),
}

/// One rule of a label map.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    /// What happens.
    pub event: Event,
    /// What must hold as well.
    pub when: Option<Expr>,
    /// The label, in pieces; an input starts with a backquote.
    pub label: Vec<Part>,
}

/// All rules, in the order of the map.
#[derive(Clone, Debug, Default)]
pub struct LabelMap {
    /// The rules.
    pub rules: Vec<Rule>,
}

impl LabelMap {
    /// The functions whose calls, and nothing else that rules name, show a label. None if something else may show it.
    pub fn called(&self, label: &str) -> Option<Vec<FuncId>> {
        let mut found = Vec::new();
        for rule in &self.rules {
            let mut text = String::new();
            for part in &rule.label {
                match part {
                    Part::Text(t) => text += t,
                    Part::Value(_) => return None,
                }
            }
            if cwolf_lts::literal(&text) != label {
                continue;
            }
            match (&rule.event, &rule.when) {
                (Event::Call(funcs), None) => found.extend(funcs.iter().copied()),
                _ => return None,
            }
        }
        Some(found)
    }
}

/// Reads a label map and looks its names up in `program`.
pub fn parse_labels(
    program: &Analysed,
    sources: &mut SourceMap,
    text: Text<'_>,
) -> std::result::Result<LabelMap, Diagnostics> {
    parse_labels_with(program, sources, text, &NoVocabulary)
}

/// The same with names that only the C files know.
pub fn parse_labels_with(
    program: &Analysed,
    sources: &mut SourceMap,
    text: Text<'_>,
    vocabulary: &dyn Vocabulary,
) -> std::result::Result<LabelMap, Diagnostics> {
    let start = text.register(sources);
    let mut errors = Diagnostics::default();
    let mut map = LabelMap::default();
    let reader = Reader {
        program,
        vocabulary,
        subject: Subject::Other,
        analysed: Some(program),
    };
    match Cursor::new(text.text, start, false) {
        Err(error) => errors.push(*error),
        Ok(mut cursor) => {
            let mut spans: Vec<Span> = Vec::new();
            while cursor.token != Token::End {
                let start = cursor.span;
                match reader.rule(&mut cursor) {
                    Ok(rule) => {
                        let span = start.to(cursor.last);
                        if let Some((n, message)) = hidden(&map.rules, &rule) {
                            let error = Diagnostic::error(span, message);
                            errors.push(error.related(spans[n], "the rule before it"));
                        }
                        map.rules.push(rule);
                        spans.push(span);
                    }
                    Err(error) => {
                        errors.push(*error);
                        // The next rule may have another mistake.
                        if let Err(error) = next_rule(&mut cursor) {
                            errors.push(*error);
                            break;
                        }
                    }
                }
            }
        }
    }
    if errors.has_errors() {
        return Err(errors);
    }
    Ok(map)
}

/// Why a rule after others is a mistake, and which of them makes it one.
fn hidden(before: &[Rule], rule: &Rule) -> Option<(usize, &'static str)> {
    if let Some(n) = before.iter().position(|b| b == rule) {
        return Some((n, "this rule is written twice"));
    }
    // Of watches and ends, the first that fires is the only one.
    let alone = matches!(rule.event, Event::Watch(..) | Event::Exit(_));
    let first = before
        .iter()
        .position(|b| alone && b.event == rule.event && (b.when.is_none() || b.when == rule.when));
    first.map(|n| {
        let message = "this rule never fires, as another one for the same event stands before it";
        (n, message)
    })
}

fn next_rule(cursor: &mut Cursor<'_>) -> Result<()> {
    while cursor.token != Token::End {
        if cursor.eat(";")? {
            return Ok(());
        }
        cursor.bump()?;
    }
    Ok(())
}

impl Reader<'_> {
    fn rule(&self, cursor: &mut Cursor<'_>) -> Result<Rule> {
        let start = cursor.span;
        let event = self.event(cursor)?;
        let about = Reader {
            subject: match &event {
                Event::Call(funcs) => Subject::Call(funcs.clone()),
                Event::Return(funcs) => Subject::Return(funcs.clone()),
                _ => Subject::Other,
            },
            ..*self
        };
        let when = match cursor.eat_name("when")? {
            true => Some(about.condition(cursor)?),
            false => None,
        };
        cursor.expect("=>")?;
        let label = about.label(cursor)?;
        let span = start.to(cursor.last);
        cursor.expect(";")?;
        let rule = Rule { event, when, label };
        self.check_objects(&rule, span)?;
        Ok(rule)
    }
    /// A rule is about objects of one type, and its event says which object it is.
    fn check_objects(&self, rule: &Rule, span: Span) -> Result<()> {
        let mut records: Vec<RecordId> = Vec::new();
        let mut look = |e: &Expr| {
            e.walk(&mut |e| records.extend(object_of(e)));
        };
        rule.when.iter().for_each(&mut look);
        for part in &rule.label {
            if let Part::Value(e) = part {
                look(e);
            }
        }
        let seen = match &rule.event {
            Event::Read(seen) | Event::Write(seen) | Event::Watch(seen, _) => Some(seen),
            _ => None,
        };
        let own: Vec<RecordId> = (seen.iter().flat_map(|s| &s.members))
            .map(|m| m.record)
            .collect();
        let name = |record: RecordId| self.program.types.records[record].name.clone();
        if let Some(other) = own.iter().find(|r| **r != own[0]) {
            let message = format!(
                "this rule is about objects of two types, `{}` and `{}`",
                name(own[0]),
                name(*other)
            );
            let hint = "write a rule for each of them";
            return Err(Diagnostic::error(span, message).hint(hint).into());
        }
        match records.iter().find(|r| !own.contains(r)) {
            None => Ok(()),
            Some(record) => {
                let name = name(*record);
                let message =
                    format!("the event does not say which object of type `{name}` is meant");
                let hint = format!(
                    "a field of a type is known in rules of `read`, `write` and `watch` of such a field: `watch(struct {name}.…)`"
                );
                Err(Diagnostic::error(span, message).hint(hint).into())
            }
        }
    }
    fn event(&self, cursor: &mut Cursor<'_>) -> Result<Event> {
        let (word, _) = match &cursor.token {
            Token::Name(_) => cursor.name("an event")?,
            _ => return Err(self.no_event(cursor)),
        };
        Ok(match word.as_str() {
            "call" => Event::Call(self.functions(cursor)?),
            "return" => Event::Return(self.functions(cursor)?),
            "read" => Event::Read(self.spots(cursor)?),
            "write" => Event::Write(self.spots(cursor)?),
            "watch" => self.watch(cursor)?,
            "exec" => {
                let parenthesis = cursor.eat("(")?;
                let (file, span) = cursor.text("the name of a file")?;
                let files = self.names().files(&file, span)?;
                cursor.expect(":")?;
                let (line, span) = cursor.signed()?;
                if parenthesis {
                    cursor.expect(")")?;
                }
                let line = u32::try_from(line).map_err(|_| bad_line(span))?;
                self.check_line(&files, line, span)?;
                Event::Exec(files, line)
            }
            "exit" => {
                let parenthesis = cursor.eat("(")?;
                let test = match relation(cursor)? {
                    Some(op) => Some((op, self.number(cursor)?)),
                    None => None,
                };
                if parenthesis {
                    cursor.expect(")")?;
                }
                Event::Exit(test)
            }
            _ => {
                let known = ["call", "return", "read", "write", "watch", "exec", "exit"];
                let message = format!("there is no event `{word}`");
                return Err(super::names::unknown(cursor.last, message, &word, known));
            }
        })
    }
    fn no_event(&self, cursor: &Cursor<'_>) -> Box<Diagnostic> {
        cursor.unexpected("an event such as `call(f)` or `watch(x == 1)`")
    }
    fn check_line(&self, files: &[FileId], line: u32, span: Span) -> Result<()> {
        let locs = self.program.locations.locs();
        let there = |l: &cwolf_cwi::Loc| files.contains(&l.file) && l.line == line;
        match locs.iter().any(there) {
            true => Ok(()),
            false => Err(Diagnostic::error(span, "no code stands at this line").into()),
        }
    }
    fn functions(&self, cursor: &mut Cursor<'_>) -> Result<Vec<FuncId>> {
        cursor.expect("(")?;
        cursor.wildcards(true)?;
        let mut files = None;
        if matches!(cursor.token, Token::Text(_)) {
            let (file, span) = cursor.text("a file")?;
            files = Some(self.names().files(&file, span)?);
            cursor.expect(":")?;
        }
        let (name, span) = cursor.name("the name of a function")?;
        cursor.wildcards(false)?;
        cursor.expect(")")?;
        self.names().functions(&name, files.as_deref(), span)
    }
    fn spots(&self, cursor: &mut Cursor<'_>) -> Result<Seen> {
        cursor.expect("(")?;
        cursor.wildcards(true)?;
        let (places, _) = self.places(cursor)?;
        cursor.wildcards(false)?;
        cursor.expect(")")?;
        let mut seen = Seen::default();
        places.iter().for_each(|p| self.see(&mut seen, p));
        Ok(seen)
    }
    /// A number, or a name of one.
    fn number(&self, cursor: &mut Cursor<'_>) -> Result<i128> {
        let start = cursor.span;
        let e = self.value(cursor)?;
        match e.kind {
            ExprKind::Int(n) => Ok(n),
            _ => {
                let span = start.to(cursor.last);
                Err(Diagnostic::error(span, "a status is compared with a number").into())
            }
        }
    }
    fn watch(&self, cursor: &mut Cursor<'_>) -> Result<Event> {
        cursor.expect("(")?;
        let start = cursor.span;
        let condition = self.condition(cursor)?;
        let span = start.to(cursor.last);
        cursor.expect(")")?;
        let mut seen = Seen::default();
        condition.walk(&mut |e| {
            if let ExprKind::Load { place, .. } = &e.kind {
                self.see(&mut seen, place);
            }
        });
        if seen == Seen::default() {
            let message = "there is no variable in it, so nothing is watched";
            return Err(Diagnostic::error(span, message).into());
        }
        // `watch(x)` alone fires at each write.
        let condition = match condition.kind {
            ExprKind::Load { .. } => None,
            _ => Some(condition),
        };
        Ok(Event::Watch(seen, condition))
    }
    fn label(&self, cursor: &mut Cursor<'_>) -> Result<Vec<Part>> {
        let mut parts = Vec::new();
        if cursor.eat("`")? {
            parts.push(Part::Text("`".into()));
        }
        if matches!(cursor.token, Token::Name(_)) {
            parts.push(Part::Text(cursor.name("a label")?.0));
        } else if matches!(cursor.token, Token::Text(_)) {
            let (text, span) = cursor.text("a label")?;
            self.pattern(&text, span, &mut parts)?;
        } else {
            return Err(cursor.unexpected("a label"));
        }
        let whole: String = parts
            .iter()
            .map(|p| match p {
                Part::Text(text) => text,
                Part::Value(_) => "{}",
            })
            .collect();
        if whole == cwolf_lts::TAU_NAME || whole.is_empty() {
            let message = "this name is reserved for steps that are not seen";
            return Err(Diagnostic::error(cursor.last, message).into());
        }
        Ok(parts)
    }
    /// `x={x}`: text with variables in braces.
    fn pattern(&self, text: &str, span: Span, parts: &mut Vec<Part>) -> Result<()> {
        let mut rest = text;
        let mut at = span.lo + 1;
        while let Some(open) = rest.find('{') {
            let Some(close) = rest[open..].find('}').map(|n| open + n) else {
                return Err(Diagnostic::error(span, "this `{` is not closed").into());
            };
            if open > 0 {
                parts.push(Part::Text(rest[..open].to_owned()));
            }
            let mut inner = Cursor::new(&rest[open + 1..close], at + open as u32 + 1, false)?;
            let value = self.value(&mut inner)?;
            if inner.token != Token::End {
                return Err(inner.unexpected("`}`"));
            }
            parts.push(Part::Value(value));
            rest = &rest[close + 1..];
            at += close as u32 + 1;
        }
        if !rest.is_empty() {
            parts.push(Part::Text(rest.to_owned()));
        }
        Ok(())
    }
}

fn bad_line(span: Span) -> Box<Diagnostic> {
    Diagnostic::error(span, "a line is a positive number").into()
}

/// A comparison, if one is next.
fn relation(cursor: &mut Cursor<'_>) -> Result<Option<BinOp>> {
    let table = [
        ("==", BinOp::Eq),
        ("!=", BinOp::Ne),
        ("<=", BinOp::Le),
        ("<", BinOp::Lt),
        (">=", BinOp::Ge),
        (">", BinOp::Gt),
    ];
    for (symbol, op) in table {
        if cursor.eat(symbol)? {
            return Ok(Some(op));
        }
    }
    Ok(None)
}
