//! The thesis' peephole optimiser (4.6): a state whose only transition is a tau to another
//! state is deleted, and who came to it goes to that other state instead.
//!
//! The start state stays. Of a tau cycle of such states one stays, with a tau loop, so that the
//! system can still go on for ever. Deleting a state can make two transitions of another one
//! equal, which may then go too; this is repeated until nothing changes.

use super::quotient::{self, Reduction};
use crate::lts::{Lts, State};
use cwolf_base::{Budget, Exhausted};

pub(crate) fn reduce(lts: &Lts, budget: &Budget) -> Result<Reduction, Exhausted> {
    let mut whole: Option<Reduction> = None;
    let mut passes = 0;
    loop {
        budget.check(passes)?;
        passes += 1;
        let current = whole.as_ref().map_or(lts, |r| &r.lts);
        let Some(next) = pass(current) else {
            return Ok(whole.unwrap_or_else(|| Reduction::identity(lts.clone())));
        };
        whole = Some(match whole.take() {
            None => next,
            Some(before) => before.then(next),
        });
    }
}

/// Where a state that can be deleted leads.
fn only_tau(lts: &Lts, s: State) -> Option<State> {
    match lts.tau_targets(s) {
        &[t] if lts.range(s).len() == 1 && t != s && s != lts.initial() => Some(t),
        _ => None,
    }
}

const UNKNOWN: State = State::MAX;

/// Deletes all such states, or none: nothing.
fn pass(lts: &Lts) -> Option<Reduction> {
    let n = lts.states() as State;
    let mut goes_to = vec![UNKNOWN; n as usize];
    let mut any = false;
    let mut path = Vec::new();
    for start in 0..n {
        let mut s = start;
        path.clear();
        let end = loop {
            if goes_to[s as usize] != UNKNOWN {
                break goes_to[s as usize];
            }
            let Some(t) = only_tau(lts, s) else {
                break s;
            };
            // Marks the path; meeting it again is a cycle, whose first state stays.
            goes_to[s as usize] = s;
            path.push(s);
            s = t;
        };
        any |= path.len() > usize::from(path.contains(&end));
        path.iter().for_each(|&s| goes_to[s as usize] = end);
        goes_to[end as usize] = end;
    }
    if !any {
        return None;
    }
    // A deleted state shares its heir's number, but only the heir's transitions count.
    let mut map = goes_to.clone();
    let (classes, _) = quotient::renumber(&mut map);
    let kept = (0..n).filter(|&s| goes_to[s as usize] == s);
    let edges = kept.flat_map(|s| {
        let map = &map;
        lts.from(s)
            .map(move |(a, t)| (map[s as usize], a, map[t as usize]))
    });
    let small = quotient::build(lts, &map, classes, edges);
    Some(Reduction { lts: small, map })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::Builder;

    fn check(edges: &[(u32, &str, u32)], expect: &[(u32, &str, u32)]) {
        let mut builder = Builder::new();
        for &(s, a, t) in edges {
            builder.transition(s, a, t);
        }
        let reduced = reduce(&builder.finish(0), &Budget::unlimited()).unwrap();
        let lts = reduced.lts;
        let found: Vec<_> = lts
            .iter()
            .map(|(s, a, t)| (s, lts.labels().name(a), t))
            .collect();
        assert_eq!(found, expect);
    }

    #[test]
    fn silent_states_go_and_the_start_stays() {
        check(
            &[(0, "tau", 1), (1, "tau", 2), (2, "a", 3), (3, "tau", 0)],
            &[(0, "tau", 1), (1, "a", 0)],
        );
    }

    #[test]
    fn a_cycle_keeps_one_state_with_a_loop() {
        check(
            &[(0, "a", 1), (1, "tau", 2), (2, "tau", 3), (3, "tau", 1)],
            &[(0, "a", 1), (1, "tau", 1)],
        );
        check(&[(0, "tau", 1), (1, "tau", 0)], &[(0, "tau", 0)]);
    }

    #[test]
    fn a_diamond_of_silent_states_goes_in_the_end() {
        check(
            &[
                (0, "a", 1),
                (1, "tau", 2),
                (1, "tau", 3),
                (2, "tau", 4),
                (3, "tau", 4),
                (4, "b", 0),
            ],
            &[(0, "a", 1), (1, "b", 0)],
        );
    }
}
