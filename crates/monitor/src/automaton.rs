//! The model as a deterministic automaton, made as far as it is used: a position is the set of
//! all states that the calls so far can have led to.

use cwolf_lts::{ActionSet, Label, Lts, Reading, State, TAU};
use rustc_hash::FxHashMap;

/// Where a process is: a set of states, closed under internal steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Position(u32);

/// The subset construction, step by step as runs need it.
pub struct Automaton<'l> {
    lts: &'l Lts,
    sets: Vec<Box<[State]>>,
    ids: FxHashMap<Box<[State]>, Position>,
    steps: FxHashMap<(Position, u32), Option<Position>>,
    /// Actions by name, and for each the labels that may mean it.
    numbers: FxHashMap<String, u32>,
    actions: Vec<Vec<Label>>,
}

impl<'l> Automaton<'l> {
    /// The automaton of `lts`.
    pub fn new(lts: &'l Lts) -> Automaton<'l> {
        Automaton {
            lts,
            sets: Vec::new(),
            ids: FxHashMap::default(),
            steps: FxHashMap::default(),
            numbers: FxHashMap::default(),
            actions: Vec::new(),
        }
    }
    /// Where every run starts.
    pub fn start(&mut self) -> Position {
        self.closed(vec![self.lts.initial()])
    }
    /// The number of an action; of each, the labels that may mean it are known: itself, and patterns.
    fn action(&mut self, name: &str) -> u32 {
        if let Some(&known) = self.numbers.get(name) {
            return known;
        }
        let labels = self.lts.labels();
        let mut meant = ActionSet::new([name]).labels(labels, Reading::Possibly);
        meant.retain(|&l| l != TAU);
        let number = self.actions.len() as u32;
        self.actions.push(meant);
        self.numbers.insert(name.to_owned(), number);
        number
    }
    /// Whether the model speaks of an action at all.
    pub fn speaks_of(&mut self, action: &str) -> bool {
        let number = self.action(action);
        !self.actions[number as usize].is_empty()
    }
    /// Where an action leads from a position, if the model allows it there.
    pub fn step(&mut self, at: Position, action: &str) -> Option<Position> {
        let action = self.action(action);
        if let Some(&known) = self.steps.get(&(at, action)) {
            return known;
        }
        let (lts, labels) = (self.lts, &self.actions[action as usize]);
        let by = |s: State| labels.iter().flat_map(move |&l| lts.targets_by(s, l));
        let targets = self.sets[at.0 as usize].iter().copied().flat_map(by);
        let mut next: Vec<State> = targets.copied().collect();
        next.sort_unstable();
        next.dedup();
        let next = (!next.is_empty()).then(|| self.closed(next));
        self.steps.insert((at, action), next);
        next
    }
    /// The labels that the model allows at a position, sorted.
    pub fn expected(&self, at: Position) -> Vec<String> {
        let set = &self.sets[at.0 as usize];
        let enabled = set.iter().flat_map(|&s| self.lts.from(s)).map(|(l, _)| l);
        let mut labels: Vec<Label> = enabled.filter(|&l| l != TAU).collect();
        labels.sort_unstable();
        labels.dedup();
        let mut names: Vec<String> = labels
            .iter()
            .map(|&l| self.lts.labels().name(l).to_owned())
            .collect();
        names.sort();
        names
    }
    /// The states of a position.
    pub fn states(&self, at: Position) -> &[State] {
        &self.sets[at.0 as usize]
    }
    /// How many positions have been met.
    pub fn len(&self) -> usize {
        self.sets.len()
    }
    /// Whether no run has started.
    pub fn is_empty(&self) -> bool {
        self.sets.is_empty()
    }

    /// The position of all states that internal steps lead to from `states`.
    fn closed(&mut self, states: Vec<State>) -> Position {
        let mut seen: rustc_hash::FxHashSet<State> = states.iter().copied().collect();
        let mut todo = states;
        while let Some(state) = todo.pop() {
            for &next in self.lts.tau_targets(state) {
                if seen.insert(next) {
                    todo.push(next);
                }
            }
        }
        let mut set: Vec<State> = seen.into_iter().collect();
        set.sort_unstable();
        let set = set.into_boxed_slice();
        if let Some(&known) = self.ids.get(&set) {
            return known;
        }
        let id = Position(self.sets.len() as u32);
        self.sets.push(set.clone());
        self.ids.insert(set, id);
        id
    }
}
