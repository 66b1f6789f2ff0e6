//! The one place where the campaigns touch the library: a C text becomes something to ask about,
//! engines are asked by name, and the interpreter says how runs end.

use cwolf_base::Budget;
use cwolf_cfront::{Options, Preprocessor, compile_text};
use cwolf_cwi::{Program, Target, TypeId, Types, value, value::Value};
use cwolf_engines::{Abstractor, Slam};
use cwolf_interp::{ErrorKind, Machine, Oracle, Outcome, Random};
use cwolf_prepare::property::{Selection, parse_prp};
use cwolf_prepare::{Extern, Prepare, Subject, prepare, to_run};
use cwolf_verify::concrete::{End, How, Which, run};
use cwolf_verify::plan::{Wishes, plan};
use cwolf_verify::portfolio::{Decision, verify};
use std::path::Path;
use std::time::Duration;

/// The default configuration, and each engine by itself.
const ENGINES: [&str; 12] = [
    "default",
    "numeric",
    "shapes",
    "explore",
    "bmc",
    "k-induction",
    "elements",
    "ic3",
    "imc",
    "slam",
    "slam-sat",
    "slam-cubes",
];

/// Those that are asked: all, or the ones that `CWOLF_ENGINES` lists.
pub fn engines() -> Vec<&'static str> {
    let only = std::env::var("CWOLF_ENGINES").ok();
    let asked = |name: &&str| match &only {
        Some(list) => list.split(',').any(|n| n == *name),
        None => true,
    };
    ENGINES.into_iter().filter(asked).collect()
}

/// What came out of a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Said {
    True,
    False(String),
    Unknown(String),
}

impl Said {
    /// `true`, `false` or `unknown`.
    pub fn word(&self) -> &'static str {
        match self {
            Said::True => "true",
            Said::False(_) => "false",
            Said::Unknown(_) => "unknown",
        }
    }
}

/// A program to ask about: as it was compiled, and ready for the engines.
pub struct Asked {
    program: Program,
    subject: Subject,
}

/// The kinds that a list of names selects; the default for none.
pub fn selection(names: &str) -> Selection {
    if names.is_empty() {
        return Selection::default();
    }
    let kinds = names.split(',').map(|name| {
        cwolf_prepare::property::kind_of_name(name)
            .unwrap_or_else(|| panic!("there is no property `{name}`"))
    });
    Selection::of(&kinds.collect::<Vec<_>>())
}

/// What a formula of SV-COMP selects.
pub fn formula(formula: &str) -> Selection {
    let line = format!("CHECK( init(main()), LTL({formula}) )");
    parse_prp(&line).unwrap_or_else(|error| panic!("{error}"))
}

impl Asked {
    /// A preprocessed text.
    pub fn text(name: &str, text: &[u8], selection: Selection, flags: &[&str]) -> Asked {
        let mut language = Options::default();
        for flag in flags {
            language.apply_flag(flag);
        }
        if flags.contains(&"-m32") {
            language.target = Target::I386;
        }
        language.error_labels = selection.error_labels;
        let compiled = compile_text(name, text, &language);
        let program = compiled.program.unwrap_or_else(|| {
            let text = String::from_utf8_lossy(text);
            panic!("{name}: {:?}\n{text}", compiled.diagnostics)
        });
        let how = Prepare {
            selection,
            rules: Vec::new(),
            entry: "main".into(),
            externs: Extern::Havoc,
            language,
            malloc_may_fail: false,
            arguments: Default::default(),
        };
        let subject = prepare(program.clone(), how);
        let subject = subject.unwrap_or_else(|error| panic!("{name}: {error}"));
        // Aliases and weak names mean something only in a program that is linked.
        let linked = to_run(program, "main", false);
        let program = linked.unwrap_or_else(|errors| panic!("{name}: {errors:?}"));
        let program = program.program;
        Asked { program, subject }
    }

    /// A C file.
    pub fn file(path: &Path, selection: Selection, flags: &[&str]) -> Asked {
        // A program for another machine has no headers, so that no cross compiler is needed.
        let own = flags.iter().filter(|f| !f.starts_with("--target="));
        let args = own.map(|f| (*f).to_owned()).collect();
        let text = Preprocessor::new(args).run(path);
        let text = text.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        Asked::text(&path.display().to_string(), &text.text, selection, flags)
    }

    /// What an engine says within a time.
    pub fn ask(&self, engine: &str, time: Duration) -> Said {
        let whole = match engine {
            "slam-cubes" => Some(Abstractor::Cubes),
            "slam-sat" => Some(Abstractor::Sat),
            _ => None,
        };
        let wishes = Wishes {
            engines: match engine {
                "default" => Vec::new(),
                _ if whole.is_some() => vec!["slam".into()],
                other => vec![other.into()],
            },
            slam: whole.map(|abstractor| Slam {
                abstractor,
                ..Slam::default()
            }),
            ..Wishes::default()
        };
        let plan = plan(&wishes).expect("an engine");
        let answer = verify(&self.subject, &plan, &Budget::unlimited().timeout(time));
        match answer.decision {
            Decision::Safe { .. } => Said::True,
            Decision::Unsafe(run) => match run.end {
                End::Fails(failure) => {
                    Said::False(cwolf_verify::names::verdict_name(&self.subject, &failure))
                }
                _ => Said::False(String::new()),
            },
            Decision::Unknown(why) => Said::Unknown(why.text),
        }
    }

    /// How a run fails in which the first open value is `first` and the others come from `seed`:
    /// as the program was written, with the library that the interpreter has itself.
    pub fn run(&self, first: i128, seed: u64, args: &[&str]) -> Option<String> {
        let options = cwolf_interp::Options {
            oracle: oracle(first, seed),
            budget: Budget::unlimited().max_steps(1 << 20),
            args: args.iter().map(|a| a.as_bytes().to_vec()).collect(),
            now: Some(1 << 30),
            ..cwolf_interp::Options::default()
        };
        match Machine::new(&self.program, options).run("main") {
            // A function or a variable that nobody defines ends the run here; closed runs go on.
            Outcome::Error(error) if error.kind == ErrorKind::MissingFunction => return None,
            Outcome::Error(_) if self.lacks_data() => return None,
            Outcome::Error(error) => return Some(format!("{:?}", error.kind)),
            Outcome::Budget(_) => return Some("it does not end".into()),
            Outcome::Exit(_) | Outcome::AssumeFailed => {}
        }
        if self.takes_arguments() {
            return None;
        }
        // What only a watched run sees; the library is exact in the run above alone.
        let kind = self.watched(Which::Raw, first, seed);
        kind.filter(|kind| ["overflow", "shift", "bounds"].contains(&kind.as_str()))
    }

    /// The same run of the program in which every open value is an explicit choice: volatile
    /// reads differ here, and unknown functions write.
    pub fn run_closed(&self, first: i128, seed: u64) -> Option<String> {
        match self.takes_arguments() {
            true => None,
            false => self.watched(Which::Closed, first, seed),
        }
    }

    fn lacks_data(&self) -> bool {
        let declared = |v: &cwolf_cwi::Var| v.definition == cwolf_cwi::Definition::Declared;
        self.program.vars.iter().any(declared)
    }

    fn takes_arguments(&self) -> bool {
        let main = self.program.function("main").expect("a main");
        !self.program.funcs[main].params.is_empty()
    }

    /// A run in which arithmetic and inner arrays are looked at, too.
    fn watched(&self, which: Which, first: i128, seed: u64) -> Option<String> {
        let how = How {
            oracle: oracle(first, seed),
            budget: Budget::unlimited().max_steps(1 << 20),
            record: false,
            zero_memory: false,
            reads: None,
            length: None,
        };
        match run(&self.subject, which, how).end {
            End::Fails(failure) => Some(failure.kind.name().into()),
            _ => None,
        }
    }
}

fn oracle(first: i128, seed: u64) -> Box<dyn Oracle> {
    Box::new(Trigger {
        first: Some(first),
        rest: Random::new(seed),
    })
}

/// Hands out one given value, then others by chance; unknown functions write what they can.
struct Trigger {
    first: Option<i128>,
    rest: Random,
}

impl Oracle for Trigger {
    fn choose(&mut self, types: &Types, ty: TypeId) -> Value {
        match (self.first.take(), value::int_type(types, ty)) {
            (Some(first), Some(int)) => Value::Int(value::wrap(int, first)),
            _ => self.rest.choose(types, ty),
        }
    }
    fn changes_memory(&self) -> bool {
        true
    }
}
