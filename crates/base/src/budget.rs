//! Running out is a value: long loops ask a [`Budget`] whether to go on, and tell it how far
//! they are.

use crate::allocator::return_freed;
use crate::turns::Turn;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// What ran out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Exhausted {
    /// The time limit passed.
    Time,
    /// The count of steps (states, statements, iterations) reached its limit.
    Steps,
    /// The memory limit was reached.
    Memory,
    /// The user asked to stop.
    Cancelled,
}

impl std::fmt::Display for Exhausted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Exhausted::Time => "the time limit was reached",
            Exhausted::Steps => "the step limit was reached",
            Exhausted::Memory => "the memory limit was reached",
            Exhausted::Cancelled => "it was cancelled",
        })
    }
}

/// Limits of one run, and who watches it. Clones share the cancel flag and the watcher.
#[derive(Clone, Default)]
pub struct Budget {
    deadline: Option<Instant>,
    steps: Option<u64>,
    memory: Option<u64>,
    cancel: Arc<AtomicBool>,
    watcher: Option<Arc<Watcher>>,
    /// Whose turns the run takes.
    turn: Option<Arc<Turn>>,
    /// Since it takes turns, limits are of the time in which it runs.
    running: Option<Duration>,
}

struct Watcher {
    show: Box<dyn Fn(&str) + Send + Sync>,
    every: Duration,
    last: Mutex<Option<Instant>>,
}

impl Budget {
    /// No limits.
    pub fn unlimited() -> Budget {
        Budget::default()
    }
    /// At most this much time from now; an earlier deadline stays. For a run that takes turns,
    /// the time in which it waits does not count.
    pub fn timeout(mut self, limit: Duration) -> Budget {
        if let Some(turn) = &self.turn {
            let end = turn.used().saturating_add(limit);
            self.running = Some(self.running.map_or(end, |before| before.min(end)));
            return self;
        }
        let end = Instant::now().checked_add(limit);
        self.deadline = match (self.deadline, end) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        self
    }
    /// At most this many steps.
    pub fn max_steps(mut self, steps: u64) -> Budget {
        self.steps = Some(steps);
        self
    }
    /// At most this many bytes of memory for the whole process.
    pub fn max_memory(mut self, bytes: u64) -> Budget {
        self.memory = Some(bytes);
        self
    }
    /// The same without a limit of memory, which may be another on another machine.
    pub fn without_memory(&self) -> Budget {
        Budget {
            memory: None,
            ..self.clone()
        }
    }
    /// Shows `show` what is told, the first time at once, then at most once in `every`.
    pub fn watched(
        mut self,
        every: Duration,
        show: impl Fn(&str) + Send + Sync + 'static,
    ) -> Budget {
        self.watcher = Some(Arc::new(Watcher {
            show: Box::new(show),
            every,
            last: Mutex::new(None),
        }));
        self
    }
    /// The same limits for a run that takes turns with others.
    pub fn taking_turns(mut self, turn: Arc<Turn>) -> Budget {
        self.turn = Some(turn);
        self
    }
    /// The step limit, if any.
    pub fn steps(&self) -> Option<u64> {
        self.steps
    }
    /// The time that is left, if there is a limit; of several that take turns, the fair share of one.
    pub fn time_left(&self) -> Option<Duration> {
        let left = self
            .deadline
            .map(|end| end.saturating_duration_since(Instant::now()));
        let Some(turn) = &self.turn else {
            return left;
        };
        let share = left.map(|left| left / turn.sharing());
        let own = self.running.map(|end| end.saturating_sub(turn.used()));
        match (share, own) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        }
    }
    /// A flag that ends the run when set, from any thread.
    pub fn cancel_flag(&self) -> Arc<AtomicBool> {
        self.cancel.clone()
    }
    /// This budget with a cancel flag of its own, for one of several runs side by side.
    pub fn detached(&self) -> Budget {
        Budget {
            cancel: Arc::default(),
            ..self.clone()
        }
    }
    /// Whether the run may go on after `steps` steps. Looks at the clock (and at the process's
    /// size, if that is limited), so call it every few thousand steps, not at each.
    pub fn check(&self, steps: u64) -> Result<(), Exhausted> {
        if let Some(turn) = &self.turn {
            turn.pass_on();
        }
        if self.cancel.load(Ordering::Relaxed) {
            return Err(Exhausted::Cancelled);
        }
        if self.steps.is_some_and(|limit| steps >= limit) {
            return Err(Exhausted::Steps);
        }
        if self.deadline.is_some_and(|end| Instant::now() >= end) {
            return Err(Exhausted::Time);
        }
        if let (Some(turn), Some(end)) = (&self.turn, self.running)
            && turn.used() >= end
        {
            return Err(Exhausted::Time);
        }
        match self.memory {
            Some(limit) => self.check_memory(limit),
            None => Ok(()),
        }
    }
    /// Of several that take turns, the one that holds most makes room for the others.
    fn check_memory(&self, limit: u64) -> Result<(), Exhausted> {
        if self.turn.as_ref().is_some_and(|turn| turn.must_leave()) {
            return Err(Exhausted::Memory);
        }
        while is_full(limit) {
            if self.turn.as_ref().is_none_or(|turn| turn.makes_room()) {
                return Err(Exhausted::Memory);
            }
            if self.cancel.load(Ordering::Relaxed) {
                return Err(Exhausted::Cancelled);
            }
        }
        Ok(())
    }
    /// Whether the run may go on, whatever the count of steps, for work that does not count
    /// them.
    pub fn check_but_steps(&self) -> Result<(), Exhausted> {
        match self.check(0) {
            // The limit is 0: any count would have reached it.
            Err(Exhausted::Steps) => Ok(()),
            other => other,
        }
    }
    /// Tells whoever watches how far the run is; `line` is only made when it is shown.
    pub fn tell(&self, line: impl FnOnce() -> String) {
        let Some(watcher) = &self.watcher else {
            return;
        };
        // Somebody else is showing a line just now: this one would come too soon anyway.
        let Ok(mut last) = watcher.last.try_lock() else {
            return;
        };
        let now = Instant::now();
        if last.is_none_or(|last| now.duration_since(last) >= watcher.every) {
            *last = Some(now);
            (watcher.show)(&line());
        }
    }
}

impl std::fmt::Debug for Budget {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Budget")
            .field("deadline", &self.deadline)
            .field("steps", &self.steps)
            .field("memory", &self.memory)
            .finish_non_exhaustive()
    }
}

/// Whether this process holds more than `limit`, also without what it has freed.
fn is_full(limit: u64) -> bool {
    let holds = |bytes| resident_bytes().is_some_and(|used| used >= bytes);
    if !holds(limit) {
        return false;
    }
    return_freed();
    // Giving memory back takes time: what is just below the limit would soon be asked again.
    holds(limit - limit / 16)
}

/// How much memory this process holds now, where the system tells.
pub fn resident_bytes() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = text.split_whitespace().nth(1)?.parse().ok()?;
    // Linux on the targets that `/proc` exists on has pages of 4 KiB unless told otherwise.
    Some(pages * 4096)
}

/// How long the processors have worked for this process, where the system tells, in steps of [`TICK`].
pub(crate) fn processor_time() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The name of the program comes before, and may hold anything.
    let mut fields = text.rsplit_once(')')?.1.split_whitespace().skip(11);
    let user: u32 = fields.next()?.parse().ok()?;
    let system: u32 = fields.next()?.parse().ok()?;
    Some(TICK * (user + system))
}

/// What Linux counts processor time in for programs.
pub(crate) const TICK: Duration = Duration::from_millis(10);

/// The most memory that this process ever held, where the system tells.
pub fn peak_bytes() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find_map(|l| l.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kilobytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicUsize;

    #[test]
    fn each_limit_has_its_name() {
        let fresh = Budget::unlimited();
        assert_eq!(fresh.check(u64::MAX), Ok(()));
        let late = Budget::unlimited().timeout(Duration::ZERO);
        assert_eq!(late.check(0), Err(Exhausted::Time));
        let long = late.timeout(Duration::from_secs(1000));
        assert_eq!(long.check(0), Err(Exhausted::Time));
        assert_eq!(
            Budget::unlimited().max_steps(3).check(3),
            Err(Exhausted::Steps)
        );
        if resident_bytes().is_some() {
            let small = Budget::unlimited().max_memory(1);
            assert_eq!(small.check(0), Err(Exhausted::Memory));
        }
    }

    #[test]
    fn a_detached_budget_is_cancelled_alone() {
        let all = Budget::unlimited();
        let one = all.detached();
        one.cancel_flag().store(true, Ordering::Relaxed);
        assert_eq!(one.check(0), Err(Exhausted::Cancelled));
        assert_eq!(all.check(0), Ok(()));
    }

    #[test]
    fn a_watcher_is_not_told_too_often() {
        let shown = Arc::new(AtomicUsize::new(0));
        let count = shown.clone();
        let budget = Budget::unlimited().watched(Duration::from_secs(3600), move |_| {
            count.fetch_add(1, Ordering::Relaxed);
        });
        for n in 0..10 {
            budget.tell(|| format!("{n} states"));
        }
        assert_eq!(shown.load(Ordering::Relaxed), 1);
    }
}
