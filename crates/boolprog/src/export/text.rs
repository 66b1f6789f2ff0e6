//! What the exporters share: names that other languages accept, and expressions as text.

use super::ExportError;
use crate::rails::{Algebra, Rails, rails};
use crate::{Expr, Var};
use rustc_hash::FxHashSet;

/// An expression longer than this is not written.
const MAX_TEXT: usize = 1 << 20;

/// Makes different plain names out of any names.
#[derive(Default)]
pub(super) struct Names {
    taken: FxHashSet<String>,
}

impl Names {
    /// A name that starts with `prefix` and resembles `name`.
    pub(super) fn make(&mut self, prefix: &str, name: &str) -> String {
        let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
        let mut base: String = prefix.chars().chain(name.chars()).map(plain).collect();
        base.truncate(60);
        let mut result = base.clone();
        for n in 2.. {
            if self.taken.insert(result.clone()) {
                break;
            }
            result = format!("{base}_{n}");
        }
        result
    }
}

/// How a language spells its operators.
pub(super) struct Spelling {
    pub(super) yes: &'static str,
    pub(super) no: &'static str,
    pub(super) and: &'static str,
    pub(super) or: &'static str,
    pub(super) equal: &'static str,
}

/// Evaluates expressions to their text.
pub(super) struct Text<'a> {
    pub(super) spelling: &'a Spelling,
    /// The text of a variable before a step, and after it.
    pub(super) now: &'a dyn Fn(Var) -> String,
    pub(super) next: &'a dyn Fn(Var) -> String,
}

impl Text<'_> {
    fn check(&self, text: String) -> Result<String, ExportError> {
        if text.len() > MAX_TEXT {
            return Err(ExportError::TooLarge);
        }
        Ok(text)
    }
    pub(super) fn rails(&mut self, expr: &Expr) -> Result<Rails<String>, ExportError> {
        rails(self, expr)
    }
    /// Where `expr` may be `value`.
    pub(super) fn may_be(&mut self, expr: &Expr, value: bool) -> Result<String, ExportError> {
        rails(self, expr)?.may_be(self, value)
    }
    /// Where `new` is a value that `expr` may have.
    pub(super) fn takes(&mut self, new: &str, expr: &Expr) -> Result<String, ExportError> {
        let new = new.to_owned();
        match self.rails(expr)? {
            Rails::One(value) => self.equal(&new, &value),
            Rails::Two(t, f) => {
                let not_new = self.not(&new)?;
                let (a, b) = (self.or(&not_new, &t)?, self.or(&new, &f)?);
                self.and(&a, &b)
            }
        }
    }
}

impl Algebra for Text<'_> {
    type Value = String;
    type Error = ExportError;
    fn constant(&mut self, value: bool) -> String {
        let Spelling { yes, no, .. } = self.spelling;
        (if value { yes } else { no }).to_string()
    }
    fn var(&mut self, var: Var) -> Result<String, ExportError> {
        Ok((self.now)(var))
    }
    fn next(&mut self, var: Var) -> Result<String, ExportError> {
        Ok((self.next)(var))
    }
    fn not(&mut self, a: &String) -> Result<String, ExportError> {
        let Spelling { yes, no, .. } = self.spelling;
        match a {
            a if a == yes => Ok(no.to_string()),
            a if a == no => Ok(yes.to_string()),
            // What follows `!` is a name or in parentheses. `!!` would be an operator of Promela.
            a => match a.strip_prefix('!') {
                Some(inner) => Ok(inner.to_owned()),
                None => self.check(format!("!{a}")),
            },
        }
    }
    fn and(&mut self, a: &String, b: &String) -> Result<String, ExportError> {
        let Spelling { yes, no, and, .. } = self.spelling;
        match (a, b) {
            (a, b) if a == yes || b == no => Ok(b.clone()),
            (a, b) if b == yes || a == no => Ok(a.clone()),
            _ => self.check(format!("({a} {and} {b})")),
        }
    }
    fn or(&mut self, a: &String, b: &String) -> Result<String, ExportError> {
        let Spelling { yes, no, or, .. } = self.spelling;
        match (a, b) {
            (a, b) if a == no || b == yes => Ok(b.clone()),
            (a, b) if b == no || a == yes => Ok(a.clone()),
            _ => self.check(format!("({a} {or} {b})")),
        }
    }
    fn equal(&mut self, a: &String, b: &String) -> Result<String, ExportError> {
        let Spelling { yes, no, equal, .. } = self.spelling;
        match (a, b) {
            (a, b) if a == yes => Ok(b.clone()),
            (a, b) if b == yes => Ok(a.clone()),
            (a, b) if a == no => self.not(b),
            (a, b) if b == no => self.not(a),
            _ => self.check(format!("({a} {equal} {b})")),
        }
    }
}
