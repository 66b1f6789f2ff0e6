//! Tests of the analysis: C text in, messages and tables out. Where gcc can be asked, it is.

mod builtins;
mod errors;
mod gcc;
mod init;
mod layout;
mod linkage;
mod statements;
mod types;

use crate::hir;
use crate::lex;
use crate::parse::Parser;
use crate::sema::Sema;
use crate::session::{Options, Session};
use cwolf_base::Severity;
use cwolf_cwi::{Program, Target, Var};

/// The result of analysing a text.
struct Outcome {
    program: Program,
    functions: Vec<hir::Function>,
    /// `line: message`
    errors: Vec<String>,
    warnings: Vec<String>,
    hints: Vec<String>,
}

fn analyse_with(options: Options, text: &str) -> Outcome {
    let mut session = Session {
        options,
        ..Session::default()
    };
    let tokens = lex::lex(&mut session, "test.c", text.into());
    let mut parser = Parser::new(tokens);
    let mut sema = Sema::new(&session);
    let mut functions = Vec::new();
    while let Some(item) = parser.next_external(&mut session) {
        functions.extend(sema.external(&mut session, &item));
    }
    let program = sema.finish(&mut session);
    let list = |severity| {
        let all = session.diagnostics.iter();
        all.filter(|d| d.severity == severity)
            .map(|d| {
                let at = session.sources.position(d.span.unwrap_or_default().lo);
                format!("{}: {}", at.line, d.message)
            })
            .collect::<Vec<_>>()
    };
    let hints = session.diagnostics.iter().filter_map(|d| d.hint.clone());
    Outcome {
        hints: hints.collect(),
        errors: list(Severity::Error),
        warnings: list(Severity::Warning),
        program,
        functions,
    }
}

fn analyse(text: &str) -> Outcome {
    analyse_with(Options::default(), text)
}

fn analyse_for(target: Target, text: &str) -> Outcome {
    let options = Options {
        target,
        ..Options::default()
    };
    analyse_with(options, text)
}

/// Analyses a text that has no errors.
fn good(text: &str) -> Outcome {
    let outcome = analyse(text);
    assert_eq!(outcome.errors, Vec::<String>::new(), "in {text}");
    outcome
}

/// The only function of a text.
fn only_function(text: &str) -> hir::Function {
    let mut outcome = good(text);
    outcome.functions.pop().expect("a function")
}

impl Outcome {
    fn var(&self, name: &str) -> &Var {
        let found = self.program.vars.iter().find(|v| v.name == name);
        found.unwrap_or_else(|| panic!("no variable {name}"))
    }
    fn func(&self, name: &str) -> &cwolf_cwi::Function {
        let id = self.program.function(name);
        &self.program.funcs[id.unwrap_or_else(|| panic!("no function {name}"))]
    }
}

/// The errors of a text, in order, as `line: message`.
fn check_errors(text: &str, expected: &[&str]) {
    assert_eq!(analyse(text).errors, expected, "in {text}");
}

/// The warnings of a text without errors.
fn check_warnings(text: &str, expected: &[&str]) {
    assert_eq!(good(text).warnings, expected, "in {text}");
}
