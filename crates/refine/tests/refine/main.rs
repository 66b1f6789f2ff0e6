//! Formulas decided without a map: programs whose answers are known, and random programs whose
//! answers must not contradict any run of the interpreter.

mod campaign;
mod cases;
mod events;
mod exact;
mod statements;
mod watches;

use cwolf_absint::machine::Options;
use cwolf_absint::map::{LabelMap, Text, parse_labels};
use cwolf_base::{Budget, SourceMap};
use cwolf_cwi::FuncId;
use cwolf_cwi::graph::Analysed;
use cwolf_prepare::{Extern, Subject, close, to_model};
use cwolf_refine::{Answer, First, Goal, Outcome, Question, decide};
use cwolf_workbench::{Environment, FormulaId};

/// A program with the functions that are seen when they are called.
struct Subjected {
    program: Analysed,
    entry: FuncId,
    subject: Subject,
    labels: LabelMap,
}

fn prepare(text: &str, rules: &str) -> Subjected {
    let options = cwolf_cfront::Options::default();
    let compiled = cwolf_cfront::compile_text("test.c", text.as_bytes(), &options);
    let program = compiled.program.expect("a correct program");
    let program: Analysed = to_model(program, "main", Extern::Havoc, 2, &[])
        .expect("it links")
        .program
        .into();
    let entry = program.function("main").expect("a main function");
    // What is declared and never used is not in the program.
    let used = |rule: &&str| {
        let name = rule.trim().strip_prefix("call(");
        let name = name.and_then(|r| r.split(')').next());
        name.is_none_or(|n| program.function(n).is_some())
    };
    let rules: String = rules.split_inclusive(';').filter(used).collect();
    let rules = Text {
        name: "test.lm",
        text: &rules,
    };
    let labels = parse_labels(&program, &mut SourceMap::default(), rules).expect("correct rules");
    let subject = close(program.clone().into_program(), entry, Extern::Havoc).expect("it closes");
    Subjected {
        program,
        entry,
        subject,
        labels,
    }
}

fn formula(text: &str) -> (Environment, FormulaId) {
    let mut env = Environment::default();
    let start = SourceMap::default().add("<formula>", text.into());
    let formula = env.formula(text, start).expect("a correct formula");
    (env, formula)
}

fn ask(subjected: &Subjected, text: &str, max_states: u64, budget: &Budget) -> Outcome {
    let (mut env, formula) = formula(text);
    let runs = env.about_runs(formula);
    let question = Question {
        program: &subjected.program,
        entry: subjected.entry,
        closed: &subjected.subject.program,
        start: subjected.subject.entry,
        labels: &subjected.labels,
        options: Options::default(),
        goal: Goal::Formula {
            formulas: env.formulas(),
            formula,
            runs,
        },
        first: First::Nothing,
        max_states,
        jobs: 1,
        follow_all: false,
    };
    decide(&question, budget, &mut |_| {})
}

/// The answer in a word.
fn word(answer: &Answer) -> &'static str {
    match answer {
        Answer::Proved => "proved",
        Answer::Shown(_) | Answer::Reached(_) => "shown",
        Answer::Unknown(_) => "unknown",
    }
}
