//! The numeric analysis state by state: whatever variables hold when a run comes to a block lies in
//! what the analysis says there, and no check that it proves fails.

mod precise;
#[path = "../../../verify/tests/differential/writer.rs"]
#[allow(dead_code)]
mod writer;

use cwolf_base::Budget;
use cwolf_cfront::compile_text;
use cwolf_cwi::Origin;
use cwolf_cwi::value::{self, Value};
use cwolf_interp::{At, List, Machine, Options, Tracer, View};
use cwolf_numeric::{Analysis, Fact, Spot, analyse};
use cwolf_prepare::property::{Kind, Selection};
use cwolf_prepare::{Arguments, Extern, Prepare, Subject, prepare};
use std::cell::RefCell;
use std::rc::Rc;
use writer::Writer;

fn subject(text: &str, selection: Selection) -> Subject {
    let language = cwolf_cfront::Options::default();
    let compiled = compile_text("random.c", text.as_bytes(), &language);
    let program = compiled.program;
    let program = program.unwrap_or_else(|| panic!("{:?}\n{text}", compiled.diagnostics));
    let how = Prepare {
        selection,
        rules: Vec::new(),
        entry: "main".into(),
        externs: Extern::Error,
        malloc_may_fail: false,
        arguments: Arguments::default(),
        language,
    };
    prepare(program, how).expect("a subject")
}

/// What is checked differs from program to program, so that steps that C does not define are followed
/// in some and end the run in others.
fn selection(case: u64) -> Selection {
    let reach = [Kind::Assertion, Kind::UnreachCall];
    match case % 4 {
        0 => Selection::of(&reach),
        1 => {
            let mut selection = Selection::of(&reach);
            selection.follow_undefined = false;
            selection
        }
        _ => Selection::default(),
    }
}

fn options(subject: &Subject) -> cwolf_numeric::Options {
    let has = |kind| subject.selection.has(kind);
    cwolf_numeric::Options {
        error_functions: subject.error_functions.clone(),
        assertions: has(Kind::Assertion),
        checks_accesses: has(Kind::Bounds) && has(Kind::Pointer),
        follow_undefined: subject.selection.follow_undefined,
    }
}

fn number(name: &str, default: u64) -> u64 {
    let text = std::env::var(name).ok();
    text.and_then(|n| n.parse().ok()).unwrap_or(default)
}

/// Compares a run with the analysis; notes the first thing that is wrong.
struct Compare<'a> {
    analysis: &'a Analysis,
    wrong: Rc<RefCell<Option<String>>>,
    seen: Rc<RefCell<u64>>,
}

/// What a run holds there, if it says so.
fn read(view: &View<'_, '_>, spot: &Spot) -> Option<i128> {
    let program = view.program();
    let var = &program.vars[spot.var];
    if program.types.is_scalar(var.ty) && spot.bit == 0 {
        return match view.var(spot.var)? {
            Value::Int(v) => Some(v),
            Value::Float(_) => None,
        };
    }
    let whole = [8, 16, 32, 64].contains(&spot.ty.bits) && spot.bit.is_multiple_of(8);
    let at = view.address(spot.var).filter(|_| whole)? + spot.bit / 8;
    let bytes = view.bytes(at, u64::from(spot.ty.bits) / 8)?;
    let word = bytes
        .iter()
        .rev()
        .fold(0i128, |w, b| w << 8 | i128::from(*b));
    Some(value::wrap(spot.ty, word))
}

fn holds(view: &View<'_, '_>, fact: &Fact) -> bool {
    match fact {
        Fact::In(spot, num) => read(view, spot).is_none_or(|v| num.contains(v)),
        Fact::AtMost(parts, most) => {
            let mut sum = 0;
            for (spot, minus) in parts {
                let Some(v) = read(view, spot) else {
                    return true;
                };
                sum += if *minus { -v } else { v };
            }
            sum <= *most
        }
    }
}

impl Tracer for Compare<'_> {
    fn step(&mut self, at: At, view: &View<'_, '_>) {
        if at.index > 0 || self.wrong.borrow().is_some() {
            return;
        }
        // The code of `memcpy` and others like it is not looked at.
        if view.program().funcs[at.func].origin == Origin::Model {
            return;
        }
        *self.seen.borrow_mut() += 1;
        let Some(states) = self.analysis.at_block(at.func, at.block) else {
            let name = &view.program().funcs[at.func].name;
            let text = format!("{at:?} of {name} is said not to be reached");
            self.wrong.borrow_mut().get_or_insert(text);
            return;
        };
        // One of the states is right in all that it says.
        if states
            .iter()
            .any(|facts| facts.iter().all(|f| holds(view, f)))
        {
            return;
        }
        let first: Vec<String> = states
            .iter()
            .map(|facts| {
                let fact = facts
                    .iter()
                    .find(|f| !holds(view, f))
                    .expect("one is wrong");
                let shown = match fact {
                    Fact::In(spot, _) => format!(
                        "{:?} = {:?}",
                        view.program().vars[spot.var].name,
                        read(view, spot)
                    ),
                    Fact::AtMost(..) => String::new(),
                };
                format!("{fact:?} {shown}")
            })
            .collect();
        let text = format!("{at:?}: {}", first.join("\n"));
        self.wrong.borrow_mut().get_or_insert(text);
    }
}

/// Analyses a program and runs it on some inputs; what is wrong, and how many blocks were compared.
fn compare(case: u64) -> Result<u64, String> {
    let written = Writer::program(case);
    compare_text(&written.text, written.wide, selection(case))
        .map_err(|wrong| format!("program {case} {wrong}\n{}", written.text))
}

fn compare_text(text: &str, wide: bool, selection: Selection) -> Result<u64, String> {
    let subject = subject(text, selection);
    let analysis = analyse(
        &subject.program,
        subject.entry,
        &options(&subject),
        true,
        &Budget::unlimited(),
    );
    let Ok(analysis) = analysis else {
        return Ok(0);
    };
    let entry = &subject.program.funcs[subject.entry].name;
    let seen = Rc::new(RefCell::new(0));
    for n in 0..24u64 {
        let values = match wide {
            true => vec![i128::from(n * 11 % 256)],
            false => vec![i128::from(n % 16), i128::from(n * 7 % 16)],
        };
        let wrong = Rc::new(RefCell::new(None));
        let options = Options {
            oracle: Box::new(List::new(values.clone())),
            budget: Budget::unlimited().max_steps(1 << 16),
            tracer: Some(Box::new(Compare {
                analysis: &analysis,
                wrong: wrong.clone(),
                seen: seen.clone(),
            })),
            ..Options::default()
        };
        let end = Machine::new(&subject.program, options).run(entry);
        if let Some(text) = wrong.borrow_mut().take() {
            return Err(format!("with {values:?}: {text}"));
        }
        if let cwolf_interp::Outcome::Error(error) = &end
            && let Some(check) = error.check
            && analysis.holds(check)
        {
            let check = &subject.program.checks[check];
            return Err(format!(
                "with {values:?} fails {check:?}: {}",
                error.render(&subject.program)
            ));
        }
    }
    let seen = *seen.borrow();
    Ok(seen)
}

#[test]
fn every_state_of_every_run_lies_in_the_analysis() {
    let first = number("CWOLF_SEED", 0);
    let cases = number("CWOLF_CASES", 60);
    let mut seen = 0;
    for case in first..first + cases {
        seen += compare(case).unwrap_or_else(|wrong| panic!("{wrong}"));
    }
    assert!(seen > 50 * cases, "only {seen} blocks were compared");
}
