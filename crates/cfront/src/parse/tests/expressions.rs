use super::*;

#[test]
fn precedence() {
    check_expr("a + b * c - d", "(- (+ a (* b c)) d)");
    check_expr(
        "a << 1 + 2 < b == c & d ^ e | f && g || h",
        "(|| (&& (| (^ (& (== (< (<< a (+ 1 2)) b) c) d) e) f) g) h)",
    );
    check_expr("a = b += c ? d : e, f", "(, (= a (+= b (? c d e))) f)");
    check_expr("a ? b, c : d ? e : f", "(? a (, b c) (? d e f))");
    check_expr("a ?: b ?: c", "(? a _ (? b _ c))");
    check_expr("-a[1]++", "(neg (_++ (index a 1)))");
    check_expr("*p->q.r(1, 2)", "(deref (call (. (-> p q) r) 1 2))");
    check_expr("!~-+&*x", "(not (bitnot (neg (plus (addrof (deref x))))))");
    check_expr("++*--p", "(++_ (deref (--_ p)))");
    check_expr("a % b / c", "(/ (% a b) c)");
    check_expr("a >>= b <<= c", "(>>= a (<<= b c))");
    check_expr("a--- -b", "(- (_-- a) (neg b))");
}

#[test]
fn sizes() {
    check_expr("sizeof(T) * a", "(* (sizeof type <T>) a)");
    check_expr("sizeof (a)[1]", "(sizeof (index (paren a) 1))");
    check_expr("sizeof(T){1}.x", "(sizeof (. (literal <T> {1}) x))");
    check_expr("sizeof sizeof x", "(sizeof (sizeof x))");
    check_expr("sizeof(int[3])", "(sizeof type [3]int)");
    check_expr("sizeof(T)-1", "(- (sizeof type <T>) 1)");
    check_expr(
        "_Alignof(long) + __alignof__ x + __alignof(x)",
        "(+ (+ (alignof type long) (alignof x)) (alignof (paren x)))",
    );
}

#[test]
fn compound_literals() {
    check_expr("(S){.a = 1}.a++", "(_++ (. (literal <S> {.a=1}) a))");
    check_expr(
        "&(int[]){1, 2,}[1]",
        "(addrof (index (literal []int {1, 2}) 1))",
    );
    check_expr("(T)(T){0}", "(cast <T> (literal <T> {0}))");
    check_expr("f((S){})", "(call f (literal <S> {}))");
}

#[test]
fn gnu_expressions() {
    check_expr("({ int b = a; b + 1; })", "(block {b:int=a; (+ b 1);})");
    check_expr("&&here", "(&& here)");
    check_expr("a && &&here", "(&& a (&& here))");
    check_expr("__extension__ 3 + 1", "(+ (extension 3) 1)");
    check_expr("__extension__ (long)1", "(extension (cast long 1))");
    check_expr("__real__ z + __imag z", "(+ (real z) (imag z))");
    check_expr(
        "__builtin_offsetof(S, c.b[2].d)",
        "(offsetof <S> .c.b[2].d)",
    );
    check_expr("__builtin_va_arg(ap, char *)", "(va_arg ap *char)");
    check_expr(
        "__builtin_types_compatible_p(int, T*)",
        "(compatible int *<T>)",
    );
    check_expr("__builtin_choose_expr(1, a, b)", "(choose 1 a b)");
    check_expr("__builtin_convertvector(v, T)", "(convertvector v <T>)");
    check_expr(
        "__builtin_shuffle(a, b, m)",
        "(call __builtin_shuffle a b m)",
    );
    check_expr(
        "__builtin_expect(!!(x), 0)",
        "(call __builtin_expect (not (not (paren x))) 0)",
    );
    check_expr("__func__", "__func__");
    check_expr(
        "(__extension__ (__builtin_constant_p(1)))",
        "(paren (extension (paren (call __builtin_constant_p 1))))",
    );
}

#[test]
fn generic() {
    check_expr(
        "_Generic(a, int: 1, T *: f, enum e: 3, default: 2)(x)",
        "(call (generic a int=>1 *<T>=>f enum e=>3 default=>2) x)",
    );
}

#[test]
fn constants() {
    check_expr("0x10uLL + 'a' + L'b'", "(+ (+ 16ull '97:Plain) '98:Wide)");
    check_expr("1.5f + 0x1p3 + 2.0L", "(+ (+ 1.5:F 0x1p3:None) 2.0:L)");
    check_expr("\"a\" \"b\\n\" \"c\"", "\"ab\\nc\"");
    check_expr("\"a\" L\"b\"", "\"ab\":Wide");
    check_expr("u8\"x\" \"y\"", "\"xy\":Utf8");
    // An escape does not reach into the next piece.
    check_expr("\"\\x1\" \"1\"", "\"\\u{1}1\"");
    check_body_with(
        C23,
        "x = true + false + 1'000; p = nullptr;",
        "(= x (+ (+ true false) 1000)); (= p nullptr);",
    );
    check_expr("true", "true");
}
