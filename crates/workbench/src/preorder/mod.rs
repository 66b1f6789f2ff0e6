//! When one system may stand below another: traces, testing, simulation.

#[cfg(test)]
mod oracle;
mod simulation;
mod testing;
#[cfg(test)]
mod tests;

use cwolf_base::{Budget, Exhausted};
use cwolf_lts::{Comparison, Evidence, Lts, Overlap, by_name, trace_inclusion, written_out};

/// A way to compare two systems that is not symmetric.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Preorder {
    /// Every visible trace of the first is one of the second. The same as may testing.
    May,
    /// Every test that the first must pass, the second must pass.
    Must,
    /// Every trace of the first, internal steps included, is one of the second.
    StrongTrace,
    /// The second can answer every step of the first by the same step, and so on.
    Simulation,
    /// The same with internal steps around the answer.
    WeakSimulation,
}

impl Preorder {
    /// All of them.
    pub const ALL: [Preorder; 5] = [
        Preorder::May,
        Preorder::Must,
        Preorder::StrongTrace,
        Preorder::Simulation,
        Preorder::WeakSimulation,
    ];
    /// The name that users type.
    pub fn name(self) -> &'static str {
        match self {
            Preorder::May => "may",
            Preorder::Must => "must",
            Preorder::StrongTrace => "strong-trace-inclusion",
            Preorder::Simulation => "simulation",
            Preorder::WeakSimulation => "weak-simulation",
        }
    }
    /// The preorder of this name.
    pub fn from_name(name: &str) -> Option<Preorder> {
        match name {
            "trace-inclusion" | "weak-trace-inclusion" => Some(Preorder::May),
            "sim" => Some(Preorder::Simulation),
            _ => Preorder::ALL.into_iter().find(|p| p.name() == name),
        }
    }
}

/// Why the first system is not below the second.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Difference {
    /// Only the first can do this.
    Trace(Vec<String>),
    /// Only the second can do this.
    NewTrace(Vec<String>),
    /// After this trace the second may run internally for ever, the first may not.
    Diverges(Vec<String>),
    /// After this trace the second may offer these actions only; the first always offers one
    /// that is not among them.
    Refuses(Vec<String>, Vec<String>),
    /// This holds in the first only.
    Formula(String),
    /// There is a formula, but it is too large to be shown.
    TooLarge,
}

impl std::fmt::Display for Difference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let shown = |trace: &[String]| match trace {
            [] => "at the start".to_owned(),
            _ => format!("after {}", trace.join(" ")),
        };
        match self {
            Difference::Trace(trace) => write!(f, "only the first can do: {}", trace.join(" ")),
            Difference::NewTrace(trace) => {
                write!(f, "only the second can do: {}", trace.join(" "))
            }
            Difference::Diverges(trace) => {
                write!(f, "{} only the second may diverge", shown(trace))
            }
            Difference::Refuses(trace, offers) => write!(
                f,
                "{} the second may offer only {{{}}}, and the first never so little",
                shown(trace),
                offers.join(", ")
            ),
            Difference::Formula(text) => write!(f, "holds only in the first: {text}"),
            Difference::TooLarge => write!(f, "a formula that shows it is too large"),
        }
    }
}

/// Whether one system is below another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Order {
    /// It is.
    Below,
    /// It is not, and why.
    NotBelow(Difference),
    /// It depends on which of their actions patterns stand for: these two labels, for example,
    /// may mean the same action or not.
    Unknown(String, String),
}

/// Whether `a` is below `b`.
pub fn below(a: &Lts, b: &Lts, preorder: Preorder, budget: &Budget) -> Result<Order, Exhausted> {
    let Some(Overlap { merged, labels }) = Overlap::of(a, b) else {
        return Ok(match below_by_names(a, b, preorder, budget)? {
            None => Order::Below,
            Some(why) => Order::NotBelow(why),
        });
    };
    let second = by_name(b);
    if below_by_names(&by_name(a), &second, preorder, budget)?.is_none() {
        return Ok(Order::Below);
    }
    // To do less is to be below, but not for tests that must be passed.
    if preorder != Preorder::Must
        && below_by_names(&by_name(&written_out(a, b)), &second, preorder, budget)?.is_none()
    {
        return Ok(Order::Below);
    }
    Ok(
        match below_by_names(&merged.0, &merged.1, preorder, budget)? {
            None => Order::Unknown(labels.0, labels.1),
            Some(why) => Order::NotBelow(why),
        },
    )
}

/// Nothing if `a` is below `b`, else why not; labels with different names are different.
fn below_by_names(
    a: &Lts,
    b: &Lts,
    preorder: Preorder,
    budget: &Budget,
) -> Result<Option<Difference>, Exhausted> {
    match preorder {
        Preorder::May | Preorder::StrongTrace => {
            let is_weak = preorder == Preorder::May;
            Ok(match trace_inclusion(a, b, is_weak, budget)? {
                Comparison::Different(Evidence::Trace { trace, .. }) => {
                    Some(Difference::Trace(trace))
                }
                _ => None,
            })
        }
        Preorder::Must => testing::must(a, b, budget),
        Preorder::Simulation => simulation::simulated(a, b, false, budget),
        Preorder::WeakSimulation => simulation::simulated(a, b, true, budget),
    }
}
