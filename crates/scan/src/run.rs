//! The questions of a scan: each function by itself, bottom up, several at the same time; where one fails, what its callers would have
//! to keep; and each `main`.

use crate::answer::Answer;
use crate::classify::Told;
use crate::functions::Function;
use crate::infer::weakest;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// How many questions the search for the weakest precondition may ask.
const TRIES: usize = 8;

/// A question about one entry function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// The number of the program.
    pub program: usize,
    /// Where it starts.
    pub entry: String,
    /// What callers keep.
    pub requires: Vec<String>,
    /// A hash of the code that matters.
    pub hash: String,
}

/// What came of a question.
#[derive(Clone, Debug)]
pub struct Asked {
    /// The answer.
    pub answer: Answer,
    /// How long it took, in seconds.
    pub seconds: f64,
}

/// Whoever answers.
pub trait Ask: Sync {
    /// Answers within a limit of time of its own.
    fn ask(&self, question: &Question) -> Asked;
    /// How many seconds may go into the search for preconditions of one function.
    fn allowance(&self) -> f64;
    /// Whether to stop now, with what there is.
    fn stop(&self) -> bool;
    /// Something is done.
    fn tell(&self, event: &Event<'_>);
}

/// What a scan tells while it runs.
#[derive(Clone, Debug)]
pub enum Event<'e> {
    /// A function is settled.
    Function(&'e Told),
    /// A program is settled.
    Program(&'e str, &'e Answer),
}

/// What is to be done.
#[derive(Clone, Debug, Default)]
pub struct Work {
    /// Functions with the number of the program that each is asked in, callees first.
    pub functions: Vec<(usize, Function)>,
    /// Programs with a `main`: number, name and that function.
    pub mains: Vec<(usize, String, Function)>,
}

/// All answers.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// About functions, in the order of the work.
    pub told: Vec<Told>,
    /// About programs.
    pub programs: Vec<(String, Answer)>,
    /// Whether something was not asked.
    pub partial: bool,
}

/// Asks everything, `jobs` questions at the same time.
pub fn run(work: &Work, jobs: usize, ask: &impl Ask) -> Outcome {
    let (functions, mains) = (work.functions.len(), work.mains.len());
    let told: Mutex<Vec<Option<Told>>> = Mutex::new(vec![None; functions]);
    let programs: Mutex<Vec<Option<(String, Told)>>> = Mutex::new(vec![None; mains]);
    let next = AtomicUsize::new(0);
    let partial = AtomicBool::new(false);
    let worker = || {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            if at >= functions + mains {
                break;
            }
            if ask.stop() {
                partial.store(true, Ordering::Relaxed);
                break;
            }
            // Programs first: they take longest, and what fails there needs no other evidence.
            if let Some((program, name, main)) = work.mains.get(at) {
                let asked = ask.ask(&Question {
                    program: *program,
                    entry: main.name.clone(),
                    requires: Vec::new(),
                    hash: main.hash.clone(),
                });
                ask.tell(&Event::Program(name, &asked.answer));
                let one = Told {
                    function: main.clone(),
                    answer: asked.answer,
                    usual: None,
                    precondition: None,
                    holds_under: false,
                    seconds: asked.seconds,
                };
                let mut programs = programs.lock().expect("no worker panicked");
                programs[at] = Some((name.clone(), one));
                continue;
            }
            let n = at - mains;
            let (program, function) = &work.functions[n];
            let one = about(*program, function, ask);
            ask.tell(&Event::Function(&one));
            told.lock().expect("no worker panicked")[n] = Some(one);
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..jobs.max(1) {
            scope.spawn(worker);
        }
    });
    let told = told.into_inner().expect("no worker panicked");
    let programs = programs.into_inner().expect("no worker panicked");
    let programs: Vec<(String, Told)> = programs.into_iter().flatten().collect();
    let mains = programs.iter().map(|(_, told)| told.clone());
    Outcome {
        told: told.into_iter().flatten().chain(mains).collect(),
        programs: programs
            .into_iter()
            .map(|(name, told)| (name, told.answer))
            .collect(),
        partial: partial.into_inner(),
    }
}

/// What is known of one function, and what excludes its failures.
fn about(program: usize, function: &Function, ask: &impl Ask) -> Told {
    let question = |requires: &[String]| Question {
        program,
        entry: function.name.clone(),
        requires: requires.to_vec(),
        hash: function.hash.clone(),
    };
    let first = ask.ask(&question(&[]));
    let mut seconds = first.seconds;
    let mut told = Told {
        function: function.clone(),
        answer: first.answer,
        usual: None,
        precondition: None,
        holds_under: false,
        seconds,
    };
    if !told.answer.fails() || ask.stop() {
        return told;
    }
    if function.candidates.is_empty() {
        // Callers have nothing to keep.
        told.usual = Some(told.answer.clone());
        return told;
    }
    let all = ask.ask(&question(&function.candidates));
    seconds += all.seconds;
    if !all.answer.fails() && !all.answer.checks.is_empty() {
        let proved = all.answer.verdict == "true";
        // A proof is not given up for an answer that only found nothing.
        let enough = |clauses: &[String]| {
            if seconds > ask.allowance() {
                return false;
            }
            let asked = ask.ask(&question(clauses));
            seconds += asked.seconds;
            let answer = asked.answer;
            !answer.fails() && !answer.checks.is_empty() && (!proved || answer.verdict == "true")
        };
        told.precondition = Some(weakest(&function.candidates, TRIES, enough));
        told.holds_under = proved;
    }
    told.usual = Some(all.answer);
    told.seconds = seconds;
    told
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::Checked;
    use cwolf_report::{Place, Status};

    /// A function that needs its first clause.
    struct Oracle(AtomicUsize);

    impl Ask for Oracle {
        fn ask(&self, question: &Question) -> Asked {
            self.0.fetch_add(1, Ordering::Relaxed);
            let good = question.requires.iter().any(|c| c == "p != \\null");
            let (verdict, status) = match good {
                true => ("true", Status::Holds),
                false => ("false", Status::Fails),
            };
            let check = Checked {
                kind: "pointer".into(),
                place: Place::default(),
                function: question.entry.clone(),
                text: "valid".into(),
                status,
                reason: None,
                trace: None,
            };
            let answer = Answer {
                verdict: verdict.into(),
                checks: vec![check],
                ..Answer::default()
            };
            Asked {
                answer,
                seconds: 1.0,
            }
        }
        fn allowance(&self) -> f64 {
            100.0
        }
        fn stop(&self) -> bool {
            self.0.load(Ordering::Relaxed) > 100
        }
        fn tell(&self, _: &Event<'_>) {}
    }

    fn function(name: &str) -> Function {
        Function {
            name: name.into(),
            place: Place::default(),
            exported: true,
            callers: Vec::new(),
            hash: String::new(),
            candidates: vec!["p != \\null".into(), "q != \\null".into()],
            public: true,
            opaque: Vec::new(),
        }
    }

    #[test]
    fn failures_lead_to_preconditions() {
        let work = Work {
            functions: vec![(0, function("f")), (0, function("g"))],
            mains: Vec::new(),
        };
        let outcome = run(&work, 2, &Oracle(AtomicUsize::new(0)));
        assert!(!outcome.partial);
        for told in &outcome.told {
            assert_eq!(
                told.precondition.as_deref(),
                Some(&["p != \\null".to_owned()][..])
            );
            assert!(told.holds_under);
        }
    }

    #[test]
    fn what_there_is_counts_when_time_is_over() {
        let work = Work {
            functions: vec![(0, function("f"))],
            mains: Vec::new(),
        };
        let outcome = run(&work, 1, &Oracle(AtomicUsize::new(200)));
        assert!(outcome.partial && outcome.told.is_empty());
    }
}
