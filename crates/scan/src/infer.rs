//! What callers must keep so that a function does not fail: clauses that its parameters suggest, and the weakest of
//! them that are enough.

use crate::inside::rests_on;
use cwolf_cwi::graph::CallGraph;
use cwolf_cwi::{FuncId, Program, Type, TypeId};
use cwolf_prepare::{ElementCount, Requirement, changed_variables, undefined_variables};

/// Clauses that the parameters of a function suggest, as ACSL: pointers to as many elements as the length parameter after them says,
/// texts for characters, and else objects.
pub fn candidates(program: &Program, func: FuncId) -> Vec<String> {
    let function = &program.funcs[func];
    let params: Vec<(&str, TypeId)> = function
        .params
        .iter()
        .map(|p| (program.vars[*p].name.as_str(), program.vars[*p].ty))
        .collect();
    let mut found: Vec<Requirement> = Vec::new();
    let mut pointers = Vec::new();
    for (n, (name, ty)) in params.iter().enumerate() {
        let Some(to) = program.types.pointee(*ty) else {
            continue;
        };
        if let Type::Func(_) = program.types[to] {
            found.push(Requirement::NotNull((*name).into()));
            continue;
        }
        let byte = program.types.size_of(to) == 1 && program.types.is_scalar(to);
        let number = is_number(program, to);
        pointers.push((*name).to_owned());
        // `*destLen` is a length itself, and not one of many.
        let many =
            (number && (byte || !is_length_name(name))) || program.types.as_record(to).is_some();
        let length = match many {
            true => length(program, &params, n),
            false => None,
        };
        if length.is_some() {
            // No elements may be null; few callers pass that.
            found.push(Requirement::NotNull((*name).into()));
        }
        found.push(match length {
            Some(length) => Requirement::Elements(
                (*name).into(),
                ElementCount::Parameter(length.to_owned(), 0),
            ),
            None if byte => Requirement::Text((*name).into()),
            None => Requirement::NotNull((*name).into()),
        });
    }
    if pointers.len() > 1 {
        found.push(Requirement::Apart(pointers));
    }
    found.iter().map(ToString::to_string).collect()
}

/// What a function reads that only its callers, other code or the user can vouch for, so that a failure may rest on contents which no
/// run of a program has: structures and pointers behind parameters, memory whose size no parameter says, variables that other functions change or that
/// are defined elsewhere, code without a body. Numbers, and arrays with their lengths, are not among them: whoever calls may choose these freely.
pub fn opaque(program: &Program, graph: &CallGraph, func: FuncId) -> Vec<String> {
    let function = &program.funcs[func];
    let mut found = Vec::new();
    let params: Vec<(&str, TypeId)> = function
        .params
        .iter()
        .map(|p| (program.vars[*p].name.as_str(), program.vars[*p].ty))
        .collect();
    for (n, param) in function.params.iter().enumerate() {
        let var = &program.vars[*param];
        let unsized_memory = !is_length_name(&var.name) && length(program, &params, n).is_none();
        match program.types.pointee(var.ty) {
            Some(to) if unsized_memory || !is_number(program, to) => {
                found.push(format!("*{}", var.name));
            }
            None if !is_number(program, var.ty) => found.push(var.name.clone()),
            _ => {}
        }
    }
    if matches!(&program.types[function.ty], Type::Func(ty) if ty.variadic) {
        found.push("...".into());
    }
    let changed = changed_variables(program, graph, func);
    found.extend(changed.iter().map(|v| program.vars[*v].name.clone()));
    let undefined = undefined_variables(program, graph, func);
    found.extend(undefined.iter().map(|v| program.vars[*v].name.clone()));
    for reached in graph.reachable(&[func]) {
        let callee = &program.funcs[reached];
        if callee.body.is_none() && program.known(reached).is_none() {
            found.push(format!("{}()", callee.name));
        }
    }
    found
}

/// Whether something of this type is a number, so that every value of it is as good as any other.
fn is_number(program: &Program, ty: TypeId) -> bool {
    program.types.is_scalar(ty) && program.types.pointee(ty).is_none()
}

/// The parameter that says how many elements another has: named like a length, the nearest after it, else before it.
fn length<'p>(program: &Program, params: &[(&'p str, TypeId)], of: usize) -> Option<&'p str> {
    let is_length = |(name, ty): &(&str, TypeId)| {
        program.types.as_int(*ty).is_some_and(|t| t.bits >= 16) && is_length_name(name)
    };
    let after = params[of + 1..].iter().find(|p| is_length(p));
    let before = params[..of].iter().rev().find(|p| is_length(p));
    after.or(before).map(|(name, _)| *name)
}

/// Whether a name says that it is a number of things.
fn is_length_name(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let words = [
        "len", "size", "count", "num", "cnt", "bytes", "capacity", "nmemb",
    ];
    let short = ["n", "sz", "l", "nr", "siz"];
    words.iter().any(|w| name.contains(w)) || short.contains(&name.as_str())
}

/// The weakest of `clauses` for which `enough` still holds, given that it holds for all of them: each is dropped, or replaced by a
/// weaker one, if the others are enough. At most `tries` questions are asked.
pub fn weakest(
    clauses: &[String],
    mut tries: usize,
    mut enough: impl FnMut(&[String]) -> bool,
) -> Vec<String> {
    let mut kept = clauses.to_vec();
    let mut at = 0;
    // The last are the least usual.
    while at < kept.len() && tries > 0 {
        let n = kept.len() - 1 - at;
        let mut without = kept.clone();
        let clause = without.remove(n);
        if without.iter().any(|other| rests_on(other, &clause)) {
            at += 1;
            continue;
        }
        tries -= 1;
        // Without any clause it failed.
        if !without.is_empty() && enough(&without) {
            kept = without;
            continue;
        }
        if let Some(weaker) = weaker(&kept[n])
            && tries > 0
        {
            tries -= 1;
            let mut other = kept.clone();
            other[n] = weaker;
            if enough(&other) {
                kept = other;
            }
        }
        at += 1;
    }
    kept
}

/// That a pointer is not null is less than that it leads to a text or to elements.
fn weaker(clause: &str) -> Option<String> {
    match Requirement::parse(clause).ok()?.as_slice() {
        [Requirement::Text(name)] | [Requirement::Elements(name, _)] => {
            Some(Requirement::NotNull(name.clone()).to_string())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cwolf_cfront::{Options, compile_text};

    fn of(text: &str) -> Vec<String> {
        let compiled = compile_text("t.c", text.as_bytes(), &Options::default());
        let program = compiled.program.expect("it compiles");
        candidates(&program, program.function("f").expect("f"))
    }

    #[test]
    fn parameters_suggest_clauses() {
        let text = "void f(int *a, unsigned len, const char *name, void (*done)(int)) { done(*a + *name + len); }";
        let all = of(text);
        assert_eq!(
            all,
            [
                "a != \\null",
                "\\valid(a + (0 .. len - 1))",
                "name != \\null",
                "\\valid(name + (0 .. len - 1))",
                "done != \\null",
                "\\separated(a, name)"
            ]
        );
        assert_eq!(of("int f(char *s) { return *s; }"), ["valid_string(s)"]);
        assert!(of("int f(int n) { return n; }").is_empty());
        assert_eq!(
            of(
                "int f(unsigned long *destLen, unsigned long sourceLen) { return *destLen > sourceLen; }"
            ),
            ["destLen != \\null"]
        );
    }

    #[test]
    fn what_only_others_can_vouch_for_is_opaque() {
        let of = |text: &str| {
            let compiled = compile_text("t.c", text.as_bytes(), &Options::default());
            let program = compiled.program.expect("it compiles");
            let graph = CallGraph::new(&program);
            opaque(&program, &graph, program.function("f").expect("f"))
        };
        let plain = "static const int t[2]; int f(int *a, int n) { return a[n] + t[1]; }";
        assert!(of(plain).is_empty());
        assert_eq!(of("int f(int *pair) { return pair[1]; }"), ["*pair"]);
        assert_eq!(
            of("struct s { int n; }; int f(struct s *p) { return p->n; }"),
            ["*p"]
        );
        assert_eq!(of("int f(void *p) { return p != 0; }"), ["*p"]);
        assert_eq!(
            of("int g; int f(void) { return g; } void set(int n) { g = n; }"),
            ["g"]
        );
        assert_eq!(of("extern int g; int f(void) { return 9 / g; }"), ["g"]);
        assert_eq!(
            of("int other(void); int f(void) { return other(); }"),
            ["other()"]
        );
    }

    #[test]
    fn only_what_is_needed_stays() {
        let clauses = ["valid_string(s)", "p != \\null", "\\separated(s, p)"];
        let clauses: Vec<String> = clauses.iter().map(ToString::to_string).collect();
        let need = |list: &[String]| list.iter().any(|c| c.contains("s") && !c.contains("sep"));
        assert_eq!(weakest(&clauses, 9, need), ["s != \\null"]);
        assert_eq!(weakest(&clauses, 0, need), clauses);
    }
}
