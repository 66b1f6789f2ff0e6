//! How actions meet: which two synchronise, which ones a restriction forbids, what a relabelling
//! makes of them. Where that depends on what a pattern stands for, there is no answer: a step
//! of the whole that may be there or not is no step of a transition system.

use super::environment::{CompileError, Environment};
use cwolf_base::Exhausted;
use cwolf_lts::{ActionSet, Label, Labels, Pattern, Reading, TAU};
use rustc_hash::FxHashMap;

/// Why the steps of a process are not known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    Exhausted(Exhausted),
    /// It depends on what a pattern stands for.
    Doubt(String),
}

impl From<Exhausted> for Stop {
    fn from(reason: Exhausted) -> Stop {
        Stop::Exhausted(reason)
    }
}

impl From<Stop> for CompileError {
    fn from(stop: Stop) -> CompileError {
        match stop {
            Stop::Exhausted(reason) => CompileError::Exhausted(reason),
            Stop::Doubt(why) => CompileError::Unknown(why),
        }
    }
}

/// The labels that an operator applies to, and those where it is not known.
#[derive(Default)]
struct Operator {
    sure: FxHashMap<Label, Label>,
    open: FxHashMap<Label, Label>,
}

pub(super) struct Interaction {
    /// For each action its complement (`a` and `'a`), if that is known as a label at all.
    complements: Vec<Option<Label>>,
    /// The actions that a pattern, or what a pattern meets, may synchronise with or not.
    clashes: FxHashMap<Label, Vec<Label>>,
    restrictions: Vec<Operator>,
    renamings: Vec<Operator>,
}

impl Interaction {
    pub(super) fn new(env: &Environment) -> Interaction {
        let labels = &env.labels;
        let restriction = |set: &Vec<Label>| operator(labels, set.iter().map(|l| (*l, *l)));
        let renaming = |map: &Vec<(Label, Label)>| operator(labels, map.iter().copied());
        Interaction {
            complements: complements(labels),
            clashes: clashes(labels),
            restrictions: env.restrictions.iter().map(restriction).collect(),
            renamings: env.renamings.iter().map(renaming).collect(),
        }
    }
    /// The action that synchronises with this one.
    pub(super) fn complement(&self, label: Label) -> Option<Label> {
        self.complements[label as usize]
    }
    /// Stops if two actions may synchronise or not.
    pub(super) fn meet(
        &self,
        labels: &Labels,
        label: Label,
        others: impl Iterator<Item = Label>,
    ) -> Result<(), Stop> {
        let Some(list) = self.clashes.get(&label) else {
            return Ok(());
        };
        let mut others = others.filter(|o| list.contains(o));
        match others.next() {
            None => Ok(()),
            Some(other) => {
                let (a, b) = (labels.name(label), labels.name(other));
                let why = format!("`{a}` may synchronise with `{b}` or not");
                Err(Stop::Doubt(why))
            }
        }
    }
    /// Whether a restriction forbids an action.
    pub(super) fn forbids(&self, labels: &Labels, set: u32, label: Label) -> Result<bool, Stop> {
        let operator = &self.restrictions[set as usize];
        match operator.open.get(&label) {
            None => Ok(operator.sure.contains_key(&label)),
            Some(name) => {
                let (a, b) = (labels.name(label), labels.name(*name));
                Err(Stop::Doubt(format!(
                    "`{a}` may be the restricted `{b}` or not"
                )))
            }
        }
    }
    /// What a relabelling makes of an action.
    pub(super) fn rename(&self, labels: &Labels, map: u32, label: Label) -> Result<Label, Stop> {
        let operator = &self.renamings[map as usize];
        match operator.open.get(&label) {
            None => Ok(operator.sure.get(&label).copied().unwrap_or(label)),
            Some(_) => {
                let name = labels.name(label);
                Err(Stop::Doubt(format!(
                    "`{name}` may be a relabelled action or not"
                )))
            }
        }
    }
}

/// An operator on the named labels, each with what becomes of it.
fn operator(labels: &Labels, names: impl Iterator<Item = (Label, Label)>) -> Operator {
    let mut operator = Operator::default();
    for (name, to) in names {
        operator.sure.insert(name, to);
        // Without patterns only a label itself is meant by its name.
        if labels.patterns().is_empty() {
            continue;
        }
        let set = ActionSet::new([labels.name(name)]);
        for label in set.labels(labels, Reading::Surely) {
            operator.sure.entry(label).or_insert(to);
        }
        for label in set.labels(labels, Reading::Possibly) {
            operator.open.entry(label).or_insert(name);
        }
    }
    let sure = &operator.sure;
    operator.open.retain(|label, _| !sure.contains_key(label));
    operator
}

fn complements(labels: &Labels) -> Vec<Option<Label>> {
    let complement = |(label, name): (Label, &str)| match name.strip_prefix('\'') {
        _ if label == TAU || labels.patterns().binary_search(&label).is_ok() => None,
        // `'tau` is the complement of nothing, because `tau` is internal.
        Some(input) => labels.lookup(input).filter(|&l| l != TAU),
        None => labels.lookup(&format!("'{name}")),
    };
    (0..).zip(labels.names()).map(complement).collect()
}

fn clashes(labels: &Labels) -> FxHashMap<Label, Vec<Label>> {
    let mut clashes: FxHashMap<Label, Vec<Label>> = FxHashMap::default();
    let side = |label: Label| {
        let name = labels.name(label);
        let plain = name.strip_prefix('\'');
        (plain.is_some(), Pattern::parse(plain.unwrap_or(name)))
    };
    for &pattern in labels.patterns() {
        let (is_output, meant) = side(pattern);
        for other in 1..labels.len() as Label {
            let (other_is_output, other_meant) = side(other);
            if is_output != other_is_output && meant.overlaps(&other_meant) {
                clashes.entry(pattern).or_default().push(other);
                clashes.entry(other).or_default().push(pattern);
            }
        }
    }
    clashes
}
