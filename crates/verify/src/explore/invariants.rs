//! The values that an exploration reached at the heads of loops, as conditions in C.

use cwolf_absint::explore::{Head, Scalar};
use cwolf_cwi::{FuncId, Program, Type, TypeId, VarId, VarKind};
use cwolf_engines::{Invariant, Task, is_in_scope};
use std::collections::BTreeSet;

/// A condition has so many alternatives at most.
const MOST: usize = 8;

/// What holds at each loop head that was reached.
pub(super) fn invariants(task: &Task<'_>, heads: &[Head]) -> Vec<Invariant> {
    heads.iter().filter_map(|head| told(task, head)).collect()
}

fn told(task: &Task<'_>, head: &Head) -> Option<Invariant> {
    let program: &Program = task.program;
    // The machine has variables of its own.
    let known = |(var, ..): &Scalar| (var.0 as usize) < program.vars.len();
    let names = head.cells.iter().map(|cell| {
        let cell = Some(cell).filter(|c| known(c) && is_told(program, c.0, head))?;
        name(program, *cell)
    });
    let names: Vec<Option<String>> = names.collect();
    let fits = |n: &i128| i32::try_from(*n).is_ok();
    let equations = |row: &Vec<Option<i128>>| -> Vec<(usize, i128)> {
        let cells = row.iter().enumerate();
        cells
            .filter_map(|(n, value)| Some((n, value.filter(fits)?)))
            .filter(|(n, _)| names[*n].is_some())
            .collect()
    };
    let rows: BTreeSet<Vec<(usize, i128)>> = head.rows.iter().map(equations).collect();
    let say = |(n, value): &(usize, i128)| {
        let name = names[*n].as_deref().expect("it is named");
        format!("{name} == {value}")
    };
    let text = match rows.len() <= MOST {
        true => {
            let row = |row: &Vec<(usize, i128)>| row.iter().map(say).collect::<Vec<_>>();
            let rows: Vec<Vec<String>> = rows.iter().map(row).collect();
            if rows.iter().any(Vec::is_empty) {
                return None;
            }
            any(&rows.iter().map(|r| r.join(" && ")).collect::<Vec<_>>())
        }
        // Too many together: each cell by itself.
        false => {
            let mut all = Vec::new();
            for n in 0..names.len() {
                let values: Option<BTreeSet<i128>> = rows
                    .iter()
                    .map(|row| row.iter().find(|(m, _)| *m == n).map(|(_, v)| *v))
                    .collect();
                let few = values.filter(|v| v.len() <= MOST);
                if let Some(values) = few {
                    let each: Vec<String> = values.iter().map(|v| say(&(n, *v))).collect();
                    all.push(any(&each));
                }
            }
            let several = all.len() > 1;
            let part = |text: String| match several && text.contains("||") {
                true => format!("({text})"),
                false => text,
            };
            all.into_iter().map(part).collect::<Vec<_>>().join(" && ")
        }
    };
    (!text.is_empty() && text.len() <= 400).then_some(Invariant {
        func: head.func,
        block: head.block,
        text,
    })
}

/// One of several conditions.
fn any(all: &[String]) -> String {
    let part = |text: &String| match all.len() > 1 && text.contains("&&") {
        true => format!("({text})"),
        false => text.clone(),
    };
    all.iter().map(part).collect::<Vec<_>>().join(" || ")
}

/// Whether C has a name for a variable at a loop head.
fn is_told(program: &Program, var: VarId, head: &Head) -> bool {
    let v = &program.vars[var];
    let own = |f: Option<FuncId>| f.is_none_or(|f| f == head.func);
    let plain = v
        .name
        .chars()
        .all(|c| c.is_ascii_alphanumeric() || c == '_');
    let named = !matches!(v.kind, VarKind::Temp(_) | VarKind::Literal) && plain;
    named
        && !v.volatile
        && own(v.kind.function())
        && is_in_scope(program, var, (head.func, head.block))
}

/// What C calls a scalar.
fn name(program: &Program, (var, bit, ty): Scalar) -> Option<String> {
    let mut name = program.vars[var].name.clone();
    let mut at: TypeId = program.vars[var].ty;
    let mut bit = bit;
    loop {
        match &program.types[at] {
            Type::Record(record) => {
                let fields = &program.types.records[*record].fields;
                let field = fields.iter().rev().find(|f| f.bit_offset <= bit)?;
                if field.name.is_empty() {
                    return None;
                }
                name = format!("{name}.{}", field.name);
                bit -= field.bit_offset;
                at = field.ty;
            }
            Type::Int(_) | Type::Bool => return (bit == 0 && at == ty).then_some(name),
            _ => return None,
        }
    }
}
