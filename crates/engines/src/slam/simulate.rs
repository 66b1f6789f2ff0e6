//! NEWTON's first half: an abstract path made concrete, one condition at a time, with an
//! incremental solver (SATABS, 3.4.4). If no run takes it, the conditions that contradict
//! each other say why.

use super::blocks::{Blocks, Move};
use crate::common::{self, Failures};
use crate::task::Failure;
use cwolf_base::{Budget, Exhausted};
use cwolf_cwi::{FuncId, LocId};
use cwolf_encode::{Asked, CellId, Copy, Obligation, Point, Region};
use cwolf_logic::{Answer, BitBlaster, Lit, Solver, Substitution, Term, Terms};
use rustc_hash::FxHashMap;

/// What a path turned out to be.
pub(super) enum Simulated {
    /// A run takes it and fails.
    Fails(Box<Failure>),
    /// A run may take it to where something is not known.
    Undecided(String, Vec<LocId>),
    /// No run takes it: for each move the conditions that contradict each other, up to the last
    /// move that has one.
    Impossible(Vec<Vec<Term>>),
}

type Memory = FxHashMap<CellId, Term>;

/// A call in progress.
struct Frame {
    func: FuncId,
    serial: usize,
    own: Memory,
    /// What the terms of the block that it waits in mean.
    waiting: Substitution,
}

struct Simulation<'a, 'p> {
    blocks: &'a mut Blocks<'p>,
    shared: Memory,
    frames: Vec<Frame>,
    /// What the last call returned.
    result: Option<Term>,
    solver: BitBlaster,
    /// Conditions so far: literal, move, condition about the start of its block.
    conditions: Vec<(Lit, usize, Term)>,
    way: Term,
    whole: Region,
}

/// A core of more conditions is not made smaller.
const SMALL: usize = 40;
/// Effort to make it smaller.
const CONFLICTS: u32 = 5_000;

/// Follows a path from the entry to where it goes wrong.
pub(super) fn simulate(
    blocks: &mut Blocks<'_>,
    path: &[Move],
    budget: &Budget,
) -> Result<Simulated, Exhausted> {
    let entry = blocks.entry;
    let mut simulation = Simulation {
        blocks,
        shared: Memory::default(),
        frames: Vec::new(),
        result: None,
        solver: BitBlaster::new(),
        conditions: Vec::new(),
        way: Terms::TRUE,
        whole: Region::default(),
    };
    simulation.enter(entry, 0, Memory::default());
    for (n, m) in path.iter().enumerate() {
        if let Some(core) = simulation.step(n, *m, budget)? {
            return Ok(Simulated::Impossible(core));
        }
    }
    simulation.finish(path, budget)
}

impl Simulation<'_, '_> {
    fn enter(&mut self, func: FuncId, serial: usize, own: Memory) {
        self.frames.push(Frame {
            func,
            serial,
            own,
            waiting: Substitution::default(),
        });
    }

    /// What a cell holds now.
    fn content(&mut self, cell: CellId) -> Term {
        let Some(owner) = self.blocks.encoder.owner(cell) else {
            return match self.shared.get(&cell) {
                Some(t) => *t,
                None => self.blocks.first(cell),
            };
        };
        let found = self.frames.iter().rposition(|f| f.func == owner);
        let Some(n) = found else {
            return self.blocks.first(cell);
        };
        if let Some(t) = self.frames[n].own.get(&cell) {
            return *t;
        }
        // Never set: any value, of this call.
        let serial = self.frames[n].serial;
        let sort = self.blocks.encoder.cell_sort(cell);
        let name = format!(
            "{}.{}.{serial}",
            self.blocks.encoder.cell_name(cell),
            cell.0
        );
        let t = self.blocks.encoder.terms.constant(&name, sort);
        self.frames[n].own.insert(cell, t);
        t
    }

    fn set(&mut self, cell: CellId, t: Term) {
        match self.blocks.encoder.owner(cell) {
            None => {
                self.shared.insert(cell, t);
            }
            Some(owner) => {
                let frame = self.frames.iter_mut().rfind(|f| f.func == owner);
                if let Some(frame) = frame {
                    frame.own.insert(cell, t);
                }
            }
        }
    }

    /// What the constants of a block mean when it starts; open values are those of this step.
    fn start(&mut self, block: usize, serial: usize) -> Substitution {
        let mut known = Substitution::default();
        let callee = self.blocks.blocks[block].callee;
        let result = callee.and_then(|f| self.blocks.encoder.result_of(f));
        for constant in self.blocks.constants(block).iter().copied() {
            let value = if let Some(cell) = self.blocks.encoder.cell_of(constant) {
                self.content(cell)
            } else if self.blocks.encoder.copied(constant).is_some() || result == Some(constant) {
                // Known when the call is over.
                continue;
            } else {
                self.blocks.encoder.value_at(constant, serial)
            };
            known.insert(constant, value);
        }
        known
    }

    /// What constants of a block mean when its call is over.
    fn resume(&mut self, block: usize) -> Substitution {
        let frame = self.frames.last_mut().expect("a call");
        let mut known = std::mem::take(&mut frame.waiting);
        let callee = self.blocks.blocks[block].callee;
        let result = callee.and_then(|f| self.blocks.encoder.result_of(f));
        for constant in self.blocks.constants(block).iter().copied() {
            if let Some((cell, Copy::After)) = self.blocks.encoder.copied(constant) {
                let value = self.content(cell);
                known.insert(constant, value);
            } else if result == Some(constant) {
                let sort = self.blocks.encoder.terms.sort(constant);
                let value = match self.result.take() {
                    Some(t) => t,
                    None => self.blocks.encoder.terms.fresh("lost", sort),
                };
                known.insert(constant, value);
            }
        }
        known
    }

    /// Makes a move; if no run can, the conditions that contradict each other.
    fn step(
        &mut self,
        n: usize,
        m: Move,
        budget: &Budget,
    ) -> Result<Option<Vec<Vec<Term>>>, Exhausted> {
        let block = m.block();
        let after = self.blocks.follows_call(m);
        let mut known = match after {
            true => self.resume(block),
            false => self.start(block, n),
        };
        // What pointers may be after a call is known only then.
        if after || self.blocks.blocks[block].callee.is_none() {
            let given = self.blocks.blocks[block].given;
            let given = known.apply(&mut self.blocks.encoder.terms, given);
            self.solver.assert(&self.blocks.encoder.terms, given);
        }
        self.record(m, &mut known);
        let guard = self.blocks.guard(m);
        for condition in self.blocks.encoder.terms.conjuncts(guard) {
            let t = known.apply(&mut self.blocks.encoder.terms, condition);
            let lit = self.solver.literal(&self.blocks.encoder.terms, t);
            self.way = self.blocks.encoder.terms.and(self.way, t);
            self.conditions.push((lit, n, condition));
        }
        let assumed: Vec<Lit> = self.conditions.iter().map(|c| c.0).collect();
        let terms = &self.blocks.encoder.terms;
        if self.solver.check(terms, &assumed, budget)? == Answer::Unsat {
            return self.core(n, budget).map(Some);
        }
        match m {
            Move::Enter(_) => {
                let region = &self.blocks.blocks[block].region;
                let entered = region.entered.as_ref().expect("a call");
                let (callee, params) = (entered.callee, entered.params.clone());
                let mut own = Memory::default();
                for (cell, t) in params {
                    own.insert(cell, known.apply(&mut self.blocks.encoder.terms, t));
                }
                self.frames.last_mut().expect("a call").waiting = known;
                self.enter(callee, n + 1, own);
            }
            Move::Take(_, end) => self.leave(block, end, &mut known),
            Move::Wrong(..) => {}
        }
        Ok(None)
    }

    fn leave(&mut self, block: usize, end: usize, known: &mut Substitution) {
        let end = self.blocks.blocks[block].region.ends[end].clone();
        let mut values = Vec::new();
        for (cell, t) in end.state.cells() {
            values.push((cell, known.apply(&mut self.blocks.encoder.terms, t)));
        }
        for (cell, t) in values {
            self.set(cell, t);
        }
        if let Point::Exit(_) = end.to {
            let terms = &mut self.blocks.encoder.terms;
            self.result = end.result.map(|t| known.apply(terms, t));
            self.frames.pop();
        }
    }

    /// Notes the choices and places of a move, and how it may fail.
    fn record(&mut self, m: Move, known: &mut Substitution) {
        let region = self.blocks.blocks[m.block()].region.clone();
        let split = region
            .entered
            .as_ref()
            .map(|e| (e.choices, e.steps, e.obligations, e.incomplete));
        let after = self.blocks.follows_call(m);
        let range = |at: usize, len: usize| if after { at..len } else { 0..at };
        let all = |list: usize| range(list, list);
        let (asked, steps, obligations, incomplete) = match split {
            Some((c, s, o, i)) => (
                range(c, region.asked.len()),
                range(s, region.steps.len()),
                range(o, region.obligations.len()),
                range(i, region.incomplete.len()),
            ),
            None => (
                all(region.asked.len()),
                all(region.steps.len()),
                all(region.obligations.len()),
                all(region.incomplete.len()),
            ),
        };
        let base = (
            self.whole.asked.len().wrapping_sub(asked.start),
            self.whole.steps.len().wrapping_sub(steps.start),
        );
        let way = self.way;
        let terms = &mut self.blocks.encoder.terms;
        let mut mean = |t: Term| known.apply(terms, t);
        for a in &region.asked[asked] {
            let (guard, term) = (mean(a.guard), mean(a.term));
            self.whole.asked.push(Asked { guard, term, ..*a });
        }
        for (guard, loc) in &region.steps[steps] {
            self.whole.steps.push((mean(*guard), *loc));
        }
        if let Move::Wrong(..) = m {
            for o in &region.obligations[obligations] {
                self.whole.obligations.push(Obligation {
                    fails: mean(o.fails),
                    choices: base.0.wrapping_add(o.choices),
                    steps: base.1.wrapping_add(o.steps),
                    // What is read is not followed here.
                    loads: 0,
                    ..o.clone()
                });
            }
            for (guard, why) in &region.incomplete[incomplete] {
                self.whole.incomplete.push((mean(*guard), why.clone()));
            }
            for o in &mut self.whole.obligations {
                o.fails = terms.and(way, o.fails);
            }
        }
    }

    /// The conditions that contradict each other, by move; as few as a little effort finds.
    fn core(&mut self, last: usize, budget: &Budget) -> Result<Vec<Vec<Term>>, Exhausted> {
        let terms = &self.blocks.encoder.terms;
        let solver = &mut self.solver;
        let mut kept = std::mem::take(&mut self.conditions);
        kept.retain(|c| solver.failed(c.0));
        if kept.len() <= SMALL {
            let mut n = 0;
            while n < kept.len() {
                let others = kept.iter().enumerate().filter(|(k, _)| *k != n);
                let others: Vec<Lit> = others.map(|(_, c)| c.0).collect();
                let answer = solver.check_limited(terms, &others, Some(CONFLICTS), budget)?;
                if answer == Answer::Unsat {
                    let mut place = 0;
                    kept.retain(|c| {
                        place += 1;
                        place - 1 != n && solver.failed(c.0)
                    });
                    // Those before this one were needed before; some may be gone now.
                    n = n.min(kept.len());
                } else {
                    n += 1;
                }
            }
        }
        let mut core = vec![Vec::new(); last + 1];
        for (_, n, t) in kept {
            core[n].push(t);
        }
        Ok(core)
    }

    /// A run takes the whole path.
    fn finish(mut self, path: &[Move], budget: &Budget) -> Result<Simulated, Exhausted> {
        let whole = std::mem::take(&mut self.whole);
        let places: Vec<LocId> = whole.steps.iter().map(|s| s.1).collect();
        let vague = self.blocks.encoder.is_imprecise();
        let encoder = &mut self.blocks.encoder;
        let mut failures = Failures::new(encoder, &mut self.solver, &whole);
        let Some((n, model)) = failures.find(budget)? else {
            let last = path.last().map_or(0, |m| m.block());
            let text = self.blocks.unsupported(last);
            let text = text.unwrap_or_else(|| "something is not encoded".into());
            return Ok(Simulated::Undecided(text, places));
        };
        let failure = common::failure(&self.blocks.encoder, &whole, n, &model);
        if vague {
            let text = "a path fails if memory that stands for several objects holds what it needs";
            return Ok(Simulated::Undecided(text.into(), failure.path));
        }
        Ok(Simulated::Fails(Box::new(failure)))
    }
}
