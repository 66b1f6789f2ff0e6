//! What a function may do that nobody knows: it has no body, and the table has no row for it.
//!
//! It knows the variables with external linkage, what it is given, what it was given before, and all
//! that can be reached from there. It may change all of that, and return any of it, or a pointer to
//! memory of its own. That it calls functions of the program is what [`calls_back`] is about.

use crate::given::{holds_pointer, pointers};
use crate::subject::Extern;
use crate::variable::{assign_unknown, variable};
use cwolf_cwi::graph::{Object, PointsTo};
use cwolf_cwi::{
    BinOp, Block, BlockId, Body, Branch, Definition, Expr, ExprKind, FuncId, InitValue, IntTy,
    Linkage, LocId, MemoryTest, Origin, Place, Program, Step, Stmt, StmtKind, Type, TypeId, Types,
    VarId, VarKind,
};
use rustc_hash::FxHashSet;

/// Larger variables are not chosen scalar by scalar: what they hold is settled where it is read.
const LARGE: u64 = 256;

/// Variables that code outside knows by name, as far as the program's own code has to do with them.
/// Those of the C library are its own.
pub(crate) fn visible(program: &Program) -> Vec<VarId> {
    let mut mentioned = FxHashSet::default();
    let mut look = |place: &Place| mentioned.extend(place.root());
    for function in program.funcs.iter() {
        let own = function.origin == Origin::Program;
        for block in function
            .body
            .iter()
            .filter(|_| own)
            .flat_map(|b| b.blocks.iter())
        {
            for stmt in &block.stmts {
                if let StmtKind::Assign(place, _) = &stmt.kind {
                    look(place);
                }
            }
            block.for_each_expr(&mut |e| {
                e.walk(&mut |e| {
                    if let ExprKind::Load { place, .. } | ExprKind::AddrOf(place) = &e.kind {
                        look(place);
                    }
                });
            });
        }
    }
    for item in program.vars.iter().flat_map(|var| &var.init) {
        if let InitValue::Addr(var, _) = item.value {
            mentioned.insert(var);
        }
    }
    // A pointer that only code outside reads leads to what the program reads.
    let leads = |id: &VarId| holds_pointer(program, program.vars[*id].ty);
    let mut vars = known_by_name(program);
    vars.retain(|id| leads(id) || mentioned.contains(id));
    vars
}

/// All variables that code outside knows by name.
pub(crate) fn known_by_name(program: &Program) -> Vec<VarId> {
    let known = |id: &VarId| {
        let var = &program.vars[*id];
        let library = var.definition == Definition::Declared && cwolf_interp::provides(&var.name);
        let named = var.kind == VarKind::Global && var.linkage == Linkage::External;
        let sized = program.types.size_of(var.ty) > 0;
        named && sized && !library
    };
    program.vars.ids().filter(known).collect()
}

/// The body of a function that does anything it may.
pub(crate) fn stub(program: &mut Program, func: FuncId, externs: Extern, visible: &[VarId]) {
    let Type::Func(ty) = program.types[program.funcs[func].ty].clone() else {
        return;
    };
    let loc = program.funcs[func].loc;
    let param = |(n, ty): (usize, &TypeId), program: &mut Program| {
        let kind = VarKind::Param(func);
        variable(program, format!("argument{}", n + 1), *ty, kind, loc)
    };
    let params = ty.params.iter().enumerate();
    let params: Vec<VarId> = params.map(|p| param(p, program)).collect();
    let args: Vec<Expr> = params
        .iter()
        .map(|v| Expr::load(Place::var(program.vars[*v].ty, *v)))
        .collect();
    let mut maker = Maker {
        program,
        func,
        loc,
        blocks: Vec::new(),
        locals: Vec::new(),
    };
    maker.block();
    if externs == Extern::Havoc {
        visible.iter().for_each(|var| maker.write(*var));
    }
    if matches!(externs, Extern::Havoc | Extern::Arguments) {
        for arg in &args {
            for ptr in pointers(maker.program, arg) {
                maker.push(StmtKind::Havoc { ptr, size: None });
            }
        }
    }
    if externs == Extern::Havoc {
        let null = Expr::int(maker.void(), 0);
        let (ptr, size) = (null, None);
        maker.push(StmtKind::Havoc { ptr, size });
    }
    let mut value = None;
    if !matches!(maker.program.types[ty.ret], Type::Void) {
        let result = maker.local("result", ty.ret);
        maker.push(assign_unknown(result.clone(), loc).kind);
        if externs == Extern::Havoc {
            maker.result(&result, &args, visible);
        }
        value = Some(Expr::load(result));
    }
    let last = maker.blocks.len() - 1;
    maker.blocks[last].branch = match maker.program.funcs[func].noreturn {
        true => Branch::Halt(Expr::int(Types::INT, 1)),
        false => Branch::Return(value),
    };
    let (blocks, locals) = (maker.blocks, maker.locals);
    let mut body = Body::default();
    body.regs.push(Types::VOID);
    for block in blocks {
        body.blocks.push(block);
    }
    let function = &mut program.funcs[func];
    function.params = params;
    function.locals = locals;
    function.body = Some(body);
    function.definition = Definition::Defined;
    function.origin = Origin::Stub;
}

struct Maker<'p> {
    program: &'p mut Program,
    func: FuncId,
    loc: LocId,
    blocks: Vec<Block>,
    locals: Vec<VarId>,
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

    fn push(&mut self, kind: StmtKind) {
        let loc = self.loc;
        let block = self.blocks.last_mut().expect("there is a block");
        block.stmts.push(Stmt { loc, kind });
    }

    fn local(&mut self, name: &str, ty: TypeId) -> Place {
        let kind = VarKind::Local(self.func);
        let var = variable(self.program, name.into(), ty, kind, self.loc);
        self.locals.push(var);
        Place::var(ty, var)
    }

    fn choose(&mut self, name: &str, ty: TypeId) -> Expr {
        let place = self.local(name, ty);
        self.push(assign_unknown(place.clone(), self.loc).kind);
        Expr::load(place)
    }

    fn void(&mut self) -> TypeId {
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
    fn write(&mut self, var: VarId) {
        let known = &self.program.vars[var];
        let (ty, constant) = (known.ty, known.constant);
        let elsewhere = known.definition == Definition::Declared;
        let place = Place::var(ty, var);
        let points = holds_pointer(self.program, ty);
        let large = self.program.types.size_of(ty) > LARGE;
        if points || ((large || elsewhere) && !constant) {
            let (ptr, size) = (self.address(place), None);
            self.push(StmtKind::Havoc { ptr, size });
        } else if !constant {
            self.push(assign_unknown(place, self.loc).kind);
        }
    }

    /// The result, which is any value so far, may also be a pointer to what the function knows.
    fn result(&mut self, result: &Place, args: &[Expr], visible: &[VarId]) {
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
        let kept = variable(self.program, "kept".into(), result.ty, kind, self.loc);
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
fn fitting(program: &Program, place: Place, to: TypeId) -> Option<Place> {
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

/// Functions of the program that code outside may call, since it knows their address, and the first of
/// the unknown functions that may get to know each.
pub(crate) fn calls_back(program: &Program, unknown: &[FuncId]) -> Vec<(FuncId, FuncId)> {
    let points_to = PointsTo::new(program);
    let own = |f: FuncId| {
        let function = &program.funcs[f];
        function.body.is_some() && function.origin == Origin::Program
    };
    let mut found: Vec<(FuncId, FuncId)> = Vec::new();
    for func in unknown {
        let Some(body) = &program.funcs[*func].body else {
            continue;
        };
        for (id, block) in body.blocks.enumerate() {
            for stmt in &block.stmts {
                let StmtKind::Havoc { ptr, size: None } = &stmt.kind else {
                    continue;
                };
                for object in points_to.changed_outside(*func, id, ptr) {
                    if let Object::Func(f) = object
                        && own(f)
                        && found.iter().all(|(_, back)| *back != f)
                    {
                        found.push((*func, f));
                    }
                }
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use cwolf_cfront::{Options, compile_text};

    fn compiled(text: &str) -> Program {
        let compiled = compile_text("t.c", text.as_bytes(), &Options::default());
        compiled.program.expect("it compiles")
    }

    fn names(program: &Program, vars: &[VarId]) -> Vec<String> {
        let name = |v: &VarId| program.vars[*v].name.clone();
        vars.iter().map(name).collect()
    }

    #[test]
    fn other_files_know_variables_with_external_linkage() {
        let program = compiled(
            "int a, unused; static int b; extern int c; const int d = 1; int *e = &a;
            int main(void) { static int f; int g = a + b + c + d + f; return g + *e; }",
        );
        let mut found = names(&program, &visible(&program));
        found.sort_unstable();
        assert_eq!(found, ["a", "c", "d", "e"]);
    }

    #[test]
    fn a_pointer_fits_parts_of_its_type() {
        let mut program = compiled(
            "struct s { char c[3]; struct { short h; unsigned u; } in[2]; float f; } s;
            int main(void) { return s.c[0]; }",
        );
        let var = visible(&program)[0];
        let double = Type::Float(cwolf_cwi::FloatTy::F64);
        let double = program.types.intern(double);
        let fits = |to: TypeId| fitting(&program, Place::var(program.vars[var].ty, var), to);
        assert_eq!(fits(Types::INT).expect("the unsigned").path.len(), 3);
        assert!(fits(Types::CHAR).expect("bytes fit all").path.is_empty());
        assert!(fits(double).is_none());
    }

    #[test]
    fn functions_are_given_in_structures_and_variables() {
        let text = "struct h { int k; void (*run)(void); }; static void a(void) {} static void b(void) {}
            static void c(void) {} void (*table[1])(void) = {b}; void give(struct h *); void poke(void);
            int main(void) { struct h h = {1, a}; void (*mine)(void) = c; mine(); give(&h); poke(); return table[0] == 0; }";
        let mut program = compiled(text);
        let visible = visible(&program);
        let unknown: Vec<FuncId> = ["give", "poke"]
            .iter()
            .filter_map(|name| program.function(name))
            .collect();
        for func in &unknown {
            stub(&mut program, *func, Extern::Havoc, &visible);
        }
        let mut backs: Vec<&str> = calls_back(&program, &unknown)
            .iter()
            .map(|(_, back)| program.funcs[*back].name.as_str())
            .collect();
        backs.sort_unstable();
        assert_eq!(backs, ["a", "b"]);
    }
}
