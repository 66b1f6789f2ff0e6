//! What the table says about one function.

use crate::amount::{Amount, Range, Subject};
use crate::prototype::Prototype;

/// A known function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Its name; aliases lead to the same row.
    pub name: String,
    /// The file of the table that has it, without the extension.
    pub file: &'static str,
    /// Where its declaration comes from.
    pub origin: Origin,
    /// The headers that declare it, with their brackets.
    pub headers: Vec<&'static str>,
    /// Result and parameters.
    pub prototype: Prototype,
    /// What must hold where it is called. What is said about a parameter that may be null
    /// ([`Row::nullable`]) is required only if it is not.
    pub requires: Vec<Requirement>,
    /// What it changes.
    pub effects: Vec<Effect>,
    /// What it may return: one of these. Empty: anything of the type, or nothing.
    pub result: Vec<Outcome>,
    /// What it does to the flow of control.
    pub control: Vec<Control>,
    /// Whether result and contents written come from outside: input, time, environment, other
    /// processes. If not, arguments and the state of the program define them.
    pub open: bool,
    /// The hidden state that an open result is part of, if there is one: it stays the same until a function changes
    /// that state.
    pub asks: Option<String>,
    /// Whether it fails when memory runs out: it returns null, or -1 where that is a number.
    pub may_fail: bool,
    /// What engines do themselves where it is called.
    pub primitive: Option<Primitive>,
    /// The row whose facts this one takes over, under `as`.
    pub base: Option<String>,
    pub(crate) nullable: Vec<usize>,
}

/// An operation on objects and memory that no code of the program could do, or not as well: every
/// engine has its own way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Primitive {
    /// `malloc`: a new object of so many bytes.
    Allocate,
    /// `calloc`: a new object of so many elements of so many bytes, all zero.
    AllocateZeroed,
    /// `realloc`: the object with another size, perhaps elsewhere.
    Resize,
    /// `free`: the object ends.
    Free,
    /// `alloca`: a new object that ends with the caller's frame.
    AllocateOnStack,
    /// Remembers which objects of the frame there are.
    SaveStack,
    /// Ends those that came after.
    RestoreStack,
    /// `memset`
    Fill,
    /// `memcpy`
    Copy,
    /// `memmove`
    Move,
    /// A function of floating-point numbers whose result IEEE 754 fixes.
    Float(FloatFunction),
}

/// Functions of floating-point numbers whose results IEEE 754 fixes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FloatFunction {
    /// `sqrt`
    Sqrt,
    /// `fma`
    Fma,
    /// `fmod`
    Fmod,
    /// `remainder`
    Remainder,
    /// `floor`
    Floor,
    /// `ceil`
    Ceil,
    /// `trunc`
    Trunc,
    /// `round`
    Round,
    /// `roundeven`
    RoundEven,
    /// `rint`: as the rounding mode says.
    Rint,
    /// `copysign`
    CopySign,
}

impl Primitive {
    /// All of them, with the words of the table.
    pub const ALL: [(&'static str, Primitive); 21] = [
        ("allocate", Primitive::Allocate),
        ("allocate_zeroed", Primitive::AllocateZeroed),
        ("resize", Primitive::Resize),
        ("free", Primitive::Free),
        ("allocate_on_stack", Primitive::AllocateOnStack),
        ("save_stack", Primitive::SaveStack),
        ("restore_stack", Primitive::RestoreStack),
        ("fill", Primitive::Fill),
        ("copy", Primitive::Copy),
        ("move", Primitive::Move),
        ("sqrt", Primitive::Float(FloatFunction::Sqrt)),
        ("fma", Primitive::Float(FloatFunction::Fma)),
        ("fmod", Primitive::Float(FloatFunction::Fmod)),
        ("remainder", Primitive::Float(FloatFunction::Remainder)),
        ("floor", Primitive::Float(FloatFunction::Floor)),
        ("ceil", Primitive::Float(FloatFunction::Ceil)),
        ("trunc", Primitive::Float(FloatFunction::Trunc)),
        ("round", Primitive::Float(FloatFunction::Round)),
        ("roundeven", Primitive::Float(FloatFunction::RoundEven)),
        ("rint", Primitive::Float(FloatFunction::Rint)),
        ("copysign", Primitive::Float(FloatFunction::CopySign)),
    ];

    pub(crate) fn of_word(word: &str) -> Option<Primitive> {
        let found = Primitive::ALL.into_iter().find(|(name, _)| *name == word);
        found.map(|(_, primitive)| primitive)
    }
}

/// Where a declaration comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A header of glibc, with `_GNU_SOURCE`.
    Gnu,
    /// A header of glibc, without `_GNU_SOURCE`, which changes the type.
    Posix,
    /// A symbol that no installed header declares as a function.
    Hidden,
    /// The compiler.
    Compiler,
    /// A verification tool.
    Tool,
}

/// Something that must hold where a function is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Requirement {
    /// The argument is not null.
    NotNull(usize),
    /// The argument is not null unless the amount is zero.
    NotNullUnlessEmpty(usize, Amount),
    /// If the argument is null, the other holds as well.
    IfNull(usize, Box<Requirement>),
    /// So many bytes can be read.
    Readable {
        /// From here.
        at: Subject,
        /// How many.
        bytes: Amount,
    },
    /// So many bytes can be written.
    Writable {
        /// From here.
        at: Subject,
        /// How many.
        bytes: Amount,
    },
    /// A terminated string can be read.
    Text {
        /// From here.
        at: Subject,
        /// Whether its elements are `wchar_t`.
        wide: bool,
        /// It need not end if there are so many elements.
        within: Option<Amount>,
        /// The parameter with the byte that it ends with, if that is not zero.
        end: Option<usize>,
    },
    /// A list of strings that ends with a null pointer can be read.
    Texts(Subject),
    /// The arguments from this parameter on are such a list.
    Listed(usize),
    /// What is read or written through these does not overlap.
    Apart(usize, usize),
    /// An open stream, directory, thread or the like: made by the function that makes such
    /// things, and not closed.
    Handle(Subject),
    /// The start of a live heap object, or null.
    Heap(Subject),
    /// A format that fits the arguments after it.
    Format(Format),
    /// A function of the declared type.
    Function(usize),
    /// The value is in one of these ranges.
    Within {
        /// The value.
        at: Subject,
        /// The ranges.
        ranges: Vec<Range>,
    },
}

/// A format and its arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Format {
    /// The number of the parameter with the format.
    pub param: usize,
    /// Its language.
    pub kind: FormatKind,
    /// What it is about.
    pub args: FormatArgs,
}

/// A language of formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FormatKind {
    /// `printf`, also with `%m`.
    Printf,
    /// `scanf`
    Scanf,
    /// `wprintf`
    WidePrintf,
    /// `wscanf`
    WideScanf,
    /// `strftime`, `strptime`
    Time,
}

/// The arguments of a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FormatArgs {
    /// The arguments from this number on.
    From(usize),
    /// Those of the `va_list` with this number.
    List(usize),
    /// None: the format is about other parameters.
    None,
}

/// Something that a function changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Bytes are written.
    Writes {
        /// From here.
        at: Subject,
        /// At most so many.
        bytes: Amount,
        /// So many for certain; none if that is not known, as when the call fails.
        surely: Option<Amount>,
    },
    /// Bytes are copied, with the pointers that they are parts of.
    Copies {
        /// To here.
        to: Subject,
        /// From here.
        from: Subject,
        /// So many.
        bytes: Amount,
    },
    /// If the call succeeds, a place has a value of this kind.
    Sets {
        /// The place: `*p` or `p->member`.
        at: Subject,
        /// What it may be.
        value: Vec<Outcome>,
    },
    /// What conversions of the format store: all of `scanf`'s, `%n` of `printf`'s.
    Formatted(Format),
    /// `errno` may change.
    Errno,
    /// Hidden state of the library of this name is read or changed.
    State(String),
    /// The next number of the generator of this name is drawn, which functions with that state seed.
    Draws(String),
    /// Something is done to the stream or descriptor that the argument is.
    Channel(Channel, usize),
    /// Two descriptors are made, and what is written to one is read from the other.
    Connects,
    /// The result, if it is not negative, is a descriptor that was not open.
    Opens,
    /// The descriptor that the argument is is open no more.
    Shuts(usize),
    /// The pointer is kept after the return; with `*p`, the pointers behind it.
    Keeps(Subject),
    /// The heap object ends.
    Frees(Subject),
    /// The heap object ends if the result is not null, and its contents move there.
    Moves(Subject),
    /// The mapped memory ends.
    Unmaps(usize),
    /// Memory that pointers behind the argument lead to is written.
    Through(usize),
    /// Whatever any argument leads to may be written, also unnamed ones.
    Anything,
    /// The handle is closed.
    Closes(usize),
    /// Something goes out to the world. If no device fails, results are as the row says.
    Output,
    /// The function is called before the call returns, any number of times.
    Calls(usize),
    /// The function may be called after the return.
    CallsLater(usize, When),
    /// A lock is taken.
    Locks(usize),
    /// A lock is given back.
    Unlocks(usize),
    /// A lock is made that can be taken as often as the second argument says.
    Counts(usize, usize),
    /// So many bytes get any contents; without an amount, the object that the argument points to.
    Havocs(usize, Option<Amount>),
}

/// When a function that was handed over is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum When {
    /// Where the program ends.
    Exit,
    /// When a signal comes.
    Signal,
    /// In another thread.
    Thread,
    /// Around `fork`.
    Fork,
    /// In a later call of the library.
    Call,
}

/// Something that a function may return.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Any value of the type.
    Any,
    /// The null pointer.
    Null,
    /// A number. A pointer parameter in it means its value, moved by bytes.
    Range(Range),
    /// A pointer into the object that this points into, not before it.
    Into(Subject),
    /// Memory of the handle that the argument is: calls with it overwrite that, and it ends with the handle.
    Held(usize),
    /// A new heap object of so many bytes.
    Fresh {
        /// Its size, if it is known.
        bytes: Option<Amount>,
        /// What is in it.
        contents: Contents,
    },
    /// A new object of the calling function's frame.
    Stack(Amount),
    /// An object of the library, which later calls may overwrite.
    Static {
        /// Its size.
        bytes: Option<Amount>,
        /// Whether it is a terminated string.
        text: bool,
    },
    /// A new mapping of so many bytes, which is no heap object.
    Mapped {
        /// Its size.
        bytes: Amount,
        /// The argument that says by `MAP_ANONYMOUS` that it holds zeros, and no file.
        flags: Option<usize>,
    },
    /// A terminated string that the program does not own and must not change.
    Text,
    /// An array that holds a terminated string with at least one character.
    Nonempty,
    /// An open stream, directory or the like.
    Handle,
    /// A pointer that an earlier call kept, or one into its object.
    Kept,
    /// The address of `errno`.
    Errno,
    /// A function, or one of the small numbers that stand for some.
    Function,
}

/// What is done to a stream or a descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Channel {
    /// Something is put in.
    Gives,
    /// Something is taken out.
    Takes,
    /// Another place becomes the current one.
    Rewinds,
    /// The current place is told.
    Tells,
    /// It is told whether something was to be taken out and nothing was left.
    Ended,
    /// It is told whether taking out or putting in failed.
    Failed,
    /// What the last two tell is forgotten.
    Clears,
}

/// First contents of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Contents {
    /// Nothing was written.
    Unset,
    /// All bytes are zero.
    Zero,
    /// The call wrote all of it.
    Set,
    /// A terminated string.
    Text,
}

/// Something that a function does to the flow of control.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Control {
    /// It never returns.
    Ends(End),
    /// It does not return if the argument is not zero.
    EndsIf(usize, End),
    /// It may not return.
    MayEnd(End),
    /// To get here is a failure. The number is that of the parameter with the text, if any.
    Fails(Failure, Option<usize>),
    /// Runs with a false argument do not count.
    Assume(usize),
    /// The argument must not be zero. The second number is that of the text, if any.
    Assert(usize, Option<usize>),
    /// The argument must be zero.
    AssertZero(usize),
    /// The result is any value of its type, by the user's wish.
    Choose,
    /// It returns once more when somebody jumps to what the argument points to.
    Marks(usize),
    /// A jump back to it keeps all locals of its caller.
    KeepsLocals,
    /// It goes where the argument was marked.
    Jumps(usize),
    /// It returns in two processes.
    Forks,
    /// Code that the arguments lead to in some way may run after the return.
    Starts(When),
    /// It is an event that is seen from outside, by the user's wish.
    Event,
    /// It waits for other threads.
    Joins,
    /// It goes on, or prepares to go on, on another stack.
    Switches,
    /// Other threads wait from here on.
    AtomicBegin,
    /// Other threads go on.
    AtomicEnd,
    /// A clause of a contract, by its name.
    Contract(String),
    /// A question about memory, by its name.
    Predicate(String),
}

/// How a call ends what goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum End {
    /// The program ends; registered functions run.
    Exit,
    /// The program ends at once, with a status.
    ExitNow,
    /// The program is aborted.
    Abort,
    /// Another program takes its place.
    Exec,
    /// The thread ends.
    Thread,
    /// Control goes elsewhere in the program.
    Jump,
    /// The behaviour is undefined: control never comes here.
    Undefined,
}

/// A failure that the program itself finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Failure {
    /// A failed assertion.
    Assertion,
    /// An error that must not be reached.
    Error,
    /// A check of the compiler or the library (stack protector, fortified functions).
    Check,
}
