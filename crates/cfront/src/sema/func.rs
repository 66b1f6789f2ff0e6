//! Function definitions.

use super::Cx;
use super::ctype::{CFunc, CKind, CTypes, FloatKind, IntKind, QType};
use super::decl::Declared;
use super::declarator::ParamInfo;
use super::fold::is_pure;
use super::nested::NestedId;
use super::scope::{EntityId, EntityKind};
use super::stmt::SwitchState;
use crate::ast::{self, ArraySize, Derived, FunctionDef, Param, Params, Storage};
use crate::hir::{self, LabelId, LocalInit, StmtKind};
use crate::session::Standard;
use cwolf_base::{Diagnostic, Span, Symbol};
use cwolf_cwi::{Definition, FuncId, FuncTy, Refusal, Type, VarId, VarKind};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// A label of the current function.
#[derive(Clone, Debug)]
pub(super) struct LabelInfo {
    pub name: Symbol,
    pub defined: Option<Span>,
    pub used: Option<Span>,
    /// Where the way back is kept for nested functions that jump to it.
    pub buffer: Option<VarId>,
    /// How many blocks were open where `__label__` declared it.
    pub depth: u32,
    /// It stands in a block inside of that one.
    pub inner: bool,
}

/// The function whose body is being analysed.
#[derive(Debug)]
pub(super) struct FnState {
    pub id: FuncId,
    pub name: Symbol,
    pub ret: QType,
    pub variadic: bool,
    pub labels: Vec<LabelInfo>,
    /// Labels by name: the function's own first, then those of `__label__` blocks.
    pub label_scopes: Vec<FxHashMap<Symbol, LabelId>>,
    pub address_taken: Vec<LabelId>,
    /// Loops, and loops or switches, around the current statement.
    pub loops: u32,
    pub breakable: u32,
    pub switches: Vec<SwitchState>,
    pub refusal: Option<(String, Span)>,
    pub temps: u32,
    /// Which nested function it is, if it is one.
    pub nested: Option<NestedId>,
    /// The records that it makes for nested functions.
    pub frames: Vec<(NestedId, VarId)>,
    /// Which of their trampolines it uses.
    pub slots: Vec<(NestedId, VarId)>,
    /// What comes before its body.
    pub prologue: Vec<hir::Stmt>,
    /// How many blocks are open at its outermost statements.
    pub depth: u32,
    /// It names itself by another name of its symbol.
    pub recursive: bool,
}

impl FnState {
    /// The whole body.
    pub fn finish(&self, body: Vec<hir::Stmt>) -> Vec<hir::Stmt> {
        let mut all = self.prologue.clone();
        all.extend(body);
        all
    }
    /// The state for expressions that stand outside of the function's text.
    pub fn outside(id: FuncId) -> FnState {
        FnState {
            id,
            name: Symbol(0),
            ret: QType::plain(CTypes::VOID),
            variadic: false,
            labels: Vec::new(),
            label_scopes: vec![FxHashMap::default()],
            address_taken: Vec::new(),
            loops: 0,
            breakable: 0,
            switches: Vec::new(),
            refusal: None,
            temps: 0,
            nested: None,
            frames: Vec::new(),
            slots: Vec::new(),
            prologue: Vec::new(),
            depth: 0,
            recursive: false,
        }
    }
    /// Whether nested functions jump into blocks of it: locals there may be alive by then, or not.
    pub fn jumped_into(&self) -> bool {
        let mut labels = self.labels.iter();
        labels.any(|label| label.buffer.is_some() && label.inner)
    }
}

impl Cx<'_> {
    /// A function definition; its typed body, unless it is wrong or refused.
    pub(super) fn function(&mut self, def: &FunctionDef) -> Option<hir::Function> {
        let errors = self.session.diagnostics.errors();
        let base = self.specifiers(&def.specs, false);
        let mut attrs = base.attrs.clone();
        let own = self.attributes(&[&def.declarator.attributes]);
        attrs.merge(own);
        let name = def.declarator.name?;
        let derived = &def.declarator.derived;
        let Some(Derived::Function { params, .. }) = derived.first() else {
            self.error(
                def.declarator.span,
                "a function definition needs a parameter list",
            );
            return None;
        };
        let ret = self.derive(base.ty, &derived[1..], def.declarator.span);
        if !self.check_return_type(ret, name.span) {
            return None;
        }
        self.scopes.push();
        let result = self.define(def, &attrs, name, ret, params, errors);
        while self.scopes.depth() > 0 {
            self.scopes.pop();
        }
        self.func = None;
        self.outer.clear();
        self.effects.clear();
        result
    }
    fn define(
        &mut self,
        def: &FunctionDef,
        attrs: &super::attr::Attrs,
        name: ast::Ident,
        ret: QType,
        params: &Params,
        errors: usize,
    ) -> Option<hir::Function> {
        let (mut infos, cfunc) = self.params(ret, params);
        let old_style = matches!(params, Params::Names(_));
        if old_style {
            self.old_params(&mut infos, &def.old_params);
        }
        let variadic = cfunc.variadic;
        let mut cfunc = cfunc;
        if matches!(params, Params::Unknown) && def.old_params.is_empty() {
            // `int f() {}` takes no parameters, but calls of it are not checked.
            cfunc.prototype = false;
        }
        let ty = QType::plain(self.types.intern(CKind::Func(Rc::new(cfunc))));
        let entity = self.declare_function(&Declared {
            name,
            ty,
            specs: &def.specs,
            attrs: attrs.clone(),
            align: None,
            label: None,
        })?;
        let copy = attrs.gnu_inline && self.gives_way(def, attrs);
        if copy && cwolf_known::lookup(self.text(name.name)).is_some() {
            return None;
        }
        let id = self.start_definition(entity, def, attrs, name)?;
        let prototype = self.types.as_func(self.entities[entity].ty.ty);
        let full = self.types.is_void(ret.ty) || self.types.is_complete(ret.ty);
        if !full && !self.types.is_error(ret.ty) {
            let shown = self.show(ret);
            self.error(name.span, format!("the return type {shown} is incomplete"));
        }
        self.func = Some(FnState {
            depth: self.scopes.depth(),
            name: name.name,
            ret: ret.unqualified(),
            variadic,
            ..FnState::outside(id)
        });
        if let Some(what) = self.types.unsupported(ty.ty) {
            self.unsupported(name.span, what);
        }
        let mut body = Vec::new();
        self.bind_params(
            id,
            &infos,
            params,
            old_style,
            prototype.as_deref(),
            &mut body,
        );
        self.sized_old_params(&def.old_params, &mut body);
        self.set_type(id, ret, variadic);
        self.block_items(&def.body.items, &mut body);
        self.check_labels();
        self.fill_shared(id);
        let main = self.text(name.name) == "main";
        if main && ret.ty == CTypes::INT && self.session.options.standard >= Standard::C99 {
            let zero = self.int_operand(0, def.body.end).e;
            body.push(hir::Stmt {
                span: def.body.end,
                kind: StmtKind::Return(Some(zero)),
            });
        }
        let state = self.func.take().expect("set above");
        if self.session.diagnostics.errors() > errors {
            return None;
        }
        if state.recursive && self.gives_way(def, attrs) {
            // A copy that calls the original by another name is no function by itself.
            let reason = "an inline copy of a function that is defined elsewhere".to_owned();
            let loc = self.loc(name.span);
            self.program.funcs[id].refused = Some(Refusal { reason, loc });
            return None;
        }
        if let Some((reason, span)) = state.refusal {
            let loc = self.loc(span);
            let text = format!(
                "'{}' is left out: not supported: {reason}",
                self.text(name.name)
            );
            // Headers have many functions that nobody calls; whoever calls one is told.
            self.session.warn(span, text);
            self.program.funcs[id].refused = Some(Refusal { reason, loc });
            return None;
        }
        Some(hir::Function {
            id,
            body: state.finish(body),
            labels: state.labels.len() as u32,
            jumped_into: state.jumped_into(),
            address_taken: state.address_taken,
            end: def.body.end,
        })
    }
    /// Whether it is only a copy, for calls in this file, of a function that is defined elsewhere. Where it says so by
    /// `gnu_inline` and is one of the library, the original is used: copies in glibc's headers
    /// (`-O2 -D_FORTIFY_SOURCE=2`) are made of calls of it.
    fn gives_way(&self, def: &FunctionDef, attrs: &super::attr::Attrs) -> bool {
        let gnu_inline = attrs.gnu_inline || self.session.options.standard == Standard::C89;
        let external = def.specs.storage.map(|s| s.0) == Some(Storage::Extern);
        let is_static = def.specs.storage.map(|s| s.0) == Some(Storage::Static);
        // GNU: `extern inline` gives way. C99: `inline` without `extern` does.
        def.specs.inline && !is_static && gnu_inline == external
    }
    /// Marks the function as defined here; a second definition is an error.
    fn start_definition(
        &mut self,
        entity: EntityId,
        def: &FunctionDef,
        attrs: &super::attr::Attrs,
        name: ast::Ident,
    ) -> Option<FuncId> {
        let before = self.entities[entity].span;
        let inline_only = self.gives_way(def, attrs);
        let EntityKind::Function(info) = &mut self.entities[entity].kind else {
            return None;
        };
        let again = info.defined && !info.inline_only;
        info.defined = true;
        info.inline_only = inline_only;
        let weak = info.weak;
        if again {
            let text = format!("redefinition of '{}'", self.text(name.name));
            let d = Diagnostic::error(name.span, text).related(before, "first defined here");
            self.error_with(d);
            return None;
        }
        self.entities[entity].span = name.span;
        let id = self.use_function(entity);
        let loc = self.loc(name.span);
        let func = &mut self.program.funcs[id];
        func.loc = loc;
        func.params.clear();
        func.locals.clear();
        func.body = None;
        func.alias = None;
        func.weak = false;
        func.definition = if inline_only || weak {
            Definition::Weak
        } else {
            Definition::Defined
        };
        self.defined.push(entity);
        Some(id)
    }
    /// The types of K&R parameters, from the declarations before the body.
    pub(super) fn old_params(&mut self, infos: &mut [ParamInfo], decls: &[ast::Declaration]) {
        for decl in decls {
            let base = self.specifiers(&decl.specs, decl.declarators.is_empty());
            for declarator in &decl.declarators {
                let d = &declarator.declarator;
                let Some(name) = d.name else { continue };
                self.prototypes += 1;
                let ty = self.declarator(base.ty, d);
                self.prototypes -= 1;
                let ty = self.adjust_param(ty, &d.derived);
                let found = infos
                    .iter_mut()
                    .find(|p| p.name.is_some_and(|n| n.name == name.name));
                match found {
                    // The sizes of those that follow may name it.
                    Some(info) => {
                        info.ty = ty;
                        self.bind_param(name, ty, EntityKind::Unbound);
                    }
                    None => {
                        let text =
                            format!("'{}' is not in the parameter list", self.text(name.name));
                        self.error(name.span, text);
                    }
                }
            }
        }
    }
    pub(super) fn bind_params(
        &mut self,
        id: FuncId,
        infos: &[ParamInfo],
        params: &Params,
        old_style: bool,
        prototype: Option<&CFunc>,
        body: &mut Vec<hir::Stmt>,
    ) {
        for (n, info) in infos.iter().enumerate() {
            let mut ty = info.ty;
            if !self.types.is_complete(ty.ty) && !self.types.is_void(ty.ty) {
                let shown = self.show(ty);
                self.error(
                    info.span,
                    format!("the parameter has the incomplete type {shown}"),
                );
                ty = QType::plain(CTypes::ERROR);
            }
            if self.types.is_variably_modified(ty.ty)
                && let Params::Typed { params, .. } = params
            {
                ty = self.sized_param(&params[n]);
                self.flush_effects(body);
            } else if let Params::Typed { params, .. } = params {
                self.lost_size(&params[n], body);
            }
            if self.runtime_record(ty).is_some() {
                self.no_runtime_value(info.span);
                ty = QType::plain(CTypes::ERROR);
            }
            let passed = match prototype {
                Some(f) if old_style && f.prototype => f.params.get(n).copied().unwrap_or(ty),
                _ if old_style => self.promoted_param(ty),
                _ => ty,
            };
            let text = info
                .name
                .map_or(String::new(), |name| self.text(name.name).to_owned());
            let text = if text.is_empty() {
                format!("param#{n}")
            } else {
                text
            };
            let passed_id = self.cwi(passed.ty);
            let var = self.new_var(text.clone(), passed_id, VarKind::Param(id), info.span);
            self.program.funcs[id].params.push(var);
            self.program.vars[var].volatile = ty.is_volatile();
            self.program.vars[var].constant = ty.quals.has(super::ctype::Quals::CONST);
            let Some(name) = info.name else {
                // C23 allows it, gcc everywhere.
                continue;
            };
            let own_id = self.cwi(ty.ty);
            let bound = if own_id == passed_id {
                var
            } else {
                // A K&R parameter arrives promoted and is narrowed here.
                let own = self.new_var(text, own_id, VarKind::Local(id), info.span);
                let value = self.var_value(var, info.span);
                let value = self.cast(value, own_id);
                body.push(hir::Stmt {
                    span: info.span,
                    kind: StmtKind::Declare {
                        var: own,
                        init: Some(LocalInit::Value(value)),
                    },
                });
                own
            };
            match self.scopes.lookup_here(name.name) {
                Some(entity) => {
                    self.entities[entity].kind = EntityKind::Local(bound);
                    self.entities[entity].ty = ty;
                }
                None => self.bind_param(name, ty, EntityKind::Local(bound)),
            }
        }
    }
    /// The types of K&R parameters whose sizes are those of other parameters, now that these have values.
    pub(super) fn sized_old_params(
        &mut self,
        decls: &[ast::Declaration],
        body: &mut Vec<hir::Stmt>,
    ) {
        for decl in decls {
            for declarator in &decl.declarators {
                let d = &declarator.declarator;
                let found = d.name.and_then(|n| self.scopes.lookup_here(n.name));
                let Some(entity) = found else { continue };
                if !self.types.is_variably_modified(self.entities[entity].ty.ty) {
                    continue;
                }
                let base = self.specifiers(&decl.specs, false);
                let ty = self.declarator(base.ty, d);
                self.entities[entity].ty = self.adjust_param(ty, &d.derived);
                self.flush_effects(body);
            }
        }
    }
    /// A parameter like `int a[n][m]`, read again now that its sizes can be computed.
    fn sized_param(&mut self, param: &Param) -> QType {
        let base = self.specifiers(&param.specs, false);
        let ty = self.declarator(base.ty, &param.declarator);
        self.adjust_param(ty, &param.declarator.derived)
    }
    /// The size in `int a[n++]`: the parameter is a pointer, but what the size does is done.
    fn lost_size(&mut self, param: &Param, body: &mut Vec<hir::Stmt>) {
        let Some(Derived::Array {
            size: ArraySize::Expr(size),
            ..
        }) = param.declarator.derived.first()
        else {
            return;
        };
        if matches!(size.kind, ast::ExprKind::Int(_)) {
            return;
        }
        let operand = self.expr(size);
        if !operand.is_error() && !is_pure(&operand.e) {
            let kind = StmtKind::Expr(self.for_effect(operand));
            body.push(hir::Stmt {
                kind,
                span: size.span,
            });
        }
    }
    pub(super) fn promoted_param(&self, ty: QType) -> QType {
        let plain = self.types.strip_enum(ty.ty);
        match self.types.kind(plain) {
            CKind::Bool => QType::plain(CTypes::INT),
            CKind::Int(kind) if kind.rank() < IntKind::Int.rank() => {
                QType::plain(self.types.promoted_small(*kind))
            }
            CKind::Float(FloatKind::Float) => QType::plain(CTypes::DOUBLE),
            _ => ty,
        }
    }
    /// The defined function's type says what really arrives.
    pub(super) fn set_type(&mut self, id: FuncId, ret: QType, variadic: bool) {
        let ret = self.cwi(ret.ty);
        let vars = &self.sema.program.vars;
        let params = self.program.funcs[id].params.iter();
        let params = params.map(|&v| vars[v].ty).collect();
        let ty = self.program.types.intern(Type::Func(FuncTy {
            ret,
            params,
            variadic,
        }));
        self.program.funcs[id].ty = ty;
    }
}
