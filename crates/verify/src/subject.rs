//! A program made ready for checking: linked with models of the library and of the world
//! outside, rules woven in, error functions marked, and everything that C leaves open turned
//! into explicit choices, so that every engine and the interpreter agree on what is chosen when.

mod close;
mod given;
mod harness;
mod models;
mod uncovered;
mod unnamed;
mod words;

pub(crate) use close::may_read_unset;
pub(crate) use harness::START;
pub use harness::{Arguments, Inputs, MainInputs, Words};

use crate::names::place_of;
use crate::property::{Kind, Selection};
use crate::slic::{self, Rule, RuleError};
use cwolf_cfront::Options;
use cwolf_cwi::graph::CallGraph;
use cwolf_cwi::{Definition, FuncId, LocId, Program, Type, link};
use cwolf_prepare::{Lost, follow_jumps};
use cwolf_report::Assumption;
use rustc_hash::FxHashSet;
use thiserror::Error;

/// What a call of a function without a body does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Extern {
    /// It returns anything and may write what its arguments lead to.
    #[default]
    Havoc,
    /// It returns anything and writes nothing.
    Pure,
    /// Every function must have a body.
    Error,
}

/// Why a program cannot be checked.
#[derive(Debug, Error)]
pub enum PrepareError {
    /// There is nothing to start at.
    #[error("the program has no function `{0}`; --entry chooses another to start at")]
    NoEntry(String),
    /// Functions without a body, where each must have one.
    #[error(
        "functions without a body are called: {0}; define them, or let --extern=havoc or pure say what they do"
    )]
    Extern(String),
    /// A rule is wrong.
    #[error(transparent)]
    Rule(#[from] RuleError),
    /// The parts do not fit together.
    #[error("the program cannot be linked with the models of the C library: {0}")]
    Link(String),
}

/// A program that is ready to be checked.
#[derive(Clone, Debug)]
pub struct Subject {
    /// The program; every open value in it is an explicit choice.
    pub program: Program,
    /// Where it starts; this function has no parameters.
    pub entry: FuncId,
    /// The same program before open values became choices, for exact runs.
    pub raw: Program,
    /// Whether `raw` can be run from its start without choosing arguments.
    pub raw_entry: Option<FuncId>,
    /// What is checked.
    pub selection: Selection,
    /// The rules that are woven in.
    pub rules: Vec<Rule>,
    /// Functions that the program mentions, also where a check stands for the call now.
    pub mentioned: FxHashSet<FuncId>,
    /// Functions whose call is an error.
    pub error_functions: Vec<FuncId>,
    /// Those of them that the user's program does not define.
    pub undefined_errors: Vec<FuncId>,
    /// What is taken for granted.
    pub assumptions: Vec<Assumption>,
    /// Runs that the program has and the model lacks: with these, no failure is no proof.
    pub uncovered: Vec<String>,
    /// How the values that the start function chooses make up the program's arguments.
    pub inputs: Inputs,
    /// Up to where arguments are covered, if the program may behave otherwise beyond.
    pub bound: Option<String>,
    /// Functions without a body that were given one, by `externs`.
    pub stubs: Vec<FuncId>,
    /// The name of the function that the user's program starts at.
    pub entry_name: String,
}

/// How to make a program ready.
#[derive(Clone, Debug)]
pub struct Prepare {
    /// What is checked.
    pub selection: Selection,
    /// Rules to weave in.
    pub rules: Vec<Rule>,
    /// The function to start at.
    pub entry: String,
    /// What functions without a body do.
    pub externs: Extern,
    /// Whether allocations may fail.
    pub malloc_may_fail: bool,
    /// What `main` is given.
    pub arguments: Arguments,
    /// How C is read, for models and rules.
    pub language: Options,
}

/// Makes `program` ready.
pub fn prepare(program: Program, how: Prepare) -> Result<Subject, PrepareError> {
    let has_body = |program: &Program, name: &str| {
        let found = program.function(name);
        found.filter(|f| program.funcs[*f].body.is_some())
    };
    if has_body(&program, &how.entry).is_none() {
        return Err(PrepareError::NoEntry(how.entry));
    }
    let mut selection = how.selection;
    let mut program = models::link(program, &how.language).map_err(PrepareError::Link)?;
    link::weak::settle(&mut program, &cwolf_interp::provides);
    let entry = program.function(&how.entry);
    let entry = entry.expect("linking keeps functions");
    let mut notes = Vec::new();
    let (mut program, mut entry) = (program, entry);
    if !how.rules.is_empty() {
        let woven = slic::weave(program, entry, &how.rules, &how.language)?;
        (program, entry) = (woven.program, woven.entry);
        notes = woven.notes;
        selection.add(Kind::Rule);
    }
    let (error_functions, undefined_errors) = mark_errors(&mut program, &selection);
    let mut assumptions: Vec<Assumption> = notes
        .into_iter()
        .map(|text| Assumption { text, place: None })
        .collect();
    let rules = &how.rules;
    let mentioned = crate::harness::used(&program);
    let printed = words::insert(&mut program, &selection, rules, &error_functions);
    if how.malloc_may_fail {
        cwolf_prepare::let_allocations_fail(&mut program);
    }
    let reached = CallGraph::new(&program).reachable(&[entry]);
    let mut uncovered = uncovered::of(&program, &reached);
    assumptions.extend(notes_of(&program, &reached));
    let allocates = |f: &FuncId| {
        let name = program.funcs[*f].name.as_str();
        ["malloc", "calloc", "realloc"].contains(&name)
    };
    if reached.iter().any(allocates) && !how.malloc_may_fail {
        assumptions.push(Assumption {
            text: "malloc, calloc and realloc never fail".into(),
            place: None,
        });
    }
    let unchecked: Vec<&str> = [Kind::Pointer, Kind::Bounds, Kind::DivisionByZero]
        .into_iter()
        .filter(|kind| !selection.has(*kind))
        .map(Kind::name)
        .collect();
    if !unchecked.is_empty() {
        let list = unchecked.join(", ");
        assumptions.push(Assumption {
            text: match selection.follow_undefined {
                true => format!(
                    "an undefined step that is not checked ({list}) gives any value and writes nothing"
                ),
                false => format!(
                    "a run ends where it breaks a rule of C that is not checked ({list})"
                ),
            },
            place: None,
        });
    }
    let raw = program.clone();
    let raw_entry = program.funcs[entry].params.is_empty().then_some(entry);
    let start = harness::start(&mut program, entry, &how.arguments, &mut assumptions);
    let jumps = follow_jumps(&mut program, start.func, lost(&selection));
    let entry = jumps.entry;
    uncovered.extend(jumps.uncovered);
    let outside = close::Outside {
        externs: how.externs,
        kinds: selection.kinds(),
        printed: &printed,
    };
    let stubs = close::externs(
        &mut program,
        entry,
        &outside,
        &mut assumptions,
        &mut uncovered,
    )?;
    if !selection.has(Kind::Uninitialised) {
        close::uninitialised(&mut program);
    }
    // SV-COMP's programs are alone with their memory.
    if selection.follow_undefined {
        close::volatiles(&mut program);
    }
    Ok(Subject {
        program,
        entry,
        raw,
        raw_entry,
        selection,
        rules: how.rules,
        mentioned,
        error_functions,
        undefined_errors,
        assumptions,
        uncovered,
        inputs: start.inputs,
        bound: start.bound,
        stubs,
        entry_name: how.entry,
    })
}

/// The name of a function without parameters that calls `entry` with any arguments.
pub fn with_arguments(program: &mut Program, entry: FuncId) -> String {
    let start = harness::start(program, entry, &Arguments::default(), &mut Vec::new());
    program.funcs[start.func].name.clone()
}

/// What a jump to a function that has returned is.
fn lost(selection: &Selection) -> Lost {
    match (selection.has(Kind::Pointer), selection.follow_undefined) {
        (true, _) => Lost::Fails,
        (false, true) => Lost::Unknown,
        (false, false) => Lost::Ends,
    }
}

/// What the translation says of code that can be reached.
fn notes_of(program: &Program, reached: &[FuncId]) -> Vec<Assumption> {
    let reached: FxHashSet<FuncId> = reached.iter().copied().collect();
    let line = |loc: LocId| (program.locations[loc].file, program.locations[loc].line);
    let mut elsewhere = FxHashSet::default();
    let mut here = FxHashSet::default();
    for (id, function) in program.funcs.enumerate() {
        let places = match reached.contains(&id) {
            true => &mut here,
            false => &mut elsewhere,
        };
        for block in function.body.iter().flat_map(|b| b.blocks.iter()) {
            places.insert(line(block.loc));
            places.extend(block.stmts.iter().map(|s| line(s.loc)));
        }
    }
    let mut seen = FxHashSet::default();
    let notes = program.notes.iter().filter(|note| {
        let line = line(note.loc);
        let other = elsewhere.contains(&line) && !here.contains(&line);
        !other && seen.insert((line, &note.text))
    });
    notes
        .map(|note| Assumption {
            text: note.text.clone(),
            place: Some(place_of(program, note.loc)),
        })
        .collect()
}

/// Takes the bodies of error functions away: to call one is the error, whatever it does.
fn mark_errors(program: &mut Program, selection: &Selection) -> (Vec<FuncId>, Vec<FuncId>) {
    let mut marked = Vec::new();
    let mut undefined = Vec::new();
    let by_name = |name: &str| {
        let named = selection.error_functions.iter().any(|f| f == name);
        (named && selection.has(Kind::UnreachCall)) || name == slic::ABORT
    };
    for (id, function) in program.funcs.iter_mut().enumerate() {
        if !by_name(&function.name) || !matches!(program.types[function.ty], Type::Func(_)) {
            continue;
        }
        if function.definition == Definition::Declared {
            undefined.push(FuncId(id as u32));
        }
        function.body = None;
        function.refused = None;
        function.params.clear();
        function.locals.clear();
        function.definition = Definition::Declared;
        // The interpreter knows the two usual names; others stand for one of them.
        if !crate::property::ERROR_FUNCTIONS.contains(&function.name.as_str())
            && function.name != slic::ABORT
        {
            function.alias = Some("reach_error".into());
            function.definition = Definition::Defined;
        }
        marked.push(FuncId(id as u32));
    }
    (marked, undefined)
}

/// The rule whose text a place is in, and what it says if it is broken there.
fn rule_at<'r>(rules: &'r [Rule], program: &Program, loc: LocId) -> Option<(&'r Rule, &'r str)> {
    let loc = program.locations[loc];
    let file = program.locations.file_name(loc.file);
    let rule = rules.iter().find(|r| r.file == file)?;
    let message = rule.message(loc.line, loc.column);
    Some((rule, message.unwrap_or("the rule is broken")))
}

impl Subject {
    /// The rule whose text a place is in, and what it says if it is broken there.
    pub fn rule_at(&self, program: &Program, loc: LocId) -> Option<(&Rule, &str)> {
        rule_at(&self.rules, program, loc)
    }

    /// What the verdict calls a failure: the kind, or the rule.
    pub fn verdict_name(&self, failure: &crate::concrete::Failure) -> String {
        let rule = (failure.kind == Kind::Rule).then(|| self.rule_at(&self.program, failure.loc));
        match rule.flatten() {
            Some((rule, _)) => format!("slic:{}", rule.name),
            None => failure.kind.name().into(),
        }
    }
}
