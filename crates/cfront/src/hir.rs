//! The typed tree between syntax and CWI: every name is bound, every conversion is written out,
//! every type is a CWI type with its layout, initialisers are flat lists, constants are folded;
//! but effects still nest inside expressions and control is still structured. `sema` makes it
//! from syntax, one function at a time; `lower` turns it into blocks.

use cwolf_base::Span;
use cwolf_cwi::{BinOp, FuncId, TypeId, UnOp, VarId};

cwolf_base::index! {
    /// A label of one function.
    LabelId
}

/// A function body ready to be lowered. Parameters and locals are already in the program's
/// variable table, with this function as their owner.
#[derive(Clone, Debug)]
pub struct Function {
    /// Which function.
    pub id: FuncId,
    /// Its code.
    pub body: Vec<Stmt>,
    /// How many labels it has; label ids are below this.
    pub labels: u32,
    /// Labels whose address is taken, in order of their numbers: `&&l` is the pointer constant
    /// 1 for the first of them, 2 for the second, ….
    pub address_taken: Vec<LabelId>,
    /// Whether nested functions jump into blocks of it.
    pub jumped_into: bool,
    /// The closing brace.
    pub end: Span,
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
    /// Evaluate for effect; the value is dropped.
    Expr(Expr),
    /// A local variable comes to life here; its initialiser, if any, follows. `lower` makes it
    /// indeterminate where control can pass more than once.
    Declare {
        /// The variable.
        var: VarId,
        /// How it starts; none leaves it indeterminate.
        init: Option<LocalInit>,
    },
    /// A variable-length array (or a variable of such a type) comes to life: `pointer`, a
    /// variable of pointer type made by `sema`, gets the address of `size` fresh bytes, which
    /// live until the enclosing block ends. `sema` has replaced every use of the array by
    /// dereferences of `pointer`.
    DeclareVla {
        /// The pointer that stands for the array.
        pointer: VarId,
        /// Its size in bytes, an unsigned word.
        size: Expr,
    },
    /// `{ … }`. The scope matters for `cleanup` and for variable-length arrays.
    Block(Vec<Stmt>),
    /// The `cleanup` attribute: when control leaves the enclosing block, by whatever way, this
    /// expression is evaluated; several in reverse order.
    Cleanup(Expr),
    /// `if`; the condition is any scalar.
    If {
        /// The condition.
        cond: Expr,
        /// If it is not zero.
        then: Box<Stmt>,
        /// If it is.
        els: Option<Box<Stmt>>,
    },
    /// `while`; a constant condition is an `Int`.
    While {
        /// The condition.
        cond: Expr,
        /// The body.
        body: Box<Stmt>,
    },
    /// `do … while`
    DoWhile {
        /// The body.
        body: Box<Stmt>,
        /// The condition.
        cond: Expr,
    },
    /// `for`
    For {
        /// Before the loop; a `Block`-less list, in the scope of the loop.
        init: Vec<Stmt>,
        /// The condition; none is true.
        cond: Option<Expr>,
        /// After each round.
        step: Option<Expr>,
        /// The body.
        body: Box<Stmt>,
    },
    /// `switch` on an integer that is already promoted.
    Switch {
        /// What is switched on.
        on: Expr,
        /// The body; its cases are `Case` and `Default` statements anywhere inside it, but not
        /// inside a nested switch.
        body: Box<Stmt>,
    },
    /// A case of the innermost switch: both ends in the canonical form of its type, `lo <= hi`,
    /// checked to be disjoint. Falls through to the next statement.
    Case {
        /// The smallest value.
        lo: i128,
        /// The largest value.
        hi: i128,
    },
    /// The default case of the innermost switch.
    Default,
    /// A label.
    Label(LabelId),
    /// The empty statement behind a label: nothing happens, but the place can be spoken of.
    Empty,
    /// `goto`
    Goto(LabelId),
    /// `goto *e`, where `e` is a pointer.
    ComputedGoto(Expr),
    /// `break` out of the innermost loop or switch.
    Break,
    /// `continue` with the innermost loop.
    Continue,
    /// `return`; the value has the function's return type.
    Return(Option<Expr>),
    /// Inline assembly: the inputs are evaluated, then each output place becomes unknown; control may go to
    /// any of `labels` or on. What it does to memory is a call before it.
    Asm {
        /// Evaluated for effect.
        inputs: Vec<Expr>,
        /// Places whose contents become unknown.
        outputs: Vec<Expr>,
        /// Where control may go instead of on.
        labels: Vec<LabelId>,
    },
}

/// How a local variable, or a compound literal, starts.
#[derive(Clone, Debug)]
pub enum LocalInit {
    /// With a value of its own type (scalar, or a record copied whole).
    Value(Expr),
    /// Piece by piece.
    Pieces {
        /// Whether everything is zero first; false only if the pieces cover the variable.
        zero: bool,
        /// In order of evaluation.
        pieces: Vec<Piece>,
    },
}

/// One piece of an aggregate's initialiser.
#[derive(Clone, Debug)]
pub struct Piece {
    /// The steps from the whole to the piece.
    pub path: Vec<PathStep>,
    /// The type of the piece; a string initialiser gives an array, with a value that is a
    /// `Load` of a literal of exactly that type.
    pub ty: TypeId,
    /// Its value, of that type.
    pub value: Expr,
}

/// One step inward.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathStep {
    /// To a field.
    Field(u32),
    /// To an element.
    Index(u64),
}

/// An expression with its type.
#[derive(Clone, Debug)]
pub struct Expr {
    /// For a place: the type of what it holds. Else: the type of the value; `Void` for none.
    pub ty: TypeId,
    /// What it is.
    pub kind: ExprKind,
    /// Where it stands.
    pub span: Span,
}

/// The forms of an expression. *Places* are `Var`, `Deref`, `Field`, `Index`, `Compound`, and
/// `Comma`/`StmtExpr`/`Cond`/`Call`/`Assign`/`VaArg` of aggregate type where a record value is used for its
/// fields; all others are values.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// An integer, boolean or pointer constant, in canonical form.
    Int(i128),
    /// A floating constant's encoding.
    Float(u128),
    /// Any value of the type.
    Choose,
    /// Place: a variable.
    Var(VarId),
    /// Place: what a pointer points to.
    Deref(Box<Expr>),
    /// Place: a field of a record place (or of a record value such as a call's result).
    Field(Box<Expr>, u32),
    /// Place: an element of an array place; the index is a signed word.
    Index(Box<Expr>, Box<Expr>),
    /// Place: a compound literal: initialise the variable each time, then it is the variable.
    Compound(VarId, Box<LocalInit>),
    /// A record's value, from those of its pieces, which are all there is to it.
    Whole(Vec<Piece>),
    /// The value that a place holds, scalar or record; the flag is set if the place is volatile.
    Load(Box<Expr>, bool),
    /// The address of a place; of an array place, the address of its first element has the
    /// same form with the type of a pointer to the element.
    AddrOf(Box<Expr>),
    /// The address of a function.
    FuncAddr(FuncId),
    /// Conversion of a scalar value to this type; to `Void`, the value is dropped.
    Cast(Box<Expr>),
    /// `-`, `~`, `!`.
    Unary(UnOp, Box<Expr>),
    /// Any operator but `&&` and `||`, on operands already converted.
    Binary(BinOp, Box<Expr>, Box<Expr>),
    /// `&&`: the right side is evaluated only if the left is true. Result `int`.
    And(Box<Expr>, Box<Expr>),
    /// `||`: the right side is evaluated only if the left is false. Result `int`.
    Or(Box<Expr>, Box<Expr>),
    /// `c ? a : b`, both converted to this type.
    Cond(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `c ?: b`: the value of `c` (already converted to this type by the cast it carries) if it
    /// is true, else `b`; `c` is evaluated once.
    Elvis {
        /// The condition and first value, before conversion.
        value: Box<Expr>,
        /// The other value, of this type.
        other: Box<Expr>,
    },
    /// `a, b`
    Comma(Box<Expr>, Box<Expr>),
    /// `pointer + index * scale`, the index a signed word.
    PtrAdd {
        /// The pointer.
        ptr: Box<Expr>,
        /// The index; negated already for `p - i`.
        index: Box<Expr>,
        /// Bytes in a step.
        scale: Scale,
    },
    /// A signed word that counts elements of an array of variable length, and the length, an unsigned word: a check
    /// says that the one is below the other.
    Within(Box<Expr>, Box<Expr>),
    /// `(a - b) / scale`, a signed word.
    PtrDiff {
        /// The pointer that is subtracted from.
        left: Box<Expr>,
        /// The pointer that is subtracted.
        right: Box<Expr>,
        /// Bytes in a step.
        scale: Scale,
    },
    /// `place = value`; the result is the place's new value (after truncation to a bit-field).
    Assign {
        /// The place.
        place: Box<Expr>,
        /// A value of its type.
        value: Box<Expr>,
        /// The place is volatile.
        volatile: bool,
    },
    /// `place op= value`: the place is evaluated once; its value is converted to `ty`, the
    /// operator applied, the result converted back. For pointers, see `scale`.
    AssignOp {
        /// The place.
        place: Box<Expr>,
        /// It is a truth value in a bit-field: the result is made one before it is stored.
        truth: bool,
        /// The operator; `Add` or `Sub` on pointers.
        op: BinOp,
        /// The right operand, of type `ty` (for shifts: promoted; for pointers: a signed word).
        value: Box<Expr>,
        /// The type that the operator works in (for a pointer: its own type).
        ty: TypeId,
        /// Bytes in a step if the place is a pointer.
        scale: Option<Scale>,
        /// The result is the value before (`p++`), not after.
        post: bool,
        /// The place is volatile.
        volatile: bool,
    },
    /// A call. Arguments are converted; a record argument is a `Load`.
    Call {
        /// What is called: a `FuncAddr` for a call by name, else a pointer to a function.
        callee: Box<Expr>,
        /// The arguments.
        args: Vec<Expr>,
        /// Control does not come back.
        noreturn: bool,
    },
    /// `({ … })`: the value is that of the last expression, if the type is not `Void`.
    StmtExpr {
        /// All but the value.
        body: Vec<Stmt>,
        /// The value, evaluated in the scope of the body.
        value: Option<Box<Expr>>,
    },
    /// The address of the area that holds the unnamed arguments; only in variadic functions.
    VarArgs,
    /// The address of a label.
    LabelAddr(LabelId),
    /// `__builtin_unreachable()`
    Unreachable,
    /// `__builtin_trap()`
    Trap,
    /// `__cwolf_halt(status)`: end the program, for the library's `exit`.
    Halt(Box<Expr>),
}

/// Bytes in a pointer's step.
#[derive(Clone, Debug)]
pub enum Scale {
    /// Known.
    Const(u64),
    /// The size of a variable-length element: an unsigned word, free of effects.
    Runtime(Box<Expr>),
}

impl Expr {
    /// Calls `visit` for each operand, but for those of initialisers and of statements.
    pub fn for_each_operand<'a>(&'a self, visit: &mut dyn FnMut(&'a Expr)) {
        let scaled = |scale: &'a Scale, visit: &mut dyn FnMut(&'a Expr)| {
            if let Scale::Runtime(e) = scale {
                visit(e);
            }
        };
        match &self.kind {
            ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::Choose
            | ExprKind::Var(_)
            | ExprKind::Compound(..)
            | ExprKind::FuncAddr(_)
            | ExprKind::StmtExpr { .. }
            | ExprKind::VarArgs
            | ExprKind::LabelAddr(_)
            | ExprKind::Unreachable
            | ExprKind::Trap => {}
            ExprKind::Deref(a)
            | ExprKind::Field(a, _)
            | ExprKind::Load(a, _)
            | ExprKind::AddrOf(a)
            | ExprKind::Cast(a)
            | ExprKind::Unary(_, a)
            | ExprKind::Halt(a) => visit(a),
            ExprKind::Index(a, b)
            | ExprKind::Within(a, b)
            | ExprKind::Binary(_, a, b)
            | ExprKind::And(a, b)
            | ExprKind::Or(a, b)
            | ExprKind::Comma(a, b)
            | ExprKind::Elvis { value: a, other: b }
            | ExprKind::Assign {
                place: a, value: b, ..
            } => {
                visit(a);
                visit(b);
            }
            ExprKind::Cond(a, b, c) => {
                visit(a);
                visit(b);
                visit(c);
            }
            ExprKind::PtrAdd {
                ptr: a,
                index: b,
                scale,
            }
            | ExprKind::PtrDiff {
                left: a,
                right: b,
                scale,
            } => {
                visit(a);
                visit(b);
                scaled(scale, visit);
            }
            ExprKind::AssignOp {
                place,
                value,
                scale,
                ..
            } => {
                visit(place);
                visit(value);
                scale.iter().for_each(|s| scaled(s, visit));
            }
            ExprKind::Call { callee, args, .. } => {
                visit(callee);
                args.iter().for_each(visit);
            }
            ExprKind::Whole(pieces) => pieces.iter().for_each(|p| visit(&p.value)),
        }
    }
    /// Calls `visit` for each variable that an expression without statements names.
    pub fn for_each_var(&self, visit: &mut dyn FnMut(VarId, Span)) {
        match &self.kind {
            ExprKind::Var(var) => visit(*var, self.span),
            ExprKind::Deref(a)
            | ExprKind::Field(a, _)
            | ExprKind::Load(a, _)
            | ExprKind::AddrOf(a)
            | ExprKind::Cast(a)
            | ExprKind::Unary(_, a) => a.for_each_var(visit),
            ExprKind::Index(a, b)
            | ExprKind::Within(a, b)
            | ExprKind::Binary(_, a, b)
            | ExprKind::And(a, b)
            | ExprKind::Or(a, b)
            | ExprKind::PtrAdd {
                ptr: a, index: b, ..
            }
            | ExprKind::PtrDiff {
                left: a, right: b, ..
            } => {
                a.for_each_var(visit);
                b.for_each_var(visit);
            }
            _ => {}
        }
    }
}
