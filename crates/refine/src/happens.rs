//! Whether a step makes happen what a rule looks at, and under which condition: a write through a pointer or at an index may be one to what is watched.

use crate::Question;
use cwolf_absint::machine::{Extern, Position, fixed_bits};
use cwolf_absint::map::{Event, Rule, Seen, Spot};
use cwolf_cwi::graph::Object;
use cwolf_cwi::{
    Base, BinOp, Block, BlockId, Body, Branch, Callee, Expr, ExprKind, FuncId, Place, StmtKind,
    Type, VarId,
};

/// When an event happens in a step.
pub(crate) enum Happens {
    Never,
    /// Before this statement of the step's block, if all of these hold there.
    Before(usize, Vec<Expr>),
    /// At the start of the function that is called.
    Entered,
    /// Perhaps; the reason why nobody can say more.
    Unclear(String),
}

/// A step of a run: in a block, from a statement on.
pub(crate) struct Step<'s> {
    pub question: &'s Question<'s>,
    pub func: FuncId,
    pub block: BlockId,
    pub code: &'s Block,
    /// The statements that it runs.
    pub from: usize,
    pub to: usize,
    /// Whether it takes the branch.
    pub ends_block: bool,
    pub after: Position,
}

impl<'s> Step<'s> {
    pub fn new(
        question: &'s Question<'s>,
        (func, block, index): (FuncId, BlockId, u32),
        after: Position,
    ) -> Step<'s> {
        let body = question.program.funcs[func].body.as_ref();
        let code = &body.expect("it is followed").blocks[block];
        let end = code.stmts.len();
        let to = match after {
            // In the middle of a block: the last statement before is what was seen.
            Position::Code(f, b, n) if (f, b) == (func, block) && n > index => n as usize,
            _ => end,
        };
        let stays = matches!(after, Position::Code(f, b, n) if (f, b) == (func, block) && n as usize == end);
        Step {
            question,
            func,
            block,
            code,
            from: index as usize,
            to,
            ends_block: to == end && !stays,
            after,
        }
    }
    /// The function that is called.
    pub fn target(&self) -> Option<FuncId> {
        match (&self.code.branch, self.after) {
            (Branch::Call { .. }, Position::Outside(f) | Position::Code(f, Body::ENTRY, 0))
                if self.ends_block =>
            {
                Some(f)
            }
            _ => None,
        }
    }
    /// The condition that the function is called that the run goes into, where its blocks do not tell.
    pub fn calls_by_address(&self) -> Option<Expr> {
        match (&self.code.branch, self.target()?) {
            (
                Branch::Call {
                    callee: Callee::Indirect(address),
                    ..
                },
                f,
            ) if !self.question.follows(f) => Some(is_address_of(address, f)),
            _ => None,
        }
    }
    /// When the event of a rule happens.
    pub fn happens(&self, rule: &Rule) -> Happens {
        let end = Happens::Before(self.code.stmts.len(), Vec::new());
        let when = |is: bool| if is { end } else { Happens::Never };
        match &rule.event {
            Event::Call(funcs) => self.called(funcs),
            Event::Return(funcs) => {
                let returns = matches!(self.code.branch, Branch::Return(_));
                when(self.ends_block && returns && funcs.contains(&self.func))
            }
            Event::Exit(_) => when(self.after == Position::Halted),
            Event::Exec(..) => Happens::Never,
            Event::Watch(seen, _) | Event::Write(seen) if !seen.members.is_empty() => {
                self.member_written(seen)
            }
            Event::Watch(seen, _) | Event::Write(seen) => self.written(seen),
            Event::Read(seen) => match self.reads(seen) {
                true => Happens::Unclear("what a rule for `read` sees is not followed".to_owned()),
                false => Happens::Never,
            },
        }
    }
    /// When one of these functions is called.
    fn called(&self, funcs: &[FuncId]) -> Happens {
        let end = self.code.stmts.len();
        let has = |f: FuncId| funcs.contains(&f);
        let Branch::Call { callee, .. } = &self.code.branch else {
            return Happens::Never;
        };
        let address = match (callee, self.target()) {
            (_, Some(f)) if has(f) => return Happens::Before(end, Vec::new()),
            (Callee::Indirect(address), None) if self.ends_block => address,
            _ => return Happens::Never,
        };
        let program = self.question.program;
        let (callees, _) = program.points_to().callees(self.func, self.block, callee);
        let may_be = callees.into_iter().filter(|f| has(*f));
        let any = may_be
            .map(|f| is_address_of(address, f))
            .reduce(|a, b| Expr::binary(BinOp::Or, a, b));
        match any {
            Some(any) => Happens::Before(end, vec![any]),
            None => Happens::Never,
        }
    }
    /// When something that is watched is written.
    fn written(&self, seen: &Seen) -> Happens {
        let mut found = Happens::Never;
        for n in self.from..self.to {
            let StmtKind::Assign(place, _) = &self.code.stmts[n].kind else {
                continue;
            };
            match self.write(place, n + 1, seen) {
                Happens::Never => {}
                unclear @ Happens::Unclear(_) => return unclear,
                own => match (&found, &own) {
                    // Of several writes for certain, the last is what was seen.
                    (Happens::Never, _) => found = own,
                    (Happens::Before(_, a), Happens::Before(_, b))
                        if a.is_empty() && b.is_empty() =>
                    {
                        found = own;
                    }
                    _ => return Happens::Unclear("a step writes several times".to_owned()),
                },
            }
        }
        match self.written_by_branch(seen) {
            Happens::Never => found,
            own if matches!(found, Happens::Never) => own,
            _ => Happens::Unclear("a step writes several times".to_owned()),
        }
    }
    /// When an assignment writes what is watched.
    fn write(&self, place: &Place, after: usize, seen: &Seen) -> Happens {
        let program = self.question.program;
        if let Base::Var(var) = place.base
            && let Some((from, to)) = fixed_bits(program, place)
        {
            let hit = |s: &Spot| s.var == var && i128::from(s.from) < to && from < i128::from(s.to);
            if seen.fixed.iter().any(hit) {
                return Happens::Before(after, Vec::new());
            }
        }
        let known = fixed_bits(program, place).is_some();
        // What is always there was compared already if the place is.
        let fixed = seen.places.iter().filter(|_| !known);
        let parts = fixed.chain(&seen.through);
        let parts: Vec<&Place> = parts.filter(|part| self.may_meet(place, part)).collect();
        match parts.is_empty() {
            true => Happens::Never,
            false => self.same(place, after, &parts),
        }
    }
    /// Whether two places may be in the same object.
    fn may_meet(&self, a: &Place, b: &Place) -> bool {
        let objects = |place: &Place| match &place.base {
            Base::Var(var) => vec![*var],
            Base::Deref(pointer) => self.behind(pointer),
        };
        let (a, b) = (objects(a), objects(b));
        a.iter().any(|v| b.contains(v))
    }
    /// The condition that a place is one of these or has one of them in it.
    fn same(&self, place: &Place, after: usize, parts: &[&Place]) -> Happens {
        let types = &self.question.program.types;
        let unclear = |text: &str| Happens::Unclear(text.to_owned());
        // The address is computed after the write, so it must be the same as before.
        let mut loads = false;
        place.for_each_operand(&mut |e| {
            e.walk(&mut |e| {
                loads |= matches!(&e.kind, ExprKind::Load { place, .. } if place.root().is_none())
            });
        });
        if loads || !matches!(types[place.ty], Type::Int(_) | Type::Bool | Type::Float(_)) {
            return unclear("what a write through a pointer writes is not followed exactly");
        }
        let own = match &place.base {
            Base::Deref(pointer) => Some(pointer.ty),
            // Of whatever type, they are compared as addresses.
            Base::Var(_) => parts.iter().find_map(|part| match &part.base {
                Base::Deref(pointer) => Some(pointer.ty),
                Base::Var(_) => types.lookup(&Type::Pointer(place.ty)),
            }),
        };
        let Some(address) = own else {
            return unclear("what a write at an index writes is not followed exactly");
        };
        let at = |place: &Place| Expr {
            ty: address,
            kind: ExprKind::AddrOf(place.clone()),
        };
        let mut any: Option<Expr> = None;
        for part in parts {
            if types.size_of(part.ty) != types.size_of(place.ty) || types.is_aggregate(part.ty) {
                return unclear("a write of another size may be to what is watched");
            }
            let here = Expr::binary(BinOp::Eq, at(place), at(part));
            any = Some(match any {
                None => here,
                Some(before) => Expr::binary(BinOp::Or, before, here),
            });
        }
        match any {
            Some(any) => Happens::Before(after, vec![any]),
            None => unclear("what a write through a pointer writes is not followed exactly"),
        }
    }
    /// What a call writes: parameters, and what code that is not followed may change.
    fn written_by_branch(&self, seen: &Seen) -> Happens {
        let Branch::Call { callee, args, .. } = &self.code.branch else {
            return Happens::Never;
        };
        if !self.ends_block {
            return Happens::Never;
        }
        let vars = || seen.fixed.iter().map(|s| s.var);
        if let Some(target) = self.target()
            && self.question.follows(target)
        {
            let params = &self.question.program.funcs[target].params;
            let through = |p: &Place| match &p.base {
                Base::Var(v) => params.contains(v),
                Base::Deref(pointer) => self.behind(pointer).iter().any(|v| params.contains(v)),
            };
            if seen.through.iter().any(through) {
                return Happens::Unclear("a parameter may be what is watched".to_owned());
            }
            return match vars().any(|v| params.contains(&v)) {
                true => Happens::Entered,
                false => Happens::Never,
            };
        }
        if seen
            .through
            .iter()
            .any(|p| self.may_change_behind(callee, args, p))
        {
            let text = "what is watched through a pointer, code that is not followed may write";
            return Happens::Unclear(text.to_owned());
        }
        match vars().find(|v| self.may_change(callee, args, *v)) {
            Some(v) => {
                let name = &self.question.program.vars[v].name;
                Happens::Unclear(format!(
                    "`{name}` is watched, and code that is not followed may write it"
                ))
            }
            None => Happens::Never,
        }
    }
    /// The same for what a pointer leads to.
    fn may_change_behind(&self, callee: &Callee, args: &[Expr], place: &Place) -> bool {
        let Base::Deref(pointer) = &place.base else {
            return place
                .root()
                .is_some_and(|v| self.may_change(callee, args, v));
        };
        let vars = self.behind(pointer);
        vars.iter().any(|v| self.may_change(callee, args, *v))
    }
    /// Whether a call of code that is not followed may change a variable.
    pub fn may_change(&self, callee: &Callee, args: &[Expr], var: VarId) -> bool {
        let program = self.question.program;
        let points_to = program.points_to();
        let is = |object: &Object| object.variables(program).contains(&var);
        // A smaller number is no address.
        let wide = |e: &Expr| {
            let types = &program.types;
            types.is_aggregate(e.ty) || types.size_of(e.ty) >= types.target().pointer_size()
        };
        let here = |e: &Expr| {
            if !wide(e) {
                return false;
            }
            let objects = points_to.reachable(self.func, self.block, e);
            objects.contains(&Object::Outside) || objects.iter().any(is)
        };
        let (targets, outside) = points_to.callees(self.func, self.block, callee);
        let known = |f: &FuncId| program.known(*f);
        outside
            || targets.iter().any(|f| match known(f) {
                Some(row) if row.writes_nothing() => false,
                Some(row) if row.writes_only_args() && row.formatted().is_none() => {
                    let written = row.writes_args().into_iter();
                    written.filter_map(|n| args.get(n)).any(here)
                }
                Some(_) => args.iter().any(here),
                None if self.question.options.externs == Extern::Pure => false,
                None => {
                    let kept = points_to.escaped().iter().any(is);
                    kept || args.iter().any(here)
                }
            })
    }
    /// Whether something that is looked at may be read.
    fn reads(&self, seen: &Seen) -> bool {
        let points_to = self.question.program.points_to();
        let mut found = false;
        let mut look = |e: &Expr| {
            e.walk(&mut |e| {
                let ExprKind::Load { place, .. } = &e.kind else {
                    return;
                };
                let at = |v: VarId| seen.fixed.iter().any(|s| s.var == v);
                found |= match &place.base {
                    _ if !seen.through.is_empty() => true,
                    Base::Var(v) => at(*v),
                    Base::Deref(p) => {
                        let objects = points_to.expr(self.func, self.block, p);
                        objects.contains(&Object::Outside) || self.behind(p).into_iter().any(at)
                    }
                };
            });
        };
        for stmt in &self.code.stmts[self.from..self.to] {
            stmt.kind.for_each_expr(&mut look);
        }
        if self.ends_block {
            self.code.branch.for_each_expr(&mut look);
        }
        found
    }
}

pub(crate) fn is_address_of(address: &Expr, func: FuncId) -> Expr {
    let function = Expr {
        ty: address.ty,
        kind: ExprKind::FuncAddr(func),
    };
    Expr::binary(BinOp::Eq, address.clone(), function)
}
