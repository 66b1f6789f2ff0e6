//! A failing run as a C file: definitions of everything the program leaves open, with the values
//! of that run, so that gcc's program fails too.

use crate::concrete::{End, Run, is_model};
use crate::property::Kind;
use crate::slic::ctype;
use crate::subject::Subject;
use crate::summary::show;
use cwolf_cwi::value::Value;
use cwolf_cwi::{Definition, FuncId, Program, Type};
use cwolf_report::Input;
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt::Write;

/// The files of a harness for a failing run of the program in `inputs`.
pub fn harness(subject: &Subject, run: &Run, inputs: &[Input]) -> Vec<(&'static str, Vec<u8>)> {
    let program = &subject.program;
    let kind = match &run.end {
        End::Fails(failure) => failure.kind,
        _ => Kind::Assertion,
    };
    let mut values: FxHashMap<FuncId, Vec<Value>> = FxHashMap::default();
    for choice in &run.choices {
        if let Some(from) = choice.from {
            values.entry(from).or_default().push(choice.value);
        }
    }
    let mut out = String::from(
        "/* The values of a failing run that cwolf found. Build it together with the program:\n   see run.sh. */\n\n",
    );
    out += "extern int fprintf(void *, const char *, ...);\nextern void *stderr;\n";
    out += "extern _Noreturn void exit(int);\nextern _Noreturn void abort(void);\n\n";
    let _ = writeln!(
        out,
        "/* Memory that pointers from outside the program lead to. */\nstatic char cwolf_outside[{}];\n",
        cwolf_interp::OUTSIDE_SIZE
    );
    out += "static void cwolf_over(const char *what)\n{\n    \
            fprintf(stderr, \"cwolf: %s is called more often than in the failing run\\n\", what);\n    \
            exit(3);\n}\n\n";
    let mut roots = Vec::new();
    let mut functions = String::new();
    for (id, function) in program.funcs.enumerate() {
        if is_input(program, id)
            && let Some(list) = values.get(&id)
        {
            functions += &replacement(program, id, list);
            continue;
        }
        let stub = subject.stubs.contains(&id);
        let open = function.definition == Definition::Declared || stub || is_absent(subject, id);
        let name = function.name.as_str();
        if !open || name.starts_with("__cwolf") || name.ends_with(crate::slic::SUFFIX) {
            continue;
        }
        let Type::Func(ty) = &program.types[function.ty] else {
            continue;
        };
        if subject.error_functions.contains(&id) && is_absent(subject, id) {
            let _ = writeln!(
                functions,
                "void {name}(void)\n{{\n    fprintf(stderr, \"cwolf: {name} is called\\n\");\n    abort();\n}}\n"
            );
        } else if name == "__VERIFIER_assume" {
            functions +=
                "void __VERIFIER_assume(int holds)\n{\n    if (!holds)\n        exit(3);\n}\n\n";
        } else if name == "__VERIFIER_assert" {
            functions +=
                "void __VERIFIER_assert(int holds)\n{\n    if (!holds)\n        abort();\n}\n\n";
        } else if stub || name.starts_with("__VERIFIER_nondet") {
            roots.push(function.ty);
            let list = values.get(&id).map_or(&[][..], Vec::as_slice);
            functions += &definition(program, name, ty, list);
        }
    }
    let (records, _) = ctype::define_records(&program.types, &roots, &FxHashSet::default());
    out += &records;
    out += &functions;
    vec![
        ("harness.c", out.into_bytes()),
        ("run.sh", script(subject, kind, inputs).into_bytes()),
    ]
}

/// Whether an error function is one that the user's program does not define.
fn is_absent(subject: &Subject, func: FuncId) -> bool {
    subject.undefined_errors.contains(&func)
}

/// Whether a function is one of the C library's, by a model, that brings something in by its
/// result only. What is written stays as it is, and what a function puts into memory comes from
/// the real one.
fn is_input(program: &Program, func: FuncId) -> bool {
    const INPUT: [&str; 7] = [
        "getchar", "getc", "fgetc", "rand", "random", "clock", "sleep",
    ];
    is_model(program, func) && INPUT.contains(&program.funcs[func].name.as_str())
}

/// A function of the library that returns the values of the run instead.
fn replacement(program: &Program, func: FuncId, values: &[Value]) -> String {
    let function = &program.funcs[func];
    match &program.types[function.ty] {
        Type::Func(ty) => {
            let unknown = cwolf_cwi::FuncTy {
                params: Vec::new(),
                variadic: true,
                ..ty.clone()
            };
            definition(program, &function.name, &unknown, values)
        }
        _ => String::new(),
    }
}

/// A function that returns the values of the run, one after the other.
fn definition(program: &Program, name: &str, ty: &cwolf_cwi::FuncTy, values: &[Value]) -> String {
    let types = &program.types;
    let params: Vec<String> = ty
        .params
        .iter()
        .enumerate()
        .map(|(n, p)| ctype::declare(types, *p, &format!("a{}", n + 1)))
        .collect();
    let params = match params.is_empty() {
        true if ty.variadic => String::new(),
        true => "void".into(),
        false if ty.variadic => format!("{}, ...", params.join(", ")),
        false => params.join(", "),
    };
    let head = ctype::declare(types, ty.ret, &format!("{name}({params})"));
    if matches!(types[ty.ret], Type::Void) {
        return format!("{head}\n{{\n}}\n\n");
    }
    if !types.is_scalar(ty.ret) {
        let zero = ctype::declare(types, ty.ret, "any");
        return format!("{head}\n{{\n    static {zero};\n    return any;\n}}\n\n");
    }
    let element = ctype::declare(types, ty.ret, "values[]");
    let list: Vec<String> = values
        .iter()
        .map(|v| literal(program, ty.ret, *v))
        .collect();
    let list = match list.is_empty() {
        true => "0".into(),
        false => list.join(", "),
    };
    format!(
        "{head}\n{{\n    static const {element} = {{{list}}};\n    static unsigned next;\n    \
         if (next >= {})\n        cwolf_over(\"{name}\");\n    return values[next++];\n}}\n\n",
        values.len()
    )
}

/// A value as a C constant.
fn literal(program: &Program, ty: cwolf_cwi::TypeId, value: Value) -> String {
    let text = show(program, ty, value);
    match (&program.types[ty], value) {
        (Type::Pointer(_), Value::Int(v)) if v >= cwolf_interp::OUTSIDE.into() => {
            let pointer = ctype::declare(&program.types, ty, "");
            let offset = v - i128::from(cwolf_interp::OUTSIDE);
            format!("({pointer})(cwolf_outside + {offset})")
        }
        (Type::Pointer(_), _) => {
            let pointer = ctype::declare(&program.types, ty, "");
            format!("({pointer}){text}")
        }
        (Type::Int(int), Value::Int(v)) if v < -0x7fff_ffff => {
            // The smallest number has no literal of its own.
            let suffix = if int.bits > 32 { "LL" } else { "" };
            format!("({}{suffix} - 1)", v + 1)
        }
        (Type::Int(int), _) => match (int.signed, int.bits > 32) {
            (true, false) => text,
            (true, true) => format!("{text}LL"),
            (false, false) => format!("{text}u"),
            (false, true) => format!("{text}ULL"),
        },
        (Type::Float(_), _) if text.contains("inf") => {
            let sign = if text.starts_with('-') { "-" } else { "" };
            format!("{sign}__builtin_inf()")
        }
        (Type::Float(_), _) if text.contains("nan") => "__builtin_nan(\"\")".into(),
        _ => text,
    }
}

/// Builds and runs the program with gcc.
fn script(subject: &Subject, kind: Kind, inputs: &[Input]) -> String {
    let sanitise = match kind {
        Kind::Bounds | Kind::Pointer => " -fsanitize=address,undefined -fno-sanitize-recover=all",
        Kind::DivisionByZero | Kind::Overflow | Kind::Shift => {
            " -fsanitize=undefined,integer-divide-by-zero -fno-sanitize-recover=all"
        }
        _ => "",
    };
    let model = match subject.program.types.target() {
        cwolf_cwi::Target::Lp64 => "",
        cwolf_cwi::Target::Ilp32 => " -m32",
    };
    let quoted = |path: &str| format!("'{}'", path.replace('\'', "'\\''"));
    let files: Vec<String> = inputs.iter().map(|i| quoted(&i.path)).collect();
    format!(
        "#!/bin/sh\n# Builds the program with the values of the failing run and runs it; it must fail.\n\
         # Run this where cwolf was run, or say where in FOLDER.\n\
         here=$(cd \"$(dirname \"$0\")\" && pwd)\n\
         cd \"${{FOLDER:-.}}\" || exit 2\n\
         ${{CC:-gcc}} -g -w{model}{sanitise} $CFLAGS -o \"$here/failing\" {} \"$here/harness.c\" || exit 2\n\
         \"$here/failing\"\n\
         code=$?\n\
         [ $code -ne 0 ] && echo \"the program fails (status $code)\" >&2\n\
         exit $code\n",
        files.join(" ")
    )
}
