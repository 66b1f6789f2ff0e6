//! A solution is right if each player's strategy keeps the token where that player wins, and
//! every cycle there has a highest priority of that player's kind. This needs no other solver.

use super::{Game, Player, solve};
use cwolf_base::{Budget, strong_components};
use proptest::prelude::*;

/// A game that is written down.
#[derive(Clone, Debug, Default)]
struct Table {
    owner: Vec<Player>,
    priority: Vec<u16>,
    moves: Vec<Vec<u32>>,
}

impl Game for Table {
    fn len(&self) -> usize {
        self.owner.len()
    }
    fn owner(&self, position: u32) -> Player {
        self.owner[position as usize]
    }
    fn priority(&self, position: u32) -> u16 {
        self.priority[position as usize]
    }
    fn moves(&self, position: u32, each: impl FnMut(u32)) {
        self.moves[position as usize].iter().copied().for_each(each);
    }
    fn sources(&self, position: u32, mut each: impl FnMut(u32)) {
        for (source, moves) in (0..).zip(&self.moves) {
            for _ in moves.iter().filter(|&&t| t == position) {
                each(source);
            }
        }
    }
}

fn games() -> impl Strategy<Value = Table> {
    let position = (
        any::<bool>(),
        0..6u16,
        prop::collection::vec(0..9usize, 1..4),
    );
    prop::collection::vec(position, 1..10).prop_map(|list| {
        let mut game = Table::default();
        let n = list.len();
        for (is_even, priority, moves) in list {
            game.owner
                .push(if is_even { Player::Even } else { Player::Odd });
            game.priority.push(priority);
            game.moves
                .push(moves.iter().map(|m| (m % n) as u32).collect());
        }
        game
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn strategies_win(game in games()) {
        let solution = solve(&game, (0..game.len() as u32).collect(), &Budget::unlimited()).expect("no limit");
        let n = game.len();
        for player in [Player::Even, Player::Odd] {
            let wins = |p: u32| solution.winner[p as usize] == player;
            let mut moves: Vec<Vec<u32>> = vec![Vec::new(); n];
            for p in (0..n as u32).filter(|&p| wins(p)) {
                moves[p as usize] = match game.owner[p as usize] == player {
                    true => vec![solution.strategy[p as usize]],
                    false => game.moves[p as usize].clone(),
                };
                for &t in &moves[p as usize] {
                    prop_assert!(wins(t), "{player:?} leaves at {p}");
                    prop_assert!(game.moves[p as usize].contains(&t));
                }
            }
            // A bad cycle has its highest priority of the other kind: look at each in turn,
            // with everything higher taken away.
            for bad in (0..6).filter(|&d| Player::of(d) != player) {
                let low = |t: &u32| game.priority[*t as usize] <= bad;
                let kept: Vec<Vec<u32>> = (0..n)
                    .map(|p| match game.priority[p] <= bad {
                        true => moves[p].iter().copied().filter(low).collect(),
                        false => Vec::new(),
                    })
                    .collect();
                let component = strong_components(n, |p| &kept[p]);
                for p in (0..n).filter(|&p| game.priority[p] == bad) {
                    let back = kept[p].iter().any(|&t| component[t as usize] == component[p]);
                    prop_assert!(!back, "{player:?} loses a cycle through {p}");
                }
            }
        }
    }
}
