//! Random small C programs and predicates over them.

/// A small pseudo-random generator (splitmix64).
pub struct Rng(pub u64);

impl Rng {
    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
    pub fn below(&mut self, n: usize) -> usize {
        (self.number() % n as u64) as usize
    }
    fn pick<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.below(list.len())]
    }
}

/// What the statements of a program may use.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// Only sums and differences of small numbers, so that nothing overflows.
    pub linear: bool,
    pub functions: usize,
    pub statements: usize,
}

#[allow(dead_code, reason = "not every test has predicates")]
pub struct Case {
    pub program: String,
    pub predicates: String,
}

struct Generator {
    rng: Rng,
    shape: Shape,
    loops: usize,
}

const HEADER: &str = "extern int __VERIFIER_nondet_int(void);
struct cell { int val; int tag; struct cell *next; };
struct pair { int a; struct cell c; unsigned low : 3; };
int fuel;
int (*hook)(int, int *, struct cell *);
";

pub fn case(seed: u64, shape: Shape) -> Case {
    let rng = Rng(seed);
    let mut generator = Generator {
        rng,
        shape,
        loops: 0,
    };
    let mut program = HEADER.to_owned();
    let start: Vec<String> = (0..4).map(|_| generator.constant()).collect();
    program += &format!(
        "int g = {}, h, table[4] = {{ 0, {} }};\nstruct cell n2, n1 = {{ {}, 0, &n2 }}, n0 = {{ .next = &n1 }};\n\
         struct pair pr = {{ {}, {{ .tag = 1 }}, 3 }};\n",
        start[0], start[1], start[2], start[3]
    );
    for n in 0..shape.functions {
        program += &format!("int f{n}(int a, int *p, struct cell *s);\n");
    }
    for n in 0..shape.functions {
        let code = generator.block(1, n + 1);
        let result = generator.rng.pick(&["x", "a", "y"]);
        program += &format!(
            "int f{n}(int a, int *p, struct cell *s) {{\n  int x, y, *q, i; struct cell *t; struct cell w;\n  \
             x = a; y = 0; q = p; t = s; i = 0; w = n0;\n{code}  return {result};\n}}\n"
        );
    }
    let code = generator.block(1, 0);
    program += &format!(
        "int main(void) {{\n  int a, x, y, *p, *q, i; struct cell *s, *t; struct cell w;\n  \
         fuel = 4; a = __VERIFIER_nondet_int() % 8; x = __VERIFIER_nondet_int() % 8; y = a; i = 0;\n  \
         n0.val = x; n0.next = &n1; n1.next = &n2; n1.val = 3; w = n0;\n  \
         p = &g; q = &x; s = &n0; t = &n1; hook = f0;\n{code}  return 0;\n}}\n"
    );
    let mut predicates = String::new();
    for n in 0..=shape.functions {
        let name = match n {
            n if n == shape.functions => "main".to_owned(),
            n => format!("f{n}"),
        };
        let count = 2 + generator.rng.below(4);
        let list: Vec<String> = (0..count).map(|_| generator.predicate(false)).collect();
        predicates += &format!("{name} {{ {} }}\n", list.join(", "));
    }
    let count = generator.rng.below(3);
    let list: Vec<String> = (0..count).map(|_| generator.predicate(true)).collect();
    predicates += &format!("global {{ {} }}\n", list.join(", "));
    Case {
        program,
        predicates,
    }
}

impl Generator {
    fn constant(&mut self) -> String {
        (self.rng.below(7) as i64 - 2).to_string()
    }
    fn int_place(&mut self) -> &'static str {
        self.rng.pick(&[
            "a",
            "x",
            "y",
            "x",
            "y",
            "g",
            "h",
            "*p",
            "*q",
            "s->val",
            "t->val",
            "t->tag",
            "n1.val",
            "table[1]",
            "table[x & 3]",
            "table[i & 3]",
            "w.val",
            "pr.a",
            "pr.c.val",
            "s->tag",
        ])
    }
    fn linear_place(&mut self) -> &'static str {
        self.rng.pick(&[
            "a", "x", "y", "x", "y", "g", "h", "*p", "*q", "s->val", "t->val", "t->tag", "n1.val",
            "table[1]", "w.val", "pr.a", "pr.c.val", "s->tag",
        ])
    }
    fn place(&mut self) -> &'static str {
        match self.shape.linear {
            true => self.linear_place(),
            false => self.int_place(),
        }
    }
    fn int(&mut self) -> String {
        let a = self.place();
        if self.shape.linear {
            // Values stay small: nothing is added to what was computed before.
            let c = self.constant();
            return match self.rng.below(5) {
                0 => c,
                1 => a.to_owned(),
                2 => format!("{a} < 50 && {a} > -50 ? {a} + {c} : {c}"),
                3 => "__VERIFIER_nondet_int() % 8".into(),
                _ => a.to_owned(),
            };
        }
        let b = match self.rng.below(2) {
            0 => self.constant(),
            _ => self.place().to_owned(),
        };
        match self.rng.below(12) {
            0 => self.constant(),
            1 => "__VERIFIER_nondet_int()".into(),
            2 => format!("{a} + {b}"),
            3 => format!("{a} - {b}"),
            4 => format!("{a} * {b}"),
            5 => format!("{a} & {b}"),
            6 => format!("{a} ^ {b}"),
            7 => format!("(char)({a} + {b})"),
            8 => format!("-{a}"),
            9 => "pr.low".into(),
            10 => format!("({a} < {b})"),
            _ => a.to_owned(),
        }
    }
    fn condition(&mut self) -> String {
        let a = self.place();
        let b = match self.rng.below(3) {
            0 => self.place().to_owned(),
            _ => self.constant(),
        };
        let op = self.rng.pick(&["<", "<=", "==", "!=", ">", ">="]);
        match self.rng.below(9) {
            0 => "s == t".into(),
            1 => "t != 0".into(),
            2 => "p == q".into(),
            3 => format!("{a} {op} {b} && y > 0"),
            4 => "s->next == t".into(),
            _ => format!("{a} {op} {b}"),
        }
    }
    fn predicate(&mut self, global: bool) -> String {
        if global {
            let a = self.rng.pick(&[
                "g",
                "h",
                "n0.val",
                "n1.tag",
                "table[1]",
                "pr.a",
                "n0.next->val",
                "fuel",
            ]);
            let c = self.constant();
            let op = self.rng.pick(&["<", "==", ">", "!="]);
            return format!("{a} {op} {c}");
        }
        match self.rng.below(12) {
            0 => "t == s".into(),
            1 => "t == 0".into(),
            2 => "p == &g".into(),
            3 => "q == &x".into(),
            4 => "s->next == t".into(),
            5 => "t->next == 0".into(),
            6 if !self.shape.linear => "(x & 1) == 0".into(),
            7 if !self.shape.linear => "(unsigned)x < 4u".into(),
            8 => "s == &n0".into(),
            _ => {
                let a = self.place();
                let b = match self.rng.below(3) {
                    0 => self.place().to_owned(),
                    _ => self.constant(),
                };
                let op = self.rng.pick(&["<", "<=", "==", ">", "!="]);
                format!("{a} {op} {b}")
            }
        }
    }
    fn block(&mut self, depth: usize, callees: usize) -> String {
        let count = 2 + self.rng.below(self.shape.statements);
        (0..count).map(|_| self.statement(depth, callees)).collect()
    }
    /// A call of one of the functions from number `from` on.
    fn call(&mut self, from: usize) -> String {
        let n = from + self.rng.below(self.shape.functions - from);
        let a = self.place();
        let p = self
            .rng
            .pick(&["p", "q", "&g", "&x", "&table[1]", "&t->val"]);
        let s = self.rng.pick(&["s", "t", "&n1", "s->next"]);
        let to = self.rng.pick(&["x = ", "y = ", "g = ", "", "t->val = "]);
        match self.rng.below(6) {
            0 => format!("hook = f{n}; {to}hook({a}, {p}, {s});"),
            1 => format!("if (f{n}({a}, {p}, {s}) > 2) y = 1; else g = 2;"),
            _ => format!("{to}f{n}({a}, {p}, {s});"),
        }
    }
    fn statement(&mut self, depth: usize, callees: usize) -> String {
        let indent = "  ".repeat(depth);
        let text = match self.rng.below(16) {
            0 if depth < 3 => {
                let (c, a, b) = (
                    self.condition(),
                    self.block(depth + 1, callees),
                    self.block(depth + 1, callees),
                );
                format!("if ({c}) {{\n{a}{indent}}} else {{\n{b}{indent}}}")
            }
            1 if depth < 3 => {
                self.loops += 1;
                let (c, a) = (self.condition(), self.block(depth + 1, callees));
                let l = self.loops;
                format!("{{ int k{l} = 0; while (k{l} < 3 && {c}) {{\n{a}{indent}k{l}++; }} }}")
            }
            2 if depth < 3 => {
                let (a, b) = (
                    self.block(depth + 1, callees),
                    self.block(depth + 1, callees),
                );
                let on = self.place();
                format!(
                    "switch ({on}) {{ case 0: case 1:\n{a}{indent}break; case 3: y = 1; default:\n{b}{indent}}}"
                )
            }
            3 | 4 if callees < self.shape.functions => self.call(callees),
            13 => {
                // Any function, so that they call themselves and each other in circles.
                let call = self.call(0);
                format!("if (fuel > 0) {{ fuel = fuel - 1; {call} }}")
            }
            5 => "p = q;".into(),
            6 => format!(
                "q = {};",
                self.rng.pick(&["p", "&x", "&g", "&s->val", "&table[1]"])
            ),
            7 => format!(
                "t = {};",
                self.rng
                    .pick(&["s", "s->next", "&n2", "t->next", "0", "&w"])
            ),
            8 => format!("s->next = {};", self.rng.pick(&["t", "0", "s->next"])),
            9 => self
                .rng
                .pick(&["w = *s;", "*t = w;", "pr.c = *s;", "w = pr.c;", "n2 = n0;"])
                .into(),
            10 => "if (t == 0) t = &n1;".into(),
            11 if !self.shape.linear => format!("{}++;", self.place()),
            12 if !self.shape.linear => format!("pr.low = {};", self.place()),
            _ => format!("{} = {};", self.place(), self.int()),
        };
        format!("{indent}{text}\n")
    }
}
