//! What all answers say together about each function.

use crate::answer::{Answer, Checked};
use crate::functions::Function;
use cwolf_report::{Place, Status};
use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::Value;

/// What is known of a function, worst last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// No check in it fails, whatever callers pass; or, for a function that only this program calls, whatever these pass.
    Proved,
    /// Nothing fails that was found, but not everything is decided.
    Unknown,
    /// A check fails if callers may pass anything.
    Conditional,
    /// A check fails although callers keep what parameters suggest, and all that it reads may be chosen freely.
    Likely,
    /// A run of the program, from `main`, fails.
    Real,
}

impl Class {
    /// One word for it.
    pub fn name(self) -> &'static str {
        match self {
            Class::Proved => "proved",
            Class::Unknown => "unknown",
            Class::Conditional => "conditional",
            Class::Likely => "likely",
            Class::Real => "real",
        }
    }
}

/// What shows a failure.
#[derive(Clone, Debug, PartialEq)]
pub struct Evidence {
    /// The function that the failing run starts at.
    pub entry: String,
    /// The run, as in the report of `cwolf verify`.
    pub trace: Option<Value>,
}

/// A check that fails.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// Its kind.
    pub kind: String,
    /// Where.
    pub place: Place,
    /// The function it is in.
    pub function: String,
    /// What goes wrong.
    pub message: String,
    /// What must hold.
    pub text: String,
    /// How sure it is: real, likely or conditional.
    pub class: Class,
    /// The failing run.
    pub evidence: Evidence,
    /// Clauses of ACSL that exclude it, if some were found.
    pub precondition: Option<Vec<String>>,
    /// What the run reads that may have an invariant which nobody wrote down.
    pub opaque: Vec<String>,
    /// What tells it from others, also after edits elsewhere.
    pub fingerprint: String,
    /// A comment says that it is known and right.
    pub suppressed: bool,
    /// The baseline has it.
    pub known: bool,
}

/// What is known of one function.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Its name.
    pub function: String,
    /// Where it is defined.
    pub place: Place,
    /// All of it in one word.
    pub class: Class,
    /// How many checks it has.
    pub checks: usize,
    /// How many of them hold or are never reached.
    pub proved: usize,
    /// Those that fail.
    pub findings: Vec<Finding>,
    /// Why something is unknown.
    pub reason: Option<String>,
    /// What its callers must keep, if that was found.
    pub precondition: Option<Vec<String>>,
    /// Whether everything in it is proved for callers who keep that.
    pub holds_under: bool,
    /// How long it took, in seconds.
    pub seconds: f64,
}

/// What was asked about one function.
#[derive(Clone, Debug)]
pub struct Told {
    /// The function.
    pub function: Function,
    /// What is known if callers may pass anything.
    pub answer: Answer,
    /// If it fails then: what is known if callers keep what its parameters suggest.
    pub usual: Option<Answer>,
    /// What excludes its failures, if that was found.
    pub precondition: Option<Vec<String>>,
    /// Whether everything holds for callers who keep that.
    pub holds_under: bool,
    /// How long it took.
    pub seconds: f64,
}

type Key = (Place, String, String);

/// A function by file and name: `static` ones may share a name.
type Name<'t> = (&'t str, &'t str);

fn name_of(told: &Told) -> Name<'_> {
    (&told.function.place.file, &told.function.name)
}

fn key(check: &Checked) -> Key {
    let (place, kind, text) = check.key();
    (place.clone(), kind.to_owned(), text.to_owned())
}

/// The rows of all functions. `programs` are the answers about each `main`.
pub fn classify(told: &[Told], programs: &[(String, Answer)]) -> Vec<Row> {
    let mut by_check: FxHashMap<Key, FxHashMap<Name<'_>, &Checked>> = FxHashMap::default();
    for one in told {
        for check in &one.answer.checks {
            let of = by_check.entry(key(check)).or_default();
            of.insert(name_of(one), check);
        }
    }
    let mut real: FxHashMap<Key, (&str, &Checked)> = FxHashMap::default();
    for (program, answer) in programs {
        for check in answer.checks.iter().filter(|c| c.status == Status::Fails) {
            real.entry(key(check)).or_insert((program, check));
        }
    }
    let by_name: FxHashMap<Name<'_>, &Told> = told.iter().map(|t| (name_of(t), t)).collect();
    let mut rows: Vec<Row> = told
        .iter()
        .map(|one| {
            let own = own_checks(one);
            let mut row = Row {
                function: one.function.name.clone(),
                place: one.function.place.clone(),
                class: Class::Proved,
                checks: own.len(),
                proved: 0,
                findings: Vec::new(),
                reason: None,
                precondition: one.precondition.clone(),
                holds_under: one.holds_under,
                seconds: one.seconds,
            };
            for check in own {
                let entries = &by_check[&key(check)];
                let context = Context {
                    entries,
                    by_name: &by_name,
                };
                if let Some((_, failing)) = real.get(&key(check)) {
                    row.class = row.class.max(Class::Real);
                    let found = finding(failing, "main", Class::Real);
                    row.findings.push(found);
                } else if context.settled(name_of(one), &mut FxHashSet::default()) {
                    row.proved += 1;
                } else if let Some((entry, failing)) = context.outermost(name_of(one)) {
                    let entry = by_name[&entry];
                    let found = conditional(entry, failing);
                    row.class = row.class.max(found.class);
                    row.findings.push(found);
                } else if check.status != Status::AfterFailure {
                    row.class = row.class.max(Class::Unknown);
                    let reason = check.reason.clone().or_else(|| one.answer.reason.clone());
                    row.reason = row.reason.take().or(reason);
                }
            }
            if row.checks == 0 && one.answer.verdict == "unknown" {
                row.class = Class::Unknown;
                row.reason = one.answer.reason.clone();
            }
            if row.class == Class::Proved {
                row.precondition = None;
            }
            row
        })
        .collect();
    rows.sort_by(|a, b| a.place.cmp(&b.place));
    rows
}

/// The checks that stand in the function itself; those of a header it includes belong to nobody else.
fn own_checks(told: &Told) -> Vec<&Checked> {
    let own = |c: &&Checked| c.function == told.function.name;
    told.answer.checks.iter().filter(own).collect()
}

/// A failure that a run from `entry` shows. It is likely if anybody may call that function, all that it reads may be chosen freely, and it
/// fails although the caller keeps what its parameters suggest.
fn conditional(entry: &Told, failing: &Checked) -> Finding {
    let name = &entry.function.name;
    let usual = entry.usual.iter().flat_map(|answer| &answer.checks);
    let mut usual = usual.filter(|c| c.status == Status::Fails && c.key() == failing.key());
    match usual.next() {
        Some(still) if entry.function.public && entry.function.opaque.is_empty() => {
            finding(still, name, Class::Likely)
        }
        still => Finding {
            precondition: entry.precondition.clone(),
            opaque: match still {
                Some(_) => entry.function.opaque.clone(),
                None => Vec::new(),
            },
            ..finding(failing, name, Class::Conditional)
        },
    }
}

fn finding(check: &Checked, entry: &str, class: Class) -> Finding {
    Finding {
        kind: check.kind.clone(),
        place: check.place.clone(),
        function: check.function.clone(),
        message: check.message(),
        text: check.text.clone(),
        class,
        evidence: Evidence {
            entry: entry.to_owned(),
            trace: check.trace.clone(),
        },
        precondition: None,
        opaque: Vec::new(),
        fingerprint: String::new(),
        suppressed: false,
        known: false,
    }
}

/// One check as each entry function sees it.
struct Context<'c> {
    entries: &'c FxHashMap<Name<'c>, &'c Checked>,
    by_name: &'c FxHashMap<Name<'c>, &'c Told>,
}

impl<'c> Context<'c> {
    /// Whether the check holds in all calls of a function: whatever is passed, or whatever its callers pass, if nobody
    /// else can call it.
    fn settled(&self, function: Name<'c>, seen: &mut FxHashSet<Name<'c>>) -> bool {
        let Some(told) = self.by_name.get(&function) else {
            return false;
        };
        if let Some(check) = self.entries.get(&function)
            && matches!(check.status, Status::Holds | Status::Unreachable)
        {
            return true;
        }
        if told.function.exported || told.function.callers.is_empty() || !seen.insert(function) {
            return false;
        }
        let mut callers = told.function.callers.iter();
        // Only functions of the same file call a function that is not exported.
        callers.all(|caller| self.settled((function.0, caller), seen))
    }
    /// The failing run that starts farthest out: callers pass what they pass, and not anything.
    fn outermost(&self, function: Name<'c>) -> Option<(Name<'c>, &'c Checked)> {
        let mut found = None;
        let mut seen: FxHashSet<Name<'c>> = FxHashSet::default();
        let mut work = vec![function];
        while let Some(name) = work.pop() {
            let Some(told) = self.by_name.get(&name) else {
                continue;
            };
            if !seen.insert(name) {
                continue;
            }
            match self.entries.get(&name) {
                Some(check) if check.status == Status::Fails => found = Some((name, *check)),
                _ => continue,
            }
            if !told.function.exported {
                let callers = told.function.callers.iter();
                work.extend(callers.map(|caller| (name.0, caller.as_str())));
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(function: &str, status: Status) -> Checked {
        Checked {
            kind: "bounds".into(),
            place: Place {
                file: "a.c".into(),
                line: 1,
                column: 1,
            },
            function: function.into(),
            text: "inside".into(),
            status,
            reason: Some("time".into()),
            trace: None,
        }
    }

    fn told(name: &str, exported: bool, callers: &[&str], checks: Vec<Checked>) -> Told {
        Told {
            function: Function {
                name: name.into(),
                place: Place::default(),
                exported,
                callers: callers.iter().map(ToString::to_string).collect(),
                hash: String::new(),
                candidates: Vec::new(),
                public: exported,
                opaque: Vec::new(),
            },
            answer: Answer {
                verdict: "unknown".into(),
                checks,
                ..Answer::default()
            },
            usual: None,
            precondition: None,
            holds_under: false,
            seconds: 0.0,
        }
    }

    #[test]
    fn callers_settle_what_anybody_could_break() {
        let leaf = told("leaf", false, &["top"], vec![check("leaf", Status::Fails)]);
        let mut good = told("top", true, &[], vec![check("leaf", Status::Holds)]);
        good.answer.verdict = "true".into();
        let rows = classify(&[leaf.clone(), good], &[]);
        assert!(rows.iter().all(|r| r.class == Class::Proved), "{rows:?}");
        let bad = told("top", true, &[], vec![check("leaf", Status::Fails)]);
        let rows = classify(&[leaf.clone(), bad], &[]);
        let row = rows.iter().find(|r| r.function == "leaf").expect("a row");
        assert_eq!(row.class, Class::Conditional);
        assert_eq!(row.findings[0].evidence.entry, "top");
        let open = told("top", true, &[], vec![check("leaf", Status::Undecided)]);
        let rows = classify(&[leaf, open], &[]);
        let row = rows.iter().find(|r| r.function == "leaf").expect("a row");
        assert_eq!(row.class, Class::Conditional);
    }

    /// SOUND: others may call what is exported.
    #[test]
    fn callers_do_not_settle_for_others() {
        let leaf = told("leaf", true, &["top"], vec![check("leaf", Status::Fails)]);
        let good = told("top", true, &[], vec![check("leaf", Status::Holds)]);
        let rows = classify(&[leaf, good], &[]);
        assert!(rows.iter().any(|r| r.class == Class::Conditional));
    }

    #[test]
    fn what_usual_callers_meet_is_likely() {
        let mut api = told("api", true, &[], vec![check("api", Status::Fails)]);
        let class = |told: &Told| classify(std::slice::from_ref(told), &[])[0].class;
        assert_eq!(class(&api), Class::Conditional);
        api.usual = Some(api.answer.clone());
        assert_eq!(class(&api), Class::Likely);
        api.function.opaque = vec!["*p".into()];
        let rows = classify(std::slice::from_ref(&api), &[]);
        assert_eq!(rows[0].class, Class::Conditional);
        assert_eq!(rows[0].findings[0].opaque, ["*p"]);
        api.function.opaque.clear();
        api.function.public = false;
        assert_eq!(class(&api), Class::Conditional);
    }

    /// SOUND: functions that call each other settle nothing for each other.
    #[test]
    fn a_cycle_of_callers_is_no_proof() {
        let a = told("a", false, &["b"], vec![check("a", Status::Undecided)]);
        let b = told("b", false, &["a"], vec![check("a", Status::Undecided)]);
        let rows = classify(&[a, b], &[]);
        let row = rows.iter().find(|r| r.function == "a").expect("a row");
        assert_eq!(
            (row.class, row.reason.as_deref()),
            (Class::Unknown, Some("time"))
        );
    }

    #[test]
    fn a_run_of_the_program_is_real() {
        let leaf = told("leaf", true, &[], vec![check("leaf", Status::Fails)]);
        let main = Answer {
            verdict: "false".into(),
            checks: vec![check("leaf", Status::Fails)],
            ..Answer::default()
        };
        let rows = classify(&[leaf], &[("tool".into(), main)]);
        assert_eq!(rows[0].class, Class::Real);
        assert_eq!(rows[0].findings[0].class, Class::Real);
    }
}
