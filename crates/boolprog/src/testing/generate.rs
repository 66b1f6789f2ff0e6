//! Random boolean programs.

use crate::{Builder, Expr, GlobalId, ProcId, Program, Source, StmtKind, Var};

/// A small generator of random numbers; the same seed gives the same numbers everywhere.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// Starts at `seed`.
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }
    /// Any number.
    pub fn any(&mut self) -> u64 {
        // splitmix64
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }
    /// A number below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        (self.any() % n.max(1) as u64) as usize
    }
    /// Yes in one of `n` cases.
    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }
}

/// How large the programs are.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// At most this many globals.
    pub globals: usize,
    /// At most this many procedures, at least one.
    pub procs: usize,
    /// At most this many parameters, and as many other locals.
    pub locals: usize,
    /// At most this many results.
    pub results: usize,
    /// About this many statements a procedure.
    pub stmts: usize,
    /// Whether procedures may call themselves, directly or not.
    pub recursive: bool,
}

impl Default for Shape {
    fn default() -> Shape {
        Shape {
            globals: 2,
            procs: 3,
            locals: 2,
            results: 2,
            stmts: 7,
            recursive: true,
        }
    }
}

/// The program that belongs to `seed`; its first procedure is `main` and has no parameters.
pub fn random_program(seed: u64, shape: Shape) -> Program {
    let mut random = Random::new(seed);
    let mut program = Program::default();
    for n in 0..random.below(shape.globals + 1) {
        program.globals.push(format!("g{n}"));
    }
    let procs = 1 + random.below(shape.procs);
    let signatures: Vec<(usize, usize)> = (0..procs)
        .map(|n| match n {
            0 => (0, random.below(shape.results + 1)),
            _ => (
                random.below(shape.locals + 1),
                random.below(shape.results + 1),
            ),
        })
        .collect();
    for (n, &(params, results)) in signatures.iter().enumerate() {
        let name = if n == 0 {
            "main".into()
        } else {
            format!("p{n}")
        };
        let mut maker = Maker {
            random: &mut random,
            builder: Builder::new(&name, results),
            globals: program.globals.len(),
            signatures: &signatures,
            first_callee: if shape.recursive { 0 } else { n + 1 },
            labels: 0,
        };
        maker.proc(params, results, shape);
        program.procs.push(maker.builder.finish());
    }
    program
}

struct Maker<'a> {
    random: &'a mut Random,
    builder: Builder,
    globals: usize,
    signatures: &'a [(usize, usize)],
    first_callee: usize,
    labels: usize,
}

impl Maker<'_> {
    fn proc(&mut self, params: usize, results: usize, shape: Shape) {
        for n in 0..params {
            self.builder.param(&format!("a{n}"));
        }
        for n in 0..self.random.below(shape.locals + 1) {
            // Some names need braces, with blanks and braces inside.
            let name = match n % 3 {
                0 => format!("x{n}"),
                1 => format!("*x == {{{n}}}"),
                _ => format!("x->f > '{n}'"),
            };
            self.builder.local(&name);
        }
        if self.random.one_in(5) {
            let condition = self.deterministic(2);
            self.builder.enforce(condition);
        }
        self.labels = self.random.below(3);
        let mut placed = 0;
        let stmts = 1 + self.random.below(shape.stmts);
        for _ in 0..stmts {
            if placed < self.labels && self.random.one_in(2) {
                self.builder.label(&format!("L{placed}"));
                placed += 1;
            }
            self.stmt(2);
        }
        // A `goto` may have named a label that has no place yet.
        for n in placed..self.labels {
            self.builder.label(&format!("L{n}"));
            self.builder.skip();
        }
        if results > 0 || self.random.one_in(2) {
            let values = (0..results).map(|_| self.expr(2)).collect();
            self.builder.ret(values);
        }
    }
    fn vars(&self) -> Vec<Var> {
        let globals = (0..self.globals as u32).map(|n| Var::Global(GlobalId(n)));
        globals
            .chain(self.builder.proc().locals.ids().map(Var::Local))
            .collect()
    }
    fn var(&mut self) -> Option<Var> {
        let vars = self.vars();
        (!vars.is_empty()).then(|| vars[self.random.below(vars.len())])
    }
    /// Up to `n` different variables.
    fn several(&mut self, n: usize) -> Vec<Var> {
        let mut list = Vec::new();
        for _ in 0..n {
            if let Some(var) = self.var().filter(|v| !list.contains(v)) {
                list.push(var);
            }
        }
        list
    }
    fn deterministic(&mut self, depth: usize) -> Expr {
        loop {
            let expr = self.expr(depth);
            if expr.is_deterministic() {
                return expr;
            }
        }
    }
    fn expr(&mut self, depth: usize) -> Expr {
        let leaf = depth == 0 || self.random.one_in(3);
        if leaf {
            return match (self.random.below(8), self.var()) {
                (0, _) => Expr::Unknown,
                (1, _) | (_, None) => Expr::Const(self.random.one_in(2)),
                (_, Some(var)) => Expr::Var(var),
            };
        }
        let (a, b) = (self.expr(depth - 1), self.expr(depth - 1));
        match self.random.below(8) {
            0 => Expr::Not(Box::new(a)),
            1 | 2 => Expr::And(vec![a, b]),
            3 => Expr::Or(vec![a, b]),
            4 => Expr::implies(a, b),
            5 => Expr::equal(a, b),
            6 => Expr::differ(a, b),
            _ => Expr::choose(a, b),
        }
    }
    fn stmt(&mut self, depth: usize) {
        let compound = depth > 0 && self.random.one_in(4);
        let id = if compound {
            let condition = self.expr(1);
            if self.random.one_in(3) {
                let id = self.builder.begin_while(condition);
                self.stmt(depth - 1);
                self.builder.end();
                id
            } else {
                let id = self.builder.begin_if(condition);
                self.stmt(depth - 1);
                if self.random.one_in(2) {
                    self.builder.begin_else();
                    self.stmt(depth - 1);
                }
                self.builder.end();
                id
            }
        } else {
            let kind = self.simple();
            self.builder.stmt(kind)
        };
        if self.random.one_in(4) {
            let line = (!self.random.one_in(3)).then(|| self.random.below(99) as u32);
            let texts = ["x = y; // why", "12: x", "?: y", "while (x) {", "a.c:7: z"];
            let text = texts[self.random.below(texts.len())];
            self.builder.source(id, Source::new(text, line));
        }
    }
    fn simple(&mut self) -> StmtKind {
        match self.random.below(12) {
            0 => StmtKind::Skip,
            1 | 2 => StmtKind::Assume(self.expr(2)),
            3 => StmtKind::Assert(self.expr(2)),
            4..=6 if self.first_callee < self.signatures.len() => self.call(),
            7 if self.labels > 0 => {
                let n = 1 + self.random.below(2);
                let labels = (0..n).map(|_| format!("L{}", self.random.below(self.labels)));
                let labels: Vec<String> = labels.collect();
                StmtKind::Goto(labels.iter().map(|l| self.builder.label_id(l)).collect())
            }
            8 if self.random.one_in(3) => {
                let results = self.builder.proc().results;
                StmtKind::Return((0..results).map(|_| self.expr(1)).collect())
            }
            _ => self.assign(),
        }
    }
    fn call(&mut self) -> StmtKind {
        let callees = self.signatures.len() - self.first_callee;
        let callee = self.first_callee + self.random.below(callees);
        let (params, results) = self.signatures[callee];
        let args = (0..params).map(|_| self.expr(1)).collect();
        let mut targets: Vec<Option<Var>> = Vec::new();
        if !self.random.one_in(4) {
            for _ in 0..results {
                let var = self.var().filter(|v| !targets.contains(&Some(*v)));
                targets.push(var);
            }
        }
        StmtKind::Call {
            results: targets,
            callee: ProcId(callee as u32),
            args,
        }
    }
    fn assign(&mut self) -> StmtKind {
        let wanted = 1 + self.random.below(3);
        let targets = self.several(wanted);
        if targets.is_empty() {
            return StmtKind::Skip;
        }
        let values = targets.iter().map(|_| self.expr(2)).collect();
        let constrain = self.random.one_in(6).then(|| {
            let primed = Expr::Next(targets[self.random.below(targets.len())]);
            let other = self.expr(1);
            match self.random.below(3) {
                0 => Expr::equal(primed, other),
                1 => Expr::Or(vec![primed, other]),
                _ => Expr::differ(primed, Expr::Next(targets[0])),
            }
        });
        StmtKind::Assign {
            targets,
            values,
            constrain,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{parse, verify};
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(512))]
        #[test]
        fn printing_and_reading_are_inverse(seed: u64) {
            let shape = Shape { globals: 4, procs: 4, locals: 4, stmts: 12, ..Shape::default() };
            let program = random_program(seed, shape);
            prop_assert_eq!(verify(&program), vec![]);
            let text = program.to_string();
            let mut messages = cwolf_base::Diagnostics::default();
            let read = parse(&text, 0, &mut messages);
            prop_assert_eq!(read.as_ref(), Some(&program), "{}\n{:?}", text, messages);
        }

        #[test]
        fn damaged_texts_do_not_panic(seed: u64, at: usize, with in "[{}();:=,'*!a-z \n]{0,4}") {
            let mut text = random_program(seed, Shape::default()).to_string();
            let at = at % text.len();
            text.replace_range(at..at + 1, &with);
            let mut messages = cwolf_base::Diagnostics::default();
            let program = parse(&text, 0, &mut messages);
            prop_assert_eq!(program.is_none(), messages.has_errors());
        }
    }
}
