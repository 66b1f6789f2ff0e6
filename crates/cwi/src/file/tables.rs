//! Everything but code.

use super::FileError;
use super::bytes::{Reader, Writer, place_in};
use crate::code::{Body, FuncId, VarId};
use crate::program::{
    Check, CheckKind, Definition, Function, InitItem, InitValue, Linkage, Loc, Locations, Note,
    Origin, Phase, Program, Refusal, Startup, Var, VarKind,
};
use crate::target::Target;
use crate::types::{
    Field, FloatTy, FuncTy, IntTy, Record, RecordId, RecordKind, Type, TypeId, Types,
};
use cwolf_base::Idx;

type Read<T> = Result<T, FileError>;

/// In the order of their numbers in files.
const FLOATS: [FloatTy; 5] = [
    FloatTy::F32,
    FloatTy::F64,
    FloatTy::F80,
    FloatTy::F128,
    FloatTy::F16,
];
const DEFINITIONS: [Definition; 4] = [
    Definition::Declared,
    Definition::Tentative,
    Definition::Weak,
    Definition::Defined,
];

const PHASES: [Phase; 2] = [Phase::Constructor, Phase::Destructor];

/// The types that every table starts with.
const FIXED: usize = 4;

/// Bits to a byte, the first lowest.
fn flags(bits: &[bool]) -> u8 {
    bits.iter().rev().fold(0, |all, b| all << 1 | u8::from(*b))
}

impl Writer {
    pub fn program(&mut self, program: &Program) {
        self.byte(place_in(&Target::ALL, &program.target()));
        self.locations(&program.locations);
        self.types(&program.types);
        self.size(program.vars.len());
        self.loc = 0;
        for (id, var) in program.vars.enumerate() {
            self.near = id.0;
            self.variable(var);
        }
        self.size(program.funcs.len());
        for func in program.funcs.iter() {
            self.function(func);
        }
        for func in program.funcs.iter() {
            if let Some(body) = &func.body {
                self.near = near(func);
                self.body(program, body);
            }
        }
        self.size(program.checks.len());
        for check in program.checks.iter() {
            self.byte(place_in(&CheckKind::ALL, &check.kind));
            self.loc(check.loc);
            self.text(&check.text);
        }
        self.size(program.startup.len());
        for startup in &program.startup {
            self.number(startup.func.0);
            self.byte(place_in(&PHASES, &startup.phase));
            self.number(startup.priority);
        }
        self.size(program.notes.len());
        for note in &program.notes {
            self.loc(note.loc);
            self.text(&note.text);
        }
    }

    fn locations(&mut self, locations: &Locations) {
        self.size(locations.files().len());
        for file in locations.files().iter() {
            self.text(file);
        }
        self.size(locations.locs().len());
        let (mut file, mut line) = (0, 0);
        for loc in locations.locs().iter() {
            // One number says the step of the line and whether the file changes.
            let step = i128::from(loc.line) - i128::from(line);
            self.signed(step << 1 | i128::from(loc.file.0 != file));
            if loc.file.0 != file {
                self.number(loc.file.0);
            }
            self.number(loc.column);
            (file, line) = (loc.file.0, loc.line);
        }
    }

    fn types(&mut self, types: &Types) {
        self.size(types.records.len());
        for record in types.records.iter() {
            self.text(&record.name);
            self.byte(flags(&[record.kind == RecordKind::Union, record.complete]));
            self.number(record.size);
            self.number(record.align);
        }
        self.size(types.len() - FIXED);
        for (_, ty) in types.enumerate().skip(FIXED) {
            self.ty(ty);
        }
        for record in types.records.iter() {
            self.size(record.fields.len());
            for field in &record.fields {
                self.text(&field.name);
                self.number(field.ty.0);
                self.number(u128::from(field.bit_offset) << 1 | u128::from(field.bit_field));
            }
        }
    }

    fn ty(&mut self, ty: &Type) {
        match ty {
            Type::Void | Type::Bool => unreachable!("the fixed types come first"),
            Type::Int(int) => {
                self.byte(if int.signed { 0 } else { 1 });
                self.number(int.bits);
            }
            Type::Float(float) => self.out.extend([2, place_in(&FLOATS, float)]),
            Type::Pointer(to) => {
                self.byte(3);
                self.number(to.0);
            }
            Type::Array { elem, len } => {
                self.byte(4);
                self.number(elem.0);
                self.number(*len);
            }
            Type::Record(id) => {
                self.byte(5);
                self.number(id.0);
            }
            Type::Func(func) => {
                self.byte(if func.variadic { 7 } else { 6 });
                self.number(func.ret.0);
                self.size(func.params.len());
                for param in &func.params {
                    self.number(param.0);
                }
            }
        }
    }

    fn variable(&mut self, var: &Var) {
        self.text(&var.name);
        self.number(var.ty.0);
        let (kind, func) = match var.kind {
            VarKind::Global => (0, None),
            VarKind::Literal => (1, None),
            VarKind::StaticLocal(f) => (2, Some(f)),
            VarKind::Param(f) => (3, Some(f)),
            VarKind::Local(f) => (4, Some(f)),
            VarKind::Temp(f) => (5, Some(f)),
        };
        self.byte(kind);
        if let Some(func) = func {
            self.number(func.0);
        }
        let internal = var.linkage == Linkage::Internal;
        let plain = var.extra == 0 && var.init.is_empty() && var.alias.is_none();
        let flags = flags(&[
            internal,
            var.volatile,
            var.constant,
            var.thread_local,
            plain,
            var.weak,
        ]);
        self.byte(flags << 2 | place_in(&DEFINITIONS, &var.definition));
        self.number(var.align);
        self.loc(var.loc);
        if !plain {
            self.number(var.extra);
            self.size(var.init.len());
            let mut offset = 0;
            for item in &var.init {
                // Items rise, so the steps are small.
                self.number(item.bit_offset - offset);
                offset = item.bit_offset;
                self.init(item);
            }
            self.byte(u8::from(var.alias.is_some()));
            var.alias.iter().for_each(|name| self.text(name));
        }
    }

    fn init(&mut self, item: &InitItem) {
        self.number(item.ty.0);
        match &item.value {
            InitValue::Int(v) => {
                self.byte(0);
                self.signed(*v);
            }
            InitValue::Float(bits) => {
                self.byte(1);
                self.number(*bits);
            }
            InitValue::Bytes(bytes) => {
                self.byte(2);
                self.bytes(bytes);
            }
            InitValue::Addr(var, offset) => {
                self.byte(3);
                self.var(*var);
                self.signed((*offset).into());
            }
            InitValue::Func(f) => {
                self.byte(4);
                self.number(f.0);
            }
        }
    }

    fn function(&mut self, func: &Function) {
        self.text(&func.name);
        self.number(func.ty.0);
        let internal = func.linkage == Linkage::Internal;
        let (body, refused, alias) = (&func.body, &func.refused, &func.alias);
        let flags = flags(&[
            internal,
            func.noreturn,
            body.is_some(),
            refused.is_some(),
            alias.is_some(),
            func.weak,
        ]);
        self.byte(flags << 2 | place_in(&DEFINITIONS, &func.definition));
        self.loc(func.loc);
        for list in [&func.params, &func.locals] {
            self.size(list.len());
            self.near = 0;
            for var in list {
                self.var(*var);
                self.near = var.0;
            }
        }
        if let Some(refusal) = refused {
            self.text(&refusal.reason);
            self.loc(refusal.loc);
        }
        if let Some(name) = alias {
            self.text(name);
        }
        self.byte(place_in(&Origin::ALL, &func.origin));
    }
}

/// A variable that most others in the code of `func` are near to.
fn near(func: &Function) -> u32 {
    func.params
        .first()
        .or(func.locals.first())
        .map_or(0, |v| v.0)
}

impl Reader<'_> {
    pub fn program(mut self) -> Read<Program> {
        let target = self.choice(&Target::ALL)?;
        let mut program = Program::new(target);
        self.locations(&mut program.locations)?;
        self.types(&mut program.types)?;
        // Code is typed while it is read, which must not fall into bad types.
        if let Some(violation) = crate::verify::verify_types(&program).first() {
            return Err(FileError::Invalid(violation.describe(&program)));
        }
        self.loc = 0;
        for n in 0..self.count()? {
            self.near = u32::try_from(n).map_err(|_| self.malformed("too many variables"))?;
            let var = self.variable(&program.types)?;
            program.vars.push(var);
        }
        let mut bodies = Vec::new();
        for _ in 0..self.count()? {
            let (func, has_body) = self.function(&program.types)?;
            let id = program.funcs.push(func);
            if has_body {
                bodies.push(id);
            }
        }
        for id in bodies {
            self.near = near(&program.funcs[id]);
            let body: Body = self.body(&program)?;
            program.funcs[id].body = Some(body);
        }
        for _ in 0..self.count()? {
            let kind = self.choice(&CheckKind::ALL)?;
            let (loc, text) = (self.loc()?, self.text()?);
            program.checks.push(Check { kind, loc, text });
        }
        for _ in 0..self.count()? {
            let startup = Startup {
                func: FuncId(self.small()?),
                phase: self.choice(&PHASES)?,
                priority: self.small()?,
            };
            program.startup.push(startup);
        }
        for _ in 0..self.count()? {
            let (loc, text) = (self.loc()?, self.text()?);
            program.notes.push(Note { loc, text });
        }
        match self.left() {
            0 => Ok(program),
            _ => Err(self.malformed("something follows the end")),
        }
    }

    fn choice<T: Copy>(&mut self, table: &[T]) -> Read<T> {
        let n = self.byte()?;
        let found = table.get(usize::from(n)).copied();
        found.ok_or_else(|| self.malformed("a kind is not known"))
    }
    /// A type that is in the table.
    pub fn type_id(&mut self, types: &Types) -> Read<TypeId> {
        let id = TypeId(self.small()?);
        match types.contains(id) {
            true => Ok(id),
            false => Err(self.malformed("a type is not listed")),
        }
    }

    fn locations(&mut self, locations: &mut Locations) -> Read<()> {
        for n in 0..self.count()? {
            let name = self.text()?;
            if locations.file(&name).index() != n {
                return Err(self.malformed("a file name is listed twice"));
            }
        }
        let (mut file, mut line) = (0, 0u32);
        for n in 0..self.count()? {
            let step = self.signed()?;
            if step & 1 == 1 {
                file = self.small()?;
            }
            let next = i128::from(line).checked_add(step >> 1);
            let next = next.and_then(|n| u32::try_from(n).ok());
            line = next.ok_or_else(|| self.malformed("a line is out of range"))?;
            let file = crate::FileId(file);
            let loc = Loc {
                file,
                line,
                column: self.small()?,
            };
            if locations.intern(loc).index() != n {
                return Err(self.malformed("a position is listed twice"));
            }
        }
        Ok(())
    }

    fn types(&mut self, types: &mut Types) -> Read<()> {
        for _ in 0..self.count()? {
            let name = self.text()?;
            let flags = self.byte()?;
            let kind = if flags & 1 == 1 {
                RecordKind::Union
            } else {
                RecordKind::Struct
            };
            let (size, align) = (self.small()?, self.small()?);
            let complete = flags & 2 == 2;
            types.records.push(Record {
                name,
                kind,
                fields: Vec::new(),
                size,
                align,
                complete,
            });
        }
        for n in 0..self.count()? {
            let ty = self.ty(types)?;
            if types.intern(ty).index() != n + FIXED {
                return Err(self.malformed("a type is listed twice"));
            }
        }
        for id in types.records.ids() {
            for _ in 0..self.count()? {
                let name = self.text()?;
                let ty = self.type_id(types)?;
                let place = self.number()?;
                let bit_offset = u64::try_from(place >> 1);
                let bit_offset =
                    bit_offset.map_err(|_| self.malformed("an offset is too large"))?;
                let bit_field = place & 1 == 1;
                types.records[id].fields.push(Field {
                    name,
                    ty,
                    bit_offset,
                    bit_field,
                });
            }
        }
        Ok(())
    }

    fn ty(&mut self, types: &Types) -> Read<Type> {
        Ok(match self.byte()? {
            kind @ (0 | 1) => Type::Int(IntTy::new(self.small()?, kind == 0)),
            2 => Type::Float(self.choice(&FLOATS)?),
            3 => Type::Pointer(self.type_id(types)?),
            4 => Type::Array {
                elem: self.type_id(types)?,
                len: self.small()?,
            },
            5 => Type::Record(RecordId(self.small()?)),
            kind @ (6 | 7) => {
                let ret = self.type_id(types)?;
                let count = self.count()?;
                let params = (0..count)
                    .map(|_| self.type_id(types))
                    .collect::<Read<_>>()?;
                Type::Func(FuncTy {
                    ret,
                    params,
                    variadic: kind == 7,
                })
            }
            _ => return Err(self.malformed("a kind of type is not known")),
        })
    }

    fn variable(&mut self, types: &Types) -> Read<Var> {
        let name = self.text()?;
        let ty = self.type_id(types)?;
        let kind = match self.byte()? {
            0 => VarKind::Global,
            1 => VarKind::Literal,
            2 => VarKind::StaticLocal(FuncId(self.small()?)),
            3 => VarKind::Param(FuncId(self.small()?)),
            4 => VarKind::Local(FuncId(self.small()?)),
            5 => VarKind::Temp(FuncId(self.small()?)),
            _ => return Err(self.malformed("a kind of variable is not known")),
        };
        let flags = self.byte()?;
        let mut var = Var {
            name,
            ty,
            kind,
            linkage: linkage(flags),
            definition: DEFINITIONS[usize::from(flags & 3)],
            volatile: flags & 8 != 0,
            constant: flags & 16 != 0,
            weak: flags & 128 != 0,
            thread_local: flags & 32 != 0,
            align: self.small()?,
            loc: self.loc()?,
            extra: 0,
            init: Vec::new(),
            alias: None,
        };
        if flags & 64 == 0 {
            var.extra = self.small()?;
            let mut offset = 0u64;
            for _ in 0..self.count()? {
                let step = self.small()?;
                let next = offset.checked_add(step);
                offset = next.ok_or_else(|| self.malformed("an offset is too large"))?;
                let (ty, value) = self.init(types)?;
                var.init.push(InitItem {
                    bit_offset: offset,
                    ty,
                    value,
                });
            }
            if self.byte()? != 0 {
                var.alias = Some(self.text()?);
            }
        }
        Ok(var)
    }

    fn init(&mut self, types: &Types) -> Read<(TypeId, InitValue)> {
        let ty = self.type_id(types)?;
        let value = match self.byte()? {
            0 => InitValue::Int(self.signed()?),
            1 => InitValue::Float(self.number()?),
            2 => InitValue::Bytes(self.bytes()?.to_vec()),
            3 => {
                let var = self.var()?;
                let offset = i64::try_from(self.signed()?);
                let offset = offset.map_err(|_| self.malformed("an offset is too large"))?;
                InitValue::Addr(var, offset)
            }
            4 => InitValue::Func(FuncId(self.small()?)),
            _ => return Err(self.malformed("a kind of initialiser is not known")),
        };
        Ok((ty, value))
    }

    /// A function, and whether its code comes later.
    fn function(&mut self, types: &Types) -> Read<(Function, bool)> {
        let name = self.text()?;
        let ty = self.type_id(types)?;
        let flags = self.byte()?;
        let loc = self.loc()?;
        let mut lists: [Vec<VarId>; 2] = [Vec::new(), Vec::new()];
        for list in &mut lists {
            self.near = 0;
            for _ in 0..self.count()? {
                let var = self.var()?;
                self.near = var.0;
                list.push(var);
            }
        }
        let [params, locals] = lists;
        let refused = match flags & 32 {
            0 => None,
            _ => Some(Refusal {
                reason: self.text()?,
                loc: self.loc()?,
            }),
        };
        let alias = match flags & 64 {
            0 => None,
            _ => Some(self.text()?),
        };
        let origin = self.choice(&Origin::ALL)?;
        let func = Function {
            name,
            ty,
            linkage: linkage(flags),
            definition: DEFINITIONS[usize::from(flags & 3)],
            params,
            locals,
            body: None,
            refused,
            noreturn: flags & 8 != 0,
            weak: flags & 128 != 0,
            alias,
            origin,
            loc,
        };
        Ok((func, flags & 16 != 0))
    }
}

fn linkage(flags: u8) -> Linkage {
    if flags & 4 != 0 {
        Linkage::Internal
    } else {
        Linkage::External
    }
}
