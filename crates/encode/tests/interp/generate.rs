//! Random C without loops, and without anything that C does not define: scalars of all widths,
//! bit-fields, unions, arrays short and long, records as a whole, pointers into all of them.

use std::fmt::Write;

/// Random choices that follow from a seed.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }
    pub fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % n
    }
    fn of<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.below(list.len() as u64) as usize]
    }
    fn often(&mut self) -> bool {
        self.below(2) == 0
    }
}

pub const TYPES: &str = "extern void *memset(void *, int, unsigned long);\n\
    extern void *memcpy(void *, const void *, unsigned long);\n\
    extern void *malloc(unsigned long); extern void free(void *);\n\
    struct S { int a; unsigned char b; unsigned f : 3, g : 7; int h : 5; short k[3]; };\n\
    union U { unsigned w; unsigned char b[4]; unsigned short h[2]; };\n";

/// Integer scalars with names.
const SCALARS: &[&str] = &[
    "c0", "c1", "h0", "i0", "i1", "u0", "u1", "l0", "m0", "b0", "s0.a", "s0.b", "s0.f", "s0.g",
    "s0.h", "s0.k[1]", "s1.a", "s1.g", "s1.h", "v0.w", "v0.b[2]", "v0.h[1]", "a[2]", "big[30]",
];
/// Those of type `int`.
const INTS: &[&str] = &[
    "i0", "i1", "s0.a", "s1.a", "a[0]", "a[3]", "big[7]", "big[39]",
];
const CASTS: &[&str] = &[
    "int",
    "unsigned",
    "signed char",
    "unsigned char",
    "short",
    "unsigned short",
    "long",
    "unsigned long",
    "_Bool",
];

/// The global variables, with initialisers.
pub fn globals(r: &mut Random) -> String {
    let mut n = |limit: u64| r.below(limit) as i64 - (limit / 3) as i64;
    let numbers = |count: usize, n: &mut dyn FnMut(u64) -> i64| {
        let all: Vec<String> = (0..count).map(|_| n(1 << 20).to_string()).collect();
        all.join(", ")
    };
    let mut out = String::from(TYPES);
    let record = |n: &mut dyn FnMut(u64) -> i64| {
        format!(
            "{{ {}, {}, {}, {}, {}, {{ {}, {}, {} }} }}",
            n(1 << 30),
            n(90).abs(),
            n(7).abs(),
            n(99).abs(),
            n(14),
            n(999),
            n(999),
            n(999)
        )
    };
    let _ = writeln!(
        out,
        "unsigned char c0 = {}; signed char c1 = {}; short h0 = {}; int i0 = {}, i1 = {};",
        n(90).abs(),
        n(90),
        n(9999),
        n(1 << 30),
        n(100)
    );
    let _ = writeln!(
        out,
        "unsigned u0 = {}u, u1 = {}u; long l0 = {}; unsigned long m0 = {}ul; _Bool b0 = {};",
        n(1 << 30).abs(),
        n(1 << 30).abs(),
        n(1 << 50),
        n(1 << 60).abs(),
        n(9).abs() & 1
    );
    let _ = writeln!(
        out,
        "struct S s0 = {}, s1 = {};",
        record(&mut n),
        record(&mut n)
    );
    let _ = writeln!(
        out,
        "struct S t[3] = {{ {}, {} }};",
        record(&mut n),
        record(&mut n)
    );
    let _ = writeln!(out, "union U v0 = {{ {}u }};", n(1 << 30).abs());
    let _ = writeln!(out, "int a[4] = {{ {} }};", numbers(4, &mut n));
    let _ = writeln!(out, "int big[40] = {{ {} }};", numbers(17, &mut n));
    let (p, q) = (r.of(INTS), r.of(INTS));
    let _ = writeln!(out, "int *p = &{p}, *q = &{q};");
    let s = r.of(&["&s0", "&s1", "&t[1]"]);
    let byte = r.of(&["&c0", "&v0.b[1]", "&s1.b"]);
    let _ = writeln!(out, "struct S *s = {s}; unsigned char *z = {byte};");
    out
}

/// An integer expression that is defined whatever the variables hold.
pub fn number(r: &mut Random, depth: u32) -> String {
    if depth == 0 || r.below(6) == 0 {
        return leaf(r);
    }
    let one = |r: &mut Random| number(r, depth - 1);
    match r.below(16) {
        0..=2 => {
            let op = r.of(&["+", "-", "*", "&", "|", "^"]);
            let ty = r.of(&["unsigned", "unsigned long"]);
            format!("(({ty}){} {op} ({ty}){})", one(r), one(r))
        }
        3 => {
            let op = r.of(&["/", "%"]);
            format!("((unsigned){} {op} ((unsigned){} | 1u))", one(r), one(r))
        }
        4 => {
            let op = r.of(&["/", "%"]);
            format!("((int){} {op} (((int){} & 15) + 1))", one(r), one(r))
        }
        5 => {
            let op = r.of(&["/", "%"]);
            format!("((long){} {op} (((int){} & 7) - 9))", one(r), one(r))
        }
        6 => {
            let op = r.of(&["<<", ">>"]);
            format!("((unsigned){} {op} ((unsigned){} & 31u))", one(r), one(r))
        }
        7 => format!("((long){} >> ((unsigned char){} & 63))", one(r), one(r)),
        8 => format!("({}(unsigned){})", r.of(&["~", "-"]), one(r)),
        9 => format!("(!{})", one(r)),
        10 | 11 => {
            let op = r.of(&["<", "<=", ">", ">=", "==", "!="]);
            let ty = r.of(&["int", "unsigned", "long", "unsigned char"]);
            format!("(({ty}){} {op} ({ty}){})", one(r), one(r))
        }
        12 => {
            let op = r.of(&["&&", "||"]);
            format!("({} {op} {})", one(r), one(r))
        }
        13 => format!("({} ? {} : {})", one(r), one(r), one(r)),
        _ => format!("(({}){})", r.of(CASTS), one(r)),
    }
}

fn leaf(r: &mut Random) -> String {
    match r.below(14) {
        0 | 1 => r.below(1 << 12).to_string(),
        2 => "*p".into(),
        3 => "*z".into(),
        4 => r
            .of(&["s->a", "s->b", "s->f", "s->g", "s->h", "s->k[2]"])
            .into(),
        5 => format!("a[{} & 3]", r.of(SCALARS)),
        6 => format!("big[(unsigned){} % 40u]", r.of(SCALARS)),
        7 => format!("v0.b[(unsigned){} & 3u]", r.of(SCALARS)),
        8 => format!(
            "t[(unsigned){} % 3u].{}",
            r.of(SCALARS),
            r.of(&["a", "b", "g", "h"])
        ),
        9 => r
            .of(&["(p == q)", "(p != &i0)", "(s == &s0)", "(s == 0)"])
            .into(),
        10 => format!("(&a[{} & 3] - &a[{} & 3])", r.of(SCALARS), r.of(SCALARS)),
        11 => format!("(&big[(unsigned){} % 40u] < big + 20)", r.of(SCALARS)),
        _ => r.of(SCALARS).into(),
    }
}

fn place(r: &mut Random) -> String {
    match r.below(9) {
        0 => "*p".into(),
        1 => "*z".into(),
        2 => r
            .of(&["s->a", "s->b", "s->f", "s->g", "s->h", "s->k[0]"])
            .into(),
        3 => format!("a[{} & 3]", r.of(SCALARS)),
        4 => format!("big[(unsigned){} % 40u]", r.of(SCALARS)),
        5 => format!(
            "t[(unsigned){} % 3u].{}",
            r.of(SCALARS),
            r.of(&["a", "f", "h"])
        ),
        _ => r.of(SCALARS).into(),
    }
}

fn pointer(r: &mut Random) -> String {
    match r.below(6) {
        0 => format!("p = &a[(unsigned){} % 4u];", r.of(SCALARS)),
        1 => format!("p = &big[(unsigned){} % 40u];", r.of(SCALARS)),
        2 => format!("p = {} ? &{} : q;", number(r, 1), r.of(INTS)),
        3 => format!(
            "s = {} ? &s1 : &t[(unsigned){} % 3u];",
            number(r, 1),
            r.of(SCALARS)
        ),
        4 => format!(
            "z = {} ? &c0 : &v0.b[(unsigned){} & 3u];",
            number(r, 1),
            r.of(SCALARS)
        ),
        _ => format!("{} = &{};", r.of(&["p", "q"]), r.of(INTS)),
    }
}

/// Statements; `heap` allows allocations.
pub fn statements(r: &mut Random, count: u64, depth: u32, heap: bool) -> String {
    let mut out = String::new();
    for _ in 0..count {
        let line = match r.below(14) {
            0 | 1 => pointer(r),
            2 => {
                let (x, y) = (r.of(&["s0", "s1", "*s", "t[2]"]), r.of(&["s0", "s1", "*s"]));
                // Overlapping assignment is not defined.
                format!("{{ struct S x = {y}; {x} = x; }}")
            }
            3 | 4 if depth > 0 => {
                let (n, m) = (1 + r.below(3), r.below(3));
                let yes = statements(r, n, depth - 1, heap);
                let no = statements(r, m, depth - 1, heap);
                format!("if ({}) {{ {yes} }} else {{ {no} }}", number(r, 2))
            }
            5 => {
                let (e, f) = (number(r, 2), number(r, 1));
                format!("{{ int x = {e}; int *y = {f} ? &x : &i1; *y = *y ^ 5; i0 = x; }}")
            }
            6 => match r.often() {
                true => "memset(&s1, 0, sizeof s1);".into(),
                false => "memcpy(&t[1], &s0, sizeof s0);".into(),
            },
            7 if heap => {
                let e = number(r, 1);
                format!(
                    "{{ int *x = malloc(8); x[0] = {e}; x[1] = 3; int *y = {e} ? x : x + 1; i1 = *y; *y = i0; i0 = x[0]; free(x); }}"
                )
            }
            8 => {
                let ty = r.of(CASTS);
                format!(
                    "{} = f_{}({}, {});",
                    place(r),
                    ty.len() % 2,
                    number(r, 2),
                    r.of(&["p", "q"])
                )
            }
            _ => format!("{} = {};", place(r), number(r, 3)),
        };
        out.push_str("    ");
        out.push_str(&line);
        out.push('\n');
    }
    out
}

/// Two functions that statements call.
pub fn functions(r: &mut Random) -> String {
    let mut out = String::new();
    for n in 0..2 {
        let (e, f) = (number(r, 2), number(r, 2));
        let _ = writeln!(
            out,
            "int f_{n}(int x, int *y) {{ int *w = &x; if ({e}) return *y + 0u; *w = *w ^ *y; {} *y = 7; return {f} ^ x; }}",
            if n == 0 { "if (x & 1)" } else { "" }
        );
    }
    out
}

/// What is looked at in the end: the places, and the outputs that they are put in.
pub fn outputs() -> (String, String, usize) {
    let mut places: Vec<String> = SCALARS.iter().map(|s| s.to_string()).collect();
    places.extend(["*p", "*q", "*z", "s->a", "s->k[0]", "p == q", "s == &s1"].map(String::from));
    places.extend((0..4).map(|n| format!("a[{n}]")));
    places.extend([0, 11, 38].map(|n| format!("big[{n}]")));
    places.extend((0..3).flat_map(|n| [format!("t[{n}].a"), format!("t[{n}].g")]));
    let (mut declared, mut set) = (String::new(), String::new());
    for (n, place) in places.iter().enumerate() {
        let _ = writeln!(declared, "long o{n};");
        let _ = writeln!(set, "    o{n} = {place};");
    }
    (declared, set, places.len())
}
