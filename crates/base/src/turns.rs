//! Work that takes turns: several threads of which only some run at a time, each until the slice
//! that it was given is used up. Then it waits where it next asks its [`Budget`], with all that it
//! has in memory, for another.
//!
//! [`Budget`]: crate::Budget

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// What somebody who takes turns is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Status {
    /// It waits for a slice.
    Waiting,
    /// It runs since then.
    Running(Instant),
    /// It has ended.
    Done,
}

#[derive(Debug)]
struct Member {
    status: Status,
    /// How long it has run, without the slice that it is in.
    used: Duration,
}

#[derive(Debug)]
struct Shared {
    epoch: Instant,
    members: Mutex<Vec<Member>>,
    changed: Condvar,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Vec<Member>> {
        // Nothing is left half done when a thread panics with the lock.
        self.members.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// All that take turns, for whoever gives them.
#[derive(Debug)]
pub struct Turns {
    shared: Arc<Shared>,
    turns: Vec<Arc<Turn>>,
}

/// The turns of one of them.
#[derive(Debug)]
pub struct Turn {
    shared: Arc<Shared>,
    number: usize,
    /// When the slice ends, in nanoseconds since the epoch.
    end: AtomicU64,
}

impl Turns {
    /// Turns for so many; all wait at first.
    pub fn new(members: usize) -> Turns {
        let waiting = || Member {
            status: Status::Waiting,
            used: Duration::ZERO,
        };
        let shared = Arc::new(Shared {
            epoch: Instant::now(),
            members: Mutex::new((0..members).map(|_| waiting()).collect()),
            changed: Condvar::new(),
        });
        let turn = |number| Turn {
            shared: shared.clone(),
            number,
            end: AtomicU64::new(0),
        };
        Turns {
            turns: (0..members).map(|n| Arc::new(turn(n))).collect(),
            shared,
        }
    }
    /// The turns of one.
    pub fn of(&self, number: usize) -> Arc<Turn> {
        self.turns[number].clone()
    }
    /// Lets one run for a while, if it waits.
    pub fn give(&self, number: usize, slice: Duration) {
        let mut members = self.shared.lock();
        if members[number].status != Status::Waiting {
            return;
        }
        let now = Instant::now();
        let end = now.duration_since(self.shared.epoch) + slice;
        let nanoseconds = u64::try_from(end.as_nanos()).unwrap_or(u64::MAX);
        self.turns[number].end.store(nanoseconds, Ordering::Relaxed);
        members[number].status = Status::Running(now);
        drop(members);
        self.shared.changed.notify_all();
    }
    /// Waits until fewer than `jobs` run, but not longer than `time`.
    pub fn wait_for_room(&self, jobs: usize, time: Duration) {
        let members = self.shared.lock();
        let running = |m: &&Member| matches!(m.status, Status::Running(_));
        let full =
            |members: &mut Vec<Member>| members.iter().filter(running).count() >= jobs.max(1);
        let woken = self.shared.changed.wait_timeout_while(members, time, full);
        drop(woken.unwrap_or_else(PoisonError::into_inner));
    }
    /// How many run.
    pub fn running(&self) -> usize {
        let members = self.shared.lock();
        let running = |m: &&Member| matches!(m.status, Status::Running(_));
        members.iter().filter(running).count()
    }
    /// Those that wait, each with the time that it has used.
    pub fn waiting(&self) -> Vec<(usize, Duration)> {
        let members = self.shared.lock();
        let waits = |m: &Member| m.status == Status::Waiting;
        let all = members.iter().enumerate();
        all.filter(|(_, m)| waits(m))
            .map(|(n, m)| (n, m.used))
            .collect()
    }
    /// Whether all have ended.
    pub fn is_over(&self) -> bool {
        let members = self.shared.lock();
        members.iter().all(|m| m.status == Status::Done)
    }
}

impl Turn {
    /// Waits for the first slice. Whoever holds what this returns is taken to have ended when it
    /// is dropped, also by a panic.
    pub fn begin(self: &Arc<Turn>) -> Begun {
        let members = self.shared.lock();
        self.wait(members);
        Begun(self.clone())
    }
    /// Waits for the next slice if the present one is used up.
    pub(crate) fn pass_on(&self) {
        let now = Instant::now();
        let time = now.duration_since(self.shared.epoch).as_nanos();
        if time < u128::from(self.end.load(Ordering::Relaxed)) {
            return;
        }
        let mut members = self.shared.lock();
        let member = &mut members[self.number];
        if let Status::Running(since) = member.status {
            member.used += now.duration_since(since);
            member.status = Status::Waiting;
            self.shared.changed.notify_all();
        }
        self.wait(members);
    }
    fn wait(&self, mut members: MutexGuard<'_, Vec<Member>>) {
        while members[self.number].status == Status::Waiting {
            let woken = self.shared.changed.wait(members);
            members = woken.unwrap_or_else(PoisonError::into_inner);
        }
    }
    /// How long it has run.
    pub fn used(&self) -> Duration {
        let member = &self.shared.lock()[self.number];
        match member.status {
            Status::Running(since) => member.used + since.elapsed(),
            _ => member.used,
        }
    }
    /// How many have not ended.
    pub(crate) fn sharing(&self) -> u32 {
        let members = self.shared.lock();
        let open = members.iter().filter(|m| m.status != Status::Done).count();
        u32::try_from(open).unwrap_or(u32::MAX).max(1)
    }
}

/// Somebody who has begun and not ended.
#[derive(Debug)]
pub struct Begun(Arc<Turn>);

impl Drop for Begun {
    fn drop(&mut self) {
        let mut members = self.0.shared.lock();
        let member = &mut members[self.0.number];
        if let Status::Running(since) = member.status {
            member.used += since.elapsed();
        }
        member.status = Status::Done;
        drop(members);
        self.0.shared.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Budget, Exhausted};
    use std::sync::atomic::AtomicUsize;

    const LONG: Duration = Duration::from_secs(1000);

    #[test]
    fn one_at_a_time_and_each_goes_on_where_it_was() {
        let turns = Turns::new(3);
        let (running, most, steps) = (
            AtomicUsize::new(0),
            AtomicUsize::new(0),
            AtomicUsize::new(0),
        );
        std::thread::scope(|scope| {
            for n in 0..3 {
                let turn = turns.of(n);
                let (running, most, steps) = (&running, &most, &steps);
                scope.spawn(move || {
                    let _begun = turn.begin();
                    let budget = Budget::unlimited().taking_turns(turn.clone());
                    for _ in 0..20 {
                        let now = running.fetch_add(1, Ordering::SeqCst) + 1;
                        most.fetch_max(now, Ordering::SeqCst);
                        steps.fetch_add(1, Ordering::SeqCst);
                        running.fetch_sub(1, Ordering::SeqCst);
                        assert_eq!(budget.check(0), Ok(()));
                    }
                });
            }
            while !turns.is_over() {
                turns.wait_for_room(1, LONG);
                if let Some((next, _)) = turns.waiting().into_iter().min_by_key(|(_, used)| *used) {
                    turns.give(next, Duration::from_micros(1));
                }
            }
        });
        assert_eq!(most.into_inner(), 1);
        assert_eq!(steps.into_inner(), 60);
    }

    #[test]
    fn whoever_is_cancelled_ends_with_its_next_slice() {
        let turns = Turns::new(1);
        let budget = Budget::unlimited().taking_turns(turns.of(0));
        let cancel = budget.cancel_flag();
        let ended = std::thread::scope(|scope| {
            let work = scope.spawn(|| {
                let _begun = turns.of(0).begin();
                loop {
                    if let Err(why) = budget.check(0) {
                        return why;
                    }
                }
            });
            turns.give(0, Duration::ZERO);
            turns.wait_for_room(1, LONG);
            cancel.store(true, Ordering::Relaxed);
            turns.give(0, Duration::from_secs(1000));
            work.join().expect("it ends")
        });
        assert_eq!(ended, Exhausted::Cancelled);
        assert!(turns.is_over());
    }

    #[test]
    fn a_limit_of_time_does_not_count_waiting() {
        let turns = Turns::new(1);
        std::thread::scope(|scope| {
            let turn = turns.of(0);
            let work = scope.spawn(move || {
                let _begun = turn.begin();
                let budget = Budget::unlimited().taking_turns(turn.clone());
                let short = budget.clone().timeout(Duration::from_secs(1000));
                assert_eq!(short.check(0), Ok(()));
                let none = budget.timeout(Duration::ZERO);
                none.check(0)
            });
            while !turns.is_over() {
                turns.wait_for_room(1, LONG);
                turns.give(0, Duration::from_micros(1));
            }
            assert_eq!(work.join().expect("it ends"), Err(Exhausted::Time));
        });
    }
}
