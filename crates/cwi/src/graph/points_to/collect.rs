//! Turns code into inclusion constraints.

use super::{ESCAPED, Indirect, Node, OUTSIDE, Object, PointsTo};
use crate::code::{
    Base, BinOp, BlockId, Branch, Callee, Expr, ExprKind, FuncId, Place, RESULT, RegId, StmtKind,
};
use crate::program::{InitValue, Program};
use crate::types::{Type, TypeId, Types};

/// Functions without a body that return a new object. `realloc` may also return its argument.
const ALLOCATORS: [&str; 12] = [
    "malloc",
    "calloc",
    "realloc",
    "valloc",
    "memalign",
    "aligned_alloc",
    "alloca",
    "__builtin_alloca",
    "__builtin_alloca_with_align",
    "strdup",
    "strndup",
    "reallocarray",
];
/// Functions without a body that keep no pointer, change none and return none.
const HARMLESS: [&str; 12] = [
    "free",
    "printf",
    "puts",
    "putchar",
    "strlen",
    "strcmp",
    "strncmp",
    "memcmp",
    "exit",
    "abort",
    "__assert_fail",
    "memset",
];

/// Where pointers come from.
enum Source {
    /// The address of an object.
    Address(u32),
    /// The members of a set.
    Copy(Node),
    /// What the members of a set hold.
    Load(Node),
}

impl PointsTo {
    pub(super) fn collect(&mut self, program: &Program) {
        for (id, var) in program.vars.enumerate() {
            let contents = self.contents_of(Object::Var(id));
            for item in &var.init {
                match item.value {
                    InitValue::Addr(var, _) => {
                        let object = self.object(Object::Var(var));
                        self.include(contents, object);
                    }
                    InitValue::Func(func) => {
                        let object = self.object(Object::Func(func));
                        self.include(contents, object);
                    }
                    _ => {}
                }
            }
        }
        for (id, func) in program.funcs.enumerate() {
            let Some(body) = &func.body else {
                continue;
            };
            for (block, code) in body.blocks.enumerate() {
                for stmt in &code.stmts {
                    match &stmt.kind {
                        StmtKind::Assign(place, right) => self.assign(program, id, place, right),
                        StmtKind::SetReg(reg, right) => {
                            let to = self.reg_node(id, *reg);
                            self.set(program, id, to, right);
                        }
                        StmtKind::Undef(_) => {}
                    }
                }
                self.branch(program, id, block, &code.branch);
            }
        }
    }

    fn reg_node(&mut self, func: FuncId, reg: RegId) -> Node {
        if reg == RESULT {
            return self.results[func];
        }
        if let Some(node) = self.regs.get(&(func, reg)) {
            return *node;
        }
        let node = self.node();
        self.regs.insert((func, reg), node);
        node
    }

    fn assign(&mut self, program: &Program, func: FuncId, place: &Place, right: &Expr) {
        match &place.base {
            Base::Var(var) => {
                let to = self.contents_of(Object::Var(*var));
                self.set(program, func, to, right);
            }
            Base::Deref(ptr) => {
                let Some(from) = self.value(program, func, right) else {
                    return;
                };
                if let Some(to) = self.value(program, func, ptr) {
                    self.stores[to as usize].push(from);
                }
            }
        }
    }

    /// `to` includes the value of `e`.
    fn set(&mut self, program: &Program, func: FuncId, to: Node, e: &Expr) {
        let mut sources = Vec::new();
        self.sources(program, func, e, &mut sources);
        for source in sources {
            match source {
                Source::Address(object) => self.include(to, object),
                Source::Copy(from) => self.copy(from, to),
                Source::Load(from) => self.loads[from as usize].push(to),
            }
        }
    }

    /// A node for the value of `e`; none if it holds no pointers.
    fn value(&mut self, program: &Program, func: FuncId, e: &Expr) -> Option<Node> {
        let mut sources = Vec::new();
        self.sources(program, func, e, &mut sources);
        match sources.as_slice() {
            [] => None,
            [Source::Copy(node)] => Some(*node),
            _ => {
                let node = self.node();
                for source in sources {
                    match source {
                        Source::Address(object) => self.include(node, object),
                        Source::Copy(from) => self.copy(from, node),
                        Source::Load(from) => self.loads[from as usize].push(node),
                    }
                }
                Some(node)
            }
        }
    }

    fn sources(&mut self, program: &Program, func: FuncId, e: &Expr, out: &mut Vec<Source>) {
        match &e.kind {
            ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Zero => {}
            ExprKind::Unknown => {
                if may_be_unknown_pointer(&program.types, e.ty) {
                    out.push(Source::Address(OUTSIDE));
                }
            }
            ExprKind::Reg(reg) => out.push(Source::Copy(self.reg_node(func, *reg))),
            ExprKind::Load { place, .. } => match &place.base {
                Base::Var(var) => out.push(Source::Copy(self.contents_of(Object::Var(*var)))),
                Base::Deref(ptr) => {
                    if let Some(from) = self.value(program, func, ptr) {
                        out.push(Source::Load(from));
                    }
                }
            },
            ExprKind::AddrOf(place) => match &place.base {
                Base::Var(var) => out.push(Source::Address(self.object(Object::Var(*var)))),
                Base::Deref(ptr) => self.sources(program, func, ptr, out),
            },
            ExprKind::FuncAddr(f) => out.push(Source::Address(self.object(Object::Func(*f)))),
            ExprKind::VarArgs => out.push(Source::Address(self.var_args[func])),
            _ => {
                let mut inside = Vec::new();
                value_operands(e, &mut |e| inside.push(e));
                for e in inside {
                    self.sources(program, func, e, out);
                }
            }
        }
    }

    fn branch(&mut self, program: &Program, func: FuncId, block: BlockId, branch: &Branch) {
        match branch {
            Branch::Return(Some(e)) => {
                let to = self.returns[func];
                self.set(program, func, to, e);
            }
            Branch::Call {
                callee, args, ret, ..
            } => {
                let nodes = args.iter().map(|a| self.value(program, func, a));
                let args: Vec<Option<Node>> = nodes.collect();
                match callee {
                    Callee::Direct(to) => self.direct(program, func, block, *to, &args, *ret),
                    Callee::Indirect(e) => {
                        if let Some(callee) = self.value(program, func, e) {
                            let call = self.indirect.len() as u32;
                            self.indirect.push(Indirect { args, caller: func });
                            self.called[callee as usize].push(call);
                        }
                    }
                }
            }
            _ => {}
        }
    }

    fn direct(
        &mut self,
        program: &Program,
        caller: FuncId,
        block: BlockId,
        callee: FuncId,
        args: &[Option<Node>],
        ret: TypeId,
    ) {
        let name = &*program.funcs[callee].name;
        if self.with_body[callee] {
            self.call_func(caller, callee, args);
        } else if ALLOCATORS.contains(&name) {
            let made = self.object(Object::Heap(caller, block));
            self.include(self.results[caller], made);
            if let (true, Some(Some(old))) = (name.starts_with("realloc"), args.first()) {
                // The old object may stay, and the new one holds what it held.
                self.copy(*old, self.results[caller]);
                let held = self.contents[made as usize];
                self.loads[*old as usize].push(held);
            }
        } else if !HARMLESS.contains(&name) {
            for arg in args.iter().flatten() {
                self.copy(*arg, ESCAPED);
            }
            if may_be_unknown_pointer(&program.types, ret) {
                self.include(self.results[caller], OUTSIDE);
            }
        }
    }

    /// After solving: what the value of `e` may point to.
    pub(super) fn values(&self, func: FuncId, e: &Expr, out: &mut Vec<Object>) {
        match &e.kind {
            ExprKind::Unknown => out.push(Object::Outside),
            ExprKind::Reg(reg) => out.extend(self.reg(func, *reg)),
            ExprKind::Load { place, .. } => match &place.base {
                Base::Var(var) => out.extend(self.var(*var)),
                Base::Deref(ptr) => {
                    for object in self.expr(func, ptr) {
                        out.extend(self.contents(object));
                    }
                }
            },
            ExprKind::AddrOf(place) => match &place.base {
                Base::Var(var) => out.push(Object::Var(*var)),
                Base::Deref(ptr) => self.values(func, ptr, out),
            },
            ExprKind::FuncAddr(f) => out.push(Object::Func(*f)),
            ExprKind::VarArgs => out.push(Object::VarArgs(func)),
            _ => value_operands(e, &mut |e| self.values(func, e, out)),
        }
    }
}

/// Calls `visit` for the operands whose pointers are in the value of an operator. Comparisons
/// and distances hold none; what is added to a pointer does not move it to another object,
/// unless the pointer is a constant.
fn value_operands<'e>(e: &'e Expr, visit: &mut dyn FnMut(&'e Expr)) {
    match &e.kind {
        ExprKind::Binary(op, ..) if op.is_test() => {}
        ExprKind::Unary(crate::UnOp::Not, _) | ExprKind::PtrDiff { .. } => {}
        ExprKind::Binary(BinOp::Shl | BinOp::Shr, a, _) => visit(a),
        ExprKind::Unary(_, a) | ExprKind::Cast(a) => visit(a),
        ExprKind::Binary(_, a, b) => {
            visit(a);
            visit(b);
        }
        ExprKind::PtrAdd { ptr, index, .. } => {
            visit(ptr);
            let mut start = &**ptr;
            while let ExprKind::Cast(inner) = &start.kind {
                start = inner;
            }
            if start.as_int().is_some() {
                visit(index);
            }
        }
        _ => {}
    }
}

/// Whether an unknown value of the type may be or hold a pointer.
fn may_be_unknown_pointer(types: &Types, ty: TypeId) -> bool {
    match types[ty] {
        Type::Pointer(_) | Type::Array { .. } | Type::Record(_) => true,
        Type::Int(int) => int.bits >= types.target().pointer_bits(),
        _ => false,
    }
}
