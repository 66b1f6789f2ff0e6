//! Faults that are a wrong value, or an operation that is undefined: an assertion behind the
//! trigger that fails (and in the twin holds), an overflow, a shift, a division, an index.

use super::program::Fault;
use crate::writer::Random;

type Make = fn(&mut Random) -> Fault;

/// Every kind, by name.
pub const VALUES: [(&str, Make); 59] = [
    ("setjmp-result", setjmp_result),
    ("setjmp-kept", setjmp_kept),
    ("setjmp-in-loop", setjmp_in_loop),
    ("setjmp-dead-frame", setjmp_dead_frame),
    ("setjmp-nested", setjmp_nested),
    ("setjmp-recursive", setjmp_recursive),
    ("setjmp-heap-buffer", setjmp_heap_buffer),
    ("setjmp-callback", setjmp_callback),
    ("setjmp-rethrow", setjmp_rethrow),
    ("setjmp-volatile-local", setjmp_volatile_local),
    ("setjmp-dead-again", setjmp_dead_again),
    ("setjmp-unset", setjmp_unset),
    ("setjmp-block", setjmp_block),
    ("setjmp-own-block", setjmp_own_block),
    ("volatile-global", |r| {
        volatile(r, "static volatile int reg;", "reg")
    }),
    ("volatile-cast", |r| {
        volatile(r, "static int memory;", "(*(volatile int *)&memory)")
    }),
    ("volatile-member", |r| {
        volatile(r, "static struct { int k; volatile int reg; } d;", "d.reg")
    }),
    ("unknown-pointer", |_| {
        unknown("int x = 1, y = 2; unknown({&x#&y});", "")
    }),
    ("unknown-struct", |_| {
        unknown(
            "int x = 1, y = 2; struct given g = {3, {&x#&y}}; hand(g);",
            "struct given { int k; int *p; }; extern void hand(struct given);",
        )
    }),
    ("unknown-array-in-struct", |_| {
        unknown(
            "int x = 1, y = 2; struct given g; g.p[0] = &y; g.p[1] = {&x#&y}; hand(g);",
            "struct given { int *p[2]; }; extern int hand(struct given);",
        )
    }),
    ("unknown-union", |_| {
        unknown(
            "int x = 1, y = 2; union given g; g.p = {&x#&y}; hand(g);",
            "union given { long k; int *p; }; extern int hand(union given);",
        )
    }),
    ("unknown-linked", |_| {
        unknown(
            "int x = 1, y = 2; struct node b = {{&x#&y}, 0}, a = {0, &b}; unknown(&a);",
            "struct node { int *p; struct node *next; };",
        )
    }),
    ("memset-loop-size", |r| {
        filled(r, "memset(t, {5#0}, k + 1);", "t[0] == 0")
    }),
    ("memcpy-loop-size", |r| {
        filled(r, "memcpy(t, bytes, k + 1);", "t[0] == {2#1}")
    }),
    ("calloc-loop-size", |r| {
        filled(
            r,
            "free(t); t = calloc(k + 1, 1); t[0] = {1#0};",
            "t[0] == 0",
        )
    }),
    ("strdup-loop-size", |r| {
        filled(
            r,
            "memset(t, 'a', k + 1); t[k] = 0; char *d = strdup(t);",
            "k == 0 || d[0] == {'b'#'a'}",
        )
    }),
    ("sprintf-result", |r| {
        printed(r, "sprintf(b, \"%d\", VALUE)")
    }),
    ("snprintf-result", |r| {
        printed(r, "snprintf(b, 3, \"%d\", VALUE)")
    }),
    ("printf-result", |r| printed(r, "printf(\"%d\", VALUE)")),
    ("sprintf-contents", sprintf_contents),
    ("strlen-result", |r| text(r, "strlen(s) == {LEN - 1#LEN}")),
    ("strcmp-result", |r| {
        text(r, "strcmp(s, \"TEXT\") {!=#==} 0")
    }),
    ("strchr-result", |r| text(r, "strchr(s, s[1]) == s + {0#1}")),
    ("atoi-result", atoi_result),
    ("qsort-order", qsort_order),
    ("constructor", |_| {
        Fault::new("constructor").top("static int x = 1; __attribute__((constructor)) static void begin(void) { x += 4; }").check("x == 1", "x == 5")
    }),
    ("destructor", |_| {
        at_the_end(
            "destructor",
            "static int x; __attribute__((destructor)) static void end(void) { __VERIFIER_assert(x == 0); }",
            "",
        )
    }),
    ("atexit", |_| {
        at_the_end(
            "atexit",
            "static int x; static void end(void) { __VERIFIER_assert(x == 0); }",
            "atexit(end);",
        )
    }),
    ("weak-undefined", |_| {
        Fault::new("weak-undefined")
            .top("extern int extra(void) __attribute__((weak));")
            .check("extra != 0", "extra == 0")
    }),
    ("alias-variable", |_| {
        Fault::new("alias-variable")
            .top("int first = 1; extern int second __attribute__((alias(\"first\")));")
            .start("second = 4;")
            .check("first == 1", "first == 4")
    }),
    ("heap-contents", heap_contents),
    ("heap-distinct", |_| {
        Fault::new("heap-distinct")
            .start("int *p[2]; for (int i = 0; i < 2; i++) { p[i] = malloc(4); *p[i] = i; }")
            .check("p[0] == p[1]", "p[0] != p[1] && *p[0] == 0")
    }),
    ("list-sum", list_sum),
    ("recursion-local", recursion_local),
    ("struct-by-value", |_| {
        Fault::new("struct-by-value")
            .top("struct pair { int a, b; }; static int swap(struct pair p) { int t = p.a; p.a = p.b; p.b = t; return p.a; }")
            .start("struct pair p = {3, 4}; int r = swap(p);")
            .check("r == 4 && p.a == 4", "r == 4 && p.a == 3")
    }),
    ("union-bytes", |_| {
        Fault::new("union-bytes")
            .start("union { unsigned u; unsigned char c[4]; } v; v.u = n | 1; v.c[3] = 0;")
            .check("v.u > 0xffffffu", "v.u <= 0xffffffu")
    }),
    ("argv", |_| Fault {
        args: &["program", "-x"],
        ..Fault::new("argv").check(
            "argc != 2 || argv[1][0] != '-' || argv[1][1] != 'x'",
            "argc < 1 || argv[argc] == 0",
        )
    }),
    ("argv-loop", |_| Fault {
        args: &["program", "a", "b"],
        ..Fault::new("argv-loop").act(
            "for (int i = 1; i <= argc; i++) sink += (unsigned)argv[i][0];",
            "for (int i = 1; i < argc; i++) sink += (unsigned)argv[i][0];",
        )
    }),
    ("overflow", overflow),
    ("shift", shift),
    ("division", |r| {
        let op = r.of(&["/", "%"]);
        Fault::new("division")
            .start("unsigned d = n - VALUEu;")
            .act(
                format!("sink += 7 {op} d;"),
                format!("sink += 7 {op} (d + 1);"),
            )
    }),
    ("division-overflow", |r| {
        let op = r.of(&["/", "%"]);
        let (ty, least) = match r.one_in(2) {
            true => ("int", "(-0x7fffffff - 1)"),
            false => ("long", "(-0x7fffffffffffffffL - 1)"),
        };
        Fault::new("division-overflow")
            .start(format!(
                "{ty} least = {least}, d = -1 + (int)(n - VALUEu) * 2;"
            ))
            .act(
                format!("sink += (unsigned)(least {op} d);"),
                format!("sink += (unsigned)((least + 1) {op} d);"),
            )
    }),
    ("compound-const", |_| {
        Fault::new("compound-const")
            .start("const int *c = (const int[]){1, 2}; int *m = (int[]){1, 2};")
            .act(
                "*(int *)c = 3; sink += (unsigned)*c;",
                "*m = 3; sink += (unsigned)*m;",
            )
    }),
    ("poll-asked", |_| {
        both(
            "struct pollfd { int fd; short events, revents; }; extern int poll(struct pollfd *, unsigned long, int);",
            "struct pollfd p = {0, 1, 0}; int r = poll(&p, 1, 0);",
            "r != 0 || p.revents == {1#0}",
        )
    }),
    ("index-local", |r| index(r, "int a[3] = {1, 2, 3};", "a")),
    ("index-member", |r| {
        index(
            r,
            "struct { int k; int a[3]; int z; } s = {0, {1, 2, 3}, 4};",
            "s.a",
        )
    }),
    ("index-row", |r| {
        index(r, "int a[2][3] = {{1, 2, 3}, {4, 5, 6}};", "a[0]")
    }),
    ("element-of-row", element_of_row),
    ("index-heap", |r| {
        index(
            r,
            "int *a = malloc(3 * sizeof *a); for (int i = 0; i < 3; i++) a[i] = i;",
            "a",
        )
    }),
];

/// The fault of a kind.
pub fn fault(kind: usize, random: &mut Random) -> Fault {
    let (name, make) = VALUES[kind];
    Fault {
        name: name.into(),
        ..make(random)
    }
}

/// Both programs from texts with `{bad#safe}` in them.
pub fn both(top: &str, start: &str, check: &str) -> Fault {
    let words = |text: &str| [false, true].map(|safe| super::pointers::choose(text, safe));
    Fault {
        top: words(top),
        start: words(start),
        act: words(check).map(|check| format!("__VERIFIER_assert({check});")),
        ..Fault::default()
    }
}

const JUMPS: &str = "static struct jump mark; static int k; static void jump(int how) { k++; longjmp(&mark, how); }";

fn setjmp_result(random: &mut Random) -> Fault {
    let how = random.below(3);
    let result = how.max(1);
    both(
        JUMPS,
        &format!("int r = _setjmp(&mark); if (r == 0) jump({how});"),
        &format!("r == {{{}#{result}}}", result + 1),
    )
}

fn setjmp_kept(_: &mut Random) -> Fault {
    both(
        JUMPS,
        "if (_setjmp(&mark) == 0) { k = 3; jump(1); }",
        "k == {3#4}",
    )
}

fn setjmp_in_loop(random: &mut Random) -> Fault {
    let rounds = 2 + random.below(2);
    both(
        JUMPS,
        &format!("_setjmp(&mark); if (k < {rounds}) jump(1);"),
        &format!("k == {{0#{rounds}}}"),
    )
}

/// A jump back into a function that has returned.
fn setjmp_dead_frame(_: &mut Random) -> Fault {
    Fault::new("setjmp-dead-frame")
        .top("static struct jump mark; static int armed(void) { return _setjmp(&mark); }")
        .start("int r = armed();")
        .act(
            "if (r == 0) longjmp(&mark, 1);",
            "if (r == 7) longjmp(&mark, 1);",
        )
}

/// The inner of two marks catches the jump.
fn setjmp_nested(_: &mut Random) -> Fault {
    both(
        "static struct jump outer, inner; static int k;",
        "if (_setjmp(&outer) == 0) { if (_setjmp(&inner) == 0) { k = 1; longjmp(&{outer#inner}, 1); } k += 10; } else k += 100;",
        "k == 11",
    )
}

/// Every call of a recursive function has a mark of its own.
fn setjmp_recursive(random: &mut Random) -> Fault {
    let to = random.below(3);
    both(
        "static struct jump marks[3]; static int landed = 9; static void down(int level, int to) { if (_setjmp(&marks[level])) { landed = level; return; } if (level < 2) down(level + 1, to); else longjmp(&marks[to], 1); }",
        &format!("down(0, {to});"),
        &format!("landed == {{{}#{to}}}", to + 1),
    )
}

fn setjmp_heap_buffer(_: &mut Random) -> Fault {
    both(
        "struct reader { int line; struct jump mark; }; static void parse(struct reader *r) { r->line += 2; longjmp(&r->mark, r->line); }",
        "struct reader *r = malloc(sizeof *r); r->line = 1; int got = _setjmp(&r->mark); if (got == 0) parse(r); else got += r->line; free(r);",
        "got == {3#6}",
    )
}

fn setjmp_callback(_: &mut Random) -> Fault {
    both(
        "static struct jump mark; static int k; static void count(void) { k++; } static void stop(void) { longjmp(&mark, 1); } static void each(void (*f)(void), void (*g)(void)) { f(); g(); k += 10; }",
        "if (_setjmp(&mark) == 0) each(count, stop);",
        "k == {11#1}",
    )
}

/// The inner function catches, and throws on.
fn setjmp_rethrow(_: &mut Random) -> Fault {
    both(
        "static struct jump *top; static int k; static void inner(void) { struct jump here, *before = top; top = &here; if (_setjmp(&here) == 0) longjmp(top, 1); top = before; k += 10; longjmp(top, 2); }",
        "struct jump here; top = &here; int r = _setjmp(&here); if (r == 0) inner(); k += r;",
        "k == {1#12}",
    )
}

fn setjmp_volatile_local(_: &mut Random) -> Fault {
    both(
        JUMPS,
        "volatile int kept = 1; if (_setjmp(&mark) == 0) { kept = 2; jump(1); }",
        "kept == {1#2}",
    )
}

/// The function that is called is the one that set the buffer, but not the same call.
fn setjmp_dead_again(_: &mut Random) -> Fault {
    Fault::new("setjmp-dead-again")
        .top("static struct jump mark; static int arm(int again) { if (again) longjmp(&mark, 1); return _setjmp(&mark); }")
        .start("int r = arm(0);")
        .act("if (r == 0) arm(1);", "if (r == 0) arm(0);")
}

fn setjmp_unset(_: &mut Random) -> Fault {
    Fault::new("setjmp-unset")
        .top("static struct jump mark;")
        .start("int r = 0;")
        .act(
            "if (n < 3) r = _setjmp(&mark); if (r == 0) longjmp(&mark, 1);",
            "r = _setjmp(&mark); if (r == 0) longjmp(&mark, 1);",
        )
}

/// What a block declares ends when a jump leaves the block.
fn setjmp_block(_: &mut Random) -> Fault {
    Fault::new("setjmp-block")
        .top(format!("{JUMPS} static int *p, other;"))
        .start("p = &other;")
        .act(
            "if (_setjmp(&mark) == 0) { int x = 1; p = &x; sink += (unsigned)*p; jump(1); } sink += (unsigned)*p;",
            "if (_setjmp(&mark) == 0) { int x = 1; p = &x; sink += (unsigned)*p; p = &other; jump(1); } sink += (unsigned)*p;",
        )
}

/// The jump is in the function that it comes back to.
fn setjmp_own_block(random: &mut Random) -> Fault {
    let object = random.of(&["int x = 1, *q = &x;", "int a[2] = {1}, *q = a;"]);
    let code = |last: &str| {
        format!(
            "if (_setjmp(&mark) == 0) {{ {object} p = q; sink += (unsigned)*p; {last} longjmp(&mark, 1); }} sink += (unsigned)*p;"
        )
    };
    Fault::new("setjmp-own-block")
        .top(format!("{JUMPS} static int *p, other;"))
        .start("p = &other;")
        .act(code(""), code("p = &other;"))
}

fn volatile(_: &mut Random, top: &str, read: &str) -> Fault {
    both(
        top,
        &format!("int first = {read}, second = {{{read}#first}};"),
        "first == second",
    )
}

fn unknown(start: &str, top: &str) -> Fault {
    both(top, start, "x == 1")
}

/// Memory whose size comes out of a loop.
fn filled(_: &mut Random, fill: &str, check: &str) -> Fault {
    both(
        "static const char bytes[9] = {1, 2, 3};",
        &format!(
            "unsigned k = 0; while (k < 6 && (n >> k & 1) == (VALUEu >> k & 1)) k++; char *t = malloc(k + 1); {fill}"
        ),
        check,
    )
}

/// How much a printing function writes.
fn printed(random: &mut Random, call: &str) -> Fault {
    let value = random.below(100_000) as i64 - 3_000;
    let length = value.to_string().len();
    let call = call.replace("VALUE", &value.to_string());
    both(
        "",
        &format!("char b[12]; b[0] = 0; int r = {call};"),
        &format!("r == {{{}#{length}}}", length + 1),
    )
}

fn sprintf_contents(random: &mut Random) -> Fault {
    let value = 10 + random.below(90);
    let digit = value % 10;
    both(
        "",
        &format!("char b[8]; sprintf(b, \"%d%s\", {value}, \"x\");"),
        &format!("b[1] == '{digit}' && b[2] == 'x' && b[3] {{!=#==}} 0"),
    )
}

/// A string in an array, on the heap, or a literal.
fn text(random: &mut Random, check: &str) -> Fault {
    let letters: String = "qwertz".chars().take(2 + random.below(4)).collect();
    let start = match random.below(3) {
        0 => format!("char s[8] = \"{letters}\";"),
        1 => format!("char *s = malloc(8); strcpy(s, \"{letters}\");"),
        _ => format!("const char *s = \"{letters}\";"),
    };
    let (less, length) = (letters.len() - 1, letters.len());
    let check = check.replace("TEXT", &letters);
    let check = check
        .replace("LEN - 1", &less.to_string())
        .replace("LEN", &length.to_string());
    both("", &start, &check)
}

fn atoi_result(random: &mut Random) -> Fault {
    let value = random.below(2000) as i64 - 1000;
    let call = random.of(&["atoi(s)", "strtol(s, 0, 10)"]);
    both(
        "",
        &format!("char s[8] = \" {value}x\"; int r = (int){call};"),
        &format!("r {{!=#==}} {value}"),
    )
}

fn qsort_order(_: &mut Random) -> Fault {
    both(
        "static int order(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }",
        "int a[3] = {3, 1, 2}; qsort(a, 3, sizeof *a, order);",
        "a[0] == {3#1} && a[2] == 3",
    )
}

/// An assertion that runs when the program ends.
fn at_the_end(name: &str, top: &str, start: &str) -> Fault {
    Fault::new(name)
        .top(top)
        .start(start)
        .act("x = 1;", "x = 0;")
}

fn heap_contents(_: &mut Random) -> Fault {
    both(
        "",
        "int *p[3]; for (int i = 0; i < 3; i++) { p[i] = malloc(sizeof(int)); *p[i] = i * 2; }",
        "*p[1] == {4#2} && *p[2] == 4",
    )
}

fn list_sum(random: &mut Random) -> Fault {
    let count = 2 + random.below(3);
    let sum = count * (count - 1) / 2;
    both(
        "struct node { int v; struct node *next; };",
        &format!(
            "struct node *l = 0; int s = 0; for (int i = 0; i < {count}; i++) {{ struct node *e = malloc(sizeof *e); e->v = i; e->next = l; l = e; }} for (struct node *e = l; e; e = e->next) s += e->v;"
        ),
        &format!("s == {{{}#{sum}}}", sum + 1),
    )
}

fn recursion_local(_: &mut Random) -> Fault {
    both(
        "static int down(int d) { int x = d; int *p = &x; if (d > 0) down(d - 1); return *p; }",
        "int r = down(3);",
        "r == {0#3}",
    )
}

fn overflow(random: &mut Random) -> Fault {
    let (bad, safe) = [
        (
            "sink += (unsigned)(big + 1);",
            "sink += (unsigned)(big - 1);",
        ),
        (
            "sink += (unsigned)(-big - 2);",
            "sink += (unsigned)(-big - 1);",
        ),
        (
            "sink += (unsigned)(big * 2);",
            "sink += (unsigned)(big / 2 * 2);",
        ),
        (
            "int least = -big - 1; sink += (unsigned)-least;",
            "int least = -big; sink += (unsigned)-least;",
        ),
        (
            "int least = -big - 1; sink += (unsigned)(least / -1);",
            "int least = -big; sink += (unsigned)(least / -1);",
        ),
        ("big++;", "big--;"),
        (
            "sink += (unsigned)(0x7fffffff + 1);",
            "sink += (unsigned)(0x7ffffffe + 1);",
        ),
        (
            "long l = 0x7fffffffffffffffL; l += 1; sink += l != 0;",
            "long l = 0x7ffffffffffffffeL; l += 1; sink += l != 0;",
        ),
    ][random.below(8)];
    Fault {
        properties: "overflow",
        ..Fault::new("overflow")
            .start("int big = 0x7fffffff;")
            .act(bad, safe)
    }
}

fn shift(random: &mut Random) -> Fault {
    let (bad, safe) = [
        (
            "sink += 1u << (32 + (n & 1));",
            "sink += 1u << (31 - (n & 1));",
        ),
        (
            "sink += (unsigned)(1L << (64 | (n & 7)) != 0);",
            "sink += (unsigned)(1L << (n & 31) != 0);",
        ),
        (
            "int by = -1; sink = sink >> by;",
            "int by = 1; sink = sink >> by;",
        ),
        ("sink += 1u << 32;", "sink += 1u << 31;"),
    ][random.below(4)];
    Fault {
        properties: "shift",
        ..Fault::new("shift").act(bad, safe)
    }
}

/// An element of rows or structures of any size, written at a place that is known and read at one that is not, or the other
/// way round.
fn element_of_row(random: &mut Random) -> Fault {
    let (rows, columns) = (2 + random.below(4), 2 + random.below(6));
    let at = random.below(columns);
    let ty = random.of(&["int", "short", "unsigned char", "long"]);
    let (top, element) = match random.one_in(2) {
        true => (
            format!("static {ty} a[{rows}][{columns}];"),
            format!("[{at}]"),
        ),
        false => {
            let members: Vec<String> = (0..columns).map(|n| format!("{ty} m{n};")).collect();
            let members = members.join(" ");
            (
                format!("static struct {{ {members} }} a[{rows}];"),
                format!(".m{at}"),
            )
        }
    };
    let (written, read) = match random.one_in(2) {
        true => ("known", "open"),
        false => ("open", "known"),
    };
    both(
        &top,
        &format!("unsigned known = VALUEu % {rows}, open = n % {rows}; a[{written}]{element} = 7;"),
        // The trigger may have a second value, of another row.
        &format!("{{#open != known || }}a[{read}]{element} {{!=#==}} 7"),
    )
}

fn index(random: &mut Random, start: &str, array: &str) -> Fault {
    let (bad, safe) = match random.below(4) {
        0 => ("3".into(), "2".into()),
        1 => ("3 + (n & 1)".into(), "1 + (n & 1)".into()),
        2 => ("-1 - (int)(n & 1)".into(), "(int)(n & 1)".into()),
        _ => (
            format!("{}u + (n & 3)", 3 + random.below(1000)),
            "(n & 3) % 3".into(),
        ),
    };
    let (bad, safe): (String, String) = (bad, safe);
    let read = random.one_in(2);
    let act = |at: &str| match read {
        true => format!("sink += (unsigned){array}[{at}];"),
        false => format!("{array}[{at}] = 7;"),
    };
    Fault::new("index").start(start).act(act(&bad), act(&safe))
}
