//! Takes the bodies of error functions away: to call one is the error, whatever it does.

use crate::property::{ERROR_FUNCTIONS, Kind, Selection};
use crate::slic;
use cwolf_cwi::{Definition, FuncId, Program, Type};

/// Functions whose call is an error.
#[derive(Clone, Debug, Default)]
pub(crate) struct Errors {
    /// All of them.
    pub all: Vec<FuncId>,
    /// Those that the user's program does not define.
    pub undefined: Vec<FuncId>,
}

/// Marks the functions that the selection, or a rule, calls errors.
pub(crate) fn mark_errors(program: &mut Program, selection: &Selection) -> Errors {
    let mut errors = Errors::default();
    let by_name = |name: &str| {
        let named = selection.error_functions.iter().any(|f| f == name);
        (named && selection.has(Kind::UnreachCall)) || name == slic::ABORT
    };
    for (id, function) in program.funcs.iter_mut().enumerate() {
        if !by_name(&function.name) || !matches!(program.types[function.ty], Type::Func(_)) {
            continue;
        }
        if function.definition == Definition::Declared {
            errors.undefined.push(FuncId(id as u32));
        }
        function.body = None;
        function.refused = None;
        function.params.clear();
        function.locals.clear();
        function.definition = Definition::Declared;
        // The interpreter knows the two usual names; others stand for one of them.
        if !ERROR_FUNCTIONS.contains(&function.name.as_str()) && function.name != slic::ABORT {
            function.alias = Some("reach_error".into());
            function.definition = Definition::Defined;
        }
        errors.all.push(FuncId(id as u32));
    }
    errors
}
