//! Which engines are asked, in which order, for how long.

use crate::portfolio::{Plan, Slot};
use cwolf_engines::{Bmc, Engine, Ic3, Induction, Slam};
use std::time::Duration;
use thiserror::Error;

/// What the user says about engines.
#[derive(Clone, Debug, Default)]
pub struct Wishes {
    /// Only these, in this order; all if empty.
    pub engines: Vec<String>,
    /// Only bounded unrolling, up to this many rounds of each loop.
    pub bmc: Option<u32>,
    /// How the loop over boolean programs works; without a choice of engines, only that is asked.
    pub slam: Option<Slam>,
}

/// A name that no engine has.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("there is no engine `{0}`; choose among {list}", list = NAMES.join(", "))]
pub struct UnknownEngine(pub String);

/// The engines by name, in the order they are asked.
pub const NAMES: [&str; 5] = ["search", "bmc", "k-induction", "ic3", "slam"];

/// The plan for these wishes.
pub fn plan(wishes: &Wishes) -> Result<Plan, UnknownEngine> {
    if let Some(rounds) = wishes.bmc {
        let engine = Bmc {
            first: 1,
            last: rounds.max(1),
        };
        return Ok(Plan {
            search: false,
            slots: vec![alone(Box::new(engine))],
        });
    }
    let slam = wishes.slam.unwrap_or_default();
    if wishes.engines.is_empty() && wishes.slam.is_some() {
        return Ok(Plan {
            search: false,
            slots: vec![alone(Box::new(slam))],
        });
    }
    if wishes.engines.is_empty() {
        return Ok(Plan {
            search: true,
            slots: usual(),
        });
    }
    let mut plan = Plan {
        search: false,
        slots: Vec::new(),
    };
    for name in &wishes.engines {
        match by_name(name) {
            Some(engine) if engine.name() == slam.name() => {
                plan.slots.push(alone(Box::new(slam)));
            }
            Some(engine) => plan.slots.push(alone(engine)),
            None if name == "search" => plan.search = true,
            None => return Err(UnknownEngine(name.clone())),
        }
    }
    Ok(plan)
}

/// Cheap ones first: a shallow bug shows in a moment, a proof takes its time. Recursion is for the
/// loop over boolean programs alone: the others leave it to unrolling. That has the last word,
/// since it decides whatever ends.
fn usual() -> Vec<Slot> {
    let slam = Slam {
        only_recursion: true,
        ..Slam::default()
    };
    vec![
        part(Box::new(Bmc::default()), 0.25, 15),
        part(Box::new(Induction::default()), 0.3, 15),
        part(Box::new(Ic3::default()), 0.7, 300),
        part(Box::new(slam), 0.7, 300),
        alone(Box::new(Bmc::default())),
    ]
}

fn by_name(name: &str) -> Option<Box<dyn Engine>> {
    cwolf_engines::by_name(name)
}

fn alone(engine: Box<dyn Engine>) -> Slot {
    Slot {
        engine,
        share: 1.0,
        most: None,
    }
}

/// An engine with a part of the time that is left.
fn part(engine: Box<dyn Engine>, share: f64, most: u64) -> Slot {
    Slot {
        engine,
        share,
        most: Some(Duration::from_secs(most)),
    }
}
