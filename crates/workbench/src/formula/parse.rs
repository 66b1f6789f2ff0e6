//! The text of formulas.
//!
//! ```text
//! formula = or [ ("->" | "=>") formula ]
//! or      = and { ("\/" | "|") and }
//! and     = until { ("/\" | "&") until }
//! until   = unary [ ("U" | "W" | "R") until ]
//! unary   = ("not" | "~") unary | ("min" | "max") NAME "=" formula
//!         | ("<" | "[" | "<<" | "[[") actions (">" | …) unary
//!         | ("A" | "E" | "X" | "F" | "G" | "AG" | "EF" | …) unary
//!         | "tt" | "ff" | NAME | "{" actions "}" | "(" formula ")"
//! actions = [ "-" ] [ action { "," action } ]      a name may also be that of a set
//! ```
//!
//! A name that `min` or `max` binds is a variable even if it is `X`, `F`, `A` or the like.

use super::{Actions, FormulaId, Formulas, Node, VarId};
use crate::lexer::Kind;
use crate::parser::{Cursor, Parsed};
use cwolf_base::{Diagnostic, Span};
use rustc_hash::FxHashMap;

type Sets = FxHashMap<String, Vec<String>>;

/// Words that cannot be variables or propositions.
const RESERVED: [&str; 8] = ["tt", "ff", "not", "min", "max", "proc", "prop", "set"];

/// Parses one formula about states; one about runs gets an `A` in front.
pub(crate) fn parse(
    cursor: &mut Cursor,
    formulas: &mut Formulas,
    sets: &Sets,
) -> Parsed<FormulaId> {
    let mut parser = Parser {
        formulas,
        sets,
        scope: Vec::new(),
        uses: Vec::new(),
    };
    let root = parser.formula(cursor)?;
    Ok(parser.formulas.quantified(false, root))
}

struct Bound {
    name: String,
    var: VarId,
}

/// A place where a variable stands.
struct Use {
    /// The variable, as a place in `scope`.
    bound: usize,
    span: Span,
    /// Whether an odd number of negations stands between it and its fixpoint, as far as known.
    is_odd: bool,
}

struct Parser<'a> {
    formulas: &'a mut Formulas,
    sets: &'a Sets,
    scope: Vec<Bound>,
    /// Where the variables in `scope` were used so far.
    uses: Vec<Use>,
}

impl Parser<'_> {
    fn formula(&mut self, cursor: &mut Cursor) -> Parsed<FormulaId> {
        let mark = self.uses.len();
        let left = self.or(cursor)?;
        if !cursor.eat("->") && !cursor.eat("=>") {
            return Ok(left);
        }
        self.negate(mark);
        let left = self.formulas.add(Node::Not(left));
        let right = cursor.deeper(|cursor| self.formula(cursor))?;
        Ok(self.formulas.add(Node::Or(left, right)))
    }
    /// The uses of variables since `mark` turned out to stand under one more negation.
    fn negate(&mut self, mark: usize) {
        for used in &mut self.uses[mark..] {
            used.is_odd = !used.is_odd;
        }
    }
    fn or(&mut self, cursor: &mut Cursor) -> Parsed<FormulaId> {
        let mut left = self.and(cursor)?;
        while cursor.eat("\\/") || cursor.eat("|") {
            let right = self.and(cursor)?;
            left = self.formulas.add(Node::Or(left, right));
        }
        Ok(left)
    }
    fn and(&mut self, cursor: &mut Cursor) -> Parsed<FormulaId> {
        let mut left = self.until(cursor)?;
        while cursor.eat("/\\") || cursor.eat("&") {
            let right = self.until(cursor)?;
            left = self.formulas.add(Node::And(left, right));
        }
        Ok(left)
    }
    fn until(&mut self, cursor: &mut Cursor) -> Parsed<FormulaId> {
        let left = cursor.deeper(|cursor| self.unary(cursor))?;
        let operator = ["U", "W", "R"].into_iter().find(|w| cursor.sees_word(w));
        let Some(operator) = operator else {
            return Ok(left);
        };
        cursor.next();
        let right = cursor.deeper(|cursor| self.until(cursor))?;
        Ok(match operator {
            "U" => self.formulas.add(Node::Until(left, right)),
            "R" => self.formulas.add(Node::Release(left, right)),
            _ => {
                let either = self.formulas.add(Node::Or(left, right));
                self.formulas.add(Node::Release(right, either))
            }
        })
    }
    fn unary(&mut self, cursor: &mut Cursor) -> Parsed<FormulaId> {
        if cursor.eat("~") || cursor.eat_word("not") {
            let mark = self.uses.len();
            let inner = cursor.deeper(|cursor| self.unary(cursor))?;
            self.negate(mark);
            return Ok(self.formulas.add(Node::Not(inner)));
        }
        let modalities = [
            ("<<", ">>", true, true),
            ("[[", "]]", false, true),
            ("<", ">", true, false),
            ("[", "]", false, false),
        ];
        for (open, close, diamond, is_weak) in modalities {
            if cursor.eat(open) {
                let actions = self.actions(cursor)?;
                cursor.expect(close)?;
                let span = cursor.span();
                let inner = cursor.deeper(|cursor| self.unary(cursor))?;
                self.about_states(inner, span)?;
                return Ok(match (is_weak, diamond) {
                    (true, _) => self.formulas.weak(diamond, actions, inner),
                    (false, true) => self.formulas.add(Node::Diamond(actions, inner)),
                    (false, false) => self.formulas.add(Node::Box(actions, inner)),
                });
            }
        }
        if cursor.eat("(") {
            let inner = cursor.deeper(|cursor| self.formula(cursor))?;
            cursor.expect(")")?;
            return Ok(inner);
        }
        if cursor.eat("{") {
            let actions = self.actions(cursor)?;
            cursor.expect("}")?;
            return Ok(self.formulas.add(Node::Action(actions)));
        }
        match &cursor.peek().kind {
            Kind::Word(word) if word == "min" || word == "max" => self.fixpoint(cursor),
            Kind::Word(_) => self.word(cursor),
            _ => Err(cursor.expected("a formula")),
        }
    }
    fn fixpoint(&mut self, cursor: &mut Cursor) -> Parsed<FormulaId> {
        let least = cursor.eat_word("min");
        if !least {
            cursor.next();
        }
        let (name, span) = cursor.word("a variable")?;
        if RESERVED.contains(&name.as_str()) {
            let message = format!("`{name}` cannot be a variable");
            return Err(Diagnostic::error(span, message));
        }
        cursor.expect("=")?;
        let var = self.formulas.fresh();
        let bound = self.scope.len();
        self.scope.push(Bound { name, var });
        let span = cursor.span();
        let inner = cursor.deeper(|cursor| self.formula(cursor))?;
        let name = self.scope.pop().expect("it was pushed").name;
        if let Some(odd) = self.uses.iter().find(|u| u.bound == bound && u.is_odd) {
            let message = format!("the variable `{name}` stands under an odd number of negations");
            return Err(Diagnostic::error(odd.span, message)
                .hint("a fixpoint exists only for formulas that grow with their variable"));
        }
        self.uses.retain(|u| u.bound != bound);
        self.about_states(inner, span)?;
        Ok(self.formulas.add(Node::Fix { least, var, inner }))
    }
    fn word(&mut self, cursor: &mut Cursor) -> Parsed<FormulaId> {
        let (word, span) = cursor.word("a formula")?;
        if let Some(at) = self.scope.iter().rposition(|b| b.name == word) {
            self.uses.push(Use {
                bound: at,
                span,
                is_odd: false,
            });
            let var = self.scope[at].var;
            return Ok(self.formulas.add(Node::Var(var)));
        }
        match word.as_str() {
            "tt" | "true" => return Ok(self.formulas.add(Node::True)),
            "ff" | "false" => return Ok(self.formulas.add(Node::False)),
            _ => {}
        }
        if let Some(id) = self.formulas.definition(&word) {
            return Ok(id);
        }
        let mut letters = word.chars();
        let quantifier = match (letters.next(), word.len()) {
            (Some(c @ ('A' | 'E')), 1 | 2) => Some(c == 'E'),
            _ => None,
        };
        let operator = match quantifier {
            Some(_) => letters.next(),
            None if word.len() == 1 => word.chars().next(),
            None => Some('?'),
        };
        match (quantifier, operator) {
            (Some(exists), None) => {
                self.quantified(cursor, exists, |parser, cursor| parser.unary(cursor))
            }
            (Some(exists), Some(c @ ('X' | 'F' | 'G'))) => {
                self.quantified(cursor, exists, |parser, cursor| parser.temporal(cursor, c))
            }
            (None, Some(c @ ('X' | 'F' | 'G'))) => self.temporal(cursor, c),
            _ => {
                let message = format!("there is no variable or proposition `{word}`");
                let hint = format!(
                    "a step `{word}` is possible: <{word}>tt; the next step is one: {{{word}}}"
                );
                Err(Diagnostic::error(span, message).hint(hint))
            }
        }
    }
    fn temporal(&mut self, cursor: &mut Cursor, operator: char) -> Parsed<FormulaId> {
        let inner = cursor.deeper(|cursor| self.unary(cursor))?;
        Ok(match operator {
            'X' => self.formulas.add(Node::Next(inner)),
            'F' => {
                let always = self.formulas.add(Node::True);
                self.formulas.add(Node::Until(always, inner))
            }
            _ => {
                let never = self.formulas.add(Node::False);
                self.formulas.add(Node::Release(never, inner))
            }
        })
    }
    fn quantified(
        &mut self,
        cursor: &mut Cursor,
        exists: bool,
        path: impl FnOnce(&mut Self, &mut Cursor) -> Parsed<FormulaId>,
    ) -> Parsed<FormulaId> {
        let span = cursor.span();
        let mark = self.uses.len();
        let path = cursor.deeper(|cursor| path(self, cursor))?;
        let formula = self.formulas.quantified(exists, path);
        let stays = matches!(self.formulas.node(formula), Node::Quantified { .. });
        if let (true, Some(used)) = (stays, self.uses.get(mark)) {
            let name = &self.scope[used.bound].name;
            let message =
                format!("the variable `{name}` cannot be used inside a formula about runs");
            return Err(Diagnostic::error(span, message)
                .hint("only A or E with one of X, F, G, U, W, R directly inside may contain it"));
        }
        Ok(formula)
    }
    fn about_states(&self, formula: FormulaId, span: Span) -> Parsed<()> {
        match self.formulas.is_path(formula) {
            false => Ok(()),
            true => Err(
                Diagnostic::error(span, "a formula about runs needs `A` or `E` here")
                    .hint("A: all runs from this state; E: some run"),
            ),
        }
    }
    /// `a, b`, `-a, b`, `-`, or nothing.
    fn actions(&mut self, cursor: &mut Cursor) -> Parsed<Actions> {
        let negated = cursor.eat("-");
        let mut names = Vec::new();
        while cursor.sees_action() {
            match &cursor.peek().kind {
                Kind::Word(word) if self.sets.contains_key(word) => {
                    names.extend(self.sets[word].iter().cloned());
                    cursor.next();
                }
                Kind::Word(word) if word == "eps" => {
                    names.push(cwolf_lts::TAU_NAME.to_owned());
                    cursor.next();
                }
                _ => names.push(cursor.action()?),
            }
            if !cursor.eat(",") {
                break;
            }
        }
        names.sort_unstable();
        names.dedup();
        Ok(Actions { negated, names })
    }
}
