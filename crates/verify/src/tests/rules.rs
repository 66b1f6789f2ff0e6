//! Rules, woven into programs that run.

use crate::concrete::{End, How, Which, run};
use crate::names::verdict_name;
use cwolf_base::Budget;
use cwolf_cfront::{Options, compile_text};
use cwolf_interp::List;
use cwolf_prepare::property::{Kind, Selection};
use cwolf_prepare::slic::*;
use cwolf_prepare::{Arguments, Extern, Prepare, Subject, prepare};

const LOCK: &str = "state { int locked = 0; /* no; */ } // comment { \n\
    lock.entry { if (locked) abort \"twice\"; locked = 1; }\n\
    unlock.entry { if (!locked) abort; locked = 0; }\n";

fn subject(text: &str, rules: &[&str]) -> Subject {
    let compilation = compile_text("test.c", text.as_bytes(), &Options::default());
    let program = compilation.program.expect("correct C");
    let rules = rules
        .iter()
        .enumerate()
        .map(|(n, text)| parse(&format!("rule{n}.slic"), text, 0).expect("a correct rule"));
    let how = Prepare {
        selection: Selection::of(&[Kind::Rule]),
        rules: rules.collect(),
        entry: "main".into(),
        externs: Extern::Havoc,
        malloc_may_fail: false,
        arguments: Arguments::default(),
        language: Options::default(),
    };
    let subject = prepare(program, how).expect("a subject");
    let found = cwolf_cwi::verify(&subject.program);
    let found: Vec<_> = found.iter().map(|v| v.describe(&subject.program)).collect();
    assert!(found.is_empty(), "{found:?}");
    subject
}

/// What the run with these values says about the rules.
fn verdict(text: &str, rules: &[&str], values: &[i128]) -> String {
    let subject = subject(text, rules);
    let how = How {
        oracle: Box::new(List::new(values.iter().copied())),
        budget: Budget::unlimited(),
        record: false,
        zero_memory: true,
        reads: None,
        length: None,
    };
    match run(&subject, Which::Closed, how).end {
        End::Fails(failure) => format!("{}: {}", verdict_name(&subject, &failure), failure.message),
        End::Exits => "kept".into(),
        end => format!("{end:?}"),
    }
}

const PROGRAM: &str = "int __VERIFIER_nondet_int(void); void lock(void); void unlock(void); \
    int main(void) { lock(); if (__VERIFIER_nondet_int()) lock(); unlock(); return 0; }";

#[test]
fn a_rule_is_kept_or_broken() {
    assert_eq!(verdict(PROGRAM, &[LOCK], &[0]), "kept");
    let broken = "slic:rule0: the rule rule0 is broken: twice";
    assert_eq!(verdict(PROGRAM, &[LOCK], &[1]), broken);
}

#[test]
fn calls_through_pointers_and_of_library_functions_are_watched() {
    let text = "void lock(void) {} void unlock(void) {} void (*table[])(void) = {lock, unlock}; \
        int main(void) { void (*p)(void) = lock; p(); table[0](); return 0; }";
    assert!(verdict(text, &[LOCK], &[]).ends_with("twice"));
    let text = "void *malloc(unsigned long); void free(void *); \
        int main(void) { void *p = malloc(4); free(p); return 0; }";
    let rule = "state { void *got; } malloc.exit { got = $return; if ($1 != 4) abort \"size\"; } \
        free.call { if ($1 == got) abort \"freed\"; }";
    assert_eq!(
        verdict(text, &[rule], &[]),
        "slic:rule0: the rule rule0 is broken: freed"
    );
}

#[test]
fn handlers_see_arguments_results_and_fields() {
    let text = "struct request { int kind; struct { short low, high; } size; unsigned flag : 3; }; \
        int send(struct request *r, long n) { r->flag = 5; return r->kind + n; } \
        int main(void) { struct request r = {2, {3, 4}, 1}; return send(&r, 40) != 42; }";
    let rule = "state { int kind; } send.entry { kind = $1->kind; if ($1->flag != 1) abort \"early\"; } \
        send.return { if ($1->size.high == 4 && $1->flag == 5 && $2 == 40L && $return == 42 && kind == 2) abort \"seen\"; }";
    assert_eq!(
        verdict(text, &[rule], &[]),
        "slic:rule0: the rule rule0 is broken: seen"
    );
}

#[test]
fn rules_do_not_touch_each_other_or_the_program() {
    let text = "static int locked = 7; void lock(void) { locked++; } \
        int main(void) { lock(); return locked != 8; }";
    let other = "state { int locked = 0; } lock.exit { locked = 1; } main.exit { if (!locked) abort; if ($return) abort \"changed\"; }";
    assert_eq!(verdict(text, &[LOCK, other], &[]), "kept");
}

#[test]
fn functions_without_a_prototype_and_with_any_number_of_arguments() {
    let text = "void lock(); int log_line(const char *f, ...) { return 0; } \
        int main(void) { log_line(\"%d\", 1); lock(3); lock(3, 4); return 0; }";
    let rule = "state { int sum = 0; } lock.entry { sum += $1; } log_line.entry { sum += 10; } \
        main.exit { if (sum == 16) abort \"all\"; }";
    assert!(verdict(text, &[rule], &[]).ends_with("all"));
}

#[test]
fn a_watched_function_keeps_its_result() {
    let text = "struct pair { int a, b; }; struct pair make(int n) { struct pair p = {n, n + 1}; return p; } \
        int main(void) { struct pair p = make(4); return p.a * 10 + p.b != 45; }";
    let rule = "state { int n; } make.exit { n = $1; } main.exit { if ($return) abort \"lost\"; if (n != 4) abort \"n\"; }";
    assert_eq!(verdict(text, &[rule], &[]), "kept");
}

#[test]
fn an_automaton_is_a_rule() {
    let text = b"des (0,3,3)\n(0,\"lock\",1)\n(1,i,2)\n(2,\"unlock.entry\",0)\n";
    let lts = cwolf_lts::read_bytes("a.aut", text, cwolf_lts::Format::Aut).expect("correct");
    let rule = from_lts("order", "a.aut", &lts, &Budget::unlimited()).expect("a rule");
    assert_eq!(rule.handlers.len(), 2);
    assert_eq!(rule.handlers[1].when, When::Entry);
    let bad = b"des (0,1,2)\n(0,\"lock!3\",1)\n";
    let lts = cwolf_lts::read_bytes("b.aut", bad, cwolf_lts::Format::Aut).expect("correct");
    let error = from_lts("order", "b.aut", &lts, &Budget::unlimited());
    assert_eq!(error, Err(AutomatonError::Label("lock!3".into())));
}

#[test]
fn mistakes_are_told_with_their_place() {
    let cases = [
        ("", "watches nothing"),
        ("f.entry { if (x) }", ""),
        ("f.enter { }", "unknown event"),
        ("f.entry { abort \"x; }", "does not end on its line"),
        ("f.entry { $x = 1; }", "unknown value"),
        ("f.entry { $return = 1; }", "known only at the exit"),
        ("f.entry { { }", "never closed"),
        ("f.entry g { }", "expected `{`"),
        ("int x = $1; f.entry { }", "only in handlers"),
        ("/* f.entry { }", "no end"),
        ("f.entry { abort(1); }", "takes no arguments"),
    ];
    for (text, message) in cases {
        match parse("r.slic", text, 100) {
            // Mistakes in C are the C front end's to find.
            Ok(_) => assert!(message.is_empty(), "{text}"),
            Err(found) => {
                let first = found.iter().next().expect("a message");
                assert!(first.message.contains(message), "{text}: {}", first.message);
                assert!(first.span.is_some_and(|s| s.lo >= 100), "{text}");
            }
        }
    }
}

#[test]
fn mistakes_in_handlers_are_the_front_ends_to_find() {
    let program = || {
        let c = compile_text("t.c", PROGRAM.as_bytes(), &Options::default());
        c.program.expect("correct C")
    };
    let try_rule = |text: &str| {
        let rule = parse("r.slic", text, 0).expect("it reads");
        let program = program();
        let main = program.function("main").expect("main");
        weave(program, main, &[rule], &Options::default())
    };
    let unknown = try_rule("lock.entry { nobody = 1; }");
    assert!(matches!(unknown, Err(RuleError::Compile(..))));
    let missing = try_rule("lock.entry { if ($3) abort; }").expect_err("no parameter");
    assert!(
        missing
            .to_string()
            .contains("r.slic:1: `lock` has no parameter 3")
    );
    let elsewhere = try_rule("other.entry { if ($1) abort; }").expect("nothing to weave");
    assert!(elsewhere.notes[0].contains("other, which the program does not have"));
}

#[test]
fn every_rule_that_ships_reads() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../library/rules");
    let mut seen = 0;
    for entry in std::fs::read_dir(folder).expect("the rules") {
        let path = entry.expect("a file").path();
        let text = std::fs::read_to_string(&path).expect("text");
        let rule = parse(&path.display().to_string(), &text, 0);
        assert!(rule.is_ok(), "{}", path.display());
        seen += 1;
    }
    assert!(seen >= 5);
}
