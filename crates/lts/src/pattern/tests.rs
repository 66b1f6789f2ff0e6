use super::*;
use proptest::prelude::*;

fn pattern(label: &str) -> Pattern {
    Pattern::parse(label)
}

#[test]
fn holes_are_seen_and_texts_are_not() {
    for label in [
        "out {?}",
        "out {0..2}",
        "{1,4}",
        "`in {..-1,1..}",
        "'x={1..9/2};",
    ] {
        assert!(is_pattern(label), "{label}");
        assert_eq!(pattern(label).to_string(), label);
    }
    for label in [
        "out 1", "{", "{1}", "{x}", "{01..2}", "{2..1}", "{'0..2}", "{..5/2}", "{-0..1}",
    ] {
        assert!(!is_pattern(label), "{label}");
    }
    assert_eq!(pattern("{'0..2}").text(), Some("{0..2}"));
    assert_eq!(literal("a{?}b{'1,2}"), "a{'?}b{''1,2}");
    assert_eq!(pattern("{0,1,2}").to_string(), "{0..2}");
}

#[test]
fn members() {
    assert!(pattern("out {0..2}").contains("out 1"));
    assert!(!pattern("out {0..2}").contains("out 3"));
    assert!(!pattern("out {0..2}").contains("out 01"));
    assert!(pattern("out {1..9/2}").contains("out 7"));
    assert!(!pattern("out {1..9/2}").contains("out 8"));
    assert!(pattern("out {..-1,1..}").contains("out -5"));
    assert!(!pattern("{?}").contains("tau"));
    let list = pattern("{0,2} {1,5}").members(10).expect("few");
    assert_eq!(list, ["0 1", "0 5", "2 1", "2 5"]);
    assert_eq!(pattern("{?}").members(10), None);
}

#[test]
fn overlap_and_inclusion() {
    let cases = [
        ("out {0..2}", "out {2..5}", true, false),
        ("out {0..2}", "out {3..5}", false, false),
        ("out {0..9}", "out {2..5}", true, true),
        ("out {?}", "out {2..5} {?}", true, true),
        ("out {?}", "in {?}", false, false),
        ("send {?}", "sendack {?}", false, false),
        ("x={0..9} y={?}", "x={3,4} y=5", true, true),
        ("out {0..8/2}", "out {1..9/2}", false, false),
        ("out {0..8/4}", "out {0..8/2}", true, false),
        ("out {0..8/2}", "out {0..8/4}", true, true),
    ];
    for (a, b, overlaps, includes) in cases {
        let (x, y) = (pattern(a), pattern(b));
        assert_eq!(
            (x.overlaps(&y), x.includes(&y)),
            (overlaps, includes),
            "{a} {b}"
        );
        assert_eq!(y.overlaps(&x), overlaps, "{b} {a}");
    }
}

fn values() -> impl Strategy<Value = Values> {
    let span = (-6..12i128, 0..8i128, 1..4i128).prop_map(|(lo, n, step)| (lo, lo + n, step));
    prop_oneof![
        1 => Just(Values::Any),
        4 => prop::collection::vec(span, 1..3)
            .prop_map(|spans| Values::numbers(spans).expect("none is empty")),
    ]
}

fn patterns() -> impl Strategy<Value = Pattern> {
    let text = prop::sample::select(vec!["a", "a ", "-", "1", "{", "}", "{0..", "{'?}", "`"]);
    let piece = prop_oneof![
        text.prop_map(|t| Piece::Text(t.to_owned())),
        values().prop_map(Piece::Hole),
    ];
    prop::collection::vec(piece, 0..4).prop_map(Pattern::new)
}

/// Some actions of a pattern.
fn some(p: &Pattern) -> Vec<String> {
    let mut list = vec![String::new()];
    for piece in p.pieces() {
        let choices = match piece {
            Piece::Text(text) => vec![text.clone()],
            Piece::Hole(Values::Any) => vec!["0".into(), "a".into(), "-1}".into(), "12".into()],
            Piece::Hole(numbers) => {
                let all = numbers.members(100).expect("few");
                all.iter().map(|n| n.to_string()).collect()
            }
        };
        let next = list
            .iter()
            .flat_map(|t| choices.iter().map(move |c| format!("{t}{c}")));
        list = next.take(400).collect();
    }
    list
}

proptest! {
    #[test]
    fn text_and_back(p in patterns()) {
        prop_assert_eq!(Pattern::parse(&p.to_string()), p);
    }
    #[test]
    fn any_text_has_a_label(text in "[{}'?.,0-9a-]{0,12}") {
        let label = literal(&text);
        let meant = Pattern::parse(&label);
        prop_assert_eq!(meant.text(), Some(&*text));
    }
    #[test]
    fn algebra(p in patterns(), q in patterns()) {
        let (xs, ys) = (some(&p), some(&q));
        for x in &xs {
            prop_assert!(p.contains(x) || x == TAU_NAME, "{} has {}", p, x);
        }
        let common = xs.iter().any(|x| q.contains(x)) || ys.iter().any(|y| p.contains(y));
        prop_assert!(!common || p.overlaps(&q), "{} and {}", p, q);
        prop_assert_eq!(p.overlaps(&q), q.overlaps(&p));
        if p.includes(&q) {
            for y in &ys {
                prop_assert!(p.contains(y), "{} includes {} but not {}", p, q, y);
            }
            prop_assert!(p.overlaps(&q));
        }
        prop_assert!(p.includes(&p) && p.overlaps(&p));
    }
    #[test]
    fn numbers(a in values(), b in values()) {
        let (Some(xs), Some(ys)) = (a.members(100), b.members(100)) else {
            return Ok(());
        };
        prop_assert_eq!(a.overlaps(&b), xs.iter().any(|x| ys.contains(x)));
        if a.includes(&b) {
            prop_assert!(ys.iter().all(|y| xs.contains(y)));
        }
    }
    #[test]
    fn sets(label in patterns(), names in prop::collection::vec(patterns(), 0..3)) {
        let texts: Vec<String> = names.iter().map(|n| n.to_string()).collect();
        let set = ActionSet::new(texts.iter().map(|t| &**t));
        let inside = |x: &String| names.iter().any(|n| n.contains(x));
        let members = some(&label);
        if set.has(&label, Reading::Surely) {
            prop_assert!(members.iter().all(inside));
        }
        if !set.has(&label, Reading::Possibly) {
            prop_assert!(!members.iter().any(inside));
        }
    }
}
