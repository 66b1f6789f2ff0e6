//! Constructors and destructors as code of `main`, for engines that start there: it calls the former
//! first, and ends by `exit`, which runs the latter after all functions that were registered later.
//! That is what the C library does around `main`.

use cwolf_cwi::graph::CallGraph;
use cwolf_cwi::{
    Block, BlockId, Body, Branch, Callee, Expr, ExprKind, FuncId, FuncTy, Function, LocId, Phase,
    Place, Program, Type, TypeId, Types,
};

/// A call: the function, its arguments, the type of its result.
type Called = (FuncId, Vec<Expr>, TypeId);

/// Declares what destructors need, so that its model is linked.
pub(crate) fn declare_exit(program: &mut Program) {
    let Some(main) = program.function("main") else {
        return;
    };
    if program.runs_in(Phase::Destructor).is_empty() {
        return;
    }
    let loc = program.funcs[main].loc;
    let function = |params: Vec<TypeId>, ret: TypeId| {
        Type::Func(FuncTy {
            ret,
            params,
            variadic: false,
        })
    };
    let handler = program.types.intern(function(Vec::new(), Types::VOID));
    let handler = program.types.pointer(handler);
    let at_exit = program.types.intern(function(vec![handler], Types::INT));
    let exit = program
        .types
        .intern(function(vec![Types::INT], Types::VOID));
    declare(program, "atexit", at_exit, false, loc);
    declare(program, "exit", exit, true, loc);
}

fn declare(program: &mut Program, name: &str, ty: TypeId, noreturn: bool, loc: LocId) {
    if program.function(name).is_some() {
        return;
    }
    program.funcs.push(Function {
        noreturn,
        ..Function::declared(name, ty, loc)
    });
}

/// Makes `main` run all of [`Program::startup`], which is empty afterwards. If `main` is called again by
/// the program, or something that would have to run has no code, nothing changes.
pub(crate) fn run_startup(program: &mut Program) {
    let Some(main) = program.function("main") else {
        return;
    };
    let again = !program.startup.is_empty() && !CallGraph::new(program).callers(main).is_empty();
    if program.funcs[main].body.is_none() || again {
        return;
    }
    let Some((first, exit)) = calls(program, main) else {
        return;
    };
    program.startup.clear();
    if first.is_empty() {
        return;
    }
    let mut body = program.funcs[main].body.take().expect("it has code");
    if let Some(exit) = exit {
        for block in body.blocks.iter_mut() {
            end_by(exit, block);
        }
    }
    put_first(&mut body, first);
    program.funcs[main].body = Some(body);
}

/// What is called before the code of `main`, and the function that it ends by if destructors follow.
fn calls(program: &mut Program, main: FuncId) -> Option<(Vec<Called>, Option<FuncId>)> {
    let with_code = |f: &FuncId| program.funcs[*f].body.is_some();
    let before = program.runs_in(Phase::Constructor);
    let after = program.runs_in(Phase::Destructor);
    if !before.iter().chain(&after).all(with_code) {
        return None;
    }
    let mut list = Vec::new();
    let mut exit = None;
    if !after.is_empty() {
        let at_exit = program.function("atexit").filter(with_code)?;
        exit = Some(program.function("exit").filter(with_code)?);
        let handler = match &program.types[program.funcs[at_exit].ty] {
            Type::Func(ty) => *ty.params.first()?,
            _ => return None,
        };
        // The last to run is registered first.
        for func in after.into_iter().rev() {
            let address = Expr {
                ty: handler,
                kind: ExprKind::FuncAddr(func),
            };
            list.push((at_exit, vec![address], Types::INT));
        }
    }
    for func in before {
        list.push(constructor(program, main, func)?);
    }
    Some((list, exit))
}

/// A constructor gets what `main` gets.
fn constructor(program: &Program, main: FuncId, func: FuncId) -> Option<Called> {
    let Type::Func(ty) = &program.types[program.funcs[func].ty] else {
        return None;
    };
    let given = &program.funcs[main].params;
    let mut args = Vec::new();
    for (n, param) in ty.params.iter().enumerate() {
        let var = given.get(n).filter(|v| program.vars[**v].ty == *param)?;
        args.push(Expr::load(Place::var(*param, *var)));
    }
    Some((func, args, ty.ret))
}

/// Ends the program where `main` returns.
fn end_by(exit: FuncId, block: &mut Block) {
    if let Branch::Return(status) = &block.branch {
        let status = status.clone().unwrap_or(Expr::int(Types::INT, 0));
        let status = match status.ty == Types::INT {
            true => status,
            false => Expr::cast(Types::INT, status),
        };
        block.branch = Branch::Call {
            callee: Callee::Direct(exit),
            args: vec![status],
            ret: Types::VOID,
            next: None,
        };
    }
}

/// Puts calls before the first block, which moves: control may come back to it.
fn put_first(body: &mut Body, list: Vec<Called>) {
    let moved = BlockId(body.blocks.len() as u32);
    for block in body.blocks.iter_mut() {
        block.branch.for_each_successor_mut(|b| {
            if *b == Body::ENTRY {
                *b = moved;
            }
        });
    }
    let old = body.blocks[Body::ENTRY].clone();
    let loc = old.loc;
    body.blocks.push(old);
    let count = list.len();
    for (n, (func, args, ret)) in list.into_iter().enumerate() {
        let here = match n {
            0 => Body::ENTRY,
            _ => BlockId(moved.0 + n as u32),
        };
        let next = match n + 1 == count {
            true => moved,
            false => BlockId(moved.0 + n as u32 + 1),
        };
        let block = Block {
            stmts: Vec::new(),
            loc,
            branch: Branch::Call {
                callee: Callee::Direct(func),
                args,
                ret,
                next: Some(next),
            },
        };
        match here == Body::ENTRY {
            true => body.blocks[here] = block,
            false => drop(body.blocks.push(block)),
        }
    }
}
