//! Calls: recursion, unnamed arguments, conversions, function pointers, jumps, callbacks.

use super::build::*;
use crate::{ErrorKind as E, Outcome};
use cwolf_cwi::*;

#[test]
fn recursion() {
    // f(n) = n < 2 ? n : f(n - 1) + f(n - 2)
    let mut b = Build::new(Target::X86_64);
    let mut f = b.function("f", INT, &[INT], false);
    let id = f.id;
    let n = b.var("n", INT, VarKind::Param(id));
    let t = b.var("t", INT, VarKind::Local(id));
    let cond = Expr::binary(BinOp::Lt, b.load(n), int(2));
    let (then, els) = (BlockId(1), BlockId(2));
    b.block(&mut f, vec![], Branch::If { cond, then, els });
    let result = b.load(n);
    b.block(&mut f, vec![], Branch::Return(Some(result)));
    let less = Expr::binary(BinOp::Sub, b.load(n), int(1));
    b.block(&mut f, vec![], call(id, vec![less], INT, 3));
    let keep = vec![StmtKind::Assign(b.place(t), Expr::reg(INT, RESULT))];
    let less = Expr::binary(BinOp::Sub, b.load(n), int(2));
    b.block(&mut f, keep, call(id, vec![less], INT, 4));
    let sum = Expr::binary(BinOp::Add, b.load(t), Expr::reg(INT, RESULT));
    b.block(&mut f, vec![], Branch::Return(Some(sum)));
    b.finish(f);
    let mut main = b.main();
    b.block(&mut main, vec![], call(id, vec![int(12)], INT, 1));
    b.block(
        &mut main,
        vec![],
        Branch::Return(Some(Expr::reg(INT, RESULT))),
    );
    b.finish(main);
    exits(&b.program, 144);
}

/// Unnamed arguments lie one after the other, each at a multiple of the pointer size.
#[test]
fn varargs_area() {
    for (target, step) in [(Target::X86_64, 8), (Target::I386, 4)] {
        let mut b = Build::new(target);
        let char_ty = Types::CHAR;
        let mut f = b.function("f", INT, &[INT], true);
        b.var("count", INT, VarKind::Param(f.id));
        let pointer = b.program.types.pointer(INT);
        let word = b.word();
        let area = Expr {
            ty: pointer,
            kind: ExprKind::VarArgs,
        };
        let at = |n: i128| Expr {
            ty: pointer,
            kind: ExprKind::PtrAdd {
                ptr: Box::new(area.clone()),
                index: Box::new(Expr::int(word, n * step)),
                scale: 1,
            },
        };
        let (first, third) = (b.deref(at(0)), b.deref(at(2)));
        let sum = Expr::binary(BinOp::Add, Expr::load(first), Expr::load(third));
        b.block(&mut f, vec![], Branch::Return(Some(sum)));
        let f = b.finish(f);
        let mut main = b.main();
        let args = vec![int(3), int(10), Expr::int(char_ty, 99), int(32)];
        b.block(&mut main, vec![], call(f, args, INT, 1));
        b.block(
            &mut main,
            vec![],
            Branch::Return(Some(Expr::reg(INT, RESULT))),
        );
        b.finish(main);
        exits(&b.program, 42);
    }
}

/// A call without a prototype passes what the body takes; a missing argument is indeterminate.
#[test]
fn unprototyped() {
    let make = |args: Vec<Expr>| {
        let mut b = Build::new(Target::X86_64);
        let long = b.program.types.int(64, true);
        let mut f = b.function("f", INT, &[], true);
        let p = b.var("p", long, VarKind::Param(f.id));
        let cond = b.load(p);
        let (then, els) = (BlockId(1), BlockId(2));
        b.block(&mut f, vec![], Branch::If { cond, then, els });
        let value = Expr::cast(INT, b.load(p));
        b.block(&mut f, vec![], Branch::Return(Some(value)));
        b.block(&mut f, vec![], Branch::Return(Some(int(0))));
        let f = b.finish(f);
        let mut main = b.main();
        b.block(&mut main, vec![], call(f, args, INT, 1));
        b.block(
            &mut main,
            vec![],
            Branch::Return(Some(Expr::reg(INT, RESULT))),
        );
        b.finish(main);
        b.program
    };
    exits(&make(vec![int(-1)]), 255);
    fails(&make(vec![]), E::Uninitialised, "in f at");
}

#[test]
fn through_pointers() {
    for target in [Target::X86_64, Target::I386] {
        let mut b = Build::new(target);
        let mut f = b.function("f", INT, &[INT], false);
        let p = b.var("p", INT, VarKind::Param(f.id));
        let value = Expr::binary(BinOp::Add, b.load(p), int(1));
        b.block(&mut f, vec![], Branch::Return(Some(value)));
        let f = b.finish(f);
        let ty = b.program.funcs[f].ty;
        let pointer = b.program.types.pointer(ty);
        let g = b.global("g", pointer);
        b.program.vars[g].init.push(InitItem {
            bit_offset: 0,
            ty: pointer,
            value: InitValue::Func(f),
        });
        let mut main = b.main();
        let branch = Branch::Call {
            callee: Callee::Indirect(b.load(g)),
            args: vec![int(41)],
            ret: INT,
            next: Some(BlockId(1)),
        };
        b.block(&mut main, vec![], branch);
        b.block(
            &mut main,
            vec![],
            Branch::Return(Some(Expr::reg(INT, RESULT))),
        );
        b.finish(main);
        exits(&b.program, 42);
    }
}

/// `setjmp`, then either a jump from a deeper call or one after the function has returned.
#[test]
fn jumps() {
    for dead in [false, true] {
        let mut b = Build::new(Target::X86_64);
        let buffer_ty = b.program.types.array(Types::CHAR, 200);
        let buffer = b.global("buffer", buffer_ty);
        let first = b.first(buffer, Types::CHAR);
        let setjmp = b.declare("_setjmp", INT, &[first.ty], false);
        let longjmp = b.declare("longjmp", Types::VOID, &[first.ty, INT], false);
        let mut jump = b.function("jump", Types::VOID, &[], false);
        let args = vec![first.clone(), int(7)];
        let branch = Branch::Call {
            callee: Callee::Direct(longjmp),
            args,
            ret: Types::VOID,
            next: None,
        };
        b.block(&mut jump, vec![], branch);
        let jump = b.finish(jump);
        let mut save = b.function("save", INT, &[], false);
        b.block(&mut save, vec![], call(setjmp, vec![first], INT, 1));
        let (then, els) = (BlockId(2), BlockId(3));
        let cond = Expr::reg(INT, RESULT);
        b.block(&mut save, vec![], Branch::If { cond, then, els });
        b.block(
            &mut save,
            vec![],
            Branch::Return(Some(Expr::reg(INT, RESULT))),
        );
        match dead {
            false => b.block(&mut save, vec![], call(jump, vec![], Types::VOID, 2)),
            true => b.block(&mut save, vec![], Branch::Return(Some(int(1)))),
        };
        let save = b.finish(save);
        let mut main = b.main();
        b.block(&mut main, vec![], call(save, vec![], INT, 1));
        match dead {
            false => {
                let result = Expr::reg(INT, RESULT);
                b.block(&mut main, vec![], Branch::Return(Some(result)));
            }
            true => {
                b.block(&mut main, vec![], call(jump, vec![], Types::VOID, 0));
            }
        }
        b.finish(main);
        match dead {
            false => exits(&b.program, 7),
            true => fails(&b.program, E::BadJump, "has returned"),
        }
    }
}

/// Open values come from the oracle in order, converted to the type that is asked for.
#[test]
fn open_values() {
    let mut b = Build::new(Target::X86_64);
    let byte = b.program.types.int(8, false);
    let nondet = b.declare("__VERIFIER_nondet_uchar", byte, &[], false);
    let mut main = b.main();
    let x = b.var("x", INT, VarKind::Local(main.id));
    let unknown = Expr {
        ty: INT,
        kind: ExprKind::Choose,
    };
    let stmts = vec![StmtKind::Assign(b.place(x), unknown)];
    b.block(&mut main, stmts, call(nondet, vec![], byte, 1));
    let sum = Expr::binary(
        BinOp::Add,
        b.load(x),
        Expr::cast(INT, Expr::reg(byte, RESULT)),
    );
    b.block(&mut main, vec![], Branch::Return(Some(sum)));
    b.finish(main);
    assert_eq!(run_with(&b.program, &[5, 256 + 2], "").0, Outcome::Exit(7));
    assert_eq!(run_with(&b.program, &[], "").0, Outcome::Exit(0));
}

/// More calls with a frame object than there are places kept for dead ones: places are used
/// again, and old pointers are still found out.
#[test]
fn frame_objects_are_recycled() {
    for target in [Target::X86_64, Target::I386] {
        let mut b = Build::new(target);
        let pointer = b.program.types.pointer(INT);
        let kept = b.global("kept", pointer);
        let mut f = b.function("f", Types::VOID, &[], false);
        let x = b.var("x", INT, VarKind::Local(f.id));
        let address = b.address(x);
        let (then, els) = (BlockId(1), BlockId(2));
        let cond = b.load(kept);
        b.block(
            &mut f,
            vec![StmtKind::Assign(b.place(x), int(1))],
            Branch::If {
                cond,
                then: els,
                els: then,
            },
        );
        let keep = vec![StmtKind::Assign(b.place(kept), address)];
        b.block(&mut f, keep, Branch::Return(None));
        b.block(&mut f, vec![], Branch::Return(None));
        let f = b.finish(f);
        let mut main = b.main();
        let i = b.var("i", INT, VarKind::Local(main.id));
        let start = vec![StmtKind::Assign(b.place(i), int(0))];
        b.block(&mut main, start, Branch::Goto(BlockId(1)));
        b.block(&mut main, vec![], call(f, vec![], Types::VOID, 2));
        let next = Expr::binary(BinOp::Add, b.load(i), int(1));
        let cond = Expr::binary(BinOp::Lt, b.load(i), int(100_000));
        let (then, els) = (BlockId(1), BlockId(3));
        b.block(
            &mut main,
            vec![StmtKind::Assign(b.place(i), next)],
            Branch::If { cond, then, els },
        );
        let stale = b.deref(b.load(kept));
        b.block(&mut main, vec![], Branch::Return(Some(Expr::load(stale))));
        b.finish(main);
        match run(&b.program) {
            Outcome::Error(error) => assert!(
                matches!(
                    error.kind,
                    E::UseAfterScope | E::InvalidPointer | E::OutOfBounds
                ),
                "{error:?}"
            ),
            other => panic!("{other:?}"),
        }
    }
}
