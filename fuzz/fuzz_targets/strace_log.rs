//! Any text as an strace log and as a map of calls: no panic, no hang.
#![no_main]

use cwolf_monitor::{CallMap, read_log};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let _ = CallMap::read(text);
    let _ = read_log(text);
});
