//! Frames: for each level and loop head, clauses over predicates that hold of every state that
//! comes there in so many steps.

use crate::graph::{Edge, Graph, Local};
use cwolf_base::{Budget, Exhausted};
use cwolf_logic::{Answer, Lit, Model, Solver, Term};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Literals over the predicates of a cut: number and value.
pub(super) type Cube = Vec<(usize, bool)>;

/// A clause: no state in the cube is reached within `level` steps.
struct Lemma {
    cut: usize,
    cube: Cube,
    level: usize,
}

/// A step of an abstract path.
#[derive(Clone)]
pub(super) struct Step {
    /// The cut that it starts at; none for the entry.
    pub(super) cut: Option<usize>,
    /// The edge that it takes; none where it goes wrong.
    pub(super) edge: Option<Edge>,
    /// Values that make the step possible.
    pub(super) model: Model,
}

/// An abstract path from the entry to a failure.
pub(super) struct Path {
    pub(super) steps: Vec<Step>,
}

impl Path {
    pub(super) fn edges(&self) -> Vec<Edge> {
        self.steps.iter().filter_map(|s| s.edge).collect()
    }
}

/// What came of looking for abstract paths.
pub(super) enum Blocked {
    /// There are none: the invariant of each cut.
    Proved(Vec<Term>),
    /// None of this length.
    Deeper,
    /// One.
    Path(Path),
}

/// Something to be shown unreachable.
struct Obligation {
    cut: usize,
    cube: Cube,
    /// The step that leads on from here.
    step: Step,
    next: Option<usize>,
}

pub(super) struct Frames {
    predicates: Vec<Vec<Term>>,
    locals: Vec<Local>,
    /// Literals of predicates at the start of each region.
    starts: Vec<Vec<Lit>>,
    /// Literals of predicates at the end of each edge.
    ends: FxHashMap<(usize, usize), Vec<Lit>>,
    guards: FxHashMap<(usize, usize), Lit>,
    bads: Vec<Lit>,
    /// For each region, the literals that switch the clauses of each level on.
    levels: Vec<Vec<Lit>>,
    lemmas: Vec<Lemma>,
    depth: usize,
}

impl Frames {
    pub(super) fn new(graph: &mut Graph<'_>, known: &[Term], budget: &Budget) -> Frames {
        let count = graph.regions.len();
        let mut locals: Vec<Local> = (0..count).map(|r| Local::new(graph, r, budget)).collect();
        for (cut, t) in known.iter().enumerate() {
            locals[cut + 1].solver.assert(&graph.encoder.terms, *t);
        }
        let mut guards = FxHashMap::default();
        let mut ends = FxHashMap::default();
        for edge in graph.edges.clone() {
            let guard = graph.guard(edge);
            let lit = locals[edge.region].lit(graph, guard);
            guards.insert((edge.region, edge.exit), lit);
            ends.insert((edge.region, edge.exit), Vec::new());
        }
        let mut bads = Vec::new();
        for (region, local) in locals.iter_mut().enumerate() {
            bads.push(local.lit(graph, graph.bad[region]));
        }
        Frames {
            predicates: vec![Vec::new(); graph.cuts.len()],
            starts: vec![Vec::new(); count],
            ends,
            guards,
            bads,
            levels: vec![Vec::new(); count],
            lemmas: Vec::new(),
            depth: 1,
            locals,
        }
    }

    pub(super) fn predicate_count(&self) -> usize {
        self.predicates.iter().map(Vec::len).sum()
    }
    pub(super) fn lemma_count(&self) -> usize {
        self.lemmas.len()
    }
    pub(super) fn depth(&self) -> usize {
        self.depth
    }
    pub(super) fn predicates(&self, cut: usize) -> &[Term] {
        &self.predicates[cut]
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
            self.ends
                .entry((edge.region, edge.exit))
                .or_default()
                .push(lit);
        }
        true
    }

    /// The literals that switch on what holds within `level` steps.
    fn active(&mut self, region: usize, level: usize) -> Vec<Lit> {
        while self.levels[region].len() <= self.depth + 1 {
            let lit = self.locals[region].solver.fresh();
            self.levels[region].push(lit);
        }
        self.levels[region][level..].to_vec()
    }

    /// Looks for abstract paths of the present length; goes one deeper if there are none.
    pub(super) fn extend(
        &mut self,
        graph: &mut Graph<'_>,
        budget: &Budget,
    ) -> Result<Blocked, Exhausted> {
        let depth = self.depth;
        for region in 1..graph.regions.len() {
            loop {
                let mut assumptions = self.active(region, depth);
                assumptions.push(self.bads[region]);
                let solver = &mut self.locals[region].solver;
                if solver.check(&graph.encoder.terms, &assumptions, budget)? == Answer::Unsat {
                    break;
                }
                let cube = self.valuation(region);
                let model = self.locals[region].solver.model(&graph.encoder.terms);
                let step = Step {
                    cut: Some(region - 1),
                    edge: None,
                    model,
                };
                let last = Obligation {
                    cut: region - 1,
                    cube,
                    step,
                    next: None,
                };
                if let Some(path) = self.block(graph, last, budget)? {
                    return Ok(Blocked::Path(path));
                }
            }
        }
        if let Some(invariants) = self.propagate(graph, budget)? {
            return Ok(Blocked::Proved(invariants));
        }
        self.depth += 1;
        Ok(Blocked::Deeper)
    }

    /// The predicates' values at the start of a region in its solver's model.
    fn valuation(&self, region: usize) -> Cube {
        let solver = &self.locals[region].solver;
        let lits = self.starts[region].iter().enumerate();
        lits.map(|(n, l)| (n, solver.value(*l))).collect()
    }

    /// Blocks a cube at the present depth; a path if that is impossible.
    fn block(
        &mut self,
        graph: &mut Graph<'_>,
        last: Obligation,
        budget: &Budget,
    ) -> Result<Option<Path>, Exhausted> {
        let mut all = vec![last];
        let mut queue = BinaryHeap::from([(Reverse(self.depth), 0usize)]);
        while let Some((Reverse(level), n)) = queue.pop() {
            budget.check(0)?;
            let (cut, cube) = (all[n].cut, all[n].cube.clone());
            if self
                .lemmas
                .iter()
                .any(|l| l.cut == cut && l.level >= level && within(&cube, &l.cube))
            {
                if level < self.depth {
                    queue.push((Reverse(level + 1), n));
                }
                continue;
            }
            match self.predecessor(graph, cut, &cube, level, budget)? {
                Err((edge, model)) => {
                    let region = edge.region;
                    if region == 0 {
                        let step = Step {
                            cut: None,
                            edge: Some(edge),
                            model,
                        };
                        return Ok(Some(path(step, &all, n)));
                    }
                    let cube = self.valuation(region);
                    let step = Step {
                        cut: Some(region - 1),
                        edge: Some(edge),
                        model,
                    };
                    all.push(Obligation {
                        cut: region - 1,
                        cube,
                        step,
                        next: Some(n),
                    });
                    queue.push((Reverse(level - 1), all.len() - 1));
                    queue.push((Reverse(level), n));
                }
                Ok(core) => {
                    let cube = self.generalise(graph, cut, core, level, budget)?;
                    self.learn(graph, cut, cube, level);
                    if level < self.depth {
                        queue.push((Reverse(level + 1), n));
                    }
                }
            }
        }
        Ok(None)
    }

    /// Asks for a step into the cube from what is reached within `level - 1` steps: the step, or
    /// the literals of the cube that exclude all.
    fn predecessor(
        &mut self,
        graph: &mut Graph<'_>,
        cut: usize,
        cube: &Cube,
        level: usize,
        budget: &Budget,
    ) -> Result<Result<Cube, (Edge, Model)>, Exhausted> {
        let mut needed: Vec<bool> = vec![false; cube.len()];
        for edge in graph.edges_into(cut) {
            let region = edge.region;
            if region > 0 && level <= 1 {
                continue;
            }
            let mut assumptions = match region {
                0 => Vec::new(),
                _ => self.active(region, level - 1),
            };
            assumptions.push(self.guards[&(region, edge.exit)]);
            // A circle through the cube itself is no way to reach it first.
            let outside = match region == graph.region_of(cut) && !cube.is_empty() {
                false => None,
                true => {
                    let lit = self.locals[region].solver.fresh();
                    let starts = &self.starts[region];
                    let mut clause: Vec<Lit> = cube
                        .iter()
                        .map(|(n, v)| if *v { !starts[*n] } else { starts[*n] })
                        .collect();
                    clause.push(!lit);
                    self.locals[region].solver.clause(&clause);
                    assumptions.push(lit);
                    Some(lit)
                }
            };
            let ends = &self.ends[&(region, edge.exit)];
            let wanted: Vec<Lit> = cube
                .iter()
                .map(|(n, v)| if *v { ends[*n] } else { !ends[*n] })
                .collect();
            assumptions.extend(&wanted);
            let solver = &mut self.locals[region].solver;
            let answer = solver.check(&graph.encoder.terms, &assumptions, budget)?;
            if answer != Answer::Unsat {
                let model = solver.model(&graph.encoder.terms);
                return Ok(Err((edge, model)));
            }
            for (n, lit) in wanted.iter().enumerate() {
                needed[n] |= solver.failed(*lit);
            }
            if let Some(lit) = outside {
                solver.clause(&[!lit]);
            }
        }
        let core = cube.iter().zip(needed).filter(|(_, n)| *n).map(|(l, _)| *l);
        Ok(Ok(core.collect()))
    }

    /// Drops literals while the rest is still unreachable.
    fn generalise(
        &mut self,
        graph: &mut Graph<'_>,
        cut: usize,
        mut cube: Cube,
        level: usize,
        budget: &Budget,
    ) -> Result<Cube, Exhausted> {
        let mut at = 0;
        let mut failures = 0;
        while at < cube.len() && failures < 8 {
            let mut shorter = cube.clone();
            shorter.remove(at);
            match self.predecessor(graph, cut, &shorter, level, budget)? {
                Ok(core) => cube = core,
                Err(_) => {
                    at += 1;
                    failures += 1;
                }
            }
        }
        Ok(cube)
    }

    fn learn(&mut self, graph: &Graph<'_>, cut: usize, cube: Cube, level: usize) {
        let region = graph.region_of(cut);
        let switch = self.active(region, level)[0];
        let starts = &self.starts[region];
        let mut clause: Vec<Lit> = cube
            .iter()
            .map(|(n, v)| if *v { !starts[*n] } else { starts[*n] })
            .collect();
        clause.push(!switch);
        self.locals[region].solver.clause(&clause);
        self.lemmas
            .retain(|l| l.cut != cut || l.level > level || !within(&l.cube, &cube));
        self.lemmas.push(Lemma { cut, cube, level });
    }

    /// Moves clauses to deeper levels; the invariant if all of one level move on.
    fn propagate(
        &mut self,
        graph: &mut Graph<'_>,
        budget: &Budget,
    ) -> Result<Option<Vec<Term>>, Exhausted> {
        for level in 1..=self.depth {
            let here: Vec<(usize, Cube)> = self
                .lemmas
                .iter()
                .filter(|l| l.level == level)
                .map(|l| (l.cut, l.cube.clone()))
                .collect();
            for (cut, cube) in here {
                if let Ok(core) = self.predecessor(graph, cut, &cube, level + 1, budget)? {
                    self.learn(graph, cut, core, level + 1);
                }
            }
            if !self.lemmas.iter().any(|l| l.level == level) {
                return Ok(Some(self.invariants(graph, level)));
            }
        }
        Ok(None)
    }

    fn invariants(&self, graph: &mut Graph<'_>, level: usize) -> Vec<Term> {
        let mut all = Vec::new();
        for cut in 0..graph.cuts.len() {
            let mut t = cwolf_logic::Terms::TRUE;
            for lemma in self
                .lemmas
                .iter()
                .filter(|l| l.cut == cut && l.level >= level)
            {
                let terms = &mut graph.encoder.terms;
                let mut inside = cwolf_logic::Terms::TRUE;
                for (n, v) in &lemma.cube {
                    let p = self.predicates[cut][*n];
                    let literal = if *v { p } else { terms.not(p) };
                    inside = terms.and(inside, literal);
                }
                let outside = terms.not(inside);
                t = terms.and(t, outside);
            }
            all.push(t);
        }
        all
    }
}

/// Whether every state of `cube` is in `larger`.
fn within(cube: &[(usize, bool)], larger: &[(usize, bool)]) -> bool {
    larger.iter().all(|l| cube.contains(l))
}

fn path(first: Step, all: &[Obligation], n: usize) -> Path {
    let mut steps = vec![first];
    let mut at = Some(n);
    while let Some(n) = at {
        steps.push(all[n].step.clone());
        at = all[n].next;
    }
    Path { steps }
}
