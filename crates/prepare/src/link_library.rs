//! Links a program with models of what it lacks: first the world outside, then the C library.

use cwolf_cfront::{Options, compile_text, library};
use cwolf_cwi::{Definition, Linkage, Origin, Program, link};
use rustc_hash::FxHashSet;

const ENVIRONMENT: &str = include_str!("../../../library/environment.c");

/// The program with models of the functions that it lacks.
pub(crate) fn link(program: Program, options: &Options) -> Result<Program, String> {
    let missing = |p: &Program| -> FxHashSet<String> {
        let functions = p.funcs.iter();
        let declared = functions.filter(|f| f.definition == Definition::Declared);
        declared.map(|f| f.name.clone()).collect()
    };
    let environment = environment(options);
    let given: FxHashSet<String> = environment
        .funcs
        .iter()
        .filter(|f| f.body.is_some())
        .map(|f| f.name.clone())
        .collect();
    let wanted = missing(&program);
    let mut parts = library::resolve(&program, options, |name| !given.contains(name));
    if wanted.iter().any(|name| given.contains(name)) {
        parts.insert(0, environment);
    }
    parts.insert(0, program);
    match link::link(parts) {
        Ok(linked) => Ok(linked.program),
        Err(errors) => {
            let all: Vec<String> = errors.iter().map(ToString::to_string).collect();
            Err(all.join("; "))
        }
    }
}

fn environment(options: &Options) -> Program {
    let options = Options {
        target: options.target,
        ..Options::default()
    };
    let text = ENVIRONMENT.as_bytes();
    let compilation = compile_text("<library>/environment.c", text, &options);
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
