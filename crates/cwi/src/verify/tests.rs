use super::*;
use crate::code::*;
use crate::program::*;
use crate::target::Target;
use crate::testing::{Rng, random_program};
use crate::types::*;
use cwolf_base::IndexVec;
use proptest::prelude::*;

/// `int f(void)` with a local `x: i32`, a register `r#1: i32` and one block; `change` breaks it.
fn broken(change: impl FnOnce(&mut Program)) -> Vec<String> {
    let mut p = Program::new(Target::X86_64);
    let file = p.locations.file("a.c");
    let loc = p.locations.intern(Loc {
        file,
        line: 1,
        column: 1,
    });
    let ty = p.types.function(Types::INT, Vec::new());
    let x = p.add_variable("x", Types::INT, VarKind::Local(FuncId(0)), loc);
    let stmt = StmtKind::Assign(Place::var(Types::INT, x), Expr::int(Types::INT, 1));
    let block = Block {
        stmts: vec![Stmt { loc, kind: stmt }],
        loc,
        branch: Branch::Return(Some(Expr::int(Types::INT, 0))),
    };
    p.funcs.push(Function {
        definition: Definition::Defined,
        locals: vec![x],
        body: Some(Body {
            regs: IndexVec::from(vec![Types::VOID, Types::INT]),
            blocks: IndexVec::from(vec![block]),
        }),
        ..Function::declared("f", ty, loc)
    });
    change(&mut p);
    verify(&p).iter().map(|v| v.describe(&p)).collect()
}

fn body(p: &mut Program) -> &mut Body {
    p.funcs[FuncId(0)].body.as_mut().expect("f has a body")
}

fn set(right: Expr) -> impl FnOnce(&mut Program) {
    |p| body(p).blocks[BlockId(0)].stmts[0].kind = StmtKind::SetReg(RegId(1), right)
}

fn branch(branch: Branch) -> impl FnOnce(&mut Program) {
    |p| body(p).blocks[BlockId(0)].branch = branch
}

#[track_caller]
fn check(found: Vec<String>, wanted: &str) {
    assert!(
        found.iter().any(|f| f.contains(wanted)),
        "{wanted:?} is not in {found:?}"
    );
}

#[test]
fn a_sound_program_passes() {
    assert_eq!(broken(|_| {}), Vec::<String>::new());
}

#[test]
fn places_are_named() {
    check(
        broken(branch(Branch::Goto(BlockId(7)))),
        "a.c:1: in `f`, block_0, statement 1: there is no block_7",
    );
}

#[test]
fn expressions_have_the_type_that_follows() {
    let one = || Expr::int(Types::INT, 1);
    check(
        broken(set(Expr::int(Types::CHAR, 300))),
        "300 is not a constant of type `i8`",
    );
    let kind = ExprKind::Binary(
        BinOp::Add,
        Box::new(one()),
        Box::new(Expr::int(Types::CHAR, 1)),
    );
    check(
        broken(set(Expr {
            ty: Types::INT,
            kind,
        })),
        "no `+` on `i32` and `i8`",
    );
    let kind = ExprKind::Binary(BinOp::Lt, Box::new(one()), Box::new(one()));
    check(
        broken(set(Expr {
            ty: Types::CHAR,
            kind,
        })),
        "has type `i8`, not `i32`",
    );
    check(
        broken(set(Expr::reg(Types::INT, RegId(9)))),
        "there is no register 9",
    );
    check(
        broken(set(Expr::reg(Types::INT, RESULT))),
        "register 0 is read",
    );
    check(
        broken(set(Expr {
            ty: Types::INT,
            kind: ExprKind::Zero,
        })),
        "not an aggregate",
    );
    let unknown = Expr {
        ty: Types::INT,
        kind: ExprKind::Choose,
    };
    check(
        broken(set(Expr::unary(UnOp::Neg, unknown))),
        "not a whole right side",
    );
    check(
        broken(set(Expr::int(Types::CHAR, 3))),
        "the right side has type `i8`, not `i32`",
    );
}

#[test]
fn deep_expressions_are_refused() {
    let mut e = Expr::int(Types::INT, 1);
    for _ in 0..MAX_EXPR_DEPTH {
        e = Expr::unary(UnOp::Neg, e);
    }
    check(broken(set(e)), "nested too deeply");
}

#[test]
fn branches() {
    check(
        broken(branch(Branch::Return(None))),
        "a value should be returned",
    );
    let on = Expr::int(Types::INT, 1);
    let case = |lo, hi| Case {
        lo,
        hi,
        target: BlockId(0),
    };
    let cases = vec![case(1, 4), case(3, 5)];
    check(
        broken(branch(Branch::Switch {
            on,
            cases,
            default: BlockId(0),
        })),
        "disjoint",
    );
    let callee = Callee::Direct(FuncId(0));
    let args = vec![Expr::int(Types::INT, 1)];
    let call = Branch::Call {
        callee,
        args,
        ret: Types::INT,
        next: None,
    };
    check(
        broken(branch(call)),
        "1 arguments are given where 0 are taken",
    );
}

#[test]
fn tables() {
    check(
        broken(|p| p.vars[VarId(0)].kind = VarKind::Global),
        "not listed where it belongs",
    );
    check(
        broken(|p| p.vars[VarId(0)].loc = LocId(5)),
        "no position number 5",
    );
    check(
        broken(|p| p.funcs[FuncId(0)].definition = Definition::Declared),
        "a declared one none",
    );
    check(
        broken(|p| body(p).regs = IndexVec::from(vec![Types::INT])),
        "register 0",
    );
    check(
        broken(|p| {
            let mut ty = Types::INT;
            for _ in 0..300 {
                ty = p.types.pointer(ty);
            }
        }),
        "too large",
    );
    check(
        broken(|p| {
            let record = p.types.records.push(Record {
                name: "s".into(),
                kind: RecordKind::Struct,
                fields: Vec::new(),
                size: 4,
                align: 4,
                complete: true,
            });
            let ty = p.types.record(record);
            let field = Field {
                name: "f".into(),
                ty,
                bit_offset: 0,
                bit_field: false,
            };
            p.types.records[record].fields.push(field);
        }),
        "`s` contains itself",
    );
}

proptest! {
    #[test]
    fn random_programs_are_valid(seed: u64, size in 0usize..16) {
        let p = random_program(seed, size);
        let found: Vec<_> = verify(&p).iter().map(|v| v.describe(&p)).collect();
        prop_assert!(found.is_empty(), "{:#?}", found);
    }

    /// Whatever ids are changed, the verifier neither panics nor lets a bad id pass.
    #[test]
    fn wild_ids_are_found(seed: u64) {
        let mut p = random_program(seed, 8);
        let mut rng = Rng::new(seed);
        let wild = 1_000_000 + rng.below(1000) as u32;
        let Some(func) = p.funcs.iter_mut().find(|f| f.body.is_some()) else {
            return Ok(());
        };
        let block = &mut func.body.as_mut().expect("just found").blocks[BlockId(0)];
        let stmt = match rng.below(5) {
            0 => StmtKind::Live(VarId(wild)),
            1 => StmtKind::SetReg(RegId(wild), Expr::int(Types::INT, 0)),
            2 => StmtKind::Assign(Place::var(Types::INT, VarId(wild)), Expr::int(Types::INT, 0)),
            3 => StmtKind::SetReg(RegId(1), Expr::int(TypeId(wild), 0)),
            _ => StmtKind::SetReg(RegId(1), Expr { ty: Types::INT, kind: ExprKind::FuncAddr(FuncId(wild)) }),
        };
        block.stmts.push(Stmt { loc: block.loc, kind: stmt });
        prop_assert!(!verify(&p).is_empty());
    }
}
