//! Random programs over lists: singly and doubly linked ones, with tails, circular ones with links inside of larger
//! nodes; insertion, deletion, reversal, traversal, freeing. Most have a fault for a few inputs: a node is freed twice,
//! used after it was freed, lost, or holds a wrong number. What the shape analysis says agrees with running the
//! program on all inputs.

use crate::ask::Said;
use crate::verdicts::asked;
use crate::writer::{Random, Written};
use crate::{Counts, exhaustive, number, subject};
use cwolf_base::Budget;
use cwolf_engines::{Engine, Numeric, Shapes};
use cwolf_prepare::property::{Kind, Selection};
use cwolf_verify::portfolio::{Decision, Plan, Slot, verify};
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::time::Duration;

const HEAD: &str = r"
extern unsigned char __VERIFIER_nondet_uchar(void);
extern void __VERIFIER_assert(int);
extern void *malloc(unsigned long);
extern void *calloc(unsigned long, unsigned long);
extern void *realloc(void *, unsigned long);
extern void free(void *);
struct N { int d; struct N *next, *prev; };
struct H { struct H *next, *prev; };
struct E { int d; struct H link; int e; };
struct Q { struct N *first, *last; int count; };
struct N *g; struct Q q; struct H h = { &h, &h }; struct N *bucket[3];
struct N *make(int d) { struct N *n = malloc(sizeof *n); n->d = d; n->next = 0; n->prev = 0; return n; }
struct N *push(struct N *l, int d) { struct N *n = make(d); n->next = l; if (l) l->prev = n; return n; }
void append(struct N **l, int d) { struct N *n = make(d); while (*l) { n->prev = *l; l = &(*l)->next; } *l = n; }
struct N *reverse(struct N *l) { struct N *r = 0; while (l) { struct N *t = l->next; l->next = r; l->prev = t; r = l; l = t; } return r; }
void cut(struct N **l, int d) { while (*l && (*l)->d != d) l = &(*l)->next; if (*l) { struct N *t = *l; *l = t->next; if (t->next) t->next->prev = t->prev; free(t); } }
void sorted(struct N **l, int d) { struct N *p = *l, *b = 0, *n = make(d); while (p && p->d < d) { b = p; p = p->next; } n->next = p; n->prev = b; if (p) p->prev = n; if (b) b->next = n; else *l = n; }
struct N *nth(struct N *l, int n) { while (l && n-- > 0) l = l->next; return l; }
void all(struct N *l) { while (l) { struct N *t = l->next; free(l); l = t; } }
void put(struct Q *q, int d) { struct N *n = make(d); n->prev = q->last; if (q->last) q->last->next = n; else q->first = n; q->last = n; q->count++; }
void take(struct Q *q) { struct N *n = q->first; if (!n) return; q->first = n->next; if (q->first) q->first->prev = 0; else q->last = 0; q->count--; free(n); }
struct E *ENTRY(struct H *p) { return (struct E *)((char *)p - __builtin_offsetof(struct E, link)); }
void add(struct H *at, int d) { struct E *e = malloc(sizeof *e); e->d = d; e->e = 0; e->link.next = at->next; e->link.prev = at; at->next->prev = &e->link; at->next = &e->link; }
void del(struct H *l) { l->next->prev = l->prev; l->prev->next = l->next; free(ENTRY(l)); }
int main(void) {
 int x = __VERIFIER_nondet_uchar() & 15, y = __VERIFIER_nondet_uchar() & 15, i, n = 0;
 struct N *l = 0, *p, *t; struct H *c; (void)p; (void)t; (void)c; (void)n;
";

const STEPS: [&str; 28] = [
    "for (i = 0; i < x; i++) l = push(l, 1);",
    "for (i = 0; i < y; i++) l = push(l, 2);",
    "for (i = 0; i < x; i++) l = push(l, i);",
    "for (i = 0; i < x; i++) append(&l, 1);",
    "for (i = 0; i < y; i++) append(&g, i & 1);",
    "append(&l, 3);",
    "l = push(l, 3);",
    "l = reverse(l);",
    "g = reverse(g);",
    "cut(&l, 1);",
    "cut(&g, y);",
    "for (i = 0; i < x; i++) sorted(&g, 5);",
    "sorted(&g, y);",
    "for (i = 0; i < x; i++) put(&q, 1);",
    "put(&q, y);",
    "take(&q);",
    "while (q.first) take(&q);",
    "for (i = 0; i < x; i++) add(&h, 1);",
    "for (i = 0; i < y; i++) add(h.prev, 2);",
    "if (h.next != &h) del(h.next);",
    "while (h.prev != &h) del(h.prev);",
    "for (c = h.next; c != &h; c = c->next) ENTRY(c)->d = 4;",
    "for (p = l; p; p = p->next) p->d = 4;",
    "for (p = l; p; p = p->next) n++;",
    "{ t = l; l = g; g = t; }",
    "{ all(l); l = 0; }",
    "for (i = 0; i < x; i++) bucket[i % 3] = push(bucket[i % 3], i);",
    "for (p = l; p && p->next; p = p->next) { if (p->d == p->next->d) { t = p->next; p->next = t->next; if (t->next) t->next->prev = p; free(t); } }",
];

const CLAIMS: [&str; 14] = [
    "for (p = l; p; p = p->next) __VERIFIER_assert(p->d != 9);",
    "for (p = l; p; p = p->next) __VERIFIER_assert(p->d >= 0 && p->d <= 15);",
    "for (p = l; p; p = p->next) __VERIFIER_assert(p->d == 1);",
    "for (p = g; p; p = p->next) __VERIFIER_assert(p->d == 5);",
    "for (p = g; p; p = p->next) __VERIFIER_assert(!p->next || p->next->prev == p);",
    "for (p = l; p; p = p->next) __VERIFIER_assert(!p->prev || p->prev->next == p);",
    "__VERIFIER_assert(!l || l->prev == 0);",
    "__VERIFIER_assert(!q.last || q.last->next == 0);",
    "for (c = h.next; c != &h; c = c->next) __VERIFIER_assert(ENTRY(c)->e == 0);",
    "for (c = h.next; c != &h; c = c->next) __VERIFIER_assert(c->next->prev == c);",
    "__VERIFIER_assert((l == 0) == (nth(l, 0) == 0));",
    "__VERIFIER_assert(h.next->prev == &h);",
    "{ p = l; while (p && p->d == 1) p = p->next; while (p && p->d == 2) p = p->next; __VERIFIER_assert(!p || p->d == 3); }",
    "__VERIFIER_assert(n <= 40);",
];

const FAULTS: [&str; 16] = [
    "free(l);",
    "if (l) { t = l->next; free(t); }",
    "l = 0;",
    "if (l) l = l->next;",
    "{ t = nth(l, y); if (t) t->d = 9; }",
    "{ t = nth(l, y); if (t) t->next = 0; }",
    "{ t = nth(l, y); if (t) free(t); }",
    "{ t = nth(g, y); if (t) t->prev = t; }",
    "{ t = make(1); t->next = l; }",
    "{ t = q.last; if (t) t->next = l; }",
    "{ all(g); if (g) g->d = 1; }",
    "if (h.next != &h) ENTRY(h.next)->e = 1;",
    "if (h.next != &h) free(ENTRY(h.next));",
    "h.next = &h;",
    "{ t = nth(l, y); t->d = 1; }",
    "q.first = 0;",
];

const ENDS: [&str; 6] = [
    "all(l);",
    "all(g); g = 0;",
    "while (q.first) take(&q);",
    "while (h.next != &h) del(h.next);",
    "for (i = 0; i < 3; i++) { all(bucket[i]); bucket[i] = 0; }",
    "l = 0;",
];

fn program(case: u64) -> Written {
    let mut r = Random::new(case ^ 0x5a9e);
    let mut text = String::from(HEAD);
    let fault = r.below(3);
    for n in 0..2 + r.below(4) {
        let _ = writeln!(text, " {}", r.of(&STEPS));
        if r.below(3) == 0 {
            let _ = writeln!(text, " {}", r.of(&CLAIMS));
        }
        if n + 1 == fault {
            let when = r.of(&["x == 5", "x == y", "x == 9 && y == 3", "y > 12", "n == 3"]);
            let _ = writeln!(text, " if ({when}) {{ {} }}", r.of(&FAULTS));
        }
    }
    let _ = writeln!(text, " {}", r.of(&CLAIMS));
    let all = r.below(3) > 0;
    for end in ENDS.iter().take(5) {
        if all || r.below(2) == 0 {
            let _ = writeln!(text, " {end}");
        }
    }
    text += " return 0;\n}\n";
    let wide = false;
    Written { text, wide }
}

fn selection(case: u64) -> Selection {
    let memory = [Kind::Pointer, Kind::Bounds];
    let kinds = match case % 5 {
        0 => vec![Kind::Assertion, Kind::UnreachCall],
        1 => [&memory[..], &[Kind::Leak]].concat(),
        2 => [&memory[..], &[Kind::Cleanup]].concat(),
        3 => [&memory[..], &[Kind::Assertion]].concat(),
        _ => return Selection::default(),
    };
    let mut selection = Selection::of(&kinds);
    selection.follow_undefined = case % 10 > 4;
    selection
}

/// Asks the engine about one program; what is wrong, in words.
fn compare(case: u64, counts: &mut Counts) -> Vec<String> {
    let written = program(case);
    let subject = subject(&written, selection(case));
    let Some(expected) = exhaustive(&subject, written.wide) else {
        return Vec::new();
    };
    counts.programs += 1;
    counts.failing += u64::from(expected);
    let slot = |engine| Slot {
        engine,
        weight: 1.0,
        first: Duration::from_millis(50),
    };
    let mut slots = vec![slot(Box::new(Shapes) as Box<dyn Engine>)];
    if case % 4 == 1 {
        slots.insert(0, slot(Box::new(Numeric)));
    }
    let plan = Plan {
        search: None,
        slots,
        jobs: 1,
    };
    let budget = Budget::unlimited().timeout(Duration::from_secs(number("CWOLF_SECONDS", 2)));
    match verify(&subject, &plan, &budget).decision {
        Decision::Safe { .. } if expected => {
            return vec![format!("shapes calls safe program {case}"), written.text];
        }
        Decision::Safe { .. } => counts.right += 1,
        Decision::Unsafe(_) => return vec![format!("shapes refutes program {case}")],
        Decision::Unknown(_) => counts.unknown += 1,
    }
    Vec::new()
}

#[test]
#[allow(clippy::print_stderr, reason = "a campaign says how much it did")]
fn shapes_agree_with_all_runs() {
    let (cases, seed) = (number("CWOLF_CASES", 40), number("CWOLF_SEED", 1));
    let mut counts = Counts::default();
    let mut wrong = Vec::new();
    for case in seed..seed + cases {
        wrong.extend(compare(case, &mut counts));
    }
    let told = format!(
        "{} programs, {} fail; {} proved, {} unknown",
        counts.programs, counts.failing, counts.right, counts.unknown
    );
    assert!(wrong.is_empty(), "{}\n{told}", wrong.join("\n"));
    assert!(counts.right > 0, "no program was proved: {told}");
    eprintln!("{told}");
}

/// The programs of `tests/shapes` are about lists of any length: the engine proves them alone, and never a twin.
#[test]
fn lists_of_any_length_are_proved() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/shapes");
    let mut wrong = Vec::new();
    for entry in fs::read_dir(folder).expect("the folder") {
        let path = entry.expect("an entry").path();
        let text = fs::read_to_string(&path).expect("a readable file");
        let ask = |twin: bool, time| asked(&path, &text, twin).ask("shapes", time);
        let said = ask(false, Duration::from_secs(60));
        if said != Said::True {
            wrong.push(format!("{}: {said:?}", path.display()));
        }
        if ask(true, Duration::from_secs(2)) == Said::True {
            wrong.push(format!("{}: the twin is called safe", path.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
