//! Witnesses of violations: a run that passes the waypoints and then fails at the target.

use crate::bounded::{Found, search};
use crate::correctness::at_loc;
use crate::place::{CallSite, Places, Spot};
use crate::run::{End, Run, run};
use crate::scope::{Conditions, Wrong};
use crate::verdict::Validation;
use crate::weave::{Gap, Weaver, value_of};
use crate::witness::{Passing, Segment, Waypoint};
use crate::{Task, shown};
use cwolf_base::Budget;
use cwolf_cwi::graph::Analysed;
use cwolf_cwi::value::Value;
use cwolf_cwi::{
    BinOp, BlockId, Branch, Callee, Case, Expr, ExprKind, FuncId, IntTy, LocId, Origin, Place,
    Program, Stmt, StmtKind, Type, TypeId, Types, VarId, VarKind,
};
use cwolf_interp::{Oracle, Random, StackEntry, View, given};
use std::collections::BTreeMap;
use std::time::Duration;

/// Random runs beside the one that takes all values from the waypoints.
const RUNS: u64 = 50;

/// A waypoint where code is put.
#[derive(Clone)]
struct Item {
    segment: usize,
    avoid: bool,
    /// Something happens, once; else a condition holds.
    event: bool,
    cond: Expr,
}

/// Checks that a run does what the segments say.
pub(crate) fn check(task: &Task<'_>, segments: &[Segment], budget: &Budget) -> Validation {
    let woven = match weave(task, segments) {
        Ok(woven) => woven,
        Err(answer) => return answer,
    };
    let target = &segments.last().expect("a witness has segments").follow;
    let left = budget.time_left().unwrap_or(Duration::from_secs(60));
    let quick = budget.clone().timeout(left / 3);
    for seed in 0..RUNS {
        let oracle = Guided {
            position: woven.position,
            fixed: &woven.fixed,
            given: (usize::MAX, 0),
            others: (seed > 0).then(|| Random::new(seed)),
        };
        let found = run(task.subject, &woven.program, Box::new(oracle), &quick);
        if is_confirmed(task, &woven, target, &found) {
            return confirmed(task, &found);
        }
        if matches!(found.end, End::Exhausted(_)) || found.choices.is_empty() {
            break;
        }
    }
    match search(task.subject, &woven.program, budget) {
        Found::Fails(found) if is_confirmed(task, &woven, target, &found) => {
            confirmed(task, &found)
        }
        Found::Fails(_) => Validation::unknown("a run fails, but not at the target"),
        Found::Nothing => match task
            .subject
            .uncovered
            .first()
            .or(task.subject.bound.as_ref())
        {
            Some(uncovered) => Validation::unknown(format!(
                "no run was found, but not all are covered: {uncovered}"
            )),
            None => Validation::refused("no run passes the waypoints and fails at the target")
                .about(&target.at, target.line),
        },
        Found::Unknown(why) => Validation::unknown(format!("no run was found: {why}")),
    }
}

fn confirmed(task: &Task<'_>, found: &Run) -> Validation {
    let End::Fails { loc, message, .. } = &found.end else {
        return Validation::unknown("the run does not fail");
    };
    let mut answer = Validation::confirmed(format!("a run fails as the witness says: {message}"));
    answer.place = loc.map(|loc| at_loc(&task.subject.program, loc).into());
    answer.values = Some(shown(&task.subject.program.types, &found.choices));
    answer
}

/// Whether a run fails at the target. Where the program fails otherwise, it goes on no more, and before the
/// waypoints are passed, nothing fails.
fn is_confirmed(task: &Task<'_>, woven: &Woven, target: &Waypoint, found: &Run) -> bool {
    let End::Fails { loc: Some(loc), .. } = &found.end else {
        return false;
    };
    let places = Places {
        program: &task.subject.program,
        sources: &task.sources,
    };
    woven.anywhere || places.is_at(*loc, &target.at)
}

/// Takes values from the constraints of the next waypoint, others from a source of its own.
struct Guided<'w> {
    /// The variable that counts segments.
    position: VarId,
    fixed: &'w [Fixed],
    /// How many values were taken at a position.
    given: (usize, usize),
    others: Option<Random>,
}

impl Oracle for Guided<'_> {
    fn choose(&mut self, types: &Types, ty: TypeId) -> Value {
        match &mut self.others {
            Some(random) => random.choose(types, ty),
            None => given(types, ty, None),
        }
    }
    fn choose_at(&mut self, view: &View<'_, '_>, ty: TypeId) -> Value {
        let types = &view.program().types;
        let Some(Value::Int(position)) = view.var(self.position) else {
            return self.choose(types, ty);
        };
        let position = position as usize;
        if self.given.0 != position {
            self.given = (position, 0);
        }
        let next = self.fixed.get(position).and_then(|fixed| {
            let calls = view.calls();
            let own = |c: &&StackEntry| view.program().funcs[c.func].origin == Origin::Program;
            let user = calls.iter().find(own)?;
            let asks = match &fixed.calls {
                Some(places) => places.contains(&user.loc),
                None => true,
            };
            fixed.values.get(self.given.1).filter(|_| asks)
        });
        match next {
            Some(value) => {
                self.given.1 += 1;
                given(types, ty, Some(*value))
            }
            None => self.choose(types, ty),
        }
    }
}

/// The values that the constraint of a segment fixes.
#[derive(Default)]
struct Fixed {
    values: Vec<Value>,
    /// If they are what a call returns: where that stands.
    calls: Option<Vec<LocId>>,
}

/// A program that counts the segments that a run has passed.
struct Woven {
    program: Analysed,
    position: VarId,
    /// By segment.
    fixed: Vec<Fixed>,
    /// Whether the target may be anywhere.
    anywhere: bool,
}

fn weave(task: &Task<'_>, segments: &[Segment]) -> Result<Woven, Validation> {
    let subject = task.subject;
    let original: &Program = &subject.program;
    let places = Places {
        program: original,
        sources: &task.sources,
    };
    let mut program = original.clone();
    let word = program.types.intern(Type::Int(IntTy::new(32, false)));
    let nowhere = program.funcs[subject.entry].loc;
    let position = program.add_variable("__cwolf_position", word, VarKind::Global, nowhere);
    let mut conditions = Conditions::new(task.look_up);
    let mut at_spots: Vec<(Spot, Vec<Item>)> = Vec::new();
    let mut at_calls: Vec<(CallSite, Vec<Item>)> = Vec::new();
    let mut results: BTreeMap<TypeId, VarId> = BTreeMap::new();
    let mut all_fixed = Vec::new();
    let (target, passed) = segments.split_last().expect("a witness has segments");
    for (segment, part) in segments.iter().enumerate() {
        let avoided = part.avoid.iter().map(|w| (w, true));
        let followed = passed.get(segment).map(|s| (&s.follow, false));
        let mut fixed = Fixed::default();
        for (waypoint, avoid) in avoided.chain(followed) {
            let Waypoint { at, line, .. } = waypoint;
            let refused = |what: String| Validation::refused(what).about(at, *line);
            let func = places.function(at).map_err(refused)?;
            let always = Expr::int(Types::INT, 1);
            let mut read = |program: &mut Program, text: &str| {
                let found = conditions.read(program, &places, func, at, text);
                found.map_err(|wrong| match wrong {
                    Wrong::NoC(what) => {
                        refused(format!("`{text}` is not a C expression here: {what}"))
                    }
                    Wrong::Unsupported(what) => {
                        Validation::unknown(format!("`{text}` cannot be checked: {what}"))
                            .about(at, *line)
                    }
                })
            };
            let (spots, calls, cond) = match &waypoint.passing {
                Passing::Assumption(text) => {
                    let spots = places.statement(at).map_err(refused)?;
                    (spots, Vec::new(), read(&mut program, text)?)
                }
                Passing::After(text) => {
                    let spots = places.after(at).map_err(refused)?;
                    (spots, Vec::new(), read(&mut program, text)?)
                }
                Passing::Branch(holds) => (
                    places.branches(at, *holds).map_err(refused)?,
                    Vec::new(),
                    always,
                ),
                Passing::Case(value) => (
                    places.cases(at, *value).map_err(refused)?,
                    Vec::new(),
                    always,
                ),
                Passing::Enter => {
                    let calls = places.calls(at).map_err(refused)?;
                    let before = |c: &CallSite| Spot {
                        func: c.func,
                        block: c.block,
                        index: block_length(original, c),
                        from: None,
                    };
                    (calls.iter().map(before).collect(), Vec::new(), always)
                }
                Passing::Return(text) => {
                    let calls = places.calls(at).map_err(refused)?;
                    let cond = match (text, calls.first()) {
                        (Some(text), Some(call)) => {
                            let ty = result_type(original, call);
                            let var = *results.entry(ty).or_insert_with(|| {
                                let name = format!("__cwolf_result_{}", ty.0);
                                program.add_variable(name, ty, VarKind::Global, nowhere)
                            });
                            let name = program.vars[var].name.clone();
                            read(&mut program, &text.replace("\\result", &name))?
                        }
                        _ => always,
                    };
                    (Vec::new(), calls, cond)
                }
                Passing::Target => continue,
            };
            if spots.is_empty() && calls.is_empty() && !avoid {
                return Err(refused(format!(
                    "no run reaches {at}: there is no such step"
                )));
            }
            if !avoid {
                values(&cond, &mut fixed.values);
                let places = calls.iter().map(|c| call_loc(original, c));
                fixed.calls = (!calls.is_empty()).then(|| places.collect());
            }
            let event = !matches!(waypoint.passing, Passing::Assumption(_) | Passing::After(_));
            let item = Item {
                segment,
                avoid,
                event,
                cond,
            };
            for spot in spots {
                put(&mut at_spots, spot, item.clone());
            }
            for call in calls {
                put(&mut at_calls, call, item.clone());
            }
        }
        all_fixed.push(fixed);
    }
    let mut weaver = Weaver {
        program: &mut program,
    };
    let mut gaps: Vec<(Gap, Vec<Item>)> = Vec::new();
    let lost = || Validation::unknown("a waypoint is where it cannot be checked");
    for (call, items) in at_calls {
        let Some((gap, reg, ty)) = weaver.after_call(call) else {
            return Err(lost());
        };
        if let Some(var) = results.get(&ty) {
            let kind = StmtKind::Assign(Place::var(ty, *var), Expr::reg(ty, reg));
            let block = &mut weaver.program.funcs[gap.func]
                .body
                .as_mut()
                .expect("code")
                .blocks[gap.from];
            block.stmts.push(Stmt {
                loc: block.loc,
                kind,
            });
        }
        gaps.push((gap, items));
    }
    let spots: Vec<Spot> = at_spots.iter().map(|(spot, _)| spot.clone()).collect();
    for (gap, (_, items)) in weaver.open(&spots).into_iter().zip(at_spots) {
        gaps.push((gap.ok_or_else(lost)?, items));
    }
    for (gap, items) in gaps {
        fill(&mut weaver, gap, &items, position);
    }
    let anywhere = aim(
        task,
        &places,
        &mut program,
        &target.follow,
        position,
        passed.len(),
    )?;
    debug_assert!(
        cwolf_cwi::verify(&program).is_empty(),
        "{:?}",
        cwolf_cwi::verify(&program)
    );
    Ok(Woven {
        program: Analysed::from(program).choosing(subject.program.chosen()),
        position,
        fixed: all_fixed,
        anywhere,
    })
}

fn put<T: PartialEq>(list: &mut Vec<(T, Vec<Item>)>, at: T, item: Item) {
    match list.iter_mut().find(|(known, _)| *known == at) {
        Some((_, items)) => items.push(item),
        None => list.push((at, vec![item])),
    }
}

fn block_length(program: &Program, call: &CallSite) -> usize {
    let body = program.funcs[call.func]
        .body
        .as_ref()
        .expect("a call is in code");
    body.blocks[call.block].stmts.len()
}

fn call_loc(program: &Program, call: &CallSite) -> LocId {
    let body = program.funcs[call.func].body.as_ref();
    body.expect("a call is in code").blocks[call.block].loc
}

fn result_type(program: &Program, call: &CallSite) -> TypeId {
    let body = program.funcs[call.func]
        .body
        .as_ref()
        .expect("a call is in code");
    match body.blocks[call.block].branch {
        Branch::Call { ret, .. } => ret,
        _ => Types::INT,
    }
}

/// The values that equations of a condition fix, in order.
fn values(cond: &Expr, found: &mut Vec<Value>) {
    match &cond.kind {
        ExprKind::Binary(BinOp::And, a, b) => {
            values(a, found);
            values(b, found);
        }
        ExprKind::Binary(BinOp::Eq, a, b) => {
            found.extend([a, b].into_iter().find_map(|e| constant(e)));
        }
        _ => {}
    }
}

fn constant(e: &Expr) -> Option<Value> {
    match &e.kind {
        ExprKind::Int(n) => Some(Value::Int(*n)),
        ExprKind::Float(bits) => Some(Value::Float(*bits)),
        ExprKind::Cast(inner) => constant(inner),
        ExprKind::Unary(cwolf_cwi::UnOp::Neg, inner) => match constant(inner)? {
            Value::Int(n) => Some(Value::Int(-n)),
            Value::Float(_) => None,
        },
        _ => None,
    }
}

/// The code for waypoints at one place: those of the segment at hand are looked at, and if it is passed, those of the
/// next one.
fn fill(weaver: &mut Weaver<'_>, gap: Gap, items: &[Item], position: VarId) {
    let Gap { func, from, to } = gap;
    let loc = weaver.program.funcs[func]
        .body
        .as_ref()
        .expect("code")
        .blocks[from]
        .loc;
    let mut by_segment: BTreeMap<usize, Vec<&Item>> = BTreeMap::new();
    for item in items {
        by_segment.entry(item.segment).or_default().push(item);
    }
    let at = value_of(weaver.program, position);
    let mut starts: BTreeMap<usize, BlockId> = BTreeMap::new();
    for (&segment, items) in by_segment.iter().rev() {
        let mut next = to;
        let follows = items.iter().filter(|i| !i.avoid);
        for item in follows {
            let kind = StmtKind::Assign(
                Place::var(at.ty, position),
                Expr::int(at.ty, segment as i128 + 1),
            );
            let next_start = starts.get(&(segment + 1)).copied();
            // What happens once is one waypoint.
            let again = by_segment.get(&(segment + 1));
            let twice = item.event && again.is_some_and(|items| items.iter().any(|i| i.event));
            let go_on = next_start.filter(|_| !twice).unwrap_or(to);
            let passed = weaver.block(func, vec![Stmt { loc, kind }], Branch::Goto(go_on), loc);
            next = weaver.test(func, &item.cond, passed, next, loc);
        }
        for item in items.iter().filter(|i| i.avoid) {
            let kind = StmtKind::Assume(Expr::int(Types::INT, 0));
            let ends = weaver.block(func, vec![Stmt { loc, kind }], Branch::Goto(to), loc);
            next = weaver.test(func, &item.cond, ends, next, loc);
        }
        starts.insert(segment, next);
    }
    let cases = starts.iter().map(|(segment, start)| Case {
        lo: *segment as i128,
        hi: *segment as i128,
        target: *start,
    });
    let branch = Branch::Switch {
        on: at,
        cases: cases.collect(),
        default: to,
    };
    let start = weaver.block(func, Vec::new(), branch, loc);
    weaver.fill(gap, start);
}

/// Lets nothing fail but the target, and that only when all segments are passed. Says whether the target may be
/// anywhere.
fn aim(
    task: &Task<'_>,
    places: &Places<'_>,
    program: &mut Program,
    target: &Waypoint,
    position: VarId,
    count: usize,
) -> Result<bool, Validation> {
    let errors = &task.subject.error_functions;
    let inside = places.error_function(&target.at, errors);
    // A format that does not say.
    let anywhere = target.at.line == 0 || inside.is_some();
    let arrived = Expr::binary(
        BinOp::Eq,
        value_of(program, position),
        Expr::int(program.vars[position].ty, count as i128),
    );
    let is_target = |program: &Program, func: FuncId, loc: LocId| {
        let own = program.funcs[func].origin == Origin::Program;
        anywhere || !own || places.is_at(loc, &target.at)
    };
    let mut found = false;
    for func in program.funcs.ids() {
        let Some(mut body) = program.funcs[func].body.take() else {
            continue;
        };
        for block in body.blocks.iter_mut() {
            let mut stmts = Vec::with_capacity(block.stmts.len());
            for stmt in std::mem::take(&mut block.stmts) {
                let StmtKind::Assert { check, cond } = stmt.kind else {
                    stmts.push(stmt);
                    continue;
                };
                let loc = stmt.loc;
                if inside.is_some() || !is_target(program, func, loc) {
                    let kind = StmtKind::Assume(cond);
                    stmts.push(Stmt { loc, kind });
                    continue;
                }
                found = true;
                let (ty, reg) = (cond.ty, body.regs.push(cond.ty));
                let holds = Expr::binary(BinOp::Or, Expr::reg(ty, reg), arrived.clone());
                stmts.push(Stmt {
                    loc,
                    kind: StmtKind::SetReg(reg, cond),
                });
                stmts.push(Stmt {
                    loc,
                    kind: StmtKind::Assume(holds),
                });
                let cond = Expr::reg(ty, reg);
                stmts.push(Stmt {
                    loc,
                    kind: StmtKind::Assert { check, cond },
                });
            }
            if let Branch::Call {
                callee: Callee::Direct(callee),
                ..
            } = &block.branch
                && errors.contains(callee)
            {
                let here = is_target(program, func, block.loc)
                    && inside.is_none_or(|function| function == *callee);
                found |= here;
                let cond = match here {
                    true => arrived.clone(),
                    false => Expr::int(Types::INT, 0),
                };
                let kind = StmtKind::Assume(cond);
                stmts.push(Stmt {
                    loc: block.loc,
                    kind,
                });
            }
            block.stmts = stmts;
        }
        program.funcs[func].body = Some(body);
    }
    match found {
        true => Ok(anywhere),
        false => Err(
            Validation::refused(format!("nothing can fail at {}", target.at))
                .about(&target.at, target.line),
        ),
    }
}
