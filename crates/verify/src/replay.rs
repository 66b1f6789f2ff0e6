//! Nothing is reported that the interpreter does not confirm: a failure that an engine found is
//! run again with the values it chose.

use crate::concrete::{
    Effect, End, How, Lead, Length, Reads, Run, Visits, Which, address, is_own, run, visiting,
};
use cwolf_base::Budget;
use cwolf_cwi::value::Value;
use cwolf_cwi::{TypeId, Types};
use cwolf_engines::Failure;
use cwolf_interp::{Oracle, View, given};
use cwolf_prepare::Subject;
use cwolf_prepare::property::Kind;
use std::collections::VecDeque;

/// Hands out given values in order, then zeros.
struct Given {
    values: VecDeque<Value>,
    /// Whether the values are also for what unknown functions write.
    memory: bool,
    /// Whether that is also what they were given in earlier calls.
    kept: bool,
}

impl Oracle for Given {
    fn changes_memory(&self) -> bool {
        self.memory
    }
    fn changes_kept(&self) -> bool {
        self.kept
    }
    fn choose(&mut self, types: &Types, ty: TypeId) -> Value {
        given(types, ty, self.values.pop_front())
    }
}

/// Runs the program with these values, recording each step. It ends in [`End::Fails`] if the
/// failure is real. `memory` says whether the values come from a run in which functions without
/// a body changed memory; engines do not say what these wrote, so there they write nothing.
pub fn replay(
    subject: &Subject,
    which: Which,
    values: Vec<Value>,
    memory: bool,
    budget: &Budget,
) -> Run {
    let oracle = given_values(values, memory);
    replay_with(subject, which, oracle, None, budget)
}

/// Gives these values in order, then zeros. `memory` as in [`replay`].
pub fn given_values(values: Vec<Value>, memory: bool) -> Box<dyn Oracle> {
    Box::new(Given {
        values: values.into(),
        memory,
        kept: true,
    })
}

/// The same run once more, recorded; of a long one only its start and its end.
pub(crate) fn once_more(subject: &Subject, run: &Run, budget: &Budget) -> Run {
    let values = run.choices.iter().map(|c| c.value).collect();
    let oracle = given_values(values, true);
    replay_with(subject, run.which, oracle, Some(run.length()), budget)
}

fn replay_with(
    subject: &Subject,
    which: Which,
    oracle: Box<dyn Oracle + '_>,
    length: Option<Length>,
    budget: &Budget,
) -> Run {
    let zero_memory = !subject.selection.has(Kind::Uninitialised) && which == Which::Closed;
    let how = How {
        oracle,
        budget: budget.clone(),
        record: true,
        zero_memory,
        reads: None,
        length,
    };
    run(subject, which, how)
}

/// Makes a run again in a program that differs from its own in what fails, noting each step.
pub fn retrace(subject: &Subject, again: &Run, visits: &Visits, budget: &Budget) -> Run {
    let how = How {
        oracle: Box::new(Given {
            values: again.choices.iter().map(|c| c.value).collect(),
            memory: again.changes_memory,
            kept: true,
        }),
        budget: budget.clone(),
        record: false,
        zero_memory: !subject.selection.has(Kind::Uninitialised),
        reads: None,
        length: None,
    };
    visiting(subject, Which::Closed, how, Some(visits.clone()))
}

/// Gives the answers of an engine. Where one is the address of an object, it is the address that
/// the object has in this run.
struct Answers {
    answers: VecDeque<cwolf_engines::Choice>,
}

impl Oracle for Answers {
    fn choose(&mut self, types: &Types, ty: TypeId) -> Value {
        let value = self.answers.pop_front().map(|answer| answer.value);
        given(types, ty, value)
    }
    fn choose_at(&mut self, view: &View<'_, '_>, ty: TypeId) -> Value {
        let choice = self.answers.pop_front();
        let into = choice.and_then(|answer| answer.into);
        let there = into.and_then(|(site, offset)| address(view, site, offset));
        let value = there.or(choice.map(|answer| answer.value));
        given(&view.program().types, ty, value)
    }
}

/// Runs the failure that an engine found. Memory that nothing was written to holds zeros; if that
/// does not fail, then what the engine read there. Any contents are right: the program left them open.
pub fn confirm(subject: &Subject, failure: &Failure, budget: &Budget) -> Run {
    let answers = |addresses: bool| {
        let given = |c: &cwolf_engines::Choice| cwolf_engines::Choice {
            into: c.into.filter(|_| addresses),
            ..*c
        };
        let answers = failure.choices.iter().map(given).collect();
        Box::new(Answers { answers })
    };
    let mut plain = replay_with(subject, Which::Closed, answers(true), None, budget);
    // A number may look like an address and be none.
    let addresses = failure.choices.iter().any(|c| c.into.is_some());
    if addresses && !matches!(plain.end, End::Fails(_)) {
        plain = replay_with(subject, Which::Closed, answers(false), None, budget);
    }
    let open = !subject.selection.has(Kind::Uninitialised);
    if matches!(plain.end, End::Fails(_)) || failure.loads.is_empty() || !open {
        return plain;
    }
    for lead_outside in [Lead::Nowhere, Lead::Pointers, Lead::All] {
        let how = How {
            oracle: answers(true),
            budget: budget.clone(),
            record: true,
            zero_memory: false,
            reads: Some(Reads {
                values: failure.loads.clone(),
                lead_outside,
                settled: Vec::new(),
            }),
            length: None,
        };
        let guided = run(subject, Which::Closed, how);
        if let End::Fails(_) = guided.end {
            return guided;
        }
    }
    plain
}

/// The same failure with zero in uninitialised and volatile variables, if that fails too: easier to
/// understand, and a compiler's program can have it.
pub fn plainer(subject: &Subject, found: Run, budget: &Budget) -> Run {
    let End::Fails(failure) = &found.end else {
        return found;
    };
    let mut values = Vec::new();
    let mut changed = false;
    for choice in &found.choices {
        let zero = match choice.value {
            Value::Int(_) => Value::Int(0),
            Value::Float(_) => Value::Float(0),
        };
        let own = choice.from.is_some_and(|func| is_own(subject, func));
        values.push(if own { zero } else { choice.value });
        changed |= own && choice.value != zero;
    }
    if !changed || !found.settled.is_empty() {
        return found;
    }
    let again = replay(subject, found.which, values, found.changes_memory, budget);
    match &again.end {
        End::Fails(same) if (same.kind, same.loc) == (failure.kind, failure.loc) => again,
        _ => found,
    }
}

/// The same failure without changes by unknown functions to what only earlier calls were given, if that
/// fails too: then nothing rests on what they keep.
pub fn without_kept(subject: &Subject, found: Run, budget: &Budget) -> Run {
    let End::Fails(failure) = &found.end else {
        return found;
    };
    let kept = |effect: &Effect| effect.written.iter().any(|w| w.is_kept());
    if !found.effects.iter().any(kept) {
        return found;
    }
    let again = Again {
        which: found.which,
        oracle: Box::new(Given {
            values: found.choices.iter().map(|c| c.value).collect(),
            memory: found.changes_memory,
            kept: false,
        }),
        settled: found.settled.clone(),
    };
    let again = repeat(subject, again, budget);
    match &again.end {
        End::Fails(same) if (same.kind, same.loc) == (failure.kind, failure.loc) => again,
        _ => found,
    }
}

/// A run that was found, for somebody to repeat it.
pub struct Again<'o> {
    /// Which of the subject's programs was run.
    pub which: Which,
    /// Gives the values that were chosen.
    pub oracle: Box<dyn Oracle + 'o>,
    /// [`Run::settled`]
    pub settled: Vec<(u64, Vec<u8>)>,
}

/// Makes the same run again.
pub fn repeat(subject: &Subject, again: Again<'_>, budget: &Budget) -> Run {
    let open = !subject.selection.has(Kind::Uninitialised) && again.which == Which::Closed;
    let guided = !again.settled.is_empty();
    let how = How {
        oracle: again.oracle,
        budget: budget.clone(),
        record: true,
        zero_memory: open && !guided,
        reads: guided.then(|| Reads {
            values: Vec::new(),
            lead_outside: Lead::Nowhere,
            settled: again.settled,
        }),
        length: None,
    };
    run(subject, again.which, how)
}

/// Why a run that should fail does not, in words.
pub fn disagreement(end: &End) -> String {
    match end {
        End::Fails(_) => "it fails".into(),
        End::Exits => "the program ends normally".into(),
        End::AssumeFails => "an assumption does not hold".into(),
        End::Stops { reason, .. } => format!("the run stops: {reason}"),
        End::Exhausted(why) => why.to_string(),
    }
}
