//! A worker's states and transitions, in as few bytes as serve.

use crate::bytes::{Reader, put, put_signed};

/// How large the pieces are that rows grow by: small enough for the room that other things leave.
const PIECE: usize = 1 << 16;

/// Bytes that grow without being moved.
#[derive(Debug, Default)]
pub(crate) struct Pieces {
    pub list: Vec<Vec<u8>>,
}

impl Pieces {
    /// The piece to append so many bytes to.
    pub fn room(&mut self, bytes: usize) -> usize {
        let full = |piece: &Vec<u8>| piece.capacity() - piece.len() < bytes;
        if self.list.last().is_none_or(full) {
            self.list.push(Vec::with_capacity(PIECE.max(bytes)));
        }
        self.list.len() - 1
    }
}

/// The transitions of a worker's states, in the order of the states' numbers: each state as the
/// distance from the one before, then its transitions with targets as distances from it.
#[derive(Debug, Default)]
pub(crate) struct Rows {
    /// No row lies in two pieces.
    pieces: Pieces,
    last: u64,
    pub transitions: u64,
    pub count: u64,
}

impl Rows {
    /// Adds a state's transitions.
    pub fn push(&mut self, state: u64, edges: &[(u32, u64)]) {
        let piece = self.pieces.room(16 + 16 * edges.len());
        let piece = &mut self.pieces.list[piece];
        put(piece, state - self.last);
        put(piece, edges.len() as u64);
        for (label, target) in edges {
            put(piece, u64::from(*label));
            put_signed(piece, *target as i64 - state as i64);
        }
        self.last = state;
        self.transitions += edges.len() as u64;
        self.count += 1;
    }
}

/// A place in rows.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cursor {
    piece: usize,
    at: usize,
    last: u64,
}

impl Cursor {
    /// The next state, with its transitions; the outer none if the rows are damaged.
    pub fn next(&mut self, rows: &Rows, edges: &mut Vec<(u32, u64)>) -> Option<Option<u64>> {
        edges.clear();
        let pieces = &rows.pieces.list;
        while pieces.get(self.piece).is_some_and(|p| self.at >= p.len()) {
            self.piece += 1;
            self.at = 0;
        }
        let Some(piece) = pieces.get(self.piece) else {
            return Some(None);
        };
        let mut reader = Reader::new(&piece[self.at..]);
        self.last += reader.number();
        for _ in 0..reader.number() {
            let label = reader.number() as u32;
            let target = self.last.wrapping_add_signed(reader.signed());
            if reader.bad {
                return None;
            }
            edges.push((label, target));
        }
        self.at = piece.len() - reader.rest.len();
        (!reader.bad).then_some(Some(self.last))
    }
}

/// The numbers of a worker's states, by the order in which they came to it.
#[derive(Debug, Default)]
pub(crate) struct Numbers {
    low: Vec<u32>,
    /// The bits above, if any number needs them.
    high: Vec<u8>,
    wide: bool,
}

/// In the place of a number, if there is none, or if there will be one at the end of a round.
const NONE: u64 = (1 << 40) - 1;
const SEEN: u64 = NONE - 1;

impl Numbers {
    /// Numbers of less than `most`.
    pub fn new(most: u64) -> Numbers {
        Numbers {
            wide: most > SEEN & 0xffff_ffff,
            ..Numbers::default()
        }
    }
    /// Makes room for so many states, the new ones without number.
    pub fn extend_to(&mut self, states: usize) {
        self.low.resize(states, u32::MAX);
        if self.wide {
            self.high.resize(states, u8::MAX);
        }
    }
    fn word(&self, state: u32) -> u64 {
        let low = u64::from(self.low[state as usize]);
        match self.high.get(state as usize) {
            Some(high) => u64::from(*high) << 32 | low,
            None if low >= SEEN & 0xffff_ffff => low | NONE << 32 & NONE,
            None => low,
        }
    }
    pub fn set(&mut self, state: u32, number: u64) {
        self.low[state as usize] = number as u32;
        if let Some(high) = self.high.get_mut(state as usize) {
            *high = (number >> 32) as u8;
        }
    }
    pub fn unset(&mut self, state: u32) {
        self.set(state, NONE);
    }
    pub fn get(&self, state: u32) -> Option<u64> {
        Some(self.word(state)).filter(|number| *number < SEEN)
    }
    pub fn is_below(&self, state: u32, number: u64) -> bool {
        self.word(state) < number
    }
    pub fn is_unseen(&self, state: u32) -> bool {
        self.word(state) == NONE
    }
    /// Marks a state as seen; whether it is the first time.
    pub fn see(&mut self, state: u32) -> bool {
        let first = self.is_unseen(state);
        if first {
            self.set(state, SEEN);
        }
        first
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_come_back() {
        let mut rows = Rows::default();
        let all: Vec<(u64, Vec<(u32, u64)>)> = (0..100_000u64)
            .map(|n| {
                let state = n * 3 + (n % 7) / 3;
                let edges = (0..n % 5).map(|k| (k as u32 * 100, (state * 7919 + k) % 300_000));
                (state, edges.collect())
            })
            .collect();
        all.iter().for_each(|(s, e)| rows.push(*s, e));
        assert!(rows.pieces.list.len() > 1);
        let mut cursor = Cursor::default();
        let mut edges = Vec::new();
        for (state, wanted) in &all {
            assert_eq!(cursor.next(&rows, &mut edges), Some(Some(*state)));
            assert_eq!(&edges, wanted);
        }
        assert_eq!(cursor.next(&rows, &mut edges), Some(None));
    }

    #[test]
    fn numbers_of_any_size() {
        for most in [1000, u64::from(u32::MAX) - 1, u64::from(u32::MAX), 1 << 39] {
            let mut numbers = Numbers::new(most);
            numbers.extend_to(4);
            numbers.set(1, most - 1);
            assert!(numbers.see(2) && !numbers.see(2) && !numbers.is_unseen(2));
            assert!(numbers.see(3));
            numbers.unset(3);
            numbers.extend_to(5);
            let got: Vec<_> = (0..5).map(|n| numbers.get(n)).collect();
            assert_eq!(got, [None, Some(most - 1), None, None, None], "{most}");
            assert!(numbers.is_unseen(0) && numbers.is_unseen(3) && numbers.is_unseen(4));
            assert!(numbers.is_below(1, most) && !numbers.is_below(1, most - 1));
        }
    }
}
