//! Variables that no file defines. What they hold when the program starts is chosen there, so that
//! every engine, the interpreter and a harness agree on it.

use crate::given::places;
use crate::glue::plain_function;
use crate::mentioned::variables;
use crate::subject::{Assumption, Extern};
use crate::unknown::{Given, LARGE, Maker, visible};
use crate::variable::assign_unknown;
use cwolf_cwi::{Definition, FuncId, Linkage, Origin, Place, Program, VarId, VarKind};

/// The name of the function that chooses.
const NAME: &str = "__cwolf_extern_data";

/// What the pass found.
#[derive(Debug, Default)]
pub(crate) struct ExternData {
    /// The variables, which are defined now.
    pub(crate) vars: Vec<VarId>,
    /// The function that gives them their first values.
    pub(crate) chooser: Option<FuncId>,
}

/// Defines the variables that no file defines, and makes a function that chooses what they hold.
/// Pointers lead to memory outside, or, where code outside may do all that it can, to variables that it
/// knows.
pub(crate) fn define_extern_data(
    program: &mut Program,
    externs: Extern,
    assumptions: &mut Vec<Assumption>,
) -> ExternData {
    let vars = undefined(program);
    let Some(first) = vars.first() else {
        return ExternData::default();
    };
    let loc = program.vars[*first].loc;
    let known = visible(program);
    for var in &vars {
        let var = &mut program.vars[*var];
        var.definition = Definition::Defined;
        assumptions.push(Assumption {
            text: format!(
                "{} is defined in no file: it starts with any value",
                var.name
            ),
            place: Some(var.loc),
        });
    }
    let given = Given::of(program);
    let func = plain_function(program, NAME, loc);
    let mut maker = Maker::new(program, func, &given);
    for var in &vars {
        choose(&mut maker, *var, externs, &known);
    }
    maker.finish(None);
    // Pointers that it chooses come from outside.
    program.funcs[func].origin = Origin::Stub;
    ExternData {
        vars,
        chooser: Some(func),
    }
}

fn choose(maker: &mut Maker<'_>, var: VarId, externs: Extern, known: &[VarId]) {
    let ty = maker.program.vars[var].ty;
    let place = Place::var(ty, var);
    if maker.program.types.size_of(ty) > LARGE {
        return maker.forget(place);
    }
    let loc = maker.program.vars[var].loc;
    maker.push(assign_unknown(place.clone(), loc).kind);
    if externs == Extern::Havoc {
        let name = maker.program.vars[var].name.clone();
        for part in places(maker.program, &place) {
            maker.result(&part, &[], known, &name);
        }
    }
}

/// Variables that the program mentions and no file defines. Those of the library have the values
/// that it gives them; of an array without a length nobody knows where it ends, and large constants
/// cannot be chosen at once.
fn undefined(program: &Program) -> Vec<VarId> {
    let mentioned = variables(program, |_| true);
    let chosen = |id: &VarId| {
        let var = &program.vars[*id];
        let size = program.types.size_of(var.ty);
        let elsewhere = var.definition == Definition::Declared
            && var.kind == VarKind::Global
            && var.linkage == Linkage::External
            && var.alias.is_none();
        let fits = size > 0 && !(var.constant && size > LARGE);
        elsewhere && fits && !cwolf_interp::provides(&var.name) && mentioned.contains(id)
    };
    program.vars.ids().filter(chosen).collect()
}
