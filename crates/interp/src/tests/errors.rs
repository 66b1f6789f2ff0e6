//! Every kind of error, with its place and words.

use super::build::*;
use crate::ErrorKind as E;
use cwolf_base::{Budget, Exhausted};
use cwolf_cwi::*;

fn assign(place: Place, value: Expr) -> StmtKind {
    StmtKind::Assign(place, value)
}

/// `int *p = <pointer>; *p = 1;` or `return *p;` in `main`.
fn through(target: Target, make: impl Fn(&mut Build) -> Expr, write: bool) -> Program {
    let mut b = Build::new(target);
    let pointer = make(&mut b);
    let place = b.deref(pointer);
    match write {
        true => b.simple_main(vec![assign(place, int(1))], int(0)),
        false => b.simple_main(vec![], Expr::load(place)),
    }
    b.program
}

fn both(kind: E, words: &str, make: impl Fn(&mut Build) -> Expr) {
    for target in [Target::X86_64, Target::I386] {
        for write in [false, true] {
            fails(&through(target, &make, write), kind, words);
        }
    }
}

/// `&array[index]` of a global array of four ints.
fn element(b: &mut Build, index: i128) -> Expr {
    let ty = b.program.types.array(INT, 4);
    let array = b.global("array", ty);
    let first = b.first(array, INT);
    let word = b.word();
    Expr {
        ty: first.ty,
        kind: ExprKind::PtrAdd {
            ptr: Box::new(first),
            index: Box::new(Expr::int(word, index)),
            scale: 4,
        },
    }
}

#[test]
fn null() {
    both(E::NullDereference, "test.c:2: error", |b| {
        let pointer = b.program.types.pointer(INT);
        Expr::int(pointer, 0)
    });
}

#[test]
fn out_of_bounds() {
    let words = "4 bytes at offset 16 of array, which has 16 bytes";
    both(E::OutOfBounds, words, |b| element(b, 4));
    both(E::OutOfBounds, "at offset -4 of array", |b| element(b, -1));
    let far = through(Target::X86_64, |b| element(b, 100), true);
    fails(&far, E::OutOfBounds, "at offset 400 of array");
}

#[test]
fn one_past_the_end_may_be_formed() {
    for target in [Target::X86_64, Target::I386] {
        let mut b = Build::new(target);
        let end = element(&mut b, 4);
        let p = b.global("p", end.ty);
        let place = b.place(p);
        let last = element(&mut b, 3);
        let last = Expr::load(b.deref(last));
        b.simple_main(vec![assign(place, end)], last);
        exits(&b.program, 0);
    }
}

#[test]
fn no_object() {
    both(E::InvalidPointer, "where no object is", |b| {
        let pointer = b.program.types.pointer(INT);
        Expr::int(pointer, 0x7fff_0000)
    });
}

#[test]
fn function_as_data() {
    both(E::NotData, "of the function f", |b| {
        let f = b.declare("f", INT, &[], false);
        let pointer = b.program.types.pointer(INT);
        Expr {
            ty: pointer,
            kind: ExprKind::FuncAddr(f),
        }
    });
}

#[test]
fn undefined_variable() {
    both(E::Undefined, "declared, but defined in no file", |b| {
        let x = b.global("x", INT);
        b.program.vars[x].definition = Definition::Declared;
        b.program.vars[x].linkage = Linkage::External;
        b.address(x)
    });
}

#[test]
fn literal_is_constant() {
    for target in [Target::X86_64, Target::I386] {
        let program = through(target, |b| b.text("hello"), true);
        fails(&program, E::ReadOnlyWrite, "a literal, which is constant");
    }
}

/// `p = malloc(8);` then calls on `p`; then returns `*p`.
fn heap(calls: &[&str]) -> Program {
    let mut b = Build::new(Target::X86_64);
    let pointer = b.program.types.pointer(INT);
    let size = b.program.types.int(64, false);
    let malloc = b.declare("malloc", pointer, &[size], false);
    let p = b.global("p", pointer);
    let mut main = b.main();
    b.block(
        &mut main,
        vec![],
        call(malloc, vec![Expr::int(size, 8)], pointer, 1),
    );
    let mut stmts = vec![assign(b.place(p), Expr::reg(pointer, RESULT))];
    for (n, name) in calls.iter().enumerate() {
        let f = b.declare(name, Types::VOID, &[pointer], false);
        let arg = b.load(p);
        let next = n as u32 + 2;
        b.block(
            &mut main,
            std::mem::take(&mut stmts),
            call(f, vec![arg], Types::VOID, next),
        );
    }
    let target = b.deref(b.load(p));
    stmts.push(assign(target.clone(), int(3)));
    b.block(&mut main, stmts, Branch::Return(Some(Expr::load(target))));
    b.finish(main);
    b.program
}

#[test]
fn heap_errors() {
    exits(&heap(&[]), 3);
    fails(&heap(&["free"]), E::UseAfterFree, "freed here");
    fails(
        &heap(&["free", "free"]),
        E::DoubleFree,
        "which was freed before",
    );
}

#[test]
fn bad_free() {
    let mut b = Build::new(Target::X86_64);
    let x = b.global("x", INT);
    let pointer = b.address(x);
    let free = b.declare("free", Types::VOID, &[pointer.ty], false);
    let mut main = b.main();
    b.block(&mut main, vec![], call(free, vec![pointer], Types::VOID, 1));
    b.block(&mut main, vec![], Branch::Return(Some(int(0))));
    b.finish(main);
    fails(&b.program, E::BadFree, "freeing x, which was not allocated");
}

#[test]
fn dead_frame() {
    for target in [Target::X86_64, Target::I386] {
        let mut b = Build::new(target);
        let pointer = b.program.types.pointer(INT);
        let mut f = b.function("f", pointer, &[], false);
        let x = b.var("x", INT, VarKind::Local(f.id));
        let address = b.address(x);
        b.block(&mut f, vec![], Branch::Return(Some(address)));
        let f = b.finish(f);
        let mut main = b.main();
        b.block(&mut main, vec![], call(f, vec![], pointer, 1));
        let place = b.deref(Expr::reg(pointer, RESULT));
        b.block(
            &mut main,
            vec![assign(place, int(1))],
            Branch::Return(Some(int(0))),
        );
        b.finish(main);
        fails(
            &b.program,
            E::UseAfterScope,
            "of x, whose lifetime has ended",
        );
    }
}

#[test]
fn traps() {
    let cases = [
        (BinOp::Div, 1, 0, E::DivisionByZero),
        (BinOp::Rem, 1, 0, E::DivisionByZero),
        (BinOp::Div, i32::MIN, -1, E::DivisionOverflow),
        (BinOp::Rem, i32::MIN, -1, E::DivisionOverflow),
        (BinOp::Shl, 1, 32, E::ShiftOutOfRange),
        (BinOp::Shr, 1, -1, E::ShiftOutOfRange),
    ];
    for (op, left, right, kind) in cases {
        for constant in [false, true] {
            let mut b = Build::new(Target::X86_64);
            let x = b.global("x", INT);
            let y = b.global("y", INT);
            let set = vec![
                assign(b.place(x), int(left.into())),
                assign(b.place(y), int(right.into())),
            ];
            let divisor = if constant {
                int(right.into())
            } else {
                b.load(y)
            };
            let value = Expr::binary(op, b.load(x), divisor);
            b.simple_main(set, value);
            fails(&b.program, kind, "test.c:4: error");
        }
    }
}

#[test]
fn calls_that_fail() {
    let cases = [
        (
            "unknown_function",
            E::MissingFunction,
            "unknown_function has no body",
        ),
        ("abort", E::Abort, "abort"),
        ("reach_error", E::ReachError, "the error is reached"),
        ("__VERIFIER_error", E::ReachError, "the error is reached"),
    ];
    for (name, kind, words) in cases {
        let mut b = Build::new(Target::X86_64);
        let f = b.declare(name, Types::VOID, &[], false);
        let mut main = b.main();
        b.block(&mut main, vec![], call(f, vec![], Types::VOID, 1));
        b.block(&mut main, vec![], Branch::Return(Some(int(0))));
        b.finish(main);
        fails(&b.program, kind, words);
    }
}

#[test]
fn assertion() {
    let mut b = Build::new(Target::X86_64);
    let text = b.text("x == 1");
    let f = b.declare("__assert_fail", Types::VOID, &[text.ty], false);
    let mut main = b.main();
    b.block(&mut main, vec![], call(f, vec![text], Types::VOID, 1));
    b.block(&mut main, vec![], Branch::Return(Some(int(0))));
    b.finish(main);
    fails(
        &b.program,
        E::AssertionFailed,
        "the assertion x == 1 is false",
    );
}

#[test]
fn unreachable_places() {
    for (why, kind) in [
        (Unreachable::Promised, E::Unreachable),
        (Unreachable::Trap, E::Abort),
        (Unreachable::BadGoto, E::Unreachable),
        (Unreachable::Returned, E::Unreachable),
    ] {
        let mut b = Build::new(Target::X86_64);
        let mut main = b.main();
        b.block(&mut main, vec![], Branch::Unreachable(why));
        b.finish(main);
        fails(&b.program, kind, "in main at test.c:2");
    }
}

#[test]
fn wrong_function_pointer() {
    for (address, kind) in [(0, E::NullDereference), (77777, E::NotFunction)] {
        let mut b = Build::new(Target::X86_64);
        let f = b.declare("f", INT, &[], false);
        let ty = b.program.funcs[f].ty;
        let pointer = b.program.types.pointer(ty);
        let mut main = b.main();
        let branch = Branch::Call {
            callee: Callee::Indirect(Expr::int(pointer, address)),
            args: vec![],
            ret: INT,
            next: Some(BlockId(1)),
        };
        b.block(&mut main, vec![], branch);
        b.block(&mut main, vec![], Branch::Return(Some(int(0))));
        b.finish(main);
        fails(&b.program, kind, "a call through");
    }
}

#[test]
fn endless_recursion() {
    let mut b = Build::new(Target::X86_64);
    let mut main = b.main();
    let id = main.id;
    b.block(&mut main, vec![], call(id, vec![], INT, 1));
    b.block(&mut main, vec![], Branch::Return(Some(int(0))));
    b.finish(main);
    fails(&b.program, E::StackOverflow, "calls inside each other");
}

#[test]
fn memory_limit() {
    let mut b = Build::new(Target::X86_64);
    let pointer = b.program.types.pointer(INT);
    let size = b.program.types.int(64, false);
    let malloc = b.declare("malloc", pointer, &[size], false);
    let mut main = b.main();
    let amount = Expr::int(size, 1 << 20);
    b.block(&mut main, vec![], call(malloc, vec![amount], pointer, 0));
    b.finish(main);
    fails(
        &b.program,
        E::MemoryLimit,
        "malloc: the program needs more memory",
    );
}

#[test]
fn budget() {
    let mut b = Build::new(Target::X86_64);
    let mut main = b.main();
    b.block(&mut main, vec![], Branch::Goto(BlockId(0)));
    b.finish(main);
    for limit in [1, 100, 100_000] {
        let options = crate::Options {
            budget: Budget::unlimited().max_steps(limit),
            ..crate::Options::default()
        };
        let mut machine = crate::Machine::new(&b.program, options);
        let outcome = machine.run("main");
        assert_eq!(outcome, crate::Outcome::Budget(Exhausted::Steps));
        assert!(
            (limit..limit + 2).contains(&machine.steps()),
            "{}",
            machine.steps()
        );
    }
}

#[test]
fn assumption() {
    let mut b = Build::new(Target::X86_64);
    let assume = b.declare("__VERIFIER_assume", Types::VOID, &[INT], false);
    let mut main = b.main();
    b.block(
        &mut main,
        vec![],
        call(assume, vec![int(0)], Types::VOID, 1),
    );
    b.block(&mut main, vec![], Branch::Return(Some(int(0))));
    b.finish(main);
    assert_eq!(run(&b.program), crate::Outcome::AssumeFailed);
}

#[test]
fn deep_expressions_are_refused() {
    let mut b = Build::new(Target::X86_64);
    let x = b.global("x", INT);
    let mut value = b.load(x);
    for _ in 0..4000 {
        value = Expr::unary(UnOp::Neg, value);
    }
    b.simple_main(vec![], value);
    fails(&b.program, E::Unsupported, "nested too deeply");
}
