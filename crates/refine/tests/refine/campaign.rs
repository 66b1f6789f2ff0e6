//! Random programs: what is proved is never contradicted by a run, and what is shown is a run.

use crate::statements::{AROUND, DECLARATIONS, PLAIN};
use crate::{ask, formula, prepare, word};
use cwolf_base::Budget;
use cwolf_cwi::value::Value;
use cwolf_cwi::{Branch, Callee, FuncId};
use cwolf_interp::{At, Machine, Options, Random, Tracer, View};
use cwolf_refine::Answer;
use cwolf_workbench::decisive_prefix;
use std::cell::RefCell;
use std::rc::Rc;

struct Rng(u64);

impl Rng {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % n
    }
    fn pick<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.below(list.len() as u64) as usize]
    }
}

const FORMULAS: [&str; 9] = [
    "G not {bad}",
    "not {b} W {a}",
    "G ({a} -> G not {b})",
    "G ({a} -> (F {b} \\/ F {bad}))",
    "F {a}",
    "E F {bad}",
    "E ((not {a}) U {b})",
    "AG [bad]ff",
    "EF <b>tt",
];
const PLACES: [&str; 9] = [
    "g",
    "h",
    "x",
    "y",
    "s.k",
    "p->k",
    "p->f",
    "*q",
    "arr[x & 3]",
];

fn value(rng: &mut Rng) -> String {
    match rng.below(8) {
        0 => "in()".into(),
        1 => format!("{} + 1", rng.pick(&PLACES)),
        2 => format!("{} & 3", rng.pick(&PLACES)),
        3 => format!("f({})", rng.pick(&PLACES)),
        4 => rng.pick(&PLACES).into(),
        _ => rng.below(4).to_string(),
    }
}

fn test(rng: &mut Rng) -> String {
    let place = rng.pick(&PLACES);
    match rng.below(5) {
        0 => place.into(),
        1 => format!("{place} & {}", 1 << rng.below(3)),
        2 => format!("{place} == {}", rng.pick(&PLACES)),
        _ => format!(
            "{place} {} {}",
            rng.pick(&["==", "!=", "<", ">="]),
            rng.below(4)
        ),
    }
}

/// A statement around others, with labels and names of its own.
fn around(rng: &mut Rng, depth: u32) -> String {
    let own = rng.below(1 << 40).to_string();
    let pattern = rng.pick(&AROUND).replace('#', &own);
    let mut parts = pattern.split('@');
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        text += &block(rng, depth - 1);
        text += part;
    }
    text
}

fn statement(rng: &mut Rng, depth: u32) -> String {
    match rng.below(if depth == 0 { 9 } else { 14 }) {
        6..=8 => rng.pick(&PLAIN).into(),
        13 => around(rng, depth),
        0 => "a();\n".into(),
        1 => "b();\n".into(),
        2 => format!("if ({} && {}) bad();\n", test(rng), test(rng)),
        3..=5 => match rng.below(6) {
            0 => format!("q = {};\n", rng.pick(&["&g", "&h", "&s.k", "arr + 1"])),
            1 => format!("p = {};\n", rng.pick(&["&s", "&t"])),
            2 => format!("t = {};\n", rng.pick(&["s", "t"])),
            3 => format!("fp = {};\n", rng.pick(&["f", "k"])),
            _ => format!("{} = {};\n", rng.pick(&PLACES), value(rng)),
        },
        9 | 10 => format!(
            "if ({}) {{\n{}}} else {{\n{}}}\n",
            test(rng),
            block(rng, depth - 1),
            block(rng, depth - 1)
        ),
        11 => format!(
            "for (int i = 0; i < {}; i++) {{\n{}}}\n",
            rng.below(4),
            block(rng, depth - 1)
        ),
        _ => format!(
            "switch ({}) {{ case 0: {} break; case 1: x = fp(y); {} default: {} }}\n",
            rng.pick(&PLACES),
            block(rng, depth - 1),
            block(rng, depth - 1),
            block(rng, depth - 1)
        ),
    }
}

fn block(rng: &mut Rng, depth: u32) -> String {
    (0..1 + rng.below(3))
        .map(|_| statement(rng, depth))
        .collect()
}

fn program(rng: &mut Rng) -> String {
    let loops = rng.below(3) > 0;
    let body: String = (0..2 + rng.below(3)).map(|_| statement(rng, 2)).collect();
    let body = match loops {
        true => format!("while (in() != 7) {{\n{body}}}\n"),
        false => body,
    };
    format!(
        "extern int in(void); extern void a(void); extern void b(void); extern void bad(void);
struct s {{ int k; unsigned f : 2; }};
static int g, h = 1; static struct s s, t; static int arr[4]; static struct s *p = &s; static int *q = &g;
static int k(int n) {{ return n - 1; }}
static int f(int n) {{ if (n > 2) return 0; h = n; return n + 1; }}
static int (*fp)(int) = f;{DECLARATIONS}
int main(void) {{ int x = 0, y = 1;
{body}return x; }}\n"
    )
}

/// Notes the calls that are seen.
struct Seen {
    events: Rc<RefCell<Vec<String>>>,
}

impl Tracer for Seen {
    fn step(&mut self, at: At, view: &View<'_, '_>) {
        let program = view.program();
        let Some(body) = &program.funcs[at.func].body else {
            return;
        };
        let code = &body.blocks[at.block];
        if at.index < code.stmts.len() {
            return;
        }
        let Branch::Call { callee, .. } = &code.branch else {
            return;
        };
        let called = |f: FuncId| match callee {
            Callee::Direct(callee) => *callee == f,
            Callee::Indirect(e) => view.eval(e) == Some(Value::Int(view.function(f).into())),
        };
        for name in ["a", "b", "bad"] {
            if program.function(name).is_some_and(called) {
                self.events.borrow_mut().push(name.to_owned());
            }
        }
    }
}

#[test]
#[allow(clippy::print_stderr)]
fn answers_agree_with_runs() {
    let number = |name| std::env::var(name).ok().and_then(|n| n.parse::<u64>().ok());
    let seeds = match (number("CWOLF_SEED"), number("CWOLF_PROGRAMS")) {
        (Some(seed), count) => seed..seed + count.unwrap_or(1),
        (None, count) => 1..count.unwrap_or(40) + 1,
    };
    let mut answers = std::collections::BTreeMap::new();
    for seed in seeds {
        let mut rng = Rng(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        let text = program(&mut rng);
        let subjected = prepare(&text, "call(a) => a; call(b) => b; call(bad) => bad;");
        let runs: Vec<Vec<String>> = (0..25).map(|n| run(&subjected, seed * 100 + n)).collect();
        for asked in FORMULAS {
            let budget = Budget::unlimited().timeout(std::time::Duration::from_secs(4));
            let outcome = ask(&subjected, asked, 20_000, &budget);
            *answers.entry((asked, word(&outcome.answer))).or_insert(0) += 1;
            let (env, formula) = formula(asked);
            let replay = format!("CWOLF_SEED={seed}: {asked}\n{}\n{text}", outcome.map);
            match &outcome.answer {
                Answer::Proved => {
                    for run in &runs {
                        let found =
                            decisive_prefix(env.formulas(), formula, run, &Budget::unlimited());
                        assert_eq!(
                            found.expect("no limit"),
                            None,
                            "{run:?} contradicts {replay}"
                        );
                        let wrong = match asked {
                            "AG [bad]ff" => run.iter().any(|e| e == "bad"),
                            "EF <b>tt" => run.iter().any(|e| e == "b"),
                            _ => false,
                        };
                        assert!(!wrong, "{run:?} contradicts {replay}");
                    }
                }
                Answer::Shown(shown) => assert!(shown.confirmed.follows, "{replay}"),
                Answer::Reached(_) => unreachable!("formulas are shown"),
                Answer::Unknown(_) => {}
            }
        }
    }
    eprintln!("{answers:#?}");
}

/// What is seen of a random run.
fn run(subjected: &crate::Subjected, seed: u64) -> Vec<String> {
    let events = Rc::new(RefCell::new(Vec::new()));
    let program = &subjected.subject.program;
    let options = Options {
        oracle: Box::new(Random::new(seed)),
        budget: Budget::unlimited().max_steps(4_000),
        zero_memory: true,
        tracer: Some(Box::new(Seen {
            events: events.clone(),
        })),
        ..Options::default()
    };
    let mut machine = Machine::new(program, options);
    machine.run(&program.funcs[subjected.subject.entry].name);
    drop(machine);
    events.take()
}
