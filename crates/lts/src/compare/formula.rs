//! Hennessy-Milner formulas with strong, weak and until modalities: what tells two systems
//! apart that are not bisimilar. Sub-formulas are shared, and always come before their users.

use crate::labels::{Label, TAU, TAU_NAME};
use crate::lts::{Incoming, Lts, State};
use crate::reduce::Components;
use std::fmt;

/// The number of a sub-formula.
pub(crate) type Id = u32;

/// What a step may do, by name.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Action {
    Label(String),
    /// Being on a tau cycle.
    Diverge,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Node {
    True,
    Not(Id),
    And(Vec<Id>),
    /// `<a> f`: a step to a state where f holds.
    Strong(String, Id),
    /// `<<a>> f`: the same with internal steps before and after; for tau, internal steps only.
    Weak(String, Id),
    /// `f until <a> g`: internal steps through states where f holds, from the last of which a
    /// step leads to a state where g holds. For tau, g may also hold at once.
    Until(Id, Action, Id),
}

/// A formula of Hennessy-Milner logic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Formula {
    pub(crate) nodes: Vec<Node>,
    pub(crate) root: Id,
}

/// A system prepared for evaluating formulas.
pub(crate) struct Model<'a> {
    lts: &'a Lts,
    incoming: Incoming,
    divergent: Vec<bool>,
}

impl<'a> Model<'a> {
    pub(crate) fn new(lts: &'a Lts) -> Model<'a> {
        let components = Components::new(lts);
        let on_cycle = components.divergent(lts);
        Model {
            lts,
            incoming: Incoming::new(lts),
            divergent: components
                .of
                .iter()
                .map(|&c| on_cycle[c as usize])
                .collect(),
        }
    }
    /// Where `node` holds, given where its parts hold.
    pub(crate) fn evaluate(&self, node: &Node, values: &[Vec<bool>]) -> Vec<bool> {
        let n = self.lts.states();
        let value = |id: Id| &values[id as usize];
        match node {
            Node::True => vec![true; n],
            Node::Not(f) => value(*f).iter().map(|v| !v).collect(),
            Node::And(list) => {
                let all = |s: usize| list.iter().all(|&f| value(f)[s]);
                (0..n).map(all).collect()
            }
            Node::Strong(name, f) => self.before(self.label(name), value(*f)),
            Node::Weak(name, f) => {
                let after = self.silent(value(f.to_owned()).clone(), None);
                match self.label(name) {
                    Some(TAU) => after,
                    label => self.silent(self.before(label, &after), None),
                }
            }
            Node::Until(f, action, g) => {
                let (f, g) = (value(*f), value(*g));
                let mut last = match action {
                    Action::Label(name) => self.before(self.label(name), g),
                    Action::Diverge => (0..n).map(|s| self.divergent[s] && g[s]).collect(),
                };
                last.iter_mut().zip(f).for_each(|(l, &f)| *l &= f);
                let mut holds = self.silent(last, Some(f));
                if matches!(action, Action::Label(name) if name == TAU_NAME) {
                    holds.iter_mut().zip(g).for_each(|(h, &g)| *h |= g);
                }
                holds
            }
        }
    }
    fn label(&self, name: &str) -> Option<Label> {
        self.lts.labels().lookup(name)
    }
    /// Who has a step with `label` into `set`.
    fn before(&self, label: Option<Label>, set: &[bool]) -> Vec<bool> {
        let Some(label) = label else {
            return vec![false; set.len()];
        };
        let into = |s: usize| {
            let targets = self.lts.targets_by(s as State, label);
            targets.iter().any(|&t| set[t as usize])
        };
        (0..set.len()).map(into).collect()
    }
    /// Who reaches `set` by internal steps, through states of `inside` only if given.
    fn silent(&self, mut set: Vec<bool>, inside: Option<&[bool]>) -> Vec<bool> {
        let members = (0..set.len() as State).filter(|&s| set[s as usize]);
        let mut stack: Vec<State> = members.collect();
        while let Some(s) = stack.pop() {
            for (a, p) in self.incoming.of(s) {
                let allowed = a == TAU && inside.is_none_or(|f| f[p as usize]);
                if allowed && !set[p as usize] {
                    set[p as usize] = true;
                    stack.push(p);
                }
            }
        }
        set
    }
}

impl Formula {
    /// Whether the formula holds at the start of `lts`.
    pub fn holds(&self, lts: &Lts) -> bool {
        let model = Model::new(lts);
        let mut values: Vec<Vec<bool>> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            let value = model.evaluate(node, &values);
            values.push(value);
        }
        values[self.root as usize][lts.initial() as usize]
    }
    /// How many different sub-formulas there are.
    pub fn size(&self) -> usize {
        self.nodes.len()
    }
    /// The formula `root` of a larger collection, alone.
    pub(crate) fn extract(nodes: &[Node], root: Id) -> Formula {
        let mut used = vec![false; nodes.len()];
        used[root as usize] = true;
        for id in (0..nodes.len()).rev().filter(|&id| id <= root as usize) {
            if used[id] {
                parts(&nodes[id]).for_each(|part| used[part as usize] = true);
            }
        }
        let mut new = vec![0; nodes.len()];
        let mut kept = Vec::new();
        for (id, node) in nodes.iter().enumerate().filter(|(id, _)| used[*id]) {
            new[id] = kept.len() as Id;
            kept.push(renamed(node, &new));
        }
        Formula {
            nodes: kept,
            root: new[root as usize],
        }
    }
    /// How large the text would be without sharing, in sub-formulas, or the largest number.
    fn unfolded(&self) -> u64 {
        let mut sizes: Vec<u64> = Vec::new();
        for node in &self.nodes {
            let size = parts(node).map(|p| sizes[p as usize]);
            sizes.push(size.fold(1, u64::saturating_add));
        }
        sizes[self.root as usize]
    }
    fn show(&self, f: &mut fmt::Formatter<'_>, id: Id, shared: &[bool]) -> fmt::Result {
        let part = |f: &mut fmt::Formatter<'_>, id: Id| match shared[id as usize] {
            true => write!(f, "X{id}"),
            false => self.show(f, id, shared),
        };
        match &self.nodes[id as usize] {
            Node::True => f.write_str("tt"),
            Node::Not(g) => {
                f.write_str("not ")?;
                part(f, *g)
            }
            Node::And(list) => {
                f.write_str("(")?;
                for (n, &g) in list.iter().enumerate() {
                    f.write_str(if n == 0 { "" } else { r" /\ " })?;
                    part(f, g)?;
                }
                f.write_str(")")
            }
            Node::Strong(a, g) => {
                write!(f, "<{}>", action(a))?;
                part(f, *g)
            }
            Node::Weak(a, g) => {
                write!(f, "<<{}>>", action(a))?;
                part(f, *g)
            }
            Node::Until(g, a, h) => {
                f.write_str("(")?;
                part(f, *g)?;
                match a {
                    Action::Label(a) => write!(f, " until <{}>", action(a))?,
                    Action::Diverge => f.write_str(" until <divergence>")?,
                }
                part(f, *h)?;
                f.write_str(")")
            }
        }
    }
}

/// An action as formulas show it: a plain word, or quoted.
fn action(name: &str) -> String {
    let word = name.trim_start_matches(['`', '\'']);
    match !word.is_empty() && word.chars().all(|c| c.is_alphanumeric() || c == '_') {
        true => name.to_owned(),
        false => format!("{name:?}"),
    }
}

fn parts(node: &Node) -> impl Iterator<Item = Id> + '_ {
    let (list, pair): (&[Id], [Option<Id>; 2]) = match node {
        Node::True => (&[], [None, None]),
        Node::Not(f) | Node::Strong(_, f) | Node::Weak(_, f) => (&[], [Some(*f), None]),
        Node::And(list) => (list, [None, None]),
        Node::Until(f, _, g) => (&[], [Some(*f), Some(*g)]),
    };
    list.iter().copied().chain(pair.into_iter().flatten())
}

fn renamed(node: &Node, new: &[Id]) -> Node {
    let to = |id: &Id| new[*id as usize];
    match node {
        Node::True => Node::True,
        Node::Not(f) => Node::Not(to(f)),
        Node::And(list) => Node::And(list.iter().map(to).collect()),
        Node::Strong(a, f) => Node::Strong(a.clone(), to(f)),
        Node::Weak(a, f) => Node::Weak(a.clone(), to(f)),
        Node::Until(f, a, g) => Node::Until(to(f), a.clone(), to(g)),
    }
}

/// Past this, shared parts are shown as equations.
const MAX_UNFOLDED: u64 = 400;

impl fmt::Display for Formula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.unfolded() <= MAX_UNFOLDED {
            return self.show(f, self.root, &vec![false; self.nodes.len()]);
        }
        // Every modality gets a name, so that nothing is shown twice, and showing never nests
        // deeper than one modality.
        let named =
            |node: &Node| matches!(node, Node::Strong(..) | Node::Weak(..) | Node::Until(..));
        let shared: Vec<bool> = self.nodes.iter().map(named).collect();
        match shared[self.root as usize] {
            true => write!(f, "X{}", self.root)?,
            false => self.show(f, self.root, &shared)?,
        }
        f.write_str(" where")?;
        for id in (0..self.nodes.len() as Id)
            .rev()
            .filter(|&id| shared[id as usize])
        {
            write!(f, "\nX{id} = ")?;
            self.show(f, id, &shared)?;
        }
        Ok(())
    }
}
