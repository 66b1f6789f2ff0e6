//! The SMV text is read back by a small evaluator of SMV's rules and compared with enumeration;
//! the Promela text is held as it is.

use super::*;
use crate::cfg::{Graph, NodeId};
use crate::parser::tests::read;
use crate::testing::{Oracle, Shape, random_program};
use crate::{ProcId, Program, StmtId};
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;

/// A valuation: the program counter and numbers by name, booleans as 0 and 1.
type Values = Vec<u32>;

enum Node {
    Number(u32),
    Var(usize, bool),
    Not(Box<Node>),
    Two(&'static str, Box<Node>, Box<Node>),
}

struct Reader<'a> {
    tokens: Vec<&'a str>,
    at: usize,
    vars: &'a BTreeMap<String, usize>,
    places: &'a BTreeMap<String, u32>,
}

impl Reader<'_> {
    fn eat(&mut self, token: &str) -> bool {
        let found = self.tokens.get(self.at) == Some(&token);
        self.at += usize::from(found);
        found
    }
    /// Binary operators, weakest first.
    fn expr(&mut self, level: usize) -> Node {
        const LEVELS: [&str; 5] = ["<->", "->", "|", "&", "="];
        let Some(&op) = LEVELS.get(level) else {
            return self.unary();
        };
        let mut left = self.expr(level + 1);
        while self.eat(op) {
            let right = self.expr(level + usize::from(op != "->"));
            left = Node::Two(op, Box::new(left), Box::new(right));
        }
        left
    }
    fn unary(&mut self) -> Node {
        if self.eat("!") {
            return Node::Not(Box::new(self.unary()));
        }
        if self.eat("(") {
            let inner = self.expr(0);
            assert!(self.eat(")"), "{:?}", &self.tokens[self.at..]);
            return inner;
        }
        let next = self.eat("next");
        let paren = next && self.eat("(");
        let token = self.tokens[self.at];
        self.at += 1;
        assert!(!paren || self.eat(")"));
        match (token, self.vars.get(token), self.places.get(token)) {
            ("TRUE", ..) => Node::Number(1),
            ("FALSE", ..) => Node::Number(0),
            (_, Some(&var), _) => Node::Var(var, next),
            (_, _, Some(&place)) => Node::Number(place),
            _ => Node::Number(token.parse().expect("a number")),
        }
    }
}

fn eval(node: &Node, now: &Values, next: &Values) -> u32 {
    match node {
        Node::Number(n) => *n,
        Node::Var(v, false) => now[*v],
        Node::Var(v, true) => next[*v],
        Node::Not(a) => 1 - eval(a, now, next),
        Node::Two(op, a, b) => {
            let (a, b) = (eval(a, now, next), eval(b, now, next));
            u32::from(match *op {
                "=" | "<->" => a == b,
                "->" => a == 0 || b != 0,
                "|" => a + b > 0,
                _ => a > 0 && b > 0,
            })
        }
    }
}

fn tokens(text: &str) -> Vec<&str> {
    let mut list = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let word = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        let length = match word.unwrap_or(rest.len()) {
            0 if rest.starts_with("<->") => 3,
            0 if rest.starts_with("->") => 2,
            0 => 1,
            n => n,
        };
        list.push(&rest[..length]);
        rest = rest[length..].trim_start();
    }
    list
}

/// The names of the locations that the SMV program can reach.
fn reached(text: &str) -> FxHashSet<String> {
    let mut vars: BTreeMap<String, usize> = BTreeMap::new();
    let (mut places, mut sizes): (BTreeMap<String, u32>, Vec<u32>) = Default::default();
    let mut formulas: Vec<(&str, Node)> = Vec::new();
    for line in text.lines() {
        let line = line.split("--").next().expect("a part").trim();
        if let Some((name, kind)) = line.trim_end_matches(';').split_once(" : ") {
            vars.insert(name.into(), sizes.len());
            if kind == "boolean" {
                sizes.push(2);
            } else if let Some(last) = kind.strip_prefix("0..") {
                sizes.push(last.parse::<u32>().expect("a range") + 1);
            } else {
                let list = kind.trim_matches(['{', '}']).split(", ");
                places = list.zip(0..).map(|(p, n)| (p.to_owned(), n)).collect();
                sizes.push(places.len() as u32);
            }
        }
        for word in ["INIT", "TRANS", "INVAR"] {
            if let Some(rest) = line.strip_prefix(word) {
                let mut reader = Reader {
                    tokens: tokens(rest),
                    at: 0,
                    vars: &vars,
                    places: &places,
                };
                let node = reader.expr(0);
                assert_eq!(reader.at, reader.tokens.len(), "{line}");
                formulas.push((word, node));
            }
        }
    }
    let all = valuations(&sizes);
    let holds = |kind: &str, now: &Values, next: &Values| {
        let mut list = formulas.iter().filter(|f| f.0 == kind);
        list.all(|f| eval(&f.1, now, next) > 0)
    };
    let legal: Vec<&Values> = all.iter().filter(|v| holds("INVAR", v, v)).collect();
    let mut work: Vec<&Values> = legal
        .iter()
        .filter(|v| holds("INIT", v, v))
        .copied()
        .collect();
    let mut seen: FxHashSet<&Values> = work.iter().copied().collect();
    while let Some(now) = work.pop() {
        let mut total = false;
        for next in legal.iter().filter(|next| holds("TRANS", now, next)) {
            total = true;
            if seen.insert(next) {
                work.push(next);
            }
        }
        assert!(total, "the relation is total");
    }
    let found: FxHashSet<u32> = seen.iter().map(|v| v[0]).collect();
    places
        .into_iter()
        .filter(|(_, n)| found.contains(n))
        .map(|(p, _)| p)
        .collect()
}

fn valuations(sizes: &[u32]) -> Vec<Values> {
    let mut all = vec![Vec::new()];
    for &size in sizes {
        let extend = |v: Values| (0..size).map(move |n| [&v[..], &[n]].concat());
        all = all.into_iter().flat_map(extend).collect();
    }
    all
}

#[test]
fn smv_reaches_what_the_program_reaches() {
    let shape = Shape {
        globals: 1,
        procs: 3,
        locals: 1,
        results: 1,
        stmts: 4,
        recursive: false,
    };
    let mut compared = 0;
    for seed in 0..600 {
        let program = random_program(seed, shape);
        let graph = Graph::new(&program);
        let text = to_smv(&program, &graph, ProcId(0), &[]).expect("no recursion");
        if text.matches("boolean").count() > 4 || text.matches("0..").count() > 2 {
            continue;
        }
        let oracle = Oracle::new(&program, &graph, ProcId(0));
        let found = reached(&text);
        for (proc, code) in program.procs.enumerate() {
            for stmt in code.stmts.ids() {
                let name = format!("at_p_{}_{}", code.name, stmt.0);
                let expected = !oracle.states(proc, NodeId(stmt.0)).is_empty();
                assert_eq!(found.contains(&name), expected, "{name}\n{text}\n{program}");
                compared += 1;
            }
        }
        let failing = |p: ProcId, s: StmtId| {
            let crate::StmtKind::Assert(e) = &program.procs[p].stmts[s].kind else {
                return false;
            };
            let states = oracle.states(p, NodeId(s.0));
            states.iter().any(|&bits| fails(&program, e, bits))
        };
        let mut places = program.procs.enumerate();
        let fails = places.any(|(p, code)| code.stmts.ids().any(|s| failing(p, s)));
        assert_eq!(found.contains("failed"), fails, "{text}\n{program}");
    }
    assert!(compared > 500, "{compared}");
}

fn fails(program: &Program, expr: &crate::Expr, bits: u32) -> bool {
    let value = |v| {
        let place = match v {
            crate::Var::Global(g) => g.0,
            crate::Var::Local(l) => program.globals.len() as u32 + l.0,
        };
        bits >> place & 1 == 1
    };
    crate::rails::may_be(expr, false, value, |_| false)
}

#[test]
fn recursion_is_refused_by_smv() {
    let program = read("void f() { if (*) { f(); } } void main() { f(); } void g() { skip; }");
    let graph = Graph::new(&program);
    let error = to_smv(&program, &graph, ProcId(1), &[]);
    assert_eq!(error, Err(ExportError::Recursive("f".into())));
    assert!(to_smv(&program, &graph, ProcId(2), &[]).is_ok());
}

#[test]
fn nested_choices_do_not_explode() {
    let mut expr = "a".to_owned();
    for _ in 0..100 {
        expr = format!("choose(a, b) == ({expr})");
    }
    let program = read(&format!("bool a, b; void main() {{ a = {expr}; }}"));
    let graph = Graph::new(&program);
    assert_eq!(
        to_smv(&program, &graph, ProcId(0), &[]),
        Err(ExportError::TooLarge)
    );
    assert_eq!(
        to_promela(&program, &graph, ProcId(0), &[]),
        Err(ExportError::TooLarge)
    );
}

#[test]
fn smv_as_written() {
    let program = read("bool {x>0}; void main() { L: {x>0} = choose({x>0}, !{x>0}); goto L; }");
    let graph = Graph::new(&program);
    let text = to_smv(&program, &graph, ProcId(0), &[]).expect("no recursion");
    let expected = "\
-- Made from a boolean program.
MODULE main
VAR
  pc : {at_p_main_0, at_p_main_1, at_p_main_2, stuck, failed};
  g_x_0 : boolean; -- x>0
INIT pc = at_p_main_0
TRANS (pc = at_p_main_0) | next(g_x_0) = g_x_0
-- {x>0} = choose({x>0}, !{x>0});
TRANS pc = at_p_main_0 -> ((next(pc) = at_p_main_1 & \
((!next(g_x_0) | (g_x_0 | (!g_x_0 & g_x_0))) & (next(g_x_0) | !g_x_0))) | next(pc) = stuck)
-- goto L;
TRANS pc = at_p_main_1 -> ((next(pc) = at_p_main_0) | next(pc) = stuck)
-- }
TRANS pc = at_p_main_2 -> (next(pc) = stuck)
TRANS pc = stuck -> next(pc) = stuck
TRANS pc = failed -> next(pc) = failed
SPEC AG !(pc = failed)
";
    assert_eq!(text, expected);
}

#[test]
fn promela_as_written() {
    let program = read(
        "bool g; bool f(bool a) { if (a) { return *; } g = a; }
         void main() { bool x; enforce(g || x); x = f(!g); assume(x); assert(g); }",
    );
    let graph = Graph::new(&program);
    let text = to_promela(&program, &graph, ProcId(1), &[]).expect("small");
    let expected = "\
/* Made from a boolean program. */
bool g_g; /* g */
proctype p_f(chan ret; bool l_a) {
  bool t0;
  goto n0;
n0: /* if (a) { */
  if :: (l_a) -> goto n1 :: (!l_a) -> goto n2 :: else -> goto end_stuck fi;
n1: /* return unknown(); */
  if :: t0 = true :: t0 = false fi;
  ret!true, t0;
  goto done;
n2: /* g = a; */
  t0 = l_a;
  g_g = t0;
  goto n3;
n3: /* } */
  if :: t0 = true :: t0 = false fi;
  ret!true, t0;
  goto done;
end_stuck: (false);
done: skip
}
proctype p_main(chan ret) {
  bool l_x; /* x */
  bool t0;
  chan back1 = [0] of { bool, bool };
  if :: l_x = true :: l_x = false fi;
  goto n0;
n0: /* x = f(!g); */
  if :: ((g_g || l_x)) -> skip :: else -> goto end_stuck fi;
  t0 = !g_g;
  run p_f(back1, t0);
end_wait0: back1?_, t0;
  l_x = t0;
  goto n1;
n1: /* assume(x); */
  if :: ((g_g || l_x)) -> skip :: else -> goto end_stuck fi;
  if :: (l_x) -> goto n2 :: else -> goto end_stuck fi;
n2: /* assert(g); */
  if :: ((g_g || l_x)) -> skip :: else -> goto end_stuck fi;
  if :: (g_g) -> goto n3 :: (!g_g) -> assert(false) :: else -> goto end_stuck fi;
n3: /* } */
  if :: ((g_g || l_x)) -> skip :: else -> goto end_stuck fi;
  ret!true;
  goto done;
end_stuck: (false);
done: skip
}
init {
  chan back = [0] of { bool };
  if :: g_g = true :: g_g = false fi;
  run p_main(back);
end_wait: back?_
}
";
    assert_eq!(text, expected);
}
