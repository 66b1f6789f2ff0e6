//! What we need to look at a failure that the interpreter does not confirm.

use crate::portfolio::Unconfirmed;
use crate::summary::show;
use cwolf_prepare::Subject;
use std::fmt::Write;

/// The files of a bundle: the closed program, and what happened.
pub fn bundle(subject: &Subject, unconfirmed: &Unconfirmed) -> Vec<(&'static str, Vec<u8>)> {
    let program = &subject.program;
    let failure = &unconfirmed.failure;
    let describe = |loc| program.locations.describe(loc);
    let mut words = format!(
        "cwolf {}\nengine: {}\nfailure: {:?} at {}\nreplay: {}\nentry: {}\nchecked: {:?}\n",
        cwolf_report::VERSION,
        unconfirmed.engine,
        failure.kind,
        describe(failure.loc),
        unconfirmed.replay,
        program.funcs[subject.entry].name,
        subject.selection.kinds(),
    );
    if let Some(doubt) = &unconfirmed.doubt {
        let _ = writeln!(words, "doubt: {doubt}");
    }
    let choices = failure.choices.iter();
    let choices: Vec<String> = choices.map(|c| show(program, c.ty, c.value)).collect();
    let _ = writeln!(words, "choices: {}", choices.join(","));
    words += "path:\n";
    for loc in &failure.path {
        let _ = writeln!(words, "  {}", describe(*loc));
    }
    vec![
        ("program.cwi", cwolf_cwi::file::write(program)),
        ("failure.txt", words.into_bytes()),
    ]
}
