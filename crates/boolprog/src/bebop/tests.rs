//! BEBOP against the paper, and against enumeration.

use super::*;
use crate::parser::tests::read;
use crate::testing::{Oracle, Shape, random_program, shortest};
use crate::trace::State;
use cwolf_base::Idx;

/// Figure 1(b) of the C2BP paper.
const PARTITION: &str = "
void partition() {
  bool {curr==NULL}, {prev==NULL};
  bool {curr->val>v}, {prev->val>v};
  {curr==NULL} = unknown();           // curr = *l;
  {curr->val>v} = unknown();
  {prev==NULL} = true;                // prev = NULL;
  {prev->val>v} = unknown();
  skip;                               // newl = NULL;
  while(*) {                          // while(curr!=NULL)
    assume(!{curr==NULL});            //
    skip;                             // nextCurr = curr->next
    if (*) {                          // if (curr->val > v) {
      assume({curr->val>v});          //
      if (*) {                        // if (prev != NULL) {
        assume(!{prev==NULL});        //
        skip;                         // prev->next = nextCurr;
      }                               //
      if (*) {                        // if (curr == *l) {
        skip;                         // *l = nextCurr;
      }                               //
      skip;                           // curr->next = newl;
L:    skip;                           // newl = curr
    } else {                          // } else {
      assume(!{curr->val>v});         //
      {prev==NULL} = {curr==NULL};    // prev = curr;
      {prev->val>v} = {curr->val>v};  //
    }                                 //
    {curr==NULL} = unknown();         // curr = nextCurr;
    {curr->val>v} = unknown();
  }
  assume({curr==NULL});
}";

fn explore<T: Send>(
    program: &Program,
    targets: Vec<Target>,
    ask: impl FnOnce(&Bebop<'_>) -> T + Send,
) -> T {
    let graph = Graph::new(program);
    run(program, &graph, &Options::new(ProcId(0), targets), ask)
}

/// The reachable states at label `L`, as text.
fn at_label(text: &str) -> String {
    let program = read(text);
    let (proc, stmt) = program.find_label("L")[0];
    explore(&program, Vec::new(), |bebop| {
        let formula = bebop.reachable(proc, Some(stmt)).expect("enough memory");
        formula.text(&program, proc)
    })
}

#[test]
fn figure_1_of_the_paper() {
    assert_eq!(
        at_label(PARTITION),
        "curr != NULL && curr->val > v && (prev->val <= v || prev == NULL)"
    );
    let program = read(PARTITION);
    let (proc, stmt) = program.find_label("L")[0];
    let var = |n| Expr::local(crate::LocalId(n));
    // Not both null, and the values differ unless `prev` is null: so they are no aliases.
    let no_alias = Expr::and([
        Expr::negate(var(0)),
        Expr::or([var(1), Expr::differ(var(2), var(3))]),
    ]);
    let [yes, no] = explore(&program, Vec::new(), |bebop| {
        assert!(bebop.is_complete());
        [no_alias, var(1)].map(|e| bebop.implies(proc, Some(stmt), &e).expect("enough memory"))
    });
    assert!(yes && !no);
    assert_eq!(read(&program.to_string()), program);
}

#[test]
fn formulas_are_small() {
    let check = |condition: &str, expected: &str| {
        let text = format!("void main() {{ bool a, b, c, d; assume({condition}); L: skip; }}");
        assert_eq!(at_label(&text), expected);
    };
    check("true", "true");
    check("false", "false");
    check("a && !b", "a && !b");
    check("a || !b", "!b || a");
    check("a && b || a && c", "a && (b || c)");
    check("a && b || a && c || a && d", "a && (b || c || d)");
    check("a && b || c && d", "(a && b) || (c && d)");
    check("(a || b) && (c || d)", "(a || b) && (c || d)");
    check("a == b", "(!a || b) && (!b || a)");
    check(
        "a && (b || c && d) && (d ==> c)",
        "a && (b || d) && (!d || c)",
    );
}

#[test]
fn recursion_needs_no_bound() {
    let text = "bool g;
        bool flip(bool x) { if (*) { return !x; } x = flip(x); x = flip(x); x = flip(x); return x; }
        void main() { bool y; y = true; y = flip(y); assert(!y); L: skip; }";
    let program = read(text);
    let main = program.find_proc("main").expect("it is there");
    let graph = Graph::new(&program);
    let targets = Target::asserts(&program);
    run(&program, &graph, &Options::new(main, targets), |bebop| {
        assert_eq!(*bebop.outcome(), Outcome::Unreachable);
        assert_eq!(
            bebop.implies(main, None, &Expr::negate(Expr::local(crate::LocalId(0)))),
            Ok(true)
        );
    });
}

#[test]
fn traces_keep_calls_apart() {
    let text = "bool lock;
        void acquire() { assert(!lock); lock = true; }
        void release() { assert(lock); lock = false; }
        void main() { lock = false; while (*) { acquire(); if (*) { release(); } } }";
    let program = read(text);
    let main = program.find_proc("main").expect("it is there");
    let graph = Graph::new(&program);
    let options = Options::new(main, Target::asserts(&program));
    let outcome = run(&program, &graph, &options, |b| b.outcome().clone());
    let Outcome::Reached(Target::Assert(proc, _), trace) = outcome else {
        panic!("{outcome:?}");
    };
    assert_eq!(program.procs[proc].name, "acquire");
    assert!(trace.shortest);
    trace
        .replay(&program, &graph, main)
        .expect("a real execution");
    let told: Vec<String> = trace
        .events()
        .map(|e| {
            let text = graph.procs[e.proc].stmt(e.step.node);
            let text = text.map_or("}".into(), |s| program.stmt_text(e.proc, s));
            format!("{}{}", "  ".repeat(e.depth), text)
        })
        .collect();
    let expected = [
        "lock = false;",
        "while (*) {",
        "acquire();",
        "  assert(!lock);",
        "  lock = true;",
        "  }",
        "if (*) {",
        "while (*) {",
        "acquire();",
        "  assert(!lock);",
    ];
    assert_eq!(told, expected);
    assert_eq!(trace.steps(), 9);
}

#[test]
fn exponential_executions_are_small() {
    // Each level runs the next one twice: 2^70 steps and more.
    let mut text = String::from("bool g; void l70() { g = !g; }\n");
    for n in (0..70).rev() {
        text += &format!("void l{n}() {{ l{0}(); l{0}(); }}\n", n + 1);
    }
    text += "void main() { g = true; l0(); g = !g; assert(g); }";
    let program = read(&text);
    let main = program.find_proc("main").expect("it is there");
    let graph = Graph::new(&program);
    let options = Options::new(main, Target::asserts(&program));
    let outcome = run(&program, &graph, &options, |b| b.outcome().clone());
    let Outcome::Reached(_, trace) = outcome else {
        panic!("{outcome:?}");
    };
    trace
        .replay(&program, &graph, main)
        .expect("a real execution");
    assert_eq!(trace.steps(), u64::MAX);
    assert!(!trace.shortest && trace.paths.len() < 200);
    assert_eq!(trace.events().take(100_000).count(), 100_000);
}

#[test]
fn running_out_is_a_value() {
    let mut text = String::from("void main() { bool x0");
    for n in 1..40 {
        text += &format!(", x{n}");
    }
    // A counter: 2^40 states one after the other.
    text += ";\n";
    for n in 0..40 {
        text += &format!("x{n} = false;\n");
    }
    let names: Vec<String> = (0..40).map(|n| format!("x{n}")).collect();
    text += &format!("while (true) {{ {}", names.join(", "));
    text += " = ";
    for n in 0..40 {
        let lower: Vec<String> = (0..n).map(|m| format!("x{m}")).collect();
        let carry = if n == 0 {
            "true".into()
        } else {
            lower.join(" && ")
        };
        text += &format!("{}x{n} != ({carry})", if n == 0 { "" } else { ", " });
    }
    text += "; } assert(false); }";
    let program = read(&text);
    let graph = Graph::new(&program);
    let mut options = Options::new(ProcId(0), Target::asserts(&program));
    options.budget = Budget::unlimited().max_steps(300);
    let outcome = run(&program, &graph, &options, |b| b.outcome().clone());
    assert_eq!(outcome, Outcome::Unknown(Unknown::Budget(Exhausted::Steps)));
    options.budget = Budget::unlimited();
    options.max_nodes = 3000;
    let (outcome, complete) = run(&program, &graph, &options, |b| {
        (b.outcome().clone(), b.is_complete())
    });
    assert_eq!(outcome, Outcome::Unknown(Unknown::Memory));
    assert!(!complete);
}

#[test]
fn thousands_of_variables_do_not_overflow_the_stack() {
    let names: Vec<String> = (0..1000).map(|n| format!("g{n}")).collect();
    let text = format!(
        "bool {0}; void f() {{ g7 = !g7; }}
         void main() {{ assume({1}); f(); f(); assert(g7); L: skip; }}",
        names.join(", "),
        names.join(" && ")
    );
    let program = read(&text);
    let graph = Graph::new(&program);
    let main = program.find_proc("main").expect("it is there");
    let (_, stmt) = program.find_label("L")[0];
    let options = Options::new(main, Target::asserts(&program));
    let size = run(&program, &graph, &options, |bebop| {
        assert_eq!(*bebop.outcome(), Outcome::Unreachable);
        bebop
            .reachable(main, Some(stmt))
            .expect("enough memory")
            .size()
    });
    assert_eq!(size, 1000);
}

#[test]
fn growing_gives_the_same_answer() {
    // Each y mixes x's from everywhere: no order of the variables keeps that small.
    let list = |name: &str| (0..16).map(|n| format!("{name}{n}")).collect::<Vec<_>>();
    let value = |i: usize| {
        let x = |a: usize, b: usize| format!("x{}", (a * i + b) % 16);
        format!(
            "({} && {}) != ({} || {})",
            x(3, 0),
            x(7, 1),
            x(11, 2),
            x(13, 5)
        )
    };
    let values: Vec<String> = (0..16).map(value).collect();
    let text = format!(
        "void main() {{ bool {}; bool {y}; {y} = {}; assert(y3 == ({})); L: skip; }}",
        list("x").join(", "),
        values.join(", "),
        values[3],
        y = list("y").join(", "),
    );
    let program = read(&text);
    let graph = Graph::new(&program);
    let options = Options::new(ProcId(0), Target::asserts(&program));
    let (outcome, restarts) = run(&program, &graph, &options, |bebop| {
        (bebop.outcome().clone(), bebop.stats().restarts)
    });
    assert_eq!(outcome, Outcome::Unreachable);
    assert!(restarts > 0);
}

/// The oracle's state as BEBOP writes it.
fn state(program: &Program, proc: ProcId, bits: u32) -> State {
    let globals = program.globals.len();
    let locals = program.procs[proc].locals.len();
    State {
        globals: (0..globals).map(|n| bits >> n & 1 == 1).collect(),
        locals: (globals..globals + locals)
            .map(|n| bits >> n & 1 == 1)
            .collect(),
    }
}

/// Every reachable state at every statement, and a trace to every statement and failing assertion.
fn agrees(seed: u64, shape: Shape, compared: &mut usize) {
    let program = random_program(seed, shape);
    let graph = Graph::new(&program);
    let main = ProcId(0);
    let oracle = Oracle::new(&program, &graph, main);
    let context = || format!("seed {seed}\n{program}");
    explore(&program, Vec::new(), |bebop| {
        assert!(bebop.is_complete(), "{}", context());
        for (proc, code) in program.procs.enumerate() {
            let bits = program.globals.len() + code.locals.len();
            let points = code.stmts.ids().map(Some).chain([None]);
            for at in points {
                let node = at.map_or(graph.procs[proc].end, |s| graph.procs[proc].node(s));
                let expected = oracle.states(proc, node);
                let formula = bebop.reachable(proc, at).expect("enough memory");
                let expr = formula.to_expr();
                for bits in 0..1u32 << bits {
                    let state = state(&program, proc, bits);
                    let found = bebop.contains(proc, at, &state);
                    let place = || format!("{at:?} of {}, {state:?}\n{}", code.name, context());
                    assert_eq!(found, expected.contains(&bits), "{}", place());
                    let says = crate::trace::may(&expr, true, &state);
                    assert_eq!(says, found, "formula {formula:?}, {}", place());
                }
            }
        }
    });
    for (proc, code) in program.procs.enumerate() {
        for (stmt, data) in code.stmts.enumerate() {
            let mut targets = vec![Target::Stmt(proc, stmt)];
            if matches!(data.kind, StmtKind::Assert(_)) {
                targets.push(Target::Assert(proc, stmt));
            }
            for target in targets {
                check_target(&program, &graph, &oracle, target, compared, &context);
            }
        }
    }
}

fn check_target(
    program: &Program,
    graph: &Graph,
    oracle: &Oracle,
    target: Target,
    compared: &mut usize,
    context: &dyn Fn() -> String,
) {
    let main = ProcId(0);
    let (proc, node) = place(target);
    let goal = |p: ProcId, n: NodeId, bits: u32| {
        let kind = &program.procs[proc].stmts[StmtId(node.0)].kind;
        (p, n) == (proc, node)
            && match (target, kind) {
                (Target::Assert(..), StmtKind::Assert(condition)) => {
                    crate::trace::may(condition, false, &state(program, proc, bits))
                }
                _ => true,
            }
    };
    let reachable = oracle
        .states(proc, node)
        .iter()
        .any(|&s| goal(proc, node, s));
    for short in [true, false] {
        let mut options = Options::new(main, vec![target]);
        options.shortest = short;
        let outcome = run(program, graph, &options, |b| b.outcome().clone());
        match outcome {
            Outcome::Unreachable => assert!(!reachable, "{target:?} {}", context()),
            Outcome::Unknown(reason) => panic!("{reason} {}", context()),
            Outcome::Reached(found, trace) => {
                assert!(reachable && found == target, "{target:?} {}", context());
                let played = trace.replay(program, graph, main);
                played.unwrap_or_else(|e| panic!("{e}: {trace:?}\n{target:?} {}", context()));
                let (last_proc, last) = trace.last();
                let mut bits = 0;
                let values = last.state.globals.iter().chain(&last.state.locals);
                for (n, _) in values.enumerate().filter(|(_, v)| **v) {
                    bits |= 1 << n;
                }
                assert!(goal(last_proc, last.node, bits), "{target:?} {}", context());
                assert_eq!(trace.shortest, short, "{}", context());
                if short && let Some(least) = shortest(program, graph, main, 3000, goal) {
                    assert_eq!(trace.steps(), least, "{target:?} {}", context());
                    *compared += 1;
                }
            }
        }
    }
}

fn seeds() -> (u64, u64) {
    // CWOLF_SEED=n replays one program.
    match std::env::var("CWOLF_SEED")
        .ok()
        .and_then(|s| s.parse().ok())
    {
        Some(seed) => (seed, seed + 1),
        None => (0, 1000),
    }
}

#[test]
fn agrees_with_enumeration_on_recursive_programs() {
    let (from, to) = seeds();
    let mut compared = 0;
    for seed in from..to {
        agrees(seed, Shape::default(), &mut compared);
    }
    assert!(
        to - from == 1 || compared > 2000,
        "{compared} lengths compared"
    );
}

#[test]
fn agrees_with_enumeration_on_wider_programs() {
    let shape = Shape {
        globals: 3,
        procs: 4,
        locals: 3,
        results: 3,
        stmts: 10,
        recursive: true,
    };
    let mut compared = 0;
    let (from, to) = seeds();
    for seed in from..to.min(from + 150) {
        agrees(seed ^ 0xABCD_0000, shape, &mut compared);
    }
    assert!(
        to - from == 1 || compared > 200,
        "{compared} lengths compared"
    );
}

#[test]
fn callees_come_before_callers() {
    let program = read("void a() { b(); } void b() { c(); } void c() { b(); } void d() { a(); }");
    let order = Graph::new(&program).call_order(&program);
    let at = |name: &str| order[program.find_proc(name).expect("it is there")];
    assert!(at("b").1 && at("c").1 && !at("a").1 && !at("d").1);
    assert!(at("b").0 < at("a").0 && at("c").0 < at("a").0 && at("a").0 < at("d").0);
    assert_eq!(order.ids().map(|id| id.index()).max(), Some(3));
}
