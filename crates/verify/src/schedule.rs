//! Workers that take turns: each runs for a slice of time, then waits with all that it knows while
//! the others have theirs. Slices grow, so that what is easy for one of them costs little time of
//! the others, and what is hard for all few changes.

use cwolf_base::turns::Turns;
use cwolf_base::{Budget, Exhausted};
use std::cmp::Ordering;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc;
use std::time::Duration;

/// The first slice of most.
pub(crate) const FIRST: Duration = Duration::from_millis(50);
/// No slice but a first one is longer.
const LONGEST: Duration = Duration::from_secs(5);
/// What somebody gets who has nobody to share with, or who has to end.
const LAST: Duration = Duration::from_secs(1 << 20);
/// How long a limit or the user's wish to stop may go unseen.
const LOOK: Duration = Duration::from_millis(100);

/// Somebody who works on a question.
pub(crate) struct Worker<'w, T> {
    /// Its part of the time: one with weight 2 gets twice as much as one with weight 1.
    pub weight: f64,
    /// Its first slice.
    pub first: Duration,
    /// Whether it gives up its memory last.
    pub preferred: bool,
    /// What it does. It must ask the budget often, and end when that says so. Done again if it had to
    /// end because the others needed the memory.
    pub work: Box<dyn Fn(&Budget) -> T + Send + 'w>,
}

/// Lets `workers` take turns, `jobs` at a time, the first ones first, until all have ended, the budget
/// is used up, or `heard` returns true. That is called with each worker's number, what it said and
/// how long it has run. Tells what ran out, if that ended it.
pub(crate) fn by_turns<T: Send>(
    workers: Vec<Worker<'_, T>>,
    jobs: usize,
    budget: &Budget,
    mut heard: impl FnMut(usize, T, Duration) -> bool,
) -> Option<Exhausted> {
    let turns = Turns::new(workers.len());
    let weights: Vec<f64> = workers.iter().map(|w| w.weight).collect();
    let preferred = workers.iter().enumerate().filter(|(_, w)| w.preferred);
    preferred.for_each(|(n, _)| turns.prefer(n));
    let firsts: Vec<Duration> = workers.iter().map(|w| w.first).collect();
    let budgets: Vec<Budget> = (0..workers.len())
        .map(|n| budget.detached().taking_turns(turns.of(n)))
        .collect();
    let (send, receive) = mpsc::channel();
    let mut exhausted = None;
    std::thread::scope(|scope| {
        for (n, worker) in workers.into_iter().enumerate() {
            let (turn, budget, send) = (turns.of(n), &budgets[n], send.clone());
            scope.spawn(move || {
                let begun = turn.begin();
                // Who comes to its first turn when all is over need not start.
                if budget.check_but_steps().is_err() {
                    return drop(begun);
                }
                let mut said = (worker.work)(budget);
                while turn.rest() && budget.check_but_steps().is_ok() {
                    said = (worker.work)(budget);
                }
                // Nobody listens any more if another was faster.
                let _ = send.send((n, said, turn.used()));
                drop(begun);
            });
        }
        let mut enough = false;
        while !turns.is_over() {
            // Where nobody is left to start, until somebody stops.
            let room = match enough || (turns.waiting().is_empty() && turns.running() > 0) {
                true => turns.running(),
                false => jobs,
            };
            turns.wait_for_room(room, LOOK);
            for (n, said, used) in receive.try_iter() {
                enough = enough || heard(n, said, used);
            }
            if !enough {
                // Who takes too much memory ends by itself, and leaves it to the others.
                let all = |why: &Exhausted| *why != Exhausted::Memory;
                exhausted = budget.check_but_steps().err().filter(all);
                enough = exhausted.is_some();
            }
            if enough {
                budgets
                    .iter()
                    .for_each(|b| b.cancel_flag().store(true, Relaxed));
            }
            let (waiting, resting) = (turns.waiting(), turns.resting());
            let running = turns.running();
            let leaving = waiting.iter().find(|(n, _)| turns.must_leave(*n));
            if enough {
                let all = waiting.iter().chain(&resting);
                all.for_each(|(n, _)| turns.give(*n, LAST));
            } else if let Some((n, _)) = leaving {
                turns.give(*n, LAST);
            } else if running < jobs.max(1) {
                let (others, next) = (waiting.len() > 1, next(&waiting, &weights));
                if let Some((n, used)) = next {
                    let slice = match used.is_zero() {
                        true => firsts[n],
                        false => used.mul_f64(weights[n]).clamp(FIRST, LONGEST),
                    };
                    turns.give(n, if others { slice } else { LAST });
                } else if let (0, Some((n, _))) = (running, resting.first()) {
                    // Now it has all the memory to itself.
                    turns.give(*n, LAST);
                }
            }
        }
        // What came with the very end.
        for (n, said, used) in receive.try_iter() {
            enough = enough || heard(n, said, used);
        }
    });
    exhausted
}

/// Whose turn it is: who has had the least for its weight, the first of several.
fn next(waiting: &[(usize, Duration)], weights: &[f64]) -> Option<(usize, Duration)> {
    let had =
        |(n, used): &(usize, Duration)| used.as_secs_f64() / weights[*n].max(f64::MIN_POSITIVE);
    let least = |a: &&(usize, Duration), b: &&(usize, Duration)| {
        had(a).partial_cmp(&had(b)).unwrap_or(Ordering::Equal)
    };
    waiting.iter().min_by(least).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Instant;

    fn spin(budget: &Budget) -> &'static str {
        match loop {
            if let Err(why) = budget.check(0) {
                break why;
            }
        } {
            Exhausted::Cancelled => "cancelled",
            _ => "late",
        }
    }

    fn worker<'w>(work: impl Fn(&Budget) -> &'static str + Send + 'w) -> Worker<'w, &'static str> {
        Worker {
            weight: 1.0,
            first: FIRST,
            preferred: false,
            work: Box::new(work),
        }
    }

    /// The second needs two slices; the first would never end.
    #[test]
    fn the_fast_one_is_heard_and_the_endless_one_ends() {
        let quick = |budget: &Budget| {
            let started = Instant::now();
            while started.elapsed() < FIRST * 2 {
                if budget.check(0).is_err() {
                    return "cancelled";
                }
            }
            "done"
        };
        for jobs in [1, 2] {
            let mut said = Vec::new();
            by_turns(
                vec![worker(spin), worker(quick)],
                jobs,
                &Budget::unlimited(),
                |n, word, _| {
                    said.push((n, word));
                    true
                },
            );
            assert_eq!(said, [(1, "done")], "{jobs} jobs");
        }
    }

    #[test]
    fn a_limit_ends_all() {
        let budget = Budget::unlimited().timeout(Duration::from_millis(20));
        by_turns(
            vec![worker(spin), worker(spin)],
            1,
            &budget,
            |_, word, _| {
                assert!(["late", "cancelled"].contains(&word));
                false
            },
        );
    }

    #[test]
    fn whoever_had_least_is_next() {
        let s = Duration::from_secs;
        assert_eq!(next(&[(0, s(2)), (1, s(1))], &[1.0, 1.0]), Some((1, s(1))));
        assert_eq!(next(&[(0, s(2)), (1, s(1))], &[4.0, 1.0]), Some((0, s(2))));
        assert_eq!(next(&[(0, s(0)), (1, s(0))], &[1.0, 1.0]), Some((0, s(0))));
        assert_eq!(next(&[], &[]), None);
    }

    /// Who holds most ends for the others, and gets its turn again when they are through. The other tests of this
    /// process take memory, too, and may come between: it is tried a few times.
    #[test]
    fn the_largest_makes_room_and_comes_again() {
        let wanted = [(1, "done"), (0, "again")];
        let tried: Vec<_> = (0..5).map_while(|_| greedy_and_modest()).collect();
        assert!(
            tried.is_empty() || tried.iter().any(|said| *said == wanted),
            "{tried:?}"
        );
    }

    /// What both say, in order; none where the system does not tell how much memory is held.
    fn greedy_and_modest() -> Option<Vec<(usize, &'static str)>> {
        let size = cwolf_base::resident_bytes()?;
        let limit = Budget::unlimited().max_memory(size + (96 << 20));
        let tries = std::sync::atomic::AtomicUsize::new(0);
        let greedy = |budget: &Budget| {
            if tries.fetch_add(1, Relaxed) == 1 {
                return "again";
            }
            let held = vec![1u8; 64 << 20];
            let why = spin(budget);
            drop(std::hint::black_box(held));
            why
        };
        // Comes second, waits for one turn of the other, and passes the limit.
        let modest = |budget: &Budget| {
            let held = vec![1u8; 48 << 20];
            let said = match budget.check(0) {
                Ok(()) => "done",
                Err(_) => "late",
            };
            drop(std::hint::black_box(held));
            said
        };
        let mut said = Vec::new();
        let workers = vec![worker(greedy), worker(modest)];
        by_turns(workers, 1, &limit, |n, what, _| {
            said.push((n, what));
            false
        });
        Some(said)
    }
}
