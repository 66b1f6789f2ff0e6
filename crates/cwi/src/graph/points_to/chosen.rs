//! Pointers that nobody knows: chosen by the program's own code (uninitialised, or by the user's wish),
//! or made of a number of which nothing is known. Such a pointer may be any address, so also one of an
//! object of the program.

use super::collect::At;
use super::layout::Layout;
use super::{Chosen, Node, OUTSIDE, Object, PointsTo};
use crate::code::{BlockId, ExprKind, FuncId};
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

    /// The set of what the pointers that a block chooses may point to, beside the outside. Where a pointer is one
    /// of the objects that it is compared with, each block's are told apart: drivers choose dozens.
    pub(super) fn choice(&mut self, at: At) -> Node {
        if self.mode == Chosen::Anywhere {
            return self.any_choice;
        }
        if let Some(node) = self.choices.get(&at) {
            return *node;
        }
        let node = self.new_choice();
        self.choices.insert(at, node);
        node
    }

    /// A set for chosen pointers, with the object that marks them: another outside.
    pub(super) fn new_choice(&mut self) -> Node {
        let node = self.node();
        let mark = self.new_object(Object::Outside, Layout::whole());
        self.marks.insert(mark, node);
        let member = self.member(mark, 0);
        self.include(node, member);
        node
    }

    /// Adds what a pointer that is chosen there may point to, beside the outside.
    pub(super) fn add_chosen(&self, at: At, out: &mut Vec<(u32, u32)>) {
        match self.mode {
            Chosen::Anywhere => out.extend(self.members_in(self.any_choice)),
            _ => out.extend(
                self.choices
                    .get(&at)
                    .map_or(Vec::new(), |n| self.members_in(*n)),
            ),
        }
    }

    /// The choices that a pointer in a set may come from.
    fn choices_in(&self, node: Node) -> Vec<Node> {
        let set = &self.sets[node as usize];
        let base = |member: &u32| self.members[*member as usize].0;
        let marks = set.iter().filter_map(|m| self.marks.get(&base(m)).copied());
        let mut found: Vec<Node> = marks.collect();
        // The outside stands for all that escaped.
        if set.first() == Some(&OUTSIDE) {
            let escaped = self
                .marks
                .iter()
                .filter(|(b, _)| self.is_escaped[**b as usize]);
            found.extend(escaped.map(|(_, node)| *node));
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Once it is known where numbers come from: those that are made pointers and of which nothing is
    /// known may be any address.
    pub(super) fn choose(&mut self, program: &Program) {
        for (at, node) in std::mem::take(&mut self.made) {
            let set = &self.sets[self.find(node) as usize];
            if set.is_empty() || set.contains(&OUTSIDE) {
                self.include(node, OUTSIDE);
                let choice = self.choice(at);
                self.copy(choice, node);
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
            self.flow(&all, self.find(self.any_choice));
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
        let mut new = false;
        for (a, b) in self.compared.clone() {
            let (a, b) = (self.find(a), self.find(b));
            for (one, other) in [(a, b), (b, a)] {
                for choice in self.choices_in(one) {
                    let objects = self.sets[other as usize].iter();
                    let objects: Vec<u32> = objects.copied().filter(|o| *o != OUTSIDE).collect();
                    let choice = self.find(choice);
                    let before = self.sets[choice as usize].len();
                    self.flow(&objects, choice);
                    new |= self.sets[choice as usize].len() > before;
                }
            }
        }
        new || !self.work.is_empty()
    }

    /// Notes the pointers that an expression compares.
    pub(super) fn note_compared(&mut self, program: &Program, at: At, e: &Expr) {
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
    pub(super) fn made_pointer(&mut self, at: At, from: Option<Node>) -> Node {
        let node = self.node();
        if let Some(from) = from {
            self.copy(from, node);
        }
        self.made.push((at, node));
        node
    }

    /// What pointers may point to that the program's own code chooses anywhere, or makes of numbers of which
    /// nothing is known, beside the outside.
    pub fn chosen(&self) -> Vec<Object> {
        let mut nodes: Vec<Node> = self.choices.values().copied().collect();
        nodes.push(self.any_choice);
        let members: Vec<_> = nodes.into_iter().flat_map(|n| self.members_in(n)).collect();
        self.beside_outside(&members)
    }

    /// The same of those that a block of a function chooses or makes.
    pub fn chosen_at(&self, func: FuncId, block: BlockId) -> Vec<Object> {
        let mut members = Vec::new();
        if self.mode != Chosen::Outside {
            self.add_chosen((func, block), &mut members);
        }
        self.beside_outside(&members)
    }

    fn beside_outside(&self, members: &[(u32, u32)]) -> Vec<Object> {
        let mut objects = self.objects_of_members(members);
        objects.retain(|o| *o != Object::Outside);
        objects
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
