//! The hot loop: from a state's numbers to its successors' numbers.
//!
//! A step depends only on the slots that it reads and changes only those that it writes. So a
//! worker keeps each step that it computed as *moves*, under the location and the values of the
//! slots that any step from there was seen to read; the next state with the same values there
//! takes the same moves, and only the tree nodes above the written slots are looked up. When a
//! step reads a slot that none read before, what was kept for its location is forgotten.
//!
//! Each thread has a worker of its own; they share only the tables.

use super::layout::Point;
use super::step::{Effect, Here, Step, To};
use super::tables::{Full, Tables};
use super::{ANY_CALLER, Code, PENDING, Points};
use crate::domain::Value;
use crate::map::Variance;
use cwolf_base::Idx;
use cwolf_cwi::{FuncId, LocId, TypeId};
use hashbrown::HashTable;
use rustc_hash::{FxHashMap, FxHashSet};

/// A labelled step between packed states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Edge {
    /// 0 if nothing is seen.
    pub label: u32,
    pub control: u32,
    pub global: u32,
}

/// A part of the list of writes.
type Writes = (u32, u32);

/// What a step does, whatever the slots hold that it does not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Move {
    Go {
        label: u32,
        location: u32,
        local: Writes,
        global: Writes,
    },
    Enter {
        label: u32,
        location: u32,
        /// The function, if all its callers are one.
        shared: Option<FuncId>,
        /// The call that waits; 0 for none.
        frame: u32,
        local: Writes,
        inside: u32,
        global: Writes,
    },
    Return {
        labels: u32,
        ty: Option<TypeId>,
        value: u32,
        global: Writes,
    },
    Halt {
        label: u32,
        location: u32,
        status: u32,
    },
    Jump {
        labels: u32,
        value: u32,
        local: Writes,
        global: Writes,
    },
}

/// From where steps start: a program point, or a caller that goes on.
#[derive(Clone, Copy, Debug)]
enum From {
    Point {
        location: u32,
        outermost: bool,
    },
    Call {
        point: u32,
        ty: Option<TypeId>,
        value: u32,
    },
}

/// What steps from one place were seen to read.
#[derive(Debug, Default)]
struct Site {
    locals: Vec<u32>,
    globals: Vec<u32>,
    /// Steps that were kept under an older version are forgotten.
    version: u32,
}

/// A kept step.
#[derive(Clone, Copy, Debug)]
struct Kept {
    site: u32,
    version: u32,
    key: (u32, u32),
    moves: (u32, u32),
}

/// What one expansion read and overwrote in the global environment.
#[derive(Clone, Debug, Default)]
pub(crate) struct Record {
    pub uses: Vec<u32>,
    /// For each edge.
    pub kills: Vec<Vec<u32>>,
}

/// Kept steps are dropped when they take this many words, so that programs whose steps never
/// come again do not fill the memory.
const MAX_KEPT: usize = 1 << 22;

/// So many ends of silent ways are kept.
const MAX_WAYS: usize = 1 << 18;

/// Computes successors, and keeps what it computed.
#[derive(Debug, Default)]
pub(crate) struct Worker {
    sites: Vec<Site>,
    table: HashTable<u32>,
    kept: Vec<Kept>,
    keys: Vec<u32>,
    moves: Vec<Move>,
    writes: Vec<(u32, u32)>,
    key: Vec<u32>,
    notes: FxHashSet<(LocId, String)>,
    /// What is shown first, and then from where, of a step with labels still to show.
    leads: FxHashMap<u32, (u32, u32)>,
    /// The same for labels of a way back, before a label and a location.
    joined: FxHashMap<(u32, u32, u32), (u32, u32)>,
    /// Who called the functions whose callers are one.
    callers: FxHashMap<FuncId, Vec<u32>>,
    /// The functions that someone new called.
    pub new_callers: Vec<FuncId>,
    /// Where long silent ways end, and after how many steps.
    ways: FxHashMap<(u32, u32), ((u32, u32), u32)>,
    /// What the expansion under way reads and overwrites, if someone wants to know.
    record: Option<Record>,
    /// What each kept step reads, if so.
    uses: Vec<Vec<u32>>,
}

fn hash_key(site: u32, key: &[u32]) -> u64 {
    let mut h = u64::from(site);
    for word in key {
        h = (h.rotate_left(5) ^ u64::from(*word)).wrapping_mul(0x517c_c1b7_2722_0a95);
    }
    h ^ h >> 32
}

fn slice(list: &[(u32, u32)], part: Writes) -> &[(u32, u32)] {
    &list[part.0 as usize..part.1 as usize]
}

impl Worker {
    pub fn note(&mut self, loc: LocId, text: String) {
        self.notes.insert((loc, text));
    }
    /// What the user should know, in the order of the program.
    pub fn notes(&self) -> Vec<(LocId, String)> {
        let mut list: Vec<_> = self.notes.iter().cloned().collect();
        list.sort();
        list
    }
    /// Drops all kept steps.
    pub fn forget_steps(&mut self) {
        self.table.clear();
        self.kept.clear();
        self.keys.clear();
        self.moves.clear();
        self.writes.clear();
        self.uses.clear();
    }
    /// Takes over the notes of another worker.
    pub fn add_notes(&mut self, other: Worker) {
        self.notes.extend(other.notes);
    }
    /// The end of the silent way from a state and its length, if it was found before.
    pub fn way(&self, from: (u32, u32)) -> Option<((u32, u32), u32)> {
        self.ways.get(&from).copied()
    }
    pub fn keep_way(&mut self, from: (u32, u32), way: ((u32, u32), u32)) {
        if self.ways.len() >= MAX_WAYS {
            self.ways.clear();
        }
        self.ways.insert(from, way);
    }
    /// From now on, what steps read and overwrite can be asked.
    pub fn record(&mut self) {
        self.record = Some(Record::default());
    }
    /// The same as [`Worker::expand`], with what was read and overwritten.
    pub fn expand_recorded(
        &mut self,
        code: &Code<'_>,
        tables: &Tables,
        state: (u32, u32),
        out: &mut Vec<Edge>,
    ) -> Result<Record, Full> {
        self.record = Some(Record::default());
        self.expand(code, tables, state, out)?;
        let mut record = self.record.take().unwrap_or_default();
        record.kills.resize(out.len(), Vec::new());
        Ok(record)
    }
    /// Appends the successors of a state, in the order of the program.
    pub fn expand(
        &mut self,
        code: &Code<'_>,
        tables: &Tables,
        (control, global): (u32, u32),
        out: &mut Vec<Edge>,
    ) -> Result<(), Full> {
        if self.keys.len() + 4 * (self.moves.len() + self.kept.len()) + self.writes.len() > MAX_KEPT
        {
            self.forget_steps();
        }
        let (location, caller, local) = tables.parts(control);
        if location >= PENDING {
            let (label, location) = *self.leads.entry(location).or_insert_with(|| {
                let (sequence, then) = tables.pended(location - PENDING);
                lead(tables, sequence, then)
            });
            let control = tables.control(location, caller, local)?;
            out.push(Edge {
                label,
                control,
                global,
            });
            return Ok(());
        }
        let from = From::Point {
            location,
            outermost: caller == 0,
        };
        let first = out.len();
        let moves = self.moves(code, tables, from, local, global)?;
        for n in moves.0..moves.1 {
            self.make(code, tables, n, (location, caller, local, global), out)?;
        }
        // Different ways may lead to the same state.
        for n in (first + 1..out.len()).rev() {
            if self.record.is_none() && out[first..n].contains(&out[n]) {
                out.remove(n);
            }
        }
        Ok(())
    }
    /// Makes one move from a state.
    fn make(
        &mut self,
        code: &Code<'_>,
        tables: &Tables,
        n: u32,
        from: (u32, u32, u32, u32),
        out: &mut Vec<Edge>,
    ) -> Result<(), Full> {
        let first = out.len();
        self.make_unrecorded(code, tables, n, from, out)?;
        if let Some(record) = &mut self.record {
            let (Move::Go { global, .. }
            | Move::Enter { global, .. }
            | Move::Return { global, .. }
            | Move::Jump { global, .. }) = self.moves[n as usize]
            else {
                return Ok(());
            };
            // A move inside this one has added its own already.
            record.kills.resize(out.len(), Vec::new());
            for kills in &mut record.kills[first..] {
                kills.extend(slice(&self.writes, global).iter().map(|w| w.0));
            }
        }
        Ok(())
    }
    fn make_unrecorded(
        &mut self,
        code: &Code<'_>,
        tables: &Tables,
        n: u32,
        (location, caller, local, global): (u32, u32, u32, u32),
        out: &mut Vec<Edge>,
    ) -> Result<(), Full> {
        let globals = code.layout.globals.len() as u32;
        let change = |writes: &[(u32, u32)]| tables.update(global, 0, globals, writes);
        let change_local =
            |writes: &[(u32, u32)]| tables.update(local, 0, code.frame_len(location), writes);
        match self.moves[n as usize] {
            Move::Go {
                label,
                location,
                local: to_local,
                global: to_global,
            } => {
                let local = change_local(slice(&self.writes, to_local))?;
                out.push(Edge {
                    label,
                    control: tables.control(location, caller, local)?,
                    global: change(slice(&self.writes, to_global))?,
                });
            }
            Move::Enter {
                label,
                location: target,
                shared,
                frame,
                local: to_local,
                inside,
                global: to_global,
            } => {
                let global = change(slice(&self.writes, to_global))?;
                let mut waits = caller;
                if frame != 0 {
                    let local = change_local(slice(&self.writes, to_local))?;
                    waits = tables.control(frame, caller, local)?;
                }
                if let Some(func) = shared {
                    let list = self.callers.entry(func).or_default();
                    if !list.contains(&waits) {
                        list.push(waits);
                        self.new_callers.push(func);
                    }
                    waits = tables.control(ANY_CALLER + func.index() as u32, 0, 0)?;
                }
                out.push(Edge {
                    label,
                    control: tables.control(target, waits, inside)?,
                    global,
                });
            }
            Move::Return {
                labels,
                ty,
                value,
                global: to_global,
            } => {
                let global = change(slice(&self.writes, to_global))?;
                let mut back = |worker: &mut Worker, frame: u32| {
                    let (point, caller, local) = tables.parts(frame);
                    let from = From::Call { point, ty, value };
                    let at = (point, caller, local, global);
                    worker.resume(code, tables, from, labels, at, out)
                };
                if (ANY_CALLER..PENDING).contains(&tables.pairs.get(caller).0) {
                    for frame in self.frames(tables, caller) {
                        back(self, frame)?;
                    }
                } else {
                    back(self, caller)?;
                }
            }
            Move::Halt {
                label,
                location,
                status,
            } => out.push(Edge {
                label,
                control: tables.control(location, 0, status)?,
                global: 0,
            }),
            Move::Jump {
                labels,
                value,
                local: to_local,
                global: to_global,
            } => {
                let local = change_local(slice(&self.writes, to_local))?;
                let global = change(slice(&self.writes, to_global))?;
                let labels = (labels, value);
                self.jump(code, tables, labels, (location, caller, local, global), out)?;
            }
        }
        Ok(())
    }
    /// The frames that a caller's number stands for.
    fn frames(&self, tables: &Tables, caller: u32) -> Vec<u32> {
        let location = tables.pairs.get(caller).0;
        match location {
            ANY_CALLER..PENDING => {
                let func = FuncId::new((location - ANY_CALLER) as usize);
                self.callers.get(&func).cloned().unwrap_or_default()
            }
            _ => vec![caller],
        }
    }
    /// Goes on after a call, in the frame that is now on top.
    fn resume(
        &mut self,
        code: &Code<'_>,
        tables: &Tables,
        from: From,
        labels: u32,
        (point, caller, local, global): (u32, u32, u32, u32),
        out: &mut Vec<Edge>,
    ) -> Result<(), Full> {
        let moves = self.moves(code, tables, from, local, global)?;
        let first = out.len();
        for n in moves.0..moves.1 {
            self.make(code, tables, n, (point, caller, local, global), out)?;
        }
        // The labels of the way back come first.
        if labels != 0 {
            for edge in &mut out[first..] {
                let (location, caller, local) = tables.parts(edge.control);
                let key = (labels, edge.label, location);
                let (label, location) = *self.joined.entry(key).or_insert_with(|| {
                    let (rest, then) = match location {
                        PENDING.. => tables.pended(location - PENDING),
                        then => (0, then),
                    };
                    let own = tables.prepend(edge.label, rest);
                    lead(tables, tables.concat(labels, own), then)
                });
                edge.label = label;
                edge.control = tables.control(location, caller, local)?;
            }
        }
        Ok(())
    }
    /// `longjmp`: to after any `setjmp` of any frame that is under way.
    fn jump(
        &mut self,
        code: &Code<'_>,
        tables: &Tables,
        (labels, value): (u32, u32),
        (location, caller, local, global): (u32, u32, u32, u32),
        out: &mut Vec<Edge>,
    ) -> Result<(), Full> {
        let mut todo = vec![(location, caller, local)];
        let mut seen = FxHashSet::default();
        while let Some((location, caller, local)) = todo.pop() {
            let Point::Code { func, .. } = code.points.get(location) else {
                continue;
            };
            for block in code.setjmp_calls(func) {
                let point = code.points.block(func, block);
                let ty = Some(cwolf_cwi::Types::INT);
                let from = From::Call { point, ty, value };
                self.resume(
                    code,
                    tables,
                    from,
                    labels,
                    (point, caller, local, global),
                    out,
                )?;
            }
            if caller != 0 {
                let frames = self.frames(tables, caller).into_iter();
                let new = frames.filter(|f| seen.insert(*f));
                todo.extend(new.map(|f| tables.parts(f)));
            }
        }
        Ok(())
    }
    /// The kept moves of a step, as a range; computes them if there are none.
    fn moves(
        &mut self,
        code: &Code<'_>,
        tables: &Tables,
        from: From,
        local: u32,
        global: u32,
    ) -> Result<(u32, u32), Full> {
        let (site, frame) = match from {
            From::Point {
                location,
                outermost,
            } => (location * 2 + u32::from(outermost), location),
            From::Call { point, .. } => ((code.points.len() as u32) * 2 + point, point),
        };
        if self.sites.len() <= site as usize {
            self.sites.resize_with(site as usize + 1, Site::default);
        }
        let lens = (code.frame_len(frame), code.layout.globals.len() as u32);
        self.set_key(tables, site, from, (local, global), lens);
        let hash = hash_key(site, &self.key);
        let version = self.sites[site as usize].version;
        let found = self.table.find(hash, |n| {
            let kept = &self.kept[*n as usize];
            kept.site == site
                && kept.version == version
                && self.keys[kept.key.0 as usize..kept.key.1 as usize] == self.key[..]
        });
        if let Some(n) = found {
            if let Some(record) = &mut self.record {
                record.uses.extend(&self.uses[*n as usize]);
            }
            return Ok(self.kept[*n as usize].moves);
        }
        self.compute(code, tables, site, from, (local, global), lens)
    }
    /// Puts the values that steps from a site depend on into `self.key`.
    fn set_key(
        &mut self,
        tables: &Tables,
        site: u32,
        from: From,
        (local, global): (u32, u32),
        (locals, globals): (u32, u32),
    ) {
        self.key.clear();
        if let From::Call { ty, value, .. } = from {
            self.key.extend([ty.map_or(0, |t| t.0 + 1), value]);
        }
        let site = &self.sites[site as usize];
        tables.pick(local, 0, locals, &site.locals, &mut self.key);
        tables.pick(global, 0, globals, &site.globals, &mut self.key);
    }
    fn compute(
        &mut self,
        code: &Code<'_>,
        tables: &Tables,
        site: u32,
        from: From,
        (local, global): (u32, u32),
        lens: (u32, u32),
    ) -> Result<(u32, u32), Full> {
        let (env, step);
        match from {
            From::Point {
                location,
                outermost,
            } => {
                let point = code.points.get(location);
                let (func, dead) = match point {
                    Point::Code { func, .. } => (func, (Some(location), Some(location))),
                    Point::Outside(func) => (func, (None, None)),
                    Point::Halted => return Ok((0, 0)),
                };
                let opened = code.open(tables, func, dead, (local, global));
                env = opened.clone();
                step = code.step(point, outermost, opened);
            }
            From::Call { point, ty, value } => {
                let Point::Code { func, block, .. } = code.points.get(point) else {
                    unreachable!("a frame is at a call")
                };
                let opened = code.open(
                    tables,
                    func,
                    (code.waiting(func, block), None),
                    (local, global),
                );
                env = opened.clone();
                let here = Here {
                    func,
                    block,
                    outermost: false,
                };
                let mut after = Step::default();
                let result = ty.map(|ty| (ty, tables.value(value)));
                code.resume(here, result, opened, &mut after);
                step = after;
            }
        }
        for (loc, text) in step.notes {
            self.note(loc, text);
        }
        let first = self.moves.len() as u32;
        for effect in step.effects {
            let step = self.keep(code, tables, effect)?;
            self.moves.push(step);
        }
        let moves = (first, self.moves.len() as u32);
        let at = &mut self.sites[site as usize];
        let grew =
            grow(&mut at.locals, env.local.reads()) | grow(&mut at.globals, env.global.reads());
        if grew {
            at.version += 1;
            self.set_key(tables, site, from, (local, global), lens);
        }
        if let Some(record) = &mut self.record {
            let uses: Vec<u32> = env.global.reads().collect();
            record.uses.extend(&uses);
            self.uses.push(uses);
        }
        let start = self.keys.len() as u32;
        self.keys.extend_from_slice(&self.key);
        let n = self.kept.len() as u32;
        self.kept.push(Kept {
            site,
            version: self.sites[site as usize].version,
            key: (start, self.keys.len() as u32),
            moves,
        });
        let Worker {
            table, kept, keys, ..
        } = self;
        let hash = |n: &u32| {
            let kept = &kept[*n as usize];
            hash_key(kept.site, &keys[kept.key.0 as usize..kept.key.1 as usize])
        };
        table.insert_unique(hash(&n), n, hash);
        Ok(moves)
    }
    /// An effect as a move.
    fn keep(&mut self, code: &Code<'_>, tables: &Tables, effect: Effect) -> Result<Move, Full> {
        let labels = tables.sequence(&effect.labels);
        Ok(match effect.to {
            To::Go { location, env } => {
                let (label, location) = lead(tables, labels, location);
                Move::Go {
                    label,
                    location,
                    local: self.keep_writes(tables, env.local.writes()),
                    global: self.keep_writes(tables, env.global.writes()),
                }
            }
            To::Enter {
                location: entry,
                frame,
                caller,
                inside,
                global,
            } => {
                let func = match code.points.get(entry) {
                    Point::Code { func, .. } => Some(func),
                    _ => None,
                };
                let (label, location) = lead(tables, labels, entry);
                Move::Enter {
                    label,
                    location,
                    shared: func.filter(|f| code.variances[*f] == Variance::Location),
                    frame: frame.unwrap_or(0),
                    local: self.keep_writes(tables, caller.writes()),
                    inside: tables.intern(inside.values())?,
                    global: self.keep_writes(tables, global.writes()),
                }
            }
            To::Return { result, global } => Move::Return {
                labels,
                ty: result.map(|(ty, _)| ty),
                value: result.map_or(0, |(_, v)| tables.number(v)),
                global: self.keep_writes(tables, global.writes()),
            },
            To::Halt { status } => {
                let (label, location) = lead(tables, labels, Points::HALTED);
                Move::Halt {
                    label,
                    location,
                    status: tables.number(status),
                }
            }
            To::Jump { env, value } => Move::Jump {
                labels,
                value: tables.number(value),
                local: self.keep_writes(tables, env.local.writes()),
                global: self.keep_writes(tables, env.global.writes()),
            },
        })
    }
    fn keep_writes(
        &mut self,
        tables: &Tables,
        writes: impl Iterator<Item = (u32, Value)>,
    ) -> Writes {
        let start = self.writes.len() as u32;
        (self.writes).extend(writes.map(|(n, v)| (n, tables.number(v))));
        (start, self.writes.len() as u32)
    }
}

/// Adds numbers to a sorted list; whether there was a new one.
fn grow(list: &mut Vec<u32>, more: impl Iterator<Item = u32>) -> bool {
    let before = list.len();
    list.extend(more);
    list.sort_unstable();
    list.dedup();
    list.len() > before
}

/// The first of some labels, and the location from which the rest is shown.
fn lead(tables: &Tables, labels: u32, location: u32) -> (u32, u32) {
    if labels == 0 {
        return (0, location);
    }
    let (label, rest) = tables.split(labels);
    match rest {
        0 => (label, location),
        rest => (label, PENDING + tables.pend(rest, location)),
    }
}
