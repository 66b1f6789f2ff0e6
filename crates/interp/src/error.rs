//! How a run ends: with an exit status, an error that names its place and the calls that led
//! there, an assumption that does not hold, or a budget that ran out.

use crate::memory::ObjId;
use cwolf_base::Exhausted;
use cwolf_cwi::value::Trap;
use cwolf_cwi::{CheckId, FuncId, LocId, MemoryTest, Program};

/// How a run ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// The program ended by itself with this status.
    Exit(i32),
    /// It did something that C does not allow, or stopped itself abnormally.
    Error(Box<RunError>),
    /// An assumption (`__VERIFIER_assume`) was false: the run says nothing.
    AssumeFailed,
    /// A limit was reached.
    Budget(Exhausted),
}

/// What went wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// An access through a null pointer (or a pointer next to null).
    NullDereference,
    /// An access before the start or past the end of an object.
    OutOfBounds,
    /// An access to heap memory that was freed.
    UseAfterFree,
    /// An access to a local variable of a function that returned.
    UseAfterScope,
    /// An access through a number that is no object's address.
    InvalidPointer,
    /// Data access to a function, or a call of something that is none.
    NotData,
    /// A call through a pointer that is no function's address.
    NotFunction,
    /// An access to a variable that is declared but defined nowhere.
    Undefined,
    /// A write to a string literal or constant.
    ReadOnlyWrite,
    /// `free` of something that `malloc` did not return.
    BadFree,
    /// `free` of memory that was freed before.
    DoubleFree,
    /// An integer divided by zero.
    DivisionByZero,
    /// The smallest number divided by -1.
    DivisionOverflow,
    /// A shift by a negative amount or by the width or more.
    ShiftOutOfRange,
    /// A decision, an address or an output depends on memory that was never written.
    Uninitialised,
    /// Control came to a place that the program promised it never would.
    Unreachable,
    /// The program stopped itself with `abort` or a trap instruction.
    Abort,
    /// An `assert` failed.
    AssertionFailed,
    /// `reach_error` or `__VERIFIER_error` was called.
    ReachError,
    /// A function that has neither a body nor a native implementation.
    MissingFunction,
    /// A call with arguments that the function cannot take.
    BadCall,
    /// Source and destination of a copy overlap where they must not.
    Overlap,
    /// A stream that was closed or never opened.
    BadStream,
    /// A format that asks for arguments that are not there, or takes a number for an address.
    BadFormat,
    /// Too many calls inside each other.
    StackOverflow,
    /// More memory than the run may use.
    MemoryLimit,
    /// `longjmp` to a function that has returned, or with a buffer never set.
    BadJump,
    /// Something that the interpreter does not support.
    Unsupported,
    /// The program raised a signal that ends it.
    Signal,
    /// Something rests on where objects lie, which C leaves open.
    Unspecified,
    /// An `Assert` of the code does not hold; the check says what that means.
    Check,
}

impl From<Trap> for ErrorKind {
    fn from(trap: Trap) -> ErrorKind {
        match trap {
            Trap::DivisionByZero => ErrorKind::DivisionByZero,
            Trap::DivisionOverflow => ErrorKind::DivisionOverflow,
            Trap::ShiftOutOfRange => ErrorKind::ShiftOutOfRange,
        }
    }
}

/// One call that was under way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StackEntry {
    /// The function.
    pub func: FuncId,
    /// Where it was.
    pub loc: LocId,
}

/// An error of the program that was run.
#[derive(Clone, Debug, PartialEq)]
pub struct RunError {
    /// What went wrong.
    pub kind: ErrorKind,
    /// Where, if the program had started.
    pub loc: Option<LocId>,
    /// A plain sentence.
    pub message: String,
    /// The calls under way, innermost first.
    pub stack: Vec<StackEntry>,
    /// The check that failed, if an `Assert` said so.
    pub check: Option<CheckId>,
    /// Other places that matter, each with a sentence.
    pub related: Vec<(LocId, String)>,
}

impl RunError {
    /// The error as text: `file:line: error: message`, then the calls, then related places.
    pub fn render(&self, program: &Program) -> String {
        let place = |loc: LocId| program.locations.describe(loc);
        let mut text = match self.loc {
            Some(loc) => format!("{}: error: {}\n", place(loc), self.message),
            None => format!("error: {}\n", self.message),
        };
        // A runaway recursion is told by its two ends.
        let hidden = match self.stack.len() {
            0..=24 => 0..0,
            n => 16..n - 4,
        };
        for (n, entry) in self.stack.iter().enumerate() {
            if n == hidden.start && !hidden.is_empty() {
                text.push_str(&format!("  … {} more calls …\n", hidden.len()));
            }
            if !hidden.contains(&n) {
                let name = &program.funcs[entry.func].name;
                text.push_str(&format!("  in {name} at {}\n", place(entry.loc)));
            }
        }
        for (loc, words) in &self.related {
            text.push_str(&format!("{}: note: {words}\n", place(*loc)));
        }
        text
    }
}

/// A failure before the machine has added place and calls.
#[derive(Clone, Debug)]
pub(crate) enum Fault {
    /// Reading `size` bytes failed.
    Read { addr: u64, size: u64 },
    /// Writing `size` bytes failed.
    Write { addr: u64, size: u64 },
    /// `addr` is not what can be freed.
    Free { addr: u64 },
    /// An `Assert` does not hold; its block and statement.
    Check(CheckId, (u32, u32)),
    /// The string at `addr` goes on past the end of its object.
    Unterminated { addr: u64 },
    /// An `Assert` of a question about memory does not hold; its block and statement.
    Demand {
        check: CheckId,
        test: MemoryTest,
        args: [u64; 3],
        at: (u32, u32),
    },
    /// An allocated object is left that should have been freed, or that something should lead to.
    Left { check: CheckId, object: ObjId },
    /// Uninitialised memory decides something; says what.
    Uninit(&'static str),
    /// Anything else, already in words.
    Other(ErrorKind, String),
}

impl From<Trap> for Fault {
    fn from(trap: Trap) -> Fault {
        Fault::Other(trap.into(), trap.to_string())
    }
}

/// Why a native function or the main loop stops.
#[derive(Debug)]
pub(crate) enum Stop {
    /// The program exits.
    Exit(i32),
    /// An error complete with its place.
    Error(Box<RunError>),
    /// An error that still needs its place.
    Fault(Fault),
    /// An assumption failed.
    AssumeFailed,
    /// A limit was reached.
    Budget(Exhausted),
    /// `longjmp` unwinds native calls down to the loop of this nesting.
    Unwind { nesting: u32 },
}

impl From<Fault> for Stop {
    fn from(fault: Fault) -> Stop {
        Stop::Fault(fault)
    }
}

impl From<Trap> for Stop {
    fn from(trap: Trap) -> Stop {
        Stop::Fault(trap.into())
    }
}
