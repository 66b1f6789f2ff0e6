//! Which values a statement may change. An operand that was computed first is put into a
//! register only if what is computed after it could change it.

use super::Lower;
use super::build::Mark;
use super::survey::Survey;
use cwolf_base::Span;
use cwolf_cwi::{Base, Expr, ExprKind, Place, Program, StmtKind, VarId, VarKind};
use rustc_hash::FxHashSet;

/// Something that changes memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    /// A variable, or a part of it, is written.
    Var(VarId),
    /// A variable's life ends: even its address means something else from now on.
    End(VarId),
    /// Something is written through a pointer.
    Memory,
    /// A function is called.
    Call,
}

impl Effect {
    /// What a statement changes besides registers, which are never set twice on one way.
    pub fn of(stmt: &StmtKind) -> Option<Effect> {
        match stmt {
            StmtKind::Assign(place, _) => Some(place.root().map_or(Effect::Memory, Effect::Var)),
            StmtKind::SetReg(..) | StmtKind::Assert { .. } | StmtKind::Assume(_) => None,
            StmtKind::Live(var) => Some(Effect::Var(*var)),
            StmtKind::Dead(var) => Some(Effect::End(*var)),
            StmtKind::Havoc { .. } => Some(Effect::Memory),
        }
    }
}

/// How far a variable can be reached.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reach {
    /// Never changes.
    Constant,
    /// By its name only.
    Private,
    /// By pointers and by other functions too.
    Shared,
}

fn reach(program: &Program, survey: &Survey, var: VarId) -> Reach {
    let kind = program.vars[var].kind;
    match kind {
        VarKind::Literal => Reach::Constant,
        _ if kind.is_automatic() && !survey.address_taken.contains(&var) => Reach::Private,
        _ => Reach::Shared,
    }
}

/// The sum of some effects.
#[derive(Default)]
struct Changed {
    vars: FxHashSet<VarId>,
    ended: FxHashSet<VarId>,
    shared: bool,
    elsewhere: bool,
}

impl Changed {
    fn add(&mut self, program: &Program, survey: &Survey, effects: &[Effect]) {
        for effect in effects {
            match *effect {
                Effect::Var(var) | Effect::End(var) => {
                    if let Effect::End(var) = *effect {
                        self.ended.insert(var);
                    }
                    self.vars.insert(var);
                    self.shared |= reach(program, survey, var) == Reach::Shared;
                }
                Effect::Memory | Effect::Call => self.elsewhere = true,
            }
        }
    }
    fn is_empty(&self) -> bool {
        self.vars.is_empty() && !self.elsewhere
    }
    /// Whether `value` may be another one after the changes.
    fn touches(&self, program: &Program, survey: &Survey, value: &Expr) -> bool {
        let own = match &value.kind {
            ExprKind::Load { place, .. } => match place.base {
                Base::Var(var) => match reach(program, survey, var) {
                    Reach::Constant => false,
                    Reach::Private => self.vars.contains(&var),
                    Reach::Shared => self.elsewhere || self.vars.contains(&var),
                },
                Base::Deref(_) => self.elsewhere || self.shared,
            },
            ExprKind::AddrOf(place) => place.root().is_some_and(|v| self.ended.contains(&v)),
            _ => false,
        };
        let mut inside = false;
        value.for_each_operand(&mut |e| inside = inside || self.touches(program, survey, e));
        own || inside
    }
}

impl Lower<'_> {
    /// Makes sure that `value`, computed at `mark`, still has the value of that moment.
    pub(super) fn settle(&mut self, span: Span, mark: Mark, value: &mut Expr) {
        let mut operand = (mark, std::mem::replace(value, Expr::int(value.ty, 0)));
        self.settle_all(span, std::slice::from_mut(&mut operand));
        *value = operand.1;
    }
    /// The same for several values, computed one after the other.
    pub(super) fn settle_all(&mut self, span: Span, values: &mut [(Mark, Expr)]) {
        let mut changed = Changed::default();
        let mut seen = self.code.journal.len();
        // Last first: each is checked against all that came after it, and code that is put in
        // does not move the places of those still to come.
        for (mark, value) in values.iter_mut().rev() {
            changed.add(
                self.program,
                &self.survey,
                &self.code.journal[mark.journal..seen],
            );
            seen = mark.journal;
            self.settle_against(span, &changed, *mark, value);
        }
    }
    /// The same for what `place` is computed from.
    pub(super) fn settle_place(&mut self, span: Span, mark: Mark, place: &mut Place) {
        let mut changed = Changed::default();
        let effects = &self.code.journal[mark.journal..];
        changed.add(self.program, &self.survey, effects);
        place.for_each_operand_mut(&mut |e| self.settle_against(span, &changed, mark, e));
    }
    fn settle_against(&mut self, span: Span, changed: &Changed, mark: Mark, value: &mut Expr) {
        if changed.is_empty() || !changed.touches(self.program, &self.survey, value) {
            return;
        }
        let loc = self.loc(span);
        let ty = value.ty;
        if self.program.types.is_scalar(ty) {
            let reg = self.code.new_reg(ty);
            let old = std::mem::replace(value, Expr::reg(ty, reg));
            self.code.emit_at(mark, loc, StmtKind::SetReg(reg, old));
        } else {
            let place = Place::var(ty, self.temp(loc, ty));
            let old = std::mem::replace(value, Expr::load(place.clone()));
            self.code.emit_at(mark, loc, StmtKind::Assign(place, old));
        }
    }
    /// Whether writing `place` may change what `place` itself, or `value`, is computed from.
    pub(super) fn clobbers(&self, place: &Place, value: &Expr) -> bool {
        let mut changed = Changed::default();
        let effect = place.root().map_or(Effect::Memory, Effect::Var);
        changed.add(self.program, &self.survey, &[effect]);
        changed.touches(self.program, &self.survey, value)
    }
}
