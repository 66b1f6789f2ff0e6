//! Whether running a program tells all about it: then its only freedom is the values it asks
//! for, and to try all of them is a proof.

use cwolf_absint::machine::literal_text;
use cwolf_cwi::graph::{Analysed, Object, Precision};
use cwolf_cwi::{
    BinOp, BlockId, Body, Branch, Callee, Expr, ExprKind, FuncId, Origin, Program, RecordKind,
    Type, TypeId, Types,
};
use cwolf_known::format::Piece;
use cwolf_known::{CType, Format, FormatKind, Outcome, Requirement, Row};
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
        if let Some(reason) = body_reason(program, func, body) {
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

/// Addresses are the interpreter's choice, so nothing may depend on them. What is compared for equality, the run itself
/// looks at.
fn body_reason(program: &Analysed, func: FuncId, body: &Body) -> Option<&'static str> {
    let types = &program.types;
    let pointer = |e: &Expr| types.pointee(e.ty).is_some();
    let mut reason = None;
    body.for_each_expr(&mut |e| {
        e.walk(&mut |e| match &e.kind {
            ExprKind::Cast(inner)
                if pointer(inner) && !pointer(e) && !matches!(types[e.ty], Type::Bool) =>
            {
                reason = Some(AS_NUMBER);
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
    let looks = || {
        body.blocks
            .ids()
            .any(|block| looks_at_bytes(program, (func, block), body))
    };
    reason.or_else(|| looks().then_some(AS_NUMBER))
}

const AS_NUMBER: &str = "looks at an address as a number";

/// Whether a block reads a number where an address may lie, or lets the library do so.
fn looks_at_bytes(program: &Analysed, at: (FuncId, BlockId), body: &Body) -> bool {
    let points_to = program.points_to_with(Precision::Fields);
    let number = |e: &Expr| matches!(program.types[e.ty], Type::Int(_) | Type::Float(_));
    // What the library stores are numbers, unless it tells where memory of its own is.
    let tells = gives_own_memory(program);
    let scanned = match may_pun_addresses(program) {
        true => Vec::new(),
        false => scanned(program),
    };
    let address = |object: &Object| match object {
        Object::Outside => tells,
        other => !scanned.contains(other),
    };
    let mut found = false;
    body.blocks[at.1].for_each_expr(&mut |e| {
        e.walk(&mut |e| {
            let read = matches!(e.kind, ExprKind::Load { .. }) && number(e);
            found |= read && points_to.expr(at.0, at.1, e).iter().any(address);
        });
    });
    let Branch::Call {
        callee: Callee::Direct(f),
        args,
        ..
    } = &body.blocks[at.1].branch
    else {
        return found;
    };
    match cwolf_known::lookup(&program.funcs[*f].name) {
        Some(row) if program.funcs[*f].body.is_none() => {
            found || prints_address(program, row, args) || reads_bytes(program, row, at, args)
        }
        _ => found,
    }
}

/// Whether the program has ways to read the bytes of an address as something else: a union, or a pointer to where addresses lie
/// that becomes another one.
fn may_pun_addresses(program: &Program) -> bool {
    let types = &program.types;
    let mut records = types.records.iter();
    let union = records.any(|r| {
        r.kind == RecordKind::Union && r.fields.iter().any(|f| holds_address(types, f.ty))
    });
    let leads = |e: &Expr| {
        let to = types.pointee(e.ty);
        to.is_some_and(|to| holds_address(types, to))
    };
    let mut casts = false;
    for body in program.funcs.iter().filter_map(|f| f.body.as_ref()) {
        body.for_each_expr(&mut |e| {
            e.walk(&mut |e| {
                let cast =
                    matches!(&e.kind, ExprKind::Cast(inner) if leads(inner) && inner.ty != e.ty);
                casts |= cast;
            });
        });
    }
    union || casts
}

/// Whether a value of this type has an address in it.
fn holds_address(types: &Types, ty: TypeId) -> bool {
    match &types[ty] {
        Type::Pointer(_) => true,
        Type::Array { elem, .. } => holds_address(types, *elem),
        Type::Record(r) => {
            let mut fields = types.records[*r].fields.iter();
            fields.any(|f| holds_address(types, f.ty))
        }
        _ => false,
    }
}

/// What is given to calls of `scanf` and its like that store no addresses: as far as the analysis knows, they may store that.
fn scanned(program: &Analysed) -> Vec<Object> {
    let points_to = program.points_to_with(Precision::Fields);
    let mut found = Vec::new();
    for (func, function) in program.funcs.enumerate() {
        let blocks = function
            .body
            .iter()
            .flat_map(|body| body.blocks.enumerate());
        for (id, block) in blocks {
            let Branch::Call {
                callee: Callee::Direct(f),
                args,
                ..
            } = &block.branch
            else {
                continue;
            };
            let row = program.known(*f).and_then(Row::scans);
            let text = row.and_then(|format| literal_text(program, args.get(format.param)?));
            if text.is_some_and(|text| !text.contains('p')) {
                let objects = args.iter().map(|arg| points_to.expr(func, id, arg));
                found.extend(objects.flatten());
            }
        }
    }
    found
}

/// Whether the program calls a function that returns the address of memory of the library.
fn gives_own_memory(program: &Program) -> bool {
    let known = |o: &Outcome| {
        matches!(
            o,
            Outcome::Null
                | Outcome::Range(_)
                | Outcome::Into(_)
                | Outcome::Fresh { .. }
                | Outcome::Stack(_)
                | Outcome::Kept
                | Outcome::Errno
        )
    };
    let own = |row: &Row| {
        row.returns_pointer() && (row.result.is_empty() || !row.result.iter().all(known))
    };
    let absent = program.funcs.iter().filter(|f| f.body.is_none());
    absent.filter_map(|f| cwolf_known::lookup(&f.name)).any(own)
}

/// Whether a known function looks at bytes that may be those of an address.
fn reads_bytes(program: &Analysed, row: &Row, at: (FuncId, BlockId), args: &[Expr]) -> bool {
    // What is only moved is looked at where it arrives, and a function of the program compares what is sorted. Who scans
    // reads a text; that it stores addresses, `scanned` knows better.
    if row.primitive().is_some() || !row.calls().is_empty() || row.scans().is_some() {
        return false;
    }
    let points_to = program.points_to_with(Precision::Fields);
    let read = |n: usize| {
        let objects = args.get(n).map(|arg| points_to.expr(at.0, at.1, arg));
        objects.is_some_and(|all| all.iter().any(|o| !points_to.contents(*o).is_empty()))
    };
    // The members of a record are read as what they are.
    let params = &row.prototype.params;
    let bytes = |n: &usize| {
        let to = params.get(*n).map(|p| &p.ty);
        matches!(to, Some(CType::Pointer { to, .. }) if !matches!(**to, CType::Named(_)))
    };
    let printed = match printed(row) {
        Some(_) => params.len()..args.len(),
        None => 0..0,
    };
    row.reads().filter(bytes).chain(printed).any(read)
}

/// The format that says what is printed.
fn printed(row: &Row) -> Option<Format> {
    row.requires.iter().find_map(|r| match r {
        Requirement::Format(format) if format.kind == FormatKind::Printf => Some(*format),
        _ => None,
    })
}

/// Whether a format asks for an address, as far as anyone can tell.
fn prints_address(program: &Program, row: &Row, args: &[Expr]) -> bool {
    let Some(format) = printed(row) else {
        return false;
    };
    let text = args
        .get(format.param)
        .and_then(|e| literal_text(program, e));
    let pieces = text.and_then(|text| cwolf_known::format::printf(text.as_bytes()).ok());
    let address = |piece: &Piece| matches!(piece, Piece::Conversion(c) if c.letter == 'p');
    pieces.is_none_or(|pieces| pieces.iter().any(address))
}
