//! The points-to analysis again, slow and plain, as the measure of the fast one: go over all
//! statements until nothing changes.

use super::{Chosen, Object, PointsTo, Precision};
use crate::code::{
    Base, BinOp, BlockId, Branch, Callee, Expr, ExprKind, FuncId, Place, RESULT, RegId, StmtKind,
    UnOp,
};
use crate::program::{Definition, InitValue, Linkage, Program};
use crate::testing::{Rng, random_program};
use crate::types::{Type, TypeId};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// Something that holds pointers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Cell {
    Object(Object),
    Reg(FuncId, RegId),
    Result(FuncId, BlockId),
    Return(FuncId),
}
type Set = BTreeSet<Object>;

struct Reference<'a> {
    program: &'a Program,
    cells: BTreeMap<Cell, Set>,
    escaped: Set,
    changed: bool,
}

impl Reference<'_> {
    fn get(&self, cell: Cell) -> Set {
        let mut set = self.cells.get(&cell).cloned().unwrap_or_default();
        if set.contains(&Object::Outside) {
            set.extend(&self.escaped);
        }
        set
    }
    fn add(&mut self, cell: Cell, values: &Set) {
        let set = self.cells.entry(cell).or_default();
        let before = set.len();
        set.extend(values);
        self.changed |= set.len() > before;
    }
    fn escape(&mut self, values: &Set) {
        let before = self.escaped.len();
        self.escaped.extend(values);
        self.changed |= self.escaped.len() > before;
    }
    fn load(&self, pointers: &Set) -> Set {
        let outside = |o: &Object| *o == Object::Outside || self.escaped.contains(o);
        let mut found: Set = pointers
            .iter()
            .flat_map(|o| self.get(Cell::Object(*o)))
            .collect();
        if pointers.iter().any(outside) {
            found.insert(Object::Outside);
            found.extend(&self.escaped);
        }
        found
    }
    /// Whether a value of the type has no room for a pointer.
    fn is_narrow(&self, ty: TypeId) -> bool {
        let types = &self.program.types;
        match types[ty] {
            Type::Int(int) => int.bits < types.target().pointer_bits(),
            Type::Bool | Type::Float(_) | Type::Void => true,
            _ => false,
        }
    }
    /// An unknown value of the type.
    fn unknown(&self, ty: TypeId) -> Set {
        match self.is_narrow(ty) {
            true => Set::new(),
            false => Set::from([Object::Outside]),
        }
    }
    fn eval(&self, at: (FuncId, BlockId), e: &Expr) -> Set {
        match &e.kind {
            ExprKind::Choose => self.unknown(e.ty),
            ExprKind::Reg(RESULT) => self.get(Cell::Result(at.0, at.1)),
            ExprKind::Reg(reg) => self.get(Cell::Reg(at.0, *reg)),
            ExprKind::Load { place, .. } => self.load(&self.base(at, place)),
            ExprKind::AddrOf(place) => self.base(at, place),
            ExprKind::FuncAddr(f) => Set::from([Object::Func(*f)]),
            ExprKind::VarArgs => Set::from([Object::VarArgs(at.0)]),
            ExprKind::Unary(UnOp::Not, _) => Set::new(),
            ExprKind::Unary(_, e) | ExprKind::Cast(e) => self.eval(at, e),
            ExprKind::Binary(op, ..) if op.is_test() => Set::new(),
            ExprKind::Binary(BinOp::Shl | BinOp::Shr, a, _) => self.eval(at, a),
            ExprKind::Binary(_, a, b) => &self.eval(at, a) | &self.eval(at, b),
            ExprKind::PtrAdd { ptr, .. } => self.eval(at, ptr),
            _ => Set::new(),
        }
    }
    /// The objects that a place may lie in.
    fn base(&self, at: (FuncId, BlockId), place: &Place) -> Set {
        match &place.base {
            Base::Var(v) => Set::from([Object::Var(*v)]),
            Base::Deref(p) => self.eval(at, p),
        }
    }
    fn call_from_outside(&mut self, f: FuncId) {
        let outside = Set::from([Object::Outside]);
        for p in self.program.funcs[f].params.clone() {
            self.add(Cell::Object(Object::Var(p)), &outside);
        }
        self.add(Cell::Object(Object::VarArgs(f)), &outside);
        let ret = self.get(Cell::Return(f));
        self.escape(&ret);
    }
    fn call(&mut self, callee: Object, args: &[(Set, bool)], result: Option<Cell>, ret: TypeId) {
        let program = self.program;
        match callee {
            // Called by name it makes an object, which the caller has seen to.
            Object::Func(f) if program.funcs[f].name == "malloc" => {}
            Object::Func(f) if program.funcs[f].body.is_some() => {
                for (n, (arg, _)) in args.iter().enumerate() {
                    let to = match program.funcs[f].params.get(n) {
                        Some(p) => Object::Var(*p),
                        None => Object::VarArgs(f),
                    };
                    self.add(Cell::Object(to), arg);
                }
                let ret = self.get(Cell::Return(f));
                result.into_iter().for_each(|r| self.add(r, &ret));
            }
            Object::Func(_) | Object::Outside => {
                // Code outside does not put pointers together from pieces.
                let whole = args.iter().filter(|(_, narrow)| !narrow);
                whole.for_each(|(a, _)| self.escape(a));
                let outside = self.unknown(ret);
                result.into_iter().for_each(|r| self.add(r, &outside));
            }
            _ => {}
        }
    }
    fn round(&mut self) {
        let program = self.program;
        for (id, func) in program.funcs.enumerate() {
            for (n, block) in func.body.iter().flat_map(|b| b.blocks.enumerate()) {
                let at = (id, n);
                for stmt in &block.stmts {
                    match &stmt.kind {
                        StmtKind::Assign(place, e) => {
                            let value = self.eval(at, e);
                            for o in self.base(at, place) {
                                if o == Object::Outside {
                                    self.escape(&value);
                                }
                                self.add(Cell::Object(o), &value);
                            }
                        }
                        StmtKind::SetReg(r, e) => self.add(Cell::Reg(id, *r), &self.eval(at, e)),
                        StmtKind::Havoc { ptr, size } => {
                            let to = self.eval(at, ptr);
                            match size {
                                Some(_) => {
                                    for o in to {
                                        self.add(Cell::Object(o), &Set::from([Object::Outside]));
                                    }
                                }
                                None => self.escape(&to),
                            }
                        }
                        StmtKind::Live(_)
                        | StmtKind::Dead(_)
                        | StmtKind::Assert { .. }
                        | StmtKind::Assume(_) => {}
                    }
                }
                match &block.branch {
                    Branch::Return(Some(e)) => self.add(Cell::Return(id), &self.eval(at, e)),
                    Branch::Call {
                        callee,
                        args,
                        next,
                        ret,
                    } => {
                        let value = |a: &Expr| (self.eval(at, a), self.is_narrow(a.ty));
                        let args: Vec<(Set, bool)> = args.iter().map(value).collect();
                        let result = next.map(|b| Cell::Result(id, b));
                        let callees = match callee {
                            Callee::Direct(f) => Set::from([Object::Func(*f)]),
                            Callee::Indirect(e) => self.eval(at, e),
                        };
                        for callee in callees {
                            self.call(callee, &args, result, *ret);
                        }
                        if let (Callee::Direct(f), Some(r)) = (callee, result)
                            && program.funcs[*f].name == "malloc"
                        {
                            self.add(r, &Set::from([Object::Heap(id, n)]));
                        }
                    }
                    _ => {}
                }
            }
        }
        for o in self.escaped.clone() {
            let held = self.get(Cell::Object(o));
            self.escape(&held);
            self.add(Cell::Object(o), &Set::from([Object::Outside]));
            if let Object::Func(f) = o {
                self.call_from_outside(f);
            }
        }
    }
    fn run(&mut self) {
        let program = self.program;
        for (id, var) in program.vars.enumerate() {
            if var.definition == Definition::Declared {
                self.escape(&Set::from([Object::Var(id)]));
            }
            for item in &var.init {
                let object = match item.value {
                    InitValue::Addr(v, _) => Object::Var(v),
                    InitValue::Func(f) => Object::Func(f),
                    _ => continue,
                };
                self.add(Cell::Object(Object::Var(id)), &Set::from([object]));
            }
        }
        self.changed = true;
        while std::mem::take(&mut self.changed) {
            for (id, func) in program.funcs.enumerate() {
                let root = match program.function("main") {
                    Some(main) => main == id,
                    None => func.linkage == Linkage::External && func.body.is_some(),
                };
                if root {
                    self.call_from_outside(id);
                }
            }
            self.round();
        }
    }
}

/// A program that does nothing but move pointers about.
fn pointer_program(seed: u64, size: usize) -> Program {
    const TYPE: &str = "fn(*void) *void";
    let mut rng = Rng::new(seed);
    let mut text = String::from("cwi 2\ntarget x86_64\n");
    for n in 0..6 {
        text += &format!("global g{n}: *void internal @\"p.c\":1:1\n");
    }
    text +=
        &format!("function outside: {TYPE} declared @1:1\nfunction malloc: {TYPE} declared @1:1\n");
    for f in 0..3 {
        let name = if f == 0 {
            "main".to_owned()
        } else {
            format!("f{f}")
        };
        text += &format!(
            "function {name}: {TYPE} @1:1\n  param p: *void @1:1\n  local l: *void @1:1\n{{\n"
        );
        let blocks = 1 + rng.below(size);
        for block in 0..blocks {
            text += &format!("block_{block}:\n");
            if block > 0 {
                text += &format!("  {} = r#0 @1:1\n", variable(&mut rng));
            }
            for _ in 0..rng.below(5) {
                let (a, b) = (variable(&mut rng), variable(&mut rng));
                text += &match rng.below(5) {
                    0 => format!("  {a} = (*void)(&{b}) @1:1\n"),
                    1 => format!("  {a} = (*void)(&f{}) @1:1\n", 1 + rng.below(2)),
                    2 => format!("  {a} = {b} @1:1\n"),
                    3 => format!("  {a} = *(**void)({b}) @1:1\n"),
                    _ => format!("  *(**void)({a}) = {b} @1:1\n"),
                };
            }
            let (a, b) = (variable(&mut rng), variable(&mut rng));
            text += &if block + 1 == blocks {
                format!("  return ({a}) @1:1\n")
            } else {
                let callee = match rng.below(6) {
                    0 => "outside".to_owned(),
                    1 => "malloc".to_owned(),
                    2 => "f1".to_owned(),
                    _ => format!("((*{TYPE})({b}))"),
                };
                format!("  call {callee}({a}) -> block_{} @1:1\n", block + 1)
            };
        }
        text += "}\n";
    }
    crate::text::parse(&text).unwrap_or_else(|d| panic!("{d:#?}\n{text}"))
}

fn variable(rng: &mut Rng) -> String {
    match rng.below(8) {
        6 => "p".into(),
        7 => "l".into(),
        n => format!("g{n}"),
    }
}

/// The fast analysis finds all that the plain one finds.
fn compare(program: &Program) -> Result<(), TestCaseError> {
    let mut plain = Reference {
        program,
        cells: BTreeMap::new(),
        escaped: Set::new(),
        changed: false,
    };
    plain.run();
    check(&plain, &PointsTo::new(program), program)?;
    check(
        &plain,
        &PointsTo::with_patience(program, Precision::Inclusion, Chosen::Outside, 0),
        program,
    )?;
    check(
        &plain,
        &PointsTo::with(program, Precision::OneLevel),
        program,
    )?;
    check(
        &plain,
        &PointsTo::with_patience(program, Precision::OneLevel, Chosen::Outside, 0),
        program,
    )
}

/// Told-apart fields never give more than whole objects do.
fn fields_are_fewer(program: &Program) -> Result<(), TestCaseError> {
    let whole = PointsTo::new(program);
    let fields = PointsTo::with(program, Precision::Fields);
    let escaped: Set = whole.escaped().into_iter().collect();
    for o in fields.escaped() {
        prop_assert!(escaped.contains(&o), "{:?} escapes only with fields", o);
    }
    for v in program.vars.ids() {
        let mut most: Set = whole.var(v).into_iter().collect();
        if most.contains(&Object::Outside) {
            most.extend(&escaped);
        }
        for o in fields.var(v) {
            prop_assert!(most.contains(&o), "{:?} holds {:?} only with fields", v, o);
        }
    }
    Ok(())
}

fn check(plain: &Reference, fast: &PointsTo, program: &Program) -> Result<(), TestCaseError> {
    let escaped: Set = fast.escaped().into_iter().collect();
    for o in &plain.escaped {
        prop_assert!(
            *o == Object::Outside || escaped.contains(o),
            "{:?} escapes",
            o
        );
    }
    for v in program.vars.ids() {
        let mut found: Set = fast.var(v).into_iter().collect();
        if found.contains(&Object::Outside) {
            found.extend(&escaped);
        }
        for o in plain.get(Cell::Object(Object::Var(v))) {
            prop_assert!(found.contains(&o), "{:?} may hold {:?}", v, o);
        }
    }
    Ok(())
}

proptest! {
    #[test]
    fn nothing_is_missed(seed: u64, size in 1usize..9) {
        compare(&random_program(seed, size))?;
    }

    #[test]
    fn fields_only_take_away(seed: u64, size in 1usize..9) {
        fields_are_fewer(&random_program(seed, size))?;
        fields_are_fewer(&pointer_program(seed, size))?;
    }

    #[test]
    fn no_pointer_is_missed(seed: u64, size in 1usize..8) {
        compare(&pointer_program(seed, size))?;
    }
}
