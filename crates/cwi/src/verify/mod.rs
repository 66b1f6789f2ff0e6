//! What every program holds to, whoever made it. [`verify`] checks all of it; a front end or
//! linker that breaks a rule has a bug, a file that breaks one is refused.
//!
//! **Tables**
//! 1. Every id (file, position, type, record, variable, function, check, block, register) is in range.
//! 2. A type refers to records and to types before it, is nested at most [`MAX_TYPE_DEPTH`]
//!    deep, has at most [`MAX_TYPE_SIZE`] parts when written out and, as an object, less than
//!    2^60 bytes. Integers have 1 to 128 bits; array elements and parameters are objects;
//!    functions return no arrays and no functions.
//! 3. A record that is not complete has no fields and no size. Alignments are powers of two.
//!    Fields lie inside their record; those of a struct rise and do not overlap, those of a
//!    union start at 0. Bit-fields are integers or booleans; other fields start at whole bytes.
//!    A field's type is a complete object, and no record contains itself.
//! 4. A variable's type is an object (or, if only declared, anything but a function). Only
//!    defined or weak variables that are not automatic have an initialiser. Its items rise, do
//!    not overlap, lie inside the object and have constants of their type; addresses are of
//!    functions and of variables that are not automatic. An alias is a defined or weak global
//!    without initialiser. Only declarations are weak references, here and in rule 6.
//! 5. Parameters are listed, once, in their function's `params`, other automatic variables in
//!    its `locals`.
//! 6. A function's type is a `Func`. A function with a body is defined or weak, is not refused
//!    and is no alias; its parameters have the types of the `Func`, unless that is `(...)`
//!    (old style). A declared function has neither parameters nor locals. Only a defined or
//!    weak function is refused or an alias, and one that is neither has a body. Constructors
//!    and destructors are not only declared.
//!
//! **Code**
//! 7. A body has a block to enter at; register 0 has type `Void` in its table, the others are
//!    scalar.
//! 8. Expressions are nested at most [`MAX_EXPR_DEPTH`] deep. Each has the type that follows
//!    from its operands ([`crate::typing::natural`]). Operands of an operator have the same
//!    scalar type, except that a shift amount is any integer. `%`, shifts and bit operators
//!    work on integers and booleans, arithmetic on no pointers. Conversions go between scalars,
//!    not between floats and pointers.
//! 9. Integer constants are canonical ([`crate::value::wrap`]), float constants fit their
//!    encoding. `Zero` is an aggregate. `Choose` is the whole right side of an assignment, a
//!    volatile load the whole right side of a register's.
//! 10. A place starts at a variable or at what a pointer points to, and each step fits the type
//!     it steps into. Automatic variables occur only in their own function. Nothing takes the
//!     address of a bit-field. Indices are signed integers as wide as a pointer. `PtrAdd` starts
//!     from a pointer; `PtrDiff` is of two pointers of one type and its scale is not 0.
//!     `FuncAddr` is some pointer to a function, `VarArgs` some pointer.
//! 11. Both sides of an assignment have the same type, which is a complete object's. `SetReg`
//!     never sets register 0. `Live` and `Dead` are of automatic variables of
//!     the function. `Havoc` is of a pointer; counts of bytes are unsigned words. Questions about
//!     memory have the arguments that [`crate::MemoryTest`] says; `Fits` is of an operator on integers.
//! 12. Register 0 is read only in blocks that nothing but calls lead to, and with the type that
//!     all these calls return.
//! 13. Conditions are scalar. A switch is on an integer, its cases are canonical, disjoint and
//!     rising. Arguments and result of a call are as the callee's type says; more arguments only
//!     if it is variadic. `return` has a value of the function's type, or none if that is void.
//!     The status of `halt` is an integer.

mod body;
mod tables;
#[cfg(test)]
mod tests;

use crate::code::{BlockId, FuncId, LocId};
use crate::program::Program;

/// How deep expressions may be nested.
pub const MAX_EXPR_DEPTH: u32 = 500;
/// How deep types may be nested.
pub const MAX_TYPE_DEPTH: u32 = 200;
/// How many parts a type may have when it is written out.
pub const MAX_TYPE_SIZE: u64 = 10_000;
/// How deep records may contain each other.
pub const MAX_RECORD_DEPTH: u32 = 1_000;
/// More violations than these help nobody.
const MAX_VIOLATIONS: usize = 100;

/// A rule that a program breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// What is wrong, as a plain sentence.
    pub message: String,
    /// In which function.
    pub func: Option<FuncId>,
    /// In which block of it.
    pub block: Option<BlockId>,
    /// At which statement of the block; the branch counts as the last.
    pub stmt: Option<usize>,
    /// The source position, if it is in range.
    pub loc: Option<LocId>,
}

impl Violation {
    /// The violation with all its places, for people.
    pub fn describe(&self, program: &Program) -> String {
        let mut text = String::new();
        if let Some(loc) = self.loc.filter(|l| locatable(program, *l)) {
            text += &format!("{}: ", program.locations.describe(loc));
        }
        if let Some(f) = self.func.and_then(|f| program.funcs.get(f)) {
            text += &format!("in `{}`", f.name);
            if let Some(block) = self.block {
                text += &format!(", block_{}", block.0);
            }
            if let Some(stmt) = self.stmt {
                text += &format!(", statement {stmt}");
            }
            text += ": ";
        }
        text + &self.message
    }
}

fn locatable(program: &Program, loc: LocId) -> bool {
    let known = program.locations.locs().get(loc);
    known.is_some_and(|l| program.locations.files().get(l.file).is_some())
}

/// All rules that `program` breaks (the first hundred); none if it is sound.
pub fn verify(program: &Program) -> Vec<Violation> {
    let mut checker = Checker::new(program);
    // Everything else computes sizes and names of types, so these come first.
    checker.found = verify_types(program);
    if checker.found.is_empty() {
        checker.positions();
        checker.vars();
        checker.funcs();
        checker.startup();
    }
    if checker.found.is_empty() {
        checker.bodies();
    }
    checker.found
}

/// Rules 2 and 3 only: after these, sizes and names of types can be computed safely.
pub(crate) fn verify_types(program: &Program) -> Vec<Violation> {
    let mut checker = Checker::new(program);
    checker.types();
    if checker.found.is_empty() {
        checker.records();
    }
    checker.found
}

/// Collects violations at the place it currently looks at.
struct Checker<'a> {
    program: &'a Program,
    found: Vec<Violation>,
    func: Option<FuncId>,
    block: Option<BlockId>,
    stmt: Option<usize>,
    loc: Option<LocId>,
}

impl<'a> Checker<'a> {
    fn new(program: &'a Program) -> Self {
        Checker {
            program,
            found: Vec::new(),
            func: None,
            block: None,
            stmt: None,
            loc: None,
        }
    }
    fn report(&mut self, message: impl Into<String>) {
        if self.found.len() < MAX_VIOLATIONS {
            self.found.push(Violation {
                message: message.into(),
                func: self.func,
                block: self.block,
                stmt: self.stmt,
                loc: self.loc.filter(|l| locatable(self.program, *l)),
            });
        }
    }
    /// Reports `message` unless `holds`, and returns `holds`.
    fn check(&mut self, holds: bool, message: impl FnOnce() -> String) -> bool {
        if !holds {
            self.report(message());
        }
        holds
    }
    fn at(&mut self, loc: LocId) {
        self.loc = Some(loc);
        self.check(locatable(self.program, loc), || {
            format!("there is no position number {}", loc.0)
        });
    }
}
