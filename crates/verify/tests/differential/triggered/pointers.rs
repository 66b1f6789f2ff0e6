//! Faults that are an invalid access: a source makes a pointer `p` that is dead, read-only, null or
//! too short (and in the twin a good one to the same contents), a use reads or writes through it.

use super::program::Fault;
use super::uses::{self, Access};
use crate::writer::Random;

/// A way to come by a pointer: what it is good for, the text at the top, the text in `main`. `T` is
/// the type, `N` the number of elements, `INIT` an initialiser; what differs is `BAD` or `SAFE`:
/// `{bad words#safe words}`.
pub struct Source {
    name: &'static str,
    access: Access,
    top: &'static str,
    start: &'static str,
}

const fn dead(name: &'static str, top: &'static str, start: &'static str) -> Source {
    Source {
        name,
        access: Access::Any,
        top,
        start,
    }
}

const fn read_only(name: &'static str, top: &'static str, start: &'static str) -> Source {
    Source {
        name,
        access: Access::Write,
        top,
        start,
    }
}

const fn null(name: &'static str, top: &'static str, start: &'static str) -> Source {
    Source {
        name,
        access: Access::Null,
        top,
        start,
    }
}

const fn heap(name: &'static str, top: &'static str, start: &'static str) -> Source {
    Source {
        name,
        access: Access::Heap,
        top,
        start,
    }
}

pub const SOURCES: [Source; 45] = [
    dead(
        "returned-local",
        "static T *leave(void) { {T#static T} x[N] = INIT; T *q = x; return q; }",
        "T *p = leave();",
    ),
    dead(
        "returned-local-by-pointer",
        "static void leave(T **to) { {T#static T} x[N] = INIT; *to = x; }",
        "T *p; leave(&p);",
    ),
    dead(
        "returned-local-in-struct",
        "struct out { T *p; int k; }; static struct out leave(void) { {T#static T} x[N] = INIT; struct out o = {x, 1}; return o; }",
        "T *p = leave().p;",
    ),
    dead(
        "returned-parameter",
        "struct box { T a[N]; }; static T *keep; static T other[N] = INIT; static void leave(struct box b) { keep = {b.a#other}; }",
        "struct box b = {INIT}; leave(b); T *p = keep;",
    ),
    dead(
        "earlier-call",
        "static T *keep; static T *leave(int round) { T x[N] = INIT; static T y[N] = INIT; if (round == 0) keep = {x#y}; sink += (unsigned)x[0]; return keep; }",
        "T *p = 0; for (int i = 0; i < 2; i++) p = leave(i);",
    ),
    dead(
        "deeper-call",
        "static T *keep; static void down(int depth) { T x[N] = INIT; static T y[N] = INIT; if (depth == 0) { keep = {x#y}; return; } down(depth - 1); sink += (unsigned)x[0]; }",
        "down(2); T *p = keep;",
    ),
    dead(
        "block",
        "static T other[N] = INIT;",
        "T *p = other; { T x[N] = INIT; sink += (unsigned)x[0]; {p = x;#} }",
    ),
    dead(
        "branch-block",
        "static T other[N] = INIT;",
        "T *p = other; if (n & 1) { T x[N] = INIT; {p = x;#p = other;} sink += (unsigned)x[0]; } else { T y[N] = INIT; {p = y;#p = other;} sink += (unsigned)y[0]; }",
    ),
    dead(
        "loop-body",
        "static T other[N] = INIT;",
        "T *p = other; for (int i = 0; i < 3; i++) { T x[N] = INIT; if (i == 1) {p = x#p = other}; sink += (unsigned)x[0]; }",
    ),
    dead(
        "loop-body-while",
        "static T other[N] = INIT;",
        "T *p = other; unsigned i = n & 3; do { T x[N] = INIT; {p = x#p = other}; sink += (unsigned)x[0]; } while (i-- > 0);",
    ),
    dead(
        "switch-block",
        "static T other[N] = INIT;",
        "T *p = other; switch (n & 1) { case 0: { T x[N] = INIT; {p = x#p = other}; sink += (unsigned)x[0]; break; } default: { T y[N] = INIT; {p = y#p = other}; sink += (unsigned)y[0]; } }",
    ),
    dead(
        "goto-out",
        "static T other[N] = INIT;",
        "T *p = other; { T x[N] = INIT; {p = x#p = other}; sink += (unsigned)x[0]; if (n & 1) goto out; sink++; } out: ;",
    ),
    dead(
        "for-variable",
        "static T other[N] = INIT;",
        "T *p = other; for (T x[N] = INIT, *q = x; q; q = 0) {p = q#sink += (unsigned)x[0]};",
    ),
    dead(
        "compound-literal",
        "static T other[N] = INIT;",
        "T *p = other; if (n | 1) { T *q = (T[N])INIT; sink += (unsigned)q[0]; {p = q;#} }",
    ),
    dead(
        "compound-literal-call",
        "static T other[N] = INIT; static T *leave(void) { T *q = (T[N])INIT; sink += (unsigned)q[0]; return {q#other}; }",
        "T *p = leave();",
    ),
    dead(
        "vla-call",
        "static T other[N] = INIT; static T *leave(unsigned size) { T x[size]; T *q = x; for (unsigned i = 0; i < N; i++) x[i] = other[i]; return {q#other}; }",
        "T *p = leave(N + (n & 1));",
    ),
    dead(
        "vla-block",
        "static T other[N] = INIT;",
        "T *p = other; { T x[N + (n & 1)]; for (unsigned i = 0; i < N; i++) x[i] = other[i]; {p = x;#} sink += (unsigned)x[0]; }",
    ),
    dead(
        "alloca-call",
        "static T other[N] = INIT; static T *leave(void) { T *q = alloca(sizeof other); memcpy(q, other, sizeof other); sink += (unsigned)q[0]; return {q#other}; }",
        "T *p = leave();",
    ),
    dead(
        "statement-expression",
        "static T other[N] = INIT;",
        "T *p = ({ T x[N] = INIT; T *q = x; sink += (unsigned)q[0]; {q#other}; });",
    ),
    dead(
        "temporary",
        "struct box { T a[N]; }; static struct box make(void) { struct box b = {INIT}; return b; }",
        "struct box kept = make(); T *p = {make()#kept}.a;",
    ),
    dead(
        "left-by-longjmp",
        "static struct jump mark; static T *keep; static T other[N] = INIT; static void leave(void) { T x[N] = INIT; keep = {x#other}; sink += (unsigned)x[0]; longjmp(&mark, 1); }",
        "if (_setjmp(&mark) == 0) leave(); T *p = keep;",
    ),
    heap(
        "freed",
        "",
        "T *p = malloc(N * sizeof(T)); FILL {free(p);#}",
    ),
    heap(
        "freed-calloc",
        "",
        "T *p = calloc(N, sizeof(T)), *q = p; FILL {free(q);#q = 0;}",
    ),
    heap(
        "freed-by-call",
        "static void drop(T **where) { free(*where); }",
        "T *p = malloc(N * sizeof(T)), *q = malloc(1); FILL drop({&p#&q});",
    ),
    heap(
        "freed-in-loop",
        "",
        "T *many[3]; for (int i = 0; i < 3; i++) { T *p = malloc(N * sizeof(T)); FILL many[i] = p; } free(many[{1#2}]); T *p = many[1];",
    ),
    heap(
        "freed-all-but",
        "",
        "T *many[3]; for (int i = 0; i < 3; i++) { T *p = malloc(N * sizeof(T)); FILL many[i] = p; } for (int i = 0; i < 3; i++) if (i != {0#2}) free(many[i]); T *p = many[2];",
    ),
    heap(
        "freed-open-index",
        "",
        "T *many[4]; for (int i = 0; i < 4; i++) { T *p = malloc(N * sizeof(T)); FILL many[i] = p; } free(many[n & 1]); T *p = many[{#2 + }(n & 1)];",
    ),
    heap(
        "freed-node",
        "struct node { T a[N]; struct node *next; };",
        "struct node *list = 0, *first; for (int i = 0; i < 3; i++) { struct node *e = malloc(sizeof *e); T *p = e->a; FILL e->next = list; list = e; } first = list; list = list->next; free(first); T *p = (T *){first#list};",
    ),
    heap(
        "freed-list",
        "struct node { T a[N]; struct node *next; };",
        "struct node *list = 0, *kept; for (int i = 0; i < 3; i++) { struct node *e = malloc(sizeof *e); T *p = e->a; FILL e->next = list; list = e; } kept = list->next; while (list != {0#kept}) { struct node *next = list->next; free(list); list = next; } T *p = (T *)kept;",
    ),
    heap(
        "freed-then-new",
        "",
        "T *p = malloc(N * sizeof(T)), *q; FILL free(p); q = malloc(N * sizeof(T)); {sink += q != 0;#p = q; FILL}",
    ),
    heap(
        "reallocated",
        "",
        "T *p = malloc(N * sizeof(T)), *q; FILL q = realloc(p, 64 * sizeof(T)); {sink += q != 0;#p = q;}",
    ),
    heap(
        "reallocated-in-loop",
        "",
        "T *p = malloc(N * sizeof(T)), *old = p; FILL for (int i = 1; i < 3; i++) { old = p; p = realloc(p, (N + i) * sizeof(T)); } {p = old;#}",
    ),
    dead(
        "past-end",
        "static T other[N] = INIT;",
        "T *p = other + {N#0};",
    ),
    dead(
        "activation-earlier",
        "static T *keep; static void visit(int round, unsigned n) { T x[N] = INIT; if (round == 0) { keep = x; return; } T *p = {keep#x}; if (HIT) { USE } }",
        "for (int i = 0; i < 2; i++) visit(i, n);",
    ),
    dead(
        "activation-inner",
        "static T *keep; static void visit(int depth, unsigned n) { T x[N] = INIT; if (depth == 0) { keep = x; return; } visit(depth - 1, n); T *p = {keep#x}; if (depth == 2 && HIT) { USE } }",
        "visit(2, n);",
    ),
    dead(
        "round-earlier",
        "",
        "T *keep = 0; for (int i = 0; i < 3; i++) { T x[N] = INIT; T *p = {keep ? keep : x#x}; if (i == 2 && HIT) { USE } keep = x; }",
    ),
    dead(
        "vla-round-earlier",
        "static T other[N] = INIT;",
        "T *keep = 0; for (int i = 0; i < 3; i++) { T x[N + i]; memcpy(x, other, sizeof other); T *p = {keep ? keep : x#x}; if (i == 2 && HIT) { USE } keep = x; }",
    ),
    dead(
        "block-again",
        "static T other[N] = INIT;",
        "T *keep = other; for (int i = 0; i < 2; i++) { if (i == 0) { T x[N] = INIT; {keep = x;#} sink += (unsigned)x[0]; } else { T *p = keep; if (HIT) { USE } } }",
    ),
    null("null", "static T other[N] = INIT;", "T *p = {0#other};"),
    null(
        "null-lookup",
        "static T other[N] = INIT; static T *find(int key) { if (key == 3) return other; return 0; }",
        "T *p = find({2#3});",
    ),
    read_only("string-literal", "", "{char *p = TEXT#char p[N] = INIT};"),
    read_only("const-local", "", "{const T#T} x[N] = INIT; T *p = (T *)x;"),
    read_only(
        "const-static",
        "{static const T#static T} x[N] = INIT;",
        "T *p = (T *)x;",
    ),
    read_only(
        "const-member",
        "struct box { int k; T a[N]; }; {static const#static} struct box b = {1, INIT};",
        "T *p = (T *)b.a;",
    ),
    Source {
        name: "too-short",
        access: Access::Whole,
        top: "",
        start: "T *p = malloc({(N - 1)#N} * sizeof(T)); for (int i = 0; i < {N - 1#N}; i++) p[i] = (T)(i == N - 1 ? 0 : 65 + i);",
    },
];

/// The bad or the safe words of each `{bad#safe}` in a text; other braces stay.
pub fn choose(text: &str, safe: bool) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(open) = rest.find('{') {
        let after = &rest[open + 1..];
        let close = after.find(['{', '}']);
        let inner = close
            .filter(|at| after.as_bytes()[*at] == b'}')
            .map(|at| &after[..at]);
        match inner.and_then(|inner| inner.split_once('#').map(|parts| (inner, parts))) {
            Some((inner, (bad, good))) => {
                out.push_str(&rest[..open]);
                out.push_str(if safe { good } else { bad });
                rest = &after[inner.len() + 1..];
            }
            _ => {
                out.push_str(&rest[..=open]);
                rest = after;
            }
        }
    }
    out.push_str(rest);
    out
}

/// A source of pointers, used.
pub fn fault(kind: usize, random: &mut Random) -> Fault {
    let source = &SOURCES[kind];
    let count = 3 + random.below(3);
    let text = source.name == "string-literal" || random.one_in(2);
    let ty = if text { "char" } else { "int" };
    let letters: String = (0..count - 1).map(|i| char::from(b'A' + i as u8)).collect();
    let numbers: Vec<String> = (0..count - 1).map(|i| (65 + i).to_string()).collect();
    let init = format!("{{{}, 0}}", numbers.join(", "));
    let fill =
        format!("for (int f = 0; f < {count}; f++) p[f] = ({ty})(f == {count} - 1 ? 0 : 65 + f);");
    let words = |template: &str, safe: bool| {
        // Initialisers have braces of their own, so they come in last.
        choose(template, safe)
            .replace("FILL", &fill)
            .replace("INIT", &init)
            .replace("TEXT", &format!("\"{letters}\""))
    };
    let used = uses::pick(source.access, text, count, random);
    let inside = source.top.contains("USE") || source.start.contains("USE");
    let words = |template: &str, safe: bool| {
        replace_words(&words(template, safe), ty, count).replace("USE", &used.act)
    };
    let act = if inside {
        String::new()
    } else {
        used.act.clone()
    };
    Fault {
        name: format!("{}/{}", source.name, used.name),
        top: [false, true].map(|safe| format!("{}{}", used.top, words(source.top, safe))),
        start: [false, true].map(|safe| words(source.start, safe)),
        act: [act.clone(), act],
        ..Fault::default()
    }
}

/// Replaces the words `T` and `N`, not the letters in other words.
fn replace_words(text: &str, ty: &str, count: usize) -> String {
    let mut out = String::new();
    let mut word = String::new();
    for c in text.chars().chain([' ']) {
        if c.is_alphanumeric() || c == '_' {
            word.push(c);
            continue;
        }
        match word.as_str() {
            "T" => out.push_str(ty),
            "N" => out.push_str(&count.to_string()),
            other => out.push_str(other),
        }
        word.clear();
        out.push(c);
    }
    out.pop();
    out
}
