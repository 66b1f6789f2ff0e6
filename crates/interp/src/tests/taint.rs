//! Indeterminate memory: what may be done with it and what may not.

use super::build::*;
use crate::ErrorKind as E;
use cwolf_cwi::*;

/// `main` with local `x` of type `ty`; `make` gives statements and the branch's condition.
fn with_local(
    in_memory: bool,
    make: impl Fn(&mut Build, FuncId, VarId) -> (Vec<StmtKind>, Expr),
) -> Program {
    let mut b = Build::new(Target::X86_64);
    let mut main = b.main();
    let x = b.var("x", INT, VarKind::Local(main.id));
    let (mut stmts, cond) = make(&mut b, main.id, x);
    if in_memory {
        // Taking the address moves the variable into memory.
        let pointer = b.address(x);
        let p = b.var("p", pointer.ty, VarKind::Local(main.id));
        stmts.insert(0, StmtKind::Assign(b.place(p), pointer));
    }
    let branch = Branch::If {
        cond,
        then: BlockId(1),
        els: BlockId(2),
    };
    b.block(&mut main, stmts, branch);
    b.block(&mut main, vec![], Branch::Return(Some(int(1))));
    b.block(&mut main, vec![], Branch::Return(Some(int(0))));
    b.finish(main);
    b.program
}

#[test]
fn a_condition() {
    for memory in [false, true] {
        let program = with_local(memory, |b, _, x| (vec![], b.load(x)));
        fails(&program, E::Uninitialised, "a condition depends on memory");
        // Through arithmetic, another variable and memory.
        let program = with_local(memory, |b, f, x| {
            let g = b.global("g", INT);
            let y = b.var("y", INT, VarKind::Local(f));
            let sum = Expr::binary(BinOp::Add, b.load(x), int(1));
            let stmts = vec![
                StmtKind::Assign(b.place(g), sum),
                StmtKind::Assign(b.place(y), b.load(g)),
            ];
            (stmts, b.load(y))
        });
        fails(&program, E::Uninitialised, "test.c");
    }
}

#[test]
fn copying_is_fine() {
    for memory in [false, true] {
        let program = with_local(memory, |b, f, x| {
            let y = b.var("y", INT, VarKind::Local(f));
            let stmts = vec![
                StmtKind::Assign(b.place(y), b.load(x)),
                StmtKind::Assign(b.place(x), int(1)),
                StmtKind::Assign(b.place(y), b.load(x)),
            ];
            (stmts, b.load(y))
        });
        exits(&program, 1);
    }
}

#[test]
fn logical_operators_stop_early() {
    for (op, first, result) in [(BinOp::And, 0, 0), (BinOp::Or, 1, 1)] {
        for memory in [false, true] {
            let program = with_local(memory, |b, f, x| {
                let c = b.var("c", INT, VarKind::Local(f));
                let y = b.var("y", INT, VarKind::Local(f));
                let both = Expr::binary(op, b.load(c), b.load(x));
                let stmts = vec![
                    StmtKind::Assign(b.place(c), int(first)),
                    StmtKind::Assign(b.place(y), both.clone()),
                ];
                // Once as a value, once as a condition.
                (
                    stmts,
                    Expr::binary(BinOp::And, Expr::binary(op, both, b.load(y)), int(1)),
                )
            });
            exits(&program, result);
        }
    }
}

#[test]
fn undef_forgets() {
    for memory in [false, true] {
        let program = with_local(memory, |b, _, x| {
            let stmts = vec![StmtKind::Assign(b.place(x), int(1)), StmtKind::Live(x)];
            (stmts, b.load(x))
        });
        fails(&program, E::Uninitialised, "a condition");
    }
}

#[test]
fn an_address_and_an_argument() {
    let program = with_local(false, |b, f, x| {
        let ty = b.program.types.array(INT, 4);
        let a = b.var("a", ty, VarKind::Local(f));
        let word = b.word();
        let place = Place {
            ty: INT,
            base: Base::Var(a),
            path: vec![Step::Index(Expr::cast(word, b.load(x)))],
        };
        (vec![StmtKind::Assign(place, int(1))], int(1))
    });
    fails(&program, E::Uninitialised, "an address");
    let mut b = Build::new(Target::X86_64);
    let putchar = b.declare("putchar", INT, &[INT], false);
    let mut main = b.main();
    let x = b.var("x", INT, VarKind::Local(main.id));
    let arg = b.load(x);
    b.block(&mut main, vec![], call(putchar, vec![arg], INT, 1));
    b.block(&mut main, vec![], Branch::Return(Some(int(0))));
    b.finish(main);
    fails(&b.program, E::Uninitialised, "putchar: an argument");
}

/// An aggregate is copied with its holes, by assignment, call and return.
#[test]
fn aggregates_keep_holes() {
    for (read, ok) in [(0, true), (1, false)] {
        let mut b = Build::new(Target::X86_64);
        let fields = ["a", "b"].iter().enumerate().map(|(n, name)| Field {
            name: (*name).into(),
            ty: INT,
            bit_offset: 32 * n as u64,
            bit_field: false,
        });
        let record = b.program.types.records.push(Record {
            name: "s".into(),
            kind: RecordKind::Struct,
            fields: fields.collect(),
            size: 8,
            align: 4,
            complete: true,
        });
        let s = b.program.types.record(record);
        let field = |var, n| Place {
            ty: INT,
            base: Base::Var(var),
            path: vec![Step::Field(n)],
        };
        let mut f = b.function("f", s, &[s], false);
        let p = b.var("p", s, VarKind::Param(f.id));
        let value = b.load(p);
        b.block(&mut f, vec![], Branch::Return(Some(value)));
        let f = b.finish(f);
        let mut main = b.main();
        let x = b.var("x", s, VarKind::Local(main.id));
        let y = b.var("y", s, VarKind::Local(main.id));
        let z = b.var("z", s, VarKind::Local(main.id));
        let stmts = vec![
            StmtKind::Assign(field(x, 0), int(7)),
            StmtKind::Assign(b.place(y), b.load(x)),
        ];
        let arg = b.load(y);
        b.block(&mut main, stmts, call(f, vec![arg], s, 1));
        // The result of one call is the argument of the next.
        b.block(&mut main, vec![], call(f, vec![Expr::reg(s, RESULT)], s, 2));
        let stmts = vec![StmtKind::Assign(b.place(z), Expr::reg(s, RESULT))];
        let cond = Expr::binary(BinOp::Eq, Expr::load(field(z, read)), int(7));
        let branch = Branch::If {
            cond,
            then: BlockId(3),
            els: BlockId(4),
        };
        b.block(&mut main, stmts, branch);
        b.block(&mut main, vec![], Branch::Return(Some(int(1))));
        b.block(&mut main, vec![], Branch::Return(Some(int(0))));
        b.finish(main);
        match ok {
            true => exits(&b.program, 1),
            false => fails(&b.program, E::Uninitialised, "a condition"),
        }
    }
}

/// A function that returns nothing although its result is used.
#[test]
fn missing_return_value() {
    let mut b = Build::new(Target::X86_64);
    let mut f = b.function("f", INT, &[], false);
    b.block(&mut f, vec![], Branch::Return(None));
    let f = b.finish(f);
    let mut main = b.main();
    b.block(&mut main, vec![], call(f, vec![], INT, 1));
    let branch = Branch::If {
        cond: Expr::reg(INT, RESULT),
        then: BlockId(2),
        els: BlockId(2),
    };
    b.block(&mut main, vec![], branch);
    b.block(&mut main, vec![], Branch::Return(Some(int(0))));
    b.finish(main);
    fails(&b.program, E::Uninitialised, "a condition");
}

/// A loop whose body declares a variable runs fast and without alarms.
#[test]
fn loops_with_declarations() {
    let mut b = Build::new(Target::X86_64);
    let mut main = b.main();
    let i = b.var("i", INT, VarKind::Local(main.id));
    let t = b.var("t", INT, VarKind::Local(main.id));
    let start = vec![StmtKind::Assign(b.place(i), int(0))];
    b.block(&mut main, start, Branch::Goto(BlockId(1)));
    let next = Expr::binary(BinOp::Add, b.load(i), int(1));
    let stmts = vec![
        StmtKind::Live(t),
        StmtKind::Assign(b.place(t), next),
        StmtKind::Assign(b.place(i), b.load(t)),
    ];
    let cond = Expr::binary(BinOp::Lt, b.load(i), int(50));
    let branch = Branch::If {
        cond,
        then: BlockId(1),
        els: BlockId(2),
    };
    b.block(&mut main, stmts, branch);
    let result = b.load(i);
    b.block(&mut main, vec![], Branch::Return(Some(result)));
    b.finish(main);
    exits(&b.program, 50);
}
