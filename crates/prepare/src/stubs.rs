//! Code for a known function that has none, made from its row: it demands what the row requires,
//! changes what the row says, and returns any of what the row allows.

use crate::checks::Bound;
use crate::conditions::{Collector, Wanted};
use crate::requirements::{amount, demand_all};
use crate::variable::variable;
use cwolf_cwi::{
    BinOp, Block, BlockId, Body, Branch, Case, Check, CheckKind, Definition, Expr, ExprKind,
    FuncId, LocId, MemoryTest, Origin, Place, Program, Stmt, StmtKind, Type, TypeId, Types, VarId,
    VarKind,
};
use cwolf_known::{Amount, Effect, End, Outcome, Range, Requirement, Row};

/// How much of what a stub does is freedom that the real function has too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Freedom {
    /// All: input, time, the environment. Every run chooses.
    Open,
    /// None: the real function does one of these things, and the interpreter knows which.
    Approximation,
}

/// The row of a function that the program declares as the row says.
pub fn known_row(program: &Program, func: FuncId) -> Option<&'static Row> {
    let function = &program.funcs[func];
    let row = cwolf_known::lookup(&function.name)?;
    let Type::Func(ty) = &program.types[function.ty] else {
        return None;
    };
    let old_style = ty.params.is_empty() && ty.variadic;
    let alike = ty.params.len() == row.prototype.params.len();
    (alike && !old_style).then_some(row)
}

/// Gives `func` a body made from its row. `bound` is what its format says.
pub fn known_stub(
    program: &mut Program,
    func: FuncId,
    row: &Row,
    kinds: &[CheckKind],
    bound: Bound,
    freedom: Freedom,
) {
    let Type::Func(ty) = program.types[program.funcs[func].ty].clone() else {
        return;
    };
    let loc = program.funcs[func].loc;
    let params: Vec<VarId> = ty
        .params
        .iter()
        .enumerate()
        .map(|(n, ty)| {
            let name = row.prototype.params.get(n);
            let name = name.map_or(format!("argument{}", n + 1), |p| p.name.clone());
            variable(program, name, *ty, VarKind::Param(func), loc)
        })
        .collect();
    let load = |v: &VarId| Expr::load(Place::var(program.vars[*v].ty, *v));
    let args: Vec<Expr> = params.iter().map(load).collect();
    let mut maker = Maker {
        program,
        func,
        row,
        args,
        loc,
        stmts: Vec::new(),
        locals: Vec::new(),
    };
    maker.demands(kinds);
    if bound.unbounded && row.is_defined() && kinds.contains(&CheckKind::Bounds) {
        let fits = maker.choose(Types::INT);
        maker.assert(CheckKind::Bounds, "what is read fits in its buffer", fits);
    }
    let count = maker.prints(bound.most, kinds);
    maker.effects();
    let blocks = maker.result(ty.ret, count);
    let locals = maker.locals;
    let mut body = Body::default();
    body.regs.push(Types::VOID);
    for block in blocks {
        body.blocks.push(block);
    }
    let function = &mut program.funcs[func];
    function.params = params;
    function.locals = locals;
    function.body = Some(body);
    function.definition = Definition::Defined;
    function.origin = match freedom {
        Freedom::Open => Origin::Stub,
        Freedom::Approximation => Origin::Approximation,
    };
}

struct Maker<'p, 'r> {
    program: &'p mut Program,
    func: FuncId,
    row: &'r Row,
    args: Vec<Expr>,
    loc: LocId,
    stmts: Vec<Stmt>,
    locals: Vec<VarId>,
}

impl Maker<'_, '_> {
    fn push(&mut self, kind: StmtKind) {
        let loc = self.loc;
        self.stmts.push(Stmt { loc, kind });
    }

    fn assert(&mut self, kind: CheckKind, text: &str, cond: Expr) {
        let text = format!("{}: {text}", self.row.name);
        let loc = self.loc;
        let check = self.program.checks.push(Check { kind, loc, text });
        self.push(StmtKind::Assert { check, cond });
    }

    /// Any value of a type, in a variable of its own.
    fn choose(&mut self, ty: TypeId) -> Expr {
        let kind = VarKind::Local(self.func);
        let var = variable(self.program, "any".into(), ty, kind, self.loc);
        self.locals.push(var);
        let place = Place::var(ty, var);
        let any = Expr {
            ty,
            kind: ExprKind::Choose,
        };
        self.push(StmtKind::Assign(place.clone(), any));
        Expr::load(place)
    }

    fn demands(&mut self, kinds: &[CheckKind]) {
        let wanted = Wanted {
            kinds: kinds.to_vec(),
            shift_overflow: false,
        };
        let mut collector = Collector::new(self.program, &wanted);
        demand_all(&mut collector, self.row, &self.args);
        for demand in collector.found {
            self.assert(demand.kind, demand.text, demand.cond);
        }
    }

    /// How many bytes a format makes with the final zero, and that they fit; none if nothing is
    /// written to memory.
    fn prints(&mut self, most: Option<u64>, kinds: &[CheckKind]) -> Option<Expr> {
        let (to, bytes) = self.row.requires.iter().find_map(|r| match r {
            Requirement::Writable { at, bytes } if mentions_print(bytes) => {
                Some((at.itself()?, bytes.clone()))
            }
            _ => None,
        })?;
        let to = self.args.get(to)?.clone();
        let bits = self.program.target().word(false).bits;
        let word = self.program.types.int(bits, false);
        let count = self.choose(word);
        let one = Expr::int(word, 1);
        let some = Expr::binary(BinOp::Ge, count.clone(), one);
        // No call prints more than an `int` can tell.
        let most = most.unwrap_or(i32::MAX as u64 - 1).saturating_add(1);
        let few = Expr::binary(BinOp::Le, count.clone(), Expr::int(word, most.into()));
        self.push(StmtKind::Assume(Expr::binary(BinOp::And, some, few)));
        let written = self.written(word, &count, &bytes);
        if kinds.contains(&CheckKind::Bounds) {
            let cond = Expr::memory(MemoryTest::Inside, vec![to.clone(), written.clone()]);
            let text = "what is printed fits in its buffer";
            self.assert(CheckKind::Bounds, text, cond);
        }
        let size = Some(written);
        self.push(StmtKind::Havoc { ptr: to, size });
        Some(count)
    }

    /// How much of `count` bytes that are printed is written: at most what the call has room for.
    fn written(&mut self, word: TypeId, count: &Expr, bytes: &Amount) -> Expr {
        let room = match bytes {
            Amount::Min(a, b) if mentions_print(b) => amount(self.program, self.row, &self.args, a),
            Amount::Min(a, b) if mentions_print(a) => amount(self.program, self.row, &self.args, b),
            _ => return count.clone(),
        };
        let Some(room) = room else {
            return count.clone();
        };
        // The smaller of the two, by assumptions: expressions have no choice of their own.
        let written = self.choose(word);
        let is = |op: BinOp, limit: &Expr| Expr::binary(op, written.clone(), limit.clone());
        let both = Expr::binary(BinOp::And, is(BinOp::Le, count), is(BinOp::Le, &room));
        let one = Expr::binary(BinOp::Or, is(BinOp::Eq, count), is(BinOp::Eq, &room));
        self.push(StmtKind::Assume(Expr::binary(BinOp::And, both, one)));
        written
    }

    fn effects(&mut self) {
        for effect in self.row.effects.clone() {
            match effect {
                Effect::Writes { at, bytes, .. } => {
                    let ptr = at.itself().and_then(|n| self.args.get(n)).cloned();
                    if mentions_print(&bytes) {
                        continue;
                    }
                    match ptr {
                        Some(ptr) if is_pointer(self.program, &ptr) => {
                            let size = amount(self.program, self.row, &self.args, &bytes);
                            self.havoc(ptr, size);
                        }
                        _ => self.havoc_param(at.param),
                    }
                }
                Effect::Copies { to, bytes, .. } => {
                    let ptr = self.args.get(to.param).cloned();
                    if let Some(ptr) = ptr.filter(|p| is_pointer(self.program, p)) {
                        let size = amount(self.program, self.row, &self.args, &bytes);
                        self.havoc(ptr, size);
                    }
                }
                Effect::Havocs(param, bytes) => {
                    let size = bytes.and_then(|b| amount(self.program, self.row, &self.args, &b));
                    if let Some(ptr) = self.args.get(param).cloned() {
                        self.havoc(ptr, size);
                    }
                }
                Effect::Sets { at, .. }
                | Effect::Keeps(at)
                | Effect::Frees(at)
                | Effect::Moves(at) => self.havoc_param(at.param),
                Effect::Through(param) | Effect::Unmaps(param) | Effect::Closes(param) => {
                    self.havoc_param(param);
                }
                Effect::Anything => (0..self.args.len()).for_each(|n| self.havoc_param(n)),
                Effect::Formatted(_)
                | Effect::Errno
                | Effect::State(_)
                | Effect::Output
                | Effect::Calls(_)
                | Effect::CallsLater(..)
                | Effect::Locks(_)
                | Effect::Unlocks(_) => {}
            }
        }
    }

    fn havoc(&mut self, ptr: Expr, size: Option<Expr>) {
        if is_pointer(self.program, &ptr) {
            self.push(StmtKind::Havoc { ptr, size });
        }
    }

    fn havoc_param(&mut self, param: usize) {
        if let Some(ptr) = self.args.get(param).cloned() {
            self.havoc(ptr, None);
        }
    }

    /// The blocks of the body: a choice among what may be returned.
    fn result(&mut self, ret: TypeId, count: Option<Expr>) -> Vec<Block> {
        let loc = self.loc;
        let end = |stmts: Vec<Stmt>, branch: Branch| Block { stmts, loc, branch };
        if self.row.ends().is_some_and(|e| e != End::Undefined)
            || self.program.funcs[self.func].noreturn
        {
            let status = Expr::int(Types::INT, 1);
            return vec![end(std::mem::take(&mut self.stmts), Branch::Halt(status))];
        }
        if matches!(self.program.types[ret], Type::Void) {
            return vec![end(std::mem::take(&mut self.stmts), Branch::Return(None))];
        }
        if !self.program.types.is_scalar(ret) {
            let value = self.choose(ret);
            return vec![end(
                std::mem::take(&mut self.stmts),
                Branch::Return(Some(value)),
            )];
        }
        if let Some(count) = count {
            let less = Expr::binary(BinOp::Sub, count.clone(), Expr::int(count.ty, 1));
            let value = Expr::cast(ret, less);
            return vec![end(
                std::mem::take(&mut self.stmts),
                Branch::Return(Some(value)),
            )];
        }
        let outcomes: Vec<Option<Outcome>> = match self.row.result.as_slice() {
            [] => vec![None],
            list => list.iter().cloned().map(Some).collect(),
        };
        if let [one] = outcomes.as_slice() {
            let value = self.outcome(ret, one.as_ref());
            return vec![end(
                std::mem::take(&mut self.stmts),
                Branch::Return(Some(value)),
            )];
        }
        let which = self.choose(Types::INT);
        let first = std::mem::take(&mut self.stmts);
        let mut blocks = vec![];
        for outcome in &outcomes {
            let value = self.outcome(ret, outcome.as_ref());
            blocks.push(end(
                std::mem::take(&mut self.stmts),
                Branch::Return(Some(value)),
            ));
        }
        let cases = (1..outcomes.len()).map(|n| Case {
            lo: n as i128,
            hi: n as i128,
            target: BlockId(n as u32 + 1),
        });
        let switch = Branch::Switch {
            on: which,
            cases: cases.collect(),
            default: BlockId(1),
        };
        blocks.insert(0, end(first, switch));
        blocks
    }

    /// Something that may be returned.
    fn outcome(&mut self, ret: TypeId, outcome: Option<&Outcome>) -> Expr {
        match outcome {
            Some(Outcome::Null) => Expr::int(ret, 0),
            Some(Outcome::Range(range)) => self.range(ret, range),
            Some(Outcome::Into(at)) => {
                let whole = at.itself().and_then(|n| self.args.get(n)).cloned();
                match whole.filter(|p| is_pointer(self.program, p)) {
                    Some(p) => self.into(ret, p),
                    None => self.choose(ret),
                }
            }
            Some(
                Outcome::Fresh { .. }
                | Outcome::Static { .. }
                | Outcome::Mapped(_)
                | Outcome::Text
                | Outcome::Handle
                | Outcome::Errno
                | Outcome::Stack(_),
            ) => {
                let value = self.choose(ret);
                let zero = Expr::int(ret, 0);
                let some = Expr::binary(BinOp::Ne, value.clone(), zero);
                self.push(StmtKind::Assume(some));
                if is_pointer_type(self.program, ret) {
                    let live = Expr::memory(MemoryTest::Live, vec![value.clone()]);
                    self.push(StmtKind::Assume(live));
                }
                value
            }
            Some(Outcome::Any | Outcome::Kept | Outcome::Function) | None => self.choose(ret),
        }
    }

    /// A pointer somewhere from `p` on, inside the same object.
    fn into(&mut self, ret: TypeId, p: Expr) -> Expr {
        let bits = self.program.target().word(false).bits;
        let (word, signed) = (
            self.program.types.int(bits, false),
            self.program.types.int(bits, true),
        );
        let bytes = self.program.types.pointer(Types::CHAR);
        let by = self.choose(word);
        let moved = Expr {
            ty: bytes,
            kind: ExprKind::PtrAdd {
                ptr: Box::new(Expr::cast(bytes, p.clone())),
                index: Box::new(Expr::cast(signed, by.clone())),
                scale: 1,
            },
        };
        let inside = Expr::memory(MemoryTest::Inside, vec![p, by]);
        self.push(StmtKind::Assume(inside));
        Expr::cast(ret, moved)
    }

    fn range(&mut self, ret: TypeId, range: &Range) -> Expr {
        let model = crate::requirements::model(self.program);
        if is_pointer_type(self.program, ret) {
            let single = range.single();
            let arg = single.and_then(|a| match a {
                Amount::Arg(at) => self.args.get(at.itself()?).cloned(),
                _ => None,
            });
            return match arg.filter(|p| is_pointer(self.program, p)) {
                Some(p) => Expr::cast(ret, p),
                None => self.choose(ret),
            };
        }
        let value = self.choose(ret);
        let bounds = [(BinOp::Ge, &range.low), (BinOp::Le, &range.high)];
        for (op, bound) in bounds {
            let Some(bound) = bound else { continue };
            let limit = match bound.value(model) {
                Some(n) => self.constant(ret, n),
                None => self.limit(ret, bound),
            };
            if let Some(limit) = limit {
                let cond = Expr::binary(op, value.clone(), limit);
                self.push(StmtKind::Assume(cond));
            }
        }
        value
    }

    fn constant(&self, ty: TypeId, n: i128) -> Option<Expr> {
        let int = cwolf_cwi::value::int_type(&self.program.types, ty)?;
        let fits = cwolf_cwi::value::min(int) <= n && n <= cwolf_cwi::value::max(int);
        fits.then(|| Expr::int(ty, n))
    }

    /// A bound that names an argument; where that may leave the type of the result, there is none.
    fn limit(&mut self, ty: TypeId, bound: &Amount) -> Option<Expr> {
        let Amount::Arg(at) = bound else {
            if let Amount::Min(a, b) = bound {
                return self.limit(ty, a).or_else(|| self.limit(ty, b));
            }
            return None;
        };
        let arg = self.args.get(at.itself()?)?.clone();
        let (from, to) = (
            self.program.types.as_int(arg.ty)?,
            self.program.types.as_int(ty)?,
        );
        let same = from.bits == to.bits && from.signed == to.signed;
        same.then(|| Expr::cast(ty, arg))
    }
}

fn mentions_print(amount: &Amount) -> bool {
    match amount {
        Amount::Printed => true,
        Amount::Add(a, b)
        | Amount::Sub(a, b)
        | Amount::Mul(a, b)
        | Amount::Min(a, b)
        | Amount::Max(a, b) => mentions_print(a) || mentions_print(b),
        _ => false,
    }
}

fn is_pointer(program: &Program, e: &Expr) -> bool {
    is_pointer_type(program, e.ty)
}

fn is_pointer_type(program: &Program, ty: TypeId) -> bool {
    let to = program.types.pointee(ty);
    to.is_some_and(|to| !matches!(program.types[to], Type::Func(_)))
}
