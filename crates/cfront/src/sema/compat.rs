//! Compatible and composite types (C17 6.2.7).

use super::Cx;
use super::ctype::{CFunc, CKind, CTy, CTypes, IntKind, Len, QType};
use std::rc::Rc;

impl CTypes {
    /// Whether two declarations with these types may mean the same thing.
    pub fn compatible(&self, a: CTy, b: CTy) -> bool {
        if a == b {
            return true;
        }
        match (self.kind(a), self.kind(b)) {
            (CKind::Error, _) | (_, CKind::Error) => true,
            (CKind::Enum(_), CKind::Int(_)) => self.strip_enum(a) == b,
            (CKind::Int(_), CKind::Enum(_)) => self.strip_enum(b) == a,
            (CKind::Pointer(p), CKind::Pointer(q)) => self.compatible_qualified(*p, *q),
            (CKind::Array { elem: p, len: m }, CKind::Array { elem: q, len: n }) => {
                let lengths = match (m, n) {
                    (Len::Known(m), Len::Known(n)) => m == n,
                    _ => true,
                };
                lengths && self.compatible_qualified(*p, *q)
            }
            (CKind::Func(f), CKind::Func(g)) => self.compatible_functions(f, g),
            _ => false,
        }
    }
    pub fn compatible_qualified(&self, a: QType, b: QType) -> bool {
        a.quals == b.quals && self.compatible(a.ty, b.ty)
    }
    fn compatible_functions(&self, f: &CFunc, g: &CFunc) -> bool {
        if !self.compatible_qualified(f.ret.without_quals(), g.ret.without_quals()) {
            return false;
        }
        match (f.prototype, g.prototype) {
            (true, true) => {
                f.variadic == g.variadic
                    && f.params.len() == g.params.len()
                    && (f.params.iter().zip(&g.params)).all(|(p, q)| self.compatible(p.ty, q.ty))
            }
            (false, false) => true,
            (true, false) => !f.variadic && f.params.iter().all(|p| self.promotes_to_itself(p.ty)),
            (false, true) => !g.variadic && g.params.iter().all(|p| self.promotes_to_itself(p.ty)),
        }
    }
    /// Whether the default argument promotions leave the type as it is.
    fn promotes_to_itself(&self, ty: CTy) -> bool {
        match self.kind(self.strip_enum(ty)) {
            CKind::Bool => false,
            CKind::Int(kind) => kind.rank() >= IntKind::Int.rank(),
            CKind::Float(kind) => *kind != super::ctype::FloatKind::Float,
            _ => true,
        }
    }
}

impl Cx<'_> {
    /// The type that two compatible types make together: what either knows.
    pub(super) fn composite(&mut self, a: QType, b: QType) -> QType {
        QType {
            ty: self.composite_type(a.ty, b.ty),
            ..a
        }
    }
    pub(super) fn composite_type(&mut self, a: CTy, b: CTy) -> CTy {
        if a == b {
            return a;
        }
        match (self.types.kind(a).clone(), self.types.kind(b).clone()) {
            (CKind::Error, _) => b,
            (CKind::Pointer(p), CKind::Pointer(q)) => {
                let to = self.composite(p, q);
                self.types.pointer(to)
            }
            (CKind::Array { elem: p, len: m }, CKind::Array { elem: q, len: n }) => {
                let elem = self.composite(p, q);
                let len = match (m, n) {
                    (Len::Known(_), _) => m,
                    (_, Len::Known(_)) | (Len::Unknown, _) => n,
                    _ => m,
                };
                self.types.array(elem, len)
            }
            (CKind::Func(f), CKind::Func(g)) => {
                let ret = self.composite(f.ret, g.ret);
                let params = match (f.prototype, g.prototype) {
                    (true, true) if f.params.len() == g.params.len() => {
                        let both = f.params.iter().zip(&g.params);
                        both.map(|(p, q)| self.composite(*p, *q)).collect()
                    }
                    (false, true) => g.params.clone(),
                    _ => f.params.clone(),
                };
                self.types.intern(CKind::Func(Rc::new(CFunc {
                    ret,
                    params,
                    variadic: f.variadic || g.variadic,
                    prototype: f.prototype || g.prototype,
                })))
            }
            _ => a,
        }
    }
}
