//! The scalars of a type. Members of a union lie on top of each other: those that the program speaks of are told apart, and who
//! reads or writes one reads or writes all that share bits with it. A union of whose members nobody speaks is one scalar.

use cwolf_cwi::{
    Base, ExprKind, Place, Program, RecordId, RecordKind, Step, StmtKind, Type, TypeId, Types,
};
use rustc_hash::FxHashSet;

/// A scalar of a variable, one for all elements of the arrays around it.
#[derive(Clone, Debug)]
pub struct Scalar {
    /// The fields that lead to it.
    pub path: Vec<u32>,
    pub ty: TypeId,
    /// Other fields that lead to the same bits of a union, as the same type.
    others: Vec<Vec<u32>>,
    /// If it lies in a union: how many fields lead to the outermost one, and the bits in it that all of its elements take.
    union: Option<(usize, u64, u64)>,
}

/// The members of unions that the program speaks of.
pub struct Unions {
    used: FxHashSet<(RecordId, u32)>,
}

impl Unions {
    pub fn new(program: &Program) -> Unions {
        let mut unions = Unions {
            used: FxHashSet::default(),
        };
        for body in program.funcs.iter().filter_map(|f| f.body.as_ref()) {
            for block in body.blocks.iter() {
                for stmt in &block.stmts {
                    if let StmtKind::Assign(place, _) = &stmt.kind {
                        unions.note(program, place);
                    }
                }
                block.for_each_expr(&mut |e| {
                    e.walk(&mut |e| {
                        if let ExprKind::Load { place, .. } | ExprKind::AddrOf(place) = &e.kind {
                            unions.note(program, place);
                        }
                    });
                });
            }
        }
        unions
    }
    /// Notes the members of unions on the way to a place.
    fn note(&mut self, program: &Program, place: &Place) {
        let types = &program.types;
        let mut ty = match &place.base {
            Base::Var(var) => program.vars[*var].ty,
            Base::Deref(pointer) => match types.pointee(pointer.ty) {
                Some(ty) => ty,
                None => return,
            },
        };
        for step in &place.path {
            match (step, &types[ty]) {
                (Step::Field(n), Type::Record(record)) => {
                    if types.records[*record].kind == RecordKind::Union {
                        self.used.insert((*record, *n));
                    }
                    ty = types.records[*record].fields[*n as usize].ty;
                }
                (Step::Index(_), Type::Array { elem, .. }) => ty = *elem,
                _ => return,
            }
        }
    }
    /// The fields of a record that are told apart; none if it is one scalar.
    fn fields(&self, types: &Types, record: RecordId) -> Vec<u32> {
        let all = 0..types.records[record].fields.len() as u32;
        match types.records[record].kind {
            RecordKind::Struct => all.collect(),
            RecordKind::Union => all.filter(|n| self.used.contains(&(record, *n))).collect(),
        }
    }
    /// The scalars of a type.
    pub fn scalars(&self, program: &Program, ty: TypeId) -> Vec<Scalar> {
        let mut found = Vec::new();
        let start = Scalar {
            path: Vec::new(),
            ty,
            others: Vec::new(),
            union: None,
        };
        self.collect(&program.types, start, 1, &mut found);
        found
    }
    /// The scalars below a part, of which so many lie side by side in the outermost union.
    fn collect(&self, types: &Types, at: Scalar, times: u64, found: &mut Vec<Scalar>) {
        match types[at.ty] {
            Type::Array { elem, len } => {
                let inner = Scalar { ty: elem, ..at };
                let times = match inner.union {
                    Some(_) => times.saturating_mul(len),
                    None => 1,
                };
                self.collect(types, inner, times, found);
            }
            Type::Record(record) => {
                let fields = self.fields(types, record);
                if fields.is_empty() && types.records[record].kind == RecordKind::Union {
                    return found.push(at);
                }
                let union = types.records[record].kind == RecordKind::Union;
                for n in fields {
                    let field = &types.records[record].fields[n as usize];
                    let bits = match types.as_int(field.ty) {
                        Some(int) => u64::from(int.bits),
                        None => types.size_of(field.ty).saturating_mul(8),
                    };
                    // Elements of arrays in a union are one, and so take the whole array.
                    let inside = match at.union {
                        Some((depth, from, to)) if times > 1 => Some((depth, from, to)),
                        Some((depth, from, _)) => {
                            let from = from.saturating_add(field.bit_offset);
                            Some((depth, from, from.saturating_add(bits)))
                        }
                        None if union => {
                            let to = field.bit_offset.saturating_add(bits);
                            Some((at.path.len(), field.bit_offset, to))
                        }
                        None => None,
                    };
                    let inner = Scalar {
                        path: [&at.path[..], &[n]].concat(),
                        ty: field.ty,
                        others: Vec::new(),
                        union: inside,
                    };
                    self.collect(types, inner, times, found);
                }
            }
            _ => {
                let alike = |s: &&mut Scalar| {
                    let same = (s.union, s.ty) == (at.union, at.ty);
                    let outer =
                        |(depth, ..): (usize, u64, u64)| s.path[..depth] == at.path[..depth];
                    same && times == 1 && at.union.is_some_and(outer)
                };
                match found.iter_mut().find(alike) {
                    Some(first) => first.others.push(at.path),
                    None => found.push(at),
                }
            }
        }
    }
    /// The fields that lead to parts of a type that have another.
    pub fn parts(
        &self,
        types: &Types,
        ty: TypeId,
        wanted: TypeId,
        path: &mut Vec<u32>,
        found: &mut Vec<Vec<u32>>,
    ) {
        if ty == wanted {
            found.push(path.clone());
            return;
        }
        match &types[ty] {
            Type::Array { elem, .. } => self.parts(types, *elem, wanted, path, found),
            Type::Record(record) => {
                for n in self.fields(types, *record) {
                    path.push(n);
                    let field = &types.records[*record].fields[n as usize];
                    self.parts(types, field.ty, wanted, path, found);
                    path.pop();
                }
            }
            _ => {}
        }
    }
}

/// The scalars that fields lead to, and those that share bits of a union with them.
pub fn overlapping(all: &[Scalar], prefix: &[u32]) -> Vec<Vec<u32>> {
    let on_the_way = |path: &Vec<u32>| path.starts_with(prefix) || prefix.starts_with(path);
    let leads = |s: &&Scalar| on_the_way(&s.path) || s.others.iter().any(on_the_way);
    let own: Vec<&Scalar> = all.iter().filter(leads).collect();
    let below = |s: &Scalar| s.union.filter(|(depth, ..)| *depth < prefix.len());
    let also = |s: &&Scalar| {
        let Some((depth, from, to)) = below(s) else {
            return false;
        };
        if s.path[..depth] != prefix[..depth] {
            return false;
        }
        // A member that nobody speaks of is all of the union.
        let mut ranges = own.iter().filter_map(|o| o.union);
        own.is_empty() || ranges.any(|(_, first, end)| first < to && from < end)
    };
    let mut found: Vec<Vec<u32>> = own.iter().map(|s| s.path.clone()).collect();
    let shared = all.iter().filter(|s| !leads(s)).filter(also);
    found.extend(shared.map(|s| s.path.clone()));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scalar(path: &[u32], union: Option<(usize, u64, u64)>) -> Scalar {
        Scalar {
            path: path.to_vec(),
            ty: Types::INT,
            others: Vec::new(),
            union,
        }
    }

    /// `struct { int kind; union { struct { int a, b; } s; int n; } u; }`
    #[test]
    fn members_that_share_bits_are_touched_together() {
        let all = [
            scalar(&[0], None),
            scalar(&[1, 0, 0], Some((1, 0, 32))),
            scalar(&[1, 0, 1], Some((1, 32, 64))),
            scalar(&[1, 1], Some((1, 0, 32))),
        ];
        let at = |prefix: &[u32]| {
            let mut found = overlapping(&all, prefix);
            found.sort();
            found
        };
        assert_eq!(at(&[0]), [vec![0]]);
        assert_eq!(at(&[1, 1]), [vec![1, 0, 0], vec![1, 1]]);
        assert_eq!(at(&[1, 0, 1]), [vec![1, 0, 1]]);
        assert_eq!(at(&[1, 0]).len(), 3);
        assert_eq!(at(&[1]).len(), 3);
        assert_eq!(at(&[]).len(), 4);
        assert_eq!(at(&[1, 2]).len(), 3, "a member that nobody speaks of");
    }
}
