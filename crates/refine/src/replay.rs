//! The interpreter makes a run that was found, and says whether it is that run.

use crate::Question;
use cwolf_base::Budget;
use cwolf_cwi::value::Value;
use cwolf_cwi::{BlockId, FuncId};
use cwolf_cwi::{TypeId, Types};
use cwolf_encode::BlockPath;
use cwolf_engines::materialise::{Lead, Materialiser, Reads, address};
use cwolf_engines::{Choice, Failure};
use cwolf_interp::{At, Machine, Options, Oracle, Outcome, Tracer, View, given};
use rustc_hash::FxHashSet;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::atomic::Ordering;

/// Contents of memory: addresses and bytes.
pub type Settled = Vec<(u64, Vec<u8>)>;

/// What the interpreter says of a run.
#[derive(Clone, Debug)]
pub struct Confirmed {
    /// Whether it comes to the same blocks, in the same order, up to the last.
    pub follows: bool,
    /// The values that it was given, in order.
    pub values: Vec<Value>,
    /// What lay in memory that code outside wrote or nobody did, as it was read: addresses and bytes.
    pub settled: Settled,
    /// How many statements and branches it runs up to the end of the way.
    pub statements: u64,
    /// How the run ended, in words.
    pub end: String,
}

/// Hands out values in order, then zeros, and notes them. An address of an object is the one that it has in this run.
struct Given {
    choices: VecDeque<Choice>,
    values: Rc<RefCell<Vec<Value>>>,
}

impl Oracle for Given {
    fn choose(&mut self, types: &Types, ty: TypeId) -> Value {
        let value = given(types, ty, self.choices.pop_front().map(|c| c.value));
        self.values.borrow_mut().push(value);
        value
    }
    fn choose_at(&mut self, view: &View<'_, '_>, ty: TypeId) -> Value {
        let choice = self.choices.pop_front();
        let into = choice.and_then(|c| c.into);
        let there = into.and_then(|(site, offset)| address(view, site, offset));
        let value = there.or(choice.map(|c| c.value));
        let value = given(&view.program().types, ty, value);
        self.values.borrow_mut().push(value);
        value
    }
}

/// Watches a run go along a way.
struct Watcher {
    way: Rc<RefCell<(usize, bool)>>,
    count: Rc<RefCell<u64>>,
    blocks: Vec<(FuncId, BlockId)>,
    unlisted: FxHashSet<(FuncId, BlockId)>,
    stop: usize,
    followed: Vec<bool>,
    budget: Budget,
    /// What lies in memory that the program leaves open, and what of it was read.
    materialiser: Option<Materialiser>,
    settled: Rc<RefCell<Settled>>,
}

impl Tracer for Watcher {
    fn settles(&self) -> bool {
        self.materialiser.is_some()
    }
    fn settle(&mut self, at: At, view: &View<'_, '_>) -> Option<(u64, Vec<u8>)> {
        let found = self.materialiser.as_mut()?.settle(at, view)?;
        self.settled.borrow_mut().push(found.clone());
        Some(found)
    }
    fn step(&mut self, at: At, _: &View<'_, '_>) {
        if let Some(materialiser) = &mut self.materialiser {
            materialiser.stepped();
        }
        let mut way = self.way.borrow_mut();
        let over = way.1 || way.0 == self.blocks.len();
        if !over {
            *self.count.borrow_mut() += 1;
        }
        let followed = |f: FuncId| self.followed.get(f.0 as usize).copied().unwrap_or(false);
        if !followed(at.func) || self.unlisted.contains(&(at.func, at.block)) {
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

/// Makes the run. Memory that nothing was written to holds zeros, and code outside writes nothing; if that is another run, it holds what the run was found with.
/// Any contents are right: the program leaves them open.
pub(crate) fn confirm(
    question: &Question<'_>,
    way: &BlockPath,
    failure: &Failure,
    budget: &Budget,
) -> Confirmed {
    let plain = make(question, way, failure, None, budget);
    if plain.follows || failure.loads.is_empty() {
        return plain;
    }
    for lead_outside in [Lead::Nowhere, Lead::Pointers, Lead::All] {
        let reads = Reads {
            values: failure.loads.clone(),
            lead_outside,
            settled: Vec::new(),
        };
        let guided = make(question, way, failure, Some(reads), budget);
        if guided.follows {
            return guided;
        }
    }
    plain
}

fn make(
    question: &Question<'_>,
    way: &BlockPath,
    failure: &Failure,
    reads: Option<Reads>,
    budget: &Budget,
) -> Confirmed {
    let progress = Rc::new(RefCell::new((0, false)));
    let count = Rc::new(RefCell::new(0));
    let settled = Rc::new(RefCell::new(Vec::new()));
    let values = Rc::new(RefCell::new(Vec::new()));
    let own = budget.detached();
    let ids = question.program.funcs.ids();
    let guided = reads.is_some();
    let watcher = Watcher {
        way: progress.clone(),
        count: count.clone(),
        blocks: way.blocks.clone(),
        unlisted: way.unlisted.clone(),
        stop: way.stop,
        followed: ids.map(|f| question.follows(f)).collect(),
        budget: own.clone(),
        materialiser: reads.map(|reads| Materialiser::new(question.closed, reads)),
        settled: settled.clone(),
    };
    let options = Options {
        oracle: Box::new(Given {
            choices: failure.choices.iter().copied().collect(),
            values: values.clone(),
        }),
        budget: own,
        max_frames: 50_000,
        max_memory: 512 << 20,
        zero_memory: !guided,
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
        values: values.take(),
        settled: settled.take(),
        statements: *count.borrow() + way.stop as u64 + 1,
        end,
    }
}
