//! Random claims about random programs, most of them wrong. The oracle is the same program with the claim
//! written into its text, run by the interpreter on all inputs.

use super::*;
use cwolf_interp::{List, Machine, Outcome};

/// splitmix64
struct Dice(u64);

impl Dice {
    fn next(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % below
    }
    fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.next(list.len() as u64) as usize]
    }
    fn number(&mut self) -> i64 {
        self.next(9) as i64 - 2
    }
}

/// Inputs are 0 to this; others are sent home.
const LARGEST: i128 = 5;

/// A program as lines: what stands before each line may be filled.
struct Program {
    step: i64,
    add: i64,
    limit: i64,
    back: i64,
    wrong: (&'static str, i64),
    kind: u64,
}

impl Program {
    fn new(dice: &mut Dice) -> Program {
        Program {
            step: 1 + dice.next(2) as i64,
            add: dice.number(),
            limit: 4 + dice.next(8) as i64,
            back: dice.next(6) as i64,
            wrong: (dice.pick(&["==", "<", ">"]), dice.number() * 3),
            kind: dice.next(3),
        }
    }

    /// The text; `head` is evaluated at the loop's head, `before(line)` stands before the statement in a line, and
    /// `failing` instead of the error. Lines are those of the plain text.
    fn text(&self, head: &str, before: &dyn Fn(u32) -> String, failing: &str) -> String {
        let Program {
            step,
            add,
            limit,
            back,
            wrong: (op, number),
            ..
        } = self;
        let (open, close) = match self.kind {
            0 => (format!("while ({head}i < n) {{"), "}".to_owned()),
            1 => (format!("for (; {head}i < n; ) {{"), "}".to_owned()),
            _ => ("do {".to_owned(), "} while (i < n);".to_owned()),
        };
        let inside = match self.kind {
            2 if !head.is_empty() => format!("{}; ", head.trim_end_matches(", ")),
            _ => String::new(),
        };
        let lines = [
            "int main(void) {".to_owned(),
            "  int n = __VERIFIER_nondet_int();".to_owned(),
            format!("  {}if (n < 0 || n > {LARGEST}) return 0;", before(4)),
            format!("  {}int i = 0, s = 0;", before(5)),
            format!("  {open}"),
            format!("    {inside}{}s = s + {add};", before(7)),
            format!("    {}if (s > {limit}) s = s - {back};", before(8)),
            format!("    {}i = i + {step};", before(9)),
            format!("  {close}"),
            format!("  {}if (s {op} {number})", before(11)),
            format!("    {failing};"),
            "  return 0;".to_owned(),
            "}".to_owned(),
        ];
        format!("{HEADER}{}\n", lines.join("\n"))
    }
}

/// The inputs for which a program calls `reach_error`.
fn failing_inputs(text: &str) -> Vec<i128> {
    let text = text.replace("void reach_error(void) {}", "void reach_error(void);");
    let compilation = compile_text("oracle.c", text.as_bytes(), &Options::default());
    let program = compilation
        .program
        .unwrap_or_else(|| panic!("no C: {text}"));
    let fails = |n: &i128| {
        let options = cwolf_interp::Options {
            oracle: Box::new(List::new([*n])),
            ..Default::default()
        };
        let outcome = Machine::new(&program, options).run("main");
        matches!(outcome, Outcome::Error(e) if e.kind == cwolf_interp::ErrorKind::ReachError)
    };
    (0..=LARGEST).filter(fails).collect()
}

fn condition(dice: &mut Dice, names: &[&str]) -> String {
    let (a, b) = (dice.pick(names), dice.pick(names));
    let op = dice.pick(&["<=", ">=", "==", "!=", "<", ">"]);
    match dice.next(4) {
        0 => format!("{a} {op} {}", dice.number()),
        1 => format!("{a} {op} {b}"),
        2 => format!("{a} {op} {} * {b} + {}", dice.number(), dice.number()),
        _ => format!("({a} {op} {} || {b} {op} {})", dice.number(), dice.number()),
    }
}

fn rounds() -> u64 {
    let given = std::env::var("CWOLF_MUTANTS").ok();
    given.and_then(|text| text.parse().ok()).unwrap_or(40)
}

#[test]
fn invariants() {
    let mut counts = [0; 3];
    for seed in 0..rounds() {
        let mut dice = Dice(seed);
        let program = Program::new(&mut dice);
        let nothing = |_| String::new();
        let text = program.text("", &nothing, "reach_error()");
        let count = dice.next(3);
        let claims: Vec<String> = (0..count)
            .map(|_| condition(&mut dice, &["i", "s", "n"]))
            .collect();
        let list = claims
            .iter()
            .map(|c| invariant(Where::LoopHead, 6, Some(3), c));
        let found = verdict(&text, Claim::Correct(list.collect()));
        let all = claims
            .iter()
            .map(|c| format!("({c})"))
            .collect::<Vec<_>>()
            .join(" && ");
        let head = match claims.is_empty() {
            true => String::new(),
            false => format!("({all} ? 0 : (reach_error(), 0)), "),
        };
        let wrong = failing_inputs(&program.text(&head, &nothing, "reach_error()"));
        let right = match wrong.is_empty() {
            true => Verdict::Confirmed,
            false => Verdict::Refused,
        };
        assert_eq!(
            found.verdict, right,
            "seed {seed}: {claims:?}\n{text}\n{found:?}"
        );
        counts[usize::from(right == Verdict::Refused)] += 1;
    }
    assert!(counts[0] > 0 && counts[1] > 0, "{counts:?}");
}

#[test]
fn waypoints() {
    let mut counts = [0; 2];
    for seed in 0..rounds() {
        let mut dice = Dice(seed ^ 0xfeed);
        let program = Program::new(&mut dice);
        let text = program.text("", &|_| String::new(), "reach_error()");
        let count = dice.next(3);
        let points: Vec<(u32, String)> = (0..count)
            .map(|_| {
                let line = dice.pick(&[4, 7, 8, 9, 11]);
                let names: &[&str] = if line == 4 { &["n"] } else { &["i", "s", "n"] };
                (line, condition(&mut dice, names))
            })
            .collect();
        let target = dice.pick(&[12, 12, 12, 11, 13]);
        let passed = points
            .iter()
            .map(|(line, c)| follow(*line, Passing::Assumption(c.clone())));
        let segments = passed.chain([follow(target, Passing::Target)]).collect();
        let found = verdict(&text, Claim::Violation(segments));
        let before = |line: u32| {
            let here = points.iter().enumerate().filter(|(_, (at, _))| *at == line);
            let code = here.map(|(k, (_, c))| format!("if (passed == {k} && ({c})) passed++; "));
            code.collect()
        };
        let failing = format!("if (passed == {count}) reach_error()");
        let oracle = program.text("", &before, &failing);
        let oracle = oracle.replacen("int main", "int passed; int main", 1);
        let inputs = failing_inputs(&oracle);
        let right = match inputs.is_empty() || target != 12 {
            true => Verdict::Refused,
            false => Verdict::Confirmed,
        };
        assert_eq!(
            found.verdict, right,
            "seed {seed}: {points:?} {target}\n{text}\n{found:?}"
        );
        counts[usize::from(right == Verdict::Refused)] += 1;
    }
    assert!(counts[0] > 0 && counts[1] > 0, "{counts:?}");
}
