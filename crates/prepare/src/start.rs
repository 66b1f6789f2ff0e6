//! A start function without parameters: it makes arguments for the entry function, any that
//! the assumptions it lists allow.

mod caller;
mod handles;
mod harness;
mod inputs;
mod requires;
mod texts;
mod usage;

pub use caller::{
    Alternative, Passed, changed as changed_variables, undefined as undefined_variables,
};
pub(crate) use caller::{read_condition, wrong_requirement};
pub use harness::{Written, harness_name, harness_text};
pub use inputs::{Arguments, Caller, Inputs, MainInputs, Words};
pub(crate) use requires::chained;
pub use requires::{Count as ElementCount, Requirement, RequiresError};

use crate::glue::plain_function;
use crate::mentioned::mentioned;
use crate::subject::Assumption;
use crate::variable::assign_unknown;
use cwolf_cwi::graph::CallGraph;
use cwolf_cwi::{
    Base, Block, BlockId, Body, Branch, Callee, Expr, ExprKind, FuncId, Function, LocId, Origin,
    Phase, Place, Program, Stmt, StmtKind, Type, TypeId, Types, VarId, VarKind,
};
use cwolf_known::{End, Row, When};
use rustc_hash::FxHashMap;
use usage::Usage;

/// The name of the start function.
pub const START: &str = "__cwolf_start";

/// A way into the program.
#[derive(Debug)]
pub(crate) struct Start {
    /// A function without parameters.
    pub func: FuncId,
    /// How the values that it chooses make up the arguments, in words of C.
    pub inputs: Inputs,
    /// Up to where arguments are covered, if the program may behave otherwise beyond.
    pub bound: Option<String>,
    /// Calls that are not covered, and may make a difference.
    pub uncovered: Option<String>,
}

/// A function without parameters that calls `entry`, after the functions `first`; `entry` itself if nothing is to be
/// done before or after it.
pub(crate) fn start(
    program: &mut Program,
    entry: FuncId,
    arguments: &Arguments,
    first: &[FuncId],
    assumptions: &mut Vec<Assumption>,
) -> Start {
    let function = &program.funcs[entry];
    let alone =
        (program.startup.is_empty() && at_exit(program).is_none()) || function.name != "main";
    let anybody = matches!(arguments.caller, Caller::Any(_)) && function.name != "main";
    let free = anybody && !caller::changed(program, &CallGraph::new(program), entry).is_empty();
    if function.params.is_empty() && alone && first.is_empty() && !free {
        return Start {
            func: entry,
            inputs: Inputs::None,
            bound: None,
            uncovered: None,
        };
    }
    let (name, loc) = (function.name.clone(), function.loc);
    // A rule's wrapper only passes the arguments on.
    let shown = name.trim_end_matches(crate::slic::SUFFIX).to_owned();
    let inner = program.function(&shown).unwrap_or(entry);
    let params: Vec<TypeId> = function
        .params
        .iter()
        .map(|p| program.vars[*p].ty)
        .collect();
    let ret = match &program.types[function.ty] {
        Type::Func(ty) => ty.ret,
        _ => Types::INT,
    };
    let start = plain_function(program, START, loc);
    let handles = handles::handle_types(program);
    let mut maker = Maker {
        program,
        handles,
        handed: Vec::new(),
        start,
        loc,
        blocks: Vec::new(),
        stmts: Vec::new(),
        locals: Vec::new(),
    };
    // glibc gives constructors what it gives `main`, which may want less of it.
    let given = match shown == "main" {
        true => maker.given_at_start(params.clone()),
        false => params.clone(),
    };
    let (args, inputs, bound) = match shown == "main" && maker.is_main(&given) {
        true => {
            let uses: Vec<Usage> = (1..given.len())
                .map(|n| maker.usage_at_start(entry, inner, n))
                .collect();
            let fixed = ignored(maker.program, entry, inner).then(|| arguments.fixed());
            let how = fixed.as_ref().unwrap_or(arguments);
            let (args, inputs) = maker.main_arguments(&given, &uses, how);
            let bound = inputs.bound(&uses);
            if fixed.is_none() {
                assumptions.extend(inputs.assumption(&uses));
            }
            (args, Inputs::Main(inputs), bound)
        }
        false => match &arguments.caller {
            // Nobody calls `main` but the system: variables have their first values.
            Caller::Any(conditions) if shown != "main" => {
                let (args, passed) = maker.any_arguments(inner, &params, conditions, assumptions);
                (args, Inputs::Values(passed), None)
            }
            _ => {
                let args = maker.arguments(&shown, &params, assumptions);
                (args, Inputs::Values(Vec::new()), None)
            }
        },
    };
    let uncovered = match &arguments.caller {
        Caller::Any(requirements) if shown != "main" => {
            caller::into_one_array(maker.program, inner, &params, requirements)
        }
        _ => None,
    };
    let Maker {
        blocks,
        stmts,
        locals,
        ..
    } = maker;
    let made = blocks.len() as u32;
    let mut body = Body::new(blocks);
    // What runs by itself before and after `main`.
    let (before, after) = match shown == "main" {
        true => (
            startup(program, Phase::Constructor, &args),
            startup(program, Phase::Destructor, &[]),
        ),
        false => (Vec::new(), Vec::new()),
    };
    let own = args.into_iter().take(params.len()).collect();
    // To return from `main` is to call `exit`.
    let exit = at_exit(program).filter(|_| shown == "main");
    let exit = exit.map(|exit| (exit, vec![Expr::int(Types::INT, 0)], Types::VOID));
    program.startup.clear();
    let calls = first
        .iter()
        .map(|func| (*func, Vec::new(), Types::VOID))
        .chain(before)
        .chain([(entry, own, ret)])
        .chain(after)
        .chain(exit)
        .enumerate();
    let mut stmts = Some(stmts);
    for (n, (callee, args, ret)) in calls {
        body.blocks.push(Block {
            stmts: stmts.take().unwrap_or_default(),
            loc,
            branch: Branch::Call {
                callee: Callee::Direct(callee),
                args,
                ret,
                next: Some(BlockId(made + n as u32 + 1)),
            },
        });
    }
    body.blocks.push(Block {
        stmts: Vec::new(),
        loc,
        branch: Branch::Return(None),
    });
    program.funcs[start].locals = locals;
    program.funcs[start].body = Some(body);
    Start {
        func: start,
        inputs,
        bound,
        uncovered,
    }
}

/// Whether a function is `main` and nobody looks at its arguments.
pub(crate) fn is_main_alone(program: &Program, func: FuncId) -> bool {
    program.funcs[func].name == "main" && ignored(program, func, func)
}

/// Whether nobody looks at the arguments of `main`. Then one list stands for all, and there may be nothing left to choose.
fn ignored(program: &Program, entry: FuncId, main: FuncId) -> bool {
    let function = &program.funcs[main];
    let Some(body) = function.body.as_ref().filter(|_| entry == main) else {
        return false;
    };
    let mut read = false;
    let own = |place: &Place| matches!(place.base, Base::Var(v) if function.params.contains(&v));
    body.for_each_expr(&mut |e| {
        e.walk(&mut |e| {
            read |= match &e.kind {
                ExprKind::Load { place, .. } | ExprKind::AddrOf(place) => own(place),
                _ => false,
            }
        });
    });
    program.startup.is_empty() && !read
}

/// The model of `exit`, if it runs what functions of the program register for the end. Destructors
/// come after these, where nobody follows them.
pub(crate) fn at_exit(program: &Program) -> Option<FuncId> {
    let registers = |f: &FuncId| {
        let f = &program.funcs[*f];
        let row = cwolf_known::lookup(&f.name);
        f.origin == Origin::Model && row.is_some_and(runs_at_exit)
    };
    let destructors = (program.startup.iter()).any(|s| s.phase == Phase::Destructor);
    let exits = |f: &Function| {
        let row = cwolf_known::lookup(&f.name);
        f.origin == Origin::Model && row.is_some_and(|r| r.ends() == Some(End::Exit))
    };
    if destructors || !mentioned(program).iter().any(registers) {
        return None;
    }
    let mut all = program.funcs.enumerate();
    all.find(|(_, f)| exits(f)).map(|(id, _)| id)
}

/// Whether all that a function starts runs at the end of the program.
pub(crate) fn runs_at_exit(row: &Row) -> bool {
    let later = row.calls_later();
    !later.is_empty() && later.iter().all(|(_, when)| *when == When::Exit)
}

/// Calls of the functions that run in a phase, in order. What they are not given is zero.
fn startup(program: &Program, phase: Phase, given: &[Expr]) -> Vec<(FuncId, Vec<Expr>, TypeId)> {
    let call = |func: FuncId| {
        let Type::Func(ty) = &program.types[program.funcs[func].ty] else {
            return None;
        };
        let scalar = ty.params.iter().all(|p| program.types.is_scalar(*p));
        let arg = |(n, ty): (usize, &TypeId)| match given.get(n) {
            Some(value) => Expr::cast(*ty, value.clone()),
            None => Expr::int(*ty, 0),
        };
        let args = ty.params.iter().enumerate().map(arg).collect();
        (scalar && program.funcs[func].body.is_some()).then_some((func, args, ty.ret))
    };
    program
        .runs_in(phase)
        .into_iter()
        .filter_map(call)
        .collect()
}

struct Maker<'p> {
    program: &'p mut Program,
    /// The types of streams and the like, which only the library makes.
    handles: FxHashMap<TypeId, usize>,
    /// Those that were passed so far.
    handed: Vec<handles::Handed>,
    start: FuncId,
    loc: LocId,
    /// Blocks that are complete; each goes on to others by number.
    blocks: Vec<Block>,
    /// The statements of the block that comes next.
    stmts: Vec<Stmt>,
    locals: Vec<VarId>,
}

impl Maker<'_> {
    /// Ends the block; the next one has the number after it.
    fn end_block(&mut self, branch: Branch) {
        self.blocks.push(Block {
            stmts: std::mem::take(&mut self.stmts),
            loc: self.loc,
            branch,
        });
    }

    /// The number of the block that is being made.
    fn here(&self) -> BlockId {
        BlockId(self.blocks.len() as u32)
    }

    fn local(&mut self, name: &str, ty: TypeId) -> VarId {
        let kind = VarKind::Local(self.start);
        let var = self.program.add_variable(name, ty, kind, self.loc);
        self.locals.push(var);
        var
    }

    fn assign(&mut self, place: Place, value: Expr) {
        self.stmts.push(Stmt {
            loc: self.loc,
            kind: StmtKind::Assign(place, value),
        });
    }

    /// The types of what is given to `main` and to constructors: those of the one that wants most.
    fn given_at_start(&self, main: Vec<TypeId>) -> Vec<TypeId> {
        let mut given = main;
        for func in self.program.runs_in(Phase::Constructor) {
            if let Type::Func(ty) = &self.program.types[self.program.funcs[func].ty]
                && ty.params.len() > given.len()
                && self.is_main(&ty.params)
            {
                given = ty.params.clone();
            }
        }
        given
    }

    /// What `main` and constructors together read of parameter number `n`.
    fn usage_at_start(&self, entry: FuncId, inner: FuncId, n: usize) -> Usage {
        let program = &*self.program;
        let mut all = Vec::new();
        if n < program.funcs[inner].params.len() {
            all.push(usage::of(program, entry, inner, n));
        }
        for func in program.runs_in(Phase::Constructor) {
            if n < program.funcs[func].params.len() {
                all.push(usage::of(program, func, func, n));
            }
        }
        all.into_iter().fold(Usage::NOTHING, Usage::join)
    }

    /// `int main(int, char **)`, with or without the environment.
    fn is_main(&self, params: &[TypeId]) -> bool {
        let types = &self.program.types;
        let list = |ty: TypeId| {
            let inner = types.pointee(ty).and_then(|p| types.pointee(p));
            inner.is_some_and(|p| p == Types::CHAR)
        };
        match params {
            [count] => *count == Types::INT,
            [count, rest @ ..] => *count == Types::INT && rest.iter().all(|p| list(*p)),
            [] => false,
        }
    }

    /// Any numbers; a pointer leads to one object of its own with any contents.
    fn arguments(
        &mut self,
        name: &str,
        params: &[TypeId],
        assumptions: &mut Vec<Assumption>,
    ) -> Vec<Expr> {
        let mut args = Vec::new();
        for (n, ty) in params.iter().enumerate() {
            let pointee = self.program.types.pointee(*ty);
            let object = pointee.filter(|to| {
                let types = &self.program.types;
                let complete = match types[*to] {
                    Type::Record(record) => types.records[record].complete,
                    Type::Void | Type::Func(_) => false,
                    _ => true,
                };
                complete && types.size_of(*to) > 0
            });
            let ty = object.unwrap_or(*ty);
            let var = self.local(&format!("argument{}", n + 1), ty);
            self.stmts
                .push(assign_unknown(Place::var(ty, var), self.loc));
            let place = Place::var(ty, var);
            args.push(match object {
                Some(_) => {
                    assumptions.push(Assumption {
                        text: format!(
                            "argument {} of {name} points to one object of its type that nothing else points to",
                            n + 1
                        ),
                        place: None,
                    });
                    Expr {
                        ty: params[n],
                        kind: ExprKind::AddrOf(place),
                    }
                }
                None => Expr::load(place),
            });
        }
        args
    }
}
