//! Formulas: the modal mu-calculus of the Concurrency Workbench, and branching and linear time
//! on top of it. Sub-formulas are shared and always come before their users, so every pass over
//! a formula is a loop.

mod kind;
mod parse;
mod runs;
mod sugar;

pub use kind::Speaks;
pub(crate) use parse::parse;

use crate::ccs::Environment;
use crate::parser::Cursor;
use cwolf_base::{Diagnostic, Span};
use cwolf_lts::{ActionSet, Label, Lts, Pattern, Reading};
use rustc_hash::FxHashMap;

/// The number of a formula in its [`Formulas`].
pub type FormulaId = u32;
pub(crate) type VarId = u32;

/// A set of actions as a modality names it: `a, b` or `-a, b` (all but these).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Actions {
    pub(crate) negated: bool,
    pub(crate) names: Vec<String>,
}

impl Actions {
    pub(crate) fn all() -> Actions {
        Actions {
            negated: true,
            names: Vec::new(),
        }
    }
    pub(crate) fn tau() -> Actions {
        Actions {
            negated: false,
            names: vec![cwolf_lts::TAU_NAME.to_owned()],
        }
    }
    /// Whether the internal action is one of them. No pattern means it.
    pub(crate) fn has_tau(&self) -> bool {
        self.names.iter().any(|n| n == cwolf_lts::TAU_NAME) != self.negated
    }
    /// Whether an action of this name is one of them.
    #[cfg(test)]
    pub(crate) fn contains(&self, name: &str) -> bool {
        self.names.iter().any(|n| n == name) != self.negated
    }
    /// The labels of `lts` that surely, or possibly, mean one of these actions.
    pub(crate) fn of(&self, lts: &Lts, reading: Reading) -> LabelSet {
        // What is surely not one of the names is not possibly one.
        let named = match self.negated {
            true => reading.opposite(),
            false => reading,
        };
        let set = ActionSet::new(self.names.iter().map(|n| &**n));
        LabelSet {
            negated: self.negated,
            labels: set.labels(lts.labels(), named),
        }
    }
}

impl Actions {
    /// The labels of `lts` that are neither surely nor surely not among these.
    pub(crate) fn in_doubt(&self, lts: &Lts) -> Vec<Label> {
        let set = ActionSet::new(self.names.iter().map(|n| &**n));
        let sure = set.labels(lts.labels(), Reading::Surely);
        let mut open = set.labels(lts.labels(), Reading::Possibly);
        open.retain(|l| sure.binary_search(l).is_err());
        open
    }
    /// The first of the names that a label may mean.
    pub(crate) fn overlapping(&self, label: &str) -> String {
        let label = Pattern::parse(label);
        let overlaps = |n: &&String| Pattern::parse(n).overlaps(&label);
        self.names
            .iter()
            .find(overlaps)
            .cloned()
            .unwrap_or_default()
    }
}

/// A set of labels of one system: these, or all but these. Its size is that of the formula,
/// however many labels the system has.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct LabelSet {
    negated: bool,
    labels: Vec<Label>,
}

impl LabelSet {
    pub(crate) fn contains(&self, label: Label) -> bool {
        self.labels.binary_search(&label).is_ok() != self.negated
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Node {
    True,
    False,
    Not(FormulaId),
    And(FormulaId, FormulaId),
    Or(FormulaId, FormulaId),
    /// `<actions> f`.
    Diamond(Actions, FormulaId),
    /// `[actions] f`.
    Box(Actions, FormulaId),
    Var(VarId),
    /// `min X = f`, or `max X = f`.
    Fix {
        least: bool,
        var: VarId,
        inner: FormulaId,
    },
    /// Some (or every) maximal run from here satisfies a path formula.
    Quantified {
        exists: bool,
        path: FormulaId,
    },
    /// There is a next step, and after it f.
    Next(FormulaId),
    Until(FormulaId, FormulaId),
    Release(FormulaId, FormulaId),
    /// The next step of the run is one of these.
    Action(Actions),
}

/// Formulas with shared parts, and propositions by name.
#[derive(Clone, Debug, Default)]
pub struct Formulas {
    nodes: Vec<Node>,
    /// Whether a formula speaks about a run, not about a state.
    is_path: Vec<bool>,
    ids: FxHashMap<Node, FormulaId>,
    /// What became a fixpoint, as the path formula that it was.
    written: FxHashMap<FormulaId, FormulaId>,
    variables: VarId,
    definitions: FxHashMap<String, (FormulaId, Span)>,
}

impl Formulas {
    pub(crate) fn add(&mut self, node: Node) -> FormulaId {
        if let Some(&id) = self.ids.get(&node) {
            return id;
        }
        let is_path = match node {
            Node::Next(_) | Node::Until(..) | Node::Release(..) | Node::Action(_) => true,
            Node::Not(f) => self.is_path(f),
            Node::And(f, g) | Node::Or(f, g) => self.is_path(f) || self.is_path(g),
            _ => false,
        };
        let id = FormulaId::try_from(self.nodes.len()).expect("texts are smaller than 4 GiB");
        self.nodes.push(node.clone());
        self.is_path.push(is_path);
        self.ids.insert(node, id);
        id
    }
    pub(crate) fn node(&self, id: FormulaId) -> &Node {
        &self.nodes[id as usize]
    }
    /// All sets of actions in a formula.
    pub(crate) fn action_sets(&self, root: FormulaId) -> Vec<&Actions> {
        let mut seen = vec![false; self.nodes.len()];
        let mut work = vec![root];
        let mut found = Vec::new();
        while let Some(id) = work.pop() {
            if std::mem::replace(&mut seen[id as usize], true) {
                continue;
            }
            match self.node(id) {
                Node::True | Node::False | Node::Var(_) => {}
                Node::Not(f) | Node::Next(f) => work.push(*f),
                Node::Fix { inner: f, .. } | Node::Quantified { path: f, .. } => work.push(*f),
                Node::Diamond(actions, f) | Node::Box(actions, f) => {
                    found.push(actions);
                    work.push(*f);
                }
                Node::Action(actions) => found.push(actions),
                Node::And(f, g) | Node::Or(f, g) | Node::Until(f, g) | Node::Release(f, g) => {
                    work.extend([*g, *f]);
                }
            }
        }
        found
    }
    pub(crate) fn is_path(&self, id: FormulaId) -> bool {
        self.is_path[id as usize]
    }
    pub(crate) fn fresh(&mut self) -> VarId {
        self.variables += 1;
        self.variables - 1
    }
    pub(crate) fn define(&mut self, name: &str, root: FormulaId, span: Span) {
        self.definitions.insert(name.to_owned(), (root, span));
    }
    pub(crate) fn definition(&self, name: &str) -> Option<FormulaId> {
        self.definitions.get(name).map(|d| d.0)
    }
    pub(crate) fn definition_span(&self, name: &str) -> Option<Span> {
        self.definitions.get(name).map(|d| d.1)
    }
}

impl Environment {
    /// Parses a formula, which may name propositions; `start` is where the text lies in the
    /// source map. A formula about runs means that all maximal runs satisfy it.
    pub fn formula(&mut self, text: &str, start: u32) -> Result<FormulaId, Diagnostic> {
        let mut cursor = Cursor::new(text, start)?;
        let root = parse(&mut cursor, &mut self.formulas, &self.sets)?;
        match cursor.at_end() {
            true => Ok(root),
            false => Err(cursor.expected("an operator or the end")),
        }
    }
    /// The formula about single runs that goes with one about all runs, or about some run.
    pub fn about_runs(&mut self, formula: FormulaId) -> Option<FormulaId> {
        self.formulas.about_runs(formula)
    }
    /// All formulas.
    pub fn formulas(&self) -> &Formulas {
        &self.formulas
    }
}
