//! The abstract transition relation of a block, over the predicates at its start (inputs) and those
//! where it leads (outputs): by enumerating what a SAT solver allows (SATABS, 3.3 and 3.4), or one
//! output at a time by cubes (C2BP, 4.1).

use super::blocks::{Blocks, Move};
use crate::targets::{self, Targets};
use crate::task::Invariant;
use cwolf_base::{Budget, Exhausted};
use cwolf_cwi::Body;
use cwolf_encode::Point;
use cwolf_logic::{
    Answer, BitBlaster, Cube, CubeLimits, Lit, Solver, Term, Terms, cover, cubes, project,
};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// How blocks are abstracted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Abstractor {
    /// What is reached, by a SAT solver, as far as a path needs it. Where procedures call themselves: as `Sat`.
    #[default]
    Lazy,
    /// Exactly, by a SAT solver.
    Sat,
    /// Each predicate by itself, by cubes of at most three.
    Cubes,
}

/// Predicates at each point.
#[derive(Default)]
pub(super) struct Predicates {
    at: BTreeMap<Point, Vec<Term>>,
    count: usize,
}

impl Predicates {
    pub(super) fn at(&self, point: Point) -> &[Term] {
        self.at.get(&point).map_or(&[], Vec::as_slice)
    }
    /// Adds a condition that fits, without a negation in front; false if it is there already.
    pub(super) fn add(&mut self, blocks: &mut Blocks<'_>, point: Point, t: Term) -> bool {
        let (t, _) = blocks.encoder.terms.strip(t);
        self.insert(blocks, point, t)
    }
    /// Adds a condition that fits as it is.
    pub(super) fn insert(&mut self, blocks: &mut Blocks<'_>, point: Point, t: Term) -> bool {
        if self.at(point).contains(&t) || !blocks.fits(point, t) {
            return false;
        }
        self.at.entry(point).or_default().push(t);
        self.count += 1;
        true
    }
    pub(super) fn count(&self) -> usize {
        self.count
    }
    /// All of them in C, as far as that goes. Those at the end of a function are told at its last
    /// block.
    pub(super) fn tell(&self, blocks: &Blocks<'_>) -> Vec<Invariant> {
        let program = blocks.encoder.program();
        let place = |point: &Point| {
            let body = program.funcs[point.func()].body.as_ref()?;
            Some(match point {
                Point::Entry(_) => Body::ENTRY,
                Point::Head(_, block) | Point::Call(_, block) => *block,
                Point::Exit(_) => body.blocks.ids().next_back()?,
            })
        };
        let mut told = Vec::new();
        for (point, list) in &self.at {
            let Some(block) = place(point) else { continue };
            let texts = list.iter().map(|t| blocks.text(*t));
            told.extend(texts.filter(|t| t.len() <= 120).map(|text| Invariant {
                func: point.func(),
                block,
                text,
            }));
        }
        told
    }
}

/// A relation between numbered inputs and outputs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Relation {
    /// Whether anything is related at all.
    pub(super) possible: bool,
    /// Outputs that are always so.
    pub(super) fixed: Vec<(usize, bool)>,
    /// Outputs that are an input, or its opposite.
    pub(super) copies: Vec<(usize, usize, bool)>,
    /// What relates the others; all of them hold.
    pub(super) parts: Vec<Part>,
}

/// A part of a relation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// One of the cubes holds; a number below that of the inputs is an input, others are outputs.
    Rows(Vec<Cube>),
    /// None of the cubes over inputs holds.
    Never(Vec<Cube>),
    /// The output is true where one of the first cubes holds, false where one of the second does.
    Choose(usize, Vec<Cube>, Vec<Cube>),
}

/// What a relation is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Question {
    inputs: Vec<Term>,
    outputs: Vec<Term>,
}

/// Abstracts blocks and keeps what does not change.
pub(super) struct Abstraction {
    how: Abstractor,
    solvers: FxHashMap<usize, BitBlaster>,
    known: FxHashMap<Move, (Question, Relation)>,
    /// What pointers may lead to when a move is made.
    targets: FxHashMap<Move, Targets>,
    /// Whether dereferences are restricted to what the predicates leave possible.
    pub(super) restrict: bool,
    /// How many relations were computed.
    pub(super) computed: usize,
    /// The cases of dereferences in what was asked, and those that were left.
    pub(super) cases: [usize; 2],
}

/// More rows are too many: the predicates are then taken one by one.
const ROWS: usize = 600;
/// More predicates are not enumerated together.
const TOGETHER: usize = 24;
/// More values of predicates about pointers are not looked at one by one.
const VALUES: usize = 16;
/// Longest cubes over predicates taken one by one.
const LENGTH: usize = 3;
/// More inputs are not tried in cubes of full length.
const MANY: usize = 14;

impl Abstraction {
    pub(super) fn new(how: Abstractor) -> Abstraction {
        Abstraction {
            how,
            solvers: FxHashMap::default(),
            known: FxHashMap::default(),
            targets: FxHashMap::default(),
            restrict: true,
            computed: 0,
            cases: [0; 2],
        }
    }

    /// The inputs of a move: predicates at the start of its block, then what its call returned.
    pub(super) fn inputs(
        blocks: &mut Blocks<'_>,
        predicates: &Predicates,
        m: Move,
    ) -> (usize, Vec<Term>) {
        let from = blocks.blocks[m.block()].from;
        let mut inputs = predicates.at(from).to_vec();
        let own = inputs.len();
        if blocks.follows_call(m) {
            let exit = blocks.origin(m);
            for t in predicates.at(exit).to_vec() {
                inputs.push(blocks.give_back(m.block(), t));
            }
        }
        (own, inputs)
    }

    /// The outputs of a move, as conditions on the start of its block.
    fn outputs(blocks: &mut Blocks<'_>, predicates: &Predicates, m: Move) -> Vec<Term> {
        let Some(to) = blocks.target(m) else {
            return Vec::new();
        };
        let list = predicates.at(to).to_vec();
        list.into_iter().map(|t| blocks.carry(m, t)).collect()
    }

    /// The relation of a move.
    pub(super) fn relation(
        &mut self,
        blocks: &mut Blocks<'_>,
        predicates: &Predicates,
        m: Move,
        budget: &Budget,
    ) -> Result<Relation, Exhausted> {
        let (_, inputs) = Abstraction::inputs(blocks, predicates, m);
        let outputs = Abstraction::outputs(blocks, predicates, m);
        let question = Question { inputs, outputs };
        if let Some((asked, relation)) = self.known.get(&m)
            && *asked == question
        {
            return Ok(relation.clone());
        }
        self.computed += 1;
        let solver = self.solvers.entry(m.block()).or_insert_with(|| {
            let mut solver = BitBlaster::new();
            solver.assert(&blocks.encoder.terms, blocks.blocks[m.block()].given);
            solver
        });
        let guard = blocks.guard(m);
        let mut work = Work {
            terms: &mut blocks.encoder.terms,
            solver,
            question: &question,
            outputs: question.outputs.clone(),
            guard,
            restrict: self.restrict,
            cases: [0; 2],
            budget,
        };
        let targets = self.targets.entry(m).or_default();
        let relation = work.relation(self.how, targets)?;
        self.cases[0] += work.cases[0];
        self.cases[1] += work.cases[1];
        self.known.insert(m, (question, relation.clone()));
        Ok(relation)
    }

    /// Whether every relation in use covers what its block does, asked of a fresh solver.
    pub(super) fn check(
        &self,
        blocks: &mut Blocks<'_>,
        moves: &[Move],
        budget: &Budget,
    ) -> Result<bool, Exhausted> {
        for m in moves {
            let Some((question, relation)) = self.known.get(m) else {
                return Ok(false);
            };
            let guard = blocks.guard(*m);
            let given = blocks.blocks[m.block()].given;
            let terms = &mut blocks.encoder.terms;
            let said = relation.term(terms, &question.inputs, &question.outputs);
            let missed = terms.not(said);
            let mut solver = BitBlaster::new();
            let question = terms.and_all([given, guard, missed]);
            solver.assert(terms, question);
            if solver.check(terms, &[], budget)? != Answer::Unsat {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

impl Relation {
    /// The relation as a condition on what its inputs and outputs stand for.
    fn term(&self, terms: &mut Terms, inputs: &[Term], outputs: &[Term]) -> Term {
        if !self.possible {
            return Terms::FALSE;
        }
        let mut all = Vec::new();
        for (out, value) in &self.fixed {
            let value = terms.bool(*value);
            all.push(terms.eq(outputs[*out], value));
        }
        for (out, input, same) in &self.copies {
            let t = terms.eq(outputs[*out], inputs[*input]);
            all.push(if *same { t } else { terms.not(t) });
        }
        let literal = |terms: &mut Terms, (n, v): &(usize, bool)| {
            let t = match inputs.get(*n) {
                Some(t) => *t,
                None => outputs[*n - inputs.len()],
            };
            if *v { t } else { terms.not(t) }
        };
        let sum = |terms: &mut Terms, cubes: &[Cube]| {
            let mut any = Vec::new();
            for cube in cubes {
                let literals: Vec<Term> = cube.iter().map(|l| literal(terms, l)).collect();
                any.push(terms.and_all(literals));
            }
            terms.or_all(any)
        };
        for part in &self.parts {
            let t = match part {
                Part::Rows(cubes) => sum(terms, cubes),
                Part::Never(cubes) => {
                    let t = sum(terms, cubes);
                    terms.not(t)
                }
                Part::Choose(out, yes, no) => {
                    let (yes, no) = (sum(terms, yes), sum(terms, no));
                    let not_no = terms.not(no);
                    let up = terms.implies(yes, outputs[*out]);
                    let free = terms.or(not_no, yes);
                    let down = terms.not(outputs[*out]);
                    let down = terms.or(free, down);
                    terms.and(up, down)
                }
            };
            all.push(t);
        }
        terms.and_all(all)
    }
}

struct Work<'a> {
    terms: &'a mut Terms,
    solver: &'a mut BitBlaster,
    question: &'a Question,
    /// Those of the question, with fewer cases of dereferences.
    outputs: Vec<Term>,
    guard: Term,
    restrict: bool,
    cases: [usize; 2],
    budget: &'a Budget,
}

impl Work<'_> {
    fn relation(&mut self, how: Abstractor, targets: &mut Targets) -> Result<Relation, Exhausted> {
        let mut relation = Relation::default();
        let guard = self.solver.literal(self.terms, self.guard);
        if self.solver.check(self.terms, &[guard], self.budget)? == Answer::Unsat {
            return Ok(relation);
        }
        relation.possible = true;
        self.narrow(guard, targets)?;
        let mut open = Vec::new();
        for (n, &out) in self.question.outputs.iter().enumerate() {
            if let Some(value) = self.terms.as_bool(out) {
                relation.fixed.push((n, value));
                continue;
            }
            let (atom, sign) = self.terms.strip(out);
            let same = |i: &Term| {
                let (other, other_sign) = self.terms.strip(*i);
                (other == atom).then_some(other_sign == sign)
            };
            let mut inputs = self.question.inputs.iter().enumerate();
            match inputs.find_map(|(i, t)| same(t).map(|s| (i, s))) {
                Some((input, same)) => relation.copies.push((n, input, same)),
                None => open.push(n),
            }
        }
        for (inputs, outputs) in self.components(&open) {
            let together = inputs.len() + outputs.len();
            if how != Abstractor::Cubes
                && together <= TOGETHER
                && let Some(rows) = self.rows(guard, &inputs, &outputs)?
            {
                relation.parts.push(Part::Rows(rows));
                continue;
            }
            self.one_by_one(guard, &inputs, &outputs, &mut relation)?;
        }
        relation.parts.retain(|p| match p {
            Part::Rows(cubes) => !cubes.iter().any(Vec::is_empty),
            Part::Never(cubes) => !cubes.is_empty(),
            Part::Choose(..) => true,
        });
        Ok(relation)
    }

    /// Groups of inputs and outputs that have nothing to do with each other: what is possible for
    /// each is possible together. Groups of inputs alone, without a condition on them, are
    /// left out.
    fn components(&self, open: &[usize]) -> Vec<(Vec<usize>, Vec<usize>)> {
        let conditions = self.terms.conjuncts(self.guard);
        let inputs = &self.question.inputs;
        let mut items: Vec<Term> = conditions.clone();
        items.extend(inputs);
        items.extend(open.iter().map(|n| self.question.outputs[*n]));
        let mut group: Vec<usize> = (0..items.len()).collect();
        let mut owner: FxHashMap<Term, usize> = FxHashMap::default();
        fn find(group: &mut [usize], mut n: usize) -> usize {
            while group[n] != n {
                group[n] = group[group[n]];
                n = group[n];
            }
            n
        }
        for (n, t) in items.iter().enumerate() {
            for constant in self.terms.constants(&[*t]) {
                let first = *owner.entry(constant).or_insert(n);
                let (a, b) = (find(&mut group, first), find(&mut group, n));
                group[a] = b;
            }
        }
        let mut found: BTreeMap<usize, (Vec<usize>, Vec<usize>)> = BTreeMap::new();
        for n in 0..conditions.len() {
            found.entry(find(&mut group, n)).or_default();
        }
        for (k, n) in open.iter().enumerate() {
            let root = find(&mut group, conditions.len() + inputs.len() + k);
            found.entry(root).or_default().1.push(*n);
        }
        for n in 0..inputs.len() {
            let root = find(&mut group, conditions.len() + n);
            if let Some(entry) = found.get_mut(&root) {
                entry.0.push(n);
            }
        }
        let mut list: Vec<_> = found.into_values().collect();
        list.retain(|(i, o)| !i.is_empty() || !o.is_empty());
        list
    }

    fn literals(&mut self, inputs: &[usize], outputs: &[usize]) -> Vec<Lit> {
        let inputs = inputs.iter().map(|n| self.question.inputs[*n]);
        let outputs = outputs.iter().map(|n| self.outputs[*n]);
        let all: Vec<Term> = inputs.chain(outputs).collect();
        let literal = |t: &Term| self.solver.literal(self.terms, *t);
        all.iter().map(literal).collect()
    }

    /// The numbers of predicates in a cube over a selection of them.
    fn renumber(&self, cube: &Cube, inputs: &[usize], outputs: &[usize]) -> Cube {
        let number = |n: usize| match inputs.get(n) {
            Some(input) => *input,
            None => self.question.inputs.len() + outputs[n - inputs.len()],
        };
        cube.iter().map(|(n, v)| (number(*n), *v)).collect()
    }

    /// Leaves out of the outputs what cannot be dereferenced when the move is made.
    fn narrow(&mut self, guard: Lit, targets: &mut Targets) -> Result<(), Exhausted> {
        let splits = targets::splits(self.terms, &self.outputs);
        if splits.is_empty() || !self.restrict {
            return Ok(());
        }
        targets.add(self.solver, self.terms, &splits, &[guard], self.budget)?;
        self.outputs = targets.narrow(self.terms, &self.outputs);
        let [all, left] = targets.count(&splits);
        self.cases[0] += all;
        self.cases[1] += left;
        Ok(())
    }

    /// The values that predicates about pointers can have together, with the outputs for each:
    /// an output need not tell apart what the values exclude (SATABS, Definition 4). Values that
    /// leave the same possible count as one.
    fn by_targets(
        &mut self,
        guard: Lit,
        inputs: &[usize],
        outputs: &[usize],
    ) -> Result<Vec<(Term, Vec<Term>)>, Exhausted> {
        let plain: Vec<Term> = outputs.iter().map(|n| self.outputs[*n]).collect();
        let splits = targets::splits(self.terms, &plain);
        let numbers: Vec<Term> = splits.keys().copied().collect();
        let pointers = self.terms.constants(&numbers);
        let about = |n: &&usize| {
            let constants = self.terms.constants(&[self.question.inputs[**n]]);
            constants.iter().any(|c| pointers.contains(c))
        };
        let about: Vec<usize> = inputs.iter().filter(about).copied().collect();
        let whole = vec![(Terms::TRUE, plain.clone())];
        if !self.restrict || about.is_empty() {
            return Ok(whole);
        }
        let literals = self.literals(&about, &[]);
        let values = project(
            self.solver,
            self.terms,
            &[guard],
            &literals,
            VALUES,
            self.budget,
        )?;
        let Some(values) = values else {
            return Ok(whole);
        };
        let mut groups: BTreeMap<Targets, Vec<Term>> = BTreeMap::new();
        for row in values {
            let mut context = vec![guard];
            let mut condition = Terms::TRUE;
            for (n, value) in row.iter().enumerate() {
                context.push(if *value { literals[n] } else { !literals[n] });
                let input = self.question.inputs[about[n]];
                let side = if *value { input } else { self.terms.not(input) };
                condition = self.terms.and(condition, side);
            }
            let mut targets = Targets::default();
            targets.add(self.solver, self.terms, &splits, &context, self.budget)?;
            groups.entry(targets).or_default().push(condition);
        }
        let mut found = Vec::new();
        let mut counts = [0; 2];
        for (targets, conditions) in groups {
            let [all, left] = targets.count(&splits);
            counts[0] += all;
            counts[1] += left;
            let condition = self.terms.or_all(conditions);
            found.push((condition, targets.narrow(self.terms, &plain)));
        }
        // What all values need is done once in one formula, and again in each of several.
        let each: Vec<Term> = found.iter().flat_map(|(_, t)| t).copied().collect();
        if targets::weight(self.terms, &each) >= targets::weight(self.terms, &plain) {
            return Ok(whole);
        }
        self.cases[0] += counts[0];
        self.cases[1] += counts[1];
        Ok(found)
    }

    fn rows(
        &mut self,
        guard: Lit,
        inputs: &[usize],
        outputs: &[usize],
    ) -> Result<Option<Vec<Cube>>, Exhausted> {
        let mut all = Vec::new();
        for (condition, narrowed) in self.by_targets(guard, inputs, outputs)? {
            let mut literals = self.literals(inputs, &[]);
            for t in narrowed {
                literals.push(self.solver.literal(self.terms, t));
            }
            let context = [guard, self.solver.literal(self.terms, condition)];
            let room = ROWS - all.len();
            let rows = project(
                self.solver,
                self.terms,
                &context,
                &literals,
                room,
                self.budget,
            )?;
            let Some(rows) = rows else {
                return Ok(None);
            };
            all.extend(rows);
        }
        all.sort_unstable();
        let cubes = cover(&all);
        let named = cubes.iter().map(|c| self.renumber(c, inputs, outputs));
        Ok(Some(named.collect()))
    }

    fn one_by_one(
        &mut self,
        guard: Lit,
        inputs: &[usize],
        outputs: &[usize],
        relation: &mut Relation,
    ) -> Result<(), Exhausted> {
        let literals = self.literals(inputs, &[]);
        let limits = CubeLimits {
            length: if literals.len() > MANY { 2 } else { LENGTH },
            ..CubeLimits::default()
        };
        let mut chosen = Vec::new();
        let goals: Vec<(usize, Lit)> = outputs
            .iter()
            .map(|n| (*n, self.outputs[*n]))
            .map(|(n, t)| (n, self.solver.literal(self.terms, t)))
            .collect();
        let mut find = |context: &[Lit], goal: Lit| {
            cubes(
                self.solver,
                self.terms,
                context,
                &literals,
                goal,
                limits,
                self.budget,
            )
        };
        let never = find(&[], !guard)?;
        for (n, goal) in goals {
            chosen.push((n, find(&[guard], goal)?, find(&[guard], !goal)?));
        }
        let named = |list: Vec<Cube>| -> Vec<Cube> {
            let cubes = list.iter().map(|c| self.renumber(c, inputs, &[]));
            cubes.collect()
        };
        relation.parts.push(Part::Never(named(never)));
        for (n, yes, no) in chosen {
            relation.parts.push(Part::Choose(n, named(yes), named(no)));
        }
        Ok(())
    }
}
