//! Checking as a game: Even (the verifier) claims that a state satisfies a formula, Odd (the
//! refuter) denies it. Only what the start state can reach is built.

use super::plan::{Part, Plan, PlanId};
use super::{Evidence, Run, Step, Verdict};
use crate::formula::LabelSet;
use crate::game::{Game, Player, Solution, solve};
use cwolf_base::{Budget, Exhausted};
use cwolf_lts::{Lts, State};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;

/// How many steps of a strategy are kept.
const MAX_SHOWN: usize = 10_000;

/// A position's meaning.
type Claim = (State, PlanId);

struct Board {
    game: Game,
    claims: Vec<Claim>,
}

pub(super) fn check(lts: &Lts, plan: &Plan, budget: &Budget) -> Result<Verdict, Exhausted> {
    let board = build(lts, plan, &[lts.initial()], budget)?;
    let solution = solve(&board.game, budget)?;
    Ok(Verdict {
        holds: solution.winner[0] == Player::Even,
        evidence: evidence(lts, plan, &board, &solution),
    })
}

/// Where the formula holds.
pub(super) fn states(lts: &Lts, plan: &Plan, budget: &Budget) -> Result<Vec<bool>, Exhausted> {
    let all: Vec<State> = (0..lts.states() as State).collect();
    let board = build(lts, plan, &all, budget)?;
    let winner = solve(&board.game, budget)?.winner;
    Ok(all
        .iter()
        .map(|&s| winner[s as usize] == Player::Even)
        .collect())
}

/// The positions that matter for claiming the formula at `starts`, which come first.
fn build(lts: &Lts, plan: &Plan, starts: &[State], budget: &Budget) -> Result<Board, Exhausted> {
    let mut claims: Vec<Claim> = starts.iter().map(|&s| (s, plan.root)).collect();
    let numbered = claims.iter().zip(0..).map(|(&claim, n)| (claim, n));
    let mut numbers: FxHashMap<Claim, u32> = numbered.collect();
    let mut game = Game::default();
    game.offsets.push(0);
    let mut moves: Vec<Claim> = Vec::new();
    let mut at = 0;
    while at < claims.len() {
        if at % 4096 == 0 {
            budget.check(at as u64)?;
        }
        if claims.len() + game.targets.len() > u32::MAX as usize / 2 {
            return Err(Exhausted::Steps);
        }
        let (s, part) = claims[at];
        moves.clear();
        let steps = |labels: &LabelSet, f: PlanId, moves: &mut Vec<Claim>| {
            let chosen = lts.from(s).filter(|(a, _)| labels.contains(*a));
            moves.extend(chosen.map(|(_, t)| (t, f)));
        };
        let (owner, mut priority) = match &plan.parts[part as usize] {
            Part::And(f, g) => {
                moves.extend([(s, *f), (s, *g)]);
                (Player::Odd, 0)
            }
            Part::Or(f, g) => {
                moves.extend([(s, *f), (s, *g)]);
                (Player::Even, 0)
            }
            Part::Diamond(labels, f) => {
                steps(labels, *f, &mut moves);
                (Player::Even, 0)
            }
            Part::Box(labels, f) => {
                steps(labels, *f, &mut moves);
                (Player::Odd, 0)
            }
            Part::Unfold(f, priority) => {
                moves.push((s, *f));
                (Player::Even, *priority)
            }
            Part::Fix(f) => {
                moves.push((s, *f));
                (Player::Even, 0)
            }
            Part::Holds(holds) => match holds[s as usize] {
                true => (Player::Odd, 0),
                false => (Player::Even, 0),
            },
            Part::True => (Player::Odd, 0),
            Part::False => (Player::Even, 0),
        };
        moves.sort_unstable();
        moves.dedup();
        if moves.is_empty() {
            // Whoever cannot move loses: as a loop that the other wins.
            priority = u32::from(owner == Player::Even);
            moves.push((s, part));
        }
        for &claim in &moves {
            let next = claims.len() as u32;
            let number = *numbers.entry(claim).or_insert(next);
            if number == next {
                claims.push(claim);
            }
            game.targets.push(number);
        }
        game.offsets.push(game.targets.len() as u32);
        game.owner.push(owner);
        game.priority.push(priority);
        at += 1;
    }
    Ok(Board { game, claims })
}

/// The action by which a claim about one state leads to a claim about another; nothing if the
/// move only looks at a smaller formula.
fn action(lts: &Lts, plan: &Plan, from: Claim, to: Claim) -> Option<String> {
    let (Part::Diamond(labels, f) | Part::Box(labels, f)) = &plan.parts[from.1 as usize] else {
        return None;
    };
    let fits = |(a, t): &(u32, State)| labels.contains(*a) && *t == to.0 && *f == to.1;
    let (a, _) = lts.from(from.0).find(fits)?;
    Some(lts.labels().name(a).to_owned())
}

fn evidence(lts: &Lts, plan: &Plan, board: &Board, solution: &Solution) -> Evidence {
    let winner = solution.winner[0];
    let is_end = |position: u32| board.game.moves(position) == [position];
    // A run, as long as the loser never has a choice.
    let mut steps = Vec::new();
    let mut seen: FxHashMap<u32, usize> = FxHashMap::default();
    let mut at = 0u32;
    loop {
        if let Some(&before) = seen.get(&at) {
            let repeats_from = (before < steps.len()).then_some(before);
            return Evidence::Run(Run {
                start: lts.initial(),
                steps,
                repeats_from,
            });
        }
        seen.insert(at, steps.len());
        let moves = board.game.moves(at);
        let next = match board.game.owner[at as usize] == winner {
            true => solution.strategy[at as usize],
            // A move that ends the game there and then is no choice worth following.
            false => match moves.iter().filter(|&&t| !is_end(t)).collect::<Vec<_>>()[..] {
                [] => moves[0],
                [only] => *only,
                _ => return strategy(lts, plan, board, solution),
            },
        };
        let (from, to) = (board.claims[at as usize], board.claims[next as usize]);
        if let Some(label) = action(lts, plan, from, to) {
            steps.push(Step { label, state: to.0 });
        }
        at = next;
    }
}

/// All steps that can happen when the winner plays well.
fn strategy(lts: &Lts, plan: &Plan, board: &Board, solution: &Solution) -> Evidence {
    let winner = solution.winner[0];
    let mut steps = Vec::new();
    let mut known = FxHashSet::default();
    let mut seen = FxHashSet::from_iter([0u32]);
    let mut work = VecDeque::from([0u32]);
    while let Some(at) = work.pop_front() {
        let chosen = [solution.strategy[at as usize]];
        let moves = match board.game.owner[at as usize] == winner {
            true => &chosen[..],
            false => board.game.moves(at),
        };
        for &next in moves {
            let (from, to) = (board.claims[at as usize], board.claims[next as usize]);
            if let Some(label) = action(lts, plan, from, to) {
                let step = (from.0, label, to.0);
                if known.insert(step.clone()) {
                    steps.push(step);
                }
            }
            if steps.len() < MAX_SHOWN && seen.insert(next) {
                work.push_back(next);
            }
        }
    }
    Evidence::Strategy(steps)
}
