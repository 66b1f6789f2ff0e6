//! What pointers of which nothing else is known may lead to.

use crate::objects::{OBJECT_BITS, ObjId, POINTER_BITS, Repr};
use crate::pointers::Pointers;
use cwolf_cwi::graph::Chosen;
use cwolf_logic::{Node, Sort, Term, Terms};
use rustc_hash::FxHashMap;

impl Pointers<'_> {
    /// A pointer that points to one of `domain`, nothing else being known.
    pub(crate) fn any_pointer(&mut self, hint: &str, mut domain: Vec<ObjId>) -> Term {
        let p = self.terms.fresh(hint, Sort::Bv(POINTER_BITS));
        domain.push(ObjId::NULL);
        self.domains.insert(p, domain);
        p
    }

    /// Any value; a pointer only to `domain` or null.
    pub(crate) fn any(&mut self, bits: u16, repr: Repr, domain: &[ObjId]) -> Term {
        match repr {
            Repr::Pointer => self.any_pointer("any", domain.to_vec()),
            Repr::Bool => {
                let bit = self.terms.fresh("any", Sort::Bv(1));
                self.terms.zext(8, bit)
            }
            Repr::Int | Repr::Float => self.terms.fresh("any", Sort::Bv(bits)),
        }
    }

    pub(crate) fn undefined(&mut self, sort: Sort, repr: Repr) -> Term {
        let t = self.terms.fresh("undef", sort);
        if repr == Repr::Pointer {
            // Nothing says where it points: following it is an error, or else leads anywhere.
            let domain = match self.options.checks.pointer {
                true => vec![ObjId::NULL],
                false => vec![ObjId::NULL, ObjId::OUTSIDE],
            };
            self.domains.insert(t, domain);
        }
        t
    }

    /// What lies in memory that was allocated and never written: there a pointer may be any address.
    pub(crate) fn unwritten(&mut self, sort: Sort, repr: Repr) -> Term {
        let t = self.undefined(sort, repr);
        if repr == Repr::Pointer && self.points_to().mode() == Chosen::Anywhere {
            let chosen = self.chosen();
            if let Some(domain) = self.domains.get_mut(&t) {
                domain.extend(chosen);
            }
        }
        t
    }

    /// Whether a constant stands for all that the pointers in `t` may be.
    pub fn admits(&mut self, constant: Term, t: Term) -> bool {
        let Some(domain) = self.domains.get(&constant).cloned() else {
            return true;
        };
        self.objects_in(t).iter().all(|o| domain.contains(o))
    }

    /// Notes that an object whose contents are not followed holds the pointers in `t`, as such or as
    /// a number.
    pub(crate) fn holds(&mut self, object: ObjId, t: Term, repr: Repr) {
        let objects = match repr {
            Repr::Pointer => self.objects_in(t),
            _ if !self.numbers_point => return,
            _ => {
                let constants = self.terms.constants(&[t]);
                let bases = constants.iter().filter_map(|c| self.bases.get(c).copied());
                bases.collect()
            }
        };
        self.holds_objects(object, objects);
    }

    pub(crate) fn holds_objects(&mut self, object: ObjId, objects: Vec<ObjId>) {
        for to in objects {
            if self.held.entry(object).or_default().insert(to) {
                self.changes += 1;
            }
        }
    }

    /// What holds of the pointers that the given terms start from: each points to null or to
    /// what the points-to analysis says.
    pub fn given(&mut self, roots: &[Term]) -> Term {
        let constants = self.terms.constants(roots);
        let mut all = self.addresses_apart(&constants);
        for constant in constants {
            if self.terms.sort(constant) != Sort::Bv(POINTER_BITS) {
                continue;
            }
            let Some(domain) = self.domains.get(&constant).cloned() else {
                continue;
            };
            let (object, _) = self.split(constant);
            let mut one = Terms::FALSE;
            for id in domain {
                let number = self.terms.bv(OBJECT_BITS, id.0.into());
                let here = self.terms.eq(object, number);
                one = self.terms.or(one, here);
            }
            all = self.terms.and(all, one);
        }
        all
    }

    /// What pointers read from an object of which nothing is known may point to.
    pub(crate) fn vague_domain(&mut self, object: ObjId) -> Vec<ObjId> {
        let objects = self.held_by(object);
        let mut all = self.instances(&objects);
        all.extend(self.held.get(&object).into_iter().flatten());
        self.add_dangling(&mut all);
        all.sort_unstable();
        all.dedup();
        all
    }

    /// A pointer, or an array of pointers, that led to an object.
    pub(crate) fn redirected(&mut self, t: Term, redirect: &mut Redirect) -> Term {
        if let Some(&new) = redirect.known.get(&t) {
            return new;
        }
        let new = match (self.terms.sort(t), self.terms.node(t)) {
            (_, Node::Ite(c, a, b)) => {
                let a = self.redirected(a, redirect);
                let b = self.redirected(b, redirect);
                self.terms.ite(c, a, b)
            }
            (_, Node::Store(under, index, value)) => {
                let under = self.redirected(under, redirect);
                let value = self.redirected(value, redirect);
                self.terms.store(under, index, value)
            }
            (_, Node::ConstArray { index, of }) => {
                let of = self.redirected(of, redirect);
                self.terms.const_array(index, of)
            }
            _ if !self.objects_in(t).contains(&redirect.object) => t,
            (Sort::Bv(_), _) => {
                let (number, offset) = self.split(t);
                let id = self.terms.bv(OBJECT_BITS, redirect.object.0.into());
                let here = self.terms.eq(number, id);
                let mut new = self.pointer(ObjId::DANGLING, offset);
                if let Some((to, when)) = redirect.to {
                    let to = self.pointer(to, offset);
                    new = self.terms.ite(when, to, new);
                }
                self.terms.ite(here, new, t)
            }
            // Elements are not rewritten one by one: any of them may be any of these.
            (sort, _) => {
                let mut domain = self.objects_in(t);
                domain.extend([ObjId::NULL, ObjId::DANGLING]);
                domain.extend(redirect.to.map(|(to, _)| to));
                domain.sort_unstable();
                domain.dedup();
                let array = self.terms.fresh("any", sort);
                self.domains.insert(array, domain);
                array
            }
        };
        redirect.known.insert(t, new);
        new
    }
}

/// Where pointers lead that led to an object.
pub(crate) struct Redirect {
    object: ObjId,
    /// To this one where a condition holds; else they dangle.
    to: Option<(ObjId, Term)>,
    /// Terms that are done.
    known: FxHashMap<Term, Term>,
}

impl Redirect {
    /// Pointers to this object dangle, or lead to another one where a condition holds.
    pub(crate) fn new(object: ObjId, to: Option<(ObjId, Term)>) -> Redirect {
        let known = FxHashMap::default();
        Redirect { object, to, known }
    }
}
