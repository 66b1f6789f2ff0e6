//! Memory: what cells hold at a point of an encoding.
//!
//! A [`State`] has a term for each cell that something was put in. Other cells hold what they held
//! where the encoding started: their first contents if that is the start of the program, else
//! (at a cut) a constant that stands for anything.

mod access;
mod aggregate;
mod forget;
mod initial;
mod life;
mod load;
mod merge;
mod realloc;
mod state;
mod store;
mod touched;

pub(crate) use access::Address;
pub use state::State;

use crate::objects::{CellId, CellKind, ObjId, ObjectKind, Repr};
use crate::pointers::Pointers;
use cwolf_base::Idx;
use cwolf_cwi::BlockId;
use cwolf_logic::Term;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::ops::{Deref, DerefMut};

/// What cells hold. Stands on pointers.
pub struct Memory<'p> {
    pointers: Pointers<'p>,
    canonical: FxHashMap<CellId, Term>,
    cell_of: FxHashMap<Term, CellId>,
    initial: FxHashMap<CellId, Term>,
    /// Whether cells that nothing was put in hold their constant, not their first contents.
    pub(crate) from_constants: bool,
    /// Whether a comparison asks if two pointers are the same, wherever objects lie: in a predicate, not in the program.
    pub(crate) by_identity: bool,
    /// What cells hold at cuts beyond what the points-to analysis says.
    arrived: FxHashMap<CellId, BTreeSet<ObjId>>,
    pinned: FxHashMap<CellId, Term>,
}

impl<'p> Deref for Memory<'p> {
    type Target = Pointers<'p>;
    fn deref(&self) -> &Pointers<'p> {
        &self.pointers
    }
}

impl DerefMut for Memory<'_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.pointers
    }
}

impl<'p> Memory<'p> {
    pub(crate) fn new(pointers: Pointers<'p>) -> Memory<'p> {
        Memory {
            pointers,
            canonical: FxHashMap::default(),
            cell_of: FxHashMap::default(),
            initial: FxHashMap::default(),
            from_constants: false,
            by_identity: false,
            arrived: FxHashMap::default(),
            pinned: FxHashMap::default(),
        }
    }

    /// What a cell holds.
    pub(crate) fn content(&mut self, state: &State, cell: CellId) -> Term {
        match state.get(cell) {
            Some(t) => t,
            None if self.from_constants => match self.pinned.get(&cell) {
                Some(t) => *t,
                None => self.constant_of(cell),
            },
            None => self.initial(cell),
        }
    }

    /// Says what cells are known to hold at the cut that the next region starts from; others hold
    /// their constant there.
    pub fn pin(&mut self, pinned: FxHashMap<CellId, Term>) {
        self.pinned = pinned;
    }

    /// The constant that stands for a cell at a cut.
    pub fn constant_of(&mut self, cell: CellId) -> Term {
        if let Some(&t) = self.canonical.get(&cell) {
            return t;
        }
        let name = format!("{}#{}", self.cell_name(cell), cell.0);
        let sort = self.cells[cell.index()].sort;
        let t = self.terms.constant(&name, sort);
        self.canonical.insert(cell, t);
        self.cell_of.insert(t, cell);
        if self.cells[cell.index()].repr == Repr::Pointer {
            let mut domain = self.domain_of(cell);
            domain.extend(self.arrived.get(&cell).into_iter().flatten());
            // Never set: unless that is checked, following it leads anywhere.
            let global = matches!(&self.cells[cell.index()].kind, CellKind::Leaf(o, _)
                if matches!(self.objects[o.index()].kind, ObjectKind::Global(_)));
            if domain.is_empty() && !global && !self.options.checks.pointer {
                domain.push(ObjId::OUTSIDE);
            }
            self.add_dangling(&mut domain);
            domain.push(ObjId::NULL);
            domain.sort_unstable();
            domain.dedup();
            self.domains.insert(t, domain);
        }
        t
    }

    /// The cell that a constant stands for.
    pub fn cell_of(&self, constant: Term) -> Option<CellId> {
        self.cell_of.get(&constant).copied()
    }

    /// Whether a cell is read at a cut.
    pub fn is_read(&self, cell: CellId) -> bool {
        self.canonical.contains_key(&cell)
    }

    /// The constant that stands for a cell at a cut, if anybody asked for it.
    pub(crate) fn known_constant(&self, cell: CellId) -> Option<Term> {
        self.canonical.get(&cell).copied()
    }

    pub(crate) fn forget_constant(&mut self, constant: Term) {
        if let Some(cell) = self.cell_of.get(&constant) {
            self.canonical.remove(cell);
        }
    }

    /// Whether a cell that nothing was put in may hold a pointer to an object.
    pub(crate) fn may_hold(&mut self, cell: CellId, object: ObjId) -> bool {
        if let Some(&t) = self.pinned.get(&cell) {
            return self.objects_in(t).contains(&object);
        }
        if let Some(domain) = self.canonical.get(&cell).and_then(|t| self.domains.get(t)) {
            return domain.contains(&object);
        }
        let arrived = self.arrived.get(&cell);
        arrived.is_some_and(|a| a.contains(&object)) || self.domain_of(cell).contains(&object)
    }

    /// What a pointer in a cell may point to.
    fn domain_of(&mut self, cell: CellId) -> Vec<ObjId> {
        let points_to = self.points_to();
        let kind = self.cells[cell.index()].kind.clone();
        let objects = match kind {
            CellKind::Reg(context, reg) => {
                let func = self.contexts[context.index()].func;
                points_to.reg(func, BlockId(0), reg)
            }
            CellKind::Result(context, block) => {
                let func = self.contexts[context.index()].func;
                points_to.reg(func, block, cwolf_cwi::RESULT)
            }
            CellKind::Leaf(object, _) => match self.objects[object.index()].kind {
                ObjectKind::Global(v) | ObjectKind::Local(_, v) => points_to.var(v),
                ObjectKind::Heap(context, block, _) => {
                    let func = self.contexts[context.index()].func;
                    points_to.contents(cwolf_cwi::graph::Object::Heap(func, block))
                }
                ObjectKind::VarArgs(context) => {
                    let func = self.contexts[context.index()].func;
                    points_to.contents(cwolf_cwi::graph::Object::VarArgs(func))
                }
                _ => vec![cwolf_cwi::graph::Object::Outside],
            },
            CellKind::Size(_) | CellKind::Valid(_) | CellKind::Given(_) => Vec::new(),
        };
        self.instances(&objects)
    }

    /// Notes that the pointers in `t` come to lie in a cell that is read at a cut, whatever the
    /// points-to analysis says: it knows nothing of pointers that are never set, and does not list
    /// what has escaped.
    pub fn arrives(&mut self, cell: CellId, t: Term) {
        let Some(constant) = self.known_constant(cell) else {
            return;
        };
        let Some(domain) = self.domains.get(&constant).cloned() else {
            return;
        };
        for object in self.objects_in(t) {
            if !domain.contains(&object) && self.arrived.entry(cell).or_default().insert(object) {
                self.changes += 1;
            }
        }
    }

    /// Forgets what pointers may point to, since objects were added: for another round of
    /// encoding.
    pub fn forget_domains(&mut self) {
        self.forget_possible();
        let constants: Vec<Term> = self.cell_of.keys().copied().collect();
        for constant in constants {
            if self.domains.remove(&constant).is_some() {
                self.forget_constant(constant);
            }
        }
    }
}

#[cfg(test)]
mod tests;
