//! GNU C's nested functions. Each is a function of its own with one more parameter, its *static chain*:
//! a record with the addresses of the variables of functions around it that it uses. Whoever calls it
//! by name makes that record where the call stands, out of the addresses as they are seen there.
//!
//! A pointer to a nested function is a pointer to a *trampoline*, a function without the parameter that
//! finds the record in a variable of its own. Each activation that takes the address uses another one of
//! a few, since pointers from several activations may be in use together; when it ends, the trampoline
//! has no record any more, and a call of it is an error.

use super::Cx;
use super::ctype::{CFunc, CKind, CTypes, QType};
use super::fold::{Operand, mk};
use super::func::FnState;
use super::scope::{Entity, EntityId, EntityKind};
use crate::ast::{self, Derived, FunctionDef, Params};
use crate::hir::{self, Expr, ExprKind, LocalInit, StmtKind};
use cwolf_base::{Span, Symbol};
use cwolf_cwi::{
    BinOp, FuncId, Function, Origin, RecordId, Refusal, TypeId, Types, VarId, VarKind,
};
use std::rc::Rc;

/// How many activations may have pointers to one nested function at a time.
const TRAMPOLINES: usize = 8;

cwolf_base::index! {
    /// A nested function.
    NestedId
}

/// What is known of a nested function.
#[derive(Clone, Debug)]
pub(super) struct Nested {
    func: FuncId,
    name: Symbol,
    /// The function around it.
    owner: FuncId,
    /// Its C type, without the chain.
    ty: QType,
    /// How many blocks were open where it was declared.
    depth: u32,
    record: RecordId,
    chain: VarId,
    /// The variables around it that it uses, in the order of the record's fields.
    captures: Vec<(VarId, QType)>,
    /// The record of its owner's activation, where uses stand that cannot make one themselves: before its
    /// definition, or in another nested function that takes its address.
    shared: Option<VarId>,
    /// Its body is being read: what it uses is not known in full.
    open: bool,
    defined: bool,
    trampolines: Option<Trampolines>,
}

#[derive(Clone, Debug)]
struct Trampolines {
    funcs: Vec<FuncId>,
    /// The record of each.
    chains: Vec<VarId>,
    /// How many are in use.
    used: VarId,
}

impl Cx<'_> {
    /// A definition in a block.
    pub(super) fn nested_function(&mut self, def: &FunctionDef) {
        let errors = self.session.diagnostics.errors();
        let base = self.specifiers(&def.specs, false);
        let Some(name) = def.declarator.name else {
            return;
        };
        let derived = &def.declarator.derived;
        let Some(Derived::Function { params, .. }) = derived.first() else {
            return;
        };
        let ret = self.derive(base.ty, &derived[1..], def.declarator.span);
        if !self.check_return_type(ret, name.span) {
            return;
        }
        let Some(owner) = self.func.as_ref().map(|f| f.id) else {
            return;
        };
        let before = self.scopes.lookup_here(name.name);
        let declared = before.and_then(|id| match self.entities[id].kind {
            EntityKind::Nested(nested) => Some(nested),
            _ => None,
        });
        if declared.is_none()
            && before.is_some_and(|id| matches!(self.entities[id].kind, EntityKind::Function(_)))
        {
            self.unsupported(
                name.span,
                "a nested function that is declared without 'auto' before it is defined",
            );
            return;
        }
        // The function's own name is seen inside of it, but stands outside of its parameters.
        let entity = declared.is_none().then(|| self.unbound(name));
        let depth = self.scopes.depth();
        self.scopes.push();
        let effects = std::mem::take(&mut self.effects);
        let (mut infos, mut cfunc) = self.params(ret, params);
        let old_style = matches!(params, Params::Names(_));
        if old_style {
            self.old_params(&mut infos, &def.old_params);
            cfunc.params = infos.iter().map(|p| self.promoted_param(p.ty)).collect();
        }
        let variadic = cfunc.variadic;
        let ty = QType::plain(self.types.intern(CKind::Func(Rc::new(cfunc))));
        let id = match (declared, entity) {
            (Some(id), _) if self.types.compatible(self.nested[id].ty.ty, ty.ty) => id,
            (None, Some(entity)) => self.nested_entity(entity, owner, name, ty, depth),
            _ => {
                let text = format!("'{}' is defined as another type", self.text(name.name));
                self.error(name.span, text);
                self.scopes.pop();
                self.effects = effects;
                return;
            }
        };
        self.nested[id].open = true;
        let record = self.nested[id].record;
        self.nested[id].ty = ty;
        let func = self.nested[id].func;
        let state = FnState {
            nested: Some(id),
            depth: self.scopes.depth(),
            ret: ret.unqualified(),
            name: name.name,
            variadic,
            ..FnState::outside(func)
        };
        let outer = self.func.replace(state);
        self.outer.extend(outer);
        let mut body = Vec::new();
        self.bind_params(func, &infos, params, old_style, None, &mut body);
        self.sized_old_params(&def.old_params, &mut body);
        self.set_type(func, ret, variadic);
        self.block_items(&def.body.items, &mut body);
        self.check_labels();
        self.fill_shared(func);
        self.scopes.pop();
        self.effects = effects;
        let state = self.func.take();
        self.func = self.outer.pop();
        self.nested[id].open = false;
        let captures = self.nested[id].captures.clone();
        let mut members = Vec::new();
        for (var, ty) in captures {
            let name = self.program.vars[var].name.clone();
            let pointer = self.pointer_to(ty);
            members.push((name, pointer));
        }
        self.complete_frame(record, &members);
        self.nested[id].defined = true;
        let Some(state) = state else { return };
        if let Some((reason, span)) = state.refusal {
            // Who calls it cannot do without it.
            let loc = self.loc(span);
            self.program.funcs[func].refused = Some(Refusal {
                reason: reason.clone(),
                loc,
            });
            self.unsupported(span, reason);
            return;
        }
        if self.session.diagnostics.errors() == errors {
            self.finished.push(hir::Function {
                id: func,
                body: state.finish(body),
                labels: state.labels.len() as u32,
                address_taken: state.address_taken.clone(),
                jumped_into: state.jumped_into(),
                end: def.body.end,
            });
        }
    }
    /// `auto int f(int);` in a block: a nested function whose definition follows.
    pub(super) fn declare_nested(&mut self, name: ast::Ident, ty: QType) {
        let Some(state) = &self.func else { return };
        let (owner, outermost) = (state.id, state.depth == self.scopes.depth());
        let before = self.scopes.lookup_here(name.name);
        if before.is_some_and(|id| matches!(self.entities[id].kind, EntityKind::Nested(_))) {
            return;
        }
        let entity = self.unbound(name);
        let id = self.nested_entity(entity, owner, name, ty, self.scopes.depth());
        self.nested[id].open = false;
        if outermost {
            self.share_frame(id);
        } else {
            self.unsupported(
                name.span,
                "a nested function that is declared before it is defined, in an inner block",
            );
        }
    }
    /// From here on, the record of the owner's activation is used everywhere.
    fn share_frame(&mut self, id: NestedId) -> VarId {
        if let Some(var) = self.nested[id].shared {
            return var;
        }
        let (owner, record) = (self.nested[id].owner, self.nested[id].record);
        let record = self.program.types.record(record);
        let name = format!("frame#{}", self.text(self.nested[id].name));
        let var = self.new_var(name, record, VarKind::Local(owner), Span::default());
        self.nested[id].shared = Some(var);
        var
    }
    /// At the end of a function: its shared records are made when it is entered. The addresses in them
    /// are those of its own variables and of functions around it, and do not change.
    pub(super) fn fill_shared(&mut self, owner: FuncId) {
        for number in 0..self.nested.len() {
            let id = NestedId(number as u32);
            let Nested {
                owner: own,
                shared,
                record,
                captures,
                defined,
                name,
                ..
            } = self.nested[id].clone();
            let Some(var) = shared.filter(|_| own == owner) else {
                continue;
            };
            if !defined {
                let text = format!("'{}' is declared but not defined here", self.text(name));
                let span = self.program_span(id);
                self.error(span, text);
                continue;
            }
            let record_id = self.program.types.record(record);
            let mut fill = Vec::new();
            self.fill_frame(var, record_id, captures, &mut fill, Span::default());
            self.state().prologue.extend(fill);
        }
    }
    fn program_span(&self, id: NestedId) -> Span {
        let name = self.nested[id].name;
        let found = self
            .entities
            .iter()
            .find(|e| matches!(e.kind, EntityKind::Nested(other) if other == id) && e.name == name);
        found.map_or(Span::default(), |e| e.span)
    }
    /// The name of a nested function whose type is not known yet.
    fn unbound(&mut self, name: ast::Ident) -> EntityId {
        self.bind_new(Entity {
            name: name.name,
            ty: QType::plain(CTypes::ERROR),
            span: name.span,
            kind: EntityKind::Unbound,
        })
    }
    fn nested_entity(
        &mut self,
        entity: EntityId,
        owner: FuncId,
        name: ast::Ident,
        ty: QType,
        depth: u32,
    ) -> NestedId {
        let record = self.frame_record(self.session.names.shared(name.name).as_ref());
        let text = format!(
            "{}#{}",
            self.text(name.name),
            self.program.funcs[owner].name
        );
        let loc = self.loc(name.span);
        let full = self.with_chain(ty, record);
        let type_id = self.cwi(full.ty);
        let func = self.program.funcs.push(Function {
            origin: Origin::Program,
            ..Function::glue(text, type_id, loc)
        });
        let record_id = self.program.types.record(record);
        let pointer = self.program.types.pointer(record_id);
        let chain = self.new_var("chain#".into(), pointer, VarKind::Param(func), name.span);
        self.program.funcs[func].params.push(chain);
        let id = self.nested.push(Nested {
            func,
            name: name.name,
            owner,
            ty,
            depth,
            record,
            chain,
            captures: Vec::new(),
            shared: None,
            open: true,
            defined: false,
            trampolines: None,
        });
        self.entities[entity].ty = ty;
        self.entities[entity].kind = EntityKind::Nested(id);
        id
    }
    /// The type of the function that has the chain as its first parameter.
    fn with_chain(&mut self, ty: QType, record: RecordId) -> QType {
        let record = QType::plain(self.types.intern(CKind::Record(record)));
        let pointer = self.pointer_to(record);
        let mut func: CFunc = match self.types.as_func(ty.ty) {
            Some(func) => (*func).clone(),
            None => return ty,
        };
        func.params.insert(0, pointer);
        func.prototype = true;
        QType::plain(self.types.intern(CKind::Func(Rc::new(func))))
    }
    /// The place of a variable of a function: its own, or that of one around it, through the chain.
    pub(super) fn variable(&mut self, var: VarId, ty: QType, span: Span) -> Expr {
        let id = self.cwi(ty.ty);
        let own = match self.program.vars[var].kind {
            VarKind::Local(f) | VarKind::Param(f) | VarKind::Temp(f) => {
                self.func.as_ref().is_none_or(|state| state.id == f)
            }
            _ => true,
        };
        let nested = self.func.as_ref().and_then(|f| f.nested);
        let (false, Some(nested)) = (own, nested) else {
            return self.var_place(var, id, span);
        };
        let known = self.nested[nested].captures.iter().position(|c| c.0 == var);
        let number = known.unwrap_or_else(|| {
            self.nested[nested].captures.push((var, ty));
            self.nested[nested].captures.len() - 1
        });
        let (chain, record) = (self.nested[nested].chain, self.nested[nested].record);
        let chain = self.var_value(chain, span);
        let record = self.program.types.record(record);
        let frame = mk(record, ExprKind::Deref(Box::new(chain)), span);
        let pointer = self.program.types.pointer(id);
        let field = mk(
            pointer,
            ExprKind::Field(Box::new(frame), number as u32),
            span,
        );
        let address = self.load(field, false);
        mk(id, ExprKind::Deref(Box::new(address)), span)
    }
    /// The chain for a use of a nested function here, as a pointer; what makes it goes to `out`.
    fn chain(&mut self, id: NestedId, out: &mut Vec<hir::Stmt>, span: Span) -> Expr {
        let Nested {
            record,
            chain,
            captures,
            open,
            shared,
            ..
        } = self.nested[id].clone();
        let record_id = self.program.types.record(record);
        let pointer = self.program.types.pointer(record_id);
        if let Some(var) = shared.filter(|_| !self.inside(id)) {
            let ty = QType::plain(self.types.intern(CKind::Record(record)));
            let place = self.variable(var, ty, span);
            return self.addr_of(place, pointer);
        }
        if open {
            // From inside of it: the same variables as now.
            let ty = QType::plain(self.types.intern(CKind::Record(record)));
            let ty = self.pointer_to(ty);
            let place = self.variable(chain, ty, span);
            return self.load(place, false);
        }
        if captures.is_empty() {
            return self.zero(pointer, span);
        }
        let frame = self.frame(id, record_id, span);
        self.fill_frame(frame, record_id, captures, out, span);
        let whole = self.var_place(frame, record_id, span);
        mk(pointer, ExprKind::AddrOf(Box::new(whole)), span)
    }
    /// Whether the current function is a nested function or one inside of it.
    fn inside(&self, id: NestedId) -> bool {
        let current = self.func.iter().chain(&self.outer);
        current.into_iter().any(|f| f.nested == Some(id))
    }
    /// The addresses of captured variables, as they are seen here.
    fn fill_frame(
        &mut self,
        frame: VarId,
        record_id: TypeId,
        captures: Vec<(VarId, QType)>,
        out: &mut Vec<hir::Stmt>,
        span: Span,
    ) {
        for (number, (var, ty)) in captures.into_iter().enumerate() {
            let to = self.pointer_to(ty);
            let to = self.cwi(to.ty);
            let place = self.variable(var, ty, span);
            let address = match self.program.vars[var].kind {
                _ if matches!(place.kind, ExprKind::Var(_)) => {
                    mk(to, ExprKind::AddrOf(Box::new(place)), span)
                }
                _ => self.addr_of(place, to),
            };
            let whole = self.var_place(frame, record_id, span);
            let field = mk(to, ExprKind::Field(Box::new(whole), number as u32), span);
            let assign = self.assign_expr(field, address, false);
            self.effect(assign, out);
        }
    }
    /// The record for uses of a nested function in the current one; it lives as long as the activation.
    fn frame(&mut self, id: NestedId, record: TypeId, span: Span) -> VarId {
        let state = self.func.as_ref().expect("uses are in functions");
        if let Some((_, var)) = state.frames.iter().find(|f| f.0 == id) {
            return *var;
        }
        let func = state.id;
        let name = format!("frame#{}", self.text(self.nested[id].name));
        let var = self.new_var(name, record, VarKind::Local(func), span);
        self.func.as_mut().expect("as above").frames.push((id, var));
        var
    }
    /// A call by name.
    pub(super) fn nested_call(&mut self, id: NestedId, args: &[ast::Expr], span: Span) -> Operand {
        let (func, ty, record) = (
            self.nested[id].func,
            self.nested[id].ty,
            self.nested[id].record,
        );
        let mut body = Vec::new();
        let chain = self.chain(id, &mut body, span);
        let full = self.with_chain(ty, record);
        let frame = QType::plain(self.types.intern(CKind::Record(record)));
        let frame = self.pointer_to(frame);
        let pointer = self.pointer_to(full);
        let pointer = self.cwi(pointer.ty);
        let callee = Operand::value(mk(pointer, ExprKind::FuncAddr(func), span), full);
        let mut all = vec![Operand::value(chain, frame)];
        for arg in args {
            let operand = self.expr(arg);
            all.push(operand);
        }
        let call = self.call_value(callee, all, span);
        if call.is_error() {
            return call;
        }
        // The addresses first: they do not change what arguments do.
        match self.types.is_void(call.ty.ty) {
            true => {
                self.effect(call.e, &mut body);
                self.sequence_void(body, span)
            }
            false => self.sequence(body, call, span),
        }
    }
    /// A nested function where a value is wanted: a pointer to a trampoline.
    pub(super) fn nested_address(&mut self, id: NestedId, span: Span) -> Operand {
        let ty = self.nested[id].ty;
        let pointer = self.pointer_to(ty);
        let pointer = self.cwi(pointer.ty);
        if self.unevaluated > 0 {
            return Operand::value(mk(pointer, ExprKind::Choose, span), ty);
        }
        let variadic = self.types.as_func(ty.ty).is_none_or(|f| f.variadic);
        if variadic {
            let what = "the address of a nested function with '...' parameters";
            self.unsupported(span, what);
            return Operand::error(span);
        }
        let owner = self.nested[id].owner;
        if self.func.as_ref().is_some_and(|f| f.id != owner) && self.nested[id].shared.is_none() {
            // The pointer may outlive the activation that takes it, but not the owner's.
            let Some(state) = self.outer.iter().find(|f| f.id == owner) else {
                return Operand::error(span);
            };
            if self.nested[id].depth != state.depth {
                self.unsupported(
                    span,
                    "the address of a nested function of an inner block, taken in another nested function",
                );
                return Operand::error(span);
            }
            self.share_frame(id);
        }
        let all = match self.nested[id].trampolines.clone() {
            Some(all) => all,
            None => self.trampolines(id, span),
        };
        let mut body = Vec::new();
        let chain = self.chain(id, &mut body, span);
        let slot = self.slot(id, &all, span);
        let int = QType::plain(self.types.int_of_bits(32, true));
        let slot = self.variable(slot, int, span);
        let slot_value = self.load(slot.clone(), false);
        // The first time in this activation: the next trampoline.
        let value = |cx: &Self, var: VarId| cx.var_value(var, span);
        let place = |cx: &Self, var: VarId| cx.var_place(var, Types::INT, span);
        let one = self.int_expr(Types::INT, 1, span);
        let next = self.binary(BinOp::Add, value(self, all.used), one);
        let taken = self.assign_expr(place(self, all.used), next, false);
        let taken = self.assign_expr(slot, taken, false);
        let zero = self.int_expr(Types::INT, 0, span);
        let fresh = self.binary(BinOp::Eq, slot_value.clone(), zero.clone());
        let taken = self.cond(fresh, taken, zero);
        self.effect(taken, &mut body);
        let limit = self.trampoline_limit(pointer, span);
        let mut address = limit;
        for (number, (func, var)) in all.funcs.iter().zip(&all.chains).enumerate().rev() {
            let number = self.int_expr(Types::INT, number as i128 + 1, span);
            let mine = self.binary(BinOp::Eq, slot_value.clone(), number);
            let to = self.var_place(*var, chain.ty, span);
            let set = self.assign_expr(to, chain.clone(), false);
            let function = mk(pointer, ExprKind::FuncAddr(*func), span);
            let chosen = self.comma(set, function);
            address = self.cond(mine, chosen, address);
        }
        let value = self.sequence(body, Operand::value(address, ty), span);
        Operand::value(value.e, ty)
    }
    /// More activations than trampolines: nobody knows what happens.
    fn trampoline_limit(&mut self, pointer: TypeId, span: Span) -> Expr {
        let void = QType::plain(CTypes::VOID);
        let to_void = self.pointer_to(void);
        let ty = self.func_type(to_void, Vec::new(), false);
        let name =
            format!("__more_than_{TRAMPOLINES}_activations_with_pointers_to_a_nested_function");
        let call = self.call_known(&name, ty, false, Vec::new(), span);
        self.cast(call.e, pointer)
    }
    /// The variable that says which trampoline the current activation uses, from 1; 0 is none yet.
    fn slot(&mut self, id: NestedId, all: &Trampolines, span: Span) -> VarId {
        let owner = self.nested[id].owner;
        let state = self.owner_state(owner);
        if let Some(slot) = state.slots.iter().find(|s| s.0 == id) {
            return slot.1;
        }
        let func = state.id;
        let name = format!("slot#{}", self.text(self.nested[id].name));
        let var = self.new_var(name, Types::INT, VarKind::Local(func), span);
        let zero = self.int_expr(Types::INT, 0, span);
        // When the activation ends, whatever way it does, so does the trampoline.
        let mut end = Vec::new();
        for (number, chain) in all.chains.iter().enumerate() {
            let number = self.int_expr(Types::INT, number as i128 + 1, span);
            let mine = self.binary(BinOp::Eq, self.var_value(var, span), number);
            let ty = self.program.vars[*chain].ty;
            let place = self.var_place(*chain, ty, span);
            let clear = self.assign_expr(place, self.zero(ty, span), false);
            end.push((mine, clear));
        }
        let less = self.int_expr(Types::INT, 1, span);
        let less = self.binary(BinOp::Sub, self.var_value(all.used, span), less);
        let place = self.var_place(all.used, Types::INT, span);
        let less = self.assign_expr(place, less, false);
        let void = |cx: &Self, e: Expr| cx.cast(e, Types::VOID);
        let mut freed = void(self, less);
        for (mine, clear) in end {
            let nothing = void(self, zero.clone());
            let clear = self.cond(mine, void(self, clear), nothing);
            freed = self.comma(clear, freed);
        }
        let in_use = self.binary(BinOp::Ne, self.var_value(var, span), zero.clone());
        let nothing = void(self, zero.clone());
        let cleanup = self.cond(in_use, freed, nothing);
        let state = self.owner_state(owner);
        state.slots.push((id, var));
        state.prologue.push(hir::Stmt {
            span,
            kind: StmtKind::Declare {
                var,
                init: Some(LocalInit::Value(zero)),
            },
        });
        state.prologue.push(hir::Stmt {
            span,
            kind: StmtKind::Cleanup(cleanup),
        });
        var
    }
    /// The function that has a nested one, which is the current one or around it.
    fn owner_state(&mut self, owner: FuncId) -> &mut FnState {
        if self.func.as_ref().is_some_and(|f| f.id == owner) {
            return self.state();
        }
        let mut outer = self.outer.iter_mut();
        outer
            .find(|f| f.id == owner)
            .expect("the owner is being read")
    }
    /// The trampolines of a nested function, made when its address is first taken.
    fn trampolines(&mut self, id: NestedId, span: Span) -> Trampolines {
        let Nested {
            func, ty, record, ..
        } = self.nested[id];
        let name = self.program.funcs[func].name.clone();
        let record_id = self.program.types.record(record);
        let chain_ty = self.program.types.pointer(record_id);
        let used = self.new_var(format!("{name}#used"), Types::INT, VarKind::Global, span);
        let mut all = Trampolines {
            funcs: Vec::new(),
            chains: Vec::new(),
            used,
        };
        self.hide(used);
        for number in 0..TRAMPOLINES {
            let text = format!("{name}#chain{number}");
            let chain = self.new_var(text, chain_ty, VarKind::Global, span);
            self.hide(chain);
            let loc = self.loc(span);
            let type_id = self.cwi(ty.ty);
            let text = format!("{name}#{number}");
            let trampoline = self.program.funcs.push(Function::glue(text, type_id, loc));
            let body = self.trampoline(trampoline, id, chain, span);
            self.finished.push(hir::Function {
                id: trampoline,
                body,
                labels: 0,
                address_taken: Vec::new(),
                jumped_into: false,
                end: span,
            });
            all.funcs.push(trampoline);
            all.chains.push(chain);
        }
        self.nested[id].trampolines = Some(all.clone());
        all
    }
    /// A variable of the whole program that only this file sees.
    fn hide(&mut self, var: VarId) {
        let info = &mut self.program.vars[var];
        info.linkage = cwolf_cwi::Linkage::Internal;
        info.definition = cwolf_cwi::Definition::Defined;
    }
    /// `f(chain, parameters)`, as a function of the parameters.
    fn trampoline(
        &mut self,
        trampoline: FuncId,
        id: NestedId,
        chain: VarId,
        span: Span,
    ) -> Vec<hir::Stmt> {
        let Nested {
            func, ty, record, ..
        } = self.nested[id];
        let Some(cfunc) = self.types.as_func(ty.ty) else {
            return Vec::new();
        };
        let full = self.with_chain(ty, record);
        let pointer = self.pointer_to(full);
        let pointer = self.cwi(pointer.ty);
        // Only a chain that is there: an activation that has ended took it away. Looking at it is the check.
        let chain = self.var_value(chain, span);
        let mut args = Vec::new();
        let needs = !self.nested[id].captures.is_empty();
        args.push(chain);
        for (number, param) in cfunc.params.iter().enumerate() {
            let ty = self.cwi(param.ty);
            let name = format!("param#{number}");
            let var = self.new_var(name, ty, VarKind::Param(trampoline), span);
            self.program.funcs[trampoline].params.push(var);
            args.push(self.var_value(var, span));
        }
        debug_assert!(needs || self.nested[id].captures.is_empty());
        let ret = self.cwi(cfunc.ret.ty);
        let call = mk(
            ret,
            ExprKind::Call {
                callee: Box::new(mk(pointer, ExprKind::FuncAddr(func), span)),
                args,
                noreturn: false,
            },
            span,
        );
        let kind = match self.types.is_void(cfunc.ret.ty) {
            true => StmtKind::Expr(call),
            false => StmtKind::Return(Some(call)),
        };
        vec![hir::Stmt { kind, span }]
    }
}
