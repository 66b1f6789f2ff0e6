//! Things with linkage: they enter the program when they are defined or first used, since
//! system headers declare thousands that never are.

use super::Cx;
use super::ctype::{CTypes, Len, QType, Quals};
use super::scope::{Entity, EntityId, EntityKind};
use cwolf_base::Diagnostic;
use cwolf_cwi::{Definition, FuncId, Function, Linkage, Phase, Startup, Var, VarId, VarKind};

impl Cx<'_> {
    /// Adds a new meaning of a name to the innermost scope; a second one there is an error.
    pub(super) fn bind_new(&mut self, entity: Entity) -> EntityId {
        let name = entity.name;
        if let Some(old) = self.scopes.lookup_here(name) {
            let before = self.entities[old].span;
            let what = match self.entities[old].kind {
                EntityKind::Unbound => None,
                _ => Some(format!("redefinition of '{}'", self.text(name))),
            };
            if let Some(text) = what {
                let d = Diagnostic::error(entity.span, text).related(before, "first defined here");
                self.error_with(d);
            }
        }
        let id = self.entities.push(entity);
        self.scopes.bind(name, id);
        id
    }
    /// The program's variable for an object with linkage.
    pub(super) fn use_object(&mut self, id: EntityId) -> VarId {
        let entity = &self.entities[id];
        let EntityKind::Object(object) = &entity.kind else {
            unreachable!("only asked for objects");
        };
        if let Some(var) = object.var {
            return var;
        }
        let (name, ty, span) = (entity.name, entity.ty, entity.span);
        let object = object.clone();
        let name = match &object.label {
            Some(label) => label.clone(),
            None => self.text(name).to_owned(),
        };
        let type_id = self.cwi(ty.ty);
        let var = self.new_var(name, type_id, VarKind::Global, span);
        let align = self.align_of(ty).max(object.align.unwrap_or(1));
        let quals = self.innermost_quals(ty);
        let info = &mut self.program.vars[var];
        info.linkage = object.linkage;
        info.definition = Definition::Declared;
        info.thread_local = object.thread_local;
        info.align = align;
        info.volatile = quals.has(Quals::VOLATILE);
        info.constant = quals.has(Quals::CONST);
        if let EntityKind::Object(object) = &mut self.entities[id].kind {
            object.var = Some(var);
        }
        self.sync_object(id);
        var
    }
    /// The qualifiers of an object; an array's are its elements'.
    pub(super) fn innermost_quals(&self, ty: QType) -> Quals {
        match self.types.as_array(ty.ty) {
            Some((elem, _)) => self.innermost_quals(elem),
            None => ty.quals,
        }
    }
    /// Brings the program's variable up to date with what declarations say.
    pub(super) fn sync_object(&mut self, id: EntityId) {
        let ty = self.entities[id].ty;
        if !matches!(&self.entities[id].kind, EntityKind::Object(object) if object.var.is_some()) {
            return;
        }
        let type_id = self.cwi(ty.ty);
        let align = if self.types.is_complete(ty.ty) {
            self.align_of(ty)
        } else {
            1
        };
        let EntityKind::Object(object) = &self.sema.entities[id].kind else {
            return;
        };
        let Some(var) = object.var else {
            return;
        };
        let info = &mut self.sema.program.vars[var];
        if info.init.is_empty() {
            info.ty = type_id;
        }
        info.align = info.align.max(align).max(object.align.unwrap_or(1));
        info.linkage = object.linkage;
        info.thread_local |= object.thread_local;
        // An alias is a definition.
        let defined = object.defined || object.alias.is_some();
        info.definition = match (defined, object.tentative, object.weak) {
            (true, _, true) | (false, true, true) => Definition::Weak,
            (true, ..) => Definition::Defined,
            (false, true, false) => Definition::Tentative,
            (false, false, _) => Definition::Declared,
        };
        if !object.defined {
            info.alias.clone_from(&object.alias);
        }
        info.weak = object.weak && info.definition == Definition::Declared;
        if info.weak {
            self.sema.weak.insert(var);
        }
    }
    /// The program's function for a declared one.
    pub(super) fn use_function(&mut self, id: EntityId) -> FuncId {
        let entity = &self.entities[id];
        let EntityKind::Function(info) = &entity.kind else {
            unreachable!("only asked for functions");
        };
        if let Some(func) = info.func {
            self.names_itself(func);
            return func;
        }
        let (name, ty, span, info) = (entity.name, entity.ty, entity.span, info.clone());
        let name = match &info.label {
            Some(label) => label.clone(),
            None => self.text(name).to_owned(),
        };
        let type_id = self.cwi(ty.ty);
        let loc = self.loc(span);
        // Lowering declares `__builtin_alloca` and its like for itself.
        let known = name.starts_with("__builtin_");
        let known = known.then(|| self.program.function(&name)).flatten();
        let func = known.unwrap_or_else(|| {
            self.program.funcs.push(Function {
                name,
                ty: type_id,
                linkage: info.linkage,
                definition: Definition::Declared,
                params: Vec::new(),
                locals: Vec::new(),
                body: None,
                refused: None,
                noreturn: info.noreturn,
                weak: false,
                alias: None,
                origin: Default::default(),
                loc,
            })
        });
        if let EntityKind::Function(info) = &mut self.entities[id].kind {
            info.func = Some(func);
        }
        if info.weak {
            self.sync_function(id);
        }
        self.names_itself(func);
        func
    }
    /// Remembers that the function that is being read names itself by another name of its symbol.
    fn names_itself(&mut self, func: FuncId) {
        let Some(state) = &self.func else { return };
        let funcs = &self.program.funcs;
        if func != state.id && funcs[func].name == funcs[state.id].name {
            self.state().recursive = true;
        }
    }
    /// Brings the program's function up to date with what declarations say.
    pub(super) fn sync_function(&mut self, id: EntityId) {
        let ty = self.entities[id].ty;
        if !matches!(&self.entities[id].kind, EntityKind::Function(info) if info.func.is_some()) {
            return;
        }
        let type_id = self.cwi(ty.ty);
        let EntityKind::Function(info) = &self.sema.entities[id].kind else {
            return;
        };
        let Some(func) = info.func else {
            return;
        };
        let target = &mut self.sema.program.funcs[func];
        if !info.defined {
            target.ty = type_id;
        }
        target.noreturn |= info.noreturn;
        target.linkage = info.linkage;
        // An alias is a definition, unless the function has a body of its own (then gcc complains).
        if target.definition == Definition::Declared && info.alias.is_some() {
            target.alias.clone_from(&info.alias);
            target.definition = match info.weak {
                true => Definition::Weak,
                false => Definition::Defined,
            };
        }
        target.weak = info.weak && target.definition == Definition::Declared;
        if info.weak {
            self.sema.weak_funcs.insert(func);
        }
    }
    /// At the end of the file: the functions that run before or after `main`, and variables
    /// with other names.
    pub(super) fn complete_symbols(&mut self) {
        self.weak_symbols();
        for id in std::mem::take(&mut self.defined) {
            let EntityKind::Function(info) = &self.entities[id].kind else {
                continue;
            };
            let Some(func) = info.func.filter(|_| !info.inline_only) else {
                continue;
            };
            let phases = [
                (Phase::Constructor, info.constructor),
                (Phase::Destructor, info.destructor),
            ];
            for (phase, priority) in phases {
                self.program
                    .startup
                    .extend(priority.map(|priority| Startup {
                        func,
                        phase,
                        priority,
                    }));
            }
        }
        for id in self.entities.ids() {
            self.complete_weakref(id);
            let EntityKind::Object(object) = &self.entities[id].kind else {
                continue;
            };
            let Some(target) = object.alias.clone() else {
                continue;
            };
            let found = self.program.vars.iter().any(|v| {
                v.name == target
                    && v.kind == VarKind::Global
                    && v.definition != Definition::Declared
            });
            if !found {
                let name = self.text(self.entities[id].name);
                let text = format!("'{name}' is an alias of '{target}', which is not defined here");
                self.error(self.entities[id].span, text);
            }
        }
    }
    /// `#pragma weak`, wherever it stands in the file.
    fn weak_symbols(&mut self) {
        for (name, target) in std::mem::take(&mut self.session.weak) {
            let Some(&id) = self.linked.get(&name) else {
                continue;
            };
            match &mut self.entities[id].kind {
                EntityKind::Function(info) => {
                    info.weak = true;
                    info.alias = info.alias.take().or(target);
                    let func = info.func.filter(|_| info.defined);
                    if let Some(func) = func {
                        self.program.funcs[func].definition = Definition::Weak;
                    }
                    self.sync_function(id);
                }
                EntityKind::Object(object) => {
                    object.weak = true;
                    object.alias = object.alias.take().or(target);
                    self.sync_object(id);
                }
                _ => {}
            }
        }
    }
    /// A weak reference by another name to something static of this file is an alias of it: no
    /// linker sees that name.
    fn complete_weakref(&mut self, id: EntityId) {
        let entity = &self.entities[id];
        let (label, weak) = match &entity.kind {
            EntityKind::Function(info) => (&info.label, info.weak),
            EntityKind::Object(object) => (&object.label, object.weak),
            _ => return,
        };
        let Some(label) = label.clone().filter(|_| weak) else {
            return;
        };
        let name = self.text(entity.name).to_owned();
        let program = &mut self.sema.program;
        match &self.sema.entities[id].kind {
            EntityKind::Function(info) => {
                let own = |f: &Function| f.name == label && f.linkage == Linkage::Internal;
                let found = program.funcs.iter().any(own);
                if let Some(func) = info.func.filter(|_| found) {
                    let func = &mut program.funcs[func];
                    (func.name, func.linkage, func.weak) = (name, Linkage::Internal, false);
                    (func.alias, func.definition) = (Some(label), Definition::Defined);
                }
            }
            EntityKind::Object(object) => {
                let own = |v: &Var| {
                    v.name == label && v.kind == VarKind::Global && v.linkage == Linkage::Internal
                };
                let found = program.vars.iter().any(own);
                if let Some(var) = object.var.filter(|_| found) {
                    let var = &mut program.vars[var];
                    (var.name, var.linkage, var.weak) = (name, Linkage::Internal, false);
                    (var.alias, var.definition) = (Some(label), Definition::Defined);
                }
            }
            _ => {}
        }
    }
    /// At the end of the file: tentative definitions become definitions.
    pub(super) fn complete_tentative(&mut self) {
        for id in self.entities.ids() {
            let EntityKind::Object(object) = &self.entities[id].kind else {
                continue;
            };
            if object.defined || !object.tentative {
                continue;
            }
            let (ty, span) = (self.entities[id].ty, self.entities[id].span);
            if let Some((elem, Len::Unknown)) = self.types.as_array(ty.ty) {
                self.warn(span, "the array is assumed to have one element");
                self.entities[id].ty.ty = self.types.array(elem, Len::Known(1));
                self.sync_object(id);
            } else if !self.types.is_complete(ty.ty) && ty.ty != CTypes::ERROR {
                let shown = self.show(ty);
                let name = self.text(self.entities[id].name).to_owned();
                let message = format!("'{name}' has the type {shown}, which is never completed");
                self.error(span, message);
            }
        }
    }
}
