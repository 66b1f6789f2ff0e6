//! Soundness on types of every width, by random values: what the exhaustive test proves for
//! 4 and 8 bits must not break at 32 or 64, where numbers no longer fit in a word.

use cwolf_absint::domain::{Kind, Piece, UnaryOp, Universe, Value};
use cwolf_cwi::{BinOp, IntTy, value};
use proptest::prelude::*;

fn int_ty() -> impl Strategy<Value = IntTy> {
    let bits = prop_oneof![1_u16..=64, Just(32), Just(64), Just(16)];
    (bits, any::<bool>()).prop_map(|(bits, signed)| IntTy::new(bits, signed))
}

/// A number near something interesting.
fn number() -> impl Strategy<Value = i128> {
    prop_oneof![
        -3_i128..=3,
        -300_i128..=300,
        (0_u32..=64, -2_i128..=2).prop_map(|(shift, near)| (1_i128 << shift) + near),
        (0_u32..=63, -2_i128..=2).prop_map(|(shift, near)| near - (1_i128 << shift)),
        any::<i64>().prop_map(i128::from),
        any::<u64>().prop_map(i128::from),
    ]
}

#[derive(Clone, Debug)]
enum Choice {
    Kind(Kind),
    Part(Vec<i128>),
}

fn kind() -> impl Strategy<Value = Choice> {
    let far = i128::from(i64::MIN)..=i128::from(u64::MAX);
    let point = number().prop_map(move |v| v.clamp(*far.start(), *far.end()));
    prop_oneof![
        Just(Kind::Top),
        Just(Kind::Bool),
        Just(Kind::Int),
        Just(Kind::MinMax),
        (1_u32..100).prop_map(Kind::Mod),
        (1_u32..1000).prop_map(Kind::Div),
        (1_u16..40).prop_map(Kind::Set),
    ]
    .prop_map(Choice::Kind)
    .boxed()
    .prop_union(
        prop::collection::vec(point, 1..80)
            .prop_map(Choice::Part)
            .boxed(),
    )
}

/// A kind, and the concrete values (or one range of them) that a value of it covers.
#[derive(Clone, Debug)]
struct Operand {
    choice: Choice,
    members: Vec<i128>,
    range: bool,
}

fn operand() -> impl Strategy<Value = Operand> {
    let members = prop::collection::vec(number(), 1..5);
    (kind(), members, any::<bool>()).prop_map(|(choice, members, range)| Operand {
        choice,
        members,
        range,
    })
}

impl Operand {
    fn kind(&self, u: &Universe) -> Kind {
        match &self.choice {
            Choice::Kind(kind) => *kind,
            Choice::Part(points) => u.part(points).expect("good break points"),
        }
    }
    /// The abstract value, and members of it.
    fn value(&self, u: &Universe, ty: IntTy) -> (Value, Vec<i128>) {
        let members: Vec<i128> = self.members.iter().map(|v| value::wrap(ty, *v)).collect();
        let kind = self.kind(u);
        let v = if self.range {
            let (lo, hi) = (members.iter().min(), members.iter().max());
            let piece = lo.zip(hi).and_then(|(lo, hi)| Piece::interval(*lo, *hi));
            u.alpha_pieces(ty, kind, piece)
        } else {
            u.alpha(ty, kind, members.iter().copied())
        };
        // γ may have more: its ends, and those in the middle.
        let more = u.gamma(ty, v).into_iter().flat_map(|p| {
            let middle = p.lo + (p.hi - p.lo) / 2 / p.step.max(1) * p.step;
            [p.lo, middle, p.hi]
        });
        let all = members.into_iter().chain(more.take(60)).collect();
        (v, all)
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(crate::cases(3000)))]

    #[test]
    fn binary_operators_cover_their_results(
        ty in int_ty(), a in operand(), b in operand(), into in kind(), op in 0_usize..18,
    ) {
        let u = Universe::default();
        let op = BinOp::ALL[op];
        let ((a, xs), (b, ys)) = (a.value(&u, ty), b.value(&u, ty));
        let outcome = u.binary(op, ty, a, ty, b);
        let into = Operand { choice: into, members: vec![], range: false }.kind(&u);
        let direct = u.binary_to(op, ty, a, ty, b, into);
        let result_ty = if op.is_test() { IntTy::INT } else { ty };
        prop_assert!(u.leq(result_ty, direct.value, u.convert(result_ty, outcome.value, into)));
        for x in &xs {
            for y in &ys {
                match value::int_binary(op, ty, *x, *y) {
                    Ok(v) => {
                        prop_assert!(
                            u.contains(result_ty, outcome.value, v),
                            "{x} {op:?} {y} = {v} is not in {outcome:?}"
                        );
                        prop_assert!(u.contains(result_ty, direct.value, v), "{x} {y} {v}");
                    }
                    Err(_) => prop_assert!(outcome.may_trap && direct.may_trap),
                }
                if op.is_comparison() && value::int_binary(op, ty, *x, *y) == Ok(1) {
                    let (l, r) = u.constrain_both(op, ty, a, b);
                    prop_assert!(u.contains(ty, l, *x) && u.contains(ty, r, *y));
                }
            }
        }
    }

    #[test]
    fn unary_operators_and_casts_cover_their_results(
        ty in int_ty(), to in int_ty(), a in operand(), op in 0_usize..7, into in kind(),
    ) {
        let u = Universe::default();
        let op = UnaryOp::ALL[op];
        let (a, xs) = a.value(&u, ty);
        let result_ty = if op == UnaryOp::Not { IntTy::INT } else { ty };
        let (result, cast) = (u.unary(op, ty, a), u.cast(ty, to, a));
        let into = Operand { choice: into, members: vec![], range: false }.kind(&u);
        let converted = u.convert(ty, a, into);
        for x in xs {
            prop_assert!(u.contains(ty, a, x));
            prop_assert!(u.contains(ty, converted, x));
            prop_assert!(u.contains(result_ty, result, op.apply(ty, x)), "{op:?} {x}");
            prop_assert!(u.contains(to, cast, value::wrap(to, x)), "({to:?}) {x}");
        }
    }

    #[test]
    fn lattice_laws_hold(ty in int_ty(), a in operand(), b in operand(), k in operand()) {
        let u = Universe::default();
        let kind = k.kind(&u);
        let ((a, xs), (b, ys)) = (a.value(&u, ty), b.value(&u, ty));
        let (a, b) = (u.convert(ty, a, kind), u.convert(ty, b, kind));
        let (join, meet) = (u.join(ty, kind, a, b), u.meet(ty, kind, a, b));
        prop_assert_eq!(join, u.join(ty, kind, b, a));
        prop_assert_eq!(meet, u.meet(ty, kind, b, a));
        prop_assert!(u.leq(ty, a, join) && u.leq(ty, b, join));
        prop_assert!(u.leq(ty, meet, a) && u.leq(ty, meet, b));
        prop_assert_eq!(u.leq(ty, a, b), join == b);
        prop_assert_eq!(u.overlaps(ty, a, b), !meet.is_bottom());
        prop_assert!(xs.iter().all(|x| u.contains(ty, join, *x)));
        prop_assert!(ys.iter().all(|y| u.contains(ty, join, *y)));
    }

    /// The thesis' (3.30) and (3.32) are exact where nothing overflows, and so are we.
    #[test]
    fn sums_and_products_of_ranges_have_their_corners_as_bounds(
        a in -1000_i128..1000, b in 0_i128..1000, c in -1000_i128..1000, d in 0_i128..1000,
    ) {
        let u = Universe::default();
        let int = IntTy::INT;
        let range = |lo, len| u.alpha_pieces(int, Kind::MinMax, Piece::interval(lo, lo + len));
        let (x, y) = (range(a, b), range(c, d));
        let corners = |op: BinOp| {
            let both = [(a, c), (a, c + d), (a + b, c), (a + b, c + d)];
            let all = both.map(|(x, y)| value::int_binary(op, int, x, y).expect("no trap"));
            (*all.iter().min().expect("four"), *all.iter().max().expect("four"))
        };
        let bounds = |op| u.bounds(int, u.binary(op, int, x, int, y).value).expect("a value");
        prop_assert_eq!(bounds(BinOp::Mul), corners(BinOp::Mul));
        prop_assert_eq!(bounds(BinOp::Add), (a + c, a + b + c + d));
        prop_assert_eq!(bounds(BinOp::Sub), (a - c - d, a + b - c));
    }

    #[test]
    fn wide_integers_are_top(a in number(), b in number(), op in 0_usize..18, signed: bool) {
        let u = Universe::default();
        let ty = IntTy::new(128, signed);
        let op = BinOp::ALL[op];
        let (x, y) = (u.constant(ty, Kind::MinMax, a), u.constant(ty, Kind::Int, b));
        let outcome = u.binary(op, ty, x, ty, y);
        let result_ty = if op.is_test() { IntTy::INT } else { ty };
        match value::int_binary(op, ty, a, b) {
            Ok(v) => prop_assert!(u.contains(result_ty, outcome.value, v)),
            Err(_) => prop_assert!(outcome.may_trap),
        }
        let narrow = IntTy::new(8, signed);
        let cast = u.cast(ty, narrow, x);
        prop_assert!(u.contains(narrow, cast, value::wrap(narrow, a)));
        let amount = u.binary(BinOp::Shl, narrow, Value::Int(1), ty, y);
        prop_assert!(amount.may_trap);
        prop_assert!(u.is_top(ty, u.unary(UnaryOp::Neg, ty, x)));
    }
}
