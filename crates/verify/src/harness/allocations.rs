//! Allocations of a harness: they fail where they did in the run.

use super::{WRAP, head};
use crate::concrete::Run;
use cwolf_cwi::value::Value;
use cwolf_cwi::{FuncTy, Program, Type};
use cwolf_prepare::MAY_FAIL;
use std::fmt::Write;

/// A function that allocates, its type, and which of its calls failed.
struct Allocator<'p> {
    name: &'p str,
    ty: &'p FuncTy,
    fails: Vec<bool>,
}

/// Those of which a call failed.
fn failing<'p>(program: &'p Program, run: &Run) -> Vec<Allocator<'p>> {
    let mut found = Vec::new();
    for (id, function) in program.funcs.enumerate() {
        let (Some(name), Type::Func(ty)) = (
            function.name.strip_suffix(MAY_FAIL),
            &program.types[function.ty],
        ) else {
            continue;
        };
        let own = run.choices.iter().filter(|choice| choice.from == Some(id));
        let fails: Vec<bool> = own.map(|choice| choice.value != Value::Int(0)).collect();
        if fails.contains(&true) {
            found.push(Allocator { name, ty, fails });
        }
    }
    found
}

/// The names of functions that the linker replaces.
pub(super) fn names<'p>(program: &'p Program, run: &Run) -> Vec<&'p str> {
    failing(program, run).iter().map(|a| a.name).collect()
}

/// Definitions of the functions that allocate. Memory that was never written is zero in the run.
pub(super) fn text(program: &Program, run: &Run) -> String {
    let mut out = String::new();
    let all = failing(program, run);
    for one in &all {
        let fails: Vec<&str> = one
            .fails
            .iter()
            .map(|f| if *f { "1" } else { "0" })
            .collect();
        let args: Vec<String> = (1..=one.ty.params.len()).map(|n| format!("a{n}")).collect();
        let args = args.join(", ");
        let really = match one.name {
            "malloc" => format!("calloc(1, {args})"),
            name => format!("__real_{name}({args})"),
        };
        let _ = writeln!(
            out,
            "{};\n{}\n{{\n    static const char fails[] = {{{}}};\n    static unsigned next;\n    \
             if (next < sizeof fails && fails[next++])\n        return 0;\n    return {really};\n}}\n",
            head(program, &format!("__real_{}", one.name), one.ty),
            head(program, &format!("{WRAP}{}", one.name), one.ty),
            fails.join(", "),
        );
    }
    if all.iter().all(|one| one.name != "malloc") {
        out += "void *__wrap_malloc(__SIZE_TYPE__ size)\n{\n    return calloc(1, size);\n}\n\n";
    }
    out
}
