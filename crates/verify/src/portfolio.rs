//! The engines take turns until one decides and (for a failure) the interpreter agrees.

use crate::concrete::{End, Run};
use crate::invented::rests_on;
use crate::reason::{Heard, Reason, sum_up};
use crate::replay::{confirm, disagreement, once_more, plainer, without_kept};
use crate::schedule::{Worker, by_turns};
use crate::search::{self, Searched};
use crate::shorter::shorter;
use crate::sites::{cannot_fail, shown_place};
use crate::statuses::Statuses;
use crate::waits::waits;
use cwolf_base::Budget;
use cwolf_cwi::{Function, Origin, Program, StmtKind};
use cwolf_engines::{Engine, Failure, Invariant, Outcome, Task, Verdict};
use cwolf_prepare::{Subject, may_read_unset};
use std::time::Duration;

/// What an engine gets when there is no time limit at all.
const LONG: Duration = Duration::from_secs(900);
/// Concrete runs that show a failure soon show it within this time, made short and recorded.
const RUNNING: Duration = Duration::from_millis(150);
/// Concrete runs are cheap, and say so soon if they are not.
const SEARCH: f64 = 1.0;
/// The only run of a program that asks for nothing decides, if it ends.
const ONLY_RUN: f64 = 4.0;
const SEARCH_NAME: &str = "search";

/// An engine and its part of the time.
pub struct Slot {
    /// The engine.
    pub engine: Box<dyn Engine>,
    /// One with weight 2 gets twice as much time as one with weight 1.
    pub weight: f64,
    /// How long its first turn is.
    pub first: Duration,
}

/// Who is asked.
pub struct Plan {
    /// Try concrete runs, too: before the engine with this number.
    pub search: Option<usize>,
    /// The engines, in the order of their first turns.
    pub slots: Vec<Slot>,
    /// How many work at the same time.
    pub jobs: usize,
}

/// A failure that the interpreter did not confirm.
#[derive(Clone, Debug, PartialEq)]
pub struct Unconfirmed {
    /// The engine that found it.
    pub engine: &'static str,
    /// What it said.
    pub failure: Failure,
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
    /// No answer, and why.
    Unknown(Reason),
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
        Decision::Unsafe(run) => {
            let run = without_kept(subject, *run, budget);
            Decision::Unsafe(Box::new(plainer(subject, run, budget)))
        }
        other => other,
    };
    if let Decision::Safe { .. } = answer.decision
        && let Some(reason) = incomplete(subject, answer.engine)
    {
        answer.decision = Decision::Unknown(reason.into());
    } else if let Decision::Unknown(_) = &answer.decision
        && !subject.uncovered.is_empty()
    {
        // A proof would not count either: what no engine follows is the better reason.
        let what = subject.uncovered.join("; ");
        answer.decision = Decision::Unknown(format!("not everything is covered: {what}").into());
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
    ask_with(subject, plan, None, budget).decision
}

fn ask_with(subject: &Subject, plan: &Plan, search: Option<usize>, budget: &Budget) -> Answer {
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
    let task = task(subject);
    let mut workers: Vec<Worker<'_, Said>> = Vec::new();
    for slot in &plan.slots {
        let task = &task;
        let work = move |budget: &Budget| {
            budget.tell(|| slot.engine.name().to_owned());
            Said::Engine(slot.engine.check(task, &limited(budget)))
        };
        let suits = slot.engine.suits(task);
        workers.push(Worker {
            weight: slot.weight * suits,
            first: slot.first,
            preferred: suits > 1.0,
            work: Box::new(work),
        });
    }
    let search = search.map(|at| at.min(workers.len()));
    if let Some(at) = search {
        let work = |budget: &Budget| Said::Search(try_runs(subject, budget));
        let worker = Worker {
            weight: match search::asks_nothing(subject) {
                true => ONLY_RUN,
                false => SEARCH,
            },
            first: RUNNING,
            preferred: false,
            work: Box::new(work),
        };
        workers.insert(at, worker);
    }
    let mut hearing = Hearing {
        subject,
        task: &task,
        budget,
        heard: Vec::new(),
        answer: &mut answer,
    };
    let exhausted = by_turns(workers, plan.jobs, budget, |n, said, used| match said {
        Said::Search(said) => {
            hearing.answer.spent.push((SEARCH_NAME, used));
            hearing.search(said)
        }
        Said::Engine(outcome) => {
            let before = search.is_some_and(|at| at < n);
            let engine = &*plan.slots[n - usize::from(before)].engine;
            hearing.answer.spent.push((engine.name(), used));
            hearing.engine(engine, outcome)
        }
    });
    let heard = hearing.heard;
    // A limit is the reason, whoever noticed it first.
    let exhausted = exhausted.or_else(|| budget.check_but_steps().err());
    if matches!(answer.decision, Decision::Unknown(_)) {
        answer.decision = Decision::Unknown(sum_up(exhausted, &heard));
    }
    answer
}

/// What a worker says in the end.
enum Said {
    Search(Found),
    Engine(Outcome),
}

/// What runs showed: an answer, or why there is none.
type Found = Result<Decision, String>;

/// The answer as it comes about.
struct Hearing<'h> {
    subject: &'h Subject,
    task: &'h Task<'h>,
    budget: &'h Budget,
    /// What there is instead of an answer so far.
    heard: Vec<Heard>,
    answer: &'h mut Answer,
}

impl Hearing<'_> {
    /// What concrete runs showed; true if that is the answer.
    fn search(&mut self, found: Found) -> bool {
        match found {
            Ok(decision) => {
                self.answer.decision = decision;
                self.answer.engine = SEARCH_NAME;
                true
            }
            Err(why) => {
                let who = SEARCH_NAME;
                self.heard.push(Heard::GaveUp { who, why });
                false
            }
        }
    }
    /// What an engine says; true if that is the answer.
    fn engine(&mut self, engine: &dyn Engine, outcome: Outcome) -> bool {
        let name = engine.name();
        let decision = match outcome.verdict {
            // One of the two is wrong, and it is unknown which.
            Verdict::Safe { .. } if self.answer.unconfirmed.iter().any(|u| u.doubt.is_none()) => {
                self.heard.push(Heard::Contradicts { who: name });
                None
            }
            Verdict::Safe { invariants } => Some(Decision::Safe { invariants }),
            Verdict::Unsafe(failure) => self.failure(engine, failure, &outcome.assumptions),
            Verdict::Unknown { reason, path } => {
                let at = path.last().map_or(String::new(), |loc| {
                    format!(" at {}", self.subject.program.locations.describe(*loc))
                });
                let why = format!("{reason}{at}");
                self.heard.push(Heard::GaveUp { who: name, why });
                None
            }
        };
        let Some(decision) = decision else {
            return false;
        };
        self.answer.decision = decision;
        self.answer.engine = name;
        self.answer.assumptions = outcome.assumptions;
        self.answer.predicates = outcome.predicates;
        true
    }
    /// A failure that an engine found, if it is one.
    fn failure(
        &mut self,
        engine: &dyn Engine,
        failure: Failure,
        assumptions: &[String],
    ) -> Option<Decision> {
        let (subject, budget, name) = (self.subject, self.budget, engine.name());
        let mut again = confirm(subject, &failure, budget);
        // Another failure may need no step that C leaves undefined.
        if let (End::Stops { exact: false, .. }, true) =
            (&again.end, self.task.checks.follow_undefined)
        {
            let strict = without_undefined(self.task);
            let other = engine.check(&strict, &limited(budget));
            if let Verdict::Unsafe(failure) = other.verdict {
                let run = confirm(subject, &failure, budget);
                if let End::Fails(_) = run.end {
                    again = run;
                }
            }
        }
        let doubtful = waits(subject, &again)
            .or_else(|| rests_on(subject, &again, budget))
            .or_else(|| needs(&again.end));
        if let (End::Fails(_), None) = (&again.end, &doubtful) {
            return Some(Decision::Unsafe(Box::new(again)));
        }
        let said = doubtful.clone().unwrap_or(disagreement(&again.end));
        self.heard.push(Heard::Unconfirmed {
            who: name,
            place: shown_place(subject, &failure),
            replay: said.clone(),
            rests_on: doubtful.clone(),
        });
        let doubt = doubtful.or_else(|| doubt(subject, name, assumptions, &again.end));
        self.answer.unconfirmed.push(Unconfirmed {
            engine: name,
            failure,
            replay: said,
            doubt,
        });
        None
    }
}

/// The variable that a run needs and no given file defines: how long it is and what it holds, nobody knows.
fn needs(end: &End) -> Option<String> {
    match end {
        End::Stops {
            elsewhere: true,
            reason,
            ..
        } => Some(reason.clone()),
        _ => None,
    }
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
        ..
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
        let does = if names.len() == 1 { "does" } else { "do" };
        return Some(format!("what {} {does} is approximated", names.join(", ")));
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
            leaks: (subject.program.checks.iter())
                .any(|c| matches!(c.kind, Kind::Leak | Kind::Cleanup)),
            follow_undefined: subject.selection.follow_undefined,
            uninitialised: has(Kind::Uninitialised)
                && may_read_unset(&subject.program, subject.entry),
        },
        error_functions: subject.error_functions.clone(),
    }
}

/// An engine's budget, which is never without a limit of time: engines plan with it.
fn limited(budget: &Budget) -> Budget {
    match budget.time_left() {
        Some(_) => budget.clone(),
        None => budget.clone().timeout(LONG),
    }
}

/// Concrete runs: all if there are few, then some.
fn try_runs(subject: &Subject, budget: &Budget) -> Found {
    let left = budget.time_left().unwrap_or(LONG);
    // A program that asks for nothing has one run, which decides however long it takes: others take their turns meanwhile.
    let quick = match search::asks_nothing(subject) {
        true => budget.clone(),
        false => budget
            .clone()
            .timeout((left / 2).min(Duration::from_secs(10))),
    };
    match search::all_runs(subject, &quick) {
        Searched::Fails(run) => {
            if let Ok(decision) = believed(subject, &run, budget) {
                return Ok(decision);
            }
        }
        Searched::Safe { .. } => {
            let invariants = Vec::new();
            return Ok(Decision::Safe { invariants });
        }
        Searched::Nothing { .. } => {}
    }
    let quick = budget
        .clone()
        .timeout((left / 4).min(Duration::from_secs(2)));
    let some = match search::some_runs(subject, &quick) {
        Searched::Nothing { long, .. } if !long.is_empty() => {
            let time = (left / 4).min(Duration::from_secs(15));
            search::long_runs(subject, long, &budget.clone().timeout(time))
        }
        some => some,
    };
    match some {
        Searched::Fails(run) => {
            let short = shorter(subject, &run, budget);
            let short = short.map(|run| believed(subject, &run, budget));
            match short {
                Some(Ok(decision)) => Ok(decision),
                _ => believed(subject, &run, budget),
            }
        }
        Searched::Safe { .. } => Err("not all runs were tried".into()),
        Searched::Nothing { reason, .. } => Err(reason),
    }
}

/// What a failing run says; why not, if it waits for others or rests on results that nobody knows. Only a
/// run that is recorded says where its values come from.
fn believed(subject: &Subject, run: &Run, budget: &Budget) -> Found {
    let decision = again(subject, run, budget);
    let doubt = match &decision {
        Decision::Unsafe(run) => waits(subject, run).or_else(|| rests_on(subject, run, budget)),
        _ => None,
    };
    doubt.map_or(Ok(decision), Err)
}

/// The same run once more, recorded.
fn again(subject: &Subject, run: &Run, budget: &Budget) -> Decision {
    let again = once_more(subject, run, budget);
    match again.end {
        End::Fails(_) => Decision::Unsafe(Box::new(again)),
        ref end => Decision::Unknown(
            format!("a failing run did not fail again: {}", disagreement(end)).into(),
        ),
    }
}
