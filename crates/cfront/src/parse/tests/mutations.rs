//! Broken programs: pieces of C taken out, doubled, swapped and replaced. Whatever comes out must
//! be read or refused, never crash or hang.

use super::*;
use proptest::prelude::*;

/// A little of everything.
const PIECES: &[&str] = &[
    "typedef int T;",
    "struct s { int a : 3; union { T b; }; } x = { .a = 1, [2 ... 3] = { 4 }, b: 5 };",
    "int f(a, b) int a; T *b; { return a ? b[1] : ({ int c = 1; c; }); }",
    "void g(int n, T (*h)(T), ...) { for (int i = 0; i < n; i++) { switch (i) { case 1 ... 2: \
     goto l; default: l: ; } } }",
    "__extension__ typedef struct __attribute__((packed, aligned(8))) { char c; } S;",
    "[[nodiscard]] _Noreturn static inline T k(T T) { T = (T)+1; return sizeof(T[3]); }",
    "enum e { A, B = 2, C = sizeof(enum { D }) } y;",
    "void m(void) { __asm__ volatile (\"x\" : [o] \"=r\"(a) : \"i\"(1) : \"cc\" : l); }",
    "int (*(*fp)(int, char *))[3]; char *s = \"a\" L\"b\" u8\"\\xff\";",
    "double d = 1.5e3f + 0x1p-3 + 'a' + '\\n' + 0b11 + 07;",
    "int v = _Generic(1, int: 2, default: 3) + __builtin_offsetof(S, c) + _Alignof(int);",
    "#pragma pack(push, 1)\n# 3 \"h.h\" 1 3\nint z;\n#pragma pack(pop)\n",
    "int w(void) { if (1) do { } while (0); else if (2) ; else return &&l == 0, 1; l: return 2; }",
    "typeof(x) q; __auto_type r = (S){ 0 }.c; _Atomic(int) at; _BitInt(3) bi;",
    "_Static_assert(1, \"m\"); asm(\"top\"); ;",
    "int nest(int n) { int in(int b) { return b; } __label__ l; l: return in(n); }",
];

#[derive(Clone, Debug)]
enum Change {
    Remove(usize, usize),
    Double(usize, usize),
    Swap(usize, usize),
    Insert(usize, String),
}

fn change() -> impl Strategy<Value = Change> {
    let token = prop::sample::select(vec![
        "(",
        ")",
        "{",
        "}",
        "[",
        "]",
        ";",
        ",",
        ":",
        "*",
        "=",
        "T",
        "x",
        "int",
        "struct",
        "1",
        "\"s\"",
        "'c'",
        "typedef",
        "__attribute__((",
        "[[",
        "...",
        "&&",
        "?",
        "#",
        "\n#",
        "/*",
        "\"",
        "'",
        "\\",
        "case",
        "else",
        "sizeof",
        "__extension__",
        "_Pragma",
        ".",
        "é",
        "\0",
        "0x",
        "1e",
        "\\u00e9",
        "asm",
        "enum",
        "static",
        "({",
        "\u{10fe80}",
        "# 9 \"",
    ]);
    let at = 0usize..2000;
    prop_oneof![
        (at.clone(), 1usize..8).prop_map(|(a, n)| Change::Remove(a, n)),
        (at.clone(), 1usize..8).prop_map(|(a, n)| Change::Double(a, n)),
        (at.clone(), at.clone()).prop_map(|(a, b)| Change::Swap(a, b)),
        (at, token).prop_map(|(a, t)| Change::Insert(a, t.to_owned())),
    ]
}

/// Cuts at blanks and punctuation, keeping everything.
fn cut(text: &str) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    let mut word = false;
    for c in text.chars() {
        let in_word = c.is_alphanumeric() || c == '_';
        match parts.last_mut() {
            Some(last) if word && in_word => last.push(c),
            _ => parts.push(c.into()),
        }
        word = in_word;
    }
    parts
}

fn apply(parts: &mut Vec<String>, change: Change) {
    if parts.is_empty() {
        return;
    }
    let len = parts.len();
    let range = |at: usize, n: usize| at % len..(at % len + n).min(len);
    match change {
        Change::Remove(at, n) => drop(parts.drain(range(at, n))),
        Change::Double(at, n) => {
            let copy = parts[range(at, n)].to_vec();
            let at = at % len;
            parts.splice(at..at, copy);
        }
        Change::Swap(a, b) => parts.swap(a % len, b % len),
        Change::Insert(at, token) => parts.insert(at % len, token),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, ..ProptestConfig::default() })]

    #[test]
    fn broken_programs_are_refused_politely(
        order in prop::collection::vec(0..PIECES.len(), 1..6),
        changes in prop::collection::vec(change(), 1..6),
        c23: bool,
    ) {
        let text: Vec<_> = order.iter().map(|&n| PIECES[n]).collect();
        let mut parts = cut(&text.join("\n"));
        for change in changes {
            apply(&mut parts, change);
        }
        let options = if c23 { C23 } else { Options::default() };
        let text = parts.concat();
        let (session, list) = parse_with(options, &text);
        prop_assert!(session.diagnostics.errors() <= 2 * MAX_ERRORS);
        // Every place that is named lies in the text.
        for diagnostic in session.diagnostics.iter() {
            let span = diagnostic.span.expect("a place");
            prop_assert!(span.lo <= span.hi && span.hi as usize <= text.len() + 8);
        }
        let printer = Printer { names: &session.names };
        for external in &list {
            printer.external(external);
        }
    }

    #[test]
    fn no_bytes_crash_the_lexer(bytes: Vec<u8>) {
        parse_with(Options::default(), &crate::preprocess::decode(&bytes));
    }
}

#[test]
fn the_pieces_are_correct() {
    let one = PIECES.iter().filter(|p| !p.contains("L\"b\""));
    let text: Vec<_> = one.copied().collect();
    shown_with(Options::default(), &text.join("\n"));
}
