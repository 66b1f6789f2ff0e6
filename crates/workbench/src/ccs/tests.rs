//! Small processes, what they mean, and what is wrong with wrong ones.

use super::{CompileError, Environment};
use cwolf_base::{Budget, Exhausted, SourceMap};
use cwolf_lts::{Comparison, Equivalence, compare};

const FSM: &str = "proc main= Aut(
start=0,
1:`b{1}X{2}`a{2}`eof{3,7}
0:t{5}
3:accept{2}
4:accept{2}
5:\u{2018}b{1}`a{8}`X{2}`eof{4,6}
6:accept{2}
7:accept{2}
8:`b{1}`a{8}`X{2}`eof{4,6}
)";
const SPEC: &str = "proc spec = `a.spec + `b.B
 + `eof.accept.nil
 + `X.reject
proc B = `b.B
 + `eof.accept.nil
 + `X.reject + `a.reject
proc reject = t.reject + nil";

fn environment(texts: &[&str]) -> (Environment, SourceMap) {
    let (mut env, mut sources) = (Environment::default(), SourceMap::default());
    for text in texts {
        env.load_text(&mut sources, "test.ccs", text)
            .expect("a correct text");
    }
    (env, sources)
}

fn size(text: &str, process: &str) -> (usize, usize) {
    let (mut env, _) = environment(&[text]);
    let lts = env
        .compile(process, 0, &Budget::unlimited())
        .expect("a finite process");
    lts.verify().expect("a correct system");
    (lts.states(), lts.transitions())
}

/// The place and the words of the mistake in `text`, or in its process `P`.
fn mistake(text: &str) -> String {
    let (mut env, mut sources) = (Environment::default(), SourceMap::default());
    let list = match env.load_text(&mut sources, "test.ccs", text) {
        Err(diagnostic) => vec![diagnostic],
        Ok(_) => {
            let start = sources.add("<process>", "P".into());
            match env.compile("P", start, &Budget::unlimited()) {
                Err(CompileError::Bad(list)) => list,
                other => panic!("no mistake was found: {other:?}"),
            }
        }
    };
    let show = |d: &cwolf_base::Diagnostic| {
        let at = sources.position(d.span.expect("mistakes have a place").lo);
        format!("{}:{} {}", at.line, at.column, d.message)
    };
    list.iter().map(show).collect::<Vec<_>>().join("; ")
}

#[test]
fn figure_4_12_is_observationally_equivalent_to_its_specification() {
    let (mut env, _) = environment(&[FSM, SPEC]);
    let budget = Budget::unlimited();
    let main = env.compile("main", 0, &budget).expect("main is finite");
    let spec = env.compile("spec", 0, &budget).expect("spec is finite");
    let answer = compare(&main, &spec, Equivalence::Weak, &budget);
    assert_eq!(answer, Ok(Comparison::Equivalent));
    let answer = compare(&main, &spec, Equivalence::Strong, &budget);
    assert_ne!(answer, Ok(Comparison::Equivalent));
}

#[test]
fn operators() {
    assert_eq!(size("proc P = nil", "P"), (1, 0));
    assert_eq!(size("proc P = a.b.nil", "P"), (3, 2));
    // a | 'a: two interleavings and the handshake.
    assert_eq!(size("", "a.nil | 'a.nil"), (4, 5));
    assert_eq!(size("", "(a.nil | 'a.nil) \\ {a}"), (2, 1));
    assert_eq!(size("set S = {a}", "(a.nil | 'a.nil) \\ S"), (2, 1));
    assert_eq!(size("", "(a.nil | b.nil['a/b]) \\ {a, b}"), (1, 0));
    assert_eq!(size("", "(a.nil | (b.nil)['a/b]) \\ {a}"), (2, 1));
    // Restriction binds tighter than prefix, prefix than |, | than +.
    assert_eq!(size("", "a.a.nil \\ {a}"), (3, 2));
    assert_eq!(size("", "a.nil + b.nil | c.nil"), (5, 5));
    assert_eq!(size("* a comment\nproc P = (* another *) a.P", "P"), (1, 1));
    assert_eq!(size("proc P = \"put(1)\".P + t.nil", "P"), (2, 2));
}

#[test]
fn mistakes_have_places() {
    assert_eq!(mistake("proc P = a.Q"), "1:12 there is no process `Q`");
    assert_eq!(
        mistake("proc Q = P + a.nil\nproc P = Q \\ {a}"),
        "1:1 the process `Q` comes back to itself before any action"
    );
    assert_eq!(
        mistake("proc P = a."),
        "1:12 expected a process, found the end"
    );
    assert_eq!(
        mistake("proc P = a.nil +\nproc Q = nil"),
        "2:1 expected a process, found `proc`"
    );
    assert_eq!(
        mistake("proc P = a.nil ? b"),
        "1:16 `?` has no meaning here"
    );
    assert_eq!(
        mistake("proc P = nil\nproc P = nil"),
        "2:6 `P` is defined twice in this text"
    );
    assert_eq!(
        mistake("proc P = nil \\ {t}"),
        "1:17 the internal action cannot be in a set"
    );
    assert_eq!(mistake("(* no end"), "1:1 this comment does not end");
    let deep = format!("proc P = {}nil", "(".repeat(100_000));
    assert!(mistake(&deep).contains("levels deep"));
}

#[test]
fn large_texts_and_infinite_processes_end() {
    let wide = format!("{}nil", "nil | ".repeat(50_000));
    assert_eq!(size("", &wide), (1, 0));
    let long = format!("{}nil", "a.".repeat(50_000));
    assert_eq!(size("", &long), (50_001, 50_000));
    let sparse = "Aut(start=4294967295, 4294967295:a{0})";
    assert_eq!(size("", sparse), (2, 1));
    let (mut env, _) = environment(&["proc P = a.(P | b.nil)"]);
    let limit = Budget::unlimited().max_steps(2_000);
    let answer = env.compile("P", 0, &limit);
    assert_eq!(answer, Err(CompileError::Exhausted(Exhausted::Steps)));
}
