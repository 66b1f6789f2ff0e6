//! States on a common tau cycle: strongly connected components of the internal transitions, by
//! Tarjan's algorithm in Pearce's form (one number a state), with a stack of its own.

use super::quotient::{self, Reduction};
use crate::lts::{Lts, State};
use cwolf_base::{Budget, Exhausted};

/// The components, numbered so that internal transitions lead to smaller numbers only.
pub(crate) struct Components {
    /// The component of each state.
    pub(crate) of: Vec<u32>,
    pub(crate) count: usize,
}

struct Frame {
    state: State,
    next: u32,
    root: bool,
}

impl Components {
    pub(crate) fn new(lts: &Lts) -> Components {
        let n = lts.states();
        // 0: not seen; up to `index`: open, the earliest open state it reaches; above: closed,
        // n minus the number of its component.
        let mut low = vec![0u32; n];
        let mut index = 1u32;
        let mut closed = n as u32;
        let mut open: Vec<State> = Vec::new();
        let mut frames: Vec<Frame> = Vec::new();
        for start in 0..n as State {
            if low[start as usize] != 0 {
                continue;
            }
            low[start as usize] = index;
            index += 1;
            frames.push(Frame::new(start));
            while let Some(frame) = frames.last_mut() {
                let v = frame.state as usize;
                if let Some(&w) = lts.tau_targets(frame.state).get(frame.next as usize) {
                    let seen = low[w as usize];
                    if seen == 0 {
                        low[w as usize] = index;
                        index += 1;
                        frames.push(Frame::new(w));
                        continue;
                    }
                    if seen < low[v] {
                        low[v] = seen;
                        frame.root = false;
                    }
                    frame.next += 1;
                } else {
                    if frame.root {
                        index -= 1;
                        while let Some(&w) = open.last().filter(|&&w| low[v] <= low[w as usize]) {
                            open.pop();
                            low[w as usize] = closed;
                            index -= 1;
                        }
                        low[v] = closed;
                        closed -= 1;
                    } else {
                        open.push(v as State);
                    }
                    frames.pop();
                }
            }
        }
        low.iter_mut().for_each(|c| *c = n as u32 - *c);
        Components {
            of: low,
            count: n - closed as usize,
        }
    }
    /// For each component, whether a tau cycle lies in it.
    pub(crate) fn divergent(&self, lts: &Lts) -> Vec<bool> {
        let mut divergent = vec![false; self.count];
        for (s, &c) in self.of.iter().enumerate() {
            let inside = |&t: &State| self.of[t as usize] == c;
            if !divergent[c as usize] && lts.tau_targets(s as State).iter().any(inside) {
                divergent[c as usize] = true;
            }
        }
        divergent
    }
}

impl Frame {
    fn new(state: State) -> Frame {
        Frame {
            state,
            next: 0,
            root: true,
        }
    }
}

/// Makes each tau cycle one state, with a tau loop to show that it may go on for ever.
pub(crate) fn collapse(lts: &Lts, budget: &Budget) -> Result<Reduction, Exhausted> {
    budget.check(0)?;
    let components = Components::new(lts);
    Ok(quotient::of(lts, components.of, |_, _, _| true))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::Builder;

    #[test]
    fn components_are_in_reverse_topological_order() {
        let mut builder = Builder::new();
        for (s, t) in [
            (0, 1),
            (1, 2),
            (2, 0),
            (2, 3),
            (3, 4),
            (4, 3),
            (5, 5),
            (6, 0),
        ] {
            builder.transition(s, "tau", t);
        }
        builder.transition(4, "a", 0);
        let lts = builder.finish(0);
        let components = Components::new(&lts);
        assert_eq!(components.count, 4);
        let of = &components.of;
        assert!(of[0] == of[1] && of[1] == of[2] && of[3] == of[4]);
        for (s, a, t) in lts.iter() {
            assert!(a != 0 || of[s as usize] >= of[t as usize]);
        }
        let divergent = components.divergent(&lts);
        let of_state: Vec<bool> = of.iter().map(|&c| divergent[c as usize]).collect();
        assert_eq!(of_state, [true, true, true, true, true, true, false]);
    }

    #[test]
    fn a_million_states_in_a_row_need_no_deep_stack() {
        let mut builder = Builder::new();
        let n = 1_000_000;
        for s in 0..n {
            builder.add(s, 0, (s + 1) % n);
        }
        let components = Components::new(&builder.finish(0));
        assert_eq!(components.count, 1);
    }
}
