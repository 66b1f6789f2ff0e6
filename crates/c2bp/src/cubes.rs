//! F_V and G_V: the weakest formula over given predicates that implies a condition (*strengthen*)
//! and the strongest that it implies (*weaken*), as disjunctions of cubes.
//!
//! The search for cubes is that of `cwolf_logic`. Each question to the solver that is not answered with yes
//! leaves a model, and a model refutes every cube that is true in it; so most cubes need no
//! question. Cubes that are contradictory in themselves imply everything; they are left out here,
//! because `enforce` rules their states out.

use crate::encode::Encoder;
use crate::options::{Arith, Options, Stats};
use crate::small_model;
use cwolf_base::Exhausted;
pub use cwolf_logic::Cube;
use cwolf_logic::cubes::{self, CubeLimits, CubeOracle, includes};
use cwolf_logic::{Answer, BinOp, BitBlaster, Lit, Model, Node, Solver, Term};
use rustc_hash::{FxHashMap, FxHashSet};

/// A formula over predicates: conjunctions of disjunctions of cubes, as distribution leaves it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Strengthened {
    /// A disjunction of cubes; none is `false`, the empty cube is `true`.
    Cubes(Vec<Cube>),
    /// All of them.
    And(Vec<Strengthened>),
    /// One of them.
    Or(Vec<Strengthened>),
}

impl Strengthened {
    /// `false`
    pub const FALSE: Strengthened = Strengthened::Cubes(Vec::new());
}

/// How many models are kept for later questions.
const MODELS: usize = 48;

/// Answers questions about one function.
pub struct Prover<'o> {
    solver: BitBlaster,
    options: &'o Options,
    facts: Facts,
    cache: FxHashMap<(Term, Vec<Term>), Vec<Cube>>,
    models: Vec<Model>,
    /// Locations that a term depends on.
    support: FxHashMap<Term, Vec<Term>>,
    /// What it took so far.
    pub stats: Stats,
}

/// The encoder's axioms by what they speak of: a large function has thousands, of which a question
/// needs few.
#[derive(Default)]
struct Facts {
    /// The symbols of each axiom: constants, and elements of arrays.
    leaves: Vec<Vec<Term>>,
    /// The axioms that have a symbol, by number.
    with: FxHashMap<Term, Vec<usize>>,
}

impl Facts {
    /// The axioms that only speak of symbols `inside`, in the order of their discovery.
    fn about(&mut self, encoder: &Encoder, inside: &FxHashSet<Term>) -> Vec<Term> {
        for &fact in &encoder.axioms[self.leaves.len()..] {
            let mut found = Vec::new();
            let mut work = vec![fact];
            while let Some(t) = work.pop() {
                match encoder.terms.node(t) {
                    Node::Const(_) | Node::Bin(BinOp::Select, ..) => found.push(t),
                    _ => encoder.terms.for_each_operand(t, |o| work.push(o)),
                }
            }
            // Axioms are about symbols; one is enough to find it.
            let first = found.first().copied().unwrap_or(fact);
            self.with.entry(first).or_default().push(self.leaves.len());
            self.leaves.push(found);
        }
        let named = inside.iter().filter_map(|t| self.with.get(t)).flatten();
        let known = named.filter(|n| self.leaves[**n].iter().all(|t| inside.contains(t)));
        let mut numbers: Vec<usize> = known.copied().collect();
        numbers.sort_unstable();
        numbers.into_iter().map(|n| encoder.axioms[n]).collect()
    }
}

/// A valuation of the predicates that some state has.
type Valuation = Vec<bool>;

/// One search for cubes.
struct Search {
    terms: Vec<Term>,
    goal: Term,
    /// What is known of the symbols in them.
    facts: Vec<Term>,
    /// The literals of the terms and of the goal, once the solver was asked.
    literals: Option<(Vec<Lit>, Lit)>,
    /// Valuations of states in which the goal is false, and in which it is true.
    refuting: Vec<Valuation>,
    satisfying: Vec<Valuation>,
}

impl<'o> Prover<'o> {
    /// A prover that knows nothing yet.
    pub fn new(options: &'o Options) -> Prover<'o> {
        Prover {
            solver: BitBlaster::new(),
            options,
            facts: Facts::default(),
            cache: FxHashMap::default(),
            models: Vec::new(),
            support: FxHashMap::default(),
            stats: Stats::default(),
        }
    }
    fn limit(&self, n: usize) -> usize {
        match self.options.max_cube_length {
            0 => n,
            k => k.min(n),
        }
    }
    /// The facts about what `terms` mention.
    fn facts(&mut self, encoder: &Encoder, terms: &[Term]) -> Vec<Term> {
        let mut inside = FxHashSet::default();
        let mut work = terms.to_vec();
        while let Some(t) = work.pop() {
            if inside.insert(t) {
                encoder.terms.for_each_operand(t, |o| work.push(o));
            }
        }
        self.facts.about(encoder, &inside)
    }
    /// A new solver that knows `facts`. Old solvers are not kept: what they were asked before slows
    /// them down more than it helps.
    fn restart(&mut self, encoder: &Encoder, facts: &[Term]) {
        self.solver = BitBlaster::new();
        for &fact in facts {
            self.solver.assert(&encoder.terms, fact);
        }
    }
    /// A search that starts with what earlier models tell.
    fn begin(&mut self, encoder: &Encoder, terms: &[Term], goal: Term) -> Search {
        let mut involved = terms.to_vec();
        involved.push(goal);
        let mut search = Search {
            terms: terms.to_vec(),
            goal,
            facts: self.facts(encoder, &involved),
            literals: None,
            refuting: Vec::new(),
            satisfying: Vec::new(),
        };
        if self.options.optimisations.models {
            for model in &self.models {
                let values = model.all(&encoder.terms, &search.facts);
                if values.iter().all(|v| *v == 1) {
                    search.remember(encoder, model);
                }
            }
        }
        search
    }
    /// The paper's F_V: the weakest formula over `predicates` that implies `goal`.
    ///
    /// # Errors
    /// When the budget ran out.
    pub fn strengthen(
        &mut self,
        encoder: &mut Encoder,
        predicates: &[Term],
        goal: Term,
    ) -> Result<Strengthened, Exhausted> {
        self.stats.formulas += 1;
        let before = self.stats.prover_calls;
        let result = self.distribute(encoder, predicates, goal, 0);
        if self.stats.prover_calls == before {
            self.stats.for_free += 1;
        }
        result
    }
    fn distribute(
        &mut self,
        encoder: &mut Encoder,
        predicates: &[Term],
        goal: Term,
        depth: usize,
    ) -> Result<Strengthened, Exhausted> {
        let on = self.options.optimisations;
        if let Some(cubes) = self.at_once(encoder, predicates, goal) {
            return Ok(Strengthened::Cubes(cubes));
        }
        let (inner, positive) = encoder.terms.strip(goal);
        if depth < 8
            && let Node::Bin(BinOp::And, a, b) = encoder.terms.node(inner)
        {
            if positive && on.distribute_and {
                let a = self.distribute(encoder, predicates, a, depth + 1)?;
                let b = self.distribute(encoder, predicates, b, depth + 1)?;
                if a == Strengthened::FALSE || b == Strengthened::FALSE {
                    return Ok(Strengthened::FALSE);
                }
                return Ok(Strengthened::And(vec![a, b]));
            }
            if !positive && on.distribute_or {
                let (a, b) = (encoder.terms.not(a), encoder.terms.not(b));
                let a = self.distribute(encoder, predicates, a, depth + 1)?;
                let b = self.distribute(encoder, predicates, b, depth + 1)?;
                return Ok(Strengthened::Or(vec![a, b]));
            }
        }
        Ok(Strengthened::Cubes(self.cubes(encoder, predicates, goal)?))
    }
    /// Answers that need no search.
    fn at_once(&self, encoder: &Encoder, predicates: &[Term], goal: Term) -> Option<Vec<Cube>> {
        match encoder.terms.as_bool(goal) {
            Some(true) => return Some(vec![Vec::new()]),
            Some(false) => return Some(Vec::new()),
            None => {}
        }
        if !self.options.optimisations.syntactic {
            return None;
        }
        for (n, &p) in predicates.iter().enumerate() {
            if p == goal {
                return Some(vec![vec![(n, true)]]);
            }
            if encoder.terms.opposite(p, goal) {
                return Some(vec![vec![(n, false)]]);
            }
        }
        None
    }
    /// The shortest cubes over `predicates` that contradict themselves: no state is in one. Each
    /// has one of the first `needed` predicates and contains no cube of `known`.
    ///
    /// # Errors
    /// When the budget ran out.
    pub fn contradictions(
        &mut self,
        encoder: &Encoder,
        predicates: &[Term],
        needed: usize,
        known: &[Cube],
    ) -> Result<Vec<Cube>, Exhausted> {
        self.stats.formulas += 1;
        let mut search = self.begin(encoder, predicates, cwolf_logic::Terms::FALSE);
        let groups = self.groups(encoder, predicates);
        let mut found: Vec<Cube> = known.to_vec();
        let mut open: Vec<Cube> = vec![Vec::new()];
        for _ in 0..self.limit(predicates.len()) {
            let mut next = Vec::new();
            for cube in &open {
                // Cubes are in rising order, so that the first literal tells.
                let numbers = match cube.last() {
                    None => 0..needed,
                    Some((n, _)) => n + 1..predicates.len(),
                };
                for n in numbers {
                    // Predicates without a common location cannot contradict each other.
                    let cone = self.options.optimisations.cone_of_influence;
                    if cone && cube.first().is_some_and(|(m, _)| groups[*m] != groups[n]) {
                        continue;
                    }
                    for value in [true, false] {
                        let mut longer = cube.clone();
                        longer.push((n, value));
                        if found.iter().any(|f| includes(&longer, f)) {
                            continue;
                        }
                        self.stats.cubes += 1;
                        let killed = self.options.optimisations.models
                            && search.refuting.iter().any(|v| holds(&longer, v));
                        if killed || self.ask(encoder, &mut search, &longer, None)? {
                            next.push(longer);
                        } else {
                            found.push(longer);
                        }
                    }
                }
            }
            open = next;
        }
        Ok(found.split_off(known.len()))
    }
    /// Whether every state with `known` has `goal`.
    ///
    /// # Errors
    /// When the budget ran out.
    pub(crate) fn follows(
        &mut self,
        encoder: &Encoder,
        known: Term,
        goal: Term,
    ) -> Result<bool, Exhausted> {
        let terms = &encoder.terms;
        let facts = self.facts(encoder, &[known, goal]);
        self.restart(encoder, &facts);
        let fits = self.fits(encoder, &[known], &[goal]);
        let (known, goal) = (
            self.solver.literal(terms, known),
            self.solver.literal(terms, goal),
        );
        self.stats.prover_calls += 1;
        let answer = self
            .solver
            .check(terms, &[known, !goal], &self.options.budget)?;
        Ok(fits && answer == Answer::Unsat)
    }
    /// All prime cubes that imply `goal`.
    fn cubes(
        &mut self,
        encoder: &Encoder,
        predicates: &[Term],
        goal: Term,
    ) -> Result<Vec<Cube>, Exhausted> {
        let on = self.options.optimisations;
        let numbers: Vec<usize> = match on.cone_of_influence {
            true => self.cone(encoder, predicates, goal),
            false => (0..predicates.len()).collect(),
        };
        let chosen: Vec<Term> = numbers.iter().map(|n| predicates[*n]).collect();
        let key = (goal, chosen);
        if on.cache
            && let Some(known) = self.cache.get(&key)
        {
            return Ok(renumber(known, &numbers));
        }
        let mut search = self.begin(encoder, &key.1, goal);
        let found = self.search(encoder, &mut search)?;
        let result = renumber(&found, &numbers);
        if on.cache {
            self.cache.insert(key, found);
        }
        Ok(result)
    }
    fn search(&mut self, encoder: &Encoder, search: &mut Search) -> Result<Vec<Cube>, Exhausted> {
        let on = self.options.optimisations;
        let count = search.terms.len();
        let literals: Cube = (0..count).flat_map(|n| [(n, true), (n, false)]).collect();
        let limits = CubeLimits {
            length: self.limit(count),
            prime: on.prime_implicants,
            dead_ends: on.contradictions,
            ..CubeLimits::default()
        };
        let mut questions = Questions {
            prover: self,
            encoder,
            search,
        };
        cubes::search(&mut questions, &literals, limits)
    }
    /// Whether some state is in `cube` with the goal of this value.
    fn ask(
        &mut self,
        encoder: &Encoder,
        s: &mut Search,
        cube: &[(usize, bool)],
        goal: Option<bool>,
    ) -> Result<bool, Exhausted> {
        self.options.budget.check(self.stats.prover_calls)?;
        if s.literals.is_none() {
            self.restart(encoder, &s.facts);
            let mut literal = |t: &Term| self.solver.literal(&encoder.terms, *t);
            let literals = s.terms.iter().map(&mut literal).collect();
            s.literals = Some((literals, literal(&s.goal)));
        }
        let (literals, wanted) = s.literals.as_ref().expect("just made");
        let lit = |(n, value): &(usize, bool)| match value {
            true => literals[*n],
            false => !literals[*n],
        };
        let mut assumptions: Vec<Lit> = cube.iter().map(lit).collect();
        match goal {
            Some(true) => assumptions.push(*wanted),
            Some(false) => assumptions.push(!*wanted),
            None => {}
        }
        self.stats.prover_calls += 1;
        let answer = self
            .solver
            .check(&encoder.terms, &assumptions, &self.options.budget)?;
        if answer != Answer::Sat {
            let involved: Vec<Term> = cube.iter().map(|(n, _)| s.terms[*n]).collect();
            let goal = goal.map(|_| s.goal);
            if !self.fits(encoder, &involved, goal.as_slice()) {
                self.stats.too_wide += 1;
                return Ok(true);
            }
            return Ok(answer == Answer::Unknown);
        }
        if self.options.optimisations.models {
            let model = self.solver.model(&encoder.terms);
            s.remember(encoder, &model);
            if self.models.len() == MODELS {
                self.models.remove(0);
            }
            self.models.push(model);
        }
        Ok(true)
    }
    /// Whether the solver's no is a proof.
    fn fits(&mut self, encoder: &Encoder, predicates: &[Term], more: &[Term]) -> bool {
        if self.options.arith == Arith::Bits {
            // Narrow pointers must be able to differ, and their fields too.
            let roots: Vec<Term> = predicates.iter().chain(more).copied().collect();
            return !encoder.narrow || small_model::pointers(&encoder.terms, &roots) < 100;
        }
        let roots: Vec<Term> = predicates.iter().chain(more).copied().collect();
        small_model::fits(&encoder.terms, &roots)
    }
    /// The predicates that share locations with `goal`, directly or through others.
    fn cone(&mut self, encoder: &Encoder, predicates: &[Term], goal: Term) -> Vec<usize> {
        let mut reached: FxHashSet<Term> = self.support(encoder, goal).into_iter().collect();
        let supports: Vec<Vec<Term>> = predicates
            .iter()
            .map(|p| self.support(encoder, *p))
            .collect();
        let mut inside = vec![false; predicates.len()];
        loop {
            let before = reached.len();
            for (n, support) in supports.iter().enumerate() {
                if !inside[n] && support.iter().any(|s| reached.contains(s)) {
                    inside[n] = true;
                    reached.extend(support);
                }
            }
            if reached.len() == before {
                break;
            }
        }
        (0..predicates.len()).filter(|n| inside[*n]).collect()
    }
    /// For each predicate the number of its cone.
    fn groups(&mut self, encoder: &Encoder, predicates: &[Term]) -> Vec<usize> {
        let mut groups: Vec<usize> = vec![usize::MAX; predicates.len()];
        for n in 0..predicates.len() {
            if groups[n] == usize::MAX {
                groups[n] = n;
                for m in self.cone(encoder, predicates, predicates[n]) {
                    groups[m] = n;
                }
            }
        }
        groups
    }
    /// The symbols that a term depends on; all memory of one kind and all addresses count as one.
    fn support(&mut self, encoder: &Encoder, term: Term) -> Vec<Term> {
        if let Some(known) = self.support.get(&term) {
            return known.clone();
        }
        let mut list = encoder.terms.constants(&[term]);
        if list.iter().any(|t| encoder.is_address(*t)) {
            // Facts about addresses connect all of them.
            list.push(cwolf_logic::Terms::TRUE);
        }
        self.support.insert(term, list.clone());
        list
    }
}

/// The questions of a search for cubes, answered by models of earlier ones or by the prover.
struct Questions<'a, 'o, 'p> {
    prover: &'a mut Prover<'o>,
    encoder: &'a Encoder<'p>,
    search: &'a mut Search,
}

impl CubeOracle for Questions<'_, '_, '_> {
    fn implies(&mut self, cube: &[(usize, bool)]) -> Result<bool, Exhausted> {
        let models = self.prover.options.optimisations.models;
        if models && self.search.refuting.iter().any(|v| holds(cube, v)) {
            return Ok(false);
        }
        let (prover, search) = (&mut *self.prover, &mut *self.search);
        Ok(!prover.ask(self.encoder, search, cube, Some(false))?)
    }
    fn meets(&mut self, cube: &[(usize, bool)]) -> Result<bool, Exhausted> {
        let models = self.prover.options.optimisations.models;
        if models && self.search.satisfying.iter().any(|v| holds(cube, v)) {
            return Ok(true);
        }
        let (prover, search) = (&mut *self.prover, &mut *self.search);
        prover.ask(self.encoder, search, cube, Some(true))
    }
    fn looks_at(&mut self, _cube: &[(usize, bool)]) {
        self.prover.stats.cubes += 1;
    }
}

impl Search {
    fn remember(&mut self, encoder: &Encoder, model: &Model) {
        let mut roots = self.terms.clone();
        roots.push(self.goal);
        let values = model.all(&encoder.terms, &roots);
        let (goal, predicates) = values.split_last().expect("there is a goal");
        let valuation: Valuation = predicates.iter().map(|v| *v == 1).collect();
        let list = match goal {
            1 => &mut self.satisfying,
            _ => &mut self.refuting,
        };
        if !list.contains(&valuation) {
            list.push(valuation);
        }
    }
}

fn holds(cube: &[(usize, bool)], valuation: &Valuation) -> bool {
    cube.iter().all(|(n, value)| valuation[*n] == *value)
}

fn renumber(cubes: &[Cube], numbers: &[usize]) -> Vec<Cube> {
    let cube = |c: &Cube| c.iter().map(|(n, v)| (numbers[*n], *v)).collect();
    cubes.iter().map(cube).collect()
}
