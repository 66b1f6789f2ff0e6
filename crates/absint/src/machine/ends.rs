//! The end of the program (R15), with the labels of its status.

use super::Code;
use super::scratch::Scratch;
use super::step::{Here, Step, To};
use crate::domain::{Kind, Value};
use crate::map::Event;
use cwolf_cwi::{BinOp, Expr, IntTy};

/// The status of a program that was stopped by SIGABRT, as a shell reports it.
pub(super) const ABORTED: u64 = 134;

/// Whether a comparison of two numbers holds.
fn holds(op: BinOp, a: i128, b: i128) -> bool {
    match op {
        BinOp::Eq => a == b,
        BinOp::Ne => a != b,
        BinOp::Lt => a < b,
        BinOp::Le => a <= b,
        BinOp::Gt => a > b,
        _ => a >= b,
    }
}

impl Code<'_> {
    /// R15: the status is all that is left. Of the `exit` rules the first one wins whose
    /// comparison and guard both hold.
    pub(super) fn halt(
        &self,
        here: Here,
        status: Value,
        env: Scratch,
        labels: Vec<String>,
        step: &mut Step,
    ) {
        if status == Value::Bottom {
            return;
        }
        let status = match status {
            Value::Address(_) | Value::Addresses(_) | Value::Float { .. } | Value::NaN => {
                Value::Top
            }
            v => v,
        };
        let context = self.context(here.func, here.block);
        let mut ends: Vec<(Vec<String>, Value)> = Vec::new();
        let mut end = |labels: Vec<String>, status: Value| match ends
            .iter_mut()
            .find(|(known, _)| *known == labels)
        {
            Some((_, known)) => {
                *known = self.universe.join(IntTy::INT, Kind::Free, *known, status);
            }
            None => ends.push((labels, status)),
        };
        for (block, holds) in self.exit_blocks(status) {
            let mut rest = vec![env.clone()];
            let exits = (self.labels.rules.iter()).filter(|r| matches!(r.event, Event::Exit(_)));
            for (rule, _) in exits.zip(&holds).filter(|(_, h)| **h) {
                let guard: Vec<Vec<&Expr>> = vec![rule.when.iter().collect()];
                for env in std::mem::take(&mut rest) {
                    for (truths, env) in context.cases(env, &guard, false) {
                        match truths[0] {
                            false => rest.push(env),
                            true => {
                                let mut fired = Vec::new();
                                context.label(rule, &env, &labels, &mut fired);
                                fired.into_iter().for_each(|(_, labels)| end(labels, block));
                            }
                        }
                    }
                }
            }
            if !rest.is_empty() {
                end(labels.clone(), block);
            }
        }
        for (labels, status) in ends {
            let status = match self.universe.exact(IntTy::INT, status) {
                Some(n) => Value::Int(n as u64),
                None => status,
            };
            step.emit(labels, To::Halt { status });
        }
    }
    /// A status split at the numbers that `exit` rules compare it with, and for each part which
    /// of these comparisons hold.
    fn exit_blocks(&self, status: Value) -> Vec<(Value, Vec<bool>)> {
        let int = IntTy::INT;
        let tests: Vec<Option<(BinOp, i128)>> = (self.labels.rules.iter())
            .filter_map(|rule| match &rule.event {
                Event::Exit(test) => Some(*test),
                _ => None,
            })
            .collect();
        let mut starts = vec![i128::from(i32::MIN)];
        for (_, n) in tests.iter().flatten() {
            starts.extend([*n, n.saturating_add(1)]);
        }
        starts.retain(|n| (i128::from(i32::MIN)..=i128::from(i32::MAX)).contains(n));
        starts.sort_unstable();
        starts.dedup();
        let mut blocks = Vec::new();
        for (at, lo) in starts.iter().enumerate() {
            let hi = starts.get(at + 1).map_or(i128::from(i32::MAX), |n| n - 1);
            let part = self.universe.between(int, status, *lo, hi, Kind::Free);
            if part != Value::Bottom {
                let holds =
                    |test: &Option<(BinOp, i128)>| test.is_none_or(|(op, n)| holds(op, *lo, n));
                blocks.push((part, tests.iter().map(holds).collect()));
            }
        }
        blocks
    }
}
