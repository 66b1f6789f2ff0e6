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
    /// The formula in the language of `cwolf check`: propositions to be read first, each with
    /// its name, and the formula itself, which may name them. There are none if the formula is
    /// small.
    pub fn text(&self) -> (Vec<(String, String)>, String) {
        if self.unfolded() <= MAX_UNFOLDED {
            let named = vec![false; self.nodes.len()];
            return (Vec::new(), self.show(self.root, &named));
        }
        // Every modality gets a name, so that nothing is shown twice, and showing never nests
        // deeper than one modality.
        let is_modality =
            |node: &Node| matches!(node, Node::Strong(..) | Node::Weak(..) | Node::Until(..));
        let named: Vec<bool> = self.nodes.iter().map(is_modality).collect();
        let ids = (0..self.nodes.len() as Id).filter(|&id| named[id as usize]);
        let propositions = ids.map(|id| (format!("P{id}"), self.show(id, &named)));
        let root = match named[self.root as usize] {
            true => format!("P{}", self.root),
            false => self.show(self.root, &named),
        };
        (propositions.collect(), root)
    }
    fn show(&self, id: Id, named: &[bool]) -> String {
        let part = |id: &Id| match named[*id as usize] {
            true => format!("P{id}"),
            false => self.show(*id, named),
        };
        match &self.nodes[id as usize] {
            Node::True => "tt".to_owned(),
            Node::Not(g) => format!("not {}", part(g)),
            Node::And(list) => {
                let parts: Vec<String> = list.iter().map(part).collect();
                format!("({})", parts.join(r" /\ "))
            }
            Node::Strong(a, g) => format!("<{}>{}", action_text(a), part(g)),
            Node::Weak(a, g) => format!("<<{}>>{}", action_text(a), part(g)),
            Node::Until(before, action, after) => {
                // Internal steps through states where `before` holds are a least fixpoint.
                let (x, y) = (format!("X{id}"), format!("Y{id}"));
                let before = match self.nodes[*before as usize] {
                    Node::True => String::new(),
                    _ => format!(r"{} /\ ", part(before)),
                };
                let last = match action {
                    Action::Label(a) => format!("<{}>{}", action_text(a), part(after)),
                    // On a tau cycle all states are alike, so all satisfy both formulas.
                    Action::Diverge => format!(r"max {y} = {before}{} /\ <t>{y}", part(after)),
                };
                let until = format!(r"(min {x} = {before}(<t>{x} \/ {last}))");
                match action {
                    Action::Label(a) if a == TAU_NAME => format!(r"({} \/ {until})", part(after)),
                    _ => until,
                }
            }
        }
    }
}

/// A label as formulas and processes write it: a word, or in quotes; `t` is internal.
pub fn action_text(label: &str) -> String {
    let word = label.strip_prefix('\'').unwrap_or(label);
    let is_word = word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    match label {
        TAU_NAME => "t".to_owned(),
        _ if is_word && !["t", "tau", "eps"].contains(&word) => label.to_owned(),
        _ => format!("\"{}\"", label.replace('\\', "\\\\").replace('"', "\\\"")),
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

/// Past this, shared parts are shown as propositions.
const MAX_UNFOLDED: u64 = 80;

impl fmt::Display for Formula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (propositions, root) = self.text();
        f.write_str(&root)?;
        if !propositions.is_empty() {
            f.write_str(" where")?;
        }
        for (name, body) in propositions {
            write!(f, "\nprop {name} = {body}")?;
        }
        Ok(())
    }
}
