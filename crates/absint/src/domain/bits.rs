//! Sets of small numbers while they are being built.

/// A bit vector: one word in the common case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum BitBuf {
    /// Up to 64 bits.
    Small(u64),
    /// More.
    Large(Vec<u64>),
}

impl BitBuf {
    /// `len` bits, all clear.
    pub(super) fn new(len: usize) -> BitBuf {
        if len <= 64 {
            BitBuf::Small(0)
        } else {
            BitBuf::Large(vec![0; len.div_ceil(64)])
        }
    }
    /// Sets bit `i`.
    pub(super) fn set(&mut self, i: usize) {
        match self {
            BitBuf::Small(word) => *word |= 1 << i,
            BitBuf::Large(words) => words[i / 64] |= 1 << (i % 64),
        }
    }
    /// Sets the bits from `first` to `last`, both included.
    pub(super) fn set_range(&mut self, first: usize, last: usize) {
        match self {
            BitBuf::Small(word) => *word |= (u64::MAX >> (63 - (last - first))) << first,
            BitBuf::Large(_) => (first..=last).for_each(|i| self.set(i)),
        }
    }
}

/// The numbers of the set bits, in rising order.
pub(super) fn ones(mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let next = (word != 0).then(|| word.trailing_zeros() as usize);
        word &= word.wrapping_sub(1);
        next
    })
}

/// The numbers of the set bits of a long vector, in rising order.
pub(super) fn ones_of(words: &[u64]) -> impl Iterator<Item = usize> {
    let numbered = words.iter().enumerate();
    numbered.flat_map(|(n, word)| ones(*word).map(move |bit| 64 * n + bit))
}
