//! Segments taken apart: a run of nodes is empty, or has a first node and a last one.

use crate::graph::{End, Graph, Holder, ObjId, Ptr, Segment, Val};
use std::collections::BTreeMap;
use std::rc::Rc;

impl Graph {
    /// The cases that a segment stands for, so that its node at one end is an object of its own, or the
    /// segment is known not to be empty.
    pub(crate) fn split(self, id: ObjId, end: End) -> Vec<Graph> {
        let seg = self.object(id).seg.expect("only segments are split");
        if seg.min > 0 {
            return vec![self.with_node(id, end)];
        }
        let mut more = self.clone();
        more.object_mut(id).seg = Some(Segment { min: 1, ..seg });
        let none = self.without(id);
        none.into_iter().chain([more]).collect()
    }

    /// The case that the segment has no nodes: who leads to its first node leads to what comes after it, and
    /// who leads to the last one to what comes before. None if that is not possible.
    fn without(mut self, id: ObjId) -> Option<Graph> {
        let object = self.objects.remove(&id)?;
        let seg = object.seg?;
        let link = |at: i64| {
            let cell = object.cells.get(&at);
            cell.map_or(Val::Any, |c| c.val.clone())
        };
        let after = link(seg.next);
        let before = seg.prev.map_or(Val::Any, link);
        // A run without nodes that leads to itself is no run.
        let own = |v: &Val| matches!(v, Val::Ptr(p) if p.obj == id);
        if own(&after) || own(&before) {
            return None;
        }
        let word = self.word;
        self.map_values(&|_, val| match val {
            Val::Ptr(p) if p.obj == id => {
                let by = (p.at.0 - seg.head, p.at.1 - seg.head);
                let target = match p.end {
                    End::First => &after,
                    End::Last => &before,
                };
                Some(shifted(target, by, word))
            }
            _ => None,
        });
        let owned: Vec<ObjId> = self.owned_by(id);
        for sub in owned {
            self.objects.remove(&sub);
        }
        Some(self)
    }

    /// All objects that each node of a segment has for itself.
    pub(crate) fn owned_by(&self, id: ObjId) -> Vec<ObjId> {
        let mut all = Vec::new();
        let mut work = vec![id];
        while let Some(owner) = work.pop() {
            for (sub, object) in &self.objects {
                if object.owner == Some(owner) {
                    all.push(*sub);
                    work.push(*sub);
                }
            }
        }
        all
    }

    /// Takes the node at one end of a segment that is not empty out of it.
    fn with_node(mut self, id: ObjId, end: End) -> Graph {
        let seg = self.object(id).seg.expect("only segments are split");
        let mut copies: BTreeMap<ObjId, ObjId> = BTreeMap::new();
        let mut node = self.object(id).clone();
        node.seg = None;
        let new = self.add(node);
        copies.insert(id, new);
        for sub in self.owned_by(id) {
            let object = self.object(sub).clone();
            let copy = self.add(object);
            copies.insert(sub, copy);
        }
        let outer = self.object(id).owner;
        // The copies lead to each other where the originals did.
        let links = |at: i64| at == seg.next || Some(at) == seg.prev;
        for (from, to) in &copies {
            let is_node = *from == id;
            let mut object = self.object(*to).clone();
            object.owner = match object.owner {
                _ if is_node => outer,
                Some(owner) if owner == id => outer,
                owner => owner.map(|o| copies.get(&o).copied().unwrap_or(o)),
            };
            for (at, cell) in &mut object.cells {
                if let Val::Ptr(p) = &mut cell.val
                    && !(is_node && links(*at))
                    && let Some(copy) = copies.get(&p.obj)
                {
                    p.obj = *copy;
                    if *copy == new {
                        p.end = End::First;
                    }
                }
            }
            self.objects.insert(*to, Rc::new(object));
        }
        // Who led to this end from outside leads to the node.
        let inside: Vec<ObjId> = self.owned_by(id);
        self.map_values(&|holder, val| match val {
            Val::Ptr(p) if p.obj == id && p.end == end => {
                let own = matches!(holder, Holder::Object(o, _) if o == id || inside.contains(&o));
                (!own).then_some(Val::Ptr(Ptr {
                    obj: new,
                    end: End::First,
                    ..*p
                }))
            }
            _ => None,
        });
        let word = self.word;
        let to_node = Val::Ptr(Ptr::to(new, seg.head));
        let to_rest = Val::Ptr(Ptr {
            end,
            ..Ptr::to(id, seg.head)
        });
        let rest = self.object_mut(id);
        rest.seg = Some(Segment {
            min: seg.min - 1,
            ..seg
        });
        match end {
            End::First => {
                if let Some(prev) = seg.prev {
                    rest.set(prev, word, to_node);
                }
                self.object_mut(new).set(seg.next, word, to_rest);
            }
            End::Last => {
                rest.set(seg.next, word, to_node);
                let prev = seg
                    .prev
                    .expect("only runs with both links have a last node");
                self.object_mut(new).set(prev, word, to_rest);
            }
        }
        self
    }
}

/// A value as an address so many bytes further on.
pub(crate) fn shifted(val: &Val, by: (i64, i64), word: i64) -> Val {
    match val {
        _ if by == (0, 0) => val.clone(),
        Val::Ptr(p) => {
            let at = (p.at.0.saturating_add(by.0), p.at.1.saturating_add(by.1));
            let near = |v: i64| v.unsigned_abs() < 1 << 40;
            match near(at.0) && near(at.1) {
                true => Val::Ptr(Ptr { at, ..*p }),
                false => Val::Any,
            }
        }
        Val::Const(v) if by.0 == by.1 => {
            let mask = (1i128 << word) - 1;
            Val::Const((v + i128::from(by.0)) & mask)
        }
        _ => Val::Any,
    }
}
