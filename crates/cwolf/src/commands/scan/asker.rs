//! Answers the questions of a scan: from the cache, or by `cwolf verify` in a process of its own, so that no function can
//! take the others with it.

use super::project::Project as Files;
use crate::args::{Scan, duration};
use crate::project;
use crate::render::Console;
use anyhow::{Context, Result};
use cwolf_base::Budget;
use cwolf_scan::cache::Cache;
use cwolf_scan::{Answer, Ask, Asked, Event, Question};
use indicatif::ProgressBar;
use serde_json::Value;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// How much longer than one function a whole program may take.
const MAIN: u32 = 5;
/// What a process may take beyond its own limit before it is ended.
const GRACE: Duration = Duration::from_secs(10);

pub struct Asker<'a> {
    program: PathBuf,
    programs: &'a [PathBuf],
    /// The C files of each program, as a command line names them.
    sources: &'a [String],
    folder: &'a Path,
    timeout: Duration,
    property: &'a [String],
    /// What the project file says about single functions.
    settings: BTreeMap<String, Vec<OsString>>,
    cache: Option<Cache>,
    /// What tells this build of cwolf from others: answers of another may differ.
    build: String,
    budget: &'a Budget,
    console: &'a Console,
    progress: ProgressBar,
    count: AtomicUsize,
    cached: AtomicUsize,
}

impl<'a> Asker<'a> {
    pub fn new(
        args: &'a Scan,
        project: &'a Files,
        folder: &'a Path,
        cache: Option<Cache>,
        budget: &'a Budget,
        console: &'a Console,
    ) -> Result<Asker<'a>> {
        let total = project.work.functions.len() + project.work.mains.len();
        let program = std::env::current_exe().context("cannot find the program itself")?;
        let made = std::fs::metadata(&program);
        let made = made.map(|m| (m.len(), m.modified().ok()));
        Ok(Asker {
            build: format!("{made:?}"),
            program,
            programs: &project.programs,
            sources: &project.sources,
            folder,
            timeout: args.function_timeout,
            property: &args.property,
            settings: project::of_functions(Path::new(".")).map_err(anyhow::Error::msg)?,
            cache,
            budget,
            console,
            progress: console.progress("checking functions", total as u64),
            count: AtomicUsize::new(0),
            cached: AtomicUsize::new(0),
        })
    }

    pub fn finish(&self) {
        self.progress.finish_and_clear();
        let (asked, cached) = (
            self.count.load(Ordering::Relaxed),
            self.cached.load(Ordering::Relaxed),
        );
        self.console.detail(&format!(
            "{asked} questions, {cached} answers from the cache"
        ));
    }

    fn settings(&self, question: &Question) -> &[OsString] {
        self.settings
            .get(&question.entry)
            .map_or(&[], Vec::as_slice)
    }

    fn limit(&self, question: &Question) -> Duration {
        let words = self.settings(question).iter().filter_map(|w| w.to_str());
        let mut own = words.filter_map(|word| word.strip_prefix("--timeout="));
        if let Some(own) = own.next_back().and_then(|time| duration(time).ok()) {
            return own;
        }
        match question.entry == "main" {
            true => self.timeout * MAIN,
            false => self.timeout,
        }
    }

    fn key(&self, question: &Question) -> String {
        let limit = format!("{:?}", self.limit(question));
        let requires = question.requires.join("\n");
        let property = self.property.join(",");
        let settings = format!("{:?}", self.settings(question));
        let parts = [
            &question.hash,
            &question.entry,
            &requires,
            &limit,
            &property,
            &settings,
            &self.build,
        ];
        Cache::key(&parts.map(String::as_str))
    }

    /// Asks a process; none if it ended in a way that says nothing about the function.
    fn verify(&self, question: &Question) -> Result<Answer, Answer> {
        let n = self.count.fetch_add(1, Ordering::Relaxed);
        let document = self.folder.join(format!("answer{n}.json"));
        let bundle = self.folder.join(format!("bundle{n}"));
        let limit = self.limit(question);
        let mut command = Command::new(&self.program);
        command
            .env(project::IGNORE, "1")
            .args(["--quiet", "verify", "--entry", &question.entry])
            .args(self.settings(question))
            .arg(format!("--timeout={}ms", limit.as_millis()))
            .arg(format!("--json={}", document.display()))
            .arg(format!("--bundle={}", bundle.display()));
        for clause in &question.requires {
            command.arg(format!("--requires={clause}"));
        }
        let property = match self.property.is_empty() {
            true => "assertion,unreach-call,bounds,pointer,division-by-zero".to_owned(),
            false => self.property.join(","),
        };
        command
            .arg(format!("--property={property}"))
            .arg(&self.programs[question.program])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let child = command.spawn();
        let mut child =
            child.map_err(|e| Answer::unknown(format!("cannot start a process: {e}")))?;
        let ended = self.wait(&mut child, limit + GRACE);
        let text = std::fs::read_to_string(&document).unwrap_or_default();
        let _ = std::fs::remove_file(&document);
        let _ = std::fs::remove_dir_all(&bundle);
        // A command that repeats a run names files that will still be there.
        let program = self.programs[question.program].display().to_string();
        let text = text.replace(&program, &self.sources[question.program]);
        let value: Value = serde_json::from_str(&text).unwrap_or_default();
        let answer = Answer::read(&value["result"]);
        answer.ok_or_else(|| {
            let said = value["messages"].as_array().into_iter().flatten();
            let said = said.filter_map(|m| m["text"].as_str()).next_back();
            Answer::unknown(match (ended, said) {
                (None, _) => "the time limit was reached".to_owned(),
                (_, Some(said)) => said.to_owned(),
                (Some(6), _) => "an internal error of cwolf; please report it".into(),
                // `verify` has no other way to end without a document.
                (Some(5), _) => "out of memory".into(),
                (Some(code), _) => format!("the check ended with exit code {code} and no answer"),
            })
        })
    }

    /// Waits for a process, and ends it when its time is over; the exit code, if it ended by itself.
    fn wait(&self, child: &mut Child, limit: Duration) -> Option<i32> {
        let started = Instant::now();
        loop {
            match child.try_wait() {
                Ok(Some(status)) => return Some(status.code().unwrap_or(-1)),
                Ok(None) if started.elapsed() < limit && !self.stop() => {
                    std::thread::sleep(Duration::from_millis(10));
                }
                _ => {
                    let _ = child.kill();
                    let _ = child.wait();
                    return None;
                }
            }
        }
    }
}

impl Ask for Asker<'_> {
    fn ask(&self, question: &Question) -> Asked {
        let started = Instant::now();
        // How long the question took is kept with its answer: what is asked next may depend on it.
        let seconds = || (started.elapsed().as_secs_f64() * 1000.0).round() / 1000.0;
        let key = self.key(question);
        let known = self.cache.as_ref().and_then(|cache| cache.get(&key));
        let answer = match known {
            Some(answer) => {
                self.cached.fetch_add(1, Ordering::Relaxed);
                answer
            }
            None => match self.verify(question) {
                Ok(mut answer) => {
                    answer.seconds = seconds();
                    if let Some(cache) = &self.cache {
                        cache.put(&key, &answer);
                    }
                    answer
                }
                Err(mut answer) => {
                    answer.seconds = seconds();
                    answer
                }
            },
        };
        Asked {
            seconds: answer.seconds,
            answer,
        }
    }

    fn allowance(&self) -> f64 {
        self.timeout.as_secs_f64()
    }

    fn stop(&self) -> bool {
        self.budget.check(0).is_err()
    }

    fn tell(&self, event: &Event<'_>) {
        self.progress.inc(1);
        match event {
            Event::Function(told) => {
                self.console.detail(&format!(
                    "{}: {} {} ({:.1} s)",
                    told.function.place, told.function.name, told.answer.verdict, told.seconds
                ));
            }
            Event::Program(name, answer) => {
                self.console
                    .detail(&format!("program {name}: {}", answer.verdict));
            }
        }
    }
}
