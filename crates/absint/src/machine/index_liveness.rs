//! Dead cells of arrays with a computed index, as in ring buffers.
//!
//! Which cell `buffer[head]` is, the code alone does not say. So the machine runs once on what
//! the *indices* depend on only: a small model, in which they are as exact as in the
//! full one, and all else is ⊤. On its steps one sees which cell is read and which is
//! overwritten, and from that, backwards, in which states of the small model a cell is dead. A state
//! of the full model at the same location with the same indices forgets those cells.
//!
//! It has every path that the full model has, so what is dead on its paths is dead; and
//! forgetting a cell is sound in any case. Where the full model knows an index better (it came
//! from a variable that the small model leaves open), its state has the indices of some other state of
//! the small model; so a cell is dead for some indices only if it is for all that cover them.

use super::layout::{Home, Point, branch_operands, int_ty};
use super::liveness::pinned;
use super::scratch::Scratch;
use super::tables::Full;
use super::worker::Edge;
use super::{Code, Machine, Options, State};
use crate::domain::{Kind, Value};
use crate::map::{Abstraction, Cell, Variance};
use cwolf_cwi::{
    Base, Branch, Callee, Expr, ExprKind, FuncId, IntTy, Place, Program, Step, StmtKind, Type,
    VarId,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// A small model with more states than this is not used.
const MAX_STATES: usize = 1 << 15;
/// So many variables may decide about indices.
const MAX_VARS: usize = 24;
/// Of so many cells it is known whether they are dead.
const MAX_CELLS: usize = 1 << 10;
/// A small model in which more pairs of states than this must be compared is not used.
const MAX_PAIRS: usize = 1 << 25;

/// Where cells are dead.
#[derive(Debug, Default)]
pub(crate) struct IndexLiveness {
    /// The slots that tell states of the small model apart, by function; the global ones are common.
    locals: FxHashMap<FuncId, Vec<u32>>,
    globals: Vec<u32>,
    /// The dead global slots, by location and values of those slots.
    dead: FxHashMap<(u32, Vec<Value>), Box<[u32]>>,
    /// The locations at which cells become dead; elsewhere all that are dead were dropped before.
    useful: FxHashSet<u32>,
}

impl IndexLiveness {
    /// Forgets cells that are dead at a location.
    pub fn seal(&self, location: u32, func: FuncId, env: &mut Scratch) {
        if !self.useful.contains(&location) {
            return;
        }
        let locals = self.locals.get(&func).into_iter().flatten();
        let mut key: Vec<Value> = locals.map(|n| env.local.get(*n as usize)).collect();
        key.extend(self.globals.iter().map(|n| env.global.get(*n as usize)));
        for n in self.dead.get(&(location, key)).into_iter().flatten() {
            env.global.drop_slot(*n as usize);
        }
    }
}

/// What the small model is about.
pub(super) struct Subject {
    /// Variables with cells that are reached by a computed index.
    arrays: FxHashSet<VarId>,
    /// Variables that indices depend on.
    indices: FxHashSet<VarId>,
    /// Whether indices depend on what is in such cells: the small model does not see that.
    circular: bool,
    /// Other arrays, which pointers lead to: about them the small model says nothing.
    pointed: FxHashSet<VarId>,
}

fn loads(e: &Expr, visit: &mut dyn FnMut(&Place)) {
    e.walk(&mut |e| {
        if let ExprKind::Load { place, .. } = &e.kind {
            visit(place);
        }
    });
}

impl Subject {
    fn new(program: &Program, cells: &[Cell]) -> Subject {
        let kept: FxHashSet<VarId> = (cells.iter().filter(|c| c.kind != Kind::Top))
            .map(|c| c.var)
            .collect();
        let mut subject = Subject {
            arrays: FxHashSet::default(),
            indices: FxHashSet::default(),
            circular: false,
            pointed: FxHashSet::default(),
        };
        // `to` depends on `from`.
        let mut flows: Vec<(VarId, VarId)> = Vec::new();
        let place_seen = |place: &Place, subject: &mut Subject| {
            let Base::Var(var) = place.base else { return };
            for step in &place.path {
                if let Step::Index(e) = step
                    && e.as_int().is_none()
                    && kept.contains(&var)
                {
                    subject.arrays.insert(var);
                    loads(e, &mut |p| subject.indices.extend(p.root()));
                }
            }
        };
        let look = |e: &Expr, subject: &mut Subject| {
            e.walk(&mut |e| {
                if let ExprKind::Load { place, .. } | ExprKind::AddrOf(place) = &e.kind {
                    place_seen(place, subject);
                }
            });
        };
        for body in program.funcs.iter().filter_map(|f| f.body.as_ref()) {
            for block in body.blocks.iter() {
                for stmt in &block.stmts {
                    match &stmt.kind {
                        StmtKind::Assign(place, e) => {
                            look(e, &mut subject);
                            look(&Expr::load(place.clone()), &mut subject);
                            if let Some(to) = place.root() {
                                loads(e, &mut |p| flows.extend(p.root().map(|from| (to, from))));
                            }
                        }
                        other => other.for_each_expr(&mut |e| look(e, &mut subject)),
                    }
                }
                branch_operands(&block.branch, &mut |e| look(e, &mut subject));
                if let Branch::Call {
                    callee: Callee::Direct(f),
                    args,
                    ..
                } = &block.branch
                {
                    for (to, e) in program.funcs[*f].params.iter().zip(args) {
                        loads(e, &mut |p| flows.extend(p.root().map(|from| (*to, from))));
                    }
                }
            }
        }
        loop {
            let before = subject.indices.len();
            for (to, from) in &flows {
                if subject.indices.contains(to) {
                    subject.indices.insert(*from);
                }
            }
            if subject.indices.len() == before {
                break;
            }
        }
        // The contents of the arrays are what the small model leaves open.
        let arrays = &subject.arrays;
        subject.circular = !subject.indices.is_disjoint(arrays);
        (subject.indices).retain(|v| kept.contains(v) && !arrays.contains(v));
        let is_array = |v: &VarId| matches!(program.types[program.vars[*v].ty], Type::Array { .. });
        let pointed = program.address_taken().into_iter().filter(is_array);
        subject.pointed = pointed
            .filter(|v| kept.contains(v) && !arrays.contains(v))
            .collect();
        subject
    }
    /// Whether cells of a variable may be dead in ways that the code does not show.
    pub fn is_about(&self, var: VarId) -> bool {
        self.arrays.contains(&var) || self.pointed.contains(&var)
    }
    /// Whether a small model tells all about dead cells.
    pub fn is_plain(&self) -> bool {
        !self.circular && self.pointed.is_empty()
    }
}

impl Machine<'_> {
    /// The arrays that may have dead cells.
    pub(super) fn subject(&self) -> Subject {
        Subject::new(self.code.program, &all_cells(&self.code))
    }
    /// Where cells are dead, by the small model of a program that starts at `entry`, if it has one.
    pub(super) fn find_index_liveness(
        &self,
        entry: FuncId,
        subject: &Subject,
    ) -> Option<IndexLiveness> {
        let code = &self.code;
        let cells: Vec<Cell> = all_cells(code);
        if subject.arrays.is_empty() || subject.indices.len() > MAX_VARS {
            return None;
        }
        let mut abstraction = Abstraction {
            returns: code.returns.clone(),
            outside: code.outside.clone(),
            ..Abstraction::default()
        };
        for cell in &cells {
            if subject.indices.contains(&cell.var) {
                abstraction.cells.push(*cell);
            } else if subject.arrays.contains(&cell.var) {
                let kind = Kind::Top;
                abstraction.cells.push(Cell { kind, ..*cell });
            }
        }
        let options = Options {
            variance: Variance::Poly,
            keep_pointers: false,
            ..code.options
        };
        let (program, universe, labels) = (code.program, code.universe, code.labels);
        let mut small = Machine::new(program, universe, &abstraction, labels, options);
        small.code.thorough = true;
        small.code.partial = true;
        small.worker.record();
        let cells = Cells::new(code, &small.code, subject)?;
        let found = small.explore_indices(entry)?;
        let live = found.live(&cells);
        cells.result(&small, &found, &live)
    }
    fn explore_indices(&mut self, entry: FuncId) -> Option<Explored> {
        let initial = self.initial_unguided(entry);
        let first = self.pack(initial);
        let mut found = Explored {
            states: vec![first],
            ..Explored::default()
        };
        let mut numbers: FxHashMap<u64, u32> = FxHashMap::from_iter([(first, 0)]);
        let mut edges: Vec<Edge> = Vec::new();
        while found.steps.len() < found.states.len() {
            let state = found.states[found.steps.len()];
            let record = loop {
                edges.clear();
                let Machine {
                    code,
                    tables,
                    worker,
                    ..
                } = self;
                match worker.expand_recorded(code, tables, state, &mut edges) {
                    Ok(record) => break record,
                    Err(Full) => tables.pairs.grow(),
                }
            };
            let mut targets = Vec::new();
            for (edge, kills) in edges.iter().zip(record.kills) {
                let next = found.states.len() as u32;
                let number = *numbers.entry(edge.to).or_insert(next);
                if number == next {
                    found.states.push(edge.to);
                }
                targets.push((number, kills));
            }
            if found.states.len() > MAX_STATES {
                return None;
            }
            found.steps.push((record.uses, targets));
        }
        Some(found)
    }
}

/// The cells of a machine's layout, as a map would name them.
fn all_cells(code: &Code<'_>) -> Vec<Cell> {
    let slots = code.layout.vars.iter().flatten();
    slots.filter(|s| !s.by_default).map(|s| s.cell).collect()
}

/// A successor, and the slots that are overwritten on the way.
type Target = (u32, Vec<u32>);

/// The small model: for each state the global slots that its step reads, and its successors
/// with the slots that are overwritten on the way.
#[derive(Default)]
struct Explored {
    states: Vec<u64>,
    steps: Vec<(Vec<u32>, Vec<Target>)>,
}

impl Explored {
    /// The live cells of each state, as bits.
    fn live(&self, cells: &Cells) -> Vec<Vec<u64>> {
        let words = cells.real.len().div_ceil(64);
        let mut live = vec![vec![0u64; words]; self.states.len()];
        let mut changed = true;
        while changed {
            changed = false;
            for n in (0..self.states.len()).rev() {
                let (uses, targets) = &self.steps[n];
                let mut now = vec![0u64; words];
                for (target, kills) in targets {
                    let mut after = live[*target as usize].clone();
                    for bit in kills.iter().filter_map(|s| cells.bits.get(s)) {
                        after[bit / 64] &= !(1 << (bit % 64));
                    }
                    now.iter_mut().zip(&after).for_each(|(a, b)| *a |= b);
                }
                for bit in uses.iter().filter_map(|s| cells.bits.get(s)) {
                    now[bit / 64] |= 1 << (bit % 64);
                }
                if live[n] != now {
                    live[n] = now;
                    changed = true;
                }
            }
        }
        live
    }
}

/// The live cells, by location and values of the indices.
type Merged = FxHashMap<(u32, Vec<Value>), Vec<u64>>;

/// The numbers of cells and indices in both machines.
struct Cells {
    /// By slot of the small model: which bit stands for a cell.
    bits: FxHashMap<u32, usize>,
    /// By bit: the slot of the full machine.
    real: Vec<u32>,
    /// The small model's slots that tell its states apart, with those of the full machine.
    locals: FxHashMap<FuncId, Vec<(u32, u32)>>,
    globals: Vec<(u32, u32)>,
}

impl Cells {
    fn new(full: &Code<'_>, small: &Code<'_>, subject: &Subject) -> Option<Cells> {
        let mut cells = Cells {
            bits: FxHashMap::default(),
            real: Vec::new(),
            locals: FxHashMap::default(),
            globals: Vec::new(),
        };
        let pinned = pinned(full.program, &full.layout, full.labels, full.points_to);
        for (var, slots) in full.layout.vars.enumerate() {
            for slot in slots {
                let key = (slot.cell.bit_offset, slot.cell.ty);
                let mut own = small.layout.vars[var].iter();
                let Some(other) = own.find(|s| (s.cell.bit_offset, s.cell.ty) == key) else {
                    continue;
                };
                match (other.home, slot.home) {
                    (Home::Global(from), Home::Global(to))
                        if subject.arrays.contains(&var) && !pinned.contains(&(None, to)) =>
                    {
                        cells.bits.insert(from, cells.real.len());
                        cells.real.push(to);
                    }
                    (Home::Global(from), Home::Global(to)) if subject.indices.contains(&var) => {
                        cells.globals.push((from, to));
                    }
                    (Home::Local(from), Home::Local(to)) if subject.indices.contains(&var) => {
                        let func = full.program.vars[var].kind.function()?;
                        cells.locals.entry(func).or_default().push((from, to));
                    }
                    _ => {}
                }
            }
        }
        (1..=MAX_CELLS).contains(&cells.real.len()).then_some(cells)
    }
    /// The dead cells for each location and values of the indices.
    fn result(
        &self,
        small: &Machine<'_>,
        found: &Explored,
        live: &[Vec<u64>],
    ) -> Option<IndexLiveness> {
        let keys: Vec<Option<(u32, Vec<Value>)>> =
            found.states.iter().map(|s| self.key(small, *s)).collect();
        let mut merged = Merged::default();
        for (key, live) in keys.iter().zip(live) {
            if let Some(key) = key {
                let all = merged
                    .entry(key.clone())
                    .or_insert_with(|| vec![0; live.len()]);
                all.iter_mut().zip(live).for_each(|(a, b)| *a |= b);
            }
        }
        self.cover(small, &mut merged)?;
        let bits = |live: &[u64]| -> Vec<bool> {
            let dead = |bit: usize| live[bit / 64] >> (bit % 64) & 1 == 0;
            (0..self.real.len()).map(dead).collect()
        };
        // By state: the cells that are surely ⊤ if all that are dead are dropped.
        let mut tops: Vec<Option<Vec<bool>>> = (keys.iter())
            .map(|key| key.as_ref().map(|key| bits(&merged[key])))
            .collect();
        // A function without a body keeps what its caller left.
        for (n, (_, targets)) in found.steps.iter().enumerate() {
            for (target, kills) in targets.iter().filter(|t| keys[t.0 as usize].is_none()) {
                let from = self.after(tops[n].as_deref(), kills);
                let to = &mut tops[*target as usize];
                match to {
                    None => *to = Some(from),
                    Some(to) => to.iter_mut().zip(from).for_each(|(a, b)| *a &= b),
                }
            }
        }
        let mut useful = FxHashSet::default();
        for (n, (_, targets)) in found.steps.iter().enumerate() {
            for (target, kills) in targets {
                if let Some(key) = &keys[*target as usize] {
                    let before = self.after(tops[n].as_deref(), kills);
                    let now = bits(&merged[key]);
                    if now.iter().zip(before).any(|(dead, top)| *dead && !top) {
                        useful.insert(key.0);
                    }
                }
            }
        }
        // The first state has no step before it.
        useful.extend(keys.first().into_iter().flatten().map(|key| key.0));
        let dead = |live: &Vec<u64>| -> Box<[u32]> {
            let dead = bits(live);
            let dead = dead.iter().zip(&self.real).filter(|(dead, _)| **dead);
            dead.map(|(_, slot)| *slot).collect()
        };
        merged.retain(|key, _| useful.contains(&key.0));
        let real = |list: &[(u32, u32)]| list.iter().map(|(_, to)| *to).collect();
        Some(IndexLiveness {
            locals: self.locals.iter().map(|(f, l)| (*f, real(l))).collect(),
            globals: real(&self.globals),
            dead: merged
                .iter()
                .map(|(k, live)| (k.clone(), dead(live)))
                .collect(),
            useful,
        })
    }
    /// What is live for some indices is live for all at the same location that they cover. None
    /// if that would take too long.
    fn cover(&self, small: &Machine<'_>, merged: &mut Merged) -> Option<()> {
        let mut by_location: FxHashMap<u32, Vec<Vec<Value>>> = FxHashMap::default();
        for (location, key) in merged.keys() {
            by_location.entry(*location).or_default().push(key.clone());
        }
        let exact = |key: &[Value]| key.iter().all(|v| matches!(v, Value::Int(_)));
        let mut pairs = 0;
        for (location, keys) in by_location {
            let types = self.types(small, location);
            // A variable that is the same everywhere, such as a dead one, tells nothing.
            let varies: Vec<usize> = (0..types.len())
                .filter(|n| keys.iter().any(|key| key[*n] != keys[0][*n]))
                .collect();
            let short: Vec<Vec<Value>> = keys
                .iter()
                .map(|key| varies.iter().map(|n| key[*n]).collect())
                .collect();
            let inexact = short.iter().filter(|key| !exact(key)).count();
            pairs += inexact * keys.len();
            if pairs > MAX_PAIRS {
                return None;
            }
            if inexact == 0 {
                continue;
            }
            let covers = |a: &[Value], b: &[Value]| {
                let mut all = varies.iter().zip(a.iter().zip(b));
                all.all(|(n, (a, b))| a == b || small.code.universe.leq(types[*n], *b, *a))
            };
            let before: Vec<Vec<u64>> = (keys
                .iter()
                .map(|key| merged[&(location, key.clone())].clone()))
            .collect();
            for (b, key) in keys.iter().enumerate() {
                let all = merged
                    .get_mut(&(location, key.clone()))
                    .expect("it is there");
                for a in 0..keys.len() {
                    let both_exact = exact(&short[a]) && exact(&short[b]);
                    if a != b && !both_exact && covers(&short[a], &short[b]) {
                        all.iter_mut().zip(&before[a]).for_each(|(x, y)| *x |= y);
                    }
                }
            }
        }
        Some(())
    }
    /// The types of the indices at a location, in the order of its keys.
    fn types(&self, small: &Machine<'_>, location: u32) -> Vec<IntTy> {
        let Point::Code { func, .. } = small.code.points.get(location) else {
            return Vec::new();
        };
        let (code, layout) = (&small.code, &small.code.layout);
        let first = layout.regs[func] as usize;
        let own = self.locals.get(&func).into_iter().flatten();
        let locals = own.map(|(n, _)| &layout.locals[func][*n as usize - first]);
        let globals = self
            .globals
            .iter()
            .map(|(n, _)| &layout.globals[*n as usize]);
        locals
            .chain(globals)
            .map(|cell| int_ty(code.program, cell.ty))
            .collect()
    }
    /// What is still surely ⊤ after a step.
    fn after(&self, tops: Option<&[bool]>, kills: &[u32]) -> Vec<bool> {
        let mut after = tops.map_or_else(|| vec![false; self.real.len()], <[bool]>::to_vec);
        for bit in kills.iter().filter_map(|s| self.bits.get(s)) {
            after[*bit] = false;
        }
        after
    }
    /// Location and values of the indices, if the state is in code.
    fn key(&self, small: &Machine<'_>, key: u64) -> Option<(u32, Vec<Value>)> {
        let State {
            mut location,
            local,
            global,
            ..
        } = small.tables.unpack(key);
        while location >= super::PENDING {
            // What is sealed is the state after the labels.
            location = small.tables.pended(location - super::PENDING).1;
        }
        let Point::Code { func, .. } = small.code.points.get(location) else {
            return None;
        };
        let locals = small.tables.load(local, small.code.layout.frame_size(func));
        let globals = small.tables.load(global, small.code.layout.globals.len());
        let own = self.locals.get(&func).into_iter().flatten();
        let mut key: Vec<Value> = own.map(|(from, _)| locals[*from as usize]).collect();
        key.extend(self.globals.iter().map(|(from, _)| globals[*from as usize]));
        Some((location, key))
    }
}
