//! Expressions: the bytecode computes what `cwi::value` says, for every type and operand form.

use super::build::*;
use crate::{Machine, Options, Outcome, Tracer, View};
use cwolf_cwi::value::{self, Value};
use cwolf_cwi::*;
use proptest::prelude::*;
use std::cell::RefCell;
use std::rc::Rc;

const TYPES: [(u16, bool); 13] = [
    (8, true),
    (8, false),
    (16, true),
    (16, false),
    (32, true),
    (32, false),
    (64, true),
    (64, false),
    (128, true),
    (128, false),
    (3, true),
    (24, false),
    (1, false),
];

/// Records the value of one variable at the last step.
struct Last(VarId, Rc<RefCell<Option<Value>>>);

impl Tracer for Last {
    fn step(&mut self, _: crate::At, view: &View<'_, '_>) {
        *self.1.borrow_mut() = view.var(self.0);
    }
}

/// Runs the statements of `main`; gives the final value of `var`, or the error.
fn final_value(program: &Program, var: VarId) -> Result<Option<Value>, crate::ErrorKind> {
    let seen = Rc::new(RefCell::new(None));
    let options = Options {
        tracer: Some(Box::new(Last(var, seen.clone()))),
        ..Options::default()
    };
    match Machine::new(program, options).run("main") {
        Outcome::Error(error) => Err(error.kind),
        _ => Ok(*seen.borrow()),
    }
}

/// How an operand gets into an expression.
#[derive(Clone, Copy, Debug)]
enum Form {
    Constant,
    Slot,
    Global,
    Pointer,
}

fn forms() -> impl Strategy<Value = Form> {
    prop_oneof![
        Just(Form::Constant),
        Just(Form::Slot),
        Just(Form::Global),
        Just(Form::Pointer)
    ]
}

fn operand(
    b: &mut Build,
    f: FuncId,
    form: Form,
    ty: TypeId,
    value: i128,
    stmts: &mut Vec<StmtKind>,
) -> Expr {
    let constant = Expr::int(ty, value);
    let var = match form {
        Form::Constant => return constant,
        Form::Slot | Form::Pointer => b.var("operand", ty, VarKind::Local(f)),
        Form::Global => b.global("operand", ty),
    };
    stmts.push(StmtKind::Assign(b.place(var), constant));
    match form {
        Form::Pointer => {
            let address = b.address(var);
            Expr::load(b.deref(address))
        }
        _ => b.load(var),
    }
}

/// Copies an indeterminate variable, so that the rest runs in the careful loop.
fn become_careful(b: &mut Build, f: FuncId, stmts: &mut Vec<StmtKind>) {
    let from = b.var("indeterminate", INT, VarKind::Local(f));
    let to = b.var("copy", INT, VarKind::Local(f));
    stmts.push(StmtKind::Assign(b.place(to), b.load(from)));
}

fn edge() -> impl Strategy<Value = i128> {
    prop_oneof![
        any::<i128>(),
        -5i128..70,
        (0u32..128).prop_map(|n| 1i128 << n),
        (0u32..128).prop_map(|n| (1i128 << n).wrapping_sub(1)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    /// Every operator on every integer type in every operand form, into a slot or memory.
    #[test]
    fn binary(
        ty in 0..TYPES.len(), op in 0..BinOp::ALL.len(), a in edge(), c in edge(),
        left in forms(), right in forms(), memory: bool, ilp32: bool, careful: bool,
    ) {
        let (int, op) = (IntTy::new(TYPES[ty].0, TYPES[ty].1), BinOp::ALL[op]);
        let (a, c) = (value::wrap(int, a), value::wrap(int, c));
        let mut b = Build::new(if ilp32 { Target::I386 } else { Target::X86_64 });
        let ty = b.program.types.int(int.bits, int.signed);
        let mut main = b.main();
        let mut stmts = Vec::new();
        if careful {
            become_careful(&mut b, main.id, &mut stmts);
        }
        let x = operand(&mut b, main.id, left, ty, a, &mut stmts);
        let y = operand(&mut b, main.id, right, ty, c, &mut stmts);
        let expr = Expr::binary(op, x, y);
        let kind = if memory { VarKind::Global } else { VarKind::Local(main.id) };
        let result = b.var("result", expr.ty, kind);
        stmts.push(StmtKind::Assign(b.place(result), expr));
        b.block(&mut main, stmts, Branch::Return(Some(int32(0))));
        b.finish(main);
        let found = final_value(&b.program, result);
        match value::int_binary(op, int, a, c) {
            Ok(expected) => prop_assert_eq!(found, Ok(Some(Value::Int(expected)))),
            Err(trap) => prop_assert_eq!(found, Err(trap.into())),
        }
    }

    /// Every conversion between integer types, and the branch on the result.
    #[test]
    fn casts(from in 0..TYPES.len(), to in 0..TYPES.len() + 1, a in edge(), form in forms()) {
        let mut b = Build::new(Target::X86_64);
        let from = b.program.types.int(TYPES[from].0, TYPES[from].1);
        let to = match TYPES.get(to) {
            Some((bits, signed)) => b.program.types.int(*bits, *signed),
            None => Types::BOOL,
        };
        let int = value::int_type(&b.program.types, from).expect("an integer");
        let a = value::wrap(int, a);
        let mut main = b.main();
        let mut stmts = Vec::new();
        let x = operand(&mut b, main.id, form, from, a, &mut stmts);
        let result = b.var("result", to, VarKind::Local(main.id));
        stmts.push(StmtKind::Assign(b.place(result), Expr::cast(to, x.clone())));
        let [yes, no] = [BlockId(1), BlockId(2)];
        b.block(&mut main, stmts, Branch::If { cond: x, then: yes, els: no });
        b.block(&mut main, vec![], Branch::Return(Some(int32(1))));
        b.block(&mut main, vec![], Branch::Return(Some(int32(0))));
        b.finish(main);
        let expected = value::cast(&b.program.types, from, to, Value::Int(a));
        prop_assert_eq!(final_value(&b.program, result), Ok(Some(expected)));
        prop_assert_eq!(run(&b.program), Outcome::Exit((a != 0).into()));
    }

    /// A comparison that branches agrees with one that is stored.
    #[test]
    fn branches(
        ty in 0..TYPES.len(), op in 10..BinOp::ALL.len(), a in edge(), c in edge(),
        left in forms(), right in forms(), negate: bool, swap: bool, careful: bool,
    ) {
        let int = IntTy::new(TYPES[ty].0, TYPES[ty].1);
        let (a, c) = (value::wrap(int, a), value::wrap(int, c));
        let mut b = Build::new(Target::X86_64);
        let ty = b.program.types.int(int.bits, int.signed);
        let mut main = b.main();
        let mut stmts = Vec::new();
        if careful {
            become_careful(&mut b, main.id, &mut stmts);
        }
        let x = operand(&mut b, main.id, left, ty, a, &mut stmts);
        let y = operand(&mut b, main.id, right, ty, c, &mut stmts);
        let mut cond = Expr::binary(BinOp::ALL[op], x, y);
        if negate {
            cond = Expr::unary(UnOp::Not, cond);
        }
        let (then, els) = if swap { (2, 1) } else { (1, 2) };
        let branch = Branch::If { cond, then: BlockId(then), els: BlockId(els) };
        b.block(&mut main, stmts, branch);
        b.block(&mut main, vec![], Branch::Return(Some(int32(1))));
        b.block(&mut main, vec![], Branch::Return(Some(int32(0))));
        b.finish(main);
        let holds = value::int_binary(BinOp::ALL[op], int, a, c).expect("a test") == 1;
        let expected = (holds != negate) != swap;
        prop_assert_eq!(run(&b.program), Outcome::Exit(expected.into()));
    }

    /// Bit-fields keep their neighbours and read back wrapped, in both targets.
    #[test]
    fn bit_fields(widths in prop::collection::vec((1u16..=64, any::<bool>()), 1..8), gap in 0u64..9, values in prop::collection::vec(any::<i64>(), 8)) {
        let mut b = Build::new(Target::X86_64);
        let mut at = gap;
        let mut fields = Vec::new();
        for (n, (bits, signed)) in widths.iter().enumerate() {
            let ty = b.program.types.int(*bits, *signed);
            fields.push(Field { name: format!("f{n}"), ty, bit_offset: at, bit_field: true });
            at += u64::from(*bits);
        }
        let record = b.program.types.records.push(Record {
            name: "s".into(),
            kind: RecordKind::Struct,
            fields: fields.clone(),
            size: at.div_ceil(8),
            align: 1,
            complete: true,
        });
        let ty = b.program.types.record(record);
        let s = b.global("s", ty);
        let mut stmts = Vec::new();
        let field = |n: usize| Place { ty: fields[n].ty, base: Base::Var(s), path: vec![Step::Field(n as u32)] };
        let wrapped = |n: usize| value::wrap(IntTy::new(widths[n].0, widths[n].1), values[n].into());
        for (n, f) in fields.iter().enumerate() {
            stmts.push(StmtKind::Assign(field(n), Expr::int(f.ty, wrapped(n))));
        }
        // The number of fields that read back right.
        let good = b.global("good", INT);
        for (n, f) in fields.iter().enumerate() {
            let same = Expr::binary(BinOp::Eq, Expr::load(field(n)), Expr::int(f.ty, wrapped(n)));
            let sum = Expr::binary(BinOp::Add, b.load(good), same);
            stmts.push(StmtKind::Assign(b.place(good), sum));
        }
        let result = b.load(good);
        b.simple_main(stmts, result);
        prop_assert_eq!(run(&b.program), Outcome::Exit(fields.len() as i32));
    }

    /// A switch finds the range that holds its value, dense or sparse.
    #[test]
    fn switches(mut ends in prop::collection::btree_set(-300i128..300, 2..12), factor in 1i128..1_000_000, on in -310i128..310) {
        if ends.len() % 2 == 1 {
            ends.pop_last();
        }
        let ends: Vec<_> = ends.into_iter().map(|e| e * factor).collect();
        let cases: Vec<_> = ends.chunks(2).enumerate().map(|(n, c)| Case { lo: c[0], hi: c[1], target: BlockId(n as u32 + 2) }).collect();
        let on = on * factor;
        let mut b = Build::new(Target::X86_64);
        let x = b.global("x", INT);
        let mut main = b.main();
        let set = vec![StmtKind::Assign(b.place(x), int32(on))];
        let value = b.load(x);
        b.block(&mut main, set, Branch::Switch { on: value, cases: cases.clone(), default: BlockId(1) });
        for n in 0..=cases.len() {
            b.block(&mut main, vec![], Branch::Return(Some(int32(n as i128))));
        }
        b.finish(main);
        let found = cases.iter().position(|c| (c.lo..=c.hi).contains(&on)).map_or(0, |n| n as i32 + 1);
        prop_assert_eq!(run(&b.program), Outcome::Exit(found));
    }
}

fn int32(value: i128) -> Expr {
    int(value)
}

/// Floating arithmetic and conversions, through slots of one and two words.
#[test]
fn floats() {
    for ty in [
        FloatTy::F16,
        FloatTy::F32,
        FloatTy::F64,
        FloatTy::F80,
        FloatTy::F128,
    ] {
        for op in [
            BinOp::Add,
            BinOp::Sub,
            BinOp::Mul,
            BinOp::Div,
            BinOp::Lt,
            BinOp::Ge,
            BinOp::Eq,
        ] {
            for (x, y) in [(1.5, 0.25), (-3.0, 7.0), (0.1, 0.1), (f64::NAN, 1.0)] {
                let mut b = Build::new(Target::X86_64);
                let float = b.program.types.float(ty);
                let (a, c) = (value::float::from_f64(ty, x), value::float::from_f64(ty, y));
                let left = Expr {
                    ty: float,
                    kind: ExprKind::Float(a),
                };
                let right = Expr {
                    ty: float,
                    kind: ExprKind::Float(c),
                };
                let g = b.global("g", float);
                let mut main = b.main();
                let l = b.var("l", float, VarKind::Local(main.id));
                let expr = Expr::binary(op, b.load(g), b.load(l));
                let result = b.var("result", expr.ty, VarKind::Local(main.id));
                let stmts = vec![
                    StmtKind::Assign(b.place(g), left),
                    StmtKind::Assign(b.place(l), right),
                    StmtKind::Assign(b.place(result), expr),
                ];
                b.block(&mut main, stmts, Branch::Return(Some(int(0))));
                b.finish(main);
                let expected = value::float::binary(op, ty, a, c);
                let found = final_value(&b.program, result)
                    .expect("no error")
                    .expect("a value");
                match (expected, found) {
                    (Value::Float(e), Value::Float(f)) if x.is_nan() => {
                        assert!(value::float::to_f64(ty, e).is_nan());
                        assert!(value::float::to_f64(ty, f).is_nan());
                    }
                    _ => assert_eq!(found, expected, "{ty:?} {op:?} {x} {y}"),
                }
            }
        }
    }
}
