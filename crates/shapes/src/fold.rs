//! Folding: two nodes that are linked, and that nothing else leads to the inside of, become a segment.

use crate::entail::{entails, may_be_node};
use crate::graph::{Cell, End, Graph, Holder, Kind, MOST, ObjId, Object, Ptr, Segment, Val};
use cwolf_numeric::Num;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// How much is forgotten.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Level {
    /// Nothing: every object is one.
    Exact,
    /// Nodes that hold the same numbers, or unknown ones, are folded.
    Alike,
    /// Nodes are folded whatever numbers they hold.
    Coarse,
}

/// An address that leads to an object, and where it lies.
type Incoming = BTreeMap<ObjId, Vec<(Holder, Ptr)>>;

/// The links of runs that were seen, with the sizes of their nodes.
pub(crate) type Templates = BTreeSet<(i64, i64, Option<i64>, i64)>;

/// Folds what can be folded.
pub(crate) fn fold(g: &mut Graph, level: Level, steps: &[i128], templates: &mut Templates) {
    if level == Level::Exact {
        return;
    }
    while let Some(folded) = fold_once(g, level, steps) {
        *g = folded;
    }
    for object in g.objects.values() {
        if let (Some(seg), Some(size)) = (object.seg, object.exact_size()) {
            templates.insert((size, seg.next, seg.prev, seg.head));
        }
    }
    if level == Level::Coarse {
        loosen(g, templates);
    }
}

/// Runs may be empty, and single nodes are runs.
fn loosen(g: &mut Graph, templates: &Templates) {
    let all: Vec<ObjId> = g.allocated().collect();
    for id in all {
        let object = g.object(id);
        if let Some(seg) = object.seg {
            g.object_mut(id).seg = Some(Segment { min: 0, ..seg });
            continue;
        }
        let fits = |t: &&(i64, i64, Option<i64>, i64)| Some(t.0) == object.exact_size();
        for (_, next, prev, head) in templates.iter().filter(fits) {
            let seg = Segment {
                next: *next,
                prev: *prev,
                head: *head,
                min: 0,
            };
            if let Some(run) = lone(g, id, seg)
                && entails(g, &run)
            {
                *g = run;
                break;
            }
        }
    }
}

/// A node as a run of at most one.
fn lone(g: &Graph, id: ObjId, seg: Segment) -> Option<Graph> {
    let object = g.object(id);
    if object.owner.is_some() {
        return None;
    }
    let own = |v: &Val| matches!(v, Val::Ptr(p) if p.obj == id);
    let after = object.get(seg.next, g.word).filter(|v| !own(v))?;
    let before = match seg.prev {
        Some(prev) => Some(object.get(prev, g.word).filter(|v| !own(v))?),
        None => None,
    };
    let link =
        |v: &Val| matches!(v, Val::Ptr(p) if p.exact() == Some(seg.head)) || *v == Val::Const(0);
    if !link(&after) || before.as_ref().is_some_and(|v| !link(v)) {
        return None;
    }
    let mut fits = true;
    let mut lasts: Vec<Holder> = Vec::new();
    g.for_each_value(&mut |holder, val| {
        let Val::Ptr(p) = val else { return };
        if p.obj != id {
            return;
        }
        fits &= p.exact() == Some(seg.head) && !held(g, &holder, Level::Coarse);
        if let (Holder::Object(o, at), Some(prev), Val::Ptr(q)) = (holder, seg.prev, &after) {
            // The node after this one leads back to the end of the run; so does what a circle starts at.
            if q.obj == o && at - prev == (q.at.0 - seg.head) * 8 {
                lasts.push(holder);
            }
        }
    });
    if !fits {
        return None;
    }
    let mut run = g.clone();
    run.object_mut(id).seg = Some(seg);
    run.map_values(&|holder, val| match val {
        Val::Ptr(p) if p.obj == id && lasts.contains(&holder) => Some(Val::Ptr(Ptr {
            end: End::Last,
            ..*p
        })),
        _ => None,
    });
    Some(run)
}

/// Whether a variable leads to a node: then the program is about to do something with it.
fn held(g: &Graph, holder: &Holder, level: Level) -> bool {
    match holder {
        Holder::Register => true,
        Holder::Object(o, _) => {
            let object = g.object(*o);
            let small = object.least_size() * 8 <= i128::from(g.word);
            object.kind != Kind::Heap && (small || level != Level::Coarse)
        }
    }
}

fn fold_once(g: &Graph, level: Level, steps: &[i128]) -> Option<Graph> {
    let mut incoming: Incoming = BTreeMap::new();
    g.for_each_value(&mut |holder, val| {
        if let Val::Ptr(p) = val {
            incoming.entry(p.obj).or_default().push((holder, *p));
        }
    });
    for (a, x) in &g.objects {
        if !may_be_node(x) || x.owner.is_some() {
            continue;
        }
        for (at, cell) in &x.cells {
            let Val::Ptr(p) = &cell.val else { continue };
            let Some(seg) = links(g, *a, *at, p) else {
                continue;
            };
            let pair = Pair {
                g,
                a: *a,
                b: p.obj,
                seg,
            };
            if pair.is_hidden(&incoming, level)
                && let Some(folded) = pair.folded(level, steps)
                && entails(g, &folded)
            {
                return Some(folded);
            }
        }
    }
    None
}

/// The links of a run in which an object comes after another, if there may be one.
fn links(g: &Graph, a: ObjId, at: i64, p: &Ptr) -> Option<Segment> {
    let (x, y) = (g.object(a), g.object(p.obj));
    let head = p.exact()?;
    let linked = p.obj != a && p.end == End::First && y.owner.is_none();
    if !linked || !may_be_node(y) || x.exact_size() != y.exact_size() {
        return None;
    }
    if head < 0 || head >= x.exact_size()? || x.cells[&at].bits != g.word {
        return None;
    }
    let own = x.seg.or(y.seg);
    let fits = |s: Segment| s.next == at && s.head == head;
    if x.seg.is_some_and(|s| !fits(s)) || y.seg.is_some_and(|s| !fits(s)) {
        return None;
    }
    let end = if x.seg.is_some() {
        End::Last
    } else {
        End::First
    };
    let back = Val::Ptr(Ptr {
        end,
        ..Ptr::to(a, head)
    });
    let leads_back = |at: i64| y.get(at, g.word).as_ref() == Some(&back);
    let prev = match own {
        Some(s) => s.prev,
        None => (y.cells.iter())
            .find(|(_, c)| c.bits == g.word && c.val == back)
            .map(|(at, _)| *at),
    };
    let alike = |s: Option<Segment>| s.is_none_or(|s| s.prev == prev);
    if !alike(x.seg) || !alike(y.seg) || prev.is_some_and(|at| !leads_back(at)) {
        return None;
    }
    let least = |o: &Object| o.seg.map_or(1, |s| s.min);
    Some(Segment {
        next: at,
        prev,
        head,
        min: (least(x) + least(y)).min(MOST),
    })
}

/// Two objects that may become one segment.
struct Pair<'g> {
    g: &'g Graph,
    a: ObjId,
    b: ObjId,
    seg: Segment,
}

impl Pair<'_> {
    /// Whether nothing leads to the inside of the run that they are together.
    fn is_hidden(&self, incoming: &Incoming, level: Level) -> bool {
        let none = Vec::new();
        let seg = &self.seg;
        let to_a = incoming.get(&self.a).unwrap_or(&none);
        let to_b = incoming.get(&self.b).unwrap_or(&none);
        let held = |h: &Holder| held(self.g, h, level);
        let (x, y) = (self.g.object(self.a), self.g.object(self.b));
        for (holder, p) in to_a {
            if *holder == Holder::Object(self.b, seg.prev.unwrap_or(-1)) {
                continue;
            }
            match holder {
                Holder::Object(o, at)
                    if *o == self.a && (*at == seg.next || Some(*at) == seg.prev) =>
                {
                    return false;
                }
                Holder::Object(o, _) if *o == self.b => return false,
                _ => {}
            }
            if x.seg.is_none() && held(holder) || p.end == End::Last {
                return false;
            }
        }
        for (holder, p) in to_b {
            if *holder == Holder::Object(self.a, seg.next) {
                continue;
            }
            match holder {
                Holder::Object(o, at) if *o == self.b => {
                    if *at == seg.next || Some(*at) == seg.prev {
                        return false;
                    }
                    continue;
                }
                Holder::Object(o, _) if *o == self.a => return false,
                _ => {}
            }
            let at_end = seg.prev.is_some() && (y.seg.is_none() || p.end == End::Last);
            if !at_end || y.seg.is_none() && held(holder) {
                return false;
            }
        }
        true
    }

    fn folded(&self, level: Level, steps: &[i128]) -> Option<Graph> {
        let (x, y) = (self.g.object(self.a), self.g.object(self.b));
        let seg = self.seg;
        let mut object = x.clone();
        object.seg = Some(seg);
        object.zero = x.zero && y.zero;
        object.cells.clear();
        let mut places: Vec<(i64, i64)> = Vec::new();
        for (at, cell) in x.cells.iter().chain(&y.cells) {
            if !places.iter().any(|p| p.0 == *at) {
                places.push((*at, cell.bits));
            }
        }
        places.sort_unstable();
        let word = self.g.word;
        let link = |at: i64| at == seg.next || Some(at) == seg.prev;
        let mut free = 0;
        for (at, bits) in places {
            if at < free {
                return None;
            }
            free = at + bits;
            if link(at) {
                continue;
            }
            let val = match (x.get(at, bits), y.get(at, bits)) {
                (Some(v), Some(w)) => self.joined(&v, &w, bits, level, steps)?,
                (v, w) => {
                    let heap = |v: Option<Val>| matches!(v, Some(Val::Ptr(_)));
                    if heap(v) || heap(w) {
                        return None;
                    }
                    Val::Any
                }
            };
            if val != Val::Any || object.zero {
                object.cells.insert(at, Cell { bits, val });
            }
        }
        let next = y.get(seg.next, word)?;
        object.set(seg.next, word, next);
        if let Some(prev) = seg.prev {
            let before = x.get(prev, word).unwrap_or(Val::Any);
            object.set(prev, word, before);
        }
        let mut g = self.g.clone();
        g.objects.remove(&self.b);
        g.objects.insert(self.a, Rc::new(object));
        g.map_values(&|_, val| match val {
            Val::Ptr(p) if p.obj == self.b => Some(Val::Ptr(Ptr {
                obj: self.a,
                end: End::Last,
                ..*p
            })),
            _ => None,
        });
        Some(g)
    }

    /// A value that stands for one of each of two nodes.
    fn joined(&self, v: &Val, w: &Val, bits: i64, level: Level, steps: &[i128]) -> Option<Val> {
        if v == w {
            return Some(v.clone());
        }
        match (v, w) {
            (Val::Ptr(p), Val::Ptr(q)) => {
                let own = p.obj == self.a && q.obj == self.b && p.at == q.at;
                let first = p.end == End::First && q.end == End::First;
                (own && first).then(|| v.clone())
            }
            (Val::Any, other) | (other, Val::Any) => {
                (!matches!(other, Val::Ptr(_))).then_some(Val::Any)
            }
            _ => {
                let (x, y) = (self.g.num(v)?, self.g.num(w)?);
                let exact = |v: &Val| matches!(v, Val::Const(_));
                let num = match () {
                    () if y.is_in(&x) && !exact(v) => x,
                    () if x.is_in(&y) && !exact(w) => y,
                    () if level == Level::Coarse => x.widen(&y, steps, room(bits)),
                    () if !exact(v) && !exact(w) => x.widen(&y, steps, room(bits)),
                    () => return None,
                };
                Some(Val::In(Rc::new(num)))
            }
        }
    }
}

/// The numbers that so many bits may be, signed or not.
pub(crate) fn room(bits: i64) -> (i128, i128) {
    let bits = bits.clamp(1, 64);
    (-(1 << (bits - 1)), (1 << bits) - 1)
}

/// A number that stands for both; only to widen is it made larger.
pub(crate) fn union(old: &Num, new: &Num, widen: bool, bits: i64, steps: &[i128]) -> Num {
    match widen {
        true => old.widen(new, steps, room(bits)),
        false => old.join(new),
    }
}
