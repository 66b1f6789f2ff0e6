//! Records a run as a person follows it: line by line of the user's own code, with what each
//! line changed.

use super::{Choice, Datum, Effect, End, Written, is_inner};
use crate::names::{place_name, place_of, shown_function};
use cwolf_cwi::typing::place_type;
use cwolf_cwi::value::Value;
use cwolf_cwi::{
    Branch, ExprKind, FuncId, LocId, Origin, Place, Program, Step as PathStep, StmtKind, Type,
    VarKind,
};
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
    /// Calls of code outside the program: how many, and in which step of all each was.
    outside: Vec<usize>,
    omitted: usize,
    /// The line that is being run.
    current: Option<Line>,
    /// The statement that is being run, and how many choices there were before it.
    last: Option<(At, usize)>,
    /// The run was made before and had so many statements.
    length: u64,
    /// It sleeps since this statement.
    asleep: Option<u64>,
    /// Depths of calls under way that are not shown, with the function that each is of.
    hidden: Vec<(usize, FuncId)>,
}

/// A line that is being run: statements of one line in one call are one step.
struct Line {
    func: FuncId,
    depth: usize,
    place: (cwolf_cwi::FileId, u32),
    step: Step,
    /// The last function that it called, and the call as C writes it.
    call: Option<(FuncId, String)>,
    /// Calls of code outside the program, by their numbers.
    effects: Vec<usize>,
}

impl Line {
    /// A call of a function: with its arguments, if it is the one that the line made.
    fn call_of(&self, program: &Program, func: FuncId) -> String {
        match &self.call {
            Some((called, text)) if *called == func => text.clone(),
            _ => format!("{}()", shown_function(program, func)),
        }
    }
    /// Something has a new value.
    fn changes(&mut self, name: String, value: String, plain: bool) {
        change(&mut self.step, name, value, plain);
    }
}

fn change(step: &mut Step, name: String, value: String, plain: bool) {
    step.changes.retain(|c| c.name != name);
    step.changes.push(Change { name, value, plain });
}

/// So many statements before the end of a run every step is recorded.
const NEAR: u64 = 20_000;

impl Recorder {
    /// For a run of so many statements, if that is known.
    pub fn new(length: Option<u64>) -> Recorder {
        Recorder {
            length: length.unwrap_or(0),
            ..Recorder::default()
        }
    }

    /// The statement up to which it need not see the run: what is neither near the start nor near the end is not kept.
    pub fn asleep_until(&self) -> u64 {
        match self.asleep {
            Some(_) => self.length - NEAR,
            None => 0,
        }
    }

    /// Sleeps through the middle of the run, if that is far from here.
    pub fn sleep(&mut self, view: &View<'_, '_>) {
        let now = view.statements();
        if self.asleep.is_none() && self.head.len() >= HEAD && now + 2 * NEAR < self.length {
            self.flush();
            self.last = None;
            self.omitted += self.tail.len();
            self.tail.clear();
            self.asleep = Some(now);
        }
    }

    /// Finds out what happened meanwhile.
    fn wake(&mut self, at: At, view: &View<'_, '_>) {
        let Some(since) = self.asleep.take() else {
            return;
        };
        // Statements, not lines; who counts them is not in a hurry.
        self.omitted += (view.statements() - since) as usize;
        let program = view.program();
        let calls = view.calls().into_iter().rev().enumerate();
        let hidden = calls.filter(|(n, c)| n + 1 < at.depth && self.is_hidden(program, c.func));
        self.hidden = hidden.map(|(n, c)| (n + 1, c.func)).collect();
    }

    /// Wrappers, models of the library and code outside the program run unseen.
    fn is_hidden(&self, program: &Program, func: FuncId) -> bool {
        let handler = program.funcs[func].origin == Origin::Rule;
        is_inner(program, func) && !handler
    }

    pub fn step(&mut self, at: At, view: &View<'_, '_>, choices: usize, chosen: Option<Choice>) {
        self.wake(at, view);
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
                call: None,
                effects: Vec::new(),
            });
        }
    }

    /// A call of a function outside the program is over: what it returned and changed.
    pub fn outside(&mut self, effect: &Effect, view: &View<'_, '_>) {
        let program = view.program();
        let number = self.outside.len();
        self.outside.push(usize::MAX);
        let Some(line) = self.current.as_mut().filter(|_| !effect.last) else {
            return;
        };
        line.effects.push(number);
        let function = &program.funcs[effect.func];
        if let Type::Func(ty) = &program.types[function.ty]
            && matches!(line.step.event, Event::Choose(..))
        {
            let call = line.call_of(program, effect.func);
            let returned = match &effect.result {
                Some(Datum::Scalar(value)) => Some(*value),
                Some(Datum::Made(made)) => Some(Value::Int((made.start + made.offset).into())),
                _ => None,
            };
            match (&program.types[ty.ret], returned) {
                (Type::Void, _) => line.step.event = Event::Call(call),
                (_, Some(value)) => {
                    line.step.event = Event::Choose(call, view.show(ty.ret, value));
                }
                _ => {}
            }
        }
        for written in &effect.written {
            let (name, value) = new_value(written);
            line.changes(name, value, false);
        }
    }

    /// What turns out later to have been written by calls of code outside the program belongs to the steps that
    /// made them.
    fn complete(&mut self, effects: &[Effect]) {
        for (effect, step) in effects.iter().zip(&self.outside) {
            let late = step.checked_sub(self.head.len() + self.omitted);
            let step = match (self.head.get_mut(*step), late) {
                (Some(step), _) => Some(step),
                (None, Some(late)) => self.tail.get_mut(late),
                _ => None,
            };
            let Some(step) = step else { continue };
            for written in &effect.written {
                let (name, value) = new_value(written);
                if step.changes.iter().all(|c| c.name != name) {
                    change(step, name, value, false);
                }
            }
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
                    true => line.call_of(program, func),
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
                    let text = call_text(now.func, view);
                    line.call = Some((now.func, text.clone()));
                    Some(Event::Call(text))
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
        if to.root().is_some_and(made_up) || is_of_the_library(program, to) {
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
        line.changes(name, value, plain);
    }

    fn flush(&mut self) {
        let Some(line) = self.current.take() else {
            return;
        };
        // A line that only passes through says nothing.
        if line.step.event == Event::Run && line.step.changes.is_empty() {
            return;
        }
        self.keep_line(line);
    }

    fn keep_line(&mut self, line: Line) {
        let number = self.head.len() + self.omitted + self.tail.len();
        for effect in line.effects {
            self.outside[effect] = number;
        }
        self.keep(line.step);
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
    pub fn finish(
        mut self,
        program: &Program,
        end: &End,
        effects: &[Effect],
    ) -> (Vec<Step>, Option<(usize, usize)>) {
        match end {
            End::Fails(failure) => {
                let depth = self.current.as_ref().map_or(1, |line| line.step.depth);
                // What the last line did before it failed still happened.
                let pending = self.current.take().filter(|l| !l.step.changes.is_empty());
                if let Some(line) = pending {
                    self.keep_line(line);
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
        self.complete(effects);
        let omitted = (self.omitted > 0).then(|| (self.omitted, self.head.len() - 1));
        let mut steps = self.head;
        steps.extend(self.tail);
        (steps, omitted)
    }
}

/// What was written, and what is there now, as far as one can say that in a few letters.
fn new_value(written: &Written) -> (String, String) {
    let value = written.value.clone().unwrap_or("…".into());
    (written.name.clone(), value)
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

/// Whether a place is inside of a record of the C library, whose names are reserved (C11 7.1.3): only `setjmp` writes to its buffer.
fn is_of_the_library(program: &Program, place: &Place) -> bool {
    let inner = |(n, step): (usize, &PathStep)| {
        let whole = place_type(program, &place.base, &place.path[..n]);
        let record = whole.ok().and_then(|(ty, _)| program.types.as_record(ty));
        let reserved = |r| program.types.records[r].name.starts_with("__");
        matches!(step, PathStep::Field(_)) && record.is_some_and(reserved)
    };
    place.path.iter().enumerate().any(inner)
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
