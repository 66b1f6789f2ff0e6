//! The abstract machine as an engine: it explores all states that can be reached, with as much of the data as the
//! checks need (`refine`). A check that no state fails is proved; a run that may fail is followed exactly, and
//! shows either the failure or what else must be kept.
//!
//! Whatever the machine leaves out makes the answer unknown: its runs are those of the other engines, and more.

mod control;
mod invariants;

use control::is_control;
use cwolf_absint::machine::Options;
use cwolf_absint::map::{Event, LabelMap, Part, Rule};
use cwolf_base::Budget;
use cwolf_cwi::{BlockId, CheckId, FuncId};
use cwolf_engines::{CheckKind, Engine, Failure, Outcome, Task, Verdict};
use cwolf_prepare::{Branching, branch_on_checks};
use cwolf_refine::{Answer, First, Goal, Question, Reached, decide};
use invariants::invariants;
use rustc_hash::FxHashSet;

/// What a failing step is called.
const FAILS: &str = "fails";
/// So many allocated objects of each call are told apart.
const NEWEST: usize = 2;
/// So many checks that are not decided are set aside to look at the others.
const MOST_ASIDE: usize = 8;

/// Where a program is a machine that tests its state, other engines count its states one by one.
const CONTROL: f64 = 8.0;

/// Exploration of the abstract machine, with refinement.
#[derive(Clone, Copy, Debug)]
pub struct Explore {
    /// States that a model may have.
    pub max_states: u64,
}

impl Default for Explore {
    fn default() -> Self {
        Explore {
            max_states: 1 << 22,
        }
    }
}

impl Engine for Explore {
    fn name(&self) -> &'static str {
        "explore"
    }
    fn suits(&self, task: &Task<'_>) -> f64 {
        match is_control(task.program, task.entry) {
            true => CONTROL,
            false => 1.0,
        }
    }
    fn check(&self, task: &Task<'_>, budget: &Budget) -> Outcome {
        let verdict = match not_followed(task) {
            Some(why) => Verdict::unknown(why),
            None => self.decide(task, budget),
        };
        Outcome {
            verdict,
            assumptions: Vec::new(),
            predicates: Vec::new(),
        }
    }
}

/// Runs that the other engines follow and the machine does not.
fn not_followed(task: &Task<'_>) -> Option<&'static str> {
    let checks = &task.checks;
    // What such an access reads or writes is not bounded by the pointer's target.
    (checks.follow_undefined && !(checks.bounds && checks.pointer))
        .then_some("runs go on after invalid accesses that are not checked")
}

impl Explore {
    fn decide(&self, task: &Task<'_>, budget: &Budget) -> Verdict {
        let mut aside: FxHashSet<CheckId> = FxHashSet::default();
        let mut first = First::Nothing;
        let mut undecided: Option<String> = None;
        loop {
            let branching = branch_on_checks(task.program, &task.error_functions, &aside, NEWEST);
            let labels = LabelMap {
                rules: vec![Rule {
                    event: Event::Call(branching.failures.clone()),
                    when: None,
                    label: vec![Part::Text(FAILS.into())],
                }],
            };
            let question = Question {
                program: &branching.program,
                entry: task.entry,
                closed: &branching.closed,
                start: task.entry,
                labels: &labels,
                options: Options {
                    follow_undefined: task.checks.follow_undefined,
                    stray_addresses: true,
                    // A run is followed block by block.
                    tail_calls: false,
                    ..Options::default()
                },
                goal: Goal::Never(FAILS),
                first,
                max_states: self.max_states,
                jobs: 1,
                follow_all: true,
            };
            let mut tell = |line: &str| budget.tell(|| format!("explore: {line}"));
            let outcome = decide(&question, budget, &mut tell);
            let stuck = outcome.stuck.and_then(|at| branching.checks.get(&at));
            match outcome.answer {
                Answer::Proved if outcome.unfollowed.refused => {
                    let why = "the compiler refused a function of the program";
                    return Verdict::unknown(why);
                }
                Answer::Proved if outcome.unfollowed.callbacks => {
                    let why = "code outside the program may call its functions";
                    return Verdict::unknown(why);
                }
                Answer::Proved if outcome.unfollowed.frees && task.checks.pointer => {
                    return Verdict::unknown("it is not known which object is freed");
                }
                Answer::Proved => {
                    return match undecided {
                        None => cwolf_engines::safe(task, invariants(task, &outcome.heads)),
                        Some(reason) => Verdict::unknown(reason),
                    };
                }
                Answer::Reached(reached) => {
                    return Verdict::Unsafe(failure(task, &branching, *reached));
                }
                Answer::Shown(_) => unreachable!("only formulas are shown"),
                Answer::Unknown(reason) => {
                    let reason = undecided.get_or_insert(reason.text);
                    match stuck {
                        Some(check) if aside.len() < MOST_ASIDE => {
                            aside.insert(*check);
                            first = First::Found(outcome.tracked);
                        }
                        _ => return Verdict::unknown(reason.clone()),
                    }
                }
            }
        }
    }
}

/// A run that was found, as a failure of the task's program.
fn failure(task: &Task<'_>, branching: &Branching, reached: Reached) -> Failure {
    let at: (FuncId, BlockId) = reached.block;
    match branching.checks.get(&at) {
        Some(check) => {
            let known = &task.program.checks[*check];
            Failure {
                kind: known.kind,
                loc: known.loc,
                check: Some(*check),
                function: None,
                ..reached.failure
            }
        }
        // Somebody calls an error function.
        None => Failure {
            kind: CheckKind::UnreachCall,
            check: None,
            function: task.error_functions.first().copied(),
            ..reached.failure
        },
    }
}
