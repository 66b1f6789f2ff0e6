//! Checks as branches, for an engine that sees calls: where an `Assert` is false, control comes to a block that calls
//! one function, the failure. Blocks keep their numbers, and what follows an `Assert` gets a new one.

use crate::glue::plain_function;
use crate::heap::name_allocations;
use crate::passes::pass;
use crate::return_records::return_records;
use cwolf_cwi::graph::Analysed;
use cwolf_cwi::{
    Block, BlockId, Body, Branch, Callee, CheckId, Expr, ExprKind, FuncId, Place, Program, RESULT,
    Stmt, StmtKind, TypeId, Types, VarKind,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// The name of the function whose call is the failure.
const FAILURE: &str = "__cwolf_failure";

/// A closed program whose failures are calls.
#[derive(Debug)]
pub struct Branching {
    /// The program, for whoever follows its runs.
    pub closed: Analysed,
    /// The same for the abstract machine: it has variables for allocated objects, and no registers that hold structs.
    pub program: Analysed,
    /// Functions whose call is a failure.
    pub failures: Vec<FuncId>,
    /// The blocks that call the failure, each with its check.
    pub checks: FxHashMap<(FuncId, BlockId), CheckId>,
}

/// Makes a closed program's failures calls. To call one of `errors` is one as well; what is `aside` is assumed to
/// hold. `newest` allocated objects of each call are told apart.
pub fn branch_on_checks(
    program: &Analysed,
    errors: &[FuncId],
    aside: &FxHashSet<CheckId>,
    newest: usize,
) -> Branching {
    let chosen = program.chosen();
    let mut own = Program::clone(program);
    let mut checks = FxHashMap::default();
    let failure = pass("branch_on_checks", &mut own, |own| {
        branch(own, errors, aside, &mut checks)
    });
    let closed = own.clone();
    pass("return_records", &mut own, return_records);
    pass("name_allocations", &mut own, |p| {
        name_allocations(p, newest);
    });
    let mut failures = errors.to_vec();
    failures.push(failure);
    Branching {
        closed: Analysed::from(closed).choosing(chosen),
        program: Analysed::from(own).choosing(chosen),
        failures,
        checks,
    }
}

fn branch(
    program: &mut Program,
    errors: &[FuncId],
    aside: &FxHashSet<CheckId>,
    checks: &mut FxHashMap<(FuncId, BlockId), CheckId>,
) -> FuncId {
    let loc = program.funcs.iter().next().map(|f| f.loc);
    let loc = loc.expect("a program has functions");
    let failure = plain_function(program, FAILURE, loc);
    for func in errors.iter().copied().chain([failure]) {
        let loc = program.funcs[func].loc;
        let body = Body::new(vec![halt(loc)]);
        let function = &mut program.funcs[func];
        function.alias = None;
        function.definition = cwolf_cwi::Definition::Defined;
        function.body = Some(body);
    }
    for func in errors {
        give_parameters(program, *func);
    }
    for func in program.funcs.ids() {
        let Some(mut body) = program.funcs[func].body.take() else {
            continue;
        };
        for block in body.blocks.ids() {
            if body.blocks[block].stmts.iter().any(is_assert) {
                keep_result(program, func, &mut body, block);
                split(func, &mut body, block, (failure, aside), checks);
            }
        }
        program.funcs[func].body = Some(body);
    }
    failure
}

fn is_assert(stmt: &Stmt) -> bool {
    matches!(stmt.kind, StmtKind::Assert { .. })
}

fn halt(loc: cwolf_cwi::LocId) -> Block {
    Block {
        stmts: Vec::new(),
        loc,
        branch: Branch::Halt(Expr::int(Types::INT, 1)),
    }
}

/// A function with a body has the parameters that its type says.
fn give_parameters(program: &mut Program, func: FuncId) {
    let cwolf_cwi::Type::Func(ty) = program.types[program.funcs[func].ty].clone() else {
        return;
    };
    let loc = program.funcs[func].loc;
    let params = ty.params.iter().enumerate().map(|(n, ty)| {
        let name = format!("argument{}", n + 1);
        program.add_variable(name, *ty, VarKind::Param(func), loc)
    });
    program.funcs[func].params = params.collect();
}

/// Only a block that calls lead to may read a result: the parts of a split one read a copy.
fn keep_result(program: &mut Program, func: FuncId, body: &mut Body, block: BlockId) {
    let mut ty: Option<TypeId> = None;
    body.blocks[block].for_each_expr(&mut |e| {
        e.walk(&mut |e| {
            if e.kind == ExprKind::Reg(RESULT) {
                ty = Some(e.ty);
            }
        });
    });
    let Some(ty) = ty else { return };
    let loc = body.blocks[block].loc;
    let result = Expr::reg(ty, RESULT);
    let (keep, copy) = match program.types.is_scalar(ty) {
        true => {
            let reg = body.regs.push(ty);
            (StmtKind::SetReg(reg, result), Expr::reg(ty, reg))
        }
        false => {
            let name = format!("result#{}", block.0);
            let var = program.add_variable(name, ty, VarKind::Temp(func), loc);
            program.funcs[func].locals.push(var);
            let place = Place::var(ty, var);
            (StmtKind::Assign(place.clone(), result), Expr::load(place))
        }
    };
    let mut replace = |e: &mut Expr| {
        if e.kind == ExprKind::Reg(RESULT) {
            *e = copy.clone();
        }
    };
    let code = &mut body.blocks[block];
    for stmt in &mut code.stmts {
        stmt.kind
            .for_each_expr_mut(&mut |e| e.walk_mut(&mut replace));
    }
    (code.branch).for_each_expr_mut(&mut |e| e.walk_mut(&mut replace));
    code.stmts.insert(0, Stmt { loc, kind: keep });
}

/// Cuts a block at its checks.
fn split(
    func: FuncId,
    body: &mut Body,
    block: BlockId,
    (failure, aside): (FuncId, &FxHashSet<CheckId>),
    checks: &mut FxHashMap<(FuncId, BlockId), CheckId>,
) {
    let code = &mut body.blocks[block];
    let last = code.loc;
    let branch = std::mem::replace(&mut code.branch, Branch::Return(None));
    let stmts = std::mem::take(&mut code.stmts);
    let mut at = block;
    for stmt in stmts {
        let StmtKind::Assert { check, cond } = stmt.kind else {
            body.blocks[at].stmts.push(stmt);
            continue;
        };
        let mut fails = halt(stmt.loc);
        if !aside.contains(&check) {
            fails.branch = Branch::Call {
                callee: Callee::Direct(failure),
                args: Vec::new(),
                ret: Types::VOID,
                next: None,
            };
        }
        let els = body.blocks.push(fails);
        if !aside.contains(&check) {
            checks.insert((func, els), check);
        }
        let then = body.blocks.push(halt(last));
        body.blocks[at].loc = stmt.loc;
        body.blocks[at].branch = Branch::If { cond, then, els };
        at = then;
    }
    body.blocks[at].branch = branch;
}
