//! Initialisers: the bytes of static objects are gcc's, and locals are built piece by piece.

use super::{analyse, check_errors, check_warnings, gcc, good, only_function};
use crate::hir::{ExprKind, LocalInit, StmtKind};
use cwolf_cwi::{InitValue, Target};

/// The same bytes as gcc, on both targets.
fn same(text: &str) {
    gcc::same_image(Target::X86_64, text);
    gcc::same_image(Target::I386, text);
}

#[test]
fn braces_may_be_left_out() {
    same("struct { struct { int a, b[2]; } s[2]; short t; } all = { 1, 2, 3, 4, 5, 6, 7 };");
    same("int all[2][3][2] = { 1, 2, { 3 }, 5, [1] = { { 7 }, 8, 9 }, };");
    same(
        "struct { int a; struct { char x, y; } b; int c; } all[2] = { { 1, 2, 3, 4 }, 5, { 6 }, 7 };",
    );
    same("int all[3] = { { 1 }, { 2 } };");
}

#[test]
fn designators_continue_where_they_point() {
    same("struct { int a, b, c, d; } all = { .c = 3, 4, .a = 1, 2 };");
    same("int all[6] = { [3] = 4, 5, [1] = 2, 3 };");
    same("struct { struct { int x, y; } p; int z; } all = { .p.y = 2, 3 };");
    same("struct { struct { int x, y; } p[3]; int z; } all = { .p[1].x = 2, 3, 4, 5, 6 };");
    same("struct { int a[4]; struct { int b[3], c; } d; } all = { .d.b[1] = 1, 2, 3, .a[2] = 4 };");
    same(
        "struct { int a; union { int b; char c[4]; }; struct { int d, e; }; } all = { .c = { 1, 2 }, .e = 5 };",
    );
    same("struct { int a, b; } all[3] = { [1].b = 2, { 3, 4 }, [0] = { 5 } };");
}

#[test]
fn later_pieces_replace_earlier_ones() {
    same("int all[4] = { 1, 2, 3, 4, [1] = 9, [0] = 0 };");
    same("struct { struct { int x, y; } p; int z; } all = { { 1, 2 }, 3, .p = { 4 } };");
    same("struct { struct { int x, y; } p; int z; } all = { { 1, 2 }, 3, .p.x = 4 };");
    same("union { int a; struct { short b, c; }; } all = { .a = -1, .c = 2 };");
    same("union { struct { short b, c; }; int a; } all = { .c = 2, .b = 3 };");
    same("struct { char s[6]; int z; } all = { \"hello\", .s[1] = 'u', .z = 1 };");
    same("int all[8] = { [0 ... 5] = 1, [2 ... 3] = 2, 3 };");
    same("int all[5] = { [4] = 4, [3] = 3, [2] = 2, [1] = 1, [0] = 5 };");
}

#[test]
fn strings_fill_arrays() {
    same("char all[8] = \"abc\";");
    same("char all[3] = \"abc\";");
    same("char all[2][4] = { \"ab\", { \"cd\" } };");
    same("struct { char a[3]; unsigned char b[4]; signed char c; } all = { \"xy\", \"zw\", 3 };");
    same("__typeof__(L'a') all[5] = L\"wide\";");
    same("unsigned short all[] = u\"ab\";");
    same("struct { int n; char s[]; } all = { 3, \"flexible\" };");
    same("struct { int n; short s[]; } all = { 3, { 1, 2, 3 } };");
    same("char all[] = { (\"paren\") };");
}

#[test]
fn scalars_convert() {
    same(
        "struct { char a; float b; double c; _Bool d; long long e; } all = { 300, 1, 2.5f, 7, -1 };",
    );
    same("struct { int a : 3, b : 5; unsigned c : 20; _Bool d : 1; } all = { 9, -1, 0x12345, 2 };");
    same("long double all[2] = { 1.5L, -0.0L };");
    same("int all = { { 7 } };");
    same("struct s { int a; } all = (struct s) { 4 };");
    same(
        "struct s { int a[2]; }; struct { struct s x; int y; } all = { (struct s) { { 1, 2 } }, 3 };",
    );
    same("int all[] = (int[]) { 1, 2, 3 };");
    same("enum { A = 3 }; int all[A + 1] = { [A] = A, [0] = sizeof(int[A]) };");
}

#[test]
fn addresses_are_relocations() {
    let outcome = good(
        "struct s { int a; struct { short b[4]; } c; } x[3]; int f(void);
         short *p = &x[1].c.b[2] + 1; int (*q)(void) = f, (*r)(void) = &f;
         char *s = \"text\" + 1; long l = (long)&x[1] + 3; int *t = (int *)((char *)x + 4);
         int d = &x[2].c.b[3] - &x[2].c.b[1]; int same = &x[0] != 0; void *n = 0;",
    );
    let value = |name: &str| outcome.var(name).init.first().map(|i| i.value.clone());
    let x = outcome
        .program
        .vars
        .ids()
        .find(|v| outcome.program.vars[*v].name == "x");
    let x = x.expect("declared");
    assert_eq!(value("p"), Some(InitValue::Addr(x, 12 + 4 + 6)));
    assert!(matches!(value("q"), Some(InitValue::Func(_))));
    assert_eq!(value("q"), value("r"));
    assert!(matches!(value("s"), Some(InitValue::Addr(_, 1))));
    assert_eq!(value("l"), Some(InitValue::Addr(x, 15)));
    assert_eq!(value("t"), Some(InitValue::Addr(x, 4)));
    assert_eq!(value("d"), Some(InitValue::Int(2)));
    assert_eq!(value("same"), Some(InitValue::Int(1)));
    assert_eq!(value("n"), None);
}

#[test]
fn equal_strings_are_shared() {
    let outcome = good("char *a = \"x\", *b = \"x\", *c = \"y\";");
    let literals = outcome
        .program
        .vars
        .iter()
        .filter(|v| v.name.starts_with("str#"));
    assert_eq!(literals.count(), 2);
}

/// The initialiser of the first declaration in a body.
fn local(text: &str) -> LocalInit {
    let function = only_function(text);
    let found = function.body.into_iter().find_map(|s| match s.kind {
        StmtKind::Declare { init, .. } => init,
        _ => None,
    });
    found.expect("an initialiser")
}

#[test]
fn locals_are_zeroed_unless_covered() {
    let zero = |text| match local(text) {
        LocalInit::Pieces { zero, pieces } => (zero, pieces.len()),
        LocalInit::Value(_) => panic!("not a single value"),
    };
    assert_eq!(zero("void f(int x) { int a[3] = { x }; }"), (true, 1));
    assert_eq!(
        zero("void f(int x) { int a[3] = { x, 1, 2 }; }"),
        (false, 3)
    );
    assert_eq!(zero("void f(void) { char a[10] = \"abc\"; }"), (false, 1));
    assert_eq!(
        zero("void f(void) { struct { char a; int b; } s = { 1, 2 }; }"),
        (false, 2)
    );
    assert_eq!(
        zero("void f(void) { union { char a; int b; } s = { 1 }; }"),
        (true, 1)
    );
    assert_eq!(
        zero("void f(void) { struct { int a : 3; int b : 4; } s = { 1, 2 }; }"),
        (false, 2)
    );
    assert_eq!(
        zero("void f(void) { int a[4] = { 1, 2, 3, 4, [1] = 7 }; }"),
        (true, 4)
    );
    assert_eq!(zero("void f(void) { int a[4] = {}; }"), (true, 0));
}

#[test]
fn a_record_value_initialises_whole() {
    let init = local("struct s { int a; } g(void); void f(void) { struct s x = g(); }");
    assert!(matches!(init, LocalInit::Value(e) if matches!(e.kind, ExprKind::Call { .. })));
    let text = "struct s { int a, b; }; struct t { struct s s; int c; };
                void f(struct s *p) { struct t x = { *p, 3 }; }";
    match local(text) {
        LocalInit::Pieces { zero, pieces } => {
            assert!(!zero);
            assert_eq!(pieces.len(), 2);
            assert_eq!(pieces[0].path.len(), 1);
        }
        LocalInit::Value(_) => panic!("in pieces"),
    }
}

#[test]
fn large_lists_take_linear_time() {
    let mut forward = String::from("int a[] = {");
    let mut backward = String::from("int b[] = {");
    for n in 0..100_000 {
        forward.push_str(&format!("{n},"));
        backward.push_str(&format!("[{}] = {n},", 99_999 - n));
    }
    let text = format!("{forward}}}; {backward}}};");
    let start = std::time::Instant::now();
    let outcome = analyse(&text);
    assert_eq!(outcome.errors, Vec::<String>::new());
    assert_eq!(outcome.var("a").init.len(), 99_999);
    assert_eq!(outcome.var("b").init.len(), 99_999);
    // Quadratic time would be minutes.
    assert!(start.elapsed().as_secs() < 20);
}

#[test]
fn wrong_initialisers() {
    check_warnings(
        "struct {} a[] = { 1, 2 };",
        &["1: excess elements in the initialiser"],
    );
    check_errors(
        "const int x; int y = x;",
        &["1: the initialiser of a static object must be a constant"],
    );
    check_errors(
        "int x; int y = x;",
        &["1: the initialiser of a static object must be a constant"],
    );
    check_errors(
        "int a[2] = { [2] = 1 };",
        &["1: the index lies outside the array"],
    );
    check_errors(
        "struct s { int a; } x = { .b = 1 };",
        &["1: 'struct s' has no member 'b'"],
    );
    check_errors(
        "int x = { .a = 1 };",
        &["1: a designator needs an array, struct or union"],
    );
    check_errors(
        "int a[] = 3;",
        &["1: an array needs a list in braces as its initialiser"],
    );
    check_errors(
        "void f(int n) { int a[n] = { 1 }; }",
        &["1: a variable-length array cannot be initialised"],
    );
    check_warnings(
        "int a[1] = { 1, 2, 3 };",
        &["1: excess elements in the initialiser"],
    );
    check_warnings(
        "char a[2] = \"abc\";",
        &["1: the string is longer than the array"],
    );
}

#[test]
fn constants_of_gcc_initialise() {
    let outcome = analyse(
        "const unsigned d = 3; const unsigned c = d + 1; static int x = (int){42}; const int zero = 0; int y = zero - 2; \
         const double half = 0.5; double two = half * 4;",
    );
    assert_eq!(outcome.errors, Vec::<String>::new());
    let first = |name: &str| outcome.var(name).init[0].value.clone();
    assert_eq!(first("c"), InitValue::Int(4));
    assert_eq!(first("x"), InitValue::Int(42));
    assert_eq!(first("y"), InitValue::Int(-2));
    assert!(matches!(first("two"), InitValue::Float(_)));
}
