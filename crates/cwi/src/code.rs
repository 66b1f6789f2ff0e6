//! The code itself: pure typed expressions, places, statements and the branch that ends a
//! block. Every side effect of C has become a statement of its own by the time it is here.

use crate::types::{Type, TypeId, Types};
use cwolf_base::IndexVec;

cwolf_base::index! {
    /// A variable: global, static, parameter, local or temporary.
    VarId
    /// A function.
    FuncId
    /// A basic block of one function.
    BlockId
    /// A register of one function; register 0 holds the result of the last call.
    RegId
    /// A position in the program's source map.
    LocId
    /// One thing that can fail, from the pass that inserts its `Assert` to the row in a report.
    CheckId
}

/// The register that a call leaves its result in (thesis, 3.9.6).
pub const RESULT: RegId = RegId(0);

/// A pure expression: evaluating it changes nothing.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    /// The type of its value.
    pub ty: TypeId,
    /// What it computes.
    pub kind: ExprKind,
}

/// The forms of an expression.
#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    /// An integer, boolean (0 or 1) or pointer constant, in the canonical form of its type
    /// ([`crate::value::wrap`]).
    Int(i128),
    /// A floating constant: the bits of its IEEE (or x87) encoding.
    Float(u128),
    /// The all-zero value of an aggregate type.
    Zero,
    /// Any value of the type, chosen anew at each evaluation. Only as a whole right-hand side.
    Choose,
    /// A register's value.
    Reg(RegId),
    /// What a place holds. A volatile load is only ever the whole right-hand side of a
    /// register's assignment, so that each one happens exactly once.
    Load {
        /// The place that is read.
        place: Place,
        /// Whether the value may change behind the program's back.
        volatile: bool,
    },
    /// The address of a place; its type is a pointer.
    AddrOf(Place),
    /// The address of a function; its type is a pointer to a function.
    FuncAddr(FuncId),
    /// The address of the area that holds the current call's unnamed arguments, one after the
    /// other, each at the next multiple of the pointer size.
    VarArgs,
    /// An operator on one operand.
    Unary(UnOp, Box<Expr>),
    /// An operator on two operands of the same type (a shift's right operand may differ).
    Binary(BinOp, Box<Expr>, Box<Expr>),
    /// A conversion to this expression's type.
    Cast(Box<Expr>),
    /// `pointer + index * scale` bytes.
    PtrAdd {
        /// The pointer to start from.
        ptr: Box<Expr>,
        /// How many steps: an integer as wide as a pointer.
        index: Box<Expr>,
        /// Bytes in a step.
        scale: u64,
    },
    /// `(left - right) / scale`, the distance of two pointers into one object.
    PtrDiff {
        /// The pointer that is subtracted from.
        left: Box<Expr>,
        /// The pointer that is subtracted.
        right: Box<Expr>,
        /// Bytes in a step; never 0.
        scale: u64,
    },
    /// A question about memory, which reads no contents and cannot fail: an `int`, 1 or 0.
    Memory(MemoryTest, Vec<Expr>),
    /// Whether the outermost operator of an integer expression gives, in unbounded numbers, a
    /// value of its type: an `int`, 1 or 0. Operands are taken as they are. A division by zero and
    /// a shift by a bad amount are not its concern and count as fitting.
    Fits(Box<Expr>),
}

/// Questions about memory. A pointer that never pointed to an object leads nowhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MemoryTest {
    /// `live(p)`: `p` leads to (or one past) an object of data whose life lasts.
    Live,
    /// `inside(p, n)`: `n` bytes from `p` on lie inside the object that `p` leads to. True for
    /// a pointer that leads nowhere or to an object that is gone: that is for `live` to say.
    Inside,
    /// `mutable(p)`: the object that `p` leads to, if any, may be written.
    Mutable,
    /// `freeable(p)`: `p` is null or the start of an allocated object that was not freed.
    Freeable,
    /// `callable(p)`: `p` is the address of a function.
    Callable,
    /// `apart(p, q, n)`: the `n` bytes from `p` on and the `n` from `q` on do not overlap.
    Apart,
    /// `text(p)`: from `p` on, inside a live object, there is a zero byte.
    Text,
    /// `wide_text(p)`: the same of elements of [`WIDE`] bytes, of which the first is at `p`.
    WideText,
    /// `open(p)`: `p` is a handle of the library (a stream, a directory) that was opened and not
    /// closed: it leads [`HANDLE`] bytes into an allocated object, or to memory outside the program.
    Open,
    /// `tracked()`: every allocated object that was not freed can be reached: a variable of the whole run or of
    /// a call in progress leads to it, or an object does that can be reached. Handles do not count.
    Tracked,
    /// `kept()`: the same when no call is in progress: only variables of the whole run count.
    Kept,
    /// `cleaned()`: every allocated object was freed.
    Cleaned,
}

/// Bytes of a `wchar_t`.
pub const WIDE: u64 = 4;

/// How far into its allocated object a handle leads: no result of `malloc` is a handle, and none is
/// freed by `free`.
pub const HANDLE: u64 = 16;

impl MemoryTest {
    /// All of them; the binary file numbers them in this order.
    pub const ALL: [MemoryTest; 12] = {
        use MemoryTest::*;
        [
            Live, Inside, Mutable, Freeable, Callable, Apart, Text, Open, Tracked, Kept, Cleaned,
            WideText,
        ]
    };
    /// Its name in the text form.
    pub fn name(self) -> &'static str {
        match self {
            MemoryTest::Live => "live",
            MemoryTest::Inside => "inside",
            MemoryTest::Mutable => "mutable",
            MemoryTest::Freeable => "freeable",
            MemoryTest::Callable => "callable",
            MemoryTest::Apart => "apart",
            MemoryTest::Text => "text",
            MemoryTest::WideText => "wide_text",
            MemoryTest::Open => "open",
            MemoryTest::Tracked => "tracked",
            MemoryTest::Kept => "kept",
            MemoryTest::Cleaned => "cleaned",
        }
    }
    /// How many pointers it is about; they come first.
    pub fn pointers(self) -> usize {
        match self {
            MemoryTest::Apart => 2,
            MemoryTest::Tracked | MemoryTest::Kept | MemoryTest::Cleaned => 0,
            _ => 1,
        }
    }
    /// Whether it is about all allocated objects, not about what a pointer leads to.
    pub fn is_census(self) -> bool {
        self.pointers() == 0
    }
    /// Whether a count of bytes (an unsigned integer as wide as a pointer) comes last.
    pub fn counts(self) -> bool {
        matches!(self, MemoryTest::Inside | MemoryTest::Apart)
    }
}

/// Operators on one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum UnOp {
    /// `-`
    Neg,
    /// `~`
    BitNot,
    /// `!`: 1 if the operand is zero or null, else 0; the result is an `int`.
    Not,
}

/// Operators on two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BinOp {
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `/`
    Div,
    /// `%`
    Rem,
    /// `&`
    BitAnd,
    /// `|`
    BitOr,
    /// `^`
    BitXor,
    /// `<<`
    Shl,
    /// `>>`: arithmetic on signed types.
    Shr,
    /// `==`
    Eq,
    /// `!=`
    Ne,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
    /// `&&` of operands that cannot trap: both may be evaluated.
    And,
    /// `||` of operands that cannot trap: both may be evaluated.
    Or,
}

impl BinOp {
    /// All of them; the binary file numbers them in this order.
    pub const ALL: [BinOp; 18] = {
        use BinOp::*;
        [
            Add, Sub, Mul, Div, Rem, BitAnd, BitOr, BitXor, Shl, Shr, Eq, Ne, Lt, Le, Gt, Ge, And,
            Or,
        ]
    };
    /// Whether the result is an `int` that says yes or no.
    pub fn is_test(self) -> bool {
        self.is_comparison() || self.is_logical()
    }
    /// Whether it compares its operands.
    pub fn is_comparison(self) -> bool {
        use BinOp::*;
        matches!(self, Eq | Ne | Lt | Le | Gt | Ge)
    }
    /// `&&` or `||`.
    pub fn is_logical(self) -> bool {
        matches!(self, BinOp::And | BinOp::Or)
    }
    /// `<<` or `>>`.
    pub fn is_shift(self) -> bool {
        matches!(self, BinOp::Shl | BinOp::Shr)
    }
    /// As C writes it.
    pub fn symbol(self) -> &'static str {
        use BinOp::*;
        match self {
            Add => "+",
            Sub => "-",
            Mul => "*",
            Div => "/",
            Rem => "%",
            BitAnd => "&",
            BitOr => "|",
            BitXor => "^",
            Shl => "<<",
            Shr => ">>",
            Eq => "==",
            Ne => "!=",
            Lt => "<",
            Le => "<=",
            Gt => ">",
            Ge => ">=",
            And => "&&",
            Or => "||",
        }
    }
}

impl UnOp {
    /// As C writes it.
    pub fn symbol(self) -> &'static str {
        match self {
            UnOp::Neg => "-",
            UnOp::BitNot => "~",
            UnOp::Not => "!",
        }
    }
}

/// Something that holds a value and (unless a bit-field) has an address.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    /// The type of what it holds.
    pub ty: TypeId,
    /// Where to start.
    pub base: Base,
    /// Steps inward from there, outermost first.
    pub path: Vec<Step>,
}

/// Where a place starts.
#[derive(Clone, Debug, PartialEq)]
pub enum Base {
    /// At a variable.
    Var(VarId),
    /// At what a pointer points to.
    Deref(Box<Expr>),
}

/// One step inward.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// To a field of a record, by its number.
    Field(u32),
    /// To an element of an array; the index is an integer as wide as a pointer, signed.
    Index(Expr),
}

/// A statement that does not branch.
#[derive(Clone, Debug, PartialEq)]
pub struct Stmt {
    /// Where it stands in the source.
    pub loc: LocId,
    /// What it does.
    pub kind: StmtKind,
}

/// The forms of a statement.
#[derive(Clone, Debug, PartialEq)]
pub enum StmtKind {
    /// Stores a value (scalar or aggregate) in a place of the same type.
    Assign(Place, Expr),
    /// Sets a register, which is then a scalar.
    SetReg(RegId, Expr),
    /// A local variable's life begins, or begins again: its contents are indeterminate.
    Live(VarId),
    /// A local variable's life ends: pointers to it lead nowhere from now on.
    Dead(VarId),
    /// The scalar must not be zero or null; if it is, this check fails and the run ends.
    Assert {
        /// What fails.
        check: CheckId,
        /// The condition.
        cond: Expr,
    },
    /// Only runs in which the scalar is not zero or null are looked at.
    Assume(Expr),
    /// What a pointer leads to changes: code that nobody sees may have written it.
    Havoc {
        /// A pointer; nothing happens if it leads nowhere. If it is the constant null, everything
        /// changes that code outside was given by such statements without a size before
        /// ([`Expr::is_null`]): it may have kept the pointers.
        ptr: Expr,
        /// So many bytes from there on get any contents (an unsigned integer as wide as a pointer); if none
        /// is given, everything that can be reached from there, and code outside knows it from now on.
        size: Option<Expr>,
    },
}

/// A basic block: statements, then one branch.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// Run in order.
    pub stmts: Vec<Stmt>,
    /// Where the branch stands in the source.
    pub loc: LocId,
    /// Where to go next.
    pub branch: Branch,
}

/// What ends a block.
#[derive(Clone, Debug, PartialEq)]
pub enum Branch {
    /// Go on at a block.
    Goto(BlockId),
    /// Go on at `then` if the scalar `cond` is not zero or null, else at `els`.
    If {
        /// The condition.
        cond: Expr,
        /// Where to go if it holds.
        then: BlockId,
        /// Where to go if not.
        els: BlockId,
    },
    /// Go on at the case whose range holds the value of `on`.
    Switch {
        /// An integer.
        on: Expr,
        /// Disjoint ranges, both ends included, in rising order.
        cases: Vec<Case>,
        /// Where to go if no range holds the value.
        default: BlockId,
    },
    /// Call a function; its result is in register 0 when control arrives at `next`.
    Call {
        /// What is called.
        callee: Callee,
        /// The arguments.
        args: Vec<Expr>,
        /// The type of the result; `Void` for none.
        ret: TypeId,
        /// Where to go on; none if the function never returns.
        next: Option<BlockId>,
    },
    /// Leave the function, with a value unless it returns none.
    Return(Option<Expr>),
    /// End the program with an exit status.
    Halt(Expr),
    /// Control never comes here; if it does, the program's behaviour is undefined.
    Unreachable(Unreachable),
}

/// Why control never comes to a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unreachable {
    /// The program says so (`__builtin_unreachable`).
    Promised,
    /// A trap instruction: the program stops abnormally (`__builtin_trap`).
    Trap,
    /// A computed goto with a value that is no label's address.
    BadGoto,
    /// A call that never returns did.
    Returned,
}

/// One case of a switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Case {
    /// The smallest value, in the canonical form of the switch's type.
    pub lo: i128,
    /// The largest value.
    pub hi: i128,
    /// Where to go.
    pub target: BlockId,
}

/// What is called.
#[derive(Clone, Debug, PartialEq)]
pub enum Callee {
    /// A function by name.
    Direct(FuncId),
    /// A function by address: an expression of pointer-to-function type.
    Indirect(Expr),
}

/// A function's code. Control enters at block 0.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Body {
    /// Types of the registers. Register 0 has no type of its own (`Void` here).
    pub regs: IndexVec<RegId, TypeId>,
    /// The blocks.
    pub blocks: IndexVec<BlockId, Block>,
}

impl Body {
    /// Where control enters.
    pub const ENTRY: BlockId = BlockId(0);
    /// Calls `visit` for each expression of a statement or a branch, and for the operands of the
    /// places that are assigned to.
    pub fn for_each_expr<'a>(&'a self, visit: &mut dyn FnMut(&'a Expr)) {
        self.blocks.iter().for_each(|b| b.for_each_expr(visit));
    }
}

impl Block {
    /// The same as [`Body::for_each_expr`], for one block.
    pub fn for_each_expr<'a>(&'a self, visit: &mut dyn FnMut(&'a Expr)) {
        for stmt in &self.stmts {
            stmt.kind.for_each_expr(visit);
        }
        self.branch.for_each_expr(visit);
    }
}

impl StmtKind {
    /// Calls `visit` for each whole expression, and for the operands of the place that is assigned to.
    pub fn for_each_expr<'a>(&'a self, visit: &mut dyn FnMut(&'a Expr)) {
        match self {
            StmtKind::Assign(place, e) => {
                place.for_each_operand(visit);
                visit(e);
            }
            StmtKind::SetReg(_, e) | StmtKind::Assume(e) => visit(e),
            StmtKind::Assert { cond, .. } => visit(cond),
            StmtKind::Havoc { ptr, size } => {
                visit(ptr);
                size.iter().for_each(&mut *visit);
            }
            StmtKind::Live(_) | StmtKind::Dead(_) => {}
        }
    }
    /// The same, to change them.
    pub fn for_each_expr_mut(&mut self, visit: &mut dyn FnMut(&mut Expr)) {
        match self {
            StmtKind::Assign(place, e) => {
                place.for_each_operand_mut(visit);
                visit(e);
            }
            StmtKind::SetReg(_, e) | StmtKind::Assume(e) => visit(e),
            StmtKind::Assert { cond, .. } => visit(cond),
            StmtKind::Havoc { ptr, size } => {
                visit(ptr);
                size.iter_mut().for_each(&mut *visit);
            }
            StmtKind::Live(_) | StmtKind::Dead(_) => {}
        }
    }
}

impl Branch {
    /// Calls `visit` for each whole expression.
    pub fn for_each_expr<'a>(&'a self, visit: &mut dyn FnMut(&'a Expr)) {
        match self {
            Branch::If { cond: e, .. }
            | Branch::Switch { on: e, .. }
            | Branch::Return(Some(e))
            | Branch::Halt(e) => visit(e),
            Branch::Call { callee, args, .. } => {
                if let Callee::Indirect(e) = callee {
                    visit(e);
                }
                args.iter().for_each(visit);
            }
            Branch::Goto(_) | Branch::Return(None) | Branch::Unreachable(_) => {}
        }
    }
    /// The same, to change them.
    pub fn for_each_expr_mut(&mut self, visit: &mut dyn FnMut(&mut Expr)) {
        match self {
            Branch::If { cond: e, .. }
            | Branch::Switch { on: e, .. }
            | Branch::Return(Some(e))
            | Branch::Halt(e) => visit(e),
            Branch::Call { callee, args, .. } => {
                if let Callee::Indirect(e) = callee {
                    visit(e);
                }
                args.iter_mut().for_each(visit);
            }
            Branch::Goto(_) | Branch::Return(None) | Branch::Unreachable(_) => {}
        }
    }
    /// Calls `visit` for each block that control may go on at (for a call: after it returns).
    pub fn for_each_successor(&self, mut visit: impl FnMut(BlockId)) {
        match self {
            Branch::Goto(b) => visit(*b),
            Branch::If { then, els, .. } => {
                visit(*then);
                visit(*els);
            }
            Branch::Switch { cases, default, .. } => {
                cases.iter().for_each(|c| visit(c.target));
                visit(*default);
            }
            Branch::Call { next, .. } => next.iter().for_each(|b| visit(*b)),
            Branch::Return(_) | Branch::Halt(_) | Branch::Unreachable(_) => {}
        }
    }
    /// Calls `visit` for each successor, to change it.
    pub fn for_each_successor_mut(&mut self, mut visit: impl FnMut(&mut BlockId)) {
        match self {
            Branch::Goto(b) => visit(b),
            Branch::If { then, els, .. } => {
                visit(then);
                visit(els);
            }
            Branch::Switch { cases, default, .. } => {
                cases.iter_mut().for_each(|c| visit(&mut c.target));
                visit(default);
            }
            Branch::Call { next, .. } => next.iter_mut().for_each(visit),
            Branch::Return(_) | Branch::Halt(_) | Branch::Unreachable(_) => {}
        }
    }
    /// The successors, in program order, repeated where the branch repeats them.
    pub fn successors(&self) -> Vec<BlockId> {
        let mut list = Vec::new();
        self.for_each_successor(|b| list.push(b));
        list
    }
}

impl Expr {
    /// The integer constant `value` of type `ty`; the caller has wrapped it.
    pub fn int(ty: TypeId, value: i128) -> Expr {
        Expr {
            ty,
            kind: ExprKind::Int(value),
        }
    }
    /// A register's value.
    pub fn reg(ty: TypeId, reg: RegId) -> Expr {
        Expr {
            ty,
            kind: ExprKind::Reg(reg),
        }
    }
    /// What `place` holds, not volatile.
    pub fn load(place: Place) -> Expr {
        Expr {
            ty: place.ty,
            kind: ExprKind::Load {
                place,
                volatile: false,
            },
        }
    }
    /// `left op right`; tests are `int`, the rest has the type of `left`.
    pub fn binary(op: BinOp, left: Expr, right: Expr) -> Expr {
        let ty = if op.is_test() { Types::INT } else { left.ty };
        Expr {
            ty,
            kind: ExprKind::Binary(op, Box::new(left), Box::new(right)),
        }
    }
    /// `op operand`; `!` is `int`, the rest has the type of the operand.
    pub fn unary(op: UnOp, operand: Expr) -> Expr {
        let ty = if op == UnOp::Not {
            Types::INT
        } else {
            operand.ty
        };
        Expr {
            ty,
            kind: ExprKind::Unary(op, Box::new(operand)),
        }
    }
    /// `operand` converted to `ty`; no node when it has that type already.
    pub fn cast(ty: TypeId, operand: Expr) -> Expr {
        if operand.ty == ty {
            return operand;
        }
        Expr {
            ty,
            kind: ExprKind::Cast(Box::new(operand)),
        }
    }
    /// A question about memory.
    pub fn memory(test: MemoryTest, args: Vec<Expr>) -> Expr {
        Expr {
            ty: Types::INT,
            kind: ExprKind::Memory(test, args),
        }
    }
    /// Whether the outermost operator of `operand` does not overflow.
    pub fn fits(operand: Expr) -> Expr {
        Expr {
            ty: Types::INT,
            kind: ExprKind::Fits(Box::new(operand)),
        }
    }
    /// The constant, if this is an integer, boolean or pointer constant.
    pub fn as_int(&self) -> Option<i128> {
        match self.kind {
            ExprKind::Int(value) => Some(value),
            _ => None,
        }
    }
    /// Whether this is the constant null.
    pub fn is_null(&self) -> bool {
        self.as_int() == Some(0)
    }
    /// Calls `visit` for each operand, including those inside places.
    pub fn for_each_operand<'a>(&'a self, visit: &mut dyn FnMut(&'a Expr)) {
        match &self.kind {
            ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::Zero
            | ExprKind::Choose
            | ExprKind::Reg(_)
            | ExprKind::FuncAddr(_)
            | ExprKind::VarArgs => {}
            ExprKind::Load { place, .. } | ExprKind::AddrOf(place) => place.for_each_operand(visit),
            ExprKind::Memory(_, args) => args.iter().for_each(visit),
            ExprKind::Unary(_, e) | ExprKind::Cast(e) | ExprKind::Fits(e) => visit(e),
            ExprKind::Binary(_, a, b)
            | ExprKind::PtrAdd {
                ptr: a, index: b, ..
            }
            | ExprKind::PtrDiff {
                left: a, right: b, ..
            } => {
                visit(a);
                visit(b);
            }
        }
    }
    /// Calls `visit` for each operand, to change it.
    pub fn for_each_operand_mut(&mut self, visit: &mut dyn FnMut(&mut Expr)) {
        match &mut self.kind {
            ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::Zero
            | ExprKind::Choose
            | ExprKind::Reg(_)
            | ExprKind::FuncAddr(_)
            | ExprKind::VarArgs => {}
            ExprKind::Load { place, .. } | ExprKind::AddrOf(place) => {
                place.for_each_operand_mut(visit);
            }
            ExprKind::Memory(_, args) => args.iter_mut().for_each(visit),
            ExprKind::Unary(_, e) | ExprKind::Cast(e) | ExprKind::Fits(e) => visit(e),
            ExprKind::Binary(_, a, b)
            | ExprKind::PtrAdd {
                ptr: a, index: b, ..
            }
            | ExprKind::PtrDiff {
                left: a, right: b, ..
            } => {
                visit(a);
                visit(b);
            }
        }
    }
    /// Calls `visit` for this expression and everything in it, operands first.
    pub fn walk<'a>(&'a self, visit: &mut dyn FnMut(&'a Expr)) {
        self.for_each_operand(&mut |e| e.walk(visit));
        visit(self);
    }
    /// Calls `visit` for this expression and everything in it, operands first, to change it.
    pub fn walk_mut(&mut self, visit: &mut dyn FnMut(&mut Expr)) {
        self.for_each_operand_mut(&mut |e| e.walk_mut(visit));
        visit(self);
    }
    /// Whether evaluating it may fail: a division, a shift, a dereference, or an array index
    /// that is not a constant inside the array.
    pub fn may_trap(&self, types: &Types, var_type: &dyn Fn(VarId) -> TypeId) -> bool {
        let own = match &self.kind {
            ExprKind::Binary(op @ (BinOp::Div | BinOp::Rem), _, divisor) => {
                let float = matches!(types[divisor.ty], Type::Float(_));
                let harmless = matches!(divisor.kind, ExprKind::Int(d) if d != 0 && d != -1);
                debug_assert!(!(float && *op == BinOp::Rem), "no % on floats");
                !float && !harmless
            }
            ExprKind::Binary(BinOp::Shl | BinOp::Shr, left, amount) => {
                let width = types.as_int(left.ty).map_or(0, |t| i128::from(t.bits));
                !matches!(amount.kind, ExprKind::Int(n) if (0..width).contains(&n))
            }
            ExprKind::Load { place, .. } => place.may_trap(types, var_type),
            _ => false,
        };
        let mut inside = false;
        self.for_each_operand(&mut |e| inside = inside || e.may_trap(types, var_type));
        own || inside
    }
}

impl Place {
    /// A whole variable.
    pub fn var(ty: TypeId, var: VarId) -> Place {
        Place {
            ty,
            base: Base::Var(var),
            path: Vec::new(),
        }
    }
    /// What the pointer `ptr` points to, as a `ty`.
    pub fn deref(ty: TypeId, ptr: Expr) -> Place {
        Place {
            ty,
            base: Base::Deref(Box::new(ptr)),
            path: Vec::new(),
        }
    }
    /// The variable, if the place is a whole variable.
    pub fn as_var(&self) -> Option<VarId> {
        match self.base {
            Base::Var(var) if self.path.is_empty() => Some(var),
            _ => None,
        }
    }
    /// The variable that the place lies in, unless it starts at a pointer.
    pub fn root(&self) -> Option<VarId> {
        match self.base {
            Base::Var(var) => Some(var),
            Base::Deref(_) => None,
        }
    }
    /// Calls `visit` for each expression that the place is computed from.
    pub fn for_each_operand<'a>(&'a self, visit: &mut dyn FnMut(&'a Expr)) {
        if let Base::Deref(e) = &self.base {
            visit(e);
        }
        for step in &self.path {
            if let Step::Index(e) = step {
                visit(e);
            }
        }
    }
    /// Calls `visit` for each expression that the place is computed from, to change it.
    pub fn for_each_operand_mut(&mut self, visit: &mut dyn FnMut(&mut Expr)) {
        if let Base::Deref(e) = &mut self.base {
            visit(e);
        }
        for step in &mut self.path {
            if let Step::Index(e) = step {
                visit(e);
            }
        }
    }
    /// Whether reading it may fail, apart from its operands.
    fn may_trap(&self, types: &Types, var_type: &dyn Fn(VarId) -> TypeId) -> bool {
        let Base::Var(var) = self.base else {
            return true;
        };
        let mut ty = var_type(var);
        for step in &self.path {
            match (step, &types[ty]) {
                (Step::Field(n), Type::Record(r)) => ty = types.records[*r].fields[*n as usize].ty,
                (Step::Index(i), Type::Array { elem, len }) => {
                    if !i.as_int().is_some_and(|i| i >= 0 && i < i128::from(*len)) {
                        return true;
                    }
                    ty = *elem;
                }
                _ => return true,
            }
        }
        false
    }
}
