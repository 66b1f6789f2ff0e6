//! Running out is a value: long loops ask a [`Budget`] whether to go on.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// What ran out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Exhausted {
    /// The time limit passed.
    Time,
    /// The count of steps (states, statements, iterations) reached its limit.
    Steps,
    /// The user asked to stop.
    Cancelled,
}

impl std::fmt::Display for Exhausted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Exhausted::Time => "the time limit was reached",
            Exhausted::Steps => "the step limit was reached",
            Exhausted::Cancelled => "it was cancelled",
        })
    }
}

/// Limits of one run. Cloning shares the cancel flag.
#[derive(Clone, Debug, Default)]
pub struct Budget {
    deadline: Option<Instant>,
    steps: Option<u64>,
    cancel: Arc<AtomicBool>,
}

impl Budget {
    /// No limits.
    pub fn unlimited() -> Budget {
        Budget::default()
    }
    /// At most this much time from now.
    pub fn timeout(mut self, limit: Duration) -> Budget {
        self.deadline = Instant::now().checked_add(limit);
        self
    }
    /// At most this many steps.
    pub fn max_steps(mut self, steps: u64) -> Budget {
        self.steps = Some(steps);
        self
    }
    /// The step limit, if any.
    pub fn steps(&self) -> Option<u64> {
        self.steps
    }
    /// A flag that ends the run when set, from any thread.
    pub fn cancel_flag(&self) -> Arc<AtomicBool> {
        self.cancel.clone()
    }
    /// Whether the run may go on after `steps` steps. Looks at the clock, so call it every
    /// few thousand steps, not at each.
    pub fn check(&self, steps: u64) -> Result<(), Exhausted> {
        if self.cancel.load(Ordering::Relaxed) {
            return Err(Exhausted::Cancelled);
        }
        if self.steps.is_some_and(|limit| steps >= limit) {
            return Err(Exhausted::Steps);
        }
        if self.deadline.is_some_and(|end| Instant::now() >= end) {
            return Err(Exhausted::Time);
        }
        Ok(())
    }
}
