//! Random typed trees.

use crate::hir::{Expr, ExprKind, Function, LabelId, LocalInit, Stmt, StmtKind};
use cwolf_base::Span;
use cwolf_cwi::{
    BinOp, Definition, FuncId, FuncTy, Function as CwiFunction, Loc, LocId, Program, Target, Type,
    TypeId, Types, UnOp, Var, VarId, VarKind,
};

/// A program with some variables and one function to fill in.
pub struct World {
    pub program: Program,
    pub main: FuncId,
    outside: FuncId,
    word: TypeId,
    pointer: TypeId,
    /// Scalars of type `int`, some shared.
    pub scalars: Vec<VarId>,
    pub shared: Vec<VarId>,
    array: VarId,
    pub pointers: Vec<VarId>,
    counters: Vec<VarId>,
    random: u64,
    loops: u32,
    labels: u32,
    in_loop: bool,
    may_return: bool,
}

impl World {
    pub fn new(seed: u64) -> World {
        let mut program = Program::new(Target::X86_64);
        let file = program.locations.file("random.c");
        let (line, column) = (1, 1);
        let loc = program.locations.intern(Loc { file, line, column });
        let pointer = program.types.pointer(Types::INT);
        let array = program.types.array(Types::INT, 4);
        let word = program.types.int(64, true);
        let mut function = |name: &str, params: Vec<TypeId>, variadic, definition| {
            let ret = Types::INT;
            let ty = FuncTy {
                ret,
                params,
                variadic,
            };
            let ty = program.types.intern(Type::Func(ty));
            program.funcs.push(CwiFunction {
                definition,
                ..CwiFunction::declared(name, ty, loc)
            })
        };
        let outside = function("outside", Vec::new(), true, Definition::Declared);
        let main = function("f", Vec::new(), false, Definition::Defined);
        let mut world = World {
            program,
            main,
            outside,
            word,
            pointer,
            scalars: Vec::new(),
            shared: Vec::new(),
            array: VarId(0),
            pointers: Vec::new(),
            counters: Vec::new(),
            random: seed | 1,
            loops: 0,
            labels: 0,
            in_loop: false,
            may_return: true,
        };
        let global = VarKind::Global;
        let local = VarKind::Local(main);
        for (name, kind) in [("g", global), ("h", global), ("x", local), ("y", local)] {
            let var = world.var(name, Types::INT, kind, loc);
            world.scalars.push(var);
            if kind == global {
                world.shared.push(var);
            }
        }
        let taken = world.var("taken", Types::INT, local, loc);
        world.scalars.push(taken);
        world.shared.push(taken);
        world.array = world.var("a", array, global, loc);
        world.shared.push(world.array);
        for name in ["p", "q"] {
            let var = world.var(name, pointer, local, loc);
            world.pointers.push(var);
        }
        world
    }
    fn var(&mut self, name: &str, ty: TypeId, kind: VarKind, loc: LocId) -> VarId {
        let id = self.program.vars.push(Var::plain(name, ty, kind, 8, loc));
        if kind.is_automatic() {
            self.program.funcs[self.main].locals.push(id);
        }
        id
    }
    /// A number below `n`, from a plain xorshift generator.
    fn pick(&mut self, n: u64) -> u64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        (self.random >> 16) % n
    }
    fn one_of<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.pick(items.len() as u64) as usize]
    }

    pub fn function(&mut self, size: u32) -> Function {
        let mut body = Vec::new();
        let taken = self.scalars[4];
        for pointer in self.pointers.clone() {
            let place = expr(self.pointer, ExprKind::Var(pointer));
            let value = self.address_of(taken);
            body.push(stmt(StmtKind::Expr(assign(place, value))));
        }
        body.extend(self.stmts(size));
        let value = self.value(size);
        body.push(stmt(StmtKind::Return(Some(value))));
        Function {
            id: self.main,
            body,
            labels: self.labels,
            address_taken: Vec::new(),
            jumped_into: false,
            end: Span::default(),
        }
    }
    fn stmts(&mut self, size: u32) -> Vec<Stmt> {
        (0..1 + self.pick(4)).map(|_| self.stmt(size)).collect()
    }
    fn stmt(&mut self, size: u32) -> Stmt {
        let kind = match self.pick(if size == 0 { 3 } else { 12 }) {
            0..=2 => StmtKind::Expr(self.value(size)),
            3 => StmtKind::Block(self.scope(size - 1)),
            11 if self.may_return && self.pick(4) == 0 => {
                StmtKind::Return(Some(self.value(size - 1)))
            }
            4 | 5 => StmtKind::If {
                cond: self.value(size - 1),
                then: Box::new(self.stmt(size - 1)),
                els: (self.pick(2) == 0).then(|| Box::new(self.stmt(size - 1))),
            },
            6 => self.counted_loop(size - 1),
            7 => self.switch(size - 1),
            8 if self.in_loop && self.pick(2) == 0 => StmtKind::Break,
            8 if self.in_loop => StmtKind::Continue,
            9 => self.forward_goto(size - 1),
            10 => {
                let var = self.scalars[3];
                let init = Some(LocalInit::Value(self.value(size - 1)));
                StmtKind::Declare { var, init }
            }
            _ => StmtKind::Expr(self.value(size)),
        };
        stmt(kind)
    }
    /// The inside of a block, perhaps with something to do at its end.
    fn scope(&mut self, size: u32) -> Vec<Stmt> {
        let mut body: Vec<_> = (0..self.pick(3))
            .map(|_| stmt(StmtKind::Cleanup(self.call(0))))
            .collect();
        body.extend(self.stmts(size));
        body
    }
    fn call(&mut self, size: u32) -> Expr {
        let ty = self.program.funcs[self.outside].ty;
        let ty = self.program.types.pointer(ty);
        let callee = Box::new(expr(ty, ExprKind::FuncAddr(self.outside)));
        let args = (0..self.pick(4)).map(|_| self.value(size)).collect();
        let noreturn = false;
        let kind = ExprKind::Call {
            callee,
            args,
            noreturn,
        };
        expr(Types::INT, kind)
    }
    fn counted_loop(&mut self, size: u32) -> StmtKind {
        let loc = LocId(0);
        let counter = self.var("i", Types::INT, VarKind::Local(self.main), loc);
        self.counters.push(counter);
        self.loops += 1;
        let outer = std::mem::replace(&mut self.in_loop, true);
        let place = || expr(Types::INT, ExprKind::Var(counter));
        let init = stmt(StmtKind::Expr(assign(place(), int(0))));
        let below = expr(
            Types::INT,
            ExprKind::Binary(BinOp::Lt, Box::new(load(place())), Box::new(int(3))),
        );
        let more = self.value(size);
        let cond = expr(Types::INT, ExprKind::And(Box::new(below), Box::new(more)));
        let step = assign_op(place(), BinOp::Add, int(1), true);
        let body = Box::new(self.stmt(size));
        self.in_loop = outer;
        if self.pick(2) == 0 {
            return StmtKind::For {
                init: vec![init],
                cond: Some(cond),
                step: Some(step),
                body,
            };
        }
        let both = vec![stmt(StmtKind::Expr(step)), *body];
        let body = Box::new(stmt(StmtKind::Block(both)));
        let repeat = match self.pick(2) {
            0 => StmtKind::While { cond, body },
            _ => StmtKind::DoWhile { cond, body },
        };
        StmtKind::Block(vec![init, stmt(repeat)])
    }
    fn switch(&mut self, size: u32) -> StmtKind {
        let on = self.value(size);
        let outer = std::mem::replace(&mut self.in_loop, false);
        let mut body = Vec::new();
        for lo in [4, 0, 2] {
            let hi = lo + i128::from(self.pick(2));
            body.push(stmt(StmtKind::Case { lo, hi }));
            body.push(self.stmt(size));
            if self.pick(2) == 0 {
                body.push(stmt(StmtKind::Break));
            }
        }
        if self.pick(2) == 0 {
            body.push(stmt(StmtKind::Default));
            body.push(self.stmt(size));
        }
        self.in_loop = outer;
        let body = Box::new(stmt(StmtKind::Block(body)));
        StmtKind::Switch { on, body }
    }
    fn forward_goto(&mut self, size: u32) -> StmtKind {
        let label = LabelId(self.labels);
        self.labels += 1;
        let cond = self.value(size);
        let then = Box::new(stmt(StmtKind::Goto(label)));
        let jump = stmt(StmtKind::If {
            cond,
            then,
            els: None,
        });
        let mut body = self.scope(0);
        body.push(jump);
        body.push(stmt(StmtKind::Block(self.scope(size))));
        let then = Box::new(stmt(StmtKind::Goto(label)));
        let mut inner = self.scope(size);
        let cond = self.value(size);
        inner.push(stmt(StmtKind::If {
            cond,
            then,
            els: None,
        }));
        inner.extend(self.stmts(0));
        body.push(stmt(StmtKind::Block(inner)));
        body.push(stmt(StmtKind::Label(label)));
        StmtKind::Block(body)
    }
    /// A pointer to one of the shared variables.
    fn address(&mut self) -> Expr {
        let var = self.one_of(&[self.scalars[0], self.scalars[1], self.scalars[4]]);
        self.address_of(var)
    }
    fn address_of(&self, var: VarId) -> Expr {
        let place = expr(Types::INT, ExprKind::Var(var));
        expr(self.pointer, ExprKind::AddrOf(Box::new(place)))
    }
    fn pointer_value(&mut self, size: u32) -> Expr {
        let var = self.one_of(&self.pointers.clone());
        let place = expr(self.pointer, ExprKind::Var(var));
        match self.pick(4) {
            0 if size > 0 => {
                let value = self.pointer_value(size - 1);
                assign(place, value)
            }
            1 if size > 0 => {
                let value = self.address();
                assign(place, value)
            }
            2 => self.address(),
            _ => load(place),
        }
    }
    fn place(&mut self, size: u32) -> Expr {
        match self.pick(5) {
            0 if size > 0 => {
                let pointer = self.pointer_value(size - 1);
                expr(Types::INT, ExprKind::Deref(Box::new(pointer)))
            }
            1 | 2 if size > 0 => {
                let whole = self.program.vars[self.array].ty;
                let base = expr(whole, ExprKind::Var(self.array));
                let index = self.value(size - 1);
                let three = Box::new(int(3));
                let index = expr(
                    Types::INT,
                    ExprKind::Binary(BinOp::BitAnd, Box::new(index), three),
                );
                let index = expr(self.word, ExprKind::Cast(Box::new(index)));
                expr(Types::INT, ExprKind::Index(Box::new(base), Box::new(index)))
            }
            _ => {
                let var = self.one_of(&self.scalars.clone());
                expr(Types::INT, ExprKind::Var(var))
            }
        }
    }
    pub fn value(&mut self, size: u32) -> Expr {
        if size == 0 {
            let constant = i128::from(self.pick(5)) - 1;
            return match self.pick(3) {
                0 => int(constant),
                _ => load(self.place(0)),
            };
        }
        let next = size - 1;
        let boxed = |e: Expr| Box::new(e);
        let kind = match self.pick(16) {
            0 | 1 => return load(self.place(size)),
            2 | 3 => {
                let ops = [BinOp::Add, BinOp::Sub, BinOp::Mul, BinOp::Lt, BinOp::Eq];
                let op = self.one_of(&ops);
                let (a, b) = (self.value(next), self.value(next));
                ExprKind::Binary(op, boxed(a), boxed(b))
            }
            4 => ExprKind::Unary(
                self.one_of(&[UnOp::Not, UnOp::Neg]),
                boxed(self.value(next)),
            ),
            5 => ExprKind::And(boxed(self.value(next)), boxed(self.value(next))),
            6 => ExprKind::Or(boxed(self.value(next)), boxed(self.value(next))),
            7 => ExprKind::Cond(
                boxed(self.value(next)),
                boxed(self.value(next)),
                boxed(self.value(next)),
            ),
            8 => ExprKind::Comma(boxed(self.value(next)), boxed(self.value(next))),
            9 | 10 => {
                let place = self.place(next);
                return assign(place, self.value(next));
            }
            11 | 12 => {
                let place = self.place(next);
                let value = self.value(next);
                let post = self.pick(2) == 0;
                return assign_op(place, self.one_of(&[BinOp::Add, BinOp::Mul]), value, post);
            }
            13 => return self.call(next),
            14 => {
                // The evaluator of trees has no way to jump out of an expression.
                let outer = std::mem::replace(&mut self.in_loop, false);
                let may_return = std::mem::replace(&mut self.may_return, false);
                let body = self.scope(next.min(2));
                self.in_loop = outer;
                self.may_return = may_return;
                let value = Some(boxed(self.value(next)));
                ExprKind::StmtExpr { body, value }
            }
            _ => ExprKind::Elvis {
                value: boxed(self.value(next)),
                other: boxed(self.value(next)),
            },
        };
        expr(Types::INT, kind)
    }
}

pub fn stmt(kind: StmtKind) -> Stmt {
    let span = Span::default();
    Stmt { kind, span }
}

pub fn expr(ty: TypeId, kind: ExprKind) -> Expr {
    let span = Span::default();
    Expr { ty, kind, span }
}

pub fn int(value: i128) -> Expr {
    expr(Types::INT, ExprKind::Int(value))
}

pub fn load(place: Expr) -> Expr {
    expr(place.ty, ExprKind::Load(Box::new(place), false))
}

pub fn assign(place: Expr, value: Expr) -> Expr {
    let ty = place.ty;
    let (place, value) = (Box::new(place), Box::new(value));
    let volatile = false;
    let kind = ExprKind::Assign {
        place,
        value,
        volatile,
    };
    expr(ty, kind)
}

pub fn assign_op(place: Expr, op: BinOp, value: Expr, post: bool) -> Expr {
    let kind = ExprKind::AssignOp {
        place: Box::new(place),
        truth: false,
        op,
        value: Box::new(value),
        ty: Types::INT,
        scale: None,
        post,
        volatile: false,
    };
    expr(Types::INT, kind)
}
