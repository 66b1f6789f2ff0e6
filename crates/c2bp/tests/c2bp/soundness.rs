//! Section 4.6: every execution of the program is an execution of the boolean program, with the
//! predicates' real truth values; and the optimisations of section 5.2 change nothing.
//!
//! `CWOLF_CAMPAIGN=n` tries n times as many programs, `CWOLF_SEED=n` starts elsewhere.

use crate::generate::{Case, Shape, case};
use crate::simulate::{Simulator, variable};
use cwolf_base::Budget;
use cwolf_boolprog::Var;
use cwolf_boolprog::bebop::first_difference;
use cwolf_boolprog::cfg::Graph;
use cwolf_c2bp::{Abstraction, Arith, Optimisations, Options, Point, Predicate, abstract_program};
use cwolf_cfront::{Options as COptions, compile_text, read_predicates};
use cwolf_cwi::graph::Analysed;
use cwolf_cwi::value::{Value, is_true};
use cwolf_cwi::{Program, VarId};
use cwolf_interp::{At, Machine, Random, Tracer, View};
use std::cell::RefCell;
use std::rc::Rc;

fn campaign() -> u64 {
    let text = std::env::var("CWOLF_CAMPAIGN").unwrap_or_default();
    text.parse().unwrap_or(1)
}
#[allow(clippy::print_stderr, reason = "a campaign says how much it did")]
fn tell(text: &str) {
    eprintln!("{text}");
}
fn first_seed() -> u64 {
    let text = std::env::var("CWOLF_SEED").unwrap_or_default();
    text.parse().unwrap_or(0)
}

/// A program with predicates, compiled.
fn compile(case: &Case) -> (Analysed, Vec<Predicate>) {
    let compiled = compile_text("t.c", case.program.as_bytes(), &COptions::default());
    let mut program = compiled
        .program
        .unwrap_or_else(|| panic!("{:?}\n{}", compiled.diagnostics, case.program));
    let file = read_predicates(&mut program, "t.pred", case.predicates.as_bytes(), |_| {
        Vec::new()
    });
    assert!(
        !file.diagnostics.has_errors(),
        "{:?}\n{}",
        file.diagnostics,
        case.predicates
    );
    (program.into(), file.predicates)
}

/// A state of a run: where, and the truth of each predicate that has one.
struct Seen {
    at: At,
    truth: Vec<Option<bool>>,
}

struct Recorder<'p> {
    predicates: &'p [Predicate],
    seen: Rc<RefCell<Vec<Seen>>>,
}

impl Tracer for Recorder<'_> {
    fn step(&mut self, at: At, view: &View<'_, '_>) {
        let truth = self.predicates.iter().map(|p| {
            if p.scope.is_some_and(|f| f != at.func) {
                return None;
            }
            let value: Value = view.eval(&p.condition)?;
            Some(is_true(&view.program().types, p.condition.ty, value))
        });
        let truth = truth.collect();
        self.seen.borrow_mut().push(Seen { at, truth });
    }
}

/// Runs the program and follows it in its abstraction. The number of states compared.
fn follow(
    case: &Case,
    program: &Program,
    predicates: &[Predicate],
    made: &Abstraction,
    seed: u64,
) -> u64 {
    let seen = Rc::new(RefCell::new(Vec::new()));
    let recorder = Recorder {
        predicates,
        seen: seen.clone(),
    };
    let options = cwolf_interp::Options {
        oracle: Box::new(Random::new(seed)),
        budget: Budget::unlimited().max_steps(3000),
        tracer: Some(Box::new(recorder)),
        ..cwolf_interp::Options::default()
    };
    let _ = Machine::new(program, options).run("main");
    let graph = Graph::new(&made.program);
    let mapped = made.points.values().map(|(p, s)| (p.0, s.0)).collect();
    let simulator = Simulator {
        program: &made.program,
        graph: &graph,
        mapped,
    };
    let main = made.program.find_proc("main").expect("there is a main");
    let mut configs = simulator.start(main);
    let mut first = true;
    let mut compared = 0;
    for state in seen.borrow().iter().take(400) {
        let point = (state.at.func, state.at.block, state.at.index);
        let Some(&(proc, stmt)) = made.points.get(&point) else {
            continue;
        };
        let Some(reached) = simulator.advance(configs, (proc, stmt.0), first) else {
            return compared;
        };
        let mut values: Vec<(Var, bool)> = Vec::new();
        for (predicate, truth) in predicates.iter().zip(&state.truth) {
            let var = variable(&made.program, proc, &predicate.text);
            if let (Some(var), Some(truth)) = (var, truth)
                && predicate.scope.is_none_or(|f| f == state.at.func)
                && !values.iter().any(|(v, _)| *v == var)
            {
                values.push((var, *truth));
            }
        }
        let kept = simulator.observe(reached.clone(), &values);
        assert!(
            !kept.is_empty(),
            "not covered at {:?} ({}), {} ways there, values {:?}\n{}\n{}\n{}",
            state.at,
            made.program.stmt_text(proc, stmt),
            reached.len(),
            values,
            case.program,
            case.predicates,
            made.program
        );
        compared += 1;
        configs = kept;
        first = false;
    }
    compared
}

fn options(arith: Arith) -> Options {
    Options {
        arith,
        ..Options::default()
    }
}

fn sound(arith: Arith, programs: u64, salt: u64) {
    let mut compared = 0;
    let mut tried = 0;
    for n in 0..programs * campaign() {
        let seed = (first_seed() + n).wrapping_mul(0x9e37) ^ salt;
        let shape = Shape {
            linear: arith == Arith::Integers,
            functions: 1 + (n % 3) as usize,
            statements: 3 + (n % 4) as usize,
        };
        let case = case(seed, shape);
        let (program, predicates) = compile(&case);
        let mut options = options(arith);
        options.regions = n % 4 != 3;
        options.max_cube_length = [3, 2, 3, 1][(n % 4) as usize];
        options.optimisations.distribute_or = n % 5 == 0;
        let made = abstract_program(&program, &predicates, &options).expect("no limits");
        let wrong = cwolf_boolprog::verify(&made.program);
        assert!(wrong.is_empty(), "{wrong:?}\n{}", made.program);
        tried += 1;
        for run in 0..4 {
            compared += follow(&case, &program, &predicates, &made, seed ^ run);
        }
    }
    if campaign() > 1 {
        tell(&format!("{tried} programs, {compared} states compared"));
    }
    assert!(compared > programs * 20, "only {compared} states compared");
}

#[test]
fn every_execution_is_covered_in_bits() {
    sound(Arith::Bits, 16, 0x51);
}

#[test]
fn every_execution_is_covered_in_integers() {
    sound(Arith::Integers, 16, 0x1117);
}

/// Two abstractions of one program mean the same: in each procedure, whatever it starts from, the
/// same states come to every statement of the C program and to the return.
fn equivalent(a: &Abstraction, b: &Abstraction, what: &str, case: &Case) {
    let mut points: Vec<Point> = a.points.keys().copied().collect();
    points.sort_unstable();
    let place = |made: &Abstraction, point: &Point| {
        let (proc, stmt) = made.points[point];
        (proc, Some(stmt))
    };
    let mut pairs: Vec<_> = points.iter().map(|p| (place(a, p), place(b, p))).collect();
    pairs.extend(a.program.procs.ids().map(|p| ((p, None), (p, None))));
    let found = first_difference(&a.program, &b.program, &pairs).expect("small enough");
    assert!(
        found.is_none(),
        "without {what}, at {:?}\n{}\n{}\n{}\n{}",
        points.get(found.unwrap_or(usize::MAX)),
        case.program,
        case.predicates,
        a.program,
        b.program
    );
}

#[test]
fn optimisations_change_nothing() {
    let all = Optimisations::default();
    let without: [(&str, Optimisations); 8] = [
        (
            "primes",
            Optimisations {
                prime_implicants: false,
                ..all
            },
        ),
        (
            "contradictions",
            Optimisations {
                contradictions: false,
                ..all
            },
        ),
        (
            "unchanged",
            Optimisations {
                unchanged: false,
                ..all
            },
        ),
        (
            "cone",
            Optimisations {
                cone_of_influence: false,
                ..all
            },
        ),
        (
            "syntactic",
            Optimisations {
                syntactic: false,
                ..all
            },
        ),
        (
            "cache",
            Optimisations {
                cache: false,
                ..all
            },
        ),
        (
            "models",
            Optimisations {
                models: false,
                ..all
            },
        ),
        (
            "distribute and",
            Optimisations {
                distribute_and: false,
                ..all
            },
        ),
    ];
    for n in 0..6 * campaign() {
        let seed = (first_seed() + n).wrapping_mul(0x51f7) ^ 0x0b;
        let arith = [Arith::Bits, Arith::Integers][(n % 2) as usize];
        let shape = Shape {
            linear: arith == Arith::Integers,
            functions: 1 + (n % 2) as usize,
            statements: 3,
        };
        let case = case(seed, shape);
        let (program, mut predicates) = compile(&case);
        predicates.truncate(8);
        let mut options = options(arith);
        options.max_cube_length = 0;
        let full = abstract_program(&program, &predicates, &options).expect("no limits");
        for (name, optimisations) in without {
            options.optimisations = optimisations;
            let made = abstract_program(&program, &predicates, &options).expect("no limits");
            equivalent(&full, &made, name, &case);
        }
    }
}

#[test]
fn variables_of_the_test_exist() {
    // The generator's programs must really call, loop and branch, or nothing is tested.
    let shape = Shape {
        linear: false,
        functions: 2,
        statements: 6,
    };
    let text: String = (0..20).map(|n| case(n, shape).program).collect();
    for word in [
        "while (",
        "switch (",
        "hook(",
        "s->next = ",
        "if (",
        "fuel - 1; x = f0(",
    ] {
        assert!(text.contains(word), "no {word}");
    }
    let (program, _) = compile(&case(1, shape));
    assert!(program.vars.get(VarId(0)).is_some());
}
