//! What is to be decided, asked of one model.

use cwolf_absint::explore::Model;
use cwolf_base::{Budget, Exhausted};
use cwolf_lts::{Label, Lts, State};
use cwolf_workbench::{
    Answer, Doubt, Evidence, FormulaId, Formulas, Run, Speaks, Step, check, decisive_prefix,
};

/// What is to be decided.
#[derive(Clone, Copy)]
pub enum Goal<'q> {
    /// Whether a formula holds.
    Formula {
        /// The formulas.
        formulas: &'q Formulas,
        /// The one that is asked.
        formula: FormulaId,
        /// The one of linear time that a run is to settle, where the formula itself is none ([`Formulas::about_runs`]).
        ///
        /// [`Formulas::about_runs`]: cwolf_workbench::Environment::about_runs
        runs: Option<FormulaId>,
    },
    /// Whether no step has this label.
    Never(&'static str),
}

/// What a model says.
pub(crate) enum Asked {
    /// All runs of the program are as they should be, if the model is whole.
    Decided,
    /// It has this run, which is not.
    Run(Run),
    /// It is not as it should be, and no single run shows that.
    NoRun,
    /// It depends on what a label stands for.
    Doubt(Doubt),
}

impl Goal<'_> {
    /// Whether no model with more runs than the program decides it.
    pub(crate) fn is_of_both(&self) -> bool {
        match self {
            Goal::Formula {
                formulas, formula, ..
            } => formulas.speaks(*formula) == Speaks::OfBoth,
            Goal::Never(_) => false,
        }
    }
    /// What a run does that is not as it should be.
    pub(crate) fn violates(&self) -> &'static str {
        match self {
            Goal::Formula { .. } => "violates the formula",
            Goal::Never(_) => "fails",
        }
    }
    /// The label at which an exploration may stop.
    pub(crate) fn stops_at(&self) -> Option<&'static str> {
        match self {
            Goal::Formula { .. } => None,
            Goal::Never(label) => Some(label),
        }
    }
    /// Asks a model; `lts` is its system with inputs named as in formulas.
    pub(crate) fn ask(
        &self,
        model: &Model,
        lts: &Lts,
        budget: &Budget,
    ) -> Result<Asked, Exhausted> {
        let (formulas, formula, runs) = match self {
            Goal::Formula {
                formulas,
                formula,
                runs,
            } => (*formulas, *formula, *runs),
            Goal::Never(_) => {
                let run = model.found.map(|edge| shortest(&model.lts, edge));
                return Ok(run.map_or(Asked::Decided, Asked::Run));
            }
        };
        let verdict = check(lts, formulas, formula, budget)?;
        let holds = match verdict.answer {
            Answer::Holds => true,
            Answer::Fails => false,
            Answer::Unknown(doubt) => return Ok(Asked::Doubt(doubt)),
        };
        // A model has all runs of the program and more.
        let decides = match formulas.speaks(formula) {
            Speaks::OfAllRuns => holds,
            Speaks::OfSomeRun => !holds,
            Speaks::OfBoth => false,
        };
        if decides {
            return Ok(Asked::Decided);
        }
        let (formula, verdict) = match runs {
            Some(runs) => (runs, check(lts, formulas, runs, budget)?),
            None => (formula, verdict),
        };
        if let Answer::Unknown(doubt) = verdict.answer {
            return Ok(Asked::Doubt(doubt));
        }
        let run = run_of((formulas, formula), lts, verdict.evidence);
        Ok(run.map_or(Asked::NoRun, Asked::Run))
    }
    /// How many steps of a run settle it, if a beginning does.
    pub(crate) fn prefix(
        &self,
        steps: &[String],
        budget: &Budget,
    ) -> Result<Option<usize>, Exhausted> {
        match self {
            Goal::Formula {
                formulas,
                formula,
                runs,
            } => decisive_prefix(formulas, runs.unwrap_or(*formula), steps, budget),
            Goal::Never(_) => Ok(Some(steps.len())),
        }
    }
    /// Whether the steps of a run decide by themselves.
    pub(crate) fn is_modal(&self) -> bool {
        match self {
            Goal::Formula {
                formulas,
                formula,
                runs,
            } => runs.is_none() && formulas.is_modal(*formula),
            Goal::Never(_) => true,
        }
    }
}

/// The run that decides a formula. A strategy that never leaves a choice to the other side is one,
/// if nothing at its end rests on other runs.
fn run_of(
    (formulas, formula): (&Formulas, FormulaId),
    lts: &Lts,
    evidence: Evidence,
) -> Option<Run> {
    match evidence {
        Evidence::Run(run) => {
            (formulas.is_linear(formula) || formulas.is_modal(formula)).then_some(run)
        }
        Evidence::AllRuns => None,
        Evidence::Strategy(edges) => {
            if !formulas.is_modal(formula) {
                return None;
            }
            let mut run = Run {
                start: lts.initial(),
                steps: Vec::new(),
                repeats_from: None,
            };
            let mut visited = vec![lts.initial()];
            let mut at = lts.initial();
            let mut left = edges;
            while !left.is_empty() {
                let mut from = left.iter().enumerate().filter(|(_, e)| e.0 == at);
                let (n, _) = from.next()?;
                if from.next().is_some() {
                    return None;
                }
                let (_, label, to) = left.remove(n);
                run.steps.push(Step { label, state: to });
                if let Some(n) = visited.iter().position(|s| *s == to) {
                    run.repeats_from = Some(n);
                    return left.is_empty().then_some(run);
                }
                visited.push(to);
                at = to;
            }
            Some(run)
        }
    }
}

/// The shortest run that ends with a step from one state to another. States are numbered breadth first, so that the
/// first edge to each comes from a state that is nearest to the start.
fn shortest(lts: &Lts, (source, label, target): (State, Label, State)) -> Run {
    let start = lts.initial();
    let mut from: Vec<Option<(State, Label)>> = vec![None; lts.states()];
    for (s, label, t) in lts.iter() {
        from[t as usize].get_or_insert((s, label));
    }
    let name = |label| lts.labels().name(label).to_owned();
    let mut steps = vec![Step {
        label: name(label),
        state: target,
    }];
    let mut at = source;
    while at != start {
        let (before, label) = from[at as usize].expect("it was reached");
        steps.push(Step {
            label: name(label),
            state: at,
        });
        at = before;
    }
    steps.reverse();
    Run {
        start,
        steps,
        repeats_from: None,
    }
}
