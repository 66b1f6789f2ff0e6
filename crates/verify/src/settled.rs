//! Open results that are not open any more, because the program itself settled them.
//!
//! - `asks`: a state that stays the same until the program changes it. `getenv("HOME")` may be anything, but only once.
//! - A generator of numbers gives the same ones after the same seed.
//! - What was written to a file or into a pipe is what is read from it.
//! - A stream ends where nothing was left to read, and says so until it is cleared.

use crate::concrete::{Choice, LibraryCall};
use cwolf_cwi::{FuncId, Program};
use cwolf_known::{Amount, Channel, Outcome, Range, Row};

/// Those functions with open results that a run asks for what is settled.
pub(crate) fn settled(program: &Program, calls: &[LibraryCall], choices: &[Choice]) -> Vec<FuncId> {
    let row = |call: &LibraryCall| program.known(call.func);
    let calls: Vec<Made<'_>> = calls
        .iter()
        .filter_map(|call| {
            Some(Made {
                call,
                row: row(call)?,
            })
        })
        .collect();
    let mut found = Vec::new();
    for (n, made) in calls.iter().enumerate() {
        // What was not chosen is exact.
        if !made.row.is_open() || made.call.choices.is_empty() || found.contains(&made.call.func) {
            continue;
        }
        let before = &calls[..n];
        if is_answered(made, before, choices)
            || is_seeded(made, before)
            || is_read_back(made, before)
            || is_end_settled(made, before)
        {
            found.push(made.call.func);
        }
    }
    found
}

/// A call that made a stream of the program's own memory: what calls with it do to that memory is not followed.
pub(crate) fn made_by_hand<'p>(program: &'p Program, calls: &[LibraryCall]) -> Option<&'p str> {
    let own = |row: &Row| row.makes_handle().is_some() && row.is_defined() && row.keeps_pointers();
    let made = |call: &&LibraryCall| program.known(call.func).is_some_and(own);
    let call = calls.iter().find(made)?;
    Some(program.funcs[call.func].name.as_str())
}

struct Made<'c> {
    call: &'c LibraryCall,
    row: &'static Row,
}

impl Made<'_> {
    fn channel(&self, what: Channel) -> Option<i128> {
        let mut uses = self.row.channels().filter(|(use_, _)| *use_ == what);
        let (_, param) = uses.next()?;
        self.call.args.get(param).copied().flatten()
    }
    /// Whether it takes one character at a time.
    fn takes_one(&self) -> bool {
        self.row.writes_args().is_empty() && self.row.scans().is_none()
    }
    /// Whether a call that reads surely got all that it asked for, and so did not meet the end.
    fn took_all(&self) -> bool {
        let Some(result) = self.call.result else {
            return false;
        };
        // The end of a line, or of a number, may be the end of the file.
        match self.takes_one() {
            true => (0..=0x10_ffff).contains(&result),
            false => result > 0 && self.most() == Some(result),
        }
    }
    /// The argument that says what it returns at most.
    fn most(&self) -> Option<i128> {
        let param = self.row.result.iter().find_map(|outcome| match outcome {
            Outcome::Range(Range {
                high: Some(Amount::Arg(at)),
                ..
            }) => at.itself(),
            _ => None,
        });
        self.call.args.get(param?).copied().flatten()
    }
    /// Whether a call that takes one character got none.
    fn took_none(&self) -> bool {
        let none = |n| n == -1 || n == 0xffff_ffff;
        self.takes_one() && self.call.result.is_some_and(none)
    }
    /// Whether two calls are about the same: as far as they name something, it is equal.
    fn names_the_same(&self, other: &Made<'_>) -> bool {
        let (one, two) = (self.call.texts.first(), other.call.texts.first());
        // `putenv` gives the name and the value in one.
        let name = |text: &[u8]| text.split(|c| *c == b'=').next().map(<[u8]>::to_vec);
        match (one, two) {
            (Some(Some(one)), Some(Some(two))) => name(one) == name(two),
            _ => true,
        }
    }
}

/// Whether a question was answered otherwise before, or the program changed the answer.
fn is_answered(made: &Made<'_>, before: &[Made<'_>], choices: &[Choice]) -> bool {
    let Some(state) = made.row.asks.as_deref() else {
        return false;
    };
    let answer = |of: &Made<'_>| {
        let chosen = choices.get(of.call.choices.clone()).unwrap_or_default();
        chosen.iter().map(|c| c.value).collect::<Vec<_>>()
    };
    for earlier in before.iter().rev().filter(|e| e.names_the_same(made)) {
        // A function that also changes the state answers with what it was given before.
        if earlier.row.states().contains(&state) {
            return true;
        }
        let same = earlier.call.func == made.call.func && {
            let key = |of: &Made<'_>| match of.call.texts.first() {
                Some(Some(_)) => None,
                _ => of.call.args.first().copied().flatten(),
            };
            key(earlier) == key(made)
        };
        if same && !earlier.call.choices.is_empty() {
            return answer(earlier) != answer(made);
        }
    }
    false
}

/// Whether numbers come from a generator that the program seeded with a number of its own, or twice with the same.
fn is_seeded(made: &Made<'_>, before: &[Made<'_>]) -> bool {
    let Some(generator) = made.row.draws() else {
        return false;
    };
    let seeds = |e: &&Made<'_>| e.row.states().contains(&generator);
    let seeds: Vec<&Made<'_>> = before.iter().filter(seeds).collect();
    let again = |n: usize| seeds[..n].iter().any(|e| e.call.args == seeds[n].call.args);
    // Nothing was chosen before: the seed is the program's own.
    let own = |e: &&Made<'_>| e.call.choices.start == 0;
    seeds.iter().any(own) || (0..seeds.len()).any(again)
}

/// Whether a call reads what the program wrote, or tells where that ends.
fn is_read_back(made: &Made<'_>, before: &[Made<'_>]) -> bool {
    if let Some(told) = made.channel(Channel::Tells) {
        let moved = |e: &Made<'_>| e.row.channels().any(|(_, p)| e.call.args[p] == Some(told));
        return before.iter().any(moved);
    }
    let Some(taken) = made.channel(Channel::Takes) else {
        return false;
    };
    let last_given = before
        .iter()
        .rposition(|e| e.channel(Channel::Gives).is_some());
    let Some(last_given) = last_given else {
        // The memory of a stream that the program made itself.
        return before
            .iter()
            .any(|e| e.row.makes_handle().is_some() && e.row.is_defined());
    };
    let rewound = before
        .iter()
        .rposition(|e| e.channel(Channel::Rewinds) == Some(taken));
    let gave = |e: &Made<'_>| e.channel(Channel::Gives) == Some(taken);
    if rewound.is_some_and(|n| before[..n].iter().any(gave)) {
        return true;
    }
    let connected = before[..last_given].iter().any(|e| e.row.connects());
    let opens = |e: &&Made<'_>| e.row.opens() || e.row.makes_handle().is_some();
    let named = |e: &&Made<'_>| e.call.texts.first().is_some_and(Option::is_some);
    let earlier = before[..last_given].iter().filter(opens).filter(named);
    let later: Vec<&Made<'_>> = before[last_given..].iter().filter(opens).collect();
    let reopened = earlier
        .into_iter()
        .any(|e| later.iter().any(|l| l.names_the_same(e)));
    connected || reopened
}

/// Whether a stream says that it has ended or failed, though nothing can have shown that since it was opened or cleared;
/// or that it has not, though that is known.
fn is_end_settled(made: &Made<'_>, before: &[Made<'_>]) -> bool {
    let of = |m: &Made<'_>, what| m.channel(what);
    let (ended, failed) = (of(made, Channel::Ended), of(made, Channel::Failed));
    let (Some(stream), Some(answer)) = (ended.or(failed), made.call.result) else {
        return false;
    };
    let on = |m: &Made<'_>, what| m.channel(what) == Some(stream);
    let clears = |m: &Made<'_>| {
        let opened = m.row.makes_handle().is_some() && m.call.result == Some(stream);
        opened || on(m, Channel::Rewinds) || on(m, Channel::Clears)
    };
    let since = before.iter().rposition(clears).map_or(0, |n| n + 1);
    let since = &before[since..];
    // From standard input some functions read without being told so.
    let reads = |m: &Made<'_>| on(m, Channel::Takes) || m.row.states().contains(&"input");
    let uses = |m: &Made<'_>| reads(m) || on(m, Channel::Gives);
    let said = |m: &Made<'_>| m.call.func == made.call.func && on_same(m, made);
    let earlier = since.iter().rposition(said);
    let new = &since[earlier.map_or(0, |n| n + 1)..];
    let known = earlier.and_then(|n| since[n].call.result);
    if answer != 0 {
        let shows = |m: &Made<'_>| match failed {
            Some(_) => uses(m),
            None => reads(m) && !m.took_all(),
        };
        return known.is_none_or(|n| n == 0) && !new.iter().any(shows);
    }
    // What was said once stays; and if a character was missing, one of the two is the reason.
    let missing = since
        .iter()
        .rposition(|m| on(m, Channel::Takes) && m.took_none());
    let neither = missing.is_some_and(|n| {
        let asks = |m: &&Made<'_>| on(m, Channel::Ended) || on(m, Channel::Failed);
        let mut others = since[n..].iter().filter(asks);
        others.any(|m| m.call.func != made.call.func && m.call.result == Some(0))
    });
    known.is_some_and(|n| n != 0) || neither
}

/// Whether two calls of a function are about the same stream.
fn on_same(one: &Made<'_>, other: &Made<'_>) -> bool {
    one.call.args == other.call.args
}
