//! Takes the bodies of error functions away: to call one is the error, whatever it does.

use crate::property::{ERROR_FUNCTIONS, Kind, Selection};
use crate::slic;
use cwolf_cwi::{Definition, FuncId, Program, Type, VarKind};

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
    let wanted = |name: &str| selection.error_functions.iter().any(|f| f == name);
    // The usual function had another name once. A program that has only the other one means that.
    let missing = !program.funcs.iter().any(|f| wanted(&f.name));
    let other = missing && ERROR_FUNCTIONS.iter().any(|name| wanted(name));
    let by_name = |name: &str| {
        let named = wanted(name) || (other && ERROR_FUNCTIONS.contains(&name));
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
        // Its variables are nobody's: objects that no code mentions.
        for var in function.params.drain(..).chain(function.locals.drain(..)) {
            program.vars[var].kind = VarKind::StaticLocal(FuncId(id as u32));
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passes::pass;
    use cwolf_cfront::{Options, compile_text};

    #[test]
    fn the_older_name_of_the_error_function_counts_where_the_newer_is_missing() {
        let marked = |text: &str| {
            let compiled = compile_text("t.c", text.as_bytes(), &Options::default());
            let mut program = compiled.program.expect("it compiles");
            let selection = Selection {
                error_functions: vec!["reach_error".into()],
                ..Selection::default()
            };
            let errors = pass("mark_errors", &mut program, |p| mark_errors(p, &selection));
            let names = errors.all.iter().map(|f| program.funcs[*f].name.clone());
            names.collect::<Vec<_>>()
        };
        let old = "void __VERIFIER_error(void); int main(void) { __VERIFIER_error(); return 0; }";
        assert_eq!(marked(old), ["__VERIFIER_error"]);
        let both = "void __VERIFIER_error(void); void reach_error(void);
            int main(void) { reach_error(); __VERIFIER_error(); return 0; }";
        assert_eq!(marked(both), ["reach_error"]);
    }

    #[test]
    fn an_error_function_may_have_parameters_and_locals() {
        let text = "void reach_error(int code) { int *p = &code; int twice = 2 * *p; }
            int main(void) { reach_error(1); return 0; }";
        let compiled = compile_text("t.c", text.as_bytes(), &Options::default());
        let mut program = compiled.program.expect("it compiles");
        let selection = Selection::default();
        let errors = pass("mark_errors", &mut program, |p| mark_errors(p, &selection));
        assert_eq!(errors.all.len(), 1);
        assert!(program.funcs[errors.all[0]].body.is_none());
    }
}
