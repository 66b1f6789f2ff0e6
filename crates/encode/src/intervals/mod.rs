//! Checks that intervals prove, before any solver runs: for each function on its own, the range of
//! each local number at each point. Sound whatever the rest of the program does, since only
//! variables count whose address nobody takes.

mod eval;

use cwolf_base::Idx;
use cwolf_cwi::value;
use cwolf_cwi::{
    BlockId, Body, Branch, Callee, CheckId, ExprKind, FuncId, Place, Program, RESULT, RegId,
    StmtKind, Type, TypeId, VarId,
};
use eval::Eval;
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
