//! Names and types of a program that is already compiled, to read more expressions over it.

use super::ctype::{CField, CFunc, CKind, CTy, CTypes, FloatKind, Len, QType, RecordInfo};
use super::func::FnState;
use super::scope::{Entity, EntityKind, FunctionInfo, Tag};
use super::{Cx, Sema};
use crate::names::Names;
use crate::session::Session;
use crate::{ast, hir};
use cwolf_base::{Diagnostic, Span, Symbol};
use cwolf_cwi::{
    FloatTy, FuncId, FuncTy, IntTy, Linkage, Program, RecordId, RecordKind, Type, TypeId, VarId,
    VarKind,
};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Names that every predicate knows, and their values.
pub(crate) const BUILT_IN: [(&str, i128); 3] = [("NULL", 0), ("true", 1), ("false", 0)];

impl Sema {
    /// The type that a name stands for.
    pub fn typedef(&mut self, session: &mut Session, name: Symbol) -> Option<TypeId> {
        let id = self.scopes.lookup(name)?;
        let ty = match self.entities[id].kind {
            EntityKind::Typedef => self.entities[id].ty.ty,
            _ => return None,
        };
        let mut cx = Cx {
            sema: self,
            session,
        };
        Some(cx.cwi(ty))
    }
    /// The value and type of an integer constant; messages are dropped.
    pub fn constant_of(&mut self, session: &mut Session, e: &ast::Expr) -> Option<(i128, TypeId)> {
        let kept = std::mem::take(&mut session.diagnostics);
        let mut cx = Cx {
            sema: self,
            session,
        };
        cx.func = Some(FnState::outside(FuncId(0)));
        let value = cx.int_constant(e, "it");
        cx.func = None;
        let value = value.map(|(value, ty)| (value, cx.cwi(ty.ty)));
        session.diagnostics = kept;
        value
    }
    /// The analysis of a file in which all of `program` is declared, and `names` besides.
    pub fn over(session: &mut Session, program: Program, names: &[Names]) -> Sema {
        let mut sema = Sema::new(session);
        sema.program = program;
        let mut cx = Cx {
            sema: &mut sema,
            session,
        };
        cx.declare_records();
        for (name, value) in BUILT_IN {
            let name = cx.session.names.intern(name);
            cx.declare(name, CTypes::INT, EntityKind::EnumConst(value));
        }
        names.iter().rev().for_each(|n| cx.declare_names(n));
        cx.declare_functions();
        let globals = cx.program.vars.enumerate();
        let globals: Vec<VarId> = globals
            .filter(|(_, v)| v.kind == VarKind::Global)
            .map(|(id, _)| id)
            .collect();
        // Of several of one name (each static in its file), the first that others see counts.
        for linkage in [Linkage::Internal, Linkage::External] {
            for &id in globals.iter().rev() {
                if cx.program.vars[id].linkage == linkage {
                    cx.declare_var(id);
                }
            }
        }
        sema
    }
    /// Types conditions in the scope of a function; those with errors are left out.
    pub fn conditions(
        &mut self,
        session: &mut Session,
        scope: Option<FuncId>,
        list: &[ast::Expr],
    ) -> Vec<(hir::Expr, Span)> {
        let mut cx = Cx {
            sema: self,
            session,
        };
        cx.scopes.push();
        let ambiguous = scope.map_or_else(FxHashMap::default, |f| cx.declare_locals(f));
        let mut found = Vec::new();
        for condition in list {
            let errors = cx.session.diagnostics.errors();
            cx.func = Some(FnState::outside(scope.unwrap_or(FuncId(0))));
            let operand = cx.expr(condition);
            let operand = cx.rvalue(operand);
            let state = cx.func.take();
            if let Some((what, span)) = state.and_then(|s| s.refusal) {
                cx.error(span, format!("not supported: {what}"));
            }
            let scalar = operand.is_error() || cx.types.is_scalar(operand.ty.ty);
            if !scalar {
                let shown = cx.show(operand.ty);
                let message = format!("a predicate must be a number or pointer, not {shown}");
                cx.error(condition.span, message);
            }
            if cx.session.diagnostics.errors() == errors && !operand.is_error() {
                cx.warn_ambiguous(&operand.e, &ambiguous);
                found.push((operand.e, condition.span));
            }
        }
        cx.scopes.pop();
        found
    }
}

impl Cx<'_> {
    fn declare(&mut self, name: Symbol, ty: CTy, kind: EntityKind) {
        let entity = Entity {
            name,
            ty: QType::plain(ty),
            span: Span::default(),
            kind,
        };
        let id = self.entities.push(entity);
        self.scopes.bind(name, id);
    }
    fn declare_names(&mut self, names: &Names) {
        let types = names.typedefs.iter().map(|(n, ty)| (n, *ty, None));
        let constants = names.constants.iter();
        let constants = constants.map(|(n, value, ty)| (n, *ty, Some(*value)));
        for (name, ty, value) in types.chain(constants) {
            // A type of a record that the program does not have is not a type of the program.
            if let Some(ty) = names.import(ty, &mut self.program.types) {
                let name = self.session.names.intern(name);
                let ty = self.c_type(ty);
                let kind = value.map_or(EntityKind::Typedef, EntityKind::EnumConst);
                self.declare(name, ty, kind);
            }
        }
    }
    fn declare_var(&mut self, id: VarId) {
        let var = &self.program.vars[id];
        let (name, ty) = (var.name.clone(), var.ty);
        let name = self.session.names.intern(&name);
        let ty = self.c_type(ty);
        self.declare(name, ty, EntityKind::Local(id));
    }
    /// The function's own variables; of several with one name the first declared counts. Gives
    /// those that are not the only ones.
    fn declare_locals(&mut self, func: FuncId) -> FxHashMap<VarId, usize> {
        let function = &self.program.funcs[func];
        let statics = self.program.vars.enumerate();
        let statics = statics.filter(|(_, v)| v.kind == VarKind::StaticLocal(func));
        let mut own: Vec<VarId> = statics.map(|(id, _)| id).collect();
        let locals = function.params.iter().chain(&function.locals);
        own.extend(locals.filter(|v| !matches!(self.program.vars[**v].kind, VarKind::Temp(_))));
        let mut count: FxHashMap<String, usize> = FxHashMap::default();
        for id in &own {
            *count
                .entry(self.program.vars[*id].name.clone())
                .or_default() += 1;
        }
        for &id in own.iter().rev() {
            self.declare_var(id);
        }
        let several = own
            .into_iter()
            .map(|id| (id, count[&self.program.vars[id].name]));
        several.filter(|(_, n)| *n > 1).collect()
    }
    fn warn_ambiguous(&mut self, e: &hir::Expr, several: &FxHashMap<VarId, usize>) {
        let mut met = Vec::new();
        e.for_each_var(&mut |var, span| {
            if several.contains_key(&var) {
                met.push((var, span));
            }
        });
        for (var, span) in met {
            let var = &self.program.vars[var];
            let place = self.program.locations.describe(var.loc);
            let text = format!("several variables are called '{}'", var.name);
            let hint = format!("this is the one at {place}");
            self.session
                .diagnostics
                .push(Diagnostic::warning(span, text).hint(hint));
        }
    }
    fn declare_functions(&mut self) {
        let all: Vec<FuncId> = self.program.funcs.ids().collect();
        for linkage in [Linkage::Internal, Linkage::External] {
            for &id in &all {
                let func = &self.program.funcs[id];
                if func.linkage != linkage {
                    continue;
                }
                let (name, ty) = (func.name.clone(), func.ty);
                let name = self.session.names.intern(&name);
                let ty = self.c_type(ty);
                let info = FunctionInfo {
                    func: Some(id),
                    linkage,
                    defined: true,
                    inline_only: false,
                    noreturn: false,
                    weak: false,
                    constructor: None,
                    destructor: None,
                    alias: None,
                    label: None,
                    implicit: false,
                };
                self.declare(name, ty, EntityKind::Function(info));
            }
        }
    }
    fn declare_records(&mut self) {
        let ids: Vec<RecordId> = self.program.types.records.ids().collect();
        for &id in &ids {
            let record = self.program.types.records[id].clone();
            let tag = self.session.names.intern(&record.name);
            let same = self.types.records.push(RecordInfo {
                tag: Some(tag),
                union: record.kind == RecordKind::Union,
                fields: Vec::new(),
                members: FxHashMap::default(),
                complete: record.complete,
                transparent: false,
                flexible: false,
                unsupported: None,
                runtime: None,
                foreign: None,
                span: Span::default(),
            });
            debug_assert_eq!(id, same, "the two tables agree");
            self.record_names.insert(record.name);
            if self.scopes.tag(tag).is_none() {
                self.scopes.bind_tag(tag, Tag::Record(id));
            }
        }
        for &id in &ids {
            let record = self.program.types.records[id].clone();
            let mut fields = Vec::new();
            for field in &record.fields {
                let name = (!field.name.is_empty()).then(|| self.session.names.intern(&field.name));
                let bits = self.program.types.as_int(field.ty);
                let bits = bits.filter(|_| field.bit_field);
                let ty = match bits {
                    Some(int) => self.types.int_of_bits(int.bits.max(32), int.signed),
                    None => self.c_type(field.ty),
                };
                fields.push(CField {
                    name,
                    ty: QType::plain(ty),
                    bits: match field.bit_field {
                        true => Some(bits.map_or(1, |b| b.bits)),
                        false => None,
                    },
                    align: None,
                });
            }
            self.types.records[id].fields = fields;
        }
        for &id in &ids {
            let mut members = FxHashMap::default();
            self.collect_members(id, &mut Vec::new(), &mut members);
            self.types.records[id].members = members;
        }
    }
    /// Members by name, through anonymous records.
    fn collect_members(
        &self,
        id: RecordId,
        path: &mut Vec<u32>,
        out: &mut FxHashMap<Symbol, Vec<u32>>,
    ) {
        for (n, field) in self.types.records[id].fields.iter().enumerate() {
            path.push(n as u32);
            match (field.name, self.types.as_record(field.ty.ty)) {
                (Some(name), _) => {
                    out.entry(name).or_insert_with(|| path.clone());
                }
                // A record cannot contain itself, so this ends.
                (None, Some(inner)) => self.collect_members(inner, path, out),
                (None, None) => {}
            }
            path.pop();
        }
    }
    /// A C type that has this CWI type.
    fn c_type(&mut self, id: TypeId) -> CTy {
        let ty = match self.program.types[id].clone() {
            Type::Void => CTypes::VOID,
            Type::Bool => CTypes::BOOL,
            Type::Int(IntTy { bits, signed }) => match bits {
                8 if signed == self.types.target.char_signed => CTypes::CHAR,
                8 | 16 | 32 | 64 | 128 => self.types.int_of_bits(bits, signed),
                _ => self.types.intern(CKind::Wide { bits, signed }),
            },
            Type::Float(float) => CTypes::float_id(match float {
                FloatTy::F16 => FloatKind::Float16,
                FloatTy::F32 => FloatKind::Float,
                FloatTy::F64 => FloatKind::Double,
                FloatTy::F80 => FloatKind::LongDouble,
                FloatTy::F128 => FloatKind::Float128,
            }),
            Type::Pointer(to) => {
                let to = self.c_type(to);
                self.types.pointer(QType::plain(to))
            }
            Type::Array { elem, len } => {
                let elem = self.c_type(elem);
                self.types.array(QType::plain(elem), Len::Known(len))
            }
            Type::Record(record) => self.types.intern(CKind::Record(record)),
            Type::Func(FuncTy {
                ret,
                params,
                variadic,
            }) => {
                let ret = QType::plain(self.c_type(ret));
                let params = params.iter().map(|p| QType::plain(self.c_type(*p)));
                let params = params.collect();
                self.types.intern(CKind::Func(Rc::new(CFunc {
                    ret,
                    params,
                    variadic,
                    prototype: true,
                })))
            }
        };
        if self.types.cwi[ty.0 as usize].is_none() {
            self.types.cwi[ty.0 as usize] = Some(id);
        }
        ty
    }
}
