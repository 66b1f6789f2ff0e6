//! Distances of pointers, and where a comparison of two says nothing.

use crate::objects::{CellId, OBJECT_BITS, OFFSET_BITS, ObjId, POINTER_BITS};
use crate::operators;
use crate::pointers::Pointers;
use cwolf_logic::{BinOp, Node, Sort, Term, Terms};

impl Pointers<'_> {
    pub(crate) fn distance(&mut self, p: Term, q: Term, scale: u64) -> Term {
        let bits = self.program.target().pointer_bits();
        let (op, fp) = self.split(p);
        let (oq, fq) = self.split(q);
        let same = self.terms.eq(op, oq);
        let way = self.terms.sub(fp, fq);
        let steps = match operators::whole_steps(&mut self.terms, way, scale) {
            Some(steps) => steps,
            None => operators::steps_of_bytes(&mut self.terms, way, scale),
        };
        let steps = self.terms.resize(bits, true, steps);
        let vague = self.vague(p, q, false);
        let apart = self.terms.not(vague);
        let same = self.terms.and(same, apart);
        if same == Terms::TRUE {
            return steps;
        }
        let any = self.terms.fresh("distance", Sort::Bv(bits));
        self.terms.ite(same, steps, any)
    }

    /// When two pointers lead into one object that stands for several, so that they may yet lead to
    /// different ones; also into memory outside, if that counts. The very same term is the same
    /// pointer even then.
    pub(crate) fn vague(&mut self, p: Term, q: Term, outside: bool) -> Term {
        if p == q {
            return Terms::FALSE;
        }
        let right = self.objects_of(q);
        let mut shared = self.objects_of(p);
        shared.retain(|o| {
            let several = self.objects[o.0 as usize].summary || outside && *o == ObjId::OUTSIDE;
            several && right.contains(o)
        });
        let (op, _) = self.split(p);
        let (oq, _) = self.split(q);
        let mut several = Terms::FALSE;
        for o in shared {
            let number = self.terms.bv(OBJECT_BITS, o.0.into());
            let (here, there) = (self.terms.eq(op, number), self.terms.eq(oq, number));
            let both = self.terms.and(here, there);
            several = self.terms.or(several, both);
        }
        several
    }

    /// Whether a constant is a pointer into an object that stands for several: at another cut, the
    /// same constant may be another pointer.
    pub fn leads_to_several(&mut self, cell: CellId, t: Term) -> bool {
        self.is_pointer(cell)
            && self
                .objects_in(t)
                .iter()
                .any(|o| self.objects[o.0 as usize].summary || *o == ObjId::DANGLING)
    }
}

/// The object's number and the object, where `t` asks whether a pointer leads into an object.
pub fn object_test(terms: &Terms, t: Term) -> Option<(Term, ObjId)> {
    let Node::Bin(BinOp::Eq, number, object) = terms.node(t) else {
        return None;
    };
    let object = terms.as_bv(object)?;
    let pointer = terms.width(number) == OBJECT_BITS && is_number_of_object(terms, number);
    pointer.then_some((number, ObjId(object as u32)))
}

/// Whether a term is an object's number in a pointer, or a choice of such.
fn is_number_of_object(terms: &Terms, t: Term) -> bool {
    let mut work = vec![t];
    let mut found = false;
    while let Some(t) = work.pop() {
        match terms.node(t) {
            Node::Ite(_, a, b) => work.extend([a, b]),
            Node::Extract { lo, of, .. } => {
                if lo != OFFSET_BITS || terms.width(of) != POINTER_BITS {
                    return false;
                }
                found = true;
            }
            Node::Bv { .. } => {}
            _ => return false,
        }
    }
    found
}
