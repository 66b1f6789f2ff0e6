use super::*;

#[test]
fn control() {
    check_body("if (a) if (b) c; else d;", "(if a (if b c; d;))");
    check_body("if (a) b; else if (c) d; else e;", "(if a b; (if c d; e;))");
    check_body("while (a) { b; }", "(while a {b;})");
    check_body("do a; while (b); c;", "(do a; b) c;");
    check_body("for (;;) break;", "(for _; _; _ break)");
    check_body(
        "for (i = 0; i < 3; i++) continue;",
        "(for (= i 0); (< i 3); (_++ i) continue)",
    );
    check_body(
        "return; return (a, b);",
        "(return _) (return (paren (, a b)))",
    );
    check_body(";;", "; ;");
}

#[test]
fn switches() {
    check_body(
        "switch (a) { case 1: case 2 ... 5: b; break; default: ; }",
        "(switch a {(case 1 (case 2...5 b;)) break (default ;)})",
    );
    check_body(
        "switch (a) case 1: default: b;",
        "(switch a (case 1 (default b;)))",
    );
    check_body(
        "switch (a) { case 1: a++; __attribute__((fallthrough)); case 2: [[fallthrough]]; default: }",
        "(switch a {(case 1 (_++ a);) ; (case 2 ;) (default ;)})",
    );
    check_body(
        "switch (a) { case 'a' ? 1 : 2: b; }",
        "(switch a {(case (? '97:Plain 1 2) b;)})",
    );
}

#[test]
fn labels() {
    check_body("a: b: c;", "(label a (label b c;))");
    check_body("a: int x; goto a;", "(label a ;) x:int; (goto a)");
    check_body("goto *p[1]; { a: }", "(goto* (index p 1)) {(label a ;)}");
    check_body("a: __attribute__((unused)); b;", "(label a ;) b;");
    check_body("a: __attribute__((unused)) b;", "(label a b;)");
    check_body("[[maybe_unused]] a: b;", "(label a b;)");
    check_body(
        "a: __attribute__((unused)) int x;",
        "(label a ;) x:int @unused;",
    );
    check_body(
        "__label__ a, b; a: b: ;",
        "(labels a b) (label a (label b ;))",
    );
    check_body("a: _Static_assert(1, \"\");", "(label a ;) (assert 1 \"\")");
}

#[test]
fn attributes_on_statements() {
    check_body("__attribute__((hot)) a = 1;", "(= a 1);");
    check_body("[[likely]] if (a) b;", "(if a b;)");
    check_body("[[maybe_unused]] int x;", "x:int @maybe_unused;");
    check_body("__attribute__((unused)) T x;", "x:<T> @unused;");
    check_body(
        "__extension__ int x; __extension__ (a);",
        "x:int; (extension (paren a));",
    );
}

#[test]
fn nested_functions_are_recognised() {
    check_body(
        "int g(int b) { return b; } g(1);",
        "(nested g:(b:int)int {(return b)}) (call g 1);",
    );
    check_body(
        "auto int g(); T g(a) T a; { { } } g(1);",
        "g:(?)auto int; (nested g:(names a)<T> a:<T>; {{}}) (call g 1);",
    );
    check_body(
        "T g(T T) { T = 1; } T x;",
        "(nested g:(T:<T>)<T> {(= T 1);}) x:<T>;",
    );
}

#[test]
fn assembly() {
    check_body("asm(\"nop\");", "(asm \"nop\" :  :  :  : )");
    check_body(
        "__asm__ __volatile__(\"mov %1,%0\" : [o] \"=r\"(b), \"+m\"(c) : [i] \"r\"(a) : \"cc\", \"memory\");",
        "(asm volatile \"mov %1,%0\" : \"=r\" b \"+m\" c : \"r\" a : \"cc\" \"memory\" : )",
    );
    check_body(
        "asm goto volatile (\"\" :: \"i\"(1) :: l); l:;",
        "(asm volatile \"\" :  : \"i\" 1 :  : l) (label l ;)",
    );
    check_body("asm inline (\"a\" \"b\" :::);", "(asm \"ab\" :  :  :  : )");
}
