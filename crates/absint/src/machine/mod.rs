//! The abstract machine (thesis, 3.9 and 4.5): a state in, its labelled successors out.
//!
//! A state is four numbers: a location, the caller's frame, the local and the global
//! environment. Each step runs from a state's location to the next branch, or to the first
//! statement that is seen. Every successor of every concrete state that an abstract state covers
//! is covered by one of its successors.
//!
//! `Code` is the program under its maps; `step` and `calls` say what a step does to opened
//! environments; `worker` keeps steps and takes them again; `tables` holds what states refer
//! to.

mod access;
mod assign;
mod assume;
mod bulk;
mod callbacks;
mod calls;
mod concrete;
mod constants;
mod cover;
mod defaults;
mod describe;
mod ends;
mod eval;
mod events;
mod foreign;
mod garbage;
mod guards;
mod havoc;
mod heap;
mod index_liveness;
mod jumps;
mod label_text;
mod labels;
mod layout;
mod learn;
mod library;
mod liveness;
mod objects;
mod operands;
mod outside;
mod parts;
mod questions;
mod relevance;
mod returned;
mod scratch;
mod several;
mod silent_paths;
mod split;
mod step;
mod tables;
mod wire;
mod worker;

pub use cover::Memory;
pub use events::{is_event_name, literal_text, shows_events};
pub(crate) use foreign::ends_program;
pub use foreign::is_known;
pub use labels::places;
pub use liveness::bits as fixed_bits;
pub use operands::{Operands, with_object, with_operands};
pub(crate) use operands::{at_all_places, mentions_operands, values};
pub(crate) use parts::Part;
pub use step::Unfollowed;
pub(crate) use tables::{Full, Tables, mix};
pub(crate) use wire::{Refused, Wire};
pub(crate) use worker::{Edge, Worker};

use crate::domain::{Kind, Universe, Value};
use crate::map::{Abstraction, Cell, LabelMap, Outside, Variance};
use callbacks::Callbacks;
pub use callbacks::{is_covered_beside, unseen_callbacks};
use cwolf_base::{Budget, Idx, IndexVec};
use cwolf_cwi::graph::{Analysed, CallGraph, PointsTo, Precision};
use cwolf_cwi::{BlockId, Branch, FuncId, IntTy, LocId, Type, TypeId, VarId};
use eval::Context;
use garbage::Objects;
use index_liveness::IndexLiveness;
use layout::{Layout, Point, Points};
use liveness::Liveness;
use relevance::Relevance;
use rustc_hash::FxHashMap;
use scratch::{Scratch, Tracked};
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Mutex;

/// An abstract state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct State {
    location: u32,
    caller: u32,
    local: u32,
    global: u32,
}

/// Where a state is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Position {
    /// Before a statement of a block, or (after the last) before its branch.
    Code(FuncId, BlockId, u32),
    /// Inside a function that the program does not show.
    Outside(FuncId),
    /// The program has ended.
    Halted,
}

/// A labelled step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Successor {
    /// What is seen; none for an internal step.
    pub label: Option<String>,
    /// Where it leads.
    pub state: State,
}

/// What a call of a function without a body does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Extern {
    /// It returns anything, and may write what its arguments lead to.
    #[default]
    Havoc,
    /// It returns anything and writes nothing (the thesis' dummy function).
    Pure,
}

/// How the machine runs.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Calls of functions without a body.
    pub externs: Extern,
    /// Keep dead variables in states.
    pub keep_dead: bool,
    /// Let tail calls take over the caller's frame.
    pub tail_calls: bool,
    /// Do not make writes through pointers that may lead anywhere: unsound, the thesis' R6.
    pub unsound_ignore_unknown_writes: bool,
    /// Which states are one, where the map does not say it for a function.
    pub variance: Variance,
    /// How many labels a value in a label may make; with more it is a pattern.
    pub label_values: u32,
    /// Let every allocation fail, too.
    pub malloc_may_fail: bool,
    /// Keep pointers that no map mentions.
    pub keep_pointers: bool,
    /// A run goes on after a division or shift that C leaves undefined, with any value. If not set, it ends there.
    pub follow_undefined: bool,
    /// Addresses outside of objects, and of objects whose life is over, are computed and compared. If not set, a run
    /// ends there.
    pub stray_addresses: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            externs: Extern::Havoc,
            keep_dead: false,
            tail_calls: true,
            unsound_ignore_unknown_writes: false,
            variance: Variance::Poly,
            label_values: 256,
            malloc_may_fail: false,
            keep_pointers: true,
            follow_undefined: false,
            stray_addresses: false,
        }
    }
}

/// Locations from here on are steps with labels still to show.
const PENDING: u32 = 1 << 31;
/// Callers from here on to [`PENDING`] stand for all that called a function.
const ANY_CALLER: u32 = 1 << 30;
/// In front of the location of a state whose global environment is empty. Numbers of control
/// points are smaller.
const NO_GLOBALS: u32 = 1 << 31;

/// What a state holds; see [`Machine::values`].
pub(crate) struct Values {
    pub func: FuncId,
    pub local: Vec<Value>,
    pub global: Vec<Value>,
    pub dead_local: Vec<usize>,
    pub dead_global: Vec<usize>,
}

/// A program as the machine sees it, under one abstraction; nothing here changes.
pub(crate) struct Code<'p> {
    pub(crate) program: &'p Analysed,
    universe: &'p Universe,
    labels: &'p LabelMap,
    returns: &'p FxHashMap<FuncId, Kind>,
    outside: &'p FxHashMap<FuncId, Outside>,
    options: Options,
    variances: IndexVec<FuncId, Variance>,
    points_to: &'p PointsTo,
    calls: &'p CallGraph,
    pub(crate) layout: Layout,
    callbacks: Callbacks,
    /// What is allocated, if objects have names of their own.
    objects: Objects,
    points: Points,
    frame_lens: Vec<u32>,
    pub(crate) liveness: Liveness,
    index_liveness: IndexLiveness,
    needs: Relevance,
    /// The library's `exit`, if functions may run in it when the program ends.
    exit: Option<FuncId>,
    /// Whether steps tell of all cells that they may touch, as whoever records them needs it.
    thorough: bool,
    /// Whether this machine keeps less than the one it is asked for: what is copied counts as read, wherever it goes.
    partial: bool,
    /// Whether allocated objects have names of their own. They change, also in the frames of callers, which
    /// cannot be where a function returns to everyone.
    distinct: bool,
    /// Pointers that may lead to too many places to keep.
    lost: Lost,
}

/// Variables with pointers that were not kept, since they may lead to too many places.
#[derive(Debug, Default)]
pub(crate) struct Lost(Mutex<BTreeSet<VarId>>);

impl Lost {
    fn add(&self, var: VarId) {
        self.0.lock().expect("nobody panics with it").insert(var);
    }
}

/// The machine of one program under one abstraction.
pub struct Machine<'p> {
    pub(crate) code: Code<'p>,
    pub(crate) tables: Tables,
    pub(crate) worker: Worker,
    /// The function for which it is known which cells are dead.
    started: Option<FuncId>,
}

impl<'p> Machine<'p> {
    /// The machine of `program` under a map.
    pub fn new(
        program: &'p Analysed,
        universe: &'p Universe,
        abstraction: &'p Abstraction,
        labels: &'p LabelMap,
        options: Options,
    ) -> Machine<'p> {
        let points_to = program.points_to_with(Precision::Fields);
        let calls = program.calls_with(Precision::Fields);
        let layout = Layout::new(
            program,
            (calls, points_to),
            abstraction,
            labels,
            (options.keep_pointers, options.stray_addresses),
        );
        let points = Points::new(program);
        let exit = library::exit(program, calls);
        let liveness = match options.keep_dead {
            true => Liveness::default(),
            false => {
                let declared = abstraction.outside.keys().copied().collect();
                let labels = (labels, declared);
                Liveness::new(program, &layout, labels, (calls, points_to), &points, exit)
            }
        };
        let variance = |f| {
            let own = abstraction.variances.get(&f);
            own.copied().unwrap_or(options.variance)
        };
        let frame_len = |location| match points.get(location) {
            Point::Halted => 1,
            Point::Code { func, .. } | Point::Outside(func) => layout.frame_size(func) as u32,
        };
        let variances: IndexVec<FuncId, Variance> = program.funcs.ids().map(variance).collect();
        let distinct = variances.iter().all(|v| *v != Variance::Location);
        Machine {
            code: Code {
                objects: match distinct {
                    true => Objects::new(program, &layout),
                    false => Objects::default(),
                },
                distinct,
                lost: Lost::default(),
                callbacks: Callbacks::new(program, calls, points_to),
                frame_lens: (0..points.len() as u32).map(frame_len).collect(),
                program,
                universe,
                labels,
                returns: &abstraction.returns,
                outside: &abstraction.outside,
                options,
                variances,
                points_to,
                calls,
                layout,
                points,
                liveness,
                index_liveness: IndexLiveness::default(),
                needs: Relevance::default(),
                exit,
                thorough: false,
                partial: false,
            },
            tables: Tables::default(),
            worker: Worker::default(),
            started: None,
        }
    }
    /// Whether all functions are polyvariant: equal states are one, and no others.
    pub fn is_polyvariant(&self) -> bool {
        let mut all = self.code.variances.iter();
        all.all(|v| *v == Variance::Poly)
    }
    /// Finds out which cells are dead where in a program that starts at `entry`, a function with
    /// a body. If that would take too long, fewer are found.
    pub fn prepare(&mut self, entry: FuncId, budget: &Budget) {
        if self.code.options.keep_dead || self.started == Some(entry) {
            return;
        }
        if !self.code.objects.is_empty() && self.allocates(entry) {
            // What is in which slot changes with the names of objects.
            self.start_at(entry, IndexLiveness::default());
            return;
        }
        let subject = self.subject();
        let index_liveness = self.find_index_liveness(entry, &subject);
        let enough = index_liveness.is_some() && subject.is_plain();
        self.start_at(entry, index_liveness.unwrap_or_default());
        if !enough {
            self.code.needs = self.learn(entry, &subject, budget);
        }
    }
    /// Whether the program makes objects.
    fn allocates(&self, entry: FuncId) -> bool {
        let reached = self.code.calls.reachable(&[entry]);
        let mut sites = self.code.program.heap.sites.keys();
        sites.any(|(func, _)| reached.binary_search(func).is_ok())
    }
    /// The same by need alone, even if the indices alone would tell it.
    pub fn prepare_by_need(&mut self, entry: FuncId, budget: &Budget) {
        self.start_at(entry, IndexLiveness::default());
        if self.code.objects.is_empty() || !self.allocates(entry) {
            self.code.needs = self.learn(entry, &self.subject(), budget);
        }
    }
    fn start_at(&mut self, entry: FuncId, index_liveness: IndexLiveness) {
        self.started = Some(entry);
        self.code.index_liveness = index_liveness;
        self.code.needs = Relevance::default();
        self.worker.forget_steps();
    }
    /// The state in which `entry`, a function with a body, is about to start.
    pub fn initial(&mut self, entry: FuncId) -> State {
        self.prepare(entry, &Budget::unlimited());
        self.initial_unguided(entry)
    }
    fn initial_unguided(&mut self, entry: FuncId) -> State {
        let code = &self.code;
        let mut env = Scratch {
            local: Tracked::fresh(code.layout.frame_size(entry)),
            global: code.first_globals(entry),
        };
        code.seal(entry, cwolf_cwi::Body::ENTRY, 0, &mut env);
        for func in code.calls.reachable(&[entry]) {
            if code.calls.is_recursive(func) {
                let f = &code.program.funcs[func];
                let text = format!(
                    "`{}` is recursive: the model is finite only if the abstraction makes it so",
                    f.name
                );
                self.worker.note(f.loc, text);
            }
        }
        for startup in &code.program.startup {
            let (loc, text) = startup.left_out(code.program);
            self.worker.note(loc, text);
        }
        let location = code.points.entry(entry);
        let global = self.grown(|tables| tables.intern(env.global.values()));
        State {
            location,
            caller: 0,
            local: 0,
            global,
        }
    }
    /// Does something with the tables, which grow until there is room for it.
    fn grown<T>(&mut self, work: impl Fn(&Tables) -> Result<T, Full>) -> T {
        loop {
            match work(&self.tables) {
                Ok(done) => return done,
                Err(Full) => self.tables.pairs.grow(),
            }
        }
    }
    /// A state as one number.
    pub(crate) fn pack(&mut self, state: State) -> u64 {
        self.grown(|tables| tables.pack(state))
    }
    /// The successors of a state, in the order of the program.
    pub fn successors(&mut self, state: State) -> Vec<Successor> {
        let key = self.pack(state);
        let mut edges = Vec::new();
        loop {
            edges.clear();
            let done = (self.worker).expand(&self.code, &self.tables, key, &mut edges);
            if done.is_ok() {
                break;
            }
            self.tables.pairs.grow();
        }
        let named = |edge: &Edge| Successor {
            label: (edge.label != 0).then(|| self.tables.label(edge.label)),
            state: self.tables.unpack(edge.to),
        };
        edges.iter().map(named).collect()
    }
    /// How many global slots there are.
    pub(crate) fn globals(&self) -> usize {
        self.code.layout.globals.len()
    }
    /// Appends the numbers of a state's global values, and tells those of its frames.
    pub(crate) fn parts(&self, state: State, out: &mut Vec<u32>) -> (u32, u32) {
        let len = self.globals() as u32;
        let all: Vec<u32> = (0..len).collect();
        self.tables.pick(state.global, 0, len, &all, out);
        (state.caller, state.local)
    }
    /// Forgets the states as well; what the user should know stays.
    pub(crate) fn forget(&mut self) {
        self.tables = Tables::default();
        self.worker.forget_all();
    }
    /// Forgets the steps that were computed, not the states. They come out the same again.
    pub fn forget_steps(&mut self) {
        self.worker.forget_steps();
    }
    /// What the user should know about the model so far: calls of code that is not shown, and
    /// the like, each with its place.
    pub fn notes(&self) -> Vec<(LocId, String)> {
        let mut notes = self.worker.notes();
        let lost = self.code.lost.0.lock().expect("nobody panics with it");
        notes.extend(lost.iter().map(|var| {
            let var = &self.code.program.vars[*var];
            let text = format!(
                "pointers in `{}` may lead to more than {} places: they are unknown there",
                var.name,
                assign::MAX_PLACES
            );
            (var.loc, text)
        }));
        notes
    }
    /// What steps so far did that the machine does not follow.
    pub fn unfollowed(&self) -> Unfollowed {
        self.worker.unfollowed()
    }
    /// The place in the program with this number, if there is one.
    pub fn place(&self, number: u64) -> Option<LocId> {
        let known = number < self.code.program.locations.locs().len() as u64;
        known.then(|| LocId::new(number as usize))
    }
    /// How many environment nodes there are; a measure of memory.
    pub fn environment_nodes(&self) -> usize {
        self.tables.nodes()
    }
    /// Whether the program has ended in this state.
    pub fn is_halted(&self, state: State) -> bool {
        state.location == Points::HALTED
    }
    fn point(&self, location: u32) -> Point {
        match location {
            PENDING.. => self.point(self.tables.pended(location - PENDING).1),
            location => self.code.points.get(location),
        }
    }
    /// The program.
    pub fn program(&self) -> &'p Analysed {
        self.code.program
    }
    /// Where a state is, and whether it still has labels to show before it is there.
    pub fn position(&self, state: State) -> (Position, bool) {
        let position = match self.point(state.location) {
            Point::Code { func, block, index } => Position::Code(func, block, index),
            Point::Outside(func) => Position::Outside(func),
            Point::Halted => Position::Halted,
        };
        (position, state.location >= PENDING)
    }
    /// The function and block that a state stands at the start of, if it does.
    pub fn block_start(&self, state: State) -> Option<(FuncId, BlockId)> {
        let location = (state.location < PENDING).then_some(state.location)?;
        match self.code.points.get(location) {
            Point::Code {
                func,
                block,
                index: 0,
            } => Some((func, block)),
            _ => None,
        }
    }
    /// The values of a state: those of the innermost call, those of all, and the ones among them
    /// that no way from there reads.
    pub(crate) fn values(&self, state: State) -> Option<Values> {
        let (func, location) = match self.point(state.location) {
            Point::Code { func, .. } if state.location < PENDING => (func, state.location),
            _ => return None,
        };
        let (locals, globals) = (self.code.layout.frame_size(func), self.globals());
        let liveness = &self.code.liveness;
        Some(Values {
            func,
            local: self.tables.load(state.local, locals),
            global: self.tables.load(state.global, globals),
            dead_local: liveness.dead_locals(location, locals).collect(),
            dead_global: liveness.dead_globals(location, globals).collect(),
        })
    }
    /// The global values of a state inside a function that the program does not show, called in `caller`; and the
    /// ones among them that nobody reads after the call.
    pub(crate) fn values_outside(
        &self,
        caller: State,
        state: State,
    ) -> Option<(Vec<Value>, Vec<usize>)> {
        let (Point::Code { func, block, .. }, Point::Outside(_)) =
            (self.point(caller.location), self.point(state.location))
        else {
            return None;
        };
        let body = self.code.program.funcs[func].body.as_ref()?;
        let Branch::Call {
            next: Some(next), ..
        } = &body.blocks[block].branch
        else {
            return None;
        };
        let point = self.code.points.block(func, *next);
        let globals = self.globals();
        let dead = self.code.liveness.dead_globals(point, globals);
        Some((self.tables.load(state.global, globals), dead.collect()))
    }
    /// The scalars that states in a function tell something of: its own and those of all.
    pub(crate) fn scalars(&self, func: FuncId) -> impl Iterator<Item = (VarId, u64, TypeId)> + '_ {
        let layout = &self.code.layout;
        let cells = layout.locals[func].iter().chain(&layout.globals);
        cells.map(|c| (c.var, c.bit_offset, c.ty))
    }
    /// What these hold in a state of the function; none where it is not one number.
    pub(crate) fn numbers(&self, state: State) -> Vec<Option<i128>> {
        let Some(values) = self.values(state) else {
            return Vec::new();
        };
        let layout = &self.code.layout;
        let regs = layout.regs[values.func] as usize;
        let cells = layout.locals[values.func].iter().chain(&layout.globals);
        let all = values.local[regs..].iter().chain(&values.global);
        let number = |(cell, v): (&Cell, &Value)| match self.code.program.types[cell.ty] {
            Type::Int(int) if int.bits <= 64 => match v {
                Value::Address(_) | Value::Addresses(_) => None,
                v => self.code.universe.exact(int, *v),
            },
            Type::Bool => self.code.universe.exact(IntTy::new(8, false), *v),
            _ => None,
        };
        cells.zip(all).map(number).collect()
    }
    /// The environments of a state, for looking at.
    fn open(&self, state: State, func: FuncId) -> Scratch {
        let (locals, globals) = (
            self.code.layout.frame_size(func),
            self.code.layout.globals.len(),
        );
        let tracked = |id, len| Tracked::open(self.tables.load(id, len), vec![false; len].into());
        Scratch {
            local: tracked(state.local, locals),
            global: tracked(state.global, globals),
        }
    }
    /// What tells states apart: everything, or less where the function that the state is in is
    /// monovariant.
    pub(crate) fn place_of(&self, state: State) -> State {
        let variance = match self.point(state.location) {
            // Ends differ in their status only.
            Point::Halted => Variance::Poly,
            Point::Code { func, .. } | Point::Outside(func) => self.code.variances[func],
        };
        match variance {
            Variance::Poly => state,
            // A state by location has the one caller that stands for all.
            Variance::Stack | Variance::Location => State {
                local: 0,
                global: 0,
                ..state
            },
        }
    }
    /// The function that a state is in, if it returns to everyone who called it.
    pub(crate) fn shared_function(&self, state: State) -> Option<FuncId> {
        match self.tables.pairs.get(state.caller).0 {
            caller @ ANY_CALLER..PENDING => Some(FuncId::new((caller - ANY_CALLER) as usize)),
            _ => None,
        }
    }
    /// The functions by location that were called in a new way since this was asked last.
    pub(crate) fn new_callers(&mut self) -> Vec<FuncId> {
        std::mem::take(&mut self.worker.new_callers)
    }
    /// A state that covers both of two at the same place. With `widen`, what differs becomes ⊤,
    /// so that a chain of such states is finite.
    pub(crate) fn merge(&mut self, a: State, b: State, widen: bool) -> State {
        let func = match self.point(a.location) {
            Point::Halted => return a,
            Point::Code { func, .. } | Point::Outside(func) => func,
        };
        let (x, y) = (self.open(a, func), self.open(b, func));
        let context = self.code.context(func, cwolf_cwi::Body::ENTRY);
        let (local, global) = context.merge_envs(&x, &y, widen);
        State {
            local: self.grown(|t| t.intern(&local)),
            global: self.grown(|t| t.intern(&global)),
            ..a
        }
    }
}

impl Tables {
    /// The number of a location with its caller and local environment.
    pub fn control(&self, location: u32, caller: u32, local: u32) -> Result<u32, Full> {
        self.pairs
            .intern(location, self.pairs.intern(caller, local)?)
    }
    /// Location, caller and local environment of such a number.
    pub fn parts(&self, control: u32) -> (u32, u32, u32) {
        let (location, under) = self.pairs.get(control);
        let (caller, local) = self.pairs.get(under);
        (location, caller, local)
    }
    /// The state of a frame on top of the stack.
    pub fn frame(&self, control: u32, global: u32) -> State {
        let (location, caller, local) = self.parts(control);
        State {
            location,
            caller,
            local,
            global,
        }
    }
    /// A state as one number: its control point and its global environment. If that is empty,
    /// its location takes the place of the control point, which then needs no node.
    pub fn pack(&self, state: State) -> Result<u64, Full> {
        let State {
            location,
            caller,
            local,
            global,
        } = state;
        let under = self.pairs.intern(caller, local)?;
        let (high, low) = match global == 0 && location < PENDING {
            true => (NO_GLOBALS | location, under),
            false => (self.pairs.intern(location, under)?, global),
        };
        Ok(u64::from(high) << 32 | u64::from(low))
    }
    pub fn unpack(&self, key: u64) -> State {
        let (high, low) = ((key >> 32) as u32, key as u32);
        let (location, under, global) = match high & NO_GLOBALS {
            0 => {
                let (location, under) = self.pairs.get(high);
                (location, under, low)
            }
            _ => (high & !NO_GLOBALS, low, 0),
        };
        let (caller, local) = self.pairs.get(under);
        State {
            location,
            caller,
            local,
            global,
        }
    }
}

impl Code<'_> {
    fn context(&self, func: FuncId, block: BlockId) -> Context<'_> {
        Context {
            program: self.program,
            universe: self.universe,
            layout: &self.layout,
            lost: &self.lost,
            points_to: self.points_to,
            func,
            block,
            ignore_unknown_writes: self.options.unsound_ignore_unknown_writes,
            thorough: self.thorough,
            partial: self.partial,
            label_values: self.options.label_values,
            follow_undefined: self.options.follow_undefined,
            stray: self.options.stray_addresses,
            objects: None,
        }
    }
    /// What the global environment holds at first.
    fn first_globals(&self, entry: FuncId) -> Tracked {
        let context = self.context(entry, cwolf_cwi::Body::ENTRY);
        let mut global = Tracked::fresh(self.layout.globals.len());
        let constructed = !self.program.startup.is_empty();
        for (n, cell) in self.layout.globals.iter().enumerate() {
            let automatic = self.program.vars[cell.var].kind.is_automatic();
            // Constructors may have changed what initialisers say.
            let allocated = self.program.heap.objects.contains_key(&cell.var);
            let v = match automatic || allocated || constructed && !self.program.heap.owns(cell.var)
            {
                true => Value::Top,
                false => context.first_value(cell.var, cell.bit_offset, cell.ty),
            };
            global.set(n, context.keep(cell.ty, cell.kind, v));
        }
        global
    }
    /// Forgets what states before statement `index` of a block do not keep.
    fn seal(&self, func: FuncId, block: BlockId, index: u32, env: &mut Scratch) {
        self.seal_local(func, block, index, &mut env.local);
        self.seal_global(func, block, index, &mut env.global);
        let location = self.points.block(func, block) + index;
        self.index_liveness.seal(location, func, env);
    }
    fn seal_local(&self, func: FuncId, block: BlockId, index: u32, local: &mut Tracked) {
        self.drop_unkept_local(func, local);
        let point = self.points.block(func, block) + index;
        for n in self.liveness.dead_locals(point, local.len()) {
            local.drop_slot(n);
        }
    }
    fn seal_global(&self, func: FuncId, block: BlockId, index: u32, global: &mut Tracked) {
        self.drop_unkept(global);
        let point = self.points.block(func, block) + index;
        for n in self.liveness.dead_globals(point, global.len()) {
            global.drop_slot(n);
        }
    }
    /// Drops what is held only for the labels of a step.
    fn drop_unkept_local(&self, func: FuncId, local: &mut Tracked) {
        let regs = self.layout.regs[func] as usize;
        for (n, cell) in self.layout.locals[func].iter().enumerate() {
            if cell.kind == Kind::Top {
                local.drop_slot(regs + n);
            }
        }
    }
    fn drop_unkept(&self, global: &mut Tracked) {
        for (n, cell) in self.layout.globals.iter().enumerate() {
            if cell.kind == Kind::Top {
                global.drop_slot(n);
            }
        }
    }
    /// The environments of a state at a point, ready for a step. `dead` is the point whose dead
    /// variables are known to be dropped already, for each of the two.
    fn open(
        &self,
        tables: &Tables,
        func: FuncId,
        dead: (Option<u32>, Option<u32>),
        (local, global): (u32, u32),
    ) -> Scratch {
        let regs = self.layout.regs[func] as usize;
        let unkept = |cells: &[Cell], first: usize| -> Vec<bool> {
            let kinds = cells.iter().map(|c| c.kind == Kind::Top);
            std::iter::repeat_n(false, first).chain(kinds).collect()
        };
        let mut top_local = unkept(&self.layout.locals[func], regs);
        let mut top_global = unkept(&self.layout.globals, 0);
        if let Some(point) = dead.0 {
            let len = top_local.len();
            let dead = self.liveness.dead_locals(point, len);
            dead.for_each(|n| top_local[n] = true);
        }
        if let Some(point) = dead.1 {
            let len = top_global.len();
            let dead = self.liveness.dead_globals(point, len);
            dead.for_each(|n| top_global[n] = true);
        }
        let values = |id, top: &[bool]| tables.load(id, top.len());
        Scratch {
            local: Tracked::open(values(local, &top_local), Rc::from(top_local)),
            global: Tracked::open(values(global, &top_global), Rc::from(top_global)),
        }
    }
    /// How many slots the local environment has at a location.
    fn frame_len(&self, location: u32) -> u32 {
        self.frame_lens[location as usize]
    }
    /// The point whose dead variables a caller that waits has dropped, if that is known.
    fn waiting(&self, func: FuncId, block: BlockId) -> Option<u32> {
        // `longjmp` also comes to frames that did not wait there.
        let body = self.program.funcs[func].body.as_ref()?;
        match &body.blocks[block].branch {
            Branch::Call {
                next: Some(next), ..
            } if self.setjmp_calls(func).is_empty() => Some(self.points.block(func, *next)),
            _ => None,
        }
    }
    /// The name of a block as the thesis writes it, with its function.
    fn block_name(&self, func: FuncId, block: BlockId) -> String {
        format!("{}:block_{}", self.program.funcs[func].name, block.index())
    }
}
