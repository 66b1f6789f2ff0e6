//! Labelling (thesis, 3.11): which rules of the label map a step fires, and how the
//! environment splits where it is not certain.

use super::assign::Written;
use super::eval::{At, Context};
use super::objects::{Objects, is_typed};
use super::scratch::Scratch;
use crate::domain::Target;
use crate::map::{Event, Part, Rule, Seen, Spot};
use cwolf_cwi::{Base, BinOp, Expr, ExprKind, Place, Step, VarId};

/// An environment with the labels of the steps that led to it.
pub(crate) type Outcome = (Scratch, Vec<String>);

/// Bits of a variable.
type Bits = (VarId, i128, i128);

/// Calls `visit` for each place that a rule's conditions and label read.
pub fn places(rule: &Rule, visit: &mut dyn FnMut(&Place)) {
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
        if let Part::Value(e) = part {
            look(e);
        }
    }
}

fn touches(spots: &[Spot], (var, from, to): Bits) -> bool {
    spots
        .iter()
        .any(|s| s.var == var && i128::from(s.from) < to && from < i128::from(s.to))
}

/// Whether something happened to what a rule looks at.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Hit {
    No,
    /// It is not certain where that is.
    Perhaps,
    Surely,
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
        let rules: Vec<(&Rule, bool)> = (rules.iter())
            .filter(|r| happens(&r.event))
            .map(|r| (r, certain))
            .collect();
        self.fire_all(outcomes, rules)
    }
    /// The same for rules whose events happen; those that are not certain may also go unseen.
    pub fn fire_all(&self, outcomes: Vec<Outcome>, rules: Vec<(&Rule, bool)>) -> Vec<Outcome> {
        if rules.is_empty() {
            return outcomes;
        }
        let guards: Vec<Vec<&Expr>> = (rules.iter())
            .map(|(r, _)| r.when.iter().collect())
            .collect();
        let mut done = Vec::new();
        for (env, labels) in outcomes {
            for (truths, env) in self.cases(env, &guards, false) {
                let mut list = vec![(env, labels.clone())];
                for ((rule, certain), _) in rules.iter().zip(truths).filter(|(_, t)| *t) {
                    let mut next = Vec::new();
                    for (env, labels) in list {
                        self.label(rule, &env, &labels, &mut next);
                        if !certain {
                            next.push((env, labels));
                        }
                    }
                    list = next;
                }
                done.extend(list);
            }
        }
        done
    }
    /// What a write fires: first the `write` rules, each by itself; then of the watches the
    /// first that holds, and what does not fulfil its condition goes on to the next.
    pub fn written(
        &self,
        outcomes: Vec<Outcome>,
        rules: &[Rule],
        written: &Written,
        certain: bool,
    ) -> Vec<Outcome> {
        if self.objects.is_none() && is_typed(self.layout) {
            let objects = self.with_written(Objects::default(), written);
            let about = Context {
                objects: Some(&objects),
                ..*self
            };
            return about.written(outcomes, rules, written, certain);
        }
        let mut done = Vec::new();
        for (env, labels) in outcomes {
            let hit = |seen: &Seen| self.hit(&env, seen, written);
            let mut writes: Vec<(&Rule, bool)> = Vec::new();
            let mut watches: Vec<&Rule> = Vec::new();
            let mut sure = certain;
            for rule in rules {
                match &rule.event {
                    Event::Write(seen) => match hit(seen) {
                        Hit::No => {}
                        hit => writes.push((rule, certain && hit == Hit::Surely)),
                    },
                    Event::Watch(seen, _) => match hit(seen) {
                        Hit::No => {}
                        hit => {
                            sure &= hit == Hit::Surely;
                            watches.push(rule);
                        }
                    },
                    _ => {}
                }
            }
            let outcomes = self.fire_all(vec![(env, labels)], writes);
            match watches.is_empty() {
                true => done.extend(outcomes),
                false if sure => self.watch(outcomes, &watches, true, &mut done),
                false => {
                    // Nothing of it may be touched.
                    done.extend(outcomes.iter().cloned());
                    for group in touched_together(&watches, written) {
                        self.watch(outcomes.clone(), &group, false, &mut done);
                    }
                }
            }
        }
        done
    }
    /// Of watches that a write surely is about, the first that holds; whether the write may fire none of them counts, if asked.
    fn watch(
        &self,
        outcomes: Vec<Outcome>,
        rules: &[&Rule],
        rest_counts: bool,
        done: &mut Vec<Outcome>,
    ) {
        let conditions: Vec<Vec<&Expr>> = (rules.iter())
            .map(|rule| {
                let Event::Watch(_, condition) = &rule.event else {
                    unreachable!("only watches were kept")
                };
                condition.iter().chain(&rule.when).collect()
            })
            .collect();
        for (env, labels) in outcomes {
            let mut rest = Vec::new();
            for (truths, env) in self.cases(env, &conditions, true) {
                match truths.iter().position(|t| *t) {
                    Some(n) => self.label(rules[n], &env, &labels, done),
                    None => rest.push((env, labels.clone())),
                }
            }
            if rest_counts {
                done.extend(rest);
            }
        }
    }
    /// Whether a write touches what a rule looks at.
    fn hit(&self, env: &Scratch, seen: &Seen, written: &Written) -> Hit {
        if !seen.members.is_empty() {
            return match self.objects.is_some_and(|o| o.are_seen(seen)) {
                true => Hit::Surely,
                false => Hit::No,
            };
        }
        if written.iter().any(|w| touches(&seen.fixed, *w)) {
            return Hit::Surely;
        }
        let mut hit = Hit::No;
        for place in &seen.through {
            let size = self.bits(place);
            let touched = match self.locate(env, place) {
                None => self
                    .unknown(place)
                    .is_none_or(|vars| written.iter().any(|(var, ..)| vars.contains(var))),
                Some(list) => list
                    .iter()
                    .any(|at| written.iter().any(|w| overlap(*at, size, *w))),
            };
            if touched {
                // Where several objects are one in states, it may be another of them.
                let one = |(var, ..): &Bits| !self.layout.several.contains(var);
                match self.is_exact(env, place) && written.iter().all(one) {
                    true => return Hit::Surely,
                    false => hit = Hit::Perhaps,
                }
            }
        }
        hit
    }
    /// How many bits a place has.
    fn bits(&self, place: &Place) -> i128 {
        match self.program.types.as_int(place.ty) {
            Some(int) => i128::from(int.bits),
            None => i128::from(self.program.types.size_of(place.ty)) * 8,
        }
    }
    /// The variables that a place may be in whose pointer is not known.
    fn unknown(&self, place: &Place) -> Option<Vec<VarId>> {
        match &place.base {
            Base::Var(var) => Some(vec![*var]),
            Base::Deref(p) => {
                let vars = self.may_point_to(p);
                (!vars.is_empty()).then_some(vars)
            }
        }
    }
    /// Whether a statement or branch reads what a rule looks at.
    pub fn reads(&self, env: &Scratch, e: &Expr, spots: &Seen) -> bool {
        let mut found = false;
        e.walk(&mut |e| {
            if let ExprKind::Load { place, .. } = &e.kind {
                found |= self.place_touches(env, place, spots);
            }
        });
        found
    }
    /// Whether it surely does: at a place that is known, in an operand that is always evaluated.
    pub fn reads_surely(&self, env: &Scratch, e: &Expr, spots: &Seen) -> bool {
        let own = match &e.kind {
            // C does not look at the right side if the left decides.
            ExprKind::Binary(BinOp::And | BinOp::Or, left, _) => {
                return self.reads_surely(env, left, spots);
            }
            ExprKind::Load { place, .. } => {
                self.is_exact(env, place)
                    && self.place_touches(env, place, spots)
                    && spots.through.iter().all(|p| self.is_exact(env, p))
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
    fn place_touches(&self, env: &Scratch, place: &Place, seen: &Seen) -> bool {
        if !seen.members.is_empty() {
            return self.objects_in_place(env, place).are_seen(seen);
        }
        let ranges = self.ranges(env, place);
        ranges.iter().any(|r| touches(&seen.fixed, *r))
            || seen.through.iter().any(|other| {
                let size = self.bits(other);
                match self.locate(env, other) {
                    None => self
                        .unknown(other)
                        .is_none_or(|vars| ranges.iter().any(|r| vars.contains(&r.0))),
                    Some(list) => list
                        .iter()
                        .any(|at| ranges.iter().any(|r| overlap(*at, size, *r))),
                }
            })
    }
    /// The bits of variables that a place may be.
    pub(super) fn ranges(&self, env: &Scratch, place: &Place) -> Vec<Bits> {
        let size = self.bits(place);
        match self.locate(env, place) {
            None => match &place.base {
                Base::Var(var) => vec![(*var, i128::MIN, i128::MAX)],
                Base::Deref(p) => {
                    let vars = self.may_point_to(p).into_iter();
                    vars.map(|var| (var, i128::MIN, i128::MAX)).collect()
                }
            },
            Some(list) => {
                let range = |at: &At| match at.target {
                    Target::Object(var) => {
                        let from = at.bits.map_or(i128::MIN, i128::from);
                        let to = at.bits.map_or(i128::MAX, |b| i128::from(b) + size);
                        Some((VarId(var), from, to))
                    }
                    _ => None,
                };
                list.iter().filter_map(range).collect()
            }
        }
    }
    /// Whether a place of a label map surely is one that can be read.
    pub fn is_readable(&self, env: &Scratch, place: &Place) -> bool {
        let fixed = |step: &Step| matches!(step, Step::Field(_));
        if matches!(place.base, Base::Var(_)) && place.path.iter().all(fixed) {
            return true;
        }
        let size = self.bits(place);
        let inside = |at: &At| match (at.target, at.bits) {
            (Target::Object(var), Some(bits)) => {
                let var = &self.program.vars[VarId(var)];
                let all = i128::from(self.program.types.size_of(var.ty)) * 8;
                bits >= 0 && i128::from(bits) + size <= all
            }
            _ => false,
        };
        let list = self.locate(env, place).unwrap_or_default();
        !list.is_empty() && list.iter().all(inside)
    }
}

/// The watches that one write may fire, where it is to one of several places: those of each place by themselves, since the first of another
/// does not take what comes later. Which object of a type, or what is behind a pointer, is not asked place by place.
fn touched_together<'r>(watches: &[&'r Rule], written: &Written) -> Vec<Vec<&'r Rule>> {
    let plain = |rule: &&Rule| match &rule.event {
        Event::Watch(seen, _) => seen.members.is_empty() && seen.through.is_empty(),
        _ => false,
    };
    let mut groups: Vec<Vec<&Rule>> = Vec::new();
    if watches.iter().all(plain) {
        for place in written {
            let hit = |rule: &&&Rule| match &rule.event {
                Event::Watch(seen, _) => touches(&seen.fixed, *place),
                _ => false,
            };
            let group: Vec<&Rule> = watches.iter().filter(hit).copied().collect();
            if !group.is_empty() && !groups.contains(&group) {
                groups.push(group);
            }
        }
        return groups;
    }
    watches.iter().map(|rule| vec![*rule]).collect()
}

/// Whether a place of so many bits and a range have bits in common.
fn overlap(at: At, size: i128, (var, from, to): Bits) -> bool {
    let own = match at.bits {
        Some(b) => (i128::from(b), i128::from(b) + size),
        None => (i128::MIN, i128::MAX),
    };
    matches!(at.target, Target::Object(n) if VarId(n) == var) && own.0 < to && from < own.1
}
