//! What engines share: finding a failure in a region, room for deep terms.

use crate::task::{Choice, Failure, Invariant, Task, Verdict};
use cwolf_base::{Budget, Exhausted};
use cwolf_cwi::value::{self, Value};
use cwolf_cwi::{Type, Types};
use cwolf_encode::{Asked, Encoder, Region};
use cwolf_logic::{Answer, BitBlaster, Model, Solver, Terms};

/// Terms are walked by recursion in places. Only the pages that are touched take memory.
const STACK: usize = 256 << 20;

/// Runs `work` with room for deep recursion.
pub(crate) fn with_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let builder = std::thread::Builder::new()
            .name("engine".into())
            .stack_size(STACK);
        match builder.spawn_scoped(scope, work) {
            Ok(thread) => match thread.join() {
                Ok(result) => result,
                Err(panic) => std::panic::resume_unwind(panic),
            },
            Err(error) => panic!("no thread for an engine: {error}"),
        }
    })
}

/// The answer that no run fails, as far as the checks go.
pub(crate) fn safe(task: &Task<'_>, invariants: Vec<Invariant>) -> Verdict {
    match task.checks.uninitialised {
        true => Verdict::unknown("reads of memory that was never written are not checked"),
        false => Verdict::Safe { invariants },
    }
}

/// The obligations of a region that starts at the program's entry.
pub(crate) struct Failures<'a, 'p> {
    encoder: &'a mut Encoder<'p>,
    solver: &'a mut BitBlaster,
    region: &'a Region,
}

impl<'a, 'p> Failures<'a, 'p> {
    pub(crate) fn new(
        encoder: &'a mut Encoder<'p>,
        solver: &'a mut BitBlaster,
        region: &'a Region,
    ) -> Failures<'a, 'p> {
        Failures {
            encoder,
            solver,
            region,
        }
    }

    /// A run that fails, if there is one.
    pub(crate) fn find(&mut self, budget: &Budget) -> Result<Option<Failure>, Exhausted> {
        let obligations = &self.region.obligations;
        if obligations.is_empty() {
            return Ok(None);
        }
        let terms = &self.encoder.terms;
        // One question for all: is there a run on which one of them fails?
        let any = self.solver.fresh();
        let mut clause = vec![!any];
        for obligation in obligations {
            clause.push(self.solver.literal(terms, obligation.fails));
        }
        self.solver.clause(&clause);
        if self.solver.check(terms, &[any], budget)? != Answer::Sat {
            self.solver.clause(&[!any]);
            return Ok(None);
        }
        let model = self.solver.model(terms);
        let fails: Vec<_> = obligations.iter().map(|o| o.fails).collect();
        let values = model.all(terms, &fails);
        let first = values
            .iter()
            .position(|v| *v == 1)
            .expect("one of them fails");
        Ok(Some(failure(self.encoder, self.region, first, &model)))
    }
}

/// The failing run that a model describes.
pub(crate) fn failure(encoder: &Encoder<'_>, region: &Region, n: usize, model: &Model) -> Failure {
    let obligation = &region.obligations[n];
    let terms = &encoder.terms;
    let asked = &region.asked[..obligation.choices];
    let choices = choices(terms, &encoder.program().types, asked, model);
    let steps = &region.steps[..obligation.steps];
    let guards: Vec<_> = steps.iter().map(|s| s.0).collect();
    let taken = model.all(terms, &guards);
    let mut path: Vec<_> = steps
        .iter()
        .zip(taken)
        .filter(|(_, v)| *v == 1)
        .map(|(s, _)| s.1)
        .collect();
    path.push(obligation.loc);
    Failure {
        kind: obligation.kind,
        loc: obligation.loc,
        function: obligation.function,
        choices,
        path,
    }
}

/// The values that a run is given, in order.
pub(crate) fn choices(terms: &Terms, types: &Types, asked: &[Asked], model: &Model) -> Vec<Choice> {
    let roots: Vec<_> = asked.iter().flat_map(|a| [a.guard, a.term]).collect();
    let values = model.all(terms, &roots);
    let mut found = Vec::new();
    let mut outside = Vec::new();
    for (n, a) in asked.iter().enumerate() {
        if values[2 * n] == 0 {
            continue;
        }
        let bits = values[2 * n + 1];
        let value = match types[a.ty] {
            Type::Float(_) => Value::Float(bits),
            Type::Pointer(_) => Value::Int(pointer(bits, &mut outside)),
            _ => {
                let int = value::int_type(types, a.ty).expect("a scalar type");
                Value::Int(value::wrap(int, bits as i128))
            }
        };
        found.push(Choice { ty: a.ty, value });
    }
    found
}

/// A pointer that the interpreter is given: a number, or a place outside the program; equal
/// pointers stay equal.
fn pointer(bits: u128, outside: &mut Vec<u64>) -> i128 {
    let offset = bits as u64;
    if bits >> 64 == 0 {
        return offset.into();
    }
    let known = outside.iter().position(|o| *o == offset);
    let n = known.unwrap_or_else(|| {
        outside.push(offset);
        outside.len() - 1
    }) as u64;
    let places = cwolf_interp::OUTSIDE_SIZE / cwolf_interp::OUTSIDE_STEP;
    i128::from(cwolf_interp::OUTSIDE + n % places * cwolf_interp::OUTSIDE_STEP)
}
