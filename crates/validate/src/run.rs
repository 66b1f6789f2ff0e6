//! Concrete runs: what the interpreter says counts.

use cwolf_base::{Budget, Exhausted};
use cwolf_cwi::value::Value;
use cwolf_cwi::{CheckId, LocId, Origin, Program, TypeId, Types};
use cwolf_interp::{ErrorKind, Machine, Options, Oracle, Outcome, RunError, View};
use cwolf_prepare::Subject;
use cwolf_prepare::property::Kind;
use std::cell::RefCell;
use std::rc::Rc;

/// How a run ended.
#[derive(Clone, Debug)]
pub(crate) enum End {
    /// A check failed: which one if the program names it, where in the user's code, and what was wrong.
    Fails {
        check: Option<CheckId>,
        loc: Option<LocId>,
        message: String,
    },
    /// The program ended, or an assumption did not hold.
    Ends,
    /// The run cannot go on, for a reason that is not checked.
    Stops { loc: Option<LocId>, message: String },
    /// A limit was reached.
    Exhausted(Exhausted),
}

/// A run.
#[derive(Clone, Debug)]
pub(crate) struct Run {
    pub end: End,
    /// What was chosen, in order.
    pub choices: Vec<(TypeId, Value)>,
}

/// Notes what another one chooses.
struct Noting<'o> {
    inner: Box<dyn Oracle + 'o>,
    chosen: Rc<RefCell<Vec<(TypeId, Value)>>>,
}

impl Oracle for Noting<'_> {
    fn choose(&mut self, types: &Types, ty: TypeId) -> Value {
        let value = self.inner.choose(types, ty);
        self.chosen.borrow_mut().push((ty, value));
        value
    }
    fn choose_at(&mut self, view: &View<'_, '_>, ty: TypeId) -> Value {
        let value = self.inner.choose_at(view, ty);
        self.chosen.borrow_mut().push((ty, value));
        value
    }
}

/// Runs `program`, which is the subject's with more code in it.
pub(crate) fn run(
    subject: &Subject,
    program: &Program,
    oracle: Box<dyn Oracle + '_>,
    budget: &Budget,
) -> Run {
    let chosen = Rc::new(RefCell::new(Vec::new()));
    let oracle = Noting {
        inner: oracle,
        chosen: chosen.clone(),
    };
    let options = Options {
        oracle: Box::new(oracle),
        budget: budget.clone(),
        max_frames: 50_000,
        max_memory: 512 << 20,
        zero_memory: !subject.selection.has(Kind::Uninitialised),
        now: Some(0),
        ..Options::default()
    };
    let mut machine = Machine::new(program, options);
    let outcome = machine.run(&program.funcs[subject.entry].name);
    drop(machine);
    let end = match outcome {
        Outcome::Exit(_) | Outcome::AssumeFailed => End::Ends,
        Outcome::Budget(why) => End::Exhausted(why),
        Outcome::Error(error) => end_of(subject, program, *error),
    };
    let choices = chosen.take();
    Run { end, choices }
}

fn end_of(subject: &Subject, program: &Program, error: RunError) -> End {
    let own = |f: cwolf_cwi::FuncId| program.funcs[f].origin == Origin::Program;
    let user = error.stack.iter().find(|entry| own(entry.func));
    let loc = user.map(|entry| entry.loc).or(error.loc);
    let has = |kind| subject.selection.has(kind);
    let named = error.message.split_once(": ").map(|(name, _)| name);
    let counts = |name| subject.selection.error_functions.iter().any(|f| f == name);
    let fails = match error.kind {
        // Other files define the variable: whether the access is right, the run cannot tell.
        ErrorKind::Undefined => false,
        _ if error.check.is_some() => true,
        ErrorKind::ReachError => {
            let rule = error.loc.and_then(|loc| subject.rule_at(program, loc));
            rule.is_some() && has(Kind::Rule) || has(Kind::UnreachCall) && named.is_some_and(counts)
        }
        ErrorKind::AssertionFailed => has(Kind::Assertion),
        _ => false,
    };
    match fails {
        true => End::Fails {
            check: error.check,
            loc,
            message: error.message,
        },
        false => End::Stops {
            loc: error.loc,
            message: error.message,
        },
    }
}

/// Gives out values in order, then zeros.
pub(crate) struct Given(pub std::collections::VecDeque<Value>);

impl Oracle for Given {
    fn choose(&mut self, types: &Types, ty: TypeId) -> Value {
        cwolf_interp::given(types, ty, self.0.pop_front())
    }
}
