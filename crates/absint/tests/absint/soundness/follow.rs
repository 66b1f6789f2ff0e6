//! Follows concrete runs in a model: control, values and labels.

use super::labels::{Expected, Labeller};
use cwolf_absint::explore::Model;
use cwolf_absint::machine::{Machine, Memory, State};
use cwolf_cwi::graph::is_tail_call;
use cwolf_cwi::value::Value;
use cwolf_cwi::{BlockId, Branch, FuncId, Place, Program, VarId};
use cwolf_interp::{At, Tracer, View};
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// A run with more possible abstract states than this is not followed further.
const MAX_STATES: usize = 300;

type Steps = Vec<(Option<String>, State)>;

/// Where successors come from: a machine, or a model that was explored.
pub enum Source {
    Machine(HashMap<State, Steps>),
    Model(HashMap<State, Steps>, State),
}

impl Source {
    pub fn model(model: &Model) -> Source {
        let states = &model.states;
        let mut map: HashMap<State, Steps> = states.iter().map(|s| (*s, Vec::new())).collect();
        assert_eq!(map.len(), model.lts.states(), "each state is there once");
        for (s, label, t) in model.lts.iter() {
            let text = match label {
                cwolf_lts::TAU => None,
                label => Some(model.lts.labels().name(label).to_owned()),
            };
            let steps = map.get_mut(&states[s as usize]).expect("a state");
            steps.push((text, states[t as usize]));
        }
        Source::Model(map, states[model.lts.initial() as usize])
    }
}

pub struct Follower<'p> {
    pub machine: Machine<'p>,
    pub source: Source,
    pub labeller: Labeller<'p>,
    entry: FuncId,
    /// Blocks that only return what a tail call left.
    tails: HashSet<(FuncId, BlockId)>,
    pub current: Option<Vec<State>>,
    pub gave_up: bool,
    pub steps: usize,
    pub labels: usize,
    /// Functions that have a body in the run only.
    pub hidden: Vec<FuncId>,
}

fn tails(program: &Program) -> HashSet<(FuncId, BlockId)> {
    let mut found = HashSet::new();
    for (func, f) in program.funcs.enumerate() {
        let Some(body) = &f.body else { continue };
        for (block, b) in body.blocks.enumerate() {
            if let Branch::Call {
                next: Some(next), ..
            } = &b.branch
                && is_tail_call(body, block)
            {
                found.insert((func, *next));
            }
        }
    }
    found
}

impl<'p> Follower<'p> {
    pub fn new(
        program: &'p Program,
        machine: Machine<'p>,
        source: Source,
        labeller: Labeller<'p>,
        entry: FuncId,
    ) -> Follower<'p> {
        Follower {
            machine,
            source,
            labeller,
            entry,
            tails: tails(program),
            current: None,
            gave_up: false,
            steps: 0,
            labels: 0,
            hidden: Vec::new(),
        }
    }
    fn successors(&mut self, state: State) -> Steps {
        let map = match &mut self.source {
            Source::Machine(map) => map,
            Source::Model(map, _) => return map[&state].clone(),
        };
        let machine = &mut self.machine;
        map.entry(state)
            .or_insert_with(|| {
                let found = machine.successors(state).into_iter();
                found.map(|s| (s.label, s.state)).collect()
            })
            .clone()
    }
    fn initial(&mut self) -> State {
        match self.source {
            Source::Machine(_) => self.machine.initial(self.entry),
            Source::Model(_, initial) => initial,
        }
    }
    /// The states at the start of a block (or at the end of the program) that come next, and
    /// show what was seen on the way.
    pub fn next(&mut self, expected: &[Expected]) -> Vec<State> {
        let any = self.labeller.lost;
        let start = self.current.clone().unwrap_or_default();
        let mut todo: Vec<(State, usize)> = start.into_iter().map(|s| (s, 0)).collect();
        let (mut seen, mut found) = (HashSet::new(), Vec::new());
        while let Some((state, at)) = todo.pop() {
            for (label, next) in self.successors(state) {
                // After how many of the expected labels this step may come.
                let mut places = Vec::new();
                match &label {
                    None => places.push(at),
                    Some(_) if any => places.push(at),
                    Some(label) => {
                        for (n, e) in expected.iter().enumerate().skip(at) {
                            if e.fits(label) {
                                places.push(n + 1);
                            }
                            if !e.optional {
                                break;
                            }
                        }
                    }
                }
                for at in places {
                    if !seen.insert((next, at)) {
                        continue;
                    }
                    let block = self.machine.block_start(next).is_some();
                    if !block && !self.machine.is_halted(next) {
                        todo.push((next, at));
                    } else if any || expected[at..].iter().all(|e| e.optional) {
                        found.push(next);
                    }
                }
            }
        }
        found.sort_by_key(|s| format!("{s:?}"));
        found.dedup();
        found
    }
    fn arrive(&mut self, at: At, view: &View<'_, '_>) {
        let expected = std::mem::take(&mut self.labeller.seen);
        let candidates = match self.current {
            None => vec![self.initial()],
            Some(_) => self.next(&expected),
        };
        let mut why = String::new();
        let mut fitting = Vec::new();
        for state in &candidates {
            if self.machine.block_start(*state) != Some((at.func, at.block)) {
                continue;
            }
            let covered = self.machine.covers(*state, &|place| view.load(place));
            let covered = covered.and_then(|()| self.machine.covers_pointers(*state, &Run(view)));
            match covered {
                Ok(()) => fitting.push(*state),
                Err(what) => {
                    why += &format!("{what}, not in\n{}\n", self.machine.describe(*state, 1));
                }
            }
        }
        if fitting.is_empty() && self.tails.contains(&(at.func, at.block)) {
            // The frame is gone already: the model is in an outer caller, or will be.
            self.labeller.seen = expected;
            return;
        }
        assert!(
            !fitting.is_empty(),
            "the run goes to {}:block_{} showing {expected:?}, the model does not: \
             {} candidates from {}\n{why}",
            view.program().funcs[at.func].name,
            at.block.0,
            candidates.len(),
            self.current
                .iter()
                .flatten()
                .map(|s| self.machine.describe(*s, 2))
                .collect::<Vec<_>>()
                .join("\n")
        );
        self.gave_up = fitting.len() > MAX_STATES;
        self.current = Some(fitting);
        self.steps += 1;
        self.labels += expected.iter().filter(|e| !e.optional).count();
        self.labeller.lost = false;
    }
}

/// A run's memory.
struct Run<'v, 'm, 'p>(&'v View<'m, 'p>);

impl Memory for Run<'_, '_, '_> {
    fn load(&self, place: &Place) -> Option<Value> {
        self.0.load(place)
    }
    fn address(&self, var: VarId) -> Option<u64> {
        self.0.find(var)
    }
    fn read(&self, addr: u64, bytes: u64) -> Option<u64> {
        let bytes = self.0.bytes(addr, bytes)?.iter().rev();
        Some(bytes.fold(0, |n, b| n << 8 | u64::from(*b)))
    }
}

pub struct Shared<'p>(pub Rc<RefCell<Follower<'p>>>);

impl Tracer for Shared<'_> {
    fn step(&mut self, at: At, view: &View<'_, '_>) {
        let mut follower = self.0.borrow_mut();
        // Code that the model does not show: its steps are part of the call.
        if follower.gave_up || follower.hidden.contains(&at.func) {
            return;
        }
        // What was begun before is shown on the way here; what begins here, after.
        follower.labeller.finish(at, view);
        if at.index == 0 {
            follower.arrive(at, view);
        }
        if !follower.gave_up {
            follower.labeller.begin(at, view);
        }
    }
}
