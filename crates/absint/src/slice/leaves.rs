//! What a program keeps values in, as far as slicing tells it apart: scalars of variables by their
//! fields (the elements of an array are one), objects of the heap, registers, results.

use super::unions::{Scalar, Unions, overlapping};
use cwolf_cwi::graph::{Analysed, Object, Precision};
use cwolf_cwi::{
    Base, BlockId, Expr, ExprKind, FuncId, Place, RESULT, RecordKind, RegId, Step, Type, TypeId,
    VarId,
};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::rc::Rc;

/// The number of a [`Leaf`].
pub type LeafId = u32;

/// Something that holds a value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Leaf {
    /// A scalar of a variable: the fields that lead to it.
    Cell(VarId, Vec<u32>),
    /// Memory that the program gets while it runs, or that is not its own.
    Memory(Object),
    /// A register; of register 0, see `Result`.
    Register(FuncId, RegId),
    /// What the last call returned, at the start of a block.
    Result(FuncId, BlockId),
    /// What a function returns.
    Return(FuncId),
}

/// How accesses through pointers are told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fields {
    /// Where it is not known where in an object a pointer leads: one to a `struct s` leads to a `struct
    /// s`. Casts break it: good for guesses.
    ByType,
    /// There it leads to any part: always right.
    Any,
}

/// The fields that lead to each of some parts of a type.
type Parts = Rc<Vec<Vec<u32>>>;

/// All leaves that were met.
pub struct Leaves<'p> {
    program: &'p Analysed,
    fields: Fields,
    list: Vec<Leaf>,
    ids: FxHashMap<Leaf, LeafId>,
    /// The scalars of each variable.
    scalars: FxHashMap<VarId, Vec<Scalar>>,
    unions: Unions,
    /// What was asked before: the leaves below fields of a variable, and the fields that lead to parts of a type. A pointer
    /// from outside may lead to all of a kernel's structures wherever it is followed.
    known_below: FxHashMap<(VarId, Vec<u32>), Vec<LeafId>>,
    known_parts: RefCell<FxHashMap<(TypeId, TypeId), Parts>>,
}

impl<'p> Leaves<'p> {
    pub fn new(program: &'p Analysed, fields: Fields) -> Leaves<'p> {
        Leaves {
            program,
            fields,
            list: Vec::new(),
            ids: FxHashMap::default(),
            scalars: FxHashMap::default(),
            unions: Unions::new(program),
            known_below: FxHashMap::default(),
            known_parts: RefCell::default(),
        }
    }
    pub fn get(&self, id: LeafId) -> &Leaf {
        &self.list[id as usize]
    }
    pub fn intern(&mut self, leaf: Leaf) -> LeafId {
        if let Some(id) = self.ids.get(&leaf) {
            return *id;
        }
        let id = self.list.len() as LeafId;
        self.list.push(leaf.clone());
        self.ids.insert(leaf, id);
        id
    }
    /// The type of a scalar of a variable.
    pub fn cell_type(&mut self, var: VarId, path: &[u32]) -> Option<TypeId> {
        let found = self.scalars(var).iter().find(|s| s.path == path);
        found.map(|s| s.ty)
    }
    fn scalars(&mut self, var: VarId) -> &[Scalar] {
        let (program, unions) = (self.program, &self.unions);
        let scalars = self.scalars.entry(var);
        scalars.or_insert_with(|| unions.scalars(program, program.vars[var].ty))
    }
    /// All of a variable.
    pub fn variable(&mut self, var: VarId) -> Vec<LeafId> {
        self.below(var, &[])
    }
    /// The scalars that fields lead to, and those that lie on top of them in a union.
    fn below(&mut self, var: VarId, prefix: &[u32]) -> Vec<LeafId> {
        let key = (var, prefix.to_vec());
        if let Some(known) = self.known_below.get(&key) {
            return known.clone();
        }
        let paths = overlapping(self.scalars(var), prefix);
        let paths = paths.into_iter();
        let found: Vec<LeafId> = paths
            .map(|path| self.intern(Leaf::Cell(var, path)))
            .collect();
        self.known_below.insert(key, found.clone());
        found
    }
    /// The fields that lead to parts of a type that have another.
    fn parts(&self, own: TypeId, wanted: TypeId) -> Parts {
        let mut known = self.known_parts.borrow_mut();
        let parts = known.entry((own, wanted)).or_insert_with(|| {
            let mut found = Vec::new();
            let types = &self.program.types;
            (self.unions).parts(types, own, wanted, &mut Vec::new(), &mut found);
            Rc::new(found)
        });
        parts.clone()
    }
    /// Whether a bit of a variable belongs to the leaf with these fields.
    pub fn is_at(&self, var: VarId, path: &[u32], bit: u64) -> bool {
        let types = &self.program.types;
        let mut ty = self.program.vars[var].ty;
        let mut bit = bit;
        let mut path = path.iter();
        loop {
            match &types[ty] {
                Type::Array { elem, .. } => {
                    let size = types.size_of(*elem).saturating_mul(8).max(1);
                    bit %= size;
                    ty = *elem;
                }
                Type::Record(record) => {
                    let Some(n) = path.next() else { return true };
                    let field = &types.records[*record].fields[*n as usize];
                    let bits = match types.as_int(field.ty) {
                        Some(int) => u64::from(int.bits),
                        None => types.size_of(field.ty).saturating_mul(8),
                    };
                    if bit < field.bit_offset || bit >= field.bit_offset.saturating_add(bits) {
                        return false;
                    }
                    bit -= field.bit_offset;
                    ty = field.ty;
                }
                _ => return true,
            }
        }
    }
    /// All of an object.
    pub fn object(&mut self, object: Object) -> Vec<LeafId> {
        match object {
            Object::Var(var) => self.variable(var),
            Object::Func(_) => Vec::new(),
            Object::Heap(..) if !self.allocated(object).is_empty() => {
                let own = self.allocated(object).into_iter();
                own.flat_map(|var| self.variable(var)).collect()
            }
            other => vec![self.intern(Leaf::Memory(other))],
        }
    }
    /// What a place may be.
    pub fn place(&mut self, func: FuncId, block: BlockId, place: &Place) -> Vec<LeafId> {
        let fields = |path: &[Step]| -> Vec<u32> {
            path.iter()
                .filter_map(|s| match s {
                    Step::Field(n) => Some(*n),
                    Step::Index(_) => None,
                })
                .collect()
        };
        match &place.base {
            Base::Var(var) => self.below(*var, &fields(&place.path)),
            Base::Deref(pointer) => {
                let to = self.program.types.pointee(pointer.ty);
                let path = fields(&place.path);
                let mut found = Vec::new();
                let places = self.places_behind(func, block, pointer);
                let own = |o: &Object| matches!(o, Object::Var(_) | Object::Heap(..));
                let guess = self.fields == Fields::ByType && places.iter().any(|p| own(&p.0));
                for (object, offset) in places {
                    match (object, to) {
                        // What the program shows is meant, if it shows something.
                        (Object::Outside, _) if guess => {}
                        (Object::Var(var), Some(to)) => {
                            found.extend(self.part(var, offset, to, &path));
                        }
                        _ => found.extend(self.object(object)),
                    }
                }
                found.sort_unstable();
                found.dedup();
                found
            }
        }
    }
    /// The variables that stand for what a call allocates.
    fn allocated(&self, object: Object) -> Vec<VarId> {
        match object {
            Object::Heap(func, block) => self.program.heap.made_by(func, block).collect(),
            _ => Vec::new(),
        }
    }
    /// Where a pointer may lead: objects, and how many bytes into them.
    fn places_behind(
        &self,
        func: FuncId,
        block: BlockId,
        pointer: &Expr,
    ) -> Vec<(Object, Option<u32>)> {
        let points_to = self.program.points_to_with(Precision::Fields);
        let mut places = points_to.places(func, block, pointer);
        if places.iter().any(|p| p.0 == Object::Outside) {
            let to = self.program.types.pointee(pointer.ty);
            let escaped = points_to.escaped().into_iter();
            let escaped = escaped.filter(|o| to.is_none_or(|to| self.may_hold(*o, to)));
            places.extend(escaped.map(|o| (o, None)));
        }
        // What a call allocates has variables of its own in models.
        let mut found = Vec::new();
        for (object, offset) in places {
            let own: Vec<VarId> = self.allocated(object);
            match own.is_empty() {
                true => found.push((object, offset)),
                false => found.extend(own.into_iter().map(|v| (Object::Var(v), offset))),
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }
    /// Whether a pointer to a type that comes from outside may be meant to lead to an object.
    fn may_hold(&self, object: Object, to: TypeId) -> bool {
        let Object::Var(var) = object else {
            return true;
        };
        if self.fields == Fields::Any {
            return true;
        }
        !self.parts(self.program.vars[var].ty, to).is_empty()
    }
    /// The fields of the part of a variable that a pointer to a type leads to; all of the variable if
    /// that is not known.
    fn part(&mut self, var: VarId, offset: Option<u32>, to: TypeId, path: &[u32]) -> Vec<LeafId> {
        let found = offset.and_then(|offset| self.start(var, offset.into(), to));
        match (found, self.fields) {
            (Some((mut start, whole)), _) => {
                if !whole {
                    start.extend(path);
                }
                self.below(var, &start)
            }
            (None, Fields::ByType) => self.typed(var, to, path),
            (None, Fields::Any) => self.variable(var),
        }
    }
    /// The fields that lead to the part of a type at an offset; or to a union that has it somewhere, and then true.
    fn start(&self, var: VarId, offset: u64, to: TypeId) -> Option<(Vec<u32>, bool)> {
        let types = &self.program.types;
        let mut ty = self.program.vars[var].ty;
        let mut offset = offset;
        let mut path = Vec::new();
        loop {
            if ty == to && offset == 0 {
                return Some((path, false));
            }
            match &types[ty] {
                Type::Array { elem, .. } => {
                    offset = offset.checked_rem(types.size_of(*elem))?;
                    ty = *elem;
                }
                Type::Record(record) if types.records[*record].kind == RecordKind::Struct => {
                    let fields = &types.records[*record].fields;
                    let inside = |f: &cwolf_cwi::Field| {
                        let start = f.bit_offset / 8;
                        let end = start + types.size_of(f.ty);
                        !f.bit_field && (start..end).contains(&offset)
                    };
                    let n = fields.iter().position(inside)?;
                    path.push(n as u32);
                    offset -= fields[n].bit_offset / 8;
                    ty = fields[n].ty;
                }
                // Which member is meant is not known.
                Type::Record(_) => return Some((path, true)),
                _ => return None,
            }
        }
    }
    /// The objects that a pointer may lead to.
    pub fn behind(&self, func: FuncId, block: BlockId, pointer: &Expr) -> Vec<Object> {
        let points_to = self.program.points_to();
        let mut objects = points_to.expr(func, block, pointer);
        if objects.contains(&Object::Outside) {
            objects.extend(points_to.escaped());
            objects.sort_unstable();
            objects.dedup();
        }
        objects
    }
    /// The fields of each part of a variable that has a type; all of it if none has.
    fn typed(&mut self, var: VarId, ty: TypeId, path: &[u32]) -> Vec<LeafId> {
        let starts = self.parts(self.program.vars[var].ty, ty);
        if starts.is_empty() {
            return self.variable(var);
        }
        let mut found = Vec::new();
        for start in starts.iter() {
            let mut start = start.clone();
            start.extend(path);
            found.extend(self.below(var, &start));
        }
        found
    }
    /// What an expression reads.
    pub fn reads(&mut self, func: FuncId, block: BlockId, e: &Expr) -> Vec<LeafId> {
        let mut found = Vec::new();
        e.walk(&mut |e| match &e.kind {
            ExprKind::Load { place, .. } => found.extend(self.place(func, block, place)),
            ExprKind::Reg(reg) => found.push(self.register(func, block, *reg)),
            ExprKind::VarArgs => found.push(self.intern(Leaf::Memory(Object::VarArgs(func)))),
            _ => {}
        });
        found
    }
    pub fn register(&mut self, func: FuncId, block: BlockId, reg: RegId) -> LeafId {
        self.intern(match reg {
            RESULT => Leaf::Result(func, block),
            reg => Leaf::Register(func, reg),
        })
    }
}

/// A set of leaves.
#[derive(Clone, Debug, Default)]
pub struct LeafSet(Vec<bool>);

impl LeafSet {
    /// Adds one; false if it was there.
    pub fn insert(&mut self, leaf: LeafId) -> bool {
        let n = leaf as usize;
        if n >= self.0.len() {
            self.0.resize(n + 1, false);
        }
        !std::mem::replace(&mut self.0[n], true)
    }
    pub fn contains(&self, leaf: LeafId) -> bool {
        self.0.get(leaf as usize).is_some_and(|b| *b)
    }
    pub fn iter(&self) -> impl Iterator<Item = LeafId> + '_ {
        let members = self.0.iter().enumerate().filter(|(_, b)| **b);
        members.map(|(n, _)| n as LeafId)
    }
}

/// A place in the code, in the order of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Site {
    /// The function.
    pub func: FuncId,
    /// The block.
    pub block: BlockId,
    /// The statement; after the last, the branch.
    pub index: usize,
}

impl Site {
    pub fn branch(program: &Analysed, func: FuncId, block: BlockId) -> Site {
        let body = program.funcs[func].body.as_ref();
        let index = body.map_or(0, |b| b.blocks[block].stmts.len());
        Site { func, block, index }
    }
}
