//! Which functions without code are words of verification.

use crate::checks::Checked;
use cwolf_cwi::{CheckKind, FuncId, Origin, Program};
use cwolf_known::Row;
use rustc_hash::FxHashMap;

/// Functions that report a failed assertion, and the argument that has its text.
const ASSERTIONS: [(&str, Option<usize>); 4] = [
    ("__assert_fail", Some(0)),
    ("__assert", Some(0)),
    ("__assert_rtn", Some(3)),
    ("__assert_perror_fail", None),
];
/// Functions that demand that their argument is not zero.
const DEMANDS: [&str; 4] = [
    "__VERIFIER_assert",
    "__CPROVER_assert",
    "__ESBMC_assert",
    "assert",
];
/// Functions that only look at runs in which their argument is not zero.
const ASSUMES: [&str; 3] = ["__VERIFIER_assume", "__CPROVER_assume", "__ESBMC_assume"];
const FREES: [&str; 4] = ["free", "realloc", "reallocarray", "__builtin_free"];

/// Functions that engines do themselves, whether they have a model in C or not; jumps become code.
const IN_PLACE: [&str; 3] = ["memset", "memcpy", "memmove"];

fn in_place(program: &Program) -> FxHashMap<FuncId, &'static Row> {
    let all = program.funcs.enumerate();
    let of = all.filter(|(_, f)| f.body.is_none() || f.origin == Origin::Model);
    of.filter_map(|(id, f)| {
        let plain = f.name.strip_prefix("__builtin_").unwrap_or(&f.name);
        let jumps = |row: &Row| row.jumps().is_some() || row.marks().is_some();
        let row = cwolf_known::lookup(&f.name)?;
        (IN_PLACE.contains(&plain) || jumps(row)).then_some((id, row))
    })
    .collect()
}

impl Checked {
    /// These kinds of checks, and the usual meaning of functions that the program does not define.
    pub fn new(program: &Program, kinds: &[CheckKind]) -> Checked {
        let named = |names: &[&str], defined: bool| -> Vec<FuncId> {
            let all = program.funcs.enumerate();
            all.filter(|(_, f)| (defined || f.body.is_none()) && names.contains(&f.name.as_str()))
                .map(|(id, _)| id)
                .collect()
        };
        let assertions = ASSERTIONS.iter().flat_map(|(name, text)| {
            let found = named(&[name], false);
            found.into_iter().map(move |f| (f, *text))
        });
        Checked {
            kinds: kinds.to_vec(),
            assertions: assertions.collect(),
            demands: named(&DEMANDS, false),
            assumes: named(&ASSUMES, false),
            frees: named(&FREES, true),
            in_place: in_place(program),
            shift_overflow: true,
            ..Checked::default()
        }
    }
}
