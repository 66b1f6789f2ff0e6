//! Any bytes as what a worker saved, and as the index and a part of a system: no panic, and no more memory than
//! the bytes are worth.
#![no_main]

use cwolf_cwi::graph::Analysed;
use cwolf_absint::domain::Universe;
use cwolf_absint::machine::{Machine, Options};
use cwolf_absint::map::{Text, parse_abstraction, parse_labels};
use cwolf_base::{Budget, SourceMap};
use cwolf_cluster::can_restore;
use libfuzzer_sys::fuzz_target;
use std::sync::OnceLock;

const PROGRAM: &str = "
int mode, ring[3]; int read_it(void); void say(int);
static int get(int n) { int k = ring[n % 3]; return k ? k : n > 2 ? 0 : get(n + 1); }
int main(void) { for (;;) { mode = read_it() > 3; ring[mode] = get(0); say(mode); } }";
const MAP: &str = "var mode : bool; var ring : int array; fun get(var n : int) { var k : div(2); } fun main() { }";
const LABELS: &str = "call(say) => say; write(mode) => mode;";
const JOB: u128 = 7;

fn machine() -> Machine<'static> {
    let result = cwolf_cfront::compile_text("x.c", PROGRAM.as_bytes(), &cwolf_cfront::Options::default());
    let program = Box::leak(Box::new(Analysed::from(result.program.expect("a correct program"))));
    let universe = Box::leak(Box::new(Universe::default()));
    let mut sources = SourceMap::default();
    let map = |text| Text { name: "map", text };
    let mut no_files = |_: &str| Err(String::new());
    let maps = parse_abstraction(program, universe, &mut sources, map(MAP), &mut no_files).expect("a correct map");
    let labels = parse_labels(program, &mut sources, map(LABELS)).expect("a correct map");
    Machine::new(program, universe, Box::leak(Box::new(maps)), Box::leak(Box::new(labels)), Options::default())
}

fuzz_target!(|bytes: &[u8]| {
    static MACHINE: OnceLock<Machine<'static>> = OnceLock::new();
    // The head is the right one, or nothing more would be read.
    let head = [&[0; 8], &JOB.to_le_bytes()[..], &[3, 0]].concat();
    let saved = [&head[..], bytes].concat();
    can_restore(MACHINE.get_or_init(machine), JOB, 3, &saved);

    let folder = std::env::temp_dir().join(format!("cwolf-fuzz-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let mut pieces = bytes.splitn(3, |byte| *byte == b'|');
    let mut write = |name: &str, end: &[u8]| {
        let piece = pieces.next().unwrap_or_default();
        std::fs::write(folder.join(name), [piece, end].concat()).expect("a file");
    };
    write("x.parts", b"\nparts 2\n");
    write("x.parts.0", b"");
    write("x.parts.1", b"");
    let budget = Budget::unlimited().max_memory(1 << 30);
    let _ = cwolf_lts::read_path_within(&folder.join("x.parts"), None, &budget);
});
