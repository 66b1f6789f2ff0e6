//! The parts of an object that pointers are told apart by: bytes offsets, with all elements of an
//! array in one, and cells that hold values.

use crate::code::{Place, Step};
use crate::types::{RecordKind, Type, TypeId, Types};

/// Anywhere in an object.
pub(super) const ANYWHERE: u32 = u32::MAX;
/// An object with more cells is one cell.
const MOST_CELLS: usize = 48;

/// How far a pointer moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Shift {
    start: i64,
    /// Any number below `count` of steps of so many bytes.
    stride: u64,
    count: u64,
    /// No one knows.
    any: bool,
}

impl Shift {
    pub const NONE: Shift = Shift {
        start: 0,
        stride: 0,
        count: 0,
        any: false,
    };
    pub const ANY: Shift = Shift {
        start: 0,
        stride: 0,
        count: 0,
        any: true,
    };
    pub fn bytes(start: i64) -> Shift {
        Shift {
            start,
            ..Shift::NONE
        }
    }
    /// Any number of steps of so many bytes, in either direction.
    pub fn steps(bytes: u64) -> Shift {
        match bytes {
            0 => Shift::NONE,
            _ => Shift {
                stride: bytes,
                count: u64::MAX,
                ..Shift::NONE
            },
        }
    }
    /// One move after the other.
    pub fn then(self, more: Shift) -> Shift {
        let both = self.stride > 0 && more.stride > 0;
        match self.start.checked_add(more.start) {
            Some(start) if !self.any && !more.any && !both => Shift {
                start,
                stride: self.stride.max(more.stride),
                count: self.count.max(more.count),
                any: false,
            },
            _ => Shift::ANY,
        }
    }
    /// From the start of a place's base to the place.
    pub fn to_place(types: &Types, place: &Place, mut ty: TypeId) -> Shift {
        let mut shift = Shift::NONE;
        for step in &place.path {
            match (step, &types[ty]) {
                (Step::Field(n), Type::Record(r)) => {
                    let field = &types.records[*r].fields[*n as usize];
                    shift = shift.then(Shift::bytes((field.bit_offset / 8) as i64));
                    ty = field.ty;
                }
                (Step::Index(i), Type::Array { elem, len }) => {
                    let size = types.size_of(*elem);
                    let step = match i.as_int() {
                        Some(i) if i >= 0 && i < i128::from(*len) => {
                            Shift::bytes((i as u64).saturating_mul(size) as i64)
                        }
                        None if *len > 0 && size > 0 => Shift {
                            stride: size,
                            count: *len,
                            ..Shift::NONE
                        },
                        _ => Shift::ANY,
                    };
                    shift = shift.then(step);
                    ty = *elem;
                }
                _ => return Shift::ANY,
            }
        }
        shift
    }
}

/// The bytes that an access to a place may touch.
pub(super) fn access_size(types: &Types, place: &Place) -> u64 {
    match types[place.ty] {
        // A bit-field may start in the middle of a byte.
        Type::Int(int) if !int.bits.is_multiple_of(8) => u64::from(int.bits).div_ceil(8) + 1,
        _ => types.size_of(place.ty).max(1),
    }
}

#[derive(Clone, Debug)]
enum Tree {
    /// Bytes that are not told apart.
    Leaf,
    /// Offset and size of each field.
    Struct(Vec<(u64, u64, Tree)>),
    /// Elements of this size.
    Array(u64, Box<Tree>),
}

/// The parts of an object.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    tree: Tree,
    size: u64,
    /// Start and length of each cell.
    pub cells: Vec<(u64, u64)>,
}

impl Layout {
    /// An object of which nothing is told apart.
    pub fn whole() -> Layout {
        Layout {
            tree: Tree::Leaf,
            size: u64::MAX,
            cells: vec![(0, u64::MAX)],
        }
    }
    pub fn new(types: &Types, ty: TypeId) -> Layout {
        let size = types.size_of(ty);
        let mut cells = Vec::new();
        let tree = tree(types, ty, 0, &mut cells, 0);
        if cells.is_empty() || cells.len() > MOST_CELLS || size == 0 || size >= 1 << 31 {
            return Layout::whole();
        }
        cells.sort_unstable();
        cells.dedup();
        Layout { tree, size, cells }
    }
    fn is_whole(&self) -> bool {
        matches!(self.tree, Tree::Leaf) && self.cells.len() == 1
    }
    /// The offset with every index zero.
    fn normal(&self, offset: u64) -> u64 {
        let (mut tree, mut at, mut base) = (&self.tree, offset, 0);
        loop {
            match tree {
                Tree::Leaf => return base + at,
                Tree::Array(size, elem) => {
                    at %= size;
                    tree = elem;
                }
                Tree::Struct(fields) => {
                    let inside = |f: &&(u64, u64, Tree)| f.0 <= at && at < f.0 + f.1.max(1);
                    let Some((start, _, inner)) = fields.iter().find(inside) else {
                        return base + at;
                    };
                    at -= start;
                    base += start;
                    tree = inner;
                }
            }
        }
    }
    /// The innermost array element around a normal offset: start, size, and whether the array is
    /// the whole object.
    fn element(&self, offset: u64) -> Option<(u64, u64, bool)> {
        let (mut tree, mut at, mut base) = (&self.tree, offset, 0);
        let mut found = None;
        let mut top = true;
        loop {
            match tree {
                Tree::Leaf => return found,
                Tree::Array(size, elem) => {
                    found = Some((base, *size, top));
                    tree = elem;
                }
                Tree::Struct(fields) => {
                    let inside = |f: &&(u64, u64, Tree)| f.0 <= at && at < f.0 + f.1.max(1);
                    let Some((start, _, inner)) = fields.iter().find(inside) else {
                        return found;
                    };
                    at -= start;
                    base += start;
                    tree = inner;
                }
            }
            top = false;
        }
    }
    fn step(&self, offset: u64, by: i64) -> u32 {
        let Some(to) = offset.checked_add_signed(by) else {
            return self.around(offset, by);
        };
        match self.element(offset) {
            Some((start, size, _)) if (start..start + size).contains(&to) => self.normal(to) as u32,
            None if to < self.size => self.normal(to) as u32,
            _ => self.around(offset, by),
        }
    }
    /// A step out of an array's element: to another one, if there is nothing else.
    fn around(&self, offset: u64, by: i64) -> u32 {
        match self.element(offset) {
            Some((0, size, true)) => {
                let to = (offset as i64).wrapping_add(by).rem_euclid(size as i64);
                self.normal(to as u64) as u32
            }
            _ => ANYWHERE,
        }
    }
    /// Where a pointer to `offset` points after it was moved.
    pub fn moved(&self, offset: u32, shift: Shift) -> u32 {
        if self.is_whole() {
            return 0;
        }
        if shift.any || offset == ANYWHERE {
            return ANYWHERE;
        }
        let first = self.step(offset.into(), shift.start);
        if shift.stride > 0 {
            // From element to element of an array that is the whole object.
            if let Some((0, size, true)) = self.element(offset.into())
                && shift.stride.is_multiple_of(size)
            {
                return first;
            }
            for steps in [1, shift.count - 1] {
                let bytes = shift.stride.saturating_mul(steps.min(shift.count - 1));
                let by = i64::try_from(bytes)
                    .ok()
                    .and_then(|b| shift.start.checked_add(b));
                if by.is_none_or(|by| self.step(offset.into(), by) != first) {
                    return ANYWHERE;
                }
            }
        }
        first
    }
    /// The cells that an access of so many bytes at an offset may touch.
    pub fn touched(&self, offset: u32, size: u64) -> Vec<usize> {
        let all = 0..self.cells.len();
        if offset == ANYWHERE || self.is_whole() {
            return all.collect();
        }
        let start = u64::from(offset);
        let end = start.saturating_add(size);
        let limit = self.element(start).map_or(self.size, |(s, n, _)| s + n);
        if end > limit {
            return all.collect();
        }
        let hit = |n: &usize| {
            let (from, length) = self.cells[*n];
            from < end && start < from + length
        };
        all.filter(hit).collect()
    }
}

fn tree(types: &Types, ty: TypeId, base: u64, cells: &mut Vec<(u64, u64)>, depth: u32) -> Tree {
    let size = types.size_of(ty);
    match &types[ty] {
        _ if cells.len() > MOST_CELLS || depth > 16 => Tree::Leaf,
        Type::Array { elem, len } if *len > 0 && types.size_of(*elem) > 0 => {
            let inner = tree(types, *elem, base, cells, depth + 1);
            Tree::Array(types.size_of(*elem), Box::new(inner))
        }
        Type::Record(r) if types.records[*r].kind == RecordKind::Struct => {
            let mut fields = Vec::new();
            for field in &types.records[*r].fields {
                let start = field.bit_offset / 8;
                if field.bit_field {
                    let bits = types.as_int(field.ty).map_or(8, |i| u64::from(i.bits));
                    let length = (field.bit_offset % 8 + bits).div_ceil(8);
                    cells.push((base + start, length));
                    fields.push((start, length, Tree::Leaf));
                } else {
                    let inner = tree(types, field.ty, base + start, cells, depth + 1);
                    fields.push((start, types.size_of(field.ty), inner));
                }
            }
            if fields.is_empty() {
                cells.push((base, size.max(1)));
            }
            Tree::Struct(fields)
        }
        _ => {
            cells.push((base, size.max(1)));
            Tree::Leaf
        }
    }
}
