//! Variables that hold what their initialiser says as long as the program runs: string literals,
//! `const` tables, and statics that no code can write. They are read from the program and take no
//! room in states.

use super::eval::{Context, object_bits};
use super::layout::{bits_of, int_ty};
use super::library::may_write;
use crate::domain::{Address, Target, Value};
use cwolf_cwi::graph::{Object, PointsTo};
use cwolf_cwi::{
    Base, Branch, Definition, FuncId, InitValue, Program, StmtKind, Type, TypeId, VarId, VarKind,
    value,
};
use rustc_hash::FxHashSet;

/// A table with more elements than this is not read as a whole.
const MAX_ELEMENTS: u64 = 4096;

/// The variables that never change.
pub(super) fn never_written(program: &Program, points_to: &PointsTo) -> FxHashSet<VarId> {
    let mut written: FxHashSet<VarId> = FxHashSet::default();
    let mut named: FxHashSet<VarId> = FxHashSet::default();
    let mut outside = false;
    let mut touch = |objects: &[Object]| {
        for object in objects {
            match object {
                Object::Var(var) => {
                    written.insert(*var);
                }
                Object::Outside => outside = true,
                _ => {}
            }
        }
    };
    for (func, f) in program.funcs.enumerate() {
        for (block, code) in f.body.iter().flat_map(|b| b.blocks.enumerate()) {
            for stmt in &code.stmts {
                match &stmt.kind {
                    StmtKind::Assign(place, _) => match &place.base {
                        Base::Var(var) => {
                            named.insert(*var);
                        }
                        Base::Deref(pointer) => touch(&points_to.expr(func, block, pointer)),
                    },
                    StmtKind::Havoc { ptr, .. } => {
                        touch(&points_to.reachable(func, block, ptr));
                        touch(&[Object::Outside]);
                    }
                    _ => {}
                }
            }
            if let Branch::Call { callee, args, .. } = &code.branch {
                let (targets, unknown) = points_to.callees(func, block, callee);
                let hidden = |f: &&FuncId| program.funcs[**f].body.is_none();
                let mut through: Vec<usize> = Vec::new();
                let mut anything = unknown;
                for target in targets.iter().filter(hidden) {
                    match may_write(program, *target, args.len()) {
                        Some(list) => through.extend(list),
                        None => anything = true,
                    }
                }
                for arg in through.iter().filter_map(|n| args.get(*n)) {
                    touch(&points_to.expr(func, block, arg));
                }
                if anything {
                    for arg in args {
                        touch(&points_to.reachable(func, block, arg));
                    }
                    touch(&[Object::Outside]);
                }
            }
        }
    }
    if outside {
        for object in points_to.escaped() {
            if let Object::Var(var) = object {
                written.insert(var);
            }
        }
    }
    let constant = |id: &VarId| {
        let var = &program.vars[*id];
        let promised = var.constant || var.kind == VarKind::Literal;
        let here = var.definition != Definition::Declared && !var.kind.is_automatic();
        let allocated = program.heap.owns(*id);
        // Who writes a constant by its name gives it its first value.
        let promised = promised || !written.contains(id);
        here && !allocated && !var.volatile && promised && !named.contains(id)
    };
    program.vars.ids().filter(constant).collect()
}

impl Context<'_> {
    /// What a variable that never changes holds at an offset, or what another one holds at first.
    pub fn first_value(&self, var: VarId, offset: u64, ty: TypeId) -> Value {
        let bits = bits_of(self.program, ty);
        let inside = |total| i128::from(offset) + i128::from(bits) <= total;
        if !object_bits(self.program, var).is_some_and(inside) {
            return Value::Top;
        }
        let items = &self.program.vars[var].init;
        let mut overlapping = items.iter().filter(|item| {
            let size = bits_of(self.program, item.ty);
            let end = item.bit_offset.saturating_add(size);
            end > offset && item.bit_offset < offset + bits
        });
        if let Some(item) = overlapping.next() {
            let exact = item.bit_offset == offset && bits_of(self.program, item.ty) == bits;
            let same = exact && item.ty == ty;
            return match &item.value {
                InitValue::Int(n) if same && self.is_pointer(ty) => self
                    .universe
                    .address_set([Address::new(Target::Absolute, Some(*n as i64))]),
                InitValue::Int(n) if same && int_ty(self.program, ty).bits <= 64 => {
                    Value::Int(*n as u64)
                }
                InitValue::Float(bits) if same => match self.program.types[ty] {
                    Type::Float(float) => self.universe.float_constant(float, *bits),
                    _ => Value::Top,
                },
                InitValue::Addr(target, bytes) if exact && self.is_pointer(ty) => {
                    let target = Target::Object(target.0);
                    self.universe
                        .address_set([Address::new(target, Some(*bytes))])
                }
                InitValue::Func(f) if exact && self.is_pointer(ty) => self
                    .universe
                    .address_set([Address::new(Target::Function(f.0), Some(0))]),
                InitValue::Bytes(bytes) if bits == 8 && offset.is_multiple_of(8) => {
                    let at = (offset - item.bit_offset) / 8;
                    match (self.program.types.as_int(ty), bytes.get(at as usize)) {
                        (Some(int), Some(b)) => Value::Int(value::wrap(int, (*b).into()) as u64),
                        (Some(_), None) => Value::Int(0),
                        _ => Value::Top,
                    }
                }
                _ => Value::Top,
            };
        }
        self.zero(ty)
    }
    /// What is somewhere in a variable that never changes: one of its elements, if it is an array
    /// of such scalars.
    pub fn some_element(&self, var: VarId, ty: TypeId) -> Value {
        let types = &self.program.types;
        let mut inner = self.program.vars[var].ty;
        while let Type::Array { elem, .. } = types[inner] {
            inner = elem;
        }
        let size = bits_of(self.program, ty);
        let total = object_bits(self.program, var).unwrap_or(0) as u64;
        if inner != ty || total / size.max(1) > MAX_ELEMENTS {
            return Value::Top;
        }
        let mut all = Value::Bottom;
        for n in 0..total / size.max(1) {
            let v = self.first_value(var, n * size, ty);
            all = self.join(ty, all, v);
            if all == Value::Top {
                break;
            }
        }
        all
    }
}
