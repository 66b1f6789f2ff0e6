//! SilentPaths from point to point, for [`super::learn`]: what is read on them, what is overwritten,
//! and where they end.

use super::tables::{Full, Interned};
use super::worker::Edge;
use super::{Machine, PENDING, State};
use cwolf_base::{Budget, Exhausted};
use rustc_hash::FxHashMap;

/// A way that is longer than this has a point on it.
const MAX_WAY: usize = 1 << 12;
/// After more steps than this (the ends of paths that were taken before count, too), learning is
/// given up.
const MAX_STEPS: usize = 1 << 25;

/// A set of global slots.
pub(super) type Set = Vec<u64>;
/// Location, caller and local environment.
type Control = (u32, u32, u32);

pub(super) fn contains(set: &[u64], n: u32) -> bool {
    set[n as usize / 64] >> (n % 64) & 1 != 0
}

pub(super) fn insert(set: &mut [u64], n: u32) {
    set[n as usize / 64] |= 1 << (n % 64);
}

pub(super) fn list(set: &[u64]) -> Vec<u32> {
    let all = 0..set.len() as u32 * 64;
    all.filter(|n| contains(set, *n)).collect()
}

/// All paths from one state to the next points.
pub(super) struct SilentPaths {
    /// What is read on them.
    pub uses: u32,
    /// Where they end, and what is overwritten on the way.
    pub ends: Vec<(u64, u32)>,
    /// The locations that they pass.
    passed: u32,
    /// How many points there were when it was known that none of these is one.
    points: u32,
}

/// All paths that were found.
pub(super) struct Follower<'l, 'm, 'p> {
    pub machine: &'m mut Machine<'p>,
    budget: &'l Budget,
    /// By location: whether it is a point.
    points: Vec<bool>,
    pub point_count: u32,
    pub sets: Interned<Set>,
    places: Interned<Vec<u32>>,
    pub paths: Vec<SilentPaths>,
    /// The paths of states that were followed.
    of_state: FxHashMap<u64, u32>,
    /// By control point: what paths from there read.
    reads: FxHashMap<Control, Vec<u32>>,
    /// By control point, what is read, and its values: paths.
    kept: FxHashMap<(Control, u32, Vec<u32>), u32>,
    steps: usize,
}

impl<'l, 'm, 'p> Follower<'l, 'm, 'p> {
    pub fn new(machine: &'m mut Machine<'p>, budget: &'l Budget) -> Self {
        Follower {
            points: vec![false; machine.code.points.len()],
            machine,
            budget,
            point_count: 0,
            sets: Interned::default(),
            places: Interned::default(),
            paths: Vec::new(),
            of_state: FxHashMap::default(),
            reads: FxHashMap::default(),
            kept: FxHashMap::default(),
            steps: 0,
        }
    }
    pub fn add_point(&mut self, location: u32) {
        if !std::mem::replace(&mut self.points[location as usize], true) {
            self.point_count += 1;
        }
    }
    /// Whether more paths may be followed.
    pub fn check(&self) -> Result<(), Exhausted> {
        match self.steps > MAX_STEPS {
            true => Err(Exhausted::Steps),
            false => self.budget.check_but_steps(),
        }
    }
    /// The paths from a state at a point.
    pub fn paths_from(&mut self, key: u64) -> Result<u32, Exhausted> {
        if let Some(paths) = self.of_state.get(&key).copied()
            && self.still_holds(paths)
        {
            return Ok(paths);
        }
        let state = self.machine.tables.unpack(key);
        let control = (state.location, state.caller, state.local);
        let mut found = None;
        for &uses in self.reads.get(&control).into_iter().flatten() {
            let values = self.values(state.global, uses);
            found = found.or(self.kept.get(&(control, uses, values)).copied());
        }
        let new = self.paths.len() as u32;
        let paths = match found.filter(|paths| self.still_holds(*paths)) {
            Some(paths) => self.moved(paths, state.global),
            None => {
                let paths = self.follow(key)?;
                let values = self.values(state.global, paths.uses);
                let known = self.reads.entry(control).or_default();
                if !known.contains(&paths.uses) {
                    known.push(paths.uses);
                }
                self.kept.insert((control, paths.uses, values), new);
                paths
            }
        };
        self.steps += paths.ends.len();
        self.paths.push(paths);
        self.of_state.insert(key, new);
        Ok(new)
    }
    /// What a global environment has in the slots of a set.
    fn values(&self, global: u32, set: u32) -> Vec<u32> {
        let (tables, mut values) = (&self.machine.tables, Vec::new());
        let slots = list(self.sets.get(set));
        tables.pick(
            global,
            0,
            self.machine.globals() as u32,
            &slots,
            &mut values,
        );
        values
    }
    /// Whether no location that some paths pass has become a point.
    fn still_holds(&mut self, paths: u32) -> bool {
        let paths = &mut self.paths[paths as usize];
        if paths.points == self.point_count {
            return true;
        }
        let mut passed = self.places.get(paths.passed).iter();
        let holds = passed.all(|location| !self.points[*location as usize]);
        if holds {
            paths.points = self.point_count;
        }
        holds
    }
    /// The same paths with another global environment, which has the same in what they read.
    fn moved(&mut self, paths: u32, global: u32) -> SilentPaths {
        let globals = self.machine.globals() as u32;
        let SilentPaths {
            uses,
            passed,
            points,
            ..
        } = self.paths[paths as usize];
        let mut ends = Vec::new();
        for n in 0..self.paths[paths as usize].ends.len() {
            let (end, kills) = self.paths[paths as usize].ends[n];
            let slots = list(self.sets.get(kills));
            let end = self.machine.grown(|tables| {
                let end = tables.unpack(end);
                let mut values = Vec::new();
                tables.pick(end.global, 0, globals, &slots, &mut values);
                let writes: Vec<(u32, u32)> = slots.iter().copied().zip(values).collect();
                let global = tables.update(global, 0, globals, &writes)?;
                tables.pack(State { global, ..end })
            });
            ends.push((end, kills));
        }
        SilentPaths {
            uses,
            ends,
            passed,
            points,
        }
    }
    /// Goes all paths from a state up to the next points.
    fn follow(&mut self, start: u64) -> Result<SilentPaths, Exhausted> {
        let words = self.machine.globals().div_ceil(64);
        let mut uses: Set = vec![0; words];
        let mut ends = Vec::new();
        let mut passed: Vec<u32> = Vec::new();
        let mut edges: Vec<Edge> = Vec::new();
        // A state, what was overwritten before, and how long ago the last point was.
        let mut todo: Vec<(u64, Set, usize)> = vec![(start, vec![0; words], 0)];
        while let Some((state, killed, length)) = todo.pop() {
            let location = self.machine.tables.unpack(state).location;
            let is_point = location < PENDING && self.points[location as usize];
            if length > 0 && is_point {
                ends.push((state, self.sets.insert(&killed)));
                continue;
            }
            self.steps += 1;
            if self.steps.is_multiple_of(1 << 12) {
                self.check()?;
            }
            let record = loop {
                edges.clear();
                let Machine {
                    code,
                    tables,
                    worker,
                    ..
                } = &mut *self.machine;
                match worker.expand_recorded(code, tables, state, &mut edges) {
                    Ok(record) => break record,
                    Err(Full) => tables.pairs.grow(),
                }
            };
            let (inside, in_code) = (length > 0, location < PENDING);
            let mut targets: Vec<(u64, Set, usize)> = Vec::new();
            for (edge, kills) in edges.iter().zip(&record.kills) {
                let mut now = killed.clone();
                kills.iter().for_each(|n| insert(&mut now, *n));
                // SilentPaths that overwrite different slots lead elsewhere from other states.
                let target = (edge.to, now, length + 1);
                if !targets.contains(&target) {
                    targets.push(target);
                }
            }
            let seen = targets.len() > 1 || edges.iter().any(|e| e.label != 0);
            if inside && in_code && (seen || length > MAX_WAY) {
                self.add_point(location);
                ends.push((state, self.sets.insert(&killed)));
                continue;
            }
            if inside && in_code {
                passed.push(location);
            }
            for n in record.uses {
                if !contains(&killed, n) {
                    insert(&mut uses, n);
                }
            }
            todo.extend(targets.into_iter().rev());
        }
        passed.sort_unstable();
        passed.dedup();
        Ok(SilentPaths {
            uses: self.sets.insert(&uses),
            ends,
            passed: self.places.insert(&passed),
            points: self.point_count,
        })
    }
}
