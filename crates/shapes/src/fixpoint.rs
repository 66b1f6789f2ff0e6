//! The iteration: states by where control is, with the calls in progress, until no new ones come up.

use crate::entail::entails;
use crate::fold::{Level, Templates, fold};
use crate::graph::{Frame, Graph};
use crate::join::join;
use crate::memory::At;
use crate::step::{Halt, run_block};
use crate::world::{Stop, World};
use cwolf_base::Budget;
use cwolf_cwi::{BlockId, Body, Branch, FuncId, VarId};
use std::collections::{BTreeMap, BTreeSet};

/// Where control is: the blocks of the calls in progress, with their places in the order of their functions.
type Point = Vec<(usize, FuncId, BlockId)>;

/// So many states that differ in numbers only are kept apart.
const SIBLINGS: usize = 4;
/// More objects than this are too many.
const OBJECTS: usize = 400;

/// All states together may have so many parts: more would take too much memory.
const PARTS: usize = 300_000;

/// How far an analysis goes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Blocks that are run.
    pub(crate) blocks: usize,
    /// States at one point.
    pub(crate) states: usize,
}

/// A state at a point.
struct Kept {
    graph: Graph,
    /// Still to be followed.
    open: bool,
    /// How often it was joined.
    joins: u32,
}

pub(crate) struct Fixpoint<'w, 'p> {
    world: &'w World<'p>,
    level: Level,
    limits: Limits,
    steps: &'w [i128],
    templates: Templates,
    kept: BTreeMap<Point, Vec<Kept>>,
    open: BTreeSet<Point>,
    count: usize,
    /// The parts of all states that were kept.
    parts: usize,
}

impl<'w, 'p> Fixpoint<'w, 'p> {
    pub(crate) fn new(
        world: &'w World<'p>,
        (level, limits): (Level, Limits),
        steps: &'w [i128],
    ) -> Fixpoint<'w, 'p> {
        Fixpoint {
            world,
            level,
            limits,
            steps,
            templates: Templates::new(),
            kept: BTreeMap::new(),
            open: BTreeSet::new(),
            count: 0,
            parts: 0,
        }
    }

    /// Follows all runs from a function on; fails at the first check that may.
    pub(crate) fn run(&mut self, entry: FuncId, budget: &Budget) -> Result<(), Halt> {
        let mut start = Graph {
            word: self.world.word,
            ..Graph::default()
        };
        start.frames.push(Frame {
            func: entry,
            block: Body::ENTRY,
            vars: BTreeMap::new(),
            regs: BTreeMap::new(),
            stack: Vec::new(),
        });
        self.follow(start, budget)?;
        while let Some(point) = self.open.first().cloned() {
            let all = self.kept.get_mut(&point).expect("a point that is kept");
            let Some(next) = all.iter_mut().find(|k| k.open) else {
                self.open.remove(&point);
                continue;
            };
            next.open = false;
            let graph = next.graph.clone();
            self.step(graph, budget)?;
        }
        Ok(())
    }

    /// Runs the block that a state is at.
    fn step(&mut self, graph: Graph, budget: &Budget) -> Result<(), Halt> {
        let mut work = vec![graph];
        while let Some(graph) = work.pop() {
            budget.check(1).map_err(Stop::Exhausted)?;
            self.count += 1;
            if self.count > self.limits.blocks {
                return Err(Stop::GiveUp("runs are too long".into()).into());
            }
            if graph.objects.len() > OBJECTS {
                return Err(Stop::GiveUp("there are too many objects".into()).into());
            }
            let (func, block) = (graph.frame().func, graph.frame().block);
            let body = self.world.program.funcs[func].body.as_ref();
            let called = body.is_some_and(|b| {
                matches!(
                    b.blocks[block].branch,
                    Branch::Call { .. } | Branch::Return(_)
                )
            });
            for next in run_block(self.world, graph)? {
                match called || self.is_meeting(&next) {
                    true => self.follow(next, budget)?,
                    false => work.push(next),
                }
            }
        }
        Ok(())
    }

    /// Whether control may come to where a state is from several places.
    fn is_meeting(&self, graph: &Graph) -> bool {
        let frame = graph.frame();
        let code = self.world.code(frame.func);
        code.heads.contains(&frame.block) || code.cfg.predecessors(frame.block).len() > 1
    }

    fn point(&self, graph: &Graph) -> Point {
        let frames = graph.frames.iter();
        let place = |f: &Frame| {
            let rank = self.world.code(f.func).cfg.rank(f.block);
            (rank.unwrap_or(usize::MAX), f.func, f.block)
        };
        frames.map(place).collect()
    }

    /// A state comes to a point.
    fn follow(&mut self, mut graph: Graph, budget: &Budget) -> Result<(), Halt> {
        budget.check(1).map_err(Stop::Exhausted)?;
        graph.prune(self.world);
        let frame = graph.frame();
        let head = self.world.code(frame.func).heads.contains(&frame.block);
        if head {
            fold(&mut graph, self.level, self.steps, &mut self.templates);
        }
        self.parts += graph.parts();
        if self.parts > PARTS {
            return Err(Stop::GiveUp("states are too large".into()).into());
        }
        let point = self.point(&graph);
        let world = self.world;
        let all = self.kept.entry(point.clone()).or_default();
        level_globals(world, all, &mut graph)?;
        if all.iter().any(|k| entails(&graph, &k.graph)) {
            return Ok(());
        }
        if head && self.level != Level::Exact || self.level == Level::Coarse {
            let alike = |k: &Kept| join(&graph, &k.graph, k.joins > 1, self.steps);
            let apart = if self.level == Level::Coarse {
                2
            } else {
                SIBLINGS
            };
            let mut found: Vec<(usize, Graph)> = Vec::new();
            for (n, kept) in all.iter().enumerate() {
                found.extend(alike(kept).map(|g| (n, g)));
            }
            if found.len() >= apart || found.iter().any(|(n, _)| all[*n].joins > 0) {
                let best = found.iter().position(|(n, _)| all[*n].joins > 0);
                let (n, joined) = found.swap_remove(best.unwrap_or(0));
                let joins = all[n].joins + 1;
                all.retain(|k| !entails(&k.graph, &joined));
                all.push(Kept {
                    graph: joined,
                    open: true,
                    joins,
                });
                self.open.insert(point);
                return Ok(());
            }
        }
        all.retain(|k| !entails(&k.graph, &graph));
        if all.len() >= self.limits.states {
            return Err(Stop::GiveUp("there are too many states".into()).into());
        }
        all.push(Kept {
            graph,
            open: true,
            joins: 0,
        });
        self.open.insert(point);
        Ok(())
    }
}

/// States that are compared have objects for the same variables.
fn level_globals(world: &World<'_>, all: &mut [Kept], graph: &mut Graph) -> Result<(), Halt> {
    let mut vars: BTreeSet<VarId> = graph.globals.keys().copied().collect();
    for kept in all.iter() {
        vars.extend(kept.graph.globals.keys().copied());
    }
    let fill = |g: &mut Graph| -> Result<(), Halt> {
        if g.globals.len() == vars.len() {
            return Ok(());
        }
        let mut at = At {
            world,
            g: std::mem::take(g),
        };
        for var in &vars {
            at.variable(*var)?;
        }
        *g = at.g;
        Ok(())
    };
    fill(graph)?;
    all.iter_mut().try_for_each(|k| fill(&mut k.graph))
}
