//! Which checks are reached at all: concrete runs show most of them, the engines are asked about
//! the others. A check that no run reaches is not proved by that, and an assumption that no run
//! passes contradicts what was assumed before it.

use crate::concrete::{End, Visits, is_inner};
use crate::portfolio::{Decision, Plan, ask_engines};
use crate::search::cover;
use crate::sites::Site;
use crate::statuses::{goes_on, rewrite};
use cwolf_base::Budget;
use cwolf_cwi::{
    BlockId, Body, Branch, Callee, Check, CheckId, Expr, FuncId, LocId, Program, Stmt, StmtKind,
    Types,
};
use cwolf_prepare::Subject;
use cwolf_prepare::property::Kind;
use rustc_hash::{FxHashMap, FxHashSet};

/// Failures of the question itself that are followed: each shows that one more place is reached.
const ROUNDS: usize = 12;

/// Before a statement, or before the branch of a block.
type Point = (FuncId, BlockId, usize);

/// What is asked.
pub struct Question<'q> {
    /// The program in which failing checks are assumed to hold.
    pub subject: &'q Subject,
    /// The program as it is.
    pub original: &'q Subject,
    /// The rows of the report.
    pub sites: &'q [Site],
    /// Checks that fail.
    pub failed: &'q FxHashSet<CheckId>,
    /// What failing runs reach if they go on.
    pub seen_after: &'q Visits,
    /// The program in which failing runs go on.
    pub after: Option<&'q Subject>,
}

/// What came out.
#[derive(Debug, Default)]
pub struct Reached {
    /// Checks that no run reaches.
    pub unreachable: FxHashSet<CheckId>,
    /// Checks that only runs reach that failed before.
    pub only_after: FxHashSet<CheckId>,
    /// Assumptions that runs reach and none passes.
    pub contradictions: Vec<LocId>,
}

/// Something that is reached or not.
#[derive(Clone)]
struct Goal {
    what: What,
    points: Vec<Point>,
    reached: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum What {
    Site(usize),
    Before(LocId),
    After(LocId),
}

/// Finds out what is reached. What is not decided counts as reached.
pub fn ask(question: &Question<'_>, plan: &Plan, budget: &Budget) -> Reached {
    let mut goals = goals(question);
    let is_seen = |goal: &Goal, visits: &Visits| {
        let visits = visits.borrow();
        goal.points.iter().any(|p| visits.contains(p))
    };
    let time = budget.time_left().unwrap_or_default() / 4;
    let quick = budget.clone().timeout(time);
    let visits = cover(question.subject, &quick, |visits| {
        goals.iter().all(|g| is_seen(g, visits))
    });
    for goal in &mut goals {
        goal.reached = is_seen(goal, &visits);
    }
    let mut reached = Reached::default();
    if goals.iter().all(|g| g.reached) || !engines(question.subject, &mut goals, plan, budget) {
        return reached;
    }
    let before = |loc| {
        goals
            .iter()
            .any(|g| g.what == What::Before(loc) && g.reached)
    };
    let unreached: Vec<Goal> = goals.iter().filter(|g| !g.reached).cloned().collect();
    let mut later = unreached.clone();
    let decided = question
        .after
        .is_some_and(|after| engines(after, &mut later, plan, budget));
    let open = (!question.failed.is_empty()).then(|| past(question, decided));
    let is_cut = |goal: &Goal| {
        let avoids = |p: &Point| {
            let limit = |open: &Open| open.get(&(p.0, p.1)).copied();
            let open = open.as_ref();
            open.is_none_or(|open| limit(open).is_some_and(|limit| p.2 <= limit))
        };
        is_seen(goal, question.seen_after) || !goal.points.iter().any(avoids)
    };
    for (goal, later) in unreached.iter().zip(&later) {
        let is_cut = |goal| later.reached || is_cut(goal);
        match goal.what {
            What::Site(n) if is_cut(goal) => reached.only_after.extend(&question.sites[n].checks),
            What::Site(n) => reached.unreachable.extend(&question.sites[n].checks),
            What::After(loc) if before(loc) && !is_cut(goal) => reached.contradictions.push(loc),
            What::After(_) | What::Before(_) => {}
        }
    }
    reached.contradictions.sort_unstable();
    reached.contradictions.dedup();
    reached
}

/// Asks the engines whether the goals that nobody has seen are reached; false if they do not know.
fn engines(subject: &Subject, goals: &mut [Goal], plan: &Plan, budget: &Budget) -> bool {
    let kinds = subject.selection.kinds();
    let Some(kind) = kinds.first().copied() else {
        return false;
    };
    let mut asked = subject.clone();
    // What was proved may be assumed: a run that reaches a goal violates nothing else.
    rewrite(&mut asked.program, |_, cond| {
        Some(StmtKind::Assume(cond.clone()))
    });
    let mut checks: Vec<(CheckId, usize)> = Vec::new();
    let mut points: Vec<(Point, CheckId)> = Vec::new();
    for (n, goal) in goals.iter().enumerate().filter(|(_, g)| !g.reached) {
        let (func, block, _) = goal.points[0];
        let body = asked.program.funcs[func].body.as_ref();
        let loc = body.map_or(asked.program.funcs[func].loc, |b| b.blocks[block].loc);
        let text = "this is not reached".into();
        let check = asked.program.checks.push(Check { kind, loc, text });
        checks.push((check, n));
        points.extend(goal.points.iter().map(|p| (*p, check)));
    }
    // From the last to the first, so that inserting moves no other point.
    points.sort_unstable_by(|a, b| b.cmp(a));
    for ((func, block, index), check) in points {
        let Some(body) = &mut asked.program.funcs[func].body else {
            continue;
        };
        let block = &mut body.blocks[block];
        let loc = block.stmts.get(index).map_or(block.loc, |s| s.loc);
        let cond = Expr::int(Types::INT, 0);
        let kind = StmtKind::Assert { check, cond };
        block.stmts.insert(index, Stmt { loc, kind });
    }
    for _ in 0..ROUNDS {
        match ask_engines(&asked, plan, budget) {
            Decision::Safe { .. } => return true,
            Decision::Unsafe(run) => {
                let End::Fails(failure) = &run.end else {
                    return false;
                };
                let goal = checks.iter().find(|(c, _)| Some(*c) == failure.check);
                let Some((check, n)) = goal else { return false };
                goals[*n].reached = true;
                rewrite(&mut asked.program, |c, _| {
                    (c == *check).then(|| StmtKind::Assume(Expr::int(Types::INT, 1)))
                });
            }
            Decision::Unknown(_) => return false,
        }
    }
    false
}

/// Everything that may or may not be reached.
fn goals(question: &Question<'_>) -> Vec<Goal> {
    let program = &question.subject.program;
    let mut goals = Vec::new();
    let reachable = program.calls().reachable(&[question.subject.entry]);
    for (n, site) in question.sites.iter().enumerate() {
        if site.checks.iter().any(|c| question.failed.contains(c)) {
            continue;
        }
        let mut points = Vec::new();
        for func in &reachable {
            points.extend(points_of(program, *func, &site.checks));
        }
        if !points.is_empty() {
            goals.push(Goal {
                what: What::Site(n),
                points,
                reached: false,
            });
        }
    }
    // Only the user's own assumptions: not those that stand for a failing check.
    let original = &question.original.program;
    for func in reachable.iter().filter(|f| !is_inner(original, **f)) {
        let Some(body) = &original.funcs[*func].body else {
            continue;
        };
        for (id, block) in body.blocks.enumerate() {
            for (index, stmt) in block.stmts.iter().enumerate() {
                // `assume(0)` ends a run on purpose.
                if !matches!(&stmt.kind, StmtKind::Assume(cond) if cond.as_int() != Some(0)) {
                    continue;
                }
                for (what, index) in [
                    (What::Before(stmt.loc), index),
                    (What::After(stmt.loc), index + 1),
                ] {
                    goals.push(Goal {
                        what,
                        points: vec![(*func, id, index)],
                        reached: false,
                    });
                }
            }
        }
    }
    goals
}

/// Where runs are that reach one of the checks in a function. To reach the statement is enough,
/// unless that is the failure itself: then it is the condition that leads there.
fn points_of(program: &Program, func: FuncId, checks: &[CheckId]) -> Vec<Point> {
    let mut points = Vec::new();
    let Some(body) = &program.funcs[func].body else {
        return points;
    };
    for (id, block) in body.blocks.enumerate() {
        for (index, stmt) in block.stmts.iter().enumerate() {
            let StmtKind::Assert { check, cond } = &stmt.kind else {
                continue;
            };
            if !checks.contains(check) {
                continue;
            }
            if cond.as_int() != Some(0) {
                points.push((func, id, index));
                continue;
            }
            let data = &program.checks[*check];
            // `assert(0)` says no more than that nothing comes here.
            let never = ["0", "false"].contains(&data.text.as_str());
            let guards = match data.kind {
                Kind::Assertion if !never => guards(program, body, id, stmt.loc),
                _ => Vec::new(),
            };
            let ends = guards
                .iter()
                .map(|b| (func, *b, body.blocks[*b].stmts.len()));
            points.extend(ends);
            if never {
                points.push((func, id, index));
            }
        }
    }
    points
}

/// The branches that evaluate the condition of an assertion: those on its line that lead to the
/// block where it fails. A condition without effects is one branch, so an empty block between two
/// branches separates an `if` from the assertion in it.
fn guards(program: &Program, body: &Body, fails: BlockId, loc: LocId) -> Vec<BlockId> {
    let line = |loc: LocId| (program.locations[loc].file, program.locations[loc].line);
    let mut found: Vec<BlockId> = Vec::new();
    let mut seen = vec![fails];
    let mut work = vec![fails];
    while let Some(to) = work.pop() {
        for (id, block) in body.blocks.enumerate() {
            let leads = block.branch.successors().contains(&to);
            if !leads || seen.contains(&id) || line(block.loc) != line(loc) {
                continue;
            }
            let is_if = matches!(block.branch, Branch::If { .. });
            if is_if && to != fails && body.blocks[to].stmts.is_empty() {
                continue;
            }
            seen.push(id);
            work.push(id);
            if is_if {
                found.push(id);
            }
        }
    }
    found
}

/// Blocks, and up to which statement control comes there.
type Open = FxHashMap<(FuncId, BlockId), usize>;

/// The blocks that control may come to without passing a check that fails.
/// With `undefined`, only checks count after which C does not say how a run goes on.
fn past(question: &Question<'_>, undefined: bool) -> Open {
    let program = &question.original.program;
    let counts = |check: &CheckId| {
        question.failed.contains(check) && !(undefined && goes_on(program, *check))
    };
    let fails = |stmt: &Stmt| matches!(&stmt.kind, StmtKind::Assert { check, .. } if counts(check));
    let everything = program.calls().reachable(&[question.original.entry]);
    let mut open = Open::default();
    let mut returns: FxHashSet<FuncId> = FxHashSet::default();
    let mut entered: FxHashSet<FuncId> = FxHashSet::default();
    entered.insert(question.original.entry);
    loop {
        let size = (open.len(), returns.len(), entered.len());
        for func in &everything {
            let body = program.funcs[*func].body.as_ref();
            let Some(body) = body.filter(|_| entered.contains(func)) else {
                continue;
            };
            let mut work = vec![Body::ENTRY];
            let mut seen = FxHashSet::default();
            while let Some(id) = work.pop() {
                if !seen.insert(id) {
                    continue;
                }
                let block = &body.blocks[id];
                let stop = block.stmts.iter().position(fails);
                open.insert((*func, id), stop.unwrap_or(usize::MAX));
                if stop.is_some() {
                    continue;
                }
                match &block.branch {
                    Branch::Return(_) => {
                        returns.insert(*func);
                    }
                    Branch::Call {
                        callee: Callee::Direct(called),
                        next,
                        ..
                    } => {
                        entered.insert(*called);
                        let has_body = program.funcs[*called].body.is_some();
                        if !has_body || returns.contains(called) {
                            work.extend(*next);
                        }
                    }
                    Branch::Call { next, .. } => {
                        entered.extend(everything.iter().copied());
                        work.extend(*next);
                    }
                    other => work.extend(other.successors()),
                }
            }
        }
        if size == (open.len(), returns.len(), entered.len()) {
            return open;
        }
    }
}
