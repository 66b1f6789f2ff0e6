//! Checking as a game: Even (the verifier) claims that a state satisfies a formula, Odd (the
//! refuter) denies it. Only what the start state can reach is built.

use super::plan::{Part, Plan, PlanId};
use super::{Evidence, Outcome, Run, Step};
use crate::game::{Game, Player, Solution, solve};
use cwolf_base::{Budget, Exhausted};
use cwolf_lts::{Incoming, Lts, State};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;

/// How many steps of a strategy are kept.
const MAX_SHOWN: usize = 100_000;

/// A position's meaning.
type Claim = (State, PlanId);

/// Of a position that is not part of the game.
const UNSEEN: u16 = u16::MAX;

/// The game of a plan on a system. Its moves are the system's steps: nothing but a priority is
/// stored for each state and part of the formula.
struct Board<'a> {
    lts: &'a Lts,
    plan: &'a Plan,
    incoming: Incoming,
    /// For each part the parts that lead to it.
    parents: Vec<Vec<PlanId>>,
    priority: Vec<u16>,
}

pub(super) fn check(lts: &Lts, plan: &Plan, budget: &Budget) -> Result<Outcome, Exhausted> {
    let (board, reached) = Board::new(lts, plan, &[lts.initial()], budget)?;
    let solution = solve(&board, reached, budget)?;
    let start = board.position((lts.initial(), plan.root));
    Ok(Outcome {
        holds: solution.winner[start as usize] == Player::Even,
        evidence: evidence(&board, &solution),
    })
}

/// Where the formula holds.
pub(super) fn states(lts: &Lts, plan: &Plan, budget: &Budget) -> Result<Vec<bool>, Exhausted> {
    let all: Vec<State> = (0..lts.states() as State).collect();
    let (board, reached) = Board::new(lts, plan, &all, budget)?;
    let winner = solve(&board, reached, budget)?.winner;
    let holds = |&s: &State| winner[board.position((s, plan.root)) as usize] == Player::Even;
    Ok(all.iter().map(holds).collect())
}

impl<'a> Board<'a> {
    /// The game and the positions that matter for claiming the formula at `starts`.
    fn new(
        lts: &'a Lts,
        plan: &'a Plan,
        starts: &[State],
        budget: &Budget,
    ) -> Result<(Board<'a>, Vec<u32>), Exhausted> {
        let size = lts.states().checked_mul(plan.parts.len());
        let size = size.filter(|&n| n < u32::MAX as usize);
        let size = size.ok_or(Exhausted::Memory)?;
        let mut parents = vec![Vec::new(); plan.parts.len()];
        for (part, n) in plan.parts.iter().zip(0..) {
            match part {
                Part::And(f, g) | Part::Or(f, g) => {
                    parents[*f as usize].push(n);
                    parents[*g as usize].push(n);
                }
                Part::Diamond(_, f) | Part::Box(_, f) | Part::Unfold(f, _) => {
                    parents[*f as usize].push(n);
                }
                Part::Holds(_) | Part::True | Part::False => {}
            }
        }
        let mut board = Board {
            lts,
            plan,
            incoming: Incoming::new(lts),
            parents,
            priority: vec![UNSEEN; size],
        };
        let first = starts.iter().map(|&s| board.position((s, plan.root)));
        let mut reached: Vec<u32> = first.collect();
        for &p in &reached {
            board.priority[p as usize] = 0;
        }
        let mut at = 0;
        while at < reached.len() {
            if at % 4096 == 0 {
                budget.check(at as u64)?;
                budget.tell(|| format!("{} positions of the game", reached.len()));
            }
            let p = reached[at];
            let mut ends = true;
            let mut seen = std::mem::take(&mut board.priority);
            board.steps(p, |t| {
                ends = false;
                if seen[t as usize] == UNSEEN {
                    seen[t as usize] = 0;
                    reached.push(t);
                }
            });
            seen[p as usize] = match board.plan.parts[board.claim(p).1 as usize] {
                // Whoever cannot move loses: as a loop that the other wins.
                _ if ends => u16::from(board.owner(p) == Player::Even),
                Part::Unfold(_, priority) => priority,
                _ => 0,
            };
            board.priority = seen;
            at += 1;
        }
        Ok((board, reached))
    }
    fn position(&self, (state, part): Claim) -> u32 {
        state * self.plan.parts.len() as u32 + part
    }
    fn claim(&self, position: u32) -> Claim {
        let parts = self.plan.parts.len() as u32;
        (position / parts, position % parts)
    }
    /// The moves, except that a position where the game ends has none.
    fn steps(&self, position: u32, mut each: impl FnMut(u32)) {
        let (s, part) = self.claim(position);
        match &self.plan.parts[part as usize] {
            Part::And(f, g) | Part::Or(f, g) => {
                each(self.position((s, *f)));
                each(self.position((s, *g)));
            }
            Part::Unfold(f, _) => each(self.position((s, *f))),
            Part::Diamond(labels, f) | Part::Box(labels, f) => {
                for (_, t) in self.lts.from(s).filter(|(a, _)| labels.contains(*a)) {
                    each(self.position((t, *f)));
                }
            }
            Part::Holds(_) | Part::True | Part::False => {}
        }
    }
    fn moves_of(&self, position: u32) -> Vec<u32> {
        let mut moves = Vec::new();
        self.moves(position, |t| moves.push(t));
        moves.sort_unstable();
        moves.dedup();
        moves
    }
    fn is_end(&self, position: u32) -> bool {
        let mut ends = true;
        self.steps(position, |_| ends = false);
        ends
    }
}

impl Game for Board<'_> {
    fn len(&self) -> usize {
        self.priority.len()
    }
    fn owner(&self, position: u32) -> Player {
        let (s, part) = self.claim(position);
        match &self.plan.parts[part as usize] {
            Part::And(..) | Part::Box(..) | Part::True => Player::Odd,
            Part::Holds(holds) if holds[s as usize] => Player::Odd,
            _ => Player::Even,
        }
    }
    fn priority(&self, position: u32) -> u16 {
        self.priority[position as usize]
    }
    fn moves(&self, position: u32, mut each: impl FnMut(u32)) {
        let mut ends = true;
        self.steps(position, |t| {
            ends = false;
            each(t);
        });
        if ends {
            each(position);
        }
    }
    fn sources(&self, position: u32, mut each: impl FnMut(u32)) {
        let (t, part) = self.claim(position);
        for &parent in &self.parents[part as usize] {
            match &self.plan.parts[parent as usize] {
                Part::Diamond(labels, _) | Part::Box(labels, _) => {
                    let steps = self.incoming.of(t).filter(|(a, _)| labels.contains(*a));
                    steps.for_each(|(_, s)| each(self.position((s, parent))));
                }
                _ => each(self.position((t, parent))),
            }
        }
        // The loop at the end of a game is a move, too.
        if self.is_end(position) {
            each(position);
        }
    }
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

fn evidence(board: &Board<'_>, solution: &Solution) -> Evidence {
    let (lts, plan) = (board.lts, board.plan);
    let start = board.position((lts.initial(), plan.root));
    let winner = solution.winner[start as usize];
    // A run, as long as the loser never has a choice.
    let mut steps = Vec::new();
    let mut seen: FxHashMap<u32, usize> = FxHashMap::default();
    let mut at = start;
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
        let next = match board.owner(at) == winner {
            true => solution.strategy[at as usize],
            false => {
                let mut moves = board.moves_of(at);
                let first = moves[0];
                // A move that ends the game there and then is no choice worth following.
                moves.retain(|&t| !board.is_end(t));
                match moves[..] {
                    [] => first,
                    [only] => only,
                    _ => return strategy(board, solution),
                }
            }
        };
        let (from, to) = (board.claim(at), board.claim(next));
        if let Some(label) = action(lts, plan, from, to) {
            steps.push(Step { label, state: to.0 });
        }
        at = next;
    }
}

/// All steps that can happen when the winner plays well.
fn strategy(board: &Board<'_>, solution: &Solution) -> Evidence {
    let start = board.position((board.lts.initial(), board.plan.root));
    let winner = solution.winner[start as usize];
    let mut steps = Vec::new();
    let mut known = FxHashSet::default();
    let mut seen = FxHashSet::from_iter([start]);
    let mut work = VecDeque::from([start]);
    while let Some(at) = work.pop_front() {
        let moves = match board.owner(at) == winner {
            true => vec![solution.strategy[at as usize]],
            false => board.moves_of(at),
        };
        for next in moves {
            let (from, to) = (board.claim(at), board.claim(next));
            if let Some(label) = action(board.lts, board.plan, from, to) {
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
