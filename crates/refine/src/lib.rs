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
mod cost;
mod event_names;
mod exclude;
mod fit;
mod goal;
mod happens;
mod idle;
mod objects;
mod others;
mod replay;
mod sharpen;
mod tracked;

pub use abstract_run::AbstractRun;
use abstract_run::Lasso;
use cwolf_encode::BlockPath;
pub use fit::{Fitted, Subject, fit};
use goal::Asked;
pub use goal::Goal;
use others::Others;
pub use replay::{Confirmed, Settled};
pub use tracked::{Level, Tracked};

use cwolf_absint::domain::Universe;
use cwolf_absint::explore::{Explanation, Head, Model, Search, at_heads, explain, explore};
use cwolf_absint::machine::{Machine, Options, Position, Unfollowed};
use cwolf_absint::map::{Abstraction, LabelMap, Proposals, Text, parse_abstraction};
use cwolf_absint::slice::{CellKey, path_cells, recursion_cells};
use cwolf_base::{Budget, Exhausted, SourceMap};
use cwolf_cwi::graph::Analysed;
use cwolf_cwi::{BlockId, FuncId, LocId, Origin};
use cwolf_engines::Failure;
use cwolf_engines::path::{Followed, follow};
use cwolf_lts::Lts;
use cwolf_workbench::{Run, with_plain_inputs};

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
    /// What is to be decided.
    pub goal: Goal<'q>,
    /// What the first map keeps.
    pub first: First,
    /// States that a model may have.
    pub max_states: u64,
    /// Threads that explore.
    pub jobs: usize,
    /// Whether runs are followed block by block in models of library functions and in stubs, too.
    pub follow_all: bool,
}

impl Question<'_> {
    /// Whether a map can keep a cell. A map that is part of the answer must name it.
    fn can_keep(&self, proposals: &Proposals<'_>, cell: &CellKey) -> bool {
        match self.goal {
            Goal::Formula { .. } => proposals.spelling(cell).is_some(),
            Goal::Never(_) => proposals.is_kept(cell),
        }
    }
    /// Whether a run is followed block by block in a function. Else it is encoded as a whole.
    fn follows(&self, func: FuncId) -> bool {
        let function = &self.program.funcs[func];
        function.body.is_some() && (self.follow_all || function.origin == Origin::Program)
    }
}

/// What the first map keeps.
#[derive(Clone, Debug)]
pub enum First {
    /// Nothing but pointers.
    Nothing,
    /// All that may decide which event comes next.
    Relevant,
    /// What an earlier question found.
    Found(Tracked),
}

/// What came of it.
#[derive(Debug)]
pub enum Answer {
    /// Every run of the program was covered: the formula holds, or (if it asks for some run) does
    /// not.
    Proved,
    /// The program has this run, which shows the contrary.
    Shown(Box<Shown>),
    /// The program has this run to a label that should never be seen; nobody has made it yet.
    Reached(Box<Reached>),
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

/// A run to a label that should never be seen.
#[derive(Debug)]
pub struct Reached {
    /// What the run must be given.
    pub failure: Failure,
    /// The block whose step has the label.
    pub block: (FuncId, BlockId),
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
    /// What that keeps.
    pub tracked: Tracked,
    /// What was reached at the heads of loops, for a proof that a label is never seen.
    pub heads: Vec<Head>,
    /// What the machine did not follow in the last model.
    pub unfollowed: Unfollowed,
    /// The block that a run comes to of which it is not known whether the program has it.
    pub stuck: Option<(FuncId, BlockId)>,
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
/// More combinations of values are not told for a loop.
const MOST_ROWS: usize = 64;
/// A longer run is not followed.
const LONGEST_WAY: usize = 20_000;
/// So many rounds of a run that goes on for ever are followed to see whether the program leaves it.
const MORE_ROUNDS: [usize; 3] = [5, 17, 65];
/// More blocks of such rounds are not followed.
const LONGEST_ROUNDS: usize = 2_000;

/// Decides a formula. `tell` is given a line about each round.
pub fn decide(question: &Question<'_>, budget: &Budget, tell: &mut dyn FnMut(&str)) -> Outcome {
    let mut proposals = Proposals::new(question.program, question.entry, question.labels);
    let tracked = match &question.first {
        First::Nothing => Tracked::default(),
        First::Relevant => Tracked::relevant(&mut proposals),
        First::Found(tracked) => tracked.clone(),
    };
    let mut seeker = Seeker {
        question,
        proposals,
        tracked,
        unbounded: false,
        recursion: match question.goal {
            Goal::Formula { .. } => recursion_cells(question.program, question.entry)
                .into_iter()
                .collect(),
            Goal::Never(_) => Vec::new(),
        },
        outcome: Outcome {
            tracked: Tracked::default(),
            heads: Vec::new(),
            unfollowed: Unfollowed::default(),
            stuck: None,
            answer: Answer::Unknown(Reason::new("nothing was done")),
            map: String::new(),
            rounds: 0,
            states: 0,
            lts: None,
            explanation: None,
            notes: Vec::new(),
        },
    };
    let answer = match question.goal.is_of_both() {
        true => Answer::Unknown(
            Reason::new("the formula asks for all runs and for some run at once, which no model with more runs than the program decides")
                .help("write a map (-a), and check the model with `cwolf check`"),
        ),
        false => seeker.run(budget, tell).unwrap_or_else(|why| Answer::Unknown(Reason::new(format!("{why}")))),
    };
    if let Goal::Formula { .. } = question.goal {
        seeker.outcome.map = seeker.text();
    }
    seeker.outcome.tracked = seeker.tracked;
    seeker.outcome.answer = answer;
    seeker.outcome
}

struct Seeker<'q> {
    question: &'q Question<'q>,
    proposals: Proposals<'q>,
    tracked: Tracked,
    /// What decides how deep functions call themselves, as far as it is not kept.
    recursion: Vec<CellKey>,
    /// Whether a value is kept of which nobody knows whether it is one of few.
    unbounded: bool,
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
        let universe = Universe::default();
        let abstraction = abstraction(question, &universe, &mut self.proposals, &self.tracked);
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
            until: question.goal.stops_at(),
            ..Search::default()
        };
        let most = match self.recursion.is_empty() && !self.unbounded {
            true => question.max_states,
            false => question.max_states.min(MOST_UNBOUNDED),
        };
        let states = budget.clone().max_steps(most);
        let model = explore(&mut machine, question.entry, &search, &states);
        self.outcome.states = model.lts.states();
        self.outcome.notes = machine.notes();
        self.outcome.unfollowed = machine.unfollowed();
        // Only formulas name inputs.
        let lts = match question.goal {
            Goal::Formula { .. } => Some(with_plain_inputs(&model.lts)),
            Goal::Never(_) => None,
        };
        let asked = (question.goal).ask(&model, lts.as_ref().unwrap_or(&model.lts), budget)?;
        tell(&format!(
            "round {}: {} kept, {} states",
            self.outcome.rounds,
            self.tracked.len(),
            model.lts.states()
        ));
        let answer = match (asked, model.partial) {
            (Asked::Decided | Asked::NoRun | Asked::Doubt(_), Some(_)) if self.unbounded => {
                self.unbounded = false;
                None
            }
            (Asked::Doubt(doubt), _) if self.sharpen(&doubt, tell) => None,
            (Asked::Doubt(doubt), _) => {
                let text = format!("`{}` may be `{}` or not", doubt.label, doubt.action);
                let help =
                    "all that is stored in this value is kept already, as far as a map can name it";
                Some(Answer::Unknown(Reason::new(text).help(help)))
            }
            (Asked::Decided, None) => {
                if let Goal::Never(_) = question.goal {
                    self.outcome.heads = at_heads(&machine, &model, MOST_ROWS);
                }
                Some(Answer::Proved)
            }
            (Asked::NoRun, None) => Some(Answer::Unknown(Reason::new(
                "the model violates the formula, but no single run of it shows that",
            ))),
            (Asked::Decided | Asked::NoRun, Some(_)) if !self.recursion.is_empty() => {
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
            (Asked::Decided | Asked::NoRun, Some(why)) => {
                let text = format!(
                    "no run {}, but the model is incomplete: {why}",
                    match question.goal {
                        Goal::Formula { .. } => "that violates it",
                        Goal::Never(_) => "fails",
                    }
                );
                Some(Answer::Unknown(
                    Reason::new(text).help("raise --max-states, --max-memory or --timeout"),
                ))
            }
            (Asked::Run(run), _) => {
                let system = lts.as_ref().unwrap_or(&model.lts);
                self.search((&machine, &model), system, run, budget, tell)?
            }
        };
        if let (Some(Answer::Unknown(_)), Goal::Formula { .. }) = (&answer, question.goal) {
            self.outcome.explanation = Some(explain(&machine, &model));
        }
        self.outcome.lts = lts;
        Ok(answer)
    }
    /// Looks for a run of the model that is one of the program, beginning with one that violates the formula; an answer, or a finer map.
    fn search(
        &mut self,
        (machine, model): (&Machine<'_>, &Model),
        lts: &Lts,
        mut run: Run,
        budget: &Budget,
        tell: &mut dyn FnMut(&str),
    ) -> Result<Option<Answer>, Exhausted> {
        let mut others: Option<Others> = None;
        let mut first = None;
        loop {
            let found = match &others {
                Some(others) => others.in_model(&run),
                None => run.clone(),
            };
            let (reason, steps) = match self.examine(machine, model, &found, budget, tell)? {
                Examined::Answer(answer) => return Ok(Some(answer)),
                Examined::Finer => return Ok(None),
                Examined::Open { reason, steps } => (reason, steps),
            };
            let reason = first.get_or_insert(reason).clone();
            let unknown = Ok(Some(Answer::Unknown(reason)));
            // Without a formula, others look for failures.
            if let Goal::Never(_) = self.question.goal {
                return unknown;
            }
            let left = others.get_or_insert_with(|| Others::new(lts));
            if !left.without(&run, steps) {
                return unknown;
            }
            // That no other run of the model violates it proves nothing: the map alone has to show it.
            match (self.question.goal).ask(model, left.lts(), budget)? {
                Asked::Run(next) => run = next,
                _ => return unknown,
            }
        }
    }
    /// Is a run of the model one of the program? If not, the map becomes finer.
    fn examine(
        &mut self,
        machine: &Machine<'_>,
        model: &Model,
        run: &Run,
        budget: &Budget,
        tell: &mut dyn FnMut(&str),
    ) -> Result<Examined, Exhausted> {
        let question = self.question;
        let steps: Vec<String> = run.steps.iter().map(|s| s.label.clone()).collect();
        let prefix = question.goal.prefix(&steps, budget)?;
        let count = prefix.unwrap_or(steps.len());
        let found = AbstractRun::new(question, machine, &model.states, (run, count));
        // What goes on for ever is followed until it comes to the same block for the third time.
        let lasso = run.repeats_from.filter(|_| prefix.is_none());
        let (found, repeats) = match lasso {
            Some(from) => match Lasso::new(question, machine, &model.states, (run, from), 2) {
                Some(lasso) => (lasso.run, Some(lasso.position)),
                None => (found, None),
            },
            None => (found, None),
        };
        if found.blocks.len() > LONGEST_WAY {
            self.outcome.stuck = seen_at(&found);
            return Ok(Examined::unknown(format!(
                "a run of the model {}, and it is too long to be followed ({} blocks)",
                question.goal.violates(),
                found.blocks.len()
            )));
        }
        let steps = found.labels.len();
        let open = |text: String| {
            let reason = Reason::new(text);
            Ok(Examined::Open { reason, steps })
        };
        let ends = found.positions.last().map(|p| p.0) == Some(Position::Halted);
        let way = match conditions::path(question, &found) {
            Ok(way) => way,
            Err(text) => return open(text),
        };
        match follow(question.closed, question.start, way.clone(), budget)? {
            Followed::Taken(failure) => {
                // A bad prefix, or all of a run that ends; the steps of a strategy decide by themselves.
                if let (Goal::Never(_), Some(block)) = (question.goal, seen_at(&found)) {
                    let failure = *failure;
                    let reached = Box::new(Reached { failure, block });
                    return Ok(Examined::Answer(Answer::Reached(reached)));
                }
                let modal = question.goal.is_modal();
                let whole = prefix.is_some() || run.repeats_from.is_none() && (ends || modal);
                if !whole {
                    let shown = match (run.repeats_from, repeats) {
                        (Some(_), Some(position)) => self.repeat(&found, &way, position, budget)?,
                        _ => None,
                    };
                    if let (None, Some(from)) = (&shown, lasso)
                        && let Some(examined @ Examined::Finer) =
                            self.left_later(machine, model, (run, from), budget, tell)?
                    {
                        return Ok(examined);
                    }
                    return match (shown, run.repeats_from) {
                        (Some(shown), _) => Ok(Examined::Answer(Answer::Shown(Box::new(shown)))),
                        (None, Some(_)) => open(
                            "a run of the model violates the formula by never ending; the program begins this run, but it was not proved that it repeats it".to_owned(),
                        ),
                        (None, None) => open(
                            "a run of the model violates the formula by stopping where C does not define what comes next".to_owned(),
                        ),
                    };
                }
                let confirmed = replay::confirm(question, &way, &failure, budget);
                if !confirmed.follows {
                    return open(format!(
                        "a run that decides the formula was found, but the interpreter does not repeat it: {}",
                        confirmed.end
                    ));
                }
                Ok(Examined::Answer(Answer::Shown(Box::new(Shown {
                    repeats: false,
                    labels: found.visible(),
                    places: found.places(question.program),
                    confirmed,
                }))))
            }
            Followed::Undecided(why) => {
                self.outcome.stuck = seen_at(&found);
                if let Goal::Formula { .. } = question.goal
                    && let Some(finer) = self.cheaper(&found, budget)?
                {
                    return Ok(self.keep_finer(finer, "perhaps not a run of the program", tell));
                }
                open(format!(
                    "a run of the model {}, and it is not known whether the program has it: {why}",
                    question.goal.violates()
                ))
            }
            Followed::Contradicts(positions) => self.contradicted(&found, &positions, budget, tell),
        }
    }
    /// The program does not have a run of the model: the map becomes finer, if one tells that.
    fn contradicted(
        &mut self,
        found: &AbstractRun,
        positions: &[usize],
        budget: &Budget,
        tell: &mut dyn FnMut(&str),
    ) -> Result<Examined, Exhausted> {
        let question = self.question;
        let positions = conditions::own_positions(question, found, positions);
        let demanded = conditions::demanded(question, found);
        let blocks = &found.blocks;
        let mut cells = path_cells(question.program, blocks, &positions, &demanded);
        let mut finer = self.excluding(&cells, found, budget)?;
        if finer.is_none() {
            // A label may show what no condition on the way reads.
            let values = sharpen::in_labels(question);
            if !values.is_subset(&cells) {
                cells.extend(values);
                finer = self.excluding(&cells, found, budget)?;
            }
        }
        if let Goal::Formula { .. } = &question.goal {
            let costly = finer.as_ref().is_none_or(|finer| {
                exclude::is_costly(question, &mut self.proposals, (&self.tracked, finer))
            });
            if costly {
                finer = self.cheaper(found, budget)?.or(finer);
            }
        }
        if let Some(finer) = finer {
            return Ok(self.keep_finer(finer, "not a run of the program", tell));
        }
        self.outcome.stuck = seen_at(found);
        let reason = self.stuck(found, &positions, &cells);
        let last = positions.last().copied().unwrap_or(usize::MAX);
        // The same blocks are on no way of the program.
        let to = found.reached.iter().position(|blocks| *blocks > last);
        let steps = to.filter(|n| *n > 0).unwrap_or(found.labels.len());
        Ok(Examined::Open { reason, steps })
    }
    /// A run of the model that goes on for ever may be one that the program leaves after some rounds: then the map becomes finer.
    fn left_later(
        &mut self,
        machine: &Machine<'_>,
        model: &Model,
        (run, from): (&Run, usize),
        budget: &Budget,
        tell: &mut dyn FnMut(&str),
    ) -> Result<Option<Examined>, Exhausted> {
        let question = self.question;
        for rounds in MORE_ROUNDS {
            let states = &model.states;
            let Some(lasso) = Lasso::new(question, machine, states, (run, from), rounds) else {
                return Ok(None);
            };
            let found = lasso.run;
            if found.blocks.len() > LONGEST_ROUNDS {
                return Ok(None);
            }
            let Ok(way) = conditions::path(question, &found) else {
                return Ok(None);
            };
            match follow(question.closed, question.start, way, budget)? {
                Followed::Taken(_) => {}
                Followed::Undecided(_) => return Ok(None),
                Followed::Contradicts(positions) => {
                    return self
                        .contradicted(&found, &positions, budget, tell)
                        .map(Some);
                }
            }
        }
        Ok(None)
    }
    /// Goes on with a finer map.
    fn keep_finer(&mut self, finer: Tracked, why: &str, tell: &mut dyn FnMut(&str)) -> Examined {
        let known = self.tracked.len();
        self.unbounded = finer.exact() > self.tracked.exact()
            && matches!(self.question.goal, Goal::Formula { .. });
        self.tracked = finer;
        let added = self.tracked.names(&mut self.proposals, known);
        tell(&format!("  {why}; kept from now on: {added}"));
        Examined::Finer
    }
    /// What takes few values and excludes a run, of all that decides branches on its way.
    fn cheaper(
        &mut self,
        found: &AbstractRun,
        budget: &Budget,
    ) -> Result<Option<Tracked>, Exhausted> {
        let question = self.question;
        let demanded = conditions::demanded(question, found);
        let all: Vec<usize> = (0..=found.blocks.len()).collect();
        let way = path_cells(question.program, &found.blocks, &all, &demanded);
        let (proposals, tracked) = (&mut self.proposals, &self.tracked);
        exclude::cheaper(question, proposals, tracked, &way, found, budget)
    }
    /// What must be kept of some cells to exclude a run.
    fn excluding(
        &mut self,
        cells: &std::collections::BTreeSet<CellKey>,
        run: &AbstractRun,
        budget: &Budget,
    ) -> Result<Option<Tracked>, Exhausted> {
        let (proposals, tracked) = (&mut self.proposals, &self.tracked);
        exclude::refine(self.question, proposals, tracked, cells, run, budget)
    }
    /// Whether the program repeats the last part of a way for ever: if it comes to the same memory again, but for what nothing depends
    /// on, it does, with the same values chosen each time.
    fn repeat(
        &mut self,
        found: &AbstractRun,
        way: &BlockPath,
        position: usize,
        budget: &Budget,
    ) -> Result<Option<Shown>, Exhausted> {
        let question = self.question;
        let mut way = way.clone();
        way.repeats = conditions::closed_positions(question, found)
            .get(position)
            .copied();
        way.idle = idle::idle(question);
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
    ) -> Reason {
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
            "a run of the model {}; the program does not have it, but no domain of single variables excludes it (the branch{at} contradicts what came before)",
            self.question.goal.violates()
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
        reason
    }
}

/// What came of looking at a run of a model.
enum Examined {
    /// It decides.
    Answer(Answer),
    /// The map became finer.
    Finer,
    /// It does not decide, and no map excludes it; so it is for all runs that begin with so many of its steps.
    Open {
        /// Why.
        reason: Reason,
        /// So many steps.
        steps: usize,
    },
}

impl Examined {
    fn unknown(text: String) -> Examined {
        Examined::Answer(Answer::Unknown(Reason::new(text)))
    }
}

/// The block whose step is the last that a run makes.
fn seen_at(run: &AbstractRun) -> Option<(FuncId, BlockId)> {
    let before = run.positions.len().checked_sub(2)?;
    match run.positions[before].0 {
        Position::Code(func, block, _) => Some((func, block)),
        _ => None,
    }
}

/// The abstraction that keeps these cells. Where the map is part of the answer, it is what that says.
fn abstraction(
    question: &Question<'_>,
    universe: &Universe,
    proposals: &mut Proposals<'_>,
    tracked: &Tracked,
) -> Abstraction {
    match question.goal {
        Goal::Formula { .. } => read(question.program, universe, &tracked.print(proposals)),
        Goal::Never(_) => {
            Abstraction::keeping(question.program, universe, tracked.domains(proposals))
        }
    }
}

/// The abstraction that a map says; the map is our own, so it fits.
fn read(program: &Analysed, universe: &Universe, text: &str) -> Abstraction {
    let map = Text {
        name: "<automatic>",
        text,
    };
    let mut sources = SourceMap::default();
    let mut load = |_: &str| Err("no libraries".to_owned());
    let read = parse_abstraction(program, universe, &mut sources, map, &mut load);
    read.unwrap_or_else(|errors| {
        let first = errors.iter().next().map(|d| d.message.clone());
        panic!("a map of our own is wrong: {first:?}\n{text}")
    })
}
