//! Locations: where a place lies, and when two of them are the same.
//!
//! This is the paper's logical model of memory. A variable whose address is never taken is a
//! region of its own; everything else lies in memory at an address, and two locations there are
//! the same when their addresses are equal, unless points-to sets or their types tell them apart:
//! different fields of one struct, fields of different structs, and scalars of different sizes
//! (but bytes and parts of unions) never share memory.

use cwolf_cwi::graph::Object;
use cwolf_cwi::{RecordId, RegId, TypeId, VarId};
use cwolf_logic::Term;

/// Where a location lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Region {
    /// In a variable that no pointer points to.
    Var(VarId),
    /// In a register.
    Reg(RegId),
    /// In memory.
    Memory,
}

/// A location in some state.
#[derive(Clone, Debug)]
pub(crate) struct Location {
    pub region: Region,
    /// The address in memory, or the offset in the variable, in bytes.
    pub address: Term,
    pub ty: TypeId,
    /// What keeps apart values that are stored side by side in memory.
    pub class: Class,
    /// In memory: the objects it may lie in.
    pub objects: Vec<Object>,
    /// The innermost record that it is a field of.
    pub field: Option<(RecordId, u32)>,
    /// Whether it is a part of a union.
    pub in_union: bool,
    /// In memory, if the last step leads to a field: the address of its record.
    pub record: Option<Term>,
    /// The places on the way to it: type and address.
    pub prefixes: Vec<(TypeId, Term)>,
}

/// How a scalar is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Class {
    /// An integer or pointer of so many bytes.
    Word(u64),
    /// A floating-point number of so many bytes.
    Float(u64),
    /// A bit-field.
    Bits(RecordId, u32),
    /// A record or an array of so many bytes.
    Whole(u64),
}

impl Class {
    /// The bytes that a value takes, at least.
    pub fn size(self) -> u64 {
        match self {
            Class::Word(n) | Class::Float(n) | Class::Whole(n) => n,
            Class::Bits(..) => 1,
        }
    }
    /// The name of the memory that holds such values.
    pub fn name(self) -> String {
        match self {
            Class::Word(n) => format!("{}", n * 8),
            Class::Float(n) => format!("f{}", n * 8),
            Class::Bits(r, f) => format!("b{}.{f}", r.0),
            Class::Whole(n) => format!("w{n}"),
        }
    }
}

/// What two locations may have in common.
pub(crate) enum Relation {
    /// Nothing.
    Never,
    /// They are the same if their addresses are equal, and apart otherwise.
    Same,
    /// They may share bytes.
    Overlap,
}

impl Location {
    /// How a scalar that is written relates to one that is read.
    pub fn relation(&self, read: &Location, may_share: impl Fn() -> bool) -> Relation {
        if self.region != read.region {
            return Relation::Never;
        }
        let unions = self.in_union || read.in_union;
        if self.region == Region::Memory {
            if !may_share() {
                return Relation::Never;
            }
            if let (Some((r1, f1)), Some((r2, f2))) = (self.field, read.field)
                && !unions
            {
                return match r1 == r2 && f1 == f2 {
                    true if self.class == read.class => Relation::Same,
                    // Parts of one field, such as an array of records seen as bytes.
                    true => Relation::Overlap,
                    false => Relation::Never,
                };
            }
        }
        if self.class == read.class && !unions {
            return Relation::Same;
        }
        let byte = |l: &Location| l.class == Class::Word(1) && l.field.is_none();
        match unions || self.region != Region::Memory || byte(self) || byte(read) {
            true => Relation::Overlap,
            false => Relation::Never,
        }
    }
}
