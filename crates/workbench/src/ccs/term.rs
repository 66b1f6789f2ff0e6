//! Processes as interned terms: equal terms have equal numbers, so a state of a process is one
//! number, and no term is ever copied or dropped recursively.

use cwolf_lts::{Label, State};
use rustc_hash::FxHashMap;

pub(crate) type TermId = u32;
pub(crate) type NameId = u32;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Term {
    Nil,
    Prefix(Label, TermId),
    Sum(Box<[TermId]>),
    Par(TermId, TermId),
    /// Without the actions of this set and their complements.
    Restrict(TermId, u32),
    /// With the labels of this renaming.
    Relabel(TermId, u32),
    Name(NameId),
    /// A state of an automaton.
    Automaton(u32, State),
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Terms {
    list: Vec<Term>,
    ids: FxHashMap<Term, TermId>,
}

impl Terms {
    pub(crate) fn intern(&mut self, term: Term) -> TermId {
        if let Some(&id) = self.ids.get(&term) {
            return id;
        }
        let id = u32::try_from(self.list.len()).expect("the budget ends before 2^32 terms");
        self.list.push(term.clone());
        self.ids.insert(term, id);
        id
    }
    pub(crate) fn get(&self, id: TermId) -> &Term {
        &self.list[id as usize]
    }
}
