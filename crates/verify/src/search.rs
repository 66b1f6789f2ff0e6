//! Concrete runs before any solver: all of them when a program asks for little (which decides
//! it), then some with likely values: zero, extremes, the program's own constants, chance.

mod exact;

use crate::concrete::{End, How, Run, Visits, Which, run, visiting};
use cwolf_base::{Budget, Exhausted};
use cwolf_cwi::value::{self, Value};
use cwolf_cwi::{Expr, ExprKind, Program, Type, TypeId, Types};
use cwolf_interp::{OUTSIDE, Oracle, Random};
use cwolf_prepare::Subject;
use cwolf_prepare::property::Kind;
use std::cell::RefCell;
use std::rc::Rc;

/// Statements of one run with guessed values, and of one run of a program that asks nothing.
const STEPS: u64 = 3_000_000;
/// Statements of one run when few are made, but long ones.
const LONG_STEPS: u64 = 300_000_000;
/// Runs with guessed values.
const GUESSES: u64 = 400;
/// So many runs that come nowhere new are enough.
const IN_VAIN: u64 = 50;
/// Runs when all are tried.
const ALL: u64 = 20_000;
/// Runs after which it is guessed how many there are.
const SOME: u64 = 200;

/// What came of a search.
#[derive(Debug)]
pub enum Searched {
    /// A run fails.
    Fails(Box<Run>),
    /// All runs were tried and none fails.
    Safe {
        /// How many there are.
        runs: u64,
    },
    /// No run that was tried fails.
    Nothing {
        /// How many were tried.
        runs: u64,
        /// Why not all were.
        reason: String,
        /// The seeds of those that were ended early, though all was chosen long before.
        long: Vec<u64>,
    },
}

fn nothing(runs: u64, reason: String) -> Searched {
    Searched::Nothing {
        runs,
        reason,
        long: Vec::new(),
    }
}

/// Whether no run asks for a value, so that there is only one.
pub fn asks_nothing(subject: &Subject) -> bool {
    let program = &subject.program;
    let reached = program.calls().reachable(&[subject.entry]);
    let mut bodies = reached
        .iter()
        .filter_map(|f| program.funcs[*f].body.as_ref());
    bodies.all(|body| {
        let mut asks = false;
        body.for_each_expr(&mut |e| {
            e.walk(&mut |e| asks |= matches!(e.kind, ExprKind::Choose));
        });
        !asks
    })
}

/// Tries all runs if there are few.
pub fn all_runs(subject: &Subject, budget: &Budget) -> Searched {
    if let Err(reason) = exact::can_be_exact(subject) {
        return nothing(0, reason);
    }
    let tree = Rc::new(RefCell::new(Tree::default()));
    let mut runs = 0;
    let mut total = 0;
    loop {
        let oracle = Walk { tree: tree.clone() };
        let how = How {
            oracle: Box::new(oracle),
            budget: budget.clone(),
            record: false,
            zero_memory: false,
            reads: None,
            length: None,
        };
        let one = run(subject, Which::Raw, how);
        runs += 1;
        total += one.statements;
        budget.tell(|| format!("search: {runs} runs"));
        let nothing = |reason: String| nothing(runs, reason);
        match &one.end {
            End::Fails(_) => return Searched::Fails(Box::new(one)),
            End::Exits | End::AssumeFails => {}
            End::Stops { exact: true, .. } => {}
            End::Stops { reason, .. } => return nothing(reason.clone()),
            End::Exhausted(why) => return nothing(why.to_string()),
        }
        let mut tree = tree.borrow_mut();
        if tree.wide {
            return nothing("a value has too many possibilities".into());
        }
        if !tree.advance() {
            return Searched::Safe { runs };
        }
        let hopeless = runs == SOME && runs as f64 / tree.tried() > 4.0 * ALL as f64;
        if runs >= ALL || hopeless || budget.check(total).is_err() {
            return nothing("there are too many runs".into());
        }
    }
}

/// The choices of the runs that were tried, as a path in the tree of all choices.
#[derive(Default)]
struct Tree {
    /// For each choice of the current run: which possibility, and of how many.
    path: Vec<(u32, u32)>,
    next: usize,
    /// A value was asked for that has too many possibilities.
    wide: bool,
}

impl Tree {
    /// The part of all choices that lies before the current run.
    fn tried(&self) -> f64 {
        let (mut part, mut width) = (0.0, 1.0);
        for (at, of) in &self.path {
            width /= f64::from(*of);
            part += f64::from(*at) * width;
        }
        part
    }
    /// Goes on to the next run; false if that was the last.
    fn advance(&mut self) -> bool {
        self.path.truncate(self.next);
        self.next = 0;
        while let Some((at, of)) = self.path.last_mut() {
            if *at + 1 < *of {
                *at += 1;
                return true;
            }
            self.path.pop();
        }
        false
    }
}

struct Walk {
    tree: Rc<RefCell<Tree>>,
}

impl Oracle for Walk {
    fn choose(&mut self, types: &Types, ty: TypeId) -> Value {
        let mut tree = self.tree.borrow_mut();
        let (low, count) = match (&types[ty], value::int_type(types, ty)) {
            (Type::Bool, _) => (0, 2),
            (Type::Pointer(_) | Type::Float(_), _) | (_, None) => (0, 0),
            (_, Some(int)) if int.bits <= 8 => (value::min(int), 1u32 << int.bits),
            _ => (0, 0),
        };
        if count == 0 {
            tree.wide = true;
            return match types[ty] {
                Type::Float(_) => Value::Float(0),
                _ => Value::Int(0),
            };
        }
        let depth = tree.next;
        tree.next += 1;
        if depth == tree.path.len() {
            tree.path.push((0, count));
        }
        Value::Int(low + i128::from(tree.path[depth].0))
    }
}

/// Tries some runs with likely values.
pub fn some_runs(subject: &Subject, budget: &Budget) -> Searched {
    runs_of(subject, 0..GUESSES, STEPS, budget)
}

/// Some of the same runs, for failures behind long loops: each may take a second or two.
pub fn long_runs(subject: &Subject, seeds: Vec<u64>, budget: &Budget) -> Searched {
    runs_of(subject, seeds, LONG_STEPS, budget)
}

fn runs_of(
    subject: &Subject,
    seeds: impl IntoIterator<Item = u64>,
    steps: u64,
    budget: &Budget,
) -> Searched {
    let constants = constants(&subject.program);
    let mut runs = 0;
    let mut reason = "no run that was tried fails".to_owned();
    let mut long = Vec::new();
    for seed in seeds {
        let how = guess(subject, &constants, seed, steps, budget);
        let one = run(subject, Which::Closed, how);
        runs += 1;
        budget.tell(|| format!("search: {runs} runs with likely values"));
        match one.end {
            End::Fails(_) => return Searched::Fails(Box::new(one)),
            End::Exhausted(why @ (Exhausted::Time | Exhausted::Memory | Exhausted::Cancelled)) => {
                reason = why.to_string();
                break;
            }
            End::Exhausted(why) => {
                reason = why.to_string();
                long.extend((one.chosen < steps / 2).then_some(seed));
            }
            _ => {}
        }
        // A program that asks for nothing has only one run.
        if one.choices.is_empty() {
            break;
        }
    }
    Searched::Nothing { runs, reason, long }
}

/// The steps that runs with likely values make, until `enough` says so or the time is over.
pub fn cover(subject: &Subject, budget: &Budget, enough: impl Fn(&Visits) -> bool) -> Visits {
    let visits = Visits::default();
    let constants = constants(&subject.program);
    let (mut known, mut last) = (0, 0);
    for seed in 0..GUESSES {
        let how = guess(subject, &constants, seed, STEPS, budget);
        let one = visiting(subject, Which::Closed, how, Some(visits.clone()));
        let count = visits.borrow().count;
        if count > known {
            (known, last) = (count, seed);
        }
        let ends = one.choices.is_empty() || budget.check_but_steps().is_err();
        if ends || seed - last > IN_VAIN || enough(&visits) {
            break;
        }
    }
    visits
}

/// A run with likely values.
fn guess<'c>(
    subject: &Subject,
    constants: &'c [i128],
    seed: u64,
    steps: u64,
    budget: &Budget,
) -> How<'c> {
    How {
        oracle: Box::new(Likely {
            random: Random::new(seed),
            constants,
            seed,
            asked: 0,
        }),
        budget: budget.clone().max_steps(steps),
        record: false,
        zero_memory: !subject.selection.has(Kind::Uninitialised),
        reads: None,
        length: None,
    }
}

/// Values that programs treat specially come often.
struct Likely<'c> {
    random: Random,
    constants: &'c [i128],
    seed: u64,
    asked: u64,
}

impl Likely<'_> {
    /// A number that fits into so many bits, of all sizes alike.
    fn of_any_size(&mut self, bits: u16) -> u64 {
        let fits = |n: u64| n.checked_shr(bits.into()).unwrap_or(0) == 0;
        loop {
            let n = self.random.of_any_size();
            if fits(n) {
                return n;
            }
        }
    }
}

impl Oracle for Likely<'_> {
    fn changes_memory(&self) -> bool {
        true
    }
    fn choose(&mut self, types: &Types, ty: TypeId) -> Value {
        self.asked += 1;
        let chance = self.random.choose(types, Types::INT);
        let by_chance = self.random.choose(types, ty);
        let (Value::Int(pick), Some(int)) = (chance, value::int_type(types, ty)) else {
            return by_chance;
        };
        if types.pointee(ty).is_some() {
            // Null, or memory outside the program.
            return match self.seed == 0 || pick & 1 == 0 {
                true => Value::Int(0),
                false => Value::Int(OUTSIDE.into()),
            };
        }
        let wanted = match self.seed {
            0 => 0,
            1 => 1,
            2 => value::max(int),
            3 => value::min(int),
            4 => self.asked.into(),
            // Times, sizes and counts are neither small nor any number that fits.
            seed if int.bits > 8 && seed % 3 == 0 => self.of_any_size(int.bits).into(),
            _ if self.constants.is_empty() || pick & 1 == 0 => return by_chance,
            _ => {
                let at = (pick >> 1).rem_euclid(self.constants.len() as i128);
                self.constants[at as usize]
            }
        };
        Value::Int(match types[ty] {
            Type::Bool => i128::from(wanted != 0),
            _ => value::wrap(int, wanted),
        })
    }
}

/// The numbers of the user's code, and their neighbours.
fn constants(program: &Program) -> Vec<i128> {
    let mut found = Vec::new();
    let mut note = |e: &Expr| {
        e.walk(&mut |e| {
            if let ExprKind::Binary(_, a, b) = &e.kind {
                for side in [a, b] {
                    let plain = match &side.kind {
                        ExprKind::Cast(inner) => inner,
                        _ => side,
                    };
                    found.extend(plain.as_int());
                }
            }
        });
    };
    for (id, function) in program.funcs.enumerate() {
        let Some(body) = &function.body else { continue };
        if crate::concrete::is_inner(program, id) {
            continue;
        }
        body.for_each_expr(&mut note);
        for block in body.blocks.iter() {
            if let cwolf_cwi::Branch::Switch { cases, .. } = &block.branch {
                found_cases(cases, &mut note);
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    found.truncate(500);
    let near = found.iter().flat_map(|c| [c - 1, *c, c + 1]);
    let mut near: Vec<i128> = near.collect();
    near.sort_unstable();
    near.dedup();
    near
}

fn found_cases(cases: &[cwolf_cwi::Case], note: &mut dyn FnMut(&Expr)) {
    for case in cases.iter().take(100) {
        let value = Expr::int(Types::INT, case.lo);
        note(&Expr::binary(cwolf_cwi::BinOp::Eq, value.clone(), value));
    }
}
