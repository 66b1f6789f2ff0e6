//! The text of processes.
//!
//! ```text
//! file    = { "proc" NAME "=" process | "set" NAME "=" "{" actions "}" | "prop" NAME "=" formula }
//! process = parallel { "+" parallel }
//! parallel = prefixed { "|" prefixed }
//! prefixed = action "." prefixed | postfixed
//! postfixed = primary { "\" ( "{" actions "}" | NAME | action ) | "[" new "/" old, … "]" }
//! primary = "nil" | NAME | "(" process ")" | "Aut" "(" "start" "=" NUMBER … ")"
//! ```
//!
//! As in Milner's book restriction and relabelling bind tightest, then prefix, `|` and `+`.

use super::environment::{Environment, Loaded};
use super::term::{NameId, Term, TermId};
use crate::formula;
use crate::lexer::Kind;
use crate::parser::{Cursor, Parsed};
use cwolf_base::{Diagnostic, Span};
use cwolf_lts::{Builder, Label, State, TAU, TAU_NAME};
use rustc_hash::FxHashMap;

/// Words that cannot be names of processes.
const RESERVED: [&str; 6] = ["proc", "prop", "set", "nil", "Aut", "t"];

/// Adds all definitions of `text`, and lists them.
pub(super) fn file(env: &mut Environment, text: &str, start: u32) -> Parsed<Vec<(Loaded, String)>> {
    let mut cursor = Cursor::new(text, start)?;
    let mut names = Vec::new();
    while !cursor.at_end() {
        let (kind, what) = match &cursor.peek().kind {
            Kind::Word(word) if word == "proc" => (Loaded::Process, "a process' name"),
            Kind::Word(word) if word == "set" => (Loaded::Set, "a set's name"),
            Kind::Word(word) if word == "prop" => (Loaded::Proposition, "a proposition's name"),
            _ => return Err(cursor.expected("`proc`, `prop` or `set`")),
        };
        let begin = cursor.next().span;
        let (name, span) = cursor.word(what)?;
        if RESERVED.contains(&name.as_str()) {
            return Err(Diagnostic::error(
                span,
                format!("`{name}` cannot be a name"),
            ));
        }
        if names.contains(&(kind, name.clone())) {
            let message = format!("`{name}` is defined twice in this text");
            return Err(Diagnostic::error(span, message));
        }
        cursor.expect("=")?;
        match kind {
            Loaded::Process => {
                let (body, uses) = whole_process(env, &mut cursor)?;
                let end = cursor.span().lo;
                env.define(&name, body, Span::new(begin.lo, end), uses);
            }
            Loaded::Set => {
                let actions = braced(&mut cursor)?;
                env.sets.insert(name.clone(), actions);
            }
            Loaded::Proposition => {
                let root = formula::parse(&mut cursor, &mut env.formulas, &env.sets)?;
                let end = cursor.span().lo;
                env.formulas.define(&name, root, Span::new(begin.lo, end));
            }
        }
        names.push((kind, name));
    }
    Ok(names)
}

/// One process, and the names in it.
pub(super) fn expression(
    env: &mut Environment,
    text: &str,
    start: u32,
) -> Parsed<(TermId, Vec<(NameId, Span)>)> {
    let mut cursor = Cursor::new(text, start)?;
    let parsed = whole_process(env, &mut cursor)?;
    match cursor.at_end() {
        true => Ok(parsed),
        false => Err(cursor.expected("an operator or the end")),
    }
}

fn whole_process(
    env: &mut Environment,
    cursor: &mut Cursor,
) -> Parsed<(TermId, Vec<(NameId, Span)>)> {
    let mut parser = Parser {
        env,
        uses: Vec::new(),
    };
    let body = parser.process(cursor)?;
    Ok((body, parser.uses))
}

/// `{a, 'b, …}`.
fn braced(cursor: &mut Cursor) -> Parsed<Vec<String>> {
    cursor.expect("{")?;
    let mut list = Vec::new();
    while !cursor.eat("}") {
        let span = cursor.span();
        let name = cursor.action()?;
        if name == TAU_NAME {
            let message = "the internal action cannot be in a set";
            return Err(Diagnostic::error(span, message));
        }
        list.push(name);
        if !cursor.eat(",") && !cursor.sees("}") {
            return Err(cursor.expected("`,` or `}`"));
        }
    }
    Ok(list)
}

struct Parser<'a> {
    env: &'a mut Environment,
    uses: Vec<(NameId, Span)>,
}

impl Parser<'_> {
    fn process(&mut self, cursor: &mut Cursor) -> Parsed<TermId> {
        let mut parts = vec![self.parallel(cursor)?];
        while cursor.eat("+") {
            parts.push(self.parallel(cursor)?);
        }
        Ok(match parts[..] {
            [only] => only,
            _ => self.env.terms.intern(Term::Sum(parts.into())),
        })
    }
    fn parallel(&mut self, cursor: &mut Cursor) -> Parsed<TermId> {
        let mut left = self.prefixed(cursor)?;
        while cursor.eat("|") {
            let right = self.prefixed(cursor)?;
            left = self.env.terms.intern(Term::Par(left, right));
        }
        Ok(left)
    }
    fn prefixed(&mut self, cursor: &mut Cursor) -> Parsed<TermId> {
        let mut actions = Vec::new();
        while self.sees_prefix(cursor) {
            actions.push(cursor.action()?);
            cursor.expect(".")?;
        }
        let mut term = self.postfixed(cursor)?;
        for action in actions.iter().rev() {
            let label = self.env.labels.intern(action);
            term = self.env.terms.intern(Term::Prefix(label, term));
        }
        Ok(term)
    }
    /// An action and a dot; a name without a dot is a process.
    fn sees_prefix(&self, cursor: &Cursor) -> bool {
        match cursor.peek().kind {
            Kind::Sign('`' | '\'') | Kind::Text(_) => true,
            Kind::Word(_) => cursor.peek_at(1).kind == Kind::Sign('.'),
            _ => false,
        }
    }
    fn postfixed(&mut self, cursor: &mut Cursor) -> Parsed<TermId> {
        let mut term = self.primary(cursor)?;
        loop {
            if cursor.eat("\\") {
                let set = self.restriction(cursor)?;
                term = self.env.terms.intern(Term::Restrict(term, set));
            } else if cursor.eat("[") {
                let renaming = self.renaming(cursor)?;
                term = self.env.terms.intern(Term::Relabel(term, renaming));
            } else {
                return Ok(term);
            }
        }
    }
    fn restriction(&mut self, cursor: &mut Cursor) -> Parsed<u32> {
        let span = cursor.span();
        let names = match &cursor.peek().kind {
            Kind::Sign('{') => braced(cursor)?,
            Kind::Word(word) if self.env.sets.contains_key(word) => {
                let names = self.env.sets[word].clone();
                cursor.next();
                names
            }
            _ if cursor.sees_action() => vec![cursor.action()?],
            _ => return Err(cursor.expected("a set of actions")),
        };
        if names.iter().any(|n| n == TAU_NAME) {
            let message = "the internal action cannot be restricted";
            return Err(Diagnostic::error(span, message));
        }
        Ok(self.env.restriction(&names))
    }
    fn renaming(&mut self, cursor: &mut Cursor) -> Parsed<u32> {
        let mut pairs: Vec<(Label, Label)> = Vec::new();
        loop {
            let span = cursor.span();
            let new = cursor.action()?;
            cursor.expect("/")?;
            let old = cursor.action()?;
            if new == TAU_NAME || old == TAU_NAME {
                let message = "the internal action cannot be relabelled, nor be a new name";
                return Err(Diagnostic::error(span, message));
            }
            let labels = &mut self.env.labels;
            for (new, old) in [
                (new.clone(), old.clone()),
                (complement(&new), complement(&old)),
            ] {
                let pair = (labels.intern(&old), labels.intern(&new));
                if pairs.iter().any(|p| p.0 == pair.0) {
                    let message = format!("`{old}` is relabelled twice");
                    return Err(Diagnostic::error(span, message));
                }
                pairs.push(pair);
            }
            if !cursor.eat(",") {
                break;
            }
        }
        cursor.expect("]")?;
        pairs.sort_unstable();
        let renamings = &mut self.env.renamings;
        let found = renamings.iter().position(|r| *r == pairs);
        Ok(found.unwrap_or_else(|| {
            renamings.push(pairs);
            renamings.len() - 1
        }) as u32)
    }
    fn primary(&mut self, cursor: &mut Cursor) -> Parsed<TermId> {
        if cursor.eat("(") {
            let inner = cursor.deeper(|cursor| self.process(cursor))?;
            cursor.expect(")")?;
            return Ok(inner);
        }
        let (word, span) = match &cursor.peek().kind {
            Kind::Word(word) if matches!(word.as_str(), "proc" | "prop" | "set") => {
                return Err(cursor.expected("a process"));
            }
            _ => cursor.word("a process")?,
        };
        match word.as_str() {
            "nil" => Ok(self.env.terms.intern(Term::Nil)),
            "Aut" => self.automaton(cursor),
            "t" => Err(Diagnostic::error(
                span,
                "the action `t` needs a dot and a process",
            )),
            _ => {
                let name = self.env.name(&word);
                self.uses.push((name, span));
                Ok(self.env.terms.intern(Term::Name(name)))
            }
        }
    }
    /// The rest of `Aut(…)`: thesis, Figure 4.12.
    fn automaton(&mut self, cursor: &mut Cursor) -> Parsed<TermId> {
        cursor.expect("(")?;
        if !cursor.eat_word("start") {
            return Err(cursor.expected("`start`"));
        }
        cursor.expect("=")?;
        let mut builder = Builder::new();
        // Numbers in the text may be sparse: count only those that occur.
        let mut numbers: FxHashMap<u32, State> = FxHashMap::default();
        let mut state = |number: u32| {
            let next = numbers.len() as State;
            *numbers.entry(number).or_insert(next)
        };
        let initial = state(cursor.number("the start state")?);
        cursor.eat(",");
        while !cursor.eat(")") {
            let source = state(cursor.number("a state or `)`")?);
            cursor.expect(":")?;
            while cursor.sees_action() {
                let action = cursor.action()?;
                let label = match action.as_str() {
                    TAU_NAME => TAU,
                    name => builder.label(name),
                };
                cursor.expect("{")?;
                loop {
                    let target = state(cursor.number("a target state")?);
                    builder.add(source, label, target);
                    if !cursor.eat(",") {
                        break;
                    }
                }
                cursor.expect("}")?;
            }
            cursor.eat(",");
        }
        Ok(self.env.automaton(builder.finish(initial)))
    }
}

/// `a` for `'a` and the other way round.
fn complement(name: &str) -> String {
    match name.strip_prefix('\'') {
        Some(input) => input.to_owned(),
        None => format!("'{name}"),
    }
}

impl Environment {
    /// The number of the set with these actions and their complements.
    pub(crate) fn restriction(&mut self, names: &[String]) -> u32 {
        let mut set: Vec<Label> = Vec::new();
        for name in names {
            set.push(self.labels.intern(name));
            set.push(self.labels.intern(&complement(name)));
        }
        set.sort_unstable();
        set.dedup();
        let found = self.restrictions.iter().position(|s| *s == set);
        found.unwrap_or_else(|| {
            self.restrictions.push(set);
            self.restrictions.len() - 1
        }) as u32
    }
}
