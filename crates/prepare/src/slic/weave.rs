//! Puts rules into a program: every watched function gets a wrapper that runs the handlers
//! around it, and all uses of the function become uses of the wrapper. Calls through pointers
//! are covered, because addresses become addresses of wrappers.

use super::generate::{RuleError, Watched, compile, handler_name};
use super::{Rule, When};
use cwolf_cfront::Options;
use cwolf_cwi::{
    Block, BlockId, Body, Branch, Callee, Expr, ExprKind, FuncId, Function, InitValue, LocId,
    Origin, Place, Program, RESULT, Stmt, StmtKind, Type, TypeId, Types, VarId, VarKind, link,
};
use rustc_hash::FxHashMap;

/// What wrappers are called after.
pub const SUFFIX: &str = "$watched";

/// A program with rules in it.
#[derive(Debug)]
pub struct Woven {
    /// The program.
    pub program: Program,
    /// Where it starts now.
    pub entry: FuncId,
    /// What the user should know: handlers that can never run.
    pub notes: Vec<String>,
}

/// Puts `rules` into `program`, which starts at `entry`.
pub fn weave(
    program: Program,
    entry: FuncId,
    rules: &[Rule],
    options: &Options,
) -> Result<Woven, RuleError> {
    let mut notes = Vec::new();
    let entry_name = program.funcs[entry].name.clone();
    let mut parts = Vec::new();
    for (n, rule) in rules.iter().enumerate() {
        let watched: Vec<_> = rule
            .handlers
            .iter()
            .map(|h| watch(&program, &h.function))
            .collect();
        for (handler, found) in rule.handlers.iter().zip(&watched) {
            if found.is_none() {
                notes.push(format!(
                    "the rule {} watches {}, which the program does not have",
                    rule.name, handler.function
                ));
            }
        }
        let mut part = compile(n, rule, &watched, &program, options)?;
        let own = |f: &&mut Function| f.body.is_some() || f.name == super::ABORT;
        for function in part.funcs.iter_mut().filter(own) {
            function.origin = Origin::Rule;
        }
        parts.push(part);
    }
    notes.dedup();
    parts.insert(0, program);
    let linked = link::link(parts).map_err(|errors| {
        let all: Vec<String> = errors.iter().map(ToString::to_string).collect();
        RuleError::Link(all.join("; "))
    })?;
    let mut program = linked.program;
    let entry = program.function(&entry_name);
    let mut entry = entry.expect("linking keeps the entry function");
    let mut weaver = Weaver {
        users: program.funcs.len() as u32,
        program: &mut program,
        wrappers: FxHashMap::default(),
    };
    let mut names: Vec<&str> = Vec::new();
    for handler in rules.iter().flat_map(|r| &r.handlers) {
        if !names.contains(&handler.function.as_str()) {
            names.push(&handler.function);
        }
    }
    for name in names {
        let Some(func) = weaver.program.function(name) else {
            continue;
        };
        let handlers = weaver.handlers(rules, name);
        if handlers.is_empty() {
            continue;
        }
        let wrapper = weaver.watch(func, &handlers, &mut notes);
        if func == entry
            && let Some(wrapper) = wrapper
        {
            entry = wrapper;
        }
    }
    Ok(Woven {
        program,
        entry,
        notes,
    })
}

/// The function called `name` and the types that its arguments have.
fn watch(program: &Program, name: &str) -> Option<Watched> {
    let func = program.function(name)?;
    let function = &program.funcs[func];
    let Type::Func(ty) = &program.types[function.ty] else {
        return None;
    };
    let mut params = ty.params.clone();
    if params.is_empty() && ty.variadic {
        // Declared without a prototype: the definition or a call tells.
        params = match function.body.is_some() {
            true => {
                let own = function.params.iter();
                own.map(|p| program.vars[*p].ty).collect()
            }
            false => first_call(program, func).unwrap_or_default(),
        };
    }
    Some(Watched {
        params,
        ret: ty.ret,
    })
}

/// The types of the arguments of the first call by name.
fn first_call(program: &Program, func: FuncId) -> Option<Vec<TypeId>> {
    let bodies = program.funcs.iter().filter_map(|f| f.body.as_ref());
    let blocks = bodies.flat_map(|b| b.blocks.iter());
    let mut calls = blocks.filter_map(|block| match &block.branch {
        Branch::Call { callee, args, .. } if called(callee) == Some(func) => Some(args),
        _ => None,
    });
    let args = calls.next()?;
    Some(args.iter().map(|a| a.ty).collect())
}

/// The function that is called by name.
fn called(callee: &Callee) -> Option<FuncId> {
    match callee {
        Callee::Direct(func) => Some(*func),
        Callee::Indirect(e) => match e.kind {
            ExprKind::FuncAddr(func) => Some(func),
            _ => None,
        },
    }
}

/// A handler as the wrapper calls it.
struct Hook {
    when: When,
    func: FuncId,
    params: Vec<u32>,
    result: bool,
}

struct Weaver<'p> {
    program: &'p mut Program,
    /// Functions below this number are the program's and the handlers'; above are wrappers.
    users: u32,
    /// Wrappers of functions without a prototype, by the types that they are called with.
    wrappers: FxHashMap<(FuncId, Vec<TypeId>), FuncId>,
}

impl Weaver<'_> {
    fn handlers(&self, rules: &[Rule], name: &str) -> Vec<Hook> {
        let mut hooks = Vec::new();
        for (n, rule) in rules.iter().enumerate() {
            for (m, handler) in rule.handlers.iter().enumerate() {
                if handler.function != name {
                    continue;
                }
                let Some(func) = self.program.function(&handler_name(n, m)) else {
                    continue;
                };
                hooks.push(Hook {
                    when: handler.when,
                    func,
                    params: handler.params.clone(),
                    result: handler.result,
                });
            }
        }
        // In the order of a call; handlers of one event in the order they are written.
        hooks.sort_by_key(|h| h.when);
        hooks
    }

    /// Makes all uses of `func` uses of a wrapper, and returns the wrapper for all uses alike.
    fn watch(&mut self, func: FuncId, hooks: &[Hook], notes: &mut Vec<String>) -> Option<FuncId> {
        let Type::Func(ty) = self.program.types[self.program.funcs[func].ty].clone() else {
            return None;
        };
        if !ty.variadic {
            let wrapper = self.wrapper(func, &ty.params, ty.ret, hooks);
            self.replace(func, |_, _| Some(wrapper));
            self.replace_addresses(func, wrapper);
            return Some(wrapper);
        }
        // Each way of calling gets a wrapper of its own.
        let mut shapes = Vec::new();
        self.replace(func, |args, ret| {
            let key = (args.to_vec(), ret);
            if !shapes.contains(&key) {
                shapes.push(key);
            }
            None
        });
        for (args, ret) in shapes {
            let wrapper = self.wrapper(func, &args, ret, hooks);
            self.wrappers.insert((func, args), wrapper);
        }
        let wrappers = std::mem::take(&mut self.wrappers);
        self.replace(func, |args, _| {
            wrappers.get(&(func, args.to_vec())).copied()
        });
        if self.takes_address(func) {
            notes.push(format!(
                "calls of {} through pointers are not watched, because it is declared without a prototype or takes any number of arguments",
                self.program.funcs[func].name
            ));
        }
        None
    }

    /// Blocks of functions that are not wrappers and not handlers.
    fn bodies(&mut self) -> impl Iterator<Item = &mut Body> {
        let users = self.users;
        let funcs = self.program.funcs.iter_mut();
        let funcs = funcs
            .enumerate()
            .filter(move |(n, f)| (*n as u32) < users && f.origin != Origin::Rule);
        funcs.filter_map(|(_, f)| f.body.as_mut())
    }

    /// Makes calls of `func` by name calls of what `with` says for their arguments.
    fn replace(&mut self, func: FuncId, mut with: impl FnMut(&[TypeId], TypeId) -> Option<FuncId>) {
        for body in self.bodies() {
            for block in body.blocks.iter_mut() {
                if let Branch::Call {
                    callee, args, ret, ..
                } = &mut block.branch
                    && called(callee) == Some(func)
                {
                    let types: Vec<TypeId> = args.iter().map(|a| a.ty).collect();
                    let Some(wrapper) = with(&types, *ret) else {
                        continue;
                    };
                    match callee {
                        Callee::Direct(func) => *func = wrapper,
                        Callee::Indirect(e) => e.kind = ExprKind::FuncAddr(wrapper),
                    }
                }
            }
        }
    }

    fn replace_addresses(&mut self, func: FuncId, wrapper: FuncId) {
        let mut change = |e: &mut Expr| {
            if e.kind == ExprKind::FuncAddr(func) {
                e.kind = ExprKind::FuncAddr(wrapper);
            }
        };
        for body in self.bodies() {
            for_each_expr(body, &mut |e| e.walk_mut(&mut change));
        }
        for var in self.program.vars.iter_mut() {
            for item in &mut var.init {
                if item.value == InitValue::Func(func) {
                    item.value = InitValue::Func(wrapper);
                }
            }
        }
    }

    fn takes_address(&mut self, func: FuncId) -> bool {
        let mut found = false;
        for body in self.bodies() {
            for_each_expr(body, &mut |e| {
                e.walk_mut(&mut |e| found |= e.kind == ExprKind::FuncAddr(func));
            });
        }
        let inits = self.program.vars.iter().flat_map(|v| &v.init);
        found || inits.into_iter().any(|i| i.value == InitValue::Func(func))
    }

    /// A function that runs the hooks around a call of `func`.
    fn wrapper(&mut self, func: FuncId, params: &[TypeId], ret: TypeId, hooks: &[Hook]) -> FuncId {
        let ty = self.program.types.function(ret, params.to_vec());
        let watched = &self.program.funcs[func];
        let (loc, noreturn) = (watched.loc, watched.noreturn);
        let name = format!("{}{SUFFIX}", watched.name);
        let id = self.program.funcs.push(Function {
            noreturn,
            ..Function::glue(name, ty, loc)
        });
        let params: Vec<VarId> = params
            .iter()
            .enumerate()
            .map(|(n, ty)| {
                self.program
                    .add_variable(format!("a{}", n + 1), *ty, VarKind::Param(id), loc)
            })
            .collect();
        let result = (!matches!(self.program.types[ret], Type::Void) && !noreturn).then(|| {
            self.program
                .add_variable("result", ret, VarKind::Local(id), loc)
        });
        let body = self.wrapper_body(func, &params, result, hooks, loc);
        let function = &mut self.program.funcs[id];
        function.params = params;
        function.locals = result.into_iter().collect();
        function.body = Some(body);
        id
    }

    fn wrapper_body(
        &mut self,
        func: FuncId,
        params: &[VarId],
        result: Option<VarId>,
        hooks: &[Hook],
        loc: LocId,
    ) -> Body {
        let load =
            |program: &Program, var: VarId| Expr::load(Place::var(program.vars[var].ty, var));
        let mut calls: Vec<(FuncId, Vec<Expr>, TypeId)> = Vec::new();
        let (before, after): (Vec<&Hook>, Vec<&Hook>) =
            hooks.iter().partition(|h| h.when != When::Exit);
        let hook_call = |program: &Program, hook: &Hook| {
            let chosen = hook.params.iter().map(|n| params.get(*n as usize - 1));
            let chosen: Option<Vec<VarId>> = chosen.map(|p| p.copied()).collect();
            let mut chosen = chosen?;
            if hook.result {
                chosen.push(result?);
            }
            let Type::Func(ty) = &program.types[program.funcs[hook.func].ty] else {
                return None;
            };
            let args = chosen.iter().zip(&ty.params);
            let args = args.map(|(var, ty)| Expr::cast(*ty, load(program, *var)));
            Some((hook.func, args.collect(), Types::VOID))
        };
        let program = &*self.program;
        calls.extend(before.into_iter().filter_map(|h| hook_call(program, h)));
        let own = calls.len();
        let ret = match &program.types[program.funcs[func].ty] {
            Type::Func(ty) => ty.ret,
            _ => Types::VOID,
        };
        let args = params.iter().map(|p| load(program, *p)).collect();
        calls.push((func, args, ret));
        if !program.funcs[func].noreturn {
            calls.extend(after.into_iter().filter_map(|h| hook_call(program, h)));
        }
        let last = calls.len();
        let noreturn = program.funcs[func].noreturn;
        let mut body = Body::new(Vec::new());
        for (n, (callee, args, ret)) in calls.into_iter().enumerate() {
            let mut stmts = Vec::new();
            if n == own + 1 {
                stmts.extend(self.keep(result, loc));
            }
            body.blocks.push(Block {
                stmts,
                loc,
                branch: Branch::Call {
                    callee: Callee::Direct(callee),
                    args,
                    ret,
                    next: (!(noreturn && n == own)).then_some(BlockId(n as u32 + 1)),
                },
            });
        }
        if !noreturn {
            let stmts = match last == own + 1 {
                true => self.keep(result, loc).into_iter().collect(),
                false => Vec::new(),
            };
            let value = result.map(|var| load(self.program, var));
            body.blocks.push(Block {
                stmts,
                loc,
                branch: Branch::Return(value),
            });
        }
        body
    }

    /// The result of the call, put away before other calls.
    fn keep(&self, result: Option<VarId>, loc: LocId) -> Option<Stmt> {
        let var = result?;
        let ty = self.program.vars[var].ty;
        Some(Stmt {
            loc,
            kind: StmtKind::Assign(Place::var(ty, var), Expr::reg(ty, RESULT)),
        })
    }
}

/// Calls `visit` for each expression that stands in a body, at its top.
pub(crate) fn for_each_expr(body: &mut Body, visit: &mut dyn FnMut(&mut Expr)) {
    for block in body.blocks.iter_mut() {
        for stmt in &mut block.stmts {
            stmt.kind.for_each_expr_mut(visit);
        }
        block.branch.for_each_expr_mut(visit);
    }
}
