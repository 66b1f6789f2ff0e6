//! From the tree of splits to a formula that holds at one state and not at another, after
//! Cleaveland's idea: the split where two states parted gives the modality, and earlier splits
//! give what must hold after it. Only the parts that are needed to rule out the other state's
//! answers are put in, one by one.
//!
//! The recursion goes down as many levels as the formula is deep, so it has a stack of its own.

use super::Modality;
use super::formula::{Action, Formula, Id, Model, Node};
use super::tree::{NodeId, Step, Tree};
use crate::labels::{Label, TAU};
use crate::lts::{Lts, State};
use cwolf_base::{Budget, Exhausted};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// A formula may cost this much: sub-formulas times states, in bytes.
const MAX_WORK: u64 = 1 << 28;

/// A formula that holds at `x` and not at `y`, or nothing when it would be too large.
pub(crate) fn formula(
    lts: &Lts,
    modality: Modality,
    (x, y): (State, State),
    budget: &Budget,
) -> Result<Option<Formula>, Exhausted> {
    let tree = Tree::grow(lts, modality, (x, y), budget)?;
    let mut maker = Maker {
        lts,
        tree: &tree,
        modality,
        model: Model::new(lts),
        nodes: Vec::new(),
        values: Vec::new(),
        ids: FxHashMap::default(),
        known: FxHashMap::default(),
    };
    let root = maker.run(vec![x], tree.leaf(x), y, budget)?;
    Ok(root.map(|root| Formula::extract(&maker.nodes, root)))
}

/// A formula to be made: it holds at `holds`, which can take the step of a split, and fails at
/// `fails`, which cannot.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Goal {
    split: NodeId,
    holds: Vec<State>,
    fails: Vec<State>,
}

/// A goal with what was found so far.
struct Frame {
    goal: Goal,
    /// The states that `holds` pass on the way to the step, and where it leads.
    path: Vec<State>,
    targets: Vec<State>,
    before: Vec<Id>,
    after: Vec<Id>,
    /// The part that is being made: whether it goes to `before`, and whether it is negated.
    pending: (bool, bool),
}

/// Why a state of `fails` still satisfies the formula.
enum Offence {
    /// The step leads to this state, which is not in the block that it should lead to.
    Target(State),
    /// The way to the step passes this state outside the block that was split.
    Path(State),
}

struct Maker<'a> {
    lts: &'a Lts,
    tree: &'a Tree,
    modality: Modality,
    model: Model<'a>,
    nodes: Vec<Node>,
    values: Vec<Vec<bool>>,
    ids: FxHashMap<Node, Id>,
    known: FxHashMap<Goal, Id>,
}

impl Maker<'_> {
    /// A formula that holds at all of `holds`, which are members of `node`, and not at `fails`.
    fn run(
        &mut self,
        holds: Vec<State>,
        node: NodeId,
        fails: State,
        budget: &Budget,
    ) -> Result<Option<Id>, Exhausted> {
        let (goal, negated) = self.goal(&holds, node, fails);
        let mut stack = vec![self.frame(goal)];
        loop {
            budget.check(self.nodes.len() as u64)?;
            if self.nodes.len() as u64 * self.lts.states() as u64 > MAX_WORK {
                return Ok(None);
            }
            let frame = stack.last().expect("the first frame returns");
            if let Some(offence) = self.offence(frame) {
                let (goal, to_before, negated) = self.part(frame, offence);
                let known = self.known.get(&goal).copied();
                let frame = stack.last_mut().expect("it was there");
                frame.pending = (to_before, negated);
                match known {
                    Some(id) => self.deliver(frame, id),
                    None => stack.push(self.frame(goal)),
                }
                continue;
            }
            let frame = stack.pop().expect("it was there");
            let id = self.finish(&frame);
            self.known.insert(frame.goal, id);
            match stack.last_mut() {
                Some(frame) => self.deliver(frame, id),
                None => return Ok(Some(if negated { self.add(Node::Not(id)) } else { id })),
            }
        }
    }
    /// What to make for telling `holds`, members of `node`, from `fails`, and whether to negate.
    fn goal(&self, holds: &[State], node: NodeId, fails: State) -> (Goal, bool) {
        let (split, positive) = self.tree.parting(node, fails);
        let (holds, fails) = match positive {
            true => (holds.to_vec(), vec![fails]),
            false => (vec![fails], holds.to_vec()),
        };
        let goal = Goal {
            split,
            holds,
            fails,
        };
        (goal, !positive)
    }
    fn part(&self, frame: &Frame, offence: Offence) -> (Goal, bool, bool) {
        let split = frame.goal.split;
        match (offence, self.tree.split(split).step) {
            (Offence::Target(state), Step::To(_, block)) => {
                let (goal, negated) = self.goal(&frame.targets, block, state);
                (goal, false, negated)
            }
            (Offence::Path(state), _) => {
                let (goal, negated) = self.goal(&frame.path, split, state);
                (goal, true, negated)
            }
            (Offence::Target(_), Step::Diverge) => unreachable!("divergence has no target"),
        }
    }
    fn deliver(&mut self, frame: &mut Frame, id: Id) {
        let (to_before, negated) = frame.pending;
        let id = if negated { self.add(Node::Not(id)) } else { id };
        let list = if to_before {
            &mut frame.before
        } else {
            &mut frame.after
        };
        assert!(
            !list.contains(&id),
            "each part rules out what the others do not"
        );
        list.push(id);
    }
    fn add(&mut self, node: Node) -> Id {
        if let Some(&id) = self.ids.get(&node) {
            return id;
        }
        let id = self.nodes.len() as Id;
        let value = self.model.evaluate(&node, &self.values);
        self.values.push(value);
        self.nodes.push(node.clone());
        self.ids.insert(node, id);
        id
    }
    fn all(&mut self, mut parts: Vec<Id>) -> Id {
        parts.sort_unstable();
        match parts[..] {
            [] => self.add(Node::True),
            [only] => only,
            _ => self.add(Node::And(parts)),
        }
    }
    fn finish(&mut self, frame: &Frame) -> Id {
        let after = self.all(frame.after.clone());
        let name = |label: Label| self.lts.labels().name(label).to_owned();
        let node = match (self.modality, self.tree.split(frame.goal.split).step) {
            (Modality::Strong, Step::To(a, _)) => Node::Strong(name(a), after),
            (Modality::Weak, Step::To(a, _)) => Node::Weak(name(a), after),
            (_, Step::To(a, _)) => {
                let action = Action::Label(name(a));
                Node::Until(self.all(frame.before.clone()), action, after)
            }
            (_, Step::Diverge) => {
                Node::Until(self.all(frame.before.clone()), Action::Diverge, after)
            }
        };
        self.add(node)
    }

    /// A frame with a way to the step for each state where the formula shall hold.
    fn frame(&self, goal: Goal) -> Frame {
        let mut path = Vec::new();
        let mut targets = Vec::new();
        for &s in &goal.holds {
            let inside = |t: State| match self.modality {
                Modality::Until => self.tree.contains(goal.split, t),
                _ => true,
            };
            let step = self.tree.split(goal.split).step;
            let end = |t: State| match step {
                Step::To(_, block) => self.tree.contains(block, t),
                Step::Diverge => true,
            };
            let (way, target) = self
                .search(s, step, inside, end)
                .expect("it can take the step");
            path.extend(way);
            targets.push(target);
        }
        for list in [&mut path, &mut targets] {
            list.sort_unstable();
            list.dedup();
        }
        Frame {
            goal,
            path,
            targets,
            before: Vec::new(),
            after: Vec::new(),
            pending: (false, false),
        }
    }
    /// Why some state of `fails` satisfies the formula so far, if one does.
    fn offence(&self, frame: &Frame) -> Option<Offence> {
        let holds =
            |list: &[Id], s: State| list.iter().all(|&f| self.values[f as usize][s as usize]);
        let split = frame.goal.split;
        let step = self.tree.split(split).step;
        frame.goal.fails.iter().find_map(|&s| {
            if self.modality == Modality::Until
                && matches!(step, Step::To(TAU, _))
                && holds(&frame.after, s)
            {
                return Some(Offence::Target(s));
            }
            let inside = |t| holds(&frame.before, t);
            let (way, target) = self.search(s, step, inside, |t| holds(&frame.after, t))?;
            match step {
                Step::To(_, block) if !self.tree.contains(block, target) => {
                    Some(Offence::Target(target))
                }
                _ => {
                    let outside = way.into_iter().find(|&t| !self.tree.contains(split, t));
                    Some(Offence::Path(
                        outside.expect("inside the block there is no such way"),
                    ))
                }
            }
        })
    }
    /// A shortest way from `s` to a state where `end` holds, by the step of a split: the states
    /// before the step (all `inside`) and the one after it.
    fn search(
        &self,
        s: State,
        step: Step,
        inside: impl Fn(State) -> bool,
        end: impl Fn(State) -> bool,
    ) -> Option<(Vec<State>, State)> {
        match (self.modality, step) {
            (Modality::Strong, Step::To(a, _)) => {
                let targets = self.lts.targets_by(s, a).iter();
                targets.copied().find(|&t| end(t)).map(|t| (vec![s], t))
            }
            (Modality::Weak, Step::To(a, _)) => self.search_weak(s, a, end).map(|t| (vec![s], t)),
            _ => self.search_until(s, step, inside, end),
        }
    }
    fn search_weak(&self, s: State, label: Label, end: impl Fn(State) -> bool) -> Option<State> {
        // States with whether the visible step was taken.
        let start = (s, label == TAU);
        let mut seen = rustc_hash::FxHashSet::from_iter([start]);
        let mut work = VecDeque::from([start]);
        while let Some((s, done)) = work.pop_front() {
            if done && end(s) {
                return Some(s);
            }
            let silent = self.lts.tau_targets(s).iter().map(|&t| (t, done));
            let visible = match done {
                true => &[][..],
                false => self.lts.targets_by(s, label),
            };
            for next in silent.chain(visible.iter().map(|&t| (t, true))) {
                if seen.insert(next) {
                    work.push_back(next);
                }
            }
        }
        None
    }
    fn search_until(
        &self,
        s: State,
        step: Step,
        inside: impl Fn(State) -> bool,
        end: impl Fn(State) -> bool,
    ) -> Option<(Vec<State>, State)> {
        if !inside(s) {
            return None;
        }
        let mut parent = FxHashMap::from_iter([(s, s)]);
        let mut work = VecDeque::from([s]);
        while let Some(v) = work.pop_front() {
            let found = match step {
                Step::To(a, _) => self.lts.targets_by(v, a).iter().copied().find(|&t| end(t)),
                Step::Diverge => self.lts.tau_targets(v).contains(&v).then_some(v),
            };
            if let Some(target) = found {
                let mut way = vec![v];
                let mut at = v;
                while parent[&at] != at {
                    at = parent[&at];
                    way.push(at);
                }
                return Some((way, target));
            }
            for &t in self.lts.tau_targets(v) {
                if inside(t) && !parent.contains_key(&t) {
                    parent.insert(t, v);
                    work.push_back(t);
                }
            }
        }
        None
    }
}
