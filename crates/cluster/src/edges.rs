//! What a worker's states lead to, while states have no numbers of the model yet: its own
//! targets by the order in which they came to it, those of others by the order at their owners.

use crate::bytes::{Reader, put};
use crate::rows::Pieces;

/// So many rows from each mark to the next.
const MARKS: usize = 8;

/// The rows of a worker's states, in the order in which these came to it. A row is twice the number of
/// its edges, odd if any has a label; then the edges, each with its label if so. Twice the distance
/// to the target stands for one of the worker's own, twice its owner and one for another.
#[derive(Debug, Default)]
pub(crate) struct Edges {
    pieces: Pieces,
    /// By these rows are found, when they are looked for.
    marks: Vec<Mark>,
    /// The targets that others own, in the order of the edges.
    pub away: Vec<u32>,
    rows: usize,
    pub transitions: u64,
}

/// Where a row begins, and how many edges before it lead to others.
#[derive(Clone, Copy, Debug, Default)]
struct Mark {
    piece: u32,
    at: u32,
    away: usize,
}

/// Where an edge leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    Own(u32),
    /// To a state of this worker; which one is [`Edges::away`].
    Away(u16),
}

impl Edges {
    /// How many states have rows.
    pub fn len(&self) -> usize {
        self.rows
    }
    pub fn pieces(&self) -> &[Vec<u8>] {
        &self.pieces.list
    }
    /// Adds the row of the next state. Which ones the targets of others are is not known yet.
    pub fn push(&mut self, labels: &[u32], targets: &[Target]) {
        let state = self.rows as i64;
        let piece = self.pieces.room(16 + 16 * targets.len());
        let out = &mut self.pieces.list[piece];
        let labelled = labels.iter().any(|label| *label != 0);
        put(out, (targets.len() as u64) << 1 | u64::from(labelled));
        for (label, target) in labels.iter().zip(targets) {
            if labelled {
                put(out, u64::from(*label));
            }
            match target {
                Target::Own(target) => put(out, zigzag(i64::from(*target) - state) << 1),
                Target::Away(owner) => {
                    put(out, u64::from(*owner) << 1 | 1);
                    self.away.push(u32::MAX);
                }
            }
        }
        self.transitions += targets.len() as u64;
        self.rows += 1;
    }
    /// Makes all rows known to [`Edges::row`].
    pub fn mark(&mut self) {
        let (mut row, mut mark) = match self.marks.last() {
            Some(mark) => ((self.marks.len() - 1) * MARKS, *mark),
            None => (0, Mark::default()),
        };
        while row < self.rows {
            if row / MARKS == self.marks.len() {
                self.marks.push(mark);
            }
            self.read(&mut mark, row as u32, |_, _, _| {});
            row += 1;
        }
    }
    /// Tells the edges of a state: the label, where it leads, and for a state of another worker
    /// which one. None if it has no row.
    pub fn row(&self, state: u32, mut each: impl FnMut(u32, Target, u32)) {
        let Some(mut mark) = self.marks.get(state as usize / MARKS).copied() else {
            return;
        };
        let end = self.rows.min(state as usize + 1) as u32;
        for row in state - state % MARKS as u32..end {
            match row == state {
                true => self.read(&mut mark, row, &mut each),
                false => self.read(&mut mark, row, |_, _, _| {}),
            }
        }
    }
    /// Reads the row at a mark, and moves this to the next.
    fn read(&self, mark: &mut Mark, row: u32, mut each: impl FnMut(u32, Target, u32)) {
        let pieces = &self.pieces.list;
        while mark.at as usize >= pieces[mark.piece as usize].len() {
            mark.piece += 1;
            mark.at = 0;
        }
        let piece = &pieces[mark.piece as usize];
        let mut reader = Reader::new(&piece[mark.at as usize..]);
        let away = &mut mark.away;
        read_row(&mut reader, row, |label, target| {
            let which = match target {
                Target::Own(target) => target,
                Target::Away(_) => {
                    *away += 1;
                    self.away[*away - 1]
                }
            };
            each(label, target, which);
        });
        mark.at = (piece.len() - reader.rest.len()) as u32;
    }
    /// Rows that were written before, if they can be those of the first of so many `states`;
    /// owners of others are less than `peers`, and labels less than `labels`.
    pub fn from_pieces(
        pieces: Vec<Vec<u8>>,
        away: Vec<u32>,
        (states, peers, labels): (usize, usize, usize),
    ) -> Option<Edges> {
        let mut edges = Edges::default();
        let mut at = 0;
        for piece in &pieces {
            let mut reader = Reader::new(piece);
            while !reader.is_empty() {
                let mut good = edges.rows < states;
                read_row(&mut reader, edges.rows as u32, |label, target| {
                    edges.transitions += 1;
                    good &= (label as usize) < labels;
                    match target {
                        Target::Own(target) => good &= (target as usize) < states,
                        Target::Away(owner) => {
                            at += 1;
                            good &= usize::from(owner) < peers;
                        }
                    }
                });
                edges.rows += 1;
                if reader.bad || !good {
                    return None;
                }
            }
        }
        edges.pieces.list = pieces;
        edges.away = away;
        (at == edges.away.len()).then_some(edges)
    }
}

fn zigzag(number: i64) -> u64 {
    (number << 1 ^ number >> 63) as u64
}

/// Takes the row of a state off the front.
fn read_row(reader: &mut Reader<'_>, state: u32, mut each: impl FnMut(u32, Target)) {
    let head = reader.number();
    for _ in 0..head >> 1 {
        let label = match head & 1 {
            0 => 0,
            _ => u32::try_from(reader.number()).unwrap_or(u32::MAX),
        };
        let number = reader.number();
        if reader.bad {
            return;
        }
        each(
            label,
            match number & 1 {
                0 => {
                    let distance = (number >> 2) as i64 ^ -((number >> 1 & 1) as i64);
                    let target = i64::from(state).wrapping_add(distance);
                    Target::Own(u32::try_from(target).unwrap_or(u32::MAX))
                }
                _ => Target::Away(u16::try_from(number >> 1).unwrap_or(u16::MAX)),
            },
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Row = Vec<(u32, Target, u32)>;

    fn sample() -> (Edges, Vec<Row>) {
        let mut edges = Edges::default();
        let mut rows = Vec::new();
        for n in 0..200_000u32 {
            let first = edges.away.len() as u32;
            let mut row: Row = Vec::new();
            for k in 0..n % 6 {
                let label = if n % 3 == 0 { k * 100 } else { 0 };
                let other = (n + k) % 4 == 0;
                let away = first + row.iter().filter(|e| e.1 == Target::Away(2)).count() as u32;
                row.push(match other {
                    true => (label, Target::Away(2), away * 7),
                    false => {
                        let target = (n * 7919 + k) % 200_000;
                        (label, Target::Own(target), target)
                    }
                });
            }
            if n % 1001 == 0 {
                edges.mark();
            }
            let labels: Vec<u32> = row.iter().map(|e| e.0).collect();
            let targets: Vec<Target> = row.iter().map(|e| e.1).collect();
            edges.push(&labels, &targets);
            rows.push(row);
        }
        edges.mark();
        (0..).zip(&mut edges.away).for_each(|(n, to)| *to = n * 7);
        (edges, rows)
    }

    #[test]
    fn rows_are_found_in_any_order() {
        let (edges, rows) = sample();
        let pieces = edges.pieces().to_vec();
        assert!(pieces.len() > 1);
        let sizes = (rows.len(), 3, 201);
        let again = Edges::from_pieces(pieces, edges.away.clone(), sizes);
        let mut again = again.expect("rows");
        again.mark();
        assert_eq!(again.transitions, edges.transitions);
        for n in 0..rows.len() {
            let state = n * 7919 % rows.len();
            for edges in [&edges, &again] {
                let mut row = Vec::new();
                edges.row(state as u32, |label, target, which| {
                    row.push((label, target, which));
                });
                assert_eq!(row, rows[state], "{state}");
            }
        }
    }

    #[test]
    fn what_cannot_be_is_refused() {
        let (edges, rows) = sample();
        let read = |sizes, away: usize| {
            let pieces = edges.pieces().to_vec();
            Edges::from_pieces(pieces, edges.away[away..].to_vec(), sizes)
        };
        let states = rows.len();
        assert!(read((states, 3, 201), 0).is_some());
        assert!(read((states, 3, 201), 1).is_none());
        assert!(read((states - 1, 3, 201), 0).is_none());
        assert!(read((states, 2, 201), 0).is_none());
        assert!(read((states, 3, 200), 0).is_none());
        let mut pieces = edges.pieces().to_vec();
        let last = pieces.last_mut().expect("a piece");
        last.truncate(last.len() - 1);
        let sizes = (states, 3, 201);
        assert!(Edges::from_pieces(pieces, edges.away.clone(), sizes).is_none());
    }
}
