//! A program with what is known about it: each analysis runs when somebody asks for the first time,
//! and then everybody has its result.

use super::{CallGraph, Chosen, PointsTo, Precision};
use crate::program::Program;
use rustc_hash::FxHashMap;
use std::any::{Any, TypeId};
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex, OnceLock};

/// A program, and analyses of it. Whoever changes the program (by [`DerefMut`]) makes them
/// forgotten, so that none is ever about another program than the one at hand.
#[derive(Clone)]
pub struct Analysed {
    program: Program,
    /// What pointers may be that the program chooses.
    chosen: Chosen,
    known: Known,
}

/// Results, shared by copies of the program.
#[derive(Clone, Default)]
struct Known {
    /// By precision.
    points_to: [OnceLock<Arc<PointsTo>>; 3],
    calls: [OnceLock<Arc<CallGraph>>; 3],
    /// Of other crates, by type.
    others: Arc<Mutex<FxHashMap<TypeId, Arc<dyn Any + Send + Sync>>>>,
}

impl Analysed {
    /// What pointers may point to, whatever the order of statements.
    pub fn points_to(&self) -> &PointsTo {
        self.points_to_with(Precision::default())
    }

    /// The same, with some precision.
    pub fn points_to_with(&self, precision: Precision) -> &PointsTo {
        let known = &self.known.points_to[precision as usize];
        known.get_or_init(|| Arc::new(PointsTo::choosing(&self.program, precision, self.chosen)))
    }

    /// Who calls whom.
    pub fn calls(&self) -> &CallGraph {
        self.calls_with(Precision::default())
    }

    /// Who calls whom, as that precision tells.
    pub fn calls_with(&self, precision: Precision) -> &CallGraph {
        let make = || CallGraph::with(&self.program, self.points_to_with(precision));
        self.known.calls[precision as usize].get_or_init(|| Arc::new(make()))
    }

    /// The analysis `T`, which `make` computes for who asks first.
    pub fn analysis<T: Any + Send + Sync>(&self, make: impl FnOnce(&Analysed) -> T) -> Arc<T> {
        let known = |all: &FxHashMap<TypeId, Arc<dyn Any + Send + Sync>>| {
            let found = all.get(&TypeId::of::<T>())?.clone();
            Some(found.downcast::<T>().expect("filed under its type"))
        };
        let others = || self.known.others.lock().expect("nobody panics here");
        if let Some(found) = known(&others()) {
            return found;
        }
        // One analysis may ask for another.
        let new: Arc<dyn Any + Send + Sync> = Arc::new(make(self));
        let mut all = others();
        all.entry(TypeId::of::<T>()).or_insert(new);
        known(&all).expect("just put there")
    }

    /// The same program, where pointers that its own code chooses may be what `chosen` says.
    pub fn choosing(self, chosen: Chosen) -> Analysed {
        Analysed {
            program: self.program,
            chosen,
            known: Known::default(),
        }
    }

    /// What pointers may be that the program's own code chooses.
    pub fn chosen(&self) -> Chosen {
        self.chosen
    }

    /// The program alone.
    pub fn into_program(self) -> Program {
        self.program
    }
}

impl From<Program> for Analysed {
    fn from(program: Program) -> Analysed {
        Analysed {
            program,
            chosen: Chosen::default(),
            known: Known::default(),
        }
    }
}

impl Deref for Analysed {
    type Target = Program;
    fn deref(&self) -> &Program {
        &self.program
    }
}

impl DerefMut for Analysed {
    fn deref_mut(&mut self) -> &mut Program {
        self.known = Known::default();
        &mut self.program
    }
}

impl fmt::Debug for Analysed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.program.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::target::Target;

    #[test]
    fn changing_the_program_forgets_what_was_known() {
        let mut analysed = Analysed::from(Program::new(Target::X86_64));
        let first: *const CallGraph = analysed.calls();
        assert!(std::ptr::eq(first, analysed.calls()), "it is computed once");
        assert!(
            std::ptr::eq(first, analysed.clone().calls()),
            "copies share it"
        );
        struct Count(usize);
        assert_eq!(analysed.analysis(|p| Count(p.funcs.len() + 1)).0, 1);
        assert_eq!(analysed.clone().analysis(|_| Count(7)).0, 1);
        analysed.funcs.iter_mut().for_each(drop);
        assert_eq!(analysed.analysis(|_| Count(7)).0, 7);
        assert!(analysed.known.calls[0].get().is_none());
        assert!(analysed.known.points_to[0].get().is_none());
    }
}
