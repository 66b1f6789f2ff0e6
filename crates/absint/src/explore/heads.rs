//! What an exploration found at the heads of loops: the values that were reached there.

use super::Model;
use crate::machine::Machine;
use cwolf_cwi::graph::Cfg;
use cwolf_cwi::{BlockId, FuncId, TypeId, VarId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// A scalar of a variable: the variable, where in it in bits, its type.
pub type Scalar = (VarId, u64, TypeId);

/// The values at one loop head.
#[derive(Clone, Debug)]
pub struct Head {
    /// The function.
    pub func: FuncId,
    /// The block.
    pub block: BlockId,
    /// What is known there.
    pub cells: Vec<Scalar>,
    /// What the cells hold together, in each state; none where it is not one number. There is no row if there
    /// would be too many.
    pub rows: Vec<Vec<Option<i128>>>,
}

/// The values at all loop heads that a model comes to, with at most `most` rows each. The model must have its states.
pub fn at_heads(machine: &Machine<'_>, model: &Model, most: usize) -> Vec<Head> {
    let program = machine.program();
    let mut heads: FxHashSet<(FuncId, BlockId)> = FxHashSet::default();
    for (func, function) in program.funcs.enumerate() {
        if let Some(body) = &function.body {
            let loops = Cfg::new(body).retreating_edges().into_iter();
            heads.extend(loops.map(|(_, head)| (func, head)));
        }
    }
    let mut found: FxHashMap<(FuncId, BlockId), BTreeSet<Vec<Option<i128>>>> = FxHashMap::default();
    let mut cells: FxHashMap<FuncId, Vec<Scalar>> = FxHashMap::default();
    for state in &model.states {
        let at = machine.block_start(*state).filter(|at| heads.contains(at));
        let Some(at) = at else { continue };
        let rows = found.entry(at).or_default();
        if rows.len() > most {
            continue;
        }
        cells
            .entry(at.0)
            .or_insert_with(|| machine.scalars(at.0).collect());
        rows.insert(machine.numbers(*state));
    }
    let mut list: Vec<Head> = (found.into_iter())
        .map(|((func, block), rows)| Head {
            func,
            block,
            cells: cells[&func].clone(),
            rows: match rows.len() > most {
                true => Vec::new(),
                false => rows.into_iter().collect(),
            },
        })
        .collect();
    list.sort_by_key(|h| (h.func, h.block));
    list
}
