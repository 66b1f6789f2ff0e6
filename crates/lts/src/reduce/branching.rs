//! Branching bisimulation, with or without divergence, on the compressed graph.

use super::bunches;
use super::compress::{Compressed, compress};
use super::quotient::{self, Reduction};
use crate::labels::TAU;
use crate::lts::{Lts, State};
use cwolf_base::{Budget, Exhausted};

/// The quotient by branching bisimulation; with `divergence`, by the one that also tells states
/// that may take internal steps for ever from those that may not.
pub(crate) fn reduce(lts: &Lts, divergence: bool, budget: &Budget) -> Result<Reduction, Exhausted> {
    budget.check(0)?;
    let compressed = compress(lts, divergence);
    let class = bunches::classes(&compressed.graph, budget)?;
    let Compressed {
        graph,
        node_of: mut map,
        diverges,
    } = compressed;
    map.iter_mut().for_each(|s| *s = class[*s as usize]);
    let (count, new) = quotient::renumber(&mut map);
    let class = |node: State| new[class[node as usize] as usize];
    let edges = graph.iter().filter_map(|(s, a, t)| {
        let (c, d) = (class(s), class(t));
        match a {
            TAU if c == d => None,
            _ if a == diverges => Some((c, TAU, d)),
            _ => Some((c, a, d)),
        }
    });
    let small = quotient::build(lts, &map, count, edges);
    Ok(Reduction { lts: small, map })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::Builder;

    fn states(builder: Builder, divergence: bool) -> usize {
        let lts = builder.finish(0);
        let small = reduce(&lts, divergence, &Budget::unlimited());
        small.expect("no limit").lts.states()
    }

    /// The smaller part is new bottom states over and over.
    #[test]
    fn a_long_inert_chain_of_different_offers() {
        let n = 30_000;
        let mut builder = Builder::new();
        for s in 1..n {
            builder.transition(s, &format!("a{s}"), 0);
            builder.add(s, TAU, s - 1);
        }
        assert_eq!(states(builder, false), n as usize);
    }

    /// A state with many transitions whose targets are told apart one after the other.
    #[test]
    fn a_hub_over_a_chain() {
        let n = 30_000;
        let mut builder = Builder::new();
        let a = builder.label("a");
        for s in 1..n {
            builder.add(s, a, s - 1);
            builder.add(n, a, s);
            builder.add(n + 1, TAU, s);
            builder.add(n + 2 + s, TAU, n + 1 + s);
        }
        builder.add(n + 2, TAU, n);
        assert_eq!(states(builder, false), n as usize + 2);
    }

    #[test]
    fn divergence_is_told_apart() {
        for divergence in [false, true] {
            let mut builder = Builder::new();
            // 0 may stay for ever before a, 2 may not; both only go to a.
            builder.transition(0, "tau", 1);
            builder.transition(1, "tau", 0);
            builder.transition(1, "tau", 2);
            builder.transition(2, "a", 3);
            builder.transition(3, "b", 0);
            assert_eq!(states(builder, divergence), 2 + usize::from(divergence));
        }
    }
}
