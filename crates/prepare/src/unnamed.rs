//! Arguments that a function without a body has no parameter for: those of `f(const char *, ...)`
//! and of `f()`. Its stub cannot see them, so what they point to changes where it is called.

use crate::given::{holds_pointer, numbers, pointers};
use cwolf_cwi::graph::{Call, CallGraph};
use cwolf_cwi::{
    BinOp, Block, BlockId, Body, Branch, Callee, Expr, ExprKind, FuncId, Place, Program, Stmt,
    StmtKind, Type, TypeId, Types, VarKind,
};
use rustc_hash::FxHashSet;

/// Lets calls of `missing` functions change what their unnamed arguments point to.
pub(crate) fn arguments(
    program: &mut Program,
    missing: &[FuncId],
    graph: &CallGraph,
    addresses: &FxHashSet<(FuncId, usize)>,
) {
    for call in graph.calls() {
        let mut open: Vec<FuncId> = call.targets.clone();
        open.retain(|f| missing.contains(f) && !unnamed(program, call, *f, addresses).is_empty());
        if !open.is_empty() {
            rewrite(program, call, &open, addresses);
        }
    }
}

/// Which arguments of a call are pointers, or numbers that are addresses, that `target` has no parameter for.
fn unnamed(
    program: &Program,
    call: &Call,
    target: FuncId,
    addresses: &FxHashSet<(FuncId, usize)>,
) -> Vec<usize> {
    let named = match &program.types[program.funcs[target].ty] {
        Type::Func(ty) => ty.params.len(),
        _ => 0,
    };
    let Branch::Call { args, .. } = &branch(program, call) else {
        return Vec::new();
    };
    let given =
        |n: &usize| holds_pointer(program, args[*n].ty) || addresses.contains(&(target, *n));
    (named..args.len()).filter(given).collect()
}

fn branch<'p>(program: &'p Program, call: &Call) -> &'p Branch {
    let body = program.funcs[call.caller].body.as_ref();
    &body.expect("it calls").blocks[call.block].branch
}

/// Evaluates the arguments first, then changes what they point to, then calls.
fn rewrite(
    program: &mut Program,
    call: &Call,
    open: &[FuncId],
    addresses: &FxHashSet<(FuncId, usize)>,
) {
    let Branch::Call {
        callee,
        args,
        ret,
        next,
    } = branch(program, call).clone()
    else {
        return;
    };
    let changes: Vec<Vec<usize>> = open
        .iter()
        .map(|f| unnamed(program, call, *f, addresses))
        .collect();
    let void = program.types.pointer(Types::VOID);
    let mut body = program.funcs[call.caller].body.take().expect("it calls");
    let loc = body.blocks[call.block].loc;
    let mut keep = |value: Expr, stmts: &mut Vec<Stmt>| {
        let name = "argument".to_owned();
        let var = program.add_variable(name, value.ty, VarKind::Local(call.caller), loc);
        program.funcs[call.caller].locals.push(var);
        let place = Place::var(value.ty, var);
        stmts.push(Stmt {
            loc,
            kind: StmtKind::Assign(place.clone(), value),
        });
        Expr::load(place)
    };
    let stmts = &mut body.blocks[call.block].stmts;
    let args: Vec<Expr> = args.into_iter().map(|a| keep(a, stmts)).collect();
    let callee = match callee {
        Callee::Indirect(e) if !call.direct => Callee::Indirect(keep(e, stmts)),
        by_name => by_name,
    };
    let mut at = call.block;
    for (target, positions) in open.iter().zip(&changes) {
        let test = at;
        if let (Callee::Indirect(pointer), false) = (&callee, call.direct) {
            let cond = is_function(void, pointer, *target);
            let branch = |then| Branch::If {
                cond,
                then,
                els: then,
            };
            at = enter(&mut body, at, branch);
        }
        for ptr in positions
            .iter()
            .flat_map(|n| pointers_of(program, &args[*n]))
        {
            let kind = StmtKind::Havoc { ptr, size: None };
            body.blocks[at].stmts.push(Stmt { loc, kind });
        }
        // Another function's arguments stay as they are.
        if !call.direct {
            at = enter(&mut body, at, Branch::Goto);
            if let Branch::If { els, .. } = &mut body.blocks[test].branch {
                *els = at;
            }
        }
    }
    body.blocks[at].branch = Branch::Call {
        callee,
        args,
        ret,
        next,
    };
    program.funcs[call.caller].body = Some(body);
}

/// What an argument gives away: its pointers, or itself if it is a number that is an address.
fn pointers_of(program: &mut Program, arg: &Expr) -> Vec<Expr> {
    match holds_pointer(program, arg.ty) {
        true => pointers(program, arg),
        false => numbers(program, arg),
    }
}

/// A new block, which `branch` leads to from block `at`.
fn enter(body: &mut Body, at: BlockId, branch: impl FnOnce(BlockId) -> Branch) -> BlockId {
    let next = BlockId(body.blocks.len() as u32);
    body.blocks[at].branch = branch(next);
    body.blocks.push(Block {
        stmts: Vec::new(),
        loc: body.blocks[at].loc,
        branch: Branch::Goto(next),
    });
    next
}

/// `pointer == &target`
fn is_function(void: TypeId, pointer: &Expr, target: FuncId) -> Expr {
    let address = Expr {
        ty: pointer.ty,
        kind: ExprKind::FuncAddr(target),
    };
    Expr::binary(
        BinOp::Eq,
        Expr::cast(void, pointer.clone()),
        Expr::cast(void, address),
    )
}
