//! Runs up to a number of rounds of each loop, all at once: is there one that fails?

use crate::run::{End, Given, Run, run};
use cwolf_base::{Budget, Exhausted};
use cwolf_cwi::graph::Analysed;
use cwolf_cwi::value::{self, Value};
use cwolf_cwi::{Type, Types};
use cwolf_encode::{Asked, Bounds, Checks, Encoder, Mode, Options, Region, Start, Why};
use cwolf_logic::{Answer, BitBlaster, Model, Solver, Term, Terms};
use cwolf_prepare::Subject;
use cwolf_prepare::property::Kind;

/// What came of a search.
pub(crate) enum Found {
    /// This run fails.
    Fails(Box<Run>),
    /// No run fails, however long.
    Nothing,
    /// Not known.
    Unknown(String),
}

/// Rounds of a loop whose condition is known at each.
const KNOWN_ROUNDS: u32 = 1_000_000;
/// Effort to see that a loop goes round no more.
const CONFLICTS: u32 = 2_000;
/// Terms that fit into memory beside the solver's copies of them.
pub(crate) const TERMS: usize = 8_000_000;

/// What the encoder is to take for an error.
pub(crate) fn checks(subject: &Subject) -> Checks {
    let has = |kind| subject.selection.has(kind);
    Checks {
        assertions: has(Kind::Assertion),
        bounds: has(Kind::Bounds),
        pointer: has(Kind::Pointer),
        division: has(Kind::DivisionByZero),
        overflow: has(Kind::Overflow),
        shift: has(Kind::Shift),
        leaks: has(Kind::Leak) || has(Kind::Cleanup),
        follow_undefined: subject.selection.follow_undefined,
        uninitialised: false,
    }
}

/// Looks for a run that fails, in `program`, which is the subject's with more code in it.
pub(crate) fn search(subject: &Subject, program: &Analysed, budget: &Budget) -> Found {
    match deepen(subject, program, budget) {
        Ok(found) => found,
        Err(why) => Found::Unknown(why.to_string()),
    }
}

fn deepen(subject: &Subject, program: &Analysed, budget: &Budget) -> Result<Found, Exhausted> {
    let options = Options {
        checks: checks(subject),
        error_functions: subject.error_functions.clone(),
        mode: Mode::Unroll,
        proved: Default::default(),
    };
    let mut encoder = Encoder::new(program, options);
    let mut solver = BitBlaster::within(budget);
    let mut doubt = None;
    let mut rounds = 1u32;
    loop {
        budget.tell(|| format!("unrolling {rounds} rounds of each loop"));
        let bounds = Bounds {
            rounds,
            known_rounds: KNOWN_ROUNDS,
            blocks: u64::MAX,
            terms: TERMS,
        };
        let mut feasible = |terms: &Terms, guard: Term| {
            let lit = solver.literal(terms, guard);
            let answer = solver.check_limited(terms, &[lit], Some(CONFLICTS), budget)?;
            Ok(answer != Answer::Unsat)
        };
        let region = encoder.region(Start::Entry(subject.entry), bounds, budget, &mut feasible)?;
        let mut roots: Vec<Term> = region.obligations.iter().map(|o| o.fails).collect();
        roots.extend(region.incomplete.iter().map(|i| i.0));
        let given = encoder.given(&roots);
        solver.assert(&encoder.terms, given);
        for n in 0..region.obligations.len() {
            let lit = solver.literal(&encoder.terms, region.obligations[n].fails);
            if solver.check(&encoder.terms, &[lit], budget)? != Answer::Sat {
                continue;
            }
            let model = solver.model(&encoder.terms);
            let values = choices(&encoder.terms, &program.types, &region, n, &model);
            let again = run(subject, program, Box::new(Given(values.into())), budget);
            match &again.end {
                End::Fails { .. } => return Ok(Found::Fails(Box::new(again))),
                // Another choice may do, of values that do not come from a choice of the program.
                _ => doubt = Some("a failure was found that the interpreter does not confirm"),
            }
        }
        if let Some(doubt) = doubt {
            return Ok(Found::Unknown(doubt.into()));
        }
        let mut open = false;
        for (guard, why) in &region.incomplete {
            let lit = solver.literal(&encoder.terms, *guard);
            if solver.check(&encoder.terms, &[lit], budget)? == Answer::Unsat {
                continue;
            }
            match why {
                Why::Unwinding | Why::Bounded => open = true,
                Why::Unsupported(text) => return Ok(Found::Unknown(text.clone())),
            }
        }
        if !open {
            return Ok(Found::Nothing);
        }
        rounds = rounds.saturating_mul(2);
    }
}

/// The values that a run is given, up to an obligation.
fn choices(terms: &Terms, types: &Types, region: &Region, n: usize, model: &Model) -> Vec<Value> {
    let asked = &region.asked[..region.obligations[n].choices];
    let roots: Vec<Term> = asked.iter().flat_map(|a| [a.guard, a.term]).collect();
    let values = model.all(terms, &roots);
    let mut found = Vec::new();
    for (a, pair) in asked.iter().zip(values.chunks(2)) {
        match a.elements {
            _ if pair[0] == 0 => {}
            None => found.push(value_of(types, a, pair[1])),
            Some(count) => {
                let all = (0..count).map(|i| model.element(a.term, i.into()));
                found.extend(all.map(|bits| value_of(types, a, bits)));
            }
        }
    }
    found
}

fn value_of(types: &Types, asked: &Asked, bits: u128) -> Value {
    match types[asked.ty] {
        Type::Float(_) => Value::Float(bits),
        // The object's number stands above the offset: 0 is no object, 1 is outside the program.
        Type::Pointer(_) => Value::Int(match (bits >> 64) as u64 {
            0 => (bits as u64).into(),
            1 => cwolf_interp::OUTSIDE.into(),
            _ => 0,
        }),
        _ => {
            let int = value::int_type(types, asked.ty).expect("a scalar type");
            Value::Int(value::wrap(int, bits as i128))
        }
    }
}
