//! Numbers that nothing depends on but themselves: counters of what happened, say. Whether a program repeats itself is not a
//! question of what they hold.

use crate::Question;
use cwolf_absint::machine::{fixed_bits, places};
use cwolf_cwi::{
    BinOp, Branch, Callee, Expr, ExprKind, Place, Program, RecordKind, StmtKind, Type, VarId,
    VarKind,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// A scalar of a variable: where its first bit lies.
type Spot = (VarId, u64);

/// The scalars of the closed program that are only read to be written to scalars like that. No address leads to them, and what is
/// computed with them cannot fail.
pub(crate) fn idle(question: &Question<'_>) -> FxHashSet<Spot> {
    let program: &Program = question.closed;
    let mut uses = Uses {
        program,
        read: FxHashSet::default(),
        whole: FxHashSet::default(),
        flows: FxHashMap::default(),
        written: FxHashSet::default(),
    };
    for function in program.funcs.iter() {
        let Some(body) = &function.body else { continue };
        for block in body.blocks.iter() {
            for stmt in &block.stmts {
                uses.statement(&stmt.kind);
            }
            uses.branch(&block.branch);
        }
    }
    for rule in &question.labels.rules {
        places(rule, &mut |place| uses.needs_place(place));
    }
    uses.idle()
}

struct Uses<'p> {
    program: &'p Program,
    /// What is read for something else.
    read: FxHashSet<Spot>,
    /// Variables that are read as a whole, or at an index, or whose address is taken.
    whole: FxHashSet<VarId>,
    /// What is read to be written to a scalar.
    flows: FxHashMap<Spot, Vec<Spot>>,
    written: FxHashSet<Spot>,
}

impl Uses<'_> {
    /// The scalar number that a place is, if no other place of another size may lie there.
    fn spot(&self, place: &Place) -> Option<Spot> {
        let var = place.root()?;
        let lives = matches!(self.program.types[place.ty], Type::Int(_) | Type::Bool);
        let (from, _) = fixed_bits(self.program, place).filter(|_| lives)?;
        Some((var, u64::try_from(from).ok()?))
    }
    fn statement(&mut self, kind: &StmtKind) {
        let StmtKind::Assign(place, value) = kind else {
            kind.for_each_expr(&mut |e| self.needs(e));
            return;
        };
        place.for_each_operand(&mut |e| self.needs(e));
        let mut read = Vec::new();
        match self.spot(place) {
            Some(to) if self.is_harmless(value, &mut read) => {
                self.written.insert(to);
                self.flows.entry(to).or_default().extend(read);
            }
            _ => self.needs(value),
        }
    }
    fn branch(&mut self, branch: &Branch) {
        let Branch::Call {
            callee: Callee::Direct(func),
            args,
            ..
        } = branch
        else {
            branch.for_each_expr(&mut |e| self.needs(e));
            return;
        };
        let function = &self.program.funcs[*func];
        let params = function.params.iter().filter(|_| function.body.is_some());
        let mut params = params.copied();
        for arg in args {
            let mut read = Vec::new();
            match params.next().map(|param| (param, 0)) {
                Some(to) if self.is_harmless(arg, &mut read) => {
                    self.written.insert(to);
                    self.flows.entry(to).or_default().extend(read);
                }
                _ => self.needs(arg),
            }
        }
    }
    /// Whether a value is computed of numbers by what cannot fail; what it reads.
    fn is_harmless(&self, e: &Expr, read: &mut Vec<Spot>) -> bool {
        match &e.kind {
            ExprKind::Int(_) | ExprKind::Choose => true,
            ExprKind::Load {
                place,
                volatile: false,
            } => self.spot(place).map(|s| read.push(s)).is_some(),
            ExprKind::Unary(_, a) | ExprKind::Cast(a) => self.is_harmless(a, read),
            ExprKind::Binary(op, a, b) => {
                let fails = matches!(op, BinOp::Div | BinOp::Rem | BinOp::Shl | BinOp::Shr);
                !fails && self.is_harmless(a, read) && self.is_harmless(b, read)
            }
            _ => false,
        }
    }
    fn needs(&mut self, e: &Expr) {
        e.walk(&mut |e| match &e.kind {
            ExprKind::Load { place, .. } => self.needs_place(place),
            ExprKind::AddrOf(place) => self.whole.extend(place.root()),
            _ => {}
        });
    }
    fn needs_place(&mut self, place: &Place) {
        match self.spot(place) {
            Some(spot) => drop(self.read.insert(spot)),
            None => self.whole.extend(place.root()),
        }
    }
    fn idle(self) -> FxHashSet<Spot> {
        let program = self.program;
        // Parts of unions lie on each other; what other parts of the program can name, they may read.
        let plain = |var: VarId| {
            let info = &program.vars[var];
            let outside =
                info.kind == VarKind::Global && info.linkage == cwolf_cwi::Linkage::External;
            !outside && !has_union(program, info.ty)
        };
        let mut needed: Vec<Spot> = self.read.iter().copied().collect();
        let mut seen = self.read;
        let lost = |(var, _): &Spot| self.whole.contains(var) || !plain(*var);
        needed.extend(self.written.iter().copied().filter(lost));
        seen.extend(&needed);
        while let Some(to) = needed.pop() {
            for from in self.flows.get(&to).into_iter().flatten() {
                if seen.insert(*from) {
                    needed.push(*from);
                }
            }
        }
        let idle = self.written.into_iter();
        idle.filter(|s| !seen.contains(s)).collect()
    }
}

fn has_union(program: &Program, ty: cwolf_cwi::TypeId) -> bool {
    match &program.types[ty] {
        Type::Array { elem, .. } => has_union(program, *elem),
        Type::Record(record) => {
            let record = &program.types.records[*record];
            record.kind == RecordKind::Union
                || record.fields.iter().any(|f| has_union(program, f.ty))
        }
        _ => false,
    }
}
