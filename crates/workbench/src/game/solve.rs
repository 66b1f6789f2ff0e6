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

/// Solves the whole game.
pub(crate) fn solve(game: &Game, budget: &Budget) -> Result<Solution, Exhausted> {
    let n = game.len();
    let mut solver = Solver {
        game,
        incoming: incoming(game),
        level: vec![1; n],
        escapes: vec![0; n],
        marked: vec![false; n],
        solution: Solution {
            winner: vec![Player::Even; n],
            strategy: (0..n as u32).map(|p| game.moves(p)[0]).collect(),
        },
        budget,
    };
    solver.solve((0..n as u32).collect(), 1)?;
    Ok(solver.solution)
}

struct Solver<'a> {
    game: &'a Game,
    /// The moves backwards, as offsets and sources.
    incoming: (Vec<u32>, Vec<u32>),
    /// A position belongs to the sub-game at depth d if its level is at least d.
    level: Vec<u32>,
    escapes: Vec<u32>,
    marked: Vec<bool>,
    solution: Solution,
    budget: &'a Budget,
}

fn incoming(game: &Game) -> (Vec<u32>, Vec<u32>) {
    let mut offsets = vec![0u32; game.len() + 1];
    for &t in &game.targets {
        offsets[t as usize] += 1;
    }
    let mut sum = 0;
    for slot in &mut offsets {
        sum += *slot;
        *slot = sum;
    }
    let mut sources = vec![0; game.targets.len()];
    for p in (0..game.len() as u32).rev() {
        for &t in game.moves(p) {
            let slot = &mut offsets[t as usize];
            *slot -= 1;
            sources[*slot as usize] = p;
        }
    }
    (offsets, sources)
}

impl Solver<'_> {
    /// Solves the sub-game of `positions`, which are exactly those of level `depth` or more.
    fn solve(&mut self, mut positions: Vec<u32>, depth: u32) -> Result<(), Exhausted> {
        let game = self.game;
        while let Some(top) = positions.iter().map(|&p| game.priority[p as usize]).max() {
            self.budget.check(0)?;
            let player = Player::of(top);
            let is_top = |p: &u32| game.priority[*p as usize] == top;
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
                    let mut moves = game.moves(p).iter();
                    if let Some(&stay) = moves.find(|&&t| self.level[t as usize] >= depth) {
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
    fn attract(&mut self, goal: &[u32], player: Player, depth: u32) -> Vec<u32> {
        let mut drawn = goal.to_vec();
        for &p in goal {
            self.marked[p as usize] = true;
        }
        let mut at = 0;
        let mut counted: Vec<u32> = Vec::new();
        while at < drawn.len() {
            let target = drawn[at];
            at += 1;
            let range = self.incoming.0[target as usize]..self.incoming.0[target as usize + 1];
            for i in range {
                let p = self.incoming.1[i as usize];
                if self.marked[p as usize] || self.level[p as usize] < depth {
                    continue;
                }
                if self.game.owner[p as usize] == player {
                    self.solution.strategy[p as usize] = target;
                } else {
                    let escapes = &mut self.escapes[p as usize];
                    if *escapes == 0 {
                        let level = &self.level;
                        let moves = self.game.moves(p).iter();
                        *escapes = moves.filter(|&&t| level[t as usize] >= depth).count() as u32;
                        counted.push(p);
                    }
                    *escapes -= 1;
                    if *escapes > 0 {
                        continue;
                    }
                }
                self.marked[p as usize] = true;
                drawn.push(p);
            }
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
