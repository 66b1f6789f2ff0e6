//! Puts an `Assert` before every step that can fail.

use crate::call_types::{CallTypes, fits};
use crate::conditions::{Collector, Demand, Touch, Wanted};
use crate::float_conditions::computes;
use crate::formats::{Buffer, Store, demand_each, possible, wanted};
use crate::forwards::{Forward, forwards};
use crate::listed::demand_list;
use crate::requirements::{demand_all, demand_handles};
use crate::stubs::known_row;
use crate::texts::Texts;
use crate::words;
use cwolf_cwi::{
    BinOp, Block, BlockId, Body, Branch, Callee, Check, CheckId, CheckKind, Expr, ExprKind, FuncId,
    InitValue, LocId, MemoryTest, Origin, Place, Program, RESULT, Stmt, StmtKind, Type, TypeId,
    Types, Unreachable, VarId, VarKind,
};
use cwolf_known::{Failure, FormatKind, Primitive, Requirement, Row};
use rustc_hash::FxHashMap;

/// What is demanded where the program says that control never comes.
pub const PROMISE: &str = "`__builtin_unreachable` is not reached";
/// What is demanded of a function that is declared `noreturn`.
pub const NO_RETURN: &str = "a function declared noreturn does not return";
/// What is demanded of a call.
pub const TYPE_OF_CALL: &str = "the called function has the type of the call";
/// What is demanded of an argument that a format speaks of.
pub const TYPE_OF_ARGUMENT: &str = "the argument has the type that the format asks for";

/// What is checked, and what calls mean.
#[derive(Clone, Debug, Default)]
pub struct Checked {
    /// Kinds of checks.
    pub kinds: Vec<CheckKind>,
    /// Functions whose call is an error, and what is said of a call: its kind and text.
    pub errors: Vec<(FuncId, CheckKind, String)>,
    /// Functions that mean something to verification, or that engines do themselves.
    pub words: FxHashMap<FuncId, &'static Row>,
    /// Whether what is put on the stack (an array of variable length) has no negative size.
    pub stack_sizes: bool,
    /// Whether control does not come to where the program says it never does.
    pub promises: bool,
    /// The text of an error call at a place, where that says more than the function.
    pub messages: Vec<(LocId, String)>,
}

/// What the format of a call says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bound {
    /// How many characters are printed at most.
    pub most: Option<u64>,
    /// The variable that says how many are printed, if that is known before the call.
    pub length: Option<VarId>,
    /// Whether as much is stored as the text that is read has.
    pub unbounded: bool,
    /// What is stored through arguments.
    pub stores: Vec<Store>,
}

/// Calls with formats, by the function that each of them has of its own.
pub type Printed = FxHashMap<FuncId, Bound>;

/// Inserts the checks into all functions that have a body. Calls with formats that can be read
/// call functions of their own afterwards, which are in the result.
pub fn insert_checks(program: &mut Program, checked: &Checked) -> Printed {
    let wanted = Wanted {
        kinds: checked.kinds.clone(),
    };
    let mut printed = Printed::default();
    let forwards = forwards(program);
    let call_types = CallTypes::new(program, wanted.has(CheckKind::Pointer));
    let all: Vec<FuncId> = program.funcs.ids().collect();
    let mut length = None;
    for func in all {
        let Some(mut body) = program.funcs[func].body.take() else {
            continue;
        };
        let texts = Texts::new(program, &body);
        let mut pass = Pass {
            program,
            checked,
            wanted: &wanted,
            printed: &mut printed,
            length: &mut length,
            forwards: &forwards,
            call_types: &call_types,
            texts,
        };
        pass.body(func, &mut body);
        program.funcs[func].body = Some(body);
    }
    printed
}

struct Pass<'p> {
    program: &'p mut Program,
    checked: &'p Checked,
    wanted: &'p Wanted,
    printed: &'p mut Printed,
    /// Where calls that print find how much, if there are any.
    length: &'p mut Option<VarId>,
    /// Functions of the program that take formats.
    forwards: &'p FxHashMap<FuncId, Forward>,
    call_types: &'p CallTypes,
    /// Texts that variables of the function hold.
    texts: Texts,
}

impl Pass<'_> {
    fn body(&mut self, func: FuncId, body: &mut Body) {
        let read: Vec<bool> = body.blocks.iter().map(reads_result).collect();
        let mut after: Vec<(BlockId, Vec<Stmt>)> = Vec::new();
        for n in body.blocks.ids() {
            let block = &mut body.blocks[n];
            let mut stmts = Vec::with_capacity(block.stmts.len());
            for stmt in std::mem::take(&mut block.stmts) {
                if self.is_dropped(&stmt.kind) {
                    continue;
                }
                let demands = self.stmt(&stmt.kind);
                self.assert(demands, stmt.loc, &mut stmts);
                stmts.push(stmt);
            }
            // Somebody may look at a result, and there would be none.
            let looked_at = matches!(&block.branch,
                Branch::Call { next: Some(next), .. } if read[next.0 as usize]);
            let mut demands = self.branch(&block.branch);
            demands.extend(self.fits((func, n), &block.branch, looked_at));
            demands.extend(self.promise(func, &block.branch));
            self.assert(demands, block.loc, &mut stmts);
            block.stmts = stmts;
            if !looked_at {
                self.call(block);
            }
            let block = &body.blocks[n];
            let results = self.float_result(&block.branch, looked_at);
            let loc = block.loc;
            self.own_function(&mut body.blocks[n], looked_at);
            if let Some((next, demands)) = results
                && arrivals(body, next) == 1
            {
                let mut stmts = Vec::new();
                self.assert(demands, loc, &mut stmts);
                after.push((next, stmts));
            }
        }
        for (next, mut stmts) in after {
            let block = &mut body.blocks[next];
            stmts.append(&mut block.stmts);
            block.stmts = stmts;
        }
    }

    /// Whether it is a check of the front end that nobody asked for.
    fn is_dropped(&self, stmt: &StmtKind) -> bool {
        matches!(stmt, StmtKind::Assert { check, .. }
            if self.program.checks[*check].kind == CheckKind::Bounds && !self.wanted.has(CheckKind::Bounds))
    }

    /// What is demanded of the result of a known function that computes with floating-point numbers, where the call
    /// goes on.
    fn float_result(&mut self, branch: &Branch, read: bool) -> Option<(BlockId, Vec<Demand>)> {
        let Branch::Call {
            callee,
            args,
            ret,
            next: Some(next),
        } = branch
        else {
            return None;
        };
        let func = target(callee).filter(|_| read)?;
        self.row(func)?;
        if !computes(&self.program.types, args, *ret) {
            return None;
        }
        let mut collector = Collector::new(self.program, self.wanted);
        collector.float_result(&Expr::reg(*ret, RESULT), args);
        Some((*next, collector.found)).filter(|(_, found)| !found.is_empty())
    }

    fn assert(&mut self, demands: Vec<Demand>, loc: LocId, stmts: &mut Vec<Stmt>) {
        for demand in demands {
            let check = self.check(demand.kind, loc, demand.text.into());
            let cond = demand.cond;
            let kind = StmtKind::Assert { check, cond };
            stmts.push(Stmt { loc, kind });
        }
    }

    fn check(&mut self, kind: CheckKind, loc: LocId, text: String) -> CheckId {
        self.program.checks.push(Check { kind, loc, text })
    }

    fn stmt(&mut self, stmt: &StmtKind) -> Vec<Demand> {
        let mut collector = Collector::new(self.program, self.wanted);
        match stmt {
            StmtKind::Assign(place, value) => {
                collector.expr(value);
                collector.place(place, Touch::Write);
            }
            other => other.for_each_expr(&mut |e| collector.expr(e)),
        }
        collector.found
    }

    /// Control does not come to where the program says it never does: nothing is known of how a run would go on.
    fn promise(&mut self, func: FuncId, branch: &Branch) -> Vec<Demand> {
        let function = &self.program.funcs[func];
        let own = function.origin == Origin::Program && self.checked.promises;
        let (kind, text) = match branch {
            Branch::Unreachable(Unreachable::Promised) => (CheckKind::UnreachCall, PROMISE),
            Branch::Unreachable(Unreachable::BadGoto) => {
                (CheckKind::Pointer, "the goto leads to a label")
            }
            Branch::Return(_) if function.noreturn => (CheckKind::UnreachCall, NO_RETURN),
            _ => return Vec::new(),
        };
        let mut collector = Collector::new(self.program, self.wanted);
        if own {
            collector.demand(kind, text, Expr::int(Types::INT, 0));
        }
        collector.found
    }

    /// The function that a call reaches has the type of the call, as far as machines tell types apart.
    fn fits(&mut self, at: (FuncId, BlockId), branch: &Branch, looked_at: bool) -> Vec<Demand> {
        let Branch::Call {
            callee, args, ret, ..
        } = branch
        else {
            return Vec::new();
        };
        let ret = if looked_at { *ret } else { Types::VOID };
        let text = TYPE_OF_CALL;
        let mut collector = Collector::new(self.program, self.wanted);
        match (callee, target(callee)) {
            (_, Some(func)) => {
                let function = &collector.program.funcs[func];
                let own = function.origin == Origin::Program && function.body.is_some();
                if own && !fits(collector.program, func, args, ret) {
                    collector.demand(CheckKind::Pointer, text, Expr::int(Types::INT, 0));
                }
            }
            (Callee::Indirect(pointer), None) => {
                let call = (pointer, args.as_slice(), ret);
                for func in self.call_types.misfits(collector.program, at, call) {
                    let ty = collector.program.funcs[func].ty;
                    let other = Expr {
                        ty: collector.program.types.pointer(ty),
                        kind: ExprKind::FuncAddr(func),
                    };
                    let other = Expr {
                        ty: pointer.ty,
                        kind: ExprKind::Cast(Box::new(other)),
                    };
                    let cond = Expr::binary(BinOp::Ne, pointer.clone(), other);
                    collector.demand(CheckKind::Pointer, text, cond);
                }
            }
            (Callee::Direct(_), None) => {}
        }
        collector.found
    }

    fn branch(&mut self, branch: &Branch) -> Vec<Demand> {
        let row = match branch {
            Branch::Call { callee, .. } => target(callee).and_then(|f| self.row(f)),
            _ => None,
        };
        let mut collector = Collector::new(self.program, self.wanted);
        branch.for_each_expr(&mut |e| collector.expr(e));
        if let Branch::Call { callee, args, .. } = branch {
            if let Callee::Indirect(e) = callee
                && target(callee).is_none()
            {
                let cond = Expr::memory(MemoryTest::Callable, vec![e.clone()]);
                let text = "the function pointer is valid";
                collector.demand(CheckKind::Pointer, text, cond);
            }
            let model = target(callee).is_some_and(|f| collector.program.funcs[f].body.is_some());
            if let Some(row) = row.filter(|_| model) {
                demand_handles(&mut collector, row, args);
            }
            let forward = target(callee).and_then(|f| self.forwards.get(&f));
            if let Some(forward) = forward
                && let format = forward.format
                && let Some(all) = possible(collector.program, format, args, &self.texts)
            {
                demand_each(&mut collector, &all, (format, args), forward.open, None);
            }
            if let Some(row) = row
                && let Some(format) = wanted(row)
                && let Some(all) = possible(collector.program, format, args, &self.texts)
            {
                let to = Buffer::of(row, args);
                let open = row.is_open();
                demand_each(&mut collector, &all, (format, args), open, to.as_ref());
            }
            let listed = row.into_iter().flat_map(|row| &row.requires);
            for requirement in listed {
                if let Requirement::Listed(first) = requirement {
                    demand_list(&mut collector, args.get(*first..).unwrap_or_default());
                }
            }
            let word = target(callee).and_then(|f| self.checked.words.get(&f));
            if let Some(row) = word.filter(|row| words::is_in_place(row)) {
                demand_all(&mut collector, row, args);
            }
            let stack = |row: &&Row| row.primitive() == Some(Primitive::AllocateOnStack);
            if self.checked.stack_sizes
                && let (Some(_), Some(size)) = (word.filter(|row| stack(row)), args.first())
            {
                let bits = collector.program.target().word(true).bits;
                let signed = collector.program.types.int(bits, true);
                let size = Expr::cast(signed, size.clone());
                let cond = Expr::binary(BinOp::Ge, size, Expr::int(signed, 0));
                let text = "the size of the array is not negative";
                collector.demand(CheckKind::Bounds, text, cond);
            }
            if let (true, Some(p)) = (word.is_some_and(|row| words::frees(row)), args.first())
                && matches!(collector.program.types[p.ty], Type::Pointer(_))
            {
                let cond = Expr::memory(MemoryTest::Freeable, vec![p.clone()]);
                let text = "the freed memory was allocated and not freed before";
                collector.demand(CheckKind::Pointer, text, cond);
            }
        }
        collector.found
    }

    /// The row of a function that has no code of the user.
    fn row(&self, func: FuncId) -> Option<&'static Row> {
        let function = &self.program.funcs[func];
        let absent = function.body.is_none() || function.origin == Origin::Model;
        known_row(self.program, func).filter(|_| absent)
    }

    /// The variable in which a call that prints is told how much. No other call comes between.
    fn length(&mut self, ty: TypeId, loc: LocId) -> VarId {
        let program = &mut *self.program;
        let add = || program.add_variable("printed$length", ty, VarKind::Global, loc);
        *self.length.get_or_insert_with(add)
    }

    /// A call whose format can be read is of a function of its own: so much is printed at most.
    fn own_function(&mut self, block: &mut Block, looked_at: bool) {
        let Branch::Call { callee, args, .. } = &block.branch else {
            return;
        };
        let Some(func) = target(callee) else {
            return;
        };
        let Some(row) = self
            .row(func)
            .filter(|_| self.program.funcs[func].body.is_none())
        else {
            return;
        };
        let all = wanted(row).and_then(|f| possible(self.program, f, args, &self.texts));
        let Some([(_, format)]) = all.as_deref() else {
            return;
        };
        let matters = looked_at || Buffer::of(row, args).is_some();
        let narrow = wanted(row).is_some_and(|f| f.kind == FormatKind::Printf);
        let length = match matters && narrow {
            true => format.length(self.program, &self.texts, args),
            false => None,
        };
        let loc = block.loc;
        let length = length.map(|length| {
            let var = self.length(length.ty, loc);
            let kind = StmtKind::Assign(Place::var(length.ty, var), length);
            block.stmts.push(Stmt { loc, kind });
            var
        });
        let bound = Bound {
            length,
            most: format.most(self.program),
            unbounded: format.is_unbounded(),
            stores: format.stores(self.program, args),
        };
        let own = self.program.funcs[func].clone();
        let own = self.program.funcs.push(own);
        self.printed.insert(own, bound);
        if let Branch::Call { callee, .. } = &mut block.branch {
            *callee = Callee::Direct(own);
        }
    }

    /// Calls that are words of verification become statements.
    fn call(&mut self, block: &mut Block) {
        let Branch::Call {
            callee, args, next, ..
        } = &block.branch
        else {
            return;
        };
        let next = *next;
        let Some(func) = target(callee) else {
            return;
        };
        let loc = block.loc;
        let args = args.clone();
        if let Some((_, kind, text)) = self.checked.errors.iter().find(|(f, ..)| *f == func) {
            let (kind, mut text) = (*kind, text.clone());
            if let Some((_, words)) = self.checked.messages.iter().find(|(at, _)| *at == loc) {
                text.clone_from(words);
            }
            return self.fail(block, kind, text);
        }
        let Some(&row) = self.checked.words.get(&func) else {
            return;
        };
        let text = row.assertion_text().and_then(|n| args.get(n));
        let text = text.and_then(|e| self.literal(e));
        let text = text.unwrap_or("assertion".into());
        let asserted = self.wanted.has(CheckKind::Assertion);
        if row.fails() == Some(Failure::Assertion) && asserted {
            return self.fail(block, CheckKind::Assertion, text);
        }
        let (Some(cond), Some(next)) = (self.claim(row, &args), next) else {
            return;
        };
        let kind = match row.assumes().is_none() && asserted {
            true => {
                let check = self.check(CheckKind::Assertion, loc, text);
                StmtKind::Assert { check, cond }
            }
            false => StmtKind::Assume(cond),
        };
        block.stmts.push(Stmt { loc, kind });
        block.branch = Branch::Goto(next);
    }

    /// What holds after a call of a word that asserts or assumes it.
    fn claim(&self, row: &Row, args: &[Expr]) -> Option<Expr> {
        let scalar = |n: usize| args.get(n).filter(|e| self.program.types.is_scalar(e.ty));
        if let Some(n) = row.asserts().or(row.assumes()) {
            return scalar(n).cloned();
        }
        let number = scalar(row.asserts_zero()?)?;
        let zero = Expr::int(number.ty, 0);
        Some(Expr::binary(BinOp::Eq, number.clone(), zero))
    }

    /// To come here is the failure.
    fn fail(&mut self, block: &mut Block, kind: CheckKind, text: String) {
        let loc = block.loc;
        let check = self.check(kind, loc, text);
        let cond = Expr::int(Types::INT, 0);
        let kind = StmtKind::Assert { check, cond };
        block.stmts.push(Stmt { loc, kind });
        block.branch = Branch::Halt(Expr::int(Types::INT, 1));
    }

    /// The text of a string literal.
    fn literal(&self, e: &Expr) -> Option<String> {
        let var = match &e.kind {
            ExprKind::AddrOf(place) => place.root()?,
            ExprKind::Cast(inner) => return self.literal(inner),
            _ => return None,
        };
        let var = &self.program.vars[var];
        let first = var.init.first().filter(|_| var.kind == VarKind::Literal)?;
        match &first.value {
            InitValue::Bytes(bytes) => {
                let end = bytes.iter().position(|b| *b == 0).unwrap_or(bytes.len());
                Some(String::from_utf8_lossy(&bytes[..end]).into_owned())
            }
            _ => None,
        }
    }
}

/// How many ways lead to a block.
fn arrivals(body: &Body, block: BlockId) -> usize {
    let all = body.blocks.iter().flat_map(|b| b.branch.successors());
    all.filter(|to| *to == block).count()
}

/// Whether the code reads the result of the last call.
fn reads_result(block: &Block) -> bool {
    let mut found = false;
    block.for_each_expr(&mut |e| {
        e.walk(&mut |e| found |= e.kind == ExprKind::Reg(RESULT));
    });
    found
}

/// The function that a call names.
pub(crate) fn target(callee: &Callee) -> Option<FuncId> {
    match callee {
        Callee::Direct(func) => Some(*func),
        Callee::Indirect(e) => match e.kind {
            ExprKind::FuncAddr(func) => Some(func),
            _ => None,
        },
    }
}
