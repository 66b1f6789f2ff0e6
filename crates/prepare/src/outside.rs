//! Code that the program does not show, as far as an analysis of pointers is concerned.
//!
//! A function that nobody knows has no body in a model: the abstract machine makes everything unknown that such
//! code can reach. That it knows the variables with external linkage by name is said here, by a function that
//! is never called and gives them away. What `verify` says of such functions is in [`crate::unknown`].

use crate::glue::{define, plain_function};
use crate::mentioned::variables_in;
use crate::stubs::errno_location;
use crate::unknown::known_by_name;
use cwolf_cwi::graph::{Analysed, Object};
use cwolf_cwi::{
    Block, Branch, Callee, Expr, ExprKind, FuncId, Function, Place, Program, Stmt, StmtKind, Types,
};

/// Whether nothing says what a function does.
fn is_unknown(function: &Function, arguments: usize) -> bool {
    let row = cwolf_known::lookup(&function.name);
    function.body.is_none() && !row.is_some_and(|row| row.accepts(arguments))
}

/// Whether the program may call a function that nobody knows.
fn calls_unknown(program: &Program) -> bool {
    let blocks = (program.funcs.iter())
        .filter_map(|f| f.body.as_ref())
        .flat_map(|body| body.blocks.iter());
    let unknown = |branch: &Branch| match branch {
        Branch::Call {
            callee: Callee::Direct(f),
            args,
            ..
        } => is_unknown(&program.funcs[*f], args.len()),
        Branch::Call { .. } => true,
        _ => false,
    };
    let declared = |f: &Function| f.body.is_none() && cwolf_known::lookup(&f.name).is_none();
    program.funcs.iter().any(declared) && blocks.into_iter().any(|b| unknown(&b.branch))
}

/// Lets code outside know the variables with external linkage, if there is such code.
pub fn give_away(program: &mut Program) {
    if !calls_unknown(program) {
        return;
    }
    // Maps may mention variables that the program's own code does not.
    let mut vars = known_by_name(program);
    let errno = errno_location(program).and_then(|f| program.funcs[f].body.as_ref());
    vars.extend(errno.map(variables_in).unwrap_or_default());
    let Some(loc) = program.funcs.iter().map(|f| f.loc).next() else {
        return;
    };
    let void = program.types.pointer(Types::VOID);
    let mut stmts = Vec::new();
    for var in vars {
        let place = Place::var(program.vars[var].ty, var);
        let ty = program.types.pointer(place.ty);
        let kind = ExprKind::AddrOf(place);
        let ptr = Expr::cast(void, Expr { ty, kind });
        let kind = StmtKind::Havoc { ptr, size: None };
        stmts.push(Stmt { loc, kind });
    }
    let func = plain_function(program, "outside#", loc);
    let branch = Branch::Return(None);
    define(
        program,
        func,
        Vec::new(),
        vec![Block { stmts, loc, branch }],
    );
}

/// Something that runs beside the program or in between and is not in a model: a thread, a process, a signal handler.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Beside {
    /// Where it is started, and what it is.
    pub text: String,
    /// The functions that it runs; none for a process of its own.
    pub funcs: Vec<FuncId>,
}

/// What runs beside the program or in between and is not in a model. Each with the place where it is started.
pub fn not_followed(program: &Analysed, entry: FuncId) -> Vec<Beside> {
    let (points_to, calls) = (program.points_to(), program.calls());
    let mut found = Vec::new();
    for caller in calls.reachable(&[entry]) {
        for call in calls.calls_in(caller) {
            let body = program.funcs[caller].body.as_ref();
            let block = &body.expect("it calls").blocks[call.block];
            let Branch::Call { args, .. } = &block.branch else {
                continue;
            };
            let place = program.locations.describe(block.loc);
            for target in &call.targets {
                let function = &program.funcs[*target];
                let row = cwolf_known::lookup(&function.name);
                let row = row.filter(|row| function.body.is_none() && row.accepts(args.len()));
                let Some(row) = row.filter(|row| row.starts_something()) else {
                    continue;
                };
                let name = &function.name;
                // A handler that is handed over, or whatever is behind other arguments.
                let handed: Vec<usize> = row.calls_later().iter().map(|(n, _)| *n).collect();
                let mut started = Vec::new();
                for (n, arg) in args.iter().enumerate() {
                    if handed.contains(&n) {
                        started.extend(points_to.expr(caller, call.block, arg));
                    } else if handed.is_empty() {
                        started.extend(points_to.reachable(caller, call.block, arg));
                    }
                }
                let funcs = own_functions(program, &started);
                if row.returns_twice() {
                    let text = format!("{place}: `{name}` starts another process");
                    let funcs = Vec::new();
                    found.push(Beside { text, funcs });
                } else if !funcs.is_empty() {
                    let names = funcs.iter().map(|f| program.funcs[*f].name.as_str());
                    let list = names.collect::<Vec<_>>().join("`, `");
                    let text =
                        format!("{place}: `{name}` lets `{list}` run later, or at the same time");
                    found.push(Beside { text, funcs });
                }
            }
        }
    }
    found.sort();
    found.dedup();
    found
}

/// The names of the program's functions among some objects.
fn own_functions(program: &Program, objects: &[Object]) -> Vec<FuncId> {
    let own = objects.iter().filter_map(|object| match object {
        Object::Func(f) if program.funcs[*f].body.is_some() => Some(*f),
        _ => None,
    });
    let mut funcs: Vec<FuncId> = own.collect();
    funcs.sort_by(|a, b| program.funcs[*a].name.cmp(&program.funcs[*b].name));
    funcs.dedup();
    funcs
}
