//! Random programs about all elements of arrays: fills, copies, searches, maxima, reversals, partitions, matrices, structs,
//! blocks of the heap, strings. Half of them have a fault in one cell for a few inputs. What the engine for elements
//! says alone agrees with running the program on all inputs.

use crate::ask::Said;
use crate::verdicts::asked;
use crate::writer::{Random, Written};
use crate::{Counts, exhaustive, number, subject};
use cwolf_base::Budget;
use cwolf_engines::{Elements, Numeric};
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
extern void *memset(void *, int, unsigned long);
struct S { int f; short g; };
int ga[24], gb[24], gm[6][4]; struct S gs[24]; unsigned char gc[24];
void fill(int *p, int n, int v) { for (int i = 0; i < n; i++) p[i] = v; }
int same(int *p, int *q, int n) { for (int i = 0; i < n; i++) if (p[i] != q[i]) return 0; return 1; }
";

/// What a program does with its arrays.
struct Story {
    random: Random,
    text: String,
    /// The array that is filled, and another.
    a: &'static str,
    b: &'static str,
    /// How many elements count.
    n: &'static str,
}

fn program(case: u64) -> Written {
    let mut r = Random::new(case ^ 0xe1e);
    let arrays = ["la", "lb", "ga", "gb", "h"];
    let first = r.below(5);
    let mut story = Story {
        a: arrays[first],
        b: arrays[(first + 1 + r.below(4)) % 5],
        n: r.of(&["24", "n", "n", "n"]),
        text: String::from(HEAD),
        random: r,
    };
    story.write();
    let wide = false;
    Written {
        text: story.text,
        wide,
    }
}

impl Story {
    fn line(&mut self, text: std::fmt::Arguments<'_>) {
        let _ = writeln!(self.text, " {text}");
    }

    fn write(&mut self) {
        self.text += "int main(void) {\n int x = __VERIFIER_nondet_uchar() & 15, y = __VERIFIER_nondet_uchar() & 15;\n";
        self.text += " int la[24], lb[24], i, j, n = x + 9, flag = 1, top = 0, at = 0; int *h = malloc(24 * sizeof(int)), *p;\n";
        self.text += " for (i = 0; i < 24; i++) { la[i] = 0; h[i] = x; }\n for (i = 0; i < 24; i++) lb[i] = (x * i + y) & 15;\n";
        let (a, b, n) = (self.a, self.b, self.n);
        if self.random.one_in(3) {
            self.line(format_args!(
                "for (i = 0; i < 24; i++) {b}[i] = (y * i + x) & 15;"
            ));
        }
        // One more or one less is sometimes one too many.
        let end = self.random.of(&["", "", "", "", "", " - 1"]);
        let value = self
            .random
            .of(&["7", "x", "y", "i", "i + 1", "2 * i", "x + i"]);
        let fault = match self.random.below(4) {
            0 => "if (x == 11 && i == y) ",
            1 => "if (i == 5 && y == 9 && x == 3) ",
            _ => "if (0) ",
        };
        match self.random.below(14) {
            0 => {
                self.line(format_args!(
                    "for (i = 0; i < {n}{end}; i++) {{ {a}[i] = {value}; {fault}{a}[i] = 3; }}"
                ));
                self.each(&format!("{a}[i] == {value}"));
            }
            1 => {
                self.line(format_args!("for (i = {n} - 1; i >= 0; i--) {{ {a}[i] = {value}; {fault}{a}[{n} - 1 - i] = 3; }}"));
                self.each(&format!("{a}[i] == {value}"));
            }
            2 => {
                self.line(format_args!(
                    "for (i = 0; i < {n}{end}; i++) {{ {a}[i] = {b}[i]; {fault}{a}[i]++; }}"
                ));
                self.each(&format!("{a}[i] == {b}[i]"));
            }
            3 => {
                self.line(format_args!("top = {b}[0]; for (i = 0; i < {n}{end}; i++) {{ if ({b}[i] > top) top = {b}[i]; {fault}top--; }}"));
                self.each(&format!("{b}[i] <= top"));
            }
            4 => {
                self.line(format_args!("for (i = 0; i < {n}{end}; i++) {{ {a}[{n} - 1 - i] = {b}[i]; {fault}{a}[i] = 9; }}"));
                self.each(&format!("{a}[{n} - 1 - i] == {b}[i]"));
            }
            5 => {
                self.line(format_args!("for (i = 0; i < {n}{end}; i++) {{ if ({b}[i] > 4) {a}[i] = 1; else {a}[i] = 0; {fault}{a}[i] = !{a}[i]; }}"));
                self.line(format_args!("for (i = 0; i < {n}; i++) {{ if ({b}[i] > 4 && !{a}[i]) flag = 0; if ({b}[i] <= 4 && {a}[i]) flag = 0; }}"));
                self.line(format_args!("__VERIFIER_assert(flag);"));
            }
            6 => {
                self.line(format_args!("{b}[y] = 77; {fault}{b}[y] = 78;"));
                self.line(format_args!(
                    "for (at = 0; at < 24 && {b}[at] != 77; at++) ;"
                ));
                let test = self
                    .random
                    .of(&["at <= y", "at < 24", "at != 24", "at == y"]);
                self.line(format_args!("__VERIFIER_assert({test});"));
            }
            7 => {
                self.line(format_args!("for (i = 0; i < 6; i++) for (j = 0; j < 4; j++) {{ gm[i][j] = {value}; {fault}gm[i][j] = 2; }}"));
                self.line(format_args!("for (i = 0; i < 6; i++) for (j = 0; j < 4; j++) __VERIFIER_assert(gm[i][j] == {value});"));
            }
            8 => {
                self.line(format_args!("for (i = 0; i < {n}; i++) {{ gs[i].f = {value}; gs[i].g = {value}; {fault}gs[i].f++; }}"));
                self.line(format_args!("for (i = 0; i < {n}{end}; i++) if ({b}[i] & 1) {{ gs[i].f = 5; gs[i].g = 25; }}"));
                self.each("gs[i].f == gs[i].g || gs[i].g == gs[i].f * gs[i].f");
            }
            9 => {
                self.line(format_args!(
                    "for (p = {a}; p < {a} + {n}; p++) {{ *p = 7; i = p - {a}; {fault}*p = 8; }}"
                ));
                self.each(&format!("{a}[i] == 7"));
            }
            10 => {
                self.line(format_args!("for (i = 0; i < {n}; i++) gc[i] = (x + i) & 7; gc[23] = 0; i = 0; {fault}gc[23] = 1;"));
                self.line(format_args!("for (i = 0; gc[i]; i++) {a}[i] = gc[i];"));
                self.line(format_args!(
                    "for (j = 0; j < i; j++) __VERIFIER_assert({a}[j] == gc[j]);"
                ));
            }
            11 => {
                self.line(format_args!(
                    "fill({a}, {n}, y); i = y; {fault}{a}[i] = 16;"
                ));
                self.line(format_args!("fill({b}, {n}{end}, y);"));
                self.line(format_args!("__VERIFIER_assert(same({a}, {b}, {n}));"));
            }
            12 => {
                self.line(format_args!("memset({a}, 0, 24 * sizeof(int)); for (i = 0; i < {n}; i++) {{ if (i & 1) {a}[i] = 4; {fault}{a}[(i + 1) % 24] = 6; }}"));
                self.each(&format!("{a}[i] == 0 || {a}[i] == 4"));
            }
            _ => {
                self.line(format_args!("for (i = 0; i < {n}; i++) {a}[i] = i; for (i = 1; i < {n}{end}; i++) {{ {a}[i] = {a}[i - 1]; {fault}{a}[i] += 1; }}"));
                self.line(format_args!(
                    "for (i = 1; i < {n}; i++) __VERIFIER_assert({a}[i - 1] <= {a}[i]);"
                ));
            }
        }
        self.text += " return 0;\n}\n";
    }

    /// A check of each element that counts, sometimes after one more write.
    fn each(&mut self, what: &str) {
        let (a, b, n) = (self.a, self.b, self.n);
        let later = match self.random.below(8) {
            0 => format!("if (x == 2) {a}[y] = 4;"),
            1 => format!("for (i = 0; i < {n}; i++) {b}[i] = {b}[i];"),
            2 => format!("for (i = 0; i < {n}; i++) {a}[(i + y) % 24] = {a}[(i + y) % 24];"),
            3 => "p = &ga[y]; *p = *p;".to_owned(),
            _ => String::new(),
        };
        self.line(format_args!("{later}"));
        match self.random.below(3) {
            0 => self.line(format_args!(
                "i = y; if (i < {n}) __VERIFIER_assert({what});"
            )),
            1 => self.line(format_args!(
                "for (i = {n} - 1; i >= 0; i--) __VERIFIER_assert({what});"
            )),
            _ => self.line(format_args!(
                "for (i = 0; i < {n}; i++) __VERIFIER_assert({what});"
            )),
        }
    }
}

fn selection(case: u64) -> Selection {
    match case % 3 {
        0 => {
            let mut selection = Selection::of(&[Kind::Assertion, Kind::UnreachCall]);
            selection.follow_undefined = false;
            selection
        }
        _ => Selection::default(),
    }
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
    let mut slots = vec![slot(Box::new(Elements) as Box<dyn cwolf_engines::Engine>)];
    if case % 2 == 1 {
        slots.insert(0, slot(Box::new(Numeric)));
    }
    let plan = Plan {
        search: None,
        slots,
        jobs: 1,
    };
    let budget = Budget::unlimited().timeout(Duration::from_secs(number("CWOLF_SECONDS", 2)));
    let said = verify(&subject, &plan, &budget).decision;
    if number("CWOLF_TELL", 0) > 0 {
        let word = match &said {
            Decision::Safe { .. } => "true",
            Decision::Unsafe(_) => "false",
            Decision::Unknown(_) => "unknown",
        };
        eprintln!("case {case}: fails {expected}, said {word}");
    }
    match said {
        Decision::Safe { .. } if expected => {
            return vec![format!("elements calls safe program {case}"), written.text];
        }
        Decision::Unsafe(_) if !expected => {
            return vec![format!("elements refutes program {case}"), written.text];
        }
        Decision::Safe { .. } | Decision::Unsafe(_) => counts.right += 1,
        Decision::Unknown(_) => counts.unknown += 1,
    }
    Vec::new()
}

#[test]
fn elements_agree_with_all_runs() {
    let (cases, seed) = (number("CWOLF_CASES", 16), number("CWOLF_SEED", 1));
    let mut counts = Counts::default();
    let mut wrong = Vec::new();
    for case in seed..seed + cases {
        wrong.extend(compare(case, &mut counts));
    }
    let told = format!(
        "{} programs, {} fail; {} answers right, {} unknown",
        counts.programs, counts.failing, counts.right, counts.unknown
    );
    eprintln!("{told}");
    assert!(wrong.is_empty(), "{}\n{told}", wrong.join("\n"));
    assert!(counts.right > 0, "no program was proved: {told}");
}

/// The programs of `tests/elements` are about arrays of any length, or of very many elements: the engine proves them
/// alone, and never a twin.
#[test]
fn long_arrays_are_proved() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/elements");
    let mut wrong = Vec::new();
    for entry in fs::read_dir(folder).expect("the folder") {
        let path = entry.expect("an entry").path();
        let text = fs::read_to_string(&path).expect("a readable file");
        let ask = |twin: bool, time| asked(&path, &text, twin).ask("elements", time);
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
