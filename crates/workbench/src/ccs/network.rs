//! The transition system of a process. What runs in parallel at the start stays in parallel for
//! ever, so a process is a network of sequential parts with restrictions and relabellings
//! around them, and a state is the list of its parts' states.

use super::environment::Environment;
use super::interaction::{Interaction, Stop};
use super::semantics::Machine;
use super::store::Store;
use super::term::{Term, TermId};
use cwolf_base::{Budget, Exhausted};
use cwolf_lts::{Builder, Label, Lts, State, TAU};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Without a limit of the user's, a process has at most this many states.
const MAX_STATES: u64 = 10_000_000;
/// A process with more than this many parts and operators is seen as one part.
const MAX_NODES: usize = 1 << 14;
const NONE: u32 = u32::MAX;

/// A part or an operator; the operands come before it, the last of them just before it.
enum Node {
    Part(u32),
    Par,
    Restrict(u32),
    Relabel(u32),
}

/// A part and the states of it that were seen.
enum Part {
    /// A state of an automaton is its own number.
    Automaton(u32),
    Process {
        terms: Vec<TermId>,
        numbers: FxHashMap<TermId, u32>,
        moves: Vec<Option<LocalMoves>>,
    },
}

type LocalMoves = Rc<[(Label, u32)]>;

/// A step: its label, and who moves where; the second mover of a synchronisation may be `NONE`.
type Move = (Label, [(u32, u32); 2]);

/// Everything that `root`, which was checked, can do.
pub(super) fn explore(env: &mut Environment, root: TermId, budget: &Budget) -> Result<Lts, Stop> {
    let limit = budget.steps().unwrap_or(MAX_STATES);
    let mut machine = Machine::new(env, budget);
    let root = machine.unfold(root);
    let mut network = Network::new(machine, root);
    let start = network.start.clone();
    let mut store = Store::new(start.len());
    store.insert(&start);
    let mut builder = Builder::with_labels(network.machine.env.labels.clone());
    let mut locals = start;
    let mut moves: Vec<Move> = Vec::new();
    let mut at = 0;
    let mut work = 0;
    while at < store.len() {
        work += network.nodes.len() + moves.len();
        if at == 0 || work > 1 << 16 {
            work = 0;
            budget.check(at as u64)?;
            budget.tell(|| {
                let transitions = builder.transitions();
                format!("{} states, {transitions} transitions", store.len())
            });
        }
        store.open(at as u32, &mut locals);
        network.moves(&locals, &mut moves)?;
        if builder.transitions() + moves.len() >= u32::MAX as usize {
            return Err(Exhausted::Memory.into());
        }
        for &(label, movers) in &moves {
            let target = store.after(movers);
            builder.add(at as State, label, target);
        }
        if store.len() as u64 > limit {
            return Err(Exhausted::Steps.into());
        }
        at += 1;
    }
    builder.ensure_states(store.len());
    network.write_notes(&mut store, &mut builder, budget)?;
    Ok(builder.finish(0))
}

struct Network<'a> {
    machine: Machine<'a>,
    interaction: Rc<Interaction>,
    nodes: Vec<Node>,
    parts: Vec<Part>,
    start: Vec<u32>,
}

impl Network<'_> {
    fn new<'a>(machine: Machine<'a>, root: TermId) -> Network<'a> {
        let mut network = Network {
            interaction: machine.interaction.clone(),
            machine,
            nodes: Vec::new(),
            parts: Vec::new(),
            start: Vec::new(),
        };
        if !network.take_apart(root) {
            network.nodes.clear();
            network.parts.clear();
            network.start.clear();
            network.part(root);
        }
        network
    }
    /// Finds the parts of a process; false if there are too many.
    fn take_apart(&mut self, root: TermId) -> bool {
        // Operators are met before their operands: reversed, that is the order of nodes.
        let mut found: Vec<(TermId, Node)> = Vec::new();
        let mut work = vec![root];
        while let Some(term) = work.pop() {
            if found.len() >= MAX_NODES {
                return false;
            }
            found.push(match *self.machine.env.terms.get(term) {
                Term::Par(a, b) => {
                    work.extend([a, b]);
                    (term, Node::Par)
                }
                Term::Restrict(part, set) => {
                    work.push(part);
                    (term, Node::Restrict(set))
                }
                Term::Relabel(part, map) => {
                    work.push(part);
                    (term, Node::Relabel(map))
                }
                _ => (term, Node::Part(NONE)),
            });
        }
        for (term, node) in found.into_iter().rev() {
            match node {
                Node::Part(_) => self.part(term),
                operator => self.nodes.push(operator),
            }
        }
        true
    }
    fn part(&mut self, term: TermId) {
        self.nodes.push(Node::Part(self.parts.len() as u32));
        let (part, start) = match *self.machine.env.terms.get(term) {
            Term::Automaton(number, state) => (Part::Automaton(number), state),
            _ => {
                let process = Part::Process {
                    terms: vec![term],
                    numbers: FxHashMap::from_iter([(term, 0)]),
                    moves: vec![None],
                };
                (process, 0)
            }
        };
        self.parts.push(part);
        self.start.push(start);
    }

    /// The steps of the whole, given the states of the parts.
    fn moves(&mut self, locals: &[u32], moves: &mut Vec<Move>) -> Result<(), Stop> {
        moves.clear();
        // Where the steps of each operand start.
        let mut starts: Vec<usize> = Vec::new();
        for n in 0..self.nodes.len() {
            match self.nodes[n] {
                Node::Part(part) => {
                    starts.push(moves.len());
                    self.local_moves(part, locals[part as usize], moves)?;
                }
                Node::Par => {
                    let middle = starts.pop().expect("a second operand");
                    let first = *starts.last().expect("a first operand");
                    self.synchronise(moves, first, middle)?;
                }
                Node::Restrict(set) => {
                    let start = *starts.last().expect("an operand");
                    let labels = &self.machine.env.labels;
                    let mut kept = start;
                    for i in start..moves.len() {
                        if !self.interaction.forbids(labels, set, moves[i].0)? {
                            moves[kept] = moves[i];
                            kept += 1;
                        }
                    }
                    moves.truncate(kept);
                }
                Node::Relabel(map) => {
                    let start = *starts.last().expect("an operand");
                    let labels = &self.machine.env.labels;
                    for step in &mut moves[start..] {
                        step.0 = self.interaction.rename(labels, map, step.0)?;
                    }
                }
            }
        }
        Ok(())
    }
    /// Adds what the steps `first..middle` and those from `middle` on do together.
    fn synchronise(&self, moves: &mut Vec<Move>, first: usize, middle: usize) -> Result<(), Stop> {
        let end = moves.len();
        for i in first..middle {
            let (label, movers) = moves[i];
            let others = moves[middle..end].iter().map(|m| m.0);
            (self.interaction).meet(&self.machine.env.labels, label, others)?;
            let Some(other) = self.interaction.complement(label) else {
                continue;
            };
            for j in middle..end {
                if moves[j].0 == other {
                    moves.push((TAU, [movers[0], moves[j].1[0]]));
                }
            }
        }
        Ok(())
    }
    fn local_moves(&mut self, number: u32, local: u32, moves: &mut Vec<Move>) -> Result<(), Stop> {
        let add = |label: Label, to: u32| (label, [(number, to), (NONE, 0)]);
        match &mut self.parts[number as usize] {
            Part::Automaton(automaton) => {
                let automaton = &self.machine.env.automata[*automaton as usize];
                let steps = automaton.lts.from(local);
                moves.extend(steps.map(|(a, t)| add(automaton.labels[a as usize], t)));
            }
            Part::Process {
                terms,
                numbers,
                moves: known,
            } => {
                if known[local as usize].is_none() {
                    let steps = self.machine.moves(terms[local as usize])?;
                    let step = |&(label, term): &(Label, TermId)| {
                        let next = terms.len() as u32;
                        let to = *numbers.entry(term).or_insert(next);
                        if to == next {
                            terms.push(term);
                        }
                        (label, to)
                    };
                    known[local as usize] = Some(steps.iter().map(step).collect());
                    known.resize(terms.len(), None);
                }
                let steps = known[local as usize].as_ref().expect("it was just made");
                moves.extend(steps.iter().map(|&(label, to)| add(label, to)));
            }
        }
        Ok(())
    }

    /// What is known about the states of the parts, side by side.
    fn write_notes(
        &self,
        store: &mut Store,
        builder: &mut Builder,
        budget: &Budget,
    ) -> Result<(), Exhausted> {
        let automata = &self.machine.env.automata;
        if automata.iter().all(|a| a.lts.notes().is_none()) {
            return Ok(());
        }
        let mut locals = vec![0; self.parts.len()];
        let mut texts: Vec<String> = Vec::new();
        for s in 0..store.len() as u32 {
            if s % 4096 == 0 {
                budget.check(0)?;
            }
            store.open(s, &mut locals);
            texts.clear();
            for (part, &local) in self.parts.iter().zip(&locals) {
                match part {
                    Part::Automaton(number) => self.note(*number, local, &mut texts),
                    Part::Process { terms, .. } => self.notes(terms[local as usize], &mut texts),
                }
            }
            if !texts.is_empty() {
                builder.note(s, &texts.join(" | "));
            }
        }
        Ok(())
    }
    fn note(&self, automaton: u32, state: State, texts: &mut Vec<String>) {
        let notes = self.machine.env.automata[automaton as usize].lts.notes();
        let note = notes.and_then(|notes| notes.get(state));
        texts.extend(note.map(|note| note.to_string()));
    }
    /// The notes of the automata inside a process.
    fn notes(&self, term: TermId, texts: &mut Vec<String>) {
        let mut work = vec![term];
        while let Some(term) = work.pop() {
            match *self.machine.env.terms.get(term) {
                Term::Automaton(number, state) => self.note(number, state, texts),
                Term::Par(a, b) => work.extend([b, a]),
                Term::Restrict(part, _) | Term::Relabel(part, _) => work.push(part),
                _ => {}
            }
        }
    }
}
