//! Semantic analysis: binds names, checks types, folds constants, flattens initialisers. It reads
//! one external declaration at a time and hands back a typed function body, if there is one;
//! types, variables and functions go straight into the program's tables.
//!
//! Where C leaves a choice, gcc's is taken. A mistake in the program is a diagnostic and gives
//! the type `Error`, which silences follow-up messages; a construct that this tool does not
//! model makes the function around it *refused*, and everything else goes on.

mod asm;
mod attr;
mod builtin;
mod call;
mod compat;
mod complex;
mod conv;
mod ctype;
mod decl;
mod declarator;
mod enums;
mod expr;
mod fold;
mod func;
mod init;
mod literal;
mod nested;
mod nonlocal;
mod object;
mod ops;
mod over;
mod record;
mod scope;
mod spec;
mod stmt;
#[cfg(test)]
mod tests;
mod vararg;
mod vector;
mod vla_record;
mod whole;

pub(crate) use over::BUILT_IN;

use crate::session::Session;
use crate::{ast, hir};
use ctype::{CKind, CTy, CTypes, Len, QType, Quals};
use cwolf_base::{Diagnostic, IndexVec, Severity, Span, Symbol};
use cwolf_cwi::{FuncTy, IntTy, LocId, Note, Program, Type, TypeId, Types, VarId, VarKind};
use func::FnState;
use rustc_hash::{FxHashMap, FxHashSet};
use scope::{Entity, EntityId, Scopes};
use std::ops::{Deref, DerefMut};

/// What is known of a file so far.
#[derive(Debug)]
pub(crate) struct Sema {
    /// The program under construction; bodies are put in by the caller.
    pub program: Program,
    types: CTypes,
    scopes: Scopes,
    entities: IndexVec<EntityId, Entity>,
    /// Everything with linkage, wherever it was declared.
    linked: FxHashMap<Symbol, EntityId>,
    strings: FxHashMap<(TypeId, Vec<u32>), VarId>,
    func: Option<FnState>,
    /// The functions around it, if it is a nested one, outermost first.
    outer: Vec<FnState>,
    nested: IndexVec<nested::NestedId, nested::Nested>,
    /// Nested functions and what comes with them, ready to be lowered.
    finished: Vec<hir::Function>,
    /// How many prototypes we are inside of.
    prototypes: u32,
    /// How many operands that are not evaluated we are inside of.
    unevaluated: u32,
    /// Assignments to the hidden sizes of variable-length arrays that the type just read needs.
    effects: Vec<hir::Expr>,
    record_names: FxHashSet<String>,
    va_list: Option<QType>,
    literals: u32,
    /// Variables and functions that may turn out to be absent, with the address null.
    weak: FxHashSet<VarId>,
    weak_funcs: FxHashSet<cwolf_cwi::FuncId>,
    /// Functions in the order of their definitions.
    defined: Vec<EntityId>,
}

/// The analysis of one external declaration: the file's state and the session, together.
struct Cx<'a> {
    sema: &'a mut Sema,
    session: &'a mut Session,
}

impl Deref for Cx<'_> {
    type Target = Sema;
    fn deref(&self) -> &Sema {
        self.sema
    }
}

impl DerefMut for Cx<'_> {
    fn deref_mut(&mut self) -> &mut Sema {
        self.sema
    }
}

impl Sema {
    /// An empty file.
    pub fn new(session: &Session) -> Sema {
        let target = session.options.target;
        let mut program = Program::new(target);
        // Indices and sizes need these without asking for a new type.
        for signed in [true, false] {
            program.types.intern(Type::Int(target.word(signed)));
        }
        // Location 0 is there for things that stand nowhere.
        let file = program.locations.file("<built-in>");
        program.locations.intern(cwolf_cwi::Loc {
            file,
            line: 1,
            column: 0,
        });
        Sema {
            program,
            types: CTypes::new(target),
            scopes: Scopes::default(),
            entities: IndexVec::new(),
            linked: FxHashMap::default(),
            strings: FxHashMap::default(),
            func: None,
            outer: Vec::new(),
            nested: IndexVec::new(),
            finished: Vec::new(),
            prototypes: 0,
            unevaluated: 0,
            effects: Vec::new(),
            record_names: FxHashSet::default(),
            va_list: None,
            literals: 0,
            weak: FxHashSet::default(),
            weak_funcs: FxHashSet::default(),
            defined: Vec::new(),
        }
    }
    /// Analyses one external declaration; a function's body comes back typed, unless it is
    /// wrong or was refused.
    pub fn external(
        &mut self,
        session: &mut Session,
        item: &ast::External,
    ) -> Option<hir::Function> {
        let mut cx = Cx {
            sema: self,
            session,
        };
        match item {
            ast::External::Function(def) => return cx.function(def),
            ast::External::Declaration(decl) => {
                let stmts = cx.declaration(decl);
                debug_assert!(stmts.is_empty(), "no code outside functions");
            }
            ast::External::StaticAssert(assert) => cx.static_assert(assert),
            ast::External::Asm(span) => {
                cx.note(*span, "assembly outside functions is ignored".into());
            }
        }
        None
    }
    /// The functions inside of the last external declaration.
    pub fn take_finished(&mut self) -> Vec<hir::Function> {
        std::mem::take(&mut self.finished)
    }
    /// The whole file's tables, once every declaration has been seen.
    pub fn finish(mut self, session: &mut Session) -> Program {
        let mut cx = Cx {
            sema: &mut self,
            session,
        };
        cx.complete_tentative();
        cx.complete_symbols();
        self.program
    }
}

impl Cx<'_> {
    fn error(&mut self, span: Span, message: impl Into<String>) {
        self.session.error(span, message);
    }
    fn warn(&mut self, span: Span, message: impl Into<String>) {
        self.session.warn(span, message);
    }
    fn error_with(&mut self, diagnostic: Diagnostic) {
        debug_assert_eq!(diagnostic.severity, Severity::Error);
        self.session.diagnostics.push(diagnostic);
    }
    fn loc(&mut self, span: Span) -> LocId {
        self.session.loc(&mut self.sema.program, span)
    }
    fn note(&mut self, span: Span, text: String) {
        let loc = self.loc(span);
        self.program.notes.push(Note { loc, text });
    }
    /// Something that this tool does not model: the function around it is refused.
    fn unsupported(&mut self, span: Span, what: impl Into<String>) {
        let what = what.into();
        match &mut self.func {
            Some(func) => {
                func.refusal.get_or_insert((what, span));
            }
            None => self.warn(span, format!("not supported: {what}")),
        }
    }
    fn text(&self, name: Symbol) -> &str {
        self.session.names.text(name)
    }
    /// A type as C writes it, in quotes.
    fn show(&self, ty: QType) -> String {
        format!("'{}'", self.types.name(ty, &self.session.names))
    }
    /// The CWI type of a C type.
    fn cwi(&mut self, ty: CTy) -> TypeId {
        if let Some(id) = self.types.cwi[ty.0 as usize] {
            return id;
        }
        let kind = self.types.kind(ty).clone();
        let id = match kind {
            CKind::Error => Types::INT,
            CKind::Void => Types::VOID,
            CKind::Bool => Types::BOOL,
            CKind::Int(kind) => {
                let IntTy { bits, signed } = kind.int_ty(self.types.target);
                self.program.types.int(bits, signed)
            }
            CKind::Wide { bits, signed } => self.program.types.int(bits, signed),
            CKind::Float(kind) => {
                let format = kind.float_ty(self.types.target);
                self.program.types.float(format)
            }
            CKind::Complex(part) => {
                // Types of the same format share their record, since they share their functions.
                let plain = match self.types.kind(part) {
                    CKind::Float(kind) => CTypes::float_id(kind.plain(self.types.target)),
                    _ => part,
                };
                if plain != part {
                    let shared = self.complex_of(plain);
                    let id = self.cwi(shared);
                    self.types.cwi[ty.0 as usize] = Some(id);
                    return id;
                }
                let id = self.complex_record(part);
                self.program.types.record(id)
            }
            CKind::Vector { elem, len } => {
                let id = self.vector_record(elem, len);
                self.program.types.record(id)
            }
            CKind::Enum(id) => {
                let info = &self.types.enums[id];
                let (underlying, complete) = (info.underlying, info.complete);
                let id = self.cwi(underlying);
                if !complete {
                    return id;
                }
                id
            }
            CKind::Pointer(to) => {
                let to = self.cwi(to.ty);
                self.program.types.pointer(to)
            }
            CKind::Array { elem, len } => {
                let elem = self.cwi(elem.ty);
                let len = match len {
                    Len::Known(n) => n,
                    Len::Unknown | Len::Vla(_) | Len::Star => 0,
                };
                self.program.types.array(elem, len)
            }
            CKind::Func(func) => {
                let ret = self.cwi(func.ret.ty);
                let params = func.params.iter().map(|p| self.cwi(p.ty)).collect();
                self.program.types.intern(Type::Func(FuncTy {
                    ret,
                    params,
                    variadic: func.variadic || !func.prototype,
                }))
            }
            CKind::Record(id) => self.program.types.record(id),
            CKind::Nullptr => self.program.types.pointer(Types::VOID),
            CKind::Unsupported { size, .. } => {
                let id = self.opaque_record(size);
                self.program.types.record(id)
            }
        };
        self.types.cwi[ty.0 as usize] = Some(id);
        id
    }
    /// Size in bytes; none for a type without one that is known now. `void` and functions
    /// count one byte, as in GNU C.
    fn size_of(&mut self, ty: CTy) -> Option<u64> {
        if self.types.is_vla(ty) {
            return None;
        }
        if !self.types.is_complete(ty) && !self.types.is_void(ty) && !self.types.is_func(ty) {
            return None;
        }
        let id = self.cwi(ty);
        Some(self.program.types.size_of(id))
    }
    /// The alignment that a member or variable of this type has.
    fn align_of(&mut self, ty: QType) -> u64 {
        if let Some(align) = ty.user_align() {
            return align;
        }
        if let Some((elem, _)) = self.types.as_array(ty.ty) {
            return self.align_of(elem);
        }
        if let CKind::Unsupported { size, .. } = self.types.kind(ty.ty) {
            return if size.is_power_of_two() {
                (*size).min(16)
            } else {
                1
            };
        }
        let id = self.cwi(ty.ty);
        let (align, size) = (
            self.program.types.align_of(id),
            self.program.types.size_of(id),
        );
        // What the processor reads at once lies where it can, on i386 too.
        match ty.quals.has(Quals::ATOMIC) && size.is_power_of_two() && size <= 16 {
            true => align.max(size),
            false => align,
        }
    }
    fn pointer_to(&mut self, ty: QType) -> QType {
        QType::plain(self.types.pointer(ty))
    }
    /// A variable of the program.
    fn new_var(&mut self, name: String, ty: TypeId, kind: VarKind, span: Span) -> VarId {
        let loc = self.loc(span);
        let id = self.program.add_variable(name, ty, kind, loc);
        if let VarKind::Local(func) | VarKind::Temp(func) = kind {
            self.program.funcs[func].locals.push(id);
        }
        id
    }
    /// A hidden variable of the current function.
    fn new_temp(&mut self, ty: TypeId, span: Span) -> VarId {
        let func = self.func.as_mut().expect("temporaries live in functions");
        func.temps += 1;
        let (id, number) = (func.id, func.temps);
        self.new_var(format!("tmp#s{number}"), ty, VarKind::Temp(id), span)
    }
    /// `_Static_assert`, wherever it stands.
    fn static_assert(&mut self, assert: &ast::StaticAssert) {
        let value = self.int_constant(&assert.condition, "the condition of a static assertion");
        if let Some((0, _)) = value {
            let message = match &assert.message {
                Some(text) => format!("static assertion failed: \"{text}\""),
                None => "static assertion failed".into(),
            };
            self.error(assert.span, message);
        }
    }
}
