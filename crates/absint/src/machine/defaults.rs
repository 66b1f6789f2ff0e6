//! Pointers that no map mentions: which of them are kept, and how.
//!
//! A pointer is kept by default because it says where accesses go. Local variables always are: what is not read
//! again does not tell states apart. What lives longer (globals, fields, objects, variables whose address is
//! taken) multiplies states for good, so it is kept only if its value can matter:
//!
//! - it may lead to something that is kept or seen, or to a function;
//! - it only leads to constants, such as texts and tables, which can be read through it;
//! - it, or a copy of it, is compared with another pointer.
//!
//! Other pointers are flags: all that they can tell is whether they are null. Local ones are kept without offsets.
//! Others are kept if the map says so, like numbers; their values are known from where they are set to the next
//! branch.

use super::layout::scalars;
use crate::domain::Kind;
use crate::map::Cell;
use cwolf_base::Idx;
use cwolf_cwi::graph::{Object, PointsTo};
use cwolf_cwi::{
    Base, BinOp, BlockId, Body, Branch, Expr, ExprKind, FuncId, Place, Program, RESULT, RegId,
    Step, StmtKind, Type, TypeId, VarId,
};
use rustc_hash::FxHashSet;

/// A variable with more pointers than this is not kept by default.
const MAX_POINTERS: usize = 64;
/// So many pointers are kept by default.
const MAX_DEFAULTS: usize = 1 << 12;

/// All pointers in variables, but for those of the library's models, and of variables with very many.
pub(super) fn pointers(program: &Program, constants: &FxHashSet<VarId>) -> Vec<Cell> {
    let mut cells = Vec::new();
    for (var, v) in program.vars.enumerate() {
        if constants.contains(&var) || program.locations.is_library(v.loc) {
            continue;
        }
        let mut parts = Vec::new();
        scalars(program, v.ty, 0, &mut parts);
        parts.retain(|(_, ty)| matches!(program.types[*ty], Type::Pointer(_)));
        if parts.len() <= MAX_POINTERS && cells.len() + parts.len() <= MAX_DEFAULTS {
            cells.extend(parts.into_iter().map(|(bit_offset, ty)| Cell {
                var,
                bit_offset,
                ty,
                kind: Kind::Pointer,
            }));
        }
    }
    cells
}

/// The pointers that the program moves: variables, and types of places that are found through pointers.
pub(super) struct Moved {
    vars: FxHashSet<VarId>,
    types: FxHashSet<TypeId>,
}

impl Moved {
    pub fn new(program: &Program) -> Moved {
        let mut moved = Moved {
            vars: FxHashSet::default(),
            types: FxHashSet::default(),
        };
        let bodies = program.funcs.iter().filter_map(|f| f.body.as_ref());
        for stmt in bodies.flat_map(|b| b.blocks.iter()).flat_map(|b| &b.stmts) {
            let StmtKind::Assign(place, e) = &stmt.kind else {
                continue;
            };
            let mut moves = false;
            e.walk(&mut |e| {
                // From a fixed place by a fixed distance is a fixed place.
                let fixed = |p: &Expr| matches!(&p.kind, ExprKind::AddrOf(q) if q.root().is_some());
                if let ExprKind::PtrAdd { ptr, index, .. } = &e.kind {
                    moves |= !fixed(ptr) || index.as_int().is_none();
                }
            });
            if moves {
                match place.base {
                    Base::Var(var) => {
                        moved.vars.insert(var);
                    }
                    Base::Deref(_) => {
                        moved.types.insert(place.ty);
                    }
                }
            }
        }
        moved
    }
    /// The size of a step, if a pointer is moved.
    pub fn step(&self, program: &Program, cell: &Cell) -> Option<u64> {
        let moved = self.vars.contains(&cell.var) || self.types.contains(&cell.ty);
        let to = program.types.pointee(cell.ty).filter(|_| moved)?;
        Some(match program.types[to] {
            Type::Void | Type::Func(_) => 1,
            _ => program.types.size_of(to).max(1),
        })
    }
}

/// What decides which pointers are kept.
pub(super) struct Defaults<'d> {
    pub program: &'d Program,
    pub points_to: &'d PointsTo,
    pub constants: &'d FxHashSet<VarId>,
    /// Variables whose address is taken.
    pub exposed: &'d FxHashSet<VarId>,
}

/// Pointers as they are kept.
pub(super) struct Chosen {
    pub cells: Vec<Cell>,
    /// Those of which only matters whether they are null.
    pub flags: FxHashSet<(VarId, u64)>,
}

impl Defaults<'_> {
    /// Pointers as they are kept. `content` are the variables of which something is kept or seen.
    pub fn choose(&self, mut cells: Vec<Cell>, mut content: FxHashSet<VarId>) -> Chosen {
        let compared = Compared::new(self.program, self.points_to, &content).vars;
        let is_local =
            |var: VarId| self.program.vars[var].kind.is_automatic() && !self.exposed.contains(&var);
        let targets: Vec<Vec<Object>> = cells.iter().map(|c| self.targets(c)).collect();
        // Of addresses outside the program nothing is known, and little of what may be one.
        let own = |list: &[Object]| {
            let own = |o: &Object| matches!(o, Object::Var(_) | Object::Heap(..));
            !list.is_empty() && list.iter().all(own)
        };
        let settled: Vec<bool> = (cells.iter().zip(&targets))
            .map(|(c, list)| compared.contains(&c.var) && own(list))
            .collect();
        for (cell, settled) in cells.iter().zip(&settled) {
            if *settled || is_local(cell.var) {
                content.insert(cell.var);
            }
        }
        // A pointer to an object is kept if one in the object is, and so on: lists are kept as long as nothing
        // else speaks against it.
        let mut kept: Vec<bool> = cells.iter().map(|_| true).collect();
        loop {
            let mut all = content.clone();
            let held = cells.iter().zip(&kept).filter(|(_, kept)| **kept);
            all.extend(held.map(|(cell, _)| cell.var));
            let mut changed = false;
            for (n, list) in targets.iter().enumerate() {
                let local = is_local(cells[n].var) && self.is_text(list);
                if kept[n] && !settled[n] && !local && !self.can_matter(list, &all) {
                    kept[n] = false;
                    changed = true;
                }
            }
            if !changed {
                break;
            }
        }
        let mut flags = FxHashSet::default();
        for (cell, kept) in cells.iter_mut().zip(kept) {
            if !kept {
                flags.insert((cell.var, cell.bit_offset));
                if !is_local(cell.var) {
                    cell.kind = Kind::Top;
                }
            }
        }
        Chosen { cells, flags }
    }
    fn can_matter(&self, targets: &[Object], content: &FxHashSet<VarId>) -> bool {
        let leads_on = |object: &Object| {
            let vars = object.variables(self.program);
            matches!(object, Object::Func(_)) || vars.iter().any(|v| content.contains(v))
        };
        let constant = |object: &Object| self.is_text(&[*object]);
        targets.iter().any(leads_on) || !targets.is_empty() && targets.iter().all(constant)
    }
    /// Whether something that never changes is among what a pointer may lead to.
    fn is_text(&self, targets: &[Object]) -> bool {
        let constant = |o: &Object| matches!(o, Object::Var(v) if self.constants.contains(v));
        targets.iter().any(constant)
    }
    /// What a cell may point to.
    fn targets(&self, cell: &Cell) -> Vec<Object> {
        if self.program.heap.objects.contains_key(&cell.var) {
            let sites = self.program.heap.sites.keys().filter(|(func, block)| {
                let mut made = self.program.heap.made_by(*func, *block);
                made.any(|v| v == cell.var)
            });
            let contents = sites
                .flat_map(|(func, block)| self.points_to.contents(Object::Heap(*func, *block)));
            return contents.collect();
        }
        let mut place = Place::var(cell.ty, cell.var);
        place.path = path(
            self.program,
            self.program.vars[cell.var].ty,
            cell.bit_offset,
        );
        (self.points_to).expr(FuncId::new(0), Body::ENTRY, &Expr::load(place))
    }
}

/// The steps that lead to the scalar at an offset.
fn path(program: &Program, mut ty: TypeId, mut bit: u64) -> Vec<Step> {
    let types = &program.types;
    let mut path = Vec::new();
    loop {
        match &types[ty] {
            Type::Array { elem, .. } => {
                let size = types.size_of(*elem).saturating_mul(8).max(1);
                let index = Expr::int(cwolf_cwi::Types::INT, i128::from(bit / size));
                path.push(Step::Index(index));
                bit %= size;
                ty = *elem;
            }
            Type::Record(record) => {
                let fields = &types.records[*record].fields;
                let inside = |f: &cwolf_cwi::Field| {
                    let bits = types.size_of(f.ty).saturating_mul(8);
                    (f.bit_offset..f.bit_offset.saturating_add(bits)).contains(&bit)
                };
                let Some(n) = fields.iter().position(inside) else {
                    return path;
                };
                path.push(Step::Field(n as u32));
                bit -= fields[n].bit_offset;
                ty = fields[n].ty;
            }
            _ => return path,
        }
    }
}

/// Variables with pointers that are compared with others, or copied to such.
struct Compared<'c> {
    program: &'c Program,
    points_to: &'c PointsTo,
    vars: FxHashSet<VarId>,
    regs: FxHashSet<(FuncId, RegId)>,
    /// Blocks at whose start the result of a call is compared.
    called: FxHashSet<At>,
    /// Functions whose result is compared.
    results: FxHashSet<FuncId>,
}

type At = (FuncId, BlockId);

impl<'c> Compared<'c> {
    fn new(
        program: &'c Program,
        points_to: &'c PointsTo,
        content: &FxHashSet<VarId>,
    ) -> Compared<'c> {
        let mut compared = Compared {
            program,
            points_to,
            vars: FxHashSet::default(),
            regs: FxHashSet::default(),
            called: FxHashSet::default(),
            results: FxHashSet::default(),
        };
        compared.each_block(&mut |own, at, block| {
            // What models in C compare (which end to copy first) is their own affair.
            if own
                .program
                .locations
                .is_library(own.program.funcs[at.0].loc)
            {
                return;
            }
            for stmt in &block.stmts {
                // A number that nobody keeps decides nothing.
                let kept = match &stmt.kind {
                    StmtKind::Assign(place, _) => {
                        own.roots(at, place).iter().any(|v| content.contains(v))
                    }
                    _ => true,
                };
                if kept {
                    stmt.kind.for_each_expr(&mut |e| own.comparisons(at, e));
                }
            }
            if let Branch::If { cond: e, .. } | Branch::Switch { on: e, .. } = &block.branch {
                own.comparisons(at, e);
            }
            if let Branch::Return(Some(e)) = &block.branch {
                own.comparisons(at, e);
            }
        });
        loop {
            let before = compared.size();
            compared.each_block(&mut |own, at, block| own.copies(at, block));
            if compared.size() == before {
                return compared;
            }
        }
    }
    /// What is compared in an expression.
    fn comparisons(&mut self, at: At, e: &Expr) {
        use BinOp::{Eq, Ge, Gt, Le, Lt, Ne};
        e.walk(&mut |e| match &e.kind {
            ExprKind::Binary(Eq | Ne | Lt | Le | Gt | Ge, a, b)
            | ExprKind::PtrDiff {
                left: a, right: b, ..
            } => {
                let known = |e: &Expr| {
                    let list = self.points_to.expr(at.0, at.1, e);
                    matches!(self.program.types[e.ty], Type::Pointer(_))
                        && !list.is_empty()
                        && !list.contains(&Object::Outside)
                };
                if known(a) && known(b) {
                    self.sources(at, a);
                    self.sources(at, b);
                }
            }
            _ => {}
        });
    }
    fn size(&self) -> usize {
        self.vars.len() + self.regs.len() + self.called.len() + self.results.len()
    }
    fn each_block(&mut self, visit: &mut dyn FnMut(&mut Self, At, &cwolf_cwi::Block)) {
        let program = self.program;
        for (func, f) in program.funcs.enumerate() {
            for (block, code) in f.body.iter().flat_map(|b| b.blocks.enumerate()) {
                visit(self, (func, block), code);
            }
        }
    }
    /// What is copied to something that is compared is compared.
    fn copies(&mut self, at: At, block: &cwolf_cwi::Block) {
        for stmt in &block.stmts {
            match &stmt.kind {
                StmtKind::Assign(place, e)
                    if self.roots(at, place).iter().any(|v| self.vars.contains(v)) =>
                {
                    self.sources(at, e);
                }
                StmtKind::SetReg(RESULT, e) => self.sources(at, e),
                StmtKind::SetReg(reg, e) if self.regs.contains(&(at.0, *reg)) => {
                    self.sources(at, e);
                }
                _ => {}
            }
        }
        match &block.branch {
            Branch::Call {
                callee, args, next, ..
            } => {
                let result = next.is_some_and(|next| self.called.contains(&(at.0, next)));
                for target in self.points_to.callees(at.0, at.1, callee).0 {
                    if result {
                        self.results.insert(target);
                    }
                    let params = &self.program.funcs[target].params;
                    for (param, arg) in params.iter().zip(args) {
                        if self.vars.contains(param) {
                            self.sources(at, arg);
                        }
                    }
                }
            }
            Branch::Return(Some(e)) if self.results.contains(&at.0) => self.sources(at, e),
            other => {
                // The result of an earlier call is still there.
                let mut passed = false;
                other.for_each_successor(|next| passed |= self.called.contains(&(at.0, next)));
                if passed {
                    self.called.insert(at);
                }
            }
        }
    }
    /// The variables that a place may be in.
    fn roots(&self, (func, block): At, place: &Place) -> Vec<VarId> {
        match &place.base {
            Base::Var(var) => vec![*var],
            Base::Deref(pointer) => {
                let objects = self.points_to.expr(func, block, pointer).into_iter();
                objects.flat_map(|o| o.variables(self.program)).collect()
            }
        }
    }
    /// The variables and registers that the value of an expression comes from.
    fn sources(&mut self, at: At, e: &Expr) {
        match &e.kind {
            ExprKind::Load { place, .. } => {
                let roots = self.roots(at, place);
                self.vars.extend(roots);
            }
            ExprKind::Reg(RESULT) => {
                self.called.insert(at);
            }
            ExprKind::Reg(reg) => {
                self.regs.insert((at.0, *reg));
            }
            ExprKind::Cast(inner) => self.sources(at, inner),
            ExprKind::PtrAdd { ptr, .. } => self.sources(at, ptr),
            _ => {}
        }
    }
}
