//! Programs whose answers are known.

use crate::{ask, prepare, word};
use cwolf_absint::explore::Search;
use cwolf_absint::machine::Options;
use cwolf_base::Budget;
use cwolf_refine::{Answer, Subject, fit};

const RULES: &str = "call(a) => a; call(b) => b; call(bad) => bad;";
const HEAD: &str =
    "extern int in(void); extern void a(void); extern void b(void); extern void bad(void);\n";

fn check(body: &str, formula: &str, wanted: &str) -> String {
    let subjected = prepare(&format!("{HEAD}{body}"), RULES);
    let outcome = ask(&subjected, formula, 100_000, &Budget::unlimited());
    let reason = match &outcome.answer {
        Answer::Unknown(reason) => reason.text.clone(),
        _ => String::new(),
    };
    let map = &outcome.map;
    assert_eq!(
        word(&outcome.answer),
        wanted,
        "{formula}: {reason}\n{map}\n{body}"
    );
    outcome.map
}

#[test]
fn what_no_variable_matters_for_needs_no_map() {
    let map = check(
        "static int x; int main(void) { x = in(); a(); return 0; }",
        "G not {bad}",
        "proved",
    );
    assert!(!map.contains("var"), "{map}");
}

#[test]
fn only_what_matters_enters_the_map() {
    let map = check(
        "static int mode; static int noise;
         int main(void) { for (;;) { noise = in(); if (mode == 2) bad(); if (in()) mode = 1; else mode = 0; a(); } }",
        "G not {bad}",
        "proved",
    );
    assert!(map.contains("mode") && !map.contains("noise"), "{map}");
}

#[test]
fn a_real_run_is_shown() {
    check(
        "int main(void) { int x = in(); if (x == 42) bad(); return 0; }",
        "G not {bad}",
        "shown",
    );
}

#[test]
fn another_run_is_shown_where_no_map_excludes_the_first() {
    // The shortest run leaves the loop too early, and no domain of single variables tells that.
    check(
        "int main(void) { int x = in(), y = x + 3; while (x < y) { a(); x++; } b(); if (in() == 7) bad(); return 0; }",
        "G not {bad}",
        "shown",
    );
}

#[test]
fn locks_with_a_flag() {
    let body = "static int locked; static int got;
        int main(void) { do { if (locked) bad(); locked = 1; a(); got = in(); if (got) { locked = 0; b(); } } while (got);
          if (!locked) bad(); return 0; }";
    check(body, "G not {bad}", "proved");
    check(body, "E F {b}", "shown");
}

#[test]
fn counters_up_to_a_bound() {
    let body = |bound: u32| {
        format!(
            "int main(void) {{ int n = 0; while (n < 5) {{ a(); n++; }} if (n != {bound}) bad(); return 0; }}"
        )
    };
    check(&body(5), "G not {bad}", "proved");
    check(&body(6), "G not {bad}", "shown");
}

#[test]
fn through_calls_returns_and_pointers() {
    let body = "struct s { int state; int other; };
        static int next(struct s *p, int c) { if (c == 3) p->state = 1; p->other = c; return p->state; }
        int main(void) { struct s s = {0, 0}; for (;;) { int c = in(); int r = next(&s, c);
            if (r && s.state == 0) bad(); if (r) { a(); s.state = 0; } else b(); } }";
    check(body, "G not {bad}", "proved");
    check(body, "G not {a}", "shown");
}

#[test]
fn order_of_events() {
    let body = "static int open;
        int main(void) { for (;;) switch (in()) {
            case 1: if (!open) { open = 1; a(); } break;
            case 2: if (open) { open = 0; b(); } break;
            case 3: return 0; } }";
    check(body, "not {b} W {a}", "proved");
    check(body, "G ({a} -> X (not {a} W {b}))", "proved");
    check(body, "G not {b}", "shown");
}

#[test]
fn ends_are_runs_too() {
    let body = "int main(void) { if (in()) a(); return 0; }";
    check(body, "F {a}", "shown");
    check(
        "int main(void) { if (in()) b(); a(); return 0; }",
        "F {a}",
        "proved",
    );
}

#[test]
fn formulas_that_no_such_model_decides_are_refused() {
    check(
        "int main(void) { a(); return 0; }",
        "AG EF <a>tt",
        "unknown",
    );
}

#[test]
fn relations_are_not_invented() {
    let body =
        "int main(void) { int x = in(); int y = x; if (x > 1000 && y + 1 == x) bad(); return 0; }";
    check(body, "G not {bad}", "unknown");
}

#[test]
fn conditions_of_labels_are_followed() {
    let text =
        format!("{HEAD}int x; int main(void) {{ x = in(); if (x > 3) {{ a(); }} return 0; }}");
    let subjected = prepare(
        &text,
        "call(a) when x == 2 => two; call(a) when x == 7 => seven;",
    );
    let ask = |f| ask(&subjected, f, 10_000, &Budget::unlimited());
    assert_eq!(word(&ask("G not {two}").answer), "proved");
    assert_eq!(word(&ask("G not {seven}").answer), "shown");
}

#[test]
fn the_map_gives_the_same_answer_by_hand() {
    let body = "static int s; int main(void) { for (;;) { int c = in(); if (s == 2 && c == 1) b(); s = c == 5 ? 1 : s == 1 ? 2 : 0; if (s == 3) bad(); } }";
    let subjected = prepare(&format!("{HEAD}{body}"), RULES);
    let outcome = ask(&subjected, "G not {bad}", 10_000, &Budget::unlimited());
    assert_eq!(word(&outcome.answer), "proved");
    let states = outcome.states;
    let universe = cwolf_absint::domain::Universe::default();
    let map = cwolf_absint::map::Text {
        name: "x.am",
        text: &outcome.map,
    };
    let mut sources = cwolf_base::SourceMap::default();
    let abstraction = cwolf_absint::map::parse_abstraction(
        &subjected.program,
        &universe,
        &mut sources,
        map,
        &mut |_| Err(String::new()),
    )
    .expect("a correct map");
    let mut machine = cwolf_absint::machine::Machine::new(
        &subjected.program,
        &universe,
        &abstraction,
        &subjected.labels,
        Default::default(),
    );
    let search = Search::default();
    let model = cwolf_absint::explore::explore(
        &mut machine,
        subjected.entry,
        &search,
        &Budget::unlimited(),
    );
    assert_eq!(model.lts.states(), states);
    assert!(model.lts.labels().lookup("bad").is_none());
}

#[test]
fn tiny_budgets_end_without_an_answer() {
    let body =
        "int main(void) { int n = 0; for (;;) { n = n * 3 + in(); if (n == 77) bad(); a(); } }";
    let subjected = prepare(&format!("{HEAD}{body}"), RULES);
    let outcome = ask(&subjected, "G not {bad}", 3, &Budget::unlimited());
    assert_ne!(word(&outcome.answer), "proved");
    let none = Budget::unlimited().timeout(std::time::Duration::ZERO);
    let outcome = ask(&subjected, "G not {bad}", 1000, &none);
    assert_eq!(word(&outcome.answer), "unknown");
}

#[test]
fn runs_that_go_on_for_ever() {
    let body = "static int s; int main(void) { for (;;) { int c = in(); if (c == 1) a(); else if (s) b(); s = c == 2; } }";
    check(body, "F {b}", "shown");
    check(body, "G F {a}", "shown");
    check(
        "int main(void) { for (;;) { in(); a(); b(); } }",
        "G ({a} -> F {b})",
        "proved",
    );
    // A counter that grows does not make each round another one: nothing depends on it.
    let counts = "static unsigned n; int main(void) { for (;;) { n++; if (in()) a(); } }";
    check(counts, "F {a}", "shown");
}

#[test]
fn a_map_without_a_formula_stays_within_a_size() {
    let body = "static int state;
        int main(void) { int x = 0, y = 0; for (;;) { if (x++ == 50) x = 0; if (in() && y++ == 40) y = 0;
          if (x == 3 && y == 2) state = 1; if (state) a(); else b(); } }";
    let subjected = prepare(&format!("{HEAD}{body}"), RULES);
    let subject = Subject {
        program: &subjected.program,
        entry: subjected.entry,
        labels: &subjected.labels,
        options: Options::default(),
        search: Search::default(),
    };
    let budget = Budget::unlimited();
    let fine = fit(&subject, None, &budget, &mut |_| {});
    assert!(
        fine.coarser.is_empty() && fine.map.contains("part(0,1,2"),
        "{}",
        fine.map
    );
    let mut rounds = 0;
    let fitted = fit(&subject, Some(2_000), &budget, &mut |_| rounds += 1);
    assert!(
        rounds > 0 && fitted.coarser.iter().all(|name| name != "state"),
        "{:?}",
        fitted.coarser
    );
    assert!(fitted.map.contains("var state : int"), "{}", fitted.map);
    // It fits now: asked again, nothing changes.
    let once_more = fit(&subject, Some(2_000), &budget, &mut |_| {});
    assert_eq!(once_more.map, fitted.map);
}

const JUMPS: &str = "typedef long jmp_buf[25]; int setjmp(jmp_buf); void longjmp(jmp_buf, int); static jmp_buf env;\n";

#[test]
fn a_jump_comes_back_to_a_function_whose_last_call_it_leaves() {
    // `guarded` calls `use` last: its frame stays all the same.
    let body = format!(
        "{JUMPS}static void use(int k) {{ a(); if (k < 0) longjmp(env, 3); }}
         static void guarded(int k) {{ if (setjmp(env) == 0) use(k); else b(); }}
         int main(void) {{ guarded(in()); return 0; }}"
    );
    check(&body, "G not {b}", "shown");
    check(&body, "(not {b}) W {a}", "proved");
}

#[test]
fn runs_that_jump_are_followed() {
    let body = format!(
        "{JUMPS}static void jump(int v) {{ longjmp(env, v); }}
         int main(void) {{
           int r = setjmp(env);
           if (r == 0) {{ if (in() == 4) return 0; a(); jump(0); }}
           else if (r == 1) {{ b(); jump(2); }}
           else if (r == 2) return 0;
           bad(); return 1; }}"
    );
    check(&body, "G not {bad}", "proved");
    check(&body, "G not {b}", "shown");
    check(&body, "F {b}", "shown");
    // Through several calls, one of which sets a buffer of its own each time; the run ends with another call.
    let body = format!(
        "{JUMPS}static jmp_buf inner;
         static void deep(int k) {{ if (k == 1) longjmp(inner, 1); if (k == 2) longjmp(env, 1); }}
         static int middle(void) {{ if (setjmp(inner)) {{ a(); return 1; }} deep(in()); return 0; }}
         int main(void) {{
           if (setjmp(env)) {{ b(); return 1; }}
           for (int n = 0; n < 2; n++) if (middle() == 1 && n == 1) bad();
           return 0; }}"
    );
    check(&body, "G not {bad}", "shown");
    check(&body, "G ({a} -> G not {b})", "shown");
    check(&body, "(not {bad}) W {a}", "proved");
}

#[test]
fn which_function_without_a_body_an_address_leads_to_is_followed() {
    let body = "static void (*const table[3])(void) = { a, in0, b };
        int main(void) { int k = 0; for (;;) { table[k](); if (in() == 1 && k < 2) k++; } }";
    let body = &format!("extern void in0(void);\n{body}");
    check(body, "(not {b}) W {a}", "proved");
    check(body, "(not {a}) W {b}", "shown");
    check(body, "G not {b}", "shown");
}

#[test]
fn what_nothing_depends_on_may_change_in_a_loop_for_ever() {
    let body = |test: &str| {
        format!(
            "static unsigned long served; static int dropped, copy;
             int main(void) {{ for (;;) {{ served++; if (in() == 1) {{ a(); if (in() == 2) b(); else {{ dropped++; copy = dropped; }} }}
               if ({test}) return 0; }} }}"
        )
    };
    check(&body("0"), "G ({a} -> F {b})", "shown");
    check(&body("0"), "G F {a}", "shown");
    // Here something does depend on it: all runs end.
    let short = "static unsigned char served; int main(void) { for (;;) { served++; if (served == 3) { b(); return 0; } a(); } }";
    check(short, "F {b}", "proved");
}
