//! The memory at a point of an encoding: a term for each cell that differs from where the
//! encoding started. Copies share their parts.

use crate::objects::CellId;
use cwolf_logic::Term;
use std::rc::Rc;

const CHUNK: usize = 32;
/// No term: the cell is as it was at the start.
const UNSET: Term = Term(u32::MAX);

type Chunk = [Term; CHUNK];

/// Contents of cells.
#[derive(Clone, Debug, Default)]
pub struct State {
    chunks: Vec<Option<Rc<Chunk>>>,
}

impl State {
    /// The term that was put in a cell, if any was.
    pub fn get(&self, cell: CellId) -> Option<Term> {
        let n = cell.0 as usize;
        let chunk = self.chunks.get(n / CHUNK)?.as_ref()?;
        Some(chunk[n % CHUNK]).filter(|t| *t != UNSET)
    }
    /// Puts a term in a cell.
    pub fn set(&mut self, cell: CellId, term: Term) {
        let n = cell.0 as usize;
        if self.chunks.len() <= n / CHUNK {
            self.chunks.resize(n / CHUNK + 1, None);
        }
        let slot = &mut self.chunks[n / CHUNK];
        let chunk = slot.get_or_insert_with(|| Rc::new([UNSET; CHUNK]));
        if chunk[n % CHUNK] != term {
            Rc::make_mut(chunk)[n % CHUNK] = term;
        }
    }
    /// Forgets what was put in a cell.
    pub fn unset(&mut self, cell: CellId) {
        if self.get(cell).is_some() {
            self.set(cell, UNSET);
        }
    }
    /// All cells that something was put in.
    pub fn cells(&self) -> impl Iterator<Item = (CellId, Term)> + '_ {
        self.chunks.iter().enumerate().flat_map(|(n, chunk)| {
            let terms = chunk.iter().flat_map(|c| c.iter().copied());
            let numbered = terms.enumerate();
            numbered
                .filter(|(_, t)| *t != UNSET)
                .map(move |(at, t)| (CellId((n * CHUNK + at) as u32), t))
        })
    }
    /// The cells in which two states differ.
    pub fn differences(&self, other: &State) -> Vec<CellId> {
        let mut found = Vec::new();
        let count = self.chunks.len().max(other.chunks.len());
        for n in 0..count {
            let a = self.chunks.get(n).and_then(Option::as_ref);
            let b = other.chunks.get(n).and_then(Option::as_ref);
            if let (Some(a), Some(b)) = (a, b)
                && Rc::ptr_eq(a, b)
            {
                continue;
            }
            if a.is_none() && b.is_none() {
                continue;
            }
            for at in 0..CHUNK {
                let x = a.map_or(UNSET, |c| c[at]);
                let y = b.map_or(UNSET, |c| c[at]);
                if x != y {
                    found.push(CellId((n * CHUNK + at) as u32));
                }
            }
        }
        found
    }
}
