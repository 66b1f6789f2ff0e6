//! The interpreter makes a run that was found, and says whether it is that run.

use crate::Question;
use cwolf_base::Budget;
use cwolf_cwi::value::Value;
use cwolf_cwi::{BlockId, FuncId};
use cwolf_cwi::{TypeId, Types};
use cwolf_encode::Way;
use cwolf_engines::Failure;
use cwolf_interp::{At, Machine, Options, Oracle, Outcome, Tracer, View, given};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::atomic::Ordering;

/// What the interpreter says of a run.
#[derive(Clone, Debug)]
pub struct Confirmed {
    /// Whether it comes to the same blocks, in the same order, up to the last.
    pub follows: bool,
    /// The values that it was given, in order.
    pub values: Vec<Value>,
    /// How many statements and branches it runs up to the end of the way.
    pub statements: u64,
    /// How the run ended, in words.
    pub end: String,
}

/// Hands out values in order, then zeros.
struct Given(VecDeque<Value>);

impl Oracle for Given {
    fn choose(&mut self, types: &Types, ty: TypeId) -> Value {
        given(types, ty, self.0.pop_front())
    }
}

/// Watches a run go along a way.
struct Watcher {
    way: Rc<RefCell<(usize, bool)>>,
    count: Rc<RefCell<u64>>,
    blocks: Vec<(FuncId, BlockId)>,
    stop: usize,
    followed: Vec<bool>,
    budget: Budget,
}

impl Tracer for Watcher {
    fn step(&mut self, at: At, _: &View<'_, '_>) {
        let mut way = self.way.borrow_mut();
        let over = way.1 || way.0 == self.blocks.len();
        if !over {
            *self.count.borrow_mut() += 1;
        }
        let followed = |f: FuncId| self.followed.get(f.0 as usize).copied().unwrap_or(false);
        if !followed(at.func) {
            return;
        }
        if at.index == 0 && way.0 < self.blocks.len() && !way.1 {
            match self.blocks[way.0] == (at.func, at.block) {
                true => way.0 += 1,
                false => way.1 = true,
            }
        }
        // What comes after the end of the way is of no interest.
        if way.1 || (way.0 == self.blocks.len() && at.index >= self.stop) {
            self.budget.cancel_flag().store(true, Ordering::Relaxed);
        }
    }
}

/// Makes the run.
pub(crate) fn confirm(
    question: &Question<'_>,
    way: &Way,
    failure: &Failure,
    budget: &Budget,
) -> Confirmed {
    let values: Vec<Value> = failure.choices.iter().map(|c| c.value).collect();
    let progress = Rc::new(RefCell::new((0, false)));
    let count = Rc::new(RefCell::new(0));
    let own = budget.detached();
    let ids = question.program.funcs.ids();
    let watcher = Watcher {
        way: progress.clone(),
        count: count.clone(),
        blocks: way.blocks.clone(),
        stop: way.stop,
        followed: ids.map(|f| question.follows(f)).collect(),
        budget: own.clone(),
    };
    let options = Options {
        oracle: Box::new(Given(values.iter().copied().collect())),
        budget: own,
        max_frames: 50_000,
        max_memory: 512 << 20,
        zero_memory: true,
        now: Some(0),
        tracer: Some(Box::new(watcher)),
        ..Options::default()
    };
    let mut machine = Machine::new(question.closed, options);
    let outcome = machine.run(&question.closed.funcs[question.start].name);
    drop(machine);
    let (done, strayed) = *progress.borrow();
    let follows = done == way.blocks.len() && !strayed;
    let end = match outcome {
        _ if strayed => "it takes another way".to_owned(),
        Outcome::Exit(status) => format!("the program ends with status {status}"),
        Outcome::AssumeFailed => "an assumption does not hold".to_owned(),
        Outcome::Error(error) => format!("the run stops: {}", error.message),
        Outcome::Budget(why) => why.to_string(),
    };
    Confirmed {
        follows,
        values,
        statements: *count.borrow() + way.stop as u64 + 1,
        end,
    }
}
