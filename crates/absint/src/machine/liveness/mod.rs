//! Live slots: what the program may still read before it writes it. Dead slots are ⊤ in states,
//! which loses no behaviour: nothing that is seen depends on them.
//!
//! For local slots this is the textbook analysis of one function. Global slots (and local
//! variables whose address is taken, which live there) go through calls: what is live where a
//! function returns is what is live after any call of it. Reads through pointers read all that
//! the pointer may lead to. Variables that conditions and labels of the label map read always
//! count as live. `uses` says which reads count.

mod decide;
mod uses;

use super::layout::{Home, Layout, Points};
use super::tables::Interned;
use crate::domain::Kind;
use crate::map::{Event, LabelMap, Rule, bits_below, object_of};
use cwolf_base::{Idx, IndexVec};
use cwolf_cwi::graph::{CallGraph, PointsTo};
use cwolf_cwi::{
    Base, Block, BlockId, Body, Branch, Callee, FuncId, Place, Program, RESULT, Step, StmtKind,
    Type, VarId,
};
use decide::Deciding;
use rustc_hash::FxHashSet;
use uses::{Shown, Use};

/// Sets past this many words in all are not computed: everything counts as live then.
const MAX_WORDS: usize = 1 << 24;

/// For each point of the program, which slots are live; each set is kept once.
#[derive(Debug, Default)]
pub(crate) struct Liveness {
    sets: Interned<Vec<u64>>,
    /// By point: the local and the global set.
    points: Vec<Option<(u32, u32)>>,
}

impl Liveness {
    pub fn dead_locals(&self, point: u32, len: usize) -> impl Iterator<Item = usize> + '_ {
        self.dead(self.points.get(point as usize), |p| p.0, len)
    }
    pub fn dead_globals(&self, point: u32, len: usize) -> impl Iterator<Item = usize> + '_ {
        self.dead(self.points.get(point as usize), |p| p.1, len)
    }
    fn dead(
        &self,
        point: Option<&Option<(u32, u32)>>,
        side: impl Fn((u32, u32)) -> u32,
        len: usize,
    ) -> impl Iterator<Item = usize> + '_ {
        let set = point.copied().flatten().map(|p| self.sets.get(side(p)));
        let dead = move |n: &usize| set.is_some_and(|s| s[n / 64] >> (n % 64) & 1 == 0);
        (0..len).filter(dead)
    }
}

/// The live slots at one point.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Live {
    local: Vec<u64>,
    global: Vec<u64>,
}

fn join(into: &mut [u64], from: &[u64]) {
    into.iter_mut().zip(from).for_each(|(a, b)| *a |= b);
}

fn put(set: &mut [u64], n: u32, value: bool) {
    let (word, bit) = (n as usize / 64, 1 << (n % 64));
    match value {
        true => set[word] |= bit,
        false => set[word] &= !bit,
    }
}

impl Live {
    fn put(&mut self, home: Home, value: bool) {
        match home {
            Home::Local(n) => put(&mut self.local, n, value),
            Home::Global(n) => put(&mut self.global, n, value),
        }
    }
    fn join(&mut self, other: &Live) {
        join(&mut self.local, &other.local);
        join(&mut self.global, &other.global);
    }
}

struct Analysis<'l> {
    program: &'l Program,
    layout: &'l Layout,
    points_to: &'l PointsTo,
    /// What a return from the first function leads to.
    exit: Option<FuncId>,
    /// Slots that the label map reads.
    pinned: FxHashSet<Home2>,
    shown: Shown,
    deciding: Deciding,
    /// Functions without a body of which the map says what they write.
    declared: FxHashSet<FuncId>,
    /// Functions whose result is read after some call.
    results: FxHashSet<FuncId>,
    entries: IndexVec<FuncId, IndexVec<BlockId, Live>>,
    /// What is live in the global environment where a function returns.
    exits: IndexVec<FuncId, Vec<u64>>,
    /// What is live after `longjmp`.
    jumped: Vec<u64>,
}

/// A slot of a certain function, or a global one.
pub(super) type Home2 = (Option<FuncId>, u32);

impl Liveness {
    pub fn new(
        program: &Program,
        layout: &Layout,
        (labels, declared): (&LabelMap, FxHashSet<FuncId>),
        (calls, points_to): (&CallGraph, &PointsTo),
        points: &Points,
        exit: Option<FuncId>,
    ) -> Liveness {
        let words = |f: FuncId| layout.frame_size(f).div_ceil(64);
        let global_words = layout.globals.len().div_ceil(64);
        let blocks = |f: FuncId| program.funcs[f].body.as_ref().map_or(0, |b| b.blocks.len());
        let points_of = |f: FuncId| {
            let blocks = program.funcs[f].body.iter().flat_map(|b| b.blocks.iter());
            blocks.map(|b| b.stmts.len() + 1).sum::<usize>()
        };
        let total: usize = (program.funcs.ids())
            .map(|f| points_of(f) * (words(f) + global_words))
            .sum();
        if total > MAX_WORDS {
            return Liveness::default();
        }
        let empty = |f: FuncId| Live {
            local: vec![0; words(f)],
            global: vec![0; global_words],
        };
        let mut analysis = Analysis {
            program,
            layout,
            points_to,
            exit,
            pinned: pinned(program, layout, labels, points_to),
            shown: Shown::new(labels),
            deciding: Deciding::new(program, (calls, points_to), labels),
            declared,
            results: FxHashSet::default(),
            entries: program
                .funcs
                .ids()
                .map(|f| (0..blocks(f)).map(|_| empty(f)).collect())
                .collect(),
            exits: program
                .funcs
                .iter()
                .map(|_| vec![0; global_words])
                .collect(),
            jumped: vec![0; global_words],
        };
        // What nobody calls is where the program starts: its result is the status.
        let called: FxHashSet<FuncId> = called(program, points_to);
        let first = program.funcs.ids().filter(|f| !called.contains(f));
        analysis.results.extend(first);
        while analysis.round() || analysis.deciding.grow() {}
        let mut result = Liveness::default();
        for (func, f) in program.funcs.enumerate() {
            for block in f.body.iter().flat_map(|b| b.blocks.ids()) {
                let mut list = Vec::new();
                analysis.block(func, block, &mut |live| list.push(live.clone()));
                let start = points.block(func, block) as usize;
                for (n, live) in list.iter().rev().enumerate() {
                    let at = start + n;
                    if result.points.len() <= at {
                        result.points.resize(at + 1, None);
                    }
                    let sets = &mut result.sets;
                    let pair = (sets.insert(&live.local), sets.insert(&live.global));
                    result.points[at] = Some(pair);
                }
            }
        }
        result
    }
}

/// All functions that the program calls.
fn called(program: &Program, points_to: &PointsTo) -> FxHashSet<FuncId> {
    let mut called = FxHashSet::default();
    for (func, f) in program.funcs.enumerate() {
        for (block, code) in f.body.iter().flat_map(|b| b.blocks.enumerate()) {
            if let Branch::Call { callee, .. } = &code.branch {
                called.extend(points_to.callees(func, block, callee).0);
            }
        }
    }
    called
}

/// What the label map reads at other moments than right after a write that surely hits.
pub(super) fn pinned(
    program: &Program,
    layout: &Layout,
    labels: &LabelMap,
    points_to: &PointsTo,
) -> FxHashSet<Home2> {
    let exposed = program.address_taken();
    let mut pinned = FxHashSet::default();
    // How many objects there are decides what the next one is called.
    for var in &program.heap.counters {
        for slot in &layout.vars[*var] {
            pinned.insert(home(program, *var, slot.home));
        }
    }
    for rule in &labels.rules {
        // A watch of one place looks at it right after the write only.
        let watched = match &rule.event {
            Event::Watch(seen, _)
                if seen.fixed.len() == 1 && seen.through.is_empty() && rule.when.is_none() =>
            {
                Some(seen.fixed[0]).filter(|s| !exposed.contains(&s.var))
            }
            _ => None,
        };
        let mut pin = |place: &Place| {
            let var = match &place.base {
                Base::Var(var) => *var,
                Base::Deref(pointer) if object_of(pointer).is_some() => {
                    if !looks_at_written(program, rule, place) {
                        let record = object_of(pointer).expect("a type");
                        for var in layout.typed.vars(record) {
                            for slot in &layout.vars[var] {
                                pinned.insert(home(program, var, slot.home));
                            }
                        }
                    }
                    return;
                }
                Base::Deref(pointer) => {
                    for var in super::operands::pointees(program, points_to, rule, pointer) {
                        for slot in &layout.vars[var] {
                            pinned.insert(home(program, var, slot.home));
                        }
                    }
                    return;
                }
            };
            // Its label may name other fields of the same variable.
            let is_watched = watched.is_some_and(|spot| {
                let range = (i128::from(spot.from), i128::from(spot.to));
                spot.var == var && bits(program, place) == Some(range)
            });
            if is_watched {
                return;
            }
            for slot in &layout.vars[var] {
                pinned.insert(home(program, var, slot.home));
            }
        };
        super::labels::places(rule, &mut pin);
        // Which cell is looked at is asked at each read or write.
        if let Event::Read(seen) | Event::Write(seen) | Event::Watch(seen, _) = &rule.event {
            for place in &seen.through {
                uses::for_each_load(place, &mut pin);
            }
        }
    }
    pinned
}

/// Whether a place of a rule about a type is what the write is to that fires it: then it is looked at right after the
/// write only.
fn looks_at_written(program: &Program, rule: &Rule, place: &Place) -> bool {
    let (Event::Watch(seen, _), None) = (&rule.event, &rule.when) else {
        return false;
    };
    let [member] = seen.members[..] else {
        return false;
    };
    let ty = program.types.lookup(&Type::Record(member.record));
    let bits = ty.and_then(|ty| bits_below(&program.types, ty, &place.path));
    bits == Some((member.from, member.to))
}

fn home(program: &Program, var: VarId, home: Home) -> Home2 {
    match home {
        Home::Local(n) => (program.vars[var].kind.function(), n),
        Home::Global(n) => (None, n),
    }
}

impl Analysis<'_> {
    /// One round over all functions; whether something changed.
    fn round(&mut self) -> bool {
        let mut changed = false;
        for func in self.program.funcs.ids() {
            let Some(body) = &self.program.funcs[func].body else {
                continue;
            };
            // Most of a function settles before others need to hear of it.
            loop {
                let mut again = false;
                for block in body.blocks.ids().rev() {
                    let live = self.block(func, block, &mut |_| {});
                    if self.entries[func][block] != live {
                        self.entries[func][block] = live;
                        again = true;
                    }
                }
                changed |= again;
                if !again {
                    break;
                }
            }
            for (block, b) in body.blocks.enumerate() {
                changed |= self.tell_callees(func, block, b);
            }
        }
        changed
    }
    /// What is live after a call is live where its callees return.
    fn tell_callees(&mut self, func: FuncId, block: BlockId, b: &Block) -> bool {
        let Branch::Call {
            callee,
            next: Some(next),
            ..
        } = &b.branch
        else {
            return false;
        };
        let after = self.entries[func][*next].global.clone();
        let (targets, _) = self.points_to.callees(func, block, callee);
        let result = self.result_is_live(&self.entries[func][*next]);
        let known = self.results.len();
        self.results.extend(targets.iter().filter(|_| result));
        let mut changed = self.results.len() > known;
        let mut tell = |set: &mut Vec<u64>| {
            let before = set.clone();
            join(set, &after);
            changed |= *set != before;
        };
        for target in targets {
            tell(&mut self.exits[target]);
            if super::jumps::is_setjmp(self.program, target) {
                tell(&mut self.jumped);
            }
        }
        changed
    }
    /// What is live at the start of a block; `visit` sees it at each point, from the end.
    fn block(&self, func: FuncId, block: BlockId, visit: &mut dyn FnMut(&Live)) -> Live {
        let body = self.program.funcs[func].body.as_ref();
        let body = body.expect("it has blocks");
        let b = &body.blocks[block];
        let mut live = Live {
            local: vec![0; self.layout.frame_size(func).div_ceil(64)],
            global: vec![0; self.layout.globals.len().div_ceil(64)],
        };
        self.after(func, block, body, &mut live);
        let at = (func, block);
        match &b.branch {
            Branch::Call {
                callee, args, next, ..
            } => {
                let result = next.is_some_and(|n| self.result_is_live(&self.entries[func][n]));
                self.called(at, &mut live, (callee, args), result);
            }
            Branch::Return(Some(e)) => self.returned(at, &mut live, e),
            Branch::If { cond: e, .. } | Branch::Switch { on: e, .. } => {
                let use_ = match self.is_deciding(at) {
                    true => Use::Decides,
                    false => Use::Branches,
                };
                self.uses(at, &mut live, e, use_);
            }
            other => other.for_each_expr(&mut |e| self.uses(at, &mut live, e, Use::Decides)),
        }
        self.pin(func, &mut live);
        visit(&live);
        for stmt in b.stmts.iter().rev() {
            match &stmt.kind {
                StmtKind::Assign(place, e) => self.assigned(at, &mut live, place, e),
                StmtKind::SetReg(reg, e) => self.set(at, &mut live, *reg, e),
                StmtKind::Live(var) | StmtKind::Dead(var) => self.kill_all(&mut live, *var),
                StmtKind::Assert { cond: e, .. } | StmtKind::Assume(e) => {
                    self.matters(at);
                    self.uses(at, &mut live, e, Use::Decides);
                }
                // Code that nobody sees may look at anything.
                StmtKind::Havoc { .. } => {
                    self.matters(at);
                    live.local.fill(u64::MAX);
                    live.global.fill(u64::MAX);
                }
            }
            self.pin(func, &mut live);
            visit(&live);
        }
        self.drop_unkept(func, &mut live);
        live
    }
    /// What is held only to the end of a block is known in no other.
    fn drop_unkept(&self, func: FuncId, live: &mut Live) {
        let regs = self.layout.regs[func] as usize;
        for (n, cell) in self.layout.locals[func].iter().enumerate() {
            if cell.kind == Kind::Top {
                put(&mut live.local, (regs + n) as u32, false);
            }
        }
        for (n, cell) in self.layout.globals.iter().enumerate() {
            if cell.kind == Kind::Top {
                put(&mut live.global, n as u32, false);
            }
        }
    }
    /// What is live after the operands of a branch were read.
    fn after(&self, func: FuncId, block: BlockId, body: &Body, live: &mut Live) {
        let entries = &self.entries[func];
        match &body.blocks[block].branch {
            Branch::Call { callee, next, .. } => {
                if let Some(next) = next {
                    live.local.clone_from(&entries[*next].local);
                }
                // `longjmp` in a callee comes back to after any `setjmp` of this function.
                for b in body.blocks.iter() {
                    if let Branch::Call {
                        callee: Callee::Direct(f),
                        next: Some(next),
                        ..
                    } = &b.branch
                        && super::jumps::is_setjmp(self.program, *f)
                    {
                        join(&mut live.local, &entries[*next].local);
                    }
                }
                let (targets, outside) = self.points_to.callees(func, block, callee);
                let mut hidden = outside;
                for target in targets {
                    let f = &self.program.funcs[target];
                    if f.body.is_none() {
                        hidden = true;
                        if super::jumps::is_longjmp(self.program, target) {
                            join(&mut live.global, &self.jumped);
                        }
                        continue;
                    }
                    // Its own variables are new when it starts.
                    let mut inside = self.entries[target][Body::ENTRY].global.clone();
                    for var in &self.layout.exposed[target] {
                        for slot in &self.layout.vars[*var] {
                            if let Home::Global(n) = slot.home {
                                put(&mut inside, n, false);
                            }
                        }
                    }
                    join(&mut live.global, &inside);
                }
                if let Some(next) = next.filter(|_| hidden) {
                    join(&mut live.global, &entries[next].global);
                }
                // The call sets register 0.
                put(&mut live.local, RESULT.index() as u32, false);
            }
            Branch::Return(_) => {
                join(&mut live.global, &self.exits[func]);
                if let Some(exit) = self.exit {
                    join(&mut live.global, &self.entries[exit][Body::ENTRY].global);
                }
                for var in &self.layout.exposed[func] {
                    self.kill_all(live, *var);
                }
            }
            branch => branch.for_each_successor(|next| live.join(&entries[next])),
        }
    }
    fn pin(&self, func: FuncId, live: &mut Live) {
        for (of, n) in &self.pinned {
            match of {
                None => put(&mut live.global, *n, true),
                Some(f) if *f == func => put(&mut live.local, *n, true),
                Some(_) => {}
            }
        }
    }
    /// Nothing that a variable holds is live.
    fn kill_all(&self, live: &mut Live, var: VarId) {
        for slot in &self.layout.vars[var] {
            live.put(slot.home, false);
        }
    }
    /// A write to a known part of a variable ends the life of what was there.
    fn kill(&self, live: &mut Live, place: &Place) {
        if let Base::Var(var) = place.base
            && let Some((from, to)) = bits(self.program, place)
        {
            for slot in &self.layout.vars[var] {
                let start = i128::from(slot.cell.bit_offset);
                if from <= start && start + i128::from(slot.bits) <= to {
                    live.put(slot.home, false);
                }
            }
        }
    }
}

/// The bits of its variable that a place takes, if that is known.
pub fn bits(program: &Program, place: &Place) -> Option<(i128, i128)> {
    let Base::Var(var) = place.base else {
        return None;
    };
    let types = &program.types;
    let mut ty = program.vars[var].ty;
    let mut from = 0i128;
    for step in &place.path {
        match step {
            Step::Field(n) => {
                let field = &types.records[types.as_record(ty)?].fields[*n as usize];
                from += i128::from(field.bit_offset);
                ty = field.ty;
            }
            Step::Index(e) => {
                let Type::Array { elem, len } = types[ty] else {
                    return None;
                };
                let n = e.as_int().filter(|n| (0..i128::from(len)).contains(n))?;
                from += n * i128::from(types.size_of(elem)) * 8;
                ty = elem;
            }
        }
    }
    let size = match types.as_int(ty) {
        Some(int) => i128::from(int.bits),
        None => i128::from(types.size_of(ty)) * 8,
    };
    Some((from, from + size))
}
