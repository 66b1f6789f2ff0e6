//! Reading tables.

use crate::cell::{Alternative, Next};
use crate::machine::{END, LOOP};
use crate::rows::{Field, has_commas, rows};
use crate::settings::Settings;
use crate::table::{EACH, Entry, Table};
use cwolf_base::{Diagnostic, Diagnostics, SourceMap, Span};

/// The columns of a table; the first two and `next` must be there.
const COLUMNS: [&str; 5] = ["state", "event", "next", "actions", "note"];
const REQUIRED: usize = 3;

/// What a field with nothing but this means.
const IMPOSSIBLE: &str = "-";
const ANYTHING: &str = "*";

impl Table {
    /// Reads the text of a table; `name` is what messages call it, and `.csv` or `.tsv` at its end
    /// say what stands between fields.
    pub fn read(name: &str, text: &str, sources: &mut SourceMap) -> Result<Table, Diagnostics> {
        let start = sources.add(name, text.into());
        let mut wrong = Diagnostics::default();
        let found = rows(text, start, has_commas(name, text), &mut wrong);
        let mut table = Table::default();
        for (line, at) in &found.settings {
            if let Err(diagnostic) = table.settings.set(line, *at) {
                wrong.push(diagnostic);
            }
        }
        let end = Span::new(
            start,
            start + text.lines().next().map_or(0, str::len) as u32,
        );
        let mut rows = found.rows.iter();
        match rows.next() {
            None => wrong.push(
                Diagnostic::error(end, "the table has no rows")
                    .hint("the first row names the columns: state, event, actions, next"),
            ),
            Some(header) => {
                if let Some(columns) = columns(header, &mut wrong) {
                    for row in rows {
                        let line = sources.position(row[0].span.lo).line;
                        table.add(row, &columns, line, &mut wrong);
                    }
                    table.name_next_states();
                    table.knows_start(&found.settings, &mut wrong);
                    if table.entries.is_empty() && !wrong.has_errors() {
                        wrong.push(Diagnostic::error(end, "the table has no cells"));
                    }
                }
            }
        }
        match wrong.has_errors() {
            true => Err(wrong),
            false => Ok(table),
        }
    }
    /// Names the states that have no row of their own, after all that have.
    fn name_next_states(&mut self) {
        let mut next = Vec::new();
        for entry in self.entries.values() {
            for alternative in &entry.alternatives {
                if let Next::State(name) = &alternative.next {
                    next.push((entry.line, name.clone()));
                }
            }
        }
        next.sort_unstable();
        for (_, name) in next {
            // These are no states that an event can come in.
            if ![END, LOOP].contains(&name.as_str()) {
                self.name_state(&name);
            }
        }
    }
    /// A machine starts in a state of the table.
    fn knows_start(&self, settings: &[(String, u32)], wrong: &mut Diagnostics) {
        let every = self.entries.keys().any(|(state, _)| state == EACH);
        let Some(start) = self.settings.start.as_ref().filter(|_| !every) else {
            return;
        };
        if self.states.contains(start) {
            return;
        }
        for (line, at) in settings {
            let Some(lo) = line.rfind(start.as_str()) else {
                continue;
            };
            if line.trim_start().starts_with("start") {
                let lo = at + lo as u32;
                let span = Span::new(lo, lo + start.len() as u32);
                let message = format!("the table has no state `{start}`");
                wrong.push(Diagnostic::error(span, message));
            }
        }
    }
    /// Adds the cell of a row.
    fn add(
        &mut self,
        row: &[Field],
        columns: &[Option<usize>],
        line: u32,
        wrong: &mut Diagnostics,
    ) {
        let width = columns.iter().flatten().max().map_or(0, |n| n + 1);
        let whole = row[0].span.to(row[row.len() - 1].span);
        if let Some(field) = row
            .get(width..)
            .and_then(|more| more.iter().find(|f| !f.text.is_empty()))
        {
            wrong.push(Diagnostic::error(
                field.span,
                "this row has more fields than the header",
            ));
            return;
        }
        let get = |column: usize| columns[column].and_then(|n| row.get(n));
        let text = |column: usize| get(column).map_or("", |f| f.text.as_str());
        let span = |column: usize| get(column).map_or(whole, |f| f.span);
        let (state, event) = (text(0), text(1));
        // A row that ends early would read as one without actions that stays in its state. The note may be left out.
        let needed = columns[..COLUMNS.len() - 1].iter().enumerate();
        let lacking = needed.filter(|(_, n)| n.is_some_and(|n| n >= row.len()));
        let lacking: Vec<String> = lacking.map(|(n, _)| format!("`{}`", COLUMNS[n])).collect();
        let told = wrong
            .iter()
            .any(|d| d.span.is_some_and(|s| s.lo >= whole.lo));
        if !lacking.is_empty() && !state.is_empty() && !told {
            let message = format!("this row has no field for {}", lacking.join(" and "));
            let help = "write every field; an empty one means no action, or the same state";
            wrong.push(Diagnostic::error(whole, message).hint(help));
            return;
        }
        for (name, column) in [(state, 0), (event, 1)] {
            if name.is_empty() {
                let message = format!("this row names no {}", COLUMNS[column]);
                wrong.push(Diagnostic::error(whole, message));
                return;
            }
        }
        let alternative = match alternative(text(3), text(2)) {
            Ok(alternative) => alternative,
            Err((column, message)) => {
                let hint = "`-` in both fields says that the event cannot happen";
                wrong.push(Diagnostic::error(span(column), message).hint(hint));
                return;
            }
        };
        self.name_state(state);
        self.name_event(event);
        let cell = self.entries.entry((state.to_owned(), event.to_owned()));
        let is_new = matches!(cell, std::collections::hash_map::Entry::Vacant(_));
        let entry = cell.or_insert(Entry {
            line,
            ..Entry::default()
        });
        if !text(4).is_empty() {
            entry.notes.push(text(4).to_owned());
        }
        let known = |a: &Alternative| entry.alternatives.contains(a);
        let repeated = match &alternative {
            Some(a) if known(a) => Some("this row repeats"),
            None if !is_new => Some("this row contradicts"),
            Some(_) if !is_new && entry.alternatives.is_empty() => Some("this row contradicts"),
            _ => None,
        };
        if let Some(how) = repeated {
            let message = format!("{how} line {}: `{event}` in `{state}`", entry.line);
            wrong.push(Diagnostic::error(whole, message));
        }
        entry.alternatives.extend(alternative);
    }
}

impl Settings {
    /// Carries out further lines of settings, each with its offset. Patterns take the place of those for the same role.
    pub fn change<'l>(
        &mut self,
        lines: impl Iterator<Item = (&'l str, u32)>,
    ) -> Result<(), Diagnostic> {
        let mut changed = Settings {
            roles: Default::default(),
            ..self.clone()
        };
        for (line, at) in lines {
            changed.set(line, at)?;
        }
        let mut roles = std::mem::take(&mut self.roles);
        roles.override_by(std::mem::take(&mut changed.roles));
        *self = Settings { roles, ..changed };
        Ok(())
    }
}

/// Which field holds which column.
fn columns(header: &[Field], wrong: &mut Diagnostics) -> Option<Vec<Option<usize>>> {
    let before = wrong.errors();
    let mut columns = vec![None; COLUMNS.len()];
    let names = COLUMNS.join(", ");
    for (n, field) in header.iter().enumerate() {
        let name = field.text.to_lowercase();
        match COLUMNS
            .iter()
            .position(|c| *c == name || alias(&name) == Some(c))
        {
            Some(column) if columns[column].is_some() => {
                let message = format!("there are two columns `{}`", COLUMNS[column]);
                wrong.push(Diagnostic::error(field.span, message));
            }
            Some(column) => columns[column] = Some(n),
            None => {
                let message = format!("there is no column `{}`", field.text);
                let here = Diagnostic::error(field.span, message);
                wrong.push(here.hint(format!("the first row names the columns: {names}")));
            }
        }
    }
    let missing: Vec<&str> = (0..REQUIRED)
        .filter(|&n| columns[n].is_none())
        .map(|n| COLUMNS[n])
        .collect();
    if !missing.is_empty() && wrong.errors() == before {
        let whole = header[0].span.to(header[header.len() - 1].span);
        let message = format!("the header lacks the column `{}`", missing.join("`, `"));
        wrong.push(Diagnostic::error(whole, message));
    }
    (wrong.errors() == before).then_some(columns)
}

fn alias(name: &str) -> Option<&'static str> {
    match name {
        "action" => Some("actions"),
        "next state" | "next_state" => Some("next"),
        "notes" | "comment" => Some("note"),
        _ => None,
    }
}

/// What a row allows, none if nothing; or what is wrong, and in which column.
fn alternative(actions: &str, next: &str) -> Result<Option<Alternative>, (usize, String)> {
    match (actions, next) {
        (IMPOSSIBLE | "", IMPOSSIBLE) => return Ok(None),
        (IMPOSSIBLE, _) => {
            return Err((
                3,
                format!("the actions are `-`, but the next state is `{next}`"),
            ));
        }
        (_, IMPOSSIBLE) => {
            return Err((
                2,
                format!("the next state is `-`, but the actions are `{actions}`"),
            ));
        }
        _ => {}
    }
    let list = || match actions.contains(';') {
        true => actions
            .split(';')
            .map(|a| a.trim().to_owned())
            .filter(|a| !a.is_empty())
            .collect(),
        false => actions.split_whitespace().map(str::to_owned).collect(),
    };
    Ok(Some(Alternative {
        actions: (actions != ANYTHING).then(list),
        next: match next {
            "" => Next::Same,
            EACH => Next::Any,
            name => Next::State(name.to_owned()),
        },
    }))
}
