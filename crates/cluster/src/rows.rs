//! A worker's states and transitions, in as few bytes as serve.

use crate::bytes::{Reader, put, put_signed};

/// How large the pieces are that rows grow by.
const PIECE: usize = 1 << 20;

/// The transitions of a worker's states, in the order of the states' numbers: each state as the
/// distance from the one before, then its transitions with targets as distances from it.
#[derive(Debug, Default)]
pub(crate) struct Rows {
    /// No row lies in two pieces.
    pub pieces: Vec<Vec<u8>>,
    last: u64,
    pub transitions: u64,
    pub count: u64,
}

impl Rows {
    /// Adds a state's transitions.
    pub fn push(&mut self, state: u64, edges: &[(u32, u64)]) {
        let full = |piece: &Vec<u8>| piece.capacity() - piece.len() < 16 + 16 * edges.len();
        if self.pieces.last().is_none_or(full) {
            let room = PIECE.max(16 + 16 * edges.len());
            self.pieces.push(Vec::with_capacity(room));
        }
        let piece = self.pieces.last_mut().expect("there is room");
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
    /// Rows from pieces that were written before.
    pub fn from_pieces(pieces: Vec<Vec<u8>>) -> Option<Rows> {
        let mut rows = Rows {
            pieces,
            ..Rows::default()
        };
        let mut cursor = Cursor::default();
        let mut edges = Vec::new();
        while let Some(state) = cursor.next(&rows, &mut edges)? {
            rows.last = state;
            rows.transitions += edges.len() as u64;
            rows.count += 1;
        }
        Some(rows)
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
        while rows
            .pieces
            .get(self.piece)
            .is_some_and(|p| self.at >= p.len())
        {
            self.piece += 1;
            self.at = 0;
        }
        let Some(piece) = rows.pieces.get(self.piece) else {
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
    /// From which state on what is to be added.
    pub bases: Vec<(u32, u64)>,
}

/// A state that was cut off.
const NONE: u32 = u32::MAX;

impl Numbers {
    /// Makes room for states with numbers from `first` on, all together less than 2^31.
    pub fn begin(&mut self, first: u64) {
        let base = self.bases.last().map(|b| b.1);
        if base.is_none_or(|base| first - base >= 1 << 31) {
            self.bases.push((self.low.len() as u32, first));
        }
    }
    pub fn push(&mut self, number: Option<u64>) {
        let base = self.base(self.low.len() as u32);
        let low = number.map(|n| n.saturating_sub(base).min(u64::from(NONE)) as u32);
        self.low.push(low.unwrap_or(NONE));
    }
    pub fn get(&self, state: u32) -> Option<u64> {
        let low = self.low[state as usize];
        (low != NONE).then(|| self.base(state) + u64::from(low))
    }
    fn base(&self, state: u32) -> u64 {
        match &self.bases[..] {
            [] => 0,
            [(_, base)] => *base,
            bases => bases[bases.partition_point(|b| b.0 <= state).max(1) - 1].1,
        }
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
        let again = Rows::from_pieces(rows.pieces.clone()).expect("rows");
        assert_eq!(again.transitions, rows.transitions);
        assert!(again.pieces.len() > 1);
        let mut cursor = Cursor::default();
        let mut edges = Vec::new();
        for (state, wanted) in &all {
            assert_eq!(cursor.next(&again, &mut edges), Some(Some(*state)));
            assert_eq!(&edges, wanted);
        }
        assert_eq!(cursor.next(&again, &mut edges), Some(None));
    }

    #[test]
    fn numbers_of_any_size() {
        let mut numbers = Numbers::default();
        let mut all = Vec::new();
        for first in [0, 1 << 31, 1 << 40, (1 << 40) + 5] {
            numbers.begin(first);
            for n in [first + 1, first] {
                numbers.push(Some(n));
                all.push(Some(n));
            }
            numbers.push(None);
            all.push(None);
        }
        let got: Vec<_> = (0..all.len() as u32).map(|n| numbers.get(n)).collect();
        assert_eq!(got, all);
    }
}
