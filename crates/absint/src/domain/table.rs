//! Operators as tables: for partitions of at most 64 classes, what an operator does to each
//! class is worked out once, and applying it is a few loads and ORs.

use super::Universe;
use super::bits::ones;
use super::ops::UnaryOp;
use super::value::{Classes, Kind, Outcome, Value};
use cwolf_cwi::{BinOp, IntTy};

/// The most entries that a table may have.
const MAX_ENTRIES: usize = 1 << 12;

/// Result classes of each operand class (or pair of classes), and which of them trap.
#[derive(Clone, Debug)]
struct Entries {
    masks: Box<[u64]>,
    traps: Box<[bool]>,
}

/// An operator on one value of a partition; also an operator whose other side is constant.
#[derive(Clone, Debug)]
pub struct UnaryTable {
    operand: Classes,
    result: Classes,
    entries: Entries,
}

/// An operator on two values of partitions.
#[derive(Clone, Debug)]
pub struct BinaryTable {
    left: Classes,
    right: Classes,
    result: Classes,
    width: usize,
    entries: Entries,
}

/// The classes of a domain, if a mask holds them.
fn small(universe: &Universe, ty: IntTy, kind: Kind) -> Option<(Classes, usize)> {
    let classes = kind.classes().filter(|_| ty.bits <= 64)?;
    let count = universe.class_count(classes, ty.signed);
    (count <= 64).then_some((classes, count))
}

/// Class `n` as a value; bottom if it has no member in the type.
fn class(universe: &Universe, ty: IntTy, classes: Classes, n: usize) -> Value {
    let top = universe.top(ty, classes.kind());
    match top {
        Value::Mask { bits, .. } if bits >> n & 1 == 1 => Value::Mask {
            classes,
            bits: 1 << n,
        },
        _ => Value::Bottom,
    }
}

impl Entries {
    fn new(count: usize, mut outcome: impl FnMut(usize) -> Outcome) -> Entries {
        let outcomes: Vec<Outcome> = (0..count).map(&mut outcome).collect();
        let mask = |o: &Outcome| match o.value {
            Value::Mask { bits, .. } => bits,
            _ => 0,
        };
        Entries {
            masks: outcomes.iter().map(mask).collect(),
            traps: outcomes.iter().map(|o| o.may_trap).collect(),
        }
    }
    fn apply(&self, result: Classes, numbers: impl Iterator<Item = usize>) -> Outcome {
        let (mut bits, mut may_trap) = (0, false);
        for n in numbers {
            bits |= self.masks[n];
            may_trap |= self.traps[n];
        }
        let value = match bits {
            0 => Value::Bottom,
            bits => Value::Mask {
                classes: result,
                bits,
            },
        };
        Outcome { value, may_trap }
    }
}

impl UnaryTable {
    /// The table of `op` on values of `operand`, with results in `result`; none if one of the
    /// domains is not a partition of at most 64 classes.
    pub fn new(
        universe: &Universe,
        op: UnaryOp,
        ty: IntTy,
        operand: Kind,
        result: Kind,
    ) -> Option<UnaryTable> {
        let result_ty = if op == UnaryOp::Not { IntTy::INT } else { ty };
        Self::build(universe, ty, operand, result_ty, result, |v| {
            universe.unary_to(op, ty, v, result).into()
        })
    }
    /// The table of `operand op constant`.
    pub fn with_right(
        universe: &Universe,
        op: BinOp,
        ty: IntTy,
        operand: Kind,
        constant: (IntTy, u64),
        result: Kind,
    ) -> Option<UnaryTable> {
        let result_ty = if op.is_test() { IntTy::INT } else { ty };
        let (right, constant) = (constant.0, Value::Int(constant.1));
        Self::build(universe, ty, operand, result_ty, result, |v| {
            universe.binary_to(op, ty, v, right, constant, result)
        })
    }
    /// The table of a cast.
    pub fn cast(
        universe: &Universe,
        from: IntTy,
        operand: Kind,
        to: IntTy,
        result: Kind,
    ) -> Option<UnaryTable> {
        Self::build(universe, from, operand, to, result, |v| {
            universe.cast_to(from, to, v, result).into()
        })
    }
    fn build(
        universe: &Universe,
        ty: IntTy,
        operand: Kind,
        result_ty: IntTy,
        result: Kind,
        outcome: impl Fn(Value) -> Outcome,
    ) -> Option<UnaryTable> {
        let (operand, count) = small(universe, ty, operand)?;
        let (result, _) = small(universe, result_ty, result)?;
        let entries = Entries::new(count, |n| outcome(class(universe, ty, operand, n)));
        Some(UnaryTable {
            operand,
            result,
            entries,
        })
    }
    /// The result for a value of the operand's domain.
    ///
    /// # Panics
    /// When the value is of another domain.
    pub fn apply(&self, v: Value) -> Outcome {
        match v {
            Value::Mask { classes, bits } if classes == self.operand => {
                self.entries.apply(self.result, ones(bits))
            }
            Value::Bottom => Value::Bottom.into(),
            _ => panic!("the table is for another domain"),
        }
    }
}

impl BinaryTable {
    /// The table of `op` on values of `left` and `right`, with results in `result`; none if a
    /// domain is not a partition of at most 64 classes.
    pub fn new(
        universe: &Universe,
        op: BinOp,
        (ty, left): (IntTy, Kind),
        (right_ty, right): (IntTy, Kind),
        result: Kind,
    ) -> Option<BinaryTable> {
        let result_ty = if op.is_test() { IntTy::INT } else { ty };
        let (left, height) = small(universe, ty, left)?;
        let (right, width) = small(universe, right_ty, right)?;
        let (result, _) = small(universe, result_ty, result)?;
        let kind = result.kind();
        let entries = (height * width <= MAX_ENTRIES).then(|| {
            Entries::new(height * width, |n| {
                let a = class(universe, ty, left, n / width);
                let b = class(universe, right_ty, right, n % width);
                universe.binary_to(op, ty, a, right_ty, b, kind)
            })
        })?;
        Some(BinaryTable {
            left,
            right,
            result,
            width,
            entries,
        })
    }
    /// The result for two values of the operands' domains.
    ///
    /// # Panics
    /// When a value is of another domain.
    pub fn apply(&self, a: Value, b: Value) -> Outcome {
        match (a, b) {
            (Value::Bottom, _) | (_, Value::Bottom) => Value::Bottom.into(),
            (
                Value::Mask { classes: x, bits },
                Value::Mask {
                    classes: y,
                    bits: columns,
                },
            ) if x == self.left && y == self.right => {
                let cells = ones(bits)
                    .flat_map(|row| ones(columns).map(move |column| row * self.width + column));
                self.entries.apply(self.result, cells)
            }
            _ => panic!("the table is for another domain"),
        }
    }
}
