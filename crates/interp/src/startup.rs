//! Before the first statement: addresses of functions, first contents of variables, the
//! arguments of the entry function.

use crate::code::Scalar;
use crate::compile::scalar;
use crate::error::{Fault, Stop};
use crate::machine::Machine;
use crate::memory::{Fill, Kind, ObjId};
use cwolf_cwi::value::Value;
use cwolf_cwi::{
    Definition, FuncId, InitItem, InitValue, Linkage, Type, TypeId, Types, Var, VarId, VarKind,
};
use rustc_hash::FxHashMap;

/// How many addresses a variable that no file defines has at most.
const FAR: u64 = 1 << 20;

impl<'p> Machine<'p> {
    /// Makes every object that exists before the program starts.
    pub(crate) fn start(&mut self) -> Result<(), Stop> {
        if !self.globals.is_empty() || !self.functions.is_empty() {
            return Ok(());
        }
        for (id, function) in self.program.funcs.enumerate() {
            let loc = Some(function.loc);
            let object = self.memory.alloc(1, 16, Kind::Func(id), Fill::Zero, loc)?;
            // Without bytes, every access to it as data misses.
            self.memory.objects[object as usize].bytes = Vec::new();
            self.functions.push(self.memory.address(object));
        }
        let defined = self.definitions();
        let mut objects = FxHashMap::default();
        for (id, var) in self.program.vars.enumerate() {
            if var.kind.is_automatic() {
                self.globals.push(0);
                continue;
            }
            let owner = match var.linkage {
                Linkage::External => defined.get(var.name.as_str()).copied().unwrap_or(id),
                Linkage::Internal => id,
            };
            let object = match objects.get(&owner) {
                Some(object) => *object,
                None => {
                    let object = self.make_global(owner)?;
                    objects.insert(owner, object);
                    object
                }
            };
            self.globals.push(object);
        }
        self.library_start()?;
        let owners: Vec<_> = objects.into_iter().collect();
        for (var, object) in owners {
            self.initialise(var, object)?;
        }
        Ok(())
    }

    /// The variable that really defines each external name.
    fn definitions(&self) -> FxHashMap<&'p str, VarId> {
        let mut best: FxHashMap<&'p str, VarId> = FxHashMap::default();
        let program = self.program;
        for (id, var) in program.vars.enumerate() {
            if var.linkage != Linkage::External || var.kind != VarKind::Global {
                continue;
            }
            let entry = best.entry(&var.name).or_insert(id);
            if program.vars[*entry].definition < var.definition {
                *entry = id;
            }
        }
        best
    }

    fn make_global(&mut self, id: VarId) -> Result<ObjId, Fault> {
        let var = &self.program.vars[id];
        let types = &self.program.types;
        let size = types.size_of(var.ty).saturating_add(var.extra);
        let missing =
            var.definition == Definition::Declared && !crate::libc::provides_variable(&var.name);
        let kind = match missing {
            true => Kind::Extern(id),
            false => Kind::Var(id),
        };
        let align = var.align.max(1);
        // Addresses without memory. An array without a length may have any.
        let size = match (missing, size) {
            (false, _) => size,
            (true, 0) => FAR,
            (true, _) => size.min(FAR),
        };
        let object = self
            .memory
            .alloc(size, align, kind, Fill::Zero, Some(var.loc))?;
        if missing {
            self.memory.objects[object as usize].bytes = Vec::new();
        }
        Ok(object)
    }

    fn initialise(&mut self, id: VarId, object: ObjId) -> Result<(), Fault> {
        let var = &self.program.vars[id];
        for item in &var.init {
            self.initialise_item(item, object)?;
        }
        // A constant without an initialiser gets its value where the program starts, and keeps it.
        let given = !var.init.is_empty() || var.linkage != Linkage::External;
        self.memory.objects[object as usize].readonly =
            is_readonly(&self.program.types, var) && given;
        self.memory.info[object as usize].constant = var.constant;
        Ok(())
    }

    fn initialise_item(&mut self, item: &InitItem, object: ObjId) -> Result<(), Fault> {
        let base = self.memory.address(object);
        let addr = base + item.bit_offset / 8;
        let pointer = u64::from(self.program.target().pointer_bits()) / 8;
        let (bits, width) = match &item.value {
            InitValue::Bytes(bytes) => return self.memory.store(addr, bytes),
            InitValue::Int(v) => match scalar(&self.program.types, item.ty) {
                // A truth value is a byte, where it is no bit-field.
                Some(Scalar::Int(_)) if item.ty == Types::BOOL => (*v as u128, 8),
                Some(Scalar::Int(ty)) => (*v as u128, u64::from(ty.bits)),
                _ => return Ok(()),
            },
            InitValue::Float(bits) => (*bits, self.program.types.size_of(item.ty).min(16) * 8),
            InitValue::Addr(var, offset) => {
                let target = self.memory.address(self.global(*var));
                let target = target.wrapping_add(*offset as u64) & self.mask;
                (u128::from(target), pointer * 8)
            }
            InitValue::Func(func) => (u128::from(self.function_address(*func)), pointer * 8),
        };
        let shift = item.bit_offset % 8;
        let size = (shift + width).div_ceil(8);
        let mut bytes = self.memory.bytes(addr, size)?.to_vec();
        if shift == 0 && width % 8 == 0 {
            bytes = self.program.target().bytes(bits, size as usize);
        } else {
            let target = self.program.target();
            target.put_bits(&mut bytes, shift, width, bits);
        }
        self.memory.store(addr, &bytes)
    }

    /// `argc`, `argv` and `envp`, as many as the function takes.
    pub(crate) fn entry_arguments(&mut self, func: FuncId) -> Result<Vec<(Value, TypeId)>, Fault> {
        let program = self.program;
        let function = &program.funcs[func];
        let params: Vec<TypeId> = match &program.types[function.ty] {
            Type::Func(ty) if function.params.is_empty() => ty.params.clone(),
            _ => function
                .params
                .iter()
                .map(|v| program.vars[*v].ty)
                .collect(),
        };
        let strings = self.options.args.clone();
        let count = Value::Int(strings.len() as i128);
        let args = self.string_list(&strings)?;
        let env = self.options.env.clone();
        let env = match self.library.environment {
            0 => self.string_list(&env)?,
            known => known,
        };
        self.library.environment = env;
        let values = [count, Value::Int(args.into()), Value::Int(env.into())];
        let zero = Value::Int(0);
        Ok(params
            .iter()
            .enumerate()
            .map(|(n, ty)| (values.get(n).copied().unwrap_or(zero), *ty))
            .map(|(value, ty)| match scalar(&program.types, ty) {
                Some(Scalar::Float(_)) => (Value::Float(0), ty),
                Some(Scalar::Int(int)) => match value {
                    Value::Int(v) => (Value::Int(cwolf_cwi::value::wrap(int, v)), ty),
                    float => (float, ty),
                },
                None => (value, ty),
            })
            .collect())
    }

    /// An array of pointers to new strings, ended by a null pointer.
    pub(crate) fn string_list(&mut self, strings: &[Vec<u8>]) -> Result<u64, Fault> {
        let word = self.program.target().pointer_size();
        let size = word * (strings.len() as u64 + 1);
        let kind = Kind::Library("the arguments");
        let list = self.memory.alloc(size, word, kind, Fill::Zero, None)?;
        let list = self.memory.address(list);
        for (n, text) in strings.iter().enumerate() {
            let kind = Kind::Library("an argument");
            let len = text.len() as u64 + 1;
            let object = self.memory.alloc(len, 1, kind, Fill::Zero, None)?;
            let addr = self.memory.address(object);
            self.memory.store(addr, text)?;
            let bytes = self.program.target().bytes(addr.into(), word as usize);
            self.memory.store(list + n as u64 * word, &bytes)?;
        }
        Ok(list)
    }
}

/// Whether writing to the variable is an error.
fn is_readonly(types: &Types, var: &Var) -> bool {
    match var.kind {
        // An unnamed constant that is no string may be a compound literal, which is writable.
        VarKind::Literal => {
            let characters = |elem: TypeId| types.as_int(elem).is_some();
            var.constant || matches!(types[var.ty], Type::Array { elem, .. } if characters(elem))
        }
        _ => var.constant && !var.volatile,
    }
}
