//! Any text as an abstraction map and as a label map: no panic, and what is taken for maps gives a
//! model, in part at least, that is the same when it is made again with two threads.
#![no_main]

use cwolf_absint::domain::Universe;
use cwolf_absint::explore::{Search, explore};
use cwolf_absint::machine::{Machine, Options};
use cwolf_absint::map::{Text, Vocabulary, parse_abstraction_with, parse_labels_with};
use cwolf_base::{Budget, SourceMap};
use cwolf_cwi::Program;
use cwolf_cwi::graph::Analysed;
use libfuzzer_sys::fuzz_target;
use std::sync::OnceLock;
use std::time::Duration;

const PROGRAM: &str = "
int mode, ring[3], grid[2][2], *where; unsigned char head; double level; enum { A, B } kind;
struct pair { int x; short y[2]; union { int i; char c; } u; unsigned f : 3; } pair, *at; int ask(int, struct pair *);
int read_it(void); void say(int); void exit(int); void _cwolf_event(const char *);
static int get(int n) { static int last; last = n; int k = ring[n % 3]; where = &ring[n % 3]; return k ? k : n > 2 ? 0 : get(n + 1); }
int main(int argc, char **argv) {
  for (;;) {
    int in = read_it();
    mode = in > 3; kind = in == 7 ? B : A; head = (head + 1) % 3; ring[head] = in; level = in / 2.0; pair.y[head & 1] = head;
    grid[in & 1][0] = pair.u.c; pair.f++;
    switch (in) { case 1: pair.x--; break; case 9: exit(in); case 3: _cwolf_event(\"three\"); }
    if (get(0) == 5) { say(mode); *where = 2; at = in ? &pair : 0; pair.x = ask(in, at); }
  }
}";

struct Words;

impl Vocabulary for Words {
    fn numbers(&self, name: &str) -> Vec<i128> {
        match name {
            "A" => vec![0],
            "B" => vec![1],
            "C" => vec![1, 2],
            _ => Vec::new(),
        }
    }
    fn record(&self, name: &str) -> Option<String> {
        (name == "pair_t").then(|| "pair".to_owned())
    }
}

fn program() -> Program {
    let result = cwolf_cfront::compile_text("x.c", PROGRAM.as_bytes(), &cwolf_cfront::Options::default());
    result.program.expect("a correct program")
}

fuzz_target!(|bytes: &[u8]| {
    static PROGRAM: OnceLock<Analysed> = OnceLock::new();
    let program = PROGRAM.get_or_init(|| program().into());
    let text = String::from_utf8_lossy(bytes);
    // Two percent signs stand between the two: one is an operator.
    let (first, second) = text.split_once("%%").unwrap_or((&text, ""));
    let universe = Universe::default();
    let mut sources = SourceMap::default();
    let map = |text| Text { name: "map", text };
    let mut libraries = |name: &str| match name {
        "self" => Ok(first.to_owned()),
        _ => Err("there is none".to_owned()),
    };
    let abstraction = parse_abstraction_with(program, &universe, &mut sources, map(first), &mut libraries, &Words);
    let labels = parse_labels_with(program, &mut sources, map(second), &Words);
    let (Ok(abstraction), Ok(labels)) = (abstraction, labels) else {
        return;
    };
    let entry = program.function("main").expect("there is a main");
    let model = |jobs| {
        let mut machine = Machine::new(program, &universe, &abstraction, &labels, Options::default());
        let search = Search { jobs, ..Search::default() };
        let budget = Budget::unlimited().max_steps(300).timeout(Duration::from_secs(5));
        explore(&mut machine, entry, &search, &budget)
    };
    let (one, two) = (model(1), model(2));
    let out_of_time = |partial| partial == Some(cwolf_base::Exhausted::Time);
    assert!(out_of_time(one.partial) || out_of_time(two.partial) || one.lts == two.lts);
});
