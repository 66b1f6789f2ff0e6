//! Labelling (thesis, 3.11): which rules of the label map a step fires, and how the
//! environment splits where it is not certain.

use super::eval::Context;
use super::layout::int_ty;
use super::scratch::Scratch;
use crate::domain::{Classes, Target, Value};
use crate::map::{Event, Part, Rule, Spot};
use cwolf_cwi::{Base, BinOp, Expr, ExprKind, Place};

/// An environment with the labels of the steps that led to it.
pub(crate) type Outcome = (Scratch, Vec<String>);

/// Calls `visit` for each place that a rule's conditions and label read.
pub(crate) fn places(rule: &Rule, visit: &mut dyn FnMut(&Place)) {
    let mut look = |e: &Expr| {
        e.walk(&mut |e| {
            if let ExprKind::Load { place, .. } = &e.kind {
                visit(place);
            }
        });
    };
    if let Some(e) = &rule.when {
        look(e);
    }
    if let Event::Watch(_, Some(e)) = &rule.event {
        look(e);
    }
    for part in &rule.label {
        if let Part::Value(place) = part {
            visit(place);
        }
    }
}

fn touches(spots: &[Spot], (var, from, to): (cwolf_cwi::VarId, i128, i128)) -> bool {
    spots
        .iter()
        .any(|s| s.var == var && i128::from(s.from) < to && from < i128::from(s.to))
}

impl Context<'_> {
    /// All outcomes of a step after rules whose event `happens`; unless that is `certain`, it
    /// may also go unseen.
    pub fn fire(
        &self,
        outcomes: Vec<Outcome>,
        rules: &[Rule],
        certain: bool,
        happens: &dyn Fn(&Event) -> bool,
    ) -> Vec<Outcome> {
        let mut outcomes = outcomes;
        for rule in rules.iter().filter(|r| happens(&r.event)) {
            let mut next = Vec::new();
            for (env, labels) in outcomes {
                let (yes, mut no) = self.split(&env, &[rule.when.as_ref()]);
                if !certain {
                    no = Some(env);
                }
                if let Some(env) = yes {
                    self.label(rule, &env, &labels, &mut next);
                }
                next.extend(no.map(|env| (env, labels)));
            }
            outcomes = next;
        }
        outcomes
    }
    /// The watches after a write: of those that may fire, the first wins, and what does not
    /// fulfil its condition goes on to the next.
    pub fn watch(
        &self,
        outcomes: Vec<Outcome>,
        rules: &[Rule],
        written: &super::assign::Written,
        certain: bool,
    ) -> Vec<Outcome> {
        let hit = |rule: &&Rule| match &rule.event {
            Event::Watch(spots, _) => written.iter().any(|w| touches(spots, *w)),
            _ => false,
        };
        let rules: Vec<&Rule> = rules.iter().filter(hit).collect();
        if rules.is_empty() {
            return outcomes;
        }
        let mut done = Vec::new();
        for (env, labels) in outcomes {
            if !certain {
                done.push((env.clone(), labels.clone()));
            }
            let mut rest = Some(env);
            for rule in &rules {
                let Some(env) = rest.take() else { break };
                let Event::Watch(_, condition) = &rule.event else {
                    unreachable!("only watches were kept")
                };
                let (yes, no) = self.split(&env, &[condition.as_ref(), rule.when.as_ref()]);
                if let Some(env) = yes {
                    self.label(rule, &env, &labels, &mut done);
                }
                rest = no;
            }
            done.extend(rest.map(|env| (env, labels)));
        }
        done
    }
    /// The environments in which all conditions hold, and in which one does not.
    pub fn split(
        &self,
        env: &Scratch,
        conditions: &[Option<&Expr>],
    ) -> (Option<Scratch>, Option<Scratch>) {
        let mut yes = Some(env.clone());
        let mut no: Option<Scratch> = None;
        for condition in conditions.iter().flatten() {
            let Some(env) = yes.take() else { break };
            if let Some(fails) = self.assume(&env, condition, false) {
                no = Some(match no {
                    Some(before) => self.join_envs(&before, &fails),
                    None => fails,
                });
            }
            yes = self.assume(&env, condition, true);
        }
        (yes, no)
    }
    /// The label of a rule, once for each block of the values in it.
    pub fn label(&self, rule: &Rule, env: &Scratch, before: &[String], out: &mut Vec<Outcome>) {
        let mut list = vec![(env.clone(), String::new())];
        for part in &rule.label {
            match part {
                Part::Text(text) => list.iter_mut().for_each(|(_, l)| l.push_str(text)),
                Part::Value(place) => {
                    let blocks = |(env, label): (Scratch, String)| {
                        let parts = self.blocks(&env, place).into_iter();
                        parts
                            .map(|(env, text)| (env, format!("{label}{text}")))
                            .collect::<Vec<_>>()
                    };
                    list = list.into_iter().flat_map(blocks).collect();
                }
            }
        }
        for (env, label) in list {
            let mut labels = before.to_vec();
            labels.push(label);
            out.push((env, labels));
        }
    }
    /// The environment split by the blocks of the value at a place, with their names.
    fn blocks(&self, env: &Scratch, place: &Place) -> Vec<(Scratch, String)> {
        let load = Expr::load(place.clone());
        let ty = int_ty(self.program, place.ty);
        let u = self.universe;
        let slot = match (&place.base, self.locate(env, place).as_deref()) {
            (Base::Var(var), Some([at])) => self.slots(*var).find(|s| {
                Some(i128::from(s.cell.bit_offset)) == at.bits.map(i128::from)
                    && s.cell.ty == place.ty
            }),
            _ => None,
        };
        let v = match (self.eval(env, &load), slot) {
            // An unknown value of a partition is all its blocks.
            (Value::Top, Some(slot)) => u.top(ty, slot.cell.kind),
            (v, _) => v,
        };
        let blocks: Vec<Value> = match v {
            Value::Mask { classes, bits } if classes != Classes::Bool => (0..64)
                .filter(|n| bits >> n & 1 == 1)
                .map(|n| Value::Mask {
                    classes,
                    bits: 1 << n,
                })
                .collect(),
            Value::Set { .. } | Value::FarSet { .. } => {
                let members = u.gamma(ty, v);
                let all = members.iter().flat_map(|p| {
                    u.members(ty, v, 4096)
                        .into_iter()
                        .flatten()
                        .filter(|m| p.contains(*m))
                });
                all.map(|m| Value::Int(m as u64)).collect()
            }
            v => vec![v],
        };
        let name = |v: Value| match (v, u.bounds(ty, v)) {
            (Value::Top, _) => "?".to_owned(),
            (
                Value::Mask {
                    classes: Classes::Part(_),
                    ..
                }
                | Value::Range { .. },
                Some((lo, hi)),
            ) if lo < hi => {
                format!("{lo}..{hi}")
            }
            (Value::Mask { .. } | Value::Int(_), Some((lo, hi))) if lo == hi => lo.to_string(),
            _ => u.display(ty, v),
        };
        let keep = |block: Value| {
            let mut env = env.clone();
            if let Some(slot) = slot {
                env.set(slot.home, block);
            }
            (env, name(block))
        };
        blocks.into_iter().map(keep).collect()
    }
    /// Whether a statement or branch reads one of the spots.
    pub fn reads(&self, env: &Scratch, e: &Expr, spots: &[Spot]) -> bool {
        let mut found = false;
        e.walk(&mut |e| {
            if let ExprKind::Load { place, .. } = &e.kind {
                found |= self.place_touches(env, place, spots);
            }
        });
        found
    }
    /// Whether it surely does: at a place that is known, in an operand that is always evaluated.
    pub fn reads_surely(&self, env: &Scratch, e: &Expr, spots: &[Spot]) -> bool {
        let own = match &e.kind {
            // C does not look at the right side if the left decides.
            ExprKind::Binary(BinOp::And | BinOp::Or, left, _) => {
                return self.reads_surely(env, left, spots);
            }
            ExprKind::Load { place, .. } => {
                self.is_exact(env, place) && self.place_touches(env, place, spots)
            }
            _ => false,
        };
        let mut inside = false;
        e.for_each_operand(&mut |e| inside = inside || self.reads_surely(env, e, spots));
        own || inside
    }
    /// Whether a place is one object at one offset, so that an access surely happens there.
    pub fn is_exact(&self, env: &Scratch, place: &Place) -> bool {
        let list = self.locate(env, place);
        matches!(list.as_deref(), Some([at])
            if matches!(at.target, Target::Object(_)) && at.bits.is_some())
    }
    fn place_touches(&self, env: &Scratch, place: &Place, spots: &[Spot]) -> bool {
        let size = match self.program.types.as_int(place.ty) {
            Some(int) => i128::from(int.bits),
            None => i128::from(self.program.types.size_of(place.ty)) * 8,
        };
        match self.locate(env, place) {
            None => match &place.base {
                Base::Var(var) => spots.iter().any(|s| s.var == *var),
                Base::Deref(p) => {
                    let vars = self.may_point_to(p);
                    spots.iter().any(|s| vars.contains(&s.var))
                }
            },
            Some(list) => list.iter().any(|at| match at.target {
                Target::Object(var) => {
                    let (from, to) = match at.bits {
                        Some(b) => (i128::from(b), i128::from(b) + size),
                        None => (i128::MIN, i128::MAX),
                    };
                    touches(spots, (cwolf_cwi::VarId(var), from, to))
                }
                _ => false,
            }),
        }
    }
}

/// Whether a write touches a spot.
pub(crate) fn writes(spots: &[Spot], written: &super::assign::Written) -> bool {
    written.iter().any(|w| touches(spots, *w))
}
