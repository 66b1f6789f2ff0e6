//! The programs of `tests/verdicts`: each was answered wrongly once. A file is two programs, the
//! second with `TWIN` defined, and its first lines say what is true of both:
//!
//! ```c
//! // EXPECT: false(pointer)
//! // TWIN: true
//! // FLAGS: --property overflow
//! ```
//!
//! The default configuration must give that verdict; an engine by itself may also be unsure.
//! `known-wrong.txt` lists what is not so yet, a line for a program and an engine. A line that is
//! no longer needed fails the test, so that the list shrinks. `CWOLF_ONLY=name` runs some files,
//! `CWOLF_ENGINES=name,name` asks some engines, `CWOLF_MILLIS` is the time of an engine by itself.

use crate::ask::{Asked, Said, engines, formula, selection};
use crate::number;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// For the default configuration (much more than it needs, as the machine may be busy), and, in milliseconds, for an engine by itself.
const LONG: Duration = Duration::from_secs(120);
const SHORT: u64 = 500;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/verdicts")
}

/// The rest of the line that starts with `// key:`.
pub fn header<'t>(text: &'t str, key: &str) -> Option<&'t str> {
    let start = format!("// {key}: ");
    text.lines().find_map(|line| line.strip_prefix(&start))
}

/// Compiles a file, or its twin.
pub fn asked(path: &Path, text: &str, twin: bool) -> Asked {
    let flags = header(text, "FLAGS").unwrap_or_default();
    let (kinds, mut options) = match flags.strip_prefix("--prop ") {
        Some(property) => (formula(property), Vec::new()),
        None => {
            let words: Vec<&str> = flags.split_whitespace().collect();
            let at = words.iter().position(|w| *w == "--property");
            let names = at.map_or("", |at| words[at + 1]);
            let rest = words.iter().filter(|w| {
                ["-D", "-std", "-m32", "--target="]
                    .iter()
                    .any(|s| w.starts_with(s))
            });
            (selection(names), rest.copied().collect())
        }
    };
    if twin {
        options.push("-DTWIN");
    }
    Asked::file(path, kinds, &options)
}

/// Whether a verdict is one of those that are allowed, such as `unknown or false(pointer)`.
pub fn allowed(said: &Said, expected: &str) -> bool {
    expected.split(" or ").any(|one| match (said, one) {
        (Said::False(_), "false") => true,
        (Said::False(kind), _) => one == format!("false({kind})"),
        _ => said.word() == one,
    })
}

/// What was found.
#[derive(Default)]
struct Found {
    /// Wrong answers, a line each.
    wrong: BTreeSet<String>,
    /// Programs and engines that ran out of time: on a faster machine they may be wrong.
    late: BTreeSet<String>,
}

/// Asks every engine about one program.
fn look(name: &str, asked: &Asked, expected: &str, found: &mut Found) {
    for engine in engines() {
        let alone = engine != "default";
        let short = Duration::from_millis(number("CWOLF_MILLIS", SHORT));
        let said = asked.ask(engine, if alone { short } else { LONG });
        if matches!(&said, Said::Unknown(why) if why.contains("time limit")) {
            found.late.insert(format!("{name} {engine}"));
        }
        let unsure = alone && said.word() == "unknown";
        // An engine by itself may find another of several failures.
        let word = alone && expected.starts_with(said.word());
        if !unsure && !word && !allowed(&said, expected) {
            let line = format!("{name} {engine} {}", said.word());
            found.wrong.insert(line);
        }
    }
}

fn stem(path: &Path) -> &str {
    let stem = path.file_stem().and_then(|stem| stem.to_str());
    stem.expect("a name that is text")
}

/// Asks about a file and about its twin.
fn look_at_file(path: &Path, found: &mut Found) {
    let text = fs::read_to_string(path).expect("a readable file");
    for (key, suffix) in [("EXPECT", ""), ("TWIN", "+twin")] {
        let expected = header(&text, key).expect("both verdicts");
        let name = format!("{}{suffix}", stem(path));
        look(&name, &asked(path, &text, key == "TWIN"), expected, found);
    }
}

/// Asks about all files, as many at a time as there are cores: this test takes longer than all others together.
fn look_at_all(files: &[PathBuf]) -> Found {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut found = Found::default();
        while let Some(path) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
            look_at_file(path, &mut found);
        }
        found
    };
    let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..cores).map(|_| scope.spawn(work)).collect();
        let mut all = Found::default();
        for worker in workers {
            let found = worker.join().expect("no panic");
            all.wrong.extend(found.wrong);
            all.late.extend(found.late);
        }
        all
    })
}

#[test]
fn verdicts_are_right() {
    let only = std::env::var("CWOLF_ONLY").unwrap_or_default();
    let mut files: Vec<PathBuf> = fs::read_dir(folder())
        .expect("the folder")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|e| e == "c"))
        .collect();
    files.retain(|path| stem(path).contains(&only));
    files.sort();
    let found = look_at_all(&files);
    let list = folder().join("known-wrong.txt");
    if std::env::var_os("CWOLF_BLESS").is_some() && only.is_empty() {
        let text: String = found.wrong.iter().map(|line| format!("{line}\n")).collect();
        fs::write(&list, text).expect("a writable list");
    }
    let known = fs::read_to_string(&list).unwrap_or_default();
    let asked = engines();
    let is_asked = |line: &&str| line.split(' ').nth(1).is_some_and(|e| asked.contains(&e));
    let known = known
        .lines()
        .filter(|line| line.contains(&only))
        .filter(is_asked);
    let known: BTreeSet<String> = known.map(str::to_owned).collect();
    let new: Vec<_> = found.wrong.difference(&known).collect();
    let gone: Vec<_> = known
        .difference(&found.wrong)
        .filter(|line| !found.late.iter().any(|late| line.starts_with(late)))
        .collect();
    assert!(new.is_empty(), "wrong answers: {new:#?}");
    assert!(
        gone.is_empty(),
        "right at last, take these lines out of {}: {gone:#?}",
        list.display()
    );
}
