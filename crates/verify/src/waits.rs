//! Failures behind a call that waits for another thread. Nobody follows other threads, so nobody
//! knows whether the call ever returns.

use crate::concrete::{Datum, Effect, Run};
use cwolf_cwi::value::Value;
use cwolf_known::Effect as Fact;
use cwolf_prepare::Subject;
use rustc_hash::{FxHashMap, FxHashSet};

/// How often a lock can be taken that nobody made: a static one.
const ONCE: i128 = 1;

/// The call of a recorded run that may wait for ever, in words.
pub(crate) fn waits(subject: &Subject, run: &Run) -> Option<String> {
    let mut free: FxHashMap<i128, i128> = FxHashMap::default();
    let mut counted = FxHashSet::default();
    for call in run.effects.iter().filter(|call| !call.last) {
        let name = subject.program.funcs[call.func].name.as_str();
        let Some(row) = cwolf_known::lookup(name) else {
            continue;
        };
        let waits = || {
            Some(format!(
                "{name} waits for another thread, and threads are not followed"
            ))
        };
        if row.joins() {
            return waits();
        }
        let value = |n: usize| call.values.get(n).copied().flatten();
        for fact in &row.effects {
            match *fact {
                Fact::Counts(lock, n) => {
                    let (Some(lock), Some(n)) = (value(lock), value(n)) else {
                        continue;
                    };
                    free.insert(lock, n);
                    counted.insert(lock);
                }
                Fact::Locks(lock) => {
                    let Some(lock) = value(lock) else { continue };
                    let left = free.entry(lock).or_insert(ONCE);
                    match (*left > 0, row.is_open()) {
                        (true, open) if !open || succeeded(call) => *left -= 1,
                        (false, false) => return waits(),
                        _ => {}
                    }
                }
                Fact::Unlocks(lock) => {
                    let Some(lock) = value(lock) else { continue };
                    let left = free.entry(lock).or_insert(ONCE);
                    // One that counts can be given back by who never took it.
                    *left = match counted.contains(&lock) {
                        true => *left + 1,
                        false => ONCE,
                    };
                }
                _ => {}
            }
        }
    }
    None
}

/// Whether a call that may fail to take a lock took it.
fn succeeded(call: &Effect) -> bool {
    matches!(call.result, Some(Datum::Scalar(Value::Int(0))))
}
