//! CWI text: diagnostics or a program that prints and parses to itself.
#![no_main]

use cwolf_cwi::text;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|source: &str| {
    if let Ok(program) = text::parse(source) {
        let printed = text::print(&program);
        let again = text::parse(&printed).expect("what is printed can be parsed");
        assert!(text::equal(&program, &again), "{printed}");
    }
});
