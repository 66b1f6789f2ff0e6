//! From an answer to a report.

use crate::assumed::assumed as assumed_of_unknown;
use crate::concrete::{End, Run};
use crate::names::{place_of, shown_function, verdict_name};
use crate::portfolio::{Answer, Decision, task};
use crate::sites::{Site, sites};
use crate::statuses::Rest;
use cwolf_base::Budget;
use cwolf_cwi::value::{Value, float};
use cwolf_cwi::{BlockId, CheckId, FuncId, Program, Type, TypeId};
use cwolf_engines::numeric;
use cwolf_prepare::Subject;
use cwolf_prepare::property::Kind;
use cwolf_report::{
    Assumption, Invariant, Place, Property, Report, Returned, Status, Told, Trace, Verdict,
};
use rustc_hash::FxHashSet;

/// What is taken for granted, as the report has it.
fn assumed(program: &Program, assumption: &cwolf_prepare::Assumption) -> Assumption {
    Assumption {
        text: assumption.text.clone(),
        place: assumption.place.map(|loc| place_of(program, loc)),
    }
}

/// The report of `answer`; the caller adds what it alone knows (inputs, sources, the time).
pub fn summarise(subject: &Subject, answer: &Answer) -> Report {
    let program = &subject.program;
    let sites = sites(subject);
    let mut report = Report {
        entry: subject.entry_name.clone(),
        data_model: program.target().data_model().into(),
        specification: subject.selection.specification.clone(),
        properties: sites.iter().map(|s| s.property.clone()).collect(),
        assumptions: subject
            .assumptions
            .iter()
            .map(|a| assumed(program, a))
            .collect(),
        engine: answer.engine.into(),
        discharged: discharged(subject, &sites),
        ..Report::default()
    };
    let assumed = answer.assumptions.iter();
    report.assumptions.extend(assumed.map(|text| Assumption {
        text: text.clone(),
        place: None,
    }));
    let mut known = Vec::new();
    report.assumptions.retain(|a| {
        let new = !known.contains(a);
        known.push(a.clone());
        new
    });
    settle(answer, &sites, &mut report);
    match &answer.decision {
        Decision::Safe { invariants } => {
            report.verdict = Verdict::True;
            report.invariants = invariants
                .iter()
                .filter_map(|i| invariant(program, i))
                .collect();
        }
        Decision::Unsafe(run) => {
            // The first failure is the verdict.
            match failed(subject, run, &sites, &mut report) {
                Some((name, trace)) => {
                    report.verdict = Verdict::False(name);
                    report.trace = Some(trace);
                }
                None => report.verdict = Verdict::Unknown("the failing run is not there".into()),
            }
            for run in &answer.statuses.further {
                failed(subject, run, &sites, &mut report);
            }
        }
        Decision::Unknown(reason) => {
            report.verdict = Verdict::Unknown(reason.text.clone());
            report.advice = reason.advice.clone();
            report.said = reason.said.clone();
        }
    }
    let contradictions = answer.statuses.contradictions.iter();
    report.warnings.extend(contradictions.map(|loc| {
        let place = place_of(program, *loc);
        Assumption {
            text: format!(
                "nothing after line {} is ever run: the assumptions there contradict each other",
                place.line
            ),
            place: Some(place),
        }
    }));
    report.predicates = answer
        .predicates
        .iter()
        .filter_map(|p| invariant(program, p))
        .collect();
    for (engine, time) in &answer.spent {
        let seconds = (time.as_secs_f64() * 1000.0).round() / 1000.0;
        report
            .statistics
            .push((format!("time in {engine}"), seconds, "s".into()));
    }
    report
}

/// How many checks of numbers and indices ranges prove, of how many.
fn discharged(subject: &Subject, sites: &[Site]) -> Option<(usize, usize)> {
    let kinds = [
        Kind::Bounds,
        Kind::DivisionByZero,
        Kind::Overflow,
        Kind::Shift,
    ];
    let selected = kinds
        .into_iter()
        .filter(|kind| subject.selection.has(*kind));
    let selected: Vec<Kind> = selected.collect();
    if selected.is_empty() {
        return None;
    }
    let task = task(subject);
    let _ = numeric::analysis(&task, &Budget::unlimited());
    let proved = numeric::proved(&task);
    let checks = sites.iter().flat_map(|s| &s.checks);
    let of = |c: &&CheckId| selected.contains(&subject.program.checks[**c].kind);
    let checks: Vec<CheckId> = checks.filter(of).copied().collect();
    let count = checks.iter().filter(|c| proved.contains(c)).count();
    Some((count, checks.len())).filter(|(_, all)| *all > 0)
}

/// Where the head of a loop begins.
pub fn place_of_head(program: &Program, func: FuncId, head: BlockId) -> Option<Place> {
    let body = program.funcs[func].body.as_ref()?;
    let block = &body.blocks[head];
    let loc = block.stmts.first().map_or(block.loc, |s| s.loc);
    Some(place_of(program, loc))
}

fn invariant(program: &Program, found: &cwolf_engines::Invariant) -> Option<Invariant> {
    Some(Invariant {
        place: place_of_head(program, found.func, found.block)?,
        function: shown_function(program, found.func),
        condition: found.text.clone(),
        told: Told::default(),
    })
}

/// The status of each row, but for those that fail.
fn settle(answer: &Answer, sites: &[Site], report: &mut Report) {
    let known = &answer.statuses;
    let proved = match (&known.rest, &answer.decision) {
        (Rest::Holds, _) | (Rest::AsAnswered, Decision::Safe { .. }) => Ok(()),
        (Rest::Undecided(reason), _) => Err(reason.clone()),
        (Rest::AsAnswered, Decision::Unknown(reason)) => Err(reason.text.clone()),
        (Rest::AsAnswered, Decision::Unsafe(_)) => {
            Err("verification stopped at the first failure".to_owned())
        }
    };
    for (property, site) in report.properties.iter_mut().zip(sites) {
        let of = |set: &FxHashSet<CheckId>| site.checks.iter().any(|c| set.contains(c));
        let (status, reason) = match &proved {
            Err(reason) => (Status::Undecided, Some(reason.as_str())),
            Ok(()) if of(&known.fails_after) => (Status::AfterFailure, Some(FAILS_AFTER)),
            Ok(()) if of(&known.reached_after) => (Status::AfterFailure, Some(REACHED_AFTER)),
            Ok(()) if of(&known.unreachable) => (Status::Unreachable, None),
            Ok(()) => (Status::Holds, None),
        };
        property.status = status;
        property.reason = reason.map(str::to_owned);
    }
}

/// What is said of a check that only failing runs violate.
const FAILS_AFTER: &str = "fails only after an earlier failure";
/// What is said of a check that only failing runs reach.
const REACHED_AFTER: &str = "not reached without an earlier failure";

/// A failing run as it is reported.
pub fn trace_of(subject: &Subject, run: &Run) -> Option<Trace> {
    let End::Fails(failure) = &run.end else {
        return None;
    };
    let program = &subject.program;
    Some(Trace {
        steps: run.steps.clone(),
        omitted: run.omitted,
        message: failure.message.clone(),
        related: failure
            .related
            .iter()
            .chain(&assumed_of_unknown(subject, run))
            .map(|(loc, words)| (place_of(program, *loc), words.clone()))
            .collect(),
        choices: run
            .told()
            .iter()
            .map(|c| show(program, c.ty, c.value))
            .collect(),
        returned: returned(program, run),
        arguments: crate::harness::words(subject, run).map(|words| {
            let list = words.list.iter().map(|text| printable(text));
            (words.count, list.collect())
        }),
        repeat: None,
    })
}

/// The values that calls returned, where each is all that the call was given.
fn returned(program: &Program, run: &Run) -> Vec<Returned> {
    let mut found = Vec::new();
    // Else a call may have been given values for what it wrote.
    if run.effects.iter().any(|effect| !effect.written.is_empty()) {
        return found;
    }
    for choice in &run.choices {
        let (Some(from), Some((func, loc))) = (choice.from, choice.call) else {
            continue;
        };
        let alone = matches!(&program.types[program.funcs[from].ty], Type::Func(ty) if ty.params.is_empty());
        let value = show(program, choice.ty, choice.value);
        let plain = match choice.value {
            Value::Int(n) => !matches!(program.types[choice.ty], Type::Pointer(_)) || n == 0,
            Value::Float(_) => value.parse::<f64>().is_ok_and(f64::is_finite),
        };
        if alone && plain {
            found.push(Returned {
                place: place_of(program, loc),
                closes: false,
                function: shown_function(program, func),
                value,
            });
        }
    }
    found
}

/// Notes a failing run in the row of its property: what the verdict calls it, and the run.
fn failed(
    subject: &Subject,
    run: &Run,
    sites: &[Site],
    report: &mut Report,
) -> Option<(String, Trace)> {
    let End::Fails(failure) = &run.end else {
        return None;
    };
    let program = &subject.program;
    let name = verdict_name(subject, failure);
    let place = place_of(program, failure.user.1);
    let inner = place_of(program, failure.loc);
    let trace = trace_of(subject, run)?;
    // The row of the check; a failure inside a model of the library belongs to the call.
    let row = sites.iter().position(|s| {
        let check = failure.check.as_ref();
        check.is_some_and(|c| s.checks.contains(c))
    });
    let row = row.or_else(|| {
        report.properties.iter().position(|p| {
            p.kind == name
                && p.status != Status::Fails
                && [&place, &inner]
                    .iter()
                    .any(|q| (&q.file, q.line) == (&p.place.file, p.place.line))
        })
    });
    let row = row.unwrap_or_else(|| {
        report.properties.push(Property {
            kind: name.clone(),
            place,
            function: shown_function(program, failure.user.0),
            text: failure.message.clone(),
            status: Status::Fails,
            reason: None,
            trace: None,
        });
        report.properties.len() - 1
    });
    let property = &mut report.properties[row];
    property.status = Status::Fails;
    property.reason = None;
    property.trace = Some(trace.clone());
    Some((name, trace))
}

/// A text up to its end; bytes that cannot be printed as in C.
fn printable(text: &[u8]) -> String {
    let mut out = String::new();
    for byte in text.iter().take_while(|byte| **byte != 0) {
        match byte {
            b' '..=b'~' if !b"\"\\".contains(byte) => out.push(*byte as char),
            _ => out += &format!("\\{byte:03o}"),
        }
    }
    out
}

/// A value as a person reads it.
pub fn show(program: &Program, ty: TypeId, value: Value) -> String {
    match (&program.types[ty], value) {
        (Type::Float(f), Value::Float(bits)) => float::display(*f, bits),
        (Type::Pointer(_), Value::Int(v)) => format!("{v:#x}"),
        (_, Value::Int(v)) => v.to_string(),
        (_, Value::Float(bits)) => format!("{bits:#x}"),
    }
}
