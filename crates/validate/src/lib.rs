//! Witnesses of verdicts, read and checked: `invariant_set` and `violation_sequence` in YAML (2.0 and
//! 2.1), automata in GraphML (1.0).
//!
//! A witness is turned into code in the program ([`cwolf_cwi`]): invariants into checks at loop heads, waypoints
//! into a counter of those that were passed. What the result does is decided by the encoder and the
//! interpreter alone; no engine that may have found the verdict is asked.
//!
//! - A violation is confirmed by a run of the interpreter that passes all waypoints and then fails at the target.
//! - Invariants are confirmed by induction over loop heads, or by following all runs to their end.
//! - Either is refused with a run that shows it wrong, or when no run does what is claimed.

mod bounded;
mod correctness;
mod induction;
mod place;
pub mod read;
mod run;
mod scope;
mod verdict;
mod violation;
mod weave;
pub mod witness;

pub use place::{Source, loop_keyword, sees};
pub use read::{ReadError, read};
pub use scope::LookUp;
pub use verdict::{Validation, Verdict};

use cwolf_base::{Budget, with_stack};
use cwolf_cwi::value::{Value, float};
use cwolf_cwi::{Type, TypeId, Types};
use cwolf_prepare::Subject;
use cwolf_prepare::property::Kind;
use witness::{Claim, Witness};

/// A program that a witness is held against.
pub struct Task<'a> {
    /// The program, made ready with what is checked.
    pub subject: &'a Subject,
    /// Its files, with what stands where.
    pub sources: Vec<Source>,
    /// Its files and the SHA-256 hashes of their contents, in hexadecimal.
    pub hashes: Vec<(String, String)>,
    /// What names mean that the program has lost.
    pub look_up: LookUp<'a>,
}

/// Checks a witness.
pub fn validate(task: &Task<'_>, witness: &Witness, budget: &Budget) -> Validation {
    if let Some(refused) = metadata(task, witness) {
        return refused;
    }
    if task.subject.selection.has(Kind::Uninitialised) {
        return Validation::unknown("reads of memory that was never written are not validated");
    }
    let result = with_stack(|| match &witness.claim {
        Claim::Correct(invariants) => correctness::check(task, invariants, budget),
        Claim::Violation(segments) => violation::check(task, segments, budget),
    });
    match (result.verdict, witness.unread.first()) {
        (Verdict::Confirmed, Some(unread)) => {
            Validation::unknown(format!("the rest is correct, but {unread} are not checked"))
        }
        _ => result,
    }
}

/// Whether the witness is about another program or question.
fn metadata(task: &Task<'_>, witness: &Witness) -> Option<Validation> {
    let about = &witness.metadata;
    for (name, hash) in &about.inputs {
        // Old tools write hashes of other kinds.
        let Some(hash) = hash.as_ref().filter(|h| h.len() == 64) else {
            continue;
        };
        let same = |(_, own): &(String, String)| own.eq_ignore_ascii_case(hash);
        if !task.hashes.iter().any(same) {
            let what = format!("the witness is about another program: {name} has another hash");
            return Some(Validation::refused(what));
        }
    }
    let plain = |text: &str| text.split_whitespace().collect::<String>();
    let checked = &task.subject.selection.specification;
    let claimed = about
        .specification
        .as_ref()
        .filter(|s| !s.trim().is_empty());
    if let Some(claimed) = claimed.filter(|s| plain(s) != plain(checked)) {
        let what = format!(
            "the witness is about another property: it is about {}, and {} is checked; choose with --prop",
            claimed.trim(),
            checked.trim()
        );
        return Some(Validation::refused(what));
    }
    let model = task.subject.program.target().data_model();
    let claimed = about.data_model.as_ref()?;
    (claimed != model).then(|| {
        let what = format!(
            "the witness is about another data model: {claimed}, not {model}; choose with --32 or --64"
        );
        Validation::refused(what)
    })
}

/// Values as a person reads them.
fn shown(types: &Types, choices: &[(TypeId, Value)]) -> Vec<String> {
    let show = |(ty, value): &(TypeId, Value)| match (&types[*ty], value) {
        (Type::Float(f), Value::Float(bits)) => float::display(*f, *bits),
        (Type::Pointer(_), Value::Int(v)) => format!("{v:#x}"),
        (_, Value::Int(v)) => v.to_string(),
        (_, Value::Float(bits)) => format!("{bits:#x}"),
    };
    choices.iter().map(show).collect()
}
