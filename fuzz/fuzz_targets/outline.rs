//! Any text as C: an outline is found, whose parts lie in the text in order.
#![no_main]

use cwolf_cfront::Outline;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let outline = Outline::new(bytes);
    for stretch in outline.loops.iter().chain(&outline.scopes).chain(&outline.statements) {
        assert!(stretch.from <= stretch.to);
        outline.statement_at(stretch.from);
    }
});
