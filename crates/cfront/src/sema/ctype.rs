//! C's own types: what the program says before widths and layouts decide. They are interned, so
//! equal types have equal ids; qualifiers (and a typedef's `aligned`) sit beside the id.

use crate::ast;
use cwolf_base::{IndexVec, Span, Symbol};
use cwolf_cwi::{FloatTy, IntTy, RecordId, Target, TypeId, VarId, WideChar};
use rustc_hash::FxHashMap;
use std::rc::Rc;

cwolf_base::index! {
    /// An unqualified C type.
    CTy
    /// An enumeration.
    EnumId
}

/// A set of type qualifiers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Quals(u8);

impl Quals {
    pub const NONE: Quals = Quals(0);
    pub const CONST: Quals = Quals(1);
    pub const VOLATILE: Quals = Quals(2);
    pub const RESTRICT: Quals = Quals(4);
    pub const ATOMIC: Quals = Quals(8);

    pub fn has(self, other: Quals) -> bool {
        self.0 & other.0 == other.0
    }
    pub fn with(self, other: Quals) -> Quals {
        Quals(self.0 | other.0)
    }
    pub fn without(self, other: Quals) -> Quals {
        Quals(self.0 & !other.0)
    }
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }
    pub fn from_ast(quals: ast::Quals) -> Quals {
        let one = |on: bool, q: Quals| if on { q.0 } else { 0 };
        Quals(
            one(quals.constant, Quals::CONST)
                | one(quals.volatile, Quals::VOLATILE)
                | one(quals.restrict, Quals::RESTRICT)
                | one(quals.atomic, Quals::ATOMIC),
        )
    }
    /// The words, each followed by a space.
    pub fn words(self) -> String {
        let mut text = String::new();
        for (q, word) in [
            (Quals::CONST, "const "),
            (Quals::VOLATILE, "volatile "),
            (Quals::RESTRICT, "restrict "),
            (Quals::ATOMIC, "_Atomic "),
        ] {
            if self.has(q) {
                text.push_str(word);
            }
        }
        text
    }
}

/// A type with its qualifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct QType {
    pub ty: CTy,
    pub quals: Quals,
    /// A typedef's `aligned(n)`: one more than the logarithm of n; 0 for none.
    pub align: u8,
}

impl QType {
    pub const fn plain(ty: CTy) -> QType {
        QType {
            ty,
            quals: Quals(0),
            align: 0,
        }
    }
    pub fn unqualified(self) -> QType {
        QType::plain(self.ty)
    }
    /// The same without qualifiers, but still aligned.
    pub fn without_quals(self) -> QType {
        QType {
            quals: Quals::NONE,
            ..self
        }
    }
    pub fn user_align(self) -> Option<u64> {
        (self.align > 0).then(|| 1 << (self.align - 1))
    }
    pub fn aligned(self, align: Option<u64>) -> QType {
        match align {
            Some(n) if n.is_power_of_two() => QType {
                align: n.trailing_zeros() as u8 + 1,
                ..self
            },
            _ => self,
        }
    }
    pub fn is_volatile(self) -> bool {
        self.quals.has(Quals::VOLATILE)
    }
}

/// Standard integer types, in order of rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum IntKind {
    Char,
    SChar,
    UChar,
    Short,
    UShort,
    Int,
    UInt,
    Long,
    ULong,
    LongLong,
    ULongLong,
    Int128,
    UInt128,
}

impl IntKind {
    pub const ALL: [IntKind; 13] = [
        IntKind::Char,
        IntKind::SChar,
        IntKind::UChar,
        IntKind::Short,
        IntKind::UShort,
        IntKind::Int,
        IntKind::UInt,
        IntKind::Long,
        IntKind::ULong,
        IntKind::LongLong,
        IntKind::ULongLong,
        IntKind::Int128,
        IntKind::UInt128,
    ];
    pub fn int_ty(self, target: Target) -> IntTy {
        use IntKind::*;
        let bits = match self {
            Char | SChar | UChar => 8,
            Short | UShort => 16,
            Int | UInt => target.int_bits,
            Long | ULong => target.long_bits,
            LongLong | ULongLong => 64,
            Int128 | UInt128 => 128,
        };
        let signed = match self {
            Char => target.char_signed,
            UChar | UShort | UInt | ULong | ULongLong | UInt128 => false,
            _ => true,
        };
        IntTy::new(bits, signed)
    }
    pub fn rank(self) -> u8 {
        use IntKind::*;
        match self {
            Char | SChar | UChar => 1,
            Short | UShort => 2,
            Int | UInt => 3,
            Long | ULong => 4,
            LongLong | ULongLong => 5,
            Int128 | UInt128 => 6,
        }
    }
    /// The type of the same rank with the given signedness.
    pub fn with_sign(self, signed: bool) -> IntKind {
        use IntKind::*;
        match (self.rank(), signed) {
            (1, true) => SChar,
            (1, false) => UChar,
            (2, true) => Short,
            (2, false) => UShort,
            (3, true) => Int,
            (3, false) => UInt,
            (4, true) => Long,
            (4, false) => ULong,
            (5, true) => LongLong,
            (5, false) => ULongLong,
            (_, true) => Int128,
            (_, false) => UInt128,
        }
    }
    fn name(self) -> &'static str {
        use IntKind::*;
        match self {
            Char => "char",
            SChar => "signed char",
            UChar => "unsigned char",
            Short => "short",
            UShort => "unsigned short",
            Int => "int",
            UInt => "unsigned int",
            Long => "long",
            ULong => "unsigned long",
            LongLong => "long long",
            ULongLong => "unsigned long long",
            Int128 => "__int128",
            UInt128 => "unsigned __int128",
        }
    }
}

/// Floating types, in order of the usual arithmetic conversions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum FloatKind {
    Float16,
    /// What arithmetic on `_Float16` gives: still that type, but with the digits of `float` until it is
    /// stored or passed on (gcc on machines without such arithmetic, C23 5.2.5.3.3).
    Float16Excess,
    Float,
    Float32,
    Double,
    Float64,
    Float32x,
    LongDouble,
    Float64x,
    Float128,
}

impl FloatKind {
    const ALL: [FloatKind; 10] = [
        FloatKind::Float16,
        FloatKind::Float16Excess,
        FloatKind::Float,
        FloatKind::Float32,
        FloatKind::Double,
        FloatKind::Float64,
        FloatKind::Float32x,
        FloatKind::LongDouble,
        FloatKind::Float64x,
        FloatKind::Float128,
    ];
    /// Its format; what has none on a target is refused before.
    pub fn float_ty(self, target: Target) -> FloatTy {
        use FloatKind::*;
        match self {
            Float16 => FloatTy::F16,
            Float16Excess | Float | Float32 => FloatTy::F32,
            Double => target.double,
            Float64 | Float32x => FloatTy::F64,
            LongDouble => target.long_double.unwrap_or(FloatTy::F128),
            Float64x if target.is_x86 => FloatTy::F80,
            Float64x | Float128 => FloatTy::F128,
        }
    }
    /// The first kind of the same format.
    pub fn plain(self, target: Target) -> FloatKind {
        let same = |k: &FloatKind| {
            *k != FloatKind::Float16Excess && k.float_ty(target) == self.float_ty(target)
        };
        FloatKind::ALL.into_iter().find(same).unwrap_or(self)
    }
    fn name(self) -> &'static str {
        use FloatKind::*;
        match self {
            Float16 | Float16Excess => "_Float16",
            Float => "float",
            Float32 => "_Float32",
            Double => "double",
            Float64 => "_Float64",
            Float32x => "_Float32x",
            LongDouble => "long double",
            Float64x => "_Float64x",
            Float128 => "_Float128",
        }
    }
}

/// How many elements an array has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Len {
    Known(u64),
    /// `[]`
    Unknown,
    /// Variable length: the hidden variable that holds the number of elements.
    Vla(VarId),
    /// Variable length in a prototype: `[*]`.
    Star,
}

/// A function's type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct CFunc {
    pub ret: QType,
    /// Parameter types after array and function decay.
    pub params: Vec<QType>,
    pub variadic: bool,
    /// Whether the parameters are known.
    pub prototype: bool,
}

/// What a [`CTy`] stands for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum CKind {
    /// Something wrong, already reported.
    Error,
    Void,
    Bool,
    Int(IntKind),
    /// `_BitInt(n)`, and the type that gcc gives to bit-fields wider than `int`.
    Wide {
        bits: u16,
        signed: bool,
    },
    Float(FloatKind),
    /// `_Complex` of a real type: a record of the real and the imaginary part.
    Complex(CTy),
    /// `vector_size`: a record of one array.
    Vector {
        elem: CTy,
        len: u64,
    },
    Enum(EnumId),
    Pointer(QType),
    Array {
        elem: QType,
        len: Len,
    },
    Func(Rc<CFunc>),
    Record(RecordId),
    /// C23's `nullptr_t`.
    Nullptr,
    /// A type this tool does not model: its size, and its name for the user.
    Unsupported {
        size: u64,
        name: &'static str,
    },
}

/// An enumeration.
#[derive(Clone, Debug)]
pub(crate) struct EnumInfo {
    pub tag: Option<Symbol>,
    /// The integer type it is compatible with.
    pub underlying: CTy,
    pub complete: bool,
    pub span: Span,
}

/// A member, as C sees it; its number is that of the CWI record's field.
#[derive(Clone, Debug)]
pub(crate) struct CField {
    /// None for an anonymous struct or union.
    pub name: Option<Symbol>,
    pub ty: QType,
    /// The width of a bit-field.
    pub bits: Option<u16>,
    /// Its alignment in the record, unless it is a bit-field.
    pub align: Option<u64>,
}

/// A struct or union, as C sees it.
#[derive(Clone, Debug)]
pub(crate) struct RecordInfo {
    pub tag: Option<Symbol>,
    pub union: bool,
    pub fields: Vec<CField>,
    /// Members by name, also those of anonymous members: the numbers of the fields to step
    /// through.
    pub members: FxHashMap<Symbol, Vec<u32>>,
    pub complete: bool,
    pub transparent: bool,
    /// The last member is a flexible array.
    pub flexible: bool,
    /// Where its members lie, if some of them have variable length.
    pub runtime: Option<Runtime>,
    /// Its bytes are laid out in a way that is not modelled: what that is.
    pub foreign: Option<&'static str>,
    /// Some member cannot be modelled: its name.
    pub unsupported: Option<&'static str>,
    pub span: Span,
}

/// The layout of a struct with members of variable length: hidden variables of its function.
#[derive(Clone, Debug)]
pub(crate) struct Runtime {
    pub size: VarId,
    pub offsets: Vec<VarId>,
}

/// All C types of a file.
#[derive(Debug)]
pub(crate) struct CTypes {
    pub target: Target,
    list: IndexVec<CTy, CKind>,
    ids: FxHashMap<CKind, CTy>,
    pub enums: IndexVec<EnumId, EnumInfo>,
    pub records: IndexVec<RecordId, RecordInfo>,
    /// The CWI type of each type that has been asked for.
    pub cwi: Vec<Option<TypeId>>,
}

impl CTypes {
    pub const ERROR: CTy = CTy(0);
    pub const VOID: CTy = CTy(1);
    pub const BOOL: CTy = CTy(2);
    pub const NULLPTR: CTy = CTy(3);
    pub const CHAR: CTy = CTypes::int_id(IntKind::Char);
    pub const UCHAR: CTy = CTypes::int_id(IntKind::UChar);
    pub const INT: CTy = CTypes::int_id(IntKind::Int);
    pub const UINT: CTy = CTypes::int_id(IntKind::UInt);
    pub const LONG: CTy = CTypes::int_id(IntKind::Long);
    pub const ULONG: CTy = CTypes::int_id(IntKind::ULong);
    pub const DOUBLE: CTy = CTypes::float_id(FloatKind::Double);

    /// The fixed id of a standard integer type.
    pub const fn int_id(kind: IntKind) -> CTy {
        CTy(4 + kind as u32)
    }
    /// The fixed id of a floating type.
    pub const fn float_id(kind: FloatKind) -> CTy {
        CTy(4 + IntKind::ALL.len() as u32 + kind as u32)
    }

    pub fn new(target: Target) -> CTypes {
        let mut types = CTypes {
            target,
            list: IndexVec::new(),
            ids: FxHashMap::default(),
            enums: IndexVec::new(),
            records: IndexVec::new(),
            cwi: Vec::new(),
        };
        for kind in [CKind::Error, CKind::Void, CKind::Bool, CKind::Nullptr] {
            types.intern(kind);
        }
        for kind in IntKind::ALL {
            let id = types.intern(CKind::Int(kind));
            debug_assert_eq!(id, CTypes::int_id(kind), "fixed ids");
        }
        for kind in FloatKind::ALL {
            let id = types.intern(CKind::Float(kind));
            debug_assert_eq!(id, CTypes::float_id(kind), "fixed ids");
        }
        types
    }
    /// A type without digits that are in excess of it.
    pub fn without_excess(&mut self, ty: CTy) -> CTy {
        match self.list[ty] {
            CKind::Float(FloatKind::Float16Excess) => CTypes::float_id(FloatKind::Float16),
            CKind::Complex(part) => {
                let part = self.without_excess(part);
                self.intern(CKind::Complex(part))
            }
            _ => ty,
        }
    }
    pub fn intern(&mut self, kind: CKind) -> CTy {
        if let Some(&id) = self.ids.get(&kind) {
            return id;
        }
        let id = self.list.push(kind.clone());
        self.ids.insert(kind, id);
        self.cwi.push(None);
        id
    }
    pub fn kind(&self, ty: CTy) -> &CKind {
        &self.list[ty]
    }
    pub fn pointer(&mut self, to: QType) -> CTy {
        self.intern(CKind::Pointer(to))
    }
    pub fn array(&mut self, elem: QType, len: Len) -> CTy {
        self.intern(CKind::Array { elem, len })
    }
    /// `size_t`'s type.
    pub fn size_t(&self) -> CTy {
        match self.target.long_size {
            true => CTypes::ULONG,
            false => CTypes::UINT,
        }
    }
    /// What a type of lower rank than `int` becomes when it is promoted: `unsigned short` has values that
    /// an `int` of 16 bits does not have.
    pub fn promoted_small(&self, kind: IntKind) -> CTy {
        let (small, int) = (kind.int_ty(self.target), IntKind::Int.int_ty(self.target));
        match !small.signed && small.bits >= int.bits {
            true => CTypes::UINT,
            false => CTypes::INT,
        }
    }
    /// `ptrdiff_t`'s type.
    pub fn ptrdiff_t(&self) -> CTy {
        match self.target.long_size {
            true => CTypes::LONG,
            false => CTypes::INT,
        }
    }
    /// `wchar_t`'s type.
    pub fn wchar_t(&self) -> CTy {
        match self.target.wide_char {
            WideChar::Int => CTypes::INT,
            WideChar::Uint => CTypes::UINT,
            WideChar::Long => CTypes::LONG,
        }
    }
    pub fn pointee(&self, ty: CTy) -> Option<QType> {
        match self.list[ty] {
            CKind::Pointer(to) => Some(to),
            _ => None,
        }
    }
    pub fn as_array(&self, ty: CTy) -> Option<(QType, Len)> {
        match self.list[ty] {
            CKind::Array { elem, len } => Some((elem, len)),
            _ => None,
        }
    }
    pub fn as_func(&self, ty: CTy) -> Option<Rc<CFunc>> {
        match &self.list[ty] {
            CKind::Func(func) => Some(func.clone()),
            _ => None,
        }
    }
    pub fn as_record(&self, ty: CTy) -> Option<RecordId> {
        match self.list[ty] {
            CKind::Record(id) => Some(id),
            _ => None,
        }
    }
    pub fn is_void(&self, ty: CTy) -> bool {
        ty == CTypes::VOID
    }
    pub fn is_error(&self, ty: CTy) -> bool {
        ty == CTypes::ERROR
    }
    pub fn is_func(&self, ty: CTy) -> bool {
        matches!(self.list[ty], CKind::Func(_))
    }
    pub fn is_pointer(&self, ty: CTy) -> bool {
        matches!(self.list[ty], CKind::Pointer(_))
    }
    pub fn is_integer(&self, ty: CTy) -> bool {
        matches!(
            self.list[ty],
            CKind::Bool | CKind::Int(_) | CKind::Wide { .. } | CKind::Enum(_)
        )
    }
    pub fn is_float(&self, ty: CTy) -> bool {
        matches!(self.list[ty], CKind::Float(_))
    }
    /// Whether it is a real arithmetic type; complex ones are apart.
    pub fn is_arithmetic(&self, ty: CTy) -> bool {
        self.is_integer(ty) || self.is_float(ty)
    }
    /// The type of both parts of a complex type.
    pub fn complex_part(&self, ty: CTy) -> Option<CTy> {
        match self.list[ty] {
            CKind::Complex(part) => Some(part),
            _ => None,
        }
    }
    /// Elements of a vector type, and their number.
    pub fn as_vector(&self, ty: CTy) -> Option<(CTy, u64)> {
        match self.list[ty] {
            CKind::Vector { elem, len } => Some((elem, len)),
            _ => None,
        }
    }
    /// Whether it is real or complex.
    pub fn is_number(&self, ty: CTy) -> bool {
        self.is_arithmetic(ty) || self.complex_part(ty).is_some()
    }
    pub fn is_scalar(&self, ty: CTy) -> bool {
        self.is_arithmetic(ty) || self.is_pointer(ty) || ty == CTypes::NULLPTR
    }
    /// Whether its size depends on a run-time value.
    pub fn is_vla(&self, ty: CTy) -> bool {
        match self.list[ty] {
            CKind::Array { elem, len } => {
                matches!(len, Len::Vla(_) | Len::Star) || self.is_vla(elem.ty)
            }
            CKind::Record(id) => self.records[id].runtime.is_some(),
            _ => false,
        }
    }
    /// Whether a variable-length array occurs anywhere in it.
    pub fn is_variably_modified(&self, ty: CTy) -> bool {
        match &self.list[ty] {
            CKind::Array { elem, len } => {
                matches!(len, Len::Vla(_) | Len::Star) || self.is_variably_modified(elem.ty)
            }
            CKind::Record(id) => self.records[*id].runtime.is_some(),
            CKind::Pointer(to) => self.is_variably_modified(to.ty),
            CKind::Func(func) => self.is_variably_modified(func.ret.ty),
            _ => false,
        }
    }
    /// Whether objects of it have a size.
    pub fn is_complete(&self, ty: CTy) -> bool {
        match self.list[ty] {
            CKind::Void | CKind::Func(_) => false,
            CKind::Array { elem, len } => len != Len::Unknown && self.is_complete(elem.ty),
            CKind::Record(id) => self.records[id].complete,
            CKind::Enum(id) => self.enums[id].complete,
            _ => true,
        }
    }
    /// The integer type behind an enumeration; any other type is itself.
    pub fn strip_enum(&self, ty: CTy) -> CTy {
        match self.list[ty] {
            CKind::Enum(id) => self.enums[id].underlying,
            _ => ty,
        }
    }
    /// Width and signedness of an integer type.
    pub fn int_ty(&self, ty: CTy) -> Option<IntTy> {
        match self.list[self.strip_enum(ty)] {
            CKind::Bool => Some(IntTy::new(1, false)),
            CKind::Int(kind) => Some(kind.int_ty(self.target)),
            CKind::Wide { bits, signed } => Some(IntTy::new(bits, signed)),
            _ => None,
        }
    }
    /// What makes the type impossible to model, if anything does.
    pub fn unsupported(&self, ty: CTy) -> Option<&'static str> {
        match &self.list[ty] {
            CKind::Unsupported { name, .. } => Some(name),
            CKind::Array { elem, .. } => self.unsupported(elem.ty),
            CKind::Record(id) => self.records[*id].unsupported,
            CKind::Func(func) => {
                let mut all = func.params.iter().chain([&func.ret]);
                all.find_map(|t| self.unsupported(t.ty))
            }
            _ => None,
        }
    }
    /// The smallest standard type with at least `bits` bits.
    pub fn int_of_bits(&self, bits: u16, signed: bool) -> CTy {
        let kind = [
            IntKind::SChar,
            IntKind::Short,
            IntKind::Int,
            IntKind::Long,
            IntKind::LongLong,
            IntKind::Int128,
        ]
        .into_iter()
        .find(|k| k.int_ty(self.target).bits >= bits)
        .unwrap_or(IntKind::Int128);
        CTypes::int_id(kind.with_sign(signed))
    }
    /// `ty` with more qualifiers; those of an array belong to its elements.
    pub fn qualify(&mut self, ty: QType, quals: Quals) -> QType {
        if quals.is_empty() {
            return ty;
        }
        if let CKind::Array { elem, len } = self.list[ty.ty] {
            let elem = self.qualify(elem, quals);
            return QType {
                ty: self.array(elem, len),
                ..ty
            };
        }
        QType {
            quals: ty.quals.with(quals),
            ..ty
        }
    }
    /// The type as C writes it.
    pub fn name(&self, ty: QType, names: &cwolf_base::Interner) -> String {
        let mut text = String::new();
        self.write_name(ty, String::new(), names, &mut text);
        text
    }
    fn write_name(&self, ty: QType, inner: String, names: &cwolf_base::Interner, out: &mut String) {
        let base = |word: &str, out: &mut String| {
            out.push_str(&ty.quals.words());
            out.push_str(word);
            if !inner.is_empty() {
                out.push(' ');
                out.push_str(&inner);
            }
        };
        let tagged = |kind: &str, tag: Option<Symbol>| match tag {
            Some(tag) => format!("{kind} {}", names.text(tag)),
            None => format!("{kind} <anonymous>"),
        };
        match &self.list[ty.ty] {
            CKind::Error => base("<error>", out),
            CKind::Void => base("void", out),
            CKind::Bool => base("_Bool", out),
            CKind::Int(kind) => base(kind.name(), out),
            CKind::Wide { bits, signed } => {
                let word = if *signed {
                    "_BitInt"
                } else {
                    "unsigned _BitInt"
                };
                base(&format!("{word}({bits})"), out);
            }
            CKind::Float(kind) => base(kind.name(), out),
            CKind::Complex(part) => {
                let part = self.name(QType::plain(*part), names);
                base(&format!("_Complex {part}"), out);
            }
            CKind::Vector { elem, len } => {
                let elem = self.name(QType::plain(*elem), names);
                base(&format!("vector of {len} {elem}"), out);
            }
            CKind::Enum(id) => base(&tagged("enum", self.enums[*id].tag), out),
            CKind::Record(id) => {
                let info = &self.records[*id];
                let kind = if info.union { "union" } else { "struct" };
                base(&tagged(kind, info.tag), out);
            }
            CKind::Nullptr => base("nullptr_t", out),
            CKind::Unsupported { name, .. } => base(name, out),
            CKind::Pointer(to) => {
                let quals = ty.quals.words();
                let star = format!(
                    "*{}{inner}",
                    if inner.is_empty() {
                        quals.trim_end()
                    } else {
                        &quals
                    }
                );
                let wrapped = match self.list[to.ty] {
                    CKind::Array { .. } | CKind::Func(_) => format!("({star})"),
                    _ => star,
                };
                self.write_name(*to, wrapped, names, out);
            }
            CKind::Array { elem, len } => {
                let len = match len {
                    Len::Known(n) => n.to_string(),
                    Len::Unknown => String::new(),
                    Len::Vla(_) | Len::Star => "*".into(),
                };
                self.write_name(*elem, format!("{inner}[{len}]"), names, out);
            }
            CKind::Func(func) => {
                let mut params: Vec<String> =
                    func.params.iter().map(|p| self.name(*p, names)).collect();
                match (func.prototype, params.is_empty(), func.variadic) {
                    (true, true, false) => params.push("void".into()),
                    (true, _, true) => params.push("...".into()),
                    _ => {}
                }
                let inner = format!("{inner}({})", params.join(", "));
                self.write_name(func.ret, inner, names, out);
            }
        }
    }
}
