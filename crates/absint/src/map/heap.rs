//! What an abstraction map says about how the program is made ready for the machine: `heap N;`, how many objects of each
//! allocating call are told apart, and the functions that it mentions. This is before the map is read against the
//! program, so it is looked for by itself.

use super::lex::{Cursor, Result, Token};
use cwolf_base::Diagnostic;

/// More are never told apart.
pub const MAX_NEWEST: usize = 64;

/// The number in the line `heap N;` of a map, if it has one.
pub fn newest_objects(text: &str) -> Option<usize> {
    let mut cursor = Cursor::new(text, 0, true).ok()?;
    let mut depth = 0;
    while cursor.token != Token::End {
        match cursor.bump().ok()? {
            Token::Sym("{") => depth += 1,
            Token::Sym("}") => depth -= 1,
            Token::Name(name) if name == "heap" && depth == 0 => {
                if let Token::Number(n) = cursor.token {
                    return usize::try_from(n).ok().filter(|n| *n <= MAX_NEWEST);
                }
            }
            _ => {}
        }
    }
    None
}

/// The functions that a map mentions: those of the C library run as their models in C, since the map is about their variables.
pub fn mentioned_functions(text: &str) -> Vec<String> {
    let mut names = Vec::new();
    let Ok(mut cursor) = Cursor::new(text, 0, true) else {
        return names;
    };
    while cursor.token != Token::End {
        let Ok(token) = cursor.bump() else { break };
        if token == Token::Name("fun".into())
            && let Token::Name(name) = &cursor.token
        {
            names.push(name.clone());
        }
    }
    names
}

/// Checks the rest of the line, after `heap`.
pub(super) fn line(cursor: &mut Cursor<'_>) -> Result<()> {
    let (n, span) = cursor.signed()?;
    cursor.expect(";")?;
    match usize::try_from(n).is_ok_and(|n| n <= MAX_NEWEST) {
        true => Ok(()),
        false => {
            let message = format!("between 0 and {MAX_NEWEST} objects can be told apart");
            Err(Diagnostic::error(span, message).into())
        }
    }
}
