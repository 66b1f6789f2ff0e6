//! Parity games: two players move a token for ever; who wins is decided by the largest priority
//! that comes up infinitely often.

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
    pub(crate) fn of(priority: u16) -> Player {
        match priority % 2 {
            0 => Player::Even,
            _ => Player::Odd,
        }
    }
}

/// A parity game. Its moves need not be stored anywhere: a game says what they are when asked.
pub(crate) trait Game {
    /// One more than the largest position.
    fn len(&self) -> usize;
    fn owner(&self, position: u32) -> Player;
    fn priority(&self, position: u32) -> u16;
    /// Where the token may go from here; at least one move. A position may come up twice.
    fn moves(&self, position: u32, each: impl FnMut(u32));
    /// From where the token may come, as often as [`Game::moves`] says so. Positions that are
    /// not solved may come up, too.
    fn sources(&self, position: u32, each: impl FnMut(u32));
}
