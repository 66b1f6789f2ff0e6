//! Where each cell of the abstraction lives: a slot of the global environment, or of the local
//! one of its function.
//!
//! A local variable whose address is taken can be reached from other frames. It is kept in the
//! *global* environment, where a callee's write through a pointer is an ordinary update; that
//! needs its function to have one frame at most, so in a recursive function it is not kept at all.

use super::defaults::{Chosen, Defaults, Moved, pointers};
use super::objects::Typed;
use crate::domain::Kind;
use crate::map::{Abstraction, Cell, Event, LabelMap, base_object, bits_below};
use cwolf_base::{Idx, IndexVec};
use cwolf_cwi::graph::{CallGraph, PointsTo};
use cwolf_cwi::{
    Branch, Callee, Definition, Expr, FuncId, Place, Program, Type, TypeId, VarId, VarKind, value,
};
use rustc_hash::FxHashSet;

/// Where a cell's value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Home {
    Global(u32),
    Local(u32),
}

/// A kept cell with its home.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slot {
    pub cell: Cell,
    /// How many bits it has.
    pub bits: u64,
    pub home: Home,
    /// A pointer that no map mentions.
    pub by_default: bool,
    /// Whether the abstraction map mentions it.
    pub named: bool,
    /// The size of what it points to, if the program moves it.
    pub walks: Option<u64>,
    /// Of this pointer only matters whether it is null.
    pub flag: bool,
    /// A value that may lie in several classes of the domain is taken apart when it is written.
    pub split: bool,
}

impl Slot {
    pub fn overlaps(&self, from: i128, to: i128) -> bool {
        let start = i128::from(self.cell.bit_offset);
        start < to && from < start + i128::from(self.bits)
    }
}

/// All slots.
#[derive(Debug, Default)]
pub(crate) struct Layout {
    /// The slots of each variable.
    pub vars: IndexVec<VarId, Vec<Slot>>,
    /// What the slots of the global environment hold.
    pub globals: Vec<Cell>,
    /// What the slots of each function's environment after its registers hold.
    pub locals: IndexVec<FuncId, Vec<Cell>>,
    /// How many registers each function has.
    pub regs: IndexVec<FuncId, u32>,
    /// Automatic variables that live in the global environment, by function.
    pub exposed: IndexVec<FuncId, Vec<VarId>>,
    /// Variables that never change: they are read from the program.
    pub constants: FxHashSet<VarId>,
    /// Variables that stand for several objects at a time, of which a pointer to one need not equal one to another.
    pub several: FxHashSet<VarId>,
    /// Whether some slot is split.
    pub splits: bool,
    /// Objects that live for certain where a pointer leads to them.
    pub lasting: FxHashSet<VarId>,
    /// Whether the program asks if accesses are valid.
    pub checked: bool,
    /// Objects of the types that rules are about.
    pub typed: Typed,
}

/// How many bits a scalar type takes.
pub(crate) fn bits_of(program: &Program, ty: TypeId) -> u64 {
    match program.types[ty] {
        Type::Int(int) => u64::from(int.bits),
        _ => program.types.size_of(ty).saturating_mul(8),
    }
}

impl Layout {
    pub fn new(
        program: &Program,
        (calls, points_to): (&CallGraph, &PointsTo),
        abstraction: &Abstraction,
        labels: &LabelMap,
        (keep_pointers, stray): (bool, bool),
    ) -> Layout {
        let exposed = program.address_taken();
        let constants = super::constants::never_written(program, points_to);
        let mut layout = Layout {
            vars: program.vars.iter().map(|_| Vec::new()).collect(),
            globals: Vec::new(),
            locals: program.funcs.iter().map(|_| Vec::new()).collect(),
            regs: program.funcs.iter().map(|_| 1).collect(),
            exposed: program.funcs.iter().map(|_| Vec::new()).collect(),
            constants,
            splits: !abstraction.split.is_empty(),
            lasting: FxHashSet::default(),
            checked: stray,
            typed: Typed::new(program, labels),
            several: super::several::several(program, (calls, points_to), &exposed, stray),
        };
        layout.lasting = super::several::lasting(program, &layout.several, stray);
        for (id, func) in program.funcs.enumerate() {
            if let Some(body) = &func.body {
                layout.regs[id] = body.regs.len().max(1) as u32;
            }
        }
        let mut cells = abstraction.cells.clone();
        let named: FxHashSet<VarId> = cells.iter().map(|c| c.var).collect();
        let own = made_up(program)
            .chain(super::library::registered(program, calls))
            .chain(super::library::handed_on(program, &exposed));
        cells.extend(own.filter(|c| !named.contains(&c.var)));
        let mapped: FxHashSet<(VarId, u64)> = cells.iter().map(|c| (c.var, c.bit_offset)).collect();
        // What a label map looks at is held while it is looked at, even if it is ⊤ in states.
        let watched = watched(program, &layout.typed, labels).into_iter();
        cells.extend(watched.filter(|c| !mapped.contains(&(c.var, c.bit_offset))));
        let explicit = cells.len();
        let mut flags = FxHashSet::default();
        if keep_pointers {
            let known: FxHashSet<(VarId, u64)> =
                cells.iter().map(|c| (c.var, c.bit_offset)).collect();
            let free = |c: &Cell| {
                let key = (c.var, c.bit_offset);
                !known.contains(&key) && !abstraction.dropped.contains(&key)
            };
            let free: Vec<Cell> = pointers(program, &layout.constants)
                .into_iter()
                .filter(free)
                .collect();
            let defaults = Defaults {
                program,
                points_to,
                constants: &layout.constants,
                exposed: &exposed,
            };
            let chosen = match stray {
                // Whoever asks whether accesses are valid asks where every pointer leads.
                true => Chosen {
                    cells: free,
                    flags: FxHashSet::default(),
                },
                false => defaults.choose(free, content(&cells, labels)),
            };
            cells.extend(chosen.cells);
            flags = chosen.flags;
        }
        let moved = Moved::new(program);
        for (n, cell) in cells.into_iter().enumerate() {
            let var = &program.vars[cell.var];
            let unknown = var.volatile || var.definition == Definition::Declared;
            let constant = layout.constants.contains(&cell.var);
            if unknown && !var.kind.is_automatic() || var.volatile || constant {
                continue;
            }
            let func = var.kind.function().filter(|_| var.kind.is_automatic());
            let home = match func {
                None => Home::Global(layout.globals.len() as u32),
                Some(f) if exposed.contains(&cell.var) => {
                    if calls.is_recursive(f) {
                        continue;
                    }
                    if !layout.exposed[f].contains(&cell.var) {
                        layout.exposed[f].push(cell.var);
                    }
                    Home::Global(layout.globals.len() as u32)
                }
                Some(f) => Home::Local(layout.regs[f] + layout.locals[f].len() as u32),
            };
            match (home, func) {
                (Home::Local(_), Some(f)) => layout.locals[f].push(cell),
                _ => layout.globals.push(cell),
            }
            layout.vars[cell.var].push(Slot {
                cell,
                bits: bits_of(program, cell.ty),
                home,
                by_default: n >= explicit,
                named: n < abstraction.cells.len(),
                flag: flags.contains(&(cell.var, cell.bit_offset)),
                split: abstraction.split.contains(&(cell.var, cell.bit_offset)),
                walks: moved.step(program, &cell).filter(|_| n >= explicit),
            });
        }
        layout
    }
    /// How many slots the local environment of `func` has.
    pub fn frame_size(&self, func: FuncId) -> usize {
        self.regs[func] as usize + self.locals[func].len()
    }
}

/// What the compiler made holds whatever was computed, like registers: temporaries, compound literals, and
/// structs on their way back to a caller.
fn made_up(program: &Program) -> impl Iterator<Item = Cell> + '_ {
    let made = program.vars.enumerate().filter(|(_, v)| {
        let unnamed = v.name.contains('#') && v.kind != VarKind::Literal;
        matches!(v.kind, VarKind::Temp(_)) || unnamed
    });
    made.flat_map(|(var, v)| {
        let mut parts = Vec::new();
        scalars(program, v.ty, 0, &mut parts);
        let few = parts.len() <= MAX_MADE;
        let cell = move |(bit_offset, ty)| Cell {
            var,
            bit_offset,
            ty,
            kind: Kind::Free,
        };
        parts.into_iter().filter(move |_| few).map(cell)
    })
}

/// An object that the compiler made is kept if it has at most so many scalars.
const MAX_MADE: usize = 256;

/// The scalars of a type, each at its offset in bits; no more than one too many of them.
pub(crate) fn scalars(program: &Program, ty: TypeId, start: u64, out: &mut Vec<(u64, TypeId)>) {
    if out.len() > MAX_MADE {
        return;
    }
    match &program.types[ty] {
        Type::Array { elem, len } => {
            let size = program.types.size_of(*elem).saturating_mul(8);
            for n in (0..*len).take(MAX_MADE + 1) {
                scalars(
                    program,
                    *elem,
                    start.saturating_add(n.saturating_mul(size)),
                    out,
                );
            }
        }
        Type::Record(record) => {
            for field in &program.types.records[*record].fields {
                scalars(program, field.ty, start + field.bit_offset, out);
            }
        }
        _ if program.types.is_scalar(ty) => out.push((start, ty)),
        _ => {}
    }
}

/// The scalars that conditions and labels of a map read.
fn watched(program: &Program, typed: &Typed, labels: &LabelMap) -> Vec<Cell> {
    let mut cells: Vec<Cell> = Vec::new();
    let mut known: FxHashSet<(VarId, u64)> = FxHashSet::default();
    let mut add = |place: &Place| {
        let mut here: Vec<(VarId, u64)> = Vec::new();
        match (base_object(place), place.root()) {
            (Some(record), _) => {
                let ty = program.types.lookup(&Type::Record(record));
                let bits = ty.and_then(|ty| bits_below(&program.types, ty, &place.path));
                let Some((from, _)) = bits else { return };
                for var in typed.vars(record) {
                    here.extend(typed.of(var, record).map(|at| (var, at + from)));
                }
                here.sort_unstable();
            }
            (None, Some(var)) => {
                let bits = super::liveness::bits(program, place);
                here.extend(bits.map(|(from, _)| (var, from as u64)));
            }
            (None, None) => {}
        }
        for (var, bit_offset) in here {
            if program.types.is_scalar(place.ty) && known.insert((var, bit_offset)) {
                cells.push(Cell {
                    var,
                    bit_offset,
                    ty: place.ty,
                    kind: Kind::Top,
                });
            }
        }
    };
    for rule in &labels.rules {
        super::labels::places(rule, &mut add);
    }
    cells
}

/// The variables of which something is kept or seen.
fn content(cells: &[Cell], labels: &LabelMap) -> FxHashSet<VarId> {
    let mut content: FxHashSet<VarId> = cells.iter().map(|c| c.var).collect();
    for rule in &labels.rules {
        if let Event::Read(seen) | Event::Write(seen) | Event::Watch(seen, _) = &rule.event {
            content.extend(seen.fixed.iter().map(|s| s.var));
        }
    }
    content
}

/// Calls `visit` for each expression of a branch.
pub(crate) fn branch_operands(branch: &Branch, visit: &mut dyn FnMut(&Expr)) {
    match branch {
        Branch::If { cond, .. } => visit(cond),
        Branch::Switch { on, .. } => visit(on),
        Branch::Call { callee, args, .. } => {
            if let Callee::Indirect(e) = callee {
                visit(e);
            }
            args.iter().for_each(&mut *visit);
        }
        Branch::Return(Some(e)) | Branch::Halt(e) => visit(e),
        Branch::Goto(_) | Branch::Return(None) | Branch::Unreachable(_) => {}
    }
}

/// The integer type that values of `ty` are kept in; floats have none, and take `int`.
pub(crate) fn int_ty(program: &Program, ty: TypeId) -> cwolf_cwi::IntTy {
    value::int_type(&program.types, ty).unwrap_or(cwolf_cwi::IntTy::INT)
}

/// The domain that a cell of type `ty` is kept in.
pub(crate) fn effective(program: &Program, ty: TypeId, kind: Kind) -> Kind {
    match (&program.types[ty], kind) {
        (_, Kind::Top) => Kind::Top,
        (Type::Pointer(_), _) => Kind::Pointer,
        (Type::Float(_), _) => Kind::Float,
        (_, kind) => kind,
    }
}

/// Numbers program points: each statement and branch of each block, and one point for each
/// function without a body.
#[derive(Debug)]
pub(crate) struct Points {
    list: Vec<Point>,
    starts: IndexVec<FuncId, Vec<u32>>,
}

/// A program point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Point {
    /// Before statement `index` of a block, or its branch.
    Code {
        func: FuncId,
        block: cwolf_cwi::BlockId,
        index: u32,
    },
    /// Inside a function that the program does not show.
    Outside(FuncId),
    /// The program has ended.
    Halted,
}

impl Points {
    pub fn new(program: &Program) -> Points {
        let mut list = vec![Point::Halted];
        let mut starts: IndexVec<FuncId, Vec<u32>> = IndexVec::new();
        for (func, f) in program.funcs.enumerate() {
            let mut own = Vec::new();
            match &f.body {
                None => {
                    own.push(list.len() as u32);
                    list.push(Point::Outside(func));
                }
                Some(body) => {
                    for (block, b) in body.blocks.enumerate() {
                        own.push(list.len() as u32);
                        let points = 0..=b.stmts.len() as u32;
                        list.extend(points.map(|index| Point::Code { func, block, index }));
                    }
                }
            }
            starts.push(own);
        }
        Points { list, starts }
    }
    pub const HALTED: u32 = 0;
    pub fn get(&self, number: u32) -> Point {
        self.list[number as usize]
    }
    pub fn len(&self) -> usize {
        self.list.len()
    }
    pub fn block(&self, func: FuncId, block: cwolf_cwi::BlockId) -> u32 {
        self.starts[func][block.index()]
    }
    pub fn entry(&self, func: FuncId) -> u32 {
        self.starts[func][0]
    }
}
