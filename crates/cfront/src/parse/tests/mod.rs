//! Tests of the parser: what each construct becomes, as [`print`](super::print) writes it.

mod declarations;
mod errors;
mod expressions;
mod mutations;
mod statements;
mod typedefs;

use super::print::Printer;
use super::*;
use crate::ast::External;
use crate::session::{Options, Standard};

const C23: Options = Options {
    target: cwolf_cwi::Target::X86_64,
    standard: Standard::C23,
    gnu: true,
    error_labels: false,
};

/// Everything a text declares, and the messages about it.
fn parse_with(options: Options, text: &str) -> (Session, Vec<External>) {
    let mut session = Session {
        options,
        ..Session::default()
    };
    let tokens = crate::lex::lex(&mut session, "test.c", text.into());
    let mut parser = Parser::new(tokens);
    let mut list = Vec::new();
    while let Some(external) = parser.next_external(&mut session) {
        list.push(external);
    }
    (session, list)
}

fn messages(session: &Session) -> Vec<String> {
    let show = |d: &Diagnostic| {
        let at = session.sources.position(d.span.expect("a place").lo);
        format!("{}:{}: {}", at.line, at.column, d.message)
    };
    session.diagnostics.iter().map(show).collect()
}

fn shown_with(options: Options, text: &str) -> Vec<String> {
    let (session, list) = parse_with(options, text);
    assert_eq!(messages(&session), Vec::<String>::new(), "{text}");
    let printer = Printer {
        names: &session.names,
    };
    list.iter().map(|e| printer.external(e)).collect()
}

/// `text` parses without a message, and its last external declaration is `expect`.
#[track_caller]
fn check(text: &str, expect: &str) {
    check_with(Options::default(), text, expect);
}

#[track_caller]
fn check_with(options: Options, text: &str, expect: &str) {
    let shown = shown_with(options, text);
    assert_eq!(shown.last().map_or("", |s| s), expect, "{text}");
}

/// The statements in a function's body.
#[track_caller]
fn check_body(text: &str, expect: &str) {
    check_body_with(Options::default(), text, expect);
}

#[track_caller]
fn check_body_with(options: Options, text: &str, expect: &str) {
    let text = format!("typedef int T; typedef struct s S; void f(void) {{ {text} }}");
    check_with(options, &text, &format!("f:()void {{{expect}}}"));
}

#[track_caller]
fn check_expr(text: &str, expect: &str) {
    check_body(&format!("{text};"), &format!("{expect};"));
}

/// The messages that `text` gets.
#[track_caller]
fn check_errors(text: &str, expect: &[&str]) {
    let (session, _) = parse_with(Options::default(), text);
    assert_eq!(messages(&session), expect, "{text}");
}

/// Runs `test` with the stack that the tool has, not the small one of a test.
fn with_large_stack(test: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(256 << 20);
    let thread = thread.spawn(test).expect("a thread");
    if let Err(panic) = thread.join() {
        std::panic::resume_unwind(panic);
    }
}
