//! Links a program with models of what it lacks: first the world outside, then the C library.
//! Which models a command wants depends on what its engine does itself.

use crate::passes::expect_valid;
use cwolf_cfront::{Options, compile_text, library};
use cwolf_cwi::link::{self, LinkError, Linked};
use cwolf_cwi::{Definition, Linkage, Locations, Origin, Program};
use rustc_hash::FxHashSet;

const ENVIRONMENT: &str = include_str!("../../../library/environment.c");

/// Which models a program is linked with.
pub struct Models<'w> {
    /// Whether with those of the world outside (`library/environment.c`).
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
    let environment = models.environment.then(|| environment(&options));
    let given: FxHashSet<String> = environment
        .iter()
        .flat_map(|e| e.funcs.iter())
        .filter(|f| f.body.is_some())
        .map(|f| f.name.clone())
        .collect();
    let mut parts = library::resolve(&program, &options, |name| {
        !given.contains(name) && (models.wanted)(name)
    });
    let lacks =
        |f: &cwolf_cwi::Function| f.definition == Definition::Declared && given.contains(&f.name);
    if program.funcs.iter().any(lacks) {
        parts.splice(0..0, environment);
    }
    parts.insert(0, program);
    let mut linked = link::link(parts)?;
    link::weak::settle(&mut linked.program, &cwolf_interp::provides);
    expect_valid("link_library", &linked.program);
    Ok(linked)
}

fn environment(options: &Options) -> Program {
    let text = ENVIRONMENT.as_bytes();
    let compilation = compile_text(&Locations::library_file("environment.c"), text, options);
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
