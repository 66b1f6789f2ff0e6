//! One system with what walking in it needs: predecessors and shortest ways.

use cwolf_lts::{Label, Lts, State};

/// A system that can be walked in both directions.
pub struct System {
    /// What it is called on the page.
    pub name: String,
    /// The system.
    pub lts: Lts,
    offsets: Vec<u32>,
    sources: Vec<State>,
    labels: Vec<Label>,
}

/// A way through a system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// Where it starts.
    pub start: State,
    /// Labels and the states they lead to.
    pub steps: Vec<(Label, State)>,
}

impl System {
    /// Prepares a system.
    pub fn new(name: &str, lts: Lts) -> System {
        let mut offsets = vec![0u32; lts.states() + 1];
        for (_, _, target) in lts.iter() {
            offsets[target as usize + 1] += 1;
        }
        for n in 1..offsets.len() {
            offsets[n] += offsets[n - 1];
        }
        let mut next = offsets.clone();
        let mut sources = vec![0; lts.transitions()];
        let mut labels = vec![0; lts.transitions()];
        for (source, label, target) in lts.iter() {
            let at = &mut next[target as usize];
            sources[*at as usize] = source;
            labels[*at as usize] = label;
            *at += 1;
        }
        System {
            name: name.to_owned(),
            lts,
            offsets,
            sources,
            labels,
        }
    }
    /// The transitions that lead to a state.
    pub fn into(&self, state: State) -> impl ExactSizeIterator<Item = (State, Label)> + '_ {
        let range =
            self.offsets[state as usize] as usize..self.offsets[state as usize + 1] as usize;
        let sources = self.sources[range.clone()].iter().copied();
        sources.zip(self.labels[range].iter().copied())
    }
    /// A shortest way from the start to a state that is `wanted`, or to a transition with a
    /// wanted label (which is then the last step).
    pub fn shortest_run(
        &self,
        wanted: impl Fn(State) -> bool,
        label: impl Fn(Label) -> bool,
    ) -> Option<Run> {
        let start = self.lts.initial();
        const NEW: u32 = u32::MAX;
        // For each state how it was reached: the transition's number among its source's.
        let mut from: Vec<(State, u32)> = vec![(0, NEW); self.lts.states()];
        from[start as usize] = (start, 0);
        let mut queue = std::collections::VecDeque::from([start]);
        let build = |end: State, from: &[(State, u32)]| {
            let mut steps = Vec::new();
            let mut at = end;
            while at != start {
                let (source, number) = from[at as usize];
                let (label, _) = self.lts.from(source).nth(number as usize)?;
                steps.push((label, at));
                at = source;
            }
            steps.reverse();
            Some(Run { start, steps })
        };
        while let Some(state) = queue.pop_front() {
            if wanted(state) {
                return build(state, &from);
            }
            for (number, (l, target)) in self.lts.from(state).enumerate() {
                if label(l) {
                    let mut way = build(state, &from)?;
                    way.steps.push((l, target));
                    return Some(way);
                }
                if from[target as usize].1 == NEW {
                    from[target as usize] = (state, number as u32);
                    queue.push_back(target);
                }
            }
        }
        None
    }
}
