//! A status for every check. After a failure its check is assumed to hold and the engines are
//! asked again, so that each failing check gets a run of its own and the rest gets a proof. What a
//! proof says nothing about is told apart: checks that no run reaches, and checks that matter only
//! after an earlier failure.

#[cfg(test)]
mod tests;

use crate::concrete::{End, Run, Visits};
use crate::portfolio::{Answer, Decision, Plan, incomplete, verify};
use crate::reach::{self, Question};
use crate::replay::retrace;
use crate::sites::{Site, sites};
use cwolf_base::Budget;
use cwolf_cwi::{BlockId, Body, Branch, CheckId, Expr, LocId, Program, StmtKind, Types};
use cwolf_prepare::Subject;
use cwolf_prepare::property::Kind;
use rustc_hash::FxHashSet;
use std::time::{Duration, Instant};

/// More failing checks than this are not looked for.
const MOST_FAILURES: usize = 20;
/// Time for further failures even if the first was found at once.
const LEAST: Duration = Duration::from_secs(2);
/// Time to find out what is reached even if the answer came at once.
const LEAST_FOR_REACH: Duration = Duration::from_secs(1);

/// What is known of the checks beyond the answer about the whole program.
#[derive(Debug, Default)]
pub struct Statuses {
    /// Failing runs of other checks than the first, in the order in which they were found.
    pub further: Vec<Run>,
    /// What is known of the checks that no run violates.
    pub rest: Rest,
    /// Checks that no run reaches.
    pub unreachable: FxHashSet<CheckId>,
    /// Checks that are violated, but only after an earlier failure.
    pub fails_after: FxHashSet<CheckId>,
    /// Checks that are reached only after an earlier failure.
    pub reached_after: FxHashSet<CheckId>,
    /// Assumptions that no run passes, although some reach them.
    pub contradictions: Vec<LocId>,
}

/// What is known of the checks for which there is no failing run.
#[derive(Debug, Default, PartialEq, Eq)]
pub enum Rest {
    /// As the answer says: proved if it is safe, else nobody asked.
    #[default]
    AsAnswered,
    /// They hold on every run on which no other check fails before.
    Holds,
    /// Nothing, and why.
    Undecided(String),
}

/// Asks about `subject`, then about what the first answer leaves open.
pub fn verify_all(subject: &Subject, plan: &Plan, budget: &Budget) -> Answer {
    let started = Instant::now();
    let mut answer = verify(subject, plan, budget);
    let used = started.elapsed();
    let sites = sites(subject);
    let mut work = subject.clone();
    let mut failed = FxHashSet::default();
    if let Decision::Unsafe(first) = &answer.decision {
        let more = budget.clone().timeout(used.max(LEAST));
        let asked = Instant::now();
        let mut further = Vec::new();
        answer.statuses.rest = go_on(
            &mut work,
            (first, &mut further),
            (&sites, &mut failed),
            plan,
            &more,
        );
        answer.statuses.further = further;
        answer.spent.push(("further checks", asked.elapsed()));
    }
    let proved = matches!(answer.decision, Decision::Safe { .. });
    if !proved && answer.statuses.rest != Rest::Holds {
        return answer;
    }
    let least = (used / 2).max(LEAST_FOR_REACH);
    let left = budget.clone().timeout(least);
    let mut runs: Vec<&Run> = answer.statuses.further.iter().collect();
    if let Decision::Unsafe(first) = &answer.decision {
        runs.insert(0, first);
    }
    let asked = Instant::now();
    let after = after_failures(subject, &runs, (&failed, &sites), plan, &left);
    let question = Question {
        subject: &work,
        original: subject,
        sites: &sites,
        failed: &failed,
        seen_after: &after.visits,
        after: after.subject.as_ref(),
    };
    let reached = reach::ask(&question, plan, &budget.clone().timeout(least));
    answer.statuses.fails_after = after.fails;
    answer.statuses.unreachable = reached.unreachable;
    answer.statuses.reached_after = reached.only_after;
    answer.statuses.contradictions = reached.contradictions;
    answer.spent.push(("reachability", asked.elapsed()));
    answer
}

/// Finds failure after failure, each in the program in which the earlier ones do not happen.
fn go_on(
    work: &mut Subject,
    (first, further): (&Run, &mut Vec<Run>),
    (sites, failed): (&[Site], &mut FxHashSet<CheckId>),
    plan: &Plan,
    budget: &Budget,
) -> Rest {
    loop {
        let last = further.last().unwrap_or(first);
        let Some(check) = failing(last).filter(|c| !failed.contains(c)) else {
            return Rest::Undecided(
                "the failure before cannot be set aside, as no check of the program names it"
                    .into(),
            );
        };
        let site = same_site(sites, check);
        assume(&mut work.program, &site);
        assume(&mut work.raw, &site);
        failed.extend(site);
        if further.len() + 1 >= MOST_FAILURES {
            return Rest::Undecided(format!("the search ended after {MOST_FAILURES} failures"));
        }
        if sites.iter().all(|s| failed.contains(&s.checks[0])) && !implicit(work) {
            return Rest::Holds;
        }
        let next = verify(work, plan, budget);
        match next.decision {
            Decision::Safe { .. } => return Rest::Holds,
            Decision::Unsafe(run) => further.push(*run),
            // Runs that are not covered are a better reason than the time.
            Decision::Unknown(reason)
                if incomplete(work, next.engine).as_ref() == Some(&reason.text) =>
            {
                return Rest::Undecided(reason.text);
            }
            Decision::Unknown(_) => {
                return Rest::Undecided(
                    "neither a failing run nor a proof was found in the remaining time".into(),
                );
            }
        }
    }
}

/// Whether something can fail that has no row yet.
fn implicit(subject: &Subject) -> bool {
    subject.selection.has(Kind::Uninitialised) || !crate::sites::cannot_fail(subject)
}

/// The check that a run violates.
fn failing(run: &Run) -> Option<CheckId> {
    match &run.end {
        End::Fails(failure) => failure.check,
        _ => None,
    }
}

/// The checks that share a row of the report with `check`.
fn same_site(sites: &[Site], check: CheckId) -> Vec<CheckId> {
    let site = sites.iter().find(|s| s.checks.contains(&check));
    site.map_or_else(|| vec![check], |s| s.checks.clone())
}

/// Turns assertions into assumptions: runs that violate them are no longer looked at.
pub(crate) fn assume(program: &mut Program, checks: &[CheckId]) {
    rewrite(program, |check, cond| {
        checks
            .contains(&check)
            .then(|| StmtKind::Assume(cond.clone()))
    });
}

/// Replaces assertions.
pub(crate) fn rewrite(
    program: &mut Program,
    mut new: impl FnMut(CheckId, &Expr) -> Option<StmtKind>,
) {
    let bodies = program.funcs.iter_mut().filter_map(|f| f.body.as_mut());
    for stmt in bodies
        .flat_map(|b| b.blocks.iter_mut())
        .flat_map(|b| &mut b.stmts)
    {
        if let StmtKind::Assert { check, cond } = &stmt.kind
            && let Some(kind) = new(*check, cond)
        {
            stmt.kind = kind;
        }
    }
}

/// What happens on failing runs if they go on.
struct After {
    /// Checks that are violated then.
    fails: FxHashSet<CheckId>,
    /// What such runs pass.
    visits: Visits,
    /// The program in which runs go on after a failure; none if C says of no failure how.
    subject: Option<Subject>,
}

/// Lets failing runs go on as if the check had held, and sees what else they violate: first the
/// runs that were found, then whatever the engines find.
fn after_failures(
    subject: &Subject,
    runs: &[&Run],
    (failed, sites): (&FxHashSet<CheckId>, &[Site]),
    plan: &Plan,
    budget: &Budget,
) -> After {
    let mut after = After {
        fails: FxHashSet::default(),
        visits: Visits::default(),
        subject: None,
    };
    let defined = failed.iter().any(|c| goes_on(&subject.program, *c));
    if !defined {
        return after;
    }
    let mut work = subject.clone();
    pass(&mut work, failed.iter().copied());
    for run in runs {
        for _ in 0..MOST_FAILURES {
            let again = retrace(&work, run, &after.visits, budget);
            if !note_after(&again, &mut work, (failed, sites), &mut after.fails) {
                break;
            }
        }
    }
    for _ in 0..MOST_FAILURES {
        let Decision::Unsafe(run) = verify(&work, plan, budget).decision else {
            break;
        };
        if !note_after(&run, &mut work, (failed, sites), &mut after.fails) {
            break;
        }
    }
    after.subject = Some(work);
    after
}

/// Notes what a run violates after an earlier failure, and lets runs pass that, too. False if
/// there is nothing new.
fn note_after(
    run: &Run,
    work: &mut Subject,
    (failed, sites): (&FxHashSet<CheckId>, &[Site]),
    fails: &mut FxHashSet<CheckId>,
) -> bool {
    let new = failing(run).filter(|c| !failed.contains(c) && !fails.contains(c));
    let Some(check) = new else { return false };
    let site = same_site(sites, check);
    pass(work, site.iter().copied());
    fails.extend(site);
    true
}

/// Lets runs pass checks that they violate, if C says what they do then, and otherwise ends them
/// there.
fn pass(subject: &mut Subject, checks: impl Iterator<Item = CheckId>) {
    for check in checks {
        for program in [&mut subject.program, &mut subject.raw] {
            skip(program, check);
            assume(program, &[check]);
        }
    }
}

/// Whether C says how a run goes on that violates a check.
pub(crate) fn goes_on(program: &Program, check: CheckId) -> bool {
    matches!(
        program.checks[check].kind,
        Kind::Assertion
            | Kind::UnreachCall
            | Kind::Rule
            | Kind::Overflow
            | Kind::Leak
            | Kind::Cleanup
    )
}

/// Lets runs pass a check that they violate, where C says what they do then: not after a step
/// whose behaviour is undefined.
fn skip(program: &mut Program, skipped: CheckId) {
    // The program as it is has no checks of stubs.
    if skipped.0 as usize >= program.checks.len() || !goes_on(program, skipped) {
        return;
    }
    for body in program.funcs.iter_mut().filter_map(|f| f.body.as_mut()) {
        let ids: Vec<BlockId> = body.blocks.ids().collect();
        for id in ids {
            let is = |kind: &StmtKind| matches!(kind, StmtKind::Assert { check, .. } if *check == skipped);
            if !body.blocks[id].stmts.iter().any(|s| is(&s.kind)) {
                continue;
            }
            let halts = matches!(body.blocks[id].branch, Branch::Halt(_));
            let beyond = beyond(body, id);
            match (halts, beyond) {
                // To come here is the failure: what passes goes the other way.
                (true, Some(next)) => body.blocks[id].branch = Branch::Goto(next),
                (true, None) => continue,
                (false, _) => {}
            }
            for stmt in body.blocks[id].stmts.iter_mut().filter(|s| is(&s.kind)) {
                stmt.kind = StmtKind::Assume(Expr::int(Types::INT, 1));
            }
        }
    }
}

/// Where control goes instead of to a block that is the failure.
fn beyond(body: &Body, fails: BlockId) -> Option<BlockId> {
    let leads = |b: BlockId| body.blocks[b].branch.successors().contains(&fails);
    body.blocks.iter().find_map(|block| match block.branch {
        Branch::If { then, els, .. } if then == fails && !leads(els) => Some(els),
        Branch::If { then, els, .. } if els == fails && !leads(then) => Some(then),
        _ => None,
    })
}
