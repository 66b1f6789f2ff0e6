//! The abstract domains (thesis 3.4 to 3.7), for integer types of 1 to 64 bits, pointers and
//! floating numbers. Wider integers are always ⊤.
//!
//! A [`Kind`] is what the user writes after `var x :`; a [`Value`] is a set of concrete values.
//! All operators go the same way: γ yields the operands as arithmetic progressions
//! (`piece`), an operator works on two progressions (`arith`, `divide`, `bitwise`), and a sink
//! puts the results together to a value of the result's domain (`sink`). So there is one
//! formula an operator, not one for each pair of domains, and wrap-around is exact.
//!
//! Invariants: a value covers what `cwolf_cwi::value` computes on its members (sound); equal
//! sets of one domain are equal values (canonical).

mod arith;
mod bits;
mod bitwise;
mod classes;
mod constrain;
mod convert;
mod display;
mod divide;
mod float;
mod lattice;
mod ops;
mod piece;
mod pointer;
mod pool;
mod sets;
mod shape;
mod sink;
mod table;
mod trilog;
mod value;
pub(crate) mod wire;

pub use constrain::{mirror, opposite};
pub use ops::UnaryOp;
pub use piece::Piece;
pub use pointer::{Address, Objects, Target};
pub use pool::Pool;
pub use shape::Shape;
pub use table::{BinaryTable, UnaryTable};
pub use trilog::Trilog;
pub use value::{Classes, Kind, Outcome, PartId, Value, WordsId};

use cwolf_cwi::IntTy;

/// The most remainders or intervals that a domain may have.
pub const MAX_CLASSES: usize = 1 << 16;
/// The largest `n` of `set(n)`.
pub const MAX_SET: u16 = 4096;

/// Why a domain cannot be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum BadDomain {
    /// The divisor is zero.
    #[error("the divisor must be at least 1")]
    ZeroDivisor,
    /// The parameter makes too many classes.
    #[error("a domain may have at most {MAX_CLASSES} classes")]
    TooManyClasses,
    /// A set of no values.
    #[error("a set must hold at least 1 and at most {MAX_SET} values")]
    BadSetSize,
    /// A partition without break points.
    #[error("a partition needs at least one break point")]
    NoBreakPoint,
    /// A break point that no integer type reaches.
    #[error("a break point must fit in 64 bits")]
    FarBreakPoint,
}

/// What all abstract values refer to: break points of partitions, and sets too large to be
/// kept in a value. It grows behind a shared reference, so threads can share it.
#[derive(Debug, Default)]
pub struct Universe {
    words: Pool<u64>,
    parts: Pool<i128>,
}

/// A mathematical value in the canonical form of its type, as a word.
pub(crate) const fn word(v: i128) -> u64 {
    v as u64
}

/// The mathematical value of a canonical word.
pub(crate) const fn number(ty: IntTy, word: u64) -> i128 {
    if ty.signed {
        word as i64 as i128
    } else {
        word as i128
    }
}

impl Universe {
    /// `part(points)`: the order of the points does not matter.
    pub fn part(&self, points: &[i128]) -> Result<Kind, BadDomain> {
        let mut points = points.to_vec();
        points.sort_unstable();
        points.dedup();
        let range = i128::from(i64::MIN)..=i128::from(u64::MAX);
        if points.is_empty() {
            return Err(BadDomain::NoBreakPoint);
        }
        if points.len() >= MAX_CLASSES {
            return Err(BadDomain::TooManyClasses);
        }
        if !points.iter().all(|p| range.contains(p)) {
            return Err(BadDomain::FarBreakPoint);
        }
        Ok(Kind::Part(PartId(self.parts.intern(&points))))
    }
    /// The break points of a partition, in rising order.
    pub fn break_points(&self, part: PartId) -> &[i128] {
        self.parts.get(part.0)
    }
    /// How many slices are kept beside the values; a measure of memory.
    pub fn kept(&self) -> usize {
        self.words.len() + self.parts.len()
    }
}

impl Kind {
    /// `mod(k)`.
    pub fn modulo(k: u64) -> Result<Kind, BadDomain> {
        match u32::try_from(k) {
            Ok(0) => Err(BadDomain::ZeroDivisor),
            Ok(k) if 2 * k as usize <= MAX_CLASSES => Ok(Kind::Mod(k)),
            _ => Err(BadDomain::TooManyClasses),
        }
    }
    /// `div(k)`.
    pub fn div(k: u64) -> Result<Kind, BadDomain> {
        match u32::try_from(k) {
            Ok(0) => Err(BadDomain::ZeroDivisor),
            Ok(k) => Ok(Kind::Div(k)),
            Err(_) => Err(BadDomain::TooManyClasses),
        }
    }
    /// `set(n)`.
    pub fn set(n: u64) -> Result<Kind, BadDomain> {
        match u16::try_from(n) {
            Ok(n @ 1..=MAX_SET) => Ok(Kind::Set(n)),
            _ => Err(BadDomain::BadSetSize),
        }
    }
    /// The partition whose classes make up this domain, if there is one.
    pub(crate) fn classes(self) -> Option<Classes> {
        match self {
            Kind::Bool => Some(Classes::Bool),
            Kind::Mod(k) => Some(Classes::Mod(k)),
            Kind::Part(id) => Some(Classes::Part(id)),
            _ => None,
        }
    }
}

impl Classes {
    /// The domain of unions of these classes.
    pub fn kind(self) -> Kind {
        match self {
            Classes::Bool => Kind::Bool,
            Classes::Mod(k) => Kind::Mod(k),
            Classes::Part(id) => Kind::Part(id),
        }
    }
}
