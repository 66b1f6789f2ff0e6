//! Any bytes as a state that another process sent, or that a checkpoint has: no panic, and what
//! is taken for a state is written as one, reads as the same, and has one home in all tables.
#![no_main]

use cwolf_cwi::graph::Analysed;
use cwolf_absint::domain::Universe;
use cwolf_absint::explore::{Key, Owned, Ownership, Peers};
use cwolf_absint::machine::{Machine, Options};
use cwolf_absint::map::{Text, parse_abstraction, parse_labels};
use cwolf_base::SourceMap;
use libfuzzer_sys::fuzz_target;
use std::sync::OnceLock;

const PROGRAM: &str = "
int mode, ring[3], *where; unsigned char head; double level; enum { A, B } kind; struct { int x; short y; } pair;
int read_it(void); void say(int);
static int get(int n) { int k = ring[n % 3]; where = &ring[n % 3]; return k ? k : n > 2 ? 0 : get(n + 1); }
int main(void) {
  for (;;) {
    int in = read_it();
    mode = in > 3; kind = in == 7 ? B : A; head = (head + 1) % 3; ring[head] = in; level = in / 2.0; pair.y = head;
    if (get(0) == 5) { say(mode); *where = 2; }
  }
}";
const MAP: &str = "var mode : bool; var ring : int array; var head : minmax; var where : pointer; var level : free; var kind : set(2);
var pair.x : part(0, 5, 9); var pair.y : mod(3); fun get(var n : int) { var k : div(2); } fun main() { var in : part(0, 3, 5, 7); }";
const LABELS: &str = "call(say) => say; write(mode) => mode; watch(mode == 1) => on;";

/// A machine, who owns its states, and the bytes of its first state.
type World = (Machine<'static>, Ownership, Vec<u8>);

fn world() -> World {
    let result = cwolf_cfront::compile_text("x.c", PROGRAM.as_bytes(), &cwolf_cfront::Options::default());
    let program = Box::leak(Box::new(Analysed::from(result.program.expect("a correct program"))));
    let universe = Box::leak(Box::new(Universe::default()));
    let mut sources = SourceMap::default();
    let map = |text| Text { name: "map", text };
    let mut no_files = |_: &str| Err(String::new());
    let maps = parse_abstraction(program, universe, &mut sources, map(MAP), &mut no_files).expect("a correct map");
    let labels = parse_labels(program, &mut sources, map(LABELS)).expect("a correct map");
    let maps = Box::leak(Box::new(maps));
    let labels = Box::leak(Box::new(labels));
    let entry = program.function("main").expect("there is a main");
    let mut machine = Machine::new(program, universe, maps, labels, Options::default());
    let start = machine.start(entry);
    let ownership = machine.ownership(entry, false, 5);
    (machine, ownership, start)
}

fuzz_target!(|bytes: &[u8]| {
    static WORLD: OnceLock<World> = OnceLock::new();
    let (machine, ownership, start) = WORLD.get_or_init(world);
    let peers = Peers { ownership, peers: 5, me: 0 };
    let number = |owned: &mut Owned, key: Key| {
        let mut number = 0;
        owned.insert(&[key], |_, state| number = state);
        number
    };
    let (mut one, mut other) = (Owned::default(), Owned::default());
    // Numbers of values differ between the two.
    let first = other.take(machine, &mut &start[..]).expect("the first state");
    number(&mut other, first);
    let mut rest = bytes;
    for _ in 0..8 {
        let Ok(key) = one.take(machine, &mut rest) else {
            return;
        };
        let state = number(&mut one, key);
        let mut written = Vec::new();
        one.put(machine, state, &mut written);
        let again = one.take(machine, &mut &written[..]).expect("what was written can be read");
        assert_eq!(number(&mut one, again), state);
        let there = other.take(machine, &mut &written[..]).expect("there, too");
        assert_eq!(one.owner(machine, peers, key), other.owner(machine, peers, there));
    }
});
