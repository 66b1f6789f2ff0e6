//! The program as a graph of regions between cuts: what the proving engines work on.

use crate::loop_facts;
use crate::numeric;
use crate::task::{Invariant, Outcome, Task, Verdict};
use cwolf_base::{Budget, Exhausted};
use cwolf_encode::{Bounds, CellId, Cut, Encoder, Mode, Options, Region, Start, Why};
use cwolf_logic::{
    Answer, BinOp, BitBlaster, Lit, Node, Solver, Sort, Substitution, Term, Terms, UnOp,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;

/// A way from a region to a cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Edge {
    /// The region: 0 is the one from the entry, `n + 1` the one from cut `n`.
    pub(crate) region: usize,
    /// The exit of the region.
    pub(crate) exit: usize,
    /// The cut that it leads to.
    pub(crate) to: usize,
}

/// Regions and the ways between them.
pub(crate) struct Graph<'p> {
    pub(crate) encoder: Encoder<'p>,
    pub(crate) cuts: Vec<Cut>,
    pub(crate) regions: Vec<Region>,
    /// What cells are known to hold at each cut.
    pins: Vec<Pins>,
    pub(crate) edges: Vec<Edge>,
    /// When a region goes wrong.
    pub(crate) bad: Vec<Term>,
    /// What holds of the pointers that a region starts with, and the facts there.
    pub(crate) given: Vec<Term>,
    /// The same without facts.
    pub(crate) bare: Vec<Term>,
    /// What the numeric analysis says at each cut, proved once more.
    facts: Vec<Term>,
    substitutions: FxHashMap<(usize, usize), Substitution>,
    relevant: Option<FxHashSet<CellId>>,
    elements: Option<Elements>,
}

/// What facts about all elements of arrays need.
struct Elements {
    /// Stands for every index in a fact.
    every: Term,
    /// Stands for another one, if facts are about two.
    other: Option<Term>,
    /// The indices that each region uses.
    used: Vec<Vec<Term>>,
    /// The cells that matter after each cut.
    live: Vec<FxHashSet<CellId>>,
    /// Facts with an index in the place of every one, and with one in the place of the other.
    at: FxHashMap<(Term, Term), Substitution>,
}

/// The sort of an index.
const INDEX: Sort = Sort::Bv(32);
/// A region knows facts about all elements for so many indices.
const INSTANCES: usize = 16;
/// And facts about two of them for all pairs of so many, with those that stand for all.
const PAIRED: usize = 6;

const BOUNDS: Bounds = Bounds {
    rounds: 0,
    known_rounds: 0,
    blocks: u64::MAX,
    terms: crate::bmc::TERMS,
};

impl<'p> Graph<'p> {
    /// Encodes the whole program; an error text if something cannot be encoded on a way that
    /// the graph itself does not exclude.
    pub(crate) fn new(task: &Task<'p>, budget: &Budget) -> Result<Graph<'p>, Exhausted> {
        let options = Options {
            checks: task.checks,
            error_functions: task.error_functions.clone(),
            mode: Mode::Cuts,
            proved: numeric::proved(task),
        };
        let mut encoder = Encoder::new(task.program, options);
        loop {
            let revision = encoder.revision();
            let (cuts, regions, pins) = encode(&mut encoder, task, budget)?;
            // Objects that were found later may be what earlier pointers point to.
            if encoder.revision() != revision {
                encoder.forget_domains();
                continue;
            }
            let mut graph = Graph {
                encoder,
                cuts,
                regions,
                pins,
                edges: Vec::new(),
                bad: Vec::new(),
                given: Vec::new(),
                bare: Vec::new(),
                facts: Vec::new(),
                substitutions: FxHashMap::default(),
                relevant: None,
                elements: None,
            };
            graph.connect();
            graph.check_pointers(budget)?;
            if graph.encoder.revision() == revision {
                graph.learn(task, budget)?;
                return Ok(graph);
            }
            encoder = graph.encoder;
            encoder.forget_domains();
        }
    }

    /// Adds facts to what is given.
    fn learn(&mut self, task: &Task<'p>, budget: &Budget) -> Result<(), Exhausted> {
        self.bare = self.given.clone();
        let facts = numeric::facts(self, task, budget)?;
        for (cut, facts) in facts.into_iter().enumerate() {
            let all = self.encoder.terms.and_all(facts);
            let region = self.region_of(cut);
            self.given[region] = self.encoder.terms.and(self.given[region], all);
            self.facts.push(all);
        }
        Ok(())
    }

    /// Whatever a pointer is when control comes to a cut, the constant that stands for it there
    /// must admit.
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

    fn connect(&mut self) {
        let numbers: FxHashMap<Cut, usize> =
            self.cuts.iter().enumerate().map(|(n, c)| (*c, n)).collect();
        for n in 0..self.regions.len() {
            for (exit, e) in self.regions[n].exits.iter().enumerate() {
                self.edges.push(Edge {
                    region: n,
                    exit,
                    to: numbers[&e.to],
                });
            }
            let region = &self.regions[n];
            let fails: Vec<Term> = region.obligations.iter().map(|o| o.fails).collect();
            let open: Vec<Term> = region.incomplete.iter().map(|i| i.0).collect();
            let bad = self.encoder.terms.or_all(fails.into_iter().chain(open));
            self.bad.push(bad);
            let mut roots = vec![bad];
            roots.extend(self.regions[n].exits.iter().map(|e| e.guard));
            for e in &self.regions[n].exits {
                roots.extend(e.state.cells().map(|(_, t)| t));
            }
            let given = self.encoder.given(&roots);
            self.given.push(given);
        }
    }

    pub(crate) fn terms(&mut self) -> &mut Terms {
        &mut self.encoder.terms
    }

    /// The region that starts at a cut.
    pub(crate) fn region_of(&self, cut: usize) -> usize {
        cut + 1
    }

    /// The ways that lead to a cut.
    pub(crate) fn edges_into(&self, cut: usize) -> Vec<Edge> {
        self.edges.iter().copied().filter(|e| e.to == cut).collect()
    }

    /// When control goes along an edge.
    pub(crate) fn guard(&self, edge: Edge) -> Term {
        self.regions[edge.region].exits[edge.exit].guard
    }

    /// What a cell holds at the end of an edge.
    pub(crate) fn at_end(&mut self, edge: Edge, cell: CellId) -> Term {
        let state = &self.regions[edge.region].exits[edge.exit].state;
        match state.get(cell) {
            Some(t) => t,
            None if edge.region == 0 => self.encoder.first_value(cell),
            None => match self.pins[edge.region - 1].get(&cell) {
                Some(t) => *t,
                None => self.encoder.constant_of(cell),
            },
        }
    }

    /// `t`, a term about the state at the end of an edge, as one about its start.
    pub(crate) fn before(&mut self, edge: Edge, t: Term) -> Term {
        let key = (edge.region, edge.exit);
        let mut substitution = self.substitutions.remove(&key).unwrap_or_default();
        for constant in substitution.missing(&self.encoder.terms, t) {
            if let Some(cell) = self.encoder.cell_of(constant) {
                let value = self.at_end(edge, cell);
                substitution.insert(constant, value);
            }
        }
        let result = substitution.apply(&mut self.encoder.terms, t);
        self.substitutions.insert(key, substitution);
        result
    }

    /// What the encoding takes for constant at a cut though the region from there writes to it.
    pub(crate) fn pinned(&mut self, cut: usize) -> Vec<Term> {
        let exits = &self.regions[self.region_of(cut)].exits;
        let written: FxHashSet<CellId> = exits
            .iter()
            .flat_map(|e| e.state.cells().map(|(c, _)| c))
            .collect();
        let pins = self.pins[cut].iter();
        let mut pins: Vec<(CellId, Term)> = pins
            .filter(|(c, _)| written.contains(c))
            .map(|(c, t)| (*c, *t))
            .collect();
        pins.sort_unstable();
        let mut found = Vec::new();
        for (cell, t) in pins {
            let c = self.encoder.constant_of(cell);
            found.push(self.encoder.terms.eq(c, t));
        }
        found
    }

    /// The cells that decide where control goes and what goes wrong, now or later.
    pub(crate) fn relevant(&mut self) -> FxHashSet<CellId> {
        if let Some(known) = &self.relevant {
            return known.clone();
        }
        let mut roots = self.bad.clone();
        roots.extend(self.edges.iter().map(|e| self.guard(*e)));
        let found = self.cone(roots);
        self.relevant = Some(found.clone());
        found
    }

    /// The cells that some terms depend on, directly or by what regions write to others.
    pub(crate) fn cone(&mut self, roots: Vec<Term>) -> FxHashSet<CellId> {
        let mut found = FxHashSet::default();
        let mut work = roots;
        while !work.is_empty() {
            let constants = self.encoder.terms.constants(&work);
            work.clear();
            for constant in constants {
                let Some(cell) = self.encoder.cell_of(constant) else {
                    continue;
                };
                if !found.insert(cell) {
                    continue;
                }
                for edge in self.edges.clone() {
                    work.push(self.at_end(edge, cell));
                }
            }
        }
        found
    }

    /// For each cut, the cells whose contents there matter later, and those that are kept for what they say of arrays: where
    /// constants are written.
    fn live(&mut self) -> Vec<FxHashSet<CellId>> {
        let cells_of = |graph: &Graph<'_>, roots: &[Term]| {
            let constants = graph.encoder.terms.constants(roots);
            let cells = constants.into_iter();
            let cells = cells.filter_map(|c| graph.encoder.cell_of(c));
            cells.collect::<FxHashSet<CellId>>()
        };
        let mut kept = Vec::new();
        for region in 0..self.regions.len() {
            kept.extend(self.places_of_constants(region));
        }
        let kept = cells_of(self, &kept);
        let mut live: Vec<FxHashSet<CellId>> = Vec::new();
        for cut in 0..self.cuts.len() {
            let region = self.region_of(cut);
            let exits = self.regions[region].exits.iter().map(|e| e.guard);
            let roots: Vec<Term> = exits.chain([self.bad[region]]).collect();
            live.push(cells_of(self, &roots));
        }
        let mut changed = true;
        while changed {
            changed = false;
            for edge in self.edges.clone().into_iter().rev() {
                if edge.region == 0 {
                    continue;
                }
                let later: Vec<CellId> = live[edge.to].iter().copied().collect();
                let values: Vec<Term> = later.iter().map(|c| self.at_end(edge, *c)).collect();
                let before = live[edge.region - 1].len();
                let read = cells_of(self, &values);
                live[edge.region - 1].extend(read);
                changed |= live[edge.region - 1].len() > before;
            }
        }
        for live in &mut live {
            live.extend(kept.iter().copied());
        }
        live
    }

    /// The indices at which a region writes constants to arrays, and that memory says where it starts.
    fn places_of_constants(&self, region: usize) -> Vec<Term> {
        let terms = &self.encoder.terms;
        let mut found = Vec::new();
        self.for_each_term(region, |t| {
            if let Node::Store(_, index, value) = terms.node(t)
                && terms.as_bv(value).is_some()
                && self.is_about_state(index)
            {
                found.push(index);
            }
        });
        found
    }

    /// All terms that a region computes, each once.
    fn for_each_term(&self, region: usize, mut visit: impl FnMut(Term)) {
        let mut seen = FxHashSet::default();
        let mut work = crate::candidates::roots(self, region);
        while let Some(t) = work.pop() {
            if seen.insert(t) {
                visit(t);
                self.encoder.terms.for_each_operand(t, |o| work.push(o));
            }
        }
    }

    /// Whether all numbers that a term speaks of play a part after a cut. What an array holds, others may have copies of.
    pub(crate) fn matters(&self, cut: usize, t: Term) -> bool {
        let Some(elements) = &self.elements else {
            return true;
        };
        let constants = self.encoder.terms.constants(&[t]);
        let mut cells = constants.iter().filter_map(|c| self.encoder.cell_of(*c));
        cells.all(|c| {
            let array = matches!(self.encoder.cell_sort(c), Sort::Array { .. });
            array || elements.live[cut].contains(&c)
        })
    }

    /// Whether a term speaks only about memory, not about values that a region asks for.
    pub(crate) fn is_about_state(&self, t: Term) -> bool {
        let constants = self.encoder.terms.constants(&[t]);
        constants.iter().all(|c| self.encoder.cell_of(*c).is_some())
    }

    /// From now on, terms at cuts may speak of all elements: the constant that is returned stands for every
    /// index. A region knows such a term for that constant and for the indices that it uses itself.
    pub(crate) fn quantify(&mut self) -> Term {
        if let Some(elements) = &self.elements {
            return elements.every;
        }
        let every = self.encoder.terms.fresh("every", INDEX);
        let used = (0..self.regions.len()).map(|r| self.indices(r)).collect();
        let live = self.live();
        let at = FxHashMap::default();
        self.elements = Some(Elements {
            every,
            other: None,
            used,
            live,
            at,
        });
        every
    }

    /// The same for a second index, in facts about two elements.
    pub(crate) fn quantify_pairs(&mut self) -> Term {
        self.quantify();
        let known = self.elements.as_ref().and_then(|e| e.other);
        known.unwrap_or_else(|| {
            let other = self.encoder.terms.fresh("other", INDEX);
            if let Some(elements) = &mut self.elements {
                elements.other = Some(other);
            }
            other
        })
    }

    /// The indices at which a region reads or writes arrays.
    fn indices(&self, region: usize) -> Vec<Term> {
        let terms = &self.encoder.terms;
        let mut found = Vec::new();
        self.for_each_term(region, |t| match terms.node(t) {
            Node::Bin(BinOp::Select, _, i) | Node::Store(_, i, _) => found.push(i),
            _ => {}
        });
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The indices that a region uses, if terms speak of all elements.
    pub(crate) fn used(&self, region: usize) -> Vec<Term> {
        let elements = self.elements.as_ref();
        elements.map_or_else(Vec::new, |e| e.used[region].clone())
    }

    /// What a region may know of a term that holds where it starts: the term, and if that is about all elements,
    /// the same for each index that the region uses.
    pub(crate) fn instances(&mut self, region: usize, t: Term) -> Vec<Term> {
        let mut all = vec![t];
        let Some(elements) = &mut self.elements else {
            return all;
        };
        let terms = &mut self.encoder.terms;
        let constants = terms.constants(&[t]);
        let (every, used) = (elements.every, &elements.used[region]);
        let has_every = constants.contains(&every);
        let other = elements.other.filter(|o| constants.contains(o));
        let pairs: Vec<(Term, Term)> = match other {
            None if !has_every => return all,
            None => used.iter().take(INSTANCES).map(|i| (*i, every)).collect(),
            Some(other) => {
                let few = used.iter().take(PAIRED).copied();
                let firsts: Vec<Term> = few.clone().chain([every]).collect();
                let pairs = |x: Term| few.clone().chain([other]).map(move |y| (x, y));
                firsts.into_iter().flat_map(pairs).collect()
            }
        };
        for (x, y) in pairs {
            let new = || match other {
                None => Substitution::new([(every, x)]),
                Some(other) => Substitution::new([(every, x), (other, y)]),
            };
            let at = elements.at.entry((x, y)).or_insert_with(new);
            let t = at.apply(terms, t);
            if t != Terms::TRUE {
                all.push(t);
            }
        }
        all
    }

    /// `t`, a term at a cut, with what the encoding takes for constant there.
    pub(crate) fn with_pins(&mut self, cut: usize, t: Term) -> Term {
        let mut pairs = Vec::new();
        for constant in self.encoder.terms.constants(&[t]) {
            let cell = self.encoder.cell_of(constant);
            if let Some(value) = cell.and_then(|c| self.pins[cut].get(&c)) {
                pairs.push((constant, *value));
            }
        }
        Substitution::new(pairs).apply(&mut self.encoder.terms, t)
    }

    /// Why a part of the program could not be encoded, if a region has such parts.
    pub(crate) fn unsupported(&self) -> Option<String> {
        let all = self.regions.iter().flat_map(|r| &r.incomplete);
        let mut texts = all.filter_map(|(_, why)| match why {
            Why::Unsupported(text) => Some(text.clone()),
            Why::Unwinding | Why::Bounded => None,
        });
        texts.next()
    }

    /// Whether `invariants`, one term for each cut, are what they claim: they hold when first
    /// reached, each region keeps them, and none goes wrong under them. In a fresh solver.
    pub(crate) fn check_proof(
        &mut self,
        invariants: &[Term],
        budget: &Budget,
    ) -> Result<bool, Exhausted> {
        let bad = self.bad.clone();
        self.check_regions(invariants, &bad, budget)
    }

    /// The same, but what must not happen in each region is given by `bad`.
    pub(crate) fn check_regions(
        &mut self,
        invariants: &[Term],
        bad: &[Term],
        budget: &Budget,
    ) -> Result<bool, Exhausted> {
        // Facts are a part of the proof.
        let both = invariants.iter().zip(self.facts.clone());
        let invariants: Vec<Term> = both.map(|(a, b)| self.encoder.terms.and(*a, b)).collect();
        for region in 0..self.regions.len() {
            let mut solver = BitBlaster::within(budget);
            let given = self.bare[region];
            solver.assert(&self.encoder.terms, given);
            if region > 0 {
                for t in self.instances(region, invariants[region - 1]) {
                    solver.assert(&self.encoder.terms, t);
                }
            }
            let mut questions = vec![bad[region]];
            let edges: Vec<Edge> = self
                .edges
                .iter()
                .copied()
                .filter(|e| e.region == region)
                .collect();
            for edge in edges {
                let kept = self.before(edge, invariants[edge.to]);
                let lost = self.encoder.terms.not(kept);
                let guard = self.guard(edge);
                questions.push(self.encoder.terms.and(guard, lost));
            }
            for question in questions {
                let lit = solver.literal(&self.encoder.terms, question);
                if solver.check(&self.encoder.terms, &[lit], budget)? != Answer::Unsat {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// Facts at loop heads as C expressions, where C can say them.
    pub(crate) fn tell(&self, facts: &[(usize, Term)]) -> Vec<Invariant> {
        loop_facts::all(&self.encoder, &self.cuts, facts)
    }

    /// The same for facts that hold together: without those that follow from others.
    pub(crate) fn tell_fewest(
        &mut self,
        facts: &[(usize, Term)],
        budget: &Budget,
    ) -> Vec<Invariant> {
        loop_facts::fewest(&mut self.encoder, &self.cuts, facts, budget)
    }

    /// The atoms of a boolean term: comparisons and boolean constants, also inside the numbers
    /// that they compare.
    pub(crate) fn atoms(&self, roots: &[Term]) -> Vec<Term> {
        let terms = &self.encoder.terms;
        let mut seen = FxHashSet::default();
        let mut found = Vec::new();
        let mut work = roots.to_vec();
        while let Some(t) = work.pop() {
            if !seen.insert(t) {
                continue;
            }
            let boolean = terms.sort(t) == Sort::Bool;
            match terms.node(t) {
                Node::Bin(BinOp::Eq, a, _) if terms.sort(a) == Sort::Bool => {}
                Node::Bin(BinOp::Eq | BinOp::Ult | BinOp::Slt, ..) => found.push(t),
                Node::Const(_) | Node::Float(..) if boolean => found.push(t),
                _ => {}
            }
            terms.for_each_operand(t, |o| work.push(o));
        }
        found.sort_unstable();
        found
    }
}

/// What cells are known to hold at a cut.
type Pins = FxHashMap<CellId, Term>;

/// Regions while they are encoded. What a cell holds at a cut is taken for a constant as long as
/// every way there says so; when one says otherwise, the region is encoded anew.
struct Regions {
    cuts: Vec<Cut>,
    regions: Vec<Option<Region>>,
    pins: Vec<Pins>,
    due: VecDeque<usize>,
}

impl Regions {
    /// What holds at the end of a way from a region whose own start is pinned, or from the entry.
    fn arrive(
        &mut self,
        encoder: &mut Encoder<'_>,
        from: Option<usize>,
        exit: &cwolf_encode::Exit,
    ) {
        let start = from.map(|n| self.pins[n].clone());
        let value = |encoder: &mut Encoder<'_>, cell: CellId| {
            let t = match exit.state.get(cell) {
                Some(t) => Some(t),
                None => match &start {
                    Some(pins) => pins.get(&cell).copied(),
                    None => encoder.first_constant(cell),
                },
            };
            // What is true of numbers is for invariants to say: they are told, and checked again.
            let t = match encoder.cell_number(cell) {
                Some(_) => t?,
                None => chosen(&encoder.terms, exit.guard, t?),
            };
            let known =
                |t: &Term| encoder.terms.as_bv(*t).is_some() || encoder.terms.as_bool(*t).is_some();
            let t = Some(t).filter(known)?;
            (!encoder.leads_to_several(cell, t)).then_some(t)
        };
        let Some(n) = self.cuts.iter().position(|c| *c == exit.to) else {
            let mut pins = Pins::default();
            for cell in encoder.cells() {
                if let Some(t) = value(encoder, cell) {
                    pins.insert(cell, t);
                }
            }
            self.cuts.push(exit.to);
            self.regions.push(None);
            self.pins.push(pins);
            self.due.push_back(self.cuts.len() - 1);
            return;
        };
        let before = self.pins[n].len();
        let mut pins = std::mem::take(&mut self.pins[n]);
        pins.retain(|cell, t| value(encoder, *cell) == Some(*t));
        self.pins[n] = pins;
        if self.pins[n].len() < before && !self.due.contains(&n) {
            self.due.push_back(n);
        }
    }
}

/// What is left of a choice if a condition holds, as far as the condition says plainly: an allocated block, after a test for null.
fn chosen(terms: &Terms, condition: Term, t: Term) -> Term {
    match terms.node(t) {
        Node::Ite(c, a, _) if says(terms, condition, c, true) => chosen(terms, condition, a),
        Node::Ite(c, _, b) if says(terms, condition, c, false) => chosen(terms, condition, b),
        _ => t,
    }
}

/// Whether a condition is a conjunction that has another as a part, or its opposite.
fn says(terms: &Terms, condition: Term, part: Term, holds: bool) -> bool {
    let mut work = vec![(condition, true)];
    let mut left = 1000;
    while let Some((t, sign)) = work.pop() {
        if t == part && sign == holds {
            return true;
        }
        left -= 1;
        if left == 0 {
            return false;
        }
        match (terms.node(t), sign) {
            (Node::Un(UnOp::Not, t), _) => work.push((t, !sign)),
            (Node::Bin(BinOp::And, a, b), true) => work.extend([(a, true), (b, true)]),
            _ => {}
        }
    }
    false
}

/// Cuts, the regions from the entry and from each cut, and what is pinned at each cut.
type Encoded = (Vec<Cut>, Vec<Region>, Vec<Pins>);

fn encode(
    encoder: &mut Encoder<'_>,
    task: &Task<'_>,
    budget: &Budget,
) -> Result<Encoded, Exhausted> {
    let mut all = Regions {
        cuts: Vec::new(),
        regions: Vec::new(),
        pins: Vec::new(),
        due: VecDeque::new(),
    };
    let entry = encoder.region(Start::Entry(task.entry), BOUNDS, budget, &mut |_, _| {
        Ok(true)
    })?;
    for exit in &entry.exits {
        all.arrive(encoder, None, exit);
    }
    while let Some(n) = all.due.pop_front() {
        budget.tell(|| format!("encoding: loop head {} of {}", n + 1, all.cuts.len()));
        encoder.pin(all.pins[n].clone());
        let start = Start::Cut(all.cuts[n]);
        let region = encoder.region(start, BOUNDS, budget, &mut |_, _| Ok(true))?;
        for exit in &region.exits {
            all.arrive(encoder, Some(n), exit);
        }
        all.regions[n] = Some(region);
    }
    encoder.pin(Pins::default());
    let mut regions = vec![entry];
    regions.extend(all.regions.into_iter().flatten());
    Ok((all.cuts, regions, all.pins))
}

/// A solver that knows one region, with literals for terms about its start and its ends.
pub(crate) struct Local {
    pub(crate) solver: BitBlaster,
    region: usize,
    /// Literals for terms about all elements.
    held: FxHashMap<Term, Lit>,
}

impl Local {
    pub(crate) fn new(graph: &Graph<'_>, region: usize, budget: &Budget) -> Local {
        let mut solver = BitBlaster::within(budget);
        solver.assert(&graph.encoder.terms, graph.given[region]);
        Local {
            solver,
            region,
            held: FxHashMap::default(),
        }
    }
    /// A literal that is true only if a term holds where the region starts, for all elements that it speaks of.
    pub(crate) fn holds(&mut self, graph: &mut Graph<'_>, t: Term) -> Lit {
        if let Some(lit) = self.held.get(&t) {
            return *lit;
        }
        let all = graph.instances(self.region, t);
        let lit = match all.as_slice() {
            [one] => self.lit(graph, *one),
            _ => {
                let held = self.solver.fresh();
                for t in all {
                    let lit = self.lit(graph, t);
                    self.solver.clause(&[!held, lit]);
                }
                held
            }
        };
        self.held.insert(t, lit);
        lit
    }
    pub(crate) fn lit(&mut self, graph: &Graph<'_>, t: Term) -> Lit {
        self.solver.literal(&graph.encoder.terms, t)
    }
}

/// The outcome of a search on the graph of a task. The search may tell its predicates.
pub(crate) fn on_graph(
    task: &Task<'_>,
    budget: &Budget,
    search: impl FnOnce(&mut Graph<'_>, &mut Vec<Invariant>) -> Result<Verdict, Exhausted> + Send,
) -> Outcome {
    cwolf_base::with_stack(|| {
        let mut graph = match Graph::new(task, budget) {
            Ok(graph) => graph,
            Err(why) => return Outcome::unknown(why.to_string()),
        };
        let mut predicates = Vec::new();
        let verdict = match search(&mut graph, &mut predicates) {
            Ok(verdict) => verdict,
            Err(why) => Verdict::unknown(why.to_string()),
        };
        Outcome {
            verdict,
            assumptions: graph.encoder.assumptions(),
            predicates,
        }
    })
}
