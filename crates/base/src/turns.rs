//! Work that takes turns: several threads of which only some run at a time, each until the slice
//! that it was given is used up. Then it waits where it next asks its [`Budget`], with all that it
//! has in memory, for another. On a machine that is busy with other things a slice is longer by the
//! clock, so that who gets how far depends on it as little as possible.
//!
//! Together they may take more memory than there is. Then the one that holds most makes room: its
//! budget tells it that the memory is used up, and it rests until nobody else is left.
//!
//! [`Budget`]: crate::Budget

use crate::budget::{TICK, processor_time, resident_bytes};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// What somebody who takes turns is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Status {
    /// It waits for a slice.
    Waiting,
    /// It runs since then.
    Running(Instant),
    /// It made room for the others, and waits until they have ended.
    Resting,
    /// It has ended.
    Done,
}

#[derive(Debug)]
struct Member {
    status: Status,
    /// How long it has run, without the slice that it is in.
    used: Duration,
    /// By how many bytes the process grew while it ran. Where several run at a time, all that they take
    /// counts for each.
    held: i64,
    /// How large the process was when its slice began.
    before: i64,
}

impl Member {
    fn runs(&self) -> bool {
        matches!(self.status, Status::Running(_))
    }
    /// What it holds when the process is so large.
    fn holds(&self, size: i64) -> i64 {
        match self.runs() {
            true => self.held + size - self.before,
            false => self.held,
        }
    }
    fn stop(&mut self, status: Status) {
        if let Status::Running(since) = self.status {
            self.used += since.elapsed();
            self.held = self.holds(process_size());
        }
        self.status = status;
    }
}

/// How many bytes the process holds; 0 where the system does not tell.
fn process_size() -> i64 {
    resident_bytes()
        .and_then(|n| i64::try_from(n).ok())
        .unwrap_or(0)
}

#[derive(Debug)]
struct Shared {
    epoch: Instant,
    members: Mutex<Vec<Member>>,
    changed: Condvar,
    /// Who has to make room.
    leaving: Vec<AtomicBool>,
    /// Who makes room last.
    preferred: Vec<AtomicBool>,
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
    slice: Mutex<Slice>,
}

/// A slice as it was given.
#[derive(Debug, Default)]
struct Slice {
    length: Duration,
    /// When it began, since the epoch.
    began: Duration,
    /// What the process had had of the processors then.
    had: Option<Duration>,
}

/// A slice is at most so many times as long by the clock.
const STRETCH: u32 = 20;

impl Slice {
    /// When to look again, if the process got less of the processors than the slice is long.
    fn extended(&self, now: Duration) -> Option<Duration> {
        let had = processor_time()?.checked_sub(self.had?)?;
        let missing = self.length.checked_sub(had + TICK)?;
        let late = now > self.began + self.length * STRETCH;
        (!late && !missing.is_zero()).then_some(now + missing)
    }
}

impl Turns {
    /// Turns for so many; all wait at first.
    pub fn new(members: usize) -> Turns {
        let waiting = || Member {
            status: Status::Waiting,
            used: Duration::ZERO,
            held: 0,
            before: 0,
        };
        let shared = Arc::new(Shared {
            epoch: Instant::now(),
            members: Mutex::new((0..members).map(|_| waiting()).collect()),
            changed: Condvar::new(),
            leaving: (0..members).map(|_| AtomicBool::new(false)).collect(),
            preferred: (0..members).map(|_| AtomicBool::new(false)).collect(),
        });
        let turn = |number| Turn {
            shared: shared.clone(),
            number,
            end: AtomicU64::new(0),
            slice: Mutex::default(),
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
    /// Lets one run for a while, if it waits or rests.
    pub fn give(&self, number: usize, slice: Duration) {
        let mut members = self.shared.lock();
        if !matches!(members[number].status, Status::Waiting | Status::Resting) {
            return;
        }
        let now = Instant::now();
        let began = now.duration_since(self.shared.epoch);
        self.turns[number].ends_at(began + slice);
        *self.turns[number].slice() = Slice {
            length: slice,
            began,
            had: processor_time(),
        };
        members[number].status = Status::Running(now);
        members[number].before = process_size();
        drop(members);
        self.shared.changed.notify_all();
    }
    /// Waits until fewer than `jobs` run, but not longer than `time`.
    pub fn wait_for_room(&self, jobs: usize, time: Duration) {
        let members = self.shared.lock();
        let full =
            |members: &mut Vec<Member>| members.iter().filter(|m| m.runs()).count() >= jobs.max(1);
        let woken = self.shared.changed.wait_timeout_while(members, time, full);
        drop(woken.unwrap_or_else(PoisonError::into_inner));
    }
    /// How many run.
    pub fn running(&self) -> usize {
        let members = self.shared.lock();
        members.iter().filter(|m| m.runs()).count()
    }
    /// Those that wait, each with the time that it has used.
    pub fn waiting(&self) -> Vec<(usize, Duration)> {
        self.that_are(Status::Waiting)
    }
    /// Those that made room and wait until the others have ended.
    pub fn resting(&self) -> Vec<(usize, Duration)> {
        self.that_are(Status::Resting)
    }
    fn that_are(&self, status: Status) -> Vec<(usize, Duration)> {
        let members = self.shared.lock();
        let all = members.iter().enumerate();
        all.filter(|(_, m)| m.status == status)
            .map(|(n, m)| (n, m.used))
            .collect()
    }
    /// Lets one keep its memory until nobody else has any to give: it is the likeliest to succeed.
    pub fn prefer(&self, number: usize) {
        self.shared.preferred[number].store(true, Ordering::Relaxed);
    }
    /// Whether one has to make room for the others.
    pub fn must_leave(&self, number: usize) -> bool {
        self.turns[number].must_leave()
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
        let now = self.shared.epoch.elapsed();
        if now.as_nanos() < u128::from(self.end.load(Ordering::Relaxed)) {
            return;
        }
        if let Some(end) = self.slice().extended(now) {
            self.ends_at(end);
            return;
        }
        self.stop(self.shared.lock(), Status::Waiting);
    }
    fn ends_at(&self, end: Duration) {
        let nanoseconds = u64::try_from(end.as_nanos()).unwrap_or(u64::MAX);
        self.end.store(nanoseconds, Ordering::Relaxed);
    }
    fn slice(&self) -> MutexGuard<'_, Slice> {
        self.slice.lock().unwrap_or_else(PoisonError::into_inner)
    }
    /// The process holds more than it may. Whether this one has to end; otherwise another one is told
    /// to, and has had the time for it.
    pub(crate) fn makes_room(&self) -> bool {
        let members = self.shared.lock();
        let size = process_size();
        let open = members.iter().enumerate();
        let open = open.filter(|(_, m)| !matches!(m.status, Status::Resting | Status::Done));
        let last = |n: usize| self.shared.preferred[n].load(Ordering::Relaxed);
        // Who is not preferred goes first, however little it seems to hold: that is only known about.
        let largest = open.max_by_key(|(n, m)| (!last(*n), m.holds(size)));
        let largest = largest.map(|(n, _)| n);
        match largest {
            Some(other) if other != self.number => {
                self.shared.leaving[other].store(true, Ordering::Relaxed);
                self.stop(members, Status::Waiting);
                self.must_leave()
            }
            _ => true,
        }
    }
    /// Whether it has to end, to make room for the others.
    pub(crate) fn must_leave(&self) -> bool {
        self.shared.leaving[self.number].load(Ordering::Relaxed)
    }
    /// Waits until the others have ended, if it ended to make room for them. Whether it may begin anew.
    pub fn rest(&self) -> bool {
        if !self.must_leave() {
            return false;
        }
        self.stop(self.shared.lock(), Status::Resting);
        self.shared.leaving[self.number].store(false, Ordering::Relaxed);
        true
    }
    /// Stops, and goes on with the next slice.
    fn stop(&self, mut members: MutexGuard<'_, Vec<Member>>, status: Status) {
        members[self.number].stop(status);
        self.shared.changed.notify_all();
        self.wait(members);
    }
    fn wait(&self, mut members: MutexGuard<'_, Vec<Member>>) {
        while matches!(
            members[self.number].status,
            Status::Waiting | Status::Resting
        ) {
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
        members[self.0.number].stop(Status::Done);
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
    fn a_slice_is_one_of_the_processors() {
        let Some(had) = processor_time() else { return };
        let seconds = Duration::from_secs;
        let slice = |had| Slice {
            length: seconds(100),
            began: seconds(0),
            had: Some(had),
        };
        let busy = slice(had).extended(seconds(101));
        assert!(busy.is_some_and(|end| end > seconds(150) && end <= seconds(201)));
        assert_eq!(slice(had).extended(seconds(2001)), None);
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
