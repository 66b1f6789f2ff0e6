//! Functions without a body get one: what their row in the table of known functions says, or else
//! anything that C lets them do.

use crate::given::{holds_pointer, pointers};
use crate::property::Kind;
use crate::stubs::{Freedom, known_row, known_stub};
use crate::subject::{Assumption, Extern, PrepareError};
use crate::variable::{assign_unknown, variable};
use crate::{Printed, unnamed};
use cwolf_cwi::graph::CallGraph;
use cwolf_cwi::{
    Block, Body, Branch, Definition, Expr, FuncId, Origin, Place, Program, Stmt, StmtKind, Type,
    TypeId, Types, VarId, VarKind,
};
use cwolf_known::Row;

/// Whether a function without a body is a word of verification, or one that engines do themselves.
fn is_primitive(program: &Program, func: FuncId) -> bool {
    let name = program.funcs[func].name.as_str();
    // Nobody follows threads, processes, handlers and other stacks.
    let elsewhere = |row: &Row| row.starts_something() || row.returns_twice();
    let word = |row: &Row| row.is_word() && !row.changes_memory();
    let known = |row: &Row| word(row) || elsewhere(row) || row.primitive().is_some();
    name.starts_with("__cwolf_") || cwolf_known::lookup(name).is_some_and(known)
}

/// What is known of a function without a body, and how its stub runs. Of a function that is defined
/// by its arguments, and that the interpreter cannot run, no failure is believed ([`invented`]).
fn known(program: &Program, func: FuncId) -> Option<(&'static Row, Freedom)> {
    let row = known_row(program, func)?;
    let native = cwolf_interp::is_native(&program.funcs[func].name);
    match (row.is_open() || row.chooses(), native) {
        (true, _) => Some((row, Freedom::Open)),
        (false, true) => Some((row, Freedom::Approximation)),
        (false, false) => Some((row, Freedom::Open)),
    }
}

/// Those of the functions that have stubs whose results the real library defines.
pub(crate) fn invented(program: &Program, stubs: &[FuncId]) -> Vec<FuncId> {
    let defined = |f: &&FuncId| known_row(program, **f).is_some_and(Row::is_defined);
    stubs.iter().filter(defined).copied().collect()
}

/// Gives functions without a body one, as `externs` says.
pub(crate) fn close_externs(
    program: &mut Program,
    entry: FuncId,
    how: &Outside<'_>,
    assumptions: &mut Vec<Assumption>,
    uncovered: &mut Vec<String>,
) -> Result<Vec<FuncId>, PrepareError> {
    let externs = how.externs;
    let graph = CallGraph::new(program);
    let absent: Vec<FuncId> = graph
        .reachable(&[entry])
        .into_iter()
        .filter(|f| {
            let function = &program.funcs[*f];
            let absent = function.body.is_none() && function.refused.is_none();
            absent && function.alias.is_none() && !is_primitive(program, *f)
        })
        .collect();
    let (rows, missing): (Vec<_>, Vec<_>) = absent
        .into_iter()
        .map(|f| (f, known(program, f)))
        .partition(|(_, row)| row.is_some());
    let missing: Vec<FuncId> = missing.into_iter().map(|(f, _)| f).collect();
    if externs == Extern::Error && !missing.is_empty() {
        let describe = |f: &FuncId| {
            let function = &program.funcs[*f];
            let place = program.locations.describe(function.loc);
            format!("{} ({place})", function.name)
        };
        let all: Vec<String> = missing.iter().map(describe).collect();
        return Err(PrepareError::Extern(all.join(", ")));
    }
    for func in &missing {
        let function = &program.funcs[*func];
        let words = match externs {
            Extern::Havoc if takes_pointer(program, *func) => {
                "has no body: it returns any value and may write what its arguments point to"
            }
            Extern::Havoc => "has no body: it returns any value and changes nothing else",
            Extern::Pure | Extern::Error => {
                "has no body: it returns any value and changes nothing (--extern=pure)"
            }
        };
        assumptions.push(Assumption {
            text: format!("{} {words}", function.name),
            place: Some(function.loc),
        });
    }
    for func in &missing {
        stub(program, *func, externs);
    }
    let mut chosen = missing.clone();
    for (func, row) in rows {
        let Some((row, freedom)) = row else { continue };
        let printed = how.printed.get(&func);
        known_stub(program, func, row, how.kinds, printed, freedom);
        if freedom == Freedom::Open {
            chosen.push(func);
        }
    }
    if externs == Extern::Havoc {
        unnamed::arguments(program, &missing, &graph);
    }
    let calls_back = |f: &&FuncId| takes_function(program, **f);
    let backs = chosen.iter().filter(calls_back);
    uncovered.extend(backs.map(|f| format!("what {} calls", program.funcs[*f].name)));
    Ok(chosen)
}

/// Whether a function is given functions of the program, which it may call.
fn takes_function(program: &Program, func: FuncId) -> bool {
    let function = |ty: &TypeId| {
        let to = program.types.pointee(*ty);
        to.is_some_and(|to| matches!(program.types[to], Type::Func(_)))
    };
    match &program.types[program.funcs[func].ty] {
        Type::Func(ty) => ty.params.iter().any(function),
        _ => false,
    }
}

/// What is known of code outside the program.
pub(crate) struct Outside<'o> {
    pub(crate) externs: Extern,
    /// Kinds that are checked.
    pub(crate) kinds: &'o [Kind],
    /// How much calls print at most.
    pub(crate) printed: &'o Printed,
}

fn takes_pointer(program: &Program, func: FuncId) -> bool {
    match &program.types[program.funcs[func].ty] {
        Type::Func(ty) => ty.variadic || ty.params.iter().any(|p| holds_pointer(program, *p)),
        _ => false,
    }
}

/// The body of a function that does anything it may.
fn stub(program: &mut Program, func: FuncId, externs: Extern) {
    let Type::Func(ty) = program.types[program.funcs[func].ty].clone() else {
        return;
    };
    let loc = program.funcs[func].loc;
    let params: Vec<VarId> = ty
        .params
        .iter()
        .enumerate()
        .map(|(n, ty)| {
            let kind = VarKind::Param(func);
            variable(program, format!("argument{}", n + 1), *ty, kind, loc)
        })
        .collect();
    let mut body = Body::default();
    body.regs.push(Types::VOID);
    let mut stmts = Vec::new();
    if externs == Extern::Havoc {
        for param in &params {
            let value = Expr::load(Place::var(program.vars[*param].ty, *param));
            for ptr in pointers(program, &value) {
                let kind = StmtKind::Havoc { ptr, size: None };
                stmts.push(Stmt { loc, kind });
            }
        }
    }
    let mut locals = Vec::new();
    let mut value = None;
    if !matches!(program.types[ty.ret], Type::Void) {
        let kind = VarKind::Local(func);
        let var = variable(program, "result".into(), ty.ret, kind, loc);
        locals.push(var);
        let place = Place::var(ty.ret, var);
        stmts.push(assign_unknown(place.clone(), loc));
        value = Some(Expr::load(place));
    }
    let branch = match program.funcs[func].noreturn {
        true => Branch::Halt(Expr::int(Types::INT, 1)),
        false => Branch::Return(value),
    };
    body.blocks.push(Block { stmts, loc, branch });
    let function = &mut program.funcs[func];
    function.params = params;
    function.locals = locals;
    function.body = Some(body);
    function.definition = Definition::Defined;
    function.origin = Origin::Stub;
}
