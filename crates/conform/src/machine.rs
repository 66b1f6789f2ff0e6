//! Reading a state/event machine off a labelled transition system.
//!
//! The machine is in the state that the last state label named. An event label opens a cell: that
//! of the state and the event. What follows, up to where the next event can come or the run ends, is
//! what the machine does in this cell. A run that ends before a state label after the event leads
//! to [`END`], one from which neither an event nor an end can be reached to [`LOOP`].

use crate::cell::{Found, Step};
use crate::roles::Role;
use crate::settings::{Order, Settings};
use cwolf_base::{Budget, Exhausted};
use cwolf_lts::{Label, Lts, State, TAU};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, VecDeque};

/// The state before the first label that names one.
pub const START: &str = "(start)";
/// The state after a run that ended.
pub const END: &str = "(end)";
/// The state of a machine that comes to no event any more, and to no end.
pub const LOOP: &str = "(loop)";

/// So many lists of actions of one cell are told apart, besides those that the table allows,
const MOST_LISTS: usize = 64;
/// if they have no more actions than this (or than an allowed one).
const LONGEST: usize = 12;
const NONE: u32 = u32::MAX;

/// The number of a name, or of a list of actions.
type Id = u32;

/// A machine that was read off a system.
#[derive(Clone, Debug, Default)]
pub struct Machine {
    /// The states, in the order in which they are reached.
    pub states: Vec<String>,
    /// The events, likewise.
    pub events: Vec<String>,
    /// What was found for each event in each state, by their numbers.
    pub cells: BTreeMap<(usize, usize), Vec<Found>>,
}

/// What a label stands for, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    State(Id),
    Event(Id),
    Action(Id),
    Silent,
}

/// A system with its labels sorted out.
struct View<'l> {
    lts: &'l Lts,
    /// Whether states without steps may be states that nobody looked at.
    partial: bool,
    order: Order,
    kinds: Vec<Kind>,
    states: Names,
    events: Names,
    actions: Names,
}

#[derive(Default)]
struct Names {
    list: Vec<String>,
    ids: FxHashMap<String, Id>,
}

impl Names {
    fn id(&mut self, name: &str) -> Id {
        if let Some(&id) = self.ids.get(name) {
            return id;
        }
        let id = self.list.len() as Id;
        self.list.push(name.to_owned());
        self.ids.insert(name.to_owned(), id);
        id
    }
}

/// A state of the system with the state of the machine; how it was first reached.
struct Point {
    at: State,
    state: Id,
    from: u32,
    by: Label,
}

/// The points where an event opens a cell: the point before it, the label, where it leads.
type Openings = Vec<(u32, Label, State)>;
/// Where the cell of each state and event opens.
type Cells = BTreeMap<(Id, Id), Openings>;

impl Machine {
    /// Reads a machine off `lts`; `partial` says that not all of it was explored. `allowed` are the lists of
    /// actions that matter for an event in a state: they and what they begin with are always told apart.
    pub fn read(
        lts: &Lts,
        partial: bool,
        settings: &Settings,
        allowed: impl Fn(&str, &str) -> Vec<Vec<String>>,
        budget: &Budget,
    ) -> Result<Machine, Exhausted> {
        let view = View::new(lts, partial, settings);
        let start = settings.start.as_deref().unwrap_or(START);
        let start = view.states.ids[start];
        let (points, cells) = view.reach(start, budget)?;
        let mut machine = Machine::default();
        let mut states = vec![NONE; view.states.list.len()];
        let mut events = vec![NONE; view.events.list.len()];
        for point in &points {
            number(&mut states, point.state, &view.states, &mut machine.states);
        }
        let mut first: Vec<_> = cells.iter().map(|((_, e), at)| (at[0], *e)).collect();
        first.sort_unstable();
        for (_, event) in first {
            number(&mut events, event, &view.events, &mut machine.events);
        }
        // Where nothing happens before a state is named, the start is no state of the machine.
        let opens = |s: Id| cells.keys().any(|&(state, _)| state == s);
        if settings.start.is_none() && !opens(start) && machine.states.len() > 1 {
            let gone = states[start as usize] as usize;
            machine.states.remove(gone);
            for n in states
                .iter_mut()
                .filter(|n| **n != NONE && **n > gone as u32)
            {
                *n -= 1;
            }
        }
        for ((state, event), openings) in cells {
            let allowed = allowed(
                &view.states.list[state as usize],
                &view.events.list[event as usize],
            );
            let found = Ways::new(&view, &allowed).explore(state, &openings, &points, budget)?;
            let key = (
                states[state as usize] as usize,
                events[event as usize] as usize,
            );
            machine.cells.insert(key, found);
        }
        Ok(machine)
    }
}

/// Gives `id` the next number if it has none.
fn number(numbers: &mut [u32], id: Id, names: &Names, list: &mut Vec<String>) {
    let slot = &mut numbers[id as usize];
    if *slot == NONE {
        *slot = list.len() as u32;
        list.push(names.list[id as usize].clone());
    }
}

impl<'l> View<'l> {
    fn new(lts: &'l Lts, partial: bool, settings: &Settings) -> View<'l> {
        let (mut states, mut events, mut actions) = <(Names, Names, Names)>::default();
        states.id(settings.start.as_deref().unwrap_or(START));
        let kinds = lts.labels().names().enumerate().map(|(n, label)| {
            if n as Label == TAU {
                return Kind::Silent;
            }
            match settings.roles.role(label) {
                Role::State(name) => Kind::State(states.id(&name)),
                Role::Event(name) => Kind::Event(events.id(&name)),
                Role::Action(name) => Kind::Action(actions.id(&name)),
                Role::Ignored => Kind::Silent,
            }
        });
        let kinds = kinds.collect();
        View {
            lts,
            partial,
            order: settings.order,
            kinds,
            states,
            events,
            actions,
        }
    }
    /// All that can be reached, and where cells open.
    fn reach(&self, start: Id, budget: &Budget) -> Result<(Vec<Point>, Cells), Exhausted> {
        let mut points = vec![Point {
            at: self.lts.initial(),
            state: start,
            from: NONE,
            by: TAU,
        }];
        let mut known = FxHashMap::default();
        known.insert((self.lts.initial(), start), 0u32);
        let mut cells = Cells::new();
        let mut next = 0;
        while next < points.len() {
            if next % 4096 == 0 {
                budget.check_but_steps()?;
            }
            let (at, state) = (points[next].at, points[next].state);
            for (label, target) in self.lts.from(at) {
                let kind = self.kinds[label as usize];
                if let Kind::Event(event) = kind {
                    let opening = (next as u32, label, target);
                    cells.entry((state, event)).or_default().push(opening);
                }
                let state = match kind {
                    Kind::State(state) => state,
                    _ => state,
                };
                known.entry((target, state)).or_insert_with(|| {
                    points.push(Point {
                        at: target,
                        state,
                        from: next as u32,
                        by: label,
                    });
                    points.len() as u32 - 1
                });
            }
            next += 1;
        }
        Ok((points, cells))
    }
    /// The events on the way to a point.
    fn before(&self, points: &[Point], mut at: u32) -> Vec<String> {
        let mut events = Vec::new();
        while at != NONE {
            let point = &points[at as usize];
            if let Kind::Event(event) = self.kinds[point.by as usize] {
                events.push(self.events.list[event as usize].clone());
            }
            at = point.from;
        }
        events.reverse();
        events
    }
    fn step(&self, from: State, by: Label) -> Step {
        let note = self.lts.notes().and_then(|n| n.get(from));
        Step {
            place: note
                .and_then(|n| n.place())
                .map(|(file, line)| (file.to_owned(), line)),
            label: (by != TAU).then(|| self.lts.labels().name(by).to_owned()),
            code: None,
        }
    }
}

/// A point inside a cell: where the system is, the state named last since the event, the actions since then.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Inner {
    at: State,
    /// The state that was named since the event; none if there was none.
    named: Id,
    way: Id,
}

/// The ways through one cell.
struct Ways<'v> {
    view: &'v View<'v>,
    allowed: Vec<Vec<Id>>,
    /// Lists of actions by number, sorted if their order does not matter; none stands for all that are not
    /// told apart.
    lists: Vec<Option<Vec<Id>>>,
    ids: FxHashMap<Option<Vec<Id>>, Id>,
    points: Vec<(Inner, u32, Label)>,
    known: FxHashMap<Inner, u32>,
    /// Steps from point to point, to look at backwards.
    steps: Vec<(u32, u32)>,
    queue: VecDeque<u32>,
}

impl<'v> Ways<'v> {
    fn new(view: &'v View<'v>, allowed: &[Vec<String>]) -> Ways<'v> {
        // An action that the system does not have is none that it can do.
        let id = |name: &String| view.actions.ids.get(name).copied().unwrap_or(NONE);
        let list = |names: &Vec<String>| names.iter().map(id).collect();
        Ways {
            view,
            allowed: allowed.iter().map(list).collect(),
            lists: Vec::new(),
            ids: FxHashMap::default(),
            points: Vec::new(),
            known: FxHashMap::default(),
            steps: Vec::new(),
            queue: VecDeque::new(),
        }
    }
    fn list(&mut self, actions: Option<Vec<Id>>) -> Id {
        if let Some(&id) = self.ids.get(&actions) {
            return id;
        }
        let id = self.lists.len() as Id;
        self.lists.push(actions.clone());
        self.ids.insert(actions, id);
        id
    }
    /// The list with one more action.
    fn with(&mut self, way: Id, action: Id) -> Id {
        let Some(actions) = &self.lists[way as usize] else {
            return way;
        };
        let mut actions = actions.clone();
        actions.push(action);
        if self.view.order == Order::Free {
            actions.sort_unstable();
        }
        let full = actions.len() > LONGEST || self.lists.len() >= MOST_LISTS;
        if full && !self.ids.contains_key(&Some(actions.clone())) && !self.is_beginning(&actions) {
            return self.list(None);
        }
        self.list(Some(actions))
    }
    /// Whether an allowed list begins like this one; if the order does not matter, whether it has all of these.
    fn is_beginning(&self, actions: &[Id]) -> bool {
        self.allowed.iter().any(|allowed| match self.view.order {
            Order::Strict => allowed.starts_with(actions),
            Order::Free => {
                let count = |list: &[Id], a: Id| list.iter().filter(|&&b| a == b).count();
                actions
                    .iter()
                    .all(|&a| count(actions, a) <= count(allowed, a))
            }
        })
    }
    fn reach(&mut self, inner: Inner, from: u32, by: Label) {
        let next = self.points.len() as u32;
        let to = *self.known.entry(inner).or_insert(next);
        if to == next {
            self.points.push((inner, from, by));
            self.queue.push_back(to);
        }
        if from != NONE {
            self.steps.push((from, to));
        }
    }
    /// What is found in the cell of `state` that opens at `openings`.
    fn explore(
        mut self,
        state: Id,
        openings: &Openings,
        outer: &[Point],
        budget: &Budget,
    ) -> Result<Vec<Found>, Exhausted> {
        let none = self.list(Some(Vec::new()));
        let mut opened: FxHashMap<u32, (u32, Label)> = FxHashMap::default();
        for &(before, label, at) in openings {
            let inner = Inner {
                at,
                named: NONE,
                way: none,
            };
            self.reach(inner, NONE, label);
            let point = self.known[&inner];
            opened.entry(point).or_insert((before, label));
        }
        // The first point of each outcome: the list of actions and the next state.
        let mut outcomes: Vec<(Id, String, u32)> = Vec::new();
        let mut seen = FxHashMap::default();
        let mut complete = Vec::new();
        let mut looked = 0u64;
        while let Some(n) = self.queue.pop_front() {
            looked += 1;
            if looked.is_multiple_of(4096) {
                budget.check_but_steps()?;
            }
            let (inner, ..) = self.points[n as usize];
            let mut event = false;
            let mut stuck = true;
            for (label, target) in self.view.lts.from(inner.at) {
                stuck = false;
                let mut to = Inner {
                    at: target,
                    ..inner
                };
                match self.view.kinds[label as usize] {
                    Kind::Event(_) => {
                        event = true;
                        continue;
                    }
                    Kind::State(named) => to.named = named,
                    Kind::Action(action) => to.way = self.with(inner.way, action),
                    Kind::Silent => {}
                }
                self.reach(to, n, label);
            }
            // A state that nobody looked at says nothing.
            let unknown = stuck && self.view.partial;
            if unknown {
                complete.push(n);
            }
            if event || (stuck && !unknown) {
                complete.push(n);
                let next = match inner.named {
                    NONE if stuck => END.to_owned(),
                    NONE => self.view.states.list[state as usize].clone(),
                    named => self.view.states.list[named as usize].clone(),
                };
                seen.entry((inner.way, next.clone())).or_insert_with(|| {
                    outcomes.push((inner.way, next, n));
                });
            }
        }
        if let Some(n) = self.first_that_never_completes(&complete) {
            outcomes.push((self.points[n as usize].0.way, LOOP.to_owned(), n));
        }
        let found = outcomes.into_iter().map(|(way, next, n)| {
            let (steps, opening) = self.path(n, &opened, outer);
            let cut = self.lists[way as usize].is_none();
            let mut actions = self.actions(n);
            actions.truncate(if cut { LONGEST } else { usize::MAX });
            Found {
                actions,
                next,
                cut,
                allowed: false,
                before: self.view.before(outer, opening),
                steps,
            }
        });
        Ok(found.collect())
    }
    /// The first point from which no complete one can be reached.
    fn first_that_never_completes(&self, complete: &[u32]) -> Option<u32> {
        let mut into: Vec<Vec<u32>> = vec![Vec::new(); self.points.len()];
        for &(from, to) in &self.steps {
            into[to as usize].push(from);
        }
        let mut can = vec![false; self.points.len()];
        let mut open = complete.to_vec();
        while let Some(n) = open.pop() {
            if !std::mem::replace(&mut can[n as usize], true) {
                open.extend(&into[n as usize]);
            }
        }
        can.iter().position(|c| !c).map(|n| n as u32)
    }
    /// The actions on the way to a point.
    fn actions(&self, mut n: u32) -> Vec<String> {
        let mut actions = Vec::new();
        while n != NONE {
            let (_, from, by) = self.points[n as usize];
            if let Kind::Action(action) = self.view.kinds[by as usize] {
                actions.push(self.view.actions.list[action as usize].clone());
            }
            n = from;
        }
        actions.reverse();
        actions
    }
    /// The steps from the event to a point, and the outer point before the event.
    fn path(
        &self,
        mut n: u32,
        opened: &FxHashMap<u32, (u32, Label)>,
        outer: &[Point],
    ) -> (Vec<Step>, u32) {
        let mut steps = Vec::new();
        loop {
            let (_, from, by) = self.points[n as usize];
            if from == NONE {
                let (before, label) = opened[&n];
                steps.push(self.view.step(outer[before as usize].at, label));
                steps.reverse();
                return (steps, before);
            }
            steps.push(self.view.step(self.points[from as usize].0.at, by));
            n = from;
        }
    }
}
