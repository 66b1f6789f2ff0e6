//! Types: what a value looks like and where its parts lie. Scalars are structural and
//! interned, so equal types have equal ids; records are nominal.
//!
//! There is no `int` or `long` here, only widths: the front end has already decided every
//! conversion. A bit-field of three bits has the type `i3` or `u3`.

use crate::target::Target;
use cwolf_base::IndexVec;
use cwolf_float::Format;
use rustc_hash::FxHashMap;

cwolf_base::index! {
    /// A type.
    TypeId
    /// A struct or union.
    RecordId
}

/// An integer type of 1 to 128 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct IntTy {
    /// Width, 1 to 128.
    pub bits: u16,
    /// Two's complement, or non-negative.
    pub signed: bool,
}

impl IntTy {
    /// C's `int`, the type of every comparison.
    pub const INT: IntTy = IntTy::new(32, true);
    /// An integer type of `bits` bits.
    pub const fn new(bits: u16, signed: bool) -> IntTy {
        IntTy { bits, signed }
    }
    /// Bytes that a whole object of this type takes: the next power of two.
    pub const fn size(self) -> u64 {
        (self.bits as u64).div_ceil(8).next_power_of_two()
    }
}

/// A floating type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FloatTy {
    /// IEEE half: `_Float16`.
    F16,
    /// IEEE single: `float`.
    F32,
    /// IEEE double: `double`.
    F64,
    /// The x87 80-bit format: `long double`.
    F80,
    /// IEEE quadruple: `_Float128`.
    F128,
}

impl FloatTy {
    /// Its format.
    pub const fn format(self) -> Format {
        match self {
            FloatTy::F16 => Format::F16,
            FloatTy::F32 => Format::F32,
            FloatTy::F64 => Format::F64,
            FloatTy::F80 => Format::F80,
            FloatTy::F128 => Format::F128,
        }
    }
    /// The bits of its encoding.
    pub const fn bits(self) -> u16 {
        self.format().bits()
    }
}

/// A function's type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FuncTy {
    /// What it returns; `Void` for nothing.
    pub ret: TypeId,
    /// The types of its named parameters.
    pub params: Vec<TypeId>,
    /// Whether more arguments may follow, or (in old C) nothing is known of the parameters.
    pub variadic: bool,
}

/// What a [`TypeId`] stands for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// No value.
    Void,
    /// C's `_Bool`: one byte that holds 0 or 1.
    Bool,
    /// An integer.
    Int(IntTy),
    /// A floating-point number.
    Float(FloatTy),
    /// A pointer to objects (or functions) of the given type.
    Pointer(TypeId),
    /// `len` elements in a row; 0 also stands for a flexible or unknown length.
    Array {
        /// The type of each element.
        elem: TypeId,
        /// How many.
        len: u64,
    },
    /// A struct or union.
    Record(RecordId),
    /// A function.
    Func(FuncTy),
}

/// Struct or union.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RecordKind {
    /// Fields one after the other.
    Struct,
    /// Fields on top of each other.
    Union,
}

/// A member of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// Its name; empty for an anonymous struct or union.
    pub name: String,
    /// Its type; a bit-field's is an integer of the field's own width, also where C says `_Bool`.
    pub ty: TypeId,
    /// Where it starts, in bits from the start of the record, counted as [`Target::low_bit`] says.
    pub bit_offset: u64,
    /// Whether it is a bit-field (so it has no address).
    pub bit_field: bool,
}

/// A struct or union with its layout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// Its tag, or a name made up for an untagged one.
    pub name: String,
    /// Struct or union.
    pub kind: RecordKind,
    /// Named members and anonymous records, in order; unnamed bit-fields are left out.
    pub fields: Vec<Field>,
    /// Size in bytes.
    pub size: u64,
    /// Alignment in bytes.
    pub align: u64,
    /// False while only declared (`struct s;`).
    pub complete: bool,
}

impl Record {
    /// Its tag as C has it: none for an untagged one, and the same for records of other scopes. Names are
    /// made different by a number after `#`, which says where in its file a record stands.
    pub fn tag(&self) -> Option<&str> {
        match self.name.split_once('#') {
            Some(("anon", _)) => None,
            Some((tag, _)) => Some(tag),
            None => Some(&self.name),
        }
    }
}

/// All types of a program.
#[derive(Clone, Debug)]
pub struct Types {
    target: Target,
    list: IndexVec<TypeId, Type>,
    ids: FxHashMap<Type, TypeId>,
    /// All records of the program.
    pub records: IndexVec<RecordId, Record>,
}

impl Types {
    /// `Void` has this id in every table.
    pub const VOID: TypeId = TypeId(0);
    /// C's `int` has this id in every table.
    pub const INT: TypeId = TypeId(1);
    /// `Bool` has this id in every table.
    pub const BOOL: TypeId = TypeId(2);
    /// The plain byte `i8` (C's `char`) has this id in every table.
    pub const CHAR: TypeId = TypeId(3);

    /// A table with the fixed types above.
    pub fn new(target: Target) -> Types {
        let mut types = Types {
            target,
            list: IndexVec::new(),
            ids: FxHashMap::default(),
            records: IndexVec::new(),
        };
        types.intern(Type::Void);
        types.intern(Type::Int(IntTy::INT));
        types.intern(Type::Bool);
        types.intern(Type::Int(IntTy::new(8, true)));
        types
    }
    /// The machine these types are laid out for.
    pub fn target(&self) -> Target {
        self.target
    }
    /// The id of `ty`, new or known.
    pub fn intern(&mut self, ty: Type) -> TypeId {
        if let Some(&id) = self.ids.get(&ty) {
            return id;
        }
        let id = self.list.push(ty.clone());
        self.ids.insert(ty, id);
        id
    }
    /// The id of `ty`, if the table has it.
    pub fn lookup(&self, ty: &Type) -> Option<TypeId> {
        self.ids.get(ty).copied()
    }
    /// The integer type of `bits` bits.
    pub fn int(&mut self, bits: u16, signed: bool) -> TypeId {
        self.intern(Type::Int(IntTy::new(bits, signed)))
    }
    /// A floating type.
    pub fn float(&mut self, ty: FloatTy) -> TypeId {
        self.intern(Type::Float(ty))
    }
    /// The pointer type to `pointee`.
    pub fn pointer(&mut self, pointee: TypeId) -> TypeId {
        self.intern(Type::Pointer(pointee))
    }
    /// The array type of `len` times `elem`.
    pub fn array(&mut self, elem: TypeId, len: u64) -> TypeId {
        self.intern(Type::Array { elem, len })
    }
    /// The type of the record `id`.
    pub fn record(&mut self, id: RecordId) -> TypeId {
        self.intern(Type::Record(id))
    }
    /// How many types there are.
    pub fn len(&self) -> usize {
        self.list.len()
    }
    /// Never true: the fixed types are always there.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }
    /// All types with their ids; a type refers only to records and to types before it.
    pub fn enumerate(
        &self,
    ) -> impl DoubleEndedIterator<Item = (TypeId, &Type)> + ExactSizeIterator {
        self.list.enumerate()
    }
    /// Whether `id` is in the table.
    pub fn contains(&self, id: TypeId) -> bool {
        self.list.get(id).is_some()
    }
    /// The integer type that `id` stands for; `Bool` is not one.
    pub fn as_int(&self, id: TypeId) -> Option<IntTy> {
        match self[id] {
            Type::Int(ty) => Some(ty),
            _ => None,
        }
    }
    /// What a pointer of type `id` points to.
    pub fn pointee(&self, id: TypeId) -> Option<TypeId> {
        match self[id] {
            Type::Pointer(to) => Some(to),
            _ => None,
        }
    }
    /// The record that `id` stands for.
    pub fn as_record(&self, id: TypeId) -> Option<RecordId> {
        match self[id] {
            Type::Record(record) => Some(record),
            _ => None,
        }
    }
    /// Whether values of this type are single numbers or pointers.
    pub fn is_scalar(&self, id: TypeId) -> bool {
        matches!(
            self[id],
            Type::Bool | Type::Int(_) | Type::Float(_) | Type::Pointer(_)
        )
    }
    /// Whether values of this type are arrays or records.
    pub fn is_aggregate(&self, id: TypeId) -> bool {
        matches!(self[id], Type::Array { .. } | Type::Record(_))
    }
    /// Size in bytes of an object of this type. `void` and functions count one byte, as in
    /// GNU C; an incomplete record none.
    pub fn size_of(&self, id: TypeId) -> u64 {
        match &self[id] {
            Type::Void | Type::Bool | Type::Func(_) => 1,
            Type::Int(ty) => ty.size(),
            Type::Float(ty) => self.target.float(*ty).0,
            Type::Pointer(_) => self.target.pointer_size(),
            Type::Array { elem, len } => self.size_of(*elem).saturating_mul(*len),
            Type::Record(record) => self.records[*record].size,
        }
    }
    /// Alignment in bytes that a member of this type has in a record.
    pub fn align_of(&self, id: TypeId) -> u64 {
        match &self[id] {
            Type::Void | Type::Bool | Type::Func(_) => 1,
            Type::Int(ty) => ty.size().min(self.target.most_align),
            Type::Float(ty) => self.target.float(*ty).1,
            Type::Pointer(_) => self.target.pointer_size().min(self.target.most_align),
            Type::Array { elem, .. } => self.align_of(*elem),
            Type::Record(record) => self.records[*record].align,
        }
    }
    /// The type as a person reads it: `i32`, `*u8`, `[4 x struct list]`.
    pub fn name(&self, id: TypeId) -> String {
        match &self[id] {
            Type::Void => "void".into(),
            Type::Bool => "bool".into(),
            Type::Int(ty) => format!("{}{}", if ty.signed { 'i' } else { 'u' }, ty.bits),
            Type::Float(ty) => format!("{ty:?}").to_lowercase(),
            Type::Pointer(to) => format!("*{}", self.name(*to)),
            Type::Array { elem, len } => format!("[{len} x {}]", self.name(*elem)),
            Type::Record(id) => {
                let record = &self.records[*id];
                let kind = match record.kind {
                    RecordKind::Struct => "struct",
                    RecordKind::Union => "union",
                };
                format!("{kind} {}", record.name)
            }
            Type::Func(ty) => {
                let mut params: Vec<_> = ty.params.iter().map(|p| self.name(*p)).collect();
                if ty.variadic {
                    params.push("...".into());
                }
                format!("fn({}) {}", params.join(", "), self.name(ty.ret))
            }
        }
    }
}

impl std::ops::Index<TypeId> for Types {
    type Output = Type;
    fn index(&self, id: TypeId) -> &Type {
        &self.list[id]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_types_have_equal_ids() {
        let mut types = Types::new(Target::X86_64);
        let a = types.int(32, true);
        assert_eq!(a, Types::INT);
        let p = types.pointer(a);
        assert_eq!(p, types.pointer(Types::INT));
        assert_eq!(types.name(p), "*i32");
    }

    #[test]
    fn sizes_follow_the_target() {
        for (target, pointer, long_double, align) in
            [(Target::X86_64, 8, 16, 8), (Target::I386, 4, 12, 4)]
        {
            let mut types = Types::new(target);
            let p = types.pointer(Types::VOID);
            let f = types.float(FloatTy::F80);
            let l = types.int(64, true);
            assert_eq!(types.size_of(p), pointer);
            assert_eq!(types.size_of(f), long_double);
            assert_eq!(types.align_of(l), align);
            assert_eq!(types.size_of(l), 8);
        }
    }
}
