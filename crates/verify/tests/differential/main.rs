//! Small random programs: whenever an engine answers, it agrees with running the program on all
//! inputs. `CWOLF_CASES` sets how many programs, `CWOLF_SEED` where they start.

mod ask;
mod elements;
mod memory;
mod programs;
mod shapes;
mod triggered;
mod verdicts;
mod writer;

use ask::engines;
use cwolf_base::Budget;
use cwolf_cfront::{Options, compile_text};
use cwolf_engines::Engine;
use cwolf_interp::List;
use cwolf_prepare::property::{Kind, Selection};
use cwolf_prepare::{Arguments, Extern, Prepare, Subject, prepare};
use cwolf_verify::Explore;
use cwolf_verify::concrete::{End, How, Which, run};
use cwolf_verify::portfolio::{Decision, Plan, Slot, verify};
use std::time::Duration;
use writer::{Writer, Written};

fn subject(written: &Written, selection: Selection) -> Subject {
    let compiled = compile_text("random.c", written.text.as_bytes(), &Options::default());
    let program = compiled
        .program
        .unwrap_or_else(|| panic!("{:?}\n{}", compiled.diagnostics, written.text));
    let how = Prepare {
        selection,
        rules: Vec::new(),
        entry: "main".into(),
        externs: Extern::Error,
        malloc_may_fail: false,
        arguments: Arguments::default(),
        language: Options::default(),
    };
    prepare(program, how).expect("a subject")
}

/// Whether some input makes the program fail; none if running does not tell.
fn exhaustive(subject: &Subject, wide: bool) -> Option<bool> {
    let inputs: Vec<Vec<i128>> = match wide {
        true => (0..256).map(|x| vec![x]).collect(),
        false => (0..256).map(|n| vec![n / 16, n % 16]).collect(),
    };
    let mut any = false;
    for values in inputs {
        let how = How {
            oracle: Box::new(List::new(values)),
            budget: Budget::unlimited().max_steps(1 << 18),
            record: false,
            zero_memory: false,
            reads: None,
            length: None,
        };
        match run(subject, Which::Raw, how).end {
            End::Fails(_) => any = true,
            End::Exits | End::AssumeFails => {}
            // What is undefined and not checked ends a run, except that engines go on after a read
            // of memory that was never written.
            End::Stops { reason, .. }
                if reason.contains("never written") || reason.contains("where objects lie") =>
            {
                return None;
            }
            End::Stops { .. } => {}
            End::Exhausted(_) => return None,
        }
    }
    Some(any)
}

fn selection(case: u64) -> Selection {
    match case % 4 {
        0 => Selection::of(&[Kind::Assertion, Kind::UnreachCall]),
        1 => Selection::of(&[
            Kind::Assertion,
            Kind::UnreachCall,
            Kind::Bounds,
            Kind::Pointer,
            Kind::DivisionByZero,
            Kind::Overflow,
            Kind::Shift,
        ]),
        _ => Selection::default(),
    }
}

fn number(name: &str, default: u64) -> u64 {
    let text = std::env::var(name).ok();
    text.and_then(|n| n.parse().ok()).unwrap_or(default)
}

#[derive(Default)]
struct Counts {
    programs: u64,
    failing: u64,
    right: u64,
    unknown: u64,
    unconfirmed: u64,
}

/// Asks every engine about one program; what is wrong, in words.
fn compare(case: u64, counts: &mut Counts) -> Vec<String> {
    let written = Writer::program(case);
    let subject = subject(&written, selection(case));
    let Some(expected) = exhaustive(&subject, written.wide) else {
        return Vec::new();
    };
    counts.programs += 1;
    counts.failing += u64::from(expected);
    let mut wrong = Vec::new();
    let explore: Box<dyn Engine> = Box::new(Explore::default());
    for engine in cwolf_engines::all().into_iter().chain([explore]) {
        let name = engine.name();
        if !engines().contains(&name) {
            continue;
        }
        let slot = Slot {
            engine,
            weight: 1.0,
            first: Duration::from_millis(50),
        };
        let plan = Plan {
            search: None,
            slots: vec![slot],
            jobs: 1,
        };
        let budget = Budget::unlimited().timeout(Duration::from_secs(number("CWOLF_SECONDS", 1)));
        let answer = verify(&subject, &plan, &budget);
        let mut blame = |what: &str| wrong.push(format!("{name} {what} program {case}"));
        match answer.decision {
            Decision::Safe { .. } if expected => blame("calls safe"),
            Decision::Unsafe(_) if !expected => blame("refutes"),
            Decision::Safe { .. } | Decision::Unsafe(_) => counts.right += 1,
            Decision::Unknown(_) => counts.unknown += 1,
        }
        if let Some(claim) = answer.unconfirmed.first() {
            counts.unconfirmed += 1;
            // An abstraction may invent failures; where nothing was abstracted from, not.
            if claim.doubt.is_none() {
                blame(&format!(
                    "invents a failure ({:?}, {}) in",
                    claim.failure.kind, claim.replay
                ));
            }
        }
    }
    if !wrong.is_empty() {
        wrong.push(written.text);
    }
    wrong
}

#[test]
#[allow(clippy::print_stderr, reason = "a campaign says how much it did")]
fn engines_agree_with_all_runs() {
    let (cases, seed) = (number("CWOLF_CASES", 12), number("CWOLF_SEED", 1));
    let mut counts = Counts::default();
    let mut wrong = Vec::new();
    for case in seed..seed + cases {
        wrong.extend(compare(case, &mut counts));
    }
    let told = format!(
        "{} programs, {} fail; {} answers right, {} unknown, {} failures not confirmed",
        counts.programs, counts.failing, counts.right, counts.unknown, counts.unconfirmed
    );
    assert!(wrong.is_empty(), "{}\n{told}", wrong.join("\n"));
    assert!(counts.right > 0, "no engine ever answers: {told}");
    eprintln!("{told}");
}
