//! A map without a formula: whatever decides which labelled event comes next is kept, as far as the model stays within a size. Where it does
//! not, what tells most of its states apart is kept in a coarser domain, or not at all, and so on.

use crate::read;
use cwolf_absint::domain::Universe;
use cwolf_absint::explore::{Search, explore, heaviest, repetition};
use cwolf_absint::machine::{Machine, Options};
use cwolf_absint::map::{Choice, LabelMap, Map, Proposals, Spelling};
use cwolf_absint::slice::CellKey;
use cwolf_base::{Budget, Exhausted};
use cwolf_cwi::graph::Analysed;
use cwolf_cwi::{FuncId, Origin, VarId};
use rustc_hash::FxHashMap;

/// What a map is made for.
pub struct Subject<'s> {
    /// The program, and where it starts.
    pub program: &'s Analysed,
    /// Where it starts.
    pub entry: FuncId,
    /// What is seen.
    pub labels: &'s LabelMap,
    /// How the abstract machine runs.
    pub options: Options,
    /// How the model is explored.
    pub search: Search,
}

/// A map that was made so.
pub struct Fitted {
    /// Its text.
    pub map: String,
    /// What is kept in a coarser domain than its uses suggest, or not at all.
    pub coarser: Vec<String>,
    /// Whether its model is within the size.
    pub fits: bool,
}

/// Nothing is kept.
const TOP: &str = "top";
/// After one round a model should have about this share of its states.
const SHARE: usize = 4;
/// So many models at most.
const MOST_ROUNDS: usize = 100;

/// The map whose model has at most so many states; at no limit, the finest. `tell` is given a line about each round. If even the program's control alone has more
/// states, [`Fitted::fits`] says so.
pub fn fit(
    subject: &Subject<'_>,
    most_states: Option<u64>,
    budget: &Budget,
    tell: &mut dyn FnMut(&str),
) -> Fitted {
    let mut knobs = Knobs::new(subject);
    let Some(most) = most_states else {
        return knobs.fitted(true);
    };
    let states = budget.clone().max_steps(most);
    for round in 1.. {
        let heavy = match too_heavy(subject, &knobs, &states) {
            TooHeavy::Not => break,
            TooHeavy::Recursion => knobs.merge(),
            TooHeavy::Cells(heavy) if round <= MOST_ROUNDS => knobs.turn(&heavy),
            TooHeavy::Cells(_) => Vec::new(),
        };
        // Nothing in its last states tells many of them apart: then it is all of it together.
        let turned = match heavy.is_empty() {
            true => knobs.turn_further(),
            false => heavy,
        };
        if turned.is_empty() {
            return knobs.fitted(false);
        }
        tell(&format!(
            "round {round}: more than {most} states; coarser from now on: {}",
            turned.join(", ")
        ));
    }
    knobs.fitted(true)
}

/// Why a model is too large.
enum TooHeavy {
    /// It is not.
    Not,
    /// Functions call themselves deeper and deeper.
    Recursion,
    /// These tell most states apart.
    Cells(Vec<usize>),
}

/// If a function is under way more often than this, its recursion is taken to have no end.
const DEEP: usize = 6;

fn too_heavy(subject: &Subject<'_>, knobs: &Knobs<'_>, states: &Budget) -> TooHeavy {
    let universe = Universe::default();
    let abstraction = read(subject.program, &universe, &knobs.text());
    let mut machine = Machine::new(
        subject.program,
        &universe,
        &abstraction,
        subject.labels,
        subject.options,
    );
    let search = Search {
        keep: true,
        detail: None,
        ..subject.search
    };
    let model = explore(&mut machine, subject.entry, &search, states);
    if model.partial != Some(Exhausted::Steps) {
        return TooHeavy::Not;
    }
    let recurs = !knobs.merged && !knobs.recursive.is_empty();
    if recurs && repetition(&machine, &model) > DEEP {
        return TooHeavy::Recursion;
    }
    let group = |var, bit| {
        let knob = *knobs.at.get(&(var, bit))?;
        knobs.list[knob].can_turn().then_some(knob)
    };
    let rank = |knob: usize| knobs.list[knob].rank();
    match heaviest(&machine, &model, &group, &rank, SHARE) {
        none if none.is_empty() && recurs => TooHeavy::Recursion,
        heavy => TooHeavy::Cells(heavy),
    }
}

/// What a map can say of a cell, from fine to coarse.
struct Knob {
    spelling: Spelling,
    /// Nothing is said where there is no choice: numbers are not kept then, pointers as by default.
    choices: Vec<Option<Choice>>,
    turned: usize,
}

impl Knob {
    fn can_turn(&self) -> bool {
        self.turned + 1 < self.choices.len()
    }
    /// How much is lost if it is turned: what holds a state, and is dropped, comes last.
    fn rank(&self) -> usize {
        let next = self.choices.get(self.turned + 1).and_then(Option::as_ref);
        let here = self.choices[self.turned].as_ref();
        match (next, here) {
            (Some(next), _) if next.domain != TOP => 0,
            (_, Some(here)) if here.fixed => 3,
            (None, _) => 1,
            (Some(_), _) => 2,
        }
    }
    fn name(&self) -> String {
        match self.spelling.function.as_str() {
            "" => self.spelling.name.clone(),
            function => format!("{function}:{}", self.spelling.name),
        }
    }
}

struct Knobs<'s> {
    program: &'s Analysed,
    /// Functions that call themselves.
    recursive: Vec<FuncId>,
    /// Whether all states at the same place of these are one.
    merged: bool,
    /// All functions that can be reached; whether all states at the same place are one.
    reached: Vec<FuncId>,
    all_merged: bool,
    list: Vec<Knob>,
    at: FxHashMap<(VarId, u64), usize>,
}

impl<'s> Knobs<'s> {
    fn new(subject: &Subject<'s>) -> Knobs<'s> {
        let mut proposals = Proposals::new(subject.program, subject.entry, subject.labels);
        let calls = subject.program.calls();
        let own = |f: &FuncId| {
            let function = &subject.program.funcs[*f];
            calls.is_recursive(*f) && function.origin == Origin::Program
        };
        let has_code = |f: &FuncId| {
            let function = &subject.program.funcs[*f];
            function.body.is_some() && function.origin == Origin::Program
        };
        let mut reached = calls.reachable(&[subject.entry]);
        reached.retain(has_code);
        let mut knobs = Knobs {
            program: subject.program,
            recursive: reached.iter().copied().filter(own).collect(),
            merged: false,
            reached,
            all_merged: false,
            list: Vec::new(),
            at: FxHashMap::default(),
        };
        for cell in proposals.relevant() {
            let Some(fine) = proposals.choice(&cell) else {
                continue;
            };
            let mut choices = vec![Some(fine)];
            choices.extend(proposals.coarser(&cell).map(Some));
            choices.push(None);
            knobs.add(&proposals, &cell, choices);
        }
        for cell in proposals.pointers() {
            knobs.add(&proposals, &cell, vec![None]);
        }
        knobs.drop_pointers(&mut proposals);
        knobs
    }
    /// Pointers that no map mentions are kept, so not to keep them is said.
    fn drop_pointers(&mut self, proposals: &mut Proposals<'_>) {
        let top = Choice {
            domain: TOP.to_owned(),
            values: None,
            fixed: false,
            split: false,
            why: String::new(),
        };
        for cell in proposals.pointers() {
            let places = proposals.places(&cell);
            let knob = places.first().and_then(|p| self.at.get(p));
            if let Some(knob) = knob.map(|n| &mut self.list[*n])
                && knob.choices.last() == Some(&None)
            {
                knob.choices.push(Some(top.clone()));
            }
        }
    }
    /// A name is a knob, whatever has it.
    fn add(&mut self, proposals: &Proposals<'_>, cell: &CellKey, choices: Vec<Option<Choice>>) {
        let Some(spelling) = proposals.spelling(cell) else {
            return;
        };
        let same = self.list.iter().position(|k| k.spelling == spelling);
        let knob = same.unwrap_or(self.list.len());
        if same.is_none() {
            self.list.push(Knob {
                spelling,
                choices,
                turned: 0,
            });
        }
        for place in proposals.places(cell) {
            self.at.entry(place).or_insert(knob);
        }
    }
    /// Takes states in functions that call themselves as one; their names. What was made coarser before may not have been
    /// what made the model large.
    fn merge(&mut self) -> Vec<String> {
        self.merged = true;
        self.list.iter_mut().for_each(|knob| knob.turned = 0);
        self.merged_names()
    }
    fn merged_names(&self) -> Vec<String> {
        let name = |f: &FuncId| format!("{}()", self.program.funcs[*f].name);
        let functions = self
            .recursive
            .iter()
            .filter(|_| self.merged && !self.all_merged);
        let mut names: Vec<String> = functions.map(name).collect();
        if self.all_merged {
            names.push("all functions".to_owned());
        }
        names
    }
    /// Makes coarser whatever can be, those first of which least is lost; if nothing can, takes states at the same place as one. What is
    /// coarser now.
    fn turn_further(&mut self) -> Vec<String> {
        let turning = self.list.iter().enumerate().filter(|(_, k)| k.can_turn());
        let ranks: Vec<(usize, usize)> = turning.map(|(n, k)| (k.rank(), n)).collect();
        if let Some(least) = ranks.iter().map(|(rank, _)| *rank).min() {
            let all = ranks.iter().filter(|(rank, _)| *rank == least);
            let all: Vec<usize> = all.map(|(_, knob)| *knob).collect();
            return self.turn(&all);
        }
        if self.all_merged {
            return Vec::new();
        }
        self.merged = true;
        self.all_merged = true;
        vec!["states at the same place, which are one".to_owned()]
    }
    /// Makes some coarser; their names.
    fn turn(&mut self, heavy: &[usize]) -> Vec<String> {
        let mut turned = Vec::new();
        for knob in heavy {
            let knob = &mut self.list[*knob];
            if knob.can_turn() {
                knob.turned += 1;
                turned.push(knob.name());
            }
        }
        turned
    }
    fn text(&self) -> String {
        let mut map = Map::default();
        for knob in &self.list {
            let Some(choice) = &knob.choices[knob.turned] else {
                continue;
            };
            let mut choice = choice.clone();
            if knob.turned > 0 {
                let why = match choice.why.as_str() {
                    "" => String::new(),
                    why => format!("{why}; "),
                };
                choice.why = format!("{why}coarser, for a smaller model");
            }
            map.add(knob.spelling.clone(), choice);
        }
        let merged = match (self.all_merged, self.merged) {
            (true, _) => &self.reached[..],
            (false, true) => &self.recursive[..],
            (false, false) => &[],
        };
        merged.iter().for_each(|f| map.merge(self.program, *f));
        map.print("what decides which labelled event comes next")
    }
    fn fitted(&self, fits: bool) -> Fitted {
        let turned = || self.list.iter().filter(|k| k.turned > 0);
        let mut map = self.text();
        let gone = turned().filter(|k| k.choices[k.turned].is_none());
        let gone: Vec<String> = gone.map(Knob::name).collect();
        if !gone.is_empty() {
            map += &format!(
                "// Less is kept than could matter, for a smaller model: {}\n",
                gone.join(", ")
            );
        }
        let mut coarser: Vec<String> = turned().map(Knob::name).collect();
        coarser.extend(self.merged_names());
        Fitted { map, coarser, fits }
    }
}
