//! Checks that intervals prove, before any solver runs: for each function on its own, the range of
//! each local number at each point. Sound whatever the rest of the program does, since only
//! variables count whose address nobody takes.

use cwolf_base::Idx;
use cwolf_cwi::value;
use cwolf_cwi::{
    BinOp, BlockId, Body, Branch, Callee, CheckId, Expr, ExprKind, FuncId, IntTy, Place, Program,
    RESULT, RegId, StmtKind, Type, TypeId, UnOp, VarId,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeSet, VecDeque};

/// Rounds of a loop before its bounds are guessed.
const PATIENCE: u32 = 3;

/// Which checks can never fail.
#[derive(Debug, Default)]
pub struct Proven {
    /// What is known of each `Assert` that was looked at.
    checks: FxHashMap<CheckId, bool>,
}

impl Proven {
    /// Looks at all functions.
    pub fn new(program: &Program) -> Proven {
        let mut proven = Proven::default();
        for (func, function) in program.funcs.enumerate() {
            if let Some(body) = &function.body {
                Pass::new(program, func, body).run(&mut proven);
            }
        }
        proven
    }
    /// Whether a check never fails.
    pub fn holds_check(&self, check: CheckId) -> bool {
        self.checks.get(&check) == Some(&true)
    }
}

/// Least and greatest value.
type Interval = (i128, i128);

/// What has a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Key {
    Var(VarId),
    Reg(RegId),
}

/// Ranges where something is known; elsewhere those of the types.
type State = FxHashMap<Key, Interval>;

struct Pass<'p> {
    program: &'p Program,
    func: FuncId,
    body: &'p Body,
    /// Variables whose address is taken, or that change by themselves.
    open: FxHashSet<VarId>,
    /// Numbers that bounds are guessed from.
    steps: Vec<i128>,
}

impl<'p> Pass<'p> {
    fn new(program: &'p Program, func: FuncId, body: &'p Body) -> Pass<'p> {
        let mut open = FxHashSet::default();
        let mut numbers = BTreeSet::from([0, 1]);
        body.for_each_expr(&mut |e| {
            e.walk(&mut |e| match &e.kind {
                ExprKind::AddrOf(place) => open.extend(place.root()),
                ExprKind::Load { place, volatile } if *volatile => open.extend(place.root()),
                ExprKind::Int(n) => numbers.extend([*n - 1, *n, *n + 1]),
                _ => {}
            });
        });
        Pass {
            program,
            func,
            body,
            open,
            steps: numbers.into_iter().collect(),
        }
    }

    fn run(&self, proven: &mut Proven) {
        let mut states: Vec<Option<State>> = vec![None; self.body.blocks.len()];
        let mut visits = vec![0u32; states.len()];
        let mut work = VecDeque::from([Body::ENTRY]);
        states[Body::ENTRY.index()] = Some(State::default());
        while let Some(block) = work.pop_front() {
            let Some(state) = states[block.index()].clone() else {
                continue;
            };
            for (to, out) in self.block(block, state, None) {
                let old = &mut states[to.index()];
                let new = match old {
                    None => out,
                    Some(old) => {
                        let joined = join(old, &out);
                        if joined == *old {
                            continue;
                        }
                        visits[to.index()] += 1;
                        match visits[to.index()] > PATIENCE {
                            true => self.widen(old, &joined),
                            false => joined,
                        }
                    }
                };
                *old = Some(new);
                if !work.contains(&to) {
                    work.push_back(to);
                }
            }
        }
        for block in self.body.blocks.ids() {
            // Where control never comes, nothing is claimed: the solver sees that at once.
            if let Some(state) = states[block.index()].take() {
                self.block(block, state, Some(proven));
            }
        }
    }

    /// Bounds that still move go on to the next number of the program, then to the type's.
    fn widen(&self, old: &State, new: &State) -> State {
        let mut wide = State::default();
        for (key, &(lo, hi)) in new {
            let Some(&(was_lo, was_hi)) = old.get(key) else {
                continue;
            };
            let below = self.steps.iter().rev().find(|s| **s <= lo).copied();
            let above = self.steps.iter().find(|s| **s >= hi).copied();
            let lo = if lo < was_lo { below } else { Some(lo) };
            let hi = if hi > was_hi { above } else { Some(hi) };
            if let (Some(lo), Some(hi)) = (lo.or(self.least(*key)), hi.or(self.greatest(*key))) {
                wide.insert(*key, (lo, hi));
            }
        }
        wide
    }

    fn type_of(&self, key: Key) -> TypeId {
        match key {
            Key::Var(v) => self.program.vars[v].ty,
            Key::Reg(r) => self.body.regs[r],
        }
    }
    fn least(&self, key: Key) -> Option<i128> {
        self.range(self.type_of(key)).map(|r| r.0)
    }
    fn greatest(&self, key: Key) -> Option<i128> {
        self.range(self.type_of(key)).map(|r| r.1)
    }

    /// The values of an integer type.
    fn range(&self, ty: TypeId) -> Option<Interval> {
        match self.program.types[ty] {
            Type::Bool => Some((0, 1)),
            Type::Int(int) if int.bits < 127 => Some((value::min(int), value::max(int))),
            _ => None,
        }
    }

    /// What a place that is a whole local number is known by.
    fn key(&self, place: &Place) -> Option<Key> {
        let var = place.as_var()?;
        let info = &self.program.vars[var];
        let own = info.kind.function() == Some(self.func) && info.kind.is_automatic();
        let plain = own && !info.volatile && !self.open.contains(&var);
        (plain && place.ty == info.ty && self.range(info.ty).is_some()).then_some(Key::Var(var))
    }

    /// Runs a block; where control goes with what. With `proven`, notes which checks hold.
    fn block(
        &self,
        id: BlockId,
        state: State,
        proven: Option<&mut Proven>,
    ) -> Vec<(BlockId, State)> {
        let mut eval = Eval {
            pass: self,
            state,
            proven,
        };
        let block = &self.body.blocks[id];
        for stmt in &block.stmts {
            let (key, range) = match &stmt.kind {
                StmtKind::Assign(place, e) => {
                    let range = eval.expr(e);
                    (self.key(place), range)
                }
                StmtKind::SetReg(reg, e) => {
                    let range = eval.expr(e);
                    let key = (*reg != RESULT && self.body.regs[*reg] == e.ty).then_some(*reg);
                    (key.map(Key::Reg), range)
                }
                StmtKind::Live(v) | StmtKind::Dead(v) => (Some(Key::Var(*v)), None),
                StmtKind::Assert { check, cond } => {
                    let holds = eval.certain(cond);
                    if let Some(proven) = &mut eval.proven {
                        *proven.checks.entry(*check).or_insert(true) &= holds;
                    }
                    match eval.under(cond, true) {
                        Some(state) => eval.state = state,
                        None => return Vec::new(),
                    }
                    continue;
                }
                StmtKind::Assume(cond) => match eval.under(cond, true) {
                    Some(state) => {
                        eval.state = state;
                        continue;
                    }
                    None => return Vec::new(),
                },
                // Variables that pointers lead to are not followed.
                StmtKind::Havoc { ptr, .. } => {
                    eval.expr(ptr);
                    continue;
                }
            };
            if let (None, StmtKind::Assign(place, _)) = (key, &stmt.kind) {
                eval.set(place.root().map(Key::Var), None);
            }
            eval.set(key, range);
        }
        match &block.branch {
            Branch::Goto(to) => vec![(*to, eval.state)],
            Branch::If { cond, then, els } => {
                eval.expr(cond);
                let mut out = Vec::new();
                for (to, holds) in [(*then, true), (*els, false)] {
                    if let Some(state) = eval.under(cond, holds) {
                        out.push((to, state));
                    }
                }
                out
            }
            Branch::Switch { on, cases, default } => {
                eval.expr(on);
                let key = eval.key_of(on);
                let mut out = vec![(*default, eval.state.clone())];
                for case in cases {
                    let mut state = eval.state.clone();
                    if let Some(key) = key
                        && !meet(&mut state, key, (case.lo, case.hi), self)
                    {
                        continue;
                    }
                    out.push((case.target, state));
                }
                out
            }
            Branch::Call {
                callee, args, next, ..
            } => {
                if let Callee::Indirect(e) = callee {
                    eval.expr(e);
                }
                for arg in args {
                    eval.expr(arg);
                }
                next.iter().map(|to| (*to, eval.state.clone())).collect()
            }
            Branch::Return(Some(e)) | Branch::Halt(e) => {
                eval.expr(e);
                Vec::new()
            }
            Branch::Return(None) | Branch::Unreachable(_) => Vec::new(),
        }
    }
}

fn join(a: &State, b: &State) -> State {
    let both = a.iter().filter_map(|(key, x)| {
        let y = b.get(key)?;
        Some((*key, (x.0.min(y.0), x.1.max(y.1))))
    });
    both.collect()
}

/// Narrows a range; false if nothing is left.
fn meet(state: &mut State, key: Key, (lo, hi): Interval, pass: &Pass<'_>) -> bool {
    let Some(whole) = pass.range(pass.type_of(key)) else {
        return true;
    };
    let old = state.get(&key).copied().unwrap_or(whole);
    let new = (old.0.max(lo), old.1.min(hi));
    if new.0 <= new.1 {
        state.insert(key, new);
    }
    new.0 <= new.1
}

struct Eval<'e, 'p> {
    pass: &'e Pass<'p>,
    state: State,
    proven: Option<&'e mut Proven>,
}

impl Eval<'_, '_> {
    fn set(&mut self, key: Option<Key>, range: Option<Interval>) {
        match (key, range) {
            (Some(key), Some(range)) => {
                self.state.insert(key, range);
            }
            (Some(key), None) => {
                self.state.remove(&key);
            }
            (None, _) => {}
        }
    }

    fn key_of(&self, e: &Expr) -> Option<Key> {
        match &e.kind {
            ExprKind::Load { place, volatile } if !volatile => self.pass.key(place),
            ExprKind::Reg(reg) if *reg != RESULT && self.pass.body.regs[*reg] == e.ty => {
                Some(Key::Reg(*reg))
            }
            // A conversion that keeps the value.
            ExprKind::Cast(inner) => {
                let key = self.key_of(inner)?;
                let whole = self.pass.range(inner.ty)?;
                let range = self.state.get(&key).copied().unwrap_or(whole);
                let room = self.pass.range(e.ty)?;
                (room.0 <= range.0 && range.1 <= room.1).then_some(key)
            }
            _ => None,
        }
    }

    /// The range of an expression, if it is a number.
    fn expr(&mut self, e: &Expr) -> Option<Interval> {
        let types = &self.pass.program.types;
        let whole = self.pass.range(e.ty);
        let within = |range: Interval| match whole {
            Some(room) if room.0 <= range.0 && range.1 <= room.1 => Some(range),
            _ => whole,
        };
        match &e.kind {
            ExprKind::Int(n) => within((*n, *n)),
            ExprKind::Zero => within((0, 0)),
            ExprKind::Load { place, .. } => {
                let known = self.pass.key(place).and_then(|k| self.state.get(&k));
                known.copied().or(whole)
            }
            ExprKind::Reg(reg) => match *reg == RESULT || self.pass.body.regs[*reg] != e.ty {
                true => whole,
                false => self.state.get(&Key::Reg(*reg)).copied().or(whole),
            },
            ExprKind::AddrOf(_place) => whole,
            ExprKind::Unary(op, a) => {
                let range = self.expr(a);
                match (op, range, types.as_int(e.ty)) {
                    (UnOp::Neg, Some((lo, hi)), Some(ty)) => self.exact(ty, -hi, -lo),
                    (UnOp::Neg, ..) => whole,
                    (UnOp::Not, ..) => within((0, 1)),
                    _ => whole,
                }
            }
            ExprKind::Binary(op, a, b) => self.binary(e, *op, a, b),
            ExprKind::Cast(a) => {
                let range = self.expr(a);
                match (&types[e.ty], range) {
                    (Type::Bool, _) => whole,
                    (_, Some(range)) => within(range),
                    _ => whole,
                }
            }
            ExprKind::PtrAdd { ptr, index, .. } => {
                self.expr(ptr);
                self.expr(index);
                whole
            }
            ExprKind::PtrDiff { left, right, .. } => {
                self.expr(left);
                self.expr(right);
                whole
            }
            ExprKind::Memory(..) | ExprKind::Fits(_) => within((0, 1)),
            ExprKind::Float(_) | ExprKind::Choose | ExprKind::FuncAddr(_) | ExprKind::VarArgs => {
                whole
            }
        }
    }

    /// The result of signed or unsigned arithmetic that is `lo..=hi` if nothing wraps.
    fn exact(&mut self, ty: IntTy, lo: i128, hi: i128) -> Option<Interval> {
        if ty.bits >= 127 {
            return None;
        }
        let room = (value::min(ty), value::max(ty));
        let fits = room.0 <= lo && hi <= room.1;
        Some(if fits { (lo, hi) } else { room })
    }

    fn binary(&mut self, e: &Expr, op: BinOp, a: &Expr, b: &Expr) -> Option<Interval> {
        let pass = self.pass;
        let whole = pass.range(e.ty);
        let x = self.expr(a);
        if op.is_logical() {
            // The right side counts only where the left one does not decide.
            let before = self.state.clone();
            if let Some(state) = self.under(a, op == BinOp::And) {
                self.state = state;
                self.expr(b);
            }
            self.state = before;
            return Some((0, 1));
        }
        let y = self.expr(b);
        if op.is_test() {
            return Some((0, 1));
        }
        let Type::Int(ty) = pass.program.types[a.ty] else {
            return whole;
        };
        let (Some((a, b)), Some((c, d))) = (x, y) else {
            return whole;
        };
        if op == BinOp::Mul && ty.bits > 63 {
            return whole;
        }
        match op {
            BinOp::Add => self.exact(ty, a + c, b + d),
            BinOp::Sub => self.exact(ty, a - d, b - c),
            BinOp::Mul => {
                let ends = [a * c, a * d, b * c, b * d];
                let (lo, hi) = (ends.iter().min()?, ends.iter().max()?);
                self.exact(ty, *lo, *hi)
            }
            BinOp::Div | BinOp::Rem => {
                let result = match op {
                    BinOp::Div if c > 0 => {
                        let ends = [a / c, a / d, b / c, b / d];
                        (*ends.iter().min()?, *ends.iter().max()?)
                    }
                    // As the dividend, and smaller than the divisor.
                    BinOp::Rem if c > 0 => {
                        let below = if a < 0 { -(d - 1).min(-a) } else { 0 };
                        (below, if b > 0 { b.min(d - 1) } else { 0 })
                    }
                    _ => return whole,
                };
                Some(result)
            }
            BinOp::BitAnd if a >= 0 && c >= 0 => Some((0, b.min(d))),
            BinOp::BitAnd if c >= 0 => Some((0, d)),
            BinOp::BitAnd if a >= 0 => Some((0, b)),
            BinOp::BitOr | BinOp::BitXor if a >= 0 && c >= 0 => {
                let top = (b | d) as u128;
                let ones = u128::MAX >> top.leading_zeros().min(127);
                Some((0, if top == 0 { 0 } else { ones as i128 }))
            }
            BinOp::Shl | BinOp::Shr => match op {
                BinOp::Shr if a >= 0 && (0..64).contains(&c) => Some((0, b >> c)),
                _ => whole,
            },
            _ => whole,
        }
    }

    /// Whether a condition cannot but hold.
    fn certain(&mut self, cond: &Expr) -> bool {
        match &cond.kind {
            ExprKind::Fits(e) => self.surely_fits(e),
            ExprKind::Binary(BinOp::And, a, b) => self.certain(a) && self.certain(b),
            ExprKind::Binary(BinOp::Or, a, b) => {
                if self.certain(a) {
                    return true;
                }
                let Some(state) = self.under(a, false) else {
                    return true;
                };
                let before = std::mem::replace(&mut self.state, state);
                let holds = self.certain(b);
                self.state = before;
                holds
            }
            _ => self.under(cond, false).is_none(),
        }
    }

    fn surely_fits(&mut self, e: &Expr) -> bool {
        let Type::Int(ty) = self.pass.program.types[e.ty] else {
            return false;
        };
        let ends: Vec<i128> = match &e.kind {
            ExprKind::Unary(UnOp::Neg, a) => match self.quiet(a) {
                Some((lo, hi)) => vec![-lo, -hi],
                None => return false,
            },
            ExprKind::Binary(op, a, b) => {
                let (Some((a, b)), Some((c, d))) = (self.quiet(a), self.quiet(b)) else {
                    return false;
                };
                match op {
                    BinOp::Add => vec![a + c, b + d],
                    BinOp::Sub => vec![a - d, b - c],
                    BinOp::Mul if ty.bits <= 63 => vec![a * c, a * d, b * c, b * d],
                    BinOp::Div | BinOp::Rem => {
                        return !(ty.signed && a == value::min(ty) && c <= -1 && -1 <= d);
                    }
                    BinOp::Shl if a >= 0 && (0..64).contains(&c) && (0..64).contains(&d) => {
                        match ty.bits <= 63 {
                            true => vec![a << c, b << d],
                            false => return false,
                        }
                    }
                    _ => return false,
                }
            }
            _ => return false,
        };
        ty.bits < 127
            && ends
                .iter()
                .all(|v| value::min(ty) <= *v && *v <= value::max(ty))
    }

    /// The range of an expression, without a note about it.
    fn quiet(&mut self, e: &Expr) -> Option<Interval> {
        let mut quiet = Eval {
            pass: self.pass,
            state: std::mem::take(&mut self.state),
            proven: None,
        };
        let range = quiet.expr(e);
        self.state = quiet.state;
        range
    }

    /// The state where a condition holds or fails; none if it cannot.
    fn under(&self, cond: &Expr, holds: bool) -> Option<State> {
        let mut quiet = Eval {
            pass: self.pass,
            state: self.state.clone(),
            proven: None,
        };
        quiet.assume(cond, holds).then_some(quiet.state)
    }

    /// Narrows ranges by a condition; false if it cannot be.
    fn assume(&mut self, cond: &Expr, holds: bool) -> bool {
        match &cond.kind {
            ExprKind::Unary(UnOp::Not, a) => self.assume(a, !holds),
            ExprKind::Binary(BinOp::And, a, b) if holds => {
                self.assume(a, true) && self.assume(b, true)
            }
            ExprKind::Binary(BinOp::Or, a, b) if !holds => {
                self.assume(a, false) && self.assume(b, false)
            }
            ExprKind::Binary(op, a, b) if op.is_test() && !op.is_logical() => {
                let op = if holds { Some(*op) } else { negated(*op) };
                let Some(op) = op else {
                    return true;
                };
                self.compare(op, a, b) && self.compare(mirrored(op), b, a)
            }
            _ => {
                let Some(range) = self.expr(cond) else {
                    return true;
                };
                let key = self.key_of(cond);
                match (key, holds) {
                    (Some(key), false) => meet(&mut self.state, key, (0, 0), self.pass),
                    (_, true) => range != (0, 0),
                    (None, false) => range.0 <= 0 && 0 <= range.1,
                }
            }
        }
    }

    /// `a op b` holds: narrows `a`.
    fn compare(&mut self, op: BinOp, a: &Expr, b: &Expr) -> bool {
        if !matches!(self.pass.program.types[a.ty], Type::Int(_) | Type::Bool) {
            return true;
        }
        let (Some((x, y)), Some((lo, hi))) = (self.expr(a), self.expr(b)) else {
            return true;
        };
        let bounds = match op {
            BinOp::Eq => (lo, hi),
            BinOp::Lt => (i128::MIN, hi - 1),
            BinOp::Le => (i128::MIN, hi),
            BinOp::Gt => (lo + 1, i128::MAX),
            BinOp::Ge => (lo, i128::MAX),
            BinOp::Ne if lo == hi && x == lo => (lo + 1, i128::MAX),
            BinOp::Ne if lo == hi && y == lo => (i128::MIN, lo - 1),
            _ => return true,
        };
        if x > bounds.1 || y < bounds.0 {
            return false;
        }
        match self.key_of(a) {
            Some(key) => meet(&mut self.state, key, bounds, self.pass),
            None => true,
        }
    }
}

fn negated(op: BinOp) -> Option<BinOp> {
    Some(match op {
        BinOp::Eq => BinOp::Ne,
        BinOp::Ne => BinOp::Eq,
        BinOp::Lt => BinOp::Ge,
        BinOp::Ge => BinOp::Lt,
        BinOp::Gt => BinOp::Le,
        BinOp::Le => BinOp::Gt,
        _ => return None,
    })
}

fn mirrored(op: BinOp) -> BinOp {
    match op {
        BinOp::Lt => BinOp::Gt,
        BinOp::Gt => BinOp::Lt,
        BinOp::Le => BinOp::Ge,
        BinOp::Ge => BinOp::Le,
        same => same,
    }
}
