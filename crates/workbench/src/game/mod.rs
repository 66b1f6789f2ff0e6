//! Parity games: two players move a token for ever; who wins is decided by the largest priority
//! that comes up infinitely often. Every position has a move (see [`Game`]).

mod solve;
#[cfg(test)]
mod tests;

pub(crate) use solve::{Solution, solve};

/// Who wins if the largest priority that comes up for ever is even, or odd.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Player {
    Even,
    Odd,
}

impl Player {
    pub(crate) fn other(self) -> Player {
        match self {
            Player::Even => Player::Odd,
            Player::Odd => Player::Even,
        }
    }
    pub(crate) fn of(priority: u32) -> Player {
        match priority % 2 {
            0 => Player::Even,
            _ => Player::Odd,
        }
    }
}

/// A parity game. Position `p` has the moves `targets[offsets[p]..offsets[p + 1]]`, at least one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Game {
    pub(crate) owner: Vec<Player>,
    pub(crate) priority: Vec<u32>,
    pub(crate) offsets: Vec<u32>,
    pub(crate) targets: Vec<u32>,
}

impl Game {
    pub(crate) fn len(&self) -> usize {
        self.owner.len()
    }
    pub(crate) fn moves(&self, position: u32) -> &[u32] {
        let at = position as usize;
        &self.targets[self.offsets[at] as usize..self.offsets[at + 1] as usize]
    }
}
