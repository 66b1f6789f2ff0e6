//! The program bit by bit, for hardware model checkers: the graph of regions as one transition system in the format
//! AIGER. A step of the system is a region. Its latches say whether the program has started, at which loop head it is, and what
//! memory holds there; its inputs are what a region chooses; its output is true in a step that goes wrong.

use crate::graph::{Edge, Graph};
use crate::task::Task;
use cwolf_base::{Budget, Exhausted};
use cwolf_encode::CellId;
use cwolf_logic::aig::{Aig, Wire};
use cwolf_logic::{Leaves, Sort, Term, circuit};
use rustc_hash::FxHashMap;

/// Arrays have so many elements, all together.
const ELEMENTS: u64 = 4096;

/// Why there is no transition system.
#[derive(Debug, thiserror::Error)]
pub enum Refused {
    /// Limits.
    #[error("{0}")]
    Exhausted(Exhausted),
    /// A part of the program cannot be encoded.
    #[error("{0}")]
    Unsupported(String),
    /// An array without a known length.
    #[error("the length of `{0}` is not known")]
    Endless(String),
    /// Too many bits.
    #[error("arrays have more than {ELEMENTS} elements together")]
    TooLarge,
}

impl From<Exhausted> for Refused {
    fn from(why: Exhausted) -> Refused {
        Refused::Exhausted(why)
    }
}

/// The transition system of a task. It goes wrong exactly if a run does, as far as the encoding is exact.
///
/// # Errors
/// [`Refused`].
pub fn system(task: &Task<'_>, budget: &Budget) -> Result<Aig, Refused> {
    cwolf_base::with_stack(|| {
        let mut graph = Graph::new(task, budget)?;
        if let Some(why) = graph.unsupported() {
            return Err(Refused::Unsupported(why));
        }
        System::new(task, &mut graph)?.finish(&mut graph, budget)
    })
}

/// The state of the system.
struct System {
    aig: Aig,
    /// The program has started.
    started: Wire,
    /// Control is at a loop head.
    at: Vec<Wire>,
    /// What cells hold: the bits of each element; a scalar has one.
    cells: Vec<(CellId, Vec<Vec<Wire>>)>,
    /// Addresses of objects, which are chosen in the first step: what a latch keeps, and what is used.
    bases: Vec<(Wire, Wire)>,
    leaves: Leaves,
}

impl System {
    fn new(task: &Task<'_>, graph: &mut Graph<'_>) -> Result<System, Refused> {
        let mut roots = graph.bad.clone();
        roots.extend(graph.bare.clone());
        roots.extend(graph.edges.iter().map(|e| graph.guard(*e)));
        let cone = graph.cone(roots.clone());
        let mut cells: Vec<CellId> = cone.into_iter().collect();
        cells.sort_unstable();
        let mut aig = Aig::default();
        let started = aig.latch("started");
        let places = graph.cuts.iter().map(|cut| {
            let func = graph.encoder.context_func(cut.context);
            let name = &task.program.funcs[func].name;
            let (context, block) = (cut.context.0, cut.block.0);
            format!("at block {block} of {name} (call {context})")
        });
        let places: Vec<String> = places.collect();
        let mut system = System {
            at: places.into_iter().map(|name| aig.latch(name)).collect(),
            aig,
            started,
            cells: Vec::new(),
            bases: Vec::new(),
            leaves: Leaves::default(),
        };
        let mut room = ELEMENTS;
        for cell in cells {
            system.add_cell(graph, cell, &mut room)?;
        }
        system.add_bases(graph, roots);
        Ok(system)
    }

    fn add_cell(
        &mut self,
        graph: &mut Graph<'_>,
        cell: CellId,
        room: &mut u64,
    ) -> Result<(), Refused> {
        let constant = graph.encoder.constant_of(cell);
        let name = graph.encoder.cell_name(cell);
        let mut bits = |name: &str, width: u16| -> Vec<Wire> {
            let names = (0..width).map(|n| format!("{name}[{n}]"));
            names.map(|name| self.aig.latch(name)).collect()
        };
        let elements = match graph.encoder.terms.sort(constant) {
            Sort::Bool => vec![bits(&name, 1)],
            Sort::Bv(width) => vec![bits(&name, width)],
            Sort::Array { elem, .. } => {
                let length = graph.encoder.cell_length(cell);
                let length = length.ok_or_else(|| Refused::Endless(name.clone()))?;
                *room = room.checked_sub(length).ok_or(Refused::TooLarge)?;
                (0..length)
                    .map(|n| bits(&format!("{name}[{n}]"), elem))
                    .collect()
            }
        };
        match graph.encoder.terms.sort(constant) {
            Sort::Array { .. } => drop(self.leaves.arrays.insert(constant, elements.clone())),
            _ => drop(self.leaves.bits.insert(constant, elements[0].clone())),
        }
        self.cells.push((cell, elements));
        Ok(())
    }

    /// Addresses of objects are the same in all steps.
    fn add_bases(&mut self, graph: &mut Graph<'_>, mut roots: Vec<Term>) {
        for edge in graph.edges.clone() {
            for (cell, _) in &self.cells {
                roots.push(graph.at_end(edge, *cell));
            }
        }
        for constant in graph.encoder.terms.constants(&roots) {
            if !graph.encoder.is_base(constant) {
                continue;
            }
            let name = graph
                .encoder
                .terms
                .name(constant)
                .unwrap_or_default()
                .to_owned();
            let width = graph.encoder.terms.width(constant);
            let mut bits = Vec::new();
            for n in 0..width {
                let kept = self.aig.latch(format!("{name}[{n}]"));
                let first = self.aig.input(format!("{name}[{n}]"));
                let used = self.aig.mux(self.started, kept, first);
                self.bases.push((kept, used));
                bits.push(used);
            }
            self.leaves.bits.insert(constant, bits);
        }
    }

    /// What cells hold at the end of an edge, a term for each element.
    fn contents(&self, graph: &mut Graph<'_>, edge: Edge) -> Vec<Term> {
        let mut all = Vec::new();
        for (cell, elements) in &self.cells {
            let t = graph.at_end(edge, *cell);
            match graph.encoder.terms.sort(t) {
                Sort::Array { index, .. } => {
                    for n in 0..elements.len() {
                        let n = graph.encoder.terms.bv(index, n as u128);
                        all.push(graph.encoder.terms.select(t, n));
                    }
                }
                _ => all.push(t),
            }
        }
        all
    }

    fn finish(mut self, graph: &mut Graph<'_>, budget: &Budget) -> Result<Aig, Refused> {
        // All terms at once, so that what they share is made once.
        let regions = graph.regions.len();
        let mut roots: Vec<Term> = graph.bare.clone();
        roots.extend(&graph.bad);
        let edges = graph.edges.clone();
        for edge in &edges {
            roots.push(graph.guard(*edge));
            roots.extend(self.contents(graph, *edge));
        }
        let terms = &graph.encoder.terms;
        let wires = circuit(terms, &roots, &self.leaves, &mut self.aig, budget)?;
        let aig = &mut self.aig;
        let mut active = vec![!self.started];
        active.extend(&self.at);
        let mut wrong = Wire::FALSE;
        for region in 0..regions {
            active[region] = aig.and(active[region], wires[region][0]);
            let fails = aig.and(active[region], wires[regions + region][0]);
            wrong = aig.or(wrong, fails);
        }
        let elements: usize = self.cells.iter().map(|c| c.1.len()).sum();
        let mut arrives: FxHashMap<usize, Wire> = FxHashMap::default();
        let latches: Vec<&Vec<Wire>> = self.cells.iter().flat_map(|c| &c.1).collect();
        let mut next: Vec<Vec<Wire>> = latches.iter().map(|l| vec![Wire::FALSE; l.len()]).collect();
        for (n, edge) in edges.iter().enumerate() {
            let first = 2 * regions + n * (1 + elements);
            let taken = aig.and(active[edge.region], wires[first][0]);
            let place = arrives.entry(edge.to).or_insert(Wire::FALSE);
            *place = aig.or(*place, taken);
            for (bits, values) in next.iter_mut().zip(&wires[first + 1..]) {
                for (bit, value) in bits.iter_mut().zip(values) {
                    *bit = aig.mux(taken, *value, *bit);
                }
            }
        }
        aig.set_next(self.started, Wire::TRUE);
        for (cut, latch) in self.at.iter().enumerate() {
            let comes = arrives.get(&cut).copied();
            aig.set_next(*latch, comes.unwrap_or(Wire::FALSE));
        }
        for (latches, bits) in latches.into_iter().zip(next) {
            for (latch, bit) in latches.iter().zip(bits) {
                aig.set_next(*latch, bit);
            }
        }
        for (kept, used) in self.bases {
            aig.set_next(kept, used);
        }
        aig.output("wrong", wrong);
        Ok(self.aig)
    }
}
