//! The SAT abstraction of a program under predicates that a user wrote.

use super::abstraction::{Abstraction, Abstractor, Predicates};
use super::blocks::{Blocks, Refused};
use super::{BlockSize, boolean};
use crate::task::{Checks, Task};
use cwolf_base::{Budget, Exhausted};
use cwolf_cwi::graph::Analysed;
use cwolf_cwi::{FuncId, Function, Predicate};
use cwolf_encode::Point;
use cwolf_known::Failure;

/// A boolean program.
#[derive(Clone, Debug)]
pub struct Abstracted {
    /// The program.
    pub program: cwolf_boolprog::Program,
    /// Predicates that say nothing here.
    pub unused: Vec<String>,
    /// How many blocks there are.
    pub blocks: usize,
    /// How many relations were computed.
    pub relations: usize,
    /// The cases of dereferences by the points-to analysis, and those that predicates and
    /// conditions left.
    pub cases: [usize; 2],
}

/// Why there is no boolean program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unable {
    /// Something ran out.
    Exhausted(Exhausted),
    /// In words.
    Unsupported(String),
}

impl From<Refused> for Unable {
    fn from(why: Refused) -> Unable {
        match why {
            Refused::Exhausted(why) => Unable::Exhausted(why),
            Refused::Unsupported(text) => Unable::Unsupported(text),
        }
    }
}

/// Abstracts every function that has a body.
///
/// # Errors
/// When the budget ran out, or the program has no code.
pub fn abstract_given(
    program: &Analysed,
    conditions: &[Predicate],
    block: BlockSize,
    budget: &Budget,
) -> Result<Abstracted, Unable> {
    cwolf_base::with_stack(|| {
        let with_body = program.funcs.enumerate().filter(|(_, f)| f.body.is_some());
        let roots: Vec<FuncId> = with_body.map(|(id, _)| id).collect();
        let main = program.function("main").filter(|f| roots.contains(f));
        let Some(entry) = main.or_else(|| roots.first().copied()) else {
            let text = "no function of the program has a body";
            return Err(Unable::Unsupported(text.into()));
        };
        let is_error = |f: &Function| {
            let row = cwolf_known::lookup(&f.name);
            row.is_some_and(|row| row.fails() == Some(Failure::Error))
        };
        let errors = program.funcs.enumerate().filter(|(_, f)| is_error(f));
        let task = Task {
            program,
            entry,
            checks: Checks {
                assertions: true,
                ..Checks::default()
            },
            error_functions: errors.map(|(id, _)| id).collect(),
        };
        let basic = block == BlockSize::Basic;
        let mut blocks = Blocks::new(&task, &roots, basic, budget)?;
        let mut predicates = Predicates::default();
        let (names, unused) = give(&mut blocks, &mut predicates, conditions);
        let mut abstraction = Abstraction::new(Abstractor::Sat);
        let made = boolean::write(&mut blocks, &predicates, &mut abstraction, &names, budget);
        let mut made = made.map_err(Unable::Exhausted)?;
        // Every function is there; where a program starts is the user's business.
        let count = made.program.procs.len() - 1;
        let procs = std::mem::take(&mut made.program.procs);
        made.program.procs = procs.iter().take(count).cloned().collect();
        Ok(Abstracted {
            program: made.program,
            unused,
            blocks: blocks.blocks.len(),
            relations: abstraction.computed,
            cases: abstraction.cases,
        })
    })
}

/// Adds what a user wrote wherever it says something: the names of these predicates, and what says nothing.
pub(super) fn give(
    blocks: &mut Blocks<'_>,
    predicates: &mut Predicates,
    conditions: &[Predicate],
) -> (boolean::Names, Vec<String>) {
    let mut names = boolean::Names::default();
    let mut unused = Vec::new();
    for given in conditions {
        let mut used = false;
        for func in blocks.funcs() {
            if given.scope.is_some_and(|f| f != func) {
                continue;
            }
            let t = blocks.encoder.condition_at(func, &given.condition);
            let starts = blocks.starts.keys().copied();
            let mut points: Vec<Point> = starts.filter(|p| p.func() == func).collect();
            points.push(Point::Exit(func));
            for point in points {
                used |= predicates.insert(blocks, point, t);
            }
            names.entry(t).or_insert_with(|| given.text.clone());
        }
        if !used {
            unused.push(given.text.clone());
        }
    }
    (names, unused)
}
