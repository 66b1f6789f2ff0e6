//! A small builder of CWI programs.

use crate::{ErrorKind, List, Machine, Options, Outcome};
use cwolf_cwi::*;
use std::cell::RefCell;
use std::rc::Rc;

pub const INT: TypeId = Types::INT;

/// A program under construction.
pub struct Build {
    pub program: Program,
    loc: LocId,
}

/// A function under construction; block `n` is made by the `n`th call of [`Func::block`].
pub struct Func {
    pub id: FuncId,
    pub body: Body,
    pub line: u32,
}

impl Build {
    pub fn new(target: Target) -> Build {
        let mut program = Program::new(target);
        let file = program.locations.file("test.c");
        let loc = program.locations.intern(Loc {
            file,
            line: 1,
            column: 1,
        });
        Build { program, loc }
    }
    pub fn line(&mut self, line: u32) -> LocId {
        let file = self.program.locations.file("test.c");
        self.program.locations.intern(Loc {
            file,
            line,
            column: 1,
        })
    }
    pub fn var(&mut self, name: &str, ty: TypeId, kind: VarKind) -> VarId {
        let id = self.program.add_variable(name, ty, kind, self.loc);
        match kind {
            VarKind::Param(f) => self.program.funcs[f].params.push(id),
            VarKind::Local(f) | VarKind::Temp(f) => self.program.funcs[f].locals.push(id),
            _ => {}
        }
        id
    }
    pub fn global(&mut self, name: &str, ty: TypeId) -> VarId {
        self.var(name, ty, VarKind::Global)
    }
    /// A string literal; gives the address of its first character.
    pub fn text(&mut self, text: &str) -> Expr {
        let mut bytes = text.as_bytes().to_vec();
        bytes.push(0);
        let ty = self.program.types.array(Types::CHAR, bytes.len() as u64);
        let var = self.var("literal", ty, VarKind::Literal);
        self.program.vars[var].init.push(InitItem {
            bit_offset: 0,
            ty,
            value: InitValue::Bytes(bytes),
        });
        self.first(var, Types::CHAR)
    }
    /// The address of an array's first element.
    pub fn first(&mut self, var: VarId, elem: TypeId) -> Expr {
        let pointer = self.program.types.pointer(elem);
        let word = self.word();
        Expr {
            ty: pointer,
            kind: ExprKind::AddrOf(Place {
                ty: elem,
                base: Base::Var(var),
                path: vec![Step::Index(Expr::int(word, 0))],
            }),
        }
    }
    pub fn word(&mut self) -> TypeId {
        let bits = self.program.target().pointer_bits();
        self.program.types.int(bits, true)
    }
    pub fn address(&mut self, var: VarId) -> Expr {
        let ty = self.program.vars[var].ty;
        let pointer = self.program.types.pointer(ty);
        Expr {
            ty: pointer,
            kind: ExprKind::AddrOf(Place::var(ty, var)),
        }
    }
    pub fn load(&self, var: VarId) -> Expr {
        Expr::load(Place::var(self.program.vars[var].ty, var))
    }
    pub fn place(&self, var: VarId) -> Place {
        Place::var(self.program.vars[var].ty, var)
    }
    /// What a pointer variable points to.
    pub fn deref(&self, pointer: Expr) -> Place {
        let ty = self.program.types.pointee(pointer.ty).expect("a pointer");
        Place::deref(ty, pointer)
    }
    /// A function without a body.
    pub fn declare(
        &mut self,
        name: &str,
        ret: TypeId,
        params: &[TypeId],
        variadic: bool,
    ) -> FuncId {
        let ty = self.program.types.intern(Type::Func(FuncTy {
            ret,
            params: params.to_vec(),
            variadic,
        }));
        let function = Function::declared(name, ty, self.loc);
        self.program.funcs.push(function)
    }
    pub fn function(&mut self, name: &str, ret: TypeId, params: &[TypeId], variadic: bool) -> Func {
        let id = self.declare(name, ret, params, variadic);
        self.program.funcs[id].definition = Definition::Defined;
        let body = Body::new(Vec::new());
        Func { id, body, line: 1 }
    }
    pub fn main(&mut self) -> Func {
        self.function("main", INT, &[], false)
    }
    /// Adds a block of statements and its branch; each is on a line of its own.
    pub fn block(&mut self, f: &mut Func, stmts: Vec<StmtKind>, branch: Branch) -> BlockId {
        let stmts = stmts
            .into_iter()
            .map(|kind| {
                f.line += 1;
                Stmt {
                    loc: self.line(f.line),
                    kind,
                }
            })
            .collect();
        f.line += 1;
        let loc = self.line(f.line);
        f.body.blocks.push(Block { stmts, loc, branch })
    }
    pub fn finish(&mut self, f: Func) -> FuncId {
        self.program.funcs[f.id].body = Some(f.body);
        f.id
    }
    /// `main` as one list of statements that ends in a return.
    pub fn simple_main(&mut self, stmts: Vec<StmtKind>, result: Expr) {
        let mut main = self.main();
        self.block(&mut main, stmts, Branch::Return(Some(result)));
        self.finish(main);
    }
}

pub fn int(value: i128) -> Expr {
    Expr::int(INT, value)
}

pub fn call(callee: FuncId, args: Vec<Expr>, ret: TypeId, next: u32) -> Branch {
    Branch::Call {
        callee: Callee::Direct(callee),
        args,
        ret,
        next: Some(BlockId(next)),
    }
}

/// A writer that the test can look into afterwards.
#[derive(Clone, Default)]
pub struct Shared(pub Rc<RefCell<Vec<u8>>>);

impl std::io::Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.borrow_mut().extend_from_slice(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Shared {
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.0.borrow()).into_owned()
    }
}

/// Runs `main` with the given open values and input; gives the outcome and the output.
pub fn run_with(program: &Program, values: &[i128], input: &str) -> (Outcome, String) {
    let out = Shared::default();
    let options = Options {
        oracle: Box::new(List::new(values.iter().copied())),
        stdin: Box::new(std::io::Cursor::new(input.as_bytes().to_vec())),
        stdout: Box::new(out.clone()),
        budget: cwolf_base::Budget::unlimited().max_steps(10_000_000),
        max_frames: 10_000,
        ..Options::default()
    };
    let outcome = Machine::new(program, options).run("main");
    (outcome, out.text())
}

pub fn run(program: &Program) -> Outcome {
    run_with(program, &[], "").0
}

/// Checks that the program ends with this status.
#[track_caller]
pub fn exits(program: &Program, status: i32) {
    match run(program) {
        Outcome::Exit(found) => assert_eq!(found, status),
        Outcome::Error(error) => panic!("{}", error.render(program)),
        other => panic!("{other:?}"),
    }
}

/// Checks that the program ends with this error.
#[track_caller]
pub fn fails(program: &Program, kind: ErrorKind, words: &str) {
    match run(program) {
        Outcome::Error(error) => {
            let text = error.render(program);
            assert_eq!(error.kind, kind, "{text}");
            assert!(text.contains(words), "{text}");
        }
        other => panic!("{other:?} instead of {kind:?}"),
    }
}
