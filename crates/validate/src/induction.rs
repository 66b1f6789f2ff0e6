//! Cut-point induction: the invariants hold when a loop is first reached, each round keeps them, and
//! no code between loop heads goes wrong under them.
//!
//! The whole program is one formula. Its parts between loop heads are taken in an order in which what
//! comes before a loop is known at its head: values that the loop does not change are still the same there, and
//! so is all that was decided before. Values that it does change are any that satisfy the invariants.

use crate::bounded::{TERMS, checks};
use cwolf_base::{Budget, Exhausted};
use cwolf_cwi::graph::Analysed;
use cwolf_cwi::{BlockId, CheckId, FuncId, LocId};
use cwolf_encode::{Bounds, CellId, Cut, Encoder, Exit, Mode, Options, Region, Start};
use cwolf_logic::{Answer, BitBlaster, Solver, Substitution, Term, Terms};
use cwolf_prepare::Subject;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;

/// What induction shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Shown {
    /// No check fails, and every invariant holds.
    All,
    /// This one may fail as far as the invariants tell: a check, its place, and whether it is an invariant
    /// that a round of its loop may break.
    Not {
        check: Option<CheckId>,
        loc: LocId,
        kept: bool,
    },
    /// The program has parts that are not encoded.
    Unsupported(String),
}

const BOUNDS: Bounds = Bounds {
    rounds: 0,
    known_rounds: 0,
    blocks: u64::MAX,
    terms: TERMS,
};

/// Where invariants stand: the blocks that begin with their code.
pub(crate) type Heads = FxHashMap<CheckId, Vec<(FuncId, BlockId)>>;

type Pins = FxHashMap<CellId, Term>;

/// A way from one part (0 is the entry's, `n + 1` that of cut `n`) to a cut.
#[derive(Clone, Copy)]
struct Edge {
    part: usize,
    exit: usize,
    to: usize,
}

/// The parts of a program between its cuts.
struct Parts<'p> {
    encoder: Encoder<'p>,
    cuts: Vec<Cut>,
    regions: Vec<Region>,
    /// What cells hold at each cut on all ways to it.
    pins: Vec<Pins>,
    edges: Vec<Edge>,
    /// What holds of the pointers that a part starts with.
    given: Vec<Term>,
}

/// Asks whether the invariants that are `Assert`s at loop heads (`invariants`), prove the program.
///
/// # Errors
/// When the budget ran out.
pub(crate) fn prove(
    subject: &Subject,
    program: &Analysed,
    invariants: &Heads,
    budget: &Budget,
) -> Result<Shown, Exhausted> {
    let mut parts = Parts::new(subject, program, budget)?;
    let order = Order::new(&mut parts);
    let mut proof = Proof {
        solver: BitBlaster::within(budget),
        arrivals: vec![Vec::new(); parts.cuts.len()],
        order,
        invariants,
        budget,
    };
    proof.run(&mut parts)
}

impl<'p> Parts<'p> {
    fn new(
        subject: &Subject,
        program: &'p Analysed,
        budget: &Budget,
    ) -> Result<Parts<'p>, Exhausted> {
        let options = Options {
            checks: checks(subject),
            error_functions: subject.error_functions.clone(),
            mode: Mode::Cuts,
            proved: Default::default(),
        };
        let mut encoder = Encoder::new(program, options);
        loop {
            let revision = encoder.revision();
            let mut parts = Parts::encode(encoder, subject, budget)?;
            if parts.encoder.revision() == revision {
                parts.connect();
                parts.check_pointers(budget)?;
                if parts.encoder.revision() == revision {
                    return Ok(parts);
                }
            }
            // Objects that were found later may be what earlier pointers point to.
            encoder = parts.encoder;
            encoder.forget_domains();
        }
    }

    fn encode(
        mut encoder: Encoder<'p>,
        subject: &Subject,
        budget: &Budget,
    ) -> Result<Parts<'p>, Exhausted> {
        let start = Start::Entry(subject.entry);
        let entry = encoder.region(start, BOUNDS, budget, &mut |_, _| Ok(true))?;
        let mut parts = Parts {
            encoder,
            cuts: Vec::new(),
            regions: vec![entry],
            pins: Vec::new(),
            edges: Vec::new(),
            given: Vec::new(),
        };
        let mut due = VecDeque::new();
        for exit in parts.regions[0].exits.clone() {
            parts.arrive(None, &exit, &mut due);
        }
        while let Some(n) = due.pop_front() {
            parts.encoder.pin(parts.pins[n].clone());
            let start = Start::Cut(parts.cuts[n]);
            let region = parts
                .encoder
                .region(start, BOUNDS, budget, &mut |_, _| Ok(true))?;
            for exit in &region.exits {
                parts.arrive(Some(n), exit, &mut due);
            }
            parts.regions[n + 1] = region;
        }
        parts.encoder.pin(Pins::default());
        Ok(parts)
    }

    /// Notes what cells hold when control comes to a cut: a constant as long as all ways say so.
    fn arrive(&mut self, from: Option<usize>, exit: &Exit, due: &mut VecDeque<usize>) {
        let start = from.map(|n| self.pins[n].clone());
        let Some(n) = self.cuts.iter().position(|c| *c == exit.to) else {
            let cells: Vec<CellId> = self.encoder.cells().collect();
            let known = |cell| {
                Some((
                    cell,
                    constant(&mut self.encoder, exit, start.as_ref(), cell)?,
                ))
            };
            let pins = cells.into_iter().filter_map(known).collect();
            self.cuts.push(exit.to);
            self.regions.push(Region::default());
            self.pins.push(pins);
            due.push_back(self.cuts.len() - 1);
            return;
        };
        let mut pins = std::mem::take(&mut self.pins[n]);
        let before = pins.len();
        pins.retain(|c, t| constant(&mut self.encoder, exit, start.as_ref(), *c) == Some(*t));
        let lost = pins.len() < before;
        self.pins[n] = pins;
        if lost && !due.contains(&n) {
            due.push_back(n);
        }
    }

    fn connect(&mut self) {
        let numbers: FxHashMap<Cut, usize> =
            self.cuts.iter().enumerate().map(|(n, c)| (*c, n)).collect();
        for part in 0..self.regions.len() {
            let region = &self.regions[part];
            let mut roots: Vec<Term> = region.obligations.iter().map(|o| o.fails).collect();
            roots.extend(region.incomplete.iter().map(|i| i.0));
            for (exit, e) in region.exits.iter().enumerate() {
                let to = numbers[&e.to];
                self.edges.push(Edge { part, exit, to });
                roots.push(e.guard);
                roots.extend(e.state.cells().map(|(_, t)| t));
            }
            let given = self.encoder.given(&roots);
            self.given.push(given);
        }
    }

    /// Whatever a pointer is when control comes to a cut, the constant that stands for it there must
    /// admit.
    fn check_pointers(&mut self, budget: &Budget) -> Result<(), Exhausted> {
        let cells: Vec<CellId> = self.encoder.cells().collect();
        for edge in self.edges.clone() {
            budget.check(0)?;
            for &cell in &cells {
                if self.encoder.is_pointer(cell) && self.encoder.is_read(cell) {
                    let t = self.at_end(edge, cell);
                    self.encoder.arrives(cell, t);
                }
            }
        }
        Ok(())
    }

    /// What a cell holds at the end of an edge, in terms of the start of its part.
    fn at_end(&mut self, edge: Edge, cell: CellId) -> Term {
        match self.regions[edge.part].exits[edge.exit].state.get(cell) {
            Some(t) => t,
            None => self.at_start(edge.part, cell),
        }
    }

    /// What a cell holds when a part starts.
    fn at_start(&mut self, part: usize, cell: CellId) -> Term {
        match part {
            0 => self.encoder.first_value(cell),
            n => match self.pins[n - 1].get(&cell) {
                Some(t) => *t,
                None => self.encoder.constant_of(cell),
            },
        }
    }

    /// The cells that an edge changes.
    fn changed(&mut self, edge: Edge) -> Vec<CellId> {
        let state = &self.regions[edge.part].exits[edge.exit].state;
        let set: Vec<(CellId, Term)> = state.cells().collect();
        let differs = set
            .into_iter()
            .filter(|(c, t)| self.at_start(edge.part, *c) != *t);
        differs.map(|(c, _)| c).collect()
    }
}

/// What a cell holds at an exit, if that is a constant. The part starts with `pins`, or with the program.
fn constant(
    encoder: &mut Encoder<'_>,
    exit: &Exit,
    pins: Option<&Pins>,
    cell: CellId,
) -> Option<Term> {
    let t = match (exit.state.get(cell), pins) {
        (Some(t), _) => t,
        (None, Some(pins)) => *pins.get(&cell)?,
        (None, None) => encoder.first_constant(cell)?,
    };
    let known = encoder.terms.as_bv(t).is_some() || encoder.terms.as_bool(t).is_some();
    (known && !encoder.leads_to_several(cell, t)).then_some(t)
}

/// Cuts that lead to each other.
#[derive(Clone)]
struct Component {
    members: Vec<usize>,
    /// The cells that ways in it change.
    changes: FxHashSet<CellId>,
}

/// A weak topological order of the cuts (Bourdoncle 1993): a way goes from a later cut to an earlier one
/// only if that is the head of a component with both.
struct Order {
    cuts: Vec<usize>,
    /// By cut: its component, if it is the head of one.
    components: Vec<Option<Component>>,
    /// By cut: its place in the order.
    place: Vec<usize>,
}

impl Order {
    fn new(parts: &mut Parts<'_>) -> Order {
        let count = parts.cuts.len();
        let edges = parts.edges.clone();
        let changed: Vec<Vec<CellId>> = edges.into_iter().map(|e| parts.changed(e)).collect();
        let mut order = Order {
            cuts: Vec::new(),
            components: vec![None; count],
            place: vec![0; count],
        };
        let all: Vec<usize> = (0..count).collect();
        order.decompose(parts, &changed, &all);
        for (n, cut) in order.cuts.iter().enumerate() {
            order.place[*cut] = n;
        }
        order
    }

    /// Strongly connected components, each with its first cut as the head, and again without it.
    fn decompose(&mut self, parts: &Parts<'_>, changed: &[Vec<CellId>], within: &[usize]) {
        let inside: FxHashSet<usize> = within.iter().copied().collect();
        let mut successors: FxHashMap<usize, Vec<usize>> = FxHashMap::default();
        for e in &parts.edges {
            if e.part > 0 && inside.contains(&(e.part - 1)) && inside.contains(&e.to) {
                successors.entry(e.part - 1).or_default().push(e.to);
            }
        }
        for component in strongly_connected(within, &successors) {
            let looping = component.len() > 1
                || successors
                    .get(&component[0])
                    .is_some_and(|s| s.contains(&component[0]));
            if !looping {
                self.cuts.push(component[0]);
                continue;
            }
            // The one that is entered from outside; cuts are numbered as they are found.
            let head = *component.iter().min().expect("a component has members");
            self.cuts.push(head);
            let set: FxHashSet<usize> = component.iter().copied().collect();
            let mut changes = FxHashSet::default();
            for (e, cells) in parts.edges.iter().zip(changed) {
                if e.part > 0 && set.contains(&(e.part - 1)) && set.contains(&e.to) {
                    changes.extend(cells.iter().copied());
                }
            }
            let rest: Vec<usize> = component.iter().copied().filter(|c| *c != head).collect();
            let members = component;
            self.components[head] = Some(Component { members, changes });
            self.decompose(parts, changed, &rest);
        }
    }
}

/// Components in topological order (Tarjan 1972).
fn strongly_connected(
    nodes: &[usize],
    successors: &FxHashMap<usize, Vec<usize>>,
) -> Vec<Vec<usize>> {
    struct Visit {
        node: usize,
        next: usize,
    }
    let mut index: FxHashMap<usize, usize> = FxHashMap::default();
    let mut low: FxHashMap<usize, usize> = FxHashMap::default();
    let mut on_stack: FxHashSet<usize> = FxHashSet::default();
    let mut stack = Vec::new();
    let mut found = Vec::new();
    for &root in nodes {
        if index.contains_key(&root) {
            continue;
        }
        let mut work = vec![Visit {
            node: root,
            next: 0,
        }];
        while let Some(visit) = work.last_mut() {
            let node = visit.node;
            if visit.next == 0 {
                let number = index.len();
                index.insert(node, number);
                low.insert(node, number);
                stack.push(node);
                on_stack.insert(node);
            }
            let to = successors
                .get(&node)
                .and_then(|s| s.get(visit.next))
                .copied();
            visit.next += 1;
            if let Some(to) = to {
                if !index.contains_key(&to) {
                    work.push(Visit { node: to, next: 0 });
                } else if on_stack.contains(&to) {
                    let least = low[&node].min(index[&to]);
                    low.insert(node, least);
                }
                continue;
            }
            work.pop();
            if let Some(parent) = work.last() {
                let least = low[&parent.node].min(low[&node]);
                low.insert(parent.node, least);
            }
            if low[&node] == index[&node] {
                let mut component = Vec::new();
                while let Some(member) = stack.pop() {
                    on_stack.remove(&member);
                    component.push(member);
                    if member == node {
                        break;
                    }
                }
                found.push(component);
            }
        }
    }
    found.reverse();
    found
}

/// Control at a cut, or at the end of an edge: when, and what cells hold, in terms of the whole formula.
#[derive(Clone)]
struct Arrival {
    reach: Term,
    edge: Edge,
    /// Terms of the edge's part in the whole formula.
    part: usize,
}

struct Proof<'a> {
    solver: BitBlaster,
    /// By cut: the ways to it from before.
    arrivals: Vec<Vec<Arrival>>,
    order: Order,
    invariants: &'a Heads,
    budget: &'a Budget,
}

/// What the terms of parts are in the whole formula.
struct Whole {
    /// By part: what its constants stand for.
    meaning: Vec<Substitution>,
    /// By part: what the cells at its start hold, as far as that was asked.
    starts: Vec<FxHashMap<CellId, Term>>,
}

impl Proof<'_> {
    fn run(&mut self, parts: &mut Parts<'_>) -> Result<Shown, Exhausted> {
        let count = parts.regions.len();
        let mut whole = Whole {
            meaning: vec![Substitution::default(); count],
            starts: vec![FxHashMap::default(); count],
        };
        if let Some(shown) = self.part(parts, &mut whole, 0, Terms::TRUE)? {
            return Ok(shown);
        }
        for n in 0..self.order.cuts.len() {
            let cut = self.order.cuts[n];
            let mut reach = Terms::FALSE;
            for arrival in &self.arrivals[cut] {
                reach = parts.encoder.terms.or(reach, arrival.reach);
            }
            if reach == Terms::FALSE {
                // Other cuts of its component may be entered first: then nothing is known here.
                let component = self.order.components[cut].as_ref();
                let entered =
                    |c: &Component| c.members.iter().any(|m| !self.arrivals[*m].is_empty());
                match component.is_some_and(entered) {
                    true => reach = Terms::TRUE,
                    false => continue,
                }
            }
            if let Some(shown) = self.part(parts, &mut whole, cut + 1, reach)? {
                return Ok(shown);
            }
        }
        Ok(Shown::All)
    }

    /// Checks one part, and hands on what holds at its ends.
    fn part(
        &mut self,
        parts: &mut Parts<'_>,
        whole: &mut Whole,
        part: usize,
        reach: Term,
    ) -> Result<Option<Shown>, Exhausted> {
        self.budget
            .tell(|| format!("checking part {} of {}", part + 1, parts.regions.len()));
        let given = parts.given[part];
        let given = self.translate(parts, whole, part, given);
        let reach = parts.encoder.terms.and(reach, given);
        let obligations = parts.regions[part].obligations.clone();
        for o in obligations {
            // At the head they are what is assumed.
            if self.is_at_head(parts, part, o.check) {
                continue;
            }
            let fails = self.translate(parts, whole, part, o.fails);
            if self.possible(parts, reach, fails)? {
                return Ok(Some(Shown::Not {
                    check: o.check,
                    loc: o.loc,
                    kept: false,
                }));
            }
        }
        let incomplete = parts.regions[part].incomplete.clone();
        for (guard, why) in incomplete {
            let guard = self.translate(parts, whole, part, guard);
            if self.possible(parts, reach, guard)? {
                let text = match why {
                    cwolf_encode::Why::Unsupported(text) => text,
                    cwolf_encode::Why::Unwinding | cwolf_encode::Why::Bounded => {
                        "recursion is not followed".into()
                    }
                };
                return Ok(Some(Shown::Unsupported(text)));
            }
        }
        let exits = parts.regions[part].exits.len();
        for exit in 0..exits {
            self.budget.check(0)?;
            let edges = parts
                .edges
                .iter()
                .find(|e| e.part == part && e.exit == exit);
            let edge = *edges.expect("every exit is an edge");
            let guard = parts.regions[part].exits[exit].guard;
            let guard = self.translate(parts, whole, part, guard);
            let reach = parts.encoder.terms.and(reach, guard);
            if reach == Terms::FALSE {
                continue;
            }
            let arrival = Arrival { reach, edge, part };
            let before = part > 0 && self.order.place[edge.to] <= self.order.place[part - 1];
            if let Some(shown) = self.hold(parts, whole, &arrival, before)? {
                return Ok(Some(shown));
            }
            if !before {
                self.arrivals[edge.to].push(arrival);
            }
        }
        Ok(None)
    }

    /// Whether an obligation of a part is an invariant at the loop head that the part starts at.
    fn is_at_head(&self, parts: &Parts<'_>, part: usize, check: Option<CheckId>) -> bool {
        let Some(cut) = part.checked_sub(1).map(|n| parts.cuts[n]) else {
            return false;
        };
        let func = parts.encoder.context_func(cut.context);
        let blocks = check.and_then(|check| self.invariants.get(&check));
        blocks.is_some_and(|blocks| blocks.contains(&(func, cut.block)))
    }

    /// Whether the invariants of the cut at the end of an edge hold there.
    fn hold(
        &mut self,
        parts: &mut Parts<'_>,
        whole: &mut Whole,
        arrival: &Arrival,
        kept: bool,
    ) -> Result<Option<Shown>, Exhausted> {
        let to = arrival.edge.to + 1;
        for o in parts.regions[to].obligations.clone() {
            if !self.is_at_head(parts, to, o.check) {
                continue;
            }
            let mut meaning = Substitution::default();
            for constant in parts.encoder.terms.constants(&[o.fails]) {
                if let Some(cell) = parts.encoder.cell_of(constant) {
                    let there = self.at_end(parts, whole, arrival, cell);
                    meaning.insert(constant, there);
                }
            }
            let fails = meaning.apply(&mut parts.encoder.terms, o.fails);
            if self.possible(parts, arrival.reach, fails)? {
                let (check, loc) = (o.check, o.loc);
                return Ok(Some(Shown::Not { check, loc, kept }));
            }
        }
        Ok(None)
    }

    fn possible(&mut self, parts: &Parts<'_>, reach: Term, what: Term) -> Result<bool, Exhausted> {
        if what == Terms::FALSE {
            return Ok(false);
        }
        let terms = &parts.encoder.terms;
        let lits = [
            self.solver.literal(terms, reach),
            self.solver.literal(terms, what),
        ];
        Ok(self.solver.check(terms, &lits, self.budget)? != Answer::Unsat)
    }

    /// What a cell holds at the end of an edge, in the whole formula.
    fn at_end(
        &mut self,
        parts: &mut Parts<'_>,
        whole: &mut Whole,
        arrival: &Arrival,
        cell: CellId,
    ) -> Term {
        let t = parts.at_end(arrival.edge, cell);
        self.translate(parts, whole, arrival.part, t)
    }

    /// What a cell holds when a part starts, in the whole formula.
    fn at_start(
        &mut self,
        parts: &mut Parts<'_>,
        whole: &mut Whole,
        part: usize,
        cell: CellId,
    ) -> Term {
        if part == 0 {
            return parts.encoder.first_value(cell);
        }
        if let Some(t) = whole.starts[part].get(&cell) {
            return *t;
        }
        let cut = part - 1;
        let component = self.order.components[cut].as_ref();
        let changes = component.is_some_and(|c| c.changes.contains(&cell));
        let t = match changes || self.arrivals[cut].is_empty() {
            // Any value that the invariants admit.
            true => {
                let constant = parts.encoder.constant_of(cell);
                parts.encoder.terms.copy_at(constant, part)
            }
            false => {
                let mut merged: Option<Term> = None;
                for arrival in self.arrivals[cut].clone() {
                    let t = self.at_end(parts, whole, &arrival, cell);
                    merged = Some(match merged {
                        None => t,
                        Some(other) => parts.encoder.terms.ite(arrival.reach, t, other),
                    });
                }
                merged.expect("control comes to the cut")
            }
        };
        whole.starts[part].insert(cell, t);
        t
    }

    /// A term of a part in the whole formula: its cells are what they hold at its start, and what it asks for is
    /// its own.
    fn translate(
        &mut self,
        parts: &mut Parts<'_>,
        whole: &mut Whole,
        part: usize,
        t: Term,
    ) -> Term {
        for constant in parts.encoder.terms.constants(&[t]) {
            if whole.meaning[part].contains(constant) {
                continue;
            }
            let value = match parts.encoder.cell_of(constant) {
                Some(cell) => self.at_start(parts, whole, part, cell),
                // Terms of the whole stay as they are.
                None if part == 0 || parts.encoder.terms.is_copy(constant) => constant,
                None => parts.encoder.value_at(constant, part),
            };
            whole.meaning[part].insert(constant, value);
        }
        whole.meaning[part].apply(&mut parts.encoder.terms, t)
    }
}
