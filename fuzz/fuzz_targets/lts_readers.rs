//! Any bytes as a transition system, in every format: no panic, and what is read keeps the
//! store's invariants and survives being written and read again.
#![no_main]

use cwolf_base::Budget;
use cwolf_lts::{Equivalence, Format, compare, read_bytes, write};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Some((&first, rest)) = bytes.split_first() else {
        return;
    };
    let format = Format::ALL[usize::from(first) % Format::ALL.len()];
    let Ok(lts) = read_bytes("input", rest, format) else {
        return;
    };
    assert_eq!(lts.verify(), Ok(()));
    // A short file may speak of millions of states: those are not worth the time.
    if lts.states() > 10_000 {
        return;
    }
    let budget = Budget::unlimited().max_steps(10_000);
    for format in Format::ALL {
        let mut text = Vec::new();
        // Some labels cannot be written in some formats.
        if write(format, &lts, &mut text).is_err() {
            continue;
        }
        let again = read_bytes("written", &text, format).expect("what was written can be read");
        assert_eq!(again.verify(), Ok(()));
        assert_eq!(again.transitions(), lts.transitions());
        if lts.states() < 100 {
            let same = compare(&lts, &again, Equivalence::Strong, &budget);
            assert!(same.is_err() || same == Ok(cwolf_lts::Comparison::Equivalent));
        }
    }
});
