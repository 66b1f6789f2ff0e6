//! Live local slots: what a function may still read before it writes it. Dead slots are set to
//! ⊤ in states, which loses no behaviour: nothing that is seen depends on them.
//!
//! Variables that conditions and labels of the label map read always count as live.

use super::layout::{Home, Layout, branch_operands};
use crate::map::{Event, LabelMap};
use cwolf_base::{Idx, IndexVec};
use cwolf_cwi::{
    Base, BlockId, Branch, Expr, ExprKind, FuncId, Place, Program, RESULT, Step, StmtKind, VarId,
};

/// For each point of a function, which local slots are live.
#[derive(Debug)]
pub(crate) struct Liveness {
    points: IndexVec<BlockId, Vec<Vec<bool>>>,
}

struct Sets<'l> {
    program: &'l Program,
    layout: &'l Layout,
}

impl Sets<'_> {
    fn all(&self, live: &mut [bool], var: VarId, value: bool) {
        for slot in &self.layout.vars[var] {
            if let Home::Local(n) = slot.home
                && let Some(l) = live.get_mut(n as usize)
            {
                *l = value;
            }
        }
    }
    fn uses(&self, live: &mut [bool], e: &Expr) {
        e.walk(&mut |e| match &e.kind {
            ExprKind::Reg(reg) => {
                if let Some(l) = live.get_mut(reg.index()) {
                    *l = true;
                }
            }
            ExprKind::Load { place, .. } | ExprKind::AddrOf(place) => {
                if let Base::Var(var) = place.base {
                    self.all(live, var, true);
                }
            }
            _ => {}
        });
    }
    /// A write to a known part of a variable ends the life of what was there.
    fn kill(&self, live: &mut [bool], place: &Place) {
        let Base::Var(var) = place.base else { return };
        let types = &self.program.types;
        let mut ty = self.program.vars[var].ty;
        let mut from = 0i128;
        for step in &place.path {
            match step {
                Step::Field(n) => {
                    let Some(record) = types.as_record(ty) else {
                        return;
                    };
                    let field = &types.records[record].fields[*n as usize];
                    from += i128::from(field.bit_offset);
                    ty = field.ty;
                }
                Step::Index(e) => {
                    let cwolf_cwi::Type::Array { elem, len } = types[ty] else {
                        return;
                    };
                    let Some(n) = e.as_int().filter(|n| (0..i128::from(len)).contains(n)) else {
                        return;
                    };
                    from += n * i128::from(types.size_of(elem)) * 8;
                    ty = elem;
                }
            }
        }
        let to = from
            + match types.as_int(ty) {
                Some(int) => i128::from(int.bits),
                None => i128::from(types.size_of(ty)) * 8,
            };
        for slot in &self.layout.vars[var] {
            let start = i128::from(slot.cell.bit_offset);
            if let Home::Local(n) = slot.home
                && from <= start
                && start + i128::from(slot.bits) <= to
                && let Some(l) = live.get_mut(n as usize)
            {
                *l = false;
            }
        }
    }
}

impl Liveness {
    pub fn new(program: &Program, layout: &Layout, labels: &LabelMap, func: FuncId) -> Liveness {
        let sets = Sets { program, layout };
        let size = layout.frame_size(func);
        let mut pinned = vec![false; size];
        for rule in &labels.rules {
            // A watch of one variable looks at it right after the write only.
            let only_watch = matches!(&rule.event, Event::Watch(spots, _) if spots.len() == 1)
                && rule.when.is_none();
            super::labels::places(rule, &mut |place| {
                let own = matches!(&rule.event, Event::Watch(spots, _)
                    if only_watch && place.root() == Some(spots[0].var));
                if let Some(var) = place.root().filter(|_| !own)
                    && program.vars[var].kind.function() == Some(func)
                {
                    sets.all(&mut pinned, var, true);
                }
            });
        }
        let Some(body) = &program.funcs[func].body else {
            return Liveness {
                points: IndexVec::new(),
            };
        };
        let mut entry: IndexVec<BlockId, Vec<bool>> =
            body.blocks.iter().map(|_| pinned.clone()).collect();
        let mut points: IndexVec<BlockId, Vec<Vec<bool>>> =
            body.blocks.iter().map(|_| Vec::new()).collect();
        let mut changed = true;
        while changed {
            changed = false;
            for block in body.blocks.ids().rev() {
                let b = &body.blocks[block];
                let mut live = pinned.clone();
                b.branch.for_each_successor(|next| {
                    let next = &entry[next];
                    live.iter_mut().zip(next).for_each(|(l, n)| *l |= n);
                });
                if let Branch::Call { .. } = b.branch {
                    // The call sets register 0.
                    live[RESULT.index()] = false;
                }
                branch_operands(&b.branch, &mut |e| sets.uses(&mut live, e));
                let mut list = vec![live.clone()];
                for stmt in b.stmts.iter().rev() {
                    match &stmt.kind {
                        StmtKind::Assign(place, e) => {
                            sets.kill(&mut live, place);
                            sets.uses(&mut live, e);
                            place.for_each_operand(&mut |e| sets.uses(&mut live, e));
                        }
                        StmtKind::SetReg(reg, e) => {
                            live[reg.index()] = false;
                            sets.uses(&mut live, e);
                        }
                        StmtKind::Undef(var) => sets.all(&mut live, *var, false),
                    }
                    live.iter_mut().zip(&pinned).for_each(|(l, p)| *l |= p);
                    list.push(live.clone());
                }
                list.reverse();
                if entry[block] != live {
                    entry[block] = live;
                    changed = true;
                }
                points[block] = list;
            }
        }
        Liveness { points }
    }
    /// The live slots before statement `index` of a block.
    pub fn at(&self, block: BlockId, index: u32) -> &[bool] {
        &self.points[block][index as usize]
    }
}
