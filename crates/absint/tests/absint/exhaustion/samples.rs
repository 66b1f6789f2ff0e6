//! The abstract side: for each domain, all of its values, or many of them.

use super::concrete::{Bits, all};
use cwolf_absint::domain::{Kind, Piece, Universe, Value};
use cwolf_cwi::{IntTy, value};
use rustc_hash::FxHashSet;

/// A domain and values of it, smallest first: ⊥ and ⊤ are always among them.
pub struct Sample {
    pub name: &'static str,
    pub kind: Kind,
    pub values: Vec<Value>,
}

/// The domains under test for a type of 4 or 8 bits.
pub fn samples(u: &Universe, ty: IntTy) -> Vec<Sample> {
    let small = ty.bits <= 4;
    let part = |signed: &[i128], unsigned: &[i128]| {
        u.part(if ty.signed { signed } else { unsigned })
            .expect("break points")
    };
    let uneven = match small {
        true => part(&[-5, -1, 0, 1, 3], &[1, 2, 5, 9, 12]),
        false => part(&[-100, -3, 0, 1, 10, 64], &[1, 2, 10, 64, 200, 255]),
    };
    let kinds = [
        ("top", Kind::Top),
        ("bool", Kind::Bool),
        ("int", Kind::Int),
        ("minmax", Kind::MinMax),
        ("mod(2)", Kind::Mod(2)),
        ("mod(3)", Kind::Mod(3)),
        ("mod(4)", Kind::Mod(4)),
        ("mod(40)", Kind::Mod(40)),
        ("part(0,1,2)", part(&[0, 1, 2], &[0, 1, 2])),
        ("part(…)", uneven),
        ("div(3)", Kind::Div(3)),
        ("set(2)", Kind::Set(2)),
        ("set(5)", Kind::Set(5)),
    ];
    // More remainders than a mask holds make sense only where there are as many values.
    let kinds = kinds.into_iter().filter(|k| !small || k.0 != "mod(40)");
    kinds
        .map(|(name, kind)| Sample {
            name,
            kind,
            values: values(u, ty, kind),
        })
        .collect()
}

fn values(u: &Universe, ty: IntTy, kind: Kind) -> Vec<Value> {
    let mut seen = FxHashSet::default();
    let mut list = Vec::new();
    let mut add = |v: Value| {
        if seen.insert(v) {
            list.push(v);
        }
    };
    add(Value::Bottom);
    match kind {
        Kind::Top => {}
        Kind::Int => points(ty).for_each(|v| add(u.constant(ty, kind, v))),
        Kind::MinMax | Kind::Div(_) => {
            for lo in points(ty) {
                for hi in points(ty).filter(|hi| *hi >= lo) {
                    add(u.alpha_pieces(ty, kind, Piece::interval(lo, hi)));
                }
            }
        }
        Kind::Set(n) => {
            let mut random = Random(u64::from(n));
            for a in points(ty) {
                add(u.constant(ty, kind, a));
                // All pairs for 4 bits, and larger sets as they come.
                for b in points(ty).filter(|_| n == 2) {
                    add(u.alpha(ty, kind, [a, b]));
                }
                for size in 2..=n {
                    let members: Vec<i128> = (0..size).map(|_| random.value(ty)).collect();
                    add(u.alpha(ty, kind, members));
                }
            }
        }
        _ => {
            let classes = classes(u, ty, kind);
            if classes.len() <= 7 {
                for mask in 0..1_u32 << classes.len() {
                    add(union(u, ty, kind, &classes, |n| mask >> n & 1 == 1));
                }
            } else {
                let mut random = Random(7);
                for n in 0..classes.len() {
                    add(union(u, ty, kind, &classes, |m| m == n));
                    add(union(u, ty, kind, &classes, |m| m != n));
                    let mask = random.next();
                    add(union(u, ty, kind, &classes, |m| mask >> (m % 64) & 1 == 1));
                }
            }
        }
    }
    add(u.top(ty, kind));
    // All of them for 4 bits; for 8 bits an even choice, with ⊥ and ⊤.
    let keep = match kind {
        _ if ty.bits <= 4 => usize::MAX,
        Kind::Mod(40) => 8,
        _ => 30,
    };
    if list.len() > keep {
        let last = list.len() - 1;
        list = (0..keep).map(|n| list[n * last / (keep - 1)]).collect();
    }
    list
}

/// One member of each class that the type has.
fn classes(u: &Universe, ty: IntTy, kind: Kind) -> Vec<i128> {
    let mut seen = FxHashSet::default();
    all(ty)
        .filter(|v| seen.insert(u.constant(ty, kind, *v)))
        .collect()
}

fn union(
    u: &Universe,
    ty: IntTy,
    kind: Kind,
    classes: &[i128],
    chosen: impl Fn(usize) -> bool,
) -> Value {
    let members = classes.iter().enumerate().filter(|(n, _)| chosen(*n));
    u.alpha(ty, kind, members.map(|(_, v)| *v))
}

/// The values that bounds and exact values are taken from: all of them for 4 bits, and for 8
/// bits those at which something changes.
fn points(ty: IntTy) -> impl Iterator<Item = i128> + Clone {
    let interesting = [
        -128, -127, -100, -65, -17, -3, -2, -1, 0, 1, 2, 3, 7, 16, 31, 100, 126, 127, 128, 200,
        254, 255,
    ];
    all(ty).filter(move |v| ty.bits <= 4 || interesting.contains(v))
}

/// A repeatable source of numbers.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ x >> 31
    }
    pub fn value(&mut self, ty: IntTy) -> i128 {
        value::wrap(ty, i128::from(self.next()))
    }
    /// A set of values, of any size.
    pub fn set(&mut self, ty: IntTy) -> Bits {
        let dense = self.next() % 8;
        all(ty).filter(|_| self.next() % 8 <= dense).collect()
    }
}
