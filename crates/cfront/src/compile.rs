//! The driver: C text in, a CWI program or messages out.

use crate::lower;
use crate::order::Order;
use crate::parse::Parser;
use crate::sema::Sema;
use crate::session::{Options, Session};
use crate::{lex, preprocess};
use cwolf_base::{Diagnostic, Diagnostics, SourceMap};
use cwolf_cwi::{Program, verify};
use std::time::{Duration, Instant};

/// Trees are walked by recursion, and the parser limits how high they grow; this is enough for
/// the highest. Only the pages that are touched take memory.
const STACK: usize = 512 << 20;

/// What came of compiling a file.
#[derive(Debug)]
pub struct Compilation {
    /// The program; none if there were errors.
    pub program: Option<Program>,
    /// All messages, in the order they were found.
    pub diagnostics: Diagnostics,
    /// The text that the messages speak about.
    pub sources: SourceMap,
    /// How much work it was.
    pub stats: Stats,
}

/// How much work a compilation was.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Stats {
    /// Functions with a body.
    pub functions: usize,
    /// Functions that use something unsupported.
    pub refused: usize,
    /// Tokens of the text.
    pub tokens: usize,
    /// Seconds spent in the lexer.
    pub lex: f64,
    /// Seconds spent in the parser.
    pub parse: f64,
    /// Seconds spent in semantic analysis.
    pub sema: f64,
    /// Seconds spent in lowering.
    pub lower: f64,
}

/// Compiles preprocessed C. `name` is for messages, until line markers in the text say better.
pub fn compile_text(name: &str, text: &[u8], options: &Options) -> Compilation {
    match with_stack(|| compile(name, text, options)) {
        Ok(compilation) => compilation,
        Err(error) => no_thread(&error),
    }
}

/// Runs work that walks trees on a thread with room for it.
pub(crate) fn with_stack<T: Send>(work: impl FnOnce() -> T + Send) -> std::io::Result<T> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new()
            .name("cfront".into())
            .stack_size(STACK)
            .spawn_scoped(scope, work)?;
        match thread.join() {
            Ok(result) => Ok(result),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}

fn no_thread(error: &std::io::Error) -> Compilation {
    let mut diagnostics = Diagnostics::default();
    diagnostics.push(Diagnostic {
        span: None,
        ..Diagnostic::error(
            Default::default(),
            format!("no memory to compile in: {error}"),
        )
    });
    Compilation {
        program: None,
        diagnostics,
        sources: SourceMap::default(),
        stats: Stats::default(),
    }
}

fn compile(name: &str, text: &[u8], options: &Options) -> Compilation {
    let mut session = Session {
        options: *options,
        ..Session::default()
    };
    let mut clock = Clock::start();
    let mut stats = Stats::default();
    let tokens = lex::lex(&mut session, name, preprocess::decode(text).into());
    stats.tokens = tokens.list.len();
    clock.lap(&mut stats.lex);
    let mut parser = Parser::new(tokens);
    let mut sema = Sema::new(&session);
    let mut order = Order::default();
    loop {
        let external = parser.next_external(&mut session);
        clock.lap(&mut stats.parse);
        let Some(external) = external else { break };
        let function = sema.external(&mut session, &external);
        drop(external);
        clock.lap(&mut stats.sema);
        // After an error there is no program, so nothing needs code.
        let inside = sema.take_finished();
        for function in inside.into_iter().chain(function) {
            if session.diagnostics.has_errors() {
                break;
            }
            order.function(&mut sema.program, &session, &function);
            lower::lower(&mut sema.program, &session, function);
        }
        clock.lap(&mut stats.lower);
    }
    let mut program = sema.finish(&mut session);
    clock.lap(&mut stats.sema);
    let program = (!session.diagnostics.has_errors()).then(|| {
        order.finish(&mut program);
        lower::finish(&mut program);
        clock.lap(&mut stats.lower);
        debug_assert_sound(&program);
        program
    });
    for function in program.iter().flat_map(|p| p.funcs.iter()) {
        stats.functions += usize::from(function.body.is_some());
        stats.refused += usize::from(function.refused.is_some());
    }
    Compilation {
        program,
        diagnostics: session.diagnostics,
        sources: session.sources,
        stats,
    }
}

/// What leaves the front end holds to the rules of CWI.
fn debug_assert_sound(program: &Program) {
    if cfg!(debug_assertions) {
        let found = verify(program);
        let all: Vec<_> = found.iter().map(|v| v.describe(program)).collect();
        assert!(all.is_empty(), "unsound code: {}", all.join("\n"));
    }
}

/// Measures the stages, which take turns.
struct Clock(Instant);

impl Clock {
    fn start() -> Clock {
        Clock(Instant::now())
    }
    fn lap(&mut self, sum: &mut f64) {
        let now = Instant::now();
        let spent: Duration = now - std::mem::replace(&mut self.0, now);
        *sum += spent.as_secs_f64();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compile(text: &str) -> Compilation {
        compile_text("test.c", text.as_bytes(), &Options::default())
    }

    #[test]
    fn a_program_comes_only_without_errors() {
        let good = compile("int f(void) { return 1; }");
        assert!(good.program.is_some());
        assert_eq!((good.stats.functions, good.stats.refused), (1, 0));
        assert_eq!(good.stats.tokens, 11);
        let bad = compile("int f(void) { return x; } int g(void) { return 1; }");
        assert!(bad.program.is_none());
        assert_eq!(bad.diagnostics.errors(), 1);
        let broken = compile("int f(void) { return 1 }");
        assert!(broken.program.is_none());
    }

    #[test]
    fn objects_without_a_size_are_no_literals_and_no_locals() {
        for text in [
            "struct s; void f(void) { &(struct s){1}; }",
            "struct s { int n; char c[]; }; void f(void) { struct s x = {1, \"a\"}; }",
        ] {
            assert!(compile(text).diagnostics.has_errors(), "{text}");
        }
    }

    #[test]
    fn an_unsupported_function_is_refused_alone() {
        let some = compile("_Decimal64 z; void f(void) { z = z * z; } void g(void) {}");
        let program = some.program.expect("refusing is not an error");
        assert_eq!((some.stats.functions, some.stats.refused), (1, 1));
        let body = |name| &program.funcs[program.function(name).expect("declared")].body;
        assert!(body("f").is_none() && body("g").is_some());
    }

    #[test]
    fn high_trees_fit_on_the_stack() {
        let sum = " + x".repeat(11_000);
        let choice = "x == 1 ? 2 : ".repeat(5_000);
        let elses = "if (x) return 1; else ".repeat(5_000);
        let text = format!(
            "int sum(int x) {{ return x{sum}; }} int choice(int x) {{ return {choice} 3; }} \
             int elses(int x) {{ {elses} return 2; }}"
        );
        assert_eq!(compile(&text).stats.functions, 3);
    }

    #[test]
    fn run_time_support_is_declared_once() {
        let text = "void use(void *); void f(int n) { char a[n]; use(a); } \
                    void g(int n) { use(__builtin_alloca(n)); }";
        let program = compile(text).program.expect("no errors");
        let functions = program.funcs.iter();
        let alloca = functions.filter(|f| f.name == "__builtin_alloca");
        assert_eq!(alloca.count(), 1);
    }
}
