//! Rules 1 to 6: types, records, variables, functions.

use super::{Checker, MAX_RECORD_DEPTH, MAX_TYPE_DEPTH, MAX_TYPE_SIZE};
use crate::code::FuncId;
use crate::program::{Definition, Function, InitItem, InitValue, Var, VarKind};
use crate::types::{Field, IntTy, RecordId, RecordKind, Type, TypeId, Types};
use crate::value;
use cwolf_base::Idx;

/// Objects stay small enough for 64-bit bit offsets.
const MAX_OBJECT: u64 = 1 << 60;

impl Checker<'_> {
    pub(super) fn types(&mut self) {
        let types = &self.program.types;
        let records = types.records.len();
        let mut depth: Vec<u32> = Vec::with_capacity(types.len());
        let mut size: Vec<u64> = Vec::with_capacity(types.len());
        let mut bytes: Vec<u64> = Vec::with_capacity(types.len());
        for (id, ty) in types.enumerate() {
            let mut parts: Vec<TypeId> = Vec::new();
            match ty {
                Type::Void | Type::Bool | Type::Float(_) => {}
                Type::Int(int) => {
                    let fits = (1..=128).contains(&int.bits);
                    self.check(fits, || format!("an integer type has {} bits", int.bits));
                }
                Type::Pointer(to) => parts.push(*to),
                Type::Array { elem, .. } => parts.push(*elem),
                Type::Record(record) => {
                    let known = record.index() < records;
                    self.check(known, || format!("there is no record number {}", record.0));
                }
                Type::Func(func) => {
                    parts.push(func.ret);
                    parts.extend(&func.params);
                }
            }
            if let Some(part) = parts.iter().find(|p| p.index() >= id.index()) {
                self.report(format!("type {} refers forward to type {}", id.0, part.0));
                return;
            }
            depth.push(1 + parts.iter().map(|p| depth[p.index()]).max().unwrap_or(0));
            let whole = parts
                .iter()
                .fold(1u64, |sum, p| sum.saturating_add(size[p.index()]));
            size.push(whole);
            bytes.push(match ty {
                Type::Array { elem, len } => bytes[elem.index()].saturating_mul(*len),
                Type::Record(r) => types.records.get(*r).map_or(0, |r| r.size),
                _ => 16,
            });
            let small = depth[id.index()] <= MAX_TYPE_DEPTH
                && size[id.index()] <= MAX_TYPE_SIZE
                && bytes[id.index()] <= MAX_OBJECT;
            self.check(small, || format!("type {} is too large", id.0));
            match ty {
                Type::Array { elem, .. } => {
                    let object = is_object(types, *elem);
                    self.check(object, || {
                        format!("type {} is an array of no objects", id.0)
                    });
                }
                Type::Func(func) => {
                    let params = func.params.iter().all(|p| is_object(types, *p));
                    self.check(params, || format!("type {} takes no objects", id.0));
                    let ret = !matches!(types[func.ret], Type::Func(_) | Type::Array { .. });
                    self.check(ret, || format!("type {} returns no value", id.0));
                }
                _ => {}
            }
        }
    }

    pub(super) fn records(&mut self) {
        let types = &self.program.types;
        for (_, record) in types.records.enumerate() {
            let name = &record.name;
            self.check(record.align.is_power_of_two(), || {
                format!("the alignment of `{name}` is not a power of two")
            });
            self.check(record.size < MAX_OBJECT, || {
                format!("`{name}` is too large")
            });
            if !record.complete {
                self.check(record.fields.is_empty() && record.size == 0, || {
                    format!("`{name}` is not complete but has fields or a size")
                });
                continue;
            }
            let mut end = 0;
            for field in &record.fields {
                let Some(bits) = self.field(name, field) else {
                    continue;
                };
                let stop = field.bit_offset.saturating_add(bits);
                let inside = stop <= record.size.saturating_mul(8);
                self.check(inside, || {
                    format!("field `{}` lies outside `{name}`", field.name)
                });
                let placed = match record.kind {
                    RecordKind::Struct => field.bit_offset >= end,
                    RecordKind::Union => field.bit_offset == 0,
                };
                self.check(placed, || {
                    format!("field `{}` of `{name}` overlaps another", field.name)
                });
                end = stop;
            }
        }
        if self.found.is_empty() {
            self.containment();
        }
    }

    /// Checks a field's type; how many bits it takes.
    fn field(&mut self, name: &str, field: &Field) -> Option<u64> {
        let types = &self.program.types;
        if !self.check(types.contains(field.ty), || {
            format!("there is no type number {}", field.ty.0)
        }) {
            return None;
        }
        let good = if field.bit_field {
            matches!(types[field.ty], Type::Int(_))
        } else {
            is_complete(types, field.ty) && field.bit_offset.is_multiple_of(8)
        };
        self.check(good, || {
            format!("field `{}` of `{name}` is not an object", field.name)
        })
        .then(|| match types[field.ty] {
            _ if !field.bit_field => types.size_of(field.ty).saturating_mul(8),
            Type::Int(int) => u64::from(int.bits),
            _ => 1,
        })
    }

    /// No record contains itself, nor too many levels of others.
    fn containment(&mut self) {
        let types = &self.program.types;
        let mut depth = vec![0u32; types.records.len()];
        let mut open = vec![false; types.records.len()];
        let inner = |record: RecordId, n: usize| -> Option<Option<RecordId>> {
            let mut ty = types.records[record].fields.get(n)?.ty;
            while let Type::Array { elem, .. } = types[ty] {
                ty = elem;
            }
            Some(types.as_record(ty))
        };
        for root in types.records.ids() {
            if depth[root.index()] != 0 {
                continue;
            }
            open[root.index()] = true;
            let mut stack = vec![(root, 0usize, 1u32)];
            while let Some((record, next, deepest)) = stack.last_mut() {
                match inner(*record, *next) {
                    None => {
                        depth[record.index()] = *deepest;
                        open[record.index()] = false;
                        stack.pop();
                    }
                    Some(Some(part)) if open[part.index()] => {
                        let name = &types.records[part].name;
                        self.report(format!("`{name}` contains itself"));
                        return;
                    }
                    Some(Some(part)) if depth[part.index()] == 0 => {
                        open[part.index()] = true;
                        stack.push((part, 0, 1));
                    }
                    Some(part) => {
                        let inside = part.map_or(0, |p| depth[p.index()]);
                        *deepest = (*deepest).max(inside + 1);
                        *next += 1;
                    }
                }
            }
        }
        let deep = depth.iter().any(|d| *d > MAX_RECORD_DEPTH);
        self.check(!deep, || "records contain each other too deeply".into());
    }

    pub(super) fn positions(&mut self) {
        let locations = &self.program.locations;
        let good = |l: &crate::Loc| locations.files().get(l.file).is_some();
        self.check(locations.locs().iter().all(good), || {
            "a position is in a file that is not listed".into()
        });
        for note in &self.program.notes {
            self.at(note.loc);
        }
        for check in self.program.checks.iter() {
            self.at(check.loc);
        }
        self.loc = None;
    }

    pub(super) fn vars(&mut self) {
        // How often each automatic variable is listed, and where.
        let mut listed: Vec<Option<(FuncId, bool)>> = vec![None; self.program.vars.len()];
        for (id, func) in self.program.funcs.enumerate() {
            let params = func.params.iter().map(|v| (*v, true));
            for (var, param) in params.chain(func.locals.iter().map(|v| (*v, false))) {
                match listed.get_mut(var.index()) {
                    None => self.report(format!("there is no variable number {}", var.0)),
                    Some(slot @ None) => *slot = Some((id, param)),
                    Some(Some(_)) => {
                        self.report(format!("variable number {} is listed twice", var.0));
                    }
                }
            }
        }
        for (id, var) in self.program.vars.enumerate() {
            self.at(var.loc);
            let wanted = match var.kind {
                VarKind::Param(f) => Some((f, true)),
                VarKind::Local(f) | VarKind::Temp(f) => Some((f, false)),
                _ => None,
            };
            self.check(listed[id.index()] == wanted, || {
                format!("`{}` is not listed where it belongs", var.name)
            });
            self.var(var);
        }
        self.loc = None;
    }

    fn var(&mut self, var: &Var) {
        let (types, name) = (&self.program.types, &var.name);
        if let Some(f) = var.kind.function() {
            let known = f.index() < self.program.funcs.len();
            self.check(known, || format!("`{name}` belongs to no function"));
        }
        if !self.check(types.contains(var.ty), || {
            format!("there is no type number {}", var.ty.0)
        }) {
            return;
        }
        let object = match var.definition {
            Definition::Declared => !matches!(types[var.ty], Type::Func(_)),
            _ => is_complete(types, var.ty),
        };
        self.check(object, || format!("`{name}` has no object type"));
        self.check(var.align.is_power_of_two(), || {
            format!("the alignment of `{name}` is not a power of two")
        });
        let owns = matches!(var.definition, Definition::Defined | Definition::Weak);
        let static_ = matches!(var.kind, VarKind::Global);
        self.check(static_ || var.definition == Definition::Defined, || {
            format!("`{name}` is not defined but is not a global")
        });
        self.check(!var.weak || var.definition == Definition::Declared, || {
            format!("`{name}` is defined, so it is no weak reference")
        });
        let named = owns && static_ && var.init.is_empty();
        self.check(var.alias.is_none() || named, || {
            format!("`{name}` cannot be an alias")
        });
        self.check(
            var.init.is_empty() || owns && !var.kind.is_automatic(),
            || format!("`{name}` cannot have an initialiser"),
        );
        self.check(var.extra < MAX_OBJECT, || format!("`{name}` is too large"));
        let size = types.size_of(var.ty).saturating_add(var.extra);
        let mut end = 0;
        for item in &var.init {
            let Some(bits) = self.init(name, item) else {
                continue;
            };
            self.check(item.bit_offset >= end, || {
                format!("initialisers of `{name}` overlap or fall")
            });
            end = item.bit_offset.saturating_add(bits);
            self.check(end <= size.saturating_mul(8), || {
                format!("an initialiser of `{name}` lies outside it")
            });
        }
    }

    /// Checks one piece of an initialiser; how many bits it takes.
    fn init(&mut self, name: &str, item: &InitItem) -> Option<u64> {
        let types = &self.program.types;
        if !self.check(types.contains(item.ty), || {
            format!("there is no type number {}", item.ty.0)
        }) {
            return None;
        }
        let word = types.target().pointer_bits();
        let holds_address = match types[item.ty] {
            Type::Pointer(_) => true,
            Type::Int(int) => int.bits == word,
            _ => false,
        };
        let good = match &item.value {
            InitValue::Int(v) => is_canonical(types, item.ty, *v),
            InitValue::Float(bits) => fits_float(types, item.ty, *bits),
            InitValue::Bytes(bytes) => match types[item.ty] {
                Type::Array { elem, len } => {
                    len == bytes.len() as u64 && types.as_int(elem).is_some_and(|i| i.bits == 8)
                }
                _ => false,
            },
            InitValue::Addr(var, _) => {
                let to = self.program.vars.get(*var);
                holds_address && to.is_some_and(|v| !v.kind.is_automatic())
            }
            InitValue::Func(f) => holds_address && self.program.funcs.get(*f).is_some(),
        };
        self.check(good, || {
            format!(
                "an initialiser of `{name}` does not have type `{}`",
                types.name(item.ty)
            )
        });
        Some(match types[item.ty] {
            Type::Bool => 1,
            Type::Int(int) => u64::from(int.bits),
            Type::Float(f) => 8 * value::float::encoded_size(f) as u64,
            _ => types.size_of(item.ty).saturating_mul(8),
        })
    }

    pub(super) fn startup(&mut self) {
        for startup in &self.program.startup {
            let func = self.program.funcs.get(startup.func);
            let defined = func.is_some_and(|f| f.definition != Definition::Declared);
            self.check(defined, || {
                format!("a {} is not defined", startup.phase.name())
            });
        }
    }

    pub(super) fn funcs(&mut self) {
        for (id, func) in self.program.funcs.enumerate() {
            self.func = Some(id);
            self.at(func.loc);
            self.function(func);
        }
        self.func = None;
        self.loc = None;
    }

    fn function(&mut self, func: &Function) {
        let types = &self.program.types;
        let is_func = types.contains(func.ty) && matches!(types[func.ty], Type::Func(_));
        if !self.check(is_func, || "its type is not a function's".into()) {
            return;
        }
        if let Some(refusal) = &func.refused {
            self.at(refusal.loc);
        }
        let owns = matches!(func.definition, Definition::Defined | Definition::Weak);
        self.check(
            !func.weak || func.definition == Definition::Declared,
            || "only a declaration is a weak reference".into(),
        );
        self.check(func.definition != Definition::Tentative, || {
            "a function cannot be tentative".into()
        });
        let reasons = usize::from(func.body.is_some())
            + usize::from(func.refused.is_some())
            + usize::from(func.alias.is_some());
        self.check(reasons == usize::from(owns), || {
            "a defined function has a body, a refusal or an alias; a declared one none".into()
        });
        let unlisted = func.params.is_empty() && func.locals.is_empty();
        self.check(owns || unlisted, || {
            "a declared function has no variables".into()
        });
        let Type::Func(ty) = &types[func.ty] else {
            return;
        };
        if func.body.is_some() && !(ty.params.is_empty() && ty.variadic) {
            let vars = &self.program.vars;
            let own = func.params.iter().map(|p| vars.get(*p).map(|v| v.ty));
            let same = own.eq(ty.params.iter().map(|p| Some(*p)));
            self.check(same, || {
                "its parameters do not have its type's types".into()
            });
        }
    }
}

/// Whether there can be objects of the type, complete or not.
fn is_object(types: &Types, ty: TypeId) -> bool {
    !matches!(types[ty], Type::Void | Type::Func(_))
}

/// Whether there can be objects of the type here.
pub(super) fn is_complete(types: &Types, mut ty: TypeId) -> bool {
    while let Type::Array { elem, .. } = types[ty] {
        ty = elem;
    }
    match types[ty] {
        Type::Record(record) => types.records[record].complete,
        _ => is_object(types, ty),
    }
}

/// Whether `v` is an integer, boolean or pointer constant of the type.
pub(super) fn is_canonical(types: &Types, ty: TypeId, v: i128) -> bool {
    let int: Option<IntTy> = value::int_type(types, ty);
    int.is_some_and(|int| value::wrap(int, v) == v)
}

/// Whether `bits` is an encoding in the type.
pub(super) fn fits_float(types: &Types, ty: TypeId, bits: u128) -> bool {
    match types[ty] {
        Type::Float(f) => {
            let size = 8 * value::float::encoded_size(f);
            size == 128 || bits >> size == 0
        }
        _ => false,
    }
}

/// Whether `var` may be named in the code of `func`.
pub(super) fn is_visible(var: &Var, func: FuncId) -> bool {
    !var.kind.is_automatic() || var.kind.function() == Some(func)
}
