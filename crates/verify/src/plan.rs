//! Which engines are asked, in which order, for how long.

use crate::explore::Explore;
use crate::portfolio::{Plan, Slot};
use crate::schedule::FIRST;
use cwolf_engines::{Bmc, Elements, Engine, Ic3, Imc, Induction, LoopBound, Numeric, Shapes, Slam};
use std::time::Duration;
use thiserror::Error;

/// What the exploration decides, it decides within this time; mostly it gives up sooner.
const EXPLORING: Duration = Duration::from_millis(250);

/// Facts about elements are mostly found within this time; without long arrays that takes none.
const ELEMENTS: Duration = Duration::from_millis(250);

/// The numeric analysis ends by itself, mostly within this time, and the others read its result.
const NUMBERS: Duration = Duration::from_secs(2);
/// On programs that keep it busy for longer it is mostly the only one that ends at all. The others have their turns between, for what is
/// easy for them.
const LARGE: f64 = 16.0;

/// Graphs of linked structures are mostly few; without allocations that takes none.
const SHAPES: Duration = Duration::from_millis(500);

/// What the user says about engines.
#[derive(Clone, Debug, Default)]
pub struct Wishes {
    /// Only these, in this order; all if empty.
    pub engines: Vec<String>,
    /// Only bounded unrolling, up to this many rounds of each loop.
    pub bmc: Option<u32>,
    /// Only bounded unrolling, too: loops that have a bound of their own.
    pub unwind: Vec<LoopBound>,
    /// How the loop over boolean programs works; without a choice of engines, only that is asked.
    pub slam: Option<Slam>,
    /// How many engines work at the same time; one unless this says more.
    pub jobs: Option<usize>,
}

/// A name that no engine has.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("there is no engine `{0}`; choose among {list}", list = NAMES.join(", "))]
pub struct UnknownEngine(pub String);

/// The engines by name, in the order they are asked.
pub const NAMES: [&str; 10] = [
    "search",
    "numeric",
    "shapes",
    "explore",
    "bmc",
    "k-induction",
    "elements",
    "ic3",
    "imc",
    "slam",
];

/// The plan for these wishes.
pub fn plan(wishes: &Wishes) -> Result<Plan, UnknownEngine> {
    let jobs = wishes.jobs.unwrap_or(1);
    if wishes.bmc.is_some() || !wishes.unwind.is_empty() {
        let engine = Bmc {
            last: wishes.bmc.map_or(u32::MAX, |rounds| rounds.max(1)),
            loops: wishes.unwind.clone(),
            ..Bmc::default()
        };
        return Ok(Plan {
            search: None,
            slots: vec![alone(Box::new(engine))],
            jobs,
        });
    }
    let slam = wishes.slam.clone().unwrap_or_default();
    if wishes.engines.is_empty() && wishes.slam.is_some() {
        return Ok(Plan {
            search: None,
            slots: vec![alone(Box::new(slam))],
            jobs,
        });
    }
    if wishes.engines.is_empty() {
        return Ok(Plan {
            // Concrete runs first: they also find what code that no engine follows does.
            search: Some(0),
            slots: usual(),
            jobs,
        });
    }
    let mut plan = Plan {
        search: None,
        slots: Vec::new(),
        jobs,
    };
    for name in &wishes.engines {
        match by_name(name) {
            Some(engine) if engine.name() == slam.name() => {
                plan.slots.push(alone(Box::new(slam.clone())));
            }
            Some(engine) => plan.slots.push(alone(engine)),
            None if name == "search" => plan.search = Some(plan.slots.len()),
            None => return Err(UnknownEngine(name.clone())),
        }
    }
    Ok(plan)
}

/// All of them: what is easy for one is often hard for the others. Most of what takes long is
/// decided by ic3 or imc or not at all, so they get most of the time.
fn usual() -> Vec<Slot> {
    vec![
        Slot {
            engine: Box::new(Numeric),
            weight: LARGE,
            first: NUMBERS,
        },
        Slot {
            first: SHAPES,
            ..alone(Box::new(Shapes))
        },
        Slot {
            first: EXPLORING,
            ..alone(Box::new(Explore::default()))
        },
        alone(Box::new(Bmc::default())),
        alone(Box::new(Induction::default())),
        Slot {
            engine: Box::new(Elements),
            weight: 4.0,
            first: ELEMENTS,
        },
        Slot {
            engine: Box::new(Ic3::default()),
            weight: 3.0,
            first: FIRST,
        },
        Slot {
            engine: Box::new(Imc::default()),
            weight: 2.0,
            first: FIRST,
        },
        alone(Box::new(Slam::default())),
    ]
}

fn by_name(name: &str) -> Option<Box<dyn Engine>> {
    let explore = Explore::default();
    match name == explore.name() {
        true => Some(Box::new(explore)),
        false => cwolf_engines::by_name(name),
    }
}

fn alone(engine: Box<dyn Engine>) -> Slot {
    Slot {
        engine,
        weight: 1.0,
        first: FIRST,
    }
}
