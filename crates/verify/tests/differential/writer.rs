//! Writes small random C programs: every run ends, nothing is read before it is written, the only
//! freedom is the inputs. Most steps are harmless; some go wrong for a few inputs.

use std::fmt::Write;

/// Numbers that depend only on the seed.
pub struct Random(u64);

impl Random {
    /// The numbers of a seed.
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }
    pub fn below(&mut self, n: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        ((self.0 >> 33) % n as u64) as usize
    }
    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }
    pub fn of<'t>(&mut self, list: &[&'t str]) -> &'t str {
        list[self.below(list.len())]
    }
}

/// What every program has.
const HEAD: &str = r"
extern unsigned char __VERIFIER_nondet_uchar(void);
extern void __VERIFIER_assume(int);
extern void __VERIFIER_assert(int);
extern void reach_error(void);
extern void *malloc(unsigned long);
extern void *calloc(unsigned long, unsigned long);
extern void free(void *);
extern void *memset(void *, int, unsigned long);
extern void *memcpy(void *, const void *, unsigned long);
struct S { int f; unsigned g : 5; int h : 4; short k[3]; struct S *next; };
struct P { int x; signed char y; };
union U { int i; unsigned char b[4]; short h[2]; };
struct S s0, s1 = {3, 17, -2, {1, 2, 3}, 0};
union U un;
int g0 = 5, g1, t[4] = {1, 2, 3}, big[20];
unsigned gu = 7; short gs; unsigned char gc = 200; long gl; _Bool gb;
unsigned char m[2][3]; struct P ps[3], pbig[18];
int twice(int n) { if (n > 9) return n - 1; return n + n; }
int less(int n) { g1++; return n - 1; }
int down(int n) { if (n <= 0) return g0; return down(n - 1) + 1; }
int odd(unsigned n); int even(unsigned n) { return n == 0 ? 1 : odd(n - 1); }
int odd(unsigned n) { return n == 0 ? 0 : even(n - 1); }
int tick(void) { static int n; return n++; }
void inc(int *p) { *p += 1; }
void swap(int *p, int *q) { int r = *p; *p = *q; *q = r; }
int sum(struct P v) { v.x += v.y; return v.x; }
struct P make(int x, int y) { struct P v; v.x = x; v.y = y; return v; }
int (*ft[3])(int) = {twice, less, down};
int clamp(int n) { return n & 3; }
";

const START: &str = r"int a = x, b = y, c = 1; unsigned u = 3; long l = -4; signed char ch = -7;
unsigned short us = 65535; int *p = &a; int **pp = &p; struct S *q = &s0, *list = 0, *n = 0;
char *cp = (char *)t; int *h = 0; int (*fp)(int) = twice; int back = 0;
";

const SCALARS: [&str; 32] = [
    "a", "b", "c", "a", "b", "c", "u", "l", "ch", "us", "g0", "g1", "gu", "gs", "gc", "gl", "gb",
    "s0.f", "s0.g", "s0.h", "s1.f", "s1.g", "q->f", "q->g", "q->h", "un.i", "un.h[1]", "*p",
    "**pp", "ps[1].x", "ps[2].y", "t[1]",
];
const ADDRESSES: [&str; 9] = [
    "&a",
    "&b",
    "&t[2]",
    "t + (x & 1)",
    "&s0.f",
    "&big[3]",
    "&ps[1].x",
    "&g0",
    "&q->f",
];

/// Writes one program.
pub struct Writer {
    random: Random,
    text: String,
    depth: usize,
    /// Loops so far: each has a counter of its own.
    loops: usize,
    /// Loops around the statement being written.
    inside: usize,
}

/// A program and the inputs that it takes: one of 8 bits, or two of 4.
pub struct Written {
    pub text: String,
    pub wide: bool,
}

impl Writer {
    pub fn program(seed: u64) -> Written {
        let mut w = Writer {
            random: Random::new(seed),
            text: HEAD.into(),
            depth: 0,
            loops: 0,
            inside: 0,
        };
        let wide = w.random.one_in(3);
        w.text
            .push_str("int main(void) {\nunsigned char x = __VERIFIER_nondet_uchar();\n");
        w.text.push_str(match wide {
            true => "unsigned char y = x >> 4;\n",
            false => {
                "__VERIFIER_assume(x < 16);\nunsigned char y = __VERIFIER_nondet_uchar(); __VERIFIER_assume(y < 16);\n"
            }
        });
        w.text.push_str(START);
        let count = 3 + w.random.below(6);
        w.block(count);
        w.check();
        w.text.push_str("return 0; }\n");
        Written { text: w.text, wide }
    }

    fn line(&mut self, text: std::fmt::Arguments<'_>) {
        let _ = self.text.write_fmt(text);
        self.text.push('\n');
    }

    fn block(&mut self, count: usize) {
        for _ in 0..count {
            self.statement();
        }
    }

    fn inner(&mut self) {
        self.depth += 1;
        let count = 1 + self.random.below(3);
        self.block(count);
        self.depth -= 1;
    }

    fn statement(&mut self) {
        match self.random.below(if self.depth >= 2 { 14 } else { 21 }) {
            0..=2 => {
                let (v, e) = (self.lvalue(), self.expr(2));
                self.line(format_args!("{v} = {e};"));
            }
            3 => {
                let (v, e) = (self.lvalue(), self.expr(1));
                let op = self.random.of(&["+=", "-=", "^=", "*=", "|=", "&="]);
                self.line(format_args!("{v} {op} {e};"));
            }
            4 => {
                let v = self.lvalue();
                let op = self.random.of(&["++", "--"]);
                self.line(format_args!("{v}{op};"));
            }
            5 | 6 => self.pointers(),
            7 | 8 => self.call(),
            9 => self.aggregate(),
            10 | 11 => self.heap(),
            12 => {
                let e = self.expr(1);
                let k = self.random.below(12);
                self.line(format_args!("cp[{k}] = {e};"));
            }
            13 => match self.random.below(4) {
                0 => {
                    let c = self.condition();
                    self.line(format_args!("__VERIFIER_assume({c} || x != 3);"));
                }
                _ => self.check(),
            },
            14 | 15 => {
                let c = self.condition();
                self.line(format_args!("if ({c}) {{"));
                self.inner();
                if self.random.one_in(2) {
                    self.line(format_args!("}} else {{"));
                    self.inner();
                }
                self.line(format_args!("}}"));
            }
            16 => self.switch(),
            17 => {
                // A jump back, a few times in all.
                let id = self.loops;
                self.loops += 1;
                self.line(format_args!("again{id}: ;"));
                self.inner();
                let c = self.condition();
                self.line(format_args!(
                    "if (back < 3 && ({c})) {{ back++; goto again{id}; }}"
                ));
            }
            18 => {
                let id = self.loops;
                self.loops += 1;
                let c = self.condition();
                self.line(format_args!("if ({c}) goto skip{id};"));
                self.inner();
                self.line(format_args!("skip{id}: ;"));
            }
            _ => self.repeat(),
        }
    }

    /// A loop that ends: its counter is its own.
    fn repeat(&mut self) {
        let id = self.loops;
        self.loops += 1;
        let limit = self.random.of(&["3", "x & 3", "y", "5", "20", "(g0 & 7)"]);
        let kind = self.random.below(3);
        match kind {
            0 => self.line(format_args!(
                "for (int i{id} = 0; i{id} < {limit}; i{id}++) {{"
            )),
            1 => self.line(format_args!(
                "{{ unsigned i{id} = {limit}; while (i{id}-- > 0) {{"
            )),
            _ => self.line(format_args!("{{ short i{id} = 0; do {{")),
        }
        self.inside += 1;
        self.inner();
        match self.random.below(6) {
            0 => self.line(format_args!("if (c == (int)i{id}) a++;")),
            1 => self.line(format_args!("big[i{id}] = a;")),
            2 => self.line(format_args!("b += big[i{id}];")),
            3 => {
                let c = self.condition();
                let jump = self.random.of(&["break", "break", "continue"]);
                // A jump over the step of a `do` loop would never end.
                let jump = if kind == 2 { "break" } else { jump };
                self.line(format_args!("if ({c}) {jump}; u += i{id};"));
            }
            4 => self.line(format_args!("pbig[i{id} & 15].y += i{id};")),
            _ => self.line(format_args!("c += i{id};")),
        }
        self.inside -= 1;
        match kind {
            0 => self.line(format_args!("}}")),
            1 => self.line(format_args!("}} }}")),
            _ => self.line(format_args!("}} while (++i{id} < {limit}); }}")),
        }
    }

    fn switch(&mut self) {
        let e = self.expr(1);
        let mask = self.random.of(&["", " & 3", " & 7"]);
        self.line(format_args!("switch (({e}){mask}) {{"));
        let mut default = self.random.below(5);
        for k in 0..3 {
            if default == k {
                self.line(format_args!("default:"));
                default = 9;
            }
            let value = k * (1 + self.random.below(2)) + usize::from(k > 0) * k;
            self.line(format_args!("case {value}:"));
            self.inner();
            if !self.random.one_in(3) {
                self.line(format_args!("break;"));
            }
        }
        self.line(format_args!("}}"));
    }

    fn pointers(&mut self) {
        let (to, other) = (self.random.of(&ADDRESSES), self.random.of(&ADDRESSES));
        match self.random.below(13) {
            0..=2 => self.line(format_args!("p = {to};")),
            3 => self.line(format_args!("*pp = {to};")),
            4 => {
                let c = self.condition();
                self.line(format_args!("p = ({c}) ? {to} : {other};"));
            }
            5 => self.line(format_args!("q = q == &s0 ? &s1 : &s0;")),
            6 => {
                let next = self.random.of(&["&s0", "&s1", "0", "q"]);
                self.line(format_args!("q->next = {next};"));
            }
            7 => self.line(format_args!("if (q->next) q = q->next;")),
            8 => {
                let to = self
                    .random
                    .of(&["(char *)t", "(char *)big + (x & 7)", "(char *)&big[2]"]);
                self.line(format_args!("cp = {to};"));
            }
            9 => {
                let f = self
                    .random
                    .of(&["twice", "less", "clamp", "ft[y % 3]", "ft[x & 1]"]);
                self.line(format_args!("fp = {f};"));
            }
            10 => self.line(format_args!("p = t; p += {};", self.loops & 1)),
            11 => {
                let e = self.expr(1);
                self.line(format_args!("p = big + (({e}) & 15); a = p - big;"));
            }
            _ => {
                let c = self.condition();
                self.line(format_args!("ft[2] = ({c}) ? clamp : less;"));
            }
        }
    }

    fn call(&mut self) {
        let (v, e) = (self.lvalue(), self.expr(1));
        match self.random.below(9) {
            0 => self.line(format_args!("{v} = twice({e});")),
            1 => self.line(format_args!("{v} = down(({e}) & 3);")),
            2 => self.line(format_args!("{v} = fp({e});")),
            3 => self.line(format_args!("{v} = ft[({e}) & 1](b);")),
            4 => self.line(format_args!("{v} = even(({e}) & 7);")),
            5 => self.line(format_args!("inc(p); inc(&t[x & 3]);")),
            6 => {
                let to = self.random.of(&ADDRESSES);
                self.line(format_args!("swap(p, {to});"));
            }
            7 => self.line(format_args!("{v} = tick() + sum(ps[{}]);", self.loops % 3)),
            _ => self.line(format_args!("inc(*pp); {v} = tick();")),
        }
    }

    fn aggregate(&mut self) {
        let (e, f) = (self.expr(1), self.expr(1));
        match self.random.below(9) {
            0 => self.line(format_args!("ps[({e}) & 1] = make({f}, a);")),
            1 => self.line(format_args!("s0 = s1;")),
            2 => self.line(format_args!("s1 = *q;")),
            3 => self.line(format_args!("ps[2] = ps[x & 1];")),
            4 => self.line(format_args!("memset(ps, 0, sizeof ps);")),
            5 => self.line(format_args!("memcpy(&s1, q == &s1 ? &s0 : q, sizeof s1);")),
            6 => self.line(format_args!("pbig[({e}) & 15] = ps[1];")),
            7 => self.line(format_args!("memset(m, 1, sizeof m); m[y & 1][2] = {f};")),
            _ => self.line(format_args!("memcpy(t, big, 8); pbig[x & 15].x = {f};")),
        }
    }

    fn heap(&mut self) {
        let e = self.expr(1);
        match self.random.below(10) {
            0..=2 => self.line(format_args!(
                "n = malloc(sizeof *n); n->f = {e}; n->g = 1; n->h = 0; n->next = list; list = n;"
            )),
            3 => self.line(format_args!(
                "for (n = list; n; n = n->next) {{ a += n->f; n->g++; }}"
            )),
            4 => self.line(format_args!(
                "if (list) {{ n = list->next; free(list); list = n; }}"
            )),
            5 => self.line(format_args!("if (!h) h = calloc(4, sizeof *h);")),
            6 => {
                let mask = if self.random.one_in(5) { 7 } else { 3 };
                self.line(format_args!("if (h) h[({e}) & {mask}] = a; else c = 2;"));
            }
            7 => {
                let after = if self.random.one_in(4) { "" } else { "h = 0;" };
                self.line(format_args!("if (h) {{ b = h[x & 3]; free(h); {after} }}"));
            }
            8 => self.line(format_args!("if (list) {{ list->f = {e}; q = list; }}")),
            _ => self.line(format_args!(
                "if (!h) {{ h = malloc(((({e}) & 3) + 1) * sizeof *h); h[0] = a; }}"
            )),
        }
    }

    /// Something to be proved: true on most runs.
    fn check(&mut self) {
        let v = self.lvalue();
        let k = self.constant();
        match self.random.below(8) {
            0 | 1 => {
                let c = self.condition();
                self.line(format_args!("__VERIFIER_assert({c});"));
            }
            2 => {
                let c = self.condition();
                self.line(format_args!("if ({c}) if ({v} == {k}) reach_error();"));
            }
            3 => {
                let w = self.lvalue();
                self.line(format_args!("__VERIFIER_assert({v} != {k} || {w} >= 0);"));
            }
            _ => self.line(format_args!("__VERIFIER_assert({v} != {k});")),
        }
    }

    fn constant(&mut self) -> String {
        let odd = [
            "-1",
            "16",
            "127",
            "128",
            "255",
            "256",
            "-128",
            "65535",
            "2147483647",
        ];
        match self.random.below(5) {
            0 => self.random.of(&odd).into(),
            _ => self.random.below(10).to_string(),
        }
    }

    fn index(&mut self, mask: &str) -> String {
        let e = self.random.of(&["x", "y", "a", "b", "c", "u", "gc"]);
        match self.random.below(14) {
            0 => e.into(),
            1..=6 => self.random.below(3).to_string(),
            _ => format!("{e} {mask}"),
        }
    }

    fn lvalue(&mut self) -> String {
        match self.random.below(16) {
            0 => format!("t[{}]", self.index("& 3")),
            1 => format!("big[{}]", self.index("& 15")),
            2 => format!("m[{}][{}]", self.index("& 1"), self.index("% 3u")),
            3 => format!("ps[{}].x", self.index("% 3u")),
            4 => format!("pbig[{}].y", self.index("& 15")),
            5 => format!("un.b[{}]", self.index("& 3")),
            6 => format!("q->k[{}]", self.index("& 1")),
            _ => self.random.of(&SCALARS).into(),
        }
    }

    fn condition(&mut self) -> String {
        let op = self.random.of(&["==", "!=", "<", "<=", ">", ">="]);
        let (a, b) = (self.expr(1), self.expr(1));
        match self.random.below(12) {
            0 => format!("{a} {op} {b} || {} > 3", self.lvalue()),
            1 => format!("{a} {op} {b} && {} / ({b} | 1) < 9", self.lvalue()),
            2 => format!("p == {}", self.random.of(&ADDRESSES)),
            3 => self
                .random
                .of(&["q == &s1", "q->next", "list", "h", "!list", "fp == less"])
                .into(),
            _ => format!("{a} {op} {b}"),
        }
    }

    fn expr(&mut self, depth: u32) -> String {
        if depth == 0 || self.random.one_in(3) {
            return match self.random.below(8) {
                0 | 1 => self.constant(),
                2 => "x".into(),
                3 => "y".into(),
                _ => self.lvalue(),
            };
        }
        let (a, b) = (self.expr(depth - 1), self.expr(depth - 1));
        match self.random.below(20) {
            0 => format!("({a} / ({b}))"),
            1 => format!("({a} % (({b}) | 1))"),
            2 => format!("({a} << (({b}) & 3))"),
            3 => format!("({a} >> (({b}) & 7))"),
            4 => match self.random.one_in(3) {
                true => format!("({a} << {b})"),
                false => format!("(1u << ({b} & 31))"),
            },
            5 => {
                let types = [
                    "unsigned char",
                    "signed char",
                    "short",
                    "unsigned",
                    "long",
                    "_Bool",
                ];
                format!("({})({a} + {b})", self.random.of(&types))
            }
            6 => format!("(({a}) ? {b} : {})", self.lvalue()),
            7 => format!("(~{a} ^ - {b})"),
            8 => format!("(!{a} + ({b} && {}))", self.lvalue()),
            9 => format!("((unsigned){a} / (({b}) | 1u))"),
            n => {
                let op = ["+", "-", "*", "&", "|", "^", "<", "==", "+", "-"][n - 10];
                format!("({a} {op} {b})")
            }
        }
    }
}
