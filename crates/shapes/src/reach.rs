//! What leads to what: objects that are lost, and what no longer matters.

use crate::graph::{End, Graph, Kind, ObjId, Ptr, Val};
use crate::memory::At;
use crate::world::{Res, Stop, World};
use cwolf_cwi::{BlockId, MemoryTest, VarId};
use std::collections::BTreeSet;

impl At<'_, '_> {
    /// The answer to a question about all allocated objects; no if it may be no.
    pub(crate) fn census(&self, test: MemoryTest) -> Res<bool> {
        if self.g.lost {
            return Ok(false);
        }
        let reached = match test {
            MemoryTest::Cleaned => BTreeSet::new(),
            MemoryTest::Kept => self.g.surely_reached(false),
            _ => self.g.surely_reached(true),
        };
        for id in self.g.allocated() {
            if reached.contains(&id) {
                continue;
            }
            match self.g.object(id).seg {
                Some(seg) if seg.min == 0 && self.g.object(id).owner.is_none() => {
                    return Err(Stop::Split(id, End::First));
                }
                _ => return Ok(false),
            }
        }
        Ok(true)
    }
}

impl Graph {
    fn roots(&self, frames: bool) -> Vec<ObjId> {
        let frames = self.frames.iter().filter(|_| frames);
        let locals = frames.flat_map(|f| f.vars.values().chain(&f.stack));
        self.globals.values().chain(locals).copied().collect()
    }

    /// The objects that can be reached from variables in every memory that the graph stands for.
    fn surely_reached(&self, frames: bool) -> BTreeSet<ObjId> {
        let mut reached: BTreeSet<ObjId> = BTreeSet::new();
        let mut work: Vec<Ptr> = Vec::new();
        for root in self.roots(frames) {
            reached.insert(root);
            let object = self.object(root);
            let values = object.cells.values().filter(|_| object.valid);
            work.extend(values.filter_map(|c| pointer(&c.val)));
        }
        // A run that may be empty is entered at each end by itself.
        let mut entered: BTreeSet<(ObjId, End)> = BTreeSet::new();
        while let Some(p) = work.pop() {
            let object = self.object(p.obj);
            let inside = p.at.0 >= 0 && i128::from(p.at.1) < object.least_size();
            if !inside || !object.valid || !entered.insert((p.obj, p.end)) {
                continue;
            }
            let all: Vec<Ptr> = match object.seg {
                Some(seg) if seg.min == 0 => {
                    reached.insert(p.obj);
                    reached.extend(self.owned_by(p.obj));
                    if p.exact() != Some(seg.head) {
                        continue;
                    }
                    let link = match p.end {
                        End::First => Some(seg.next),
                        End::Last => seg.prev,
                    };
                    let cell = link.and_then(|at| object.cells.get(&at));
                    cell.and_then(|c| pointer(&c.val)).into_iter().collect()
                }
                _ => {
                    reached.insert(p.obj);
                    object
                        .cells
                        .values()
                        .filter_map(|c| pointer(&c.val))
                        .collect()
                }
            };
            work.extend(all);
        }
        reached
    }

    /// The objects that something in the graph leads to.
    fn mentioned(&self) -> BTreeSet<ObjId> {
        let mut seen: BTreeSet<ObjId> = self.roots(true).into_iter().collect();
        let mut work: Vec<ObjId> = seen.iter().copied().collect();
        for frame in &self.frames {
            for p in frame.regs.values().filter_map(pointer) {
                if seen.insert(p.obj) {
                    work.push(p.obj);
                }
            }
        }
        while let Some(id) = work.pop() {
            for p in self
                .object(id)
                .cells
                .values()
                .filter_map(|c| pointer(&c.val))
            {
                if seen.insert(p.obj) {
                    work.push(p.obj);
                }
            }
        }
        seen
    }

    /// Takes away what nothing leads to.
    pub(crate) fn collect(&mut self) {
        let seen = self.mentioned();
        let gone: Vec<ObjId> = self.objects.keys().copied().collect();
        let gone = gone.into_iter().filter(|id| !seen.contains(id));
        let mut any = false;
        for id in gone {
            let object = self.objects.remove(&id).expect("just seen");
            self.lost |= object.kind == Kind::Heap && object.valid;
            any = true;
        }
        if any {
            let objects = &self.objects;
            let stays = |v: &Val| pointer(v).is_none_or(|p| objects.contains_key(&p.obj));
            self.results.retain(|(o, _)| o.args.iter().all(stays));
        }
    }

    /// Takes away numbers that nothing holds.
    pub(crate) fn forget_numbers(&mut self) {
        let mut used = BTreeSet::new();
        self.for_each_value(&mut |_, val| {
            if let Val::Sym(s) = val {
                used.insert(*s);
            }
        });
        self.syms.retain(|s, _| used.contains(s));
    }

    /// Takes away what does not matter from a point on: at the start of a block of the newest call.
    pub(crate) fn prune(&mut self, world: &World<'_>) {
        self.results.clear();
        let depth = self.frames.len();
        for n in 0..depth {
            let (func, block) = (self.frames[n].func, self.frames[n].block);
            let code = world.code(func);
            let body = world.program.funcs[func].body.as_ref();
            let body = body.expect("only functions with code are followed");
            let live = match n + 1 == depth {
                true => code.registers.before(body, block, 0),
                false => code.registers.during_call(body, block),
            };
            self.frames[n].regs.retain(|r, _| live.contains(r));
            let dead = |v: VarId, block: BlockId| match n + 1 == depth {
                true => code.vars.is_dead(v, block),
                false => code.vars.is_dead_during(v, block),
            };
            let vars: Vec<VarId> = self.frames[n].vars.keys().copied().collect();
            for var in vars.into_iter().filter(|v| dead(*v, block)) {
                self.drop_variable(n, var, world);
            }
        }
        self.collect();
        self.name_numbers();
        self.forget_numbers();
    }

    /// Every number of an object that is one gets a name.
    fn name_numbers(&mut self) {
        let mut unnamed = Vec::new();
        for (id, object) in &self.objects {
            if object.seg.is_none() && object.owner.is_none() {
                for (at, cell) in &object.cells {
                    if let Val::In(num) = &cell.val {
                        unnamed.push((*id, *at, (**num).clone()));
                    }
                }
            }
        }
        for (id, at, num) in unnamed {
            let val = self.name(num);
            let cell = self.object_mut(id).cells.get_mut(&at);
            cell.expect("just seen").val = val;
        }
    }

    /// Forgets what a variable holds that is not read any more, unless it alone keeps an object from being lost.
    fn drop_variable(&mut self, n: usize, var: VarId, world: &World<'_>) {
        let Some(id) = self.frames[n].vars.remove(&var) else {
            return;
        };
        let holds = self.object(id).cells.values();
        let holds = holds.filter_map(|c| pointer(&c.val)).next().is_some();
        if world.census && holds {
            let seen = self.surely_reached(true);
            if self.allocated().any(|o| !seen.contains(&o)) {
                self.frames[n].vars.insert(var, id);
            }
        }
    }
}

pub(crate) fn pointer(val: &Val) -> Option<Ptr> {
    match val {
        Val::Ptr(p) => Some(*p),
        _ => None,
    }
}
