use super::*;
use crate::code::{Branch, Callee};
use crate::program::{Definition, Linkage, Phase, VarKind};
use crate::testing::random_program;
use crate::text::{equal, parse, print};
use proptest::prelude::*;

fn part(items: &str) -> Program {
    let text = format!("cwi 2 target x86_64\n{items}");
    parse(&text).unwrap_or_else(|d| panic!("{d:#?}\n{text}"))
}

fn linked(parts: &[&str]) -> Linked {
    let linked = link(parts.iter().map(|p| part(p)).collect()).expect("it links");
    let found = crate::verify(&linked.program);
    assert!(found.is_empty(), "{found:#?}\n{}", print(&linked.program));
    linked
}

fn errors(parts: &[&str]) -> Vec<String> {
    let errors = link(parts.iter().map(|p| part(p)).collect()).expect_err("it does not link");
    errors.iter().map(|e| e.to_string()).collect()
}

/// Links the parts in order and prints the result without its first two lines.
#[track_caller]
fn check(parts: &[&str], wanted: &str) {
    let text = print(&linked(parts).program);
    let found: Vec<_> = text.lines().skip(2).filter(|l| !l.is_empty()).collect();
    let wanted: Vec<_> = wanted
        .lines()
        .map(str::trim)
        .filter(|l| !l.is_empty())
        .collect();
    let found: Vec<_> = found.iter().map(|l| l.trim()).collect();
    assert_eq!(found, wanted, "{text}");
}

#[test]
fn a_declaration_merges_into_the_definition() {
    let a = r#"
        global x: i32 declared @"a.c":1:12
        function main: fn() i32 @2:5
        { block_0: call f(x) -> block_1 @3:3
          block_1: return (r#0) @3:3 }
        function f: fn(i32) i32 declared @1:30"#;
    let b = r#"
        global x: i32 = { 0: i32 5 } @"b.c":1:5
        function f: fn(i32) i32 @2:5
        param n: i32 @2:11
        { block_0: return (n + x) @2:20 }"#;
    check(
        &[a, b],
        r#"
        global x: i32 = { 0: i32 5 } @"b.c":1:5
        function main: fn() i32 @"a.c":2:5
        {
        block_0:
        call f(x) -> block_1 @3:3
        block_1:
        return (r#0) @3:3
        }
        function f: fn(i32) i32 @"b.c":2:5
        param n: i32 @2:11
        {
        block_0:
        return (n + x) @2:20
        }"#,
    );
}

#[test]
fn statics_stay_apart() {
    let a = r#"global x: i32 internal @"a.c":1:5"#;
    let b = r#"global x: i32 internal @"b.c":1:5"#;
    check(
        &[a, b],
        r#"
        global x: i32 internal @"a.c":1:5
        global x.1: i32 internal @"b.c":1:5"#,
    );
}

#[test]
fn weaker_definitions_give_way() {
    let weak = r#"global x: i32 weak = { 0: i32 1 } @"w.c":1:5
        function f: fn() i32 weak @2:1
        local t: i32 @2:9
        { block_0: return (t) @2:2 }"#;
    let tentative = r#"global x: i32 tentative @"t.c":1:5"#;
    let full = r#"global x: i32 = { 0: i32 3 } @"d.c":1:5
        function f: fn() i32 @2:1
        { block_0: return (3) @2:2 }"#;
    let all = [weak, tentative, full];
    for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0]] {
        let p = linked(&order.map(|n| all[n])).program;
        assert_eq!(p.vars.len(), 1);
        assert_eq!(p.locations.describe(p.vars[VarId(0)].loc), "d.c:1");
        assert_eq!(p.locations.describe(p.funcs[FuncId(0)].loc), "d.c:2");
    }
    let p = linked(&[weak, tentative]).program;
    assert_eq!(p.vars[VarId(0)].definition, Definition::Tentative);
    assert_eq!(p.funcs[FuncId(0)].definition, Definition::Weak);
}

#[test]
fn errors_name_both_places() {
    let a = r#"global x: i32 @"a.c":1:5"#;
    let b = r#"global x: i32 @"b.c":7:5"#;
    assert_eq!(
        errors(&[a, b]),
        ["`x` is defined at a.c:1 and again at b.c:7; make one of them static or extern"]
    );
    let f = r#"function x: fn() i32 declared @"f.c":3:1"#;
    assert_eq!(
        errors(&[a, f]),
        ["`x` is a function at f.c:3 and a variable at a.c:1; rename one of them"]
    );
    let other = Program::new(Target::I386);
    let found = link(vec![part(a), other]).expect_err("different targets");
    assert!(matches!(found[0], LinkError::Targets { part: 2, .. }));
    assert_eq!(link(Vec::new()).expect_err("nothing"), [LinkError::Nothing]);
}

#[test]
fn arrays_of_unknown_length_agree() {
    let a = r#"global a: [0 x i32] declared @"a.c":1:5
        function f: fn(i64) *i32 @2:1
        param i: i64 @2:2
        { block_0: return (&a[i]) @2:3 }
        function g: fn() *[0 x i32] @3:1
        { block_0: return (&a) @3:3 }"#;
    let b = r#"global a: [10 x i32] @"b.c":1:5"#;
    let linked = linked(&[a, b]);
    assert_eq!(linked.warnings, []);
    let text = print(&linked.program);
    assert!(text.contains("global a: [10 x i32] @\"b.c\":1:5"), "{text}");
    assert!(text.contains("return (&a[i])"), "{text}");
    assert!(text.contains("return ((*[0 x i32])(&a))"), "{text}");
}

#[test]
fn tentative_definitions_merge_into_the_largest() {
    let a = r#"global a: [3 x i8] tentative @"a.c":1:5"#;
    let b = r#"global a: [5 x i8] tentative align 16 @"b.c":1:5"#;
    for parts in [[a, b], [b, a]] {
        let linked = linked(&parts);
        let var = &linked.program.vars[VarId(0)];
        assert_eq!(linked.program.types.name(var.ty), "[5 x i8]");
        assert_eq!(var.align, 16);
        assert_eq!(
            linked.warnings[0].to_string(),
            "`a` has type `[5 x i8]` and type `[3 x i8]`: b.c:1 and a.c:1"
        );
    }
}

#[test]
fn incompatible_uses_keep_their_type() {
    let a = r#"global x: f64 declared @"a.c":1:5
        function f: fn(...) i32 declared @1:9
        function main: fn() i32 @2:5
        local d: f64 @2:6
        { block_0: d = x @3:3
                   call f(1, 2) -> block_1 @4:3
          block_1: call f(1) -> block_2 @5:3
          block_2: return (r#0) @6:3 }"#;
    let b = r#"global x: i32 @"b.c":1:5
        function f: fn(i32) i32 @2:5
        param n: i32 @2:6
        { block_0: return (n) @2:7 }"#;
    let ab = linked(&[a, b]);
    assert_eq!(ab.warnings.len(), 1, "{:?}", ab.warnings);
    assert_eq!(
        ab.warnings[0].to_string(),
        "`x` has type `i32` and type `f64`: b.c:1 and a.c:1"
    );
    let text = print(&ab.program);
    assert!(text.contains("d = *(*f64)(&x)"), "{text}");
    assert!(
        text.contains("call ((&f):*fn(...) i32)(1, 2) -> block_1"),
        "{text}"
    );
    assert!(text.contains("call f(1) -> block_2"), "{text}");
}

/// What number an untagged record got depends on the records before it (C11 6.2.7).
#[test]
fn untagged_records_are_one_by_shape() {
    let a = r#"
        type struct "anon#0" size 4 align 4 { n: i32 at 0 }
        type struct "anon#1" size 8 align 4 { quot: i32 at 0 rem: i32 at 32 }
        global l: *struct "anon#1" declared @"a.c":1:5"#;
    let b = r#"
        type struct "anon#0" size 8 align 4 { quot: i32 at 0 rem: i32 at 32 }
        global l: *struct "anon#0" @"b.c":1:5"#;
    let linked = linked(&[a, b]);
    assert_eq!(linked.warnings, []);
    assert_eq!(linked.program.types.records.len(), 2);
}

#[test]
fn records_of_the_same_shape_are_one() {
    let a = r#"
        type struct list size 16 align 8 { next: *struct list at 0 data: *struct item at 64 }
        type struct item size 8 align 8 { owner: *struct list at 0 }
        type struct other size 4 align 4 { a: i32 at 0 }
        global l: *struct list declared @"a.c":1:5"#;
    let b = r#"
        type struct item incomplete align 1
        type struct list size 16 align 8 { next: *struct list at 0 data: *struct item at 64 }
        type struct other size 4 align 4 { b: i32 at 0 }
        global l: *struct list @"b.c":1:5"#;
    let linked = linked(&[a, b]);
    assert_eq!(linked.warnings, []);
    let names: Vec<_> = linked
        .program
        .types
        .records
        .iter()
        .map(|r| &*r.name)
        .collect();
    assert_eq!(names, ["list", "item", "other", "other"]);
    assert!(linked.program.types.records.iter().all(|r| r.complete));
}

#[test]
fn an_alias_gets_the_body() {
    let a = r#"
        function impl: fn(i32) i32 internal @"a.c":1:1
        param n: i32 @1:2
        { block_0: return (n + 1) @1:3 }
        function public: fn(i32) i32 weak alias "impl" @2:1"#;
    let p = linked(&[a]).program;
    let public = &p.funcs[p.function("public").expect("it is there")];
    assert_eq!((public.alias.clone(), public.params.len()), (None, 1));
    assert!(print(&p).contains("return (n + 1)"));
    let body = public.body.as_ref().expect("it has a body");
    assert_eq!(body.blocks.len(), 1);
    assert_eq!(
        p.vars[public.params[0]].kind,
        VarKind::Param(p.function("public").expect("yes"))
    );
}

#[test]
fn a_circle_of_aliases_is_refused() {
    let a = r#"
        function f: fn() i32 alias "g" @"a.c":1:1
        function g: fn() i32 alias "f" @2:1"#;
    let p = linked(&[a]).program;
    assert!(
        p.funcs
            .iter()
            .all(|f| f.alias.is_none() && f.refused.is_some())
    );
}

/// Parts that can be linked: definitions have names of their own, functions and variables too.
fn parts(seed: u64, size: usize) -> Vec<Program> {
    let mut parts: Vec<Program> = Vec::new();
    let mut n = 0;
    while parts.len() < 3 {
        let mut p = random_program(seed.wrapping_mul(31).wrapping_add(n), size);
        n += 1;
        if p.target() != Target::X86_64 {
            continue;
        }
        let own = parts.len();
        for (n, record) in p.types.records.iter_mut().enumerate() {
            if !record.complete {
                record.name = format!("{own}.{n}");
            }
        }
        for (n, func) in p.funcs.iter_mut().enumerate() {
            func.name = format!("f{}", func.name);
            if let Some(alias) = &mut func.alias {
                *alias = format!("f{alias}");
            }
            if func.definition == Definition::Defined {
                func.name += &format!("{own}.{n}");
            }
        }
        for (n, var) in p.vars.iter_mut().enumerate() {
            var.name = format!("v{}", var.name);
            if var.definition == Definition::Defined {
                var.name += &format!("{own}.{n}");
            }
        }
        parts.push(p);
    }
    parts
}

/// The first lines in which two programs differ.
fn difference(a: &Program, b: &Program) -> String {
    let (a, b) = (print(a), print(b));
    let lines = a.lines().zip(b.lines()).find(|(a, b)| a != b);
    format!("{lines:#?} of {} and {}", a.len(), b.len())
}

proptest! {
    /// Linking in any grouping gives the same program, which is valid.
    #[test]
    fn grouping_does_not_matter(seed: u64, size in 0usize..10) {
        let p = parts(seed, size);
        let go = |parts: Vec<Program>| {
            let program = link(parts).map_err(|e| TestCaseError::fail(format!("{e:?}")))?.program;
            let found: Vec<_> = crate::verify(&program).iter().map(|v| v.describe(&program)).collect();
            prop_assert!(found.is_empty(), "{:?}\n{}", found, print(&program));
            Ok(program)
        };
        let [a, b, c] = [0, 1, 2].map(|n| p[n].clone());
        let at_once = go(vec![a.clone(), b.clone(), c.clone()])?;
        let left = go(vec![go(vec![a.clone(), b.clone()])?, c.clone()])?;
        let right = go(vec![a, go(vec![b, c])?])?;
        prop_assert!(equal(&at_once, &left), "{}", difference(&at_once, &left));
        prop_assert!(equal(&at_once, &right), "{}", difference(&at_once, &right));
    }

    /// Nothing that others can see is lost.
    #[test]
    fn nothing_is_dropped(seed: u64) {
        let parts = parts(seed, 8);
        let whole = link(parts.clone()).map_err(|e| TestCaseError::fail(format!("{e:?}")))?.program;
        for part in &parts {
            for func in part.funcs.iter() {
                prop_assert!(whole.funcs.iter().any(|f| f.name == func.name));
            }
            let bodies = |p: &Program| p.funcs.iter().filter(|f| f.definition == Definition::Defined && f.linkage == Linkage::Internal).count();
            prop_assert!(bodies(&whole) >= bodies(part));
            for var in part.vars.iter().filter(|v| !v.kind.is_automatic()) {
                prop_assert!(whole.vars.iter().any(|v| v.name == var.name));
            }
        }
    }

    /// Direct calls in the whole fit their function.
    #[test]
    fn linking_one_part_changes_no_call(seed: u64) {
        let p = parts(seed, 8).swap_remove(0);
        let calls = |p: &Program| {
            let bodies = p.funcs.iter().filter_map(|f| f.body.as_ref());
            bodies.flat_map(|b| b.blocks.iter()).filter(|b| matches!(b.branch, Branch::Call { callee: Callee::Direct(_), .. })).count()
        };
        let before = calls(&p);
        let names: std::collections::HashSet<_> = p.funcs.iter().map(|f| &f.name).collect();
        prop_assume!(names.len() == p.funcs.len());
        let weak = p.funcs.iter().any(|f| f.definition == Definition::Weak || f.alias.is_some());
        let whole = link(vec![p]).map_err(|e| TestCaseError::fail(format!("{e:?}")))?.program;
        prop_assert!(weak || calls(&whole) >= before);
    }
}

#[test]
fn an_alias_of_a_variable_becomes_that_variable() {
    let a = r#"
        global b: i32 alias "a" @"a.c":2:5
        global s: i32 internal alias "b" @3:5
        global a: i32 = { 0: i32 5 } @1:5
        function f: fn() i32 @4:5
        { block_0: return (a + b + s) @4:9 }"#;
    let b = r#"
        global b: i32 declared @"b.c":1:5
        function g: fn() i32 @2:5
        { block_0: return (b) @2:9 }"#;
    check(
        &[b, a],
        r#"
        global a: i32 = { 0: i32 5 } @"a.c":1:5
        function g: fn() i32 @"b.c":2:5
        {
        block_0:
        return (a) @2:9
        }
        function f: fn() i32 @"a.c":4:5
        {
        block_0:
        return (a + a + a) @4:9
        }"#,
    );
    let own = r#"global b: i32 = { 0: i32 7 } @"c.c":1:5"#;
    let weak = a.replace("alias \"a\"", "weak alias \"a\"");
    let program = linked(&[&weak, own]).program;
    assert_eq!(program.vars.len(), 2, "a weak alias gives way");
    let lost = linked(&[r#"global b: i32 alias "nothing" @"a.c":1:5"#]).program;
    assert_eq!(lost.vars[VarId(0)].definition, Definition::Declared);
}

#[test]
fn weak_references_that_nothing_defines_are_null() {
    let user = r#"
        global v: [2 x i32] declared weakref @"a.c":1:5
        global p: *i32 = { 0: *i32 &v + 4 } @2:5
        global q: *fn() void = { 0: *fn() void &f } @3:5
        function f: fn() void declared weakref @4:5
        function main: fn() i32 @5:5
        { block_0: if ((&f) != 0:*fn() void) then goto block_1 else goto block_2 @5:9
          block_1: call f() -> block_2 @5:9
          block_2: return (v[1:i64]) @6:9 }"#;
    let mut program = linked(&[user]).program;
    weak::settle(&mut program, &|_| false);
    assert_eq!(crate::verify(&program), Vec::new());
    let text = print(&program);
    for expected in [
        "0: *i32 4",
        "if (0:*fn() void !=",
        "call (0:*fn() void)() ->",
    ] {
        assert!(text.contains(expected), "{expected} in {text}");
    }
    let mut program = linked(&[user]).program;
    weak::settle(&mut program, &|name| name == "f" || name == "v");
    assert!(equal(&program, &linked(&[user]).program), "provided");
    let other = r#"function f: fn() void @"b.c":1:5
        { block_0: return @1:9 }
        global v: [2 x i32] @2:5"#;
    let mut program = linked(&[user, other]).program;
    assert!(!program.funcs.iter().any(|f| f.weak), "defined");
    let before = program.clone();
    weak::settle(&mut program, &|_| false);
    assert!(equal(&program, &before));
    let plain = r#"function f: fn() void declared @"b.c":1:5"#;
    let program = linked(&[user, plain]).program;
    assert!(!program.funcs.iter().any(|f| f.weak), "one asks for it");
}

#[test]
fn constructors_stay_in_order() {
    let file = |name: &str| {
        format!(
            r#"function f: fn() void internal @"{name}":1:5
               {{ block_0: return @1:9 }}
               function g: fn() void internal @2:5
               {{ block_0: return @2:9 }}
               constructor g priority 65535
               constructor f priority 65535
               destructor f priority 65535
               constructor f priority 101
               destructor g priority 200"#
        )
    };
    let program = linked(&[&file("a.c"), &file("b.c")]).program;
    let at = |f: FuncId| program.locations.describe(program.funcs[f].loc);
    let order = |phase| -> Vec<String> { program.runs_in(phase).into_iter().map(at).collect() };
    let (constructor, destructor) = (Phase::Constructor, Phase::Destructor);
    let first = ["a.c:1", "b.c:1", "a.c:2", "a.c:1", "b.c:2", "b.c:1"];
    assert_eq!(order(constructor), first);
    assert_eq!(order(destructor), ["b.c:1", "a.c:1", "b.c:2", "a.c:2"]);
}

#[test]
fn an_alias_of_a_function_has_its_address() {
    let a = r#"
        function f: fn() void @"a.c":1:5
        { block_0: return @1:9 }
        function g: fn() void alias "f" @2:5"#;
    let b = r#"
        global p: *fn() void = { 0: *fn() void &g } @"b.c":1:5
        function f: fn() void declared @2:5
        function g: fn() void declared @3:5
        function main: fn() i32 @4:5
        { block_0: call g() -> block_1 @4:9
          block_1: return ((&f) == (&g)) @5:9 }"#;
    let text = print(&linked(&[a, b]).program);
    for expected in ["0: *fn() void &f", "call g() ->", "(&f == &f)"] {
        assert!(text.contains(expected), "{expected} in {text}");
    }
}
