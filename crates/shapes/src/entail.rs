//! Whether one graph stands for every memory that another one stands for. Everything that makes states fewer
//! (folding, joining, leaving out) rests on this question alone: its results are held against it.
//!
//! Both graphs are walked from the variables on, side by side. An object of the general graph is one of the
//! special graph; a segment of it is a run of any length there.

use crate::graph::{End, Graph, Kind, ObjId, Object, Ptr, Segment, SymId, Val};
use crate::segment::shifted;
use cwolf_numeric::{Num, arith};
use std::collections::{BTreeMap, BTreeSet};

/// So many ways to cut chains into runs are tried.
const WAYS: u32 = 300;

/// So many lengths of one run are tried.
const LENGTHS: usize = 6;

/// How a segment of the general graph is found in the special one.
#[derive(Clone)]
struct Run {
    /// What leads to its last node; if it has none, what comes before it.
    last: Option<Val>,
    empty: bool,
}

#[derive(Clone)]
struct Walk<'g> {
    special: &'g Graph,
    general: &'g Graph,
    /// Objects of the general graph, and which they are in the special one.
    objects: BTreeMap<ObjId, ObjId>,
    /// Objects of the special graph that were found.
    found: BTreeSet<ObjId>,
    runs: BTreeMap<ObjId, Run>,
    syms: BTreeMap<SymId, Val>,
    /// Pairs to look at: first addresses of objects, later those of segments, last their other ends.
    work: Vec<(Val, Val)>,
    firsts: Vec<(Val, Ptr)>,
    lasts: Vec<(Val, Ptr)>,
}

/// Whether every memory of `special` is one of `general`. Both are at the same point of the program.
pub(crate) fn entails(special: &Graph, general: &Graph) -> bool {
    if special.lost && !general.lost {
        return false;
    }
    let walk = Walk {
        special,
        general,
        objects: BTreeMap::new(),
        found: BTreeSet::new(),
        runs: BTreeMap::new(),
        syms: BTreeMap::new(),
        work: Vec::new(),
        firsts: Vec::new(),
        lasts: Vec::new(),
    };
    walk.start()
        .is_some_and(|walk| walk.finish(&mut WAYS.clone()))
}

impl Walk<'_> {
    fn start(mut self) -> Option<Self> {
        self.roots()?;
        Some(self)
    }

    /// Looks at what is left. Where a chain may be cut into runs in several ways, each is tried.
    fn finish(mut self, ways: &mut u32) -> bool {
        loop {
            if let Some((a, b)) = self.work.pop() {
                if self.values(&a, &b).is_none() {
                    return false;
                }
            } else if let Some((a, q)) = self.firsts.pop() {
                let Some(mut all) = self.run(&a, q) else {
                    return false;
                };
                let Some(last) = all.pop() else {
                    return false;
                };
                for way in all.into_iter().rev() {
                    *ways = ways.saturating_sub(1);
                    if *ways == 0 {
                        return false;
                    }
                    if way.finish(ways) {
                        return true;
                    }
                }
                self = last;
            } else if let Some((a, b)) = self.lasts.pop() {
                if self.last(a, b).is_none() {
                    return false;
                }
            } else {
                return self.describes_all();
            }
        }
    }

    /// Whether each graph has exactly the memory of the other.
    fn describes_all(&self) -> bool {
        let lost = self.general.lost;
        let described = |id: ObjId| lost || self.found.contains(&id);
        let owned = |id: ObjId| self.special.object(id).owner.is_some();
        if !self
            .special
            .allocated()
            .all(|id| described(id) || owned(id))
        {
            return false;
        }
        // What is known of addresses of objects that are gone.
        for (b, a) in &self.objects {
            if self.general.object(*b).valid {
                continue;
            }
            for (d, c) in &self.objects {
                if self.general.met(*b, *d) && !self.special.met(*a, *c) {
                    return false;
                }
            }
        }
        self.general.allocated().all(|id| {
            let there = self.objects.contains_key(&id) || self.runs.contains_key(&id);
            there || self.general.object(id).owner.is_some()
        })
    }

    fn roots(&mut self) -> Option<()> {
        let (special, general) = (self.special, self.general);
        if special.frames.len() != general.frames.len() {
            return None;
        }
        for (var, b) in &general.globals {
            let a = special.globals.get(var)?;
            self.pair(*a, *b)?;
        }
        if special.globals.len() != general.globals.len() {
            return None;
        }
        for (f, h) in special.frames.iter().zip(&general.frames) {
            if f.func != h.func || f.block != h.block || f.stack.len() != h.stack.len() {
                return None;
            }
            for (var, b) in &h.vars {
                match f.vars.get(var) {
                    Some(a) => self.pair(*a, *b)?,
                    None if general.object(*b).cells.is_empty() => {}
                    None => return None,
                }
            }
            for (a, b) in f.stack.iter().zip(&h.stack) {
                self.pair(*a, *b)?;
            }
            for (reg, b) in &h.regs {
                self.work.push((f.regs.get(reg)?.clone(), b.clone()));
            }
        }
        Some(())
    }

    /// A value of the special graph is one that the value of the general graph stands for.
    fn values(&mut self, a: &Val, b: &Val) -> Option<()> {
        match (a, b) {
            (_, Val::Any) => Some(()),
            (Val::Const(x), Val::Const(y)) => (x == y).then_some(()),
            (_, Val::Const(_)) => None,
            (Val::Func(f), Val::Func(h)) => (f == h).then_some(()),
            // Each node of a run has its own such number.
            (Val::In(_), Val::Sym(_)) => None,
            (_, Val::Sym(s)) => {
                let most = self.general.syms[s].clone();
                self.is_one_of(a, &most)?;
                // One name stands for one number.
                match (self.syms.get(s), a) {
                    (None, _) => {
                        self.syms.insert(*s, a.clone());
                        Some(())
                    }
                    (Some(known), _) => (known == a).then_some(()),
                }
            }
            (_, Val::In(most)) => self.is_one_of(a, most),
            (_, Val::Ptr(q)) => self.address(a, *q),
            _ => None,
        }
    }

    fn is_one_of(&self, a: &Val, most: &Num) -> Option<()> {
        match self.special.num(a) {
            Some(num) => num.is_in(most).then_some(()),
            // An address is any number.
            None => {
                let bits = self.general.word as u16;
                let word = cwolf_cwi::IntTy::new(bits, false);
                (matches!(a, Val::Ptr(_)) && arith::whole(word).is_in(most)).then_some(())
            }
        }
    }

    fn address(&mut self, a: &Val, q: Ptr) -> Option<()> {
        let object = self.general.object(q.obj);
        if object.seg.is_some() {
            match q.end {
                End::First => self.firsts.push((a.clone(), q)),
                End::Last => self.lasts.push((a.clone(), q)),
            }
            return Some(());
        }
        let Val::Ptr(p) = a else {
            return None;
        };
        if p.at.0 < q.at.0 || q.at.1 < p.at.1 {
            return None;
        }
        if self.special.object(p.obj).seg.is_some() {
            return None;
        }
        self.pair(p.obj, q.obj)
    }

    /// Two objects that are no segments are the same one.
    fn pair(&mut self, a: ObjId, b: ObjId) -> Option<()> {
        if let Some(known) = self.objects.get(&b) {
            return (*known == a).then_some(());
        }
        let (x, y) = (self.special.object(a), self.general.object(b));
        // What each node of a segment has for itself is compared with its node only.
        if x.seg.is_some() || y.seg.is_some() || x.owner.is_some() || y.owner.is_some() {
            return None;
        }
        self.alike(x, y)?;
        if !self.found.insert(a) {
            return None;
        }
        self.objects.insert(b, a);
        self.contents(x, y, &|_| false)
    }

    /// Whether an object may be another, but for its contents.
    fn alike(&self, x: &Object, y: &Object) -> Option<()> {
        let fine = x.kind == y.kind && x.valid == y.valid && x.size.is_in(&y.size);
        fine.then_some(())
    }

    /// What an object holds is what the other one says, except for links.
    fn contents(&mut self, x: &Object, y: &Object, is_link: &dyn Fn(i64) -> bool) -> Option<()> {
        if !y.valid {
            return Some(());
        }
        for (at, cell) in &y.cells {
            if is_link(*at) || cell.val == Val::Any {
                continue;
            }
            let val = x.get(*at, cell.bits)?;
            self.work.push((val, cell.val.clone()));
        }
        if !y.zero {
            return Some(());
        }
        // What the general graph does not mention is zero.
        if !x.zero {
            return None;
        }
        for (at, cell) in &x.cells {
            let mut open = *at;
            let end = at + cell.bits;
            for n in y.overlapping(*at, end).into_iter().rev() {
                let other = &y.cells[&n];
                if n > open && cell.val != Val::Const(0) {
                    return None;
                }
                open = n + other.bits;
            }
            if open < end && cell.val != Val::Const(0) {
                return None;
            }
        }
        Some(())
    }

    /// The nodes of a segment from a value on: all ways, those with the fewest nodes last. None if there is no way.
    fn run(&self, a: &Val, q: Ptr) -> Option<Vec<Self>> {
        let y = self.general.object(q.obj);
        let seg = y.seg.expect("an address of a segment");
        let at = q.exact()?;
        let word = self.general.word;
        let start = shifted(a, (seg.head - at, seg.head - at), word);
        if let Some(run) = self.runs.get(&q.obj) {
            let mut same = self.clone();
            match run.empty {
                true => same.work.push((start, self.general_link(y, seg.next))),
                false => {
                    let first = self.objects.get(&q.obj)?;
                    let fits = matches!(start, Val::Ptr(p) if p.obj == *first
                        && p.end == End::First && p.exact() == Some(seg.head));
                    if !fits {
                        return None;
                    }
                }
            }
            return Some(vec![same]);
        }
        let mut ways = Vec::new();
        let mut walk = self.clone();
        let mut now = start;
        let mut count = 0u8;
        let mut before: Option<Ptr> = None;
        loop {
            if count >= seg.min {
                let mut way = walk.clone();
                way.work.push((now.clone(), self.general_link(y, seg.next)));
                let run = Run {
                    last: before.map(Val::Ptr),
                    empty: before.is_none(),
                };
                way.runs.insert(q.obj, run);
                ways.push(way);
                // Of a long chain, only the shortest and the longest runs are tried.
                if ways.len() > LENGTHS {
                    ways.remove(LENGTHS / 2);
                }
            }
            let Val::Ptr(p) = &now else { break };
            let fits = p.end == End::First && p.exact() == Some(seg.head);
            if !fits || walk.found.contains(&p.obj) || walk.ends_before(&now, y, seg) {
                break;
            }
            let id = p.obj;
            let x = self.special.object(id);
            if !walk.is_node(x, y, seg, before.as_ref()) {
                break;
            }
            let Some(next) = walk.take_node(id, q.obj, seg, before.is_none()) else {
                break;
            };
            let own = x.seg.map_or(1, |s| s.min);
            count = count.saturating_add(own);
            let end = if x.seg.is_some() {
                End::Last
            } else {
                End::First
            };
            before = Some(Ptr {
                end,
                ..Ptr::to(id, seg.head)
            });
            now = next;
        }
        ways.reverse();
        (!ways.is_empty()).then_some(ways)
    }

    /// The next node of a run is this object; gives what comes after it.
    fn take_node(&mut self, id: ObjId, general: ObjId, seg: Segment, first: bool) -> Option<Val> {
        let (x, y) = (self.special.object(id), self.general.object(general));
        let word = self.general.word;
        let owned = self.owned(id, general)?;
        let next = x.get(seg.next, word)?;
        self.found.insert(id);
        self.found.extend(owned);
        if first {
            self.objects.insert(general, id);
            if let Some(prev) = seg.prev {
                let val = x.get(prev, word)?;
                self.work.push((val, self.general_link(y, prev)));
            }
        }
        self.node_contents(id, x, general, y, seg)?;
        Some(next)
    }

    fn general_link(&self, y: &Object, at: i64) -> Val {
        y.cells.get(&at).map_or(Val::Any, |c| c.val.clone())
    }

    /// Whether what comes next surely is what comes after the segment.
    fn ends_before(&self, now: &Val, y: &Object, seg: Segment) -> bool {
        match (now, self.general_link(y, seg.next)) {
            (Val::Ptr(p), Val::Ptr(q)) => self.objects.get(&q.obj) == Some(&p.obj),
            _ => false,
        }
    }

    /// Whether an object may be the next node, or the next nodes, of a segment.
    fn is_node(&self, x: &Object, y: &Object, seg: Segment, before: Option<&Ptr>) -> bool {
        let links = |s: Segment| (s.next, s.prev, s.head);
        let same = x.seg.is_none_or(|s| links(s) == links(seg));
        if !same || x.owner != y.owner || self.alike(x, y).is_none() {
            return false;
        }
        if let (Some(prev), Some(before)) = (seg.prev, before) {
            let val = x.get(prev, self.general.word);
            if val != Some(Val::Ptr(*before)) {
                return false;
            }
        }
        if y.zero && !x.zero {
            return false;
        }
        // Numbers decide where one run ends and the next begins.
        for (at, cell) in &y.cells {
            if *at == seg.next || Some(*at) == seg.prev {
                continue;
            }
            let Some(val) = x.get(*at, cell.bits) else {
                if cell.val == Val::Any {
                    continue;
                }
                return false;
            };
            let fits = match &cell.val {
                Val::Const(_) | Val::Func(_) => val == cell.val,
                Val::In(most) => self.is_one_of(&val, most).is_some(),
                _ => true,
            };
            if !fits {
                return false;
            }
        }
        true
    }

    fn node_contents(
        &mut self,
        id: ObjId,
        x: &Object,
        general: ObjId,
        y: &Object,
        seg: Segment,
    ) -> Option<()> {
        let is_link = |at: i64| at == seg.next || Some(at) == seg.prev;
        let before = self.work.len();
        self.contents(x, y, &is_link)?;
        // Addresses of the node itself, and of what it has for itself.
        let pairs = self.work.split_off(before);
        for (a, b) in pairs {
            if let Val::Ptr(q) = &b {
                let own = self.general.object(q.obj).owner == Some(general);
                if q.obj == general {
                    let fits = matches!(&a, Val::Ptr(p) if p.obj == id && p.at == q.at);
                    if !fits {
                        return None;
                    }
                    continue;
                }
                if own {
                    // Looked at with the node.
                    continue;
                }
            }
            self.work.push((a, b));
        }
        Some(())
    }

    /// What a node has for itself is what the nodes of the segment have; those objects, if so.
    fn owned(&self, id: ObjId, general: ObjId) -> Option<Vec<ObjId>> {
        let subs = self.general.owned_by(general);
        if subs.is_empty() && self.special.owned_by(id).is_empty() {
            return Some(Vec::new());
        }
        None
    }

    /// What leads to the last node.
    fn last(&mut self, a: Val, q: Ptr) -> Option<()> {
        let y = self.general.object(q.obj);
        let seg = y.seg.expect("an address of a segment");
        let at = q.exact()?;
        let val = shifted(&a, (seg.head - at, seg.head - at), self.general.word);
        // Runs are only followed from their first nodes on.
        let run = self.runs.get(&q.obj)?;
        match &run.last {
            Some(last) => (val == *last).then_some(()),
            None => {
                let before = self.general_link(y, seg.prev?);
                self.work.push((val, before));
                Some(())
            }
        }
    }
}

/// Whether an object is allocated and may be a node.
pub(crate) fn may_be_node(object: &Object) -> bool {
    object.kind == Kind::Heap && object.valid && object.exact_size().is_some_and(|s| s > 0)
}
