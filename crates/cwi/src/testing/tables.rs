//! Random types, records, variables and function headers.

use super::Generator;
use crate::code::FuncId;
use crate::program::{
    Definition, Function, InitItem, InitValue, Linkage, Origin, Phase, Refusal, Startup, Var,
    VarKind,
};
use crate::types::{Field, FloatTy, FuncTy, Record, RecordId, RecordKind, Type, TypeId, Types};
use crate::value;

impl Generator {
    pub(super) fn tables(&mut self) {
        self.simple_types();
        for _ in 0..self.size {
            self.derived_type();
        }
        for _ in 0..1 + self.size / 2 {
            self.function();
        }
        for _ in 0..1 + self.size {
            self.global();
        }
        for _ in 0..self.rng.below(3) {
            self.startup();
        }
    }

    fn startup(&mut self) {
        let Some(func) = self.rng.pick(&self.funcs) else {
            return;
        };
        if self.program.funcs[func].definition == Definition::Declared {
            return;
        }
        let phase = match self.rng.one_in(2) {
            true => Phase::Constructor,
            false => Phase::Destructor,
        };
        let priority = self.rng.number() as u16;
        self.program.startup.push(Startup {
            func,
            phase,
            priority,
        });
    }

    fn simple_types(&mut self) {
        let types = &mut self.program.types;
        self.types = vec![Types::INT, Types::BOOL, Types::CHAR];
        for (bits, signed) in [
            (8, false),
            (16, true),
            (32, false),
            (64, true),
            (64, false),
            (128, false),
            (128, true),
        ] {
            self.types.push(types.int(bits, signed));
        }
        for float in [
            FloatTy::F16,
            FloatTy::F32,
            FloatTy::F64,
            FloatTy::F80,
            FloatTy::F128,
        ] {
            self.types.push(types.float(float));
        }
        self.types.push(types.pointer(Types::VOID));
        self.types.push(types.pointer(Types::INT));
    }

    fn any_type(&mut self) -> TypeId {
        self.types[self.rng.below(self.types.len())]
    }

    fn derived_type(&mut self) {
        let ty = self.any_type();
        let new = match self.rng.below(6) {
            0 => self.program.types.pointer(ty),
            1 => {
                let len = self.rng.below(5) as u64;
                self.program.types.array(ty, len)
            }
            2 => {
                let count = self.rng.below(3);
                let params = (0..count).map(|_| self.any_type()).collect();
                let ret = self.any_type();
                let ret = match self.program.types[ret] {
                    Type::Array { .. } => Types::VOID,
                    _ => ret,
                };
                let variadic = self.rng.one_in(3);
                let func = FuncTy {
                    ret,
                    params,
                    variadic,
                };
                let func = self.program.types.intern(Type::Func(func));
                self.func_types.push(func);
                self.program.types.pointer(func)
            }
            3 => {
                let record = self.opaque();
                let record = self.program.types.record(record);
                self.program.types.pointer(record)
            }
            _ => {
                let record = self.record();
                self.program.types.record(record)
            }
        };
        self.types.push(new);
    }

    fn opaque(&mut self) -> RecordId {
        let record = Record {
            name: self.name(),
            kind: RecordKind::Struct,
            fields: Vec::new(),
            size: 0,
            align: 1,
            complete: false,
        };
        self.program.types.records.push(record)
    }

    fn record(&mut self) -> RecordId {
        let id = self.opaque();
        let own = self.program.types.record(id);
        let own_pointer = self.program.types.pointer(own);
        let union = self.rng.one_in(3);
        let (mut fields, mut end, mut size, mut align) = (Vec::new(), 0u64, 0u64, 1u64);
        for _ in 0..self.rng.below(5) {
            if union {
                end = 0;
            }
            let bit_field = self.rng.one_in(4);
            let ty = if bit_field {
                let (bits, signed) = (1 + self.rng.below(32) as u16, self.rng.one_in(2));
                self.program.types.int(bits, signed)
            } else if self.rng.one_in(4) {
                own_pointer
            } else {
                self.any_type()
            };
            let types = &self.program.types;
            let (bits, start) = match types.as_int(ty) {
                Some(int) if bit_field => (u64::from(int.bits), end),
                _ => {
                    align = align.max(types.align_of(ty));
                    let unit = 8 * types.align_of(ty);
                    (8 * types.size_of(ty), end.next_multiple_of(unit))
                }
            };
            end = start + bits;
            size = size.max(end.div_ceil(8));
            let name = self.name();
            fields.push(Field {
                name,
                ty,
                bit_offset: start,
                bit_field,
            });
        }
        let record = &mut self.program.types.records[id];
        record.kind = if union {
            RecordKind::Union
        } else {
            RecordKind::Struct
        };
        record.fields = fields;
        record.align = align;
        record.size = size.next_multiple_of(align);
        record.complete = true;
        id
    }

    fn function(&mut self) {
        let ty = match self.rng.pick(&self.func_types) {
            Some(ty) if !self.rng.one_in(3) => ty,
            _ => {
                let variadic = self.rng.one_in(3);
                let func = FuncTy {
                    ret: Types::INT,
                    params: Vec::new(),
                    variadic,
                };
                self.program.types.intern(Type::Func(func))
            }
        };
        let id = self.program.funcs.next_id();
        let definition = match self.rng.below(6) {
            0 => Definition::Declared,
            1 => Definition::Weak,
            _ => Definition::Defined,
        };
        let defined = definition != Definition::Declared;
        let mut func = Function {
            name: self.name(),
            ty,
            linkage: self.linkage(),
            definition,
            params: Vec::new(),
            locals: Vec::new(),
            body: None,
            refused: None,
            noreturn: self.rng.one_in(6),
            weak: !defined && self.rng.one_in(2),
            alias: None,
            origin: Origin::ALL[self.rng.below(Origin::ALL.len())],
            loc: self.loc(),
        };
        if defined && self.rng.one_in(8) {
            let (reason, loc) = (self.text(), self.loc());
            func.refused = Some(Refusal { reason, loc });
        } else if defined && self.rng.one_in(8) {
            func.alias = Some(self.name());
        } else if defined {
            // The body comes when all tables are there; this marks it.
            func.body = Some(Default::default());
        }
        let has_body = func.body.is_some();
        self.program.funcs.push(func);
        self.funcs.push(id);
        if has_body {
            let Type::Func(ty) = self.program.types[ty].clone() else {
                unreachable!("a function type");
            };
            for param in ty.params {
                let var = self.automatic(param, VarKind::Param(id));
                self.program.funcs[id].params.push(var);
            }
            for _ in 0..self.rng.below(5) {
                let kind = if self.rng.one_in(3) {
                    VarKind::Temp(id)
                } else {
                    VarKind::Local(id)
                };
                let ty = self.any_type();
                let var = self.automatic(ty, kind);
                self.program.funcs[id].locals.push(var);
            }
        }
    }

    fn linkage(&mut self) -> Linkage {
        if self.rng.one_in(3) {
            Linkage::Internal
        } else {
            Linkage::External
        }
    }

    fn automatic(&mut self, ty: TypeId, kind: VarKind) -> crate::VarId {
        let (name, align, loc) = (self.name(), self.align(ty), self.loc());
        let var = Var {
            linkage: self.linkage(),
            volatile: self.rng.one_in(5),
            constant: self.rng.one_in(5),
            ..Var::plain(name, ty, kind, align, loc)
        };
        self.program.vars.push(var)
    }

    fn align(&mut self, ty: TypeId) -> u64 {
        let own = self.program.types.align_of(ty);
        if self.rng.one_in(5) { own * 4 } else { own }
    }

    fn global(&mut self) {
        let ty = self.any_type();
        let owner = self.rng.pick(&self.funcs);
        let kind = match self.rng.below(4) {
            0 => VarKind::Literal,
            1 => VarKind::StaticLocal(owner.unwrap_or(FuncId(0))),
            _ => VarKind::Global,
        };
        let definition = match self.rng.below(6) {
            0 if kind == VarKind::Global => Definition::Declared,
            1 if kind == VarKind::Global => Definition::Tentative,
            2 if kind == VarKind::Global => Definition::Weak,
            _ => Definition::Defined,
        };
        let var = self.automatic(ty, kind);
        self.globals.push(var);
        let owns = matches!(definition, Definition::Defined | Definition::Weak);
        let extra = if owns && self.rng.one_in(6) {
            self.rng.below(9) as u64
        } else {
            0
        };
        let mut init = Vec::new();
        if owns && !self.rng.one_in(3) {
            self.init(ty, 0, &mut init);
        }
        let thread_local = self.rng.one_in(8);
        let weak = definition == Definition::Declared && self.rng.one_in(2);
        let named = owns && kind == VarKind::Global && init.is_empty();
        let alias = (named && self.rng.one_in(4)).then(|| self.name());
        let var = &mut self.program.vars[var];
        (var.weak, var.alias) = (weak, alias);
        (var.definition, var.extra, var.thread_local, var.init) =
            (definition, extra, thread_local, init);
    }

    /// Initialisers of some of the parts of an object of type `ty` at `offset`.
    fn init(&mut self, ty: TypeId, offset: u64, items: &mut Vec<InitItem>) {
        if self.rng.one_in(6) {
            return;
        }
        let value = match self.program.types[ty].clone() {
            Type::Void | Type::Func(_) => return,
            Type::Array { elem, len } if elem == Types::CHAR => {
                InitValue::Bytes((0..len).map(|_| self.rng.number() as u8).collect())
            }
            Type::Array { elem, len } => {
                let size = 8 * self.program.types.size_of(elem);
                for n in 0..len {
                    self.init(elem, offset + n * size, items);
                }
                return;
            }
            Type::Record(record) => {
                let record = self.program.types.records[record].clone();
                let count = if record.kind == RecordKind::Union {
                    1
                } else {
                    usize::MAX
                };
                for field in record.fields.iter().take(count) {
                    self.init(field.ty, offset + field.bit_offset, items);
                }
                return;
            }
            Type::Pointer(_) if self.rng.one_in(3) => match self.rng.pick(&self.globals) {
                Some(var) => InitValue::Addr(var, self.rng.number() as i8 as i64),
                None => return,
            },
            Type::Pointer(_) if self.rng.one_in(3) => match self.rng.pick(&self.funcs) {
                Some(func) => InitValue::Func(func),
                None => return,
            },
            Type::Float(f) => InitValue::Float(self.float(f)),
            _ => InitValue::Int(self.int(ty)),
        };
        items.push(InitItem {
            bit_offset: offset,
            ty,
            value,
        });
    }

    /// A constant of an integer, boolean or pointer type.
    pub(super) fn int(&mut self, ty: TypeId) -> i128 {
        let int = value::int_type(&self.program.types, ty).expect("an integer-like type");
        let raw = match self.rng.below(4) {
            0 => self.rng.below(20) as i128,
            1 => -(self.rng.below(20) as i128),
            2 => i128::from(self.rng.number()),
            _ => i128::from(self.rng.number()) << 64 | i128::from(self.rng.number()),
        };
        value::wrap(int, raw)
    }

    /// Any encoding of a floating type.
    pub(super) fn float(&mut self, ty: FloatTy) -> u128 {
        let nice = [0.0, -0.0, 1.5, 1e30, 0.1, f64::INFINITY, f64::NAN];
        if self.rng.one_in(2) {
            return value::float::from_f64(ty, nice[self.rng.below(nice.len())]);
        }
        let bits = u128::from(self.rng.number()) << 64 | u128::from(self.rng.number());
        bits >> (128 - 8 * value::float::encoded_size(ty))
    }
}
