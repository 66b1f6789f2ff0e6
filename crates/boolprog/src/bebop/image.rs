//! Steps of the program as relations on diagrams, applied piece by piece: each assigned variable is
//! one conjunct, and an old value is forgotten as soon as no later conjunct reads it.

use super::space::{Bdd, Copy, Renaming, Space, and_exists, rename};
use crate::rails::Rails;
use crate::{Expr, ProcId, Program, StmtKind, Var};
use cwolf_base::Idx;
use oxidd::util::AllocResult;
use oxidd::{BooleanFunction, BooleanFunctionQuant, VarNo};
use rustc_hash::FxHashSet;

/// A step inside one procedure: conjuncts, each with what is forgotten after it, then new names.
pub(crate) struct Relation {
    first: Option<Bdd>,
    conjuncts: Vec<(Bdd, Option<Bdd>)>,
    renaming: Option<Renaming>,
}

impl Relation {
    /// The states after the step from `set`.
    pub(crate) fn image(&self, set: &Bdd) -> AllocResult<Bdd> {
        let mut result = match &self.first {
            None => set.clone(),
            Some(vars) => set.exists(vars)?,
        };
        for (conjunct, forget) in &self.conjuncts {
            result = match forget {
                None => result.and(conjunct)?,
                Some(vars) => and_exists(&result, conjunct, vars)?,
            };
        }
        match &self.renaming {
            None => Ok(result),
            Some(renaming) => rename(&result, renaming),
        }
    }
    /// Nothing but a condition.
    pub(crate) fn filter(condition: Bdd) -> Relation {
        Relation {
            first: None,
            conjuncts: vec![(condition, None)],
            renaming: None,
        }
    }
    /// Nothing at all.
    pub(crate) fn identity() -> Relation {
        Relation {
            first: None,
            conjuncts: Vec::new(),
            renaming: None,
        }
    }
}

fn reads(expr: &Expr, now: &mut FxHashSet<Var>, next: &mut FxHashSet<Var>) {
    expr.walk(&mut |e| match e {
        Expr::Var(v) => drop(now.insert(*v)),
        Expr::Next(v) => drop(next.insert(*v)),
        _ => {}
    });
}

/// `new` has one of the values that `rails` allow.
fn takes(space: &Space, new: VarNo, rails: &Rails<Bdd>) -> AllocResult<Bdd> {
    match rails {
        Rails::One(value) => space.literal(new).equiv(value),
        Rails::Two(t, f) => space.literal(new).ite(t, f),
    }
}

/// A parallel assignment.
pub(crate) fn assignment(
    space: &Space,
    proc: ProcId,
    targets: &[Var],
    values: &[Expr],
    constrain: Option<&Expr>,
) -> AllocResult<Relation> {
    let mut constrained = (FxHashSet::default(), FxHashSet::default());
    if let Some(constrain) = constrain {
        reads(constrain, &mut constrained.0, &mut constrained.1);
    }
    let mut parts: Vec<(Bdd, FxHashSet<Var>)> = Vec::new();
    let mut named = Vec::new();
    for (&target, value) in targets.iter().zip(values) {
        let rails = space.rails(proc, value, None)?;
        let anything = matches!(&rails, Rails::Two(t, f) if t.valid() && f.valid());
        let next = space.var(proc, target, Copy::Next);
        if !anything {
            let mut now = FxHashSet::default();
            reads(value, &mut now, &mut FxHashSet::default());
            parts.push((takes(space, next, &rails)?, now));
        }
        if !anything || constrained.1.contains(&target) {
            named.push((next, space.var(proc, target, Copy::Now)));
        }
    }
    if let Some(constrain) = constrain {
        let condition = space.rails(proc, constrain, None)?;
        parts.push((space.allows(&condition, true)?, constrained.0));
    }
    schedule(space, proc, targets, parts, named)
}

/// Orders the conjuncts so that old values of `forgotten` go early.
fn schedule(
    space: &Space,
    proc: ProcId,
    forgotten: &[Var],
    mut parts: Vec<(Bdd, FxHashSet<Var>)>,
    named: Vec<(VarNo, VarNo)>,
) -> AllocResult<Relation> {
    let old = |v: &Var| space.var(proc, *v, Copy::Now);
    let mut kept: Vec<Var> = forgotten.to_vec();
    let mut readers = |parts: &[(Bdd, FxHashSet<Var>)]| -> AllocResult<Option<Bdd>> {
        let (still, gone): (Vec<Var>, Vec<Var>) = std::mem::take(&mut kept)
            .into_iter()
            .partition(|v| parts.iter().any(|p| p.1.contains(v)));
        kept = still;
        if gone.is_empty() {
            return Ok(None);
        }
        space.set(gone.iter().map(old)).map(Some)
    };
    let first = readers(&parts)?;
    let mut conjuncts = Vec::new();
    while !parts.is_empty() {
        // The conjunct whose old values have the fewest other readers goes next.
        let cost = |n: usize| -> usize {
            let mine = &parts[n].1;
            let mine = mine.iter().filter(|v| forgotten.contains(v));
            mine.map(|v| parts.iter().filter(|p| p.1.contains(v)).count() - 1)
                .sum()
        };
        let best = if parts.len() > 64 {
            // Too many to compare all pairs; the order of the text is as good as any.
            0
        } else {
            (0..parts.len())
                .min_by_key(|&n| (cost(n), n))
                .expect("a part is left")
        };
        let (conjunct, _) = parts.remove(best);
        conjuncts.push((conjunct, readers(&parts)?));
    }
    let renaming = (!named.is_empty()).then(|| space.renaming(named));
    Ok(Relation {
        first,
        conjuncts,
        renaming,
    })
}

/// Leaves `proc` with `values` as results (unknown ones without): locals are forgotten.
pub(crate) fn leaving(
    space: &Space,
    program: &Program,
    proc: ProcId,
    values: Option<&[Expr]>,
) -> AllocResult<Relation> {
    let mut parts = Vec::new();
    for (n, value) in values.into_iter().flatten().enumerate() {
        let rails = space.rails(proc, value, None)?;
        let mut now = FxHashSet::default();
        reads(value, &mut now, &mut FxHashSet::default());
        parts.push((takes(space, space.result(n), &rails)?, now));
    }
    let locals: Vec<Var> = program.procs[proc].locals.ids().map(Var::Local).collect();
    schedule(space, proc, &locals, parts, Vec::new())
}

/// A call, with the two ways its states go: into the callee, and, joined with the summary of the
/// callee, on to the return.
pub(crate) struct Calling {
    arguments: Vec<Bdd>,
    /// Everything but globals and arguments, of the caller.
    outside: Bdd,
    /// Names of the caller's values in the callee.
    inwards: Renaming,
    /// The caller's old globals and the arguments.
    passed: Bdd,
    /// Old values of what is assigned, and dropped results.
    dropped: Bdd,
    /// The callee's names in the caller.
    back: Renaming,
}

impl Calling {
    pub(crate) fn new(
        space: &Space,
        program: &Program,
        proc: ProcId,
        kind: &StmtKind,
    ) -> AllocResult<Calling> {
        let StmtKind::Call {
            results,
            callee,
            args,
        } = kind
        else {
            unreachable!("only calls are compiled as calls");
        };
        let (caller, target) = (&program.procs[proc], &program.procs[*callee]);
        let param = |l, copy| space.local(*callee, l, copy);
        let mut arguments = Vec::new();
        for (arg, local) in args.iter().zip(target.param_ids()) {
            let rails = space.rails(proc, arg, None)?;
            arguments.push(takes(space, param(local, Copy::Next), &rails)?);
        }
        let entry_locals = caller
            .param_ids()
            .map(|l| space.local(proc, l, Copy::Entry));
        let now_locals = caller.locals.ids().map(|l| space.local(proc, l, Copy::Now));
        let outside = space.all_globals(Copy::Entry);
        let outside = space.set(outside.chain(entry_locals).chain(now_locals))?;
        let globals = || (0..program.globals.len()).map(|g| space.global(g, Copy::Now));
        let inwards = globals().zip(space.all_globals(Copy::Entry));
        let params = || target.param_ids();
        let inwards =
            inwards.chain(params().map(|l| (param(l, Copy::Next), param(l, Copy::Entry))));
        let inwards = space.renaming(inwards);
        let passed = globals().chain(params().map(|l| param(l, Copy::Next)));
        let passed = space.set(passed)?;
        // A global comes back under its next name, a result under the result's; what is assigned
        // a result loses its own value.
        let written: FxHashSet<Var> = results.iter().flatten().copied().collect();
        let (mut dropped, mut back) = (Vec::new(), Vec::new());
        for g in program.globals.ids() {
            let next = space.global(g.index(), Copy::Next);
            if written.contains(&Var::Global(g)) {
                dropped.push(next);
            } else {
                back.push((next, space.global(g.index(), Copy::Now)));
            }
        }
        for var in &written {
            if let Var::Local(_) = var {
                dropped.push(space.var(proc, *var, Copy::Now));
            }
        }
        for n in 0..target.results {
            match results.get(n).copied().flatten() {
                Some(var) => back.push((space.result(n), space.var(proc, var, Copy::Now))),
                None => dropped.push(space.result(n)),
            }
        }
        Ok(Calling {
            arguments,
            outside,
            inwards,
            passed,
            dropped: space.set(dropped)?,
            back: space.renaming(back),
        })
    }
    /// The states before the call, with the arguments.
    pub(crate) fn prepare(&self, set: &Bdd) -> AllocResult<Bdd> {
        let mut result = set.clone();
        for argument in &self.arguments {
            result = result.and(argument)?;
        }
        Ok(result)
    }
    /// The valuations in which the callee is entered from `prepared`.
    pub(crate) fn entries(&self, prepared: &Bdd) -> AllocResult<Bdd> {
        rename(&prepared.exists(&self.outside)?, &self.inwards)
    }
    /// The states after the call from `prepared`, where `summary` says what the callee does.
    pub(crate) fn come_back(&self, prepared: &Bdd, summary: &Bdd) -> AllocResult<Bdd> {
        let joined = and_exists(prepared, summary, &self.passed)?;
        rename(&joined.exists(&self.dropped)?, &self.back)
    }
}

/// How the exit states of `proc` are named when they are joined with a call.
pub(crate) fn summary_names(space: &Space, program: &Program, proc: ProcId) -> Renaming {
    let globals = (0..program.globals.len()).flat_map(|g| {
        let name = |copy| space.global(g, copy);
        [
            (name(Copy::Entry), name(Copy::Now)),
            (name(Copy::Now), name(Copy::Next)),
        ]
    });
    let params = program.procs[proc].param_ids().map(|l| {
        let name = |copy| space.local(proc, l, copy);
        (name(Copy::Entry), name(Copy::Next))
    });
    space.renaming(globals.chain(params))
}
