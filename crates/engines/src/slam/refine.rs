//! NEWTON's second half: new predicates from a path that no run takes. The conditions that
//! contradict each other are pulled back through the moves of the path (weakest preconditions);
//! what they are made of at each point becomes predicates there.
//!
//! A condition of a caller is carried through the callee's part of the path: what the call changed
//! and returned as the callee's own values at its exit, what the caller passed as the first values of
//! the callee's parameters. What only the caller knows has no name in the callee; conditions on it
//! wait for the way back. So that the callee still says something there, what it returns is
//! compared with what this path computes.

use super::abstraction::Predicates;
use super::atoms::{atoms, compared, has_choice, size};
use super::blocks::{Blocks, Move};
use cwolf_base::{Budget, Exhausted};
use cwolf_encode::{Copy, Point};
use cwolf_logic::{BinOp, Node, Sort, Substitution, Term, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

/// A comparison of more parts is no predicate.
const SIZE: usize = 60;
/// A number that is compared with so many others needs a better predicate.
const REPEATED: usize = 4;
/// A procedure has at most so many numbers that others are compared with.
const PARTNERS: usize = 8;

/// How hard to look for predicates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Effort {
    /// What the conditions need.
    Conditions,
    /// And what procedures return on the path.
    Results,
    /// And all conditions of the blocks on the path.
    Everything,
}

/// What a caller alone knows while a callee runs: constants by the names that they have meanwhile.
type Names = FxHashMap<Term, Term>;

struct Backwards<'a, 'b, 'p> {
    blocks: &'a mut Blocks<'p>,
    predicates: &'b mut Predicates,
    path: &'a [Move],
    added: usize,
}

/// Adds predicates that exclude the path whose conditions contradict each other; how many.
pub(super) fn refine(
    blocks: &mut Blocks<'_>,
    predicates: &mut Predicates,
    path: &[Move],
    core: &[Vec<Term>],
    effort: Effort,
    budget: &Budget,
) -> Result<usize, Exhausted> {
    let mut backwards = Backwards {
        blocks,
        predicates,
        path: &path[..core.len()],
        added: 0,
    };
    backwards.pull(core, budget)?;
    if effort >= Effort::Results {
        backwards.results(budget)?;
    }
    if effort >= Effort::Everything {
        backwards.conditions();
    }
    Ok(backwards.added)
}

impl Backwards<'_, '_, '_> {
    /// Pulls conditions back along the whole path.
    fn pull(&mut self, core: &[Vec<Term>], budget: &Budget) -> Result<(), Exhausted> {
        let mut needs: Vec<Term> = Vec::new();
        let mut names: Vec<Names> = Vec::new();
        for n in (0..self.path.len()).rev() {
            budget.check(0)?;
            needs = self.before(n, needs, &core[n], &mut names);
            needs = self.pieces(needs);
            let point = self.blocks.origin(self.path[n]);
            for t in needs.clone() {
                self.note(point, t);
            }
        }
        Ok(())
    }

    /// What must hold before a move so that `needs` hold after it and `own` in its block.
    fn before(
        &mut self,
        n: usize,
        needs: Vec<Term>,
        own: &[Term],
        names: &mut Vec<Names>,
    ) -> Vec<Term> {
        let m = self.path[n];
        let mut found: Vec<Term> = Vec::new();
        for t in needs {
            let t = match m {
                Move::Wrong(..) => t,
                _ => self.blocks.carry(m, t),
            };
            found.push(t);
        }
        if let Move::Enter(_) = m {
            let back = names.pop().unwrap_or_default();
            let mut substitution = Substitution::new(back);
            let terms = &mut self.blocks.encoder.terms;
            found
                .iter_mut()
                .for_each(|t| *t = substitution.apply(terms, *t));
        }
        found.extend(own);
        found.iter_mut().for_each(|t| *t = self.open_values(n, *t));
        if self.blocks.follows_call(m) {
            let mut own = Names::default();
            found
                .iter_mut()
                .for_each(|t| *t = self.at_exit(m.block(), n, *t, &mut own));
            names.push(own);
        }
        found.sort_unstable();
        found.dedup();
        found.retain(|t| *t != Terms::TRUE);
        found
    }

    /// Values that a block leaves open have names of their own at each step.
    fn open_values(&mut self, n: usize, t: Term) -> Term {
        let callee = self.blocks.blocks[self.path[n].block()].callee;
        let result = callee.and_then(|f| self.blocks.encoder.result_of(f));
        let mut pairs = Vec::new();
        for c in self.blocks.encoder.terms.constants(&[t]) {
            let encoder = &mut self.blocks.encoder;
            if encoder.cell_of(c).is_some() || encoder.copied(c).is_some() || result == Some(c) {
                continue;
            }
            if !encoder.is_base(c) && !encoder.terms.is_copy(c) {
                pairs.push((c, encoder.terms.copy_at(c, n)));
            }
        }
        Substitution::new(pairs).apply(&mut self.blocks.encoder.terms, t)
    }

    /// A condition after a call, said at the exit of the callee.
    fn at_exit(&mut self, block: usize, n: usize, t: Term, names: &mut Names) -> Term {
        let callee = self.blocks.blocks[block].callee.expect("a call");
        let changes = self.blocks.encoder.changes(callee);
        let mut pairs = Vec::new();
        for c in self.blocks.encoder.terms.constants(&[t]) {
            let encoder = &mut self.blocks.encoder;
            let value = match (encoder.copied(c), encoder.cell_of(c)) {
                (Some((cell, Copy::After)), _) => encoder.constant_of(cell),
                (None, Some(cell)) if self.blocks.is_shared(callee, cell) => {
                    match changes.contains(&cell) {
                        true => self.blocks.encoder.copy_of(cell, Copy::Old),
                        false => c,
                    }
                }
                (None, None) => c,
                // Only the caller knows it, unless it was passed.
                _ => match self.passed(block, c) {
                    Some(t) => t,
                    None => {
                        // Numbered after the steps of the path, so that it is none of their values.
                        let own = self.blocks.encoder.terms.copy_at(c, self.path.len() + n);
                        names.insert(own, c);
                        own
                    }
                },
            };
            pairs.push((c, value));
        }
        Substitution::new(pairs).apply(&mut self.blocks.encoder.terms, t)
    }

    /// What the caller knows as `c`, by the first value of a parameter that it passed it in, alone
    /// or with a number added.
    fn passed(&mut self, block: usize, c: Term) -> Option<Term> {
        let entered = self.blocks.blocks[block].region.entered.as_ref()?;
        let sort = self.blocks.encoder.terms.sort(c);
        for (cell, t) in entered.params.clone() {
            if self.blocks.encoder.terms.sort(t) != sort {
                continue;
            }
            if t == c {
                return Some(self.blocks.encoder.copy_of(cell, Copy::Old));
            }
            let Sort::Bv(width) = sort else {
                continue;
            };
            let (summands, number) = self.blocks.encoder.terms.linear(t);
            if summands == [(c, 1)] {
                let old = self.blocks.encoder.copy_of(cell, Copy::Old);
                let terms = &mut self.blocks.encoder.terms;
                let number = terms.bv(width, number);
                return Some(terms.sub(old, number));
            }
        }
        None
    }

    /// Conditions taken apart where that makes them simpler.
    fn pieces(&mut self, needs: Vec<Term>) -> Vec<Term> {
        let mut all = Vec::new();
        for t in needs {
            all.extend(self.blocks.encoder.terms.conjuncts(t));
        }
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Makes what a condition consists of predicates of a point.
    fn note(&mut self, point: Point, t: Term) {
        let atoms = atoms(&mut self.blocks.encoder.terms, t);
        for atom in atoms {
            self.add(point, atom);
        }
    }

    fn add(&mut self, point: Point, atom: Term) {
        if size(&self.blocks.encoder.terms, atom, SIZE) > SIZE {
            return;
        }
        if self.predicates.add(self.blocks, point, atom) {
            self.added += 1;
            self.generalise(point, atom);
        }
    }

    /// A number that is compared with ever more constants is compared with other numbers of the
    /// procedure as well, and its bounds are told from its values: else each round of a loop
    /// would give one predicate more.
    fn generalise(&mut self, point: Point, atom: Term) {
        let Some((x, k)) = compared(&self.blocks.encoder.terms, atom) else {
            return;
        };
        let terms = &self.blocks.encoder.terms;
        let alike = self.predicates.at(point).iter();
        let alike = alike.filter(|p| compared(terms, **p).is_some_and(|(y, _)| x == y));
        if alike.count() < REPEATED {
            return;
        }
        let mut partners = self.blocks.numbers(point.func());
        let own = self.blocks.encoder.terms.constants(&[x]);
        partners.retain(|p| !own.contains(p));
        partners.truncate(PARTNERS);
        let olds: Vec<Term> = match point {
            Point::Entry(_) => Vec::new(),
            _ => {
                let cells = partners.iter().chain(&own);
                let cells: Vec<_> = cells
                    .filter_map(|c| self.blocks.encoder.cell_of(*c))
                    .collect();
                let encoder = &mut self.blocks.encoder;
                cells
                    .into_iter()
                    .map(|c| encoder.copy_of(c, Copy::Old))
                    .collect()
            }
        };
        partners.extend(olds);
        partners.push(k);
        let width = self.blocks.encoder.terms.width(x);
        let kind = self.blocks.encoder.terms.node(atom);
        let unsigned = matches!(kind, Node::Bin(BinOp::Ult, ..));
        for y in partners {
            let terms = &mut self.blocks.encoder.terms;
            if terms.sort(y) != Sort::Bv(width) || x == y {
                continue;
            }
            let mut ways = vec![terms.eq(x, y)];
            match unsigned {
                true => ways.extend([terms.ult(x, y), terms.ult(y, x)]),
                false => ways.extend([terms.slt(x, y), terms.slt(y, x)]),
            }
            for t in ways {
                if self.predicates.add(self.blocks, point, t) {
                    self.added += 1;
                }
            }
        }
    }

    /// For each call that returns on the path: what it returns compared with what it computes,
    /// along its part of the path.
    fn results(&mut self, budget: &Budget) -> Result<(), Exhausted> {
        let mut open: Vec<usize> = Vec::new();
        let mut calls = Vec::new();
        for (n, m) in self.path.iter().enumerate() {
            match (m, self.blocks.target(*m)) {
                (Move::Enter(_), _) => open.push(n),
                (Move::Take(..), Some(Point::Exit(_))) => {
                    if let Some(start) = open.pop() {
                        calls.push((start, n));
                    }
                }
                _ => {}
            }
        }
        for (start, end) in calls {
            budget.check(0)?;
            let Some(Point::Exit(func)) = self.blocks.target(self.path[end]) else {
                continue;
            };
            let mut values: Vec<Term> = Vec::new();
            values.extend(self.blocks.encoder.result_of(func));
            for cell in self.blocks.encoder.changes(func) {
                if matches!(self.blocks.encoder.cell_sort(cell), Sort::Bv(_)) && values.len() < 6 {
                    values.push(self.blocks.encoder.constant_of(cell));
                }
            }
            for value in values {
                self.equation(start, end, func, value);
            }
        }
        Ok(())
    }

    /// Says that `value` at the exit is what the path from the entry computes.
    fn equation(&mut self, start: usize, end: usize, func: cwolf_cwi::FuncId, value: Term) {
        let computed = self.back(start, end, vec![value], false);
        let Some(&[computed]) = computed.as_deref() else {
            return;
        };
        // At the entry, said of first values.
        let mut pairs = Vec::new();
        for c in self.blocks.encoder.terms.constants(&[computed]) {
            let Some(cell) = self.blocks.encoder.cell_of(c) else {
                return;
            };
            pairs.push((c, self.blocks.encoder.copy_of(cell, Copy::Old)));
        }
        let terms = &mut self.blocks.encoder.terms;
        let computed = Substitution::new(pairs).apply(terms, computed);
        if size(terms, computed, SIZE) > SIZE / 2 || has_choice(terms, computed) {
            return;
        }
        let equation = terms.eq(value, computed);
        self.note(Point::Exit(func), equation);
        self.back(start, end, vec![equation], true);
    }

    /// Pulls terms back from the exit of a call to its entry; optionally noting predicates.
    fn back(
        &mut self,
        start: usize,
        end: usize,
        needs: Vec<Term>,
        note: bool,
    ) -> Option<Vec<Term>> {
        let mut needs = needs;
        let mut names: Vec<Names> = Vec::new();
        for n in (start + 1..=end).rev() {
            needs = self.before(n, needs, &[], &mut names);
            if needs.is_empty() {
                return None;
            }
            if note {
                let point = self.blocks.origin(self.path[n]);
                for t in needs.clone() {
                    self.note(point, t);
                }
            }
        }
        Some(needs)
    }

    /// All conditions of the blocks on the path, as far as they are about their starts.
    fn conditions(&mut self) {
        let mut seen = FxHashSet::default();
        for m in self.path {
            if !seen.insert(*m) {
                continue;
            }
            let guard = self.blocks.guard(*m);
            let point = self.blocks.origin(*m);
            self.note(point, guard);
        }
    }
}
