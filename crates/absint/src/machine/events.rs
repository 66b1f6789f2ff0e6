//! The names of events that a program shows itself (`_cwolf_event`).

use super::Code;
use super::calls::Call;
use super::scratch::Scratch;
use super::step::Step;
use crate::domain::Address;
use cwolf_cwi::{Expr, ExprKind, InitValue, VarKind};
use cwolf_lts::{TAU_NAME, literal};

/// The text of a string literal.
pub fn literal_text(program: &cwolf_cwi::Program, e: &Expr) -> Option<String> {
    text(program, e)
}

fn text(program: &cwolf_cwi::Program, mut e: &Expr) -> Option<String> {
    while let ExprKind::Cast(inner) = &e.kind {
        e = inner;
    }
    let ExprKind::AddrOf(place) = &e.kind else {
        return None;
    };
    let var = &program.vars[place.root()?];
    if var.kind != VarKind::Literal {
        return None;
    }
    let InitValue::Bytes(bytes) = &var.init.first()?.value else {
        return None;
    };
    let end = bytes.iter().position(|b| *b == 0).unwrap_or(bytes.len());
    Some(String::from_utf8_lossy(&bytes[..end]).into_owned())
}

/// Whether a program can show an event of this name: it calls a function that shows one, and has the text.
pub fn is_event_name(program: &cwolf_cwi::Program, name: &str) -> bool {
    let is_text = |var: &cwolf_cwi::Var| match var.init.first().map(|i| &i.value) {
        Some(InitValue::Bytes(bytes)) => {
            bytes.strip_suffix(&[0]).unwrap_or(bytes) == name.as_bytes()
        }
        _ => false,
    };
    shows_events(program) && program.vars.iter().any(is_text)
}

/// Whether a program shows events itself.
pub fn shows_events(program: &cwolf_cwi::Program) -> bool {
    let mut rows = program.funcs.ids().filter_map(|f| program.known(f));
    rows.any(|row| row.is_event())
}

impl Code<'_> {
    /// One step for each name that the event may have.
    pub(super) fn show_event(
        &self,
        call: &Call<'_>,
        env: Scratch,
        labels: Vec<String>,
        step: &mut Step,
    ) {
        let names = match self.event_names(call, &env) {
            Some(names) => names.iter().map(|n| literal(n).into_owned()).collect(),
            None => {
                let text = "the name of this event is not known here: its label is `{?}`";
                step.note(self.call_loc(call), text.to_owned());
                vec!["{?}".to_owned()]
            }
        };
        let Some(next) = call.next else { return };
        for name in names {
            let mut labels = labels.clone();
            labels.push(name);
            self.go(call.here, next, env.clone(), labels, step);
        }
    }
    /// The labels that an event may have: the texts that its argument may point to, if all of them are known.
    fn event_names(&self, call: &Call<'_>, env: &Scratch) -> Option<Vec<String>> {
        let name = call.args.first()?;
        let context = self.context(call.func, call.block);
        let texts = match self.text(name) {
            Some(text) => vec![text],
            None => {
                let text = |address: Address| {
                    let bytes = context.bytes_of(env, address.target())?;
                    let bytes = bytes.get(usize::try_from(address.offset()?).ok()?..)?;
                    let end = bytes.iter().position(|b| *b == Some(0))?;
                    let bytes = bytes[..end].iter().copied().collect::<Option<Vec<u8>>>()?;
                    Some(String::from_utf8_lossy(&bytes).into_owned())
                };
                let addresses = self.universe.addresses(context.eval(env, name))?;
                addresses
                    .into_iter()
                    .map(text)
                    .collect::<Option<Vec<String>>>()?
            }
        };
        let mut names = texts;
        names.sort_unstable();
        names.dedup();
        let fit = |name: &String| !name.is_empty() && name != TAU_NAME;
        names.iter().all(fit).then_some(names)
    }
    /// The text of a string literal.
    pub(super) fn text(&self, e: &Expr) -> Option<String> {
        text(self.program, e)
    }
}
