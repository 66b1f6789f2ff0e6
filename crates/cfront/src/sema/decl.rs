//! Declarations: typedefs, variables and functions, with C's rules of linkage.

use super::Cx;
use super::attr::Attrs;
use super::ctype::{CKind, CTypes, Len, QType, Quals};
use super::fold::Operand;
use super::init::init_span;
use super::scope::{Entity, EntityId, EntityKind, FunctionInfo, Object};
use super::spec::Base;
use crate::ast::{self, Derived, Ident, InitDeclarator, Initializer, Specifiers, Storage};
use crate::hir::{self, ExprKind, LocalInit, StmtKind};
use cwolf_base::{Diagnostic, Span};
use cwolf_cwi::{Linkage, VarKind};

/// What a declaration says about one name.
pub(super) struct Declared<'a> {
    pub name: Ident,
    pub ty: QType,
    pub specs: &'a Specifiers,
    pub attrs: Attrs,
    pub align: Option<u64>,
    pub label: Option<String>,
}

impl Declared<'_> {
    pub fn storage(&self) -> Option<Storage> {
        self.specs.storage.map(|(s, _)| s)
    }
}

impl Attrs {
    /// Adds what another list says.
    pub fn merge(&mut self, other: Attrs) {
        self.packed |= other.packed;
        self.aligned = self.aligned.max(other.aligned);
        self.mode = other.mode.or(self.mode);
        self.vector = other.vector.or(self.vector);
        self.noreturn |= other.noreturn;
        self.weak |= other.weak;
        self.weakref |= other.weakref;
        self.gnu_inline |= other.gnu_inline;
        self.transparent_union |= other.transparent_union;
        self.alias = other.alias.or(self.alias.take());
        self.cleanup = other.cleanup.or(self.cleanup.take());
        self.constructor = other.constructor.or(self.constructor);
        self.destructor = other.destructor.or(self.destructor);
    }
}

/// The name that the linker sees, unless it is only a versioned spelling of the C name. What C23 reads as a number is
/// more than that: `0b101` is one.
pub(super) fn linker_name(label: Option<&String>) -> Option<String> {
    let label = label?;
    let number = |name: &str| name.starts_with("strto") || name.starts_with("wcsto");
    let newer = label.strip_prefix("__isoc23_").filter(|name| !number(name));
    if label.starts_with("__isoc99_") || newer.is_some() {
        return None;
    }
    Some(label.trim_start_matches('*').to_owned())
}

impl Cx<'_> {
    /// A declaration, inside or outside functions; inside, it may need code.
    pub(super) fn declaration(&mut self, decl: &ast::Declaration) -> Vec<hir::Stmt> {
        let mut out = Vec::new();
        let base = self.specifiers(&decl.specs, decl.declarators.is_empty());
        self.flush_effects(&mut out);
        for declarator in &decl.declarators {
            self.init_declarator(&decl.specs, &base, declarator, &mut out);
        }
        out
    }
    /// The sizes of variable-length arrays in the type just read are computed here.
    pub(super) fn flush_effects(&mut self, out: &mut Vec<hir::Stmt>) {
        for effect in std::mem::take(&mut self.effects) {
            out.push(hir::Stmt {
                span: effect.span,
                kind: StmtKind::Expr(effect),
            });
        }
    }
    fn init_declarator(
        &mut self,
        specs: &Specifiers,
        base: &Base,
        declarator: &InitDeclarator,
        out: &mut Vec<hir::Stmt>,
    ) {
        let Some(name) = declarator.declarator.name else {
            return;
        };
        let mut own = self.attributes(&[&declarator.declarator.attributes, &declarator.attributes]);
        if let Some(Derived::Pointer { attributes, .. }) = declarator.declarator.derived.first() {
            // Those of the type have been read with it; `T *__attribute__((cleanup(f))) x` is
            // about `x`.
            let after_star = self.attributes(&[attributes]);
            own.cleanup = own.cleanup.or(after_star.cleanup);
            own.weak |= after_star.weak;
        }
        if base.auto {
            self.auto_variable(name, declarator, out);
            return;
        }
        let ty = self.declarator(base.ty, &declarator.declarator);
        let ty = self.apply_mode(ty, &own, name.span);
        self.flush_effects(out);
        let mut attrs = base.attrs.clone();
        attrs.merge(own);
        let mut label = linker_name(declarator.asm_label.as_ref());
        let linked = self.func.is_none()
            || self.types.is_func(ty.ty)
            || specs.storage.map(|s| s.0) == Some(Storage::Extern);
        if linked && label.is_none() && specs.storage.map(|s| s.0) != Some(Storage::Typedef) {
            label = self.session.labels.get(&name.name).cloned();
        }
        let weak = self.session.weak.iter().find(|w| w.0 == name.name);
        if let Some((_, target)) = weak.filter(|_| linked) {
            attrs.weak = true;
            attrs.alias = attrs.alias.take().or(target.clone());
        }
        // A weakref is no symbol of its own: whoever names it means the target.
        if attrs.weakref && attrs.alias.is_some() {
            label = attrs.alias.take();
        }
        let declared = Declared {
            name,
            ty,
            specs,
            align: attrs.aligned.max(base.align),
            attrs,
            label,
        };
        if declared.storage() == Some(Storage::Typedef) {
            self.typedef(&declared);
            return;
        }
        if self.types.is_func(ty.ty) {
            if let Some(init) = &declarator.init {
                self.error(
                    init_span(init),
                    "a function cannot be initialised like a variable",
                );
            }
            if declared.storage() == Some(Storage::Auto) && self.func.is_some() {
                self.declare_nested(name, ty);
                return;
            }
            self.declare_function(&declared);
            return;
        }
        if declared.specs.inline {
            self.warn(name.span, "'inline' applies to functions only");
        }
        // `extern const void start;` names a place in memory of which only the address is used.
        let place = declared.storage() == Some(Storage::Extern) && declarator.init.is_none();
        if self.types.is_void(ty.ty) && !place {
            let message = format!("'{}' cannot have type 'void'", self.text(name.name));
            self.error(name.span, message);
            self.bind_error(name);
            return;
        }
        let linked = self.func.is_none() || declared.storage() == Some(Storage::Extern);
        if specs.constexpr && self.bind_constexpr(&declared, declarator.init.as_ref()) {
            return;
        }
        if linked {
            self.linked_object(&declared, declarator.init.as_ref());
        } else if declared.storage() == Some(Storage::Static) {
            self.static_local(&declared, declarator.init.as_ref());
        } else {
            self.local(&declared, declarator.init.as_ref(), out);
        }
    }
    fn bind_error(&mut self, name: Ident) {
        self.bind_new(Entity {
            name: name.name,
            ty: QType::plain(CTypes::ERROR),
            span: name.span,
            kind: EntityKind::Unbound,
        });
    }
    fn typedef(&mut self, declared: &Declared<'_>) {
        let Declared { name, ty, .. } = *declared;
        let ty = ty.aligned(declared.align);
        if declared.attrs.transparent_union
            && let Some(record) = self.types.as_record(ty.ty)
        {
            self.types.records[record].transparent = true;
        }
        if let Some(old) = self.scopes.lookup_here(name.name) {
            let entity = &self.entities[old];
            let (before, old_ty) = (entity.span, entity.ty);
            let same = matches!(entity.kind, EntityKind::Typedef)
                && self.types.compatible_qualified(old_ty, ty);
            if !same && !self.types.is_error(old_ty.ty) {
                let text = format!(
                    "'{}' is defined again as something else",
                    self.text(name.name)
                );
                let d = Diagnostic::error(name.span, text).related(before, "first defined here");
                self.error_with(d);
            }
            if same {
                return;
            }
        }
        let id = self.entities.push(Entity {
            name: name.name,
            ty,
            span: name.span,
            kind: EntityKind::Typedef,
        });
        self.scopes.bind(name.name, id);
    }
    /// C23's `constexpr` integers are constants by name.
    fn bind_constexpr(&mut self, declared: &Declared<'_>, init: Option<&Initializer>) -> bool {
        let Some(Initializer::Expr(e)) = init else {
            return false;
        };
        if !self.types.is_integer(declared.ty.ty) {
            return false;
        }
        let Some((value, _)) = self.int_constant(e, "the value of a 'constexpr'") else {
            return false;
        };
        let id = self.cwi(declared.ty.ty);
        let ExprKind::Int(value) = self.int_expr(id, value, e.span).kind else {
            return false;
        };
        self.bind_new(Entity {
            name: declared.name.name,
            ty: declared.ty.unqualified(),
            span: declared.name.span,
            kind: EntityKind::EnumConst(value),
        });
        true
    }
    /// The linkage that a declaration gives, and the earlier declaration of the same thing.
    fn linkage_of(&mut self, declared: &Declared<'_>) -> (Linkage, Option<EntityId>) {
        let name = declared.name;
        let known = self.linked.get(&name.name).copied();
        let before = known.and_then(|id| match &self.entities[id].kind {
            EntityKind::Object(o) => Some(o.linkage),
            EntityKind::Function(f) => Some(f.linkage),
            _ => None,
        });
        let is_function = self.types.is_func(declared.ty.ty);
        let asked = match declared.storage() {
            _ if declared.attrs.weakref => before.unwrap_or(Linkage::External),
            Some(Storage::Static) => Linkage::Internal,
            Some(Storage::Extern) => before.unwrap_or(Linkage::External),
            _ if is_function => before.unwrap_or(Linkage::External),
            _ => Linkage::External,
        };
        if let (Some(before), Some(id)) = (before, known)
            && before != asked
        {
            // A forward declaration by use is replaced silently, as gcc warns only.
            let implicit = matches!(&self.entities[id].kind, EntityKind::Function(f) if f.implicit);
            if !implicit {
                let span = self.entities[id].span;
                let kind = if asked == Linkage::Internal {
                    "static"
                } else {
                    "non-static"
                };
                let text = format!(
                    "'{}' is declared {kind}, but was not before",
                    self.text(name.name)
                );
                let d = Diagnostic::error(name.span, text).related(span, "declared here");
                self.error_with(d);
            }
        }
        (asked, known)
    }
    /// Reports two declarations of one thing that do not fit together.
    fn conflict(&mut self, declared: &Declared<'_>, old: EntityId) {
        let before = self.entities[old].span;
        let (new_ty, old_ty) = (self.show(declared.ty), self.show(self.entities[old].ty));
        let name = self.text(declared.name.name).to_owned();
        let text = match (new_ty == old_ty, self.other_kind(declared, old)) {
            (false, _) => format!("'{name}' is declared as {new_ty}, but was declared as {old_ty}"),
            (true, Some((new, old))) => {
                format!("'{name}' is declared as {new} here, but was declared as {old}")
            }
            (true, None) => format!(
                "'{name}' is declared as {new_ty}, but was declared as another type of that name"
            ),
        };
        let d = Diagnostic::error(declared.name.span, text).related(before, "declared here");
        self.error_with(d);
    }
    /// What a declaration makes of a name, and what it was before, if these are not the same.
    fn other_kind(
        &self,
        declared: &Declared<'_>,
        old: EntityId,
    ) -> Option<(&'static str, &'static str)> {
        const VARIABLE: &str = "a variable of the whole program";
        const FUNCTION: &str = "a function";
        let new = match self.types.is_func(declared.ty.ty) {
            true => FUNCTION,
            false => VARIABLE,
        };
        let old = match self.entities[old].kind {
            EntityKind::Typedef => "the name of a type",
            EntityKind::EnumConst(_) => "a constant of an enumeration",
            EntityKind::Object(_) => VARIABLE,
            EntityKind::Function(_) => FUNCTION,
            EntityKind::Nested(_) => "a nested function",
            EntityKind::Unbound => "a parameter",
            EntityKind::Local(_) | EntityKind::Vla(_) => "a variable of this function",
        };
        (new != old).then_some((new, old))
    }
    /// Binds a linked thing in the innermost scope, unless something else is there.
    fn bind_linked(&mut self, declared: &Declared<'_>, id: EntityId) -> bool {
        let name = declared.name.name;
        match self.scopes.lookup_here(name) {
            Some(here) if here == id => true,
            Some(here) if !matches!(self.entities[here].kind, EntityKind::Unbound) => {
                self.conflict(declared, here);
                false
            }
            _ => {
                self.scopes.bind(name, id);
                true
            }
        }
    }
    fn linked_object(&mut self, declared: &Declared<'_>, init: Option<&Initializer>) {
        let (linkage, known) = self.linkage_of(declared);
        let name = declared.name;
        if self.types.is_vla(declared.ty.ty) {
            self.error(
                name.span,
                "an object with linkage cannot have a variable size",
            );
            self.bind_error(name);
            return;
        }
        let id = match known {
            Some(id) => {
                let old = self.entities[id].ty;
                let object = matches!(self.entities[id].kind, EntityKind::Object(_));
                if !object || !self.types.compatible_qualified(old, declared.ty) {
                    self.conflict(declared, id);
                    return;
                }
                self.entities[id].ty = self.composite(old, declared.ty);
                id
            }
            None => {
                let id = self.entities.push(Entity {
                    name: name.name,
                    ty: declared.ty,
                    span: name.span,
                    kind: EntityKind::Object(Object {
                        var: None,
                        linkage,
                        defined: false,
                        tentative: false,
                        thread_local: false,
                        weak: false,
                        align: None,
                        label: None,
                        alias: None,
                    }),
                });
                self.linked.insert(name.name, id);
                id
            }
        };
        let tentative = init.is_none() && declared.storage() != Some(Storage::Extern);
        if let EntityKind::Object(object) = &mut self.entities[id].kind {
            object.tentative |= tentative;
            object.thread_local |= declared.specs.thread_local;
            object.weak |= declared.attrs.weak;
            object.align = object.align.max(declared.align);
            object.linkage = linkage;
            object.label = object.label.take().or(declared.label.clone());
            object.alias = object.alias.take().or(declared.attrs.alias.clone());
        }
        if !self.bind_linked(declared, id) {
            return;
        }
        if tentative || declared.attrs.alias.is_some() {
            self.use_object(id);
        }
        if let Some(init) = init {
            self.define_object(id, declared, init);
        }
        self.sync_object(id);
    }
    fn define_object(&mut self, id: EntityId, declared: &Declared<'_>, init: &Initializer) {
        let span = declared.name.span;
        if self.func.is_some() {
            self.error(
                span,
                "an 'extern' declaration inside a function cannot initialise",
            );
            return;
        }
        let EntityKind::Object(object) = &mut self.entities[id].kind else {
            return;
        };
        if std::mem::replace(&mut object.defined, true) {
            let before = self.entities[id].span;
            let text = format!("redefinition of '{}'", self.text(declared.name.name));
            let d = Diagnostic::error(span, text).related(before, "first defined here");
            self.error_with(d);
            return;
        }
        self.entities[id].span = span;
        let ty = self.entities[id].ty;
        let unknown_len = matches!(self.types.as_array(ty.ty), Some((_, Len::Unknown)));
        if !unknown_len && !self.types.is_complete(ty.ty) {
            let shown = self.show(ty);
            self.error(span, format!("the type {shown} is incomplete"));
            return;
        }
        if let Some(what) = self.types.unsupported(ty.ty) {
            self.unsupported(span, what);
            return;
        }
        let var = self.use_object(id);
        let ty = self.static_init(ty, init, var);
        self.entities[id].ty = ty;
    }
    fn static_local(&mut self, declared: &Declared<'_>, init: Option<&Initializer>) {
        let Declared { name, ty, .. } = *declared;
        let func = self.func.as_ref().expect("inside a function").id;
        if self.types.is_vla(ty.ty) {
            self.error(name.span, "a static variable cannot have a variable size");
            self.bind_error(name);
            return;
        }
        if let Some(what) = self.types.unsupported(ty.ty) {
            self.unsupported(name.span, what);
        }
        let id = self.cwi(ty.ty);
        let text = self.text(name.name).to_owned();
        let var = self.new_var(text, id, VarKind::StaticLocal(func), name.span);
        let entity = self.bind_new(Entity {
            name: name.name,
            ty,
            span: name.span,
            kind: EntityKind::Local(var),
        });
        self.describe_var(var, declared);
        if let Some(init) = init {
            let ty = self.static_init(ty, init, var);
            self.entities[entity].ty = ty;
        }
        self.check_complete(entity, name);
    }
    fn describe_var(&mut self, var: cwolf_cwi::VarId, declared: &Declared<'_>) {
        let quals = self.innermost_quals(declared.ty);
        let align = self.align_of(declared.ty);
        let info = &mut self.program.vars[var];
        info.volatile = quals.has(Quals::VOLATILE);
        info.constant = quals.has(Quals::CONST);
        info.thread_local = declared.specs.thread_local;
        info.align = align.max(declared.align.unwrap_or(1));
    }
    fn check_complete(&mut self, entity: EntityId, name: Ident) {
        let ty = self.entities[entity].ty;
        if !self.types.is_complete(ty.ty) {
            let shown = self.show(ty);
            let message = format!("'{}' has the incomplete type {shown}", self.text(name.name));
            self.error(name.span, message);
            self.entities[entity].ty = QType::plain(CTypes::ERROR);
        }
    }
    fn local(
        &mut self,
        declared: &Declared<'_>,
        init: Option<&Initializer>,
        out: &mut Vec<hir::Stmt>,
    ) {
        let Declared { name, ty, .. } = *declared;
        let func = self.func.as_ref().expect("inside a function").id;
        if let Some(what) = self.types.unsupported(ty.ty) {
            self.unsupported(name.span, what);
        }
        if self.types.is_vla(ty.ty) {
            self.vla(declared, init, out);
            return;
        }
        let id = self.cwi(ty.ty);
        let text = self.text(name.name).to_owned();
        let var = self.new_var(text, id, VarKind::Local(func), name.span);
        let entity = self.bind_new(Entity {
            name: name.name,
            ty,
            span: name.span,
            kind: EntityKind::Local(var),
        });
        self.describe_var(var, declared);
        let init = init.map(|init| {
            let (ty, init) = self.local_init(ty, init);
            self.entities[entity].ty = ty;
            let id = self.cwi(ty.ty);
            self.program.vars[var].ty = id;
            init
        });
        self.check_complete(entity, name);
        out.push(hir::Stmt {
            span: name.span,
            kind: StmtKind::Declare { var, init },
        });
        self.cleanup(declared, out);
    }
    /// The `cleanup` attribute: a call when the scope is left.
    fn cleanup(&mut self, declared: &Declared<'_>, out: &mut Vec<hir::Stmt>) {
        let Some(function) = declared.attrs.cleanup else {
            return;
        };
        let name = |ident: Ident| ast::Expr {
            kind: ast::ExprKind::Name(ident.name),
            span: ident.span,
        };
        let address = ast::Expr {
            kind: ast::ExprKind::Unary(ast::UnaryOp::AddrOf, Box::new(name(declared.name))),
            span: declared.name.span,
        };
        let call = self.call(&name(function), &[address], function.span);
        out.push(hir::Stmt {
            span: function.span,
            kind: StmtKind::Cleanup(call.e),
        });
    }
    fn vla(
        &mut self,
        declared: &Declared<'_>,
        init: Option<&Initializer>,
        out: &mut Vec<hir::Stmt>,
    ) {
        let Declared { name, ty, .. } = *declared;
        let func = self.func.as_ref().expect("inside a function").id;
        if let Some(init) = init {
            let empty = matches!(init, Initializer::List { items, .. } if items.is_empty());
            if !empty {
                self.error(
                    init_span(init),
                    "a variable-length array cannot be initialised",
                );
            }
        }
        let pointer = self.vla_pointer(ty);
        let pointer = self.cwi(pointer.ty);
        let text = self.text(name.name).to_owned();
        let var = self.new_var(text, pointer, VarKind::Local(func), name.span);
        self.bind_new(Entity {
            name: name.name,
            ty,
            span: name.span,
            kind: EntityKind::Vla(var),
        });
        let size = self.runtime_size(ty, name.span);
        out.push(hir::Stmt {
            span: name.span,
            kind: StmtKind::DeclareVla {
                pointer: var,
                size: size.clone(),
            },
        });
        if init.is_some() {
            let start = self.var_value(var, name.span);
            let zeros = self.zero_bytes(start, size, name.span);
            self.effect(zeros, out);
        }
        self.cleanup(declared, out);
    }
    /// The type of the hidden pointer to something of variable length: to the first element of an array.
    pub(super) fn vla_pointer(&mut self, ty: QType) -> QType {
        match self.types.as_array(ty.ty) {
            Some((elem, _)) => self.pointer_to(elem),
            None => self.pointer_to(ty),
        }
    }
    /// `__auto_type x = e;`
    fn auto_variable(
        &mut self,
        name: Ident,
        declarator: &InitDeclarator,
        out: &mut Vec<hir::Stmt>,
    ) {
        let Some(Initializer::Expr(e)) = &declarator.init else {
            self.error(name.span, "a variable without a type needs an initialiser");
            self.bind_error(name);
            return;
        };
        let operand = self.expr(e);
        let operand = self.rvalue(operand);
        let operand = self.drop_excess(operand);
        let Some(func) = self.func.as_ref().map(|f| f.id) else {
            self.error(name.span, "a variable outside functions needs a type");
            self.bind_error(name);
            return;
        };
        if self.types.is_void(operand.ty.ty) {
            self.error(e.span, "this has no value to initialise with");
            self.bind_error(name);
            return;
        }
        let id = self.cwi(operand.ty.ty);
        let text = self.text(name.name).to_owned();
        let var = self.new_var(text, id, VarKind::Local(func), name.span);
        let Operand { e, ty, .. } = operand;
        self.bind_new(Entity {
            name: name.name,
            ty,
            span: name.span,
            kind: EntityKind::Local(var),
        });
        out.push(hir::Stmt {
            span: name.span,
            kind: StmtKind::Declare {
                var,
                init: Some(LocalInit::Value(e)),
            },
        });
    }
    /// A function's declaration; also the first half of its definition.
    pub(super) fn declare_function(&mut self, declared: &Declared<'_>) -> Option<EntityId> {
        let name = declared.name;
        let (linkage, known) = self.linkage_of(declared);
        let id = match known {
            Some(id) => {
                let old = self.entities[id].ty;
                let EntityKind::Function(info) = &self.entities[id].kind else {
                    self.conflict(declared, id);
                    return None;
                };
                let implicit = info.implicit;
                if self.types.compatible(old.ty, declared.ty.ty) {
                    self.entities[id].ty = self.composite(declared.ty, old);
                } else if implicit || self.promoted_compatible(old, declared.ty) {
                    if !implicit || !self.is_builtin_name(name.name) {
                        let shown = self.show(declared.ty);
                        let message = format!(
                            "'{}' was used before as another type than {shown}",
                            self.text(name.name)
                        );
                        self.warn(name.span, message);
                    }
                    self.entities[id].ty = declared.ty;
                } else {
                    self.conflict(declared, id);
                    return None;
                }
                if implicit {
                    self.entities[id].span = name.span;
                }
                id
            }
            None => {
                let id = self.entities.push(Entity {
                    name: name.name,
                    ty: declared.ty,
                    span: name.span,
                    kind: EntityKind::Function(FunctionInfo {
                        func: None,
                        linkage,
                        defined: false,
                        inline_only: false,
                        noreturn: false,
                        weak: false,
                        constructor: None,
                        destructor: None,
                        alias: None,
                        label: None,
                        implicit: false,
                    }),
                });
                self.linked.insert(name.name, id);
                id
            }
        };
        let noreturn = declared.attrs.noreturn || declared.specs.noreturn;
        if let EntityKind::Function(info) = &mut self.entities[id].kind {
            info.linkage = linkage;
            info.noreturn |= noreturn;
            info.weak |= declared.attrs.weak;
            info.constructor = info.constructor.or(declared.attrs.constructor);
            info.destructor = info.destructor.or(declared.attrs.destructor);
            info.implicit = false;
            info.label = info.label.take().or(declared.label.clone());
            info.alias = info.alias.take().or(declared.attrs.alias.clone());
        }
        let bound = if self.func.is_none() && self.scopes.depth() > 0 {
            // A definition: its parameters' scope is open already.
            self.scopes.bind_file(name.name, id);
            true
        } else {
            self.bind_linked(declared, id)
        };
        if declared.attrs.alias.is_some() {
            self.use_function(id);
        }
        self.sync_function(id);
        bound.then_some(id)
    }
    /// gcc lets an old-style definition follow a prototype whose types are not promoted.
    fn promoted_compatible(&self, a: QType, b: QType) -> bool {
        match (self.types.kind(a.ty), self.types.kind(b.ty)) {
            (CKind::Func(f), CKind::Func(g)) => {
                f.prototype != g.prototype && self.types.compatible(f.ret.ty, g.ret.ty)
            }
            _ => false,
        }
    }
    /// A function that is called without having been declared.
    pub(super) fn declare_implicitly(&mut self, name: cwolf_base::Symbol, span: Span) -> EntityId {
        if let Some(&id) = self.linked.get(&name)
            && matches!(self.entities[id].kind, EntityKind::Function(_))
        {
            self.scopes.bind(name, id);
            return id;
        }
        let text = self.session.names.shared(name);
        let (ty, noreturn) = match self.library_function(&text) {
            Some((ty, noreturn)) => {
                let message = format!("'{text}' is not declared; its library prototype is used");
                self.warn(span, message);
                (ty, noreturn)
            }
            None => {
                self.warn(
                    span,
                    format!("'{text}' is not declared; it is assumed to return 'int'"),
                );
                let func = super::ctype::CFunc {
                    ret: QType::plain(CTypes::INT),
                    params: Vec::new(),
                    variadic: false,
                    prototype: false,
                };
                (self.types.intern(CKind::Func(func.into())), false)
            }
        };
        let id = self.entities.push(Entity {
            name,
            ty: QType::plain(ty),
            span,
            kind: EntityKind::Function(FunctionInfo {
                func: None,
                linkage: Linkage::External,
                defined: false,
                inline_only: false,
                noreturn,
                weak: false,
                constructor: None,
                destructor: None,
                alias: None,
                label: None,
                implicit: true,
            }),
        });
        self.linked.insert(name, id);
        self.scopes.bind(name, id);
        id
    }
}
