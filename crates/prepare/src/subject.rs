//! A program made ready for checking: linked with models of the library and of the world
//! outside, rules woven in, error functions marked, and everything that C leaves open turned
//! into explicit choices, so that every engine and the interpreter agree on what is chosen when.

use crate::addressed::call_words_directly;
use crate::allocation::let_allocations_fail;
use crate::declare::declare_known;
use crate::extern_data::define_extern_data;
use crate::externs::{Outside, close_externs, invented, vague};
use crate::jumps::{Lost, follow_jumps};
use crate::leaks::check_leaks;
use crate::link_library::{Models, link_library};
use crate::mark_errors::mark_errors;
use crate::mentioned::mentioned;
use crate::passes::{expect_valid, pass};
use crate::property::{Kind, Selection};
use crate::slic::{self, Rule, RuleError};
use crate::start::{Arguments, Caller, Inputs, is_main_alone};
use crate::streams::standard_streams;
use crate::uninitialised::choose_uninitialised;
use crate::unread_formats::{Formats, formats};
use crate::volatiles::choose_volatiles;
use crate::{assumptions, checked, kept, start, uncovered};
use cwolf_cfront::Options;
use cwolf_cwi::graph::{Analysed, CallGraph, Chosen};
use cwolf_cwi::link::LinkError;
use cwolf_cwi::{FuncId, LocId, Program, VarId};
use rustc_hash::FxHashSet;
use thiserror::Error;

/// What a call of a function without a body does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Extern {
    /// It returns anything and may change all that it can reach: variables with external linkage, what its
    /// arguments lead to, and what it or its like were given before.
    #[default]
    Havoc,
    /// It returns anything and may write what its arguments lead to.
    Arguments,
    /// It returns anything and writes nothing.
    Pure,
    /// Every function must have a body.
    Error,
}

/// Something that every engine takes for granted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assumption {
    /// What, as a plain sentence.
    pub text: String,
    /// Where it matters, if at one place.
    pub place: Option<LocId>,
}

impl Assumption {
    /// One that matters everywhere.
    pub(crate) fn of(text: impl Into<String>) -> Assumption {
        let text = text.into();
        Assumption { text, place: None }
    }
}

/// Why a program cannot be checked.
#[derive(Debug, Error)]
pub enum PrepareError {
    /// There is nothing to start at.
    #[error("no function `{0}`; choose where to start with --entry NAME")]
    NoEntry(String),
    /// Functions without a body, where each must have one.
    #[error(
        "functions without a body are called: {0}; define them, or let --extern=havoc or pure say what they do"
    )]
    Extern(String),
    /// A rule is wrong.
    #[error(transparent)]
    Rule(#[from] RuleError),
    /// What callers are said to keep makes no sense.
    #[error("{0}")]
    Requires(String),
    /// The parts do not fit together.
    #[error("the program cannot be linked with the models of the C library: {0}")]
    Link(String),
}

impl From<Vec<LinkError>> for PrepareError {
    fn from(errors: Vec<LinkError>) -> PrepareError {
        let all: Vec<String> = errors.iter().map(ToString::to_string).collect();
        PrepareError::Link(all.join("; "))
    }
}

/// A program that is ready to be checked.
#[derive(Clone, Debug)]
pub struct Subject {
    /// The program; every open value in it is an explicit choice.
    pub program: Analysed,
    /// Where it starts; this function has no parameters.
    pub entry: FuncId,
    /// The same program before open values became choices, for exact runs.
    pub raw: Analysed,
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
    /// Functions that stand for code outside: those without a body that were given one, and the one that
    /// chooses what variables hold that no file defines.
    pub stubs: Vec<FuncId>,
    /// These variables.
    pub extern_data: Vec<VarId>,
    /// The function that chooses what they hold.
    pub chooser: Option<FuncId>,
    /// Those of them whose arguments define what they do, and that nobody here can run.
    pub invented: Vec<FuncId>,
    /// Those of them that make pointers of which nothing is known.
    pub vague: Vec<FuncId>,
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

/// Makes `program` ready to be checked. Every line says why it stands where it stands.
pub fn prepare(program: Program, how: Prepare) -> Result<Subject, PrepareError> {
    let entry = program.function(&how.entry);
    if entry.is_none_or(|f| program.funcs[f].body.is_none()) {
        return Err(PrepareError::NoEntry(how.entry));
    }
    let mut selection = how.selection;
    let mut assumptions = Vec::new();
    let mut program = program;
    if let (Caller::Any(requirements), Some(entry)) = (&how.arguments.caller, entry)
        && let Some(wrong) = start::wrong_requirement(&mut program, entry, requirements)
    {
        return Err(PrepareError::Requires(wrong));
    }
    // First: rules watch functions of the library too, and checks belong into all code.
    let mut program = link_library(program, &Models::ALL)?.program;
    let entry = program.function(&how.entry);
    let mut entry = entry.expect("linking keeps functions");
    // After models are linked: what they define is declared.
    pass("declare_known", &mut program, declare_known);
    // Before errors are marked: `abort` in a rule is one.
    if !how.rules.is_empty() {
        let woven = slic::weave(program, entry, &how.rules, &how.language)?;
        (program, entry) = (woven.program, woven.entry);
        expect_valid("weave", &program);
        assumptions.extend(woven.notes.into_iter().map(Assumption::of));
        selection.add(Kind::Rule);
    }
    // Before checks: whatever an error function would do, it is not run.
    let errors = pass("mark_errors", &mut program, |p| mark_errors(p, &selection));
    let mentioned = mentioned(&program);
    // Before calls with formats become calls of functions of their own.
    let formats = match selection.has(Kind::Pointer) || selection.has(Kind::Bounds) {
        true => formats(&program, &CallGraph::new(&program).reachable(&[entry])),
        false => Formats::default(),
    };
    // Before checks: some of them stand where a function is called.
    pass("call_words_directly", &mut program, call_words_directly);
    // Before code is made up for functions that have none: only the program's own is checked.
    let printed = pass("insert_checks", &mut program, |p| {
        checked::insert(p, &selection, &how.rules, &errors.all)
    });
    // After the other checks: a value that is returned is computed before memory is looked at.
    let unseen = pass("check_leaks", &mut program, |p| {
        check_leaks(p, entry, &selection)
    });
    if how.malloc_may_fail {
        pass("let_allocations_fail", &mut program, let_allocations_fail);
    }
    let graph = CallGraph::new(&program);
    let reached = graph.reachable(&[entry]);
    let mut uncovered = uncovered::of(&program, &reached);
    if selection.has(Kind::Pointer) {
        uncovered.extend(kept::may_end(&program, entry, &graph));
    }
    uncovered.extend(formats.unread);
    uncovered.extend(unseen);
    assumptions.extend(formats.translated.map(|loc| Assumption {
        text: "a translated format has the conversions of the original".into(),
        place: Some(loc),
    }));
    assumptions.extend(assumptions::of_translation(&program, &reached));
    if !how.malloc_may_fail {
        assumptions.extend(assumptions::of_allocation(&program, &reached));
    }
    assumptions.extend(assumptions::of_output(&program, &reached));
    assumptions.extend(assumptions::of_clock(&program, &reached));
    assumptions.extend(assumptions::of_locale(&program, &reached));
    assumptions.extend(assumptions::of_unchecked(&selection));
    // From here on, values that C leaves open become choices; exact runs need the rest alone.
    let raw = program.clone();
    let plain = program.funcs[entry].params.is_empty() || is_main_alone(&program, entry);
    let raw_entry = plain.then_some(entry);
    // SV-COMP's programs are alone with their variables.
    let externs = match how.externs {
        Extern::Havoc if !selection.follow_undefined => Extern::Arguments,
        other => other,
    };
    let data = pass("define_extern_data", &mut program, |p| {
        define_extern_data(p, externs, &mut assumptions)
    });
    let start = pass("start", &mut program, |p| {
        let streams = standard_streams(p).filter(|_| how.entry == "main");
        let first: Vec<FuncId> = streams.into_iter().chain(data.chooser).collect();
        start::start(p, entry, &how.arguments, &first, &mut assumptions)
    });
    uncovered.extend(start.uncovered);
    // Before a function that is not `main`, others may have run: its variables hold anything.
    let anybody = how.entry != "main" && matches!(how.arguments.caller, Caller::Any(_));
    let raw_entry = raw_entry.filter(|_| !anybody || start.func == entry);
    // After the start, where a jump ends that nobody catches; before code without a body gets one.
    let jumps = pass("follow_jumps", &mut program, |p| {
        follow_jumps(p, start.func, lost(&selection))
    });
    let entry = jumps.entry;
    uncovered.extend(jumps.uncovered);
    // After the start, which calls constructors: they may call functions without a body too.
    let outside = Outside {
        externs,
        kinds: selection.kinds(),
        printed: &printed,
    };
    let mut stubs = pass("close_externs", &mut program, |p| {
        close_externs(p, entry, &outside, &mut assumptions, &mut uncovered)
    })?;
    // Last: these look at all code, also at what was just made. Where reading an uninitialised
    // variable is a failure, nothing is chosen for it.
    if !selection.has(Kind::Uninitialised) {
        pass("choose_uninitialised", &mut program, choose_uninitialised);
    }
    // SV-COMP's programs are alone with their memory.
    if selection.follow_undefined {
        pass("choose_volatiles", &mut program, choose_volatiles);
    }
    let invented = invented(&program, &stubs);
    let vague = vague(&program, &stubs);
    stubs.extend(data.chooser);
    // SV-COMP's programs write through pointers that they choose.
    let chosen = match selection.follow_undefined {
        true => Chosen::Anywhere,
        false => Chosen::Compared,
    };
    Ok(Subject {
        program: Analysed::from(program).choosing(chosen),
        entry,
        raw: raw.into(),
        raw_entry,
        selection,
        rules: how.rules,
        mentioned,
        error_functions: errors.all,
        undefined_errors: errors.undefined,
        assumptions,
        uncovered,
        inputs: start.inputs,
        bound: start.bound,
        invented,
        vague,
        stubs,
        extern_data: data.vars,
        chooser: data.chooser,
        entry_name: how.entry,
    })
}

/// Closes the program that a model is made of (`to_model`), so that one of its runs can be encoded and
/// made: nothing is checked, and its functions and blocks keep their numbers.
pub fn close(program: Program, entry: FuncId, externs: Extern) -> Result<Subject, PrepareError> {
    let selection = Selection::of(&[]);
    let entry_name = program.funcs[entry].name.clone();
    let mut assumptions = Vec::new();
    let raw = program.clone();
    let mut program = program;
    let start = pass("start", &mut program, |p| {
        let arguments = Arguments::default();
        start::start(p, entry, &arguments, &[], &mut assumptions)
    });
    let reached = CallGraph::new(&program).reachable(&[start.func]);
    let mut uncovered = uncovered::of(&program, &reached);
    // The model has the jumps that C defines.
    let jumps = pass("follow_jumps", &mut program, |p| {
        follow_jumps(p, start.func, Lost::Ends)
    });
    let entry = jumps.entry;
    uncovered.extend(jumps.uncovered);
    let outside = Outside {
        externs,
        kinds: &[],
        printed: &Default::default(),
    };
    let stubs = pass("close_externs", &mut program, |p| {
        close_externs(p, entry, &outside, &mut assumptions, &mut uncovered)
    })?;
    pass("choose_uninitialised", &mut program, choose_uninitialised);
    pass("choose_volatiles", &mut program, choose_volatiles);
    let invented = invented(&program, &stubs);
    let vague = vague(&program, &stubs);
    Ok(Subject {
        program: program.into(),
        entry,
        raw: raw.into(),
        raw_entry: None,
        selection,
        rules: Vec::new(),
        mentioned: FxHashSet::default(),
        error_functions: Vec::new(),
        undefined_errors: Vec::new(),
        assumptions,
        uncovered,
        inputs: start.inputs,
        bound: start.bound,
        stubs,
        extern_data: Vec::new(),
        chooser: None,
        invented,
        vague,
        entry_name,
    })
}

/// What a jump to a function that has returned is.
fn lost(selection: &Selection) -> Lost {
    match (selection.has(Kind::Pointer), selection.follow_undefined) {
        (true, _) => Lost::Fails,
        (false, true) => Lost::Unknown,
        (false, false) => Lost::Ends,
    }
}

/// The rule whose text a place is in, and what it says if it is broken there.
pub(crate) fn rule_at<'r>(
    rules: &'r [Rule],
    program: &Program,
    loc: LocId,
) -> Option<(&'r Rule, &'r str)> {
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
}
