//! Code for a known function that has none, made from its row: it demands what the row requires,
//! changes what the row says, and returns any of what the row allows. What the library allocates or
//! opens is an object with a life of its own.

mod changes;
mod descriptors;
mod errno;
mod maker;
mod memory;
mod prints;
mod results;
mod scans;

use crate::checks::Bound;
use crate::glue::plain_function;
use cwolf_cwi::{
    Branch, CheckKind, Definition, Expr, FuncId, Origin, Place, Program, Type, Types, VarId,
    VarKind,
};
use cwolf_known::Row;
pub(crate) use descriptors::approximate;
pub(crate) use errno::errno_location;
use maker::Maker;
pub(crate) use maker::declared;
pub(crate) use memory::{ROOM as HANDLE_ROOM, handle_start};

/// How much of what a stub does is freedom that the real function has too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Freedom {
    /// All: input, time, the environment. Every run chooses.
    Open,
    /// None: the real function does one of these things, and the interpreter knows which.
    Approximation,
}

/// The row of a function that the program declares as the row says.
pub fn known_row(program: &Program, func: FuncId) -> Option<&'static Row> {
    let function = &program.funcs[func];
    let row = cwolf_known::lookup(&function.name)?;
    let Type::Func(ty) = &program.types[function.ty] else {
        return None;
    };
    let old_style = ty.params.is_empty() && ty.variadic;
    let alike = ty.params.len() == row.prototype.params.len();
    (alike && !old_style).then_some(row)
}

/// A new function that puts an open handle, as `row` makes them, into each of the variables.
pub(crate) fn opener(program: &mut Program, row: &Row, vars: &[VarId]) -> FuncId {
    let loc = program.vars[vars[0]].loc;
    let func = plain_function(program, "__cwolf_open_streams", loc);
    let mut maker = Maker::new(program, func, row, &[]);
    for var in vars {
        let ty = maker.program.vars[*var].ty;
        let handle = maker.handle(ty);
        maker.assign(Place::var(ty, *var), handle);
    }
    maker.seal(Branch::Return(None));
    maker.finish();
    func
}

/// Gives `func` a body made from its row. `bound` is what its format says, if that can be read. Whether
/// the body demands all that the row requires.
pub fn known_stub(
    program: &mut Program,
    func: FuncId,
    row: &Row,
    kinds: &[CheckKind],
    bound: Option<&Bound>,
    freedom: Freedom,
) -> bool {
    let Type::Func(ty) = program.types[program.funcs[func].ty].clone() else {
        return false;
    };
    let loc = program.funcs[func].loc;
    let params: Vec<VarId> = ty
        .params
        .iter()
        .enumerate()
        .map(|(n, ty)| {
            let name = row.prototype.params.get(n);
            let name = name.map_or(format!("argument{}", n + 1), |p| p.name.clone());
            program.add_variable(name, *ty, VarKind::Param(func), loc)
        })
        .collect();
    let load = |v: &VarId| Expr::load(Place::var(program.vars[*v].ty, *v));
    let args: Vec<Expr> = params.iter().map(load).collect();
    let mut maker = Maker::new(program, func, row, &args);
    let complete = maker.demands(kinds);
    let unbounded = bound.is_some_and(|b| b.unbounded);
    if unbounded && row.is_defined() && kinds.contains(&CheckKind::Bounds) {
        let fits = maker.choose(Types::INT);
        maker.assert(CheckKind::Bounds, "the input fits in its buffer", fits);
    }
    let count = maker.prints(bound, kinds);
    maker.effects();
    match bound {
        Some(bound) if row.scans().is_some() && maker.is_integer(ty.ret) => {
            maker.scans(ty.ret, bound);
        }
        _ => {
            maker.stores(bound);
            maker.result(ty.ret, count);
        }
    }
    maker.finish();
    let function = &mut program.funcs[func];
    function.params = params;
    function.definition = Definition::Defined;
    function.origin = match freedom {
        Freedom::Open => Origin::Stub,
        Freedom::Approximation => Origin::Approximation,
    };
    complete
}
