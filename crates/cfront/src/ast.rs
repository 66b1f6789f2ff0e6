//! The syntax tree: what the parser saw, before anything has a type. It lives for one external
//! declaration at a time and never leaves this crate.

use cwolf_base::{Span, Symbol};

/// A name with its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ident {
    /// The name.
    pub name: Symbol,
    /// Where it stands.
    pub span: Span,
}

/// Something at the outermost level of a file.
#[derive(Clone, Debug)]
pub enum External {
    /// A function with its body.
    Function(Box<FunctionDef>),
    /// Any other declaration.
    Declaration(Declaration),
    /// `_Static_assert(condition, "message");`
    StaticAssert(StaticAssert),
    /// `__asm__("...");` outside functions.
    Asm(Span),
}

/// A function definition.
#[derive(Clone, Debug)]
pub struct FunctionDef {
    /// Return type, storage, attributes.
    pub specs: Specifiers,
    /// Name and parameters.
    pub declarator: Declarator,
    /// The declarations between a K&R parameter list and the body.
    pub old_params: Vec<Declaration>,
    /// The body.
    pub body: Block,
    /// The whole definition.
    pub span: Span,
}

/// `specifiers declarator = initialiser, …;`
#[derive(Clone, Debug)]
pub struct Declaration {
    /// What stands before the first declarator.
    pub specs: Specifiers,
    /// The declared names; none in `struct s { … };`.
    pub declarators: Vec<InitDeclarator>,
    /// The whole declaration.
    pub span: Span,
}

/// A declarator with what may follow it.
#[derive(Clone, Debug)]
pub struct InitDeclarator {
    /// The declared name and its derivation.
    pub declarator: Declarator,
    /// `__asm__("name")`: the symbol's name for the linker.
    pub asm_label: Option<String>,
    /// Attributes after the declarator.
    pub attributes: Vec<Attribute>,
    /// The initialiser.
    pub init: Option<Initializer>,
}

/// Everything that may stand before a declarator, in any order.
#[derive(Clone, Debug, Default)]
pub struct Specifiers {
    /// `typedef`, `extern`, `static`, `auto`, `register`; with its place.
    pub storage: Option<(Storage, Span)>,
    /// `_Thread_local` or `__thread`.
    pub thread_local: bool,
    /// `inline`.
    pub inline: bool,
    /// `_Noreturn`.
    pub noreturn: bool,
    /// `constexpr` (C23).
    pub constexpr: bool,
    /// `const`, `volatile`, ….
    pub quals: Quals,
    /// `_Alignas(…)`.
    pub aligns: Vec<AlignAs>,
    /// The type; `None` is implicit `int`.
    pub ty: Option<TypeSpec>,
    /// Attributes, in any of the positions among the specifiers.
    pub attributes: Vec<Attribute>,
    /// From the first to the last specifier.
    pub span: Span,
}

/// Storage classes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Storage {
    /// `typedef`
    Typedef,
    /// `extern`
    Extern,
    /// `static`
    Static,
    /// `auto`
    Auto,
    /// `register`
    Register,
}

/// `_Alignas`'s argument.
#[derive(Clone, Debug)]
pub enum AlignAs {
    /// `_Alignas(type)`
    Type(TypeName),
    /// `_Alignas(expression)`
    Expr(Expr),
}

/// Type qualifiers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Quals {
    /// `const`
    pub constant: bool,
    /// `volatile`
    pub volatile: bool,
    /// `restrict`
    pub restrict: bool,
    /// `_Atomic` as a qualifier.
    pub atomic: bool,
}

/// The type part of the specifiers.
#[derive(Clone, Debug)]
pub struct TypeSpec {
    /// Which type.
    pub kind: TypeSpecKind,
    /// Where it stands.
    pub span: Span,
}

/// The forms of a type specifier.
#[derive(Clone, Debug)]
pub enum TypeSpecKind {
    /// A combination of the arithmetic keywords, already checked.
    Basic(Basic),
    /// `_Complex` of an arithmetic type.
    Complex(Basic),
    /// A typedef's name.
    Typedef(Symbol),
    /// `struct …` or `union …`.
    Record(Box<RecordSpec>),
    /// `enum …`.
    Enum(Box<EnumSpec>),
    /// `typeof(expression)`; the flag is set for `typeof_unqual`.
    TypeofExpr(Box<Expr>, bool),
    /// `typeof(type)`; the flag is set for `typeof_unqual`.
    TypeofType(Box<TypeName>, bool),
    /// `__auto_type`, or C23's `auto` without a type.
    Auto,
    /// `_Atomic(type)`
    Atomic(Box<TypeName>),
    /// `_BitInt(n)`; signed unless the flag is set.
    BitInt(Box<Expr>, bool),
}

/// Types that are spelled with keywords alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Basic {
    Void,
    Bool,
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
    /// `__fp16`, `__bf16`: recognised, then refused.
    Half,
    /// `_Float16`
    Float16,
    Float,
    Double,
    LongDouble,
    /// `_Float32`
    Float32,
    /// `_Float64`
    Float64,
    /// `_Float32x` (the format of `double`)
    Float32x,
    /// `_Float64x` (the format of `long double`)
    Float64x,
    /// `_Float128` and `__float128`
    Float128,
    /// `_Decimal32/64/128`: recognised, then refused.
    Decimal,
    /// `__builtin_va_list`
    VaList,
}

/// `struct tag { members }`
#[derive(Clone, Debug)]
pub struct RecordSpec {
    /// Whether it is a union.
    pub union: bool,
    /// The tag.
    pub tag: Option<Ident>,
    /// The members, if this defines the record.
    pub members: Option<Vec<Member>>,
    /// Attributes before the tag or after the closing brace.
    pub attributes: Vec<Attribute>,
    /// The `#pragma pack` alignment in force at the closing brace, if any.
    pub pack: Option<u64>,
}

/// A member declaration.
#[derive(Clone, Debug)]
pub enum Member {
    /// `type a, *b, c : 3;`
    Fields {
        /// What stands before the declarators.
        specs: Specifiers,
        /// Declarators; none for an anonymous struct or union.
        fields: Vec<FieldDeclarator>,
        /// The whole declaration.
        span: Span,
    },
    /// `_Static_assert(…);`
    StaticAssert(StaticAssert),
}

/// One declared member.
#[derive(Clone, Debug)]
pub struct FieldDeclarator {
    /// Name and derivation; `None` for an unnamed bit-field.
    pub declarator: Option<Declarator>,
    /// The width of a bit-field.
    pub width: Option<Expr>,
    /// Attributes after the declarator.
    pub attributes: Vec<Attribute>,
    /// Where it stands.
    pub span: Span,
}

/// `enum tag : type { a, b = 2 }`
#[derive(Clone, Debug)]
pub struct EnumSpec {
    /// The tag.
    pub tag: Option<Ident>,
    /// C23's underlying type.
    pub underlying: Option<TypeName>,
    /// The enumerators, if this defines the enumeration.
    pub enumerators: Option<Vec<Enumerator>>,
    /// Attributes.
    pub attributes: Vec<Attribute>,
}

/// One enumerator.
#[derive(Clone, Debug)]
pub struct Enumerator {
    /// Its name.
    pub name: Ident,
    /// Its value, if given.
    pub value: Option<Expr>,
}

/// A declared name (if any) and how its type derives from the specifiers' type.
#[derive(Clone, Debug)]
pub struct Declarator {
    /// The name; `None` in abstract declarators.
    pub name: Option<Ident>,
    /// Derivations from the name outward: `*a[3]` is array, then pointer, as it is read aloud
    /// ("a is an array of 3 pointers to …").
    pub derived: Vec<Derived>,
    /// Attributes inside the declarator.
    pub attributes: Vec<Attribute>,
    /// The whole declarator.
    pub span: Span,
}

/// One derivation.
#[derive(Clone, Debug)]
pub enum Derived {
    /// `*` with the pointer's own qualifiers.
    Pointer {
        /// Qualifiers of the pointer itself.
        quals: Quals,
        /// Attributes after the `*`.
        attributes: Vec<Attribute>,
    },
    /// `[size]`
    Array {
        /// The size.
        size: ArraySize,
        /// Qualifiers inside the brackets, for parameters.
        quals: Quals,
        /// Where it stands.
        span: Span,
    },
    /// `(parameters)`
    Function {
        /// The parameters.
        params: Params,
        /// Where it stands.
        span: Span,
    },
}

/// What stands between the brackets of an array declarator.
#[derive(Clone, Debug)]
pub enum ArraySize {
    /// `[]`
    None,
    /// `[*]`
    Star,
    /// `[n]` or `[static n]`
    Expr(Box<Expr>),
}

/// A function declarator's parameters.
#[derive(Clone, Debug)]
pub enum Params {
    /// `()`: nothing is known (before C23).
    Unknown,
    /// `(a, b)`: K&R names.
    Names(Vec<Ident>),
    /// `(int a, …)`; `(void)` is the empty list.
    Typed {
        /// The parameters.
        params: Vec<Param>,
        /// Whether `...` follows.
        variadic: bool,
    },
}

/// A typed parameter.
#[derive(Clone, Debug)]
pub struct Param {
    /// What stands before the declarator.
    pub specs: Specifiers,
    /// Name (perhaps none) and derivation.
    pub declarator: Declarator,
    /// Attributes after the declarator.
    pub attributes: Vec<Attribute>,
}

/// A type by itself, as in a cast.
#[derive(Clone, Debug)]
pub struct TypeName {
    /// What stands before the abstract declarator.
    pub specs: Specifiers,
    /// The abstract declarator.
    pub declarator: Declarator,
    /// The whole.
    pub span: Span,
}

/// `__attribute__((name(arguments)))`, `[[ns::name(arguments)]]` or `__declspec`.
#[derive(Clone, Debug)]
pub struct Attribute {
    /// The name without leading and trailing `__` and without namespace `gnu`.
    pub name: Symbol,
    /// The arguments; those that are no expression or type are left out.
    pub args: Vec<AttributeArg>,
    /// Where it stands.
    pub span: Span,
}

/// An attribute's argument.
#[derive(Clone, Debug)]
pub enum AttributeArg {
    /// A bare name, as in `mode(DI)` or `cleanup(f)`; also an enumerator or type that stands
    /// alone, as in `aligned(N)`: the parser cannot know which.
    Name(Ident),
    /// An expression, such as a string or number.
    Expr(Expr),
    /// A type.
    Type(TypeName),
}

/// `_Static_assert(condition, "message")`
#[derive(Clone, Debug)]
pub struct StaticAssert {
    /// The condition.
    pub condition: Expr,
    /// The message, if given.
    pub message: Option<String>,
    /// The whole.
    pub span: Span,
}

/// An initialiser.
#[derive(Clone, Debug)]
pub enum Initializer {
    /// A single expression.
    Expr(Expr),
    /// `{ … }`
    List {
        /// The items.
        items: Vec<InitItem>,
        /// The whole list.
        span: Span,
    },
}

/// One item of an initialiser list.
#[derive(Clone, Debug)]
pub struct InitItem {
    /// `.a[3] =`, the old `a:` and `[3]`, or nothing.
    pub designators: Vec<Designator>,
    /// The value.
    pub init: Initializer,
}

/// One step of a designation; also used for `offsetof`.
#[derive(Clone, Debug)]
pub enum Designator {
    /// `.name`
    Field(Ident),
    /// `[n]`
    Index(Expr),
    /// `[a ... b]`
    Range(Expr, Expr),
}

/// `{ … }`
#[derive(Clone, Debug)]
pub struct Block {
    /// Declarations and statements.
    pub items: Vec<BlockItem>,
    /// The whole block.
    pub span: Span,
    /// The closing brace.
    pub end: Span,
}

/// Something in a block.
#[derive(Clone, Debug)]
pub enum BlockItem {
    /// A declaration.
    Declaration(Declaration),
    /// `_Static_assert(…);`
    StaticAssert(StaticAssert),
    /// `__label__ a, b;`
    LocalLabels(Vec<Ident>),
    /// GNU C's nested function.
    NestedFunction(Box<FunctionDef>),
    /// A statement.
    Stmt(Stmt),
}

/// A statement.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// What it is.
    pub kind: StmtKind,
    /// Where it stands.
    pub span: Span,
}

/// The forms of a statement.
#[derive(Clone, Debug)]
pub enum StmtKind {
    /// `;`, also `__attribute__((fallthrough));`
    Empty,
    /// `e;`
    Expr(Expr),
    /// `{ … }`
    Block(Block),
    /// `if (c) s else t`
    If {
        /// The condition.
        cond: Expr,
        /// If it holds.
        then: Box<Stmt>,
        /// If not.
        els: Option<Box<Stmt>>,
    },
    /// `while (c) s`
    While {
        /// The condition.
        cond: Expr,
        /// The body.
        body: Box<Stmt>,
    },
    /// `do s while (c);`
    DoWhile {
        /// The body.
        body: Box<Stmt>,
        /// The condition.
        cond: Expr,
    },
    /// `for (i; c; n) s`
    For {
        /// A declaration or expression.
        init: ForInit,
        /// The condition.
        cond: Option<Expr>,
        /// The step.
        step: Option<Expr>,
        /// The body.
        body: Box<Stmt>,
    },
    /// `switch (e) s`
    Switch {
        /// What is switched on.
        on: Expr,
        /// The body.
        body: Box<Stmt>,
    },
    /// `case lo:` or `case lo ... hi:`, with the statement it labels. A label at the end of a
    /// block or before a declaration labels an empty statement.
    Case {
        /// The value, or the smallest.
        lo: Expr,
        /// The largest, for a range.
        hi: Option<Expr>,
        /// The labelled statement.
        body: Box<Stmt>,
    },
    /// `default:`
    Default(Box<Stmt>),
    /// `name:`
    Label {
        /// The label.
        name: Ident,
        /// The labelled statement.
        body: Box<Stmt>,
    },
    /// `goto name;`
    Goto(Ident),
    /// `goto *e;`
    ComputedGoto(Expr),
    /// `break;`
    Break,
    /// `continue;`
    Continue,
    /// `return e;`
    Return(Option<Expr>),
    /// `__asm__(…);`
    Asm(Box<Asm>),
}

/// The first part of a `for`.
#[derive(Clone, Debug)]
pub enum ForInit {
    /// Nothing.
    None,
    /// An expression.
    Expr(Expr),
    /// A declaration.
    Declaration(Declaration),
}

/// An inline assembly statement.
#[derive(Clone, Debug)]
pub struct Asm {
    /// The outputs.
    pub outputs: Vec<AsmOperand>,
    /// The inputs.
    pub inputs: Vec<AsmOperand>,
    /// The clobbers.
    pub clobbers: Vec<String>,
    /// `asm goto`'s labels.
    pub labels: Vec<Ident>,
    /// The template.
    pub template: String,
    /// Declared `volatile`.
    pub volatile: bool,
}

/// An operand of inline assembly.
#[derive(Clone, Debug)]
pub struct AsmOperand {
    /// Its name in the template and in constraints.
    pub name: Option<Ident>,
    /// Where it may be (`=r`, `+m`, …).
    pub constraint: String,
    /// What it is.
    pub value: Expr,
}

/// An expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where it stands.
    pub span: Span,
}

/// The forms of an expression.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A name.
    Name(Symbol),
    /// An integer constant.
    Int(IntLit),
    /// A floating constant: its text without suffix.
    Float {
        /// The digits, decimal or hexadecimal, without separators.
        text: String,
        /// Which type it has.
        suffix: FloatSuffix,
        /// Suffix `i` or `j`: so many times the imaginary unit.
        imaginary: bool,
    },
    /// A character constant, its value as C defines it (`'\xff'` is -1, `'ab'` is multi-char).
    Char(i64, CharKind),
    /// A string, adjacent pieces joined. Code units in the width of its kind, no final zero.
    Str(Vec<u32>, CharKind),
    /// `__func__`, `__FUNCTION__` or `__PRETTY_FUNCTION__`
    FuncName,
    /// `true`/`false` (C23)
    Bool(bool),
    /// `nullptr` (C23)
    Nullptr,
    /// `(e)`: kept, because `("x")` and `sizeof(x)` differ in places.
    Paren(Box<Expr>),
    /// `_Generic(e, type: a, default: b)`
    Generic {
        /// The controlling expression.
        control: Box<Expr>,
        /// The associations; `None` is `default`.
        associations: Vec<(Option<TypeName>, Expr)>,
    },
    /// `a[i]`
    Index(Box<Expr>, Box<Expr>),
    /// `f(args)`
    Call(Box<Expr>, Vec<Expr>),
    /// `e.name` or `e->name`
    Member {
        /// The record, or the pointer to it.
        base: Box<Expr>,
        /// The member.
        name: Ident,
        /// Whether it is `->`.
        arrow: bool,
    },
    /// `++e`, `e--`, …
    IncDec {
        /// What changes.
        operand: Box<Expr>,
        /// `++`, not `--`.
        increment: bool,
        /// The operator stands before the operand.
        prefix: bool,
    },
    /// `(type){ … }`
    CompoundLiteral(Box<TypeName>, Box<Initializer>),
    /// An operator before its operand.
    Unary(UnaryOp, Box<Expr>),
    /// `sizeof e`
    SizeofExpr(Box<Expr>),
    /// `sizeof(type)`
    SizeofType(Box<TypeName>),
    /// `_Alignof(type)`
    AlignofType(Box<TypeName>),
    /// `__alignof__ e`
    AlignofExpr(Box<Expr>),
    /// `(type)e`
    Cast(Box<TypeName>, Box<Expr>),
    /// `a op b`, also `&&` and `||`.
    Binary(cwolf_cwi::BinOp, Box<Expr>, Box<Expr>),
    /// `a = b` or `a op= b`
    Assign(Option<cwolf_cwi::BinOp>, Box<Expr>, Box<Expr>),
    /// `c ? a : b`, or GNU's `c ?: b`.
    Conditional(Box<Expr>, Option<Box<Expr>>, Box<Expr>),
    /// `a, b`
    Comma(Box<Expr>, Box<Expr>),
    /// `({ … })`
    StmtExpr(Box<Block>),
    /// `&&label`
    LabelAddr(Ident),
    /// `__builtin_offsetof(type, a.b[2])`
    Offsetof(Box<TypeName>, Vec<Designator>),
    /// `__builtin_types_compatible_p(a, b)`
    TypesCompatible(Box<TypeName>, Box<TypeName>),
    /// `__builtin_choose_expr(c, a, b)`
    ChooseExpr(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `__builtin_va_arg(ap, type)`
    VaArg(Box<Expr>, Box<TypeName>),
    /// `__builtin_convertvector(e, type)`
    ConvertVector(Box<Expr>, Box<TypeName>),
}

/// Operators before one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaryOp {
    /// `&`
    AddrOf,
    /// `*`
    Deref,
    /// `+`
    Plus,
    /// `-`
    Neg,
    /// `~`
    BitNot,
    /// `!`
    Not,
    /// `__real__`
    Real,
    /// `__imag__`
    Imag,
    /// `__extension__`
    Extension,
}

/// An integer constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IntLit {
    /// Its value.
    pub value: u128,
    /// Written in base 10, so its type is never chosen unsigned.
    pub decimal: bool,
    /// Suffix `u`.
    pub unsigned: bool,
    /// How many `l` the suffix has: 0, 1 or 2.
    pub longs: u8,
    /// Suffix `i` or `j`: so many times the imaginary unit.
    pub imaginary: bool,
    /// Suffix `wb`: a `_BitInt` that is just wide enough.
    pub bit_int: bool,
}

/// A floating constant's suffix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum FloatSuffix {
    None,
    F16,
    F,
    L,
    F32,
    F64,
    F32x,
    F64x,
    F128,
    /// A decimal constant: recognised, then refused.
    Unsupported,
}

/// The kind of a character or string literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CharKind {
    /// `'x'`, `"x"`: `char`
    Plain,
    /// `u8"x"`: `char` (`unsigned char` for C23 character constants)
    Utf8,
    /// `u"x"`: `unsigned short`
    Utf16,
    /// `U"x"`: `unsigned int`
    Utf32,
    /// `L"x"`: `int`
    Wide,
}
