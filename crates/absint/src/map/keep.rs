//! Abstractions made of cells, without names: what a program calls a variable need not be unique, and what a compiler or
//! a pass made has no name at all.

use super::abstraction::{Abstraction, Cell};
use super::constants::NoVocabulary;
use super::expression::{Reader, Subject};
use super::lex::Cursor;
use super::shape::shape;
use super::suggest::LONGEST;
use crate::domain::{Kind, Universe};
use crate::slice::CellKey;
use cwolf_cwi::{Program, Type, TypeId, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

impl Abstraction {
    /// Keeps these cells, each in a domain as a map spells it, and takes the values of some apart. What is said of an allocated object holds for all of
    /// its type: they take over each other's contents.
    pub fn keeping<'c>(
        program: &Program,
        universe: &Universe,
        cells: impl IntoIterator<Item = (&'c CellKey, String, bool)>,
    ) -> Abstraction {
        let mut kept = Abstraction::default();
        let mut seen: FxHashSet<(VarId, u64)> = FxHashSet::default();
        for ((var, path), domain, split) in cells {
            let Some(kind) = kind(program, universe, &domain) else {
                continue;
            };
            let Some((starts, ty)) = starts(program, *var, path) else {
                continue;
            };
            for var in alike(program, *var) {
                for bit_offset in &starts {
                    if seen.insert((var, *bit_offset)) {
                        // The elements of an array would multiply.
                        if split && starts.len() == 1 {
                            kept.split.insert((var, *bit_offset));
                        }
                        kept.cells.push(Cell {
                            var,
                            bit_offset: *bit_offset,
                            ty,
                            kind,
                        });
                    }
                }
            }
        }
        kept
    }
}

/// A variable, and if it is an allocated object, all of its type.
pub(super) fn alike(program: &Program, var: VarId) -> Vec<VarId> {
    let mut vars = vec![var];
    if program.heap.objects.contains_key(&var) {
        let own = program.vars[var].ty;
        let same = |v: &&VarId| program.vars[**v].ty == own;
        vars.extend(program.heap.objects.keys().filter(same));
    }
    vars.sort_unstable();
    vars.dedup();
    vars
}

/// The domain that a map spells so.
fn kind(program: &Program, universe: &Universe, domain: &str) -> Option<Kind> {
    let numbers = Reader {
        program,
        vocabulary: &NoVocabulary,
        subject: Subject::Other,
        analysed: None,
    };
    let mut cursor = Cursor::new(domain, 0, true).ok()?;
    let found = shape(&mut cursor, universe, &FxHashMap::default(), &numbers);
    Some(found.ok()?.kind())
}

/// Where a scalar of a variable starts, in bits, once for each element of the arrays around it, and its type; none if
/// there are too many.
pub(super) fn starts(program: &Program, var: VarId, path: &[u32]) -> Option<(Vec<u64>, TypeId)> {
    let types = &program.types;
    let mut ty = program.vars[var].ty;
    let mut starts = vec![0u64];
    let mut path = path.iter();
    loop {
        match &types[ty] {
            Type::Array { elem, len } => {
                let count = (starts.len() as u64).checked_mul(*len);
                count.filter(|n| (1..=LONGEST).contains(n))?;
                let size = types.size_of(*elem).checked_mul(8)?;
                let each = |start: &u64| (0..*len).map(|n| start + n * size).collect::<Vec<_>>();
                starts = starts.iter().flat_map(each).collect();
                ty = *elem;
            }
            Type::Record(record) => {
                let field = &types.records[*record].fields[*path.next()? as usize];
                starts.iter_mut().for_each(|s| *s += field.bit_offset);
                ty = field.ty;
            }
            _ if types.is_scalar(ty) => return Some((starts, ty)),
            _ => return None,
        }
    }
}
