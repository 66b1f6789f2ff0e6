//! `cwolf lts compare`: the same behaviour or not, with what shows the difference.

use crate::args::{LtsCompare, Question};
use crate::commands::models;
use crate::exit::{DONE, Exit, OutOf, VIOLATED};
use crate::output;
use crate::render::Console;
use anyhow::Result;
use cwolf_lts::{Comparison, Evidence, Side};
use cwolf_workbench::{below, tell_apart};

pub fn run(args: &LtsCompare, console: &Console) -> Result<Exit> {
    let budget = args.limits.budget(console);
    let states = args.limits.of_states(&budget);
    let a = models::load_plain(&args.a, args.from, &states, console)?;
    let b = models::load_plain(&args.b, args.from, &states, console)?;
    let (text, exit) = match args.equivalence {
        Question::Same(equivalence) => {
            match tell_apart(&a, &b, equivalence, &budget).map_err(OutOf)? {
                Comparison::Equivalent => ("equivalent\n".to_owned(), DONE),
                Comparison::Different(evidence) => {
                    let why = describe(&evidence, args);
                    (format!("different\n{why}"), VIOLATED)
                }
            }
        }
        Question::Below(preorder) => match below(&a, &b, preorder, &budget).map_err(OutOf)? {
            None => ("below\n".to_owned(), DONE),
            Some(why) => (format!("not below\n{why}\n"), VIOLATED),
        },
    };
    output::write(None, text.as_bytes())?;
    Ok(exit)
}

fn describe(evidence: &Evidence, args: &LtsCompare) -> String {
    match evidence {
        Evidence::Trace { trace, only_in } => {
            let name = match only_in {
                Side::First => &args.a,
                Side::Second => &args.b,
            };
            format!("only {name} can do: {}\n", trace.join(" "))
        }
        Evidence::Formula(formula) => format!("holds only in {}: {formula}\n", args.a),
        Evidence::TooLarge => "a formula that tells them apart is too large to show\n".to_owned(),
    }
}
