//! What a cell may hold: a number, or a pointer. A cell of which nothing is known has no value here.

use crate::num::Num;

cwolf_base::index! {
    /// Something that pointers lead to.
    ObjId
    /// A scalar in memory, or a register.
    CellId
}

/// A pointer to more objects than this may lead anywhere.
const MOST_TARGETS: usize = 8;
/// Bytes from the start of an object beyond which an offset is none.
const FAR: i128 = 1 << 30;

/// What is known of a pointer: all that it may be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pointer {
    /// So many bytes from the start of an object; each object once, in rising order.
    pub(crate) targets: Vec<(ObjId, Num)>,
    pub(crate) null: bool,
    /// To an object that is gone.
    pub(crate) stale: bool,
    /// To anything that the points-to analysis allows, but not null.
    pub(crate) other: bool,
}

impl Pointer {
    pub(crate) const NULL: Pointer = Pointer {
        targets: Vec::new(),
        null: true,
        stale: false,
        other: false,
    };
    /// Anything but null.
    pub(crate) const SOME: Pointer = Pointer {
        targets: Vec::new(),
        null: false,
        stale: false,
        other: true,
    };

    pub(crate) fn to(object: ObjId, offset: Num) -> Pointer {
        Pointer {
            targets: vec![(object, offset)],
            null: false,
            stale: false,
            other: false,
        }
    }

    /// Whether it says nothing at all.
    fn is_anything(&self) -> bool {
        self.other && self.null
    }

    fn merge(&self, other: &Pointer, numbers: impl Fn(&Num, &Num) -> Num) -> Pointer {
        let mut all = self.clone();
        for (object, offset) in &other.targets {
            match all.targets.binary_search_by_key(object, |t| t.0) {
                Ok(n) => all.targets[n].1 = numbers(&all.targets[n].1, offset),
                Err(n) => all.targets.insert(n, (*object, offset.clone())),
            }
        }
        all.null |= other.null;
        all.stale |= other.stale;
        all.other |= other.other || all.targets.len() > MOST_TARGETS;
        if all.other {
            all.targets.clear();
        }
        all
    }

    /// Moved by so many bytes.
    pub(crate) fn moved(&self, by: &Num) -> Pointer {
        let mut moved = self.clone();
        let zero = by.as_constant() == Some(0);
        // A number that was null and is no more.
        if moved.null && !zero {
            moved.other = true;
            moved.null = true;
            moved.targets.clear();
            return moved;
        }
        for (_, offset) in &mut moved.targets {
            match plus(offset, by) {
                Some(sum) => *offset = sum,
                None => moved.other = true,
            }
        }
        if moved.other {
            moved.targets.clear();
            moved.null |= !zero;
        }
        moved
    }
}

/// A sum of offsets, unless it is far away.
fn plus(a: &Num, b: &Num) -> Option<Num> {
    let word = cwolf_cwi::IntTy::new(64, true);
    let (lo, hi) = (a.lo + b.lo, a.hi + b.hi);
    let near = lo > -FAR && hi < FAR;
    if !near {
        return None;
    }
    crate::arith::binary(cwolf_cwi::BinOp::Add, word, a, b).num
}

/// What a cell may hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    Num(Num),
    Pointer(Pointer),
}

impl Value {
    /// None if nothing would be said.
    pub(crate) fn join(&self, other: &Value) -> Option<Value> {
        self.merge(other, Num::join)
    }

    pub(crate) fn widen(&self, other: &Value, steps: &[i128], room: (i128, i128)) -> Option<Value> {
        self.merge(other, |a, b| a.widen(b, steps, room))
    }

    fn merge(&self, other: &Value, numbers: impl Fn(&Num, &Num) -> Num) -> Option<Value> {
        match (self, other) {
            (Value::Num(a), Value::Num(b)) => Some(Value::Num(numbers(a, b))),
            (Value::Pointer(a), Value::Pointer(b)) => {
                let all = a.merge(b, numbers);
                (!all.is_anything()).then_some(Value::Pointer(all))
            }
            _ => None,
        }
    }

    pub(crate) fn as_num(&self) -> Option<&Num> {
        match self {
            Value::Num(num) => Some(num),
            Value::Pointer(_) => None,
        }
    }
}
