//! Reductions: smaller systems that behave the same, each with the map from old states to new.

mod branching;
mod bunches;
mod cheap_trace;
mod compress;
mod lockstep;
mod partition;
mod peephole;
mod quotient;
mod reach_bits;
mod reachable;
mod slices;
mod strong;
mod subsets;
mod tau_cycles;
mod trace;
mod walk;
mod weak;
mod weak_classes;

pub(crate) use partition::Partition;
pub use quotient::{DROPPED, Reduction};
pub(crate) use subsets::Subsets;
pub(crate) use tau_cycles::Components;

use crate::lts::Lts;
use cwolf_base::{Budget, Exhausted};

/// When two systems count as the same, from finest to coarsest (except the traces).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Equivalence {
    /// Strong bisimulation: tau is an action like any other.
    Strong,
    /// Branching bisimulation that tells apart who may take internal steps for ever.
    DivergenceBranching,
    /// Branching bisimulation.
    Branching,
    /// Weak bisimulation, also called observational equivalence.
    Weak,
    /// The same sequences of actions, tau included.
    StrongTrace,
    /// The same sequences of visible actions.
    WeakTrace,
}

impl Equivalence {
    /// All equivalences.
    pub const ALL: [Equivalence; 6] = [
        Equivalence::Strong,
        Equivalence::DivergenceBranching,
        Equivalence::Branching,
        Equivalence::Weak,
        Equivalence::StrongTrace,
        Equivalence::WeakTrace,
    ];
    /// The name that users type.
    pub fn name(self) -> &'static str {
        match self {
            Equivalence::Strong => "strong",
            Equivalence::DivergenceBranching => "divergence-branching",
            Equivalence::Branching => "branching",
            Equivalence::Weak => "weak",
            Equivalence::StrongTrace => "strong-trace",
            Equivalence::WeakTrace => "weak-trace",
        }
    }
    /// The equivalence of this name, or of the one that the Concurrency Workbench uses.
    pub fn from_name(name: &str) -> Option<Equivalence> {
        match name {
            "bisim" => Some(Equivalence::Strong),
            "obseq" => Some(Equivalence::Weak),
            "trace" => Some(Equivalence::WeakTrace),
            _ => Equivalence::ALL.into_iter().find(|e| e.name() == name),
        }
    }
}

/// A way to make a system smaller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Pass {
    /// Drop what the start state cannot reach. Every other pass does this first.
    Reachable,
    /// Make each tau cycle one state with a tau loop.
    TauCycles,
    /// The thesis' peephole optimiser: delete states that only go silently elsewhere. Keeps
    /// divergence-preserving branching bisimulation.
    Peephole,
    /// The thesis' cheap trace option: delete states entered or left silently only. Keeps
    /// visible traces.
    CheapTrace,
    /// The smallest system that is equivalent.
    Minimise(Equivalence),
}

impl Pass {
    /// All passes that are not the minimisation by an [`Equivalence`].
    pub const CHEAP: [Pass; 4] = [
        Pass::Reachable,
        Pass::TauCycles,
        Pass::Peephole,
        Pass::CheapTrace,
    ];
    /// The name that users type.
    pub fn name(self) -> &'static str {
        match self {
            Pass::Reachable => "reachable",
            Pass::TauCycles => "tau-cycles",
            Pass::Peephole => "peephole",
            Pass::CheapTrace => "cheap-trace",
            Pass::Minimise(equivalence) => equivalence.name(),
        }
    }
    /// The pass of this name.
    pub fn from_name(name: &str) -> Option<Pass> {
        let cheap = Pass::CHEAP.into_iter().find(|p| p.name() == name);
        cheap.or_else(|| Equivalence::from_name(name).map(Pass::Minimise))
    }
    /// The finest equivalence between a system and what this pass makes of it.
    pub fn keeps(self) -> Equivalence {
        match self {
            Pass::Reachable => Equivalence::Strong,
            Pass::TauCycles | Pass::Peephole => Equivalence::DivergenceBranching,
            Pass::CheapTrace => Equivalence::WeakTrace,
            Pass::Minimise(equivalence) => equivalence,
        }
    }
}

impl From<Equivalence> for Pass {
    fn from(equivalence: Equivalence) -> Pass {
        Pass::Minimise(equivalence)
    }
}

/// Reduces `lts`: the smallest system with the same behaviour up to an [`Equivalence`], or what
/// another [`Pass`] makes of it.
pub fn reduce(lts: &Lts, pass: impl Into<Pass>, budget: &Budget) -> Result<Reduction, Exhausted> {
    budget.check(0)?;
    let pass = pass.into();
    match reachable::reachable(lts) {
        None if pass == Pass::Reachable => Ok(Reduction::identity(lts.clone())),
        None => reduce_reachable(lts, pass, budget),
        Some(first) => {
            let next = reduce_reachable(&first.lts, pass, budget)?;
            Ok(first.then(next))
        }
    }
}

fn reduce_reachable(lts: &Lts, pass: Pass, budget: &Budget) -> Result<Reduction, Exhausted> {
    match pass {
        Pass::Reachable => Ok(Reduction::identity(lts.clone())),
        Pass::TauCycles => tau_cycles::collapse(lts, budget),
        Pass::Peephole => peephole::reduce(lts, budget),
        Pass::CheapTrace => cheap_trace::reduce(lts, budget),
        Pass::Minimise(equivalence) => minimise(lts, equivalence, budget),
    }
}

/// The quotient of `lts`, unreachable states included.
pub(crate) fn minimise(
    lts: &Lts,
    equivalence: Equivalence,
    budget: &Budget,
) -> Result<Reduction, Exhausted> {
    match equivalence {
        Equivalence::Strong => {
            let classes = strong::classes(lts, budget)?;
            Ok(quotient::by_first_member(lts, classes))
        }
        Equivalence::Branching => branching::reduce(lts, false, budget),
        Equivalence::DivergenceBranching => branching::reduce(lts, true, budget),
        Equivalence::Weak => weak::reduce(lts, budget),
        Equivalence::StrongTrace => trace::reduce(lts, false, budget),
        Equivalence::WeakTrace => trace::reduce(lts, true, budget),
    }
}
