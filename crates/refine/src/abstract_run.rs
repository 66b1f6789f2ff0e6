//! A run of a model, as places in the program.

use crate::Question;
use cwolf_absint::machine::{Machine, Position, State};
use cwolf_cwi::graph::Analysed;
use cwolf_cwi::{BlockId, Body, Branch, FuncId, LocId};
use cwolf_workbench::Run;

/// A run of a model, as places in the program.
#[derive(Clone, Debug)]
pub struct AbstractRun {
    /// The label of each step.
    pub labels: Vec<String>,
    /// Where it is before the first step and after each, and whether labels of the step are still
    /// to be shown there.
    pub positions: Vec<(Position, bool)>,
    /// The blocks of the program's own functions that control comes to.
    pub blocks: Vec<(FuncId, BlockId)>,
    /// For each position, how many blocks were come to by then.
    pub reached: Vec<usize>,
}

impl AbstractRun {
    /// The first `count` steps of a run.
    pub(crate) fn new(
        question: &Question<'_>,
        machine: &Machine<'_>,
        states: &[State],
        (run, count): (&Run, usize),
    ) -> AbstractRun {
        let mut found = AbstractRun {
            labels: run.steps[..count].iter().map(|s| s.label.clone()).collect(),
            positions: Vec::new(),
            blocks: Vec::new(),
            reached: Vec::new(),
        };
        let all = std::iter::once(run.start).chain(run.steps[..count].iter().map(|s| s.state));
        let mut frames = Frames::default();
        for state in all {
            let (position, pending) = machine.position(states[state as usize]);
            if let (Position::Code(func, block, 0), false) = (position, pending)
                && question.follows(func)
            {
                frames.come_to(question.program, (func, block), &mut found.blocks);
                found.blocks.push((func, block));
            }
            found.positions.push((position, pending));
            found.reached.push(found.blocks.len());
        }
        found
    }
    /// What is seen of it.
    pub fn visible(&self) -> Vec<String> {
        let seen = self.labels.iter().filter(|l| *l != cwolf_lts::TAU_NAME);
        seen.cloned().collect()
    }
    /// Where its blocks stand in the source.
    pub fn places(&self, program: &Analysed) -> Vec<LocId> {
        let place = |(func, block): &(FuncId, BlockId)| {
            let code = &program.funcs[*func].body.as_ref()?.blocks[*block];
            Some(code.stmts.first().map_or(code.loc, |s| s.loc))
        };
        self.blocks.iter().filter_map(place).collect()
    }
}

/// The calls in progress. In the model a tail call takes over the frame of its caller; in the program control comes
/// back there, and goes on to its return.
#[derive(Default)]
struct Frames(Vec<(FuncId, BlockId)>);

impl Frames {
    /// Control comes to a block after `blocks`: adds those on the way that the model does not have.
    fn come_to(
        &mut self,
        program: &Analysed,
        to: (FuncId, BlockId),
        blocks: &mut Vec<(FuncId, BlockId)>,
    ) {
        let Some(&from) = blocks.last() else { return };
        match branch(program, from) {
            Some(Branch::Call { .. }) if to.1 == Body::ENTRY && is_entered(program, from, to.0) => {
                self.0.push(from);
            }
            // The innermost call that may have been jumped to.
            Some(Branch::Call { .. }) if is_jump(program, from) => {
                let mut here = from.0;
                while here != to.0
                    && let Some((caller, _)) = self.0.pop()
                {
                    here = caller;
                }
            }
            Some(Branch::Return(_)) => {
                while let Some(call) = self.0.pop() {
                    let Some(Branch::Call {
                        next: Some(next), ..
                    }) = branch(program, call)
                    else {
                        return;
                    };
                    if (call.0, *next) == to {
                        return;
                    }
                    let mut at = (call.0, *next);
                    blocks.push(at);
                    while let Some(Branch::Goto(next)) = branch(program, at) {
                        at.1 = *next;
                        blocks.push(at);
                    }
                }
            }
            _ => {}
        }
    }
}

fn branch(program: &Analysed, (func, block): (FuncId, BlockId)) -> Option<&Branch> {
    let body = program.funcs[func].body.as_ref()?;
    Some(&body.blocks[block].branch)
}

/// Whether a call may enter a function.
fn is_entered(program: &Analysed, call: (FuncId, BlockId), func: FuncId) -> bool {
    match branch(program, call) {
        Some(Branch::Call { callee, .. }) => {
            let (targets, outside) = program.points_to().callees(call.0, call.1, callee);
            outside || targets.contains(&func)
        }
        _ => false,
    }
}

/// Whether a block leaves several functions at once (`longjmp`).
pub(crate) fn is_jump(program: &Analysed, (func, block): (FuncId, BlockId)) -> bool {
    let Some(Branch::Call { callee, .. }) = branch(program, (func, block)) else {
        return false;
    };
    let (targets, _) = program.points_to().callees(func, block, callee);
    let jumps = |f: &FuncId| program.known(*f).is_some_and(|row| row.jumps().is_some());
    targets.iter().any(jumps)
}

/// The beginning of a run that goes on for ever: up to where it comes to one of its blocks again after some rounds, the
/// first of which is left out.
pub(crate) struct Lasso {
    /// The run.
    pub run: AbstractRun,
    /// Which of its blocks is the same one, one round before.
    pub position: usize,
}

impl Lasso {
    /// None if no block of the program's own is in what repeats.
    pub(crate) fn new(
        question: &Question<'_>,
        machine: &Machine<'_>,
        states: &[State],
        (run, from): (&Run, usize),
        rounds: usize,
    ) -> Option<Lasso> {
        let round = &run.steps[from..];
        let mut steps = run.steps.clone();
        for _ in 0..rounds {
            steps.extend(round.iter().cloned());
        }
        let whole = Run {
            start: run.start,
            steps,
            repeats_from: None,
        };
        let all = AbstractRun::new(question, machine, states, (&whole, whole.steps.len()));
        let own = |n: usize| match all.positions[n] {
            (Position::Code(func, _, 0), false) => question.follows(func),
            _ => false,
        };
        let head = (from..from + round.len()).find(|n| own(*n))?;
        let last = head + rounds * round.len();
        Some(Lasso {
            position: all.reached[last - round.len()] - 1,
            run: AbstractRun::new(question, machine, states, (&whole, last)),
        })
    }
}
