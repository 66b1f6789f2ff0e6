//! The objects that those of the points-to analysis stand for.

use crate::objects::{ObjId, ObjectKind, Objects};
use cwolf_base::Idx;
use cwolf_cwi::graph::Object;

impl Objects<'_> {
    /// All objects that those of the points-to analysis stand for.
    pub(crate) fn instances(&mut self, objects: &[Object]) -> Vec<ObjId> {
        let mut found = Vec::new();
        for object in objects {
            match *object {
                Object::Func(f) => {
                    let id = self.object(ObjectKind::Func(f));
                    found.push(id);
                }
                Object::Outside => found.push(ObjId::OUTSIDE),
                Object::Var(v) if !self.program.vars[v].kind.is_automatic() => {
                    let id = self.object(ObjectKind::Global(v));
                    found.push(id);
                }
                Object::Var(v) => {
                    if let Some(list) = self.locals_of.get(&v) {
                        found.extend(list.iter().copied());
                    }
                }
                Object::VarArgs(f) => {
                    if let Some(list) = self.var_args_of.get(&f) {
                        found.extend(list.iter().copied());
                    }
                }
                Object::Heap(f, b) => {
                    if let Some(list) = self.heap_of.get(&(f, b)) {
                        found.extend(list.iter().copied());
                    }
                }
            }
        }
        self.add_dangling(&mut found);
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The same, with all that code outside the program may know: the analysis does not list it
    /// beside *outside* itself.
    pub(crate) fn all_instances(&mut self, objects: &[Object]) -> Vec<ObjId> {
        let mut found = self.instances(objects);
        if objects.contains(&Object::Outside) {
            let escaped = self.points_to().escaped();
            found.extend(self.instances(&escaped));
            found.sort_unstable();
            found.dedup();
        }
        found
    }

    /// Pointers that may lead to an object that began another life may be dangling, or lead to an older one.
    pub(crate) fn add_dangling(&self, domain: &mut Vec<ObjId>) {
        for n in 0..domain.len() {
            if !self.redirected.contains(&domain[n]) {
                continue;
            }
            for to in [Some(ObjId::DANGLING), self.older.get(&domain[n]).copied()] {
                domain.extend(to.filter(|to| !domain.contains(to)));
            }
        }
    }

    /// What the pointers in an object may point to, as the points-to analysis names it.
    pub(crate) fn held_by(&mut self, object: ObjId) -> Vec<Object> {
        use cwolf_cwi::graph::Object as To;
        let points_to = self.points_to();
        match self.objects[object.index()].kind {
            ObjectKind::Global(v) | ObjectKind::Local(_, v) => points_to.var(v),
            ObjectKind::Heap(context, block, _) => {
                points_to.contents(To::Heap(self.contexts[context.index()].func, block))
            }
            ObjectKind::VarArgs(context) => {
                points_to.contents(To::VarArgs(self.contexts[context.index()].func))
            }
            _ => vec![To::Outside],
        }
    }
}
