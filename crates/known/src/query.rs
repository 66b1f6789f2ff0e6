//! What callers ask a row.

use crate::amount::{Amount, Path, Subject};
use crate::row::{
    Channel, Contents, Control, Effect, End, Failure, Format, FormatKind, Outcome, Primitive,
    Requirement, Row, When,
};
use crate::types::CType;

impl Row {
    /// Whether the argument may be null, whatever the others are.
    pub fn nullable(&self, param: usize) -> bool {
        self.nullable.contains(&param)
    }

    /// Whether a call with so many arguments can be one of this function. A program may mean
    /// something else by the name: `void error(void)` is not the `error` of glibc.
    pub fn accepts(&self, arguments: usize) -> bool {
        let named = self.prototype.params.len();
        arguments == named || (self.prototype.variadic && arguments > named)
    }

    /// Whether results of floating-point operations may be rounded in another way afterwards.
    pub fn changes_rounding(&self) -> bool {
        let mut effects = self.effects.iter();
        effects.any(|e| matches!(e, Effect::State(name) if name == "rounding"))
    }

    /// How the call ends what goes on, if it never returns.
    pub fn ends(&self) -> Option<End> {
        self.control.iter().find_map(|c| match c {
            Control::Ends(end) => Some(*end),
            _ => None,
        })
    }

    /// How the call may end what goes on, if it may return as well.
    pub fn may_end(&self) -> Option<End> {
        self.control.iter().find_map(|c| match c {
            Control::MayEnd(end) | Control::EndsIf(_, end) => Some(*end),
            _ => None,
        })
    }

    /// The failure that a call of the function is, whatever its arguments.
    pub fn fails(&self) -> Option<Failure> {
        self.control.iter().find_map(|c| match c {
            Control::Fails(failure, _) => Some(*failure),
            _ => None,
        })
    }

    /// Whether a call reports a failed assertion, or checks one.
    pub fn is_assertion(&self) -> bool {
        let zero = |c: &Control| matches!(c, Control::AssertZero(_));
        self.fails() == Some(Failure::Assertion)
            || self.asserts().is_some()
            || self.control.iter().any(zero)
    }

    /// The number of the argument that must not be zero.
    pub fn asserts(&self) -> Option<usize> {
        self.control.iter().find_map(|c| match c {
            Control::Assert(param, _) => Some(*param),
            _ => None,
        })
    }

    /// The number of the argument that is assumed not to be zero.
    pub fn assumes(&self) -> Option<usize> {
        self.control.iter().find_map(|c| match c {
            Control::Assume(param) => Some(*param),
            _ => None,
        })
    }

    /// Whether a call is an event that is seen from outside, by the user's wish.
    pub fn is_event(&self) -> bool {
        self.control.contains(&Control::Event)
    }

    /// The number of the argument that must be zero.
    pub fn asserts_zero(&self) -> Option<usize> {
        self.control.iter().find_map(|c| match c {
            Control::AssertZero(param) => Some(*param),
            _ => None,
        })
    }

    /// The number of the argument with the text of an assertion.
    pub fn assertion_text(&self) -> Option<usize> {
        self.control.iter().find_map(|c| match c {
            Control::Fails(_, text) | Control::Assert(_, text) => *text,
            _ => None,
        })
    }

    /// Whether the result, or memory, gets any value by the user's wish.
    pub fn chooses(&self) -> bool {
        self.control.contains(&Control::Choose)
            || (self.effects.iter()).any(|e| matches!(e, Effect::Havocs(..)))
    }

    /// What engines do themselves where it is called.
    pub fn primitive(&self) -> Option<Primitive> {
        self.primitive
    }

    /// Whether it is a word of a verification tool and not a function that runs.
    pub fn is_word(&self) -> bool {
        self.origin == crate::Origin::Tool
    }

    /// The parameters through which memory is written, each once, in their order. What a format
    /// stores is not among them: see [`Row::formatted`].
    pub fn writes_args(&self) -> Vec<usize> {
        let mut list: Vec<usize> = (self.effects.iter())
            .filter_map(|effect| match effect {
                Effect::Sets { at, .. } if at.is_result() => None,
                Effect::Writes { at, .. } | Effect::Sets { at, .. } => Some(at.param),
                Effect::Copies { to, .. } => Some(to.param),
                Effect::Havocs(param, _) | Effect::Through(param) => Some(*param),
                _ => None,
            })
            .collect();
        list.sort_unstable();
        list.dedup();
        list
    }

    /// The parameters through which memory is written that is not behind them directly, but
    /// behind a pointer that is found there (`**p`, `*p->member`).
    pub fn writes_beyond(&self) -> Vec<usize> {
        let beyond = |at: &Subject| at.path != Path::Itself;
        let mut list: Vec<usize> = (self.effects.iter())
            .filter_map(|effect| match effect {
                Effect::Writes { at, .. } if beyond(at) => Some(at.param),
                Effect::Copies { to, .. } if beyond(to) => Some(to.param),
                Effect::Through(param) => Some(*param),
                _ => None,
            })
            .collect();
        list.sort_unstable();
        list.dedup();
        list
    }

    /// The format whose conversions store through the arguments after it: all of `scanf`'s, `%n`
    /// of `printf`'s.
    pub fn formatted(&self) -> Option<Format> {
        self.effects.iter().find_map(|effect| match effect {
            Effect::Formatted(format) => Some(*format),
            _ => None,
        })
    }

    /// The same, for formats of `scanf`.
    pub fn scans(&self) -> Option<Format> {
        let scan = |f: &Format| matches!(f.kind, FormatKind::Scanf | FormatKind::WideScanf);
        self.formatted().filter(scan)
    }

    /// Whether memory that the program can see may change; new objects do not count, `errno`
    /// does not, and no `%n` is thought of.
    pub fn changes_memory(&self) -> bool {
        let through = |e: &Effect| {
            matches!(
                e,
                Effect::Frees(_)
                    | Effect::Moves(_)
                    | Effect::Unmaps(_)
                    | Effect::Closes(_)
                    | Effect::Calls(_)
                    | Effect::Anything
            )
        };
        !self.writes_args().is_empty() || self.scans().is_some() || self.effects.iter().any(through)
    }

    /// Whether all that it writes lies behind these arguments themselves, which is what
    /// [`Row::writes_args`] and formats say: nothing deeper, nothing later, nothing by others' code.
    /// Variables of the library are another matter: see [`Row::changes_variables`].
    pub fn writes_only_args(&self) -> bool {
        let beyond = |e: &Effect| {
            matches!(
                e,
                Effect::Moves(_) | Effect::Calls(_) | Effect::Through(_) | Effect::Anything
            )
        };
        let elsewhere = self.starts_something() || self.returns_twice() || self.jumps().is_some();
        !elsewhere
            && !self.keeps_pointers()
            && self.writes_beyond().is_empty()
            && !self.effects.iter().any(beyond)
    }

    /// Whether it always returns the address of the same table, which depends on the locale only (what `isdigit` is made of).
    pub fn returns_table(&self) -> bool {
        let own = |o: &Outcome| matches!(o, Outcome::Static { .. });
        let locale = |e: &Effect| matches!(e, Effect::State(name) if name == "locale");
        self.prototype.params.is_empty()
            && !self.result.is_empty()
            && self.result.iter().all(own)
            && !self.effects.is_empty()
            && self.effects.iter().all(locale)
    }

    /// Whether it fills a place that it is given: place and size are all that it gets, and it returns nothing.
    pub fn fills(&self) -> bool {
        let [Effect::Writes { at, bytes, .. }] = &self.effects[..] else {
            return false;
        };
        self.prototype.params.len() == 2
            && at.itself() == Some(0)
            && matches!(bytes, Amount::Arg(size) if size.itself() == Some(1))
            && self.result.is_empty()
            && !self.returns_pointer()
            && self.is_defined()
    }

    /// Whether no object of the program gets other contents, now or later. Objects may begin and end;
    /// `errno` and objects of the library do not count, and no `%n` is thought of.
    pub fn writes_nothing(&self) -> bool {
        let own = |o: &Outcome| matches!(o, Outcome::Static { .. });
        self.writes_only_args()
            && !self.changes_variables()
            && self.writes_args().is_empty()
            && self.scans().is_none()
            && !self.result.iter().any(own)
    }

    /// Size and contents of the new heap object that it returns.
    pub fn allocates(&self) -> Option<(Option<&Amount>, Contents)> {
        self.result.iter().find_map(|outcome| match outcome {
            Outcome::Fresh { bytes, contents } => Some((bytes.as_ref(), *contents)),
            _ => None,
        })
    }

    /// The size of the new object of the caller's frame that it returns.
    pub fn allocates_on_stack(&self) -> Option<&Amount> {
        self.result.iter().find_map(|outcome| match outcome {
            Outcome::Stack(bytes) => Some(bytes),
            _ => None,
        })
    }

    /// The pointers whose heap objects end, or may end (`realloc`).
    pub fn ended(&self) -> impl Iterator<Item = &Subject> {
        self.effects.iter().filter_map(|effect| match effect {
            Effect::Frees(at) | Effect::Moves(at) => Some(at),
            _ => None,
        })
    }

    /// The parameters through which they are found.
    pub fn frees(&self) -> Vec<usize> {
        self.ended().map(|at| at.param).collect()
    }

    /// Whether the parameter is a handle that the library makes itself, such as a stream, and not
    /// one in an object of the program, such as a `regex_t`.
    pub fn is_made_by_library(&self, param: usize) -> bool {
        let ty = self.prototype.params.get(param).map(|p| &p.ty);
        ty.is_some_and(|ty| crate::table().handles().iter().any(|h| alike(h, ty)))
    }

    /// Which of the kinds of handles that the library makes an argument is, by number. Streams are the
    /// first.
    pub fn handle_kind(&self, param: usize) -> usize {
        let ty = self.prototype.params.get(param).map(|p| &p.ty);
        ty.map_or(0, kind_of_handle)
    }

    /// The same of the handle that it makes.
    pub fn made_kind(&self) -> usize {
        self.makes_handle().map_or(0, kind_of_handle)
    }

    /// The type of the handle that it makes, if it makes one: its result, or what it stores.
    pub fn makes_handle(&self) -> Option<&CType> {
        if self.result.contains(&Outcome::Handle) {
            return Some(&self.prototype.ret);
        }
        self.effects.iter().find_map(|effect| match effect {
            Effect::Sets { at, value } if value.contains(&Outcome::Handle) => {
                self.prototype.params.get(at.param)?.ty.pointee()
            }
            _ => None,
        })
    }

    /// The parameters whose handles are closed.
    pub fn closes(&self) -> Vec<usize> {
        let closed = |effect: &Effect| match effect {
            Effect::Closes(param) => Some(*param),
            _ => None,
        };
        self.effects.iter().filter_map(closed).collect()
    }

    /// The parameters whose pointers, or pointers behind them, are kept after the return.
    pub fn keeps(&self) -> Vec<usize> {
        let kept = |effect: &Effect| match effect {
            Effect::Keeps(at) => Some(at.param),
            Effect::CallsLater(param, _) => Some(*param),
            _ => None,
        };
        self.effects.iter().filter_map(kept).collect()
    }

    /// Whether any pointer that the arguments lead to is kept after the return.
    pub fn keeps_pointers(&self) -> bool {
        let starts = |c: &Control| matches!(c, Control::Starts(_));
        !self.keeps().is_empty() || self.control.iter().any(starts)
    }

    /// Whether the result is a pointer.
    pub fn returns_pointer(&self) -> bool {
        matches!(self.prototype.ret, CType::Pointer { .. } | CType::Function)
    }

    /// The parameters that the result may be equal to, or point into the object of.
    pub fn returns_args(&self) -> Vec<usize> {
        let mut list = Vec::new();
        for outcome in &self.result {
            match outcome {
                Outcome::Into(subject) => list.push(subject.param),
                Outcome::Range(range) if self.returns_pointer() => {
                    list.extend(range.low.as_ref().and_then(address_of));
                }
                _ => {}
            }
        }
        list.extend(self.effects.iter().filter_map(|e| match e {
            Effect::Moves(at) => at.itself(),
            _ => None,
        }));
        list
    }

    /// The parameters that the result is a translation of, or equal to: `gettext`.
    pub fn translates(&self) -> Vec<usize> {
        match self.result.contains(&Outcome::Text) {
            true => self.returns_args(),
            false => Vec::new(),
        }
    }

    /// The parameter that the result is equal to, whatever it is: `__builtin_expect`.
    pub fn returns_value(&self) -> Option<usize> {
        match self.result.as_slice() {
            [Outcome::Range(range)] if range.low == range.high => match range.low.as_ref()? {
                Amount::Arg(subject) => subject.itself(),
                _ => None,
            },
            _ => None,
        }
    }

    /// Whether no pointer is kept, written or moved: memory points where it pointed before. What
    /// the result points to is another question: see [`Row::returns_args`].
    pub fn moves_no_pointers(&self) -> bool {
        let is_pointer = |at: &Subject| {
            let to = self.prototype.params.get(at.param).map(|p| &p.ty);
            let to = to.unwrap_or(&self.prototype.ret).pointee();
            matches!(
                to,
                Some(CType::Pointer { .. } | CType::Void | CType::Named(_))
            )
        };
        let moves = |effect: &Effect| match effect {
            Effect::Copies { .. } | Effect::Calls(_) | Effect::Formatted(_) => {
                !matches!(effect, Effect::Formatted(f) if f.kind == FormatKind::Printf)
            }
            Effect::Sets { at, .. } if at.is_result() => false,
            Effect::Sets { at, value } => value.iter().any(|outcome| match outcome {
                Outcome::Null => false,
                Outcome::Any => is_pointer(at),
                Outcome::Range(range) => {
                    is_pointer(at) && range.low.as_ref().is_some_and(|a| self.is_address(a))
                }
                _ => true,
            }),
            Effect::Havocs(..) | Effect::Moves(_) | Effect::Through(_) | Effect::Anything => true,
            // Bytes from outside may be meant as pointers only where pointers are.
            Effect::Writes { at, .. } => matches!(
                self.prototype.params[at.param].ty.pointee(),
                Some(CType::Pointer { .. })
            ),
            _ => false,
        };
        !self.keeps_pointers() && !self.effects.iter().any(moves)
    }

    /// Whether an amount is an address: a pointer parameter, moved or not.
    fn is_address(&self, amount: &Amount) -> bool {
        address_of(amount).is_some_and(|param| self.prototype.is_pointer(param))
    }

    /// The parameters with functions that are called before the return.
    pub fn calls(&self) -> Vec<usize> {
        let called = |effect: &Effect| match effect {
            Effect::Calls(param) => Some(*param),
            _ => None,
        };
        self.effects.iter().filter_map(called).collect()
    }

    /// The parameters with functions that may be called after the return, and when.
    pub fn calls_later(&self) -> Vec<(usize, When)> {
        let called = |effect: &Effect| match effect {
            Effect::CallsLater(param, when) => Some((*param, *when)),
            _ => None,
        };
        self.effects.iter().filter_map(called).collect()
    }

    /// Whether code of the program may run beside the rest because of this call: another thread,
    /// process or signal handler, or a function at the end.
    pub fn starts_something(&self) -> bool {
        let starts = |c: &Control| matches!(c, Control::Forks | Control::Starts(_));
        !self.calls_later().is_empty() || self.control.iter().any(starts)
    }

    /// Whether the call waits for other threads, whatever the state of locks is.
    pub fn joins(&self) -> bool {
        self.control.iter().any(|c| matches!(c, Control::Joins))
    }

    /// Whether the call may return more than once.
    pub fn returns_twice(&self) -> bool {
        self.control
            .iter()
            .any(|c| matches!(c, Control::Marks(_) | Control::Forks | Control::Switches))
    }

    /// Whether control may go on with another stack, or with another process on this one.
    pub fn switches(&self) -> bool {
        let switches = |c: &Control| matches!(c, Control::Switches);
        self.control.iter().any(switches)
    }

    /// The number of the argument that says where to jump.
    pub fn jumps(&self) -> Option<usize> {
        self.control.iter().find_map(|c| match c {
            Control::Jumps(param) => Some(*param),
            _ => None,
        })
    }

    /// The number of the argument that remembers where to jump back to.
    pub fn marks(&self) -> Option<usize> {
        self.control.iter().find_map(|c| match c {
            Control::Marks(param) => Some(*param),
            _ => None,
        })
    }

    /// Whether a jump back to it keeps all locals of its caller (C lets `longjmp` lose some).
    pub fn keeps_locals(&self) -> bool {
        let keeps = |c: &Control| matches!(c, Control::KeepsLocals);
        self.control.iter().any(keeps)
    }

    /// Whether the result or what is written comes from outside the program.
    pub fn is_open(&self) -> bool {
        self.open
    }

    /// Whether arguments and the state of the program define what the call does.
    pub fn is_defined(&self) -> bool {
        !self.open && !self.chooses()
    }

    /// Whether `errno` may change.
    pub fn sets_errno(&self) -> bool {
        self.effects.contains(&Effect::Errno)
    }

    /// Whether a result that says that the call has no more to give need not be an error: the end of a stream or
    /// directory, or nothing of that name. Then `errno` stays what it was.
    pub fn may_find_nothing(&self) -> bool {
        let library = |o: &Outcome| matches!(o, Outcome::Held(_) | Outcome::Static { .. });
        let stream = |(what, param): (Channel, usize)| {
            what == Channel::Takes && self.is_made_by_library(param)
        };
        self.result.iter().any(library)
            || self.scans().is_some()
            || self.states().contains(&"input")
            || self.channels().any(stream)
    }

    /// Whether the result is the address of `errno`.
    pub fn is_errno(&self) -> bool {
        self.result == [Outcome::Errno]
    }

    /// Whether something goes out to the world.
    pub fn is_output(&self) -> bool {
        self.effects.contains(&Effect::Output)
    }

    /// Whether variables of the library that programs can declare may change: `environ`, `optind` and
    /// the like, `signgam`, `timezone`.
    pub fn changes_variables(&self) -> bool {
        const SEEN: [&str; 4] = ["environment", "getopt", "signgam", "timezone"];
        self.states().iter().any(|state| SEEN.contains(state))
    }

    /// The hidden states of the library that it reads or changes.
    pub fn states(&self) -> Vec<&str> {
        let state = |effect: &'_ Effect| matches!(effect, Effect::State(_));
        let list = self.effects.iter().filter(|e| state(e));
        list.map(|effect| match effect {
            Effect::State(name) => name.as_str(),
            _ => "",
        })
        .collect()
    }

    /// Whether the result, if it is not negative, is a descriptor that was not open.
    pub fn opens(&self) -> bool {
        self.effects.contains(&Effect::Opens)
    }

    /// The argument that is a descriptor which is open no more.
    pub fn shuts(&self) -> Option<usize> {
        self.effects.iter().find_map(|effect| match effect {
            Effect::Shuts(param) => Some(*param),
            _ => None,
        })
    }

    /// The generator that its result is the next number of.
    pub fn draws(&self) -> Option<&str> {
        self.effects.iter().find_map(|effect| match effect {
            Effect::Draws(name) => Some(name.as_str()),
            _ => None,
        })
    }

    /// Whether two descriptors are made, and what is written to one is read from the other.
    pub fn connects(&self) -> bool {
        self.effects.contains(&Effect::Connects)
    }

    /// What is done to streams and descriptors, and which arguments these are.
    pub fn channels(&self) -> impl Iterator<Item = (Channel, usize)> {
        self.effects.iter().filter_map(|effect| match effect {
            Effect::Channel(what, param) => Some((*what, *param)),
            _ => None,
        })
    }

    /// Whether the result depends on arguments and what they point to alone, and nothing else
    /// happens, but for `errno`.
    pub fn is_pure(&self) -> bool {
        let quiet = |e: &Effect| matches!(e, Effect::Errno);
        self.is_defined()
            && self.control.is_empty()
            && self.effects.iter().all(quiet)
            && self.allocates().is_none()
    }

    /// Whether it changes no memory that the program can see, and control comes back: output and
    /// the library's own affairs.
    pub fn is_quiet(&self) -> bool {
        self.control.is_empty()
            && !self.changes_memory()
            && !self.starts_something()
            && !self.keeps_pointers()
    }

    /// The parameters that lead to bytes which it reads.
    pub fn reads(&self) -> impl Iterator<Item = usize> {
        let read = |r: &&Requirement| {
            matches!(
                r,
                Requirement::Readable { .. } | Requirement::Text { .. } | Requirement::Texts(_)
            )
        };
        self.requires.iter().filter(read).map(Requirement::param)
    }

    /// The requirements on one parameter.
    pub fn requires_of(&self, param: usize) -> impl Iterator<Item = &Requirement> {
        self.requires.iter().filter(move |r| r.param() == param)
    }

    /// The numbers of the arguments that correspond to the parameters of the row that this one
    /// takes its facts over from: `__memcpy_chk` has those of `memcpy`, and more.
    pub fn arguments_of(&self, base: &Row) -> Vec<Option<usize>> {
        let here = |name: &str| self.prototype.param(name);
        base.prototype
            .params
            .iter()
            .map(|p| here(&p.name))
            .collect()
    }
}

impl Requirement {
    /// The parameter that it is about, the first one of two.
    pub fn param(&self) -> usize {
        match self {
            Requirement::NotNull(param)
            | Requirement::NotNullUnlessEmpty(param, _)
            | Requirement::IfNull(param, _)
            | Requirement::Apart(param, _)
            | Requirement::Listed(param)
            | Requirement::Function(param) => *param,
            Requirement::Readable { at, .. }
            | Requirement::Writable { at, .. }
            | Requirement::Text { at, .. }
            | Requirement::Texts(at)
            | Requirement::Handle(at)
            | Requirement::Heap(at)
            | Requirement::Within { at, .. } => at.param,
            Requirement::Format(format) => format.param,
        }
    }
}

/// Whether two types of handles are the same, but for `const`.
fn kind_of_handle(ty: &CType) -> usize {
    let stream = crate::lookup("fopen").and_then(Row::makes_handle);
    if stream.is_some_and(|stream| alike(stream, ty)) {
        return 0;
    }
    let found = crate::table().handles().iter().position(|h| alike(h, ty));
    found.map_or(0, |n| n + 1)
}

fn alike(a: &CType, b: &CType) -> bool {
    match (a, b) {
        (CType::Pointer { to: a, .. }, CType::Pointer { to: b, .. }) => a == b,
        _ => a == b,
    }
}

/// The parameter that an address starts from.
fn address_of(amount: &Amount) -> Option<usize> {
    match amount {
        Amount::Arg(subject) => Some(subject.param),
        Amount::Add(left, _) | Amount::Sub(left, _) => address_of(left),
        _ => None,
    }
}
