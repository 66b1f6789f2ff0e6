//! Two graphs of the same shape become one: only numbers, and the least lengths of runs, may differ.

use crate::entail::entails;
use crate::fold::union;
use crate::graph::{Graph, ObjId, Segment, Val};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Where a number lies in the older graph.
enum Spot {
    Cell(ObjId, i64),
    Register(usize, cwolf_cwi::RegId),
}

struct Shape<'g> {
    new: &'g Graph,
    old: &'g Graph,
    objects: BTreeMap<ObjId, ObjId>,
    back: BTreeMap<ObjId, ObjId>,
    work: Vec<(ObjId, ObjId)>,
    /// Numbers that differ: those of the new graph and of the old one, and how many bits they have.
    numbers: Vec<(Spot, Val, Val, i64)>,
}

/// Whether two graphs differ in numbers only, and what stands for both. The old one is made larger faster if
/// `widen` says so.
pub(crate) fn join(new: &Graph, old: &Graph, widen: bool, steps: &[i128]) -> Option<Graph> {
    let mut shape = Shape {
        new,
        old,
        objects: BTreeMap::new(),
        back: BTreeMap::new(),
        work: Vec::new(),
        numbers: Vec::new(),
    };
    shape.walk()?;
    let joined = shape.joined(widen, steps);
    (entails(new, &joined) && entails(old, &joined)).then_some(joined)
}

impl Shape<'_> {
    fn walk(&mut self) -> Option<()> {
        let (new, old) = (self.new, self.old);
        if new.lost != old.lost || new.globals.len() != old.globals.len() {
            return None;
        }
        for (var, b) in &old.globals {
            self.pair(*new.globals.get(var)?, *b)?;
        }
        for (n, (f, h)) in new.frames.iter().zip(&old.frames).enumerate() {
            if f.vars.len() != h.vars.len() || f.regs.len() != h.regs.len() {
                return None;
            }
            for (var, b) in &h.vars {
                self.pair(*f.vars.get(var)?, *b)?;
            }
            for (a, b) in f.stack.iter().zip(&h.stack) {
                self.pair(*a, *b)?;
            }
            for (reg, b) in &h.regs {
                let a = f.regs.get(reg)?;
                self.values(a, b, Spot::Register(n, *reg), old.word)?;
            }
        }
        while let Some((a, b)) = self.work.pop() {
            let (x, y) = (new.object(a), old.object(b));
            let links = |s: Segment| (s.next, s.prev, s.head);
            let same = x.kind == y.kind && x.valid == y.valid && x.size == y.size;
            if !same || x.seg.map(links) != y.seg.map(links) || x.owner.is_some() {
                return None;
            }
            if x.cells.len() != y.cells.len() || x.zero != y.zero || y.owner.is_some() {
                return None;
            }
            for ((at, cell), (bt, other)) in x.cells.iter().zip(&y.cells) {
                if at != bt || cell.bits != other.bits {
                    return None;
                }
                self.values(&cell.val, &other.val, Spot::Cell(b, *at), cell.bits)?;
            }
        }
        Some(())
    }

    fn pair(&mut self, a: ObjId, b: ObjId) -> Option<()> {
        match (self.objects.get(&b), self.back.get(&a)) {
            (None, None) => {
                self.objects.insert(b, a);
                self.back.insert(a, b);
                self.work.push((a, b));
                Some(())
            }
            (Some(x), Some(y)) => (*x == a && *y == b).then_some(()),
            _ => None,
        }
    }

    fn values(&mut self, a: &Val, b: &Val, spot: Spot, bits: i64) -> Option<()> {
        match (a, b) {
            (Val::Ptr(p), Val::Ptr(q)) => {
                if p.end != q.end || p.at != q.at {
                    return None;
                }
                self.pair(p.obj, q.obj)
            }
            (Val::Func(f), Val::Func(h)) => (f == h).then_some(()),
            (Val::Any, Val::Any) => Some(()),
            _ => {
                self.new.num(a)?;
                self.old.num(b)?;
                self.numbers.push((spot, a.clone(), b.clone(), bits));
                Some(())
            }
        }
    }

    fn joined(&self, widen: bool, steps: &[i128]) -> Graph {
        let mut g = self.old.clone();
        for (b, a) in &self.objects {
            if let (Some(x), Some(y)) = (self.new.object(*a).seg, self.old.object(*b).seg) {
                let min = x.min.min(y.min);
                g.object_mut(*b).seg = Some(Segment { min, ..y });
            }
        }
        let mut known: Vec<(&Val, &Val, Val)> = Vec::new();
        for (spot, a, b, bits) in &self.numbers {
            if a == b && matches!(a, Val::Const(_)) {
                continue;
            }
            let (new, old) = (self.new.num(a), self.old.num(b));
            let (Some(new), Some(old)) = (new, old) else {
                continue;
            };
            let unnamed = matches!(a, Val::In(_)) || matches!(b, Val::In(_));
            let found = known.iter().find(|(x, y, _)| *x == a && *y == b);
            let val = match (found, unnamed) {
                (Some((.., val)), false) => val.clone(),
                (_, true) => Val::In(Rc::new(union(&old, &new, widen, *bits, steps))),
                (None, false) => {
                    let val = g.name(union(&old, &new, widen, *bits, steps));
                    known.push((a, b, val.clone()));
                    val
                }
            };
            match spot {
                Spot::Cell(id, at) => {
                    let cell = g.object_mut(*id).cells.get_mut(at);
                    cell.expect("just seen").val = val;
                }
                Spot::Register(n, reg) => {
                    g.frames[*n].regs.insert(*reg, val);
                }
            }
        }
        g.forget_numbers();
        g
    }
}
