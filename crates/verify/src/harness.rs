//! A failing run as a C file: definitions of everything the program leaves open, with the values
//! of that run, so that gcc's program fails too.

mod access_paths;
mod allocations;
mod entry;
mod script;
mod values;

pub use entry::words;
pub use script::{Unit, quoted};

use crate::concrete::{Bytes, Datum, Effect, End, Failure, Made, Run, is_outside};
use access_paths::Ways;
use cwolf_cwi::value::Value;
use cwolf_cwi::{
    Definition, FuncId, FuncTy, Function, Linkage, Origin, Program, Type, TypeId, VarKind,
};
use cwolf_known::{CType, Row};
use cwolf_prepare::Subject;
use cwolf_prepare::slic::ctype;
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt::Write;
use values::{byte_list, literal};

/// What a harness is made of.
pub struct Task<'a> {
    /// The program.
    pub subject: &'a Subject,
    /// The run.
    pub run: &'a Run,
    /// How each file of the program is compiled.
    pub units: &'a [Unit],
    /// Where that was, and is again.
    pub folder: String,
    /// The command that repeats the run without gcc.
    pub repeat: String,
}

/// The files of a harness for a failing run.
pub fn harness(task: &Task<'_>) -> Vec<(&'static str, Vec<u8>)> {
    let End::Fails(failure) = &task.run.end else {
        return Vec::new();
    };
    vec![
        ("harness.c", text(task.subject, task.run).into_bytes()),
        ("run.sh", script::script(task, failure).into_bytes()),
    ]
}

/// What every harness needs.
const START: &str = "\
/* The values of a failing run that cwolf found. Build it together with the program: see run.sh. */

extern int dprintf(int, const char *, ...);
extern void *memcpy(void *, const void *, __SIZE_TYPE__);
extern void *calloc(__SIZE_TYPE__, __SIZE_TYPE__);
extern _Noreturn void _exit(int);
extern _Noreturn void abort(void);

/* The program goes another way than the run did. */
_Noreturn void cwolf_differs(const char *what)
{
    dprintf(2, \"cwolf: %s is called more often than in the failing run\\n\", what);
    _exit(3);
}

_Noreturn void cwolf_missing(const char *what)
{
    dprintf(2, \"cwolf: %s is called but not defined\\n\", what);
    _exit(3);
}

_Noreturn void cwolf_error(const char *what)
{
    dprintf(2, \"cwolf: %s is called\\n\", what);
    abort();
}

_Noreturn void cwolf_misused(const char *what)
{
    dprintf(2, \"cwolf: %s is called as it must not be\\n\", what);
    abort();
}

_Noreturn void cwolf_label(void)
{
    dprintf(2, \"cwolf: the label ERROR is reached\\n\");
    abort();
}

";

/// What a word of verification means.
fn word(name: &str) -> Option<&'static Row> {
    cwolf_known::lookup(name).filter(|row| row.is_word())
}

fn text(subject: &Subject, run: &Run) -> String {
    let program = &subject.program;
    let mut out = START.to_owned();
    out += &allocations::text(program, run);
    let mut functions = String::new();
    let mut roots = Vec::new();
    let calls = calls(program, run);
    let used = &subject.mentioned;
    let effects = effects(program, run);
    let replaced = replaced(subject);
    for (id, function) in program.funcs.enumerate() {
        let name = function.name.as_str();
        let made = subject.chooser == Some(id) || is_made(function);
        let Type::Func(ty) = &program.types[function.ty] else {
            continue;
        };
        if made || !used.contains(&id) {
            continue;
        }
        if subject.error_functions.contains(&id) {
            let _ = writeln!(
                functions,
                "void {name}()\n{{\n    cwolf_error(\"{name}\");\n}}\n"
            );
        } else if replaced.contains(name) {
            roots.push(function.ty);
            let list = effects.get(name).map_or(&[][..], Vec::as_slice);
            let ty = as_called(ty, list);
            functions += &outside(program, id, &ty, list, &replaced);
        } else if function.definition != Definition::Declared || function.body.is_some() {
            continue;
        } else if word(name).is_some_and(|row| row.assumes() == Some(0)) {
            let _ = writeln!(
                functions,
                "void {name}(int holds)\n{{\n    if (!holds) {{\n        \
                dprintf(2, \"cwolf: an assumption does not hold\\n\");\n        _exit(3);\n    }}\n}}\n"
            );
        } else if word(name).is_some_and(|row| row.asserts() == Some(0)) {
            let _ = writeln!(
                functions,
                "void {name}(int holds)\n{{\n    if (!holds)\n        \
                cwolf_error(\"{name} with a false condition\");\n}}\n"
            );
        } else if word(name).is_some_and(|row| row.chooses() && !row.changes_memory()) {
            roots.push(function.ty);
            let list = calls.get(&id).map_or(&[][..], Vec::as_slice);
            functions += &scalar_list(program, name, ty, list);
        }
    }
    functions += &data(subject);
    functions += &first_values(subject, run);
    functions += &outside_contents(program, run);
    functions += &entry::caller(subject, run, &mut roots);
    if functions.contains("cwolf_outside") {
        let size = cwolf_interp::OUTSIDE_SIZE;
        let _ = writeln!(
            out,
            "/* Memory that pointers from outside the program lead to. */\n\
             static char cwolf_outside[{size}] __attribute__((aligned(16)));\n"
        );
    }
    if functions.contains("cwolf_put(") {
        out += "static void cwolf_put(void *to, long offset, const void *what, __SIZE_TYPE__ size)\n\
            {\n    memcpy((char *)to + offset, what, size);\n}\n\n";
    }
    let (records, _) = ctype::define_records(&program.types, &roots, &FxHashSet::default());
    out += &records;
    out += &access_paths::declarations(program, &run.effects);
    out += &functions;
    out
}

/// Whether a function is not the user's: of a rule, or made to join parts.
fn is_made(function: &Function) -> bool {
    matches!(function.origin, Origin::Rule | Origin::Glue)
}

/// The type of a function; one without a prototype has the parameters that it is called with.
fn as_called(ty: &FuncTy, calls: &[&Effect]) -> FuncTy {
    let mut ty = ty.clone();
    if ty.params.is_empty()
        && ty.variadic
        && let Some(first) = calls.first()
        && calls.iter().all(|c| c.arguments == first.arguments)
    {
        ty.params.clone_from(&first.arguments);
        ty.variadic = false;
    }
    ty
}

/// What lay in memory outside the program, before it starts.
fn outside_contents(program: &Program, run: &Run) -> String {
    let Some(base) = run.outside else {
        return String::new();
    };
    let size = program.target().pointer_size() as usize;
    let room = base..base + cwolf_interp::OUTSIDE_SIZE;
    let mut out = String::new();
    for (addr, bytes) in run.settled.iter().filter(|(addr, _)| room.contains(addr)) {
        let at = addr - base;
        let word = bytes
            .iter()
            .rev()
            .fold(0, |all: u64, b| all << 8 | u64::from(*b));
        let _ = match bytes.len() == size && room.contains(&word) {
            true => writeln!(
                out,
                "    *(void **)(cwolf_outside + {at}) = cwolf_outside + {};",
                word - base
            ),
            false => writeln!(
                out,
                "    memcpy(cwolf_outside + {at}, (unsigned char[]){{{}}}, {});",
                byte_list(bytes),
                bytes.len()
            ),
        };
    }
    match out.is_empty() {
        true => out,
        false => {
            format!("__attribute__((constructor)) static void cwolf_fill(void)\n{{\n{out}}}\n\n")
        }
    }
}

/// What functions without a body returned to the program, by function, in order.
fn calls(program: &Program, run: &Run) -> FxHashMap<FuncId, Vec<Value>> {
    let mut calls: FxHashMap<FuncId, Vec<Value>> = FxHashMap::default();
    for choice in &run.choices {
        if let Some(from) = choice.from
            && program.funcs[from].body.is_none()
        {
            calls.entry(from).or_default().push(choice.value);
        }
    }
    calls
}

fn effects<'r>(program: &'r Program, run: &'r Run) -> FxHashMap<&'r str, Vec<&'r Effect>> {
    let mut all: FxHashMap<&str, Vec<&Effect>> = FxHashMap::default();
    for effect in &run.effects {
        let name = program.funcs[effect.func].name.as_str();
        all.entry(name).or_default().push(effect);
    }
    all
}

/// The head of a function's definition; its parameters are `a1`, `a2`, …
fn head(program: &Program, name: &str, ty: &FuncTy) -> String {
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
    ctype::declare(types, ty.ret, &format!("{name}({params})"))
}

/// A function that does what it did in the run, call by call.
fn outside(
    program: &Program,
    func: FuncId,
    ty: &FuncTy,
    calls: &[&Effect],
    replaced: &FxHashSet<&str>,
) -> String {
    let name = &program.funcs[func].name;
    let scalar = |datum: &Datum| match datum {
        Datum::Scalar(value) => Some(*value),
        _ => None,
    };
    let plain: Option<Vec<Value>> = calls
        .iter()
        .filter(|c| c.result.is_some() || !c.written.is_empty() || !c.kept.is_empty() || c.last)
        .map(|c| {
            c.result
                .as_ref()
                .and_then(scalar)
                .filter(|_| c.written.is_empty() && c.kept.is_empty() && !c.last)
        })
        .collect();
    let [symbol, others @ ..] = &symbols(name)[..] else {
        return String::new();
    };
    let mut out = match plain {
        Some(values) if program.types.is_scalar(ty.ret) => {
            scalar_list(program, symbol, ty, &values)
        }
        _ => call_by_call(program, symbol, ty, calls, replaced),
    };
    for other in others {
        let alias = head(program, other, ty);
        let _ = writeln!(out, "{alias} __attribute__((alias(\"{symbol}\")));\n");
    }
    out
}

/// What starts the name of a function that the linker puts in the place of another.
const WRAP: &str = "__wrap_";

/// The names by which the harness defines a function. The library calls its own functions too (so does
/// AddressSanitizer), and these are not the program's calls: the linker tells them apart. The
/// system's headers call some by other names.
fn symbols(name: &str) -> Vec<String> {
    if cwolf_known::lookup(name).is_none_or(Row::is_word) {
        return vec![name.to_owned()];
    }
    let mut names = vec![format!("{WRAP}{name}")];
    if name.ends_with("scanf") {
        names.extend(["__isoc99_", "__isoc23_"].map(|prefix| format!("{WRAP}{prefix}{name}")));
    }
    names
}

/// Functions that the harness defines. A call whose format can be read is of a copy of the function: all
/// are one function here.
fn replaced(subject: &Subject) -> FxHashSet<&str> {
    let all = subject.program.funcs.enumerate();
    // Inline assembly is still there.
    let called = all.filter(|(_, f)| f.origin != Origin::Assembly);
    let outside = called.filter(|(id, _)| is_outside(subject, *id));
    outside.map(|(_, f)| f.name.as_str()).collect()
}

/// The functions that the linker replaces.
fn wrapped(subject: &Subject) -> Vec<String> {
    let replaced = replaced(subject);
    let all = subject.program.funcs.enumerate();
    let used = all.filter(|(id, _)| subject.mentioned.contains(id));
    let used = used.filter(|(_, f)| replaced.contains(f.name.as_str()));
    let names = used.flat_map(|(_, f)| symbols(&f.name));
    let mut names: Vec<String> = names
        .filter_map(|name| Some(name.strip_prefix(WRAP)?.to_owned()))
        .collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// A function that returns the values of the run, one after the other.
fn scalar_list(program: &Program, name: &str, ty: &FuncTy, values: &[Value]) -> String {
    let types = &program.types;
    let head = head(program, name, ty);
    if matches!(types[ty.ret], Type::Void) {
        return format!("{head}\n{{\n}}\n\n");
    }
    let element = ctype::declare(types, ty.ret, "values[]");
    let name = name.trim_start_matches(WRAP);
    let list: Vec<String> = values
        .iter()
        .map(|v| literal(program, ty.ret, *v))
        .collect();
    let (count, list) = match list.is_empty() {
        true => (0, "0".into()),
        false => (list.len(), list.join(", ")),
    };
    format!(
        "{head}\n{{\n    static {element} = {{{list}}};\n    static unsigned next;\n    \
         if (next >= {count})\n        cwolf_differs(\"{name}\");\n    return values[next++];\n}}\n\n"
    )
}

fn call_by_call(
    program: &Program,
    name: &str,
    ty: &FuncTy,
    calls: &[&Effect],
    replaced: &FxHashSet<&str>,
) -> String {
    let types = &program.types;
    let mut out = format!(
        "{}\n{{\n    static unsigned next;\n    switch (next++) {{\n",
        head(program, name, ty)
    );
    let name = name.trim_start_matches(WRAP);
    for (n, call) in calls.iter().enumerate() {
        let _ = writeln!(out, "    case {n}: {{");
        if call.last {
            let _ = writeln!(out, "        cwolf_misused(\"{name}\");\n    }}");
            continue;
        }
        let ways = Ways::of(call);
        out += &unnamed(types, ty, call, &ways);
        let named = match ty.variadic && !ty.params.is_empty() {
            true => call.arguments.len(),
            false => ty.params.len(),
        };
        out += &ways.text(program, named);
        for (n, way) in &call.kept {
            let _ = writeln!(out, "        cwolf_kept{n} = {};", ways.name(way));
        }
        for written in &call.written {
            out += &put(
                &ways.name(&written.to),
                written.offset,
                &written.bytes,
                &ways,
            );
        }
        out += &match handle(name, replaced).filter(|_| matches!(call.result, Some(Datum::Made(_))))
        {
            Some(text) => format!("        return {text};\n"),
            None => result(program, ty.ret, call.result.as_ref(), &ways),
        };
        out += "    }\n";
    }
    let _ = writeln!(
        out,
        "    default:\n        cwolf_differs(\"{name}\");\n    }}\n}}\n"
    );
    out
}

/// Names for the unnamed arguments that a call writes through.
fn unnamed(types: &cwolf_cwi::Types, ty: &FuncTy, call: &Effect, ways: &Ways<'_>) -> String {
    let named = ty.params.len();
    let last = ways.last_argument();
    let Some(last) = last.filter(|last| *last >= named && named > 0 && ty.variadic) else {
        return String::new();
    };
    let mut out =
        format!("        __builtin_va_list rest;\n        __builtin_va_start(rest, a{named});\n");
    for n in named..=last {
        let Some(arg) = call.arguments.get(n) else {
            break;
        };
        let declared = ctype::declare(types, *arg, &format!("a{}", n + 1));
        let plain = ctype::declare(types, *arg, "");
        let _ = writeln!(out, "        {declared} = __builtin_va_arg(rest, {plain});");
    }
    out + "        __builtin_va_end(rest);\n"
}

/// Statements that write bytes `offset` after what `to` points to.
fn put(to: &str, offset: i64, what: &Bytes, ways: &Ways<'_>) -> String {
    let mut out = format!(
        "        cwolf_put({to}, {offset}, (unsigned char[]){{{}}}, {});\n",
        byte_list(&what.bytes),
        what.bytes.len()
    );
    for (at, outside) in &what.pointers {
        let _ = writeln!(
            out,
            "        *(void **)((char *){to} + {}) = cwolf_outside + {outside};",
            offset + *at as i64
        );
    }
    for (at, object) in &what.made {
        let _ = writeln!(
            out,
            "        *(void **)((char *){to} + {}) = {};",
            offset + *at as i64,
            made(object)
        );
    }
    for (at, way, into) in &what.into {
        let _ = writeln!(
            out,
            "        *(void **)((char *){to} + {}) = {} + {into};",
            offset + *at as i64,
            ways.name(way)
        );
    }
    out
}

/// A handle of the system's library, for its functions that the harness does not replace.
fn handle(name: &str, replaced: &FxHashSet<&str>) -> Option<String> {
    let CType::Pointer { to, .. } = cwolf_known::lookup(name)?.makes_handle()? else {
        return None;
    };
    let (maker, arguments) = match &**to {
        CType::Named(name) if name == "FILE" => ("tmpfile", ""),
        CType::Named(name) if name == "DIR" => ("opendir", "\"/\""),
        _ => return None,
    };
    let real = if replaced.contains(maker) {
        "__real_"
    } else {
        ""
    };
    Some(format!(
        "__extension__ ({{ extern void *{real}{maker}(); {real}{maker}({arguments}); }})"
    ))
}

/// A new object with these contents, which may be freed.
fn made(object: &Made) -> String {
    let size = object.contents.len();
    format!(
        "(char *)memcpy(calloc(1, {}), (unsigned char[]){{{}}}, {size}) + {}",
        size.max(1),
        byte_list(&object.contents),
        object.offset
    )
}

fn result(program: &Program, ty: TypeId, result: Option<&Datum>, ways: &Ways<'_>) -> String {
    let types = &program.types;
    match result {
        _ if matches!(types[ty], Type::Void) => "        return;\n".into(),
        Some(Datum::Scalar(value)) => {
            format!("        return {};\n", literal(program, ty, *value))
        }
        Some(Datum::Into(way, offset)) => format!(
            "        return ({})({} + {offset});\n",
            ctype::declare(types, ty, ""),
            ways.name(way)
        ),
        Some(Datum::Made(object)) => format!(
            "        return ({})({});\n",
            ctype::declare(types, ty, ""),
            made(object)
        ),
        Some(Datum::Bytes(bytes)) => {
            let declared = ctype::declare(types, ty, "value");
            let put = put("&value", 0, bytes, ways);
            format!("        {declared};\n{put}        return value;\n")
        }
        None => {
            let declared = ctype::declare(types, ty, "nothing");
            format!("        static {declared};\n        return nothing;\n")
        }
    }
}

/// Definitions of variables that no file defines; run.sh asks for those that are missing.
fn data(subject: &Subject) -> String {
    let program = &subject.program;
    let mut out = String::new();
    let mut seen = FxHashSet::default();
    for (id, var) in program.vars.enumerate() {
        let global = var.kind == VarKind::Global;
        let missing = var.definition == Definition::Declared || subject.extern_data.contains(&id);
        let declared = global && missing;
        let word = var
            .name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || c == '_');
        if declared && var.linkage == Linkage::External && word && seen.insert(&var.name) {
            let size = program.types.size_of(var.ty).clamp(1, 1 << 24);
            let align = var.align.max(1);
            let name = &var.name;
            let _ = writeln!(
                out,
                "#ifdef DEFINE_{name}\nchar {name}[{size}] __attribute__((aligned({align})));\n#endif\n"
            );
        }
    }
    out
}

/// What variables that no file defines hold before the program starts.
fn first_values(subject: &Subject, run: &Run) -> String {
    let program = &subject.program;
    let own = |effect: &&Effect| subject.chooser == Some(effect.func);
    let mut out = String::new();
    for effect in run.effects.iter().filter(own) {
        let ways = Ways::of(effect);
        out += &ways.text(program, 0);
        for written in &effect.written {
            out += &put(
                &ways.name(&written.to),
                written.offset,
                &written.bytes,
                &ways,
            );
        }
    }
    match out.is_empty() {
        true => out,
        false => {
            format!("__attribute__((constructor)) static void cwolf_first(void)\n{{\n{out}}}\n\n")
        }
    }
}

/// Where a failure shows in the user's own code: file and line.
fn place(subject: &Subject, failure: &Failure) -> (String, u32) {
    let place = crate::names::place_of(&subject.program, failure.user.1);
    (place.file, place.line)
}
