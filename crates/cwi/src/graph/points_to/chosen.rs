//! Pointers that nobody knows: chosen by the program's own code (uninitialised, or by the user's wish),
//! or made of a number of which nothing is known. Such a pointer may be any address, so also one of an
//! object of the program.

use super::{Chosen, Node, OUTSIDE, Object, PointsTo};
use crate::code::{ExprKind, FuncId};
use crate::program::Program;
use crate::{BinOp, Expr, TypeId, VarId, VarKind};

impl PointsTo {
    /// Whether values that a function chooses are those of the program's own code. What stubs choose, code
    /// outside made.
    pub(super) fn chooses_itself(&self, func: FuncId) -> bool {
        self.mode != Chosen::Outside && self.own[func]
    }

    fn is_pointer(&self, ty: TypeId) -> bool {
        self.pointers.get(ty).is_some_and(|p| *p)
    }

    /// The number that an expression makes a pointer of, if that is not constant.
    pub(super) fn made_of<'e>(&self, e: &'e Expr) -> Option<&'e Expr> {
        let ExprKind::Cast(inner) = &e.kind else {
            return None;
        };
        let made =
            self.mode != Chosen::Outside && self.is_pointer(e.ty) && !self.is_pointer(inner.ty);
        (made && inner.as_int().is_none()).then_some(inner)
    }

    /// Adds what a chosen pointer may point to, beside the outside.
    pub(super) fn add_chosen(&self, out: &mut Vec<(u32, u32)>) {
        out.extend(self.members_in(self.chosen));
    }

    /// Once it is known where numbers come from: those that are made pointers and of which nothing is
    /// known may be any address.
    pub(super) fn choose(&mut self, program: &Program) {
        for node in std::mem::take(&mut self.made) {
            let set = &self.sets[self.find(node) as usize];
            if set.is_empty() || set.contains(&OUTSIDE) {
                self.include(node, OUTSIDE);
                self.copy(self.chosen, node);
            }
        }
        if self.mode == Chosen::Anywhere {
            let mut all = self.all_taken(program);
            all.retain(|member| {
                let (base, _) = self.members[*member as usize];
                let literal = |v: VarId| program.vars[v].kind == VarKind::Literal;
                !matches!(self.bases[base as usize], Object::Var(v) if literal(v))
            });
            all.sort_unstable();
            all.dedup();
            self.flow(&all, self.find(self.chosen));
        }
    }

    /// Objects whose address the program takes, also where it only looks at it.
    fn all_taken(&mut self, program: &Program) -> Vec<u32> {
        let mut found = self.taken.clone();
        let mut objects = Vec::new();
        for body in program.funcs.iter().filter_map(|f| f.body.as_ref()) {
            body.for_each_expr(&mut |e| {
                e.walk(&mut |e| match &e.kind {
                    ExprKind::AddrOf(place) => objects.extend(place.root().map(Object::Var)),
                    ExprKind::FuncAddr(func) => objects.push(Object::Func(*func)),
                    _ => {}
                });
            });
        }
        objects.sort_unstable();
        objects.dedup();
        found.extend(objects.into_iter().map(|o| self.object(o, None)));
        found
    }

    /// Adds what pointers that may be chosen are compared with; whether that is new.
    pub(super) fn compare(&mut self) -> bool {
        let chosen = self.find(self.chosen);
        let before = self.sets[chosen as usize].len();
        for (a, b) in self.compared.clone() {
            let (a, b) = (self.find(a), self.find(b));
            for (one, other) in [(a, b), (b, a)] {
                if self.sets[one as usize].first() == Some(&OUTSIDE) {
                    let objects = self.sets[other as usize].clone();
                    let objects: Vec<u32> = objects.into_iter().filter(|o| *o != OUTSIDE).collect();
                    self.flow(&objects, chosen);
                }
            }
        }
        self.sets[chosen as usize].len() > before || !self.work.is_empty()
    }

    /// Notes the pointers that an expression compares.
    pub(super) fn note_compared(&mut self, program: &Program, at: super::collect::At, e: &Expr) {
        let pointer = |e: &Expr| program.types.pointee(e.ty).is_some();
        let mut pairs = Vec::new();
        e.walk(&mut |e| match &e.kind {
            ExprKind::Binary(op, a, b) if is_comparison(*op) && pointer(a) => pairs.push((a, b)),
            ExprKind::PtrDiff { left, right, .. } => pairs.push((left, right)),
            _ => {}
        });
        for (a, b) in pairs {
            if let (Some(a), Some(b)) = (self.value(program, at, a), self.value(program, at, b)) {
                self.compared.push((a, b));
            }
        }
    }

    /// The set of a number that is made a pointer.
    pub(super) fn made_pointer(&mut self, from: Option<Node>) -> Node {
        let node = self.node();
        if let Some(from) = from {
            self.copy(from, node);
        }
        self.made.push(node);
        node
    }

    /// What a pointer may point to that the program's own code chooses, or makes of a number of which
    /// nothing is known, beside the outside.
    pub fn chosen(&self) -> Vec<Object> {
        match self.mode {
            Chosen::Outside => Vec::new(),
            _ => self.objects_of_members(&self.members_in(self.chosen)),
        }
    }

    /// What such pointers may be.
    pub fn mode(&self) -> Chosen {
        self.mode
    }
}

fn is_comparison(op: BinOp) -> bool {
    use BinOp::{Eq, Ge, Gt, Le, Lt, Ne};
    matches!(op, Eq | Ne | Lt | Le | Gt | Ge)
}
