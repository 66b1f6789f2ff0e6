//! How a value is used, and so which domain fits it. Values that are copied or compared to each
//! other are of one kind: what one is compared with matters for all of them.

use super::{Leaf, LeafId, Slice, constant};
use crate::map::Choice;
use cwolf_cwi::graph::Analysed;
use cwolf_cwi::{
    BinOp, BlockId, Branch, Expr, ExprKind, FuncId, InitValue, Place, Step, StmtKind, Type, TypeId,
    UnOp, VarId, VarKind, value,
};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// Values in a row that a partition keeps apart.
const ROW: i128 = 64;
/// Each element of an array with at most so many is told apart by its index.
const FEW_ELEMENTS: u64 = 16;
/// A partition with more break points than this is no help to anyone.
const MOST_POINTS: usize = 128;

/// What is known of a kind of values.
#[derive(Clone, Debug, Default)]
struct Use {
    /// Break points of what they are compared with.
    points: BTreeSet<i128>,
    /// Constants that are stored.
    stored: BTreeSet<i128>,
    /// Bounds that come from elsewhere: array lengths, divisors.
    bounds: BTreeSet<i128>,
    /// Constants are added to them.
    counts: bool,
    /// Bits are set, cleared or tested.
    bits: bool,
    /// Other arithmetic.
    computed: bool,
    /// Some come from outside.
    open: bool,
    /// Whether they are zero is asked.
    truth: bool,
    /// They are compared with each other.
    related: bool,
    /// They choose an element of a small array.
    selects: bool,
    /// Some are the low bits of other values: any of `stored`.
    masked: bool,
}

/// The uses of everything in a slice.
pub(crate) struct Uses<'p> {
    program: &'p Analysed,
    pub(crate) slice: Slice<'p>,
    parent: Vec<LeafId>,
    of: FxHashMap<LeafId, Use>,
    /// What is computed from what.
    from: Vec<(LeafId, LeafId)>,
}

/// A value with a constant added to it.
struct Shifted {
    leaves: Vec<LeafId>,
    by: i128,
    mask: Option<i128>,
}

impl<'p> Uses<'p> {
    pub fn new(program: &'p Analysed, slice: Slice<'p>) -> Uses<'p> {
        let mut uses = Uses {
            program,
            slice,
            parent: Vec::new(),
            of: FxHashMap::default(),
            from: Vec::new(),
        };
        uses.collect();
        uses.spread();
        uses
    }
    fn find(&mut self, leaf: LeafId) -> LeafId {
        while self.parent.len() <= leaf as usize {
            self.parent.push(self.parent.len() as LeafId);
        }
        let mut at = leaf;
        while self.parent[at as usize] != at {
            let up = self.parent[self.parent[at as usize] as usize];
            self.parent[at as usize] = up;
            at = up;
        }
        at
    }
    /// Whether two leaves hold values of one kind.
    pub fn are_alike(&mut self, a: LeafId, b: LeafId) -> bool {
        self.find(a) == self.find(b)
    }
    fn at(&mut self, leaf: LeafId) -> &mut Use {
        let root = self.find(leaf);
        self.of.entry(root).or_default()
    }
    fn same(&mut self, a: LeafId, b: LeafId) {
        let (a, b) = (self.find(a), self.find(b));
        if a == b {
            return;
        }
        self.parent[b as usize] = a;
        if let Some(other) = self.of.remove(&b) {
            let own = self.of.entry(a).or_default();
            own.points.extend(other.points);
            own.stored.extend(other.stored);
            own.bounds.extend(other.bounds);
            own.counts |= other.counts;
            own.bits |= other.bits;
            own.computed |= other.computed;
            own.open |= other.open;
            own.truth |= other.truth;
            own.related |= other.related;
            own.selects |= other.selects;
            own.masked |= other.masked;
        }
    }
    /// What is computed from open values is open.
    fn spread(&mut self) {
        loop {
            let mut changed = false;
            for (to, from) in self.from.clone() {
                let open = self.at(from).open;
                let target = self.at(to);
                if open && !target.open {
                    target.open = true;
                    changed = true;
                }
            }
            if !changed {
                return;
            }
        }
    }
    fn collect(&mut self) {
        for site in self.slice.sites.clone() {
            let body = self.program.funcs[site.func].body.as_ref();
            let Some(code) = body.map(|b| &b.blocks[site.block]) else {
                continue;
            };
            let (func, block) = (site.func, site.block);
            let Some(stmt) = code.stmts.get(site.index) else {
                self.branch(func, block, &code.branch);
                continue;
            };
            match &stmt.kind {
                StmtKind::Assign(place, e) => {
                    let targets = self.slice.leaves.place(func, block, place);
                    self.copy_fields(func, block, place, e);
                    self.index(func, block, place);
                    for leaf in targets {
                        let memory = matches!(self.slice.leaves.get(leaf), Leaf::Memory(_));
                        if self.program.types.is_scalar(place.ty) && !memory {
                            self.flow(func, block, leaf, e);
                        }
                    }
                    self.tests(func, block, e);
                }
                StmtKind::SetReg(reg, e) => {
                    let leaf = self.slice.leaves.register(func, block, *reg);
                    self.flow(func, block, leaf, e);
                    self.tests(func, block, e);
                }
                StmtKind::Assume(e) | StmtKind::Assert { cond: e, .. } => {
                    self.tests(func, block, e);
                    self.truth(func, block, e);
                }
                _ => {}
            }
        }
        self.initial();
    }
    /// Statics start as their initialisers say; parameters of what nobody calls are open.
    fn initial(&mut self) {
        let relevant: Vec<LeafId> = self.slice.relevant.iter().collect();
        for leaf in relevant {
            let Leaf::Cell(var, path) = self.slice.leaves.get(leaf).clone() else {
                continue;
            };
            let v = &self.program.vars[var];
            match v.kind {
                VarKind::Param(f) if self.slice.callers(f).is_empty() => self.at(leaf).open = true,
                VarKind::Global | VarKind::StaticLocal(_) => {
                    let mut stored = vec![];
                    for item in &v.init {
                        if let InitValue::Int(n) = item.value
                            && self.slice.leaves.is_at(var, &path, item.bit_offset)
                        {
                            stored.push(n);
                        }
                    }
                    let whole = path.is_empty() && !stored.is_empty() && !self.has_elements(var);
                    if !whole {
                        stored.push(0);
                    }
                    self.at(leaf).stored.extend(stored);
                }
                _ => {}
            }
        }
    }
    fn has_elements(&self, var: VarId) -> bool {
        matches!(
            self.program.types[self.program.vars[var].ty],
            Type::Array { .. }
        )
    }
    /// A struct assignment copies field by field.
    fn copy_fields(&mut self, func: FuncId, block: BlockId, to: &Place, e: &Expr) {
        let ExprKind::Load { place: from, .. } = &e.kind else {
            return;
        };
        if self.program.types.is_scalar(to.ty) {
            return;
        }
        let targets = self.slice.leaves.place(func, block, to);
        let sources = self.slice.leaves.place(func, block, from);
        let ends = |this: &Self, leaf: LeafId| match this.slice.leaves.get(leaf) {
            Leaf::Cell(_, path) => path.last().copied(),
            _ => None,
        };
        for a in &targets {
            for b in &sources {
                if ends(self, *a).is_some() && ends(self, *a) == ends(self, *b) {
                    self.same(*a, *b);
                }
            }
        }
    }
    /// An index stays in its array.
    fn index(&mut self, func: FuncId, block: BlockId, place: &Place) {
        let mut ty = match place.root() {
            Some(var) => self.program.vars[var].ty,
            None => return,
        };
        for step in &place.path {
            match (step, &self.program.types[ty]) {
                (Step::Index(e), Type::Array { elem, len }) => {
                    if let Some(shifted) = self.shifted(func, block, e)
                        && *len as i128 <= ROW
                    {
                        for leaf in shifted.leaves {
                            let own = self.at(leaf);
                            own.bounds.extend([0, *len as i128]);
                            own.selects |= *len <= FEW_ELEMENTS;
                        }
                    }
                    ty = *elem;
                }
                (Step::Field(n), Type::Record(r)) => {
                    ty = self.program.types.records[*r].fields[*n as usize].ty;
                }
                _ => return,
            }
        }
    }
    /// `x`, `x + c`, `x & c`, through casts.
    fn shifted(&mut self, func: FuncId, block: BlockId, e: &Expr) -> Option<Shifted> {
        match &e.kind {
            ExprKind::Cast(inner) => self.shifted(func, block, inner),
            ExprKind::Load { place, .. } => Some(Shifted {
                leaves: self.slice.leaves.place(func, block, place),
                by: 0,
                mask: None,
            }),
            ExprKind::Reg(reg) => Some(Shifted {
                leaves: vec![self.slice.leaves.register(func, block, *reg)],
                by: 0,
                mask: None,
            }),
            ExprKind::Binary(op @ (BinOp::Add | BinOp::Sub), a, b) => {
                let c = constant(b)?;
                let inner = self.shifted(func, block, a)?;
                let c = if *op == BinOp::Add { c } else { -c };
                inner.mask.is_none().then_some(Shifted {
                    by: inner.by.saturating_add(c),
                    ..inner
                })
            }
            ExprKind::Binary(BinOp::BitAnd, a, b) => {
                let (inner, c) = match (constant(a), constant(b)) {
                    (_, Some(c)) => (self.shifted(func, block, a)?, c),
                    (Some(c), _) => (self.shifted(func, block, b)?, c),
                    _ => return None,
                };
                (inner.by == 0).then_some(Shifted {
                    mask: Some(c),
                    ..inner
                })
            }
            _ => None,
        }
    }
    /// The value of `e` is stored in a leaf.
    fn flow(&mut self, func: FuncId, block: BlockId, to: LeafId, e: &Expr) {
        match &e.kind {
            ExprKind::Int(n) => drop(self.at(to).stored.insert(*n)),
            ExprKind::Cast(inner) => self.flow(func, block, to, inner),
            ExprKind::Load { place, volatile } => {
                self.at(to).open |= volatile;
                for leaf in self.slice.leaves.place(func, block, place) {
                    match self.slice.leaves.get(leaf) {
                        Leaf::Memory(_) => self.at(to).open = true,
                        _ => self.same(to, leaf),
                    }
                }
                self.index(func, block, place);
            }
            ExprKind::Reg(reg) => {
                let leaf = self.slice.leaves.register(func, block, *reg);
                self.same(to, leaf);
            }
            ExprKind::Unary(UnOp::Not, _) => self.at(to).stored.extend([0, 1]),
            ExprKind::Binary(op, ..) if op.is_test() => self.at(to).stored.extend([0, 1]),
            ExprKind::Binary(BinOp::Add | BinOp::Sub, a, b)
                if constant(a).is_some() || constant(b).is_some() =>
            {
                let inner = if constant(b).is_some() { a } else { b };
                if let Some(from) = self.shifted(func, block, inner) {
                    from.leaves.into_iter().for_each(|leaf| self.same(to, leaf));
                    self.at(to).counts = true;
                } else {
                    self.compute(func, block, to, e);
                }
            }
            ExprKind::Binary(BinOp::BitAnd, ..) if self.low_bits(func, block, to, e) => {}
            ExprKind::Binary(BinOp::BitAnd | BinOp::BitOr | BinOp::BitXor, a, b) => {
                self.at(to).bits = true;
                for (side, other) in [(a, b), (b, a)] {
                    if let Some(n) = constant(side) {
                        self.at(to).bounds.insert(n);
                        if let Some(from) = self.shifted(func, block, other) {
                            from.leaves.into_iter().for_each(|leaf| self.same(to, leaf));
                            return;
                        }
                    }
                }
                self.compute(func, block, to, e);
            }
            ExprKind::Binary(BinOp::Rem, _, b) => {
                if let Some(n) = constant(b) {
                    self.at(to).bounds.extend([0, n]);
                }
                self.compute(func, block, to, e);
            }
            ExprKind::Choose => self.at(to).open = true,
            _ => self.compute(func, block, to, e),
        }
    }
    /// Whether `e` is `x & c` with a small `c`, for a value of another kind. Then it is one of few numbers, and only low bits
    /// of `x` matter to it.
    fn low_bits(&mut self, func: FuncId, block: BlockId, to: LeafId, e: &Expr) -> bool {
        let Some(Shifted {
            leaves,
            mask: Some(mask @ 0..ROW),
            ..
        }) = self.shifted(func, block, e)
        else {
            return false;
        };
        if leaves.iter().any(|leaf| self.are_alike(to, *leaf)) {
            return false;
        }
        for leaf in leaves {
            let from = self.at(leaf);
            from.bits = true;
            from.bounds.insert(mask);
        }
        let own = self.at(to);
        own.masked = true;
        own.stored.extend((0..=mask).filter(|n| n & mask == *n));
        true
    }
    fn compute(&mut self, func: FuncId, block: BlockId, to: LeafId, e: &Expr) {
        self.at(to).computed = true;
        for leaf in self.slice.leaves.reads(func, block, e) {
            if matches!(self.slice.leaves.get(leaf), Leaf::Memory(_)) {
                self.at(to).open = true;
            }
            self.from.push((to, leaf));
        }
    }
    fn branch(&mut self, func: FuncId, block: BlockId, branch: &Branch) {
        match branch {
            Branch::If { cond, .. } => {
                self.tests(func, block, cond);
                self.truth(func, block, cond);
            }
            Branch::Switch { on, cases, .. } => {
                for case in cases {
                    let points = [case.lo, case.hi.saturating_add(1)];
                    self.compared(func, block, on, &points);
                }
            }
            Branch::Call {
                callee, args, next, ..
            } => {
                args.iter().for_each(|e| self.tests(func, block, e));
                let (targets, outside) = self.program.points_to().callees(func, block, callee);
                let result = next.map(|next| self.slice.leaves.intern(Leaf::Result(func, next)));
                for target in targets {
                    let function = &self.program.funcs[target];
                    for (param, arg) in function.params.iter().zip(args) {
                        let leaf = self.slice.leaves.intern(Leaf::Cell(*param, Vec::new()));
                        if self.slice.relevant.contains(leaf) {
                            self.flow(func, block, leaf, arg);
                        }
                    }
                    let Some(result) = result else { continue };
                    match function.body {
                        Some(_) => {
                            let leaf = self.slice.leaves.intern(Leaf::Return(target));
                            self.same(result, leaf);
                        }
                        None => self.at(result).open = true,
                    }
                }
                if let (Some(result), true) = (result, outside) {
                    self.at(result).open = true;
                }
            }
            Branch::Return(Some(e)) => {
                let leaf = self.slice.leaves.intern(Leaf::Return(func));
                self.tests(func, block, e);
                if self.slice.relevant.contains(leaf) {
                    self.flow(func, block, leaf, e);
                }
            }
            _ => {}
        }
    }
    /// Every comparison in an expression.
    fn tests(&mut self, func: FuncId, block: BlockId, e: &Expr) {
        let mut all = Vec::new();
        e.walk(&mut |e| all.push(e));
        for e in all {
            match &e.kind {
                ExprKind::Binary(op, a, b) if op.is_comparison() => {
                    self.comparison(func, block, *op, a, b);
                }
                ExprKind::Binary(op, a, b) if op.is_logical() => {
                    self.truth(func, block, a);
                    self.truth(func, block, b);
                }
                ExprKind::Unary(UnOp::Not, a) => self.truth(func, block, a),
                ExprKind::Load { place, .. } | ExprKind::AddrOf(place) => {
                    self.index(func, block, place);
                }
                _ => {}
            }
        }
    }
    fn comparison(&mut self, func: FuncId, block: BlockId, op: BinOp, a: &Expr, b: &Expr) {
        match (constant(a), constant(b)) {
            (_, Some(n)) => self.compared(func, block, a, &break_points(op, n)),
            (Some(n), _) => {
                let points = break_points(crate::domain::mirror(op), n);
                self.compared(func, block, b, &points);
            }
            _ => {
                let (a, b) = (self.shifted(func, block, a), self.shifted(func, block, b));
                if let (Some(a), Some(b)) = (a, b) {
                    for x in &a.leaves {
                        self.at(*x).related = true;
                        b.leaves.iter().for_each(|y| self.same(*x, *y));
                    }
                }
            }
        }
    }
    fn truth(&mut self, func: FuncId, block: BlockId, e: &Expr) {
        if let Some(shifted) = self.shifted(func, block, e) {
            let plain = shifted.by == 0 && shifted.mask.is_none();
            for leaf in &shifted.leaves {
                self.at(*leaf).truth |= plain;
            }
            self.compared(func, block, e, &[0, 1]);
        }
    }
    fn compared(&mut self, func: FuncId, block: BlockId, e: &Expr, points: &[i128]) {
        let Some(shifted) = self.shifted(func, block, e) else {
            return;
        };
        for leaf in shifted.leaves {
            let own = self.at(leaf);
            match shifted.mask {
                Some(mask) => {
                    own.bits = true;
                    own.bounds.insert(mask);
                }
                None => own
                    .points
                    .extend(points.iter().map(|p| p.saturating_sub(shifted.by))),
            }
        }
    }
    /// The domain of a leaf of a type, if keeping it helps. If rows of values count, each value between the constants that it is compared with is kept
    /// apart where these are few.
    pub fn choose(&mut self, leaf: LeafId, ty: TypeId, rows: bool) -> Option<Choice> {
        let own = self.at(leaf).clone();
        let several = match self.slice.leaves.get(leaf) {
            Leaf::Cell(var, _) => self.program.heap.objects.contains_key(var),
            _ => false,
        };
        let choice = |domain: &str, why: String| {
            Some(Choice {
                domain: domain.to_owned(),
                values: None,
                fixed: false,
                split: false,
                why,
            })
        };
        match &self.program.types[ty] {
            Type::Pointer(_) => return choice("pointer", String::new()),
            Type::Float(_) => {
                let fixed = !own.open && !own.counts && !own.computed;
                return fixed.then(|| choice("float", "takes constants only".into()))?;
            }
            Type::Bool | Type::Int(_) => {}
            _ => return None,
        }
        let int = value::int_type(&self.program.types, ty).filter(|t| t.bits <= 64)?;
        let inside = |n: &&i128| **n > value::min(int) && **n <= value::max(int);
        let fits = |n: &&i128| **n >= value::min(int) && **n <= value::max(int);
        if !own.open && !own.counts && !own.computed && !own.masked {
            let values: Vec<String> = own
                .stored
                .iter()
                .filter(fits)
                .map(i128::to_string)
                .collect();
            let why = match own.bits {
                true => "bits are set and cleared by constants".to_owned(),
                false if values.is_empty() => return None,
                false => format!("takes the values {}", short(&values)),
            };
            // Of several objects that are one in states, each may have a value of its own.
            if several && !own.bits {
                let stored = own.stored.iter().filter(fits);
                let classes = stored.flat_map(|n| [*n, n.saturating_add(1)]);
                let classes: BTreeSet<i128> = classes.filter(|n| inside(&n)).collect();
                if (1..=MOST_POINTS).contains(&classes.len()) {
                    return part(&classes, why).map(|c| Choice { fixed: true, ..c });
                }
            }
            let values = Some(values.len()).filter(|_| !own.bits);
            let found = choice("int", why);
            return found.map(|c| Choice {
                values,
                fixed: true,
                ..c
            });
        }
        let mut points: BTreeSet<i128> = own.points.iter().filter(inside).copied().collect();
        if own.related || points.is_empty() {
            let stored = own.stored.iter().chain(&own.bounds);
            let stored = stored.flat_map(|n| [*n, n.saturating_add(1)]);
            points.extend(stored.filter(|n| inside(&n)));
        }
        let said: Vec<String> = points.iter().map(i128::to_string).collect();
        if rows && (own.counts || own.computed || own.selects || own.masked) {
            // What is stored is a class of its own, also if it is the largest.
            let above: Vec<i128> = own.stored.iter().map(|n| n.saturating_add(1)).collect();
            let all = (points.iter().chain(&own.stored)).chain(&above);
            let all = all.chain(&own.bounds);
            // The least value of a type is no break point, but those above it are.
            let all: Vec<i128> = all.filter(fits).copied().collect();
            let (lo, hi) = (all.iter().min().copied()?, all.iter().max().copied()?);
            if hi - lo < ROW {
                points.extend((lo..=hi).filter(|n| inside(&n)));
                let what = match () {
                    () if own.counts || own.computed => "counts",
                    () if own.selects => "is an index",
                    () => "has low bits of another value",
                };
                let found = part(
                    &points,
                    format!("{what}, and is compared at {}", short(&said)),
                );
                // A value from outside would choose any element.
                let split = own.selects && (own.open || own.masked);
                return found.map(|choice| Choice { split, ..choice });
            }
        }
        if own.bits && !own.open {
            return choice("int", "bits are set and cleared".into());
        }
        if own.bits
            && let Some(mask) = own.bounds.iter().filter(|n| (1..=255).contains(*n)).max()
        {
            let modulus = (mask + 1).next_power_of_two_or(256);
            return choice(&format!("mod({modulus})"), "its low bits are tested".into());
        }
        if points.is_empty() {
            return None;
        }
        if points.iter().all(|p| (0..=1).contains(p)) && own.truth {
            return choice("bool", "is zero or not".into());
        }
        part(&points, format!("is compared at {}", short(&said)))
    }
}

trait PowerOfTwo {
    fn next_power_of_two_or(self, most: i128) -> i128;
}

impl PowerOfTwo for i128 {
    /// The next power of two, at most `most`.
    fn next_power_of_two_or(self, most: i128) -> i128 {
        let mut n = 1;
        while n < self && n < most {
            n *= 2;
        }
        n
    }
}

fn part(points: &BTreeSet<i128>, why: String) -> Option<Choice> {
    let list: Vec<String> = points.iter().map(i128::to_string).collect();
    (points.len() <= MOST_POINTS).then(|| Choice {
        domain: format!("part({})", list.join(",")),
        values: None,
        fixed: false,
        split: false,
        why,
    })
}

/// A list of numbers for a comment.
fn short(list: &[String]) -> String {
    match list.len() {
        0..=8 => list.join(", "),
        n => format!("{}, … ({n} in all)", list[..7].join(", ")),
    }
}

/// The break points that keep `x op n` exact.
fn break_points(op: BinOp, n: i128) -> Vec<i128> {
    match op {
        BinOp::Lt | BinOp::Ge => vec![n],
        BinOp::Le | BinOp::Gt => vec![n.saturating_add(1)],
        _ => vec![n, n.saturating_add(1)],
    }
}
