//! Sets of exact values while they are being built.

use super::Universe;
use super::bits::ones;
use super::piece::Piece;
use super::value::Value;

/// A set of exact values, without heap as long as they are less than 64 apart.
#[derive(Clone, Debug)]
pub(super) enum SetBuf {
    /// No value yet.
    Empty,
    /// `base + i` for each bit `i` of the mask; bit 0 is set.
    Window { base: i128, mask: u64 },
    /// Sorted, without repetition.
    Many(Vec<i128>),
}

impl SetBuf {
    /// Adds one value.
    pub(super) fn insert(&mut self, v: i128) {
        match self {
            SetBuf::Empty => *self = SetBuf::Window { base: v, mask: 1 },
            SetBuf::Window { base, mask } => {
                let top = *base + i128::from(63 - mask.leading_zeros());
                if v >= *base && v - *base < 64 {
                    *mask |= 1 << (v - *base);
                } else if v < *base && top - v < 64 {
                    *mask = *mask << (*base - v) | 1;
                    *base = v;
                } else {
                    let mut list: Vec<i128> = ones(*mask).map(|bit| *base + bit as i128).collect();
                    let at = list.partition_point(|m| *m < v);
                    list.insert(at, v);
                    *self = SetBuf::Many(list);
                }
            }
            SetBuf::Many(list) => {
                if let Err(at) = list.binary_search(&v) {
                    list.insert(at, v);
                }
            }
        }
    }
    /// How many values there are.
    pub(super) fn len(&self) -> usize {
        match self {
            SetBuf::Empty => 0,
            SetBuf::Window { mask, .. } => mask.count_ones() as usize,
            SetBuf::Many(list) => list.len(),
        }
    }
    /// The value of `set(limit)` that it stands for.
    pub(super) fn finish(&self, universe: &Universe, limit: u16) -> Value {
        match self {
            SetBuf::Empty => Value::Bottom,
            SetBuf::Window { base, mask: 1 } => Value::Int(*base as u64),
            SetBuf::Window { base, mask } => Value::Set {
                limit,
                base: *base as u64,
                mask: *mask,
            },
            SetBuf::Many(list) => {
                let words: Vec<u64> = list.iter().map(|v| *v as u64).collect();
                Value::FarSet {
                    limit,
                    words: universe.words.intern(&words).into(),
                }
            }
        }
    }
}

/// Calls `visit` for each value of a window.
pub(super) fn window_pieces(base: i128, mask: u64, visit: &mut impl FnMut(Piece)) {
    ones(mask).for_each(|bit| visit(Piece::single(base + bit as i128)));
}
