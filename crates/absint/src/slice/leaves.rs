//! What a program keeps values in, as far as slicing tells it apart: scalars of variables by their
//! fields (the elements of an array are one), objects of the heap, registers, results.

use cwolf_cwi::graph::{Analysed, Object, Precision};
use cwolf_cwi::{
    Base, BlockId, Expr, ExprKind, FuncId, Place, RESULT, RecordKind, RegId, Step, Type, TypeId,
    VarId,
};
use rustc_hash::FxHashMap;

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

/// All leaves that were met.
pub struct Leaves<'p> {
    program: &'p Analysed,
    fields: Fields,
    list: Vec<Leaf>,
    ids: FxHashMap<Leaf, LeafId>,
    /// The scalars of each variable, with the fields that lead to them and their types.
    scalars: FxHashMap<VarId, Vec<(Vec<u32>, TypeId)>>,
}

impl<'p> Leaves<'p> {
    pub fn new(program: &'p Analysed, fields: Fields) -> Leaves<'p> {
        Leaves {
            program,
            fields,
            list: Vec::new(),
            ids: FxHashMap::default(),
            scalars: FxHashMap::default(),
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
        let found = self.scalars(var).iter().find(|(p, _)| p == path);
        found.map(|(_, ty)| *ty)
    }
    fn scalars(&mut self, var: VarId) -> &[(Vec<u32>, TypeId)] {
        let program = self.program;
        self.scalars.entry(var).or_insert_with(|| {
            let mut found = Vec::new();
            scalars(program, program.vars[var].ty, &mut Vec::new(), &mut found);
            found
        })
    }
    /// All of a variable.
    pub fn variable(&mut self, var: VarId) -> Vec<LeafId> {
        self.below(var, &[])
    }
    fn below(&mut self, var: VarId, prefix: &[u32]) -> Vec<LeafId> {
        let all: Vec<Vec<u32>> = self
            .scalars(var)
            .iter()
            .filter(|(path, _)| path.starts_with(prefix) || prefix.starts_with(path))
            .map(|(path, _)| path.clone())
            .collect();
        all.into_iter()
            .map(|path| self.intern(Leaf::Cell(var, path)))
            .collect()
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
            places.extend(points_to.escaped().into_iter().map(|o| (o, None)));
            places.sort_unstable();
            places.dedup();
        }
        places
    }
    /// The fields of the part of a variable that a pointer to a type leads to; all of the variable if
    /// that is not known.
    fn part(&mut self, var: VarId, offset: Option<u32>, to: TypeId, path: &[u32]) -> Vec<LeafId> {
        let found = offset.and_then(|offset| self.start(var, offset.into(), to));
        match (found, self.fields) {
            (Some(mut start), _) => {
                start.extend(path);
                self.below(var, &start)
            }
            (None, Fields::ByType) => self.typed(var, to, path),
            (None, Fields::Any) => self.variable(var),
        }
    }
    /// The fields that lead to the part of a type at an offset.
    fn start(&self, var: VarId, offset: u64, to: TypeId) -> Option<Vec<u32>> {
        let types = &self.program.types;
        let mut ty = self.program.vars[var].ty;
        let mut offset = offset;
        let mut path = Vec::new();
        loop {
            if ty == to && offset == 0 {
                return Some(path);
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
                // A union is one leaf.
                Type::Record(_) => return Some(path),
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
        let mut starts = Vec::new();
        parts(
            self.program,
            self.program.vars[var].ty,
            ty,
            &mut Vec::new(),
            &mut starts,
        );
        if starts.is_empty() {
            return self.variable(var);
        }
        let mut found = Vec::new();
        for mut start in starts {
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

/// The scalars of a type. Members of a union lie on top of each other: a union is one.
fn scalars(
    program: &Analysed,
    ty: TypeId,
    path: &mut Vec<u32>,
    found: &mut Vec<(Vec<u32>, TypeId)>,
) {
    match &program.types[ty] {
        Type::Array { elem, .. } => scalars(program, *elem, path, found),
        Type::Record(record) if program.types.records[*record].kind == RecordKind::Struct => {
            let fields = &program.types.records[*record].fields;
            for (n, field) in fields.iter().enumerate() {
                path.push(n as u32);
                scalars(program, field.ty, path, found);
                path.pop();
            }
        }
        _ => found.push((path.clone(), ty)),
    }
}

/// The fields that lead to parts of a type that have another.
fn parts(
    program: &Analysed,
    ty: TypeId,
    wanted: TypeId,
    path: &mut Vec<u32>,
    found: &mut Vec<Vec<u32>>,
) {
    if ty == wanted {
        found.push(path.clone());
        return;
    }
    match &program.types[ty] {
        Type::Array { elem, .. } => parts(program, *elem, wanted, path, found),
        Type::Record(record) if program.types.records[*record].kind == RecordKind::Struct => {
            let fields = &program.types.records[*record].fields;
            for (n, field) in fields.iter().enumerate() {
                path.push(n as u32);
                parts(program, field.ty, wanted, path, found);
                path.pop();
            }
        }
        _ => {}
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
