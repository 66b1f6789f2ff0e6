//! The text form: what is read, what is refused, and that printing and reading are inverse.

use crate::{Program, StmtKind, parse};
use cwolf_base::Diagnostics;

pub(crate) fn read(text: &str) -> Program {
    let mut messages = Diagnostics::default();
    let program = parse(text, 0, &mut messages);
    let messages: Vec<_> = messages.iter().collect();
    program.unwrap_or_else(|| panic!("{messages:?}\n{text}"))
}

/// What is read from `text` prints as `expected`, and that is read back as the same program.
fn check(text: &str, expected: &str) {
    let program = read(text);
    let trim = |s: &str| s.lines().map(str::trim).collect::<Vec<_>>().join("\n");
    let printed = program.to_string();
    assert_eq!(trim(printed.trim()), trim(expected.trim()), "{printed}");
    assert_eq!(read(&printed), program);
}

/// Reading `text` gives exactly these errors: the text they point at and the message.
fn refuse(text: &str, expected: &[(&str, &str)]) {
    let mut messages = Diagnostics::default();
    assert!(parse(text, 7, &mut messages).is_none(), "{text}");
    let found: Vec<(&str, &str)> = messages
        .iter()
        .map(|m| {
            let span = m.span.expect("every message has a place");
            let place = &text[(span.lo - 7) as usize..(span.hi - 7) as usize];
            (place, &*m.message)
        })
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn both_dialects_mean_the_same() {
    let expected = "bool g;\nbool h;\n
        bool<2> f(bool a) {\nbool x;\nenforce(!(x && g));
        if (a) {\nx = true;\n} else {\nif (!a && g) {\nskip;\n} else {\nx, g = false, x;\n}\n}
        while (x || g) {\nx = unknown();\n}\nreturn x, !x;\n}\n
        void main() {\nL: g, h = f(g);\ng, _ = f(h);\nf(true);
        g = choose(g, h) constrain ('g == h);\nassume(g ==> h);\nassert(g != h);\ngoto L, M;
        M: return;\n}";
    check(
        "bool g, h;
         bool<2> f(bool a) { bool x; enforce !(x && g);
           if (a) { x = true; } else if (!a && g) { skip; } else { x, g = false, x; }
           while (x || g) { x = unknown(); }
           return x, !x; }
         void main() { L: g, h = f(g); g, _ = f(h); f(true);
           g = choose(g, h) constrain ('g == h);
           assume(g ==> h); assert(g != h); goto L, M; M: return; }",
        expected,
    );
    check(
        "decl g, h;
         bool<2> f(a) begin decl x; enforce !(x & g);
           if (a) then x := T; elsif (!a & g) then skip; else x, g := F, x; fi;
           while (x | g) do x := *; od
           return x, !x; end
         main() begin L: g, h := f(g); g, _ := f(h); call f(1);
           g := schoose[g, h] constrain ('g = h);
           assume(g -> h); assert(g != h); goto L, M; M: return; end",
        expected,
    );
}

#[test]
fn braces_open_identifiers_and_blocks() {
    check(
        "void f() { bool {x == 0}, {c=='}'}; {x==0} = {c == '}'}; if ({x==0}) {{x==0} = *; } }",
        "void f() {\nbool {x == 0};\nbool {c=='}'};\n{x == 0} = {c=='}'};
         if ({x == 0}) {\n{x == 0} = unknown();\n}\n}",
    );
    check(
        "decl {while}; void f() begin if (*) then {while} := T; else {while} := F; fi end",
        "bool {while};\n\nvoid f() {\nif (*) {\n{while} = true;\n} else {\n{while} = false;\n}\n}",
    );
}

#[test]
fn comments_stay_with_their_statements() {
    let program = read(
        "void f() { // ignored\n bool x;\n x = *; // 3: curr = *l;\n // ignored\n
         while (*) { // while (curr)\n skip; // a.c:7: y\n } // ignored\n assume(x); //\n}",
    );
    let sources: Vec<_> = program.procs.iter().flat_map(|p| p.stmts.iter()).collect();
    let text = |n: usize| sources[n].source.as_ref().map(|s| (&*s.text, s.line));
    assert_eq!(text(0), Some(("curr = *l;", Some(3))));
    assert_eq!(text(1), Some(("while (curr)", None)));
    assert_eq!(text(2), Some(("y", Some(7))));
    assert_eq!(text(3), None);
    assert_eq!(read(&program.to_string()), program);
}

#[test]
fn precedence_and_parentheses() {
    check(
        "bool a, b, c; void f() { a = a | b & c; a = (a || b) && !(a == b); a = a -> b -> c;
           a = (a ==> b) ==> c; a = a == b != c; a = a == (b != c); a = (a && b) && c;
           a = !!a; a = !(a != b); }",
        "bool a;\nbool b;\nbool c;\n
         void f() {\na = a || b && c;\na = (a || b) && !(a == b);\na = a ==> (b ==> c);
         a = (a ==> b) ==> c;\na = (a == b) != c;\na = a == (b != c);\na = (a && b) && c;
         a = !!a;\na = !(a != b);\n}",
    );
}

#[test]
fn built_in_definitions_are_ignored() {
    let text = "bool unknown() { if (*) { return true; } else { return false; } }
        bool choose(bool pos, bool neg) { if (pos) { return true; } return unknown(); }
        bool a; void main() { a = choose(a, !a); }";
    // The second body calls `unknown()` in an expression, which is the built-in one.
    let program = read(text);
    assert_eq!(program.procs.len(), 1);
}

#[test]
fn old_statements() {
    let program = read("decl x, y; void f() begin dead x, y; return end");
    let kinds: Vec<_> = program.procs.iter().flat_map(|p| p.stmts.iter()).collect();
    assert!(matches!(&kinds[0].kind, StmtKind::Assign { targets, .. } if targets.len() == 2));
    assert!(matches!(&kinds[1].kind, StmtKind::Return(v) if v.is_empty()));
}

#[test]
fn mistakes_are_told_with_their_place() {
    refuse(
        "void f() { x = true; goto; y(; skip; }",
        &[
            ("x", "there is no variable `x`"),
            (";", "expected a label, found `;`"),
            (";", "expected an expression, found `;`"),
        ],
    );
    refuse(
        "void f() { goto L; M: skip; }",
        &[("goto L", "the label `L` stands before no statement")],
    );
    refuse(
        "void f() { L: skip; L: skip; }",
        &[("L", "the label `L` is declared twice")],
    );
    refuse(
        "bool<2> f(bool a) { return a; } void g() { bool x; x = f(x); f(); h(); }",
        &[("h", "there is no procedure `h`")],
    );
    refuse(
        "bool<2> f(bool a) { return a; } void g() { bool x; x = f(x); f(); x, x = f(x); }",
        &[
            ("return a", "1 value for 2 results"),
            ("x = f(x)", "1 variable for 2 results"),
            ("f()", "0 arguments for 1 parameter"),
            ("x, x = f(x)", "`x` is assigned twice at once"),
        ],
    );
    refuse(
        "bool a, a; void f(bool b, bool b) { bool b; } void f() { }",
        &[
            ("a", "the variable `a` is declared twice"),
            ("b", "the variable `b` is declared twice"),
            ("b", "the variable `b` is declared twice"),
        ],
    );
    refuse(
        "void f() { bool x; x = !g(x); _ = x; start_thread goto L; }",
        &[
            ("g", "an expression cannot contain a call"),
            ("_", "only the result of a call can be ignored"),
            ("start_thread", "threads are not supported"),
        ],
    );
    refuse(
        "void f() { bool x; x = 'x; }",
        &[(
            "x = 'x",
            "a new value `'x` is used where `x` is not assigned",
        )],
    );
}

#[test]
fn bad_texts_neither_panic_nor_hang() {
    let deep = format!(
        "bool x; void f() {{ x = {}x{}; }}",
        "(".repeat(9999),
        ")".repeat(9999)
    );
    let nots = format!("bool x; void f() {{ x = {}x; }}", "!".repeat(99_999));
    let ifs = format!("void f() {{ {} }}", "if (*) {".repeat(9999));
    let chain = format!("bool x; void f() {{ x = x{}; }}", " == x".repeat(9999));
    let arrows = format!("bool x; void f() {{ x = x{}; }}", " -> x".repeat(9999));
    let elses = format!(
        "void f() {{ if (*) {{ }} {} }}",
        "else if (*) { }".repeat(9999)
    );
    for text in [
        "",
        "{",
        "}",
        "void",
        "void f(",
        "void f() {",
        "bool {x",
        "bool<99999999999> f() {}",
        "void f() { {a } }",
        "void f() begin begin",
        "void f() { '} }",
        "/* open",
        "é",
        "\0",
        "void f() { /* é */ é }",
        "decl",
        "bool x; void f() { x = ; }",
        ";;;;",
        "#line",
        &deep,
        &nots,
        &ifs,
        &chain,
        &arrows,
        &elses,
    ] {
        let mut messages = Diagnostics::default();
        assert!(parse(text, 0, &mut messages).is_none());
        assert!(messages.has_errors() && messages.len() < 100);
    }
}

#[test]
fn wide_is_not_deep() {
    let wide = format!("bool x; void f() {{ x = x{}; }}", " && !x".repeat(99_999));
    let program = read(&wide);
    assert_eq!(read(&program.to_string()), program);
}
