//! CWI, the intermediate code that every engine reads: types with their layout, variables,
//! functions of basic blocks, pure typed expressions, places. It knows nothing of C's syntax
//! and nothing of any analysis.
//!
//! The code follows sections 2.1.2, 3.3 and 4.2 of the C Wolf thesis, with types: expressions
//! have no side effects, a call ends a block and leaves its result in register 0, and items
//! refer to each other by number, never forward.
//!
//! ```
//! use cwolf_cwi::{IntTy, Target, Types, value};
//! let mut types = Types::new(Target::X86_64);
//! let byte = IntTy::new(8, true);
//! assert_eq!(value::wrap(byte, 200), -56);
//! let pointer = types.pointer(Types::CHAR);
//! assert_eq!(types.size_of(pointer), 8);
//! ```

mod build;
pub mod code;
pub mod file;
pub mod graph;
pub mod layout;
pub mod link;
mod predicate;
pub mod program;
mod target;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
pub mod text;
pub mod types;
pub mod typing;
pub mod value;
pub mod verify;
pub mod view;

pub use code::{
    Base, BinOp, Block, BlockId, Body, Branch, Callee, Case, CheckId, Expr, ExprKind, FuncId,
    HANDLE, LocId, MemoryTest, Place, RESULT, RegId, Step, Stmt, StmtKind, UnOp, Unreachable,
    VarId, WIDE,
};
pub use predicate::Predicate;
pub use program::{
    Check, CheckKind, Definition, FileId, Function, Group, Heap, InitItem, InitValue, Linkage, Loc,
    Locations, Note, Origin, Phase, Program, Refusal, Site, Startup, Var, VarKind,
};
pub use target::{Order, Target, VaList, WideChar};
pub use types::{Field, FloatTy, FuncTy, IntTy, Record, RecordId, RecordKind, Type, TypeId, Types};
pub use verify::{Violation, verify};
