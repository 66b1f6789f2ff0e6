//! Records a run as a person follows it: line by line of the user's own code, with what each
//! line changed.

use super::{Choice, Datum, Effect, End, is_inner};
use crate::names::{place_name, place_of, shown_function};
use cwolf_cwi::value::Value;
use cwolf_cwi::{Branch, ExprKind, FuncId, LocId, Origin, Program, StmtKind, Type, VarKind};
use cwolf_interp::{At, View};
use cwolf_report::{Change, Event, Step};
use std::collections::VecDeque;

/// Steps kept from the start and from the end of a long run.
const HEAD: usize = 300;
const TAIL: usize = 700;

/// Collects steps as the run goes on.
#[derive(Default)]
pub(super) struct Recorder {
    head: Vec<Step>,
    tail: VecDeque<Step>,
    omitted: usize,
    /// The line that is being run.
    current: Option<Line>,
    /// The statement that is being run, and how many choices there were before it.
    last: Option<(At, usize)>,
    /// Depths of calls under way that are not shown, with the function that each is of.
    hidden: Vec<(usize, FuncId)>,
}

/// A line that is being run: statements of one line in one call are one step.
struct Line {
    func: FuncId,
    depth: usize,
    place: (cwolf_cwi::FileId, u32),
    step: Step,
}

impl Recorder {
    /// Wrappers, models of the library and code outside the program run unseen.
    fn is_hidden(&self, program: &Program, func: FuncId) -> bool {
        let handler = program.funcs[func].origin == Origin::Rule;
        is_inner(program, func) && !handler
    }

    pub fn step(&mut self, at: At, view: &View<'_, '_>, choices: usize, chosen: Option<Choice>) {
        self.finish_statement(at, view, choices, chosen);
        let Some(loc) = view.loc() else { return };
        let program = view.program();
        let loc = *statement_loc(program, at).unwrap_or(&loc);
        self.last = Some((at, choices));
        self.hidden.retain(|(depth, _)| *depth < at.depth);
        if self.is_hidden(program, at.func) {
            self.hidden.push((at.depth, at.func));
            return;
        }
        let shown_depth = at.depth - self.hidden.len();
        let position = program.locations[loc];
        let place = (position.file, position.line);
        let same = self
            .current
            .as_ref()
            .is_some_and(|l| (l.func, l.depth, l.place) == (at.func, at.depth, place));
        if !same {
            self.flush();
            self.current = Some(Line {
                func: at.func,
                depth: at.depth,
                place,
                step: Step {
                    place: place_of(program, loc),
                    function: shown_function(program, at.func),
                    depth: shown_depth,
                    event: Event::Run,
                    changes: Vec::new(),
                },
            });
        }
    }

    /// A call of a function outside the program is over: what it returned and changed.
    pub fn outside(&mut self, effect: &Effect, view: &View<'_, '_>) {
        let program = view.program();
        let Some(line) = self.current.as_mut().filter(|_| !effect.last) else {
            return;
        };
        let function = &program.funcs[effect.func];
        if let Type::Func(ty) = &program.types[function.ty]
            && matches!(line.step.event, Event::Choose(..))
        {
            let name = shown_function(program, effect.func);
            match (&program.types[ty.ret], &effect.result) {
                (Type::Void, _) => line.step.event = Event::Call(format!("{name}()")),
                (_, Some(Datum::Scalar(value))) => {
                    let value = view.show(ty.ret, *value);
                    line.step.event = Event::Choose(format!("{name}()"), value);
                }
                _ => {}
            }
        }
        for written in &effect.written {
            let (name, value) = (written.name.clone(), written.value.clone());
            let value = value.unwrap_or("…".into());
            let plain = false;
            line.step.changes.retain(|c| c.name != name);
            line.step.changes.push(Change { name, value, plain });
        }
    }

    /// What the statement before did, now that it is done.
    fn finish_statement(
        &mut self,
        now: At,
        view: &View<'_, '_>,
        choices: usize,
        chosen: Option<Choice>,
    ) {
        let Some((at, before)) = self.last.take() else {
            return;
        };
        let program = view.program();
        let quiet = self.is_hidden(program, at.func);
        let Some(line) = &mut self.current else {
            return;
        };
        let Some(body) = &program.funcs[at.func].body else {
            return;
        };
        let starts = !quiet && starts_variable(program, at);
        if let Some(choice) = chosen.filter(|_| choices > before && !starts) {
            // The function that the user's code called is the one that matters.
            let outer = self
                .hidden
                .iter()
                .rev()
                .find(|(_, func)| program.funcs[*func].origin != Origin::Glue);
            let from = outer.map(|(_, func)| *func).or(choice.from);
            let from = from.map_or(String::new(), |func| {
                match quiet || program.funcs[func].body.is_none() {
                    true => format!("{}()", shown_function(program, func)),
                    false => String::new(),
                }
            });
            line.step.event = Event::Choose(from, view.show(choice.ty, choice.value));
        }
        if quiet {
            return;
        }
        let block = &body.blocks[at.block];
        let same = now.func == at.func && now.depth == at.depth;
        let Some(stmt) = block.stmts.get(at.index) else {
            let event = match &block.branch {
                Branch::If { then, els, .. } if same && then != els => {
                    Some(Event::Branch(now.block == *then))
                }
                Branch::Call { .. } if now.depth > at.depth => {
                    Some(Event::Call(call_text(now.func, view)))
                }
                _ => None,
            };
            if let (Some(event), false) = (event, matches!(line.step.event, Event::Choose(..))) {
                line.step.event = event;
            }
            return;
        };
        let StmtKind::Assign(to, _) = &stmt.kind else {
            return;
        };
        if !same {
            return;
        }
        // What the compiler made up is not shown.
        let made_up = |var| {
            let var = &program.vars[var];
            matches!(var.kind, VarKind::Temp(_)) || var.name.contains('$')
        };
        if to.root().is_some_and(made_up) {
            return;
        }
        let (Some(name), Some(value)) = (place_name(to, view), view.load(to)) else {
            return;
        };
        let pointer = program.types.pointee(to.ty).is_some();
        // A variable that lives in memory is written before it is read, nearly always.
        if starts && value == Value::Int(0) && begins_life(program, at) {
            return;
        }
        let value = view.show(to.ty, value);
        let plain = to.as_var().is_some() && !pointer && value.parse::<i128>().is_ok();
        line.step.changes.retain(|c| c.name != name);
        line.step.changes.push(Change { name, value, plain });
    }

    fn flush(&mut self) {
        let Some(line) = self.current.take() else {
            return;
        };
        let step = line.step;
        // A line that only passes through says nothing.
        if step.event == Event::Run && step.changes.is_empty() {
            return;
        }
        self.keep(step);
    }

    fn keep(&mut self, step: Step) {
        if self.head.len() < HEAD {
            self.head.push(step);
            return;
        }
        self.tail.push_back(step);
        if self.tail.len() > TAIL {
            self.tail.pop_front();
            self.omitted += 1;
        }
    }

    /// The steps, with the failure as the last one.
    pub fn finish(mut self, program: &Program, end: &End) -> (Vec<Step>, Option<(usize, usize)>) {
        match end {
            End::Fails(failure) => {
                let depth = self.current.as_ref().map_or(1, |line| line.step.depth);
                // What the last line did before it failed still happened.
                let pending = self.current.take().filter(|l| !l.step.changes.is_empty());
                if let Some(line) = pending {
                    self.keep(line.step);
                }
                let (func, loc): (FuncId, LocId) = failure.user;
                self.keep(Step {
                    place: place_of(program, loc),
                    function: shown_function(program, func),
                    depth,
                    event: Event::Fail,
                    changes: Vec::new(),
                });
            }
            _ => self.flush(),
        }
        let omitted = (self.omitted > 0).then(|| (self.omitted, self.head.len() - 1));
        let mut steps = self.head;
        steps.extend(self.tail);
        (steps, omitted)
    }
}

/// Whether a statement gives a local the arbitrary value that it starts with.
fn starts_variable(program: &Program, at: At) -> bool {
    let Some(body) = &program.funcs[at.func].body else {
        return false;
    };
    match body.blocks[at.block].stmts.get(at.index).map(|s| &s.kind) {
        Some(StmtKind::Assign(to, e)) => {
            to.as_var().is_some() && matches!(e.kind, ExprKind::Choose)
        }
        _ => false,
    }
}

/// Whether the statement before says that a local begins to live: its address is taken.
fn begins_life(program: &Program, at: At) -> bool {
    let body = program.funcs[at.func].body.as_ref();
    let before = body.and_then(|body| {
        let stmts = &body.blocks[at.block].stmts;
        stmts.get(at.index.checked_sub(1)?)
    });
    before.is_some_and(|stmt| matches!(stmt.kind, StmtKind::Live(_)))
}

fn statement_loc(program: &Program, at: At) -> Option<&LocId> {
    let block = &program.funcs[at.func].body.as_ref()?.blocks[at.block];
    Some(block.stmts.get(at.index).map_or(&block.loc, |s| &s.loc))
}

/// `f(1, 2)` with the values that the call passes.
fn call_text(func: FuncId, view: &View<'_, '_>) -> String {
    let program = view.program();
    let params = program.funcs[func].params.iter().map(|p| {
        let value = view.var(*p);
        let ty = program.vars[*p].ty;
        value.map_or("…".into(), |v| view.show(ty, v))
    });
    let params: Vec<String> = params.collect();
    format!("{}({})", shown_function(program, func), params.join(", "))
}
