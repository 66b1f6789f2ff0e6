//! Automatic abstraction (thesis, 7.1.3): from a program and a formula to the abstraction map that
//! decides it, by counterexample-guided refinement over explicit values (Clarke et al. 2000; Beyer
//! and Löwe 2013).
//!
//! It starts from ⊤ for all data. A run of the model that violates the formula is followed exactly
//! ([`cwolf_engines::path`]). If the program has it, the interpreter makes it, and that is the
//! answer. If not, the conditions that contradict each other say which variables matter; those
//! enter the map, in a domain that fits how they are used, until the abstract machine knows that the
//! run is impossible. Each round adds something that was not there, so that the loop ends.

mod abstract_run;
mod conditions;
mod exclude;
mod replay;
mod tracked;

pub use abstract_run::AbstractRun;
use abstract_run::Lasso;
use cwolf_encode::Way;
pub use replay::Confirmed;
pub use tracked::{Level, Tracked};

use cwolf_absint::domain::Universe;
use cwolf_absint::explore::{Explanation, Model, Search, explain, explore};
use cwolf_absint::machine::{Machine, Options, Position};
use cwolf_absint::map::{Abstraction, LabelMap, Proposals, Text, parse_abstraction};
use cwolf_absint::slice::{CellKey, path_cells, recursion_cells};
use cwolf_base::{Budget, Exhausted, SourceMap};
use cwolf_cwi::graph::Analysed;
use cwolf_cwi::{FuncId, LocId};
use cwolf_engines::path::{Followed, follow};
use cwolf_lts::Lts;
use cwolf_workbench::{
    Evidence, FormulaId, Formulas, Run, Speaks, check, decisive_prefix, with_plain_inputs,
};

/// What is asked.
pub struct Question<'q> {
    /// The program that models are made of.
    pub program: &'q Analysed,
    /// Where it starts.
    pub entry: FuncId,
    /// The same program closed, so that runs of it can be encoded and made: its functions and
    /// blocks have the same numbers, and there may be more of them.
    pub closed: &'q Analysed,
    /// Where that starts: a function without parameters.
    pub start: FuncId,
    /// What is seen.
    pub labels: &'q LabelMap,
    /// How the abstract machine runs.
    pub options: Options,
    /// The formulas.
    pub formulas: &'q Formulas,
    /// The one that is asked.
    pub formula: FormulaId,
    /// States that a model may have.
    pub max_states: u64,
    /// Threads that explore.
    pub jobs: usize,
}

/// What came of it.
#[derive(Debug)]
pub enum Answer {
    /// Every run of the program was covered: the formula holds, or (if it asks for some run) does
    /// not.
    Proved,
    /// The program has this run, which shows the contrary.
    Shown(Box<Shown>),
    /// Neither.
    Unknown(Reason),
}

/// A run of the program that decides a formula.
#[derive(Debug)]
pub struct Shown {
    /// Whether it goes on for ever: its last part comes to the same memory again.
    pub repeats: bool,
    /// What the model shows on the way, internal steps left out.
    pub labels: Vec<String>,
    /// Where its blocks stand in the source.
    pub places: Vec<LocId>,
    /// What the interpreter says of it.
    pub confirmed: Confirmed,
}

/// Why there is no answer, and what would be needed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    /// A plain sentence.
    pub text: String,
    /// What could help, if that is known.
    pub help: Option<String>,
}

impl Reason {
    fn new(text: impl Into<String>) -> Reason {
        Reason {
            text: text.into(),
            help: None,
        }
    }
    fn help(self, help: impl Into<String>) -> Reason {
        Reason {
            help: Some(help.into()),
            ..self
        }
    }
}

/// An answer with what it rests on.
pub struct Outcome {
    /// The answer.
    pub answer: Answer,
    /// The map that gives it, for `cwolf model -a`.
    pub map: String,
    /// How many models were made.
    pub rounds: usize,
    /// How many states the last one has.
    pub states: usize,
    /// The last model, with inputs named as in formulas.
    pub lts: Option<Lts>,
    /// Why the last model is as it is, if there is no answer.
    pub explanation: Option<Explanation>,
    /// What the user should know about the last model, each with its place.
    pub notes: Vec<(LocId, String)>,
}

/// So many models at most.
const MOST_ROUNDS: usize = 200;
/// As long as it is not kept how deep functions call themselves, a model with more states has no end.
const MOST_UNBOUNDED: u64 = 1 << 16;

/// Decides a formula. `tell` is given a line about each round.
pub fn decide(question: &Question<'_>, budget: &Budget, tell: &mut dyn FnMut(&str)) -> Outcome {
    let speaks = question.formulas.speaks(question.formula);
    let mut seeker = Seeker {
        question,
        proposals: Proposals::new(question.program, question.entry, question.labels),
        tracked: Tracked::default(),
        recursion: recursion_cells(question.program, question.entry)
            .into_iter()
            .collect(),
        outcome: Outcome {
            answer: Answer::Unknown(Reason::new("nothing was done")),
            map: String::new(),
            rounds: 0,
            states: 0,
            lts: None,
            explanation: None,
            notes: Vec::new(),
        },
    };
    let answer = match speaks {
        Speaks::OfBoth => Answer::Unknown(
            Reason::new("the formula asks for all runs and for some run at once, which no model with more runs than the program decides")
                .help("write a map (-a), and check the model with `cwolf check`"),
        ),
        _ => seeker.run(budget, tell).unwrap_or_else(|why| Answer::Unknown(Reason::new(format!("{why}")))),
    };
    seeker.outcome.map = seeker.text();
    seeker.outcome.answer = answer;
    seeker.outcome
}

struct Seeker<'q> {
    question: &'q Question<'q>,
    proposals: Proposals<'q>,
    tracked: Tracked,
    /// What decides how deep functions call themselves, as far as it is not kept.
    recursion: Vec<CellKey>,
    outcome: Outcome,
}

impl Seeker<'_> {
    fn text(&mut self) -> String {
        self.tracked.print(&mut self.proposals)
    }
    fn run(&mut self, budget: &Budget, tell: &mut dyn FnMut(&str)) -> Result<Answer, Exhausted> {
        loop {
            self.outcome.rounds += 1;
            if self.outcome.rounds > MOST_ROUNDS {
                return Ok(Answer::Unknown(Reason::new(format!(
                    "{MOST_ROUNDS} refinements were not enough"
                ))));
            }
            budget.check_but_steps()?;
            if let Some(answer) = self.round(budget, tell)? {
                return Ok(answer);
            }
        }
    }
    /// Makes a model and asks it; an answer, or a finer map.
    fn round(
        &mut self,
        budget: &Budget,
        tell: &mut dyn FnMut(&str),
    ) -> Result<Option<Answer>, Exhausted> {
        let question = self.question;
        let text = self.text();
        let universe = Universe::default();
        let abstraction = read(question, &universe, &text);
        let mut machine = Machine::new(
            question.program,
            &universe,
            &abstraction,
            question.labels,
            question.options,
        );
        let search = Search {
            jobs: question.jobs,
            keep: true,
            ..Search::default()
        };
        let most = match self.recursion.is_empty() {
            true => question.max_states,
            false => question.max_states.min(MOST_UNBOUNDED),
        };
        let states = budget.clone().max_steps(most);
        let model = explore(&mut machine, question.entry, &search, &states);
        self.outcome.states = model.lts.states();
        self.outcome.notes = machine.notes();
        let lts = with_plain_inputs(&model.lts);
        let verdict = check(&lts, question.formulas, question.formula, budget)?;
        tell(&format!(
            "round {}: {} kept, {} states",
            self.outcome.rounds,
            self.tracked.len(),
            lts.states()
        ));
        let holds = match verdict.answer {
            cwolf_workbench::Answer::Holds => true,
            cwolf_workbench::Answer::Fails => false,
            cwolf_workbench::Answer::Unknown(doubt) => {
                self.outcome.explanation = Some(explain(&machine, &model));
                self.outcome.lts = Some(lts);
                let text = format!("`{}` may be `{}` or not", doubt.label, doubt.action);
                let help = "keep the variable in this label by an abstraction map (-a)";
                return Ok(Some(Answer::Unknown(Reason::new(text).help(help))));
            }
        };
        let run = run_of(question, &lts, verdict.evidence);
        let answer = match (run, model.partial) {
            (None, None) if decides(question, holds) => Some(Answer::Proved),
            (None, None) => Some(Answer::Unknown(Reason::new(
                "the model violates the formula, but no single run of it shows that",
            ))),
            (None, Some(_)) if !self.recursion.is_empty() => {
                let known = self.tracked.len();
                for cell in std::mem::take(&mut self.recursion) {
                    self.tracked.keep(&cell, Level::Suggested);
                }
                let added = self.tracked.names(&mut self.proposals, known);
                tell(&format!(
                    "  functions call themselves without end; kept from now on: {added}"
                ));
                None
            }
            (None, Some(why)) => {
                self.outcome.explanation = Some(explain(&machine, &model));
                let text = format!("no run that violates it, but the model is not whole: {why}");
                Some(Answer::Unknown(
                    Reason::new(text).help("raise --max-states, --max-memory or --timeout"),
                ))
            }
            (Some(run), _) => self.examine(&machine, &model, &run, budget, tell)?,
        };
        if matches!(answer, Some(Answer::Unknown(_))) && self.outcome.explanation.is_none() {
            self.outcome.explanation = Some(explain(&machine, &model));
        }
        self.outcome.lts = Some(lts);
        Ok(answer)
    }
    /// Is a run of the model one of the program? If not, the map becomes finer.
    fn examine(
        &mut self,
        machine: &Machine<'_>,
        model: &Model,
        run: &Run,
        budget: &Budget,
        tell: &mut dyn FnMut(&str),
    ) -> Result<Option<Answer>, Exhausted> {
        let question = self.question;
        let steps: Vec<String> = run.steps.iter().map(|s| s.label.clone()).collect();
        let prefix = decisive_prefix(question.formulas, question.formula, &steps, budget)?;
        let count = prefix.unwrap_or(steps.len());
        let found = AbstractRun::new(machine, &model.states, run, count);
        // What goes on for ever is followed until it comes to the same block for the third time.
        let lasso = run.repeats_from.filter(|_| prefix.is_none());
        let (found, repeats) = match lasso {
            Some(from) => match Lasso::new(machine, &model.states, run, from) {
                Some(lasso) => (lasso.run, Some(lasso.position)),
                None => (found, None),
            },
            None => (found, None),
        };
        let ends = found.positions.last().map(|p| p.0) == Some(Position::Halted);
        let way = match conditions::way(question, &found) {
            Ok(way) => way,
            Err(text) => return Ok(Some(Answer::Unknown(Reason::new(text)))),
        };
        let blocks = found.blocks.clone();
        match follow(question.closed, question.start, way.clone(), budget)? {
            Followed::Taken(failure) => {
                // A bad prefix, or all of a run that ends; the steps of a strategy decide by themselves.
                let modal = question.formulas.is_modal(question.formula);
                let whole = prefix.is_some() || run.repeats_from.is_none() && (ends || modal);
                if !whole {
                    let shown = match (run.repeats_from, repeats) {
                        (Some(_), Some(position)) => self.repeat(&found, &way, position, budget)?,
                        _ => None,
                    };
                    return Ok(Some(match (shown, run.repeats_from) {
                        (Some(shown), _) => Answer::Shown(Box::new(shown)),
                        (None, Some(_)) => Answer::Unknown(Reason::new(
                            "a run of the model goes on for ever and violates the formula; the program begins it, but it is not shown that it repeats it",
                        )),
                        (None, None) => Answer::Unknown(Reason::new(
                            "a run of the model violates the formula by stopping where C does not define what comes next",
                        )),
                    }));
                }
                let confirmed = replay::confirm(question, &way, &failure, budget);
                if !confirmed.follows {
                    return Ok(Some(Answer::Unknown(Reason::new(format!(
                        "a run that decides the formula was found, but the interpreter does not repeat it: {}",
                        confirmed.end
                    )))));
                }
                Ok(Some(Answer::Shown(Box::new(Shown {
                    repeats: false,
                    labels: found.visible(),
                    places: found.places(question.program),
                    confirmed,
                }))))
            }
            Followed::Undecided(why) => Ok(Some(Answer::Unknown(Reason::new(format!(
                "a run of the model violates the formula, and whether the program has it is not known: {why}"
            ))))),
            Followed::Contradicts(positions) => {
                let mut cells = path_cells(question.program, &blocks, &positions);
                cells.extend(conditions::cells(question, &found, &positions));
                let known = self.tracked.len();
                match exclude::refine(
                    question,
                    &mut self.proposals,
                    &self.tracked,
                    &cells,
                    &found,
                    budget,
                )? {
                    Some(finer) => {
                        self.tracked = finer;
                        let added = self.tracked.names(&mut self.proposals, known);
                        tell(&format!(
                            "  not a run of the program; kept from now on: {added}"
                        ));
                        Ok(None)
                    }
                    None => Ok(Some(self.stuck(&found, &positions, &cells))),
                }
            }
        }
    }
    /// Whether the program repeats the last part of a way for ever: if it comes to the same memory again, it does,
    /// with the same values chosen each time.
    fn repeat(
        &mut self,
        found: &AbstractRun,
        way: &Way,
        position: usize,
        budget: &Budget,
    ) -> Result<Option<Shown>, Exhausted> {
        let question = self.question;
        let mut way = way.clone();
        way.repeats = Some(conditions::closed_position(question, found, position));
        let Followed::Taken(failure) =
            follow(question.closed, question.start, way.clone(), budget)?
        else {
            return Ok(None);
        };
        let confirmed = replay::confirm(question, &way, &failure, budget);
        Ok(confirmed.follows.then(|| Shown {
            repeats: true,
            labels: found.visible(),
            places: found.places(question.program),
            confirmed,
        }))
    }
    /// No domain for single variables tells that a run is impossible.
    fn stuck(
        &mut self,
        found: &AbstractRun,
        positions: &[usize],
        cells: &std::collections::BTreeSet<CellKey>,
    ) -> Answer {
        let program = self.question.program;
        let last = positions.last().copied().unwrap_or(0);
        let place = found
            .blocks
            .get(last.saturating_sub(1))
            .and_then(|(f, b)| Some(program.funcs[*f].body.as_ref()?.blocks[*b].loc));
        let mut names: Vec<String> = Vec::new();
        let mut nameless: Vec<String> = Vec::new();
        for cell in cells {
            match self.proposals.spelling(cell) {
                Some(s) if s.function.is_empty() => names.push(s.name),
                Some(s) => names.push(format!("{}:{}", s.function, s.name)),
                None => nameless.push(program.vars[cell.0].name.clone()),
            }
        }
        nameless.sort();
        nameless.dedup();
        let at = place.map_or(String::new(), |loc| {
            format!(" at {}", program.locations.describe(loc))
        });
        let text = format!(
            "a run of the model violates the formula; the program does not have it, but no domain of single variables tells that (the branch{at} contradicts what came before)"
        );
        let mut reason = Reason::new(text);
        let list = |names: &[String]| match names.len() {
            0..=6 => names.join(", "),
            n => format!("{} and {} more", names[..6].join(", "), n - 6),
        };
        let mut help = Vec::new();
        if !names.is_empty() {
            help.push(format!("it takes a relation between {}", list(&names)));
        }
        if !nameless.is_empty() {
            help.push(format!("no map can name {}", list(&nameless)));
        }
        if !help.is_empty() {
            reason = reason.help(help.join("; "));
        }
        Answer::Unknown(reason)
    }
}

/// Whether a verdict without a run proves something of the program: a model has all runs of the
/// program and more.
fn decides(question: &Question<'_>, holds: bool) -> bool {
    match question.formulas.speaks(question.formula) {
        Speaks::OfAllRuns => holds,
        Speaks::OfSomeRun => !holds,
        Speaks::OfBoth => false,
    }
}

/// The run that decides a formula. A strategy that never leaves a choice to the other side is one,
/// if nothing at its end rests on other runs.
fn run_of(question: &Question<'_>, lts: &Lts, evidence: Evidence) -> Option<Run> {
    match evidence {
        Evidence::Run(run) => {
            let (formulas, asked) = (question.formulas, question.formula);
            (formulas.is_linear(asked) || formulas.is_modal(asked)).then_some(run)
        }
        Evidence::AllRuns => None,
        Evidence::Strategy(edges) => {
            if !question.formulas.is_modal(question.formula) {
                return None;
            }
            let mut run = Run {
                start: lts.initial(),
                steps: Vec::new(),
                repeats_from: None,
            };
            let mut visited = vec![lts.initial()];
            let mut at = lts.initial();
            let mut left = edges;
            while !left.is_empty() {
                let mut from = left.iter().enumerate().filter(|(_, e)| e.0 == at);
                let (n, _) = from.next()?;
                if from.next().is_some() {
                    return None;
                }
                let (_, label, to) = left.remove(n);
                run.steps.push(cwolf_workbench::Step { label, state: to });
                if let Some(n) = visited.iter().position(|s| *s == to) {
                    run.repeats_from = Some(n);
                    return left.is_empty().then_some(run);
                }
                visited.push(to);
                at = to;
            }
            Some(run)
        }
    }
}

/// The abstraction that a map says; the map is our own, so it fits.
fn read(question: &Question<'_>, universe: &Universe, text: &str) -> Abstraction {
    let map = Text {
        name: "<automatic>",
        text,
    };
    let mut sources = SourceMap::default();
    let mut load = |_: &str| Err("no libraries".to_owned());
    let read = parse_abstraction(question.program, universe, &mut sources, map, &mut load);
    read.unwrap_or_else(|errors| {
        let first = errors.iter().next().map(|d| d.message.clone());
        panic!("a map of our own is wrong: {first:?}\n{text}")
    })
}
