//! CWI types as C text, so that handlers can be compiled as C with the program's own types.

use cwolf_cwi::{FloatTy, RecordId, RecordKind, Type, TypeId, Types};
use rustc_hash::FxHashSet;
use std::fmt::Write;

/// A declaration of `name` with type `ty`.
pub fn declare(types: &Types, ty: TypeId, name: &str) -> String {
    match &types[ty] {
        Type::Void => format!("void {name}"),
        Type::Bool => format!("_Bool {name}"),
        Type::Int(int) => {
            let sign = if int.signed { "signed" } else { "unsigned" };
            let base = match (int.size(), types.target().long_bits) {
                (1, _) => "char",
                (2, _) => "short",
                (4, _) => "int",
                (8, 64) => "long",
                (8, _) => "long long",
                _ => "__int128",
            };
            // Strings are made of plain `char`.
            match (int.size(), int.signed) {
                (1, signed) if signed == types.target().char_signed => format!("char {name}"),
                _ => format!("{sign} {base} {name}"),
            }
        }
        Type::Float(FloatTy::F16) => format!("_Float16 {name}"),
        Type::Float(FloatTy::F32) => format!("float {name}"),
        Type::Float(FloatTy::F64) => format!("double {name}"),
        Type::Float(FloatTy::F80) => format!("long double {name}"),
        Type::Float(FloatTy::F128) => format!("_Float128 {name}"),
        Type::Pointer(to) => match types[*to] {
            Type::Array { .. } | Type::Func(_) => declare(types, *to, &format!("(*{name})")),
            _ => declare(types, *to, &format!("*{name}")),
        },
        Type::Array { elem, len } => declare(types, *elem, &format!("{name}[{len}]")),
        Type::Record(record) => format!("{} {name}", record_name(types, *record)),
        Type::Func(func) => {
            let mut params: Vec<_> = func.params.iter().map(|p| declare(types, *p, "")).collect();
            match (params.is_empty(), func.variadic) {
                (true, false) => params.push("void".into()),
                (false, true) => params.push("...".into()),
                _ => {}
            }
            declare(types, func.ret, &format!("{name}({})", params.join(", ")))
        }
    }
}

/// `struct tag`; a record without a tag of its own gets one.
fn record_name(types: &Types, id: RecordId) -> String {
    let record = &types.records[id];
    let kind = match record.kind {
        RecordKind::Struct => "struct",
        RecordKind::Union => "union",
    };
    format!("{kind} {}", tag(types, id))
}

pub(crate) fn tag(types: &Types, id: RecordId) -> String {
    let name = &types.records[id].name;
    let mut chars = name.chars();
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let good = chars.next().is_some_and(|c| word(c) && !c.is_ascii_digit()) && chars.all(word);
    match good {
        true => name.clone(),
        false => format!("__record_{}", id.0),
    }
}

/// Definitions of all records that `roots` lead to, in an order that C accepts, except those
/// whose tag is in `known`.
pub fn define_records(
    types: &Types,
    roots: &[TypeId],
    known: &FxHashSet<String>,
) -> (String, Vec<RecordId>) {
    let mut out = String::new();
    let mut reached = Vec::new();
    let mut seen = FxHashSet::default();
    let mut work: Vec<TypeId> = roots.to_vec();
    while let Some(ty) = work.pop() {
        match &types[ty] {
            Type::Pointer(to) | Type::Array { elem: to, .. } => work.push(*to),
            Type::Record(id) if seen.insert(*id) => {
                reached.push(*id);
                work.extend(types.records[*id].fields.iter().map(|f| f.ty));
            }
            Type::Func(func) => {
                work.extend(&func.params);
                work.push(func.ret);
            }
            _ => {}
        }
    }
    reached.sort_unstable();
    for id in &reached {
        let _ = writeln!(out, "{};", record_name(types, *id));
    }
    let mut done = FxHashSet::default();
    let mut defined = Vec::new();
    for id in &reached {
        define(types, *id, known, &mut done, &mut defined, &mut out);
    }
    (out, defined)
}

/// A record after all records that it contains.
fn define(
    types: &Types,
    id: RecordId,
    known: &FxHashSet<String>,
    done: &mut FxHashSet<RecordId>,
    defined: &mut Vec<RecordId>,
    out: &mut String,
) {
    let record = &types.records[id];
    if !done.insert(id) || !record.complete || known.contains(&tag(types, id)) {
        return;
    }
    for field in &record.fields {
        let mut ty = field.ty;
        while let Type::Array { elem, .. } = types[ty] {
            ty = elem;
        }
        if let Some(inner) = types.as_record(ty) {
            define(types, inner, known, done, defined, out);
        }
    }
    let _ = write!(out, "{} {}", record_name(types, id), members(types, id));
    out.push_str(";\n");
    defined.push(id);
}

fn members(types: &Types, id: RecordId) -> String {
    let mut out = String::from("{ ");
    let align = types.records[id].align;
    for field in &types.records[id].fields {
        match types.as_record(field.ty) {
            Some(inner) if field.name.is_empty() => {
                let kind = match types.records[inner].kind {
                    RecordKind::Struct => "struct",
                    RecordKind::Union => "union",
                };
                let _ = write!(out, "{kind} {}; ", members(types, inner));
            }
            _ => out += &format!("{}; ", member(types, align, field)),
        }
    }
    out + "}"
}

/// A bit-field is declared with a type that does not ask for more than the record has.
fn member(types: &Types, align: u64, field: &cwolf_cwi::Field) -> String {
    match (&types[field.ty], field.bit_field) {
        (Type::Int(int), true) => {
            let sign = if int.signed { "signed" } else { "unsigned" };
            let base = match int.bits {
                ..=8 if align == 1 => "char",
                ..=16 if align <= 2 => "short",
                ..=32 => "int",
                _ => "long long",
            };
            format!("{sign} {base} {} : {}", field.name, int.bits)
        }
        _ => declare(types, field.ty, &field.name),
    }
}
