//! The transition system of a process, state by state (Milner's rules).

use super::environment::Environment;
use super::term::{Term, TermId};
use cwolf_base::{Budget, Exhausted};
use cwolf_lts::{Builder, Label, Lts, State, TAU};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// A process may have infinitely many states; without a limit of the user's, this is one.
const MAX_STATES: u64 = 2_000_000;
/// The first steps of processes and their parts that are remembered, for each state allowed.
const MOVES_PER_STATE: u64 = 8;

type Moves = Rc<[(Label, TermId)]>;

/// Everything that `root`, which was checked, can do.
pub(crate) fn explore(
    env: &mut Environment,
    root: TermId,
    budget: &Budget,
) -> Result<Lts, Exhausted> {
    let limit = budget.steps().unwrap_or(MAX_STATES);
    let mut machine = Machine {
        complements: complements(env),
        env,
        known: FxHashMap::default(),
        moves: 0,
        max_moves: limit.saturating_mul(MOVES_PER_STATE).max(1_000_000),
        budget,
    };
    let root = machine.unfold(root);
    let mut builder = Builder::with_labels(machine.env.labels.clone());
    let mut numbers: FxHashMap<TermId, State> = FxHashMap::from_iter([(root, 0)]);
    let mut states = vec![root];
    let mut at = 0;
    while at < states.len() {
        if at % 1024 == 0 {
            budget.check(at as u64)?;
        }
        if states.len() as u64 > limit {
            return Err(Exhausted::Steps);
        }
        let moves = machine.moves(states[at])?;
        for &(label, target) in moves.iter() {
            let target = machine.unfold(target);
            let next = states.len() as State;
            let number = *numbers.entry(target).or_insert(next);
            if number == next {
                states.push(target);
            }
            builder.add(at as State, label, number);
        }
        at += 1;
    }
    builder.ensure_states(states.len());
    Ok(builder.finish(0))
}

/// For each action its complement (`a` and `'a`), if that is known as a label at all.
fn complements(env: &Environment) -> Vec<Option<Label>> {
    let labels = &env.labels;
    let complement = |(label, name): (usize, &str)| match name.strip_prefix('\'') {
        _ if label == TAU as usize => None,
        // `'tau` is the complement of nothing, because `tau` is internal.
        Some(input) => labels.lookup(input).filter(|&l| l != TAU),
        None => labels.lookup(&format!("'{name}")),
    };
    labels.names().enumerate().map(complement).collect()
}

struct Machine<'a> {
    env: &'a mut Environment,
    complements: Vec<Option<Label>>,
    known: FxHashMap<TermId, Moves>,
    moves: u64,
    max_moves: u64,
    budget: &'a Budget,
}

impl Machine<'_> {
    /// What a name stands for: a process and its name are one state.
    fn unfold(&self, mut term: TermId) -> TermId {
        while let Term::Name(name) = self.env.terms.get(term) {
            let definition = self.env.definitions[*name as usize].as_ref();
            term = definition.expect("names were checked").body;
        }
        term
    }
    /// The first steps of `term`. Terms can be as deep as the state space is large, so this
    /// keeps a stack of its own: a term waits until its parts are known.
    fn moves(&mut self, term: TermId) -> Result<Moves, Exhausted> {
        let mut stack = vec![term];
        while let Some(&top) = stack.last() {
            if self.known.contains_key(&top) {
                stack.pop();
                continue;
            }
            let before = stack.len();
            self.parts(top, |part, known| {
                if !known.contains_key(&part) {
                    stack.push(part);
                }
            });
            if stack.len() > before {
                continue;
            }
            let mut moves = self.step(top);
            moves.sort_unstable();
            moves.dedup();
            self.moves += moves.len() as u64;
            if self.moves > self.max_moves {
                return Err(Exhausted::Steps);
            }
            if self.known.len().is_multiple_of(4096) {
                self.budget.check(0)?;
            }
            self.known.insert(top, moves.into());
            stack.pop();
        }
        Ok(self.known[&term].clone())
    }
    fn parts(&self, term: TermId, mut each: impl FnMut(TermId, &FxHashMap<TermId, Moves>)) {
        let known = &self.known;
        match self.env.terms.get(term) {
            Term::Nil | Term::Prefix(..) | Term::Automaton(..) => {}
            Term::Sum(parts) => parts.iter().for_each(|&p| each(p, known)),
            Term::Par(a, b) => {
                each(*a, known);
                each(*b, known);
            }
            Term::Restrict(a, _) | Term::Relabel(a, _) => each(*a, known),
            Term::Name(name) => {
                let definition = self.env.definitions[*name as usize].as_ref();
                each(definition.expect("names were checked").body, known);
            }
        }
    }
    /// The first steps, given those of the parts.
    fn step(&mut self, term: TermId) -> Vec<(Label, TermId)> {
        let env = &mut *self.env;
        let of = |part: TermId| self.known[&part].clone();
        match env.terms.get(term).clone() {
            Term::Nil => Vec::new(),
            Term::Prefix(label, next) => vec![(label, next)],
            Term::Sum(parts) => parts.iter().flat_map(|&p| of(p).to_vec()).collect(),
            Term::Name(name) => {
                let definition = env.definitions[name as usize].as_ref();
                of(definition.expect("names were checked").body).to_vec()
            }
            Term::Automaton(number, state) => {
                let automaton = &env.automata[number as usize];
                let step = |(a, t): (Label, State)| {
                    let next = env.terms.intern(Term::Automaton(number, t));
                    (automaton.labels[a as usize], next)
                };
                automaton.lts.from(state).map(step).collect()
            }
            Term::Restrict(part, set) => {
                let forbidden = &env.restrictions[set as usize];
                let allowed = |m: &&(Label, TermId)| forbidden.binary_search(&m.0).is_err();
                let moves = of(part);
                let step = |m: &(Label, TermId)| (m.0, env.terms.intern(Term::Restrict(m.1, set)));
                moves.iter().filter(allowed).map(step).collect()
            }
            Term::Relabel(part, number) => {
                let renaming = &env.renamings[number as usize];
                let step = |m: &(Label, TermId)| {
                    let found = renaming.binary_search_by_key(&m.0, |r| r.0);
                    let label = found.map_or(m.0, |at| renaming[at].1);
                    (label, env.terms.intern(Term::Relabel(m.1, number)))
                };
                of(part).iter().map(step).collect()
            }
            Term::Par(a, b) => {
                let (left, right) = (of(a), of(b));
                let mut moves = Vec::new();
                for &(label, a2) in left.iter() {
                    moves.push((label, env.terms.intern(Term::Par(a2, b))));
                    let Some(other) = self.complements[label as usize] else {
                        continue;
                    };
                    let from = right.partition_point(|m| m.0 < other);
                    for &(_, b2) in right[from..].iter().take_while(|m| m.0 == other) {
                        moves.push((TAU, env.terms.intern(Term::Par(a2, b2))));
                    }
                }
                for &(label, b2) in right.iter() {
                    moves.push((label, env.terms.intern(Term::Par(a, b2))));
                }
                moves
            }
        }
    }
}
