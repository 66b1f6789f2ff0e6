//! One way through the blocks of an abstract path: in each region the branches that the step's model takes. Along it, every
//! condition is a comparison of what the way computes, and can be said at each cut before it (weakest preconditions). If they contradict each
//! other, a few of them say why.

use super::states::Step;
use crate::graph::{Edge, Graph};
use cwolf_base::{Budget, Exhausted};
use cwolf_logic::{
    Answer, BitBlaster, Justify, Lit, Model, Node, Solver, Sort, Substitution, Term, Terms,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// A condition of the way.
pub(super) struct Condition {
    /// The step that it belongs to.
    pub(super) step: usize,
    /// What it says at the start of each step up to that.
    pub(super) at: Vec<Term>,
}

/// All conditions of a way.
pub(super) struct PathFormula {
    pub(super) conditions: Vec<Condition>,
    models: Vec<Model>,
}

/// A core of more conditions is not made smaller.
const SMALL: usize = 200;
/// Effort to make it smaller.
const CONFLICTS: u32 = 2_000;

impl PathFormula {
    /// The way that the models of a path's steps take.
    pub(super) fn new(
        graph: &mut Graph<'_>,
        path: &[Step],
        budget: &Budget,
    ) -> Result<PathFormula, Exhausted> {
        let mut formula = PathFormula {
            conditions: Vec::new(),
            models: path.iter().map(|s| s.model.clone()).collect(),
        };
        // What is said so far, at the start of the step after the present one: backwards.
        let mut pending: Vec<(usize, Vec<Term>)> = Vec::new();
        for (n, step) in path.iter().enumerate().rev() {
            budget.check(0)?;
            let model = formula.models[n].clone();
            let mut choices = Choices::new(&model);
            let own = match step.edge {
                Some(edge) => graph.guard(edge),
                None => graph.bad[step.region],
            };
            let mut literals = Vec::new();
            choices
                .justify
                .literals(&mut graph.encoder.terms, own, &mut literals);
            if let Some(edge) = step.edge {
                for (_, at) in &mut pending {
                    let last = *at.last().expect("a condition says something");
                    at.push(choices.before(graph, edge, last));
                }
            }
            literals.extend(choices.conditions(&mut graph.encoder.terms));
            let mut known = FxHashSet::default();
            for literal in literals {
                if literal != Terms::TRUE && known.insert(literal) {
                    pending.push((n, vec![literal]));
                }
            }
            formula.name_open_values(graph, n, &mut pending);
        }
        for (step, mut at) in pending {
            at.reverse();
            formula.conditions.push(Condition { step, at });
        }
        // From the first to the last.
        formula.conditions.sort_by_key(|c| c.step);
        Ok(formula)
    }

    /// Values that a region leaves open have names of their own at each step; earlier steps know them by these.
    fn name_open_values(
        &mut self,
        graph: &mut Graph<'_>,
        n: usize,
        pending: &mut [(usize, Vec<Term>)],
    ) {
        let last: Vec<Term> = pending.iter().map(|p| p.1[p.1.len() - 1]).collect();
        let mut pairs = Vec::new();
        for c in graph.encoder.terms.constants(&last) {
            if graph.encoder.cell_of(c).is_some() {
                continue;
            }
            if graph.encoder.is_base(c) || graph.encoder.terms.is_copy(c) {
                continue;
            }
            let terms = &mut graph.encoder.terms;
            let sort = terms.sort(c);
            let own = terms.copy_at(c, n);
            if !matches!(sort, Sort::Array { .. }) {
                let value = self.models[n].bv(terms, c);
                self.models[..n].iter_mut().for_each(|m| m.set(own, value));
            }
            pairs.push((c, own));
        }
        let mut substitution = Substitution::new(pairs);
        for (_, at) in pending {
            let t = at.last_mut().expect("a condition says something");
            *t = substitution.apply(&mut graph.encoder.terms, *t);
        }
    }

    /// What a term about the start of a step is at the start of the first one.
    pub(super) fn first(&self, graph: &mut Graph<'_>, path: &[Step], n: usize, t: Term) -> Term {
        let mut t = t;
        for k in (0..n).rev() {
            let edge = path[k].edge.expect("a step to the next one");
            t = Choices::new(&self.models[k]).before(graph, edge, t);
        }
        t
    }

    /// The conditions that contradict each other, as few as a little effort finds, in their order; none
    /// if a run may take the way.
    pub(super) fn core(
        &self,
        graph: &Graph<'_>,
        budget: &Budget,
    ) -> Result<Option<Vec<usize>>, Exhausted> {
        let terms = &graph.encoder.terms;
        let mut solver = BitBlaster::within(budget);
        let mut kept: Vec<(usize, Lit)> = Vec::new();
        for (n, c) in self.conditions.iter().enumerate() {
            kept.push((n, solver.literal(terms, c.at[0])));
        }
        let all: Vec<Lit> = kept.iter().map(|k| k.1).collect();
        if solver.check(terms, &all, budget)? != Answer::Unsat {
            return Ok(None);
        }
        kept.retain(|k| solver.failed(k.1));
        let mut n = 0;
        while n < kept.len() && kept.len() <= SMALL {
            let others = kept.iter().enumerate().filter(|(k, _)| *k != n);
            let others: Vec<Lit> = others.map(|(_, k)| k.1).collect();
            let answer = solver.check_limited(terms, &others, Some(CONFLICTS), budget)?;
            if answer == Answer::Unsat {
                let own = kept[n].0;
                kept.retain(|k| k.0 != own && solver.failed(k.1));
                // Those before this one were needed before; some may be gone now.
                n = n.min(kept.len());
            } else {
                n += 1;
            }
        }
        Ok(Some(kept.into_iter().map(|k| k.0).collect()))
    }
}

/// Terms of a region with their choices made as in a model.
struct Choices<'m> {
    justify: Justify<'m>,
    made: FxHashMap<Term, Term>,
    /// What cells hold at the end of the region.
    ends: Substitution,
    /// What was chosen: conditions that hold in the model.
    chosen: Vec<Term>,
}

impl<'m> Choices<'m> {
    fn new(model: &'m Model) -> Choices<'m> {
        Choices {
            justify: Justify::new(model),
            made: FxHashMap::default(),
            ends: Substitution::default(),
            chosen: Vec::new(),
        }
    }

    /// `t`, about the end of an edge, at the start of its region. Cells are replaced by what the way gives them: in a condition on
    /// all that they may hold, choices would be parts of the condition.
    fn before(&mut self, graph: &mut Graph<'_>, edge: Edge, t: Term) -> Term {
        for c in graph.encoder.terms.constants(&[t]) {
            if let Some(cell) = graph.encoder.cell_of(c)
                && !self.ends.contains(c)
            {
                let end = graph.at_end(edge, cell);
                let value = self.value(&mut graph.encoder.terms, end);
                self.ends.insert(c, value);
            }
        }
        self.ends.apply(&mut graph.encoder.terms, t)
    }

    fn value(&mut self, terms: &mut Terms, t: Term) -> Term {
        let plain = matches!(terms.node(terms.strip(t).0), Node::Const(_) | Node::Bool(_));
        if terms.sort(t) != Sort::Bool || plain {
            return self.make(terms, t);
        }
        let value = self.justify.holds(terms, t);
        self.chosen.push(if value { t } else { terms.not(t) });
        terms.bool(value)
    }

    /// A number without choices.
    fn make(&mut self, terms: &mut Terms, t: Term) -> Term {
        if terms.sort(t) == Sort::Bool {
            return t;
        }
        if let Some(&known) = self.made.get(&t) {
            return known;
        }
        let result = match terms.node(t) {
            Node::Ite(c, a, b) => {
                let (c, side) = match self.justify.holds(terms, c) {
                    true => (c, a),
                    false => (terms.not(c), b),
                };
                self.chosen.push(c);
                self.make(terms, side)
            }
            _ => {
                let mut operands = Vec::new();
                terms.for_each_operand(t, |o| operands.push(o));
                let mut pairs = Vec::new();
                for o in operands {
                    pairs.push((o, self.make(terms, o)));
                }
                match pairs.iter().all(|(a, b)| a == b) {
                    true => t,
                    false => Substitution::new(pairs).apply(terms, t),
                }
            }
        };
        self.made.insert(t, result);
        result
    }

    /// Comparisons that make the choices what they are.
    fn conditions(&mut self, terms: &mut Terms) -> Vec<Term> {
        let mut found = Vec::new();
        for c in std::mem::take(&mut self.chosen) {
            let mut literals = Vec::new();
            self.justify.literals(terms, c, &mut literals);
            found.extend(literals);
        }
        found
    }
}
