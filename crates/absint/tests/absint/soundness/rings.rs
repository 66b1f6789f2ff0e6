//! Dead cells that are found by need: random programs on buffers whose contents say what is
//! read and written next.

use super::generate::Rng;
use super::{Task, compile, seeds};
use cwolf_absint::explore::{Model, Search, explore};
use cwolf_absint::machine::{Machine, Options};
use cwolf_absint::map::Variance;
use cwolf_base::Budget;
use cwolf_lts::{Comparison, Equivalence, compare};
use std::sync::atomic::Ordering;

/// What one turn of the loop may do.
const ACTS: [&str; 30] = [
    "line[0] = slot(); line[1] = bit();",
    "line[0] = any() % N; line[1] = any() % 2;",
    "ring[line[0]] = line[1]; full[line[0]] = 1;",
    "if (full[head]) { last = ring[head]; full[head] = 0; head = (head + 1) % N; }",
    "head = line[0];",
    "head = same(line[0]);",
    "where[head] = &ring[line[0]];",
    "if (where[head]) { last = *where[head]; where[head] = 0; }",
    "if (where[line[0]]) *where[line[0]] = line[1];",
    "if (where[head]) read(0, where[head], 1);",
    "ring[(head + 1) % N] = bit();",
    "last = pick(line, bit());",
    "head = ring[head] ? line[0] : (head + 1) % N;",
    "if (bit()) full[head] = 0;",
    "for (i = 0; i < N; i++) if (!full[i]) ring[i] = 0;",
    // Contexts that need different cells at the same place.
    "head = same(1); turn(); last = ring[0];",
    "head = 1; turn(); last = ring[head - side];",
    "head = slot(); turn(); last = ring[head];",
    "act = bit() ? put : get;",
    "if (act) act();",
    "last = dig(line[0]);",
    "mine[side] = line[1];",
    "last = pick(mine, side);",
    "swap();",
    "if (ring[head] == 1) escape(line[1]);",
    "if (last == 1 && side) exit(line[1]);",
    "box[head].to = line[0]; box[head].val = bit();",
    "ring[box[head].to] = box[head].val;",
    "box[line[0]] = box[head];",
    "pair.val = bit(); turn(); pair.to = side; turn(); pair = box[side];",
];

fn program(rng: &mut Rng) -> String {
    let mut text = format!(
        "extern int __VERIFIER_nondet_int(void); extern void exit(int);\n\
         extern long read(int, void *, unsigned long);\n\
         typedef long jmp_buf[8]; int setjmp(jmp_buf); void longjmp(jmp_buf, int);\n\
         static unsigned any(void) {{ return __VERIFIER_nondet_int(); }}\n\
         enum {{ N = {} }};\n\
         static unsigned char ring[N], full[N], line[2], head, side, last, *where[N];\n\
         static struct {{ unsigned char to, val; }} box[N], pair; static jmp_buf back;\n\
         static unsigned char bit(void) {{ return any() ? 1 : 0; }}\n\
         static unsigned char slot(void) {{ return any() ? 0 : any() ? 1 : N - 1; }}\n\
         static unsigned char same(unsigned char it) {{ return it; }}\n\
         static unsigned char pick(unsigned char *from, int at) {{ return from[at]; }}\n\
         static void tick(void) {{ }}\n\
         static void turn(void) {{ if (any()) side = 1; else side = 0; tick(); }}\n\
         static void put(void) {{ ring[head] = line[1]; }}\n\
         static void get(void) {{ last = ring[head]; }}\n\
         static void (*act)(void);\n\
         static unsigned char dig(int n) {{ if (n <= 0) return ring[head]; head = 0; return dig(n - 1); }}\n\
         static void swap(void) {{ unsigned char own[2]; own[0] = ring[head]; own[1] = line[1];\n\
         \x20 tick(); last = pick(own, side); }}\n\
         static void escape(int how) {{ full[0] = how; if (how) longjmp(back, how + side); }}\n\
         int main(void) {{\n int i; unsigned char mine[2];\n mine[0] = mine[1] = 0;\n",
        2 + rng.below(2)
    );
    text += rng.pick(&[
        "",
        " setjmp(back);\n",
        " if (setjmp(back) == 2) last = mine[side];\n",
    ]);
    text += " for (;;) {\n";
    for _ in 0..2 + rng.below(3) {
        text += "  switch (any() % 3) {\n";
        for n in 0..2 {
            text += &format!("  case {n}: {} break;\n", rng.pick(&ACTS));
        }
        text += "  }\n";
    }
    text += "  if (last > 2) return 1;\n }\n}\n";
    text
}

fn map(rng: &mut Rng) -> String {
    let mut map = String::from(
        "var ring : int array; var full : int array; var line : int array; var where : pointer array;\n\
         var last : int; var box.to : int; var box.val : int; var pair.to : int; var pair.val : int;\n\
         var act : pointer; fun pick(var from : pointer, var at : int) {} fun dig(var n : int) {}\n",
    );
    for name in ["head", "side"] {
        map += &format!(
            "var {name} : {};\n",
            rng.pick(&["int", "int", "set(2)", "part(0,1,2)"])
        );
    }
    if rng.below(4) > 0 {
        map += "fun same(var it : int) {} fun escape(var how : int) {}\n";
    }
    map +=
        "fun swap() { var own : int array; } fun main() { var i : int; var mine : int array; }\n";
    map
}

fn labels(rng: &mut Rng) -> String {
    let rules = [
        "call(tick) => tick;\n",
        "watch(last == 1 && head == 1) => first;\n",
        "watch(last == 1) => one;\n",
        "watch(last == 0) when side == 1 => zero;\n",
        "watch(last) => \"last={last}\";\n",
        "watch(pair.to == 1) => \"pair={pair.val}\";\n",
        "write(full) => full;\n",
        "read(ring) => reads;\n",
        "read(where) when head == 1 => r1;\n",
        "return(pick) => \"head={head}\";\n",
        "call(put) => put;\n",
        "exit == 1 => ended;\n",
    ];
    let mut map = String::new();
    for rule in rules {
        if rng.below(3) == 0 {
            map += rule;
        }
    }
    map
}

/// What is forgotten is not missed: the model is weakly bisimilar to the one with all cells,
/// for any number of threads, and also if learning was cut or indices alone told what is dead.
#[test]
#[allow(clippy::print_stdout)] // The counts of a campaign.
fn cells_that_nobody_needs_are_not_missed() {
    let (mut smaller, mut compared) = (0, 0);
    let campaign = std::env::var_os("CWOLF_PROGRAMS").is_some();
    let most = if campaign { 20_000 } else { 4_000 };
    for seed in seeds(50) {
        let mut rng = Rng::new(seed);
        let text = program(&mut rng);
        let (map, labels) = (map(&mut rng), labels(&mut rng));
        let mut task = Task::with(&mut rng, text.clone(), compile(&text), map, labels);
        task.options.variance = Variance::Poly;
        let unlimited = Budget::unlimited();
        let few = Budget::unlimited().max_steps(most);
        let model = |keep_dead, search: Search, prepare: &dyn Fn(&mut Machine<'_>)| -> Model {
            let mut machine = task.machine(Options {
                keep_dead,
                ..task.options
            });
            prepare(&mut machine);
            explore(&mut machine, task.entry, &search, &few)
        };
        let by_need = |machine: &mut Machine<'_>| machine.prepare_by_need(task.entry, &unlimited);
        let cut = |machine: &mut Machine<'_>| {
            let stopped = Budget::unlimited();
            stopped.cancel_flag().store(true, Ordering::Relaxed);
            machine.prepare_by_need(task.entry, &stopped);
        };
        let plain = Search::default();
        let threads = Search {
            jobs: 3,
            chunk: 2,
            ..plain
        };
        let about = || format!("CWOLF_SEED={seed}\n{}\n{}", task.text, task.maps);
        let needed = model(false, plain, &by_need);
        let parallel = model(false, threads, &by_need);
        assert!(parallel.lts == needed.lts, "threads matter: {}", about());
        let all = model(true, plain, &|_| ());
        if all.partial.is_some() || needed.partial.is_some() {
            continue;
        }
        compared += 1;
        let unlearned = model(false, plain, &cut);
        let guided = model(false, plain, &|_| ());
        for (name, other) in [
            ("need", &needed),
            ("cut", &unlearned),
            ("index liveness", &guided),
        ] {
            let same = compare(&all.lts, &other.lts, Equivalence::Weak, &unlimited);
            let same = matches!(same, Ok(Comparison::Equivalent));
            assert!(same, "{name}: {}", about());
        }
        smaller += usize::from(needed.lts.states() < unlearned.lts.states());
    }
    println!("{compared} programs compared, {smaller} smaller by need");
    if std::env::var_os("CWOLF_SEED").is_none() {
        assert!(
            8 * smaller > compared,
            "{smaller} of {compared} are smaller"
        );
    }
}
