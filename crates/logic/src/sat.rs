//! CaDiCaL with budgets.

use cwolf_base::{Budget, Exhausted};
use std::time::{Duration, Instant};

/// Stops the solver when the budget is used up.
pub(crate) struct Watch {
    budget: Budget,
    calls: u32,
    last: Instant,
    pub(crate) stopped: Option<Exhausted>,
}

/// The clock is looked at every so many calls, the budget every so much time.
const CALLS: u32 = 16;
const PAUSE: Duration = Duration::from_millis(10);

impl Watch {
    fn new(budget: &Budget) -> Watch {
        Watch {
            budget: budget.clone(),
            calls: 0,
            last: Instant::now(),
            stopped: None,
        }
    }
}

impl cadical::Callbacks for Watch {
    fn terminate(&mut self) -> bool {
        self.calls += 1;
        if !self.calls.is_multiple_of(CALLS) || self.last.elapsed() < PAUSE {
            return false;
        }
        self.last = Instant::now();
        self.stopped = self.budget.check(0).err();
        self.stopped.is_some()
    }
}

/// What a solver tries first for a variable that nothing is known of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Phase {
    /// False: paths that are not taken and numbers that are small have the fewest consequences, and make the better examples.
    #[default]
    Small,
    /// True: numbers that are large keep loops going.
    Large,
}

/// A SAT solver.
pub(crate) struct Sat {
    solver: cadical::Solver<Watch>,
    vars: i32,
    /// The sign of our variables among those of CaDiCaL, which tries true first.
    sign: i32,
}

impl Sat {
    pub(crate) fn new(phase: Phase) -> Sat {
        Sat {
            solver: cadical::Solver::new(),
            vars: 0,
            sign: match phase {
                Phase::Small => -1,
                Phase::Large => 1,
            },
        }
    }
    pub(crate) fn fresh(&mut self) -> i32 {
        self.vars += 1;
        self.vars
    }
    pub(crate) fn vars(&self) -> i32 {
        self.vars
    }
    pub(crate) fn clause(&mut self, lits: &[i32]) {
        self.solver.add_clause(lits.iter().map(|l| self.sign * l));
    }
    /// None if the limit of conflicts was reached.
    pub(crate) fn solve(
        &mut self,
        assumptions: &[i32],
        conflicts: Option<u32>,
        budget: &Budget,
    ) -> Result<Option<bool>, Exhausted> {
        budget.check(0)?;
        if let Some(limit) = conflicts {
            let limit = i32::try_from(limit).unwrap_or(i32::MAX);
            // The name is one of those that the solver documents.
            let _ = self.solver.set_limit("conflicts", limit);
        }
        self.solver.set_callbacks(Some(Watch::new(budget)));
        let assumptions = assumptions.iter().map(|l| self.sign * l);
        let answer = self.solver.solve_with(assumptions);
        let stopped = self.solver.get_callbacks().and_then(|w| w.stopped);
        match (answer, stopped) {
            (None, Some(why)) => Err(why),
            (answer, _) => Ok(answer),
        }
    }
    pub(crate) fn value(&self, lit: i32) -> bool {
        // Asked by the variable: a variable without a value counts as false.
        let theirs = self.solver.value(lit.abs());
        let ours = theirs.is_some_and(|value| value == (self.sign > 0));
        ours == (lit > 0)
    }
    pub(crate) fn failed(&self, lit: i32) -> bool {
        self.solver.failed(self.sign * lit)
    }
}
