//! Which states live together when several processes explore one model.
//!
//! A step within a process costs little, one into another process much: its target is written,
//! sent, read and looked up. So a state's home does not depend on all of it, but on some
//! variables only, which few steps change and which still have enough different values to give
//! every process its share. Which these are is seen on the first states of the model, which each
//! process explores for itself; all come to the same result.

use super::{Model, Search, polyvariant};
use crate::machine::{Machine, mix};
use cwolf_base::Budget;
use cwolf_cwi::FuncId;
use rustc_hash::{FxHashMap, FxHashSet};

/// So many states are looked at, or fewer if they have many variables.
const SAMPLE: usize = 1 << 15;
/// So many values of all of them together, about.
const VALUES: usize = 1 << 20;
/// How much more a step into another process costs than the states that it saves are worth.
const JOURNEY: f64 = 4.0;
/// So many different homes for each worker, if that many can be had.
const CHOICE: usize = 64;

/// What the home of a state depends on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Homes {
    /// Global slots, in rising order.
    pub(crate) slots: Vec<u32>,
    /// Whether local variables and callers count.
    pub(crate) frames: bool,
}

impl Homes {
    /// A number that other choices do not have.
    pub fn digest(&self) -> u64 {
        let first = u64::from(self.frames);
        self.slots.iter().fold(
            first,
            |all, slot| mix(all.rotate_left(7) ^ u64::from(*slot)),
        )
    }
}

impl Machine<'_> {
    /// Chooses homes for so many workers. What the machine has explored so far is forgotten.
    pub fn homes(&mut self, entry: FuncId, on_the_fly: bool, peers: usize) -> Homes {
        let count = (VALUES / (self.globals() + 1)).clamp(SAMPLE / 32, SAMPLE);
        let search = Search {
            on_the_fly,
            ..Search::default()
        };
        let budget = Budget::unlimited().max_steps(count as u64);
        let model = polyvariant::explore(self, entry, &search, &budget);
        let homes = Sample::new(self, &model).choose(peers);
        self.forget();
        homes
    }
}

/// The first states of a model.
struct Sample {
    /// The values of each state's global slots, and last a number for its frames.
    rows: Vec<u32>,
    width: usize,
    steps: Vec<(u32, u32)>,
}

impl Sample {
    fn new(machine: &Machine<'_>, model: &Model) -> Sample {
        let mut frames = FxHashMap::default();
        let mut rows = Vec::new();
        for state in &model.states {
            let own = machine.parts(*state, &mut rows);
            let next = frames.len() as u32;
            rows.push(*frames.entry(own).or_insert(next));
        }
        Sample {
            rows,
            width: machine.globals() + 1,
            steps: model.lts.iter().map(|(from, _, to)| (from, to)).collect(),
        }
    }
    fn value(&self, state: u32, column: usize) -> u32 {
        self.rows[state as usize * self.width + column]
    }
    /// Takes columns together, those first that change least, and finds out after which of them
    /// to stop.
    fn choose(&self, peers: usize) -> Homes {
        let states = (self.rows.len() / self.width) as u32;
        let mut columns: Vec<(usize, usize)> = (0..self.width)
            .filter(|c| (1..states).any(|s| self.value(s, *c) != self.value(0, *c)))
            .map(|c| {
                let change = |(from, to): &&(u32, u32)| self.value(*from, c) != self.value(*to, c);
                (self.steps.iter().filter(change).count(), c)
            })
            .collect();
        columns.sort_unstable();
        let mut homes = vec![0u64; states as usize];
        let mut best = (0, f64::INFINITY, 0);
        for (n, (_, column)) in (1..).zip(&columns) {
            for (state, home) in (0..).zip(&mut homes) {
                let value = u64::from(self.value(state, *column));
                *home = mix(home.rotate_left(7) ^ value);
            }
            let choice = FxHashSet::from_iter(&homes).len().min(CHOICE * peers);
            let cost = self.cost(&homes, peers);
            if choice > best.0 || choice == best.0 && cost < best.1 {
                best = (choice, cost, n);
            }
        }
        let chosen = columns[..best.2].iter().map(|(_, column)| *column as u32);
        let (mut slots, frames): (Vec<u32>, Vec<u32>) =
            chosen.partition(|c| (*c as usize) < self.width - 1);
        slots.sort_unstable();
        Homes {
            slots,
            frames: !frames.is_empty(),
        }
    }
    /// What it costs if states live there, against no journeys and equal shares.
    fn cost(&self, homes: &[u64], peers: usize) -> f64 {
        let mut shares = vec![0u32; peers];
        for home in homes {
            shares[owner(*home, peers)] += 1;
        }
        let largest = shares.iter().max().copied().unwrap_or(0);
        let away = |(from, to): &&(u32, u32)| homes[*from as usize] != homes[*to as usize];
        let journeys = self.steps.iter().filter(away).count() as f64;
        let share = f64::from(largest) * peers as f64 / homes.len() as f64;
        share * (1.0 + JOURNEY * journeys / self.steps.len().max(1) as f64)
    }
}

/// Which of `peers` workers a home belongs to.
pub(crate) fn owner(home: u64, peers: usize) -> usize {
    ((u128::from(home) * peers as u128) >> 64) as usize
}
