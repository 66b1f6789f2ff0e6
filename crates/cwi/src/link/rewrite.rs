//! Moves code into the whole: new numbers, and conversions where a declaration elsewhere has
//! changed the type of what is used.

use super::Maps;
use crate::code::{
    Base, Block, Body, Branch, Callee, CheckId, Expr, ExprKind, Place, Step, Stmt, StmtKind,
};
use crate::program::Program;
use crate::types::{Type, TypeId, Types};
use cwolf_base::IndexVec;

/// Moves the bodies of those functions of `part` that count.
pub(super) fn bodies(part: &mut Program, map: &Maps, whole: &mut Program) {
    for id in part.funcs.ids() {
        let Some(body) = part.funcs[id].body.take() else {
            continue;
        };
        if map.counts[id] {
            let body = Mover { part, map, whole }.body(body);
            whole.funcs[map.funcs[id]].body = Some(body);
        }
    }
}

struct Mover<'a> {
    part: &'a Program,
    map: &'a Maps,
    whole: &'a mut Program,
}

impl Mover<'_> {
    fn body(&mut self, body: Body) -> Body {
        let regs = body.regs.iter().map(|ty| self.map.types[*ty]).collect();
        let mut blocks = IndexVec::new();
        for block in body.blocks.into_vec() {
            blocks.push(Block {
                stmts: block.stmts.into_iter().map(|s| self.stmt(s)).collect(),
                loc: self.map.locs[block.loc],
                branch: self.branch(block.branch),
            });
        }
        Body { regs, blocks }
    }

    fn var(&self, var: crate::VarId) -> crate::VarId {
        self.map.vars[var].expect("code names only variables that stay")
    }

    fn stmt(&mut self, stmt: Stmt) -> Stmt {
        let kind = match stmt.kind {
            StmtKind::Assign(place, right) => {
                let place = self.place(place);
                StmtKind::Assign(place, self.expr(right))
            }
            StmtKind::SetReg(reg, right) => StmtKind::SetReg(reg, self.expr(right)),
            StmtKind::Live(var) => StmtKind::Live(self.var(var)),
            StmtKind::Dead(var) => StmtKind::Dead(self.var(var)),
            StmtKind::Assert { check, cond } => StmtKind::Assert {
                check: CheckId(check.0 + self.map.first_check),
                cond: self.expr(cond),
            },
            StmtKind::Assume(e) => StmtKind::Assume(self.expr(e)),
            StmtKind::Havoc { ptr, size } => StmtKind::Havoc {
                ptr: self.expr(ptr),
                size: size.map(|e| self.expr(e)),
            },
        };
        Stmt {
            loc: self.map.locs[stmt.loc],
            kind,
        }
    }

    fn branch(&mut self, mut branch: Branch) -> Branch {
        branch.for_each_expr_mut(&mut |e| {
            let old = std::mem::replace(e, Expr::int(Types::INT, 0));
            *e = self.expr(old);
        });
        if let Branch::Call {
            callee, args, ret, ..
        } = &mut branch
        {
            *ret = self.map.types[*ret];
            self.callee(callee, args, *ret);
        }
        branch
    }

    /// A call fits the function as it now is, or goes through an address of the old type.
    fn callee(&mut self, callee: &mut Callee, args: &[Expr], ret: TypeId) {
        let (func, old) = match callee {
            Callee::Direct(f) => (self.map.funcs[*f], self.map.func_types[*f]),
            Callee::Indirect(e) => match (&e.kind, self.whole.types.pointee(e.ty)) {
                (ExprKind::FuncAddr(f), Some(ty)) => (*f, ty),
                _ => return,
            },
        };
        let new = self.whole.funcs[func].ty;
        let Type::Func(ty) = &self.whole.types[new] else {
            unreachable!("a function has a function type")
        };
        let count = args.len() == ty.params.len() || args.len() > ty.params.len() && ty.variadic;
        let fits = count
            && ty.ret == ret
            && ty
                .params
                .iter()
                .zip(args)
                .all(|(param, arg)| *param == arg.ty);
        *callee = if fits {
            Callee::Direct(func)
        } else {
            let ty = self.whole.types.pointer(old);
            Callee::Indirect(Expr {
                ty,
                kind: ExprKind::FuncAddr(func),
            })
        };
    }

    fn place(&mut self, place: Place) -> Place {
        let ty = self.map.types[place.ty];
        let path = place.path.into_iter().map(|step| match step {
            Step::Field(n) => Step::Field(n),
            Step::Index(e) => Step::Index(self.expr(e)),
        });
        let path: Vec<Step> = path.collect();
        let base = match place.base {
            Base::Var(old) => {
                let var = self.var(old);
                let was = self.map.types[self.part.vars[old].ty];
                let is = self.whole.vars[var].ty;
                if was == is || steps_alike(&self.whole.types, was, is, &path) {
                    Base::Var(var)
                } else {
                    let address = self.address(var);
                    let wanted = self.whole.types.pointer(was);
                    Base::Deref(Box::new(Expr::cast(wanted, address)))
                }
            }
            Base::Deref(ptr) => {
                let ptr = self.expr(*ptr);
                match ptr.kind {
                    // What was converted before may fit now. Constants are written through their
                    // address where C did so: their name stays for the place where they begin.
                    ExprKind::AddrOf(Place {
                        base: Base::Var(var),
                        path: inner,
                        ..
                    }) if inner.is_empty() && !self.whole.vars[var].constant => Base::Var(var),
                    _ => Base::Deref(Box::new(ptr)),
                }
            }
        };
        Place { ty, base, path }
    }

    /// The address of a whole variable.
    fn address(&mut self, var: crate::VarId) -> Expr {
        let ty = self.whole.vars[var].ty;
        let pointer = self.whole.types.pointer(ty);
        Expr {
            ty: pointer,
            kind: ExprKind::AddrOf(Place::var(ty, var)),
        }
    }

    fn boxed(&mut self, mut e: Box<Expr>) -> Box<Expr> {
        let old = std::mem::replace(&mut *e, Expr::int(Types::INT, 0));
        *e = self.expr(old);
        e
    }

    fn expr(&mut self, expr: Expr) -> Expr {
        let ty = self.map.types[expr.ty];
        let kind = match expr.kind {
            kind @ (ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::Zero
            | ExprKind::Choose
            | ExprKind::Reg(_)
            | ExprKind::VarArgs) => kind,
            ExprKind::Memory(test, args) => {
                ExprKind::Memory(test, args.into_iter().map(|e| self.expr(e)).collect())
            }
            ExprKind::Fits(e) => ExprKind::Fits(self.boxed(e)),
            ExprKind::Load { place, volatile } => ExprKind::Load {
                place: self.place(place),
                volatile,
            },
            ExprKind::AddrOf(place) => {
                let place = self.place(place);
                match place.base {
                    // `&*p` is `p`; of its type, since the place has the pointee's.
                    Base::Deref(ptr) if place.path.is_empty() && ptr.ty == ty => return *ptr,
                    base => ExprKind::AddrOf(Place { base, ..place }),
                }
            }
            ExprKind::FuncAddr(f) => ExprKind::FuncAddr(self.map.funcs[f]),
            ExprKind::Unary(op, e) => ExprKind::Unary(op, self.boxed(e)),
            ExprKind::Binary(op, a, b) => {
                let a = self.boxed(a);
                ExprKind::Binary(op, a, self.boxed(b))
            }
            ExprKind::Cast(e) => return self.cast(ty, *e),
            ExprKind::PtrAdd { ptr, index, scale } => {
                let ptr = self.boxed(ptr);
                ExprKind::PtrAdd {
                    ptr,
                    index: self.boxed(index),
                    scale,
                }
            }
            ExprKind::PtrDiff { left, right, scale } => {
                let left = self.boxed(left);
                ExprKind::PtrDiff {
                    left,
                    right: self.boxed(right),
                    scale,
                }
            }
        };
        Expr { ty, kind }
    }

    /// A conversion; of several on a variable's address, only the last matters.
    fn cast(&mut self, ty: TypeId, operand: Expr) -> Expr {
        let operand = self.expr(operand);
        let kind = match operand.kind {
            ExprKind::Cast(inner) if is_address(&inner) && self.is_pointer(operand.ty) => {
                ExprKind::Cast(inner)
            }
            kind => ExprKind::Cast(Box::new(Expr {
                ty: operand.ty,
                kind,
            })),
        };
        match kind {
            ExprKind::Cast(inner) if inner.ty == ty && is_address(&inner) => *inner,
            kind => Expr { ty, kind },
        }
    }

    fn is_pointer(&self, ty: TypeId) -> bool {
        self.whole.types.pointee(ty).is_some()
    }
}

/// Whether `e` is the address of a whole variable.
fn is_address(e: &Expr) -> bool {
    matches!(&e.kind, ExprKind::AddrOf(place) if place.as_var().is_some())
}

/// Whether a path into an array of one type goes the same way in one of another length.
fn steps_alike(types: &Types, a: TypeId, b: TypeId, path: &[Step]) -> bool {
    match (&types[a], &types[b]) {
        (Type::Array { elem: a, .. }, Type::Array { elem: b, .. }) => a == b && !path.is_empty(),
        _ => false,
    }
}
