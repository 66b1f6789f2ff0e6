//! What cells are.

use crate::objects::{CellId, CellKind, ContextId, ENDLESS, ObjectKind, Objects, Repr};
use cwolf_base::Idx;
use cwolf_cwi::{FuncId, Type, TypeId, VarId, VarKind};
use cwolf_logic::Sort;

impl Objects<'_> {
    /// All cells so far.
    pub fn cells(&self) -> impl Iterator<Item = CellId> + use<> {
        (0..self.cells.len() as u32).map(CellId)
    }

    /// A cell's name as C writes it, as far as it has one.
    pub fn cell_name(&self, cell: CellId) -> String {
        match &self.cells[cell.index()].kind {
            CellKind::Reg(context, reg) => format!("r{}.{}", reg.0, context.0),
            CellKind::Result(_, block) => format!("result.{}", block.0),
            CellKind::Size(object) => format!("size.{}", object.0),
            CellKind::Valid(object) => format!("valid.{}", object.0),
            CellKind::Given(object) => format!("given.{}", object.0),
            CellKind::Leaf(object, n) => {
                let info = &self.objects[object.index()];
                let path = info
                    .layout
                    .as_ref()
                    .map_or("", |l| &l.leaves[*n as usize].path);
                match info.kind {
                    ObjectKind::Global(v) | ObjectKind::Local(_, v) => {
                        format!("{}{path}", self.program.vars[v].name)
                    }
                    _ => format!("heap{}{path}", object.0),
                }
            }
        }
    }

    /// How many elements an array has whose contents are one cell; none if that is not known.
    pub fn cell_length(&self, cell: CellId) -> Option<u64> {
        let CellKind::Leaf(object, n) = &self.cells[cell.index()].kind else {
            return None;
        };
        let layout = self.objects[object.index()].layout.as_ref()?;
        let (_, count) = layout.leaves[*n as usize].array?;
        (count < ENDLESS).then_some(count)
    }

    /// The variable that a cell lies in, and whether C can name the cell.
    pub fn cell_var(&self, cell: CellId) -> Option<(VarId, bool)> {
        match &self.cells[cell.index()].kind {
            CellKind::Leaf(object, _) => match self.objects[object.index()].kind {
                ObjectKind::Global(v) | ObjectKind::Local(_, v) => {
                    let kind = self.program.vars[v].kind;
                    Some((v, !matches!(kind, VarKind::Temp(_) | VarKind::Literal)))
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// The bits of a number in a cell of an object, and whether it may be negative.
    pub fn cell_number(&self, cell: CellId) -> Option<(u16, bool)> {
        let CellKind::Leaf(object, n) = &self.cells[cell.index()].kind else {
            return None;
        };
        let layout = self.objects[object.index()].layout.as_ref()?;
        // An allocated object may have been laid out anew since.
        let leaf = layout.leaves.get(*n as usize)?;
        let number = matches!(leaf.repr, Repr::Int | Repr::Bool) && leaf.array.is_none();
        number.then_some((leaf.bits, leaf.signed))
    }

    /// The variable that a cell is a scalar of, and how many bits from its start it lies.
    pub fn cell_spot(&self, cell: CellId) -> Option<(VarId, u64)> {
        let CellKind::Leaf(object, n) = &self.cells[cell.index()].kind else {
            return None;
        };
        let layout = self.objects[object.index()].layout.as_ref()?;
        let leaf = &layout.leaves[*n as usize];
        let (var, _) = self.cell_var(cell)?;
        leaf.array.is_none().then_some((var, leaf.bit))
    }

    /// The function whose call a cell belongs to; none for what all can see.
    pub fn cell_context(&self, cell: CellId) -> Option<ContextId> {
        match &self.cells[cell.index()].kind {
            CellKind::Leaf(object, _) => match self.objects[object.index()].kind {
                ObjectKind::Local(context, _) => Some(context),
                _ => None,
            },
            CellKind::Reg(context, _) | CellKind::Result(context, _) => Some(*context),
            _ => None,
        }
    }

    /// Whether a cell holds a pointer.
    pub fn is_pointer(&self, cell: CellId) -> bool {
        self.cells[cell.index()].repr == Repr::Pointer
    }

    /// The sort of a cell.
    pub fn cell_sort(&self, cell: CellId) -> Sort {
        self.cells[cell.index()].sort
    }

    /// The procedure in whose calls a cell lives; none for what outlives them.
    pub fn owner(&self, cell: CellId) -> Option<FuncId> {
        let context = match &self.cells[cell.index()].kind {
            CellKind::Reg(context, _) | CellKind::Result(context, _) => *context,
            CellKind::Leaf(object, _)
            | CellKind::Size(object)
            | CellKind::Valid(object)
            | CellKind::Given(object) => match self.objects[object.index()].kind {
                ObjectKind::Local(context, _) | ObjectKind::VarArgs(context) => context,
                _ => return None,
            },
        };
        let mut at = context;
        while let Some((caller, _)) = self.contexts[at.index()].caller {
            at = caller;
        }
        Some(self.contexts[at.index()].func)
    }

    /// Whether a cell is a parameter of the procedure that owns it.
    pub fn is_param(&self, cell: CellId) -> bool {
        let CellKind::Leaf(object, _) = &self.cells[cell.index()].kind else {
            return false;
        };
        match self.objects[object.index()].kind {
            ObjectKind::Local(context, v) => {
                let info = &self.contexts[context.index()];
                info.caller.is_none() && self.program.funcs[info.func].params.contains(&v)
            }
            _ => false,
        }
    }

    /// Whether a cell lies in a variable that pointers may lead to.
    pub fn is_taken(&self, cell: CellId) -> bool {
        let CellKind::Leaf(object, _) = &self.cells[cell.index()].kind else {
            return false;
        };
        match self.objects[object.index()].kind {
            ObjectKind::Local(_, v) => self
                .options
                .mode
                .procedures()
                .is_some_and(|p| p.is_taken(v)),
            _ => false,
        }
    }

    /// Bits that a scalar type computes in.
    pub(crate) fn value_bits(&self, ty: TypeId) -> u16 {
        match &self.program.types[ty] {
            Type::Bool => 1,
            Type::Int(int) => int.bits,
            Type::Float(f) => f.bits(),
            Type::Pointer(_) => crate::objects::POINTER_BITS,
            _ => 32,
        }
    }

    /// Whether numbers of a type may be negative.
    pub(crate) fn is_signed(&self, ty: TypeId) -> bool {
        self.program.types.as_int(ty).is_some_and(|i| i.signed)
    }
}
