//! What stands after `var x :`.

use super::expression::Reader;
use super::lex::{Cursor, Result};
use super::names::unknown;
use crate::domain::{BadDomain, Kind, Shape, Universe};
use cwolf_base::{Diagnostic, Span};
use rustc_hash::FxHashMap;

pub(super) const WORDS: [&str; 11] = [
    "top", "bool", "int", "minmax", "mod", "part", "div", "set", "free", "pointer", "float",
];
/// `array` said more often than any C declarator can nest.
const MAX_DEPTH: usize = 64;

/// Reads a type of an abstraction map, with the names that `type` declared.
pub(super) fn shape(
    cursor: &mut Cursor<'_>,
    universe: &Universe,
    named: &FxHashMap<String, (Shape, Span)>,
    numbers: &Reader<'_>,
) -> Result<Shape> {
    let (word, span) = cursor.name("an abstraction")?;
    let bad = |e: BadDomain| -> Box<Diagnostic> { Diagnostic::error(span, e.to_string()).into() };
    let scalar = |kind| Ok(Shape::Scalar(kind));
    let mut found = match word.as_str() {
        "top" => scalar(Kind::Top),
        "bool" => scalar(Kind::Bool),
        "int" => scalar(Kind::Int),
        "minmax" => scalar(Kind::MinMax),
        "free" => scalar(Kind::Free),
        "pointer" => scalar(Kind::Pointer),
        "float" => scalar(Kind::Float),
        "mod" => scalar(Kind::modulo(one(cursor, &word, numbers)?).map_err(bad)?),
        "div" => scalar(Kind::div(one(cursor, &word, numbers)?).map_err(bad)?),
        "set" => scalar(Kind::set(one(cursor, &word, numbers)?).map_err(bad)?),
        "part" => scalar(universe.part(&list(cursor, numbers)?).map_err(bad)?),
        _ => match named.get(&word) {
            Some((shape, _)) => Ok(shape.clone()),
            None => {
                let known = WORDS.into_iter().chain(named.keys().map(|k| &**k));
                let message = format!("there is no abstraction `{word}`");
                Err(unknown(span, message, &word, known))
            }
        },
    }?;
    if cursor.at("(") {
        let message = format!("`{word}` takes no numbers here");
        return Err(Diagnostic::error(cursor.span, message).into());
    }
    while cursor.eat_name("array")? {
        if found.depth() >= MAX_DEPTH {
            let message = format!("more than {MAX_DEPTH} dimensions");
            return Err(Diagnostic::error(cursor.last, message).into());
        }
        found = Shape::array(found);
    }
    Ok(found)
}

fn one(cursor: &mut Cursor<'_>, word: &str, numbers: &Reader<'_>) -> Result<u64> {
    cursor.expect("(")?;
    let span = cursor.span;
    let n = numbers.constant(cursor)?;
    if cursor.at(",") {
        let message = format!("`{word}` takes one number");
        return Err(Diagnostic::error(cursor.span, message).into());
    }
    cursor.expect(")")?;
    u64::try_from(n).map_err(|_| Diagnostic::error(span, "this must not be negative").into())
}

fn list(cursor: &mut Cursor<'_>, numbers: &Reader<'_>) -> Result<Vec<i128>> {
    cursor.expect("(")?;
    let mut list = Vec::new();
    while !cursor.at(")") {
        let span = cursor.span;
        let n = numbers.constant(cursor)?;
        if let Some(last) = list.last().filter(|last| **last >= n) {
            let message =
                format!("break points grow from left to right, and {n} comes after {last}");
            let mut sorted = list.clone();
            sorted.push(n);
            sorted.sort_unstable();
            sorted.dedup();
            let sorted: Vec<String> = sorted.iter().map(i128::to_string).collect();
            let help = format!("write `part({}…)`", sorted.join(","));
            return Err(Diagnostic::error(span, message).hint(help).into());
        }
        list.push(n);
        if !cursor.eat(",")? {
            break;
        }
    }
    cursor.expect(")")?;
    Ok(list)
}
