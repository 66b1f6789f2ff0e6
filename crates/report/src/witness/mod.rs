//! Evidence that other tools can check: SV-COMP's witnesses, as YAML 2.0 and GraphML 1.0.

mod graphml;
mod yaml;

pub use graphml::graphml;
pub use yaml::yaml;

use crate::{Event, Invariant, Place, Report, Told, Trace, sha256};

/// A number for the witness that depends on its contents alone, so that equal runs make equal
/// files; shaped as a version 8 (custom) UUID.
fn uuid(report: &Report) -> String {
    let hash = sha256(format!("{:?}", (&report.inputs, &report.verdict, &report.trace)).as_bytes());
    format!(
        "{}-{}-8{}-a{}-{}",
        &hash[..8],
        &hash[8..12],
        &hash[13..16],
        &hash[17..20],
        &hash[20..32]
    )
}

/// The invariants that a witness can say: each with its place, and whether that is a loop's keyword.
fn told(report: &Report) -> impl Iterator<Item = (&Invariant, &Place, bool)> {
    report.invariants.iter().filter_map(|i| match &i.told {
        Told::Loop(place) => Some((i, place, true)),
        Told::Statement => Some((i, &i.place, false)),
        Told::Nowhere => None,
    })
}

/// A fact about the run: at this place, before the statement there, the condition holds.
struct Waypoint<'r> {
    place: &'r Place,
    function: &'r str,
    condition: String,
}

/// What a checker needs to find the run again: the variables that got a value from the
/// environment, at the step after the choice, where the value has arrived.
fn waypoints(trace: &Trace) -> Vec<Waypoint<'_>> {
    let mut list = Vec::new();
    for (n, step) in trace.steps.iter().enumerate() {
        // What nothing set has no name yet where it is chosen.
        if !matches!(&step.event, Event::Choose(from, _) if from.ends_with("()")) {
            continue;
        }
        let conditions: Vec<String> = step
            .changes
            .iter()
            .filter(|c| c.plain)
            .map(|c| format!("({} == {})", c.name, c.value))
            .collect();
        let after = trace.steps.get(n + 1);
        let after = after.filter(|next| next.function == step.function);
        if let (Some(after), false) = (after, conditions.is_empty()) {
            list.push(Waypoint {
                place: &after.place,
                function: &after.function,
                condition: conditions.join(" && "),
            });
        }
    }
    list
}
