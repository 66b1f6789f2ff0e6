//! Runs CWI blocks on the same state.

use super::state::{State, convert, is_array};
use cwolf_cwi::{
    Base, Body, Branch, Expr, ExprKind, Place, Program, RESULT, RegId, Step, StmtKind, value,
};
use rustc_hash::FxHashMap;

pub struct BlockRun<'a> {
    pub program: &'a Program,
    pub state: State,
    pub regs: FxHashMap<RegId, i128>,
}

impl BlockRun<'_> {
    pub fn run(&mut self, body: &Body) -> Option<i128> {
        let mut at = Body::ENTRY;
        loop {
            if !self.state.burn() {
                return None;
            }
            let block = &body.blocks[at];
            for stmt in &block.stmts {
                match &stmt.kind {
                    StmtKind::Assign(place, value) => {
                        let address = self.place(place);
                        let value = self.value(value);
                        self.state.store(address, value);
                    }
                    StmtKind::SetReg(reg, value) => {
                        let value = self.value(value);
                        self.regs.insert(*reg, value);
                    }
                    StmtKind::Live(_) | StmtKind::Dead(_) => {}
                    StmtKind::Assert { .. } | StmtKind::Assume(_) | StmtKind::Havoc { .. } => {
                        unreachable!("the front end makes none")
                    }
                }
            }
            at = match &block.branch {
                Branch::Goto(to) => *to,
                Branch::If { cond, then, els } => match self.value(cond) {
                    0 => *els,
                    _ => *then,
                },
                Branch::Switch { on, cases, default } => {
                    let on = self.value(on);
                    let hit = cases.iter().find(|c| c.lo <= on && on <= c.hi);
                    hit.map_or(*default, |c| c.target)
                }
                Branch::Call { args, next, .. } => {
                    let args = args.iter().map(|a| self.value(a)).collect();
                    let result = self.state.call(args);
                    self.regs.insert(RESULT, result);
                    next.expect("it returns")
                }
                Branch::Return(value) => {
                    let value = value.as_ref().expect("a value is returned");
                    return Some(self.value(value));
                }
                other => panic!("not generated: {other:?}"),
            };
        }
    }
    fn place(&self, place: &Place) -> i128 {
        let mut at = match &place.base {
            Base::Var(var) => State::address(*var, 0),
            Base::Deref(pointer) => self.value(pointer),
        };
        for step in &place.path {
            match step {
                Step::Index(e) => at += self.value(e),
                Step::Field(_) => panic!("no records here"),
            }
        }
        at
    }
    fn value(&self, e: &Expr) -> i128 {
        let types = &self.program.types;
        let int = |ty| value::int_type(types, ty).expect("a number");
        match &e.kind {
            ExprKind::Int(v) => *v,
            ExprKind::Reg(reg) => self.regs[reg],
            ExprKind::Load { place, .. } => {
                assert!(!is_array(types, place.ty), "arrays are not loaded whole");
                self.state.load(self.place(place))
            }
            ExprKind::AddrOf(place) => self.place(place),
            ExprKind::Unary(op, inner) => value::int_unary(*op, int(inner.ty), self.value(inner)),
            ExprKind::Binary(op, a, b) => {
                let (x, y) = (self.value(a), self.value(b));
                value::int_binary(*op, int(a.ty), x, y).expect("no trap here")
            }
            ExprKind::Cast(inner) => convert(self.program, inner.ty, e.ty, self.value(inner)),
            other => panic!("not generated: {other:?}"),
        }
    }
}
