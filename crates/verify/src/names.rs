//! Programs in the user's words: places, functions, parts of variables.

use crate::concrete::Failure;
use cwolf_cwi::value::Value;
use cwolf_cwi::{Base, Expr, ExprKind, FuncId, LocId, Origin, Program, Step, Type};
use cwolf_interp::View;
use cwolf_prepare::Subject;
use cwolf_prepare::property::Kind;
use cwolf_report as report;

/// A position as the report has it.
pub fn place_of(program: &Program, loc: LocId) -> report::Place {
    let loc = program.locations[loc];
    report::Place {
        file: program.locations.file_name(loc.file).into(),
        line: loc.line,
        column: loc.column,
    }
}

/// What the verdict calls a failure: the kind, or the rule.
pub fn verdict_name(subject: &Subject, failure: &Failure) -> String {
    let rule = (failure.kind == Kind::Rule).then(|| subject.rule_at(&subject.program, failure.loc));
    match rule.flatten() {
        Some((rule, _)) => format!("slic:{}", rule.name),
        None => failure.kind.name().into(),
    }
}

/// The name of a function without what weaving did to it.
pub fn shown_function(program: &Program, func: FuncId) -> String {
    let function = &program.funcs[func];
    let name = function.name.as_str();
    if function.origin == Origin::Rule {
        let file = program.locations[function.loc].file;
        let file = program.locations.file_name(file);
        let rule = file
            .strip_prefix("<rule ")
            .and_then(|f| f.strip_suffix('>'));
        return format!("rule {}", rule.unwrap_or("?"));
    }
    name.split('$').next().unwrap_or(name).into()
}

/// A place as C writes it, with indices as they are now: `a[3].next`, `p->x`.
pub(crate) fn place_name(place: &cwolf_cwi::Place, view: &View<'_, '_>) -> Option<String> {
    let program = view.program();
    let types = &program.types;
    let (mut name, mut ty, mut pointer) = match &place.base {
        Base::Var(var) => {
            let var = &program.vars[*var];
            (var.name.clone(), var.ty, false)
        }
        Base::Deref(e) => (pointer_name(e, view)?, types.pointee(e.ty)?, true),
    };
    for step in &place.path {
        match (step, &types[ty]) {
            (Step::Field(n), Type::Record(record)) => {
                let field = types.records[*record].fields.get(*n as usize)?;
                if !field.name.is_empty() {
                    name += if pointer { "->" } else { "." };
                    name += &field.name;
                    pointer = false;
                }
                ty = field.ty;
            }
            (Step::Index(index), Type::Array { elem, .. }) => {
                if pointer {
                    name = format!("(*{name})");
                    pointer = false;
                }
                match view.eval(index)? {
                    Value::Int(n) => name += &format!("[{n}]"),
                    Value::Float(_) => return None,
                }
                ty = *elem;
            }
            _ => return None,
        }
    }
    if pointer {
        name = match name.strip_suffix(']').is_some() {
            true => name,
            false => format!("*{name}"),
        };
    }
    Some(name)
}

/// What a pointer expression is called; `p + 3` is `p[3]`, which then needs no star.
fn pointer_name(e: &Expr, view: &View<'_, '_>) -> Option<String> {
    match &e.kind {
        ExprKind::Load { place, .. } => place_name(place, view),
        ExprKind::Cast(inner) => pointer_name(inner, view),
        ExprKind::AddrOf(place) => place_name(place, view).map(|name| format!("(&{name})")),
        ExprKind::PtrAdd { ptr, index, .. } => {
            let name = pointer_name(ptr, view)?;
            match view.eval(index)? {
                Value::Int(n) => Some(format!("{name}[{n}]")),
                Value::Float(_) => None,
            }
        }
        ExprKind::Reg(_) => match view.eval(e)? {
            Value::Int(address) => Some(format!("({address:#x})")),
            Value::Float(_) => None,
        },
        _ => None,
    }
}
