//! Open results that are not open any more: of functions that ask for a state which stays the same until the program
//! changes it. `getenv("HOME")` may be anything, but only once.

use crate::concrete::Visited;
use cwolf_cwi::{Base, Branch, Callee, Expr, ExprKind, FuncId, InitItem, Place, Program, VarKind};

/// The state that a function of the library asks for.
pub(crate) fn asks(program: &Program, func: FuncId) -> Option<&'static str> {
    let row = cwolf_known::lookup(&program.funcs[func].name)?;
    row.asks.as_deref()
}

/// What a question is about, as far as the text of the program says.
#[derive(PartialEq)]
enum Question<'p> {
    Text(&'p [InitItem]),
    Number(i128),
    /// Not known, or there is only one.
    Other,
}

/// Those of the `asked` functions that a run asks the same question twice, or after it changed the answer.
pub(crate) fn settled(program: &Program, asked: &[FuncId], visited: &Visited) -> Vec<FuncId> {
    let mut calls: Vec<(FuncId, &[Expr])> = Vec::new();
    for (func, function) in program.funcs.enumerate() {
        for (id, block) in function.body.iter().flat_map(|b| b.blocks.enumerate()) {
            if let Branch::Call {
                callee: Callee::Direct(callee),
                args,
                ..
            } = &block.branch
                && visited.contains(&(func, id, block.stmts.len()))
            {
                calls.push((*callee, args));
            }
        }
    }
    let changes = |f: FuncId, state: &str| {
        let row = cwolf_known::lookup(&program.funcs[f].name);
        row.is_some_and(|row| row.states().contains(&state))
    };
    let is_settled = |f: &&FuncId| {
        let state = asks(program, **f).unwrap_or_default();
        let own = calls.iter().filter(|(g, _)| g == *f);
        let questions: Vec<Question<'_>> = own.map(|(_, args)| question(program, args)).collect();
        let again = |n: usize| questions[..n].contains(&questions[n]);
        // A function that also changes the state answers with what it was given before.
        let twice = (0..questions.len()).any(again) || questions.len() > 1 && changes(**f, state);
        twice || calls.iter().any(|(g, _)| g != *f && changes(*g, state))
    };
    asked.iter().filter(is_settled).copied().collect()
}

fn question<'p>(program: &'p Program, args: &[Expr]) -> Question<'p> {
    let Some(first) = args.first() else {
        return Question::Other;
    };
    let mut e = first;
    while let ExprKind::Cast(inner) = &e.kind {
        e = inner;
    }
    match &e.kind {
        ExprKind::Int(n) => Question::Number(*n),
        ExprKind::AddrOf(Place {
            base: Base::Var(var),
            ..
        }) if program.vars[*var].kind == VarKind::Literal => {
            Question::Text(&program.vars[*var].init)
        }
        _ => Question::Other,
    }
}
