//! The analysis of a program, and what it says.

use crate::Options;
use crate::fixpoint::{Fixpoint, Found, Stopped};
use crate::num::Num;
use crate::objects::{Objects, Once};
use crate::octagon::Signed;
use crate::order::Order;
use crate::point::World;
use crate::recast::recast;
use crate::state::{Packs, State};
use crate::survey;
use crate::value::{CellId, Value};
use cwolf_base::{Budget, Idx};
use cwolf_cwi::graph::Analysed;
use cwolf_cwi::{BlockId, CheckId, FuncId, IntTy, VarId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::{Arc, Mutex};

/// More cells than this are too many.
const MOST_CELLS: usize = 60_000;

/// A number in a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Spot {
    /// The variable.
    pub var: VarId,
    /// Bits from its start.
    pub bit: u64,
    /// The type of the number.
    pub ty: IntTy,
}

/// Something that always holds at a place.
#[derive(Clone, Debug, PartialEq)]
pub enum Fact {
    /// A number is one of these.
    In(Spot, Num),
    /// The sum of two numbers, each with its sign (true if it is subtracted), is at most so much in
    /// unbounded numbers.
    AtMost([(Spot, bool); 2], i128),
}

/// What is known of a program.
#[derive(Debug, Default)]
pub struct Analysis {
    /// Whether each check that may be reached holds whenever it is.
    checks: FxHashMap<CheckId, bool>,
    /// Whether a failure may be reached that no check names.
    fails: bool,
    heads: FxHashMap<(FuncId, BlockId), Vec<Fact>>,
    /// By function and block, what may hold there: one of these. Only if asked for.
    points: FxHashMap<(FuncId, BlockId), Vec<Vec<Fact>>>,
}

impl Analysis {
    /// Whether no run violates a check. True also of a check that no run reaches.
    pub fn holds(&self, check: CheckId) -> bool {
        self.checks.get(&check).copied().unwrap_or(true)
    }
    /// Whether no run fails at all.
    pub fn is_safe(&self) -> bool {
        !self.fails && self.checks.values().all(|holds| *holds)
    }
    /// What holds whenever control comes to the head of a loop; none if it never does.
    pub fn at_head(&self, func: FuncId, block: BlockId) -> Option<&[Fact]> {
        self.heads.get(&(func, block)).map(Vec::as_slice)
    }
    /// What may hold whenever control comes to a block: one of these; none if it never does. Only if
    /// it was asked for.
    pub fn at_block(&self, func: FuncId, block: BlockId) -> Option<&[Vec<Fact>]> {
        self.points.get(&(func, block)).map(Vec::as_slice)
    }
    /// Heads of loops that control may come to.
    pub fn heads(&self) -> Vec<(FuncId, BlockId)> {
        let mut all: Vec<_> = self.heads.keys().copied().collect();
        all.sort_unstable();
        all
    }
}

/// Results by question, kept with the program.
#[derive(Default)]
struct Answers(Mutex<FxHashMap<(FuncId, Options), Answer>>);

type Answer = Result<Arc<Analysis>, Stopped>;

/// The analysis of a program, computed for who asks first.
pub fn analysis(program: &Analysed, entry: FuncId, options: &Options, budget: &Budget) -> Answer {
    let answers = program.analysis(|_| Answers::default());
    let key = (entry, options.clone());
    if let Some(known) = answers.0.lock().expect("nobody panics here").get(&key) {
        return known.clone();
    }
    let new = match analyse(program, entry, options, false, budget) {
        Ok(new) => Ok(Arc::new(new)),
        // With more time there may be an answer.
        Err(Stopped::Exhausted(why)) => return Err(why.into()),
        Err(why) => Err(why),
    };
    let mut all = answers.0.lock().expect("nobody panics here");
    all.entry(key).or_insert(new).clone()
}

/// The same, if somebody has asked before.
pub fn known(program: &Analysed, entry: FuncId, options: &Options) -> Option<Arc<Analysis>> {
    let answers = program.analysis(|_| Answers::default());
    let all = answers.0.lock().expect("nobody panics here");
    all.get(&(entry, options.clone()))?.clone().ok()
}

/// Analyses a program from `entry` on; with `everywhere`, keeps what holds at every block.
pub fn analyse(
    program: &Analysed,
    entry: FuncId,
    options: &Options,
    everywhere: bool,
    budget: &Budget,
) -> Result<Analysis, Stopped> {
    cwolf_base::with_stack(|| analyse_here(program, entry, options, everywhere, budget))
}

fn analyse_here(
    program: &Analysed,
    entry: FuncId,
    options: &Options,
    everywhere: bool,
    budget: &Budget,
) -> Result<Analysis, Stopped> {
    let functions = reached(program, entry);
    let mut orders: FxHashMap<FuncId, Order> = FxHashMap::default();
    let mut looping = FxHashSet::default();
    for func in &functions {
        if let Some(body) = &program.funcs[*func].body {
            let order = Order::new(body);
            looping.extend(order.looping.iter().map(|b| (*func, *b)));
            orders.insert(*func, order);
        }
    }
    if !orders.contains_key(&entry) {
        return Err(Stopped::Incomplete("there is no code to start with".into()));
    }
    let once = Once::new(program, entry, looping);
    let objects = Objects::new(program, &functions, &once);
    if objects.cells.len() > MOST_CELLS {
        return Err(Stopped::Incomplete(
            "the program has too many variables".into(),
        ));
    }
    budget.check(0)?;
    let packs = survey::packs(program, &objects, &functions);
    let flags = survey::flags(program, &objects, &functions);
    let changes = survey::changes(program, &objects, &functions);
    let world = World {
        program,
        options,
        steps: survey::stops(program, &functions),
        objects,
        packs,
        recast: recast(program),
    };
    let mut first = State::new(world.objects.cells.len(), world.packs.cells.len());
    for var in program.vars.ids() {
        for (cell, value) in world.objects.initial(program, var) {
            first.put(cell, value);
        }
    }
    let heads = |func: FuncId, block: BlockId| orders[&func].heads.contains(&block);
    let keep = |func: FuncId, block: BlockId| everywhere || heads(func, block);
    let fixpoint = Fixpoint::new(&world, &orders, &flags, &changes);
    let found = fixpoint.run(entry, first, &keep, budget)?;
    Ok(summarise(&world, found, &heads, everywhere))
}

/// The functions that runs may come to. A call may mean another declaration of the function that
/// has the code.
fn reached(program: &Analysed, entry: FuncId) -> Vec<FuncId> {
    let mut roots = vec![entry];
    loop {
        let found = program.calls().reachable(&roots);
        let known: FxHashSet<FuncId> = found.iter().copied().collect();
        let meant = found.iter().map(|f| program.defined(*f));
        let new: Vec<FuncId> = meant.filter(|f| !known.contains(f)).collect();
        if new.is_empty() {
            return found;
        }
        roots.extend(new);
    }
}

fn summarise(
    world: &World<'_>,
    found: Found,
    heads: &dyn Fn(FuncId, BlockId) -> bool,
    everywhere: bool,
) -> Analysis {
    let spots = survey::spots(&world.objects);
    let mut analysis = Analysis {
        checks: found.checks,
        fails: found.fails,
        ..Analysis::default()
    };
    for ((func, block), states) in found.blocks {
        if everywhere {
            let all = states.iter().map(|s| facts(world, &spots, func, s));
            analysis.points.insert((func, block), all.collect());
        }
        let mut states = states.into_iter();
        if let (true, Some(first)) = (heads(func, block), states.next()) {
            let all = states.fold(first, |all, s| all.join(&s, &world.packs));
            let known = facts(world, &spots, func, &all);
            analysis.heads.insert((func, block), known);
        }
    }
    analysis
}

/// What a state says of variables that a function sees.
fn facts(
    world: &World<'_>,
    spots: &FxHashMap<CellId, (VarId, i128)>,
    func: FuncId,
    state: &State,
) -> Vec<Fact> {
    let spot = |cell: CellId| {
        let info = world.objects.cells[cell];
        let (var, bit) = spots.get(&cell)?;
        let seen = info.private.is_none_or(|f| f == func);
        let ty = info.kind.int().filter(|_| seen)?;
        let own = world.program.vars[*var].kind.function();
        let here = own.is_none_or(|f| f == func);
        here.then_some(Spot {
            var: *var,
            bit: *bit as u64,
            ty,
        })
    };
    let mut found = Vec::new();
    for (cell, value) in state.known() {
        if let (Some(spot), Value::Num(num)) = (spot(cell), value) {
            let room = world.objects.room(cell);
            if *num != Num::range(room.0, room.1) {
                found.push(Fact::In(spot, num.clone()));
            }
        }
    }
    for pack in 0..world.packs.cells.len() {
        relations(&world.packs, pack, state, &spot, &mut found);
    }
    found
}

fn relations(
    packs: &Packs,
    pack: usize,
    state: &State,
    spot: &dyn Fn(CellId) -> Option<Spot>,
    found: &mut Vec<Fact>,
) {
    let Some(octagon) = state.octagon(pack) else {
        return;
    };
    let mut octagon = octagon.clone();
    if !octagon.close() {
        return;
    }
    let cells = &packs.cells[pack];
    let most = |cell: CellId, negative: bool| {
        let (lo, hi) = state.get(cell).and_then(Value::as_num).map(Num::bounds)?;
        Some(if negative { -lo } else { hi })
    };
    for (n, a) in cells.iter().enumerate() {
        for (m, b) in cells.iter().enumerate().skip(n + 1) {
            let (Some(x), Some(y)) = (spot(*a), spot(*b)) else {
                continue;
            };
            for (p, q) in [(false, false), (false, true), (true, false), (true, true)] {
                let (s, t) = (
                    Signed {
                        var: n,
                        negative: p,
                    },
                    Signed {
                        var: m,
                        negative: q,
                    },
                );
                let Some(bound) = octagon.most(s, t) else {
                    continue;
                };
                let plain = most(*a, p).zip(most(*b, q)).map(|(x, y)| x + y);
                if plain.is_none_or(|plain| bound < plain) {
                    found.push(Fact::AtMost([(x, p), (y, q)], bound));
                }
            }
        }
    }
    debug_assert!(cells.iter().all(|c| c.index() < packs.of.len()));
}
