//! Abstract values: small, `Copy`, and for each domain one representation a set.

use super::pointer::Address;
use cwolf_base::Idx;

cwolf_base::index! {
    /// The break points of a `part` domain, known to a [`Universe`](super::Universe).
    PartId
    /// A slice of words kept by a [`Universe`](super::Universe): a long bit vector or set.
    WordsId
}

impl From<u32> for WordsId {
    fn from(id: u32) -> WordsId {
        WordsId::new(id as usize)
    }
}

/// What a variable is abstracted by. Together with the variable's C type it is a domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// `top`: nothing is known (the thesis' Unity).
    Top,
    /// `bool`: zero, not zero, or maybe (Trilog).
    Bool,
    /// `int`: the exact value, or ⊤.
    Int,
    /// `minmax`: a lower and an upper bound (Range).
    MinMax,
    /// `mod(k)`: the set of possible remainders, in C's sense, of a division by `k`.
    Mod(u32),
    /// `part(a1,…,ak)`: which intervals of a partition (Interval S).
    Part(PartId),
    /// `div(k)`: the smallest and the largest quotient of a division by `k`.
    Div(u32),
    /// `set(n)`: up to `n` exact values, or ⊤.
    Set(u16),
    /// `free`: whatever domain the latest assigned value came in.
    Free,
    /// `pointer`: a set of addresses, or ⊤.
    Pointer,
    /// A floating number between two bounds.
    Float,
}

/// A finite partition of the integers; the values of such a domain are sets of its classes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Classes {
    /// Zero, and all else.
    Bool,
    /// The remainders of a division by this number.
    Mod(u32),
    /// The intervals between break points.
    Part(PartId),
}

/// An abstract value: a set of concrete values of a type that is kept beside it.
///
/// Equal sets of one domain are equal values. A value says which domain it came from, as mixed
/// operators need to know (Table 3.8); so `free` variables can hold equal sets in two shapes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    /// No value: this is not reached.
    Bottom,
    /// Any value of the type.
    Top,
    /// Exactly this value, in canonical form (see `cwolf_cwi::value`).
    Int(u64),
    /// All values between two bounds, in canonical form; not all of the type.
    Range {
        /// The smallest.
        lo: u64,
        /// The largest.
        hi: u64,
    },
    /// The union of at most 64 classes, as a mask.
    Mask {
        /// The partition.
        classes: Classes,
        /// Bit `i` is class `i`; a class without members in the type is never set.
        bits: u64,
    },
    /// The union of classes of a partition with more than 64.
    Bits {
        /// The partition.
        classes: Classes,
        /// The mask, kept by the universe.
        words: WordsId,
    },
    /// All values whose quotient by `k` lies between two quotients; not all of the type.
    Div {
        /// The divisor.
        k: u32,
        /// The smallest value.
        lo: u64,
        /// The largest value.
        hi: u64,
    },
    /// Two or more exact values less than 64 apart.
    Set {
        /// How many values the domain allows.
        limit: u16,
        /// The smallest value, in canonical form.
        base: u64,
        /// Bit `i` says that `base + i` is a member; bit 0 is set.
        mask: u64,
    },
    /// Two or more exact values that are further apart.
    FarSet {
        /// How many values the domain allows.
        limit: u16,
        /// The values in canonical form, in rising order, kept by the universe.
        words: WordsId,
    },
    /// One address.
    Address(Address),
    /// Two or more addresses.
    Addresses(WordsId),
    /// The floating numbers between two bounds, both included, with -0 below +0.
    Float {
        /// The lower bound: bits of a double.
        lo: u64,
        /// The upper bound: bits of a double.
        hi: u64,
        /// Whether it may be no number.
        nan: bool,
    },
    /// A floating value that is not a number.
    NaN,
}

impl Value {
    /// Whether there is no value.
    pub fn is_bottom(self) -> bool {
        self == Value::Bottom
    }
}

/// The result of an operator: every result that some operands have, and whether others trap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Outcome {
    /// Covers all results of operands that do not trap; bottom if all trap.
    pub value: Value,
    /// Whether some operands trap.
    pub may_trap: bool,
}

impl From<Value> for Outcome {
    fn from(value: Value) -> Outcome {
        Outcome {
            value,
            may_trap: false,
        }
    }
}

const _: () = assert!(
    size_of::<Value>() <= 24,
    "values are copied in the hot loop"
);
