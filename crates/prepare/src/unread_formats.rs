//! Calls whose format nobody can read before the program runs: what its conversions demand of the arguments is
//! not checked, so that no failure is no proof.

use crate::formats::possible;
use crate::forwards::{Forward, by_row, forwards};
use crate::texts::Texts;
use cwolf_cwi::{Branch, Callee, Expr, FuncId, Origin, Program};
use cwolf_known::{FormatArgs, FormatKind};
use rustc_hash::FxHashMap;

/// What is not checked in code that can be reached, in words.
pub(crate) fn unread(program: &Program, reached: &[FuncId]) -> Vec<String> {
    let forwards = forwards(program);
    let mut found = Vec::new();
    for func in reached {
        let function = &program.funcs[*func];
        let Some(body) = function.body.as_ref() else {
            continue;
        };
        if function.origin != Origin::Program {
            continue;
        }
        let texts = Texts::new(program, body);
        // Its callers are looked at instead.
        let hands_on = forwards.contains_key(func);
        for block in body.blocks.iter() {
            let Branch::Call { callee, args, .. } = &block.branch else {
                continue;
            };
            let Callee::Direct(callee) = callee else {
                continue;
            };
            if !is_read(program, *callee, args, &forwards, &texts, hands_on) {
                let name = &program.funcs[*callee].name;
                let place = program.locations.describe(block.loc);
                found.push(format!(
                    "what the format of {name} at {place} demands, which is not a literal"
                ));
            }
        }
    }
    found
}

/// Whether a call has no format, or one that can be read.
fn is_read(
    program: &Program,
    callee: FuncId,
    args: &[Expr],
    forwards: &FxHashMap<FuncId, Forward>,
    texts: &Texts,
    hands_on: bool,
) -> bool {
    let known = forwards.get(&callee).copied();
    let Some(Forward { format, .. }) = known.or_else(|| by_row(program, callee)) else {
        return true;
    };
    if !matches!(format.kind, FormatKind::Printf | FormatKind::Scanf) {
        return true;
    }
    match format.args {
        FormatArgs::From(_) => possible(program, format, args, texts).is_some(),
        FormatArgs::List(_) => hands_on,
        FormatArgs::None => true,
    }
}
