//! Abstract states and how they are found. An abstract state at a cut says which of the cut's predicates hold. Only states that
//! are reached are ever computed: a solver for each region is asked for a step from the states that are known to one that is not, until
//! there is none.

use crate::graph::{Edge, Graph, Local};
use cwolf_base::{Budget, Exhausted};
use cwolf_logic::{Answer, Lit, Model, Solver, Term, Terms};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// More states than this are not worth the wait.
const MOST: usize = 200_000;

/// Values of predicates of a cut, by their numbers. Those that became predicates later have none.
pub(super) type Values = Vec<bool>;

/// An abstract state that is reached.
struct State {
    cut: usize,
    values: Values,
    /// How it is reached: by this edge, from this state, or from the entry.
    edge: Edge,
    from: Option<usize>,
    /// In the solver of its region: implies its values.
    select: Lit,
    /// It was taken back: more is known about the predicates that matter there.
    gone: bool,
}

/// A step of an abstract path.
pub(super) struct Step {
    /// The abstract state that it starts in; none at the entry.
    pub(super) state: Option<usize>,
    /// The region that it takes.
    pub(super) region: usize,
    /// The edge that it leaves the region by; none where it goes wrong.
    pub(super) edge: Option<Edge>,
    /// Values that make the step possible.
    pub(super) model: Model,
}

/// What came of looking for abstract states.
pub(super) enum Found {
    /// No state goes wrong: for each cut, what holds there.
    Safe(Vec<Vec<Term>>),
    /// A path that goes wrong.
    Path(Vec<Step>),
}

pub(super) struct States {
    predicates: Vec<Vec<Term>>,
    locals: Vec<Local>,
    /// Literals of predicates at the start of each region.
    starts: Vec<Vec<Lit>>,
    /// Literals of predicates at the end of each edge.
    ends: FxHashMap<Edge, Vec<Lit>>,
    guards: FxHashMap<Edge, Lit>,
    bads: Vec<Lit>,
    states: Vec<State>,
    /// The states at each cut.
    at: Vec<Vec<usize>>,
    /// For each edge, a literal that excludes the states that are known at its end, and how many.
    news: FxHashMap<Edge, (Lit, usize)>,
    /// States whose steps along an edge are not yet computed; `None` is the entry.
    due: FxHashMap<Edge, Vec<Option<usize>>>,
    /// States of which it is not known whether they go wrong.
    unchecked: Vec<Vec<Option<usize>>>,
    /// Regions with something due, in the order in which they are taken, so that paths are short.
    waiting: VecDeque<usize>,
}

impl States {
    /// No states yet. The facts hold at the cuts.
    pub(super) fn new(graph: &mut Graph<'_>, facts: &[Term], budget: &Budget) -> States {
        let count = graph.regions.len();
        let mut locals: Vec<Local> = (0..count).map(|r| Local::new(graph, r, budget)).collect();
        for (cut, t) in facts.iter().enumerate() {
            locals[cut + 1].solver.assert(&graph.encoder.terms, *t);
        }
        let mut guards = FxHashMap::default();
        for edge in graph.edges.clone() {
            let guard = graph.guard(edge);
            guards.insert(edge, locals[edge.region].lit(graph, guard));
        }
        let mut bads = Vec::new();
        for (region, local) in locals.iter_mut().enumerate() {
            bads.push(local.lit(graph, graph.bad[region]));
        }
        let mut states = States {
            predicates: vec![Vec::new(); graph.cuts.len()],
            starts: vec![Vec::new(); count],
            ends: graph.edges.iter().map(|e| (*e, Vec::new())).collect(),
            guards,
            bads,
            states: Vec::new(),
            at: vec![Vec::new(); graph.cuts.len()],
            news: FxHashMap::default(),
            due: FxHashMap::default(),
            unchecked: vec![Vec::new(); count],
            waiting: VecDeque::new(),
            locals,
        };
        states.expect(graph, 0, None);
        states
    }

    /// How many states there are.
    pub(super) fn count(&self) -> usize {
        self.at.iter().map(Vec::len).sum()
    }
    /// How many predicates all cuts have.
    pub(super) fn predicate_count(&self) -> usize {
        self.predicates.iter().map(Vec::len).sum()
    }
    pub(super) fn predicates(&self, cut: usize) -> &[Term] {
        &self.predicates[cut]
    }
    /// The cut of a state.
    pub(super) fn cut(&self, state: usize) -> usize {
        self.states[state].cut
    }

    /// Adds a predicate to a cut; false if it is there already.
    pub(super) fn add_predicate(&mut self, graph: &mut Graph<'_>, cut: usize, t: Term) -> bool {
        let (t, _) = graph.encoder.terms.strip(t);
        if self.predicates[cut].contains(&t) {
            return false;
        }
        self.predicates[cut].push(t);
        let region = graph.region_of(cut);
        let lit = self.locals[region].lit(graph, t);
        self.starts[region].push(lit);
        for edge in graph.edges_into(cut) {
            let then = graph.before(edge, t);
            let lit = self.locals[edge.region].lit(graph, then);
            self.ends.entry(edge).or_default().push(lit);
        }
        true
    }

    /// Whether a state says something about a predicate of its cut.
    pub(super) fn tracks(&self, graph: &Graph<'_>, state: usize, t: Term) -> bool {
        let (t, _) = graph.encoder.terms.strip(t);
        let state = &self.states[state];
        let known = &self.predicates[state.cut][..state.values.len()];
        known.contains(&t)
    }

    /// Makes everything due that a new state, or the entry, may do.
    fn expect(&mut self, graph: &Graph<'_>, region: usize, state: Option<usize>) {
        self.unchecked[region].push(state);
        for edge in graph.edges.iter().filter(|e| e.region == region) {
            self.due.entry(*edge).or_default().push(state);
        }
        self.wait(region);
    }

    fn wait(&mut self, region: usize) {
        if !self.waiting.contains(&region) {
            self.waiting.push_back(region);
        }
    }

    /// Looks for all states, and stops at one that goes wrong.
    pub(super) fn explore(
        &mut self,
        graph: &mut Graph<'_>,
        budget: &Budget,
    ) -> Result<Found, Exhausted> {
        while let Some(region) = self.waiting.pop_front() {
            budget.check(self.count() as u64)?;
            if self.count() > MOST {
                return Err(Exhausted::Steps);
            }
            let unchecked = std::mem::take(&mut self.unchecked[region]);
            if let Some(from) = self.step(graph, region, &unchecked, self.bads[region], budget)? {
                self.unchecked[region] = unchecked;
                self.wait(region);
                return Ok(Found::Path(self.path(graph, from, budget)?));
            }
            for edge in graph.edges.clone() {
                if edge.region == region {
                    let due = self.due.remove(&edge).unwrap_or_default();
                    self.follow(graph, edge, &due, budget)?;
                }
            }
        }
        Ok(Found::Safe(self.invariants(graph)))
    }

    /// Whether one of the states can do what `wanted` says, and which.
    fn step(
        &mut self,
        graph: &Graph<'_>,
        region: usize,
        from: &[Option<usize>],
        wanted: Lit,
        budget: &Budget,
    ) -> Result<Option<Option<usize>>, Exhausted> {
        if from.is_empty() {
            return Ok(None);
        }
        let some = self.some(region, from);
        let solver = &mut self.locals[region].solver;
        let answer = solver.check(&graph.encoder.terms, &[some, wanted], budget)?;
        let found = (answer == Answer::Sat).then(|| self.holder(region, from));
        self.locals[region].solver.clause(&[!some]);
        Ok(found)
    }

    /// A literal that implies one of the states.
    fn some(&mut self, region: usize, from: &[Option<usize>]) -> Lit {
        let solver = &mut self.locals[region].solver;
        let some = solver.fresh();
        if !from.contains(&None) {
            let mut clause = vec![!some];
            clause.extend(from.iter().flatten().map(|s| self.states[*s].select));
            solver.clause(&clause);
        }
        some
    }

    /// The state that a region's model starts in.
    fn holder(&self, region: usize, from: &[Option<usize>]) -> Option<usize> {
        let solver = &self.locals[region].solver;
        let mut held = from.iter().flatten();
        held.find(|s| solver.value(self.states[**s].select))
            .copied()
    }

    /// Adds the states that an edge leads to.
    fn follow(
        &mut self,
        graph: &mut Graph<'_>,
        edge: Edge,
        from: &[Option<usize>],
        budget: &Budget,
    ) -> Result<(), Exhausted> {
        if from.is_empty() {
            return Ok(());
        }
        let some = self.some(edge.region, from);
        loop {
            let new = self.new_at(edge);
            let assumptions = [some, self.guards[&edge], new];
            let solver = &mut self.locals[edge.region].solver;
            if solver.check(&graph.encoder.terms, &assumptions, budget)? != Answer::Sat {
                break;
            }
            let values: Values = self.ends[&edge].iter().map(|l| solver.value(*l)).collect();
            let parent = self.holder(edge.region, from);
            self.reach(graph, edge, parent, values);
            if self.count() > MOST {
                return Err(Exhausted::Steps);
            }
        }
        self.locals[edge.region].solver.clause(&[!some]);
        Ok(())
    }

    /// A literal that excludes the known states at the end of an edge.
    fn new_at(&mut self, edge: Edge) -> Lit {
        let solver = &mut self.locals[edge.region].solver;
        let (new, count) = *self.news.entry(edge).or_insert_with(|| (solver.fresh(), 0));
        let ends = &self.ends[&edge];
        for state in &self.at[edge.to][count..] {
            let values = self.states[*state].values.iter().zip(ends);
            let mut clause: Vec<Lit> = values.map(|(v, l)| if *v { !*l } else { *l }).collect();
            clause.push(!new);
            solver.clause(&clause);
        }
        self.news.insert(edge, (new, self.at[edge.to].len()));
        new
    }

    fn reach(&mut self, graph: &Graph<'_>, edge: Edge, from: Option<usize>, values: Values) {
        let region = graph.region_of(edge.to);
        let solver = &mut self.locals[region].solver;
        let select = solver.fresh();
        for (v, l) in values.iter().zip(&self.starts[region]) {
            solver.clause(&[!select, if *v { *l } else { !*l }]);
        }
        let id = self.states.len();
        self.states.push(State {
            cut: edge.to,
            values,
            edge,
            from,
            select,
            gone: false,
        });
        self.at[edge.to].push(id);
        self.expect(graph, region, Some(id));
    }

    /// The path to a state, or the entry, that goes wrong.
    fn path(
        &mut self,
        graph: &Graph<'_>,
        last: Option<usize>,
        budget: &Budget,
    ) -> Result<Vec<Step>, Exhausted> {
        let mut steps = Vec::new();
        let mut here = last;
        let mut next: Option<usize> = None;
        loop {
            let region = here.map_or(0, |s| graph.region_of(self.states[s].cut));
            let edge = next.map(|s| self.states[s].edge);
            let mut assumptions: Vec<Lit> = Vec::new();
            assumptions.extend(here.map(|s| self.states[s].select));
            match (edge, next) {
                (Some(edge), Some(next)) => {
                    assumptions.push(self.guards[&edge]);
                    let values = self.states[next].values.iter().zip(&self.ends[&edge]);
                    assumptions.extend(values.map(|(v, l)| if *v { *l } else { !*l }));
                }
                _ => assumptions.push(self.bads[region]),
            }
            let solver = &mut self.locals[region].solver;
            // It was possible when the state was found.
            solver.check(&graph.encoder.terms, &assumptions, budget)?;
            let model = solver.model(&graph.encoder.terms);
            steps.push(Step {
                state: here,
                region,
                edge,
                model,
            });
            let Some(state) = here else {
                break;
            };
            next = here;
            here = self.states[state].from;
        }
        steps.reverse();
        Ok(steps)
    }

    /// Takes back a state and all that were reached through it. What they covered is due again.
    pub(super) fn take_back(&mut self, graph: &Graph<'_>, state: usize) {
        // States come after those that they were reached from.
        self.states[state].gone = true;
        for n in state + 1..self.states.len() {
            let from = self.states[n].from;
            self.states[n].gone |= from.is_some_and(|f| self.states[f].gone);
        }
        let states = &self.states;
        let gone = |s: &Option<usize>| s.is_some_and(|s| states[s].gone);
        self.unchecked
            .iter_mut()
            .for_each(|u| u.retain(|s| !gone(s)));
        self.due.values_mut().for_each(|u| u.retain(|s| !gone(s)));
        for cut in 0..self.at.len() {
            let before = self.at[cut].len();
            self.at[cut].retain(|s| !states[*s].gone);
            if self.at[cut].len() == before {
                continue;
            }
            for edge in graph.edges_into(cut) {
                if let Some((new, _)) = self.news.remove(&edge) {
                    self.locals[edge.region].solver.clause(&[!new]);
                }
                let all: Vec<Option<usize>> = match edge.region {
                    0 => vec![None],
                    region => self.at[region - 1].iter().map(|s| Some(*s)).collect(),
                };
                self.due.insert(edge, all);
            }
        }
        // The lists were made before later cuts lost states.
        let gone = |s: &Option<usize>| s.is_some_and(|s| states[s].gone);
        self.due.values_mut().for_each(|d| d.retain(|s| !gone(s)));
        for edge in &graph.edges {
            if self.due.get(edge).is_some_and(|d| !d.is_empty()) {
                self.wait(edge.region);
            }
        }
        for region in 0..self.unchecked.len() {
            if !self.unchecked[region].is_empty() {
                self.wait(region);
            }
        }
    }

    /// What holds at each cut: what all of its states agree on, one by one, and that one of them holds.
    fn invariants(&self, graph: &mut Graph<'_>) -> Vec<Vec<Term>> {
        let mut all = Vec::new();
        for (cut, list) in self.at.iter().enumerate() {
            let terms = &mut graph.encoder.terms;
            let values = |n: usize| {
                let value = move |s: &usize| self.states[*s].values.get(n).copied();
                list.iter().map(value)
            };
            let count = self.predicates[cut].len();
            let mut common: Vec<Option<bool>> = Vec::new();
            for n in 0..count {
                let first = values(n).next().flatten();
                common.push(first.filter(|v| values(n).all(|other| other == Some(*v))));
            }
            let literal = |terms: &mut Terms, n: usize, value: bool| {
                let t = self.predicates[cut][n];
                if value { t } else { terms.not(t) }
            };
            let mut facts = Vec::new();
            for (n, value) in common.iter().enumerate() {
                facts.extend(value.map(|v| literal(terms, n, v)));
            }
            let mut any = Vec::new();
            for state in list {
                let values = self.states[*state].values.iter().enumerate();
                let own = values.filter(|(n, _)| common[*n].is_none());
                let own: Vec<Term> = own.map(|(n, v)| literal(terms, n, *v)).collect();
                any.push(terms.and_all(own));
            }
            facts.push(terms.or_all(any));
            all.push(facts);
        }
        all
    }
}
