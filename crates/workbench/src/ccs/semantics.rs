//! The first steps of a process (Milner's rules).

use super::environment::Environment;
use super::interaction::{Interaction, Stop};
use super::term::{Term, TermId};
use cwolf_base::{Budget, Exhausted};
use cwolf_lts::{Label, State, TAU};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// A process may go on for ever to become something new; this many processes are remembered.
const MAX_TERMS: usize = 2_000_000;
/// How many first steps are remembered.
const MAX_MOVES: u64 = 8_000_000;

type Moves = Rc<[(Label, TermId)]>;

/// Computes first steps, and remembers them.
pub(super) struct Machine<'a> {
    pub(super) env: &'a mut Environment,
    pub(super) interaction: Rc<Interaction>,
    known: FxHashMap<TermId, Moves>,
    plain: FxHashMap<TermId, TermId>,
    moves: u64,
    /// How many steps were computed since the budget was asked.
    unchecked: usize,
    budget: &'a Budget,
}

impl<'a> Machine<'a> {
    pub(super) fn new(env: &'a mut Environment, budget: &'a Budget) -> Machine<'a> {
        Machine {
            interaction: Rc::new(Interaction::new(env)),
            env,
            known: FxHashMap::default(),
            plain: FxHashMap::default(),
            moves: 0,
            unchecked: 0,
            budget,
        }
    }
    /// The same process without names before its first action, so that a process and its name
    /// are one state. Ends because a process that comes back to itself before it acts was
    /// refused.
    pub(super) fn unfold(&mut self, term: TermId) -> TermId {
        let mut stack = vec![term];
        while let Some(&top) = stack.last() {
            let of = |part: &TermId| self.plain.get(part).copied();
            let next = match self.env.terms.get(top) {
                _ if self.plain.contains_key(&top) => None,
                Term::Nil | Term::Prefix(..) | Term::Sum(_) | Term::Automaton(..) => Some(Ok(top)),
                Term::Name(name) => {
                    let definition = self.env.definitions[*name as usize].as_ref();
                    let body = definition.expect("names were checked").body;
                    Some(of(&body).ok_or(body))
                }
                &Term::Restrict(part, set) => match of(&part) {
                    Some(part) => Some(Ok(self.env.terms.intern(Term::Restrict(part, set)))),
                    None => Some(Err(part)),
                },
                &Term::Relabel(part, map) => match of(&part) {
                    Some(part) => Some(Ok(self.env.terms.intern(Term::Relabel(part, map)))),
                    None => Some(Err(part)),
                },
                &Term::Par(a, b) => match (of(&a), of(&b)) {
                    (Some(a), Some(b)) => Some(Ok(self.env.terms.intern(Term::Par(a, b)))),
                    (Some(_), None) => Some(Err(b)),
                    _ => Some(Err(a)),
                },
            };
            match next {
                Some(Err(part)) => stack.push(part),
                Some(Ok(plain)) => {
                    self.plain.insert(top, plain);
                    self.plain.insert(plain, plain);
                    stack.pop();
                }
                None => {
                    stack.pop();
                }
            }
        }
        self.plain[&term]
    }
    /// The first steps of `term`. Terms can be as deep as the state space is large, so this
    /// keeps a stack of its own: a term waits until its parts are known.
    pub(super) fn moves(&mut self, term: TermId) -> Result<Moves, Stop> {
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
            let mut moves = self.step(top)?;
            moves.sort_unstable();
            moves.dedup();
            self.moves += moves.len() as u64;
            if self.moves > MAX_MOVES || self.known.len() > MAX_TERMS {
                return Err(Exhausted::Steps.into());
            }
            self.unchecked += moves.len() + 1;
            if self.unchecked > 1 << 16 {
                self.unchecked = 0;
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
    fn step(&mut self, term: TermId) -> Result<Vec<(Label, TermId)>, Stop> {
        if let &Term::Prefix(label, next) = self.env.terms.get(term) {
            return Ok(vec![(label, self.unfold(next))]);
        }
        let env = &mut *self.env;
        let of = |part: TermId| self.known[&part].clone();
        Ok(match env.terms.get(term).clone() {
            Term::Nil | Term::Prefix(..) => Vec::new(),
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
                let mut moves = Vec::new();
                for &(label, next) in of(part).iter() {
                    if !self.interaction.forbids(&env.labels, set, label)? {
                        moves.push((label, env.terms.intern(Term::Restrict(next, set))));
                    }
                }
                moves
            }
            Term::Relabel(part, number) => {
                let mut moves = Vec::new();
                for &(label, next) in of(part).iter() {
                    let label = self.interaction.rename(&env.labels, number, label)?;
                    moves.push((label, env.terms.intern(Term::Relabel(next, number))));
                }
                moves
            }
            Term::Par(a, b) => {
                let (left, right) = (of(a), of(b));
                let mut moves = Vec::new();
                for &(label, a2) in left.iter() {
                    moves.push((label, env.terms.intern(Term::Par(a2, b))));
                    let others = right.iter().map(|m| m.0);
                    self.interaction.meet(&env.labels, label, others)?;
                    let Some(other) = self.interaction.complement(label) else {
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
        })
    }
}
