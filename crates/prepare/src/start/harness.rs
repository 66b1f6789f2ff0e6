//! The caller of an entry function as a C file that people read and edit: the same freedom that `--entry` gives
//! ([`super::caller`]), in words of C.

use super::caller::{DEPTH, OBJECTS, WAYS, changed, pointer_parts};
use super::handles::handle_types;
use crate::slic::ctype;
use crate::stubs::known_row;
use crate::unknown::fitting;
use cwolf_cwi::graph::CallGraph;
use cwolf_cwi::{ExprKind, FuncId, Place, Program, Step, Type, TypeId, VarKind};
use std::fmt::Write;

/// What a harness is written for.
#[derive(Clone, Debug)]
pub struct Written<'h> {
    /// The function.
    pub entry: FuncId,
    /// The files to include: first the one that defines the function.
    pub include: &'h str,
    /// The declarations of the parameters as they stand there, if they can be found.
    pub declarations: &'h [String],
    /// The command that checks the harness.
    pub command: &'h str,
}

/// The name of the harness of a function.
pub fn harness_name(function: &str) -> String {
    format!("{function}_harness")
}

/// The text of the harness.
pub fn harness_text(program: &mut Program, what: &Written<'_>) -> String {
    let function = program.funcs[what.entry].clone();
    let name = &function.name;
    let mut body = Text::default();
    let globals = changed(program, &CallGraph::new(program), what.entry);
    if !globals.is_empty() {
        body.line("/* Variables that the program changes: other functions may have run before. */");
    }
    for var in &globals {
        let var = program.vars[*var].clone();
        match var.kind {
            VarKind::StaticLocal(f) => {
                let owner = &program.funcs[f].name;
                let words = format!(
                    "/* `{}` of {owner} keeps its first value here. */",
                    var.name
                );
                body.line(&words);
            }
            _ => {
                body.any(&var.name);
                let ids = program.vars.ids();
                let id = ids.into_iter().find(|id| program.vars[*id] == var);
                if let Some(id) = id {
                    inside(program, &mut body, &var.name, Place::var(var.ty, id), DEPTH);
                }
            }
        }
    }
    let mut args: Vec<String> = Vec::new();
    let mut made: Vec<(String, Place)> = Vec::new();
    for (n, param) in function.params.iter().enumerate() {
        let var = program.vars[*param].clone();
        let declared = what.declarations.get(n).cloned();
        let declared =
            declared.unwrap_or_else(|| ctype::declare(&program.types, var.ty, &var.name));
        body.blank();
        let Some(to) = program.types.pointee(var.ty) else {
            body.line(&format!("{};", without_const(&declared)));
            body.any(&var.name);
            inside(
                program,
                &mut body,
                &var.name,
                Place::var(var.ty, *param),
                DEPTH,
            );
            args.push(var.name);
            continue;
        };
        let (name, object) = (var.name.clone(), format!("{}_object", var.name));
        if let Type::Func(_) = program.types[to] {
            let outside = format!("{name}_callback");
            body.outside
                .push(ctype::declare(&program.types, to, &outside));
            body.line(&format!(
                "{declared};     /* null, or an unknown function */"
            ));
            body.choice(&name, &[outside, "0".into()]);
        } else if sized(program, to) {
            let mut ways = vec![format!("(void *)&{object}"), "0".into()];
            let mut words = vec!["one object of its own".to_owned(), "null".into()];
            for (other, place) in &made {
                if fitting(program, place.clone(), to).is_some() {
                    ways.push(format!("(void *)&{other}"));
                    words.push(format!("what {other} is"));
                }
            }
            for var in &globals {
                let var_ty = program.vars[*var].ty;
                let global = program.vars[*var].kind == VarKind::Global;
                if global && fitting(program, Place::var(var_ty, *var), to).is_some() {
                    let other = program.vars[*var].name.clone();
                    ways.push(format!("(void *)&{other}"));
                    words.push(format!("&{other}"));
                }
            }
            ways.truncate(WAYS + 2);
            words.truncate(WAYS + 2);
            body.line(&format!("/* {name}: {} */", words.join(", or ")));
            body.line(&format!("{};", without_const(&declared)));
            body.line(&format!("__typeof__(*{name}) {object};"));
            body.any(&object);
            let place = Place::var(to, *param);
            inside(program, &mut body, &object, place.clone(), DEPTH);
            body.choice(&name, &ways);
            made.push((object, place));
        } else {
            body.line(&format!("/* {name}: any memory, or null */"));
            body.line(&format!("{};", without_const(&declared)));
            body.line(&format!("{name} = {name}_memory();"));
            body.outside.push(format!("void *{name}_memory(void)"));
        }
        args.push(name);
    }
    let harness = harness_name(name);
    let mut out = format!(
        "/* A harness for {name}: it calls {name} with everything that a caller may pass.\n   \
         Delete what your callers never do, or add __VERIFIER_assume(condition);\n   then run:\n\n       {}\n*/\n\n",
        what.command
    );
    let _ = writeln!(out, "#include \"{}\"\n", what.include);
    out += "extern unsigned char __VERIFIER_nondet_uchar(void);\n\
            extern void __VERIFIER_nondet_memory(void *, __SIZE_TYPE__);\n\
            extern void __VERIFIER_assume(int);\n";
    for outside in &body.outside {
        let _ = writeln!(out, "extern {outside};");
    }
    out += &stubs(program, what.entry);
    let _ = writeln!(
        out,
        "\nvoid {harness}(void)\n{{\n{}\n    {name}({});\n}}",
        body.text,
        args.join(", ")
    );
    out
}

/// The functions without a body that are called, with what is assumed of them; whoever knows more writes a body.
fn stubs(program: &Program, entry: FuncId) -> String {
    let mut out = String::new();
    for func in CallGraph::new(program).reachable(&[entry]) {
        let function = &program.funcs[func];
        let absent = function.body.is_none() && function.alias.is_none();
        if !absent || known_row(program, func).is_some() || function.name.starts_with("__") {
            continue;
        }
        let Type::Func(ty) = &program.types[function.ty] else {
            continue;
        };
        let declared = ctype::declare(&program.types, function.ty, &function.name);
        let given = ty
            .params
            .iter()
            .any(|p| program.types.pointee(*p).is_some());
        let changes = match given {
            true => {
                "changes what its arguments lead to and all variables that other files can name"
            }
            false => "changes all variables that other files can name",
        };
        let _ = write!(
            out,
            "\n/* {} has no body. Assumed: it returns anything and {changes}.\n   If you know more, write it here:\n{declared}\n{{\n}}\n*/\n",
            function.name
        );
    }
    out
}

fn sized(program: &Program, ty: TypeId) -> bool {
    let complete = match program.types[ty] {
        Type::Record(record) => program.types.records[record].complete,
        Type::Void | Type::Func(_) => false,
        _ => true,
    };
    complete && program.types.size_of(ty) > 0 && !handle_types(program).contains_key(&ty)
}

/// Pointers inside an object, as [`super::caller`] makes them.
fn inside(program: &mut Program, body: &mut Text, name: &str, place: Place, depth: usize) {
    if depth == 0 {
        return;
    }
    for part in pointer_parts(program, place.clone()) {
        let Some(to) = program.types.pointee(part.ty) else {
            continue;
        };
        let Some(path) = path_text(program, &place, &part) else {
            continue;
        };
        let field = format!("{name}{path}");
        let flat: String = field
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
            .collect();
        if let Type::Func(_) = program.types[to] {
            let outside = format!("{flat}_callback");
            body.outside
                .push(ctype::declare(&program.types, to, &outside));
            body.choice(&field, &[outside, "0".into()]);
            continue;
        }
        if program.types.as_record(to).is_none() || !sized(program, to) || body.objects >= OBJECTS {
            continue;
        }
        body.objects += 1;
        let object = format!("{flat}_object");
        body.line(&format!("__typeof__(*{field}) {object};"));
        body.any(&object);
        let mut ways = vec![format!("(void *)&{object}"), "0".into()];
        if place.ty == to {
            ways.push(format!("(void *)&{name}"));
        }
        let inner = Place {
            ty: to,
            base: part.base.clone(),
            path: Vec::new(),
        };
        inside(program, body, &object, inner, depth - 1);
        body.choice(&field, &ways);
    }
}

/// The steps from a place to a part of it, in C.
fn path_text(program: &Program, place: &Place, part: &Place) -> Option<String> {
    let mut out = String::new();
    let mut ty = place.ty;
    for step in &part.path[place.path.len()..] {
        match (step, &program.types[ty]) {
            (Step::Field(n), Type::Record(record)) => {
                let field = &program.types.records[*record].fields[*n as usize];
                if !field.name.is_empty() {
                    let _ = write!(out, ".{}", field.name);
                }
                ty = field.ty;
            }
            (Step::Index(index), Type::Array { elem, .. }) => {
                let ExprKind::Int(index) = index.kind else {
                    return None;
                };
                let _ = write!(out, "[{index}]");
                ty = *elem;
            }
            _ => return None,
        }
    }
    Some(out)
}

/// A declaration whose object can be written.
fn without_const(declared: &str) -> String {
    let words = declared.split_inclusive(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
    let kept = words.filter(|w| !matches!(w.trim_end(), "const" | "register" | "restrict"));
    kept.collect::<String>().trim().to_owned()
}

/// Statements, and what they need outside of the function.
#[derive(Default)]
struct Text {
    text: String,
    outside: Vec<String>,
    objects: usize,
}

impl Text {
    fn line(&mut self, text: &str) {
        let _ = writeln!(self.text, "    {text}");
    }
    fn blank(&mut self) {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
    }
    /// Gives something any contents.
    fn any(&mut self, name: &str) {
        let text = format!("__VERIFIER_nondet_memory((void *)&{name}, sizeof {name});");
        self.line(&text);
    }
    /// Assigns one of several values.
    fn choice(&mut self, name: &str, ways: &[String]) {
        self.line(&format!(
            "switch (__VERIFIER_nondet_uchar() % {}) {{",
            ways.len()
        ));
        for (n, way) in ways.iter().enumerate() {
            let case = match n {
                0 => "default".to_owned(),
                n => format!("case {n}"),
            };
            self.line(&format!("{case}: {name} = {way}; break;"));
        }
        self.line("}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cwolf_cfront::{Options, compile_text};

    fn text_of(c: &str, name: &str) -> String {
        let compiled = compile_text("t.c", c.as_bytes(), &Options::default());
        let mut program = compiled.program.expect("it compiles");
        let entry = program.function(name).expect("a function");
        let what = Written {
            entry,
            include: "t.c",
            declarations: &[],
            command: "cwolf verify",
        };
        harness_text(&mut program, &what)
    }

    #[test]
    fn every_freedom_is_there() {
        let c = "struct n { struct n *next; int v; }; int count; int log_it(int);
            int f(struct n *p, struct n *q, int k, int (*g)(int)) { count++; return p->v + q->v + log_it(k) + g(k); }";
        let text = text_of(c, "f");
        for part in [
            "&count, sizeof count",
            "case 1: p = 0;",
            "case 2: q = (void *)&p_object;",
            "case 2: p_object.next = (void *)&p_object;",
            "default: g = g_callback;",
            "log_it has no body",
            "f(p, q, k, g);",
        ] {
            assert!(text.contains(part), "{part} in {text}");
        }
    }

    #[test]
    fn constants_can_be_made() {
        assert_eq!(without_const("const char *restrict s"), "char *s");
        assert_eq!(without_const("constant x"), "constant x");
    }
}
