//! Witnesses against programs: what is confirmed is true, and what is refused is not.

mod mutants;
mod places;

use cwolf_base::Budget;
use cwolf_cfront::{Options, Outline, compile_text};
use cwolf_prepare::property::{Kind, Selection};
use cwolf_prepare::{Arguments, Extern, Prepare, Subject, prepare};
use cwolf_validate::witness::{At, Claim, Invariant, Metadata, Passing, Segment, Waypoint, Where};
use cwolf_validate::{Source, Task, Validation, Verdict, validate, witness::Witness};
use std::time::Duration;

const HEADER: &str = "extern int __VERIFIER_nondet_int(void); void reach_error(void) {}\n";

fn subject(text: &str) -> Subject {
    let compilation = compile_text("test.c", text.as_bytes(), &Options::default());
    let program = compilation.program.expect("correct C");
    let how = Prepare {
        selection: Selection::of(&[Kind::UnreachCall]),
        rules: Vec::new(),
        entry: "main".into(),
        externs: Extern::Havoc,
        malloc_may_fail: false,
        arguments: Arguments::default(),
        language: Options::default(),
    };
    prepare(program, how).expect("a subject")
}

/// The verdict on a claim about C text.
fn verdict(text: &str, claim: Claim) -> Validation {
    let subject = subject(text);
    let look_up = |wanted: &[String]| {
        vec![cwolf_cfront::names(
            text.as_bytes(),
            &Options::default(),
            wanted,
        )]
    };
    let task = Task {
        subject: &subject,
        sources: vec![Source {
            name: "test.c".into(),
            outline: Outline::new(text.as_bytes()),
        }],
        hashes: Vec::new(),
        look_up: &look_up,
    };
    let witness = Witness {
        metadata: Metadata::default(),
        claim,
        unread: Vec::new(),
    };
    let budget = Budget::unlimited().timeout(Duration::from_secs(4));
    validate(&task, &witness, &budget)
}

fn at(line: u32, column: Option<u32>) -> At {
    At {
        file: "test.c".into(),
        line,
        column,
        function: None,
    }
}

fn invariant(place: Where, line: u32, column: Option<u32>, condition: &str) -> Invariant {
    Invariant {
        at: at(line, column),
        place,
        condition: condition.into(),
        line: 1,
    }
}

fn follow(line: u32, passing: Passing) -> Segment {
    follow_at(at(line, None), passing)
}

fn follow_at(at: At, passing: Passing) -> Segment {
    Segment {
        avoid: Vec::new(),
        follow: Waypoint {
            at,
            passing,
            line: 1,
        },
    }
}

fn expect(text: &str, claim: Claim, wanted: Verdict) -> Validation {
    let found = verdict(text, claim);
    assert_eq!(found.verdict, wanted, "{text}\n{found:?}");
    found
}
