//! Events that a program shows itself, as calls of functions of their own, so that rules can watch them.

use crate::texts::{Content, literal};
use cwolf_cwi::{
    Block, Body, Branch, Callee, ExprKind, FuncId, Function, InitValue, Program, Types,
};

/// Makes each call that shows one of these events a call of a function of its own, which does nothing; their names, in the order of the
/// events. None, and nothing is changed, if a call may show one and does not say which.
pub fn name_events(program: &mut Program, events: &[String]) -> Option<Vec<String>> {
    let shows = |f: FuncId| program.known(f).is_some_and(|row| row.is_event());
    let showing: Vec<FuncId> = program.funcs.ids().filter(|f| shows(*f)).collect();
    if showing.is_empty() {
        return events.is_empty().then(Vec::new);
    }
    let mut certain = true;
    let mut calls = Vec::new();
    for (func, function) in program.funcs.ids().zip(program.funcs.iter()) {
        let Some(body) = &function.body else { continue };
        body.for_each_expr(&mut |e| {
            e.walk(&mut |e| {
                certain &= !matches!(&e.kind, ExprKind::FuncAddr(f) if showing.contains(f));
            });
        });
        for (block, code) in body.blocks.ids().zip(body.blocks.iter()) {
            let Branch::Call {
                callee: Callee::Direct(f),
                args,
                ..
            } = &code.branch
            else {
                continue;
            };
            if !showing.contains(f) {
                continue;
            }
            match args.first().and_then(|arg| literal(program, arg)) {
                Some(Content::Narrow(text)) => {
                    let event = events.iter().position(|e| e.as_bytes() == text);
                    calls.extend(event.map(|event| (func, block, event)));
                }
                _ => certain = false,
            }
        }
    }
    let mut items = program.vars.iter().flat_map(|v| &v.init);
    let given = items.any(|i| matches!(i.value, InitValue::Func(f) if showing.contains(&f)));
    if !certain || given {
        return None;
    }
    let names: Vec<String> = events
        .iter()
        .map(|e| format!("_cwolf_event(\"{e}\")"))
        .collect();
    let ty = program.types.function(Types::VOID, Vec::new());
    let loc = program.funcs[showing[0]].loc;
    let first = program.funcs.len() as u32;
    for name in &names {
        let ends = Block {
            stmts: Vec::new(),
            loc,
            branch: Branch::Return(None),
        };
        program.funcs.push(Function {
            body: Some(Body::new(vec![ends])),
            ..Function::glue(name.clone(), ty, loc)
        });
    }
    for (func, block, event) in calls {
        let body = program.funcs[func]
            .body
            .as_mut()
            .expect("it was there just now");
        if let Branch::Call { callee, args, .. } = &mut body.blocks[block].branch {
            *callee = Callee::Direct(FuncId(first + event as u32));
            args.clear();
        }
    }
    Some(names)
}
