//! What pointers may point to: Andersen's analysis, inclusion constraints whatever the order of
//! statements; over whole variables, or with the fields of structs told apart.
//!
//! Sound for C's pointers: integers carry pointers too, so a cast there and back loses nothing.
//! *Outside* stands for all that the program does not show: what functions without a body
//! return, what variables defined elsewhere hold, and every object that has *escaped* to them.
//! As in all engines, a function without a body reaches what its arguments lead to, and nothing
//! else; what else it may reach, the code that stands for it says.

mod chosen;
mod collect;
mod layout;

pub use collect::known;

use crate::code::{Base, BlockId, Callee, Expr, FuncId, Place, RegId, VarId};
use crate::program::{Definition, Linkage, Origin, Program};
use crate::types::{TypeId, Types};
use collect::At;
use cwolf_base::{IndexVec, strong_components};
use layout::{Layout, Shift};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, VecDeque};

/// Something that a pointer may point to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Object {
    /// A variable or a part of it.
    Var(VarId),
    /// A function.
    Func(FuncId),
    /// What a call of an allocation function made: the caller and the block of the call.
    Heap(FuncId, BlockId),
    /// The unnamed arguments of a function.
    VarArgs(FuncId),
    /// Anything that escaped, or that the program does not show.
    Outside,
}

impl Object {
    /// The variables of a program that it may be; allocated objects have variables of their own in models.
    pub fn variables(self, program: &Program) -> Vec<VarId> {
        match self {
            Object::Var(var) => vec![var],
            Object::Heap(func, block) => program.heap.made_by(func, block).collect(),
            _ => Vec::new(),
        }
    }
}

/// An object or a set of pointers, by number.
type Node = u32;
/// The number of [`Object::Outside`].
const OUTSIDE: u32 = 0;
/// The set of everything that escaped.
const ESCAPED: Node = 0;

/// Where through a pointer, and how many bytes.
#[derive(Clone, Copy, Debug)]
struct Access {
    shift: Shift,
    size: u64,
}

/// An argument of a call: the pointers in it, if there are any, and whether it has room for one.
#[derive(Clone, Copy, Debug)]
struct Argument {
    node: Option<Node>,
    wide: bool,
}

impl Argument {
    /// The pointers that code outside gets by it.
    fn escaping(&self) -> Option<Node> {
        self.node.filter(|_| self.wide)
    }
}

/// A call through a pointer.
struct Indirect {
    args: Vec<Argument>,
    /// Where its result arrives.
    result: Option<Node>,
}

/// How precise the analysis is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Precision {
    /// Andersen's: every assignment flows one way; the fields of an object are one.
    #[default]
    Inclusion,
    /// The same with the fields of structs told apart; elements of an array are one.
    Fields,
    /// Das' one-level flow: assignments flow one way, but what the objects that one pointer may
    /// point to hold is one set. Cheaper and coarser.
    OneLevel,
}

/// What pointers may be that the program's own code chooses, or makes of numbers that nobody knows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Chosen {
    /// Memory outside the program.
    #[default]
    Outside,
    /// That, or an object that such a pointer is compared with.
    Compared,
    /// Any address at all: also that of any object whose address the program takes. A literal is
    /// meant only where it is compared: there are many, and nobody else knows where they are.
    Anywhere,
}

/// The result of the analysis.
pub struct PointsTo {
    precision: Precision,
    mode: Chosen,
    /// What the pointers chosen in a block may point to, beside the outside.
    choices: FxHashMap<At, Node>,
    /// The same of all pointers, where they may be anything.
    any_choice: Node,
    /// Objects that only mark which choice a pointer may come from: the set of that choice.
    marks: BTreeMap<u32, Node>,
    /// Objects whose address the program takes.
    taken: Vec<u32>,
    /// Sets of numbers that are made pointers.
    made: Vec<(At, Node)>,
    /// Which types are pointers, and which functions are the program's own.
    pointers: IndexVec<TypeId, bool>,
    own: IndexVec<FuncId, bool>,
    /// Sets of pointers that are compared with each other.
    compared: Vec<(Node, Node)>,
    /// The types of the program and of its variables, if fields are told apart.
    types: Option<(Types, IndexVec<VarId, TypeId>)>,
    /// Objects that there are.
    bases: Vec<Object>,
    base_ids: FxHashMap<Object, u32>,
    /// By base.
    layouts: Vec<Layout>,
    is_escaped: Vec<bool>,
    /// What each cell of a base holds: a node.
    cells: Vec<Vec<Node>>,
    /// What sets have as members: a base and an offset.
    members: Vec<(u32, u32)>,
    member_ids: FxHashMap<(u32, u32), u32>,
    /// Rising numbers of objects.
    sets: Vec<Vec<u32>>,
    /// Nodes that turned out to be the same.
    same_as: Vec<Node>,
    /// Sets that include this one.
    copies: Vec<Vec<Node>>,
    /// `.1 ⊇ *this`
    loads: Vec<Vec<(Access, Node)>>,
    /// `*this ⊇ .1`
    stores: Vec<Vec<(Access, Node)>>,
    /// `.1 ⊇ this`, each pointer moved
    shifts: Vec<Vec<(Shift, Node)>>,
    /// Calls through this set.
    called: Vec<Vec<u32>>,
    indirect: Vec<Indirect>,
    /// Members that the constraints above have seen.
    done: Vec<Vec<u32>>,
    /// The cells of each parameter.
    params: IndexVec<FuncId, Vec<Vec<Node>>>,
    returns: IndexVec<FuncId, Node>,
    /// Register 0 at the start of a block that calls lead to.
    results: FxHashMap<(FuncId, BlockId), Node>,
    regs: FxHashMap<(FuncId, RegId), Node>,
    with_body: IndexVec<FuncId, bool>,
    var_args: IndexVec<FuncId, u32>,
    edges: FxHashSet<(Node, Node)>,
    work: VecDeque<Node>,
    queued: Vec<bool>,
}

impl PointsTo {
    /// Analyses the whole program.
    pub fn new(program: &Program) -> PointsTo {
        PointsTo::with(program, Precision::Inclusion)
    }

    /// Analyses the whole program with some precision.
    pub fn with(program: &Program, precision: Precision) -> PointsTo {
        PointsTo::choosing(program, precision, Chosen::default())
    }

    /// Analyses the whole program, where chosen pointers are what `chosen` says.
    pub fn choosing(program: &Program, precision: Precision, chosen: Chosen) -> PointsTo {
        PointsTo::with_patience(program, precision, chosen, 4)
    }

    /// Analyses the program, looking for circles of copies after `patience` rounds.
    pub(super) fn with_patience(
        program: &Program,
        precision: Precision,
        mode: Chosen,
        patience: usize,
    ) -> PointsTo {
        let mut this = PointsTo {
            precision,
            mode,
            choices: FxHashMap::default(),
            any_choice: ESCAPED,
            marks: BTreeMap::new(),
            taken: Vec::new(),
            made: Vec::new(),
            compared: Vec::new(),
            pointers: program
                .types
                .enumerate()
                .map(|(_, ty)| matches!(ty, crate::Type::Pointer(_)))
                .collect(),
            own: program
                .funcs
                .iter()
                .map(|f| f.origin == Origin::Program)
                .collect(),
            types: (precision == Precision::Fields).then(|| {
                let vars = program.vars.iter().map(|v| v.ty).collect();
                (program.types.clone(), vars)
            }),
            bases: Vec::new(),
            base_ids: FxHashMap::default(),
            layouts: Vec::new(),
            is_escaped: Vec::new(),
            cells: Vec::new(),
            members: Vec::new(),
            member_ids: FxHashMap::default(),
            sets: Vec::new(),
            same_as: Vec::new(),
            copies: Vec::new(),
            loads: Vec::new(),
            stores: Vec::new(),
            shifts: Vec::new(),
            called: Vec::new(),
            indirect: Vec::new(),
            done: Vec::new(),
            params: IndexVec::new(),
            returns: IndexVec::new(),
            results: FxHashMap::default(),
            regs: FxHashMap::default(),
            with_body: program.funcs.iter().map(|f| f.body.is_some()).collect(),
            var_args: IndexVec::new(),
            edges: FxHashSet::default(),
            work: VecDeque::new(),
            queued: Vec::new(),
        };
        let escaped = this.node();
        debug_assert_eq!(escaped, ESCAPED);
        this.object(Object::Outside, None);
        this.any_choice = this.new_choice();
        // Reading the outside gives what escaped, for which it stands itself.
        let outside = this.cells[OUTSIDE as usize][0];
        this.include(outside, OUTSIDE);
        this.copy(outside, ESCAPED);
        this.objects_of(program);
        this.collect(program);
        this.roots(program);
        this.solve(patience);
        if mode != Chosen::Outside {
            this.choose(program);
            // What is compared with a chosen pointer may be what it is, and that leads further.
            while this.compare() {
                this.solve(patience);
            }
        }
        this
    }

    fn objects_of(&mut self, program: &Program) {
        for (id, var) in program.vars.enumerate() {
            let layout =
                (self.precision == Precision::Fields).then(|| Layout::new(&program.types, var.ty));
            let object = self.object(Object::Var(id), layout);
            if var.definition == Definition::Declared {
                self.include(ESCAPED, object);
            }
        }
        for (id, func) in program.funcs.enumerate() {
            self.object(Object::Func(id), None);
            let params = func.params.iter().map(|p| self.all_cells(Object::Var(*p)));
            let params = params.collect();
            self.params.push(params);
            let ret = self.node();
            self.returns.push(ret);
            let object = self.object(Object::VarArgs(id), None);
            self.var_args.push(object);
        }
    }

    /// Functions that the outside calls.
    fn roots(&mut self, program: &Program) {
        let main = program.function("main");
        for (id, func) in program.funcs.enumerate() {
            // Without `main` this is a part of a program, and any name may be called.
            let called = match main {
                Some(main) => id == main,
                None => func.linkage == Linkage::External && func.body.is_some(),
            };
            if called {
                self.call_from_outside(id);
            }
        }
    }

    fn call_from_outside(&mut self, func: FuncId) {
        for cell in self.params[func].concat() {
            self.include(cell, OUTSIDE);
        }
        let unnamed = self.unnamed(func);
        self.include(unnamed, OUTSIDE);
        self.copy(self.returns[func], ESCAPED);
    }

    fn node(&mut self) -> Node {
        let node = self.sets.len() as Node;
        self.sets.push(Vec::new());
        self.done.push(Vec::new());
        self.same_as.push(node);
        self.copies.push(Vec::new());
        self.loads.push(Vec::new());
        self.stores.push(Vec::new());
        self.shifts.push(Vec::new());
        self.called.push(Vec::new());
        self.queued.push(false);
        node
    }
    /// The start of an object, new or known.
    fn object(&mut self, object: Object, layout: Option<Layout>) -> u32 {
        if let Some(base) = self.base_ids.get(&object) {
            return self.member_ids[&(*base, 0)];
        }
        let base = self.new_object(object, layout.unwrap_or_else(Layout::whole));
        self.base_ids.insert(object, base);
        self.member(base, 0)
    }
    fn new_object(&mut self, object: Object, layout: Layout) -> u32 {
        let base = self.bases.len() as u32;
        self.bases.push(object);
        self.is_escaped.push(false);
        let cells = layout.cells.iter().map(|_| self.node()).collect();
        self.cells.push(cells);
        self.layouts.push(layout);
        base
    }
    /// A place in an object, as sets have it.
    fn member(&mut self, base: u32, offset: u32) -> u32 {
        if let Some(id) = self.member_ids.get(&(base, offset)) {
            return *id;
        }
        let id = self.members.len() as u32;
        self.members.push((base, offset));
        self.member_ids.insert((base, offset), id);
        id
    }
    /// What all of an object holds.
    fn all_cells(&self, object: Object) -> Vec<Node> {
        let base = self.base_ids.get(&object);
        base.map_or(Vec::new(), |b| self.cells[*b as usize].clone())
    }
    /// From the base of a place to the place, and how many bytes it has.
    fn access(&self, place: &Place) -> Access {
        let Some((types, vars)) = &self.types else {
            return Access {
                shift: Shift::NONE,
                size: 1,
            };
        };
        let ty = match &place.base {
            Base::Var(v) => Some(vars[*v]),
            Base::Deref(pointer) => types.pointee(pointer.ty),
        };
        Access {
            shift: ty.map_or(Shift::ANY, |ty| Shift::to_place(types, place, ty)),
            size: layout::access_size(types, place),
        }
    }
    /// What an access through a pointer to `member` reads or writes.
    fn touched(&self, (base, offset): (u32, u32), access: Access) -> Vec<Node> {
        let layout = &self.layouts[base as usize];
        let cells = layout.touched(layout.moved(offset, access.shift), access.size);
        let all = &self.cells[base as usize];
        cells.into_iter().map(|n| all[n]).collect()
    }
    /// What the unnamed arguments of a function hold.
    fn unnamed(&self, func: FuncId) -> Node {
        let (base, _) = self.members[self.var_args[func] as usize];
        self.cells[base as usize][0]
    }
    fn find(&self, mut node: Node) -> Node {
        while self.same_as[node as usize] != node {
            node = self.same_as[node as usize];
        }
        node
    }
    fn queue(&mut self, node: Node) {
        if !std::mem::replace(&mut self.queued[node as usize], true) {
            // What has escaped early needs no constraints of its own later.
            match node == self.find(ESCAPED) {
                true => self.work.push_front(node),
                false => self.work.push_back(node),
            }
        }
    }
    /// `node ∋ object`
    fn include(&mut self, node: Node, object: u32) {
        let node = self.find(node);
        let set = &mut self.sets[node as usize];
        if let Err(at) = set.binary_search(&object) {
            set.insert(at, object);
            self.queue(node);
        }
    }
    /// `to ⊇ from`
    fn copy(&mut self, from: Node, to: Node) {
        let (from, to) = (self.find(from), self.find(to));
        if from == to || !self.edges.insert((from, to)) {
            return;
        }
        self.copies[from as usize].push(to);
        let set = std::mem::take(&mut self.sets[from as usize]);
        self.flow(&set, to);
        self.sets[from as usize] = set;
    }
    /// Adds objects to a set. One that holds the outside need not list what has escaped.
    fn flow(&mut self, objects: &[u32], to: Node) {
        let set = &self.sets[to as usize];
        let outside = set.first() == Some(&OUTSIDE);
        let escaped = |o: &u32| self.is_escaped[self.members[*o as usize].0 as usize];
        let covered = |o: &u32| outside && escaped(o);
        let new = objects
            .iter()
            .filter(|o| !covered(o) && set.binary_search(o).is_err());
        let new: Vec<u32> = new.copied().collect();
        if !new.is_empty() {
            self.sets[to as usize] = union(set, &new);
            self.queue(to);
        }
    }

    fn solve(&mut self, patience: usize) {
        let mut steps = 0usize;
        self.collapse();
        while let Some(node) = self.work.pop_front() {
            self.queued[node as usize] = false;
            if self.same_as[node as usize] != node {
                continue;
            }
            self.step(node);
            steps += 1;
            // Circles of copies appear while solving; without this they go round and round.
            if steps > patience * self.sets.len() {
                steps = 0;
                self.collapse();
            }
        }
    }

    fn step(&mut self, node: Node) {
        let n = node as usize;
        if self.precision == Precision::OneLevel {
            self.unify_contents(node);
            if self.same_as[n] != node {
                return;
            }
        }
        let seen = std::mem::take(&mut self.done[n]);
        let fresh: Vec<u32> = difference(&self.sets[n], &seen);
        self.done[n] = self.sets[n].clone();
        for &member in &fresh {
            let place = self.members[member as usize];
            let base = place.0;
            // What an escaped object holds has escaped too, so the outside stands for it.
            let outside = member == OUTSIDE || self.is_escaped[base as usize];
            for (access, to) in self.loads[n].clone() {
                match outside {
                    true => self.include(to, OUTSIDE),
                    false => {
                        for cell in self.touched(place, access) {
                            self.copy(cell, to);
                        }
                    }
                }
            }
            for (access, from) in self.stores[n].clone() {
                match outside {
                    true => self.copy(from, ESCAPED),
                    false => {
                        for cell in self.touched(place, access) {
                            self.copy(from, cell);
                        }
                    }
                }
            }
            for (shift, to) in self.shifts[n].clone() {
                let offset = self.layouts[base as usize].moved(place.1, shift);
                let moved = self.member(base, offset);
                self.include(to, moved);
            }
            for call in self.called[n].clone() {
                self.call_object(call, base);
            }
            if node == self.find(ESCAPED) {
                self.escape(base);
            }
        }
        // Copies made before have seen the rest, those made just now have seen all.
        for to in self.copies[n].clone() {
            let to = self.find(to);
            if to != node {
                self.flow(&fresh, to);
            }
        }
    }

    /// What the objects of one set hold becomes one set; the outside has its own.
    fn unify_contents(&mut self, node: Node) {
        let members = self.sets[node as usize].clone();
        let mut first: Option<Node> = None;
        for member in members {
            let (base, _) = self.members[member as usize];
            if member == OUTSIDE || self.is_escaped[base as usize] {
                continue;
            }
            let contents = self.find(self.cells[base as usize][0]);
            match first.map(|f| self.find(f)) {
                Some(one) if one != contents => self.merge(one, contents),
                Some(_) => {}
                None => first = Some(contents),
            }
        }
    }

    /// `object` may be read, written or called by the outside.
    fn escape(&mut self, base: u32) {
        if std::mem::replace(&mut self.is_escaped[base as usize], true) {
            return;
        }
        for cell in self.cells[base as usize].clone() {
            self.include(cell, OUTSIDE);
            self.copy(cell, ESCAPED);
        }
        if let Object::Func(f) = self.bases[base as usize] {
            self.call_from_outside(f);
        }
    }

    fn call_object(&mut self, call: u32, base: u32) {
        let Indirect { args, result } = &self.indirect[call as usize];
        let (args, result) = (args.clone(), *result);
        match self.bases[base as usize] {
            Object::Func(f) => self.call_func(f, &args, result),
            Object::Outside => {
                for arg in args.iter().filter_map(Argument::escaping) {
                    self.copy(arg, ESCAPED);
                }
                if let Some(to) = result {
                    self.include(to, OUTSIDE);
                }
            }
            // No function: such a call is an error of its own.
            _ => {}
        }
    }

    /// Connects a call with a function; arguments past its parameters are the unnamed ones.
    fn call_func(&mut self, func: FuncId, args: &[Argument], result: Option<Node>) {
        let body = self.with_body[func];
        let params = self.params[func].clone();
        for (n, arg) in args.iter().enumerate() {
            let known = if body { arg.node } else { arg.escaping() };
            let Some(arg) = known else {
                continue;
            };
            let to = match params.get(n) {
                _ if !body => vec![ESCAPED],
                Some(cells) => cells.clone(),
                None => vec![self.unnamed(func)],
            };
            for to in to {
                self.copy(arg, to);
            }
        }
        match result {
            Some(to) if body => self.copy(self.returns[func], to),
            Some(to) => self.include(to, OUTSIDE),
            None => {}
        }
    }

    /// Makes one node of each circle of copies.
    fn collapse(&mut self) {
        for list in 0..self.copies.len() {
            let mut to = std::mem::take(&mut self.copies[list]);
            to.iter_mut().for_each(|n| *n = self.find(*n));
            to.sort_unstable();
            to.dedup();
            self.copies[list] = to;
        }
        let component = strong_components(self.sets.len(), |n| &self.copies[n]);
        let mut leader: FxHashMap<u32, Node> = FxHashMap::default();
        for node in 0..self.sets.len() as Node {
            if self.same_as[node as usize] != node {
                continue;
            }
            let first = *leader.entry(component[node as usize]).or_insert(node);
            if first != node {
                self.merge(first, node);
            }
        }
    }

    fn merge(&mut self, into: Node, node: Node) {
        let (a, b) = (into as usize, node as usize);
        self.same_as[b] = into;
        let set = std::mem::take(&mut self.sets[b]);
        self.sets[a] = union(&self.sets[a], &set);
        // What only one of the two has seen, the constraints of the other have not.
        self.done[a] = Vec::new();
        self.done[b] = Vec::new();
        let moved = std::mem::take(&mut self.copies[b]);
        self.copies[a].extend(moved);
        for lists in [&mut self.loads, &mut self.stores] {
            let moved = std::mem::take(&mut lists[b]);
            lists[a].extend(moved);
        }
        let moved = std::mem::take(&mut self.shifts[b]);
        self.shifts[a].extend(moved);
        let moved = std::mem::take(&mut self.called[b]);
        self.called[a].extend(moved);
        self.queue(into);
    }

    fn members_in(&self, node: Node) -> Vec<(u32, u32)> {
        let set = &self.sets[self.find(node) as usize];
        set.iter().map(|o| self.members[*o as usize]).collect()
    }
    /// The objects of places, in rising order.
    fn objects_of_members(&self, members: &[(u32, u32)]) -> Vec<Object> {
        let objects = members.iter().map(|(base, _)| self.bases[*base as usize]);
        let mut objects: Vec<Object> = objects.collect();
        objects.sort_unstable();
        objects.dedup();
        objects
    }
    /// What the pointers in a variable may point to.
    pub fn var(&self, var: VarId) -> Vec<Object> {
        self.contents(Object::Var(var))
    }
    /// What the pointers in an object may point to.
    pub fn contents(&self, object: Object) -> Vec<Object> {
        let cells = self.all_cells(object).into_iter();
        let members: Vec<(u32, u32)> = cells.flat_map(|c| self.members_in(c)).collect();
        self.objects_of_members(&members)
    }
    /// What a register of `func` may point to in `block`, which matters for register 0.
    pub fn reg(&self, func: FuncId, block: BlockId, reg: RegId) -> Vec<Object> {
        self.objects_of_members(&self.reg_members((func, block), reg))
    }
    fn reg_members(&self, (func, block): (FuncId, BlockId), reg: RegId) -> Vec<(u32, u32)> {
        let node = match reg {
            crate::RESULT => self.results.get(&(func, block)),
            reg => self.regs.get(&(func, reg)),
        };
        node.map_or(Vec::new(), |n| self.members_in(*n))
    }
    /// What the value of an expression in a block of `func` may point to, in rising order.
    pub fn expr(&self, func: FuncId, block: BlockId, expr: &Expr) -> Vec<Object> {
        let mut found = Vec::new();
        self.values((func, block), expr, Shift::NONE, &mut found);
        self.objects_of_members(&found)
    }
    /// The same with how many bytes into each object, the elements of an array taken as one; none for
    /// anywhere. Offsets are known with [`Precision::Fields`] only.
    pub fn places(&self, func: FuncId, block: BlockId, expr: &Expr) -> Vec<(Object, Option<u32>)> {
        let mut found = Vec::new();
        self.values((func, block), expr, Shift::NONE, &mut found);
        let known = self.precision == Precision::Fields;
        let place = |(base, offset): (u32, u32)| {
            let offset = (known && offset != layout::ANYWHERE).then_some(offset);
            (self.bases[base as usize], offset)
        };
        let mut places: Vec<_> = found.into_iter().map(place).collect();
        places.sort_unstable();
        places.dedup();
        places
    }
    /// The functions that the callee of the call that ends a block may be, in rising order,
    /// and whether unknown code may be called as well.
    pub fn callees(&self, func: FuncId, block: BlockId, callee: &Callee) -> (Vec<FuncId>, bool) {
        let e = match callee {
            Callee::Direct(f) => return (vec![*f], false),
            Callee::Indirect(e) => e,
        };
        let objects = self.expr(func, block, e);
        let only_funcs = |objects: &[Object]| -> Vec<FuncId> {
            let funcs = objects.iter().filter_map(|o| match o {
                Object::Func(f) => Some(*f),
                _ => None,
            });
            funcs.collect()
        };
        let mut funcs = only_funcs(&objects);
        let outside = objects.contains(&Object::Outside);
        if outside {
            funcs.extend(only_funcs(&self.escaped()));
        }
        funcs.sort_unstable();
        funcs.dedup();
        (funcs, outside)
    }
    /// Whether code which the program does not show may reach an object.
    pub fn has_escaped(&self, object: Object) -> bool {
        let base = self.base_ids.get(&object);
        base.is_some_and(|b| self.is_escaped[*b as usize])
    }
    /// Everything that the value of `expr` leads to, through any number of pointers.
    pub fn reachable(&self, func: FuncId, block: BlockId, expr: &Expr) -> Vec<Object> {
        let mut found = Vec::new();
        let mut todo = self.expr(func, block, expr);
        while let Some(object) = todo.pop() {
            if found.contains(&object) {
                continue;
            }
            found.push(object);
            todo.extend(self.contents(object));
            if object == Object::Outside {
                todo.extend(self.escaped());
            }
        }
        found
    }
    /// Everything that changes where code outside writes what `ptr` leads to, or, if that is the
    /// constant null, what it was given before: see [`crate::StmtKind::Havoc`].
    pub fn changed_outside(&self, func: FuncId, block: BlockId, ptr: &Expr) -> Vec<Object> {
        match ptr.is_null() {
            true => self.escaped(),
            false => self.reachable(func, block, ptr),
        }
    }
    /// Everything that code which the program does not show may reach.
    pub fn escaped(&self) -> Vec<Object> {
        self.objects_of_members(&self.members_in(ESCAPED))
    }
}

/// Members of either of two rising lists, rising.
fn union(a: &[u32], b: &[u32]) -> Vec<u32> {
    let mut out = Vec::with_capacity(a.len() + b.len());
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        let (x, y) = (a[i], b[j]);
        out.push(x.min(y));
        i += usize::from(x <= y);
        j += usize::from(y <= x);
    }
    out.extend(&a[i..]);
    out.extend(&b[j..]);
    out
}

/// Members of `a` that are not in `b`, both rising.
fn difference(a: &[u32], b: &[u32]) -> Vec<u32> {
    let mut b = b.iter().peekable();
    let missing = |x: &&u32| {
        while b.next_if(|y| *y < x).is_some() {}
        b.peek() != Some(x)
    };
    a.iter().filter(missing).copied().collect()
}
