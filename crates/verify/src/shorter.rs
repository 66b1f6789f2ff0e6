//! A failing run that was found by chance, made shorter before anybody has to read it: choices are left out, and others become zero, as
//! long as the program fails in the same place (Zeller and Hildebrandt's delta debugging).

use crate::concrete::{End, How, Run, run};
use crate::replay::given_values;
use cwolf_base::Budget;
use cwolf_cwi::value::Value;
use cwolf_prepare::Subject;
use cwolf_prepare::property::Kind;
use std::time::Duration;

/// Runs that are tried.
const TRIES: usize = 400;
/// Time for all of them.
const TIME: Duration = Duration::from_millis(500);
/// A longer run is left as it is.
const LONGEST: u64 = 1_000_000;

/// The same failure in fewer steps or with plainer values, if that is found.
pub(crate) fn shorter(subject: &Subject, found: &Run, budget: &Budget) -> Option<Run> {
    if found.statements > LONGEST || found.choices.is_empty() {
        return None;
    }
    let time = budget.time_left().map_or(TIME, |left| (left / 4).min(TIME));
    let mut search = Search {
        subject,
        budget: budget.clone().timeout(time),
        found,
        values: values(found),
        best: None,
        tries: TRIES,
    };
    search.leave_out();
    search.set_to_zero();
    search.best
}

fn values(run: &Run) -> Vec<Value> {
    run.choices.iter().map(|c| c.value).collect()
}

struct Search<'s> {
    subject: &'s Subject,
    budget: Budget,
    found: &'s Run,
    best: Option<Run>,
    /// What the best run chose.
    values: Vec<Value>,
    tries: usize,
}

impl Search<'_> {
    /// Parts of the choices, large ones first.
    fn leave_out(&mut self) {
        let mut size = self.values.len();
        while size > 0 && self.tries > 0 {
            let mut at = 0;
            while at < self.values.len() && self.tries > 0 {
                let mut fewer = self.values.clone();
                let end = (at + size).min(fewer.len());
                fewer.drain(at..end);
                if !self.attempt(fewer) {
                    at += size;
                }
            }
            size /= 2;
        }
    }

    fn set_to_zero(&mut self) {
        let mut at = 0;
        while at < self.values.len() && self.tries > 0 {
            let zero = match self.values[at] {
                Value::Int(_) => Value::Int(0),
                Value::Float(_) => Value::Float(0),
            };
            if self.values[at] != zero {
                let mut plain = self.values.clone();
                plain[at] = zero;
                self.attempt(plain);
            }
            at += 1;
        }
    }

    /// Makes the run with these values, and keeps it if it fails like the best one and is no longer.
    fn attempt(&mut self, values: Vec<Value>) -> bool {
        self.tries -= 1;
        if self.budget.check_but_steps().is_err() {
            self.tries = 0;
            return false;
        }
        let statements = self.best.as_ref().unwrap_or(self.found).statements;
        let how = How {
            oracle: given_values(values, self.found.changes_memory),
            budget: self.budget.clone().max_steps(statements + 1),
            record: false,
            zero_memory: !self.subject.selection.has(Kind::Uninitialised),
            reads: None,
            length: None,
        };
        let one = run(self.subject, self.found.which, how);
        let (End::Fails(new), End::Fails(old)) = (&one.end, &self.found.end) else {
            return false;
        };
        let same = (new.kind, new.loc, new.user) == (old.kind, old.loc, old.user);
        if !same || one.statements > statements {
            return false;
        }
        self.values = self::values(&one);
        self.best = Some(one);
        true
    }
}
