//! The walk over the program: blocks in an order in which everything that leads to a block comes
//! before it, states merged where paths meet, calls entered on the way.

mod block_path;
mod call;
mod ends;
mod flow;
mod frame;
mod modular;
mod procedures;
mod visit;

pub use block_path::BlockPath;
pub use flow::loop_heads;
pub use modular::Copy;
pub use procedures::{Point, Procedures};

use crate::cursor::Content;
use crate::evaluate::Evaluator;
use crate::memory::{Memory, State};
use crate::objects::Objects;
use crate::options::Options;
use crate::pointers::Pointers;
use crate::region::{Cut, Region, Why};
use crate::walk::flow::{Flow, Flows};
use crate::walk::frame::Frame;
use crate::walk::modular::Modular;
use cwolf_base::{Budget, Exhausted};
use cwolf_cwi::graph::Analysed;
use cwolf_cwi::{BlockId, FuncId, TypeId};
use cwolf_logic::{Term, Terms};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

/// Terms made between two looks at the budget, and blocks: where memory is large, each takes its time.
const PAUSE: usize = 20_000;
const BLOCKS: u64 = 8;

/// A state that waits at the start of a block.
#[derive(Clone, Debug)]
pub(crate) struct Item {
    pub(crate) frames: Vec<Frame>,
    pub(crate) guard: Term,
    pub(crate) state: State,
    pub(crate) result: Option<(Content, TypeId)>,
}

/// How far loops and recursion are followed when unrolling.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Rounds of a loop whose condition is open, and depth of recursion.
    pub rounds: u32,
    /// Rounds of a loop whose condition is known.
    pub known_rounds: u32,
    /// Blocks in all.
    pub blocks: u64,
    /// Terms in all: past that, memory counts as used up.
    pub terms: usize,
}

/// How many rounds of loops the user allows.
#[derive(Clone, Debug)]
pub struct MostRounds {
    /// Of loops that have no bound of their own; also the depth of recursion.
    pub others: u32,
    /// By the heads of loops.
    pub own: FxHashMap<(FuncId, BlockId), u32>,
}

impl Default for MostRounds {
    fn default() -> MostRounds {
        MostRounds {
            others: u32::MAX,
            own: FxHashMap::default(),
        }
    }
}

impl MostRounds {
    /// How many rounds are followed if `deep` are wanted, and why no more.
    pub(crate) fn within(&self, deep: u32, head: Option<(FuncId, BlockId)>) -> (u32, Why) {
        let own = head.and_then(|head| self.own.get(&head));
        let most = own.map_or(self.others, |own| *own);
        match most <= deep {
            true => (most, Why::Bounded),
            false => (deep, Why::Unwinding),
        }
    }
}

/// Where an encoding starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// At the start of a function, with the program's first memory.
    Entry(FuncId),
    /// At a cut, with constants for the contents of memory.
    Cut(Cut),
}

/// Asked at each further round of a loop whether its condition can hold.
pub type Feasible<'f> = &'f mut dyn FnMut(&Terms, Term) -> Result<bool, Exhausted>;

/// Makes terms of a program: walks over it, and evaluates on the way.
pub struct Encoder<'p> {
    evaluator: Evaluator<'p>,
    flows: Arc<Flows>,
    /// For procedures by themselves.
    modular: Option<Modular>,
    /// The way that is followed, if only one is.
    along: Option<block_path::Progress>,
    /// What the user allows, when unrolling.
    most: MostRounds,
}

impl<'p> Deref for Encoder<'p> {
    type Target = Evaluator<'p>;
    fn deref(&self) -> &Evaluator<'p> {
        &self.evaluator
    }
}

impl DerefMut for Encoder<'_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.evaluator
    }
}

/// States that wait, by their place in the order.
pub(crate) struct Walk {
    pub(crate) waiting: BTreeMap<Vec<u32>, Item>,
    pub(crate) bounds: Bounds,
    /// The first block is done but for its branch.
    pub(crate) at_branch: bool,
}

impl<'p> Encoder<'p> {
    /// An encoder that has encoded nothing yet.
    pub fn new(program: &'p Analysed, options: Options) -> Encoder<'p> {
        let modular = options.mode.procedures().map(|_| Modular::default());
        let tables = Objects::new(program, options);
        let memory = Memory::new(Pointers::new(tables));
        Encoder {
            evaluator: Evaluator::new(memory),
            flows: program.analysis(|p| Flows::new(p.funcs.len())),
            modular,
            along: None,
            most: MostRounds::default(),
        }
    }

    /// Never follows loops for more rounds than these, however many [`Bounds`] allows.
    pub fn allow_at_most(&mut self, most: MostRounds) {
        self.most = most;
    }

    pub(crate) fn flow(&mut self, func: FuncId) -> Arc<Flow> {
        let body = self.program.funcs[func].body.as_ref();
        self.flows.of(func, body.expect("a function with a body"))
    }

    /// Encodes everything from `start` to the next cuts, or (when unrolling) to the bounds.
    ///
    /// # Errors
    /// When the budget ran out.
    pub fn region(
        &mut self,
        start: Start,
        bounds: Bounds,
        budget: &Budget,
        feasible: Feasible<'_>,
    ) -> Result<Region, Exhausted> {
        self.out = Region::default();
        self.from_constants = matches!(start, Start::Cut(_));
        self.allocations = 0;
        let mut walk = Walk {
            waiting: BTreeMap::new(),
            bounds,
            at_branch: false,
        };
        match start {
            Start::Entry(func) => {
                let context = self.context(None, func);
                let mut state = State::default();
                self.entry_arguments(context, &mut state);
                let frames = vec![];
                self.enter(&mut walk, frames, context, Terms::TRUE, state, true);
                self.walk_on(&mut walk, false, budget, feasible)?;
            }
            Start::Cut(cut) => {
                let frames = self.frames_of(cut);
                let item = Item {
                    frames,
                    guard: Terms::TRUE,
                    state: State::default(),
                    result: None,
                };
                self.walk(&mut walk, item, budget, feasible)?;
            }
        }
        Ok(std::mem::take(&mut self.out))
    }

    /// Goes from a block, which is no end even if it is cut there, as far as it goes.
    pub(crate) fn walk(
        &mut self,
        walk: &mut Walk,
        item: Item,
        budget: &Budget,
        feasible: Feasible<'_>,
    ) -> Result<(), Exhausted> {
        let key = self.key(&item.frames);
        walk.waiting.insert(key, item);
        self.walk_on(walk, true, budget, feasible)
    }

    fn walk_on(
        &mut self,
        walk: &mut Walk,
        mut first: bool,
        budget: &Budget,
        feasible: Feasible<'_>,
    ) -> Result<(), Exhausted> {
        let mut count = 0u64;
        let mut looked = self.terms.len();
        while let Some((_, item)) = walk.waiting.pop_first() {
            count += 1;
            // One block may make many terms, when arrays are long.
            if count.is_multiple_of(BLOCKS) || self.terms.len() > looked + PAUSE {
                looked = self.terms.len();
                budget.check(0)?;
                if self.terms.len() > walk.bounds.terms {
                    return Err(Exhausted::Memory);
                }
            }
            if count > walk.bounds.blocks {
                self.out.incomplete.push((item.guard, Why::Unwinding));
                continue;
            }
            self.visit(walk, item, std::mem::take(&mut first), feasible)?;
        }
        Ok(())
    }

    /// Puts a state at the start of a block, merging it with one that waits there.
    fn wait(&mut self, walk: &mut Walk, item: Item) {
        if item.guard == Terms::FALSE || !self.is_on_the_way(&item.frames) {
            return;
        }
        let key = self.key(&item.frames);
        let merged = match walk.waiting.remove(&key) {
            None => item,
            Some(other) => self.merge(other, item),
        };
        walk.waiting.insert(key, merged);
    }

    /// What comes to a place by either of two ways.
    fn merge(&mut self, a: Item, b: Item) -> Item {
        let (guard, chosen, state) = self.merge_states((a.guard, &a.state), (b.guard, &b.state));
        let result = match (a.result, b.result) {
            (Some((Content::Scalar(x), s)), Some((Content::Scalar(y), t))) if s == t => {
                Some((Content::Scalar(self.terms.ite(chosen, x, y)), s))
            }
            (Some((Content::Parts(x), s)), Some((Content::Parts(y), t)))
                if s == t && x.len() == y.len() =>
            {
                let mut parts = Vec::with_capacity(x.len());
                for (p, q) in x.into_iter().zip(y) {
                    let value = self.terms.ite(chosen, p.3, q.3);
                    parts.push((p.0, p.1, p.2, value));
                }
                Some((Content::Parts(parts), s))
            }
            _ => None,
        };
        Item {
            frames: a.frames,
            guard,
            state,
            result,
        }
    }
}
