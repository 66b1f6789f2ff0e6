//! `cwolf lts compare`: the same behaviour or not, with what shows the difference.

use crate::args::LtsCompare;
use crate::commands::models;
use crate::exit::{DONE, Exit, OutOf, VIOLATED};
use crate::output;
use crate::render::Console;
use anyhow::{Result, bail};
use cwolf_base::{Budget, Exhausted};
use cwolf_lts::{Comparison, Equivalence, Evidence, Lts, Side, compare, trace_inclusion};

/// What two systems can be asked.
enum Question {
    Same(Equivalence),
    TraceInclusion { is_weak: bool },
}

impl Question {
    fn from_name(name: &str) -> Option<Question> {
        Some(match name {
            "trace-inclusion" | "weak-trace-inclusion" => {
                Question::TraceInclusion { is_weak: true }
            }
            "strong-trace-inclusion" => Question::TraceInclusion { is_weak: false },
            _ => Question::Same(Equivalence::from_name(name)?),
        })
    }
    fn ask(&self, a: &Lts, b: &Lts, budget: &Budget) -> Result<Comparison, Exhausted> {
        match self {
            Question::Same(equivalence) => compare(a, b, *equivalence, budget),
            Question::TraceInclusion { is_weak } => trace_inclusion(a, b, *is_weak, budget),
        }
    }
    fn is_preorder(&self) -> bool {
        !matches!(self, Question::Same(_))
    }
}

pub fn run(args: &LtsCompare, console: &Console) -> Result<Exit> {
    let Some(question) = Question::from_name(&args.equivalence) else {
        bail!("there is no equivalence or preorder `{}`", args.equivalence);
    };
    let budget = args.limits.budget();
    let a = models::load_plain(&args.a, args.from, &budget, console)?;
    let b = models::load_plain(&args.b, args.from, &budget, console)?;
    let answer = question.ask(&a, &b, &budget).map_err(OutOf)?;
    let (text, exit) = match (answer, question.is_preorder()) {
        (Comparison::Equivalent, false) => ("equivalent\n".to_owned(), DONE),
        (Comparison::Equivalent, true) => ("included\n".to_owned(), DONE),
        (Comparison::Different(evidence), false) => (
            format!("different\n{}", describe(&evidence, args)),
            VIOLATED,
        ),
        (Comparison::Different(evidence), true) => (
            format!("not included\n{}", describe(&evidence, args)),
            VIOLATED,
        ),
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
