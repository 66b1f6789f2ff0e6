//! What the analysis proves, each with a twin that is wrong.

use crate::{options, subject};
use cwolf_base::Budget;
use cwolf_numeric::analyse;
use cwolf_prepare::property::{Kind, Selection};

const HEAD: &str = "extern int nd(void); extern unsigned char __VERIFIER_nondet_uchar(void);\n\
    extern void __VERIFIER_assert(int); extern void *malloc(unsigned long);\n";

/// A program with `@` in it, what makes it right there, and what makes it wrong.
const CASES: &[(&str, &str, &str)] = &[
    // A bound from a loop, after narrowing.
    (
        "int main() { int i = 0; while (i < 1000) i++; __VERIFIER_assert(i == @); }",
        "1000",
        "1001",
    ),
    // A congruence through a loop without a bound.
    (
        "int main() { unsigned x = 3; while (__VERIFIER_nondet_uchar()) x += 6; __VERIFIER_assert(x % @ == 1); }",
        "2",
        "3",
    ),
    // Two variables that stay equal.
    (
        "int main() { int x = 0, y = 0; while (__VERIFIER_nondet_uchar()) if (x < 100000) { x++; y @; } __VERIFIER_assert(x == y); }",
        "+= 1",
        "+= 2",
    ),
    // A sum that stays what it is.
    (
        "int main() { int x = 100000, y = 0; while (x > 0) { x--; y++; } __VERIFIER_assert(y == @); }",
        "100000",
        "99999",
    ),
    // Through a pointer to one variable, in a function that is called twice.
    (
        "void set(int *p, int v) { *p = v; } int main() { int a = 1, b = 2; set(&a, 3); set(&b, 4); __VERIFIER_assert(a + b == @); }",
        "7",
        "8",
    ),
    // A field of an object that is allocated once.
    (
        "struct s { int a, b; }; int main() { struct s *p = malloc(sizeof *p); p->a = 1; p->b = 2; __VERIFIER_assert(p->a @ p->b); }",
        "<",
        ">",
    ),
    // A flag keeps states apart.
    (
        "int main() { int set = 0, x = 0; if (__VERIFIER_nondet_uchar()) { x = 5; set = 1; } else x = -5; \
         if (set) __VERIFIER_assert(x @ 0); }",
        ">",
        "<",
    ),
    // Bits of a mask, and an index that stays inside.
    (
        "int t[16]; int main() { unsigned i = __VERIFIER_nondet_uchar(); t[i & @] = 1; return 0; }",
        "15",
        "16",
    ),
    // Unsigned numbers wrap around.
    (
        "int main() { unsigned char c = __VERIFIER_nondet_uchar(); if (c == 255) c++; __VERIFIER_assert(c < @); }",
        "255",
        "254",
    ),
    // Recursion, by widening.
    (
        "int down(int n) { if (n <= 0) return 0; return down(n - 1); } int main() { __VERIFIER_assert(down(__VERIFIER_nondet_uchar()) == @); }",
        "0",
        "1",
    ),
    // An element of a short array.
    (
        "int main() { int t[4] = {1, 2, 3, 4}; t[2] = 9; __VERIFIER_assert(t[1] + t[2] == @); }",
        "11",
        "5",
    ),
    // Division: the divisor is never zero.
    (
        "int main() { int x = __VERIFIER_nondet_uchar(); int d = x @ 1; return 7 / d; }",
        "|",
        "&",
    ),
];

fn is_safe(text: &str) -> bool {
    let kinds = [
        Kind::Assertion,
        Kind::UnreachCall,
        Kind::Bounds,
        Kind::Pointer,
        Kind::DivisionByZero,
    ];
    let subject = subject(&format!("{HEAD}{text}\n"), Selection::of(&kinds));
    let budget = Budget::unlimited();
    let found = analyse(
        &subject.program,
        subject.entry,
        &options(&subject),
        false,
        &budget,
    );
    found.is_ok_and(|found| found.is_safe())
}

#[test]
fn each_program_is_proved_and_its_twin_is_not() {
    let mut wrong = Vec::new();
    for (text, right, twin) in CASES {
        if !is_safe(&text.replace('@', right)) {
            wrong.push(format!("not proved: {}", text.replace('@', right)));
        }
        if is_safe(&text.replace('@', twin)) {
            wrong.push(format!("wrongly proved: {}", text.replace('@', twin)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
