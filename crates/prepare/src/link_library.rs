//! Links a program with models of what it lacks: first the world outside, then the C library.
//! Which models a command wants depends on what its engine does itself.

use crate::passes::expect_valid;
use cwolf_cfront::{Options, compile_text, library};
use cwolf_cwi::link::{self, LinkError, Linked};
use cwolf_cwi::{Definition, FuncId, Function, Linkage, Locations, Origin, Program};
use cwolf_known::{Channel, Row};
use rustc_hash::FxHashSet;

/// Models of the world outside: a file, and its text.
const ENVIRONMENT: [(&str, &str); 11] = [
    ("characters.c", CHARACTERS),
    ("pushback.c", PUSHBACK),
    (
        "input.c",
        include_str!("../../../library/environment/input.c"),
    ),
    (
        "lines.c",
        include_str!("../../../library/environment/lines.c"),
    ),
    (
        "clock.c",
        include_str!("../../../library/environment/clock.c"),
    ),
    (
        "locale.c",
        include_str!("../../../library/environment/locale.c"),
    ),
    (
        "random.c",
        include_str!("../../../library/environment/random.c"),
    ),
    (
        "process.c",
        include_str!("../../../library/environment/process.c"),
    ),
    (
        "descriptors.c",
        include_str!("../../../library/environment/descriptors.c"),
    ),
    (
        "ready.c",
        include_str!("../../../library/environment/ready.c"),
    ),
    (
        "paths.c",
        include_str!("../../../library/environment/paths.c"),
    ),
];
const CHARACTERS: &str = include_str!("../../../library/environment/characters.c");
const PUSHBACK: &str = include_str!("../../../library/environment/pushback.c");

/// Which models a program is linked with.
pub struct Models<'w> {
    /// Whether with those of the world outside (`library/environment`).
    pub environment: bool,
    /// Which functions of the C library get theirs.
    pub wanted: &'w dyn Fn(&str) -> bool,
}

impl Models<'_> {
    /// All that there are.
    pub const ALL: Models<'static> = Models {
        environment: true,
        wanted: &|_| true,
    };
    /// Those that the interpreter needs: it does the rest itself.
    pub const TO_RUN: Models<'static> = Models {
        environment: false,
        wanted: &|name| !cwolf_interp::is_native(name),
    };
}

/// The program with models of the functions that it lacks. No further part can come: weak
/// references that nothing defines are null.
pub fn link_library(program: Program, models: &Models<'_>) -> Result<Linked, Vec<LinkError>> {
    let options = Options {
        target: program.target(),
        ..Options::default()
    };
    let environment = match models.environment {
        true => environment(&program, &options),
        false => Vec::new(),
    };
    let mut given: FxHashSet<&str> = environment.iter().flat_map(defined).collect();
    given.extend(others(&program));
    // Models of the world lack functions of the library, too.
    let lacking: Vec<&Program> = std::iter::once(&program).chain(&environment).collect();
    let library = library::resolve(&lacking, &options, |name| {
        !given.contains(name) && (models.wanted)(name)
    });
    let parts = std::iter::once(program).chain(environment).chain(library);
    let mut linked = link::link(parts.collect())?;
    link::weak::settle(&mut linked.program, &cwolf_interp::provides);
    expect_valid("link_library", &linked.program);
    Ok(linked)
}

/// The functions that a part defines.
fn defined(part: &Program) -> impl Iterator<Item = &str> {
    let functions = part.funcs.iter().filter(|f| f.body.is_some());
    functions.map(|f| f.name.as_str())
}

/// Those files of models of the world that define what the program lacks.
fn environment(program: &Program, options: &Options) -> Vec<Program> {
    let declared = |f: &&Function| f.definition == Definition::Declared;
    let lacking = program.funcs.iter().filter(declared);
    let others = others(program);
    let lacking: FxHashSet<&str> = lacking
        .map(|f| f.name.as_str())
        .filter(|name| !others.contains(name))
        .collect();
    // Code that nobody knows may change what these remember, and other functions read or drop what was put back.
    let unknown = !others.is_empty() || lacking.iter().any(|n| cwolf_known::lookup(n).is_none());
    let puts_back = lacking.iter().any(|name| is_put_back(name));
    let alone = !unknown && !lacking.iter().any(|name| reads_otherwise(name));
    let remembers = |name: &str| name == "process.c" && unknown;
    let other = match puts_back && alone {
        true => "characters.c",
        false => "pushback.c",
    };
    // To look for the names is quicker than to compile what nobody needs.
    let mentions = |text: &str| {
        lacking
            .iter()
            .any(|name| text.contains(&format!("{name}(")))
    };
    let files = ENVIRONMENT.iter().filter(|(name, _)| *name != other);
    let files = files.filter(|(name, _)| !remembers(name));
    let files = files.filter(|(_, text)| mentions(text));
    let is_errno = |name: &&str| cwolf_known::lookup(name).is_some_and(Row::is_errno);
    let asks = if lacking.iter().any(is_errno) {
        "1"
    } else {
        "0"
    };
    let parts = files.map(|(name, text)| {
        let text = text.replace("LOOKS_AT_ERRNO", asks);
        world(name, &text, options)
    });
    parts
        .filter(|part| defined(part).any(|name| lacking.contains(name)))
        .filter(|part| !defined(part).any(|name| others.contains(name)))
        .collect()
}

/// Functions that have the name of one of the library, and other parameters: the program means another one.
fn others(program: &Program) -> FxHashSet<&str> {
    let declared = |f: &FuncId| program.funcs[*f].definition == Definition::Declared;
    let name = |f: FuncId| program.funcs[f].name.as_str();
    let funcs = program.funcs.ids().filter(declared);
    let other = |f: &FuncId| cwolf_known::lookup(name(*f)).is_some() && program.known(*f).is_none();
    funcs.filter(other).map(name).collect()
}

/// Whether a function gives characters back to a stream.
fn is_put_back(name: &str) -> bool {
    cwolf_known::lookup(name).is_some_and(|row| row.states().contains(&"pushback"))
}

/// Whether a function reads from streams, or moves in them, without looking at what was put back in `pushback.c`.
fn reads_otherwise(name: &str) -> bool {
    let other = !PUSHBACK.contains(&format!("{name}("));
    let moves = |(what, _): (Channel, usize)| matches!(what, Channel::Takes | Channel::Rewinds);
    let reads = |row: &Row| {
        let wide = row.file.contains("wchar");
        let writes = row.scans().is_some() || !row.writes_args().is_empty();
        row.channels().any(moves) || (row.is_open() && (wide || (writes && !row.is_output())))
    };
    other && cwolf_known::lookup(name).is_some_and(reads)
}

fn world(name: &str, text: &str, options: &Options) -> Program {
    let file = Locations::library_file(&format!("environment/{name}"));
    let compilation = compile_text(&file, text.as_bytes(), options);
    let mut program = compilation.program.expect("the library compiles");
    for function in program.funcs.iter_mut() {
        if function.body.is_some() {
            function.origin = Origin::Model;
        }
        if function.linkage == Linkage::External && function.definition == Definition::Defined {
            function.definition = Definition::Weak;
        }
    }
    program
}
