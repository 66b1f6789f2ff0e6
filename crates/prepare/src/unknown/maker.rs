//! The body of a function that may do anything that it can.

use crate::given::holds_pointer;
use crate::glue::define;
use crate::unknown::LARGE;
use crate::variable::assign_unknown;
use cwolf_cwi::{
    BinOp, Block, BlockId, Branch, Definition, Expr, ExprKind, FuncId, IntTy, LocId, MemoryTest,
    Place, Program, Step, Stmt, StmtKind, Type, TypeId, Types, VarId, VarKind,
};

/// Makes the body of such a function, statement by statement and block by block.
pub(crate) struct Maker<'p> {
    pub(crate) program: &'p mut Program,
    func: FuncId,
    loc: LocId,
    blocks: Vec<Block>,
    locals: Vec<VarId>,
}

impl<'p> Maker<'p> {
    /// With one block, which is empty.
    pub(crate) fn new(program: &'p mut Program, func: FuncId) -> Maker<'p> {
        let loc = program.funcs[func].loc;
        let mut maker = Maker {
            program,
            func,
            loc,
            blocks: Vec::new(),
            locals: Vec::new(),
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

    /// What lies in a place, and all that it leads to, may be anything from now on.
    pub(crate) fn forget(&mut self, place: Place) {
        let (ptr, size) = (self.address(place), None);
        self.push(StmtKind::Havoc { ptr, size });
    }

    /// The result, which is any value so far, may also be a pointer to what the function knows.
    pub(crate) fn result(&mut self, result: &Place, args: &[Expr], visible: &[VarId]) {
        if !holds_pointer(self.program, result.ty) {
            return;
        }
        let to = self.program.types.pointee(result.ty);
        let to = to.filter(|to| !matches!(self.program.types[*to], Type::Func(_)));
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
        let bits = if starts.len() < 200 { 8 } else { 32 };
        let number = self
            .program
            .types
            .intern(Type::Int(IntTy::new(bits, false)));
        let which = self.choose("which", number);
        let count = Expr::int(number, starts.len() as i128 + 2);
        let which = Expr::binary(BinOp::Rem, which, count);
        let mut ends = Vec::new();
        for n in 0..=starts.len() {
            let test = self.last();
            let way = self.block();
            match starts.get(n) {
                Some(start) => self.into(result, start.clone()),
                None => self.known(result),
            }
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
