//! `struct conn.state` in a rule: that field of every object of the type, wherever it lives. Such an object is what has
//! the type inside a variable or an allocated object, or what the program takes for one by the path of an access
//! (`p->state`, where `p` points into a pool of bytes).
//!
//! In conditions and labels the object is the one that is read or written. There it stands as a register that no function
//! has, a pointer to it.

use super::label::{Seen, Spot};
use cwolf_base::Idx;
use cwolf_cwi::graph::{Analysed, Object};
use cwolf_cwi::{
    Base, BlockId, Expr, ExprKind, FuncId, Place, Program, RecordId, RegId, Step, StmtKind, Type,
    TypeId, Types, Var, VarId, VarKind,
};
use rustc_hash::FxHashSet;

/// A part of every object of a type, as a bit range in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Member {
    /// The type.
    pub record: RecordId,
    /// The first bit.
    pub from: u64,
    /// One past the last bit.
    pub to: u64,
}

/// Registers from here on, below those of arguments, stand for the object of a type that is read or written.
const OBJECTS: u32 = 1 << 29;

/// Objects of an array are looked at one by one up to so many; else the array is one.
const MOST_OBJECTS: usize = 1 << 12;

/// The object of a type that an event is about, as a pointer of this type.
pub(super) fn object(pointer: TypeId, record: RecordId) -> Expr {
    Expr::reg(pointer, RegId(OBJECTS + record.index() as u32))
}

/// The type whose object an expression of a rule stands for.
pub fn object_of(e: &Expr) -> Option<RecordId> {
    match e.kind {
        ExprKind::Reg(reg) if (OBJECTS..2 * OBJECTS).contains(&reg.0) => {
            Some(RecordId(reg.0 - OBJECTS))
        }
        _ => None,
    }
}

/// The type whose object a place of a rule is in.
pub fn base_object(place: &Place) -> Option<RecordId> {
    match &place.base {
        Base::Deref(pointer) => object_of(pointer),
        Base::Var(_) => None,
    }
}

/// Whether a variable is one of the program's own: what the compiler makes on the way is nobody's object.
pub fn is_own(var: &Var) -> bool {
    !matches!(var.kind, VarKind::Temp(_) | VarKind::Literal) && !var.name.contains('#')
}

/// Where objects of a type lie in another, in bits; none if there are too many to be told apart.
pub fn objects_in(types: &Types, ty: TypeId, record: RecordId) -> Option<Vec<u64>> {
    let mut found = Vec::new();
    for path in paths(types, ty, record) {
        let (mut starts, mut ty) = (vec![0u64], ty);
        for step in path {
            match (step, &types[ty]) {
                (Step::Field(n), Type::Record(own)) => {
                    let field = &types.records[*own].fields[n as usize];
                    starts.iter_mut().for_each(|s| *s += field.bit_offset);
                    ty = field.ty;
                }
                (Step::Index(_), Type::Array { elem, len }) => {
                    if starts.len() as u128 * u128::from(*len) > MOST_OBJECTS as u128 {
                        return None;
                    }
                    let size = types.size_of(*elem).saturating_mul(8);
                    let each = |s: &u64| {
                        let s = *s;
                        (0..*len).map(move |n| s.saturating_add(n.saturating_mul(size)))
                    };
                    starts = starts.iter().flat_map(each).collect();
                    ty = *elem;
                }
                _ => unreachable!("a path of the type"),
            }
        }
        found.extend(starts);
    }
    found.sort_unstable();
    Some(found)
}

/// The ways from a type to those of another inside of it; of arrays, to the first element.
pub fn paths(types: &Types, ty: TypeId, record: RecordId) -> Vec<Vec<Step>> {
    let mut found = Vec::new();
    let mut todo = vec![(Vec::new(), ty)];
    while let Some((path, ty)) = todo.pop() {
        let with = |step: Step| [path.clone(), vec![step]].concat();
        match &types[ty] {
            Type::Record(own) if *own == record => found.push(path),
            // The parser has limited how deep records nest.
            Type::Record(own) => {
                for (n, field) in types.records[*own].fields.iter().enumerate() {
                    if types.is_aggregate(field.ty) {
                        todo.push((with(Step::Field(n as u32)), field.ty));
                    }
                }
            }
            Type::Array { elem, .. } if types.is_aggregate(*elem) => {
                todo.push((with(Step::Index(Expr::int(Types::INT, 0))), *elem));
            }
            _ => {}
        }
    }
    found
}

/// The object of a type that an access is to by its path, and the bits in it that the rest of the path leads to.
pub fn accessed(program: &Program, place: &Place, record: RecordId) -> Option<(Place, u64, u64)> {
    let types = &program.types;
    let mut ty = match &place.base {
        Base::Var(var) => program.vars[*var].ty,
        Base::Deref(_) if place.path.is_empty() => place.ty,
        Base::Deref(pointer) => types.pointee(pointer.ty)?,
    };
    let mut found: Option<(Place, u64, u64)> = None;
    for n in 0..=place.path.len() {
        if matches!(types[ty], Type::Record(own) if own == record) {
            let object = Place {
                ty,
                base: place.base.clone(),
                path: place.path[..n].to_vec(),
            };
            let (from, to) = bits_below(types, ty, &place.path[n..])?;
            found = Some((object, from, to));
        }
        ty = match (place.path.get(n), &types[ty]) {
            (Some(Step::Field(k)), Type::Record(own)) => {
                types.records[*own].fields.get(*k as usize)?.ty
            }
            (Some(Step::Index(_)), Type::Array { elem, .. }) => *elem,
            _ => break,
        };
    }
    found
}

/// The bits that a path may lead to in a type: all elements, where an index is not a number.
pub(crate) fn bits_below(types: &Types, ty: TypeId, path: &[Step]) -> Option<(u64, u64)> {
    let (mut from, mut ty) = (0u64, ty);
    for step in path {
        match (step, &types[ty]) {
            (Step::Field(n), Type::Record(own)) => {
                let field = types.records[*own].fields.get(*n as usize)?;
                from += field.bit_offset;
                ty = field.ty;
            }
            (Step::Index(e), Type::Array { elem, len }) => {
                let Some(n) = e.as_int() else {
                    // Whatever comes after it lies inside the array.
                    return Some((from, from + types.size_of(ty) * 8));
                };
                let n = u64::try_from(n).ok().filter(|n| n < len)?;
                from += n * types.size_of(*elem) * 8;
                ty = *elem;
            }
            _ => return None,
        }
    }
    let size = match types.as_int(ty) {
        Some(int) => u64::from(int.bits),
        None => types.size_of(ty) * 8,
    };
    Some((from, from + size))
}

/// What a place of a rule may be: itself, or that part of each object of its type, one for all elements of an array.
pub(crate) fn instances(program: &Program, place: &Place) -> Vec<Place> {
    let Some(record) = base_object(place) else {
        return vec![place.clone()];
    };
    let mut found = Vec::new();
    for (var, v) in program.vars.enumerate().filter(|(_, v)| is_own(v)) {
        for mut path in paths(&program.types, v.ty, record) {
            path.extend(place.path.iter().cloned());
            found.push(Place {
                ty: place.ty,
                base: Base::Var(var),
                path,
            });
        }
    }
    found
}

impl Seen {
    /// Adds a part of all objects of a type, with the variables that they may lie in.
    pub(super) fn add_member(&mut self, program: &Analysed, record: RecordId, place: &Place) {
        let types = &program.types;
        let Some(ty) = types.lookup(&Type::Record(record)) else {
            return;
        };
        let whole = (0, types.size_of(ty) * 8);
        let (from, to) = bits_below(types, ty, &place.path).unwrap_or(whole);
        let member = Member { record, from, to };
        if self.members.contains(&member) {
            return;
        }
        self.members.push(member);
        let mut taken = taken_for(program, record);
        for (var, v) in program.vars.enumerate().filter(|(_, v)| is_own(v)) {
            if paths(types, v.ty, record).is_empty() {
                continue;
            }
            match objects_in(types, v.ty, record) {
                Some(list) => self.fixed.extend(list.into_iter().map(|at| Spot {
                    var,
                    from: at + from,
                    to: at + to,
                })),
                None => _ = taken.insert(var),
            }
        }
        let mut taken: Vec<VarId> = taken.into_iter().collect();
        taken.sort_unstable();
        self.fixed.extend(taken.into_iter().map(|var| Spot {
            var,
            from: 0,
            to: u64::MAX,
        }));
    }
}

/// Variables without an object of a type that accesses through pointers may still take for one.
fn taken_for(program: &Analysed, record: RecordId) -> FxHashSet<VarId> {
    let points_to = program.points_to();
    let mut objects: FxHashSet<Object> = FxHashSet::default();
    for (func, block, place) in dereferences(program) {
        if let Base::Deref(pointer) = &place.base
            && accessed(program, place, record).is_some()
        {
            objects.extend(points_to.expr(func, block, pointer));
        }
    }
    if objects.contains(&Object::Outside) {
        objects.extend(points_to.escaped());
    }
    let vars = objects
        .into_iter()
        .flat_map(|object| object.variables(program));
    let foreign = |var: &VarId| {
        let v = &program.vars[*var];
        !is_own(v) || paths(&program.types, v.ty, record).is_empty()
    };
    vars.filter(foreign).collect()
}

/// All accesses through pointers in the code.
fn dereferences(program: &Program) -> Vec<(FuncId, BlockId, &Place)> {
    let mut found = Vec::new();
    for (func, f) in program.funcs.enumerate() {
        for (block, code) in f.body.iter().flat_map(|b| b.blocks.enumerate()) {
            for stmt in &code.stmts {
                if let StmtKind::Assign(place, _) = &stmt.kind {
                    found.push((func, block, place));
                }
            }
            code.for_each_expr(&mut |e| {
                e.walk(&mut |e| {
                    if let ExprKind::Load { place, .. } = &e.kind {
                        found.push((func, block, place));
                    }
                });
            });
        }
    }
    found
}
