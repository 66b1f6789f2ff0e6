use super::*;

#[test]
fn messages_say_what_was_expected_and_found() {
    check_errors(
        "int x",
        &["1:5: expected `;` after this, found the end of the file"],
    );
    check_errors(
        "int x\nint y;",
        &["1:5: expected `;` after this, found `int`"],
    );
    check_errors(
        "int f(void) { return 1 +; }",
        &["1:25: expected an expression, found `;`"],
    );
    check_errors("int a[3;", &["1:8: expected `]`, found `;`"]);
    check_errors("foo_t x;", &["1:1: unknown type name `foo_t`"]);
    check_errors("static foo_t *x;", &["1:8: unknown type name `foo_t`"]);
    check_errors("int f(foo_t x);", &["1:7: unknown type name `foo_t`"]);
    check_errors(
        "int f(int a, foo_t x);",
        &["1:14: unknown type name `foo_t`"],
    );
    check_errors(
        "struct s { foo_t *x; };",
        &["1:12: unknown type name `foo_t`"],
    );
    check_errors(
        "void f(void) { foo_t x; }",
        &["1:16: unknown type name `foo_t`"],
    );
    check_errors(
        "void f(void) { if (1) int x; }",
        &["1:23: a declaration needs braces here"],
    );
    check_errors(
        "void f(void) { else ; }",
        &["1:16: `else` without an `if` before it"],
    );
    check_errors(
        "int int x;",
        &["1:5: `int` cannot be combined with the words before it"],
    );
    check_errors(
        "short double x;",
        &["1:1: these keywords do not form a type"],
    );
    check_errors(
        "struct s int x;",
        &["1:10: more than one type in a declaration"],
    );
    check_errors(
        "static extern int x;",
        &["1:8: more than one storage class"],
    );
    check_errors(
        "char *s = \"a\" L\"b\" u\"c\";",
        &["1:20: adjacent strings with different prefixes"],
    );
    check_errors(
        "int x = 08;",
        &["1:9: `8` is not a digit of an octal number"],
    );
    check_errors(
        "int x = '';",
        &["1:9: a character constant without a character"],
    );
    check_errors(
        "struct { int x = 1; };",
        &["1:14: expected `;` after this, found `=`"],
    );
    check_errors("}", &["1:1: expected a declaration, found `}`"]);
    check_errors(
        "int x = @;",
        &[
            "1:9: stray `@` in the program",
            "1:9: expected an expression, found `@`",
        ],
    );
}

#[test]
fn a_closing_bracket_points_at_its_opening() {
    let (session, _) = parse_with(Options::default(), "int x = (1;");
    let message = session.diagnostics.iter().next().expect("a message");
    let related = &message.related[0];
    assert_eq!(session.sources.text(related.0), "(");
}

#[test]
fn the_rest_is_still_read() {
    check_errors(
        "void f(void) { a b; if (x) { c d; } e f; }\nint g(;\nvoid i(void) { 1 2; }",
        &[
            "1:16: unknown type name `a`",
            "1:30: unknown type name `c`",
            "1:37: unknown type name `e`",
            "2:7: expected a parameter, found `;`",
            "3:16: expected `;` after this, found `2`",
        ],
    );
    let text = "struct s { int a b; int c; };\nvoid f(void) { x(; { y; } z; }\nint ok;";
    let (session, list) = parse_with(Options::default(), text);
    assert_eq!(messages(&session).len(), 2);
    let printer = Printer {
        names: &session.names,
    };
    let last = list.last().map(|e| printer.external(e));
    assert_eq!(last.as_deref(), Some("ok:int"));
}

#[test]
fn errors_have_an_end() {
    let (session, list) = parse_with(Options::default(), &"int 1;\n".repeat(1000));
    assert_eq!(session.diagnostics.errors(), MAX_ERRORS + 1);
    assert!(list.is_empty());
    let body = format!("void f(void) {{ {} }}", "1 2; ".repeat(1000));
    let (session, _) = parse_with(Options::default(), &body);
    assert_eq!(session.diagnostics.errors(), MAX_ERRORS + 1);
}

#[test]
fn deep_nesting_is_refused() {
    with_large_stack(|| {
        for (before, inside, after) in [
            ("int x = ", "(", "1"),
            ("int x = ", "-", "1"),
            ("int x = ", "(int)", "1"),
            ("int x = ", "sizeof ", "1"),
            ("int x = ", "a = ", "1"),
            ("int x = ", "a ? ", "1"),
            ("int x = ", "f(", "1"),
            ("int x = ", "a[", "1"),
            ("int x = ", "{", "1"),
            ("int x = ", "(int[]){", "1"),
            ("int x = ", "({", "1"),
            ("int x = ", "++", "y"),
            ("int x = ", "__extension__ ", "y"),
            ("int x = ", "_Generic(", "y"),
            ("int ", "(", "x"),
            ("int ", "(*", "x"),
            ("int f", "(int (*g)", ";"),
            ("int x", "[sizeof(int", ";"),
            ("", "struct { ", "int x;"),
            ("", "typeof(", "int"),
            ("", "_Atomic(", "int"),
            ("", "_Alignas(", "int"),
            ("enum ", "{ A = sizeof(enum ", ""),
            ("void f(void) ", "{", ""),
            ("void f(void) {", "if (1) ", ";"),
            ("void f(void) {", "if (1) ; else { ", ";"),
            ("void f(void) {", "while (1) ", ";"),
            ("void f(void) {", "do ", ";"),
            ("void f(void) {", "for (;;) ", ";"),
            ("void f(void) {", "switch (1) ", ";"),
            ("void f(void) {", "a: { ", ";"),
            ("int x ", "__attribute__((a(", ""),
            ("int x ", "__attribute__((a(({ int x ", ""),
        ] {
            let text = format!("{before}{}{after}", inside.repeat(100_000));
            let (session, _) = parse_with(Options::default(), &text);
            assert!(session.diagnostics.has_errors(), "{before}{inside}");
        }
    });
}

#[test]
fn long_is_not_deep() {
    with_large_stack(|| {
        let n = 10_000;
        for text in [
            format!("int x = 1{};", " + 1".repeat(n)),
            format!("int x = (1{});", ", 1".repeat(n)),
            format!("int x = a{};", "[1]".repeat(n)),
            format!("int x = a{};", "(1)".repeat(n)),
            format!("int x = 1{};", " ? 1 : 1".repeat(n)),
            format!("void f(void) {{ {} }}", "if (a) b; else ".repeat(n) + ";"),
            format!(
                "void f(void) {{ switch (1) {{ {}; }} }}",
                "case 1: ".repeat(n)
            ),
            format!("void f(void) {{ {}; }}", "a: ".repeat(n)),
            format!("int x[] = {{ {} }};", "1, ".repeat(10 * n)),
            format!("char x[] = {};", "\"ab\" ".repeat(10 * n)),
            format!("int {} x;", "*".repeat(10 * n)),
            format!("int x {};", "[1]".repeat(10 * n)),
            format!("{} int x;", "__extension__ ".repeat(10 * n)),
            format!("{} int x;", "__attribute__((a)) ".repeat(10 * n)),
            format!("{} int x;", "[[a]] ".repeat(10 * n)),
            format!("void f(void) {{ {} }}", "a + 1; ".repeat(10 * n)),
            format!("{} int x;", ";".repeat(10 * n)),
        ] {
            let (session, list) = parse_with(Options::default(), &text);
            let start: String = text.chars().take(40).collect();
            assert_eq!(messages(&session), Vec::<String>::new(), "{start}");
            assert_eq!(list.len(), 1, "{start}");
        }
    });
}

/// Chains inside chains add up: the limit is on the tree, not on the text.
#[test]
fn too_high_a_tree_is_refused() {
    with_large_stack(|| {
        let chain = " + 1".repeat(MAX_HEIGHT as usize / 2);
        let fits = format!("int x = (1{chain});");
        assert!(
            !parse_with(Options::default(), &fits)
                .0
                .diagnostics
                .has_errors()
        );
        let high = format!("int x = (((1{chain}){chain}){chain});");
        let (session, _) = parse_with(Options::default(), &high);
        let message = format!("more than {MAX_HEIGHT} operators or labels in a row");
        assert!(messages(&session)[0].ends_with(&message));
        // Side by side they do not.
        let wide = format!("int x = f((1{chain}), (1{chain}), (1{chain}));");
        assert!(
            !parse_with(Options::default(), &wide)
                .0
                .diagnostics
                .has_errors()
        );
    });
}
