//! The function that calls the program: `main` with the arguments of the run, or another function
//! with the values that it got. The linker puts it in the place of `main`.

use super::values::{byte_list, literal, string};
use crate::concrete::{Bytes, Datum, Run};
use cwolf_cwi::value::Value;
use cwolf_cwi::{Linkage, Type, TypeId};
use cwolf_prepare::slic::ctype;
use cwolf_prepare::{Alternative, Inputs, Passed, START, Subject, Words};
use std::fmt::Write;

/// Whether the program needs a caller of its own.
pub(super) fn needs_caller(subject: &Subject) -> bool {
    subject.entry_name != "main" || subject.inputs != Inputs::None
}

/// The arguments of `main` in a run.
pub fn words(subject: &Subject, run: &Run) -> Option<Words> {
    let Inputs::Main(inputs) = &subject.inputs else {
        return None;
    };
    let program = &subject.program;
    let at_start = run.choices.iter().filter(|choice| {
        let from = choice.from.map(|func| program.funcs[func].name.as_str());
        from == Some(START)
    });
    let values: Vec<Value> = at_start.map(|choice| choice.value).collect();
    Some(inputs.words(&values))
}

/// The caller; the types that it needs go to `roots`.
pub(super) fn caller(subject: &Subject, run: &Run, roots: &mut Vec<TypeId>) -> String {
    if !needs_caller(subject) {
        return String::new();
    }
    match words(subject, run) {
        Some(words) => main_caller(&words),
        None => function_caller(subject, run, roots),
    }
}

fn main_caller(words: &Words) -> String {
    let mut out = String::from("int __real_main(int, char **, char **);\n\n");
    list(&mut out, "argument", "arguments", &words.list);
    let environment = match &words.environment {
        Some(texts) => {
            list(&mut out, "variable", "environment", texts);
            "environment"
        }
        None => "envp",
    };
    let _ = writeln!(
        out,
        "int __wrap_main(int argc, char **argv, char **envp)\n{{\n    \
         return __real_main({}, arguments, {environment});\n}}\n",
        words.count
    );
    out
}

fn list(out: &mut String, text: &str, name: &str, texts: &[Vec<u8>]) {
    let mut elements = Vec::new();
    for (n, bytes) in texts.iter().enumerate() {
        let _ = writeln!(out, "static char {text}{n}[] = {};", string(bytes));
        elements.push(format!("{text}{n}"));
    }
    elements.push("0".into());
    let _ = writeln!(
        out,
        "static char *{name}[] = {{{}}};\n",
        elements.join(", ")
    );
}

fn function_caller(subject: &Subject, run: &Run, roots: &mut Vec<TypeId>) -> String {
    let program = &subject.program;
    let types = &program.types;
    let name = &subject.entry_name;
    let Some(function) = program.function(name).map(|f| &program.funcs[f]) else {
        return String::new();
    };
    // The linker gives `main` another name.
    let name = match name.as_str() {
        "main" => "__real_main",
        other => other,
    };
    let passed = match &subject.inputs {
        Inputs::Values(passed) => passed.as_slice(),
        _ => &[],
    };
    roots.push(function.ty);
    let mut out = format!("{};\n\n", ctype::declare(types, function.ty, name));
    let mut body = String::new();
    let mut args = Vec::new();
    for (n, param) in function.params.iter().enumerate() {
        let ty = program.vars[*param].ty;
        let how = passed.get(n);
        let given = match how.map(|how| how.object) {
            Some(Some(object)) => run.entry.iter().find(|(var, _)| *var == object),
            Some(None) => None,
            None => run.entry.get(n),
        };
        let Some((var, datum)) = given else {
            args.push("0".into());
            continue;
        };
        let own = program.vars[*var].ty;
        let pointed = own != ty;
        let object = format!("object{}", n + 1);
        match (datum, pointed) {
            (Datum::Scalar(value), false) => args.push(literal(program, ty, *value)),
            (Datum::Scalar(value), true) => {
                roots.push(own);
                let declared = ctype::declare(types, own, &object);
                let _ = writeln!(out, "static {declared};\n");
                let _ = writeln!(body, "    {object} = {};", literal(program, own, *value));
                args.push(format!("({})&{object}", ctype::declare(types, ty, "")));
            }
            (Datum::Bytes(bytes), _) => {
                out += &bytes_object(&object, bytes);
                for (at, outside) in &bytes.pointers {
                    let _ = writeln!(
                        body,
                        "    *(void **)({object} + {at}) = cwolf_outside + {outside};"
                    );
                }
                let plain = ctype::declare(types, ty, "");
                args.push(match pointed {
                    true => format!("({plain}){object}"),
                    false => format!("*({})(void *){object}", ctype::declare(types, ty, "*")),
                });
            }
            (Datum::Into(..) | Datum::Made(_), _) => args.push("0".into()),
        }
        if let Some(other) = how.and_then(|how| another_way(how, run)) {
            let cast = ctype::declare(types, ty, "");
            let other = match other {
                Alternative::Own | Alternative::Outside => continue,
                Alternative::Null => "0".into(),
                Alternative::Argument(n) => format!("({cast})&object{}", n + 1),
                Alternative::Variable(var) => {
                    let var = &program.vars[*var];
                    if var.linkage != Linkage::External {
                        continue;
                    }
                    roots.push(var.ty);
                    let _ = writeln!(out, "extern {};", ctype::declare(types, var.ty, &var.name));
                    format!("({cast})&{}", var.name)
                }
            };
            args[n] = other;
        }
    }
    let _ = writeln!(
        out,
        "int __wrap_main(void)\n{{\n{body}    {name}({});\n    return 0;\n}}\n",
        args.join(", ")
    );
    if let Type::Func(ty) = &types[function.ty] {
        roots.push(ty.ret);
    }
    out
}

/// The way in which a pointer was passed in a run.
fn another_way<'p>(how: &'p Passed, run: &Run) -> Option<&'p Alternative> {
    let which = how.which?;
    let (_, datum) = run.entry.iter().find(|(var, _)| *var == which)?;
    let Datum::Scalar(Value::Int(which)) = datum else {
        return None;
    };
    let which = which.rem_euclid(how.ways.len().max(1) as i128);
    how.ways.get(which as usize)
}

fn bytes_object(name: &str, bytes: &Bytes) -> String {
    format!(
        "static unsigned char {name}[{}] __attribute__((aligned(16))) = {{{}}};\n\n",
        bytes.bytes.len().max(1),
        byte_list(&bytes.bytes)
    )
}
