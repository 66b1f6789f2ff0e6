//! `__builtin_object_size`: how many bytes there are from a pointer to the end of what it points into, where
//! gcc sees that without optimisation: in the expression itself.

use super::super::Cx;
use super::super::fold::Const;
use crate::hir::{Expr, ExprKind, Scale};
use cwolf_cwi::TypeId;

/// Bytes that are left.
#[derive(Clone, Copy)]
struct Rest {
    /// Of the variable.
    whole: i128,
    /// Of the member or array around, if gcc says that.
    closest: Option<i128>,
}

impl Cx<'_> {
    /// What is left from where a pointer points to, of its variable or of the closest part of it.
    pub(super) fn extent(&self, pointer: &Expr, closest: bool) -> Option<u64> {
        let rest = self.behind(pointer)?;
        let bytes = match closest {
            true => rest.closest?,
            false => rest.whole,
        };
        Some(u64::try_from(bytes).unwrap_or(0))
    }

    fn behind(&self, pointer: &Expr) -> Option<Rest> {
        match &pointer.kind {
            ExprKind::AddrOf(place) => self.rest(place),
            ExprKind::Cast(inner) if self.program.types.pointee(inner.ty).is_some() => {
                self.behind(inner)
            }
            ExprKind::PtrAdd { ptr, index, scale } => {
                let (Some(Const::Int(n @ 0..)), Scale::Const(scale)) =
                    (self.constant(index), scale)
                else {
                    return None;
                };
                Some(Rest {
                    whole: self.behind(ptr)?.whole - n.checked_mul((*scale).into())?,
                    closest: None,
                })
            }
            _ => None,
        }
    }

    fn rest(&self, place: &Expr) -> Option<Rest> {
        let size = |ty: TypeId| i128::from(self.program.types.size_of(ty));
        match &place.kind {
            ExprKind::Var(var) => {
                let whole = size(self.program.vars[*var].ty);
                (whole > 0).then_some(Rest {
                    whole,
                    closest: Some(whole),
                })
            }
            ExprKind::Field(base, field) => Some(Rest {
                whole: self.rest(base)?.whole - i128::from(self.field_offset(base.ty, *field)),
                closest: Some(size(place.ty)).filter(|size| *size > 0),
            }),
            ExprKind::Index(base, index) => {
                let Some(Const::Int(n)) = self.constant(index) else {
                    return None;
                };
                let before = n.checked_mul(size(place.ty))?;
                Some(Rest {
                    whole: self.rest(base)?.whole - before,
                    closest: Some(size(base.ty) - before),
                })
            }
            _ => None,
        }
    }
}
