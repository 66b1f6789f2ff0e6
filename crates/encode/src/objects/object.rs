//! Objects that pointers point into, and the cells that hold their contents.

use cwolf_cwi::{BlockId, FuncId, RecordKind, Type, TypeId, Types, VarId};
use cwolf_logic::Sort;

cwolf_base::index! {
    /// An object: a variable of one call, a piece of heap, a function.
    ObjId
    /// A scalar or an array inside an object, or a register of a call.
    CellId
    /// A call in progress: the function, and the call that led to it.
    ContextId
}

impl ObjId {
    /// What the null pointer points to.
    pub(crate) const NULL: ObjId = ObjId(0);
    /// All memory that the program does not show.
    pub(crate) const OUTSIDE: ObjId = ObjId(1);
    /// What pointers lead to whose object has ended while another took its place.
    pub(crate) const DANGLING: ObjId = ObjId(2);
}

/// Bits of a pointer term: the object's number above the offset.
pub(crate) const OBJECT_BITS: u16 = 16;
/// Bits of an offset, in bytes.
pub const OFFSET_BITS: u16 = 64;

/// The bit that lies `bit` bits after an offset in bytes. Both are signed numbers; what lies before the
/// object, or too far behind it to be counted, is the last bit there is.
pub(crate) fn bit_of(offset: u128, bit: u64) -> u64 {
    let at = i128::from(offset as u64 as i64) * 8 + i128::from(bit as i64);
    u64::try_from(at).unwrap_or(u64::MAX)
}
pub(crate) const POINTER_BITS: u16 = OBJECT_BITS + OFFSET_BITS;

/// Arrays of up to so many elements have a cell for each.
const EXPAND: u64 = 16;
/// Objects have at most so many cells of their own.
const MAX_LEAVES: usize = 4096;

/// What an object is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ObjectKind {
    /// What the null pointer points to; its offset is the number that was made a pointer.
    Null,
    /// What pointers lead to whose object has ended while another took its place.
    Dangling,
    /// All memory that the program does not show.
    Outside,
    /// A function.
    Func(FuncId),
    /// A variable that lives for the whole run.
    Global(VarId),
    /// A variable of a call.
    Local(ContextId, VarId),
    /// The unnamed arguments of a call.
    VarArgs(ContextId),
    /// What the allocation that ends a block made, the so-many-th time; under the number `OLDER`, all but the newest.
    Heap(ContextId, BlockId, u32),
}

/// In place of a number: what an allocation in a loop made before its newest object.
pub(crate) const OLDER: u32 = u32::MAX;

impl ObjectKind {
    /// Whether nothing can be read or written there.
    pub(crate) fn has_no_bytes(self) -> bool {
        matches!(
            self,
            ObjectKind::Null | ObjectKind::Dangling | ObjectKind::Func(_)
        )
    }
}

/// How the bits of a cell are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Repr {
    /// A number.
    Int,
    /// 0 or 1 in a byte.
    Bool,
    /// A floating number's encoding.
    Float,
    /// A pointer.
    Pointer,
}

/// A scalar inside a type, or an array of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Leaf {
    /// Where it starts.
    pub(crate) bit: u64,
    /// Bits that it takes in memory.
    pub(crate) bits: u16,
    pub(crate) repr: Repr,
    /// A number that may be negative.
    pub(crate) signed: bool,
    /// For an array: bytes from one element to the next, and how many there are.
    pub(crate) array: Option<(u64, u64)>,
    /// Its place as C writes it, after the object's name.
    pub(crate) path: String,
}

impl Leaf {
    /// The sort of the cell that holds it.
    pub(crate) fn sort(&self) -> Sort {
        let elem = cell_width(self.repr, self.bits);
        match self.array {
            None => Sort::Bv(elem),
            Some(_) => Sort::Array {
                index: INDEX_BITS,
                elem,
            },
        }
    }
    /// The first bit after it.
    pub(crate) fn end(&self) -> u64 {
        match self.array {
            None => self.bit + u64::from(self.bits),
            Some((stride, count)) => {
                let last = stride
                    .saturating_mul(count.saturating_sub(1))
                    .saturating_mul(8);
                self.bit
                    .saturating_add(last)
                    .saturating_add(self.bits.into())
            }
        }
    }
}

/// Bits of an array's index.
pub(crate) const INDEX_BITS: u16 = 32;
/// An array of unknown length.
pub(crate) const ENDLESS: u64 = u32::MAX as u64;

/// Bits of the term that holds a scalar.
pub(crate) fn cell_width(repr: Repr, bits: u16) -> u16 {
    match repr {
        Repr::Pointer => POINTER_BITS,
        Repr::Int | Repr::Bool | Repr::Float => bits,
    }
}

/// The bits that a scalar type takes in memory, and how they are read.
pub(crate) fn scalar(types: &Types, ty: TypeId) -> Option<(u16, Repr)> {
    Some(match &types[ty] {
        Type::Bool => (8, Repr::Bool),
        Type::Int(int) => (int.bits, Repr::Int),
        Type::Float(f) => (f.bits(), Repr::Float),
        Type::Pointer(_) => (types.target().pointer_bits(), Repr::Pointer),
        _ => return None,
    })
}

/// The leaves of a type, in rising order of their place; none if there are too many.
pub(crate) fn leaves(types: &Types, ty: TypeId) -> Option<Vec<Leaf>> {
    let mut out = Vec::new();
    collect(types, ty, 0, String::new(), &mut out)?;
    out.sort_by_key(|l| l.bit);
    Some(out)
}

/// The leaves of `count` values of a type in a row; of any number if `count` is [`ENDLESS`].
pub(crate) fn array_leaves(types: &Types, elem: TypeId, count: u64) -> Option<Vec<Leaf>> {
    let mut out = Vec::new();
    collect_array(types, elem, count, 0, String::new(), &mut out)?;
    out.sort_by_key(|l| l.bit);
    Some(out)
}

fn collect(types: &Types, ty: TypeId, bit: u64, path: String, out: &mut Vec<Leaf>) -> Option<()> {
    if out.len() > MAX_LEAVES {
        return None;
    }
    if let Some((bits, repr)) = scalar(types, ty) {
        out.push(Leaf {
            bit,
            bits,
            repr,
            signed: matches!(&types[ty], Type::Int(int) if int.signed),
            array: None,
            path,
        });
        return Some(());
    }
    match &types[ty] {
        Type::Array { elem, len } => collect_array(types, *elem, *len, bit, path, out),
        Type::Record(id) => {
            let record = &types.records[*id];
            let named = |n: usize| match record.fields[n].name.as_str() {
                "" => path.clone(),
                name => format!("{path}.{name}"),
            };
            if record.kind == RecordKind::Union {
                // The largest member stands for all; others are seen through it.
                let size = |n: &usize| types.size_of(record.fields[*n].ty);
                let largest = (0..record.fields.len()).rev().max_by_key(size)?;
                let field = &record.fields[largest];
                return collect(types, field.ty, bit + field.bit_offset, named(largest), out);
            }
            for (n, field) in record.fields.iter().enumerate() {
                collect(types, field.ty, bit + field.bit_offset, named(n), out)?;
            }
            Some(())
        }
        _ => Some(()),
    }
}

fn collect_array(
    types: &Types,
    elem: TypeId,
    count: u64,
    bit: u64,
    path: String,
    out: &mut Vec<Leaf>,
) -> Option<()> {
    let stride = types.size_of(elem);
    if stride == 0 || count == 0 {
        return Some(());
    }
    if count <= EXPAND {
        for n in 0..count {
            collect(
                types,
                elem,
                bit + n * stride * 8,
                format!("{path}[{n}]"),
                out,
            )?;
        }
        return Some(());
    }
    let mut inner = Vec::new();
    collect(types, elem, 0, String::new(), &mut inner)?;
    for leaf in inner {
        let array = match leaf.array {
            None => Some((stride, count)),
            // An array of arrays is one long array when nothing lies between.
            Some((step, n)) if step * n == stride => Some((step, n.saturating_mul(count))),
            Some(_) => return None,
        };
        let path = format!("{path}[]{}", leaf.path);
        out.push(Leaf {
            bit: bit + leaf.bit,
            array,
            path,
            ..leaf
        });
    }
    Some(())
}

/// An object.
#[derive(Clone, Debug)]
pub(crate) struct Object {
    pub(crate) kind: ObjectKind,
    /// Its size in bytes, if that is a constant.
    pub(crate) size: Option<u64>,
    /// A cell that holds its size, if that is not.
    pub(crate) size_cell: Option<CellId>,
    /// A cell that says whether it may be accessed, for objects that end.
    pub(crate) valid_cell: Option<CellId>,
    /// A cell that says whether code outside was told where it is, if that is followed.
    pub(crate) given_cell: Option<CellId>,
    /// Stands for several objects: what is read from it is anything.
    pub(crate) summary: bool,
    /// Ends with the call that allocated it, and is never freed.
    pub(crate) on_stack: bool,
    /// Its first contents are zeros.
    pub(crate) zeroed: bool,
    /// The guard under which it was allocated.
    pub(crate) born: Option<cwolf_logic::Term>,
    /// Its cells, once an access says what they are.
    pub(crate) layout: Option<Layout>,
}

/// How an object is made of cells.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    pub(crate) leaves: Vec<Leaf>,
    /// The cell of each leaf.
    pub(crate) cells: Vec<CellId>,
    /// Nothing is known of its parts: reads are anything, writes go nowhere.
    pub(crate) opaque: bool,
}

/// What a cell belongs to.
#[derive(Clone, Debug)]
pub(crate) enum CellKind {
    /// A leaf of an object.
    Leaf(ObjId, u32),
    /// A register of a call.
    Reg(ContextId, cwolf_cwi::RegId),
    /// The result of a call that is not used up when a block of a procedure starts.
    Result(ContextId, BlockId),
    /// The size of an object.
    Size(ObjId),
    /// Whether an object may be accessed.
    Valid(ObjId),
    /// Whether code outside was told where an object is.
    Given(ObjId),
}

/// A cell.
#[derive(Clone, Debug)]
pub(crate) struct Cell {
    pub(crate) kind: CellKind,
    pub(crate) sort: Sort,
    pub(crate) repr: Repr,
}
