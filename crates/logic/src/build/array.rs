//! Arrays. Reading pushes down to constant symbols at once, so a solver only ever sees reads of
//! those.

use crate::term::{BinOp, Node, Sort, Term, Terms};

impl Terms {
    fn array_sort(&self, a: Term) -> (u16, u16) {
        match self.sort(a) {
            Sort::Array { index, elem } => (index, elem),
            sort => panic!("an array was expected, not a {sort:?}"),
        }
    }

    /// The array that holds `of` at every index of `index` bits.
    pub fn const_array(&mut self, index: u16, of: Term) -> Term {
        let elem = self.width(of);
        self.intern(Node::ConstArray { index, of }, Sort::Array { index, elem })
    }

    /// `a` with the element at `i` replaced by `v`.
    pub fn store(&mut self, a: Term, i: Term, v: Term) -> Term {
        let sort = self.sort(a);
        let mut a = a;
        if let Node::Store(under, j, w) = self.node(a) {
            if i == j {
                if v == w {
                    return a;
                }
                a = under;
            } else if self.two(i, j).is_some() && i < j {
                // Constant indices in order, so that equal contents are equal terms.
                let inner = self.store(under, i, v);
                return self.intern(Node::Store(inner, j, w), sort);
            }
        }
        if let Node::ConstArray { of, .. } = self.node(a)
            && of == v
        {
            return a;
        }
        self.intern(Node::Store(a, i, v), sort)
    }

    /// The element of `a` at `i`.
    pub fn select(&mut self, a: Term, i: Term) -> Term {
        let (index, elem) = self.array_sort(a);
        debug_assert_eq!(Sort::Bv(index), self.sort(i));
        // The writes on the way down, then what lies below them, then back up.
        let mut writes = Vec::new();
        let mut at = a;
        let mut value = loop {
            match self.node(at) {
                Node::Store(under, j, v) => {
                    let same = self.eq(i, j);
                    match self.as_bool(same) {
                        Some(true) => break v,
                        Some(false) => {}
                        None => writes.push((same, v)),
                    }
                    at = under;
                }
                Node::ConstArray { of, .. } => break of,
                Node::Ite(c, x, y) => {
                    if let Some(&known) = self.reads.get(&(at, i)) {
                        break known;
                    }
                    let then = self.select(x, i);
                    let els = self.select(y, i);
                    let either = self.ite(c, then, els);
                    self.reads.insert((at, i), either);
                    break either;
                }
                _ => break self.bin(BinOp::Select, at, i, Sort::Bv(elem)),
            }
        };
        for (same, v) in writes.into_iter().rev() {
            value = self.ite(same, v, value);
        }
        value
    }
}
