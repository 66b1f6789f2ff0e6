//! Types such as `FILE` and `DIR`: nobody but the library makes objects of them, so callers pass what the library returned.

use super::Maker;
use super::caller::{Alternative, Passed};
use crate::stubs::{HANDLE_ROOM, declared, handle_start};
use cwolf_cwi::{
    BlockId, Branch, Callee, Expr, ExprKind, Place, Program, RESULT, Type, TypeId, Types,
};
use cwolf_known::{Path, Requirement, Row};
use rustc_hash::FxHashMap;

/// The types that handles lead to, with the kind of handle, as far as functions that the program declares want such handles.
pub(super) fn handle_types(program: &Program) -> FxHashMap<TypeId, usize> {
    let mut found = FxHashMap::default();
    for (id, function) in program.funcs.enumerate() {
        let (Some(row), Type::Func(ty)) = (program.known(id), &program.types[function.ty]) else {
            continue;
        };
        for param in handles(row) {
            let to = ty.params.get(param).and_then(|p| program.types.pointee(*p));
            if let Some(to) = to.filter(|to| program.types.as_record(*to).is_some()) {
                found.insert(to, row.handle_kind(param));
            }
        }
    }
    found
}

/// The parameters that must be handles which the library made.
fn handles(row: &Row) -> impl Iterator<Item = usize> {
    let wanted = row.requires.iter().filter_map(|r| match r {
        Requirement::Handle(at) if at.path == Path::Itself => Some(at.param),
        _ => None,
    });
    wanted.filter(|param| row.is_made_by_library(*param))
}

/// A handle that was passed for a parameter.
pub(super) struct Handed {
    parameter: usize,
    name: String,
    to: TypeId,
    pointer: Expr,
}

impl Maker<'_> {
    /// A parameter that is a handle: open, null unless `not_null`, or the same as one before it unless `apart` says no.
    pub(super) fn handle_parameter(
        &mut self,
        (n, name, ty): (usize, &str, TypeId),
        not_null: bool,
        apart: impl Fn(&str) -> bool,
    ) -> (Expr, Passed) {
        let to = self.program.types.pointee(ty).expect("a pointer");
        let own = self.open_handle(name, ty, to);
        let mut ways = vec![(Alternative::Outside, own.clone())];
        if !not_null {
            ways.push((Alternative::Null, Expr::int(ty, 0)));
        }
        if !apart(name) {
            let others = self.handed.iter().filter(|h| h.to == to && !apart(&h.name));
            let same = others.map(|h| (Alternative::Argument(h.parameter), h.pointer.clone()));
            ways.extend(same);
        }
        self.handed.push(Handed {
            parameter: n,
            name: name.to_owned(),
            to,
            pointer: own,
        });
        let place = self.local(name, ty);
        let place = Place::var(ty, place);
        let which = self.one_of(place.clone(), ways.iter().map(|(_, e)| e.clone()).collect());
        let passed = Passed {
            object: None,
            which,
            ways: ways.into_iter().map(|(way, _)| way).collect(),
        };
        (Expr::load(place), passed)
    }

    /// A handle that is open and that nothing else leads to.
    pub(super) fn open_handle(&mut self, name: &str, ty: TypeId, to: TypeId) -> Expr {
        let start = handle_start(self.handles[&to]);
        let complete = match self.program.types[to] {
            Type::Record(record) => self.program.types.records[record].complete,
            _ => false,
        };
        let room = match complete {
            true => self.program.types.size_of(to).max(HANDLE_ROOM),
            false => HANDLE_ROOM,
        };
        let word = self.program.target().word(false);
        let word = self.program.types.intern(Type::Int(word));
        let memory = self.allocated(Expr::int(word, (room + start).into()));
        let signed = self.program.target().word(true);
        let signed = self.program.types.intern(Type::Int(signed));
        let handle = Expr {
            ty: memory.ty,
            kind: ExprKind::PtrAdd {
                ptr: Box::new(memory),
                index: Box::new(Expr::int(signed, start.into())),
                scale: 1,
            },
        };
        let place = self.local(&format!("{name}_handle"), ty);
        let place = Place::var(ty, place);
        self.assign(place.clone(), Expr::cast(ty, handle));
        Expr::load(place)
    }

    /// New memory of so many bytes; what the result register holds is to be used at once.
    pub(super) fn allocated(&mut self, size: Expr) -> Expr {
        let word = size.ty;
        let void = self.program.types.pointer(Types::VOID);
        let malloc = declared(self.program, "__builtin_malloc", vec![word], void, self.loc);
        let next = Some(BlockId(self.here().0 + 1));
        self.end_block(Branch::Call {
            callee: Callee::Direct(malloc),
            args: vec![size],
            ret: void,
            next,
        });
        Expr::reg(void, RESULT)
    }
}
