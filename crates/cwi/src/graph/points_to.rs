//! What pointers may point to: Andersen's analysis, inclusion constraints over whole variables
//! (all fields and elements of one in one), whatever the order of statements.
//!
//! Sound for C's pointers: integers carry pointers too, so a cast there and back loses nothing.
//! *Outside* stands for all that the program does not show: what functions without a body
//! return, what variables defined elsewhere hold, and every object that has *escaped* to them.
//! As in all engines, a function without a body reaches what its arguments lead to and nothing
//! else.

mod collect;

use crate::code::{BlockId, Callee, Expr, FuncId, RegId, VarId};
use crate::program::{Definition, Linkage, Program};
use cwolf_base::{IndexVec, strong_components};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;

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

/// An object or a set of pointers, by number.
type Node = u32;
/// The number of [`Object::Outside`].
const OUTSIDE: u32 = 0;
/// The set of everything that escaped.
const ESCAPED: Node = 0;

/// A call through a pointer.
struct Indirect {
    args: Vec<Option<Node>>,
    /// Where its result arrives.
    result: Option<Node>,
}

/// The result of the analysis.
pub struct PointsTo {
    objects: Vec<Object>,
    object_ids: FxHashMap<Object, u32>,
    is_escaped: Vec<bool>,
    /// What each object holds: a node.
    contents: Vec<Node>,
    /// Rising numbers of objects.
    sets: Vec<Vec<u32>>,
    /// Nodes that turned out to be the same.
    same_as: Vec<Node>,
    /// Sets that include this one.
    copies: Vec<Vec<Node>>,
    /// `.0 ⊇ *this`
    loads: Vec<Vec<Node>>,
    /// `*this ⊇ .0`
    stores: Vec<Vec<Node>>,
    /// Calls through this set.
    called: Vec<Vec<u32>>,
    indirect: Vec<Indirect>,
    /// Members that the constraints above have seen.
    done: Vec<Vec<u32>>,
    params: IndexVec<FuncId, Vec<Node>>,
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
        PointsTo::with_patience(program, 4)
    }

    /// Analyses the program, looking for circles of copies after `patience` rounds.
    pub(super) fn with_patience(program: &Program, patience: usize) -> PointsTo {
        let mut this = PointsTo {
            objects: Vec::new(),
            object_ids: FxHashMap::default(),
            is_escaped: Vec::new(),
            contents: Vec::new(),
            sets: Vec::new(),
            same_as: Vec::new(),
            copies: Vec::new(),
            loads: Vec::new(),
            stores: Vec::new(),
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
        this.object(Object::Outside);
        // Reading the outside gives what escaped, for which it stands itself.
        let outside = this.contents[OUTSIDE as usize];
        this.include(outside, OUTSIDE);
        this.copy(outside, ESCAPED);
        this.objects_of(program);
        this.collect(program);
        this.roots(program);
        this.solve(patience);
        this
    }

    fn objects_of(&mut self, program: &Program) {
        for (id, var) in program.vars.enumerate() {
            let object = self.object(Object::Var(id));
            if var.definition == Definition::Declared {
                self.include(ESCAPED, object);
            }
        }
        for (id, func) in program.funcs.enumerate() {
            self.object(Object::Func(id));
            let params = func
                .params
                .iter()
                .map(|p| self.contents_of(Object::Var(*p)));
            let params = params.collect();
            self.params.push(params);
            let ret = self.node();
            self.returns.push(ret);
            let object = self.object(Object::VarArgs(id));
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
        for param in self.params[func].clone() {
            self.include(param, OUTSIDE);
        }
        let unnamed = self.contents[self.var_args[func] as usize];
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
        self.called.push(Vec::new());
        self.queued.push(false);
        node
    }
    fn object(&mut self, object: Object) -> u32 {
        if let Some(id) = self.object_ids.get(&object) {
            return *id;
        }
        let id = self.objects.len() as u32;
        self.objects.push(object);
        self.object_ids.insert(object, id);
        self.is_escaped.push(false);
        let contents = self.node();
        self.contents.push(contents);
        id
    }
    fn contents_of(&mut self, object: Object) -> Node {
        let id = self.object(object);
        self.contents[id as usize]
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
        let covered = |o: &u32| outside && self.is_escaped[*o as usize];
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
        let seen = std::mem::take(&mut self.done[n]);
        let fresh: Vec<u32> = difference(&self.sets[n], &seen);
        self.done[n] = self.sets[n].clone();
        for &object in &fresh {
            let contents = self.contents[object as usize];
            // What an escaped object holds has escaped too, so the outside stands for it.
            let outside = object == OUTSIDE || self.is_escaped[object as usize];
            for to in self.loads[n].clone() {
                match outside {
                    true => self.include(to, OUTSIDE),
                    false => self.copy(contents, to),
                }
            }
            for from in self.stores[n].clone() {
                self.copy(from, if outside { ESCAPED } else { contents });
            }
            for call in self.called[n].clone() {
                self.call_object(call, object);
            }
            if node == self.find(ESCAPED) {
                self.escape(object);
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

    /// `object` may be read, written or called by the outside.
    fn escape(&mut self, object: u32) {
        self.is_escaped[object as usize] = true;
        let contents = self.contents[object as usize];
        self.include(contents, OUTSIDE);
        self.copy(contents, ESCAPED);
        if let Object::Func(f) = self.objects[object as usize] {
            self.call_from_outside(f);
        }
    }

    fn call_object(&mut self, call: u32, object: u32) {
        let Indirect { args, result } = &self.indirect[call as usize];
        let (args, result) = (args.clone(), *result);
        match self.objects[object as usize] {
            Object::Func(f) => self.call_func(f, &args, result),
            Object::Outside => {
                for arg in args.into_iter().flatten() {
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
    fn call_func(&mut self, func: FuncId, args: &[Option<Node>], result: Option<Node>) {
        let body = self.with_body[func];
        let params = self.params[func].clone();
        for (n, arg) in args.iter().enumerate() {
            let Some(arg) = *arg else {
                continue;
            };
            let to = match params.get(n) {
                _ if !body => ESCAPED,
                Some(param) => *param,
                None => self.contents[self.var_args[func] as usize],
            };
            self.copy(arg, to);
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
        for lists in [&mut self.copies, &mut self.loads, &mut self.stores] {
            let moved = std::mem::take(&mut lists[b]);
            lists[a].extend(moved);
        }
        let moved = std::mem::take(&mut self.called[b]);
        self.called[a].extend(moved);
        self.queue(into);
    }

    fn objects_in(&self, node: Node) -> Vec<Object> {
        let set = &self.sets[self.find(node) as usize];
        set.iter().map(|o| self.objects[*o as usize]).collect()
    }
    /// What the pointers in a variable may point to.
    pub fn var(&self, var: VarId) -> Vec<Object> {
        let object = self.object_ids[&Object::Var(var)];
        self.objects_in(self.contents[object as usize])
    }
    /// What the pointers in an object may point to.
    pub fn contents(&self, object: Object) -> Vec<Object> {
        match self.object_ids.get(&object) {
            Some(id) => self.objects_in(self.contents[*id as usize]),
            None => Vec::new(),
        }
    }
    /// What a register of `func` may point to in `block`, which matters for register 0.
    pub fn reg(&self, func: FuncId, block: BlockId, reg: RegId) -> Vec<Object> {
        let node = match reg {
            crate::RESULT => self.results.get(&(func, block)),
            reg => self.regs.get(&(func, reg)),
        };
        node.map_or(Vec::new(), |n| self.objects_in(*n))
    }
    /// What the value of an expression in a block of `func` may point to, in rising order.
    pub fn expr(&self, func: FuncId, block: BlockId, expr: &Expr) -> Vec<Object> {
        let mut found = Vec::new();
        self.values((func, block), expr, &mut found);
        found.sort_unstable();
        found.dedup();
        found
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
    /// Everything that code which the program does not show may reach.
    pub fn escaped(&self) -> Vec<Object> {
        self.objects_in(ESCAPED)
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
