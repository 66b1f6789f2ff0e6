//! Types of expressions, sizes and constants, written as assertions that gcc accepts too.

use super::{analyse_for, analyse_with, gcc};
use crate::session::{Options, Standard};
use cwolf_cwi::Target;

const DECLARATIONS: &str = r"
typedef __SIZE_TYPE__ size_t; typedef __PTRDIFF_TYPE__ ptrdiff_t;
char c; signed char sc; unsigned char uc; short s; unsigned short us; int i; unsigned u;
long l; unsigned long ul; long long ll; unsigned long long ull;
float f; double d; long double ld; _Bool b;
int *ip; const int *cip; void *vp; char *cp; int arr[5]; int fn(int);
const int ci = 3; volatile int vi;
enum E { A, B, C }; enum N { NEG = -1, POS }; enum U { UU = 0x80000000u };
struct s1 { char a; int b; char c; }; struct s2 { char a; int b[3]; };
struct s3 { char a; struct { int x; char y; }; union { int z; char w; }; int t[]; };
struct bf { unsigned a:3; int b:5; unsigned c:32; _Bool f:1; signed char k:4; unsigned short h:16; } bf;
";

/// Expands three kinds of assertion: `SA(condition);`, `TY(expression ~ its type);` and
/// `SAME(type ~ compatible type);`. Other lines stay.
fn expand(text: &str) -> String {
    let mut out = String::new();
    for line in text.lines().map(str::trim).filter(|l| !l.is_empty()) {
        let inner = |prefix: &str| line.strip_prefix(prefix)?.strip_suffix(");");
        let assertion = if let Some(e) = inner("SA(") {
            format!("_Static_assert({e}, \"\");")
        } else if let Some(both) = inner("TY(") {
            let (e, ty) = both.split_once(" ~ ").expect("TY(e ~ T)");
            format!("_Static_assert(_Generic(({e}), {ty}: 1, default: 0), \"\");")
        } else if let Some(both) = inner("SAME(") {
            let (a, b) = both.split_once(" ~ ").expect("SAME(T ~ U)");
            format!("_Static_assert(__builtin_types_compatible_p({a}, {b}), \"\");")
        } else {
            line.to_owned()
        };
        out.push_str(&assertion);
        out.push('\n');
    }
    out
}

/// Each line holds, for us and for gcc.
fn check(target: Target, asserts: &str) {
    let text = format!("{DECLARATIONS}{}", expand(asserts));
    let text = text
        .replace("__SIZE_TYPE__", size_type(target, true))
        .replace("__PTRDIFF_TYPE__", size_type(target, false));
    let outcome = analyse_for(target, &text);
    assert_eq!(outcome.errors, Vec::<String>::new(), "in {text}");
    gcc::accepts(target, &text);
}

fn size_type(target: Target, unsigned: bool) -> &'static str {
    match (target.long_size, unsigned) {
        (true, true) => "unsigned long",
        (true, false) => "long",
        (false, true) => "unsigned int",
        (false, false) => "int",
    }
}

/// A constant condition holds, on both targets.
pub(super) fn check_constant(condition: &str) {
    check_both(&format!("SA({condition});"));
}

fn check_both(asserts: &str) {
    check(Target::X86_64, asserts);
    check(Target::I386, asserts);
}

#[test]
fn arithmetic_conversions() {
    check_both(
        r"
        TY(c+c ~ int);
        TY(sc<<l ~ int);
        TY(us+us ~ int);
        TY(u+i ~ unsigned);
        TY(ul+i ~ unsigned long);
        TY(ll+ul ~ __typeof__(__builtin_choose_expr(sizeof(long) == 8, 1ull, 1ll)));
        TY(ull+l ~ unsigned long long);
        TY(f+i ~ float);
        TY(f+d ~ double);
        TY(d+ld ~ long double);
        TY(b+b ~ int);
        TY(!d ~ int);
        TY(~c ~ int);
        TY(-us ~ int);
        TY(+uc ~ int);
        TY(-u ~ unsigned);
        TY(c?u:i ~ unsigned);
        TY(c?d:i ~ double);
        TY(i==d ~ int);
        TY(c&&d ~ int);
        TY(c=1 ~ char);
        TY(c+=1 ~ char);
        TY(c++ ~ char);
        TY((c,s) ~ short);
        TY((char)1 ~ char);
        TY(A ~ int);
        TY((enum E)1 ~ unsigned);
        TY((enum N)1 ~ int);
        TY(UU ~ unsigned);
        TY(ci ~ int);
        TY(vi ~ int);
        SA(-1 > 0u);
        SA(sizeof(1?(char)1:(char)2) == sizeof(int));
        ",
    );
    check(
        Target::X86_64,
        r"
        __int128 x; unsigned __int128 ux;
        TY(x+ull ~ __int128);
        TY(ux+x ~ unsigned __int128);
        TY(l+u ~ long);
        TY(0x100000000 ~ long);
        enum BIG { BB = 0x100000000LL, SMALL = 1 };
        TY(BB ~ unsigned long);
        TY(SMALL ~ int);
        SA(sizeof(enum BIG) == 8);
        SA((__int128)1<<100 > 0);
        ",
    );
    check(
        Target::I386,
        "TY(l+u ~ unsigned long);\nTY(0x100000000 ~ long long);",
    );
}

#[test]
fn pointers_arrays_functions() {
    check_both(
        r"
        TY(ip+1 ~ int*);
        TY(ip-ip ~ ptrdiff_t);
        TY(&arr ~ int(*)[5]);
        TY(arr ~ int*);
        TY(&arr[1] ~ int*);
        TY(*arr ~ int);
        TY(fn ~ int(*)(int));
        TY(&fn ~ int(*)(int));
        TY(*fn ~ int(*)(int));
        TY(fn(1) ~ int);
        TY(c?ip:cip ~ const int*);
        TY(c?ip:vp ~ void*);
        TY(c?ip:0 ~ int*);
        TY(c?(void*)0:ip ~ int*);
        TY(c?cip:vp ~ const void*);
        TY(sizeof i ~ size_t);
        TY(&ci ~ const int*);
        TY(&vi ~ volatile int*);
        TY(&*ip ~ int*);
        TY(*&ip ~ int*);
        TY(ip==0 ~ int);
        TY((0, arr) ~ int*);
        TY(&((struct s2*)0)->b ~ int(*)[3]);
        SAME(typeof(arr) ~ int[5]);
        SAME(int[] ~ int[3]);
        SAME(const int ~ int);
        SAME(typeof(&fn) ~ int(*)(int));
        SA(!__builtin_types_compatible_p(int*, const int*));
        SA(!__builtin_types_compatible_p(char, signed char));
        SA(__builtin_types_compatible_p(int(*)(int), int(*)()));
        SA(_Generic(&ci, const int*: 1, int*: 2) == 1);
        ",
    );
}

#[test]
fn literals() {
    check_both(
        r#"
        TY(1 ~ int);
        TY(1u ~ unsigned);
        TY(1l ~ long);
        TY(1ull ~ unsigned long long);
        TY(2147483648 ~ __typeof__(__builtin_choose_expr(sizeof(long) == 8, 1l, 1ll)));
        TY(0x80000000 ~ unsigned);
        TY(1.0 ~ double);
        TY(1.0f ~ float);
        TY(1.0L ~ long double);
        TY('a' ~ int);
        TY(u'a' ~ unsigned short);
        TY(U'a' ~ unsigned);
        TY("abc" ~ char*);
        TY(u"x" ~ unsigned short*);
        SA(sizeof "abc" == 4);
        SA(sizeof L"abc" == 16);
        SA(sizeof u"ab" == 6);
        SA('\xff' == -1);
        SA('ab' == 24930);
        SA(.5+1. == 1.5);
        SA(0x1p4 == 16.0);
        SA((float)0.1 != 0.1);
        SA((int)(float)16777217 == 16777216);
        SA(1.0L/3 != 1.0/3);
        "#,
    );
}

#[test]
fn constants_fold() {
    check_both(
        r"
        SA(1?1:(1/0));
        SA(1||i);
        SA(!(0&&i));
        SA((char)300 == 44);
        SA((unsigned char)-1 == 255);
        SA((signed char)200 == -56);
        SA((int)3.9 == 3);
        SA((int)-3.9 == -3);
        SA(-5/2 == -2);
        SA(-5%3 == -2);
        SA(-1>>1 == -1);
        SA(0xffffffffu>>1 == 0x7fffffff);
        SA((_Bool)0.5);
        SA((_Bool)2 == 1);
        SA((int)(long)(void*)-1 == -1);
        SA((unsigned long)(void*)-1 == ~0ul);
        SA(__builtin_offsetof(struct s3, y) == 8);
        SA(__builtin_offsetof(struct s3, w) == 12);
        SA(__builtin_offsetof(struct s3, t[2]) == 24);
        SA((size_t)&((struct s3*)0)->z == 12);
        SA((char*)&((struct s1*)16)->c - (char*)16 == 8);
        SA(&((struct s1*)0)[2].b == (int*)28);
        SA(_Generic(1, default: 2, int: 3) == 3);
        SA(_Generic((const int)1, int: 1, const int: 2) == 1);
        SA(__builtin_choose_expr(1, 5, 1.0) == 5);
        ",
    );
}

#[test]
fn sizes_and_alignments() {
    check_both(
        r"
        SA(sizeof(struct s1) == 12);
        SA(sizeof(int[3]) == 12);
        SA(sizeof(char[2][3]) == 6);
        SA(sizeof(struct bf) == 12);
        typedef int aint __attribute__((aligned(16))); struct s4 { char a; aint b; };
        SA(sizeof(struct s4) == 32);
        SA(__alignof__(aint) == 16 && sizeof(aint) == 4);
        SA(__alignof__(double) == 8 && __alignof__(long long) == 8);
        SA(_Alignof(double) == (sizeof(long) == 8 ? 8 : 4));
        struct s7 {}; struct s8 { int a; struct s7 e; int z[0]; };
        SA(sizeof(struct s7) == 0 && sizeof(struct s8) == 4);
        struct s9 { _Alignas(32) char c; };
        SA(sizeof(struct s9) == 32);
        enum __attribute__((packed)) P { P1, P2 = 200 }; enum __attribute__((packed)) Q { Q1 = -1, Q2 = 200 };
        SA(sizeof(enum P) == 1 && sizeof(enum Q) == 2);
        typedef unsigned int qi __attribute__((mode(QI))); typedef int di __attribute__((mode(DI)));
        SA(sizeof(qi) == 1 && sizeof(di) == 8);
        extern int inc[]; int inc[4];
        SA(sizeof inc == 16);
        int t1[] = {1,2,3,[7]=1}; int t4[][2]={1,2,3}; int t5[]={[3]=1,[1]=2}; int t8[] = {[0 ... 9]=3, 4};
        SA(sizeof t1 == 32 && sizeof t4 == 16 && sizeof t5 == 16 && sizeof t8 == 44);
        struct s1 t7[] = {{1},{2},[5]={.b=3},4};
        SA(sizeof t7 == 84);
        struct { int a[3]; int b; } t9[] = {1,2,3,4,5,6,7,8};
        SA(sizeof t9 == 32);
        TY(+bf.a ~ int);
        TY(+bf.c ~ unsigned);
        TY(bf.a-u ~ unsigned);
        TY(+bf.f ~ int);
        ",
    );
}

#[test]
fn wide_bit_fields_keep_their_width() {
    check(
        Target::X86_64,
        r"
        struct w { unsigned long d:40; long e:33; unsigned long g:64; unsigned long h:20; } w;
        TY(+w.g ~ unsigned long);
        TY(+w.h ~ int);
        TY(w.d+1ul ~ unsigned long);
        SA(sizeof(w.d + 0) == 8);
        SA(!__builtin_types_compatible_p(__typeof__(+w.d), unsigned long));
        ",
    );
}

#[test]
fn variable_length_types() {
    check_both(
        r"
        int g(int n, int m[n][n], int q[static 3]) { int a[n]; int bb[n][n+1]; typedef int T[n]; T t;
        TY(bb[0] ~ int*);
        TY(m[1] ~ int*);
        TY(sizeof a ~ size_t);
        int (*pp)[n] = m;
        TY(pp[0][0] ~ int);
        TY(pp+1 - pp ~ ptrdiff_t);
        return sizeof(t)+sizeof bb+sizeof(*pp)+sizeof(int[n+2])+m[1][2]+q[0]; }
        ",
    );
}

#[test]
fn c23_words() {
    let options = Options {
        standard: Standard::C23,
        ..Options::default()
    };
    let text = r"
        enum color : unsigned char { RED, BLUE = 255 };
        _Static_assert(sizeof(enum color) == 1);
        constexpr int size = 4;
        int a[size];
        _Static_assert(sizeof a == 16);
        int f() { auto x = 1.5; int *p = nullptr; return p == nullptr && true && sizeof x == 8; }
        int g(void) { return f(); }
        _Static_assert(_Generic(true, bool: 1));
        _BitInt(17) w; _Static_assert(sizeof w == 4);
    ";
    let outcome = analyse_with(options, text);
    assert_eq!(outcome.errors, Vec::<String>::new());
    assert_eq!(outcome.functions.len(), 2);
}

/// The types of a machine whose `int` has 16 bits.
#[test]
fn sixteen_bits() {
    let tests = [
        "sizeof(int) == 2 && sizeof(long) == 4 && sizeof(void *) == 2 && sizeof(double) == 4",
        "sizeof(long double) == 4 && _Alignof(long long) == 1 && sizeof(wchar_like) == 2",
        "sizeof(struct s) == 11",
        // A constant has the first type that it fits; octal ones may be unsigned.
        "sizeof(32767) == 2 && sizeof(32768) == 4 && sizeof(0x8000) == 2 && 0x8000 > 0",
        "!((unsigned short)65535 > -1) && (unsigned char)255 > -1 && sizeof((char)1 + (char)1) == 2",
        "_Generic((unsigned short)1 + 1, unsigned: 1, default: 0)",
        "_Generic((short)1 + 1, int: 1, default: 0)",
        "_Generic(1 == 1, int: 1, default: 0) && sizeof(!0) == 2",
        "_Generic(1u + 1L, long: 1, default: 0)",
        "_Generic(sizeof 1, unsigned: 1, default: 0)",
        "_Generic(field.b + 0, unsigned: 1, default: 0) && _Generic(field.a + 0, int: 1, default: 0)",
        "sizeof(enum small) == 2 && sizeof(enum large) == 4 && sizeof(U'x') == 4",
        "(1u << 15) + (1u << 15) == 0 && -1 + 0u == 65535",
    ];
    let mut text = String::from(
        "typedef __typeof__(L'x') wchar_like; struct s { char c; double d; long l; short s; };\n\
         enum small { A = 32767 }; enum large { B = 70000 };\n\
         struct { unsigned a : 15, b : 16; } field;\n",
    );
    for test in tests {
        text += &format!("_Static_assert({test}, \"\");\n");
    }
    let outcome = analyse_for(Target::AVR, &text);
    assert_eq!(outcome.errors, Vec::<String>::new());
}
