use super::*;

#[test]
fn basic_types_in_any_order() {
    for (text, expect) in [
        ("long unsigned int long x;", "x:ulonglong"),
        ("int short x;", "x:short"),
        ("char signed x;", "x:schar"),
        ("unsigned x;", "x:uint"),
        ("double long x;", "x:longdouble"),
        ("const __signed__ char x;", "x:const schar"),
        ("unsigned __int128 x;", "x:uint128"),
        ("__uint128_t x;", "x:uint128"),
        ("_Float64x x;", "x:float64x"),
        ("__float128 x;", "x:float128"),
        ("double _Complex x;", "x:complex double"),
        ("_Complex x;", "x:complex double"),
        ("int _Complex unsigned x;", "x:complex uint"),
        ("_Float16 x;", "x:float16"),
        ("__fp16 x;", "x:half"),
        ("_Decimal64 x;", "x:decimal"),
        ("__builtin_va_list x;", "x:valist"),
        ("unsigned _BitInt(7) x;", "x:ubitint(7)"),
        ("_BitInt(7) signed x;", "x:bitint(7)"),
        ("_Bool x;", "x:bool"),
        ("x;", "x:implicit"),
        ("static x;", "x:static implicit"),
    ] {
        check(text, expect);
    }
    check_with(C23, "bool x;", "x:bool");
    check("typedef int bool; bool x;", "x:<bool>");
}

#[test]
fn declarators_read_outward() {
    check("int *a[3], (*b)[3];", "a:[3]*int, b:*[3]int");
    check("int (*(*fp)(int, char *))[3];", "fp:*(int, *char)*[3]int");
    check(
        "void (*signal(int, void (*)(int)))(int);",
        "signal:(int, *(int)void)*(int)void",
    );
    check("int *const volatile *p;", "p:**const volatile int");
    check("int a[][2][1 + 1];", "a:[][2][(+ 1 1)]int");
    check("int ((x)), *(((y)));", "x:int, y:*int");
    check("char *(*(**f[3])())[2];", "f:[3]**(?)*[2]*char");
}

#[test]
fn parameters() {
    check(
        "int f(void), g(), h(int, ...);",
        "f:()int, g:(?)int, h:(int...)int",
    );
    check(
        "int f(int a[static 3], int b[*], int c[const restrict], int d[n]);",
        "f:(a:[3]int, b:[*]int, c:[const restrict ]int, d:[n]int)int",
    );
    check(
        "int f(register a, const b);",
        "f:(a:register implicit, b:const implicit)int",
    );
    check("int f(int n; int a[n], int n);", "f:(a:[n]int, n:int)int");
    check(
        "int f(int x [[maybe_unused]], char *__attribute__((unused)) y);",
        "f:(x:int @maybe_unused, y:* @unusedchar)int",
    );
    check(
        "int f(int x __attribute__((unused)));",
        "f:(x:int @unused)int",
    );
    check("int f(int) { }", "f:(int)int {}");
    check_with(C23, "int f() { } int g(...);", "g:(...)int");
    check_with(C23, "int f();", "f:()int");
    check("int f(int (), void (*)(void));", "f:((?)int, *()void)int");
}

#[test]
fn old_style_definitions() {
    check(
        "int f(a, b, c) int a; char *b; double c; { return a; }",
        "f:(names a b c)int a:int; b:*char; c:double; {(return a)}",
    );
    check("f(a) { return a; }", "f:(names a)implicit {(return a)}");
    check("main() { }", "main:(?)implicit {}");
    check(
        "static *f(a) register a; { }",
        "f:(names a)*static implicit a:register implicit; {}",
    );
    check(
        "int (*f(a))(int) int a; { }",
        "f:(names a)*(int)int a:int; {}",
    );
}

#[test]
fn records() {
    check(
        "struct s { int a; union { int b; float c; }; int : 3, d : 2; };",
        "struct s{a:int; union{b:int; c:float}; int bits 3, d:int bits 2}",
    );
    check("struct s { }; struct s x = {};", "x:struct s={}");
    check(
        "struct s { ; int a;; _Static_assert(1, \"y\"); };",
        "struct s{a:int; (assert 1 \"y\")}",
    );
    check(
        "struct { int n; int a[]; char z[0]; } *p;",
        "p:*struct{n:int; a:[]int; z:[0]char}",
    );
    check("struct s;", "struct s");
    check(
        "struct __attribute__((packed)) s { char a; int b __attribute__((aligned(4))); } __attribute__((aligned(8))) x;",
        "x:struct s{a:char; b:int @aligned(=4)} @packed @aligned(=8)",
    );
    check(
        "struct s { int a:3 __attribute__((packed)), b; };",
        "struct s{a:int bits 3 @packed, b:int}",
    );
    check(
        "struct s { __extension__ union { int a; }; const int *p; };",
        "struct s{union{a:int}; p:*const int}",
    );
}

#[test]
fn enumerations() {
    check("enum e { A, B = 2, } x;", "x:enum e{A, B=2}");
    check(
        "enum e { A __attribute__((deprecated)), B [[x]] = 2 } __attribute__((packed));",
        "enum e{A, B=2} @packed",
    );
    check_with(C23, "enum e : unsigned char { A };", "enum e:uchar{A}");
    check(
        "struct s { enum e : 3; enum e x : 3; };",
        "struct s{enum e bits 3; x:enum e bits 3}",
    );
}

#[test]
fn packing() {
    check(
        "#pragma pack(push, 1)\nstruct s { int a; };\n#pragma pack(pop)\nstruct t { int a; };",
        "struct t{a:int}",
    );
    check(
        "#pragma pack(push, 1)\nstruct s { int a; };",
        "struct s{a:int} pack(1)",
    );
    check(
        "struct s { int a;\n#pragma pack(2)\n};\n",
        "struct s{a:int} pack(2)",
    );
    check(
        "#pragma pack(2)\nstruct s { int a; \n#pragma pack()\n };\n",
        "struct s{a:int}",
    );
    check(
        "#pragma pack(push, x, 4)\n#pragma pack(push, 1)\n#pragma pack(pop, x)\nstruct s { int a; };",
        "struct s{a:int}",
    );
    check(
        "_Pragma(\"pack(4)\") struct s { int a; }; _Pragma(\"once\")",
        "struct s{a:int} pack(4)",
    );
}

#[test]
fn specifiers() {
    check(
        "extern inline __attribute__((__gnu_inline__, always_inline)) int f(int a) { return a; }",
        "f:(a:int)extern inline int @gnu_inline @always_inline {(return a)}",
    );
    check("_Noreturn static void f(void);", "f:()static noreturn void");
    check(
        "static _Thread_local int a, b; extern __thread int c;",
        "c:extern thread int",
    );
    check(
        "_Alignas(16) _Alignas(double) int a;",
        "a:align(16) align(double) int",
    );
    check("_Atomic int a; _Atomic(long) b;", "b:atomic(long)");
    check("_Atomic int a;", "a:atomic int");
    check(
        "int a; __typeof__(a) b; typeof(int *) c;",
        "c:typeof(type *int)",
    );
    check("__typeof__(a + 1) *b;", "b:*typeof((+ a 1))");
    check_with(
        C23,
        "typeof_unqual(const int) x;",
        "x:typeof_unqual(type const int)",
    );
    check_with(C23, "constexpr auto x = 1; ", "x:auto constexpr infer=1");
    check_with(C23, "static auto x = 1; ", "x:static infer=1");
    check_with(
        C23,
        "alignas(8) thread_local int x;",
        "x:thread align(8) int",
    );
    check_body("__auto_type x = 1;", "x:infer=1;");
    check_body("auto x = 1;", "x:auto implicit=1;");
    check(
        "__extension__ typedef struct { long long q; } t;",
        "t:typedef struct{q:longlong}",
    );
    check("__declspec(dllexport) int x;", "x:int @dllexport");
}

#[test]
fn attributes_in_every_place() {
    check("int *__attribute__((aligned(8))) p;", "p:* @aligned(=8)int");
    check(
        "int (__attribute__((noinline)) f)(void);",
        "f:()int @noinline",
    );
    check(
        "__attribute__((a)) int __attribute__((b)) x __attribute__((c)), __attribute__((d)) y;",
        "x:int @a @b @c, y:int @a @b @d",
    );
    check(
        "[[a, gnu::b, clang::c(1)]] int x [[d]];",
        "x:int @a @b @clang::c(=1) @d",
    );
    check(
        "int f(void) __attribute__((format(printf, 1, 2), const, , nonnull));",
        "f:()int @format(printf, =1, =2) @const @nonnull",
    );
    check(
        "int f(void) __asm__(\"g\") __attribute__((x));",
        "f:()int asm \"g\" @x",
    );
    check(
        "int x __attribute__((mode(__DI__), vector_size(sizeof(int) * 4)));",
        "x:int @mode(__DI__) @vector_size(=(* (sizeof type int) 4))",
    );
    // What vendors write is skipped.
    check(
        "int x __attribute__((availability(macos, introduced=10.4.3, [ {x;} ]), b));",
        "x:int @availability(macos) @b",
    );
    check("void f(void) __attribute__((a)) { }", "f:()void @a {}");
    check(
        "typedef int word; typedef int T __attribute__((mode(word)));",
        "T:typedef int @mode(word)",
    );
}

#[test]
fn initialisers() {
    check(
        "int y[10] = {[0 ... 4] = 1, [9] = 2, [3] 5};",
        "y:[10]int={[0...4]=1, [9]=2, [3]=5}",
    );
    check(
        "struct s x = {.a = 1, .b.c[2].d = {3}, e: 4};",
        "x:struct s={.a=1, .b.c[2].d={3}, .e=4}",
    );
    check(
        "int x = {1}, y[] = {{1, 2,}, {}};",
        "x:int={1}, y:[]int={{1, 2}, {}}",
    );
    check(
        "char s[] = \"a\" \"b\", t[] = {\"c\"};",
        "s:[]char=\"ab\", t:[]char={\"c\"}",
    );
    check("int x = a ? b : c;", "x:int=(? a b c)");
    check("int *p = (int[]){1};", "p:*int=(literal []int {1})");
}

#[test]
fn other_externals() {
    check("__asm__(\".globl x\");", "asm");
    check(
        "_Static_assert(sizeof(int) == 4, \"x\" \"y\");",
        "(assert (== (sizeof type int) 4) \"xy\")",
    );
    check_with(C23, "static_assert(1);", "(assert 1)");
    check("; ; int x; ;", "x:int");
    check(
        "extern int foo(int) __asm__(\"bar\"); register int r __asm__(\"rbx\");",
        "r:register int asm \"rbx\"",
    );
}

#[test]
fn line_markers_may_stand_anywhere() {
    check(
        "int f(int a) { return (\n# 33 \"x.h\" 3 4\n ((void*)0)\n# 7 \"y.c\"\n !=0) + a; }",
        "f:(a:int)int {(return (+ (paren (!= (paren (cast *void 0)) 0)) a))}",
    );
}

#[test]
fn keywords_depend_on_the_standard() {
    let strict = Options {
        standard: Standard::C89,
        gnu: false,
        ..Options::default()
    };
    check_with(
        strict,
        "int inline, restrict, asm, typeof, bool, nullptr;",
        "inline:int, restrict:int, asm:int, typeof:int, bool:int, nullptr:int",
    );
    check_with(
        strict,
        "__inline int f(void) { __asm__(\"\"); }",
        "f:()inline int {(asm \"\" :  :  :  : )}",
    );
}
