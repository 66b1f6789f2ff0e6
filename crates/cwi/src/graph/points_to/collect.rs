//! Turns code into inclusion constraints.

use super::layout::{Layout, Shift};
use super::{Access, Argument, ESCAPED, Indirect, Node, OUTSIDE, Object, PointsTo};
use crate::code::{
    Base, BinOp, BlockId, Branch, Callee, Expr, ExprKind, FuncId, Place, RESULT, RegId, StmtKind,
};
use crate::program::{Function, InitValue, Origin, Program};
use crate::types::{Type, TypeId, Types};
use cwolf_known::{PointerFlow, Row, Stored};

/// A block of a function.
pub(super) type At = (FuncId, BlockId);

/// What is known of a function without a body that is called with so many arguments.
pub fn known(function: &Function, arguments: usize) -> Option<&'static Row> {
    let row = cwolf_known::lookup(&function.name).filter(|_| function.body.is_none())?;
    row.accepts(arguments).then_some(row)
}

/// What an allocation does to pointers where a model has code for it.
fn allocation(function: &Function, arguments: usize) -> Option<PointerFlow> {
    let row = cwolf_known::lookup(&function.name).filter(|_| function.origin == Origin::Model)?;
    let own = row.primitive().is_some() && row.accepts(arguments);
    let flow = own.then(|| row.pointer_flow()).flatten();
    flow.filter(|flow| flow.fresh)
}

/// All of an object.
const ANYWHERE: Access = Access {
    shift: Shift::ANY,
    size: 1,
};

/// Where pointers come from.
enum Source {
    /// A place in an object.
    Address(u32),
    /// The members of a set, moved.
    Copy(Node, Shift),
    /// What the members of a set hold, moved.
    Load(Node, Access, Shift),
}

impl PointsTo {
    pub(super) fn collect(&mut self, program: &Program) {
        let pointer = program.target().pointer_size();
        for (id, var) in program.vars.enumerate() {
            let base = self.base_ids[&Object::Var(id)];
            for item in &var.init {
                let value = match item.value {
                    InitValue::Addr(var, offset) => {
                        let member = self.part_of(Object::Var(var), Shift::bytes(offset));
                        self.taken.push(member);
                        member
                    }
                    InitValue::Func(func) => self.object(Object::Func(func), None),
                    _ => continue,
                };
                let access = Access {
                    shift: Shift::bytes((item.bit_offset / 8) as i64),
                    size: pointer,
                };
                for cell in self.touched((base, 0), access) {
                    self.include(cell, value);
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
                        StmtKind::Havoc { ptr, size } => {
                            self.havoc(program, at, ptr, size.is_some());
                        }
                        StmtKind::Live(_)
                        | StmtKind::Dead(_)
                        | StmtKind::Assert { .. }
                        | StmtKind::Assume(_) => {}
                    }
                }
                self.branch(program, at, &code.branch);
                // What the library compares, such as memmove its arguments, says nothing about a choice.
                if self.chooses_itself(id) {
                    code.for_each_expr(&mut |e| self.note_compared(program, at, e));
                }
            }
        }
    }

    /// Bytes that are written hold numbers from outside; where no count is given, code outside
    /// gets to know the pointer.
    fn havoc(&mut self, program: &Program, at: At, ptr: &Expr, counted: bool) {
        let Some(to) = self.value(program, at, ptr) else {
            return;
        };
        if !counted {
            self.copy(to, ESCAPED);
            return;
        }
        let from = self.node();
        self.include(from, OUTSIDE);
        let all = Access {
            shift: Shift::ANY,
            size: 1,
        };
        self.stores[to as usize].push((all, from));
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

    /// A place in an object that is there.
    fn part_of(&mut self, object: Object, shift: Shift) -> u32 {
        let base = self.base_ids[&object];
        let offset = self.layouts[base as usize].moved(0, shift);
        self.member(base, offset)
    }

    fn assign(&mut self, program: &Program, at: At, place: &Place, right: &Expr) {
        let access = self.access(place);
        // A record that is copied is copied part by part.
        if let (ExprKind::Load { place: from, .. }, Some((types, _))) = (&right.kind, &self.types)
            && types.is_aggregate(place.ty)
        {
            let parts = Layout::new(types, place.ty).cells;
            if parts.len() > 1 {
                let source = self.access(from);
                for (start, size) in parts {
                    let shift = Shift::bytes(start as i64);
                    let part = |access: Access| Access {
                        shift: access.shift.then(shift),
                        size,
                    };
                    let mut sources = Vec::new();
                    self.load(program, at, from, part(source), Shift::NONE, &mut sources);
                    self.store(program, at, place, part(access), sources);
                }
                return;
            }
        }
        let mut sources = Vec::new();
        self.sources(program, at, right, Shift::NONE, &mut sources);
        self.store(program, at, place, access, sources);
    }

    fn store(
        &mut self,
        program: &Program,
        at: At,
        place: &Place,
        access: Access,
        sources: Vec<Source>,
    ) {
        match &place.base {
            Base::Var(var) => {
                let base = self.base_ids[&Object::Var(*var)];
                let cells = self.touched((base, 0), access);
                match cells[..] {
                    [cell] => self.add(cell, sources),
                    _ => {
                        if let Some(from) = self.node_of(sources) {
                            for cell in cells {
                                self.copy(from, cell);
                            }
                        }
                    }
                }
            }
            Base::Deref(ptr) => {
                let Some(from) = self.node_of(sources) else {
                    return;
                };
                if let Some(to) = self.value(program, at, ptr) {
                    self.stores[to as usize].push((access, from));
                }
            }
        }
    }

    /// `to` includes what comes from `sources`.
    fn add(&mut self, to: Node, sources: Vec<Source>) {
        for source in sources {
            match source {
                Source::Address(member) => self.include(to, member),
                Source::Copy(from, Shift::NONE) => self.copy(from, to),
                Source::Copy(from, shift) => self.shifts[from as usize].push((shift, to)),
                Source::Load(from, access, Shift::NONE) => {
                    self.loads[from as usize].push((access, to));
                }
                Source::Load(from, access, shift) => {
                    let loaded = self.node();
                    self.loads[from as usize].push((access, loaded));
                    self.shifts[loaded as usize].push((shift, to));
                }
            }
        }
    }

    /// `to` includes the value of `e`.
    fn set(&mut self, program: &Program, at: At, to: Node, e: &Expr) {
        let mut sources = Vec::new();
        self.sources(program, at, e, Shift::NONE, &mut sources);
        self.add(to, sources);
    }

    /// A node for what comes from `sources`; none if nothing does.
    fn node_of(&mut self, sources: Vec<Source>) -> Option<Node> {
        match sources.as_slice() {
            [] => None,
            [Source::Copy(node, Shift::NONE)] => Some(*node),
            _ => {
                let node = self.node();
                self.add(node, sources);
                Some(node)
            }
        }
    }

    /// A node for the value of `e`; none if it holds no pointers.
    pub(super) fn value(&mut self, program: &Program, at: At, e: &Expr) -> Option<Node> {
        let mut sources = Vec::new();
        self.sources(program, at, e, Shift::NONE, &mut sources);
        self.node_of(sources)
    }

    /// What a part of a place holds.
    fn load(
        &mut self,
        program: &Program,
        at: At,
        place: &Place,
        access: Access,
        shift: Shift,
        out: &mut Vec<Source>,
    ) {
        match &place.base {
            Base::Var(var) => {
                let base = self.base_ids[&Object::Var(*var)];
                let cells = self.touched((base, 0), access).into_iter();
                out.extend(cells.map(|cell| Source::Copy(cell, shift)));
            }
            Base::Deref(ptr) => {
                if let Some(from) = self.value(program, at, ptr) {
                    out.push(Source::Load(from, access, shift));
                }
            }
        }
    }

    /// Where the pointers in the value of `e`, moved by `shift`, come from.
    fn sources(
        &mut self,
        program: &Program,
        at: At,
        e: &Expr,
        shift: Shift,
        out: &mut Vec<Source>,
    ) {
        match &e.kind {
            ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Zero => {}
            ExprKind::Choose => {
                if may_be_unknown_pointer(&program.types, e.ty) {
                    out.push(Source::Address(OUTSIDE));
                    if self.chooses_itself(at.0) && program.types.as_int(e.ty).is_none() {
                        out.push(Source::Copy(self.choice(at), Shift::NONE));
                    }
                }
            }
            ExprKind::Reg(reg) => {
                let node = self.reg_node(at, *reg);
                out.push(Source::Copy(node, self.known(shift)));
            }
            ExprKind::Load { place, .. } => {
                let access = self.access(place);
                let shift = self.known(shift);
                self.load(program, at, place, access, shift, out);
            }
            ExprKind::AddrOf(place) => {
                let shift = self.access(place).shift.then(shift);
                match &place.base {
                    Base::Var(var) => {
                        let member = self.part_of(Object::Var(*var), shift);
                        self.taken.push(member);
                        out.push(Source::Address(member));
                    }
                    Base::Deref(ptr) => self.sources(program, at, ptr, shift, out),
                }
            }
            ExprKind::FuncAddr(f) => {
                let function = self.object(Object::Func(*f), None);
                self.taken.push(function);
                out.push(Source::Address(function));
            }
            ExprKind::Cast(inner) if self.made_of(e).is_some() => {
                let from = self.value(program, at, inner);
                let made = self.made_pointer(at, from);
                out.push(Source::Copy(made, self.known(shift)));
            }
            ExprKind::VarArgs => out.push(Source::Address(self.var_args[at.0])),
            _ => {
                let mut inside = Vec::new();
                value_operands(e, &mut |e, moved| inside.push((e, moved)));
                for (e, moved) in inside {
                    self.sources(program, at, e, moved.then(shift), out);
                }
            }
        }
    }
    /// How far, as far as it matters.
    fn known(&self, shift: Shift) -> Shift {
        match self.types {
            Some(_) => shift,
            None => Shift::NONE,
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
                let nodes = args.iter().map(|a| Argument {
                    node: self.value(program, at, a),
                    wide: is_wide(&program.types, a.ty),
                });
                let args: Vec<Argument> = nodes.collect();
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
        args: &[Argument],
        ret: TypeId,
        result: Option<Node>,
    ) {
        let nodes: Vec<Option<Node>> = args.iter().map(|a| a.node).collect();
        if self.with_body[callee] {
            // Who allocates at the call itself does not enter the code of a model.
            if let Some(flow) = allocation(&program.funcs[callee], args.len()) {
                let layout = self.heap_layout(program, at);
                self.known_call(at, &flow, &nodes, result, layout);
            }
            return self.call_func(callee, args, result);
        }
        let row = known(&program.funcs[callee], args.len());
        let pointer = program.types.pointee(ret).is_some();
        let chosen = pointer && row.is_some_and(Row::chooses);
        if let (true, Some(to)) = (chosen && self.chooses_itself(at.0), result) {
            let choice = self.choice(at);
            self.copy(choice, to);
        }
        if let Some(flow) = row.and_then(Row::pointer_flow) {
            let layout = self.heap_layout(program, at);
            return self.known_call(at, &flow, &nodes, result, layout);
        }
        for arg in args.iter().filter_map(Argument::escaping) {
            self.copy(arg, ESCAPED);
        }
        if let (true, Some(to)) = (may_be_unknown_pointer(&program.types, ret), result) {
            self.include(to, OUTSIDE);
        }
    }

    /// The parts of what a call allocates, if it is known what that is used as.
    fn heap_layout(&self, program: &Program, at: At) -> Option<Layout> {
        let site = program
            .heap
            .sites
            .get(&at)
            .filter(|_| self.types.is_some())?;
        let mut kinds = site.groups.iter().map(|g| program.vars[g.rest].ty);
        let first = kinds.next()?;
        let sized = site.groups.iter().all(|g| program.heap.objects[&g.rest]);
        let one = sized && kinds.all(|ty| ty == first);
        one.then(|| Layout::new(&program.types, first))
    }

    /// A call of a function of which it is known what it does to pointers.
    fn known_call(
        &mut self,
        at: At,
        flow: &PointerFlow,
        args: &[Option<Node>],
        result: Option<Node>,
        layout: Option<Layout>,
    ) {
        let arg = |n: usize| args.get(n).copied().flatten();
        let new = |this: &mut PointsTo| {
            let made = this.object(Object::Heap(at.0, at.1), layout.clone());
            this.taken.push(made);
            made
        };
        if flow.fresh {
            let made = new(self);
            if let Some(to) = result {
                self.include(to, made);
            }
            let (base, _) = self.members[made as usize];
            for from in flow.fills_fresh.iter().filter_map(|n| arg(*n)) {
                for held in self.cells[base as usize].clone() {
                    self.loads[from as usize].push((ANYWHERE, held));
                }
            }
        }
        if let (true, Some(to)) = (flow.outside, result) {
            self.include(to, OUTSIDE);
        }
        for from in flow.returns.iter().filter_map(|n| arg(*n)) {
            if let Some(to) = result {
                let shift = self.known(Shift::ANY);
                self.add(to, vec![Source::Copy(from, shift)]);
            }
        }
        for (to, stored) in &flow.stores {
            let Some(to) = arg(*to) else { continue };
            let contents = |n: usize| Some(Source::Load(arg(n)?, ANYWHERE, Shift::NONE));
            let from: Vec<Source> = match stored {
                Stored::Contents(n) => contents(*n).into_iter().collect(),
                Stored::ContentsFrom(n) => (*n..args.len()).filter_map(contents).collect(),
                Stored::Argument(n) => {
                    let copy = |from| Source::Copy(from, self.known(Shift::ANY));
                    arg(*n).map(copy).into_iter().collect()
                }
                Stored::Fresh => vec![Source::Address(new(self))],
            };
            if let Some(from) = self.node_of(from) {
                self.stores[to as usize].push((ANYWHERE, from));
            }
        }
    }

    /// After solving: what the value of `e`, moved by `shift`, may point to.
    pub(super) fn values(&self, at: At, e: &Expr, shift: Shift, out: &mut Vec<(u32, u32)>) {
        let moved = |(base, offset): (u32, u32)| {
            let layout = &self.layouts[base as usize];
            (base, layout.moved(offset, shift))
        };
        match &e.kind {
            ExprKind::Choose => {
                out.push((OUTSIDE, 0));
                if self.chooses_itself(at.0) {
                    self.add_chosen(at, out);
                }
            }
            ExprKind::Cast(inner) if self.made_of(e).is_some() => {
                let before = out.len();
                self.values(at, inner, shift, out);
                let found = &out[before..];
                if found.is_empty() || found.iter().any(|(base, _)| *base == OUTSIDE) {
                    out.push((OUTSIDE, 0));
                    self.add_chosen(at, out);
                }
            }
            ExprKind::Reg(reg) => {
                out.extend(self.reg_members(at, *reg).into_iter().map(moved));
            }
            ExprKind::Load { place, .. } => {
                let access = self.access(place);
                let mut places = Vec::new();
                match &place.base {
                    Base::Var(var) => places.push((self.base_ids[&Object::Var(*var)], 0)),
                    Base::Deref(ptr) => self.values(at, ptr, Shift::NONE, &mut places),
                }
                for place in places {
                    for cell in self.touched(place, access) {
                        out.extend(self.members_in(cell).into_iter().map(moved));
                    }
                }
            }
            ExprKind::AddrOf(place) => {
                let to = self.access(place).shift.then(shift);
                match &place.base {
                    Base::Var(var) => {
                        let base = self.base_ids[&Object::Var(*var)];
                        out.push((base, self.layouts[base as usize].moved(0, to)));
                    }
                    Base::Deref(ptr) => self.values(at, ptr, to, out),
                }
            }
            ExprKind::FuncAddr(f) => out.push((self.base_ids[&Object::Func(*f)], 0)),
            ExprKind::VarArgs => out.push(self.members[self.var_args[at.0] as usize]),
            _ => value_operands(e, &mut |e, by| self.values(at, e, by.then(shift), out)),
        }
    }
}

/// Calls `visit` for the operands whose pointers are in the value of an operator, and with how far
/// they are moved. Comparisons and distances hold none; what is added to a pointer does not move
/// it to another object, unless the pointer is a constant.
fn value_operands<'e>(e: &'e Expr, visit: &mut dyn FnMut(&'e Expr, Shift)) {
    match &e.kind {
        ExprKind::Binary(op, ..) if op.is_test() => {}
        ExprKind::Unary(crate::UnOp::Not, _)
        | ExprKind::PtrDiff { .. }
        | ExprKind::Memory(..)
        | ExprKind::Fits(_) => {}
        ExprKind::Binary(BinOp::Shl | BinOp::Shr, a, _) => visit(a, Shift::ANY),
        ExprKind::Cast(a) => visit(a, Shift::NONE),
        ExprKind::Unary(_, a) => visit(a, Shift::ANY),
        ExprKind::Binary(_, a, b) => {
            visit(a, Shift::ANY);
            visit(b, Shift::ANY);
        }
        ExprKind::PtrAdd { ptr, index, scale } => {
            let by = index.as_int().and_then(|n| i64::try_from(n).ok());
            let bytes = by
                .zip(i64::try_from(*scale).ok())
                .and_then(|(n, s)| n.checked_mul(s));
            let unknown = Shift::steps(*scale);
            visit(ptr, bytes.map_or(unknown, Shift::bytes));
            let mut start = &**ptr;
            while let ExprKind::Cast(inner) = &start.kind {
                start = inner;
            }
            if start.as_int().is_some() {
                visit(index, Shift::ANY);
            }
        }
        _ => {}
    }
}

/// Whether a value of the type has room for a pointer. A narrower one may be a piece of a pointer, as where bytes are
/// copied one by one, but nobody outside puts such pieces together again.
fn is_wide(types: &Types, ty: TypeId) -> bool {
    match types[ty] {
        Type::Int(int) => int.bits >= types.target().pointer_bits(),
        Type::Bool | Type::Float(_) => false,
        _ => true,
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
