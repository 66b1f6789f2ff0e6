//! The concrete side: sets of small integers, and what the operators do to them.

use cwolf_absint::domain::{UnaryOp, Universe, Value};
use cwolf_cwi::{BinOp, IntTy, value};
use rustc_hash::FxHashMap;

/// A set of values of a type of up to 8 bits, by bit pattern.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Bits([u64; 4]);

impl Bits {
    pub fn insert(&mut self, v: i128) {
        let pattern = (v & 0xff) as usize;
        self.0[pattern / 64] |= 1 << (pattern % 64);
    }
    pub fn union(&mut self, other: &Bits) {
        self.0.iter_mut().zip(other.0).for_each(|(a, b)| *a |= b);
    }
    pub fn within(&self, other: &Bits) -> bool {
        self.0.iter().zip(other.0).all(|(a, b)| a & !b == 0)
    }
    pub fn without(&self, other: &Bits) -> Bits {
        let mut rest = *self;
        rest.0.iter_mut().zip(other.0).for_each(|(a, b)| *a &= !b);
        rest
    }
    pub fn common(&self, other: &Bits) -> Bits {
        self.without(&self.without(other))
    }
    pub fn is_empty(&self) -> bool {
        self.0 == [0; 4]
    }
    /// The members as values of `ty`.
    pub fn members(&self, ty: IntTy) -> impl Iterator<Item = i128> + use<> {
        let mut words = self.0;
        let mut at = 0;
        std::iter::from_fn(move || {
            while at < 4 && words[at] == 0 {
                at += 1;
            }
            let word = words.get_mut(at)?;
            let pattern = 64 * at as i128 + i128::from(word.trailing_zeros());
            *word &= *word - 1;
            Some(value::wrap(ty, pattern))
        })
    }
}

impl FromIterator<i128> for Bits {
    fn from_iter<I: IntoIterator<Item = i128>>(values: I) -> Bits {
        let mut bits = Bits::default();
        values.into_iter().for_each(|v| bits.insert(v));
        bits
    }
}

/// All values of a type, in rising order.
pub fn all(ty: IntTy) -> impl Iterator<Item = i128> + Clone {
    value::min(ty)..=value::max(ty)
}

/// γ, remembered.
pub struct Gamma<'u> {
    universe: &'u Universe,
    ty: IntTy,
    known: FxHashMap<Value, Bits>,
}

impl<'u> Gamma<'u> {
    pub fn new(universe: &'u Universe, ty: IntTy) -> Gamma<'u> {
        let known = FxHashMap::default();
        Gamma {
            universe,
            ty,
            known,
        }
    }
    pub fn of(&mut self, v: Value) -> Bits {
        let (universe, ty) = (self.universe, self.ty);
        *self.known.entry(v).or_insert_with(|| {
            let pieces = universe.gamma(ty, v);
            let bits: Bits = pieces.iter().flat_map(|p| p.members()).collect();
            // The other view of γ must be the same.
            for x in all(ty).take(256) {
                let mut one = Bits::default();
                one.insert(x);
                let pattern = one.within(&bits) && ty.bits <= 8;
                assert_eq!(universe.contains(ty, v, x), pattern, "{v:?} {x}");
            }
            bits
        })
    }
}

/// The results of an operator for all pairs of values; none where it traps.
pub struct Results(Vec<Option<u8>>);

impl Results {
    pub fn new(op: BinOp, ty: IntTy) -> Results {
        let pairs = all(ty).flat_map(|a| all(ty).map(move |b| (a, b)));
        Results(
            pairs
                .map(|(a, b)| value::int_binary(op, ty, a, b).ok().map(|v| v as u8))
                .collect(),
        )
    }
    /// For each left value, what it yields with the members of `right`, and whether it traps.
    pub fn rows(&self, ty: IntTy, right: &Bits) -> Vec<(Bits, bool)> {
        let width = all(ty).count();
        let columns: Vec<usize> = right
            .members(ty)
            .map(|v| (v - value::min(ty)) as usize)
            .collect();
        let row = |cells: &[Option<u8>]| {
            let mut bits = Bits::default();
            let mut trap = false;
            for column in &columns {
                match cells[*column] {
                    Some(v) => bits.insert(v.into()),
                    None => trap = true,
                }
            }
            (bits, trap)
        };
        self.0.chunks_exact(width).map(row).collect()
    }
}

/// What a unary operator yields on the members of a set.
pub fn unary_image(op: UnaryOp, ty: IntTy, operand: &Bits) -> Bits {
    operand.members(ty).map(|v| op.apply(ty, v)).collect()
}
