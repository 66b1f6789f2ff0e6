//! Faults that a function may cause that nobody knows: an assertion behind the trigger fails because such
//! a function may have changed what it is about; in the twin it cannot know of it.

use super::program::Fault;
use super::values::both;
use crate::writer::Random;

/// A way to let an unknown function know something: the text at the top, the text in `main`, the
/// assertion; with `{bad#safe}` in them.
pub const OUTSIDE: [(&str, &str, &str, &str); 23] = [
    (
        "outside-global",
        "{int#static int} x = 1; extern int poke(void);",
        "sink += (unsigned)poke();",
        "x == 1",
    ),
    (
        "outside-global-member",
        "struct pair { int a, x; }; {struct pair#static struct pair} s = {1, 1}; extern void poke(void);",
        "poke();",
        "s.x == 1",
    ),
    (
        "outside-global-constant",
        "{int#const int} x = 1; extern void poke(void);",
        "poke();",
        "x == 1",
    ),
    (
        "outside-global-pointer",
        "static int x = 1, y = 1; int *where = {&x#&y}; extern void poke(void);",
        "poke(); int *mine = &x; sink += (unsigned)*mine;",
        "x == 1",
    ),
    (
        "outside-large-global",
        "{int#static int} x[300] = {1}; extern void poke(void);",
        "poke();",
        "x[n & 7] <= 1",
    ),
    (
        "outside-out-parameter",
        "extern int get(int *);",
        "int x = 1, y = 1; sink += (unsigned)get({&x#&y}); int *mine = &x;",
        "*mine == 1",
    ),
    (
        "outside-deep",
        "extern void get(int ***);",
        "int x = 1, y = 1, *p = {&x#&y}, **pp = &p; get(&pp); int *mine = &x;",
        "*mine == 1",
    ),
    (
        "outside-heap-node",
        "struct node { int v; struct node *next; }; extern void get(struct node *);",
        "struct node *a = malloc(sizeof *a), *b = malloc(sizeof *b); b->v = 1; b->next = 0; a->v = 0; a->next = {b#0}; get(a);",
        "b->v == 1",
    ),
    (
        "outside-kept-static",
        "static int x, y; extern void keep(int *), poke(void);",
        "keep({&x#&y}); int *mine = &x; *mine = 1; poke();",
        "x == 1",
    ),
    (
        "outside-kept-local",
        "extern void keep(int *), poke(void);",
        "int x = 0, y = 0; keep({&x#&y}); int *mine = &x; *mine = 1; poke();",
        "x == 1",
    ),
    (
        "outside-kept-heap",
        "extern void keep(int *), poke(void);",
        "int *x = malloc(sizeof *x), *y = malloc(sizeof *y); *x = *y = 0; keep({x#y}); *x = 1; poke();",
        "*x == 1",
    ),
    (
        "outside-kept-in-struct",
        "struct given { int k; int *p; }; extern void keep(struct given), poke(void);",
        "int x = 0, y = 0; struct given g = {1, {&x#&y}}; keep(g); int *mine = &x; *mine = 1; poke();",
        "x == 1",
    ),
    (
        "outside-returned",
        "extern int *find(int *);",
        "int x = 1, y = 1; int *p = find({&x#&y}); int *mine = &x; *mine = 1; if (p) *p = 2;",
        "x == 1",
    ),
    (
        "outside-returned-global",
        "{int#static int} x = 1; extern int *find(void);",
        "int *p = find(); int *mine = &x; *mine = 1; if (p) *p = 2;",
        "x == 1",
    ),
    (
        "outside-given-later",
        "extern void keep(int *), poke(void);",
        "int x = 1; {keep(&x); x = 1; poke();#poke();} int *mine = &x; int seen = *mine; keep(mine);",
        "seen == 1",
    ),
    (
        "outside-data",
        "extern int level;",
        "{;#level = 1;}",
        "level == 1",
    ),
    (
        "outside-data-pointer",
        "extern int *cursor; {int#static int} x = 1;",
        "if (cursor) *cursor = 2; int *mine = &x; sink += (unsigned)*mine;",
        "x == 1",
    ),
    (
        "chosen-pointer",
        "extern void *__VERIFIER_nondet_pointer(void);",
        "int x = 1, y = 1, *p = __VERIFIER_nondet_pointer(); if (p == {&x#&y}) *p = 2; int *mine = &x;",
        "*mine == 1",
    ),
    (
        "chosen-pointer-heap",
        "extern void *__VERIFIER_nondet_pointer(void);",
        "int *x = malloc(8), *y = malloc(8), *p = __VERIFIER_nondet_pointer(); x[1] = 1; if (p == {x#y} + 1) *p = 2;",
        "x[1] == 1",
    ),
    (
        "outside-number",
        "extern void give(unsigned long);",
        "int x = 1, y = 1; give((unsigned long){&x#&y}); int *mine = &x;",
        "*mine == 1",
    ),
    (
        "outside-unnamed-number",
        "extern void give(int, ...);",
        "int x = 1, y = 1; long a = (long){&x#&y}; give(1, a + 0); int *mine = &x;",
        "*mine == 1",
    ),
    (
        "unnamed-record",
        "struct two { int k, *p; }; static void pass(int k, ...) { __builtin_va_list list; __builtin_va_start(list, k); \
         struct two t = __builtin_va_arg(list, struct two); __builtin_va_end(list); *t.p = t.k; }",
        "int x = 1; struct two t = {{2#1}, &x}; pass(1, t);",
        "x == 1",
    ),
    (
        "chosen-number",
        "extern unsigned long __VERIFIER_nondet_ulong(void); static int x = 1, y = 1;",
        "int *p = (int *)__VERIFIER_nondet_ulong(); if (p == {&x#&y}) *p = 2; int *mine = &x;",
        "*mine == 1",
    ),
];

/// The fault of a kind.
pub fn fault(kind: usize, _: &mut Random) -> Fault {
    let (name, top, start, check) = OUTSIDE[kind];
    Fault {
        name: name.into(),
        // Whether a pointer that comes from outside is valid is another question.
        properties: "assertion",
        ..both(top, start, check)
    }
}
