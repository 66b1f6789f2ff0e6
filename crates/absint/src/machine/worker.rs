//! The hot loop: from a state's numbers to its successors' numbers.
//!
//! A step depends only on the slots that it reads and changes only those that it writes. So a
//! worker keeps each step that it computed as *moves*, under the location and the values of the
//! slots that any step from there was seen to read; the next state with the same values there
//! takes the same moves, and only the tree nodes above the written slots are looked up. When a
//! step reads a slot that none read before, what was kept for its location is forgotten.
//!
//! Each thread has a worker of its own; they share only the tables.

use super::garbage::Frames;
use super::heap::Rename;
use super::layout::Point;
use super::step::{Effect, Here, Step, To, Unfollowed};
use super::tables::{Full, Tables, mix};
use super::{ANY_CALLER, Code, PENDING, Points, State};
use crate::domain::Value;
use crate::map::Variance;
use cwolf_base::Idx;
use cwolf_cwi::{FuncId, LocId, TypeId};
use hashbrown::HashTable;
use rustc_hash::{FxHashMap, FxHashSet};

/// A labelled step to a packed state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Edge {
    /// 0 if nothing is seen.
    pub label: u32,
    pub to: u64,
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
        /// The number of new names for allocated objects, from 1; 0 for none.
        rename: u32,
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
        loc: LocId,
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
        /// Where control comes from, if not from the call itself.
        loc: Option<LocId>,
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
    /// The values that it depends on, side by side, or their hash.
    digest: u64,
    key: (u32, u32),
    moves: (u32, u32),
    /// How many were kept before it.
    number: u32,
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
    kept: HashTable<Kept>,
    keys: Vec<u32>,
    moves: Vec<Move>,
    writes: Vec<(u32, u32)>,
    renames: Vec<Rename>,
    /// The objects that frames lead to.
    frames_below: Frames,
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
    /// The nearest caller of each that a jump may come to.
    landings: FxHashMap<u32, u32>,
    /// Where long silent ways end, and after how many steps.
    ways: FxHashMap<u64, (u64, u32)>,
    /// What steps did that were not followed.
    unfollowed: Unfollowed,
    /// What the expansion under way reads and overwrites, if someone wants to know.
    record: Option<Record>,
    /// What each kept step reads, if so.
    uses: Vec<Vec<u32>>,
}

/// Digests from here on are hashes: they do not say what the values are.
const HASHED: u64 = 1 << 63;

/// Some values as one number.
fn digest(key: &[u32]) -> u64 {
    if key.len() <= 9 && key.iter().all(|word| *word < 1 << 7) {
        return key.iter().fold(0, |all, word| all << 7 | u64::from(*word));
    }
    key.iter().fold(0, |all, word| mix(all ^ u64::from(*word))) | HASHED
}

fn hash(site: u32, digest: u64) -> u64 {
    mix(digest ^ u64::from(site).rotate_left(40))
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
    /// What steps did that were not followed.
    pub fn unfollowed(&self) -> Unfollowed {
        self.unfollowed
    }
    /// Drops all kept steps.
    pub fn forget_steps(&mut self) {
        self.kept.clear();
        self.keys.clear();
        self.moves.clear();
        self.writes.clear();
        self.renames.clear();
        self.uses.clear();
    }
    /// Drops all that refers to tables which are no more; what the user should know stays.
    pub fn forget_all(&mut self) {
        let notes = std::mem::take(&mut self.notes);
        *self = Worker {
            notes,
            unfollowed: self.unfollowed,
            ..Worker::default()
        };
    }
    /// Takes over the notes of another worker.
    pub fn add_notes(&mut self, other: Worker) {
        self.notes.extend(other.notes);
        self.unfollowed |= other.unfollowed;
    }
    /// The end of the silent way from a state and its length, if it was found before.
    pub fn way(&self, from: u64) -> Option<(u64, u32)> {
        self.ways.get(&from).copied()
    }
    pub fn keep_way(&mut self, from: u64, way: (u64, u32)) {
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
        state: u64,
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
        state: u64,
        out: &mut Vec<Edge>,
    ) -> Result<(), Full> {
        if self.keys.len() + 4 * (self.moves.len() + self.kept.len()) + self.writes.len() > MAX_KEPT
        {
            self.forget_steps();
        }
        let state = tables.unpack(state);
        if state.location >= PENDING {
            let (label, location) = *self.leads.entry(state.location).or_insert_with(|| {
                let (sequence, then) = tables.pended(state.location - PENDING);
                lead(tables, sequence, then)
            });
            let to = tables.pack(State { location, ..state })?;
            out.push(Edge { label, to });
            return Ok(());
        }
        let from = From::Point {
            location: state.location,
            outermost: state.caller == 0,
        };
        let first = out.len();
        let moves = self.moves(code, tables, from, state.local, state.global)?;
        for n in moves.0..moves.1 {
            self.make(code, tables, n, state, out)?;
        }
        if !code.needs.is_empty() {
            for edge in &mut out[first..] {
                edge.to = code.needs.strip(code, tables, edge.to)?;
            }
        }
        if !code.objects.is_empty() && self.record.is_none() {
            for edge in &mut out[first..] {
                if self.frames_below.len() >= MAX_WAYS {
                    self.frames_below.clear();
                }
                edge.to = code.collect(tables, &mut self.frames_below, edge.to)?;
            }
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
        from: State,
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
        from: State,
        out: &mut Vec<Edge>,
    ) -> Result<(), Full> {
        let State {
            location,
            caller,
            local,
            global,
        } = from;
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
                let to = tables.pack(State {
                    location,
                    caller,
                    local: change_local(slice(&self.writes, to_local))?,
                    global: change(slice(&self.writes, to_global))?,
                })?;
                out.push(Edge { label, to });
            }
            Move::Enter {
                label,
                location: target,
                shared,
                frame,
                local: to_local,
                inside,
                global: to_global,
                rename,
            } => {
                let global = change(slice(&self.writes, to_global))?;
                let caller = match rename {
                    0 => caller,
                    n => {
                        let rename = &self.renames[n as usize - 1];
                        rename_frames(code, tables, caller, rename)?
                    }
                };
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
                let to = tables.pack(State {
                    location: target,
                    caller: waits,
                    local: inside,
                    global,
                })?;
                out.push(Edge { label, to });
            }
            Move::Return {
                labels,
                ty,
                value,
                global: to_global,
            } => {
                let global = change(slice(&self.writes, to_global))?;
                let mut back = |worker: &mut Worker, frame: u32| {
                    let at = tables.frame(frame, global);
                    worker.resume(code, tables, (ty, value, None), labels, at, out)
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
            } => {
                let to = tables.pack(State {
                    location,
                    caller: 0,
                    local: status,
                    global: 0,
                })?;
                out.push(Edge { label, to });
            }
            Move::Jump {
                labels,
                value,
                loc,
                local: to_local,
                global: to_global,
            } => {
                let from = State {
                    local: change_local(slice(&self.writes, to_local))?,
                    global: change(slice(&self.writes, to_global))?,
                    ..from
                };
                self.jump(code, tables, (labels, value, loc), from, out)?;
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
    /// Goes on after a call with its result, in the frame that is now on top.
    fn resume(
        &mut self,
        code: &Code<'_>,
        tables: &Tables,
        (ty, value, loc): (Option<TypeId>, u32, Option<LocId>),
        labels: u32,
        at: State,
        out: &mut Vec<Edge>,
    ) -> Result<(), Full> {
        let point = at.location;
        let from = From::Call {
            point,
            ty,
            value,
            loc,
        };
        let moves = self.moves(code, tables, from, at.local, at.global)?;
        let first = out.len();
        for n in moves.0..moves.1 {
            self.make(code, tables, n, at, out)?;
        }
        // The labels of the way back come first.
        if labels != 0 {
            for edge in &mut out[first..] {
                let to = tables.unpack(edge.to);
                let key = (labels, edge.label, to.location);
                let (label, location) = *self.joined.entry(key).or_insert_with(|| {
                    let (rest, then) = match to.location {
                        location @ PENDING.. => tables.pended(location - PENDING),
                        then => (0, then),
                    };
                    let own = tables.prepend(edge.label, rest);
                    lead(tables, tables.concat(labels, own), then)
                });
                let to = tables.pack(State { location, ..to })?;
                *edge = Edge { label, to };
            }
        }
        Ok(())
    }
    /// `longjmp`: to after any `setjmp` of any frame that is under way.
    fn jump(
        &mut self,
        code: &Code<'_>,
        tables: &Tables,
        (labels, value, loc): (u32, u32, LocId),
        from: State,
        out: &mut Vec<Edge>,
    ) -> Result<(), Full> {
        let mut todo = vec![from];
        let mut seen = FxHashSet::default();
        while let Some(frame) = todo.pop() {
            let Point::Code { func, .. } = code.points.get(frame.location) else {
                continue;
            };
            for block in code.setjmp_calls(func) {
                let at = State {
                    location: code.points.block(func, block),
                    ..frame
                };
                let result = (Some(cwolf_cwi::Types::INT), value, Some(loc));
                self.resume(code, tables, result, labels, at, out)?;
            }
            let marked = self.marked(code, tables, frame.caller);
            if marked != 0 {
                let frames = self.frames(tables, marked).into_iter();
                let new = frames.filter(|f| seen.insert(*f));
                todo.extend(new.map(|f| tables.frame(f, from.global)));
            }
        }
        Ok(())
    }
    /// The nearest caller, from `caller` on, that a jump may come to, or that stands for several; 0 if there is none. What is found is
    /// kept, or a recursion that may jump at every depth would walk over all its frames each time.
    fn marked(&mut self, code: &Code<'_>, tables: &Tables, caller: u32) -> u32 {
        let mut passed = Vec::new();
        let mut at = caller;
        let found = loop {
            if at == 0 {
                break 0;
            }
            if let Some(found) = self.landings.get(&at) {
                break *found;
            }
            if let ANY_CALLER..PENDING = tables.pairs.get(at).0 {
                break at;
            }
            let frame = tables.frame(at, 0);
            match code.points.get(frame.location) {
                Point::Code { func, .. } if code.setjmp_calls(func).is_empty() => {}
                Point::Code { .. } => break at,
                _ => break 0,
            }
            passed.push(at);
            at = frame.caller;
        };
        self.landings.extend(passed.iter().map(|at| (*at, found)));
        found
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
        let digest = digest(&self.key);
        let version = self.sites[site as usize].version;
        let found = self.kept.find(hash(site, digest), |kept| {
            kept.site == site
                && kept.version == version
                && kept.digest == digest
                && (digest < HASHED
                    || self.keys[kept.key.0 as usize..kept.key.1 as usize] == self.key[..])
        });
        if let Some(kept) = found {
            if let Some(record) = &mut self.record {
                record.uses.extend(&self.uses[kept.number as usize]);
            }
            return Ok(kept.moves);
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
        if let From::Call { ty, value, loc, .. } = from {
            let loc = loc.map_or(0, |loc| loc.0 + 1);
            self.key.extend([ty.map_or(0, |t| t.0 + 1), value, loc]);
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
            From::Call {
                point,
                ty,
                value,
                loc,
            } => {
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
                code.resume(here, (result, loc), opened, &mut after);
                step = after;
            }
        }
        for (loc, text) in step.notes {
            self.note(loc, text);
        }
        self.unfollowed |= step.unfollowed;
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
        let digest = digest(&self.key);
        if digest >= HASHED {
            self.keys.extend_from_slice(&self.key);
        }
        let kept = Kept {
            site,
            version: self.sites[site as usize].version,
            digest,
            key: (start, self.keys.len() as u32),
            moves,
            number: self.kept.len() as u32,
        };
        (self.kept).insert_unique(hash(site, digest), kept, |k| hash(k.site, k.digest));
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
                rename,
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
                    rename: match rename {
                        None => 0,
                        Some(rename) => {
                            self.renames.push((*rename).clone());
                            self.renames.len() as u32
                        }
                    },
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
                    status: tables.intern(&[status])?,
                }
            }
            To::Jump { env, value, loc } => Move::Jump {
                labels,
                loc,
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

/// The frames below a call, with new names for allocated objects.
pub(super) fn rename_frames(
    code: &Code<'_>,
    tables: &Tables,
    caller: u32,
    rename: &Rename,
) -> Result<u32, Full> {
    let mut frames = Vec::new();
    let mut below = caller;
    while below != 0 {
        let (call, next, local) = tables.parts(below);
        frames.push((call, local));
        below = next;
    }
    for (call, local) in frames.into_iter().rev() {
        let mut values = tables.load(local, code.frame_len(call) as usize);
        for v in &mut values {
            *v = rename.apply(code.universe, *v);
        }
        below = tables.control(call, below, tables.intern(&values)?)?;
    }
    Ok(below)
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
