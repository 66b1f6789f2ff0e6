//! Other runs of the same model. Where a run cannot be excluded by any map, or nobody can say whether the program has it, the next one may be a run of the program.

use cwolf_lts::{Builder, Lts, State};
use cwolf_workbench::{Run, Step};

/// So many other runs are looked at.
const MOST: usize = 64;
/// Of large models fewer, so that about so many transitions are looked at in all.
const MOST_TRANSITIONS: usize = 1 << 24;

/// A model without some of its runs.
pub(crate) struct Others {
    lts: Lts,
    /// The state of the model that each stands for.
    origin: Vec<State>,
    left: usize,
}

impl Others {
    /// All runs of a model.
    pub(crate) fn new(lts: &Lts) -> Others {
        Others {
            origin: (0..lts.states() as State).collect(),
            left: (MOST_TRANSITIONS / lts.transitions().max(1)).min(MOST),
            lts: lts.clone(),
        }
    }
    /// The system that has the runs that are left.
    pub(crate) fn lts(&self) -> &Lts {
        &self.lts
    }
    /// A run of it as one of the model.
    pub(crate) fn in_model(&self, run: &Run) -> Run {
        let state = |s: State| self.origin[s as usize];
        let step = |s: &Step| Step {
            label: s.label.clone(),
            state: state(s.state),
        };
        Run {
            start: state(run.start),
            steps: run.steps.iter().map(step).collect(),
            repeats_from: run.repeats_from,
        }
    }
    /// Takes out all runs that begin with `count` steps of one, which repeats its last part if it goes on for ever; whether more may be looked at. States on the way get
    /// a copy each, from which all other steps lead back.
    pub(crate) fn without(&mut self, run: &Run, count: usize) -> bool {
        if self.left == 0 || count == 0 {
            return false;
        }
        self.left -= 1;
        let steps = unrolled(run, count);
        let copy = |n: usize| (self.lts.states() + n) as State;
        let mut builder = Builder::with_labels(self.lts.labels().clone());
        for (from, label, to) in self.lts.iter() {
            builder.add(from, label, to);
        }
        let mut here = run.start;
        for (n, step) in steps.iter().enumerate() {
            for (label, to) in self.lts.from(here) {
                let same = to == step.state && self.lts.labels().name(label) == step.label;
                match same {
                    false => builder.add(copy(n), label, to),
                    true if n + 1 < steps.len() => builder.add(copy(n), label, copy(n + 1)),
                    true => {}
                }
            }
            self.origin.push(self.origin[here as usize]);
            here = step.state;
        }
        builder.ensure_states(self.lts.states() + steps.len());
        self.lts = builder.finish(copy(0));
        true
    }
}

/// The first steps of a run, around its last part as often as it takes.
fn unrolled(run: &Run, count: usize) -> Vec<&Step> {
    let again = run.repeats_from.map_or(&[][..], |n| &run.steps[n..]);
    let all = run.steps.iter().chain(again.iter().cycle());
    all.take(count).collect()
}
