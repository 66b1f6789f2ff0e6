//! Variables for what the program allocates: for each call of an allocating function, and each caller of a function
//! that hands such an object on (`xmalloc`, `new_conn`), the newest objects one by one and one variable for the rest.
//!
//! Which caller it is, a variable says that is set before each call of such a function. The abstract machine does the
//! rest: it decides which of the variables a new object is, and renames them when there are too many.

use cwolf_base::Idx;
use cwolf_cwi::value;
use cwolf_cwi::{
    BinOp, BlockId, Branch, Callee, Expr, ExprKind, FuncId, Group, Place, Program, RESULT, Site,
    Stmt, StmtKind, Type, TypeId, Types, VarId, VarKind,
};
use cwolf_known::{Contents, Primitive, Row};
use rustc_hash::{FxHashMap, FxHashSet};

/// With more callers than this, a function is the same for all of them.
const MAX_CONTEXTS: usize = 16;
/// So many objects are told apart in all; beyond that, each site has one variable only.
const MAX_OBJECTS: usize = 1 << 12;
/// An array of more elements is kept as one of which nothing is known.
const MAX_ELEMENTS: u64 = 64;

/// A call in the code.
type At = (FuncId, BlockId);

/// Whether a call makes a new object.
fn allocates(row: &Row) -> bool {
    row.allocates().is_some()
        || matches!(
            row.primitive(),
            Some(Primitive::Resize | Primitive::AllocateOnStack)
        )
}

/// Calls of allocating functions that the table knows.
fn sites(program: &Program) -> Vec<At> {
    let mut found = Vec::new();
    for (func, f) in program.funcs.enumerate() {
        for (block, code) in f.body.iter().flat_map(|b| b.blocks.enumerate()) {
            if let Branch::Call {
                callee: Callee::Direct(callee),
                args,
                ..
            } = &code.branch
                && program.funcs[*callee].body.is_none()
                && let Some(row) = cwolf_known::lookup(&program.funcs[*callee].name)
                && row.accepts(args.len())
                && allocates(row)
            {
                found.push((func, block));
            }
        }
    }
    found
}

/// Functions that hand objects on to their callers, and on whose behalf they run.
struct Contexts {
    /// The calls of each, with the number of the first context of each.
    calls: FxHashMap<FuncId, Vec<(At, usize)>>,
    /// How many contexts each has.
    count: FxHashMap<FuncId, usize>,
}

impl Contexts {
    fn new(program: &Program, sites: &[At]) -> Contexts {
        let returns_pointer = |f: FuncId| match &program.types[program.funcs[f].ty] {
            Type::Func(ty) => matches!(program.types[ty.ret], Type::Pointer(_)),
            _ => false,
        };
        let direct: Vec<(At, FuncId)> = direct_calls(program);
        // From the allocating functions upwards.
        let mut handing: FxHashSet<FuncId> = FxHashSet::default();
        let mut todo: Vec<FuncId> = sites.iter().map(|s| s.0).collect();
        while let Some(func) = todo.pop() {
            if returns_pointer(func) && handing.insert(func) {
                let callers = direct.iter().filter(|(_, to)| *to == func);
                todo.extend(callers.map(|((from, _), _)| *from));
            }
        }
        let mut contexts = Contexts {
            calls: FxHashMap::default(),
            count: FxHashMap::default(),
        };
        for func in recursive(program, &direct) {
            // On whose behalf it runs has no end.
            contexts.count.insert(func, 1);
        }
        for func in crate::addressed(program) {
            // Where it is called through a pointer, nothing says who calls.
            contexts.count.insert(func, 1);
        }
        let mut order: Vec<FuncId> = handing.iter().copied().collect();
        order.sort_unstable();
        for func in order {
            contexts.settle(&direct, &handing, func);
        }
        contexts
    }
    /// Numbers the contexts of a function, after those of its callers.
    fn settle(
        &mut self,
        direct: &[(At, FuncId)],
        handing: &FxHashSet<FuncId>,
        func: FuncId,
    ) -> usize {
        if let Some(count) = self.count.get(&func) {
            return *count;
        }
        if !handing.contains(&func) {
            return 1;
        }
        let (mut list, mut total) = (Vec::new(), 0);
        for (at, _) in direct.iter().filter(|(_, to)| *to == func) {
            let own = self.settle(direct, handing, at.0);
            list.push((*at, total));
            total += own;
        }
        if !(2..=MAX_CONTEXTS).contains(&total) {
            list.clear();
            total = 1;
        }
        self.calls.insert(func, list);
        self.count.insert(func, total);
        total
    }
    fn of(&self, func: FuncId) -> usize {
        self.count.get(&func).copied().unwrap_or(1)
    }
    /// The call that a context of a function stands for, and the caller's own context.
    fn call(&self, func: FuncId, context: usize) -> Option<(At, usize)> {
        let list = self.calls.get(&func)?;
        let (at, first) = list.iter().rev().find(|(_, first)| *first <= context)?;
        Some((*at, context - first))
    }
}

/// Functions that call themselves, perhaps through others.
fn recursive(program: &Program, direct: &[(At, FuncId)]) -> Vec<FuncId> {
    let mut callees: Vec<Vec<u32>> = vec![Vec::new(); program.funcs.len()];
    for ((from, _), to) in direct {
        callees[from.index()].push(to.index() as u32);
    }
    let component = cwolf_base::strong_components(callees.len(), |f| &callees[f]);
    let circular = |f: &FuncId| {
        let same = |to: &u32| component[*to as usize] == component[f.index()];
        callees[f.index()].iter().any(same)
    };
    program.funcs.ids().filter(circular).collect()
}

fn direct_calls(program: &Program) -> Vec<(At, FuncId)> {
    let mut found = Vec::new();
    for (func, f) in program.funcs.enumerate() {
        for (block, code) in f.body.iter().flat_map(|b| b.blocks.enumerate()) {
            if let Branch::Call {
                callee: Callee::Direct(callee),
                ..
            } = &code.branch
            {
                found.push(((func, block), *callee));
            }
        }
    }
    found
}

/// Makes variables for what the program allocates, `newest` for each site and caller and one for the rest.
pub(crate) fn name_allocations(program: &mut Program, newest: usize) {
    let sites = sites(program);
    if sites.is_empty() {
        return;
    }
    let contexts = Contexts::new(program, &sites);
    let all: usize = sites.iter().map(|s| contexts.of(s.0) * (newest + 1)).sum();
    let (contexts, newest) = match all > MAX_OBJECTS {
        true => (
            Contexts {
                calls: FxHashMap::default(),
                count: FxHashMap::default(),
            },
            0,
        ),
        false => (contexts, newest),
    };
    let shapes: Vec<Vec<Shape>> = (sites.iter())
        .map(|site| {
            let list = 0..contexts.of(site.0);
            list.map(|n| shape(program, &contexts, *site, n)).collect()
        })
        .collect();
    let own = set_contexts(program, &contexts);
    for (site, shapes) in sites.iter().zip(shapes) {
        let mut groups = Vec::new();
        for (n, shape) in shapes.iter().enumerate() {
            let name = site_name(program, &contexts, *site, n);
            groups.push(group(program, &name, *site, shape, newest));
        }
        let context = own.get(&site.0).copied();
        program.heap.sites.insert(*site, Site { context, groups });
    }
}

/// What is known of the objects of a site.
struct Shape {
    ty: Option<TypeId>,
    /// Their size in bytes.
    size: Option<u64>,
}

/// `new_conn@12`: the function and the line of the outermost call that decides.
fn site_name(program: &Program, contexts: &Contexts, site: At, context: usize) -> String {
    let mut name = String::new();
    let (mut at, mut context) = (site, context);
    loop {
        let function = &program.funcs[at.0];
        let block = &function.body.as_ref().expect("it calls").blocks[at.1];
        let line = program.locations[block.loc].line;
        name += &format!("{}@{line}", function.name);
        match contexts.call(at.0, context) {
            Some((outer, own)) => (at, context) = (outer, own),
            None => return name,
        }
        name += "/";
    }
}

fn group(program: &mut Program, name: &str, site: At, shape: &Shape, newest: usize) -> Group {
    let body = program.funcs[site.0].body.as_ref();
    let loc = body.expect("it calls").blocks[site.1].loc;
    let ty = object_type(program, shape);
    let make = |program: &mut Program, name: String| {
        let var = program.add_variable(name, ty, VarKind::Global, loc);
        // What does not fit into the type, such as a flexible array member.
        let size = program.types.size_of(ty);
        program.vars[var].extra = shape.size.map_or(0, |all| all.saturating_sub(size));
        program.heap.objects.insert(var, shape.size.is_some());
        var
    };
    let list = (0..newest).map(|n| make(program, format!("{name}[{n}]")));
    let list: Vec<VarId> = list.collect();
    let rest = make(program, format!("{name}[rest]"));
    program.heap.summaries.insert(rest);
    let mut counter = |what: &str| {
        let name = format!("{name}#{what}");
        let var = program.add_variable(name, Types::INT, VarKind::Global, loc);
        program.heap.counters.insert(var);
        var
    };
    Group {
        newest: list,
        rest,
        used: counter("used"),
        more: counter("more"),
    }
}

/// The type that an object is kept with: the one that it is used with, as often as it fits in.
fn object_type(program: &mut Program, shape: &Shape) -> TypeId {
    let byte = program.types.int(8, false);
    let Some(ty) = shape.ty else {
        return program
            .types
            .array(byte, shape.size.unwrap_or(1).clamp(1, 1 << 16));
    };
    let each = program.types.size_of(ty).max(1);
    match shape.size.map(|size| size / each) {
        Some(count @ 2..=MAX_ELEMENTS) => program.types.array(ty, count),
        Some(0) => program.types.array(byte, shape.size.unwrap_or(1).max(1)),
        Some(1) | None => ty,
        Some(_) => program
            .types
            .array(byte, shape.size.unwrap_or(1).min(1 << 16)),
    }
}

/// Type and size of what a site makes on behalf of a caller.
fn shape(program: &Program, contexts: &Contexts, site: At, context: usize) -> Shape {
    let (mut at, mut own) = (site, context);
    let mut ty = None;
    loop {
        let (found, handed_on) = used_as(program, at);
        ty = ty.or(found);
        match contexts
            .call(at.0, own)
            .filter(|_| handed_on && ty.is_none())
        {
            Some((outer, next)) => (at, own) = (outer, next),
            None => break,
        }
    }
    Shape {
        ty,
        size: size(program, contexts, site, context),
    }
}

/// What a function or variable of the frame holds the result of a call in.
#[derive(Default)]
struct Holders {
    vars: FxHashSet<VarId>,
    regs: FxHashSet<cwolf_cwi::RegId>,
}

impl Holders {
    fn holds(&self, e: &Expr, after_call: bool) -> bool {
        match &e.kind {
            ExprKind::Cast(inner) => self.holds(inner, after_call),
            ExprKind::Reg(RESULT) => after_call,
            ExprKind::Reg(reg) => self.regs.contains(reg),
            ExprKind::Load { place, .. } => place.as_var().is_some_and(|v| self.vars.contains(&v)),
            _ => false,
        }
    }
}

/// The type that the result of a call is used with in its function, and whether it is returned.
fn used_as(program: &Program, (func, block): At) -> (Option<TypeId>, bool) {
    let body = program.funcs[func].body.as_ref().expect("it calls");
    let Branch::Call {
        next: Some(next), ..
    } = body.blocks[block].branch
    else {
        return (None, false);
    };
    let sized = |ty: TypeId| {
        let to = program.types.pointee(ty)?;
        let data = !matches!(program.types[to], Type::Func(_) | Type::Void);
        (data && program.types.size_of(to) > 0).then_some(to)
    };
    // A string of bytes is what an untyped pointer often passes through.
    let byte = |ty: TypeId| program.types.size_of(ty) == 1;
    let mut holders = Holders::default();
    let (mut found, mut returned): (Vec<TypeId>, bool) = (Vec::new(), false);
    loop {
        let before = (holders.vars.len(), holders.regs.len());
        for (id, code) in body.blocks.enumerate() {
            let after = id == next;
            for stmt in &code.stmts {
                stmt.kind.for_each_expr(&mut |e| {
                    e.walk(&mut |e| {
                        if let ExprKind::Cast(inner) = &e.kind
                            && holders.holds(inner, after)
                        {
                            found.extend(sized(e.ty));
                        }
                    });
                });
                match &stmt.kind {
                    StmtKind::Assign(place, e) if holders.holds(e, after) => {
                        found.extend(sized(place.ty));
                        let local = |v: &VarId| program.vars[*v].kind.is_automatic();
                        holders.vars.extend(place.as_var().filter(local));
                    }
                    StmtKind::SetReg(reg, e) if holders.holds(e, after) => {
                        found.extend(sized(e.ty));
                        holders.regs.insert(*reg);
                    }
                    _ => {}
                }
            }
            if let Branch::Return(Some(e)) = &code.branch
                && holders.holds(e, after)
            {
                found.extend(sized(e.ty));
                returned = true;
            }
        }
        if before == (holders.vars.len(), holders.regs.len()) {
            break;
        }
    }
    let first = found.iter().copied().find(|ty| !byte(*ty));
    (
        first.or(found.first().copied().filter(|_| !returned)),
        returned,
    )
}

/// The size of what a site makes on behalf of a caller, if it is always the same.
fn size(program: &Program, contexts: &Contexts, site: At, context: usize) -> Option<u64> {
    let (callee, args) = call(program, site)?;
    let row = cwolf_known::lookup(&program.funcs[callee].name)?;
    let number = |n: usize| constant(program, contexts, site, context, args.get(n)?);
    let size = match (row.primitive(), row.allocates()) {
        (Some(Primitive::Allocate | Primitive::AllocateOnStack), _) => number(0)?,
        (Some(Primitive::Resize), _) => number(1)?,
        (Some(Primitive::AllocateZeroed), _) => number(0)?.checked_mul(number(1)?)?,
        (None, Some((Some(cwolf_known::Amount::Arg(subject)), Contents::Unset))) => {
            number(subject.itself()?)?
        }
        _ => return None,
    };
    // There is no object of half the memory: what a negative number asks for is never made.
    let most = 1 << (program.target().word(true).bits - 1).min(59);
    u64::try_from(size)
        .ok()
        .filter(|size| (1..most).contains(size))
}

fn call(program: &Program, (func, block): At) -> Option<(FuncId, &[Expr])> {
    match &program.funcs[func].body.as_ref()?.blocks[block].branch {
        Branch::Call {
            callee: Callee::Direct(callee),
            args,
            ..
        } => Some((*callee, args)),
        _ => None,
    }
}

/// An expression that is always the same number, perhaps since a caller gives it.
fn constant(
    program: &Program,
    contexts: &Contexts,
    at: At,
    context: usize,
    e: &Expr,
) -> Option<i128> {
    let number = |e: &Expr| constant(program, contexts, at, context, e);
    // What is computed and converted wraps as the program's numbers do.
    let fit = |n: i128| Some(value::wrap(value::int_type(&program.types, e.ty)?, n));
    match &e.kind {
        ExprKind::Int(n) => Some(*n),
        ExprKind::Cast(inner) => fit(number(inner)?),
        ExprKind::Binary(BinOp::Mul, a, b) => fit(number(a)?.checked_mul(number(b)?)?),
        ExprKind::Binary(BinOp::Add, a, b) => fit(number(a)?.checked_add(number(b)?)?),
        ExprKind::Load { place, .. } => {
            let var = place.as_var()?;
            let function = &program.funcs[at.0];
            let n = function.params.iter().position(|p| *p == var)?;
            if is_changed(program, at.0, var) {
                return None;
            }
            let (outer, own) = contexts.call(at.0, context)?;
            let (_, args) = call(program, outer)?;
            constant(program, contexts, outer, own, args.get(n)?)
        }
        _ => None,
    }
}

/// Whether a parameter gets another value than the caller gave.
fn is_changed(program: &Program, func: FuncId, var: VarId) -> bool {
    let blocks = program.funcs[func]
        .body
        .iter()
        .flat_map(|b| b.blocks.iter());
    let mut changed = false;
    for block in blocks {
        for stmt in &block.stmts {
            changed |= matches!(&stmt.kind, StmtKind::Assign(p, _) if p.root() == Some(var));
        }
        block.for_each_expr(&mut |e| {
            e.walk(&mut |e| {
                changed |= matches!(&e.kind, ExprKind::AddrOf(p) if p.root() == Some(var));
            });
        });
    }
    changed
}

/// Before each call of a function with several contexts, a variable says which; where it starts, the function
/// takes it over. Returns each function's own variable.
fn set_contexts(program: &mut Program, contexts: &Contexts) -> FxHashMap<FuncId, VarId> {
    let mut own = FxHashMap::default();
    let mut funcs: Vec<FuncId> = (contexts.count.iter())
        .filter(|(_, count)| **count > 1)
        .map(|(f, _)| *f)
        .collect();
    funcs.sort_unstable();
    let Some(first) = funcs.first() else {
        return own;
    };
    let loc = program.funcs[*first].loc;
    let given = program.add_variable("context#", Types::INT, VarKind::Global, loc);
    for func in &funcs {
        let loc = program.funcs[*func].loc;
        let var = program.add_variable("context#", Types::INT, VarKind::Temp(*func), loc);
        let function = &mut program.funcs[*func];
        function.locals.push(var);
        let body = function.body.as_mut().expect("it allocates");
        let block = &mut body.blocks[cwolf_cwi::Body::ENTRY];
        let loc = block.stmts.first().map_or(block.loc, |s| s.loc);
        let load = Expr::load(Place::var(Types::INT, given));
        let kind = StmtKind::Assign(Place::var(Types::INT, var), load);
        block.stmts.insert(0, Stmt { loc, kind });
        own.insert(*func, var);
    }
    for func in &funcs {
        for ((caller, block), first) in &contexts.calls[func] {
            let first = Expr::int(Types::INT, *first as i128);
            let value = match own.get(caller) {
                Some(var) => {
                    let outer = Expr::load(Place::var(Types::INT, *var));
                    Expr::binary(BinOp::Add, outer, first)
                }
                None => first,
            };
            let body = program.funcs[*caller].body.as_mut().expect("it calls");
            let block = &mut body.blocks[*block];
            let kind = StmtKind::Assign(Place::var(Types::INT, given), value);
            block.stmts.push(Stmt {
                loc: block.loc,
                kind,
            });
        }
    }
    own
}
