//! Allocated objects that no pointer of a state leads to any more: their names are free again, and what they hold does
//! not tell states apart. Otherwise a program that leaks, or forgets a pointer that is dead, would go through all
//! combinations of what it left behind.
//!
//! This loses nothing: a pointer that is unknown may still lead to such an object, but what is read through an
//! unknown pointer is unknown, and no unknown pointer ever becomes a known one to an object.

use super::heap::Rename;
use super::layout::{Home, Layout};
use super::tables::{Full, Tables};
use super::{Code, PENDING, State};
use crate::domain::{Target, Universe, Value};
use cwolf_cwi::{Program, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

/// The slots of allocated objects.
#[derive(Debug, Default)]
pub(crate) struct Objects {
    groups: Vec<Names>,
    /// The group of each object, and its place there; one past the newest for the rest.
    places: FxHashMap<VarId, (usize, usize)>,
    /// Whether a global slot belongs to an object.
    owned: Vec<bool>,
}

/// The objects of one call on behalf of one caller.
#[derive(Debug)]
struct Names {
    vars: Vec<VarId>,
    used: u32,
    more: u32,
    /// The slots of each object, those of the rest at the end.
    slots: Vec<Vec<u32>>,
}

fn slots(layout: &Layout, var: VarId) -> Vec<u32> {
    let list = layout.vars[var].iter();
    list.filter_map(|slot| match slot.home {
        Home::Global(n) => Some(n),
        Home::Local(_) => None,
    })
    .collect()
}

impl Objects {
    pub fn new(program: &Program, layout: &Layout) -> Objects {
        let mut objects = Objects {
            owned: vec![false; layout.globals.len()],
            ..Objects::default()
        };
        let mut sites: Vec<_> = program.heap.sites.iter().collect();
        sites.sort_unstable_by_key(|(at, _)| **at);
        for group in sites.iter().flat_map(|(_, site)| &site.groups) {
            let (used, more) = (slots(layout, group.used), slots(layout, group.more));
            let ([used], [more]) = (&used[..], &more[..]) else {
                continue;
            };
            let mut vars = group.newest.clone();
            vars.push(group.rest);
            let number = objects.groups.len();
            for (n, var) in vars.iter().enumerate() {
                objects.places.insert(*var, (number, n));
            }
            let names = Names {
                used: *used,
                more: *more,
                slots: vars.iter().map(|v| slots(layout, *v)).collect(),
                vars,
            };
            // Objects whose cells differ cannot take each other's place.
            let cells = |list: &Vec<u32>| -> Vec<(u64, u32)> {
                let cell = |n: &u32| &layout.globals[*n as usize];
                list.iter()
                    .map(|n| (cell(n).bit_offset, cell(n).ty.0))
                    .collect()
            };
            let first = cells(&names.slots[0]);
            if names.slots.iter().any(|list| cells(list) != first) {
                for var in &names.vars {
                    objects.places.remove(var);
                }
                continue;
            }
            for n in names.slots.iter().flatten().chain([used, more]) {
                objects.owned[*n as usize] = true;
            }
            objects.groups.push(names);
        }
        objects
    }
    pub fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }
    /// The objects that a value leads to.
    fn targets(&self, universe: &Universe, v: Value, found: &mut Vec<VarId>) {
        let (Value::Address(_) | Value::Addresses(_)) = v else {
            return;
        };
        for address in universe.addresses(v).into_iter().flatten() {
            if let Target::Object(var) = address.target()
                && self.places.contains_key(&VarId(var))
            {
                found.push(VarId(var));
            }
        }
    }
}

/// The objects that frames lead to, by frame.
pub(crate) type Frames = FxHashMap<u32, Vec<VarId>>;

impl Code<'_> {
    /// A state without objects that nothing leads to.
    pub fn collect(&self, tables: &Tables, frames: &mut Frames, key: u64) -> Result<u64, Full> {
        let state = tables.unpack(key);
        let objects = &self.objects;
        let count = self.layout.globals.len();
        let counters: Vec<u32> = objects
            .groups
            .iter()
            .flat_map(|g| [g.used, g.more])
            .collect();
        let mut numbers = Vec::new();
        let mut sorted = counters.clone();
        sorted.sort_unstable();
        tables.read(state.global, count as u32, &sorted, &mut numbers);
        if numbers.iter().all(|v| *v == Value::Int(0)) {
            return Ok(key);
        }
        let mut location = state.location;
        while location >= PENDING {
            location = tables.pended(location - PENDING).1;
        }
        let globals = tables.load(state.global, count);
        let locals = tables.load(state.local, self.frame_len(location) as usize);
        let mut todo = self.below(tables, frames, state.caller);
        for v in &locals {
            objects.targets(self.universe, *v, &mut todo);
        }
        for (v, owned) in globals.iter().zip(&objects.owned) {
            if !owned {
                objects.targets(self.universe, *v, &mut todo);
            }
        }
        let mut reached: FxHashSet<VarId> = FxHashSet::default();
        while let Some(var) = todo.pop() {
            if reached.insert(var) {
                let (group, n) = objects.places[&var];
                for slot in &objects.groups[group].slots[n] {
                    objects.targets(self.universe, globals[*slot as usize], &mut todo);
                }
            }
        }
        let mut changed = globals.clone();
        let mut pairs = Vec::new();
        let mut same = true;
        for group in &objects.groups {
            let rest = group.vars.len() - 1;
            let number = |slot: u32| match globals[slot as usize] {
                Value::Int(n) => Some(n as usize),
                _ => None,
            };
            let (Some(used), Some(more)) = (number(group.used), number(group.more)) else {
                continue;
            };
            let kept: Vec<usize> = (0..used.min(rest))
                .filter(|n| reached.contains(&group.vars[*n]))
                .collect();
            if kept.len() < used {
                same = false;
                for n in 0..used.min(rest) {
                    let from = kept.get(n).map(|k| &group.slots[*k]);
                    for (at, slot) in group.slots[n].iter().enumerate() {
                        let value = from.map_or(Value::Top, |from| globals[from[at] as usize]);
                        changed[*slot as usize] = value;
                    }
                }
                let moved = kept.iter().enumerate().filter(|(n, k)| n != *k);
                pairs.extend(moved.map(|(n, k)| (group.vars[*k], Some(group.vars[n]))));
                changed[group.used as usize] = Value::Int(kept.len() as u64);
            }
            if more != 0 && !reached.contains(&group.vars[rest]) {
                same = false;
                for slot in &group.slots[rest] {
                    changed[*slot as usize] = Value::Top;
                }
                changed[group.more as usize] = Value::Int(0);
            }
        }
        if same {
            return Ok(key);
        }
        let rename = Rename::new(pairs);
        let apply = |values: &mut Vec<Value>| {
            values
                .iter_mut()
                .for_each(|v| *v = rename.apply(self.universe, *v));
        };
        let mut locals = locals;
        apply(&mut changed);
        apply(&mut locals);
        let caller = match rename.is_empty() {
            true => state.caller,
            false => super::worker::rename_frames(self, tables, state.caller, &rename)?,
        };
        tables.pack(State {
            location: state.location,
            caller,
            local: tables.intern(&locals)?,
            global: tables.intern(&changed)?,
        })
    }
    /// The objects that the frames from one on lead to.
    fn below(&self, tables: &Tables, frames: &mut Frames, caller: u32) -> Vec<VarId> {
        if caller == 0 {
            return Vec::new();
        }
        if let Some(found) = frames.get(&caller) {
            return found.clone();
        }
        let (call, next, local) = tables.parts(caller);
        let mut found = self.below(tables, frames, next);
        for v in tables.load(local, self.frame_len(call) as usize) {
            self.objects.targets(self.universe, v, &mut found);
        }
        found.sort_unstable();
        found.dedup();
        frames.insert(caller, found.clone());
        found
    }
}
