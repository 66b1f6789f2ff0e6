//! Whether running a program tells all about it: then its only freedom is the values it asks
//! for, and to try all of them is a proof.

use cwolf_cwi::{BinOp, Body, Expr, ExprKind, Origin, Type, Types};
use cwolf_known::Row;
use cwolf_prepare::Subject;

/// Whether the interpreter runs a function without a body as the real one runs: nothing about it
/// is open.
fn is_exact(name: &str) -> bool {
    let defined = |row: &Row| row.is_defined() && !row.starts_something();
    let known = cwolf_known::lookup(name).is_some_and(|row| defined(row) || is_word(row));
    known && cwolf_interp::is_native(name)
}

/// Whether it is a word of verification that changes nothing. What one writes, only the prepared program says.
fn is_word(row: &Row) -> bool {
    row.is_word() && !row.changes_memory()
}

/// Says why not, if not.
pub(super) fn can_be_exact(subject: &Subject) -> Result<(), String> {
    let program = &subject.raw;
    let Some(entry) = subject.raw_entry else {
        return Err("the program has arguments".into());
    };
    if let Some(note) = program.notes.first() {
        return Err(note.text.clone());
    }
    if let Some(startup) = program.startup.first() {
        return Err(format!("the program has a {}", startup.phase.name()));
    }
    let calls = program.calls();
    for func in calls.reachable(&[entry]) {
        let function = &program.funcs[func];
        let name = function.name.as_str();
        let Some(body) = &function.body else {
            let word = cwolf_known::lookup(name).is_some_and(is_word);
            let known = is_exact(name) || word || function.alias.is_some();
            if !known {
                return Err(format!("{name} is outside the program"));
            }
            continue;
        };
        let later = |row: &Row| function.origin == Origin::Model && row.starts_something();
        if cwolf_known::lookup(name).is_some_and(later) {
            return Err(format!("{name} lets code run later"));
        }
        if let Some(reason) = body_reason(&program.types, body) {
            return Err(format!("{name} {reason}"));
        }
    }
    if program.vars.iter().any(|v| v.volatile) {
        return Err("the program has volatile variables".into());
    }
    if calls.calls().iter().any(|call| call.unknown) {
        return Err("a call leads to an unknown function".into());
    }
    Ok(())
}

/// Addresses are the interpreter's choice, so nothing may depend on them.
fn body_reason(types: &Types, body: &Body) -> Option<&'static str> {
    let mut reason = None;
    let pointer = |e: &Expr| types.pointee(e.ty).is_some();
    body.for_each_expr(&mut |e| {
        e.walk(&mut |e| match &e.kind {
            ExprKind::Cast(inner)
                if pointer(inner) && !pointer(e) && !matches!(types[e.ty], Type::Bool) =>
            {
                reason = Some("looks at an address as a number");
            }
            ExprKind::Binary(BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge, a, _) if pointer(a) => {
                reason = Some("compares the order of addresses");
            }
            ExprKind::Load { volatile: true, .. } => reason = Some("reads volatile memory"),
            ExprKind::PtrDiff { .. } => reason = Some("subtracts addresses"),
            ExprKind::VarArgs => reason = Some("takes any number of arguments"),
            _ => {}
        });
    });
    reason
}
