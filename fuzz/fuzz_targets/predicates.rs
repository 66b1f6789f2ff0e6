//! Any bytes as a predicate file for a small program: messages or typed conditions, no panic, no hang.
#![no_main]

use cwolf_cfront::{Options, compile_text, labels, names, read_predicates};
use cwolf_cwi::Program;
use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;

const TEXT: &str = "struct cell { int val; struct cell *next; unsigned low : 3; union { int i; float f; } u; };
typedef struct cell *list; enum colour { RED, GREEN };
#define LIMIT (GREEN + 7)
int g, table[8]; double d; struct cell c; int (*hook)(int);
int f(struct cell *p, int v, char *s) { int x; x = v; { int x; x = 2; } return x + p->val + s[0]; }";

static PROGRAM: LazyLock<Program> =
    LazyLock::new(|| compile_text("p.c", TEXT.as_bytes(), &Options::default()).program.expect("valid"));

fuzz_target!(|text: &[u8]| {
    let look_up = |wanted: &[String]| vec![names(TEXT.as_bytes(), &Options::default(), wanted)];
    let _ = read_predicates(&mut PROGRAM.clone(), "fuzz", text, look_up);
    let _ = labels(text);
});
