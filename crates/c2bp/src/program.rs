//! The whole program: signatures first, then each procedure by itself.

use crate::effects::Effects;
use crate::options::{Options, Stats};
use crate::procedure::{Context, Procedure, variable_name};
use crate::signature::Signature;
use crate::used::used;
use cwolf_base::Exhausted;
use cwolf_boolprog::{ProcId, Program as BProgram, StmtId};
use cwolf_cwi::graph::Analysed;
use cwolf_cwi::{BlockId, FuncId, Predicate, Program};
use rustc_hash::{FxHashMap, FxHashSet};

/// A statement of the C program: function, block, and number in the block; the branch comes
/// after the last.
pub type Point = (FuncId, BlockId, usize);

/// A boolean program and where it comes from.
#[derive(Clone, Debug)]
pub struct Abstraction {
    /// The boolean program.
    pub program: BProgram,
    /// Where statements of the C program went. Statements that were put together with others have
    /// the place of the first.
    pub points: FxHashMap<Point, (ProcId, StmtId)>,
    /// The signatures, by function.
    pub signatures: Vec<Signature>,
    /// What it took.
    pub stats: Stats,
}

/// Why there is no boolean program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// Something ran out.
    #[error("{reason} while {function} was abstracted, after {calls} prover calls")]
    Exhausted {
        /// What.
        reason: Exhausted,
        /// Where.
        function: String,
        /// How far it was.
        calls: u64,
    },
    /// There is nothing to abstract.
    #[error("no function of the program has a body")]
    Empty,
}

/// Abstracts a program with respect to predicates. Of predicates with the same text in the same
/// scope the first counts.
///
/// # Errors
/// When the budget ran out, or the program has no code.
pub fn abstract_program(
    program: &Analysed,
    predicates: &[Predicate],
    options: &Options,
) -> Result<Abstraction, Failure> {
    let points_to = program.points_to_with(options.alias);
    let calls = program.calls_with(options.alias);
    let effects = Effects::new(program, points_to, calls);
    let predicates = distinct(predicates);
    let mut result = BProgram::default();
    let mut globals = FxHashMap::default();
    let mut names: Vec<String> = Vec::new();
    let mut taken: FxHashSet<(Option<FuncId>, String)> = FxHashSet::default();
    for (n, predicate) in predicates.iter().enumerate() {
        let mut name = variable_name(program, predicate);
        // A local predicate may have the text of a global one, but mean another variable.
        if taken.contains(&(None, name.clone())) {
            let func = predicate.scope.map(|f| &*program.funcs[f].name);
            name = format!("{}: {name}", func.unwrap_or("global"));
        }
        taken.insert((predicate.scope, name.clone()));
        if predicate.scope.is_none() {
            globals.insert(n, result.globals.push(name.clone()));
        }
        names.push(name);
    }
    let mut procs: Vec<Option<ProcId>> = Vec::new();
    let mut count = 0;
    let used = used(program, calls, &predicates, options);
    for (func, used) in program.funcs.iter().zip(used) {
        let id = func.body.as_ref().filter(|_| used).map(|_| {
            count += 1;
            ProcId(count - 1)
        });
        procs.push(id);
    }
    if count == 0 {
        return Err(Failure::Empty);
    }
    let signatures: Vec<Signature> = program
        .funcs
        .ids()
        .map(|f| Signature::new(program, &predicates, &effects, f))
        .collect();
    let context = Context {
        program,
        predicates: &predicates,
        points_to,
        calls,
        effects: &effects,
        options,
        signatures,
        procs,
        globals,
        names,
        labels: label_points(program, options),
    };
    let mut stats = Stats::default();
    let mut points = FxHashMap::default();
    let mut used_names: FxHashSet<String> = FxHashSet::default();
    for func in program.funcs.ids() {
        let Some(proc) = context.procs[func.0 as usize] else {
            continue;
        };
        let procedure = Procedure::new(&context, func);
        let made = procedure.finish(&mut |block, n, stmt| {
            points.entry((func, block, n)).or_insert((proc, stmt));
        });
        let (mut made, more) = made.map_err(|reason| Failure::Exhausted {
            reason,
            function: program.funcs[func].name.clone(),
            calls: stats.prover_calls,
        })?;
        // Functions of several files may have one name.
        let name = made.name.clone();
        let mut copies = 1;
        while !used_names.insert(made.name.clone()) {
            copies += 1;
            made.name = format!("{name}#{copies}");
        }
        result.procs.push(made);
        stats.prover_calls += more.prover_calls;
        stats.formulas += more.formulas;
        stats.for_free += more.for_free;
        stats.cubes += more.cubes;
        stats.too_wide += more.too_wide;
    }
    Ok(Abstraction {
        program: result,
        points,
        signatures: context.signatures,
        stats,
    })
}

/// The first of equal predicates; global ones first, so that they name the variables.
fn distinct(predicates: &[Predicate]) -> Vec<Predicate> {
    let mut seen = FxHashSet::default();
    let mut list: Vec<Predicate> = Vec::new();
    let (global, local): (Vec<_>, Vec<_>) = predicates.iter().partition(|p| p.scope.is_none());
    for predicate in global.into_iter().chain(local) {
        if seen.insert((predicate.scope, predicate.text.clone())) {
            list.push(predicate.clone());
        }
    }
    list
}

/// The statement that each C label stands before: the first one at or after it in the text.
fn label_points(program: &Program, options: &Options) -> FxHashMap<Point, Vec<String>> {
    let mut places: Vec<((&str, u32, u32), usize, Point)> = Vec::new();
    let locations = &program.locations;
    for (func, function) in program.funcs.enumerate() {
        for (id, block) in function.body.iter().flat_map(|b| b.blocks.enumerate()) {
            let locs = block.stmts.iter().map(|s| s.loc).chain([block.loc]);
            for (n, loc) in locs.enumerate() {
                // A goto stands nowhere in the text.
                let branch = n == block.stmts.len();
                if branch && matches!(block.branch, cwolf_cwi::Branch::Goto(_)) {
                    continue;
                }
                let at = locations[loc];
                let key = (locations.file_name(at.file), at.line, at.column);
                places.push((key, places.len(), (func, id, n)));
            }
        }
    }
    places.sort_unstable();
    // Labels that the preprocessor left out are in the text as well. They must not come to another
    // function, nor stand beside the one of that name that is really there: its statement is nearer.
    type Way = (u32, u32);
    let mut nearest: FxHashMap<(FuncId, &str), (Way, Point)> = FxHashMap::default();
    for label in &options.labels {
        let key = (&*label.file, label.line, label.column);
        let next = places.partition_point(|(k, ..)| *k < key);
        let Some(((file, line, column), _, point)) = places.get(next) else {
            continue;
        };
        // Behind a label at the end (`done: ;`) control returns at the brace itself.
        if *file == label.file && (*line, *column) <= label.end {
            let way = (line - label.line, *column);
            let best = nearest.entry((point.0, &label.name));
            let best = best.or_insert((way, *point));
            if way < best.0 {
                *best = (way, *point);
            }
        }
    }
    let mut found: FxHashMap<Point, Vec<String>> = FxHashMap::default();
    for ((_, name), (_, point)) in nearest {
        found.entry(point).or_default().push(name.to_owned());
    }
    found.values_mut().for_each(|names| names.sort_unstable());
    found
}
