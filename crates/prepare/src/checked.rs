//! What calls mean to verification: failures, demands, assumptions.

use crate::checks::{Checked, Printed, insert_checks};
use crate::property::{Kind, Selection};
use crate::slic::{self, Rule};
use crate::subject::rule_at;
use cwolf_cwi::{Branch, Callee, FuncId, LocId, Program};

/// Puts an `Assert` before every step that can fail.
pub(crate) fn insert(
    program: &mut Program,
    selection: &Selection,
    rules: &[Rule],
    error_functions: &[FuncId],
) -> Printed {
    let errors = error_functions.iter().map(|f| {
        let name = &program.funcs[*f].name;
        match name == slic::ABORT {
            true => (*f, Kind::Rule, "the rule is kept".to_owned()),
            false => (*f, Kind::UnreachCall, format!("{name} is not called")),
        }
    });
    let checked = Checked {
        errors: errors.collect(),
        // SV-COMP's programs have arrays of any size.
        stack_sizes: selection.follow_undefined,
        // There, only calls of the error function count.
        promises: selection.follow_undefined,
        messages: messages(program, rules, error_functions),
        ..Checked::new(program, selection.kinds())
    };
    insert_checks(program, &checked)
}

/// What rules say where they are broken.
fn messages(program: &Program, rules: &[Rule], errors: &[FuncId]) -> Vec<(LocId, String)> {
    let bodies = program.funcs.iter().filter_map(|f| f.body.as_ref());
    let blocks = bodies.flat_map(|b| b.blocks.iter());
    let calls = blocks.filter(|b| {
        matches!(&b.branch, Branch::Call { callee: Callee::Direct(f), .. } if errors.contains(f))
    });
    let message = |loc: LocId| {
        let (_, words) = rule_at(rules, program, loc)?;
        Some((loc, format!("never: {words}")))
    };
    calls.filter_map(|b| message(b.loc)).collect()
}
