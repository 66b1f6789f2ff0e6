//! Rules about every object of a type: the object that a step of a run writes, as a place of the program.

use crate::happens::{Happens, Step};
use cwolf_absint::machine::with_object;
use cwolf_absint::map::{Event, Member, Rule, Seen, accessed, is_own, objects_in, paths};
use cwolf_cwi::graph::Object;
use cwolf_cwi::{
    Base, Branch, Expr, ExprKind, Place, RecordId, RecordKind, Step as Field, StmtKind, Type, VarId,
};
use cwolf_known::Primitive;
use std::borrow::Cow;

/// Where a step writes an object: before a statement of its block, or at the start of the next block.
#[derive(Clone, Copy)]
enum When {
    Before(usize),
    Next,
}

impl Step<'_> {
    /// A rule about the object that the step writes, if it is about one.
    pub fn about<'r>(&self, rule: &'r Rule) -> Cow<'r, Rule> {
        let (Event::Write(seen) | Event::Watch(seen, _)) = &rule.event else {
            return Cow::Borrowed(rule);
        };
        match self.object_written(seen) {
            Ok(Some((_, object))) => match self.address(&object) {
                Some(address) => Cow::Owned(with_object(rule, &address)),
                None => Cow::Borrowed(rule),
            },
            _ => Cow::Borrowed(rule),
        }
    }
    fn address(&self, object: &Place) -> Option<Expr> {
        let types = &self.question.program.types;
        Some(Expr {
            ty: types.lookup(&Type::Pointer(object.ty))?,
            kind: ExprKind::AddrOf(object.clone()),
        })
    }
    /// When a field of an object of a type is written.
    pub fn member_written(&self, seen: &Seen) -> Happens {
        match self.object_written(seen) {
            Err(why) => Happens::Unclear(why),
            Ok(None) => Happens::Never,
            Ok(Some((When::Before(index), _))) => Happens::Before(index, Vec::new()),
            Ok(Some((When::Next, _))) => Happens::Entered,
        }
    }
    /// The object that the step writes last; an error says why nobody can tell.
    fn object_written(&self, seen: &Seen) -> Result<Option<(When, Place)>, String> {
        if seen.members.is_empty() {
            return Ok(None);
        }
        let mut found = None;
        for n in self.from..self.to {
            if let StmtKind::Assign(place, _) = &self.code.stmts[n].kind
                && let Some(object) = self.assigned(place, seen)?
            {
                found = Some((When::Before(n + 1), object));
            }
        }
        match self.object_by_branch(seen)? {
            Some(_) if found.is_some() => Err("a step writes several times".to_owned()),
            Some(object) => Ok(Some((When::Next, object))),
            None => Ok(found),
        }
    }
    /// The object that an assignment writes.
    fn assigned(&self, place: &Place, seen: &Seen) -> Result<Option<Place>, String> {
        if place
            .root()
            .is_some_and(|v| !is_own(&self.question.program.vars[v]))
        {
            return Ok(None);
        }
        for member in &seen.members {
            if let Some(object) = self.assigned_member(place, member)? {
                return Ok(Some(object));
            }
        }
        Ok(None)
    }
    fn assigned_member(&self, place: &Place, member: &Member) -> Result<Option<Place>, String> {
        let program = self.question.program;
        let types = &program.types;
        let unclear = || {
            let name = &types.records[member.record].name;
            Err(format!(
                "a write may be to a field of a `{name}` that is watched, and it is not followed exactly"
            ))
        };
        let constant = |path: &[Field]| {
            path.iter().all(|s| match s {
                Field::Field(_) => true,
                Field::Index(e) => e.as_int().is_some(),
            })
        };
        if let Some((object, from, to)) = accessed(program, place, member.record) {
            if to <= member.from || member.to <= from {
                return Ok(None);
            }
            // Which element it is decides.
            if !constant(&place.path[object.path.len()..]) {
                return unclear();
            }
            return match self.moves_itself(place) {
                true => unclear(),
                false => Ok(Some(object)),
            };
        }
        // An object inside of what is written.
        match &paths(types, place.ty, member.record)[..] {
            [] => {}
            [path] if !path.iter().any(|s| matches!(s, Field::Index(_))) => {
                let ty = types.lookup(&Type::Record(member.record));
                let mut object = place.clone();
                object.path.extend(path.iter().cloned());
                object.ty = ty.expect("it has objects");
                return match self.moves_itself(place) {
                    true => unclear(),
                    false => Ok(Some(object)),
                };
            }
            _ => return unclear(),
        }
        match self.may_be_inside(place, member) {
            true => unclear(),
            false => Ok(None),
        }
    }
    /// Whether a write may change where its place is, which is asked after it.
    fn moves_itself(&self, place: &Place) -> bool {
        let types = &self.question.program.types;
        let mut loads = false;
        place.for_each_operand(&mut |e| {
            e.walk(&mut |e| {
                loads |= matches!(&e.kind, ExprKind::Load { place, .. } if place.root().is_none());
            });
        });
        loads && !matches!(types[place.ty], Type::Int(_) | Type::Bool | Type::Float(_))
    }
    /// Whether a place that does not lead through a type may still lie in an object of it.
    fn may_be_inside(&self, place: &Place, member: &Member) -> bool {
        let program = self.question.program;
        let types = &program.types;
        let has = |v: VarId| {
            let v = &program.vars[v];
            is_own(v) && !paths(types, v.ty, member.record).is_empty()
        };
        let pointer = match &place.base {
            // Other members of a union lie on top of the object.
            Base::Var(var) => return has(*var) && self.in_union(place, member.record),
            Base::Deref(pointer) => pointer,
        };
        if !self.behind(pointer).into_iter().any(has) {
            return false;
        }
        if place.path.is_empty() && !types.is_aggregate(place.ty) {
            let size = types.size_of(place.ty) * 8;
            return size == 8 || size >= member.to - member.from;
        }
        let whole = types.lookup(&Type::Record(member.record));
        match types.pointee(pointer.ty).and_then(|to| types.as_record(to)) {
            Some(own) => {
                let union = types.records[own].kind == RecordKind::Union;
                union || whole.is_some_and(|ty| !paths(types, ty, own).is_empty())
            }
            None => true,
        }
    }
    /// Whether a path leads into a union that has an object of a type in another member.
    fn in_union(&self, place: &Place, record: RecordId) -> bool {
        let program = self.question.program;
        let types = &program.types;
        let Some(mut ty) = place.root().map(|v| program.vars[v].ty) else {
            return true;
        };
        for step in &place.path {
            match (step, &types[ty]) {
                (Field::Field(n), Type::Record(own)) => {
                    let own = &types.records[*own];
                    let inside = objects_in(types, ty, record).is_none_or(|l| !l.is_empty());
                    if own.kind == RecordKind::Union && inside {
                        return true;
                    }
                    ty = own.fields[*n as usize].ty;
                }
                (Field::Index(_), Type::Array { elem, .. }) => ty = *elem,
                _ => return true,
            }
        }
        false
    }
    /// The variables and allocated objects that a pointer may lead to.
    pub fn behind(&self, pointer: &Expr) -> Vec<VarId> {
        let program = self.question.program;
        let points_to = program.points_to();
        let mut objects = points_to.expr(self.func, self.block, pointer);
        if objects.contains(&Object::Outside) {
            objects.extend(points_to.escaped());
        }
        let vars = objects
            .into_iter()
            .flat_map(|object| object.variables(program));
        vars.collect()
    }
    /// The object that a call writes: a parameter, or what `memset` and `memcpy` are given.
    fn object_by_branch(&self, seen: &Seen) -> Result<Option<Place>, String> {
        let Branch::Call { callee, args, .. } = &self.code.branch else {
            return Ok(None);
        };
        if !self.ends_block {
            return Ok(None);
        }
        let program = self.question.program;
        if let Some(target) = self.target()
            && self.question.follows(target)
        {
            let mut found = None;
            for param in &program.funcs[target].params {
                let place = Place::var(program.vars[*param].ty, *param);
                found = found.or(self.assigned(&place, seen)?);
            }
            return Ok(found);
        }
        if let Some(object) = self.filled(args, seen) {
            return Ok(Some(object));
        }
        let vars = seen.fixed.iter().map(|s| s.var);
        match vars.into_iter().find(|v| self.may_change(callee, args, *v)) {
            Some(v) => {
                let name = &program.vars[v].name;
                let who = match self.target() {
                    Some(f) => format!("`{}`", program.funcs[f].name),
                    None => "code that is not followed".to_owned(),
                };
                Err(format!(
                    "a field of a type is watched, and {who} may write it in `{name}`"
                ))
            }
            None => Ok(None),
        }
    }
    /// The whole object that `memset` or `memcpy` fills, if it is of a type that is watched.
    fn filled(&self, args: &[Expr], seen: &Seen) -> Option<Place> {
        let program = self.question.program;
        let row = program.known(self.target()?)?;
        let bulk = [Primitive::Fill, Primitive::Copy, Primitive::Move];
        if !row.primitive().is_some_and(|p| bulk.contains(&p)) {
            return None;
        }
        let (mut pointer, size) = (args.first()?, args.get(2)?.as_int()?);
        while let ExprKind::Cast(inner) = &pointer.kind {
            pointer = inner;
        }
        let ty = program.types.pointee(pointer.ty)?;
        let record = program.types.as_record(ty)?;
        let fits = i128::from(program.types.size_of(ty)) == size;
        let watched = seen.members.iter().any(|m| m.record == record);
        (fits && watched).then(|| Place {
            ty,
            base: Base::Deref(Box::new(pointer.clone())),
            path: Vec::new(),
        })
    }
}
