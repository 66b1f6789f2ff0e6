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
use rustc_hash::FxHashMap;

/// So many states are looked at, or fewer if they have many variables.
const SAMPLE: usize = 1 << 15;
/// So many values of all of them together, about.
const VALUES: usize = 1 << 20;
/// So many different homes for each worker, if that many can be had.
const CHOICE: usize = 32;
/// If so many homes for each worker were equally large, it would be as likely that shares are
/// unequal as it is with those that there are.
const EVEN: usize = 4;

/// What the home of a state depends on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ownership {
    /// Global slots, in rising order.
    pub(crate) slots: Vec<u32>,
    /// Whether local variables and callers count.
    pub(crate) frames: bool,
}

impl Ownership {
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
    /// Chooses what decides which of so many workers owns a state. What the machine has explored so far is forgotten.
    pub fn ownership(&mut self, entry: FuncId, on_the_fly: bool, peers: usize) -> Ownership {
        let count = (VALUES / (self.globals() + 1)).clamp(SAMPLE / 32, SAMPLE);
        let search = Search {
            on_the_fly,
            ..Search::default()
        };
        let budget = Budget::unlimited().max_steps(count as u64);
        let model = polyvariant::explore(self, entry, &search, &budget);
        let ownership = Sample::new(self, &model).choose(peers);
        self.forget();
        ownership
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
    /// Takes columns together, those first that change least, until there are homes enough.
    fn choose(&self, peers: usize) -> Ownership {
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
        // How many homes there are, and with how many columns.
        let mut best = (0, 0);
        for (n, (_, column)) in (1..).zip(&columns) {
            for (state, home) in (0..).zip(&mut homes) {
                let value = u64::from(self.value(state, *column));
                *home = mix(home.rotate_left(7) ^ value);
            }
            let mut sizes: FxHashMap<u64, usize> = FxHashMap::default();
            homes
                .iter()
                .for_each(|home| *sizes.entry(*home).or_default() += 1);
            if sizes.len() > best.0 {
                best = (sizes.len(), n);
            }
            let squares: usize = sizes.values().map(|size| size * size).sum();
            let even = homes.len() * homes.len() >= EVEN * peers * squares;
            if even && sizes.len() >= CHOICE * peers {
                break;
            }
        }
        let chosen = columns[..best.1].iter().map(|(_, column)| *column as u32);
        let (mut slots, frames): (Vec<u32>, Vec<u32>) =
            chosen.partition(|c| (*c as usize) < self.width - 1);
        slots.sort_unstable();
        Ownership {
            slots,
            frames: !frames.is_empty(),
        }
    }
}

/// Which of `peers` workers a home belongs to.
pub(crate) fn owner(home: u64, peers: usize) -> usize {
    ((u128::from(home) * peers as u128) >> 64) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What three workers divide states by, of which there are two columns and no frames.
    fn chosen(columns: impl Fn(u32) -> [u32; 2]) -> Vec<u32> {
        let states = 0..4096;
        let row = |state| columns(state).into_iter().chain([0]);
        let sample = Sample {
            rows: states.clone().flat_map(row).collect(),
            width: 3,
            steps: states.clone().zip(states.skip(1)).collect(),
        };
        let ownership = sample.choose(3);
        assert!(!ownership.frames);
        ownership.slots
    }

    #[test]
    fn what_changes_least_is_enough_if_it_makes_equal_homes() {
        assert_eq!(chosen(|n| [n / 32, n % 32]), [0]);
        assert_eq!(chosen(|n| [n % 32, n / 32]), [1]);
        // Too few homes.
        assert_eq!(chosen(|n| [n / 64, n % 64]), [0, 1]);
        // Nearly all states would live together.
        assert_eq!(chosen(|n| [n.saturating_sub(3900), n % 32]), [0, 1]);
        assert_eq!(chosen(|_| [0, 0]), []);
    }
}
