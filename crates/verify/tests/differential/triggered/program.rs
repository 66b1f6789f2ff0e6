//! A program with one fault behind a trigger, and its twin without the fault.
//!
//! The trigger is a condition on one open value that hardly any value fulfils, so that trying
//! values finds nothing and an engine has to reason. The writer knows the value.

use super::{expressions, floats, library, outside, pointers, values};
use crate::writer::Random;

/// What both programs are made of. `bad` and `safe` differ in a few words only.
pub struct Pair {
    /// What is tested, for grouping: `source/use/shape`.
    pub name: String,
    pub bad: String,
    pub safe: String,
    /// The value that fulfils the trigger.
    pub value: u32,
    /// Properties to check, by name; empty for the default.
    pub properties: &'static str,
    /// The program's arguments.
    pub args: &'static [&'static str],
}

/// A fault before it has a trigger: text for the top of the file, text at the start of `main`,
/// and what happens behind the trigger, with and without the fault.
#[derive(Default)]
pub struct Fault {
    pub name: String,
    pub top: [String; 2],
    pub start: [String; 2],
    pub act: [String; 2],
    pub properties: &'static str,
    pub args: &'static [&'static str],
}

impl Fault {
    /// The same text at the top of both programs.
    pub fn top(mut self, text: impl Into<String>) -> Fault {
        let text = text.into();
        self.top = [text.clone(), text];
        self
    }
    /// The same start of `main` in both programs.
    pub fn start(mut self, text: impl Into<String>) -> Fault {
        let text = text.into();
        self.start = [text.clone(), text];
        self
    }
    /// The fault lies in what is done.
    pub fn act(mut self, bad: impl Into<String>, safe: impl Into<String>) -> Fault {
        self.act = [bad.into(), safe.into()];
        self
    }
    /// An assertion behind the trigger: it fails, or it holds.
    pub fn check(self, bad: &str, safe: &str) -> Fault {
        self.act(
            format!("__VERIFIER_assert({bad});"),
            format!("__VERIFIER_assert({safe});"),
        )
    }
    pub fn new(name: impl Into<String>) -> Fault {
        Fault {
            name: name.into(),
            ..Fault::default()
        }
    }
}

const HEAD: &str = r"
typedef unsigned long size_t;
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assert(int);
extern void *malloc(size_t), *calloc(size_t, size_t), *realloc(void *, size_t);
extern void free(void *);
extern void *alloca(size_t);
extern void *memset(void *, int, size_t), *memcpy(void *, const void *, size_t);
extern void *memmove(void *, const void *, size_t), *memchr(const void *, int, size_t);
extern int memcmp(const void *, const void *, size_t);
extern size_t strlen(const char *);
extern char *strcpy(char *, const char *), *strncpy(char *, const char *, size_t);
extern char *strcat(char *, const char *), *strchr(const char *, int), *strdup(const char *);
extern int strcmp(const char *, const char *), strncmp(const char *, const char *, size_t);
extern int printf(const char *, ...), puts(const char *), sprintf(char *, const char *, ...);
extern int snprintf(char *, size_t, const char *, ...), sscanf(const char *, const char *, ...);
extern int atoi(const char *), abs(int), toupper(int), isdigit(int);
extern long strtol(const char *, char **, int);
extern char *getenv(const char *);
extern void qsort(void *, size_t, size_t, int (*)(const void *, const void *));
extern int atexit(void (*)(void));
extern long read(int, void *, size_t), write(int, const void *, size_t);
extern struct tm *gmtime(const long *);
struct jump { long registers[8]; int saved; unsigned long mask[16]; };
extern int _setjmp(struct jump *) __attribute__((returns_twice));
extern void longjmp(struct jump *, int) __attribute__((noreturn));
extern void unknown(void *);
static unsigned sink;
";

/// A condition on `n` and the value that fulfils it.
fn trigger(random: &mut Random) -> (String, u32) {
    let value = (random.below(1 << 30) as u32) << 1 | random.below(2) as u32;
    let odd = (random.below(1 << 28) as u32) << 1 | 1;
    let add = random.below(1 << 20) as u32;
    match random.below(4) {
        // The one that concrete search was shown to miss.
        0 => {
            let value = 235_350_848;
            ("n * n * n + 7u * n == 939929280u".into(), value)
        }
        1 => {
            let sum = value.wrapping_mul(odd).wrapping_add(add);
            (format!("n * {odd}u + {add}u == {sum}u"), value)
        }
        2 => {
            let mixed = value ^ (value >> 7);
            let sum = mixed.wrapping_mul(odd);
            (format!("(n ^ (n >> 7)) * {odd}u == {sum}u"), value)
        }
        _ => {
            let sum = value.wrapping_add(add) ^ odd;
            (format!("((n + {add}u) ^ {odd}u) == {sum}u"), value)
        }
    }
}

/// Harmless statements around the fault: they must not hide it, nor be taken for one.
fn noise(random: &mut Random) -> &'static str {
    const NOISE: [&str; 10] = [
        "",
        "",
        "sink += n & 7;",
        "for (unsigned j = 0; j < (n & 3); j++) sink += j;",
        "{ int block[2] = {1, 2}; sink += (unsigned)block[n & 1]; }",
        "{ char *h = malloc(3); h[2] = 1; sink += (unsigned)h[2]; free(h); }",
        "{ char text[4] = \"abc\"; sink += (unsigned)strlen(text); }",
        "switch (n & 3) { case 0: sink++; break; case 1: sink--; default: sink ^= 1; }",
        "{ static unsigned calls; calls++; sink += calls; }",
        "if (n > 4000000000u) sink = 0; else sink |= 1;",
    ];
    NOISE[random.below(NOISE.len())]
}

/// The ways in which the act gets behind the trigger.
fn shaped(random: &mut Random, hit: &str, act: &str) -> (&'static str, String) {
    match random.below(4) {
        0 => (
            "loop",
            format!(
                "for (unsigned turn = 0; turn < 3; turn++) {{ if (turn == 1 && {hit}) {{ {act} }} }}"
            ),
        ),
        1 => (
            "flag",
            format!(
                "int hit = 0; if ({hit}) hit = 1; {} if (hit) {{ {act} }}",
                noise(random)
            ),
        ),
        2 => (
            "goto",
            format!("if (!({hit})) goto past; {{ {act} }} past: ;"),
        ),
        _ => ("if", format!("if ({hit}) {{ {act} }}")),
    }
}

/// How many kinds of faults there are.
pub fn kinds() -> usize {
    let known = pointers::SOURCES.len() + values::VALUES.len() + library::CALLS.len();
    known + outside::OUTSIDE.len() + floats::FLOATS.len() + expressions::EXPRESSIONS.len()
}

/// The pair of a seed; the kind of its fault is the seed's remainder, so that a run of
/// consecutive seeds has every kind.
pub fn pair(seed: u64) -> Pair {
    let mut random = Random::new(seed);
    let kind = (seed % kinds() as u64) as usize;
    let (pointers, values) = (pointers::SOURCES.len(), values::VALUES.len());
    let library = library::CALLS.len();
    let fault = match kind {
        kind if kind < pointers => pointers::fault(kind, &mut random),
        kind if kind < pointers + values => values::fault(kind - pointers, &mut random),
        kind if kind < pointers + values + library => {
            library::fault(kind - pointers - values, &mut random)
        }
        kind if kind < pointers + values + library + outside::OUTSIDE.len() => {
            outside::fault(kind - pointers - values - library, &mut random)
        }
        kind => {
            let others = pointers + values + library + outside::OUTSIDE.len();
            match (kind - others).checked_sub(floats::FLOATS.len()) {
                None => floats::fault_of(kind - others, &mut random),
                Some(kind) => expressions::fault(kind, &mut random),
            }
        }
    };
    let (hit, value) = trigger(&mut random);
    let before = noise(&mut random);
    let between = noise(&mut random);
    let shape_seed = random.below(1 << 20) as u64;
    let text = |which: usize| {
        let mut random = Random::new(shape_seed);
        let act = fault.act[which].replace("HIT", &hit);
        let given = value.to_string();
        let (_, inner) = match act.is_empty() {
            true => ("inside", String::new()),
            false => shaped(&mut random, &hit, &act),
        };
        let (top, start) = (&fault.top[which], &fault.start[which]);
        let top = top.replace("HIT", &hit);
        let start = start.replace("HIT", &hit).replace("VALUE", &given);
        let parameters = match fault.args.is_empty() {
            true => "void",
            false => "int argc, char **argv",
        };
        format!(
            "{HEAD}{top}\nint main({parameters}) {{\nunsigned n = __VERIFIER_nondet_uint();\n{before}\n{start}\n{between}\n{inner}\nreturn 0;\n}}\n"
        )
    };
    let shape = match fault.act[0].is_empty() {
        true => "inside",
        false => shaped(&mut Random::new(shape_seed), &hit, "").0,
    };
    Pair {
        name: format!("{}/{shape}", fault.name),
        bad: text(0),
        safe: text(1),
        value,
        properties: fault.properties,
        args: fault.args,
    }
}
