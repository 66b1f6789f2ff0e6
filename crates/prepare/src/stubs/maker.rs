//! Makes the body of a stub, statement by statement and block by block.

use crate::conditions::{Collector, Demand, Wanted};
use crate::glue::define;
use crate::places::Given;
use crate::requirements::{amount, demand_all};
use cwolf_cwi::{
    Base, BinOp, Block, BlockId, Branch, Callee, Check, CheckKind, Expr, ExprKind, FuncId,
    Function, LocId, Origin, Place, Program, RESULT, Stmt, StmtKind, Type, TypeId, Types, UnOp,
    VarId, VarKind,
};
use cwolf_known::{Amount, Row, Subject};

pub(super) struct Maker<'p, 'r> {
    pub(super) program: &'p mut Program,
    pub(super) func: FuncId,
    pub(super) row: &'r Row,
    pub(super) given: Given,
    pub(super) loc: LocId,
    /// Statements of the block that is made just now.
    pub(super) stmts: Vec<Stmt>,
    /// Blocks that are done.
    pub(super) blocks: Vec<Block>,
    pub(super) locals: Vec<VarId>,
    /// Places that have their new values already.
    pub(super) settled: Vec<Subject>,
}

impl<'p, 'r> Maker<'p, 'r> {
    pub(super) fn new(
        program: &'p mut Program,
        func: FuncId,
        row: &'r Row,
        args: &[Expr],
    ) -> Maker<'p, 'r> {
        let loc = program.funcs[func].loc;
        let given = Given::new(program, args);
        Maker {
            program,
            func,
            row,
            given,
            loc,
            stmts: Vec::new(),
            blocks: Vec::new(),
            locals: Vec::new(),
            settled: Vec::new(),
        }
    }

    /// Gives the function what was made.
    pub(super) fn finish(self) {
        define(self.program, self.func, self.locals, self.blocks);
    }
}

impl Maker<'_, '_> {
    pub(super) fn push(&mut self, kind: StmtKind) {
        let loc = self.loc;
        self.stmts.push(Stmt { loc, kind });
    }

    pub(super) fn assign(&mut self, place: Place, value: Expr) {
        self.push(StmtKind::Assign(place, value));
    }

    pub(super) fn assume(&mut self, cond: Expr) {
        self.push(StmtKind::Assume(cond));
    }

    pub(super) fn assert(&mut self, kind: CheckKind, text: &str, cond: Expr) {
        let text = format!("{}: {text}", self.row.name);
        let loc = self.loc;
        let check = self.program.checks.push(Check { kind, loc, text });
        self.push(StmtKind::Assert { check, cond });
    }

    /// What the row requires of the arguments. Whether that is all: where something cannot be said, a
    /// function that is defined by its arguments may fail, and the real one decides.
    pub(super) fn demands(&mut self, kinds: &[CheckKind]) -> bool {
        let wanted = Wanted {
            kinds: kinds.to_vec(),
        };
        let mut collector = Collector::new(self.program, &wanted);
        let complete = demand_all(&mut collector, self.row, &self.given.args);
        for demand in collector.found {
            self.demand(demand);
        }
        if complete || !kinds.contains(&CheckKind::Bounds) {
            return true;
        }
        if self.row.is_defined() {
            let valid = self.choose(Types::INT);
            self.assert(CheckKind::Bounds, "the arguments are valid", valid);
        }
        self.row.is_defined()
    }

    /// What counts only for a pointer that is not null is asked only then: a count may lie behind
    /// another pointer that is null too.
    fn demand(&mut self, demand: Demand) {
        let program = &self.program;
        let traps = |e: &Expr| e.may_trap(&program.types, &|v| program.vars[v].ty);
        if let ExprKind::Binary(BinOp::Or, null, cond) = &demand.cond.kind
            && let ExprKind::Unary(UnOp::Not, p) = &null.kind
            && traps(cond)
        {
            let behind = dereferenced(cond);
            return self.when(is_not_zero(p), |this| {
                for pointer in behind {
                    let text = "the count can be read";
                    this.assert(CheckKind::Pointer, text, is_not_zero(&pointer));
                }
                this.assert(demand.kind, demand.text, (**cond).clone());
            });
        }
        self.assert(demand.kind, demand.text, demand.cond);
    }

    pub(super) fn local(&mut self, name: &str, ty: TypeId) -> Place {
        let kind = VarKind::Local(self.func);
        let var = self.program.add_variable(name, ty, kind, self.loc);
        self.locals.push(var);
        Place::var(ty, var)
    }

    /// The value that an expression has here, whatever is written afterwards.
    pub(super) fn keep(&mut self, value: Expr) -> Expr {
        let place = self.local("kept", value.ty);
        self.assign(place.clone(), value);
        Expr::load(place)
    }

    /// Any value of a type.
    pub(super) fn choose(&mut self, ty: TypeId) -> Expr {
        let place = self.local("any", ty);
        let kind = ExprKind::Choose;
        self.assign(place.clone(), Expr { ty, kind });
        Expr::load(place)
    }

    /// Ends the block that is made; another begins.
    pub(super) fn seal(&mut self, branch: Branch) {
        let stmts = std::mem::take(&mut self.stmts);
        let loc = self.loc;
        self.blocks.push(Block { stmts, loc, branch });
    }

    /// The number of the block that is made.
    pub(super) fn here(&self) -> BlockId {
        BlockId(self.blocks.len() as u32)
    }

    /// `if (cond) …`
    pub(super) fn when(&mut self, cond: Expr, then: impl FnOnce(&mut Self)) {
        let test = self.blocks.len();
        let next = BlockId(test as u32 + 1);
        self.seal(Branch::If {
            cond,
            then: next,
            els: next,
        });
        then(self);
        let join = BlockId(self.blocks.len() as u32 + 1);
        self.seal(Branch::Goto(join));
        if let Branch::If { els, .. } = &mut self.blocks[test].branch {
            *els = join;
        }
    }

    /// Calls a function that every engine does by itself.
    pub(super) fn call(&mut self, name: &str, args: Vec<Expr>, ret: TypeId) -> Option<Expr> {
        let params = args.iter().map(|a| a.ty).collect();
        let callee = Callee::Direct(declared(self.program, name, params, ret, self.loc));
        let next = Some(BlockId(self.blocks.len() as u32 + 1));
        self.seal(Branch::Call {
            callee,
            args,
            ret,
            next,
        });
        match self.program.types[ret] {
            Type::Void => None,
            _ => Some(self.keep(Expr::reg(ret, RESULT))),
        }
    }

    /// Unsigned integers as wide as a pointer.
    pub(super) fn word(&mut self) -> TypeId {
        let bits = self.program.target().word(false).bits;
        self.program.types.int(bits, false)
    }

    pub(super) fn amount(&mut self, amount_of: &Amount) -> Option<Expr> {
        amount(self.program, self.row, &self.given, amount_of)
    }

    /// The address so many bytes after a pointer.
    pub(super) fn moved(&mut self, ptr: Expr, by: Expr) -> Expr {
        let bytes = self.program.types.pointer(Types::CHAR);
        let bits = self.program.target().word(true).bits;
        let signed = self.program.types.int(bits, true);
        Expr {
            ty: bytes,
            kind: ExprKind::PtrAdd {
                ptr: Box::new(Expr::cast(bytes, ptr)),
                index: Box::new(Expr::cast(signed, by)),
                scale: 1,
            },
        }
    }

    /// The same for a known number of bytes, which may be negative.
    pub(super) fn beside(&mut self, ptr: Expr, by: i64) -> Expr {
        let bits = self.program.target().word(true).bits;
        let signed = self.program.types.int(bits, true);
        let by = Expr::int(signed, by.into());
        self.moved(ptr, by)
    }

    pub(super) fn havoc(&mut self, ptr: Expr, size: Option<Expr>) {
        if self.is_pointer(ptr.ty) {
            self.push(StmtKind::Havoc { ptr, size });
        }
    }

    /// Whether a type is that of pointers to data.
    pub(super) fn is_pointer(&self, ty: TypeId) -> bool {
        let to = self.program.types.pointee(ty);
        to.is_some_and(|to| !matches!(self.program.types[to], Type::Func(_)))
    }
}

pub(super) fn is_zero(e: &Expr) -> Expr {
    Expr::binary(BinOp::Eq, e.clone(), Expr::int(e.ty, 0))
}

pub(super) fn is_not_zero(e: &Expr) -> Expr {
    Expr::binary(BinOp::Ne, e.clone(), Expr::int(e.ty, 0))
}

/// The function of this name; declared if the program does not mention it.
pub(crate) fn declared(
    program: &mut Program,
    name: &str,
    params: Vec<TypeId>,
    ret: TypeId,
    loc: LocId,
) -> FuncId {
    if let Some(func) = program.function(name) {
        return func;
    }
    let ty = program.types.function(ret, params);
    program.funcs.push(Function {
        origin: Origin::Glue,
        ..Function::declared(name, ty, loc)
    })
}

/// The pointers that a condition reads through.
fn dereferenced(cond: &Expr) -> Vec<Expr> {
    let mut found = Vec::new();
    cond.walk(&mut |e| {
        if let ExprKind::Load { place, .. } = &e.kind
            && let Base::Deref(pointer) = &place.base
            && !found.contains(&**pointer)
        {
            found.push((**pointer).clone());
        }
    });
    found
}
