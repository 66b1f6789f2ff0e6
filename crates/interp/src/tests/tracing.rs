//! The tracer sees every statement and the values of variables.

use super::build::*;
use crate::{At, Machine, Options, TraceText, Tracer, View};
use cwolf_cwi::value::Value;
use cwolf_cwi::*;
use std::cell::RefCell;
use std::rc::Rc;

/// `g = 5; x = g + 1; call f(x); return r0;` with `f(p) { return p * 2; }`.
fn program() -> (Program, VarId, VarId) {
    let mut b = Build::new(Target::X86_64);
    let mut f = b.function("f", INT, &[INT], false);
    let p = b.var("p", INT, VarKind::Param(f.id));
    let twice = Expr::binary(BinOp::Mul, b.load(p), int(2));
    b.block(&mut f, vec![], Branch::Return(Some(twice)));
    let f = b.finish(f);
    let g = b.global("g", INT);
    let mut main = b.main();
    let x = b.var("x", INT, VarKind::Local(main.id));
    let sum = Expr::binary(BinOp::Add, b.load(g), int(1));
    let stmts = vec![
        StmtKind::Assign(b.place(g), int(5)),
        StmtKind::Assign(b.place(x), sum),
    ];
    let arg = b.load(x);
    b.block(&mut main, stmts, call(f, vec![arg], INT, 1));
    b.block(
        &mut main,
        vec![],
        Branch::Return(Some(Expr::reg(INT, RESULT))),
    );
    b.finish(main);
    (b.program, g, x)
}

type Steps = Rc<RefCell<Vec<(At, Option<Value>, Option<Value>)>>>;

struct Watch {
    g: VarId,
    x: VarId,
    steps: Steps,
}

impl Tracer for Watch {
    fn step(&mut self, at: At, view: &View<'_, '_>) {
        let entry = (at, view.var(self.g), view.var(self.x));
        self.steps.borrow_mut().push(entry);
    }
}

#[test]
fn sees_variables_before_each_step() {
    let (program, g, x) = program();
    let steps: Steps = Rc::default();
    let options = Options {
        tracer: Some(Box::new(Watch {
            g,
            x,
            steps: steps.clone(),
        })),
        ..Options::default()
    };
    assert_eq!(
        Machine::new(&program, options).run("main"),
        crate::Outcome::Exit(12)
    );
    let steps = steps.borrow();
    let places: Vec<_> = steps
        .iter()
        .map(|s| (s.0.func.0, s.0.block.0, s.0.index, s.0.depth))
        .collect();
    assert_eq!(
        places,
        [
            (1, 0, 0, 1),
            (1, 0, 1, 1),
            (1, 0, 2, 1),
            (0, 0, 0, 2),
            (1, 1, 0, 1)
        ]
    );
    let globals: Vec<_> = steps.iter().map(|s| s.1).collect();
    assert_eq!(globals[0], Some(Value::Int(0)));
    assert!(globals[1..].iter().all(|v| *v == Some(Value::Int(5))));
    assert_eq!(steps[2].2, Some(Value::Int(6)));
    assert_eq!(steps[3].2, None, "not in the frame of f");
}

/// Counts, and sleeps for a while.
struct Sleeper {
    seen: Rc<RefCell<Vec<u64>>>,
    until: u64,
}

impl Tracer for Sleeper {
    fn step(&mut self, _: At, view: &View<'_, '_>) {
        self.seen.borrow_mut().push(view.statements());
    }
    fn asleep_until(&self) -> u64 {
        match self.seen.borrow().len() {
            0..10 => 0,
            _ => self.until,
        }
    }
}

/// Who sleeps through most of a long loop sees its start and its end, and nothing between.
#[test]
fn a_tracer_sleeps_as_long_as_it_likes() {
    let mut b = Build::new(Target::X86_64);
    let mut main = b.main();
    let x = b.var("x", INT, VarKind::Local(main.id));
    let start = vec![StmtKind::Assign(b.place(x), int(0))];
    b.block(&mut main, start, Branch::Goto(BlockId(1)));
    let less = Expr::binary(BinOp::Lt, b.load(x), int(1_000_000));
    let next = Expr::binary(BinOp::Add, b.load(x), int(1));
    let step = vec![StmtKind::Assign(b.place(x), next)];
    let again = Branch::If {
        cond: less,
        then: BlockId(1),
        els: BlockId(2),
    };
    b.block(&mut main, step, again);
    b.block(&mut main, vec![], Branch::Return(Some(int(0))));
    b.finish(main);
    let run = |until: u64| {
        let seen = Rc::default();
        let options = Options {
            tracer: Some(Box::new(Sleeper {
                seen: Rc::clone(&seen),
                until,
            })),
            ..Options::default()
        };
        let mut machine = Machine::new(&b.program, options);
        assert_eq!(machine.run("main"), crate::Outcome::Exit(0));
        let all = machine.steps();
        drop(machine);
        (seen.take(), all)
    };
    let (awake, all) = run(0);
    let until = all - 100;
    let (seen, same) = run(until);
    assert_eq!(all, same);
    let split = |list: &[u64]| {
        let early = list[..10].to_vec();
        let late: Vec<u64> = list[10..].iter().copied().filter(|n| *n >= until).collect();
        (early, late)
    };
    assert_eq!(split(&seen), split(&awake));
    assert_eq!(seen.len(), 10 + split(&seen).1.len(), "it slept");
    assert!(!split(&seen).1.is_empty());
}

#[test]
fn text() {
    let (program, _, _) = program();
    let out = Shared::default();
    let options = Options {
        tracer: Some(Box::new(TraceText::new(out.clone()))),
        ..Options::default()
    };
    Machine::new(&program, options).run("main");
    let expected = "test.c:2: main: g = 5\ntest.c:3: main: x = 6\ntest.c:4: main: call f\ntest.c:2: f: return\n";
    assert_eq!(out.text(), expected);
}
