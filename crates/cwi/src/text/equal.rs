//! Whether two programs say the same. Variables, functions, records, blocks and registers must
//! have the same numbers; positions and types count by what they say, since the text form
//! writes them where they are used and not as tables.

use crate::code::{
    Base, Block, Body, Branch, Callee, Expr, ExprKind, LocId, Place, Step, Stmt, StmtKind,
};
use crate::program::{Function, InitItem, Program, Var};
use crate::types::{Record, Type, TypeId};

/// Whether the two programs are the same up to the numbering of types and positions.
pub fn equal(a: &Program, b: &Program) -> bool {
    Pair { a, b }.programs()
}

struct Pair<'a> {
    a: &'a Program,
    b: &'a Program,
}

fn all<T>(a: &[T], b: &[T], same: impl Fn(&T, &T) -> bool) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
}

impl Pair<'_> {
    fn programs(&self) -> bool {
        let (a, b) = (self.a, self.b);
        let (records, others) = (&a.types.records, &b.types.records);
        a.target() == b.target()
            && all(records.as_slice(), others.as_slice(), |a, b| {
                self.records(a, b)
            })
            && all(a.vars.as_slice(), b.vars.as_slice(), |a, b| self.vars(a, b))
            && all(a.funcs.as_slice(), b.funcs.as_slice(), |a, b| {
                self.functions(a, b)
            })
            && a.startup == b.startup
            && all(a.checks.as_slice(), b.checks.as_slice(), |a, b| {
                (a.kind, &a.text) == (b.kind, &b.text) && self.locs(a.loc, b.loc)
            })
            && all(&a.notes, &b.notes, |a, b| {
                a.text == b.text && self.locs(a.loc, b.loc)
            })
    }
    fn locs(&self, a: LocId, b: LocId) -> bool {
        let (x, y) = (&self.a.locations, &self.b.locations);
        let (a, b) = (x[a], y[b]);
        x.file_name(a.file) == y.file_name(b.file) && (a.line, a.column) == (b.line, b.column)
    }
    fn types(&self, a: TypeId, b: TypeId) -> bool {
        match (&self.a.types[a], &self.b.types[b]) {
            (Type::Pointer(a), Type::Pointer(b)) => self.types(*a, *b),
            (Type::Array { elem: a, len: n }, Type::Array { elem: b, len: m }) => {
                n == m && self.types(*a, *b)
            }
            (Type::Func(a), Type::Func(b)) => {
                a.variadic == b.variadic
                    && self.types(a.ret, b.ret)
                    && all(&a.params, &b.params, |a, b| self.types(*a, *b))
            }
            (a, b) => a == b,
        }
    }
    fn records(&self, a: &Record, b: &Record) -> bool {
        (&a.name, a.kind, a.size, a.align, a.complete)
            == (&b.name, b.kind, b.size, b.align, b.complete)
            && all(&a.fields, &b.fields, |a, b| {
                (&a.name, a.bit_offset, a.bit_field) == (&b.name, b.bit_offset, b.bit_field)
                    && self.types(a.ty, b.ty)
            })
    }
    fn vars(&self, a: &Var, b: &Var) -> bool {
        let plain = |v: &Var| {
            let flags = (v.volatile, v.constant, v.weak, v.thread_local);
            (v.kind, v.linkage, v.definition, flags, v.align, v.extra)
        };
        (&a.name, &a.alias) == (&b.name, &b.alias)
            && plain(a) == plain(b)
            && self.types(a.ty, b.ty)
            && self.locs(a.loc, b.loc)
            && all(&a.init, &b.init, |a, b| self.inits(a, b))
    }
    fn inits(&self, a: &InitItem, b: &InitItem) -> bool {
        a.bit_offset == b.bit_offset && a.value == b.value && self.types(a.ty, b.ty)
    }
    fn functions(&self, a: &Function, b: &Function) -> bool {
        let refused = match (&a.refused, &b.refused) {
            (None, None) => true,
            (Some(a), Some(b)) => a.reason == b.reason && self.locs(a.loc, b.loc),
            _ => false,
        };
        let bodies = match (&a.body, &b.body) {
            (None, None) => true,
            (Some(a), Some(b)) => self.bodies(a, b),
            _ => false,
        };
        let plain = |f: &Function| (f.linkage, f.definition, f.noreturn, f.weak, f.origin);
        refused
            && bodies
            && plain(a) == plain(b)
            && (&a.name, &a.alias, &a.params, &a.locals)
                == (&b.name, &b.alias, &b.params, &b.locals)
            && self.types(a.ty, b.ty)
            && self.locs(a.loc, b.loc)
    }
    fn bodies(&self, a: &Body, b: &Body) -> bool {
        all(a.regs.as_slice(), b.regs.as_slice(), |a, b| {
            self.types(*a, *b)
        }) && all(a.blocks.as_slice(), b.blocks.as_slice(), |a, b| {
            self.blocks(a, b)
        })
    }
    fn blocks(&self, a: &Block, b: &Block) -> bool {
        all(&a.stmts, &b.stmts, |a, b| self.stmts(a, b))
            && self.locs(a.loc, b.loc)
            && self.branches(&a.branch, &b.branch)
    }
    fn stmts(&self, a: &Stmt, b: &Stmt) -> bool {
        self.locs(a.loc, b.loc)
            && match (&a.kind, &b.kind) {
                (StmtKind::Assign(p, e), StmtKind::Assign(q, f)) => {
                    self.places(p, q) && self.exprs(e, f)
                }
                (StmtKind::SetReg(r, e), StmtKind::SetReg(s, f)) => r == s && self.exprs(e, f),
                (StmtKind::Live(v), StmtKind::Live(w)) | (StmtKind::Dead(v), StmtKind::Dead(w)) => {
                    v == w
                }
                (
                    StmtKind::Assert { check: a, cond: e },
                    StmtKind::Assert { check: b, cond: f },
                ) => a == b && self.exprs(e, f),
                (StmtKind::Assume(e), StmtKind::Assume(f)) => self.exprs(e, f),
                (StmtKind::Havoc { ptr: p, size: n }, StmtKind::Havoc { ptr: q, size: m }) => {
                    self.exprs(p, q) && all(n.as_slice(), m.as_slice(), |n, m| self.exprs(n, m))
                }
                _ => false,
            }
    }
    fn branches(&self, a: &Branch, b: &Branch) -> bool {
        if a.successors() != b.successors() {
            return false;
        }
        match (a, b) {
            (Branch::If { cond: a, .. }, Branch::If { cond: b, .. })
            | (Branch::Halt(a), Branch::Halt(b))
            | (Branch::Return(Some(a)), Branch::Return(Some(b))) => self.exprs(a, b),
            (
                Branch::Switch {
                    on: a, cases: c, ..
                },
                Branch::Switch {
                    on: b, cases: d, ..
                },
            ) => c == d && self.exprs(a, b),
            (
                Branch::Call {
                    callee: f,
                    args: a,
                    ret: r,
                    ..
                },
                Branch::Call {
                    callee: g,
                    args: b,
                    ret: s,
                    ..
                },
            ) => {
                let callees = match (f, g) {
                    (Callee::Direct(f), Callee::Direct(g)) => f == g,
                    (Callee::Indirect(f), Callee::Indirect(g)) => self.exprs(f, g),
                    _ => false,
                };
                callees && self.types(*r, *s) && all(a, b, |a, b| self.exprs(a, b))
            }
            (Branch::Goto(_), Branch::Goto(_)) | (Branch::Return(None), Branch::Return(None)) => {
                true
            }
            (Branch::Unreachable(a), Branch::Unreachable(b)) => a == b,
            _ => false,
        }
    }
    fn places(&self, a: &Place, b: &Place) -> bool {
        let bases = match (&a.base, &b.base) {
            (Base::Var(a), Base::Var(b)) => a == b,
            (Base::Deref(a), Base::Deref(b)) => self.exprs(a, b),
            _ => false,
        };
        bases
            && self.types(a.ty, b.ty)
            && all(&a.path, &b.path, |a, b| match (a, b) {
                (Step::Field(a), Step::Field(b)) => a == b,
                (Step::Index(a), Step::Index(b)) => self.exprs(a, b),
                _ => false,
            })
    }
    fn exprs(&self, a: &Expr, b: &Expr) -> bool {
        use ExprKind::*;
        self.types(a.ty, b.ty)
            && match (&a.kind, &b.kind) {
                (
                    Load {
                        place: a,
                        volatile: v,
                    },
                    Load {
                        place: b,
                        volatile: w,
                    },
                ) => v == w && self.places(a, b),
                (AddrOf(a), AddrOf(b)) => self.places(a, b),
                (Unary(o, a), Unary(p, b)) => o == p && self.exprs(a, b),
                (Binary(o, a, c), Binary(p, b, d)) => {
                    o == p && self.exprs(a, b) && self.exprs(c, d)
                }
                (Cast(a), Cast(b)) | (Fits(a), Fits(b)) => self.exprs(a, b),
                (Memory(t, a), Memory(u, b)) => t == u && all(a, b, |a, b| self.exprs(a, b)),
                (
                    PtrAdd {
                        ptr: a,
                        index: c,
                        scale: n,
                    },
                    PtrAdd {
                        ptr: b,
                        index: d,
                        scale: m,
                    },
                )
                | (
                    PtrDiff {
                        left: a,
                        right: c,
                        scale: n,
                    },
                    PtrDiff {
                        left: b,
                        right: d,
                        scale: m,
                    },
                ) => n == m && self.exprs(a, b) && self.exprs(c, d),
                (a, b) => a == b,
            }
    }
}
