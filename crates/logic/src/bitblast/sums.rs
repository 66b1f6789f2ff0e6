//! Choices among sums with a summand in common, as the address of an object that is not known
//! is: one adder does for all of them. Adders are most of such a circuit.

use crate::term::{BinOp, Node, Term, Terms};

/// Fewer sums are not worth a circuit of another form.
const FEWEST: usize = 4;

/// `common` plus the first of `choices` whose condition holds, or plus `last` (nothing if that is none).
pub(super) struct Chain {
    pub(super) common: Term,
    pub(super) choices: Vec<(Term, Term)>,
    pub(super) last: Option<Term>,
}

impl Chain {
    /// The term as such a choice.
    pub(super) fn of(terms: &Terms, t: Term) -> Option<Chain> {
        let Node::Ite(_, first, _) = terms.node(t) else {
            return None;
        };
        let (a, b) = summands(terms, first)?;
        Chain::with(terms, t, a).or_else(|| Chain::with(terms, t, b))
    }

    fn with(terms: &Terms, t: Term, common: Term) -> Option<Chain> {
        let other = |t: Term| match summands(terms, t)? {
            (a, b) if a == common => Some(b),
            (a, b) if b == common => Some(a),
            _ => None,
        };
        let mut choices = Vec::new();
        let mut rest = t;
        while let Node::Ite(c, a, b) = terms.node(rest) {
            choices.push((c, other(a)?));
            rest = b;
        }
        let last = match rest == common {
            true => None,
            false => Some(other(rest)?),
        };
        let sums = choices.len() + usize::from(last.is_some());
        (sums >= FEWEST).then_some(Chain {
            common,
            choices,
            last,
        })
    }

    /// The terms that it is made of.
    pub(super) fn operands(&self) -> impl Iterator<Item = Term> + '_ {
        let choices = self.choices.iter().flat_map(|(c, a)| [*c, *a]);
        choices.chain([self.common]).chain(self.last)
    }
}

fn summands(terms: &Terms, t: Term) -> Option<(Term, Term)> {
    match terms.node(t) {
        Node::Bin(BinOp::Add, a, b) => Some((a, b)),
        _ => None,
    }
}
