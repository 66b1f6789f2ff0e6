//! C text through lexer, parser, typing and lowering: what comes out is sound CWI or messages.
#![no_main]

use cwolf_cfront::{Options, Standard, compile_text};
use cwolf_cwi::{Target, file, text, verify};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    // The first byte chooses the options, so that all of them are tried.
    let Some((&choice, c)) = data.split_first() else { return };
    let options = Options {
        target: if choice & 1 == 0 { Target::X86_64 } else { Target::I386 },
        standard: if choice & 2 == 0 { Standard::C17 } else { Standard::C23 },
        gnu: choice & 4 == 0,
        error_labels: choice & 8 != 0,
    };
    let result = compile_text("fuzz.i", c, &options);
    if let Some(program) = result.program {
        let violations = verify(&program);
        assert!(violations.is_empty(), "{}", violations[0].describe(&program));
        let again = file::read(&file::write(&program)).expect("what was written can be read");
        assert!(text::equal(&program, &again));
    }
});
