//! Any text as a boolean program of either dialect: messages, or a program that holds to the rules and reads back the same.
#![no_main]

use cwolf_base::Diagnostics;
use cwolf_boolprog::{parse, verify};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let mut messages = Diagnostics::default();
    if let Some(program) = parse(text, 0, &mut messages) {
        assert!(verify(&program).is_empty());
        let again = parse(&program.to_string(), 0, &mut messages);
        assert_eq!(again.as_ref(), Some(&program));
    }
});
