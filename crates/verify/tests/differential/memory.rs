//! Random programs with allocated objects that may be lost: what engines say agrees with running the program on all
//! inputs.

use crate::writer::{Random, Written};
use crate::{Counts, exhaustive, number, subject};
use cwolf_base::Budget;
use cwolf_engines::Engine;
use cwolf_prepare::property::{Kind, Selection};
use cwolf_verify::portfolio::{Decision, Plan, Slot, verify};
use std::fmt::Write;
use std::time::Duration;

/// A program that allocates a few objects, links them, and may lose or keep some.
fn objects(case: u64) -> Written {
    let mut r = Random::new(case ^ 0x1eac);
    let mut text = String::from(
        r"
extern unsigned char __VERIFIER_nondet_uchar(void);
extern void __VERIFIER_assert(int);
extern void *malloc(unsigned long);
extern void *calloc(unsigned long, unsigned long);
extern void free(void *);
extern void exit(int);
struct N { struct N *next; int d; struct N *other; };
struct N *head, *tail;
struct N *make(int d) { struct N *n = calloc(1, sizeof *n); n->d = d; return n; }
void drop(struct N *n) { if (n) free(n); }
struct N *push(struct N *l, int d) { struct N *n = make(d); n->next = l; return n; }
struct N *pop(struct N *l) { struct N *n = l ? l->next : 0; drop(l); return n; }
void all(struct N *l) { while (l) l = pop(l); }
struct N *wrap(struct N *n, int d) { n->d = d; return n; }
int main(void) {
 int x = __VERIFIER_nondet_uchar() & 15, y = __VERIFIER_nondet_uchar() & 15;
 struct N *p = 0, *q = 0, *l = 0; struct N **pp = &p; int i;
",
    );
    for _ in 0..2 + r.below(7) {
        let cond = r.of(&["", "", "", "if (x == 5) ", "if (x > y) ", "if (y & 1) "]);
        let step = r.of(&[
            "p = make(1);",
            "q = make(2);",
            "l = push(l, x);",
            "l = push(l, 1);",
            "l = pop(l);",
            "head = p;",
            "head = l;",
            "tail = q;",
            "q = p;",
            "p = 0;",
            "*pp = q;",
            "if (p) p->next = q;",
            "if (l) l->other = make(3);",
            "for (i = 0; i < 3; i++) l = push(l, i);",
            "{ free(p); p = 0; }",
            "p = wrap(make(4), y);",
            "make(5);",
            "{ all(l); l = 0; }",
            "if (p) { p->other = p; }",
            "if (x == 9) exit(1);",
            "head = 0;",
            "{ int *in = l ? &l->d : 0; (void)in; }",
        ]);
        let _ = writeln!(text, " {cond}{step}");
    }
    for _ in 0..r.below(4) {
        let step = r.of(&[
            " all(l); l = 0;",
            " free(p); p = 0;",
            " if (q != p) { free(q); } q = 0;",
            " head = 0;",
            " tail = l;",
            " all(head); head = 0;",
        ]);
        let _ = writeln!(text, "{step}");
    }
    text += " return 0;\n}\n";
    let wide = false;
    Written { text, wide }
}

/// Asks engines about one program; what is wrong, in words.
fn compare(
    (what, written): (&str, Written),
    selection: Selection,
    engines: Vec<Box<dyn Engine>>,
    counts: &mut Counts,
) -> Vec<String> {
    let subject = subject(&written, selection);
    let Some(expected) = exhaustive(&subject, written.wide) else {
        return Vec::new();
    };
    counts.programs += 1;
    counts.failing += u64::from(expected);
    let mut wrong = Vec::new();
    for engine in engines {
        let name = engine.name();
        let slot = Slot {
            engine,
            weight: 1.0,
            first: Duration::from_millis(50),
        };
        let plan = Plan {
            search: None,
            slots: vec![slot],
            jobs: 1,
        };
        let seconds = number("CWOLF_SECONDS", 1);
        let budget = Budget::unlimited().timeout(Duration::from_secs(seconds));
        match verify(&subject, &plan, &budget).decision {
            Decision::Safe { .. } if expected => wrong.push(format!("{name} calls safe {what}")),
            Decision::Unsafe(_) if !expected => wrong.push(format!("{name} refutes {what}")),
            Decision::Safe { .. } | Decision::Unsafe(_) => counts.right += 1,
            Decision::Unknown(_) => counts.unknown += 1,
        }
    }
    if !wrong.is_empty() {
        wrong.push(written.text);
    }
    wrong
}

fn campaign(
    default: u64,
    write: fn(u64) -> Written,
    ask: impl Fn(u64) -> (Selection, Vec<Box<dyn Engine>>),
) {
    let (cases, seed) = (number("CWOLF_CASES", default), number("CWOLF_SEED", 1));
    let mut counts = Counts::default();
    let mut wrong = Vec::new();
    for case in seed..seed + cases {
        let (selection, engines) = ask(case);
        let what = format!("program {case}");
        wrong.extend(compare(
            (&what, write(case)),
            selection,
            engines,
            &mut counts,
        ));
    }
    let told = format!(
        "{} programs, {} fail; {} answers right, {} unknown",
        counts.programs, counts.failing, counts.right, counts.unknown
    );
    assert!(wrong.is_empty(), "{}\n{told}", wrong.join("\n"));
    assert!(counts.right > 0, "no engine ever answers: {told}");
}

#[test]
fn leaks_agree_with_all_runs() {
    campaign(20, objects, |case| {
        let kinds: &[Kind] = match case % 3 {
            0 => &[Kind::Pointer, Kind::Bounds, Kind::Cleanup],
            _ => &[Kind::Pointer, Kind::Bounds, Kind::Leak],
        };
        let mut selection = Selection::of(kinds);
        selection.follow_undefined = false;
        (selection, cwolf_engines::all())
    });
}

/// A program whose loop makes objects again and again, keeps some of their addresses, and says what they hold.
fn renewed(case: u64) -> Written {
    let mut r = Random::new(case ^ 0x2e3d);
    let mut text = String::from(
        r"
extern unsigned char __VERIFIER_nondet_uchar(void);
extern void __VERIFIER_assert(int);
extern void *malloc(unsigned long);
extern void *calloc(unsigned long, unsigned long);
extern void *realloc(void *, unsigned long);
extern void free(void *);
struct N { struct N *next; int d; int *data; };
struct N *make(int d) { struct N *n = calloc(1, sizeof *n); n->d = d; n->next = 0; return n; }
int main(void) {
 int x = __VERIFIER_nondet_uchar() & 7, turns = __VERIFIER_nondet_uchar() & 3, i, j;
 struct N *p = make(0), *q = p, *old = p; int *a = calloc(4, 4), *b = a; unsigned long n = 4; struct N *all[4] = {p, p, p, p};
 for (i = 0; i < turns; i++) {
",
    );
    let steps = [
        "old = p;",
        "p = make(1);",
        "p = make(i);",
        "q = make(2);",
        "q = p;",
        "p->next = old;",
        "p->next = q;",
        "old->d = 7;",
        "p->d = 5;",
        "q->d = p->d;",
        "if (p->next) p->next->d = 3;",
        "if (p != old) { free(old); old = p; }",
        "if (q != p && q != old) { free(q); q = p; }",
        "{ free(p); p = make(4); }",
        "{ free(a); a = calloc(4, 4); b = a; n = 4; }",
        "{ a = calloc(4, 4); }",
        "{ n = n + 1; a = realloc(a, n * 4); a[n - 1] = 1; b = a; }",
        "a[3] = 6;",
        "b[0] = 8;",
        "b = a;",
        "p->data = a;",
        "if (q->data) q->data[0] = 2;",
        "all[i] = p;",
        "all[0]->d = 9;",
        "for (j = 0; j < 2; j++) { int *c = malloc(8); c[j] = i; p->data = c; }",
        "a[n - 1] = 0;",
        "p->next = p;",
    ];
    let conds = ["", "", "", "if (x == 5) ", "if (i) ", "if (x > 3) "];
    for _ in 0..3 + r.below(6) {
        let (cond, step) = (r.of(&conds), r.of(&steps));
        let _ = writeln!(text, "  {cond}{step}");
    }
    let claims = [
        "p->d != 7",
        "p->d == 1 || p->d == 0",
        "old->d != 3",
        "q->d <= 5",
        "p != old",
        "a[0] != 8",
        "a[3] == 0 || a[3] == 6",
        "p->next != p",
        "p->next == old",
        "!q->data || q->data != a",
        "all[0]->d != 9 || i > 0",
        "a == b",
        "n < 6",
    ];
    for _ in 0..1 + r.below(2) {
        let (cond, claim) = (r.of(&conds), r.of(&claims));
        let _ = writeln!(text, "  {cond}__VERIFIER_assert({claim});");
    }
    text += " }\n";
    let _ = writeln!(text, " __VERIFIER_assert({});", r.of(&claims));
    text += " return 0;\n}\n";
    let wide = false;
    Written { text, wide }
}

#[test]
fn renewed_objects_agree_with_all_runs() {
    campaign(20, renewed, |case| {
        let mut selection = Selection::default();
        selection.follow_undefined = case % 2 == 0;
        (selection, cwolf_engines::all())
    });
}
