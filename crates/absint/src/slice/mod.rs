//! Slicing backwards from what a label map shows (Weiser 1984; Bandera's use for models): the
//! statements and conditions that decide which labelled event comes next, through calls,
//! returns and pointers. Whatever the order of statements is, a value matters everywhere or
//! nowhere.
//!
//! The end of the program is an event too. Whether a loop that matters to nobody ever ends does
//! not count.

mod apply;
mod depend;
mod leaves;
mod path;
mod unions;
mod uses;
mod values;

pub(crate) use depend::Dependence;
pub(crate) use leaves::{Fields, Leaf, LeafId, LeafSet, Leaves, Site};
pub use path::{CellKey, path_cells};
pub(crate) use uses::Uses;
pub use values::value_cells;

use crate::machine::{
    at_all_places, ends_program, mentions_operands, places, shows_events, values,
};
use crate::map::{Event, LabelMap, Rule, Seen, instances};
use cwolf_base::IndexVec;
use cwolf_cwi::graph::{Analysed, Object};
use cwolf_cwi::{
    Base, BlockId, Body, Branch, Callee, Definition, Expr, ExprKind, FuncId, Linkage, Place,
    Program, RESULT, StmtKind, VarKind,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// What decides which labelled event comes next.
pub struct Slice<'p> {
    pub(crate) leaves: Leaves<'p>,
    /// What holds values that matter.
    pub(crate) relevant: LeafSet,
    /// Statements and branches that matter.
    pub(crate) sites: BTreeSet<Site>,
    /// The functions that can be reached.
    pub(crate) reached: Vec<FuncId>,
    callers: FxHashMap<FuncId, Vec<(FuncId, BlockId)>>,
}

impl<'p> Slice<'p> {
    /// The slice for all events of a map, in a program that starts at `entry`.
    pub(crate) fn new(
        program: &'p Analysed,
        entry: FuncId,
        labels: &LabelMap,
        fields: Fields,
    ) -> Slice<'p> {
        let mut slicer = Slicer::seeded(program, &[entry], labels, fields);
        slicer.run();
        slicer.slice
    }
    /// The slice for all events of a map: right for every program.
    pub fn of(program: &'p Analysed, entry: FuncId, labels: &LabelMap) -> Slice<'p> {
        Slice::new(program, entry, labels, Fields::Any)
    }
    /// The cells of variables that matter.
    fn cells(&self) -> BTreeSet<CellKey> {
        let cell = |leaf| match self.leaves.get(leaf) {
            Leaf::Cell(var, path) => Some((*var, path.clone())),
            _ => None,
        };
        self.relevant.iter().filter_map(cell).collect()
    }
    /// The calls that may enter a function.
    pub(crate) fn callers(&self, func: FuncId) -> &[(FuncId, BlockId)] {
        self.callers.get(&func).map_or(&[], |list| &list[..])
    }
    /// The lines of the program that matter, by file.
    pub fn lines(&self, program: &Analysed) -> Vec<(String, BTreeSet<u32>)> {
        let mut found: Vec<(String, BTreeSet<u32>)> = Vec::new();
        for site in &self.sites {
            let body = program.funcs[site.func].body.as_ref();
            let Some(block) = body.map(|b| &b.blocks[site.block]) else {
                continue;
            };
            let loc = block.stmts.get(site.index).map_or(block.loc, |s| s.loc);
            if program.locations.is_library(loc) {
                continue;
            }
            let loc = program.locations[loc];
            let file = program.locations.file_name(loc.file);
            match found.iter_mut().find(|(name, _)| name == file) {
                Some((_, lines)) => drop(lines.insert(loc.line)),
                None => found.push((file.to_owned(), BTreeSet::from([loc.line]))),
            }
        }
        found.sort();
        found
    }
}

/// The cells that decide how deep functions call themselves: without them a model has no end.
pub fn recursion_cells(program: &Analysed, entry: FuncId) -> BTreeSet<CellKey> {
    let calls = program.calls();
    let reached = calls.reachable(&[entry]).into_iter();
    let recursive: Vec<FuncId> = reached.filter(|f| calls.is_recursive(*f)).collect();
    if recursive.is_empty() {
        return BTreeSet::new();
    }
    let labels = LabelMap {
        rules: vec![Rule {
            event: Event::Call(recursive),
            when: None,
            label: Vec::new(),
        }],
    };
    Slice::new(program, entry, &labels, Fields::ByType).cells()
}

/// Whether some functions, or what they call, may show an event of a map or end the program when code outside calls them.
pub fn may_show(program: &Analysed, called: &[FuncId], labels: &LabelMap) -> bool {
    let named = |rule: &Rule| match &rule.event {
        Event::Call(funcs) | Event::Return(funcs) => called.iter().any(|f| funcs.contains(f)),
        _ => false,
    };
    labels.rules.iter().any(named)
        || Slicer::seeded(program, called, labels, Fields::Any).has_events
}

/// Which functions may end the program instead of returning; `called` says which a block calls.
pub(crate) fn ends(
    program: &Program,
    called: &dyn Fn((FuncId, BlockId)) -> Vec<FuncId>,
) -> IndexVec<FuncId, bool> {
    let own = |(id, f): (FuncId, &cwolf_cwi::Function)| match &f.body {
        None => f.noreturn || ends_program(program, id),
        Some(body) => body.blocks.iter().any(|b| match &b.branch {
            Branch::Halt(_) | Branch::Unreachable(_) => true,
            Branch::Call { next, .. } => next.is_none(),
            _ => false,
        }),
    };
    let mut ends: IndexVec<FuncId, bool> = program.funcs.enumerate().map(own).collect();
    loop {
        let mut changed = false;
        for (func, f) in program.funcs.enumerate() {
            let mut blocks = f.body.iter().flat_map(|b| b.blocks.ids());
            if !ends[func] && blocks.any(|b| called((func, b)).iter().any(|f| ends[*f])) {
                ends[func] = true;
                changed = true;
            }
        }
        if !changed {
            return ends;
        }
    }
}

struct Slicer<'p> {
    program: &'p Analysed,
    slice: Slice<'p>,
    ends: IndexVec<FuncId, bool>,
    /// Where leaves are written; parameters by calls.
    writers: FxHashMap<LeafId, Vec<Site>>,
    dependence: FxHashMap<FuncId, Dependence>,
    blocks: FxHashSet<(FuncId, BlockId)>,
    new_leaves: Vec<LeafId>,
    new_blocks: Vec<(FuncId, BlockId)>,
    /// Whether anything is seen, or the program ends somewhere.
    has_events: bool,
}

impl<'p> Slicer<'p> {
    /// The events of a map in a program that starts at one of some functions.
    fn seeded(
        program: &'p Analysed,
        starts: &[FuncId],
        labels: &LabelMap,
        fields: Fields,
    ) -> Slicer<'p> {
        let mut slicer = Slicer {
            program,
            slice: Slice {
                leaves: Leaves::new(program, fields),
                relevant: LeafSet::default(),
                sites: BTreeSet::new(),
                reached: program.calls().reachable(starts),
                callers: FxHashMap::default(),
            },
            ends: ends(program, &|(func, block)| match &program.funcs[func].body {
                Some(body) => match &body.blocks[block].branch {
                    Branch::Call { callee, .. } => {
                        program.points_to().callees(func, block, callee).0
                    }
                    _ => Vec::new(),
                },
                None => Vec::new(),
            }),
            writers: FxHashMap::default(),
            dependence: FxHashMap::default(),
            blocks: FxHashSet::default(),
            new_leaves: Vec::new(),
            new_blocks: Vec::new(),
            has_events: false,
        };
        slicer.index();
        slicer.seed(labels);
        slicer
    }
    fn body(&self, func: FuncId) -> Option<&'p Body> {
        self.program.funcs[func].body.as_ref()
    }
    /// Finds out where everything is written.
    fn index(&mut self) {
        for func in self.slice.reached.clone() {
            let Some(body) = self.body(func) else {
                continue;
            };
            for (block, code) in body.blocks.enumerate() {
                for (index, stmt) in code.stmts.iter().enumerate() {
                    let leaves = &mut self.slice.leaves;
                    let written = match &stmt.kind {
                        StmtKind::Assign(place, _) => leaves.place(func, block, place),
                        StmtKind::SetReg(RESULT, _) => Vec::new(),
                        StmtKind::SetReg(reg, _) => vec![leaves.register(func, block, *reg)],
                        StmtKind::Havoc { ptr, .. } => {
                            let changed =
                                self.program.points_to().changed_outside(func, block, ptr);
                            changed.into_iter().flat_map(|o| leaves.object(o)).collect()
                        }
                        _ => Vec::new(),
                    };
                    self.written(Site { func, block, index }, written);
                }
                if let Branch::Call { callee, args, .. } = &code.branch {
                    self.index_call(func, block, callee, args);
                }
            }
        }
    }
    fn written(&mut self, site: Site, leaves: Vec<LeafId>) {
        for leaf in leaves {
            self.writers.entry(leaf).or_default().push(site);
        }
    }
    fn index_call(&mut self, func: FuncId, block: BlockId, callee: &Callee, args: &[Expr]) {
        let (targets, outside) = self.program.points_to().callees(func, block, callee);
        let site = Site::branch(self.program, func, block);
        let mut open = outside;
        for target in targets {
            let callers = self.slice.callers.entry(target).or_default();
            callers.push((func, block));
            let function = &self.program.funcs[target];
            if function.body.is_some() {
                for param in &function.params {
                    let leaves = self.slice.leaves.variable(*param);
                    self.written(site, leaves);
                }
                continue;
            }
            match self.program.known(target) {
                Some(row) if row.writes_only_args() => {
                    let mut through: Vec<&Expr> = row
                        .writes_args()
                        .into_iter()
                        .filter_map(|n| args.get(n))
                        .collect();
                    if row.formatted().is_some() {
                        through = args.iter().collect();
                    }
                    for arg in through {
                        for object in self.slice.leaves.behind(func, block, arg) {
                            let leaves = self.slice.leaves.object(object);
                            self.written(site, leaves);
                        }
                    }
                }
                Some(row) if row.is_event() || (row.chooses() && !row.changes_memory()) => {}
                _ => open = true,
            }
        }
        if open {
            self.index_unknown(site, args);
        }
    }
    /// Code that nobody sees may write what its arguments lead to, what it was given before, and
    /// variables that it can name.
    fn index_unknown(&mut self, site: Site, args: &[Expr]) {
        let points_to = self.program.points_to();
        let mut objects: BTreeSet<Object> = points_to.escaped().into_iter().collect();
        for arg in args {
            objects.extend(points_to.reachable(site.func, site.block, arg));
        }
        let shared = self.program.vars.enumerate().filter(|(_, v)| {
            v.kind == VarKind::Global && v.linkage == Linkage::External && !v.constant
        });
        objects.extend(shared.map(|(id, _)| Object::Var(id)));
        for object in objects {
            let leaves = self.slice.leaves.object(object);
            self.written(site, leaves);
        }
    }
    /// Everything that is seen matters.
    fn seed(&mut self, labels: &LabelMap) {
        let mut read = Vec::new();
        for rule in &labels.rules {
            // What depends on a call or return is read at each of them.
            if !mentions_operands(rule) {
                places(rule, &mut |place| {
                    let all = instances(self.program, place).into_iter();
                    read.extend(all.map(|place| (FuncId(0), Body::ENTRY, place)));
                });
                continue;
            }
            for (func, block, rule) in at_all_places(self.program, rule) {
                places(&rule, &mut |place| read.push((func, block, place.clone())));
                for e in values(&rule) {
                    let leaves = self.slice.leaves.reads(func, block, e);
                    self.need(leaves);
                }
            }
        }
        for (func, block, place) in read {
            let leaves = self.slice.leaves.place(func, block, &place);
            self.need(leaves);
        }
        let seen: Vec<FxHashSet<LeafId>> = (labels.rules.iter())
            .map(|rule| match &rule.event {
                Event::Read(seen) | Event::Write(seen) | Event::Watch(seen, _) => {
                    self.spot_leaves(seen)
                }
                _ => FxHashSet::default(),
            })
            .collect();
        let watches = |event: &Event| matches!(event, Event::Write(_) | Event::Watch(..));
        let status = labels
            .rules
            .iter()
            .any(|r| matches!(r.event, Event::Exit(Some(_))));
        let all = labels.rules.is_empty() && !shows_events(self.program);
        for func in self.slice.reached.clone() {
            let Some(body) = self.body(func) else {
                continue;
            };
            for (block, code) in body.blocks.enumerate() {
                for (index, stmt) in code.stmts.iter().enumerate() {
                    let mut rules = labels.rules.iter().zip(&seen);
                    let seen = rules.any(|(rule, wanted)| match &rule.event {
                        Event::Read(_) => {
                            let mut found = false;
                            stmt.kind.for_each_expr(&mut |e| {
                                found |= self.reads_spot(func, block, e, wanted);
                            });
                            found
                        }
                        Event::Exec(files, line) => self.is_at(stmt.loc, files, *line),
                        event if watches(event) => match &stmt.kind {
                            StmtKind::Assign(place, _) => {
                                self.is_spot(func, block, place, (event, wanted))
                            }
                            _ => false,
                        },
                        _ => false,
                    });
                    self.has_events |= seen;
                    // A path may be cut there.
                    if seen || matches!(stmt.kind, StmtKind::Assume(_)) {
                        self.site(Site { func, block, index });
                    }
                }
                if all {
                    self.every_branch(func, block, &code.branch);
                }
                if self.is_event(func, block, code, (labels, &seen)) {
                    self.has_events = true;
                    self.block(func, block);
                    self.slice
                        .sites
                        .insert(Site::branch(self.program, func, block));
                    self.need_callee(func, block, &code.branch);
                }
                match &code.branch {
                    Branch::Halt(e) if status => {
                        let leaves = self.slice.leaves.reads(func, block, e);
                        self.need(leaves);
                    }
                    Branch::Return(Some(e)) if status && self.slice.callers(func).is_empty() => {
                        let leaves = self.slice.leaves.reads(func, block, e);
                        self.need(leaves);
                    }
                    _ => {}
                }
            }
        }
    }
    /// Where nothing is seen, the way that control takes is all there is.
    fn every_branch(&mut self, func: FuncId, block: BlockId, branch: &Branch) {
        if let Branch::If { cond: e, .. } | Branch::Switch { on: e, .. } = branch {
            self.block(func, block);
            self.slice
                .sites
                .insert(Site::branch(self.program, func, block));
            let reads = self.slice.leaves.reads(func, block, e);
            self.need(reads);
        }
    }
    /// Who is called, what a call assumes, and which event it is.
    fn need_callee(&mut self, func: FuncId, block: BlockId, branch: &Branch) {
        let Branch::Call { callee, args, .. } = branch else {
            return;
        };
        let mut reads = Vec::new();
        match callee {
            Callee::Indirect(e) => reads.extend(self.slice.leaves.reads(func, block, e)),
            Callee::Direct(f) => {
                let row = self.program.known(*f);
                if row.is_some_and(|row| row.assumes().is_some() || row.is_event()) {
                    for arg in args {
                        reads.extend(self.slice.leaves.reads(func, block, arg));
                    }
                }
            }
        }
        self.need(reads);
    }
    fn is_at(&self, loc: cwolf_cwi::LocId, files: &[cwolf_cwi::FileId], line: u32) -> bool {
        let loc = self.program.locations[loc];
        loc.line == line && files.contains(&loc.file)
    }
    fn spot_leaves(&mut self, seen: &Seen) -> FxHashSet<LeafId> {
        let mut leaves: FxHashSet<LeafId> = FxHashSet::default();
        for spot in &seen.fixed {
            for leaf in self.slice.leaves.variable(spot.var) {
                let there = match self.slice.leaves.get(leaf) {
                    Leaf::Cell(var, path) if spot.to - spot.from <= 128 => {
                        let mut bits = spot.from..spot.to;
                        bits.any(|bit| self.slice.leaves.is_at(*var, path, bit))
                    }
                    _ => true,
                };
                if there {
                    leaves.insert(leaf);
                }
            }
        }
        for place in &seen.through {
            let more = self.slice.leaves.place(FuncId(0), Body::ENTRY, place);
            leaves.extend(more);
        }
        leaves
    }
    fn reads_spot(
        &mut self,
        func: FuncId,
        block: BlockId,
        e: &Expr,
        wanted: &FxHashSet<LeafId>,
    ) -> bool {
        let reads = self.slice.leaves.reads(func, block, e);
        reads.iter().any(|l| wanted.contains(l))
    }
    fn is_spot(
        &mut self,
        func: FuncId,
        block: BlockId,
        place: &Place,
        (event, wanted): (&Event, &FxHashSet<LeafId>),
    ) -> bool {
        let (Event::Write(spots) | Event::Watch(spots, _)) = event else {
            return false;
        };
        // Most writes are to other variables.
        if let Base::Var(var) = place.base
            && spots.through.is_empty()
            && !spots.fixed.iter().any(|s| s.var == var)
        {
            return false;
        }
        let written = self.slice.leaves.place(func, block, place);
        written.iter().any(|l| wanted.contains(l))
    }
    /// Whether a branch is seen, or ends the program.
    fn is_event(
        &mut self,
        func: FuncId,
        block: BlockId,
        code: &cwolf_cwi::Block,
        (labels, seen): (&LabelMap, &[FxHashSet<LeafId>]),
    ) -> bool {
        let mut targets = Vec::new();
        match &code.branch {
            Branch::Halt(_) => return true,
            Branch::Unreachable(cwolf_cwi::Unreachable::Trap) => return true,
            Branch::Call { callee, .. } => {
                targets = self.program.points_to().callees(func, block, callee).0;
            }
            _ => {}
        }
        let absent = |f: &FuncId| {
            let function = &self.program.funcs[*f];
            let row = self.program.known(*f);
            let stops = row.is_some_and(|r| r.is_event() || r.assumes().is_some());
            stops || function.noreturn || ends_program(self.program, *f)
        };
        if targets.iter().any(absent) {
            return true;
        }
        for (rule, wanted) in labels.rules.iter().zip(seen) {
            let hit = match &rule.event {
                Event::Call(funcs) => targets.iter().any(|t| funcs.contains(t)),
                Event::Return(funcs) => match &code.branch {
                    Branch::Return(_) => funcs.contains(&func),
                    _ => {
                        let outside = |t: &FuncId| self.program.funcs[*t].body.is_none();
                        targets.iter().any(|t| funcs.contains(t) && outside(t))
                    }
                },
                Event::Exec(files, line) => self.is_at(code.loc, files, *line),
                Event::Read(_) => {
                    let mut found = false;
                    code.branch.for_each_expr(&mut |e| {
                        found |= self.reads_spot(func, block, e, wanted);
                    });
                    found
                }
                Event::Write(seen) | Event::Watch(seen, _) => targets.iter().any(|t| {
                    let params = &self.program.funcs[*t].params;
                    seen.fixed.iter().any(|s| params.contains(&s.var))
                        || (!seen.through.is_empty() && {
                            let mut own = params.iter();
                            own.any(|p| {
                                let leaves = self.slice.leaves.variable(*p);
                                leaves.into_iter().any(|l| wanted.contains(&l))
                            })
                        })
                }),
                _ => false,
            };
            if hit {
                return true;
            }
        }
        false
    }
    fn need(&mut self, leaves: Vec<LeafId>) {
        for leaf in leaves {
            if self.slice.relevant.insert(leaf) {
                self.new_leaves.push(leaf);
            }
        }
    }
    fn block(&mut self, func: FuncId, block: BlockId) {
        if self.blocks.insert((func, block)) {
            self.new_blocks.push((func, block));
        }
    }
    fn run(&mut self) {
        loop {
            if let Some(leaf) = self.new_leaves.pop() {
                self.leaf(leaf);
            } else if let Some((func, block)) = self.new_blocks.pop() {
                self.decided(func, block);
            } else {
                return;
            }
        }
    }
    /// Everything that gives a leaf its value matters.
    fn leaf(&mut self, leaf: LeafId) {
        for site in self.writers.get(&leaf).cloned().unwrap_or_default() {
            self.site(site);
            self.argument(site, leaf);
        }
        match *self.slice.leaves.get(leaf) {
            Leaf::Result(func, block) => self.result(func, block),
            Leaf::Return(func) => {
                let Some(body) = self.body(func) else { return };
                for (block, code) in body.blocks.enumerate() {
                    if let Branch::Return(Some(e)) = &code.branch {
                        let reads = self.slice.leaves.reads(func, block, e);
                        self.need(reads);
                        self.site(Site::branch(self.program, func, block));
                    }
                }
            }
            _ => {}
        }
    }
    /// If a call gives a parameter its value, the argument matters.
    fn argument(&mut self, site: Site, leaf: LeafId) {
        let Leaf::Cell(var, _) = *self.slice.leaves.get(leaf) else {
            return;
        };
        let VarKind::Param(target) = self.program.vars[var].kind else {
            return;
        };
        let Some(body) = self.body(site.func) else {
            return;
        };
        let code = &body.blocks[site.block];
        if site.index < code.stmts.len() {
            return;
        }
        let Branch::Call { callee, args, .. } = &code.branch else {
            return;
        };
        let params = &self.program.funcs[target].params;
        let position = params.iter().position(|p| *p == var);
        if let Some(arg) = position.and_then(|n| args.get(n)) {
            let reads = self.slice.leaves.reads(site.func, site.block, arg);
            self.need(reads);
        }
        if let Callee::Indirect(e) = callee {
            let reads = self.slice.leaves.reads(site.func, site.block, e);
            self.need(reads);
        }
    }
    /// What a call returns comes from the return statements of all that it may have called.
    fn result(&mut self, func: FuncId, block: BlockId) {
        let Some(body) = self.body(func) else { return };
        for (before, code) in body.blocks.enumerate() {
            if !code.branch.successors().contains(&block) {
                continue;
            }
            let set = |k: &StmtKind| matches!(k, StmtKind::SetReg(RESULT, _));
            if let Branch::Call { callee, .. } = &code.branch {
                let (targets, _) = self.program.points_to().callees(func, before, callee);
                self.site(Site::branch(self.program, func, before));
                for target in targets {
                    let leaf = self.slice.leaves.intern(Leaf::Return(target));
                    self.need(vec![leaf]);
                }
            } else if let Some(index) = code.stmts.iter().rposition(|s| set(&s.kind)) {
                self.site(Site {
                    func,
                    block: before,
                    index,
                });
            } else {
                let leaf = self.slice.leaves.intern(Leaf::Result(func, before));
                self.need(vec![leaf]);
            }
        }
    }
    /// A statement or branch matters: so does what it reads, and whether control comes there.
    fn site(&mut self, site: Site) {
        let Site { func, block, index } = site;
        if !self.slice.sites.insert(site) {
            return;
        }
        self.block(func, block);
        let Some(body) = self.body(func) else { return };
        if let Some(stmt) = body.blocks[block].stmts.get(index) {
            let mut reads = Vec::new();
            stmt.kind.for_each_expr(&mut |e| {
                reads.extend(self.slice.leaves.reads(func, block, e));
            });
            self.need(reads);
        }
    }
    /// Whether control comes to a block matters.
    fn decided(&mut self, func: FuncId, block: BlockId) {
        let Some(body) = self.body(func) else { return };
        let (program, ends) = (self.program, &self.ends);
        let dependence = self.dependence.entry(func).or_insert_with(|| {
            Dependence::new(body, |b| match &body.blocks[b].branch {
                Branch::Call { callee, .. } => {
                    let (targets, _) = program.points_to().callees(func, b, callee);
                    targets.iter().any(|f| ends[*f])
                }
                _ => false,
            })
        });
        for branch in dependence.of(block).to_vec() {
            self.slice.sites.insert(Site::branch(program, func, branch));
            self.block(func, branch);
            let (Branch::If { cond: e, .. } | Branch::Switch { on: e, .. }) =
                &body.blocks[branch].branch
            else {
                continue;
            };
            let reads = self.slice.leaves.reads(func, branch, e);
            self.need(reads);
        }
        for (caller, at) in self.slice.callers(func).to_vec() {
            self.slice.sites.insert(Site::branch(program, caller, at));
            self.block(caller, at);
            let code = self.body(caller).map(|b| &b.blocks[at].branch);
            if let Some(Branch::Call {
                callee: Callee::Indirect(e),
                ..
            }) = code
            {
                let reads = self.slice.leaves.reads(caller, at, e);
                self.need(reads);
            }
        }
    }
}

/// Whether a variable is one of those that hold what a map can say something about.
pub(crate) fn is_kept(program: &Analysed, var: cwolf_cwi::VarId) -> bool {
    let v = &program.vars[var];
    let known = v.kind.is_automatic() || v.definition != Definition::Declared;
    known && !v.volatile && !matches!(v.kind, VarKind::Temp(_) | VarKind::Literal)
}

/// The constant that an expression is, through casts.
pub(crate) fn constant(e: &Expr) -> Option<i128> {
    match &e.kind {
        ExprKind::Cast(inner) => constant(inner),
        _ => e.as_int(),
    }
}
