//! Dropping what the start state cannot reach.

use super::quotient::{self, DROPPED, Reduction};
use crate::lts::{Lts, State};

/// The system without unreachable states, or nothing when there are none.
pub(crate) fn reachable(lts: &Lts) -> Option<Reduction> {
    let mut seen = vec![false; lts.states()];
    let mut stack = vec![lts.initial()];
    seen[lts.initial() as usize] = true;
    let mut count = 1;
    while let Some(s) = stack.pop() {
        for &t in &lts.targets[lts.range(s)] {
            if !seen[t as usize] {
                seen[t as usize] = true;
                count += 1;
                stack.push(t);
            }
        }
    }
    if count == lts.states() {
        return None;
    }
    let number = |(s, seen): (usize, bool)| if seen { s as State } else { DROPPED };
    let map = seen.into_iter().enumerate().map(number).collect();
    Some(quotient::by_first_member(lts, map))
}
