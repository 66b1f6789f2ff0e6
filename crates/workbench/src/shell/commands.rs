//! Every command but the simulator's.

use super::simulate::Simulator;
use super::{Answer, Failure, Reply, Session, words};
use crate::ccs::Loaded;
use crate::check::{Answer as Found, Doubt, Evidence, check, deadlock, reachable_state};
use crate::preorder::{Order, Preorder, below};
use crate::tell_apart::tell_apart;
use cwolf_lts::{
    Comparison, Equivalence, Evidence as Distinction, Format, Lts, Pass, Side, read_path_within,
    reduce, write,
};
use std::fmt::Write;
use std::path::Path;

/// How deep scripts may call scripts.
const MAX_SCRIPTS: u32 = 16;

/// The names of all commands.
pub(super) const COMMANDS: &[&str] = &[
    "load", "ls", "cat", "size", "compile", "min", "eq", "le", "chk", "search", "fd", "trans",
    "sim", "save", "es", "help", "quit",
];

/// What may stand after `-S`.
pub(super) fn options() -> impl Iterator<Item = &'static str> {
    let passes = Pass::CHEAP.into_iter().map(Pass::name);
    let equivalences = Equivalence::ALL.into_iter().map(Equivalence::name);
    let preorders = Preorder::ALL.into_iter().map(Preorder::name);
    let short = ["obseq", "bisim", "trace", "sim", "-S"];
    passes.chain(equivalences).chain(preorders).chain(short)
}

const HELP: &str = "\
load FILE           read definitions (.ccs), or a system (.aut, .dot, .json, .fsm, .vcg, .davinci) named after its file
ls                  list everything that has a name
cat NAME            show a definition
size P              count the states and transitions of a process
compile P [NAME]    build the system of a process, and give it a name
min [-S E] P [NAME] the smallest equivalent system (E: obseq, bisim, trace, branching, …)
eq [-S E] P Q       are they equivalent? (E: obseq, bisim, trace, may, must, branching, …)
le [-S O] P Q       is P below Q? (O: may, must, trace, sim, weak-simulation)
chk P FORMULA       does the formula (or proposition) hold?
search P FORMULA    find a state where the formula holds
fd P                find a deadlock
trans P             the first steps of a process
sim P               walk through a process
save P FILE         write the system of a process; the suffix chooses the format
es FILE             carry out the commands in a file
help, quit
A process is a name or an expression in brackets. Lines that start with # or * are comments.
";

impl Session {
    pub(super) fn command(&mut self, line: &str) -> Answer {
        let (command, rest) = words::split(line);
        match command {
            "load" => self.load(rest),
            "ls" => Ok(self.list()),
            "cat" => self.cat(rest),
            "size" => self.size(rest),
            "compile" => self.compile(rest),
            "min" => self.minimise(rest),
            "eq" => self.equivalent(rest),
            "le" => self.less(rest),
            "chk" => self.check(rest),
            "search" => self.search(rest),
            "fd" => self.find_deadlock(rest),
            "trans" => self.transitions(rest),
            "sim" => self.start_simulator(rest),
            "save" => self.save(rest),
            "es" => self.script(rest),
            "help" | "?" => Ok(Reply::text(HELP)),
            "quit" | "exit" | "bye" => Ok(Reply {
                quits: true,
                ..Reply::default()
            }),
            _ => said(format!("there is no command `{command}`; try help")),
        }
    }
    fn load(&mut self, rest: &str) -> Answer {
        let [file] = words::all(rest)[..] else {
            return said("load takes a file");
        };
        let path = Path::new(file);
        match Format::from_path(path) {
            Some(format) if format != Format::Cwb => {
                let lts = read_path_within(path, Some(format), &self.budget);
                let lts = lts.map_err(|e| match e.exhausted {
                    Some(reason) => reason.into(),
                    None => Failure::Said(e.to_string()),
                })?;
                let stem = path.file_name().unwrap_or_default().to_string_lossy();
                let stem = stem.split('.').next().unwrap_or_default().to_owned();
                self.bind(&stem, lts)?;
            }
            _ => {
                let text = read(path)?;
                let start = self.sources.add(file, text.as_str().into());
                self.env.load(&text, start)?;
                self.systems.clear();
            }
        }
        Ok(Reply::default())
    }
    fn list(&self) -> Reply {
        let mut text = String::new();
        for (kind, title) in [
            (Loaded::Process, "Processes:"),
            (Loaded::Set, "Sets:"),
            (Loaded::Proposition, "Propositions:"),
        ] {
            let names: Vec<&str> = self
                .env
                .names()
                .filter(|n| n.0 == kind)
                .map(|n| n.1)
                .collect();
            if !names.is_empty() {
                text += title;
                names.iter().for_each(|n| text += &format!(" {n}"));
                text.push('\n');
            }
        }
        Reply::text(text)
    }
    fn cat(&self, rest: &str) -> Answer {
        let mut text = String::new();
        for (kind, name) in self.env.names().filter(|n| n.1 == rest) {
            let span = self.env.definition_span(kind, name);
            text += match span.map(|s| self.sources.text(s).trim_end()) {
                Some(definition) => definition,
                None if kind == Loaded::Set => {
                    let actions = self.env.set(name).unwrap_or_default().join(", ");
                    text += &format!("set {name} = {{{actions}}}\n");
                    continue;
                }
                None => "(an automaton)",
            };
            text.push('\n');
        }
        match text.is_empty() {
            true => said(format!("there is nothing called `{rest}`")),
            false => Ok(Reply::text(text)),
        }
    }
    fn size(&mut self, rest: &str) -> Answer {
        let [process] = words::all(rest)[..] else {
            return said("size takes a process");
        };
        let lts = self.system(process)?;
        Ok(Reply::text(counts(&[&lts])))
    }
    fn compile(&mut self, rest: &str) -> Answer {
        let (process, name) = match words::all(rest)[..] {
            [process] => (process, None),
            [process, name] => (process, Some(name)),
            _ => return said("compile takes a process, and perhaps a new name"),
        };
        let lts = self.system(process)?;
        let text = building(&[&lts]);
        if let Some(name) = name {
            self.bind(name, Lts::clone(&lts))?;
        }
        Ok(Reply::text(text))
    }
    fn minimise(&mut self, rest: &str) -> Answer {
        let (option, list) = option(rest)?;
        let option = option.unwrap_or("obseq");
        let Some(pass) = Pass::from_name(option) else {
            return said(format!("there is no equivalence `{option}`"));
        };
        let (process, name) = match list[..] {
            [process] => (process, None),
            [process, name] => (process, Some(name)),
            _ => return said("min takes a process, and perhaps a new name"),
        };
        let lts = self.system(process)?;
        let small = reduce(&lts, pass, &self.budget)?.lts;
        let text = format!("{}Minimised:\n{}", building(&[&lts]), counts(&[&small]));
        if let Some(name) = name {
            self.bind(name, small)?;
        }
        Ok(Reply::text(text))
    }
    fn equivalent(&mut self, rest: &str) -> Answer {
        let (option, list) = option(rest)?;
        let option = option.unwrap_or("obseq");
        let [p, q] = list[..] else {
            return said("eq takes two processes");
        };
        let testing = match option {
            "may" => Some(Preorder::May),
            "must" => Some(Preorder::Must),
            _ => None,
        };
        let equivalence = Equivalence::from_name(option);
        if testing.is_none() && equivalence.is_none() {
            return said(format!("there is no equivalence `{option}`"));
        }
        let (a, b) = (self.system(p)?, self.system(q)?);
        let mut text = building(&[&a, &b]);
        if let Some(preorder) = testing {
            let forth = below(&a, &b, preorder, &self.budget)?;
            let back = below(&b, &a, preorder, &self.budget)?;
            text += match (&forth, &back) {
                (Order::Below, Order::Below) => "TRUE\n",
                (Order::NotBelow(_), _) | (_, Order::NotBelow(_)) => "FALSE...\n",
                _ => "UNKNOWN...\n",
            };
            for (order, first, second) in [(forth, p, q), (back, q, p)] {
                match order {
                    Order::Below => {}
                    Order::NotBelow(why) => {
                        text += &format!("{first} is not below {second}: {why}\n");
                    }
                    Order::Unknown(a, b) => text += &perhaps_the_same(&a, &b),
                }
            }
            return Ok(Reply::text(text));
        }
        let equivalence = equivalence.expect("it is not testing");
        match tell_apart(&a, &b, equivalence, &self.budget)? {
            Comparison::Equivalent => text += "TRUE\n",
            Comparison::Unknown(a, b) => {
                text += &format!("UNKNOWN...\n{}", perhaps_the_same(&a, &b));
            }
            Comparison::Different(evidence) => {
                text += "FALSE...\n";
                text += &match evidence {
                    Distinction::Trace { trace, only_in } => {
                        let name = if only_in == Side::First { p } else { q };
                        format!("only {name} can do: {}\n", trace.join(" "))
                    }
                    Distinction::Formula(formula) => {
                        format!("{p} satisfies: {formula}\n{q} does not.\n")
                    }
                    Distinction::TooLarge => String::new(),
                };
            }
        }
        Ok(Reply::text(text))
    }
    fn less(&mut self, rest: &str) -> Answer {
        let (option, list) = option(rest)?;
        let preorder = match option {
            None => Preorder::May,
            Some("trace") => Preorder::May,
            Some(name) => match Preorder::from_name(name) {
                Some(preorder) => preorder,
                None => return said(format!("there is no preorder `{name}`")),
            },
        };
        let [p, q] = list[..] else {
            return said("le takes two processes");
        };
        let (a, b) = (self.system(p)?, self.system(q)?);
        let mut text = building(&[&a, &b]);
        match below(&a, &b, preorder, &self.budget)? {
            Order::Below => text += "TRUE\n",
            Order::NotBelow(why) => text += &format!("FALSE...\n{why}\n"),
            Order::Unknown(a, b) => {
                text += &format!("UNKNOWN...\n{}", perhaps_the_same(&a, &b));
            }
        }
        Ok(Reply::text(text))
    }
    /// A process and a formula, both ready.
    fn question(
        &mut self,
        rest: &str,
        command: &str,
    ) -> Result<(String, std::sync::Arc<Lts>, u32), Failure> {
        // CWB-NC's `-L mu` names the logic; here all logics are one language.
        let rest = match words::split(rest) {
            ("-L", rest) => words::split(rest).1,
            _ => rest,
        };
        let (process, formula) = words::split(rest);
        if formula.is_empty() {
            let message = format!("{command} takes a process and a formula");
            return Err(Failure::Said(message));
        }
        let start = self.sources.add("<formula>", formula.into());
        let formula = self.env.formula(formula, start)?;
        Ok((process.to_owned(), self.system(process)?, formula))
    }
    fn check(&mut self, rest: &str) -> Answer {
        let (process, lts, formula) = self.question(rest, "chk")?;
        let verdict = check(&lts, self.env.formulas(), formula, &self.budget)?;
        let mut text = building(&[&lts]);
        match &verdict.answer {
            Found::Holds => text += "TRUE\n",
            Found::Fails => text += "FALSE\n",
            Found::Unknown(Doubt { label, action }) => {
                text += &format!("UNKNOWN: {label} may be {action} or not\n");
            }
        }
        text += &verdict.evidence.render(&lts);
        if let Evidence::Run(run) = verdict.evidence {
            self.last_run = Some((process, run));
        }
        Ok(Reply::text(text))
    }
    fn search(&mut self, rest: &str) -> Answer {
        let (process, lts, formula) = self.question(rest, "search")?;
        let found = reachable_state(&lts, self.env.formulas(), formula, &self.budget)?;
        let (found, doubt) = found;
        let text = match (&found, doubt) {
            (Some(run), None) => format!("Found:\n{}", run.render(&lts)),
            (Some(run), Some(Doubt { label, action })) => format!(
                "UNKNOWN: {label} may be {action} or not. Perhaps here:\n{}",
                run.render(&lts)
            ),
            (None, _) => "There is no such state.\n".to_owned(),
        };
        self.last_run = found.map(|run| (process, run));
        Ok(Reply::text(text))
    }
    fn find_deadlock(&mut self, rest: &str) -> Answer {
        let [process] = words::all(rest)[..] else {
            return said("fd takes a process");
        };
        let lts = self.system(process)?;
        let found = deadlock(&lts, &self.budget)?;
        let text = match &found {
            Some(run) => format!("Deadlock:\n{}", run.render(&lts)),
            None => "There is no deadlock.\n".to_owned(),
        };
        self.last_run = found.map(|run| (process.to_owned(), run));
        Ok(Reply::text(text))
    }
    fn transitions(&mut self, rest: &str) -> Answer {
        let [process] = words::all(rest)[..] else {
            return said("trans takes a process");
        };
        let lts = self.system(process)?;
        let mut text = String::new();
        for (label, target) in lts.from(lts.initial()) {
            let name = lts.labels().name(label);
            writeln!(text, "  --{name}--> {target}").expect("a string takes all");
        }
        if text.is_empty() {
            text += "There are no steps.\n";
        }
        Ok(Reply::text(text))
    }
    fn start_simulator(&mut self, rest: &str) -> Answer {
        let [process] = words::all(rest)[..] else {
            return said("sim takes a process");
        };
        let lts = self.system(process)?;
        let simulator = Simulator::new(process, lts);
        let text = simulator.show();
        self.simulator = Some(simulator);
        Ok(Reply::text(text))
    }
    fn save(&mut self, rest: &str) -> Answer {
        let [process, file] = words::all(rest)[..] else {
            return said("save takes a process and a file");
        };
        let path = Path::new(file);
        let Some(format) = Format::from_path(path) else {
            return said(format!("the name {file} does not tell a format"));
        };
        let lts = self.system(process)?;
        let mut bytes = Vec::new();
        write(format, &lts, &mut bytes)
            .and_then(|()| replace(path, &bytes))
            .map_err(|e| Failure::Said(format!("cannot write {file}: {e}")))?;
        Ok(Reply::default())
    }
    fn script(&mut self, rest: &str) -> Answer {
        let [file] = words::all(rest)[..] else {
            return said("es takes a file");
        };
        if self.depth >= MAX_SCRIPTS {
            return said(format!("more than {MAX_SCRIPTS} scripts call each other"));
        }
        let text = read(Path::new(file))?;
        let mut whole = Reply::default();
        self.depth += 1;
        for line in text.lines() {
            let reply = self.execute(line);
            whole.text += &reply.text;
            if reply.quits || reply.is_failure() {
                whole.diagnostics = reply.diagnostics;
                whole.error = match self.depth {
                    1 => reply.error.map(|e| format!("{file}: {e}")),
                    _ => reply.error,
                };
                whole.quits = reply.quits;
                break;
            }
        }
        self.depth -= 1;
        Ok(whole)
    }
}

/// Why two systems may or may not be the same.
fn perhaps_the_same(a: &str, b: &str) -> String {
    format!("{a} and {b} may be the same action or not\n")
}

fn said<T>(message: impl Into<String>) -> Result<T, Failure> {
    Err(Failure::Said(message.into()))
}

/// `-S NAME` and the words after it.
fn option(rest: &str) -> Result<(Option<&str>, Vec<&str>), Failure> {
    let mut list = words::all(rest);
    if list.first() != Some(&"-S") {
        return Ok((None, list));
    }
    if list.len() < 2 {
        return said("-S takes a name");
    }
    let name = list[1];
    list.drain(..2);
    Ok((Some(name), list))
}

fn counts(list: &[&Lts]) -> String {
    let states: usize = list.iter().map(|l| l.states()).sum();
    let transitions: usize = list.iter().map(|l| l.transitions()).sum();
    format!("States: {states}\nTransitions: {transitions}\n")
}

/// What the Workbench says while it works (thesis, Figure 4.13).
fn building(list: &[&Lts]) -> String {
    let counts = counts(list);
    format!("Building automaton...\n{counts}Done building automaton.\n")
}

/// Writes a file under a temporary name and renames it, so that no reader sees half of it.
fn replace(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.tmp", std::process::id()));
    let temporary = path.with_file_name(name);
    let written =
        std::fs::write(&temporary, bytes).and_then(|()| std::fs::rename(&temporary, path));
    if written.is_err() {
        let _ = std::fs::remove_file(&temporary);
    }
    written
}

fn read(path: &Path) -> Result<String, Failure> {
    let said =
        |e: &dyn std::fmt::Display| Failure::Said(format!("cannot read {}: {e}", path.display()));
    let bytes = std::fs::read(path).map_err(|e| said(&e))?;
    if bytes.len() > u32::MAX as usize / 4 {
        return Err(said(&"it is too large"));
    }
    String::from_utf8(bytes).map_err(|_| said(&"it is not UTF-8 text"))
}
