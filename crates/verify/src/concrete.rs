//! One concrete run of a program, watched: how it ends in the words of the properties that are
//! checked, what it chose, and (if wanted) every line it went through.

mod access_paths;
mod calls;
mod effects;
mod record;

pub use access_paths::{AccessPath, Root};
pub use calls::{CallLog, LibraryCall};
use cwolf_base::{Budget, Exhausted};
use cwolf_cwi::value::Value;
use cwolf_cwi::{BlockId, CheckId, FuncId, LocId, Origin, Program, TypeId, Types, VarId};
use cwolf_engines::materialise::Materialiser;
pub(crate) use cwolf_engines::materialise::address;
pub use cwolf_engines::materialise::{Lead, Reads};
use cwolf_interp::{At, ErrorKind, Machine, Options, Oracle, Outcome, RunError, Tracer, View};
use cwolf_prepare::Subject;
use cwolf_prepare::property::Kind;
use cwolf_report::Step;
use effects::Effects;
pub use effects::{Bytes, Datum, Effect, Made, Written, is_outside};
use record::Recorder;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::atomic::Ordering;

/// A value that the program left open.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// Its type.
    pub ty: TypeId,
    /// The value.
    pub value: Value,
    /// The function without a body that returned it, or the function that it was needed in.
    pub from: Option<FuncId>,
    /// If the steps are recorded and a function returned it: the call in the user's own code.
    pub call: Option<(FuncId, LocId)>,
}

/// A property that failed on a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    /// What failed.
    pub kind: Kind,
    /// The check, if an `Assert` of the program names it.
    pub check: Option<CheckId>,
    /// Where, innermost.
    pub loc: LocId,
    /// The innermost call in the user's own code: the function and the place in it.
    pub user: (FuncId, LocId),
    /// A plain sentence.
    pub message: String,
    /// Other places that matter.
    pub related: Vec<(LocId, String)>,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq)]
pub enum End {
    /// A property that is checked failed.
    Fails(Box<Failure>),
    /// The program ended.
    Exits,
    /// An assumption was false: the run says nothing.
    AssumeFails,
    /// The run cannot go on, for a reason that is not checked; `exact` if C gives it no other
    /// way to go on either (it stopped itself).
    Stops {
        /// Why.
        reason: String,
        /// Whether the program stopped itself.
        exact: bool,
        /// Whether it needs a variable that no given file defines.
        elsewhere: bool,
    },
    /// A limit was reached.
    Exhausted(Exhausted),
}

/// A run.
#[derive(Debug)]
pub struct Run {
    /// How it ended.
    pub end: End,
    /// What was chosen, in order.
    pub choices: Vec<Choice>,
    /// What was recorded: the first and last steps, and how many are left out after which.
    pub steps: Vec<Step>,
    /// See [`cwolf_report::Trace::omitted`].
    pub omitted: Option<(usize, usize)>,
    /// Statements that were run.
    pub statements: u64,
    /// How many of them when the last value was chosen.
    pub chosen: u64,
    /// If the steps are recorded: each call of a function outside the program.
    pub effects: Vec<Effect>,
    /// If the steps are recorded: the locals of the start function as it calls the entry function.
    pub entry: Vec<(VarId, Datum)>,
    /// What lay in memory that the program leaves open, in the order in which it was read.
    pub settled: Vec<(u64, Vec<u8>)>,
    /// If the steps are recorded: where memory outside the program lies, if any was used.
    pub outside: Option<u64>,
    /// Whether functions without a body changed memory.
    pub changes_memory: bool,
    /// Which of the subject's programs was run.
    pub which: Which,
}

/// How to run.
pub struct How<'o> {
    /// Chooses values that the program leaves open.
    pub oracle: Box<dyn Oracle + 'o>,
    /// When to give up.
    pub budget: Budget,
    /// Record the steps. Slower still.
    pub record: bool,
    /// Take memory that was never written as zero.
    pub zero_memory: bool,
    /// What lies in memory that the program leaves open.
    pub reads: Option<Reads>,
    /// If the same run was made before: how long it was. What lies neither near its start nor near its end nor before
    /// the last choice is not recorded then.
    pub length: Option<Length>,
}

/// How long a run was.
#[derive(Clone, Copy, Debug)]
pub struct Length {
    /// Statements.
    pub statements: u64,
    /// Statements when the last value was chosen.
    pub chosen: u64,
}

impl Run {
    /// How long it was.
    pub fn length(&self) -> Length {
        Length {
            statements: self.statements,
            chosen: self.chosen,
        }
    }

    /// The values it was given, as far as they must be told: zeros follow of themselves where the values
    /// end, and a large buffer would fill the screen with them.
    pub fn told(&self) -> &[Choice] {
        const ALWAYS: usize = 32;
        let zero = |c: &Choice| matches!(c.value, Value::Int(0) | Value::Float(0));
        let needed = self.choices.iter().rposition(|c| !zero(c));
        let needed = needed.map_or(0, |n| n + 1).max(ALWAYS);
        &self.choices[..needed.min(self.choices.len())]
    }
}

/// What the oracle and the tracer share.
#[derive(Default)]
struct Shared {
    choices: Vec<Choice>,
    at: Option<At>,
    recorder: Option<Recorder>,
    effects: Option<Effects>,
    settled: Vec<(u64, Vec<u8>)>,
    /// Statements when the last value was chosen.
    chosen: u64,
}

/// Hands choices on and notes them.
struct Noting<'o> {
    inner: Box<dyn Oracle + 'o>,
    program: &'o Program,
    shared: Rc<RefCell<Shared>>,
}

impl Noting<'_> {
    fn note(&mut self, ty: TypeId, value: Value, view: Option<&View<'_, '_>>) -> Value {
        let mut shared = self.shared.borrow_mut();
        shared.chosen = view.map_or(u64::MAX, View::statements);
        let from = shared.at.map(|at| source(self.program, at));
        let view = view.filter(|_| shared.recorder.is_some());
        let call = view.and_then(|view| {
            let calls = view.calls();
            let user = calls.iter().find(|c| !is_inner(self.program, c.func))?;
            (from != Some(user.func)).then_some((user.func, user.loc))
        });
        let choice = Choice {
            ty,
            value,
            from,
            call,
        };
        shared.choices.push(choice);
        value
    }
}

impl Oracle for Noting<'_> {
    fn choose(&mut self, types: &Types, ty: TypeId) -> Value {
        let value = self.inner.choose(types, ty);
        self.note(ty, value, None)
    }
    fn choose_at(&mut self, view: &View<'_, '_>, ty: TypeId) -> Value {
        let value = self.inner.choose_at(view, ty);
        self.note(ty, value, Some(view))
    }
    fn changes_memory(&self) -> bool {
        self.inner.changes_memory()
    }
}

/// Who asks for a value at a place: the function that is called there, or the one that runs. In a
/// model of the library it is the model: the program asks for nothing there.
fn source(program: &Program, at: At) -> FuncId {
    if is_model(program, at.func) {
        return at.func;
    }
    let body = program.funcs[at.func].body.as_ref();
    let block = body.map(|b| &b.blocks[at.block]);
    match block.map(|b| (b.stmts.len() <= at.index, &b.branch)) {
        Some((
            true,
            cwolf_cwi::Branch::Call {
                callee: cwolf_cwi::Callee::Direct(func),
                ..
            },
        )) => *func,
        _ => at.func,
    }
}

struct Watcher {
    shared: Rc<RefCell<Shared>>,
    guide: Option<Materialiser>,
    visits: Option<Visits>,
    /// The last choice is made at this statement; none if nobody knows.
    chosen: Option<u64>,
}

/// The steps that runs made, shared with whoever wants to know: coverage.
pub type Visits = Rc<RefCell<Visited>>;

/// Steps that runs made. Those of a block are made from the first one on, so that the last one says all.
#[derive(Debug, Default)]
pub struct Visited {
    /// By function and block: how many steps.
    steps: Vec<Vec<u32>>,
    /// How many there are in all.
    pub count: usize,
    /// Calls of the library, if somebody wants them.
    pub calls: Option<CallLog>,
}

impl Visited {
    fn insert(&mut self, at: At) {
        let (func, block) = (at.func.0 as usize, at.block.0 as usize);
        if self.steps.len() <= func {
            self.steps.resize_with(func + 1, Vec::new);
        }
        let blocks = &mut self.steps[func];
        if blocks.len() <= block {
            blocks.resize(block + 1, 0);
        }
        let steps = at.index as u32 + 1;
        if blocks[block] < steps {
            self.count += (steps - blocks[block]) as usize;
            blocks[block] = steps;
        }
    }

    /// Whether a run made a step.
    pub fn contains(&self, (func, block, index): &(FuncId, BlockId, usize)) -> bool {
        let blocks = self.steps.get(func.0 as usize);
        let steps = blocks.and_then(|blocks| blocks.get(block.0 as usize));
        steps.is_some_and(|steps| *steps as usize > *index)
    }
}

impl Tracer for Watcher {
    fn asleep_until(&self) -> u64 {
        let shared = self.shared.borrow();
        shared.recorder.as_ref().map_or(0, Recorder::asleep_until)
    }
    fn settles(&self) -> bool {
        self.guide.is_some()
    }
    fn settle(&mut self, at: At, view: &View<'_, '_>) -> Option<(u64, Vec<u8>)> {
        let found = self.guide.as_mut()?.settle(at, view)?;
        let mut shared = self.shared.borrow_mut();
        shared.settled.push(found.clone());
        if let Some(effects) = &mut shared.effects {
            effects.settled(found.0, &found.1, view);
        }
        Some(found)
    }
    fn step(&mut self, at: At, view: &View<'_, '_>) {
        if let Some(guide) = &mut self.guide {
            guide.stepped();
        }
        let mut shared = self.shared.borrow_mut();
        shared.at = Some(at);
        let choices = shared.choices.len();
        if let Some(visits) = &self.visits {
            let mut visits = visits.borrow_mut();
            visits.insert(at);
            if let Some(calls) = &mut visits.calls {
                calls.step(at, view, choices);
            }
        }
        let last = shared.choices.last().cloned();
        let Shared {
            effects, recorder, ..
        } = &mut *shared;
        let before = effects.as_ref().map_or(0, |e| e.done.len());
        if let Some(effects) = effects {
            effects.step(at, view);
        }
        if let Some(recorder) = recorder {
            recorder.step(at, view, choices, last);
            let new = effects.as_ref().map_or(&[][..], |e| &e.done[before..]);
            new.iter().for_each(|effect| recorder.outside(effect, view));
            if self.chosen.is_some_and(|n| n < view.statements()) {
                recorder.sleep(view);
            }
        }
    }
}

/// Which of a subject's programs to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    /// Every open value is an explicit choice.
    Closed,
    /// As the user wrote it.
    Raw,
}

/// Runs one of the subject's programs from its start.
pub fn run(subject: &Subject, which: Which, how: How<'_>) -> Run {
    visiting(subject, which, how, None)
}

/// The same, noting each step in `visits`.
pub fn visiting(subject: &Subject, which: Which, how: How<'_>, visits: Option<Visits>) -> Run {
    let (program, entry) = match which {
        Which::Closed => (&subject.program, subject.entry),
        Which::Raw => (&subject.raw, subject.raw_entry.unwrap_or(subject.entry)),
    };
    let shared = Rc::new(RefCell::new(Shared::default()));
    let outer = how.budget.cancel_flag();
    let tracing = how.record || how.reads.is_some() || visits.is_some();
    if how.record {
        let length = how.length.map(|l| l.statements);
        shared.borrow_mut().recorder = Some(Recorder::new(length));
        shared.borrow_mut().effects = Some(Effects::new(subject));
    }
    // Who wants to know every step, or what lies in memory, does not sleep.
    let sleepy = how
        .length
        .filter(|_| visits.is_none() && how.reads.is_none());
    let tracer = tracing.then(|| {
        Box::new(Watcher {
            shared: shared.clone(),
            guide: how.reads.map(|reads| Materialiser::new(program, reads)),
            visits,
            chosen: sleepy.map(|l| l.chosen),
        }) as Box<dyn Tracer>
    });
    let changes_memory = how.oracle.changes_memory();
    let oracle = Noting {
        inner: how.oracle,
        program,
        shared: shared.clone(),
    };
    let options = Options {
        oracle: Box::new(oracle),
        budget: how.budget,
        max_frames: 50_000,
        max_memory: 512 << 20,
        zero_memory: how.zero_memory,
        // The program itself is run to learn all about it; in a closed run, engines chose what memory looks like.
        unspecified_stops: which == Which::Raw,
        now: Some(0),
        tracer,
        ..Options::default()
    };
    let mut machine = Machine::new(program, options);
    let outcome = machine.run(&program.funcs[entry].name);
    let statements = machine.steps();
    drop(machine);
    let mut shared = Rc::into_inner(shared)
        .expect("the machine is gone")
        .into_inner();
    let end = match outer.load(Ordering::Relaxed) {
        true => End::Exhausted(Exhausted::Cancelled),
        false => end_of(subject, program, outcome),
    };
    let mut effects = shared.effects.take();
    if let Some(effects) = &mut effects {
        effects.finish();
    }
    let (steps, omitted) = match shared.recorder {
        Some(recorder) => {
            let effects = effects.as_ref().map_or(&[][..], |e| &e.done);
            recorder.finish(program, &end, effects)
        }
        None => (Vec::new(), None),
    };
    let outside = effects.as_ref().and_then(|e| e.base);
    let (effects, entry) = effects.map_or_else(Default::default, |e| (e.done, e.entry));
    Run {
        end,
        choices: shared.choices,
        steps,
        omitted,
        statements,
        chosen: shared.chosen,
        effects,
        entry,
        settled: shared.settled,
        outside,
        changes_memory,
        which,
    }
}

/// The property that an error of the interpreter is about.
pub fn kind_of(error: ErrorKind) -> Option<Kind> {
    use ErrorKind::*;
    Some(match error {
        AssertionFailed => Kind::Assertion,
        ReachError => Kind::UnreachCall,
        OutOfBounds => Kind::Bounds,
        NullDereference | UseAfterFree | UseAfterScope | InvalidPointer | NotData | NotFunction
        | ReadOnlyWrite | BadFree | DoubleFree | Overlap | BadStream | BadFormat | BadJump => {
            Kind::Pointer
        }
        DivisionByZero => Kind::DivisionByZero,
        DivisionOverflow => Kind::Overflow,
        ShiftOutOfRange => Kind::Shift,
        Uninitialised => Kind::Uninitialised,
        Undefined | Unreachable | Abort | MissingFunction | BadCall | StackOverflow
        | MemoryLimit | Unsupported | Signal | Unspecified | Check => return None,
    })
}

fn end_of(subject: &Subject, program: &Program, outcome: Outcome) -> End {
    match outcome {
        Outcome::Exit(_) => End::Exits,
        Outcome::AssumeFailed => End::AssumeFails,
        Outcome::Budget(why) => End::Exhausted(why),
        Outcome::Error(error) => {
            let mut kind = match error.check {
                // Other files define it: whether the access is right, the run cannot tell.
                _ if error.kind == ErrorKind::Undefined => None,
                Some(check) => Some(program.checks[check].kind),
                None => kind_of(error.kind),
            };
            let user = error
                .stack
                .iter()
                .find(|entry| !is_inner(program, entry.func));
            let inner = error.stack.first();
            let place = user.or(inner).map(|entry| (entry.func, entry.loc));
            // The error function inside a handler of a rule.
            let rule = error.loc.and_then(|loc| subject.rule_at(program, loc));
            if kind == Some(Kind::UnreachCall) && rule.is_some() {
                kind = Some(Kind::Rule);
            }
            // The interpreter stops at every error function, also at those that do not count.
            let function = error.message.split_once(": ").map(|(name, _)| name);
            let counts = |name| subject.selection.error_functions.iter().any(|f| f == name);
            if error.check.is_none()
                && kind == Some(Kind::UnreachCall)
                && !function.is_some_and(counts)
            {
                kind = None;
            }
            // Outside of an object is also no valid pointer, if only that is asked.
            if kind == Some(Kind::Bounds) && !subject.selection.has(Kind::Bounds) {
                kind = Some(Kind::Pointer);
            }
            match (kind, error.loc, place) {
                (Some(kind), Some(loc), Some(user)) if is_checked(subject, &error, kind) => {
                    let message = match rule {
                        Some((rule, message)) => {
                            format!("the rule {} is broken: {message}", rule.name)
                        }
                        None if error.check.is_some() => error.message,
                        None => plain(kind, error.message),
                    };
                    End::Fails(Box::new(Failure {
                        kind,
                        check: error.check,
                        loc,
                        user,
                        message,
                        related: error.related,
                    }))
                }
                _ => End::Stops {
                    exact: matches!(error.kind, ErrorKind::Abort | ErrorKind::AssertionFailed),
                    elsewhere: error.kind == ErrorKind::Undefined,
                    reason: error.message,
                },
            }
        }
    }
}

/// Whether an error is one of those that are looked for.
fn is_checked(subject: &Subject, error: &RunError, kind: Kind) -> bool {
    // The processor stops at it as it does at a zero divisor.
    let stops = error.kind == ErrorKind::DivisionOverflow;
    error.check.is_some()
        || subject.selection.has(kind)
        || (stops && subject.selection.has(Kind::DivisionByZero))
}

/// A failed assertion needs no word about the function that says so.
fn plain(kind: Kind, message: String) -> String {
    match (kind, message.split_once(": ")) {
        (Kind::Assertion | Kind::UnreachCall, Some((function, rest)))
            if !function.contains(' ') =>
        {
            match kind {
                Kind::UnreachCall => format!("{function} is called"),
                _ => rest.into(),
            }
        }
        _ => message,
    }
}

/// Whether a function is not the user's: a wrapper, a handler, a model of the library.
pub(crate) fn is_inner(program: &Program, func: FuncId) -> bool {
    program.funcs[func].origin != Origin::Program
}

/// Whether values that are chosen in a function are those of its own variables: of uninitialised
/// or volatile ones.
pub(crate) fn is_own(subject: &Subject, func: FuncId) -> bool {
    let program = &subject.program;
    let function = &program.funcs[func];
    function.body.is_some() && !subject.stubs.contains(&func) && !is_inner(program, func)
}

/// Whether a function is a model of one of the library.
pub(crate) fn is_model(program: &Program, func: FuncId) -> bool {
    program.funcs[func].origin == Origin::Model
}
