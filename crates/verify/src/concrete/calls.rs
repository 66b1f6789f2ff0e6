//! Calls of functions of the library that know of each other: what one was given or told another one must not
//! contradict.

use cwolf_cwi::value::Value;
use cwolf_cwi::{Branch, Callee, FuncId, Program, RESULT, Type};
use cwolf_interp::{At, View};
use cwolf_known::Row;
use rustc_hash::FxHashSet;
use std::ops::Range;

/// Longer texts are cut.
const MOST: u64 = 256;
/// So many calls are kept; of a longer run the first ones.
const MOST_CALLS: usize = 50_000;

/// A call that a run made.
#[derive(Clone, Debug)]
pub struct LibraryCall {
    /// The function.
    pub func: FuncId,
    /// The arguments that are numbers or pointers.
    pub args: Vec<Option<i128>>,
    /// For each of them: the text that it points to, if it does.
    pub texts: Vec<Option<Vec<u8>>>,
    /// Which of the run's choices were made in it.
    pub choices: Range<usize>,
    /// What it returned, if that is a number or a pointer and the call came back.
    pub result: Option<i128>,
}

/// Collects calls as the run goes on.
#[derive(Debug, Default)]
pub struct CallLog {
    of: FxHashSet<FuncId>,
    /// How deep the call is that is under way, if one is.
    open: Option<usize>,
    /// The calls, in order.
    pub done: Vec<LibraryCall>,
}

/// Whether a function belongs to others, by its row.
fn is_related(row: &Row) -> bool {
    let alone = row.asks.is_none()
        && row.draws().is_none()
        && row.states().is_empty()
        && row.channels().next().is_none();
    !alone || row.opens() || row.connects() || row.makes_handle().is_some()
}

impl CallLog {
    /// A log of such calls in a program.
    pub fn of(program: &Program) -> CallLog {
        let related = |f: &FuncId| program.known(*f).is_some_and(is_related);
        CallLog {
            of: program.funcs.ids().filter(related).collect(),
            ..CallLog::default()
        }
    }

    /// The run is about to make a step, after so many choices.
    pub(super) fn step(&mut self, at: At, view: &View<'_, '_>, choices: usize) {
        if self.open.is_some_and(|depth| at.depth > depth) {
            return;
        }
        if let Some(depth) = self.open.take()
            && let Some(last) = self.done.last_mut()
        {
            last.choices.end = choices;
            if at.depth == depth {
                last.result = result(view, last.func);
            }
        }
        let body = view.program().funcs[at.func].body.as_ref();
        let Some(block) = body.map(|b| &b.blocks[at.block]) else {
            return;
        };
        let Branch::Call {
            callee: Callee::Direct(func),
            args,
            ..
        } = &block.branch
        else {
            return;
        };
        let made = at.index == block.stmts.len() && self.of.contains(func);
        if !made || self.done.len() >= MOST_CALLS {
            return;
        }
        let args: Vec<Option<i128>> = args.iter().map(|e| number(view.eval(e))).collect();
        self.done.push(LibraryCall {
            func: *func,
            texts: args.iter().map(|n| text(view, (*n)?)).collect(),
            args,
            choices: choices..choices,
            result: None,
        });
        self.open = Some(at.depth);
    }
}

fn number(value: Option<Value>) -> Option<i128> {
    match value {
        Some(Value::Int(n)) => Some(n),
        _ => None,
    }
}

/// What a function that has just returned gave back.
fn result(view: &View<'_, '_>, func: FuncId) -> Option<i128> {
    let program = view.program();
    match &program.types[program.funcs[func].ty] {
        Type::Func(ty) => number(view.reg(RESULT, ty.ret)),
        _ => None,
    }
}

/// The text at an address.
fn text(view: &View<'_, '_>, at: i128) -> Option<Vec<u8>> {
    let at = u64::try_from(at).ok().filter(|at| *at != 0)?;
    view.object(at)?;
    let mut found = Vec::new();
    for n in 0..MOST {
        match view.bytes(at + n, 1)?[0] {
            0 => break,
            byte => found.push(byte),
        }
    }
    Some(found)
}
