//! How many statements a second: a loop on slots, one on memory, one of calls, built by hand.

use cwolf_cwi::*;
use cwolf_interp::{Machine, Options};

const INT: TypeId = Types::INT;

fn variable(program: &mut Program, name: &str, ty: TypeId, kind: VarKind, loc: LocId) -> VarId {
    let var = program.add_variable(name, ty, kind, loc);
    match kind {
        VarKind::Local(f) => program.funcs[f].locals.push(var),
        VarKind::Param(f) => program.funcs[f].params.push(var),
        _ => {}
    }
    var
}

fn function(program: &mut Program, name: &str, params: Vec<TypeId>, loc: LocId) -> FuncId {
    let ty = program.types.function(INT, params);
    program.funcs.push(Function {
        definition: Definition::Defined,
        ..Function::declared(name, ty, loc)
    })
}

/// `for (i = 0; i < count; i++) <body>`, the body ending in a branch to block 2.
fn looping(
    program: &mut Program,
    main: FuncId,
    loc: LocId,
    count: i128,
    body: impl Fn(VarId) -> (Vec<StmtKind>, Branch),
) {
    let i = variable(program, "i", INT, VarKind::Local(main), loc);
    let load = || Expr::load(Place::var(INT, i));
    let set = |value| StmtKind::Assign(Place::var(INT, i), value);
    let (stmts, branch) = body(i);
    let next = Expr::binary(BinOp::Add, load(), Expr::int(INT, 1));
    let cond = Expr::binary(BinOp::Lt, load(), Expr::int(INT, count));
    let (then, els) = (BlockId(1), BlockId(3));
    let blocks = vec![
        (vec![set(Expr::int(INT, 0))], Branch::Goto(BlockId(1))),
        (stmts, branch),
        (vec![set(next)], Branch::If { cond, then, els }),
        (vec![], Branch::Return(Some(Expr::int(INT, 0)))),
    ];
    let block = |(stmts, branch): (Vec<StmtKind>, Branch)| Block {
        stmts: stmts.into_iter().map(|kind| Stmt { loc, kind }).collect(),
        loc,
        branch,
    };
    program.funcs[main].body = Some(Body {
        regs: vec![Types::VOID].into(),
        blocks: blocks.into_iter().map(block).collect(),
    });
}

#[allow(clippy::print_stdout)]
fn main() {
    for what in ["slots", "memory", "calls"] {
        let mut program = Program::new(Target::X86_64);
        let file = program.locations.file("speed.c");
        let (line, column) = (1, 1);
        let loc = program.locations.intern(Loc { file, line, column });
        let f = function(&mut program, "f", vec![INT], loc);
        let p = variable(&mut program, "p", INT, VarKind::Param(f), loc);
        let back = Branch::Return(Some(Expr::load(Place::var(INT, p))));
        let (stmts, branch) = (Vec::new(), back);
        program.funcs[f].body = Some(Body {
            regs: vec![Types::VOID].into(),
            blocks: vec![Block { stmts, loc, branch }].into(),
        });
        let main = function(&mut program, "main", vec![], loc);
        let s = variable(&mut program, "s", INT, VarKind::Local(main), loc);
        let array = program.types.array(INT, 1024);
        let a = variable(&mut program, "a", array, VarKind::Global, loc);
        let word = program.types.int(64, true);
        let count = if what == "calls" {
            5_000_000
        } else {
            50_000_000
        };
        looping(&mut program, main, loc, count, |i| {
            let (s, i) = (Place::var(INT, s), Expr::load(Place::var(INT, i)));
            let masked = Expr::binary(BinOp::BitAnd, i.clone(), Expr::int(INT, 1023));
            let element = Place {
                ty: INT,
                base: Base::Var(a),
                path: vec![Step::Index(Expr::cast(word, masked))],
            };
            let go = Branch::Goto(BlockId(2));
            match what {
                "slots" => (vec![StmtKind::Assign(s, i)], go),
                "memory" => (vec![StmtKind::Assign(element, i)], go),
                _ => {
                    let branch = Branch::Call {
                        callee: Callee::Direct(f),
                        args: vec![i],
                        ret: INT,
                        next: Some(BlockId(2)),
                    };
                    (vec![], branch)
                }
            }
        });
        let start = std::time::Instant::now();
        let mut machine = Machine::new(&program, Options::default());
        machine.run("main");
        let rate = machine.steps() as f64 / start.elapsed().as_secs_f64() / 1e6;
        println!("{what}: {rate:.0} million statements a second");
    }
}
