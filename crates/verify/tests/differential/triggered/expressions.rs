//! Wrong values of C's own expressions: bit-fields, order of evaluation, built-in functions that write, calls through
//! pointers, views of bytes. Each was once answered wrongly, or is like one that was.

use super::program::Fault;
use super::values::both;
use crate::writer::Random;

/// A name, the text at the top, the text in `main`, the assertion; with `{bad#safe}` in them.
pub const EXPRESSIONS: [(&str, &str, &str, &str); 16] = [
    (
        "bit-field-bool",
        "struct flags { _Bool a : 1, b : 1; };",
        "struct flags f = {0, 0}; f.b = (n | 1) << 4; f.a |= n & 0;",
        "f.b == {0#1} && f.a == 0",
    ),
    (
        "bit-field-bool-sum",
        "struct flags { _Bool a : 1, b : 1; };",
        "struct flags f = {1, 0}; f.a += 1; f.b--;",
        "f.a == {0#1} && f.b == 1",
    ),
    (
        "bit-field-signed",
        "struct s { int a : 3, b : 1; };",
        "struct s s = {3, 0}; int old = s.a++; s.b = n | 1;",
        "old == 3 && s.a == -4 && s.b == {1#-1}",
    ),
    (
        "bit-field-33",
        "struct s { unsigned long long a : 33, b : 31; };",
        "struct s s = {0, 0}; s.a = 1ull << 32; s.b = n; unsigned long long twice = s.a << 1;",
        "twice == {1ull << 33#0}",
    ),
    (
        "bit-field-union",
        "union u { struct { unsigned a : 4, b : 4; } f; unsigned char c; };",
        "union u u; u.c = 0; u.f.b = n | 1; u.f.a = 5;",
        "(u.c & 15) == {0#5} && (u.c >> 4) == ((n | 1) & 15)",
    ),
    (
        "compound-call",
        "static unsigned x = 2; static unsigned add(void) { x |= 128; return 1; }",
        "x |= add();",
        "x == {3#131}",
    ),
    (
        "compound-element",
        "static int at; static int next(void) { at = 1; return 5; }",
        "int a[2] = {1, 2}; a[at] += next();",
        "a[{0#1}] == {6#7}",
    ),
    (
        "overflow-self",
        "",
        "unsigned a = 4294967295u; _Bool over = __builtin_add_overflow(a, n | 1, &a);",
        "over == {0#1}",
    ),
    (
        "product-self",
        "",
        "long a = 1l << 62; _Bool over = __builtin_mul_overflow(a, 2l + (n & 1), &a);",
        "over == {0#1}",
    ),
    (
        "compare-and-swap-self",
        "",
        "int x = (int)n; _Bool done = __sync_bool_compare_and_swap(&x, x, x + 1);",
        "done == {0#1}",
    ),
    (
        "exchange-self",
        "",
        "unsigned x = n, old = __atomic_exchange_n(&x, x + 5, 5);",
        "old == n && x == n + {0#5}",
    ),
    (
        "call-extra-argument",
        "static long one() { return 1; } static long (*function)();",
        "function = one; long r = function(n);",
        "r == {2#1}",
    ),
    (
        "call-narrow-argument",
        "static int same(int a) { return a; } static int (*function)(long, int);",
        "function = (int (*)(long, int))same; int r = function(7, (int)n);",
        "r == {8#7}",
    ),
    (
        "bytes-of-number",
        "",
        "unsigned v = 0; unsigned char *p = (unsigned char *)&v; p[1] = n | 1; p[3] = 0;",
        "v == ((n | 1) & 255) << {16#8}",
    ),
    (
        "pointer-in-bytes",
        "",
        "int x = 4, *p = &x, *q; int store[2]; memcpy(store, &p, sizeof p); memcpy(&q, store, sizeof q); *q += 1;",
        "x == {4#5}",
    ),
    (
        "conversion-usual",
        "",
        "int a = -1; unsigned short s = n & 7, t = 8; long long r = n > 0 ? a : 0u;",
        "s - t < 0 && (a < 1u) == {1#0} && r >= 0",
    ),
];

/// The fault of a kind.
pub fn fault(kind: usize, _: &mut Random) -> Fault {
    let (name, top, start, check) = EXPRESSIONS[kind];
    Fault {
        name: name.into(),
        properties: "assertion",
        ..both(top, start, check)
    }
}
