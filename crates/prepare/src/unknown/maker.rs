//! The body of a function that may do anything that it can.

use crate::given::{holds_pointer, places};
use crate::glue::define;
use crate::stubs::errno_location;
use crate::unknown::LARGE;
use crate::variable::assign_unknown;
use cwolf_cwi::graph::{Object, PointsTo};
use cwolf_cwi::typing::place_type;
use cwolf_cwi::{
    Base, BinOp, Block, BlockId, Branch, Callee, Definition, Expr, ExprKind, FuncId, Function,
    IntTy, LocId, MemoryTest, Origin, Place, Program, RESULT, RecordKind, Step, Stmt, StmtKind,
    Type, TypeId, Types, VarId, VarKind,
};
use rustc_hash::FxHashSet;

/// Makes the body of such a function, statement by statement and block by block.
pub(crate) struct Maker<'p> {
    pub(crate) program: &'p mut Program,
    func: FuncId,
    loc: LocId,
    blocks: Vec<Block>,
    locals: Vec<VarId>,
    given: &'p Given,
}

impl<'p> Maker<'p> {
    /// With one block, which is empty.
    pub(crate) fn new(program: &'p mut Program, func: FuncId, given: &'p Given) -> Maker<'p> {
        let loc = program.funcs[func].loc;
        let mut maker = Maker {
            program,
            func,
            loc,
            blocks: Vec::new(),
            locals: Vec::new(),
            given,
        };
        maker.block();
        maker
    }

    /// Gives the function what was made; it returns `value`, if it returns.
    pub(crate) fn finish(mut self, value: Option<Expr>) {
        let last = self.blocks.len() - 1;
        self.blocks[last].branch = match self.program.funcs[self.func].noreturn {
            true => Branch::Halt(Expr::int(Types::INT, 1)),
            false => Branch::Return(value),
        };
        define(self.program, self.func, self.locals, self.blocks);
    }
}

impl Maker<'_> {
    /// A new block, which goes on to the one after it.
    fn block(&mut self) -> BlockId {
        let id = BlockId(self.blocks.len() as u32);
        self.blocks.push(Block {
            stmts: Vec::new(),
            loc: self.loc,
            branch: Branch::Goto(BlockId(id.0 + 1)),
        });
        id
    }

    pub(crate) fn push(&mut self, kind: StmtKind) {
        let loc = self.loc;
        let block = self.blocks.last_mut().expect("there is a block");
        block.stmts.push(Stmt { loc, kind });
    }

    pub(crate) fn local(&mut self, name: &str, ty: TypeId) -> Place {
        let kind = VarKind::Local(self.func);
        let var = self.program.add_variable(name, ty, kind, self.loc);
        self.locals.push(var);
        Place::var(ty, var)
    }

    fn choose(&mut self, name: &str, ty: TypeId) -> Expr {
        let place = self.local(name, ty);
        self.push(assign_unknown(place.clone(), self.loc).kind);
        Expr::load(place)
    }

    pub(crate) fn void(&mut self) -> TypeId {
        self.program.types.pointer(Types::VOID)
    }

    fn word(&mut self, signed: bool) -> TypeId {
        let word = self.program.target().word(signed);
        self.program.types.intern(Type::Int(word))
    }

    /// The address of a place, as a `void *`.
    fn address(&mut self, place: Place) -> Expr {
        let ty = self.program.types.pointer(place.ty);
        let kind = ExprKind::AddrOf(place);
        let void = self.void();
        Expr::cast(void, Expr { ty, kind })
    }

    /// A variable that code outside knows may change. Constants do not, but lead to what may. One that
    /// nothing defines has no place in a run.
    pub(crate) fn write(&mut self, var: VarId) {
        let known = &self.program.vars[var];
        let (ty, constant) = (known.ty, known.constant);
        let elsewhere = known.definition == Definition::Declared;
        let place = Place::var(ty, var);
        let points = holds_pointer(self.program, ty);
        let large = self.program.types.size_of(ty) > LARGE;
        if points || ((large || elsewhere) && !constant) {
            self.forget(place);
        } else if !constant {
            self.push(assign_unknown(place, self.loc).kind);
        }
    }

    /// Code outside may set `errno`, which the program looks at. The address is asked for, since in a run the library's own
    /// function gives it.
    pub(crate) fn set_errno(&mut self) {
        let Some(location) = errno_location(self.program) else {
            return;
        };
        let ret = self.program.types.pointer(Types::INT);
        let last = self.blocks.len() - 1;
        let next = self.block();
        self.blocks[last].branch = Branch::Call {
            callee: Callee::Direct(location),
            args: Vec::new(),
            ret,
            next: Some(next),
        };
        let place = Place {
            ty: Types::INT,
            base: Base::Deref(Box::new(Expr::reg(ret, RESULT))),
            path: Vec::new(),
        };
        self.push(assign_unknown(place, self.loc).kind);
    }

    /// What lies in a place, and all that it leads to, may be anything from now on.
    pub(crate) fn forget(&mut self, place: Place) {
        let (ptr, size) = (self.address(place), None);
        self.push(StmtKind::Havoc { ptr, size });
    }

    /// The result, which is any value so far, may also be a pointer to what the function knows. A pointer to a
    /// function is null, or leads to one: `name` says whose.
    pub(crate) fn result(&mut self, result: &Place, args: &[Expr], visible: &[VarId], name: &str) {
        if !holds_pointer(self.program, result.ty) {
            return;
        }
        let to = self.program.types.pointee(result.ty);
        if let Some(to) = to
            && matches!(self.program.types[to], Type::Func(_))
        {
            return self.function(result, to, name);
        }
        let mut starts: Vec<Expr> = Vec::new();
        if let Some(to) = to {
            let data = |e: &&Expr| self.program.types.pointee(e.ty).is_some();
            starts.extend(args.iter().filter(data).cloned());
            for var in visible {
                let ty = self.program.vars[*var].ty;
                if let Some(place) = fitting(self.program, Place::var(ty, *var), to) {
                    let start = self.address(place);
                    starts.push(start);
                }
            }
        }
        self.one_of(starts.len() + 1, |maker, n| match starts.get(n) {
            Some(start) => maker.into(result, start.clone()),
            None => maker.known(result),
        });
    }

    /// The pointers to functions in a variable that was forgotten lead nowhere, or to functions.
    pub(crate) fn functions_in(&mut self, var: VarId) {
        let known = &self.program.vars[var];
        // Constants stay as they are, and what nothing defines has no place in a run.
        if !known.constant && known.definition != Definition::Declared {
            let (name, place) = (known.name.clone(), Place::var(known.ty, var));
            self.functions(&place, &name);
        }
    }

    fn functions(&mut self, place: &Place, name: &str) {
        for (part, to) in function_parts(self.program, place) {
            self.function(&part, to, name);
        }
    }

    /// The same where an argument leads, if it leads to such an object that may change.
    pub(crate) fn functions_behind(&mut self, pointer: &Expr, name: &str) {
        let Some(place) = behind(self.program, pointer) else {
            return;
        };
        if function_parts(self.program, &place).is_empty() {
            return;
        }
        let size = self.program.types.size_of(place.ty);
        let void = self.void();
        let mutable = Expr::memory(MemoryTest::Mutable, vec![Expr::cast(void, pointer.clone())]);
        let usable = self.usable(pointer.clone(), size);
        let test = self.last();
        let way = self.block();
        self.functions(&place, name);
        let next = self.block();
        self.blocks[test.0 as usize].branch = Branch::If {
            cond: Expr::binary(BinOp::And, usable, mutable),
            then: way,
            els: next,
        };
    }

    /// `result` is null, or leads to a function of its type: of other files, or one of the program that they can learn of.
    fn function(&mut self, result: &Place, to: TypeId, name: &str) {
        if !self.given.called.contains(&to) || is_in_union(self.program, result) {
            return;
        }
        let mut functions = vec![function_outside(self.program, name, to, self.loc)];
        functions.extend(functions_of(self.program, self.given, to));
        let ty = result.ty;
        self.push(StmtKind::Assign(result.clone(), Expr::int(ty, 0)));
        self.one_of(functions.len(), |maker, n| {
            let kind = ExprKind::FuncAddr(functions[n]);
            let ty = maker.program.types.pointer(to);
            let address = Expr::cast(result.ty, Expr { ty, kind });
            maker.push(StmtKind::Assign(result.clone(), address));
        });
    }

    /// Goes one of some ways, or none of them.
    fn one_of(&mut self, count: usize, mut way_of: impl FnMut(&mut Self, usize)) {
        let bits = if count < 200 { 8 } else { 32 };
        let number = self
            .program
            .types
            .intern(Type::Int(IntTy::new(bits, false)));
        let which = self.choose("which", number);
        let all = Expr::int(number, count as i128 + 1);
        let which = Expr::binary(BinOp::Rem, which, all);
        let mut ends = Vec::new();
        for n in 0..count {
            let test = self.last();
            let way = self.block();
            way_of(self, n);
            ends.push(self.last());
            let next = self.block();
            self.blocks[test.0 as usize].branch = Branch::If {
                cond: Expr::binary(BinOp::Eq, which.clone(), Expr::int(number, n as i128 + 1)),
                then: way,
                els: next,
            };
        }
        let end = self.last();
        for block in ends {
            self.blocks[block.0 as usize].branch = Branch::Goto(end);
        }
    }

    fn last(&self) -> BlockId {
        BlockId(self.blocks.len() as u32 - 1)
    }

    /// `result` points somewhere into the object that `start` leads to, or is `start`.
    fn into(&mut self, result: &Place, start: Expr) {
        let (step, size) = self.extent(result.ty);
        let word = self.word(true);
        let index = self.choose("offset", word);
        let moved = Expr {
            ty: result.ty,
            kind: ExprKind::PtrAdd {
                ptr: Box::new(Expr::cast(result.ty, start)),
                index: Box::new(index.clone()),
                scale: step,
            },
        };
        self.push(StmtKind::Assign(result.clone(), moved));
        let same = Expr::binary(BinOp::Eq, index, Expr::int(word, 0));
        let usable = self.usable(Expr::load(result.clone()), size);
        self.push(StmtKind::Assume(Expr::binary(BinOp::Or, same, usable)));
    }

    /// `result` is, or holds, pointers to anything that code outside knows.
    fn known(&mut self, result: &Place) {
        // Code outside knows this variable as well, so it must not end.
        let kind = VarKind::StaticLocal(self.func);
        let kept = self.program.add_variable("kept", result.ty, kind, self.loc);
        let kept = Place::var(result.ty, kept);
        let value = Expr::load(result.clone());
        self.push(StmtKind::Assign(kept.clone(), value));
        let (ptr, size) = (self.address(kept.clone()), None);
        self.push(StmtKind::Havoc { ptr, size });
        let kept = Expr::load(kept);
        if self.program.types.is_scalar(result.ty) {
            let (_, size) = self.extent(result.ty);
            let null = Expr::unary(cwolf_cwi::UnOp::Not, kept.clone());
            let usable = self.usable(kept.clone(), size);
            self.push(StmtKind::Assume(Expr::binary(BinOp::Or, null, usable)));
        }
        self.push(StmtKind::Assign(result.clone(), kept));
    }

    /// How far apart things of the type that a pointer points to lie at least, and their size.
    fn extent(&self, pointer: TypeId) -> (u64, u64) {
        let types = &self.program.types;
        match types.pointee(pointer) {
            Some(to) if !matches!(types[to], Type::Func(_) | Type::Void) => {
                (types.align_of(to).max(1), types.size_of(to))
            }
            // Whoever gets a `void *` uses it as a pointer to something.
            Some(to) if matches!(types[to], Type::Void) => (1, 1),
            _ => (1, 0),
        }
    }

    /// Whether a pointer leads to so many bytes.
    fn usable(&mut self, ptr: Expr, size: u64) -> Expr {
        let (void, word) = (self.void(), self.word(false));
        let ptr = Expr::cast(void, ptr);
        let live = Expr::memory(MemoryTest::Live, vec![ptr.clone()]);
        let size = Expr::int(word, size.into());
        let inside = Expr::memory(MemoryTest::Inside, vec![ptr, size]);
        Expr::binary(BinOp::And, live, inside)
    }
}

/// What a pointer leads to.
fn behind(program: &Program, pointer: &Expr) -> Option<Place> {
    let ty = program.types.pointee(pointer.ty)?;
    Some(Place {
        ty,
        base: Base::Deref(Box::new(pointer.clone())),
        path: Vec::new(),
    })
}

/// The pointers to functions in a place that is not large, and the types of these functions.
pub(crate) fn function_parts(program: &mut Program, place: &Place) -> Vec<(Place, TypeId)> {
    if program.types.size_of(place.ty) > LARGE {
        return Vec::new();
    }
    let parts = places(program, place);
    let function = |part: Place| {
        let to = program.types.pointee(part.ty)?;
        matches!(program.types[to], Type::Func(_)).then_some((part, to))
    };
    parts.into_iter().filter_map(function).collect()
}

/// Whether what lies in a place may be something else as well.
fn is_in_union(program: &Program, place: &Place) -> bool {
    let union = |path: &[Step]| {
        let record =
            place_type(program, &place.base, path).map(|(ty, _)| program.types.as_record(ty));
        matches!(record, Ok(Some(record)) if program.types.records[record].kind == RecordKind::Union)
    };
    (0..place.path.len()).any(|n| union(&place.path[..n]))
}

/// The types of the functions that lie where a pointer leads.
pub(crate) fn function_types_behind(program: &mut Program, pointer: TypeId) -> Vec<TypeId> {
    let pointer = Expr::int(pointer, 0);
    let Some(place) = behind(program, &pointer) else {
        return Vec::new();
    };
    let parts = function_parts(program, &place);
    parts.into_iter().map(|(_, to)| to).collect()
}

/// A function of other files, of this type; `name` says who knows it.
pub(crate) fn function_outside(
    program: &mut Program,
    name: &str,
    ty: TypeId,
    loc: LocId,
) -> FuncId {
    let name = format!("callback_{name}_{}", ty.0);
    program.function(&name).unwrap_or_else(|| {
        let function = Function::declared(name, ty, loc);
        program.funcs.push(function)
    })
}

/// The functions of the program of this type that other files may have been given. What the library has is not among
/// them.
pub(crate) fn functions_of(program: &Program, given: &Given, ty: TypeId) -> Vec<FuncId> {
    let own = |id: &FuncId| {
        let function = &program.funcs[*id];
        let own = function.body.is_some() || cwolf_known::lookup(&function.name).is_none();
        own && function.ty == ty && function.origin == Origin::Program
    };
    given.functions.iter().copied().filter(own).collect()
}

/// What there is to know about pointers to functions that come from outside.
#[derive(Debug, Default)]
pub(crate) struct Given {
    /// The functions of the program that code outside may know.
    functions: Vec<FuncId>,
    /// The types of functions that the program calls through pointers. Where other pointers lead does not matter.
    pub(crate) called: FxHashSet<TypeId>,
}

impl Given {
    pub(crate) fn of(program: &Program) -> Given {
        let escaped = PointsTo::new(program).escaped().into_iter();
        let function = |object| match object {
            Object::Func(func) => Some(func),
            _ => None,
        };
        let bodies = program.funcs.iter().filter_map(|f| f.body.as_ref());
        let branches = bodies.flat_map(|body| body.blocks.iter().map(|block| &block.branch));
        let called = branches.filter_map(|branch| match branch {
            Branch::Call {
                callee: Callee::Indirect(pointer),
                ..
            } => program.types.pointee(pointer.ty),
            _ => None,
        });
        Given {
            functions: escaped.filter_map(function).collect(),
            called: called.collect(),
        }
    }
}

/// The first part of a place that a pointer to `to` may point to: C's rules about types say that
/// others are not accessed through it.
pub(crate) fn fitting(program: &Program, place: Place, to: TypeId) -> Option<Place> {
    let types = &program.types;
    let byte = matches!(types[to], Type::Void) || (types.is_scalar(to) && types.size_of(to) == 1);
    if byte || place.ty == to || same_kind(types, place.ty, to) {
        return Some(place);
    }
    let part = |ty: TypeId, step: Step| {
        let mut path = place.path.clone();
        path.push(step);
        let base = place.base.clone();
        fitting(program, Place { ty, base, path }, to)
    };
    match &types[place.ty] {
        Type::Array { elem, .. } => part(*elem, Step::Index(Expr::int(Types::INT, 0))),
        Type::Record(record) => {
            let fields = types.records[*record].fields.iter().enumerate();
            let mut plain = fields.filter(|(_, f)| !f.bit_field);
            plain.find_map(|(n, f)| part(f.ty, Step::Field(n as u32)))
        }
        _ => None,
    }
}

/// Integers of one size may be accessed as each other, whatever their sign; pointers are alike.
fn same_kind(types: &Types, a: TypeId, b: TypeId) -> bool {
    match (&types[a], &types[b]) {
        (Type::Int(a), Type::Int(b)) => a.bits == b.bits,
        (Type::Pointer(_), Type::Pointer(_)) => true,
        _ => false,
    }
}
