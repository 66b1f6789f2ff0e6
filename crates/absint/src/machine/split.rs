//! Values taken apart: where a cell is to be split, a value that may lie in several classes of its domain becomes one
//! environment for each. What an operator such as `%` makes of an unknown value is then known in each of them.

use super::assign::Written;
use super::eval::Context;
use super::layout::{Slot, int_ty};
use super::scratch::Scratch;
use crate::domain::{Kind, Value};

/// A domain with more classes is not split.
const MOST_CLASSES: usize = 32;

impl Context<'_> {
    /// One environment for each class of what was just written.
    pub fn split(&self, env: Scratch, written: &Written) -> Vec<Scratch> {
        let mut all = vec![env];
        if !self.layout.splits {
            return all;
        }
        for (var, from, to) in written {
            let slots = self.slots(*var);
            for slot in slots.filter(|s| s.split && s.overlaps(*from, *to)) {
                let apart = |env: Scratch| {
                    let classes = self.classes(slot, env.get(slot.home));
                    if classes.len() < 2 {
                        return vec![env];
                    }
                    let one = |v: Value| {
                        let mut env = env.clone();
                        env.set(slot.home, v);
                        env
                    };
                    classes.into_iter().map(one).collect()
                };
                all = all.into_iter().flat_map(apart).collect();
                if all.len() > MOST_CLASSES {
                    return all;
                }
            }
        }
        all
    }
    /// The classes of a slot's domain that a value may lie in.
    fn classes(&self, slot: &Slot, v: Value) -> Vec<Value> {
        let int = int_ty(self.program, slot.cell.ty);
        let kind = slot.cell.kind;
        let members: Vec<i128> = match kind {
            Kind::Bool => vec![0, 1],
            Kind::Mod(k) => (0..i128::from(k)).collect(),
            Kind::Part(part) => {
                let points = self.universe.break_points(part).iter();
                points.flat_map(|p| [p - 1, *p]).collect()
            }
            _ => return Vec::new(),
        };
        let fits = |n: &i128| (cwolf_cwi::value::min(int)..=cwolf_cwi::value::max(int)).contains(n);
        let mut classes: Vec<Value> = Vec::new();
        for n in members.into_iter().filter(fits) {
            let class = self.universe.alpha(int, kind, [n]);
            if classes.contains(&class) {
                continue;
            }
            classes.push(class);
        }
        if classes.len() > MOST_CLASSES {
            return Vec::new();
        }
        // Together they must be all of the domain.
        let whole = classes
            .iter()
            .fold(Value::Bottom, |a, b| self.universe.join(int, kind, a, *b));
        if !self.universe.is_top(int, whole) {
            return Vec::new();
        }
        let met = |class: Value| self.universe.meet(int, kind, v, class);
        let parts = classes.into_iter().map(met);
        parts.filter(|v| *v != Value::Bottom).collect()
    }
}
