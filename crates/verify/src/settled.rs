//! Open results that are not open any more, because the program itself settled them.
//!
//! - `asks`: a state that stays the same until the program changes it. `getenv("HOME")` may be anything, but only once.
//! - A generator of numbers gives the same ones after the same seed.
//! - What was written to a file or into a pipe is what is read from it.

use crate::concrete::{Choice, LibraryCall};
use cwolf_cwi::{FuncId, Program};
use cwolf_known::{Channel, Row};

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
