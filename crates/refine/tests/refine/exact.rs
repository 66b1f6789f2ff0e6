//! Small programs whose every run is known: each is C text and, made of the same instructions, a transition system. What is decided
//! without a map is compared with a model checker of CTL* on that system, which shares nothing with the workbench's.

use crate::{ask, formula, prepare, word};
use cwolf_base::Budget;
use cwolf_refine::Answer;
use cwolf_workbench::safety_automaton;
use std::collections::{BTreeMap, HashSet};
use std::fmt;
use std::time::Duration;

mod programs;
mod star;

/// Random numbers (xorshift).
struct Rng(u64);

impl Rng {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % n
    }
}

/// The actions; what is none of them is an internal step.
const ACTIONS: [&str; 3] = ["a", "b", "c"];

/// Programs with more states are not asked, nor formulas with more temporal operators.
const MOST_STATES: usize = 300;
const MOST_TEMPORAL: usize = 6;

/// A system of all runs of a program: the steps of each state, in which a number above those of [`ACTIONS`] is internal.
struct System {
    steps: Vec<Vec<(usize, usize)>>,
}

/// A formula of CTL* in negation normal form, with modalities.
enum Formula {
    Is(usize),
    IsNot(usize),
    And(Box<Formula>, Box<Formula>),
    Or(Box<Formula>, Box<Formula>),
    Finally(Box<Formula>),
    Globally(Box<Formula>),
    Until(Box<Formula>, Box<Formula>),
    Unless(Box<Formula>, Box<Formula>),
    /// A quantifier, for some run or for all.
    Runs(bool, Box<Formula>),
    /// After some step with an action, or after each.
    After(bool, usize, Box<Formula>),
}

impl Formula {
    /// How many temporal operators it has.
    fn temporal(&self) -> usize {
        use Formula::*;
        match self {
            Is(_) | IsNot(_) => 0,
            And(l, r) | Or(l, r) => l.temporal() + r.temporal(),
            Finally(f) | Globally(f) => 1 + f.temporal(),
            Until(l, r) | Unless(l, r) => 1 + l.temporal() + r.temporal(),
            Runs(_, f) | After(_, _, f) => f.temporal(),
        }
    }
}

impl fmt::Display for Formula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use Formula::*;
        match self {
            Is(a) => write!(f, "{{{}}}", ACTIONS[*a]),
            IsNot(a) => write!(f, "not {{{}}}", ACTIONS[*a]),
            And(l, r) => write!(f, "(({l}) /\\ ({r}))"),
            Or(l, r) => write!(f, "(({l}) \\/ ({r}))"),
            Finally(p) => write!(f, "F ({p})"),
            Globally(p) => write!(f, "G ({p})"),
            Until(l, r) => write!(f, "(({l}) U ({r}))"),
            Unless(l, r) => write!(f, "(({l}) W ({r}))"),
            Runs(some, p) => write!(f, "{} ({p})", if *some { "E" } else { "A" }),
            After(true, a, p) => write!(f, "<{}> ({p})", ACTIONS[*a]),
            After(false, a, p) => write!(f, "[{}] ({p})", ACTIONS[*a]),
        }
    }
}

/// Random formulas that ask for runs of one kind, and that no internal step more or less makes true or false: steps of a model are not
/// those of the system.
struct Formulas<'r> {
    rng: &'r mut Rng,
    some: bool,
}

impl Formulas<'_> {
    fn top(&mut self) -> Formula {
        Formula::Runs(self.some, Box::new(self.neutral(2)))
    }
    /// Before an internal step it is what it is after it.
    fn neutral(&mut self, depth: u32) -> Formula {
        use Formula::*;
        let choice = self.rng.below(if depth == 0 { 5 } else { 9 });
        let depth = depth.saturating_sub(1);
        match choice {
            0 => Finally(Box::new(self.occurs(depth))),
            1 => Globally(Box::new(self.avoids(depth))),
            2 => Until(Box::new(self.avoids(depth)), Box::new(self.occurs(depth))),
            3 | 4 => Unless(Box::new(self.avoids(depth)), Box::new(self.occurs(depth))),
            5 => And(Box::new(self.neutral(depth)), Box::new(self.neutral(depth))),
            6 => Or(Box::new(self.neutral(depth)), Box::new(self.neutral(depth))),
            7 => Runs(self.some, Box::new(self.neutral(depth))),
            _ => match self.rng.below(2) {
                0 => Globally(Box::new(self.neutral(depth))),
                _ => Finally(Box::new(self.neutral(depth))),
            },
        }
    }
    /// It is false before an internal step.
    fn occurs(&mut self, depth: u32) -> Formula {
        use Formula::*;
        let action = self.rng.below(3) as usize;
        match self.rng.below(if depth == 0 { 2 } else { 5 }) {
            2 => And(Box::new(Is(action)), Box::new(self.neutral(depth - 1))),
            3 => Or(Box::new(Is(action)), Box::new(self.occurs(depth - 1))),
            4 if self.some => After(true, action, Box::new(self.state(depth - 1))),
            _ => Is(action),
        }
    }
    /// It is true before an internal step.
    fn avoids(&mut self, depth: u32) -> Formula {
        use Formula::*;
        let action = self.rng.below(3) as usize;
        match self.rng.below(if depth == 0 { 2 } else { 6 }) {
            2 | 3 => Or(Box::new(IsNot(action)), Box::new(self.neutral(depth - 1))),
            4 => And(Box::new(IsNot(action)), Box::new(self.avoids(depth - 1))),
            5 if !self.some => After(false, action, Box::new(self.state(depth - 1))),
            _ => IsNot(action),
        }
    }
    /// A neutral formula about a state.
    fn state(&mut self, depth: u32) -> Formula {
        Formula::Runs(self.some, Box::new(self.neutral(depth)))
    }
}

/// Whether the automaton of what a formula forbids stops on some run; none if it has none.
fn automaton_stops(system: &System, text: &str) -> Option<bool> {
    let (mut env, asked) = formula(text);
    let path = env.about_runs(asked).unwrap_or(asked);
    let found = safety_automaton(env.formulas(), (asked, path), &Budget::unlimited());
    let automaton = found.expect("no limit")?;
    let mut seen = HashSet::from([(0, automaton.initial())]);
    let mut work = vec![(0, automaton.initial())];
    while let Some((state, at)) = work.pop() {
        for (action, to) in &system.steps[state] {
            let label = ACTIONS
                .get(*action)
                .and_then(|a| automaton.labels().lookup(a));
            let next = match label {
                Some(label) => match automaton.targets_by(at, label) {
                    [next] => *next,
                    _ => return Some(true),
                },
                None => at,
            };
            if seen.insert((*to, next)) {
                work.push((*to, next));
            }
        }
    }
    Some(false)
}

#[test]
#[allow(clippy::print_stderr)]
fn answers_are_those_of_all_runs() {
    let number = |name| std::env::var(name).ok().and_then(|n| n.parse::<u64>().ok());
    let seeds = match (number("CWOLF_SEED"), number("CWOLF_PROGRAMS")) {
        (Some(seed), count) => seed..seed + count.unwrap_or(1),
        (None, count) => 1..count.unwrap_or(25) + 1,
    };
    let mut answers = BTreeMap::new();
    let mut automata = 0;
    for seed in seeds {
        let mut rng = Rng(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        let (text, system) = loop {
            let program = programs::program(&mut rng);
            let system = program.system();
            if system.steps.len() <= MOST_STATES {
                break (program.text(), system);
            }
        };
        let subjected = prepare(&text, "call(a) => a; call(b) => b; call(c) => c;");
        for some in [false, false, false, true] {
            let formula = loop {
                let rng = &mut rng;
                let formula = Formulas { rng, some }.top();
                if formula.temporal() <= MOST_TEMPORAL {
                    break formula;
                }
            };
            let truth = star::holds(&system, &formula);
            if let Some(stops) = automaton_stops(&system, &formula.to_string()) {
                assert_eq!(stops, truth == some, "CWOLF_SEED={seed}: {formula}\n{text}");
                automata += 1;
            }
            let budget = Budget::unlimited().timeout(Duration::from_secs(4));
            let outcome = ask(&subjected, &formula.to_string(), 20_000, &budget);
            let answer = match outcome.answer {
                Answer::Proved => Some(!some),
                Answer::Shown(_) => Some(some),
                Answer::Reached(_) => unreachable!("formulas are shown"),
                Answer::Unknown(_) => None,
            };
            *answers
                .entry((some, truth, word(&outcome.answer)))
                .or_insert(0) += 1;
            if let Answer::Unknown(reason) = &outcome.answer
                && number("CWOLF_SEED").is_some()
            {
                eprintln!("{formula}, which is {truth}: {}\n{text}", reason.text);
            }
            assert!(
                answer.is_none_or(|answer| answer == truth),
                "CWOLF_SEED={seed}: {formula} is {truth}\n{}\n{text}",
                outcome.map
            );
        }
    }
    eprintln!("{answers:#?}, {automata} automata");
}
