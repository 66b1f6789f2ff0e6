//! Pointers as sets of addresses. An address is a target and an offset in bytes; null and
//! other integers are offsets into no object.
//!
//! A set holds at most [`MAX_OFFSETS`] offsets into one target; past that it holds the target
//! with any offset. So a pointer that runs through an array keeps a finite number of values.

use super::Universe;
use super::trilog::Trilog;
use super::value::{Outcome, Value};
use cwolf_cwi::{BinOp, IntTy};

/// How many different offsets into one target a set of addresses tells apart.
pub const MAX_OFFSETS: usize = 16;

/// What an address lies in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Target {
    /// No object: the offset is the address, as null is zero.
    Absolute,
    /// An object; who keeps the objects numbers them.
    Object(u32),
    /// A function.
    Function(u32),
    /// An object that is gone.
    Freed,
}

/// An address: a target with an offset in bytes, or with any offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Address {
    /// Number of the target, its kind in bits 1 and 2, and whether any offset in bit 0.
    packed: u32,
    offset: i64,
}

/// What is known of the sizes of objects.
pub trait Objects {
    /// The size of a target in bytes, if it is known.
    fn size(&self, target: Target) -> Option<u64>;
    /// Whether a target is one object: two that are equal are the same.
    fn is_one(&self, _: Target) -> bool {
        true
    }
    /// Whether pointers into two different targets differ for certain: both are there, and neither is a part of the other.
    fn are_apart(&self, _: Target, _: Target) -> bool {
        true
    }
}

/// Nothing is known of sizes, except that objects are not empty.
impl Objects for () {
    fn size(&self, _: Target) -> Option<u64> {
        Some(1)
    }
}

impl Address {
    /// The null pointer.
    pub const NULL: Address = Address {
        packed: 0,
        offset: 0,
    };

    /// `target + offset`; without an offset, anywhere in `target`.
    ///
    /// # Panics
    /// When the number of the target does not fit in 29 bits.
    pub fn new(target: Target, offset: Option<i64>) -> Address {
        let (kind, id) = match target {
            Target::Absolute => (0, 0),
            Target::Object(id) => (1, id),
            Target::Function(id) => (2, id),
            Target::Freed => (3, 0),
        };
        assert!(id < 1 << 29, "fewer than 2^29 objects");
        Address {
            packed: id << 3 | kind << 1 | u32::from(offset.is_none()),
            offset: offset.unwrap_or(0),
        }
    }
    /// What it lies in.
    pub fn target(self) -> Target {
        match self.packed >> 1 & 3 {
            0 => Target::Absolute,
            1 => Target::Object(self.packed >> 3),
            2 => Target::Function(self.packed >> 3),
            _ => Target::Freed,
        }
    }
    /// Where in it, in bytes; none if anywhere.
    pub fn offset(self) -> Option<i64> {
        (self.packed & 1 == 0).then_some(self.offset)
    }
    fn anywhere(self) -> Address {
        Address::new(self.target(), None)
    }
    fn covers(self, other: Address) -> bool {
        self == other || (self.offset().is_none() && self.target() == other.target())
    }
    /// Whether it lies in its object or one past its end, where C orders addresses.
    fn is_ordered(self, objects: &impl Objects) -> bool {
        let offset = self.offset().and_then(|o| u64::try_from(o).ok());
        let size = match self.target() {
            Target::Object(_) => objects.size(self.target()),
            Target::Absolute | Target::Function(_) | Target::Freed => None,
        };
        matches!((offset, size), (Some(offset), Some(size)) if offset <= size)
    }
    /// Whether it lies inside its object for certain.
    fn is_inside(self, objects: &impl Objects) -> bool {
        let Some(offset) = self.offset() else {
            return false;
        };
        match self.target() {
            Target::Absolute => false,
            Target::Function(_) | Target::Freed => offset == 0,
            object => objects
                .size(object)
                .is_some_and(|size| u64::try_from(offset).is_ok_and(|o| o < size)),
        }
    }
}

impl Universe {
    /// The null pointer.
    pub fn null(&self) -> Value {
        Value::Address(Address::NULL)
    }
    /// The address that an integer is, for a cast to a pointer.
    pub(super) fn integer_address(&self, word: u64) -> Value {
        Value::Address(Address::new(Target::Absolute, Some(word as i64)))
    }
    /// The set of these addresses.
    pub fn address_set(&self, addresses: impl IntoIterator<Item = Address>) -> Value {
        let mut list: Vec<Address> = addresses.into_iter().collect();
        if let [only] = list[..] {
            return Value::Address(only);
        }
        // `packed` orders by target first, exact offsets before the unknown one.
        list.sort_unstable();
        list.dedup();
        let mut kept: Vec<Address> = Vec::with_capacity(list.len());
        for same in list.chunk_by(|a, b| a.target() == b.target()) {
            let anywhere = same.iter().any(|a| a.offset().is_none());
            if anywhere || same.len() > MAX_OFFSETS {
                kept.push(same[0].anywhere());
            } else {
                kept.extend(same);
            }
        }
        match kept[..] {
            [] => Value::Bottom,
            [only] => Value::Address(only),
            _ => {
                let word = |a: &Address| [u64::from(a.packed), a.offset as u64];
                let words: Vec<u64> = kept.iter().flat_map(word).collect();
                Value::Addresses(self.words.intern(&words).into())
            }
        }
    }
    /// The addresses that a pointer may hold; none if it may hold any.
    pub fn addresses(&self, v: Value) -> Option<Vec<Address>> {
        match v {
            Value::Bottom => Some(Vec::new()),
            Value::Address(only) => Some(vec![only]),
            Value::Int(word) => Some(vec![Address::new(Target::Absolute, Some(word as i64))]),
            Value::Addresses(id) => {
                let words = self.words.get(id.0).chunks_exact(2);
                let address = |pair: &[u64]| Address {
                    packed: pair[0] as u32,
                    offset: pair[1] as i64,
                };
                Some(words.map(address).collect())
            }
            _ => None,
        }
    }
    /// Whether γ(v) has this address.
    pub fn has_address(&self, v: Value, address: Address) -> bool {
        let all = self.addresses(v);
        all.is_none_or(|all| all.iter().any(|a| a.covers(address)))
    }
    /// `a ⊔ b` of pointers.
    pub fn join_pointers(&self, a: Value, b: Value) -> Value {
        match (self.addresses(a), self.addresses(b)) {
            _ if a == b => a,
            (Some(x), Some(y)) => self.address_set(x.into_iter().chain(y)),
            _ => Value::Top,
        }
    }
    /// `a ⊓ b` of pointers.
    pub fn meet_pointers(&self, a: Value, b: Value) -> Value {
        let (x, y) = match (self.addresses(a), self.addresses(b)) {
            (Some(x), Some(y)) => (x, y),
            (None, _) => return b,
            (_, None) => return a,
        };
        let common = x.iter().flat_map(|p| {
            y.iter().filter_map(move |q| match () {
                () if p.covers(*q) => Some(*q),
                () if q.covers(*p) => Some(*p),
                () => None,
            })
        });
        self.address_set(common)
    }
    /// `a ⊑ b` of pointers.
    pub fn leq_pointers(&self, a: Value, b: Value) -> bool {
        match (self.addresses(a), self.addresses(b)) {
            (_, None) => true,
            (None, _) => false,
            (Some(x), Some(y)) => x.iter().all(|p| y.iter().any(|q| q.covers(*p))),
        }
    }
    /// `pointer + index * scale` bytes. The index has type `ty`, as wide as a pointer.
    pub fn pointer_add(&self, pointer: Value, ty: IntTy, index: Value, scale: u64) -> Value {
        let Some(addresses) = self.addresses(pointer) else {
            return Value::Top;
        };
        let Some(indices) = self.members(ty, index, MAX_OFFSETS as u128) else {
            // Integers have no object that would bound them.
            let absolute = addresses.iter().any(|a| a.target() == Target::Absolute);
            return match absolute {
                true => Value::Top,
                false => self.address_set(addresses.into_iter().map(Address::anywhere)),
            };
        };
        let moved = |a: Address, index: i128| {
            if a.target() == Target::Freed {
                return a;
            }
            let distance = (index as i64).wrapping_mul(scale as i64);
            let wrap = |o: i64| narrow(ty, a.target(), o.wrapping_add(distance));
            Address::new(a.target(), a.offset().map(wrap))
        };
        let all = addresses.iter();
        self.address_set(all.flat_map(|a| indices.iter().map(move |i| moved(*a, *i))))
    }
    /// The same addresses with other targets.
    pub fn rename(&self, pointer: Value, to: &dyn Fn(Target) -> Target) -> Value {
        let Some(list) = self.addresses(pointer) else {
            return pointer;
        };
        self.address_set(list.into_iter().map(|a| match to(a.target()) {
            Target::Freed => Address::new(Target::Freed, Some(0)),
            target => Address::new(target, a.offset()),
        }))
    }
    /// `(left - right) / scale`, of the signed type `ty` as wide as a pointer. Pointers into
    /// different objects may be any distance apart.
    pub fn pointer_diff(
        &self,
        ty: IntTy,
        left: Value,
        right: Value,
        scale: u64,
        objects: &impl Objects,
    ) -> Outcome {
        let (Some(x), Some(y)) = (self.addresses(left), self.addresses(right)) else {
            return Value::Top.into();
        };
        let mut distances = Vec::new();
        for p in &x {
            for q in &y {
                match (p.offset(), q.offset()) {
                    (Some(a), Some(b))
                        if p.target() == q.target() && objects.is_one(p.target()) =>
                    {
                        let bytes = cwolf_cwi::value::wrap(ty, i128::from(a) - i128::from(b));
                        distances.push(bytes / i128::from(scale.max(1)));
                    }
                    _ => return Value::Top.into(),
                }
            }
        }
        let limit = u16::try_from(MAX_OFFSETS * MAX_OFFSETS).expect("a small number");
        self.alpha(ty, super::Kind::Set(limit), distances).into()
    }
    /// A comparison of pointers.
    pub fn compare_pointers(
        &self,
        op: BinOp,
        left: Value,
        right: Value,
        objects: &impl Objects,
    ) -> Trilog {
        let (Some(x), Some(y)) = (self.addresses(left), self.addresses(right)) else {
            let none = left == Value::Bottom || right == Value::Bottom;
            return if none { Trilog::NONE } else { Trilog::MAYBE };
        };
        let pairs = x.iter().flat_map(|p| y.iter().map(move |q| (*p, *q)));
        pairs
            .map(|(p, q)| compare(op, p, q, objects))
            .fold(Trilog::NONE, Trilog::join)
    }
    /// The addresses of `a` for which `a op b` holds with some address of `b`.
    pub fn constrain_pointers(
        &self,
        op: BinOp,
        a: Value,
        b: Value,
        objects: &impl Objects,
    ) -> Value {
        let (Some(x), Some(y)) = (self.addresses(a), self.addresses(b)) else {
            // A pointer of which nothing was known is what it equals; but integers may equal
            // addresses of objects.
            let learnt = match self.addresses(b) {
                Some(y) if op == BinOp::Eq => y.iter().all(|q| *q == Address::NULL),
                _ => false,
            };
            return match (a, b) {
                (Value::Bottom, _) | (_, Value::Bottom) => Value::Bottom,
                _ if learnt && self.addresses(a).is_none() => self.null(),
                _ => a,
            };
        };
        let possible = |p: &Address| {
            let mut partners = y.iter();
            partners.any(|q| compare(op, *p, *q, objects).may_be_true())
        };
        self.address_set(x.into_iter().filter(possible))
    }
    /// Whether a pointer may be nonzero, and may be zero.
    pub fn pointer_truth(&self, v: Value, objects: &impl Objects) -> Trilog {
        self.compare_pointers(BinOp::Ne, v, self.null(), objects)
    }
}

/// An offset of no object is an address, and wraps with the pointer's width.
fn narrow(ty: IntTy, target: Target, offset: i64) -> i64 {
    match target {
        Target::Absolute => {
            let unsigned = IntTy::new(ty.bits, false);
            cwolf_cwi::value::wrap(unsigned, i128::from(offset)) as i64
        }
        _ => offset,
    }
}

fn compare(op: BinOp, p: Address, q: Address, objects: &impl Objects) -> Trilog {
    let exact = p.offset().zip(q.offset());
    let order = |a: i128, b: i128| {
        let word = IntTy::new(128, true);
        let result = cwolf_cwi::value::int_binary(op, word, a, b);
        let holds = result.expect("comparisons do not trap") != 0;
        Trilog::new(holds, !holds)
    };
    let differ = match op {
        BinOp::Eq => Trilog::FALSE,
        BinOp::Ne => Trilog::TRUE,
        _ => Trilog::MAYBE,
    };
    let is_null = |a: Address| a == Address::NULL;
    let gone = |a: Address| a.target() == Target::Freed;
    if (gone(p) || gone(q)) && !is_null(p) && !is_null(q) {
        // Its place may be that of another object by now.
        return Trilog::MAYBE;
    }
    if p.target() == q.target() && !objects.is_one(p.target()) {
        return Trilog::MAYBE;
    }
    match (p.target(), q.target(), exact) {
        (Target::Absolute, Target::Absolute, Some((a, b))) => {
            order(i128::from(a as u64), i128::from(b as u64))
        }
        (s, t, Some((a, b))) if s == t => {
            let (a, b) = (i128::from(a), i128::from(b));
            // Equality does not care where the object lies; order does when it would wrap.
            let safe = matches!(op, BinOp::Eq | BinOp::Ne)
                || p.is_ordered(objects) && q.is_ordered(objects);
            if safe { order(a, b) } else { Trilog::MAYBE }
        }
        _ if is_null(p) && q.is_inside(objects) => order(0, 1),
        _ if is_null(q) && p.is_inside(objects) => order(1, 0),
        (s, t, _) if s != t && p.is_inside(objects) && q.is_inside(objects) => {
            match objects.are_apart(s, t) {
                true => differ,
                false => Trilog::MAYBE,
            }
        }
        _ => Trilog::MAYBE,
    }
}

#[cfg(test)]
mod tests {
    use super::super::Kind;
    use super::*;

    const WORD: IntTy = IntTy::new(64, true);

    fn at(object: u32, offset: i64) -> Address {
        Address::new(Target::Object(object), Some(offset))
    }

    /// Ten bytes each.
    struct Tens;
    impl Objects for Tens {
        fn size(&self, _: Target) -> Option<u64> {
            Some(10)
        }
    }

    #[test]
    fn sets_are_canonical() {
        let u = Universe::default();
        let a = u.address_set([at(1, 0), at(2, 4), Address::NULL]);
        let b = u.address_set([Address::NULL, at(2, 4), at(1, 0), at(1, 0)]);
        assert_eq!(a, b);
        assert_eq!(u.display(WORD, a), "{null,&1,&2+4}");
        assert_eq!(
            u.address_set([at(3, 1), at(3, 1)]),
            Value::Address(at(3, 1))
        );
        assert_eq!(u.address_set([]), Value::Bottom);
    }

    #[test]
    fn general_lattice_operators_know_addresses() {
        let u = Universe::default();
        let (p, q) = (Value::Address(at(1, 0)), Value::Address(at(2, 0)));
        let both = u.address_set([at(1, 0), at(2, 0)]);
        for kind in [Kind::Pointer, Kind::Free] {
            assert_eq!(u.join(WORD, kind, p, q), both);
            assert_eq!(u.join(WORD, kind, Value::Bottom, q), q);
            assert_eq!(u.join(WORD, kind, p, Value::Top), Value::Top);
            assert_eq!(u.meet(WORD, kind, both, q), q);
            assert_eq!(u.meet(WORD, kind, p, q), Value::Bottom);
        }
        let null_or = u.join(WORD, Kind::Pointer, Value::Int(0), q);
        assert_eq!(null_or, u.address_set([Address::NULL, at(2, 0)]));
        assert!(!u.leq(WORD, p, q) && u.leq(WORD, p, both) && !u.leq(WORD, Value::Top, p));
        // As an integer of the same width it stays an address; a narrower one may be any.
        assert_eq!(u.cast(IntTy::new(64, false), WORD, p), p);
        assert_eq!(u.cast(IntTy::new(64, false), IntTy::INT, p), Value::Top);
        assert_eq!(u.convert(WORD, p, Kind::Int), Value::Top);
    }

    #[test]
    fn many_offsets_become_any_offset() {
        let u = Universe::default();
        let many = u.address_set((0..40).map(|n| at(1, n)));
        assert_eq!(many, Value::Address(Address::new(Target::Object(1), None)));
        assert!(u.leq_pointers(Value::Address(at(1, 77)), many));
        let with = u.join_pointers(many, Value::Address(at(1, 3)));
        assert_eq!(with, many);
        assert_eq!(
            u.meet_pointers(many, Value::Address(at(1, 3))),
            Value::Address(at(1, 3))
        );
    }

    #[test]
    fn arithmetic_moves_every_address() {
        let u = Universe::default();
        let p = u.address_set([at(1, 0), at(2, 8)]);
        let moved = u.pointer_add(p, WORD, Value::Int(2), 4);
        assert_eq!(moved, u.address_set([at(1, 8), at(2, 16)]));
        let back = u.pointer_diff(WORD, moved, moved, 4, &()).value;
        assert_eq!(back, Value::Top, "different objects");
        let (p, q) = (Value::Address(at(1, 8)), Value::Address(at(1, 0)));
        let one = u.pointer_diff(WORD, p, q, 4, &());
        assert_eq!(one.value, Value::Int(2));
        let far = u.pointer_add(Value::Address(at(1, 0)), WORD, Value::Top, 4);
        assert_eq!(far, Value::Address(Address::new(Target::Object(1), None)));
    }

    #[test]
    fn comparisons_know_what_lies_inside() {
        let u = Universe::default();
        let test = |op, p, q| u.compare_pointers(op, Value::Address(p), Value::Address(q), &Tens);
        assert_eq!(test(BinOp::Eq, at(1, 0), at(2, 0)), Trilog::FALSE);
        // One past the end may be where the next object starts.
        assert_eq!(test(BinOp::Eq, at(1, 10), at(2, 0)), Trilog::MAYBE);
        assert_eq!(test(BinOp::Eq, at(1, 4), Address::NULL), Trilog::FALSE);
        assert_eq!(test(BinOp::Lt, at(1, 4), at(1, 5)), Trilog::TRUE);
        assert_eq!(test(BinOp::Lt, at(1, 4), at(2, 5)), Trilog::MAYBE);
        // Addresses are ordered up to one past the end, and not beyond.
        assert_eq!(test(BinOp::Lt, at(1, 4), at(1, 10)), Trilog::TRUE);
        assert_eq!(test(BinOp::Ge, at(1, 10), at(1, 10)), Trilog::TRUE);
        assert_eq!(test(BinOp::Lt, at(1, 4), at(1, 11)), Trilog::MAYBE);
        assert_eq!(test(BinOp::Lt, at(1, -1), at(1, 4)), Trilog::MAYBE);
        let p = u.address_set([at(1, 0), Address::NULL]);
        assert_eq!(u.pointer_truth(p, &Tens), Trilog::MAYBE);
        let not_null = u.constrain_pointers(BinOp::Ne, p, u.null(), &Tens);
        assert_eq!(not_null, Value::Address(at(1, 0)));
        let null = u.constrain_pointers(BinOp::Eq, Value::Top, u.null(), &Tens);
        assert_eq!(null, u.null());
    }
}
