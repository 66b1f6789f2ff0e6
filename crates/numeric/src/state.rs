//! What is known at a point of the program: a value for each cell, and an octagon for each pack of
//! cells. States share what they have in common, so that a copy costs little and merging looks only
//! at what differs.

use crate::num::Num;
use crate::octagon::{Octagon, Signed};
use crate::value::{CellId, Value};
use cwolf_base::Idx;
use std::sync::Arc;

/// Cells that are kept together.
const CHUNK: usize = 16;
/// Chunks that are kept together, and octagons: a large program has a hundred thousand cells, and a state at each block.
const PAGE: usize = 32;

type Chunk = Vec<Option<Value>>;
type Page = Vec<Arc<Chunk>>;
type Group = Vec<Option<Arc<Octagon>>>;

/// The numbers that are related to each other, and where cells are among them.
#[derive(Debug, Default)]
pub(crate) struct Packs {
    /// The cells of each pack.
    pub(crate) cells: Vec<Vec<CellId>>,
    /// By cell: its pack, and its number there.
    pub(crate) of: Vec<Option<(u32, u32)>>,
}

impl Packs {
    pub(crate) fn of(&self, cell: CellId) -> Option<(usize, usize)> {
        let found = self.of.get(cell.index()).copied().flatten();
        found.map(|(pack, n)| (pack as usize, n as usize))
    }
}

/// How bounds are widened.
#[derive(Clone, Copy)]
pub(crate) struct Widening<'w> {
    /// Numbers of the program, in rising order.
    pub(crate) steps: &'w [i128],
    /// The values that a cell may have at all.
    pub(crate) room: &'w dyn Fn(CellId) -> (i128, i128),
}

/// What is known at a point. Cells without a value hold anything.
#[derive(Clone, Debug)]
pub(crate) struct State {
    pages: Vec<Arc<Page>>,
    /// By pack; none says nothing.
    octagons: Vec<Arc<Group>>,
}

impl State {
    pub(crate) fn new(cells: usize, packs: usize) -> State {
        // All share what says nothing.
        let chunk: Arc<Chunk> = Arc::new(vec![None; CHUNK]);
        let empty = Arc::new(vec![chunk; PAGE]);
        let group: Arc<Group> = Arc::new(vec![None; PAGE]);
        State {
            pages: vec![empty; cells.div_ceil(CHUNK * PAGE)],
            octagons: vec![group; packs.div_ceil(PAGE)],
        }
    }

    fn chunk(&self, n: usize) -> &Arc<Chunk> {
        &self.pages[n / PAGE][n % PAGE]
    }

    fn chunk_mut(&mut self, n: usize) -> &mut Arc<Chunk> {
        &mut Arc::make_mut(&mut self.pages[n / PAGE])[n % PAGE]
    }

    fn set_octagon(&mut self, pack: usize, octagon: Option<Arc<Octagon>>) {
        let group = &mut self.octagons[pack / PAGE];
        if group[pack % PAGE].is_some() || octagon.is_some() {
            Arc::make_mut(group)[pack % PAGE] = octagon;
        }
    }

    /// The chunks in which two states may differ.
    fn differing<'s>(&'s self, other: &'s State) -> impl Iterator<Item = usize> + 's {
        let pages = self.pages.iter().zip(&other.pages).enumerate();
        let unlike = pages.filter(|(_, (a, b))| !Arc::ptr_eq(a, b));
        unlike.flat_map(|(n, (a, b))| {
            let chunks = a.iter().zip(b.iter()).enumerate();
            let own = chunks.filter(|(_, (a, b))| !Arc::ptr_eq(a, b));
            own.map(move |(k, _)| n * PAGE + k)
        })
    }

    /// The packs of which two states say different things, or the same in different words.
    fn differing_packs(&self, other: &State, packs: &Packs) -> Vec<usize> {
        let mut found = Vec::new();
        for (n, (a, b)) in self.octagons.iter().zip(&other.octagons).enumerate() {
            if Arc::ptr_eq(a, b) {
                continue;
            }
            for (k, pair) in a.iter().zip(b.iter()).enumerate() {
                let same = match pair {
                    (None, None) => true,
                    (Some(a), Some(b)) => Arc::ptr_eq(a, b),
                    _ => false,
                };
                if !same {
                    found.push(n * PAGE + k);
                }
            }
        }
        for n in self.differing(other) {
            for (k, (a, b)) in self.chunk(n).iter().zip(other.chunk(n).iter()).enumerate() {
                if let Some((pack, _)) = packs.of(CellId::new(n * CHUNK + k))
                    && a != b
                {
                    found.push(pack);
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    pub(crate) fn get(&self, cell: CellId) -> Option<&Value> {
        let n = cell.index();
        self.chunk(n / CHUNK)[n % CHUNK].as_ref()
    }

    /// Sets a value without any thought of octagons.
    pub(crate) fn put(&mut self, cell: CellId, value: Option<Value>) {
        let n = cell.index();
        if self.chunk(n / CHUNK)[n % CHUNK] != value {
            Arc::make_mut(self.chunk_mut(n / CHUNK))[n % CHUNK] = value;
        }
    }

    pub(crate) fn octagon(&self, pack: usize) -> Option<&Octagon> {
        self.known_octagon(pack).map(|o| &**o)
    }

    fn known_octagon(&self, pack: usize) -> Option<&Arc<Octagon>> {
        self.octagons[pack / PAGE][pack % PAGE].as_ref()
    }

    /// Changes an octagon; false if nothing is left of it.
    pub(crate) fn change(
        &mut self,
        pack: usize,
        size: usize,
        change: impl FnOnce(&mut Octagon),
    ) -> bool {
        let mut octagon = match self.octagon(pack) {
            Some(known) => known.clone(),
            None => Octagon::top(size),
        };
        if !octagon.close() {
            return false;
        }
        change(&mut octagon);
        if !octagon.close() {
            return false;
        }
        self.set_octagon(pack, (!octagon.is_top()).then(|| Arc::new(octagon)));
        true
    }

    /// The value of a cell is another one: what octagons say of it is forgotten.
    pub(crate) fn set(&mut self, packs: &Packs, cell: CellId, value: Option<Value>) {
        self.put(cell, value);
        self.unrelate(packs, cell);
    }

    pub(crate) fn unrelate(&mut self, packs: &Packs, cell: CellId) {
        if let Some((pack, n)) = packs.of(cell)
            && self.octagon(pack).is_some()
        {
            // An octagon that nothing satisfies is found out elsewhere.
            let size = packs.cells[pack].len();
            if !self.change(pack, size, |o| o.forget(n)) {
                self.set_octagon(pack, None);
            }
        }
    }

    /// All cells for which something is known, in rising order.
    pub(crate) fn known(&self) -> impl Iterator<Item = (CellId, &Value)> {
        let chunks = self.pages.iter().flat_map(|p| p.iter()).enumerate();
        chunks.flat_map(|(n, chunk)| {
            let own = chunk.iter().enumerate();
            own.filter_map(move |(k, v)| Some((CellId::new(n * CHUNK + k), v.as_ref()?)))
        })
    }

    /// Changes the values of all known cells that `is` admits.
    pub(crate) fn change_all(&mut self, mut change: impl FnMut(&Value) -> Option<Option<Value>>) {
        for n in 0..self.pages.len() * PAGE {
            for k in 0..CHUNK {
                let new = self.chunk(n)[k].as_ref().and_then(&mut change);
                if let Some(new) = new {
                    Arc::make_mut(self.chunk_mut(n))[k] = new;
                }
            }
        }
    }

    /// Makes what octagons say of single cells known to the cells and the other way round; false if
    /// they contradict each other.
    pub(crate) fn exchange(&mut self, packs: &Packs, pack: usize) -> bool {
        let cells = &packs.cells[pack];
        let bounds = self.bounds_in(packs, pack);
        let done = self.change(pack, cells.len(), |octagon| {
            for (n, bounds) in bounds.iter().enumerate() {
                if let Some((lo, hi)) = bounds {
                    octagon.limit_one(Signed::plus(n), *hi);
                    octagon.limit_one(Signed::minus(n), -lo);
                }
            }
        });
        if !done {
            return false;
        }
        let Some(octagon) = self.known_octagon(pack).cloned() else {
            return true;
        };
        for (n, cell) in cells.iter().enumerate() {
            let Some(Value::Num(num)) = self.get(*cell) else {
                continue;
            };
            let (lo, hi) = octagon.bounds(n);
            let (lo, hi) = (
                lo.unwrap_or(num.lo).max(num.lo),
                hi.unwrap_or(num.hi).min(num.hi),
            );
            if lo > hi {
                return false;
            }
            if (lo, hi) != (num.lo, num.hi) {
                match num.meet(&Num::raw(lo, hi)) {
                    Some(num) => self.put(*cell, Some(Value::Num(num))),
                    None => return false,
                }
            }
        }
        // What the cells say by themselves is not kept twice.
        if !octagon.says_more(&self.bounds_in(packs, pack)) {
            self.set_octagon(pack, None);
        }
        true
    }

    /// The bounds of the cells of a pack, as far as they are known.
    fn bounds_in(&self, packs: &Packs, pack: usize) -> Vec<Option<(i128, i128)>> {
        let number = |c: &CellId| self.get(*c).and_then(Value::as_num).map(Num::bounds);
        packs.cells[pack].iter().map(number).collect()
    }

    /// What is known of a pack, the bounds of its cells included; none if nothing satisfies that.
    fn relations(&self, packs: &Packs, pack: usize) -> Option<Octagon> {
        let cells = &packs.cells[pack];
        let mut octagon = match self.octagon(pack) {
            Some(known) => known.clone(),
            None => Octagon::top(cells.len()),
        };
        for (n, cell) in cells.iter().enumerate() {
            if let Some(Value::Num(num)) = self.get(*cell) {
                octagon.limit_one(Signed::plus(n), num.hi);
                octagon.limit_one(Signed::minus(n), -num.lo);
            }
        }
        octagon.close().then_some(octagon)
    }

    /// Whatever is in one of both.
    pub(crate) fn join(&self, other: &State, packs: &Packs) -> State {
        self.merge(other, packs, |_, a, b| a.join(b), Octagon::join)
    }

    /// The same, so that chains of such steps end.
    pub(crate) fn widen(&self, other: &State, packs: &Packs, how: Widening<'_>) -> State {
        self.merge(
            other,
            packs,
            |cell, a, b| a.widen(b, how.steps, (how.room)(cell)),
            Octagon::widen,
        )
    }

    fn merge(
        &self,
        other: &State,
        packs: &Packs,
        values: impl Fn(CellId, &Value, &Value) -> Option<Value>,
        octagons: impl Fn(&Octagon, &Octagon) -> Octagon,
    ) -> State {
        let mut all = self.clone();
        let unlike: Vec<usize> = self.differing(other).collect();
        for n in unlike {
            for k in 0..CHUNK {
                let merged = match (&self.chunk(n)[k], &other.chunk(n)[k]) {
                    (Some(a), Some(b)) if a == b => continue,
                    (Some(a), Some(b)) => values(CellId::new(n * CHUNK + k), a, b),
                    (None, _) => continue,
                    (_, None) => None,
                };
                if all.chunk(n)[k] != merged {
                    Arc::make_mut(all.chunk_mut(n))[k] = merged;
                }
            }
        }
        // Values that differ may still have the same relation.
        for pack in self.differing_packs(other, packs) {
            let both = self
                .relations(packs, pack)
                .zip(other.relations(packs, pack));
            let merged = both.map(|(a, b)| octagons(&a, &b));
            let bounds = all.bounds_in(packs, pack);
            let merged = merged.filter(|o| o.says_more(&bounds));
            if merged.as_ref() != self.octagon(pack) {
                all.set_octagon(pack, merged.map(Arc::new));
            }
        }
        all
    }

    /// Whether all that this state admits the other one does, too.
    pub(crate) fn is_in(&self, other: &State, packs: &Packs) -> bool {
        let values = self.differing(other).all(|n| {
            let mut pairs = self.chunk(n).iter().zip(other.chunk(n).iter());
            pairs.all(|pair| match pair {
                (_, None) => true,
                (None, Some(_)) => false,
                (Some(a), Some(b)) => a == b || a.join(b).as_ref() == Some(b) || is_in(a, b),
            })
        });
        values
            && self.differing_packs(other, packs).into_iter().all(|pack| {
                let Some(known) = other.octagon(pack) else {
                    return true;
                };
                self.relations(packs, pack)
                    .is_none_or(|own| own.is_in(known))
            })
    }

    /// Drops all octagons.
    pub(crate) fn unrelate_all(&mut self) {
        let none = Arc::new(vec![None; PAGE]);
        self.octagons.fill(none);
    }
}

fn is_in(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Num(a), Value::Num(b)) => a.is_in(b),
        (Value::Pointer(a), Value::Pointer(b)) => {
            let target = |(object, offset): &(_, Num)| {
                let known = b.targets.iter().find(|t| t.0 == *object);
                b.other || known.is_some_and(|t| offset.is_in(&t.1))
            };
            a.targets.iter().all(target)
                && (b.null || !a.null)
                && (b.stale || !a.stale)
                && (b.other || !a.other)
        }
        _ => false,
    }
}
