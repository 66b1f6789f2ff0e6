//! What a label says beyond the blocks that a run comes to: the conditions of the rule that gave it,
//! and the values in it. A run of the model becomes a way that also demands these.

use crate::Question;
use crate::abstract_run::{AbstractRun, is_jump};
use crate::event_names;
use crate::happens::{Happens, Step};
use crate::sharpen::texts;
use cwolf_absint::machine::{Operands, Position, is_event_name, with_operands};
use cwolf_absint::map::{Event, Part, Rule};
use cwolf_cwi::{
    BinOp, Block, BlockId, Body, Branch, Callee, Expr, ExprKind, FileId, FuncId, LocId, RESULT,
    StmtKind, UnOp,
};
use cwolf_encode::BlockPath;
use cwolf_lts::{Pattern, Piece, Span, TAU_NAME, Values};
use rustc_hash::FxHashSet;
use std::borrow::Cow;

/// A condition that must hold before a statement of the block at a position of the way, in the numbers
/// of the model's program.
pub(crate) struct Demand {
    pub position: usize,
    pub index: usize,
    pub condition: Expr,
}

/// The way of a run in the closed program; an error says what cannot be followed.
pub(crate) fn path(question: &Question<'_>, run: &AbstractRun) -> Result<BlockPath, String> {
    let followed: FxHashSet<FuncId> = (question.program.funcs.ids())
        .filter(|f| question.follows(*f))
        .collect();
    let mut way = BlockPath {
        unlisted: (followed.iter())
            .flat_map(|f| added(question, *f))
            .collect(),
        followed,
        ..BlockPath::default()
    };
    // Where control comes back to the first block of a function, the closed program has a block before it.
    let mut moved_to = Vec::new();
    for (n, (func, block)) in run.blocks.iter().enumerate() {
        match moved(question, *func) {
            Some(to) if *block == Body::ENTRY => {
                if enters(question, run, n) {
                    way.blocks.push((*func, Body::ENTRY));
                }
                way.blocks.push((*func, to));
            }
            _ => way.blocks.push((*func, *block)),
        }
        moved_to.push(way.blocks.len() - 1);
    }
    let last = run.positions.last().copied();
    let (func, block) = *run.blocks.last().ok_or("a run that does nothing")?;
    way.stop = match last {
        Some((Position::Code(f, b, index), false)) if (f, b) == (func, block) => {
            closed_index(question, func, block, index as usize)
        }
        _ => usize::MAX,
    };
    if way.stop == usize::MAX {
        let body = question.closed.funcs[func].body.as_ref();
        let at = way.blocks.last().map_or(block, |b| b.1);
        way.stop = body.map_or(0, |b| b.blocks[at].stmts.len());
    }
    for demand in demands(question, run)? {
        let (func, block) = run.blocks[demand.position];
        let index = closed_index(question, func, block, demand.index);
        let at = (moved_to[demand.position], index);
        let closed = question.closed.funcs[func].body.as_ref();
        if reads_result(&demand.condition)
            && !closed.is_some_and(|b| passes_result(&b.blocks[way.blocks[at.0].1]))
        {
            return Err(
                "what a call returned that may be left by a jump is not followed in labels"
                    .to_owned(),
            );
        }
        let list = way.assumed.entry(at).or_default();
        list.push((demand.condition, true));
    }
    Ok(way)
}

fn reads_result(e: &Expr) -> bool {
    let mut reads = false;
    e.walk(&mut |e| reads |= e.kind == ExprKind::Reg(RESULT));
    reads
}

/// Whether a block reads what the call before it returned; where a jump may come out of that call, a variable carries it.
fn passes_result(block: &Block) -> bool {
    let mut reads = false;
    block.for_each_expr(&mut |e| reads |= reads_result(e));
    reads
}

/// For each block of a run, its position on the way in the closed program.
pub(crate) fn closed_positions(question: &Question<'_>, run: &AbstractRun) -> Vec<usize> {
    let mut count = 0;
    let mut closed = Vec::with_capacity(run.blocks.len());
    for (n, (func, block)) in run.blocks.iter().enumerate() {
        let twice = *block == Body::ENTRY && moved(question, *func).is_some();
        count += 1 + usize::from(twice && enters(question, run, n));
        closed.push(count - 1);
    }
    closed
}

/// Positions on the way in the closed program as positions of blocks of a run.
pub(crate) fn own_positions(
    question: &Question<'_>,
    run: &AbstractRun,
    positions: &[usize],
) -> Vec<usize> {
    let closed = closed_positions(question, run);
    let own = |at: &usize| closed.partition_point(|c| c < at);
    let mut own: Vec<usize> = positions.iter().map(own).collect();
    own.dedup();
    own
}

/// The block of the closed program that the first block of a function has moved to, if it has: behind what is done where control
/// enters, and only there.
fn moved(question: &Question<'_>, func: FuncId) -> Option<BlockId> {
    let own = question.program.funcs[func].body.as_ref()?;
    let closed = question.closed.funcs[func].body.as_ref()?;
    let Branch::Goto(to) = closed.blocks[Body::ENTRY].branch else {
        return None;
    };
    let new = to.0 as usize >= own.blocks.len();
    // A first block that jumps goes on where the jump leaves the function: there is nothing to be done.
    let jumps = is_jump(question.program, (func, Body::ENTRY));
    (new && !(jumps && closed.blocks[to].stmts.is_empty())).then_some(to)
}

/// The blocks of the closed program that a function of the model does not have: those by which a jump
/// leaves it or comes to it.
fn added(question: &Question<'_>, func: FuncId) -> Vec<(FuncId, BlockId)> {
    let bodies = (
        question.program.funcs[func].body.as_ref(),
        question.closed.funcs[func].body.as_ref(),
    );
    let (Some(own), Some(closed)) = bodies else {
        return Vec::new();
    };
    let (first, moved) = (own.blocks.len(), moved(question, func));
    let new = closed.blocks.ids().skip(first);
    let new = new.filter(|b| Some(*b) != moved);
    new.map(|b| (func, b)).collect()
}

/// Whether a run comes to the first block of a function by a call.
fn enters(question: &Question<'_>, run: &AbstractRun, n: usize) -> bool {
    let Some((before, block)) = n.checked_sub(1).map(|n| run.blocks[n]) else {
        return true;
    };
    let body = question.program.funcs[before].body.as_ref();
    match body.map(|b| &b.blocks[block].branch) {
        Some(Branch::Call { callee, next, .. }) => match callee {
            Callee::Direct(f) => *f == run.blocks[n].0,
            Callee::Indirect(_) => before != run.blocks[n].0 || *next != Some(Body::ENTRY),
        },
        _ => false,
    }
}

/// A statement in the numbers of the closed program, which has choices for open values between the
/// model's statements.
fn closed_index(question: &Question<'_>, func: FuncId, block: BlockId, index: usize) -> usize {
    let bodies = (
        question.program.funcs[func].body.as_ref(),
        question.closed.funcs[func].body.as_ref(),
    );
    let (Some(own), Some(closed)) = bodies else {
        return index;
    };
    let at = match moved(question, func) {
        Some(to) if block == Body::ENTRY => to,
        _ => block,
    };
    let (own, closed) = (&own.blocks[block].stmts, &closed.blocks[at].stmts);
    let mut n = 0;
    for (k, stmt) in closed.iter().enumerate() {
        let choice = match &stmt.kind {
            StmtKind::Assign(_, e) => e.kind == ExprKind::Choose,
            StmtKind::Havoc { .. } => true,
            _ => false,
        };
        if choice && own.get(n).is_none_or(|s| s.kind != stmt.kind) {
            continue;
        }
        if n == index {
            return k;
        }
        n += 1;
    }
    closed.len()
}

/// The conditions of all steps of a run.
fn demands(question: &Question<'_>, run: &AbstractRun) -> Result<Vec<Demand>, String> {
    let mut found = Vec::new();
    let by_address = run.blocks.iter().any(|at| calls_by_address(question, *at));
    // Which function is called, and whether a line is come to, the blocks say; where a function that has none is called by its address, they do not.
    let certain = |r: &Rule| {
        let sure = match &r.event {
            Event::Call(funcs) | Event::Return(funcs) => {
                !by_address || funcs.iter().all(|f| question.follows(*f))
            }
            Event::Exec(..) => true,
            _ => r.event == Event::Exit(None),
        };
        plain(r) && sure
    };
    if question.labels.rules.iter().all(certain) && !chooses_events(question, run) {
        return Ok(found);
    }
    let mut n = 0;
    while n < run.labels.len() {
        // What is still to be shown belongs to the same step.
        let shown_later = run.positions[n + 1..].iter().take_while(|p| p.1).count();
        let next = (n + shown_later + 1).min(run.labels.len());
        let labels = &run.labels[n..next];
        let (before, after) = (run.positions[n], run.positions[next]);
        if let (Position::Code(func, block, index), false) = before
            && question.follows(func)
            && run.reached[n] > 0
        {
            let step = Step::new(question, (func, block, index), after.0);
            let position = run.reached[n] - 1;
            if let Some(condition) = step.calls_by_address() {
                found.push(Demand {
                    position,
                    index: step.code.stmts.len(),
                    condition,
                });
            }
            // The run may be over before the function that is called begins.
            let enters = position + 1 < run.blocks.len();
            found.extend(shows(&step, position, labels, (after.1, enters))?);
        } else {
            // In code that is not followed only what is certain can be believed.
            let sure = |l: &&String| {
                let mut rules = question.labels.rules.iter().filter(|r| certain(r));
                *l == TAU_NAME || rules.any(|r| text_of(r).is_some_and(|t| t == **l))
            };
            if let Some(label) = labels.iter().find(|l| !sure(l)) {
                return Err(format!("why `{label}` is shown is not followed exactly"));
            }
        }
        n = next;
    }
    Ok(found)
}

/// Whether a run comes to a block that may show an event of which the block does not tell the name.
fn chooses_events(question: &Question<'_>, run: &AbstractRun) -> bool {
    let mut blocks: FxHashSet<(FuncId, BlockId)> = run.blocks.iter().copied().collect();
    blocks.retain(|(func, _)| question.follows(*func));
    let chosen = |(func, block)| {
        let step = Step::new(question, (func, block, 0), Position::Halted);
        event_names::is_chosen(&step)
    };
    blocks.into_iter().any(chosen)
}

fn calls_by_address(question: &Question<'_>, (func, block): (FuncId, BlockId)) -> bool {
    let body = question.program.funcs[func].body.as_ref();
    let branch = body.map(|b| &b.blocks[block].branch);
    matches!(
        branch,
        Some(Branch::Call {
            callee: Callee::Indirect(_),
            ..
        })
    )
}

/// The conditions of one step with the labels that it shows, perhaps with others that are not part of the run.
fn shows(
    step: &Step<'_>,
    position: usize,
    labels: &[String],
    (cut, enters): (bool, bool),
) -> Result<Vec<Demand>, String> {
    let program = step.question.program;
    let mut found = Vec::new();
    let mut shown: Vec<&String> = labels.iter().filter(|l| *l != TAU_NAME).collect();
    let mut watched = false;
    for rule in &step.question.labels.rules {
        let rule = &*match &step.code.branch {
            Branch::Call { args, .. } => {
                with_operands(&program.types, rule, Operands::Arguments(args))
            }
            Branch::Return(value) => {
                with_operands(&program.types, rule, Operands::Result(value.as_ref()))
            }
            _ => Cow::Borrowed(rule),
        };
        let rule = &*step.about(rule);
        // Of watches and ends, the first that fires is the only one.
        let alone = matches!(rule.event, Event::Watch(..) | Event::Exit(_));
        if alone && watched {
            continue;
        }
        if let Event::Exec(files, line) = &rule.event {
            match (plain(rule), text_of(rule)) {
                (true, Some(text)) => shown.retain(|l| **l != text),
                _ if comes_to(step, files, *line) => return Err(inexact(rule)),
                _ => {}
            }
            continue;
        }
        let (at, mut conditions) = match step.happens(rule) {
            Happens::Never => continue,
            Happens::Unclear(why) => return Err(why),
            Happens::Entered if !enters => return Err(inexact(rule)),
            Happens::Entered => ((position + 1, 0), Vec::new()),
            Happens::Before(index, conditions) => ((position, index), conditions),
        };
        conditions.extend(rule.when.iter().cloned());
        match &rule.event {
            Event::Watch(_, Some(e)) => conditions.push(e.clone()),
            Event::Exit(Some((op, n))) => match status(step.code) {
                Some(e) => {
                    let n = Expr::int(e.ty, *n);
                    conditions.push(Expr::binary(*op, e, n));
                }
                None => return Err("the status that the program ends with is not followed".into()),
            },
            _ => {}
        }
        if conditions.iter().any(|c| !is_known_in(step, at, c)) {
            return Err(inexact(rule));
        }
        let mut demand = |condition: Expr| {
            found.push(Demand {
                position: at.0,
                index: at.1,
                condition,
            });
        };
        let here = shown.iter().position(|l| values(rule, l).is_some());
        match here {
            Some(n) => {
                let label = shown.remove(n);
                conditions.extend(values(rule, label).into_iter().flatten());
                conditions.into_iter().for_each(demand);
                watched |= alone;
            }
            // It may be one of those that are not part of the run.
            None if cut => {}
            // It did not fire.
            None => {
                let all = conditions
                    .into_iter()
                    .reduce(|a, b| Expr::binary(BinOp::And, a, b));
                match all {
                    Some(all) => demand(Expr::unary(UnOp::Not, all)),
                    None if !shown.is_empty() => return Err(inexact(rule)),
                    None => {}
                }
            }
        }
    }
    // What the program shows itself needs no rule.
    if step.ends_block && event_names::is_chosen(step) {
        let at = shown.iter().position(|l| is_event_name(program, l));
        let label = at.map(|n| shown.remove(n).as_str());
        if label.is_some() || !cut {
            found.extend(event_names::demand(step, position, label)?);
        }
    }
    match shown.iter().find(|l| !is_event_name(program, l)) {
        Some(label) => Err(format!("why `{label}` is shown is not followed exactly")),
        None => Ok(found),
    }
}

/// Whether nothing but the event decides about a rule's label.
fn plain(rule: &Rule) -> bool {
    rule.when.is_none() && text_of(rule).is_some()
}

fn inexact(rule: &Rule) -> String {
    let text = text_of(rule).unwrap_or_default();
    match text.is_empty() {
        true => "a rule with a value in its label is not followed exactly here".to_owned(),
        false => {
            format!("the rule of the label `{text}` has a condition that is not followed exactly")
        }
    }
}

/// Whether a step runs, or comes to, code of a line.
fn comes_to(step: &Step<'_>, files: &[FileId], line: u32) -> bool {
    let program = step.question.program;
    let is_there = |loc: LocId| {
        let loc = program.locations[loc];
        loc.line == line && files.contains(&loc.file)
    };
    let first = |f: FuncId, b: BlockId, n: usize| {
        let code = program.funcs[f].body.as_ref().map(|body| &body.blocks[b]);
        code.map(|c| c.stmts.get(n).map_or(c.loc, |s| s.loc))
    };
    let next = match step.after {
        Position::Code(f, b, n) => first(f, b, n as usize),
        _ => None,
    };
    let mut own = step.code.stmts[step.from..].iter().map(|s| s.loc);
    own.any(is_there) || is_there(step.code.loc) || next.is_some_and(is_there)
}

/// Whether the variables of a condition are those of the function that is under way there, of all, or of the first function, which is
/// always under way.
fn is_known_in(step: &Step<'_>, at: (usize, usize), condition: &Expr) -> bool {
    let question = step.question;
    // Where a function is entered, its parameters are there as well.
    let entered = at.1 == 0;
    let mut known = true;
    condition.walk(&mut |e| {
        let place = match &e.kind {
            ExprKind::Load { place, .. } | ExprKind::AddrOf(place) => place,
            _ => return,
        };
        let Some(var) = place.root() else { return };
        let info = &question.program.vars[var];
        // Allocated objects have no such names when the program runs.
        known &= !question.program.heap.owns(var);
        if let Some(owner) = info.kind.function().filter(|_| info.kind.is_automatic()) {
            let recursive = question.program.calls().is_recursive(owner);
            let own = owner == step.func || entered;
            known &= own || (owner == question.entry && !recursive);
        }
    });
    known
}

/// The status that a block ends the program with.
fn status(code: &Block) -> Option<Expr> {
    match &code.branch {
        Branch::Return(Some(e)) | Branch::Halt(e) => Some(e.clone()),
        Branch::Call { args, .. } => args.first().cloned(),
        _ => None,
    }
}

/// The label of a rule, if there are no values in it.
fn text_of(rule: &Rule) -> Option<String> {
    let mut text = String::new();
    for part in &rule.label {
        match part {
            Part::Text(t) => text += t,
            Part::Value(_) => return None,
        }
    }
    let label = cwolf_lts::literal(&text).into_owned();
    Some(label.trim_start_matches('`').to_owned())
}

/// What the values in a label say, if it is one of the rule's labels: each value is what stands there. None if it is not one of its
/// labels, or a value in it is no number.
fn values(rule: &Rule, label: &str) -> Option<Vec<Expr>> {
    let texts = texts(rule, label)?;
    let parts = rule.label.iter().filter_map(|part| match part {
        Part::Value(e) => Some(e),
        Part::Text(_) => None,
    });
    let said: Option<Vec<_>> = parts.zip(&texts).map(|(e, text)| is(e, text)).collect();
    Some(said?.into_iter().flatten().collect())
}

/// That a value is what stands for it in a label: a number, one of a range, or (then nothing is said) anything.
fn is(e: &Expr, text: &str) -> Option<Option<Expr>> {
    if let Ok(number) = text.parse::<i128>() {
        return Some(Some(equals(e, number)));
    }
    match Pattern::parse(text).pieces() {
        [Piece::Hole(Values::Any)] => Some(None),
        [Piece::Hole(Values::Numbers(spans))] => {
            let [Span { lo, hi, step: 1 }] = spans[..] else {
                return None;
            };
            let bound = |op, n: i128| Expr::binary(op, e.clone(), Expr::int(e.ty, n));
            let lower = (lo > i128::MIN).then(|| bound(BinOp::Ge, lo));
            let upper = (hi < i128::MAX).then(|| bound(BinOp::Le, hi));
            let both = lower.into_iter().chain(upper);
            Some(both.reduce(|a, b| Expr::binary(BinOp::And, a, b)))
        }
        _ => None,
    }
}

fn equals(e: &Expr, n: i128) -> Expr {
    Expr::binary(BinOp::Eq, e.clone(), Expr::int(e.ty, n))
}

/// What the labels of a run demand, each with the position of its block and the statement that it must hold before.
pub(crate) fn demanded(question: &Question<'_>, run: &AbstractRun) -> Vec<(usize, usize, Expr)> {
    let all = demands(question, run).unwrap_or_default().into_iter();
    all.map(|d| (d.position, d.index, d.condition)).collect()
}
