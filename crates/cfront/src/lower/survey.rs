//! A look over the whole function before it is lowered: which variables are reached through
//! pointers, and which declarations control may pass more than once.

use crate::hir::{Expr, ExprKind, Function, LabelId, LocalInit, Scale, Stmt, StmtKind};
use cwolf_cwi::{FuncId, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

/// What is known of a function as a whole.
#[derive(Debug, Default)]
pub(super) struct Survey {
    /// Variables whose address is taken.
    pub address_taken: FxHashSet<VarId>,
    /// Variables whose declaration control may pass again: in a loop, between a label and a later
    /// jump back to it, or after a call that may return once more (`setjmp`).
    pub repeated: FxHashSet<VarId>,
    /// How many compound literals there are.
    pub compounds: usize,
    /// How many computed gotos there are.
    pub computed_gotos: usize,
    numbers: FxHashMap<LabelId, i128>,
}

impl Survey {
    /// The constant that stands for the address of `label`.
    pub fn label_number(&self, label: LabelId) -> i128 {
        self.numbers[&label]
    }
}

/// Looks over `function`; calls by name may return more than once if `returns_twice` says so.
pub(super) fn survey(function: &Function, returns_twice: &dyn Fn(FuncId) -> bool) -> Survey {
    let mut walk = Walk {
        found: Survey::default(),
        now: 0,
        loops: 0,
        declared: Vec::new(),
        labels: FxHashMap::default(),
        last_jump: FxHashMap::default(),
        last_computed: 0,
        returns_twice,
        first_return: None,
    };
    walk.stmts(&function.body);
    for label in &function.address_taken {
        let last = walk.last_jump.entry(*label).or_default();
        *last = (*last).max(walk.last_computed);
    }
    walk.mark_repeated();
    let labels = function.address_taken.iter().copied();
    walk.found.numbers = labels.zip(1..).collect();
    walk.found
}

struct Walk<'f> {
    found: Survey,
    /// Counts declarations, labels and jumps in the order of the source.
    now: u32,
    loops: u32,
    declared: Vec<(u32, VarId)>,
    labels: FxHashMap<LabelId, u32>,
    last_jump: FxHashMap<LabelId, u32>,
    last_computed: u32,
    returns_twice: &'f dyn Fn(FuncId) -> bool,
    /// The first call that may return once more.
    first_return: Option<u32>,
}

impl Walk<'_> {
    /// A jump back goes over everything between the label and the jump again.
    fn mark_repeated(&mut self) {
        let mut back: Vec<(u32, u32)> = Vec::new();
        for (label, &from) in &self.labels {
            let to = self.last_jump.get(label).copied().unwrap_or(0);
            if to > from {
                back.push((from, to));
            }
        }
        back.extend(self.first_return.map(|from| (from, u32::MAX)));
        back.sort_unstable();
        let mut stretches = back.into_iter().peekable();
        let mut until = 0;
        for &(at, var) in &self.declared {
            while let Some((_, to)) = stretches.next_if(|&(from, _)| from < at) {
                until = until.max(to);
            }
            if at < until {
                self.found.repeated.insert(var);
            }
        }
    }
    fn tick(&mut self) -> u32 {
        self.now += 1;
        self.now
    }
    fn declare(&mut self, var: VarId) {
        let now = self.tick();
        if self.loops > 0 {
            self.found.repeated.insert(var);
        } else {
            self.declared.push((now, var));
        }
    }
    fn jump(&mut self, label: LabelId) {
        let now = self.tick();
        self.last_jump.insert(label, now);
    }
    fn stmts(&mut self, stmts: &[Stmt]) {
        stmts.iter().for_each(|s| self.stmt(s));
    }
    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Expr(e) | StmtKind::Cleanup(e) => self.expr(e),
            StmtKind::Declare { var, init } => {
                self.declare(*var);
                init.iter().for_each(|i| self.init(i));
            }
            StmtKind::DeclareVla { pointer, size } => {
                self.declare(*pointer);
                self.expr(size);
            }
            StmtKind::Block(stmts) => self.stmts(stmts),
            StmtKind::If { cond, then, els } => {
                self.expr(cond);
                self.stmt(then);
                els.iter().for_each(|s| self.stmt(s));
            }
            StmtKind::While { cond, body } | StmtKind::DoWhile { body, cond } => {
                self.loops += 1;
                self.expr(cond);
                self.stmt(body);
                self.loops -= 1;
            }
            StmtKind::For {
                init,
                cond,
                step,
                body,
            } => {
                self.stmts(init);
                self.loops += 1;
                cond.iter().for_each(|e| self.expr(e));
                step.iter().for_each(|e| self.expr(e));
                self.stmt(body);
                self.loops -= 1;
            }
            StmtKind::Switch { on, body } => {
                self.expr(on);
                self.stmt(body);
            }
            StmtKind::Label(label) => {
                let now = self.tick();
                self.labels.insert(*label, now);
            }
            StmtKind::Goto(label) => self.jump(*label),
            StmtKind::ComputedGoto(e) => {
                self.expr(e);
                self.last_computed = self.tick();
                self.found.computed_gotos += 1;
            }
            StmtKind::Return(e) => e.iter().for_each(|e| self.expr(e)),
            StmtKind::Asm {
                inputs,
                outputs,
                labels,
            } => {
                inputs.iter().for_each(|e| self.expr(e));
                outputs.iter().for_each(|e| self.expr(e));
                labels.iter().for_each(|l| self.jump(*l));
            }
            StmtKind::Empty
            | StmtKind::Case { .. }
            | StmtKind::Default
            | StmtKind::Break
            | StmtKind::Continue => {}
        }
    }
    fn init(&mut self, init: &LocalInit) {
        match init {
            LocalInit::Value(e) => self.expr(e),
            LocalInit::Pieces { pieces, .. } => pieces.iter().for_each(|p| self.expr(&p.value)),
        }
    }
    fn scale(&mut self, scale: &Scale) {
        if let Scale::Runtime(e) = scale {
            self.expr(e);
        }
    }
    fn expr(&mut self, e: &Expr) {
        match &e.kind {
            ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::Choose
            | ExprKind::Var(_)
            | ExprKind::FuncAddr(_)
            | ExprKind::VarArgs
            | ExprKind::LabelAddr(_)
            | ExprKind::Unreachable
            | ExprKind::Trap => {}
            ExprKind::AddrOf(place) => {
                self.take_address(place);
                self.expr(place);
            }
            ExprKind::Deref(a)
            | ExprKind::Field(a, _)
            | ExprKind::Load(a, _)
            | ExprKind::Cast(a)
            | ExprKind::Unary(_, a)
            | ExprKind::Halt(a) => self.expr(a),
            ExprKind::Index(a, b)
            | ExprKind::Within(a, b)
            | ExprKind::Binary(_, a, b)
            | ExprKind::And(a, b)
            | ExprKind::Or(a, b)
            | ExprKind::Comma(a, b)
            | ExprKind::Elvis { value: a, other: b }
            | ExprKind::Assign {
                place: a, value: b, ..
            } => {
                self.expr(a);
                self.expr(b);
            }
            ExprKind::Compound(var, init) => {
                self.found.compounds += 1;
                self.declare(*var);
                self.init(init);
            }
            ExprKind::Whole(pieces) => pieces.iter().for_each(|p| self.expr(&p.value)),
            ExprKind::Cond(a, b, c) => {
                self.expr(a);
                self.expr(b);
                self.expr(c);
            }
            ExprKind::PtrAdd {
                ptr: a,
                index: b,
                scale,
            }
            | ExprKind::PtrDiff {
                left: a,
                right: b,
                scale,
            } => {
                self.expr(a);
                self.expr(b);
                self.scale(scale);
            }
            ExprKind::AssignOp {
                place,
                value,
                scale,
                ..
            } => {
                self.expr(place);
                self.expr(value);
                scale.iter().for_each(|s| self.scale(s));
            }
            ExprKind::Call { callee, args, .. } => {
                self.expr(callee);
                args.iter().for_each(|a| self.expr(a));
                if matches!(callee.kind, ExprKind::FuncAddr(f) if (self.returns_twice)(f)) {
                    let now = self.tick();
                    self.first_return.get_or_insert(now);
                }
            }
            ExprKind::StmtExpr { body, value } => {
                self.stmts(body);
                value.iter().for_each(|v| self.expr(v));
            }
        }
    }
    /// The variables that a place may lie in; a record value's fields lie where it was read.
    fn take_address(&mut self, place: &Expr) {
        match &place.kind {
            // Others are shared in any case.
            ExprKind::Var(var) | ExprKind::Compound(var, _) => {
                self.found.address_taken.insert(*var);
            }
            ExprKind::Field(inner, _)
            | ExprKind::Index(inner, _)
            | ExprKind::Load(inner, _)
            | ExprKind::Comma(_, inner)
            | ExprKind::Assign { place: inner, .. }
            | ExprKind::StmtExpr {
                value: Some(inner), ..
            } => self.take_address(inner),
            // `*&x` is lowered to `x`.
            ExprKind::Deref(inner) => {
                if let ExprKind::AddrOf(inner) = &inner.kind {
                    self.take_address(inner);
                }
            }
            _ => {}
        }
    }
}
