//! What a failing run takes for granted of functions that nobody knows.

use crate::concrete::{Effect, Root, Run, Written};
use cwolf_cwi::LocId;
use cwolf_prepare::{Subject, known_row};

/// What such functions changed that nobody told them to change in that call: where, and in words.
pub(crate) fn assumed(subject: &Subject, run: &Run) -> Vec<(LocId, String)> {
    let mut found: Vec<(LocId, String)> = Vec::new();
    for call in &run.effects {
        if subject.chooser == Some(call.func) || known_row(&subject.program, call.func).is_some() {
            continue;
        }
        let name = &subject.program.funcs[call.func].name;
        for written in &call.written {
            let Some(why) = why(subject, run, written) else {
                continue;
            };
            let text = format!(
                "{name}() has no body; here it is assumed to change {}, {why}. If it does not, \
                 define it or use --extern=arguments",
                written.name
            );
            if found
                .iter()
                .all(|(loc, known)| (loc, known) != (&call.loc, &text))
            {
                found.push((call.loc, text));
            }
        }
    }
    found
}

/// How the function knows where something is that none of its arguments leads to.
fn why(subject: &Subject, run: &Run, written: &Written) -> Option<String> {
    match written.to.root {
        Root::Argument(_) | Root::Aggregate(_) | Root::Errno => None,
        Root::Variable(_) => Some("which other files can name".into()),
        Root::Kept(n) => {
            let gave = |call: &&Effect| call.kept.iter().any(|(number, _)| *number == n);
            let gave = run.effects.iter().find(gave);
            Some(
                gave.map_or("which an earlier call was given".into(), |call| {
                    let name = &subject.program.funcs[call.func].name;
                    format!("whose address {name}() was given before")
                }),
            )
        }
    }
}
