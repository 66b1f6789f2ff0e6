//! Who sees what: linkage, tentative definitions, inline, what enters the program at all.

use super::{analyse_with, check_errors, good};
use crate::session::{Options, Standard};
use cwolf_cwi::{Definition, Linkage, VarKind};

#[test]
fn only_used_things_enter_the_program() {
    let outcome = good("extern int a, b; int f(void), g(void); int h(void) { return a + f(); }");
    let vars: Vec<_> = outcome
        .program
        .vars
        .iter()
        .map(|v| v.name.as_str())
        .collect();
    let funcs: Vec<_> = outcome
        .program
        .funcs
        .iter()
        .map(|f| f.name.as_str())
        .collect();
    assert_eq!(vars, ["a"]);
    assert_eq!(funcs, ["h", "f"]);
    assert_eq!(outcome.var("a").definition, Definition::Declared);
    assert_eq!(outcome.func("f").definition, Definition::Declared);
}

#[test]
fn definitions() {
    let outcome = good(
        "int a; int a; int b = 1; extern int b; static int c; extern int c; int d[]; int d[3];
         int e __attribute__((weak)); static int f = 2; int use(void) { extern int g; return c + g; }
         extern int g; int g = 4;",
    );
    let kind = |name: &str| (outcome.var(name).definition, outcome.var(name).linkage);
    assert_eq!(kind("a"), (Definition::Tentative, Linkage::External));
    assert_eq!(kind("b"), (Definition::Defined, Linkage::External));
    assert_eq!(kind("c"), (Definition::Tentative, Linkage::Internal));
    assert_eq!(kind("e"), (Definition::Weak, Linkage::External));
    assert_eq!(kind("f"), (Definition::Defined, Linkage::Internal));
    assert_eq!(kind("g"), (Definition::Defined, Linkage::External));
    let d = outcome.var("d");
    assert_eq!(outcome.program.types.name(d.ty), "[3 x i32]");
}

#[test]
fn inline_functions() {
    let text = "inline int a(void) { return 1; } static inline int b(void) { return 1; }
                extern inline int c(void) { return 1; }
                extern inline __attribute__((gnu_inline)) int d(void) { return 1; }
                int d(void) { return 2; }";
    let outcome = good(text);
    let kind = |name: &str| (outcome.func(name).definition, outcome.func(name).linkage);
    assert_eq!(kind("a"), (Definition::Weak, Linkage::External));
    assert_eq!(kind("b"), (Definition::Defined, Linkage::Internal));
    assert_eq!(kind("c"), (Definition::Defined, Linkage::External));
    assert_eq!(kind("d"), (Definition::Defined, Linkage::External));
    let options = Options {
        standard: Standard::C89,
        ..Options::default()
    };
    let old = analyse_with(
        options,
        "extern __inline int a(void) { return 1; } __inline int b(void) { return 1; }",
    );
    assert_eq!(old.func("a").definition, Definition::Weak);
    assert_eq!(old.func("b").definition, Definition::Defined);
}

#[test]
fn scopes() {
    let outcome = good(
        "int x; int f(int x) { { int x = 1; { extern int x; x = 2; } } return x; }
         int g(void) { static int x = 3; for (int x = 0; x < 2; x++) ; return x; }
         struct s { int a; }; int h(void) { struct s { char b; } v; return sizeof v + sizeof(struct s); }
         int k(void) { enum { x = 5 }; return x; }",
    );
    let statics = outcome
        .program
        .vars
        .iter()
        .filter(|v| matches!(v.kind, VarKind::StaticLocal(_)));
    assert_eq!(statics.count(), 1);
    let globals = outcome
        .program
        .vars
        .iter()
        .filter(|v| v.kind == VarKind::Global);
    assert_eq!(globals.count(), 1);
    let names: Vec<_> = outcome
        .program
        .types
        .records
        .iter()
        .map(|r| r.name.as_str())
        .collect();
    assert_eq!(names, ["s", "s#2"]);
}

#[test]
fn old_style_parameters_arrive_promoted() {
    let outcome = good("int f(a, b, c) char a; float b; { return a + b + c; }");
    let f = outcome.func("f");
    assert_eq!(outcome.program.types.name(f.ty), "fn(i32, f64, i32) i32");
    let locals: Vec<_> = f
        .locals
        .iter()
        .map(|v| {
            let var = &outcome.program.vars[*v];
            (var.name.as_str(), outcome.program.types.name(var.ty))
        })
        .collect();
    assert_eq!(locals, [("a", "i8".to_owned()), ("b", "f32".to_owned())]);
}

#[test]
fn attributes_reach_the_tables() {
    let outcome = good(
        "void stop(void) __attribute__((noreturn)); _Noreturn void stop2(void);
         void a(void) { stop(); stop2(); } void b(void) __attribute__((alias(\"a\")));
         const int c = 1; volatile int v; _Thread_local int t; int al __attribute__((aligned(64)));
         extern int old(int) __asm__(\"renamed\"); int use(void) { return old(1); }",
    );
    assert!(outcome.func("stop").noreturn && outcome.func("stop2").noreturn);
    assert_eq!(outcome.func("b").alias.as_deref(), Some("a"));
    assert_eq!(outcome.func("b").definition, Definition::Defined);
    assert!(
        outcome.var("c").constant && outcome.var("v").volatile && outcome.var("t").thread_local
    );
    assert_eq!(outcome.var("al").align, 64);
    assert_eq!(outcome.func("renamed").definition, Definition::Declared);
}

#[test]
fn unsupported_functions_are_left_out() {
    let outcome = good(
        "_Decimal64 z; void f(void) { z = 1; }
         int g(int n) { union { char a[n]; int i; } u; u.i = 1; return u.i; }
         int i(void) { return __builtin_no_such_thing(1); } int j(void) { return 1; }",
    );
    let reason = |name: &str| {
        outcome
            .func(name)
            .refused
            .as_ref()
            .map(|r| r.reason.as_str())
    };
    assert_eq!(reason("f"), Some("a decimal float"));
    let vla = "a variable-length array in a union, beside bit-fields or in a parameter's struct";
    assert_eq!(reason("g"), Some(vla));
    assert_eq!(
        reason("i"),
        Some("the built-in function '__builtin_no_such_thing'")
    );
    assert_eq!(reason("j"), None);
    assert_eq!(outcome.functions.len(), 1);
}

#[test]
fn functions_that_run_by_themselves_are_listed_in_order() {
    let outcome = good(
        "void late(void); static void first(void) __attribute__((constructor(101), destructor));
         __attribute__((constructor)) void a(void) {}
         static void first(void) {}
         __attribute__((destructor(200))) void late(void) {}
         void absent(void) __attribute__((constructor));",
    );
    let startup = outcome.program.startup.iter();
    let list: Vec<_> = startup
        .map(|s| {
            let name = outcome.program.funcs[s.func].name.as_str();
            (name, s.phase.name(), s.priority)
        })
        .collect();
    let expected = [
        ("a", "constructor", 65535),
        ("first", "constructor", 101),
        ("first", "destructor", 65535),
        ("late", "destructor", 200),
    ];
    assert_eq!(list, expected);
    check_errors(
        "__attribute__((constructor(70000))) void f(void) {}",
        &["1: a priority is a number from 0 to 65535"],
    );
}

#[test]
fn weak_references_and_aliases() {
    let outcome = good(
        "extern int v __attribute__((weak)); void w(void) __attribute__((weak));
         void d(void) __attribute__((weak)); void d(void) {}
         static void r(void) __attribute__((weakref(\"target\")));
         static void s(void) __attribute__((weakref, alias(\"target2\")));
         int a = 5; extern int b __attribute__((alias(\"a\")));
         extern int c __attribute__((weak, alias(\"a\")));
         int f(void) { if (w) w(); if (r) r(); if (s) s(); return &v ? v : b; }",
    );
    assert!(outcome.func("w").weak && outcome.var("v").weak);
    assert!(!outcome.func("d").weak && outcome.func("d").definition == Definition::Weak);
    for target in ["target", "target2"] {
        let func = outcome.func(target);
        assert!(func.weak && func.linkage == Linkage::External, "{target}");
        assert!(func.alias.is_none() && func.definition == Definition::Declared);
    }
    let own = good(
        "static int here(void) { return 1; } static int kept = 2;
         static int r(void) __attribute__((weakref(\"here\")));
         extern int v __attribute__((weakref(\"kept\")));
         int f(void) { return r() + v; }",
    );
    assert_eq!(own.func("r").alias.as_deref(), Some("here"));
    assert_eq!(own.var("v").alias.as_deref(), Some("kept"));
    assert_eq!(outcome.var("b").alias.as_deref(), Some("a"));
    assert_eq!(outcome.var("b").definition, Definition::Defined);
    assert_eq!(outcome.var("c").definition, Definition::Weak);
    check_errors(
        "extern int b __attribute__((alias(\"none\")));",
        &["1: 'b' is an alias of 'none', which is not defined here"],
    );
}

#[test]
fn parameters_of_definitions_need_no_names() {
    let text = "int f(int, char *) { return 1; } int g(void) { return f(2, 0); }";
    super::gcc::accepts(cwolf_cwi::Target::X86_64, text);
    assert_eq!(super::analyse(text).func("f").params.len(), 2);
}
