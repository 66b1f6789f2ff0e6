//! From the typed tree to basic blocks. Expressions become pure; each effect becomes a
//! statement of its own, in C's order and, where C leaves the order open, from left to right.
//!
//! The files: [`build`] holds the code under construction, [`effects`] knows which values a
//! statement may change, [`shape`] which trees need no statement at all, [`survey`] looks over
//! the whole function first. `expr`, `place`, `assign`, `branch` and `call` lower expressions,
//! `stmt`, `jump`, `scope` and `lives` statements; [`tidy`] cleans up the blocks at the end.

mod assign;
mod branch;
mod build;
mod call;
mod effects;
mod expr;
mod finish;
mod jump;
mod lives;
mod place;
mod scope;
mod shape;
mod stmt;
mod survey;
#[cfg(test)]
mod tests;
mod tidy;
mod volatile;

pub(crate) use finish::finish;

use crate::hir::{self, LabelId};
use crate::session::Session;
use build::Builder;
use cwolf_base::Span;
use cwolf_cwi::{
    BlockId, Branch, Case, Expr, ExprKind, FuncId, Function, LocId, Place, Program, RegId,
    StmtKind, Type, TypeId, Types, Unreachable, VarId, VarKind,
};
use rustc_hash::FxHashMap;
use scope::Item;
use survey::Survey;

/// Fills in the body of `function`, and adds the temporaries that it needs to the program.
pub(crate) fn lower(program: &mut Program, session: &Session, function: hir::Function) {
    let survey = survey::survey(&function, &|f| {
        let row = cwolf_known::lookup(&program.funcs[f].name);
        row.is_some_and(cwolf_known::Row::returns_twice)
    });
    let mut lower = Lower {
        locs: (Span::new(u32::MAX, u32::MAX), LocId(0)),
        program,
        session,
        function: &function,
        survey,
        code: Builder::default(),
        labels: FxHashMap::default(),
        targets: Vec::new(),
        switches: Vec::new(),
        scope: Vec::new(),
        gotos: Vec::new(),
        scopes: 0,
        items: 0,
        dispatch: None,
        height: 0,
        temps: Vec::new(),
        runtime: FxHashMap::default(),
    };
    lower.whole();
    let body = tidy::tidy(lower.code);
    program.funcs[function.id].body = Some(body);
}

/// Where `break` and `continue` go.
struct Target {
    break_to: BlockId,
    /// None in a switch.
    continue_to: Option<BlockId>,
    /// How many scope items are in force there.
    depth: usize,
}

/// The cases of a switch seen so far.
#[derive(Default)]
struct Cases {
    /// How many scope items are in force at the switch.
    depth: usize,
    cases: Vec<Case>,
    default: Option<BlockId>,
}

/// A label: its block and, once its place is known, the scope items in force there.
struct Label<'a> {
    block: BlockId,
    scope: Option<Vec<Item<'a>>>,
}

/// The work on one function.
struct Lower<'a> {
    program: &'a mut Program,
    session: &'a Session,
    function: &'a hir::Function,
    survey: Survey,
    code: Builder,
    labels: FxHashMap<LabelId, Label<'a>>,
    targets: Vec<Target>,
    switches: Vec<Cases>,
    /// What must run when control leaves the open blocks, innermost last.
    scope: Vec<Item<'a>>,
    /// Gotos that leave scopes with such items; finished when all labels are known.
    gotos: Vec<jump::PendingGoto<'a>>,
    /// How many blocks are open.
    scopes: usize,
    /// How many scope items there were so far.
    items: u32,
    /// Temporaries whose address the current statement takes.
    temps: Vec<VarId>,
    /// How high the expressions are that were made beside the current one.
    height: usize,
    /// The shared switch of many computed gotos: its block and the register it reads.
    dispatch: Option<(BlockId, RegId)>,
    /// Functions of the compiler's own run-time support, by name.
    runtime: FxHashMap<&'static str, FuncId>,
    /// The last position that was looked up.
    locs: (Span, LocId),
}

impl<'a> Lower<'a> {
    fn whole(&mut self) {
        let entry = self.code.new_block();
        self.code.start(entry);
        self.stmts(&self.function.body);
        self.leave_scope(0, self.function.end);
        self.fall_off();
        self.finish_gotos();
        self.finish_dispatch();
    }
    /// Control reaches the closing brace.
    fn fall_off(&mut self) {
        let loc = self.loc(self.function.end);
        let ret = self.return_type();
        let function = &self.program.funcs[self.function.id];
        let value = if self.code.is_dead() {
            let branch = Branch::Unreachable(Unreachable::Promised);
            return self.code.end(loc, branch);
        } else if ret == Types::VOID {
            None
        } else if function.name == "main" && self.program.types.as_int(ret).is_some() {
            Some(Expr::int(ret, 0))
        } else {
            // Undefined only if the caller uses the value, so any value will do.
            Some(self.unknown(loc, ret))
        };
        self.code.end(loc, Branch::Return(value));
    }
    fn return_type(&self) -> TypeId {
        match &self.program.types[self.program.funcs[self.function.id].ty] {
            Type::Func(ty) => ty.ret,
            _ => Types::VOID,
        }
    }
    /// The position of `span`.
    fn loc(&mut self, span: Span) -> LocId {
        if self.locs.0.lo != span.lo {
            self.locs = (span, self.session.loc(self.program, span));
        }
        self.locs.1
    }
    /// A new temporary variable.
    fn temp(&mut self, loc: LocId, ty: TypeId) -> VarId {
        let id = self.function.id;
        let var = self.program.add_variable("tmp", ty, VarKind::Temp(id), loc);
        self.program.funcs[id].locals.push(var);
        var
    }
    /// Any value of type `ty`, the same each time the result is used.
    fn unknown(&mut self, loc: LocId, ty: TypeId) -> Expr {
        let kind = ExprKind::Choose;
        self.keep(loc, Expr { ty, kind })
    }
    /// `value` in a fresh register or, if it is no scalar, in a fresh temporary.
    fn keep(&mut self, loc: LocId, value: Expr) -> Expr {
        let ty = value.ty;
        if self.program.types.is_scalar(ty) {
            let reg = self.code.new_reg(ty);
            self.code.emit(loc, StmtKind::SetReg(reg, value));
            Expr::reg(ty, reg)
        } else {
            let place = Place::var(ty, self.temp(loc, ty));
            self.code.emit(loc, StmtKind::Assign(place.clone(), value));
            Expr::load(place)
        }
    }
    /// The signed integer as wide as a pointer.
    fn word(&mut self) -> TypeId {
        let word = self.program.target().word(true);
        self.program.types.intern(Type::Int(word))
    }
    /// The run-time support function `name`, declared when first needed.
    fn runtime(&mut self, name: &'static str, params: Vec<TypeId>, ret: TypeId) -> FuncId {
        if let Some(&id) = self.runtime.get(name) {
            return id;
        }
        let id = self.program.function(name).unwrap_or_else(|| {
            let ty = self.program.types.function(ret, params);
            let loc = self.program.funcs[self.function.id].loc;
            self.program.funcs.push(Function::declared(name, ty, loc))
        });
        self.runtime.insert(name, id);
        id
    }
}
