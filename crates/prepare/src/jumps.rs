//! `setjmp` and `longjmp` as plain code, so that no engine has to know them.
//!
//! Each call of a function that calls `setjmp` takes numbers that no other call has, one for each
//! `setjmp` in it. `setjmp` writes its number into the buffer and gives zero. `longjmp` takes the
//! number out of the buffer and leaves its function; whoever called that function sees that a
//! jump is under way, and goes on after its own `setjmp` if it has the number, else leaves too.
//! Locals end with the calls that are left. A jump that nobody catches went to a call that has
//! returned: where the program starts, its check fails. A buffer that was never set fails it at once.

mod changed;
mod reach;
mod rewrite;

use crate::glue::{define, not_followed, plain_function};
use cwolf_cwi::{
    BinOp, Block, BlockId, Body, Branch, Callee, Case, Check, CheckId, CheckKind, Definition, Expr,
    ExprKind, FuncId, InitItem, InitValue, LocId, Origin, Place, Program, RESULT, Refusal, Step,
    Stmt, StmtKind, Type, TypeId, Types, UnOp, VarId, VarKind,
};
use reach::Reach;
use rustc_hash::FxHashMap;

/// What is said of a jump that goes to no call under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lost {
    /// It fails.
    Fails,
    /// It is not checked, and nobody knows where the run goes on.
    Unknown,
    /// It is not checked, and such runs are not looked at.
    Ends,
}

/// What came of following the jumps.
#[derive(Clone, Debug)]
pub struct Followed {
    /// Where the program starts now.
    pub entry: FuncId,
    /// What the program may do and the new one does not, in plain words.
    pub uncovered: Vec<String>,
}

/// The text of the check of a `longjmp`.
const TEXT: &str = "the function that called setjmp with this buffer has not returned";

/// Makes `setjmp` and `longjmp` plain code. The program starts at `entry`, which has no parameters.
pub fn follow_jumps(program: &mut Program, entry: FuncId, lost: Lost) -> Followed {
    refuse_other_stacks(program);
    if !reach::has_jumps(program) {
        return Followed {
            entry,
            uncovered: Vec::new(),
        };
    }
    let mut entry = entry;
    let mut reach = Reach::new(program);
    if reach.is_called(entry) {
        entry = wrapper(program, entry);
        reach = Reach::new(program);
    }
    let mut uncovered = reach.uncovered(program, entry);
    uncovered.extend(changed::indeterminate(program, &reach, entry));
    let (first, numbers) = reach.numbers(program, entry);
    let words = Words::new(program, first);
    let mut pass = Pass {
        program,
        reach: &reach,
        words,
        numbers,
        entry,
        lost,
        launches: Vec::new(),
    };
    pass.run();
    Followed { entry, uncovered }
}

/// The variables by which functions tell each other of a jump.
struct Words {
    /// The type of numbers in buffers: so wide that they never run out.
    wide: TypeId,
    /// The next number that no `setjmp` has.
    next: VarId,
    /// The number of the `longjmp` that is under way; zero if none is.
    jumping: VarId,
    /// The number in its buffer.
    target: VarId,
    /// What `setjmp` returns.
    value: VarId,
}

impl Words {
    fn new(program: &mut Program, first: i128) -> Words {
        let wide = program.types.int(64, false);
        let loc = program.funcs.iter().next().map_or(LocId(0), |f| f.loc);
        let mut global = |name: &str, ty| program.add_variable(name, ty, VarKind::Global, loc);
        let words = Words {
            wide,
            next: global("setjmp$next", wide),
            jumping: global("longjmp$under_way", Types::INT),
            target: global("longjmp$target", wide),
            value: global("longjmp$value", Types::INT),
        };
        program.vars[words.next].init = vec![InitItem {
            bit_offset: 0,
            ty: wide,
            value: InitValue::Int(first),
        }];
        words
    }
}

/// The pass over the whole program.
struct Pass<'p, 'r> {
    program: &'p mut Program,
    reach: &'r Reach,
    words: Words,
    /// The numbers of functions that are called once only; those of others are taken at run time.
    numbers: FxHashMap<FuncId, i128>,
    entry: FuncId,
    lost: Lost,
    /// The calls of `longjmp`, by number less one: their places, and their checks if they have any.
    launches: Vec<(LocId, Option<CheckId>)>,
}

impl Pass<'_, '_> {
    fn run(&mut self) {
        let mut root = None;
        let all: Vec<FuncId> = self.program.funcs.ids().collect();
        for func in all {
            let Some(body) = self.program.funcs[func].body.take() else {
                continue;
            };
            let (body, left) = rewrite::function(self, func, body);
            self.program.funcs[func].body = Some(body);
            if func == self.entry {
                root = left;
            }
        }
        for func in self.reach.jumps_by_address() {
            self.give_body(func);
        }
        if let Some(block) = root {
            self.end(block);
        }
    }

    fn load(&self, var: VarId) -> Expr {
        Expr::load(Place::var(self.program.vars[var].ty, var))
    }

    fn set(&self, var: VarId, value: Expr) -> StmtKind {
        StmtKind::Assign(Place::var(self.program.vars[var].ty, var), value)
    }

    /// Where a buffer has its number: in its first member, if that is wide enough, so that engines
    /// see a plain variable.
    fn number_in(&mut self, buffer: &Expr) -> Place {
        let mut inner = buffer;
        while let ExprKind::Cast(e) = &inner.kind {
            inner = e;
        }
        let types = &mut self.program.types;
        let bits = types.target().word(true).bits;
        let zero = Expr::int(types.int(bits, true), 0);
        let to = types.pointee(buffer.ty).unwrap_or(Types::VOID);
        let mut place = match &inner.kind {
            ExprKind::AddrOf(place) => place.clone(),
            _ => Place::deref(to, buffer.clone()),
        };
        loop {
            let (step, ty) = match &types[place.ty] {
                Type::Int(int) if int.bits == 64 => return place,
                Type::Array { elem, len: 1.. } => (Step::Index(zero.clone()), *elem),
                Type::Record(record) => match types.records[*record].fields.first() {
                    Some(first) if first.bit_offset == 0 && !first.bit_field => {
                        (Step::Field(0), first.ty)
                    }
                    _ => break,
                },
                _ => break,
            };
            place.path.push(step);
            place.ty = ty;
        }
        let ptr = types.pointer(self.words.wide);
        Place::deref(self.words.wide, Expr::cast(ptr, buffer.clone()))
    }

    /// The statements of a call of `longjmp`; afterwards a jump is under way.
    fn launch(&mut self, buffer: &Expr, value: Option<&Expr>, loc: LocId) -> Vec<Stmt> {
        let from = Expr::load(self.number_in(buffer));
        let from = Expr::cast(self.words.wide, from);
        let mut kinds = Vec::new();
        let mut check = None;
        if self.lost == Lost::Fails {
            let id = self.program.checks.push(Check {
                kind: CheckKind::Pointer,
                loc,
                text: TEXT.into(),
            });
            check = Some(id);
            let zero = Expr::int(self.words.wide, 0);
            let cond = Expr::binary(BinOp::Ne, from.clone(), zero);
            kinds.push(StmtKind::Assert { check: id, cond });
        }
        self.launches.push((loc, check));
        let number = Expr::int(Types::INT, self.launches.len() as i128);
        let one = Expr::int(Types::INT, 1);
        let value = value.map_or(one, |e| {
            let value = Expr::cast(Types::INT, e.clone());
            // One for zero.
            let zero = Expr::unary(UnOp::Not, value.clone());
            Expr::binary(BinOp::Add, value, zero)
        });
        kinds.extend([
            self.set(self.words.value, value),
            self.set(self.words.target, from),
            self.set(self.words.jumping, number),
        ]);
        let stmt = |kind| Stmt { loc, kind };
        kinds.into_iter().map(stmt).collect()
    }

    /// A body for a `longjmp` that is called by its address.
    fn give_body(&mut self, func: FuncId) {
        let Type::Func(ty) = self.program.types[self.program.funcs[func].ty].clone() else {
            return;
        };
        let loc = self.program.funcs[func].loc;
        let params: Vec<VarId> = ty
            .params
            .iter()
            .map(|ty| {
                let kind = VarKind::Param(func);
                self.program.add_variable("argument", *ty, kind, loc)
            })
            .collect();
        let args: Vec<Expr> = params.iter().map(|v| self.load(*v)).collect();
        let Some((buffer, value)) = self.reach.arguments(self.program, func, &args) else {
            return;
        };
        let (buffer, value) = (buffer.clone(), value.cloned());
        let stmts = self.launch(&buffer, value.as_ref(), loc);
        let branch = Branch::Return(zero(&self.program.types, ty.ret));
        let body = Body::new(vec![Block { stmts, loc, branch }]);
        let function = &mut self.program.funcs[func];
        function.params = params;
        function.body = Some(body);
        function.definition = Definition::Defined;
        function.noreturn = false;
        function.origin = Origin::Glue;
    }

    /// Where a jump ends that nobody caught: `block` of the function that everything starts at.
    fn end(&mut self, block: BlockId) {
        let stranger = match self.lost {
            Lost::Unknown => Some(stranger(self.program)),
            Lost::Fails | Lost::Ends => None,
        };
        let jumping = self.load(self.words.jumping);
        let body = self.program.funcs[self.entry].body.as_mut();
        let blocks = &mut body.expect("it was rewritten").blocks;
        let halt = Branch::Halt(Expr::int(Types::INT, 1));
        let mut cases = Vec::new();
        for (n, (loc, check)) in std::mem::take(&mut self.launches).into_iter().enumerate() {
            let Some(check) = check else { continue };
            let cond = Expr::int(Types::INT, 0);
            let kind = StmtKind::Assert { check, cond };
            let target = blocks.push(Block {
                stmts: vec![Stmt { loc, kind }],
                loc,
                branch: halt.clone(),
            });
            let number = n as i128 + 1;
            cases.push(Case {
                lo: number,
                hi: number,
                target,
            });
        }
        let loc = blocks[block].loc;
        let branch = match stranger {
            Some(func) => Branch::Call {
                callee: Callee::Direct(func),
                args: Vec::new(),
                ret: Types::VOID,
                next: None,
            },
            None => halt,
        };
        let default = blocks.push(Block {
            stmts: Vec::new(),
            loc,
            branch,
        });
        blocks[block].branch = Branch::Switch {
            on: jumping,
            cases,
            default,
        };
    }
}

/// The zero of a type; none of `void`.
fn zero(types: &Types, ty: TypeId) -> Option<Expr> {
    let kind = match types[ty] {
        Type::Void => return None,
        Type::Float(_) => ExprKind::Float(0),
        _ if types.is_scalar(ty) => ExprKind::Int(0),
        _ => ExprKind::Zero,
    };
    Some(Expr { ty, kind })
}

/// Where a jump goes that nobody follows.
fn stranger(program: &mut Program) -> FuncId {
    let reason = "a jump to a function that has returned is not checked";
    let func = not_followed(program, "longjmp$lost", reason);
    program.funcs[func].noreturn = true;
    func
}

/// A function that nobody calls, which calls `entry`.
fn wrapper(program: &mut Program, entry: FuncId) -> FuncId {
    let loc = program.funcs[entry].loc;
    let ret = match &program.types[program.funcs[entry].ty] {
        Type::Func(ty) => ty.ret,
        _ => Types::VOID,
    };
    let func = plain_function(program, "__cwolf_start$jumps", loc);
    let call = Branch::Call {
        callee: Callee::Direct(entry),
        args: Vec::new(),
        ret,
        next: Some(BlockId(1)),
    };
    let block = |branch| Block {
        stmts: Vec::new(),
        loc,
        branch,
    };
    let blocks = vec![block(call), block(Branch::Return(None))];
    define(program, func, Vec::new(), blocks);
    func
}

/// Functions after which control is on another stack, or on this one together with another process:
/// nobody follows.
fn refuse_other_stacks(program: &mut Program) {
    for function in program.funcs.iter_mut() {
        let absent = function.body.is_none()
            && function.refused.is_none()
            && function.alias.is_none()
            && !function.weak;
        let Some(row) = cwolf_known::lookup(&function.name).filter(|_| absent) else {
            continue;
        };
        if row.switches() {
            function.refused = Some(Refusal {
                reason: "a switch to another stack is not followed".into(),
                loc: function.loc,
            });
            function.definition = Definition::Defined;
        }
    }
}

/// Whether an expression is the result of the call before.
fn is_result(e: &Expr) -> bool {
    e.kind == ExprKind::Reg(RESULT)
}
