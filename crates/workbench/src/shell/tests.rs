//! Sessions as typed.

use super::Session;
use crate::ccs::Environment;
use cwolf_base::Budget;
use proptest::prelude::*;

/// What a session shows, errors included.
fn session(lines: &[&str]) -> String {
    let mut session = Session::default();
    session
        .env
        .load(
            "proc P = a.(t.P + b.nil)   set S = {a}   prop dead = EF [-]ff",
            0,
        )
        .expect("a correct text");
    let mut shown = String::new();
    for line in lines {
        let reply = session.execute(line);
        shown += &reply.text;
        for diagnostic in &reply.diagnostics {
            shown += &format!("error: {}\n", diagnostic.message);
        }
        if let Some(error) = reply.error {
            shown += &format!("error: {error}\n");
        }
    }
    shown
}

#[test]
fn simulator_goes_forth_and_back() {
    assert_eq!(
        session(&[
            "sim P", "1", "2", "back 2", "9", "random x", "history", "quit", "trans P"
        ]),
        "state 0\n  1: --a--> 1\n\
         state 1\n  1: --tau--> 0\n  2: --b--> 2\n\
         state 2\n  deadlock\n\
         state 0\n  1: --a--> 1\n\
         error: there is no such step\n\
         error: `x` is not a number\n  0\n  --a--> 1\n"
    );
    let along = session(&["fd P", "sim P", "along"]);
    assert!(
        along.ends_with("  0\n  --a--> 1\n  --b--> 2\nstate 2\n  deadlock\n"),
        "{along}"
    );
    assert!(session(&["sim P", "random 1000", "history"]).ends_with("--b--> 2\n"));
}

#[test]
fn every_command_that_is_offered_exists() {
    let mut session = Session::default();
    for word in super::commands::COMMANDS {
        assert!(session.words().contains(&(*word).to_owned()));
        let error = session.execute(word).error.unwrap_or_default();
        assert!(!error.contains("there is no command"), "{word}");
    }
    session.execute("sim nil");
    assert!(session.words().contains(&"along".to_owned()));
}

#[test]
fn commands_answer_or_say_what_is_wrong() {
    assert_eq!(
        session(&["ls"]),
        "Processes: P\nSets: S\nPropositions: dead\n"
    );
    assert_eq!(session(&["cat S"]), "set S = {a}\n");
    assert_eq!(session(&["size (P | P)"]), "States: 9\nTransitions: 18\n");
    assert!(session(&["eq -S bisim P (a.(t.P + b.nil))"]).ends_with("TRUE\n"));
    assert!(session(&["eq P nil"]).contains("FALSE...\nP satisfies: <<a>>tt\n"));
    assert!(session(&["eq -S must P (t.P)"]).contains("TRUE"));
    assert!(session(&["le -S must P nil"]).contains("FALSE"));
    assert!(session(&["chk P dead"]).contains("TRUE\n  0 --a--> 1\n  1 --b--> 2\n"));
    assert!(session(&["min P Q", "size Q"]).ends_with("States: 3\nTransitions: 3\n"));
    assert!(session(&["search P <b>tt"]).starts_with("Found:\n  0 --a--> 1\n"));
    assert_eq!(session(&["size Q"]), "error: there is no process `Q`\n");
    assert_eq!(
        session(&["nonsense"]),
        "error: there is no command `nonsense`; try help\n"
    );
    assert_eq!(
        session(&["eq -S x P P"]),
        "error: there is no equivalence `x`\n"
    );
    assert_eq!(session(&["# nothing", "", "* nothing"]), "");
}

/// Texts out of the pieces that the parsers know, in any order.
fn texts() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "proc",
        "prop",
        "set",
        "P",
        "Q",
        "=",
        "a",
        "'",
        "`",
        ".",
        "+",
        "|",
        "\\",
        "{",
        "}",
        "(",
        ")",
        "[",
        "]",
        "/",
        ",",
        "nil",
        "t",
        "Aut",
        "start",
        ":",
        "0",
        "1",
        "min",
        "max",
        "X",
        "<",
        ">",
        "-",
        "tt",
        "not",
        "U",
        "G",
        "A",
        "E",
        "AG",
        "~",
        "&",
        "\"",
        "*",
        "\n",
        "eps",
        "tau",
        "é",
        "‘",
        "eq",
        "-S",
        "must",
        "chk",
        "sim",
        "min",
        "le",
        "size",
        "fd",
        "trans",
        "cat",
        "99999999999",
    ]);
    prop::collection::vec((piece, any::<bool>()), 0..24).prop_map(|list| {
        let with_space = |(piece, space): (&str, bool)| {
            let end = if space { " " } else { "" };
            format!("{piece}{end}")
        };
        list.into_iter().map(with_space).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn no_text_breaks_a_parser(text in texts()) {
        let budget = Budget::unlimited().max_steps(500);
        let mut env = Environment::default();
        let _ = env.formula(&text, 0);
        if let Ok(names) = env.load(&format!("proc P = {text}"), 0) {
            prop_assert!(!names.is_empty());
            if let Ok(lts) = env.compile("P", 0, &budget) {
                prop_assert_eq!(lts.verify(), Ok(()));
            }
        }
        let mut session = Session::new(budget);
        session.execute(&text);
        session.execute(&format!("chk (a.nil) {text}"));
        session.execute(&format!("sim ({text})"));
        session.execute(&text);
    }
}
