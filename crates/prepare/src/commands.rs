//! The passes of commands that do not check anything.

use crate::heap::name_allocations;
use crate::link_library::{Models, link_library};
use crate::outside::give_away;
use crate::own_volatiles::plain_own_volatiles;
use crate::passes::pass;
use crate::return_records::return_records;
use crate::run_startup::{declare_exit, run_startup};
use crate::start::{Arguments, start};
use crate::subject::Extern;
use cwolf_cwi::link::{LinkError, LinkWarning};
use cwolf_cwi::{FuncId, Function, Program};
use cwolf_known::{Row, When};

/// A program that is ready for an engine.
#[derive(Clone, Debug)]
pub struct Ready {
    /// The program.
    pub program: Program,
    /// Where it starts, if that is known.
    pub entry: Option<FuncId>,
    /// What linking found.
    pub warnings: Vec<LinkWarning>,
}

/// For `run`: the interpreter runs constructors itself, and most of the library. An `open` entry
/// function gets any arguments.
pub fn to_run(program: Program, entry: &str, open: bool) -> Result<Ready, Vec<LinkError>> {
    let linked = link_library(program, &Models::TO_RUN)?;
    let mut program = linked.program;
    let found = program.function(entry);
    let mut entry = found.expect("linking keeps functions");
    if open {
        let arguments = Arguments::default();
        let start = pass("start", &mut program, |p| {
            start(p, entry, &arguments, &[], &mut Vec::new())
        });
        entry = start.func;
    }
    Ok(Ready {
        program,
        entry: Some(entry),
        warnings: linked.warnings,
    })
}

/// For `model`: the abstract machine runs functions of the library by their rows, as one step each. Models in C
/// are for those that call functions of the program, or keep what they are given, and for those that the user `names`.
pub fn to_model(
    program: Program,
    entry: &str,
    externs: Extern,
    heap: usize,
    names: &[String],
) -> Result<Ready, Vec<LinkError>> {
    // Tables of the library are constants, which the machine reads.
    let plain = |row: &Row| row.writes_only_args() && !row.returns_table();
    let by_row = |name: &str| cwolf_known::lookup(name).is_some_and(plain);
    let wanted = |name: &str| !by_row(name) || names.iter().any(|n| n == name);
    let mut ready = with_library(program, entry, &wanted)?;
    if let Some(start) = ready.program.function(entry) {
        pass("plain_own_volatiles", &mut ready.program, |p| {
            plain_own_volatiles(p, start)
        });
    }
    pass("return_records", &mut ready.program, return_records);
    if externs == Extern::Havoc {
        pass("give_away", &mut ready.program, give_away);
    }
    pass("name_allocations", &mut ready.program, |p| {
        name_allocations(p, heap)
    });
    pass("address_records", &mut ready.program, address_records);
    Ok(ready)
}

/// Pointer types to all structs and unions: rules of label maps speak of objects by their address.
fn address_records(program: &mut Program) {
    for record in program.types.records.ids().collect::<Vec<_>>() {
        let ty = program.types.record(record);
        program.types.pointer(ty);
    }
}

/// For `abstract` and `invariants`: all models in C but those that say less than the engines know themselves.
pub fn to_abstract(program: Program, entry: &str) -> Result<Ready, Vec<LinkError>> {
    with_library(program, entry, &|_| true)
}

/// The program with those models in C that are `wanted`. A program that starts at `main` runs its
/// constructors and destructors.
fn with_library(
    mut program: Program,
    entry: &str,
    wanted: &dyn Fn(&str) -> bool,
) -> Result<Ready, Vec<LinkError>> {
    let whole = entry == "main";
    if whole {
        pass("declare_exit", &mut program, declare_exit);
    }
    // Without functions to run at exit, to end the program is all that `exit` does.
    let row = |f: &Function| cwolf_known::lookup(&f.name);
    let registers = |row: &Row| {
        row.calls_later()
            .iter()
            .any(|(_, when)| *when == When::Exit)
    };
    let at_exit = program.funcs.iter().any(|f| row(f).is_some_and(registers));
    let ends = |name: &str| cwolf_known::lookup(name).is_some_and(|row| row.ends().is_some());
    let models = Models {
        environment: false,
        wanted: &|name| (at_exit || !ends(name)) && wanted(name),
    };
    let mut linked = link_library(program, &models)?;
    // After linking: only then it is known what runs, in which order.
    if whole {
        pass("run_startup", &mut linked.program, run_startup);
    }
    Ok(Ready {
        program: linked.program,
        entry: None,
        warnings: linked.warnings,
    })
}
