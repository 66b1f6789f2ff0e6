//! Source lines around the place that a state's note names. Only files that the notes name are
//! ever read.

use cwolf_lts::{Lts, State};
use serde_json::{Value, json};

const AROUND: usize = 7;

/// The place in the note of a state.
pub fn place(lts: &Lts, state: State) -> Option<(String, usize)> {
    let (file, line) = lts.notes()?.get(state)?.place()?;
    Some((file.to_owned(), line as usize))
}

/// The lines around a place, as the page wants them.
pub fn excerpt(lts: &Lts, state: State) -> Value {
    let Some((file, line)) = place(lts, state) else {
        return Value::Null;
    };
    let Ok(text) = std::fs::read_to_string(&file) else {
        return json!({ "file": file, "line": line, "first": line, "lines": [] });
    };
    let first = line.saturating_sub(AROUND).max(1);
    let lines: Vec<&str> = text.lines().skip(first - 1).take(2 * AROUND + 1).collect();
    json!({ "file": file, "line": line, "first": first, "lines": lines })
}
