//! Calls of the C library on arguments that are known exactly: the interpreter runs them.
//!
//! A small program is made of the call: each object that an argument points into is a variable with the
//! bytes that are known of it, and nothing in the others. If the function looks at one of those, the
//! interpreter stops at an indeterminate value, and the call is left to the row of the table.

use super::Code;
use super::assign::Written;
use super::calls::Call;
use super::eval::{Context, object_bits};
use super::layout::{Slot, bits_of, int_ty};
use super::library::Done;
use super::scratch::Scratch;
use crate::domain::{Address, Target, Value};
use cwolf_base::{Budget, Idx};
use cwolf_cwi::value::{self, Value as Concrete};
use cwolf_cwi::{
    Base, Block, BlockId, Body, Branch, Callee, Definition, Expr, ExprKind, FuncId, Function,
    InitValue, Loc, LocId, Place, Program, RESULT, Step, Stmt, StmtKind, Type, TypeId, Types, Var,
    VarId, VarKind,
};
use cwolf_interp::{At, Machine, Options, Outcome, Tracer, View};
use cwolf_known::{Effect, Outcome as Returned, Row};
use std::cell::RefCell;
use std::rc::Rc;

/// Larger objects are not copied into a program.
const MAX_BYTES: i128 = 4096;
/// A call that takes longer is not evaluated.
const MAX_STEPS: u64 = 100_000;

/// Bytes of an object, as far as they are known.
type Bytes = Vec<Option<u8>>;

/// Whether arguments alone decide what a function does, and it does nothing but write through them.
pub(super) fn is_function_of_arguments(row: &Row) -> bool {
    let plain = |effect: &Effect| match effect {
        Effect::Writes { .. } | Effect::Copies { .. } | Effect::Sets { .. } | Effect::Errno => true,
        // The C locale is the only one that cwolf knows.
        Effect::State(name) => name == "locale",
        _ => false,
    };
    let known = |o: &Returned| matches!(o, Returned::Null | Returned::Range(_) | Returned::Into(_));
    row.is_defined()
        && row.control.is_empty()
        && row.effects.iter().all(plain)
        && row.result.iter().all(known)
        && !(row.returns_pointer() && row.result.is_empty())
        && row.formatted().is_none()
}

impl Context<'_> {
    /// What is known of the bytes of an object.
    pub fn bytes_of(&self, env: &Scratch, target: Target) -> Option<Bytes> {
        let Target::Object(var) = target else {
            return None;
        };
        let var = VarId(var);
        let size = object_bits(self.program, var).filter(|bits| *bits <= MAX_BYTES * 8)? / 8;
        let mut bytes: Bytes = vec![None; size as usize];
        if self.layout.constants.contains(&var) {
            bytes.fill(Some(0));
            let types = &self.program.types;
            let whole = |item: &cwolf_cwi::InitItem| {
                let bits = bits_of(self.program, item.ty);
                item.bit_offset.is_multiple_of(8) && bits == types.size_of(item.ty) * 8
            };
            for item in &self.program.vars[var].init {
                let start = (item.bit_offset / 8) as usize;
                let size = self.program.types.size_of(item.ty) as usize;
                match &item.value {
                    InitValue::Bytes(text) => put(&mut bytes, start, text),
                    InitValue::Int(n) if whole(item) => {
                        let new = self.program.target().bytes(*n as u128, size.min(16));
                        put(&mut bytes, start, &new);
                    }
                    _ => clear(&mut bytes, start, size.max(1)),
                }
            }
            return Some(bytes);
        }
        for slot in self.slots(var) {
            let whole = slot.cell.bit_offset.is_multiple_of(8)
                && slot.bits.is_multiple_of(8)
                && slot.bits <= 64;
            if let (true, Value::Int(word)) = (whole, env.get(slot.home)) {
                let start = (slot.cell.bit_offset / 8) as usize;
                let size = slot.bits as usize / 8;
                let new = self.program.target().bytes(word.into(), size);
                put(&mut bytes, start, &new);
            }
        }
        Some(bytes)
    }
}

fn put(bytes: &mut Bytes, start: usize, new: &[u8]) {
    for (byte, new) in bytes.iter_mut().skip(start).zip(new) {
        *byte = Some(*new);
    }
}

fn clear(bytes: &mut Bytes, start: usize, count: usize) {
    bytes
        .iter_mut()
        .skip(start)
        .take(count)
        .for_each(|b| *b = None);
}

/// An argument as the interpreter gets it.
enum Argument {
    Number(i128),
    /// An object by its number, and an offset.
    Into(usize, i64),
}

/// What a run left behind.
#[derive(Default)]
struct Found {
    done: bool,
    result: Option<Concrete>,
    /// Where each object is, and its bytes.
    objects: Vec<(u64, Bytes)>,
}

/// Looks at the memory where the run is over.
struct Look {
    result: Option<VarId>,
    vars: Vec<(VarId, usize)>,
    found: Rc<RefCell<Found>>,
}

impl Tracer for Look {
    fn step(&mut self, at: At, view: &View<'_, '_>) {
        if at.block != BlockId(1) || at.index != usize::from(self.result.is_some()) {
            return;
        }
        let object = |(var, size): &(VarId, usize)| {
            let start = view.find(*var)?;
            let byte = |n: usize| view.bytes(start + n as u64, 1).map(|b| b[0]);
            Some((start, (0..*size).map(byte).collect()))
        };
        let objects: Option<Vec<_>> = self.vars.iter().map(object).collect();
        let mut found = self.found.borrow_mut();
        found.done = objects.is_some();
        found.objects = objects.unwrap_or_default();
        found.result = self.result.and_then(|var| view.var(var));
    }
}

impl Code<'_> {
    /// Runs a call on known arguments; none if they are not known well enough.
    pub(super) fn run_library(
        &self,
        call: &Call<'_>,
        row: &Row,
        target: FuncId,
        env: &mut Scratch,
    ) -> Option<Done> {
        let function = &self.program.funcs[target];
        if !is_function_of_arguments(row) || !cwolf_interp::is_native(&function.name) {
            return None;
        }
        let Type::Func(ty) = &self.program.types[function.ty] else {
            return None;
        };
        let context = self.context(call.func, call.block);
        let mut targets: Vec<Target> = Vec::new();
        let mut arguments = Vec::new();
        for arg in call.args {
            arguments.push(self.argument(&context, env, arg, &mut targets)?);
        }
        let objects = targets.iter().map(|t| context.bytes_of(env, *t));
        let objects: Vec<Bytes> = objects.collect::<Option<_>>()?;
        let kinds: Vec<Type> = (call.args.iter())
            .map(|e| self.program.types[e.ty].clone())
            .collect();
        let ret = self.program.types[ty.ret].clone();
        let small = Small::new(
            self.program,
            &function.name,
            &arguments,
            &kinds,
            &ret,
            &objects,
        )?;
        let found = small.run()?;
        // Where the interpreter's addresses lead.
        let address = |n: u64| {
            let mut all = targets.iter().zip(&found.objects);
            let inside =
                |(start, bytes): &(u64, Bytes)| (*start..=*start + bytes.len() as u64).contains(&n);
            match all.find(|(_, object)| inside(object)) {
                _ if n == 0 => Some(Address::NULL),
                Some((target, (start, _))) => Some(Address::new(*target, Some((n - start) as i64))),
                None => None,
            }
        };
        let pointer = |n: u64| match address(n) {
            Some(address) => self.universe.address_set([address]),
            None => Value::Top,
        };
        let result = match (&ret, found.result) {
            (Type::Pointer(_), Some(Concrete::Int(n))) => pointer(n as u64),
            (_, Some(Concrete::Int(n))) => Value::Int(n as u64),
            _ => Value::Top,
        };
        let mut written = Written::new();
        for ((target, before), (_, after)) in targets.iter().zip(&objects).zip(&found.objects) {
            let Target::Object(var) = target else {
                continue;
            };
            let changed: Vec<bool> = before.iter().zip(after).map(|(a, b)| a != b).collect();
            for slot in context.slots(VarId(*var)) {
                if let Some(v) = self.after(&context, slot, &changed, after, &pointer) {
                    env.set(slot.home, context.hold(slot, v));
                }
            }
        }
        let size = match arguments[..] {
            [_, Argument::Number(n)] if row.fills() && n > 0 => Some(n * 8),
            _ => None,
        };
        for param in row.writes_args() {
            if let Some(Argument::Into(object, offset)) = arguments.get(param)
                && let Target::Object(var) = targets[*object]
            {
                let from = i128::from(*offset) * 8;
                written.push((VarId(var), from, size.map_or(i128::MAX, |n| from + n)));
            }
        }
        Some(Done {
            written,
            certain: size.is_some(),
            result,
        })
    }
    fn argument(
        &self,
        context: &Context<'_>,
        env: &Scratch,
        arg: &Expr,
        targets: &mut Vec<Target>,
    ) -> Option<Argument> {
        let v = context.eval(env, arg);
        match self.program.types[arg.ty] {
            Type::Int(_) | Type::Bool => match v {
                Value::Address(_) | Value::Addresses(_) => None,
                v => {
                    let int = int_ty(self.program, arg.ty);
                    let small = int.bits <= 64;
                    Some(Argument::Number(
                        self.universe.exact(int, v).filter(|_| small)?,
                    ))
                }
            },
            Type::Pointer(_) => {
                let [only] = self.universe.addresses(v)?[..] else {
                    return None;
                };
                match only.target() {
                    Target::Absolute => Some(Argument::Number(only.offset()?.into())),
                    Target::Object(_) => {
                        let known = targets.iter().position(|t| *t == only.target());
                        let number = known.unwrap_or_else(|| {
                            targets.push(only.target());
                            targets.len() - 1
                        });
                        Some(Argument::Into(number, only.offset()?))
                    }
                    Target::Function(_) | Target::Freed => None,
                }
            }
            _ => None,
        }
    }
    /// What a slot holds after a run, if the run changed it.
    fn after(
        &self,
        context: &Context<'_>,
        slot: &Slot,
        changed: &[bool],
        after: &Bytes,
        pointer: &dyn Fn(u64) -> Value,
    ) -> Option<Value> {
        let start = (slot.cell.bit_offset / 8) as usize;
        let end = (slot.cell.bit_offset + slot.bits).div_ceil(8) as usize;
        if !changed.get(start..end)?.contains(&true) {
            return None;
        }
        let whole = slot.cell.bit_offset.is_multiple_of(8)
            && slot.bits.is_multiple_of(8)
            && slot.bits <= 64;
        let known: Option<Vec<u8>> = after[start..end].iter().copied().collect();
        let Some(known) = known.filter(|_| whole) else {
            return Some(Value::Top);
        };
        let word = context.program.target().number(&known) as u64;
        Some(match self.program.types[slot.cell.ty] {
            Type::Pointer(_) => pointer(word),
            Type::Int(int) => Value::Int(value::wrap(int, word.into()) as u64),
            _ if word == 0 => context.zero(slot.cell.ty),
            _ => Value::Top,
        })
    }
}

/// A program that is one call.
struct Small {
    program: Program,
    result: Option<VarId>,
    vars: Vec<(VarId, usize)>,
}

impl Small {
    fn new(
        from: &Program,
        name: &str,
        arguments: &[Argument],
        kinds: &[Type],
        ret: &Type,
        objects: &[Bytes],
    ) -> Option<Small> {
        let mut program = Program::new(from.types.target());
        let file = program.locations.file("call");
        let loc = program.locations.intern(Loc {
            file,
            line: 1,
            column: 1,
        });
        let byte = program.types.int(8, false);
        let bytes = program.types.pointer(byte);
        let word = program.target().word(true);
        let word = program.types.intern(Type::Int(word));
        let scalar = |ty: &Type, program: &mut Program| match ty {
            Type::Int(int) => Some(program.types.intern(Type::Int(*int))),
            Type::Bool => Some(Types::BOOL),
            Type::Void => Some(Types::VOID),
            Type::Pointer(_) => Some(bytes),
            _ => None,
        };
        let ret = scalar(ret, &mut program)?;
        let params: Option<Vec<TypeId>> = kinds.iter().map(|ty| scalar(ty, &mut program)).collect();
        let params = params?;
        let main = FuncId::new(1);
        let mut locals = Vec::new();
        let mut stmts = Vec::new();
        let mut vars = Vec::new();
        for (n, object) in objects.iter().enumerate() {
            let ty = program.types.array(byte, object.len() as u64);
            let var = local(&mut program, format!("object{n}"), ty, main, loc);
            locals.push(var);
            vars.push((var, object.len()));
            for (at, value) in object.iter().enumerate() {
                if let Some(value) = value {
                    let place = element(byte, word, var, at as i128);
                    let value = Expr::int(byte, (*value).into());
                    stmts.push(Stmt {
                        loc,
                        kind: StmtKind::Assign(place, value),
                    });
                }
            }
        }
        let args = arguments
            .iter()
            .zip(&params)
            .map(|(argument, ty)| match argument {
                Argument::Number(n) => Expr::int(*ty, *n),
                Argument::Into(object, offset) => Expr {
                    ty: bytes,
                    kind: ExprKind::AddrOf(element(
                        byte,
                        word,
                        vars[*object].0,
                        i128::from(*offset),
                    )),
                },
            });
        let args: Vec<Expr> = args.collect();
        let mut after = Vec::new();
        let result = (ret != Types::VOID).then(|| {
            let var = local(&mut program, "result".into(), ret, main, loc);
            locals.push(var);
            let kind = StmtKind::Assign(Place::var(ret, var), Expr::reg(ret, RESULT));
            after.push(Stmt { loc, kind });
            var
        });
        let callee = program.types.function(ret, params);
        let own = program.types.function(Types::INT, Vec::new());
        let call = Branch::Call {
            callee: Callee::Direct(FuncId::new(0)),
            args,
            ret,
            next: Some(BlockId(1)),
        };
        let back = Branch::Return(Some(Expr::int(Types::INT, 0)));
        let block = |stmts, branch| Block { stmts, loc, branch };
        let body = Body::new(vec![block(stmts, call), block(after, back)]);
        program.funcs.push(Function::declared(name, callee, loc));
        program.funcs.push(Function {
            definition: Definition::Defined,
            locals,
            body: Some(body),
            ..Function::declared("main", own, loc)
        });
        Some(Small {
            program,
            result,
            vars,
        })
    }
    fn run(&self) -> Option<Found> {
        let found = Rc::new(RefCell::new(Found::default()));
        let look = Look {
            result: self.result,
            vars: self.vars.clone(),
            found: found.clone(),
        };
        let options = Options {
            budget: Budget::unlimited().max_steps(MAX_STEPS),
            max_memory: 1 << 20,
            tracer: Some(Box::new(look)),
            ..Options::default()
        };
        let outcome = Machine::new(&self.program, options).run("main");
        let found = found.take();
        let lacks_result = self.result.is_some() && found.result.is_none();
        let done = matches!(outcome, Outcome::Exit(_)) && found.done && !lacks_result;
        done.then_some(found)
    }
}

fn element(ty: TypeId, word: TypeId, var: VarId, at: i128) -> Place {
    Place {
        ty,
        base: Base::Var(var),
        path: vec![Step::Index(Expr::int(word, at))],
    }
}

/// As aligned as memory from `malloc`: what it stands for may be.
fn local(program: &mut Program, name: String, ty: TypeId, func: FuncId, loc: LocId) -> VarId {
    let align = program.types.align_of(ty).max(16);
    let kind = VarKind::Local(func);
    program.vars.push(Var::plain(name, ty, kind, align, loc))
}
