//! Any text as a SLIC rule, as a property file and as a list of hosts: no panic, and what is taken for a
//! rule can be woven into a program or is refused.
#![no_main]

use cwolf_cwi::Program;
use libfuzzer_sys::fuzz_target;
use std::sync::OnceLock;

const PROGRAM: &str = "
struct s { int x; }; int lock(int *p); void unlock(struct s *p, char c); static int held;
int take(int n) { held = lock(&n); return held ? -1 : n; }
int main(void) { struct s s = { take(3) }; if (s.x) unlock(&s, 'a'); return 0; }";

fn program() -> Program {
    let result = cwolf_cfront::compile_text("x.c", PROGRAM.as_bytes(), &cwolf_cfront::Options::default());
    result.program.expect("a correct program")
}

fuzz_target!(|bytes: &[u8]| {
    static PROGRAM: OnceLock<Program> = OnceLock::new();
    let program = PROGRAM.get_or_init(program);
    let text = String::from_utf8_lossy(bytes);
    let _ = cwolf_prepare::property::parse_prp(&text);
    let _ = cwolf_cluster::parse_hosts(&text);
    if let Ok(rule) = cwolf_prepare::slic::parse("x.slic", &text, 0) {
        let entry = program.function("main").expect("there is a main");
        let options = cwolf_cfront::Options::default();
        if let Ok(woven) = cwolf_prepare::slic::weave(program.clone(), entry, &[rule], &options) {
            assert!(cwolf_cwi::verify(&woven.program).is_empty());
        }
    }
});
