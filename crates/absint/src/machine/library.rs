//! The C library: what its functions write, as the table of known functions says, and what is kept
//! in their models in C.

use super::Code;
use super::calls::Call;
use super::layout::Home;
use super::scratch::Scratch;
use crate::domain::{Kind, Target, Value};
use crate::map::Cell;
use cwolf_base::Idx;
use cwolf_cwi::graph::{CallGraph, Object};
use cwolf_cwi::{
    Definition, Expr, ExprKind, FuncId, LocId, Origin, Program, StmtKind, Type, TypeId, Var, VarId,
    VarKind,
};
use cwolf_known::format::{self, Piece};
use cwolf_known::{End, FormatArgs, Row, When};
use rustc_hash::FxHashSet;

/// The arguments through which a call writes; none if it may write elsewhere, keep a pointer or
/// call back.
fn written(row: &Row, args: &[Expr], text: impl Fn(&Expr) -> Option<String>) -> Option<Vec<usize>> {
    if !row.accepts(args.len()) || !row.writes_only_args() {
        return None;
    }
    let mut list = row.writes_args();
    if let Some(format) = row.formatted() {
        let stored = match format.args {
            // All that follow, whatever the format says.
            FormatArgs::From(first) if row.scans().is_some() => first..args.len(),
            FormatArgs::From(_) if !stores(&text(args.get(format.param)?)?) => 0..0,
            _ => return None,
        };
        list.extend(stored);
    }
    Some(list)
}

/// Whether a format of `printf` has a conversion that writes, or is none.
fn stores(format: &str) -> bool {
    let stores = |piece: &Piece| matches!(piece, Piece::Conversion(c) if c.letter == 'n');
    format::printf(format.as_bytes()).map_or(true, |pieces| pieces.iter().any(stores))
}

impl Code<'_> {
    /// Makes ⊤ what a function of the C library may write; false if it is none that is known.
    pub(super) fn library_call(&self, call: &Call<'_>, name: &str, env: &mut Scratch) -> bool {
        // Variables that others define may be the library's.
        let declared = |v: &Var| v.definition == Definition::Declared;
        let seen = || self.program.vars.iter().any(declared);
        let row = cwolf_known::lookup(name).filter(|row| !(row.changes_variables() && seen()));
        let args = row.and_then(|row| written(row, call.args, |e| self.text(e)));
        let Some(args) = args else {
            return false;
        };
        for arg in args.iter().filter_map(|n| call.args.get(*n)) {
            self.write_behind(call, arg, env);
        }
        true
    }
    /// Everything behind a pointer in the object that it points into becomes ⊤.
    fn write_behind(&self, call: &Call<'_>, pointer: &Expr, env: &mut Scratch) {
        let context = self.context(call.func, call.block);
        let value = context.eval(env, pointer);
        let mut forget = |var: VarId, from: i128, surely: bool| {
            // What is written only perhaps is not overwritten where the pointer is known better.
            if !surely {
                context.look_at(env, var);
            }
            for slot in context.slots(var).filter(|s| s.overlaps(from, i128::MAX)) {
                if let Home::Global(_) = slot.home {
                    env.set(slot.home, Value::Top);
                }
            }
        };
        if let Some(list) = self.universe.addresses(value) {
            let one = list.len() == 1;
            for address in list {
                if let Target::Object(var) = address.target() {
                    let from = address.offset().map(|n| i128::from(n) * 8);
                    let surely = one && from.is_some();
                    forget(VarId(var), from.unwrap_or(i128::MIN), surely);
                }
            }
            return;
        }
        let mut objects = self.points_to.expr(call.func, call.block, pointer);
        if objects.contains(&Object::Outside) {
            objects.extend(self.points_to.escaped());
        }
        for object in objects {
            if let Object::Var(var) = object {
                forget(var, i128::MIN, false);
            }
        }
    }
}

fn in_library(program: &Program, loc: LocId) -> bool {
    let file = program.locations[loc].file;
    program.locations.file_name(file).starts_with("<library>/")
}

/// The C model of `exit`, if functions may be registered to run in it.
pub(super) fn exit(program: &Program, calls: &CallGraph) -> Option<FuncId> {
    let model = |does: &dyn Fn(&Row) -> bool| {
        let mut models = program
            .funcs
            .enumerate()
            .filter(|(_, f)| f.origin == Origin::Model);
        let found = models.find(|(_, f)| cwolf_known::lookup(&f.name).is_some_and(does));
        found.map(|(id, _)| id)
    };
    let at_exit = |row: &Row| {
        row.calls_later()
            .iter()
            .any(|(_, when)| *when == When::Exit)
    };
    let registers = !calls.callers(model(&at_exit)?).is_empty();
    model(&|row| row.ends() == Some(End::Exit)).filter(|_| registers)
}

/// What that model must know: the status, and the functions that were registered.
pub(super) fn registered(program: &Program, calls: &CallGraph) -> Vec<Cell> {
    let Some(exit) = exit(program, calls) else {
        return Vec::new();
    };
    let file = program.locations[program.funcs[exit].loc].file;
    let mut cells = Vec::new();
    for (var, v) in program.vars.enumerate() {
        if program.locations[v.loc].file != file {
            continue;
        }
        let cell = |ty: TypeId, bit_offset: u64, kind: Kind| Cell {
            var,
            bit_offset,
            ty,
            kind,
        };
        match program.types[v.ty] {
            Type::Int(_) => cells.push(cell(v.ty, 0, Kind::Free)),
            Type::Array { elem, len } => {
                let size = program.types.size_of(elem) * 8;
                cells.extend((0..len).map(|n| cell(elem, n * size, Kind::Pointer)));
            }
            _ => {}
        }
    }
    cells
}

/// In the C models of library functions, the pointers that only hand on what the caller gave: so
/// `memcpy` writes where this call says, and not where any call does. They never move, so no
/// model becomes endless by them.
pub(super) fn handed_on(program: &Program, exposed: &FxHashSet<VarId>) -> Vec<Cell> {
    let mut kept: FxHashSet<VarId> = (program.vars.enumerate())
        .filter(|(id, v)| {
            matches!(v.kind, VarKind::Param(_) | VarKind::Local(_))
                && matches!(program.types[v.ty], Type::Pointer(_))
                && in_library(program, v.loc)
                && !exposed.contains(id)
        })
        .map(|(id, _)| id)
        .collect();
    loop {
        let before = kept.len();
        for stmt in (program.funcs.iter())
            .filter_map(|f| f.body.as_ref())
            .flat_map(|b| b.blocks.iter())
            .flat_map(|b| &b.stmts)
        {
            if let StmtKind::Assign(place, e) = &stmt.kind
                && let Some(var) = place.root()
                && !source(e).is_some_and(|from| kept.contains(&from))
            {
                kept.remove(&var);
            }
        }
        if kept.len() == before {
            break;
        }
    }
    let mut kept: Vec<VarId> = kept.into_iter().collect();
    kept.sort_unstable_by_key(|v| v.index());
    let cell = |var: VarId| Cell {
        var,
        bit_offset: 0,
        ty: program.vars[var].ty,
        kind: Kind::Pointer,
    };
    kept.into_iter().map(cell).collect()
}

/// The variable that an expression is a copy of.
fn source(e: &Expr) -> Option<VarId> {
    match &e.kind {
        ExprKind::Cast(inner) => source(inner),
        ExprKind::Load { place, .. } if place.path.is_empty() => place.root(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::stores;

    #[test]
    fn formats_that_write_are_found() {
        for format in [
            "%n",
            "%d%hhn",
            "100%% %n",
            "%5$ln",
            "%*.3f and %-8ln",
            "%%%n",
        ] {
            assert!(stores(format), "{format}");
        }
        // What is no format may write too.
        for format in ["%", "%y"] {
            assert!(stores(format), "{format}");
        }
        for format in ["", "none", "%d\n", "100%%n", "%s: %5.2f"] {
            assert!(!stores(format), "{format}");
        }
    }
}
