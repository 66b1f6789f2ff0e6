//! Why a model is as large or as coarse as it is: how many values each variable has in its states,
//! and where a variable that was known became unknown.

use super::Model;
use crate::domain::Value;
use crate::machine::{Machine, Position, Values};
use cwolf_base::Idx;
use cwolf_cwi::graph::Object;
use cwolf_cwi::{Base, Branch, FuncId, LocId, StmtKind, VarId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};

/// States and steps that are looked at.
const MOST: usize = 100_000;

/// How many values something has in the states of a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spread {
    /// What, as a map calls it, with its function if it has one.
    pub name: String,
    /// How many different values.
    pub values: usize,
}

/// A place where something that was known became unknown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lost {
    /// What.
    pub name: String,
    /// Where.
    pub loc: LocId,
    /// Why, as the end of a sentence.
    pub reason: String,
    /// In how many steps.
    pub times: usize,
}

/// Why a model is as large or as coarse as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Explanation {
    /// The variables, those with the most values first.
    pub spread: Vec<Spread>,
    /// Where precision is lost, most often first.
    pub lost: Vec<Lost>,
    /// Whether only a part of a large model was looked at.
    pub sampled: bool,
}

/// Looks at the states of a model that `machine` made. It must say what they are.
pub fn explain(machine: &Machine<'_>, model: &Model) -> Explanation {
    let mut values: FxHashMap<(Option<FuncId>, usize), FxHashSet<Value>> = FxHashMap::default();
    let stride = model.states.len().div_ceil(MOST).max(1);
    for state in model.states.iter().step_by(stride) {
        let Some(held) = machine.values(*state) else {
            continue;
        };
        for (n, v) in held.global.iter().enumerate() {
            values.entry((None, n)).or_default().insert(*v);
        }
        let regs = machine.code.layout.regs[held.func] as usize;
        for (n, v) in held.local.iter().enumerate().skip(regs) {
            values.entry((Some(held.func), n)).or_default().insert(*v);
        }
    }
    let mut spread: Vec<Spread> = values
        .into_iter()
        .filter(|(_, set)| set.len() > 1)
        .filter_map(|((func, n), set)| {
            Some(Spread {
                name: name(machine, func, n)?,
                values: set.len(),
            })
        })
        .collect();
    spread.sort_by(|a, b| b.values.cmp(&a.values).then_with(|| a.name.cmp(&b.name)));
    Explanation {
        spread,
        lost: lost(machine, model),
        sampled: stride > 1 || model.states.len() < model.lts.states(),
    }
}

/// What a map calls a slot; none for what it cannot name.
fn name(machine: &Machine<'_>, func: Option<FuncId>, slot: usize) -> Option<String> {
    let layout = &machine.code.layout;
    let cell = match func {
        None => layout.globals.get(slot)?,
        Some(f) => layout.locals[f].get(slot.checked_sub(layout.regs[f] as usize)?)?,
    };
    let var = &machine.code.program.vars[cell.var];
    let owner = var.kind.function();
    let own = owner.unwrap_or(FuncId::new(0));
    let text = machine.code.cell_name(cell.var, cell.bit_offset, own);
    Some(match owner {
        Some(f) if !text.contains(':') => format!("{}:{text}", machine.code.program.funcs[f].name),
        _ => text,
    })
}

/// Something that became unknown in a step: the state after it, what, where, and why.
type Loss = (u32, String, LocId, String);

/// The steps in which something that is still needed became unknown; one in `stride` is looked at.
fn losses(machine: &Machine<'_>, model: &Model, stride: usize, visit: &mut dyn FnMut(Loss)) {
    for (from, _, to) in model.lts.iter().step_by(stride) {
        let state = |n: u32| model.states.get(n as usize).copied();
        let (Some(a), Some(b)) = (state(from), state(to)) else {
            continue;
        };
        let Some(x) = machine.values(a) else {
            continue;
        };
        let y = machine.values(b);
        let outside = match &y {
            Some(_) => None,
            None => machine.values_outside(a, b),
        };
        let layout = &machine.code.layout;
        let mut note = |func: Option<FuncId>, slot: usize, var: VarId| {
            let Some(text) = name(machine, func, slot) else {
                return;
            };
            if let Some((loc, reason)) = reason(machine, machine.position(a).0, var) {
                visit((to, text, loc, reason));
            }
        };
        if let Some((global, dead)) = &outside {
            for slot in forgotten(&x.global, global, dead) {
                note(None, slot, layout.globals[slot].var);
            }
        }
        let Some(y) = y else { continue };
        for slot in forgotten(&x.global, &y.global, &y.dead_global) {
            note(None, slot, layout.globals[slot].var);
        }
        if same_frame(&x, &y) {
            for slot in forgotten(&x.local, &y.local, &y.dead_local) {
                let regs = layout.regs[y.func] as usize;
                if slot >= regs {
                    note(Some(y.func), slot, layout.locals[y.func][slot - regs].var);
                }
            }
        }
    }
}

/// Says in the notes of states what became unknown on the way there, for whoever looks at them one by one.
pub fn annotate(machine: &Machine<'_>, model: &mut Model) {
    let mut found: BTreeMap<u32, BTreeSet<String>> = BTreeMap::new();
    let locations = &machine.code.program.locations;
    losses(machine, model, 1, &mut |(to, name, loc, reason)| {
        let place = locations.describe(loc);
        let line = format!("unknown now: {name}: {reason} ({place})");
        found.entry(to).or_default().insert(line);
    });
    let Some(mut notes) = model.lts.notes().cloned() else {
        return;
    };
    for (state, lines) in found {
        let Some(old) = notes.get(state) else {
            continue;
        };
        let (mut text, others) = (old.text.to_owned(), old.others);
        for line in lines {
            text += &format!("\n{line}");
        }
        notes.set(state, &text, others);
    }
    model.lts = model.lts.clone().with_notes(Some(notes));
}

/// The same, each place once.
fn lost(machine: &Machine<'_>, model: &Model) -> Vec<Lost> {
    let mut found: FxHashMap<(String, LocId, String), usize> = FxHashMap::default();
    let stride = model.lts.transitions().div_ceil(MOST).max(1);
    losses(machine, model, stride, &mut |(_, name, loc, reason)| {
        *found.entry((name, loc, reason)).or_default() += 1;
    });
    let mut list: Vec<Lost> = found
        .into_iter()
        .map(|((name, loc, reason), times)| Lost {
            name,
            loc,
            reason,
            times,
        })
        .collect();
    list.sort_by(|a, b| {
        let key = |l: &Lost| (std::cmp::Reverse(l.times), l.loc, l.name.clone());
        key(a).cmp(&key(b))
    });
    list
}

fn same_frame(a: &Values, b: &Values) -> bool {
    a.func == b.func
}

fn forgotten<'v>(
    before: &'v [Value],
    after: &'v [Value],
    dead: &'v [usize],
) -> impl Iterator<Item = usize> + 'v {
    let pairs = before.iter().zip(after).enumerate();
    pairs
        .filter(|(n, (a, b))| **a != Value::Top && **b == Value::Top && !dead.contains(n))
        .map(|(n, _)| n)
}

/// The statement of the block that a step runs which makes a variable unknown, and how.
fn reason(machine: &Machine<'_>, at: Position, var: VarId) -> Option<(LocId, String)> {
    let Position::Code(func, block, from) = at else {
        return None;
    };
    let program = machine.code.program;
    let code = &program.funcs[func].body.as_ref()?.blocks[block];
    let mut found = None;
    for stmt in code.stmts.iter().skip(from as usize) {
        match &stmt.kind {
            StmtKind::Assign(place, _) => match &place.base {
                Base::Var(v) if *v == var => {
                    found = Some((stmt.loc, "the value that is stored is not known".to_owned()));
                }
                Base::Deref(p) => {
                    let objects = program.points_to().expr(func, block, p);
                    let here = |o: &Object| matches!(o, Object::Var(v) if *v == var);
                    if objects.iter().any(here) || objects.contains(&Object::Outside) {
                        let text = "a write through a pointer may change it";
                        found = Some((stmt.loc, text.to_owned()));
                    }
                }
                Base::Var(_) => {}
            },
            StmtKind::Havoc { .. } => {
                let text = "code that is not shown may change it";
                found = Some((stmt.loc, text.to_owned()));
            }
            _ => {}
        }
    }
    if found.is_some() {
        return found;
    }
    let Branch::Call { callee, .. } = &code.branch else {
        return Some((code.loc, "its values on two ways are merged".to_owned()));
    };
    let (targets, _) = program.points_to().callees(func, block, callee);
    let frees = |f: &FuncId| program.known(*f).is_some_and(|row| !row.frees().is_empty());
    let text = match &targets[..] {
        // Of several that a pointer may lead to, nobody says here which one was called.
        [f] if frees(f) => format!("`{}` ends the life of an object", program.funcs[*f].name),
        [f] if program.funcs[*f].body.is_none() => {
            format!("`{}` has no body and may change it", program.funcs[*f].name)
        }
        _ => "the call may change it".to_owned(),
    };
    Some((code.loc, text))
}
