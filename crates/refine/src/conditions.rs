//! What a label says beyond the blocks that a run comes to: the conditions of the rule that gave it,
//! and the values in it. A run of the model becomes a way that also demands these.

use crate::Question;
use crate::abstract_run::AbstractRun;
use crate::sharpen::texts;
use cwolf_absint::machine::{Operands, Position, with_operands};
use cwolf_absint::map::{Event, Part, Rule};
use cwolf_absint::slice::CellKey;
use cwolf_cwi::{
    BinOp, BlockId, Body, Branch, Callee, Expr, ExprKind, FuncId, Place, Step, StmtKind, UnOp,
    VarId,
};
use cwolf_encode::Way;
use cwolf_lts::{Pattern, Piece, Span, Values};
use std::collections::BTreeSet;

/// A condition that must hold before a statement of the block at a position of the way, in the numbers
/// of the model's program.
struct Demand {
    position: usize,
    index: usize,
    condition: Expr,
}

/// The way of a run in the closed program; an error says what cannot be followed.
pub(crate) fn way(question: &Question<'_>, run: &AbstractRun) -> Result<Way, String> {
    let program = question.program;
    let mut way = Way {
        followed: (program.funcs.ids())
            .filter(|f| question.follows(*f))
            .collect(),
        ..Way::default()
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
        let list = way.assumed.entry(at).or_default();
        list.push((demand.condition, true));
    }
    Ok(way)
}

/// The position on the way in the closed program of a block of a run.
pub(crate) fn closed_position(
    question: &Question<'_>,
    run: &AbstractRun,
    position: usize,
) -> usize {
    let mut count = 0;
    for (n, (func, block)) in run.blocks.iter().enumerate().take(position + 1) {
        let twice = *block == Body::ENTRY && moved(question, *func).is_some();
        count += 1 + usize::from(twice && enters(question, run, n));
    }
    count - 1
}

/// The block of the closed program that the first block of a function has moved to, if it has.
fn moved(question: &Question<'_>, func: FuncId) -> Option<BlockId> {
    let own = question.program.funcs[func].body.as_ref()?;
    let closed = question.closed.funcs[func].body.as_ref()?;
    let to = BlockId(own.blocks.len() as u32);
    let goes = matches!(closed.blocks[Body::ENTRY].branch, Branch::Goto(b) if b == to);
    (closed.blocks.len() > own.blocks.len() && goes).then_some(to)
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
    let rules = &question.labels.rules;
    let conditional = |r: &Rule| {
        let values = r.label.iter().any(|p| matches!(p, Part::Value(_)));
        let watch = matches!(&r.event, Event::Watch(_, Some(_)) | Event::Exit(Some(_)));
        r.when.is_some() || values || watch
    };
    if !rules.iter().any(conditional) {
        return Ok(found);
    }
    for (n, label) in run.labels.iter().enumerate() {
        let (before, after) = (run.positions[n].0, run.positions[n + 1].0);
        let Position::Code(func, block, index) = before else {
            continue;
        };
        if !question.follows(func) || run.reached[n] == 0 {
            continue;
        }
        let position = run.reached[n] - 1;
        let here = (func, block, index, position);
        found.extend(step(question, here, after, label)?);
    }
    Ok(found)
}

/// The conditions of one step.
fn step(
    question: &Question<'_>,
    (func, block, index, position): (FuncId, BlockId, u32, usize),
    after: Position,
    label: &str,
) -> Result<Vec<Demand>, String> {
    let program = question.program;
    let code = &program.funcs[func]
        .body
        .as_ref()
        .expect("it is followed")
        .blocks[block];
    let end = code.stmts.len();
    let (from, to) = match after {
        // In the middle of a block: the last statement before is what was seen.
        Position::Code(f, b, n) if (f, b) == (func, block) && n > index => (index, n as usize),
        _ => (index, end),
    };
    let ends_block = to == end
        && !matches!(after, Position::Code(f, b, n) if (f, b) == (func, block) && n as usize == end);
    let mut found = Vec::new();
    let rules = &question.labels.rules;
    let target = match after {
        Position::Outside(f) => Some(f),
        Position::Code(f, Body::ENTRY, 0) => Some(f),
        _ => None,
    };
    let calls = match (&code.branch, ends_block) {
        (Branch::Call { .. }, true) => target,
        _ => None,
    };
    let shown = label != cwolf_lts::TAU_NAME;
    let mut demand = |index: usize, condition: Expr| {
        found.push(Demand {
            position,
            index,
            condition,
        });
    };
    for rule in rules {
        let rule = &*match &code.branch {
            Branch::Call { args, .. } => {
                with_operands(&program.types, rule, Operands::Arguments(args))
            }
            Branch::Return(value) => {
                with_operands(&program.types, rule, Operands::Result(value.as_ref()))
            }
            _ => std::borrow::Cow::Borrowed(rule),
        };
        let fires = match &rule.event {
            Event::Call(funcs) => calls.is_some_and(|f| funcs.contains(&f)).then_some(end),
            Event::Watch(seen, _) if !seen.through.is_empty() => {
                return Err("a watch through a pointer or an index is not followed exactly".into());
            }
            Event::Watch(seen, _) => {
                let written = |n: usize| match &code.stmts[n].kind {
                    StmtKind::Assign(place, _) => place
                        .root()
                        .is_some_and(|v| seen.fixed.iter().any(|s| s.var == v)),
                    _ => false,
                };
                (from as usize..to).rfind(|n| written(*n)).map(|n| n + 1)
            }
            Event::Exit(_) if after == Position::Halted => Some(end),
            _ if rule.when.is_some() => {
                let text = text_of(rule);
                if shown && text.as_deref().is_none_or(|t| t == label) {
                    return Err(format!(
                        "the rule of the label `{label}` has a condition that is not followed exactly"
                    ));
                }
                None
            }
            _ => None,
        };
        let Some(at) = fires else { continue };
        let mut conditions: Vec<Expr> = rule.when.iter().cloned().collect();
        match &rule.event {
            Event::Watch(_, Some(e)) => conditions.push(e.clone()),
            Event::Exit(Some((op, n))) => match status(code) {
                Some(e) => {
                    let n = Expr::int(e.ty, *n);
                    conditions.push(Expr::binary(*op, e, n));
                }
                None => return Err("the status that the program ends with is not followed".into()),
            },
            _ => {}
        }
        match values(rule, label) {
            Some(equal) if shown => {
                conditions.extend(equal);
                conditions.into_iter().for_each(|c| demand(at, c));
                // Of watches and ends, the first that fires is the only one.
                if !matches!(rule.event, Event::Call(_)) {
                    break;
                }
            }
            _ => {
                // It did not fire.
                let all = conditions
                    .into_iter()
                    .reduce(|a, b| Expr::binary(BinOp::And, a, b));
                match all {
                    Some(all) => demand(at, Expr::unary(UnOp::Not, all)),
                    None if shown => {
                        return Err(format!("the value in the label `{label}` is not exact"));
                    }
                    None => {}
                }
            }
        }
    }
    Ok(found)
}

/// The status that a block ends the program with.
fn status(code: &cwolf_cwi::Block) -> Option<Expr> {
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

/// The cells that conditions of a run read: they may be what contradicts.
pub(crate) fn cells(
    question: &Question<'_>,
    run: &AbstractRun,
    positions: &[usize],
) -> BTreeSet<CellKey> {
    let mut found = BTreeSet::new();
    let Ok(all) = demands(question, run) else {
        return found;
    };
    let last = positions.iter().max().copied().unwrap_or(0);
    for demand in all.iter().filter(|d| d.position <= last) {
        demand.condition.walk(&mut |e| {
            if let ExprKind::Load { place, .. } = &e.kind
                && let Some(var) = place.root()
            {
                found.insert((var, fields(place)));
            }
        });
    }
    // What such a variable is a copy of.
    let vars: BTreeSet<VarId> = found.iter().map(|c| c.0).collect();
    for (func, block) in &run.blocks {
        let body = question.program.funcs[*func].body.as_ref();
        for stmt in body.iter().flat_map(|b| &b.blocks[*block].stmts) {
            if let StmtKind::Assign(place, e) = &stmt.kind
                && place.root().is_some_and(|v| vars.contains(&v))
            {
                e.walk(&mut |e| {
                    if let ExprKind::Load { place, .. } = &e.kind
                        && let Some(var) = place.root()
                    {
                        found.insert((var, fields(place)));
                    }
                });
            }
        }
    }
    found
}

fn fields(place: &Place) -> Vec<u32> {
    let field = |s: &Step| match s {
        Step::Field(n) => Some(*n),
        Step::Index(_) => None,
    };
    place.path.iter().filter_map(field).collect()
}
