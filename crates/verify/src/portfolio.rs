//! The engines in turn: cheap ones first, each with its share of the time, until one decides
//! and (for a failure) the interpreter agrees.

use crate::concrete::{End, Run, Which};
use crate::invented::rests_on;
use crate::replay::{confirm, disagreement, plainer, replay};
use crate::search::{self, Searched};
use crate::sites::cannot_fail;
use crate::statuses::Statuses;
use cwolf_base::Budget;
use cwolf_cwi::{Function, Origin, Program, StmtKind};
use cwolf_engines::{Engine, Invariant, Task, Verdict};
use cwolf_prepare::{Subject, may_read_unset};
use std::time::{Duration, Instant};

/// What an engine gets when there is no time limit at all.
const LONG: Duration = Duration::from_secs(900);

/// An engine and its share of the time.
pub struct Slot {
    /// The engine.
    pub engine: Box<dyn Engine>,
    /// The part of the time that is left when its turn comes; 1 for all of it.
    pub share: f64,
    /// Never more than this.
    pub most: Option<Duration>,
}

/// Who is asked.
pub struct Plan {
    /// Try concrete runs first.
    pub search: bool,
    /// Then these, in order.
    pub slots: Vec<Slot>,
}

/// A failure that the interpreter did not confirm.
#[derive(Clone, Debug, PartialEq)]
pub struct Unconfirmed {
    /// The engine that found it.
    pub engine: &'static str,
    /// What it said.
    pub failure: cwolf_engines::Failure,
    /// What the interpreter said.
    pub replay: String,
    /// Why the failure need not be real; none if it should be, so that one of us is wrong.
    pub doubt: Option<String>,
}

/// What came out.
#[derive(Debug)]
pub enum Decision {
    /// Every property holds.
    Safe {
        /// Facts at loop heads that prove it.
        invariants: Vec<Invariant>,
    },
    /// A run fails; it was recorded.
    Unsafe(Box<Run>),
    /// No answer.
    Unknown(String),
}

/// The answer, and how it came about.
#[derive(Debug)]
pub struct Answer {
    /// The answer.
    pub decision: Decision,
    /// The engine that gave it.
    pub engine: &'static str,
    /// What that engine took for granted.
    pub assumptions: Vec<String>,
    /// The predicates through which it looked at the program.
    pub predicates: Vec<Invariant>,
    /// Failures that the interpreter did not confirm.
    pub unconfirmed: Vec<Unconfirmed>,
    /// Each engine that was asked, and for how long.
    pub spent: Vec<(&'static str, Duration)>,
    /// What is known of each check, beyond the answer itself.
    pub statuses: Statuses,
}

/// What answers if no error function can be called.
const CALL_GRAPH: &str = "call graph";

/// Asks the engines of `plan` about `subject`.
pub fn verify(subject: &Subject, plan: &Plan, budget: &Budget) -> Answer {
    let mut answer = ask(subject, plan, budget);
    answer.decision = match answer.decision {
        Decision::Unsafe(run) => Decision::Unsafe(Box::new(plainer(subject, *run, budget))),
        other => other,
    };
    if let Decision::Safe { .. } = answer.decision
        && let Some(reason) = incomplete(subject, answer.engine)
    {
        answer.decision = Decision::Unknown(reason);
    }
    answer
}

/// Why it proves nothing that no run fails. Where nothing could ever fail, arguments do not matter.
pub(crate) fn incomplete(subject: &Subject, engine: &str) -> Option<String> {
    let bound = subject.bound.iter().filter(|_| engine != CALL_GRAPH);
    let mut reasons: Vec<String> = bound.map(|b| format!("no failure with {b}")).collect();
    if !subject.uncovered.is_empty() {
        let what = subject.uncovered.join("; ");
        reasons.push(format!(
            "no failure found, but not everything is covered: {what}"
        ));
    }
    (!reasons.is_empty()).then(|| reasons.join("; "))
}

/// Asks the engines of `plan`, and makes concrete runs before them if it says so.
fn ask(subject: &Subject, plan: &Plan, budget: &Budget) -> Answer {
    ask_with(subject, plan, plan.search, budget)
}

/// Asks only engines that read the closed program.
pub(crate) fn ask_engines(subject: &Subject, plan: &Plan, budget: &Budget) -> Decision {
    ask_with(subject, plan, false, budget).decision
}

fn ask_with(subject: &Subject, plan: &Plan, search: bool, budget: &Budget) -> Answer {
    let mut answer = Answer {
        decision: Decision::Unknown("no engine was asked".into()),
        engine: "",
        assumptions: Vec::new(),
        predicates: Vec::new(),
        unconfirmed: Vec::new(),
        spent: Vec::new(),
        statuses: Statuses::default(),
    };
    if cannot_fail(subject) {
        let invariants = Vec::new();
        answer.decision = Decision::Safe { invariants };
        answer.engine = CALL_GRAPH;
        return answer;
    }
    let mut reasons: Vec<String> = Vec::new();
    if search {
        let started = Instant::now();
        let decided = try_runs(subject, budget, &mut reasons);
        answer.spent.push(("search", started.elapsed()));
        if let Some(decision) = decided {
            answer.decision = decision;
            answer.engine = "search";
            return answer;
        }
    }
    let task = task(subject);
    for slot in &plan.slots {
        if let Err(why) = budget.check(0) {
            reasons.push(why.to_string());
            break;
        }
        let name = slot.engine.name();
        let started = Instant::now();
        budget.tell(|| name.to_owned());
        let outcome = slot.engine.check(&task, &share(slot, budget));
        answer.spent.push((name, started.elapsed()));
        match outcome.verdict {
            // One of the two is wrong, and nobody knows which.
            Verdict::Safe { .. } if answer.unconfirmed.iter().any(|u| u.doubt.is_none()) => {
                reasons.push(format!(
                    "{name} calls it safe against the failure that was not confirmed"
                ));
            }
            Verdict::Safe { invariants } => {
                answer.decision = Decision::Safe { invariants };
                answer.engine = name;
                answer.assumptions = outcome.assumptions;
                answer.predicates = outcome.predicates;
                return answer;
            }
            Verdict::Unsafe(failure) => {
                let mut again = confirm(subject, &failure, budget);
                // Another failure may need no step that C leaves undefined.
                if let (End::Stops { exact: false, .. }, true) =
                    (&again.end, task.checks.follow_undefined)
                {
                    let strict = without_undefined(&task);
                    let other = slot.engine.check(&strict, &share(slot, budget));
                    if let Verdict::Unsafe(failure) = other.verdict {
                        let run = confirm(subject, &failure, budget);
                        if let End::Fails(_) = run.end {
                            again = run;
                        }
                    }
                }
                let doubtful = rests_on(subject, &again, budget);
                if let (End::Fails(_), None) = (&again.end, &doubtful) {
                    answer.decision = Decision::Unsafe(Box::new(again));
                    answer.engine = name;
                    answer.assumptions = outcome.assumptions;
                    answer.predicates = outcome.predicates;
                    return answer;
                }
                let said = doubtful.clone().unwrap_or(disagreement(&again.end));
                reasons.push(format!(
                    "{name} found a failure at {} that does not replay ({said})",
                    subject.program.locations.describe(failure.loc)
                ));
                answer.unconfirmed.push(Unconfirmed {
                    engine: name,
                    failure,
                    replay: said,
                    doubt: doubtful
                        .or_else(|| doubt(subject, name, &outcome.assumptions, &again.end)),
                });
            }
            Verdict::Unknown { reason, path } => {
                let place = path.last();
                let at = place.map_or(String::new(), |loc| {
                    format!(" at {}", subject.program.locations.describe(*loc))
                });
                reasons.push(format!("{name}: {reason}{at}"));
            }
        }
    }
    if !reasons.is_empty() {
        reasons.dedup();
        answer.decision = Decision::Unknown(reasons.join("; "));
    }
    answer
}

/// The same question about runs that end where C says nothing about them any more.
fn without_undefined<'p>(task: &Task<'p>) -> Task<'p> {
    let mut task = task.clone();
    task.checks.follow_undefined = false;
    task
}

/// Why a failure that an engine found need not be one.
fn doubt(subject: &Subject, engine: &str, assumptions: &[String], end: &End) -> Option<String> {
    if let End::Stops {
        reason,
        exact: false,
    } = end
    {
        return Some(format!(
            "the run does what C leaves undefined, which is not checked: {reason}"
        ));
    }
    let program = &subject.program;
    let approximate = |f: &&Function| f.origin == Origin::Approximation && f.body.is_some();
    let mut names: Vec<&str> = program
        .funcs
        .iter()
        .filter(approximate)
        .map(|f| f.name.as_str())
        .collect();
    names.sort_unstable();
    names.dedup();
    if !names.is_empty() {
        return Some(format!("what {} do is approximated", names.join(", ")));
    }
    if keeps_pointers(program) {
        let text = "which pointers functions without a body keep and return is approximated";
        return Some(text.into());
    }
    if !assumptions.is_empty() {
        return Some(assumptions.join("; "));
    }
    (engine != "bmc").then(|| "objects that a loop allocates are not told apart".into())
}

/// Whether functions that nobody knows may use pointers that they were given before.
fn keeps_pointers(program: &Program) -> bool {
    let bodies = program.funcs.iter().filter_map(|f| f.body.as_ref());
    let mut stmts = bodies
        .flat_map(|body| body.blocks.iter())
        .flat_map(|block| &block.stmts);
    stmts.any(|stmt| matches!(&stmt.kind, StmtKind::Havoc { ptr, size: None } if ptr.is_null()))
}

/// What the engines are asked.
pub fn task(subject: &Subject) -> Task<'_> {
    use cwolf_prepare::property::Kind;
    let has = |kind| subject.selection.has(kind);
    Task {
        program: &subject.program,
        entry: subject.entry,
        checks: cwolf_engines::Checks {
            assertions: has(Kind::Assertion),
            bounds: has(Kind::Bounds),
            pointer: has(Kind::Pointer),
            division: has(Kind::DivisionByZero),
            overflow: has(Kind::Overflow),
            shift: has(Kind::Shift),
            follow_undefined: subject.selection.follow_undefined,
            uninitialised: has(Kind::Uninitialised)
                && may_read_unset(&subject.program, subject.entry),
        },
        error_functions: subject.error_functions.clone(),
    }
}

fn share(slot: &Slot, budget: &Budget) -> Budget {
    let left = budget.time_left().unwrap_or(LONG);
    let mut own = left.mul_f64(slot.share.clamp(0.0, 1.0));
    if let Some(most) = slot.most {
        own = own.min(most);
    }
    match slot.share < 1.0 || slot.most.is_some() || budget.time_left().is_some() {
        true => budget.clone().timeout(own),
        false => budget.clone(),
    }
}

/// Concrete runs: all if there are few, then some.
fn try_runs(subject: &Subject, budget: &Budget, reasons: &mut Vec<String>) -> Option<Decision> {
    let left = budget.time_left().unwrap_or(LONG);
    let quick = budget
        .clone()
        .timeout((left / 4).min(Duration::from_secs(10)));
    match search::all_runs(subject, &quick) {
        Searched::Fails(run) => match believed(subject, Which::Raw, &run, budget) {
            Ok(decision) => return Some(decision),
            Err(reason) => reasons.push(format!("search: {reason}")),
        },
        Searched::Safe { .. } => {
            let invariants = Vec::new();
            return Some(Decision::Safe { invariants });
        }
        Searched::Nothing { .. } => {}
    }
    let quick = budget
        .clone()
        .timeout((left / 20).min(Duration::from_secs(2)));
    match search::some_runs(subject, &quick) {
        Searched::Fails(run) => match believed(subject, Which::Closed, &run, budget) {
            Ok(decision) => Some(decision),
            Err(reason) => {
                reasons.push(format!("search: {reason}"));
                None
            }
        },
        Searched::Safe { .. } => None,
        Searched::Nothing { reason, .. } => {
            reasons.push(format!("search: {reason}"));
            None
        }
    }
}

/// What a failing run says; why not, if it rests on results that nobody knows. Only a run that is
/// recorded says where its values come from.
fn believed(
    subject: &Subject,
    which: Which,
    run: &Run,
    budget: &Budget,
) -> Result<Decision, String> {
    let decision = again(subject, which, run, budget);
    let doubt = match &decision {
        Decision::Unsafe(run) => rests_on(subject, run, budget),
        _ => None,
    };
    doubt.map_or(Ok(decision), Err)
}

/// The same run once more, recorded.
fn again(subject: &Subject, which: Which, run: &Run, budget: &Budget) -> Decision {
    let values = run.choices.iter().map(|c| c.value).collect();
    let again = replay(subject, which, values, true, budget);
    match again.end {
        End::Fails(_) => Decision::Unsafe(Box::new(again)),
        ref end => Decision::Unknown(format!(
            "a failing run did not fail again: {}",
            disagreement(end)
        )),
    }
}
