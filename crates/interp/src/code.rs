//! The bytecode: one flat list of small instructions for each function, made at its first
//! call. Operands are slots of the frame (64-bit words; a type of more than 64 bits takes
//! two), constants are folded in, and a comparison is fused with the branch on it.

use cwolf_cwi::{
    BinOp, BlockId, CheckId, FloatTy, FuncId, IntTy, LocId, MemoryTest, RegId, TypeId, UnOp,
    Unreachable, VarId,
};

/// A frame slot, counted from the frame's base.
pub(crate) type Slot = u32;

/// The four types that the fast instructions compute in. Canonical words make most operators
/// independent of the width, so few of each are needed.
pub(crate) const I32: IntTy = IntTy::new(32, true);
pub(crate) const U32: IntTy = IntTy::new(32, false);
pub(crate) const I64: IntTy = IntTy::new(64, true);
pub(crate) const U64: IntTy = IntTy::new(64, false);

/// Hands two lists to another macro: the fast binary instructions and the fused compare-and-
/// branch instructions, each as `slot-slot name, slot-constant name, operator, type`.
macro_rules! with_operators {
    ($then:ident) => {
        $then! {
            [
                AddI32 AddI32C Add I32;
                AddU32 AddU32C Add U32;
                AddW AddWC Add I64;
                SubI32 SubI32C Sub I32;
                SubU32 SubU32C Sub U32;
                SubW SubWC Sub I64;
                MulI32 MulI32C Mul I32;
                MulU32 MulU32C Mul U32;
                MulW MulWC Mul I64;
                DivI32 DivI32C Div I32;
                DivU32 DivU32C Div U32;
                DivI64 DivI64C Div I64;
                DivU64 DivU64C Div U64;
                RemI32 RemI32C Rem I32;
                RemU32 RemU32C Rem U32;
                RemI64 RemI64C Rem I64;
                RemU64 RemU64C Rem U64;
                AndW AndWC BitAnd U64;
                OrW OrWC BitOr U64;
                XorW XorWC BitXor U64;
                ShlI32 ShlI32C Shl I32;
                ShlU32 ShlU32C Shl U32;
                ShlW ShlWC Shl U64;
                ShrI32 ShrI32C Shr I32;
                ShrU32 ShrU32C Shr U32;
                ShrI64 ShrI64C Shr I64;
                ShrU64 ShrU64C Shr U64;
                EqW EqWC Eq U64;
                NeW NeWC Ne U64;
                LtS LtSC Lt I64;
                LeS LeSC Le I64;
                GtS GtSC Gt I64;
                GeS GeSC Ge I64;
                LtU LtUC Lt U64;
                LeU LeUC Le U64;
                GtU GtUC Gt U64;
                GeU GeUC Ge U64;
            ]
            [
                BrEq BrEqC Eq U64;
                BrNe BrNeC Ne U64;
                BrLtS BrLtSC Lt I64;
                BrLeS BrLeSC Le I64;
                BrGtS BrGtSC Gt I64;
                BrGeS BrGeSC Ge I64;
                BrLtU BrLtUC Lt U64;
                BrLeU BrLeUC Le U64;
                BrGtU BrGtUC Gt U64;
                BrGeU BrGeUC Ge U64;
            ]
        }
    };
}
pub(crate) use with_operators;

macro_rules! define_instr {
    ([$($slots:ident $constant:ident $op:ident $ty:ident;)*] [$($bslots:ident $bconstant:ident $bop:ident $bty:ident;)*]) => {
        /// One instruction. `C` forms have a constant right operand. `cost` is how many
        /// statements the block that it ends has.
        #[derive(Clone, Copy, Debug)]
        #[allow(missing_docs)]
        pub(crate) enum Instr {
            $($slots { dst: Slot, a: Slot, b: Slot }, $constant { dst: Slot, a: Slot, c: i32 },)*
            $($bslots { a: Slot, b: Slot, to: u32, cost: u16 }, $bconstant { a: Slot, c: i32, to: u32, cost: u16 },)*
            Const { dst: Slot, value: u64 },
            Mov { dst: Slot, a: Slot },
            Ext8S { dst: Slot, a: Slot },
            Ext8U { dst: Slot, a: Slot },
            Ext16S { dst: Slot, a: Slot },
            Ext16U { dst: Slot, a: Slot },
            Ext32S { dst: Slot, a: Slot },
            Ext32U { dst: Slot, a: Slot },
            Neg { dst: Slot, a: Slot, ty: IntTy },
            BitNot { dst: Slot, a: Slot, ty: IntTy },
            Not { dst: Slot, a: Slot },
            Truth { dst: Slot, a: Slot },
            LogAnd { dst: Slot, a: Slot, b: Slot },
            LogOr { dst: Slot, a: Slot, b: Slot },
            Float64 { op: BinOp, dst: Slot, a: Slot, b: Slot },
            /// `a + b * scale`, reduced to the width of a pointer.
            Lea { dst: Slot, a: Slot, b: Slot, scale: u16 },
            /// `a + offset`, reduced to the width of a pointer.
            LeaC { dst: Slot, a: Slot, offset: i32 },
            Load8S { dst: Slot, a: Slot, offset: i32 },
            Load8U { dst: Slot, a: Slot, offset: i32 },
            Load16S { dst: Slot, a: Slot, offset: i32 },
            Load16U { dst: Slot, a: Slot, offset: i32 },
            Load32S { dst: Slot, a: Slot, offset: i32 },
            Load32U { dst: Slot, a: Slot, offset: i32 },
            Load64 { dst: Slot, a: Slot, offset: i32 },
            Store8 { src: Slot, a: Slot, offset: i32 },
            Store16 { src: Slot, a: Slot, offset: i32 },
            Store32 { src: Slot, a: Slot, offset: i32 },
            Store64 { src: Slot, a: Slot, offset: i32 },
            /// Loads and stores of variables that live for the whole run.
            Get8S { dst: Slot, object: u32, offset: u32 },
            Get8U { dst: Slot, object: u32, offset: u32 },
            Get16S { dst: Slot, object: u32, offset: u32 },
            Get16U { dst: Slot, object: u32, offset: u32 },
            Get32S { dst: Slot, object: u32, offset: u32 },
            Get32U { dst: Slot, object: u32, offset: u32 },
            Get64 { dst: Slot, object: u32, offset: u32 },
            Put8 { src: Slot, object: u32, offset: u32 },
            Put16 { src: Slot, object: u32, offset: u32 },
            Put32 { src: Slot, object: u32, offset: u32 },
            Put64 { src: Slot, object: u32, offset: u32 },
            /// Makes sure that a frame object exists; its address is in the slot.
            Ensure { slot: Slot, object: u32 },
            /// Anything else, from the side table.
            Slow { index: u32 },
            /// A variable becomes indeterminate.
            Taint { slot: Slot, wide: bool },
            Jump { to: u32, cost: u16 },
            BrTrue { a: Slot, to: u32, cost: u16 },
            BrFalse { a: Slot, to: u32, cost: u16 },
            Switch { a: Slot, table: u32, cost: u16 },
            Call { site: u32, cost: u16 },
            Return { a: Slot, cost: u16 },
            ReturnNone { cost: u16 },
            ReturnWide { a: Slot, cost: u16 },
            /// Returns the aggregate at the address in `a`.
            ReturnBytes { a: Slot, size: u32, cost: u16 },
            /// Returns the aggregate that is in register 0.
            ReturnResult { cost: u16 },
            Halt { a: Slot },
            Unreachable { why: Unreachable },
            Trace { block: u32, index: u32 },
        }
    };
}

with_operators!(define_instr);

/// A scalar type as the machine computes with it; pointers and `Bool` are integers here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scalar {
    Int(IntTy),
    Float(FloatTy),
}

impl Scalar {
    /// Whether a value takes two slots.
    pub fn is_wide(self) -> bool {
        match self {
            Scalar::Int(ty) => ty.bits > 64,
            Scalar::Float(ty) => matches!(ty, FloatTy::F80 | FloatTy::F128),
        }
    }
    /// How many slots a value takes.
    pub fn slots(self) -> u32 {
        1 + u32::from(self.is_wide())
    }
}

/// Where the bits of a scalar lie in memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout {
    pub scalar: Scalar,
    /// Converted with "not zero" on a cast, unlike a one-bit integer.
    pub boolean: bool,
    /// Bytes that hold it.
    pub bytes: u8,
    /// Distance of its lowest bit from the address, less than 8; not 0 only for bit-fields.
    pub shift: u8,
    /// Whether neighbours in the same bytes must be kept.
    pub bit_field: bool,
    /// Says in what order the bytes of numbers lie.
    pub machine: cwolf_cwi::Target,
}

/// Where an aggregate comes from.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Source {
    /// The address in a slot plus an offset.
    Memory(Slot, i64),
    /// The result of the last call.
    Result,
    Zero,
    /// Any value.
    Unknown,
}

/// The operator that [`Slow::Fits`] is about.
#[derive(Clone, Copy, Debug)]
pub(crate) enum FitsOp {
    Unary(UnOp),
    Binary(BinOp),
}

/// Instructions too rare or too big for [`Instr`].
#[derive(Clone, Debug)]
pub(crate) enum Slow {
    Binary {
        op: BinOp,
        ty: Scalar,
        amount: Scalar,
        dst: Slot,
        a: Slot,
        b: Slot,
    },
    Unary {
        op: UnOp,
        ty: Scalar,
        dst: Slot,
        a: Slot,
    },
    Cast {
        from: Scalar,
        to: Scalar,
        boolean: bool,
        dst: Slot,
        a: Slot,
    },
    MovWide {
        dst: Slot,
        a: Slot,
    },
    Load {
        layout: Layout,
        dst: Slot,
        a: Slot,
        offset: i64,
    },
    Store {
        layout: Layout,
        src: Slot,
        a: Slot,
        offset: i64,
    },
    /// `a + b * scale + offset`.
    Lea {
        dst: Slot,
        a: Slot,
        b: Option<Slot>,
        scale: u64,
        offset: i64,
    },
    PtrDiff {
        dst: Slot,
        a: Slot,
        b: Slot,
        scale: u64,
        ty: IntTy,
    },
    Copy {
        to: Slot,
        offset: i64,
        from: Source,
        size: u64,
        ty: TypeId,
    },
    /// Puts any value into a slot.
    Choose {
        dst: Slot,
        ty: TypeId,
        wide: bool,
    },
    /// Makes a frame object's contents indeterminate.
    Forget {
        slot: Slot,
    },
    /// Lets a constant frame object be written, or not any more.
    Seal {
        slot: Slot,
        on: bool,
    },
    /// Ends a frame object's life.
    End {
        slot: Slot,
    },
    /// C says whether these addresses are equal.
    Comparable {
        a: Slot,
        b: Slot,
    },
    /// An operator on one operand (`b` is none) or two fits its type.
    Fits {
        op: FitsOp,
        ty: IntTy,
        amount: IntTy,
        dst: Slot,
        a: Slot,
        b: Slot,
    },
    Memory {
        test: MemoryTest,
        dst: Slot,
        args: [Slot; 3],
    },
    /// The check, and which statement of which block asserts it.
    Assert {
        a: Slot,
        check: CheckId,
        at: (u32, u32),
    },
    /// An `Assert` of a question about memory.
    Demand {
        test: MemoryTest,
        args: [Slot; 3],
        check: CheckId,
        at: (u32, u32),
    },
    /// An `Assert` of a question about all allocated objects.
    Census {
        test: MemoryTest,
        check: CheckId,
        at: (u32, u32),
    },
    Assume {
        a: Slot,
    },
    Havoc {
        ptr: Slot,
        size: Option<Slot>,
    },
    HavocKnown,
    /// The address of the unnamed arguments.
    VarArgs {
        dst: Slot,
    },
}

/// A frame object: an aggregate or address-taken variable, or a hidden temporary.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FrameObject {
    pub var: Option<VarId>,
    pub size: u64,
    pub align: u64,
    pub slot: Slot,
}

/// One argument of a call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arg {
    /// Distance from the first argument's slot.
    pub at: u32,
    pub ty: TypeId,
    /// None for an aggregate, whose address is passed.
    pub scalar: Option<Scalar>,
}

/// What a call calls.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Target {
    Direct(FuncId),
    /// The address in a slot.
    Indirect(Slot),
}

/// What a caller expects of a call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Expects {
    pub ret: TypeId,
    pub scalar: Option<Scalar>,
    /// Whether the result is used.
    pub used: bool,
}

/// A call.
#[derive(Clone, Debug)]
pub(crate) struct Site {
    pub target: Target,
    /// Slot of the first argument; the callee's frame starts here.
    pub base: Slot,
    pub args: Vec<Arg>,
    pub expects: Expects,
    /// Whether the callee's parameters are known to match exactly.
    pub exact: bool,
}

/// The targets of a switch.
#[derive(Clone, Debug)]
pub(crate) struct SwitchTable {
    /// The type of the value that is looked up.
    pub ty: IntTy,
    /// Smallest value of `dense`.
    pub lo: i128,
    /// Targets of consecutive values, when there are not too many.
    pub dense: Vec<u32>,
    /// Ranges in rising order, when there are.
    pub ranges: Vec<(i128, i128, u32)>,
    pub default: u32,
}

/// Where a variable of the function is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Home {
    /// In a slot, as a scalar.
    Slot(Slot),
    /// In the frame object of this number.
    Frame(u32),
}

/// A compiled function.
#[derive(Debug)]
pub(crate) struct Code {
    pub func: FuncId,
    /// What the function returns.
    pub ret: TypeId,
    pub instrs: Vec<Instr>,
    pub locs: Vec<LocId>,
    /// Slots that a frame takes.
    pub slots: u32,
    /// Where register 0 is.
    pub result: Slot,
    /// Where each register is.
    pub regs: Vec<Slot>,
    /// Slots `0..persistent` hold variables and registers; the rest is scratch.
    pub persistent: u32,
    pub params: Vec<Arg>,
    pub homes: rustc_hash::FxHashMap<VarId, Home>,
    pub objects: Vec<FrameObject>,
    pub slow: Vec<Slow>,
    pub sites: Vec<Site>,
    pub switches: Vec<SwitchTable>,
    /// Where the code of each block starts.
    pub starts: Vec<u32>,
}

impl Code {
    /// The block that an instruction belongs to.
    pub fn block_of(&self, instr: usize) -> Option<BlockId> {
        let after = self.starts.partition_point(|s| *s as usize <= instr);
        Some(BlockId(after.checked_sub(1)? as u32))
    }
    /// The slot of a register.
    pub fn reg(&self, reg: RegId) -> Option<Slot> {
        self.regs.get(reg.0 as usize).copied()
    }
}
