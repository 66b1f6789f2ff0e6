//! Small random C programs with random maps.

use cwolf_cwi::Program;

/// Random numbers from a seed (xorshift).
pub struct Rng(u64);

impl Rng {
    pub fn new(seed: u64) -> Rng {
        Rng(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }
    pub fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % n
    }
    pub fn pick<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.below(list.len() as u64) as usize]
    }
}

const TYPES: [&str; 8] = [
    "int",
    "char",
    "unsigned char",
    "short",
    "unsigned",
    "long",
    "unsigned long",
    "_Bool",
];
const SCALARS: [&str; 9] = ["g0", "g1", "g2", "x", "y", "s.a", "s.b", "s.c", "t.a"];

/// Calls of the C library, which writes through some of its arguments.
const LIBRARY: [&str; 13] = [
    "memset(arr, 0, sizeof arr);\n",
    "memset(&s, any(), sizeof s.a);\n",
    "memcpy(&t, &s, sizeof t);\n",
    "memmove(arr + 1, p, sizeof *p);\n",
    "memmove(p, arr + 2, sizeof *p);\n",
    "strcpy(buf, \"97\");\n",
    "y = strlen(buf) + strcmp(buf, \"9\");\n",
    "g0 = atoi(buf) + abs(g1);\n",
    "snprintf(buf, sizeof buf, \"%d\", g1);\n",
    "snprintf(buf, sizeof buf, \"%d%n\", g0, p);\n",
    "y = sscanf(buf, \"%d\", p);\n",
    "printf(\"%s%d\", buf, *p);\n",
    "leave(g0);\n",
];

/// Functions that only the run has bodies of.
const HIDDEN: [&str; 4] = ["poke", "keep", "probe", "bump"];

/// Takes away what models do not see, and adds the types that rules need, as `prepare::to_model` does.
pub fn hide(program: &mut Program) {
    for function in program.funcs.iter_mut() {
        if HIDDEN.contains(&&*function.name) {
            function.body = None;
            function.params.clear();
            function.locals.clear();
            function.definition = cwolf_cwi::Definition::Declared;
        }
    }
    // Rules speak of objects by their address.
    for record in program.types.records.ids().collect::<Vec<_>>() {
        let ty = program.types.record(record);
        program.types.pointer(ty);
    }
}

/// Allocated objects, walks by pointer, structs as values, tables of functions, strings, code outside.
const MEMORY: [&str; 70] = [
    "head = mk(any());\n",
    "head = mk(g0);\n",
    "cur = head;\n",
    "if (cur) cur = cur->next;\n",
    "if (cur) cur->v = g1;\n",
    "if (head) { cur = head; head = head->next; free(cur); cur = 0; }\n",
    "if (head) { struct node *n = head; head = n->next; free(n); }\n",
    "if (head && head->v == 2) g1++;\n",
    "g0 = head ? head->v : 2;\n",
    "for (struct node *n = head; n; n = n->next) g0 += n->v;\n",
    "if (head) head = realloc(head, sizeof *head);\n",
    "if (head) memset(head, 0, sizeof *head);\n",
    "if (head && cur) *cur = *head;\n",
    "other = calloc(1, sizeof *other);\n",
    "if (other) { other->v++; other->next = head; }\n",
    "if (other == head) g1 = 4; else g1 = 5;\n",
    "for (int *q = arr; q < arr + 3; q++) *q += 1;\n",
    "{ int *q = arr; while (q + 1 < arr + 4 && *q) q++; g1 = q - arr; }\n",
    "y = tab[g0 & 1](1, &g1);\n",
    "s = make(x);\n",
    "t = (struct pair){g0, 1, 2};\n",
    "g0 = sum(s) + sum(make(2));\n",
    "poke();\n",
    "keep(&g1);\n",
    "keep(p);\n",
    "x = probe(&g1);\n",
    "g0 = probe(p);\n",
    "if (probe(&g0) == 3) g1 = 1;\n",
    "bump();\n",
    "y = isdigit(buf[0]) + tolower(buf[1]);\n",
    "y = strchr(buf, '7') != 0;\n",
    "g0 = \"abc\"[g1 & 1] - consts[g0 & 3];\n",
    "bzero(&s, sizeof s);\n",
    "pick = tab[g1 & 1]; if (pick == f) g0 = 1;\n",
    "*tail = mk(any()); tail = &(*tail)->next;\n",
    "tail = &head; while (*tail) tail = &(*tail)->next;\n",
    "{ struct node **q = &head; while (*q && (*q)->v != 1) q = &(*q)->next; if (*q) { struct node *n = *q; *q = n->next; if (n == cur) cur = 0; free(n); } }\n",
    "devices[g0 & 1].run(2, &devices[g1 & 1].own.a);\n",
    "devices[0] = devices[1]; devices[1].own = s;\n",
    "dev = &devices[any() & 1]; dev->own.a = g0; g1 = dev->own.b;\n",
    "if (dev == &devices[1]) g0++;\n",
    "dev->name = g0 ? buf : \"dev\"; g1 = dev->name[0];\n",
    "{ const char *c = dev->name; while (*c && c < dev->name + 3) c++; g1 = c - dev->name; }\n",
    "memcpy(&devices[1].own, &s, sizeof s); g0 = devices[1].own.a;\n",
    "if (other) { memcpy(other, &(struct node){3, head, 2}, sizeof *other); }\n",
    "word.bytes[1] = g0; g1 = word.half;\n",
    "word.half = 258; g0 = word.bytes[0];\n",
    "g0 = strncmp(buf, \"97\", 2) == 0; y = memcmp(&s, &t, sizeof s.a);\n",
    "if (p == &g0 || (p >= arr && p < arr + 2)) g1 = 2;\n",
    "p = g0 > 1 ? &arr[2] : &devices[0].own.a; *p = 4;\n",
    "msg.kind = any(); msg.u.pair.a = g0; msg.u.pair.b = 2;\n",
    "if (msg.kind & 1) msg.u.number = g1; else msg.u.text[1] = g0;\n",
    "if (msg.kind == 1 && msg.u.number > 2) g0 = msg.u.pair.a;\n",
    "{ struct msg m = msg; m.kind++; m.u.where = &g1; msg = m; if (msg.u.where == &g1) g0 = 1; }\n",
    "{ struct pair *q = &msg.u.pair; q->a++; g1 = msg.u.number; memset(q, 0, sizeof *q); }\n",
    "strncpy(buf, g0 ? \"ab\" : msg.u.text, 3); g1 = buf[0];\n",
    "snprintf(msg.u.text, sizeof msg.u.text, \"%s\", buf); g0 = msg.u.text[0];\n",
    "{ struct pair v = {.a = any(), .b = g0}; t = v; s = (struct pair){.c = 3, .a = t.a}; }\n",
    "{ int i = any(); if (i >= 0 && i < 4) { arr[i] = 2; g0 = arr[0]; } }\n",
    "{ struct node *box[2] = {head, 0}; int i = any(); if (i == 0 || i == 1) { box[i] = cur; if (box[1]) g0 = box[1]->v; } }\n",
    "{ char raw[sizeof s]; memcpy(raw, &s, sizeof s); memcpy(&t, raw, sizeof t); }\n",
    "{ unsigned char raw[4]; memcpy(raw, &g0, 4); raw[any() & 1] ^= 1; memcpy(&g1, raw, 4); }\n",
    "memcpy(buf, &g0, sizeof g0); memcpy(&g1, buf, sizeof g1);\n",
    "vol = g1; g0 = vol;\n",
    "if (vol == 2) g1++; vol++;\n",
    "if (pick) y = pick(2, &g1);\n",
    "y = len(buf); len = y > 1 ? length : strlen;\n",
    "leave(any());\n",
    "leave(g1 & 3);\n",
    "dev->run = any() & 1 ? f : f2; y = dev->run(3, &dev->own.a);\n",
];

fn scalar(rng: &mut Rng, in_f: bool) -> String {
    match rng.below(13) {
        0 => format!("arr[{} & 3]", rng.pick(&["x", "y", "g0"])),
        1 => format!("arr[{}]", rng.below(4)),
        12 => format!("buf[{}]", rng.below(3)),
        2 => "*p".into(),
        3 if in_f => "a".into(),
        _ => rng.pick(&SCALARS).into(),
    }
}

fn expr(rng: &mut Rng, depth: u32, in_f: bool) -> String {
    if depth == 0 {
        return match rng.below(3) {
            0 => (rng.below(12) as i64 - 4).to_string(),
            1 => rng.pick(&["0", "1", "97", "255", "-128", "65536"]).into(),
            _ => scalar(rng, in_f),
        };
    }
    let a = expr(rng, depth - 1, in_f);
    let b = expr(rng, depth - 1, in_f);
    match rng.below(8) {
        0 => format!("(- {a})"),
        1 => format!("(~{a})"),
        2 => format!("(!{a})"),
        3 => format!("(({}){a})", rng.pick(&TYPES)),
        4 => format!("({a} {} {b})", rng.pick(&["&&", "||"])),
        5 => format!(
            "({a} {} {})",
            rng.pick(&["/", "%", "<<", ">>"]),
            1 + rng.below(7)
        ),
        _ => format!("({a} {} {b})", rng.pick(&["+", "-", "*", "&", "|", "^"])),
    }
}

fn condition(rng: &mut Rng, in_f: bool) -> String {
    let compare = |rng: &mut Rng| {
        let depth = rng.below(2) as u32;
        let left = expr(rng, depth, in_f);
        let right = expr(rng, 0, in_f);
        let op = rng.pick(&["==", "!=", "<", "<=", ">", ">="]);
        format!("{left} {op} {right}")
    };
    match rng.below(5) {
        0 => format!("{} && {}", compare(rng), compare(rng)),
        1 => format!("{} || {}", compare(rng), compare(rng)),
        2 => format!("!({})", compare(rng)),
        _ => compare(rng),
    }
}

fn statement(rng: &mut Rng, depth: u32, in_f: bool, out: &mut String) {
    let inner = |rng: &mut Rng, out: &mut String| {
        for _ in 0..=rng.below(2) {
            statement(rng, depth - 1, in_f, out);
        }
    };
    if !in_f && rng.below(4) == 0 {
        *out += rng.pick(&MEMORY);
        return;
    }
    match rng.below(if depth > 0 { 16 } else { 8 }) {
        // Only `main` marks places: its frame is there as long as anything runs.
        14 if !in_f => {
            *out += "{ int j = setjmp(env); if (j == 0) { armed = 1;\n";
            inner(rng, out);
            *out += &format!(
                "leave({} & 3); armed = 0;\n}} else {{ armed = 0; g0 = j;\n",
                scalar(rng, in_f)
            );
            inner(rng, out);
            *out += "} }\n";
        }
        15 => {
            let label = rng.below(1 << 40);
            *out += &format!("if ({}) goto l{label};\n", condition(rng, in_f));
            inner(rng, out);
            *out += &format!("l{label}: ;\n");
        }
        7 => *out += rng.pick(&LIBRARY),
        0 => *out += &format!("{} = any();\n", scalar(rng, in_f)),
        1 => *out += &format!("{}++;\n", scalar(rng, in_f)),
        2 => {
            *out += rng.pick(&[
                "p = &x;\n",
                "p = &g0;\n",
                "p = &arr[1];\n",
                "t = s;\n",
                "s = t;\n",
            ])
        }
        3..=6 => *out += &format!("{} = {};\n", scalar(rng, in_f), expr(rng, 2, in_f)),
        8 | 9 => {
            *out += &format!("if ({}) {{\n", condition(rng, in_f));
            inner(rng, out);
            *out += "} else {\n";
            inner(rng, out);
            *out += "}\n";
        }
        10 => {
            *out += &format!("for (int i = 0; i < {}; i++) {{\n", 1 + rng.below(4));
            inner(rng, out);
            *out += &format!("if ({}) break;\n}}\n", condition(rng, in_f));
        }
        11 => {
            *out += &format!("switch ({}) {{\ncase 0: case 97:\n", scalar(rng, in_f));
            inner(rng, out);
            *out += "break;\ncase 1 ... 4:\n";
            inner(rng, out);
            *out += "default:\n";
            inner(rng, out);
            *out += "}\n";
        }
        12 if !in_f => {
            let call = rng.pick(&[
                "f(x, &x)",
                "f(1, &g1)",
                "f(any(), p)",
                "h(y)",
                "k(x & 3)",
                "fp(2, &x)",
            ]);
            *out += &format!("y = {call};\n");
        }
        12 => *out += rng.pick(&["y = h(x);\n", "return h(a);\n", "y = k(a & 3);\n"]),
        13 if rng.below(3) == 0 => {
            *out += &format!(
                "if ({}) exit({});\n",
                condition(rng, in_f),
                expr(rng, 0, in_f)
            );
        }
        _ => *out += &format!("__VERIFIER_assume({});\n", condition(rng, in_f)),
    }
}

/// The text of a program.
pub fn program(rng: &mut Rng) -> String {
    let mut text = String::from(
        "extern int __VERIFIER_nondet_int(void); extern void __VERIFIER_assume(int); extern void exit(int);\n\
         typedef unsigned long size_t; int printf(const char *, ...); int snprintf(char *, size_t, const char *, ...);\n\
         int sscanf(const char *, const char *, ...); int atoi(const char *); int abs(int);\n\
         void *memset(void *, int, size_t); void *memcpy(void *, const void *, size_t); void *memmove(void *, const void *, size_t);\n\
         char *strcpy(char *, const char *); size_t strlen(const char *); int strcmp(const char *, const char *);\n\
         char buf[12] = \"3\";\n\
         static int any(void) { int v = __VERIFIER_nondet_int(); return v % 5; }\n\
         struct pair { int a; short b; unsigned c : 3; };\n\
         static struct pair s, t = {1, 2, 3}; int arr[4] = {1, -1};\n\
         void *malloc(size_t); void *calloc(size_t, size_t); void *realloc(void *, size_t); void free(void *);\n\
         int isdigit(int); int tolower(int); char *strchr(const char *, int); void bzero(void *, size_t);\n\
         struct node { int v; struct node *next; char tag; };\n\
         static struct node *head, *cur, *other; static const int consts[4] = {3, 1, 4, 1};\n\
         static void *get(size_t n) { return malloc(n); }\n\
         static struct node *mk(int v) { struct node *n = get(sizeof *n); n->v = v; n->next = head; n->tag = 1; return n; }\n\
         static struct pair make(int a) { struct pair r = {a, 2, 1}; return r; }\n\
         static int sum(struct pair r) { return r.a + r.b; }\n\
         int strncmp(const char *, const char *, size_t); int memcmp(const void *, const void *, size_t);\n\
         static struct node **tail = &head; static union { unsigned char bytes[2]; unsigned short half; } word;\n\
         struct device { int (*run)(int, int *); struct pair own; const char *name; };\n\
         static int f(int, int *); static int f2(int, int *);\n\
         static struct device devices[2] = {{f, {1, 1, 1}, \"one\"}, {f2, {2, 2, 2}, \"two\"}}, *dev = &devices[0];\n\
         int poked; static int *kept; char *strncpy(char *, const char *, size_t);\n\
         typedef long jmp_buf[25]; int setjmp(jmp_buf); void longjmp(jmp_buf, int); static jmp_buf env; static int armed; static volatile int vol;\n\
         static void leave(int n) { if (armed && n > 0) longjmp(env, n); }\n\
         static size_t length(const char *s) { return *s ? 1 : 0; } static size_t (*len)(const char *) = strlen;\n\
         static struct msg { int kind; union { struct pair pair; int number; char text[8]; int *where; } u; } msg;\n",
    );
    for (name, first) in [("g0", 0), ("g1", 5), ("g2", -1)] {
        let ty = if name == "g0" || name == "g1" {
            "int"
        } else {
            rng.pick(&TYPES)
        };
        text += &format!("{ty} {name} = {first};\n");
    }
    text += &format!("int x = 1; {} y;\n", rng.pick(&TYPES));
    text +=
        "static int h(int n) { if (n <= 0) return n; if (n > 3) n = 3; return 1 + h(n - 1); }\n";
    text += "static int k(int n) { if (n > 2) return h(n - 1); g0++; return k(n + 1); }\n";
    text += "static int f(int a, int *p) {\n";
    for _ in 0..2 {
        statement(rng, 1, true, &mut text);
    }
    text += "*p = a; return a + 1;\n}\nstatic int (*fp)(int, int *) = f;\n";
    text += "static int f2(int a, int *p) { *p = a; return 3; }\n\
             static int (*tab[2])(int, int *) = {f, f2}; static int (*pick)(int, int *);\n\
             void keep(int *p) { kept = p; }\n\
             void poke(void) { poked++; g1 = 3; if (kept) *kept = 7; }\n\
             int probe(int *p) { int v = __VERIFIER_nondet_int(); if (v > 0) *p = v % 4; return 2 + (v & 1); }\n\
             void bump(void) { if (poked > 1) g2 = poked; poked = 3; }\n\
             int main(void) {\n";
    // The same names as locals, so that both environments are used.
    if rng.below(2) == 0 {
        text += "int x = 2; char y = 3;\n";
    }
    text += "int *p = &x;\n";
    for _ in 0..4 + rng.below(5) {
        statement(rng, 2, false, &mut text);
    }
    text += "return x;\n}\n";
    text
}

fn domain(rng: &mut Rng) -> String {
    match rng.below(10) {
        0 => "top".into(),
        1 => "bool".into(),
        2 => "int".into(),
        3 => "minmax".into(),
        4 => format!("mod({})", 2 + rng.below(4)),
        5 => "part(0,1,2)".into(),
        6 => "part(-1,0,3,97,98)".into(),
        7 => format!("div({})", 2 + rng.below(3)),
        8 => format!("set({})", 1 + rng.below(4)),
        _ => "free".into(),
    }
}

/// A domain whose values may be taken apart.
fn split(rng: &mut Rng) -> String {
    let domain = domain(rng);
    let classes = ["bool", "mod", "part"]
        .iter()
        .any(|w| domain.starts_with(w));
    match classes && rng.below(4) == 0 {
        true => format!("{domain} split"),
        false => domain,
    }
}

/// What is true of hidden functions, said more or less exactly.
const EXTERNS: [&str; 5] = [
    "",
    "extern int probe(int *p) returns {2,3} writes *1 calls nothing;\nextern void bump(void) writes g2, poked;\n",
    "extern int probe(int *p) returns 2..3;\n",
    "extern int probe(int *p) writes *1;\nextern void bump(void) calls nothing;\n",
    "extern int probe(int *p) returns any writes *1, arr;\nextern void bump(void) writes poked, g2, s calls nothing;\n",
];

/// An abstraction map for such a program.
pub fn abstraction(rng: &mut Rng, text: &str) -> String {
    let mut map = String::new();
    for name in [
        "g0", "g1", "g2", "x", "y", "s.a", "s.b", "s.c", "t.a", "t.b",
    ] {
        if rng.below(4) > 0 {
            map += &format!("var {name} : {};\n", split(rng));
        }
    }
    if rng.below(2) == 0 {
        map += &format!("var arr : {} array;\n", domain(rng));
    }
    if rng.below(2) == 0 {
        map += &format!("var buf : {} array;\n", domain(rng));
    }
    if rng.below(2) == 0 {
        map += "var fp : pointer;\n";
    }
    if rng.below(2) == 0 {
        map += &format!("var vol : {};\nvar armed : {};\n", domain(rng), domain(rng));
    }
    // A line must be about something.
    for (name, kind, made) in [("raw", " array", "raw["), ("j", "", "int j =")] {
        if text.contains(made) && rng.below(3) == 0 {
            map += &format!("var {name}* : {}{kind};\n", domain(rng));
        }
    }
    if rng.below(2) == 0 {
        map += &format!(
            "var devices.own.a : {};\nvar devices.own.b : {};\n",
            domain(rng),
            domain(rng)
        );
    }
    if rng.below(3) == 0 {
        map += "var struct node.next : pointer;\nvar dev : pointer;\nvar devices.run : pointer;\n";
    }
    if rng.below(4) == 0 {
        map += &format!("var struct node.v : {};\n", domain(rng));
    }
    // Of members at the same place a map names one.
    let first = rng.pick(&["u.pair.a", "u.number"]);
    for name in ["kind", first, "u.pair.b"] {
        if rng.below(3) == 0 {
            map += &format!("var msg.{name} : {};\n", split(rng));
        }
    }
    if rng.below(3) == 0 {
        map += "var msg.u.where : pointer;\n";
    }
    if rng.below(3) == 0 {
        map += &format!("var msg.u.text : {} array;\n", domain(rng));
    }
    map += &format!(
        "fun f(var a : {}; var p : pointer) : {} {{ }}\n",
        domain(rng),
        domain(rng)
    );
    let variance = |rng: &mut Rng| match rng.below(12) {
        0 => "variance stack;",
        1 => "variance location;",
        _ => "",
    };
    let (n, result, own) = (domain(rng), domain(rng), variance(rng));
    map += &format!("fun h(var n : {n}) : {result} {{ {own} }}\n");
    map += &format!("fun k(var n : {}) {{ {} }}\n", domain(rng), variance(rng));
    map += EXTERNS[rng.below(EXTERNS.len() as u64) as usize];
    map += "fun main() : top {\n";
    if rng.below(2) == 0 {
        map += "var p : pointer;\n";
    }
    if text.contains("int x = 2;") {
        map += &format!("var x : {}; var y : {};\n", split(rng), split(rng));
    }
    map + "}\n"
}

/// A label map for such a program.
pub fn labels(rng: &mut Rng, program: &Program) -> String {
    let rules = [
        "watch(g0 == 3) => a;\n",
        "watch(g1 > 2 && g0 < 5) => b;\n",
        "watch(g1 < 0) when g0 > 1 => b2;\n",
        "write(s.a) => w;\n",
        "write(arr) => wa;\n",
        "write(f:a) => wp;\n",
        "watch(f:a == 1) => p;\n",
        "watch(h:n <= 0) => n;\n",
        "read(arr) when g0 > 0 => r;\n",
        "read(g0) => r0;\n",
        "read(fp) => rp;\n",
        "call(f) => c;\n",
        "call(k) when g1 >= 5 => ck;\n",
        "return(h) => d;\n",
        "return(f) when g0 != 0 => df;\n",
        "watch(g1) => \"g1={g1}\";\n",
        "watch(head->v == 2) => hv;\n",
        "watch(dev->own.a > g0) => da;\n",
        "watch(msg.u.number > 1) => mn;\n",
        "write(msg.u.text) => mt;\n",
        "write(dev->own.a) => wd;\n",
        "watch(struct pair.a == 2) => pa;\n",
        "watch(struct pair.b) => \"b={pair.b}\";\n",
        "write(struct node.v) => nv;\n",
        "watch(struct node.v > 1 && struct node.tag == 1) => nt;\n",
        "watch(node.v) when g0 > 1 => \"v={node.v}\";\n",
        "write(struct node.next) => nn;\n",
        "read(struct node.v) when struct node.v < 3 => rn;\n",
        "read(device.own.a) => rd;\n",
        "call(f) => \"f {$1}\";\n",
        "call(f2) when $1 == 2 => \"f2 {dev->own.a}\";\n",
        "return(f) => \"f={$return}\";\n",
        "return(h) when $return < 2 => \"h={$return}\";\n",
        "write(vol) => wv;\n",
        "watch(vol > 2) => \"vol={vol}\";\n",
        "call(leave) => \"leave {$1}\";\n",
        "call(length) => length;\n",
        "exit == 0 when g0 > 0 => zero;\n",
        "exit == 0 => ok;\n",
        "exit > 2 => big;\n",
        "exit when g1 == 5 => five;\n",
    ];
    let mut map = String::new();
    for rule in rules {
        if rng.below(4) == 0 {
            map += rule;
        }
    }
    if rng.below(4) == 0 {
        let lines: Vec<u32> = (program.locations.locs().iter())
            .filter(|l| program.locations.file_name(l.file) == "x.c")
            .map(|l| l.line)
            .collect();
        let line = lines[rng.below(lines.len() as u64) as usize];
        let guard = rng.pick(&["", " when g0 > 0"]);
        map += &format!("exec \"x.c\":{line}{guard} => e;\n");
    }
    map
}

/// A random abstraction map for any program: its own variables of scalar types.
pub fn any_map(rng: &mut Rng, program: &Program, file: &str) -> String {
    let own = |v: &cwolf_cwi::Var| {
        let loc = program.locations[v.loc];
        program.locations.file_name(loc.file).ends_with(file) && program.types.is_scalar(v.ty)
    };
    let mut map = String::new();
    let declare = |rng: &mut Rng, names: &mut Vec<String>, v: &cwolf_cwi::Var| {
        let made = v.name.contains(|c: char| !c.is_alphanumeric() && c != '_');
        if made || names.contains(&v.name) || rng.below(4) == 0 {
            return String::new();
        }
        names.push(v.name.clone());
        let kind = match program.types[v.ty] {
            cwolf_cwi::Type::Pointer(_) => "pointer".into(),
            cwolf_cwi::Type::Float(_) => "free".into(),
            _ => domain(rng),
        };
        format!("var {} : {kind};\n", v.name)
    };
    let globals = program.vars.iter().filter(|v| own(v));
    let mut names = Vec::new();
    for v in globals.filter(|v| v.kind == cwolf_cwi::VarKind::Global) {
        map += &declare(rng, &mut names, v);
    }
    for (func, f) in program.funcs.enumerate().filter(|(_, f)| f.body.is_some()) {
        let of = |v: &&cwolf_cwi::Var| {
            own(v)
                && matches!(v.kind, cwolf_cwi::VarKind::Param(f) | cwolf_cwi::VarKind::Local(f)
                    if f == func)
        };
        let mut names = Vec::new();
        let locals: Vec<&cwolf_cwi::Var> = program.vars.iter().filter(of).collect();
        if locals.is_empty() {
            continue;
        }
        map += &format!("fun {}() {{\n", f.name);
        for v in locals {
            map += &declare(rng, &mut names, v);
        }
        map += "}\n";
    }
    map
}
