//! How objects are made of cells. A cell is one scalar, or all elements of a long array of scalars
//! at once.

use crate::num::{Num, gcd};
use crate::value::{Pointer, Value};
use cwolf_cwi::{IntTy, Type, TypeId, Types, value};

/// Arrays with so many scalars have a cell for each.
const EXPAND: u64 = 16;
/// Objects with more cells are not looked at.
const MOST: usize = 4096;

/// What a scalar is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A number of at most 64 bits.
    Int(IntTy),
    /// A truth value.
    Bool,
    /// A pointer.
    Pointer,
    /// Something of which nothing is known.
    Other,
}

impl Kind {
    pub(crate) fn of(types: &Types, ty: TypeId) -> Kind {
        match types[ty] {
            Type::Int(int) if int.bits <= 64 => Kind::Int(int),
            Type::Bool => Kind::Bool,
            Type::Pointer(_) => Kind::Pointer,
            _ => Kind::Other,
        }
    }
    /// The type that it computes in, if it is a number.
    pub(crate) fn int(self) -> Option<IntTy> {
        match self {
            Kind::Int(int) => Some(int),
            Kind::Bool => Some(IntTy::new(1, false)),
            Kind::Pointer | Kind::Other => None,
        }
    }
    /// What memory full of zeros holds.
    pub(crate) fn zero(self) -> Option<Value> {
        match self {
            Kind::Int(_) | Kind::Bool => Some(Value::Num(Num::constant(0))),
            Kind::Pointer => Some(Value::Pointer(Pointer::NULL)),
            Kind::Other => None,
        }
    }
    /// The least and the greatest number.
    pub(crate) fn room(self) -> Option<(i128, i128)> {
        self.int().map(|ty| (value::min(ty), value::max(ty)))
    }
}

/// Bits that a scalar of a type takes in memory.
pub(crate) fn bits_of(types: &Types, ty: TypeId) -> i128 {
    match types[ty] {
        Type::Int(int) => int.bits.into(),
        _ => i128::from(types.size_of(ty)) * 8,
    }
}

/// A scalar in an object, or one in each element of an array.
#[derive(Clone, Debug)]
pub(crate) struct Leaf {
    /// Where it starts, in bits.
    pub(crate) at: i128,
    pub(crate) bits: i128,
    pub(crate) kind: Kind,
    /// The arrays around it that are not taken apart: bits from element to element, and how many.
    pub(crate) dims: Vec<(i128, i128)>,
}

/// How an access lies to a leaf.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Overlap {
    None,
    /// It is this scalar, or one of these.
    Exact,
    /// It may take a part of it.
    Partial,
}

impl Leaf {
    /// Where the last bit of the last scalar lies, plus one.
    pub(crate) fn end(&self) -> i128 {
        let more = self.dims.iter().map(|(step, count)| step * (count - 1));
        self.at + more.sum::<i128>() + self.bits
    }

    /// How an access of `bits` bits at one of the offsets `at` (in bits) lies to it.
    pub(crate) fn overlap(&self, at: &Num, bits: i128) -> Overlap {
        let (lo, hi) = at.bounds();
        if hi + bits <= self.at || self.end() <= lo {
            return Overlap::None;
        }
        let (step, rem) = at.congruence();
        let period = self.dims.iter().fold(step, |g, (by, _)| gcd(g, *by));
        // Distances from the start of the scalar to that of the access.
        let distance = match period {
            0 => rem - self.at,
            period => (rem - self.at).rem_euclid(period),
        };
        let touches = |d: i128| -bits < d && d < self.bits;
        let others = period > 0 && touches(distance - period);
        match (
            distance == 0 && bits == self.bits,
            touches(distance),
            others,
        ) {
            (true, _, false) => Overlap::Exact,
            (_, false, false) => Overlap::None,
            _ => Overlap::Partial,
        }
    }

    /// Whether all of it lies between two bits.
    pub(crate) fn is_within(&self, start: i128, end: i128) -> bool {
        start <= self.at && self.end() <= end
    }

    /// Whether one of its scalars starts at a bit.
    pub(crate) fn starts_at(&self, bit: i128) -> bool {
        starts_at(bit - self.at, &self.dims)
    }

    /// Whether an access at this one place is this scalar alone.
    pub(crate) fn is_alone(&self) -> bool {
        self.dims.is_empty()
    }
}

fn starts_at(distance: i128, dims: &[(i128, i128)]) -> bool {
    match dims {
        [] => distance == 0,
        [(step, count), rest @ ..] => {
            // The outermost array has the largest steps.
            let n = (distance / step).clamp(0, count - 1);
            starts_at(distance - n * step, rest)
        }
    }
}

/// The scalars of a type; none if there are too many, or some of unknown shape.
pub(crate) fn leaves(types: &Types, ty: TypeId) -> Option<Vec<Leaf>> {
    let mut found = Vec::new();
    add(types, ty, 0, &mut Vec::new(), None, &mut found)?;
    Some(found)
}

/// The scalars of `count` elements in a row.
pub(crate) fn array_leaves(types: &Types, elem: TypeId, count: i128) -> Option<Vec<Leaf>> {
    let mut found = Vec::new();
    elements(types, elem, count, 0, &mut Vec::new(), &mut found)?;
    Some(found)
}

fn scalars(types: &Types, ty: TypeId) -> u64 {
    match &types[ty] {
        Type::Array { elem, len } => scalars(types, *elem).saturating_mul(*len),
        Type::Record(id) => {
            let fields = types.records[*id].fields.iter();
            fields.fold(0, |n: u64, f| n.saturating_add(scalars(types, f.ty)))
        }
        _ => 1,
    }
}

fn elements(
    types: &Types,
    elem: TypeId,
    count: i128,
    at: i128,
    dims: &mut Vec<(i128, i128)>,
    found: &mut Vec<Leaf>,
) -> Option<()> {
    let step = i128::from(types.size_of(elem)) * 8;
    if count <= 0 || step == 0 {
        return Some(());
    }
    if count * i128::from(scalars(types, elem)) <= i128::from(EXPAND) {
        for n in 0..count {
            add(types, elem, at + n * step, dims, None, found)?;
        }
        return Some(());
    }
    dims.push((step, count));
    let done = add(types, elem, at, dims, None, found);
    dims.pop();
    done
}

fn add(
    types: &Types,
    ty: TypeId,
    at: i128,
    dims: &mut Vec<(i128, i128)>,
    bits: Option<i128>,
    found: &mut Vec<Leaf>,
) -> Option<()> {
    if found.len() > MOST {
        return None;
    }
    match &types[ty] {
        Type::Void | Type::Func(_) => None,
        Type::Array { elem, len } => elements(types, *elem, i128::from(*len), at, dims, found),
        Type::Record(id) => {
            for field in &types.records[*id].fields {
                let width = field.bit_field.then(|| bits_of(types, field.ty));
                add(
                    types,
                    field.ty,
                    at + i128::from(field.bit_offset),
                    dims,
                    width,
                    found,
                )?;
            }
            Some(())
        }
        _ => {
            found.push(Leaf {
                at,
                bits: bits.unwrap_or_else(|| bits_of(types, ty)),
                kind: Kind::of(types, ty),
                dims: dims.clone(),
            });
            Some(())
        }
    }
}
