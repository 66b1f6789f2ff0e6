//! Shape analysis: memory safety, leaks and assertions of programs over linked structures of any length.
//!
//! States are symbolic memory graphs with list segments (Dudka, Peringer, Vojnar, SAS 2013). Every object that
//! is read or written is one object: a segment is taken apart first. At the heads of loops, runs of like nodes
//! are folded into segments. Whatever makes states fewer is held against one question (`entails`): whether one
//! graph stands for all memories of another.
//!
//! What is not understood ends the analysis without an answer. It finds no failures.

mod assume;
mod entail;
mod eval;
mod fixpoint;
mod fold;
mod graph;
mod join;
mod live;
mod memory;
mod primitive;
mod reach;
mod segment;
mod step;
mod world;

use crate::fixpoint::{Fixpoint, Limits};
use crate::fold::Level;
use crate::step::{Halt, Unproved};
use crate::world::{Stop, World};
use cwolf_base::{Budget, Exhausted};
use cwolf_cwi::graph::Analysed;
use cwolf_cwi::{CheckId, ExprKind, FuncId, LocId};
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// What is asked, and what runs do that C does not define.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Functions whose call is a failure.
    pub error_functions: Vec<FuncId>,
    /// Whether a failed assertion without a check is a failure.
    pub assertions: bool,
    /// Whether runs go on after a step that C does not define and that is not checked.
    pub follow_undefined: bool,
    /// Checks that others have proved.
    pub proved: Arc<FxHashSet<CheckId>>,
}

/// Why there is no proof.
#[derive(Clone, Debug)]
pub enum Stopped {
    /// Something ran out.
    Exhausted(Exhausted),
    /// The program does something that is not followed.
    Incomplete(String),
    /// This check may fail, as far as the analysis can tell.
    Check(CheckId),
    /// An error function may be called here, or an assertion fail.
    Call(LocId),
}

/// Whether the program allocates memory at all.
pub fn applies(program: &Analysed, entry: FuncId) -> bool {
    let calls = program.calls();
    let reached = calls.reachable(&[entry]);
    reached.iter().any(|f| {
        let row = cwolf_known::lookup(&program.funcs[*f].name);
        row.is_some_and(|row| row.allocates().is_some())
    })
}

/// Proves that no run from `entry` fails.
pub fn prove(
    program: &Analysed,
    entry: FuncId,
    options: &Options,
    budget: &Budget,
) -> Result<(), Stopped> {
    cwolf_base::with_stack(|| prove_here(program, entry, options, budget))
}

fn prove_here(
    program: &Analysed,
    entry: FuncId,
    options: &Options,
    budget: &Budget,
) -> Result<(), Stopped> {
    let world = World::new(program, options);
    let steps = thresholds(program);
    let mut last = Stopped::Incomplete(String::new());
    let mut told = None;
    for (n, (level, limits)) in ATTEMPTS.into_iter().enumerate() {
        budget.tell(|| format!("shapes: memory graphs, attempt {}", n + 1));
        let mut fixpoint = Fixpoint::new(&world, (level, limits), &steps);
        last = match fixpoint.run(entry, budget) {
            Ok(()) => return Ok(()),
            Err(Halt::Unproved(Unproved::Check(check))) => Stopped::Check(check),
            Err(Halt::Unproved(Unproved::Call(loc))) => Stopped::Call(loc),
            Err(Halt::Stop(Stop::Exhausted(why))) => return Err(Stopped::Exhausted(why)),
            Err(Halt::Stop(Stop::GiveUp(why))) => Stopped::Incomplete(why),
            Err(Halt::Stop(_)) => unreachable!("cases are looked at where they come up"),
        };
        // What fails without any abstraction fails with it.
        if level == Level::Exact && !matches!(last, Stopped::Incomplete(_)) {
            break;
        }
        // What the abstraction could not prove is of more interest than that runs are long.
        if n + 1 < ATTEMPTS.len() {
            told = Some(last.clone());
        }
    }
    match last {
        Stopped::Incomplete(_) => Err(told.unwrap_or(last)),
        other => Err(other),
    }
}

/// The attempts, cheap ones first: short runs without abstraction, then with more and more of it, then long runs
/// without.
const ATTEMPTS: [(Level, Limits); 4] = {
    const fn limits(blocks: usize, states: usize) -> Limits {
        Limits { blocks, states }
    }
    [
        (Level::Exact, limits(600, 20)),
        (Level::Alike, limits(200_000, 400)),
        (Level::Coarse, limits(200_000, 400)),
        (Level::Exact, limits(20_000, 600)),
    ]
};

/// Numbers that bounds are widened to.
fn thresholds(program: &Analysed) -> Vec<i128> {
    const MOST: usize = 200;
    let mut all = vec![-1, 0, 1];
    for function in program.funcs.iter() {
        let Some(body) = &function.body else { continue };
        body.for_each_expr(&mut |e| {
            e.walk(&mut |e| {
                if let ExprKind::Int(v) = e.kind
                    && all.len() < MOST
                {
                    all.extend([v - 1, v, v + 1]);
                }
            });
        });
    }
    all.sort_unstable();
    all.dedup();
    all
}

#[cfg(test)]
mod tests;
