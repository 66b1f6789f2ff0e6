//! Calls whose format nobody can read before the program runs: what its conversions demand of the arguments is
//! not checked, so that no failure is no proof.

use crate::formats::possible;
use crate::forwards::{Forward, by_row, forwards};
use crate::texts::Texts;
use cwolf_cwi::{Branch, Callee, Expr, FuncId, LocId, Origin, Program};
use cwolf_known::{FormatArgs, FormatKind};
use rustc_hash::FxHashMap;

/// What is known of the formats in code that can be reached.
#[derive(Default)]
pub(crate) struct Formats {
    /// What is not checked, in words.
    pub unread: Vec<String>,
    /// The first that is a translation.
    pub translated: Option<LocId>,
}

pub(crate) fn formats(program: &Program, reached: &[FuncId]) -> Formats {
    let forwards = forwards(program);
    let mut found = Formats::default();
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
            match reading(program, *callee, args, &forwards, &texts, hands_on) {
                Reading::Exact => {}
                Reading::Translated => {
                    found.translated.get_or_insert(block.loc);
                }
                Reading::None => {
                    let name = &program.funcs[*callee].name;
                    let place = program.locations.describe(block.loc);
                    found.unread.push(format!(
                        "what the format of {name} at {place} demands, which is not a literal"
                    ));
                }
            }
        }
    }
    found
}

enum Reading {
    /// There is no format, or all of it is known.
    Exact,
    /// Its conversions are known.
    Translated,
    None,
}

fn reading(
    program: &Program,
    callee: FuncId,
    args: &[Expr],
    forwards: &FxHashMap<FuncId, Forward>,
    texts: &Texts,
    hands_on: bool,
) -> Reading {
    let known = forwards.get(&callee).copied();
    let Some(Forward { format, .. }) = known.or_else(|| by_row(program, callee)) else {
        return Reading::Exact;
    };
    if format.kind == FormatKind::Time {
        return Reading::Exact;
    }
    match format.args {
        FormatArgs::From(_) => match possible(program, format, args, texts) {
            Some(all) if all.iter().any(|(_, f)| f.is_translated()) => Reading::Translated,
            Some(_) => Reading::Exact,
            None => Reading::None,
        },
        FormatArgs::List(_) if !hands_on => Reading::None,
        FormatArgs::List(_) | FormatArgs::None => Reading::Exact,
    }
}
