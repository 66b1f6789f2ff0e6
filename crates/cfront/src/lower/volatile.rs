//! Reading volatile memory: each scalar is read once, into a register.

use super::Lower;
use cwolf_cwi::{Expr, ExprKind, LocId, Place, RecordKind, Step, Type, TypeId};

/// A record with more scalars than these is copied as a whole.
const MAX_PARTS: usize = 1024;

impl Lower<'_> {
    /// What a volatile place holds now.
    pub(super) fn volatile_value(&mut self, loc: LocId, place: Place) -> Expr {
        if self.program.types.is_scalar(place.ty) {
            return self.keep(loc, volatile_load(place));
        }
        let mut parts = Vec::new();
        let word = self.word();
        self.parts(place.ty, word, &mut Vec::new(), &mut parts);
        if parts.len() > MAX_PARTS {
            return Expr::load(place);
        }
        let copy = self.temp(loc, place.ty);
        for (path, ty) in parts {
            let from = inside(&place, &path, ty);
            let value = self.keep(loc, volatile_load(from));
            let to = inside(&Place::var(place.ty, copy), &path, ty);
            self.write(loc, to, value);
        }
        Expr::load(Place::var(place.ty, copy))
    }
    /// The scalars of a type: of a union, those of its largest member.
    fn parts(
        &self,
        ty: TypeId,
        word: TypeId,
        path: &mut Vec<Step>,
        found: &mut Vec<(Vec<Step>, TypeId)>,
    ) {
        let types = &self.program.types;
        let steps: Vec<(Step, TypeId)> = match &types[ty] {
            _ if found.len() > MAX_PARTS => return,
            Type::Array { elem, len } => {
                let most = (*len).min(MAX_PARTS as u64 + 1);
                let index = |n: u64| Step::Index(Expr::int(word, n.into()));
                (0..most).map(|n| (index(n), *elem)).collect()
            }
            Type::Record(record) => {
                let record = &types.records[*record];
                let fields = (0..)
                    .map(Step::Field)
                    .zip(record.fields.iter().map(|f| f.ty));
                match record.kind {
                    RecordKind::Struct => fields.collect(),
                    RecordKind::Union => fields
                        .max_by_key(|f| types.size_of(f.1))
                        .into_iter()
                        .collect(),
                }
            }
            _ => {
                found.push((path.clone(), ty));
                return;
            }
        };
        for (step, ty) in steps {
            path.push(step);
            self.parts(ty, word, path, found);
            path.pop();
        }
    }
}

fn inside(place: &Place, path: &[Step], ty: TypeId) -> Place {
    let mut place = place.clone();
    place.path.extend_from_slice(path);
    place.ty = ty;
    place
}

/// What a volatile place holds; only as a whole right-hand side.
pub(super) fn volatile_load(place: Place) -> Expr {
    Expr {
        ty: place.ty,
        kind: ExprKind::Load {
            place,
            volatile: true,
        },
    }
}
