//! Zielonka's algorithm. Its second recursive call is a loop here, so the depth of the
//! recursion is the number of priorities, not of positions.

use super::{Game, Player};
use cwolf_base::{Budget, Exhausted};

/// Who wins from where, and how.
pub(crate) struct Solution {
    pub(crate) winner: Vec<Player>,
    /// At the winner's own positions, a move that keeps winning.
    pub(crate) strategy: Vec<u32>,
}

/// Solves the game of `positions`, which no move leaves.
pub(crate) fn solve<G: Game>(
    game: &G,
    positions: Vec<u32>,
    budget: &Budget,
) -> Result<Solution, Exhausted> {
    let n = game.len();
    let mut solver = Solver {
        game,
        level: vec![0; n],
        escapes: vec![0; n],
        marked: vec![false; n],
        solution: Solution {
            winner: vec![Player::Even; n],
            strategy: vec![0; n],
        },
        budget,
    };
    for &p in &positions {
        solver.level[p as usize] = 1;
        // Any move will do where no other is found to be better.
        game.moves(p, |t| solver.solution.strategy[p as usize] = t);
    }
    solver.solve(positions, 1)?;
    Ok(solver.solution)
}

struct Solver<'a, G> {
    game: &'a G,
    /// A position belongs to the sub-game at depth d if its level is at least d.
    level: Vec<u16>,
    escapes: Vec<u32>,
    marked: Vec<bool>,
    solution: Solution,
    budget: &'a Budget,
}

impl<G: Game> Solver<'_, G> {
    /// Solves the sub-game of `positions`, which are exactly those of level `depth` or more.
    fn solve(&mut self, mut positions: Vec<u32>, depth: u16) -> Result<(), Exhausted> {
        let game = self.game;
        while let Some(top) = positions.iter().map(|&p| game.priority(p)).max() {
            self.budget.check(0)?;
            let player = Player::of(top);
            let is_top = |p: &u32| game.priority(*p) == top;
            let highest: Vec<u32> = positions.iter().copied().filter(is_top).collect();
            let drawn = self.attract(&highest, player, depth);
            for &p in &drawn {
                self.marked[p as usize] = true;
            }
            let free = |p: &u32| !self.marked[*p as usize];
            let rest: Vec<u32> = positions.iter().copied().filter(free).collect();
            for &p in &drawn {
                self.marked[p as usize] = false;
            }
            for &p in &rest {
                self.level[p as usize] = depth + 1;
            }
            drop(drawn);
            self.solve(rest.clone(), depth + 1)?;
            for &p in &rest {
                self.level[p as usize] = depth;
            }
            let other = player.other();
            let is_lost = |p: &u32| self.solution.winner[*p as usize] == other;
            let lost: Vec<u32> = rest.iter().copied().filter(is_lost).collect();
            if lost.is_empty() {
                for &p in &positions {
                    self.solution.winner[p as usize] = player;
                }
                for &p in &highest {
                    // Any move that stays will do: the highest priority was just seen.
                    let mut stay = None;
                    game.moves(p, |t| {
                        if stay.is_none() && self.level[t as usize] >= depth {
                            stay = Some(t);
                        }
                    });
                    if let Some(stay) = stay {
                        self.solution.strategy[p as usize] = stay;
                    }
                }
                return Ok(());
            }
            for p in self.attract(&lost, other, depth) {
                self.solution.winner[p as usize] = other;
                self.level[p as usize] = depth - 1;
            }
            positions.retain(|&p| self.level[p as usize] >= depth);
        }
        Ok(())
    }
    /// From where `player` can force the token into `goal`, inside the sub-game at `depth`,
    /// nearest positions first.
    fn attract(&mut self, goal: &[u32], player: Player, depth: u16) -> Vec<u32> {
        let game = self.game;
        let mut drawn = goal.to_vec();
        for &p in goal {
            self.marked[p as usize] = true;
        }
        let mut at = 0;
        let mut counted: Vec<u32> = Vec::new();
        while at < drawn.len() {
            let target = drawn[at];
            at += 1;
            game.sources(target, |p| {
                if self.marked[p as usize] || self.level[p as usize] < depth {
                    return;
                }
                if game.owner(p) == player {
                    self.solution.strategy[p as usize] = target;
                } else {
                    let escapes = &mut self.escapes[p as usize];
                    if *escapes == 0 {
                        let level = &self.level;
                        game.moves(p, |t| *escapes += u32::from(level[t as usize] >= depth));
                        counted.push(p);
                    }
                    *escapes -= 1;
                    if *escapes > 0 {
                        return;
                    }
                }
                self.marked[p as usize] = true;
                drawn.push(p);
            });
        }
        for &p in &drawn {
            self.marked[p as usize] = false;
        }
        for p in counted {
            self.escapes[p as usize] = 0;
        }
        drawn
    }
}
