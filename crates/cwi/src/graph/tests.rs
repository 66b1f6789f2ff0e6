use super::*;
use crate::code::{BlockId, FuncId};
use crate::program::Program;
use crate::testing::random_program;
use proptest::prelude::*;

fn program(items: &str) -> Program {
    let text = format!("cwi 2 target x86_64\n{items}");
    crate::text::parse(&text).unwrap_or_else(|d| panic!("{d:#?}\n{text}"))
}

fn names(p: &Program, funcs: &[FuncId]) -> Vec<String> {
    funcs.iter().map(|f| p.funcs[*f].name.clone()).collect()
}

const NESTED: &str = r#"function f: fn(i32) i32 @"a.c":1:1
    param n: i32 @1:1
    { block_0: goto block_1 @1:1
      block_1: if (n) then goto block_2 else goto block_5 @1:1
      block_2: goto block_3 @1:1
      block_3: if (n) then goto block_3 else goto block_4 @1:1
      block_4: goto block_1 @1:1
      block_5: return (n) @1:1
      block_6: goto block_5 @1:1 }"#;

#[test]
fn loops_and_dominators() {
    let p = program(NESTED);
    let cfg = Cfg::new(p.funcs[FuncId(0)].body.as_ref().expect("a body"));
    let b = BlockId;
    assert_eq!(cfg.reverse_postorder(), [0, 1, 2, 3, 4, 5].map(b));
    assert_eq!(cfg.predecessors(b(1)), [0, 4].map(b));
    assert_eq!(cfg.immediate_dominator(b(4)), Some(b(3)));
    assert_eq!(cfg.immediate_dominator(b(5)), Some(b(1)));
    assert!(cfg.dominates(b(1), b(4)) && !cfg.dominates(b(2), b(5)));
    assert!(!cfg.is_reachable(b(6)));
    assert_eq!(cfg.back_edges(), [(b(3), b(3)), (b(4), b(1))]);
    let loops = cfg.loops();
    assert_eq!(loops[0].blocks, [1, 2, 3, 4].map(b));
    assert_eq!(loops[1].blocks, [b(3)]);
}

#[test]
fn tail_calls() {
    let p = program(
        r#"function f: fn(i32) i32 @"a.c":1:1
        param n: i32 @1:1
        reg r#1: i32
        { block_0: call f(n) -> block_1 @1:1
          block_1: r#1 = r#0 @1:1 return (r#1) @1:1
          block_2: call f(n) -> block_3 @1:1
          block_3: r#1 = r#0:i32 + 1 @1:1 return (r#1) @1:1
          block_4: call g() -> block_5 @1:1
          block_5: return (n) @1:1 }
        function g: fn() void @2:1
        { block_0: call g() -> block_1 @1:1
          block_1: return @1:1 }"#,
    );
    let body = |n| p.funcs[FuncId(n)].body.as_ref().expect("a body");
    assert!(is_tail_call(body(0), BlockId(0)));
    assert!(!is_tail_call(body(0), BlockId(2)));
    assert!(!is_tail_call(body(0), BlockId(4)));
    assert!(is_tail_call(body(1), BlockId(0)));
}

const POINTERS: &str = r#"
    type struct ops size 16 align 8 { open: *fn(i32) i32 at 0 close: *fn() void at 64 }
    global table: struct ops = { 0: *fn(i32) i32 &one 64: *fn() void &shut } @"a.c":1:1
    global hidden: [2 x *fn(i32) i32] = { 64: *fn(i32) i32 &two } @1:1
    function one: fn(i32) i32 internal @1:1 param n: i32 @1:1
    { block_0: call two(n) -> block_1 @1:1
      block_1: return (r#0) @1:1 }
    function two: fn(i32) i32 internal @1:1 param n: i32 @1:1
    { block_0: call one(n) -> block_1 @1:1
      block_1: return (r#0) @1:1 }
    function shut: fn() void internal @1:1
    { block_0: return @1:1 }
    function given: fn(i32) i32 internal @1:1 param n: i32 @1:1
    { block_0: return (n) @1:1 }
    function never: fn(i32) i32 internal @1:1 param n: i32 @1:1
    { block_0: return (n) @1:1 }
    function outside: fn(*fn(i32) i32) *fn(i32) i32 declared @1:1
    function malloc: fn(u64) *void declared @1:1
    function main: fn() i32 @1:1
      local t: *struct ops @1:1
      local i: u64 @1:1
      local h: **fn(i32) i32 @1:1
    { block_0: t = &table @1:1
               call (t->open)(1) -> block_1 @1:1
      block_1: i = u64(hidden[1]) @1:1
               call ((*fn(i32) i32)(i ^ 1:u64))(2) -> block_2 @1:1
      block_2: call outside(&given) -> block_3 @1:1
      block_3: call (r#0:*fn(i32) i32)(3) -> block_4 @1:1
      block_4: call malloc(8:u64) -> block_5 @1:1
      block_5: h = (**fn(i32) i32)(r#0:*void) @1:1
               *h = &two @1:1
               call (*h)(4) -> block_6 @1:1
      block_6: return (0) @1:1 }"#;

#[test]
fn calls_through_pointers() {
    let p = program(POINTERS);
    let graph = CallGraph::new(&p);
    let main = p.function("main").expect("main");
    let targets: Vec<_> = graph
        .calls_in(main)
        .iter()
        .map(|c| names(&p, &c.targets))
        .collect();
    // Whole variables: the table's two functions are not told apart, and one that takes no argument can be called with one.
    assert_eq!(targets[0], ["one", "shut"]);
    assert_eq!(targets[1], ["two"]);
    assert_eq!(targets[2], ["outside"]);
    assert_eq!(targets[3], ["given"]);
    assert!(graph.calls_in(main)[3].unknown);
    assert!(targets[5].contains(&"two".to_owned()), "{targets:?}");
    let one = p.function("one").expect("one");
    assert!(graph.is_recursive(one) && !graph.is_recursive(main));
    assert!(graph.component(one) < graph.component(main));
    let never = p.function("never").expect("never");
    assert!(!graph.reachable(&[main]).contains(&never));
}

/// Every value that `interp` could see must be found: here on a chain of copies in a circle.
#[test]
fn circles_of_copies_end() {
    let p = program(
        r#"function f: fn() void internal @"a.c":1:1 { block_0: return @1:1 }
        function main: fn() i32 @1:1
          local a: *fn() void @1:1 local b: *fn() void @1:1 local c: *fn() void @1:1
        { block_0: a = b @1:1 b = c @1:1 c = a @1:1 c = &f @1:1
                   call (a)() -> block_1 @1:1
          block_1: return (0) @1:1 }"#,
    );
    let graph = CallGraph::new(&p);
    let main = p.function("main").expect("main");
    assert_eq!(names(&p, graph.callees(main)), ["f"]);
}

proptest! {
    #[test]
    fn dominators_are_what_they_should_be(seed: u64, size in 1usize..24) {
        let p = random_program(seed, size);
        for body in p.funcs.iter().filter_map(|f| f.body.as_ref()) {
            let cfg = Cfg::new(body);
            // Without `a`, `b` is not reached: the definition, by search.
            for a in body.blocks.ids() {
                let mut seen = vec![false; body.blocks.len()];
                let mut work = vec![BlockId(0)];
                while let Some(b) = work.pop() {
                    if b != a && !std::mem::replace(&mut seen[b.0 as usize], true) {
                        work.extend(cfg.successors(b));
                    }
                }
                for b in body.blocks.ids().filter(|b| cfg.is_reachable(*b) && cfg.is_reachable(a)) {
                    prop_assert_eq!(cfg.dominates(a, b), !seen[b.0 as usize]);
                }
            }
        }
    }

    #[test]
    fn random_programs_have_call_graphs(seed: u64, size in 0usize..20) {
        let p = random_program(seed, size);
        let graph = CallGraph::new(&p);
        for call in graph.calls() {
            prop_assert!(!call.direct || call.targets.len() == 1);
            for to in &call.targets {
                prop_assert!(graph.callers(*to).contains(&call.caller));
                let order = graph.component(*to) <= graph.component(call.caller);
                prop_assert!(order);
            }
        }
    }
}
