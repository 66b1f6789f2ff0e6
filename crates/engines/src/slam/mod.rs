//! The loop of SLAM and SATABS: an abstractor makes a boolean program of the C program and its
//! predicates, BEBOP looks for a path that goes wrong in it, a simulator follows the path exactly,
//! and if no run takes it a refiner finds predicates that exclude it.
//!
//! Each procedure is abstracted by itself, and the boolean program calls as the C program does. So
//! recursion needs no bound, and a procedure is looked at once for all who call it. Its predicates
//! may speak of what parameters and memory held when it started; what BEBOP finds out about a
//! procedure is then a relation between what is before and after its calls.

mod abstraction;
mod atoms;
mod blocks;
mod boolean;
mod given;
mod invariants;
mod lazy;
mod refine;
mod simulate;
mod suits;
#[cfg(test)]
mod tests;

use crate::common;
use crate::graph::on_graph;
use crate::task::{Engine, Outcome, Task, Verdict};
pub use abstraction::Abstractor;
use abstraction::{Abstraction, Predicates};
use blocks::{Blocks, Move, Refused};
use boolean::Boolean;
use cwolf_base::{Budget, Exhausted};
use cwolf_boolprog::Formula;
use cwolf_boolprog::bebop::{self, Target};
use cwolf_boolprog::cfg::Graph;
use cwolf_boolprog::trace::Trace;
use cwolf_cwi::Predicate;
pub use given::{Unable, abstract_given};
use refine::Effort;
use simulate::Simulated;
use std::time::{Duration, Instant};

/// What is one step of the boolean program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum BlockSize {
    /// A basic block.
    Basic,
    /// Everything between two points where a procedure is cut: heads of loops, calls.
    #[default]
    Region,
}

/// The loop of abstraction and refinement over boolean programs.
#[derive(Clone, Debug, Default)]
pub struct Slam {
    /// How blocks are abstracted.
    pub abstractor: Abstractor,
    /// What they are.
    pub block: BlockSize,
    /// Predicates to start with, about the program of the task.
    pub given: Vec<Predicate>,
}

/// Longer abstract paths are not followed.
const LONGEST: usize = 20_000;

/// Drivers are what it was made for: where others find nothing, it has most of the time.
const DRIVERS: f64 = 10.0;

impl Engine for Slam {
    fn name(&self) -> &'static str {
        "slam"
    }
    fn suits(&self, task: &Task<'_>) -> f64 {
        match suits::is_driver(task) {
            true => DRIVERS,
            false => 1.0,
        }
    }
    fn check(&self, task: &Task<'_>, budget: &Budget) -> Outcome {
        if self.abstractor == Abstractor::Lazy && !calls_itself(task) {
            return on_graph(task, budget, |graph, predicates| {
                lazy::run(graph, task, &self.given, predicates, budget)
            });
        }
        cwolf_base::with_stack(|| {
            let basic = self.block == BlockSize::Basic;
            let mut blocks = match Blocks::new(task, &[], basic, budget) {
                Ok(blocks) => blocks,
                Err(Refused::Exhausted(why)) => return Outcome::unknown(why.to_string()),
                Err(Refused::Unsupported(text)) => return Outcome::unknown(text),
            };
            let mut run = Run::new(self.abstractor);
            given::give(&mut blocks, &mut run.predicates, &self.given);
            let verdict = match run.refine(&mut blocks, task, budget) {
                Ok(verdict) => verdict,
                Err(why) => Verdict::unknown(format!("{why} after {}", run.progress())),
            };
            Outcome {
                verdict,
                assumptions: blocks.encoder.assumptions(),
                predicates: run.predicates.tell(&blocks),
            }
        })
    }
}

/// Whether a function that the entry leads to may call itself.
fn calls_itself(task: &Task<'_>) -> bool {
    let calls = task.program.calls();
    let reached = calls.reachable(&[task.entry]);
    reached.into_iter().any(|f| calls.is_recursive(f))
}

/// One run of the loop.
struct Run {
    predicates: Predicates,
    abstraction: Abstraction,
    iterations: usize,
    effort: Effort,
    /// Time for abstraction, model checking, simulation, refinement.
    spent: [Duration; 4],
}

impl Run {
    fn new(how: Abstractor) -> Run {
        Run {
            predicates: Predicates::default(),
            abstraction: Abstraction::new(how),
            iterations: 0,
            effort: Effort::Conditions,
            spent: [Duration::ZERO; 4],
        }
    }

    fn progress(&self) -> String {
        format!(
            "{} iterations with {} predicates",
            self.iterations,
            self.predicates.count()
        )
    }

    fn tell(&self, phase: &str, blocks: &Blocks<'_>, budget: &Budget) {
        budget.tell(|| {
            let seconds = self.spent.map(|d| d.as_secs_f64());
            let [all, left] = self.abstraction.cases;
            format!(
                "slam: {phase}; iteration {}, {} predicates, {} blocks, {left} of {all} cases of \
                 dereferences; abstraction {:.1} s, BEBOP {:.1} s, simulation {:.1} s, refinement {:.1} s",
                self.iterations + 1,
                self.predicates.count(),
                blocks.blocks.len(),
                seconds[0],
                seconds[1],
                seconds[2],
                seconds[3]
            )
        });
    }

    fn refine(
        &mut self,
        blocks: &mut Blocks<'_>,
        task: &Task<'_>,
        budget: &Budget,
    ) -> Result<Verdict, Exhausted> {
        loop {
            budget.check(0)?;
            self.tell("abstracting", blocks, budget);
            let started = Instant::now();
            let names = boolean::Names::default();
            let boolean = boolean::write(
                blocks,
                &self.predicates,
                &mut self.abstraction,
                &names,
                budget,
            )?;
            self.spent[0] += started.elapsed();
            self.tell("model checking", blocks, budget);
            let started = Instant::now();
            let (outcome, states) = check(&boolean, budget);
            self.spent[1] += started.elapsed();
            let path = match outcome {
                bebop::Outcome::Unreachable => {
                    if !blocks.pointers_fit(budget)? {
                        let text = "a pointer may be what the points-to analysis does not list";
                        return Ok(Verdict::unknown(text));
                    }
                    if !self.abstraction.check(blocks, &boolean.used, budget)? {
                        return Ok(Verdict::unknown("the abstraction does not check"));
                    }
                    let told = invariants::tell(blocks, &boolean, &states, budget);
                    return Ok(common::safe(task, told));
                }
                bebop::Outcome::Unknown(bebop::Unknown::Budget(why)) => return Err(why),
                bebop::Outcome::Unknown(why) => return Ok(Verdict::unknown(why.to_string())),
                bebop::Outcome::Reached(_, trace) => moves(&boolean, &trace),
            };
            if path.len() > LONGEST {
                let text = format!("an abstract path of more than {LONGEST} steps");
                return Ok(Verdict::unknown(text));
            }
            self.tell("simulating", blocks, budget);
            let started = Instant::now();
            let simulated = simulate::simulate(blocks, &path, budget)?;
            self.spent[2] += started.elapsed();
            let core = match simulated {
                Simulated::Fails(failure) => return Ok(Verdict::Unsafe(*failure)),
                Simulated::Undecided(reason, path) => {
                    return Ok(Verdict::Unknown { reason, path });
                }
                Simulated::Impossible(core) => core,
            };
            self.iterations += 1;
            let started = Instant::now();
            let added = self.discover(blocks, &path, &core, budget)?;
            self.spent[3] += started.elapsed();
            if added == 0 {
                return Ok(Verdict::Unknown {
                    reason: format!(
                        "a path is impossible but gives no new predicates, after {}",
                        self.progress()
                    ),
                    path: places(blocks, &path),
                });
            }
        }
    }

    /// New predicates, with as much effort as it takes.
    fn discover(
        &mut self,
        blocks: &mut Blocks<'_>,
        path: &[Move],
        core: &[Vec<cwolf_logic::Term>],
        budget: &Budget,
    ) -> Result<usize, Exhausted> {
        // A path through the same procedures over and over says that their results matter.
        let mut effort = self.effort;
        if self.iterations.is_multiple_of(4) {
            effort = effort.max(Effort::Results);
        }
        for effort in [effort, Effort::Results, Effort::Everything] {
            let added = refine::refine(blocks, &mut self.predicates, path, core, effort, budget)?;
            if added > 0 {
                return Ok(added);
            }
        }
        Ok(0)
    }
}

/// What BEBOP says, and the states at each point if it found all.
fn check(boolean: &Boolean, budget: &Budget) -> (bebop::Outcome, Vec<(usize, Formula)>) {
    let graph = Graph::new(&boolean.program);
    let targets = Target::asserts(&boolean.program);
    let options = bebop::Options {
        budget: budget.clone(),
        // Larger diagrams take longer than anybody waits.
        max_nodes: 1 << 22,
        ..bebop::Options::new(boolean.start, targets)
    };
    bebop::run(&boolean.program, &graph, &options, |bebop| {
        let states = invariants::states(bebop, boolean);
        (bebop.outcome().clone(), states)
    })
}

/// The moves of an execution, in order.
fn moves(boolean: &Boolean, trace: &Trace) -> Vec<Move> {
    let mut path = Vec::new();
    for event in trace.events() {
        let stmt = cwolf_boolprog::StmtId(event.step.node.0);
        path.extend(boolean.moves.get(&(event.proc, stmt)));
        if path.len() > LONGEST {
            break;
        }
    }
    path
}

fn places(blocks: &Blocks<'_>, path: &[Move]) -> Vec<cwolf_cwi::LocId> {
    let first = |m: &Move| blocks.blocks[m.block()].region.steps.first().map(|s| s.1);
    path.iter().filter_map(first).collect()
}
