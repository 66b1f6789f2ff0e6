//! Turns code into inclusion constraints.

use super::{ESCAPED, Indirect, Node, OUTSIDE, Object, PointsTo};
use crate::code::{
    Base, BinOp, BlockId, Branch, Callee, Expr, ExprKind, FuncId, Place, RESULT, RegId, StmtKind,
};
use crate::program::{InitValue, Program};
use crate::types::{Type, TypeId, Types};

/// A block of a function.
type At = (FuncId, BlockId);

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
                let at = (id, block);
                for stmt in &code.stmts {
                    match &stmt.kind {
                        StmtKind::Assign(place, right) => self.assign(program, at, place, right),
                        StmtKind::SetReg(reg, right) => {
                            let to = self.reg_node(at, *reg);
                            self.set(program, at, to, right);
                        }
                        StmtKind::Undef(_) => {}
                    }
                }
                self.branch(program, at, &code.branch);
            }
        }
    }

    fn reg_node(&mut self, (func, block): At, reg: RegId) -> Node {
        if reg == RESULT {
            return self.result((func, block));
        }
        if let Some(node) = self.regs.get(&(func, reg)) {
            return *node;
        }
        let node = self.node();
        self.regs.insert((func, reg), node);
        node
    }

    /// Register 0 at the start of a block.
    fn result(&mut self, at: At) -> Node {
        if let Some(node) = self.results.get(&at) {
            return *node;
        }
        let node = self.node();
        self.results.insert(at, node);
        node
    }

    fn assign(&mut self, program: &Program, at: At, place: &Place, right: &Expr) {
        match &place.base {
            Base::Var(var) => {
                let to = self.contents_of(Object::Var(*var));
                self.set(program, at, to, right);
            }
            Base::Deref(ptr) => {
                let Some(from) = self.value(program, at, right) else {
                    return;
                };
                if let Some(to) = self.value(program, at, ptr) {
                    self.stores[to as usize].push(from);
                }
            }
        }
    }

    /// `to` includes the value of `e`.
    fn set(&mut self, program: &Program, at: At, to: Node, e: &Expr) {
        let mut sources = Vec::new();
        self.sources(program, at, e, &mut sources);
        for source in sources {
            match source {
                Source::Address(object) => self.include(to, object),
                Source::Copy(from) => self.copy(from, to),
                Source::Load(from) => self.loads[from as usize].push(to),
            }
        }
    }

    /// A node for the value of `e`; none if it holds no pointers.
    fn value(&mut self, program: &Program, at: At, e: &Expr) -> Option<Node> {
        let mut sources = Vec::new();
        self.sources(program, at, e, &mut sources);
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

    fn sources(&mut self, program: &Program, at: At, e: &Expr, out: &mut Vec<Source>) {
        match &e.kind {
            ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Zero => {}
            ExprKind::Unknown => {
                if may_be_unknown_pointer(&program.types, e.ty) {
                    out.push(Source::Address(OUTSIDE));
                }
            }
            ExprKind::Reg(reg) => out.push(Source::Copy(self.reg_node(at, *reg))),
            ExprKind::Load { place, .. } => match &place.base {
                Base::Var(var) => out.push(Source::Copy(self.contents_of(Object::Var(*var)))),
                Base::Deref(ptr) => {
                    if let Some(from) = self.value(program, at, ptr) {
                        out.push(Source::Load(from));
                    }
                }
            },
            ExprKind::AddrOf(place) => match &place.base {
                Base::Var(var) => out.push(Source::Address(self.object(Object::Var(*var)))),
                Base::Deref(ptr) => self.sources(program, at, ptr, out),
            },
            ExprKind::FuncAddr(f) => out.push(Source::Address(self.object(Object::Func(*f)))),
            ExprKind::VarArgs => out.push(Source::Address(self.var_args[at.0])),
            _ => {
                let mut inside = Vec::new();
                value_operands(e, &mut |e| inside.push(e));
                for e in inside {
                    self.sources(program, at, e, out);
                }
            }
        }
    }

    fn branch(&mut self, program: &Program, at: At, branch: &Branch) {
        match branch {
            Branch::Return(Some(e)) => {
                let to = self.returns[at.0];
                self.set(program, at, to, e);
            }
            Branch::Call {
                callee,
                args,
                ret,
                next,
            } => {
                let result = next.map(|next| self.result((at.0, next)));
                let nodes = args.iter().map(|a| self.value(program, at, a));
                let args: Vec<Option<Node>> = nodes.collect();
                match callee {
                    Callee::Direct(to) => self.direct(program, at, *to, &args, *ret, result),
                    Callee::Indirect(e) => {
                        if let Some(callee) = self.value(program, at, e) {
                            let call = self.indirect.len() as u32;
                            self.indirect.push(Indirect { args, result });
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
        at: At,
        callee: FuncId,
        args: &[Option<Node>],
        ret: TypeId,
        result: Option<Node>,
    ) {
        let name = &*program.funcs[callee].name;
        if self.with_body[callee] {
            self.call_func(callee, args, result);
        } else if ALLOCATORS.contains(&name) {
            let made = self.object(Object::Heap(at.0, at.1));
            let Some(to) = result else {
                return;
            };
            self.include(to, made);
            if let (true, Some(Some(old))) = (name.starts_with("realloc"), args.first()) {
                // The old object may stay, and the new one holds what it held.
                self.copy(*old, to);
                let held = self.contents[made as usize];
                self.loads[*old as usize].push(held);
            }
        } else if !HARMLESS.contains(&name) {
            for arg in args.iter().flatten() {
                self.copy(*arg, ESCAPED);
            }
            if let (true, Some(to)) = (may_be_unknown_pointer(&program.types, ret), result) {
                self.include(to, OUTSIDE);
            }
        }
    }

    /// After solving: what the value of `e` may point to.
    pub(super) fn values(&self, at: At, e: &Expr, out: &mut Vec<Object>) {
        match &e.kind {
            ExprKind::Unknown => out.push(Object::Outside),
            ExprKind::Reg(reg) => out.extend(self.reg(at.0, at.1, *reg)),
            ExprKind::Load { place, .. } => match &place.base {
                Base::Var(var) => out.extend(self.var(*var)),
                Base::Deref(ptr) => {
                    for object in self.expr(at.0, at.1, ptr) {
                        out.extend(self.contents(object));
                    }
                }
            },
            ExprKind::AddrOf(place) => match &place.base {
                Base::Var(var) => out.push(Object::Var(*var)),
                Base::Deref(ptr) => self.values(at, ptr, out),
            },
            ExprKind::FuncAddr(f) => out.push(Object::Func(*f)),
            ExprKind::VarArgs => out.push(Object::VarArgs(at.0)),
            _ => value_operands(e, &mut |e| self.values(at, e, out)),
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
