//! The campaign "a run fails, an engine says true": pairs of programs that differ in one fault
//! behind a trigger. The interpreter must fail on the first with the trigger's value, and on the
//! second never; no engine by itself, nor the default configuration, may say otherwise.
//!
//! `CWOLF_PAIRS` sets how many pairs, `CWOLF_SEED` where they start (one pair: both), `CWOLF_MILLIS` the
//! time of a question, `CWOLF_KEEP` a folder for programs with a wrong answer, `CWOLF_ENGINES` who is asked.

mod expressions;
mod floats;
mod library;
mod outside;
mod pointers;
mod program;
mod uses;
mod values;

use crate::ask::{Asked, engines, selection};
use crate::number;
use program::{Pair, kinds, pair};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::time::Duration;

/// Faults with wrong answers that are known, by the first part of the name. Empty it; a new row
/// gives seeds to other faults, so write it again then (`CWOLF_BLESS=1`) and read the diff.
const KNOWN: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/tests/differential/triggered/known-wrong.txt"
);

/// What the engines said, by engine and word.
#[derive(Default)]
struct Counts {
    pairs: u64,
    said: BTreeMap<(&'static str, &'static str), u64>,
    unconfirmed: u64,
}

impl Counts {
    fn words(&self) -> String {
        let mut words = format!(
            "{} pairs, {} not confirmed by a run\n",
            self.pairs, self.unconfirmed
        );
        for engine in engines() {
            let count = |word| self.said.get(&(engine, word)).copied().unwrap_or(0);
            let (right, unknown, wrong) = (count("right"), count("unknown"), count("wrong"));
            let _ = writeln!(
                words,
                "{engine}: {right} right, {unknown} unknown, {wrong} wrong"
            );
        }
        words
    }
}

/// A wrong answer: the fault, what was wrong.
struct Wrong {
    fault: String,
    what: String,
}

/// Checks that the writer keeps its promise, by running both programs.
fn confirm(seed: u64, pair: &Pair, bad: &Asked, safe: &Asked, wrong: &mut Vec<Wrong>) -> bool {
    let value = i128::from(pair.value);
    let runs = 0..4u64;
    let confirmed = runs.clone().any(|s| bad.run(value, s, pair.args).is_some())
        || runs.clone().any(|s| bad.run_closed(value, s).is_some());
    for other in runs {
        let first = if other < 2 {
            value
        } else {
            i128::from(other * 977)
        };
        if let Some(why) = safe.run(first, other, pair.args) {
            wrong.push(Wrong {
                fault: pair.name.clone(),
                what: format!(
                    "seed {seed}: the twin fails when it is run: {why}\n{}",
                    pair.safe
                ),
            });
            return confirmed;
        }
    }
    confirmed
}

/// Asks every engine about one pair.
fn compare(seed: u64, counts: &mut Counts) -> Vec<Wrong> {
    let pair = pair(seed);
    let asked =
        |text: &str| Asked::text("pair.c", text.as_bytes(), selection(pair.properties), &[]);
    let (bad, safe) = (asked(&pair.bad), asked(&pair.safe));
    let mut wrong = Vec::new();
    counts.pairs += 1;
    let confirmed = confirm(seed, &pair, &bad, &safe, &mut wrong);
    counts.unconfirmed += u64::from(!confirmed);
    let note = if confirmed {
        ""
    } else {
        " (no run confirms the fault)"
    };
    let time = Duration::from_millis(number("CWOLF_MILLIS", 500));
    for (asked, text, expected, other) in [
        (&bad, &pair.bad, "false", "true"),
        (&safe, &pair.safe, "true", "false"),
    ] {
        let mut say = String::new();
        for engine in engines() {
            let said = asked.ask(engine, time);
            let word = match said.word() {
                word if word == expected => "right",
                word if word == other => "wrong",
                _ => "unknown",
            };
            *counts.said.entry((engine, word)).or_default() += 1;
            if word == "wrong" {
                let _ = write!(say, " {engine}");
            }
        }
        if !say.is_empty() {
            keep(seed, expected, text);
            wrong.push(Wrong {
                fault: pair.name.clone(),
                what: format!("seed {seed}: said {other}, expected {expected}{note}:{say}\n{text}"),
            });
        }
    }
    wrong
}

/// Writes a program that got a wrong answer to the folder that was asked for.
fn keep(seed: u64, expected: &str, text: &str) {
    if let Ok(folder) = std::env::var("CWOLF_KEEP") {
        let path = format!("{folder}/{seed}-{expected}.c");
        std::fs::write(&path, text).unwrap_or_else(|error| panic!("{path}: {error}"));
    }
}

/// Every kind of fault once, or as many as were asked for.
#[test]
#[allow(clippy::print_stderr, reason = "a campaign says how much it did")]
fn no_engine_contradicts_a_run() {
    let long = std::env::var_os("CWOLF_PAIRS").is_some();
    let (pairs, seed) = (
        number("CWOLF_PAIRS", kinds() as u64),
        number("CWOLF_SEED", 0),
    );
    let known = std::fs::read_to_string(KNOWN).unwrap_or_default();
    let known: BTreeSet<&str> = known.lines().collect();
    let mut counts = Counts::default();
    let mut wrong = Vec::new();
    let mut seen = BTreeSet::new();
    for seed in seed..seed + pairs {
        for one in compare(seed, &mut counts) {
            let kind = one.fault.split('/').next().unwrap_or_default().to_owned();
            let listed = known.contains(kind.as_str());
            seen.insert(kind);
            match (listed, long) {
                (false, false) => wrong.push(one.what),
                (_, true) => {
                    eprintln!(
                        "{} {}",
                        one.fault,
                        one.what.lines().next().unwrap_or_default()
                    );
                    wrong.push(one.what);
                }
                (true, false) => {}
            }
        }
    }
    eprint!("{}", counts.words());
    if !long && std::env::var_os("CWOLF_BLESS").is_some() {
        let text: String = seen.iter().map(|kind| format!("{kind}\n")).collect();
        std::fs::write(KNOWN, text).expect("a writable list");
        return;
    }
    assert!(
        wrong.is_empty(),
        "{}\n{} wrong answers",
        wrong.join("\n"),
        wrong.len()
    );
    let gone: Vec<&&str> = known
        .iter()
        .filter(|kind| !long && !seen.contains(**kind))
        .collect();
    assert!(
        gone.is_empty(),
        "right at last, take these out of known-wrong.txt: {gone:?}"
    );
}
