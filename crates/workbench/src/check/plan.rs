//! A formula made ready for one system: without negations and names, and with every formula
//! about runs replaced by the states where it holds. Where labels are patterns it is read in one
//! of two ways: what surely holds, or what possibly holds.

use super::runs;
use crate::formula::{FormulaId, Formulas, LabelSet, Node};
use cwolf_base::{Budget, Exhausted};
use cwolf_lts::{Lts, Reading};
use rustc_hash::FxHashMap;

pub(crate) type PlanId = u32;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    And(PlanId, PlanId),
    Or(PlanId, PlanId),
    /// By a step with one of these labels.
    Diamond(LabelSet, PlanId),
    Box(LabelSet, PlanId),
    /// A variable: on to the body of its fixpoint, and the fixpoint's priority.
    Unfold(PlanId, u16),
    /// Holds exactly here.
    Holds(Vec<bool>),
    True,
    False,
}

#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) parts: Vec<Part>,
    pub(crate) root: PlanId,
}

type Key = (FormulaId, bool);

/// How deep least and greatest fixpoints may alternate.
const MAX_PRIORITY: u16 = 2_000;

impl Plan {
    pub(crate) fn new(
        lts: &Lts,
        formulas: &Formulas,
        root: FormulaId,
        reading: Reading,
        budget: &Budget,
    ) -> Result<Plan, Exhausted> {
        let mut wanted: Vec<Key> = wanted(formulas, (root, true)).into_keys().collect();
        wanted.sort_unstable();
        let mut ids: FxHashMap<Key, PlanId> = FxHashMap::default();
        // The largest priority inside each part.
        let mut inside: Vec<u16> = Vec::new();
        let mut parts: Vec<Part> = Vec::new();
        let mut variables: FxHashMap<(u32, bool), PlanId> = FxHashMap::default();
        for key in wanted {
            let (formula, positive) = key;
            let of = |f: FormulaId| ids[&(f, positive)];
            let most = |list: &[PlanId]| list.iter().map(|&p| inside[p as usize]).max();
            let (part, priority) = match formulas.node(formula) {
                Node::True | Node::False => {
                    let value = (*formulas.node(formula) == Node::True) == positive;
                    (if value { Part::True } else { Part::False }, 0)
                }
                // A negation is no part of its own.
                Node::Not(f) => {
                    ids.insert(key, ids[&(*f, !positive)]);
                    continue;
                }
                node @ (Node::And(f, g) | Node::Or(f, g)) => {
                    let (f, g) = (of(*f), of(*g));
                    let is_and = matches!(node, Node::And(..)) == positive;
                    let part = match is_and {
                        true => Part::And(f, g),
                        false => Part::Or(f, g),
                    };
                    (part, most(&[f, g]).unwrap_or(0))
                }
                node @ (Node::Diamond(actions, f) | Node::Box(actions, f)) => {
                    let f = of(*f);
                    let is_diamond = matches!(node, Node::Diamond(..)) == positive;
                    let part = match is_diamond {
                        true => Part::Diamond(actions.of(lts, reading), f),
                        // What every such step leads to: the more steps, the less is sure.
                        false => Part::Box(actions.of(lts, reading.opposite()), f),
                    };
                    (part, inside[f as usize])
                }
                Node::Var(var) => {
                    variables.insert((*var, positive), parts.len() as PlanId);
                    // The body is known only when the fixpoint comes.
                    (Part::Unfold(0, 0), 0)
                }
                Node::Fix { least, var, inner } => {
                    let inner = of(*inner);
                    let is_least = *least == positive;
                    // Odd for least, even for greatest, and not below what is inside.
                    let below = inside[inner as usize];
                    let priority = below + u16::from((below % 2 == 1) != is_least);
                    if priority > MAX_PRIORITY {
                        return Err(Exhausted::Steps);
                    }
                    if let Some(&at) = variables.get(&(*var, positive)) {
                        parts[at as usize] = Part::Unfold(inner, priority);
                    }
                    // A fixpoint is its body, once it is known what its variable means.
                    inside[inner as usize] = priority;
                    ids.insert(key, inner);
                    continue;
                }
                Node::Quantified { exists, path } => {
                    let reading = match positive {
                        true => reading,
                        false => reading.opposite(),
                    };
                    let mut holds = runs::states(lts, formulas, *exists, *path, reading, budget)?;
                    if !positive {
                        holds.iter_mut().for_each(|h| *h = !*h);
                    }
                    (Part::Holds(holds), 0)
                }
                Node::Next(_) | Node::Until(..) | Node::Release(..) | Node::Action(_) => {
                    unreachable!("the parser puts a quantifier around formulas about runs")
                }
            };
            ids.insert(key, parts.len() as PlanId);
            parts.push(part);
            inside.push(priority);
        }
        Ok(Plan {
            root: ids[&(root, true)],
            parts,
        })
    }
}

/// Every sub-formula that matters, with whether it stands under an even number of negations.
fn wanted(formulas: &Formulas, root: Key) -> FxHashMap<Key, ()> {
    let mut seen = FxHashMap::from_iter([(root, ())]);
    let mut work = vec![root];
    while let Some((formula, positive)) = work.pop() {
        let mut want = |f: FormulaId, positive: bool| {
            if seen.insert((f, positive), ()).is_none() {
                work.push((f, positive));
            }
        };
        match formulas.node(formula) {
            Node::Not(f) => want(*f, !positive),
            Node::And(f, g) | Node::Or(f, g) => {
                want(*f, positive);
                want(*g, positive);
            }
            Node::Diamond(_, f) | Node::Box(_, f) | Node::Fix { inner: f, .. } => {
                want(*f, positive);
            }
            _ => {}
        }
    }
    seen
}
